"""The compiled rules of Cheat against the same rules told with lists of cards."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement

import numpy as np
import pytest

from counterfold.games.base import CHANCE, TERMINAL
from counterfold.games.cheat import Cheat
from counterfold.kernels import cheat
from counterfold.kernels.history import uniform
from counterfold.kernels.jit import jit

GAMES = [
    cheat.Rules(),
    cheat.Rules(health=5),
    cheat.Rules(most=3),
    cheat.Rules(ranks=4, copies=3, players=3, hand=3, health=2, most=3),
    cheat.Rules(ranks=5, copies=2, players=4, hand=2, health=1, most=1),
    cheat.Rules(ranks=13, copies=4, players=2, hand=0, health=0, most=4),
    cheat.Rules(ranks=13, copies=4, players=3, hand=0, health=0, most=2),
]
PASS, CHALLENGE = -1, -2


@jit
def play_randomly(rules, table, states, moves, random, challenges):
    """Fill the rows with a game at random; returns how many there are."""
    cheat.deal(rules, states, 0, random)
    k = 0
    while k + 1 < states.shape[0] and states[k, cheat.PHASE] != cheat.OVER:
        cheat.copy(states, k, k + 1)
        if states[k, cheat.PHASE] == cheat.DISCARD:
            lot = int(uniform(random) * table.shape[0])
            while not cheat.has_lot(rules, states, k, table, lot):
                lot = int(uniform(random) * table.shape[0])
            moves[k] = lot
            cheat.lay_lot(rules, states, k + 1, table, lot)
        elif uniform(random) < challenges:
            moves[k] = -2
            cheat.answer(rules, states, k + 1, True)
        else:
            moves[k] = -1
            cheat.answer(rules, states, k + 1, False)
        k += 1
    return k + 1


class Told:
    """Cheat as a person would tell it: a list of cards for each hand, the pile and the discard."""

    def __init__(self, rules: cheat.Rules, hands: list[list[int]], starter: int) -> None:
        self.rules = rules
        self.hands, self.pile, self.laid = hands, [], []
        self.health = [rules.health] * rules.players
        self.turn, self.rank = starter, 0
        self.asked: int | None = None
        self.payoffs: list[float] | None = None

    def discard(self, cards: list[int]) -> None:
        for card in cards:
            self.hands[self.turn].remove(card)
        self.laid = cards
        self.asked = (self.turn + 1) % self.rules.players

    def answer(self, challenges: bool) -> None:
        players = self.rules.players
        assert self.asked is not None
        if not challenges and (self.asked + 1) % players != self.turn:
            self.asked = (self.asked + 1) % players
            return
        lost = None
        if challenges:
            honest = all(card == self.rank for card in self.laid)
            taker = self.asked if honest else self.turn
            self.hands[taker] += self.pile + self.laid
            self.pile = []
            if self.rules.health:
                self.health[taker] -= 1
                lost = taker if self.health[taker] == 0 else None
        else:
            self.pile += self.laid
        self.laid, self.asked = [], None
        if not self.hands[self.turn]:
            self.payoffs = [-1 / (players - 1)] * players
            self.payoffs[self.turn] = 1.0
        elif lost is not None:
            self.payoffs = [1 / (players - 1)] * players
            self.payoffs[lost] = -1.0
        else:
            self.turn = (self.turn + 1) % players
            self.rank = (self.rank + 1) % self.rules.ranks


def cards(row: np.ndarray, column: int, ranks: int) -> list[int]:
    return [r for r in range(ranks) for _ in range(row[column + r])]


def check_same(rules: cheat.Rules, states: np.ndarray, k: int, told: Told) -> None:
    row = states[k]
    for p in range(rules.players):
        held = cards(row, cheat.cards(rules, p, 0), rules.ranks)
        assert held == sorted(told.hands[p])
        assert cheat.size(states, k, p) == len(held)
        assert row[cheat.HEALTH + 2 * p] == told.health[p]
    assert cards(row, cheat.cards(rules, rules.players, 0), rules.ranks) == sorted(told.pile)
    assert row[cheat.PILE] == len(told.pile)
    assert (states[k, cheat.PHASE] == cheat.OVER) == (told.payoffs is not None)
    if told.payoffs is not None:
        found = [cheat.payoff(rules, states, k, p) for p in range(rules.players)]
        assert found == pytest.approx(told.payoffs)
        assert sum(found) == pytest.approx(0)
        return
    assert cards(row, cheat.cards(rules, rules.players + 1, 0), rules.ranks) == sorted(told.laid)
    assert row[cheat.CLAIM] == len(told.laid)
    assert row[cheat.RANK] == told.rank
    assert row[cheat.DISCARDER] == told.turn
    assert row[cheat.MOVER] == (told.turn if told.asked is None else told.asked)


@pytest.mark.pure
@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_a_game_goes_as_it_is_told(rules: cheat.Rules) -> None:
    table = cheat.lots(rules)
    states, moves = cheat.new_states(rules, 400), np.zeros(400, np.int64)
    random = np.array([7], np.uint64)
    ends = Counter()
    for challenges in (0.02, 0.3, 0.7):
        for _ in range(4):
            count = play_randomly(rules, table, states, moves, random, challenges)
            hands = [
                cards(states[0], cheat.cards(rules, p, 0), rules.ranks)
                for p in range(rules.players)
            ]
            assert [len(hand) for hand in hands] == [
                cheat.cards_dealt(rules, p) for p in range(rules.players)
            ]
            assert max(Counter(card for hand in hands for card in hand).values()) <= rules.copies
            told = Told(rules, hands, int(states[0, cheat.DISCARDER]))
            for k in range(count):
                check_same(rules, states, k, told)
                if k == count - 1:
                    break
                if states[k, cheat.PHASE] == cheat.DISCARD:
                    lot = table[moves[k]]
                    told.discard(
                        [(told.rank + r) % rules.ranks for r in range(rules.ranks)
                         for _ in range(lot[r])]
                    )  # fmt: skip
                else:
                    told.answer(moves[k] == CHALLENGE)
            ends[told.payoffs is not None] += 1
    assert ends[True] > 0


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_the_same_as_the_rules_that_people_read(rules: cheat.Rules) -> None:
    game = Cheat(
        rules.ranks, rules.copies, rules.players, rules.hand or None, rules.health or None,
        rules.most,
    )  # fmt: skip
    table = cheat.lots(rules)
    states, moves = cheat.new_states(rules, 200), np.zeros(200, np.int64)
    random = np.array([9], np.uint64)
    for _ in range(8 if rules.hand else 2):
        count = play_randomly(rules, table, states, moves, random, 0.4)
        state = game.root()
        while game.turn(state) == CHANCE:  # the deal that the kernel has made
            player, rank = len(state.hands), len(state.drawn)
            event = f"{states[0, cheat.DISCARDER] + 1} begins"
            if player < rules.players:
                dealt = cheat.held(rules, states, 0, player, rank)
                event = f"{player + 1} gets {dealt}x{game.rank_names[rank]}"
            assert event in [outcome for outcome, _ in game.chance(state)]
            state = game.next(state, event)
        for k in range(count):
            if game.turn(state) == TERMINAL:
                assert states[k, cheat.PHASE] == cheat.OVER
                found = [cheat.payoff(rules, states, k, p) for p in range(rules.players)]
                assert found == pytest.approx(game.payoff(state))
                break
            assert game.turn(state) == states[k, cheat.MOVER]
            hands = [
                tuple(cheat.held(rules, states, k, p, r) for r in range(rules.ranks))
                for p in range(rules.players)
            ]
            assert hands == list(state.hands)
            place = int(moves[k] == CHALLENGE)
            if states[k, cheat.PHASE] == cheat.DISCARD:
                legal = [n for n in range(len(table)) if cheat.has_lot(rules, states, k, table, n)]
                assert len(legal) == len(game.actions(state))
                place = legal.index(moves[k])  # in the same order
            if k < count - 1:
                state = game.next(state, game.actions(state)[place])


def test_all_cards_are_dealt_and_the_first_seats_get_one_more() -> None:
    rules = cheat.Rules(13, 4, 3, hand=0, health=0, most=4)
    assert [cheat.cards_dealt(rules, p) for p in range(3)] == [18, 17, 17]


def test_deals_and_starters_come_as_often_as_they_should() -> None:
    rules = cheat.Rules()
    table = cheat.lots(rules)
    states, moves = cheat.new_states(rules, 2), np.zeros(2, np.int64)
    random = np.array([3], np.uint64)
    hands, starters = Counter(), Counter()
    for _ in range(9000):
        play_randomly(rules, table, states, moves, random, 0.5)
        first = cheat.cards(rules, 0, 0)
        hands[tuple(states[0, first : first + 6].tolist())] += 1
        starters[int(states[0, cheat.DISCARDER])] += 1
    assert len(hands) == 21
    # Of 90 deals of six cards, both with two of a kind: 1 each; all four ranks mixed: 8 at most.
    assert hands[2, 0, 0, 0, 2, 0] / 9000 == pytest.approx(1 / 90, abs=0.0045)
    assert hands[1, 1, 0, 1, 1, 0] / 9000 == pytest.approx(4 / 90, abs=0.009)
    assert hands[1, 1, 0, 1, 0, 1] / 9000 == pytest.approx(8 / 90, abs=0.012)
    assert starters[0] / 9000 == pytest.approx(0.5, abs=0.022)


@pytest.mark.parametrize(("ranks", "copies", "most"), [(3, 2, 2), (3, 2, 3), (4, 1, 2), (5, 4, 4)])
def test_discards_are_all_multisets(ranks: int, copies: int, most: int) -> None:
    wanted = {
        chosen
        for size in range(1, most + 1)
        for chosen in combinations_with_replacement(range(ranks), size)
        if max(Counter(chosen).values()) <= copies
    }
    table = cheat.lots(cheat.Rules(ranks, copies, most=most))
    found = [tuple(r for r in range(ranks) for _ in range(row[r])) for row in table]
    assert len(found) == len(set(found))
    assert set(found) == wanted
    assert [len(lot) for lot in found] == sorted(map(len, found))
