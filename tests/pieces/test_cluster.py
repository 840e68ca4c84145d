"""Real Dask processes: workers that die, a scheduler that goes away, and equal results."""

import gc
import http.server
import os
import re
import signal
import socket
import sys
import threading
import time
from unittest.mock import Mock

import distributed
import numpy as np
import pytest
from distributed import LocalCluster

import counterfold as cf
from counterfold.errors import ClusterError, MissingExtraError, ParameterError
from counterfold.exploit.curve import curve
from counterfold.pieces import cluster, piece
from counterfold.pieces.cluster import check_cluster, executor_at, workers_in
from counterfold.pieces.piece import Piece, outcomes
from counterfold.pieces.store import store_at
from counterfold.research.ses.leduc import figure_3
from counterfold.solvers.flop_report import FlopReport
from tests.cli.conftest import invoked
from tests.pieces import work
from tests.pieces.test_piece import PIECES, SQUARES, squares
from tests.solvers.test_flop_report import FLOPS, SPOT


def test_pieces_go_to_workers_and_come_back(executor):
    found = list(outcomes(PIECES, work.square, executor))
    assert squares(found) == SQUARES
    assert all(outcome.files == {"txt": b"x" * piece.given["of"]} for piece, outcome in found)


def test_a_worker_that_dies_costs_nothing(executor, tmp_path):
    given = [Piece("square", {"of": n, "folder": str(tmp_path)}) for n in range(6)]
    assert squares(outcomes(given, work.deadly, executor)) == SQUARES
    assert (tmp_path / "first").exists()


def test_a_worker_that_is_slow_is_waited_for(executor):
    assert squares(outcomes(PIECES, work.slow, executor)) == SQUARES


def test_errors_of_the_work_come_back_as_they_are(executor):
    with pytest.raises(ParameterError, match="no such spot"):
        list(outcomes(PIECES, work.refused, executor))
    with pytest.raises(ClusterError, match="oh dear"):
        list(outcomes(PIECES, work.failing, executor))


def test_a_report_does_not_tell_who_made_it(executor, tmp_path):
    def rows(**how):
        found = FlopReport(SPOT, FLOPS, accuracy="1%", **how.pop("made", {}))
        list(found.run(**how))
        return [{**vars(row), "seconds": 0} for row in found.done()]

    library = {"library": store_at(tmp_path / "lib"), "keep": True}
    here, there = rows(made={"threads": 2}), rows(executor=executor, made=library)
    assert there == here
    assert len(list((tmp_path / "lib").glob("*.safetensors"))) == 3
    before = (tmp_path / "lib").stat().st_mtime_ns
    assert rows(made=library) == here, "and what the library has is taken, here too"
    assert (tmp_path / "lib").stat().st_mtime_ns == before


def timeless(answer):
    """The document of an answer, but for the time that things took."""
    return {key: value for key, value in answer.document.items() if "seconds" not in key}


@pytest.fixture
def told(executor, tmp_path, monkeypatch):
    """What a verb tells here and by the cluster, but for the time."""
    monkeypatch.chdir(tmp_path)
    address = executor._client.scheduler.address

    def twice(*words):
        return [timeless(invoked(*words, "--json", "--quiet", *on)) for on in ((), there)]

    there = ("--cluster", address)
    return twice


def test_a_curve_does_not_tell_who_found_its_points(executor):
    model = cf.Strategy.random(cf.Kuhn(), 2)
    counts = np.arange(float(len(model.infosets.owner)))
    how = {"observations": counts, "blueprint": cf.Strategy.uniform(model.tree), "shares": [0, 0.6]}
    seen = []
    here = curve(model, 1, **how)
    there = curve(model, 1, **how, executor=executor, on_progress=lambda *at: seen.append(at))
    assert seen == [(n, 8) for n in range(1, 9)]
    assert there.to_dict() == here.to_dict()
    for ours, theirs in zip(here, there, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert np.array_equal(one.strategy.probabilities, other.strategy.probabilities)
            assert one.strategy.about == other.strategy.about


def test_a_curve_by_cfr_on_a_cluster(told):
    words = ("exploit", "kuhn", "--form", "public", "--model", "random", "--curve")
    here, there = told(*words, "--exploitability", "1e-3")
    assert there == here
    assert len(there["curve"]["lines"][0]["points"]) == 7
    one = invoked("exploit", "kuhn", "--model", "uniform", "--rnr", "0.5", "--cluster", "local:1")
    assert one.refused("--curve")
    timed = invoked(*words, "--seconds", "5", "--cluster", "local:1")
    assert timed.refused("--exploitability")


SWEEPS = (
    "pref-cfr --figure 4 --runs 2 --iterations 100",
    "pref-cfr --table leduc --runs 1 --iterations 10",
    "ocfr --experiment 1 --matches 2 --hands 30",
    "ocfr --experiment 2 --matches 2 --hands 30",
    "ocfr --experiment check --matches 2 --hands 30",
)


@pytest.mark.parametrize("words", SWEEPS)
def test_a_sweep_does_not_tell_who_ran_it(told, words):
    here, there = told("repro", *words.split())
    assert there == here


CURVES = (
    "exploit kuhn --model random --curve",
    "exploit kuhn --form public --model random --curve --exploitability 1e-2",
)


@pytest.mark.parametrize("words", [*CURVES, *(f"repro {words}" for words in SWEEPS)])
def test_what_a_library_has_is_not_found_again(words, tmp_path, monkeypatch):
    given = (*words.split(), "--json", "--quiet")
    plain, library = timeless(invoked(*given)), ("--library", str(tmp_path))
    assert timeless(invoked(*given, *library)) == plain
    pieces = sorted(path.name for path in tmp_path.iterdir())
    assert pieces
    monkeypatch.setattr(piece, "keep", lambda *_: pytest.fail("a piece was done again"))
    assert timeless(invoked(*given, *library)) == plain
    assert sorted(path.name for path in tmp_path.iterdir()) == pieces


@pytest.mark.parametrize("words", [CURVES[0], f"repro {SWEEPS[0]}"])
def test_ctrl_c_tells_that_a_library_keeps_what_is_done(words, tmp_path, monkeypatch):
    monkeypatch.setattr(piece, "keep", Mock(side_effect=[None, KeyboardInterrupt]))
    told = invoked(*words.split(), "--quiet", "--library", str(tmp_path))
    assert told.code == 130
    assert "the same command goes on" in told.err
    assert str(tmp_path) in told.err


def test_copies_are_as_many_as_workers_once_there_are_any(tmp_path):
    with LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=":0") as empty:
        words = ("--cluster", empty.scheduler_address, "--library", str(tmp_path))
        assert invoked("blueprint", "leduc", *words).refused("no workers", "--threads")


