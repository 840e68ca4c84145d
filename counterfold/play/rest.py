"""What is left of a hand from the beginning of a street on: a game of its own.

It is played for the real pot and stacks, with the sizes of a blueprint and those that were really
bet. ``Shadow`` says which decisions of the blueprint are like its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import BucketTables
from counterfold.abstraction.buckets import NOWHERE, Buckets, set_number, standard_words
from counterfold.arrays import Floats, Ints
from counterfold.play.translate import RAISES, pseudo_harmonic
from counterfold.poker.betting import build
from counterfold.poker.cards import HOLES, board_name, holes_without
from counterfold.poker.game import DEAL, DECISION, BettingTree, CardRules, PokerGame
from counterfold.poker.money import Betting, State
from counterfold.poker.sizes import Size, Sizes
from counterfold.poker.table import DEALT, STREETS, Holdem
from counterfold.strategy.layout import Tables
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree

Extra = Mapping[int, Sequence[float]]
"""Chips that players of the table bet on a street, beyond the sizes that they are offered."""

FEWER = 4
"""Trees of fewer and fewer sizes: all, one later, one on every street, all-in and no other."""


def rest_of(
    table: Holdem,
    own: Holdem,
    state: State,
    extra: Extra | None = None,
    fewer: int = 0,
) -> tuple[Betting, tuple[int, ...]]:
    """The betting from the beginning of a street on, by the sizes of the blueprint's table.

    What those paid who have folded is shared by the others: it lies in the pot for both alike.
    """
    rules, street = table.betting, state.street
    seats = tuple(p for p in range(rules.players) if not state.folded >> p & 1)
    dead = sum(state.before[p] for p in range(rules.players) if p not in seats) / len(seats)
    rooms, chip = rules.rooms(state.before)[0], table.blinds[1] / own.blinds[1]
    sizes = tuple(
        tuple(
            _fewer(_scaled(each, chip), k, fewer, () if k else (extra or {}).get(p, ()))
            for k, each in enumerate(own.betting.sizes[p][street:])
        )
        for p in seats
    )
    order = [(rules.first[street] + k) % rules.players for k in range(rules.players)]
    first = seats.index(next(p for p in order if p in seats))
    betting = Betting(
        paid=tuple(state.before[p] + dead for p in seats),
        stacks=tuple(rooms[p] for p in seats),
        sizes=sizes,
        first=(first,) * (rules.streets - street),
        caps=rules.caps[street:],
        least=rules.least,
        fixed=rules.fixed,
        chip=rules.chip,
        played=None if rules.played is None else rules.played - street,
    )
    return betting, seats


def game_of(
    table: Holdem,
    rules: CardRules,
    betting: Betting,
    seats: tuple[int, ...],
    board: tuple[int, ...],
) -> PokerGame:
    """The same as a game in ranges, in which everybody may hold what the board leaves."""
    street = DEALT.index(len(board))
    left = holes_without(board).astype(np.float64)
    return PokerGame(
        name=f"{table.name} on {board_name(board)}",
        rules=replace(rules, deal=(0, *rules.deal[street + 1 :])),
        betting=build(betting),
        board=board,
        ranges=(left,) * len(seats),
        players=tuple(table.positions[p] for p in seats),
        pot=sum(betting.paid),
        big_blind=table.blinds[1],
        streets=STREETS[street:],
    )


def _scaled(sizes: Sizes, chip: float) -> Sizes:
    """Sizes in chips of another worth."""

    def each(some: Sequence[Size]) -> tuple[Size, ...]:
        return tuple(
            replace(one, amount=one.amount * chip) if one.kind in ("to", "by") else one
            for one in some
        )

    donks = None if sizes.donks is None else each(sizes.donks)
    return Sizes(each(sizes.bets), each(sizes.raises), donks, tuple(map(each, sizes.again)))


def _fewer(sizes: Sizes, street: int, fewer: int, extra: Sequence[float]) -> Sizes:
    """So many sizes as a tree of so few has, and those that were really bet."""
    more = tuple(Size("to", chips) for chips in extra)
    level = fewer - (0 if street else 1)  # later streets are the first that lose some

    def some(given: Sequence[Size]) -> tuple[Size, ...]:
        if level <= 0:
            return (*given, *more)
        parts = [one for one in given if one.kind == "pot"]
        near = sorted(parts, key=lambda one: abs(one.amount - 100))[: 1 if level == 1 else 0]
        kept = [one for one in given if one.kind == "all-in" or one in near]
        return (*(kept or given[-1:]), *more)

    donks = None if sizes.donks is None else some(sizes.donks)
    return Sizes(some(sizes.bets), some(sizes.raises), donks, tuple(map(some, sizes.again)))


@dataclass(frozen=True, eq=False)
class Shadow:
    """Which nodes of a blueprint's betting are like those of what is left of a hand.

    ``node`` is -1 where none is: there hands check or call. ``spread[n]`` [actions, actions of the
    blueprint] says which action each of the blueprint's is.
    """

    betting: BettingTree
    node: Ints
    spread: dict[int, Floats]

    def played(self, tables: BucketTables, node: int) -> Floats:
        """[buckets, actions] what the blueprint's buckets do at a decision."""
        like = int(self.node[node])
        if like < 0:
            street = int(self.betting.street[node]) - self.betting.streets + len(tables.buckets)
            count, passive = tables.buckets[street].count, _passive(self.betting, node)
            return np.tile(np.eye(int(self.betting.count[node]))[passive], (count, 1))
        found: Floats = tables.rows(like) @ self.spread[node].T
        return found


