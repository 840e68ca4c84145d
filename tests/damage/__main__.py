"""`make damage`: damage files, read them, and tell what was neither refused nor read as it was."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from typer.main import get_command

from counterfold.cli.main import app
from tests.damage import trial
from tests.damage.corpus import KINDS


def main() -> int:
    """The exit code is 1 where a damaged file was neither refused in a sentence nor read."""
    parser = argparse.ArgumentParser("make damage", description=trial.__doc__)
    parser.add_argument("--count", type=int, default=5000, help="files to damage")
    parser.add_argument("--seed", type=int, default=0, help="of all chance")
    parser.add_argument("--kind", action="append", choices=[kind.name for kind in KINDS])
    parser.add_argument("--only", type=int, action="append", help="this damage alone, by number")
    parser.add_argument("--keep", type=Path, help="a folder for what failed, and what was said")
    options = parser.parse_args()
    wanted = options.only or trial.numbers(options.count, options.kind or ())
    report = trial.Damage(options.seed, len(wanted))
    verbs = get_command(app)  # options are read once, which takes longer than a verb
    try:
        trial.run(
            lambda words: verbs.main(args=list(words)), wanted, options.seed, keep=options.keep,
            on_progress=lambda words: print(words, file=sys.stderr, flush=True), report=report,
        )  # fmt: skip
    except KeyboardInterrupt:
        print(f"stopped after {report.done:,} of {len(wanted):,}", file=sys.stderr)
        return 130
    print(json.dumps(trial.to_json(report), indent=1))
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
