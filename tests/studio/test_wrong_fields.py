"""What is wrong is marked at its field in the library's own sentence, on every page."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import counterfold as cf
from tests.studio.conftest import RIVER, Server
from tests.studio.test_tables import tables

Visit = Callable[[str], Any]
BEND = "/bend?file=river-solved.safetensors&tab="
WRONG: dict[tuple[str, str], list[tuple[str, str, str]]] = {
    ("/build", ""): [
        ("Pot", "-5", 'the spot, "pot": this must be a number above 0, not -5'),
        ("Stack, first to act", "1.5", "no-limit chips are whole, not 1.5"),
        ("Stack, last to act", "abc", 'the spot, "stack": this must be a number from 0 up'),
        ("bets on the river", "50", "'50' has no unit"),
        ("bets on the river", "3x", "3x multiplies a bet that is there already"),
        ("raises on the river", "banana", "'banana' is not a size"),
        ("Rake in %", "150", "the rate of a rake is from 0 to below 1"),
        ("Rake cap", "abc", 'the spot, "rake: cap": this must be a number'),
        ("Most raises a street", "x", "this must be a whole number of bets and raises"),
        ("Donk bets", "zzz", "'zzz' is not a size"),
        ("First to act (oop) in words", "ZZ", "'ZZ' at character 1 of the range"),
        ("Last to act (ip) in words", "AA:9", "'AA:9' at character 1 of the range"),
        ("Last to act (ip) in words", "KsKd", "leaves no hand of the range 'KsKd'"),
        ("Name", "a\u200fb", "is no name"),
        ("Name", "x" * 101, "name must be a text of at most 100 characters"),
        ("Accuracy", "abc", "'abc' is no exploitability to stop at"),
        ("Accuracy", "1mbb", "does not say its big blind, so 1mbb has no meaning"),
    ],
    ("/build?file=blinds.json", ""): [
        ("Small blind", "abc", 'the spot, "blinds": this must be a number'),
        ("Small blind", "3", "give the small blind first"),
        ("Big blind", "-2", 'the spot, "blinds": this must be a number'),
        ("raises on the flop", "banana", "'banana' is not a size"),
    ],
    ("/build?game=kuhn", ""): [
        ("Game", "kun", "'kun' is no game of the catalog"),
        ("Game", "kuhn(cards=x)", "kuhn has no parameter 'cards'"),
        ("Game", "", "game is missing"),
        ("Exploitability", "abc", "'abc' is no exploitability to stop at"),
        ("Exploitability", "0.3%", "0.3% is for poker with a pot"),
    ],
    ("/build?game=holdem:hu(stack%3D20)", ""): [
        ("Buckets", "many", "buckets are a number, or one for each street"),
        ("Buckets", "10,10", "give one number of buckets, or 3"),
        ("Minutes", "-1", "minutes is -1, and must be above 0"),
        ("Minutes", "soon", "minutes must be a number, not 'soon'"),
    ],
    (BEND + "style", "Solve with this style"): [
        ("how much each action is preferred", "", "every slider stands at 1"),
        ("May give up", "abc", "give_up must be a number"),
        ("May give up", "-1", "give_up is -1, and must be from 0 up"),
    ],
    (BEND + "target", "Find it"): [
        ("What", "jump", "never has the action 'jump'"),
        ("What", "bet@moon", "fits 'moon'"),
        ("May cost at most", "abc", "give_up must be a number"),
        ("May cost at most", "-1", "give_up is -1, and must be from 0 up"),
    ],
    (BEND + "exploit", "Answer"): [
        ("Risk at most", "lots", "budget must be a number, not 'lots'"),
        ("Risk at most", "-1", "budget is -1, and must be from 0 up"),
    ],
    ("/bend?file=kuhn.safetensors", "Lock it"): [
        ("Infoset", "Q | bat", "nobody ever sees 'Q | bat'"),
        ("Plays", "check=1", "'check' is no action at 'Q | bet'"),
        ("Plays", "call=x", "say what is played, as in call=1"),
    ],
    ("/play?game=kuhn", "Play"): [
        ("Against", "nobody", "there is no agent 'nobody'"),
        ("Against", "/etc/x.cf", "'/etc/x.cf' is not in the studio's folder"),
        ("Game", "kun", "'kun' is no game of the catalog"),
        ("Game", "", "say which game to play"),
    ],
    ("/report", "Solve them"): [
        ("Flops", "KsKs2d", "Ks comes twice"),
        ("Flops", "9999", "a number of flops is from 1 to 1,755"),
        ("Accuracy", "abc", "'abc' is no exploitability to stop at"),
        ("Spot", "river.json", "begins after the flop"),
    ],
}
"""By page, and by what is pressed there: a field, what is wrong in it, and what is told of it."""


@pytest.fixture(scope="module", autouse=True)
def files(studio: Server) -> None:
    cf.solve("kuhn", until=50, save=studio.folder / "kuhn.safetensors")
    blinds = {"blinds": [1, 2], "last_street": "flop", "stack": 8, "oop": "AA", "ip": "KK"}
    sizes = {key: RIVER[key] for key in ("bets", "raises")}
    (studio.folder / "blinds.json").write_text(json.dumps({**blinds, **sizes}))
    (studio.folder / "flop.json").write_text(json.dumps({**RIVER, "board": "Ks 9h 6s"}))


def marked(page: Any, field: Any, words: str) -> None:
    """Wait until a field is marked, with this beside it; nothing else is marked then."""
    page.wait_for_function(
        "([one, words]) => one.getAttribute('aria-invalid') === 'true' && one.getAttribute("
        "'aria-describedby').split(' ').some(id => document.getElementById(id).textContent"
        ".includes(words))",
        arg=[field.element_handle(), words],
    )
    assert page.locator("[aria-invalid='true']").count() == 1
    assert page.locator("#notice").inner_text() == ""


@pytest.mark.parametrize(("path", "button"), WRONG)
def test_wrong_values_are_marked_at_their_fields(visit: Visit, path: str, button: str) -> None:
    page = visit(path)
    page.wait_for_selector("dl:visible dd" if not button else ".field:visible")
    if "Rake cap" in [label for label, *_ in WRONG[path, button]]:
        page.get_by_text("Rake, caps, donk bets").click()
    press = page.get_by_role("button", name=button, exact=True).last
    for label, value, words in WRONG[path, button]:
        field = page.get_by_label(label, exact=label != "Name").first
        is_text = field.evaluate("one => one.matches('input, textarea')")
        before = field.input_value() if is_text else ""
        for other, good in (("Infoset", "Q | bet"), ("Plays", "call=1")):
            if button == "Lock it" and other != label:
                page.get_by_label(other).fill(good)
        if is_text:
            field.fill(value)
        elif value:
            field.select_option(value)
        if label == "May give up":
            page.get_by_label("how much bet is preferred").fill("50")
        if button:
            press.click()
        marked(page, field, words)
        if not button:
            assert page.get_by_role("button", name="Solve", exact=True).last.is_disabled()
        if is_text:
            field.fill(before)


@pytest.mark.usefixtures(tables.__name__)
def test_wrong_seconds_of_a_search_are_marked(visit: Visit) -> None:
    page = visit("/play")
    page.get_by_label("Against").fill("hu.cf")
    for value, words in (("soon", "seconds must be a number"), ("0", "must be above 0")):
        page.get_by_label("Seconds").fill(value)
        page.get_by_role("button", name="Play", exact=True).click()
        marked(page, page.get_by_label("Seconds"), words)


def test_a_file_that_is_not_taken_is_told_beside_the_button(visit: Visit) -> None:
    page = visit("/")
    page.wait_for_selector("tbody tr")
    for name, content, words in (
        ("x.exe", b"MZ", "is of no kind that the studio takes"),
        ("x.json", b"{", "holds nothing that the studio can open"),
        ("x.efg", b"EFG 3 R", "x.efg"),
        ("big.json", b" " * (1 << 21), "is too large"),
    ):
        given = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
        page.locator("input[type=file]").set_input_files(given)
        page.wait_for_selector(f".hero .trouble:has-text('{words}')")


def test_what_fields_do_not_show_of_a_spot_stays(visit: Visit, studio: Server) -> None:
    told = {**RIVER, "board": "Ks 9h 6s", "last_street": "turn", "merge_sizes": 0.1}
    told |= {"donks": {"flop": ["33%"], "turn": []}, "raise_cap": [2, 1], "rake": {"rate": 0.05}}
    (studio.folder / "more.json").write_text(json.dumps(told))
    page = visit("/build?file=more.json")
    page.wait_for_selector(".takes dd")
    page.get_by_label("Pot", exact=True).fill("60")
    page.get_by_role("button", name="take merge sizes away").click()
    page.get_by_label("Name", exact=True).fill("less")
    page.wait_for_selector(".takes .strong:not([disabled])")
    page.get_by_role("button", name="Save the spot").click()
    page.wait_for_selector("a:text-is('less.json')")
    ask = studio.get("/api/build/spot?file=less.json")["spot"]
    wanted = studio.get("/api/build/spot?file=more.json")["spot"]
    del wanted["merge_sizes"]
    assert ask == {**wanted, "name": "less", "pot": 60}
