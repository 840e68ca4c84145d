"""A poker game with buckets as arrays for compiled code: lines of betting, and how to deal."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.buckets import Buckets, board_sizes, choose, set_number
from counterfold.arrays import Floats, Ints
from counterfold.errors import ParameterError, TreeTooLargeError, UnsupportedError
from counterfold.poker import showdown
from counterfold.poker.cards import CARDS
from counterfold.poker.game import DEAL, DECISION, FOLD, PokerGame
from counterfold.tree.memory import memory_at_hand

if TYPE_CHECKING:
    from counterfold.kernels.poker_deals import Cards
    from counterfold.kernels.poker_ends import Edges
    from counterfold.kernels.poker_lines import Lines

MOST_ENDS = 50_000_000
MOST_PLAYERS = 9
TRIALS = 10_000  # deals, of which one must be possible


def lines_of(form: BucketForm, stamped: bool) -> tuple[Lines, NDArray[np.uint32], int]:
    """The betting for compiled code, the number of each decision there, and the size of a table.

    It has a row for each decision and bucket: the regrets of its actions, their sums of
    probability, and a stamp if that is wanted. A walk has one bucket a street and player, so all
    rows of a bucket are neighbours, and so are the decisions of one street after the same line.
    A part of a cut table has rows for the trunk, which come first, and for its own lines; other
    lines end where they begin, and all ends that are not its own are worth nothing to it.
    """
    from counterfold.kernels import poker_lines as kernels

    game, tree = form.game, form.game.betting
    _check_sampled(form)
    kind = np.where(tree.kind == DECISION, tree.player, kernels.SHOWDOWN).astype(np.uint32)
    kind[tree.kind == FOLD] = kernels.FOLD
    pair = int(kernels.PAIR)
    owner = kind << kernels.WHO | tree.street
    order, place = _placed(game)
    width = (2 * form.actions + stamped + 1) // pair
    base, step, size = np.zeros(len(tree), np.int64), np.zeros(kernels.OWNERS, np.int64), 0
    own = np.zeros(len(tree), bool)
    own[form.nodes] = True
    cut, trunk = form.part.street if form.part else 0, 0
    owners = np.unique(owner[form.nodes])
    for who in sorted(owners.tolist(), key=lambda who: (who & int(kernels.STREETS) >= cut, who)):
        nodes = order[((owner == who) & own)[order]]
        ends = np.cumsum(width[nodes])
        base[nodes] = size + ends - width[nodes]
        step[who] = -(-ends[-1] // 8) * 8  # whole cache lines
        size += int(step[who] * form.counts[nodes[0]])
        trunk = size if who & int(kernels.STREETS) < cut else trunk
    base, behind = base[form.twin], size
    size += trunk
    most = min(pair << 32, int(0.9 * memory_at_hand()) // 4)
    if pair * size >= most:
        raise TreeTooLargeError(
            f"{game.name} with these buckets has {pair * size:,} numbers to learn, where "
            f"{most:,} fit; take fewer buckets or bet sizes"
        )
    payoff, which = _payoffs(game) if tree.players == 2 else _pots(game)
    if form.part:
        payoff = np.concatenate([payoff, np.zeros_like(payoff[:1])])
        which = np.where(form.part.own, which, len(payoff) - 1)
        owner = np.where(form.part.seen, owner, kernels.FOLD << kernels.WHO)
    what = owner | form.actions.astype(np.uint32) << kernels.COUNT
    info = np.stack([what, place[tree.first], base, which], axis=1).astype(np.uint32)
    for node in np.flatnonzero(tree.kind == DEAL)[::-1]:  # a deal is what comes after it
        info[node] = info[tree.first[node]]
    lines = kernels.Lines(
        info[order].reshape(-1),
        payoff.reshape(-1),
        step.astype(np.uint32),
        tuple(range(tree.players)),
        np.uint32(form.held_from),
        (np.uint32(cut), np.uint64(pair * behind)) if form.part else None,
    )
    return lines, place[form.nodes], pair * size


def _placed(game: PokerGame) -> tuple[Ints, NDArray[np.uint32]]:
    """The nodes of the betting in the order of compiled code, and each one's place."""
    order = np.argsort(_beginnings(game), kind="stable")
    place = np.empty(len(order), np.uint32)
    place[order] = np.arange(len(order), dtype=np.uint32)
    return order, place


