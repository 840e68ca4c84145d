"""All of the studio without a mouse: a whole round, and every page from first stop to last."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import counterfold as cf
from tests.studio.conftest import RIVER, Server
from tests.studio.test_bend_play_report_games import finished

Visit = Callable[[str], Any]
LOOK = Path(__file__).with_name("focus.js").read_text().rstrip()
FOCUS, MISSED = f"{LOOK}.now()", f"{LOOK}.missed()"
PAGES = {
    "/": "table.list tbody tr",
    "/build": ".takes .strong:not([disabled])",
    "/build?game=leduc": ".games .strong:not([disabled])",
    "/solve": "#page > *",
    "/browse": "#page li a",
    "/browse?file=turn-solved.safetensors&line=check,%20check": ".next",
    "/browse?file=river-solved.safetensors&both=1": ".cell.there",
    "/bend?file=river-solved.safetensors": ".cell",
    "/bend?file=river-solved.safetensors&tab=style": ".slider",
    "/bend?file=river-solved.safetensors&tab=target": ".fields .strong",
    "/bend?file=river-solved.safetensors&tab=exploit": ".fields .strong",
    "/play?against=river-solved.safetensors": ".move, .result b",
    "/report": "#page .strong",
    "/game?file=kuhn.safetensors": ".tree svg circle",
}


def tab_to(page: Any, wanted: str, most: int = 150) -> None:
    """Press Tab until something has the focus; whatever had it before was seen to have it."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("css => document.activeElement.matches(css)", wanted):
            return
    raise AssertionError(f"Tab does not come to {wanted}; it is at {page.evaluate(FOCUS)}")


@pytest.fixture(scope="module")
def kuhn(studio: Server) -> None:
    cf.solve("kuhn", until=50, save=studio.folder / "kuhn.safetensors")


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.usefixtures("kuhn")
def test_tab_goes_through_a_page_in_order_and_out_of_it(visit: Visit, path: str) -> None:
    page = visit(path)
    page.wait_for_selector(PAGES[path])
    places: list[int] = []
    for _ in range(200):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUS)
        if found["tag"] == "BODY" or (places and found["place"] == places[0]):
            break  # out of the page again, which has no trap
        assert found["ring"], found
        assert found["seen"], found
        assert found["name"], found
        places.append(found["place"])
    else:
        raise AssertionError("Tab never leaves the page")
    assert places == sorted(places)  # the order is that of the document
    assert len(places) > 10
    assert page.evaluate(MISSED) == []  # nothing is left out


def test_a_round_by_keys(visit: Visit, studio: Server) -> None:
    page = visit("/")
    page.wait_for_selector("table.list tbody tr")
    page.keyboard.press("2")  # Build
    page.wait_for_selector(".takes .strong:not([disabled])")
    tab_to(page, ".pick")
    for _ in range(4):  # to the eight of spades, from the ace of spades
        page.keyboard.press("ArrowRight")
    for key in ("ArrowDown", "ArrowRight", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.dataset.card") == "8s"
    page.keyboard.press("Space")  # a sixth card is not taken
    assert page.locator(".laid .playing:not(.none)").count() == 5
    tab_to(page, ".build .grid.painted")
    words = page.get_by_label("First to act (oop) in words")
    tab_to(page, "textarea")
    page.keyboard.press("Control+a")
    page.keyboard.type("KK")
    page.wait_for_selector("text=6 combos")
    for _ in range(40):  # back to the grid
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.matches('.grid')"):
            break
    page.keyboard.press("Space")  # aces, where the grid begins
    page.wait_for_function("one => one.value === 'KK+'", arg=words.element_handle())
    page.keyboard.press("Shift+ArrowRight")  # with shift along the way: aces off, AKs as well
    page.keyboard.up("Shift")
    page.wait_for_function("one => one.value === 'KK'", arg=words.element_handle())
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    page.wait_for_function("one => one.value === 'KK,AJs'", arg=words.element_handle())
    tab_to(page, ".takes .field input")
    page.keyboard.press("Control+a")
    page.keyboard.type("by keys")
    page.wait_for_selector(".takes .strong:not([disabled])")
    tab_to(page, ".takes .strong")
    page.keyboard.press("Enter")
    page.wait_for_selector('.job.chosen[data-phase="done"]', timeout=400_000)
    tab_to(page, ".job.chosen a.strong")
    page.keyboard.press("Enter")
    page.wait_for_selector(".gridcard .cell.there")
    _browse(page)
    _bend(page, studio)
    _play(page)
    page.keyboard.press("7")
    page.wait_for_selector("text=A spot on many flops")
    page.keyboard.press("8")
    page.wait_for_selector("text=Which game?")


def _browse(page: Any) -> None:
    """A walk, a cell, a mode, what it is sent by."""
    tab_to(page, ".choice")
    first = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#page[data-line='{first}']")
    # What was drawn anew has the focus again: the same choice of the line.
    page.wait_for_function("text => document.activeElement.textContent === text", arg=first)
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#page[data-line='']")
    tab_to(page, ".grid")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.locator(".cell.chosen").get_attribute("data-k") == "14"
    page.wait_for_selector(".detailcard h2:text-is('KK')")
    page.keyboard.press("m")
    page.wait_for_selector("button[aria-pressed=true]:text-is('EV')")
    page.keyboard.press("s")
    page.wait_for_selector("dialog[open] .commandline")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open] .keys")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.matches('.grid')")  # where it was before


