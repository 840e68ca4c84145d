"""``counterfold gauge``: its ways, their JSON, Ctrl-C, and what it refuses."""

import json
import signal
import time

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.buckets import starting_hands
from counterfold.play.bots import searching
from counterfold.play.gauntlet import read_ledger
from counterfold.poker.holdem import leduc
from counterfold.poker.table import Holdem
from tests.play.test_search_gain import searcher


@pytest.fixture
def files(tmp_path):
    """Two blueprints of a small table, and a strategy of Leduc poker."""
    form = BucketForm(Holdem(stack=6, last_street="preflop").poker, [starting_hands()])
    for number in (1, 2):
        strategy = cf.Strategy.random(form, np.random.default_rng(number))
        strategy.save(tmp_path / f"{number}.cf")
    cf.Strategy.random(leduc(), np.random.default_rng(1)).save(tmp_path / "leduc.cf")
    return tmp_path


def test_every_way_tells_its_keys(call, files):
    lbr = call("gauge", "1.cf", "--lbr", "pot", "--hands", "6", "--json", "-q").document
    assert lbr.keys() == {
        "strategy", "game", "lbr", "hands", "seed", "value", "half", "by_player", "mbb", "mbb_half",
        "exact",
    }  # fmt: skip
    late = call("gauge", "1.cf", "--from", "river", "--boards", "4", "--json", "-q").document
    assert late.keys() == {
        "strategy", "game", "from", "boards", "seed", "gain", "half", "by_player", "mbb",
        "mbb_half", "reached",
    }  # fmt: skip
    given = (
        "--gauntlet",
        "--also",
        "2.cf",
        "--hands",
        "4",
        "--boards",
        "50",
        "--ledger",
        "ledger.jsonl",
        "-q",
    )
    found = call("gauge", "1.cf", *given, "--json").document
    assert [bout["opponent"] for bout in found["bouts"]] == [
        "uniform", "always-call", "always-fold", "tight", "loose", "maniac", "2.cf",
    ]  # fmt: skip
    assert json.loads(json.dumps(found["bouts"]))[0].keys() >= {"mbb", "mbb_half", "reduced"}
    assert len(read_ledger(files / "ledger.jsonl")) == 7


def test_what_searches_gain_is_told(call, files, monkeypatch):
    monkeypatch.setattr("counterfold.play.search_gain.ALWAYS", 1.0)
    monkeypatch.setattr("counterfold.cli.gauge_gain.make_bot", lambda spec: searcher(2))
    agent = "holdem(small.cf)"
    found = call("gauge", agent, "--gain", "--hands", "40", "--seed", "1", "--json", "-q").document
    assert found.keys() == {
        "strategy", "game", "against", "hands", "seed", "gain", "half", "mbb", "mbb_half",
        "by_player", "by_street", "searched",
    }  # fmt: skip
    assert found["by_street"]["river"].keys() == {
        "gain", "half", "mbb", "mbb_half", "searches", "iterations", "gap", "cpu_seconds",
    }  # fmt: skip
    assert found["by_street"]["river"]["searches"] == 2 * found["searched"]
    call("gauge", agent, "--gain", "--hands", "40", "--seed", "1", "-q").told("as BB", "in all")


def test_what_play_asks_of_a_blueprint(files):
    """The names under which `play` sits an opponent down."""
    path = str(files / "1.cf")
    assert searching(path, seconds=1.0, alpha="auto") == f"holdem({path},seconds=1,alpha=auto)"
    assert searching(path, seconds=None, alpha=0.5) == f"holdem({path},alpha=0.5)"


def test_it_is_told_in_words(call, files):
    call("gauge", "leduc.cf", "-q").told("all hands", "lower bound on what a best response wins")
    call("gauge", "leduc.cf", "--from", "round 1", "--boards", "2", "-q").told(
        "lower bound on exploitability"
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["leduc.cf", "--lbr", "late"], ["--lbr is fold-call, pot, 56 or all"]),
        (["leduc.cf", "--from", "ocean"], ["--from is one of round 1, round 2"]),
        (["leduc.cf", "--from", "flop", "--hands", "3"], ["--boards"]),
        (["leduc.cf", "--boards", "3"], ["--boards goes with --from"]),
        (["leduc.cf", "--ledger", "x"], ["--ledger goes with --gauntlet"]),
        (["leduc.cf", "--gauntlet", "--lbr", "all"], ["take one"]),
        (["1.cf", "--gain"], ["--gain is of an agent that searches, holdem(FILE"]),
        (["holdem(1.cf)", "--gain", "--from", "river"], ["take one"]),
        (["1.cf", "--gauntlet", "--against", "tight"], ["--against goes with --gain"]),
        (["leduc.cf", "--gauntlet"], ["leduc.cf is a strategy of leduc"]),
        (["1.cf", "--gauntlet", "--also", "3.cf"], ["3.cf"]),
        (["1.cf", "--lbr", "pot"], ["too many hands"]),
        (["1.cf", "--gauntlet", "--ledger", "leduc.cf"], ["leduc.cf"]),
    ],
)
def test_what_it_refuses(call, files, given, words):
    assert call("gauge", *given, "-q").refused(*words)


def test_ctrl_c_keeps_what_is_done(start, files):
    many = ("--hands", "30000", "--boards", "20", "--ledger", "l.jsonl")
    process = start("gauge", "1.cf", "--gauntlet", *many)
    first = process.stderr.readline()  # the first words of progress
    assert "against" in first or "compiling" in first
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped after" in err
    assert "uniform" in out
    *before, last = read_ledger(files / "l.jsonl")
    assert [bout.boards for bout in before] == [20, 20, 20]
    assert last.opponent == "tight"
    assert 0 < last.hands < 30000
