"""Gadgets at the root of sampled searches, against the same gadgets by exact traversals."""

from __future__ import annotations

import time
from functools import cache

import numpy as np
import pytest

from counterfold.abstraction.blueprint import engine_in
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.play.holdem import HoldemAgent
from counterfold.play.rest import game_of, lifted, rest_of, shadow_of
from counterfold.play.sampled_root import Sweeping
from counterfold.play.street import Plan, Spot
from counterfold.searchers.gadget import Part, gadget, objective
from counterfold.searchers.public import PublicSearch
from counterfold.searchers.public_entry import PublicEntry
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree
from tests.play.test_holdem import RIVER, agent, seen

GADGETS = {
    "resolving": {"mark": "blueprint"},
    "maxmargin": {"mark": "blueprint"},
    "ses": {"mark": "blueprint", "alpha": 0.5},
}


def river(made: HoldemAgent, player: int) -> Spot:
    """A river, where a sampled search cuts nothing off and a gadget's value is known exactly."""
    street = made._at(seen(player, RIVER)).street
    return Spot(street.state, street.board, street.node, street.ranges, (), player, street.judged)


@cache
def exact(player: int) -> tuple[PublicSearch, PublicTree, tuple[np.ndarray, ...]]:
    """The river's search by exact traversals, its tree, and how both came there."""
    made = agent(street="river")
    spot = river(made, player)
    betting, seats = rest_of(made.table, made.own, spot.state)
    game = game_of(made.table, made.tables.form.game.rules, betting, seats, spot.board)
    tree = PublicTree(game, symmetry=False)
    shadow = shadow_of(game.betting, made.tables.form.game.betting, spot.node, seats)
    blueprint = Strategy.of(tree, lifted(shadow, made.tables, tree))
    came = tuple(made._search._came(spot, seats))
    return PublicSearch(blueprint, player, came=came, dtype="float64"), tree, came


def sampled(player: int, name: str, iterations: int) -> Plan:
    """What a sampled search of the same river finds."""
    made = agent(iterations=iterations, street="river", gadget=name)
    made._search.alpha = GADGETS.get(name, {}).get("alpha")
    found = made._search._sampled(river(made, player), {}, time.thread_time())
    assert found is not None
    return found


def worth(player: int, plan: Plan, entry: PublicEntry, parts: list[Part]) -> float:
    """What a plan of the player's is worth in a gadget, exactly."""
    _, tree, came = exact(player)
    mine = Strategy.uniform(tree)
    for node, shares in plan.played.items():
        if tree.game.betting.player[node] == player:
            mine.hands.put(node, 0, shares)
    best = PublicSearch(mine, player, came=came, dtype="float64").entry(0).best
    return float(objective(entry, parts, best)[0])


@pytest.mark.parametrize("name", GADGETS)
@pytest.mark.parametrize("player", [0, 1])
def test_a_sampled_gadget_has_the_optimum_of_the_exact_one(name, player):
    search, tree, _ = exact(player)
    entry, pot = search.entry(0), tree.game.pot
    parts = gadget(name, entry, **GADGETS[name])
    best = search.refine(entry, parts, 3000, gap=1e-3 * pot)
    plan = sampled(player, name, 300)
    assert plan.certificate.gadget == name
    assert float(best.objective[0]) - worth(player, plan, entry, parts) < 0.01 * pot
    if name == "maxmargin" and player == 1:  # which believing in a range does not find
        believing = worth(player, sampled(player, "unsafe", 300), entry, parts)
        assert float(best.objective[0]) - believing > 0.1 * pot


def test_marks_are_what_the_blueprint_earns():
    made = agent(street="river")
    search, tree, _ = exact(0)
    entry = search.entry(0)
    from counterfold.play import sampled_root as root

    seen_marks = {}

    def kept(*given):
        seen_marks["entry"] = found = root.entry_of(*given)
        return found

    made = agent(iterations=1, street="river", gadget="maxmargin")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("counterfold.play.street.entry_of", kept)
        made._search._sampled(river(made, 0), {}, time.thread_time())
    holes = tree.hands[1][0].holes
    marks = seen_marks["entry"]
    assert marks.value[0, holes] == pytest.approx(entry.value[0], abs=1e-3)
    assert marks.range[0, holes] == pytest.approx(entry.range[0], abs=1e-6)
    assert marks.dealt[0, holes] == pytest.approx(entry.dealt[0], abs=1e-6)


def test_each_card_is_the_turn_as_often_as_any_other():
    made = agent(street="flop")
    street = made._at(seen(0, "call, check, [Kc], [Qs], [7d]")).street
    betting, seats = rest_of(made.table, made.own, street.state)
    game = game_of(made.table, made.tables.form.game.rules, betting, seats, street.board)
    form = BucketForm(game, made.tables.buckets[1:])
    worker = Sweeping(engine_in(Solver(form, traversal="public", threads=1)))
    boards = np.concatenate([worker._boards(7).cards for _ in range(14)])
    assert set(boards[:, :3].ravel().tolist()) == set(game.board)
    assert all(len(set(cards)) == 5 for cards in boards.tolist())
    _, times = np.unique(boards[:, 3], return_counts=True)
    assert times.tolist() == [2] * 49
    assert len(np.unique(boards[:, 4])) > 30
