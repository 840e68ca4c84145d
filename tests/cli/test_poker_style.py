"""``counterfold style`` at a poker spot."""

import json

import pytest

from tests.cli.conftest import spot_writer

SPOT = {
    "board": "Ks 9h 6s 4d 2c",
    "pot": 20,
    "stack": 40,
    "oop": "QQ+,T9s,76s",
    "ip": "99+,AK,KQ,65s",
    "bets": ["50%"],
    "raises": ["allin"],
}


@pytest.fixture
def river(tmp_path):
    return tmp_path / spot_writer(tmp_path, SPOT, "river.json")()


def test_a_style_is_told_with_its_price(call, river):
    found = call(
        "style", river, "--prefer", "bet=20", "--give-up", "0.5", "--player", "1", "-q",
        "--save", "bold.safetensors",
    )  # fmt: skip
    assert found.code == 0
    for words in ("the first decision", "bet 10", "a best responder", "Price", "guarantees"):
        assert words in found.out
    assert "bold.safetensors" in call("show", "bold.safetensors").out
    assert call("exploit", river, "--model", "bold.safetensors", "--best-response", "-q").code == 0


def test_its_json(call, river):
    told = call(
        "style", river, "--preset", "aggressive", "--strength", "20", "--give-up", "0.5",
        "--player", "1", "--exploitability", "0.2%", "--iterations", "400", "--json", "-q",
    ).document  # fmt: skip
    assert told["plain"]["percent_of_pot"] <= 0.2
    assert told["cost"] == told["styled"]["exploitability"] - told["plain"]["exploitability"] > 0
    bet = next(s for s in told["first"] if s["action"] == "bet 10")
    assert bet["styled"] > bet["plain"] + 0.05
    assert {(s["player"], s["action"]) for s in told["by_round"]} >= {(1, "bet"), (2, "call")}
    one, two = told["players"]
    assert one["cost"] > 0
    assert one["styled_against_plain"] == pytest.approx(-two["plain_against_styled"], abs=1e-4)
    assert "bet=20 of player 1" in told["style"]


def test_the_heaviest_action_alone_is_another_rule(call, river):
    wish = ("style", river, "--prefer", "bet=20", "--player", "1", "--iterations", "300")
    soft, hard = (call(*wish, *more, "--json", "-q").document for more in ((), ("--best",)))
    assert "best" in hard["style"]
    bets = [next(s for s in t["first"] if s["action"] == "bet 10") for t in (soft, hard)]
    assert bets[0]["plain"] == bets[1]["plain"]
    assert abs(bets[0]["styled"] - bets[1]["styled"]) > 1e-4


def test_part_of_a_range(call, river):
    told = call(
        "style", river, "--prefer", "oop:bet[76s]=50", "--iterations", "50", "--json", "-q"
    ).document
    assert "with 76s" in told["style"]
    assert told["styled"]["iterations"] == told["plain"]["iterations"] == 50


def test_what_does_not_fit_is_refused(call, river):
    call("style", river).refused("--prefer")
    call("style", river, "--prefer", "jump=3").refused("jump")
    call("style", river, "--prefer", "bet").refused("not understood")
    call("style", river, "--prefer", "bet=3", "--player", "3").refused("--player")
    call("style", river, "--prefer", "bet=3", "--frontier", "bet").refused("a frontier is exact")
    call("style", river, "--preset", "brave").refused("brave")
    call("style", river, "--prefer", "bet=3", "--strength", "2").refused("--strength")
    call("style", river, "--prefer", "bet=3", "--traversal", "external").refused(
        "no external-sampled", "--traversal"
    )
    call("style", river, "--prefer", "bet=3", "--exploitability", "x").refused("x")
    call("style", "kuhn", "--prefer", "bet=3", "--exploitability", "1%").refused("pot")
    locked = river.parent / "locked.json"
    locked.write_text(json.dumps(SPOT | {"locks": [{"at": "bet 10", "play": {"fold": 1}}]}))
    call("style", locked, "--prefer", "bet=3").refused("locks")
    call("style", river, "--target", "jump=0.5").refused("jump")


def test_a_target_is_met_in_a_spot(call, river):
    wish = ("style", river, "--target", "oop:bet[QQ]=0.3", "--give-up", 0.5)
    told = call(*wish, "--iterations", 400, "--save", "a.cf", "--json", "-q").document
    (target,) = told["targets"]
    assert target["reached"] == pytest.approx(0.3, abs=0.01)
    assert target["plain"] < 0.1
    assert told["exploitability"] < 0.5
    queens = call("show", "a.cf", "--hand", "QQ", "--json").document["hands"]
    assert [hand["actions"]["bet 10"] for hand in queens] == pytest.approx([0.3] * 6, abs=0.01)
    call(*wish, "--iterations", 400, "-q").told("of the pot", "oop:bet@[QQ]", "met")
    short = call("style", river, "--target", "ip:call=0.9", "--iterations", 50, "-q")
    short.told("ip:call ", "not met", "--give-up N lets so much exploitability be spent, in chips")
