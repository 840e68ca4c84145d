"""Buckets of hands: which hands on which boards are played as one, as tables that can be kept.

A bucket forgets what a hand was on earlier streets, and in which order the board came (imperfect
recall).
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Array
from counterfold.errors import (
    FileError,
    MismatchError,
    ParameterError,
    UnsupportedError,
    short,
)
from counterfold.files.arrays import Saved, header_of, read_arrays, write_arrays
from counterfold.files.text import Fields
from counterfold.poker.cards import CARDS, HIGH, HOLES, LOW, check_distinct
from counterfold.poker.game import DECISION, PokerGame
from counterfold.poker.isomorphism import hole_classes, standard_boards

MOST = 1 << 16  # buckets in a table
BUILD = "build of buckets"  # the kind of a file whose buckets are not done
NOWHERE = 0xFFFFFFFF  # the word of a board that is not of the deck

Words = NDArray[np.uint32]
Table = NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class Buckets:
    """The bucket of every hand on every board of one size.

    The number of a board (as a set) gives a word: which row of the table, times 24, and which
    renaming of suits; ``renamed`` has the column of each hand under it.
    """

    cards: int  # on the board
    count: int
    table: Table = field(repr=False)  # [rows, hands]; 0 where a hand meets the board
    words: Words = field(repr=False)  # [boards]
    renamed: NDArray[np.uint16] = field(repr=False)  # [renamings, hands]
    kind: str = "standard"  # or "all": a row for each board, and no renaming
    about: dict[str, object] = field(default_factory=dict)

    def on(self, board: Iterable[int]) -> Table:
        """The bucket of each hand on a board; 0 for those that meet it.

        >>> len(set(starting_hands().on(()).tolist()))
        169
        """
        found = check_distinct(board)
        if len(found) != self.cards:
            raise ParameterError(
                f"these are buckets on boards of {self.cards} cards, and the board has {len(found)}"
            )
        word = int(self.words[set_number(found)])
        if word == NOWHERE:
            raise ParameterError("the board has a card that is not in the deck of these buckets")
        row: Table = self.table[word // 24][self.renamed[word % 24]]
        return row

    def bucket_of(self, hole: int, board: Iterable[int]) -> int:
        """The bucket of a hand on a board that it does not meet."""
        return int(self.on(board)[hole])

    @cached_property
    def fingerprint(self) -> str:
        """Tells tables apart."""
        digest = hashlib.sha256(f"{self.kind} {self.cards} {self.count}".encode())
        digest.update(np.ascontiguousarray(self.table).data)
        if self.kind == "all":  # the others' words follow from their size
            digest.update(np.ascontiguousarray(self.words).data)
        return digest.hexdigest()[:16]


def set_number(cards: Iterable[int]) -> int:
    """The number of a set of cards among all sets of its size.

    >>> set_number((2, 0, 1)), set_number((51, 50, 49)), math.comb(52, 3)
    (0, 22099, 22100)
    """
    return sum(math.comb(card, k + 1) for k, card in enumerate(sorted(cards)))


@lru_cache(1)
def choose() -> Words:
    """choose(n, k), for n up to 52 and k up to 5."""
    return np.array([[math.comb(n, k) for k in range(6)] for n in range(CARDS + 1)], np.uint32)


@lru_cache(1)
def renamings() -> tuple[NDArray[np.uint16], NDArray[np.uint32]]:
    """[24, holes] what each hole turns into; [256] the renaming of names packed two bits each."""
    renamed, codes = np.empty((24, HOLES), np.uint16), np.zeros(256, np.uint32)
    for n, names in enumerate(itertools.permutations(range(4))):
        suits = np.array(names)
        one, two = (cards.astype(np.int64) // 4 * 4 + suits[cards % 4] for cards in (LOW, HIGH))
        low, high = np.minimum(one, two), np.maximum(one, two)
        renamed[n] = high * (high - 1) // 2 + low
        codes[sum(name << 2 * suit for suit, name in enumerate(names))] = n
    return renamed, codes


@lru_cache(4)
def standard_words(size: int) -> tuple[NDArray[np.uint8], Words, Words]:
    """Standard boards, how many boards each stands for, and the words of all boards."""
    from counterfold.kernels import poker_buckets as kernels

    if size == 0:
        return np.empty((1, 0), np.uint8), np.ones(1, np.uint32), np.zeros(1, np.uint32)
    boards, weights = standard_boards(size)
    words, numbers = np.zeros(math.comb(CARDS, size), np.uint32), np.empty(len(boards), np.uint32)
    kernels.set_numbers(boards, choose(), numbers)
    words[numbers] = np.arange(len(boards), dtype=np.uint32) * 24
    kernels.index_boards(size, renamings()[1], choose(), words, np.zeros((3, 8), np.int64))
    return boards, weights, words


def starting_hands() -> Buckets:
    """The 169 classes of starting hands, which lose nothing.

    >>> starting_hands().count
    169
    """
    found = hole_classes()
    table = found.of.astype(np.uint16)[None]
    return Buckets(0, len(found.hole), table, standard_words(0)[2], renamings()[0])


def board_sizes(game: PokerGame) -> tuple[int, ...]:
    """How many cards are on the board on each street of a game; of the first one alone if nobody
    decides on the others."""
    betting = game.betting
    streets = betting.streets if betting.street[betting.kind == DECISION].any() else 1
    deal = game.rules.deal[:streets]
    return tuple(len(game.board) + n for n in itertools.accumulate(deal))


def every_hand(game: PokerGame) -> tuple[Buckets, ...]:
    """A bucket for each hand on each board, street by street, for small decks.

    Nothing is lost but the order in which the cards of a board came.
    """
    hands = game.rules.cards
    deck = sorted(set(game.rules.deck) - set(game.board))
    if game.rules.hole == 1:
        renamed = np.arange(CARDS, dtype=np.uint16)[None]
    else:
        renamed = np.arange(HOLES, dtype=np.uint16)[None]
    found = []
    for size in board_sizes(game):
        boards = [
            (*game.board, *more) for more in itertools.combinations(deck, size - len(game.board))
        ]
        live = np.isin(hands, (*game.rules.deck, CARDS)).all(axis=1)
        table, count = np.zeros((len(boards), len(hands)), np.uint16), 0
        words = np.full(math.comb(CARDS, size), NOWHERE, np.uint32)
        for row, board in enumerate(boards):
            here = np.flatnonzero(live & ~np.isin(hands, board).any(axis=1))
            if count + len(here) > MOST:
                raise UnsupportedError(
                    f"{game.name} has more than {MOST:,} hands on boards of {size} cards; "
                    "use buckets for it"
                )
            table[row, here] = np.arange(count, count + len(here))
            count += len(here)
            words[set_number(board)] = row * 24
        found.append(Buckets(size, count, table, words, renamed, "all"))
    return tuple(found)


def save_buckets(path: str | os.PathLike[str], buckets: Sequence[Buckets]) -> None:
    """Write the buckets of a game's streets as one file, whole or not at all."""
    prints = json.dumps([one.fingerprint for one in buckets])
    header = {"streets": streets_of(buckets), "fingerprints": prints}
    write_arrays(path, "buckets", header, bucket_arrays(buckets))


