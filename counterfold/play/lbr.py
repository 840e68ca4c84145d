"""Local best response (Lisy and Bowling 2017): what a simple opponent wins from a strategy.

It knows the strategy, keeps the range of hands that the other may hold by Bayes' rule, and takes
the action that is best if the rest of the hand were checked and called. What it wins is a lower
bound on what a best response would. Nobody's cards are drawn: all hands of the response go along a
public line at once, each by its own best action, against the whole range of the other. What is
drawn are the other's actions, the board, and which of the actions of the response the line follows;
hands that fold there, and all hands at a showdown, count for what they are worth. Where a line is
drawn, what it would be worth if it were checked down stands for those that were not, which keeps
the mean.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.agent import Agent, Observation, TellsOdds, TellsOddsOfAll
from counterfold.arrays import Floats
from counterfold.errors import ParameterError, UnsupportedError, short
from counterfold.evaluate.equity import showdown
from counterfold.games.spec import whole
from counterfold.intervals import Erring
from counterfold.play.blueprint import BlueprintAgent
from counterfold.play.public_lines import CardDraws, Policy, poker_policy
from counterfold.play.translate import Translated
from counterfold.poker.cards import (
    HIGH,
    HOLES,
    LOW,
    board_name,
    card_name,
    cards_name,
    parse_cards,
)
from counterfold.poker.equities import boards_left, wins_after
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN, PokerGame, meetings
from counterfold.poker.money import State
from counterfold.poker.table import Holdem, TableView
from counterfold.strategy.strategy import AnyStrategy, Strategy

P = TypeVar("P")


class Kind(NamedTuple):
    """What a local best response may do."""

    told: str
    late: bool = False
    """It bets on the last two streets alone, and before them calls whatever is bet."""
    sizes: tuple[float, ...] = ()
    """Bets in parts of the pot, beside all-in; () for those that the strategy knows."""
    bets: bool = True


KINDS = {
    "fold-call": Kind("folds or calls, and never bets", bets=False),
    "pot": Kind("calls until the turn, then bets the pot or all-in as well", True, (1.0,)),
    "56": Kind(
        "calls until the turn, then bets 0.05 to 95 pots in steps of 15%, or all-in, as well",
        True,
        tuple(0.05 * 1.15**k for k in range(55)),
    ),
    "all": Kind("bets on every street, all sizes that the strategy knows"),
}
"""The settings of Lisy and Bowling by name, and one for games with few sizes."""
MOST_KEPT = 256
"""Places whose answers are kept."""
BOARDS_KEPT = 3
"""Boards, one of each street with cards to come, on which all hands are compared and kept."""


@dataclass(frozen=True)
class LocalResponse(Erring):
    """What a local best response wins, in the game's units a hand, with its standard error."""

    kind: str
    hands: int
    value: float
    error: float
    by_player: tuple[float, float]  # as which player it won how much
    exact: bool


def local_best_response(
    strategy: Strategy | Agent,
    hands: int | None = None,
    kind: str = "all",
    *,
    table: Holdem | None = None,
    seed: int = 0,
    on_progress: Callable[[LocalResponse, int], None] | None = None,
) -> LocalResponse:
    """What a local best response wins from a strategy of two-player poker, as each player in turn.

    Without a number of hands all of them are looked at, which small games allow. In the place of a
    strategy there may be an agent at a ``table`` who tells its odds (see ``Agent``).
    ``on_progress`` is told what was found so far and the hands to do; after KeyboardInterrupt what
    was played counts.

    >>> import counterfold as cf
    >>> from counterfold.poker.holdem import kuhn
    >>> found = local_best_response(cf.Strategy.uniform(kuhn()))
    >>> found.exact, round(found.by_player[1], 6)
    (True, 0.416667)
    """
    if kind not in KINDS:
        raise ParameterError(f"{short(kind)} is no local best response; there are {list(KINDS)}")
    game, lines = _lines(strategy, table)
    if hands is None and isinstance(lines, _TableLines):
        raise ParameterError("there are too many hands to look at all: say how many to draw")
    walks = [
        _Walk(game, lines, me, KINDS[kind], np.random.default_rng([seed, me]), hands is None)
        for me in (0, 1)
    ]
    if hands is None:
        own = [walk.value() for walk in walks]
        return LocalResponse(kind, 0, sum(own) / 2, 0.0, (own[0], own[1]), True)
    whole("hands", hands, least=4)
    won: tuple[list[float], list[float]] = [], []
    for n in range(hands):
        try:
            won[n % 2].append(walks[n % 2].value())
            if on_progress and n >= 3:
                on_progress(_score(kind, won), hands)
        except KeyboardInterrupt:
            if n < 4:
                raise
            break
    return _score(kind, won)