def shadow_of(rest: BettingTree, own: BettingTree, root: int, seats: Sequence[int]) -> Shadow:
    """Walk both side by side: a bet is like the one that it is taken for most often."""
    node = np.full(len(rest), -1, np.int64)
    node[0], spread = root, {}
    for n in range(len(rest)):
        like = int(node[n])
        if like < 0:
            continue
        if rest.kind[n] == DEAL:
            node[rest.first[n]] = own.first[like] if own.kind[like] == DEAL else -1
        elif rest.kind[n] == DECISION:
            if own.kind[like] != DECISION or own.player[like] != seats[rest.player[n]]:
                node[n] = -1
                continue
            spread[n], below = _alike(rest, n, own, like)
            node[list(rest.children(n))] = below
    return Shadow(rest, node, spread)


def _passive(tree: BettingTree, node: int) -> int:
    """The place of checking or calling."""
    return next(k for k, label in enumerate(tree.actions(node)) if label in ("check", "call"))


def _alike(rest: BettingTree, n: int, own: BettingTree, like: int) -> tuple[Floats, list[int]]:
    """[actions, actions of the blueprint] which is which; and the nodes that follow, or -1."""
    mine, theirs = rest.actions(n), own.actions(like)
    after = list(own.children(like))
    if mine == theirs:
        return np.eye(len(mine)), after
    spread, below = np.zeros((len(mine), len(theirs))), [-1] * len(mine)
    sizes = {k: x for k, x in enumerate(_shares(own, like)) if x > 0}
    shares = {k: x for k, x in enumerate(_shares(rest, n)) if x > 0}
    for k, label in enumerate(mine):
        if k in shares:
            below[k] = after[_nearest(shares[k], sizes)] if sizes else -1
        else:
            same = [j for j, other in enumerate(theirs) if (other == "fold") == (label == "fold")]
            below[k] = next((after[j] for j in same if j not in sizes), -1)
    for j, label in enumerate(theirs):
        if j in sizes and shares:
            spread[min(shares, key=lambda k: abs(shares[k] - sizes[j])), j] = 1.0
        elif label == "fold" and "fold" in mine:
            spread[mine.index("fold"), j] = 1.0
        else:
            spread[_passive(rest, n), j] = 1.0
    return spread, below


