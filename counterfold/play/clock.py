"""A time limit for code that is not ours: it runs in a thread that is left behind if it hangs."""

from __future__ import annotations

import ctypes
import os
import queue
import threading
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple, Unpack

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class TooSlowError(Exception):
    """The call took longer than it may."""


class _LeftBehindError(BaseException):
    """Raised inside a call that nobody waits for any more, to end it if it can be ended."""


class _Worker:
    """A thread that does one call after the other."""

    def __init__(self) -> None:
        self._todo = queue.SimpleQueue[Callable[[], object]]()
        self._done = queue.SimpleQueue[Exception | None]()
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def _work(self) -> None:
        try:
            while True:
                call, failed = self._todo.get(), None
                try:
                    call()
                except Exception as error:
                    failed = error
                self._done.put(failed)
        except _LeftBehindError:
            return

    def do(self, seconds: float, call: Callable[[], T]) -> T:
        found: list[T] = []
        self._todo.put(lambda: found.append(call()))
        try:
            failed = self._done.get(timeout=seconds)
        except queue.Empty:
            raise TooSlowError from None
        if failed is not None:
            raise failed
        return found[0]

    def abandon(self) -> None:
        ident = ctypes.c_ulong(self.thread.ident or 0)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(_LeftBehindError))


_worker: list[_Worker] = []
os.register_at_fork(after_in_child=_worker.clear)  # a fork has no threads but its own


def within(seconds: float | None, call: Callable[[Unpack[Ts]], T], *args: *Ts) -> T:
    """The result of a call, or TooSlowError if it takes longer; no limit is no thread.

    >>> within(1.0, max, 2, 3)
    3
    """
    if seconds is None:
        return call(*args)
    if not _worker:
        _worker.append(_Worker())
    try:
        return _worker[0].do(seconds, lambda: call(*args))
    except TooSlowError:
        _worker.pop().abandon()
        raise
