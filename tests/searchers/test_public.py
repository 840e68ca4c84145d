"""Searches over all hands at once: the same optimum as the gadgets with two copies of a subgame."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from counterfold.errors import ParameterError, SpecError, UnsupportedError
from counterfold.evaluate.exact import assess
from counterfold.poker.holdem import fhp
from counterfold.poker.holdem import kuhn as one_street
from counterfold.searchers.entry import enters
from counterfold.searchers.gadget import gadget, maxmargin, objective, ses
from counterfold.searchers.public import PublicSearch
from counterfold.searchers.public_entry import Arrivals
from counterfold.searchers.refine import refine
from counterfold.searchers.searcher import Searcher
from counterfold.searchers.subgame import subgames
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree
from tests.naive_poker import leduc, tiny_fhp
from tests.public_layout import BothForms

GADGETS: list[tuple[str, dict[str, Any]]] = [
    ("ses", {"alpha": 0.5}),
    ("ses", {"alpha": 0.9}),
    ("ses", {"alpha": 0.0}),
    ("ses", {"alpha": 1.0, "mark": "best"}),
    ("maxmargin", {}),
    ("unsafe", {}),
    ("resolving", {"mark": "blueprint"}),
]
GAMES = {"leduc": leduc, "fhp": lambda: tiny_fhp(cap=2, seed=3)}


@cache
def setting(name: str) -> tuple[BothForms, Any, Any, Any]:
    """A game in both forms, its subgames, and a random blueprint and opponent."""
    both = BothForms(GAMES[name]())
    random = np.random.default_rng(5)
    infosets = both.history.infosets
    plays = [infosets.to_one(random.exponential(size=infosets.slots)) for _ in range(2)]
    return both, subgames(both.history, "board"), plays[0], plays[1]


def public(both: BothForms, probabilities: Any) -> Strategy[PublicTree]:
    tables = both.tables_of(probabilities, scaled=False)
    return Strategy.of(both.tree, (tables[0], tables[1]))


def subgame_of(both: BothForms, found: Any, search: PublicSearch, board: int, line: int) -> Any:
    """The subgame of the history form that is a line of a board."""
    nodes, player = search.tree.nodes, search.player
    stops = [*search.starts.tolist(), nodes.begin[-1]]
    node = next(
        n for n in range(stops[line], stops[line + 1])
        if nodes.kind[n] == 0 and nodes.owner[n] == player
    )  # fmt: skip
    row = int(search.tree.base[board, player] + nodes.slot[node])
    slot = both.slot[(both.owner == player) & (both.row == row)][0]
    return next(one for one in found if slot in one.treeplexes[player].slots)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("player", [0, 1])
def test_one_copy_has_the_optimum_of_two(name: str, player: int) -> None:
    both, found, blueprint, opponent = setting(name)
    search = PublicSearch(public(both, blueprint), player, dtype="float64")
    arrivals = Arrivals(public(both, opponent).hands, 1 - player)
    board = search.boards[3]
    entry = search.entry(board)
    subs = [subgame_of(both, found, search, board, k) for k in range(len(search.starts))]
    known = [enters(sub, blueprint, player) for sub in subs]
    for line, one in enumerate(known):
        for ours, theirs in ((entry.value, one.value), (entry.best, one.best)):
            live = np.sort(ours[line][entry.live[line]])
            assert live == pytest.approx(np.sort(theirs[one.live]), abs=1e-9)
    for name_of, settings in GADGETS:
        ours, theirs = dict(settings), [dict(settings) for _ in known]
        if name_of in ("ses", "unsafe"):
            ours["range"] = entry.range_of(arrivals.at(board))
            for line, one in enumerate(known):
                theirs[line]["range"] = one.range_of(opponent)
        made = search.refine(entry, gadget(name_of, entry, **ours), 600)
        for line, one in enumerate(known):
            exact = refine(one, gadget(name_of, one, **theirs[line]), "lp").objective
            assert made.objective[line] - 1e-9 <= exact
            assert exact <= made.objective[line] + made.gap[line] + 1e-9
            assert made.gap[line] < 0.02


def test_the_strategy_found_is_worth_what_is_said() -> None:
    """What the search promises is what the history form says of the strategy it found."""
    both, found, blueprint, _ = setting("fhp")
    search = PublicSearch(public(both, blueprint), 1, dtype="float64")
    board = search.boards[0]
    made = search.refine(search.entry(board), gadget("ses", search.entry(board), alpha=0.4), 100)
    tables = [table.copy() for table in search.blueprint.tables]
    tables[1][search.rows_of(board, 1), : made.weights.shape[1]] = made.weights
    played = both.history.infosets.to_one(both.slots_of(tables, scaled=False))
    for line in range(len(search.starts)):
        one = enters(subgame_of(both, found, search, board, line), blueprint, 1)
        worth = objective(one, ses(one, 0.4), one.best_values(played))
        assert worth == pytest.approx(made.objective[line], abs=1e-9)


def test_ses_lies_between_maxmargin_and_unsafe() -> None:
    both, _, blueprint, opponent = setting("leduc")
    search = PublicSearch(public(both, blueprint), 0, dtype="float64")
    entry = search.entry(search.boards[1])
    believed = entry.range_of(Arrivals(public(both, opponent).hands, 1).at(entry.board))
    made = {
        name: search.refine(entry, gadget(kind, entry, **settings), 400)
        for name, kind, settings in (
            ("careful", "ses", {"alpha": 0.0, "range": believed}),
            ("maxmargin", "maxmargin", {"mark": "blueprint"}),
            ("bold", "ses", {"alpha": 1.0, "range": believed}),
            ("unsafe", "unsafe", {"range": believed}),
        )
    }
    assert np.array_equal(made["careful"].weights, made["maxmargin"].weights)
    assert np.array_equal(made["bold"].weights, made["unsafe"].weights)
    level = (believed * entry.value).sum(1)
    assert made["bold"].objective - level == pytest.approx(made["unsafe"].objective, abs=1e-9)


@cache
def coarse() -> Solver:
    solver = Solver(fhp(deck="QKA", cap=2), threads=1)
    solver.step(8)
    return solver


def test_careful_searches_everywhere_cost_nothing() -> None:
    """With marks of the best reply, margins are not negative: nobody gains by the search."""
    blueprint = coarse().strategy()
    before = assess(blueprint)
    for player in (0, 1):
        found = Searcher(blueprint, player, threads=2).everywhere(maxmargin, iterations=200)
        after = assess(found.strategy)
        assert after.best[1 - player] <= before.best[1 - player] + found.worst_gap
        # The trunk is coarse too, so that not all can be won back; but much is.
        assert after.best[1 - player] < before.best[1 - player] - 0.002
        kept = found.strategy.tables[1 - player]
        assert kept is blueprint.tables[1 - player]
        assert found.searches == 3 * len(PublicSearch(blueprint, player).boards)


def test_threads_change_nothing() -> None:
    blueprint = coarse().strategy()
    tables = [
        Searcher(blueprint, 0, threads=threads)
        .everywhere(lambda entry: ses(entry, 0.3), iterations=20)
        .strategy.tables[0]
        for threads in (1, 2)
    ]
    assert np.array_equal(tables[0], tables[1])


def test_what_is_earned_on_boards_is_what_is_earned() -> None:
    """Payoffs of boards times their chance, and folds before them, are the whole payoff."""
    blueprint = coarse().strategy()
    tree = blueprint.tree
    random = np.random.default_rng(1)
    drawn = [random.random(table.shape, np.float32) for table in blueprint.tables]
    opponent = Strategy.of(tree, (drawn[0], drawn[1]))
    search = PublicSearch(blueprint, 0)
    other = blueprint.tables[0] * random.random(blueprint.tables[0].shape, np.float32)
    same = tree.base[1, 0]  # the trunk is the same, so that only boards make a difference
    other[:same] = blueprint.tables[0][:same]
    arrivals, change = Arrivals(opponent.hands, 1), 0.0
    for board in search.boards:
        entry, reach = search.entry(board), arrivals.at(board)
        count = search.count(0, board)
        mine, theirs = search.rows_of(board, 0), drawn[1][search.rows_of(board, 1)]
        pair = [
            search.earned(entry, table[mine, :count], theirs, reach)
            for table in (other, blueprint.tables[0])
        ]
        change += tree.boards[board].chance * (pair[0] - pair[1])
    values = [
        assess(Strategy.of(tree, (table, drawn[1]))).values[0]
        for table in (other, blueprint.tables[0])
    ]
    assert change == pytest.approx(values[0] - values[1], abs=1e-5)
    assert abs(change) > 1e-3


def test_a_line_that_the_player_never_takes_keeps_its_blueprint() -> None:
    both, _, blueprint, _ = setting("leduc")
    strategy = public(both, blueprint)
    tables = [table.copy() for table in strategy.tables]
    root = strategy.tree.row(0, 0)
    tables[0][root] = [[1.0], [0.0]]  # player 0 always checks
    searcher = Searcher(Strategy.of(both.tree, (tables[0], tables[1])), 0, dtype="float64")
    search = searcher.engine
    entry = search.entry(search.boards[0])
    assert sorted(entry.reached.tolist()) == [False, False, True, True, True]
    found = searcher.everywhere(maxmargin, search.boards[:1], iterations=5)
    rows = search.rows_of(search.boards[0], 0)
    changed = (found.strategy.tables[0][rows] != tables[0][rows]).any(1)
    kept = np.setdiff1d(np.arange(len(changed)), entry.kept)
    assert len(kept) == 14
    assert not changed[kept].any()
    assert changed[entry.kept].all()
    assert found.searches == 3


def test_bad_input_is_told() -> None:
    blueprint = coarse().strategy()
    search = PublicSearch(blueprint, 0)
    entry = search.entry(1)
    with pytest.raises(ParameterError, match="the player is 0 or 1"):
        PublicSearch(blueprint, 2)
    with pytest.raises(ParameterError, match="one street"):
        PublicSearch(Strategy.uniform(PublicTree(one_street())), 0)
    with pytest.raises(UnsupportedError, match="predicts"):
        PublicSearch(blueprint, 0, method="pcfr+")
    with pytest.raises(ParameterError, match="alpha"):
        gadget("ses", entry, alpha=1.5)
    with pytest.raises(ParameterError, match="lines of"):
        gadget("unsafe", entry, range=np.ones(3))
    with pytest.raises(ParameterError, match="does not take"):
        gadget("maxmargin", entry, alpha=1)
    with pytest.raises(SpecError, match="no gadget"):
        gadget("minmax", entry)
    timed = search.refine(entry, maxmargin(entry), seconds=10.0)
    with pytest.raises(ParameterError, match="bound by seconds"):
        search.refine(entry, maxmargin(entry), after=timed)


def test_a_search_goes_on_from_another() -> None:
    """It ends by its gap, sooner than from nothing, and what it says is as true."""
    both, found, blueprint, opponent = setting("fhp")
    search = PublicSearch(public(both, blueprint), 0, dtype="float64")
    entry = search.entry(search.boards[2])
    judged = entry.range_of(Arrivals(public(both, opponent).hands, 1).at(entry.board))
    parts = [gadget("ses", entry, alpha=a, range=judged) for a in (0.4, 0.5)]
    first = search.refine(entry, parts[0], 2000, gap=0.002)
    fresh = search.refine(entry, parts[1], 2000, gap=0.002)
    after = search.refine(entry, parts[1], 2000, gap=0.002, after=first)
    for made in (first, fresh, after):
        assert 0 < made.gap[entry.reached].mean() <= 0.002
        assert made.iterations < 2000
    assert after.iterations < 0.7 * fresh.iterations
    subs = [subgame_of(both, found, search, entry.board, k) for k in range(len(search.starts))]
    for line, sub in enumerate(subs):
        one = enters(sub, blueprint, 0)
        exact = refine(one, ses(one, 0.5, range=one.range_of(opponent)), "lp").objective
        for made in (fresh, after):
            assert made.objective[line] - 1e-9 <= exact
            assert exact <= made.objective[line] + made.gap[line] + 1e-9
    elsewhere = search.entry(search.boards[3])
    with pytest.raises(ParameterError, match="same board and player"):
        search.refine(elsewhere, gadget("maxmargin", elsewhere), 5, after=first)


@pytest.mark.pure
def test_a_search_by_hand() -> None:
    """Two iterations at the root are those of regret matching, written out."""
    both, _, blueprint, _ = setting("leduc")
    search = PublicSearch(public(both, blueprint), 0, dtype="float64", method="cfr")
    entry = search.entry(search.boards[0])
    parts = gadget("maxmargin", entry)
    live, marks = entry.live, parts[0].shift
    one, two = (search.refine(entry, parts, steps) for steps in (1, 2))
    even = live / live.sum(1, keepdims=True)
    assert one.warm.root.arrays.total[0] == pytest.approx(even)
    # In the first iteration both play all things alike there.
    tables = [table.copy() for table in search.blueprint.tables]
    for p in (0, 1):
        tables[p][search.rows_of(entry.board, p)] = 1.0
    plain = PublicSearch(Strategy.of(search.tree, (tables[0], tables[1])), 0, dtype="float64")
    worth = plain.entry(entry.board).value
    gains = np.where(live, worth - marks, 0.0)
    regret = np.where(live, gains - (even * gains).sum(1, keepdims=True), 0.0)
    assert one.warm.root.arrays.regret[0, 0] == pytest.approx(regret, abs=1e-9)
    play = np.maximum(regret, 0.0)
    play /= play.sum(1, keepdims=True)
    assert two.warm.root.arrays.total[0] == pytest.approx(even + play, abs=1e-9)
