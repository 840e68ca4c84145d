"""Local best response (Lisy and Bowling 2017): what a simple opponent wins from a strategy.

It knows the strategy, keeps the range of hands that the other may hold by Bayes' rule, and takes
the action that is best if the rest of the hand were checked and called. What it wins is a lower
bound on what a best response would. The other's cards are never drawn: its actions are by its whole
range, and so is what a showdown is worth, which is what makes few hands enough.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from counterfold.abstraction.bucket_layout import BucketLayout, BucketTables
from counterfold.agent import Agent, Observation
from counterfold.arrays import Floats
from counterfold.errors import ParameterError, UnsupportedError, short
from counterfold.games.spec import whole
from counterfold.play.blueprint import BlueprintAgent
from counterfold.play.translate import Translated
from counterfold.poker.cards import (
    CARDS,
    HIGH,
    HOLES,
    LOW,
    board_name,
    card_name,
    cards_name,
    parse_cards,
)
from counterfold.poker.equities import BOARDS as BOARDS_LEFT
from counterfold.poker.equities import preflop_wins
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN, PokerGame, meetings
from counterfold.poker.showdown import strengths
from counterfold.poker.table import Holdem
from counterfold.strategy.hands import HandTables
from counterfold.strategy.strategy import Strategy
from counterfold.tree.boards import renamed_holes
from counterfold.tree.find import find_board
from counterfold.tree.public import PublicTree

Policy = Callable[[int, tuple[int, ...]], Floats]
"""[actions, holes] what every hand does at a node of the betting on a board."""


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
        "calls until the turn, then bets 0.1 to 5.6 pots in steps of 0.1, or all-in, as well",
        True,
        tuple(k / 10 for k in range(1, 57)),
    ),
    "all": Kind("bets on every street, all sizes that the strategy knows"),
}
"""The settings of Lisy and Bowling by name, and one for games with few sizes."""
BOARDS = 300
"""Whole boards that are drawn to guess equities where there are more."""
MOST_KEPT = 256
"""Places whose answers are kept."""


@dataclass(frozen=True)
class LocalResponse:
    """What a local best response wins, in the game's units a hand, with its standard error."""

    kind: str
    hands: int
    value: float
    error: float
    by_player: tuple[float, float]  # as which player it won how much
    exact: bool

    @property
    def half(self) -> float:
        """Half of the 95% interval."""
        return 1.96 * self.error


