"""The bots: what is remembered against the true cards, odds against all hands, and choices."""

import random
from itertools import combinations

import numpy as np
import pytest

from counterfold.agent import Agent, Observation
from counterfold.errors import CounterfoldError, ParameterError, SpecError, UnsupportedError
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.games.cheat import Cheat
from counterfold.games.leduc import Leduc
from counterfold.games.onecard import Kuhn
from counterfold.play.bots import (
    Heuristic,
    Memory,
    Random,
    discard,
    make_bot,
    needs_table,
    passes,
)  # fmt: skip
from counterfold.play.match import Match
from counterfold.play.winning import WinRate, win_rate
from counterfold.strategy.strategy import Strategy


def play(game, seed, look):
    """A random game; ``look(state, memories)`` is called where somebody is asked."""
    rng, state = random.Random(seed), game.root()
    memories, rounds = None, 0
    while game.turn(state) != TERMINAL:
        if game.turn(state) == CHANCE:
            moves = [outcome for outcome, _ in game.chance(state)]
        else:
            if memories is None:
                memories = [Memory(game, player) for player in range(game.players)]
            moves = list(game.actions(state))
            if state.laid is not None:
                look(state, memories)
        before, state = state, game.next(state, rng.choice(moves))
        history = game.observe(state, 0).history.split() if memories else []
        if len(history) > rounds:
            rounds += 1
            for player, memory in enumerate(memories):
                memory.follow(game.observe(state, player).history.split()[-1], before.seat)


GAMES = [
    Cheat(), Cheat(health=9), Cheat(players=3, ranks=4, copies=3, hand=3, health=4),
    Cheat(ranks=4, copies=2, hand=None, health=6),
]  # fmt: skip


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_what_is_remembered(game, seed):
    def look(state, memories):
        for player, memory in enumerate(memories):
            held = [sum(hand) for hand in state.hands]
            held[state.seat] += sum(state.laid)
            assert memory.sizes == held
            assert all(k <= p for k, p in zip(memory.pile, state.pile, strict=True))
            assert sum(memory.pile) + memory.unseen == sum(state.pile)
            assert not any(memory.known[player])
            assert all(sum(known) <= size for known, size in zip(memory.known, held, strict=True))
            assert memory.rounds % game.ranks == state.rank

    play(game, seed, look)


def test_shown_cards_are_remembered_where_they_went():
    game = Cheat(ranks=4, hand=2)
    memory = Memory(game, 0)
    memory.follow("2", 0)  # I lay a 2 on the pile
    memory.follow("x1", 1)  # the other lays something
    memory.follow("A!lie>A+2+3", 0)  # I am caught and take it all
    assert (memory.known[1], memory.pile, memory.sizes) == ([0, 0, 0, 0], [0, 0, 0, 0], [3, 1])
    memory.follow("x1!3", 1)  # of rank 4 now: the other lied with a 3 and keeps it
    assert memory.known[1] == [0, 0, 1, 0]
    memory.follow("A", 0)
    memory.follow("x1!true", 1)  # it was a true 2, and I take it
    assert memory.known[1] == [0, 0, 0, 0]  # more known cards than the hand had left


def test_own_cards_on_the_pile_are_followed():
    memory = Memory(Cheat(ranks=4, hand=2), 0)
    memory.follow("2", 0)
    assert memory.pile == [0, 1, 0, 0]
    memory.follow("x1!3", 1)  # caught with a 3, the other takes it and my 2
    assert (memory.known[1], memory.pile, memory.sizes) == ([0, 1, 1, 0], [0, 0, 0, 0], [1, 3])


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_odds_are_those_of_all_hands(game):
    looked = 0

    def look(state, memories):
        nonlocal looked
        memory, claim = memories[state.asked], sum(state.laid)
        hand = state.hands[state.asked]
        known = memory.known[state.seat]
        seen = [sum(cards) for cards in zip(hand, memory.pile, *memory.known, strict=True)]
        if any(count > game.copies for count in seen):
            return  # it believes too much
        hidden = [r for r in range(game.ranks) for _ in range(game.copies - seen[r])]
        drawn = min(memory.sizes[state.seat] - sum(known), len(hidden))
        hands = list(combinations(range(len(hidden)), drawn))
        if len(hands) > 3_000:
            return
        good = sum(
            known[state.rank] + sum(hidden[i] == state.rank for i in held) >= claim
            for held in hands
        )
        assert memory.may_be_true(hand, state.seat, claim) == (good, len(hands))
        last = not any(state.hands[state.seat])
        assert passes(memory, hand, state.seat, claim) == (2 * good >= len(hands) and not last)
        looked += 1

    for seed in range(12):
        play(game, seed, look)
    assert looked > 20


