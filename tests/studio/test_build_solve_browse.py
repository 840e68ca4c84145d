"""A player who never saw a command line: builds a river, watches it solve, walks through it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import counterfold as cf
from counterfold.evaluate.public_view import Browser
from counterfold.poker.view import CLASSES
from counterfold.studio import worker
from counterfold.studio.folder import Folder
from counterfold.studio.jobs import Queue
from tests.studio.conftest import Server

Visit = Callable[[str], Any]
AA, KK, AKS = CLASSES.index("AA"), CLASSES.index("KK"), CLASSES.index("AKs")


def _expect() -> Any:
    from playwright.sync_api import expect

    return expect


def cell(page: Any, k: int, nth: int = 0) -> Any:
    return page.locator(f".cell[data-k='{k}']").nth(nth)


def test_build_a_spot_by_clicking(visit: Visit, studio: Server) -> None:
    expect = _expect()
    page = visit("/build")
    words = page.get_by_label("First to act (oop) in words")
    page.wait_for_selector(".takes dd")
    words.fill("QQ+,AKs:0.5")
    page.wait_for_selector("text=20 combos")
    page.get_by_role("button", name="None").first.click()
    expect(words).to_have_value("")
    cell(page, AA).hover()  # drag from aces to kings along the diagonal
    page.mouse.down()
    cell(page, KK).hover()
    page.mouse.up()
    expect(words).to_have_value("KK+")
    page.get_by_label("weight of the brush").first.fill("50")
    cell(page, AKS).click()
    expect(words).to_have_value("KK+,AKs:0.5")
    page.get_by_label("AsKs 50%").first.click()  # one suit of the class
    expect(words).to_have_value(re.compile("AhKh:0.5"))
    # The board, and what is wrong, at its field in the library's words.
    page.get_by_role("button", name="2c", exact=True).click()
    page.get_by_role("button", name="Qh", exact=True).click()
    assert page.locator(".laid .playing:not(.none)").count() == 5
    page.get_by_label("Pot").fill("-5")
    trouble = page.locator(".field.wrong .trouble")
    trouble.wait_for()
    assert 'the spot, "pot": this must be a number above 0, not -5' in trouble.inner_text()
    assert page.get_by_role("button", name="Solve").is_disabled()
    page.get_by_label("Pot").fill("60")
    page.wait_for_selector(".takes .strong:not([disabled])")
    assert re.search(r"\d kB", page.locator(".takes .taken").inner_text())
    assert "about" in page.locator(".takes .taken").inner_text()


def test_a_small_game_by_name(visit: Visit, studio: Server) -> None:
    page = visit("/build?game=kuhn")
    page.wait_for_selector("text=Infosets")
    assert "12" in page.locator(".games .taken").inner_text()
    page.get_by_role("button", name="holdem:hu", exact=True).click()  # a table: a blueprint
    page.wait_for_selector("text=Nodes of betting")
    page.get_by_label("Buckets").fill("100")
    page.wait_for_selector(".games .strong:not([disabled])")


def test_a_blueprint_is_a_job_that_goes_on(tmp_path: Path) -> None:
    """As `worker` does it, of a game so small that every hand has its bucket."""
    folder = Folder(tmp_path)
    folder.own.mkdir()
    queue = Queue(folder)
    queue.closed = True  # it begins nothing by itself
    before = 0
    for seconds in (0.5, 5.0):
        job = {"game": "leduc", "buckets": "200", "seconds": seconds}
        if not before:
            number = queue.add("blueprint", "leduc", job, "made.safetensors")
        else:
            queue.go_on(number, **job)
        assert worker.main(str(tmp_path), number) == 0
        state = queue.job(number)
        assert state["phase"] == "done", state
        result = state["result"]
        assert result["iterations"] > before
        before = result["iterations"]
        assert [one["player"] for one in result["gains"]] == [0, 1]
    assert result["gains"][0]["gain"] < 1.0
    assert cf.load(tmp_path / "made.safetensors").at("Ks", "")["bet"] >= 0


def test_solve_and_watch(visit: Visit, studio: Server) -> None:
    page = visit("/build?file=river.json")
    page.get_by_label("Name", exact=True).fill("clicked")
    page.wait_for_selector(".takes .strong:not([disabled])")
    page.get_by_role("button", name="Solve").click()
    job = page.locator(".job.chosen")
    page.wait_for_selector('.job.chosen[data-phase="done"]', timeout=400_000)
    assert "of the pot, exactly" in job.inner_text()
    assert job.locator("svg path.fall").count() == 1
    job.get_by_role("link", name="Browse").click()
    page.wait_for_selector(".gridcard .cell.there")
    assert (studio.folder / "clicked.safetensors").exists()


def test_browse_by_mouse_and_keys(visit: Visit, studio: Server) -> None:
    expect = _expect()
    strategy = cf.load(studio.folder / "river-solved.safetensors")
    look = Browser(strategy)
    page = visit("/browse?file=river-solved.safetensors")
    page.wait_for_selector(".gridcard .cell.there")
    view = look.view("")
    shown = page.locator(".action").first.inner_text().split()
    share = view.totals.frequencies["check"]
    assert shown[1] == "check"
    assert abs(float(shown[-1].rstrip("%")) - 100 * share) <= 0.06
    page.locator(".action", has_text="bet 50").click()
    page.wait_for_selector("#page[data-line='bet 50']")
    page.keyboard.press("b")  # the second action: call
    page.wait_for_selector("#page[data-line='bet 50, call']")
    assert "ends" in page.locator(".line").inner_text()
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#page[data-line='bet 50']")
    page.keyboard.press("m")  # EV
    page.wait_for_selector("button[aria-pressed=true]:text-is('EV')")
    after = look.view("bet 50")
    number = float(cell(page, KK).locator("span").inner_text())
    assert abs(number - after.classes.ev[KK]) < 0.06
    cell(page, KK).click()
    page.wait_for_selector(".combos td.hand")
    assert page.locator(".combos tbody tr").count() == len(after.in_class(KK))
    page.keyboard.press("o")
    expect(page.locator(".side:not([hidden])")).to_have_count(2)
    assert "both=1" in page.url


def test_cards_of_the_next_street(visit: Visit, studio: Server) -> None:
    page = visit("/browse?file=turn-solved.safetensors&line=check,%20check")
    page.wait_for_selector(".next")
    assert page.locator(".next").count() == 48
    page.keyboard.press("]")
    page.wait_for_selector("#page[data-line='check, check, [As]']")
    page.keyboard.press("]")
    page.wait_for_selector("#page[data-line='check, check, [Ah]']")
    assert page.locator(".next[aria-current=true]").count() == 1
