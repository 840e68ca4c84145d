"""Two ways to call the command line: in this process (fast) and as a real one."""

import json
import os
import subprocess
import sys
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from counterfold.cli.main import app
from tests.conftest import heed_signals


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def document(self):
        """Standard output as one strict JSON document."""

        def refuse(name):
            raise AssertionError(f"{name} is not JSON")

        return json.loads(self.out, parse_constant=refuse)

    def told(self, *words):
        """Exit code 0, and these words on standard output, without colours."""
        assert self.code == 0, self
        for word in words:
            assert word in self.out
        assert "\x1b" not in self.out
        return True

    def refused(self, *words):
        """Exit code 2, one sentence on standard error with these words, nothing else."""
        assert self.code == 2, self
        assert self.out == ""
        assert self.err.startswith("counterfold: ")
        assert self.err.count("\n") == 1
        assert "Traceback" not in self.err
        for word in words:
            assert word in self.err
        return True


def environment():
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FORCE_COLOR", "TERMINAL_"))}
    return kept | {"COUNTERFOLD_TRACEBACK": ""}


def invoked(*arguments, **how):
    """Run a verb in this process."""
    result = CliRunner().invoke(app, [str(a) for a in arguments], **how)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Answer(result.exit_code, result.stdout, result.stderr)


def spot_writer(folder, spot, name):
    """A function that writes the spot, changed as it is told, and returns the file's name."""

    def write(name=name, **changed):
        (folder / name).write_text(json.dumps({**spot, **changed}))
        return name

    return write


@pytest.fixture
def call(monkeypatch, tmp_path):
    """Run a verb in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return invoked


@pytest.fixture
def start(tmp_path):
    """Start a real process, in a folder of its own; whatever still runs at the end is killed."""
    started = []

    def run(*arguments, **how):
        command = [sys.executable, "-m", "counterfold", *map(str, arguments)]
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=environment() | how.pop("env", {}),
            stdout=how.pop("stdout", subprocess.PIPE),
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=how.pop("preexec_fn", heed_signals),
            **how,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def shell(start):
    """Run a real process to its end."""

    def run(*arguments, **how):
        process = start(*arguments, **how)
        out, err = process.communicate(timeout=120)
        return Answer(process.returncode, out or "", err)

    return run
