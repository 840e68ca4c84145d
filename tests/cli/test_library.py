"""``counterfold library`` and `report --library`: listed, asked, checked; what it refuses."""

import json
from pathlib import Path

import pytest

from tests.solvers.test_flop_report import SPOT


@pytest.fixture
def library(call):
    Path("spot.json").write_text(json.dumps(SPOT))
    words = ("--flops", "AsKhTd, JsJhQs", "--accuracy", "1%", "--library", "lib", "--keep")
    assert call("report", "spot.json", *words, "--quiet").code == 0
    return Path("lib")


def test_what_is_there(call, library):
    answer = call("library", "lib")
    assert answer.code == 0
    assert "As Kh Td" in answer.out
    assert "2 of 2 pieces." in answer.out
    document = call("library", "lib", "kh bits=32", "--json").document
    (piece,) = document["pieces"]
    assert piece["given"]["flop"] == "AsKhTd"
    assert piece["result"]["percent_of_pot"] <= 1
    assert piece["files"] == ["safetensors"]
    assert document["damaged"] == []
    assert call("show", library / f"{piece['name']}.safetensors").code == 0


def test_what_is_damaged(call, library):
    first, second = sorted(library.glob("*.safetensors"))
    first.write_bytes(first.read_bytes()[:-1])
    assert call("library", "lib").code == 0, "which reads the documents alone"
    answer = call("library", "lib", "--check")
    assert answer.code == 2
    assert f"1 of 2 pieces cannot be used ({first.name} is damaged" in answer.err
    assert "1 of 2 pieces, each read through" in answer.out
    second.unlink()
    answer = call("library", "lib", "--json")
    assert answer.code == 2
    assert json.loads(answer.out)["damaged"] == [second.stem]
    assert f"{second.name} is missing" in answer.err


def test_what_is_refused(call, tmp_path):
    Path("spot.json").write_text(json.dumps(SPOT))
    assert call("library", "nowhere").refused("no folder nowhere")
    assert call("library", "nothing://x").refused("nothing")
    assert call("report", "spot.json", "--cluster", "here").refused("local:4", "scheduler")
    assert call("report", "spot.json", "--keep").refused("--folder")


def test_solve_and_show_look_there_first(call, library):
    Path("flop.json").write_text(json.dumps({**SPOT, "board": "As Kh Td"}))
    words = ("flop.json", "--accuracy", "1%", "--library", "lib", "--json", "--quiet")
    found = call("solve", *words).document
    assert found["stopped"] == "library", "which the report has put there"
    assert found["percent_of_pot"] <= 1
    first = call("solve", "kuhn", "--exploitability", "1e-4", "--library", "lib")
    again = call("solve", "kuhn", "--exploitability", "1e-4", "--library", "lib", "--save", "k.cf")
    assert "taken from the library" not in first.out
    assert "taken from the library" in again.out
    assert call("show", "k.cf", "--csv", "-").code == 0
    rows = [call("show", "kuhn", "--library", "lib", "--json").document for _ in range(2)]
    assert rows[0] == rows[1]
    assert call("solve", "kuhn", "--iterations", "5", "--library", "lib").refused("exploitability")
    assert call("solve", "kuhn", "--method", "lp", "--library", "lib").refused("library")
    assert "kuhn" in call("library", "lib").out
