"""What searches win from the blueprint that they begin with, in the game of the blueprint's bets.

Hands are drawn by the blueprint against itself, as public lines with all hands of both players.
Where the agent begins to search, it is asked what each of its hands does on the street, and what
that wins against the blueprint, beyond what the blueprint itself would, is summed over all hands
and all cards that can come: with the blueprint on later streets at first. Then the street is played
on, the agent by what it found, and on the next one the same is done with what it finds there. The
differences of all streets add up to what the agent wins a hand. A hand that ends before the first
search is worth 0, since the agent has played as the blueprint does. So the mean is that of a match,
and nothing of its spread is left but that of lines and boards.

Small pots matter little: they are searched as often as they are large, and count for the others.

Against somebody else hands are drawn, and summed, by the blueprint in one seat and the other one in
the other: that is what searching wins from them beyond what the blueprint does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

import numpy as np

from counterfold.agent import Agent, Observation, TellsOdds
from counterfold.arrays import Floats
from counterfold.errors import UnsupportedError
from counterfold.games.spec import whole
from counterfold.intervals import Erring
from counterfold.play.certificate import Certificate
from counterfold.play.holdem import HoldemAgent
from counterfold.play.late_response import gain_on
from counterfold.play.lbr import odds_of_all
from counterfold.play.public_lines import Deals, Line, Policy, PublicLines, poker_policy
from counterfold.poker.cards import CARDS, board_name, card_name
from counterfold.poker.game import DEAL, DECISION, PokerGame
from counterfold.poker.table import DEALT, STREETS, Holdem

ALWAYS = 60.0
"""Big blinds: a pot that is always searched."""
RIVERS = 6
"""Times that a hand is played on to its last street, of which the mean counts."""
RUNOUTS = 7
"""Cards drawn on each of two streets to come, of which all together would be too many."""

T = TypeVar("T")
Seats = tuple[T, T]
Search = Callable[[Line, int, int], Policy]
"""What a player does on the street to which a line has come in a hand, by the hand's number."""


