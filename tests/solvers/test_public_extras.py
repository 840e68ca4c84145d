"""Styles, locks and models in vector CFR against the games over histories that they stand for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import counterfold as cf
from counterfold.games.base import CHANCE, label
from counterfold.kernels import rule
from counterfold.poker import holdem
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.solver import Solver
from counterfold.tree.restricted import biased_tree, mixed, restricted_tree
from tests import naive
from tests.naive_poker import NaivePoker
from tests.public_layout import BothForms, both_forms, close, without_ties
from tests.solvers.layout import regrets, rows

NOTHING = 0xFFFFFFFF


def styled(both: BothForms, best: bool, seed: int) -> tuple[list[dict[str, Any]], Conditions]:
    """A random style as fields of the public tree, and the same over the history."""
    rng, tree, holes = np.random.default_rng(seed), both.tree, both.poker.rules.holes
    nodes, infosets = tree.nodes, both.history.infosets
    asked, delta, beta = [], np.ones(infosets.slots), np.zeros(len(infosets.owner))
    of = np.repeat(np.arange(len(infosets.owner)), infosets.sizes)
    for p in (0, 1):
        liking = rng.choice([1.0, 1.5, 3.0], (nodes.actions[p], holes))
        allowance = rng.uniform(0, 0.3, (len(nodes.old), holes)) * (rng.random(holes) < 0.5)
        fallback = np.zeros_like(liking)
        for n in np.flatnonzero((nodes.kind == 0) & (nodes.owner == p)):
            some = slice(int(nodes.wide[n]), int(nodes.wide[n] + nodes.count[n]))
            likes = liking[some]
            weight = (likes == likes.max(0)) * 1.0 if best else likes
            fallback[some] = weight / weight.sum(0)
        asked.append({"delta": liking, "fallback": fallback, "beta": allowance})
        mine = both.owner == p
        n, hole, slot = nodes.new[both.node[mine]], both.hole[mine], both.slot[mine]
        delta[slot] = liking[nodes.wide[n] + both.action[mine], hole]
        beta[of[slot]] = allowance[n, hole] * both.scale[mine]
    return asked, Conditions.by_infosets(delta, beta, best)


@pytest.mark.parametrize("best", [False, True], ids=["match", "best"])
@pytest.mark.parametrize("method", ["cfr", "dcfr", "pcfr+"])
@pytest.mark.parametrize("name", ["kuhn", "leduc", "turn"])
def test_styles(name: str, method: str, best: bool) -> None:
    both = both_forms(name)
    asked, leaning = styled(both, best, 3)
    public = Solver(
        both.tree, method, dtype="float64", threads=1, locks=Conditions(tuple(asked), best)
    )
    history = cf.Solver(both.history, method, style=leaning)
    if name == "turn":
        both.begin(public, history)
        public.engine._row[[rule.WEIGHT, rule.BEST]] = (
            1,
            best,
        )  # as the history takes what is begun from
    public.step(6)
    history.step(6)
    close(both.regrets(public), regrets(history))
    close(both.average(public), history.probabilities(), 1e-8)
    plain = cf.Solver(both.history, method)
    plain.step(6)
    assert np.abs(history.probabilities() - plain.probabilities()).max() > 0.1


def locked(
    both: BothForms, player: int, seed: int, sure: bool = False
) -> tuple[dict[str, Any], Any, Any]:
    """Random locks at two nodes of three as fields; model and confidence over the history."""
    rng, tree = np.random.default_rng(seed), both.tree
    nodes, infosets = tree.nodes, both.history.infosets
    wide = -(-tree.columns(player) // 16) * 16
    where = np.full((len(tree.boards), len(nodes.old)), NOTHING, np.uint32)
    first, trust, held = [], [], []
    model, confidence = infosets.evenly(), np.zeros(len(infosets.owner))
    of = np.repeat(np.arange(len(infosets.owner)), infosets.sizes)
    for k, board in enumerate(tree.boards):
        for n in np.flatnonzero((nodes.kind == 0) & (nodes.owner == player)):
            if nodes.street[n] != board.street or (rng.random() < 0.3 and not sure):
                continue
            play = rng.dirichlet(np.ones(nodes.count[n]), wide).T
            share = np.ones(wide) if sure else rng.choice([0.0, 0.3, 0.8, 1.0], wide)
            where[k, n] = len(first)
            first.append(sum(len(rows) for rows in held))
            trust.append(share)
            held.append(play)
            here = (both.board == k) & (both.node == nodes.old[n])
            model[both.slot[here]] = play[both.action[here], both.column[here]]
            confidence[of[both.slot[here]]] = share[both.column[here]]
    fields = {
        "lock": where,
        "first": np.array(first, np.uint32),
        "trust": np.array(trust),
        "held": np.ascontiguousarray(np.concatenate(held)),
    }
    return fields, model, confidence


@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr", "pcfr+"])
@pytest.mark.parametrize("player", [0, 1])
def test_locks_are_data_biased_responses(player: int, method: str) -> None:
    both = both_forms("leduc")
    fields, model, confidence = locked(both, player, 5)
    asked = [fields if p == player else {} for p in (0, 1)]
    public = Solver(both.tree, method, dtype="float64", threads=1, locks=Conditions(tuple(asked)))
    biased = cf.Solver(biased_tree(both.history, player, model, confidence), method)
    public.step(12)
    biased.step(12)
    other = np.repeat(both.history.infosets.owner != player, both.history.infosets.sizes)
    close(both.regrets(public)[other], regrets(biased)[other])
    played = mixed(both.history, player, model, confidence, biased.probabilities())
    close(both.average(public), played, 1e-8)


class Tossed(NaivePoker):
    """A game in which a coin may make a player's move, by the model of a strategy."""

    def __init__(self, both: BothForms, player: int, model: Any, confidence: Any) -> None:
        super().__init__(both.poker)
        self.locked = player
        of = np.repeat(np.arange(len(confidence)), both.history.infosets.sizes)
        self.coins = {
            name: (float(confidence[of[at.start]]), model[at].tolist())
            for name, at in rows(both.history).items()
        }

    def root(self) -> Any:
        return *super().root(), "coin"

    def turn(self, state: Any) -> int:
        turn = super().turn(state[:3])
        return CHANCE if turn == self.locked and state[3] != "free" else turn

    def chance(self, state: Any) -> list[tuple[Any, float]]:
        if super().turn(state[:3]) != self.locked:
            return super().chance(state[:3])
        sure, played = self.coin(state)
        moves = zip(super().actions(state[:3]), played, strict=True)
        return [*((move, sure * p) for move, p in moves), ("free", 1 - sure)]

    def coin(self, state: Any) -> tuple[float, list[float]]:
        return self.coins[self.locked, label(super().observe(state[:3], self.locked))]

    def actions(self, state: Any) -> tuple[str, ...]:
        return super().actions(state[:3])

    def next(self, state: Any, action: Any) -> Any:
        if action == "free":
            return *state[:3], "free"
        return *super().next(state[:3], action), "coin"

    def observe(self, state: Any, player: int) -> Any:
        return super().observe(state[:3], player)

    def payoff(self, state: Any) -> Any:
        return super().payoff(state[:3])


