"""The root of a search over all hands: how the opponent comes to its hands, part by part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterfold.search.gadget import Part
from counterfold.search.public_entry import Floats, PublicEntry

__all__ = ["PublicRoot"]


class PublicRoot:
    """How the opponent comes to its hands: what it may choose, it learns."""

    def __init__(self, parts: Sequence[Part], entry: PublicEntry) -> None:
        self.parts, self.live = parts, entry.live
        self.even = entry.live / np.maximum(entry.live.sum(1, keepdims=True), 1)
        self.play = [self.even if part.kind == "choose" else part.range for part in parts]
        self.regret = [
            np.zeros((2 if part.kind == "refuse" else 1, *entry.mass.shape)) for part in parts
        ]
        self.total = [np.zeros_like(entry.mass) for _ in parts]
        self.weight = 0.0

    def mix(self) -> Floats:
        """[lines, hands] how the opponent comes, in all parts together."""
        out = self.parts[0].weight * self.play[0]
        for part, play in zip(self.parts[1:], self.play[1:], strict=True):
            out = out + part.weight * play
        return out

    def learn(self, values: Floats, row: Floats) -> None:
        """Take in what hands are worth now; what was played so far joins the average."""
        from counterfold.kernels import rule

        fade = row[rule.AVERAGE]
        self.weight = self.weight * fade + 1.0
        for k, part in enumerate(self.parts):
            self.total[k] = self.total[k] * fade + self.play[k]
            if part.kind == "given":
                continue
            gains = (values - part.shift) * self.live
            if part.kind == "choose":
                new = gains - np.einsum("lh,lh->l", self.play[k], gains)[:, None]
                new *= self.live
                told = _add(self.regret[k][0], new, row)
                self.regret[k][0] = told
                weights = np.maximum(told, 0.0)
                total = weights.sum(1, keepdims=True)
                some = total > 0
                play = weights / np.where(some, total, 1.0)
                self.play[k] = play if some.all() else np.where(some, play, self.even)
            else:
                share = np.divide(
                    self.play[k], part.range, where=part.range > 0, out=np.zeros_like(gains)
                )
                here = share * gains
                for n, new in enumerate((gains - here, -here)):  # to come in, to stay out
                    self.regret[k][n] = _add(self.regret[k][n], new, row)
                come, stay = np.maximum(self.regret[k], 0.0)
                total = come + stay
                share = np.where(total > 0, come / np.where(total > 0, total, 1.0), 0.5)
                self.play[k] = part.range * share

    def average(self) -> Floats:
        """How the opponent came, over all iterations."""
        out = np.zeros_like(self.total[0])
        for part, total in zip(self.parts, self.total, strict=True):
            out += part.weight * total / self.weight
        return out

    def marks(self) -> Floats:
        """[lines] what the marks of the hands that came add to the hero's payoff."""
        out = np.zeros(len(self.live))
        for part, total in zip(self.parts, self.total, strict=True):
            out += part.weight * (total / self.weight * part.shift).sum(1)
        return out


def _add(old: Floats, new: Floats, row: Floats) -> Floats:
    """Regrets with new ones, by the method's rule."""
    from counterfold.kernels import rule

    out = old * np.where(old > 0, row[rule.POSITIVE], row[rule.NEGATIVE])
    out += new
    return np.maximum(out, row[rule.LOWEST], out=out)
