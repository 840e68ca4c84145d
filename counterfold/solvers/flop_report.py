"""One spot on many flops: what it is worth and how it is played on each, and on the whole."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from counterfold.errors import CounterfoldError, FileError, MismatchError, ParameterError, short
from counterfold.evaluate.certificate import Certified
from counterfold.evaluate.public_view import Browser
from counterfold.files.sealed import read_document, write_document
from counterfold.files.text import Fields, Json
from counterfold.files.typed import from_json, to_json
from counterfold.files.whole import write_whole
from counterfold.notebook import brief
from counterfold.pieces.piece import Outcome, Piece, keep, kept, outcomes
from counterfold.pieces.store import Store
from counterfold.poker.cards import board_name, cards_name, holes_without, parse_cards
from counterfold.poker.flops import TEXTURES, representative_flops, textures
from counterfold.poker.game import PokerGame, meetings
from counterfold.poker.holdem import holdem_range
from counterfold.poker.isomorphism import canonical, standard_boards
from counterfold.poker.ranges import Range
from counterfold.poker.spot import spot
from counterfold.solvers.result import Result, resume, solve
from counterfold.solvers.run import Saving
from counterfold.solvers.shelf import file_of, flop_piece
from counterfold.solvers.until import Report, Until
from counterfold.tree.boards import renamings
from counterfold.tree.public import HARDLY

FORMAT = "counterfold flops 1"
_MOST_WEIGHT = 1e9
_ENTRY = re.compile(r"([^:]+?)(?:\s*:\s*(\d+\.?\d*|\.\d+))?")


class Flop(NamedTuple):
    """A flop, and for how many it stands."""

    cards: tuple[int, ...]
    weight: float


@dataclass(frozen=True)
class FlopRow(Certified):
    """What a solution says about its root, on one flop or in the mean over many."""

    flop: str
    texture: str
    weight: float  # flops that it stands for
    mass: float  # of the pairs of hands that can be held on it
    ev: dict[str, float]  # by player, chips
    equity: dict[str, float]  # by player
    frequencies: dict[str, float]  # of the first action
    after: dict[str, dict[str, float]]  # of the action after each first one
    exploitability: float  # chips
    percent_of_pot: float
    iterations: int
    seconds: float


def flops_of(text: str | int) -> list[Flop]:
    """Flops in words: how many of those that stand for all, ``all``, or a list with weights.

    A flop without a weight stands for all that differ from it in the names of suits.

    >>> len(flops_of("25")), sum(flop.weight for flop in flops_of(25))
    (25, 22100.0)
    >>> [flop.weight for flop in flops_of("Ks7h2d, AsAhAd, 9s8s7s:3")]
    [24.0, 4.0, 3.0]
    """
    words = str(text).strip()
    if words.lower() == "all" or re.fullmatch(r"[+-]?\d{1,9}", words):
        found = representative_flops(1755 if words.lower() == "all" else int(words))
        return [
            Flop(tuple(cards), float(weight))
            for cards, weight in zip(found.cards.tolist(), found.weights.tolist(), strict=True)
        ]
    flops: list[Flop] = []
    for part in re.split(r"[,;\n]", words):
        if not part.strip():
            continue
        entry = _ENTRY.fullmatch(part.strip())
        cards = parse_cards(entry[1]) if entry else ()
        if entry is None or len(cards) != 3:
            raise ParameterError(
                f"{short(part.strip())} is no flop; write a number of flops, all, or flops as in "
                "Ks7h2d,AsAhAd:2"
            )
        if any(set(cards) == set(flop.cards) for flop in flops):
            raise ParameterError(f"the flop {board_name(cards)} is given twice; give it once")
        weight = float(entry[2]) if entry[2] else _alike(cards)
        if not 0 < weight <= _MOST_WEIGHT:
            raise ParameterError(
                f"the flop {board_name(cards)} must weigh more than nothing and no more than "
                f"{_MOST_WEIGHT:,.0f}"
            )
        flops.append(Flop(cards, weight))
    if not flops:
        raise ParameterError("no flop is given; write a number of flops, all, or as in Ks7h2d")
    return flops


def _alike(cards: Sequence[int]) -> float:
    """How many flops differ from one only in the names of suits."""
    (standard,) = canonical(cards)
    flops = standard_boards(3)
    at = np.flatnonzero((flops.cards == np.array(standard, np.uint8)).all(1))
    return float(flops.weights[at[0]])


class FlopReport:
    """The spot of a dictionary (its board, if it has one, is put aside) on many flops.

    With a ``folder`` every flop that is done is kept there, with its solution if ``keep`` says
    so, and a later report goes on with what is missing. A flop that was solved to less than
    ``accuracy`` (``0.5%`` of the pot, or chips) is solved again. A ``library`` is shared by reports
    of whatever spots: what it has of a flop is taken, what it lacks is added.
    """

    def __init__(  # noqa: PLR0913  (said by their names)
        self,
        given: object,
        flops: Sequence[Flop] | str | int = 25,
        *,
        accuracy: str | float = "0.5%",
        method: str | None = None,
        bits: int = 32,
        threads: int | None = None,
        memory: int | None = None,
        folder: str | os.PathLike[str] | None = None,
        keep: bool = False,
        library: Store | None = None,
        name: str = "spot",
        where: str = "the spot",
    ) -> None:
        chosen = flops_of(flops) if isinstance(flops, str | int) else list(flops)
        if keep and folder is None and library is None:
            raise ParameterError("solutions are kept in a folder; name one")
        self.spot = _template(given, chosen, name, where)
        self.accuracy = self.spot.units.chips(accuracy)
        self.settings: Json = {
            "method": method,
            "bits": bits,
            "threads": threads,
            "memory": memory,
        }
        self.folder = None if folder is None else Path(folder)
        self.keep, self.library = keep, library
        held = holdem_range(self.spot.rules.deck)
        told = self.spot.about["spot"]
        ranges = [Range.parse(told[seat]).weights * held for seat in ("oop", "ip")]
        whole = replace(self.spot, board=(), ranges=(ranges[0], ranges[1]))
        if isinstance(flops, int) or (isinstance(flops, str) and not re.search("[cdhs]", flops)):
            _check_suits(whole)
        self.games: dict[Flop, PokerGame] = {}
        self.impossible: list[Flop] = []
        self.masses: dict[Flop, float] = {}
        for flop in chosen:
            made = _spot_on(whole, flop)
            if made is None:
                self.impossible.append(flop)
            else:
                self.games[flop], self.masses[flop] = made
        if not self.games:
            raise ParameterError(f"{where}: none of the flops leaves both players a hand")
        self.rows: dict[Flop, FlopRow] = {}
        if self.folder is not None:
            self._open(self.folder)

    def __repr__(self) -> str:
        return brief(self, f"of {self.spot.name}: {len(self.rows)} of {len(self.games)} flops")

    def run(
        self,
        on_report: Callable[[Flop, Report], None] | None = None,
        executor: Executor | None = None,
    ) -> Iterator[FlopRow]:
        """Solve what is missing, flop by flop, or as pieces on whatever executes them.

        Ctrl-C is raised when the work is kept.
        """
        missing = [flop for flop in self.games if flop not in self.rows]
        done = self._here(missing, on_report) if executor is None else self._on(missing, executor)
        for flop, outcome in done:
            row = from_json(FlopRow, Fields(outcome.result, f"the row of {board_name(flop.cards)}"))
            row = replace(row, weight=flop.weight)
            if self.folder is not None:
                if self.keep:
                    write_whole(self._file(flop, "safetensors"), outcome.files["safetensors"])
                write_document(self._file(flop, "json"), to_json(row))
                self._file(flop, "part").unlink(missing_ok=True)
            self.rows[flop] = row
            yield row

    def piece(self, flop: Flop) -> Piece:
        """A flop as a piece of work: the spot, how it is solved and how far."""
        how = self.settings
        piece = flop_piece(self.games[flop], self.accuracy, how["method"], how["bits"])
        return piece if self.keep else replace(piece, wants=())

    def _here(
        self, flops: Sequence[Flop], on_report: Callable[[Flop, Report], None] | None
    ) -> Iterator[tuple[Flop, Outcome]]:
        for flop in flops:
            piece = self.piece(flop)
            outcome = kept(piece, self.library)
            if outcome is None:
                result = self._solved(flop, self.games[flop], on_report)
                if result.stopped == "interrupted":
                    raise KeyboardInterrupt
                outcome = _outcome(flop, result, self.masses[flop], piece.wants)
                keep(piece, outcome, self.library)
            yield flop, outcome

    def _on(self, flops: Sequence[Flop], executor: Executor) -> Iterator[tuple[Flop, Outcome]]:
        by_name = {self.piece(flop).name: flop for flop in flops}
        pieces = [self.piece(flop) for flop in flops]
        for piece, outcome in outcomes(pieces, solve_flop, executor, self.library):
            yield by_name[piece.name], outcome

    def done(self) -> list[FlopRow]:
        """The rows so far, in the order of the flops."""
        return [self.rows[flop] for flop in self.games if flop in self.rows]

    def _solved(
        self, flop: Flop, game: PokerGame, on_report: Callable[[Flop, Report], None] | None
    ) -> Result:
        def told(report: Report) -> None:
            if on_report:
                on_report(flop, report)

        until, saving = Until(exploitability=self.accuracy), None
        if self.folder is not None:
            part = self._file(flop, "part")
            saving = Saving(rescue=part, on_the_way=True)
            if part.exists():
                with suppress(CounterfoldError):
                    threads = self.settings["threads"]
                    return resume(part, until, save=saving, on_report=told, threads=threads)
        return solve(game, until=until, save=saving, on_report=told, **self.settings)

    # The folder.

    def _file(self, flop: Flop, suffix: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{cards_name(flop.cards)}.{suffix}"

    def _open(self, folder: Path) -> None:
        """Take over what the folder holds, if it is a report of the same spot."""
        told = {k: v for k, v in self.spot.about["spot"].items() if k not in ("board", "name")}
        header, mine = folder / "report.json", {"format": FORMAT, "spot": told}
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise FileError(f"the folder {folder} cannot be made: {error.strerror}") from None
        if not header.exists():
            if any(folder.iterdir()):
                raise FileError(f"{folder} has files that are no report; choose another folder")
            write_document(header, mine)
            return
        if read_document(header, "the head of a report").value != json.loads(json.dumps(mine)):
            raise MismatchError(f"{folder} holds the report of another spot; choose another folder")
        for flop in self.games:
            file = self._file(flop, "json")
            if not file.exists() or (self.keep and not self._file(flop, "safetensors").exists()):
                continue
            try:
                row = from_json(FlopRow, read_document(file, "a row of a report"))
            except FileError as error:
                raise FileError(
                    f"{file} is damaged ({error}); delete it to solve the flop again"
                ) from None
            if row.exploitability <= self.accuracy:
                self.rows[flop] = replace(row, weight=flop.weight)


def solve_flop(given: Json, wants: tuple[str, ...]) -> Outcome:
    """The work of a piece, on whatever machine: the report of one flop, in one thread."""
    (flop,) = flops_of(given["flop"])
    report = FlopReport(
        given["spot"], [flop], accuracy=given["accuracy"], method=given["method"],
        bits=given["bits"], threads=1,
    )  # fmt: skip
    result = report._solved(flop, report.games[flop], None)
    if result.stopped == "interrupted":
        raise KeyboardInterrupt
    return _outcome(flop, result, report.masses[flop], wants)


def _outcome(flop: Flop, result: Result, mass: float, wants: tuple[str, ...]) -> Outcome:
    """What is kept of a solution: its row, and itself if it is wanted."""
    files = {end: file_of(result.strategy) for end in wants}
    return Outcome(to_json(_row(flop, result, mass)), files)


def row_alone(given: Json, result: Result) -> FlopRow:
    """What a report would tell of a flop that was solved alone, as a piece of one."""
    (flop,) = flops_of(given["flop"])
    report = FlopReport(given["spot"], [flop], accuracy=given["accuracy"])
    return _row(flop, result, report.masses[flop])


def _template(given: object, flops: Sequence[Flop], name: str, where: str) -> PokerGame:
    """The spot on the first flop that leaves both players hands."""
    if not isinstance(given, Mapping):
        raise ParameterError(f'{where} must be a JSON object with keys such as "pot" and "oop"')
    if given.get("blinds") is not None and given.get("pot") is None:
        raise ParameterError(
            f'{where} begins before the flop; a report begins on it: give "pot" and "stack" '
            'in place of "blinds"'
        )
    board = given.get("board") or ""
    words = board if isinstance(board, str) else "".join(map(str, board))
    if len(parse_cards(words)) > 3:
        raise ParameterError(
            f"{where} begins after the flop (its board is {board_name(parse_cards(words))}); a "
            "report begins on the flop"
        )
    failed: ParameterError | None = None
    for flop in flops[:5]:
        wanted = {**given, "board": board_name(flop.cards)}
        wanted.pop("starting_street", None)
        try:
            return spot(wanted, name=name, where=where)
        except ParameterError as error:
            failed = failed or error
    assert failed is not None
    raise failed


def _check_suits(game: PokerGame) -> None:
    if len(renamings(game)) < math.factorial(4):
        raise ParameterError(
            "the ranges tell suits apart, so that one flop cannot stand for those that differ in "
            "the names of suits; name the flops one by one, as in Ks7h2d,AsAhAd:2"
        )


def _spot_on(game: PokerGame, flop: Flop) -> tuple[PokerGame, float] | None:
    """The spot on a flop, and how much of the ranges' pairs of hands can be held there.

    Nothing if it leaves no two hands to hold, or is not of the deck.
    """
    if not set(flop.cards) <= set(game.rules.deck):
        return None
    left = holes_without(flop.cards)
    one, two = (np.where(left, weights, 0.0) for weights in game.ranges)
    mass = float(one @ meetings(two))
    if not mass > HARDLY * float(one.sum() * two.sum()):
        return None
    about = {**game.about, "spot": {**game.about["spot"], "board": board_name(flop.cards)}}
    return replace(game, board=flop.cards, ranges=(one, two), about=about), mass


def _row(flop: Flop, result: Result, mass: float) -> FlopRow:
    strategy = result.strategy  # in 16 bits any scale will do
    one, two = (table.astype(np.float32, copy=False) for table in strategy.tables)
    found = Browser(replace(strategy, tables=(one, two)), threads=1).summary()
    assert result.poker is not None
    assert result.poker.percent_of_pot is not None
    return FlopRow(
        flop=board_name(flop.cards),
        texture=TEXTURES[int(textures(np.array([flop.cards], np.uint8))[0])],
        weight=flop.weight,
        mass=mass,
        ev={who: float(ev) for who, ev in found["ev"].items()},
        equity={who: float(share) for who, share in found["equity"].items()},
        frequencies=found["actions"],
        after={
            label: {action: share for action, share in shares.items() if math.isfinite(share)}
            for label, shares in found["after"].items()
        },
        exploitability=result.exploitability,
        percent_of_pot=result.poker.percent_of_pot,
        iterations=result.iterations,
        seconds=result.seconds,
    )


def mean_row(rows: Sequence[FlopRow]) -> FlopRow:
    """The mean over flops, by how often each comes with hands that can be held on it."""
    shares = np.array([row.weight * row.mass for row in rows])
    shares /= shares.sum()

    def mean(values: Sequence[float]) -> float:
        return float(shares @ np.array(values))

    def each(key: str) -> dict[str, float]:
        return {
            name: mean([getattr(row, key)[name] for row in rows]) for name in getattr(rows[0], key)
        }

    after: dict[str, dict[str, float]] = {}
    for label in rows[0].after:
        # By how often the first action is taken as well.
        weigh = shares * np.array([row.frequencies.get(label, 0.0) for row in rows])
        names = dict.fromkeys(name for row in rows for name in row.after[label])
        if weigh.sum() > 0:
            after[label] = {
                name: float(weigh @ [row.after[label].get(name, 0.0) for row in rows] / weigh.sum())
                for name in names
            }
    return FlopRow(
        flop="mean",
        texture="",
        weight=sum(row.weight for row in rows),
        mass=mean([row.mass for row in rows]),
        ev=each("ev"),
        equity=each("equity"),
        frequencies=each("frequencies"),
        after=after,
        exploitability=mean([row.exploitability for row in rows]),
        percent_of_pot=mean([row.percent_of_pot for row in rows]),
        iterations=sum(row.iterations for row in rows),
        seconds=sum(row.seconds for row in rows),
    )
