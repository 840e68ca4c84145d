"""What a name means: a game with its parameters, a spot in a file, poker in public form."""

from __future__ import annotations

import importlib
import os
from inspect import signature
from typing import TYPE_CHECKING, cast, overload

from counterfold.errors import ParameterError, SpecError, UnsupportedError, short
from counterfold.games.base import Game
from counterfold.games.catalog import games, load
from counterfold.games.spec import parse_spec
from counterfold.poker.game import PokerGame
from counterfold.poker.holdem import POKER_GAMES
from counterfold.poker.spot import read_spot, spot
from counterfold.poker.table import Holdem
from counterfold.poker.table_source import is_table

if TYPE_CHECKING:
    from counterfold.tree.form import AnyGame, Form

FORMS = ("history", "public", "deals")
PUBLIC_ONLY = ("fhp",)
"""Games that have no history form; the other names mean that form unless --form says public."""


@overload
def game_named(word: str) -> Game | PokerGame: ...


@overload
def game_named(word: str, form: str | None) -> AnyGame: ...


def game_named(word: str, form: str | None = None) -> AnyGame:
    """The game that a person names, in the form that they ask for.

    >>> game_named("leduc").players, game_named("leduc", "public").players
    (2, ('first', 'second'))
    """
    poker = means_poker(word, form)
    return by_deals(load(word)) if form == "deals" else poker_game(word) if poker else load(word)


def by_deals(game: object) -> Form:
    """A game of Cheat that is solved deal by deal."""
    form: Form = importlib.import_module("counterfold.abstraction.deal_form").DealForm(game)
    return form


def by_drawn_deals(game: PokerGame) -> Form:
    """Betting before the flop of three and more, over deals that are drawn once."""
    form: Form = importlib.import_module("counterfold.abstraction.drawn_engine").DrawnForm(game)
    return form


def as_game(game: object) -> AnyGame:
    """A game as it is, or the one that a name or a file means; anything else is refused.

    >>> as_game("kuhn").players
    2
    """
    if isinstance(game, str | os.PathLike):
        return game_named(os.fspath(game))
    if isinstance(game, type):
        raise ParameterError(f"{game.__name__} is a class; make a game of it: {game.__name__}()")
    if isinstance(game, Holdem) and game.before_the_flop:
        return game.poker
    rules = hasattr(game, "root") or hasattr(game, "betting")
    if not rules and (hasattr(game, "layout") or not hasattr(game, "spec")):
        raise ParameterError(
            f"a game is a name such as 'leduc', a file of a spot, or rules, and not {short(game)}"
        )
    return cast("AnyGame", game)  # by its methods, whatever its class


def rules_named(game: object) -> Game:
    """The rules of a game, or of the one that a name means; refused where there is none by history.

    >>> rules_named("kuhn").players
    2
    """
    from counterfold.tree.form import Form

    rules = as_game(game)
    if not isinstance(rules, Game) and isinstance(rules, PokerGame | Form):
        raise UnsupportedError(
            f"{rules.spec} has no rules here that could be followed history by history"
        )
    return rules


def means_poker(word: str, form: str | None = None) -> bool:
    """Whether a word names a poker game that is to be solved as a public tree.

    >>> means_poker("fhp(cap=2)"), means_poker("leduc"), means_poker("leduc", "public")
    (True, False, True)
    """
    if form not in (None, *FORMS):
        raise ParameterError(f"--form is {form!r}, and must be history, public or deals")
    only = word.partition("(")[0].strip() in PUBLIC_ONLY or _spot_in(word) is not None
    only = only or (form is None and table_in(word) is not None)
    if only and form == "history":
        raise ParameterError(
            f"{word} has every hand at every node, which is its public form; leave out --form"
        )
    return only or form == "public"


def poker_game(word: str) -> PokerGame:
    """The poker game that a word names: a spot in a file, a table, or a game with its parameters.

    >>> poker_game("fhp(cap=2)").name, poker_game("holdem:3max(stack=10)").players
    ('fhp', ('BTN', 'SB', 'BB'))
    """
    given = _spot_in(word)
    if given is None:
        return _in_public_form(word)
    return spot(given, name=os.path.splitext(os.path.basename(word))[0], where=word)


def _spot_in(word: str) -> dict[str, object] | None:
    """What the file of a spot says; nothing if it is no such file."""
    if not word.lower().endswith(".json"):
        return None
    given = read_spot(word)
    if not isinstance(given, dict) or {"payoffs", "matrix"} & set(given) or is_table(given):
        return None  # a normal form, or a table
    return given


def table_in(word: str, *, preflop: bool = True) -> Holdem | None:
    """The table of hold'em that a word names, if its betting ends before the flop or it may not."""
    if not word.lower().endswith(".json") and word.partition("(")[0].split(":")[0] != Holdem.name:
        return None
    table = load(word)
    return table if isinstance(table, Holdem) and table.before_the_flop >= preflop else None


def _in_public_form(word: str) -> PokerGame:
    table = table_in(word, preflop=False)
    if table is not None:
        return table.poker
    spec = parse_spec(word)
    preset = next((dict(entry.preset) for entry in games() if entry.name == spec.name), {})
    name = spec.name.partition(":")[0] if preset else spec.name
    if name not in POKER_GAMES:
        raise SpecError(
            f"{spec.name} has no public form; {', '.join(POKER_GAMES)}, tables of holdem and "
            "spots in JSON have"
        )
    make = POKER_GAMES[name]
    try:
        given = signature(make).bind(*spec.args, **{**preset, **spec.kwargs})
    except TypeError:
        takes = ", ".join(signature(make).parameters) or "no parameters"
        raise SpecError(f"{word} does not fit: {name} takes {takes} in public form") from None
    return make(*given.args, **given.kwargs)
