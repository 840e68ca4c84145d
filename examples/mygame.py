"""A game of one's own: a coin, a claim, and somebody who may not believe it.

Player 1 sees a coin. Tails loses one, unless player 1 claims heads and is believed; a claim
that player 2 calls costs the loser more. Solve it with

    counterfold solve examples/mygame.py:Coin
"""

from dataclasses import dataclass

from counterfold import CHANCE, TERMINAL, Game


@dataclass(frozen=True)
class Coin(Game):
    """A state is the tuple of what has happened: (coin, claim, answer)."""

    stake: float = 2.0  # what a claim that is called wins or loses

    def root(self):
        return ()

    def turn(self, state):
        if len(state) == 3 or state[1:] == ("admit tails",):
            return TERMINAL
        return (CHANCE, 0, 1)[len(state)]

    def chance(self, state):
        return [("heads", 0.5), ("tails", 0.5)]

    def actions(self, state):
        return ("claim heads", "admit tails") if len(state) == 1 else ("believe", "call")

    def next(self, state, action):
        return (*state, action)

    def observe(self, state, player):
        return state[0] if player == 0 else state[1]

    def payoff(self, state):
        if state[-1] == "admit tails":
            gain = -1.0
        elif state[-1] == "believe":
            gain = 1.0
        else:
            gain = self.stake if state[0] == "heads" else -self.stake
        return gain, -gain
