"""Methods, solvers and the linear program.

``counterfold.solve`` is the name of this package and of the function that users call. Python
binds the name to the package whenever one of its modules is imported first, so the package can
be called as well.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterfold.solve.result import Result


class _Callable(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Result:
        from counterfold.solve.result import solve

        return solve(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable
