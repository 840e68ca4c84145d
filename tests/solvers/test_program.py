"""The builder of linear programs against dense algebra, corners and tables of pure strategies."""

from __future__ import annotations

from itertools import combinations, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

import counterfold as cf
from counterfold.errors import CounterfoldError, ParameterError
from counterfold.exploit.programs import programs
from counterfold.games.base import TERMINAL, Game
from counterfold.searchers.entry import enters
from counterfold.searchers.gadget import GADGETS, objective
from counterfold.searchers.lp import solve_gadget
from counterfold.searchers.subgame import subgames
from counterfold.solvers.lp import ZeroSumSeat, plans, solve_lp
from counterfold.solvers.program import TOLERANCES, Plans, Program
from counterfold.style.frequency import Frequency
from counterfold.style.frontier import cheapest, frontier
from counterfold.tree.restricted import mixed
from tests.random_games import DrawnGame, Node, games, random_game
from tests.searchers.public_games import PublicGame

UNITS = [1e-10, 1e19]


class Rescaled(Game):
    """A game in another unit, whose payoffs add up to some constant."""

    def __init__(self, game: Any, unit: float, total: float = 0.0) -> None:
        self.game, self.unit, self.total = game, unit, total
        self.players, self.spec = game.players, f"rescaled({game},{unit},{total})"
        self.root, self.turn, self.chance = game.root, game.turn, game.chance
        self.actions, self.next, self.observe = game.actions, game.next, game.observe

    def payoff(self, state: Any) -> tuple[float, float]:
        mine = self.unit * self.game.payoff(state)[0]
        return mine, self.total - mine


# The builder by itself.


def some_program(seed: int) -> tuple[Program, Any, np.ndarray, np.ndarray, np.ndarray, slice]:
    """Two variables from 0 to 1 and three bounds that the middle keeps: max c'x with Gx <= h."""
    rng = np.random.default_rng(seed)
    rows, aim = rng.normal(size=(3, 2)), rng.normal(size=2)
    most = rows @ np.array([0.5, 0.5]) + rng.uniform(0.05, 0.5, size=3)
    program = Program()
    x = program.variables(2, most=1.0)
    bounds = program.at_most(rows @ x, most)
    program.maximise(aim @ x)
    return program, x, aim, rows, most, bounds


def by_corners(aim: np.ndarray, rows: np.ndarray, most: np.ndarray) -> float:
    """The best corner of a polygon."""
    sides = np.concatenate([rows, np.eye(2), -np.eye(2)])
    limits = np.concatenate([most, [1, 1, 0, 0]])
    corners = [
        np.linalg.solve(sides[[i, j]], limits[[i, j]]) for i, j in combinations(range(7), 2)
        if abs(np.linalg.det(sides[[i, j]])) > 1e-12
    ]  # fmt: skip
    return max(float(aim @ c) for c in corners if (sides @ c <= limits + 1e-9).all())


@pytest.mark.parametrize("seed", range(30))
def test_small_programs_have_their_optimum_at_the_best_corner(seed: int) -> None:
    program, x, aim, rows, most, bounds = some_program(seed)
    solution = program.solve()
    best = by_corners(aim, rows, most)
    assert solution.objective == pytest.approx(best, abs=1e-9)
    assert aim @ solution[x] == pytest.approx(best, abs=1e-9)
    for i in range(3):  # a price is what a wider bound is worth
        wider = most + 1e-5 * np.eye(3)[i]
        gained = (by_corners(aim, rows, wider) - best) / 1e-5
        assert solution.price(bounds)[i] == pytest.approx(gained, abs=1e-3)


def test_functions_are_those_of_dense_algebra() -> None:
    rng = np.random.default_rng(1)
    A, B, c = rng.normal(size=(3, 2)), rng.normal(size=(3, 4)), rng.normal(size=3)
    program = Program()
    x, y = program.variables(2), program.variables(4, least=-5.0)
    point, other = np.array([0.25, 0.5]), np.array([1.0, -2.0, 3.0, -4.0])
    program.equal(x, point)
    program.equal(y, other)
    solution = program.solve()
    for functions, wanted in [
        (A @ x + B @ y, A @ point + B @ other),
        (c - (A @ x), c - A @ point),
        (A @ x - c, A @ point - c),
        (2.5 * (c + A @ x), 2.5 * (c + A @ point)),
        (-(B @ (y + 1.0)), -B @ (other + 1)),
        (y[np.array([3, 0])] - x, other[[3, 0]] - point),
        (c[:2] @ x, [c[:2] @ point]),
        (y[1], [-2.0]),
    ]:
        np.testing.assert_allclose(solution[functions], wanted, atol=1e-9)


