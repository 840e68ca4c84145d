"""The verbs for somebody who has just come: a demonstration, and all kernels compiled."""

from __future__ import annotations

from dataclasses import dataclass

from counterfold.cli.options import option
from counterfold.cli.request import Answered, verb


@verb()
@dataclass(frozen=True)
class DemoRequest(Answered):
    """Tell the whole story in a minute: solve, style, exploit, play, and a spot of hold'em."""

    folder: str = option("DIR", "Where the pictures go.", default=".")


@verb()
@dataclass(frozen=True)
class WarmupRequest(Answered):
    """Compile all kernels now, once on this machine, so that nothing waits for it later."""
