"""How the studio ends: by a signal, as every verb does, with its jobs saved or at work."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.studio.conftest import RIVER, running

TURN = {**RIVER, "board": "Ks 9h 6s 4d", "oop": "22+,A2s+,KTs+", "ip": "22+,A2s+,KTs+"}


def until(happens: Callable[[], Any], seconds: float = 300) -> None:
    """Wait for something that comes about in other processes."""
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_signal_ends_it_with_the_code_of_any_verb(tmp_path: Path) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with running(tmp_path) as server:  # the one before has left the folder free
            assert server.get("/api/home")["files"] == []
            server.process.send_signal(number)
            assert server.process.wait(30) == 128 + number
    with running(tmp_path) as server:
        assert server.get("/api/home")["files"] == []


def test_what_runs_in_the_background_does_not_hear_ctrl_c(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for `studio &`
    try:
        with running(tmp_path) as server:
            signal.signal(signal.SIGINT, before)
            server.process.send_signal(signal.SIGINT)
            server.get("/api/home")
            with pytest.raises(subprocess.TimeoutExpired):
                server.process.wait(3)
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(30) == 128 + signal.SIGTERM
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_closed_browser_stops_nothing_and_ctrl_c_saves(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path) as server:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{server.url}/solve")
        made = server.post("/api/jobs", spot=TURN, name="long", iterations=100_000)

        def job() -> dict[str, Any]:
            return dict(server.get("/api/jobs")["jobs"][0])

        page.wait_for_selector('.job[data-phase="running"]')
        until(lambda: job().get("iteration"))
        context.close()
        before = job()["iteration"]
        until(lambda: job()["iteration"] > before)
        pid = job()["pid"]
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(60) == 130
        until(lambda: not _is_there(pid), 10)
    assert (tmp_path / made["file"]).exists()


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_page_that_is_open_learns_of_the_next_server(browser: Any, tmp_path: Path) -> None:
    """The queue comes back by itself, without a click."""
    with running(tmp_path, "--port", "0") as first:
        port = first.url.rpartition(":")[2]
        page = browser.new_page()
        page.set_default_timeout(20_000)
        page.goto(f"{first.url}/solve")
        page.wait_for_selector("text=No jobs yet")
        first.stop()
    with running(tmp_path, "--port", port) as second:
        second.post("/api/jobs", spot=RIVER, name="later", iterations=20)
        page.wait_for_selector('.job h2:text-is("later")')
        page.close()
