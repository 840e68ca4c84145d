"""Dask as a command starts it, and as others do."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from distributed import Client

from counterfold.pieces.cluster import executor_at
from tests.cli.conftest import call

__all__ = ["call"]


@pytest.fixture(scope="module")
def executor():
    with executor_at("local:2") as found:
        yield found


@pytest.fixture
def scheduler(tmp_path):
    """A scheduler and a worker as others start them, and the file that tells where."""
    file, started = tmp_path / "scheduler.json", []

    def start(*words):
        command = [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        started.append(subprocess.Popen(command, cwd=Path(__file__).parents[2], **quiet))
        return started[-1]

    found = start(
        "dask_scheduler", "--scheduler-file", str(file), "--host", "127.0.0.1", "--port", "0",
        "--no-dashboard",
    )  # fmt: skip
    start(
        "dask_worker", "--scheduler-file", str(file), "--nthreads", "1", "--no-dashboard",
        "--no-nanny",
    )  # fmt: skip
    end = time.monotonic() + 60
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.05)
    with Client(scheduler_file=str(file), set_as_default=False) as client:
        client.wait_for_workers(1, timeout=120)  # which takes long to come on a busy machine
    yield found, file
    for process in started:
        process.kill()
        process.wait()
