"""What a page asks for: everything at once, once, and nothing that it does not show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from counterfold.studio.server import FIRST, PAGES
from tests.studio.conftest import Server

Visit = Callable[[str], Any]


@pytest.mark.parametrize("name", PAGES)
def test_the_frame_names_what_the_page_will_ask_for(
    visit: Visit, studio: Server, name: str
) -> None:
    page = visit("/solve")  # any page, so that requests are seen from the beginning of the next
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(studio.url)))
    with page.expect_response(lambda answer: answer.request.is_navigation_request()) as waiting:
        page.goto(studio.url + ("/" if name == "home" else f"/{name}"))
    frame = waiting.value.text()
    page.wait_for_selector("#page > :not(.opening)", state="attached")
    page.wait_for_load_state("networkidle")
    named = set(re.findall(r'(?:src|href)="(/[^"]+)"', frame))
    modules = [path for path in asked if path.endswith(".js")]
    assert set(modules) <= named, set(modules) - named  # none is learned of from another one
    assert {path for path in named if path.endswith(".js")} <= set(modules)
    times = Counter(asked)
    assert [path for path in modules if times[path] > 1] == []
    if name in FIRST:
        assert times[FIRST[name]] == 1  # what was fetched ahead is what the page takes


def test_the_next_click_is_worked_out_ahead(studio: Server) -> None:
    """Both players' values of the first street are there before anybody clicks."""
    from counterfold.studio.browse import place
    from counterfold.studio.calls import Given
    from counterfold.studio.folder import Folder
    from counterfold.studio.server import Studio

    own = Studio(Folder(studio.folder))
    own.queue.closed = True
    given = {"file": "turn-solved.safetensors", "line": ""}
    place(own, Given(given))
    entry = own.opened.file(given["file"])
    entry._looking.join(60)
    assert not entry._looking.is_alive()
    entry.browser._run = pytest.fail  # type: ignore[union-attr, assignment]
    assert place(own, Given({**given, "line": "check"}))["views"][0]["player"] == "ip"
