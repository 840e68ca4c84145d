"""A table with cards and chips, as the person at it sees it: of hold'em, spots and small poker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from counterfold.files.text import Json
from counterfold.games.base import TERMINAL, State
from counterfold.games.betting import LimitPoker
from counterfold.play.human import Sitting
from counterfold.poker.rules import PokerRules
from counterfold.poker.table import Holdem

__all__ = ["felt_of"]


@dataclass
class Seat:
    """A place at the table; cards are None where they are hidden."""

    name: str
    who: str
    cards: list[str] | None
    bet: float
    behind: float | None
    folded: bool
    said: str = ""
    acts: bool = False


def felt_of(sitting: Sitting, player: int, who: Sequence[str]) -> Json | None:
    """Cards and chips of the hand in play, or of the last one; None where a game has none.

    ``who`` sits in each place; the person's place comes first.
    """
    game, here = sitting.game, sitting.here
    seen = sitting.view(player)
    if not isinstance(seen, tuple):
        return None
    if isinstance(game, PokerRules | Holdem):
        board = str(seen[1]).split()
        words: Sequence[str] = game.line(here)
        seats = _spot(game, here, who) if isinstance(game, PokerRules) else _table(game, here, who)
    elif isinstance(game, LimitPoker):
        seats, board, words = _limit(game, here, who, seen)
    else:
        return None
    turn = int(game.turn(here))
    shown = game.shown(here) if turn == TERMINAL else None
    for place, seat in enumerate(seats):
        cards = str(seen[0]) if place == player else str(shown[place]) if shown else ""
        seat.cards = _cut(cards) if cards else None
    said = _said(sitting, words)
    for place, word in said.items():
        seats[place].said = word
    if turn >= 0:
        seats[turn].acts = True
    return {
        "board": board,
        "pot": float(sum(_paid(game, here))),
        "line": list(words),
        "seats": [asdict(seats[(player + k) % len(seats)]) for k in range(len(seats))],
    }


def _cut(cards: str) -> list[str]:
    """Cards of a hand one by one; those of small games have no suit."""
    return [cards[k : k + 2] for k in range(0, len(cards), 2)] if len(cards) > 2 else [cards]


def _paid(game: PokerRules | Holdem | LimitPoker, here: State) -> Sequence[float]:
    if isinstance(game, LimitPoker):
        return list(game._betting.paid[here[1]])
    return game.paid(here)


def _spot(game: PokerRules, here: State, who: Sequence[str]) -> list[Seat]:
    betting, node = game.betting, int(here[2])
    first = node  # of the street
    while first > 0 and betting.street[int(betting.parent[first])] == betting.street[node]:
        first = int(betting.parent[first])
    before = betting.paid[first] if first or game.poker.board else betting.paid[first] * 0
    bets, behind = betting.paid[node] - before, game.poker.behind(node)
    folded = int(betting.folded[node])
    return [
        Seat(name, who[p], None, float(bets[p]), float(behind[p]), bool(folded >> p & 1))
        for p, name in enumerate(game.poker.players)
    ]


def _table(game: Holdem, here: State, who: Sequence[str]) -> list[Seat]:
    state, stacks = here.betting, game._stacks(game.players)
    paid = _paid(game, here)
    return [
        Seat(name, who[p], None, float(state.bets[p]), stacks[p] - paid[p],
             bool(state.folded >> p & 1))
        for p, name in enumerate(game.positions)
    ]  # fmt: skip


def _limit(
    game: LimitPoker, here: State, who: Sequence[str], seen: tuple[object, ...]
) -> tuple[list[Seat], list[str], Sequence[str]]:
    paid, left = _paid(game, here), game._betting.left[here[1]]
    seats = [
        Seat(f"player {p + 1}", who[p], None, float(paid[p]), None, p not in left)
        for p in range(len(paid))
    ]
    rounds = [str(part).split() for part in (seen[1], *seen[3:4])]
    board = [str(card) for card in seen[2:3]]
    words = [*rounds[0], *(f"[{card}]" for card in board), *(rounds[1] if len(rounds) > 1 else ())]
    return seats, board, words


def _said(sitting: Sitting, words: Sequence[str]) -> dict[int, str]:
    """What each did last on this street."""
    count = 0
    for word in reversed(words):
        if word.startswith("["):
            break
        count += 1
    moves = sitting.moves()
    return {move.player: move.action for move in (moves[-count:] if count else [])}
