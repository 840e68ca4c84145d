"""``counterfold style``: answers, JSON, pictures, and what it refuses."""

import os
import re

import pytest

from counterfold.strategy.strategy import Strategy

KEYS = {
    "game", "style", "cost", "plain", "styled", "by_player", "by_round", "by_hand", "distance",
    "players", "first", "frontier", "saved", "plot",
}  # fmt: skip
BOLD = ("style", "kuhn", "--prefer", "bet=10", "--player", 1, "--seen", "?", "--best")


def test_words(call):
    answer = call(*BOLD, "--iterations", "2e3")
    assert answer.told("style bet=10 of player 1 at '?', best", "a best responder")
    assert answer.told("exploitability, plain", "exploitability, styled")
    assert re.search(r"round +action +plain +styled +change", answer.out)
    assert re.search(r"\n +K +check ", answer.out)


def test_json_is_one_document(call):
    document = call(*BOLD, "--json").document
    assert set(document) == KEYS
    assert document["plain"]["iterations"] == document["styled"]["iterations"] == 10_000
    assert document["frontier"] is None
    (bluffs,) = [
        share
        for share in document["by_hand"]
        if (share["player"], share["hand"], share["action"]) == (1, "J", "bet")
    ]
    assert bluffs["styled"] > bluffs["plain"] + 0.05
    assert document["cost"] < 1e-3
    assert [player["player"] for player in document["players"]] == [1, 2]


def test_a_frontier_holds_the_strategies(call):
    document = call(*BOLD, "--frontier", "bet@J", "--epsilon", "0.05,0,0.01", "--json").document
    found = document["frontier"]
    assert [point["epsilon"] for point in found["points"]] == [0, 0.01, 0.05]
    assert found["points"][0]["low"] == pytest.approx(0, abs=1e-6)
    assert found["points"][0]["high"] == pytest.approx(1 / 3, abs=1e-6)
    assert found["value"] == pytest.approx(-1 / 18, abs=1e-9)
    for spot in found["strategies"]:
        assert spot["low"] - 1e-6 <= spot["frequency"] <= spot["high"] + 1e-6
    assert [spot["name"] for spot in found["strategies"]] == ["plain", "styled"]


def test_a_frontier_of_player_2(call):
    document = call(
        "style", "leduc", "--frontier", "player2:raise", "--iterations", 500, "--json"
    ).document
    assert document["style"] is None
    (spot,) = document["frontier"]["strategies"]
    assert spot["cost"] > 0
    assert spot["low"] - 1e-6 <= spot["frequency"] <= spot["high"] + 1e-6


def test_a_frontier_in_words(call):
    answer = call("style", "kuhn", "--frontier", "bet@J", "--epsilon", 0, "--iterations", 100)
    assert answer.code == 0
    assert "0.333333" in answer.out
    assert "Certificate" in answer.out


def test_presets_and_give_up(call):
    arguments = ("style", "leduc", "--preset", "aggressive", "--iterations", 300, "--json")
    document = call(*arguments, "--strength", 3, "--give-up", 0.01, "--round", 2).document
    assert document["style"] == (
        "Style(bet=3 in round 2, raise=3 in round 2, give up 0.01 in round 2)"
    )
    assert call(*arguments, "--prefer", "call=2").document["style"] == (
        "Style(bet=5, raise=5, call=2)"
    )
    words = call(*arguments[:-1], "--give-up", 0.01).out
    assert "near an equilibrium only" in words


@pytest.mark.parametrize("traversal", ["chance", "external", "outcome"])
def test_sampling_is_seeded(call, traversal):
    arguments = (*BOLD, "--traversal", traversal, "--iterations", 2000, "--seed", 3, "--json")
    one, two = call(*arguments).document, call(*arguments).document
    assert one["by_hand"] == two["by_hand"]


def test_the_styled_strategy_is_saved(call, tmp_path):
    document = call(*BOLD, "--save", "bold.cf", "--json").document
    assert document["saved"] == "bold.cf"
    saved = Strategy.load(tmp_path / "bold.cf")
    assert saved.at("J")["bet"] > 0.25
    assert os.listdir(tmp_path) == ["bold.cf"]


