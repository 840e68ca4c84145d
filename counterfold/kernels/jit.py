"""How kernels are compiled: the three decorators."""

import contextlib
import ctypes
import functools
import gc
import importlib.util
import sys
import time

import numba
from numba import _dynfunc
from numba.core import event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.registry import CPUDispatcher

from counterfold.kernels.cache import keep

__all__ = ["compiling", "inlined", "jit", "subkernel"]

if not numba.config.DISABLE_JIT and "scipy.linalg" not in sys.modules:
    # Numba loads SciPy's linear algebra, a third of a second, only to know whether it is there.
    # All else that is loaded meanwhile must stay: a second copy of a part of Numba breaks it.
    sys.modules["scipy.linalg.cython_blas"] = None
    try:
        from numba.np import arraymath
    finally:
        del sys.modules["scipy.linalg.cython_blas"]
    arraymath._HAVE_BLAS = importlib.util.find_spec("scipy") is not None

_SETTINGS = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "arcp", "nsz"},
    "no_cfunc_wrapper": True,
    # Kernels work in the arrays they are given and make none, so they need no reference
    # counts; with them, sampling was ten times slower.
    "_nrt": False,
}

try:
    numba.njit(_nrt=False)(keep)
except KeyError:  # a release of numba without this option: slower, and as right
    del _SETTINGS["_nrt"]


class _Spent(event.Listener):
    """The seconds that all compiling has taken, of which a part may lie within another."""

    def __init__(self):
        self.seconds, self._depth, self._began = 0.0, 0, 0.0

    def on_start(self, _):
        self._depth += 1
        if self._depth == 1:
            self._began = time.perf_counter()

    def on_end(self, _):
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._began


_spent = _Spent()
event.register("numba:compile", _spent)


def compiling() -> float:
    """The seconds that this process has spent on compiling so far."""
    return _spent.seconds


def jit(function):
    """Compile a kernel on its first call, and keep it for the next process."""
    return keep(numba.njit(pipeline_class=_Compiler, **_SETTINGS)(function))


def inlined(function):
    """A small helper that is compiled into each kernel that calls it."""
    return subkernel(function, forceinline=True)


def subkernel(function, **settings):
    """A step of a kernel, compiled into those that call it wherever the compiler likes it best."""
    if numba.config.DISABLE_JIT:
        return function
    made = numba.njit(
        no_cpython_wrapper=True, pipeline_class=_PartCompiler, **_SETTINGS, **settings
    )(function)
    made.__class__ = _Part
    return made


class _Part(CPUDispatcher):
    """Called from Python (as tests do) it is a kernel of its own."""

    @functools.cached_property
    def _alone(self):
        return jit(self.py_func)

    def __call__(self, *args, **kwargs):
        return self._alone(*args, **kwargs)


class _Draft(JITCodeLibrary):
    """Code that is never run by itself: optimised and turned into machine code in its callers.

    Doing both for each helper as well took half the time of compiling.
    """

    def _optimize_final_module(self):
        pass

    def _finalize_final_module(self):
        self._finalized = True


class _Flags(Flags):
    """How a function is compiled. Numba looks it up for every call and operator that it types."""

    __slots__ = ()
    _HASH = hash(Flags())

    def __hash__(self):
        return self._HASH

    def __eq__(self, other):
        return self._values == other._values or super().__eq__(other)


class _Compiler(Compiler):
    def __init__(self, typing, target, library, args, return_type, flags, locals):
        super().__init__(typing, target, library, args, return_type, _Flags(flags), locals)

    def compile_extra(self, function):
        with _uncollected():
            return super().compile_extra(function)


@contextlib.contextmanager
def _uncollected():
    """No search for garbage: compiling makes millions of objects, and little that goes round."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class _PartCompiler(_Compiler):
    def compile_extra(self, function):
        context = self.state.targetctx  # one of this compilation alone
        self.state.library = _Draft(context.codegen(), function.__qualname__)
        context.get_executable = _placeholder
        return super().compile_extra(function)


@ctypes.PYFUNCTYPE(ctypes.py_object)
def _never():
    raise SystemError("a part of a kernel is not called by itself")


def _placeholder(library, description, environment):
    """What Numba knows a compiled part by."""
    library._ensure_finalized()
    name, where = description.qualname, ctypes.cast(_never, ctypes.c_void_p).value
    return _dynfunc.make_function(
        description.lookup_module(), name, "", where, environment, (library,)
    )
