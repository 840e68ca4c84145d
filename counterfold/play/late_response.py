"""Best responses from a street on: the strategy is played to the street, and answered exactly.

The response plays as the strategy does before the street, and from there on what is best against
what the other may hold, over all cards that can come. What it gains is a lower bound on
exploitability, since a best response may leave the strategy earlier. Lines and boards up to the
street are drawn by how often they come: each is answered exactly, so that nothing but the draw is
left to chance, and no maximum is taken over anything that was drawn. The mean is that of the gain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from counterfold.arrays import Floats
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.games.spec import whole
from counterfold.intervals import Erring
from counterfold.play.public_lines import Line, PublicLines, Respond, poker_policy
from counterfold.strategy.strategy import Strategy


@dataclass(frozen=True)
class LateResponse(Erring):
    """What a best response from a street on gains, in the game's units a hand.

    ``gain`` is over both players (half of what they gain together), with its standard error; it
    bounds exploitability from below. ``reached`` is the share of drawn lines that came so far.
    """

    street: int
    boards: int
    gain: float
    error: float
    by_player: tuple[float, float]
    reached: float


def late_response(
    strategy: Strategy,
    street: int,
    boards: int,
    *,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> LateResponse:
    """Draw so many lines with their boards, and answer the strategy from a street on.

    Each is answered for both players. From the first street on there is nothing to draw, and the
    gain is the exploitability itself.

    >>> import counterfold as cf
    >>> from counterfold.poker.holdem import leduc
    >>> uniform = cf.Strategy.uniform(leduc())
    >>> round(late_response(uniform, 0, 2).gain - cf.exploitability(uniform), 6)
    0.0
    """
    game, policy = poker_policy(strategy)
    if len(game.ranges) != 2:
        raise UnsupportedError("best responses from a street on are for two players")
    whole("boards", boards, least=2)
    if not 0 <= street < game.betting.streets:
        raise ParameterError(f"{game.name} has {game.betting.streets} streets")
    lines = PublicLines(game, policy)
    rng, gains, reached = np.random.default_rng(seed), [], 0
    for n in range(boards):
        try:
            line: Line | None = lines.root()
            while line is not None and lines.street(line) < street:
                line = lines.next_street(line, rng)
            found = (0.0, 0.0) if line is None else best_gains(lines, line, street)
            if on_progress:
                on_progress(n + 1, boards)
        except KeyboardInterrupt:
            if n < 2:
                raise
            break
        reached += line is not None
        gains.append(found)
    each = np.array(gains)
    both = each.mean(1)
    first, second = each.mean(0).tolist()
    error = float(both.std(ddof=1)) / math.sqrt(len(both))
    return LateResponse(
        street, len(both), float(both.mean()), error, (first, second), reached / len(both)
    )


def best_gains(lines: PublicLines, line: Line, street: int) -> tuple[float, float]:
    """What each player gains on a line by what is best from a street on."""
    tree, policy = lines.tree, lines.policy

    def respond(node: int, board: tuple[int, ...], values: Floats) -> Floats:
        if tree.street[node] >= street:
            return np.asarray(values.max(0))
        return np.asarray((policy(node, board) * values).sum(0))

    first, second = (gain_on(lines, line, me, respond) for me in (0, 1))
    return max(first, 0.0), max(second, 0.0)


def gain_on(lines: PublicLines, line: Line, me: int, respond: Respond) -> float:
    """What a response wins more than the strategy where a line has come to, a hand there."""
    values = lines.value(line.node, line.board, line.reach[1 - me], me, respond)
    return float(line.reach[me] @ (values[0] - values[-1])) / line.mass
