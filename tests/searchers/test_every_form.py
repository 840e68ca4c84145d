"""A search is the same in every form: entries, gadgets, and what is found in them."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.searchers.entry import HistoryEntry
from counterfold.searchers.gadget import GADGETS, gadget, objective
from counterfold.searchers.public_entry import PublicEntry
from counterfold.searchers.searcher import Searcher
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree
from tests.naive_poker import leduc, tiny_fhp, tiny_flop
from tests.public_layout import BothForms

SETTINGS: dict[str, dict[str, Any]] = {
    "unsafe": {},
    "resolving": {"mark": "blueprint"},
    "maxmargin": {},
    "reach-maxmargin": {},
    "ses": {"alpha": 0.4},
    "ox": {"beta": 0.7},
}
BELIEVE = ("unsafe", "ses", "ox")
GAP = 0.005


class Setting(NamedTuple):
    """Leduc in both forms, with the same blueprint and model of the opponent."""

    both: BothForms
    blueprints: tuple[Strategy[Any], Strategy[Any]]  # by histories, for all hands
    models: tuple[Strategy[Any], Strategy[Any]]


@cache
def setting(narrow: bool = False, solved: bool = False) -> Setting:
    """``narrow`` has a player 0 that bets only one K, so that lines have different live hands."""
    both = BothForms(leduc(), symmetry=False)
    random = np.random.default_rng(7)
    infosets = both.history.infosets

    def forms(weights: Any) -> tuple[Strategy[Any], Strategy[Any]]:
        probabilities = infosets.to_one(weights)
        tables = both.tables_of(probabilities, scaled=False)
        pair = Strategy.of(both.tree, (tables[0], tables[1]))
        return Strategy.of(both.history, probabilities), pair

    weights = [random.exponential(size=infosets.slots) for _ in range(2)]
    if narrow:
        kings = np.isin(both.hole, np.array(leduc().rules.deck)[-1:])
        first = (both.owner == 0) & (both.node == 0) & (both.action == 1)
        weights[0][both.slot[first & ~kings]] = 0.0
    if solved:
        solver = cf.Solver(both.history, "cfr+")
        solver.step(300)
        weights[0] = solver.probabilities()
    return Setting(both, forms(weights[0]), forms(weights[1]))


class Pair(NamedTuple):
    """A line of a board, and the subgame of the history form that it is."""

    line: int
    place: int
    hands: Any  # [classes] the hand of the public form that each class is


def pairs(at: Setting, histories: Searcher[HistoryEntry], public: Any, board: int) -> list[Pair]:
    """The subgames that the lines of a board are, with the hand that each class is."""
    found = lines_of(at.both, histories, public, board)
    assert sorted(pair.line for pair in found) == list(range(len(public.engine.starts)))
    return found


def lines_of(
    both: BothForms, histories: Searcher[HistoryEntry], public: Any, board: int
) -> list[Pair]:
    """The same where the opponent decides anything."""
    other = 1 - histories.player
    tree = both.tree
    found = []
    for place in histories.places:
        entry = histories.entry(place)
        treeplex = entry.subgame.treeplexes[other]
        known = (both.owner == other) & np.isin(both.slot, treeplex.slots)
        if not known.any() or both.board[known][0] != board:
            continue
        new = np.array([int(np.flatnonzero(tree.nodes.old == n)[0]) for n in both.node[known]])
        (line,) = set(np.searchsorted(public.engine.starts, new, "right") - 1)
        hand_at = dict(zip(both.slot[known].tolist(), both.column[known].tolist(), strict=True))
        hands = np.full(treeplex.classes, -1, np.int64)
        for i, parent in enumerate(treeplex.parent):
            if parent < treeplex.classes:
                hands[parent] = hand_at[int(treeplex.slots[treeplex.start[i] - treeplex.classes])]
        assert (hands >= 0).all()
        found.append(Pair(int(line), place, hands))
    return found


def searchers(at: Setting, player: int, **options: Any) -> tuple[Searcher[Any], Searcher[Any]]:
    return (
        Searcher(at.blueprints[0], player),
        Searcher(at.blueprints[1], player, dtype="float64", **options),
    )


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("player", [0, 1])
def test_entries_and_parts_agree(player: int, narrow: bool) -> None:
    at = setting(narrow)
    histories, public = searchers(at, player)
    kinds, gifts = set(), 0.0
    for board in public.places[:2]:
        entry, judged = public.entry(board), public.range(board, at.models[1])
        for line, place, hands in pairs(at, histories, public, board):
            one = histories.entry(place)
            believed = histories.range(place, at.models[0])
            assert believed == pytest.approx(judged[line, hands], abs=1e-12)
            assert (one.live == entry.live[line, hands]).all()
            assert one.reached == entry.reached[line]
            for field in ("dealt", "range", "value", "best", "gifts"):
                ours, theirs = getattr(entry, field)[line, hands], getattr(one, field)
                assert theirs == pytest.approx(ours, abs=1e-9), field
            assert one.mass / one.mass.sum() == pytest.approx(entry.dealt[line, hands], abs=1e-12)
            gifts = max(gifts, float(one.gifts.max()))
            for name, settings in SETTINGS.items():
                ours = {"range": judged} if name in BELIEVE else {}
                theirs = {"range": believed} if name in BELIEVE else {}
                pair = (
                    gadget(name, one, **settings, **theirs),
                    gadget(name, entry, **settings, **ours),
                )
                for mine, other in zip(*pair, strict=True):
                    kinds.add(mine.kind)
                    assert mine.kind == other.kind
                    weight = np.broadcast_to(other.weight, len(entry.mass))[line]
                    assert mine.weight == pytest.approx(weight, abs=1e-12)
                    assert mine.shift == pytest.approx(other.shift[line, hands], abs=1e-9)
                    assert mine.range == pytest.approx(other.range[line, hands], abs=1e-12)
                worth = objective(one, pair[0], one.best)
                assert worth == pytest.approx(objective(entry, pair[1], entry.best)[line], abs=1e-9)
    assert kinds == {"given", "choose", "refuse"}
    assert gifts > 0.1


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("name", SETTINGS)
def test_what_is_found_agrees(name: str, narrow: bool) -> None:
    """The optimum by linear program lies within the gap of the search over all hands."""
    at = setting(narrow)
    histories, public = searchers(at, 0)
    board = public.places[1]
    judged = {"range": public.range(board, at.models[1])} if name in BELIEVE else {}
    found = public.refine(board, name, iterations=1500, gap=GAP, **SETTINGS[name], **judged)
    for line, place, hands in pairs(at, histories, public, board):
        believed = {"range": judged["range"][line, hands]} if judged else {}
        exact = histories.refine(place, name, **SETTINGS[name], **believed)
        assert exact.gap < 1e-8
        assert found.objective[line] - 1e-9 <= exact.objective
        assert exact.objective <= found.objective[line] + found.gap[line] + 1e-9
        assert found.gap[line] < 5 * GAP
        said = objective(exact.entry, exact.parts, found.best[line, hands])
        assert said == pytest.approx(found.objective[line], abs=1e-9)
    assert public.rise(found) >= 0.0
    counts = found.entry.live.sum(1)
    assert (counts.min() < counts.max()) == narrow


@pytest.mark.parametrize("player", [0, 1])
def test_the_whole_strategy_is_as_exploitable(player: int) -> None:
    """Safe searches in both forms, each within its own gaps of what is best."""
    at = setting()
    before = cf.best_response(at.blueprints[0], 1 - player).value
    assert cf.best_response(at.blueprints[1], 1 - player).value == pytest.approx(before, abs=1e-9)
    histories, public = searchers(at, player, threads=2)
    made = (
        histories.everywhere(GADGETS["maxmargin"]),
        public.everywhere(GADGETS["maxmargin"], gap=GAP, iterations=1500),
    )
    assert [one.searches for one in made] == [30, 30]
    for one in made:
        after = cf.best_response(one.strategy, 1 - player).value
        assert after <= before + one.worst_gap + 1e-9
        assert after < before - 0.05
    # The strategy of one form is as exploitable in the other.
    tables = [np.asarray(table, np.float64) for table in made[1].strategy.tables]
    slots = np.nan_to_num(at.both.slots_of(tables, scaled=False))
    moved = Strategy.of(at.both.history, at.both.history.infosets.to_one(slots))
    same = cf.best_response(moved, 1 - player).value
    assert same == pytest.approx(cf.best_response(made[1].strategy, 1 - player).value, abs=1e-9)


def test_alphas_and_budgets_agree() -> None:
    at, budget = setting(solved=True), 0.2
    histories, public = searchers(at, 1)
    board = public.places[0]
    judged = public.range(board, at.models[1])
    alpha = public.alpha_within(board, judged, budget)
    lines = pairs(at, histories, public, board)
    by_line = [histories.alpha_within(p, judged[line, hands], budget) for line, p, hands in lines]
    assert 0 < alpha < 1
    assert alpha == pytest.approx(min(by_line), abs=0.01)
    made = public.refine(board, alpha=alpha, range=judged, mark="best", iterations=3000, gap=1e-3)
    assert public.rise(made) <= budget + made.gap.max() / (1 - alpha)
    bold = public.refine(board, "unsafe", range=judged, iterations=1000)
    assert public.rise(bold) > budget + 0.1  # what the budget holds back
    rises = [(bold.best - bold.entry.best)[line, hands].max() for line, _, hands in lines]
    assert public.rise(bold) == max(rises)


@pytest.mark.parametrize("player", [0, 1])
def test_three_streets(player: int) -> None:
    """Gifts add up over the streets before the last one."""
    both = BothForms(tiny_flop(seed=3), symmetry=False)
    infosets = both.history.infosets
    played = infosets.to_one(np.random.default_rng(1).exponential(size=infosets.slots))
    tables = both.tables_of(played, scaled=False)
    histories = Searcher[HistoryEntry](Strategy.of(both.history, played), player, "deal:2")
    blueprint = Strategy.of(both.tree, (tables[0], tables[1]))
    public = Searcher[PublicEntry](blueprint, player, "deal:2", dtype="float64")
    compared = 0
    for board in public.places[::9]:
        entry = public.entry(board)
        for line, place, hands in lines_of(both, histories, public, board):
            one = histories.entry(place)
            for field in ("best", "gifts"):
                ours, theirs = getattr(entry, field)[line, hands], getattr(one, field)
                assert theirs[one.live] == pytest.approx(ours[one.live], abs=1e-9), field
            compared += int(one.live.sum())
    assert compared > 20
    with pytest.raises(UnsupportedError, match="begins on its last street, at 'deal:2'"):
        Searcher(blueprint, player)


def test_gifts_do_not_depend_on_symmetry() -> None:
    trees = [PublicTree(tiny_fhp(cap=2, seed=3), symmetry=symmetry) for symmetry in (True, False)]
    assert len(trees[0].boards) < len(trees[1].boards)
    few, many = (Searcher[PublicEntry](Strategy.uniform(tree), 0) for tree in trees)
    where = {board.cards: number for number, board in enumerate(trees[1].boards)}
    largest = 0.0
    for place in few.places:
        other = where[trees[0].boards[place].cards]
        holes = [tree.hands[1][n].holes for tree, n in zip(trees, (place, other), strict=True)]
        assert (holes[0] == holes[1]).all()
        gifts = few.entry(place).gifts
        assert gifts == pytest.approx(many.entry(other).gifts, abs=1e-9)
        largest = max(largest, float(gifts.max()))
    assert largest > 0.1


def test_one_call_for_every_form() -> None:
    at = setting()
    for blueprint in at.blueprints:
        found = cf.search(blueprint, gadget="resolving", player=0)
        before, after = (cf.best_response(one, 1).value for one in (blueprint, found.strategy))
        assert after < before
    searcher = Searcher(at.blueprints[1], 0)
    board = searcher.places[0]
    once = cf.search(at.blueprints[1], board, gadget="maxmargin", player=0)
    assert once.searches == 5
    rows = searcher.engine.rows_of(board, 0)
    changed = (once.strategy.tables[0] != at.blueprints[1].tables[0]).any(1)
    assert changed[rows].all()
    assert changed.sum() == rows.stop - rows.start


def test_what_a_form_does_not_do_is_told() -> None:
    at = setting()
    searcher = Searcher(at.blueprints[1], 0)
    with pytest.raises(UnsupportedError, match="begins on its last street, at 'board'"):
        Searcher(at.blueprints[1], 0, "move:1")
    with pytest.raises(ParameterError, match="sums to zero"):
        searcher.refine(searcher.places[0], "unsafe", range=np.zeros_like(searcher.entry(1).mass))
