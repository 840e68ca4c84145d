"""The CFR family as one table of parameters; no variant has a loop of its own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import ParameterError, SpecError
from counterfold.games.spec import parse_spec

__all__ = ["DEFAULT_METHOD", "METHODS", "Method", "method"]

DEFAULT_METHOD = "hs-pcfr+(30)"
"""The fastest to 1e-6 on the two-player games, by ``counterfold bench methods``."""


@dataclass(frozen=True)
class Method:
    """One variant: how regrets and averages fade, and two switches.

    At iteration t regrets above zero are multiplied by ``(t-1)^alpha / ((t-1)^alpha + 1)``,
    the others by the same with ``beta``, and the sum of strategies by ``((t-1)/t)^gamma``
    before the new ones are added. Each exponent moves by its ``_slope`` from the first
    iteration to the ``horizon`` and stays there. ``floor`` keeps regrets from falling below
    zero (regret matching+); ``predictive`` plays as if the newest regret came once more.
    """

    name: str
    alpha: float = math.inf
    beta: float = math.inf
    gamma: float = 0.0
    floor: bool = False
    predictive: bool = False
    alpha_slope: float = 0.0
    beta_slope: float = 0.0
    gamma_slope: float = 0.0
    horizon: int = 1000

    def __post_init__(self) -> None:
        for item in fields(self):
            number = getattr(self, item.name)
            if isinstance(number, float) and math.isnan(number):
                raise ParameterError(f"{item.name} of {self.name} is not a number")
        if self.gamma < 0 or self.gamma + self.gamma_slope < 0 or math.isinf(self.gamma):
            raise ParameterError(f"gamma of {self.name} must be a number from 0 up")
        if self.horizon < 1:
            raise ParameterError(f"the horizon of {self.name} must be at least 1")

    def schedule(self, first: int, count: int, logs: NDArray[np.float64]) -> NDArray[np.float64]:
        """The rule's numbers for iterations ``first`` to ``first + count - 1``.

        ``logs`` are the running logarithms at the end of iteration ``first - 1``.
        """
        from counterfold.kernels import rule

        t = np.arange(first, first + count, dtype=np.float64)
        along = np.minimum(t / self.horizon, 1.0)
        rows = np.zeros((count, rule.COLUMNS))
        rows[:, rule.POSITIVE] = _fade(t, self.alpha + self.alpha_slope * along)
        rows[:, rule.NEGATIVE] = _fade(t, self.beta + self.beta_slope * along)
        rows[:, rule.LOWEST] = 0.0 if self.floor else -np.inf
        rows[:, rule.PREDICTION] = 1.0 if self.predictive else 0.0
        rows[:, rule.AVERAGE] = ((t - 1) / t) ** (self.gamma + self.gamma_slope * along)
        for log, factor in (
            (rule.LOG_POSITIVE, rule.POSITIVE),
            (rule.LOG_NEGATIVE, rule.NEGATIVE),
            (rule.LOG_AVERAGE, rule.AVERAGE),
        ):
            # In the first iteration there is nothing to fade, whatever the factor.
            steps = np.log(np.where(t == 1, 1.0, rows[:, factor]))
            rows[:, log] = logs[log - rule.LOG_POSITIVE] + np.cumsum(steps)
        return rows


def _fade(t: NDArray[np.float64], exponent: Any) -> NDArray[np.float64]:
    """(t-1)^e / ((t-1)^e + 1), DCFR's discount; an infinite exponent means none."""
    exponent = np.broadcast_to(exponent, t.shape)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        faded = 1.0 / (1.0 + (t - 1) ** -exponent)
    return np.where(np.isposinf(exponent), 1.0, faded)


def _dcfr(alpha: float = 1.5, beta: float = 0.0, gamma: float = 2.0) -> Method:
    return Method("", alpha=float(alpha), beta=float(beta), gamma=float(gamma))


def _cfr_plus(gamma: float = 1.0) -> Method:
    return Method("", gamma=float(gamma), floor=True)


def _pcfr_plus(gamma: float = 2.0) -> Method:
    return Method("", gamma=float(gamma), floor=True, predictive=True)


def _hs_dcfr(gamma: float = 30.0, horizon: int = 1000) -> Method:
    return Method(
        "",
        alpha=1.0,
        alpha_slope=3.0,
        beta=-1.0,
        beta_slope=-2.0,
        gamma=float(gamma),
        gamma_slope=-5.0,
        horizon=horizon,
    )


def _hs_pcfr_plus(gamma: float = 30.0, horizon: int = 1000) -> Method:
    return Method(
        "", gamma=float(gamma), gamma_slope=-5.0, floor=True, predictive=True, horizon=horizon
    )


METHODS: dict[str, Callable[..., Method]] = {
    "cfr": lambda: Method(""),
    "cfr+": _cfr_plus,
    "linear": lambda: _dcfr(1.0, 1.0, 1.0),
    "dcfr": _dcfr,
    "pcfr+": _pcfr_plus,
    "hs-dcfr": _hs_dcfr,
    "hs-pcfr+": _hs_pcfr_plus,
}
"""Every variant by its name; parameters may follow in brackets."""


def method(text: str | Method) -> Method:
    """The method of a name such as ``cfr+``, ``dcfr(1.5, 0, 2)`` or ``hs-pcfr+(30)``.

    >>> method("dcfr").gamma
    2.0
    >>> method("hs-pcfr+").name
    'hs-pcfr+'
    """
    if isinstance(text, Method):
        return text
    spec = parse_spec(text)
    name = spec.name.lower()
    if name not in METHODS:
        raise SpecError(f"there is no method {spec.name!r}; there are {', '.join(METHODS)}, and lp")
    for parameter in (*spec.args, *spec.kwargs.values()):
        if isinstance(parameter, bool) or not isinstance(parameter, int | float):
            raise ParameterError(f"parameters of {name} are numbers, not {parameter!r}")
    try:
        made = METHODS[name](*spec.args, **spec.kwargs)
    except TypeError:
        raise SpecError(f"{text!r} has parameters that {name} does not take") from None
    return Method(**{**made.__dict__, "name": str(spec).replace(spec.name, name, 1)})
