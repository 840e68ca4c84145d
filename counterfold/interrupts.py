"""Ctrl-C, SIGTERM and SIGHUP, taken alike by the one handler that there is.

Whoever works long opens ``patient``: the first signal is only noted then, for ``noted`` and
``check`` to tell, so that no iteration is cut in half. The command line opens ``taken`` around
every verb: signals raise KeyboardInterrupt there, at once, or under ``patient`` a second after they
were noted, if nobody has looked by then. What must not be cut in half even so is done in ``uncut``.

A signal that was ignored on entry, as Ctrl-C is in what a shell starts in the background, stays
ignored. Threads other than the main one may look; only the main one takes signals.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

T = TypeVar("T")
Handler = Callable[[int, FrameType | None], object] | int | None

GRACE = 1.0
"""Seconds that a noted signal waits to be looked at before it is raised."""

TAKEN = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class GivenUpError(Exception):
    """Work that a signal has ended, with everything as it was before."""


class _State:
    """What the handler knows; there is one of it."""

    contexts = 0  # open, of any kind
    patient = 0  # of those that only note
    uncut = 0  # parts that are not to be cut, one in the other
    number: int | None = None  # the signal that came first
    last: int | None = None  # the one that ended the last outermost context
    due = False  # to be raised when these are done
    raises = False  # do signals raise KeyboardInterrupt? Under ``taken``
    before: dict[int, Handler]  # of others


_state = _State()


def noted() -> bool:
    """Has somebody asked for an end?"""
    if _state.number is None:
        return False
    if _state.contexts and _is_main():  # whoever asks will see to it
        _state.due = False
        if _state.raises:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return True


def check() -> None:
    """Raise KeyboardInterrupt if somebody has asked for an end; from any thread."""
    if noted():
        raise KeyboardInterrupt


def give_up() -> None:
    """Raise GivenUpError if somebody has asked for an end; from any thread."""
    if noted():
        raise GivenUpError


def exit_code() -> int:
    """What a shell reports for a program that the last signal has ended; 130 without any."""
    return 128 + (_state.number or _state.last or signal.SIGINT)


@contextmanager
def taken() -> Iterator[None]:
    """Signals raise KeyboardInterrupt in here: for a program, which then ends."""
    if not _is_main():
        yield
        return
    raised = _state.raises
    _open(True)
    try:
        yield
    finally:
        _state.raises = raised
        _close(pass_on=False)


@contextmanager
def patient() -> Iterator[None]:
    """The first signal is only noted in here; a second Ctrl-C raises KeyboardInterrupt.

    SIGTERM and SIGHUP go on to whom they were meant for when the outermost context closes.
    """
    if not _is_main():
        yield
        return
    _open(_state.raises)
    _state.patient += 1
    try:
        yield
    finally:
        _state.patient -= 1
        _close(pass_on=True)


class uncut:  # noqa: N801 (it is called like the functions beside it)
    """A part of the work that is not cut in half, unless Ctrl-C is pressed twice."""

    def __enter__(self) -> None:
        if _state.contexts and _is_main():
            _state.uncut += 1

    def __exit__(self, kind: object, *_: object) -> None:
        if _state.uncut and _is_main():
            _state.uncut -= 1
            if _state.due and not _state.uncut and kind is None:
                _state.due = False
                raise KeyboardInterrupt


def aside(call: Callable[[], T]) -> T:
    """The result of a call that hears no signal: it runs beside the main thread, which does.

    Whoever is ended leaves it behind, so this is for programs that end then: under ``taken``.
    """
    if not (_state.raises and _is_main()):
        return call()
    outcome: list[T] = []
    faults: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(call())
        except BaseException as error:
            faults.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
        check()
    if faults:
        raise faults[0]
    return outcome[0]


def _is_main() -> bool:
    return threading.get_ident() == threading.main_thread().ident


def _open(raises: bool) -> None:
    if not _state.contexts:
        _state.number = _state.last = None
        _state.due, _state.uncut, _state.before = False, 0, {}
        for number in TAKEN:
            if callable(signal.getsignal(number)) or signal.getsignal(number) is signal.SIG_DFL:
                _state.before[number] = signal.signal(number, _handle)
    if raises and signal.SIGALRM not in _state.before:
        _state.before[signal.SIGALRM] = signal.signal(signal.SIGALRM, _late)
    _state.raises = raises
    _state.contexts += 1


def _close(pass_on: bool) -> None:
    _state.contexts -= 1
    if _state.contexts:
        return
    if signal.SIGALRM in _state.before:
        signal.setitimer(signal.ITIMER_REAL, 0)
    number, _state.number, _state.due = _state.number, None, False
    _state.last = number or _state.last
    for which, handler in _state.before.items():
        signal.signal(which, handler)
    if pass_on and number is not None and number != signal.SIGINT:
        signal.raise_signal(number)


def _handle(number: int, frame: object) -> None:
    if not _state.contexts:
        return
    first = _state.number is None
    if first:
        _state.number = number
    if _state.patient:
        if not first and number == signal.SIGINT:
            raise KeyboardInterrupt
        if first and _state.raises:
            signal.setitimer(signal.ITIMER_REAL, GRACE)
    elif first or number == signal.SIGINT:
        _raise()


def _late(number: int, frame: object) -> None:
    """Nobody has looked at a noted signal."""
    if _state.contexts and _state.number is not None:
        _raise()


def _raise() -> None:
    if _state.uncut:
        _state.due = True
    else:
        raise KeyboardInterrupt
