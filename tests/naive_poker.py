"""Slow, obvious oracles for poker at full size: a PokerGame as plain rules, and naive showdowns.

The tiny games have betting trees of ``tests/naive_betting.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.games.base import CHANCE, TERMINAL, Game
from counterfold.poker import showdown
from counterfold.poker.cards import cards_name, holes_without, parse_board, parse_cards
from counterfold.poker.game import (
    DEAL,
    DECISION,
    FOLD,
    NO_CARD,
    BettingTree,
    CardRules,
    PokerGame,
)
from counterfold.poker.ranges import CELL
from tests.naive_betting import Street, naive_betting

Cards = tuple[int, ...]
State = tuple[Cards, Cards, int]
"""The numbers of the hands dealt so far, the cards dealt to the board, and the betting's node."""


class NaivePoker(Game):
    """A PokerGame as rules: a hand to each player, then bets, then the cards of each street.

    The hand of player 0 comes first, as likely as its weight times those of all hands that the
    other can still hold; then a hand of player 1 by its weight. Cards of a street come as a set,
    each as likely as the others among those that no hand and no board holds.
    """

    def __init__(self, poker: PokerGame) -> None:
        self.poker, self.tree, self.rules = poker, poker.betting, poker.rules
        self.spec = f"naive:{poker.name}"
        cards = self.rules.cards
        self.cards: list[Cards] = [
            tuple(int(c) for c in hand if c != NO_CARD) for hand in cards.tolist()
        ]
        self.held: list[dict[int, float]] = []  # of each player, the hands with their weights
        for weights in poker.ranges:
            hands = {h: float(w) for h, w in enumerate(weights) if w > 0}
            for hand in hands:
                assert set(self.cards[hand]) <= set(self.rules.deck) - set(poker.board), hand
            self.held.append(hands)
        self.names = [cards_name(hand) for hand in self.cards]
        self.hand_of = {name: hand for hand, name in enumerate(self.names)}
        self.kind = self.tree.kind.tolist()
        self.turns = [
            int(self.tree.player[n]) if kind == DECISION else CHANCE if kind == DEAL else TERMINAL
            for n, kind in enumerate(self.kind)
        ]
        self.moves = [
            {self.tree.label[c]: c for c in self.tree.children(n)} if kind == DECISION else {}
            for n, kind in enumerate(self.kind)
        ]

    @cached_property
    def said(self) -> list[tuple[str, ...]]:
        """What has been said at each node of the betting, street by street."""
        found: list[tuple[str, ...]] = [("",)]
        for node in range(1, len(self.tree)):
            parent = int(self.tree.parent[node])
            before = found[parent]
            if self.kind[parent] == DEAL:
                found.append((*before, ""))
            else:
                found.append((*before[:-1], f"{before[-1]} {self.tree.label[node]}".lstrip()))
        return found

    @lru_cache(None)  # noqa: B019
    def strengths(self, board: Cards) -> list[int]:
        """The strength of every hand on a whole board, whatever the order of its cards."""
        found = self.rules.strengths(np.array([board], np.uint8).reshape(1, len(board)))
        return [int(s) for s in found[0]]

    def apart(self, first: int, second: int) -> bool:
        """Have two hands no card in common?"""
        return not set(self.cards[first]) & set(self.cards[second])

    def root(self) -> State:
        return (), (), 0

    def turn(self, state: State) -> int:
        return CHANCE if len(state[0]) < 2 else self.turns[state[2]]

    @lru_cache(None)  # noqa: B019
    def deals(self, hands: Cards) -> list[tuple[str, float]]:
        """How a hand comes to the player whose turn it is to get one."""
        if hands:
            mass = {h: w for h, w in self.held[1].items() if self.apart(hands[0], h)}
        else:
            mass = {
                mine: w * sum(v for h, v in self.held[1].items() if self.apart(mine, h))
                for mine, w in self.held[0].items()
            }
        total = sum(mass.values())
        return [(self.names[h], m / total) for h, m in mass.items() if m > 0]

    def chance(self, state: State) -> list[tuple[str, float]]:
        hands, board, node = state
        if len(hands) < 2:
            return self.deals(hands)
        gone = {*self.poker.board, *board, *self.cards[hands[0]], *self.cards[hands[1]]}
        left = sorted((c for c in self.rules.deck if c not in gone), reverse=True)
        size = self.rules.deal[int(self.tree.street[node]) + 1]
        ways = comb(len(left), size)
        return [(cards_name(some), 1 / ways) for some in combinations(left, size)]

    def actions(self, state: State) -> tuple[str, ...]:
        return tuple(self.moves[state[2]])

    def next(self, state: State, action: Any) -> State:
        hands, board, node = state
        if len(hands) < 2:
            return (*hands, self.hand_of[action]), board, node
        if self.kind[node] == DEAL:
            return hands, (*board, *parse_cards(action)), int(self.tree.first[node])
        return hands, board, self.moves[node][action]

    def seen(self, hand: int, board: Cards, node: int) -> tuple[str, ...]:
        """What the owner of a hand has seen at a node, after these cards came to the board.

        Streets are told apart; the cards of one street are a set, written with the highest first.
        """
        said = self.said[node]
        parts, at = [self.names[hand], said[0]], 0
        for street in range(1, len(said)):
            size = self.rules.deal[street]
            parts += [cards_name(sorted(board[at : at + size], reverse=True)), said[street]]
            at += size
        return tuple(parts)

    def observe(self, state: State, player: int) -> tuple[str, ...]:
        hands, board, node = state
        return self.seen(hands[player], board, node) if player < len(hands) else ("", "")

    def payoff(self, state: State) -> tuple[float, ...]:
        hands, board, node = state
        worth = self.tree.payoff[node]
        if self.kind[node] == FOLD:
            return float(worth[0, 0]), float(worth[1, 0])
        strengths = self.strengths((*self.poker.board, *board))
        first, second = strengths[hands[0]], strengths[hands[1]]
        case = 0 if first > second else 1 if first == second else 2
        return float(worth[0, case]), float(worth[1, 2 - case])


