"""``counterfold show --stats``: VPIP and its like, seat by seat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterfold.cli.output import advise, print_columns, print_json, say
from counterfold.cli.show import player_of, provenance
from counterfold.evaluate.statistics import statistics
from counterfold.poker.statistics import Stat, Statistics
from counterfold.strategy.strategy import Strategy

if TYPE_CHECKING:
    from counterfold.cli.verbs.solving import ShowRequest

TITLES = {"vpip": "VPIP", "pfr": "PFR", "wtsd": "WTSD", "w$sd": "W$SD", "af": "AF"}


def show_statistics(request: ShowRequest, strategy: Strategy) -> None:
    """Count, and print a table or JSON."""
    found = statistics(strategy, request.boards)
    who = player_of(request.player, len(found.seats), found.seats)
    if request.json:
        document = {"game": strategy.spec, **found.to_dict(), "about": dict(strategy.about)}
        if who is not None:
            document["seats"] = {found.seats[who]: document["seats"][found.seats[who]]}
        print_json(document)
        return
    advise(provenance(strategy))
    say()
    print_statistics(found, who)


def print_statistics(found: Statistics, who: int | None = None) -> None:
    """A row a seat, in percent; what never comes up is left out."""
    names = [name for name, own in found.by_name.items() if any(own)]
    rows = [("seat", *(TITLES.get(name, name) for name in names))]
    for p, seat in enumerate(found.seats):
        if who in (None, p):
            rows.append((seat, *(_told(name, found.by_name[name][p]) for name in names)))
    print_columns(rows)
    if found.boards is not None:
        say()
        advise(f"In percent, over {found.boards:,} boards that were drawn, with 95% intervals.")


def _told(name: str, stat: Stat | None) -> str:
    if stat is None:
        return "-"
    scale = 1 if name == "af" else 100
    half = f" ±{scale * stat.half:.1f}" if stat.half else ""
    return f"{scale * stat.value:.1f}{half}"
