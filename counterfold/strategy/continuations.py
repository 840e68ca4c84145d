"""Continuations of a blueprint: how play may go on behind a depth limit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar

from counterfold.errors import ParameterError
from counterfold.strategy.strategy import Strategy
from counterfold.tree.form import Form

F = TypeVar("F", bound=Form)

FACTOR = 10.0
"""By how much a bias multiplies what is preferred (Brown, Sandholm and Amos 2018; Pluribus 5)."""

BIASES: dict[str, tuple[str, ...]] = {
    "fold": ("fold",),
    "call": ("call", "check"),
    "raise": ("raise", "bet", "all-in"),
}
"""What each bias of a poker player prefers, by the first words of actions."""


def biased(strategy: Strategy[F], actions: Sequence[str], factor: float) -> Strategy[F]:
    """A strategy with the weights of some actions multiplied, and all brought back to one.

    Actions are named by their first word. What is never played stays so.

    >>> import counterfold as cf
    >>> biased(cf.Strategy.uniform(cf.Kuhn()), ("fold",), 9.0).at("J", "bet")
    {'fold': 0.9, 'call': 0.1}
    """
    if not (isinstance(factor, int | float) and math.isfinite(factor) and factor > 0):
        raise ParameterError(f"the factor of a bias is a number above 0, not {factor!r}")
    words = set(actions)

    def weigh(action: str) -> float:
        return float(factor) if action.partition(" ")[0] in words else 1.0

    layout = strategy.layout
    return Strategy(layout, layout.weighed(strategy.tables, weigh), strategy.about)


def continuations(
    blueprint: Strategy[F],
    factor: float = FACTOR,
    biases: Mapping[str, Sequence[str]] = BIASES,
) -> dict[str, Strategy[F]]:
    """The blueprint, and it biased towards each kind of action.

    >>> import counterfold as cf
    >>> list(continuations(cf.Strategy.uniform(cf.Leduc())))
    ['blueprint', 'fold', 'call', 'raise']
    """
    more = {name: biased(blueprint, words, factor) for name, words in biases.items()}
    return {"blueprint": blueprint, **more}
