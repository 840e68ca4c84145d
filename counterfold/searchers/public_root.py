"""The root of a search over all hands: how the opponent comes to its hands, part by part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterfold.arrays import Array, Floats
from counterfold.searchers.gadget import Part
from counterfold.searchers.public_entry import PublicEntry

KINDS = ("given", "choose", "refuse")
"""The kinds of parts by their numbers in kernels.public_search."""


class PublicRoot:
    """How the opponent comes to its hands: what it may choose, it learns.

    A root can be taken over from another search on the same board: parts of the same kind go on
    with its regrets.
    """

    def __init__(
        self, parts: Sequence[Part], entry: PublicEntry, before: PublicRoot | None = None
    ) -> None:
        from counterfold.kernels.public_search import Root

        self.parts = parts
        by_mass = np.divide(1.0, entry.mass, where=entry.live, out=np.zeros_like(entry.mass))
        even = entry.live / np.maximum(entry.live.sum(1, keepdims=True), 1)
        shape = (len(parts), *entry.mass.shape)
        weights, ranges = zip(*(_weighed(part) for part in parts), strict=True)
        self.arrays = Root(
            kind=np.array([KINDS.index(part.kind) for part in parts], np.int64),
            weight=np.array(weights, np.float64),
            shift=_stack([part.shift for part in parts]),
            range=_stack(ranges),
            live=entry.live.astype(np.float64),
            scale=by_mass,
            play=_stack(
                [even if p.kind == "choose" else r for p, r in zip(parts, ranges, strict=True)]
            ),
            total=np.zeros(shape),
            regret=np.zeros((len(parts), 2, *entry.mass.shape)),
            sum=np.zeros(1),
            spare=np.zeros(entry.mass.shape[1]),
        )
        if before is not None:
            self._go_on(before)

    def _go_on(self, before: PublicRoot) -> None:
        for k, part in enumerate(self.parts):
            for j, other in enumerate(before.parts):
                if part.kind == other.kind == "choose":
                    self.arrays.regret[k] = before.arrays.regret[j]
                    self.arrays.play[k] = before.arrays.play[j]

    def mix(self) -> Floats:
        """[lines, hands] how the opponent comes now, in all parts together, per deal."""
        found: Floats = np.einsum("p,plh->lh", self.arrays.weight, self.arrays.play)
        out: Floats = found * self.arrays.scale
        return out

    def average(self) -> Floats:
        """The same over all iterations."""
        root = self.arrays
        found: Floats = np.einsum("p,plh->lh", root.weight / root.sum[0], root.total)
        out: Floats = found * root.scale
        return out

    def marks(self) -> Floats:
        """[lines] what the marks of the hands that came add to the player's payoff."""
        root = self.arrays
        weight = root.weight / root.sum[0]
        found: Array = np.einsum("p,plh,plh->l", weight, root.total, root.shift)
        return found


def _weighed(part: Part) -> tuple[float, Floats]:
    """One weight for all lines, and the range: what differs by line is a matter of the range.

    Where the opponent is dealt a class, half the range is as good as half the weight.
    """
    weight = np.asarray(part.weight)
    if not weight.ndim:
        return float(weight), part.range
    most = float(weight.max())
    return most, part.range * (weight / most)[:, None]


def _stack(rows: Sequence[Floats]) -> Floats:
    return np.ascontiguousarray(np.stack(rows), np.float64)
