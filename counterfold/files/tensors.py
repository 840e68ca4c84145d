"""Arrays written in the format of safetensors, straight from where they lie in memory.

Large files go past the system's cache: the pages that it would have to find for them cost several
times what the disk takes, and whoever waits for a program to end waits for that.
"""

from __future__ import annotations

import errno
import json
import mmap
import os
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import DTypeLike

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from counterfold.arrays import Array, Arrays
from counterfold.errors import FileError

DTYPES: dict[str, DTypeLike] = {
    "F64": np.float64, "F32": np.float32, "F16": np.float16,
    "I64": np.int64, "I32": np.int32, "I16": np.int16, "I8": np.int8,
    "U64": np.uint64, "U32": np.uint32, "U16": np.uint16, "U8": np.uint8, "BOOL": np.bool_,
}  # fmt: skip
"""What safetensors calls the dtypes that NumPy has too."""

_NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}
PIECE = 1 << 23  # bytes of one write
BLOCK = 1 << 12  # what disks are written in
LARGE = (
    1 << 25
)  # bytes of a file that is written past the cache, whose pages cost more than the disk


def flat(arrays: Mapping[str, Array]) -> Arrays:
    """Arrays whose bytes are as the format has them: dense and little-endian, copied if need be.

    In the order of the file: the widest numbers first, so that all of them are aligned.
    """
    dense = {}
    for name, array in arrays.items():
        dtype = array.dtype.newbyteorder("<")
        if dtype not in _NAMES:
            raise FileError(f"cannot write the table {name!r}: no file holds {array.dtype} numbers")
        dense[name] = np.asarray(array, dtype, order="C")
    order = sorted(dense, key=lambda name: (-dense[name].itemsize, name))
    return {name: dense[name] for name in order}


def tensor_header(header: Mapping[str, str], arrays: Mapping[str, Array]) -> bytes:
    """What comes before the numbers of ``flat`` arrays."""
    told: dict[str, object] = {"__metadata__": dict(header)}
    place = 0
    for name, array in arrays.items():
        offsets = [place, place + array.nbytes]
        told[name] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": offsets,
        }
        place = offsets[1]
    text = json.dumps(told, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def write_tensors(handle: int, head: bytes, arrays: Mapping[str, Array]) -> None:
    """Write a header and the numbers of ``flat`` arrays to a new file."""
    parts = [memoryview(head)]
    parts += [array.reshape(-1).view(np.uint8).data for array in arrays.values()]
    size = sum(len(part) for part in parts)
    if size < LARGE or not _set_direct(handle, True):
        for part in parts:
            _write(handle, part)
        return
    direct = True
    for piece in _pieces(parts):
        try:
            _write(handle, piece)
        except OSError as error:  # a file system that has larger blocks, or says too much
            if error.errno != errno.EINVAL or not direct:
                raise
            direct = False
            _set_direct(handle, False)
            _write(handle, piece)
    _set_direct(handle, False)
    os.ftruncate(handle, size)


def _pieces(parts: Iterable[memoryview]) -> Iterator[memoryview]:
    """The same bytes in pieces that are aligned in memory; the last one is filled up to a block."""
    room = memoryview(mmap.mmap(-1, PIECE))
    full = 0
    for part in parts:
        while part:
            count = min(PIECE - full, len(part))
            room[full : full + count] = part[:count]
            part, full = part[count:], full + count
            if full == PIECE:
                yield room
                full = 0
    if full:
        yield room[: -(-full // BLOCK) * BLOCK]


def _write(handle: int, content: memoryview) -> None:
    while content:
        content = content[os.write(handle, content[:PIECE]) :]


def _set_direct(handle: int, direct: bool) -> bool:
    """Whether a file is now written past the system's cache, or through it."""
    if fcntl is None or not hasattr(os, "O_DIRECT"):
        return False
    flags = fcntl.fcntl(handle, fcntl.F_GETFL)
    flags = flags | os.O_DIRECT if direct else flags & ~os.O_DIRECT
    try:
        fcntl.fcntl(handle, fcntl.F_SETFL, flags)
    except OSError:
        return False
    return True
