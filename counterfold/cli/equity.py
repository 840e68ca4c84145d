"""``counterfold equity``: what two ranges win if all money goes in now."""

from __future__ import annotations

from collections.abc import Callable

from counterfold.cli.certificate import Lines, print_panel
from counterfold.cli.output import print_json
from counterfold.cli.progress import Watch
from counterfold.cli.verbs.solving import EquityRequest
from counterfold.errors import ParameterError
from counterfold.evaluate.range_equity import RangeEquity, range_equity
from counterfold.poker.cards import board_name, parse_board, parse_cards
from counterfold.poker.ranges import Range

WIDEST = 36
"""Characters of a range that are printed."""


def run(request: EquityRequest) -> None:
    """Count or draw boards, and print."""
    board = _parsed("--board", parse_board, request.board)
    dead = _parsed("--dead", parse_cards, request.dead)
    ranges = (request.first, request.second)
    with Watch(request.quiet) as watch:
        watch.doing("comparing hands (compiled when first used)")
        equity = range_equity(
            *ranges, board, dead, samples=request.samples, seed=request.seed,
            on_boards=lambda done, total: watch.part(
                "comparing hands", done, total, f"{min(done, total):,} of {total:,} boards"
            ),
        )  # fmt: skip
    combos = [Range.parse(text).without((*board, *dead)).combos for text in ranges]
    if request.json:
        print_json(
            {
                "ranges": list(ranges),
                "board": board_name(board),
                "dead": board_name(dead),
                "combos": combos,
                "equity": [equity.equity, 1 - equity.equity],
                "win": [equity.win, equity.lose],
                "tie": equity.tie,
                "exact": equity.exact,
                "boards": equity.boards,
                "seed": None if equity.exact else request.seed,
                "error": equity.error,
                "half": equity.half,
            }
        )
        return
    lines: Lines = []
    sides = ((equity.equity, equity.win), (1 - equity.equity, equity.lose))
    for text, many, (part, win) in zip(ranges, combos, sides, strict=True):
        shares = f"{_share(part)}{_off(equity)}   win {_share(win)}   tie {_share(equity.tie)}"
        lines.append((_short(text), f"{shares}   {many:,.6g} combo{'s' * (many != 1)}"))
    for name, cards in (("board", board), ("dead", dead)):
        if cards:
            lines.append((name, board_name(cards)))
    print_panel("Equity", [*lines, _how(equity, request.seed)])


def _parsed(option: str, parse: Callable[[str], tuple[int, ...]], text: str) -> tuple[int, ...]:
    try:
        return parse(text)
    except ParameterError as error:
        raise ParameterError(f"{option}: {error}") from None


def _short(text: str) -> str:
    """A range as it was given, if that is short."""
    plain = ",".join(part.strip() for part in text.split(","))
    return plain if len(plain) <= WIDEST else plain[: WIDEST - 3] + "..."


def _share(number: float) -> str:
    return f"{100 * number:7.3f}%"


def _off(equity: RangeEquity) -> str:
    return "" if equity.exact else f" ± {100 * equity.half:.2g}%"


def _how(equity: RangeEquity, seed: int) -> tuple[str, str]:
    if not equity.exact:
        drawn = f"{equity.boards:,} boards drawn with seed {seed}; ± has the 95% interval"
        return "sampled", f"{drawn} (--samples all counts every board)"
    if equity.boards == 1:
        return "exact", "no card is to come"
    return "exact", f"over all that can come, {equity.boards:,} boards that differ"
