"""From a poker game or spot to a certified strategy for all hands, in one call."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from counterfold.errors import ParameterError, UnsupportedError
from counterfold.evaluate.certificate import Certified
from counterfold.poker.game import PokerGame
from counterfold.solve.methods import DEFAULT_METHOD, Method
from counterfold.solve.poker_size import PokerSize, poker_size, size_of
from counterfold.solve.public import POKER_METHOD, PublicSolver
from counterfold.solve.result import check_every, default_until, known, run_to, shortfall
from counterfold.solve.solver import Report, Until
from counterfold.strategy.public import PublicStrategy
from counterfold.tree.public import PublicTree, meetings

__all__ = [
    "PokerResult",
    "chips_of",
    "poker_dtype",
    "poker_method",
    "poker_spec",
    "poker_until",
    "resume_poker",
    "root_frequencies",
    "solve_poker",
]

PERCENT = 0.3
"""Of the pot: where a spot is solved to if nobody says; what solver programs stop at."""

MBB = 1.0
"""Thousandths of a big blind a hand: where a game with blinds and no pot is solved to."""

_AMOUNT = re.compile(r"(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)\s*(%|mbb(?:/h)?|)", re.I)


@dataclass(frozen=True)
class PokerResult(Certified):
    """A strategy for all hands with its certificate and its provenance. Frozen.

    Of which iteration the certificate is, ``certified_at`` tells as in ``Result``.
    """

    game: str
    method: str
    bits: int
    iterations: int
    certified_at: int
    value: float
    values: tuple[float, float]
    players: tuple[str, str]
    pot: float | None
    evs: tuple[float, float] | None
    exploitability: float
    nash_conv: tuple[float, float]
    percent_of_pot: float | None
    mbb: float | None
    frequencies: dict[str, float]
    boards: int
    nodes: int
    histories: int
    infosets: int
    memory: int
    seconds: float
    cpu_seconds: float
    compile_seconds: float
    stopped: str
    promise: str
    strategy: PublicStrategy = field(repr=False)
    trace: tuple[Report, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON of ``counterfold solve --json`` for poker."""
        told = {
            name: getattr(self, name)
            for name in self.__dataclass_fields__
            if name not in ("strategy", "trace")
        }
        told["trace"] = [
            {
                "iteration": report.iteration,
                "cpu_seconds": report.cpu_seconds,
                "exploitability": report.exploitability,
            }
            for report in self.trace
        ]
        return told


def chips_of(game: PokerGame, amount: str | float) -> float:
    """An exploitability in chips a hand: a number, ``0.5%`` (of the pot) or ``1mbb``.

    >>> from counterfold.poker.holdem import fhp
    >>> chips_of(fhp(deck="TJQKA"), "1mbb"), chips_of(fhp(deck="TJQKA"), 0.25)
    (0.002, 0.25)
    """
    found = _AMOUNT.fullmatch(str(amount).strip())
    if not found or not 0 < float(found[1]) < float("inf"):
        raise ParameterError(
            f"{amount!r} is no exploitability to stop at; write 0.5% (of the pot), 1mbb "
            "(thousandths of a big blind a hand) or a number of chips"
        )
    number, unit = float(found[1]), found[2].lower()
    if not unit:
        return number
    if unit == "%":
        if not game.pot:
            raise ParameterError(
                f"{game.name} begins without a pot, so {amount} of it is nothing; write 1mbb, "
                "or a number of chips"
            )
        return number / 100 * game.pot
    if not game.big_blind:
        raise ParameterError(
            f"{game.name} does not say its big blind, so {amount} has no meaning; write 0.5% of "
            'the pot, or give the spot a "big_blind"'
        )
    return number / 1000 * game.big_blind


def poker_until(game: PokerGame) -> Until:
    """When to stop if nobody says: a spot at 0.3% of its pot, other hold'em at 1 mbb/h."""
    if game.pot:
        return Until(exploitability=chips_of(game, f"{PERCENT}%"))
    if game.big_blind:
        return Until(exploitability=chips_of(game, f"{MBB}mbb"))
    return default_until("full", float(np.abs(game.betting.payoff).max()))


