"""What a word on the command line means: a game, a spot, poker in public form, a saved file."""

from __future__ import annotations

import os
from inspect import signature
from typing import Any

from counterfold.errors import ParameterError, SpecError
from counterfold.files.arrays import header_in, header_of
from counterfold.games.base import Game
from counterfold.games.catalog import games, load, load_named
from counterfold.games.spec import parse_spec
from counterfold.poker.game import PokerGame
from counterfold.poker.holdem import POKER_GAMES
from counterfold.poker.spot import read_spot, spot
from counterfold.strategy.hands import HandLayout, game_of

__all__ = [
    "FORMS",
    "check_no_unit",
    "game_in",
    "game_named",
    "is_poker_file",
    "means_poker",
    "poker_game",
    "rules_named",
]

FORMS = ("history", "public")
PUBLIC_ONLY = ("fhp",)
"""Games that have no history form; the other names mean that form unless --form says public."""


def game_named(word: str, form: str | None = None) -> Game | PokerGame:
    """The game that a person names, in the form that they ask for.

    >>> game_named("leduc").players, game_named("leduc", "public").players
    (2, ('first', 'second'))
    """
    return poker_game(word) if means_poker(word, form) else load(word)


def game_in(path: str, named: str | None = None, form: str | None = None) -> Game | PokerGame:
    """The game that a strategy in a file is of; it may be ``named`` again.

    What a person did not name is not run: the rules of a file are never a program.
    """
    saved, public = header_in(path), is_poker_file(path)
    if named is not None:
        return poker_game(named) if public else game_named(named, form)
    if public:
        return game_of(saved.fields("rules"), saved.text("game"))
    return load_named(saved.text("game"), path)


def rules_named(word: str, path: str | None = None) -> Any:
    """The rules that a word names, of whatever game, to be played at a table.

    A poker strategy in a file names the game that it is of. ``path`` is the file that the word
    itself comes from, if it does: what a person did not name is not run.
    """
    from counterfold.poker.rules import PokerRules

    if not is_poker_file(word) and not means_poker(word):
        return load(word) if path is None else load_named(word, path)
    game = game_in(word) if is_poker_file(word) else poker_game(word)
    assert isinstance(game, PokerGame)
    return PokerRules(game, word)


def means_poker(word: str, form: str | None = None) -> bool:
    """Whether a word names a poker game that is to be solved as a public tree.

    >>> means_poker("fhp(cap=2)"), means_poker("leduc"), means_poker("leduc", "public")
    (True, False, True)
    """
    if form not in (None, *FORMS):
        raise ParameterError(f"--form is {form!r}, and must be history or public")
    only = word.partition("(")[0].strip() in PUBLIC_ONLY or _spot_in(word) is not None
    if only and form == "history":
        raise ParameterError(
            f"{word} has every hand at every node, which is its public form; leave out --form"
        )
    return only or form == "public"


def poker_game(word: str) -> PokerGame:
    """The poker game that a word names: a spot in a file, or a game with its parameters.

    >>> poker_game("fhp(cap=2)").name
    'fhp'
    """
    given = _spot_in(word)
    if given is None:
        return _in_public_form(word)
    return spot(given, name=os.path.splitext(os.path.basename(word))[0], where=word)


def check_no_unit(exploitability: float | str | None) -> None:
    """Refuse 0.5% and 1mbb where a game has neither a pot nor a big blind."""
    if isinstance(exploitability, str):
        raise ParameterError(
            f"--exploitability {exploitability} is for poker with a pot or a big blind; give a "
            "number, in the payoffs of the game"
        )


def is_poker_file(path: str) -> bool:
    """Whether a file holds a poker strategy for all hands."""
    header = header_of(path)
    return header.get("form") == HandLayout.name or header.get("kind") == HandLayout.before


def _spot_in(word: str) -> dict[str, Any] | None:
    """What the file of a spot says; nothing if it is no such file."""
    if not word.lower().endswith(".json"):
        return None
    given = read_spot(word)
    if not isinstance(given, dict) or {"payoffs", "matrix"} & set(given):
        return None  # a normal form
    return given


def _in_public_form(word: str) -> PokerGame:
    spec = parse_spec(word)
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
        raise SpecError(f"{word} does not fit: {name} takes {takes} in public form") from None
    return make(*given.args, **given.kwargs)
