"""``counterfold solve``: answers, JSON, pictures, and what it refuses."""

import os
import re
import sys

import pytest

import counterfold as cf
from counterfold.strategy.strategy import Strategy

KEYS = {
    "game", "method", "traversal", "iterations", "certified_at", "value", "values",
    "exploitability", "nash_conv", "cce_gap", "correlated_gap", "histories", "infosets", "seconds",
    "cpu_seconds", "compile_seconds", "stopped", "promise", "trace",
}  # fmt: skip


def test_a_certificate(call):
    answer = call("solve", "kuhn")
    assert answer.told("(exact)", "58 histories, 12 infosets", "counterfold show")
    assert re.search(r"value +-0\.05555\d+ to player 1", answer.out)


def test_json_is_one_document(call):
    answer = call("solve", "kuhn", "--json", "--iterations", "1e3")
    document = answer.document
    assert set(document) == KEYS
    assert document["iterations"] == 1000
    assert document["stopped"] == "iterations"
    assert document["value"] == pytest.approx(-1 / 18, abs=1e-6)
    assert document["exploitability"] < 1e-6
    assert len(document["trace"]) > 10
    assert set(document["trace"][0]) == {"iteration", "cpu_seconds", "exploitability", "cce_gap"}


@pytest.mark.parametrize(
    "method", ["cfr", "cfr+", "linear", "dcfr", "dcfr(1.5,0,2)", "pcfr+", "hs-dcfr", "HS-PCFR+(30)"]
)
def test_methods(call, method):
    document = call("solve", "kuhn", "--method", method, "--iterations", 200, "--json").document
    assert document["method"].lower() == method.lower()
    assert document["exploitability"] < 0.05


@pytest.mark.parametrize("traversal", ["full", "chance", "external", "outcome"])
def test_traversals(call, traversal):
    arguments = (
        "solve", "kuhn", "--traversal", traversal, "--iterations", 5000, "--seed", 3, "--json",
        "--method", "cfr",
    )  # fmt: skip
    one, two = call(*arguments).document, call(*arguments).document
    assert one["traversal"] == traversal
    assert one["exploitability"] == two["exploitability"] < 0.2


def test_settings(call, tmp_path):
    call("solve", "kuhn", "--iterations", 50, "--last-iterate", "--dtype", "float32",
         "--simultaneous", "--save", "a.cf", "--quiet")  # fmt: skip
    about = Strategy.load(tmp_path / "a.cf").about
    assert about["iterate"] == "last"
    assert about["iteration"] == 50


def test_the_linear_program(call, tmp_path):
    document = call("solve", "kuhn", "--method", "lp", "--json", "--save", "lp.cf").document
    assert document["stopped"] == "optimum"
    assert document["exploitability"] < 1e-9
    assert Strategy.load(tmp_path / "lp.cf").about["method"] == "lp"
    assert call("solve", "--resume", "lp.cf").refused("nothing to resume")
    assert "linear program" in call("solve", "kuhn", "--method", "LP").out


def test_many_players_show_the_gap_and_all_values(call):
    answer = call("solve", "kuhn(players=3)", "--iterations", 500)
    assert "CCE gap" in answer.out
    assert "player 3" in answer.out
    assert "coarse correlated" in answer.out


def test_a_game_of_ones_own(call, tmp_path):
    from tests.cli.test_games import PENNIES

    (tmp_path / "mine.py").write_text(PENNIES)
    answer = call("solve", "mine.py:Pennies", "--save", "p.cf", "--json")
    assert answer.document["game"] == "mine.py:Pennies"
    assert "my penny" in call("show", "p.cf").out
    (tmp_path / "broken.py").write_text(PENNIES.replace('"heads", ', 'state["heads"], '))
    assert call("solve", "broken.py:Pennies").refused("broken.py, line 8", "actions")


def test_limits(call):
    fast = call("solve", "leduc", "--target", 0.01, "--json").document
    assert fast["stopped"] == "exploitability"
    assert fast["exploitability"] <= 0.01
    slow = call("solve", "leduc", "--seconds", 0.2, "--json").document
    assert slow["stopped"] == "seconds"