def poker_method(game: PokerGame) -> str:
    """The method if nobody names one: DCFR for hold'em, that of other games for one card."""
    return DEFAULT_METHOD if game.rules.hole == 1 else POKER_METHOD


def poker_dtype(game: PokerGame) -> str:
    """The numbers if nobody says: hold'em is large, hands of one card are for comparison."""
    return "float64" if game.rules.hole == 1 else "float32"


def solve_poker(
    game: PokerGame | PublicTree | PublicSolver,
    method: str | Method | None = None,
    until: Until | None = None,
    *,
    save: str | os.PathLike[str] | None = None,
    every: int | None = None,
    rescue: str | os.PathLike[str] | None = None,
    on_the_way: bool = False,
    on_report: Callable[[Report], None] | None = None,
    on_size: Callable[[PokerSize], None] | None = None,
    memory: int | None = None,
    bits: int = 32,
    dtype: str | None = None,
    symmetry: bool | None = None,
    **settings: Any,
) -> PokerResult:
    """Solve a poker game or spot, all hands at once, and certify what came out.

    ``settings`` are those of ``PublicSolver``: ``average``, ``threads``, ``asked``, ``best``;
    ``dtype`` is float32, and float64 for hands of one card, unless it is given. Before anything
    is built ``on_size`` hears how large it will be, and what does not fit into ``memory`` is
    refused. A solver that is ready, with locks or a style, is run as it is. With ``on_the_way`` the
    ``rescue`` is written once a minute too. The rest is as in ``solve``.

    >>> from counterfold.poker.spot import spot
    >>> result = solve_poker(spot({"board": "Ks 9h 6s 4d 2c", "pot": 200, "stack": 600,
    ...     "oop": "AA,QQ", "ip": "JJ,TT", "bets": ["75%"], "raises": []}))
    >>> abs(result.evs[0] - 200) < 1, result.percent_of_pot <= 0.3
    (True, True)
    """
    check_every(every, save)
    if str(method).strip().lower() == "lp":
        raise UnsupportedError(
            "the linear program is for games in history form; a public tree takes a method of CFR"
        )
    began = time.perf_counter()
    if isinstance(game, PublicSolver):
        if method is not None or settings:
            raise ParameterError("a solver that is ready has its method and settings already")
        limits = until or poker_until(game.tree.game)
        return _finish(game, limits, [], save, every, on_report, 0.0, rescue, on_the_way)
    rules = game.game if isinstance(game, PublicTree) else game
    method = method or poker_method(rules)
    kind = dtype or poker_dtype(rules)
    if isinstance(game, PublicTree):
        tree = game
    else:
        alike = bool(game.about.get("symmetry", True)) if symmetry is None else symmetry
        need = poker_size(game, method, symmetry=alike, bits=bits, dtype=kind)
        if on_size:
            on_size(need)
        need.check(memory)
        tree = PublicTree(game, symmetry=alike, memory=1 << 62)
    solver = PublicSolver(tree, method, dtype=kind, bits=bits, **settings)
    compiled = time.perf_counter() - began
    limits = until.after(compiled) if until else poker_until(rules)
    return _finish(solver, limits, [], save, every, on_report, compiled, rescue, on_the_way)


def resume_poker(
    path: str | os.PathLike[str],
    until: Until | None = None,
    *,
    save: str | os.PathLike[str] | None = None,
    every: int | None = None,
    on_report: Callable[[Report], None] | None = None,
    threads: int | None = None,
    on_the_way: bool = False,
) -> PokerResult:
    """Continue a checkpoint, bit for bit as if it had never been interrupted; see ``resume``.

    With ``on_the_way`` it is written until the end, but not then.
    """
    began = time.perf_counter()
    solver, trace = PublicSolver.resume(path, threads=threads)
    compiled = time.perf_counter() - began
    limits = until.after(compiled) if until else poker_until(solver.tree.game)
    target, rescue = (None, path) if on_the_way else (save or path, None)
    return _finish(solver, limits, trace, target, every, on_report, compiled, rescue, on_the_way)