def test_opponents_of_a_search_are_met_anywhere(executor):
    how = {"point": "move:1", "alphas": (0.0, 0.5), "errors": (0.3,), "shares": (0.0, 0.3)}
    here, there = (
        figure_3("kuhn", 2, 500, **how, executor=by).to_dict() for by in (None, executor)
    )
    timed = [key for key in here if "seconds" in key]
    assert set(timed) == {"search_seconds", "cpu_seconds"}
    assert {**there, **dict.fromkeys(timed)} == {**here, **dict.fromkeys(timed)}


def test_what_is_one_piece_takes_no_cluster():
    one = invoked("repro", "ses", "--figure", "2", "--cluster", "local:1")
    assert one.refused("does not take --cluster")
    one = invoked("repro", "ses", "--figure", "2", "--library", "lib")
    assert one.refused("does not take --library")
    one = invoked("exploit", "kuhn", "--model", "uniform", "--rnr", "0.5", "--library", "lib")
    assert one.refused("--curve")
    assert invoked("repro", "ocfr", "--experiment", "1", "--cluster", "x").refused("local:4")


def test_a_scheduler_that_goes_away_is_one_sentence(scheduler, tmp_path):
    process, file = scheduler
    store = store_at(tmp_path / "lib")
    given = [Piece("square", {"of": 2}), Piece("wait", {"of": 1, "folder": str(tmp_path)})]

    def kill():
        end = time.monotonic() + 60
        while not (tmp_path / "begun").exists() and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)

    with executor_at(str(file)) as executor:
        assert squares(outcomes(given[:1], work.square, executor, store)) == {2: 4}
        threading.Thread(target=kill, daemon=True).start()
        with pytest.raises(ClusterError, match=r"1 of 2 pieces .*scheduler.* the rest"):
            list(outcomes(given, work.endless, executor, store))
    assert store.names() == [f"{given[0].name}.json"]


class Page(http.server.BaseHTTPRequestHandler):
    """Somebody else, such as Dask's own page of its work, which is one port further."""

    def handle(self):
        self.wfile.write(b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n" * 9)


def test_what_is_no_cluster(monkeypatch, tmp_path):
    assert workers_in("local") == len(os.sched_getaffinity(0))
    for wrong in ("local:0", "local:9999", "local:x", "somewhere", "no-such-file.json", ""):
        with pytest.raises(ParameterError):
            check_cluster(wrong)
        one = invoked("tournament", "random", "uniform", "--game", "kuhn", "--cluster", wrong)
        assert one.refused("local:" if wrong.startswith("local") else "no cluster")
    page = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=page.serve_forever, daemon=True).start()
    files = {"junk": "{", "empty": "{}", "dead": '{"address": "tcp://127.0.0.1:9"}'}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    silent = socket.create_server(("127.0.0.1", 0))  # as a scheduler that stands still
    ports = page.server_port, silent.getsockname()[1]
    there = ("tcp://127.0.0.1:9", "tls://127.0.0.1:9", *(f"tcp://127.0.0.1:{n}" for n in ports))
    for address in (*there, *(str(tmp_path / name) for name in files)):
        with pytest.raises(ClusterError, match="no scheduler"), executor_at(address):
            pass
    monkeypatch.setattr(distributed.Client, "close", late := Mock(side_effect=TimeoutError))
    with pytest.raises(ClusterError, match="no scheduler"), executor_at("tcp://127.0.0.1:9"):
        pass
    assert late.called
    clients = [one for one in gc.get_objects() if issubclass(type(one), distributed.Client)]
    assert {client.status for client in clients} <= {"running", "closed"}
    page.shutdown()
    silent.close()
    monkeypatch.setitem(sys.modules, "distributed", None)
    needed = pytest.raises(MissingExtraError, match=re.escape("counterfold[cluster]"))
    with needed, executor_at("local:2"):
        pass
