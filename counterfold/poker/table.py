"""A table of hold'em for two to nine players, from the first card: its rules as a game."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain, combinations, pairwise
from typing import NamedTuple

import numpy as np

from counterfold.errors import ParameterError, short
from counterfold.games.base import CHANCE, TERMINAL, Even, Game, spec_of
from counterfold.games.spec import flag, positive, whole
from counterfold.poker.betting import build
from counterfold.poker.cards import (
    CARDS,
    HOLES,
    board_name,
    card_name,
    cards_name,
    parse_card,
    parse_cards,
)
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN, BettingTree, CardRules, PokerGame
from counterfold.poker.icm import icm, worth_after
from counterfold.poker.money import Betting, Rake, State
from counterfold.poker.showdown import strength, strengths
from counterfold.poker.sizes import Size, Sizes
from counterfold.poker.table_sizes import table_sizes

STREETS = ("preflop", "flop", "turn", "river")
DEALT = (0, 3, 4, 5)
"""Cards on the board on each street."""
POSITIONS = ("UTG", "UTG+1", "MP", "LJ", "HJ", "CO", "BTN", "SB", "BB")
MOST_PLAYERS = len(POSITIONS)


def positions(players: int, straddle: bool = False) -> tuple[str, ...]:
    """Who sits where, from the first to act before the flop.

    >>> positions(2), positions(3), positions(4, straddle=True)
    (('SB', 'BB'), ('BTN', 'SB', 'BB'), ('BTN', 'SB', 'BB', 'UTG'))
    """
    names = ("SB", "BB") if players == 2 else POSITIONS[-players:]
    if players > 5:
        names = ("UTG", *names[1:])
    if not straddle:
        return names
    return (*names[1:-2], *names[-2:], "UTG") if players > 3 else (*names[1:], names[0])


class TableState(NamedTuple):
    """A hand at a table: two cards for each player, the board, and the betting."""

    holes: tuple[tuple[int, int], ...]
    board: tuple[int, ...]
    betting: State
    line: tuple[str, ...] = ()  # what was said and dealt


class TableView(NamedTuple):
    """What a player sees at a table of hold'em."""

    hand: str
    board: str
    line: str

    @classmethod
    def of(cls, seen: Hashable) -> TableView:
        """What was observed there, in parts."""
        assert isinstance(seen, tuple)
        return cls(*seen)

    @property
    def words(self) -> tuple[str, ...]:
        """What was said and dealt."""
        return tuple(self.line.split(", ")) if self.line else ()