def test_certain_lies_are_challenged():
    def look(state, memories):
        memory, hand = memories[state.asked], state.hands[state.asked]
        own = hand[state.rank] + memory.pile[state.rank]
        believed = memory.known[state.seat][state.rank]
        if own + sum(state.laid) > 2 and not believed:
            assert not passes(memory, hand, state.seat, sum(state.laid))

    for seed in range(50):
        play(Cheat(health=5), seed, look)


def test_discards():
    game = Cheat(ranks=5, copies=4, hand=4, most=2)
    assert discard(game, (3, 0, 1, 0, 0), 0) == "A A"
    # At rank A the own next turns are of 3, 5, 2, 4, A: a 4 is needed last.
    assert discard(game, (0, 1, 1, 1, 1), 0) == "4"
    four = Cheat(ranks=4, copies=2)  # the ranks 2 and 4 never come: the first of them goes
    assert discard(four, (0, 1, 1, 1), 0) == "2"


def test_the_agent_reads_what_it_sees():
    game, bot = Cheat(players=3, ranks=3, hand=2), Heuristic()
    bot.begin(game)
    state = game.root()
    for event in ("1 gets 2xA", "2 gets 0x2", "3 begins"):
        state = game.next(state, event)
    seen = Observation(2, game.observe(state, 2), game.actions(state))
    assert bot.act(seen, np.random.default_rng(0)) in game.actions(state)
    state = game.next(state, game.actions(state)[0])
    seen = Observation(0, game.observe(state, 0), game.actions(state))
    assert bot.act(seen, np.random.default_rng(0)) == "challenge"  # all aces are its own


def test_memory_goes_on_within_a_hand_and_begins_anew_after_it():
    """The agent that keeps its memory chooses as one that reads all of the history again."""
    game = Cheat(ranks=4, copies=2, hand=3, health=5)

    class Forgetful(Heuristic):
        def act(self, observation, rng):
            self._memories._kept.clear()
            return super().act(observation, rng)

    rates = [win_rate(game, bot, Random, hands=60, seed=3) for bot in (Heuristic(), Forgetful())]
    assert rates[0].wins == rates[1].wins


def test_win_rates():
    rate = win_rate(Cheat(), Heuristic(), Random, hands=400, seed=2)
    assert rate.low > 0.75
    assert win_rate(Cheat(), Heuristic(), Random, hands=400, seed=2) == rate
    three = win_rate(Cheat(players=3, ranks=4, hand=2), Heuristic(), Random, hands=150, seed=1)
    assert three.low > 1 / 3
    even = win_rate(Cheat(health=None, turns=1), Random(), Random, hands=50, seed=1)
    assert even.draws > 0
    assert WinRate("x", 10, 10.0, 0).high == pytest.approx(1.0)
    assert WinRate("x", 10, 0.0, 0).low == pytest.approx(0.0)
    assert win_rate(Kuhn(), Random(), Random, hands=50, seed=1).hands == 50


def test_an_agent_at_fault_ends_it():
    class Broken(Random):
        name = "broken"

        def act(self, observation, rng):
            return "resign"

    with pytest.raises(ParameterError, match="broken chose 'resign'"):
        win_rate(Cheat(), Broken(), Random, hands=5)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Heuristic().begin(Leduc()), UnsupportedError, "plays Cheat"),
        (lambda: Heuristic().begin(Cheat(view="hp")), UnsupportedError, "view=perfect"),
        (lambda: make_bot("heuristics"), SpecError, "there are uniform, heuristic"),
        (lambda: make_bot("heuristic(seed=1)"), ParameterError, "no parameters"),
        (lambda: win_rate(Cheat(), Random(), Random, hands=0), ParameterError, "hands"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert isinstance(caught.value, CounterfoldError)


def test_who_needs_a_table(tmp_path):
    path = str(tmp_path / "hp.safetensors")
    small = Cheat(health=1, view="hp")
    Strategy.uniform(small).save(path)
    assert needs_table(small, ["heuristic", "uniform"])
    assert not needs_table(small, [path, "uniform", "own.py:Bot"])
    assert needs_table(Cheat(), [path])
    agent = make_bot(path)
    assert agent.name == path
    assert win_rate(Cheat(health=7), agent, Random, hands=20, seed=1).hands == 20


def test_a_fault_in_a_game_without_an_end_is_a_loss():
    class Wrong(Agent):
        def act(self, observation, rng):
            return "fly"

    result = Match(Cheat(health=None), Wrong(), Random(), seed=1).play(6)
    assert result.faults[0] >= 3
    assert result.scores[0].plain.mean < -0.4
