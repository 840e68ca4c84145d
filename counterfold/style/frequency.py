"""How often a player does something, in words: ``bet@J``, ``raise@round1``, ``fold+call``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from counterfold.arrays import Bools, Floats, Ints
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.poker.game import PokerGame
from counterfold.solvers.lp import plans
from counterfold.strategy.infosets import slots_of
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.style.by_infoset import infosets_of, rounds
from counterfold.style.preferences import Place, names_action
from counterfold.tree.form import Form, InfosetForm
from counterfold.tree.history import HistoryTree, spans
from counterfold.tree.public import PublicTree
from counterfold.tree.sequence import sequence_form

_TEXT = re.compile(r"\s*(?:player\s*(\d+)\s*:)?([^@]*)(?:@(.*))?", re.DOTALL)
_ROUND = re.compile(r"round\s*(\d+)")
_HANDS = re.compile(r"([^\[\]]*)\[([^\[\]]+)\]\s*")
_SUITED = re.compile(r"[2-9TJQKA][cdhs]")


class Matches(NamedTuple):
    """Where a frequency looks in a compiled game."""

    infosets: Ints  # those that fit and offer at least one of the actions
    named: Bools  # [slots] the named actions at these infosets


@dataclass(frozen=True)
class Frequency:
    """The share of some actions among a player's decisions, wherever they are on offer.

    In words: one action or several joined by ``+``; before them ``playerN:`` (player 1 if
    left out); after them ``@`` and what the player sees. That is the name of an infoset, or
    else a pattern as in ``Strategy.rows`` (a part of the name, or a glob with ``*`` and ``?``),
    or ``roundN`` in a game that has rounds. In poker of all hands at once it may be a street by
    its name, and hands stand in brackets at the end: ``bet@flop``, ``raise@turn[JJ-22,AQ]``.

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
    def parse(cls, text: str, players: Sequence[str] = ()) -> Frequency:
        """A frequency from its words; ``players`` are names that may stand for ``playerN``.

        >>> str(Frequency.parse("player1:bet@J | check bet"))
        'bet@J | check bet'
        >>> str(Frequency.parse("ip: bet[JJ-22]", ("oop", "ip")))
        'player2:bet@[JJ-22]'
        """
        for number, name in enumerate(players, 1):
            text = re.sub(
                rf"\s*{re.escape(name)}\s*:", f"player{number}:", text, count=1, flags=re.I
            )
        parts = _TEXT.fullmatch(text)
        assert parts is not None  # the pattern fits any text
        player, names, where = parts.groups()
        if where is None and (hands := _HANDS.fullmatch(names)):
            names, where = hands[1], f"[{hands[2]}]"
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

    @classmethod
    def on(cls, form: Form, words: Frequency | str) -> Frequency:
        """A frequency of a compiled game, whose players may have names."""
        if isinstance(words, Frequency):
            return words
        return cls.parse(words, form.game.players if isinstance(form, PublicTree) else ())

    def __str__(self) -> str:
        who = f"player{self.player + 1}:" if self.player else ""
        return who + "+".join(self.actions) + (f"@{self.where}" if self.where else "")

    def names(self, action: str) -> bool:
        """Whether an action is one of those that count."""
        return any(names_action(name, action) for name in self.actions)

    def symmetric(self, game: PokerGame) -> bool:
        """Whether it treats hands alike that differ only in suits."""
        return not _SUITED.search(self.where)

    def place(self, form: Form) -> Place:
        """Where it looks: one name, else a street or a round, else a pattern; and which hands."""
        where, hands = self.where, None
        if isinstance(form, PublicTree):
            if parts := _HANDS.fullmatch(where):
                where, hands = parts[1].strip(), parts[2]
            if where in form.game.streets:
                return Place(self.player, hands=hands, street=where)
        elif isinstance(form, InfosetForm) and where in form.infosets.labels:
            return Place(self.player, seen=where)
        if number := _ROUND.fullmatch(where):
            return Place(self.player, round=int(number[1]), hands=hands)
        return Place(self.player, seen=where or None, hands=hands)

    def check(self, form: Form, offered: Iterable[str]) -> None:
        """Raise ParameterError unless the player ever has these actions."""
        if not 0 <= self.player < form.players:
            raise ParameterError(f"{form.spec} has no player {self.player + 1}")
        known = list(dict.fromkeys(offered))
        for name in self.actions:
            if not any(names_action(name, action) for action in known):
                raise ParameterError(
                    f"player {self.player + 1} never has the action {name!r} in {form.spec}; "
                    f"the actions are {_listed(known)}"
                )

    def nothing(self, form: Form, offered: Iterable[str]) -> ParameterError:
        """What to raise where none of the actions is on offer, only others."""
        return ParameterError(
            f"player {self.player + 1} cannot {' or '.join(self.actions)} at {self.where!r} "
            f"in {form.spec}; the actions there are {_listed(list(dict.fromkeys(offered)))}"
        )

    def matches(self, tree: HistoryTree) -> Matches:
        """The infosets and actions that this is about; ParameterError if there are none.

        >>> import counterfold as cf
        >>> tree = cf.compile_game(cf.Kuhn())
        >>> [tree.infosets.labels[i] for i in Frequency.parse("call").matches(tree).infosets]
        ['J | check bet', 'Q | check bet', 'K | check bet']
        """
        infosets = tree.infosets
        mine = np.flatnonzero(infosets.owner == self.player).tolist()
        self.check(tree, (action for i in mine for action in infosets.actions[i]))
        fitting = _fitting(tree, mine, self)
        matching = [i for i in fitting if any(map(self.names, infosets.actions[i]))]
        if not matching:
            raise self.nothing(tree, (a for i in fitting for a in infosets.actions[i]))
        named = np.zeros(infosets.slots, dtype=np.bool_)
        for i in matching:
            lo, hi = int(infosets.start[i]), int(infosets.start[i + 1])
            named[lo:hi] = [self.names(action) for action in infosets.actions[i]]
        return Matches(np.array(matching, dtype=np.int64), named)

    def of(self, strategy: AnyStrategy, against: AnyStrategy | None = None) -> float:
        """How often the player does it, when the others play ``against`` (or the same strategy).

        Each infoset counts as often as play gets there. At infosets where the player itself
        never goes, what it would do there counts, each infoset as often as the others and
        chance would let it come; where the others never go, they are taken to play every
        action equally often.

        >>> import counterfold as cf
        >>> Frequency.parse("player2:bet+call").of(cf.Strategy.uniform(cf.Kuhn()))
        0.5
        >>> from counterfold.poker.holdem import kuhn
        >>> round(Frequency.parse("player2:bet+call[K]").of(cf.Strategy.uniform(kuhn())), 3)
        0.5
        """
        tree = strategy.tree
        if against is not None:
            against.check_fits(tree)
        if isinstance(tree, PublicTree):
            from counterfold.style.visits import share_of

            return share_of(self, strategy, against or strategy)
        infosets, named = self.matches(tree)
        start = tree.infosets.start.astype(np.int64)
        chosen = np.where(named, strategy.probabilities, 0.0)
        shares = np.add.reduceat(chosen, start[:-1])[infosets]
        if len(infosets) == 1:
            return min(max(float(shares[0]), 0.0), 1.0)
        own = _others(tree, self.player, against or strategy, infosets)
        lo, hi = slots_of(tree.infosets, self.player)
        own[lo:hi] = strategy.probabilities[lo:hi]
        weights = visits_of(tree, own)[infosets]
        if not weights.sum() > 0:
            weights = self.weights(tree, against or strategy)
        return min(max(float(weights @ shares / weights.sum()), 0.0), 1.0)

    def weights(self, tree: HistoryTree, against: Strategy[HistoryTree]) -> Floats:
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
        self, tree: HistoryTree, against: Strategy[HistoryTree]
    ) -> tuple[Floats, Floats]:
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


def _listed(names: list[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "") if names else "none"


def _fitting(tree: HistoryTree, mine: list[int], frequency: Frequency) -> list[int]:
    """The player's infosets where a frequency looks, whatever the actions."""
    place, labels = frequency.place(tree), tree.infosets.labels
    fitting = list(infosets_of(place, tree))
    if fitting or not mine:
        return fitting
    if place.round is not None:
        numbers = sorted({rounds(tree)(labels[i]) for i in mine})
        hint = f"there are {', '.join(f'round{number}' for number in numbers)}"
    else:
        names = [labels[i] for i in mine]
        near = difflib.get_close_matches(frequency.where, names, n=3, cutoff=0.3) or names[:3]
        hint = f"near it: {', '.join(map(repr, near))}"
    raise ParameterError(
        f"nothing that the player sees in {tree.spec} fits {frequency.where!r}; {hint}"
    )


def _others(
    tree: HistoryTree, player: int, against: Strategy[HistoryTree], infosets: Ints
) -> Floats:
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


def visits_of(tree: HistoryTree, probabilities: Floats) -> Floats:
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
    forced: Ints,
    others: Floats,
    columns: Ints,
) -> Floats:
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
