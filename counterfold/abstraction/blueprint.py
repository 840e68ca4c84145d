"""A blueprint: a strategy by sampled CFR over buckets, alone or in answer to an opponent."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterfold.abstraction.bucket_engine import BucketEngine
from counterfold.abstraction.bucket_form import BucketForm, game_print
from counterfold.abstraction.bucket_maker import buckets_for
from counterfold.abstraction.buckets import Buckets
from counterfold.errors import MismatchError, ParameterError
from counterfold.poker.game import PokerGame
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.methods import Method
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Until
from counterfold.strategy.strategy import Strategy
from counterfold.tree.form import Form


@dataclass(frozen=True, eq=False)
class Against:
    """A model of the opponent, whom the hero in a seat meets in a share p of its hands.

    In the others it meets one who plays as well as it can. The hero's average strategy becomes a
    restricted Nash response (Johanson, Zinkevich and Bowling, 2007) among those that see buckets.
    It is given to a ``Solver`` as its ``locks``.
    """

    model: Strategy[BucketForm]
    player: int
    p: float

    def __post_init__(self) -> None:
        if self.player not in range(self.model.players):
            raise ParameterError(
                f"the hero is a player from 0 to {self.model.players - 1}, not {self.player!r}"
            )
        if isinstance(self.p, bool) or not 0 <= self.p <= 1:
            raise ParameterError(f"p is {self.p!r}, and must be from 0 to 1")

    @property
    def fingerprint(self) -> str:
        """Tells models, seats and shares apart."""
        digest = hashlib.sha256(repr((self.player, float(self.p))).encode())
        digest.update(self.model.tables[0].tobytes())
        return digest.hexdigest()[:16]

    def on(self, form: Form) -> Conditions:
        """The arrays of this opponent; MismatchError unless the model is of the same form."""
        mine = self.model.tree
        if not isinstance(form, BucketForm):
            raise MismatchError(f"the blueprint is over buckets, and {form.spec} is here without")
        if game_print(mine.game) != game_print(form.game):
            raise MismatchError(
                f"the blueprint is of {mine.game.name}, and not of this {form.game.name}"
            )
        if mine.fingerprint != form.fingerprint:
            raise MismatchError("the blueprint was made with other buckets of cards than these")
        hero, share = np.array([self.player], np.int64), np.array([self.p], np.float64)
        return Conditions(({"model": self.model.tables[0], "hero": hero, "share": share},))


def engine_in(solver: Solver) -> BucketEngine:
    """The engine of a solver over buckets."""
    assert isinstance(solver.engine, BucketEngine)
    return solver.engine


def against_in(solver: Solver) -> Against | None:
    """The opponent whom a solver over buckets answers, if it does."""
    fields = {} if solver.conditions is None else solver.conditions.fields[0]
    if "model" not in fields:
        return None
    model: Strategy[BucketForm] = Strategy.of(engine_in(solver).form, fields["model"])
    return Against(model, int(fields["hero"][0]), float(fields["share"][0]))


def resume_blueprint(
    path: str | os.PathLike[str], form: BucketForm, against: Against | None = None
) -> Solver:
    """Go on from a checkpoint of this game with these buckets, and this opponent if there is one.

    ``Solver.resume`` goes on with whatever opponent the checkpoint has.
    """
    solver, _ = Solver.resume(path, form)
    answered = against_in(solver)
    known = None if answered is None else answered.fingerprint
    if known != (None if against is None else against.fingerprint):
        raise MismatchError(
            f"{path} answers another opponent, or another share of the hands, than this"
        )
    return solver


def blueprint(
    game: PokerGame,
    buckets: int | Sequence[Buckets] = 200,
    iterations: int = 10_000_000,
    seed: int = 0,
    *,
    method: str | Method = "linear",
    traversal: str = "external",
    threads: int = 1,
    against: Against | None = None,
) -> Strategy[BucketForm]:
    """A strategy by sampled CFR over buckets, as the paper on safe exploitation search has it.

    ``buckets`` is how many there are on each street after the flop (clustered with the same seed),
    or the buckets themselves.

    >>> from counterfold.abstraction.buckets import every_hand
    >>> from counterfold.poker.holdem import kuhn
    >>> made = blueprint(kuhn(), every_hand(kuhn()), 20_000)
    >>> made.at("Ks", "bet")["call"] > 0.99
    True
    """
    given = buckets_for(game, buckets, seed=seed) if isinstance(buckets, int) else buckets
    form = BucketForm(game, given)
    solver = Solver(form, method, traversal, seed=seed, threads=threads, locks=against)
    for _ in solver.run(Until(iterations=iterations)):
        pass
    return solver.strategy()
