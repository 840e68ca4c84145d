"""Flop Hold'em of few cards in history form, from rules of its own: a check on the public tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.evaluate.exact import assess
from counterfold.games.base import CHANCE, TERMINAL, Game, label
from counterfold.poker.cards import cards_name, hole_cards, hole_number, parse_cards
from counterfold.poker.game import DECISION, PokerGame
from counterfold.poker.holdem import fhp
from counterfold.poker.showdown import strengths
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.tree.boards import renamed_holes
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.public import PublicTree

__all__ = ["FlopHoldem", "FormCheck", "compare_forms"]

Cards = tuple[int, ...]
Said = tuple[str, ...]


class State(NamedTuple):
    """What has happened: the hands, the flop, and what was said before it and after it."""

    hands: tuple[Cards, ...] = ()
    flop: Cards = ()
    said: tuple[Said, Said] = ((), ())


@dataclass(frozen=True)
class FlopHoldem(Game):
    """Blinds 1 and 2, bets and raises of 2; player 0 has the small blind.

    >>> game = FlopHoldem("Th Ts Jh Js Qh Qs Ks", cap=2)
    >>> compile_game(game).histories > 10_000
    True
    """

    name = "flop_holdem"
    deck: str = "Jh Js Qh Qs Kh Ks Ah As"
    cap: int = 4

    @cached_property
    def cards(self) -> Cards:
        return tuple(sorted(parse_cards(self.deck), reverse=True))

    @cached_property
    def _strengths(self) -> dict[Cards, NDArray[np.uint32]]:
        return {}

    def root(self) -> State:
        return State()

    def turn(self, state: State) -> int:
        if len(state.hands) < 2:
            return CHANCE
        street = 1 if state.flop else 0
        said = state.said[street]
        if said and said[-1] == "fold":
            return TERMINAL
        if _is_over(said):
            return TERMINAL if street else CHANCE
        return (street + len(said)) % 2

    def chance(self, state: State) -> list[tuple[Any, float]]:
        gone = {card for hand in state.hands for card in hand}
        left = [card for card in self.cards if card not in gone]
        some = list(combinations(left, 2 if len(state.hands) < 2 else 3))
        return [(cards_name(cards), 1.0 / len(some)) for cards in some]

    def actions(self, state: State) -> Sequence[str]:
        street = 1 if state.flop else 0
        paid, bets = _money(state.said)
        mine = paid[self.turn(state)]
        found = ["fold", "call"] if mine < max(paid) else ["check"]
        if bets < self.cap:
            found.append("bet" if street and not bets else "raise")
        return found

    def next(self, state: State, action: Any) -> State:
        if len(state.hands) < 2:
            return state._replace(hands=(*state.hands, parse_cards(action)))
        if self.turn(state) == CHANCE:
            return state._replace(flop=parse_cards(action))
        before, after = state.said
        if state.flop:
            return state._replace(said=(before, (*after, action)))
        return state._replace(said=((*before, action), after))

    def observe(self, state: State, player: int) -> tuple[str, ...]:
        if player >= len(state.hands):
            return ("", "")
        return _seen(state.hands[player], state.flop, state.said)

    def payoff(self, state: State) -> tuple[float, float]:
        (one, other), _ = _money(state.said)
        street = 1 if state.flop else 0
        said = state.said[street]
        if said[-1] == "fold":
            gone = (street + len(said) - 1) % 2
            return (-one, one) if gone == 0 else (other, -other)
        if state.flop not in self._strengths:
            self._strengths[state.flop] = strengths(np.array([state.flop], np.uint8))[0]
        mine, theirs = (int(self._strengths[state.flop][hole_number(*h)]) for h in state.hands)
        won = (mine > theirs) - (mine < theirs)
        return won * other, -won * other


def _is_over(said: Said) -> bool:
    """Has everybody spoken, and the last one neither bet nor raised?"""
    return len(said) > 1 and said[-1] in ("check", "call")


def _money(said: tuple[Said, Said]) -> tuple[list[float], int]:
    """What each player has put in, and how many bets there are on this street."""
    paid, bets = [1.0, 2.0], 1
    for street, words in enumerate(said):
        if street and _is_over(said[0]):
            bets = 0
        for k, word in enumerate(words):
            who = (street + k) % 2
            if word in ("bet", "raise"):
                paid[who] = max(paid) + 2.0
                bets += 1
            elif word == "call":
                paid[who] = max(paid)
    return paid, bets


def _seen(hand: Cards, flop: Cards, said: tuple[Said, Said]) -> tuple[str, ...]:
    found = (cards_name(sorted(hand, reverse=True)), " ".join(said[0]))
    if not flop:
        return found
    return (*found, cards_name(sorted(flop, reverse=True)), " ".join(said[1]))


@dataclass(frozen=True)
class FormCheck:
    """How far the two forms of a game are apart: the largest of all differences."""

    deck: str
    cap: int
    histories: int
    infosets: int
    iterations: int
    method: str
    value: float  # chips: of a random strategy, and of the average after so many iterations
    best: float  # chips: of the best responses to these
    regret: float  # chips, per deal of a hand and its flop, after so many iterations
    average: float  # probability

    @property
    def holds(self) -> bool:
        """Are the two the same but for rounding?"""
        return max(self.value, self.best, self.regret, self.average) < 1e-9


def compare_forms(
    deck: str = "Jh Js Qh Qs Kh Ks Ah As",
    cap: int = 4,
    iterations: int = 10,
    method: str = "cfr+",
    seed: int = 0,
) -> FormCheck:
    """Run a small game in both forms, and hold all that can be compared side by side.

    A random strategy, which cares for suits, is assessed on the tree of all boards. Iterations
    are those of the tree in which boards and hands stand for others. They begin with regrets
    drawn at random, the same in both forms: from nothing, actions of equal worth are many in so
    small a game, and each rounding of a zero would lead elsewhere.
    """
    game = fhp(cap=cap, deck=deck)
    history = compile_game(FlopHoldem(deck, cap))
    random = np.random.default_rng(seed)
    whole = _Layout(PublicTree(game, symmetry=False), history)
    drawn = Strategy.random(history, random)
    pairs = [(assess(drawn), assess(whole.public(drawn)))]
    one = Solver(history, method, form="history")
    other = Solver(game, method, dtype="float64", threads=1)
    layout = _Layout(other.tree, history)
    for p in (0, 1):
        start = random.uniform(1.0, 2.0, other.engine.learning[p].regret.shape) * START
        other.engine.learning[p].regret[:] = _alike(other.tree, p, start / other.tree.weight_sum)
    begun = layout.slots([table.regret for table in other.engine.learning], scaled=True)
    one.begin(begun, np.zeros(history.infosets.slots))
    one.step(iterations)
    other.step(iterations)
    pairs.append((assess(one.strategy()), other.assess()))
    public = layout.slots([table.regret for table in other.engine.learning], scaled=True)
    regrets = one.learned()[0] - public
    average = one.strategy().probabilities - layout.slots(_probabilities(other.strategy()))
    return FormCheck(
        deck, cap, history.histories, len(history.infosets.labels), iterations, method,
        max(float(np.abs(np.subtract(a.values, b.values)).max()) for a, b in pairs),
        max(float(np.abs(np.subtract(a.best, b.best)).max()) for a, b in pairs),
        float(np.abs(regrets / layout.scale).max()) * other.tree.weight_sum,
        float(np.abs(average).max()),
    )  # fmt: skip


START = 30.0
"""What regrets begin with, in chips per deal: more than a few iterations take away."""


class _Layout:
    """Where each slot of the history form is in the tables of a public tree."""

    def __init__(self, tree: PublicTree, history: HistoryTree) -> None:
        self.tree, self.game, self.history = tree, tree.game, history
        infosets = history.infosets
        names = zip(infosets.owner.tolist(), infosets.labels, strict=True)
        where = dict(zip(names, infosets.start[:-1].tolist(), strict=True))
        rules, found = tree.game.rules, []
        flops = combinations(sorted(rules.deck, reverse=True), 3)
        for board in [(), *flops]:
            number, suits = self._find(board)
            for node in _decisions(tree.game, 1 if board else 0):
                owner, rows = int(tree.game.betting.player[node]), tree.row(number, node)
                hands, said = tree.hands[owner][number], _said(tree.game, node)
                place = dict(zip(hands.pairs.tolist(), hands.of.tolist(), strict=True))
                for hole in np.flatnonzero(tree.game.ranges[owner] > 0).tolist():
                    if set(hole_cards(hole)) & set(board):
                        continue
                    column = place[int(renamed_holes(rules, np.array([hole]), suits)[0])]
                    slot = where[owner, label(_seen(hole_cards(hole), board, said))]
                    for a in range(rows.stop - rows.start):
                        found.append((slot + a, owner, rows.start + a, column, len(board)))
        table = np.array(sorted(found))
        assert (table[:, 0] == np.arange(infosets.slots)).all()
        self.owner, self.row, self.column = table[:, 1:4].T
        # A regret is counted per deal of its flop here, and by the chance of it there.
        self.scale = np.where(table[:, 4] > 0, 1.0 / comb(len(rules.deck) - 4, 3), 1.0)

    def _find(self, board: Cards) -> tuple[int, NDArray[np.int64]]:
        """The board of the tree that stands for a flop, and how suits are renamed for it."""
        known = {frozenset(b.cards): k for k, b in enumerate(self.tree.boards)}
        for suits in self.tree.boards[0].renamings:
            turned = frozenset(card // 4 * 4 + int(suits[card % 4]) for card in board)
            if turned in known:
                return known[turned], suits
        raise AssertionError(f"no board of the tree stands for {cards_name(board)}")

    def public(self, strategy: Strategy) -> Strategy[PublicTree]:
        """A strategy of the history form on the public tree."""
        even = Strategy.uniform(self.tree).tables
        found = Strategy.of(self.tree, tuple(table.astype(np.float64) for table in even))
        for p in (0, 1):
            mine = self.owner == p
            found.tables[p][self.row[mine], self.column[mine]] = strategy.probabilities[mine]
        return found

    def slots(self, tables: Any, scaled: bool = False) -> NDArray[np.float64]:
        """Numbers of the public tree's tables over the slots of the history form."""
        found = np.zeros(self.history.infosets.slots)
        for p in (0, 1):
            mine = self.owner == p
            found[mine] = tables[p][self.row[mine], self.column[mine]]
        return found * self.scale if scaled else found


