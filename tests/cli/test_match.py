"""``counterfold match``: answers, JSON, pictures, faults, Ctrl-C, and what it refuses."""

import json
import os
import re
import signal
import time

import pytest

import counterfold as cf
from counterfold.play.match import Match
from counterfold.play.record import read_record

BOTS = '''
import time

class First:
    def act(self, observation, rng):
        return observation.actions[0]

class Wrong:
    """Chooses what is not there, or fails, if it holds the right card."""
    name = "wrong"
    def act(self, observation, rng):
        if observation.name.startswith("K"):
            return "x"
        if observation.name.startswith("Q"):
            raise ValueError("oh dear")
        return observation.actions[0]

class Slow:
    def act(self, observation, rng):
        if observation.hand == 3:
            time.sleep(30)
        return observation.actions[0]

class Idle:
    pass

class Unborn:
    def __init__(self):
        1 / 0
    def act(self, observation, rng):
        pass
'''
KEYS = {
    "game", "agents", "seed", "duplicate", "hands", "scores", "faults", "messages", "stopped",
    "seconds", "cpu_seconds", "curve", "reveal", "stranger", "learning", "reports", "record",
    "saved", "plot",
}  # fmt: skip
FIXED = ("match", "sophisticated", "uniform", "--game", "kuhn", "--seed", 3)


@pytest.fixture
def bots(tmp_path):
    (tmp_path / "bots.py").write_text(BOTS)


@pytest.fixture
def kept(call):
    """A strategy of Kuhn and one of Leduc."""
    cf.Strategy.uniform(cf.Kuhn()).save("kuhn.cf")
    cf.Strategy.uniform(cf.Leduc()).save("leduc.cf")


def times_apart(document):
    return {k: v for k, v in document.items() if not k.endswith("seconds")}


def test_words(call):
    answer = call(*FIXED, "--hands", "2e3", "--quiet")
    assert answer.code == 0
    assert answer.err == ""
    assert "sophisticated against uniform" in answer.out
    assert "2,000, players in turn, seed 3" in answer.out
    assert "hands a second" in answer.out
    assert re.search(r"agent +win rate +with luck taken out +needs +exactly\n", answer.out)
    assert re.search(
        r"sophisticated +\+0\.\d+ ±0\.\d+ +\+0\.\d+ ±0 +no spread +\+0\.\d+", answer.out
    )
    assert re.search(r"by player +player 1 +player 2\n", answer.out)
    assert "sophisticated wins 0." in answer.out
    assert "every hand tells the exact value" in answer.out
    assert "contains the exact" in answer.out
    assert "learn" not in answer.out
    assert "\x1b" not in answer.out


def test_json_is_the_result_of_the_match(call):
    document = call(*FIXED, "--hands", 2000, "--json").document
    assert set(document) == KEYS
    tree = cf.compile_game(cf.Kuhn())
    agents = [cf.make_agent(name, tree) for name in ("sophisticated", "uniform")]
    result = Match(tree, *agents, seed=3).play(2000).to_dict()
    assert times_apart(document) == times_apart(result) | {
        "reveal": False, "stranger": None, "learning": False, "reports": [], "record": None,
        "saved": None, "plot": None,
    }  # fmt: skip


def test_help_tells_the_keys(call):
    words = call("match", "--help").out.partition("Keys of --json:")[2]
    document = call(*FIXED, "--hands", 10, "--json").document
    for key in (*document, *document["scores"][0], *document["curve"][0]):
        assert re.search(rf"\b{key}\b", words), key


def test_hands_by_default(call, bots):
    assert call("match", "q", "uniform", "--game", "kuhn", "--json").document["hands"] == 100_000
    document = call("match", "bots.py:First", "uniform", "--game", "kuhn", "--json").document
    assert document["hands"] == 1_000
    assert document["agents"] == ["bots.py:First", "uniform"]


