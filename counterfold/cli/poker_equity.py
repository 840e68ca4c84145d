"""``counterfold equity``: what two ranges win if all money goes in now."""

from __future__ import annotations

from typing import Any

from counterfold.cli.certificate import Lines, print_panel
from counterfold.cli.output import print_json
from counterfold.cli.progress import Watch
from counterfold.errors import ParameterError
from counterfold.evaluate.range_equity import RangeEquity, range_equity
from counterfold.poker.cards import board_name, parse_board, parse_cards
from counterfold.poker.ranges import Range

__all__ = ["run"]

WIDEST = 36
"""Characters of a range that are printed."""


class BoardWatch(Watch):
    """Tells how many boards have been looked at."""

    def boards(self, done: int, total: int) -> None:
        """So many of so many."""
        self.check()
        self._face.show(
            "comparing hands", f"{min(done, total):,} of {total:,} boards", min(1.0, done / total)
        )


def run(
    first: str,
    second: str,
    board: str,
    dead: str,
    *,
    samples: Any,
    seed: int,
    json: bool,
    quiet: bool,
) -> None:
    """Count or draw boards, and print."""
    cards = _said("--board", parse_board, board), _said("--dead", parse_cards, dead)
    watch = BoardWatch(quiet)
    with watch:
        watch.doing("comparing hands (compiled when first used)")
        found = range_equity(
            first, second, *cards, samples=samples, seed=seed, on_boards=watch.boards
        )
    texts, gone = (first, second), (*cards[0], *cards[1])
    combos = [Range.parse(text).without(gone).combos for text in texts]
    if json:
        print_json(
            {
                "ranges": list(texts),
                "board": board_name(cards[0]),
                "dead": board_name(cards[1]),
                "combos": combos,
                "equity": [found.equity, 1 - found.equity],
                "win": [found.win, found.lose],
                "tie": found.tie,
                "exact": found.exact,
                "boards": found.boards,
                "seed": None if found.exact else seed,
                "error": found.error,
                "half": found.half,
            }
        )
        return
    lines: Lines = []
    for k, (equity, win) in enumerate(((found.equity, found.win), (1 - found.equity, found.lose))):
        shares = f"{_share(equity)}{_off(found)}   win {_share(win)}   tie {_share(found.tie)}"
        many = f"{combos[k]:,.6g} combo{'s' * (combos[k] != 1)}"
        lines.append((_short(texts[k]), f"{shares}   {many}"))
    for name, some in (("board", cards[0]), ("dead", cards[1])):
        if some:
            lines.append((name, board_name(some)))
    print_panel("Equity", [*lines, _how(found, seed)])


def _said(option: str, parse: Any, text: str) -> Any:
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


def _off(found: RangeEquity) -> str:
    return "" if found.exact else f" ± {100 * found.half:.2g}%"


def _how(found: RangeEquity, seed: int) -> tuple[str, str]:
    if not found.exact:
        told = f"{found.boards:,} boards drawn with seed {seed}; ± has the 95% interval"
        return "sampled", f"{told} (--samples all counts every board)"
    if found.boards == 1:
        return "exact", "no card is to come"
    return "exact", f"over all that can come, {found.boards:,} boards that differ"
