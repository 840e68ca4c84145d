"""What a word on the command line means in poker: a spot, a game with a name, or a saved file."""

from __future__ import annotations

import os
from inspect import signature
from typing import Any

from counterfold.errors import FileError, ParameterError, SpecError
from counterfold.files.arrays import header_in, header_of
from counterfold.files.text import Fields
from counterfold.games.spec import parse_spec
from counterfold.poker.game import PokerGame
from counterfold.poker.holdem import POKER_GAMES
from counterfold.poker.spot import read_spot, spot
from counterfold.strategy.hands import HandLayout, game_of

__all__ = [
    "FORMS",
    "check_no_unit",
    "game_in",
    "is_poker_file",
    "means_poker",
    "poker_game",
    "rules_named",
    "run_of",
]

FORMS = ("history", "public")
PUBLIC_ONLY = ("fhp",)
"""Games that have no history form; the other names mean that form unless --form says public."""


def means_poker(text: str, form: str | None = None) -> bool:
    """Whether a word names a poker game that is to be solved as a public tree.

    >>> means_poker("fhp(cap=2)"), means_poker("leduc"), means_poker("leduc", "public")
    (True, False, True)
    """
    if form not in (None, *FORMS):
        raise ParameterError(f"--form is {form!r}, and must be history or public")
    found = _name(text) in PUBLIC_ONLY or _given(text) is not None
    if found and form == "history":
        raise ParameterError(
            f"{text} has every hand at every node, which is its public form; leave out --form"
        )
    return found or form == "public"


def poker_game(text: str) -> PokerGame:
    """The poker game that a word names: a spot in a file, or a game with its parameters.

    >>> poker_game("fhp(cap=2)").name
    'fhp'
    """
    given = _given(text)
    if given is None:
        return _named(text)
    return spot(given, name=os.path.splitext(os.path.basename(text))[0], where=text)


def check_no_unit(exploitability: float | str | None) -> None:
    """Refuse 0.5% and 1mbb where a game has neither a pot nor a big blind."""
    if isinstance(exploitability, str):
        raise ParameterError(
            f"--exploitability {exploitability} is for poker with a pot or a big blind; give a "
            "number, in the payoffs of the game"
        )


def rules_named(text: str, path: str | None = None) -> Any:
    """The rules that a word names, of whatever game, to be played at a table.

    A poker strategy in a file names the game that it is of. ``path`` is the file that the word
    itself comes from, if it does: what a person did not name is not run.
    """
    from counterfold.games.catalog import load, load_named
    from counterfold.poker.rules import PokerRules

    if is_poker_file(text):
        return PokerRules(game_in(text), text)
    if means_poker(text):
        return PokerRules(poker_game(text), text)
    return load(text) if path is None else load_named(text, path)


def game_in(path: str) -> PokerGame:
    """The game that a poker strategy in a file is of."""
    saved = header_in(path)
    return game_of(saved.fields("rules"), saved.text("game"))


def _name(text: str) -> str:
    return text.partition("(")[0].strip()


def _given(text: str) -> dict[str, Any] | None:
    """What the file of a spot says; nothing if it is no such file."""
    if not text.lower().endswith(".json"):
        return None
    given = read_spot(text)
    if not isinstance(given, dict) or {"payoffs", "matrix"} & set(given):
        return None  # a normal form
    return given


def _named(text: str) -> PokerGame:
    from counterfold.games.catalog import games

    spec = parse_spec(text)
    preset = next((dict(entry.preset) for entry in games() if entry.name == spec.name), {})
    name = spec.name.partition(":")[0] if preset else spec.name
    if name not in POKER_GAMES:
        raise SpecError(
            f"{spec.name} has no public form; {', '.join(POKER_GAMES)} and spots in JSON have"
        )
    make = POKER_GAMES[name]
    try:
        given = signature(make).bind(*spec.args, **{**preset, **spec.kwargs})
    except TypeError:
        takes = ", ".join(signature(make).parameters) or "no parameters"
        raise SpecError(f"{text} does not fit: {name} takes {takes} in public form") from None
    return make(*given.args, **given.kwargs)


def is_poker_file(path: str) -> bool:
    """Whether a file holds a poker strategy for all hands."""
    header = header_of(path)
    return header.get("form") == HandLayout.name or header.get("kind") == HandLayout.before


def run_of(path: str) -> Fields:
    """The run that a checkpoint goes on with."""
    saved = header_in(path)
    if "run" not in saved.header:
        raise FileError(f"{path} holds a strategy without a solver's state: nothing to resume")
    return saved.fields("run")
