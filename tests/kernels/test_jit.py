"""How kernels are compiled, and what that leaves alone."""

import subprocess
import sys

import numba
import pytest


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_numba_of_others_is_left_whole():
    """After our kernels are loaded, code of a user's own still finds SciPy's linear algebra."""
    program = """
import counterfold.kernels.jit, sys
assert "scipy.linalg" not in sys.modules
import numba, numpy as np
solved = numba.njit(lambda a, b: np.dot(a, np.linalg.solve(a, b)))(2 * np.eye(3), np.ones((3, 3)))
assert (solved == 1).all() and numba.njit(lambda: str(3))() == "3"
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
