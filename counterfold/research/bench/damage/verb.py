"""``counterfold bench damage``: damage files, read them, and tell what was not refused."""

from __future__ import annotations

from typing import Annotated

import typer
from typer.main import get_command

from counterfold.cli.app import app
from counterfold.cli.options import Json, count
from counterfold.cli.output import StoppedError, check_can_write, make_folder, say, tell
from counterfold.errors import ParameterError
from counterfold.games.spec import whole
from counterfold.research.bench.damage import trial
from counterfold.research.bench.damage.readings import Main
from counterfold.research.bench.verb import Out, publish

__all__ = ["KEYS", "VERBS"]

MUTATIONS = 5000
KEYS = None


def damage(
    mutations: Annotated[
        int | None,
        typer.Option(metavar="N", parser=count, help="Files to damage and read. [5,000]"),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", parser=count, help="Of all chance.")] = 0,
    kind: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="Only such files; may be given again."),
    ] = None,
    only: Annotated[
        list[int] | None,
        typer.Option(metavar="N", help="This mutation alone; may be given again."),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Keep there what failed, and what was said."),
    ] = None,
    out: Out = None,
    json: Json = False,
) -> None:
    """Good files of every kind, damaged: the exit code is 1 if one is neither refused nor read."""
    if out is not None:
        check_can_write(out, "--out")
    if only and (kind or mutations is not None):
        raise ParameterError("--only names mutations by their numbers, whatever their kind")
    whole("--seed", seed, least=0)
    wanted = [whole("--only", number, least=0) for number in only or ()]
    if not only:
        asked = MUTATIONS if mutations is None else mutations
        wanted = trial.numbers(whole("--mutations", asked, least=1), kind or ())
    make_folder(keep, "--keep")
    report = trial.Damage(seed, len(wanted))
    try:
        trial.run(_command_line(), wanted, seed, keep=keep, on_progress=tell, report=report)
    except KeyboardInterrupt:
        raise StoppedError(
            f"stopped after {report.done:,} of {len(wanted):,} mutations, of which "
            f"{len(report.failures):,} failed"
        ) from None
    publish(trial.to_json(report), trial.table(report), out, json)
    if not json:
        _print_failures(report)
    if report.failures:
        tell(
            f"{len(report.failures):,} of {report.done:,} damaged files were neither refused in "
            "one sentence nor read as they were"
        )
        raise typer.Exit(1)


VERBS = {"damage": damage}


def _command_line() -> Main:
    """The command line as a function; its options are read once, which takes longer than a verb."""
    verbs = get_command(app)
    return lambda words: verbs.main(args=list(words))


def _print_failures(report: trial.Damage) -> None:
    for one in report.failures:
        say(f"{one.number}: {one.kind}, {one.verdict} (exit {one.code})")
        for line in (one.how, one.command, one.said):
            say(f"    {line}")
    if report.failures:
        again = report.failures[0].number
        say(f"Again: counterfold bench damage --seed {report.seed} --only {again}")
