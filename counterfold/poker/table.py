"""A table of hold'em for two to nine players, from the first card: its rules as a game."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from math import comb
from typing import NamedTuple

from counterfold.errors import ParameterError, short
from counterfold.games.base import CHANCE, TERMINAL, Game
from counterfold.games.spec import flag, positive, whole
from counterfold.poker.cards import (
    CARDS,
    board_name,
    card_name,
    cards_name,
    parse_card,
    parse_cards,
)
from counterfold.poker.game import DEAL, DECISION, SHOWDOWN
from counterfold.poker.icm import icm, worth_after
from counterfold.poker.money import Betting, Rake, State
from counterfold.poker.showdown import strength
from counterfold.poker.sizes import Size, Sizes, parse_sizes

__all__ = ["POSITIONS", "STREETS", "Holdem", "TableState", "positions"]

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


@dataclass(frozen=True)
class Holdem(Game):
    """Hold'em from the first card, no-limit or limit, for 2 to 9 players.

    Chips are big blinds unless ``blinds`` say otherwise. Players are counted from the first to
    act before the flop: heads-up player 0 has the button and the small blind. ``ante`` is paid by
    everybody, ``big_blind_ante`` by the big blind for all; ``straddle`` is a blind of the player
    after it, who then acts last before the flop. ``stack`` is one for all, or one for each.
    Sizes are texts as in a spot, by street with a bar between them ("3x,allin|50%,100%"), and
    ``raises`` by the number of raises with a slash ("3x/2.2x,allin"). Without ``limps`` whoever
    enters the pot raises. ``limit`` has the bets before and on the flop, and after it. Odd chips
    of a tied pot are dealt out where ``chip`` says which is the smallest. With ``payouts`` of a
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

    @cached_property
    def betting(self) -> Betting:
        """The rules of money."""
        n = whole("players", self.players, 2, MOST_PLAYERS)
        small, big = _pair("blinds", self.blinds)
        if not 0 <= small <= big or not big > 0:
            raise ParameterError(f"blinds are a small and a big one, not {small:g} and {big:g}")
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
            sizes=(self._sizes(),) * n,
            first=(0,) + (after,) * (len(self.streets) - 1),
            caps=(self.cap,) * len(self.streets),
            opened=1,
            least=0.0 if self.limit else big,
            rake=Rake(self.rake, self.rake_cap),
            limps=flag("limps", self.limps),
            fixed=self.limit is not None,
            chip=self.chip or min(chips for chips in (small, big, *antes) if chips),
            odd_chips=self.chip > 0,
        )

    @cached_property
    def prizes(self) -> tuple[float, ...]:
        """What the places of a tournament pay, from the first; none where chips are money."""
        if self.payouts is None:
            return ()
        prizes = self.payouts if isinstance(self.payouts, tuple) else (self.payouts,)
        if len(prizes) > self.players:
            raise ParameterError(f"there are {len(prizes)} payouts for {self.players} players")
        if list(prizes) != sorted(prizes, reverse=True):
            raise ParameterError("payouts begin with the first place, which gets the most")
        return tuple(float(positive("payouts", prize)) for prize in prizes)

    def _stacks(self, n: int) -> tuple[float, ...]:
        stacks = self.stack if isinstance(self.stack, tuple) else (self.stack,) * n
        if len(stacks) != n:
            raise ParameterError(f"there are {len(stacks)} stacks for {n} players")
        return tuple(float(positive("stack", stack)) for stack in stacks)

    def _sizes(self) -> tuple[Sizes, ...]:
        if self.limit is not None:
            small, big = (
                Size("by", float(positive("limit", chips))) for chips in _pair("limit", self.limit)
            )
            if self.cap is None:
                object.__setattr__(self, "cap", 4)
            return tuple(Sizes((s,), (s,)) for s in (small, small, big, big)[: len(self.streets)])
        bets, raises = (_by_street(str(text), self.streets) for text in (self.bets, self.raises))
        found = []
        for bet, levels in zip(bets, raises, strict=True):
            first, *again = [parse_sizes(level) for level in levels.split("/")]
            found.append(Sizes(parse_sizes(bet), first, again=tuple(again)))
        return tuple(found)

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
        """Whether cards of the board are to come, the last ones too where nobody has folded."""
        betting = state.betting
        if betting.kind == DEAL:
            return True
        return betting.kind == SHOWDOWN and len(state.board) < DEALT[-1]

    def chance(self, state: TableState) -> list[tuple[str, float]]:
        gone = {*state.board, *(card for hole in state.holes for card in hole)}
        left = [card for card in range(CARDS) if card not in gone]
        if len(state.holes) < self.players:
            names, share = _hole_names(), 1 / comb(len(left), 2)
            return [(names[hole], share) for hole in combinations(left, 2)]
        return [(card_name(card), 1 / len(left)) for card in left]

    def actions(self, state: TableState) -> tuple[str, ...]:
        return tuple(name for name, _ in self.betting.moves(state.betting))

    def next(self, state: TableState, action: Hashable) -> TableState:
        word = str(action)
        if len(state.holes) < self.players:
            first, second = parse_cards(word)
            return state._replace(holes=(*state.holes, (first, second)))
        if self._owed(state):
            board = (*state.board, parse_card(word))
            betting = state.betting
            if betting.kind == DEAL and len(board) == DEALT[betting.street + 1]:
                betting = self.betting.moves(betting)[0][1]
            line = (*state.line, f"[{word}]")
            return TableState(state.holes, board, betting, line)
        moves = dict(self.betting.moves(state.betting))
        return state._replace(betting=moves[word], line=(*state.line, word))

    def observe(self, state: TableState, player: int) -> Hashable:
        if player >= len(state.holes):
            return None
        return cards_name(state.holes[player]), board_name(state.board), ", ".join(state.line)

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
        won = self.betting.payoffs(state.betting, strengths)
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


def _pair(name: str, values: object) -> tuple[float, float]:
    if not isinstance(values, tuple) or len(values) != 2:
        raise ParameterError(f"{name} are two amounts, such as 1+2, not {short(values)}")
    return values


def _by_street(text: str, streets: Sequence[str]) -> list[str]:
    parts = text.split("|")
    if len(parts) > len(streets):
        raise ParameterError(f"{short(text)} has sizes for more streets than {len(streets)}")
    return [parts[min(k, len(parts) - 1)] for k in range(len(streets))]
