"""What searches win from their blueprint: unbiased, by all hands and lines of small games."""

from __future__ import annotations

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.blueprint import blueprint
from counterfold.abstraction.bucket_layout import by_hand
from counterfold.abstraction.buckets import every_hand
from counterfold.agent import Observation
from counterfold.evaluate.exact import values
from counterfold.play.bots import make_bot
from counterfold.play.holdem import HoldemAgent
from counterfold.play.poker_bots import laid_out
from counterfold.play.public_lines import PublicLines, poker_policy
from counterfold.play.search_gain import Gains, _mixed, _told_by, asking, search_gain
from counterfold.poker.cards import board_name, parse_board, parse_hole
from counterfold.poker.game import DECISION
from counterfold.poker.holdem import leduc
from counterfold.tree.public import PublicTree
from tests.play.test_holdem import blueprint as small_blueprint


def leduc_pair():
    """A strategy, and a better one."""
    better = blueprint(leduc(), every_hand(leduc()), 3_000)
    return cf.Strategy.random(better.tree, np.random.default_rng(3)), better


def exact_gain(played, other, me: int, street: int) -> float:
    """What a player wins more who plays the other strategy from a street on, by all histories."""
    form, table = played.tree, played.tables[0].copy()
    betting = form.game.betting
    for node in form.nodes.tolist():
        if betting.player[node] == me and betting.street[node] >= street:
            own = slice(form.start[node], form.start[node] + form.counts[node] * form.actions[node])
            table[own] = other.tables[0][own]
    tree = PublicTree(form.game, symmetry=False)
    mixed, plain = (by_hand(one, tree) for one in (cf.Strategy.of(form, table), played))
    return values(mixed)[me] - values(plain)[me]


@pytest.mark.parametrize(
    ("street", "large", "hands"), [(0, 0.0, 30), (1, 0.0, 500), (1, 10.0, 500)]
)
def test_the_mean_is_what_the_other_wins(street, large, hands):
    """Small pots are looked at less often and count for more: the mean stays."""
    played, other = leduc_pair()
    lines, (_, policy) = PublicLines(*poker_policy(played)), poker_policy(other)
    gains = Gains((lines, lines), lambda line, me, hand: policy, street)
    rng = np.random.default_rng(5)
    won = np.stack([gains.drawn(rng, n, large) for n in range(hands)]).sum(2)
    error = won.std(0, ddof=1) / hands**0.5
    exact = [exact_gain(played, other, me, street) for me in (0, 1)]
    assert (np.abs(won.mean(0) - exact) < 4 * error).all()
    assert (np.abs(exact) > 6 * error).any()  # the draw is fine enough to tell


def test_against_somebody_else_it_is_what_the_other_wins_from_them():
    """By all histories: the opponent calls always, and the strategy before does not."""
    played, better = leduc_pair()
    calling = laid_out("always-call", played.tree)
    game, policy = poker_policy(played)
    call, other = poker_policy(calling)[1], poker_policy(better)[1]
    seats = tuple(
        PublicLines(game, of) for of in (_mixed(game, policy, call), _mixed(game, call, policy))
    )
    gains, rng = (
        Gains(seats, lambda line, me, hand: other, 1, alike=False),
        np.random.default_rng(5),
    )
    won = np.stack([gains.drawn(rng, n, 10.0) for n in range(400)]).sum(2)
    error = won.std(0, ddof=1) / 400**0.5
    exact = [exact_gain(seated(played, calling, 1 - me), better, me, 1) for me in (0, 1)]
    assert (np.abs(won.mean(0) - exact) < 4 * error).all()
    assert (np.abs(exact) > 6 * error).any()
    assert (
        np.abs(np.subtract(exact, [exact_gain(played, better, me, 1) for me in (0, 1)])).max() > 0.1
    )


def seated(played, other, player):
    """A strategy with another one in a player's place."""
    table, form = played.tables[0].copy(), played.tree
    for node in form.nodes[form.game.betting.player[form.nodes] == player].tolist():
        own = slice(form.start[node], form.start[node] + form.counts[node] * form.actions[node])
        table[own] = other.tables[0][own]
    return cf.Strategy.of(form, table)


@pytest.mark.parametrize("name", ["tight", "always-call", "uniform"])
def test_opponents_at_a_table_tell_of_all_hands_at_once(name):
    made, bot = searcher(), make_bot(name)
    policy = _told_by(bot, made.own, made.own.poker)
    tree, board, hole = made.own.poker.betting, parse_board("Ah 7d 2c"), parse_hole("As7s")
    seen = [node for node in range(len(tree)) if tree.kind[node] == DECISION]
    for node in [n for n in seen if not tree.street[n]][:1] + [
        n for n in seen if tree.street[n] == 1
    ][:4]:
        cards = board if tree.street[node] else ()
        asked = Observation(
            int(tree.player[node]), ("As7s", board_name(cards), ""), tree.actions(node)
        )
        odds = bot.odds(asked)
        assert policy(node, cards)[:, hole].tolist() == [
            odds.get(a, 0.0) for a in tree.actions(node)
        ]


def test_who_plays_as_the_blueprint_wins_nothing():
    lines = PublicLines(*poker_policy(leduc_pair()[0]))
    gains = Gains((lines, lines), lambda line, me, hand: lines.policy, 0)
    assert gains.drawn(np.random.default_rng(1), 0) == pytest.approx(np.zeros((2, 2)))


def searcher(iterations: int = 5) -> HoldemAgent:
    """Who searches rivers, to which a random strategy comes if nobody can go all-in before."""
    small = small_blueprint(bets="50%", raises="")
    return HoldemAgent(small, iterations=iterations, street="river")


def test_an_agent_is_asked_once_a_street(monkeypatch):
    monkeypatch.setattr("counterfold.play.search_gain.ALWAYS", 1.0)
    found = search_gain(searcher(), 40, seed=1)
    assert 0 < found.searched < 40
    assert len(found.searches) == 2 * found.searched
    assert {one.street for one in found.searches} == {"river"}
    assert found.by_street["river"] == found.gain
    assert found.gain.value == pytest.approx(sum(one.value for one in found.by_player) / 2)


def test_what_is_asked_is_what_the_agent_plays():
    made, rng = searcher(), np.random.default_rng(2)
    made.begin(made.own)
    game, policy = poker_policy(made.strategy)
    lines = PublicLines(game, policy)
    line = None
    while line is None or game.betting.kind[line.node] != DECISION:
        line = lines.root()
        while line is not None and lines.street(line) < 3:
            line = lines.next_street(line, rng)
    player = int(game.betting.player[line.node])
    shares = asking(made, game)(line, player, 0)(line.node, line.board)
    held = line.reach[player] > 0
    assert shares[:, held].sum(0) == pytest.approx(np.ones(held.sum()), abs=1e-6)
    assert len(made.searches(0)) == 1
    assert parse_board(made.searches(0)[0].board) == line.board
