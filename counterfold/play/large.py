"""An agent that plays the original Cheat by a strategy learned over an abstraction."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.deal_form import rules_of
from counterfold.abstraction.horizon_form import HorizonForm, original, told
from counterfold.agent import Agent, Observation
from counterfold.errors import MismatchError, ParameterError
from counterfold.games.base import spec_of
from counterfold.games.cheat import CHALLENGE, PASS, Cheat
from counterfold.games.cheat_sights import Sight
from counterfold.play.bots import Memories
from counterfold.strategy.strategy import Strategy

if TYPE_CHECKING:
    from counterfold.kernels.cheat import Rules
    from counterfold.kernels.cheat_bot import Memory


class LargeAgent(Agent):
    """Sits at a table of the original Cheat and plays by a strategy of a ``HorizonForm``.

    It remembers what the heuristic bot remembers (``Memory``), follows the game by what it is
    told, and looks at its place with the same compiled code that the strategy was trained with.

    >>> from counterfold.abstraction.horizon_training import train
    >>> agent = LargeAgent(train(2, games=20, threads=1))
    >>> agent.begin(original(2))
    >>> hand = "A A 2 2 3 3 4 4 5 5 6 6 7 7 8 8 9 9 10 10 J J Q Q K K"
    >>> seen = Sight(hand, "rank A", "", "others 26 pile 0", "", "")
    >>> agent.act(Observation(0, seen, ("A", "A A")), np.random.default_rng(1)) in ("A", "A A", "K")
    True
    """

    def __init__(self, strategy: Strategy[HorizonForm], name: str = "") -> None:
        self.strategy = strategy
        self.name = name or "large"
        self._game = original(strategy.players)
        self._memories = Memories(self._game)

    def begin(self, game: object) -> None:
        if not isinstance(game, Cheat) or told(game) != told(self._game):
            raise MismatchError(
                f"the strategy plays {self.strategy.spec}, and the game is {spec_of(game)}"
            )
        self._warm_up()
        self._memories = Memories(self._game)

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        from counterfold.kernels import cheat, cheat_abstract

        rules, memory, states = self._place(observation)
        row, moves = cheat_abstract.look(rules, memory, states, 0)
        legal = np.array([moves >> a & 1 for a in range(cheat_abstract.MOVES)], np.float64)
        odds = legal * self.strategy.tables[0][row]
        if odds.sum() == 0:
            odds = legal
        chosen = int(rng.choice(len(odds), p=odds / odds.sum()))
        if states[0, cheat.PHASE] == cheat.ANSWER:
            return CHALLENGE if chosen == cheat_abstract.CHALLENGE else PASS
        cheat_abstract.move(rules, memory, states, 0, chosen)
        names, rank = self._game.rank_names, int(states[0, cheat.RANK])
        cards: list[str] = []
        for step in range(rules.ranks):
            r = (rank + step) % rules.ranks
            cards += [names[r]] * int(cheat.held(rules, states, 0, rules.players + 1, r))
        return " ".join(cards)

    def _warm_up(self) -> None:
        """Compile now what the first move needs, which must not be late."""
        hand = " ".join(self._game.rank_names)
        others = "+".join(["13"] * (self._game.players - 1))
        seen = Sight(hand, "rank A", "", f"others {others} pile 0", "", "")
        self.act(Observation(0, seen, ()), np.random.default_rng(0))

    def look(self, observation: Observation) -> tuple[int, int]:
        """The infoset of an observation, and the moves there as bits."""
        from counterfold.kernels import cheat_abstract

        rules, memory, states = self._place(observation)
        row, moves = cheat_abstract.look(rules, memory, states, 0)
        return int(row), int(moves)

    def _place(self, observation: Observation) -> tuple[Rules, Memory, NDArray[np.int16]]:
        """The game as compiled code knows it, with nothing in it that the player does not know."""
        from counterfold.kernels import cheat, cheat_bot

        seen, player, game = observation.seen, observation.player, self._game
        if not isinstance(seen, Sight):
            raise ParameterError("the strategy plays Cheat in the perfect view only")
        rules = rules_of(game)
        states, memory = cheat.new_states(rules, 1), cheat_bot.new_memory(rules)
        words, asked = seen.claim.split(), bool(seen.claim)
        who = player
        if asked:
            who = int(words[3]) - 1 if len(words) > 2 else (player + 1) % 2
        remembered = self._memories.at(observation.hand, player, seen.history, who)
        for r in range(rules.ranks):
            memory.pile[player, r] = remembered.pile[r]
            for p in range(game.players):
                if p != player:
                    memory.known[player, p, r] = remembered.known[p][r]
        for card in seen.hand.split():
            states[0, cheat.cards(rules, player, game.rank_index[card])] += 1
        sizes = list(remembered.sizes)
        count = int(words[1]) if asked else 0
        sizes[who] -= count
        for p, size in enumerate(sizes):
            states[0, cheat.SIZE + 2 * p] = size
        states[0, cheat.PHASE] = cheat.ANSWER if asked else cheat.DISCARD
        states[0, cheat.DISCARDER] = who
        states[0, cheat.MOVER] = player
        states[0, cheat.RANK] = game.rank_index[seen.rank.split()[1]]
        states[0, cheat.CLAIM] = count
        states[0, cheat.PILE] = int(seen.others.split()[3])
        return rules, memory, states
