"""A gauntlet: one strategy of hold'em against a row of opponents, and a ledger of how it went."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

from counterfold.agent import Agent
from counterfold.errors import FileError, ParameterError
from counterfold.files.text import Fields, parse_json, read_text
from counterfold.files.whole import write_whole
from counterfold.games.base import spec_of
from counterfold.games.spec import whole
from counterfold.play.bots import AT_TABLES
from counterfold.play.match import Match
from counterfold.poker.table import Holdem

Bot = Callable[[], Agent]
OPPONENTS: dict[str, Bot] = dict(AT_TABLES)
"""Who stands in every gauntlet; blueprints of other lengths join them."""


@dataclass(frozen=True)
class Bout:
    """A match of a gauntlet: what the agent won from an opponent, a line of the ledger.

    ``mbb`` is in thousandths of a big blind a hand, ``mbb_half`` half of its 95% interval (null
    with fewer than two hands a seat); ``reduced`` says whether luck was taken out.
    """

    when: str
    game: str
    agent: str
    opponent: str
    hands: int
    seed: int
    mbb: float
    mbb_half: float | None
    reduced: bool
    faults: tuple[int, ...]


def gauntlet(
    table: Holdem,
    agents: Sequence[Agent],
    opponents: Sequence[Agent],
    hands: int,
    *,
    seed: int = 0,
    time_limit: float = 60.0,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> Iterator[Bout]:
    """Each agent meets each opponent at a table of two, on the same deals.

    A match that Ctrl-C ends counts with the hands that it had, and is the last one.
    """
    if table.players != 2:
        raise ParameterError(f"a gauntlet is for tables of two, not of {table.players}")
    whole("hands", hands, least=2)
    for agent in agents:
        for opponent in opponents:
            if agent is opponent:
                continue
            title = f"{agent.name} against {opponent.name}"
            look = None
            if on_progress is not None:
                look = lambda done, total, title=title: on_progress(title, done, total)  # noqa: E731
            match = Match(table, agent, opponent, seed=seed, time_limit=time_limit)
            result = match.play(hands, on_progress=look)
            if result.hands:
                score = result.scores[0]
                won = score.reduced or score.plain
                big = table.blinds[1] / 1000
                yield Bout(
                    when=datetime.now(UTC).isoformat(timespec="seconds"),
                    game=spec_of(table),
                    agent=agent.name,
                    opponent=opponent.name,
                    hands=result.hands,
                    seed=seed,
                    mbb=won.mean / big,
                    mbb_half=None if won.half is None else won.half / big,
                    reduced=score.reduced is not None,
                    faults=result.faults,
                )
            if result.stopped == "interrupted":
                return


def read_ledger(path: str | os.PathLike[str]) -> list[Bout]:
    """The bouts of a ledger, one JSON document a line; none if there is no such file."""
    if not Path(path).exists():
        return []
    names, found = {field.name for field in fields(Bout)}, []
    for number, line in enumerate(read_text(path, "a ledger").splitlines(), start=1):
        told = parse_json(line, str(path), number)
        if not isinstance(told, dict) or told.keys() != names:
            raise FileError(f"{path} is no ledger of gauntlets, as its line {number} tells")
        bout = Fields(told, f"{path}, line {number}")
        found.append(
            Bout(
                when=bout.text("when"),
                game=bout.text("game"),
                agent=bout.text("agent"),
                opponent=bout.text("opponent"),
                hands=bout.whole("hands", 1),
                seed=bout.whole("seed", 0),
                mbb=bout.number("mbb"),
                mbb_half=None if told["mbb_half"] is None else bout.number("mbb_half", 0.0),
                reduced=bout.flag("reduced"),
                faults=tuple(bout.wholes("faults", 0)),
            )
        )
    return found


def add_to_ledger(path: str | os.PathLike[str], bout: Bout) -> None:
    """Put a bout behind those of a ledger; the file is written whole or not at all."""
    lines = [json.dumps(asdict(one)) for one in (*read_ledger(path), bout)]
    write_whole(path, ("\n".join(lines) + "\n").encode())
