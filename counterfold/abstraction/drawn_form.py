"""Betting before the flop for three and more: a game over deals that were drawn once.

Players see the class of their hand (169 of them) and what was said. Where two are left, equities
are exact over all boards; where more are, over boards drawn for the deal.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.bucket_form import BucketForm, check_prints, game_print
from counterfold.abstraction.bucket_layout import BucketLayout
from counterfold.abstraction.buckets import starting_hands
from counterfold.abstraction.drawn_deals import (
    Drawn,
    Ends,
    deal_bytes,
    ends_of,
    lines_of,
    usual_deals,
)
from counterfold.errors import ParameterError
from counterfold.evaluate.assessment import Assessment, Evaluator
from counterfold.evaluate.exact import evaluator_of, measured_by
from counterfold.evaluate.sequence import workspace
from counterfold.files.arrays import Saved
from counterfold.games.spec import whole
from counterfold.poker.equities import OnBoards
from counterfold.poker.game import PokerGame
from counterfold.poker.isomorphism import hole_classes
from counterfold.poker.ranges import CELL
from counterfold.poker.view import CLASSES
from counterfold.solvers.settings import Defaults
from counterfold.solvers.until import Until
from counterfold.strategy.hands import saved_game
from counterfold.strategy.layout import Tables, lays_out
from counterfold.tree.history import Infosets
from counterfold.tree.sequence import SequenceForm, treeplex

TARGET = 1e-5
Z95 = 1.959964
FRESH = 1 << 40  # what a seed for deals that measure differs by from those that are solved on


class DrawnForm(BucketForm):
    """A table's betting before the flop over ``deals`` that a seed draws, with boards for each.

    >>> from counterfold.poker.table import jam_or_fold
    >>> form = DrawnForm(jam_or_fold(players=3).poker, deals=100)
    >>> form.infoset_count, form.deals, form.players
    (1014, 102, 3)
    """

    merged = False
    promise = (
        "Three and more: CFR has no guarantee here, but what each seat could gain by deviating is "
        "exact over the deals that were drawn, and little of it is an equilibrium of them."
    )

    def __init__(
        self, game: PokerGame, deals: int | None = None, boards: int | None = None, seed: int = 0,
        on_boards: OnBoards | None = None,
    ) -> None:  # fmt: skip
        if any((weights != weights[0]).any() for weights in game.ranges):
            raise ParameterError(f"{game.name}: tables before the flop begin with all hands")
        super().__init__(replace(game, betting=game.betting.checked_down()), (starting_hands(),))
        self._whole_game = game
        self.ends: Ends = ends_of(self.game)
        usual = usual_deals(self.game, self.ends)
        wanted = whole("deals", usual[0] if deals is None else deals, 1, 1 << 26)
        self.deals = -(-wanted // self.players) * self.players
        self.boards = whole("boards", usual[1] if boards is None else boards, 1, 1 << 10)
        self.seed = seed
        self._on_boards = on_boards

    @property
    def whole_game(self) -> PokerGame:
        return self._whole_game

    @property
    def defaults(self) -> Defaults:  # type: ignore[override]
        """To a hundredth of a thousandth of a big blind, or of all payouts."""
        unit = self.game.big_blind or sum(self.game.prizes) or self.largest_payoff
        until = Until(exploitability=TARGET * unit, iterations=1000, seconds=600)
        return Defaults("pdcfr+", "float64", until)

    @cached_property
    def drawn(self) -> Drawn:
        """The deals; drawn when they are first needed."""
        return self.draw(self.seed)

    def draw(self, seed: int) -> Drawn:
        """As many deals from another seed."""
        counts = self.deals, self.boards
        return Drawn(self.ends, self.players, *counts, seed, self._on_boards)

    def lines(self, drawn: Drawn) -> Any:
        """The betting for the kernel, with what the outcomes of some deals are worth."""
        return lines_of(self.game, drawn, self._moves)

    @property
    def nbytes(self) -> int:
        """About what the deals and the tables of a run take."""
        return self.deals * deal_bytes(self.players, self.ends, self.boards) + 100 * self.size

    def measured(self, tables: Tables) -> dict[str, Any]:
        """What is known of a strategy beside its certificate, which is of the deals it is for.

        ``errors`` are standard errors of the values, as if the strategy had not been found on the
        same deals. Fresh deals, as many, have ``fresh_values`` with ``fresh_errors``; ``off`` is
        how far the values may be off by these: the difference, and the 95% interval beside it.
        ``fresh_gains`` are what each seat's best response over the first deals gains in the fresh
        ones (below zero where it does not carry over).
        """
        own, other = evaluator_of(self), DrawnEvaluator(self, self.draw(self.seed + FRESH))
        assert isinstance(own, DrawnEvaluator)
        first, fresh = own.earned(tables), other.earned(tables)
        errors = self._errors(fresh)
        gains = [
            float((other.earned(own.best_response(tables, p)[1])[:, p] - fresh[:, p]).mean())
            for p in range(self.players)
        ]
        off = np.abs(first.mean(0) - fresh.mean(0)) + Z95 * np.array(errors)
        return {
            "deals": self.deals, "boards": self.boards, "seed": self.seed,
            "errors": self._errors(first), "off": tuple(off.tolist()),
            "fresh_values": tuple(fresh.mean(0).tolist()), "fresh_errors": errors,
            "fresh_gains": tuple(gains),
        }  # fmt: skip

    def _errors(self, earned: NDArray[np.float64]) -> tuple[float, ...]:
        """Standard errors of means, given that sets of hands go around the table."""
        rounds = earned.reshape(-1, self.players, self.players).mean(1)
        off = rounds.std(0, ddof=1) if len(rounds) > 1 else np.abs(rounds[0])
        return tuple((off / np.sqrt(len(rounds))).tolist())

    @cached_property
    def fingerprint(self) -> str:
        told = super().fingerprint, self.deals, self.boards, self.seed, self.game.prizes
        return hashlib.sha256(repr(told).encode()).hexdigest()[:16]

    @property
    def histories(self) -> int:
        """Nodes of the betting in all deals."""
        return self.deals * len(self.game.betting)

    @property
    def constant_sum(self) -> float | None:
        return 0.0 if self.game.betting.zero_sum else None

    @cached_property
    def largest_payoff(self) -> float:
        most = max(self.game.prizes, default=0.0)
        return most or float(abs(self.game.betting.payoff).max())

    @cached_property
    def infosets(self) -> Infosets:
        """All infosets by name: a class of hands and what was said."""
        plain, names = super().infosets, [CLASSES[CELL[hole]] for hole in hole_classes().hole]
        betting, labels = self.game.betting, list[str]()
        for node in self.nodes.tolist():
            line = ", ".join(betting.line(node))
            labels += [f"{name} | {line}" if line else name for name in names]
        return plain._replace(labels=tuple(labels))

    @cached_property
    def sequence_form(self) -> SequenceForm:
        """What each player remembers: classes of its hand with its own moves. It has no leaves."""
        betting, players = self.game.betting, self.players
        widths, slots = self.widths, np.cumsum(self.widths) - self.widths
        owner = np.repeat(betting.player[self.nodes], self.counts[self.nodes])
        # Sequences are numbered as slots are, after the empty ones.
        parent = np.repeat(betting.player[self.nodes].astype(np.int64), self.counts[self.nodes])
        begin = np.cumsum(self.counts) - self.counts
        for node in self.nodes.tolist():
            child, above = node, int(betting.parent[node])
            while above >= 0 and betting.player[above] != betting.player[node]:
                child, above = above, int(betting.parent[above])
            if above >= 0:
                many, action = int(self.actions[above]), child - int(betting.first[above])
                classes = np.arange(int(self.counts[node]))
                at = int(begin[node]) + classes
                parent[at] = players + int(self.start[above]) + classes * many + action
        return treeplex(self, owner, widths, parent, slots)

    @cached_property
    def _moves(self) -> NDArray[np.uint32]:
        """[nodes] the sequence of the move that leads to a node, by hands of class 0."""
        betting, form = self.game.betting, self.sequence_form
        of_slot = np.zeros(self.size, np.uint32)
        of_slot[form.slot[self.players :]] = np.arange(self.players, form.sequences)
        moves = np.zeros(len(betting), np.uint32)
        for node in self.nodes.tolist():
            for action, child in enumerate(betting.children(node)):
                moves[child] = of_slot[self.start[node] + action]
        return moves


class DrawnLayout(BucketLayout):
    """Probabilities by decision and class of hands."""

    name: ClassVar[str] = "drawn"
    form: DrawnForm

    def header(self) -> dict[str, str]:
        form = self.form
        told = {"deals": str(form.deals), "boards": str(form.boards), "seed": str(form.seed)}
        return {**super().header(), "betting": game_print(form.game), **told}

    def arrays(self, tables: Tables) -> dict[str, NDArray[Any]]:
        return {"probabilities": tables[0]}  # classes of hands are always the same

    @classmethod
    def read(cls, saved: Saved, form: BucketForm | None) -> tuple[DrawnLayout, Tables]:
        if form is None:
            deals, boards, seed = (_whole(saved, name) for name in ("deals", "boards", "seed"))
            form = DrawnForm(saved_game(saved), deals, boards, seed)
        assert isinstance(form, DrawnForm)
        check_prints(saved, form)
        return cls(form), (saved.array("probabilities", np.float32, (form.size,), least=0),)


def _whole(saved: Saved, name: str) -> int:
    text = saved.text(name)
    if not text.isdecimal() or len(text) > 18:
        raise saved.damaged(f"its {name} are no number")
    return int(text)


lays_out(DrawnForm, DrawnLayout)


class DrawnEvaluator(Evaluator):
    """Exact values and best responses over deals: those of the form, or others."""

    def __init__(self, form: DrawnForm, drawn: Drawn | None = None) -> None:
        self.form, self._drawn = form, drawn

    @cached_property
    def drawn(self) -> Drawn:
        return self._drawn or self.form.drawn

    @cached_property
    def lines(self) -> Any:
        return self.form.lines(self.drawn)

    def gradient(self, strategy: NDArray[np.float64], player: int, into: Any) -> None:
        """What a player's sequences earn, written to where they lie in ``into``."""
        from counterfold.kernels import drawn

        form, deals = self.form.sequence_form.form, self.drawn.arrays
        first, last = (int(form.start[form.groups[p]]) for p in (player, player + 1))
        into[player] = into[first:last] = 0
        room = np.zeros(len(self.lines.kind))
        drawn.gradient(self.lines, deals, player, strategy, room, into, 0, len(deals.hand))

    def _measure(self, tables: Tables) -> tuple[Assessment, NDArray[np.uint32]]:
        from counterfold.kernels import sequence

        form, players = self.form.sequence_form, self.form.players
        strategy = form.by_sequence(tables[0].astype(np.float64))
        reach, work = form.reach(strategy), workspace(form)
        for player in range(players):
            self.gradient(strategy, player, work.gradient)
        owner = np.append(np.arange(players), self._owners)
        values = np.bincount(owner, work.gradient * reach, players)
        best, choice = np.zeros(players), np.zeros(len(form.form.parent), np.uint32)
        sequence.hindsight(form.form, work, choice, best)
        units = self.form.units
        return Assessment(tuple(values.tolist()), tuple(best.tolist()), units), choice

    @cached_property
    def _owners(self) -> NDArray[np.int64]:
        """Whose each sequence after the empty ones is."""
        form = self.form.sequence_form.form
        starts = form.start[form.groups].astype(np.int64)
        return np.repeat(np.arange(self.form.players), np.diff(starts))

    def assess(self, tables: Tables) -> Assessment:
        return self._measure(tables)[0]

    def best_response(self, tables: Tables, player: int) -> tuple[float, Tables]:
        assessment, choice = self._measure(tables)
        pure = self.form.sequence_form.pure(choice, player)
        owner = np.repeat(self.form.infosets.owner, self.form.widths)
        answer = np.where(owner == player, pure, tables[0])
        return assessment.best[player], (answer,)

    def earned(self, tables: Tables) -> NDArray[np.float64]:
        """[deals, players] what everybody earns in each deal."""
        from counterfold.kernels import drawn

        strategy = self.form.sequence_form.by_sequence(tables[0].astype(np.float64))
        found = np.empty((len(self.drawn.arrays.hand), self.form.players))
        drawn.earnings(
            self.lines, self.drawn.arrays, strategy, np.zeros(len(self.lines.kind)), found
        )
        return found


measured_by(DrawnForm, DrawnEvaluator)
