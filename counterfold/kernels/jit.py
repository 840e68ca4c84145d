"""How kernels are compiled: the two decorators, and where compiled code is kept.

The cache lives in a folder named after a hash of these sources, so that a changed helper
can never be served from old machine code, and an upgrade never meets a stale cache.
"""

import hashlib
import os
import sys
import tempfile
from pathlib import Path

__all__ = ["cache_folder", "inlined", "jit"]


def _sources_hash() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


def cache_folder() -> Path | None:
    """The folder of compiled kernels, or None where nothing can be written."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    for base in (os.environ.get("COUNTERFOLD_CACHE"), home, tempfile.gettempdir()):
        if not base:
            continue
        folder = Path(base) / "counterfold" / _sources_hash()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None


_folder = cache_folder()
_SETTINGS = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "arcp", "nsz"},
    "cache": _folder is not None,
    # Kernels work in the arrays they are given and make none, so they need no reference
    # counts; with them, sampling was ten times slower.
    "_nrt": False,
}

import numba  # noqa: E402  (the cache folder is settled first)

if _folder is not None:
    numba.config.CACHE_DIR = str(_folder)


try:
    numba.njit(_nrt=False)(_sources_hash)
except KeyError:  # a release of numba without this option: slower, and as right
    del _SETTINGS["_nrt"]


def jit(function):
    """Compile a kernel on its first call, and keep it for the next process."""
    return numba.njit(**_SETTINGS)(function)


def inlined(function):
    """A small helper that is compiled into each kernel that calls it."""
    return numba.njit(forceinline=True, **_SETTINGS)(function)