def edges_of(form: BucketForm, depth: int, hands: int) -> Edges | None:
    """The states where a game is cut for walks with all hands; None where nobody chooses."""
    from counterfold.kernels.poker_ends import Edges

    states, many = len(form.choices), form.copies.shape[2]
    if not states:
        return None
    _, place = _placed(form.game)
    number = np.full(len(place), -1, np.int32)
    first = form.choices.copy()
    first[first < 0] = len(place)
    number[place[first.min(1)]] = np.arange(states)
    rows = np.zeros((depth * many, hands), np.float32)
    return Edges(
        number=number,
        choice=np.where(form.choices >= 0, place[form.choices].astype(np.int64), -1),
        root=place[form.copies],
        node=np.zeros((depth, 2, many), np.uint32),
        done=np.zeros(depth, np.int64),
        theirs=rows,
        value=rows.copy(),
    )


def _check_sampled(form: BucketForm) -> None:
    """Refuse games that compiled code cannot walk through."""
    game, tree = form.game, form.game.betting
    if game.prizes:
        raise UnsupportedError(
            f"{game.name} counts in payouts of a tournament, and sampled poker in chips"
        )
    if tree.streets > 4 or int(form.actions.max()) > 1000 or tree.players > MOST_PLAYERS:
        raise UnsupportedError(
            f"sampled poker has at most {MOST_PLAYERS} players, four streets and 1,000 actions"
        )


def _beginnings(game: PokerGame) -> Ints:
    """The node with which the street of each node began."""
    tree = game.betting
    found = list(range(len(tree)))
    dealt = (tree.kind == DEAL).tolist()
    for node, parent in enumerate(tree.parent.tolist()):
        if parent >= 0 and not dealt[parent]:
            found[node] = found[parent]
    return np.array(found)


def _payoffs(game: PokerGame) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Payoffs that differ, for each player if player 0 wins, ties or loses; and each node's."""
    tree = game.betting
    worth = np.zeros((len(tree), 2, 4), np.float32)
    worth[:, 0, :3] = tree.payoff[:, 0]
    worth[:, 1, :3] = tree.payoff[:, 1, ::-1]
    worth[tree.kind == FOLD, :, :3] = tree.payoff[tree.kind == FOLD, :, :1]
    worth[(tree.kind == DECISION) | (tree.kind == DEAL)] = 0
    found, where = np.unique(worth.reshape(-1, 8), axis=0, return_inverse=True)
    return np.ascontiguousarray(found), where.reshape(-1).astype(np.uint32)


def _pots(game: PokerGame) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """The same for more than two: what each has who wins no pot, and the pots with their rivals."""
    from counterfold.kernels import poker_lines as kernels

    tree, n = game.betting, game.betting.players
    worth = np.zeros((len(tree), int(kernels.block_of(n))), np.float32)
    worth[:, :n] = tree.payoff[:, :, 2]
    for k in range(n - 1):  # pots one after the other
        here = np.flatnonzero(np.diff(tree.pot.astype(np.int64)) > k)
        pot = tree.pot[here].astype(np.int64) + k
        worth[here, n + 2 * k] = tree.chips[pot]
        worth[here, n + 2 * k + 1] = tree.rivals[pot]
    found, where = np.unique(worth, axis=0, return_inverse=True)
    return np.ascontiguousarray(found), where.reshape(-1).astype(np.uint32)


