"""Poker by a few rules: opponents that everybody has met, to gauge strategies with."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from counterfold.agent import Agent, Observation, drawn
from counterfold.arrays import Floats, Ints
from counterfold.errors import ParameterError
from counterfold.poker.cards import HIGH, HOLES, LOW, parse_cards
from counterfold.poker.made import DRAWS, MADE, kinds_of
from counterfold.poker.table import TableView
from counterfold.strategy.hands import HandTables
from counterfold.strategy.layout import layout_of
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.tree.form import Form
from counterfold.tree.public import PublicTree

if TYPE_CHECKING:
    from counterfold.abstraction.bucket_form import BucketForm

_RAISES = ("bet", "raise", "all-in")
_Thoughts = tuple[list[Hashable], Ints]
MOST_KEPT = 64
"""Boards on which a bot remembers what it thinks of all hands."""


def chen(hole: tuple[int, ...]) -> float:
    """Bill Chen's points of two cards before the flop, from -1 (72o) to 20 (AA).

    >>> from counterfold.poker.cards import parse_cards
    >>> [chen(parse_cards(text)) for text in ("AsAh", "AsKs", "Th9h", "7s2d", "5c5d")]
    [20.0, 12.0, 8.0, -1.0, 5.0]
    """
    high, low = sorted((card // 4 for card in hole), reverse=True)
    points = {12: 10.0, 11: 8.0, 10: 7.0, 9: 6.0}.get(high, (high + 2) / 2)
    if high == low:
        return max(2 * points, 5.0)
    gap = high - low - 1
    points += 2.0 * (hole[0] % 4 == hole[1] % 4) + (gap < 2 and high < 10)
    points -= (0, 1, 2, 4)[gap] if gap < 4 else 5
    return float(np.ceil(points))


class _Bot(Agent):
    """Takes actions as often as it tells, by what it thinks of its cards."""

    by_cards = False
    """Does it look at its cards, which must be those of hold'em?"""

    def thinks(self, hole: tuple[int, ...], board: tuple[int, ...]) -> Hashable:
        """What it thinks of a hole on a board."""
        return None

    def plays(self, thought: object, actions: tuple[Hashable, ...]) -> dict[str, float]:
        """How often it takes each action, thinking so."""
        raise NotImplementedError

    def row(self, thought: object, actions: tuple[Hashable, ...]) -> list[float]:
        """The same of all actions, in their order."""
        odds = self.plays(thought, actions)
        return [odds.get(str(action), 0.0) for action in actions]

    def odds(self, observation: Observation) -> dict[str, float]:
        """How often it takes each action."""
        if not self.by_cards:
            return self.plays(None, observation.actions)
        seen = TableView.of(observation.seen)
        hole, board = parse_cards(seen.hand), parse_cards(seen.board)
        return self.plays(self.thinks(hole, board), observation.actions)

    def odds_of_all(self, observation: Observation) -> dict[str, Floats]:
        """[holes] how often every hand takes each action at a table of hold'em."""
        kinds, of = self.thoughts(parse_cards(TableView.of(observation.seen).board))
        rows = np.array([self.row(thought, observation.actions) for thought in kinds])
        return dict(zip(map(str, observation.actions), rows[of].T, strict=True))

    def thoughts(self, board: tuple[int, ...]) -> _Thoughts:
        """What it may think on a board, and [holes] which of it of each."""
        return [None], np.zeros(HOLES, np.int64)

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        return drawn(self.odds(observation), rng)


@dataclass(kw_only=True)
class RuleBot(_Bot):
    """Plays by thresholds: the points it enters and raises with, and what it thinks is good.

    ``strong`` and ``fair`` are the last made hands (of ``made.MADE``) that it bets, and calls with;
    draws are called too. Where none fits it bluffs with probability ``bluff``, and else checks or
    folds.
    """

    name: str
    enters: float
    raises: float
    strong: str
    fair: str
    bluff: float

    by_cards = True
    _kept: dict[tuple[int, ...], _Thoughts] = field(default_factory=dict, init=False, repr=False)

    def thoughts(self, board: tuple[int, ...]) -> _Thoughts:
        if board not in self._kept:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[board] = _sorted(self, np.stack([HIGH, LOW], 1), board)
        return self._kept[board]

    def thinks(self, hole: tuple[int, ...], board: tuple[int, ...]) -> tuple[bool, bool]:
        """Is it good to bet, and good enough to call?"""
        if not board:
            points = chen(hole)
            return points >= self.raises, points >= self.enters
        made, *draws = kinds_of(hole, board)
        rank, drawing = MADE.index(made), any(draw in DRAWS[:3] for draw in draws)
        return rank <= MADE.index(self.strong), rank <= MADE.index(self.fair) or drawing

    def plays(self, thought: object, actions: tuple[Hashable, ...]) -> dict[str, float]:
        assert isinstance(thought, tuple)
        good, some = thought
        raising, other = _raise(actions), _call(actions) if some else _fold(actions)
        if good or raising == other:
            return {raising: 1.0}
        return {raising: self.bluff, other: 1 - self.bluff}


class AlwaysCall(_Bot):
    """Checks, or calls whatever is bet."""

    name = "always-call"

    def plays(self, thought: object, actions: tuple[Hashable, ...]) -> dict[str, float]:
        return {_call(actions): 1.0}


