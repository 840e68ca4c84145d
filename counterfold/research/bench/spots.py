"""The hold'em spots that are measured."""

from __future__ import annotations


def _spot(
    board: str, pot: int, stack: int, ranges: tuple[str, str], bets: str, raises: str
) -> dict[str, object]:
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
WIDE_RANGES = (
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
    "river_flush": _spot(
        "Td 9d 8c 5d 2h", 120, 900, WIDE_RANGES, "33% 75% 150% allin", "50% 100% allin"
    ),
    "river_deep": _spot("Qc 8s 3d 3h 5c", 100, 2000, WIDE_RANGES, "66%", "75%"),
    "river_short": _spot("Jc Tc 4d 4s 9h", 600, 300, _MIDDLE, "25% 50% allin", "allin"),
    "turn_threebet": _spot("Jh Th 6c 5h", 400, 600, _NARROW, "33% 75% allin", "60% allin"),
    "turn_ace": _spot("Ah 7c 2d 2s", 100, 650, _MIDDLE, "50% 100%", "60% allin"),
    "turn_low": _spot("8c 7d 3c 2s", 100, 900, WIDE_RANGES, "75%", "75% allin"),
    "flop_pair": _spot("7c 7d 2s", 200, 700, _NARROW, "50% allin", "60% allin"),
}
"""Other boards, ranges and depths: methods are chosen on all of them, not on three."""
