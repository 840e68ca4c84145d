"""Few flops for all: whole weights, and means that come out right for what they were not told."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from counterfold.errors import ParameterError
from counterfold.kernels import hands
from counterfold.poker.cards import CARDS, HIGH, LOW, parse_board
from counterfold.poker.flops import TEXTURES, representative_flops, textures
from counterfold.poker.isomorphism import Boards, canonical, standard_boards
from counterfold.poker.ranges import Range
from counterfold.poker.showdown import CATEGORIES, strengths

Array = NDArray[np.float64]
FLOPS = standard_boards(3)
NUMBER = {tuple(flop): k for k, flop in enumerate(FLOPS.cards.tolist())}
TOLD = ("paired", "one suit", "two suits", "ace high", "nothing above ten")  # the choice sees these
MATCHES = (("AKs", "QQ"), ("76s", "AA"), ("AJo", "88"), ("T9s", "AJo"))


def rows(found: Boards) -> list[int]:
    return [NUMBER[tuple(flop)] for flop in found.cards.tolist()]


@pytest.mark.parametrize("n", [1, 2, 7, 25, 95, 184, 900, 1754])
def test_weights_are_whole_and_stand_for_all_flops(n: int) -> None:
    found = representative_flops(n)
    assert found.cards.shape == (n, 3)
    assert found.weights.dtype == np.uint32
    assert found.weights.sum() == 22_100
    assert found.weights.min() >= 1
    assert len(set(rows(found))) == n
    assert rows(found) == sorted(rows(found))
    for flop in found.cards[:5].tolist():
        assert canonical(flop) == (tuple(flop),)


def test_all_flops_stand_for_themselves() -> None:
    found = representative_flops(1755)
    assert np.array_equal(found.cards, FLOPS.cards)
    assert np.array_equal(found.weights, FLOPS.weights)
    nearly = representative_flops(1754)
    off = nearly.weights.astype(int) - FLOPS.weights[rows(nearly)].astype(int)
    assert np.abs(off).sum() <= 24


def test_fewer_flops_are_among_more() -> None:
    few, more = (set(rows(representative_flops(n))) for n in (25, 95))
    assert few < more


def test_no_flop_counts_for_very_much() -> None:
    """Weights that differ wildly would make a report hang on a few flops."""
    for n in (25, 95, 184):
        shares = representative_flops(n).weights / 22_100
        assert 1 / (shares**2).sum() > 0.85 * n


@pytest.mark.parametrize("n", [0, -3, 1756, 2.0, "95", True])
def test_impossible_numbers_of_flops(n: object) -> None:
    with pytest.raises(ParameterError, match=r"from 1 to 1,755"):
        representative_flops(n)  # type: ignore[arg-type]


def test_textures() -> None:
    wanted = {
        "As7h2d": "three suits",
        "As7h2s": "two suits",
        "As7s2s": "one suit",
        "AsAh2d": "pair, three suits",
        "As2s2d": "pair, two suits",
        "AsAhAd": "three of a kind",
    }
    boards = np.array([parse_board(flop) for flop in wanted], np.uint8)
    assert [TEXTURES[k] for k in textures(boards)] == list(wanted.values())
    count = np.bincount(textures(FLOPS.cards), FLOPS.weights, minlength=6)
    assert count.tolist() == [6_864, 10_296, 1_144, 1_872, 1_872, 52]


@lru_cache(1)
def quantities() -> tuple[list[str], Array, Array]:
    """What is asked of each flop, as sums and as how much they are sums over.

    All-in equities are exact, over the 1,176 ways to go on; how often a class of starting hands
    makes something on the flop; how often a flop looks like something.
    """
    what: list[str] = []
    tops: list[Array] = []
    bases: list[Array] = []

    def add(name: str, top: Array, base: Array | None = None) -> None:
        what.append(name)
        tops.append(top)
        bases.append(np.ones(len(top)) if base is None else base)

    equity = _equities()
    for match, (top, base) in zip(MATCHES, equity, strict=True):
        add(" against ".join(match), top, base)
    found = strengths(FLOPS.cards)
    for cell, least in (("AKo", 1), ("KTs", 1), ("55", 3), ("87s", 4), ("A8o", 2), ("QJs", 1)):
        holes = np.flatnonzero(Range.parse(cell).weights)
        can = found[:, holes] > 0
        made = (found[:, holes] >> 26 >= least) & can
        add(f"{cell} makes {CATEGORIES[least]}", made.sum(1).astype(float), can.sum(1) * 1.0)
    look, ranks = textures(FLOPS.cards), np.sort(FLOPS.cards // 4, axis=1).astype(int)
    add("paired", (look >= 3) * 1.0)
    add("one suit", (look == 2) * 1.0)
    add("two suits", np.isin(look, (1, 4)) * 1.0)
    add("ace high", (ranks[:, 2] == 12) * 1.0)
    add("nothing above ten", (ranks[:, 2] <= 8) * 1.0)
    add("within five ranks", ((np.ptp(ranks, axis=1) <= 4) & (look < 3)) * 1.0)
    add("two broadway cards", ((ranks >= 8).sum(1) == 2) * 1.0)
    return what, np.stack(tops, 1), np.stack(bases, 1)


def _equities() -> list[tuple[Array, Array]]:
    at: dict[str, NDArray[np.intp]] = {}  # where the holes of a cell stand among all that are asked
    found: list[int] = []
    for cell in sorted({cell for match in MATCHES for cell in match}):
        own = np.flatnonzero(Range.parse(cell).weights).tolist()
        at[cell] = np.arange(len(found), len(found) + len(own))
        found += own
    holes = np.array(found)
    low, high = LOW[holes].copy(), HIGH[holes].copy()
    both = np.stack([low, high], 1)
    apart = ~(both[:, None, :, None] == both[None, :, None, :]).any((2, 3))
    ways = np.array(list(combinations(range(CARDS - 3), 2)))
    boards = np.empty((len(ways), 5), np.uint8)
    values = np.empty((len(ways), len(holes)), np.uint32)
    sums = np.zeros((len(MATCHES), 2, len(FLOPS.cards)))
    for k, flop in enumerate(FLOPS.cards):
        boards[:, :3] = flop
        boards[:, 3:] = np.delete(np.arange(CARDS, dtype=np.uint8), flop)[ways]
        hands.strengths_on_boards(boards, low, high, hands.tables(), values)
        for m, (first, second) in enumerate(MATCHES):
            mine, theirs = values[:, at[first], None].astype(int), values[:, None, at[second]]
            met = (mine > 0) & (theirs > 0) & apart[np.ix_(at[first], at[second])]
            gap = mine - theirs.astype(int)
            sums[m, 0, k] = (((gap > 0) + 0.5 * (gap == 0)) * met).sum()
            sums[m, 1, k] = met.sum()
    return [(s[0], s[1]) for s in sums]


def means(chosen: NDArray[np.intp] | list[int], weights: NDArray[np.generic]) -> Array:
    _, top, base = quantities()
    counts = weights.astype(np.float64)
    found: Array = (counts @ top[chosen]) / (counts @ base[chosen])
    return found


def test_the_quantities_over_all_flops_are_known() -> None:
    """All-in equities before the flop, as counted over all boards of five; and simple odds."""
    what, _, _ = quantities()
    found = dict(zip(what, means(np.arange(1755), FLOPS.weights), strict=True))
    assert found["AKs against QQ"] == pytest.approx(0.46048525845878)
    assert found["76s against AA"] == pytest.approx(0.22474616072847)
    none, board = comb(48, 3) / comb(50, 3), 48 / comb(50, 3)  # no five; three of another rank
    assert found["55 makes three of a kind"] == pytest.approx(1 - none + board)
    assert found["paired"] == pytest.approx(3_796 / 22_100)
    assert found["ace high"] == pytest.approx(1 - 48 * 47 * 46 / (52 * 51 * 50))


def compared(n: int) -> dict[str, float]:
    """The error of each quantity, as a share of the usual one of as many flops at random."""
    truth = means(np.arange(1755), FLOPS.weights)
    rng = np.random.default_rng(n)
    chances = FLOPS.weights / FLOPS.weights.sum()
    drawn = [means(rng.choice(1755, n, p=chances), np.ones(n)) - truth for _ in range(300)]
    usual = np.sqrt(np.mean(np.square(drawn), axis=0))
    found = representative_flops(n)
    ours = np.abs(means(rows(found), found.weights) - truth)
    return dict(zip(quantities()[0], (ours / usual).tolist(), strict=True))


@pytest.mark.parametrize(("n", "share"), [(25, 0.65), (49, 0.45), (95, 0.32), (184, 0.2)])
def test_held_out_means_are_much_nearer_to_the_truth_than_those_of_flops_at_random(
    n: int, share: float
) -> None:
    held_out = [s for what, s in compared(n).items() if what not in TOLD]
    assert len(held_out) == 12
    assert np.sqrt(np.mean(np.square(held_out))) < share


@pytest.mark.parametrize("n", [25, 95])
def test_looks_of_flops_come_out_nearly_exact(n: int) -> None:
    shares = compared(n)
    assert max(shares[what] for what in TOLD) < 0.15
