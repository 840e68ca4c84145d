"""Clicks in the studio: from the click in a browser to the grid that it draws, street by street."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING
from urllib.parse import quote

from counterfold.errors import ParameterError
from counterfold.plot import figure
from counterfold.research.bench.spots import OTHER_SPOTS, SPOTS
from counterfold.research.bench.timing import Spread, spread
from counterfold.research.columns import Columns, Part, Table, named
from counterfold.research.drawing import bars, finished
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.studio.chromium import chromium, served, solved_into

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from playwright.sync_api import Page

GAMES = ("river_full", "turn_wide", "flop_pair")
LIMITS = {"river": 100.0, "turn": 100.0, "flop": 300.0}
ITERATIONS = 20
ROUNDS = 5
CLICK = """(action) => new Promise(done => {
  const page = document.getElementById("page"), began = performance.now();
  const watch = new MutationObserver(() => {
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
  });
  watch.observe(page, { attributes: true, attributeFilter: ["data-line"] });
  const wanted = [...document.querySelectorAll(action)];
  wanted[0].click();
})"""


@dataclass(frozen=True)
class Clicks(Spread):
    """Milliseconds on the clock from a click to the drawn grid."""

    spot: str
    street: str
    clicks: int
    limit: float
    first_page: float


@dataclass(frozen=True)
class Clicked(Result, what="studio"):
    """What clicks took, spot by spot."""

    clicks: tuple[Clicks, ...]


def run(games: Sequence[str] = GAMES, on_progress: Progress = no_progress) -> Clicked:
    """Walk through solutions of some spots in a browser, back and forth."""
    spots = {**SPOTS, **OTHER_SPOTS}
    for name in games:
        if name not in spots:
            raise ParameterError(f"there is no spot {name!r}; there are {', '.join(spots)}")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(games):
            on_progress(2 * number, 2 * len(games), f"solving {name}")
            solved_into(Path(folder), {name: spots[name]}, ITERATIONS)
            on_progress(2 * number + 1, 2 * len(games), f"clicking in {name}")
            with served(folder) as (address, _), chromium() as browser:
                page = browser.new_page(viewport={"width": 1360, "height": 900})
                began = perf_counter()
                page.goto(address)
                page.wait_for_selector("table.list tbody tr")
                first = 1e3 * (perf_counter() - began)
                page.goto(f"{address}/browse?file={quote(name)}.safetensors")
                page.wait_for_selector(".cell.there", timeout=600_000)
                street = name.partition("_")[0]
                spent = _walk(page)
                found.append(
                    Clicks(name, street, len(spent), LIMITS[street], first, **spread(spent))
                )
    return Clicked(tuple(found))


def _walk(page: Page) -> list[float]:
    """Clicks on actions and back again, at the beginning and one step on."""
    spent = []
    for _ in range(ROUNDS):
        for action in (1, 0):
            spent.append(page.evaluate(CLICK, f".action:nth-child({action + 1})"))
            if page.locator(".action").count():
                spent.append(page.evaluate(CLICK, ".action:last-child"))
                spent.append(page.evaluate(CLICK, ".step:nth-child(3) .who"))
            spent.append(page.evaluate(CLICK, ".step:nth-child(2) .who"))
    return spent


def show(result: Clicked) -> Iterator[Part]:
    """A row a spot."""
    columns: Columns = {
        **named("spot", "street", "clicks"),
        **named("median", to=".0f", p95="95%", most="most", limit="at most"),
        **named(to=".0f", first_page="first page"),
    }
    yield Table(result.clicks, columns, "Milliseconds on the clock from a click to the grid")


def draw(result: Clicked) -> Figure:
    """Median and 95% by spot."""
    made, (panel,) = figure(1, 1, size=(6, 4))
    series = {
        "median": [one.median for one in result.clicks],
        "95%": [one.p95 for one in result.clicks],
        "at most": [one.limit for one in result.clicks],
    }
    bars(panel, [one.spot for one in result.clicks], series, "ms from a click to the grid")
    return finished(made, "Clicks in the studio")
