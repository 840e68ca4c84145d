"""Settings for all tests."""

import gc
import os
import signal
from collections.abc import Callable, Iterator
from types import FunctionType

import pytest
from hypothesis import settings

from counterfold.tree import memory

settings.register_profile("counterfold", deadline=None, derandomize=True, max_examples=20)
settings.load_profile("counterfold")


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # a quarter of the time in which modules and tests are read
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        # The generator of random numbers wraps around on purpose, which NumPy warns of.
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered:RuntimeWarning")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files from both ends in turn: neighbours compile the same kernels, each worker others."""
    files = list(dict.fromkeys(item.path for item in items))
    place = {path: min(2 * k, 2 * (len(files) - k) - 1) for k, path in enumerate(files)}
    items.sort(key=lambda item: place[item.path])


def pytest_collection_finish() -> None:
    """What has been read stays to the end: garbage is looked for in the rest alone."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def look_for_memory() -> Iterator[Callable[[], int]]:
    """16 GB are at hand, whatever else this machine does; what looks for them is given."""
    look = memory.memory_at_hand
    real = look.__code__
    look.__code__ = (lambda: 16 << 30).__code__  # wherever it was imported to
    yield FunctionType(real, vars(memory))
    look.__code__ = real


def heed_signals() -> dict[int, object]:
    """Take Ctrl-C, SIGTERM and SIGHUP as a program in the foreground does; what was before.

    A shell starts what it runs in the background with Ctrl-C ignored, and nohup with SIGHUP; both
    are inherited by the tests and by all that they start.
    """
    usual = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
    }
    return {number: signal.signal(number, handler) for number, handler in usual.items()}


@pytest.fixture
def heeded_signals() -> Iterator[None]:
    """For tests that send signals to themselves."""
    before = heed_signals()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
