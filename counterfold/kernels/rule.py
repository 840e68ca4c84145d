"""The one update rule: from regrets to the next strategy, for every variant of CFR."""

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
COLUMNS = 8


@inlined
def accumulate(old, new, positive, negative, lowest):
    """R <- max(R * (positive if R > 0 else negative) + r, lowest)."""
    return max(old * (positive if old > 0 else negative) + new, lowest)


@inlined
def weigh(regret, new, prediction):
    """What an action weighs in the next strategy: [R + prediction * r]+."""
    return max(regret + prediction * new, regret * 0)
