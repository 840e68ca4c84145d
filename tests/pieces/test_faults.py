"""Real Dask processes that answer garbage, stop, die, or lose their scheduler or their disk."""

import os
import shutil
import signal
import subprocess
import threading
import time

import pytest

from counterfold.abstraction import bucket_maker
from counterfold.abstraction.blueprint import engine_in
from counterfold.abstraction.bucket_maker import BucketMaker, Recipe
from counterfold.abstraction.merging import Merging
from counterfold.errors import ClusterError, FileError
from counterfold.pieces.cluster import Crew
from counterfold.pieces.library import entries
from counterfold.pieces.piece import Piece, outcomes
from counterfold.pieces.store import store_at
from counterfold.solvers.flop_report import FlopReport
from counterfold.solvers.until import Until
from tests.abstraction.test_merging import solver, table, trained
from tests.pieces import work
from tests.pieces.test_piece import PIECES, SQUARES, squares
from tests.solvers.test_flop_report import FLOPS, SPOT


def spoil(executor, kind, times):
    executor._client.run(work.spoil, kind, times)


@pytest.mark.parametrize("kind", list(work.GARBAGE))
def test_workers_that_answer_with_garbage_are_asked_again(executor, tmp_path, kind):
    store = store_at(tmp_path)
    spoil(executor, kind, 1)
    assert squares(outcomes(PIECES, work.square, executor, store)) == SQUARES
    assert not any(entry.damage for entry in entries(store, check=True))
    spoil(executor, kind, 99)
    late = [*PIECES, Piece("square", {"of": 6}, ("txt",))]
    with pytest.raises(ClusterError, match="3 times"):
        list(outcomes(late, work.square, executor, store))
    spoil(executor, kind, 0)
    assert len(list(entries(store))) == len(PIECES), "and what was done is kept"
    assert squares(outcomes(late, work.square, executor, store)) == {**SQUARES, 6: 36}


def test_a_report_and_a_blueprint_go_through_garbage(executor, tmp_path):
    def rows(**how):
        report = FlopReport(SPOT, FLOPS, accuracy="1%")
        list(report.run(**how))
        return [{**vars(row), "seconds": 0} for row in report.done()]

    here = rows()
    spoil(executor, "damaged", 1)
    assert rows(executor=executor) == here
    good = table(trained(tmp_path, "leduc", 4_000, copies=2, every=2_000))
    spoil(executor, "junk", 1)
    found = trained(tmp_path, "leduc", 4_000, executor, copies=2, every=2_000)
    assert (table(found) == good).all()
    spoil(executor, "junk", 0)


def test_a_worker_that_stops_for_a_while_is_waited_for(executor):
    first = next(iter(executor._client.run(os.getpid).values()))
    os.kill(first, signal.SIGSTOP)
    threading.Timer(2.0, os.kill, (first, signal.SIGCONT)).start()
    assert squares(outcomes(PIECES, work.square, executor)) == SQUARES


def test_buckets_are_the_same_when_a_worker_is_killed(executor, tmp_path, monkeypatch):
    monkeypatch.setattr(bucket_maker, "SAMPLE", 20_000)
    recipe, killed = Recipe.of((0, 3), 7, seed=2), []
    here = BucketMaker(recipe).make()

    def look(what, share):
        if share > 0.6 and not killed:
            killed.append(next(iter(executor._client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    crew = Crew(executor, store_at(tmp_path / "lib"))
    found = BucketMaker(recipe, path=tmp_path / "cards.cf", look=look, crew=crew).make()
    assert killed
    assert [one.fingerprint for one in found] == [one.fingerprint for one in here]


@pytest.fixture
def disk(tmp_path):
    """A disk of half a megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("a disk of one's own needs root")
    made = [mount, "-t", "tmpfs", "-o", "size=512k", "none", str(place)]
    if subprocess.run(made, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_is_one_sentence_and_what_is_there_is_whole(executor, disk):
    library = store_at(disk / "lib")
    (disk / "rest").write_bytes(bytes(shutil.disk_usage(disk).free - 5 * 4096))
    with pytest.raises(FileError, match="No space left"):
        list(outcomes(PIECES, work.square, executor, library))
    done = [entry for entry in entries(library, check=True) if not entry.damage]
    assert 0 < len(done) < len(PIECES)
    (disk / "rest").unlink()
    assert squares(outcomes(PIECES, work.square, executor, library)) == SQUARES


@pytest.mark.parametrize("how", [{"copies": 2}, {"parts": 2}])
def test_a_blueprint_on_a_full_disk_keeps_what_was_merged(executor, disk, how, tmp_path):
    good = table(trained(tmp_path / "here", "leduc", 4_000, every=2_000, **how))
    parts, made = how.get("parts", 0), solver("leduc", copies=how.get("copies", 1))
    run = Merging(made, executor, store_at(disk / "lib"), every=2_000, parts=parts)
    steps = run.run(Until(iterations=6_000))
    next(steps), next(steps)
    room = shutil.disk_usage(disk).free
    (disk / "rest").write_bytes(bytes(room - 4096))
    with pytest.raises(FileError, match="No space left"):
        next(steps)
    run.collect()
    assert made.iteration == engine_in(made).iteration == 4_000
    assert (table(made) == good).all()


def test_a_blueprint_whose_scheduler_goes_away_is_saved(scheduler, call, tmp_path):
    process, file = scheduler
    library = tmp_path / "lib"

    def kill():
        end = time.monotonic() + 120
        while time.monotonic() < end:
            rounds = [path.name.rpartition("-")[2] for path in library.glob("*-table-*")]
            if any(round.isdecimal() and int(round) >= 4_000 for round in rounds):
                process.send_signal(signal.SIGKILL)
                return
            time.sleep(0.01)

    threading.Thread(target=kill, daemon=True).start()
    words = ("--library", str(library), "--save", "run.cf", "--merge-every", "2000")
    told = call("blueprint", "leduc", "--cluster", file, "--iterations", "1e9", "--quiet", *words)
    assert told.refused("go on with", "run.cf", "is kept")
    document = call("blueprint", "leduc", "--resume", "run.cf", "--iterations", "1e5", "--json")
    assert document.document["iterations"] == 100_000
