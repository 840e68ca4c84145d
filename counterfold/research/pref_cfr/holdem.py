"""Preference-CFR in hold'em of two at 100 big blinds: table 2 and figure 5.

A blueprint over buckets is made once (or kept in a folder); the game before the flop is cut at the
flop, where each player chooses among four continuations of it; and the cut game is solved without a
preference, and with the paper's at player 1's first decision. ``three.py`` has the same for three.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_maker import buckets_for
from counterfold.abstraction.bucket_matrix import winnings
from counterfold.abstraction.buckets import load_buckets
from counterfold.abstraction.edge import CutPoker, class_names, cut_poker
from counterfold.abstraction.edge_betting import EdgeForm
from counterfold.abstraction.edge_values import class_wins, drawn_boards, edge_values
from counterfold.arrays import Floats
from counterfold.errors import MismatchError
from counterfold.files.text import Json
from counterfold.games.spec import whole
from counterfold.intervals import Z95
from counterfold.poker.game import PokerGame
from counterfold.poker.table import Holdem
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.solvers.result import solve
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Until
from counterfold.strategy.continuations import FACTOR, continuations
from counterfold.strategy.layout import Row
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.style.preferences import Style

STYLES = {"normal": "", "aggressive": "raise 3", "loose-passive": "call"}
"""The settings by name, and the action that each prefers."""
DELTA, BETA = 5.0, 0.025
"""The preference degree, and the big blinds a hand that may be given up for it."""

PUBLISHED: dict[str, tuple[float, ...]] = {
    "normal": (0.054, 0.527, 0.420, 0.0, 0.0),
    "loose-passive": (0.003, 0.733, 0.217, 0.047, 0.0),
    "aggressive": (0.042, 0.648, 0.098, 0.211, 0.0),
}
"""Fold, call, raise to 2, raise to 3, all-in of player 1's first decision, two players."""
MILLI = 1000.0  # of a big blind


def table_of(stack: float = 100) -> Holdem:
    """Two players; raises to 2 and 3 and all-in first, the pot and all-in afterwards."""
    return Holdem(
        players=2,
        stack=stack,
        bets="100%,allin|50%,100%,allin|75%,allin",
        raises="2c,3c,allin/100%,allin|100%,allin",
    )


@dataclass(frozen=True)
class StyleRow(Result, without=("strategy", "hands")):
    """A style: how often player 1 begins how, and what could be gained against it, in mbb/h.

    Exploitability is the mean of all seats' ``gains`` in the cut game: exact where ``half`` (of
    their 95% intervals) is 0, else that of responses learned from deals, at most the best ones'.
    What was not published or measured is None.
    """

    style: str
    prefers: str
    delta: float
    beta: float
    frequencies: dict[str, float]
    published: tuple[float | None, ...]
    exploitability: float
    gains: tuple[float, ...]
    half: tuple[float, ...]
    value: float | None
    iterations: int
    cpu_seconds: float | None
    hands: Floats = field(repr=False)  # [classes, actions]
    strategy: AnyStrategy = field(repr=False)


@dataclass(frozen=True)
class HoldemTable(Result, paper="pref-cfr", also=("names",), without=("classes",)):
    """All styles, and what they win from each other.

    ``wins[i][j]`` is what style i wins in one seat from style j in all others, the mean of all
    seats, in mbb/h; ``half`` the half of its 95% interval over deals that were not used to solve.
    """

    game: str
    rows: tuple[StyleRow, ...]
    wins: tuple[tuple[float, ...], ...]
    half: tuple[tuple[float, ...], ...]
    continuations: tuple[str, ...]
    classes: tuple[str, ...]  # of hands, by name
    settings: Json
    seed: int
    cpu_seconds: float

    @property
    def names(self) -> tuple[str, ...]:
        """The styles in the order of the matrix."""
        return tuple(row.style for row in self.rows)


def holdem_table(  # noqa: PLR0913  (said by their names)
    minutes: float = 3.0,
    boards: int = 600,
    drawn_boards: int = 200_000,
    iterations: int = 1000,
    threads: int = 2,
    folder: str | None = None,
    cards: str | None = None,
    seed: int = 0,
    on_progress: Progress = no_progress,
) -> HoldemTable:
    """Solve the game of two before the flop in three styles, and let them play each other.

    ``minutes`` of CPU time go to the blueprint, which ``folder`` keeps, over buckets of the file
    ``cards`` or new ones. The betting behind the edge is played out on so many ``boards`` to solve;
    the matrix comes from ``drawn_boards`` with all holes in both seats.
    """
    whole("boards", boards, least=1)
    whole("drawn boards", drawn_boards, least=2)  # before anything takes minutes

    def styles(blueprint: Strategy[BucketForm]) -> HoldemTable:
        return styles_of(
            blueprint, boards, iterations, drawn_boards,
            threads=threads, seed=seed, on_progress=on_progress,
        )  # fmt: skip

    made = partial(blueprint_of, table_of().poker, minutes, folder, cards, seed, on_progress)
    return after_blueprint(made, minutes, styles)


def after_blueprint(
    make: Callable[[], Strategy[BucketForm]],
    minutes: float,
    styles: Callable[[Strategy[BucketForm]], HoldemTable],
) -> HoldemTable:
    """Make a blueprint and styles from it; the table tells what both took."""
    began = time.process_time()
    blueprint = make()
    spent = time.process_time() - began
    found = styles(blueprint)
    told = found.settings | {"blueprint_minutes": minutes, "blueprint_cpu_seconds": spent}
    return replace(found, settings=told, cpu_seconds=found.cpu_seconds + spent)


