"""Betting before the flop over drawn deals: against naive recursion, and exact games of two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.drawn_deals import BLOCK
from counterfold.abstraction.drawn_engine import DrawnForm
from counterfold.abstraction.drawn_form import DrawnEvaluator
from counterfold.errors import ParameterError
from counterfold.kernels import drawn
from counterfold.poker.cards import HIGH, LOW, parse_hole
from counterfold.poker.equities import BOARDS, preflop_wins
from counterfold.poker.game import DECISION, FOLD
from counterfold.poker.isomorphism import hole_classes
from counterfold.poker.table import Holdem, jam_or_fold
from counterfold.strategy.strategy import Strategy

TABLES: dict[str, Holdem] = {
    "two": jam_or_fold(stack=6),
    "three": jam_or_fold(players=3, stack=8),
    "unequal": jam_or_fold(players=3, stack=(5.0, 9.0, 14.0), ante=0.5),
    "payouts": jam_or_fold(players=4, stack=(5.0, 9.0, 14.0, 3.0), payouts=(50.0, 30.0, 20.0)),
    "raises": Holdem(3, 12.0, raises="3x,allin", cap=3, last_street="preflop"),
}


class Naive:
    """What a strategy earns in each deal, by plain recursion and the table's own rules.

    A player's own hand is one of each class; the others hold what was dealt.
    """

    def __init__(self, table: Holdem, form: DrawnForm, tables: Any) -> None:
        self.table, self.form, self.numbers = table, form, tables[0]
        self.deals, self.known = form.drawn, dict[Any, Any]()

    def earned(self, deal: int, player: int) -> float:
        """By a player, with all of its hands."""
        worth = 0.0
        for mine, weight in enumerate(self.deals.weight[deal].tolist()):
            if weight:
                hands, holes = self.deals.hand[deal].tolist(), self.deals.hole[deal].tolist()
                ranks = self.deals.rank[deal].tolist()
                hands[player], holes[player] = mine, int(self.deals.own[deal, mine])
                ranks[player] = int(self.deals.own_rank[deal, mine])
                worth += weight * self.value(0, hands, holes, ranks)[player]
        return worth

    def value(self, node: int, hands: Any, holes: Any, ranks: Any) -> Any:
        betting, form = self.form.game.betting, self.form
        if betting.kind[node] != DECISION:
            return self.end(node, holes, ranks)
        player, many = int(betting.player[node]), int(form.actions[node])
        at = int(form.start[node]) + hands[player] * many
        total = np.zeros(form.players)
        for action, child in enumerate(betting.children(node)):
            if self.numbers[at + action]:
                total += self.numbers[at + action] * self.value(child, hands, holes, ranks)
        return total

    def end(self, node: int, holes: Any, ranks: Any) -> Any:
        """The table's payoffs, by exact equities of two or by the board drawn."""
        betting, n = self.form.game.betting, self.form.players
        inside = [p for p in range(n) if not betting.folded[node] >> p & 1]
        if betting.kind[node] == FOLD:
            return self.paid(node, [0] * n)
        if len(inside) == 2:
            wins, (one, two) = preflop_wins(), inside
            won, lost = wins[holes[one], holes[two]] / BOARDS, wins[holes[two], holes[one]] / BOARDS
            chances = [won, 1 - won - lost, lost]
            cases = [[int(p == one) for p in range(n)], [1] * n, [int(p == two) for p in range(n)]]
            rows = zip(chances, cases, strict=True)
            return sum(chance * self.paid(node, case) for chance, case in rows)
        return self.paid(node, ranks)

    def paid(self, node: int, strengths: list[int]) -> Any:
        """By the rules of money of the table, at the state that the line leads to."""
        order = tuple(sorted(set(strengths)).index(strength) for strength in strengths)
        if (node, order) not in self.known:
            state = self.table.betting.root()
            for word in self.form.game.betting.line(node):
                state = dict(self.table.betting.moves(state))[word]
            payoffs = self.table.betting.payoffs(_shown(self.table, state), order)
            self.known[node, order] = np.array(self.table._worth(payoffs))
        return self.known[node, order]


def _shown(table: Holdem, state: Any) -> Any:
    moves = table.betting.moves(state)
    while moves and not moves[0][0]:  # cards that nobody bets on
        state = moves[0][1]
        moves = table.betting.moves(state)
    return state