def _bend(page: Any, studio: Server) -> None:
    """Kings are locked by painting, without a mouse; tabs by arrows."""
    page.keyboard.press("5")
    page.wait_for_selector("#page li a")
    tab_to(page, "#page li a[href*='by%20keys'], #page li a[href*='by+keys']")
    page.keyboard.press("Enter")
    page.wait_for_selector(".bendbody .cell.there")
    tab_to(page, ".bendbody .grid")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.wait_for_selector("li >> text=KK")
    tab_to(page, ".bendbody .strong")
    page.keyboard.press("Enter")
    assert finished(studio, "by keys, 1 lock")["phase"] == "done"
    tab_to(page, "[role=tab]")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".slider")
    assert page.evaluate("document.activeElement.textContent") == "A style"
    tab_to(page, ".slider input")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.locator(".slider output").first.inner_text() != "1"


def _play(page: Any) -> None:
    """A hand, by Tab and Enter; the next one, by letters."""
    page.keyboard.press("6")
    page.wait_for_selector("text=Sit down")
    tab_to(page, ".fields input")
    page.keyboard.press("Control+a")
    page.keyboard.type("river-solved.safetensors")
    page.keyboard.press("Escape")  # the list of names is closed, and then the field left
    tab_to(page, ".fields .strong")
    page.keyboard.press("Enter")
    page.wait_for_selector(".move, .result b")
    for _ in range(6):
        if page.locator(".result b").count():
            break
        tab_to(page, ".move")
        before = page.locator(".deciding").element_handle()
        page.keyboard.press("Enter")
        page.wait_for_function("old => !old.isConnected", arg=before)
    page.wait_for_selector(".result b")
    page.keyboard.press("n")
    page.get_by_role("heading", name="Hand 2 ").wait_for()


def test_enter_uses_what_has_the_focus_and_not_the_page(visit: Visit, studio: Server) -> None:
    """On Play, Enter deals the next hand, but not while a button has the focus."""
    page = visit("/play?against=river-solved.safetensors")
    page.wait_for_selector(".move, .result b")
    while not page.locator(".result b").count():
        before = page.locator(".deciding").element_handle()
        page.keyboard.press("a")
        page.wait_for_function("old => !old.isConnected", arg=before)
    page.get_by_role("button", name="Save the session").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#notice.shown:has-text('session')")
    assert page.locator(".result b").count() == 1
    assert list(studio.folder.glob("session*.jsonl"))


def test_a_deck_is_one_stop_and_goes_by_arrows(visit: Visit) -> None:
    page = visit("/browse?file=turn-solved.safetensors&line=check,%20check")
    page.wait_for_selector(".next")
    tab_to(page, ".next")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("As")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Ah")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("#page[data-line='check, check, [Kh]']")
    page.wait_for_selector(".next[aria-current=true]")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Kh")
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.matches('.next')")


def test_a_spot_that_is_brought_can_be_opened_by_keys(visit: Visit, studio: Server) -> None:
    (studio.folder / "zz spot.json").write_text(json.dumps(RIVER))
    page = visit("/")
    page.wait_for_selector("td >> text=zz spot.json")
    page.keyboard.press("/")
    page.keyboard.type("zz spot")
    page.wait_for_function("document.querySelectorAll('tbody tr').length === 1")
    tab_to(page, "td a")
    page.keyboard.press("Enter")
    page.wait_for_selector(".takes dd")
    assert "zz" in page.url
