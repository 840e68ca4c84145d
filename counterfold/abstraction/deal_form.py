"""Two-player Cheat deal by deal: nothing is laid out, and infosets have a row once they are met."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.fallback import observations
from counterfold.abstraction.lifted import LiftedEvaluator
from counterfold.abstraction.maps import LastRounds, Mapped, RelativeCards
from counterfold.arrays import Array, Arrays, Ints
from counterfold.errors import MismatchError, ParameterError, UnsupportedError
from counterfold.evaluate.exact import measured_by
from counterfold.evaluate.sequence import SequenceEvaluator
from counterfold.files.arrays import Saved
from counterfold.games.base import Game, spec_of
from counterfold.games.cheat import Cheat
from counterfold.games.cheat_sights import PERFECT, Sight, read_round
from counterfold.poker.units import Units
from counterfold.solvers.settings import Defaults
from counterfold.solvers.until import Until
from counterfold.strategy.layout import FormLayout, Row, Tables, lays_out
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree, compile_game

if TYPE_CHECKING:
    from counterfold.kernels.cheat import Rules
    from counterfold.kernels.cheat_views import Index, View

ITERATIONS = 1000
"""Of a run whose length nobody says."""


class DealForm:
    """Cheat for two players with health points, seen by one of its views.

    ``game`` is a ``Cheat``, or one through the maps ``RelativeCards`` and ``LastRounds``. Moves
    that neither player makes are not followed, unless it is ``thorough``: all numbers stay the
    same, and infosets that only such moves lead to are met too.

    >>> import counterfold as cf
    >>> solver = cf.Solver(DealForm(Cheat(health=2, view="history")), "cfr", "chance")
    >>> solver.step(100)
    >>> solver.engine.infosets > 1000
    True
    >>> sorted(solver.strategy().at("A 2", "rank A", player=0))
    ['2', 'A', 'A 2']
    """

    players = 2
    largest_payoff = 1.0
    constant_sum = 0.0
    two_player_zero_sum = True
    units = Units()
    defaults = Defaults("cfr", "float64", Until(iterations=ITERATIONS))
    promise = (
        "Deal by deal: the average strategy nears an equilibrium where players remember all that "
        "they saw; exploitability is exact, over the infosets of the whole game."
    )

    def __init__(self, game: Game, thorough: bool = False) -> None:
        own = game.game if isinstance(game, Mapped) else game
        if not isinstance(own, Cheat):
            raise UnsupportedError(f"only Cheat is solved deal by deal, not {own}")
        self.game, self.thorough, self.rules = game, thorough, rules_of(own)
        if self.rules.players != 2:
            raise UnsupportedError("Cheat is solved deal by deal for two players only")
        if self.rules.health < 1:
            raise UnsupportedError(
                "Cheat without health points has no end, so a deal cannot be walked through; give "
                "it health points"
            )
        self.own = own
        maps = game.maps if isinstance(game, Mapped) else ()
        self.relative = any(isinstance(one, RelativeCards) for one in maps)
        if self.relative and own.view == PERFECT:
            raise UnsupportedError(
                "cards cannot be relative deal by deal where all that was ever seen is remembered"
            )
        if other := [one.name for one in maps if not isinstance(one, RelativeCards | LastRounds)]:
            raise UnsupportedError(
                f"Cheat is seen deal by deal through cards and rounds, and not {other[0]}"
            )

    @property
    def spec(self) -> str:
        return spec_of(self.game)

    def __repr__(self) -> str:
        return f"<DealForm {self.spec}>"

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(f"deals {self.spec}".encode()).hexdigest()[:16]

    @cached_property
    def whole(self) -> HistoryTree:
        """The game laid out; TreeTooLargeError where it does not fit."""
        return compile_game(self.game)

    @property
    def histories(self) -> int:
        """Of the game, if it was laid out to be measured; deals are only walked through."""
        return self.whole.histories if "whole" in vars(self) else 0

    @property
    def infoset_count(self) -> int:
        """The same; none are known before they are met."""
        return self.whole.infoset_count if "whole" in vars(self) else 0

    @property
    def infosets(self) -> NoReturn:
        raise UnsupportedError(
            "Cheat deal by deal has no list of infosets, which styles and locks are written for; "
            "solve it in history form, or leave them out"
        )

    def view(self, horizons: Sequence[int] | Ints) -> View:
        """What infosets tell apart, for compiled code.

        ``horizons`` are the health points of this game, and of a smaller one that it began from.
        """
        from counterfold.kernels import cheat_views

        view = self.own.view
        record = cheat_views.CLAIMS if view in ("history", "general") else cheat_views.NOTHING
        return cheat_views.View(
            health=view not in ("memoryless", "history"),
            horizon=int(horizons[0]),
            carried=int(horizons[1]) if len(horizons) > 1 else 0,
            record=cheat_views.EVERYTHING if view == PERFECT else record,
            window=self.own.rounds or 0,
            relative=self.relative,
        )

    def key(self, seen: Sight, player: int, horizon: int) -> np.uint64:
        """The number by which a table knows the infoset of a player who sees this."""
        from counterfold.kernels import cheat, cheat_views

        rules, view = self.rules, self.view([horizon])
        words, rank = seen.history.split(), self._rank(seen.rank.split()[-1:])
        asked = seen.claim.startswith("claim")
        discarder = 1 - player if asked else player
        past = cheat_views.Past(*np.zeros((2, len(words) + 1, 2), np.uint64))
        states = cheat.new_states(rules, 1)
        for turn, word in enumerate(words):
            back = len(words) - turn
            states[0, cheat.TURNS], states[0, cheat.DISCARDER] = turn, (discarder - back) % 2
            states[0, cheat.RANK] = (rank - back) % rules.ranks
            cheat_views.remember(rules, view, past, states, 0, self._round(word, states))
        states[0, cheat.PHASE] = cheat.ANSWER if asked else cheat.DISCARD
        states[0, cheat.MOVER], states[0, cheat.RANK] = player, rank
        states[0, cheat.CLAIM] = int(seen.claim.split()[1]) if asked else 0
        states[0, cheat.TURNS] = len(words)
        alone = seen.others == "last card" or seen.others.startswith("others 1 ")
        states[0, cheat.SIZE + 2 * (1 - player)] = 1 if alone else 2
        for n, points in enumerate(seen.health.split(":") if seen.health else ()):
            who = player if n == 0 else 1 - player
            states[0, cheat.HEALTH + 2 * who] = min(int(points), horizon)
        self._put(states, player, seen.hand.split())
        return np.uint64(cheat_views.key(rules, view, horizon, past, states, 0))

    def _rank(self, words: Sequence[str]) -> int:
        """The rank of a card, or the current one where it is not told apart."""
        return self.own.rank_index[words[0]] if words else 0

    def _put(self, states: NDArray[np.int16], owner: int, names: Sequence[str]) -> None:
        """Lay cards in the place of an owner's."""
        from counterfold.kernels import cheat

        first = cheat.cards(self.rules, owner, 0)
        states[0, first : first + self.rules.ranks] = 0
        for name in names:
            states[0, first + (int(name) if self.relative else self._rank([name]))] += 1

    def _round(self, word: str, states: NDArray[np.int16]) -> bool:
        """Lay out a round as a word of a history tells it; whether it was challenged."""
        from counterfold.kernels import cheat

        players = self.rules.players
        if self.own.view != PERFECT:
            states[0, cheat.CLAIM] = int(word.rstrip("!"))
            return word.endswith("!")
        told = read_round(word)
        current = self.own.rank_names[int(states[0, cheat.RANK])]
        laid = told.cards or (current,) * told.number
        states[0, cheat.CLAIM] = told.number
        self._put(states, players + 1, laid)
        taken = word.partition(">")[2].split("+") if ">" in word else list(laid)
        for card in laid:
            taken.remove(card)
        self._put(states, players, taken)
        return told.challenger is not None

    def sight(self, parts: Sequence[object]) -> Sight:
        """What is seen, from all of its parts or from those that are printed."""
        if len(parts) == len(Sight._fields):
            return Sight(*map(str, parts))
        found = dict.fromkeys(Sight._fields, "")
        for part in map(str, parts):
            kinds = [kind for kind, told in PARTS.items() if told.fullmatch(part)]
            free = "hand" if part is parts[0] else "history"
            found[kinds[0] if kinds else free] = part
        return Sight(**found)