@dataclass(frozen=True)
class Holdem(Game):
    """Hold'em from the first card, no-limit or limit, for 2 to 9 players.

    Chips are big blinds unless ``blinds`` say otherwise. Players are counted from the first to
    act before the flop: heads-up player 0 has the button and the small blind. ``ante`` is paid by
    everybody, ``big_blind_ante`` by the big blind for all; ``straddle`` is a blind of the player
    after it, who then acts last before the flop. ``stack`` is one for all, or one for each.
    Sizes are texts as in a spot, by street with a bar between them ("3x,allin|50%,100%"),
    ``raises`` by the number of raises with a slash ("3x/2.2x,allin"), and both by seat with a
    semicolon ("BTN:2.5bb;3bb"). Without ``limps`` whoever enters the pot raises. ``limit`` has the
    bets before and on the flop, and after it. Odd chips of a tied pot are dealt out where ``chip``
    says which is the smallest. A hand without a flop is free of rake if ``no_flop_no_drop``. With
    ``payouts`` of a
    tournament, what is won is counted in them, by the independent chip model. On streets after
    ``last_street`` cards come and nobody bets.

    >>> table = Holdem(players=3, stack=20)
    >>> state = table.deal("AsAh", "KsKh", "2c7d")
    >>> table.positions[table.turn(state)], table.actions(state)
    ('BTN', ('fold', 'call', 'raise 3.5', 'all-in 20'))
    >>> for action in ("all-in 20", "fold", "call"):
    ...     state = table.next(state, action)
    >>> for card in ("Ad", "Kd", "3c", "4c", "9h"):
    ...     state = table.next(state, card)
    >>> table.payoff(state)
    (20.5, -0.5, -20.0)
    """

    name = "holdem"
    unlisted = True

    players: int = 2
    stack: float | tuple[float, ...] = 100.0
    blinds: tuple[float, float] = (0.5, 1.0)
    ante: float = 0.0
    big_blind_ante: float = 0.0
    straddle: float = 0.0
    bets: str = "100%,allin"
    raises: str = "100%,allin"
    limit: tuple[float, float] | None = None
    cap: int | None = None
    limps: bool = True
    last_street: str = "river"
    chip: float = 0.0
    rake: float = 0.0
    rake_cap: float = float("inf")
    no_flop_no_drop: bool = False
    payouts: float | tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        _ = self.betting, self.prizes

    @cached_property
    def positions(self) -> tuple[str, ...]:
        """The names of the places, by player."""
        return positions(self.players, self.straddle > 0)

    @cached_property
    def streets(self) -> tuple[str, ...]:
        """The rounds of betting."""
        if self.last_street not in STREETS:
            raise ParameterError(
                f"last_street is one of {', '.join(STREETS)}, not {short(self.last_street)}"
            )
        return STREETS[: STREETS.index(self.last_street) + 1]

    @property
    def before_the_flop(self) -> bool:
        """Whether nobody bets after it, so that equities tell what an end is worth."""
        return self.last_street == STREETS[0]

    @cached_property
    def betting(self) -> Betting:
        """The rules of money."""
        n = whole("players", self.players, 2, MOST_PLAYERS)
        small, big = _pair("blinds", self.blinds)
        if not 0 < small <= big:
            raise ParameterError(
                f"blinds are a small and a big one above zero, not {small:g} and {big:g}"
            )
        stacks = self._stacks(n)
        places = self.positions
        posted = [0.0] * n
        posted[places.index("SB")], posted[places.index("BB")] = small, big
        if self.straddle:
            if self.straddle < 2 * big:
                raise ParameterError(f"a straddle is at least two big blinds, {2 * big:g}")
            posted[-1] += self.straddle
            if n < 3:
                raise ParameterError("a straddle is for tables of three and more")
        antes = [positive_or_zero("ante", self.ante)] * n
        antes[places.index("BB")] += positive_or_zero("big_blind_ante", self.big_blind_ante)
        for place, stack, blind, ante in zip(places, stacks, posted, antes, strict=True):
            if stack < blind + ante or not stack > 0:
                raise ParameterError(
                    f"{place} has a stack of {stack:g}, and must pay {blind + ante:g} before the "
                    "first card; give a larger one"
                )
        if self.chip < 0:
            raise ParameterError(f"chip is the smallest one that is used, not {self.chip:g}")
        after = places.index("SB") if n > 2 else 1
        return Betting(
            paid=tuple(blind + ante for blind, ante in zip(posted, antes, strict=True)),
            posted=tuple(posted),
            stacks=tuple(
                stack - blind - ante
                for stack, blind, ante in zip(stacks, posted, antes, strict=True)
            ),
            sizes=self._sizes(stacks, posted),
            first=(0,) + (after,) * (len(STREETS) - 1),
            caps=(self.cap,) * len(STREETS),
            opened=1,
            least=0.0 if self.limit else big,
            rake=Rake(self.rake, self.rake_cap, int(flag("no_flop_no_drop", self.no_flop_no_drop))),
            limps=flag("limps", self.limps),
            fixed=self.limit is not None,
            chip=self.chip or min(chips for chips in (small, big, *antes) if chips),
            odd_chips=self.chip > 0,
            played=len(self.streets),
        )

    @cached_property
    def prizes(self) -> tuple[float, ...]:
        """What the places of a tournament pay, from the first; none where chips are money."""
        if self.payouts is None:
            return ()
        prizes = self.payouts if isinstance(self.payouts, tuple) else (self.payouts,)
        if len(prizes) > self.players:
            raise ParameterError(f"there are {len(prizes)} payouts for {self.players} players")
        prizes = tuple(float(positive("payouts", prize)) for prize in prizes)
        if list(prizes) != sorted(prizes, reverse=True):
            raise ParameterError("payouts begin with the first place, which gets the most")
        return prizes

    def _stacks(self, n: int) -> tuple[float, ...]:
        stacks = self.stack if isinstance(self.stack, tuple) else (self.stack,) * n
        if len(stacks) != n:
            raise ParameterError(f"there are {len(stacks)} stacks for {n} players")
        return tuple(float(positive("stack", stack)) for stack in stacks)

    def _sizes(
        self, stacks: Sequence[float], posted: Sequence[float]
    ) -> tuple[tuple[Sizes, ...], ...]:
        """[player][street] what may be bet; sizes that nobody ever can are refused."""
        if self.limit is not None:
            small, big = (
                Size("by", float(positive("limit", chips))) for chips in _pair("limit", self.limit)
            )
            if self.cap is None:
                object.__setattr__(self, "cap", 4)
            return (tuple(Sizes((s,), (s,)) for s in (small, small, big, big)),) * self.players
        big_blind = float(self.blinds[1])
        found = table_sizes(
            _listed(self.bets), _listed(self.raises), self.positions, self.streets, big_blind
        )
        for own in found:
            for street, sizes in enumerate(own):
                bet, raised = self._smallest(street, sum(posted), max(posted), sorted(stacks)[-2])
                for size in sizes.bets:
                    bet.check("bets", size)
                for size in (*sizes.raises, *chain(*sizes.again)):
                    raised.check("raises", size)
        rest = len(STREETS) - len(self.streets)
        return tuple(own + own[-1:] * rest for own in found)

    def _smallest(
        self, street: int, posted: float, level: float, most: float
    ) -> tuple[_Smallest, _Smallest]:
        """The smallest bet and raise that there may be on a street; the blinds begin the first."""
        big_blind = float(self.blinds[1])
        antes = self.ante * self.players + self.big_blind_ante
        if street == 0:  # where nobody ever bets, as blinds are there
            raised = _Smallest(antes + posted, level, level + big_blind, most)
            return raised._replace(least=0.0), raised
        pot, rest = antes + 2 * level, most - level
        return (
            _Smallest(pot, 0.0, big_blind, rest),
            _Smallest(pot + 2 * big_blind, big_blind, 2 * big_blind, rest),
        )

    @cached_property
    def poker(self) -> PokerGame:
        """The same as a game in ranges: its whole betting tree, and all hands for everybody.

        Chips of a pot that cannot be split are split all the same.

        >>> Holdem(players=3, stack=10).poker
        <PokerGame holdem(players=3,stack=10): BTN, SB and BB, 2,410 nodes of betting>
        """
        betting, chips = build(self.betting), not self.prizes
        if self.prizes and self.players == 2:
            betting = self._in_prizes(betting)
        deal = [after - before for before, after in pairwise((0, *DEALT))]
        hands = np.ones(HOLES)
        return PokerGame(
            name=spec_of(self),
            rules=CardRules(tuple(range(CARDS)), 2, tuple(deal), strengths),
            betting=betting,
            board=(),
            ranges=(hands,) * self.players,
            players=self.positions,
            big_blind=self.blinds[1] if chips else None,
            streets=STREETS,
            prizes=self.prizes if self.players > 2 else (),
            about={"table": spec_of(self), "stacks": list(self._stacks(self.players))},
        )

    def _in_prizes(self, betting: BettingTree) -> BettingTree:
        """The betting of two with its ends counted in payouts."""
        payoff = betting.payoff.copy()
        for node in np.flatnonzero(np.isin(betting.kind, (FOLD, SHOWDOWN))).tolist():
            for case in range(3):
                other = case if betting.kind[node] == FOLD else 2 - case
                won = betting.payoff[node, 0, case], betting.payoff[node, 1, other]
                payoff[node, 0, case], payoff[node, 1, other] = self._worth(won)
        none = np.zeros(0, np.uint32)
        return replace(betting, payoff=payoff, pot=none)

    # The seven methods

    def root(self) -> TableState:
        return TableState((), (), self.betting.root())

    def deal(self, *holes: str) -> TableState:
        """The state after these cards, for the players in their order."""
        state = self.root()
        for hole in holes:
            state = self.next(state, hole)
        return state

    def turn(self, state: TableState) -> int:
        if len(state.holes) < self.players or self._owed(state):
            return CHANCE
        return state.betting.player if state.betting.kind == DECISION else TERMINAL

    def _owed(self, state: TableState) -> bool:
        """Whether cards of the board are to come."""
        return state.betting.kind == DEAL

    def chance(self, state: TableState) -> Even:
        gone = {*state.board, *(card for hole in state.holes for card in hole)}
        left = [card for card in range(CARDS) if card not in gone]
        if len(state.holes) < self.players:
            names, pairs = _hole_names(), _pairs(len(left))
            return Even(len(pairs), lambda k: names[left[pairs[k][0]], left[pairs[k][1]]])
        return Even(len(left), lambda k: card_name(left[k]))

    def actions(self, state: TableState) -> tuple[str, ...]:
        return tuple(self.betting.ways(state.betting))

    def next(self, state: TableState, action: Hashable) -> TableState:
        word = str(action)
        if len(state.holes) < self.players:
            return state._replace(holes=(*state.holes, _cards_of(word)))
        if self._owed(state):
            board = (*state.board, parse_card(word))
            betting = state.betting
            if betting.kind == DEAL and len(board) == DEALT[betting.street + 1]:
                betting = self.betting.ways(betting)[""]
            line = (*state.line, f"[{word}]")
            return TableState(state.holes, board, betting, line)
        ways = self.betting.ways(state.betting)
        after = ways.get(word)
        if after is None:
            chips = self.betting.free(state.betting, word)
            if chips is None:
                raise ParameterError(f"{short(word)} is no move here; there are {', '.join(ways)}")
            after = self.betting.raised(state.betting, chips)
        return TableState(state.holes, state.board, after, (*state.line, word))

    def legal(self, state: TableState, action: Hashable) -> bool:
        """Whether the rules allow a move, be it among the sizes or not."""
        word = str(action)
        return word in self.actions(state) or self.betting.free(state.betting, word) is not None

    def forfeit(self, player: int, state: TableState) -> tuple[float, ...]:
        """What each has won if a player gives up: all it has paid goes to those still in."""
        betting = state.betting
        rest = [p for p in range(self.players) if p != player and not betting.folded >> p & 1]
        paid = self.paid(state)
        share = sum(paid) / len(rest)
        return self._worth([share * (p in rest) - paid[p] for p in range(self.players)])

    def observe(self, state: TableState, player: int) -> Hashable:
        if player >= len(state.holes):
            return None
        return cards_name(state.holes[player]), board_name(state.board), ", ".join(state.line)

    def paid(self, state: TableState) -> list[float]:
        """What each player has put in."""
        betting = state.betting
        return [before + bet for before, bet in zip(betting.before, betting.bets, strict=True)]

    def behind(self, state: TableState) -> list[float]:
        """What each player has left."""
        stacks = self._stacks(self.players)
        return [stack - paid for stack, paid in zip(stacks, self.paid(state), strict=True)]

    def line(self, state: TableState) -> tuple[str, ...]:
        """What was said and dealt, in order: ("raise 3", "call", "[7h]", "[2c]", "[9d]")."""
        return state.line

    def shown(self, state: TableState) -> tuple[str, ...] | None:
        """The hands of those who got to a showdown."""
        if state.betting.kind != SHOWDOWN:
            return None
        return tuple(
            "" if state.betting.folded >> p & 1 else cards_name(hole)
            for p, hole in enumerate(state.holes)
        )

    def payoff(self, state: TableState) -> Sequence[float]:
        strengths = [0] * self.players
        if state.betting.kind == SHOWDOWN:
            strengths = [strength((*hole, *state.board)) for hole in state.holes]
        return self._worth(self.betting.payoffs(state.betting, strengths))

    def _worth(self, won: Sequence[float]) -> tuple[float, ...]:
        """What chips that were won are worth."""
        if not self.prizes:
            return tuple(won)
        before = self._stacks(self.players)
        after = [round(stack + chips, 9) for stack, chips in zip(before, won, strict=True)]
        worth = worth_after(before, after, self.prizes)
        return tuple(x - y for x, y in zip(worth, icm(before, self.prizes), strict=True))


