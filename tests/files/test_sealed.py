"""Documents and lines of JSON with checksums."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterfold.errors import FileError
from counterfold.files.sealed import read_document, read_lines, sealed, write_document

LINES = b'{"sealed": true, "game": "kuhn"}\n{"hand": 0}\n{"hand": 1, "note": "\xc3\xa9"}\n'


def all_lines(path: Path) -> list[int]:
    header, lines = read_lines(path, "record")
    assert header.text("game") == "kuhn"
    return [fields.whole("hand") for _, fields in lines]


def test_every_flipped_bit_of_a_document_is_told(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    write_document(path, {"a": [1, 2.5, None], "b": {"c": "é"}, "d": 1e-300})
    good = read_document(path, "a document").value
    assert good == {"a": [1, 2.5, None], "b": {"c": "é"}, "d": 1e-300}
    whole, told = path.read_bytes(), []
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(bytes(damaged))
        try:
            assert read_document(path, "a document").value == good
        except FileError as error:
            told.append(str(error))
    assert len(told) > 0.9 * len(whole)
    assert not any("\n" in text for text in told)
    path.write_text(json.dumps({"a": 1}))
    with pytest.raises(FileError, match="checksum"):
        read_document(path, "a document")


def test_sealed_lines_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    whole = sealed(LINES)
    path.write_bytes(whole)
    assert all_lines(path) == [0, 1]
    for place in range(len(whole)):
        for damaged in (
            whole[:place],
            whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :],
        ):
            path.write_bytes(damaged)
            with pytest.raises(FileError):
                all_lines(path)
    for damaged in (whole + b"\n", whole + b"{}\n", LINES):
        path.write_bytes(damaged)
        with pytest.raises(FileError, match="checksum"):
            all_lines(path)


def test_lines_of_other_programs_need_no_seal(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(b'{"game": "kuhn"}\n{"hand": 3}\n\n{"hand": 4}')
    assert all_lines(path) == [3, 4]
    path.write_bytes(b'{"game": "kuhn"}\n{"hand": 3}\n[' + b"[" * 100_000)
    with pytest.raises(FileError, match="line 3"):
        all_lines(path)
