"""Sixteen numbers at once against the same in NumPy."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from counterfold.kernels import lanes as by_lanes
from counterfold.kernels.jit import jit
from counterfold.kernels.lanes import LANES

KINDS = pytest.mark.parametrize("dtype", ["float32", "float64"])


@jit
def combined(first, second, out):
    for row in range(first.shape[0]):
        one, two = by_lanes.load(first, row), by_lanes.load(second, row)
        product, difference = by_lanes.mul(one, two), by_lanes.sub(one, two)
        by_lanes.store(out, row, by_lanes.add(product, difference))


@jit
def to_lanes(rows, index, first, column, lanes, row):
    by_lanes.rows_to_lanes(rows, index, first, column, lanes, row)


@jit
def to_rows(lanes, row, rows, index, first, column):
    by_lanes.lanes_to_rows(lanes, row, rows, index, first, column)


@pytest.mark.pure
@KINDS
def test_arithmetic(dtype: str) -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 5, LANES)).astype(dtype)
    out = np.zeros_like(first)
    combined(first, second, out)
    np.testing.assert_allclose(out, first * second + first - second, rtol=1e-5)


@pytest.mark.pure
@KINDS
def test_rows_turn_into_lanes_and_back(dtype: str) -> None:
    """Any rows, in any order and more than once, from any column on; nothing else is touched."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(40, 52)).astype(dtype)
    index = rng.integers(0, 40, 48).astype(np.uint32)
    for first, column, row in ((0, 0, 0), (16, 32, 16), (32, 36, 7)):
        lanes = np.full((40, LANES), 9.0, dtype)
        to_lanes(rows, index, first, column, lanes, row)
        wanted = np.full_like(lanes, 9.0)
        for j in range(LANES):
            for lane in range(LANES):
                wanted[row + j, lane] = rows[index[first + lane], column + j]
        assert np.array_equal(lanes, wanted)
    apart = rng.permutation(40)[:32].astype(np.uint32)
    for first, column, row in ((0, 0, 0), (16, 32, 16), (3, 36, 7)):
        lanes = rng.normal(size=(40, LANES)).astype(dtype)
        found, wanted = rows.copy(), rows.copy()
        to_rows(lanes, row, found, apart, first, column)
        for j in range(LANES):
            for lane in range(LANES):
                wanted[apart[first + lane], column + j] = lanes[row + j, lane]
        assert np.array_equal(found, wanted)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="plain Python takes any array")
def test_rows_must_lie_together() -> None:
    rows: Any = np.zeros((4, 2 * LANES))[:, ::2]
    with pytest.raises(numba.TypingError, match="C-contiguous"):
        combined(rows, rows, rows)