def _shares(tree: BettingTree, node: int) -> list[float]:
    """How much more than a call each action is, in pots after calling; 0 of a fold or a call."""
    start = node
    while tree.parent[start] >= 0 and tree.kind[tree.parent[start]] != DEAL:
        start = int(tree.parent[start])
    player = int(tree.player[node])
    bets = tree.paid[node] - tree.paid[start]
    level = float(bets.max())
    pot = float(tree.paid[node].sum()) + level - float(bets[player])
    raised = [float(tree.paid[k, player] - tree.paid[start, player]) for k in tree.children(node)]
    labels = tree.actions(node)
    return [
        (chips - level) / pot if label.partition(" ")[0] in RAISES else 0.0
        for chips, label in zip(raised, labels, strict=True)
    ]


def _nearest(x: float, sizes: Mapping[int, float]) -> int:
    """The size that a bet of x pots is taken for most often."""
    order = sorted(sizes, key=lambda k: sizes[k])
    for low, high in pairwise(order):
        if sizes[low] <= x <= sizes[high]:
            return low if pseudo_harmonic(x, sizes[low], sizes[high]) >= 0.5 else high
    return order[0] if x < sizes[order[0]] else order[-1]


def lifted(shadow: Shadow, tables: BucketTables, tree: PublicTree) -> Tables:
    """Both players' tables of what is left of a hand, as the blueprint would play it."""
    made = [np.zeros((max(tree.rows(p), 1), tree.columns(p)), np.float32) for p in (0, 1)]
    nodes, first = tree.nodes, len(tables.buckets) - shadow.betting.streets
    for street in range(nodes.streets):
        boards = [k for k, board in enumerate(tree.boards) if board.street == street]
        cards = tables.buckets[first + street]
        bucket = np.stack([cards.on(tree.boards[k].cards) for k in boards])
        for p in (0, 1):
            held = np.zeros((len(boards), tree.columns(p)), np.int64)
            for row, (k, found) in enumerate(zip(boards, bucket, strict=True)):
                holes = tree.hands[p][k].holes
                held[row, : len(holes)] = found[holes]
            base = tree.base[boards, p]
            own = range(nodes.begin[street], nodes.begin[street + 1])
            for n in [n for n in own if nodes.kind[n] == DECISION and nodes.owner[n] == p]:
                played = shadow.played(tables, int(nodes.old[n])).astype(np.float32)
                for action in range(int(nodes.count[n])):
                    made[p][base + int(nodes.slot[n]) + action] = played[:, action][held]
    return made[0], made[1]


def completed(found: Strategy[PublicTree], rest: Tables, tree: PublicTree) -> Tables:
    """What was found with some of the hands, in the tables of a tree that has the rest as well."""
    small = found.tree
    for p, into in enumerate(rest):
        where = np.zeros(HOLES, np.int64)
        for k, board in enumerate(tree.boards):
            held, holes = small.hands[p][k].holes, tree.hands[p][k].holes
            where[holes] = np.arange(len(holes))
            first = int(tree.base[k, p])
            rows = slice(first, first + int(tree.nodes.width[board.street, p]))
            into[rows, where[held]] = found.tables[p][rows, : len(held)]
    return rest


def bucketed(
    shadow: Shadow, tables: BucketTables, form: BucketForm
) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """The same over buckets, of which the first street may have others: there it is even."""
    out = np.zeros(form.size, np.float32)
    for node in form.nodes.tolist():
        count, actions = int(form.counts[node]), int(form.actions[node])
        into = out[form.start[node] : form.start[node] + count * actions].reshape(count, actions)
        into[:] = 1 / actions
        if form.game.betting.street[node]:
            into[:] = shadow.played(tables, node)
    return out


def single_hands(board: tuple[int, ...]) -> Buckets:
    """A bucket for each hand on one board."""
    words = np.full(len(standard_words(len(board))[2]), NOWHERE, np.uint32)
    words[set_number(board)] = 0
    left = np.flatnonzero(holes_without(board))
    table = np.zeros((1, HOLES), np.uint16)
    table[0, left] = np.arange(len(left))
    return Buckets(
        len(board), len(left), table, words, np.arange(HOLES, dtype=np.uint16)[None], "all"
    )
