"""The queue of work: jobs in files, done one after another by processes of their own.

A job is a folder of the studio's own: ``job.json`` says what is wanted, ``state.json`` how far it
is, and whoever works on it holds its ``lock``. So the queue outlives page and server: a job whose
process goes on is found running, one whose process is gone waits to be resumed from its file.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from counterfold.errors import FileError, ParameterError, short
from counterfold.files.text import Fields, Json, read_json
from counterfold.files.whole import write_whole
from counterfold.studio.folder import Folder

__all__ = ["ENDED", "Queue", "held", "is_held", "read_state", "write_state"]

ENDED = ("done", "failed")
FAREWELL = 20.0
"""Seconds that a job has to save its work when the server ends."""


@contextmanager
def held(path: Path, patience: float = 0.0) -> Iterator[None]:
    """Hold a lock that goes with the process, whatever happens to it.

    Others hold it for a moment to see whether it is held, which some ``patience`` outlasts.
    """
    end = time.monotonic() + patience
    with open(path, "a") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() >= end:
                    told = f"{path.parent.name} is worked on by another process"
                    raise FileError(told) from None
                time.sleep(0.02)
        yield


def is_held(path: Path) -> bool:
    """Whether a process holds a lock."""
    try:
        with held(path):
            return False
    except FileError:
        return True


def read_state(folder: Path) -> Json:
    """How far a job is; nothing before it has begun."""
    try:
        found = read_json(folder / "state.json", "the state of a job")
    except FileError:
        return {}
    return found if isinstance(found, dict) else {}


def write_state(folder: Path, state: Mapping[str, object]) -> None:
    """Tell how far a job is."""
    write_whole(folder / "state.json", json.dumps(state).encode())


class Queue:
    """The jobs of a studio's folder, in the order of their numbers."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.root = folder.own / "jobs"
        self.root.mkdir(parents=True, exist_ok=True)
        self._guard = threading.RLock()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._seen: dict[Path, tuple[tuple[int, ...], Mapping[str, object]]] = {}
        self.closed = False

    # What is wanted.

    def add(self, kind: str, title: str, request: Json, file: str | None = None) -> str:
        """A new job at the end of the queue; its number."""
        with self._guard:
            number = max((int(path.name) for path in self._folders()), default=0) + 1
            name = f"{number:05}"
            (self.root / name).mkdir()
            wish = {"kind": kind, "title": title, "request": request, "file": file}
            self._write(name, {**wish, "wanted": "run", "created": time.time()})
        self.tick()
        return name

    def stop(self, name: str) -> None:
        """Let a job end with what it has; it can go on later."""
        with self._guard:
            self._wish(name, wanted="stop")
            self._signal(name, signal.SIGTERM)

    def go_on(self, name: str, **request: object) -> None:
        """Put a job that was stopped, or is done, into the queue again."""
        with self._guard:
            job = self._read(name)
            self._wish(name, wanted="run", request={**job["request"], **request})
            state = read_state(self.root / name)
            if not self._runs(name):
                write_state(self.root / name, {**state, "phase": "waiting", "message": ""})
        self.tick()

    def remove(self, name: str) -> None:
        """Forget a job; files that it has saved stay."""
        with self._guard:
            self._read(name)
            if self._runs(name):
                raise ParameterError("the job is still at work; stop it first")
            shutil.rmtree(self.root / name)

    # What there is.

    def jobs(self) -> list[Json]:
        """All jobs with their states, the latest first."""
        with self._guard:
            return [self.job(path.name) for path in reversed(self._folders())]

    def job(self, name: str) -> Json:
        """A job with its state and its phase: waiting, running, stopped, done or failed."""
        wish, state = self._read(name), self._known(self.root / name / "state.json")
        return {**state, **wish, "id": name, "phase": self._phase(name, wish, state)}

    def _phase(self, name: str, wish: Mapping[str, object], state: Mapping[str, object]) -> str:
        if state.get("phase") in ENDED and name not in self._processes:
            return str(state["phase"])
        if self._runs(name):
            return "stopping" if wish["wanted"] == "stop" else "running"
        if state.get("phase") in ENDED:
            return str(state["phase"])
        return "stopped" if wish["wanted"] == "stop" else "waiting"

    def _folders(self) -> list[Path]:
        return sorted(p for p in self.root.iterdir() if p.is_dir() and p.name.isdigit())

    def _read(self, name: str) -> Json:
        if not (isinstance(name, str) and name.isdigit() and (self.root / name).is_dir()):
            raise ParameterError(f"there is no job {short(name)}")
        return self._known(self.root / name / "job.json")

    def _known(self, path: Path) -> Json:
        """What a file of a job says, read again only if it has changed; nothing if it is not."""
        try:
            state = path.stat()
            mark = state.st_mtime_ns, state.st_size, state.st_ino
            if self._seen.get(path, ((), {}))[0] != mark:
                self._seen[path] = mark, Fields(read_json(path, "a job"), str(path)).value
        except (OSError, FileError):
            return {}
        return dict(self._seen[path][1])

    def _write(self, name: str, wish: Mapping[str, object]) -> None:
        write_whole(self.root / name / "job.json", json.dumps(wish).encode())

    def _wish(self, name: str, **changes: object) -> None:
        self._write(name, {**self._read(name), **changes})

    # Processes.

    def _runs(self, name: str) -> bool:
        process = self._processes.get(name)
        if process is not None and process.poll() is None:
            return True
        return is_held(self.root / name / "lock")

    def _signal(self, name: str, number: int) -> None:
        """To the process of a job: this server's child, and another's that is at work."""
        process = self._processes.get(name)
        found: set[object] = set()
        if process is not None and process.poll() is None:
            found.add(process.pid)
        if is_held(self.root / name / "lock"):
            found.add(read_state(self.root / name).get("pid"))
        for pid in found:
            if isinstance(pid, int):
                with suppress(ProcessLookupError):
                    os.kill(pid, number)

    def tick(self) -> None:
        """See who has ended, and begin the next job if none is at work."""
        with self._guard:
            self._bury()
            if self.closed:
                return
            jobs = [self.job(path.name) for path in self._folders()]
            if any(job["phase"] in ("running", "stopping") for job in jobs):
                return
            following = next((job for job in jobs if job["phase"] == "waiting"), None)
            if following is not None:
                self._begin(following["id"])

    def _begin(self, name: str) -> None:
        command = [sys.executable, "-m", "counterfold.studio.worker", str(self.folder.path), name]
        with open(self.root / name / "log", "ab") as log:
            self._processes[name] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    def _bury(self) -> None:
        """A process that ended without a word has failed, and is not begun again and again."""
        for name, process in list(self._processes.items()):
            code = process.poll()
            if code is None:
                continue
            del self._processes[name]
            state = read_state(self.root / name) if (self.root / name).is_dir() else None
            expected = code in (0, -signal.SIGTERM)  # which may come before it is heeded
            if state is not None and not expected and state.get("phase") not in ENDED:
                why = f"its process ended without a word (code {code})"
                write_state(self.root / name, {**state, "phase": "failed", "message": why})

    def close(self) -> None:
        """Let jobs save their work; they go on when a studio opens the folder again."""
        with self._guard:
            self.closed = True
            for name in self._processes:
                self._signal(name, signal.SIGTERM)
        end = time.monotonic() + FAREWELL
        for process in self._processes.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, end - time.monotonic()))
