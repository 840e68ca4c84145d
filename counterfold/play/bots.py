"""Bots that need no training: one that chooses at random, and one that remembers cards at Cheat."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from math import comb

import numpy as np

from counterfold.agent import Agent, Observation
from counterfold.errors import MismatchError, ParameterError, SpecError, UnsupportedError
from counterfold.files.arrays import header_of
from counterfold.games.base import label, spec_of, unlisted
from counterfold.games.cheat import CHALLENGE, PASS, Cheat
from counterfold.games.cheat_sights import PERFECT, Round, Sight, read_round
from counterfold.games.spec import Spec, parse_spec
from counterfold.play.agents import StrategyAgent, make_agent, own_agent
from counterfold.play.poker_bots import BY_RULES
from counterfold.poker.rules import PokerRules
from counterfold.solvers.until import Report
from counterfold.strategy.strategy import Strategy
from counterfold.tree.form import Form

_read = lru_cache(4_096)(read_round)  # the words of histories come again and again


def _is_file(spec: str) -> bool:
    return spec.endswith(".safetensors") or os.path.isfile(spec)


class Random(Agent):
    """Chooses among all actions with equal probability, in any game."""

    name = "uniform"

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        return observation.actions[int(rng.integers(len(observation.actions)))]

    def odds(self, observation: Observation) -> dict[str, float]:
        """How often it takes each action."""
        return {label(action): 1 / len(observation.actions) for action in observation.actions}


class Memory:
    """Where a player of Cheat knows cards to be: the rules that ``Heuristic`` remembers by.

    Counts are by rank. ``known[p]`` are cards that player p is known to hold, ``pile`` those of
    the pile (one's own discards: nobody else's are seen), ``sizes`` the cards in each hand.

    - A challenge shows the discard. It and the known part of the pile go to whoever takes them;
      the rest of the pile stays unknown.
    - Of a discard that nobody challenges, known cards of the claimed rank are taken to have been
      laid first, and unknown cards after them.
    - Where more cards are known than a hand has left, they are all forgotten.
    """

    def __init__(self, game: Cheat, player: int) -> None:
        self.game, self.player = game, player
        self.known = [[0] * game.ranks for _ in range(game.players)]
        self.pile = [0] * game.ranks
        self.sizes = list(game.dealt)
        self.unseen = 0  # cards of others on the pile
        self.rounds = 0

    def follow(self, word: str, discarder: int) -> None:
        """A round is over: a word of a perfect history (see ``Sight``)."""
        self.note(_read(word), discarder)

    def note(self, played: Round, discarder: int) -> None:
        """A round is over."""
        game, known = self.game, self.known[discarder]
        rank = self.rounds % game.ranks
        self.rounds += 1
        self.sizes[discarder] -= played.number
        laid = _counts(game, played.cards)
        if played.lie is False:
            laid = [played.number if r == rank else 0 for r in range(game.ranks)]
        if discarder != self.player:
            gone = laid
            if played.lie is None:
                gone = [played.number if r == rank else 0 for r in range(game.ranks)]
            for r in range(game.ranks):
                known[r] -= min(known[r], gone[r])
            if sum(known) > self.sizes[discarder]:
                known[:] = [0] * game.ranks
        if played.lie is None:
            if discarder == self.player:
                for r in range(game.ranks):
                    self.pile[r] += laid[r]
            else:
                self.unseen += played.number
            return
        other = (discarder + 1) % 2 if played.challenger == -1 else played.challenger
        takes = discarder if played.lie else other
        assert takes is not None
        self.sizes[takes] += played.number + sum(self.pile) + self.unseen
        if takes != self.player:
            for r in range(game.ranks):
                self.known[takes][r] += laid[r] + self.pile[r]
        self.pile = [0] * game.ranks
        self.unseen = 0

    def may_be_true(self, hand: Sequence[int], discarder: int, count: int) -> tuple[int, int]:
        """How many of the hands that the discarder may have held hold what was claimed, and how
        many there are.

        The discarder's unknown cards may be any of those that are not in the own hand, not known
        to be in a hand, and not known to lie on the pile.
        """
        game = self.game
        rank = self.rounds % game.ranks
        others = [self.known[p] for p in range(game.players) if p != self.player]
        seen = sum(hand) + sum(map(sum, others)) + sum(self.pile)
        seen_of_rank = hand[rank] + sum(cards[rank] for cards in others) + self.pile[rank]
        hidden = max(game.ranks * game.copies - seen, 0)
        hidden_of_rank = min(max(game.copies - seen_of_rank, 0), hidden)
        drawn = min(self.sizes[discarder] - sum(self.known[discarder]), hidden)
        needed = count - self.known[discarder][rank]
        good = sum(
            comb(hidden_of_rank, k) * comb(hidden - hidden_of_rank, drawn - k)
            for k in range(max(needed, 0), min(hidden_of_rank, drawn) + 1)
        )
        return good, comb(hidden, drawn)


class Memories:
    """What is remembered of the hand in play by each player."""

    def __init__(self, game: Cheat) -> None:
        self.game = game
        self._kept: dict[int, tuple[int, str, Memory]] = {}

    def at(self, number: int, player: int, history: str, discarder: int) -> Memory:
        """What is remembered at this point of a hand, from where it was left."""
        before = self._kept.get(player)
        if before is not None and before[0] == number and history.startswith(before[1]):
            memory, new = before[2], history[len(before[1]) :].split()
        else:
            memory, new = Memory(self.game, player), history.split()
        first = (discarder - memory.rounds - len(new)) % self.game.players
        for word in new:
            memory.follow(word, (first + memory.rounds) % self.game.players)
        self._kept[player] = (number, history, memory)
        return memory


class Heuristic(Agent):
    """Plays Cheat as a careful person does who remembers every card shown and where it went.

    - To discard: all cards of the current rank (as many as may be laid at once). Without any, one
      card: the one whose rank will be its turn last, counting its own turns from the next one on;
      of several, the first from the current rank on.
    - To a claim: it challenges a player who has no cards left. Otherwise it challenges if fewer
      than half of the hands that the other may have held, by all that it remembers (``Memory``),
      hold as many cards of the rank as were claimed. So it challenges every lie that is certain
      by what it remembers.

    It plays any size of Cheat with any number of players, in the perfect view, and draws no lots.
    """

    name = "heuristic"
    at_table = True
    """It plays at a table in Python, where the compiled game would not help."""

    def __init__(self) -> None:
        self._memories = Memories(Cheat())

    def begin(self, game: object) -> None:
        if not isinstance(game, Cheat):
            raise UnsupportedError(
                f"the heuristic bot plays Cheat, and the game is {spec_of(game)}"
            )
        if game.view != PERFECT or game.rounds is not None:
            raise UnsupportedError(
                f"the heuristic bot remembers every card, which {game} does not tell; "
                "play it with view=perfect and without rounds"
            )
        self._memories = Memories(game)

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        seen = observation.seen
        if not isinstance(seen, Sight):
            raise ParameterError("the heuristic bot plays Cheat in the perfect view only")
        game, player = self._memories.game, observation.player
        hand = _counts(game, seen.hand.split())
        if not seen.claim:
            return discard(game, hand, game.rank_names.index(seen.rank.split()[1]))
        words = seen.claim.split()
        discarder = int(words[3]) - 1 if len(words) > 2 else (player + 1) % 2
        memory = self._memories.at(observation.hand, player, seen.history, discarder)
        return PASS if passes(memory, hand, discarder, int(words[1])) else CHALLENGE


def discard(game: Cheat, hand: Sequence[int], rank: int) -> str:
    """The heuristic bot's discard.

    >>> discard(Cheat(ranks=5), (0, 2, 1, 0, 0), 1), discard(Cheat(ranks=5), (1, 2, 1, 0, 0), 3)
    ('2 2', '2')
    """
    if hand[rank]:
        return " ".join([game.rank_names[rank]] * min(hand[rank], game.largest))
    order = [(rank + step) % game.ranks for step in range(game.ranks)]
    held = [r for r in order if hand[r]]
    return game.rank_names[max(held, key=lambda r: turns_until(game, rank, r))]


def turns_until(game: Cheat, rank: int, wanted: int) -> int:
    """Own turns from the next one on until a rank comes; as many as there are ranks if never.

    >>> [turns_until(Cheat(ranks=4), 0, rank) for rank in range(4)]
    [2, 4, 1, 4]
    """
    for turn in range(1, game.ranks + 1):
        if (rank + turn * game.players) % game.ranks == wanted:
            return turn
    return game.ranks


def passes(memory: Memory, hand: Sequence[int], discarder: int, count: int) -> bool:
    """Does the heuristic bot let a claim pass?"""
    if memory.sizes[discarder] == count:
        return False
    good, ways = memory.may_be_true(hand, discarder, count)
    return 2 * good >= ways


def _counts(game: Cheat, cards: Sequence[str] | None) -> list[int]:
    counts = [0] * game.ranks
    for card in cards or ():
        counts[game.rank_index[card]] += 1
    return counts


BOTS: dict[str, Callable[[], Agent]] = {"uniform": Random, "heuristic": Heuristic}
"""Agents by name that need no compiled game."""

AT_TABLES: dict[str, Callable[[], Agent]] = {"uniform": Random, **BY_RULES}
"""The same at tables of hold'em."""


