"""The styles of hold'em on a small table, and what a depth limit costs."""

from __future__ import annotations

import json

import numpy as np
import pytest

from counterfold.abstraction.blueprint import blueprint
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.buckets import every_hand
from counterfold.errors import ParameterError
from counterfold.poker.betting import build
from counterfold.poker.game import PokerGame
from counterfold.poker.holdem import holdem_range, holdem_rules, kuhn
from counterfold.poker.money import Betting
from counterfold.poker.sizes import Sizes, parse_sizes
from counterfold.research.depth_limited.depth import depth_table
from counterfold.research.pref_cfr.holdem import styles_of, table_of
from counterfold.research.pref_cfr.three import _gains, table_of_three, three_styles
from counterfold.research.progress import no_progress
from counterfold.strategy.strategy import Strategy


def small_table(players: int = 2) -> PokerGame:
    """Eleven cards, two streets, stacks of six big blinds."""
    rules = holdem_rules((0, 3), "QcQdQhQsKcKdKhKsAcAdAh")
    hands = holdem_range(rules.deck)
    before = Sizes((), parse_sizes("2c,3c,allin"), again=(parse_sizes("allin"),))
    after = Sizes(parse_sizes("100%") if players == 2 else (), parse_sizes("allin"))
    blinds = (0.0, 0.5, 1.0)[-players:]
    betting = Betting(
        paid=blinds, posted=blinds, stacks=tuple(6 - paid for paid in blinds),
        sizes=((before, after),) * players, first=(0, 1), opened=1, least=1.0, chip=0.5,
    )  # fmt: skip
    return PokerGame(
        name="small", rules=rules, betting=build(betting), board=(), ranges=(hands,) * players,
        players=("BTN", "SB", "BB")[-players:], big_blind=1.0, streets=("preflop", "flop"),
    )  # fmt: skip


@pytest.fixture(scope="module")
def result():
    game = small_table()
    return styles_of(blueprint(game, every_hand(game), 20_000), 600, 300, 2_000, more=300)


def test_each_style_does_more_of_what_it_prefers(result) -> None:
    normal, aggressive, loose = result.rows
    for row in result.rows:
        assert sum(row.frequencies.values()) == pytest.approx(1, abs=1e-5)
        assert row.exploitability < 30
    assert normal.exploitability < 4
    assert aggressive.frequencies["raise 3"] > normal.frequencies["raise 3"] + 0.02
    assert loose.frequencies["call"] > normal.frequencies["call"] + 0.02
    assert [row.style for row in result.rows] == list(result.names)


def test_what_styles_win_from_each_other_is_antisymmetric(result) -> None:
    wins, half = np.array(result.wins), np.array(result.half)
    assert np.allclose(wins, -wins.T, atol=0.01)  # sums in 32 bits
    assert (np.diag(half) == 0).all()
    assert (half[~np.eye(3, dtype=bool)] > 0).all()
    assert np.abs(wins).max() < 60


def test_its_json_is_plain(result) -> None:
    document = json.loads(json.dumps(result.to_dict()))
    assert document["rows"][1]["prefers"] == "raise 3"
    assert "strategy" not in document["rows"][0]
    assert len(document["wins"]) == 3


def test_the_table_has_the_papers_actions() -> None:
    betting = table_of().poker.betting
    labels = [betting.label[child] for child in betting.children(0)]
    assert labels == ["fold", "call", "raise 2", "raise 3", "all-in 100"]


@pytest.fixture(scope="module")
def three():
    game = small_table(3)
    return three_styles(blueprint(game, every_hand(game), 5_000), 100_000, 1_000)


def test_three_players_do_more_of_what_they_prefer(three) -> None:
    normal, aggressive, loose = three.rows
    assert list(normal.frequencies) == ["fold", "call", "raise 2", "raise 3", "all-in 6"]
    for row in three.rows:
        assert sum(row.frequencies.values()) == pytest.approx(1, abs=1e-5)
        assert len(row.gains) == 3
    assert aggressive.frequencies["raise 3"] > normal.frequencies["raise 3"] + 0.05
    assert loose.frequencies["call"] > normal.frequencies["call"] + 0.05


def test_what_three_styles_win_has_its_interval(three) -> None:
    wins, half = np.array(three.wins), np.array(three.half)
    apart = ~np.eye(3, dtype=bool)
    assert (np.diag(wins) == 0).all()
    assert ((half[apart] > 0) & (half[apart] < 60)).all()
    assert json.loads(json.dumps(three.to_dict()))["rows"][2]["published"][1] == 0.239


def test_a_signal_ends_responses_to_three_players(monkeypatch) -> None:
    game = kuhn(players=3)
    even = Strategy.uniform(BucketForm(game, every_hand(game)))
    monkeypatch.setattr("counterfold.interrupts.noted", lambda: True)
    with pytest.raises(KeyboardInterrupt):
        _gains([even, even], 40_000, 0, 2, no_progress)


def test_the_table_of_three_has_the_papers_actions() -> None:
    betting = table_of_three().poker.betting
    labels = [betting.label[child] for child in betting.children(0)]
    assert labels == ["fold", "call", "raise 2", "raise 3"]


def test_few_continuations_and_a_good_blueprint_make_a_good_trunk() -> None:
    rows = depth_table("leduc", 500).rows
    good = [row for row in rows if row.blueprint.startswith("2,000 of")]
    one, _, four, *_ = good
    assert (one.continuations, four.continuations) == (1, 4)
    assert one.below > 0.5
    assert four.apart < 2e-3
    assert all(row.searched["resolving"] <= row.apart + 1e-3 for row in rows)
    assert good[0].searched.keys() == {"unsafe", "resolving", "maxmargin"}


def test_other_games_have_no_such_table() -> None:
    with pytest.raises(ParameterError, match="leduc or fhp"):
        depth_table("kuhn")
