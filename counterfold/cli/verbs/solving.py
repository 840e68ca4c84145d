"""The verbs that find a strategy and read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from counterfold.cli import options
from counterfold.cli.options import argument, flag, low, number, option, some
from counterfold.cli.request import Answered, InPieces, Kept, verb


@verb()
@dataclass(frozen=True)
class GamesRequest:
    """List the games that have a name, or tell more about one."""

    name: str | None = argument("[GAME]", "A game to look at more closely.", default=None)
    json: options.Json = False


@verb(
    epilog="""Usually it stops at an exploitability of 1e-6 (1e-3 if sampled), 1,000,000 iterations
or 60 seconds, a spot at 0.3% of its pot, fhp at 1mbb. A limit that is given replaces these; the
first that is reached ends the run. Ctrl-C ends it too, with its work saved.

\b
Keys of --json: game, method, traversal, iterations, certified_at (the iteration
that was measured, if not the last), value (to player 1), values,
exploitability (exact), nash_conv (by player), cce_gap, correlated_gap,
histories, infosets, seconds, cpu_seconds, compile_seconds, stopped (exploitability, iterations,
seconds, precision, interrupted, optimum, library), promise, trace (iteration, cpu_seconds,
exploitability, cce_gap).

\b
In public form, poker has no traversal and gaps, but: bits, players,
pot, evs (chips of the pot, by player), percent_of_pot, mbb, frequencies (of the
first action), boards, nodes, memory (bytes of tables). Tables of three and more before
the flop have drawn (deals, boards, errors of the values, what other deals say).
"""
)
@dataclass(frozen=True)
class SolveRequest(Kept):
    """Solve a game and certify the result: exact value and exploitability."""

    game: options.MaybeGame = None
    method: options.Method = None
    traversal: options.Traversal = None
    iterations: options.Iterations = None
    exploitability: float | str | None = option(
        "X",
        "Stop when the exact exploitability is as low; in poker also as 0.5% (of the pot) or 1mbb.",
        "--exploitability",
        "--target",
        "--accuracy",
        parser=low,
    )
    seconds: options.Seconds = None
    alternating: bool | None = flag(
        "When the players update. [alternating]", "--alternating/--simultaneous", default=None
    )
    average: bool | None = flag(
        "Which strategy is the answer. [average]", "--average/--last-iterate", default=None
    )
    dtype: str | None = option("TYPE", "float64 or float32. [float64; hold'em float32]")
    seed: options.MaybeSeed = None
    explore: float | None = option("E", "Exploration of outcome sampling. [0.6]")
    every: int | None = number("N", "Also save about every N iterations.")
    again: options.GameAgain = None
    plot: options.Plot = None
    form: options.Form = None
    bits: options.Bits = None
    threads: options.Threads = None
    locks: str | None = option("FILE", "Decisions that are fixed, in JSON.")
    prefer: options.Prefer = ()
    give_up: options.GiveUp = None
    library: options.Library = None
    dry_run: bool = flag("Only tell what the game would take in memory.")
    memory: options.Memory = None

    @property
    def by_lp(self) -> bool:
        return self.method is not None and self.method.strip().lower() == "lp"


@verb(
    epilog="""A place in poker is words: actions by their names or how these begin, and cards that
are dealt. `counterfold show spot.cf "check, bet 66, call, [7h]" --mode ev`

