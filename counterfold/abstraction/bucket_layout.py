"""Strategies over betting tree x buckets: how they lie, how they are read, and hand by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.bucket_form import BucketForm, check_prints, game_print
from counterfold.abstraction.buckets import Buckets, bucket_arrays, buckets_in, streets_of
from counterfold.abstraction.lifted import LiftedEvaluator
from counterfold.arrays import Array, Arrays, Ints
from counterfold.errors import MismatchError, ParameterError, UnsupportedError
from counterfold.evaluate.assessment import Evaluator
from counterfold.evaluate.exact import measured_by
from counterfold.evaluate.public import PublicEvaluator
from counterfold.evaluate.sequence import SequenceEvaluator
from counterfold.evaluate.statistics import counted_by
from counterfold.files.arrays import Saved
from counterfold.files.text import Fields
from counterfold.poker.cards import check_distinct, parse_cards, parse_hole
from counterfold.poker.game import DECISION
from counterfold.poker.rules import PokerRules
from counterfold.poker.statistics import Statistics
from counterfold.strategy.hands import saved_game, source_of
from counterfold.strategy.layout import FormLayout, Row, Tables, fits, lays_out
from counterfold.strategy.strategy import Strategy
from counterfold.tree.find import find_place
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.public import PublicTree
from counterfold.tree.public_size import public_size

CLOSE = 1e-4  # to one, in 32 bits


@dataclass(frozen=True, eq=False)
class BucketTables:
    """What every bucket does at every decision."""

    form: BucketForm
    table: NDArray[np.float32]

    @classmethod
    def of(cls, strategy: Strategy[BucketForm]) -> BucketTables:
        """Those of a strategy."""
        if not isinstance(strategy.layout, BucketLayout):
            raise UnsupportedError(f"{strategy.spec} is not kept by buckets here")
        return cls(strategy.layout.form, strategy.tables[0])

    @property
    def buckets(self) -> tuple[Buckets, ...]:
        return self.form.buckets

    def rows(self, node: int) -> NDArray[np.float32]:
        """[buckets, actions] the strategy of a decision's owner."""
        form = self.form
        if not 0 <= node < len(form.start) or not form.actions[node]:
            raise ParameterError(
                f"nobody decides at node {node} of the betting of {form.game.name}"
            )
        start, count = form.start[node], form.counts[node]
        return self.table[start : start + count * form.actions[node]].reshape(count, -1)

    def expand(self, board: Iterable[int], node: int) -> NDArray[np.float32]:
        """[actions, hands] the strategy of every hand on a board; even where a hand meets it.

        ``board`` may have more cards than the street of the node knows: only the first count.
        """
        rows, game = self.rows(node), self.form.game
        cards = self.form.buckets[int(game.betting.street[node])]
        known = check_distinct(board)[: cards.cards]
        out = np.ascontiguousarray(rows[cards.on(known)].T)
        out[:, np.isin(game.rules.cards, known).any(axis=1)] = 1 / len(out)
        return out