PARTS = {
    "rank": re.compile(r"rank .+"),
    "claim": re.compile(r"(claim|laid) .+"),
    "others": re.compile(r"last card|others .+"),
    "health": re.compile(r"\d+:\d+"),
}
"""How the parts of a sight are told from a hand and a history."""


def rules_of(game: Cheat) -> Rules:
    """The numbers of a game of Cheat, for compiled code."""
    from counterfold.kernels.cheat import Rules

    return Rules(
        game.ranks, game.copies, game.players, game.hand or 0, game.health or 0, game.largest
    )


def longest(rules: Rules) -> int:
    """Turns that no game goes beyond: between two challenges every turn takes a card away."""
    cards = 2 * rules.hand if rules.hand else rules.ranks * rules.copies
    return int(cards * (2 * (rules.health - 1) + 2))


def index_of(keys: NDArray[np.uint64], start: NDArray[np.uint32], capacity: int = 2) -> Index:
    """A table that finds the row of each key."""
    from counterfold.kernels import cheat_views

    while capacity < 2 * len(keys):
        capacity *= 2
    place = np.zeros((capacity, 2), np.uint64)
    cheat_views.rehash(np.stack([keys, np.arange(len(keys), dtype=np.uint64)], axis=1), place)
    return cheat_views.Index(place, start, np.array([len(keys), start[len(keys)]], np.int64))


