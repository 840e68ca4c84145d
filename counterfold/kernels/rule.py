"""The one update rule: from regrets to the next strategy, for every variant of CFR.

    accumulate   R <- max(R * (positive if R > 0 else negative) + r, lowest)
    weigh        x <- delta * [R + prediction * r - WEIGHT * beta]+
    match        s <- x / sum(x), or the heaviest action alone; a fallback where nothing weighs
    average      S <- S * fade + reach * s

These are inlined into the kernels of every form, a number at a time. Kernels differ in how actions,
hands and infosets lie in memory, and so in their loops, but not in what they compute.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.jit import inlined

# Columns of a schedule: one row of these numbers an iteration is all that a variant is.
POSITIVE = 0  # factor on regrets above zero before the new ones are added
NEGATIVE = 1  # factor on the others
LOWEST = 2  # regrets never fall below this: 0 for the "+" family, else -infinity
PREDICTION = 3  # share of the newest regret that is added as a prediction of the next
AVERAGE = 4  # factor on the sum of strategies before the new one is added
LOG_POSITIVE = 5  # running sums of the logarithms of the three factors, for rows that
LOG_NEGATIVE = 6  # are touched only now and then
LOG_AVERAGE = 7
WEIGHT = 8  # what regrets have been summed with so far: R / WEIGHT is the average regret
BEST = 9  # 1 to play the heaviest action alone, 0 to play actions by their weight
COLUMNS = 10


class Preference(NamedTuple):
    """A style in a kernel's own numbering; all empty where there is none."""

    delta: np.ndarray  # [actions] preference degrees
    fallback: np.ndarray  # [actions] what is played where no regret counts
    beta: np.ndarray  # [infosets] vulnerability degrees


@inlined
def discounts(row, kind):
    """What ``accumulate`` takes of an iteration's row, as numbers of a kind."""
    return kind(row[POSITIVE]), kind(row[NEGATIVE]), kind(row[LOWEST])


@inlined
def accumulate(old, new, positive, negative, lowest):
    """R <- max(R * (positive if R > 0 else negative) + r, lowest)."""
    return max(old * (positive if old > 0 else negative) + new, lowest)


@inlined
def fade(then, now):
    """The factor between two running sums of logarithms, for rows that wait for their discount."""
    return 1.0 if then == now else np.exp(now - then)


@inlined
def predict(regret, new, prediction):
    """R + prediction * r: the regret with a guess at the next."""
    return regret + prediction * new


@inlined
def weigh(ahead, delta=None, allowance=None):
    """What an action weighs in the next strategy: [m]+, or under a style delta * [m - allowance]+.

    Pref-CFR, equations 10 to 13: ``delta`` is the preference degree of the action and
    ``allowance`` the vulnerability degree beta of the infoset times the weight of R, so that
    the *average* regret less beta decides.
    """
    zero = type(ahead)(0)
    if delta is None:
        return max(ahead, zero)
    return delta * max(ahead - allowance, zero)


@inlined
def _counts(total):
    """Does a sum of weights count? From where one over it is still a number."""
    kind = type(total)
    fine = kind(1e-300)  # zero in 32 bits
    return total > (fine if fine > kind(0) else kind(1e-37))


@inlined
def match(weight, total, fallback):
    """Regret matching: an action's share of all weights, or the fallback where none weighs."""
    return weight / total if _counts(total) else fallback


@inlined
def scale(total, reach, even):
    """The same in two steps, with one division for all actions: first the factor on weights.

    Where none weighs it is below zero: less what each action gets if the reach is spread evenly.
    """
    return reach / total if _counts(total) else -(reach * even)


@inlined
def share(weight, factor, fallback):
    """And then the share of an action. Evenly, the fallback is ``-factor``."""
    return weight * factor if factor >= type(factor)(0) else fallback


@inlined
def split(factor):
    """The same without a choice an action: weight * factor + rest, where all get the same rest.

    In 32 bits that made an iteration over sequences 1.35 to 1.45 times as fast.
    """
    zero = type(factor)(0)
    return max(factor, zero), max(-factor, zero)


@inlined
def heaviest(weight, most, fallback):
    """The heaviest action alone: what is played, and ``most`` for the actions after this one.

    ``most`` is the largest weight, and below zero once its action, the first of several, has come.
    """
    kind = type(most)
    chosen = most > kind(0) and weight == most
    alone = kind(1) if chosen else kind(0)
    return fallback if most == kind(0) else alone, -kind(1) if chosen else most


@inlined
def average(total, factor, new):
    """S <- S * factor + reach * s."""
    return total * factor + new
