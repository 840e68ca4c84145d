"""The CFR family as one table of parameters; no variant has a loop of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np

from counterfold.arrays import Floats
from counterfold.errors import ParameterError, SpecError, short
from counterfold.games.spec import parse_spec
from counterfold.notebook import brief

DEFAULT_METHOD = "sapcfr+"
"""The fastest to 1e-6 on the two-player games, by ``counterfold bench methods``."""

STEADY_METHOD = "dcfr+"
"""What a run goes on with that predictions have misled."""


@dataclass(frozen=True)
class Method:
    """One variant: how regrets and averages fade, and two switches.

    At iteration t regrets above zero are multiplied by ``(t-1)^alpha / ((t-1)^alpha + 1)``,
    the others by the same with ``beta``, and the sum of strategies by ``((t-1)/t)^gamma``
    before the new ones are added. Each exponent moves by its ``_slope`` from the first
    iteration to the ``horizon`` and stays there. ``floor`` keeps regrets from falling below
    zero (regret matching+); ``prediction`` is the share of the newest regret that is counted
    once more, as a guess at the next.
    """

    name: str
    alpha: float = math.inf
    beta: float = math.inf
    gamma: float = 0.0
    floor: bool = False
    prediction: float = 0.0
    alpha_slope: float = 0.0
    beta_slope: float = 0.0
    gamma_slope: float = 0.0
    horizon: int = 1000

    def __repr__(self) -> str:
        return brief(self, self.name or "of no name")

    def __post_init__(self) -> None:
        name = self.name or "the method"
        for item in fields(self):
            number = getattr(self, item.name)
            if not isinstance(number, str) and math.isnan(number):
                raise ParameterError(f"{item.name} of {name} is not a number")
        if self.gamma < 0 or self.gamma + self.gamma_slope < 0 or math.isinf(self.gamma):
            raise ParameterError(f"gamma of {name} must be a number from 0 up")
        if not 0 <= self.prediction <= 1:
            raise ParameterError(f"the prediction of {name} must be from 0 to 1")
        if self.horizon < 1:
            raise ParameterError(f"the horizon of {name} must be at least 1")

    def schedule(self, first: int, count: int, logs: Floats, *, weighed: bool = True) -> Floats:
        """The rule's numbers for iterations ``first`` to ``first + count - 1``.

        ``logs`` are the three running logarithms and the weight of regrets at the end of
        iteration ``first - 1``; only a style needs the weights.
        """
        from counterfold.kernels import rule

        t = np.arange(first, first + count, dtype=np.float64)
        along = np.minimum(t / self.horizon, 1.0)
        rows = np.zeros((count, rule.COLUMNS))
        factors: list[Floats | float] = [
            _fade(t, self.alpha, self.alpha_slope, along),
            _fade(t, self.beta, self.beta_slope, along),
            ((t - 1) / t) ** (self.gamma + self.gamma_slope * along) if self.gamma else 1.0,
        ]
        rows[:, rule.POSITIVE], rows[:, rule.NEGATIVE], rows[:, rule.AVERAGE] = factors
        rows[:, rule.LOWEST] = 0.0 if self.floor else -np.inf
        if self.prediction:
            # PDCFR+ fades R once more, as the next iteration will, before the prediction joins:
            # d R + r, which plays as R + r / d.
            after = np.minimum((t + 1) / self.horizon, 1.0)
            coming = _fade(t + 1, self.alpha, self.alpha_slope, after)
            rows[:, rule.PREDICTION] = self.prediction / coming
        for n, factor in enumerate(factors):
            rows[:, rule.LOG_POSITIVE + n] = (
                logs[n] if isinstance(factor, float) else _logs(factor, t, logs[n])
            )
        if weighed:
            rows[:, rule.WEIGHT] = _weights(rows[:, rule.POSITIVE], float(logs[3]), first == 1)
        return rows

    def weight(self, iterations: int) -> float:
        """What regrets have been summed with after so many iterations."""
        from counterfold.kernels import rule

        logs, done = np.zeros(4), 0
        while done < iterations:
            count = min(iterations - done, 1 << 16)
            logs[3] = self.schedule(done + 1, count, logs)[-1, rule.WEIGHT]
            done += count
        return float(logs[3])


def _fade(t: Floats, base: float, slope: float, along: Floats) -> Floats | float:
    """(t-1)^e / ((t-1)^e + 1), DCFR's discount; an infinite exponent means none."""
    if base == math.inf:
        return 1.0
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return 1.0 / (1.0 + (t - 1) ** -(base + slope * along))


