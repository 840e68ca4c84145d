"""Games with hardly anything to decide: values against equity, brute force and plain arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.evaluate.exact import Assessment, assess, earned_against
from counterfold.evaluate.public_view import Browser
from counterfold.evaluate.range_equity import range_equity
from counterfold.poker.cards import board_name
from counterfold.poker.game import PokerGame
from counterfold.poker.spot import spot
from counterfold.solvers.result import solve
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import compile_game
from counterfold.tree.public import PublicTree
from tests.equity_by_hand import equity
from tests.naive_poker import NaivePoker
from tests.written import Unfolding

BOARDS = {"river": "Ks 9h 6s 4d 2c", "turn": "Ks 9h 6s 4d", "flop": "Ks 9h 6s"}
SHORT = "9 T J Q K A"  # ranks; a short deck keeps brute force short
RANGES = ("AA,JJ,KK:0.3", "QQ,AKs,AsTs:0.5")


def make(board: str, **more: Any) -> PokerGame:
    given = {"board": board, "pot": 100, "stack": 0, "oop": RANGES[0], "ip": RANGES[1],
             "bets": ["75%"], "raises": ["allin"], **more}  # fmt: skip
    return spot(given)


def by_brute_force(game: PokerGame) -> Assessment:
    return cf.assess(cf.Strategy.uniform(compile_game(NaivePoker(game))))


@pytest.mark.parametrize(
    ("street", "more"),
    [
        ("river", {}),
        ("turn", {}),
        ("flop", {}),
        ("turn", {"last_street": "turn"}),
        ("river", {"stack": [0, 50]}),  # one has nothing left
        ("river", {"stack": 70, "bets": []}),  # one action everywhere
        ("turn", {"stack": 70, "bets": []}),
        ("river", {"oop": "AhAd", "ip": "QsQh"}),  # one hand each
        ("turn", {"oop": "AhAd", "ip": "QsQh"}),
        ("flop", {"oop": "AhAd", "ip": "Ts8s"}),
        ("river", {"oop": "QdQc", "ip": "QsQh"}),  # which ties
        ("river", {"symmetry": False}),
        ("turn", {"symmetry": False}),
    ],
)
def test_spots_without_a_choice_are_worth_their_equity(street: str, more: dict[str, Any]) -> None:
    game = make(BOARDS[street], **more)
    result = solve(game, threads=1)
    asked = (more.get("oop", RANGES[0]), more.get("ip", RANGES[1]))
    # A hand that ends on the turn is won by four cards of the board: no range equity knows it.
    deal = (1,) * (len(game.rules.deal) - 1)
    one, two = game.ranges
    share = equity(game.rules, game.board, one, two, deal).mean
    assert result.poker.evs == pytest.approx((100 * share, 100 - 100 * share), abs=1e-9)
    assert result.exploitability == 0
    if "last_street" not in more:
        known = range_equity(*asked, board=board_name(game.board))
        assert known.exact
        assert share == pytest.approx(known.equity, abs=1e-9)
    uniform = Strategy.uniform(PublicTree(game))
    assert assess(uniform).values == pytest.approx(result.values, abs=1e-9)
    assert earned_against(uniform, 1, uniform) == pytest.approx(result.values[1], abs=1e-9)
    seen = Browser(result.strategy).summary()
    assert seen["ev"]["oop"] == pytest.approx(100 * share, abs=1e-9)
    assert seen["equity"]["oop"] == pytest.approx(share, abs=1e-9)


def test_the_spot_that_was_told_to_be_even() -> None:
    """Two thirds for the first, by counting: aces and kings win, jacks lose."""
    found = solve(make(BOARDS["river"], oop="AA,JJ,KK", ip="QQ", symmetry=True))
    # 6 aces and 3 kings beat 6 queens each, 6 jacks lose: (6 + 3) / 15.
    assert found.poker.evs == pytest.approx((60.0, 40.0), abs=1e-9)


@pytest.mark.parametrize(
    ("board", "more"),
    [
        ("Ks Qh Jd Tc 9s", {}),
        ("Ks Qh Jd Tc", {}),
        ("Ks Qh Jd", {"stack": 0}),
        ("Ks Qh Jd Tc", {"rake": {"rate": 0.05, "cap": 3}}),
        ("Ks Qh Jd Tc", {"stack": 40, "bets": [], "raises": []}),
        ("Ks Qh Jd Tc", {"stack": [0, 40]}),
        ("Ks Qh Jd Tc 9s", {"stack": 40, "bets": ["allin"], "raises": []}),
    ],
)
def test_against_brute_force(board: str, more: dict[str, Any]) -> None:
    deck = "".join(rank + suit for rank in SHORT.split() for suit in "cdhs")
    game = make(board, deck=deck, oop="AA,JJ:0.3", ip="QQ,AKs:0.5", **more)
    wanted = by_brute_force(game)
    for symmetry in (True, False):
        tree = PublicTree(game, symmetry=symmetry)
        found = assess(Strategy.uniform(tree))
        np.testing.assert_allclose(found.values, wanted.values, atol=1e-10)
        np.testing.assert_allclose(found.best, wanted.best, atol=1e-10)


def test_all_in_by_the_blinds() -> None:
    """The small blind may fold or call for the rest, and the board comes without a bet."""
    game = spot({"board": "", "blinds": [1, 2], "stack": 2, "oop": "AhAd", "ip": "QsQh",
                 "last_street": "flop", "bets": ["75%"], "raises": ["allin"],
                 "deck": SHORT.replace(" ", "")})  # fmt: skip
    share = equity(game.rules, (), *game.ranges, deal=(3,)).mean
    even = 0.5 * 1 + 0.5 * (4 * share - 2)
    found = assess(Strategy.uniform(PublicTree(game)))
    assert found.values == pytest.approx((even, -even))
    assert found.best == pytest.approx((even, max(-1.0, 2 - 4 * share)))


class Degenerate(Unfolding):
    """States are the actions so far."""

    players = 2

    def __init__(self, who: str, width: int = 1) -> None:
        self.who, self.width = who, width
        self.spec = f"degenerate({who},{width})"

    def turn(self, state: Any) -> int:
        if len(state) == len(self.who):
            return cf.TERMINAL
        return cf.CHANCE if self.who[len(state)] == "c" else int(self.who[len(state)])

    def chance(self, state: Any) -> Any:
        return [(0, 0.25), (1, 0.75)]

    def actions(self, state: Any) -> Any:
        return list(range(self.width))

    def observe(self, state: Any, player: int) -> Any:
        return state

    def payoff(self, state: Any) -> Any:
        worth = 2.5 - 3 * sum(state)
        return worth, -worth


@pytest.mark.parametrize(
    ("who", "width", "value"),
    [
        ("", 1, 2.5),
        ("c", 1, 2.5 - 2.25),
        ("cc", 1, 2.5 - 4.5),
        ("0", 1, 2.5),
        ("01", 1, 2.5),
        ("1c0", 1, 2.5 - 2.25),
        ("1", 2, -0.5),  # one player never acts
        ("0", 3, 2.5),
        ("c1", 2, 2.5 - 2.25 - 3),
    ],
)
@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("lp", {}),
        ("cfr+", {}),
        ("dcfr", {"form": "history"}),
        ("cfr+", {"dtype": "float32"}),
        ("cfr", {"traversal": "external"}),
        ("cfr", {"traversal": "outcome"}),
    ],
)
def test_histories_without_a_choice(
    who: str, width: int, value: float, method: str, settings: dict[str, Any]
) -> None:
    until = None if method == "lp" else cf.Until(iterations=3000, exploitability=1e-7)
    found = cf.solve(Degenerate(who, width=width), method, until, **settings)
    slack = 0.01 if width > 1 else 1e-12
    assert found.value == pytest.approx(value, abs=slack)
    assert found.exploitability <= slack
    assert cf.value(found.strategy) == found.value
    best = [cf.best_response(found.strategy, player) for player in (0, 1)]
    assert best[0].value + best[1].value == pytest.approx(2 * found.exploitability, abs=1e-12)
    for player, answer in enumerate(best):
        assert cf.values(answer.strategy)[player] == pytest.approx(answer.value)
