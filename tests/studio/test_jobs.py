"""Jobs whose server was killed: who is at work hears of it, and nobody works on them twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from counterfold.studio import worker
from counterfold.studio.folder import Folder
from counterfold.studio.jobs import Queue, held, read_state, write_state

SLEEP = "import time; time.sleep(60)"


@pytest.fixture
def jobs(tmp_path: Path) -> Queue:
    return Queue(Folder(str(tmp_path)))


def test_a_job_that_was_stopped_before_it_could_hear_it_does_not_begin(jobs: Queue) -> None:
    name = jobs.add("no such kind", "one", {}, "one.safetensors")
    jobs.stop(name)
    assert worker.main(str(jobs.folder.path), name) == 0
    assert jobs.job(name)["phase"] == "stopped"
    jobs.go_on(name)
    with pytest.raises(KeyError):  # it begins, and there is no such kind
        worker.main(str(jobs.folder.path), name)


def test_stopping_reaches_the_child_and_who_is_at_work(jobs: Queue) -> None:
    """A killed server's child has the job, and the next server has begun one of its own."""
    name = jobs.add("solve", "one", {}, "one.safetensors")
    with held(jobs.root / name / "lock"):
        both = [subprocess.Popen([sys.executable, "-S", "-c", SLEEP]) for _ in range(2)]
        write_state(jobs.root / name, {"phase": "running", "pid": both[0].pid})
        jobs._processes[name] = both[1]
        jobs.stop(name)
        assert [one.wait(30) for one in both] == [-15, -15]
        assert jobs.job(name)["phase"] == "stopping"
    assert jobs.job(name)["phase"] == "stopped"


def test_a_job_that_another_process_is_at_is_left_to_it(
    jobs: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "PATIENCE", 0.05)
    name = jobs.add("no such kind", "one", {}, "one.safetensors")
    with held(jobs.root / name / "lock"):
        assert worker.main(str(jobs.folder.path), name) == 0
    assert read_state(jobs.root / name) == {}
