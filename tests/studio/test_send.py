"""Each thing seen can be sent: on every page a link, a picture, a table, a page, and a command that
does the same when it is run in the folder."""

from __future__ import annotations

import csv
import json
import shlex
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.bucket_maker import Recipe
from counterfold.abstraction.buckets import save_buckets, starting_hands
from counterfold.poker.table import DEALT
from tests.cli.conftest import Answer, invoked
from tests.studio.conftest import RIVER, Server
from tests.studio.test_bend_play_report_games import finished
from tests.studio.test_tables import few

Visit = Callable[[str], Any]
SMALL = {
    **RIVER,
    **{"board": "Ks 9h 6s", "oop": "AA,QQ", "ip": "KK,JJ", "last_street": "flop"},
    **{"bets": ["100%"], "raises": [], "stack": 100},
}
TABLES = {
    "/": "table.list tbody tr",
    "/build": ".takes .strong:not([disabled])",
    "/build?game=kuhn": ".games .strong:not([disabled])",
    "/solve": ".job[data-phase='done']",
    "/browse?file=river-solved.safetensors&line=bet%2050&mode=ev": ".cell.there",
    "/browse?file=river-solved.safetensors&with=jam.safetensors": ".cell.there",
    "/report?file=jam.safetensors": ".seats td",
    "/game?file=kuhn.safetensors": ".tree svg circle",
}
"""Pages with a table to send, and what tells that they are there."""
OTHERS = {
    "/bend?file=river-solved.safetensors&tab=lock": ".cell",
    "/bend?file=river-solved.safetensors&tab=style": ".slider",
    "/play?against=river-solved.safetensors": ".move, .result b",
    "/report": "#page .strong",
}
"""Pages which may have none."""


@pytest.fixture(scope="module", autouse=True)
def files(studio: Server) -> None:
    cf.solve("kuhn", until=50, save=studio.folder / "kuhn.safetensors")
    cf.solve("holdem:jamfold(stack=10)", until=20, save=studio.folder / "jam.safetensors")
    (studio.folder / "small.json").write_text(json.dumps(SMALL))
    studio.post("/api/jobs", game="kuhn", name="sent kuhn", iterations=50)
    assert finished(studio, "sent kuhn")["phase"] == "done"


