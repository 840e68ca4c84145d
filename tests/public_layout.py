"""Between the two forms of a poker game: tables of the public tree and slots of the history."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

import counterfold as cf
from counterfold.games.base import label
from counterfold.poker import holdem
from counterfold.poker.betting import build
from counterfold.poker.cards import holes_without, parse_board
from counterfold.poker.game import DECISION, FOLD, CardRules, PokerGame
from counterfold.poker.money import Betting, Rake
from counterfold.poker.ranges import CELL
from counterfold.poker.sizes import Sizes, parse_sizes
from counterfold.tree.public import PublicTree
from tests import naive_poker
from tests.naive_betting import Street, naive_betting
from tests.naive_poker import NaivePoker
from tests.solvers.layout import regrets, rows


class BothForms:
    """A poker game in both forms, and where each number of one is in the other.

    The regret of a hand is counted per deal of it and of its board on the public tree, and by
    their chance in the history: ``scale`` is what lies between.
    """

    def __init__(self, poker: PokerGame, symmetry: bool = False) -> None:
        self.poker = poker
        self.naive = NaivePoker(poker)
        self.history = cf.compile_game(self.naive)
        self.tree = PublicTree(poker, symmetry=symmetry)
        self.absent: list[tuple[int, int, int]] = []
        where, found = rows(self.history), []
        for number, board in enumerate(self.tree.boards):
            dealt = board.cards[len(poker.board) :]
            chance = self.chance_of(board.street)
            for node in np.flatnonzero(poker.betting.kind == DECISION).tolist():
                if poker.betting.street[node] != board.street:
                    continue
                owner = int(poker.betting.player[node])
                hands, lines = self.tree.hands[owner][number], self.tree.row(number, node)
                for hole, column in zip(hands.pairs.tolist(), hands.of.tolist(), strict=True):
                    name = label(self.naive.seen(hole, dealt, node))
                    slots = where.get((owner, name))
                    scale = float(poker.ranges[owner][hole]) * chance
                    for a, row in enumerate(range(lines.start, lines.stop)):
                        if slots is None:  # a hand that nobody can meet is in no history
                            self.absent.append((owner, row, column))
                        else:
                            at = owner, row, column, slots.start + a, number, node, a, hole
                            found.append((*at, scale))
        whole = np.array([entry[:-1] for entry in found], np.int64).T
        self.owner, self.row, self.column, self.slot = whole[:4]
        self.board, self.node, self.action, self.hole = whole[4:]
        self.scale = np.array([entry[-1] for entry in found])

    def chance_of(self, street: int) -> float:
        """The chance of each board of a street, for two hands that do not meet it."""
        rules, left, chance = self.poker.rules, len(self.poker.rules.deck), 1.0
        left -= len(self.poker.board) + 2 * rules.hole
        for deal in rules.deal[1 : street + 1]:
            chance /= comb(left, deal)
            left -= deal
        return chance

    @cached_property
    def told(self) -> NDArray[np.bool_]:
        """Which slots the public tree has: all, unless boards stand for others."""
        known = np.zeros(self.history.infosets.slots, bool)
        known[self.slot] = True
        return known

    def slots_of(self, tables: Any, scaled: bool) -> NDArray[np.float64]:
        """Numbers of the public tree's tables over the history's slots, NaN where it has none."""
        out = np.full(self.history.infosets.slots, np.nan)
        for p in (0, 1):
            mine = self.owner == p
            numbers = np.asarray(tables[p], np.float64)[self.row[mine], self.column[mine]]
            out[self.slot[mine]] = numbers * self.scale[mine] if scaled else numbers
        return out

    def tables_of(self, numbers: NDArray[np.float64], scaled: bool) -> list[NDArray[np.float64]]:
        """Numbers over the history's slots as tables of the public tree."""
        out = [np.zeros((self.tree.rows(p), self.tree.columns(p))) for p in (0, 1)]
        for p in (0, 1):
            mine = self.owner == p
            given = numbers[self.slot[mine]] / (self.scale[mine] if scaled else 1.0)
            out[p][self.row[mine], self.column[mine]] = given
        return out

    def regrets(self, solver: Any) -> NDArray[np.float64]:
        """A public solver's regrets over the history's slots."""
        return self.slots_of([table.regret for table in solver.engine.learning], scaled=True)

    def average(self, solver: Any) -> NDArray[np.float64]:
        """A public solver's average strategy over the history's slots."""
        weights = self.slots_of([table.total for table in solver.engine.learning], scaled=False)
        found = self.history.infosets.to_one(np.nan_to_num(weights))
        return np.where(self.told, found, np.nan)

    @cached_property
    def beginning(self) -> NDArray[np.float64]:
        """Regrets over the slots that leave every action some weight, alike where suits are.

        Where an opponent comes with no hand at all, regrets are zero, but for rounding; textbook
        CFR and vector CFR round differently, and what is played there hangs on it. Nothing does
        in a run that begins from these.
        """
        solver = cf.Solver(self.history, "cfr")
        solver.step(1)
        scale = np.ones(self.history.infosets.slots)
        everywhere = self if self.told.all() else BothForms(self.poker)
        scale[everywhere.slot] = everywhere.scale
        size = np.abs(regrets(solver)) / scale
        start = self.history.infosets.start[:-1].astype(np.int64)
        action = np.arange(len(size)) - np.repeat(start, self.history.infosets.sizes)
        return (size + size.mean() * (1 + 0.17 * action)) * scale  # so that no actions tie

    def begin(self, public: Any, history: Any, iteration: int = 10) -> None:
        """Let both solvers go on from the same regrets as if after some iterations."""
        history.begin(self.beginning, np.zeros(len(self.beginning)))
        for p, table in enumerate(self.tables_of(self.beginning, scaled=True)):
            public.engine.learning[p].regret[:] = table
        public.iteration = history.iteration = iteration


