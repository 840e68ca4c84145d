"""An agent for whole hands of hold'em: a blueprint, and searches with the cards that came.

Before the flop the blueprint plays. On later streets the agent solves what is left of the hand
from the beginning of the street on, once a street and again when somebody bets what is not in the
searched tree (nested: Brown and Sandholm 2017). It keeps what every player may hold, all 1,326
hands, by Bayes' rule: from what the blueprint does where the blueprint was played, and from what
was found where it has searched.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.agent import Agent, Observation, SeenHand, drawn
from counterfold.arrays import Floats
from counterfold.errors import MismatchError, ParameterError
from counterfold.games.spec import positive, whole
from counterfold.notebook import brief
from counterfold.play.blueprint import BlueprintAgent
from counterfold.play.certificate import Certificate
from counterfold.play.habits import Habits, tilted
from counterfold.play.safe import DRAWS
from counterfold.play.street import GADGETS, Plan, Spot, StreetSearch
from counterfold.play.table_insight import TableInsight
from counterfold.play.translate import check_alike, dealt, meant, told
from counterfold.play.worth import worth_among, worth_of
from counterfold.poker.cards import HOLES, holes_without, parse_card, parse_hole
from counterfold.poker.game import DECISION, BettingTree
from counterfold.poker.money import State
from counterfold.poker.table import STREETS, Holdem, TableView
from counterfold.strategy.strategy import Strategy

SECONDS = 10.0
"""One search answers all decisions of its street, most end early, and those before it cost nothing:
see docs/how-to/holdem-agent.md for what a decision takes on average."""
WITH_ALPHA = "ses"
GADGET, ALPHA = "ses", 0.99
"""What beats its own blueprint and keeps some safety: see docs/how-to/holdem-agent.md."""
SEARCHED = 8
"""Hands of which the certificates are kept."""
STREET = "flop"
AUTO = "auto"
KEPT = 4096
"""Places of hands that are remembered."""

Worths = dict[str, float]
Odds = tuple[tuple[str, ...], Floats]
"""Actions, and [actions, holes] how often each hand takes them."""


@dataclass(eq=False)
class _Street:
    """A street as one player sees it: how it began, and what was found."""

    state: State
    node: int  # of the blueprint's betting; -1 where the two have come apart
    board: tuple[int, ...]
    ranges: Floats  # [players, holes] with which hands they came
    judged: Floats  # [1 + draws, players, holes] the same by the others' habits
    plans: list[Plan] = field(default_factory=list)
    failed: set[tuple[str, ...]] = field(default_factory=set)


@dataclass(frozen=True, eq=False)
class _Place:
    """A place of a hand: what was said and dealt, at the real table and in the blueprint's tree."""

    street: _Street
    real: State
    own: State | None  # None where the two have come apart
    node: int
    board: tuple[int, ...]
    words: tuple[str, ...]  # of this street
    factors: Floats  # [players, holes] what the hands did on this street, as far as it is known
    habits: Floats  # [1 + draws, players, holes] the same by the others' habits
    strange: bool = False  # whether the blueprint knows the hand by other bets than were made


