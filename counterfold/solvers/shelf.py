"""Solutions in a library: looked for before a game is solved, and put there when it is."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from counterfold.errors import ParameterError
from counterfold.files.typed import to_json
from counterfold.pieces.piece import Outcome, Piece, keep, kept
from counterfold.pieces.store import Store
from counterfold.poker.cards import cards_name
from counterfold.poker.game import PokerGame
from counterfold.solvers.methods import Method
from counterfold.solvers.result import Result, certified, solve
from counterfold.solvers.run import Saving
from counterfold.solvers.settings import defaults_of
from counterfold.solvers.until import Until
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.tree.form import Form, PokerForm, form_of
from counterfold.tree.named import as_game

ENDING = "safetensors"
APART = ("threads", "memory", "on_report", "save", "every", "on_compile")
"""What a solution does not depend on."""


def flop_piece(game: PokerGame, accuracy: float, method: str | None, bits: int) -> Piece:
    """A spot on a flop: the same piece whether it is solved alone or in a report."""
    told = {key: value for key, value in game.about["spot"].items() if key != "name"}
    flop = cards_name(game.board)
    return Piece(
        "flop",
        {"spot": told, "flop": flop, "accuracy": accuracy, "method": method, "bits": bits},
        wants=(ENDING,),
    )


def piece_of(
    form: Form, accuracy: float, method: str | None, traversal: str, settings: Mapping[str, Any]
) -> Piece:
    """What a solution is called: by the game, its fingerprint, how it is solved and how far."""
    how = {k: v for k, v in settings.items() if k not in APART}
    game = form.game if isinstance(form, PokerForm) else None
    plain = traversal == "full" and set(how) <= {"bits"}
    if plain and game and "spot" in game.about and len(game.board) == 3:
        return flop_piece(game, accuracy, method, how.get("bits") or 32)
    given = {
        "game": form.spec, "fingerprint": form.fingerprint, "accuracy": accuracy, "method": method,
        "traversal": traversal, **how,
    }  # fmt: skip
    return Piece("solution", given, wants=(ENDING,))


def solve_in(
    library: Store,
    game: object,
    method: str | Method | None = None,
    until: Until | int | str | None = None,
    traversal: str = "full",
    **settings: Any,
) -> Result:
    """The solution that a library has, measured anew; else ``solve`` it, and put it there.

    It is one to an exploitability: a run that ends before it is not kept.

    >>> import counterfold as cf
    >>> from counterfold.pieces.store import store_at
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = solve_in(store_at(folder), "kuhn", until="1e-4")
    ...     again = solve_in(store_at(folder), "kuhn", until="1e-4")
    >>> first.stopped, again.stopped, again.exploitability == first.exploitability
    ('exploitability', 'library', True)
    """
    if settings.get("style") is not None or settings.get("locks") is not None:
        raise ParameterError("a library has solutions without locks and styles; leave it out")
    settings = {key: value for key, value in settings.items() if value is not None}
    if isinstance(method, Method):
        raise ParameterError("a library knows methods by their names; give a name")
    memory = settings.pop("memory", None)
    form = form_of(as_game(game), memory, settings.pop("on_compile", None))
    limits = (Until.of(until) or defaults_of(form, traversal).until).on(form)
    if limits.target is None:
        raise ParameterError(
            "a library has solutions to an exploitability: say which, as --exploitability 0.3%"
        )
    piece = piece_of(form, limits.target, method, traversal, settings)
    found = kept(piece, library)
    if found is not None:
        result = certified(strategy_in(found.files[ENDING], form), settings.get("bits", 32))
        if (path := Saving.of(settings.get("save")).path) is not None:
            result.strategy.save(path)
        return result
    result = solve(form, method, limits, traversal, **settings)
    if result.exploitability <= limits.target:
        keep(piece, outcome_of(piece, result), library)
    return result


def outcome_of(piece: Piece, result: Result) -> Outcome:
    """What is kept of a solution: what a report tells of a flop, or its certificate; and itself."""
    if piece.kind == "flop":
        from counterfold.solvers.flop_report import row_alone

        told = to_json(row_alone(piece.given, result))
    else:
        told = {
            "value": result.value,
            "exploitability": result.exploitability,
            "iterations": result.iterations,
            "seconds": result.seconds,
            "percent_of_pot": None if result.poker is None else result.poker.percent_of_pot,
        }
    return Outcome(told, {ENDING: file_of(result.strategy)})


def file_of(strategy: Strategy) -> bytes:
    """A strategy as the bytes of its file."""
    with tempfile.TemporaryDirectory() as folder:
        strategy.save(Path(folder, "solution"))
        return Path(folder, "solution").read_bytes()


def strategy_in(content: bytes, form: object = None) -> AnyStrategy:
    """The strategy in the bytes of a file; ``form`` is the compiled game, if there is one."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "solution")
        file.write_bytes(content)
        return Strategy.load(file, form)