class BucketLayout(FormLayout[BucketForm]):
    """Probabilities by decision and bucket, in the order of ``BucketForm``, in one array.

    A file has its buckets in it, and is so whole; ``by_hand`` makes a strategy for all hands of it.
    """

    name: ClassVar[str] = "buckets"

    @property
    def size(self) -> str:
        return f"{self.form.infoset_count:,} decisions with a bucket"

    def check(self, tables: Sequence[Array]) -> Tables:
        (given,) = tables
        if given.shape != (self.form.size,):
            raise MismatchError(
                f"the strategy's table does not fit {self.form.game.name} with these buckets: "
                f"{given.size:,} numbers where {self.form.size:,} are expected"
            )
        if not np.isfinite(given).all() or given.min() < 0:
            raise ParameterError("a strategy's probabilities must be finite and not negative")
        sums = np.add.reduceat(given, self._begins)
        if not np.allclose(sums, 1, atol=CLOSE):
            raise ParameterError("its probabilities do not sum to one")
        table = given.astype(np.float32)
        table.flags.writeable = False
        return (table,)

    @property
    def _begins(self) -> Ints:
        """Where each infoset begins."""
        begins: Ints = np.cumsum(self.form.widths) - self.form.widths
        return begins

    def even(self) -> Tables:
        widths = self.form.widths
        return (np.repeat(np.float32(1) / widths.astype(np.float32), widths),)

    def random(self, random: np.random.Generator) -> Tables:
        weights = random.exponential(size=self.form.size)
        sums = np.add.reduceat(weights, self._begins)
        return ((weights / np.repeat(sums, self.form.widths)).astype(np.float32),)

    def combine(self, profile: Sequence[Tables]) -> Tables:
        if len(profile) == 1:
            return profile[0]
        form = self.form
        owner = np.repeat(form.game.betting.player, form.counts * form.actions)
        return (np.choose(owner, [profile[p % len(profile)][0] for p in range(form.players)]),)

    def weighed(self, tables: Tables, weigh: Callable[[str], float]) -> Tables:
        form, betting, out = self.form, self.form.game.betting, tables[0].astype(np.float64)
        for node in form.nodes.tolist():
            own = out[form.start[node] :][: form.counts[node] * form.actions[node]]
            own.reshape(form.counts[node], -1)[:] *= [
                weigh(betting.label[child]) for child in betting.children(node)
            ]
        sums = np.add.reduceat(out, self._begins)
        return ((out / np.repeat(sums, form.widths)).astype(np.float32),)

    def at(self, tables: Tables, seen: tuple[object, ...], player: int | None) -> dict[str, float]:
        """Of a hand after a line ("AhKd", "check, [7h]"), or of a node of the betting and a bucket.

        Numbers of nodes and buckets are whole numbers, as ``BucketForm`` counts them.
        """
        if not 1 <= len(seen) <= 2:
            raise ParameterError(
                f"a place of {self.spec} is a hand and a line, or a node and a bucket"
            )
        if len(seen) == 2 and isinstance(seen[0], int) and isinstance(seen[1], int | np.integer):
            node, bucket = seen[0], int(seen[1])
        else:
            node, bucket = self.place(str(seen[0]), str(seen[1]) if len(seen) > 1 else "")
        rows, betting = BucketTables(self.form, tables[0]).rows(node), self.form.game.betting
        if player not in (None, int(betting.player[node])):
            raise ParameterError(f"player {player} does not decide there in {self.spec}")
        if not 0 <= bucket < len(rows):
            raise ParameterError(f"there is no bucket {bucket}; there are {len(rows)} at this node")
        labels = [betting.label[child] for child in betting.children(node)]
        return dict(zip(labels, rows[bucket].tolist(), strict=True))

    def place(self, hand: str, line: str) -> tuple[int, int]:
        """The node and the bucket of a hand after a line."""
        game, place = self.form.game, find_place(self.form, line)
        if game.betting.kind[place.node] != DECISION:
            raise ParameterError(f"nobody decides after {line or 'nothing'!r} in {self.spec}")
        held = parse_cards(hand)
        left = set(game.rules.deck) - set(place.cards)
        if len(held) != game.rules.hole or not set(held) <= left:
            raise ParameterError(f"nobody holds {hand} there in {self.spec}")
        hole = parse_hole(hand) if game.rules.hole == 2 else held[0]
        cards = self.form.buckets[int(game.betting.street[place.node])]
        return place.node, cards.bucket_of(hole, place.cards)

    def rows(self, tables: Tables, pattern: str | None, player: int | None) -> Iterator[Row]:
        infosets, table = self.form.infosets, tables[0]
        for i, name in enumerate(infosets.labels):
            owner = int(infosets.owner[i])
            if player not in (None, owner) or (pattern is not None and not fits(name, pattern)):
                continue
            numbers = table[infosets.start[i] : infosets.start[i + 1]].tolist()
            yield Row(owner, name, dict(zip(infosets.actions[i], numbers, strict=True)))

    def header(self) -> dict[str, str]:
        game, buckets = self.form.game, self.form.buckets
        known = {"spot", "game", "table"} & set(game.about)  # or it was made by hand
        return {
            "form": self.name,
            "betting": game_print(game),
            "buckets": json.dumps([one.fingerprint for one in buckets]),
            "streets": streets_of(buckets),
            **({"rules": json.dumps(source_of(game))} if known else {}),
        }

    def arrays(self, tables: Tables) -> Arrays:
        kept = bucket_arrays(self.form.buckets, self.form.game)
        return {"probabilities": tables[0], **{f"buckets.{name}": kept[name] for name in kept}}

    @classmethod
    def read(cls, saved: Saved, form: BucketForm | None) -> tuple[BucketLayout, Tables]:
        """The layout and the tables of a file; of this game and these buckets, if given."""
        kept = saved.part("buckets.")
        if form is None:
            if "streets" not in saved.header or "rules" not in saved.header:
                raise MismatchError(
                    f"{saved.path} does not have the buckets or the game that it was made with: "
                    "give both, as a BucketForm"
                )
            buckets = buckets_in(kept)
            prints = Fields({"prints": saved.json("buckets")}, str(saved.path)).texts("prints")
            if len(prints) != len(buckets):
                raise saved.damaged("it does not say which its buckets are")
            for one, fingerprint in zip(buckets, prints, strict=True):
                vars(one)["fingerprint"] = fingerprint  # of all boards, not of those in the file
            form = BucketForm(saved_game(saved), buckets)
        check_prints(saved, form)
        return cls(form), (saved.array("probabilities", np.float32, (form.size,), least=0),)


