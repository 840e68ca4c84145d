"""``counterfold demo`` and ``counterfold warmup``."""

import os
import sys

import pytest

from counterfold.solvers.methods import METHODS


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr("counterfold.cli.demo.COMPARE", 200)


def test_demo(call, tmp_path):
    answer = call("demo")
    assert answer.code == 0
    for words in ("known value", "-1/18", "-0.0856064", "K | check bet", "J | bet"):
        assert words in answer.out
    assert "counterfold-demo.png" in answer.out
    assert os.listdir(tmp_path) == ["counterfold-demo.png"]
    assert (tmp_path / "counterfold-demo.png").read_bytes().startswith(b"\x89PNG")


def test_demo_json(call, tmp_path):
    (tmp_path / "pictures").mkdir()
    document = call("demo", "--folder", "pictures", "--json").document
    assert document["kuhn"]["value"] == pytest.approx(-1 / 18, abs=1e-6)
    assert document["leduc"]["value"] == pytest.approx(-0.0856064241, abs=1e-6)
    assert list(document["methods"]) == list(METHODS)
    assert os.listdir(tmp_path / "pictures") == ["counterfold-demo.png"]


def test_demo_without_matplotlib(call, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = call("demo")
    assert answer.code == 0
    assert "pip install 'counterfold[plot]'" in answer.out
    assert not os.listdir(tmp_path)


def test_demo_in_no_folder(call):
    assert call("demo", "--folder", "no/such").refused("no/such")


def test_warmup(call):
    assert "ready" in call("warmup").out
    assert call("warmup", "--json").document["seconds"] > 0