def naive_showdown(
    strengths: Sequence[int],
    cards: NDArray[np.uint8],
    reach: Sequence[float],
    win: float,
    tie: float,
    lose: float,
    board: Cards = (),
) -> list[float]:
    """What each hand earns at a showdown against hands that reach it, pair by pair.

    ``cards`` is [hands, 2] with ``NO_CARD`` for a card that is not there. A pair of hands that
    share a card, or of which one meets the board, cannot be and counts for nothing.
    """
    worth = []
    for mine, theirs, chance in _pairs(cards, reach, board):
        gap = int(strengths[mine]) - int(strengths[theirs])
        worth.append((mine, chance * (win if gap > 0 else tie if gap == 0 else lose)))
    return _added(len(cards), worth)


def naive_fold(
    cards: NDArray[np.uint8], reach: Sequence[float], worth: float, board: Cards = ()
) -> list[float]:
    """What each hand earns at a fold, where it is worth the same against all that it can meet."""
    return _added(len(cards), [(m, chance * worth) for m, _, chance in _pairs(cards, reach, board)])


def _pairs(
    cards: NDArray[np.uint8], reach: Sequence[float], board: Cards
) -> list[tuple[int, int, float]]:
    """All pairs (mine, theirs, reach of theirs) of hands that can be held together."""
    held = [{int(c) for c in hand if c != NO_CARD} for hand in cards]
    can = [hand for hand, own in enumerate(held) if not own & set(board)]
    there = [(hand, float(reach[hand])) for hand in can if reach[hand]]
    return [(m, h, r) for m in can for h, r in there if not held[m] & held[h]]


def _added(hands: int, parts: list[tuple[int, float]]) -> list[float]:
    total = [0.0] * hands
    for hand, part in parts:
        total[hand] += part
    return total


def deck_of(ranks: str, suits: str) -> Cards:
    """The cards of some ranks and suits.

    >>> cards_name(deck_of("KA", "hs"))
    'KhKsAhAs'
    """
    return tuple(sorted(parse_cards("".join(r + s for r in ranks for s in suits))))


def _weights(deck: Cards, board: Cards, seed: int | None, suits_alike: bool) -> Any:
    """Weights of both players for all hands of a deck: 1, or uneven ones and some of nothing."""
    gone = [card for card in range(52) if card not in deck or card in board]
    can = holes_without(gone)
    if seed is None:
        return can.astype(np.float64), can.astype(np.float64)
    rng = np.random.default_rng(seed)
    ranges = []
    for _ in range(2):
        drawn = rng.uniform(0.05, 1.0, 1326) * (rng.random(1326) < 0.7)
        if suits_alike:
            drawn = drawn[CELL]
        ranges.append(np.where(can, drawn, 0.0))
    return ranges[0], ranges[1]


def _spot(
    name: str,
    deck: Cards,
    board: str,
    betting: BettingTree,
    seed: int | None,
    suits_alike: bool,
    streets: tuple[str, ...],
) -> PokerGame:
    cards = parse_board(board)
    deal = (0,) + (1,) * (betting.streets - 1)
    return PokerGame(
        name=name,
        rules=CardRules(deck, 2, deal, showdown.strengths),
        betting=betting,
        board=cards,
        ranges=_weights(deck, cards, seed, suits_alike),
        pot=float(betting.paid[0].sum()),
        streets=streets,
    )


def tiny_river(
    seed: int | None = 1, rake: tuple[float, float] = (0.0, 0.0), suits_alike: bool = False
) -> PokerGame:
    """A river of a deck of 12 cards: 21 hands each, two bet sizes, all-in after 40 chips."""
    betting = naive_betting([Street(0, (5.0, 15.0), 3)], (5.0, 5.0), 40.0, rake)
    deck = deck_of("TJQKA", "hs") + parse_cards("2c3d")
    return _spot("tiny_river", deck, "Ks Qh Js 2c 3d", betting, seed, suits_alike, ("river",))


def tiny_turn(
    seed: int | None = 1, rake: tuple[float, float] = (0.0, 0.0), suits_alike: bool = False
) -> PokerGame:
    """A turn of a deck of 11 cards: 21 hands each, 3 rivers for each pair of them."""
    betting = naive_betting(
        [Street(0, (8.0, 30.0), 2), Street(0, (20.0,), 2)], (5.0, 5.0), 40.0, rake
    )
    deck = deck_of("JQKA", "hs") + parse_cards("JdQdKd")
    return _spot("tiny_turn", deck, "Kd Qh Js Qd", betting, seed, suits_alike, ("turn", "river"))


def tiny_flop(
    seed: int | None = 1, rake: tuple[float, float] = (0.0, 0.0), suits_alike: bool = False
) -> PokerGame:
    """A flop of a deck of 9 cards: 15 hands each, one bet a street; a caller may be all-in."""
    betting = naive_betting(
        [Street(0, (10.0,), 2), Street(0, (10.0,), 1), Street(0, (12.0,), 1)],
        (5.0, 5.0),
        25.0,
        rake,
    )
    deck = deck_of("QKA", "dhs")
    return _spot(
        "tiny_flop", deck, "Ks Qs Qd", betting, seed, suits_alike, ("flop", "turn", "river")
    )


def tiny_fhp(
    ranks: str = "JQKA",
    suits: str = "hs",
    cap: int = 2,
    seed: int | None = None,
    rake: tuple[float, float] = (0.0, 0.0),
    suits_alike: bool = True,
) -> PokerGame:
    """Flop Hold'em of few cards: blinds 1 and 2, raises of 2, the flop is dealt as a set.

    ``cap`` counts bets and raises in each round, before the flop the big blind among them. Player
    0 has the small blind and speaks first before the flop, second on it.
    """
    betting = naive_betting(
        [Street(0, (2.0,), cap, begun=1), Street(1, (2.0,), cap)], (1.0, 2.0), rake=rake
    )
    deck = deck_of(ranks, suits)
    return PokerGame(
        name="tiny_fhp",
        rules=CardRules(deck, 2, (0, 3), showdown.strengths),
        betting=betting,
        board=(),
        ranges=_weights(deck, (), seed, suits_alike),
        players=("sb", "bb"),
        big_blind=2.0,
        streets=("preflop", "flop"),
    )


def _by_rank(boards: NDArray[np.uint8]) -> NDArray[np.uint32]:
    return np.tile(np.arange(52, dtype=np.uint32) // 4, (len(boards), 1))


def _pair_or_rank(boards: NDArray[np.uint8]) -> NDArray[np.uint32]:
    ranks = _by_rank(boards)
    return np.where(ranks == boards[:, :1] // 4, ranks + 100, ranks).astype(np.uint32)


def _one_card(deck: Cards) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    weights = np.zeros(52)
    weights[list(deck)] = 1.0
    return weights, weights.copy()


def kuhn() -> PokerGame:
    """Kuhn poker with spades."""
    deck = deck_of("JQK", "s")
    return PokerGame(
        name="kuhn",
        rules=CardRules(deck, 1, (0,), _by_rank),
        betting=naive_betting([Street(0, (1.0,), 1)], (1.0, 1.0)),
        board=(),
        ranges=_one_card(deck),
    )


def leduc(ranks: str = "JQK", suits: str = "hs") -> PokerGame:
    """Leduc poker with hearts and spades: bets of 2, then 4."""
    deck = deck_of(ranks, suits)
    return PokerGame(
        name="leduc",
        rules=CardRules(deck, 1, (0, 1), _pair_or_rank),
        betting=naive_betting([Street(0, (2.0,), 2), Street(0, (4.0,), 2)], (1.0, 1.0)),
        board=(),
        ranges=_one_card(deck),
    )


TINY = {"river": tiny_river, "turn": tiny_turn, "flop": tiny_flop, "fhp": tiny_fhp}
