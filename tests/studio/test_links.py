"""What somebody made on a page is in its link: painted locks, and the hand at the table."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, quote, urlsplit

import pytest

import counterfold as cf
from counterfold.play.record import record_bytes
from tests.cli.conftest import invoked
from tests.studio.conftest import Server
from tests.studio.test_bend_play_report_games import finished, hand_is_dealt

Visit = Callable[[str], Any]
FILE = "river-solved.safetensors"
OUTSIDE = "not in the studio's folder"


def sent(page: Any) -> tuple[str, list[str]]:
    """The link that Send copies, and the words of its command."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#send").click()
    words = shlex.split(page.locator("dialog[open] .commandline").input_value())
    page.get_by_role("button", name="Copy the link").click()
    page.wait_for_selector("#notice:has-text('The link is copied')")
    return page.evaluate("navigator.clipboard.readText()"), words[1:]


def refused(studio: Server, path: str) -> str:
    with pytest.raises(HTTPError) as error:
        studio.get(path)
    assert error.value.code == 400
    return str(json.load(error.value)["error"])


def test_painted_locks_are_in_the_link(visit: Visit, studio: Server) -> None:
    page = visit(f"/bend?file={FILE}")
    page.wait_for_selector(".cell.there")
    page.get_by_role("button", name="check", exact=True).last.click()
    page.locator(".cell[data-k='14']").click()  # KK
    page.wait_for_selector("li >> text=KK")
    page.get_by_role("button", name="bet 100").first.click()
    page.get_by_text("ip plays").wait_for()
    page.get_by_role("button", name="fold", exact=True).last.click()
    page.get_by_role("button", name="Whole range").click()
    page.wait_for_selector("li >> text=the whole range fold 100%")
    told = page.locator("li").all_inner_texts()
    link, _ = sent(page)
    page.reload()  # the address has them, too
    page.wait_for_selector("li >> text=the whole range")
    assert page.locator("li").all_inner_texts() == told
    page.goto(link)
    page.wait_for_selector("li >> text=the whole range")
    assert page.locator("li").all_inner_texts() == told
    assert page.locator(".cell.there:not(.free)").count() == page.locator(".cell.there").count()
    page.locator(".line .who").first.click()  # back where the class was painted
    page.get_by_text("oop plays").wait_for()
    assert page.locator(".cell:not(.free) b").all_inner_texts() == ["KK"]
    page.get_by_role("button", name="take this lock away").first.click()
    assert page.locator("li").count() == 1


def test_locks_that_are_too_long_are_in_a_file(visit: Visit, studio: Server) -> None:
    hands = [f"{one}{two}{suit}" for one in ("Ah", "As", "Ad") for two in "JT98" for suit in "hsdc"]
    locks = [{"at": "bet 50", "play": {hand: {"fold": n / 1000, "call": 1 - n / 1000}}}
             for n, hand in enumerate(hands)]  # fmt: skip
    name = "long locks.json"
    (studio.folder / name).write_text(json.dumps(locks * 3))
    page = visit(f"/bend?file={FILE}&locks={quote(name)}")
    page.wait_for_selector("li >> nth=143")
    link, _ = sent(page)
    (kept,) = parse_qs(urlsplit(link).query)["locks"]
    assert kept.endswith(".json")
    page.goto(link)
    page.wait_for_selector("li >> nth=143")


def test_wrong_locks_in_a_link_are_told(studio: Server) -> None:
    path = f"/api/bend/locks?file={FILE}&locks="
    (studio.folder / "elsewhere.json").write_text('"/etc/passwd"')
    for locks, words in (
        ("elsewhere.json", "must be a list of objects"),
        ("[{", "no JSON"),
        ("../x.json", "not in the studio's folder"),
        ("river.json", "must be a list of objects"),
        ('[{"at": "bet 51", "play": {"fold": 1}}]', "bet 51"),
        ('[{"at": "bet 50", "as": "river-solved.safetensors"}]', "a lock says"),
        ('[{"at": "bet 50", "play": {"fold": 0.5}}]', "add up to 0.5"),
        ('[{"at": "bet 50", "play": 3}]', "object of actions"),
        ("[3]", "a lock says"),
        ('"x"', "no file"),
        ("[" * 5000, "no JSON"),
    ):
        assert words in refused(studio, path + quote(locks)), locks


