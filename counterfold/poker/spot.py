"""Spots of hold'em from JSON: a board, two ranges, a pot, and what may be bet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from counterfold.arrays import Floats
from counterfold.errors import ParameterError, complaints_of, short
from counterfold.files.text import read_json
from counterfold.poker.betting import build
from counterfold.poker.cards import (
    board_name,
    card_name,
    cards_name,
    holes_without,
    parse_board,
)
from counterfold.poker.game import CardRules, PokerGame, meetings
from counterfold.poker.holdem import FULL_DECK, holdem_range, holdem_rules, parse_deck
from counterfold.poker.ranges import Range
from counterfold.poker.spot_money import read_betting, read_big_blind
from counterfold.poker.spot_source import SEATS, STREETS, Source, nearest_name

_Ranges = tuple[Floats, Floats]


def load_spot(path: str | Path) -> PokerGame:
    """The spot that a JSON file describes; see ``spot``."""
    path = Path(path)
    return spot(read_spot(path), name=path.stem, where=str(path))


def read_spot(path: str | Path) -> Any:
    """What a JSON file says, before it is understood: it may be anything."""
    return read_json(path, "a spot")


def spot(
    given: Mapping[str, object],
    *,
    name: str = "spot",
    where: str = "the spot",
    saved: bool = False,
) -> PokerGame:
    """The game that a dictionary describes; player 0 is ``oop``, who acts first on every street.

    Sizes (see ``poker.sizes``) are a list for all streets and both players, or such lists by
    street, by player, or by player and street. In normalised form, which reads back to the same
    game, the dictionary is in ``about["spot"]``.

    Before the flop (no ``board``) ``blinds`` take the place of ``pot``: ``ip`` has the small one
    and acts first, and ``stack`` is what each sits down with. Where a ``big_blind`` is known, no
    bet is smaller.

    ``saved`` is what a file of a strategy says, where older ones have chips without their unit.

    >>> game = spot({"board": "Ks 9h 6s 4d 2c", "pot": 200, "stack": 600, "oop": "QQ+,AK",
    ...              "ip": "random", "bets": ["75%", "allin"], "raises": ["60%", "allin"]})
    >>> [game.betting.label[child] for child in game.betting.children(0)]
    ['check', 'bet 150', 'all-in 600']
    """
    source = Source(given, name, where, saved)
    board, streets = _streets(source)
    rules = _rules(source, board, streets)
    ranges = _ranges(source, board, rules)
    betting = read_betting(source, streets)
    symmetry = source.flag("symmetry", source.given.get("symmetry", True))
    source.told |= {} if symmetry else {"symmetry": False}
    source.told |= {} if source.players == SEATS else {"players": list(source.players)}
    return PokerGame(
        name=source.name,
        rules=rules,
        betting=build(betting),
        board=board,
        ranges=ranges,
        players=(source.players[0], source.players[1]),
        pot=sum(betting.paid),
        big_blind=read_big_blind(source),
        streets=streets,
        about={"spot": source.told, "symmetry": symmetry},
    )


def _streets(source: Source) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The board, and the streets that are played from it on."""
    given = source.given.get("board")
    if given is None:  # before the flop, if there are blinds
        example = '"board": "Ks 9h 6s 4d 2c", or with "blinds": [1, 2] to begin before the flop'
        given = "" if source.given.get("blinds") is not None else source.needed("board", example)
    with source.at("board"):
        if not isinstance(given, str):
            if not isinstance(given, Sequence) or not all(isinstance(c, str) for c in given):
                raise ParameterError(f"a board is cards as in Ks 9h 6s, not {short(given)}")
            given = " ".join(given)
        board = parse_board(given)
    source.told["board"] = board_name(board)
    names = list(STREETS)
    start = list(STREETS.values()).index(len(board))
    last = _street(source, "last_street", "river")
    if _street(source, "starting_street", names[start]) != start:
        raise source.complaint(
            "starting_street",
            f"the board has {len(board)} cards, so the spot starts on the {names[start]}",
        )
    if last < max(start, 1):
        words = f"the betting cannot end on the {names[last]}"
        if not last:
            words = "a table ends before the flop: 'holdem:hu(stack=20,last_street=preflop)'"
        raise source.complaint("last_street", words)
    if names[last] != "river":
        source.told["last_street"] = names[last]
    return board, tuple(names[start : last + 1])


def _street(source: Source, key: str, default: str) -> int:
    name = str(source.given.get(key) or default).lower()
    if name not in STREETS:
        raise source.complaint(
            key, f"{short(name)} is no street; {nearest_name(name, list(STREETS))}"
        )
    return list(STREETS).index(name)


def _rules(source: Source, board: tuple[int, ...], streets: tuple[str, ...]) -> CardRules:
    cards = [STREETS[name] for name in streets]
    deal = [after - before for before, after in zip([len(board), *cards], cards, strict=False)]
    with source.at("deck"):
        deck = parse_deck(source.given.get("deck"))
        for card in board:
            if card not in deck:
                raise ParameterError(f"{card_name(card)} is on the board but not in the deck")
        if len(deck) < 4 + cards[-1]:
            raise ParameterError(
                f"{len(deck)} cards are too few for two hands and a board of {cards[-1]}"
            )
    if deck != FULL_DECK:
        source.told["deck"] = cards_name(deck)
    return holdem_rules(deal, deck)


def _ranges(source: Source, board: tuple[int, ...], rules: CardRules) -> _Ranges:
    """The weights of both players' hands, without those that the board or the deck rule out."""
    by_player = source.given.get("ranges", {})
    source.only("ranges", by_player, source.names)
    left = holes_without(board) & (holdem_range(rules.deck) > 0)
    found = []
    for player, seat in zip(source.players, SEATS, strict=True):
        given = [
            (key, place[key])
            for place in (by_player, source.given)
            for key in dict.fromkeys((player, seat))
            if key in place
        ]
        if len(given) != 1:
            raise ParameterError(
                f"{source.where} gives the range of {player} {'twice' if given else 'nowhere'}; "
                f'write "{seat}": "QQ+,AKs,A5s-A2s:0.5" once'
            )
        key, text = given[0]
        with source.at(key):
            if not isinstance(text, str):
                raise ParameterError("a range is a text as in QQ+,AKs,A5s-A2s:0.5")
            hands = Range.parse(text)
            weights = np.where(left, hands.weights, 0.0)
            if not hands.combos:
                raise ParameterError("every hand of the range weighs nothing")
            if not weights.any():
                cause = f"the board {board_name(board)}" if board else "the deck"
                raise ParameterError(f"{cause} leaves no hand of the range {short(text)}")
        source.told[seat] = str(hands)
        found.append(weights)
    if not (found[0] * meetings((found[1] > 0).astype(np.float64))).any():
        with complaints_of("ranges"):
            raise ParameterError(
                f"{source.where}: the two ranges cannot both hold hands, since every hand of one "
                "shares a card with every hand of the other"
            )
    return found[0], found[1]
