"""VPIP and its like: against counting over lines by recursion, and over hands that were played."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import BucketTables
from counterfold.abstraction.bucket_statistics import BoardWalk, bucket_statistics
from counterfold.abstraction.buckets import Buckets, choose, every_hand
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.evaluate.exact import values
from counterfold.evaluate.statistics import statistics
from counterfold.play.bots import seated
from counterfold.play.dealer import Dealer, deal_seed
from counterfold.play.table import Table
from counterfold.poker.game import DEAL, DECISION, SHOWDOWN, CardRules, PokerGame
from counterfold.poker.holdem import fhp, kuhn, leduc
from counterfold.poker.statistics import NAMES
from counterfold.poker.table import Holdem
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree

BETS = ("bet", "raise", "all-in")
Move = tuple[int, int, str, bool]  # street, player, action, whether a bet or raise was possible
Counts = dict[tuple[str, int], list[float]]


def count_line(moves: Sequence[Move], players: int, flop: bool, shown: set[int], c: Any) -> None:
    """Count a hand as a player would who reads it; ``c(name, player, done, chance)`` adds."""
    preflop = [m for m in moves if m[0] == 0]
    raises = [(k, m[1]) for k, m in enumerate(preflop) if m[2] in BETS]
    folded = {m[1] for m in preflop if m[2] == "fold"}
    for p in range(players):
        mine = [m[2] for m in preflop if m[1] == p]
        c("vpip", p, any(word in (*BETS, "call") for word in mine), True)
        c("pfr", p, any(word in BETS for word in mine), True)
        if flop and p not in folded:
            c("wtsd", p, p in shown, True)
    for k, (_, p, word, could) in enumerate(preflop):
        before = [who for at, who in raises if at < k]
        if len(before) == 1 and before[0] != p and could:
            c("3bet", p, word in BETS, True)
        if len(before) == 2 and before[0] == p:
            c("fold-to-3bet", p, word == "fold", True)
    last = raises[-1][1] if raises else None
    bets: list[int] = []
    for _, p, word, could in (m for m in moves if m[0] == 1):
        if not bets and p == last and could:
            c("cbet", p, word in BETS, True)
        if len(bets) == 1 and bets[0] == last and p != last:
            c("fold-to-cbet", p, word == "fold", True)
        bets += [p] if word in BETS else []
    for _, p, word, _ in (m for m in moves if m[0] > 0):
        c("af", p, word in BETS, word == "call")


class Naive:
    """Counts over all deals and lines of a small game of one-card hands or of holdem."""

    def __init__(self, game: PokerGame, play: Any) -> None:
        self.game, self.play = game, play
        self.sums: Counts = defaultdict(lambda: [0.0, 0.0])
        self.value = np.zeros(len(game.players))
        self.hands = 0.0
        for holes, board in self.deals():
            self.hands += 1
            self.walk(0, holes, board, 1.0, [])
        self.value /= self.hands

    def deals(self) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        rules, n = self.game.rules, len(self.game.players)
        for holes in itertools.permutations(rules.deck, n):
            rest = [card for card in rules.deck if card not in holes]
            for board in itertools.permutations(rest, sum(rules.deal)):
                yield holes, board

    def walk(
        self,
        node: int,
        holes: tuple[int, ...],
        board: tuple[int, ...],
        chance: float,
        moves: list[Move],
    ) -> None:
        tree = self.game.betting
        if chance == 0:
            return
        if tree.kind[node] == DEAL:
            self.walk(int(tree.first[node]), holes, board, chance, moves)
        elif tree.kind[node] == DECISION:
            p, street = int(tree.player[node]), int(tree.street[node])
            words = [tree.label[child].split(" ")[0] for child in tree.children(node)]
            could = any(word in BETS for word in words)
            for odds, word, child in zip(
                self.play(node, holes[p], board), words, tree.children(node), strict=True
            ):
                self.walk(child, holes, board, chance * odds, [*moves, (street, p, word, could)])
        else:
            self.end(node, holes, board, chance, moves)

    def end(self, node: int, holes: Any, board: Any, chance: float, moves: list[Move]) -> None:
        tree = self.game.betting
        out = {m[1] for m in moves if m[2] == "fold"}
        shown = set(range(tree.players)) - out if tree.kind[node] == SHOWDOWN else set()

        def add(name: str, player: int, done: bool, chance_: bool) -> None:
            self.sums[name, player][0] += chance * done
            self.sums[name, player][1] += chance * chance_

        flop = tree.street[node] > 0
        count_line(moves, tree.players, flop, shown, add)
        every = self.game.rules.strengths(np.array([board[: sum(self.game.rules.deal)]], np.uint8))
        strengths = [int(every[0][hole]) for hole in holes]
        won = tree.won(node, strengths)
        self.value += chance * np.array(won)
        for p in shown:
            add("w$sd", p, won[p] > tree.payoff[node, p, 2], True)


def three_handed() -> PokerGame:
    """A table of three with one card each from a deck of five, and one card on the board."""
    table = Holdem(3, (4.0, 6.0, 5.0), bets="allin", raises="2bb/allin", last_street="flop")
    rules = CardRules((40, 44, 45, 48, 49), 1, (0, 1, 0, 0), leduc().rules.strengths)
    weights = np.zeros(52)
    weights[list(rules.deck)] = 1.0
    return replace(table.poker, rules=rules, ranges=(weights,) * 3)


def by_bucket(strategy: Strategy[Any]) -> Any:
    tables = BucketTables.of(strategy)

    def play(node: int, hole: int, board: tuple[int, ...]) -> list[float]:
        found: list[float] = tables.expand(board, node)[:, hole].astype(np.float64).tolist()
        return found

    return play


def close(found: Any, naive: Naive, exact: bool) -> None:
    for name in NAMES:
        for p in range(len(naive.game.players)):
            done, chances = naive.sums[name, p]
            stat = found.by_name[name][p] if name in found.by_name else None
            if stat is None:
                assert name == "w$sd" or chances < 1e-9
                continue
            far = 1e-9 if exact else max(2 * stat.half, 1e-6)
            assert stat.value == pytest.approx(done / chances, abs=far), (name, p, stat)
            if name != "af":
                assert 0 <= stat.value <= 1


@pytest.mark.parametrize("game", [leduc(), leduc(ranks=2, max_raises=3), kuhn()])
def test_exact_over_all_hands(game: PokerGame) -> None:
    strategy = Strategy.random(PublicTree(game, symmetry=False), np.random.default_rng(3))
    tree = strategy.tree
    boards = {board.cards: number for number, board in enumerate(tree.boards)}

    def play(node: int, hole: int, board: tuple[int, ...]) -> list[float]:
        number = boards[tuple(board[: int(game.betting.street[node])])]
        found: list[float] = strategy.hands.at(node, number)[:, hole].tolist()
        return found

    naive = Naive(game, play)
    found = statistics(strategy)
    close(found, naive, exact=True)
    assert found.boards is None
    assert values(strategy)[0] == pytest.approx(naive.value[0])


def test_who_is_all_in_before_the_flop_gets_to_the_showdown() -> None:
    game = Holdem(players=2, stack=10, bets="", raises="allin", limps=False, last_street="preflop")
    found = statistics(Strategy.uniform(PublicTree(game.poker)))
    assert [found.of("wtsd", seat).value for seat in (0, 1)] == pytest.approx([1, 1])
    assert found.of("wtsd", 0).chances == pytest.approx(1 / 4)


def test_buckets_of_two() -> None:
    form = BucketForm(leduc(), every_hand(leduc()))
    strategy = Strategy.random(form, np.random.default_rng(5))
    naive = Naive(form.game, by_bucket(strategy))
    found = statistics(strategy, boards=300)
    close(found, naive, exact=False)
    assert found.of("vpip", 1).half == 0  # before the flop all hands are counted
    assert 0 < found.of("wtsd", 0).half < 0.03


def test_buckets_of_three() -> None:
    game = three_handed()
    form = BucketForm(game, every_hand(game))
    strategy = Strategy.random(form, np.random.default_rng(5))
    naive = Naive(game, by_bucket(strategy))
    found = statistics(strategy, boards=400, seed=1)
    close(found, naive, exact=False)
    walk, table = BoardWalk(form), strategy.tables[0]
    won = np.stack([one.value / one.mass[0] for one in walk.boards(table, 400, seed=2)])
    error = won.std(0) / 20
    assert (abs(won.mean(0) - naive.value) < 3 * error).all()
    assert won.mean(0).sum() == pytest.approx(0, abs=1e-9)


def one_bucket(cards: int) -> Buckets:
    words = np.zeros(int(choose()[52, cards]), np.uint32)
    table = np.zeros((1, 1326), np.uint16)
    return Buckets(cards, 1, table, words, np.arange(1326, dtype=np.uint16)[None])


def test_hands_that_were_played() -> None:
    """At a table of three who choose evenly; 95% intervals of both must meet, widened by half."""
    table = Holdem(3, 20.0)
    form = BucketForm(table.poker, [one_bucket(cards) for cards in (0, 3, 4, 5)])
    found = bucket_statistics(Strategy.uniform(form), boards=20)
    hands = 1500
    sitting = Table(table, seated(table, ["uniform"] * 3, None, None))
    rngs = [np.random.default_rng(n) for n in range(3)]
    sums: Counts = defaultdict(lambda: [0.0, 0.0])

    def add(name: str, player: int, done: bool, chance: bool) -> None:
        sums[name, player][0] += done
        sums[name, player][1] += chance

    for number in range(0, 3 * hands, 3):  # agents keep their seats
        played = sitting.play(number, Dealer(deal_seed(7), number), rngs)
        moves, state = [], played.steps[-1].state
        state = table.next(state, played.steps[-1].move)
        for step in played.steps:
            if step.turn >= 0:
                words = [word.split(" ")[0] for word in table.actions(step.state)]
                could = any(word in BETS for word in words)
                word = str(step.move).split(" ")[0]
                moves.append((step.state.betting.street, step.turn, word, could))
        out = {m[1] for m in moves if m[2] == "fold"}
        shown = set(range(3)) - out if state.betting.kind == SHOWDOWN else set()
        count_line(moves, 3, len(state.board) > 0, shown, add)
    for (name, p), (done, chances) in sums.items():
        if name == "af" or chances < 30:
            continue
        share, stat = done / chances, found.of(name, p)
        error = 1.5 * (1.96 * (share * (1 - share) / chances) ** 0.5 + stat.half)
        assert abs(share - stat.value) < error, (name, p, share, stat)


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="there is no statistic"):
        statistics(Strategy.uniform(PublicTree(leduc()))).of("vip", 0)
    with pytest.raises(UnsupportedError, match="no poker in ranges"):
        statistics(Strategy.uniform("leduc"))
    found = statistics(Strategy.uniform(PublicTree(kuhn())))
    with pytest.raises(ParameterError, match="never has the chance of cbet"):
        found.of("cbet", 0)
    assert fhp().players == ("sb", "bb")
