"""Bending, playing, reports and games of one's own, by clicking as a person would."""

from __future__ import annotations

import csv
import json
import shlex
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import counterfold as cf
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.buckets import every_hand, starting_hands
from counterfold.strategy.strategy import Strategy
from counterfold.tree.named import poker_game
from tests.cli.conftest import invoked
from tests.studio.conftest import RIVER, Server, running
from tests.written import game_of_two

Visit = Callable[[str], Any]
COIN = game_of_two(
    "Coin",
    '("heads", "tails")',
    '"hides" if player == 0 else "guesses"',
    '(0, 0) if state[0] != state[1] else (-3, 3) if state[0] == "heads" else (-1, 1)',
)
"""One hides a coin, the other guesses."""


def finished(server: Server, title: str, seconds: float = 400) -> dict[str, Any]:
    """The job whose title has a part, when it is done."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        jobs = [job for job in server.get("/api/jobs")["jobs"] if title in job["title"]]
        if jobs and jobs[0]["phase"] in ("done", "failed"):
            assert jobs[0]["phase"] == "done", jobs[0]
            return dict(jobs[0])
        time.sleep(0.2)
    raise AssertionError(f"no job {title!r} has ended: {server.get('/api/jobs')['jobs']}")


def test_a_decision_that_is_painted_is_locked(visit: Visit, studio: Server) -> None:
    page = visit("/bend?file=river-solved.safetensors")
    page.get_by_role("button", name="check", exact=True).last.click()
    kings = page.locator(".cell[data-k='14']")
    kings.click()
    page.wait_for_selector("li >> text=KK")
    page.get_by_role("button", name="Solve again with these locks").click()
    job = finished(studio, "1 lock")
    strategy = cf.load(studio.folder / job["file"])
    assert strategy.at("KhKd", "")["check"] == 1
    page.wait_for_selector('.job[data-phase="done"]')
    page.get_by_role("link", name="See the difference").first.click()
    page.wait_for_selector(".grids.three .side:nth-child(3) .cell.there")
    assert "share of play that differs" in page.locator(".grids").inner_text()


def test_a_style_tells_exactly_what_it_costs(visit: Visit, studio: Server) -> None:
    page = visit("/bend?file=river-solved.safetensors&tab=style")
    page.get_by_label("how much bet is preferred").fill("60")
    page.get_by_role("button", name="Solve with this style").click()
    job = finished(studio, "style bet=6")
    plain, styled = job["result"]["plain"], job["result"]["styled"]
    assert job["result"]["cost"] == pytest.approx(
        styled["exploitability"] - plain["exploitability"]
    )
    page.wait_for_selector("text=It costs")


def test_a_target_is_met_or_its_nearest_is_told(visit: Visit, studio: Server) -> None:
    page = visit("/bend?file=river-solved.safetensors&tab=target")
    page.get_by_label("What", exact=True).fill("bet@river")
    page.get_by_label("how often").fill("40")
    page.get_by_label("May cost at most").fill("20")
    page.get_by_role("button", name="Find it").click()
    job = finished(studio, "bet@river 40 percent")
    (target,) = job["result"]["targets"]
    assert target["reached"] == pytest.approx(0.4, abs=0.02)


def test_an_opponent_is_answered_within_a_budget_of_risk(visit: Visit, studio: Server) -> None:
    page = visit("/bend?file=river-solved.safetensors&tab=exploit")
    page.get_by_label("Risk at most").fill("5")
    page.get_by_role("button", name="Answer").click()
    job = finished(studio, "against uniform")
    points = job["result"]["points"]
    risks = sorted(point["exploitability"] for point in points)
    risk = points[job["result"]["chosen"]]["exploitability"]
    assert risk <= 5
    above = min(one for one in risks if one > 5)
    assert above - risk < 0.2 * (risks[-1] - risks[0])  # and not far below what may be risked
    assert points[-1]["winnings"] == max(point["winnings"] for point in points)
    page.wait_for_selector(".job svg path.fall")


def test_a_budget_of_risk_is_used_up_at_a_small_game(visit: Visit, studio: Server) -> None:
    cf.solve("kuhn", until=50, save=studio.folder / "kuhn.safetensors")
    page = visit("/bend?file=kuhn.safetensors&tab=exploit")
    page.get_by_label("Risk at most").fill("0.05")
    page.get_by_role("button", name="Answer").click()
    result = finished(studio, "kuhn, against uniform")["result"]
    chosen = result["points"][result["chosen"]]
    assert chosen["exploitability"] == pytest.approx(0.05, abs=1e-6)
    assert chosen["winnings"] == pytest.approx(0.366667, abs=1e-5)  # as `safe_response` has it
    page.keyboard.press("Escape")  # out of the field
    page.keyboard.press("s")
    command = shlex.split(page.locator("dialog[open] .commandline").input_value())
    assert command[-2:] == ["--epsilon", "0.05"]
    found = json.loads(invoked(*command[1:], "--json").out)
    assert found["response"]["winnings"] == pytest.approx(chosen["winnings"], abs=1e-6)


def hand_is_dealt(page: Any, number: int) -> None:
    """Wait for a hand to lie on the table: what is seen of the one before does not count."""
    page.get_by_role("heading", name=f"Hand {number} ").wait_for()
    page.wait_for_selector(".move, .result b")


def hand_is_played(page: Any, number: int, move: Callable[[], None]) -> None:
    """Make a hand's decisions; each waits until the page has answered the one before."""
    hand_is_dealt(page, number)
    while page.locator(".move").count():
        before = page.locator(".deciding").element_handle()
        move()
        page.wait_for_function("old => !old.isConnected", arg=before)
    page.wait_for_selector(".result b")


