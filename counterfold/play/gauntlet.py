"""A gauntlet: one strategy of hold'em against a row of opponents, and a ledger of how it went.

Two who play by their bucket or without a look at their cards meet on drawn boards with all hands in
both seats and no action drawn; everybody else plays a match, out of which luck is taken.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_matrix import winnings
from counterfold.agent import Agent
from counterfold.errors import FileError, ParameterError
from counterfold.files.text import Fields, parse_json, read_text
from counterfold.files.whole import write_whole
from counterfold.games.base import spec_of
from counterfold.games.spec import whole
from counterfold.intervals import Z95
from counterfold.play.blueprint import BlueprintAgent
from counterfold.play.bots import AT_TABLES, Random
from counterfold.play.match import Match
from counterfold.play.poker_bots import AlwaysCall, AlwaysFold, laid_out
from counterfold.poker.table import Holdem
from counterfold.strategy.strategy import Strategy

Bot = Callable[[], Agent]
OPPONENTS: dict[str, Bot] = dict(AT_TABLES)
"""Who stands in every gauntlet; blueprints of other lengths join them."""
BOARDS = 50_000


@dataclass(frozen=True)
class Bout:
    """What an agent of a gauntlet won from an opponent, a line of the ledger.

    ``mbb`` is in thousandths of a big blind a hand, ``mbb_half`` half of its 95% interval (null
    with fewer than two hands a seat); ``reduced`` says whether luck was taken out. ``hands`` are
    those of a match, ``boards`` those on which all hands met; one of them is 0.
    """

    when: str
    game: str
    agent: str
    opponent: str
    hands: int
    boards: int
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
    boards: int = BOARDS,
    *,
    seed: int = 0,
    time_limit: float = 60.0,
    on_progress: Callable[[str, float], None] | None = None,
) -> Iterator[Bout]:
    """Each agent meets each opponent at a table of two, on the same deals.

    A match that Ctrl-C ends counts with the hands that it had, and is the last one. ``on_progress``
    is told who plays and what share is done.
    """
    if table.players != 2:
        raise ParameterError(f"a gauntlet is for tables of two, not of {table.players}")
    whole("hands", hands, least=2)
    whole("boards", boards, least=2)
    for agent in agents:
        for opponent in opponents:
            if agent is opponent:
                continue
            names = agent.name, opponent.name
            told = partial(on_progress or _nobody, " against ".join(names))
            both = _over_buckets(agent, opponent)
            if both is not None:
                try:
                    found = winnings(both, boards, seed, look=partial(_share, told, boards))
                except KeyboardInterrupt:
                    return
                won, half = float(found.wins[0, 1]), Z95 * float(found.error[0, 1])
                yield replace(_bout(table, names, seed, won, half), boards=boards)
                continue
            match = Match(table, agent, opponent, seed=seed, time_limit=time_limit)
            result = match.play(hands, on_progress=partial(_share, told))
            if result.hands:
                score = result.scores[0]
                mean = score.reduced or score.plain
                yield replace(
                    _bout(table, names, seed, mean.mean, mean.half),
                    hands=result.hands,
                    reduced=score.reduced is not None,
                    faults=result.faults,
                )
            if result.stopped == "interrupted":
                return


def _nobody(_title: str, _share: float) -> None:
    pass


def _share(told: Callable[[float], None], one: int, other: int) -> None:
    """Of hands, what is done and all; of boards, all and what is done."""
    told(min(one, other) / max(one, other))


def _bout(table: Holdem, names: tuple[str, str], seed: int, won: float, half: float | None) -> Bout:
    big = table.blinds[1] / 1000
    return Bout(
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        game=spec_of(table),
        agent=names[0],
        opponent=names[1],
        hands=0,
        boards=0,
        seed=seed,
        mbb=won / big,
        mbb_half=None if half is None else half / big,
        reduced=True,
        faults=(0, 0),
    )


def _over_buckets(agent: Agent, opponent: Agent) -> list[Strategy[BucketForm]] | None:
    """Both as strategies over the agent's buckets; None where one of them is none."""
    if not isinstance(agent, BlueprintAgent):
        return None
    own = agent.strategy
    if isinstance(opponent, BlueprintAgent):
        other = opponent.strategy
        return [own, other] if other.fingerprint == own.fingerprint else None
    if isinstance(opponent, Random):
        return [own, Strategy.uniform(own.tree)]
    if isinstance(opponent, AlwaysCall | AlwaysFold):
        return [own, laid_out(opponent.name, own.tree)]
    return None


def read_ledger(path: str | os.PathLike[str]) -> list[Bout]:
    """The bouts of a ledger, one JSON document a line; none if there is no such file."""
    if not Path(path).exists():
        return []
    names, found = {field.name for field in fields(Bout)}, []
    for number, line in enumerate(read_text(path, "a ledger").splitlines(), start=1):
        told = parse_json(line, str(path), number)
        if isinstance(told, dict):
            told.setdefault("boards", 0)  # ledgers of before had matches only
        if not isinstance(told, dict) or told.keys() != names:
            raise FileError(f"{path} is no ledger of gauntlets, as its line {number} tells")
        bout = Fields(told, f"{path}, line {number}")
        found.append(
            Bout(
                when=bout.text("when"),
                game=bout.text("game"),
                agent=bout.text("agent"),
                opponent=bout.text("opponent"),
                hands=bout.whole("hands", 0),
                boards=bout.whole("boards", 0),
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