def test_dry_run(call, tmp_path):
    document = call("solve", "leduc", "--dry-run", "--json", "--save", "never.cf").document
    assert document["histories"] == 9457
    assert document["terminals"] == 5520
    assert document["infosets"] == 288
    assert document["bytes"] < document["peak"] < document["memory"]
    assert document["fits"] is True
    words = call("solve", "leduc", "--dry-run").out
    assert "9,457" in words
    assert "it fits" in words
    assert not os.listdir(tmp_path)
    assert call("solve", "leduc", "--dry-run", "--memory", "10k").refused("memory")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["which game"]),
        (["khun"], ["khun", "did you mean kuhn"]),
        (["kuhn(playrs=3)"], ["playrs", "players"]),
        (["kuhn(players=1)"], ["players"]),
        (["kuhn", "--iterations", "0"], ["iterations is 0"]),
        (["kuhn", "--iterations", "-3"], ["iterations is -3"]),
        (["kuhn", "--iterations", "1.5"], ["1.5"]),
        (["kuhn", "--iterations", "inf"], ["inf"]),
        (["kuhn", "--iterations", "nan"], ["nan"]),
        (["kuhn", "--exploitability", "nan"], ["exploitability is nan"]),
        (["kuhn", "--exploitability", "-1"], ["exploitability is -1"]),
        (["kuhn", "--seconds", "0"], ["seconds is 0"]),
        (["kuhn", "--method", "frobnicate"], ["frobnicate", "cfr+"]),
        (["kuhn", "--method", "dcfr(nan)"], ["not a number"]),
        (["kuhn", "--traversal", "deep"], ["deep", "external"]),
        (["kuhn", "--dtype", "int8"], ["int8"]),
        (["kuhn", "--seed", "-1"], ["seed"]),
        (["kuhn", "--explore", "nan"], ["explore"]),
        (["kuhn", "--every", "10"], ["--save"]),
        (["kuhn", "--every", "0", "--save", "a.cf"], ["--every is 0"]),
        (["kuhn", "--memory", "lots"], ["lots", "2G"]),
        (["leduc", "--memory", "10k"], ["memory"]),
        (["kuhn", "--method", "lp", "--iterations", "5"], ["--iterations"]),
        (["kuhn", "--method", "lp", "--plot", "a.png"], ["--plot"]),
        (["kuhn", "--method", "lp", "--last-iterate"], ["--last-iterate"]),
        (["rps:general", "--method", "lp"], ["zero-sum"]),
        (["kuhn", "--save", "no/such/folder.cf"], ["no/such"]),
        (["kuhn", "--save", "."], ["folder"]),
        (["kuhn", "--plot", "picture.gif"], [".png"]),
        (["kuhn", "--plot", "picture"], [".png"]),
        (["kuhn", "--plot", "no/such/picture.png"], ["no/such"]),
        (["--resume", "nofile.cf"], ["nofile.cf"]),
        (["nofile.py:Game"], ["nofile.py"]),
        (["nofile.efg"], ["nofile.efg"]),
    ],
)
def test_refused_before_any_work(call, tmp_path, arguments, words):
    assert call("solve", *arguments).refused(*words)
    assert not os.listdir(tmp_path)


def test_what_an_engine_cannot_do_is_refused_by_its_option(call, tmp_path):
    few = ("kuhn", "--iterations", 5, "-q")
    assert call("solve", *few, "--threads", 2).code == 0
    assert call("solve", *few, "--bits", 32).code == 0
    sampled = call("solve", *few, "--traversal", "external", "--threads", 2)
    assert sampled.refused("several threads", "--threads")
    assert call("solve", *few, "--bits", 16, "--dry-run").refused("tables in 16 bits", "--bits")
    public = (*few, "--form", "public")
    assert call("solve", *public, "--explore", 0.5).refused("sampled traversals", "--explore")
    assert call("solve", *public, "--simultaneous").code == 0
    assert call("solve", *public, "--alternating", "--traversal", "full").code == 0
    assert "bet=2" in call("solve", *few, "--prefer", "bet=2").out
    assert call("solve", *few, "--locks", "none.json").refused("none.json")
    held = call("solve", "kuhn", "--method", "lp", "--prefer", "bet=2")
    assert held.refused("linear program", "--prefer")