def _score(kind: str, won: tuple[list[float], list[float]]) -> LocalResponse:
    means = [float(np.mean(own)) for own in won]
    errors = [float(np.std(own, ddof=1)) / math.sqrt(len(own)) for own in won]
    error = math.hypot(*errors) / 2
    count = sum(map(len, won))
    return LocalResponse(kind, count, sum(means) / 2, error, (means[0], means[1]), False)


class _Choices(NamedTuple, Generic[P]):
    """What one may do at a place: where a fold, a check or call, and bets lead."""

    fold: P | None
    call: P | None
    bets: list[P]


class _Lines(Protocol[P]):
    """Places of a betting, whatever they are."""

    root: P
    streets: int

    def kind(self, place: P, /) -> int: ...
    def player(self, place: P, /) -> int: ...
    def street(self, place: P, /) -> int: ...
    def paid(self, place: P, /) -> Floats: ...
    def payoff(self, place: P, player: int, /) -> Floats: ...
    def dealt(self, place: P, cards: tuple[int, ...], /) -> P: ...
    def answers(self, place: P, board: tuple[int, ...], /) -> list[tuple[P, Floats]]: ...
    def choices(self, place: P, sizes: tuple[float, ...], /) -> _Choices[P]: ...


class _TreeLines:
    """Places of a betting tree, where a strategy knows all bets; a place is a node."""

    root = 0

    def __init__(self, game: PokerGame, policy: Policy) -> None:
        self.tree, self.policy = game.betting, policy
        self.streets = game.betting.streets

    def kind(self, node: int) -> int:
        return int(self.tree.kind[node])

    def player(self, node: int) -> int:
        return int(self.tree.player[node])

    def street(self, node: int) -> int:
        return int(self.tree.street[node])

    def paid(self, node: int) -> Floats:
        return np.asarray(self.tree.paid[node])

    def payoff(self, node: int, player: int) -> Floats:
        return np.asarray(self.tree.payoff[node, player])

    def dealt(self, node: int, cards: tuple[int, ...]) -> int:
        return int(self.tree.first[node])

    def answers(self, node: int, board: tuple[int, ...]) -> list[tuple[int, Floats]]:
        return list(zip(self.tree.children(node), self.policy(node, board), strict=True))

    def choices(self, node: int, sizes: tuple[float, ...]) -> _Choices[int]:
        """All that the tree has, whatever the sizes."""
        tree, me = self.tree, int(self.tree.player[node])
        fold, call, bets = None, None, []
        for child in tree.children(node):
            if tree.kind[child] == FOLD and tree.player[child] == me:
                fold = child
            elif tree.paid[child, me] <= tree.paid[node, 1 - me]:
                call = child
            else:
                bets.append(child)
        return _Choices(fold, call, bets)


_Said = tuple[State, tuple[str, ...]]
"""A place at a table: the betting and the line."""


