"""What we write ourselves is what the library of the format reads."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from counterfold.errors import FileError
from counterfold.files import tensors
from counterfold.files.arrays import header_of, read_arrays, write_arrays

RANDOM = np.random.default_rng(3)
ARRAYS = {
    "bytes": RANDOM.integers(0, 255, 12_345).astype(np.uint8),
    "nothing": np.zeros((0, 3)),
    "one": np.array(2.5),
    "large": RANDOM.random((301, 777)),
    "turned": RANDOM.random((50, 70)).astype(np.float32).T,
    "foreign": np.arange(5, dtype=">i4"),
    "flags": np.array([True, False, True]),
}


def written(path: Path) -> None:
    write_arrays(path, "thing", {"about": "ä"}, ARRAYS)
    found = load_file(path)
    assert set(found) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype.newbyteorder("=")
        assert np.array_equal(found[name], array)
    assert header_of(path)["about"] == "ä"
    read_arrays(path, "thing", "a thing")


def test_small_and_large_files_are_the_same(tmp_path: Path, monkeypatch: Any) -> None:
    written(tmp_path / "small")
    for number, piece in enumerate((4096, 8192, 1 << 20)):  # several, and one that is not full
        monkeypatch.setattr(tensors, "LARGE", 0)
        monkeypatch.setattr(tensors, "PIECE", piece)
        written(tmp_path / f"large{number}")
        assert (tmp_path / f"large{number}").read_bytes() == (tmp_path / "small").read_bytes()


def test_large_files_where_the_cache_cannot_be_passed(tmp_path: Path, monkeypatch: Any) -> None:
    written(tmp_path / "small")
    monkeypatch.setattr(tensors, "LARGE", 0)
    monkeypatch.setattr(tensors, "PIECE", 4096)
    write, direct = os.write, []

    def refuses(handle: int, content: Any) -> int:
        import fcntl

        direct.append(bool(fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_DIRECT))
        if direct[-1] and len(direct) > 3:
            raise OSError(errno.EINVAL, "no")
        return write(handle, content[:4096])

    monkeypatch.setattr(tensors.os, "write", refuses)
    written(tmp_path / "refused")
    assert (tmp_path / "refused").read_bytes() == (tmp_path / "small").read_bytes()
    monkeypatch.setattr(tensors, "_set_direct", lambda handle, direct: False)
    written(tmp_path / "never")
    assert (tmp_path / "never").read_bytes() == (tmp_path / "small").read_bytes()


@pytest.mark.parametrize("large", [0, 1 << 40])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: Any, large: int) -> None:
    path = tmp_path / "file"
    written(path)
    before = path.read_bytes()

    def full(handle: int, content: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tensors, "LARGE", large)
    monkeypatch.setattr(tensors.os, "write", full)
    with pytest.raises(FileError, match="No space left"):
        write_arrays(path, "thing", {}, {"a": np.zeros(10_000)})
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["file"]


def test_numbers_that_the_format_lacks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="the table 'a': no file holds"):
        write_arrays(tmp_path / "file", "thing", {}, {"a": np.array(["text"])})
    assert os.listdir(tmp_path) == []
