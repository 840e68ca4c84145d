"""What buckets cost in Flop Hold'em: exact exploitability of blueprints by kind and number."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from counterfold.abstraction.blueprint import blueprint
from counterfold.abstraction.bucket_layout import by_hand
from counterfold.abstraction.bucket_maker import BucketMaker, Recipe
from counterfold.errors import ParameterError
from counterfold.evaluate.exact import assess
from counterfold.games.spec import whole
from counterfold.poker.holdem import fhp
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.tree.public import PublicTree

KINDS = ("equity", "worth")
"""Where one street has a board, potential-aware buckets are those of the equity."""
COUNTS = (50, 200, 1000)
ITERATIONS = 10_000_000


@dataclass(frozen=True)
class BucketPrice(Result):
    """A blueprint over some buckets; mbb/h."""

    kind: str
    buckets: int
    infoset_actions: int
    exploitability: float
    building_cpu_seconds: float
    sampling_cpu_seconds: float


@dataclass(frozen=True)
class FhpPrices(Result, paper="fhp", experiment="buckets"):
    """Blueprints over buckets of all kinds, with equally many iterations."""

    iterations: int
    method: str
    seed: int
    rows: tuple[BucketPrice, ...]


def fhp_prices(
    *,
    buckets: str | None = None,
    iterations: int = ITERATIONS,
    seed: int = 0,
    kinds: Sequence[str] = KINDS,
    on_progress: Progress = no_progress,
) -> FhpPrices:
    """Make buckets, sample, and measure in the game without buckets."""
    counts = COUNTS if buckets is None else _counts(buckets)
    whole("iterations", iterations, least=1)
    game, rows = fhp(), list[BucketPrice]()
    todo = [(kind, count) for kind in kinds for count in counts]
    tree, worth = PublicTree(game), None
    for n, (kind, count) in enumerate(todo):
        words = f"{count:,} buckets by {kind}"

        def look(what: str, share: float, n: int = n, words: str = words) -> None:
            on_progress(n + 0.5 * share, len(todo), words)

        began = time.process_time()
        recipe = Recipe.for_game(game, count, kind, seed)
        maker = BucketMaker(recipe, game=game, worth=worth, look=look)
        made = maker.make()
        if kind == "worth":
            worth = maker.worth  # the same for all numbers of buckets
        built = time.process_time()
        strategy = blueprint(game, made, iterations, seed)
        sampled = time.process_time()
        on_progress(n + 0.7, len(todo), f"measuring {words}")
        mbb = assess(by_hand(strategy, tree)).mbb
        assert mbb is not None
        rows.append(
            BucketPrice(kind, count, strategy.tree.size, mbb, built - began, sampled - built)
        )
    on_progress(len(todo), len(todo), "")
    return FhpPrices(iterations, "linear", seed, tuple(rows))


def _counts(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ParameterError(f"--buckets is numbers with commas between, not {text!r}") from None