def _alike(tree: PublicTree, player: int, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same numbers for hands that renamings of suits make equal on a board."""
    for number, board in enumerate(tree.boards):
        holes = tree.hands[player][number].holes
        least, place = holes.copy(), {hole: k for k, hole in enumerate(holes.tolist())}
        for suits in board.renamings:
            least = np.minimum(least, renamed_holes(tree.game.rules, holes, suits))
        base = int(tree.base[number, player])
        rows = slice(base, base + int(tree.nodes.width[board.street, player]))
        table[rows, : len(holes)] = table[rows][:, [place[hole] for hole in least.tolist()]]
    return table


def _decisions(game: PokerGame, street: int) -> list[int]:
    there = (game.betting.kind == DECISION) & (game.betting.street == street)
    return [int(node) for node in np.flatnonzero(there)]


def _said(game: PokerGame, node: int) -> tuple[Said, Said]:
    """What was said before the flop and after it on the way to a node."""
    betting = game.betting
    said: tuple[list[str], list[str]] = ([], [])
    while node > 0:
        if betting.label[node]:
            said[int(betting.street[betting.parent[node]])].insert(0, betting.label[node])
        node = int(betting.parent[node])
    return tuple(said[0]), tuple(said[1])


def _probabilities(strategy: Strategy[PublicTree]) -> list[NDArray[np.float64]]:
    """A strategy's tables with probabilities in place of weights."""
    tree = strategy.tree
    found = [np.zeros(table.shape) for table in strategy.tables]
    for number, board in enumerate(tree.boards):
        for node in _decisions(tree.game, board.street):
            owner, rows = int(tree.game.betting.player[node]), strategy.hands.rows(node, number)
            found[owner][tree.row(number, node), : rows.shape[1]] = rows
    return found
