"""The compiled heuristic bot decides as the one that people read, all through random games."""

from __future__ import annotations

import numpy as np
import pytest

from counterfold.games.cheat import Cheat
from counterfold.games.cheat_sights import Round
from counterfold.kernels import cheat, cheat_bot
from counterfold.kernels.history import uniform
from counterfold.kernels.jit import jit
from counterfold.play import bots

GAMES = [
    Cheat(),
    Cheat(health=6, most=3),
    Cheat(ranks=4, copies=3, players=3, hand=3, health=3),
    Cheat(ranks=13, copies=4, hand=None, health=None),
    Cheat(ranks=13, copies=4, players=3, hand=None, health=None),
]


@jit
def play_and_ask(rules, table, memory, states, moves, said, random):
    """A game at random; ``said`` is what the bot would have done instead: a rank, or passing."""
    cheat.deal(rules, states, 0, random)
    cheat_bot.forget(rules, memory)
    k = 0
    while k + 1 < states.shape[0] and states[k, cheat.PHASE] != cheat.OVER:
        cheat.copy(states, k, k + 1)
        if states[k, cheat.PHASE] == cheat.DISCARD:
            said[k] = cheat_bot.discard(rules, memory, states, k)
            if uniform(random) < 0.5:
                cheat_bot.lay(rules, memory, states, k + 1)
            else:
                lot = int(uniform(random) * table.shape[0])
                while not cheat.has_lot(rules, states, k, table, lot):
                    lot = int(uniform(random) * table.shape[0])
                cheat.lay_lot(rules, states, k + 1, table, lot)
        else:
            said[k] = 1 if cheat_bot.passes(rules, memory, states, k) else 0
            last = (states[k, cheat.MOVER] + 1) % rules.players
            moves[k] = 1 if uniform(random) < 0.3 else 0
            if moves[k] == 1:
                cheat_bot.note(rules, memory, states, k, True)
                cheat.answer(rules, states, k + 1, True)
            else:
                if last == states[k, cheat.DISCARDER]:
                    cheat_bot.note(rules, memory, states, k, False)
                cheat.answer(rules, states, k + 1, False)
        k += 1
    return k


def counts(row: np.ndarray, column: int, ranks: int) -> list[int]:
    return row[column : column + ranks].tolist()


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_decides_as_the_bot_that_people_read(game: Cheat) -> None:
    rules = cheat.Rules(
        game.ranks, game.copies, game.players, game.hand or 0, game.health or 0, game.largest
    )
    table = cheat.lots(rules)
    memory = cheat_bot.new_memory(rules)
    states = cheat.new_states(rules, 300)
    moves, said = np.zeros((2, 300), np.int64)
    random = np.array([11], np.uint64)
    heard = {True: 0, False: 0}
    for _ in range(30 if game.hand else 4):
        last = play_and_ask(rules, table, memory, states, moves, said, random)
        memories = [bots.Memory(game, seat) for seat in range(game.players)]
        for k in range(last):
            row, who = states[k], int(states[k, cheat.DISCARDER])
            rank, mover = (
                int(states[k, cheat.RANK]),
                int(states[k, cheat.MOVER]),
            )
            hand = counts(row, cheat.cards(rules, mover, 0), rules.ranks)
            if states[k, cheat.PHASE] == cheat.DISCARD:
                wanted = bots.discard(game, hand, rank).split()
                assert game.rank_names[said[k]] == wanted[0]
                if said[k] == rank:
                    assert len(wanted) == min(hand[rank], rules.most)
                else:
                    assert len(wanted) == 1
                continue
            laid = counts(row, cheat.cards(rules, rules.players + 1, 0), rules.ranks)
            count = sum(laid)
            wanted = bots.passes(memories[mover], hand, who, count)
            assert bool(said[k]) == wanted
            heard[wanted] += 1
            if moves[k] == 0 and (mover + 1) % rules.players != who:
                continue
            cards = tuple(game.rank_names[r] for r in range(rules.ranks) for _ in range(laid[r]))
            lie = laid[rank] != count if moves[k] else None
            challenger = None if not moves[k] else -1 if game.players == 2 else mover
            for seat, one in enumerate(memories):
                seen = cards if seat == who or lie else None
                one.note(Round(count, seen, challenger, lie), who)
    assert min(heard.values()) > 10