@pytest.mark.parametrize(
    ("game", "against", "words"),
    [
        ("kuhn", "evil.py:Bot", "no agent by name"),
        ("evil.py:Game", "uniform", "no game of the catalog"),
        ("../leduc.json", "uniform", OUTSIDE),
        *(("kuhn", where, OUTSIDE) for where in ("/etc/x.cf", "../x.cf", "holdem('/etc/x.cf')")),
    ],
)
def test_a_session_brings_no_programs_and_no_files_from_elsewhere(
    studio: Server, game: str, against: str, words: str
) -> None:
    header = {"game": game, "duplicate": False, "reveal": False, "seed": 1,
              "agents": ["you", against],
              "human": 0, "against": [against], "files": {}, "first": 0}  # fmt: skip
    (studio.folder / "brought.jsonl").write_bytes(record_bytes(header, []))
    with pytest.raises(HTTPError) as error:
        studio.post("/api/play/sit", session="brought.jsonl", moves="[]")
    assert error.value.code == 400
    assert words in json.load(error.value)["error"]


def test_locks_at_infosets_are_chosen_sent_and_solved(
    visit: Visit, studio: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    cf.solve("kuhn", until=50, save=studio.folder / "kuhn.safetensors")
    page = visit("/bend?file=kuhn.safetensors")
    page.get_by_label("Infoset").fill("Q | bat")
    page.get_by_label("Plays").fill("call=1")
    page.get_by_role("button", name="Lock it").click()
    page.wait_for_selector(".trouble:has-text(\"nobody ever sees 'Q | bat'\")")
    page.get_by_label("Infoset").fill("Q | bet")
    assert "fold=" in page.get_by_label("Plays").input_value()  # as it is played now
    page.get_by_label("Plays").fill("call=1, fold=1")
    page.keyboard.press("Enter")
    page.wait_for_selector(".trouble:has-text('add up to 2')")
    page.get_by_label("Plays").fill("call=1")
    page.keyboard.press("Enter")
    page.wait_for_selector("li >> text=player 2, Q | bet: call 100%")
    link, words = sent(page)
    assert words[:3] == ["solve", "kuhn", "--locks"]
    page.get_by_role("button", name="Solve again with these locks").click()
    job = finished(studio, "kuhn, 1 lock")
    monkeypatch.chdir(studio.folder)
    answer = invoked(*words, "--json", "-q")
    assert json.loads(answer.out)["value"] == job["result"]["value"]
    page.goto(link)
    page.wait_for_selector("li >> text=player 2, Q | bet: call 100%")
    page.goto(studio.url + f"/solve?job={job['id']}")
    page.wait_for_selector(".job.chosen")
    _, again = sent(page)
    assert again[:3] == words[:3]
    assert again[-1] == job["file"]


def test_the_hand_at_the_table_is_in_the_link(visit: Visit, studio: Server) -> None:
    page = visit(f"/play?against={FILE}&game=")
    hand_is_dealt(page, 1)
    number = 1
    while number < 3 or not page.locator(".move").count():
        if page.locator(".move").count():
            before = page.locator(".deciding").element_handle()
            page.keyboard.press("a")
            page.wait_for_function("old => !old.isConnected", arg=before)
        else:
            page.keyboard.press("n")
            number += 1
            hand_is_dealt(page, number)
    seen = page.locator(".felt .oval").inner_text()
    score = page.locator(".beside dl").first.inner_text()
    page.reload()  # the table is the server's
    hand_is_dealt(page, number)
    assert page.locator(".felt .oval").inner_text() == seen
    link, words = sent(page)
    page.keyboard.press("a")  # which the link knows nothing of
    other = page.context.new_page()
    other.goto(link)
    hand_is_dealt(other, number)
    assert other.locator(".felt .oval").inner_text() == seen
    assert other.locator(".beside dl").first.inner_text() == score
    assert words[:2] == ["play", "--against"]
    assert "--seed" in words
    (name,) = parse_qs(urlsplit(link).query)["session"]
    other.goto(f"{studio.url}/play?session={quote(name)}&moves={quote(json.dumps(['fly']))}")
    other.wait_for_selector("#notice:has-text('comes out otherwise now')")
    for session, moves in (("../x.jsonl", ""), (FILE, ""), (name, "[3]"), (name, "bet")):
        other.goto(f"{studio.url}/play?session={quote(session)}&moves={quote(moves)}")
        other.wait_for_selector("#notice.bad")
        assert other.locator(".felt").is_hidden()
    other.close()
