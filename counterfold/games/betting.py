"""Cards, limit betting, and the rules that small poker games share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from counterfold.errors import ParameterError, TreeTooLargeError
from counterfold.games.base import CHANCE, TERMINAL, Action, Game
from counterfold.games.spec import Real, flag, positive, whole

MOST_PLAYERS = 10
MOST_CARDS = 1_000  # of a rank, or of a suit
MOST_BETTING_NODES = 500_000

Cards = tuple[int, ...]
PokerState = tuple[Cards, int]
"""The cards dealt so far, and the node of the betting that has been reached."""


def rank_names(ranks: int) -> tuple[str, ...]:
    """Names of the ranks, lowest first.

    >>> rank_names(3), rank_names(4)
    (('J', 'Q', 'K'), ('J', 'Q', 'K', 'A'))
    """
    if ranks <= 3:
        return tuple("JQK"[3 - ranks :])
    if ranks <= 13:
        return tuple("23456789TJQKA"[13 - ranks :])
    return tuple(str(number) for number in range(1, ranks + 1))


def card_names(ranks: int, suits: int) -> tuple[str, ...]:
    """Names of all cards; card number ``c`` has rank ``c // suits``.

    >>> card_names(3, 2)
    ('Js', 'Jh', 'Qs', 'Qh', 'Ks', 'Kh')
    >>> card_names(3, 1)
    ('J', 'Q', 'K')
    """
    if suits == 1:
        return rank_names(ranks)
    marks = "shdc" if suits <= 4 else [f"-{number}" for number in range(1, suits + 1)]
    return tuple(rank + marks[suit] for rank in rank_names(ranks) for suit in range(suits))


class Betting(NamedTuple):
    """The betting of all rounds as tables over public nodes; every deal walks the same ones.

    Nodes 0 to players - 1 deal a card to each player; a later node of CHANCE deals to the board.

    >>> tables = betting(2, 1, (1,), 1)
    >>> tables.actions[2], tables.said[tables.after[2]["bet"]]
    (('check', 'bet'), ('bet',))
    """

    turns: tuple[int, ...]
    actions: tuple[tuple[str, ...], ...]
    after: tuple[Mapping[Action, int], ...]
    """Where an action leads."""
    dealt: tuple[int, ...]
    """Where a deal leads, whatever the card."""
    said: tuple[tuple[str, ...], ...]
    """The actions of each round so far, joined by blanks."""
    paid: tuple[tuple[float, ...], ...]
    """What each player has put into the pot."""
    left: tuple[tuple[int, ...], ...]
    """Who has not folded."""


class _Node(NamedTuple):
    said: tuple[str, ...]
    paid: tuple[Real, ...]
    left: tuple[int, ...]
    waiting: tuple[int, ...]  # who still has to speak in this round, in order
    raised: int
    dealing: bool = False


_OPEN: tuple[str, ...] = ("check", "bet")
_FACING: tuple[str, ...] = ("fold", "call", "raise")


@lru_cache(maxsize=32)
def betting(players: int, ante: Real, sizes: tuple[Real, ...], max_raises: int) -> Betting:
    """Limit betting: one bet size a round, at most ``max_raises`` bets and raises in each.

    >>> kuhn = betting(2, 1, (1,), 1)
    >>> kuhn.said[-1], kuhn.paid[-1], kuhn.left[-1]
    (('check bet call',), (2.0, 2.0), (0, 1))
    """
    everyone = tuple(range(players))
    antes = (ante,) * players
    first = _Node(("",), antes, everyone, everyone, 0)
    nodes = [first._replace(dealing=True)] * players + [first]
    turns: list[int] = []
    actions: list[tuple[str, ...]] = []
    after: list[Mapping[Action, int]] = []
    dealt: list[int] = []
    for number, node in enumerate(nodes):  # grows while it runs
        moves: dict[str, _Node] = {}
        where = -1
        if node.dealing:
            turn = CHANCE
            if number < players:
                where = number + 1
            else:
                where = len(nodes)
                nodes.append(node._replace(said=(*node.said, ""), dealing=False))
        elif len(node.left) == 1 or not node.waiting:
            turn = TERMINAL
        else:
            turn = node.waiting[0]
            moves = _moves(node, sizes, max_raises)
        turns.append(turn)
        actions.append(tuple(moves))
        after.append(dict(zip(moves, range(len(nodes), len(nodes) + len(moves)), strict=True)))
        dealt.append(where)
        nodes.extend(moves.values())
        if len(nodes) > MOST_BETTING_NODES:
            raise TreeTooLargeError(
                f"the betting of {players} players with {max_raises} raises a round has more than "
                f"{MOST_BETTING_NODES:,} public nodes; take fewer players or raises"
            )
    return Betting(
        turns=tuple(turns),
        actions=tuple(actions),
        after=tuple(after),
        dealt=tuple(dealt),
        said=tuple(node.said for node in nodes),
        paid=tuple(tuple(map(float, node.paid)) for node in nodes),
        left=tuple(node.left for node in nodes),
    )


def _moves(node: _Node, sizes: tuple[Real, ...], max_raises: int) -> dict[str, _Node]:
    player, level = node.waiting[0], max(node.paid)
    owes = level > node.paid[player]
    names = _FACING if owes else _OPEN
    if node.raised == max_raises:
        names = names[:-1]
    moves = {}
    for name in names:
        spoken = node._replace(
            said=(*node.said[:-1], f"{node.said[-1]} {name}".lstrip()), waiting=node.waiting[1:]
        )
        if name == "fold":
            spoken = spoken._replace(left=tuple(p for p in node.left if p != player))
        elif name in ("check", "call"):
            spoken = spoken._replace(paid=_with(node.paid, player, level))
        else:
            others = [p for p in node.left if p > player] + [p for p in node.left if p < player]
            spoken = spoken._replace(
                paid=_with(node.paid, player, level + sizes[len(node.said) - 1]),
                waiting=tuple(others),
                raised=node.raised + 1,
            )
        if not spoken.waiting and len(spoken.left) > 1 and len(spoken.said) < len(sizes):
            spoken = spoken._replace(waiting=spoken.left, raised=0, dealing=True)
        moves[name] = spoken
    return moves


def _with(paid: tuple[Real, ...], player: int, amount: Real) -> tuple[Real, ...]:
    return (*paid[:player], amount, *paid[player + 1 :])


def settle(
    paid: Sequence[float], left: Sequence[int], strengths: Sequence[int]
) -> tuple[float, ...]:
    """What each player wins: the pot goes to the strongest of those left, split among equals.

    >>> settle(paid=(2.0, 2.0, 1.0), left=(0, 1), strengths=(5, 3, 9))
    (3.0, -2.0, -1.0)
    """
    best = max(strengths[player] for player in left)
    winners = [player for player in left if strengths[player] == best]
    share = sum(paid) / len(winners)
    return tuple(share - own if player in winners else -own for player, own in enumerate(paid))


class LimitPoker(Game):
    """One private card each, rounds of limit betting, and a board card between two rounds.

    With a board, a pair with it wins.
    """

    ranks: int
    suits: int
    ante: Real
    raises: tuple[Real, ...]
    """The bet size of each round."""
    max_raises: int = 1
    suited: bool = False

    def __post_init__(self) -> None:
        whole("players", self.players, least=2, most=MOST_PLAYERS)
        whole("ranks", self.ranks, least=1, most=MOST_CARDS)
        whole("suits", self.suits, least=1, most=MOST_CARDS)
        whole("max_raises", self.max_raises, least=1, most=100)
        positive("ante", self.ante)
        flag("suited", self.suited)
        board = len(self.raises) - 1
        if self.ranks * self.suits < self.players + board:
            raise ParameterError(
                f"{self.ranks * self.suits} cards are too few for {self.players} players"
                f"{' and the board' * board}; give more ranks or suits"
            )

    @cached_property
    def _betting(self) -> Betting:
        return betting(self.players, self.ante, self.raises, self.max_raises)

    @cached_property
    def _turns(self) -> tuple[int, ...]:
        return self._betting.turns

    @cached_property
    def _actions(self) -> tuple[tuple[str, ...], ...]:
        return self._betting.actions

    @cached_property
    def _after(self) -> tuple[Mapping[Action, int], ...]:
        return self._betting.after

    @cached_property
    def _said(self) -> tuple[tuple[str, ...], ...]:
        return self._betting.said

    @cached_property
    def _left(self) -> tuple[tuple[int, ...], ...]:
        return self._betting.left

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return card_names(self.ranks, self.suits)

    @cached_property
    def _cards(self) -> Mapping[Action, int]:
        return {name: card for card, name in enumerate(self._names)}

    @cached_property
    def _seen(self) -> tuple[str, ...]:
        """What a card looks like to the players."""
        if self.suited:
            return self._names
        names = rank_names(self.ranks)
        return tuple(names[card // self.suits] for card in range(len(self._names)))

    def root(self) -> PokerState:
        return (), 0

    def turn(self, state: PokerState) -> int:
        return self._turns[state[1]]

    def chance(self, state: PokerState) -> list[tuple[str, float]]:
        deck = [name for card, name in enumerate(self._names) if card not in state[0]]
        return [(name, 1 / len(deck)) for name in deck]

    def actions(self, state: PokerState) -> tuple[str, ...]:
        return self._actions[state[1]]

    def next(self, state: PokerState, action: Action) -> PokerState:
        cards, node = state
        if self._turns[node] == CHANCE:
            return (*cards, self._cards[action]), self._betting.dealt[node]
        return cards, self._after[node][action]

    def observe(self, state: PokerState, player: int) -> tuple[str, ...]:
        cards, node = state
        said = self._said[node]
        if len(said) == 2:
            return self._seen[cards[player]], said[0], self._seen[cards[-1]], said[1]
        return self._seen[cards[player]] if player < len(cards) else "", said[0]

    def shown(self, state: PokerState) -> tuple[str, ...]:
        """The cards at a showdown, blank for those who folded; nothing if one player is left."""
        cards, node = state
        left = self._betting.left[node]
        if len(left) < 2:
            return ()
        return tuple(
            self._seen[cards[player]] if player in left else "" for player in range(self.players)
        )

    def round_of(self, label: str) -> int:
        """The betting round in which an infoset of this name lies, 1 or 2."""
        return 2 if label.count(" | ") >= 2 else 1

    @cached_property
    def _rank(self) -> tuple[int, ...]:
        """The rank of each card."""
        return tuple(card // self.suits for card in range(len(self._names)))

    @cached_property
    def _settled(self) -> dict[tuple[int, tuple[int, ...]], tuple[float, ...]]:
        """Payoffs by the end of the betting and who wins there, filled as they are met."""
        return {}

    def payoff(self, state: PokerState) -> tuple[float, ...]:
        cards, node = state
        winners = self._left[node]
        if len(winners) > 1:
            rank = self._rank
            board = rank[cards[-1]] if len(cards) > self.players else -1
            ranks = [rank[cards[player]] for player in winners]
            best = board if board in ranks else max(ranks)  # a pair wins
            winners = tuple([p for p, own in zip(winners, ranks, strict=True) if own == best])
        found = self._settled.get((node, winners))
        if found is None:
            equal = (0,) * self.players
            found = self._settled[node, winners] = settle(self._betting.paid[node], winners, equal)
        return found
