"""``counterfold repro cheat``: what it prints, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from counterfold.cli import repro
from counterfold.errors import ParameterError


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(repro.PAPERS, "cheat", "counterfold.cli.repro_cheat")


def wish(**given: Any) -> repro.Wish:
    told = dict.fromkeys(repro.Wish._fields) | {"seed": 0}
    return repro.Wish(**(told | given))


def test_a_figure_is_printed_with_what_holds(capsys: pytest.CaptureFixture[str]) -> None:
    repro.run("cheat", figure="2", runs=2, iterations=10, quiet=True)
    printed = capsys.readouterr().out
    assert "C-100" in printed
    assert "History-Aware†" in printed
    assert "whether it holds here" in printed


def test_a_figure_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    repro.run("cheat", figure="3", runs=2, iterations=10, seed=3, json=True, quiet=True)
    document = json.loads(capsys.readouterr().out)
    assert document["paper"] == "cheat"
    assert document["figure"] == 3
    assert document["runs"] == 2
    assert document["seed"] == 3
    assert {curve["start"] for curve in document["curves"]} == {"nothing", "carried"}


def test_what_is_not_there_is_refused() -> None:
    from counterfold.cli.repro_cheat import job

    for given, told in (
        ({}, "say which"),
        ({"table": "1", "figure": "1"}, "say which"),
        ({"table": "3"}, "no table"),
        ({"figure": "4"}, "no figure"),
        ({"table": "1", "runs": 3}, "take no --runs"),
        ({"figure": "1", "hands": 3}, "does not take --hands"),
    ):
        with pytest.raises(ParameterError, match=told):
            job(wish(**given))


def test_the_original_game(call, tmp_path):
    answer = call(
        "repro", "cheat", "--table", "original", "--minutes", 0.02, "--folder", tmp_path, "-q"
    )
    assert answer.code == 0
    assert "heuristic" in answer.out
    kept = tmp_path / "cheat52-2.safetensors"
    played = call(
        "match", kept, "uniform", "--game", "cheat:original", "--hands", 2, "--json", "-q"
    )
    assert played.document["hands"] == 2


def test_the_original_game_refuses(call, tmp_path):
    wrong = ("repro", "cheat", "--table", "original", "-q")
    assert call(*wrong, "--minutes", 0).refused("--minutes is 0")
    assert call(*wrong, "--folder", tmp_path / "no" / "ne").refused("make it first")
    assert call(*wrong, "--runs", 3).refused("does not take --runs")
    assert call("repro", "cheat", "--table", "1", "--minutes", 3).refused("does not take --minutes")
