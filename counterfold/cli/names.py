"""What a word on the command line means: a game, a spot, poker in public form, a saved file."""

from __future__ import annotations

from collections.abc import Iterable

from counterfold.files.arrays import header_in, header_of
from counterfold.games.base import Game
from counterfold.games.catalog import load, load_named
from counterfold.strategy.hands import HandLayout, game_of
from counterfold.tree.form import AnyGame
from counterfold.tree.named import by_deals, game_named, means_poker, poker_game, table_in


def game_in(path: str, named: str | None = None, form: str | None = None) -> AnyGame:
    """The game that a strategy in a file is of; it may be ``named`` again.

    What a person did not name is not run: the rules of a file are never a program.
    """
    saved, public = header_in(path), is_poker_file(path)
    if named is not None:
        return poker_game(named) if public else game_named(named, form)
    if public:
        return game_of(saved.fields("rules"), saved.text("game"))
    game = load_named(saved.text("game"), path)
    return by_deals(game) if saved.header.get("form") == "deals" else game


def rules_named(word: str, path: str | None = None, agents: Iterable[str] = ()) -> Game:
    """The rules that a word names, of whatever game, to be played at a table.

    A strategy in a file names the game that it is of. ``path`` is the file that the word itself
    comes from, if it does: what a person did not name is not run. A game with two forms is played
    with ranges where one of its ``agents`` is a strategy for them.
    """
    from counterfold.poker.rules import PokerRules

    if _has_ranges(word):
        saved = header_in(word)
        return PokerRules(game_of(saved.fields("rules"), saved.text("game")), word)
    if path is None and "game" in (header := header_of(word)):
        return rules_named(header["game"], word, agents)
    ranges = any(map(_has_ranges, agents))
    if means_poker(word) or (ranges and table_in(word, preflop=False) is None):
        return PokerRules(poker_game(word), word)
    return load(word) if path is None else load_named(word, path)


def _has_ranges(path: str) -> bool:
    """Whether a file holds a strategy of poker for ranges of hands, in buckets or not."""
    header = header_of(path)
    buckets = header.get("form") == "buckets" and '"table"' not in header.get("rules", "")
    return buckets or is_poker_file(path)


def game_among(agents: Iterable[str]) -> str | None:
    """The first strategy in a file among agents: it names the game, where nobody else does."""
    return next((agent for agent in agents if "game" in header_of(agent)), None)


def is_poker_file(path: str) -> bool:
    """Whether a file holds a poker strategy for all hands."""
    header = header_of(path)
    return header.get("form") == HandLayout.name or header.get("kind") == HandLayout.before