@pytest.fixture(autouse=True)
def there(studio: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(studio.folder)


def sheet(page: Any) -> Any:
    page.locator("#send").click()
    return page.locator("dialog[open]")


def words(page: Any) -> list[str]:
    """The command of a page."""
    found = shlex.split(sheet(page).locator(".commandline").input_value())
    page.keyboard.press("Escape")
    assert found[0] == "counterfold"
    return found[1:]


def both(page: Any) -> list[list[str]]:
    """The two commands of a blueprint: hands are sorted first, which its time does not count."""
    found = shlex.split(sheet(page).locator(".commandline").input_value())
    page.keyboard.press("Escape")
    middle = found.index("&&")
    assert found[0] == found[middle + 1] == "counterfold"
    return [found[1:middle], found[middle + 2 :]]


def run(*command: str, **how: Any) -> Answer:
    answer: Answer = invoked(*command, **how)  # type: ignore[no-untyped-call]
    assert answer.code == 0, answer
    return answer


@pytest.mark.parametrize("path", [*TABLES, *OTHERS])
def test_every_page_is_sent_in_every_way(visit: Visit, tmp_path: Path, path: str) -> None:
    page, ready = visit(path), (TABLES | OTHERS)[path]
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.wait_for_selector(ready)
    has_table = path in TABLES or page.locator("#page table").count() > 0  # of other tests' results
    title = page.locator("#page h1, #page h2").first.text_content()
    sheet(page).get_by_role("button", name="Copy the link").click()
    page.wait_for_selector("#notice:has-text('The link is copied')")
    link = page.evaluate("navigator.clipboard.readText()")
    found: dict[str, Path] = {}
    for way in ("Picture (PNG)", "Table (CSV)", "Page (HTML)"):
        button = sheet(page).get_by_role("button", name=way)
        if way == "Table (CSV)" and not has_table:
            assert button.is_disabled()
            page.keyboard.press("Escape")
            continue
        with page.expect_download() as waiting:
            button.click()
        found[way] = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(found[way])
    picture = found["Picture (PNG)"].read_bytes()
    assert picture[:4] == b"\x89PNG"
    assert int.from_bytes(picture[16:20]) >= 1200  # as wide as what is seen
    if has_table:
        rows = list(csv.reader(found["Table (CSV)"].read_text().splitlines()))
        assert len(rows) >= 2
        assert len(rows[0]) >= 2
    text = found["Page (HTML)"].read_text()
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org", "")
    other = page.context.new_page()
    other.goto(found["Page (HTML)"].as_uri())
    other.wait_for_selector("body *")
    assert not other.locator("[src^='/'], link[href]").count()  # it needs nothing else
    other.goto(link)
    other.wait_for_selector(ready)
    assert other.locator("#page h1, #page h2").first.text_content() == title
    other.close()


def test_commands_of_build_and_of_the_queue(visit: Visit, studio: Server) -> None:
    page = visit("/")
    page.wait_for_selector("tbody tr")
    assert words(page) == ["studio", "."]
    page = visit("/build?game=kuhn")
    page.wait_for_selector(".games .strong:not([disabled])")
    command = words(page)
    assert command == ["solve", "kuhn", "--save", "kuhn.safetensors"]
    run(*command[:2], "--save", "again.safetensors")
    page = visit("/solve")
    page.wait_for_selector(".job")
    job = finished(studio, "sent kuhn")
    page = visit(f"/solve?job={job['id']}")
    page.wait_for_selector(".job.chosen")
    command = words(page)
    assert command[-1] == job["file"]
    answer = run(*command[:-1], "anew.safetensors", "--json")
    assert json.loads(answer.out)["exploitability"] == job["result"]["exploitability"]


def test_the_command_of_a_blueprint_makes_the_same_file(
    visit: Visit, studio: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Build tells is what its job then runs; of one that is done its iterations are told, and
    it was even stopped on the way."""
    own = studio.folder / ".studio"
    recipe = Recipe.of(DEALT, 7)
    later = [replace(few(cards), about=recipe.about) for cards in DEALT[1:]]
    save_buckets(own / "buckets 7.cf", [starting_hands(), *later])
    page = visit("/build?game=holdem:hu(stack%3D12)")
    page.wait_for_selector("text=Nodes of betting")
    page.get_by_label("Buckets").fill("7")
    page.get_by_label("Minutes").fill("600")
    page.wait_for_selector(".games .strong:not([disabled])")
    asked = both(page)
    page.locator(".games .strong").click()
    page.wait_for_selector(".job.chosen[data-phase=running]:has-text('sampling deals')")
    assert both(page) == asked
    job = studio.get("/api/jobs")["jobs"][0]
    assert asked[1][-3:] == ["600", "--save", job["file"]]
    page.locator(".job.chosen").get_by_role("button", name="Stop").click()
    page.wait_for_selector(".job.chosen[data-phase=stopped]")
    begun = cf.load(studio.folder / job["file"]).about["iteration"]
    studio.post("/api/jobs/go", id=job["id"], iterations=begun + 1000)
    job = finished(studio, job["title"])
    assert job["result"]["iterations"] == begun + 1000
    page.reload()
    page.wait_for_selector(".job.chosen[data-phase=done]")
    sorting, sampling = both(page)
    assert sampling[-4:] == ["--iterations", str(begun + 1000), "--save", job["file"]]
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".studio").mkdir()
    shutil.copy(own / "buckets 7.cf", ".studio")
    run(*sorting)
    run(*sampling)
    one, two = (cf.load(path / job["file"]) for path in (studio.folder, tmp_path))
    assert one.about["iteration"] == two.about["iteration"]
    mine, other = (made.layout.arrays(made.tables) for made in (one, two))
    assert mine.keys() == other.keys()
    assert all(np.array_equal(mine[key], other[key]) for key in mine)


def test_commands_that_show(visit: Visit, studio: Server) -> None:
    page = visit("/browse?file=river-solved.safetensors&line=bet%2050&mode=equity")
    page.wait_for_selector(".cell.there")
    shares = [text.split()[-1] for text in page.locator(".action").all_inner_texts()]
    command = words(page)
    found = json.loads(run(*command, "--json").out)
    told = [f"{100 * share:.1f}%" for share in found["frequencies"].values()]
    assert told == shares
    assert command[-2:] == ["--mode", "equity"]
    run(*command)
    page = visit("/game?file=kuhn.safetensors&pattern=K*")
    page.wait_for_selector(".mixcell")
    answer = run(*words(page))
    assert "K" in answer.out
    page = visit("/report?file=jam.safetensors")
    page.wait_for_selector(".seats td")
    vpip = page.locator(".seats td").nth(1).inner_text()
    assert vpip.rstrip("%") in run(*words(page)).out.split()
    page.get_by_label("Situation").select_option(index=1)
    page.wait_for_function("location.search.includes('situation=0')")
    page.wait_for_selector(".chart")
    assert "SB" in run(*words(page)).out


def test_commands_that_bend(visit: Visit, studio: Server) -> None:
    """Style, target and opponent, at a spot, at a table and at a small game."""
    for file in ("river-solved", "kuhn", "jam"):
        page = visit(f"/bend?file={file}.safetensors&tab=style")
        page.wait_for_selector(".slider")
        page.locator(".slider input").first.fill("50")
        page.get_by_label("May give up").fill("0.1")
        found = json.loads(run(*words(page), "--json").out)
        accuracy = 1e-3 * (found["plain"].get("pot") or 1.0)  # to which both are solved
        assert found["cost"] > -accuracy
        page.get_by_role("tab", name="A target").click()
        page.get_by_label("How often").fill("50")
        page.get_by_label("May cost at most").fill("0.5")
        command = words(page)
        assert command[:1] == ["style"]
        assert "--target" in command
        page.get_by_role("tab", name="An opponent").click()
        command = words(page)
        assert command[:1] == ["exploit"]
        found = json.loads(run(*command, "--json").out)
        assert found["curve"]["lines"][0]["points"]


def test_commands_of_targets_meet_them(visit: Visit) -> None:
    page = visit("/bend?file=river-solved.safetensors&tab=target")
    page.get_by_label("What", exact=True).fill("bet@river")
    page.get_by_label("how often").fill("40")
    page.get_by_label("May cost at most").fill("20")
    found = json.loads(run(*words(page), "--json").out)
    assert found["targets"][0]["reached"] == pytest.approx(0.4, abs=0.02)


def test_locks_of_a_table_are_sent(visit: Visit, studio: Server) -> None:
    page = visit("/bend?file=jam.safetensors")
    page.wait_for_selector(".cell.there")
    page.get_by_role("button", name="fold", exact=True).last.click()
    page.locator(".cell[data-k='0']").click()
    page.wait_for_selector("li >> text=AA")
    command = words(page)
    assert command[1].startswith("holdem")
    page.get_by_role("button", name="Solve again with these locks").click()
    assert finished(studio, "jam, 1 lock")["phase"] == "done"
    run(*command, "--save", "locked jam.safetensors")
    assert cf.load("locked jam.safetensors").at("AhAd", "")["fold"] == 1


def test_the_command_of_play_sits_down(visit: Visit) -> None:
    for path in ("against=river-solved.safetensors", "game=kuhn&against=kuhn.safetensors"):
        page = visit(f"/play?{path}")
        page.wait_for_selector(".move, .result b")
        answer = run(*words(page), input="q\n")
        assert "Hand 1" in answer.out


def test_the_command_of_a_report_finds_the_same(visit: Visit, studio: Server) -> None:
    page = visit("/report")
    page.get_by_label("Spot").select_option("small.json")
    page.get_by_label("Flops").fill("Ks7h2d, AsAhQd")
    asked = words(page)
    page.get_by_role("button", name="Solve them").click()
    assert finished(studio, "small on 2 flops")["phase"] == "done"
    page.wait_for_selector(".plot circle >> nth=1")
    command = words(page)
    assert command == asked
    found = json.loads(run(*command, "--json").out)
    shown = sorted(page.locator("tbody tr td:nth-child(3)").all_inner_texts())
    assert sorted(f"{row['ev']['oop']:.2f}" for row in found["flops"]) == shown
