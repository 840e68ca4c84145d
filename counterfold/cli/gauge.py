"""``counterfold gauge``: how strong a strategy of poker is, as a simple opponent can tell."""

from __future__ import annotations

from counterfold.cli.certificate import Lines, print_panel
from counterfold.cli.output import StoppedError, advise, amount, print_json
from counterfold.cli.progress import Watch
from counterfold.cli.verbs.arena import GaugeRequest
from counterfold.errors import ParameterError
from counterfold.play.lbr import KINDS, LocalResponse, local_best_response
from counterfold.poker.units import Units
from counterfold.strategy.strategy import Strategy


def run(request: GaugeRequest) -> None:
    """Play a local best response against it, and tell what it wins."""
    if request.lbr not in KINDS:
        raise ParameterError(
            f"--lbr is {', '.join(list(KINDS)[:-1])} or {list(KINDS)[-1]}, not {request.lbr!r}"
        )
    strategy = Strategy.load(request.strategy)
    units: Units = strategy.tree.units
    with Watch(request.quiet) as watch:
        watch.doing("gauging")
        try:
            found = local_best_response(
                strategy,
                request.hands,
                request.lbr,
                seed=request.seed,
                on_progress=lambda found, total: watch.part(
                    "playing", found.hands, total, _short(found, units)
                ),
            )
        except KeyboardInterrupt:
            raise StoppedError("stopped before the fifth hand") from None
    if request.json:
        print_json(
            {
                "strategy": request.strategy,
                "game": strategy.spec,
                "lbr": found.kind,
                "hands": found.hands,
                "seed": request.seed,
                "value": found.value,
                "half": found.half,
                "by_player": list(found.by_player),
                "mbb": units.mbb(found.value),
                "mbb_half": units.mbb(found.half),
                "exact": found.exact,
            }
        )
        return
    print_panel("Local best response", _lines(request, strategy.spec, found, units))
    advise(
        "That is a lower bound on what a best response wins"
        + (", and exact." if found.exact else ", within its 95% interval.")
    )
    if request.hands and found.hands < request.hands:
        raise StoppedError(f"stopped after {found.hands:,} of {request.hands:,} hands")


def _short(found: LocalResponse, units: Units) -> str:
    mbb = units.mbb(found.value)
    if mbb is None:
        return f"{amount(found.value)} ±{amount(found.half)} a hand"
    return f"{mbb:,.0f} ±{units.mbb(found.half):,.0f} mbb/h"


def _lines(request: GaugeRequest, spec: str, found: LocalResponse, units: Units) -> Lines:
    off = "" if found.exact else f" ±{amount(found.half)}"
    mbb = units.mbb(found.value)
    more = ""
    if mbb is not None:
        error = "" if found.exact else f" ±{units.mbb(found.half):,.1f}"
        more = f", {mbb:,.1f}{error} mbb/h"
    by = ", ".join(f"player {p + 1} {amount(won)}" for p, won in enumerate(found.by_player))
    over = "all hands" if found.exact else f"{found.hands:,} hands, seed {request.seed}"
    return [
        ("strategy", f"{request.strategy}, {spec}"),
        ("response", f"{found.kind}: {KINDS[found.kind].told}"),
        ("wins", f"{amount(found.value)}{off} a hand{more}"),
        ("as", by),
        ("over", over),
    ]