def test_a_close_match_has_no_winner_and_a_learner_is_told(call):
    answer = call("match", "q", "deocfr", "--game", "kuhn", "--hands", 40, "--seed", 1)
    assert "There is no winner yet" in answer.out
    assert "includes zero" in answer.out
    assert "the interval is about this match" in answer.out
    answer = call("match", "seocfr-iw", "uniform", "--game", "kuhn", "--hands", 5000)
    assert re.search(
        r"seocfr-iw wins 0\.\d+ a hand: the 95% interval, .* excludes zero", answer.out
    )
    assert "times fewer hands" in answer.out
    assert "exactly" not in answer.out
    assert "too few hands" in call(*FIXED, "--hands", 1).out


def test_three_players_and_general_sums(call):
    answer = call("match", "uniform", "random", "equilibrium", "--game", "kuhn(players=3)")
    assert "uniform, random and equilibrium" in answer.out
    assert re.search(r"by player +player 1 +player 2 +player 3\n", answer.out)
    assert "equilibrium wins" in answer.out
    answer = call("match", "uniform", "random", "--game", "rps:general", "--hands", 500)
    assert "gets the most" in answer.out


def test_a_stranger_is_judged_by_its_choices(call):
    known = call(*FIXED, "--hands", 3000, "--json").document["scores"][0]
    for name in ("sophisticated", "1"):
        document = call(*FIXED, "--hands", 3000, "--stranger", name, "--json").document
        assert document["stranger"] == "sophisticated"
        score = document["scores"][0]
        assert score["mean"] == known["mean"]
        assert score["reduced"]["half"] > 1e-4 > known["reduced"]["half"]
        assert abs(score["reduced"]["mean"] - score["exact"]) < 2 * score["reduced"]["half"]


def test_duplicate_deals(call):
    plain = call(*FIXED, "--hands", 4000, "--json").document
    twice = call(*FIXED, "--hands", 4000, "--duplicate", "--json").document
    assert twice["duplicate"] is True
    assert twice["scores"][0]["half"] < plain["scores"][0]["half"]
    assert "every deal played as every player" in call(*FIXED, "--hands", 10, "--duplicate").out


def test_faults_are_told_and_the_match_goes_on(call, bots):
    arguments = ("match", "bots.py:Wrong", "uniform", "--game", "kuhn", "--hands", 60)
    answer = call(*arguments)
    assert answer.code == 0
    assert re.search(r"wrong lost \d+ hands: chose 'x' at 'K[^']*', where it may ", answer.out)
    assert re.search(r"also: failed at 'Q[^']*' with ValueError: oh dear", answer.out)
    assert "with luck taken out" not in answer.out
    document = call(*arguments, "--json").document
    assert document["faults"][0] == len(document["messages"]) > 20
    assert document["faults"][1] == 0
    assert {message["agent"] for message in document["messages"]} == {"wrong"}
    assert (document["hands"], document["stopped"]) == (60, "hands")


def test_a_fault_may_end_the_match(call, bots):
    arguments = ("match", "bots.py:Wrong", "uniform", "--game", "kuhn", "--on-fault", "stop")
    answer = call(*arguments)
    assert answer.code == 0
    assert "The match ended at a fault, in hand " in answer.out
    document = call(*arguments, "--json").document
    assert document["stopped"] == "fault"
    assert document["messages"][0]["hand"] == document["hands"] - 1


def test_a_slow_agent_loses_the_hand(call, bots):
    how = ("--game", "kuhn", "--hands", 8, "--time-limit", 0.1)
    answer = call("match", "bots.py:Slow", "uniform", *how)
    assert "bots.py:Slow lost 1 hand: did not move within 0.1 s" in answer.out


@pytest.mark.parametrize("verb", ["match", "tournament"])
def test_a_file_names_the_game(call, kept, verb):
    named = call(verb, "leduc.cf", "uniform", "--game", "leduc", "--hands", 20, "--json").document
    found = call(verb, "uniform", "leduc.cf", "--hands", 20, "--json").document
    assert found["game"] == named["game"] == "leduc"


