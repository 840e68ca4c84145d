"""Pieces of work, and their outcomes: named by what goes in, checked when they come back.

A piece is pure: what it gives depends on nothing but its kind, what is given to it and the version.
So its outcome may be computed anywhere, by whoever is free, and found again by its name. It is a
document of JSON with a checksum and, where it has more to keep (a solution), files beside it whose
digests stand in the document.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from dataclasses import dataclass, field
from functools import cached_property

from counterfold.errors import ClusterError, CounterfoldError, FileError, short
from counterfold.files.sealed import checksum
from counterfold.files.text import Fields, Json, parse_json
from counterfold.pieces.store import Store, store_at

FORMAT = "counterfold piece 1"
LOOK = 0.2
"""Seconds between two looks at what has come back."""
TRIES = 3
"""How often a piece is handed out again if what comes back is no outcome of it."""

Files = dict[str, bytes]
"""What is kept of an outcome, by ending: its document, json, and what stands beside it."""


def _version() -> str:
    from counterfold import __version__

    return __version__


@dataclass(frozen=True)
class Piece:
    """Work of a kind on what is given, which is JSON; ``wants`` are files beside the document.

    ``at`` is where whoever works finds large things that are given by their digests, as ``store``;
    the outcome does not depend on it.

    >>> one, two = Piece("square", {"of": 3}), Piece("square", {"of": 4})
    >>> one.name == Piece("square", {"of": 3}, wants=("txt",)).name != two.name
    True
    """

    kind: str
    given: Json
    wants: tuple[str, ...] = ()
    at: str | None = None

    @cached_property
    def name(self) -> str:
        """The kind, and a hash of all that the outcome depends on."""
        text = json.dumps(
            [FORMAT, _version(), self.kind, self.given], sort_keys=True, allow_nan=False
        )
        return f"{self.kind}-{hashlib.sha256(text.encode()).hexdigest()[:32]}"


@dataclass(frozen=True)
class Outcome:
    """What a piece gave, checked."""

    result: Json
    files: Files = field(default_factory=dict)


Work = Callable[[Json, tuple[str, ...]], Outcome]
"""What is done with a piece, from what is given and the files that are wanted: a function of a
module, so that other processes find it by its name."""


def packed(piece: Piece, outcome: Outcome) -> Files:
    """The files of an outcome."""
    digests = {end: hashlib.sha256(content).hexdigest() for end, content in outcome.files.items()}
    told = {
        "format": FORMAT,
        "version": _version(),
        "kind": piece.kind,
        "given": dict(piece.given),
        "result": outcome.result,
        "files": digests,
    }
    text = json.dumps({**told, "checksum": checksum(told)}, indent=1, allow_nan=False)
    return {**outcome.files, "json": text.encode()}


def unpacked(piece: Piece, files: object) -> Outcome:
    """The outcome in files that came from elsewhere; FileError if they are not of the piece."""
    if not isinstance(files, dict) or not isinstance(files.get("json"), bytes):
        raise FileError(f"{piece.name} has no document")
    told = document(piece.name, files["json"])
    if told.text("version") != _version():
        raise FileError(
            f"{piece.name} was computed by version {told.text('version')}, and this is {_version()}"
        )
    given = json.loads(json.dumps(dict(piece.given)))
    if told.text("kind") != piece.kind or told.raw("given") != given:
        raise FileError(f"{piece.name} is the outcome of another piece")
    digests, beside = told.object("files").value, {}
    for end in piece.wants:
        content = files.get(end)
        if (
            not isinstance(content, bytes)
            or digests.get(end) != hashlib.sha256(content).hexdigest()
        ):
            raise FileError(f"{piece.name}.{end} is missing or damaged")
        beside[end] = content
    return Outcome(dict(told.object("result").value), beside)


def document(name: str, content: bytes) -> Fields:
    """The document of an outcome, its checksum checked."""
    found = parse_json(content, f"{name}.json is damaged")
    if not isinstance(found, dict):
        raise FileError(f"{name}.json is damaged: it is no JSON object")
    told = {key: value for key, value in found.items() if key != "checksum"}
    if found.get("checksum") != checksum(told) or told.get("format") != FORMAT:
        raise FileError(f"{name}.json is damaged: its checksum does not fit what it holds")
    return Fields(told, f"{name}.json")


Check = Callable[[Piece, Outcome], object]
"""Raises FileError if an outcome is of the piece by its name and its digests, and yet is none."""


def kept(piece: Piece, store: Store | None, check: Check | None = None) -> Outcome | None:
    """The outcome that a store has; None if it has none, or one that is damaged."""
    if store is None or (content := store.read(f"{piece.name}.json")) is None:
        return None
    beside = {end: store.read(f"{piece.name}.{end}") for end in piece.wants}
    try:
        return _checked(unpacked(piece, {"json": content, **beside}), piece, check)
    except FileError:
        return None


def _checked(outcome: Outcome, piece: Piece, check: Check | None) -> Outcome:
    if check is not None:
        check(piece, outcome)
    return outcome


def keep(piece: Piece, outcome: Outcome, store: Store | None) -> None:
    """Put an outcome into a store; its document comes last, so that what it tells of is there."""
    if store is not None:
        for end, content in packed(piece, outcome).items():
            store.write(f"{piece.name}.{end}", content)


def perform(work: Work, piece: Piece, address: str | None) -> Files:
    """Do a piece, wherever this runs, unless somebody else has done it meanwhile."""
    found = None
    if address is not None:
        try:
            found = kept(piece, store_at(address))
        except CounterfoldError:  # not within this machine's reach
            found = None
    given = piece.given if piece.at is None else {**piece.given, "store": piece.at}
    return packed(piece, found or work(given, piece.wants))


def outcomes(
    pieces: Sequence[Piece],
    work: Work,
    executor: Executor,
    store: Store | None = None,
    check: Check | None = None,
) -> Iterator[tuple[Piece, Outcome]]:
    """Do pieces on whatever executes them, and hand out each as it is done (and kept).

    What the store has is not done again. What comes back is checked: a piece whose outcome is
    none is handed out again. If this is left before its end, what has not begun is called off.
    """
    todo = deque[Piece]()
    for piece in pieces:
        found = kept(piece, store, check)
        if found is None:
            todo.append(piece)
        else:
            yield piece, found
    address = None if store is None else store.address
    tries: dict[str, int] = {}
    working: dict[Future[Files], Piece] = {}

    def hand_out(piece: Piece) -> None:
        tries[piece.name] = tries.get(piece.name, 0) + 1
        try:
            there = address if tries[piece.name] == 1 else None  # what a store has may be wrong
            working[executor.submit(perform, work, piece, there)] = piece
        except RuntimeError as error:  # shut down or broken meanwhile
            raise ClusterError(_lost(error, len(pieces) - len(todo), len(pieces))) from None

    try:
        for piece in todo:
            hand_out(piece)
        left = len(todo)
        while working:
            done, _ = wait(working, timeout=LOOK, return_when=FIRST_COMPLETED)
            for future in done:
                piece = working.pop(future)
                files = _result_of(future, len(pieces) - left, len(pieces))
                try:
                    outcome = _checked(unpacked(piece, files), piece, check)
                except FileError as error:
                    if tries[piece.name] >= TRIES:
                        raise ClusterError(
                            f"{piece.name} came back {TRIES} times as what is no outcome of it "
                            f"({error}); the workers need the same version of counterfold"
                        ) from None
                    hand_out(piece)
                    continue
                keep(piece, outcome, store)
                left -= 1
                yield piece, outcome
    finally:
        for future in working:
            future.cancel()


def gathered(
    pieces: Sequence[Piece],
    work: Work,
    executor: Executor | None = None,
    on_progress: Callable[[int, int], object] | None = None,
    store: Store | None = None,
) -> list[Outcome]:
    """The outcomes of all pieces, in their order; without an executor they are done here.

    What the store has is not done again, and what is done is kept there.
    """
    found: dict[str, Outcome] = {}
    for piece, outcome in (
        _here(pieces, work, store) if executor is None else outcomes(pieces, work, executor, store)
    ):
        found[piece.name] = outcome
        if on_progress:
            on_progress(len(found), len(pieces))
    return [found[piece.name] for piece in pieces]


def _here(
    pieces: Sequence[Piece], work: Work, store: Store | None
) -> Iterator[tuple[Piece, Outcome]]:
    for piece in pieces:
        outcome = kept(piece, store)
        if outcome is None:
            outcome = work(piece.given, piece.wants)
            keep(piece, outcome, store)
        yield piece, outcome


def _result_of(future: Future[Files], done: int, count: int) -> object:
    """What came back; whatever went wrong on the way is told as a fault of the cluster."""
    try:
        return future.result()
    except CounterfoldError:  # the work's own word, the same on every machine
        raise
    except (Exception, CancelledError) as error:
        raise ClusterError(_lost(error, done, count)) from None


def _lost(error: BaseException, done: int, count: int) -> str:
    why = short(str(error) or type(error).__name__, 200)
    if isinstance(error, CancelledError):
        why = "the scheduler went away, or called it off"
    return (
        f"whoever does the work failed after {done:,} of {count:,} pieces ({why}); what is done "
        "is kept where a folder or a library was named, and the same command goes on with the rest"
    )
