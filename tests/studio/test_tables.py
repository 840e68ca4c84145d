"""A table of hold'em on the page: who searches, what judges decisions, luck, and drills."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.buckets import Buckets, starting_hands
from counterfold.play.trainer import Judgement
from counterfold.poker.cards import HOLES
from counterfold.poker.ranges import CELL
from counterfold.poker.table import DEALT, Holdem
from counterfold.strategy.strategy import Strategy
from counterfold.studio.play import PersonsTable
from tests.studio.conftest import Server
from tests.studio.test_bend_play_report_games import hand_is_dealt, hand_is_played

Visit = Callable[[str], Any]


def few(cards: int) -> Buckets:
    """Seven buckets of hands, the same on every board."""
    table = (CELL.astype(np.uint16) * 5 % 7)[None]
    words = np.zeros(math.comb(52, cards), np.uint32)
    return Buckets(cards, 7, table, words, np.arange(HOLES, dtype=np.uint16)[None], "all")


@pytest.fixture(scope="module", autouse=True)
def tables(studio: Server) -> None:
    """Blueprints of small tables, who play at random."""
    for name, table in (("hu", Holdem(stack=12)), ("3max", Holdem(players=3, stack=8))):
        form = BucketForm(table.poker, (starting_hands(), *map(few, DEALT[1:])))
        Strategy.random(form, 3).save(studio.folder / f"{name}.cf")


def sat_down(visit: Visit, address: str) -> Any:
    """A page on which somebody sits down; a first search may have all to compile, beside others."""
    page = visit(address)
    page.set_default_timeout(300_000)
    return page


def command_of(page: Any) -> list[str]:
    """The command of what is on the page, which the key s shows."""
    page.keyboard.press("s")
    return shlex.split(page.locator(".commandline").input_value())


def test_decisions_at_a_table_are_judged_by_the_search(visit: Visit) -> None:
    """As `counterfold play` does: every decision, with how far its value may be wrong."""
    page = sat_down(visit, "/play?against=hu.cf&seconds=1")
    assert page.get_by_label("It plays").input_value() == "yes"
    count = 0

    def call() -> None:
        nonlocal count
        count += 1
        names = [text.split()[-1] for text in page.locator(".move").all_inner_texts()]
        wanted = next(k for k, name in enumerate(names) if name in ("check", "call"))
        page.locator(".move").nth(wanted).click()

    searched = number = 0
    while number < 4 or (not searched and number < 20):  # until a hand comes to the turn
        number, count = number + 1, 0
        hand_is_played(page, number, call)
        assert page.locator(".verdict").count() == count
        searched += page.locator(".result:has-text('It searched')").count()
        page.keyboard.press("n")
        hand_is_dealt(page, number + 1)
    assert searched
    beside = page.locator(".beside").inner_text()
    assert "Luck taken out" in beside
    command = "counterfold play --against hu.cf --seconds 1 --seed"
    assert command_of(page)[:-1] == command.split()


def test_a_blueprint_plays_as_it_is_if_that_is_wished(visit: Visit) -> None:
    page = sat_down(visit, "/play?against=hu.cf&search=no")
    hand_is_played(page, 1, lambda: page.keyboard.press("b"))
    assert page.locator(".verdict").count() == 0
    assert page.locator(".result:has-text('searched')").count() == 0
    page.keyboard.press("n")
    hand_is_played(page, 2, lambda: page.keyboard.press("b"))
    assert "Luck taken out" in page.locator(".beside").inner_text()  # by its blueprint all the same
    command = "counterfold play --against hu.cf --no-search --seed"
    assert command_of(page)[:-1] == command.split()


def test_three_sit_down_and_decisions_are_judged_over_drawn_hands(visit: Visit) -> None:
    page = sat_down(visit, "/play?against=3max.cf&seconds=0.1")
    assert "over drawn hands and boards" in page.locator(".judgedcard").inner_text()
    page.keyboard.press("a")
    page.wait_for_selector(".result b")  # the first to act has folded
    assert page.locator(".place").count() == 3
    assert page.locator(".verdict").count() == 1
    folds = page.locator(".verdict tr", has_text="fold").locator(".num").inner_text()
    assert float(folds) == 0


def test_what_cost_most_at_a_table_is_drilled(visit: Visit) -> None:
    page = sat_down(visit, "/play?against=hu.cf&seconds=0.1")
    drill = page.get_by_role("button", name="Drill what cost most")
    for number in range(1, 201):  # all-in with whatever comes, until one is blamed beyond doubt
        hand_is_played(page, number, lambda: page.locator(".move").last.click())
        if drill.is_enabled():
            break
        page.keyboard.press("n")
    drill.click()
    page.wait_for_selector("text=Drill 1 of")
    assert page.locator(".oval .place .playing").count() == 2  # the hand, as it was held
    page.keyboard.press("a")
    page.wait_for_selector(".verdict")


def test_what_nobody_could_judge_does_not_lend_its_cards_to_the_next() -> None:
    """A decision without a value between two with one: costs stand with their own hands."""
    sitting: Any = SimpleNamespace(spec="x", names=("you", "other"), judged=[], game=None, ask=None)
    table = PersonsTable(sitting, ["other"])
    table.hand = SimpleNamespace(payoffs=(0,))  # type: ignore[assignment]
    for seen, judged in (("first", True), ("second", False), ("third", True)):
        table._decided.append((SimpleNamespace(seen=seen), len(sitting.judged)))  # type: ignore[arg-type]
        if judged:
            worth = {"fold": 0.0, "call": 10.0 + len(sitting.judged)}
            sitting.judged.append(Judgement("fold", worth, 0.0, 100.0))
    sitting.judged.append(Judgement("fold", {"fold": 0.0, "call": 9.0}, 0.0, 100.0, 9.5))
    table._decided.append((SimpleNamespace(seen="doubtful"), 2))  # type: ignore[arg-type]
    table._remember()
    assert [(one["seen"], one["lost"]) for one in table.costly] == [
        ("third", 11.0),
        ("first", 10.0),
    ]
