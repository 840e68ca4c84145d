"""How often a player does something, in words: ``bet@J``, ``raise@round1``, ``fold+call``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import ParameterError, UnsupportedError
from counterfold.solvers.lp import plans
from counterfold.strategy.infosets import slots_of
from counterfold.strategy.layout import fits
from counterfold.strategy.strategy import Strategy
from counterfold.style.by_infoset import rounds
from counterfold.tree.history import HistoryTree, spans
from counterfold.tree.sequence import sequence_form

__all__ = ["Frequency", "Matches", "visits_of"]

_TEXT = re.compile(r"\s*(?:player\s*(\d+)\s*:)?([^@]*)(?:@(.*))?", re.DOTALL)
_ROUND = re.compile(r"round\s*(\d+)")


class Matches(NamedTuple):
    """Where a frequency looks in a compiled game."""

    infosets: NDArray[np.int64]  # those that fit and offer at least one of the actions
    named: NDArray[np.bool_]  # [slots] the named actions at these infosets


@dataclass(frozen=True)
class Frequency:
    """The share of some actions among a player's decisions, wherever they are on offer.

    In words: one action or several joined by ``+``; before them ``playerN:`` (player 1 if
    left out); after them ``@`` and what the player sees. That is the name of an infoset, or
    else a pattern as in ``Strategy.rows`` (a part of the name, or a glob with ``*`` and ``?``),
    or ``roundN`` in a game that has rounds.

    >>> import counterfold as cf
    >>> Frequency.parse("player2: fold+call @ K*")
    Frequency(actions=('fold', 'call'), where='K*', player=1)
    >>> Frequency.parse("bet@J").of(cf.Strategy.uniform(cf.Kuhn()))
    0.5
    """

    actions: tuple[str, ...]
    where: str = ""
    player: int = 0

    @classmethod
    def parse(cls, text: str) -> Frequency:
        """A frequency from its words.

        >>> str(Frequency.parse("player1:bet@J | check bet"))
        'bet@J | check bet'
        """
        parts = _TEXT.fullmatch(text)
        assert parts is not None  # the pattern fits any text
        player, names, where = parts.groups()
        actions = tuple(name.strip() for name in names.split("+"))
        wrong = "there is no player 0" if player is not None and not int(player) else ""
        if not all(actions):
            wrong = "an action is missing"
        if where is not None and not where.strip():
            wrong = "nothing follows the @"
        if wrong:
            raise ParameterError(
                f"{text!r} is not a frequency ({wrong}); write it as in bet@J, raise@round1, "
                "fold+call or player2:call@K*"
            )
        return cls(actions, (where or "").strip(), int(player) - 1 if player else 0)

    def __str__(self) -> str:
        who = f"player{self.player + 1}:" if self.player else ""
        return who + "+".join(self.actions) + (f"@{self.where}" if self.where else "")

    def matches(self, tree: HistoryTree) -> Matches:
        """The infosets and actions that this is about; ParameterError if there are none.

        >>> import counterfold as cf
        >>> tree = cf.compile_game(cf.Kuhn())
        >>> [tree.infosets.labels[i] for i in Frequency.parse("call").matches(tree).infosets]
        ['J | check bet', 'Q | check bet', 'K | check bet']
        """
        if not 0 <= self.player < tree.players:
            raise ParameterError(f"{tree.spec} has no player {self.player + 1}")
        infosets = tree.infosets
        mine = np.flatnonzero(infosets.owner == self.player).tolist()
        offered = _offered(tree, mine)
        for action in self.actions:
            if action not in offered:
                raise ParameterError(
                    f"player {self.player + 1} never has the action {action!r} in {tree.spec}; "
                    f"the actions are {_listed(offered)}"
                )
        fitting = _fitting(tree, mine, self.where)
        matching = [i for i in fitting if not set(self.actions).isdisjoint(infosets.actions[i])]
        if not matching:
            raise ParameterError(
                f"player {self.player + 1} cannot {' or '.join(self.actions)} at {self.where!r} "
                f"in {tree.spec}; the actions there are {_listed(_offered(tree, fitting))}"
            )
        named = np.zeros(infosets.slots, dtype=np.bool_)
        for i in matching:
            lo, hi = int(infosets.start[i]), int(infosets.start[i + 1])
            named[lo:hi] = [action in self.actions for action in infosets.actions[i]]
        return Matches(np.array(matching, dtype=np.int64), named)

    def of(self, strategy: Strategy, against: Strategy | None = None) -> float:
        """How often the player does it, when the others play ``against`` (or the same strategy).

        Each infoset counts as often as play gets there. At infosets where the player itself
        never goes, what it would do there counts, each infoset as often as the others and
        chance would let it come; where the others never go, they are taken to play every
        action equally often.

        >>> import counterfold as cf
        >>> Frequency.parse("player2:bet+call").of(cf.Strategy.uniform(cf.Kuhn()))
        0.5
        """
        tree = strategy.tree
        infosets, named = self.matches(tree)
        start = tree.infosets.start.astype(np.int64)
        chosen = np.where(named, strategy.probabilities, 0.0)
        shares = np.add.reduceat(chosen, start[:-1])[infosets]
        if len(infosets) == 1:
            return min(max(float(shares[0]), 0.0), 1.0)
        if against is not None:
            against.check_fits(tree)
        own = _others(tree, self.player, against or strategy, infosets)
        lo, hi = slots_of(tree.infosets, self.player)
        own[lo:hi] = strategy.probabilities[lo:hi]
        weights = visits_of(tree, own)[infosets]
        if not weights.sum() > 0:
            weights = self.weights(tree, against or strategy)
        return min(max(float(weights @ shares / weights.sum()), 0.0), 1.0)

    def weights(self, tree: HistoryTree, against: Strategy) -> NDArray[np.float64]:
        """How often the others and chance let the player come to each of the infosets.

        >>> import counterfold as cf
        >>> tree = cf.compile_game(cf.Kuhn())
        >>> Frequency.parse("call").weights(tree, cf.Strategy.uniform(tree)).round(4).tolist()
        [0.1667, 0.1667, 0.1667]
        """
        infosets = self.matches(tree).infosets
        weights = visits_of(tree, _others(tree, self.player, against, infosets))[infosets]
        # All zero where chance itself never goes.
        return weights if weights.sum() > 0 else np.ones(len(infosets))

    def coefficients(
        self, tree: HistoryTree, against: Strategy
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Two vectors over the columns of ``plans(form, player)``: numerator and denominator.

        The frequency of a realisation plan x is ``numerator @ x / denominator @ x``, wherever
        the plan goes to one of the infosets at all.

        >>> import counterfold as cf
        >>> tree = cf.compile_game(cf.Kuhn())
        >>> top, bottom = Frequency.parse("bet").coefficients(tree, cf.Strategy.uniform(tree))
        >>> top.round(2).tolist()
        [0.0, 0.0, 0.0, 0.0, 0.33, 0.33, 0.33, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
        >>> float(bottom[0]), float(bottom[1:].sum())
        (1.0, 0.0)
        """
        form = sequence_form(tree)
        if not form.perfect_recall:
            raise UnsupportedError(
                f"{tree.spec} has imperfect recall, so its players have no realisation plans"
            )
        against.check_fits(tree)
        infosets, named = self.matches(tree)
        mine = plans(form, self.player)
        columns = np.zeros(tree.infosets.slots, dtype=np.int64)
        columns[form.slot[mine.sequences[1:]]] = np.arange(1, len(mine.sequences))
        numerator, denominator = np.zeros((2, len(mine.sequences)))
        sizes, start = tree.infosets.sizes, tree.infosets.start.astype(np.int64)
        forced = infosets[sizes[infosets] == 1]
        if len(infosets) == 1:  # the weight of a single infoset cancels out
            weights = np.ones(1)
            if len(forced):
                numerator[0] = denominator[0] = 1.0
        else:
            weights = self.weights(tree, against)
            if len(forced):
                others = _others(tree, self.player, against, infosets)
                always = _arrivals(tree, self.player, forced, others, columns)
                numerator += always
                denominator += always
        for i, weight in zip(infosets, weights, strict=True):
            if sizes[i] > 1:
                slots = np.arange(start[i], start[i + 1])
                denominator[mine.parent[mine.owner[columns[slots[0]]] - 1]] += weight
                numerator[columns[slots[named[slots]]]] += weight
        return numerator, denominator


