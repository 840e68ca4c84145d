"""The tree of all ways to bet by some rules of money, and its size before it is built."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Ints
from counterfold.errors import ParameterError, TreeTooLargeError
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN, BettingTree
from counterfold.poker.money import Betting, State
from counterfold.poker.sizes import Size, Sizes

MOST_NODES = 4_000_000
_MOST_STATES = 300_000  # that differ, at one depth
_MOST_DEPTH = 20_000


class StreetCount(NamedTuple):
    """How large the betting of one street is, over all ways to come there."""

    lines: int  # ways to come to this street
    decisions: int
    actions: int  # at all of these decisions
    folds: int  # hands that end by a fold
    showdowns: int
    deals: int  # lines that go on to the next street

    @property
    def terminals(self) -> int:
        """Hands that end on this street."""
        return self.folds + self.showdowns

    @property
    def nodes(self) -> int:
        """Nodes of a ``BettingTree``."""
        return self.decisions + self.folds + self.showdowns + self.deals


_Moves = list[tuple[str, State]]


def count(betting: Betting, most: int | None = None) -> tuple[StreetCount, ...]:
    """The size of a betting tree, street by street, without building it.

    Equal states of one depth are counted together, so that it is quick for huge trees too. With
    more than ``most`` nodes it is refused as soon as they are there.

    >>> count(limit((1, 1), raises=(2, 4), cap=2))[1]
    StreetCount(lines=5, decisions=30, actions=70, folds=20, showdowns=25, deals=0)
    """
    return _count(betting, {}, most)


def _count(
    betting: Betting, known: dict[State, _Moves], most: int | None
) -> tuple[StreetCount, ...]:
    """The same, noting the moves of every state that there is."""
    kinds = [[0] * 4 for _ in range(betting.streets)]
    actions, lines = [0] * betting.streets, [1] + [0] * (betting.streets - 1)
    layer, depth, nodes = Counter([betting.root()]), 0, 0
    while layer:
        after: Counter[State] = Counter()
        nodes += layer.total()
        _check_size(nodes, len(layer), depth, most)
        for state, ways in layer.items():
            kinds[state.street][state.kind] += ways
            moves = known.get(state)
            if moves is None:
                moves = known[state] = betting.moves(state)
            if state.kind == DEAL:
                lines[state.street + 1] += ways
            else:
                actions[state.street] += ways * len(moves)
            for _, follower in moves:
                after[follower] += ways
        layer, depth = after, depth + 1
    return tuple(
        StreetCount(
            lines[s],
            kinds[s][DECISION],
            actions[s],
            kinds[s][FOLD],
            kinds[s][SHOWDOWN],
            kinds[s][DEAL],
        )
        for s in range(betting.streets)
    )


def _check_size(nodes: int, states: int, depth: int, most: int | None) -> None:
    if most is not None and nodes > most:
        size = f"{most:,} nodes"
    elif states > _MOST_STATES:
        size = f"{nodes:,} nodes"
    elif depth > _MOST_DEPTH:
        size = f"a line of {depth:,} actions"
    else:
        return
    raise TreeTooLargeError(
        f"the betting has over {size}; give fewer or larger sizes, or a cap of raises"
    )


def build(betting: Betting) -> BettingTree:
    """The tree of all ways to bet.

    Nodes of one state have the same moves, so the rules are asked once for each state.

    >>> tree = build(limit((1, 1), raises=(1,), cap=1))
    >>> [tree.label[child] for child in tree.children(0)]
    ['check', 'bet']
    """
    known: dict[State, _Moves] = {}
    _count(betting, known, MOST_NODES)
    number = {state: n for n, state in enumerate(known)}
    words = [label for moves in known.values() for label, _ in moves]
    follower = np.array([number[to] for moves in known.values() for _, to in moves], np.int64)
    width = np.array([len(moves) for moves in known.values()], np.int64)
    kinds = np.array([state.kind for state in known], np.uint8)
    shape = _expand(kinds, width, follower, number[betting.root()])
    streets = np.array([state.street for state in known], np.uint8)
    players = [state.player if state.kind in (DECISION, FOLD) else -1 for state in known]
    paid = np.array([state.before for state in known]) + [state.bets for state in known]
    ends = [state if state.kind in (FOLD, SHOWDOWN) else None for state in known]
    none = [[0.0] * 3] * betting.players
    payoff = np.array([betting.payoff(state) if state else none for state in ends])
    pots = [_contested(betting, state) if state else [] for state in ends]
    rivals = np.array([sum(1 << p for p in each) for here in pots for _, each in here], np.uint16)
    apart = np.array([len(here) for here in pots], np.int64)
    each = _ranges(np.cumsum(apart) - apart, apart, shape.state)
    return BettingTree(
        street=streets[shape.state],
        kind=kinds[shape.state],
        player=np.array(players, np.int8)[shape.state],
        parent=shape.parent,
        first=shape.first,
        count=shape.children,
        label=tuple([words[edge] if edge >= 0 else "" for edge in shape.edge.tolist()]),
        paid=paid[shape.state],
        payoff=payoff[shape.state],
        folded=np.array([state.folded for state in known], np.uint16)[shape.state],
        pot=np.concatenate([[0], np.cumsum(apart[shape.state])]).astype(np.uint32),
        chips=np.array([chips for here in pots for chips, _ in here], np.float64)[each],
        rivals=rivals[each],
    )


def _contested(betting: Betting, state: State) -> list[tuple[float, tuple[int, ...]]]:
    """The pots that more than one player can win."""
    return [(chips, players) for chips, players in betting.pots(state)[0] if len(players) > 1]


class _Shape(NamedTuple):
    """A tree over states: by node its state, its parent, its children and the edge to it."""

    state: Ints
    parent: NDArray[np.int32]
    first: NDArray[np.int32]
    children: NDArray[np.int32]
    edge: Ints  # as the moves of all states are counted, -1 at the root


def _ranges(begin: Ints, width: Ints, rows: Ints) -> Ints:
    """The numbers of all rows, one row after the other."""
    sizes = width[rows]
    ends = np.cumsum(sizes)
    found: Ints = np.repeat(begin[rows] - ends + sizes, sizes)
    return found + np.arange(len(found))


def _expand(kinds: NDArray[np.uint8], width: Ints, follower: Ints, root: int) -> _Shape:
    """The tree of all ways through a graph of states, street by street, level by level."""
    begin = np.cumsum(width) - width
    parts: list[tuple[Ints, ...]] = []  # states, edges and parents by level
    begun = np.array([root]), np.array([-1]), np.array([-1])
    done = 0
    while len(begun[0]):  # a street at a time
        deals: list[tuple[Ints, ...]] = []
        level = begun
        while len(level[0]):
            parts.append(level)
            states = level[0]
            for kind in (DEAL, DECISION):
                here = np.flatnonzero(kinds[states] == kind)
                edges = _ranges(begin, width, states[here])
                parents = np.repeat(here + done, width[states[here]])
                level = follower[edges], edges, parents
                if kind == DEAL:
                    deals.append(level)
            done += len(states)
        begun = tuple(np.concatenate(column) for column in zip(*deals, strict=True))  # type: ignore[assignment]
    state, edge, parent = (np.concatenate(column) for column in zip(*parts, strict=True))
    first, children = np.zeros(done, np.int32), np.bincount(parent[1:], minlength=done)
    parents, eldest = np.unique(parent[1:], return_index=True)
    first[parents] = eldest + 1
    return _Shape(state, parent.astype(np.int32), first, children.astype(np.int32), edge)


def limit(
    paid: Sequence[float],
    raises: Sequence[float],
    cap: int | None = None,
    *,
    first: Sequence[int] | None = None,
    stacks: Sequence[float] | None = None,
    posted: Sequence[float] = (),
    opened: int = 0,
) -> Betting:
    """Limit: bets and raises by one amount on each street, at most ``cap`` of them on each.

    ``posted=(1, 2), opened=1`` makes the payments blinds, the big one of which is the first bet.

    >>> tree = build(limit((1, 1), raises=(1,), cap=1))  # Kuhn poker
    >>> [tree.line(node) for node in range(len(tree)) if tree.kind[node] == FOLD]
    [('bet', 'fold'), ('check', 'bet', 'fold')]
    """
    sizes = []
    for amount in raises:
        if not 0 < amount < math.inf:
            raise ParameterError(f"the bets of a limit game are above zero, not {amount}")
        sizes.append(Sizes((Size("by", amount),), (Size("by", amount),)))
    if stacks is None:
        stacks = (math.inf,) * len(paid)
    if cap is None and math.inf in stacks:
        raise ParameterError("raises without a cap never end unless there are stacks; give either")
    return Betting(
        paid=tuple(map(float, paid)),
        stacks=tuple(stacks),
        posted=tuple(posted),
        opened=opened,
        sizes=(tuple(sizes),) * len(paid),
        first=(0,) * len(sizes) if first is None else tuple(first),
        caps=(cap,) * len(sizes),
        least=0.0,
        fixed=True,
    )
