"""How much a best response over the same buckets would gain: an estimate, with its error."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_walks import room_for
from counterfold.abstraction.compiled import cards_of, lines_of
from counterfold.arrays import Floats
from counterfold.games.spec import whole
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public_arrays import aligned

if TYPE_CHECKING:
    from counterfold.kernels.poker_lines import Rule

PIECE = 20_000  # walks between two looks
PRIORS = (2.0, 30.0, 500.0)
"""Times the largest payoff: what has to be learned before a response leaves the strategy's own
play. In games with more infosets than walks noise would pass for it."""


class Gain(NamedTuple):
    """What a player would gain by leaving a strategy, and the standard error of that."""

    player: int
    gain: float
    error: float


def response_gains(
    strategy: Strategy[BucketForm],
    walks: int = 200_000,
    seed: int = 0,
    look: Callable[[], None] | None = None,
) -> tuple[Gain, ...]:
    """What each seat gains by a response that sees the same buckets, while the others stay.

    The response begins as the strategy itself, and learns on ``walks`` deals, more or less ready to
    leave it: the one that does best on as many deals is measured on as many others again. So the
    gain is right on average for that response, which is at most the best one, and what the best
    one gains is underestimated the more, the fewer the walks; it is nothing where none does better
    than the strategy. ``look`` is called now and then, and may end it by raising.

    >>> from counterfold.abstraction.buckets import every_hand
    >>> from counterfold.poker.holdem import kuhn
    >>> even = Strategy.uniform(BucketForm(kuhn(players=3), every_hand(kuhn(players=3))))
    >>> [gain.gain > 0.3 for gain in response_gains(even, 5_000)]
    [True, True, True]
    """
    whole("walks", walks, least=2)
    judge, gains = _Judge(strategy, seed), list[Gain]()
    for player in range(strategy.players):
        most, best = 0.0, 0.0
        for prior in PRIORS:
            judge.respond(player, prior, walks, look)
            if (gained := judge.gain(player, walks, look).gain) > most:
                most, best = gained, prior
            elif best:
                break
        if best and best != prior:
            judge.respond(player, best, walks, look)
        gains.append(judge.gain(player, walks, look) if best else Gain(player, 0.0, 0.0))
    return tuple(gains)


class _Judge:
    """The tables and streams of random numbers of an estimate."""

    def __init__(self, strategy: Strategy[BucketForm], seed: int) -> None:
        from counterfold.kernels import poker_sampling as kernels

        self._kernels, self.form = kernels, strategy.tree
        self._lines, self._nodes, size = lines_of(self.form, False)
        self._cards = cards_of(self.form.game, self.form.buckets)
        self._played, self._response = aligned((size,), np.float32), aligned((size,), np.float32)
        self._spread(strategy, self._played)
        streams = np.random.SeedSequence(seed).generate_state(2, np.uint64).astype(np.uint64)
        self._room = room_for(self.form, self._lines, streams)
        self._twin = self._room._replace(value=np.zeros_like(self._room.value))

    def _spread(self, strategy: Strategy[BucketForm], table: NDArray[np.float32]) -> None:
        from counterfold.kernels.poker_lines import spread

        counts = self.form.counts[self.form.nodes]
        spread(self._lines, self._nodes, counts, strategy.tables[0], table)

    def _rule(self) -> Rule:
        from counterfold.kernels.poker_lines import Rule

        one, nothing = np.float32(1), np.float32(0)
        return Rule(
            np.ones((1, 5)), 0, False, one, one, np.float32(-np.inf), nothing, nothing, False, None
        )

    def respond(
        self, player: int, prior: float, walks: int, look: Callable[[], None] | None
    ) -> None:
        """Learn a response of a player, who begins with the strategy itself."""
        model = self._kernels.Model(self._played, player, 1.0, True)
        np.multiply(self._played, prior * self.form.largest_payoff, out=self._response)
        for piece in _pieces(walks):
            if look:
                look()
            self._kernels.external(
                self._lines, self._cards, self._rule(), self._response, None, model, self._room,
                -(-piece // self.form.players), len(self.form.buckets),
            )  # fmt: skip

    def gain(self, player: int, walks: int, look: Callable[[], None] | None) -> Gain:
        """Measure the response on fresh deals."""
        model = self._kernels.Model(self._played, player, 1.0, True)
        won: list[Floats] = []
        for piece in _pieces(walks):
            if look:
                look()
            won.append(np.zeros(piece))
            self._kernels.gained(
                self._lines, self._cards, self._rule(), model, self._response,
                (self._room, self._twin), len(self.form.buckets), won[-1],
            )  # fmt: skip
        each = np.concatenate(won)
        return Gain(player, float(each.mean()), float(each.std() / math.sqrt(len(each))))


def _pieces(walks: int) -> list[int]:
    return [min(PIECE, walks - done) for done in range(0, walks, PIECE)]