class HoldemAgent(Agent):
    """Plays a blueprint and searches, at any table of two or three with the blueprint's stacks.

    ``seconds`` of CPU bound each search, which ends earlier where it is good enough; with
    ``iterations`` it has so many, and a match can be played again. ``gadget`` is how it keeps safe
    at the root of a search, ``alpha`` that of ``ses`` (or "auto": see ``LearningHoldem``). It
    searches from ``street`` on, and before it where somebody has bet what the blueprint does not
    know.
    """

    timed = True
    """It may play otherwise when it is asked again: time ends its searches."""

    def __init__(
        self,
        strategy: Strategy[BucketForm],
        name: str = "",
        *,
        seconds: float = SECONDS,
        gadget: str | None = None,
        alpha: float | str | None = None,
        budget: float = 0.5,
        street: str = STREET,
        iterations: int | None = None,
    ) -> None:
        self.blueprint = BlueprintAgent(strategy, name)
        self.strategy, self.tables = strategy, self.blueprint.tables
        self.own = self.blueprint.table
        self.name = name or f"holdem({strategy.about.get('method', 'blueprint')})"
        if self.own.players > 3:
            raise MismatchError(f"{self.name} plays tables of two or three, not {self.own.players}")
        self.seconds = float(positive("seconds", seconds))
        gadget = (GADGET if alpha is None else WITH_ALPHA) if gadget is None else gadget
        if gadget not in GADGETS:
            raise ParameterError(f"a gadget here is {', '.join(GADGETS)}, not {gadget!r}")
        if alpha is not None and gadget != WITH_ALPHA:
            raise ParameterError(f"alpha is of the gadget {WITH_ALPHA}, and {gadget} has none")
        alpha = ALPHA if alpha is None else alpha
        if alpha != AUTO and not (isinstance(alpha, int | float) and 0 <= alpha <= 1):
            raise ParameterError(f"alpha is {alpha!r}, and must be from 0 to 1, or {AUTO}")
        self.gadget, self.alpha = gadget, None if alpha == AUTO else float(alpha)
        if not (isinstance(budget, int | float) and np.isfinite(budget) and budget >= 0):
            raise ParameterError(f"the budget is {budget!r}, and must be big blinds from 0 up")
        self.budget = float(budget)
        self.habits = Habits(len(STREETS))
        if street not in STREETS[1:]:
            raise ParameterError(f"street is one of {', '.join(STREETS[1:])}, not {street!r}")
        self.street = STREETS.index(street)
        self.iterations = None if iterations is None else whole("iterations", iterations, least=1)
        self._places: OrderedDict[tuple[int, int, tuple[str, ...]], _Place] = OrderedDict()
        self._found: dict[int, list[Certificate]] = {}
        self._table: Holdem | None = None

    def __repr__(self) -> str:
        return brief(self, f"{self.name}: {self.strategy.spec}, {self.seconds:g} s, {self.gadget}")

    @property
    def table(self) -> Holdem:
        """Where it sits; until a match begins, where its blueprint does."""
        return self._table or self.own

    def begin(self, game: object) -> None:
        """Sit down at a table that differs from the blueprint's in sizes only."""
        table = self._table = check_alike(game, self.own, self.name)
        self._places.clear()
        self._search = StreetSearch(
            self.tables, self.own, table, gadget=self.gadget, alpha=self.alpha,
            budget=self.budget * table.blinds[1], seconds=self.seconds, iterations=self.iterations,
        )  # fmt: skip
        self._search.warm_up()
        self._tilt()

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        return drawn(self.odds(observation), rng)

    def odds(self, observation: Observation) -> dict[str, float]:
        """How often it takes each action at a decision."""
        hole = parse_hole(TableView.of(observation.seen).hand)
        every = self.odds_of_all(observation)
        return {name: float(shares[hole]) for name, shares in every.items()}

    def odds_of_all(self, observation: Observation) -> dict[str, Floats]:
        """[holes] how often every hand takes each action, whatever is held."""
        place = self._at(observation)
        if place.real.kind != DECISION or place.real.player != observation.player:
            raise ParameterError(
                f"player {observation.player + 1} does not decide after {observation.name!r}"
            )
        found = self._policy(place, observation.player, observation.hand)
        return dict(zip(*found, strict=True))

    def ranges(self, observation: Observation) -> Floats:
        """[players, holes] with what weight everybody may hold each hand, the largest one."""
        place = self._at(observation)
        found = self._arrived(place, observation.player)
        found *= holes_without(place.board)
        most = found.max(1, keepdims=True)
        out: Floats = np.divide(found, most, where=most > 0, out=np.zeros_like(found))
        return out

    def certificates(self, observation: Observation) -> list[Certificate]:
        """Of the searches on the street of a decision."""
        return [plan.certificate for plan in self._at(observation).street.plans]

    def searches(self, hand: int) -> list[Certificate]:
        """Of all searches in a hand that was just played."""
        return self._found.get(hand, [])

    def judged(self, observation: Observation) -> tuple[dict[str, float], Worths, float] | None:
        """How this agent would play in somebody else's place, what each action is worth there
        against it, in chips from there on, and how far that may be wrong.

        Heads-up, by its search where every hand is its own; else by the blueprint, over boards
        that are drawn, and with three over hands that are drawn by what they may hold. None where
        the trees have come apart.
        """
        seen = TableView.of(observation.seen)
        hole, hand, two = parse_hole(seen.hand), observation.hand, self.table.players == 2
        other = (observation.player + 1) % self.table.players
        words = seen.words
        place = self._place(other, hand, words)
        plan = self._plan(place, other, hand) if two else None
        found = None if plan is None else self._search.values(plan, place.words)
        if plan is not None and found is not None:
            node = plan.find(place.words)
            assert node is not None
            worth = {name: float(of[hole]) for name, of in found.items()}
            odds = dict(zip(worth, plan.played[node][:, hole].tolist(), strict=True))
            return odds, worth, plan.certificate.gap or 0.0
        if place.own is None or place.own.kind != DECISION:
            return None
        against = self._arrived(place, other) * holes_without(place.board)
        random = np.random.default_rng([hand, len(words)])
        if two:
            rolled = worth_of(self.tables, place.node, hole, place.board, against[other], random)
        else:
            rolled = worth_among(self._insight, place.node, hole, place.board, against, random)
        odds, worth = {}, {}
        plays = self.tables.expand(place.board, place.node)[:, hole].tolist()
        for k, name in enumerate(self._labels(place.node)):
            said = told(self.own.betting, place.own, self.table.betting, place.real, name)
            odds[said] = odds.get(said, 0.0) + plays[k]
            worth.setdefault(said, float(rolled.value[k]))
        return odds, worth, 1.96 * float(rolled.error.max())

    @cached_property
    def _insight(self) -> TableInsight:
        """The blueprint played on by everybody."""
        return TableInsight(self.own, [self.strategy])

    # Where a hand has come to

    def _at(self, observation: Observation) -> _Place:
        words = TableView.of(observation.seen).words
        return self._place(observation.player, observation.hand, words)

    def _place(self, player: int, hand: int, words: tuple[str, ...]) -> _Place:
        key = player, hand if words else 0, words
        found = self._places.get(key)
        if found is None:
            if not words:
                found = self._root()
            else:
                found = self._after(self._place(player, hand, words[:-1]), player, hand, words)
            self._places[key] = found
            while len(self._places) > KEPT:
                self._places.popitem(last=False)
        return found

    def _root(self) -> _Place:
        real, own = self.table.betting.root(), self.own.betting.root()
        every = np.ones((self.table.players, HOLES))
        worlds = np.ones((len(self._tilts), *every.shape))
        street = _Street(real, 0, (), every, worlds)
        return _Place(street, real, own, 0, (), (), every, worlds)

    def _after(self, place: _Place, player: int, hand: int, words: tuple[str, ...]) -> _Place:
        """One word later."""
        if words[-1].startswith("["):
            return self._dealt(place, player, parse_card(words[-1][1:-1]))
        word, real, factors = words[-1], place.real, place.factors.copy()
        habits = place.habits.copy()
        if real.player == player:  # what it was not asked about it has not searched
            names, shares = self._believed(place)
            if word in names:
                factors[player] *= shares[names.index(word)]
        own, node, strange = place.own, place.node, place.strange
        if own is not None:
            found = meant(self.own.betting, own, self.table.betting, real, word)
            if not found:
                own, node = None, -1
            else:
                first = len(found) == 1 or self._draw(hand, words) < found[0][0]
                name = found[0 if first else 1][1]
                labels = self._labels(node)
                strange |= told(self.own.betting, own, self.table.betting, real, name) != word
                if real.player != player:
                    others = self.tables.expand(place.board, node).astype(np.float64)
                    factors[real.player] *= others[labels.index(name)]
                    for world, tilt in zip(habits, self._tilts[:, real.street], strict=True):
                        lean = tilted(others, labels, tilt)
                        world[real.player] *= lean[labels.index(name)]
                own = self.own.betting.ways(own)[name]
                node = int(self._betting.first[node]) + labels.index(name)
        betting = self.table.betting
        after = betting.ways(real).get(word)
        if after is None:
            chips = betting.free(real, word)
            if chips is None:
                raise ParameterError(f"{word!r} is no move there at {self.table}")
            after = betting.raised(real, chips)
        if own is not None and own.kind == DECISION and own.player != after.player:
            own, node = None, -1
        return replace(
            place, real=after, own=own, node=node, words=(*place.words, word), factors=factors,
            habits=habits, strange=strange or own is None,
        )  # fmt: skip

    def _dealt(self, place: _Place, player: int, card: int) -> _Place:
        """A card later; a street may begin."""
        board = (*place.board, card)
        real = dealt(self.table.betting, place.real, len(board))
        if real is place.real:
            return replace(place, board=board)
        own, node = place.own, place.node
        if own is not None:
            after = dealt(self.own.betting, own, len(board))
            own, node = (None, -1) if after is own else (after, int(self._betting.first[node]))
        free = holes_without(board)
        ranges = self._arrived(place, player) * free
        judged = self._judged(place) * free
        street = _Street(real, node, board, _weighed(ranges, board), _weighed(judged, board))
        return _Place(
            street, real, own, node, board, (), np.ones_like(ranges), np.ones_like(judged),
            place.strange or own is None,
        )  # fmt: skip

    def _arrived(self, place: _Place, player: int) -> Floats:
        """[players, holes] how all hands came here: by what was found on the street, if anything
        was, else by the blueprint; the own ones by what was really played."""
        found = place.street.ranges * place.factors
        plan = self._plan_for(place)
        for p in range(len(found)):
            if p != player and plan is not None and p in plan.seats:
                found[p] = place.street.ranges[p] * plan.factor(p, place.words)
        return found

    def _judged(self, place: _Place) -> Floats:
        """[1 + draws, players, holes] the others' hands if they play by their habits."""
        found, plan = place.street.judged * place.habits, self._plan_for(place)
        for p in plan.seats if plan is not None else ():
            for k, tilt in enumerate(self._tilts[:, place.street.state.street]):
                assert plan is not None
                found[k, p] = place.street.judged[k, p] * plan.factor(p, place.words, tilt)
        return found

    def _tilt(self) -> None:
        """Take in what was learned: all that is remembered of hands was judged without it."""
        self._places.clear()
        self._tilts = np.zeros((0, len(STREETS), 3))
        if self.alpha is None:
            random = np.random.default_rng(int(self.habits.seen.sum()))
            self._tilts = self.habits.tilts(DRAWS, random)

    def _draw(self, hand: int, words: tuple[str, ...]) -> float:
        """A number from 0 to 1 by which a bet is taken for another: the same one each time."""
        line = zlib.crc32(", ".join(words).encode())
        return float(np.random.default_rng([hand, line]).random())

    # What it does there

    @property
    def _betting(self) -> BettingTree:
        return self.tables.form.game.betting

    def _labels(self, node: int) -> tuple[str, ...]:
        return self._betting.actions(node)

    def _policy(self, place: _Place, player: int, hand: int) -> Odds:
        plan = self._plan(place, player, hand)
        if plan is None:
            return self._by_blueprint(place)
        node = plan.find(place.words)
        assert node is not None
        return plan.betting.actions(node), plan.played[node]

    def _believed(self, place: _Place) -> Odds:
        """What is done at a place by what was found there so far, or else by the blueprint."""
        plan = self._plan_for(place)
        node = None if plan is None else plan.find(place.words)
        if plan is None or node is None or node not in plan.played:
            return self._by_blueprint(place)
        return plan.betting.actions(node), plan.played[node]

    def _by_blueprint(self, place: _Place) -> Odds:
        """What the blueprint does, in the words of the table."""
        real, betting = place.real, self.table.betting
        names = tuple(betting.ways(real))
        if place.own is None or place.own.kind != DECISION:
            calls = next(k for k, name in enumerate(names) if name in ("check", "call"))
            return names, np.repeat(np.eye(len(names))[calls][:, None], HOLES, 1)
        shares = self.tables.expand(place.board, place.node).astype(np.float64)
        found: dict[str, Floats] = {}
        for name, share in zip(self._labels(place.node), shares, strict=True):
            said = told(self.own.betting, place.own, betting, real, name)
            found[said] = found.get(said, 0.0) + share
        return tuple(found), np.stack([*found.values()])

    def _plan_for(self, place: _Place) -> Plan | None:
        """The first search of the street in which all that was said is an action."""
        return next((p for p in place.street.plans if p.find(place.words) is not None), None)

    def _plan(self, place: _Place, player: int, hand: int) -> Plan | None:
        """The same, searched for if there is none."""
        street, words = place.street, place.words
        plan = self._plan_for(place)
        wanted = place.real.street >= (1 if place.strange else self.street)
        if plan is not None or words in street.failed or not wanted:
            return plan
        extra = self._off_tree(street, words)
        spot = Spot(
            street.state, street.board, street.node, street.ranges, words, player, street.judged
        )
        plan = self._search.plan(spot, extra)
        if plan is None or plan.find(words) is None:
            street.failed.add(words)
            return None
        street.plans.append(plan)
        self._found.setdefault(hand, []).append(plan.certificate)
        for old in [*self._found][:-SEARCHED]:
            del self._found[old]
        return plan

    def _off_tree(self, street: _Street, words: tuple[str, ...]) -> dict[int, list[float]]:
        """The chips of all bets of a street so far, by player."""
        betting, state = self.table.betting, street.state
        found: dict[int, list[float]] = {}
        for word in words:
            after = betting.ways(state).get(word)
            if after is None:
                after = betting.raised(state, betting.free(state, word) or 0.0)
            if max(after.bets) > max(state.bets):
                found.setdefault(state.player, []).append(max(after.bets))
            state = after
        return found


class LearningHoldem(HoldemAgent):
    """The same with an alpha that sets itself: from the opponents' habits, within a budget.

    What is learned is how often they fold, call and raise, beside how often the ranges that they
    were believed to hold would (``Habits``).
    """

    def learn(self, hand: SeenHand) -> None:
        words = TableView.of(hand.final).words
        for k, word in enumerate(words):
            place = self._place(hand.player, hand.hand, words[:k])
            real = place.real
            if word.startswith("[") or real.kind != DECISION or real.player == hand.player:
                continue
            actions, shares = self._believed(place)
            weights = self._arrived(place, hand.player)[real.player]
            total = max(float(weights.sum()), 1e-300)
            self.habits.learn(real.street, word, actions, shares @ weights / total)
        self._tilt()


def _weighed(ranges: Floats, board: tuple[int, ...]) -> Floats:
    """Ranges whose largest weight is one; all hands where nobody could hold any."""
    most = ranges.max(-1, keepdims=True)
    return np.where(most > 0, ranges / np.where(most > 0, most, 1.0), holes_without(board) * 1.0)
