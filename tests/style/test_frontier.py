"""The frontier against known equilibria, the evaluator, and strategies drawn at random."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import counterfold as cf
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.solvers.lp import solve_lp
from counterfold.style.frequency import Frequency
from counterfold.style.frontier import Frontier, cheapest, frontier
from counterfold.tree.sequence import sequence_form
from tests.random_games import random_game
from tests.style.test_frequency import counted

EPSILONS = (0, 0.01, 0.05, 0.2)


def cost(strategy: cf.Strategy, player: int, value: float) -> float:
    """What a player's part guarantees less than the game's value (player 1's)."""
    worth = value if player == 0 else strategy.tree.constant_sum - value
    answer = cf.best_response(strategy, 1 - player).value
    return worth - (strategy.tree.constant_sum - answer)


def check(found: Frontier, tolerance: float = 1e-7) -> None:
    """Every extreme is had, at its price, and more epsilon allows more."""
    asked, player = found.frequency, found.frequency.player
    for point in found.points:
        assert 0 <= point.low <= point.high <= 1
        for share, strategy in ((point.low, point.lowest), (point.high, point.highest)):
            assert asked.of(strategy, found.against) == pytest.approx(share, abs=tolerance)
            price = cost(strategy, player, found.value)
            assert price < point.epsilon + tolerance
            assert price == pytest.approx(strategy.about["cost"], abs=tolerance)
            assert cf.exploitability(strategy) == pytest.approx(price / 2, abs=tolerance)
            assert cf.exploitability(strategy) < point.profile_exploitability + tolerance
    for tight, loose in pairwise(sorted(found.points, key=lambda point: point.epsilon)):
        assert loose.low <= tight.low + tolerance
        assert loose.high >= tight.high - tolerance


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("bet@J", 0, 1 / 3),
        ("bet@Q", 0, 0),
        ("bet@K", 0, 1),
        ("call@J | check bet", 0, 0),
        ("call@Q | check bet", 1 / 3, 2 / 3),
        ("bet", 0, 4 / 9),
        ("player2:bet@J | check", 1 / 3, 1 / 3),
        ("player2:call@Q | bet", 1 / 3, 1 / 3),
        ("player2:bet", 4 / 9, 4 / 9),
        ("fold+call", 1, 1),
        # K may bet always, and then nothing restrains what it would do after a check.
        ("call@K | check bet", 0, 1),
    ],
)
def test_kuhn_equilibria(text: str, low: float, high: float) -> None:
    found = frontier(cf.Kuhn(), text, EPSILONS)
    assert found.value == pytest.approx(-1 / 18, abs=1e-9)
    assert found.points[0].low == pytest.approx(low, abs=1e-6)
    assert found.points[0].high == pytest.approx(high, abs=1e-6)
    check(found)


def test_an_extreme_costs_no_more_than_it_must() -> None:
    (point,) = frontier(cf.Kuhn(), "bet@K", [0.2]).points
    assert point.high == 1
    assert cf.exploitability(point.highest) == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("name", ["leduc", "leduc:ses"])
def test_leduc(name: str) -> None:
    tree = cf.compile_game(cf.load(name))
    texts = ("bet+raise@round1", "player2:raise", "fold@Q*", "player2:fold+call", "bet@K")
    for text in texts:
        check(frontier(tree, text, EPSILONS[:3]))
    assert frontier(tree, "raise", [0]).value == pytest.approx(solve_lp(tree).value, abs=1e-8)


def test_deep_infosets_of_leduc() -> None:
    tree = cf.compile_game(cf.Leduc())
    drawn = np.random.default_rng(5).choice(len(tree.infosets.owner), 8, replace=False)
    for i in drawn:
        asked = Frequency(
            (tree.infosets.actions[i][-1],), tree.infosets.labels[i], int(tree.infosets.owner[i])
        )
        check(frontier(tree, asked, [0, 1e-4, 0.02]))


def asked_of(tree: Any, player: int, seed: int) -> Frequency | None:
    rows = np.flatnonzero(tree.infosets.owner == player)
    if not len(rows):
        return None
    i = int(np.random.default_rng(seed).choice(rows))
    where = tree.infosets.labels[i] if seed % 3 == 0 else ""
    return Frequency(
        (tree.infosets.actions[i][seed % len(tree.infosets.actions[i])],), where, player
    )


def random_frequencies(seed: int) -> Iterator[tuple[Any, int, Frequency]]:
    """A random game with a frequency of each player who moves in it."""
    tree = cf.compile_game(random_game(seed, depth=5, zero_sum=True))
    for player in range(2):
        asked = asked_of(tree, player, seed)
        if asked is not None:
            yield tree, player, asked


@pytest.mark.parametrize("seed", range(30))
def test_random_games(seed: int) -> None:
    for tree, _, asked in random_frequencies(seed):
        found = frontier(tree, asked, (0, 0.1, 0.5, 5))
        check(found)
        never_beaten(found, tree, seed, 60)


