"""The rules of money at a table: who may bet how much, and what a hand is worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from counterfold.errors import ParameterError
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN
from counterfold.poker.sizes import Size, Sizes, chips_name, nearest

_DIGITS = 9  # of a chip: what is less is an error of rounding
_MOST_KEPT = 50_000  # states whose moves are kept


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
    """What the rules need to know at a node: two nodes of one state go on in the same way.

    Sets of players are whole numbers, a bit for each.
    """

    kind: int
    street: int
    player: int  # who decides, or has folded last; -1 elsewhere
    before: tuple[float, ...]  # paid on earlier streets
    bets: tuple[float, ...]  # paid on this one
    waiting: int = 0  # who has still to act on this street, unless somebody raises
    folded: int = 0
    shut: int = 0  # who has acted since the last full bet or raise: a short all-in opens nothing
    step: float = 0.0  # what the last full bet or raise was more than the one before
    raised: int = 0  # bets and raises on this street; always 0 where nothing depends on it
    aggressor: int = -1  # who bet last; until that one acts, on the street before; for donks only


@dataclass(frozen=True)
class Betting:
    """The rules of money, limit or no-limit; see ``limit`` for a short way.

    Players sit in their order around the table. No-limit chips are whole multiples of ``chip``:
    sizes are rounded to the nearest, halves up. A bet is at least ``least`` and a raise at least
    as much more as the last full bet or raise; smaller sizes are lifted to that, but a fixed
    "300" that is too small is not offered. No size is above all-in, and equal ones are offered
    once. An all-in that is less than a full raise does not let those raise who have acted
    already, unless several of them make a full one together. Nobody can put in more than
    another one in the hand has.
    """

    paid: tuple[float, ...]  # before anybody acts: blinds, antes, or a part of the pot each
    stacks: tuple[float, ...]  # what is left to each after that
    sizes: tuple[tuple[Sizes, ...], ...]  # [player][street]
    first: tuple[int, ...]  # who acts first on each street
    posted: tuple[float, ...] = ()  # the part of ``paid`` that is blinds, to be matched
    caps: tuple[int | None, ...] = ()  # bets and raises on each street; () or None: no cap
    opened: int = 0  # how many bets the blinds count for
    least: float = 1.0
    rake: Rake = Rake()
    force_spr: float = 0.0  # all-in instead of a bet that, called, leaves at most this x the pot
    force_share: float = math.inf  # or of one that takes this share of the chips left
    # Of two sizes X and Y (parts of the pot) with (1 + X) / (1 + Y) < 1 + merge, only X is kept.
    merge: float = 0.0
    aggressor: int = -1  # who bet last before the first street
    limps: bool = True  # whether the blinds alone may be called by who can raise instead
    fixed: bool = False  # limit: chips need not be whole, and actions are named without amounts
    chip: float = 1.0  # the smallest; a tied pot is split into whole ones if ``odd_chips``
    odd_chips: bool = False
    played: int | None = None  # streets with betting, if not all: after them cards come, no more

    def __post_init__(self) -> None:
        if not self.posted:
            object.__setattr__(self, "posted", (0.0,) * self.players)
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
        if max(self.posted) > self.rooms(self.before)[1]:
            raise ParameterError("a blind is more than what the shorter stack can match")
        if not self.fixed and any(
            self.rounded(chips) != round(chips, _DIGITS) for chips in self.stacks
        ):
            raise ParameterError("no-limit stacks are whole chips; count in smaller ones")
        if not (self.force_spr >= 0 and self.force_share > 0 and self.merge >= 0):
            raise ParameterError("thresholds of sizes are numbers from 0 up")

    @property
    def players(self) -> int:
        """How many sit at the table."""
        return len(self.paid)

    @property
    def streets(self) -> int:
        """How many rounds of betting there are."""
        return len(self.first)

    @cached_property
    def before(self) -> tuple[float, ...]:
        """What was paid into the first pot, without blinds."""
        return tuple(paid - posted for paid, posted in zip(self.paid, self.posted, strict=True))

    @cached_property
    def _donks(self) -> bool:
        return any(sizes.donks is not None for player in self.sizes for sizes in player)

    @cached_property
    def _counts(self) -> tuple[bool, ...]:
        """Whether anything on a street depends on how many bets there were."""
        return tuple(
            self._cap(street) is not None or any(own[street].again for own in self.sizes)
            for street in range(self.streets)
        )

    @cached_property
    def _kept(self) -> dict[tuple[tuple[float, ...], int], tuple[tuple[float, ...], float]]:
        return {}

    def rooms(self, before: tuple[float, ...], folded: int = 0) -> tuple[tuple[float, ...], float]:
        """What each player can put in on a street, given what was paid before it; and how much
        of it two of those in the hand can."""
        kept = self._kept.get((before, folded))
        if kept is None:
            chips = zip(self.paid, self.stacks, before, strict=True)
            rooms = tuple(round(paid + stack - gone, _DIGITS) for paid, stack, gone in chips)
            inside = sorted(room for p, room in enumerate(rooms) if not folded >> p & 1)
            kept = self._kept[before, folded] = rooms, inside[-2] if len(inside) > 1 else 0.0
        return kept

    def root(self) -> State:
        """Where the betting begins."""
        return self._street(
            0,
            self.before,
            self.posted,
            aggressor=self.aggressor if self._donks else -1,
            raised=self.opened if self._counts[0] else 0,
        )

    def _street(
        self,
        street: int,
        before: tuple[float, ...],
        bets: tuple[float, ...],
        folded: int = 0,
        **rest: int,
    ) -> State:
        """What a street begins with."""
        everybody = (1 << self.players) - 1
        begun = State(DECISION, street, -1, before, bets, everybody & ~folded, folded, **rest)
        return self._go_on(begun, self.first[street] - 1)

    def _go_on(self, state: State, last: int) -> State:
        """To whoever is next after a player, or to the end of the street or of the hand."""
        inside = [p for p in range(self.players) if not state.folded >> p & 1]
        if len(inside) == 1:
            return state._replace(kind=FOLD, player=last, waiting=0)
        (rooms, most), level = self.rooms(state.before, state.folded), max(state.bets)
        matched = most <= level  # so nobody can raise
        waiting, closed = 0, self.played is not None and state.street >= self.played
        for p in () if closed else inside:
            at_rest = state.bets[p] >= rooms[p] or (matched and state.bets[p] >= level)
            waiting |= 0 if at_rest else state.waiting & 1 << p
        if not waiting:
            kind = DEAL if state.street + 1 < self.streets else SHOWDOWN
            return state._replace(kind=kind, player=-1, waiting=0)
        order = ((last + k) % self.players for k in range(1, self.players + 1))
        return state._replace(player=next(p for p in order if waiting >> p & 1), waiting=waiting)

    def _cap(self, street: int) -> int | None:
        return self.caps[street] if self.caps else None

    @cached_property
    def _ways(self) -> dict[State, dict[str, State]]:
        return {}

    def ways(self, state: State) -> dict[str, State]:
        """The moves at a state by name, kept for tables that come there again and again."""
        kept = self._ways.get(state)
        if kept is None:
            if len(self._ways) >= _MOST_KEPT:
                self._ways.clear()
            kept = self._ways[state] = dict(self.moves(state))
        return kept

    def moves(self, state: State) -> list[tuple[str, State]]:
        """The actions at a state, by name, and where they lead: fold, check or call, then bets."""
        street, player, bets = state.street, state.player, state.bets
        if state.kind == DEAL:
            before = tuple(map(sum, zip(state.before, bets, strict=True)))
            last = state.aggressor if max(bets) else -1
            none = (0.0,) * self.players
            return [("", self._street(street + 1, before, none, state.folded, aggressor=last))]
        if state.kind != DECISION:
            return []
        own, level, room = 1 << player, max(bets), self.rooms(state.before)[0][player]
        spoken = state._replace(waiting=state.waiting & ~own, shut=state.shut | own)
        found = []
        if level > bets[player]:
            found.append(("fold", self._go_on(spoken._replace(folded=state.folded | own), player)))
        targets = self._targets(state)
        if not targets or self.limps or street or level != max(self.posted) or not found:
            called = spoken._replace(bets=_put(bets, player, max(bets[player], min(level, room))))
            found.append(("call" if found else "check", self._go_on(called, player)))
        found += [(self.name(state, chips), self.raised(state, chips)) for chips in targets]
        return found

    def raised(self, state: State, chips: float) -> State:
        """After a bet or raise to so many chips on this street, within ``bounds``."""
        player, level, own = state.player, max(state.bets), 1 << state.player
        full = chips - level >= self._step(state)
        after = state._replace(
            bets=_put(state.bets, player, chips),
            waiting=(1 << self.players) - 1 & ~state.folded & ~own,
            shut=own if full else state.shut | own,
            step=chips - level if full else state.step,
            raised=state.raised + self._counts[state.street],
            aggressor=player if self._donks else -1,
        )
        return self._go_on(after, player)

    def free(self, state: State, word: str) -> float | None:
        """The chips of a legal bet or raise that is not among the sizes: "raise 7", "bet 2.5".

        >>> table = Betting((1, 2), (98, 98), ((Sizes(),),) * 2, (0,), posted=(1, 2), least=2)
        >>> root = table.root()
        >>> table.free(root, "raise 7"), table.free(root, "raise 3"), table.free(root, "call")
        (7.0, None, None)
        """
        verb, _, amount = word.partition(" ")
        bounds = None if self.fixed or state.kind != DECISION else self.bounds(state)
        if bounds is None or verb not in ("bet", "raise", "all-in"):
            return None
        try:
            chips = float(amount)
        except ValueError:
            return None
        within = bounds[0] <= chips <= bounds[1] and self.rounded(chips) == chips
        return chips if within and self.name(state, chips) == word else None

    def name(self, state: State, chips: float) -> str:
        """What a bet or raise to so many chips is called."""
        level = max(state.bets)
        if chips == self.most(state):
            return f"all-in {chips_name(chips)}"
        verb = "raise" if level else "bet"
        return verb if self.fixed else f"{verb} {chips_name(chips)}"

    def most(self, state: State) -> float:
        """What the player who acts can put in on this street that another one can match."""
        rooms, most = self.rooms(state.before, state.folded)
        return min(rooms[state.player], most)

    def _step(self, state: State) -> float:
        """By how much a full raise is more than the bet before it."""
        return max(state.step, self.least)

    def bounds(self, state: State) -> tuple[float, float] | None:
        """The least and the most that a player may bet or raise to; None where that is closed."""
        player, level = state.player, max(state.bets)
        most, cap = self.most(state), self._cap(state.street)
        acted = state.shut >> player & 1 and level - state.bets[player] < self._step(state)
        if level >= most or acted or (cap is not None and state.raised >= cap):
            return None
        return min(level + self._step(state), most), most

    def rounded(self, chips: float) -> float:
        """The nearest number of whole chips."""
        return round(self.chip * nearest(chips / self.chip), _DIGITS)

    def _targets(self, state: State) -> list[float]:
        """What a player may bet or raise to, in chips put in on this street, rising."""
        street, player, bets = state.street, state.player, state.bets
        bounds = self.bounds(state)
        if bounds is None:
            return []
        (least, most), level = bounds, max(bets)
        pot = sum(state.before) + sum(bets) + level - bets[player]
        found = set()
        for size in self._offered(state):
            chips = size.reach(pot, level, most, (self.played or self.streets) - street)
            chips = round(chips, _DIGITS) if self.fixed else self.rounded(chips)
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
            again = state.raised - 1  # raises before this one
            if again > 0 and sizes.again:
                return sizes.again[min(again, len(sizes.again)) - 1]
            return sizes.raises
        ahead = state.aggressor not in (-1, state.player) and state.waiting >> state.aggressor & 1
        return sizes.donks if ahead and sizes.donks is not None else sizes.bets

    def pots(self, state: State) -> tuple[list[tuple[float, tuple[int, ...]]], list[float]]:
        """The main pot and side pots after rake with those who can win them; what goes back.

        Antes, and the pot that a spot begins with, lie in the main pot whoever paid them. What
        nobody has matched goes back to its player.
        """
        chips = zip(state.before, state.bets, self.before, strict=True)
        put = [before + bet - dead for before, bet, dead in chips]
        matched = sorted(put)[-2]
        back = [chips - matched if chips > matched else 0.0 for chips in put]
        put = [min(chips, matched) for chips in put]
        inside = [p for p in range(self.players) if not state.folded >> p & 1]
        pot, floor, found = sum(self.before), 0.0, []
        total = pot + sum(put)
        kept = 1 - self.rake.of(total, state.street) / total
        for top in sorted({put[p] for p in inside}):
            pot += sum([min(each, top) - min(each, floor) for each in put])
            found.append((kept * pot, tuple([p for p in inside if put[p] >= top])))
            pot, floor = 0.0, top
        return found, back

    def payoffs(self, state: State, strengths: Sequence[int]) -> list[float]:
        """What each player has won or lost at the end of a hand; the higher strength wins.

        Chips that cannot be split go one by one to the winners who act first after the flop.
        """
        pots, won = self.pots(state)
        won = [
            back - before - bet
            for back, before, bet in zip(won, state.before, state.bets, strict=True)
        ]
        for chips, players in pots:
            best = max(strengths[p] for p in players)
            winners = [p for p in players if strengths[p] == best]
            winners.sort(key=lambda p: (p - self.first[-1]) % self.players)
            share, odd = chips / len(winners), 0
            if self.odd_chips:
                whole = nearest(chips / self.chip)
                share, odd = self.chip * (whole // len(winners)), whole % len(winners)
            for place, p in enumerate(winners):
                won[p] += share + self.chip * (place < odd)
        return won

    def payoff(self, state: State) -> list[list[float]]:
        """[players][3] what the end of a hand is worth to each who wins all that it can, ties
        with all and loses to all."""
        pots, back = self.pots(state)
        worth = []
        for p in range(self.players):
            paid = state.before[p] + state.bets[p] - back[p]
            mine = [(chips, len(players)) for chips, players in pots if p in players]
            shares = (
                sum(chips for chips, _ in mine),
                sum(chips / rivals for chips, rivals in mine),
                sum(chips for chips, rivals in mine if rivals == 1),
            )
            worth.append([share - paid for share in shares])
        return worth


def _put(bets: tuple[float, ...], player: int, chips: float) -> tuple[float, ...]:
    return (*bets[:player], chips, *bets[player + 1 :])
