"""``counterfold replay`` and ``counterfold agents``."""

import json
import os
from pathlib import Path

import pytest

from counterfold.exploit.rules import DEFAULT_LEARNER, LEARNERS
from counterfold.files.sealed import sealed
from counterfold.play.agents import AGENTS


@pytest.fixture
def hands(call):
    """A record of Leduc poker, and what the match said."""
    return call(
        "match", "sophisticated", "uniform", "--game", "leduc", "--hands", 300, "--seed", 2,
        "--record", "h.jsonl", "--json",
    ).document  # fmt: skip


def test_a_match_is_scored_again(call, hands):
    document = call("replay", "h.jsonl", "--json").document
    assert set(document) == {
        "record", "game", "agents", "seed", "duplicate", "hands", "scores", "faults",
    }  # fmt: skip
    assert (document["game"], document["hands"], document["seed"]) == ("leduc", 300, 2)
    for again, first in zip(document["scores"], hands["scores"], strict=True):
        assert again["mean"] == pytest.approx(first["mean"])
        assert again["half"] == pytest.approx(first["half"])
        assert again["by_player"][1]["mean"] == pytest.approx(first["by_player"][1]["mean"])
    answer = call("replay", "h.jsonl")
    assert "sophisticated against uniform" in answer.out
    assert "300, players in turn" in answer.out
    assert "\x1b" not in answer.out


def test_one_hand_is_told(call, hands):
    document = call("replay", "h.jsonl", "--hand", 7, "--json").document
    assert document["hand"] == 7
    assert document["players"] == ["uniform", "sophisticated"], "seats are swapped in odd hands"
    assert sum(document["payoffs"]) == 0
    first, second = document["events"][:2]
    assert first["player"] is None
    assert first["agent"] is None
    assert second["seen"][0] != second["seen"][1] or first["event"][0] == second["event"][0]
    rank = first["event"][0]
    assert first["seen"][0] == rank
    assert rank not in first["seen"][1], "the other player must not see this card"
    for event in document["events"][2:]:
        assert event["player"] is None or event["agent"] == document["players"][event["player"] - 1]
    answer = call("replay", "h.jsonl", "--hand", 7)
    assert "player 1 uniform, player 2 sophisticated" in answer.out
    assert "player 1 sees" in answer.out
    won = max(document["payoffs"])
    assert f" wins {won:g}" in answer.out or won == 0


def test_a_hand_with_a_fault(call, tmp_path):
    (tmp_path / "bot.py").write_text(
        "class Bot:\n    def act(self, observation, rng):\n        return 'x'\n"
    )
    how = ("--game", "kuhn", "--hands", 10, "--record", "h.jsonl")
    call("match", "bot.py:Bot", "uniform", *how)
    answer = call("replay", "h.jsonl", "--hand", 0)
    assert "bot.py:Bot lost the hand: chose 'x' at " in answer.out
    assert "bot.py:Bot (player 1) loses " in answer.out
    assert "bot.py:Bot lost 10 hands: chose 'x' at " in call("replay", "h.jsonl").out
    assert call("replay", "h.jsonl", "--json").document["faults"] == [10, 0]


def test_damage_is_found(call, hands, tmp_path):
    lines = (tmp_path / "h.jsonl").read_text().splitlines()
    head, first = lines[0], json.loads(lines[1])
    paid = json.dumps(first | {"payoffs": [9.0, -9.0]})
    moved = json.dumps(first | {"events": [*first["events"][:2], "fold", *first["events"][3:]]})
    for name, text, word in (
        ("cut", "\n".join(lines[:5]) + '\n{"hand": 4, "sea', "cut off"),
        ("paid", f"{head}\n{paid}\n", "hand 0: it pays"),
        ("moved", f"{head}\n{moved}\n", "hand 0: event 3 is 'fold'"),
        ("headless", "\n".join(lines[1:]), "header"),
        ("empty", f"{head}\n", "no hands"),
        ("nothing", "", "no record"),
    ):
        if name in ("paid", "moved", "empty"):
            text = sealed(text.encode()).decode()
        (tmp_path / f"{name}.jsonl").write_text(text)
        assert call("replay", "-q", f"{name}.jsonl").refused(f"{name}.jsonl", word)
    for name, word in (("paid", "it pays"), ("moved", "'fold'"), ("empty", "no hand 0")):
        assert call("replay", f"{name}.jsonl", "--hand", 0).refused(f"{name}.jsonl", word)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["FILE.jsonl"]),
        (["none.jsonl"], ["none.jsonl"]),
        (["."], ["."]),
        (["h.jsonl", "--hand", "300"], ["no hand 300", "0 to 299"]),
        (["h.jsonl", "--hand", "x"], ["'x'"]),
    ],
)
def test_refused(call, hands, arguments, words):
    assert call("replay", *arguments).refused(*words)


def test_every_agent_is_listed(call, tmp_path):
    document = call("agents", "--json").document
    names = [agent["name"] for agent in document["agents"]]
    assert names == [*AGENTS, *LEARNERS]
    by_name = {agent["name"]: agent for agent in document["agents"]}
    assert by_name["sophisticated"]["parameters"] == {"flaw": 0.25, "seed": 0}
    assert by_name["best-response"]["parameters"] == {"to": None}
    for name, rule in LEARNERS.items():
        assert by_name[name]["parameters"] == dict(rule.defaults)
        assert by_name[name]["default"] is (name == DEFAULT_LEARNER)
    answer = call("agents")
    for name in names:
        assert f"\n  {name} " in answer.out
    assert "(flaw=0.25, seed=0)" in answer.out
    assert not os.listdir(tmp_path)


def test_every_listed_agent_can_play(call):
    for agent in call("agents", "--json").document["agents"]:
        name = agent["name"] + ("(uniform)" if agent["name"] == "best-response" else "")
        game = "holdem:jamfold(stack=10)" if "hold'em" in agent["told"] else "leduc"
        answer = call("match", name, "random(seed=4)", "--game", game, "--hands", 4, "--json")
        assert answer.document["hands"] == 4


def test_a_seed_that_is_no_number_is_damage(call, hands):
    path = Path("h.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)[:-1]
    first = json.loads(lines[0]) | {"seed": "nan"}
    path.write_bytes(sealed(json.dumps(first).encode() + b"\n" + b"".join(lines[1:])))
    call("replay", "h.jsonl", "--json", "-q").refused('"seed"')