def _offered(tree: HistoryTree, rows: Iterable[int]) -> list[str]:
    return list(dict.fromkeys(name for i in rows for name in tree.infosets.actions[i]))


def _listed(names: list[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "") if names else "none"


def _fitting(tree: HistoryTree, rows: list[int], where: str) -> list[int]:
    """The rows that ``where`` means: one name, else a round, else a pattern."""
    labels = tree.infosets.labels
    exact = [i for i in rows if labels[i] == where]
    if exact or not where:
        return exact or rows
    if (number := _ROUND.fullmatch(where)) is not None:
        round_of = rounds(tree)
        places = [round_of(labels[i]) for i in rows]
        matching = [i for i, place in zip(rows, places, strict=True) if place == int(number[1])]
        known = ", ".join(f"round{n}" for n in sorted(set(places)))
        hint = f"; there are {known}"
    else:
        matching = [i for i in rows if fits(labels[i], where)]
        names = [labels[i] for i in rows]
        near = difflib.get_close_matches(where, names, n=3, cutoff=0.3) or names[:3]
        hint = f"; near it: {', '.join(map(repr, near))}"
    if not matching:
        raise ParameterError(f"nothing that the player sees in {tree.spec} fits {where!r}{hint}")
    return matching


def _others(
    tree: HistoryTree, player: int, against: Strategy, infosets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Probabilities over slots: 1 for the player's own, and the others' from ``against``.

    The others' are even if ``against`` never comes to any of the infosets.
    """
    lo, hi = slots_of(tree.infosets, player)
    for probabilities in (against.probabilities, tree.infosets.evenly()):
        others = probabilities.copy()
        others[lo:hi] = 1.0
        if visits_of(tree, others)[infosets].sum() > 0:
            break
    return others


def visits_of(tree: HistoryTree, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often play comes to each infoset."""
    reach = np.zeros(tree.histories)
    reach[0] = 1.0
    first, child = tree.first.astype(np.int64), tree.child
    widths, source = np.diff(first), tree.source
    along = tree.played(tree.turn >= 0, probabilities)
    # Layer by layer, each node once all of its parents are done.
    waiting = np.bincount(child, minlength=tree.histories)
    layer = np.zeros(1, dtype=np.int64)
    while len(layer):
        edges = spans(first[layer], widths[layer])
        below = child[edges]
        np.add.at(reach, below, reach[source[edges]] * along[edges])
        np.subtract.at(waiting, below, 1)
        layer = np.unique(below[waiting[below] == 0]).astype(np.int64)
    out = np.zeros(len(tree.infosets.owner))
    decides = tree.turn >= 0
    np.add.at(out, tree.infoset[decides], reach[decides])
    return out


def _arrivals(
    tree: HistoryTree,
    player: int,
    forced: NDArray[np.int64],
    others: NDArray[np.float64],
    columns: NDArray[np.int64],
) -> NDArray[np.float64]:
    """With which own sequences, and how often by the others, play comes to forced moves.

    Such an infoset has no sequence of its own, and play may come to it with several.
    """
    out = np.zeros(int(columns.max(initial=0)) + 1)
    wanted = set(forced.tolist())
    start, sizes = tree.infosets.start.tolist(), tree.infosets.sizes.tolist()
    reached: list[dict[int, float]] = [{} for _ in range(tree.histories)]
    reached[0][0] = 1.0
    for v, who in enumerate(tree.turn.tolist()):
        lo, i = int(tree.first[v]), int(tree.infoset[v])
        for memory, weight in reached[v].items():
            if i in wanted:
                out[memory] += weight
            for e in range(lo, int(tree.first[v + 1])):
                after, along = memory, float(tree.prob[e])
                if who == player and sizes[i] > 1:
                    after = int(columns[start[i] + e - lo])
                elif who >= 0:
                    along = float(others[start[i] + e - lo])
                below = reached[int(tree.child[e])]
                below[after] = below.get(after, 0.0) + weight * along
        reached[v] = {}
    return out