def load_buckets(path: str | os.PathLike[str]) -> tuple[Buckets, ...]:
    """Read buckets, checking all that can be checked."""
    if header_of(path).get("kind") == BUILD:
        raise FileError(f"{path} holds buckets that are not done yet: finish them first")
    saved = read_arrays(path, "buckets", "buckets of cards")
    found = buckets_in(saved)
    saved.finish()
    prints = [one.fingerprint for one in found]
    if "fingerprints" in saved.header and saved.json("fingerprints") != prints:
        raise saved.damaged("its tables are not those that its fingerprints tell of")
    return found


def _lists_boards(buckets: Buckets, game: PokerGame) -> bool:
    """Whether buckets of every hand know all boards of a game, and no others.

    A game that begins on a board may be what is left of one: others do not matter to it.
    """
    deck, more = set(game.rules.deck) - set(game.board), buckets.cards - len(game.board)
    known = int((buckets.words != NOWHERE).sum())
    if not game.board and math.comb(len(deck), more) != known:
        return False
    dealt = itertools.combinations(sorted(deck), more)
    return all(buckets.words[set_number((*game.board, *cards))] != NOWHERE for cards in dealt)


def streets_for(game: PokerGame, buckets: Sequence[Buckets]) -> tuple[Buckets, ...]:
    """Of some buckets those on the boards of a game; MismatchError if they are not for it."""
    sizes, given = board_sizes(game), {one.cards: one for one in buckets}
    if not set(sizes) <= set(given):
        raise MismatchError(
            f"{game.name} needs buckets on boards of {', '.join(map(str, sizes))} cards, "
            f"and these are on boards of {', '.join(map(str, given)) or 'none'}"
        )
    shown = len(game.board) + sum(game.rules.deal)
    for one in (given[size] for size in sizes):
        last = one.about.get("last", shown)
        if last != shown:
            raise MismatchError(
                f"these buckets compare hands on boards of {last} cards in the end, and "
                f"{game.name} ends on {shown}"
            )
        if one.kind == "standard" and sorted(game.rules.deck) != list(range(CARDS)):
            raise MismatchError(f"these buckets are of 52 cards, and {game.name} has another deck")
        if one.kind == "all" and not _lists_boards(one, game):
            raise MismatchError(f"these buckets are of another deck than {game.name} has")
    return tuple(given[size] for size in sizes)


