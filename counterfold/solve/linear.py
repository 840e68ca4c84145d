"""Linear programs by HiGHS, which hears no signals while it computes."""

from __future__ import annotations

from typing import Any

from counterfold.interrupts import aside

__all__ = ["linprog"]


def linprog(*args: Any, **options: Any) -> Any:
    """SciPy's, beside the main thread of a program, so that it can be ended."""
    from scipy.optimize import linprog as solve

    return aside(lambda: solve(*args, **options))
