"""Files are written whole or not at all, through links, with their mode, and leave nothing."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from counterfold.errors import FileError
from counterfold.files.whole import drafted, sweep, write_whole


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "file"
    write_whole(target, b"old")
    with drafted(target) as draft:
        draft.write(b"new")
        draft.flush()
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == b"new"
    assert names(tmp_path) == ["file"]


def test_an_error_leaves_the_old_file_and_no_draft(tmp_path: Path) -> None:
    target = tmp_path / "file"
    write_whole(target, b"old")

    def fail() -> None:
        with drafted(target) as draft:
            draft.write(b"new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_a_disk_that_is_full_leaves_the_old_file(tmp_path: Path) -> None:
    """A limit on the size of files stands in for the end of the disk."""
    target = tmp_path / "file"
    write_whole(target, b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        with pytest.raises(FileError, match=r"cannot write .*file: "):
            write_whole(target, b"x" * 1_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    real, link, chain = tmp_path / "deep" / "real", tmp_path / "link", tmp_path / "chain"
    real.write_bytes(b"old")
    link.symlink_to(real)
    chain.symlink_to(link)
    write_whole(chain, b"new")
    assert real.read_bytes() == b"new"
    assert link.is_symlink()
    assert chain.is_symlink()
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "deep" / "later")
    write_whole(dangling, b"made")
    assert (tmp_path / "deep" / "later").read_bytes() == b"made"


def test_the_mode_is_kept_and_a_new_file_has_the_usual_one(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"secret")
    target.chmod(0o640)
    write_whole(target, b"still secret")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    mask = os.umask(0o027)
    try:
        write_whole(tmp_path / "new", b"x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", "/dev/null", tmp_path / "no" / "file"):
        with pytest.raises(FileError, match="cannot write"):
            write_whole(path, b"x")
    assert names(tmp_path) == ["pipe"]


def test_long_names_can_be_written(tmp_path: Path) -> None:
    name = "é" * 120
    write_whole(tmp_path / name, b"x")
    assert names(tmp_path) == [name]


CHILD = """
import sys, time
from counterfold.files.whole import drafted
with drafted(sys.argv[1]) as draft:
    draft.write(b"half")
    draft.flush()
    print("ready", flush=True)
    time.sleep(60)
"""


def test_leftovers_of_a_killed_process_go_and_a_living_one_keeps_its_draft(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(target)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    assert len(names(tmp_path)) == 2
    write_whole(tmp_path / "other", b"x")
    sweep(tmp_path)
    assert len(names(tmp_path)) == 3, "a draft that somebody writes stays"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    (tmp_path / ".mine.counterfold").write_bytes(b"of another kind")
    for _ in range(50):  # the lock goes with the process
        sweep(tmp_path)
        if len(names(tmp_path)) == 3:
            break
        time.sleep(0.1)
    assert names(tmp_path) == [".mine.counterfold", "file", "other"]
    assert target.read_bytes() == b"old"
