"""Places of strategies over buckets: the same hands and choices as hand by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterfold.abstraction import bucket_layout
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import by_hand
from counterfold.abstraction.bucket_view import BucketBrowser
from counterfold.abstraction.buckets import every_hand
from counterfold.errors import ParameterError, TreeTooLargeError
from counterfold.evaluate.public_view import Browser
from counterfold.poker.cards import parse_cards
from counterfold.poker.grid_colours import situation
from counterfold.poker.holdem import fhp
from counterfold.poker.table import Holdem
from counterfold.strategy.strategy import Strategy
from counterfold.tree.find import find_place
from tests.cli.conftest import invoked
from tests.evaluate.test_statistics import one_bucket

GAME = fhp(deck="QKA", cap=2)


@pytest.fixture(scope="module")
def strategy() -> Strategy[Any]:
    return Strategy.random(BucketForm(GAME, every_hand(GAME)), np.random.default_rng(2))


@pytest.mark.parametrize(
    "path", ["", "call", "call, check, [As Kh Qd]", "raise, call, [As Ah Qd], bet"]
)
@pytest.mark.parametrize("player", [None, 0, 1])
def test_as_hand_by_hand(strategy: Strategy[Any], path: str, player: int | None) -> None:
    ours = BucketBrowser(strategy).view(path, player)
    theirs = Browser(by_hand(strategy)).view(path, player)
    assert (ours.player, ours.line, ours.actions) == (theirs.player, theirs.line, theirs.actions)
    assert ours.weight == pytest.approx(theirs.weight, abs=1e-6)
    there = theirs.weight > 0
    assert ours.strategy[:, there] == pytest.approx(theirs.strategy[:, there], abs=1e-6)
    frequencies = theirs.totals.frequencies
    assert ours.totals.frequencies == pytest.approx(frequencies, abs=1e-6)


def test_seats_of_three() -> None:
    form = BucketForm(Holdem(3, 20.0).poker, [one_bucket(cards) for cards in (0, 3, 4, 5)])
    browser = BucketBrowser(Strategy.uniform(form))
    seats = [browser.view(path).player for path in ("", "call", "raise 3.5, fold", "call, call")]
    assert seats == ["BTN", "SB", "BB", "BB"]
    view = browser.view("raise 3.5, fold, call, [Ks 9h 6s]")
    assert (view.player, view.street, view.pot) == ("BB", "flop", 7.5)
    assert view.weight.sum() == pytest.approx(1176 / 4)  # it has called once, of four choices
    # The button raised, one of four choices; what the small blind folded is out.
    assert dict(situation(view))["Range"] == (
        "294.0 combos against 294.0 in each seat that is in, on average"
    )
    assert browser.view("raise 3.5").against.sum() == pytest.approx((1326 / 4 + 1326) / 2)
    with pytest.raises(ParameterError, match="there are BTN, SB, BB"):
        browser.view("", "UTG")


def test_a_board_beside_the_line(strategy: Strategy[Any]) -> None:
    board = parse_cards("As Kh Qd")
    for words in ("call, check", "call, check, bet"):
        found = find_place(strategy.tree, words, board)
        assert found.cards == board
        assert found.line[2] == "[As Kh Qd]"
    assert find_place(strategy.tree, "call, check, [As Kh Qd]", board).cards == board
    with pytest.raises(ParameterError, match="say how the betting went"):
        find_place(strategy.tree, "call", board)


def test_on_the_command_line(
    strategy: Strategy[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "small")
    strategy.save(path)
    exact = invoked("show", path, "--stats", "--json").document
    assert exact["boards"] is None  # it fits hand by hand

    def too_large(*_: Any) -> None:
        raise TreeTooLargeError("too large")

    monkeypatch.setattr(bucket_layout, "by_hand", too_large)
    drawn = invoked("show", path, "--stats", "--json", "--boards", "50").document
    for name in ("vpip", "wtsd"):
        one, two = (document["seats"]["bb"][name] for document in (exact, drawn))
        assert abs(one["value"] - two["value"]) <= 1.5 * two["half"] + 1e-6
    assert invoked("show", path, "--stats").told("VPIP", "boards that were drawn")
    assert invoked("show", path, "call", "--hand", "AQs").told("AsQs", "bb to act")
    assert invoked("show", path, "call, check", "--board", "As Kh Qd").told("bb to act")
    taken = ("call, check", "--board", "As Kh Qd", "--hand", "AsAh")
    assert invoked("show", path, *taken).refused("leaves no hand")
    for words in (["--mode", "ev"], ["--browse"], ["--stats", "call"], ["--boards", "3"]):
        assert invoked("show", path, *words).refused()
