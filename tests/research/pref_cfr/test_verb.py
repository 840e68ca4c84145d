"""``counterfold repro``: tables, JSON, pictures, and what it refuses."""

import os

import pytest


def test_figure_4_in_words(call):
    answer = call("repro", "pref-cfr", "--figure", 4, "--runs", 2, "--iterations", 500)
    assert answer.code == 0
    assert "(1) BR, bet 10" in answer.out
    assert "(6) BR, pass 10" in answer.out
    assert "0.316" in answer.out
    assert "off by" not in answer.out  # of runs twenty times as long
    assert "\x1b" not in answer.out


def test_figure_3_is_one_document(call):
    arguments = ("repro", "pref-cfr", "--figure", 3, "--runs", 3, "--iterations", 300, "--json")
    document = call(*arguments).document
    assert document["figure"] == 3
    assert document["iterations"] == 300
    (setting,) = document["settings"]
    assert len(setting["alphas"]) == 3
    assert len(setting["trace"]["alpha"]["mean"]) == len(setting["trace"]["iterations"])
    again = call(*arguments).document
    assert again["settings"] == document["settings"]
    assert call(*arguments, "--seed", 1).document["settings"] != document["settings"]


def test_leduc(call, tmp_path):
    arguments = ("repro", "pref-cfr", "--table", "leduc", "--runs", 1, "--iterations", 30)
    answer = call(*arguments, "--plot", "p.png")
    assert answer.code == 0
    assert "external, 6,000 iterations" in answer.out
    assert "within" not in answer.out  # the bound is of the limit
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    document = call(*arguments, "--json").document
    assert document["value"] == pytest.approx(-0.0856064241, abs=1e-8)
    assert len(document["settings"]) == 22


def test_a_picture(call, tmp_path):
    call("repro", "pref-cfr", "--figure", 4, "--runs", 2, "--iterations", 50, "--plot", "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_progress_in_a_pipe(call, monkeypatch):
    monkeypatch.setattr("counterfold.cli.progress.PATIENCE", 0.0)
    monkeypatch.setattr("counterfold.cli.progress.LINE_SECONDS", 0.0)
    arguments = ("repro", "pref-cfr", "--figure", 3, "--runs", 3, "--iterations", 50, "--json")
    loud = call(*arguments)
    assert "run 2 of 3" in loud.err
    assert " left\n" in loud.err
    assert loud.document["runs"] == 3
    assert call(*arguments, "--quiet").err == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pref-cfr"], ["--figure", "--table"]),
        (["pref-cfr", "--figure", "3", "--table", "leduc"], ["say which"]),
        (["pref-cfr", "--figure", "7"], ["figure '7'", "3, 4"]),
        (["pref-cfr", "--table", "texas"], ["table 'texas'", "leduc"]),
        (["alphago", "--figure", "3"], ["alphago", "pref-cfr"]),
        (["pref-cfr", "--figure", "3", "--runs", "0"], ["runs"]),
        (["pref-cfr", "--figure", "3", "--iterations", "1"], ["iterations"]),
        (["pref-cfr", "--figure", "3", "--iterations", "nan"], ["nan"]),
        (["pref-cfr", "--figure", "3", "--seed", "-1"], ["seed"]),
        (["pref-cfr", "--figure", "3", "--plot", "p.gif"], [".png"]),
        (["pref-cfr", "--figure", "3", "--plot", "no/such.png"], ["no/such.png"]),
    ],
)
def test_refused(call, tmp_path, arguments, words):
    assert call("repro", *arguments).refused(*words)
    assert not os.listdir(tmp_path)
