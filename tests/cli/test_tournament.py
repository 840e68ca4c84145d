"""``counterfold tournament``: the table, its files, and what it refuses."""

import csv
import os
import re

import pytest

import counterfold as cf
from counterfold.play.tournament import tournament

KEYS = {
    "game", "agents", "hands", "matches", "seed", "duplicate", "table", "ranking", "meetings",
    "messages", "stopped", "seconds", "cpu_seconds", "csv", "plot",
}  # fmt: skip
THREE = ("tournament", "uniform", "equilibrium", "q", "--game", "kuhn", "--hands", 400)


def test_words(call):
    answer = call(*THREE)
    assert answer.code == 0
    assert "kuhn: a match of 400 hands for each pair, players in turn, seed 0" in answer.out
    head, *rows = re.search(r"\n\n(.*?)\n\n", answer.out, re.DOTALL)[1].splitlines()
    assert head.split()[:3] == ["row", "\\", "column"]
    assert [row.split()[0] for row in rows] == head.split()[3:-1], "best on top, and to the left"
    ranking = call(*THREE, "--json").document["ranking"]
    assert head.split()[3:-1] == [standing["agent"] for standing in ranking]
    assert ranking[0]["agent"] != "uniform", "who was given first is not the best"
    assert "those of a single match, not of what learners would win in another" in answer.out
    assert "with luck taken out" in answer.out
    assert "1,200 hands in " in answer.out
    assert "\x1b" not in answer.out
    answer = call(*THREE, "--matches", 3)
    assert "3 matches of 400 hands for each pair" in answer.out
    assert "come from the spread between matches" in answer.out


def test_json_is_the_result(call):
    document = call(*THREE, "--matches", 2, "--seed", 7, "--json").document
    assert set(document) == KEYS
    specs = ["uniform", "equilibrium", "q"]
    found = tournament(cf.Kuhn(), specs, 400, matches=2, seed=7).to_dict()
    for key in ("agents", "table", "ranking", "meetings", "stopped"):
        assert document[key] == found[key]
    words = call("tournament", "--help").out.partition("Keys of --json:")[2]
    for key in KEYS | set(document["meetings"][0]) | set(document["ranking"][0]):
        assert re.search(rf"\b{key}\b", words), key


def test_csv_and_pictures(call, tmp_path):
    document = call(*THREE, "--csv", "t.csv", "--plot", "t.svg", "--json").document
    assert (document["csv"], document["plot"]) == ("t.csv", "t.svg")
    with open(tmp_path / "t.csv") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6
    for row in rows:
        g, other = (document["agents"].index(row[key]) for key in ("agent", "against"))
        cell = document["table"][g][other]
        assert float(row["mean"]) == cell["mean"]
        assert float(row["high"]) - float(row["low"]) == pytest.approx(2 * cell["half"])
        assert (row["matches"], row["hands"]) == ("1", "400")
    picture = (tmp_path / "t.svg").read_bytes()
    assert len(picture) > 10_000
    answer = call(*THREE, "--csv", "-", "--plot", "t.png")
    assert answer.out == (tmp_path / "t.csv").read_text()


def test_more_players(call):
    answer = call(
        "tournament", "uniform", "equilibrium", "random", "random(seed=2)",
        "--game", "kuhn(players=3)", "--hands", 300,
    )  # fmt: skip
    assert "for each line-up" in answer.out
    assert answer.out.count("±") >= 12


def test_faults_are_told(call, tmp_path):
    (tmp_path / "bot.py").write_text(
        "class Bot:\n    def act(self, observation, rng):\n        return 'x'\n"
    )
    answer = call("tournament", "uniform", "bot.py:Bot", "q", "--game", "kuhn", "--hands", 20)
    assert "bot.py:Bot lost 40 hands: chose 'x' at " in answer.out
    assert "where nobody broke the rules" in answer.out
    assert "uniform lost" not in answer.out


def test_ctrl_c_keeps_what_was_over(call, monkeypatch):
    def press(watch, done, total):
        if done >= 50_000:
            raise KeyboardInterrupt

    monkeypatch.setattr("counterfold.cli.match.HandsWatch.hands", press)
    monkeypatch.setattr("counterfold.play.tournament.LOOK", 0.001)
    answer = call(*THREE[:-1], 5_000, "--matches", 10_000)
    assert answer.code == 130
    assert "row \\ column" in answer.out
    assert re.search(r"the table holds the [\d,]+ matches that were over", answer.err)
    answer = call(*THREE[:-1], 50_000_000)
    assert (answer.code, answer.out) == (130, "")
    assert "before the first match was over" in answer.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["uniform", "q"], ["--game"]),
        (["--game", "kuhn"], ["needs 2"]),
        (["uniform", "--game", "kuhn"], ["needs 2"]),
        (["uniform", "uniform", "--game", "kuhn"], ["twice"]),
        (["uniform", "nobody", "--game", "kuhn"], ["'nobody'"]),
        (["uniform", "q", "--game", "khun"], ["did you mean kuhn"]),
        (["uniform", "q", "--game", "kuhn", "--hands", "0"], ["--hands is 0"]),
        (["uniform", "q", "--game", "kuhn", "--hands", "x"], ["'x'"]),
        (["uniform", "q", "--game", "kuhn", "--matches", "0"], ["--matches is 0"]),
        (["uniform", "q", "--game", "kuhn", "--seed=-2"], ["seed"]),
        (["uniform", "q", "--game", "kuhn", "--time-limit", "-1"], ["--time-limit is -1"]),
        (["uniform", "q", "--game", "kuhn", "--csv", "-", "--json"], ["--csv", "--json"]),
        (["uniform", "q", "--game", "kuhn", "--csv", "no/t.csv"], ["no/t.csv"]),
        (["uniform", "q", "--game", "kuhn", "--csv", "."], ["folder"]),
        (["uniform", "q", "--game", "kuhn", "--plot", "t.gif"], [".png"]),
    ],
)
def test_refused(call, tmp_path, arguments, words):
    assert call("tournament", "-q", *arguments).refused(*words)
    assert not os.listdir(tmp_path)
