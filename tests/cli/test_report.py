"""``counterfold report``: a spot on many flops."""

import csv
import signal
import time
from types import SimpleNamespace

import pytest

from counterfold.cli.report import FlopWatch
from tests.cli.conftest import spot_writer

SPOT = {
    "board": "", "deck": "9TJQKA", "last_street": "flop", "pot": 20, "stack": 30,
    "oop": "AA,KQs,QJ,TT", "ip": "AK,JJ,T9s", "bets": ["50%"], "raises": ["allin"],
}  # fmt: skip
FLOPS = ("--flops", "AsKhTd,JsJhQs:3")


@pytest.fixture
def spot(tmp_path):
    return spot_writer(tmp_path, SPOT, "spot.json")


def test_a_table(call, spot):
    answer = call("report", spot(), *FLOPS)
    assert answer.code == 0
    head, one, two, mean, *_ = (line.strip() for line in answer.out.splitlines())
    assert head.split() == [
        "flop",
        "flops",
        "EV",
        "oop",
        "of",
        "pot",
        "equity",
        "check",
        "bet",
        "10",
    ]
    assert one.startswith("As Kh Td     24  ")
    assert two.startswith("Js Jh Qs      3  ")
    assert mean.startswith("mean         27  ")
    assert "2 flops" in answer.err  # told before
    assert "of the pot or better" in answer.out


def test_json_and_csv(call, spot, tmp_path):
    document = call("report", spot(), *FLOPS, "--json", "--csv", "rows.csv").document
    assert [row["flop"] for row in document["flops"]] == ["As Kh Td", "Js Jh Qs"]
    assert document["stopped"] == "done"
    assert document["asked"] == 2
    assert all(row["percent_of_pot"] <= 0.5 for row in document["flops"])
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text().splitlines()))
    for row, kept in zip(rows, document["flops"], strict=True):
        assert float(row["ev oop"]) == pytest.approx(kept["ev"]["oop"], rel=1e-5)
        assert float(row["ev oop"]) + float(row["ev ip"]) == pytest.approx(20, abs=1e-3)
        assert float(row["check"]) == pytest.approx(kept["frequencies"]["check"], abs=1e-5)
        calls = float(row["bet 10, call"]) + float(row["bet 10, fold"])
        assert calls + float(row["bet 10, all-in 30"]) == pytest.approx(1, abs=1e-5)
    printed = call("report", "spot.json", *FLOPS, "--csv", "-", "-q").out
    assert printed.startswith("flop,texture,weight,mass,ev oop,ev ip,equity oop,equity ip,check")


def test_a_folder(call, spot, tmp_path):
    spot()
    call("report", "spot.json", "--flops", "AsKhTd", "--folder", "kept", "--keep", "-q")
    answer = call("report", "spot.json", *FLOPS, "--folder", "kept")
    assert "1 of them are done already" in answer.err
    assert "EV" in answer.out
    shown = call("show", tmp_path / "kept" / "AsKhTd.safetensors", "bet")
    assert "Board  As Kh Td" in shown.out
    assert call("report", spot("b.json", pot=30), *FLOPS, "--folder", "kept").refused(
        "another spot"
    )
    (tmp_path / "flops.txt").write_text("AsKhTd:5\nQsJsTs:2\n")
    document = call("report", "spot.json", "--flops", "flops.txt", "--json", "-q").document
    assert [row["weight"] for row in document["flops"]] == [5, 2]


def test_ctrl_c_keeps_what_is_done(start, spot, call, tmp_path):
    flops = "AsKhTd,JsJhQs,9c9d9h,TsTdKc,QhJhTc,AcKcQc"
    how = ("report", spot(), "--flops", flops, "--folder", "kept", "--accuracy", "0.001%")
    process = start(*how)
    end = time.monotonic() + 60
    while not list(tmp_path.glob("kept/JsJhQs.json")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    if process.returncode == 0:  # it was done before the signal came
        return
    assert process.returncode == 130
    assert "As Kh Td" in out
    assert "go on with `counterfold report spot.json" in err
    done = len(list(tmp_path.glob("kept/*h*.json")))
    assert done >= 2


def test_the_time_that_is_left_falls_while_a_flop_is_solved():
    """As long as the flops before took, less what this one has had, and never nothing."""
    report = SimpleNamespace(rows={})
    watch = FlopWatch(report, quiet=True)
    watch.began, watch._since, report.rows = 100.0, 120.0, {1: 0, 2: 0}
    assert watch.left(3, 120.0) == pytest.approx(30)
    assert watch.left(3, 124.0) == pytest.approx(26)
    assert watch.left(3, 190.0) == pytest.approx(21)
    assert watch.left(1, 190.0) == pytest.approx(1)


def test_what_is_refused(call, spot, tmp_path):
    spot()
    assert call("report", "none.json").refused("none.json")
    assert call("report", "spot.json", "--flops", "0").refused("1 to 1,755")
    assert call("report", "spot.json", "--flops", "AsKh").refused("no flop")
    assert call("report", "spot.json", "--flops", "AsAsKh").refused("As comes twice")
    assert call("report", "spot.json", *FLOPS, "--keep").refused("--folder")
    assert call("report", "spot.json", *FLOPS, "--accuracy", "1mbb").refused("big blind")
    assert call("report", "spot.json", *FLOPS, "--folder", "spot.json").refused("is a file")
    assert call("report", "spot.json", *FLOPS, "--csv", "-", "--json").refused("--csv")
    assert call("report", "spot.json", *FLOPS, "--bits", 8, "-q").refused("16 or 32")
    assert call("report", "spot.json", *FLOPS, "--memory", "1k", "-q").refused("fewer bet sizes")
    assert call("report", spot("a.json", board="As Kh Td 9d 9c"), *FLOPS).refused("after the flop")
    assert call("report", spot("b.json", oop="QQ+,AKx"), *FLOPS).refused("'AKx' at character 5")
    held = spot("d.json", locks=[{"at": "bet 10", "play": {"fold": 1}}])
    assert call("report", held, *FLOPS).refused('"locks"')
    (tmp_path / "c.json").write_text("[]")
    assert call("report", "c.json", *FLOPS).refused("c.json")
