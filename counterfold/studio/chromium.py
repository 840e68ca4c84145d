"""A browser to click in a studio with: for tests, benchmarks, and the pictures of the docs.

``python -m counterfold.studio.chromium PICTURE.png`` makes the picture of the README.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from counterfold.errors import MissingExtraError
from counterfold.solvers.result import solve

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-sync", "--disable-background-networking", "--disable-component-update"),
]
SHOWN = {
    "name": "river",
    "board": "Ks 9h 6s 4d 2c",
    "pot": 100,
    "stack": 200,
    "oop": "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,97s+,ATo+,KTo+,QJo",
    "ip": "22+,A2s+,K8s+,Q9s+,J9s+,T8s+,98s,A9o+,KTo+,QTo+,JTo",
    "bets": ["50%", "100%"],
    "raises": ["60%", "allin"],
}


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium of this machine under Playwright."""
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found is None:
        raise MissingExtraError("there is no Chromium to click in: apt-get install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise MissingExtraError(
            "clicking in a browser needs Playwright: pip install playwright"
        ) from None
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def served(
    folder: str | os.PathLike[str], *options: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """``counterfold studio`` on a free port as its users start it: its address and its process."""
    command = [sys.executable, "-m", "counterfold", "studio", str(folder), "--port", "0"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [*command, "--no-browser", *options], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = re.search(r"http://\S+", line)
        if address is None:
            raise MissingExtraError("the studio did not start: pip install 'counterfold[studio]'")
        try:
            yield address[0].rstrip("/"), process
        finally:
            process.terminate()
            process.wait(30)


def solved_into(folder: Path, spots: Mapping[str, Mapping[str, object]], iterations: int) -> None:
    """Solutions of some spots, by their names, in a folder."""
    for name, spot in spots.items():
        (folder / f"{name}.json").write_text(json.dumps(spot))
        path = folder / f"{name}.safetensors"
        solve(str(folder / f"{name}.json"), until=iterations, save=path)


def main(picture: str) -> None:
    """The page of a solved river, light, as the README shows it."""
    with tempfile.TemporaryDirectory() as folder:
        solved_into(Path(folder), {"river": SHOWN}, 300)
        with served(folder) as (address, _), chromium() as browser:
            page = browser.new_page(viewport={"width": 1360, "height": 900}, color_scheme="light")
            page.goto(f"{address}/browse?file=river.safetensors&line=bet%2050")
            page.wait_for_selector(".cell.there")
            page.locator(".cell[data-k='1']").first.click()
            page.wait_for_selector(".combos td.hand")
            page.screenshot(path=picture)


if __name__ == "__main__":
    main(sys.argv[1])
