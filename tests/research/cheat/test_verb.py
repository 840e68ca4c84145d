"""``counterfold repro cheat``: what it prints, and what it refuses."""

from __future__ import annotations

from functools import partial

import pytest

from counterfold.research.cheat import original


def test_a_figure_is_printed_with_what_holds(call):
    out = call("repro", "cheat", "--figure", 2, "--runs", 2, "--iterations", 10, "-q").out
    assert "C-100" in out
    assert "History-Aware†" in out
    assert "whether it holds here" in out
    # With a tenth of the paper's iterations nothing is compared with the paper.
    assert "no verdict, for the paper's iterations are 100 and these 10" in out
    assert "\n  no " not in out
    assert "\n  yes" not in out


def test_a_figure_as_json(call):
    document = call(
        "repro", "cheat", "--figure", 3, "--runs", 2, "--iterations", 10, "--seed", 3,
        "--json", "-q",
    ).document  # fmt: skip
    assert document["paper"] == "cheat"
    assert document["figure"] == 3
    assert document["runs"] == 2
    assert document["seed"] == 3
    assert {curve["start"] for curve in document["curves"]} == {"nothing", "carried"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "say which"),
        (["--table", 1, "--figure", 1], "say which"),
        (["--table", 3], "no table"),
        (["--figure", 4], "no figure"),
        (["--table", 1, "--runs", 3], "does not take --runs"),
        (["--figure", 1, "--hands", 3], "does not take --hands"),
    ],
)
def test_what_is_not_there_is_refused(call, arguments, words):
    assert call("repro", "cheat", *arguments).refused(words)


def test_the_original_game(call, tmp_path, monkeypatch):
    short = partial(original.original_table, contest_games=100)
    monkeypatch.setattr(original, "original_table", short)
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
