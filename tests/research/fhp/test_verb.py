"""``counterfold repro fhp``: the run and the checks, as a user asks for them."""

import json

import pytest

from counterfold.research.columns import print_parts
from counterfold.research.fhp import checks, exact, verb

SMALL = "fhp(cap=2,deck='Qh Qs Kh Ks Ah As Ad')"


@pytest.fixture(autouse=True)
def in_small(monkeypatch):
    monkeypatch.setattr(checks, "DECK", "QKA")


def test_a_small_run_with_its_files(call, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    answer = call(
        "repro", "fhp", "--game", SMALL, "--iterations", 30, "--folder", folder, "-q",
        "--plot", "curve.svg",
    )  # fmt: skip
    assert answer.code == 0
    assert "7 cards, at most 2 bets" in answer.out
    assert "after 30 iterations" in answer.out
    assert "published" not in answer.out
    document = json.loads((folder / "fhp.json").read_text())
    assert document["iterations"] == 30
    assert {f.name for f in folder.iterdir()} == {
        "fhp.json", "fhp.safetensors", "linear.json", "curve.csv", "curve.png", "preflop.csv",
        "preflop.png",
    }  # fmt: skip
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")
    more = call(
        "repro", "fhp", "--game", SMALL, "--iterations", 40, "--folder", folder, "-q", "--json"
    )
    assert more.document["resumed"] == 30
    assert more.document["iterations"] == 40
    assert more.document["linear"] == document["linear"]


def test_the_checks(call):
    answer = call("repro", "fhp", "--experiment", "check", "--hands", 2000, "-q")
    assert answer.code == 0
    assert "Everything agrees" in answer.out
    told = call("repro", "fhp", "--experiment", "check", "--hands", 2000, "-q", "--json").document
    assert told["holds"] is True


def test_stopped(call, tmp_path, monkeypatch):
    def stop(self, done, total, words=""):
        if words.startswith("dcfr") and "iteration 2" in words:
            raise KeyboardInterrupt

    monkeypatch.setattr("counterfold.research.reproduction._Runs.runs", stop)
    answer = call("repro", "fhp", "--game", SMALL, "--folder", tmp_path, "-q")
    assert answer.code == 130
    assert "the same command goes on" in answer.err
    assert (tmp_path / exact.CHECKPOINT).exists()


def test_published_numbers_stand_beside_the_whole_game(capsys):
    points = tuple(exact.FhpPoint(k, 100.0 / k, 50.0, k, k) for k in (10, 20, 50))
    made = exact.FhpRun("fhp", 4, 52, 1755, 1176, "dcfr", points, points, 2**30, 2**29, 0, ())
    print_parts(verb._show_run(made))
    out = capsys.readouterr().out
    assert "115" in out
    assert "Deep CFR was published with 37" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--experiment", 2], "fhp has no experiment '2'"),
        (["--figure", 2], "does not take --figure"),
        (["--hands", 5], "does not take --hands"),
        (["--game", "kuhn"], "about fhp"),
        (["--iterations", 5, "--minutes", 1], "not both"),
        (["--minutes", -1], "must be above 0"),
        (["--folder", "no/where"], "there is no folder no; make it first"),
        (["--experiment", "check", "--folder", "nowhere"], "there is no such folder"),
        (["--experiment", "check", "--minutes", 1], "does not take --minutes"),
    ],
)
def test_refused(call, arguments, words):
    assert call("repro", "fhp", "-q", *arguments).refused(words)
