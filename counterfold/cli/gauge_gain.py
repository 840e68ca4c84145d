"""``counterfold gauge "holdem(F)" --gain``: what searches win from the blueprint itself."""

from __future__ import annotations

from collections.abc import Sequence

from counterfold.cli.output import (
    StoppedError,
    advise,
    print_columns,
    print_json,
    say,
)
from counterfold.cli.progress import Watch
from counterfold.cli.verbs.arena import GaugeRequest
from counterfold.errors import ParameterError
from counterfold.files.text import Json
from counterfold.play.bots import SEARCHING, make_bot
from counterfold.play.certificate import Certificate
from counterfold.play.holdem import HoldemAgent
from counterfold.play.search_gain import Mean, SearchGain, search_gain
from counterfold.poker.units import Units

HANDS = 1_000


def gauge_gain(request: GaugeRequest) -> None:
    """Measure it, and tell it by street and seat."""
    agent = make_bot(request.strategy) if request.strategy.startswith(f"{SEARCHING}(") else None
    if not isinstance(agent, HoldemAgent):
        raise ParameterError(
            f"--gain is of an agent that searches, {SEARCHING}(FILE,seconds=3), not of "
            f"{request.strategy}"
        )
    hands, units = request.hands or HANDS, agent.own.poker.units
    against = None if request.against is None else make_bot(request.against)
    with Watch(request.quiet) as watch:
        watch.doing("gauging")
        try:
            found = search_gain(
                agent,
                hands,
                against,
                seed=request.seed,
                on_progress=lambda found, total: watch.part(
                    "searching", found.hands, total, _mbb(found.gain, units)
                ),
            )
        except KeyboardInterrupt:
            raise StoppedError("stopped before the third hand") from None
    if request.json:
        print_json(_document(request, agent, found, units))
    else:
        _print(agent, request.against, found, units)
    if found.hands < hands:
        raise StoppedError(f"stopped after {found.hands:,} of {hands:,} hands")


def _mbb(mean: Mean, units: Units) -> str:
    return f"{units.mbb(mean.value):+,.0f} ±{units.mbb(mean.half):,.0f} mbb/h"


def _print(agent: HoldemAgent, against: str | None, found: SearchGain, units: Units) -> None:
    rows = [["", "gain", "searches", "iterations", "gap", "CPU s"]]
    for street, mean in found.by_street.items():
        made = _of(found.searches, street)
        gap = "" if made["gap"] is None else f"{made['gap']:.2g}%"
        rows.append(
            [street, _mbb(mean, units), f"{made['searches']:,}", f"{made['iterations']:,.0f}", gap,
             f"{made['cpu_seconds']:.2f}"]
        )  # fmt: skip
    for position, mean in zip(agent.own.positions, found.by_player, strict=True):
        rows.append([f"as {position}", _mbb(mean, units), "", "", "", ""])
    rows.append(["in all", _mbb(found.gain, units), f"{len(found.searches):,}", "", "", ""])
    print_columns(rows, 1)
    say()
    advise(
        f"{found.hands:,} hands of the blueprint against {against or 'itself'}, in "
        f"{found.searched:,} of which {agent.name} searched. Intervals are of 95%; above zero the "
        "search wins."
    )


def _document(
    request: GaugeRequest, agent: HoldemAgent, found: SearchGain, units: Units
) -> dict[str, object]:
    return {
        "strategy": request.strategy,
        "game": agent.strategy.spec,
        "against": request.against,
        "hands": found.hands,
        "seed": request.seed,
        **_told(found.gain, units),
        "by_player": [_told(mean, units) for mean in found.by_player],
        "by_street": {
            street: {**_told(mean, units), **_of(found.searches, street)}
            for street, mean in found.by_street.items()
        },
        "searched": found.searched,
    }


def _told(mean: Mean, units: Units) -> dict[str, object]:
    half = mean.half
    return {
        "gain": mean.value,
        "half": half,
        "mbb": units.mbb(mean.value),
        "mbb_half": units.mbb(half),
    }


def _of(searches: Sequence[Certificate], street: str) -> Json:
    """How far the searches of a street got, on average."""
    made = [one for one in searches if one.street == street]
    gaps = [100 * one.gap / one.pot for one in made if one.gap is not None]
    return {
        "searches": len(made),
        "iterations": sum(one.iterations for one in made) / len(made),
        "gap": sum(gaps) / len(gaps) if gaps else None,
        "cpu_seconds": sum(one.cpu_seconds for one in made) / len(made),
    }