lays_out(BucketForm, BucketLayout)


def by_hand(
    strategy: Strategy[BucketForm],
    tree: PublicTree | None = None,
    look: Callable[[float], None] | None = None,
) -> Strategy[PublicTree]:
    """A strategy over buckets hand by hand on the game's public tree, for values and search.

    Without a ``tree`` it is built; TreeTooLargeError where it does not fit. ``look`` is told after
    each board which share is done, and may end it by raising.

    >>> from counterfold.abstraction.buckets import every_hand
    >>> from counterfold.poker.holdem import kuhn
    >>> coarse = Strategy.uniform(BucketForm(kuhn(), every_hand(kuhn())))
    >>> by_hand(coarse, PublicTree(kuhn(), symmetry=False)).at("Ks", "bet")
    {'fold': 0.5, 'call': 0.5}
    """
    tables = BucketTables.of(strategy)
    form = tables.form
    if tree is None:
        tree = BucketEvaluator(form).tree
    if tree.game is not form.game and game_print(tree.game) != game_print(form.game):
        raise MismatchError(f"the tree is not of the game of this strategy, {form.game.name}")
    alike = tree.symmetry and any(len(board.renamings) > 1 for board in tree.boards)
    if alike and form.tells_suits:
        raise MismatchError(
            "the tree takes suits as equal, and the buckets of this strategy tell them apart; "
            "make the tree without symmetry"
        )
    made = Strategy.uniform(tree)
    for number, board in enumerate(tree.boards):
        bucket = form.buckets[board.street].on(board.cards)
        for node in made.hands.decisions(number):
            made.hands.put(node, number, tables.rows(node)[bucket].T)
        if look:
            look((number + 1) / len(tree.boards))
    return made.with_about(**strategy.about)


class BucketEvaluator(LiftedEvaluator):
    """Measures strategies over buckets hand by hand, in the game without them, where it fits."""

    form: BucketForm
    fully = "hand by hand, which buckets cannot"

    @cached_property
    def tree(self) -> PublicTree:
        """The public tree of the game; TreeTooLargeError where it does not fit."""
        game, alike = self.form.game, not self.form.tells_suits
        public_size(game, symmetry=alike, predictive=False, bits=32, dtype="float32").check()
        return PublicTree(game, symmetry=alike)

    @cached_property
    def histories(self) -> HistoryTree:
        """The history tree of a game of more than two; TreeTooLargeError where it does not fit."""
        return compile_game(PokerRules(self.form.game))

    def measure(self) -> Evaluator:
        if self.form.players > 2:
            return SequenceEvaluator(self.histories)
        return PublicEvaluator(self.tree)

    @cached_property
    def slots(self) -> Ints:
        """Where the numbers of the history tree's infosets lie."""
        form, layout = self.form, BucketLayout(self.form)
        given, found = 1 if form.game.board else 0, list[Ints]()
        for name in self.histories.infosets.labels:
            hand, *seen = name.split(" | ")  # a board, unless there is none, and a line
            node, bucket = layout.place(hand, seen[-1] if len(seen) > given else "")
            width = int(form.actions[node])
            found.append(form.start[node] + bucket * width + np.arange(width))
        return np.concatenate(found)

    def lift(self, tables: Tables) -> Tables:
        if self.form.players > 2:
            return (tables[0][self.slots].astype(np.float64),)
        return by_hand(Strategy.of(self.form, tables), self.tree).tables


measured_by(BucketForm, BucketEvaluator)


def _statistics(strategy: Strategy[BucketForm], boards: int | None, seed: int) -> Statistics:
    from counterfold.abstraction.bucket_statistics import bucket_statistics

    return bucket_statistics(strategy, boards, seed)


counted_by(BucketForm, _statistics)
