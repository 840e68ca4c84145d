"""Where compiled kernels are kept between processes, and how they come back unharmed.

What is read here is unpickled and run, so it must be this user's own: a folder of mode 0700, on a
way that nobody else can change. Otherwise nothing is kept, and ``trouble`` says why. Every file
begins with a checksum of the rest; one that does not fit is thrown away and compiled again.

The folder is named after the versions of all that compiles. A function's file is named after a
hash of its source file, of all kernels that this one imports, directly or not, and of the fields of
the tuples that it was called with: Numba compiles helpers into their callers, and a changed helper
must never be served from old machine code. What is called with anything but numbers, arrays and
tuples of them (a function may be changed unseen) is not kept.
"""

import ast
import contextlib
import functools
import hashlib
import logging
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
import time
from pathlib import Path

import llvmlite
import numba
import numpy
from numba.core import caching, sigutils, types
from numba.core.serialize import dumps

__all__ = ["cache_folder", "keep", "trouble"]

HERE = Path(__file__).parent
PACKAGE = __package__
DAY = 86_400.0
UNUSED_DAYS = 30
"""After which code is removed."""

_LOG = logging.getLogger(PACKAGE)
"""Tells what is about to be compiled: whoever waits for it may want to know."""

_PRIVATE = 0o700
_CHECKSUM = hashlib.sha256().digest_size


def _version() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for package in (numba, llvmlite, numpy):
        digest.update(package.__version__.encode())
    return digest.hexdigest()[:12]


@functools.cache
def _source(kernel: str) -> tuple[bytes, frozenset[str]]:
    """A hash of a kernel's source, and the kernels that it imports."""
    content = (HERE / f"{kernel}.py").read_bytes()
    imported: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(content)]
    while waiting:
        node = waiting.pop()
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):  # no expressions: slow
            waiting += getattr(node, block, ())
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = f"{PACKAGE}.{node.module or ''}".rstrip(".") if node.level else node.module
            imported.update(f"{base}.{alias.name}" for alias in node.names)
    parts = (name.removeprefix(f"{PACKAGE}.").split(".")[0] for name in imported if _is_ours(name))
    kernels = _kernels()
    return hashlib.sha256(content).digest(), frozenset(
        other for part in parts for other in (kernels if part == "*" else {part} & kernels)
    )


def _is_ours(name: str) -> bool:
    return name.startswith(f"{PACKAGE}.")


@functools.cache
def _kernels() -> frozenset[str]:
    own = Path(__file__).stem  # which changes no machine code
    return frozenset(path.stem for path in HERE.glob("*.py")) - {own}


@functools.cache
def _needs(kernel: str) -> frozenset[str]:
    """A kernel and all that it imports, directly or not."""
    needed, waiting = {kernel}, [kernel]
    while waiting:
        fresh = _source(waiting.pop())[1] - needed
        needed |= fresh
        waiting += fresh
    return frozenset(needed)


def _stamp(kernels: frozenset[str]) -> str:
    digest = hashlib.sha256()
    for kernel in sorted(kernels):
        digest.update(kernel.encode() + b"\0" + _source(kernel)[0])
    return digest.hexdigest()


class _RefusedError(Exception):
    """Why a folder is not used, in one sentence."""


def _found() -> tuple[Path | None, str | None]:
    """The folder of compiled kernels, or why there is none."""
    named = os.environ.get("COUNTERFOLD_CACHE")
    base = named or os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    try:
        if not os.path.isabs(base):
            base = os.path.abspath(base)
        if not os.path.isdir(base):
            os.makedirs(base, _PRIVATE)
        _check_way(base)
        # From here on under its real name, which no link can lead elsewhere.
        family = _own(Path(os.path.realpath(base)) / "counterfold")
        version = _version()
        fresh = not (family / version).exists()
        folder = _own(family / version)
        if fresh or folder.stat().st_mtime < time.time() - DAY:
            os.utime(folder)
            _tidy(family, folder)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise _RefusedError(f"{folder} cannot be written to")
    except _RefusedError as error:
        why = str(error)
    except OSError as error:
        why = f"{error.filename or base}: {error.strerror or error}"
    else:
        return folder, None
    other = "another folder" if named else "a folder"
    return None, f"compiled code is not kept ({why}); name {other} of your own in COUNTERFOLD_CACHE"


def _check_way(base: str) -> None:
    """Refuse a folder that somebody else could put another one in the place of."""
    if not hasattr(os, "getuid"):
        return
    trusted = (0, os.getuid())
    for name in _ways(base):  # a link of somebody else's may lead elsewhere tomorrow
        if os.lstat(name).st_uid not in trusted and os.path.islink(name):
            raise _RefusedError(f"{name} is a link of another user")
    for name in _ways(os.path.realpath(base)):
        found = os.stat(name)
        if found.st_uid not in trusted:
            raise _RefusedError(f"{name} belongs to another user")
        others = 0o002 if _is_alone_in(found.st_gid) else 0o022
        # Where the sticky bit is set, as in /tmp, others cannot touch what is ours.
        if found.st_mode & others and not found.st_mode & stat.S_ISVTX:
            raise _RefusedError(f"{name} can be written to by others")


def _is_alone_in(group: int) -> bool:
    """Is this the group that has this user alone, as many systems make one for everybody?"""
    try:
        import grp
        import pwd

        user, found = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except (ImportError, KeyError):
        return False
    own = group == user.pw_gid and found.gr_name == user.pw_name
    return own and set(found.gr_mem) <= {user.pw_name}


def _ways(name: str) -> list[str]:
    """A folder and all that lead to it."""
    path = Path(name)
    return [str(one) for one in (path, *path.parents)]


