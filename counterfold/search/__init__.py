"""Subgames, gadgets, and searches in them.

``counterfold.search`` is the name of this package and of the function that users call, as
``counterfold.solve`` is: the package can be called as well.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterfold.search.refined import Searched


class _Callable(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Searched[Any]:
        from counterfold.search.searcher import search

        return search(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable
