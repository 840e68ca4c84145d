"""How kernels are compiled, and what that leaves alone."""

import gc
import subprocess
import sys

import numba
import pytest
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from counterfold.kernels.jit import _Compiler


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


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_no_garbage_is_looked_for_while_a_kernel_is_compiled():
    seen = []

    @intrinsic
    def look(typing):
        seen.append(gc.isenabled())
        return types.int64(), lambda context, *_: context.get_constant(types.int64, 7)

    compiled = numba.njit(pipeline_class=_Compiler)
    assert compiled(lambda: look())() == 7
    assert seen
    assert not any(seen)
    assert gc.isenabled()
    with pytest.raises(TypingError):
        compiled(lambda number: number.nothing)(1)
    assert gc.isenabled()
