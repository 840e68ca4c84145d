"""The oracles of poker: plain rules out of a PokerGame, the tiny games, naive showdowns."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.poker import holdem
from counterfold.poker.cards import hole_cards, parse_hole
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN, BettingTree
from counterfold.solvers.lp import solve_lp
from counterfold.testing import check_game
from tests import naive, naive_poker
from tests.naive_betting import Street, naive_betting
from tests.naive_counts import counts
from tests.naive_poker import NaivePoker, naive_fold, naive_showdown
from tests.poker.naive import best

ALL = [
    naive_poker.kuhn(),
    naive_poker.leduc(),
    naive_poker.tiny_river(),
    naive_poker.tiny_turn(seed=2, rake=(0.05, 2.0)),
    naive_poker.tiny_flop(seed=3),
    naive_poker.tiny_fhp(seed=4),
]
POCKETS = [game for game in ALL if game.rules.hole == 2]


def names(games: list[Any]) -> list[str]:
    return [game.name for game in games]


@pytest.mark.parametrize("poker", ALL, ids=names(ALL))
def test_every_oracle_is_a_game(poker: Any) -> None:
    report = check_game(NaivePoker(poker), limit=8_000)
    assert report.terminals
    assert report.complete == (poker.name in ("kuhn", "tiny_river", "tiny_flop"))


def test_kuhn_is_kuhn() -> None:
    game = NaivePoker(naive_poker.kuhn())
    ours, known = cf.compile_game(game), cf.compile_game(cf.Kuhn())
    assert counts(game) == counts(cf.Kuhn())
    assert [name.replace("s", "", 1) for name in ours.infosets.labels] == list(
        known.infosets.labels
    )
    assert ours.infosets.actions == known.infosets.actions
    for array in ("turn", "first", "child", "prob", "infoset", "leaf", "payoff"):
        assert np.allclose(getattr(ours, array), getattr(known, array))
    assert solve_lp(ours).value == pytest.approx(-1 / 18)


def test_leduc_is_leduc() -> None:
    game, other = NaivePoker(naive_poker.leduc()), cf.Leduc(suited=True)
    assert counts(game) == counts(other)
    ours, known = cf.compile_game(game), cf.compile_game(other)
    # The decks stand in another order, so rows are matched by name.
    actions = dict(zip(ours.infosets.labels, ours.infosets.actions, strict=True))
    assert actions == dict(zip(known.infosets.labels, known.infosets.actions, strict=True))
    assert solve_lp(ours).value == pytest.approx(solve_lp(known).value, abs=1e-9)
    one, two = (naive.Cfr(g, naive.RULES["cfr+"], True).run(2) for g in (game, other))
    for infoset, regret in one.regret.items():
        assert regret == pytest.approx(two.regret[infoset], abs=1e-12)


@pytest.mark.parametrize("poker", POCKETS, ids=names(POCKETS))
def test_hands_are_dealt_by_their_weights_and_without_each_other(poker: Any) -> None:
    game = NaivePoker(poker)
    found = {
        (parse_hole(first), parse_hole(second)): p * q
        for first, p in game.chance(game.root())
        for second, q in game.chance(game.next(game.root(), first))
    }
    wanted = {
        (a, b): poker.ranges[0][a] * poker.ranges[1][b]
        for a in range(1326)
        for b in np.flatnonzero(poker.ranges[1]).tolist()
        if poker.ranges[0][a] and len({*hole_cards(a), *hole_cards(b)}) == 4
    }
    total = sum(wanted.values())
    assert found == pytest.approx({pair: weight / total for pair, weight in wanted.items()})


def test_a_flop_is_a_set_of_what_is_left() -> None:
    poker = naive_poker.tiny_fhp("QKA", "dhs")
    game = NaivePoker(poker)
    state = game.root()
    for event in ("AsKs", "QhQd", "call", "check"):
        state = game.next(state, event)
    left = {"Ah", "Ad", "Kh", "Kd", "Qs"}
    flops = game.chance(state)
    assert len(flops) == 10
    assert {p for _, p in flops} == {0.1}
    assert {frozenset((f[:2], f[2:4], f[4:])) for f, _ in flops} == {
        frozenset(some) for some in combinations(left, 3)
    }
    after = game.next(state, "AhKdQs")
    assert game.turn(after) == 1  # the big blind speaks first
    assert game.observe(after, 0) == ("AsKs", "call check", "AhKdQs", "")
    assert game.observe(after, 1) == ("QhQd", "call check", "AhKdQs", "")
    for event in ("bet", "raise", "call"):
        after = game.next(after, event)
    assert game.payoff(after) == (-6.0, 6.0)  # three queens against two pairs


@pytest.mark.parametrize("poker", POCKETS, ids=names(POCKETS))
def test_hands_at_random_end_as_money_and_cards_say(poker: Any) -> None:
    rng = np.random.default_rng(0)
    game, shown = NaivePoker(poker), 0
    for _ in range(300):
        state = game.root()
        while (turn := game.turn(state)) != TERMINAL:
            moves = game.actions(state) if turn >= 0 else [o for o, _ in game.chance(state)]
            state = game.next(state, moves[rng.integers(len(moves))])
        hands, board, node = state
        paid, payoff = poker.betting.paid[node], game.payoff(state)
        rake = -sum(payoff)
        assert rake == pytest.approx(
            min(0.05 * 2 * min(paid), 2.0) if poker.name == "tiny_turn" else 0, abs=1e-12
        )
        if poker.betting.kind[node] == FOLD:
            folded = poker.betting.player[node]
            assert payoff[folded] == -paid[folded]
            continue
        shown += 1
        cards = (*poker.board, *board)
        assert len(set(cards)) == (3 if poker.name == "tiny_fhp" else 5)
        first, second = (best((*hole_cards(hand), *cards)) for hand in hands)
        part = 1.0 if first > second else 0.5 if first == second else 0.0
        assert payoff[0] == pytest.approx(part * (sum(paid) - rake) - paid[0])
    assert shown > 30


def test_a_showdown_and_a_fold_are_those_of_the_rules() -> None:
    """All check: the value is that of the showdown. A fold at once: that of the fold."""
    poker = naive_poker.tiny_river(rake=(0.1, 3.0))
    game = NaivePoker(poker)
    first, second = poker.ranges
    cards, strengths = poker.rules.cards, poker.rules.strengths(np.array([poker.board]))[0]
    pairs = first @ naive_fold(cards, second.tolist(), 1.0)

    def play(wanted: tuple[str, ...]) -> list[float]:
        found = {
            (p, o): [float(a in wanted) for a in actions]
            for (p, o), actions in naive.infosets(game).items()
        }
        return naive.values(game, {i: naive.to_one(row) for i, row in found.items()})

    worth = [
        first @ naive_showdown(strengths, cards, second.tolist(), 4.0, -0.5, -5.0, poker.board),
        second @ naive_showdown(strengths, cards, first.tolist(), 4.0, -0.5, -5.0, poker.board),
    ]
    assert play(("check", "fold")) == pytest.approx([w / pairs for w in worth])
    assert play(("bet 20", "fold")) == pytest.approx([4.0, -5.0])


def test_naive_showdown_by_hand() -> None:
    cards = np.array([[3, 2], [5, 4], [7, 3], [9, 8], [11, 2]], np.uint8)
    strengths, reach = [1, 2, 2, 3, 0], [0.5, 0.25, 0.125, 1.0, 2.0]
    # The third shares a card with the first; the last with the first, and with the board.
    assert naive_showdown(strengths, cards, reach, 10, 1, -10, board=(11,)) == [
        -10 * 0.25 - 10 * 1.0,
        10 * 0.5 + 1 * (0.25 * 0 + 0.125) - 10 * 1.0,
        1 * 0.25 - 10 * 1.0,
        10 * (0.5 + 0.25 + 0.125),
        0.0,
    ]
    assert naive_fold(cards, reach, 2.0, board=(11,)) == [2.5, 3.25, 2.5, 1.75, 0.0]
    one = np.array([[0, 52], [4, 52], [8, 52]], np.uint8)  # hands of one card
    assert naive_showdown([1, 1, 2], one, [1.0, 0.5, 0.25], 1, 0, -1) == [-0.25, -0.25, 1.5]


def check_tree(tree: BettingTree) -> None:
    """What the docstring of ``BettingTree`` promises."""
    assert (np.diff(tree.street.astype(int)) >= 0).all()
    assert tree.parent[0] == -1
    reached = [0]
    for node in range(len(tree)):
        children = tree.children(node)
        reached += children
        kind = tree.kind[node]
        assert (len(children) > 0) == (kind in (DECISION, DEAL))
        assert all(child > node and tree.parent[child] == node for child in children)
        deeper = int(kind == DEAL)
        assert all(tree.street[child] == tree.street[node] + deeper for child in children)
        if kind == DEAL:
            assert len(children) == 1
        assert (tree.player[node] >= 0) == (kind in (DECISION, FOLD))
        if kind in (DEAL, SHOWDOWN):
            assert tree.paid[node, 0] == tree.paid[node, 1]
    assert sorted(reached) == list(range(len(tree)))


@pytest.mark.parametrize("poker", ALL, ids=names(ALL))
def test_betting_trees_are_in_order(poker: Any) -> None:
    check_tree(poker.betting)


@pytest.mark.parametrize(
    ("built", "ours"),
    [
        (holdem.kuhn(), naive_poker.kuhn()),
        (holdem.leduc(), naive_poker.leduc()),
        (holdem.fhp(cap=4), naive_poker.tiny_fhp(cap=4)),
        (holdem.fhp(cap=2, deck="JhJsQhQsKhKsAhAs"), naive_poker.tiny_fhp()),
    ],
    ids=["kuhn", "leduc", "fhp", "fhp of few cards"],
)
def test_the_games_of_the_package_have_the_same_betting(built: Any, ours: Any) -> None:
    assert built.betting.label == ours.betting.label
    for array in ("street", "kind", "player", "parent", "first", "count", "paid", "payoff"):
        assert np.array_equal(getattr(built.betting, array), getattr(ours.betting, array)), array
    if built.name != "fhp" or len(built.rules.deck) < 52:
        one, two = (cf.compile_game(NaivePoker(game)) for game in (built, ours))
        assert one.infosets.labels == two.infosets.labels
        assert np.array_equal(one.payoff, two.payoff)
        assert np.array_equal(one.prob, two.prob)


def test_flop_holdem_has_seven_lines_to_the_flop() -> None:
    tree = naive_poker.tiny_fhp(cap=4).betting
    deals = [n for n in range(len(tree)) if tree.kind[n] == DEAL]
    assert len(deals) == 7
    assert sum(tree.kind[n] == DECISION and tree.street[n] == 1 for n in range(len(tree))) == 70
    assert sum(tree.street[p] == 1 and tree.kind[p] == DECISION for p in tree.parent[1:]) == 7 * 26
    assert tree.line(deals[0]) == ("call", "check")


def test_who_is_all_in_sees_the_board_and_bets_no_more() -> None:
    tree = naive_betting([Street(0, (5.0,), 1)] * 3, (5.0, 5.0), stack=10.0)
    node = next(n for n in range(len(tree)) if tree.line(n) == ("bet", "call"))
    kinds = [int(tree.kind[node])]
    while tree.count[node]:
        node = int(tree.first[node])
        kinds.append(int(tree.kind[node]))
    assert kinds == [DEAL, DEAL, SHOWDOWN]
    assert tree.street[node] == 2


def test_a_raked_tree_pays_less_to_the_winner_only() -> None:
    plain, raked = naive_poker.tiny_turn().betting, naive_poker.tiny_turn(rake=(0.1, 4.0)).betting
    less = plain.payoff - raked.payoff
    ends = plain.kind == SHOWDOWN
    taken = np.minimum(0.2 * plain.paid[ends].min(1), 4.0)
    assert np.allclose(less[ends][:, 0], np.stack([taken, taken / 2, 0 * taken], 1))
    for node in np.flatnonzero(plain.kind == FOLD):
        folded = int(plain.player[node])
        assert np.allclose(less[node, folded], 0)
        assert np.allclose(less[node, 1 - folded], min(0.2 * plain.paid[node].min(), 4.0))


def test_suits_alike_means_weights_that_do_not_see_suits() -> None:
    for hand, other in (("AsKs", "AhKh"), ("AsKh", "AhKs")):
        for weights in naive_poker.tiny_fhp(seed=9).ranges:
            assert weights[parse_hole(hand)] == weights[parse_hole(other)]
    uneven = naive_poker.tiny_river(seed=9).ranges
    assert len(np.unique(uneven[0])) > 10
    assert not np.array_equal(*uneven)


def test_chance_is_where_the_rules_deal() -> None:
    game = NaivePoker(naive_poker.tiny_turn())
    state = game.root()
    while (turn := game.turn(state)) != TERMINAL:
        if turn == CHANCE and len(state[0]) == 2:
            assert game.tree.kind[state[2]] == DEAL
            assert len(game.chance(state)) == 11 - 4 - 4
        move = game.actions(state)[0] if turn >= 0 else game.chance(state)[0][0]
        state = game.next(state, move)