def test_play_and_be_judged_by_exact_value(visit: Visit, studio: Server) -> None:
    page = visit("/play?against=river-solved.safetensors")
    for number in (1, 2, 3):
        hand_is_played(page, number, lambda: page.keyboard.press("a"))
        page.get_by_role("button", name="Next hand").click()
    hand_is_dealt(page, 4)
    assert "Luck taken out" in page.locator(".beside").inner_text()
    table = page.locator(".verdict td.num")
    if table.count():  # the best comes first
        worths = [float(text) for text in table.all_inner_texts()]
        assert worths[0] == max(worths[:2])


def test_what_cost_most_is_drilled(visit: Visit, studio: Server) -> None:
    page = visit("/play?against=river-solved.safetensors")
    for number in range(1, 13):
        hand_is_played(page, number, lambda: page.locator(".move").last.click())  # often the worst
        if page.get_by_role("button", name="Drill what cost most").is_enabled():
            break
        page.keyboard.press("n")
    page.get_by_role("button", name="Drill what cost most").click()
    page.wait_for_selector("text=Drill 1 of")
    page.keyboard.press("a")
    page.wait_for_selector(".verdict")


def test_many_flops_in_a_table_to_sort(visit: Visit, studio: Server) -> None:
    small = {"board": "Ks 9h 6s", "oop": "AA,QQ", "ip": "KK,JJ", "last_street": "flop"}
    flop = {**RIVER, **small, "bets": ["100%"], "raises": [], "stack": 100}
    (studio.folder / "flop.json").write_text(json.dumps(flop))
    page = visit("/report")
    page.get_by_label("Spot").select_option("flop.json")
    page.get_by_label("Flops").fill("Ks7h2d, AsAhQd, 9s8s7s")
    page.get_by_role("button", name="Solve them").click()
    finished(studio, "flop on 3 flops")
    page.wait_for_selector("text=3 of 3 flops are done")
    page.get_by_role("button", name="EV oop").click()
    first = [float(text) for text in page.locator("tbody td:nth-child(3)").all_inner_texts()]
    page.get_by_role("button", name="EV oop").click()
    assert [float(x) for x in page.locator("tbody td:nth-child(3)").all_inner_texts()] == first[
        ::-1
    ]
    assert page.locator(".plot circle").count() == 3
    page.get_by_label("Only flops that fit").fill("one suit")
    assert page.locator("tbody tr").count() == 1
    page.reload()  # the link leads to what is seen
    page.wait_for_selector(".plot circle")
    assert page.locator("tbody tr").count() == 1
    page.get_by_role("link", name="9s 8s 7s").click()
    page.wait_for_selector(".takes dd")
    assert page.locator(".laid button").all_inner_texts() == ["9\n♠", "8\n♠", "7\n♠"]


def test_a_table_of_holdem_by_position(visit: Visit, studio: Server) -> None:
    name = "holdem-jam.safetensors"
    cf.solve("holdem:jamfold(stack=10)", until=20, save=studio.folder / name)
    page = visit(f"/report?file={name}")
    page.wait_for_selector(".charts .cell.there")
    assert page.locator(".charts h2").all_inner_texts() == ["SB", "BB"]
    vpip = page.locator("tbody tr").first.locator("td").nth(1).inner_text()
    jams = page.locator(".charts .legend").first.locator("span").last.inner_text().split()[-1]
    assert vpip == jams  # who only jams or folds puts money in by jamming


