"""Luck at tables of poker: AIVAT (Burch et al. 2018) with a blueprint's values as the estimates.

What a history is worth is guessed by playing a blueprint on: from each node of the betting below,
with the hands that are held, over boards that are drawn (or all of them, if they are few). Where
chance, or an agent who tells its odds, happens to choose, the guess after the choice is replaced by
its expectation before it. Guesses need not be good: drawn boards have nothing to do with those that
come, so the mean of what is left is that of the plain results, whatever the blueprint is.

Where somebody plays very differently from the blueprint, guesses are too large: they are weighed by
what earlier deals say is best, which has nothing to do with the present one either.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_statistics import betting_arrays
from counterfold.abstraction.buckets import Buckets, choose
from counterfold.agent import Agent
from counterfold.arrays import Floats, Ints
from counterfold.games.base import CHANCE, State, label, spec_of
from counterfold.poker import showdown
from counterfold.poker.game import DEAL, DECISION, PokerGame
from counterfold.poker.rules import PokerRules
from counterfold.poker.table import Holdem, TableState
from counterfold.strategy.strategy import Strategy

if TYPE_CHECKING:
    from counterfold.kernels.poker_mass import Tables
    from counterfold.play.table import PlayedHand

DRAWS = 64
"""Boards that are drawn for a guess,"""
FEWEST = 32
"""at least, where the betting is large;"""
NODES = 500_000
"""nodes that may be looked at for a guess, beyond that;"""
FEW = 200
"""deals of which all are taken."""
MOST = 20_000
"""Deals of hands and boards, of which all are taken before a hand begins."""
PATIENCE = 30
"""Hands before guesses are weighed."""
_RAISES = ("bet", "raise", "all-in")


class Deals(NamedTuple):
    """Some ways in which cards may come."""

    holes: Ints  # [deals, players, cards in a hand]
    boards: Ints  # [deals, cards]
    weight: Floats  # [deals] sums to one


class TableInsight:
    """Takes luck out of hands at a table: of a whole hold'em game, or of poker in ranges.

    ``strategies`` are by agent; those of whom none is known play as the first one that is.
    ``repeat`` hands are played on each deal.
    """

    def __init__(
        self,
        game: Holdem | PokerRules,
        strategies: Sequence[Strategy[BucketForm] | None],
        seed: int = 0,
        repeat: int = 1,
    ) -> None:
        from counterfold.kernels import hands

        known = next(strategy for strategy in strategies if strategy is not None)
        self.poker, self.tree, self.seed = known.tree.game, known.tree.game.betting, seed
        self._rules, self._evaluator = self.poker.rules, hands
        self._forms = [(one or known).tree for one in strategies]
        sizes = np.cumsum([0, *((one or known).tables[0].size for one in strategies)])
        self._begins = [form.start + size for form, size in zip(self._forms, sizes, strict=False)]
        self._shares = np.concatenate([(one or known).tables[0] for one in strategies])
        self._arrays = betting_arrays(known.tree)
        self._value = np.zeros((len(self.tree), len(self.poker.players)))
        self._subtrees: dict[int, NDArray[np.uint32]] = {}
        self._firsts: dict[tuple[int, ...], Floats] = {}
        self._all = _every_deal(self.poker)
        self._repeat, self._deal = repeat, 0
        self._now: list[tuple[float, float]] = []  # luck and payoff of player 0 on this deal,
        self._past: list[tuple[float, float]] = []  # and on earlier ones

    def fair(self, hand: PlayedHand) -> tuple[float, ...]:
        """What a hand pays with luck taken out."""
        rng = np.random.default_rng([self.seed, 0xA1, hand.number])
        luck, node, worth = np.zeros(len(hand.players)), 0, None
        steps = hand.steps
        for k, step in enumerate(steps):
            if step.turn == CHANCE:
                if k + 1 < len(steps) and steps[k + 1].turn == CHANCE:
                    continue  # cards of a street come together
                state = steps[k + 1].state if k + 1 < len(steps) else hand.end
                if worth is None:
                    before = self._first(hand, rng)
                else:
                    before = worth[node]
                    node = self._after_deals(node, len(self._board(state)))
                worth = self._guess(node, self._completed(node, state, rng), hand)
                luck += worth[node] - before
                continue
            if worth is None or self.tree.kind[node] != DECISION:
                break
            if self.tree.player[node] != step.turn:
                break  # the hand has left the betting that is known
            chosen = self._child(node, step.state, label(step.move))
            if step.odds is not None:
                expected = sum(
                    share * worth[self._child(node, step.state, word)]
                    for word, share in step.odds.items()
                    if share > 0
                )
                luck += worth[chosen] - expected
            node = chosen
        weight = self._weight(hand.number // self._repeat)
        self._now.append((float(luck[0]), float(hand.payoffs[0])))
        return tuple((np.asarray(hand.payoffs) - weight * luck).tolist())

    def _weight(self, deal: int) -> float:
        """How much of the luck to take out: as much as was best on earlier deals."""
        if deal != self._deal:
            self._past, self._now, self._deal = self._past + self._now, [], deal
        if len(self._past) < PATIENCE:
            return 1.0
        luck, won = np.array(self._past).T
        spread = float(luck.var())
        together = float(((luck - luck.mean()) * won).mean())
        return min(max(together / spread, 0.0), 1.0) if spread > 0 else 1.0

    def _first(self, hand: PlayedHand, rng: np.random.Generator) -> Floats:
        """[players] what a hand is worth before it begins."""
        if self._all is None:
            return np.asarray(self._guess(0, self._any(rng), hand)[0])
        if hand.players not in self._firsts:
            self._firsts[hand.players] = self._guess(0, self._all, hand)[0]
        return self._firsts[hand.players]

    # The betting

    def _after_deals(self, node: int, cards: int) -> int:
        """Where the betting goes on with so many cards on the board."""
        while self.tree.kind[node] == DEAL:
            street = int(self.tree.street[node]) + 1
            if len(self.poker.board) + sum(self._rules.deal[: street + 1]) > cards:
                break
            node = int(self.tree.first[node])
        return node

    def _child(self, node: int, state: State, word: str) -> int:
        """The node after a word; of a size that is not there, after the nearest one that is."""
        tree, verb = self.tree, word.partition(" ")[0]
        children = list(tree.children(node))
        labels = [tree.label[child] for child in children]
        if word in labels:
            return children[labels.index(word)]
        calls = [c for c, name in zip(children, labels, strict=True) if name in ("check", "call")]
        raises = [
            c for c, name in zip(children, labels, strict=True) if name.split(" ")[0] in _RAISES
        ]
        if verb not in _RAISES or not raises:
            return calls[0] if calls and verb != "fold" else children[0]
        betting, me = state.betting, int(tree.player[node])
        paid = betting.before[me] + float(word.partition(" ")[2] or 0)
        return min(raises, key=lambda child: abs(float(tree.paid[child, me]) - paid))

    def _below(self, node: int) -> NDArray[np.uint32]:
        """A node and all below it, parents first."""
        found = self._subtrees.get(node)
        if found is None:
            layers, layer = [], np.array([node], np.int64)
            while len(layer):
                layers.append(layer)
                first, count = self.tree.first[layer], self.tree.count[layer]
                ends = np.cumsum(count)
                offset = np.arange(int(ends[-1])) - np.repeat(ends - count, count)
                layer = np.repeat(first, count).astype(np.int64) + offset
            found = self._subtrees[node] = np.concatenate(layers).astype(np.uint32)
        return found

    # Guesses

    def _guess(self, node: int, deals: Deals, hand: PlayedHand) -> Floats:
        """[nodes, players] what the nodes from one on are worth, on average over some deals."""
        from counterfold.kernels import poker_mass as kernels

        out = np.zeros_like(self._value)
        tables, bucket, strength = self._played(node, deals, hand.players)
        kernels.worths(
            self._arrays,
            tables,
            self._below(node),
            bucket,
            strength,
            deals.weight,
            self._value,
            out,
        )
        return out

    def played_out(self, node: int, deals: Deals, seed: int) -> Floats:
        """[deals, actions] what the one who decides at a node wins if each deal is played out once
        after each action, everybody by the strategy that is known."""
        from counterfold.kernels import poker_mass as kernels

        won, random = (
            np.zeros((len(deals.weight), self.tree.count[node])),
            np.array([seed], np.uint64),
        )
        played = self._played(node, deals, [0] * deals.holes.shape[1])
        kernels.played_out(self._arrays, played[0], node, *played[1:], random, self._value, won)
        return won

    def _played(
        self, node: int, deals: Deals, agents: Sequence[int]
    ) -> tuple[Tables, NDArray[np.uint32], NDArray[np.uint32]]:
        """Strategies by player, and buckets and strengths of what is held, as kernels have them."""
        from counterfold.kernels import poker_mass as kernels

        played = [self._forms[agent] for agent in agents]
        streets = max(len(form.buckets) for form in played)
        bucket = np.zeros((len(deals.weight), streets, len(played)), np.uint32)
        for player, form in enumerate(played):
            holes = _hole_numbers(deals.holes[:, player])
            for street, cards in enumerate(form.buckets):
                if street >= int(self.tree.street[node]):
                    bucket[:, street, player] = _buckets_of(cards, holes, deals.boards)
        start = np.stack([self._begins[agent] for agent in agents]).astype(np.uint64)
        return kernels.Tables(start, self._shares), bucket, self._strengths(deals)

    def _strengths(self, deals: Deals) -> NDArray[np.uint32]:
        """[deals, players] at a showdown."""
        out = np.zeros((len(deals.weight), len(self.poker.players)), np.uint32)
        if self._rules.strengths is showdown.strengths and deals.boards.shape[1] == 5:
            known = self._evaluator.tables()
            for player in range(len(self.poker.players)):
                seven = np.hstack([deals.holes[:, player], deals.boards]).astype(np.uint8)
                one = np.zeros(len(seven), np.uint32)
                self._evaluator.strengths(seven, known, one)
                out[:, player] = one
            return out
        every = self._rules.strengths(deals.boards.astype(np.uint8))
        for player in range(len(self.poker.players)):
            numbers = _hole_numbers(deals.holes[:, player])
            out[:, player] = every[np.arange(len(every)), numbers]
        return out

    # Cards

    def _draws(self, node: int) -> int:
        return max(FEWEST, min(DRAWS, NODES // len(self._below(node))))

    def _board(self, state: State) -> tuple[int, ...]:
        if isinstance(state, TableState):
            return state.board
        return (*self.poker.board, *state[1])  # of poker in ranges

    def _holes(self, state: State) -> list[tuple[int, ...]]:
        if isinstance(state, TableState):
            return list(state.holes)
        cards = self._rules.cards[list(state[0])][:, : self._rules.hole]
        return [tuple(map(int, hole)) for hole in cards]

    def _completed(self, node: int, state: object, rng: np.random.Generator) -> Deals:
        """Boards that may come to hands that are held."""
        holes, board = self._holes(state), self._board(state)
        gone = {*board, *(card for hole in holes for card in hole)}
        left = np.array([card for card in self._rules.deck if card not in gone], np.int64)
        more = len(self.poker.board) + sum(self._rules.deal) - len(board)
        if math.comb(len(left), more) <= FEW:
            rest = np.array(list(combinations(left.tolist(), more)), np.int64)
        else:
            keys = rng.random((self._draws(node), len(left)))
            rest = left[keys.argsort(1)[:, :more]]
        rest = rest.reshape(len(rest), more)
        count = len(rest)
        boards = np.hstack([np.tile(np.array(board, np.int64), (count, 1)), rest])
        held = np.tile(np.array(holes, np.int64), (count, 1, 1))
        return Deals(held, boards, np.full(count, 1 / count))

    def _any(self, rng: np.random.Generator) -> Deals:
        """Some deals of hands and boards."""
        rules, players = self._rules, len(self.poker.players)
        deck = np.array([c for c in rules.deck if c not in self.poker.board], np.int64)
        count, hand, more = self._draws(0), rules.hole, sum(rules.deal)
        cards = deck[rng.random((count, len(deck))).argsort(1)]
        holes = cards[:, : players * hand].reshape(count, players, hand)
        boards = cards[:, players * hand : players * hand + more]
        start = np.tile(np.array(self.poker.board, np.int64), (count, 1))
        return Deals(holes, np.hstack([start, boards]), np.full(count, 1 / count))


def _every_deal(poker: PokerGame) -> Deals | None:
    """All hands and boards, by how likely they are; None where they are many."""
    deck = [card for card in poker.rules.deck if card not in poker.board]
    more, hole = sum(poker.rules.deal), poker.rules.hole
    ways = math.comb(len(deck), hole) ** len(poker.players) * math.comb(len(deck), more)
    if ways > MOST:
        return None
    hands, found = [np.flatnonzero(weights).tolist() for weights in poker.ranges], []
    for numbers in product(*hands):
        cards = [tuple(map(int, poker.rules.cards[n][: poker.rules.hole])) for n in numbers]
        gone = {card for hole in cards for card in hole}
        if len(gone) < len(cards) * poker.rules.hole:
            continue
        weight = math.prod(float(r[n]) for r, n in zip(poker.ranges, numbers, strict=True))
        left = [card for card in deck if card not in gone]
        for rest in combinations(left, more):
            found.append((cards, (*poker.board, *rest), weight))
    holes, boards, weights = zip(*found, strict=True)
    total = np.array(weights)
    boards_ = np.array(boards, np.int64).reshape(len(total), -1)
    return Deals(np.array(holes, np.int64), boards_, total / total.sum())


def _hole_numbers(cards: Ints) -> Ints:
    """[deals] the numbers of holes of one or two cards."""
    if cards.shape[1] == 1:
        return cards[:, 0]
    low, high = cards.min(1), cards.max(1)
    return np.asarray(high * (high - 1) // 2 + low)


def _buckets_of(buckets: Buckets, holes: Ints, boards: Ints) -> NDArray[np.uint16]:
    """[deals] the buckets of holes on the first cards of boards."""
    cards = np.sort(boards[:, : buckets.cards], 1)
    places = np.arange(1, buckets.cards + 1)
    words = buckets.words[choose()[cards, places].sum(1)].astype(np.int64)
    return np.asarray(buckets.table[words // 24, buckets.renamed[words % 24, holes]])


def table_insight(
    game: object, agents: Sequence[Agent], seed: int, repeat: int = 1
) -> TableInsight | None:
    """What takes luck out of a match, where an agent is or has a blueprint of the table."""
    if not isinstance(game, Holdem) or game.prizes:
        return None
    spec, found = spec_of(game), list[Strategy[BucketForm] | None]()
    for agent in agents:
        strategy = _blueprint_of(agent)
        fits = strategy is not None and strategy.tree.game.about.get("table") == spec
        found.append(strategy if fits else None)
    if all(one is None for one in found):
        return None
    return TableInsight(game, found, seed, repeat)


def _blueprint_of(agent: object) -> Strategy[BucketForm] | None:
    """The strategy over buckets that an agent plays, or begins its searches with."""
    for name in ("strategy", "blueprint"):
        own = getattr(agent, name, None)
        if isinstance(own, Strategy) and isinstance(own.tree, BucketForm):
            return own
    inner = getattr(agent, "agent", None)
    return None if inner is None else _blueprint_of(inner)
