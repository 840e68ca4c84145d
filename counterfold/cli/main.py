"""The command line: every verb with its options. The work is imported when a verb runs.

``counterfold --help`` must be instant, so the modules of ``verbs`` import typer and nothing
heavier.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module

from counterfold.cli.app import app

FAMILIES = (
    "solving", "styling", "exploiting", "abstracting", "arena", "acpc", "studio", "research",
    "first_steps",
)  # fmt: skip
"""The modules of ``verbs``, in the order in which --help lists what they register."""

for _family in FAMILIES:
    import_module(f"counterfold.cli.verbs.{_family}")


def main() -> None:
    """The console script."""
    try:
        app()
    except SystemExit as end:
        # All files are written: nobody waits for what threads still compute after a signal, nor
        # for the interpreter to take apart compiled code and trees (a third of a CPU second).
        if not isinstance(end.code, int):
            raise
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(end.code)
