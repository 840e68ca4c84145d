"""Bets of any size for agents whose tree has a few of them (Ganzfried and Sandholm 2013)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from counterfold.agent import Agent, Observation, TellsOdds, TellsOddsOfAll
from counterfold.arrays import Floats
from counterfold.errors import MismatchError
from counterfold.notebook import brief
from counterfold.poker.cards import HOLES
from counterfold.poker.game import DEAL, DECISION
from counterfold.poker.money import Betting, State
from counterfold.poker.table import DEALT, Holdem, TableView

RAISES = ("bet", "raise", "all-in")


def pseudo_harmonic(x: float, low: float, high: float) -> float:
    """How often a bet of x pots is taken for the smaller one of its neighbours.

    The mapping of Ganzfried and Sandholm (2013): where calling a bet with a bluff-catcher is even,
    half of them are.

    >>> pseudo_harmonic(0.5, 0.5, 1.0), round(pseudo_harmonic(0.75, 0.5, 1.0), 4)
    (1.0, 0.4286)
    """
    return (high - x) * (1 + low) / ((high - low) * (1 + x))


class Mind(NamedTuple):
    """What an agent takes a hand for, in the words of its own tree."""

    own: State
    line: tuple[str, ...] = ()
    apart: bool = False
    """Whether nothing in its tree is like what has happened: it checks or calls then."""


class Translated(Agent):
    """An agent of one table at another, where all else is alike but the sizes of bets.

    What was bet is taken for one of the neighbouring sizes of the agent's own tree, drawn once by
    ``pseudo_harmonic``; what it bets itself is the same part of the pot at the real table. Where
    the two have come apart (its own hand is all-in already), it checks or calls.

    >>> from counterfold.play.poker_bots import AlwaysCall
    >>> agent = Translated(AlwaysCall(), Holdem(stack=200))
    >>> agent.begin(Holdem(stack=20000, blinds=(50, 100), chip=1))
    >>> seen = Observation(1, ("AsKs", "", "raise 275"), ("fold", "call", "all-in 20000"))
    >>> agent.act(seen, np.random.default_rng(0)), agent.heard
    ('call', ('raise 3',))
    """

    def __init__(self, agent: Agent, own: Holdem, name: str = "") -> None:
        self.agent, self.own = agent, own
        self.name = name or agent.name
        self._game: Holdem | None = None
        self._begin_hand(None)

    def __repr__(self) -> str:
        return brief(self, f"{self.name}, by {self.own.name}")

    def _begin_hand(self, hand: object) -> None:
        self._hand = hand
        self._words: list[str] = []  # of the real table
        self._chosen: str | None = None  # of its own tree, for the word that comes next
        self._mind = Mind(self.own.betting.root())
        self._real = self._game.betting.root() if self._game else self._mind.own

    @property
    def heard(self) -> tuple[str, ...]:
        """The hand so far in the words of its own tree."""
        return self._mind.line

    def begin(self, game: object) -> None:
        """Refuse tables that differ in more than sizes and the worth of a chip."""
        self._game = check_alike(game, self.own, self.name)
        self._begin_hand(None)
        if hasattr(self.agent, "begin"):
            self.agent.begin(self.own)

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        seen = TableView.of(observation.seen)
        words, hand = [*seen.words], (observation.hand, seen.hand)
        if hand != self._hand or words[: len(self._words)] != self._words:
            self._begin_hand(hand)
        for word in words[len(self._words) :]:
            self._hear(word, rng)
        mind = self._mind
        if self._is_apart(mind, observation.player):
            return _passive(observation.actions)
        self._chosen = str(self.agent.act(self._seen(mind, observation), rng))
        return self._told(mind.own, self._real, self._chosen)

    def odds(self, observation: Observation) -> dict[str, float] | None:
        """How often it takes each action where it has acted last, by what it took the hand for.

        None where its agent does not tell.
        """
        if self._is_apart(self._mind, observation.player):
            return {_passive(observation.actions): 1.0}
        if not isinstance(self.agent, TellsOdds):
            return None
        own = self.agent.odds(self._seen(self._mind, observation))
        if own is None:
            return None
        found: dict[str, float] = {}
        for name, share in own.items():
            word = self._told(self._mind.own, self._real, name)
            found[word] = found.get(word, 0.0) + share
        return found

    def odds_of_all(self, observation: Observation) -> dict[str, Floats]:
        """What every hand does after a line, over all that the bets may have been taken for."""
        assert self._game is not None
        view, real, cards = TableView.of(observation.seen), self._game.betting.root(), 0
        minds: dict[Mind, Floats] = {Mind(self.own.betting.root()): np.ones(HOLES)}
        words: tuple[str, ...] = ()
        for word in view.words:
            after: dict[Mind, Floats] = {}
            if word.startswith("["):
                cards += 1
                for mind, weights in minds.items():
                    _add(after, self._dealt(mind, word, cards), weights)
                real = dealt(self._game.betting, real, cards)
            else:
                seen = TableView(view.hand, _board(words), ", ".join(words))
                for mind, weights in minds.items():
                    if real.player != observation.player:
                        for share, next_mind in self._meanings(mind, real, word):
                            _add(after, next_mind, share * weights)
                        continue
                    for own, said, odds in self._all(mind, real, observation.player, seen):
                        if said == word:
                            _add(after, own, weights * odds)
                real = self._real_after(real, word)
            minds, words = after, (*words, word)
        found: dict[str, Floats] = {}
        total = sum(minds.values(), np.zeros(HOLES))
        even = 1 / max(len(minds), 1)
        for mind, weights in minds.items():
            part = np.where(total > 0, weights / np.where(total > 0, total, 1.0), even)
            for _, said, odds in self._all(mind, real, observation.player, view):
                found[said] = found.get(said, np.zeros(HOLES)) + part * odds
        return found

    def _all(
        self, mind: Mind, real: State, player: int, seen: TableView
    ) -> Iterator[tuple[Mind, str, Floats]]:
        """Its choices: the hand as it takes it after each, its word, and [holes] how often."""
        assert self._game is not None
        if self._is_apart(mind, player):
            said = _passive(tuple(self._game.betting.ways(real)))
            yield mind._replace(apart=True), said, np.ones(HOLES)
            return
        own = self._seen(mind, Observation(player, seen, ()))
        assert isinstance(self.agent, TellsOddsOfAll)
        for name, odds in self.agent.odds_of_all(own).items():
            yield self._chose(mind, name), self._told(mind.own, real, name), odds

    def _seen(self, mind: Mind, observation: Observation) -> Observation:
        """The same in the words of its own tree."""
        hole, board, _ = TableView.of(observation.seen)
        names = tuple(self.own.betting.ways(mind.own))
        seen = (hole, board, ", ".join(mind.line))
        return Observation(observation.player, seen, names, observation.hand)

    def _is_apart(self, mind: Mind, player: int) -> bool:
        return mind.apart or mind.own.kind != DECISION or mind.own.player != player

    def _hear(self, word: str, rng: np.random.Generator) -> None:
        """Something was said or dealt at the real table."""
        assert self._game is not None
        self._words.append(word)
        if word.startswith("["):
            cards = sum(one.startswith("[") for one in self._words)
            self._mind = self._dealt(self._mind, word, cards)
            self._real = dealt(self._game.betting, self._real, cards)
            return
        if self._chosen is not None and not self._is_apart(self._mind, self._real.player):
            self._mind = self._chose(self._mind, self._chosen)
        else:
            meanings = self._meanings(self._mind, self._real, word)
            first = len(meanings) == 1 or rng.random() < meanings[0][0]
            self._mind = meanings[0 if first else 1][1]
        self._chosen = None
        self._real = self._real_after(self._real, word)

    def _real_after(self, real: State, word: str) -> State:
        assert self._game is not None
        betting = self._game.betting
        return betting.ways(real).get(word) or betting.raised(real, betting.free(real, word) or 0.0)

    def _dealt(self, mind: Mind, word: str, cards: int) -> Mind:
        own = dealt(self.own.betting, mind.own, cards)
        return mind._replace(own=own, line=(*mind.line, word))

    def _chose(self, mind: Mind, name: str) -> Mind:
        return mind._replace(own=self.own.betting.ways(mind.own)[name], line=(*mind.line, name))

    def _meanings(self, mind: Mind, real: State, word: str) -> list[tuple[float, Mind]]:
        """What it may take a word of the real table for, and how often."""
        if self._is_apart(mind, real.player):
            return [(1.0, mind._replace(apart=True))]
        assert self._game is not None
        found = meant(self.own.betting, mind.own, self._game.betting, real, word)
        if not found:
            return [(1.0, mind._replace(apart=True))]
        return [(share, self._chose(mind, name)) for share, name in found]

    def _told(self, own: State, real: State, chosen: str) -> str:
        """An action of its own tree at the real table."""
        assert self._game is not None
        return told(self.own.betting, own, self._game.betting, real, chosen)


def meant(
    own: Betting, at: State, betting: Betting, real: State, word: str
) -> list[tuple[float, str]]:
    """What a word at a real table may be taken for in a tree of its own, and how often.

    There is nothing where nothing is like the word.
    """
    names = list(own.ways(at))
    verb = word.partition(" ")[0]
    if verb not in RAISES:
        alike = ("fold",) if verb == "fold" else ("check", "call")
        return [(1.0, name) for name in names if name in alike][:1]
    sizes = [(_share(own, at, name), name) for name in _raises(names)]
    x = _share(betting, real, word)
    above = [size for size in sizes if size[0] >= x - 1e-9][:1]
    below = [size for size in sizes if size[0] < x - 1e-9][-1:]
    if above and below and above[0][0] > x + 1e-9:
        lower = pseudo_harmonic(x, below[0][0], above[0][0])
        return [(lower, below[0][1]), (1 - lower, above[0][1])]
    return [(1.0, name) for _, name in (above or below)]


def told(own: Betting, at: State, betting: Betting, real: State, chosen: str) -> str:
    """An action of a tree of its own at a real table."""
    actions = tuple(betting.ways(real))
    if chosen == "fold" and "fold" in actions:
        return "fold"
    bounds = betting.bounds(real)
    if chosen.partition(" ")[0] not in RAISES or bounds is None:
        return _passive(actions)
    if betting.fixed:
        return next(name for name in actions if name.split()[0] in RAISES)
    wanted = max(real.bets) + _share(own, at, chosen) * _pot(real)
    if chosen.startswith("all-in"):
        wanted = bounds[1]
    chips = min(max(betting.rounded(wanted), bounds[0]), bounds[1])
    return betting.name(real, chips)


def _passive(actions: tuple[Hashable, ...]) -> str:
    return "check" if "check" in actions else "call"


def _add(minds: dict[Mind, Floats], mind: Mind, weights: Floats) -> None:
    before = minds.get(mind)
    minds[mind] = weights if before is None else before + weights


def _board(words: Sequence[str]) -> str:
    return " ".join(word[1:-1] for word in words if word.startswith("["))


def _raises(names: list[str]) -> list[str]:
    return [name for name in names if name.partition(" ")[0] in RAISES]


def _pot(state: State) -> float:
    """The pot after calling."""
    return sum(state.before) + sum(state.bets) + max(state.bets) - state.bets[state.player]


def _share(betting: Betting, state: State, word: str) -> float:
    """How much more than a call a bet or raise is, in pots after calling."""
    after = betting.ways(state).get(word)
    if after is None:
        after = betting.raised(state, betting.free(state, word) or 0.0)
    return (after.bets[state.player] - max(state.bets)) / _pot(state)


def dealt(betting: Betting, state: State, cards: int) -> State:
    """The betting when so many cards of the board are there."""
    if state.kind == DEAL and cards == DEALT[state.street + 1]:
        return betting.moves(state)[0][1]
    return state


def check_alike(game: object, own: Holdem, name: str) -> Holdem:
    """The table; refused if it differs in more than sizes and the worth of a chip."""
    if not isinstance(game, Holdem) or _shape(game) != _shape(own):
        raise MismatchError(
            f"{name} plays {own}, and this table has other players, stacks or blinds"
        )
    return game


def _shape(table: Holdem) -> tuple[object, ...]:
    """What two tables must have in common, in big blinds."""
    big, betting = table.blinds[1], table.betting
    amounts = (*betting.posted, *betting.stacks, *betting.before, *(table.limit or ()))
    return (
        table.players, table.limit is None, table.cap, table.streets, table.limps,
        *(round(chips / big, 6) for chips in amounts),
    )  # fmt: skip