BUCKETS = 200
"""On each street after the flop, for the blueprint."""
MORE = 20_000
"""Boards on which only who wins is looked up."""


def styles_of(
    blueprint: Strategy[BucketForm],
    boards: int,
    iterations: int,
    matrix_boards: int,
    *,
    more: int = MORE,
    threads: int = 1,
    seed: int = 0,
    on_progress: Progress = no_progress,
) -> HoldemTable:
    """The same from a blueprint of any table of two whose first player may raise to 3."""
    began, form, game = time.process_time(), blueprint.tree, blueprint.tree.game
    tables = {name: one.tables[0] for name, one in continuations(blueprint).items()}
    wins = class_wins(form, drawn_boards(game, more, [seed, 1]), seed)

    def look(done: int) -> None:
        on_progress(done, boards, "playing boards out")

    values = edge_values(
        form, tables, drawn_boards(game, boards, [seed, 0]), [seed, 0], wins=wins, look=look
    )
    cut, rows = cut_poker(values), list[StyleRow]()
    for style, prefers in STYLES.items():
        on_progress(len(rows), len(STYLES), f"solving {style}")
        rows.append(_row(cut, values.mass, style, prefers, iterations))
    solving, betting = time.process_time() - began, EdgeForm(form, tables)
    won, half = matrix_of(
        [cut.over_buckets(row.strategy, betting) for row in rows],
        matrix_boards, seed + 1, threads, on_progress,
    )  # fmt: skip
    settings: Json = {
        "buckets": [one.count for one in form.buckets], "boards": boards, "more_boards": more,
        "drawn_boards": matrix_boards, "factor": FACTOR, "edges": len(values.nodes),
        "histories": cut.tree.histories, "infosets": cut.tree.infoset_count, "threads": threads,
        "subgame_cpu_seconds": solving,
    }  # fmt: skip
    return HoldemTable(
        game.spec, tuple(rows), won, half, values.names, class_names(form), settings, seed,
        time.process_time() - began,
    )  # fmt: skip


Matrix = tuple[tuple[float, ...], ...]


def matrix_of(
    strategies: Sequence[AnyStrategy], boards: int, seed: int, threads: int, say: Progress
) -> tuple[Matrix, Matrix]:
    """What each style wins from each other, mean of all seats, and half of its interval: mbb/h."""
    found = winnings(
        strategies, boards, seed, threads, lambda done: say(done, boards, "letting styles play")
    )
    wins, half = MILLI * found.wins, MILLI * Z95 * found.error
    return tuple(map(tuple, wins.tolist())), tuple(map(tuple, half.tolist()))


def blueprint_of(
    game: PokerGame,
    minutes: float,
    folder: str | None,
    cards: str | None,
    seed: int,
    say: Progress,
    threads: int | None = None,
) -> Strategy[BucketForm]:
    """That of the folder, or a new one by external sampling."""
    path = None if folder is None else os.path.join(folder, "blueprint.safetensors")
    if path is not None and os.path.exists(path):
        kept: Strategy[BucketForm] = Strategy.load(path)
        if kept.spec != game.spec:
            raise MismatchError(f"{path} is a blueprint of {kept.spec}, and not of {game.spec}")
        return kept
    say(0, 60 * minutes, "making buckets")
    buckets = load_buckets(cards) if cards else buckets_for(game, BUCKETS, seed=seed)
    solver = Solver(BucketForm(game, buckets), "linear", "external", seed=seed, threads=threads)
    began = time.process_time()
    while (spent := time.process_time() - began) < 60 * minutes:
        say(spent, 60 * minutes, "training the blueprint")
        solver.step(200_000)
    made: Strategy[BucketForm] = solver.strategy()
    if path is not None:
        made.save(path)
    return made


def style_of(cut: CutPoker, mass: Floats, prefers: str) -> Style:
    """The paper's preference: at player 1's first decision, beta in big blinds a hand.

    Regrets are counted by how often a hand is dealt, so each class may give up its share.
    """
    dealt = dict(zip(class_names(cut.form), mass.sum(1).tolist(), strict=True))
    style = Style()
    for share in sorted(set(dealt.values())):

        def first(row: Row, share: float = share) -> bool:
            return dealt.get(row.infoset) == share

        style += Style({prefers: DELTA}, BETA * share, player=0, where=first, best=True)
    return style


def _row(cut: CutPoker, mass: Floats, name: str, prefers: str, iterations: int) -> StyleRow:
    began = time.process_time()
    style = style_of(cut, mass, prefers) if prefers else None
    until = Until(iterations=iterations)
    result = solve(cut.tree, "dcfr", until, style=style, dtype="float32")
    played, betting = cut.play(result.strategy), cut.form.game.betting
    labels = [betting.label[child] for child in betting.children(0)]
    shares = (mass.sum(1) @ played).tolist()
    gains = tuple(MILLI * gain for gain in result.nash_conv)
    return StyleRow(
        name, prefers, DELTA if prefers else 1.0, BETA if prefers else 0.0,
        dict(zip(labels, shares, strict=True)), PUBLISHED[name],
        MILLI * result.exploitability, gains, (0.0, 0.0), MILLI * result.value, iterations,
        time.process_time() - began, played, result.strategy,
    )  # fmt: skip