class _TableLines:
    """Places at a table, where any size may be bet."""

    def __init__(self, table: Holdem, agent: TellsOdds | TellsOddsOfAll) -> None:
        self.betting, self.agent = table.betting, agent
        self.root: _Said = self.betting.root(), ()
        self.streets = self.betting.streets
        self._kept: dict[str, dict[str, Floats]] = {}

    def kind(self, place: _Said) -> int:
        return int(place[0].kind)

    def player(self, place: _Said) -> int:
        return int(place[0].player)

    def street(self, place: _Said) -> int:
        return int(place[0].street)

    def paid(self, place: _Said) -> Floats:
        return np.asarray(np.add(place[0].before, place[0].bets))

    def payoff(self, place: _Said, player: int) -> Floats:
        return np.array(self.betting.payoff(place[0])[player])

    def dealt(self, place: _Said, cards: tuple[int, ...]) -> _Said:
        state, line = place
        words = tuple(f"[{card_name(card)}]" for card in cards)
        return self.betting.ways(state)[""], (*line, *words)

    def answers(self, place: _Said, board: tuple[int, ...]) -> list[tuple[_Said, Floats]]:
        state, line = place
        said = ", ".join(line)
        found = self._kept.get(said)
        if found is None:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            names = tuple(self.betting.ways(state))
            seen = Observation(state.player, ("", board_name(board), said), names)
            found = self._kept[said] = odds_of_all(self.agent, seen)
        return [(self._after(place, word), odds) for word, odds in found.items()]

    def _after(self, place: _Said, word: str) -> _Said:
        state, line = place
        after = self.betting.ways(state).get(word)
        if after is None:
            after = self.betting.raised(state, self.betting.free(state, word) or 0.0)
        return after, (*line, word)

    def choices(self, place: _Said, sizes: tuple[float, ...]) -> _Choices[_Said]:
        """A fold, a check or call, and the given sizes with all-in, as far as rules allow."""
        state, betting = place[0], self.betting
        ways = list(betting.ways(state))
        fold = self._after(place, "fold") if "fold" in ways else None
        call = next((self._after(place, word) for word in ways if word in ("check", "call")), None)
        bounds = betting.bounds(state)
        bets = [word for word in ways if word not in ("fold", "check", "call")]
        if sizes and bounds and not betting.fixed:
            level = max(state.bets)
            pot = sum(state.before) + sum(state.bets) + level - state.bets[state.player]
            chips = {bounds[1], *(betting.rounded(level + size * pot) for size in sizes)}
            bets = [betting.name(state, n) for n in sorted(chips) if bounds[0] <= n <= bounds[1]]
        return _Choices(fold, call, [self._after(place, word) for word in bets])


def odds_of_all(agent: TellsOdds | TellsOddsOfAll, observation: Observation) -> dict[str, Floats]:
    """[holes] how often every hand of an agent takes each action, asked hand by hand if need be."""
    if isinstance(agent, TellsOddsOfAll):
        return agent.odds_of_all(observation)
    _, board, line = TableView.of(observation.seen)
    gone, found = set(parse_cards(board)), defaultdict[str, Floats](lambda: np.zeros(HOLES))
    for hole, cards in enumerate(zip(HIGH.tolist(), LOW.tolist(), strict=True)):
        if gone.isdisjoint(cards):
            seen = replace(observation, seen=(cards_name(cards), board, line))
            for action, share in (agent.odds(seen) or {}).items():
                found[action][hole] = share
    return dict(found)


def _lines(
    strategy: AnyStrategy | Agent, table: Holdem | None
) -> tuple[PokerGame, _TreeLines | _TableLines]:
    """The game of a strategy or an agent, and the places of its betting."""
    if isinstance(strategy, Strategy):
        form = strategy.tree
        if isinstance(form, BucketForm) and "table" in form.game.about:
            agent = BlueprintAgent(strategy)
            return _lines(Translated(agent, agent.table), agent.table)
        game, policy = poker_policy(strategy)
        if len(game.ranges) != 2:
            raise UnsupportedError("a local best response is for two players")
        return game, _TreeLines(game, policy)
    if table is None or not isinstance(strategy, TellsOdds):
        raise UnsupportedError(
            f"a local best response needs to know how often {strategy.name or 'an agent'} takes "
            "each action, which it does not tell"
        )
    if table.players != 2:
        raise UnsupportedError("a local best response is for two players")
    strategy.begin(table)
    return table.poker, _TableLines(table, strategy)


class Branch(NamedTuple, Generic[P]):
    """One way on: where it leads, and with which weights of the own hands and of theirs."""

    place: P
    own: Floats
    theirs: Floats