SEARCHING = "holdem"
"""Who plays a blueprint of a table and searches: holdem(FILE)."""


def needs_table(game: object, specs: Sequence[str]) -> bool:
    """Must these agents sit at a table in Python?

    They must if the game cannot be listed, or in Cheat if one of them is the heuristic bot or a
    strategy that was trained in another variant.

    >>> needs_table(Cheat(health=None), ["uniform"]), needs_table(Cheat(), ["uniform"])
    (True, False)
    """
    if unlisted(game):
        return True
    return hasattr(game, "adopt") and any(
        Strategy.load(spec).spec != spec_of(game)
        if _is_file(spec)
        else parse_spec(spec).name == Heuristic.name
        for spec in specs
        if ".py:" not in spec
    )


def needs_form(game: object, specs: Sequence[str]) -> bool:
    """Do these agents need the compiled game? Users' own and bots do not.

    >>> from counterfold.games.leduc import Leduc
    >>> needs_form(Leduc(), ["uniform"]), needs_form(Leduc(), ["mybot.py:MyBot"])
    (True, False)
    """
    at_table = needs_table(game, specs)
    if isinstance(game, PokerRules):  # three and more before the flop have no tree of all hands
        at_table = game.poker.of_drawn_deals
    return not at_table and not all(".py:" in spec for spec in specs)


