"""``match``, ``play`` and ``replay`` at a poker spot."""

import json

import pytest
from typer.testing import CliRunner

from counterfold.cli.main import app
from tests.cli.conftest import Answer, spot_writer

SPOT = {
    "board": "Ks 9h 6s 4d 2c",
    "pot": 20,
    "stack": 40,
    "oop": "QQ+,T9s",
    "ip": "JJ,AKs,65s",
    "bets": ["50%", "allin"],
    "raises": ["allin"],
}


@pytest.fixture
def river(tmp_path):
    return tmp_path / spot_writer(tmp_path, SPOT, "river.json")()


@pytest.fixture
def solved(call, river):
    assert call("solve", river, "-q", "--save", "river.safetensors").code == 0
    return "river.safetensors"


def sit(*arguments, answers):
    typed = "".join(f"{line}\n" for line in answers.split(","))
    result = CliRunner().invoke(app, ["play", *map(str, arguments)], input=typed)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Answer(result.exit_code, result.stdout, result.stderr)


def test_a_match_at_a_spot_is_exact_and_can_be_played_again(call, river, solved):
    found = call(
        "match", solved, "uniform", "--game", river, "--hands", "200", "--seed", "1",
        "--record", "hands.jsonl", "--json", "-q",
    )  # fmt: skip
    told = found.document
    assert (told["hands"], told["agents"]) == (200, [solved, "uniform"])
    one, two = told["scores"]
    assert one["exact"] == -two["exact"] > 1
    assert one["mean"] == -two["mean"]
    again = call("replay", "hands.jsonl", "--json", "-q").document
    assert again["hands"] == 200
    assert again["scores"][0]["mean"] == pytest.approx(one["mean"])
    hand = call("replay", "hands.jsonl", "--hand", "3").out
    assert "Ks 9h 6s 4d 2c" in hand


def test_a_tournament_at_a_spot_is_exact(call, river, solved):
    three = "tournament", solved, "uniform", "random(seed=2)", "--game", river, "--hands", "20"
    told = call(*three, "--json", "-q").document
    assert told["game"] == str(river)
    assert {meeting["half"][0] for meeting in told["meetings"]} == {0.0}
    match = call("match", solved, "uniform", "--game", river, "--hands", "5", "--json").document
    assert told["table"][0][1]["mean"] == match["scores"][0]["exact"] > 1
    assert told["ranking"][0]["agent"] == solved
    assert "compared exactly" in call(*three, "-q").out


def test_a_program_of_ones_own_is_in_the_tournament_too(call, river, solved):
    (river.parent / "bots.py").write_text(
        "class Caller:\n    def act(self, seen, rng):\n"
        "        return 'call' if 'call' in seen.actions else 'check'\n"
    )
    told = call(
        "tournament", solved, "uniform", "bots.py:Caller", "--game", river, "--hands", "40",
        "--json", "-q",
    ).document  # fmt: skip
    known = [meeting["exact"] is not None for meeting in told["meetings"]]
    assert known == [True, False, False]
    assert [meeting["half"][0] > 0 for meeting in told["meetings"]] == [False, True, True]
    assert not any(standing["faults"] for standing in told["ranking"])


def test_an_equilibrium_is_found_on_the_way(call, river):
    found = call("match", "equilibrium", "uniform", "--game", river, "--hands", "10", "-q")
    assert found.code == 0
    assert "exactly" in found.out


def test_a_person_plays_a_spot_and_is_judged(call, river, solved):
    found = sit(
        river, "--against", solved, "--seed", "1", "--save", "s.jsonl", "-q",
        answers="?,hint,1,1,1,1,1,1,1,1,q",
    )  # fmt: skip
    assert found.code == 0
    for words in (
        "Your hand",
        "Board        Ks 9h 6s 4d 2c",
        "Pot          20; behind: you 40, river 40",
        "Hold'em: oop and ip are dealt two cards each",
        "worth in chips from here on: check +",
        "Decisions    ",
        "luck taken out",
    ):
        assert words in found.out
    hands = len((river.parent / "s.jsonl").read_text().splitlines()) - 1
    assert hands >= 3
    more = sit("--resume", "s.jsonl", "-q", answers="1,1,1,q")
    assert more.code == 0
    assert f"Hand {hands + 1}" in more.out
    assert len((river.parent / "s.jsonl").read_text().splitlines()) - 1 > hands
    assert call("replay", "s.jsonl", "--json", "-q").document["hands"] > hands


def test_a_costly_decision_is_named(river, solved):
    """To go all-in with every hand must cost something somewhere."""
    found = sit(river, "--against", solved, "--seed", "2", "-q", answers=",".join(["a,f"] * 20))
    assert " cost " in found.out
    assert " was best)" in found.out


def test_a_solution_is_a_game_and_its_own_opponent(solved):
    found = sit(solved, "--seed", "1", "-q", "--hands", "3", answers="1,1,1,1,1,1")
    assert found.code == 0
    assert found.out.startswith("river.safetensors against river.safetensors")
    assert "The score of this session" in found.out


def test_a_match_at_a_spot_is_saved_and_goes_on(call, river, solved):
    words = ("match", solved, "dynamic(every=30)", "--seed", 4, "--game", river, "--json", "-q")
    whole = call(*words, "--hands", 100).document
    assert call(*words, "--hands", 41, "--save", "m.cf").document["saved"] == "m.cf"
    river.unlink()  # the file of the match has the spot
    again = call("match", "--resume", "m.cf", "--hands", 100, "--json", "-q").document
    for name in ("scores", "curve", "hands"):
        assert again[name] == whole[name]
    other = river.parent / "other.json"
    other.write_text(json.dumps(SPOT | {"pot": 30}))
    go_on = ("match", "--resume", "m.cf", "--hands", 120, "-q")
    call(*go_on, "--game", other).refused("was played in")
    call(*go_on, "--game", "kuhn").refused("the game here is kuhn")


def test_a_record_tells_its_own_spot(call, river, solved):
    words = ("match", solved, "uniform", "--game", river, "--hands", 20, "-q")
    scores = call(*words, "--record", "r.jsonl", "--json").document["scores"]
    river.unlink()
    again = call("replay", "r.jsonl", "--json", "-q").document["scores"]
    assert [s["mean"] for s in again] == pytest.approx([s["mean"] for s in scores])


def test_what_does_not_fit_is_refused(call, river, solved):
    call("match", "dbbr", "uniform", "--game", river, "-q").refused("dbbr", "strategy files")
    call("match", "none.safetensors", "uniform", "--game", river).refused("none.safetensors")
    other = river.parent / "other.json"
    other.write_text(json.dumps(SPOT | {"pot": 30}))
    call("match", solved, "uniform", "--game", other, "-q").refused("another game")
    call("solve", "kuhn", "--save", "kuhn.safetensors", "-q")
    call("match", "kuhn.safetensors", "uniform", "--game", river, "-q").refused("history form")
    call("match", "uniform", "uniform", "--game", "river2.json").refused("river2.json")
    call("tournament", "uniform", "uniform", "--game", river, "-q").refused("twice")
