"""SIGTERM and Ctrl-C in real processes, verb by verb: the work is kept, and the end comes soon."""

import json
import os
import shlex
import signal
import subprocess
import time

import pytest

from tests.cli.test_interruptions import wait_for

SOON = 20.0
"""Seconds; two on a machine that has nothing else to do."""

EXIT = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def end(process, number):
    """Send a signal, and wait for the sentence."""
    sent = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - sent < SOON
    assert process.returncode == EXIT[number], err
    assert "Traceback" not in err
    return out, err.splitlines()[-1]


def listening(process):
    """Until a process takes SIGTERM itself, which only the system can tell."""
    last = time.monotonic() + 60
    while time.monotonic() < last:
        with open(f"/proc/{process.pid}/status") as file:
            taken = next(int(line.split()[1], 16) for line in file if line.startswith("SigCgt"))
        if taken >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.05)
    raise AssertionError("it never listens")


def busy(process, seconds):
    """Until a process has computed for so long, however little of a core it gets."""
    used = 0.0
    while used < seconds:
        assert process.poll() is None, process.communicate()
        with open(f"/proc/{process.pid}/stat") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
        used = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
        time.sleep(0.05)


def at_work(process, word):
    """Until a line of progress has this word."""
    for line in process.stderr:
        if word in line:
            return
    raise AssertionError(process.communicate())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_solve(start, call, tmp_path, number):
    process = start("solve", "leduc", "--iterations", 10**9, "--every", 500, "--save", "run.cf")
    wait_for(tmp_path / "run.cf", process)
    out, told = end(process, number)
    assert "Certificate" in out
    assert "the work is saved in run.cf: go on with `counterfold solve --resume run.cf`" in told
    assert os.listdir(tmp_path) == ["run.cf"]
    assert call("solve", "--resume", "run.cf", "--seconds", 0.1).code == 0


def test_where_ctrl_c_is_ignored_it_stays_so_and_sigterm_ends(start, tmp_path):
    """As in `counterfold solve ... &` in a script."""

    def deaf():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    process = start(
        "solve", "leduc", "--iterations", 10**9, "--every", 500, "--save", "run.cf",
        preexec_fn=deaf,
    )  # fmt: skip
    wait_for(tmp_path / "run.cf", process)
    process.send_signal(signal.SIGINT)
    before = (tmp_path / "run.cf").stat().st_mtime_ns
    last = time.monotonic() + 60
    while (tmp_path / "run.cf").stat().st_mtime_ns == before:
        assert process.poll() is None
        assert time.monotonic() < last
        time.sleep(0.01)
    assert "the work is saved in run.cf" in end(process, signal.SIGTERM)[1]


def test_blueprint(start, call, tmp_path):
    process = start("blueprint", "kuhn", "--iterations", 10**9, "--save", "run.cf")
    at_work(process, "iteration")
    _, told = end(process, signal.SIGTERM)
    assert "saved in run.cf: go on with `counterfold blueprint kuhn --resume run.cf" in told
    from counterfold.files.arrays import header_of

    run = json.loads(header_of(tmp_path / "run.cf")["run"])
    goal = run["iteration"] + 5000
    words = shlex.split(told.partition("`counterfold ")[2].rstrip("`"))
    words[words.index("--iterations") + 1] = str(goal)
    assert call(*words, "--quiet", "--json").document["iterations"] == goal


def test_buckets(start, call, tmp_path):
    process = start("buckets", "holdem", "--save", "run.cf")
    at_work(process, "sorting hands into buckets")
    _, told = end(process, signal.SIGTERM)
    assert "kept in run.cf: go on with `counterfold buckets holdem --save run.cf" in told
    assert os.listdir(tmp_path) == ["run.cf"]
    assert call("blueprint", "fhp", "--cards", "run.cf").refused("other buckets")


def test_match(start, call, tmp_path):
    process = start(
        "match", "seocfr-iw", "uniform", "--game", "leduc", "--hands", 10**9, "--save", "run.cf"
    )
    at_work(process, "hands")
    _, told = end(process, signal.SIGTERM)
    assert "the match is saved in run.cf" in told
    assert os.path.exists(tmp_path / "run.cf")


def test_play(start):
    process = start("play", "kuhn", "--seed", 1, stdin=subprocess.PIPE)
    for line in process.stdout:
        if "[" in line:
            break
    _, told = end(process, signal.SIGTERM)
    assert told == "counterfold: stopped after 0 hands; nothing was saved"


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="nobody tells who listens")
@pytest.mark.parametrize(
    "arguments",
    [
        ("repro", "ses", "--figure", "3", "--iterations", 10**9),
        ("repro", "ses", "--figure", "4", "--game", "fhp(deck=TJQKA)", "--iterations", 10**8),
        ("style", "leduc", "--target", "raise@round1=0.4", "--iterations", 10**8),
        ("bench", "methods", "--budget", 10**6),
    ],
)
def test_where_nothing_is_told_on_the_way(start, arguments):
    """Long stretches in which nobody looks: the signal is raised there after a second."""
    process = start(*arguments)
    listening(process)
    busy(process, 2.5)
    assert "stopped" in end(process, signal.SIGTERM)[1]