def seated(
    game: object,
    specs: Sequence[str],
    form: Form | None,
    on_report: Callable[[Report], None] | None = None,
) -> list[Agent]:
    """Agents by name for a game that was compiled if they need it (``needs_form``).

    Those of one name that never change are one. ``on_report`` is that of ``make_agent``.

    >>> [agent.name for agent in seated(Cheat(health=None), ["uniform", "heuristic"], None)]
    ['uniform', 'heuristic']
    """
    agents: list[Agent] = []
    for spec in specs:
        same = next(
            (a for a in agents if type(a) is StrategyAgent and a.name == spec.strip()), None
        )
        if same is not None:
            agents.append(same)
        elif form is not None:
            agents.append(make_agent(spec, form, on_report))
        else:
            agents.append(own_agent(spec) if ".py:" in spec else make_bot(spec))
    return agents


def make_bot(spec: str) -> Agent:
    """A bot from its name, or a strategy file that plays by the nearest it knows.

    >>> make_bot("heuristic").name
    'heuristic'
    """
    if _is_file(spec):
        strategy = Strategy.load(spec)
        if strategy.layout.name == "horizon":
            from counterfold.play.large import LargeAgent

            return LargeAgent(strategy, name=spec)
        if strategy.layout.name in ("buckets", "drawn"):
            from counterfold.play.blueprint import BlueprintAgent

            return BlueprintAgent(strategy, name=spec)
        from counterfold.abstraction.fallback import FallbackAgent

        return FallbackAgent(strategy, name=spec)
    called = parse_spec(spec)
    if called.name == SEARCHING:
        return _holdem(spec, called)
    bots = BOTS | AT_TABLES
    if called.name not in bots:
        raise SpecError(
            f"there is no bot {called.name!r} for such a game; there are {', '.join(bots)}, "
            f"{SEARCHING}(FILE), strategy files, and mybot.py:MyBot"
        )
    if called.args or called.kwargs:
        raise ParameterError(f"{called.name} takes no parameters")
    return bots[called.name]()


def searching(spec: str, **options: float | str | None) -> str:
    """A file of a blueprint as the agent that searches by it; any other name as it is.

    >>> searching("always-call")
    'always-call'
    """
    if not _is_file(spec) or header_of(spec).get("form") != "buckets":
        return spec
    told = {
        key: f"{value:g}" if isinstance(value, float) else value for key, value in options.items()
    }
    given = "".join(f",{key}={value}" for key, value in told.items() if value is not None)
    return f"{SEARCHING}({spec}{given})"


def _holdem(spec: str, called: Spec) -> Agent:
    """The agent that searches, from its file and what else was asked of it."""
    from counterfold.play.holdem import AUTO, HoldemAgent, LearningHoldem

    if len(called.args) != 1 or not _is_file(str(called.args[0])):
        raise ParameterError(
            f"say by which blueprint {SEARCHING} plays, as in {SEARCHING}(blueprint.cf,seconds=2)"
        )
    strategy = Strategy.load(str(called.args[0]))
    if strategy.layout.name != "buckets":
        raise MismatchError(
            f"{called.args[0]} is a strategy of {strategy.spec}, and {SEARCHING} plays by a "
            "blueprint of a table, which `counterfold blueprint` makes"
        )
    try:
        kind = LearningHoldem if called.kwargs.get("alpha") == AUTO else HoldemAgent
        return kind(strategy, spec, **called.kwargs)
    except TypeError:
        raise ParameterError(f"{spec!r} has parameters that {SEARCHING} does not take") from None