def never_beaten(found: Frontier, tree: Any, seed: int, samples: int) -> None:
    """Strategies near and far from the equilibrium and the extremes lie within the frontier."""
    rng = np.random.default_rng(seed)
    player = found.frequency.player
    known = [s for point in found.points for s in (point.lowest, point.highest)]
    for _ in range(samples):
        one, two = (known[k].probabilities for k in rng.integers(len(known), size=2))
        other = cf.Strategy.random(tree, rng).probabilities
        far, mix = rng.random() ** 4 * (rng.random() < 0.9), rng.random()
        mixed = (1 - far) * (mix * one + (1 - mix) * two) + far * other
        strategy = cf.Strategy.of(tree, mixed)
        price, share = (
            cost(strategy, player, found.value),
            found.frequency.of(strategy, found.against),
        )
        assert price > -1e-8
        for point in found.points:
            if price <= point.epsilon:
                assert point.low - 1e-7 <= share <= point.high + 1e-7


def pures(tree: Any, player: int) -> list[cf.Strategy]:
    """All strategies of a player that never mix; the others play evenly."""
    rows = np.flatnonzero(tree.infosets.owner == player)
    out = []
    for choice in product(*(range(size) for size in tree.infosets.sizes[rows])):
        numbers = tree.infosets.evenly()
        for i, action in zip(rows, choice, strict=True):
            lo, hi = tree.infosets.start[i : i + 2]
            numbers[lo:hi] = 0
            numbers[lo + action] = 1
        out.append(cf.Strategy.of(tree, numbers))
    return out


def by_mixing_pures(game: Any, found: Frontier, epsilon: float) -> list[float] | None:
    """The extremes among mixtures of pure strategies that ever come there: a table of payoffs."""
    tree, player = found.against.tree, found.frequency.player
    mine, yours = pures(tree, player), pures(tree, 1 - player)
    sign = 1 if player == 0 else -1
    payoff = np.array(
        [[sign * cf.value(*((m, y) if player == 0 else (y, m))) for y in yours] for m in mine]
    )
    done, could = np.transpose([counted(game, found.frequency, m, found.against) for m in mine])
    if not could.max() > 0:
        return None
    least = sign * found.value - epsilon - 1e-9
    out = []
    for aim in (done, -done):
        best = linprog(
            aim, A_ub=least - payoff.T, b_ub=np.zeros(len(yours)), A_eq=could[None], b_eq=[1]
        )
        if best.status != 0:
            return None  # at this cost it never comes there
        out.append(float(best.fun))
    return [out[0], -out[1]]


@pytest.mark.parametrize("seed", range(25))
def test_random_games_in_normal_form(seed: int) -> None:
    game = random_game(seed + 1000, depth=4, zero_sum=True)
    tree = cf.compile_game(game)
    sizes, owner = tree.infosets.sizes, tree.infosets.owner
    if max(np.prod(sizes[owner == player]) for player in range(2)) > 48:
        return
    for player in range(2):
        asked = asked_of(tree, player, seed)
        if asked is None:
            continue
        found = frontier(tree, asked, (0, 0.05, 0.3, 1))
        for point in found.points:
            extremes = by_mixing_pures(game, found, point.epsilon)
            if extremes is None:
                continue
            for share, strategy, other in zip(
                (point.low, point.high), (point.lowest, point.highest), extremes, strict=True
            ):
                assert point.low - 1e-6 <= other <= point.high + 1e-6
                if counted(game, asked, strategy, found.against)[1] > 0:
                    assert share == pytest.approx(other, abs=1e-6)


@pytest.mark.parametrize("text", ["bet@J", "bet", "call", "player2:call", "player2:bet@K | check"])
def test_no_drawn_strategy_is_beyond_the_frontier(text: str) -> None:
    tree = cf.compile_game(cf.Kuhn())
    never_beaten(frontier(tree, text, np.linspace(0, 0.3, 13)), tree, 1, 400)


def test_a_frequency_against_someone_else() -> None:
    tree = cf.compile_game(cf.Kuhn())
    found = frontier(tree, "call", EPSILONS, against=cf.Strategy.random(tree, 4))
    check(found)
    assert found.points[0].high != pytest.approx(frontier(tree, "call", [0]).points[0].high)


@pytest.mark.parametrize("share", [0, 0.1, 0.2, 0.3, 1 / 3])
def test_targets_among_equilibria_are_free(share: float) -> None:
    price, strategy = cheapest(cf.Kuhn(), {"bet@J": share})
    assert price == 0
    assert strategy.at("J")["bet"] == pytest.approx(share, abs=1e-7)
    assert cf.exploitability(strategy) < 1e-7


@pytest.mark.parametrize("text", ["bet@J", "call", "player2:bet"])
def test_a_target_costs_what_the_frontier_says(text: str) -> None:
    price, strategy = cheapest(cf.Kuhn(), {Frequency.parse(text): 0.5})
    assert price > 0.01
    assert Frequency.parse(text).of(strategy) == pytest.approx(0.5, abs=1e-7)
    assert cf.exploitability(strategy) == pytest.approx(price / 2, abs=1e-8)
    (point,) = frontier(cf.Kuhn(), text, [price]).points
    assert point.high == pytest.approx(0.5, abs=1e-6)


