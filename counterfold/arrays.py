"""Types of arrays, by what they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Array = NDArray[Any]
"""Of numbers of any kind: a strategy in 32 or 64 bits, an index, whatever a file has."""
Arrays = dict[str, Array]
"""By name, as files and engines hand them over."""