def root_frequencies(strategy: PublicStrategy) -> dict[str, float]:
    """How often each action is taken at the first decision, over all hands as they are dealt."""
    game = strategy.tree.game
    owner = int(game.betting.player[0])
    if owner < 0:
        return {}
    mass = game.ranges[owner] * meetings(game.rules, game.ranges[1 - owner])
    shares = np.nan_to_num(strategy.at(0)) @ mass / mass.sum()
    labels = [game.betting.label[child] for child in game.betting.children(0)]
    return dict(zip(labels, shares.tolist(), strict=True))


def _finish(
    solver: PublicSolver,
    until: Until,
    trace: list[Report],
    save: str | os.PathLike[str] | None,
    every: int | None,
    on_report: Callable[[Report], None] | None,
    compiled: float,
    rescue: str | os.PathLike[str] | None = None,
    on_the_way: bool = False,
) -> PokerResult:
    # Before anybody waits for the end: it goes over all boards.
    size = size_of(solver.tree, solver.method, solver.settings.bits, solver.settings.dtype)
    final, stopped = run_to(solver, until, trace, save, every, on_report, rescue, on_the_way)
    assert final.values is not None
    assert final.gains is not None
    assert final.exploitability is not None
    game, found = solver.tree.game, final.exploitability
    strategy = solver.strategy(**known(solver, final, stopped))
    one, two = (float(value) for value in final.values)
    paid = game.betting.paid[0]
    return PokerResult(
        game=poker_spec(game),
        method=solver.settings.method,
        bits=solver.settings.bits,
        iterations=solver.iteration,
        certified_at=final.iteration,
        value=one,
        values=(one, two),
        players=game.players,
        pot=game.pot,
        evs=(one + float(paid[0]), two + float(paid[1])) if game.pot else None,
        exploitability=found,
        nash_conv=(float(final.gains[0]), float(final.gains[1])),
        percent_of_pot=100 * found / game.pot if game.pot else None,
        mbb=1000 * found / game.big_blind if game.big_blind else None,
        frequencies=root_frequencies(strategy),
        boards=size.boards,
        nodes=size.nodes,
        histories=size.histories,
        infosets=size.infosets,
        memory=size.bytes,
        seconds=solver.seconds,
        cpu_seconds=solver.cpu_seconds,
        compile_seconds=compiled,
        stopped=stopped,
        promise=_promise(game, solver.locked) + shortfall(solver, final, stopped),
        strategy=strategy,
        trace=tuple(trace),
    )


def poker_spec(game: PokerGame) -> str:
    """The name of a spot; of a named game, the name with the parameters that are not the usual.

    >>> from counterfold.poker.holdem import fhp, leduc
    >>> poker_spec(fhp(cap=3)), poker_spec(leduc())
    ('fhp(cap=3)', 'leduc')
    """
    from inspect import signature

    from counterfold.games.spec import Spec
    from counterfold.poker.holdem import POKER_GAMES

    if "game" not in game.about:
        return game.name
    usual = {k: p.default for k, p in signature(POKER_GAMES[game.about["game"]]).parameters.items()}
    given = {
        key: tuple(map(_plain, value)) if isinstance(value, list) else _plain(value)
        for key, value in game.about.get("parameters", {}).items()
    }
    other = {key: value for key, value in given.items() if value != usual.get(key)}
    return str(Spec(game.about["game"], (), other))


def _plain(value: Any) -> Any:
    """A whole number without a point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _promise(game: PokerGame, held: bool) -> str:
    """What theory says about the result, in one sentence."""
    if held:
        return (
            "With locks: an equilibrium of the game in which they hold; exploitability is what "
            "could be gained where nothing is locked."
        )
    if game.betting.zero_sum:
        return "Two-player zero-sum: the average strategy converges to a Nash equilibrium."
    return (
        "With rake the game is not zero-sum: CFR has no guarantee here, but the exploitability "
        "is exact, and low is an equilibrium."
    )