def local_best_response(
    strategy: Strategy[Any] | Agent,
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
    walks = [
        _Walk(game, lines, me, KINDS[kind], np.random.default_rng([seed, me])) for me in (0, 1)
    ]
    if hands is None:
        if isinstance(lines, _TableLines):
            raise ParameterError("there are too many hands to look at all: say how many to draw")
        own = [walk.all_hands() for walk in walks]
        return LocalResponse(kind, 0, sum(own) / 2, 0.0, (own[0], own[1]), True)
    whole("hands", hands, least=4)
    won: tuple[list[float], list[float]] = [], []
    for n in range(hands):
        try:
            won[n % 2].append(walks[n % 2].one_hand())
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


class _Choices(NamedTuple):
    """What one may do at a place: where a fold, a check or call, and bets lead."""

    fold: Any | None
    call: Any | None
    bets: list[Any]


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

    def choices(self, node: int, sizes: tuple[float, ...]) -> _Choices:
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


class _TableLines:
    """Places at a table, where any size may be bet; a place is the betting and the line."""

    def __init__(self, table: Holdem, agent: Any) -> None:
        self.betting, self.agent = table.betting, agent
        self.root = self.betting.root(), ()
        self.streets = self.betting.streets
        self._kept: dict[str, dict[str, Floats]] = {}

    def kind(self, place: Any) -> int:
        return int(place[0].kind)

    def player(self, place: Any) -> int:
        return int(place[0].player)

    def street(self, place: Any) -> int:
        return int(place[0].street)

    def paid(self, place: Any) -> Floats:
        return np.asarray(np.add(place[0].before, place[0].bets))

    def payoff(self, place: Any, player: int) -> Floats:
        return np.array(self.betting.payoff(place[0])[player])

    def dealt(self, place: Any, cards: tuple[int, ...]) -> Any:
        state, line = place
        words = tuple(f"[{card_name(card)}]" for card in cards)
        return self.betting.ways(state)[""], (*line, *words)

    def answers(self, place: Any, board: tuple[int, ...]) -> list[tuple[Any, Floats]]:
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

    def _after(self, place: Any, word: str) -> Any:
        state, line = place
        after = self.betting.ways(state).get(word)
        if after is None:
            after = self.betting.raised(state, self.betting.free(state, word) or 0.0)
        return after, (*line, word)

    def choices(self, place: Any, sizes: tuple[float, ...]) -> _Choices:
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


def odds_of_all(agent: Any, observation: Observation) -> dict[str, Floats]:
    """[holes] how often every hand of an agent takes each action, asked hand by hand if need be."""
    tell = getattr(agent, "odds_of_all", None)
    if callable(tell):
        told: dict[str, Floats] = tell(observation)
        return told
    assert isinstance(observation.seen, tuple)
    _, board, line = observation.seen
    gone, found = set(parse_cards(board)), defaultdict[str, Floats](lambda: np.zeros(HOLES))
    for hole, cards in enumerate(zip(HIGH.tolist(), LOW.tolist(), strict=True)):
        if gone.isdisjoint(cards):
            seen = replace(observation, seen=(cards_name(cards), board, line))
            for action, share in agent.odds(seen).items():
                found[action][hole] = share
    return dict(found)


def _lines(strategy: Any, table: Holdem | None) -> tuple[PokerGame, _TreeLines | _TableLines]:
    """The game of a strategy or an agent, and the places of its betting."""
    if isinstance(strategy, Strategy):
        form = strategy.tree
        if isinstance(strategy.layout, BucketLayout) and "table" in form.game.about:
            agent = BlueprintAgent(strategy)
            return _lines(Translated(agent, agent.table), agent.table)
        game, policy = poker_policy(strategy)
        if len(game.ranges) != 2:
            raise UnsupportedError("a local best response is for two players")
        return game, _TreeLines(game, policy)
    if table is None or not callable(getattr(strategy, "odds", None)):
        raise UnsupportedError(
            f"a local best response needs to know how often {strategy.name or 'an agent'} takes "
            "each action, which it does not tell"
        )
    if table.players != 2:
        raise UnsupportedError("a local best response is for two players")
    strategy.begin(table)
    return table.poker, _TableLines(table, strategy)


def poker_policy(strategy: Strategy[Any]) -> tuple[PokerGame, Policy]:
    """The game of a strategy, and what all of its hands do."""
    form = strategy.tree
    if isinstance(strategy.layout, BucketLayout):
        tables, game = BucketTables.of(strategy), form.game
        policy: Policy = lambda node, board: tables.expand(board, node).astype(np.float64)  # noqa: E731
    elif isinstance(form, PublicTree):
        by_hand, game = HandTables(form, strategy.tables), form.game

        def policy(node: int, board: tuple[int, ...]) -> Floats:
            number, names = find_board(form, board)
            shares = by_hand.at(node, number)
            every = np.arange(game.rules.holes)
            return np.nan_to_num(shares[:, renamed_holes(game.rules, every, names)])
    else:
        raise UnsupportedError(
            f"a local best response is for poker, and {strategy.spec} is not laid out as that"
        )
    return game, lru_cache(256)(policy)


class _Walk:
    """Hands of a local best response as one player."""

    def __init__(
        self, game: PokerGame, lines: Any, me: int, kind: Kind, random: np.random.Generator
    ) -> None:
        self.game, self.lines, self.me, self.may, self.random = game, lines, me, kind, random
        self.rules = game.rules
        self.cards = game.rules.cards.astype(np.int64)
        self.free = np.stack([~(self.cards == card).any(1) for card in range(CARDS)])  # of a card
        first, second = game.ranges[me], game.ranges[1 - me]
        self.mass = np.asarray(first * meetings(second))
        self.ends = len(game.board) + sum(game.rules.deal)
        self.everything = False
        self._equities: dict[tuple[int, ...], tuple[Floats, Floats]] = {}

    def all_hands(self) -> float:
        """The exact value, over all hands and boards."""
        self.everything = True
        total = 0.0
        for hole in np.flatnonzero(self.mass).tolist():
            total += self.mass[hole] * self._hand(hole)
        return float(total / self.mass.sum())

    def one_hand(self) -> float:
        """What one hand is worth that is drawn by the ranges."""
        return self._hand(int(self.random.choice(len(self.mass), p=self.mass / self.mass.sum())))

    def _hand(self, hole: int) -> float:
        self.hole, self._equities = hole, {}
        self.held = [int(card) for card in self.cards[hole][: self.rules.hole]]
        range_ = np.asarray(self.game.ranges[1 - self.me], np.float64)
        range_ = self._without(range_, tuple(self.held))
        return self._value(self.lines.root, tuple(self.game.board), range_ / range_.sum())

    def _value(self, place: Any, board: tuple[int, ...], range_: Floats) -> float:
        """The expectation from here on, against a range that sums to one."""
        kind = self.lines.kind(place)
        if kind in (FOLD, SHOWDOWN):
            return self._end(place, board, range_)
        if kind == DEAL:
            return self._deal(place, board, range_)
        if self.lines.player(place) == self.me:
            return self._value(self._choice(place, board, range_), board, range_)
        after = [(child, odds * range_) for child, odds in self.lines.answers(place, board)]
        likely = np.array([float(shares.sum()) for _, shares in after])
        return sum(
            weight * self._value(after[k][0], board, after[k][1] / likely[k])
            for k, weight in self._branches(likely / likely.sum())
        )

    def _branches(self, likely: Floats) -> Iterable[tuple[int, float]]:
        """All that can happen by how likely it is, or one thing that is drawn."""
        if self.everything:
            return [(k, float(p)) for k, p in enumerate(likely) if p > 0]
        return [(int(self.random.choice(len(likely), p=likely)), 1.0)]

    def _deal(self, place: Any, board: tuple[int, ...], range_: Floats) -> float:
        """Cards come by how much of the range leaves them in the deck: all sets of them, or one."""
        count = self.rules.deal[self.lines.street(place) + 1]
        gone = {*board, *self.held}
        left = [card for card in self.rules.deck if card not in gone]
        if self.everything:
            sets = list(combinations(left, count))
        else:  # one by one
            sets = [()]
            while len(sets[0]) < count:
                rest = [card for card in left if card not in sets[0]]
                free = self.free[rest] @ self._without(range_, sets[0])
                sets = [(*sets[0], int(self.random.choice(rest, p=free / free.sum())))]
        kept = [self._without(range_, cards) for cards in sets]
        masses = np.array([float(one.sum()) for one in kept])
        masses /= masses.sum()
        total = 0.0
        for cards, one, share in zip(sets, kept, masses.tolist(), strict=True):
            if share > 0:
                after = self.lines.dealt(place, cards)
                total += share * self._value(after, (*board, *cards), one / one.sum())
        return total

    def _without(self, range_: Floats, cards: tuple[int, ...]) -> Floats:
        """What of a range holds none of some cards."""
        for card in cards:
            range_ = range_ * self.free[card]
        return range_

    def _end(self, place: Any, board: tuple[int, ...], range_: Floats) -> float:
        payoff = self.lines.payoff(place, self.me)
        if self.lines.kind(place) == FOLD:
            return float(payoff[0])
        theirs = self.rules.strengths(np.array([board], np.uint8))[0]
        mine = theirs[self.hole]
        wins, ties = float(range_[theirs < mine].sum()), float(range_[theirs == mine].sum())
        return float(payoff @ [wins, ties, max(0.0, 1.0 - wins - ties)])

    def _choice(self, place: Any, board: tuple[int, ...], range_: Floats) -> Any:
        """Where the action leads that is best if nobody bets after it (their equations 1 to 3)."""
        lines, me, may = self.lines, self.me, self.may
        fold, call, bets = lines.choices(place, may.sizes)
        early = may.late and lines.street(place) < lines.streets - 2
        if early and call is not None:
            return call
        paid = lines.paid(place)
        pot, asked = float(paid.sum()), float(paid[1 - me] - paid[me])
        worth = [] if fold is None else [(0.0, fold)]
        if call is not None:
            share = self._equity(board, range_)
            worth.append((share * pot - (1 - share) * asked, call))
        if may.bets or not worth:
            worth += [(self._bet(after, board, range_, pot, asked), after) for after in bets]
        return max(worth, key=lambda one: one[0])[1]

    def _bet(
        self, after: Any, board: tuple[int, ...], range_: Floats, pot: float, asked: float
    ) -> float:
        """What a bet is worth: the pot where the other folds, else a showdown for more."""
        lines, stays, folds = self.lines, range_, 0.0
        paid = lines.paid(after)
        raised = float(paid[self.me] - paid[1 - self.me])
        if lines.kind(after) == DECISION and lines.player(after) != self.me:
            kept = [odds for k, odds in lines.answers(after, board) if lines.kind(k) != FOLD]
            stays = range_ * np.sum(kept, 0)
            folds = 1.0 - float(stays.sum())
        if not stays.sum() > 0:
            return pot
        share = self._equity(board, stays)
        return folds * pot + (1 - folds) * (share * (pot + raised) - (1 - share) * (asked + raised))

    def _equity(self, board: tuple[int, ...], range_: Floats) -> float:
        """The share of the pot at a showdown against a range, over the cards that come."""
        wins, met = self._against(board)
        return float(range_ @ wins / max(float(range_ @ met), 1e-300))

    def _against(self, board: tuple[int, ...]) -> tuple[Floats, Floats]:
        """[holes] what is won from each hand, and on how many boards it is met; some are drawn."""
        if board in self._equities:
            return self._equities[board]
        if not board and self.rules.strengths is strengths and len(self.rules.deck) == CARDS:
            wins = preflop_wins()
            met = meetings(np.eye(len(self.mass))[self.hole])
            ties = BOARDS_LEFT * met - wins[self.hole] - wins[:, self.hole]
            found = wins[self.hole] + ties / 2, BOARDS_LEFT * met
        else:
            found = self._counted(board)
        self._equities[board] = found
        return found

    def _counted(self, board: tuple[int, ...]) -> tuple[Floats, Floats]:
        gone, more = {*board, *self.held}, self.ends - len(board)
        left = [card for card in self.rules.deck if card not in gone]
        if math.comb(len(left), more) <= (math.inf if self.everything else 4 * BOARDS):
            rest = np.array(list(combinations(left, more)), np.uint8)
        else:
            keys = self.random.random((BOARDS, len(left)))
            rest = np.array(left, np.uint8)[np.argpartition(keys, more, 1)[:, :more]]
        rest = rest.reshape(len(rest), more)
        boards = np.hstack([np.tile(np.array(board, np.uint8), (len(rest), 1)), rest])
        theirs = self.rules.strengths(boards)
        mine, free = theirs[:, self.hole, None], self.free[rest].all(1)
        wins = np.count_nonzero((theirs < mine) & free, 0)
        ties = np.count_nonzero((theirs == mine) & free, 0)
        return wins + ties / 2, np.count_nonzero(free, 0).astype(np.float64)