def _own(folder: Path) -> Path:
    """A folder of this user alone: made, or tightened, or refused."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(_PRIVATE)
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode):
        raise _RefusedError(f"{folder} is no folder")
    if hasattr(os, "getuid"):
        if found.st_uid != os.getuid():
            raise _RefusedError(f"{folder} belongs to another user")
        if stat.S_IMODE(found.st_mode) != _PRIVATE:
            folder.chmod(_PRIVATE)
    return folder


def _tidy(family: Path, folder: Path) -> None:
    """Remove the code of other versions, and of other sources, that nobody has used for a while."""
    oldest = time.time() - UNUSED_DAYS * DAY
    for other in family.iterdir():
        if re.fullmatch("[0-9a-f]{12}", other.name) and other.lstat().st_mtime < oldest:
            shutil.rmtree(other, ignore_errors=True)
    for code in folder.iterdir():
        with contextlib.suppress(OSError):  # another process may be as tidy
            if code.lstat().st_mtime < oldest:
                code.unlink()


_folder, _trouble = _found()


def cache_folder() -> Path | None:
    """The folder of compiled kernels, or None where nothing is kept."""
    return _folder


def trouble() -> str | None:
    """Why nothing is kept, in one sentence; None where all is well."""
    return _trouble


class _Locator(caching._CacheLocator):
    """Tells Numba of the one folder; nothing is looked for elsewhere."""

    def __init__(self, function, file):
        self._function, self._py_file = function, file

    def ensure_cache_path(self):
        pass

    def get_cache_path(self):
        return str(_folder)

    def get_source_stamp(self):
        file = Path(self._py_file)
        if file.parent == HERE and self._function.__closure__ is None:
            return _stamp(_needs(file.stem))
        found = os.stat(file)  # which may import whatever it likes, or close over it
        return f"{_stamp(_kernels())} {file} {found.st_mtime_ns} {found.st_size}"

    def get_disambiguator(self):
        return str(self._function.__code__.co_firstlineno)

    @classmethod
    def from_function(cls, function, file):
        return cls(function, file)


class _Serial(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012


class _Files:
    """A file for each signature of a function: a checksum, then the pickled key and code.

    It is written under another name and renamed, so that processes can fill one folder at once.
    """

    def __init__(self, folder, name, stamp):
        self._folder, self._name, self._stamp = Path(folder), name, stamp

    def _path(self, key):
        digest = hashlib.sha256(f"{self._stamp}|{key}".encode()).hexdigest()[:24]
        return self._folder / f"{self._name}.{digest}.nbc"

    def load(self, key):
        path = self._path(key)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            self.discard(key)
            return None
        if hashlib.sha256(content[_CHECKSUM:]).digest() != content[:_CHECKSUM]:
            self.discard(key)
            return None
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < time.time() - DAY:  # so that what is used stays
                os.utime(path)
        found, data = pickle.loads(memoryview(content)[_CHECKSUM:])
        return data if found == key else None

    def save(self, key, data):
        path = self._path(key)
        content = dumps((key, data))
        with contextlib.suppress(OSError):  # a full disk: it is compiled again next time
            handle, part = tempfile.mkstemp(dir=self._folder, prefix=".part-")
            try:
                with open(handle, "wb") as file:
                    file.write(hashlib.sha256(content).digest())
                    file.write(content)
                os.replace(part, path)
            except BaseException:
                os.unlink(part)
                raise

    def discard(self, key):
        path = self._path(key)
        with contextlib.suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def flush(self):
        for path in self._folder.glob(f"{self._name}.*.nbc"):
            path.unlink(missing_ok=True)


_PLAIN = types.Number | types.Boolean | types.Array | types.NoneType | types.Omitted


def _layout(kind: types.Type) -> str | None:
    """What machine code takes from a type beyond its name; None if that cannot be told."""
    if isinstance(kind, _PLAIN):
        return ""
    if isinstance(kind, types.BaseTuple):
        cls = getattr(kind, "instance_class", tuple)
        parts = [_layout(part) for part in kind]
        fields = getattr(cls, "_fields", "")
        return None if None in parts else f"{cls.__module__}.{cls.__qualname__}{fields}{parts}"
    name = type(kind).__module__
    return _stamp(_needs(name.removeprefix(f"{PACKAGE}."))) if _is_ours(name) else None


def _layouts(sig) -> tuple[str | None, ...]:
    return tuple(map(_layout, sigutils.normalize_signature(sig)[0]))


class _Cache(caching.FunctionCache):
    """Numba's cache of a function, over files that are checked before they are unpickled."""

    _impl_class = _Serial

    def __init__(self, function):
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _Files(_folder, self._impl.filename_base, stamp)

    def _index_key(self, sig, codegen):
        return (*super()._index_key(sig, codegen), _layouts(sig))

    def save_overload(self, sig, data):
        if None not in _layouts(sig):
            super().save_overload(sig, data)

    def load_overload(self, sig, target_context):
        loaded = None
        if None not in _layouts(sig):
            try:
                loaded = super().load_overload(sig, target_context)
            except Exception:  # whole, but of no use here: compiled again
                self._cache_file.discard(self._index_key(sig, target_context.codegen()))
        if loaded is None:
            function = self._py_func
            _LOG.info("%s.%s", function.__module__.split(".")[-1], function.__qualname__)
        return loaded


def keep(dispatcher):
    """Let compiled code of a function be kept for the next process."""
    if _folder is not None and hasattr(dispatcher, "enable_caching"):
        with contextlib.suppress(OSError):  # a function without a file may change unseen
            dispatcher._cache = _Cache(dispatcher.py_func)
    return dispatcher