def jam_or_fold(
    stack: float | tuple[float, ...] = 10.0,
    players: int = 2,
    blinds: tuple[float, float] = (0.5, 1.0),
    ante: float = 0.0,
    big_blind_ante: float = 0.0,
    payouts: float | tuple[float, ...] | None = None,
) -> Holdem:
    """Hold'em before the flop in which players go all-in or fold.

    >>> table = jam_or_fold(stack=8)
    >>> table.actions(table.deal("AsAh", "7c2d"))
    ('fold', 'all-in 8')
    """
    return Holdem(
        players, stack, blinds, ante, big_blind_ante, bets="", raises="allin", limps=False,
        last_street="preflop", payouts=payouts,
    )  # fmt: skip


def positive_or_zero(name: str, value: float) -> float:
    """A number of chips from 0 up."""
    return float(positive(name, value)) if value else 0.0


@cache
def _hole_names() -> dict[tuple[int, int], str]:
    return {(low, high): cards_name((high, low)) for low, high in combinations(range(CARDS), 2)}


@cache
def _cards_of(hole: str) -> tuple[int, int]:
    first, second = parse_cards(hole)
    return first, second


@cache
def _pairs(cards: int) -> tuple[tuple[int, int], ...]:
    return tuple(combinations(range(cards), 2))


