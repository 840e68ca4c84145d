"""Online CFR's experiment 2: each learner against each other, beside the paper's table 1.

A match has 1,500 hands, as in the paper. There are 10,000 matches a pair, which makes intervals
about as wide as the paper's (whole matches have a standard deviation of 0.04 a hand).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from itertools import combinations
from typing import Unpack

from counterfold.files.text import Json
from counterfold.games.spec import whole
from counterfold.pieces.store import Store
from counterfold.play.score import Estimate
from counterfold.play.series import match_seed
from counterfold.research.ocfr.curves import GAME, LEARNERS, How, Meeting, Work
from counterfold.research.results import Result, estimate, plain

HANDS = 1500
"""Of a match of the paper; where they are others, winners are not compared."""
PAPER = ("DBBR-WS", "MCCFR-os", "Q-learning", "Sarsa", "seOCFR", "deOCFR")
"""The learners as the paper names them."""
FITTED = ("dbbr-ws", "mccfr-os", "q(explore=0.4)", "sarsa(explore=0.5)", "seocfr-iw", "deocfr")
"""The six with which table 1 came out most alike, of all that was tried."""
TABLE_1 = (
    (0.0, -0.012, -0.005, -0.004, -0.007, -0.038),
    (0.012, 0.0, 0.053, 0.088, -0.003, -0.009),
    (0.005, -0.053, 0.0, 0.009, -0.066, -0.068),
    (0.004, -0.088, -0.009, 0.0, -0.094, -0.098),
    (0.007, 0.003, 0.066, 0.094, 0.0, -0.005),
    (0.038, 0.009, 0.068, 0.098, 0.005, 0.0),
)
"""The paper's table 1: what the row won from the column a hand; intervals of 0.0006 to 0.0009."""


@dataclass(frozen=True)
class Table:
    """What each agent (row) won a hand from each other (column); the paper's six come first."""

    agents: tuple[str, ...]
    cells: dict[tuple[int, int], Estimate] = field(repr=False)
    hands: int = HANDS

    def cell(self, row: int, column: int) -> Estimate | None:
        """None on the diagonal."""
        if (row, column) in self.cells:
            return self.cells[row, column]
        if (column, row) in self.cells:
            mirrored = self.cells[column, row]
            return Estimate(-mirrored.mean, mirrored.half)
        return None

    def total(self, row: int) -> float:
        """The sum of a row over the paper's six."""
        cells = [self.cell(row, column) for column in range(len(PAPER))]
        return sum(cell.mean for cell in cells if cell is not None)

    @property
    def ranking(self) -> tuple[int, ...]:
        """The paper's six by the sums of their rows, best first."""
        return tuple(sorted(range(len(PAPER)), key=self.total, reverse=True))

    def signs(self) -> Iterator[tuple[int, int, bool | None]]:
        """For each pair of the paper's: does the same one win here? None if it is not decided."""
        for row, column in combinations(range(len(PAPER)), 2):
            cell = self.cell(row, column)
            assert cell is not None
            decided = self.hands == HANDS and not cell.low <= 0 <= cell.high
            yield row, column, cell.mean * TABLE_1[row][column] > 0 if decided else None

    def to_dict(self) -> Json:
        """A table of the documented JSON."""
        size = range(len(self.agents))
        cells = [[self.cell(row, column) for column in size] for row in size]
        signs = [same for *_, same in self.signs()]
        return {
            "agents": list(self.agents),
            "table": plain(cells),
            "sums": [self.total(row) for row in size],
            "ranking": [self.agents[row] for row in self.ranking],
            "pairs": len(signs),
            "same_winner": signs.count(True),
            "other_winner": signs.count(False),
            "undecided": signs.count(None),
        }


PUBLISHED = Table(
    PAPER,
    {
        (row, column): Estimate(TABLE_1[row][column], None)
        for row, column in combinations(range(len(PAPER)), 2)
    },
)
"""The same as a table."""


@dataclass(frozen=True)
class RoundRobin(Result, paper="ocfr", experiment="2", game=GAME, also=("published",)):
    """Experiment 2 with the learners' defaults, and with the settings that came nearest."""

    plain: Table
    fitted: Table
    matches: int
    hands: int
    seed: int
    seconds: float
    cpu_seconds: float

    @property
    def published(self) -> Json:
        return {"agents": list(PAPER), "table": plain(TABLE_1)}


def experiment_2(
    matches: int = 10_000,
    hands: int = HANDS,
    seed: int = 0,
    executor: Executor | None = None,
    library: Store | None = None,
    **how: Unpack[How],
) -> RoundRobin:
    """Each learner against each other; every pair is played once, whatever tables it is in."""
    whole("seed", seed, least=0)
    work = Work(executor=executor, library=library, **how)
    lists = (LEARNERS, FITTED)
    pairs = dict.fromkeys(pair for agents in lists for pair in _pairs(agents))
    whole("matches", matches, least=2)
    marks = (whole("hands", hands, least=2),)
    # Deals of their own: luck that all pairs shared would add up in the sums of the rows.
    meetings = [
        Meeting(*pair, False, matches, marks, match_seed(seed, number))
        for number, pair in enumerate(pairs)
    ]
    rates = work.play(meetings)
    met = {pair: estimate(won[:, 0]) for pair, won in zip(pairs, rates, strict=True)}
    plain, fitted = (_table(agents, met, hands) for agents in lists)
    return RoundRobin(plain, fitted, matches, hands, seed, *work.spent())


def _pairs(agents: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Every pair, in the order of their names, so that one pair has one name."""
    for first, second in combinations(agents, 2):
        yield (first, second) if first < second else (second, first)


def _table(agents: tuple[str, ...], met: dict[tuple[str, str], Estimate], hands: int) -> Table:
    places = {agent: place for place, agent in enumerate(agents)}
    cells = {
        (places[first], places[second]): met[first, second] for first, second in _pairs(agents)
    }
    return Table(agents, cells, hands)
