"""Arrays with a header in one safetensors file: how every saved thing of ours is kept.

The header says the format, what kind of thing it is, and a checksum over all the rest, so that a
flipped bit is a sentence. What a reader takes out it declares: dtype, shape and range are checked
before anything is computed with it, and an array that nobody declares is refused.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import DTypeLike

from counterfold.arrays import Array, Arrays
from counterfold.errors import FileError, short
from counterfold.files.tensors import flat, tensor_header, write_tensors
from counterfold.files.text import Fields, parse_json
from counterfold.files.whole import drafted

FORMAT = "counterfold 2"
NO_CHECKSUM = "0" * 64  # as long as any
PathLike = str | os.PathLike[str]


def write_arrays(
    path: PathLike, kind: str, header: Mapping[str, str], arrays: Mapping[str, Array]
) -> None:
    """Write arrays and what is told about them, whole or not at all."""
    seal(path, {"format": FORMAT, "kind": kind, **header}, arrays)


def seal(path: PathLike, header: Mapping[str, str], arrays: Mapping[str, Array]) -> None:
    """Write a whole header and arrays as they are given, with the checksum that fits them.

    The checksum is found while the arrays go to the disk, and takes its place in the end.
    """
    tables = flat(arrays)
    room = tensor_header({**header, "checksum": NO_CHECKSUM}, tables)
    with drafted(path) as draft, ThreadPoolExecutor(1) as beside:
        found = beside.submit(checksum, header, tables)
        write_tensors(draft.fileno(), room, tables)
        head = tensor_header({**header, "checksum": found.result()}, tables)
        assert len(head) == len(room)
        draft.seek(0)
        draft.write(head)


def checksum(header: Mapping[str, str], arrays: Mapping[str, Array]) -> str:
    """SHA-256 over a header (but for its own checksum) and over all arrays with their names."""
    told = {key: value for key, value in header.items() if key != "checksum"}
    shapes = {name: (array.dtype.str, array.shape) for name, array in arrays.items()}
    digest = hashlib.sha256(json.dumps([told, shapes], sort_keys=True).encode())
    for name in sorted(arrays):
        if arrays[name].size:
            digest.update(arrays[name].reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def header_of(path: PathLike) -> dict[str, str]:
    """What a saved file says about itself; nothing if it is no such file.

    Nothing is checked: this tells who should read the file, and that reader checks it.
    """
    if not os.path.isfile(path):
        return {}
    try:
        return unsealed(path, arrays=False)[0]
    except FileError:
        return {}


def header_in(path: PathLike) -> Saved:
    """The same, to be taken out field by field."""
    return Saved(os.fspath(path), header_of(path), {})


def read_arrays(path: PathLike, kind: str | tuple[str, ...], what: str) -> Saved:
    """Open a file of some kind; ``what`` is what its reader calls it, as in "a strategy"."""
    if not os.path.exists(path):
        raise FileError(f"there is no file {path}")
    header, arrays = unsealed(path)
    kinds = (kind,) if isinstance(kind, str) else kind
    form, found = header.get("format", ""), header.get("kind", "")
    if form != FORMAT:
        if form.startswith("counterfold"):
            raise FileError(
                f"{path} was written by another version (format {form!r}, and this one reads "
                f"{FORMAT!r}); make it again"
            )
        raise FileError(f"{path} is not a Counterfold file")
    if header.get("checksum") != checksum(header, arrays):
        raise FileError(f"{path} is damaged: its checksum does not fit what it holds")
    if found not in kinds:
        raise FileError(f"{path} holds a {found}, and not {what}")
    return Saved(os.fspath(path), header, arrays)


def unsealed(path: PathLike, arrays: bool = True) -> tuple[dict[str, str], Arrays]:
    """The header and the arrays of any safetensors file, unchecked."""
    from safetensors import SafetensorError, safe_open

    if not os.path.isfile(path):
        raise FileError(f"{path} cannot be read: it is no ordinary file")
    try:
        with safe_open(os.fspath(path), framework="numpy") as file:
            names = file.keys() if arrays else ()
            found = {name: np.array(file.get_tensor(name)) for name in names}
            return dict(file.metadata() or {}), found
    except SafetensorError as error:
        raise FileError(f"{path} cannot be read as a saved file: {error}") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:  # a dtype NumPy lacks
        raise FileError(f"{path} cannot be read as a saved file: {error}") from None


class Saved:
    """What a file holds, to be taken out part by part, each as its reader declares it."""

    def __init__(
        self, path: str, header: Mapping[str, str], arrays: Mapping[str, Array], prefix: str = ""
    ) -> None:
        self.path, self.header = path, header
        self.kind = header.get("kind", "")
        self._left = dict(arrays)
        self._prefix = prefix

    def __contains__(self, name: object) -> bool:
        return f"{self._prefix}{name}" in self._left

    def damaged(self, why: object) -> FileError:
        """The error of a file that is not what it should be."""
        return FileError(f"{self.path} is damaged: {why}")

    def text(self, key: str) -> str:
        """A field of the header."""
        found = self.header.get(key)
        if found is None:
            raise self.damaged(f"its header does not say its {key}")
        return found

    def choice(self, key: str, known: tuple[str, ...]) -> str:
        """A field of the header that is one of these."""
        found = self.text(key)
        if found not in known:
            raise self.damaged(f"its {key} is {short(found)}, and not {' or '.join(known)}")
        return found

    def whole(self, key: str, low: int, high: int) -> int:
        """A field of the header that is a whole number from low to high."""
        found = self.text(key)
        if not found.isdecimal() or not found.isascii() or not low <= int(found[:20]) <= high:
            raise self.damaged(f"its {key} is {short(found)}")
        return int(found)

    def json(self, key: str) -> object:
        """A field of the header that is JSON."""
        return parse_json(self.text(key), f"{self.path} is damaged: its {key}")

    def fields(self, key: str) -> Fields:
        """A field of the header that is an object of JSON."""
        return Fields(self.json(key), f"{self.path} is damaged: its {key}")

    def part(self, prefix: str) -> Saved:
        """The arrays whose names begin with this, without it; they are then this part's to take."""
        prefix = self._prefix + prefix
        names = [name for name in self._left if name.startswith(prefix)]
        return Saved(self.path, self.header, {n: self._left.pop(n) for n in names}, prefix)

    def dtype(self, name: str, known: tuple[DTypeLike, ...]) -> np.dtype[np.generic]:
        """The dtype of an array that may have one of several."""
        found = self._left.get(self._prefix + name)
        if found is None:
            raise self.damaged(f"it lacks the table {name!r}")
        if found.dtype not in [np.dtype(one) for one in known]:
            raise self.damaged(f"its table {name!r} is {found.dtype}")
        return found.dtype

    def width(self, name: str) -> int:
        """The last size of an array that may have one of several; 0 if there is none."""
        found = self._left.get(self._prefix + name)
        return 0 if found is None or not found.ndim else found.shape[-1]

    def array(
        self,
        name: str,
        dtype: DTypeLike,
        shape: tuple[int | None, ...],
        least: float = -math.inf,
        most: float = math.inf,
        finite: bool = True,
    ) -> Array:
        """Take an array out. None in a shape is any size; NaN is never allowed."""
        found = self._left.pop(self._prefix + name, None)
        if found is None:
            raise self.damaged(f"it lacks the table {name!r}")
        fits = len(found.shape) == len(shape) and all(
            want is None or have == want for have, want in zip(found.shape, shape, strict=True)
        )
        if found.dtype != np.dtype(dtype) or not fits:
            told = f"{found.dtype} {list(found.shape)}"
            wanted = f"{np.dtype(dtype)} {[n if n is not None else 'any' for n in shape]}"
            raise self.damaged(f"its table {name!r} is {told}, and must be {wanted}")
        if not found.size:
            return found
        if found.dtype.kind == "f":
            bad = np.isnan(found).any() or (finite and not np.isfinite(found).all())
            if bad:
                raise self.damaged(f"its table {name!r} holds values that are not numbers")
        if found.min() < least or found.max() > most:
            raise self.damaged(f"its table {name!r} holds values out of their range")
        return found

    def fill(
        self,
        name: str,
        array: Array,
        least: float = -math.inf,
        most: float = math.inf,
        finite: bool = True,
    ) -> None:
        """Take out an array of the dtype and shape of another, into that one."""
        array[...] = self.array(name, array.dtype, array.shape, least, most, finite)

    def finish(self) -> None:
        """Refuse what nobody has taken."""
        if self._left:
            name = next(iter(self._left)).removeprefix(self._prefix)
            raise self.damaged(f"nobody knows its table {name!r}")