class DealLayout(FormLayout[DealForm]):
    """Weights of actions by infosets that were met, in proportion to which they are played.

    Four arrays: the key of each infoset, whose last bit is the player, where its actions begin, the
    weights, and ``DealForm.view``'s horizons. What was never met is played evenly.
    """

    name: ClassVar[str] = "deals"
    size: ClassVar[str] = "infosets that were met deal by deal"

    def check(self, tables: Sequence[Array]) -> Tables:
        keys, start, weights, horizons = tables
        sizes = np.diff(start.astype(np.int64))
        if (
            len(start) != len(keys) + 1
            or start[0]
            or (sizes < 1).any()
            or start[-1] != len(weights)
        ):
            raise ParameterError("the sizes of its tables do not fit each other")
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise ParameterError("a strategy's weights must be finite and not negative")
        if not 1 <= len(horizons) <= 2 or horizons[0] != self.form.rules.health:
            raise MismatchError(f"the strategy has other health points than {self.spec}")
        if len(np.unique(keys)) != len(keys) or (keys == 0).any():
            raise ParameterError("two of its infosets are one")
        return tuple(tables)

    def even(self) -> Tables:
        horizons = np.array([self.form.rules.health], np.int64)
        return np.zeros(0, np.uint64), np.zeros(1, np.uint32), np.zeros(0), horizons

    def random(self, random: np.random.Generator) -> NoReturn:
        raise UnsupportedError(f"the infosets of {self.spec} are not known before they are met")

    def combine(self, profile: Sequence[Tables]) -> Tables:
        if len(profile) == 1:
            return profile[0]
        if not np.array_equal(profile[0][3], profile[1][3]):
            raise MismatchError("the two strategies began from games with other health points")
        keys, sizes, weights = [], [], []
        for player, (known, start, given, _) in enumerate(profile):
            own = known & np.uint64(1) == player
            widths = start[1:].astype(np.int64) - start[:-1]
            keys.append(known[own])
            sizes.append(widths[own])
            weights.append(given[np.repeat(own, widths)])
        ends = np.cumsum(np.concatenate([[0], *sizes])).astype(np.uint32)
        return np.concatenate(keys), ends, np.concatenate(weights), profile[0][3]

    def at(self, tables: Tables, seen: tuple[object, ...], player: int | None) -> dict[str, float]:
        """Of a player who sees this; the parts of a ``Sight``, or those that are printed."""
        if player not in (0, 1):
            raise ParameterError(f"say who sees it in {self.spec}: player=0 or player=1")
        sight = self.form.sight(seen)
        names = self.actions(sight)
        shares = self.shares(tables, sight, player)
        return dict(zip(names, shares or [1 / len(names)] * len(names), strict=True))

    def actions(self, seen: Sight) -> tuple[str, ...]:
        """What can be done by one who sees this."""
        form, own = self.form, self.form.own
        if seen.claim:
            return "pass", "challenge"
        rank = form._rank(seen.rank.split()[-1:])
        hand = [0] * own.ranks
        for name in seen.hand.split():
            hand[int(name) if form.relative else own.rank_index[name]] += 1
        menu = own.deck.menu(tuple(hand), rank)
        if not form.relative:
            return menu
        turn = {name: str(n) for n, name in enumerate(own.rank_names)}
        return tuple(" ".join(turn[card] for card in name.split()) for name in menu)

    def shares(self, tables: Tables, seen: Sight, player: int) -> list[float] | None:
        """Probabilities of the actions of one who sees this; None where it was never met."""
        keys, start, weights, horizons = tables
        for horizon in horizons.tolist():
            rows = np.flatnonzero(keys == self.form.key(seen, player, horizon))
            if len(rows):
                given = weights[start[rows[0]] : start[rows[0] + 1]].astype(np.float64)
                total = given.sum()
                even = np.full(len(given), 1 / len(given))
                shares: list[float] = (given / total if total > 0 else even).tolist()
                return shares
        return None

    def rows(self, tables: Tables, pattern: str | None, player: int | None) -> Iterator[Row]:
        raise UnsupportedError(
            f"{self.spec} is kept deal by deal, with no list of infosets; ask for one with at(...)"
        )

    def header(self) -> dict[str, str]:
        return {"form": self.name}

    def arrays(self, tables: Tables) -> Arrays:
        return dict(zip(("keys", "start", "weights", "horizons"), tables, strict=True))

    @classmethod
    def read(cls, saved: Saved, form: DealForm | None) -> tuple[DealLayout, Tables]:
        """The layout and the tables of a file."""
        form = cls.form_in(saved, form, DealForm)
        dtype = saved.dtype("weights", (np.float64, np.float32))
        return cls(form), (
            saved.array("keys", np.uint64, (None,)),
            saved.array("start", np.uint32, (None,)),
            saved.array("weights", dtype, (None,), least=0),
            saved.array("horizons", np.int64, (None,), 1, 1 << 12),
        )