def _pair(name: str, values: object) -> tuple[float, float]:
    if not isinstance(values, tuple) or len(values) != 2:
        raise ParameterError(f"{name} are two amounts, such as 1+2, not {short(values)}")
    return values


def _listed(sizes: object) -> str:
    """Sizes as text; 50%+allin in a name is a list of them."""
    return ",".join(map(str, sizes)) if isinstance(sizes, tuple) else str(sizes)


class _Smallest(NamedTuple):
    """The least that a size can come to: the pot after calling, what there is to match, limits."""

    pot: float
    level: float
    least: float
    most: float

    def check(self, name: str, size: Size) -> None:
        """Refuse a size that nobody can ever bet.

        One of the pot at most, or of twice a bet, is cut to all-in wherever stacks are short.
        """
        chips = size.reach(self.pot, self.level, self.most, 1)
        usual = size.amount <= {"pot": 100, "times": 2}.get(size.kind, 0)
        if size.kind == "to" and chips < self.least:
            why = f"the least is {self.least:g}"
        elif size.kind in ("all-in", "even") or usual or chips <= self.most:
            return
        else:
            why = f"two players have {self.most:g} to put in at most"
        told = f"{chips:g}" if size.kind == "to" else f"{size} (at least {chips:g})"
        raise ParameterError(f"{name}: nobody can ever put in {told} there, as {why}")