@pytest.mark.parametrize("game", ["leduc", "kuhn(players=3)", "goofspiel(cards=3)", "one_card"])
def test_pictures(call, tmp_path, game):
    action = "2" if game.startswith("goof") else "bet"
    zero_sum = "players" not in game
    more = ["--frontier", action, "--epsilon", "0,0.1"] if zero_sum else []
    answer = call(
        "style", game, "--prefer", f"{action}=2", "--iterations", 50, "--plot", "p.png", *more
    )
    assert answer.code == 0
    assert "Picture: p.png" in answer.out
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_of_a_frontier_alone(call, tmp_path):
    call("style", "kuhn", "--frontier", "bet@J", "--iterations", 50, "--plot", "p.svg")
    assert (tmp_path / "p.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["--prefer", "--frontier"]),
        (["--prefer", "raise=5"], ["no action 'raise'", "'bet'"]),
        (["--prefer", "bet"], ["raise=5"]),
        (["--prefer", "bet=much"], ["raise=5"]),
        (["--prefer", "=5"], ["raise=5"]),
        (["--prefer", "bet=0.5"], ["'bet'", "from 1 up"]),
        (["--prefer", "bet=nan"], ["'bet'", "from 1 up"]),
        (["--prefer", "bet=inf"], ["'bet'", "from 1 up"]),
        (["--prefer", "bet=5", "--prefer", "bet=3"], ["'bet' twice"]),
        (["--prefer", "bet=5", "--give-up", "-1"], ["give_up", "from 0 up"]),
        (["--prefer", "bet=5", "--give-up", "nan"], ["give_up", "from 0 up"]),
        (["--prefer", "bet=5", "--player", "3"], ["--player", "from 1 to 2"]),
        (["--prefer", "bet=5", "--player", "0"], ["--player", "from 1 to 2"]),
        (["--prefer", "bet=5", "--seen", "Ace"], ["'Ace'", "nearest"]),
        (["--give-up", "0.1", "--seen", "Ace"], ["'Ace'", "nearest"]),
        (["--prefer", "bet=5", "--round", "0"], ["round 0"]),
        (["--prefer", "bet=5", "--round", "2"], ["round 2"]),
        (["--prefer", "bet=5", "--seen", "check bet"], ["'check bet'", "'bet'"]),
        (["--prefer", "bet=5", "--strength", "2"], ["--strength", "--preset"]),
        (["--preset", "maniac"], ["maniac", "aggressive"]),
        (["--preset", "tight", "--strength", "nan"], ["from 1 up"]),
        (["--preset", "aggressive", "--prefer", "bet=2"], ["'bet'", "leave one out"]),
        (["--prefer", "bet=5", "--epsilon", "0"], ["--epsilon", "--frontier"]),
        (["--frontier", "bet@J", "--epsilon", "0,x"], ["--epsilon", "0,x"]),
        (["--frontier", "bet@J", "--epsilon", "-1"], ["--epsilon", "from 0 up"]),
        (["--frontier", "bet@J", "--epsilon", "nan"], ["--epsilon", "from 0 up"]),
        (["--frontier", "bet@J", "--best"], ["--best", "--prefer"]),
        (["--frontier", "bet@J", "--save", "a.cf"], ["--save", "--prefer"]),
        (["--frontier", "bet@"], ["bet@"]),
        (["--frontier", "bet@Ace"], ["'Ace'"]),
        (["--frontier", "raise"], ["'raise'", "bet"]),
        (["--prefer", "bet=5", "--method", "lp"], ["linear program"]),
        (["--prefer", "bet=5", "--method", "magic"], ["magic"]),
        (["--prefer", "bet=5", "--traversal", "deep"], ["deep"]),
        (["--prefer", "bet=5", "--iterations", "0"], ["iterations is 0"]),
        (["--prefer", "bet=5", "--seed", "-1"], ["seed"]),
        (["--prefer", "bet=5", "--plot", "p.gif"], [".png"]),
        (["--prefer", "bet=5", "--save", "no/such.cf"], ["no/such.cf"]),
    ],
)
def test_refused_before_any_work(call, tmp_path, arguments, words):
    assert call("style", "kuhn", *arguments).refused(*words)
    assert not os.listdir(tmp_path)


def test_refused_for_the_game(call):
    assert call("style", "rps", "--prefer", "R=5", "--round", 1).refused("no rounds")
    assert call("style", "kuhn(players=3)", "--frontier", "bet").refused("zero-sum")
    assert call("style", "khun", "--prefer", "bet=5").refused("did you mean kuhn")
    assert call("style", "rps", "--preset", "tight").refused("none of the actions")
