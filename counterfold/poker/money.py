"""The rules of money for two players: who may bet how much, and what a hand is worth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from counterfold.errors import ParameterError
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN
from counterfold.poker.sizes import Size, Sizes, chips_name, nearest

__all__ = ["Betting", "Rake", "State"]

_DIGITS = 9  # of a chip: what is less is an error of rounding


@dataclass(frozen=True)
class Rake:
    """What the house takes: a share of the pot up to ``cap``, without the bet that nobody called.

    A hand that ends on one of the first ``free`` streets pays nothing ("no flop, no drop" is 1
    in a game that begins before the flop).
    """

    rate: float = 0.0
    cap: float = math.inf
    free: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.rate < 1:
            raise ParameterError(
                f"the rate of a rake is from 0 to below 1, as in 0.05, not {self.rate}"
            )
        if not self.cap >= 0:
            raise ParameterError(
                f"the cap of a rake is a number of chips from 0 up, not {self.cap}"
            )

    def of(self, pot: float, street: int) -> float:
        """What is taken from a pot when a hand ends."""
        return 0.0 if street < self.free else min(self.rate * pot, self.cap)


class State(NamedTuple):
    """What the rules need to know at a node: two nodes of one state go on in the same way."""

    kind: int
    street: int
    player: int
    before: tuple[float, float]  # paid on earlier streets
    bets: tuple[float, float]  # paid on this one
    acted: bool = False  # whether anybody has acted on this street
    raised: int = 0  # bets and raises on this street; always 0 without a cap
    aggressor: int = -1  # who bet last; until somebody acts, on the street before; for donks only


@dataclass(frozen=True)
class Betting:
    """The rules of money, limit or no-limit; see ``limit`` for a short way.

    No-limit chips are whole: sizes are rounded to the nearest, halves up. A bet is at least
    ``least`` and a raise at least as much more as the bet or raise before it; smaller sizes are
    lifted to that, but a fixed "300" that is too small is not offered. No size is above all-in,
    and equal ones are offered once. Stacks are effective: nobody can put in more than the other.
    """

    paid: tuple[float, float]  # before anybody acts: blinds, antes, or half of the pot each
    stacks: tuple[float, float]  # what is left to each after that
    sizes: tuple[tuple[Sizes, ...], tuple[Sizes, ...]]  # [player][street]
    first: tuple[int, ...]  # who acts first on each street
    posted: tuple[float, float] = (0.0, 0.0)  # the part of ``paid`` that is blinds, to be matched
    caps: tuple[int | None, ...] = ()  # bets and raises on each street; () or None: no cap
    opened: int = 0  # how many bets the blinds count for
    least: float = 1.0
    rake: Rake = Rake()
    force_spr: float = 0.0  # all-in instead of a bet that, called, leaves at most this x the pot
    force_share: float = math.inf  # or of one that takes this share of the chips left
    # Of two sizes X and Y (parts of the pot) with (1 + X) / (1 + Y) < 1 + merge, only X is kept.
    merge: float = 0.0
    aggressor: int = -1  # who bet last before the first street
    fixed: bool = False  # limit: chips need not be whole, and actions are named without amounts

    def __post_init__(self) -> None:
        for name, amounts in (("paid", self.paid), ("stacks", self.stacks)):
            for chips in amounts:
                if not chips >= 0:
                    raise ParameterError(f"{name} cannot hold {chips}; chips are from 0 up")
        streets = len(self.first)
        if not streets or any(len(sizes) != streets for sizes in self.sizes):
            raise ParameterError("give the sizes of both players, and who acts first, every street")
        if not sum(self.paid) > 0 or math.isinf(sum(self.paid)):
            raise ParameterError("there is nothing in the pot to play for")
        if self.caps and len(self.caps) != streets:
            raise ParameterError(f"there are {len(self.caps)} caps of raises for {streets} streets")
        if any(cap is not None and cap < self.opened for cap in self.caps):
            raise ParameterError("a cap of raises is a whole number of bets, the big blind's too")
        if max(self.posted) > self.most(self.before):
            raise ParameterError("a blind is more than what the shorter stack can match")
        if not self.fixed and self.stacks != tuple(map(math.floor, self.stacks)):
            raise ParameterError("no-limit stacks are whole chips; count in smaller ones")
        if not (self.force_spr >= 0 and self.force_share > 0 and self.merge >= 0):
            raise ParameterError("thresholds of sizes are numbers from 0 up")

    @property
    def streets(self) -> int:
        """How many rounds of betting there are."""
        return len(self.first)

    @cached_property
    def before(self) -> tuple[float, float]:
        """What was paid into the first pot, without blinds."""
        return self.paid[0] - self.posted[0], self.paid[1] - self.posted[1]

    @cached_property
    def _donks(self) -> bool:
        return any(sizes.donks is not None for player in self.sizes for sizes in player)

    def most(self, before: tuple[float, float]) -> float:
        """What either player can put in on a street, given what was paid before it."""
        left = (self.paid[p] + self.stacks[p] - before[p] for p in (0, 1))
        return round(min(left), _DIGITS)

    def root(self) -> State:
        """Where the betting begins."""
        return State(
            self._open(self.before, 0),
            0,
            self.first[0],
            self.before,
            self.posted,
            raised=self.opened if self._cap(0) is not None else 0,
            aggressor=self.aggressor if self._donks else -1,
        )

    def _open(self, before: tuple[float, float], street: int) -> int:
        """What a street begins with."""
        if self.most(before) > 0:
            return DECISION
        return DEAL if street + 1 < self.streets else SHOWDOWN

    def _cap(self, street: int) -> int | None:
        return self.caps[street] if self.caps else None

    def moves(self, state: State) -> list[tuple[str, State]]:
        """The actions at a state, by name, and where they lead: fold, check or call, then bets."""
        street, player, bets = state.street, state.player, state.bets
        if state.kind == DEAL:
            before = (state.before[0] + bets[0], state.before[1] + bets[1])
            kind = self._open(before, street + 1)
            who = self.first[street + 1] if kind == DECISION else -1
            last = state.aggressor
            return [("", State(kind, street + 1, who, before, (0.0, 0.0), aggressor=last))]
        if state.kind != DECISION:
            return []
        level, owes = max(bets), bets[1 - player] > bets[player]
        last = state.aggressor if state.acted else -1
        spoken = state._replace(acted=True, aggressor=last, player=1 - player)
        found = []
        if owes:
            found.append(("fold", spoken._replace(kind=FOLD, player=player)))
        matched = spoken._replace(bets=(level, level))
        if state.acted or level >= self.most(state.before):
            kind = DEAL if street + 1 < self.streets else SHOWDOWN
            matched = matched._replace(kind=kind, player=-1)
        found.append(("call" if owes else "check", matched))
        for chips in self._targets(state):
            raised = spoken._replace(
                bets=(chips, bets[1]) if player == 0 else (bets[0], chips),
                raised=state.raised + (self._cap(street) is not None),
                aggressor=player if self._donks else -1,
            )
            found.append((self._name(state, chips), raised))
        return found

    def _name(self, state: State, chips: float) -> str:
        level = max(state.bets)
        if chips == self.most(state.before):
            return f"all-in {chips_name(chips)}"
        verb = "raise" if level else "bet"
        return verb if self.fixed else f"{verb} {chips_name(chips)}"

    def _targets(self, state: State) -> list[float]:
        """What a player may bet or raise to, in chips put in on this street, rising."""
        street, player, bets = state.street, state.player, state.bets
        level, most, cap = max(bets), self.most(state.before), self._cap(street)
        if level >= most or (cap is not None and state.raised >= cap):
            return []
        pot = sum(state.before) + 2 * level
        least = level + max(level - bets[player], self.least)
        found = set()
        for size in self._offered(state):
            chips = size.reach(pot, level, most, self.streets - street)
            chips = round(chips, _DIGITS) if self.fixed else nearest(chips)
            if size.kind == "to" and chips < least and chips < most:
                continue
            chips = min(max(chips, least), most)
            behind, after = most - chips, pot + 2 * (chips - level)
            share = (chips - bets[player]) / (most - bets[player])
            if behind <= self.force_spr * after or share >= self.force_share:
                chips = most
            found.add(float(chips))
        kept: list[float] = []
        for chips in sorted(found, reverse=True):
            # 1 + X is the pot with the bet in it, as parts of the pot before
            if not kept or pot + kept[-1] - level >= (1 + self.merge) * (pot + chips - level):
                kept.append(chips)
        return kept[::-1]

    def _offered(self, state: State) -> tuple[Size, ...]:
        sizes = self.sizes[state.player][state.street]
        if max(state.bets):
            return sizes.raises
        if not state.acted and state.aggressor == 1 - state.player and sizes.donks is not None:
            return sizes.donks
        return sizes.bets

    def payoff(self, state: State) -> list[list[float]]:
        """[2][3] what the end of a hand is worth to each player who wins, ties and loses it."""
        paid = [state.before[p] + state.bets[p] for p in (0, 1)]
        called = sum(state.before) + 2 * min(state.bets)
        left = sum(paid) - self.rake.of(called, state.street)
        if state.kind == FOLD:
            winner = 1 - state.player
            return [[left * (p == winner) - paid[p]] * 3 for p in (0, 1)]
        return [[left - paid[p], left / 2 - paid[p], -paid[p]] for p in (0, 1)]