def test_a_file_never_names_a_program(call, tmp_path):
    (tmp_path / "mine.py").write_text("import counterfold as cf\nclass Mine(cf.Kuhn): pass\n")
    call("solve", "mine.py:Mine", "--iterations", 5, "--save", "mine.cf")
    answer = call("match", "mine.cf", "uniform", "--hands", 20)
    assert answer.code == 2
    assert "a file never decides what code runs" in answer.err
    assert call("match", "mine.cf", "uniform", "--game", "mine.py:Mine", "--hands", 20).code == 0


def test_files_play(call, kept):
    answer = call("match", "kuhn.cf", "best-response(kuhn.cf)", "--game", "kuhn", "--json")
    names = answer.document["agents"]
    assert names == ["kuhn.cf", "best-response(kuhn.cf)"]
    assert answer.document["scores"][1]["exact"] > 0.3


def test_hands_are_recorded(call, bots):
    document = call(*FIXED, "--hands", 70, "--record", "h.jsonl", "--json").document
    assert document["record"] == "h.jsonl"
    record = read_record("h.jsonl")
    assert [hand.number for hand in record.hands()] == list(range(70))
    assert record.replay()[0].plain.mean == document["scores"][0]["mean"]
    assert call(*FIXED, "--hands", 5, "--record", "h.jsonl").code == 0, "a record may be replaced"
    assert call(*FIXED, "--record", "bots.py").refused("bots.py", "no record")


def test_a_saved_match_goes_on_as_if_it_had_never_stopped(call, tmp_path):
    learned = ("match", "seocfr-iw", "dbbr-ws", "--game", "kuhn", "--seed", 5)
    saved = call(*learned, "--hands", 700, "--save", "m.cf", "--json").document
    assert (saved["hands"], saved["saved"]) == (700, "m.cf")
    whole = call(*learned, "--hands", 2000, "--json").document
    before = (tmp_path / "m.cf").read_bytes()
    for arguments in (
        ("--hands", 700),
        ("--hands", 2000, "--seed", 6),
        ("--hands", 2000, "--duplicate"),
        ("--hands", 2000, "--stranger", 1),
        ("--hands", 2000, "--game", "leduc"),
        ("q", "uniform", "--hands", 2000),
    ):
        assert call("match", "--resume", "m.cf", *arguments).code == 2
    assert (tmp_path / "m.cf").read_bytes() == before
    again = call("match", "--resume", "m.cf", "--hands", 2000, "--seed", 5, "--json").document
    assert times_apart(again) == times_apart(whole) | {"saved": "m.cf"}
    assert call("match", "--resume", "m.cf", "--hands", 2000).refused("already at hand 2,000")


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_pictures(call, tmp_path, suffix):
    path = f"p.{suffix}"
    answer = call("match", "q", "uniform", "--game", "kuhn", "--hands", 3000, "--plot", path)
    assert f"picture  {path}" in answer.out
    text = (tmp_path / path).read_bytes()
    assert len(text) > 10_000
    answer = call(
        "match", "uniform", "random", "equilibrium", "--game", "kuhn(players=3)", "--hands", 1,
        "--plot", path, "--json",
    )  # fmt: skip
    assert answer.document["plot"] == path


