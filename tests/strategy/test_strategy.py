"""Strategies as people read them."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterfold as cf
from counterfold.errors import MismatchError, ParameterError
from tests.random_games import games


def test_at() -> None:
    strategy = cf.Strategy.random(cf.Kuhn(), 1)
    row = strategy.at("K", "check bet")
    assert list(row) == ["fold", "call"]
    assert sum(row.values()) == pytest.approx(1)
    assert strategy.at("K") == strategy.at("K", "")
    assert strategy.at("K") == strategy.at("K", player=0)
    assert strategy.at(("K", "bet")) == strategy.at("K", "bet")
    with pytest.raises(ParameterError, match=r"nobody ever sees 'K \| chek'.*near it.*check"):
        strategy.at("K", "chek")
    with pytest.raises(ParameterError, match="nobody"):
        strategy.at("K", player=1)


def test_at_where_several_players_may_look() -> None:
    strategy = cf.Strategy.uniform(cf.NormalForm([[1, 2, 3], [3, 2, 1]]))
    with pytest.raises(ParameterError, match="several players"):
        strategy.at()
    assert len(strategy.at(player=0)) == 2
    assert len(strategy.at(player=1)) == 3


def test_rows_and_patterns() -> None:
    strategy = cf.Strategy.uniform(cf.Kuhn())
    assert len(list(strategy.rows())) == 12
    assert next(strategy.rows(player=1)).infoset == "Q | check"
    assert {r.player for r in strategy.rows("bet", player=1)} == {1}
    assert [r.infoset for r in strategy.rows("K")] == [
        "K", "K | check bet", "K | check", "K | bet",
    ]  # fmt: skip
    assert [r.infoset for r in strategy.rows("? | check bet")] == [
        "J | check bet", "Q | check bet", "K | check bet",
    ]  # fmt: skip
    assert [r.infoset for r in strategy.rows("[JQ]", player=0)] == ["J", "Q"]
    assert list(strategy.rows("nothing")) == []
    assert list(strategy.rows(player=7)) == []
    assert [tuple(r.actions) for r in strategy.rows("K | bet")] == [("fold", "call")]


@given(game=games(), seed=st.integers(0, 1000))
def test_csv_and_json_tell_everything(game: Any, seed: int) -> None:
    strategy = cf.Strategy.random(game, seed)
    lines = list(csv.DictReader(io.StringIO(strategy.to_csv())))
    assert [float(line["probability"]) for line in lines] == strategy.probabilities.tolist()
    document = json.loads(strategy.to_json())
    assert document["game"] == strategy.spec
    found = [p for row in document["infosets"] for p in row["actions"].values()]
    assert found == strategy.probabilities.tolist()
    for row, line in zip(strategy.rows(), document["infosets"], strict=True):
        assert line == {
            "player": row.player + 1, "infoset": row.infoset, "actions": row.actions,
        }  # fmt: skip


def test_csv_of_a_part() -> None:
    text = cf.Strategy.uniform(cf.Kuhn()).to_csv("K*", player=0)
    assert text.splitlines() == [
        "player,infoset,action,probability",
        "1,K,check,0.5",
        "1,K,bet,0.5",
        "1,K | check bet,fold,0.5",
        "1,K | check bet,call,0.5",
    ]


def test_uniform_and_random() -> None:
    uniform = cf.Strategy.uniform(cf.Leduc())
    assert set(uniform.probabilities.tolist()) == {1 / 2, 1 / 3}
    one, other = cf.Strategy.random(cf.Leduc(), 5), cf.Strategy.random(cf.Leduc(), 6)
    assert np.array_equal(one.probabilities, cf.Strategy.random(cf.Leduc(), 5).probabilities)
    assert not np.array_equal(one.probabilities, other.probabilities)
    rng = np.random.default_rng(5)
    assert np.array_equal(one.probabilities, cf.Strategy.random(cf.Leduc(), rng).probabilities)
    two = one.probabilities[one.infosets.start[:-1][one.infosets.sizes == 2]]
    assert np.mean(two) == pytest.approx(0.5, abs=0.05)  # flat on the simplex
    assert np.var(two) == pytest.approx(1 / 12, abs=0.02)


def test_nothing_can_be_changed() -> None:
    given = np.full(24, 0.5)
    strategy = cf.Strategy.of(cf.compile_game(cf.Kuhn()), given)
    given[:] = 7
    assert (strategy.probabilities == 0.5).all()
    with pytest.raises(ValueError, match="read-only"):
        strategy.probabilities[0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        strategy.spec = "leduc"  # type: ignore[misc]
    with pytest.raises(TypeError):
        strategy.about["method"] = "magic"  # type: ignore[index]
    row = next(strategy.rows())
    row.actions["check"] = 9.0
    assert strategy.at("J")["check"] == 0.5
    more = strategy.with_about(note="x")
    assert more.about["note"] == "x"
    assert "note" not in strategy.about


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda p: p[:-1], "24 probabilities"),
        (lambda p: p.reshape(2, 12), "24 probabilities"),
        (lambda p: p * 0.9, "sum to 0.9"),
        (lambda p: np.where(np.arange(24) == 3, np.nan, p), "finite"),
        (lambda p: np.where(np.arange(24) == 3, np.inf, p), "finite"),
        (lambda p: np.where(np.arange(24) < 2, [2, -1] * 12, p), "not negative"),
    ],
    ids=["size", "shape", "sum", "nan", "inf", "negative"],
)
def test_what_is_no_strategy(change: Any, told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        cf.Strategy.of(cf.compile_game(cf.Kuhn()), change(np.full(24, 0.5)))


def test_a_strategy_fits_its_own_game_only() -> None:
    strategy = cf.Strategy.uniform(cf.Kuhn())
    strategy.check_fits(cf.compile_game(cf.Kuhn()))
    with pytest.raises(MismatchError, match=r"for kuhn \(12 infosets\).*leduc"):
        strategy.check_fits(cf.compile_game(cf.Leduc()))


def test_openspiel_there_and_back() -> None:
    pytest.importorskip("pyspiel")
    for name, game in (
        ("kuhn_poker(players=3)", cf.Kuhn(players=3)),
        ("leduc_poker", cf.Leduc(suited=True)),
    ):
        strategy = cf.Strategy.random(game, 3)
        back = cf.Strategy.from_openspiel(strategy.to_openspiel(name), game)
        assert np.array_equal(back.probabilities, strategy.probabilities)
    theirs = cf.Strategy.random(cf.OpenSpielGame("kuhn_poker"), 2)
    assert np.array_equal(
        cf.Strategy.from_openspiel(theirs.to_openspiel()).probabilities, theirs.probabilities
    )
    with pytest.raises(MismatchError, match="not the same game"):
        cf.Strategy.uniform(cf.Kuhn()).to_openspiel("leduc_poker")
    with pytest.raises(MismatchError, match="say which"):
        cf.Strategy.uniform(cf.Kuhn()).to_openspiel()
    suited = cf.Strategy.random(cf.Leduc(suited=True), 3).to_openspiel("leduc_poker")
    with pytest.raises(MismatchError, match="shows as one"):
        cf.Strategy.from_openspiel(suited, cf.Leduc())


def test_a_rule_that_does_not_fit_is_told():
    for found in ("fly", [1.0], [0.0, 0.0]):
        with pytest.raises(ParameterError, match="the rule gives"):
            cf.Strategy.ruled(cf.Kuhn(), lambda *_, found=found: found)
