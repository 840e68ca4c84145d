"""Win rates as people read them: with their intervals, in columns, and in a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from counterfold.cli.output import advise, amount, print_columns, say
from counterfold.play.score import Estimate, Score
from counterfold.play.table import Fault

MOST_DECIMALS = 6
MOST_MESSAGES = 3
"""Different faults of an agent that are told."""


def decimals(half: float | None) -> int:
    """Places behind the point that show two digits of an interval.

    >>> decimals(0.029), decimals(0.0004), decimals(3.0), decimals(None)
    (3, 5, 1, 3)
    """
    if half is None or not math.isfinite(half):
        return 3
    if half <= 0:
        return MOST_DECIMALS
    return min(max(1 - math.floor(math.log10(half)), 1), MOST_DECIMALS)


def common_decimals(estimates: Sequence[Estimate]) -> int:
    """Places for a whole table: those of its widest interval, three or four."""
    halves = [estimate.half for estimate in estimates if estimate.half is not None]
    return min(max(decimals(max(halves, default=None)), 3), 4)


def rate(estimate: Estimate | None, places: int | None = None) -> str:
    """A win rate with half the width of its interval.

    >>> rate(Estimate(0.66775, 0.0287)), rate(Estimate(-0.5, None)), rate(Estimate(0.25, 1e-12))
    ('+0.668 ±0.029', '-0.500', '+0.250000 ±0')
    """
    if estimate is None or math.isnan(estimate.mean):
        return "-"
    places = decimals(estimate.half) if places is None else places
    text = f"{estimate.mean:+.{places}f}"
    if estimate.half is None:
        return text
    return f"{text} ±{estimate.half:.{places}f}" if round(estimate.half, places) else f"{text} ±0"


def versus(names: Sequence[str]) -> str:
    """Who plays.

    >>> versus(["a", "b"]), versus(["a", "b", "c"])
    ('a against b', 'a, b and c')
    """
    if len(names) == 2:
        return " against ".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def print_scores(scores: Sequence[Score]) -> None:
    """The table of a match: what each agent won, and as each player."""
    reduced = any(score.reduced is not None for score in scores)
    exact = any(score.exact is not None for score in scores)
    rows = [["agent", "win rate"]]
    rows[0] += ["with luck taken out", "needs"] if reduced else []
    rows[0] += ["exactly"] if exact else []
    for score in scores:
        row = [score.name, rate(score.plain)]
        row += [rate(score.reduced), _fewer(score.factor)] if reduced else []
        row += ["-" if score.exact is None else f"{_clean(score.exact):+.6g}"] if exact else []
        rows.append(row)
    print_columns(rows)
    say()
    players = range(len(scores))
    rows = [["by player", *(f"player {player + 1}" for player in players)]]
    rows += [[score.name, *(rate(player) for player in score.by_player)] for score in scores]
    print_columns(rows)


def _fewer(factor: float | None) -> str:
    if factor is None:
        return "-"
    if math.isinf(factor):
        return "no spread"
    if factor >= 1:
        return f"{factor:,.3g} times fewer hands"
    return f"{1 / factor:,.3g} times more hands"


def verdict(scores: Sequence[Score], *, learning: bool) -> list[str]:
    """Who won, and how sure that is, in sentences."""
    exact = [score.exact for score in scores]
    if all(value is not None for value in exact):
        best = [Estimate(value or 0.0, 0.0) for value in exact]
    else:
        best = [score.reduced or score.plain for score in scores]
    first, second, *_ = sorted(range(len(scores)), key=lambda g: -best[g].mean)
    score, known = scores[first], best[first]
    if known.half is None:
        return ["There are too few hands for an interval, so nobody can be called the winner."]
    told = [_winner(score, known, best[second].high, scores[second].name, _is_zero_sum(scores))]
    if math.isinf(score.factor or 0.0):
        told.append("There is no spread: with luck taken out, every hand tells the exact value.")
    if score.exact is not None:
        few = "There are too few hands for an interval."
        told.append(few if score.plain.half is None else _compared(score.plain, score.exact))
    if learning:
        told.append("Agents learn here: the interval is about this match, not about another one.")
    return told


def _winner(first: Score, known: Estimate, next_best: float, second: str, zero_sum: bool) -> str:
    """Who is first, by what is known of it: its exact value if there is one."""
    name, places = first.name, decimals(known.half)
    span = f"{known.low:.{places}f} to {known.high:.{places}f}"
    won = f"{known.mean:.{places}f} a hand"
    if zero_sum and not known.half and not _clean(known.mean):
        return "Neither side wins: the agents are even, exactly."
    if first.exact is not None:
        verb = "wins" if zero_sum else "gets the most,"
        return f"{name} {verb} {amount(first.exact)} a hand: that is exact, over all deals."
    if not zero_sum:
        meets = "" if known.low > next_best else f", which meets that of {second}"
        return f"{name} gets the most, {won}, 95% interval {span}{meets}."
    if math.isinf(first.factor or 0.0):
        even = not _clean(known.mean)
        return "Neither side wins: the agents are even." if even else f"{name} wins {won}."
    if known.low > 0:
        return f"{name} wins {won}: the 95% interval, {span}, excludes zero."
    return (
        f"There is no winner yet: {name} is ahead with {won}, but the 95% interval, {span}, "
        "includes zero."
    )


def _compared(plain: Estimate, exact: float) -> str:
    inside = plain.low <= exact <= plain.high
    places = decimals(plain.half)
    return (
        f"The interval of the plain win rate, {plain.low:.{places}f} to {plain.high:.{places}f}, "
        + (f"contains the exact {amount(_clean(exact))}." if inside else
           f"misses the exact {amount(_clean(exact))}, as one in twenty does.")
    )  # fmt: skip


def _clean(exact: float) -> float:
    """An exact number without what rounding left of a zero.

    >>> _clean(8.5e-13), _clean(0.25)
    (0.0, 0.25)
    """
    return 0.0 if abs(exact) < 1e-9 else exact


def _is_zero_sum(scores: Sequence[Score]) -> bool:
    total = math.fsum(score.plain.mean for score in scores)
    return abs(total) <= 1e-9 * max(1.0, *(abs(score.plain.mean) for score in scores))


def print_faults(names: Sequence[str], faults: Sequence[int], messages: Sequence[Fault]) -> None:
    """Who lost hands by breaking the rules, and how."""
    for g, (name, count) in enumerate(zip(names, faults, strict=True)):
        if not count:
            continue
        told = list(dict.fromkeys(fault.message for fault in messages if fault.agent == g))
        advise(f"{name} lost {count:,} {'hand' if count == 1 else 'hands'}: {told[0]}")
        for message in told[1:MOST_MESSAGES]:
            advise(f"  also: {message}")
