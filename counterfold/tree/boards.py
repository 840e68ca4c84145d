"""The boards that can come in a poker game, one for each class that differs only in suits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations
from math import comb

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Ints
from counterfold.errors import TreeTooLargeError, UnsupportedError
from counterfold.poker.game import CardRules, PokerGame
from counterfold.poker.isomorphism import holes_renamed, renamed

MOST_BOARDS = 200_000


@dataclass(frozen=True, eq=False, slots=True)
class Board:
    """A board that stands for all that a renaming of suits turns it into."""

    cards: tuple[int, ...]  # as they were dealt
    street: int
    before: int  # the number of the board of the street before; its own at the root
    chance: float  # probability that it, or one that it stands for, comes after that board
    renamings: Ints  # [renamings, 4] of suits that change nothing here


def renamed_holes(rules: CardRules, holes: NDArray[np.integer], names: Ints) -> Ints:
    """The numbers that hands turn into when suits are renamed."""
    return holes_renamed(rules.cards[holes], names)


def renamings(game: PokerGame) -> Ints:
    """The renamings of suits that leave the deck, the board and both ranges as they are."""
    deck, board = set(game.rules.deck), set(game.board)
    found = []
    for names in map(np.array, permutations(range(4))):
        turned = holes_renamed(game.rules.cards, names)
        kept = (
            set(renamed(np.array(sorted(cards)), names)) == cards
            for cards in (deck, board)
            if cards
        )
        if all(kept) and all((weight[turned] == weight).all() for weight in game.ranges):
            found.append(names)
    return np.array(found)


def boards_of(game: PokerGame, symmetry: bool = True) -> list[Board]:
    """All boards street by street, the first one first; every board after the one before it.

    Without ``symmetry`` every board stands for itself alone.
    """
    if game.betting.players != 2:
        raise UnsupportedError(
            f"{game.name} has {game.betting.players} players, where a public tree has two"
        )
    same = renamings(game) if symmetry else np.arange(4)[None]
    found = [Board(tuple(game.board), 0, 0, 1.0, same)]
    begin = 0
    for street in range(1, game.betting.played):
        stop = len(found)
        for number in range(begin, stop):
            found.extend(_next_boards(game.rules, found[number], number, street))
            if len(found) > MOST_BOARDS:
                raise TreeTooLargeError(
                    f"{game.name} has more than {MOST_BOARDS:,} boards; begin on a later street, "
                    "or sample it over buckets of hands with `counterfold blueprint`"
                )
        begin = stop
    return found


def _next_boards(rules: CardRules, board: Board, number: int, street: int) -> Iterator[Board]:
    left = sorted(set(rules.deck) - set(board.cards))
    deal = rules.deal[street]
    sets = np.array(list(combinations(left, deal)), np.int64).reshape(-1, deal)
    digits = 64 ** np.arange(deal)
    codes = np.stack([np.sort(renamed(sets, names), 1) @ digits for names in board.renamings])
    own = sets @ digits
    least = codes.min(0)
    ways = comb(len(rules.deck) - len(board.cards) - 2 * rules.hole, deal)
    times = dict(zip(*np.unique(least, return_counts=True), strict=True))
    alike: dict[bytes, Ints] = {}  # one array for all boards with the same ones
    for k in np.flatnonzero(least == own):
        cards = board.cards + tuple(int(card) for card in sets[k])
        which = codes[:, k] == own[k]
        fixed = alike.setdefault(which.tobytes(), board.renamings[which])
        yield Board(cards, street, number, float(times[own[k]]) / ways, fixed)
