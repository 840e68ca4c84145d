"""A few flops that stand for all 22,100, for reports that cannot solve each of them.

What is asked of a flop (an equity, a frequency, a value) is taken to be partly additive in what
can be seen of it, partly much the same on flops that are alike, and a little its own. The flops
are chosen one after another, each time the one that tells most about the mean over all; then the
weights are those with which the mean over the chosen ones comes nearest. (O'Hagan 1991 has the
weights, under the name of Bayes-Hermite quadrature; the choice is greedy.)
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Bools, Floats, Ints
from counterfold.errors import ParameterError
from counterfold.poker.isomorphism import Boards, standard_boards

TEXTURES = (
    "three suits",
    "two suits",
    "one suit",
    "pair, three suits",
    "pair, two suits",
    "three of a kind",
)
_STANDARD = 1_755  # flops that differ by more than the names of suits
_ALIKE = 1.4  # how far flops that are alike reach, where all differ by about 2.5
_OWN = 0.2  # the part of a quantity that a flop has to itself, where what is alike counts 1
_LEAST = 0.1  # the least weight, as a share of the mean one

Array = Floats


def representative_flops(n: int) -> Boards:
    """The ``n`` standard flops that together stand best for all, and for how many each stands.

    The same whenever it is asked, and nested: the flops for a smaller ``n`` are among those for a
    larger one, with other weights. All 1,755 stand for themselves.

    >>> few = representative_flops(25)
    >>> len(few.cards), int(few.weights.sum())
    (25, 22100)
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= _STANDARD:
        raise ParameterError(
            f"a number of flops is from 1 to {_STANDARD:,}, which is all that differ, not {n!r}"
        )
    flops = standard_boards(3)
    if n == _STANDARD:
        return flops
    together = _together()
    of_mean = together @ (flops.weights / flops.weights.sum())
    chosen = np.sort(_chosen(together, of_mean, int(n)))
    weights = _weighed(together[np.ix_(chosen, chosen)], of_mean[chosen])
    return Boards(flops.cards[chosen], _whole(weights * int(flops.weights.sum())))