def _logs(factor: Floats, t: Floats, before: float) -> Floats:
    """Running logarithms, summed from the start on: no bit depends on how a run is cut."""
    # In the first iteration there is nothing to fade, whatever the factor; and a factor of
    # zero is a very small one, so that differences of logarithms stay numbers.
    steps = np.log(np.where(t == 1, 1.0, np.maximum(factor, 1e-300)))
    return np.cumsum(np.append(before, steps))[1:]


def _weights(fades: Floats, before: float, beginning: bool) -> Floats:
    """How much the regrets weigh that have been summed: W <- W * fade + 1."""
    if (fades[1 if beginning else 0 :] == 1.0).all():
        return before + np.arange(1.0, len(fades) + 1)
    weights = []
    for fade in fades.tolist():
        before = before * fade + 1.0
        weights.append(before)
    return np.array(weights)


class Variant(NamedTuple):
    """A row of the table: the numbers of a variant, and which of them its brackets may hold."""

    rule: Method
    takes: tuple[str, ...] = ()


class Methods(dict[str, Variant]):
    """The variants by their names."""

    def __repr__(self) -> str:
        return brief(self, ", ".join(self))


METHODS = Methods(
    {
        "cfr": Variant(Method("")),
        "cfr+": Variant(Method("", gamma=1.0, floor=True), ("gamma",)),
        "linear": Variant(Method("", alpha=1.0, beta=1.0, gamma=1.0)),
        "dcfr": Variant(Method("", alpha=1.5, beta=0.0, gamma=2.0), ("alpha", "beta", "gamma")),
        "dcfr+": Variant(Method("", alpha=1.5, gamma=4.0, floor=True), ("alpha", "gamma")),
        "pcfr+": Variant(Method("", gamma=2.0, floor=True, prediction=1.0), ("gamma",)),
        "pdcfr+": Variant(
            Method("", alpha=2.3, gamma=5.0, floor=True, prediction=1.0), ("alpha", "gamma")
        ),
        "sapcfr+": Variant(
            Method("", gamma=4.0, floor=True, prediction=0.4), ("gamma", "prediction")
        ),
        "hs-dcfr": Variant(
            Method(
                "",
                alpha=1.0,
                beta=-1.0,
                gamma=30.0,
                alpha_slope=3.0,
                beta_slope=-2.0,
                gamma_slope=-5.0,
            ),
            ("gamma", "horizon"),
        ),
        "hs-pcfr+": Variant(
            Method("", gamma=30.0, gamma_slope=-5.0, floor=True, prediction=1.0),
            ("gamma", "horizon"),
        ),
    }
)
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
    if not isinstance(text, str):
        raise ParameterError(f"a method is a name such as 'cfr+', and not {short(text)}")
    spec = parse_spec(text)
    name = spec.name.lower()
    if name not in METHODS:
        raise SpecError(f"there is no method {spec.name!r}; there are {', '.join(METHODS)}, and lp")
    for parameter in (*spec.args, *spec.kwargs.values()):
        if isinstance(parameter, bool) or not isinstance(parameter, int | float):
            raise ParameterError(f"parameters of {name} are numbers, not {parameter!r}")
    rule, takes = METHODS[name]
    given = dict(zip(takes, spec.args, strict=False))
    if len(spec.args) > len(takes) or spec.kwargs.keys() - (set(takes) - given.keys()):
        parameters = ", ".join(takes) or "no parameters"
        raise SpecError(f"{text!r} does not fit: {name} takes {parameters}")
    spoken = str(spec).replace(spec.name, name, 1)
    return replace(rule, name=spoken, **given, **spec.kwargs)
