"""Hands at the table: what agents see, what they may learn, and what a fault costs."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest

import counterfold as cf
from counterfold.games.base import label
from counterfold.play.agents import StrategyAgent
from counterfold.play.clock import within
from counterfold.play.dealer import Dealer, deal_seed
from counterfold.play.match import Match
from counterfold.play.table import Table, worst_end
from counterfold.tree.history import compile_game
from tests.random_games import DrawnGame, Node


class Watcher(cf.Agent):
    """Remembers all that it is told."""

    name = "watcher"

    def __init__(self, action=0):
        self.action, self.seen, self.hands = action, [], []

    def act(self, observation, rng):
        self.seen.append(observation)
        return observation.actions[min(self.action, len(observation.actions) - 1)]

    def learn(self, hand):
        self.hands.append(hand)


class Broken(cf.Agent):
    name = "broken"

    def __init__(self, answer):
        self.answer = answer

    def act(self, observation, rng):
        return self.answer(observation)


def boom(observation):
    raise ValueError("no idea")


def sleep(observation):
    time.sleep(30)


def spin(observation):
    while True:
        pass


def test_an_agent_sees_what_a_player_sees():
    game = cf.Leduc()
    watcher, other = Watcher(1), Watcher(1)
    Match(game, watcher, other, seed=1).play(50)
    for seen in watcher.seen:
        assert all(isinstance(part, str) for part in seen.seen)
        assert seen.seen[0] in ("J", "Q", "K")
        assert seen.actions in (("check", "bet"), ("fold", "call"), ("fold", "call", "raise"))
    assert {seen.player for seen in watcher.seen} == {0, 1}
    assert len(watcher.hands) == len(other.hands) == 50


def test_cards_are_shown_at_a_showdown_and_never_else():
    game = cf.Kuhn()
    watcher = Watcher(1)  # bets, and calls
    folder = Watcher(0)  # checks, and folds
    Match(game, watcher, folder, seed=1).play(60)
    assert all(hand.shown == () for hand in watcher.hands)  # it always ends with a fold
    assert all(hand.events is None for hand in watcher.hands)
    both = Watcher(1), Watcher(1)
    Match(game, *both, seed=1).play(60)
    for hand in both[0].hands:
        own = hand.choices[0].observation.seen[0]
        assert hand.shown[hand.player] == own
        assert hand.shown[1 - hand.player] != own


def test_all_cards_are_revealed_if_the_match_says_so():
    watcher = Watcher(1)
    Match(cf.Kuhn(), watcher, Watcher(0), seed=1, reveal=True).play(20)
    assert all(len(hand.events) >= 3 and hand.events[0] in "JQK" for hand in watcher.hands)


def test_what_others_did_is_told_as_far_as_it_was_seen():
    watcher, other = Watcher(1), Watcher(0)
    Match(cf.Kuhn(), watcher, other, seed=1).play(40)
    moves = [move for hand in watcher.hands for move in hand.others]
    assert {move.action for move in moves} == {"check", "fold"}
    # Bids of Goofspiel are hidden until both are made.
    watcher = Watcher(0)
    Match(cf.load("goofspiel(cards=3)"), watcher, Watcher(0), seed=1).play(10)
    hidden = [move.action for hand in watcher.hands for move in hand.others]
    assert None in hidden


def test_hidden_moves_stay_hidden():
    """Player 2 cannot tell the two moves of player 1 apart."""
    nodes = [
        Node(0, (1, 2), infoset="top"),
        Node(1, (3, 4), infoset="same"),
        Node(1, (3, 4), infoset="same"),
        Node(-2, payoff=(1.0, -1.0)),
        Node(-2, payoff=(-1.0, 1.0)),
    ]
    watcher = Watcher(0)
    Match(DrawnGame(2, nodes), watcher, Watcher(1), seed=1).play(10)
    moves = [m for hand in watcher.hands if hand.player == 1 for m in hand.others]
    assert moves
    assert all(move.action is None for move in moves)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda o: "raise the roof", "chose 'raise the roof' at"),
        (lambda o: None, "chose None at"),
        (lambda o: 7, "chose 7 at"),
        (boom, "failed at .* with ValueError: no idea"),
        (sleep, "did not move within 0.05 s"),
        (spin, "did not move within 0.05 s"),
    ],
)
def test_a_faulty_agent_loses_the_hand_and_is_named(answer, told):
    game = cf.Kuhn()
    match = Match(game, Broken(answer), Watcher(1), seed=1, time_limit=0.05)
    result = match.play(4)
    assert result.hands == 4
    assert result.faults == (4, 0)
    assert result.scores[0].plain.mean <= -1  # one loses no less in Kuhn poker
    assert result.scores[0].reduced is None
    fault = result.messages[0]
    assert result.agents[fault.agent] == "broken"
    assert __import__("re").search(told, fault.message)


def test_a_match_may_end_at_the_first_fault():
    match = Match(cf.Kuhn(), Broken(boom), Watcher(1), on_fault="stop")
    result = match.play(100)
    assert result.stopped == "fault"
    assert result.hands == 1


def test_a_slow_agent_is_asked_again_in_the_next_hand():
    calls = []

    def first_slow(observation):
        calls.append(observation)
        if len(calls) == 1:
            time.sleep(30)
        return "check" if "check" in observation.actions else "fold"

    began = time.monotonic()
    result = Match(cf.Kuhn(), Broken(first_slow), Watcher(1), time_limit=0.1).play(20)
    assert result.faults == (1, 0)
    assert time.monotonic() - began < 10


def test_a_fault_costs_the_worst_that_could_still_happen():
    game = cf.Leduc()
    state = game.root()
    for event in ("Ks", "Qh", "bet"):
        state = game.next(state, event)
    assert worst_end(game, state, 1) == (13.0, -13.0)
    for event in ("raise", "fold"):
        state = game.next(state, event)
    assert worst_end(game, state, 0) == (-3.0, 3.0)


def test_names_of_actions_will_do_and_lookalikes_will_not():
    class Numbers(cf.NormalForm):
        pass

    nodes = [Node(0, (1, 2), infoset="top"), Node(-2, payoff=(1.0,)), Node(-2, payoff=(2.0,))]

    class Whole(DrawnGame):
        def actions(self, state):
            return (0, 1)

        def next(self, state, action):
            return self.nodes[state].children[action]

    game = Whole(1, nodes)
    for answer, faults in ((1, 0), ("1", 0), (True, 3), (1.0, 3), (2, 3)):
        result = Match(game, Broken(lambda o, a=answer: a)).play(3)
        assert result.faults == (faults,), answer


def test_an_agent_needs_no_base_class():
    class Plain:
        def act(self, observation, rng):
            return observation.actions[int(rng.integers(len(observation.actions)))]

    result = Match(cf.Kuhn(), Plain(), Plain(), seed=1).play(50)
    assert result.agents == ("Plain", "Plain #2")
    assert result.faults == (0, 0)


def test_randomness_of_agents_comes_from_the_match():
    class Plain(cf.Agent):
        def act(self, observation, rng):
            return observation.actions[int(rng.integers(len(observation.actions)))]

    def won(seed):
        return Match(cf.Leduc(), Plain(), Plain(), seed=seed).play(200).scores[0].plain.mean

    assert won(3) == won(3)
    assert won(3) != won(4)


def test_the_table_plays_by_the_strategies():
    """Frequencies at the table are those of the strategy, within three standard errors."""
    tree = compile_game(cf.Kuhn())
    strategy = cf.Strategy.random(tree, 5)
    watcher = Watcher(0)
    Match(tree, watcher, StrategyAgent(strategy), seed=1).play(4_000)
    counts: dict[tuple, list] = {}
    for hand in watcher.hands:
        for move in hand.others:
            counts.setdefault((move.player, label(move.seen)), []).append(move.action)
    bets = [
        a for (player, said), acts in counts.items() if player == 0 for a in acts if a != "fold"
    ]
    share = np.mean([a == "bet" for a in bets])
    expected = np.mean([strategy.at(card, player=0)["bet"] for card in "JQK"])
    assert abs(share - expected) < 3 * np.sqrt(expected * (1 - expected) / len(bets))


def test_deals_do_not_depend_on_what_is_played():
    game = cf.Leduc()
    rng = np.random.default_rng(0)
    for number in range(20):
        first, second = (
            Table(game, (Watcher(k), Watcher(k))).play(
                number, Dealer(deal_seed(1), number), (rng, rng)
            )
            for k in (0, 1)
        )
        assert first.events[:2] == second.events[:2]


def test_a_fork_has_a_clock_of_its_own():
    """The thread that times calls does not live on in a child, which must not wait for it."""
    assert within(10.0, max, 2, 3) == 3
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if within(1.0, max, 2, 3) == 3 else 1
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