def textures(flops: NDArray[np.uint8]) -> Ints:
    """The texture of each flop, as a number of ``TEXTURES``.

    >>> from counterfold.poker.cards import parse_board
    >>> flop = parse_board("Ks Kh 7s")
    >>> TEXTURES[textures(np.array([flop], np.uint8))[0]]
    'pair, two suits'
    """
    suits, ranks = np.sort(flops % 4, axis=1), np.sort(flops // 4, axis=1)
    alike = (suits[:, 1:] == suits[:, :-1]).sum(1)  # neighbours: 0, 1 or 2
    pairs = (ranks[:, 1:] == ranks[:, :-1]).sum(1)
    return np.where(pairs == 2, 5, np.where(pairs == 1, 3 + alike, alike)).astype(np.int64)


@lru_cache(1)
def _together() -> Array:
    """[flops, flops] how far two standard flops are taken to vary together (covariances)."""
    flops = standard_boards(3)
    chances = flops.weights / flops.weights.sum()
    ranks = np.sort(flops.cards // 4, axis=1)[:, ::-1].astype(np.int64)
    texture = np.eye(len(TEXTURES))[textures(flops.cards)]
    held = np.eye(13)[ranks].sum(1)
    highest = np.eye(13)[ranks[:, 0]]
    straights = _straights(held > 0)
    flushes = _flush_ranks(flops.cards)
    worth = _worth(flops.cards)

    def points(*parts: tuple[Array, float]) -> Array:
        """Columns side by side, each part about its mean and made to vary by so much in all."""
        found = []
        for columns, share in parts:
            apart = columns - chances @ columns
            found.append(apart * np.sqrt(share / float(chances @ (apart**2).sum(1))))
        return np.concatenate(found, 1)

    additive = points(
        (texture, 3.0), (held, 1.0), (highest, 0.3), (straights, 0.3), (flushes, 0.3), (worth, 0.5)
    )
    places = points(
        (texture, 1.0), (ranks.astype(float), 0.6), (straights, 0.4), (flushes, 0.2), (worth, 1.0)
    )
    length = (places**2).sum(1)
    apart = np.maximum(length[:, None] + length - 2 * places @ places.T, 0.0)
    alike = np.exp(-apart / (2 * _ALIKE**2))
    level = 100.0  # a quantity may be of any size: weights must add up to one
    together: Array = level + additive @ additive.T + alike + _OWN * np.eye(len(places))
    together.flags.writeable = False
    return together


def _straights(held: Bools) -> Array:
    """[flops, 2] how many pairs of ranks make a straight with a flop, or four cards of one."""
    runs = np.zeros((13, 10), np.float32)
    for run in range(10):  # the first is that of the ace below the deuce
        runs[[(run + k - 1) % 13 for k in range(5)], run] = 1
    high, low = np.tril_indices(13, -1)
    pairs = np.zeros((len(high), 13), np.bool_)
    pairs[np.arange(len(high)), high] = pairs[np.arange(len(high)), low] = True
    most = ((held[:, None] | pairs).astype(np.float32) @ runs).max(2)
    return np.stack([(most == 5).sum(1), (most == 4).sum(1)], 1).astype(np.float64)


def _flush_ranks(flops: NDArray[np.uint8]) -> Array:
    """[flops, 13] the ranks that lie in a suit of two or three cards, of which flushes come."""
    suits, ranks = flops % 4, flops // 4
    shared = (suits[:, :, None] == suits[:, None]).sum(2) > 1
    result: Array = (np.eye(13)[ranks] * shared[:, :, None]).sum(1)
    return result


def _worth(flops: NDArray[np.uint8]) -> Array:
    """[flops, 169] the share of hands that each class of starting hands beats on each flop."""
    from counterfold.poker.ranges import CELL
    from counterfold.poker.showdown import strengths

    found = np.zeros((len(flops), 169))
    for flop, values in enumerate(strengths(flops)):
        can = values > 0
        ordered = np.sort(values[can])
        below = np.searchsorted(ordered, values[can], "left")
        upto = np.searchsorted(ordered, values[can], "right")
        cells = CELL[can]
        total = np.bincount(cells, (below + upto) / (2 * len(ordered)), minlength=169)
        count = np.bincount(cells, minlength=169)
        found[flop] = np.where(count > 0, total / np.maximum(count, 1), 0.5)
    return found


def _chosen(together: Array, of_mean: Array, n: int) -> Ints:
    """The flops that tell most about the mean, each given those before it.

    ``left`` is what the mean and a flop still have in common once the chosen ones are known, and
    ``own`` what the flop still varies by: rows of a Cholesky factor are taken off, one a flop.
    """
    left, own = of_mean.copy(), np.diag(together).copy()
    known = np.empty((n, len(own)))
    free = np.ones(len(own), np.bool_)
    chosen = np.empty(n, np.int64)
    for k in range(n):
        flop = int(np.argmax(np.where(free, left**2 / own, -1.0)))
        # One thread: thousands of small products by several threads stall on a busy machine.
        told = np.einsum("k,kf->f", known[:k, flop], known[:k])
        row = (together[flop] - told) / np.sqrt(own[flop])
        left -= row * (left[flop] / np.sqrt(own[flop]))
        own = np.maximum(own - row**2, 1e-12)
        chosen[k], free[flop], known[k] = flop, False, row
    return chosen


def _weighed(together: Array, of_mean: Array) -> Array:
    """The weights of chosen flops that bring their mean nearest to that over all."""
    least = _LEAST / len(of_mean)
    free = np.ones(len(of_mean), np.bool_)
    found = np.full(len(of_mean), least)
    while free.any():
        rest = of_mean[free] - together[np.ix_(free, ~free)] @ found[~free]
        found[free] = np.linalg.solve(together[np.ix_(free, free)], rest)
        low = found < least
        if not low.any():
            break
        found[low] = least
        free &= ~low
    return np.asarray(found / found.sum())


def _whole(weights: Array) -> NDArray[np.uint32]:
    """Weights as whole numbers of at least one, with the same sum."""
    found = np.maximum(np.floor(weights), 1.0)
    short = round(float(weights.sum() - found.sum()))
    while short > 0:
        most = np.argsort(found - weights, kind="stable")[:short]
        found[most] += 1
        short -= len(most)
    while short < 0:
        found[int(np.argmax(np.where(found > 1, found - weights, -np.inf)))] -= 1
        short += 1
    return found.astype(np.uint32)
