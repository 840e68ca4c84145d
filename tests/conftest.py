"""Settings for all tests."""

import os

import pytest
from hypothesis import settings

settings.register_profile("counterfold", deadline=None, derandomize=True, max_examples=20)
settings.load_profile("counterfold")


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        # The generator of random numbers wraps around on purpose, which NumPy warns of.
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered:RuntimeWarning")
