"""The hold'em spots that are measured, and what other solvers are known to need on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["OTHER_SPOTS", "PEERS", "SPOTS", "Peer"]


def _spot(
    board: str, pot: int, stack: int, ranges: tuple[str, str], bets: str, raises: str
) -> dict[str, Any]:
    return {
        "board": board,
        "pot": pot,
        "stack": stack,
        "oop": ranges[0],
        "ip": ranges[1],
        "bets": bets.split(),
        "raises": raises.split(),
    }


_TURN = (
    "JJ-22,A5s-A2s,KJs-K2s,Q4s+,J6s+,T6s+,95s+,84s+,74s+,63s+,52s+,43s,KTo+,QTo+,JTo,"
    "AJ-A6,KQs:0.75,K9o:0.75,T9o:0.75,AQs:0.5,A5o-A2o:0.5,Q9o:0.5,J9o:0.5,98o:0.5,"
    "87o:0.5,QQ:0.25,AQo:0.25,T8o:0.25,76o:0.25",
    "22+,A2s+,K4s+,Q6s+,J7s+,T7s+,96s+,85s+,75s+,64s+,53s+,A8o+,K9o+,QTo+,JTo,"
    "43s:0.5,A5o:0.5,Q9o:0.5,J9o:0.5,T9o:0.5,98o:0.25",
)
_FLOP = (
    "TT+,ATs+,KTs+,QTs+,JTs,T9s,AQo+,A5s-A3s:0.75,99:0.5,A9s:0.5,K9s:0.5,98s-65s:0.5,"
    "AJo:0.5,KQo:0.5,88:0.25",
    "JJ-55,AQs-A8s,A5s-A4s,KTs+,Q9s+,J9s+,T8s+,98s-54s,AQo:0.75,44-22:0.5,A7s-A6s:0.5,"
    "K9s:0.5,KQo:0.5,QQ:0.25,AKo:0.25,AJo:0.25",
)
_WIDE = (
    "99-22,ATs-A2s,KTs+,K9s:0.5,QTs+,J9s+,T8s+,97s+,86s+,75s+,65s,54s,AJo-A9o:0.5,KJo,QJo,JTo:0.5",
    "22+,A2s+,K7s+,Q8s+,J8s+,T8s+,97s+,86s+,76s,65s,54s,A9o+,KTo+,QTo+,JTo",
)
_MIDDLE = (
    "TT-66,AQs-ATs,KJs+,QJs,JTs,T9s,98s,87s,AQo,KQo:0.5",
    "QQ+:0.5,JJ-77,AKs,AQs-A9s,A5s-A4s,KTs+,QTs+,JTs,T9s,98s,76s,AKo,AQo,KQo",
)
_NARROW = (
    "QQ+,AKs,A5s-A2s,KQs,76s,65s,AKo:0.5,AQs",
    "JJ-55,AQs-ATs,KJs+,QJs,JTs,T9s,98s,87s,AQo",
)

_RANDOM = ("random", "random")

SPOTS = {
    "river_full": _spot("Ks 9h 6s 4d 2c", 200, 600, _RANDOM, "33% 75% 150% allin", "60% allin"),
    "turn_wide": _spot("Ks 9s 4h Jd", 200, 800, _TURN, "50% 100% allin", "60% allin"),
    "flop_small": _spot("Qs Jh 2h", 200, 600, _FLOP, "50% allin", "60% allin"),
}
"""The three of ``examples/spots``, which other solvers were measured on as well."""

OTHER_SPOTS = {
    "river_threebet": _spot("Ah Kh 7d 7c 2s", 400, 500, _NARROW, "33% 75% allin", "60% allin"),
    "river_flush": _spot("Td 9d 8c 5d 2h", 120, 900, _WIDE, "33% 75% 150% allin", "50% 100% allin"),
    "river_deep": _spot("Qc 8s 3d 3h 5c", 100, 2000, _WIDE, "66%", "75%"),
    "river_short": _spot("Jc Tc 4d 4s 9h", 600, 300, _MIDDLE, "25% 50% allin", "allin"),
    "turn_threebet": _spot("Jh Th 6c 5h", 400, 600, _NARROW, "33% 75% allin", "60% allin"),
    "turn_ace": _spot("Ah 7c 2d 2s", 100, 650, _MIDDLE, "50% 100%", "60% allin"),
    "turn_low": _spot("8c 7d 3c 2s", 100, 900, _WIDE, "75%", "75% allin"),
    "flop_pair": _spot("7c 7d 2s", 200, 700, _NARROW, "50% allin", "60% allin"),
}
"""Other boards, ranges and depths: methods are chosen on all of them, not on three."""


@dataclass(frozen=True)
class Peer:
    """What another solver needed on a spot: measured on the same kind of machine, not here."""

    name: str
    spot: str
    bits: int
    one_thread: float
    """Seconds an iteration (both players updated once), without checks."""
    two_threads: float | None
    iterations: tuple[int, int, int | None]
    """To 1, 0.5 and 0.1% of the pot."""
    megabytes: float | None = None

    @property
    def seconds(self) -> float | None:
        """The time to 0.1% of the pot in one thread."""
        last = self.iterations[-1]
        return None if last is None else last * self.one_thread


PEERS = (
    Peer("postflop-solver", "river_full", 32, 0.00057, None, (45, 75, 210)),
    Peer("postflop-solver", "river_full", 16, 0.00057, None, (45, 60, 200)),
    Peer("Postflop-Poker-Solver", "river_full", 32, 0.00088, None, (40, 60, 190)),
    Peer("GTOpen", "river_full", 32, 0.00098, None, (50, 70, 180)),
    Peer("TexasSolver", "river_full", 32, 0.00225, None, (41, 61, 196)),
    Peer("postflop-solver", "turn_wide", 32, 0.049, 0.0235, (75, 90, 250), 45),
    Peer("postflop-solver", "turn_wide", 16, 0.054, 0.0236, (75, 90, 250), 25),
    Peer("Postflop-Poker-Solver", "turn_wide", 32, 0.075, 0.049, (70, 100, 250), 47),
    Peer("GTOpen", "turn_wide", 32, 0.105, 0.057, (70, 110, None)),
    Peer("TexasSolver", "turn_wide", 32, 0.176, 0.114, (66, 86, 271), 162),
    Peer("postflop-solver", "flop_small", 32, 0.48, 0.254, (50, 75, 210), 349),
    Peer("postflop-solver", "flop_small", 16, 0.52, 0.244, (50, 85, 160), 187),
    Peer("Postflop-Poker-Solver", "flop_small", 32, 0.65, 0.53, (50, 75, 165), 352),
    Peer("GTOpen", "flop_small", 32, 0.80, 0.40, (50, 80, 180), 413),
    Peer("TexasSolver", "flop_small", 32, 2.36, 1.25, (51, 61, 191), 558),
)
"""Measured once on two cores shared with other work, give or take a fifth."""
