"""``counterfold curriculum``: answers, JSON, folders, and what it refuses."""

import importlib

import pytest

from counterfold.strategy.strategy import Strategy

importlib.import_module("counterfold.cli.verbs.abstracting")

STAGES = ("curriculum", "cheat:mini", "--health", "1,2", "--view", "hp", "--abstract", "cards")
KEYS = {"games", "method", "traversal", "alternating", "seed", "stages", "saved", "plot"}
STAGE = {
    "number", "game", "iteration", "iterations", "histories", "infosets", "same", "nearest",
    "fresh", "value", "compile_seconds", "seconds", "cpu_seconds", "win_rates", "file",
}  # fmt: skip


def test_words(call):
    answer = call(*STAGES, "--iterations", 20, "--hands", 40)
    assert answer.code == 0
    assert 'mapped(game="cheat(health=2,view=hp)",maps=cards)' in answer.out
    assert "against heuristic" in answer.out
    assert "--save DIR" in answer.out
    rows = [line.split() for line in answer.out.splitlines() if line.strip()[:1] in ("1", "2")]
    assert [row[6] for row in rows] == ["20", "20"]


def test_json_checkpoints_and_resuming(call, tmp_path):
    document = call(
        *STAGES, "--iterations", 15, "--hands", 30, "--save", "kept", "--seed", 4,
        "--traversal", "external", "--json", "--plot", "rates.png",
    ).document  # fmt: skip
    assert set(document) == KEYS
    assert (tmp_path / "rates.png").read_bytes()[:4] == b"\x89PNG"
    first, second = document["stages"]
    assert set(first) == STAGE
    assert (first["fresh"], second["same"] + second["nearest"] + second["fresh"]) == (
        first["infosets"],
        second["infosets"],
    )
    assert [rate["against"] for rate in second["win_rates"]] == ["uniform", "heuristic"]
    strategy = Strategy.load(tmp_path / second["file"])
    assert strategy.spec == second["game"]
    assert strategy.tree.fingerprint == strategy.fingerprint
    again = call("curriculum", "--resume", "kept", "--hands", 30, "--json").document
    assert again["stages"] == document["stages"]


def test_any_game_has_its_order(call):
    document = call("curriculum", "liars_dice", "--order", "sides=2,3", "--iterations", 5, "--json")
    document.refused("not ordered")
    found = call(
        "curriculum", "cheat(view=memoryless,health=1)", "--order", "turns=2,4", "--iterations", 5,
        "--hands", 0, "--json",
    ).document  # fmt: skip
    assert found["games"][1] == "cheat(health=1,view=memoryless,turns=4)"
    assert found["stages"][1]["win_rates"] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "which game"),
        (("cheat:mini",), "--health 3,4,5"),
        (("cheat:mini", "--health", "0,1", "--view", "hp"), "health must be"),
        (("cheat:mini", "--health", "4,3", "--view", "hp"), "must grow"),
        (("cheat:mini", "--health", "3,x"), "'x' is not a whole number"),
        (("cheat:mini", "--health", "3", "--view", "psychic"), "view must be"),
        (("leduc", "--health", "3"), "no parameter 'health'"),
        (("leduc", "--order", "ranks=3,4", "--view", "hp"), "one view only"),
        (("leduc", "--order", "ranks=3,4", "--abstract", "cards"), "no ranks that go round"),
        (("cheat:mini", "--health", "3", "--abstract", "suits"), "there are cards"),
        (("cheat:mini", "--health", "3", "--view", "hp", "--abstract", "rounds=3"), "hp has none"),
        (("cheat:mini", "--health", "9"), "no end"),
        (("cheat:mini", "--health", "3", "--method", "magic"), "magic"),
        (("cheat:mini", "--health", "3", "--traversal", "sideways"), "sideways"),
        (("cheat:mini", "--health", "3", "--hands", "-1"), "--hands"),
        (("cheat:mini", "--health", "3", "--hands", "0", "--plot", "a.png"), "--plot draws"),
        (("cheat(hand=9)", "--health", "3"), "cannot be dealt"),
        (("--resume", "nowhere"), "no curriculum"),
        (("cheat:mini", "--resume", "nowhere"), "leave out a game"),
        (("--resume", "nowhere", "--save", "else"), "own folder"),
    ],
)
def test_refusals(call, arguments, words):
    assert call("curriculum", *arguments).refused(words)