def test_ctrl_c_tells_the_score_and_saves(start, call, tmp_path):
    process = start(
        "match", "q", "uniform", "--game", "kuhn", "--hands", "1e12", "--save", "m.cf",
        "--record", "h.jsonl",
    )  # fmt: skip
    end = time.monotonic() + 90
    while not list(tmp_path.glob(".h.jsonl*")):  # the record is begun with the first hand
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "q wins" in out or "no winner" in out
    last = err.strip().splitlines()[-1]
    hands = int(re.search(r"stopped after ([\d,]+) of ", last)[1].replace(",", ""))
    assert "counterfold match --resume m.cf --hands 1000000000000" in last
    assert sorted(os.listdir(tmp_path)) == ["h.jsonl", "m.cf"]
    assert Match.load(tmp_path / "m.cf").hands == hands
    with open(tmp_path / "h.jsonl") as lines:
        assert json.loads(list(lines)[-2])["hand"] == hands - 1  # the last has the checksum


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["--game"]),
        (["uniform", "random"], ["which game", "--game leduc"]),
        (["--game", "kuhn"], ["who plays"]),
        (["uniform", "random", "--game", "khun"], ["did you mean kuhn"]),
        (["unifrom", "random", "--game", "kuhn"], ["did you mean 'uniform'"]),
        (["nobody", "random", "--game", "kuhn"], ["'nobody'", "seocfr-iw"]),
        (["uniform", "--game", "kuhn"], ["game for 2"]),
        (["q", "q", "q", "--game", "kuhn"], ["game for 2"]),
        (["uniform", "random", "--game", "kuhn", "--hands", "0"], ["--hands is 0"]),
        (["uniform", "random", "--game", "kuhn", "--hands=-5"], ["--hands is -5"]),
        (["uniform", "random", "--game", "kuhn", "--hands", "many"], ["many"]),
        (["uniform", "random", "--game", "kuhn", "--seed=-1"], ["seed"]),
        (["leduc.cf", "random", "--game", "kuhn"], ["leduc", "kuhn"]),
        (["none.safetensors", "random", "--game", "kuhn"], ["none.safetensors"]),
        (["deocfr(rate=7)", "random", "--game", "kuhn"], ["rate", "not 7"]),
        (["q", "q", "q", "--game", "kuhn(players=3)"], ["games of two"]),
        (["nofile.py:Bot", "random", "--game", "kuhn"], ["nofile.py", "no such file"]),
        (["broken.py:Bot", "random", "--game", "kuhn"], ["broken.py", "line 2", "nothing_there"]),
        (["bots.py:Nobody", "random", "--game", "kuhn"], ["'Nobody'", "First"]),
        (["bots.py:Idle", "random", "--game", "kuhn"], ["Idle", "act(observation, rng)"]),
        (["bots.py:Unborn", "random", "--game", "kuhn"], ["ZeroDivisionError"]),
        (["uniform", "random", "--game", "kuhn", "--on-fault", "cry"], ["go-on", "'cry'"]),
        (["uniform", "random", "--game", "kuhn", "--time-limit", "0"], ["--time-limit is 0"]),
        (["uniform", "random", "--game", "kuhn", "--time-limit", "nan"], ["--time-limit is nan"]),
        (["uniform", "random", "--game", "kuhn", "--stranger", "3"], ["--stranger is '3'"]),
        (["uniform", "random", "--game", "kuhn", "--stranger", "bob"], ["'bob'", "random"]),
        (["uniform", "random", "--game", "kuhn", "--plot", "p.gif"], [".png"]),
        (["uniform", "random", "--game", "kuhn", "--record", "no/h.jsonl"], ["no/h.jsonl"]),
        (["uniform", "random", "--game", "kuhn", "--record", "pipe"], ["no ordinary file"]),
        (["uniform", "random", "--game", "kuhn", "--save", "pipe"], ["no ordinary file"]),
        (["uniform", "random", "--game", "kuhn", "--plot", "pipe"], ["no ordinary file"]),
        (["uniform", "random", "--game", "kuhn", "--save", "bots.py"], ["bots.py"]),
        (["bots.py:First", "random", "--game", "kuhn", "--save", "m.cf"], ["--save", "Python"]),
        (["--resume", "none.cf"], ["none.cf"]),
        (["--resume", "kuhn.cf"], ["kuhn.cf", "not a match"]),
        (["uniform", "--resume", "kuhn.cf"], ["leave them out"]),
    ],
)
def test_refused(call, bots, kept, tmp_path, arguments, words):
    (tmp_path / "broken.py").write_text("x = 1\nimport nothing_there\n")
    os.mkfifo(tmp_path / "pipe")
    before = sorted(os.listdir(tmp_path))
    assert call("match", "-q", *arguments).refused(*words)
    assert sorted(set(os.listdir(tmp_path)) - {"__pycache__"}) == before
    assert (tmp_path / "pipe").is_fifo()


def test_devices_are_refused_before_they_are_touched():
    from counterfold.cli import output
    from counterfold.errors import FileError

    for path in ("/dev/null", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        with pytest.raises(FileError, match="no ordinary file"):
            output.check_can_write(path, "--record")