@pytest.mark.parametrize("name", TABLES)
def test_values_are_those_of_plain_recursion(name: str) -> None:
    table = TABLES[name]
    form = DrawnForm(table.poker, deals=26, seed=5)
    tables = Strategy.random(form, 2).tables
    naive, found = Naive(table, form, tables), DrawnEvaluator(form)
    earned = found.earned(tables)
    for deal, player in [(d, p) for d in (0, 17) for p in range(form.players)]:
        assert naive.earned(deal, player) == pytest.approx(earned[deal, player], abs=1e-5)
    values = earned.mean(0) - earned.mean()  # sums are shared out
    np.testing.assert_allclose(found.assess(tables).values, values, rtol=0, atol=1e-9)


def test_deals_are_fair() -> None:
    """Every seat holds every hole as often; hands beside a deal meet it as its odds are."""
    form = DrawnForm(TABLES["unequal"].poker, deals=4 * BLOCK, seed=3)
    deals, cards = form.drawn, np.stack([HIGH, LOW], 1)
    for block in deals.hole.reshape(4, BLOCK, 3):
        assert (np.sort(block, axis=0) == np.arange(BLOCK)[:, None]).all()
    held = cards[deals.hole].reshape(len(deals.hole), -1)
    assert all(len(set(row)) == 6 for row in held.tolist())
    there = deals.weight > 0
    assert not (cards[deals.own][..., None] == held[:, None, None]).any((2, 3))[there].any()
    of = hole_classes().of
    assert (of[deals.own] == np.arange(169))[there].all()
    assert (of[deals.hole] == deals.hand).all()
    np.testing.assert_allclose(deals.weight.sum(1), 1, atol=1e-5)
    usual = hole_classes().weight / BLOCK
    np.testing.assert_allclose(deals.weight.mean(0), usual, rtol=0.1)
    won = deals.own_rank[..., None].astype(np.int64) - deals.rank[:, None]
    share = (won > 0) + 0.5 * (won == 0)
    aces, rags = (of[parse_hole(name)] for name in ("AsAh", "7c2d"))
    for hand, wanted in ((aces, 0.85203713), (rags, 0.34583647)):  # against any
        met = (deals.weight[:, hand, None] * share[:, hand]).sum(0) / deals.weight[:, hand].sum()
        assert met == pytest.approx(np.full(3, wanted), abs=0.025)


@pytest.mark.parametrize("name", ["three", "raises"])
def test_a_best_response_earns_what_it_says_and_more_than_others(name: str) -> None:
    form = DrawnForm(TABLES[name].poker, deals=60, seed=1)
    tables, evaluator = Strategy.random(form, 4).tables, DrawnEvaluator(form)
    assessed, earned = evaluator.assess(tables), evaluator.earned(tables)
    together, owner = evaluator.best_responses(tables), np.repeat(form.infosets.owner, form.widths)
    gained = (evaluator.earned(tables, together) - earned).mean(0)
    assert gained == pytest.approx(assessed.gains, abs=1e-9)
    for player in range(form.players):
        value, answer = evaluator.best_response(tables, player)
        worth = evaluator.earned(answer)[:, player].mean()
        assert worth - earned[:, player].mean() == pytest.approx(gained[player], abs=1e-9)
        assert value == pytest.approx(assessed.best[player])
        for seed in range(4):
            other = np.where(owner == player, Strategy.random(form, seed).tables[0], tables[0])
            assert evaluator.earned((other,))[:, player].mean() < worth


def test_two_players_agree_with_the_exact_game() -> None:
    """The deals drawn are another game, whose value is off by its error; charts are close."""
    exact = cf.solve("holdem:jamfold(stack=6)")
    form = DrawnForm(jam_or_fold(stack=6).poker, deals=10 * BLOCK, seed=2)
    found = cf.solve(form, until=cf.Until(exploitability=1e-4, iterations=300))
    assert found.exploitability <= 1e-4
    assert found.drawn is not None
    off = found.value - exact.value
    assert abs(off) < 3 * found.drawn["errors"][0] < 0.03
    assert abs(found.drawn["fresh_values"][0] - exact.value) < 3 * found.drawn["fresh_errors"][0]
    owned = found.strategy
    for hand in ("AsAh", "Ks9s", "7c2d", "3d2d"):
        wanted = exact.strategy.at(hand)["all-in 6"]
        assert owned.at(hand)["all-in 6"] == pytest.approx(wanted, abs=0.05)


def test_three_players_near_an_equilibrium_and_folding_is_worth_nothing_to_the_button() -> None:
    form = DrawnForm(jam_or_fold(players=3, stack=8).poker, deals=2 * BLOCK, seed=1)
    result = cf.solve(form, until=cf.Until(exploitability=1e-4, iterations=200))
    assert result.exploitability <= 1e-4
    assert sum(result.values) == pytest.approx(0.0, abs=1e-6)
    assert result.values[0] > 0  # who pays no blind loses nothing by folding
    assert result.strategy.at("AsAh")["all-in 8"] > 0.99
    assert result.strategy.at("7c2d")["fold"] > 0.99
    assert result.drawn is not None
    assert max(result.drawn["fresh_gains"]) < 0.02