\b
Keys of --json in poker: game, player, street, line, board, pot, stacks, actions,
note, combos, against, frequencies, ev, ev_percent_of_pot, equity, classes and
hands (hand, weight, actions, ev, equity, evs of each action), next, deals, about.
"""
)
@dataclass(frozen=True)
class ShowRequest(Answered):
    """Print a strategy as people read it."""

    what: str = argument("FILE|GAME", "A saved strategy, or a game to solve first.")
    pattern: str | None = argument(
        "[PATTERN]",
        "Infosets to show: a part of the name, or a glob such as 'K*bet'; in poker a "
        "place, such as 'check, bet 66, [7h]'.",
        default=None,
    )
    player: str | None = option("N", "Only this player, counted from 1; in poker also oop or ip.")
    sort: str = option("ORDER", "play or name.", default="play")
    limit: int | None = option(
        "N",
        "Rows to print, 0 for all; places on a page of --html. [40 on a terminal, else all; 60 "
        "places]",
    )
    csv: options.Csv = None
    hand: str | None = option(
        "HANDS",
        "Poker: hands one by one, as AhKd, AK or QQ+, and made hands and draws, as 'top pair' or "
        "'flush draw & QQ+'.",
    )
    mode: str | None = option(
        "MODE",
        "Poker: strategy, ev, equity, weight, an action, ev:ACTION, or curve, the equity of both "
        "ranges from worst to best.",
    )
    png: str | None = option("FILE", "Poker: draw the grid, as .png, .svg or .pdf.")
    html: str | None = option("FILE", "Poker: a web page with this place and those after it.")
    deal: tuple[str, ...] = option(
        "CARDS", "Poker: let --html go on with a turn 7h, a river 7h2c.", default=()
    )
    board: str | None = option(
        "CARDS", "Poker: the board, where the place leaves it out, as 'Ks 9h 6s'."
    )
    stats: bool = flag("Poker from the first card: VPIP, PFR and their like, for every seat.")
    boards: int | None = option("N", "Boards to draw for --stats over buckets. [400]")
    cards: bool = flag("Poker: every turn or river that can come, by EV and frequency.")
    browse: bool = flag("Poker: walk the tree, action by action.")
    library: options.Library = None


@verb(
    epilog="""Flops with weights may also be lines of a file: --flops flops.txt

\b
Keys of --json: spot, accuracy (chips), pot, players, flops and mean (flop,
texture, weight, mass, ev and equity by player, frequencies of the first action,
after, exploitability, percent_of_pot, iterations, seconds), asked, stopped (done
or interrupted), folder, csv.
"""
)
@dataclass(frozen=True)
class ReportRequest(InPieces):
    """Solve a poker spot on many flops: EV, equity and frequencies of each."""

    spot: str = argument("SPOT", "A spot in JSON; its board, if any, is put aside.")
    flops: str = option(
        "FLOPS",
        "How many that stand for all (95), all (1,755), or a list: Ks7h2d,AsAhAd:2.",
        default="25",
    )
    exploitability: Annotated[float | str, options.EXPLOITABILITY] = "0.5%"
    folder: str | None = option("FOLDER", "Keep every flop there, and go on from it.")
    keep: bool = flag("Keep the solutions too, in the folder (for `show`) and the library.")
    csv: options.Csv = None
    method: options.OtherMethod = None
    bits: options.Bits = None
    threads: options.Threads = None
    memory: options.Memory = None


@verb(
    epilog="""`counterfold report SPOT --library FOLDER` and `solve` fill it and look into it
first; so does `show`, and the studio, whose library is the folder of that name in its own.
Solutions that were kept (--keep) are files for `show`, `match` and `play`.

\b
Keys of --json: address, pieces (name, kind, version, given, result, files),
damaged (names; those beside a document only with --check).
"""
)
@dataclass(frozen=True)
class LibraryRequest(Answered):
    """List, check and query a library of solved spots."""

    address: str = argument("ADDRESS", "A folder, or an address such as s3://bucket.")
    pattern: str | None = argument(
        "[PATTERN]",
        "Only pieces with all these words: cards of the board, a texture, bits=16.",
        default=None,
    )
    check: bool = flag("Read every file through, and say which are damaged.")


@verb(
    epilog="""Every pair of hands that can be held at once counts by its weights.

\b
Keys of --json: ranges, board, dead, combos, equity, win (each by range), tie,
exact, boards (looked at), seed (null if exact), error (standard error of the
equity), half (of its 95% interval).
"""
)
@dataclass(frozen=True)
class EquityRequest(Answered):
    """Tell what two ranges of hold'em win if all money goes in now."""

    first: str = argument("RANGE", "As AA, QQ+,AKs, A5s-A2s:0.5, AhKd, top 20% or random.")
    second: str = argument("RANGE", "The range that it meets.")
    board: str = option("CARDS", "A flop, turn or river: 'Qs Jh 2c'. [none]", default="")
    dead: str = option("CARDS", "Cards that are out of play. [none]", default="")
    samples: int | str | None = option(
        "N", "Draw so many boards, or count all. [all, unless it takes long]", parser=some
    )
    seed: options.Seed = 0
