"""How kernels are compiled: the two decorators."""

import numba

from counterfold.kernels.cache import keep

__all__ = ["inlined", "jit"]

_SETTINGS = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "arcp", "nsz"},
    # Kernels work in the arrays they are given and make none, so they need no reference
    # counts; with them, sampling was ten times slower.
    "_nrt": False,
}

try:
    numba.njit(_nrt=False)(keep)
except KeyError:  # a release of numba without this option: slower, and as right
    del _SETTINGS["_nrt"]


def jit(function):
    """Compile a kernel on its first call, and keep it for the next process."""
    return keep(numba.njit(**_SETTINGS)(function))


def inlined(function):
    """A small helper that is compiled into each kernel that calls it."""
    return keep(numba.njit(forceinline=True, **_SETTINGS)(function))