class _Walk(Generic[P]):
    """Lines of a local best response as one player, with all of its hands at once.

    ``everything`` follows all ways on and deals all cards, else one is drawn.
    """

    def __init__(
        self,
        game: PokerGame,
        lines: _Lines[P],
        me: int,
        kind: Kind,
        random: np.random.Generator,
        everything: bool = False,
    ) -> None:
        self.game, self.lines, self.me, self.may, self.random = game, lines, me, kind, random
        self.rules, self.everything = game.rules, everything
        self.cards = CardDraws(game.rules)
        self.ends = len(game.board) + sum(game.rules.deal)
        self._compared = lru_cache(BOARDS_KEPT)(self._compare)

    def value(self) -> float:
        """What is won a hand: exactly, or on a line that is drawn."""
        own, theirs = (np.asarray(self.game.ranges[p], np.float64) for p in (self.me, 1 - self.me))
        mass = float(own @ meetings(theirs))
        return self._value(Branch(self.lines.root, own, theirs), tuple(self.game.board)) / mass

    def _value(self, at: Branch[P], board: tuple[int, ...]) -> float:
        """What hands win from here on, in chips by weight."""
        kind = self.lines.kind(at.place)
        if kind in (FOLD, SHOWDOWN):
            return self._end(at, board)
        if kind == DEAL:
            return self._deal(at, board)
        if self.lines.player(at.place) == self.me:
            ways = self._chosen(at, board)
        else:
            answers = self.lines.answers(at.place, board)
            ways = [Branch(child, at.own, at.theirs * odds) for child, odds in answers]
        return self._onward(ways, board)

    def _onward(self, ways: list[Branch[P]], board: tuple[int, ...]) -> float:
        """The sum of all ways on; of those on which the hand goes on one is drawn."""
        going, total = [], 0.0
        for way in ways:
            if self.everything or self.lines.kind(way.place) in (FOLD, SHOWDOWN):
                total += self._value(way, board) if _mass(way) > 0 else 0.0
            else:
                going.append(way)
        likely = np.array([_mass(way) for way in going])
        if not likely.sum() > 0:
            return total
        likely = likely / likely.sum()
        k = int(self.random.choice(len(going), p=likely))
        if likely[k] == 1.0:
            return total + self._value(going[k], board)
        guesses = [self._guess(way, board) for way in going]
        return total + sum(guesses) + (self._value(going[k], board) - guesses[k]) / float(likely[k])

    def _deal(self, at: Branch[P], board: tuple[int, ...]) -> float:
        """The mean over all cards that can come to two hands, or by those that are drawn."""
        count = self.rules.deal[self.lines.street(at.place) + 1]
        left = [card for card in self.rules.deck if card not in board]
        ways, total = math.comb(len(left) - 2 * self.rules.hole, count), 0.0
        if self.everything:
            for cards in combinations(left, count):
                after = self._dealt(at, cards)
                total += self._value(after, (*board, *cards)) if _mass(after) > 0 else 0.0
            return total / ways
        cards, chance = self.cards.drawn(board, count, (at.own, at.theirs), self.random)
        after, there = self._dealt(at, cards), (*board, *cards)
        off = self._value(after, there) - self._guess(after, there)
        return self._guess(at, board) + off / (chance * ways * math.factorial(count))

    def _dealt(self, at: Branch[P], cards: tuple[int, ...]) -> Branch[P]:
        own, theirs = (self.cards.without(each, cards) for each in (at.own, at.theirs))
        return Branch(self.lines.dealt(at.place, cards), own, theirs)

    def _end(self, at: Branch[P], board: tuple[int, ...]) -> float:
        payoff, met = self.lines.payoff(at.place, self.me), meetings(at.theirs)
        if self.lines.kind(at.place) == FOLD:
            return float(payoff[0]) * float(at.own @ met)
        wins, ties, _ = showdown(self.rules, board, at.theirs)
        win, tie, lose = payoff.tolist()
        return float(at.own @ (win * wins + tie * ties + lose * (met - wins - ties)))

    def _guess(self, at: Branch[P], board: tuple[int, ...]) -> float:
        """What hands win if a bet is answered and the rest checked down.

        Over the cards of a street it is the mean of what it is after them.
        """
        lines = self.lines
        mine, other = lines.paid(at.place)[[self.me, 1 - self.me]].tolist()
        theirs, folded = at.theirs, np.zeros_like(at.theirs)
        if lines.kind(at.place) == DECISION and lines.player(at.place) != self.me and mine > other:
            theirs = self._staying(at.place, board, at.theirs)
            folded = other * meetings(at.theirs - theirs)
        worth = max(mine, other) * self._ahead(board, theirs) + folded
        if mine < other:  # who does better so folds
            worth = np.maximum(worth, -mine * meetings(theirs))
        return float(at.own @ worth)

    # What is best

    def _chosen(self, at: Branch[P], board: tuple[int, ...]) -> list[Branch[P]]:
        """Each hand goes where the action leads that is best if nobody bets after it (their
        equations 1 to 3)."""
        lines, me, may = self.lines, self.me, self.may
        fold, call, bets = lines.choices(at.place, may.sizes)
        early = may.late and lines.street(at.place) < lines.streets - 2
        if early and call is not None:
            return [Branch(call, at.own, at.theirs)]
        paid = lines.paid(at.place)
        pot, asked = float(paid.sum()), float(paid[1 - me] - paid[me])
        worth = [] if fold is None else [(np.zeros(len(at.own)), fold)]
        if call is not None:
            share = self._equity(board, at.theirs)
            worth.append((share * pot - (1 - share) * asked, call))
        if may.bets or not worth:
            worth += [(self._bet(after, board, at.theirs, pot, asked), after) for after in bets]
        best = np.stack([value for value, _ in worth]).argmax(0)
        ways = [
            Branch(after, at.own * (best == k), at.theirs) for k, (_, after) in enumerate(worth)
        ]
        return [way for way in ways if way.own.any()]

    def _bet(
        self, after: P, board: tuple[int, ...], theirs: Floats, pot: float, asked: float
    ) -> Floats:
        """[holes] what a bet is worth: the pot where the other folds, else a showdown for more."""
        lines, stays = self.lines, theirs
        paid = lines.paid(after)
        raised = float(paid[self.me] - paid[1 - self.me])
        if lines.kind(after) == DECISION and lines.player(after) != self.me:
            stays = self._staying(after, board, theirs)
        met, share = meetings(theirs), self._equity(board, stays)
        stay = np.divide(meetings(stays), met, where=met > 0, out=np.zeros_like(met))
        shown = share * (pot + raised) - (1 - share) * (asked + raised)
        return np.asarray((1 - stay) * pot + stay * shown)

    def _staying(self, place: P, board: tuple[int, ...], theirs: Floats) -> Floats:
        """What of a range does not fold where it is asked."""
        kept = [odds for k, odds in self.lines.answers(place, board) if self.lines.kind(k) != FOLD]
        return np.asarray(theirs * np.sum(kept, 0))

    def _equity(self, board: tuple[int, ...], theirs: Floats) -> Floats:
        """[holes] the share of the pot at a showdown against a range, over the cards that come."""
        met, ahead = meetings(theirs), self._ahead(board, theirs)
        return 0.5 + 0.5 * np.divide(ahead, met, where=met > 0, out=np.zeros_like(met))

    def _ahead(self, board: tuple[int, ...], theirs: Floats) -> Floats:
        """[holes] how much more of a range each hand beats than beats it, by the cards to come."""
        if len(board) < self.ends:
            return np.asarray(self._compared(board) @ theirs)
        wins, ties, met = showdown(self.rules, board, theirs)
        return np.asarray(2 * wins + ties - met)

    def _compare(self, board: tuple[int, ...]) -> Floats:
        """[holes, holes] how much more often a hand wins than it loses where cards are to come."""
        more = self.ends - len(board)
        wins = wins_after(self.rules, board, more).astype(np.float64)
        return np.asarray((wins - wins.T) / boards_left(self.rules, board, more))


def _mass(way: Branch[P]) -> float:
    return float(way.own @ meetings(way.theirs))