def test_locks_of_a_game_by_its_histories(call, tmp_path):
    locks = tmp_path / "locks.json"
    locks.write_text('[{"at": "Q | bet", "play": {"call": 1}, "trust": 0.5}]')
    call("solve", "kuhn", "--locks", "locks.json", "--save", "held.cf", "-q")
    held = cf.load(str(tmp_path / "held.cf"))
    plain = cf.solve("kuhn", locks=cf.Locks([cf.Lock("Q | bet", {"call": 1}, trust=0.5)]))
    assert held.at("Q", "bet") == plain.strategy.at("Q", "bet")
    assert held.at("Q", "bet")["call"] >= 0.5
    locks.write_text('[{"player": 2, "play": {"call": 1, "check": 1}}]')
    answer = call("solve", "kuhn", "--locks", "locks.json", "--json", "-q")
    assert answer.document["value"] == pytest.approx(1 / 3, abs=1e-5)
    assert "With locks" in answer.document["promise"]
    for told, words in (
        ('"at": "Q | bat", "play": {"call": 1}', "lock 1: nobody ever sees 'Q | bat'"),
        ('"at": "Q | bet", "play": {"call": 0.5}', "add up to 0.5"),
        ('"at": "Q | bet", "play": {"call": 1}, "hands": "AA"', '"hands" is of poker'),
        ('"at": "Q | bet", "frequencies": {"call": 1}', "actions with probabilities"),
        ('"player": 3, "play": {"call": 1}', '"player" must be from 1 to 2'),
    ):
        locks.write_text(f"[{{{told}}}]")
        assert call("solve", "kuhn", "--locks", "locks.json").refused("locks.json, lock 1", words)


def test_few_calls_lie_between_the_verb_and_the_arithmetic(call, monkeypatch, tmp_path):
    from counterfold.solvers.sequence_engine import SequenceEngine
    from counterfold.tree.traversal import Traversal

    depths = []

    def counted(method):
        def step(*given):
            names, frame = [], sys._getframe()
            while frame is not None and frame.f_code.co_qualname != "command_of.<locals>.command":
                names.append(frame.f_code.co_name)
                frame = frame.f_back
            depths.append(len(names) + 2)  # the verb, and the kernel
            return method(*given)

        return step

    monkeypatch.setattr(SequenceEngine, "step", counted(SequenceEngine.step))
    assert call("solve", "kuhn", "--iterations", 5, "-q").code == 0
    assert max(depths) <= 10
    monkeypatch.setattr(Traversal, "call", counted(Traversal.call))
    depths.clear()
    assert call("solve", "kuhn", "--form", "public", "--iterations", 5, "-q").code == 0
    assert depths
    assert max(depths) <= 10


@pytest.mark.skipif(os.name == "nt" or not os.path.isdir("/proc"), reason="needs /proc")
def test_a_folder_that_takes_no_files(call):
    assert call("solve", "kuhn", "--save", "/proc/kuhn.cf").refused("/proc/kuhn.cf")


def test_a_file_of_another_kind_is_not_replaced(call, tmp_path):
    (tmp_path / "diary.txt").write_text("Dear diary, today I solved Kuhn.")
    assert call("solve", "kuhn", "--save", "diary.txt").refused("diary.txt", "another name")
    assert (tmp_path / "diary.txt").read_text().startswith("Dear")


def test_damaged_and_foreign_files(call, tmp_path):
    call("solve", "kuhn", "--save", "good.cf", "--iterations", 10)
    good = (tmp_path / "good.cf").read_bytes()
    foreign = b"\x02\x00\x00\x00\x00\x00\x00\x00{}"
    for name, content in {
        "cut.cf": good[: len(good) // 2],
        "empty.cf": b"",
        "text.cf": b"hello",
        "foreign.cf": foreign,
        "spoilt.cf": good.replace(b"counterfold 2", b"counterfold 9"),
    }.items():
        (tmp_path / name).write_bytes(content)
        assert call("show", name).refused(name)
        assert call("solve", "--resume", name).refused(name)
    assert (tmp_path / "good.cf").read_bytes() == good


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_picture(call, tmp_path, suffix):
    answer = call("solve", "kuhn(players=3)", "--iterations", 100, "--plot", f"p.{suffix}")
    assert answer.code == 0
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert (tmp_path / f"p.{suffix}").read_bytes().startswith(start)
    assert os.listdir(tmp_path) == [f"p.{suffix}"]


def test_without_matplotlib(call, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = call("solve", "kuhn", "--plot", "p.png")
    assert answer.refused("pip install 'counterfold[plot]'")
    assert not os.listdir(tmp_path)


def test_progress_in_a_pipe(call, monkeypatch):
    monkeypatch.setattr("counterfold.cli.progress.LINE_SECONDS", 0.0)
    loud = call("solve", "leduc", "--target", 1e-3, "--json")
    assert "exploitability" in loud.err
    assert " left\n" in loud.err
    assert "\x1b" not in loud.err
    assert loud.document["exploitability"] <= 1e-3
    assert call("solve", "leduc", "--target", 1e-3, "--quiet").err == ""
