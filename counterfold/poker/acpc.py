"""Hold'em as the Annual Computer Poker Competition writes it: games, states and hands as text.

A state is ``MATCHSTATE:1:30:cr300c/cr900:|JdTc/2d3d4c``: the position of who reads it, the number
of the hand, the betting and the cards. A raise tells all that its player has put in since the hand
began. Positions count from the small blind on, heads-up from the big one ("reverse blinds").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from counterfold.errors import FileError, ParameterError, short
from counterfold.poker.cards import cards_name, parse_cards
from counterfold.poker.game import DEAL, DECISION
from counterfold.poker.money import State
from counterfold.poker.table import DEALT, Holdem

_TOKEN = re.compile(r"f|c|r\d*|/")
_CARDS = re.compile(r"(?:[2-9TJQKA][cdhs])*")
_MOST_CHIPS = 2**31 - 1
_SHAPE = {"numSuits": "4", "numRanks": "13", "numHoleCards": "2", "numBoardCards": "0 3 1 1"}


class Heard(NamedTuple):
    """What a state tells: who reads it as which player, what was said and dealt, and the cards."""

    player: int
    hand: int
    line: tuple[str, ...]
    holes: tuple[str, ...]  # by player; "" where they are not seen
    board: str
    betting: State
    ended: bool  # nobody is to act, and no card is to come

    @property
    def seen(self) -> tuple[str, str, str]:
        """What the rules of the table let the player see."""
        return self.holes[self.player], self.board, ", ".join(self.line)


@dataclass(frozen=True)
class Notation:
    """A table in the words of the protocol, in whole chips.

    ``first`` is the position that acts first before the flop.

    >>> notation = Notation.of(Holdem(stack=20000.0, blinds=(50.0, 100.0)))
    >>> heard = notation.read("MATCHSTATE:0:7:r300c/cr900:2h2c|/2d3d4c")
    >>> heard.player, heard.seen
    (1, ('2h2c', '2d 3d 4c', 'raise 300, call, [2d], [3d], [4c], check, bet 600'))
    >>> notation.betting(heard.line), notation.token(heard.betting, "raise 1400")
    ('r300c/cr900', 'r1700')
    """

    table: Holdem
    first: int

    @classmethod
    def of(cls, table: Holdem) -> Notation:
        """As the competition seats the players of a table; any whole number of chips is a bet."""
        unusual = table.ante or table.big_blind_ante or table.straddle or table.prizes or table.rake
        chips = (*table.betting.stacks, *table.betting.posted, *(table.limit or ()))
        if unusual or table.last_street != "river" or not table.limps:
            raise ParameterError(
                "the competition's protocol knows blinds and stacks only: no antes, straddles, "
                "rake, payouts or missing streets"
            )
        if any(amount != int(amount) or amount > _MOST_CHIPS for amount in chips):
            raise ParameterError(
                "the competition's protocol counts in whole chips; give blinds such as 50+100 and "
                "stacks to go with them"
            )
        return cls(replace(table, chip=1.0), 1 if table.players == 2 else 2)

    def position(self, player: int) -> int:
        """Where a player sits."""
        return (player + self.first) % self.table.players

    def by_position(self, of_players: Sequence[object]) -> str:
        """One thing for each player, in the order of positions."""
        count = self.table.players
        return "|".join(str(of_players[(at - self.first) % count]) for at in range(count))

    @cached_property
    def game(self) -> str:
        """The definition of the game."""
        table, count = self.table, self.table.players
        posted = [round(chips) for chips in table.betting.posted]
        stacks = [round(a + b) for a, b in zip(table.betting.stacks, posted, strict=True)]
        later = self.position(table.betting.first[-1]) + 1
        told = {
            "numPlayers": str(count),
            "numRounds": "4",
            "stack": self.by_position(stacks).replace("|", " "),
            "blind": self.by_position(posted).replace("|", " "),
            "firstPlayer": f"{self.first + 1} {later} {later} {later}",
            **_SHAPE,
        }
        if table.limit is not None:
            small, big = map(round, table.limit)
            cap = table.betting.caps[0] or 0
            told["raiseSize"] = f"{small} {small} {big} {big}"
            told["maxRaises"] = f"{cap - 1} {cap} {cap} {cap}"
            del told["stack"]
        kind = "nolimit" if table.limit is None else "limit"
        lines = [f"{key} = {value}" for key, value in told.items()]
        return "\n".join(["GAMEDEF", kind, *lines, "END GAMEDEF"]) + "\n"

    # From our words to theirs

    def betting(self, line: Sequence[str]) -> str:
        """The betting of a line of words, in which cards stand in brackets."""
        state, text, cards = self.table.betting.root(), "", 0
        for word in line:
            if word.startswith("["):
                cards += 1
                if cards == DEALT[state.street + 1]:
                    state, text = self.table.betting.moves(state)[0][1], text + "/"
            else:
                text += self.token(state, word)
                state = self.after(state, word)
        return text

    def token(self, state: State, word: str) -> str:
        """An action."""
        verb, _, chips = word.partition(" ")
        if verb in ("fold", "check", "call"):
            return "f" if verb == "fold" else "c"
        if self.table.limit is not None:
            return "r"
        return f"r{round(state.before[state.player] + float(chips))}"

    def after(self, state: State, word: str) -> State:
        """The betting after an action that the rules allow."""
        moves = self.table.betting.ways(state)
        if word in moves:
            return moves[word]
        chips = self.table.betting.free(state, word)
        if chips is None:
            raise ParameterError(f"{short(word)} is not allowed, where there are {list(moves)}")
        return self.table.betting.raised(state, chips)

    def tell(self, player: int, hand: int, line: Sequence[str], holes: Sequence[str]) -> str:
        """A state for a player who sees these holes."""
        told = f"{self.position(player)}:{hand}:{self.betting(line)}"
        return f"MATCHSTATE:{told}:{self.cards(line, holes)}"

    def cards(self, line: Sequence[str], holes: Sequence[str]) -> str:
        """Holes by position, then the board street by street."""
        board = [word[1:-1] for word in line if word.startswith("[")]
        streets = [board[low:high] for low, high in pairwise(DEALT)]
        return "/".join([self.by_position(holes), *("".join(cards) for cards in streets if cards)])

    # From theirs to ours

    def word(self, state: State, token: str) -> str:
        """An action in our words; ParameterError where the rules do not allow it."""
        moves = [name for name, _ in self.table.betting.moves(state)]
        verbs = {"f": ("fold",), "c": ("check", "call"), "r": ("bet", "raise", "all-in")}
        kind, amount = token[:1], token[1:]
        fitting = [name for name in moves if name.partition(" ")[0] in verbs.get(kind, ())]
        if kind in ("f", "c") and not amount and fitting:
            return fitting[0]
        if kind == "r" and self.table.limit is not None and not amount and fitting:
            return fitting[0]
        if kind == "r" and self.table.limit is None and amount.isdigit() and len(amount) < 11:
            bounds = self.table.betting.bounds(state)
            chips = int(amount) - state.before[state.player]
            if bounds is not None and bounds[0] <= chips <= bounds[1]:
                return self.table.betting.name(state, chips)
        raise ParameterError(f"{short(token)} is not allowed{self._allowed(state)}")

    def _allowed(self, state: State) -> str:
        tokens = {self.token(state, name)[0] for name, _ in self.table.betting.moves(state)}
        bounds = self.table.betting.bounds(state)
        if bounds is None or self.table.limit is not None:
            return f"; there are {', '.join(sorted(tokens))}"
        low, high = (round(state.before[state.player] + chips) for chips in bounds)
        return f"; there are {', '.join(sorted(tokens - {'r'}))} and r{low} to r{high}"

    def read(self, text: str) -> Heard:
        """A state that a dealer has sent."""
        parts = text.strip().split(":")
        if len(parts) < 5 or parts[0] != "MATCHSTATE":
            raise ParameterError(f"{short(text)} is no state of a match")
        place, hand, betting, cards = parts[1:5]
        if not (place.isdigit() and int(place) < self.table.players and hand.isdigit()):
            raise ParameterError(f"{short(text)} names no position at this table, or no hand")
        player = (int(place) - self.first) % self.table.players
        return self.hand(player, int(hand), betting, cards)

    def hand(self, player: int, number: int, betting: str, cards: str) -> Heard:
        """What betting and cards tell, checked by the rules."""
        count = self.table.players
        private, *streets = cards.split("/")
        given = private.split("|")
        sizes = [2 * (high - low) for low, high in pairwise(DEALT)]
        good = len(given) == count and all(len(hole) in (0, 4) for hole in given)
        good &= [len(street) for street in streets] == sizes[: len(streets)]
        if not (good and all(_CARDS.fullmatch(part) for part in (*given, *streets))):
            raise ParameterError(f"{short(cards)} are no cards of {count} players at hold'em")
        holes = tuple(_hole(given[self.position(p)]) for p in range(count))
        board = "".join(streets)
        every = [text[k : k + 2] for text in (board, *holes) for k in range(0, len(text), 2)]
        if len(set(every)) != len(every):
            raise ParameterError(f"{short(cards)} has a card twice")
        line, state, dealt = self._line(betting, streets)
        ended = state.kind not in (DEAL, DECISION)
        names = " ".join(cards_name(parse_cards(card)) for card in dealt)
        return Heard(player, number, line, holes, names, state, ended)

    def _line(self, betting: str, streets: list[str]) -> tuple[tuple[str, ...], State, list[str]]:
        """What was said and dealt, the betting after it, and the board so far."""
        tokens = _TOKEN.findall(betting)
        if "".join(tokens) != betting:
            raise ParameterError(f"{short(betting)} is no betting of this protocol")
        state, words, dealt = self.table.betting.root(), list[str](), list[str]()
        for token in tokens:
            if token == "/":
                if state.kind != DEAL or not streets:
                    raise ParameterError(f"{short(betting)} ends a street too early")
                cards = [streets[0][k : k + 2] for k in range(0, len(streets[0]), 2)]
                streets = streets[1:]
                dealt += cards
                words += [f"[{card}]" for card in cards]
                state = self.table.betting.moves(state)[0][1]
                continue
            if state.kind != DECISION:
                raise ParameterError(f"{short(betting)} goes on where nobody is to act")
            words.append(self.word(state, token))
            state = self.after(state, words[-1])
        return tuple(words), state, dealt


def _hole(cards: str) -> str:
    """Two cards in the order in which we name them."""
    if not cards:
        return ""
    low, high = sorted(parse_cards(cards))
    return cards_name((high, low))


def parse_game(text: str, source: str = "the game") -> Notation:
    """A table from the definition of its game, as ``holdem.nolimit.2p.reverse_blinds.game``.

    >>> parse_game(GAMES["holdem.limit.2p.reverse_blinds.game"]).table.limit
    (10.0, 20.0)
    """
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    if len(lines) < 2 or lines[0].upper() != "GAMEDEF" or lines[-1].upper() != "END GAMEDEF":
        raise FileError(f"{source} does not begin with GAMEDEF and end with END GAMEDEF")
    told, kind = dict[str, str](), ""
    for line in lines[1:-1]:
        key, equals, value = line.partition("=")
        if equals:
            told[key.strip().lower()] = " ".join(value.split())
        else:
            kind = line.lower()
    if kind not in ("limit", "nolimit"):
        raise FileError(f"{source} is neither limit nor nolimit")
    for key, value in {**_SHAPE, "numRounds": "4"}.items():
        if told.get(key.lower(), value) != value:
            raise FileError(f"{source} is not hold'em: its {key} is {short(told[key.lower()])}")
    return _table(kind, told, source)


def _table(kind: str, told: dict[str, str], source: str) -> Notation:
    def numbers(key: str, count: int) -> list[int]:
        words = told.get(key.lower(), "").split()
        if len(words) != count or not all(word.isdigit() and len(word) < 11 for word in words):
            raise FileError(f"{source} needs {count} whole numbers for {key}")
        return [int(word) for word in words]

    (count,) = numbers("numPlayers", 1)
    if not 2 <= count <= 9:
        raise FileError(f"{source} is for {count} players; there are tables for 2 to 9")
    posted, first = numbers("blind", count), numbers("firstPlayer", 4)[0] - 1
    if sorted(posted)[:-2] != [0] * (count - 2) or not 0 <= first < count:
        raise FileError(f"{source} has other blinds than a small and a big one")
    blinds = (float(sorted(posted)[-2]), float(max(posted)))
    limit, cap = None, None
    if kind == "limit":
        sizes, raises = numbers("raiseSize", 4), numbers("maxRaises", 4)
        if sizes != [sizes[0]] * 2 + [sizes[3]] * 2 or raises[1:] != [raises[0] + 1] * 3:
            raise FileError(f"{source} has raises that change otherwise than in limit hold'em")
        limit, cap = (float(sizes[0]), float(sizes[3])), raises[1]
        stacks = (float(1 + raises[1]) * 2 * sum(sizes),) * count
    else:
        by_position = numbers("stack", count)
        stacks = tuple(float(by_position[(p + first) % count]) for p in range(count))
    stack = stacks if len(set(stacks)) > 1 else stacks[0]
    table = Holdem(count, stack, blinds, limit=limit, cap=cap, chip=1.0)
    notation = Notation(table, first)
    if notation.by_position([round(chips) for chips in table.betting.posted]) != "|".join(
        map(str, posted)
    ):
        raise FileError(f"{source} seats the blinds otherwise than hold'em does")
    return notation


def _standard() -> dict[str, str]:
    made = {}
    for players, name in ((2, "2p.reverse_blinds"), (3, "3p")):
        limit = Holdem(players, 480.0, (5.0, 10.0), limit=(10.0, 20.0), cap=4)
        free = Holdem(players, 20000.0, (50.0, 100.0))
        made[f"holdem.limit.{name}.game"] = Notation.of(limit).game
        made[f"holdem.nolimit.{name}.game"] = Notation.of(free).game
    return made


GAMES = _standard()
"""The four games of the competitions, by the names of their files."""