def close(found: Any, wanted: Any, atol: float = 1e-9) -> None:
    """The same numbers wherever the public tree has one."""
    found = np.asarray(found)
    known = ~np.isnan(found)
    assert known.any()
    np.testing.assert_allclose(found[known], np.asarray(wanted)[known], rtol=1e-8, atol=atol)


def without_ties(poker: PokerGame, seed: int = 0) -> PokerGame:
    """The same game with payoffs a little off, each its own way: no two actions are worth the
    same, so that no strategy hangs on rounding."""
    betting = poker.betting
    off = np.random.default_rng(seed).uniform(-0.3, 0.3, betting.payoff.shape)
    off[betting.kind == FOLD] = off[betting.kind == FOLD][:, :, :1]
    off[betting.count > 0] = 0.0
    return replace(poker, betting=replace(betting, payoff=betting.payoff + off))


def flop_with_alike_suits(seed: int = 1) -> PokerGame:
    """A flop of spades in a deck of nine cards: diamonds and hearts are alike."""
    game = naive_poker.tiny_flop(seed=None)
    board = parse_board("Ks Qs As")
    can = holes_without([c for c in range(52) if c not in game.rules.deck or c in board])
    rng = np.random.default_rng(seed)
    ranges = tuple(np.where(can, rng.uniform(0.1, 1.0, 1326)[CELL], 0.0) for _ in range(2))
    return replace(game, board=board, ranges=ranges)


def random_poker(seed: int) -> PokerGame:
    """A small game with any bets, ranges, deck and order of hands, many of which tie."""
    rng = np.random.default_rng(seed)
    hole, streets = 1 + seed % 2, 1 + seed // 2 % 3
    deal = (0, *(int(n) for n in rng.integers(1, 3 if streets == 2 else 2, streets - 1)))
    shown = int(rng.integers(0, 3))
    more = 1 if streets == 3 else int(rng.integers(1, 3 if hole == 2 else 4))
    size = 2 * hole + shown + sum(deal) + more
    deck = tuple(sorted(int(c) for c in rng.choice(52, size, replace=False)))
    board = tuple(int(c) for c in rng.choice(deck, shown, replace=False))
    blinds = bool(rng.integers(0, 2))
    rounds = [
        Street(
            int(rng.integers(0, 2)) if street or not blinds else 0,
            tuple(float(x) for x in rng.integers(1, 9, 1 if streets == 3 else 2)),
            int(rng.integers(1, 3 if streets < 3 else 2)) + (blinds and not street),
            begun=int(blinds and not street),
        )
        for street in range(streets)
    ]
    rake = (0.05, 0.5) if rng.integers(0, 2) else (0.0, 0.0)
    betting = naive_betting(rounds, (1.0, 2.0) if blinds else (2.0, 2.0), 12.0, rake)
    salt, ways = int(rng.integers(1, 1000)), int(rng.integers(2, 12))

    def strengths(boards: NDArray[np.uint8]) -> NDArray[np.uint32]:
        holes = np.arange(1326 if hole == 2 else 52, dtype=np.int64)
        sums = boards.astype(np.int64).sum(1)[:, None]
        return ((holes * 7919 + sums * 104729 * (1 + holes % 5)) % salt % ways).astype(np.uint32)

    rules = CardRules(deck, hole, deal, strengths)
    cards = rules.cards
    can = np.isin(cards[:, 0], deck) & ~np.isin(cards, board).any(1)
    if hole == 2:
        can &= np.isin(cards[:, 1], deck)
    ranges = []
    for _ in range(2):
        weights = np.where(can, rng.uniform(0.05, 1.0, rules.holes), 0.0)
        some = rng.choice([0.6 if streets == 3 else 0.0, 0.3, 0.6])
        weights[rng.random(rules.holes) < some] = 0.0
        ranges.append(weights if weights.any() else can * 1.0)
    return PokerGame(f"random {seed}", rules, betting, board, (ranges[0], ranges[1]))


@lru_cache(None)
def both_forms(name: str) -> BothForms:
    """Games that several tests look at; suits are alike where the name says so."""
    made = {
        "kuhn": lambda: without_ties(holdem.kuhn()),
        "leduc": lambda: without_ties(holdem.leduc()),
        "river": lambda: naive_poker.tiny_river(rake=(0.05, 2.0)),
        "turn": lambda: without_ties(naive_poker.tiny_turn(seed=2, rake=(0.05, 2.0))),
        "flop": lambda: without_ties(naive_poker.tiny_flop(seed=3)),
        "alike flop": lambda: without_ties(flop_with_alike_suits()),
        "fhp": lambda: without_ties(naive_poker.tiny_fhp(seed=4, suits_alike=False)),
        "alike fhp": lambda: without_ties(naive_poker.tiny_fhp(seed=5)),
    }
    return BothForms(made[name](), symmetry=name.startswith("alike"))


def checked_down(game: PokerGame, played: int = 1, rake: Rake | None = None) -> PokerGame:
    """A game with other betting, and none after some streets."""
    streets = game.betting.streets
    sizes = Sizes(parse_sizes("50%"), parse_sizes("allin"))
    betting = Betting(
        paid=(2.0, 2.0),
        stacks=(6.0, 5.0),
        sizes=((sizes,) * streets,) * 2,
        first=(0,) * streets,
        rake=rake or Rake(),
        played=played,
    )
    return replace(game, name=f"{game.name} to street {played}", betting=build(betting))