@pytest.mark.parametrize("player", [0, 1])
def test_best_responses_keep_to_the_locks(player: int) -> None:
    both = BothForms(without_ties(holdem.leduc(ranks=2, max_raises=1)))
    fields, model, confidence = locked(both, player, 6)
    asked = [fields if p == player else {} for p in (0, 1)]
    public = Solver(both.tree, "cfr+", dtype="float64", threads=1, locks=Conditions(tuple(asked)))
    public.step(15)
    found, average = public.assess(), both.average(public)
    table = {
        name: average[rows(both.history)[name[0], label(name[1])]].tolist()
        for name in naive.infosets(both.naive)
    }
    game = Tossed(both, player, model, confidence)
    assert found.values == pytest.approx(naive.values(both.naive, table))
    assert found.best[player] == pytest.approx(naive.best_value(game, player, [(1.0, table)]))
    assert found.best[1 - player] == pytest.approx(
        naive.best_value(both.naive, 1 - player, [(1.0, table)])
    )
    whole = naive.best_value(both.naive, player, [(1.0, table)])
    assert found.best[player] < whole - 0.05
    fields, *_ = locked(both, player, 6, sure=True)
    asked = [fields if p == player else {} for p in (0, 1)]
    public = Solver(both.tree, "cfr+", dtype="float64", threads=1, locks=Conditions(tuple(asked)))
    public.step(15)
    assert public.assess().gains[player] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("method", ["cfr", "dcfr", "pcfr+"])
