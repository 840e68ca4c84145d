"""``counterfold demo`` and ``counterfold warmup``."""

import os
import sys

import pytest

from counterfold.cli import warmup
from counterfold.solvers.methods import METHODS


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr("counterfold.cli.demo.COMPARE", 200)
    monkeypatch.setattr("counterfold.cli.demo.HANDS", 2000)


def test_demo(call, tmp_path):
    answer = call("demo")
    assert answer.code == 0
    for words in ("known value", "-1/18", "-0.0856064", "K | check bet", "J | bet"):
        assert words in answer.out
    assert "counterfold-demo.png" in answer.out
    for words in (
        "Price",
        "is risked",
        "with luck taken out",
        "river, Ks 9h",
        "bet 50",
        "What to type next",
    ):
        assert words in answer.out
    assert sorted(os.listdir(tmp_path)) == ["counterfold-demo-grid.png", "counterfold-demo.png"]
    for name in os.listdir(tmp_path):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_what_comes_next_can_be_typed(monkeypatch, tmp_path):
    from counterfold.cli.demo import _program

    called = tmp_path / ".venv" / "bin" / "counterfold"
    called.parent.mkdir(parents=True)
    called.touch(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(called), "demo"])
    monkeypatch.setenv("PATH", "/nowhere")
    assert _program() == ".venv/bin/counterfold"
    monkeypatch.setenv("PATH", str(called.parent))
    assert _program() == "counterfold"


def test_demo_json(call, tmp_path):
    (tmp_path / "pictures").mkdir()
    document = call("demo", "--folder", "pictures", "--json").document
    assert document["kuhn"]["value"] == pytest.approx(-1 / 18, abs=1e-6)
    assert document["leduc"]["value"] == pytest.approx(-0.0856064241, abs=1e-6)
    assert list(document["methods"]) == list(METHODS)
    assert document["style"]["cost"] > 0.01
    best, safe = document["exploit"]["best"], document["exploit"]["safe"]
    assert best["winnings"] > safe["winnings"] > safe["value"]
    assert safe["exploitability"] == pytest.approx(0.02, abs=1e-6)
    careful, _ = document["match"]["scores"]
    assert careful["reduced"]["half"] < careful["half"]
    assert careful["exact"] > 0.3
    assert document["spot"]["percent_of_pot"] <= 0.3
    assert len(os.listdir(tmp_path / "pictures")) == 2


def test_demo_without_matplotlib(call, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = call("demo")
    assert answer.code == 0
    assert "pip install 'counterfold[plot]'" in answer.out
    assert not os.listdir(tmp_path)


def test_demo_in_no_folder(call):
    assert call("demo", "--folder", "no/such").refused("no/such")


def test_warmup(call, monkeypatch):
    assert "ready" in call("warmup").out
    first = next(warmup._steps())
    monkeypatch.setattr(warmup, "_steps", lambda: [first])
    assert call("warmup", "--json").document["seconds"] > 0
