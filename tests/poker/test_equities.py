"""Equities before the last card: published figures, another way to count, and their file."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from counterfold.evaluate.range_equity import range_equity
from counterfold.poker import equities
from counterfold.poker.cards import HIGH, HOLES, LOW, parse_board, parse_hole
from counterfold.poker.equities import BOARDS, apart, boards_left, preflop_wins, wins_after
from counterfold.poker.holdem import holdem_rules
from counterfold.poker.notation import STRONGEST
from counterfold.poker.ranges import CELL, Range, cell_name
from counterfold.poker.showdown import strength


def share(one: str, two: str) -> float:
    """What the first of two ranges wins before the flop."""
    wins, met = preflop_wins(), apart(np.stack([HIGH, LOW], 1))
    first, second = (Range.parse(text).weights for text in (one, two))
    boards = float(first @ met @ second) * BOARDS
    won, lost = float(first @ wins @ second), float(second @ wins @ first)
    return (won + (boards - won - lost) / 2) / boards


@pytest.mark.parametrize(
    ("one", "two", "equity"),
    [
        ("AA", "KK", 0.81946050),
        ("AA", "AKs", 0.87859486),
        ("QQ", "AKs", 0.53951474),
        ("QQ", "AKo", 0.56757664),
        ("AA", "random", 0.85203713),
        ("72o", "random", 0.34583647),
    ],
)
def test_published_equities(one: str, two: str, equity: float) -> None:
    assert share(one, two) == pytest.approx(equity, abs=5e-9)


@pytest.mark.parametrize(
    "pair", ["AdAc KhKs", "7c2d AsKs", "JhTh 9h8h", "AsKs AhKh", "5c5d 6c4d", "3s2s 3d2d"]
)
def test_single_matchups_are_counted_as_by_the_other_kernel(pair: str) -> None:
    one, two = pair.split()
    found, (i, j) = range_equity(one, two, samples="all"), (parse_hole(one), parse_hole(two))
    wins = preflop_wins()
    assert wins[i, j] == pytest.approx(found.win * BOARDS, abs=1e-3)
    assert BOARDS - int(wins[i, j]) - int(wins[j, i]) == pytest.approx(found.tie * BOARDS, abs=1e-3)


def test_hands_that_share_a_card_are_never_compared_and_suits_are_alike() -> None:
    wins, met = preflop_wins(), apart(np.stack([HIGH, LOW], 1))
    assert not wins[~met].any()
    assert (wins + wins.T)[met].max() <= BOARDS
    assert (wins + wins.T)[met].min() > 0
    turned = equities._renamings()[17]
    assert (wins[np.ix_(turned, turned)] == wins).all()


def test_the_order_of_starting_hands_is_that_of_exact_equity_against_any_hand() -> None:
    wins, met = preflop_wins().astype(np.int64), apart(np.stack([HIGH, LOW], 1))
    twice = np.where(met, BOARDS + wins - wins.T, 0).sum(1)  # as often as all their boards
    classes = np.zeros(169, np.int64)
    classes[CELL] = twice
    assert (classes[CELL] == twice).all()
    order = [cell_name(*divmod(cell, 13)) for cell in np.argsort(-classes).tolist()]
    assert order == STRONGEST.split()


def test_a_small_deck_is_counted_by_hand() -> None:
    rules, board = holdem_rules((0, 3), deck="Ac Ad Kc Kd Qc Qh Js Ts 9s"), parse_board("Ac Qh Js")
    wins = wins_after(rules, board, 2)
    one, two = parse_hole("AdTs"), parse_hole("KdQc")
    left = [
        card
        for card in rules.deck
        if card not in (*board, LOW[one], HIGH[one], LOW[two], HIGH[two])
    ]
    won = [0, 0]
    for cards in combinations(left, 2):
        first, second = (
            strength((int(LOW[hole]), int(HIGH[hole]), *board, *cards)) for hole in (one, two)
        )
        won[0] += first > second
        won[1] += second > first
    assert [wins[one, two], wins[two, one]] == won
    assert boards_left(rules, board, 2) == len(list(combinations(left, 2)))
    assert wins.sum(1)[parse_hole("8s7s")] == 0  # not of the deck


def test_a_file_is_read_and_a_damaged_one_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = np.random.default_rng(1).integers(0, 24 * 1000, (HOLES, HOLES)) * 24
    calls = []

    def counted(on_boards: object) -> np.ndarray:
        calls.append(1)
        return counts

    file = tmp_path / "equities" / "preflop.safetensors"
    monkeypatch.setattr(equities, "_file", lambda: file)
    monkeypatch.setattr(equities, "_counted", counted)
    first = equities._kept(None)
    assert (equities._kept(None) == first).all()
    assert len(calls) == 1
    content = bytearray(file.read_bytes())
    content[-5] ^= 1
    file.write_bytes(content)
    assert (equities._kept(None) == first).all()
    assert len(calls) == 2
    assert (equities._kept(None) == first).all()
    assert len(calls) == 2
    monkeypatch.setattr(equities, "_file", lambda: tmp_path / "no" / "folder" / "file")
    assert (equities._kept(None) == first).all()  # as good without being kept


def test_counting_can_be_stopped_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "equities" / "preflop.safetensors"
    monkeypatch.setattr(equities, "_file", lambda: file)

    def stop(done: int, total: int) -> None:
        assert 0 < done < total
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        equities._kept(stop)
    assert not file.exists()
