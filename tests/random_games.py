"""Random small games: trees with chance, hidden information and any payoffs, from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from counterfold.games.base import CHANCE, TERMINAL, Game


@dataclass
class Node:
    """A place in a drawn game: who moves, where each move leads, and the payoffs at an end."""

    turn: int
    children: tuple[int, ...] = ()
    chances: tuple[float, ...] = ()
    payoff: tuple[float, ...] = ()
    infoset: str = ""


class DrawnGame(Game):
    """A game as a list of nodes; a state is a node's number and root is 0.

    Nodes may have several parents: every path to a node is a history of its own.
    """

    def __init__(self, players: int, nodes: list[Node], spec: str = "drawn") -> None:
        self.players, self.nodes, self.spec = players, nodes, spec

    def root(self) -> int:
        return 0

    def turn(self, state: int) -> int:
        return self.nodes[state].turn

    def chance(self, state: int) -> list[tuple[str, float]]:
        chances = self.nodes[state].chances
        return [(f"o{k}", p) for k, p in enumerate(chances)]

    def actions(self, state: int) -> tuple[str, ...]:
        return tuple("abcdef"[: len(self.nodes[state].children)])

    def next(self, state: int, action: Any) -> int:
        move = int(action[1:]) if action[0] == "o" else "abcdef".index(action)
        return self.nodes[state].children[move]

    def observe(self, state: int, player: int) -> str:
        return self.nodes[state].infoset

    def payoff(self, state: int) -> tuple[float, ...]:
        return self.nodes[state].payoff


class MergedGame(DrawnGame):
    """The same game compiled with one node for all histories that meet."""

    def merge(self, state: int) -> int:
        return state


def _payoff(rng: random.Random, players: int, zero_sum: bool) -> tuple[float, ...]:
    """Numbers that hardly ever tie: a regret of exactly zero turns strategies on rounding."""
    amounts = [rng.uniform(-3, 3) if rng.random() < 0.85 else 0.0 for _ in range(players)]
    if zero_sum and players > 1:
        amounts[-1] = -sum(amounts[:-1])
    return tuple(amounts)


def _chances(rng: random.Random, width: int) -> tuple[float, ...]:
    weights = [rng.randint(1, 5) for _ in range(width)]
    return tuple(w / sum(weights) for w in weights)


def random_game(
    seed: int,
    players: int = 2,
    depth: int = 4,
    *,
    zero_sum: bool = False,
    chance: bool = True,
    recall: bool = True,
    forced: bool = True,
) -> DrawnGame:
    """A tree of at most some 120 nodes.

    With ``recall`` nodes share an infoset only where their owner did and saw the same before;
    without it any two nodes of one player with as many actions may. ``forced`` allows infosets
    with one action. Some players may never move.
    """
    rng = random.Random(seed)
    nodes: list[Node] = []
    quiet = rng.randrange(players) if players > 1 and rng.random() < 0.15 else -1
    movers = [p for p in range(players) if p != quiet]
    known: list[tuple[tuple[Any, ...], str]] = []  # what nodes of an infoset share, its name

    def infoset(player: int, width: int, memory: tuple[Any, ...]) -> str:
        shared = (player, width, memory if recall else ())
        fitting = [name for other, name in known if other == shared]
        if fitting and rng.random() < 0.65:
            return rng.choice(fitting)
        known.append((shared, f"I{len(known)}"))
        return known[-1][1]

    def grow(left: int, memories: tuple[tuple[Any, ...], ...]) -> int:
        number = len(nodes)
        nodes.append(Node(TERMINAL))
        node = nodes[number]
        if left == 0 or len(nodes) > 60 or (number > 0 and rng.random() < 0.12):
            node.payoff = _payoff(rng, players, zero_sum)
            return number
        if chance and rng.random() < 0.3:
            width = rng.choice([1, 2, 2, 3])
            node.turn, node.chances = CHANCE, _chances(rng, width)
            node.children = tuple(grow(left - 1, memories) for _ in range(width))
            return number
        node.turn = rng.choice(movers)
        width = rng.choice([1, 2, 2, 2, 3] if forced else [2, 2, 3])
        node.infoset = infoset(node.turn, width, memories[node.turn])
        children = []
        for k in range(width):
            after = list(memories)
            after[node.turn] = (*memories[node.turn], (node.infoset, k))
            children.append(grow(left - 1, tuple(after)))
        node.children = tuple(children)
        return number

    grow(depth, ((),) * players)
    return DrawnGame(players, nodes, f"drawn({seed},{players},{depth})")


def meeting_game(
    seed: int, players: int = 2, layers: int = 4, width: int = 3, *, recall: bool = False
) -> tuple[DrawnGame, MergedGame]:
    """A game whose histories meet, without and with ``merge``.

    Moves lead from each layer to nodes of the next, so that several histories end in one node.
    Without ``recall`` players see only where they are, and forget how they came there; with it
    every player moves in one layer only (players take turns, chance fills the rest), so that
    there is nothing to forget.
    """
    rng = random.Random(seed)
    nodes = [Node(TERMINAL)]
    layer = [0]
    names = 0
    for depth in range(layers):
        below = [len(nodes) + k for k in range(width)]
        nodes.extend(Node(TERMINAL) for _ in below)
        open_names: list[tuple[int, int, str]] = []
        for number in layer:
            node, size = nodes[number], min(rng.choice([1, 2, 2, 3]), width)
            node.children = tuple(rng.sample(below, size))
            if recall:
                node.turn = depth if depth < players else CHANCE
            else:
                node.turn = rng.choice([CHANCE, *range(players)])
            if node.turn == CHANCE:
                node.chances = _chances(rng, size)
                continue
            fitting = [n for who, s, n in open_names if (who, s) == (node.turn, size)]
            if fitting and rng.random() < 0.4:
                node.infoset = rng.choice(fitting)
            else:
                node.infoset, names = f"I{names}", names + 1
                open_names.append((node.turn, size, node.infoset))
        layer = below
    for node in nodes:
        if node.turn == TERMINAL:
            node.payoff = _payoff(rng, players, zero_sum=seed % 2 == 0)
    spec = f"meeting({seed},{players},{layers})"
    return DrawnGame(players, nodes, spec), MergedGame(players, nodes, spec)


class WithoutTies(Game):
    """A game with a little noise on its payoffs.

    Regret matching jumps where regrets tie, so that rounding alone tells two right solvers
    apart on the plain game.
    """

    def __init__(self, game: Any, noise: float = 0.1) -> None:
        self.game, self.noise, self.players = game, noise, game.players
        self.spec = f"without_ties({game})"
        self.root, self.turn, self.chance = game.root, game.turn, game.chance
        self.actions, self.next, self.observe = game.actions, game.next, game.observe

    def payoff(self, state: Any) -> tuple[float, ...]:
        rng = random.Random(repr(state))
        return tuple(x + rng.uniform(-self.noise, self.noise) for x in self.game.payoff(state))


seeds = st.integers(0, 10**6)


@st.composite
def games(draw: Any, most_players: int = 4, depths: tuple[int, int] = (1, 5), **kind: Any) -> Any:
    """A random game; ``kind`` fixes what ``random_game`` would otherwise be given at random."""
    players = kind.pop("players", None) or draw(st.integers(1, most_players))
    zero_sum = kind.pop("zero_sum", None)
    return random_game(
        draw(seeds),
        players,
        draw(st.integers(*depths)),
        zero_sum=draw(st.booleans()) if zero_sum is None else zero_sum,
        **kind,
    )


@st.composite
def meeting_games(draw: Any, recall: bool = False) -> tuple[DrawnGame, MergedGame]:
    """A pair of one game without and with ``merge``."""
    return meeting_game(
        draw(seeds), draw(st.integers(1, 3)), draw(st.integers(2, 4)), draw(st.integers(2, 3)),
        recall=recall,
    )  # fmt: skip
