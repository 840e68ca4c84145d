"""``counterfold repro ocfr``: tables, JSON, pictures, and what it refuses."""

import pytest


def test_matches_of_one_mark(call):
    assert (
        "late is after hand 0"
        in call("repro", "ocfr", "--experiment", 1, "--matches", 2, "--hands", 20, "-q").out
    )


def test_experiment_1_in_words(call, tmp_path):
    out = call(
        "repro", "ocfr", "--experiment", 1, "--matches", 3, "--hands", 60, "--plot", "p.png", "-q"
    ).out
    assert "3 matches of 60 hands" in out
    assert out.count("seocfr-iw") == 3
    assert "dynamic: a random strategy, drawn anew every 500 hands" in out
    assert "Picture: p.png" in out
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_experiment_2_in_words_and_as_a_document(call):
    arguments = ("repro", "ocfr", "--experiment", 2, "--matches", 4, "--hands", 30, "-q")
    out = call(*arguments).out
    assert out.count("Winners are not compared: matches have 1,500 hands in the paper") == 2
    assert "Published ranking: deOCFR > seOCFR > MCCFR-os > DBBR-WS > Q-learning > Sarsa." in out
    document = call(*arguments, "--json").document
    assert document["experiment"] == "2"
    assert document["published"]["table"][0][1] == -0.012
    cell = document["plain"]["table"][0][1]
    assert f"{cell['mean']:+.3f}" in out
    assert document["plain"]["table"][1][0]["mean"] == -cell["mean"]


def test_the_check(call):
    arguments = ("repro", "ocfr", "--experiment", "check", "-q", "--matches")
    out = call(*arguments, 20).out
    assert "at least +0.31  yes" in out
    assert "above -0.07  yes" in out
    fewer = call(*arguments, 50, "--hands", 20).out
    assert "wanted over 20,000 hands" in fewer
    assert "  no" not in fewer
    assert "  yes" not in fewer


def test_progress(call, monkeypatch):
    monkeypatch.setattr("counterfold.cli.progress.LINE_SECONDS", 0.0)
    answer = call(
        "repro", "ocfr", "--experiment", "check", "--matches", 30, "--hands", 10, "--json"
    )
    assert "playing: match 31 of 60" in answer.err
    assert answer.document["matches"] == 30


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--experiment 1, 2 or check"),
        (["--experiment", 3], "experiment '3'"),
        (["--experiment", 1, "--runs", 3], "ocfr does not take --runs; it takes --experiment"),
        (["--experiment", 1, "--figure", 2], "--figure"),
        (["--experiment", 1, "--iterations", 7], "--iterations"),
        (["--experiment", 1, "--matches", 1], "matches"),
        (["--experiment", 1, "--hands", 0], "hands"),
        (["--experiment", 2, "--plot", "p.gif"], ".png"),
    ],
)
def test_refused(call, arguments, words):
    assert call("repro", "ocfr", "-q", *arguments).refused(words)


def test_options_of_one_paper_are_not_those_of_another(call):
    assert call("repro", "pref-cfr", "--experiment", 1).refused(
        "pref-cfr does not take --experiment"
    )