def test_a_blueprint_has_charts_by_position(visit: Visit, studio: Server) -> None:
    table = BucketForm(poker_game("holdem:jamfold(players=3,stack=6)"), (starting_hands(),))
    Strategy.uniform(table).save(studio.folder / "three.cf")
    page = visit("/report")
    page.get_by_role("link", name="three.cf").click()
    page.wait_for_selector(".chart .cell.there")
    seats = page.locator(".chart h2")
    assert seats.all_inner_texts() == ["BTN", "SB", "SB", "BB", "BB"]
    page.wait_for_selector(".seats td")  # which are counted meanwhile
    rows = [row.split()[:2] for row in page.locator(".seats tbody tr").all_inner_texts()]
    assert rows == [["BTN", "50.0%"], ["SB", "50.0%"], ["BB", "37.5%"]]  # all choose evenly
    page.get_by_label("Situation").select_option("After BTN all-in 6")
    page.wait_for_selector(".charts > :nth-child(2):last-child")
    assert seats.all_inner_texts() == ["SB", "BB"]
    assert page.locator(".chart .legend b").all_inner_texts() == ["50.0%"] * 4
    page.locator(".chart").last.get_by_role("link", name="Browse").click()
    page.wait_for_selector("#page[data-line='all-in 6, fold'] .cell.there")


def test_a_blueprint_is_browsed_through_the_flop(visit: Visit, studio: Server) -> None:
    game = poker_game("fhp(deck=QKA,cap=2)")
    Strategy.random(BucketForm(game, every_hand(game)), 2).save(studio.folder / "flops.cf")
    page = visit("/browse?file=flops.cf")
    page.wait_for_selector(".cell.there")
    assert page.get_by_role("button", name="EV", exact=True).count() == 0  # not known
    for key, line in (("b", "call"), ("a", "call, check")):
        page.keyboard.press(key)
        page.wait_for_selector(f"#page[data-line='{line}']")
    for card in ("As", "Kh", "Qd"):
        page.locator(".deck").get_by_role("button", name=card, exact=True).click()
    page.wait_for_selector("#page[data-line='call, check, [As Kh Qd]']")
    page.keyboard.press("o")
    page.wait_for_selector(".grids.two")
    heads = page.locator(".side:not([hidden]) h2").all_inner_texts()
    assert heads[0].endswith("to act")
    assert len(heads) == 2


def test_play_at_a_table_of_three(visit: Visit) -> None:
    page = visit("/play?game=holdem:3max&against=loose")
    for number in (1, 2):
        hand_is_played(page, number, lambda: page.keyboard.press("b"))  # it calls or bets
        assert page.locator(".place").count() == 3
        page.keyboard.press("n")
    hand_is_dealt(page, 3)
    assert page.locator(".place .stack b").all_inner_texts() == ["BB", "BTN", "SB"]


