"""Files that are written whole or not at all, and what a killed process leaves behind.

A file is written as a draft in the folder of its target, flushed to the disk, and then takes
the target's name. A draft is locked by the process that writes it: one that nobody holds is a
leftover, and goes when the next file is written to its folder.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows: leftovers stay there
    fcntl = None  # type: ignore[assignment]

from counterfold.errors import FileError

PathLike = str | os.PathLike[str]

_DRAFT = re.compile(r"\..*\.[0-9a-f]{8}\.counterfold", re.DOTALL)
_LONGEST = 200  # bytes of the target's name that a draft's name repeats


def write_whole(path: PathLike, content: bytes, lasting: bool = True) -> None:
    """Write a file; a kill, a full disk or an error leaves the old one as it was."""
    with drafted(path, lasting) as draft:
        draft.write(content)


@contextmanager
def drafted(path: PathLike, lasting: bool = True) -> Iterator[BinaryIO]:
    """A file to write to, whose ``name`` is its own path; it is ``path`` when the block ends well.

    Links are followed, and the mode of a file that is replaced is kept. One that is not ``lasting``
    need not outlive a power cut, and is not waited for.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder, "result")
    ...     with drafted(target) as draft:
    ...         _ = draft.write(b"all of it")
    ...     target.read_bytes()
    b'all of it'
    """
    target = Path(os.path.realpath(path))
    try:
        before = os.stat(target) if target.exists() else None
        if before is not None and not stat.S_ISREG(before.st_mode):
            raise FileError(f"cannot write {path}: it is no ordinary file")
        sweep(target.parent)
        draft = _begun(target)
    except OSError as error:
        raise _cannot(path, error) from None
    try:
        with draft:
            yield draft
            draft.flush()
            # By its name: whoever wrote by that may have put another file in its place.
            with open(draft.name, "rb") as written:
                _keep(written, before or os.fstat(draft.fileno()))
                if lasting:
                    os.fsync(written.fileno())
            os.replace(draft.name, target)
        if lasting:
            _flush_folder(target.parent)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(draft.name)
        if isinstance(error, OSError):
            raise _cannot(path, error) from None
        raise


def sweep(folder: PathLike) -> None:
    """Remove the drafts of this user that no process holds any more."""
    if fcntl is None:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _DRAFT.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    _remove_if_free(entry.path)


def _remove_if_free(path: str) -> None:
    handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    try:
        if os.fstat(handle).st_uid == os.geteuid():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(path)
    finally:
        os.close(handle)


def _begun(target: Path) -> BinaryIO:
    """A new draft, locked."""
    name = os.fsdecode(os.fsencode(target.name)[:_LONGEST])
    while True:
        path = target.parent / f".{name}.{secrets.token_hex(4)}.counterfold"
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(handle, fcntl.LOCK_EX)
        if os.path.exists(path):  # nobody swept it away before it was locked
            return _named(path, handle)
        os.close(handle)


def _named(path: Path, handle: int) -> BinaryIO:
    return open(path, "r+b", opener=lambda *_: handle)


def _keep(draft: BinaryIO, before: os.stat_result) -> None:
    """The owner and the mode that a file should have, as far as they can be kept."""
    if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(OSError):
            os.fchown(draft.fileno(), before.st_uid, before.st_gid)
    with suppress(OSError):
        os.fchmod(draft.fileno(), stat.S_IMODE(before.st_mode))


def _flush_folder(folder: Path) -> None:
    """The new name reaches the disk too."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _cannot(path: PathLike, error: OSError) -> FileError:
    return FileError(f"cannot write {path}: {error.strerror or error}")