def streets_of(buckets: Sequence[Buckets]) -> str:
    """What the header of a file tells of the buckets in it."""
    streets = [
        {"cards": one.cards, "count": one.count, "kind": one.kind, "about": one.about}
        for one in buckets
    ]
    return json.dumps({"streets": streets})


def bucket_arrays(buckets: Sequence[Buckets], game: PokerGame | None = None) -> dict[str, Array]:
    """Their tables for a file, in as few bytes as they need: on the boards of a game only."""
    arrays: dict[str, Array] = {}
    for n, one in enumerate(buckets):
        table = one.table.astype(np.uint8) if one.count <= 256 else one.table
        if game is not None and game.board and one.kind == "standard":
            more = itertools.combinations(game.rules.deck, one.cards - len(game.board))
            boards = [{*game.board, *cards} for cards in more]
            numbers = [set_number(board) for board in boards if len(board) == one.cards]
            arrays[f"rows.{n}"] = np.unique(one.words[numbers] // 24).astype(np.uint32)
            table = table[arrays[f"rows.{n}"]]
        arrays[f"table.{n}"] = table
        if one.kind == "all":
            arrays[f"words.{n}"] = one.words
    return arrays


def buckets_in(saved: Saved) -> tuple[Buckets, ...]:
    """The buckets of a file that tells of them in its header."""
    streets = saved.fields("streets").objects("streets")
    return tuple(_street(saved, n, told) for n, told in enumerate(streets))


def _street(saved: Saved, n: int, told: Fields) -> Buckets:
    cards, count = told.whole("cards", 0, 5), told.whole("count", 1, MOST)
    kind = told.text("kind")
    if kind == "standard":
        words, renamed = standard_words(cards)[2], renamings()[0]
        shape: tuple[int | None, int] = (len(standard_words(cards)[0]), HOLES)
    elif kind == "all":
        words = saved.array(f"words.{n}", np.uint32, (math.comb(CARDS, cards),))
        width = CARDS if saved.width(f"table.{n}") == CARDS else HOLES
        renamed, shape = np.arange(width, dtype=np.uint16)[None], (None, width)
    else:
        raise saved.damaged(f"its buckets are of the kind {short(kind)}")
    dtype = saved.dtype(f"table.{n}", (np.uint8, np.uint16))
    if f"rows.{n}" in saved and shape[0] is not None:
        rows = saved.array(f"rows.{n}", np.uint32, (None,), most=shape[0] - 1)
        table = np.zeros((shape[0], HOLES), np.uint16)
        table[rows] = saved.array(f"table.{n}", dtype, (len(rows), HOLES), most=count - 1)
    else:
        table = saved.array(f"table.{n}", dtype, shape, most=count - 1).astype(np.uint16)
    rows = words[words != NOWHERE]
    if kind == "all" and len(rows) and ((rows % 24).any() or rows.max() // 24 >= len(table)):
        raise saved.damaged(f"the boards of street {n} are in no row of its table")
    return Buckets(cards, count, table, words, renamed, kind, dict(told.object("about").value))