lays_out(DealForm, DealLayout)


def by_infosets(
    strategy: Strategy[DealForm], tree: HistoryTree | None = None
) -> Strategy[HistoryTree]:
    """A strategy deal by deal over the infosets of the whole game, where it can be laid out.

    ``tree`` is the game if it is laid out already.
    """
    form, layout = strategy.tree, DealLayout(strategy.tree)
    whole = form.whole if tree is None else tree
    if whole.spec != form.spec:
        raise MismatchError(f"the strategy is for {form.spec}, and the game is {whole.spec}")
    shares = list[float]()
    for place in observations(whole):
        width = len(place.actions)
        assert isinstance(place.seen, tuple)
        found = layout.shares(strategy.tables, form.sight(place.seen), place.player)
        shares += found or [1 / width] * width
    return Strategy.of(whole, np.array(shares), strategy.about)


class DealEvaluator(LiftedEvaluator):
    """Measures over the infosets of the whole game, where it can be laid out."""

    form: DealForm
    fully = "infoset by infoset, which a table of those that were met cannot"

    def measure(self) -> SequenceEvaluator:
        return SequenceEvaluator(self.form.whole)

    def lift(self, tables: Tables) -> Tables:
        return by_infosets(Strategy.of(self.form, tables)).tables


measured_by(DealForm, DealEvaluator)