def test_several_targets_in_leduc() -> None:
    tree = cf.compile_game(cf.Leduc())
    targets = {"bet@K": 0.4, "raise": 0.3, "bet@Q": 0.2}
    price, strategy = cheapest(tree, targets)
    for text, share in targets.items():
        assert Frequency.parse(text).of(strategy) == pytest.approx(share, abs=1e-7)
        assert cheapest(tree, {text: share}).cost <= price + 1e-8
    assert cost(strategy, 0, solve_lp(tree).value) == pytest.approx(price, abs=1e-7)


def test_targets_where_the_player_need_not_go() -> None:
    where = "K | check bet"
    price, strategy = cheapest(cf.Kuhn(), {f"call@{where}": 0.3})
    assert price == 0
    assert strategy.at("K", "check bet")["call"] == pytest.approx(0.3, abs=1e-7)
    assert cf.exploitability(strategy) < 1e-7
    # It goes there where that costs nothing.
    price, strategy = cheapest(cf.Kuhn(), {f"call@{where}": 1})
    assert price == 0
    assert strategy.at("K")["check"] > 0.1
    with pytest.raises(ParameterError, match="all of these at once"):
        cheapest(cf.Kuhn(), {f"call@{where}": 0.9, f"fold@{where}": 0.5})


@pytest.mark.parametrize("seed", range(15))
def test_targets_in_random_games(seed: int) -> None:
    for tree, player, asked in random_frequencies(seed):
        (widest,) = frontier(tree, asked, [10]).points
        target = 0.3 * widest.low + 0.7 * widest.high
        price, strategy = cheapest(tree, {asked: target})
        assert asked.of(strategy, solve_lp(tree).strategy) == pytest.approx(target, abs=1e-6)
        assert cost(strategy, player, solve_lp(tree).value) == pytest.approx(price, abs=1e-7)
        (point,) = frontier(tree, asked, [price]).points
        assert point.low - 1e-6 <= target <= point.high + 1e-6
        if price > 1e-3:  # and for less it cannot be had
            (point,) = frontier(tree, asked, [price - 1e-4]).points
            assert not point.low <= target <= point.high


def test_targets_that_cannot_be_met() -> None:
    with pytest.raises(ParameterError, match=r"fold\+call = 0.5; the nearest is 1$"):
        cheapest(cf.Kuhn(), {"fold+call": 0.5})
    with pytest.raises(ParameterError, match=r"all of these at once: bet@J = 0.5, check@J = 0.2"):
        cheapest(cf.Kuhn(), {"bet@J": 0.5, "check@J": 0.2})
    with pytest.raises(ParameterError, match=r"more than the 0.01 .* nearest .* is 0.363333"):
        cheapest(cf.Kuhn(), {"bet@J": 0.5}, budget=0.01)
    assert cheapest(cf.Kuhn(), {"bet@J": 0.5}, budget=1 / 18).cost == pytest.approx(1 / 18)
    with pytest.raises(ParameterError, match="one player"):
        cheapest(cf.Kuhn(), {"bet@J": 0.5, "player2:call": 0.5})
    with pytest.raises(ParameterError, match="at least one target"):
        cheapest(cf.Kuhn(), {})
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ParameterError, match="from 0 to 1"):
            cheapest(cf.Kuhn(), {"bet@J": wrong})


def test_games_without_a_frontier() -> None:
    drawn = (random_game(seed, depth=5, zero_sum=True, recall=False) for seed in range(50))
    forgetful_game = next(
        game for game in drawn if not sequence_form(cf.compile_game(game)).perfect_recall
    )
    general = cf.load("rps:general")
    for game, why in ((cf.Kuhn(players=3), "two-player"), (general, "zero-sum")):
        with pytest.raises(UnsupportedError, match=why):
            frontier(game, "bet@J", [0])
        with pytest.raises(UnsupportedError, match=why):
            cheapest(game, {"bet@J": 0.1})
    with pytest.raises(UnsupportedError, match="imperfect recall"):
        frontier(forgetful_game, "a", [0])


@pytest.mark.parametrize("epsilon", [-1e-3, float("nan"), float("inf")])
def test_costs_that_mean_nothing(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="from 0 up"):
        frontier(cf.Kuhn(), "bet@J", [0, epsilon])
    with pytest.raises(ParameterError, match="from 0 up"):
        cheapest(cf.Kuhn(), {"bet@J": 0.1}, budget=epsilon)


def test_wrong_words() -> None:
    with pytest.raises(ParameterError, match="at least one epsilon"):
        frontier(cf.Kuhn(), "bet@J", [])
    with pytest.raises(ParameterError, match="never has the action 'raise'"):
        frontier(cf.Kuhn(), "raise", [0])
