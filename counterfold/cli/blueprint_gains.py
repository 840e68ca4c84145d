"""How converged a blueprint is: told while it runs and in the end; and its size before."""

from __future__ import annotations

import numpy as np

from counterfold.abstraction.blueprint import engine_in
from counterfold.abstraction.bucket_gains import Gain, response_gains
from counterfold.abstraction.buckets import board_sizes, every_hand
from counterfold.cli.certificate import Lines
from counterfold.cli.output import size, tell
from counterfold.cli.progress import Watch
from counterfold.errors import TreeTooLargeError
from counterfold.files.text import Json
from counterfold.poker.game import DECISION, PokerGame
from counterfold.poker.units import Units
from counterfold.solvers.solver import Solver
from counterfold.tree.memory import memory_at_hand

FIRST = 10.0  # seconds before the first check; the next ones come after twice the time
ON_THE_WAY, AT_THE_END = 0.01, 0.03  # walks of a check for each iteration that was made
LEAST, MOST = 10_000, 5_000_000  # walks
STARTING_HANDS = 169


class GainsWatch(Watch):
    """Shows how sampling gets on, and what a response would gain by now."""

    def __init__(self, quiet: bool = False) -> None:
        super().__init__(quiet)
        self.quiet = quiet

    def gained(self, solver: Solver, gains: tuple[Gain, ...]) -> None:
        """What a check on the way has found."""
        if not self.quiet:
            told = ", ".join(gains_in_words(engine_in(solver).form.game, gains))
            tell(f"after {solver.iteration:,} iterations a response would gain {told}")


class Gains:
    """Checks of what a response over the same buckets would gain, at times that grow."""

    def __init__(self, solver: Solver, watch: GainsWatch) -> None:
        self._solver, self._watch = solver, watch
        self._next = FIRST
        self.fits = 3 * solver.nbytes < 0.9 * memory_at_hand()

    @property
    def seconds(self) -> float:
        """What the last check will take, about."""
        solver = self._solver
        done = max(solver.iteration, 1)
        share = 7 * max(AT_THE_END, LEAST / done)
        return 1.0 + 1.3 * share * solver.cpu_seconds if self.fits else 0.0

    def due(self, seconds: float) -> bool:
        """Is it time for the next?"""
        return self.fits and seconds >= self._next and self._solver.iteration >= LEAST

    def look(self, seconds: float) -> None:
        """Check if it is time, and tell."""
        if not self.due(seconds):
            return
        self._next = 2 * seconds
        self._watch.gained(self._solver, self.measure(ON_THE_WAY))

    def measure(self, share: float = AT_THE_END) -> tuple[Gain, ...]:
        """What each seat would gain now."""
        solver, walks = self._solver, int(share * self._solver.iteration)
        self._watch.doing("measuring what a response over the same buckets would gain")
        return response_gains(
            solver.strategy(), min(max(walks, LEAST), MOST), solver.iteration, self._watch.check
        )


def gains_in_words(game: PokerGame, gains: tuple[Gain, ...]) -> list[str]:
    """What each seat would gain, with its standard error."""
    units, told = Units(game.pot, game.big_blind), []
    for gain in gains:
        amounts, unit = (gain.gain, gain.error), "chips"
        if units.big_blind:
            amounts, unit = (
                (units.mbb(gain.gain) or 0.0, units.mbb(gain.error) or 0.0),
                "mbb/h",
            )
        amount = f"{amounts[0]:.3g} ± {amounts[1]:.2g} {unit}" if gain.error else "nothing"
        told.append(f"{game.players[gain.player]} {amount}")
    return told


def size_of(game: PokerGame, counts: int | tuple[int, ...]) -> Json:
    """What a blueprint of a game would take, before any bucket is made."""
    tree, sizes = game.betting, board_sizes(game)
    later = [size for size in sizes if size]
    each = [counts] * len(later) if isinstance(counts, int) else list(counts)
    if game.rules.hole == 1:
        buckets = [one.count for one in every_hand(game)]
    else:
        buckets = [STARTING_HANDS] * (len(sizes) - len(later)) + each[: len(later)]
    decides = tree.kind == DECISION
    own = np.array(buckets + [0] * tree.streets, np.int64)[tree.street] * decides
    actions = int((own * tree.count).sum())
    memory = int((own * (2 * tree.count + 2)).sum()) * 4 + 4 * actions
    return {
        "game": game.spec,
        "players": list(game.players),
        "nodes": len(tree),
        "decisions": int(decides.sum()),
        "buckets": buckets,
        "infosets": int(own.sum()),
        "infoset_actions": actions,
        "memory": memory,
        "memory_at_hand": memory_at_hand(),
    }


def check_size(told: Json) -> None:
    """Refuse what does not fit before hands are sorted, which takes long."""
    if told["memory"] > 0.9 * told["memory_at_hand"]:
        raise TreeTooLargeError(
            f"{told['game']} with these buckets needs {told['memory'] / 2**30:,.1f} GB where "
            f"{told['memory_at_hand'] / 2**30:,.1f} GB are free; take fewer buckets or bet sizes"
        )


def size_lines(told: Json) -> Lines:
    """The same for a person."""
    return [
        ("game", told["game"]),
        ("players", ", ".join(told["players"])),
        ("betting", f"{told['nodes']:,} nodes, {told['decisions']:,} decisions"),
        ("buckets", ", ".join(map(str, told["buckets"])) + " by street"),
        ("infosets", f"{told['infosets']:,}, {told['infoset_actions']:,} infoset-actions"),
        ("memory", f"{size(told['memory'])} of {size(told['memory_at_hand'])}"),
    ]
