"""Saved arrays: a checksum over all of a file, and declarations that are checked."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterfold.errors import FileError
from counterfold.files.arrays import Saved, header_of, read_arrays, seal, unsealed, write_arrays


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    arrays = {"a": np.arange(6, dtype=np.uint32).reshape(2, 3), "b": np.linspace(0, 1, 5)}
    write_arrays(path, "thing", {"about": '{"x": 1}', "players": "2"}, arrays)
    return path


def opened(path: Path) -> Saved:
    return read_arrays(path, "thing", "a thing")


def test_what_was_written_is_read(file: Path) -> None:
    saved = opened(file)
    assert saved.array("a", np.uint32, (2, None)).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert saved.array("b", np.float64, (5,), least=0, most=1)[-1] == 1
    assert saved.fields("about").whole("x") == 1
    assert saved.whole("players", 1, 9) == 2
    saved.finish()
    assert header_of(file)["kind"] == "thing"


def test_every_flipped_bit_is_told(file: Path) -> None:
    """Blanks that pad the header mean nothing: there the content must be the same."""
    whole, good = file.read_bytes(), unsealed(file)
    told: list[str] = []
    for place in range(len(whole)):
        for bit in (place % 8, (place + 3) % 8):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << bit
            file.write_bytes(bytes(damaged))
            try:
                found = opened(file)
            except FileError as error:
                told.append(str(error))
            else:
                assert found.header == good[0]
    assert len(told) >= 2 * len(whole) - 16
    assert not any("\n" in text for text in told)


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        (("a", np.int32, (2, 3)), "is uint32 .* and must be int32"),
        (("a", np.uint32, (3, 2)), r"must be uint32 \[3, 2\]"),
        (("a", np.uint32, (6,)), "must be uint32"),
        (("a", np.uint32, (2, 3), 0, 4), "out of their range"),
        (("a", np.uint32, (2, 3), 1), "out of their range"),
        (("c", np.uint32, (2, 3)), "lacks the table 'c'"),
    ],
)
def test_an_array_must_be_as_declared(file: Path, declared: Any, told: str) -> None:
    with pytest.raises(FileError, match=told):
        opened(file).array(*declared)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_are_finite_unless_declared_otherwise(file: Path, value: float) -> None:
    header, arrays = unsealed(file)
    seal(file, header, {**arrays, "b": np.array([0.0, value])})
    with pytest.raises(FileError, match="not numbers"):
        opened(file).array("b", np.float64, (2,))
    if np.isnan(value):
        with pytest.raises(FileError, match="not numbers"):
            opened(file).array("b", np.float64, (2,), finite=False)
    else:
        opened(file).array("b", np.float64, (2,), finite=False)


def test_what_nobody_declares_is_refused(file: Path) -> None:
    saved = opened(file)
    saved.array("a", np.uint32, (2, 3))
    with pytest.raises(FileError, match="nobody knows its table 'b'"):
        saved.finish()
    part = opened(file).part("a")
    with pytest.raises(FileError, match="nobody knows"):
        part.finish()


def test_other_files(tmp_path: Path, file: Path) -> None:
    header, arrays = unsealed(file)
    for change, told in (
        ({"format": "counterfold 1"}, "written by another version"),
        ({"format": "theirs"}, "not a Counterfold file"),
        ({"kind": "match"}, "holds a match, and not a thing"),
    ):
        seal(file, {**header, **change}, arrays)
        with pytest.raises(FileError, match=told):
            opened(file)
    for path in (tmp_path, tmp_path / "none", Path("/dev/null")):
        with pytest.raises(FileError):
            opened(path)
    assert header_of(tmp_path / "none") == {}


def test_numbers_of_the_header(file: Path) -> None:
    header, arrays = unsealed(file)
    for bad in ("-1", "two", "1.5", "9" * 400, "²", ""):
        seal(file, {**header, "players": bad}, arrays)
        with pytest.raises(FileError, match="its players is"):
            opened(file).whole("players", 1, 9)


def test_saved_files_have_the_usual_mode_and_keep_their_own(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        write_arrays(tmp_path / "file", "thing", {}, {"a": np.zeros(3)})
        assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o644
        (tmp_path / "file").chmod(0o640)
        write_arrays(tmp_path / "file", "thing", {}, {"a": np.ones(3)})
        assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640
    finally:
        os.umask(mask)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