class AlwaysFold(_Bot):
    """Folds, or checks where that costs nothing: it loses three quarters of a big blind a hand."""

    name = "always-fold"

    def plays(self, thought: object, actions: tuple[Hashable, ...]) -> dict[str, float]:
        return {_fold(actions): 1.0}


def tight() -> _Bot:
    """Few hands, and bets with what is good."""
    return RuleBot(
        name="tight", enters=8, raises=9, strong="top pair", fair="second pair", bluff=0.03
    )


def loose() -> _Bot:
    """Most hands, and calls with anything."""
    return RuleBot(
        name="loose", enters=2, raises=11, strong="two pair", fair="underpair", bluff=0.02
    )


def maniac() -> _Bot:
    """Bets most of the time, whatever it holds."""
    return RuleBot(
        name="maniac", enters=0, raises=6, strong="second pair", fair="ace high", bluff=0.6
    )


BY_RULES: dict[str, Callable[[], _Bot]] = {
    "always-call": AlwaysCall,
    "always-fold": AlwaysFold,
    "tight": tight,
    "loose": loose,
    "maniac": maniac,
}
"""Bots by name."""

MODELS = ("uniform", "random", "equilibrium", *BY_RULES)
"""Opponents whom everybody knows by name, as models to answer."""


def laid_out(name: str, form: Form) -> AnyStrategy:
    """What a bot does everywhere in a game with betting, as a strategy.

    >>> import counterfold as cf
    >>> laid_out("always-call", cf.compile_game(cf.Kuhn())).at("J", "bet")
    {'fold': 0.0, 'call': 1.0}
    """
    from counterfold.abstraction.bucket_form import BucketForm

    bot = BY_RULES[name]()
    strategy: AnyStrategy
    if isinstance(form, PublicTree):
        strategy = _by_hands(bot, form)
    elif bot.by_cards:
        raise ParameterError(f"{name} plays hold'em with all hands, which {form.spec} is not")
    elif isinstance(form, BucketForm):
        strategy = _by_lines(bot, form)
    else:
        strategy = Strategy.ruled(form, lambda _player, _seen, actions: bot.row(None, actions))
    return strategy.with_about(method=name)


def _by_lines(bot: _Bot, form: BucketForm) -> Strategy[BucketForm]:
    betting, table = form.game.betting, np.empty(form.size, np.float32)
    for node in form.nodes.tolist():
        row = bot.row(None, betting.actions(node))
        begin = form.start[node]
        table[begin : begin + form.counts[node] * len(row)].reshape(-1, len(row))[:] = row
    return Strategy.of(form, (table,))


def _by_hands(bot: _Bot, tree: PublicTree) -> Strategy[PublicTree]:
    if bot.by_cards and tree.game.rules.holes != HOLES:
        raise ParameterError(f"{bot.name} plays hold'em with 52 cards, which {tree.spec} is not")
    betting, made = tree.game.betting, HandTables(tree, layout_of(tree).even())
    for number in range(len(tree.boards)):
        thoughts = [_thoughts(bot, tree, player, number) for player in (0, 1)]
        for node in made.decisions(number):
            actions = tuple(betting.label[child] for child in betting.children(node))
            kinds, of = thoughts[betting.player[node]]
            rows = np.array([bot.row(thought, actions) for thought in kinds])
            into = made.tables[betting.player[node]][tree.row(number, node)]
            into[:, : len(of)] = rows[of].T
    return Strategy.of(tree, made.tables)


def _thoughts(bot: _Bot, tree: PublicTree, player: int, board: int) -> _Thoughts:
    """What it may think on a board, and [hands] which of it of each hand."""
    holes = tree.hands[player][board].holes
    if not bot.by_cards:
        return [None], np.zeros(len(holes), np.int64)
    return _sorted(bot, tree.game.rules.cards[holes], tree.boards[board].cards)


def _sorted(bot: _Bot, holes: NDArray[np.integer], board: tuple[int, ...]) -> _Thoughts:
    """The same of some holes; one that meets the board is as the first one that does not."""
    kinds, of = dict[Hashable, int](), np.zeros(len(holes), np.int64)
    for k, hole in enumerate(holes.tolist()):
        if not set(hole) & set(board):
            of[k] = kinds.setdefault(bot.thinks(tuple(hole), board), len(kinds))
    return list(kinds), of


def _verb(action: Hashable) -> str:
    return str(action).partition(" ")[0]


def _first(actions: tuple[Hashable, ...], *verbs: str) -> str | None:
    return next((str(one) for one in actions if _verb(one) in verbs), None)


def _raise(actions: tuple[Hashable, ...]) -> str:
    """The smallest bet or raise; a call where there is none."""
    return _first(actions, *_RAISES) or _first(actions, "check", "call") or _nothing(actions)


def _call(actions: tuple[Hashable, ...]) -> str:
    """A check or a call; where blinds may not be called, the smallest raise."""
    return _first(actions, "check", "call") or _raise(actions)


def _fold(actions: tuple[Hashable, ...]) -> str:
    """A check if that is free, else a fold."""
    return _first(actions, "check") or _first(actions, "fold") or _call(actions)


def _nothing(actions: tuple[Hashable, ...]) -> str:
    told = ", ".join(map(str, actions[:4]))
    raise ParameterError(f"this bot plays games with betting, and here it may choose {told}")
