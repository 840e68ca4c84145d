"""A poker result as a person reads it, in chips, percent of the pot and mbb/h."""

from __future__ import annotations

from typing import Any

from counterfold.cli.certificate import Lines, exactly, pace, why_stopped
from counterfold.cli.output import duration, size, tiny
from counterfold.cli.table import percent
from counterfold.poker.cards import board_name
from counterfold.poker.game import PokerGame
from counterfold.solve.result import Result
from counterfold.solve.until import Until
from counterfold.tree.public_size import PublicSize

__all__ = ["poker_certificate", "size_lines", "size_told", "units", "won"]


def size_told(found: PublicSize) -> str:
    """A size in one line."""
    boards = f"{found.boards:,} board" + ("s" if found.boards > 1 else "")
    return (
        f"{boards}, {found.nodes:,} nodes, {found.infosets:,} infosets, "
        f"tables of {size(found.bytes)}"
    )


def size_lines(game: PokerGame, found: PublicSize, room: int) -> Lines:
    """A size, and whether it fits."""
    fits = found.bytes <= room
    return [
        ("game", _named(game)),
        ("boards", f"{found.boards:,} that differ by more than the names of suits"),
        ("nodes", f"{found.nodes:,}, {found.decisions:,} of them decisions"),
        ("hands", " and ".join(f"{n:,} of {p}" for n, p in _pair(found.hands, game.players))),
        ("infosets", f"{found.infosets:,}"),
        ("memory", f"{size(found.bytes)} for a solver's tables, {size(found.half)} in 16 bits"),
        ("at hand", f"{size(room)}: it {'fits' if fits else 'does not fit'}"),
    ]


def _pair(one: Any, two: Any) -> Any:
    return zip(one, two, strict=True)


def _named(game: PokerGame) -> str:
    return game.spec + (f", {board_name(game.board)}" if game.board else "")


def units(game: PokerGame, chips: float) -> str:
    """An exploitability in percent of the pot and mbb/h, or in chips where there is neither."""
    parts = []
    if game.pot:
        parts.append(f"{_short(100 * chips / game.pot)}% of the pot")
    if game.big_blind:
        parts.append(f"{_short(1000 * chips / game.big_blind)} mbb/h")
    return ", ".join(parts) or tiny(chips)


def won(game: PokerGame, seat: int, chips: float) -> str:
    """What a player wins a hand; in a spot, what it gets of the pot that it begins with."""
    if game.pot:
        chips += float(game.betting.paid[0][seat])
        return f"{chips:.6g} chips a hand ({100 * chips / game.pot:.4g}% of the pot)"
    told = f"{chips:.6g} a hand"
    return told + (f" ({1000 * chips / game.big_blind:.4g} mbb/h)" if game.big_blind else "")


def _short(number: float) -> str:
    return f"{number:.3g}" if number < 1000 else f"{number:,.0f}"


def poker_certificate(result: Result, until: Until, saved: str | None) -> Lines:
    """The lines of a certificate."""
    game, poker = result.strategy.tree.game, result.poker
    assert poker is not None
    speed = pace(result)
    stored = f", stored in {poker.bits} bits" if poker.bits != 32 else ""
    lines: Lines = [
        ("game", _named(game)),
        ("method", f"{result.method}, all hands at once{stored}"),
        ("iterations", f"{result.iterations:,}" + _pace(speed)),
        ("value", _value(result, game)),
        (
            "exploitability",
            f"{units(game, result.exploitability)} ({exactly(result)}){_chips(result, game)}",
        ),
        (
            "gains",
            ", ".join(
                f"{who} {units(game, gain)}" for who, gain in _pair(game.players, result.nash_conv)
            ),
        ),
    ]
    if poker.frequencies:
        who = game.players[int(game.betting.player[0])]
        told = ", ".join(f"{a} {percent(f)}" for a, f in poker.frequencies.items())
        lines.append(("first action", f"{who}: {told}"))
    lines += [
        ("promise", result.promise),
        (
            "tree",
            f"{poker.boards:,} board{'s' if poker.boards > 1 else ''}, {poker.nodes:,} nodes, "
            f"{result.infosets:,} infosets, tables of {size(poker.memory)}",
        ),
        (
            "time",
            f"{duration(result.cpu_seconds)} CPU, {duration(result.seconds)} wall; before that "
            f"{duration(result.compile_seconds)} to build the tree",
        ),
        ("stopped", why_stopped(result, until, lambda target: units(game, target))),
    ]
    return [*lines, ("saved", saved)] if saved else lines


def _pace(speed: float | None) -> str:
    if speed is None:
        return ""
    return f" ({speed:,.0f} a second)" if speed >= 100 else f" ({speed:.3g} a second)"


def _value(result: Result, game: PokerGame) -> str:
    assert result.poker is not None
    if result.poker.evs is not None and game.pot:
        return ", ".join(
            f"{who} {ev:.6g} chips ({100 * ev / game.pot:.4g}% of the pot)"
            for who, ev in _pair(game.players, result.poker.evs)
        )
    told = f"{result.value:.6g} to {game.players[0]}"
    if game.big_blind:
        told += f" ({1000 * result.value / game.big_blind:.5g} mbb/h)"
    return told


def _chips(result: Result, game: PokerGame) -> str:
    return f", {tiny(result.exploitability)} chips" if game.pot or game.big_blind else ""
