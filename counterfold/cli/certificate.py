"""A result as a person reads it: what was solved, how well, and what it cost."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from counterfold.cli.output import (
    advise,
    amount,
    duration,
    in_units,
    on_terminal,
    paint,
    say,
    size,
    tiny,
)
from counterfold.errors import visible
from counterfold.intervals import Z95
from counterfold.poker.game import PokerGame

if TYPE_CHECKING:
    from counterfold.abstraction.drawn_form import DrawnForm
    from counterfold.solvers.result import Result
    from counterfold.solvers.until import Until
    from counterfold.tree.form import Form
    from counterfold.tree.public_size import PublicSize
    from counterfold.tree.walk import Size

Lines = list[tuple[str, str]]
STRONG = ("value", "exploitability")
READING = "read the rules and load kernels"


def certificate(
    result: Result,
    until: Until | None = None,
    saved: str | None = None,
    known: tuple[str, float] | None = None,
) -> Lines:
    """The lines of a certificate; ``known`` is a published value to compare with."""
    poker, units = result.poker, result.strategy.tree.units
    name = in_poker(result.strategy.tree.game) if poker else result.game
    lines: Lines = [("game", name), ("method", _method(result))]
    if result.method != "lp":
        lines.append(("iterations", f"{result.iterations:,}{_pace(result)}"))
    lines.append(("value", _value(result)))
    if known:
        text, number = known
        lines.append(("known value", f"{text}; off by {tiny(abs(result.value - number))}"))
    at = (
        ""
        if result.certified_at == result.iterations
        else f", at iteration {result.certified_at:,}"
    )
    chips = f", {tiny(result.exploitability)} chips" if units.pot or units.big_blind else ""
    lines.append(("exploitability", f"{in_units(units, result.exploitability)} (exact{at}){chips}"))
    lines.append(("gains", _by_player(result, result.nash_conv, lambda x: in_units(units, x))))
    if result.cce_gap is not None:
        lines.append(("CCE gap", f"{tiny(result.cce_gap)} (of the play so far)"))
    if result.correlated_gap is not None:
        lines.append(("CE gap", f"{tiny(result.correlated_gap)} (by leaving it when told a move)"))
    lines += _first_action(result)
    lines += _drawn(result)
    lines.append(("promise", result.promise))
    lines.append(("tree", _tree(result)))
    lines.append(
        (
            "time",
            f"{duration(result.cpu_seconds)} CPU, {duration(result.seconds)} wall; before that "
            f"{duration(result.compile_seconds)} to {'build the tree' if poker else READING}",
        )
    )
    lines.append(("stopped", _stopped(result, until)))
    return [*lines, ("saved", saved)] if saved else lines


def _drawn(result: Result) -> Lines:
    """How far what was drawn may be off, and what other deals say."""
    if result.drawn is None:
        return []
    drawn, units = result.drawn, result.strategy.tree.units
    deals = ("deals", f"{drawn['deals']:,}, all hands of each seat in every one")
    if "off" not in drawn:  # a signal came before
        return [deals]
    off = _by_player(result, drawn["off"], lambda x: f"{x:.2g}")
    fresh = zip(drawn["fresh_values"], drawn["fresh_errors"], strict=True)
    names = player_names(result.strategy.tree)
    others = ", ".join(
        f"{name} {value:.4g} ± {Z95 * error:.2g}"
        for name, (value, error) in zip(names, fresh, strict=True)
    )
    gains = _by_player(result, drawn["fresh_gains"], lambda x: in_units(units, x))
    return [
        deals,
        ("values off by", f"{off} at most (95%, by {drawn['fresh_deals']:,} fresh deals)"),
        ("fresh deals", f"{others}; a best response to other deals gains {gains} in these"),
    ]


def drawn_size(form: DrawnForm) -> Lines:
    """How large betting over drawn deals is."""
    return [
        ("deals", f"{form.deals:,}, all hands of each seat in every one"),
        ("infosets", f"{form.infoset_count:,}"),
        ("memory", f"{size(form.nbytes)} for the deals and a solver's tables"),
    ]


def history_size(tree: Size) -> Lines:
    """How large a game is by its histories."""
    return [
        ("histories", f"{tree.histories:,}"),
        ("terminals", f"{tree.terminals:,}"),
        ("infosets", f"{tree.infosets:,}"),
        ("action slots", f"{tree.slots:,}"),
        ("memory", f"{size(tree.peak)} at the peak; {size(tree.bytes)} of it for tree and tables"),
    ]


def public_size_lines(game: PokerGame, public: PublicSize) -> Lines:
    """How large poker is as a public tree."""
    hands = zip(public.hands, game.players, strict=True)
    return [
        ("boards", f"{public.boards:,} that differ by more than the names of suits"),
        ("nodes", f"{public.nodes:,}, {public.decisions:,} of them decisions"),
        ("hands", " and ".join(f"{many:,} of {player}" for many, player in hands)),
        ("infosets", f"{public.infosets:,}"),
        (
            "memory",
            f"{size(public.peak)} at the peak; {size(public.bytes)} of it for a solver's "
            f"tables, {size(public.half)} in 16 bits",
        ),
    ]


def tables(boards: int, nodes: int, infosets: int, memory: int) -> str:
    """The size of a public tree in one line."""
    many = f"{boards:,} board{'s' if boards > 1 else ''}"
    return f"{many}, {nodes:,} nodes, {infosets:,} infosets, tables of {size(memory)}"


def in_poker(game: PokerGame) -> str:
    """A poker game by its name and its board."""
    from counterfold.poker.cards import board_name

    return game.spec + (f", {board_name(game.board)}" if game.board else "")


def player_names(form: Form) -> Sequence[str]:
    """Players as people call them: by their places in poker, by numbers from 1 elsewhere."""
    if isinstance(form.game, PokerGame):
        return form.game.players
    return [f"player {n + 1}" for n in range(form.players)]


def in_pot(form: Form, player: int) -> float:
    """What a player has put into the pot of a spot, with which what it gets is told."""
    game = form.game
    return float(game.betting.paid[0][player]) if isinstance(game, PokerGame) and game.pot else 0.0


def won(form: Form, player: int, payoff: float) -> str:
    """What a player wins a hand; in a spot, what it gets of the pot that it begins with."""
    units = form.units
    if units.pot:
        chips = payoff + in_pot(form, player)
        return f"{amount(chips)} chips a hand ({100 * chips / units.pot:.4g}% of the pot)"
    blinds = units.mbb(payoff)
    return f"{amount(payoff)} a hand" + ("" if blinds is None else f" ({blinds:.4g} mbb/h)")


def signed(number: float) -> str:
    """A change.

    >>> signed(0.01234), signed(-2.0)
    ('+0.0123', '-2')
    """
    return f"{number:+.3g}"


def advise_reading(what: str, saved: str | None) -> None:
    """How to look at what was saved, if it was."""
    if saved:
        advise(f"Read {what} with `counterfold show {shlex.quote(saved)}`.")


def print_entries(entries: Sequence[Sequence[str]]) -> None:
    """Names, what each of them is, and details: below it on a terminal, in brackets in a pipe."""
    if not on_terminal(sys.stdout):
        width = max(len(name) for name, *_ in entries)
        for name, about, *details in entries:
            more = ", ".join(filter(None, details))
            say(f"  {name.ljust(width)}  {about}{f' ({more})' if more else ''}")
        return
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold cyan", no_wrap=True)
    table.add_column()
    for name, about, *details in entries:
        dim = (("\n" + one, "dim") for one in details if one)
        table.add_row(name, Text.assemble(about, *dim))
    paint(table)


def print_panel(title: str, lines: Lines) -> None:
    """Lines in a frame on a terminal, bare in a pipe."""
    if not on_terminal(sys.stdout):
        say(title)
        width = max(len(name) for name, _ in lines)
        for name, text in lines:
            say(f"  {name.ljust(width)}  {text}")
        return
    from rich import box
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in lines:
        grid.add_row(name, Text(visible(text), style="bold" if name in STRONG else ""))
    head = Text(visible(title), style="bold")
    paint(Panel(grid, title=head, title_align="left", box=box.ROUNDED, expand=False))


def _method(result: Result) -> str:
    about = result.strategy.about
    if result.method == "lp":
        return "lp (sequence-form linear program, HiGHS)"
    if result.traversal != "full":
        walked = f"{result.traversal} sampling, seed {about.get('seed', 0)}"
    else:
        walked = "all hands at once" if result.poker else "full traversal"
    stored = (
        f", stored in {result.poker.bits} bits" if result.poker and result.poker.bits != 32 else ""
    )
    iterate = "last iterate" if about.get("iterate") == "last" else "average strategy"
    return f"{result.method}, {walked}, {iterate}{stored}"


def _pace(result: Result) -> str:
    """Iterations a second between the first and the last check."""
    if not result.trace:
        return ""
    first, last = result.trace[0], result.trace[-1]
    if not (last.iteration > first.iteration and last.seconds > first.seconds):
        return ""
    speed = (last.iteration - first.iteration) / (last.seconds - first.seconds)
    return f" ({speed:,.0f} a second)" if speed >= 100 else f" ({speed:.3g} a second)"


def _value(result: Result) -> str:
    poker, units = result.poker, result.strategy.tree.units
    if poker and poker.evs and units.pot:
        share = 100 / units.pot
        return _by_player(
            result, poker.evs, lambda ev: f"{amount(ev)} chips ({share * ev:.4g}% of the pot)"
        )
    scale = result.strategy.tree.largest_payoff
    if len(result.values) == 2 and (poker or abs(sum(result.values)) <= 1e-9 * scale):
        to = poker.players[0] if poker else "player 1"
        blinds = units.mbb(result.value)
        return f"{amount(result.value)} to {to}" + (
            "" if blinds is None else f" ({blinds:.5g} mbb/h)"
        )
    return _by_player(result, result.values, amount)


def _first_action(result: Result) -> Lines:
    """How often the first player of poker does what, over all hands."""
    from counterfold.poker.grid_colours import percent

    if result.poker is None or not result.poker.frequencies:
        return []
    shares = ", ".join(f"{a} {percent(share)}" for a, share in result.poker.frequencies.items())
    who = result.poker.players[int(result.strategy.tree.game.betting.player[0])]
    return [("first action", f"{who}: {shares}")]


def _tree(result: Result) -> str:
    poker = result.poker
    if poker is None:
        return f"{result.histories:,} histories, {result.infosets:,} infosets"
    return tables(poker.boards, poker.nodes, result.infosets, poker.memory)


def _by_player(result: Result, numbers: Sequence[float], written: Callable[[float], str]) -> str:
    names = player_names(result.strategy.tree)
    return ", ".join(f"{who} {written(x)}" for who, x in zip(names, numbers, strict=True))


def _stopped(result: Result, until: Until | None) -> str:
    """Which limit ended a run, and whether it came before the exploitability asked for."""
    target = None if until is None else until.target
    if target is None:
        return _limit(result, until)
    units = result.strategy.tree.units
    goal = in_units(units, target) if units.pot or units.big_blind else f"{target:g}"
    if result.exploitability > target:
        return f"{_limit(result, until)}, before the exploitability asked for ({goal})"
    if result.stopped == "exploitability":
        return f"at the exploitability asked for ({goal})"
    return _limit(result, until)


def _limit(result: Result, until: Until | None) -> str:
    limits = {
        "iterations": until and until.iterations and f"of {until.iterations:,}",
        "seconds": until and until.seconds and f"of {until.seconds:g} s",
    }
    limit = limits.get(result.stopped)
    return {
        "exploitability": "at the exploitability asked for",
        "iterations": f"at the limit {limit + ' ' if limit else ''}iterations",
        "seconds": f"at the time limit {limit or ''}".rstrip(),
        "interrupted": "by Ctrl-C or another signal",
        "optimum": "at the optimum",
        "library": "never ran: taken from the library",
        "precision": "where its numbers are too coarse to get any better",
    }.get(result.stopped, result.stopped)
