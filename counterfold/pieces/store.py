"""Where the outcomes of pieces are kept: a folder, or any address that fsspec knows."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from counterfold.errors import FileError, MissingExtraError, short
from counterfold.files.whole import write_whole

_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]*")


class Store(Protocol):
    """Files by name, each of which is there whole or not at all."""

    address: str

    def names(self) -> list[str]:
        """What is there, in the order of the names."""

    def read(self, name: str) -> bytes | None:
        """What a file holds; None if there is no such file."""

    def write(self, name: str, content: bytes, lasting: bool = True) -> None:
        """Put a file there; one of that name is replaced when all of the new one has come.

        One that is not ``lasting`` is soon removed again, and may go with a power cut.
        """

    def remove(self, name: str) -> None:
        """Have a file no longer, if there is one."""


class Kept(NamedTuple):
    """A file in a store that goes from one worker to another: its name, and its digest."""

    name: str
    digest: str


def put(store: Store, name: str, content: bytes, lasting: bool = True) -> Kept:
    """Put a file into a store; whoever gets it knows by the digest that it is this one."""
    store.write(name, content, lasting)
    return Kept(name, hashlib.sha256(content).hexdigest())


def got(store: Store, kept: Sequence[str]) -> bytes:
    """What such a file holds; FileError if it is another now, or gone."""
    name, digest = kept
    content = store.read(name)
    if content is None or hashlib.sha256(content).hexdigest() != digest:
        raise FileError(f"{name} is missing or damaged in {store.address}")
    return content


def store_at(address: str | os.PathLike[str]) -> Store:
    """The store at an address, made if need be.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = store_at(folder)
    ...     store.write("one.json", b"{}")
    ...     store.names(), store.read("one.json"), store.read("two.json")
    (['one.json'], b'{}', None)
    """
    told = os.fspath(address)
    return AddressStore(told) if "://" in told else FolderStore(told)


class FolderStore:
    """A folder of this machine, or one that several machines have."""

    def __init__(self, address: str) -> None:
        self.address = os.path.abspath(address)
        try:
            os.makedirs(self.address, exist_ok=True)
        except OSError as error:
            raise _cannot("make", address, error) from None

    def names(self) -> list[str]:
        try:
            found = [entry.name for entry in os.scandir(self.address) if entry.is_file()]
        except OSError as error:
            raise _cannot("read", self.address, error) from None
        return sorted(name for name in found if _NAME.fullmatch(name))

    def read(self, name: str) -> bytes | None:
        try:
            return self._path(name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _cannot("read", self._path(name), error) from None

    def write(self, name: str, content: bytes, lasting: bool = True) -> None:
        write_whole(self._path(name), content, lasting)

    def remove(self, name: str) -> None:
        try:
            self._path(name).unlink(missing_ok=True)
        except OSError as error:
            raise _cannot("remove", self._path(name), error) from None

    def _path(self, name: str) -> Path:
        return Path(self.address, _checked(name))


class AddressStore:
    """An address of fsspec's, such as s3://bucket/spots. An object store replaces files whole."""

    def __init__(self, address: str) -> None:
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise MissingExtraError(
                f"{short(address)} is read with fsspec: pip install 'counterfold[cluster]'"
            ) from None
        self.address = address
        try:
            self._system, self._root = url_to_fs(address)
            self._system.makedirs(self._root, exist_ok=True)
        except Exception as error:  # whatever the system of that address raises
            raise _cannot("open", address, error) from None

    def names(self) -> list[str]:
        try:
            self._system.invalidate_cache()
            found = self._system.ls(self._root, detail=False)
        except FileNotFoundError:
            return []
        except Exception as error:
            raise _cannot("read", self.address, error) from None
        names = (str(path).rstrip("/").rpartition("/")[2] for path in found)
        return sorted(name for name in names if _NAME.fullmatch(name))

    def read(self, name: str) -> bytes | None:
        try:
            content: bytes = self._system.cat_file(self._path(name))
        except FileNotFoundError:
            return None
        except Exception as error:
            raise _cannot("read", f"{self.address}/{name}", error) from None
        return content

    def write(self, name: str, content: bytes, lasting: bool = True) -> None:
        try:
            if getattr(self._system, "local_file", False):  # file:// replaces nothing whole
                write_whole(self._path(name), content, lasting)
            else:
                self._system.pipe_file(self._path(name), content)
        except FileError:
            raise
        except Exception as error:
            raise _cannot("write", f"{self.address}/{name}", error) from None

    def remove(self, name: str) -> None:
        try:
            self._system.rm_file(self._path(name))
        except FileNotFoundError:
            pass
        except Exception as error:
            raise _cannot("remove", f"{self.address}/{name}", error) from None

    def _path(self, name: str) -> str:
        return f"{str(self._root).rstrip('/')}/{_checked(name)}"


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise FileError(f"{short(name)} is no name of a file in a library")
    return name


def _cannot(do: str, where: object, error: Exception) -> FileError:
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return FileError(f"cannot {do} {short(str(where), 200)}: {short(why, 200)}")
