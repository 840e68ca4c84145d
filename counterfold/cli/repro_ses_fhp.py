"""What ``counterfold repro ses`` tells of Flop Hold'em: figures 3 and 4."""

from __future__ import annotations

from typing import Any

from counterfold.cli.output import advise, duration, say
from counterfold.cli.repro import print_columns
from counterfold.experiments.ses_fhp_found import IN_BUCKETS

__all__ = ["show"]

MEASURES = ("wins", "payoff"), ("exploitable", "exploitability")
_DRAWN = (
    " With flops that were drawn it is too high on average, and what it is at least too low; both "
    "vary with the draw."
)


def show(found: Any) -> None:
    """Tables by kind of opponent, and how they were made."""
    flops = (
        f"all {found.all_flops:,} flops"
        if found.exact
        else f"{found.flops:,} of {found.all_flops:,} flops, which stand for all"
    )
    advise(
        f"SES, figure {found.figure}: {found.game}, searches on {flops}. Blueprint: "
        f"{found.blueprint_kind}, {found.iterations:,} iterations, exploitability "
        f"{found.exploitability:.1f}{_buckets(found.in_buckets)}. All in mbb a hand, means of "
        "both seats; exploitability is of the full game, by a best reply that knows every hand."
        + ("" if found.exact else _DRAWN)
    )
    for share in found.shares:
        say()
        some = [o for o in found.opponents if o.share == share]
        far = sum(o.distance for o in some) / len(some)
        best = sum(o.best for o in some) / len(some)
        kind = f"opponents shuffled at {share:g} of their infosets" if share else "other blueprints"
        say(
            f"{kind} (L1 distance {far:.3f}; the blueprint wins {found.blueprint(share):.1f}, a "
            f"best response {best:.1f})"
        )
        print_columns(_rows(found, share))
    say()
    if found.responses:
        _tell_responses(found)
    advise(
        f"Searches end within {found.search_gap:g} chips of their best or after "
        f"{found.search_iterations} iterations. {_spent(found.fresh, 'began with nothing')}"
        f"{_spent(found.later, 'went on from another on the same flop')}A random strategy is at L1 "
        f"distance {found.random_distance:.3f} from the blueprint. CPU time "
        f"{duration(found.cpu_seconds)}."
    )


def _spent(some: Any, words: str) -> str:
    if not some.count:
        return ""
    return f"{some.count:,} {words}, {1000 * some.each:.1f} ms of CPU time each. "


def _buckets(number: float | None) -> str:
    return "" if number is None else f" (by a best reply that knows buckets only: {number:.1f})"


def _rows(found: Any, share: float) -> list[list[str]]:
    rows = [["", "", *(f"{alpha:g}" for alpha in found.alphas)]]
    for error in found.errors:
        name = f"SES, error {error:g}" if found.figure == 3 else "SES"
        for title, field in MEASURES:
            curve = found.curve(share, error, field)
            rows.append([name if field == "payoff" else "", title, *(f"{x:.1f}" for x in curve)])
        if not found.exact:
            for title, field in (("at least", "at_least"), ("wins, +-", "payoff_error")):
                curve = found.curve(share, error, field)
                rows.append(["", title, *(f"{x:.1f}" for x in curve)])
        known = found.curve(share, error, "in_buckets")
        if known[0] == known[0]:
            rows.append(["", "in buckets", *(f"{x:.1f}" for x in known)])
    for budget in found.budgets:
        for title, field in (*MEASURES, ("in buckets", "in_buckets")):
            curve = found.response_curve(share, budget, field)
            name = f"RNR ({budget})" if field == "payoff" else ""
            if curve[0] == curve[0]:
                rows.append([name, title, *(f"{x:.1f}" for x in curve)])
    return rows


def _tell_responses(found: Any) -> None:
    for budget in found.budgets:
        some = [r for r in found.responses if r.budget == budget]
        spent = sum(r.cpu_seconds for r in some) / len(some)
        steps = sum(r.iterations for r in some) / len(some)
        of = "samples over buckets" if budget == IN_BUCKETS else "iterations of the whole game"
        advise(
            f"RNR ({budget}): {spent:.1f} s of CPU time and {steps:,.0f} {of} for each p and seat."
        )
    advise("Columns are alpha of SES and p of RNR.")