def test_constants_count_in_aims_and_on_both_sides() -> None:
    program = Program()
    x = program.variables(1, least=-np.inf)
    bound = program.at_least(7.0 - x, 2.0 * x + 1.0)  # x <= 2
    program.maximise(3.0 * x + 10.0)
    solution = program.solve()
    assert solution.objective == pytest.approx(16)
    assert solution[x] == pytest.approx(2)
    assert solution.price(bound) == pytest.approx(1)
    program.maximise(-x)
    program.at_least(x, -4.0)
    assert program.solve().objective == pytest.approx(4)


def test_programs_without_a_solution() -> None:
    program = Program()
    x = program.variables(2)
    program.equal(np.ones(2) @ x, 1.0)
    assert program.solve_if_feasible() is not None
    program.at_least(x, 0.75)
    assert program.solve_if_feasible() is None
    with pytest.raises(CounterfoldError, match="not solved"):
        program.solve()
    endless = Program()
    endless.maximise(endless.variables(1)[0])
    for solve in (endless.solve, endless.solve_if_feasible):
        with pytest.raises(CounterfoldError, match="not solved"):
            solve()


def test_the_ladder_of_tolerances(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tolerance is tried in turn, and only a program that may have none ends early."""
    tried: list[float] = []
    real, status = scipy.optimize.linprog, 4

    def fails_at_first(*args: Any, options: dict[str, float], **more: Any) -> Any:
        assert len(set(options.values())) == 1
        tried.append(options["primal_feasibility_tolerance"])
        if len(tried) < 3:
            return SimpleNamespace(status=status, message="no")
        return real(*args, options=options, **more)

    monkeypatch.setattr(scipy.optimize, "linprog", fails_at_first)
    program, *_ = some_program(0)
    program.solve()
    assert tuple(tried) == TOLERANCES
    tried.clear()
    assert program.solve_if_feasible() is not None
    assert tuple(tried) == TOLERANCES
    status = 2
    tried.clear()
    assert program.solve_if_feasible() is None
    assert tuple(tried) == TOLERANCES[:1]
    tried.clear()
    program.solve()
    assert tuple(tried) == TOLERANCES


# Plans and payoffs.


@settings(max_examples=40, deadline=None)
@given(game=games(players=2, zero_sum=True), total=st.sampled_from([0.0, 5.0]))
def test_plans_and_payoffs_are_those_of_strategies(game: Any, total: float) -> None:
    tree = cf.compile_game(Rescaled(game, 1.0, total))
    strategy = cf.Strategy.random(tree, 3)
    for player in (0, 1):
        side = ZeroSumSeat(tree, player)
        reach = side.form.reach(side.form.by_sequence(strategy.probabilities))
        x, y = reach[side.mine.sequences], reach[side.yours.sequences]
        np.testing.assert_allclose(side.mine.constraints @ x, side.mine.total, atol=1e-12)
        np.testing.assert_allclose(side.yours.constraints @ y, side.yours.total, atol=1e-12)
        assert side.unit * (x @ (side.payoff @ y)) == pytest.approx(cf.values(strategy)[player])
        back = side.behaviour(x, tree.infosets.evenly())
        own = np.repeat(tree.infosets.owner == player, tree.infosets.sizes)
        np.testing.assert_allclose(back[own], strategy.probabilities[own], atol=1e-9)
        np.testing.assert_allclose(back[~own], tree.infosets.evenly()[~own], atol=1e-12)


def test_kuhn_as_its_equations() -> None:
    tree = cf.compile_game(cf.Kuhn())
    for player, value in ((0, -1 / 18), (1, 1 / 18)):
        side = ZeroSumSeat(tree, player)
        program = Program()
        x = program.plan(side.mine)
        q, replies = program.best_reply(side.yours, side.payoff.T @ x)
        program.maximise(q[0])
        solution = program.solve()
        assert side.unit * solution.objective == pytest.approx(value, abs=1e-10)
        y = solution.price(replies)  # a plan that holds the seat to the value
        np.testing.assert_allclose(side.yours.constraints @ y, side.yours.total, atol=1e-9)
        assert side.unit * max(pure @ side.payoff @ y for pure in pure_plans(side.mine)) == (
            pytest.approx(value, abs=1e-9)
        )
        assert side.value == pytest.approx(value, abs=1e-10)


def test_a_scaled_plan() -> None:
    """The plans of a player at one infoset, times t."""
    one = Plans(np.arange(3), np.array([0, 1, 1]), np.array([0]))
    program = Program()
    t = program.variables(1)
    x = program.plan(one, scale=t)
    program.equal(t, 4.0)
    program.maximise(np.array([0.0, 1.0, 2.0]) @ x)
    assert program.solve()[x] == pytest.approx([4, 0, 4])


def pure_plans(side: Plans) -> list[np.ndarray]:
    """All plans that never mix, by recursion over the infosets."""
    out = []
    actions = [np.flatnonzero(side.owner == 1 + i) for i in range(len(side.parent))]
    for choice in product(*actions):
        x = np.zeros(len(side.owner))
        x[0] = 1
        for i, column in enumerate(choice):  # parents come before their children
            x[column] = x[side.parent[i]]
        out.append(x)
    return list(np.unique(out, axis=0))


# Every program against tables of pure strategies.


def table(side: ZeroSumSeat) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Own pure plans, the opponent's, and payoffs; None if there are too many."""
    sizes, owner = side.tree.infosets.sizes, side.tree.infosets.owner
    if max(float(np.prod(sizes[owner == p].astype(float))) for p in (0, 1)) > 500:
        return None
    mine, yours = np.array(pure_plans(side.mine)), np.array(pure_plans(side.yours))
    return mine, yours, side.unit * (mine @ (side.payoff @ yours.T))


def by_table(aim: np.ndarray, payoff: np.ndarray, least: float | None, weight: float) -> float:
    """max aim'w + weight * v over mixtures w of rows with payoff'w >= v, and v >= least."""
    rows, columns = payoff.shape
    found = scipy.optimize.linprog(
        np.append(-aim, -weight),
        A_ub=np.column_stack([-payoff.T, np.ones(columns)]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None],
        b_eq=[1],
        bounds=[(0, None)] * rows + [(least, None)],
    )
    assert found.status == 0
    return -float(found.fun)


@settings(max_examples=40, deadline=None)
@given(
    game=games(players=2, zero_sum=True, depths=(1, 4)),
    seed=st.integers(0, 100),
    total=st.sampled_from([0.0, 3.0]),
)
def test_programs_against_tables(game: Any, seed: int, total: float) -> None:
    tree = cf.compile_game(Rescaled(game, 1.0, total))
    model = cf.Strategy.random(tree, seed).probabilities
    for player in (0, 1):
        side = programs(tree, player)
        known = table(side)
        if known is None:
            continue
        mine, _, payoff = known
        winnings = side.unit * (mine @ (side.payoff @ side.reach(model, 1 - player)))
        value = by_table(np.zeros(len(mine)), payoff, None, 1.0)
        assert side.value == pytest.approx(value, abs=1e-7)
        first = solve_lp(tree).value
        assert (first if player == 0 else total - first) == pytest.approx(value, abs=1e-7)
        assert side.restricted(model, 0.0).objective == pytest.approx(value, abs=1e-7)
        assert side.restricted(model, 1.0).objective == pytest.approx(winnings.max(), abs=1e-7)
        wanted = by_table(0.3 * winnings, payoff, None, 0.7)
        assert side.restricted(model, 0.3).objective == pytest.approx(wanted, abs=1e-7)
        for epsilon in (0.0, 0.2, 1.0):
            wanted = by_table(winnings, payoff, value - epsilon - 1e-9 * side.unit, 0.0)
            assert side.safe(model, epsilon).objective == pytest.approx(wanted, abs=1e-7)
        trust = np.random.default_rng(seed).choice([0.0, 0.3, 0.8], len(tree.infosets.owner))
        replies = [
            side.reach(mixed(tree, 1 - player, model, trust, pure), 1 - player)
            for pure in pure_behaviours(tree, 1 - player)
        ]
        followed = side.unit * (mine @ (side.payoff @ np.transpose(replies)))
        wanted = by_table(np.zeros(len(mine)), followed, None, 1.0)
        assert side.biased(model, trust).objective == pytest.approx(wanted, abs=1e-7)


def pure_behaviours(tree: cf.HistoryTree, player: int) -> list[np.ndarray]:
    """All strategies of a player that never mix, over slots; the other player's is even."""
    rows = np.flatnonzero(tree.infosets.owner == player)
    start, out = tree.infosets.start.astype(int), []
    for choice in product(*(range(tree.infosets.sizes[i]) for i in rows)):
        numbers = tree.infosets.evenly()
        for i, action in zip(rows, choice, strict=True):
            numbers[start[i] : start[i + 1]] = np.eye(start[i + 1] - start[i])[action]
        out.append(numbers)
    return out


# Payoffs in any unit, and any constant sum.


def all_programs(game: Any, unit: float, total: float = 0.0) -> list[tuple[str, float]]:
    """What every program is worth, in units and without the constant of the second seat."""
    tree = cf.compile_game(Rescaled(game, unit, total))
    model = cf.Strategy.random(tree, 5).probabilities
    trust = np.random.default_rng(2).choice([0.0, 0.4, 0.9], size=len(tree.infosets.owner))
    out = [("value", solve_lp(tree).value / unit)]
    for player in (0, 1):
        side, constant = programs(tree, player), player * total
        amounts = {
            "value": side.value,
            "winnings": side.restricted(model, 1.0).objective,
            "restricted": side.restricted(model, 0.4).objective,
            "biased": side.biased(model, trust).objective,
            "safe": side.safe(model, 0.1 * unit).objective,
            "worst": side.worst(cf.Strategy.random(tree, 6).probabilities, model, trust),
        }
        out += [(f"{name} {player}", (a - constant) / unit) for name, a in amounts.items()]
        rows = np.flatnonzero(tree.infosets.owner == player)
        if not len(rows):
            continue
        asked = Frequency((tree.infosets.actions[int(rows[0])][0],), player=player)
        edge = frontier(tree, asked, [0.0, 0.2 * unit], against=cf.Strategy.uniform(tree))
        out += [("frontier value", edge.value / unit)]
        out += [("extreme", share) for p in edge.points for share in (p.low, p.high)]
        share = 0.5 * edge.points[1].low + 0.5 * edge.points[1].high
        cost = cheapest(tree, {asked: share}, against=cf.Strategy.uniform(tree)).cost
        out += [("cheapest", cost / unit)]
    return out


@pytest.mark.parametrize("seed", [1, 2, 5, 8, 13, 20])
@pytest.mark.parametrize("unit", UNITS)
def test_every_program_in_any_unit(seed: int, unit: float) -> None:
    game = random_game(seed, depth=4, zero_sum=True)
    for (name, wanted), (_, amount) in zip(
        all_programs(game, 1.0), all_programs(game, unit), strict=True
    ):
        assert amount == pytest.approx(wanted, abs=1e-6), name


@pytest.mark.parametrize("seed", [1, 2, 5, 8])
def test_every_program_with_any_constant_sum(seed: int) -> None:
    game = random_game(seed, depth=4, zero_sum=True)
    for (name, wanted), (_, amount) in zip(
        all_programs(game, 1.0), all_programs(game, 1.0, 7.0), strict=True
    ):
        assert amount == pytest.approx(wanted, abs=1e-6), name


@pytest.mark.parametrize("unit", UNITS)
def test_gadgets_in_any_unit(unit: float) -> None:
    def optima(unit: float, total: float) -> list[float]:
        tree = cf.compile_game(Rescaled(PublicGame(3), unit, total))
        blueprint = cf.Strategy.random(tree, 1).probabilities
        entries = [
            enters(s, blueprint, player) for s in subgames(tree, "move:2") for player in (0, 1)
        ]
        found = []
        for entry, name in product(entries[:4], GADGETS):
            if name == "unsafe" and total:
                continue  # its mark is zero, and not the blueprint's value
            parts = GADGETS[name](entry)
            optimum, actions, _ = solve_gadget(entry, parts)
            played = blueprint.copy()
            played[entry.subgame.treeplexes[entry.player].slots] = actions
            worth = objective(entry, parts, entry.best_values(played))
            assert worth / unit == pytest.approx(optimum / unit, abs=1e-8)
            found.append(optimum / unit)
        return found

    assert optima(unit, 0.0) == pytest.approx(optima(1.0, 0.0), abs=1e-6)
    marked = [o for n, o in enumerate(optima(1.0, 0.0)) if n % len(GADGETS)]
    assert optima(1.0, 7.0) == pytest.approx(marked, abs=1e-6)


# Games with hardly anything to decide.


def leaf(amount: float) -> DrawnGame:
    return DrawnGame(2, [Node(TERMINAL, payoff=(amount, -amount))])


def lonely(player: int, amounts: tuple[float, float]) -> DrawnGame:
    """One player decides between two ends, and the other never does."""
    ends = [Node(TERMINAL, payoff=(a, -a)) for a in amounts]
    return DrawnGame(2, [Node(player, children=(1, 2), infoset="I"), *ends])


@pytest.mark.parametrize(
    ("game", "value"),
    [
        (leaf(2.5), 2.5),
        (leaf(0.0), 0.0),
        (lonely(0, (1.0, 3.0)), 3.0),
        (lonely(1, (1.0, 3.0)), 1.0),
        (lonely(0, (0.0, 0.0)), 0.0),
        (Rescaled(random_game(5, depth=4, zero_sum=True), 0.0), 0.0),
    ],
)
def test_degenerate_games(game: Any, value: float) -> None:
    tree = cf.compile_game(game)
    model = tree.infosets.evenly()
    assert solve_lp(tree).value == pytest.approx(value)
    for player in (0, 1):
        side, sign = programs(tree, player), 1 - 2 * player
        assert side.value == pytest.approx(sign * value)
        winnings = max(
            x @ side.payoff @ side.reach(model, 1 - player) for x in pure_plans(side.mine)
        )
        for p, wanted in ((0.0, side.value), (1.0, side.unit * winnings)):
            assert side.restricted(model, p).objective == pytest.approx(wanted)
            trust = np.full(len(tree.infosets.owner), p)
            assert side.biased(model, trust).objective == pytest.approx(
                wanted if (tree.infosets.owner != player).any() else sign * value
            )
        safest = side.safe(model, 0.0)
        assert safest.objective >= side.value - 1e-8
        assert len(side.strategy(safest.plan)) == tree.infosets.slots


@pytest.mark.parametrize("player", [0, 1])
def test_frequencies_without_an_opponent(player: int) -> None:
    tree = cf.compile_game(lonely(player, (1.0, 3.0)))
    wrong = "ab"[player]  # the end that is two payoff units worse
    free, dear = frontier(tree, Frequency((wrong,), player=player), [0.0, 0.5]).points
    assert (free.low, free.high) == pytest.approx((0.0, 0.0), abs=1e-8)
    assert (dear.low, dear.high) == pytest.approx((0.0, 0.25), abs=1e-8)
    assert cheapest(tree, {Frequency((wrong,), player=player): 0.5}).cost == pytest.approx(1.0)
    with pytest.raises(ParameterError, match="never has the action"):
        frontier(tree, Frequency(("a",), player=1 - player), [0.0])
    idle = cf.compile_game(lonely(player, (0.0, 0.0)))
    (point,) = frontier(idle, Frequency(("a",), player=player), [0.0]).points
    assert (point.low, point.high) == pytest.approx((0.0, 1.0))


def test_plans_of_a_player_without_decisions() -> None:
    form = ZeroSumSeat(cf.compile_game(lonely(0, (1.0, 3.0))), 0).form
    none = plans(form, 1)
    assert none.sequences.tolist() == [1]
    assert none.constraints.toarray().tolist() == [[1.0]]
    assert none.total.tolist() == [1.0]
