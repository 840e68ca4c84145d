"""JSON that we write for ourselves: documents and lines with a checksum over all of them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from counterfold.errors import FileError
from counterfold.files.text import MOST_BYTES, Fields, parse_json, read_json
from counterfold.files.whole import write_whole

PathLike = str | os.PathLike[str]
LONGEST_LINE = 1 << 24


def write_document(path: PathLike, document: Mapping[str, object]) -> None:
    """Write a JSON object with its checksum, whole or not at all."""
    told = {**document, "checksum": checksum(document)}
    write_whole(path, json.dumps(told, indent=1, allow_nan=False).encode())


def read_document(path: PathLike, what: str, most: int = MOST_BYTES) -> Fields:
    """A JSON object that ``write_document`` wrote."""
    found = Fields(read_json(path, what, most), os.fspath(path))
    told = {key: value for key, value in found.value.items() if key != "checksum"}
    if found.value.get("checksum") != checksum(told):
        raise FileError(f"{path} is damaged: its checksum does not fit what it holds")
    return Fields(told, os.fspath(path))


def checksum(document: Mapping[str, object]) -> str:
    """SHA-256 of an object of JSON, whatever the order of its keys."""
    text = json.dumps(document, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


class Seal:
    """The checksum of a file of JSON lines as it grows; its own line comes last.

    The first line, a header, says ``"sealed": true``: so a file that was cut off is known.
    """

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def add(self, content: bytes) -> None:
        """Take lines in, their ends included."""
        self._digest.update(content)

    def line(self) -> bytes:
        """The last line of a file that has these lines."""
        return json.dumps({"checksum": self._digest.hexdigest()}).encode() + b"\n"


def sealed(lines: bytes) -> bytes:
    """Lines that are all there, with the one that seals them."""
    seal = Seal()
    seal.add(lines)
    return lines + seal.line()


def read_lines(path: PathLike, what: str) -> tuple[Fields, Iterator[tuple[int, Fields]]]:
    """The header of a file of JSON lines, and the objects in its other lines with their numbers.

    A file that is sealed is checked whole before its first line is handed out. Files of other
    programs need no seal.
    """
    if not os.path.exists(path):
        raise FileError(f"there is no file {path}")
    if not os.path.isfile(path):
        raise FileError(f"{path} is no ordinary file, and must be {what}")
    try:
        with open(path, "rb") as file:
            first = file.readline(LONGEST_LINE)
            header = Fields(parse_json(first.rstrip(), f"{path} is no {what}"), f"{path}, line 1")
            stop = _checked(path, file) if header.flag("sealed", False) else None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    return header, _objects(path, what, stop)


def _checked(path: PathLike, file: BinaryIO) -> int:
    """Where the last line of a sealed file begins, which has the checksum of all before it."""
    seal, size = Seal(), file.seek(0, os.SEEK_END)
    length = len(seal.line())
    stop = max(0, size - length)
    file.seek(0)
    left = stop
    while left and (block := file.read(min(left, 1 << 20))):
        seal.add(block)
        left -= len(block)
    if file.read() != seal.line():
        raise FileError(f"{path} is damaged or was cut off: its checksum does not fit")
    return stop


def _objects(path: PathLike, what: str, stop: int | None) -> Iterator[tuple[int, Fields]]:
    with open(path, "rb") as file:
        number, at = 0, 0
        while (stop is None or at < stop) and (line := file.readline(LONGEST_LINE)):
            number, at = number + 1, at + len(line)
            if len(line) == LONGEST_LINE:
                raise FileError(f"{path}, line {number} is too long to be {what}")
            if number > 1 and line.strip():
                fields = Fields(
                    parse_json(line.rstrip(), f"{path}", number), f"{path}, line {number}"
                )
                yield number, fields
