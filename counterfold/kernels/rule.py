"""The one update rule: from regrets to the next strategy, for every variant of CFR."""

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


class Taste(NamedTuple):
    """A style in a kernel's own numbering; all empty where there is none."""

    delta: np.ndarray  # [actions] preference degrees
    fallback: np.ndarray  # [actions] what is played where no regret counts
    beta: np.ndarray  # [infosets] vulnerability degrees


@inlined
def accumulate(old, new, positive, negative, lowest):
    """R <- max(R * (positive if R > 0 else negative) + r, lowest)."""
    return max(old * (positive if old > 0 else negative) + new, lowest)


@inlined
def weigh(regret, new, prediction):
    """What an action weighs in the next strategy: [R + prediction * r]+."""
    return max(regret + prediction * new, regret * 0)


@inlined
def lean(regret, new, prediction, liking, allowance):
    """The same under a style: delta * [R + prediction * r - allowance]+.

    Pref-CFR, equations 10 to 13: ``liking`` is the preference degree delta of the action and
    ``allowance`` the vulnerability degree beta of the infoset times the weight of R, so that
    the *average* regret less beta decides.
    """
    return liking * max(regret + prediction * new - allowance, regret * 0)