@dataclass(frozen=True)
class Mean(Erring):
    """A mean a hand with its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class SearchGain:
    """What searching wins from the blueprint, in chips a hand.

    ``by_street`` has what was won by the search on each street, beyond the blueprint from there
    on: their sum is ``gain``. ``searches`` are the certificates of all that were made.
    """

    hands: int
    searched: int  # hands in which there was a search
    gain: Mean
    by_player: tuple[Mean, Mean]
    by_street: dict[str, Mean]
    searches: tuple[Certificate, ...] = field(repr=False)


def search_gain(
    agent: HoldemAgent,
    hands: int,
    against: Agent | None = None,
    *,
    seed: int = 0,
    on_progress: Callable[[SearchGain, int], None] | None = None,
) -> SearchGain:
    """Draw so many hands of a blueprint, and let the agent search in both seats of each.

    They are drawn against the blueprint itself or against another agent, who tells its odds.
    After KeyboardInterrupt what was drawn counts.
    """
    whole("hands", hands, least=2)
    game, policy = poker_policy(agent.strategy)
    if len(game.ranges) != 2:
        raise UnsupportedError("what searches win is measured for two players")
    agent.begin(agent.own)
    played: Seats[Policy] = (policy, policy)
    if against is not None:
        other = _told_by(against, agent.own, game)
        played = _mixed(game, policy, other), _mixed(game, other, policy)
    lines, coarse = (
        (PublicLines(game, played[0], deals), PublicLines(game, played[1], deals))
        for deals in (None, _some(seed))
    )
    gains = Gains(lines, asking(agent, game), agent.street, coarse, against is None)
    large, won = ALWAYS * agent.own.blinds[1], list[Floats]()
    made: list[list[Certificate]] = []
    for n in range(hands):
        try:
            found = gains.drawn(np.random.default_rng([seed, n]), n, large)
            if on_progress and n > 1:
                on_progress(_told(won, made), hands)
        except KeyboardInterrupt:
            if n < 2:
                raise
            break
        won.append(found)
        made.append(agent.searches(n))
    return _told(won, made)


def _told(won: list[Floats], made: list[list[Certificate]]) -> SearchGain:
    """From the gains [players, streets] and the searches of each hand."""
    every, certificates = np.stack(won), [one for some in made for one in some]

    def mean(each: Floats) -> Mean:
        return Mean(float(each.mean()), float(each.std(ddof=1)) / math.sqrt(len(each)))

    first, second = (mean(each) for each in every.sum(2).T)
    streets = {
        STREETS[street]: mean(each)
        for street, each in enumerate(every.mean(1).T)
        if any(one.street == STREETS[street] for one in certificates)
    }
    searched = sum(map(bool, made))
    total = mean(every.mean(1).sum(1))
    return SearchGain(len(won), searched, total, (first, second), streets, tuple(certificates))


class Gains:
    """Hands of a strategy, and what another one wins more than it in either seat.

    The other is the same up to a street; ``search`` says what it does on each street from there on.
    ``lines`` are by seat: the strategy sits there, and in the other seat its opponent. If that is
    the same strategy (``alike``), a line serves both seats.
    """

    def __init__(
        self,
        lines: Seats[PublicLines],
        search: Search,
        street: int,
        coarse: Seats[PublicLines] | None = None,
        alike: bool = True,
    ) -> None:
        self.lines, self.search, self.street = lines, search, street
        self.coarse = coarse or lines  # where two streets are to come
        self.alike = alike

    def drawn(self, rng: np.random.Generator, hand: int, large: float = 0.0) -> Floats:
        """[players, streets] of one hand; of a pot that is not so large, as often as its share."""
        found = np.zeros((2, self.lines[0].tree.streets))
        for me in (0, 1):
            if me == 0 or not self.alike:
                line, share = self._arrived(self.lines[me], rng, large)
            if line is not None:
                self._played(line, me, hand, rng, found[me], 1 / share)
        return found

    def _arrived(
        self, lines: PublicLines, rng: np.random.Generator, large: float
    ) -> tuple[Line | None, float]:
        """A line to the street and how likely it is looked at; None if it is not."""
        line: Line | None = lines.root()
        while line is not None and lines.street(line) < self.street:
            line = lines.next_street(line, rng)
        if line is None:
            return None, 1.0
        share = min(1.0, float(lines.tree.paid[line.node].sum()) / large) if large else 1.0
        return (line if rng.random() < share else None), share

    def _played(
        self, line: Line, me: int, hand: int, rng: np.random.Generator, found: Floats, share: float
    ) -> None:
        """Add up what a player wins on each street, and play on."""
        lines = self.lines[me]
        street = lines.street(line)
        if lines.tree.kind[line.node] != DECISION:
            return  # both are all-in
        policy = self.search(line, me, hand)
        summed = self.coarse[me] if street + 2 < lines.tree.streets else lines
        found[street] += share * gain_on(summed, line, me, _responding(lines, policy, street))
        mixed = (policy, lines.policy) if me == 0 else (lines.policy, policy)
        times = RIVERS if street + 2 == lines.tree.streets else 1
        for _ in range(times):
            after = lines.next_street(line, rng, mixed)
            if after is not None:
                self._played(after, me, hand, rng, found, share / times)


def _responding(
    lines: PublicLines, policy: Policy, street: int
) -> Callable[[int, tuple[int, ...], Floats], Floats]:
    """A policy on a street, and the strategy on later ones."""

    def respond(node: int, board: tuple[int, ...], values: Floats) -> Floats:
        own = policy if lines.tree.street[node] == street else lines.policy
        return np.asarray((own(node, board) * values).sum(0))

    return respond


def _told_by(agent: Agent, table: Holdem, game: PokerGame) -> Policy:
    """What all hands of an agent do, who is asked at a table."""
    if not isinstance(agent, TellsOdds):
        raise UnsupportedError(f"{agent.name or 'an agent'} does not tell how often it does what")
    agent.begin(table)
    tree, none = game.betting, np.zeros(game.rules.holes)

    def policy(node: int, board: tuple[int, ...]) -> Floats:
        said, names = ", ".join(_words(game, node, board)), tree.actions(node)
        seen = ("", board_name(board), said)
        told = odds_of_all(agent, Observation(int(tree.player[node]), seen, names))
        return np.stack([told.get(name, none) for name in names])

    return lru_cache(256)(policy)


def _mixed(game: PokerGame, first: Policy, second: Policy) -> Policy:
    """What is done where each of two plays in one seat."""
    player = game.betting.player
    return lambda node, board: (second if player[node] else first)(node, board)


def asking(agent: HoldemAgent, game: PokerGame) -> Search:
    """The agent's searches: it is asked at its decisions on a street, and one search answers."""
    tree, none = game.betting, np.zeros(game.rules.holes)

    def asked(node: int, board: tuple[int, ...], me: int, hand: int) -> Floats:
        said, names = ", ".join(_words(game, node, board)), tree.actions(node)
        told = agent.odds_of_all(Observation(me, ("", board_name(board), said), (), hand))
        if not set(told) <= set(names):
            raise UnsupportedError(
                f"{agent.name} bets what its blueprint does not know after {said!r}, which has no "
                "value in the blueprint's game"
            )
        return np.stack([told.get(name, none) for name in names])

    def search(line: Line, me: int, hand: int) -> Policy:
        found, nodes = dict[int, Floats](), [line.node]
        for node in nodes:  # the first decision first, as in play
            if tree.kind[node] == DECISION:
                nodes.extend(tree.children(node))
                if tree.player[node] == me:
                    found[node] = asked(node, line.board, me, hand)
        return lambda node, board: found[node]

    return search


def _words(game: PokerGame, node: int, board: tuple[int, ...]) -> list[str]:
    """What was said and dealt on the way to a node."""
    tree, words = game.betting, list[str]()
    while node > 0:
        before = int(tree.parent[node])
        if tree.kind[before] == DEAL:
            street = int(tree.street[node])
            cards = board[DEALT[street - 1] : DEALT[street]]
            words += [f"[{card_name(card)}]" for card in reversed(cards)]
        else:
            words.append(tree.label[node])
        node = before
    return words[::-1]


def _some(seed: int) -> Deals:
    """A few cards for each board, the same whenever they are asked for."""

    def deals(board: tuple[int, ...], count: int) -> list[tuple[int, ...]]:
        rng = np.random.default_rng([seed, *board])
        left = [card for card in range(CARDS) if card not in board]
        return [(int(card),) for card in rng.permutation(left)[:RUNOUTS]]

    return deals
