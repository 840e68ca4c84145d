"""Preference-CFR in hold'em of three at 100 big blinds: table 3 and figure 6.

As with two players the game before the flop is cut at the flop. Matrices over hands end with two,
so the cut game is a betting tree over buckets that is solved by external sampling. What responses
gain is measured on drawn deals, and what styles win from each other on drawn boards, where all of
them hold all holes in all seats.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_gains import Gain, response_gains
from counterfold.abstraction.bucket_layout import BucketTables
from counterfold.abstraction.edge import class_names
from counterfold.abstraction.edge_betting import EdgeForm
from counterfold.files.text import Json
from counterfold.games.spec import whole
from counterfold.interrupts import check
from counterfold.intervals import Z95
from counterfold.poker.game import DEAL
from counterfold.poker.table import Holdem
from counterfold.research.pref_cfr.holdem import (
    BETA,
    DELTA,
    MILLI,
    STYLES,
    HoldemTable,
    StyleRow,
    after_blueprint,
    blueprint_of,
    matrix_of,
)
from counterfold.research.progress import Progress, no_progress
from counterfold.solvers.solver import Solver
from counterfold.strategy.continuations import FACTOR, continuations
from counterfold.strategy.strategy import Strategy
from counterfold.style.preferences import Style

PUBLISHED: dict[str, tuple[float | None, ...]] = {
    "normal": (0.614, 0.0, 0.386, 0.0),
    "loose-passive": (None, 0.239, None, None),
    "aggressive": (None, None, None, 0.160),
}
"""Fold, call, raise to 2, raise to 3 of player 1's first decision, three players."""
PIECE = 100_000  # iterations between two looks
DEALS = 2
"""From which gains come, for each board of the matrix: a deal takes far longer than a board."""


def table_of_three(stack: float = 100) -> Holdem:
    """Raises to 2 and 3 first, then the pot, then all-in; 75% and all-in behind the flop."""
    return Holdem(players=3, stack=stack, bets="75%,allin", raises="2c,3c/100%/allin|allin")


def three_table(
    minutes: float = 3.0,
    iterations: int = 6_000_000,
    drawn_boards: int = 100_000,
    threads: int = 2,
    folder: str | None = None,
    cards: str | None = None,
    seed: int = 0,
    on_progress: Progress = no_progress,
) -> HoldemTable:
    """Solve the game of three before the flop in three styles, and let them play each other.

    ``minutes`` of CPU time go to the blueprint, which ``folder`` keeps, over buckets of the file
    ``cards`` or new ones. The matrix comes from ``drawn_boards`` with all holes in all seats, and
    gains from ``DEALS`` times as many deals a seat.
    """
    whole("drawn boards", drawn_boards, least=2)  # before anything takes minutes

    def styles(blueprint: Strategy[BucketForm]) -> HoldemTable:
        return three_styles(
            blueprint, iterations, drawn_boards, threads=threads, seed=seed, on_progress=on_progress
        )

    game = table_of_three().poker
    made = partial(blueprint_of, game, minutes, folder, cards, seed, on_progress, threads)
    return after_blueprint(made, minutes, styles)


def three_styles(
    blueprint: Strategy[BucketForm],
    iterations: int,
    boards: int,
    *,
    threads: int = 1,
    seed: int = 0,
    on_progress: Progress = no_progress,
) -> HoldemTable:
    """The same from a blueprint of any table whose first player may raise to 3."""
    began, table = time.process_time(), blueprint.tree
    tables = {name: one.tables[0] for name, one in continuations(blueprint).items()}
    form, solved = EdgeForm(table, tables), list[Strategy[BucketForm]]()
    for name, prefers in STYLES.items():

        def look(done: int, name: str = name) -> None:
            before = len(solved) * iterations
            on_progress(before + done, len(STYLES) * iterations, f"solving {name}")

        solved.append(_solved(form, prefers, iterations, threads, seed, look))
    solving = time.process_time() - began
    gains = _gains(solved, DEALS * boards, seed + 1, threads, on_progress)
    won, half = matrix_of(solved, boards, seed + 1, threads, on_progress)
    rows = [
        _row(form, style, one, gained, iterations)
        for style, one, gained in zip(STYLES.items(), solved, gains, strict=True)
    ]
    betting = table.game.betting
    settings: Json = {
        "buckets": [one.count for one in form.buckets], "deals": DEALS * boards,
        "drawn_boards": boards, "factor": FACTOR,
        "edges": int(((betting.kind == DEAL) & (betting.street == 0)).sum()),
        "histories": form.histories, "infosets": form.learned, "threads": threads,
        "subgame_cpu_seconds": solving,
    }  # fmt: skip
    return HoldemTable(
        table.game.spec, tuple(rows), won, half, tuple(tables), class_names(table), settings,
        seed, time.process_time() - began,
    )  # fmt: skip


def _gains(
    solved: Sequence[Strategy[BucketForm]], deals: int, seed: int, threads: int, say: Progress
) -> list[tuple[Gain, ...]]:
    """What responses to each style gain; a signal ends all of them."""
    gains = list[tuple[Gain, ...]]()
    say(0, len(solved), "responding to styles")
    with ThreadPoolExecutor(threads) as pool:
        for one in pool.map(lambda one: response_gains(one, deals, seed, check), solved):
            gains.append(one)
            say(len(gains), len(solved), "responding to styles")
    return gains


def _solved(
    form: EdgeForm,
    prefers: str,
    iterations: int,
    threads: int,
    seed: int,
    look: Callable[[int], None],
) -> Strategy[BucketForm]:
    """The cut game, with the paper's preference at player 1's first decision."""
    style = None
    if prefers:
        first = form.game.streets[0]
        style = Style(
            {prefers: DELTA}, BETA, player=0, street=first, raises=0, per="hand", best=True
        )
    solver = Solver(form, "linear", "external", seed=seed, style=style, threads=threads)
    for done in range(0, iterations, PIECE):
        look(done)
        solver.step(min(PIECE, iterations - done))
    found: Strategy[BucketForm] = solver.strategy()
    return found


def _row(
    form: EdgeForm,
    style: tuple[str, str],
    solved: Strategy[BucketForm],
    gains: Sequence[Gain],
    iterations: int,
) -> StyleRow:
    game, (name, prefers) = form.game, style
    played = BucketTables.of(solved).rows(0).astype(np.float64)
    dealt = np.bincount(form.buckets[0].on(game.board), game.ranges[0], len(played))
    labels = [game.betting.label[child] for child in game.betting.children(0)]
    shares = (dealt @ played / dealt.sum()).tolist()
    return StyleRow(
        name, prefers, DELTA if prefers else 1.0, BETA if prefers else 0.0,
        dict(zip(labels, shares, strict=True)), PUBLISHED[name],
        MILLI * sum(one.gain for one in gains) / len(gains),
        tuple(MILLI * one.gain for one in gains), tuple(MILLI * Z95 * one.error for one in gains),
        None, iterations, None, played, solved,
    )  # fmt: skip
