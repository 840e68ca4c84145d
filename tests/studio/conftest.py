"""A studio that runs as its users run it, and a real browser to click in it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from counterfold.errors import MissingExtraError
from counterfold.studio.chromium import chromium, served
from tests.conftest import heed_signals

RIVER = {
    "board": "Ks 9h 6s 4d 2c",
    "pot": 100,
    "stack": 200,
    "oop": "QQ+,99,AKs,A5s-A4s:0.5",
    "ip": "JJ+,KQs,87s",
    "bets": ["50%", "100%"],
    "raises": ["allin"],
}
TURN = {**RIVER, "board": "Ks 9h 6s 4d", "oop": "QQ,99", "ip": "JJ,87s", "bets": ["50%"]}


@dataclass
class Server:
    """A running studio: its address, its folder, and what it printed first."""

    url: str
    folder: Path
    line: str
    process: subprocess.Popen[str]

    def get(self, path: str) -> Any:
        with urlopen(self.url + path, timeout=30) as answer:
            return json.load(answer)

    def post(self, path: str, **body: Any) -> Any:
        request = Request(
            self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)


@contextmanager
def running(folder: Path, *more: str) -> Iterator[Server]:
    """``counterfold studio`` on a free port, until the block ends."""
    with served(folder, *more) as (url, process):
        yield Server(url.partition("/?")[0], folder, url, process)


@pytest.fixture(scope="session", autouse=True)
def in_the_foreground() -> Iterator[None]:
    """Signals are heeded, however the tests were started."""
    before = heed_signals()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A studio for all tests of the session, with a solved river and a solved turn."""
    import counterfold as cf

    folder = tmp_path_factory.mktemp("studio")
    for name, spot in (("river", RIVER), ("turn", TURN)):
        (folder / f"{name}.json").write_text(json.dumps(spot))
        cf.solve(str(folder / f"{name}.json"), until=60, save=folder / f"{name}-solved.safetensors")
    with running(folder) as server:
        yield server


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium, or another one that is there; under CI=true there must be one."""
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(chromium())
        except MissingExtraError as error:
            if os.environ.get("CI") == "true":
                raise
            pytest.skip(str(error))
        yield opened


@pytest.fixture
def visit(browser: Any, studio: Server) -> Iterator[Callable[[str], Any]]:
    """Open a page of the studio as a person does; errors of its scripts fail the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(20_000)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "request",
        lambda request: (
            errors.append(request.url)
            if not request.url.startswith(
                (studio.url, studio.url.replace("http", "ws"), "blob:", "data:")
            )
            else None
        ),
    )

    def open_(path: str) -> Any:
        page.goto(studio.url + path)
        return page

    yield open_
    context.close()
    assert not errors, errors