@pytest.mark.parametrize("opponent", [0, 1])
def test_a_model_of_the_opponent_makes_restricted_nash_responses(
    opponent: int, method: str
) -> None:
    both, share = both_forms("leduc"), 0.3
    model = cf.Strategy.random(both.history, 8).probabilities
    first = both.tree.hands[opponent][0].holes
    start = np.zeros(-(-both.tree.columns(opponent) // 16) * 16)
    start[: len(first)] = both.poker.ranges[opponent][first]
    fields = {
        "model": both.tables_of(model, scaled=False)[opponent],
        "free": (1 - share) * start,
        "bound": share * start,
    }
    asked = [fields if p == opponent else {} for p in (0, 1)]
    public = Solver(both.tree, method, dtype="float64", threads=1, locks=Conditions(tuple(asked)))
    history = cf.Solver(restricted_tree(both.history, opponent, model, share), method)
    public.step(12)
    history.step(12)
    found, wanted = both.regrets(public), regrets(history)
    other = np.repeat(both.history.infosets.owner != opponent, both.history.infosets.sizes)
    close(found[other], wanted[other])
    close(found[~other] * (1 - share), wanted[~other])
    close(both.average(public), history.probabilities(), 1e-8)
    # It is measured in the plain game.
    plain = cf.Strategy.of(both.history, history.probabilities())
    assert public.exploitability() == pytest.approx(cf.exploitability(plain), abs=1e-9)


@pytest.mark.pure
@pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="a kernel of its own, slow to compile")
@pytest.mark.parametrize("method", ["dcfr", "pcfr+"])
def test_sixteen_bits_with_predictions_and_styles(method: str) -> None:
    both = both_forms("kuhn")
    asked, _ = styled(both, best=False, seed=2)
    for fields in ([{}, {}], asked):
        whole, packed = (
            Solver(both.tree, method, dtype="float64", bits=bits, locks=Conditions(tuple(fields)))
            for bits in (32, 16)
        )
        for solver in (whole, packed):
            solver.step(5)
        close(both.average(packed), both.average(whole), 1e-3)
        assert packed.exploitability() == pytest.approx(whole.exploitability(), abs=1e-3)


@pytest.mark.parametrize("bits", [32, 16])
@pytest.mark.parametrize("style", [None, False, True], ids=["plain", "match", "best"])
@pytest.mark.parametrize("method", ["cfr", "pcfr+"])
def test_the_last_iterate_is_the_strategy_that_is_certified(
    method: str, style: bool | None, bits: int, tmp_path: Path
) -> None:
    both = both_forms("leduc")
    made = None if style is None else Conditions(tuple(styled(both, style, 3)[0]), style)
    settings: Any = {"dtype": "float64", "threads": 1, "bits": bits, "style": made}
    solver = Solver(both.tree, method, average=False, **settings)
    average = Solver(both.tree, method, **settings)
    for one in (solver, average):
        one.step(7)
    certified, measured = solver.assess(), cf.assess(solver.strategy())
    np.testing.assert_allclose(certified.values, measured.values, atol=1e-9)
    np.testing.assert_allclose(certified.best, measured.best, atol=1e-9)
    assert abs(measured.exploitability - cf.exploitability(average.strategy())) > 1e-3
    solver.save(tmp_path / "run")
    resumed, _ = Solver.resume(tmp_path / "run", both.tree, threads=1)
    for one in (solver, resumed):
        one.step(3)
    for mine, other in zip(solver.engine.learning, resumed.engine.learning, strict=True):
        assert np.array_equal(mine.total, other.total)
        assert np.array_equal(mine.regret, other.regret)
