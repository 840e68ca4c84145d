"""``counterfold bench damage``: damage files, read them, and tell what was not refused."""

from __future__ import annotations

import json as jsonlib
import os
from typing import Any

import typer
from typer.main import get_command

from counterfold.bench import damage
from counterfold.bench.damage_readings import Main
from counterfold.cli.app import app
from counterfold.cli.bench import show
from counterfold.cli.output import StoppedError, check_can_write, print_json, say, tell
from counterfold.errors import FileError, ParameterError
from counterfold.files.whole import write_whole
from counterfold.games.spec import whole

__all__ = ["run"]

MUTATIONS = 5000


def run(
    mutations: int | None,
    seed: int,
    kinds: list[str] | None,
    only: list[int] | None,
    keep: str | None,
    *,
    out: str | None = None,
    json: bool = False,
) -> None:
    """Try mutations; the exit code is 1 if one of them fails."""
    if out is not None:
        check_can_write(out, "--out")
    if only and (kinds or mutations is not None):
        raise ParameterError("--only names mutations by their numbers, whatever their kind")
    whole("--seed", seed, least=0)
    wanted = [whole("--only", number, least=0) for number in only or ()]
    if not only:
        asked = MUTATIONS if mutations is None else mutations
        wanted = damage.numbers(whole("--mutations", asked, least=1), kinds or ())
    if keep is not None:
        _make_folder(keep)
    found = damage.Damage(seed, len(wanted))
    try:
        damage.run(command_line(), wanted, seed, keep=keep, on_progress=tell, report=found)
    except KeyboardInterrupt:
        raise StoppedError(
            f"stopped after {found.done:,} of {len(wanted):,} mutations, of which "
            f"{len(found.failures):,} failed"
        ) from None
    _tell(found, out, json)
    if found.failures:
        tell(
            f"{len(found.failures):,} of {found.done:,} damaged files were neither refused in one "
            "sentence nor read as they were"
        )
        raise typer.Exit(1)


def command_line() -> Main:
    """The command line as a function; its options are read once, which takes longer than a verb."""
    verbs = get_command(app)
    return lambda words: verbs.main(args=list(words))


def _make_folder(path: str) -> None:
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {path}: {error.strerror or error}") from None


def _tell(found: damage.Damage, out: str | None, json: bool) -> None:
    document: dict[str, Any] = damage.to_json(found)
    if out:
        write_whole(out, (jsonlib.dumps(document, indent=1) + "\n").encode())
    if json:
        print_json(document)
        return
    show(damage.table(found))
    for one in found.failures:
        say(f"{one.number}: {one.kind}, {one.verdict} (exit {one.code})")
        say(f"    {one.how}")
        say(f"    {one.command}")
        say(f"    {one.said}")
    if found.failures:
        say(
            f"Again: counterfold bench damage --seed {found.seed} --only {found.failures[0].number}"
        )
    if out:
        say(f"Written: {out}")