def test_how_far_values_may_be_off_is_told_by_fresh_deals() -> None:
    """A strategy that was found on few deals fits them: others tell how far its values are off."""
    few = DrawnForm(jam_or_fold(players=4, stack=8).poker, deals=52, seed=3)
    result = cf.solve(few, until=60)
    many = DrawnForm(few.whole_game, deals=20 * BLOCK, seed=9)
    true = DrawnEvaluator(many).values(result.strategy.tables)
    assert result.drawn is not None
    miss = np.abs(np.subtract(result.values, true))
    assert (miss < result.drawn["off"]).all()
    assert (np.array(result.drawn["fresh_errors"]) < 0.6 * np.array(result.drawn["errors"])).all()


def test_a_run_is_saved_and_goes_on_bit_for_bit(tmp_path: Path) -> None:
    form = DrawnForm(jam_or_fold(players=3, stack=8).poker, deals=130, seed=7)
    path = tmp_path / "run.safetensors"
    first = cf.solve(form, until=5, save=path)
    loaded = cf.load(path)
    assert (loaded.tree.deals, loaded.tree.seed) == (130, 7)
    assert loaded.at("AsKs") == first.strategy.at("AsKs")
    assert cf.resume(path, 12).values == cf.solve(form, until=12).values
    assert cf.exploitability(loaded) == pytest.approx(first.exploitability, abs=1e-6)


def test_tables_in_32_bits_and_a_warm_start() -> None:
    form = DrawnForm(TABLES["three"].poker, deals=520)
    fine, coarse = (cf.Solver(form, "cfr+", dtype=kind) for kind in ("float64", "float32"))
    for solver in (fine, coarse):
        solver.step(60)
    assert coarse.assess().values == pytest.approx(fine.assess().values, abs=2e-3)
    later = cf.Solver(form, "cfr+")
    later.begin(*fine.learned())
    assert later.strategy().tables[0] == pytest.approx(fine.strategy().tables[0], abs=1e-12)
    fresh = cf.Solver(form, "cfr+")
    for solver in (later, fresh):
        solver.step(3)
    assert max(later.assess().gains) < 0.2 * max(fresh.assess().gains)


def test_two_of_three_who_begin_with_nothing_to_lose_is_refused() -> None:
    game = jam_or_fold(players=3).poker
    with pytest.raises(ParameterError, match="deals must be a whole number"):
        DrawnForm(game, deals=0)


def test_a_signal_ends_what_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    form, told = DrawnForm(jam_or_fold(players=3, stack=3).poker, deals=130), list[int]()
    tables, signal = Strategy.uniform(form).tables, False
    form.on_fresh = lambda done, _: told.append(done)
    assert form.measured(tables)["fresh_deals"] == 8 * 130
    assert told == list(range(0, 8 * 130, 130))
    monkeypatch.setattr("counterfold.interrupts.noted", lambda: signal)

    def on_fresh(done: int, total: int) -> None:
        nonlocal signal
        signal = done == 3 * 130

    form.on_fresh = on_fresh
    assert form.measured(tables)["fresh_deals"] == 3 * 130
    signal = True
    assert form.measured(tables) == {"deals": 130, "seed": 0}


def test_an_iteration_that_a_signal_ends_is_taken_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The file has the iterations before it, and goes on bit for bit."""
    form = DrawnForm(jam_or_fold(players=3, stack=8).poker, deals=130, seed=7)
    path, walked = tmp_path / "run.safetensors", 0

    def gradient(*given: Any) -> None:
        nonlocal walked
        walked += 1
        kernel(*given)

    kernel = drawn.gradient
    monkeypatch.setattr(drawn, "gradient", gradient)
    cf.solve(form, until=5)
    each, until = walked // 5, 20
    walked = 0
    monkeypatch.setattr("counterfold.interrupts.noted", lambda: walked > each * 7 // 2)
    cut = cf.solve(form, until=until, save=path)
    assert (cut.stopped, cut.drawn) == ("interrupted", {"deals": 130, "seed": 7})
    assert 0 < cut.iterations < 5
    monkeypatch.undo()
    assert cf.resume(path, until).values == cf.solve(form, until=until).values


def test_a_signal_before_the_first_check_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    form = DrawnForm(jam_or_fold(players=3, stack=8).poker, deals=130, seed=7)
    monkeypatch.setattr("counterfold.interrupts.noted", lambda: True)
    with pytest.raises(KeyboardInterrupt):
        cf.solve(form, until=9, save=tmp_path / "run.safetensors")
    assert not list(tmp_path.iterdir())
