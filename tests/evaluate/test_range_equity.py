"""Equities of ranges against published counts, and against every board one by one."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from phevaluator import evaluate_cards

from counterfold.errors import ParameterError
from counterfold.evaluate.range_equity import RangeEquity, range_equity
from counterfold.intervals import Z95
from counterfold.poker.cards import CARDS, RANKS, card_name, hole_cards, parse_board, parse_cards
from counterfold.poker.holdem import holdem_rules
from counterfold.poker.ranges import Range
from tests.equity_by_hand import equity

EVERY = 1_712_304  # boards that two hands leave


def counted(first: Range, second: Range, board: str, dead: str) -> tuple[float, float]:
    """Wins and ties of the first range, by another evaluator: pair by pair, board by board."""
    known, gone = parse_cards(board), parse_cards(dead)
    win = tie = total = 0.0
    ranks: dict[Any, int] = {}

    def rank(hole: tuple[int, int], cards: tuple[int, ...]) -> int:
        if (hole, cards) not in ranks:
            ranks[hole, cards] = evaluate_cards(*(card_name(c) for c in (*hole, *cards)))
        return ranks[hole, cards]

    for one in np.flatnonzero(first.weights).tolist():
        for two in np.flatnonzero(second.weights).tolist():
            mine, theirs = hole_cards(one), hole_cards(two)
            held = {*mine, *theirs}
            if len(held) < 4 or held & {*known, *gone}:
                continue
            left = [c for c in range(CARDS) if c not in held | {*known, *gone}]
            weight = float(first.weights[one] * second.weights[two])
            for more in combinations(left, 5 - len(known)):
                a, b = rank(mine, (*known, *more)), rank(theirs, (*known, *more))
                win += weight * (a < b)
                tie += weight * (a == b)
                total += weight
    return win / total, tie / total


def rest(ranks: str) -> str:
    """The cards of all other ranks, which leave a deck of these."""
    return " ".join(card_name(c) for c in range(CARDS) if RANKS[c // 4] not in ranks)


@pytest.mark.parametrize(
    ("first", "second", "win", "tie"),
    [
        # https://brainwagon.org/2005/04/09/texas-holdem-trivia, by GNU poker-eval
        ("AdAc", "KhKs", 1_388_072, 6_538),
        ("AdAc", "Td9d", 1_338_249, 6_912),
        ("AdAc", "QcJh", 1_450_987, 6_554),
        # https://preflop26.rssing.com/chan-21442239/article8.html
        ("KhKs", "Kd2h", 1_612_287, 26_192),
    ],
)
def test_hands_of_published_counts(first: str, second: str, win: int, tie: int) -> None:
    found = range_equity(first, second)
    assert (found.win * EVERY, found.tie * EVERY) == pytest.approx((win, tie), abs=1e-4)
    assert found.exact
    assert found.error == 0
    assert found.equity == pytest.approx((win + tie / 2) / EVERY, abs=1e-12)
    other = range_equity(second, first)
    assert other.win == pytest.approx(found.lose, abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "equity"),
    [("AA", "KK", 0.81946), ("AKs", "QQ", 0.46049)],
)
def test_classes_of_known_equity(first: str, second: str, equity: float) -> None:
    found = range_equity(first, second)
    assert found.equity == pytest.approx(equity, abs=1e-5)
    assert found.boards == 134_459  # that differ by more than suits


@pytest.mark.parametrize(
    ("first", "second", "board", "dead"),
    [
        ("AA,KQs:0.5", "QQ,AKs,JJ:0.25", "", rest("TJQKA") + "Th Ts"),
        ("AhKh,TT:0.3", "QQ", "", rest("TJQKA") + "Jc"),
        ("AhKh,TdTc", "QsQh,AsJd:0.5", "", rest("TJQKA") + "Jc"),
        ("AhKh,KcQd", "QsQh,JhTh:0.5", "2h 3h 9s", rest("TJQKA239")),
        ("AA,KhQh,JTs:0.7", "QQ,AK", "Ks Jh 2h", rest("TJQKA2")),
        ("AsKh", "QJs,22+", "Qs Jh 2c 2d", ""),
        ("random", "A5s-A2s:0.5,KK", "Ah Kh 4h 4c 2d", rest("2345KA")),
    ],
)
def test_equity_is_counted_right(first: str, second: str, board: str, dead: str) -> None:
    dead = " ".join(c for c in map(card_name, parse_cards(dead)) if c not in board.split())
    found = range_equity(first, second, board, dead)
    gone = parse_cards(board + dead)
    win, tie = counted(
        Range.parse(first).without(gone), Range.parse(second).without(gone), board, dead
    )
    assert (found.win, found.tie) == pytest.approx((win, tie), abs=1e-12)
    assert found.lose == pytest.approx(1 - win - tie, abs=1e-12)
    assert found.exact


def test_a_range_is_spread_over_the_suits_that_the_other_does_not_tell_apart() -> None:
    """One hand against a range without suits is as good as its class, at a fraction of the work."""
    dead = rest("89TJQKA")
    one = range_equity("AsKh", "QQ+,JTs", dead=dead)
    assert one.equity == pytest.approx(range_equity("AKo", "QQ+,JTs", dead=dead).equity, abs=1e-12)
    assert one.boards < range_equity("AsKh", "QQ+,JTs,JhTh:0.5", dead=dead).boards / 3


def test_the_other_exact_way_agrees() -> None:
    board = parse_board("Qs Jh 2h")
    one, two = Range.parse("QQ+,AK,KhTh:0.5"), Range.parse("AQ,JJ,T9s,8h7h")
    other = equity(holdem_rules((0, 1, 1)), board, one.weights, two.weights, (1, 1))
    found = range_equity(one, two, board)
    assert found.equity == pytest.approx(other.mean, abs=1e-6)


def test_boards_drawn_at_random_are_within_their_error() -> None:
    exact = range_equity("AKs,99", "QQ,AJo")
    off = []
    for seed in range(20):
        found = range_equity("AKs,99", "QQ,AJo", samples=2000, seed=seed)
        assert not found.exact
        assert found.boards == 2000
        assert found.half == pytest.approx(Z95 * found.error)
        off.append((found.equity - exact.equity) / found.error)
    assert 0.6 < np.sqrt(np.mean(np.square(off))) < 1.4  # the error is neither too bold nor shy
    assert abs(np.mean(off)) < 0.7
    again = range_equity("AKs,99", "QQ,AJo", samples=2000, seed=19)
    assert again == found
    assert again != range_equity("AKs,99", "QQ,AJo", samples=2000, seed=3)
    flop = range_equity("AKs,99", "QQ,AJo", "9s 8s 2h", samples=300)
    assert abs(flop.equity - range_equity("AKs,99", "QQ,AJo", "9s 8s 2h").equity) < 4 * flop.error
    assert range_equity("AA", "KK", "9s 8s 2h", samples=10**6).exact  # that is all of them


def test_what_takes_long_is_drawn() -> None:
    wide = "random,AhAd:0"
    found = range_equity(wide, "random,KsQs:0.5")
    assert not found.exact
    assert 0 < found.error < 0.001
    assert found.equity == pytest.approx(0.5, abs=0.003)


@pytest.mark.pure
def test_the_kernels_as_plain_python() -> None:
    dead = rest("TJQKA") + "Jc Tc"
    assert range_equity("AhKh", "QdQs", dead=dead).equity == pytest.approx(0.5442057942)
    assert 0 < range_equity("TT,AK", "QQ,AJ,KJ", dead=dead, samples=30).error < 0.2
    assert range_equity("AhAd", "KsKd", "Ac Kc 2d").equity == pytest.approx(1 - 43 / 990)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("AA,AKx", "KK"), "the first range: 'AKx' at character 4"),
        (("AA", ""), "the second range: the range is empty"),
        (("AA", "KK:0"), "the second range has no hand"),
        (("AsAh", "AsAd"), "no two hands .* the same cards"),
        (("AA", "KK", "Ks Kh Kd"), "the second range, KK, has no hand that the board Ks Kh Kd"),
        (("AA", "KK", "", "Kc Kh Kd"), "the dead cards Kc Kh Kd leave"),
        (("AA", "KK", "Ks 2h"), "has 2 cards"),
        (("AA", "KK", "Ks"), "has 1 card;"),
        (("AA", "KK", "2c3c4c5c6c7c"), "has 6 cards"),
        (("AA", "KK", "Ks Ks 2d"), "Ks comes twice"),
        (("AA", "KK", "Ks 3s 2d", "3s"), "3s is on the board and dead"),
        (("AA", "KK", "", rest("KA")), "leave too few"),
        (([1.0], "KK"), "the first range: a range has 1,326 weights"),
    ],
)
def test_what_has_no_equity(given: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        range_equity(*given)


def test_samples_and_seeds_that_make_no_sense() -> None:
    for wrong in (0, 1, True, 2.5, "many"):
        with pytest.raises(ParameterError, match="samples"):
            range_equity("AA", "KK", samples=wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="seed"):
        range_equity("AA", "KK", seed=-1)
    with pytest.raises(ParameterError, match="draw more"):
        range_equity("AsAh", "KsKh", dead=rest("AK98765"), board="", samples=2, seed=8)
    assert isinstance(range_equity("AA", "KK", (0, 5, 10)), RangeEquity)


def test_progress_is_told() -> None:
    seen: list[tuple[int, int]] = []
    range_equity("AA", "KK", on_boards=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1][0] >= seen[-1][1] == 134_459
