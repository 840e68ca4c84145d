"""``counterfold repro ocfr``: tables, JSON, pictures, and what it refuses."""

import json

import pytest

from counterfold.cli.repro import run
from counterfold.errors import ParameterError


def test_experiment_1_in_words(capsys, tmp_path):
    plot = str(tmp_path / "p.png")
    run("ocfr", experiment="1", matches=3, hands=60, plot=plot, quiet=True)
    out = capsys.readouterr().out
    assert "3 matches of 60 hands" in out
    assert out.count("seocfr-iw") == 3
    assert "dynamic: a random strategy, drawn anew every 500 hands" in out
    assert f"Picture: {plot}" in out
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_experiment_2_in_words_and_as_a_document(capsys):
    run("ocfr", experiment="2", matches=4, hands=30, quiet=True)
    out = capsys.readouterr().out
    assert "Published ranking: deOCFR > seOCFR > MCCFR-os > DBBR-WS > Q-learning > Sarsa." in out
    assert "of 15 pairs" in out
    run("ocfr", experiment="2", matches=4, hands=30, quiet=True, json=True)
    document = json.loads(capsys.readouterr().out)
    assert document["experiment"] == "2"
    assert document["published"]["table"][0][1] == -0.012
    cell = document["plain"]["table"][0][1]
    assert f"{cell['mean']:+.3f}" in out
    assert document["plain"]["table"][1][0]["mean"] == -cell["mean"]


def test_the_check(capsys):
    run("ocfr", experiment="check", matches=20, quiet=True)
    out = capsys.readouterr().out
    assert "at least +0.31  yes" in out
    assert "above -0.07  yes" in out
    run("ocfr", experiment="check", matches=50, hands=20, quiet=True)
    assert capsys.readouterr().out.count("  no\n") == 2


def test_progress(capsys, monkeypatch):
    monkeypatch.setattr("counterfold.cli.progress.LINE_SECONDS", 0.0)
    run("ocfr", experiment="check", matches=30, hands=10, json=True)
    told = capsys.readouterr()
    assert "playing: match 31 of 60" in told.err
    assert json.loads(told.out)["matches"] == 30


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "--experiment 1, 2 or check"),
        ({"experiment": "3"}, "experiment '3'"),
        ({"experiment": "1", "runs": 3}, "--runs"),
        ({"experiment": "1", "figure": "2"}, "--figure"),
        ({"experiment": "1", "iterations": 7}, "--iterations"),
        ({"experiment": "1", "matches": 1}, "matches"),
        ({"experiment": "1", "hands": 0}, "hands"),
        ({"experiment": "2", "plot": "p.gif"}, ".png"),
    ],
)
def test_refused(given, words):
    with pytest.raises(ParameterError, match=words):
        run("ocfr", quiet=True, **given)


def test_options_of_one_paper_are_not_those_of_another():
    with pytest.raises(ParameterError, match="pref-cfr does not take --experiment"):
        run("pref-cfr", experiment="1")
