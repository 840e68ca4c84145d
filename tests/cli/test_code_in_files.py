"""A file never decides what code runs: a game or an agent in Python is named by the person."""

import pytest

import counterfold as cf
from counterfold.errors import CodeError
from counterfold.games.catalog import load, load_named

GAME = """
from pathlib import Path

from counterfold.games.onecard import Kuhn

Path({ran!r}).write_text("the file was run")


class Mine(Kuhn):
    pass
"""
AGENT = """
from pathlib import Path

Path({ran!r}).write_text("the file was run")


class First:
    name = "first"

    def act(self, observation, rng):
        return observation.actions[0]
"""


@pytest.fixture
def ran(tmp_path):
    """Where code leaves a trace when it runs."""
    path = tmp_path / "ran"
    (tmp_path / "mine.py").write_text(GAME.format(ran=str(path)))
    (tmp_path / "bot.py").write_text(AGENT.format(ran=str(path)))
    return path


def refused_without_running(answer, ran, *words):
    assert answer.refused("a file never decides what code runs", *words)
    assert not ran.exists()


def test_a_checkpoint(call, ran):
    solve = ("solve", "mine.py:Mine", "--method", "cfr", "--iterations", 20)
    assert call(*solve, "--save", "run.cf").code == 0
    ran.unlink()
    refused_without_running(call("solve", "--resume", "run.cf", "--iterations", 40), ran, "--game")
    refused_without_running(call("solve", "--resume", "run.cf", "--dry-run"), ran)
    assert (
        call("solve", "--resume", "run.cf", "--game", "mine.py:Mine", "--iterations", 40).code == 0
    )
    assert ran.exists()
    assert call("solve", "mine.py:Mine", "--resume", "run.cf", "--iterations", 60).code == 0
    call("solve", "--resume", "run.cf", "--game", "leduc").refused(
        "the strategy is for mine.py:Mine"
    )


def test_a_match(call, ran):
    match = (
        "match",
        "uniform",
        "uniform",
        "--game",
        "mine.py:Mine",
        "--hands",
        10,
        "--save",
        "m.cf",
    )
    assert call(*match).code == 0
    ran.unlink()
    refused_without_running(call("match", "--resume", "m.cf", "--hands", 20), ran)
    again = call("match", "--resume", "m.cf", "--hands", 20, "--game", "mine.py:Mine")
    assert again.code == 0


def test_a_record(call, ran):
    match = ("match", "uniform", "uniform", "--game", "mine.py:Mine", "--hands", 10)
    assert call(*match, "--record", "h.jsonl").code == 0
    ran.unlink()
    refused_without_running(call("replay", "h.jsonl"), ran)
    assert call("replay", "h.jsonl", "--game", "mine.py:Mine").code == 0
    call("replay", "h.jsonl", "--game", "kuhn").refused("holds hands of mine.py:Mine")


def test_sessions(call, ran, tmp_path, monkeypatch):
    from counterfold.agent import Agent
    from counterfold.play.human import Sitting

    class Quiet(Agent):
        name = "quiet"

        def act(self, observation, rng):
            return observation.actions[0]

    sitting = Sitting(
        cf.Kuhn(), Quiet(), ask=lambda seen: seen.actions[0], against=("bot.py:First",)
    )
    sitting.deal()
    sitting.write(tmp_path / "s.jsonl")
    refused_without_running(call("play", "--resume", "s.jsonl"), ran, "--against")


@pytest.mark.parametrize(
    "name", ["mine.py:Mine", " mine.py:Mine ", 'mapped(game="mine.py:Mine",maps=cards)']
)
def test_names(ran, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CodeError, match="never decides"):
        load_named(name, "a.safetensors")
    assert not ran.exists()
    assert load_named("kuhn", "a.safetensors") == cf.Kuhn()


def test_in_python(ran, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    game = load("mine.py:Mine")
    cf.solve(game, until=cf.Until(iterations=10), save="run.cf")
    ran.unlink()
    strategy = cf.Strategy.load("run.cf")
    with pytest.raises(CodeError):
        cf.exploitability(strategy)
    with pytest.raises(CodeError):
        cf.resume("run.cf", cf.Until(iterations=20))
    assert not ran.exists()
    assert cf.exploitability(cf.Strategy.load("run.cf", game)) < 1
    assert cf.resume("run.cf", cf.Until(iterations=20), game).iterations == 20
