"""The verbs for somebody who has just come: a demonstration, and all kernels compiled."""

from __future__ import annotations

from dataclasses import dataclass

from counterfold.cli import options
from counterfold.cli.options import option
from counterfold.cli.request import verb


@verb()
@dataclass(frozen=True)
class DemoRequest:
    """Solve Kuhn and Leduc poker, check the known values, compare all methods in a plot."""

    folder: str = option("DIR", "Where the picture goes.", default=".")
    json: options.Json = False
    quiet: options.Quiet = False


@verb()
@dataclass(frozen=True)
class WarmupRequest:
    """Compile all kernels now, once on this machine, so that nothing waits for it later."""

    json: options.Json = False
    quiet: options.Quiet = False