def cards_of(game: PokerGame, buckets: Sequence[Buckets]) -> Cards:
    """How cards are dealt, who wins, and the bucket of each hand, for compiled code."""
    from counterfold.kernels import hands
    from counterfold.kernels import poker_deals as kernels

    rules = game.rules
    if not _can_deal(game):
        raise ParameterError(f"the ranges of {game.name} cannot all hold a hand, or hardly ever")
    deck = np.array(sorted(set(rules.deck) - set(game.board)), np.uint8)
    drawing = [alias(weights) for weights in game.ranges]
    whole_board = len(game.board) + sum(rules.deal)
    sizes = np.zeros(6, np.int64)
    sizes[: len(buckets)] = board_sizes(game)
    sizes[4], sizes[5] = whole_board, len(game.board)
    words = [one.words for one in buckets]
    tables = [np.ascontiguousarray(one.table) for one in buckets]
    missing = 4 - len(buckets)
    words += [np.zeros(0, np.uint32)] * missing
    tables += [np.zeros((0, 0), np.uint16)] * missing
    renamed = max((one.renamed for one in buckets), key=len)
    ends, strength = np.zeros(0, np.uint32), np.zeros((0, 0), np.uint32)
    if rules.strengths is not showdown.strengths:
        ends, strength = _strengths(game, deck, whole_board)
    parts = [
        deck,
        rules.cards,
        np.stack([odds for odds, _ in drawing]),
        np.stack([other for _, other in drawing]),
        sizes,
        choose(),
        renamed,
        *words,
        *tables,
        hands.tables(),
        ends,
        strength,
    ]
    return kernels.Cards._make(parts)


def _strengths(
    game: PokerGame, deck: NDArray[np.uint8], size: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Words of all whole boards and the strengths on them, for rules that are not hold'em's."""
    more = size - len(game.board)
    if math.comb(len(deck), more) * game.rules.holes > MOST_ENDS:
        raise UnsupportedError(f"{game.name} has too many boards for sampling by its own rules")
    dealt = list(itertools.combinations(deck.tolist(), more))
    boards = np.array([(*game.board, *cards) for cards in dealt], np.uint8)
    boards = boards.reshape(len(dealt), size)
    ends = np.zeros(math.comb(CARDS, size), np.uint32)
    for row, board in enumerate(boards.tolist()):
        ends[set_number(board)] = row * 24
    strength = np.ascontiguousarray(game.rules.strengths(boards), np.uint32)
    return ends, strength


def alias(weights: Floats) -> tuple[Floats, NDArray[np.uint32]]:
    """Tables for drawing a hand at once: keep what is drawn evenly, or take the other one."""
    size = len(weights)
    share = (weights * (size / weights.sum())).tolist()
    odds, other = np.ones(size), np.arange(size, dtype=np.uint32)
    small = [hand for hand, part in enumerate(share) if part < 1]
    large = [hand for hand, part in enumerate(share) if part >= 1]
    while small and large:
        under, over = small.pop(), large[-1]
        odds[under], other[under] = share[under], over
        share[over] -= 1 - share[under]
        if share[over] < 1:
            small.append(large.pop())
    for hand in small:  # rounding leaves a few that are whole, or nothing at all
        if weights[hand] == 0:
            odds[hand], other[hand] = 0.0, int(np.argmax(weights))
    return odds, other


def _can_deal(game: PokerGame) -> bool:
    """Whether hands that all can be held together come up when they are drawn by the ranges."""
    n, deck = game.betting.players, len(game.rules.deck) - len(game.board)
    if n == 2:
        return pair_mass(game) > 0
    if deck < n * game.rules.hole + sum(game.rules.deal) or not all(map(np.any, game.ranges)):
        return False
    random, cards = np.random.default_rng(0), game.rules.cards.astype(np.int64)
    drawn = [random.choice(len(cards), TRIALS, p=each / each.sum()) for each in game.ranges]
    held = np.concatenate([cards[hands, : game.rules.hole] for hands in drawn], axis=1)
    held.sort(axis=1)
    return bool((np.diff(held, axis=1) > 0).all(axis=1).any())


def pair_mass(game: PokerGame) -> float:
    """The weight of all pairs of hands that can be held together."""
    (first, second), cards = game.ranges, game.rules.cards
    total = float(first.sum() * second.sum())
    for card in range(CARDS):
        held = (cards == card).any(axis=1)
        total -= float(first[held].sum() * second[held].sum())
    # Pairs of the same two cards have been taken away twice.
    return total + (float((first * second).sum()) if game.rules.hole == 2 else 0.0)
