"""Work for pieces, in a module that workers find by its name."""

import os
import signal
import time
from pathlib import Path

from counterfold.errors import ParameterError
from counterfold.pieces.piece import Outcome


def square(given, wants):
    """A number's square; how often it was worked out stands in a folder, if one is given."""
    if "folder" in given:
        Path(given["folder"], f"{given['of']}-{time.monotonic_ns()}").touch()
    return Outcome({"square": given["of"] ** 2}, dict.fromkeys(wants, b"x" * given["of"]))


def deadly(given, wants):
    """Kills the process that does it first, as a machine that goes down would."""
    first = Path(given["folder"], "first")
    if given["of"] == 3 and not first.exists():
        first.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return square({"of": given["of"]}, wants)


def always_deadly(given, wants):
    os.kill(os.getpid(), signal.SIGKILL)


def slow(given, wants):
    time.sleep(1.5 if given["of"] == 1 else 0.0)
    return square({"of": given["of"]}, wants)


def endless(given, wants):
    Path(given["folder"], "begun").touch()
    time.sleep(120)


def refused(given, wants):
    raise ParameterError("no such spot")


def failing(given, wants):
    raise ZeroDivisionError("oh dear")


def spoil(kind, times):
    """Have the process that this runs in answer with something else for the first few times."""
    from counterfold.pieces import piece as module

    left, perform = [times], getattr(module.perform, "whole", module.perform)

    def spoilt(work, piece, address):
        if not left[0]:
            return perform(work, piece, address)
        left[0] -= 1
        return GARBAGE[kind](module, perform(work, piece, None))

    spoilt.whole = perform
    module.perform = spoilt


def _other(module, files):
    """The outcome of another piece, with checksums that fit."""
    other = module.Piece("square", {"of": 77}, ("txt",))
    return module.packed(other, Outcome({"square": 5929}, {"txt": files.get("txt", b"")}))


GARBAGE = {
    "nothing": lambda module, files: None,
    "junk": lambda module, files: {"json": os.urandom(500), "txt": b""},
    "damaged": lambda module, files: {**files, "json": files["json"].replace(b"result", b"reSult")},
    "changed": lambda module, files: {**files, "txt": files["txt"] + b"!"},
    "another": _other,
    "huge": lambda module, files: bytes(1 << 24),
}
"""What a worker answers in the place of the files of an outcome."""
