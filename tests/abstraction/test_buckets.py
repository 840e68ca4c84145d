"""Buckets of hands: numbers of boards, equities, clusters and tables, against slow oracles."""

from __future__ import annotations

import math
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterfold.abstraction import buckets as tables
from counterfold.abstraction import clusters
from counterfold.abstraction.bucket_maker import Recipe, buckets_for
from counterfold.abstraction.buckets import (
    Buckets,
    board_sizes,
    every_hand,
    load_buckets,
    save_buckets,
    set_number,
    standard_words,
    starting_hands,
)
from counterfold.abstraction.features import Places, Spread, Strength
from counterfold.errors import FileError, ParameterError, UnsupportedError
from counterfold.poker import holdem
from counterfold.poker.cards import HIGH, HOLES, LOW, hole_cards, parse_board, parse_hole
from counterfold.poker.isomorphism import canonical
from counterfold.poker.showdown import strengths

FLOPS = 50


@pytest.fixture(scope="module")
def flops() -> Buckets:
    """Buckets on the flop of a game that ends there."""
    return buckets_for(holdem.fhp(), FLOPS, seed=3)[1]


def situations(count: int, size: int, seed: int) -> list[tuple[int, tuple[int, ...]]]:
    """Random holes and boards."""
    rng = np.random.default_rng(seed)
    drawn = [rng.permutation(52)[: size + 2].tolist() for _ in range(count)]
    return [(max(c[:2]) * (max(c[:2]) - 1) // 2 + min(c[:2]), tuple(c[2:])) for c in drawn]


def naive_equity(hole: int, board: tuple[int, ...], group: Any = None, wanted: int = 0) -> float:
    """Against every hand of a group that can be held, one by one."""
    values, own = strengths(board), set(hole_cards(hole)) | set(board)
    won = met = 0.0
    for other in range(HOLES):
        if (group is None or group[other] == wanted) and not own & set(hole_cards(other)):
            met += 1
            won += 1 if values[other] < values[hole] else 0.5 * (values[other] == values[hole])
    return won / met if met else naive_equity(hole, board)


def test_sets_are_numbered_without_gaps() -> None:
    for size in (0, 1, 2, 3):
        numbers = {set_number(cards) for cards in combinations(range(12), size)}
        assert numbers == set(range(math.comb(12, size)))


@pytest.mark.parametrize("size", [3, 4, 5])
def test_every_board_knows_the_standard_one_and_the_way_there(size: int) -> None:
    boards, _, words = standard_words(size)
    names = list(permutations(range(4)))
    for _, board in situations(200, size, seed=size):
        word = int(words[set_number(board)])
        standard = tuple(boards[word // 24].tolist())
        assert standard == canonical(board)[0]
        suits = names[word % 24]
        assert {c - c % 4 + suits[c % 4] for c in board} == set(standard)
    renamed, _ = tables.renamings()
    assert renamed[names.index((1, 0, 2, 3)), parse_hole("AcKd")] == parse_hole("AdKc")


def test_starting_hands_are_169_whatever_their_suits() -> None:
    row = starting_hands().on(())
    assert row[parse_hole("AsKs")] == row[parse_hole("AdKd")]
    assert row[parse_hole("AsKs")] != row[parse_hole("AsKd")]
    assert set(row.tolist()) == set(range(169))


@pytest.mark.parametrize("size", [3, 5])
def test_equities_against_groups_are_those_of_all_pairs(size: int) -> None:
    group = (np.arange(HOLES) % 3).astype(np.uint8)
    group[:3] = 3  # a group of deuces only, which some holes leave nothing of
    for hole, board in [*situations(4, size, seed=1), (3, tuple(range(10, 10 + size)))]:
        found = Strength(group)(np.array([board], np.uint8))[0]
        wanted = [naive_equity(hole, board, group, g) for g in range(4)]
        assert found[hole] == pytest.approx(wanted, abs=1e-6)
        blocked = np.isin(LOW, board) | np.isin(HIGH, board)
        assert ((found < 0).all(axis=1) == blocked).all()


def test_hands_are_spread_over_what_they_can_become() -> None:
    """On two axes, beside a count of the river cards one by one."""
    hole, turn = situations(1, 4, seed=8)[0]
    boards, _, words = standard_words(5)
    rng = np.random.default_rng(1)
    table = rng.integers(0, 6, (len(boards), HOLES)).astype(np.uint16)
    places = Places(np.array([[k, 6 + k % 2] for k in range(6)], np.uint16), np.array([0, 6, 8]))
    found = Spread(5, table, places)(np.array([turn], np.uint8))[0]
    river = Buckets(5, 6, table, words, tables.renamings()[0])
    left = [c for c in range(52) if c not in turn and c not in hole_cards(hole)]
    counts = np.bincount([river.bucket_of(hole, (*turn, c)) for c in left], minlength=6) / len(left)
    assert found[hole] == pytest.approx(places.summed(counts), abs=1e-6)
    assert places.summed(counts) == pytest.approx(
        [*np.cumsum(counts), counts[::2].sum(), 1.0], abs=1e-9
    )
    assert ((found[:, 0] < 0) == (np.isin(LOW, turn) | np.isin(HIGH, turn))).all()


def test_equity_is_spread_over_two_cards_to_come() -> None:
    boards = standard_words(5)[0]
    levels = np.zeros((len(boards), HOLES), np.uint8)
    levels[:, parse_hole("AsAh")] = 1  # whatever the board; suits are renamed with it
    levels[:, [hole for hole in range(HOLES) if LOW[hole] // 4 == HIGH[hole] // 4 == 12]] = 1
    found = Spread(5, levels, Places.in_line(2))(np.array([parse_board("Kd8c3s")], np.uint8))[0]
    assert found[parse_hole("AdAc")].tolist() == [0, 1]
    assert found[parse_hole("AdQc")].tolist() == [1, 1]


def exact_emd(one: Any, two: Any, ground: Any) -> float:
    """The earth mover's distance as a linear program over all ways to move the mass."""
    from scipy.optimize import linprog

    n = len(one)
    rows = np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))
    return float(linprog(ground.ravel(), A_eq=np.vstack(rows), b_eq=np.r_[one, two]).fun)


@pytest.mark.pure
def test_earth_is_moved_along_a_line_as_a_linear_program_says() -> None:
    """Exact up to the steps of the axis, where centers lie on a line."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        spots = np.sort(rng.random(7))
        centers = spots[:, None] * np.array([[0.6, 0.8]])
        places = Places.of(centers, bins=4096)
        one, two = rng.dirichlet(np.ones(7) / 2, size=2)
        exact = exact_emd(one, two, np.abs(spots[:, None] - spots))
        step = np.ptp(spots) / 4096
        moved = np.abs(places.summed(one) - places.summed(two)).sum() * step
        assert places.columns.shape[1] == 1
        assert moved == pytest.approx(exact, abs=2 * step)


@pytest.mark.pure
def test_on_several_axes_it_is_a_bound_from_below_and_near() -> None:
    """Centers as they are in play: long in one direction, short in the others."""
    rng, ratios = np.random.default_rng(3), []
    for _ in range(30):
        strength = np.sort(rng.random(12))
        centers = strength[:, None] + rng.normal(0, 0.08, (12, 8))
        places = Places.of(centers, bins=4096, axes=8)
        spots = places.columns.astype(float) - places.first[:-1]
        ground = np.abs(spots[:, None] - spots).sum(axis=2)
        one, two = rng.dirichlet(np.ones(12) / 3, size=2)
        exact = exact_emd(one, two, ground)
        moved = float(np.abs(places.summed(one) - places.summed(two)).sum())
        assert moved <= exact * (1 + 1e-9)
        ratios.append(moved / exact)
    assert np.mean(ratios) > 0.75  # 0.82


@pytest.mark.pure
@pytest.mark.parametrize("squared", [True, False])
def test_the_nearest_center_is_the_nearest_of_all(squared: bool) -> None:
    from counterfold.kernels import poker_buckets

    rng = np.random.default_rng(4)
    points = rng.random((60, 6)).astype(np.float32)
    centers, heights = clusters.in_order(rng.random((15, 6)).astype(np.float32))
    out = np.zeros(60, np.uint16)
    poker_buckets.assign(points, centers, heights, squared, out)
    gaps = np.abs(points[:, None].astype(float) - centers[None])
    far = (gaps**2).sum(2) if squared else gaps.sum(2)
    assert (out == far.argmin(1)).all()


def test_clusters_are_much_tighter_than_centers_drawn_at_random() -> None:
    from counterfold.kernels import poker_buckets

    rng = np.random.default_rng(5)
    middle = rng.random((20, 4))
    points = (middle[rng.integers(0, 20, 4000)] + rng.normal(0, 0.01, (4000, 4))).astype(np.float32)
    fitted = clusters.fit(points, 20, seed=6, squared=True)
    drawn, heights = clusters.in_order(points[:20].copy())
    room = np.zeros((20, 4)), np.zeros(20, np.int64)
    before = poker_buckets.move_centers(points, drawn, heights, *room, True)
    after = poker_buckets.move_centers(points, *clusters.in_order(fitted), *room, True)
    spread = 4 * 0.01**2  # what was put in; a center may have got two of the twenty
    assert 0.9 * spread < after < 15 * spread
    assert before > 5 * after


def test_renamed_suits_have_the_same_bucket(flops: Buckets) -> None:
    rng = np.random.default_rng(7)
    for hole, board in situations(300, 3, seed=9):
        suits = rng.permutation(4)
        cards = [c - c % 4 + int(suits[c % 4]) for c in (*hole_cards(hole), *board)]
        high, low = max(cards[:2]), min(cards[:2])
        other = flops.bucket_of(high * (high - 1) // 2 + low, cards[2:])
        assert flops.bucket_of(hole, board) == other


def test_strong_hands_are_in_high_buckets(flops: Buckets) -> None:
    def bucket(hole: str, board: str) -> int:
        return flops.bucket_of(parse_hole(hole), parse_board(board))

    assert flops.count == FLOPS
    assert bucket("AsAh", "Ad7c2s") == bucket("7s7h", "7d5c2s") == FLOPS - 1
    assert bucket("3s2h", "AdKcQs") < 3
    ladder = [bucket(h, "Kd8c3s") for h in ("5h4h", "AhJh", "8h7h", "KhQh", "KhKs")]
    assert ladder == sorted(ladder)
    equity = [(naive_equity(h, b), flops.bucket_of(h, b)) for h, b in situations(60, 3, seed=2)]
    assert (
        np.corrcoef(np.array(equity).T)[0, 1] > 0.94
    )  # 0.96; equal steps of equity have different numbers of buckets


def test_all_buckets_are_used_and_a_seed_says_which(flops: Buckets) -> None:
    boards, weights, _ = standard_words(3)
    blocked = np.stack([np.isin(LOW, b) | np.isin(HIGH, b) for b in boards])
    assert (flops.table[blocked] == 0).all()
    used = np.bincount(flops.table[~blocked], minlength=FLOPS)
    assert len(used) == FLOPS
    assert (used > 0).all()
    assert int((~blocked).sum(1) @ weights) == 25_989_600
    other = buckets_for(holdem.fhp(), FLOPS, seed=4, threads=1)[1]
    assert other.fingerprint != flops.fingerprint


def test_every_hand_has_a_bucket_of_its_own() -> None:
    game = holdem.leduc()
    first, second = every_hand(game)
    assert (board_sizes(game), first.count, second.count) == ((0, 1), 6, 30)
    found = [second.on((b,))[h] for b in game.rules.deck for h in game.rules.deck if h != b]
    assert sorted(found) == list(range(30))
    small = holdem.fhp(deck="QKA")
    assert [one.count for one in every_hand(small)] == [66, math.comb(12, 3) * math.comb(9, 2)]
    with pytest.raises(UnsupportedError, match="more than 65,536 hands"):
        every_hand(holdem.fhp())
    with pytest.raises(ParameterError, match="not in the deck"):
        second.on((0,))


def test_files_bring_back_the_tables_and_refuse_damage(flops: Buckets, tmp_path: Path) -> None:
    path = tmp_path / "buckets"
    for given in [(starting_hands(), flops), every_hand(holdem.leduc())]:
        save_buckets(path, given)
        found = load_buckets(path)
        assert [one.fingerprint for one in found] == [one.fingerprint for one in given]
        board = (46,) if given[1].cards == 1 else (3, 30, 44)
        assert (found[1].on(board) == given[1].on(board)).all()
    whole = bytearray(path.read_bytes())
    whole[-100] ^= 1
    path.write_bytes(whole)
    with pytest.raises(FileError, match="damaged"):
        load_buckets(path)
    with pytest.raises(FileError, match="there is no file"):
        load_buckets(tmp_path / "none")


def test_what_cannot_be_is_refused(flops: Buckets) -> None:
    with pytest.raises(ParameterError, match="boards of 3 cards"):
        flops.on((1, 2))
    with pytest.raises(ParameterError, match="comes twice"):
        flops.on((1, 1, 2))
    with pytest.raises(ParameterError, match="0, 3, 4 or 5"):
        Recipe.of((0, 2))
    with pytest.raises(ParameterError, match="one number of buckets, or 1"):
        Recipe.of((0, 3), (1, 2))
    with pytest.raises(ParameterError, match="buckets must be"):
        Recipe.of((0, 3), 0)
    with pytest.raises(UnsupportedError, match="from 52"):
        buckets_for(holdem.leduc())