def test_a_game_of_ones_own_has_what_kuhn_has(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(COIN)
    name = f"{tmp_path}/mine.py:Coin"
    with running(tmp_path, "--game", name) as server:
        page = browser.new_page()
        page.set_default_timeout(20_000)
        for game in (name, "kuhn"):
            page.goto(f"{server.url}/build?game={game}")
            page.wait_for_selector(".games .strong:not([disabled])")
            page.locator(".games .strong").click()
            page.wait_for_selector('.job.chosen[data-phase="done"]', timeout=400_000)
            page.locator(".job.chosen").get_by_role("link", name="Browse").click()
            page.wait_for_selector(".tree svg circle")
            assert page.locator(".halves .curve path.fall").count() == 1
            text = page.locator("#page").inner_text()
            assert "exactly" in text
        assert (
            page.locator(".tree svg circle").count() == 1 + 3 + 6 * 9
        )  # two cards, then nine ways to bet
        page.goto(f"{server.url}/play?game={name}&against=equilibrium")
        page.wait_for_selector(".move")
        page.keyboard.press("a")
        page.wait_for_selector(".result b")
        assert page.locator(".verdict").count() == 1  # judged by its exact value, as poker is
        page.close()


def test_what_is_seen_can_be_sent(visit: Visit, studio: Server, tmp_path: Path) -> None:
    page = visit("/browse?file=river-solved.safetensors&line=bet%2050&mode=ev")
    page.wait_for_selector(".cell.there")
    found = {}
    for title in ("Picture (PNG)", "Table (CSV)", "Page (HTML)"):
        page.keyboard.press("s")
        with page.expect_download() as waiting:
            page.get_by_role("button", name=title).click()
        found[title] = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(found[title])
    assert found["Picture (PNG)"].read_bytes()[:4] == b"\x89PNG"
    rows = list(csv.reader(found["Table (CSV)"].read_text().splitlines()))
    view = cf.view(cf.load(studio.folder / "river-solved.safetensors"), "bet 50")
    assert len(rows) == 1 + len(view.hands())
    text = found["Page (HTML)"].read_text()
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org", "")
    page.keyboard.press("s")
    command = page.locator(".commandline").input_value()
    assert command == "counterfold show river-solved.safetensors 'bet 50' --mode ev"


def test_commands_that_are_sent_do_the_same(
    visit: Visit, studio: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is run in the folder, with the files that the page has kept there for it."""

    def sent(page: Any) -> list[str]:
        page.locator("#send").click()
        words = shlex.split(page.locator("dialog[open] .commandline").input_value())
        page.keyboard.press("Escape")
        assert words[0] == "counterfold"
        return words[1:]

    monkeypatch.chdir(studio.folder)
    page = visit("/bend?file=river-solved.safetensors")
    page.get_by_role("button", name="check", exact=True).last.click()
    page.locator(".cell[data-k='14']").click()
    page.wait_for_selector("li >> text=KK")
    words = sent(page)
    assert words[:3] == ["solve", "river-solved.json", "--locks"]
    assert invoked(*words, "--save", "sent.safetensors").code == 0
    assert cf.load("sent.safetensors").at("KhKd", "")["check"] == 1
    page.get_by_role("tab", name="A style").click()
    page.get_by_label("how much bet is preferred").fill("60")
    answer = invoked(*sent(page), "--json")
    assert answer.code == 0
    assert json.loads(answer.out)["styled"]["exploitability"] > 0
    page = visit("/build")
    page.wait_for_selector(".takes dd")
    page.get_by_label("Name", exact=True).fill("sent spot")
    words = sent(page)
    assert words[1] == "sent spot.json"
    assert invoked(*words).code == 0
    assert (studio.folder / "sent spot.safetensors").exists()


def test_the_queue_outlives_the_server(tmp_path: Path) -> None:
    turn = {**RIVER, "board": "Ks 9h 6s 4d", "oop": "22+,A2s+,KTs+", "ip": "22+,A2s+,KTs+"}
    with running(tmp_path) as server:
        first = server.post("/api/jobs", spot=turn, name="long", iterations=100_000)
        second = server.post("/api/jobs", spot=RIVER, name="short", iterations=20)
        end = time.monotonic() + 300
        while not server.get("/api/jobs")["jobs"][1].get("iteration"):
            assert time.monotonic() < end
            time.sleep(0.1)
        phases = [job["phase"] for job in server.get("/api/jobs")["jobs"]]
        assert phases == ["waiting", "running"]
        server.stop()
    assert (tmp_path / first["file"]).exists()  # saved when the server ended
    with running(tmp_path) as server:
        end = time.monotonic() + 300
        while server.get("/api/jobs")["jobs"][1]["phase"] != "running":
            assert time.monotonic() < end
            time.sleep(0.1)
        server.post("/api/jobs/stop", id=first["id"])
        while server.get("/api/jobs")["jobs"][0]["phase"] != "done":
            assert time.monotonic() < end
            time.sleep(0.1)
        jobs = server.get("/api/jobs")["jobs"]
        assert [job["phase"] for job in jobs] == ["done", "stopped"]
        assert jobs[0]["id"] == second["id"]
        # A killed server leaves its job at work, which the next one finds running.
        server.post("/api/jobs/go", id=first["id"])
        while server.get("/api/jobs")["jobs"][1]["phase"] != "running":
            assert time.monotonic() < end
            time.sleep(0.1)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(10)
    with running(tmp_path) as server:
        assert server.get("/api/jobs")["jobs"][1]["phase"] == "running"
        server.post("/api/jobs/stop", id=first["id"])
        end = time.monotonic() + 300
        while server.get("/api/jobs")["jobs"][1]["phase"] != "stopped":
            assert time.monotonic() < end
            time.sleep(0.1)
