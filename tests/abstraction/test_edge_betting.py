"""A cut game in a sampled engine, held to the same cut of the histories, two and three players."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import BucketTables
from counterfold.abstraction.buckets import every_hand
from counterfold.abstraction.edge_betting import EdgeForm
from counterfold.errors import UnsupportedError
from counterfold.evaluate.exact import assess
from counterfold.kernels.poker_lines import averages
from counterfold.poker.game import DECISION
from counterfold.poker.holdem import kuhn, leduc
from counterfold.searchers.edge import DepthLimited, depth_limited
from counterfold.strategy.continuations import continuations
from counterfold.strategy.strategy import Strategy


def edge_form(players: int, count: int = 4, choosers: Collection[int] | None = None) -> EdgeForm:
    game = leduc(ranks=5, suits=1, players=players, max_raises=1)
    blueprint = Strategy.uniform(BucketForm(game, every_hand(game)))
    every = continuations(blueprint)
    held = {n: every[n].tables[0] for n in list(every)[:count]}
    return EdgeForm(blueprint.tree, held, choosers)


def history_cut(
    players: int, count: int = 4, choosers: Collection[int] | None = None
) -> DepthLimited:
    even = Strategy.uniform(cf.Leduc(players, ranks=5, suits=1, max_raises=1))
    every = continuations(even)
    own = [count if choosers is None or p in choosers else 1 for p in range(players)]
    return depth_limited(even.tree, [{n: every[n] for n in list(every)[:k]} for k in own])


def by_history(strategy: Strategy[EdgeForm], cut: DepthLimited) -> Strategy:
    """The same in the cut tree of histories, which calls a card by its rank."""
    form, tree = strategy.tree, cut.tree
    betting, infosets = form.game.betting, tree.infosets
    of, tables = form.buckets[0].on(()), BucketTables.of(strategy)
    card = {rank: of[4 * n + 3] for n, rank in enumerate("23456789TJQKA")}  # of spades
    lines = {}
    for node in form.nodes[betting.street[form.nodes] == 0].tolist():
        said = " ".join(word for word in betting.line(node) if not word.startswith("edge"))
        lines[said, int(betting.player[node])] = node
    played = infosets.evenly()
    for i, name in enumerate(infosets.labels):
        if name.startswith("edge"):
            continue
        rank, _, said = name.partition(" | ")
        rows = tables.rows(lines[said, int(infosets.owner[i])])
        played[infosets.start[i] : infosets.start[i + 1]] = rows[card[rank]]
    for root, node in enumerate(cut.edge.roots.tolist()):
        said, seen = _way(cut, node)
        for player, rank in seen.items():
            row = cut.edge.row[root, player]
            if row >= 0 and (said, player) in lines:
                begin, stop = infosets.start[row], infosets.start[row + 1]
                played[begin:stop] = tables.rows(lines[said, player])[card[rank]]
    return Strategy.of(tree, infosets.to_one(played))


def _way(cut: DepthLimited, node: int) -> tuple[str, dict[int, str]]:
    """What was said on the way to a node, and the card of each player who has decided."""
    from counterfold.searchers.paths import paths

    way, tree, words, seen = paths(cut.whole), cut.whole, [], {}
    while node > 0:
        above = int(way.parent[node])
        if tree.turn[above] >= 0:
            i = int(tree.infoset[above])
            words.append(tree.infosets.actions[i][int(way.slot[node] - tree.infosets.start[i])])
            seen[int(tree.turn[above])] = tree.infosets.labels[i][0]
        node = above
    return " ".join(reversed(words)), seen


@pytest.mark.parametrize(
    ("players", "traversal", "choosers", "iterations"),
    [
        (2, "external", None, 150_000),
        (2, "external", [0], 150_000),
        (3, "external", None, 40_000),
        (2, "public", None, 1_000),
        (2, "public", [0], 1_000),
        (2, "public", [1], 1_000),
    ],
)
def test_sampling_solves_the_cut_game(
    players: int, traversal: str, choosers: list[int] | None, iterations: int
) -> None:
    form, cut = edge_form(players, 4, choosers), history_cut(players, 4, choosers)
    until = cf.Until(iterations=iterations)
    solved = cf.solve(form, "linear", until, traversal=traversal, seed=1).strategy
    found, even = by_history(solved, cut), Strategy.uniform(cut.tree)
    gains = [
        [best - value for best, value in zip(one.best, one.values, strict=True)]
        for one in (assess(found), assess(even))
    ]
    # 0.005 and 0.02 chips at the most of any player, where playing evenly leaves over 0.7.
    assert max(gains[0]) < 0.05
    assert min(gains[1]) > 0.3


def test_nobody_sees_what_the_others_chose() -> None:
    form = edge_form(3)
    betting = form.game.betting
    decides = np.flatnonzero(betting.kind == DECISION)
    for node in decides.tolist():
        twin = int(form.twin[node])
        assert betting.player[twin] == betting.player[node]
        assert form.origin[twin] == form.origin[node]
        assert form.taken[twin] == form.taken[node]
    # Of a decision behind the edge there is one row a continuation of its owner's.
    behind = form.nodes[form.taken[form.nodes] >= 0]
    assert len(behind) == 4 * len(set(form.origin[behind].tolist()))


def test_what_lies_behind_the_edge_stays() -> None:
    form = edge_form(2)
    bold = cf.Style({"bet": 5.0}, 0.1, player=0, street="round 1", best=True)
    solver = cf.Solver(form, "dcfr", "external", seed=2, style=bold)
    solver.step(5_000)
    kernel = np.empty(form.size, np.float32)  # what walks left there, before it is settled
    averages(solver.engine.lines, solver.engine.nodes, form.counts[form.nodes],
             solver.engine.table, kernel)  # fmt: skip
    off = np.abs(kernel - form.held)[form.holds & (np.abs(kernel - even(form)) > 1e-6)]
    assert len(off) > 100
    assert off.max() < 1e-3
    assert np.array_equal(solver.strategy().tables[0][form.holds], form.held[form.holds])


def even(form: EdgeForm) -> np.ndarray:
    return Strategy.uniform(form).tables[0]


def test_a_trunk_is_put_into_the_whole_game() -> None:
    form = edge_form(3)
    trunk, below = Strategy.random(form, 1), Strategy.uniform(form.whole)
    whole = BucketTables.of(form.complete(trunk, below))
    for old, new in form.trunk.items():
        assert np.array_equal(whole.rows(old), BucketTables.of(trunk).rows(new))
    assert sorted(form.trunk) == [
        n for n in form.whole.nodes.tolist() if form.whole.game.betting.street[n] == 0
    ]


def test_one_street_has_no_edge() -> None:
    form = BucketForm(kuhn(), every_hand(kuhn()))
    with pytest.raises(UnsupportedError, match="no edge"):
        EdgeForm(form, {"a": Strategy.uniform(form).tables[0]})
