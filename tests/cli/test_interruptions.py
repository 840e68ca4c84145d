"""Ctrl-C and kill -9 in the middle of a run, in real processes, and going on from there."""

import os
import signal
import time

import numpy as np
import pytest

from counterfold.strategy.strategy import Strategy

ITERATIONS = 150_000
EVERY = 3_000


def wait_for(path, process, seconds=90.0):
    """Until a checkpoint is there."""
    end = time.monotonic() + seconds
    while not path.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "no checkpoint came"
        time.sleep(0.005)


def arguments(game="leduc", method="dcfr", traversal="full", iterations=ITERATIONS, every=EVERY):
    return (
        "solve", game, "--method", method, "--traversal", traversal, "--seed", 5,
        "--iterations", iterations, "--every", every,
    )  # fmt: skip


def same(one, two):
    a, b = Strategy.load(one), Strategy.load(two)
    assert a.about["iteration"] == b.about["iteration"]
    assert a.about["exploitability"] == b.about["exploitability"]
    return np.array_equal(a.probabilities, b.probabilities)


@pytest.mark.parametrize(
    ("method", "traversal", "iterations"),
    [("hs-pcfr+(30)", "full", ITERATIONS), ("cfr+", "external", 400_000)],
)
def test_kill_9_loses_only_what_came_after_the_checkpoint(
    start, call, tmp_path, method, traversal, iterations
):
    how = arguments(method=method, traversal=traversal, iterations=iterations)
    process = start(*how, "--save", "killed.cf")
    wait_for(tmp_path / "killed.cf", process)
    process.kill()
    process.wait()
    assert process.returncode == -signal.SIGKILL
    at = Strategy.load(tmp_path / "killed.cf").about["iteration"]
    assert EVERY <= at < iterations
    drafts = {name for name in os.listdir(tmp_path) if name.startswith(".killed.cf.")}
    assert {*os.listdir(tmp_path)} - drafts == {"killed.cf"}  # the next save sweeps drafts away

    resumed = call("solve", "--resume", "killed.cf", "--iterations", iterations, "--json")
    assert resumed.document["iterations"] == iterations
    call(*how, "--save", "whole.cf")
    assert same(tmp_path / "killed.cf", tmp_path / "whole.cf")
    assert sorted(os.listdir(tmp_path)) == ["killed.cf", "whole.cf"]


def test_ctrl_c_saves_and_can_be_resumed(start, call, tmp_path):
    process = start(*arguments(iterations=10**9), "--save", "run.cf")
    wait_for(tmp_path / "run.cf", process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "by Ctrl-C" in out
    assert "the work is saved in run.cf" in err
    assert "counterfold solve --resume run.cf" in err
    *way, end = err.splitlines()  # on a busy machine it tells how far it is before
    assert end.startswith("counterfold: stopped at iteration ")
    assert all(line.startswith("counterfold: solving: iteration ") for line in way)
    assert os.listdir(tmp_path) == ["run.cf"]

    at = Strategy.load(tmp_path / "run.cf").about["iteration"]
    total = at + 1000
    resumed = call("solve", "--resume", "run.cf", "--iterations", total, "--json")
    assert resumed.document["iterations"] == total
    call(*arguments(iterations=total), "--save", "whole.cf")
    assert same(tmp_path / "run.cf", tmp_path / "whole.cf")


def test_ctrl_c_without_save_still_keeps_the_work(start, call, tmp_path):
    process = start(
        "solve", "leduc(ranks=4)", "--target", 1e-30, "--json", env={"PYTHONUNBUFFERED": "1"}
    )
    for line in process.stderr:  # a line after five seconds shows that it is at work
        if "iteration" in line:
            break
    time.sleep(1.5)  # more than is thrown away without asking
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert '"stopped": "interrupted"' in out
    (saved,) = os.listdir(tmp_path)
    assert saved in err
    assert call("show", saved, "K*").code == 0


def test_what_a_resumed_run_may_not_change(call, tmp_path):
    call(*arguments("kuhn", iterations=100, every=50), "--save", "k.cf")
    before = (tmp_path / "k.cf").read_bytes()
    for option, value, word in (
        ("--method", "cfr", "method dcfr"),
        ("--method", "dcfr(1,1,1)", "method dcfr"),
        ("--traversal", "external", "traversal full"),
        ("--dtype", "float32", "float64"),
        ("--seed", 6, "seed 5"),
        ("--explore", 0.5, "explore 0.6"),
        ("--iterations", 99, "already at iteration 100"),
    ):
        assert call("solve", "--resume", "k.cf", option, value).refused(word)
    assert call("solve", "--resume", "k.cf", "--simultaneous").refused("alternating")
    assert call("solve", "--resume", "k.cf", "--last-iterate").refused("average")
    assert call("solve", "leduc", "--resume", "k.cf").refused("kuhn", "leduc")
    assert (tmp_path / "k.cf").read_bytes() == before


def test_what_a_resumed_run_may_repeat(call, tmp_path):
    call(*arguments("kuhn", iterations=100, every=50), "--save", "k.cf")
    answer = call(
        "solve", "kuhn", "--resume", "k.cf", "--method", "DCFR(1.5, 0, 2)", "--seed", 5,
        "--alternating", "--average", "--iterations", 200, "--save", "k2.cf", "--json",
    )  # fmt: skip
    assert answer.document["iterations"] == 200
    assert Strategy.load(tmp_path / "k.cf").about["iteration"] == 100
    assert Strategy.load(tmp_path / "k2.cf").about["iteration"] == 200
    again = call("solve", "--resume", "k2.cf", "--iterations", 200, "--json").document
    assert again["iterations"] == 200
