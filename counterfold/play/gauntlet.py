"""A gauntlet: one strategy of hold'em against a row of opponents, and a ledger of how it went.

Two who play by their bucket or without a look at their cards meet on drawn boards with all hands in
both seats and no action drawn; everybody else plays a match, out of which luck is taken. Who
searches wins what its blueprint does, and what searching wins beyond that on drawn lines.
"""

from __future__ import annotations

import json
import math
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
from counterfold.play.holdem import HoldemAgent
from counterfold.play.match import Match
from counterfold.play.poker_bots import AlwaysCall, AlwaysFold, laid_out
from counterfold.play.search_gain import search_gain
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
    those of a match, ``boards`` those on which all hands met, ``lines`` those on which it was
    seen what searches win beyond the blueprint; where there are none it is 0.
    """

    when: str
    game: str
    agent: str
    opponent: str
    hands: int
    boards: int
    lines: int
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
    on_progress: Callable[[str, float], None] | None = None,
) -> Iterator[Bout]:
    """Each agent meets each opponent at a table of two, on the same deals.

    Searches are looked at on a tenth as many lines as matches have hands. What Ctrl-C ends counts
    with the hands that it had, and is the last one. ``on_progress`` is told who plays and what
    share is done.
    """
    if table.players != 2:
        raise ParameterError(f"a gauntlet is for tables of two, not of {table.players}")
    whole("hands", hands, least=2)
    whole("boards", boards, least=2)
    for one in (*agents, *opponents):
        if isinstance(one, BlueprintAgent):
            one.begin(table)  # who was made for another one is told so before anybody plays
    sizes, found = (hands, boards, max(2, hands // 10)), list[tuple[Agent, Agent, Bout]]()
    for agent in agents:
        for opponent in opponents:
            if agent is opponent:
                continue
            names = agent.name, opponent.name
            told = partial(on_progress or _nobody, " against ".join(names))
            met = _Meeting(table, agent, opponent, sizes, seed, told)
            try:
                if isinstance(agent, HoldemAgent):
                    bout, ended = met.searched(_beside(found, agent, opponent))
                else:
                    bout, ended = met.bout()
            except KeyboardInterrupt:
                return
            if bout is not None:
                found.append((agent, opponent, bout))
                yield bout
            if ended:
                return


def _beside(
    found: Sequence[tuple[Agent, Agent, Bout]], agent: HoldemAgent, opponent: Agent
) -> Bout | None:
    """What the blueprint of an agent has won from somebody, if it has met them."""
    return next(
        (
            bout
            for one, other, bout in found
            if other is opponent
            and isinstance(one, BlueprintAgent)
            and one.strategy == agent.strategy
        ),
        None,
    )


@dataclass(frozen=True)
class _Meeting:
    """Two who meet, with the hands of a match, boards and lines that it may take."""

    table: Holdem
    agent: Agent
    opponent: Agent
    sizes: tuple[int, int, int]
    seed: int
    told: Callable[[float], None]

    def bout(self) -> tuple[Bout | None, bool]:
        """On boards if that can be, else in a match; and whether that was ended."""
        hands, boards, _ = self.sizes
        both = _over_buckets(self.agent, self.opponent)
        if both is not None:
            met = winnings(both, boards, self.seed, look=partial(_share, self.told, boards))
            won, half = float(met.wins[0, 1]), Z95 * float(met.error[0, 1])
            return replace(self._bout(won, half), boards=boards), False
        match = Match(self.table, self.agent, self.opponent, seed=self.seed)
        result = match.play(hands, on_progress=partial(_share, self.told))
        ended = result.stopped == "interrupted"
        if not result.hands:
            return None, ended
        score = result.scores[0]
        mean = score.reduced or score.plain
        return replace(
            self._bout(mean.mean, mean.half),
            hands=result.hands,
            reduced=score.reduced is not None,
            faults=result.faults,
        ), ended

    def searched(self, blueprint: Bout | None) -> tuple[Bout | None, bool]:
        """What the blueprint wins, and what searches win beyond it on lines of these two."""
        agent, lines, ended = self.agent, self.sizes[2], False
        assert isinstance(agent, HoldemAgent)
        alike = isinstance(self.opponent, BlueprintAgent) and (
            self.opponent.strategy == agent.strategy
        )
        if alike:
            blueprint = self._bout(0.0, 0.0)
        elif blueprint is None:
            blueprint, ended = replace(self, agent=agent.blueprint).bout()
        if blueprint is None or ended:
            return None, True
        found = search_gain(
            agent, lines, None if alike else self.opponent, seed=self.seed,
            on_progress=lambda found, total: self.told(found.hands / total),
        )  # fmt: skip
        big = self.table.blinds[1] / 1000
        half = math.hypot(found.gain.half / big, blueprint.mbb_half or 0.0)
        mbb = blueprint.mbb + found.gain.value / big
        bout = replace(blueprint, agent=agent.name, mbb=mbb, mbb_half=half, lines=found.hands)
        return bout, found.hands < lines

    def _bout(self, won: float, half: float | None) -> Bout:
        big = self.table.blinds[1] / 1000
        return Bout(
            when=datetime.now(UTC).isoformat(timespec="seconds"),
            game=spec_of(self.table),
            agent=self.agent.name,
            opponent=self.opponent.name,
            hands=0,
            boards=0,
            lines=0,
            seed=self.seed,
            mbb=won / big,
            mbb_half=None if half is None else half / big,
            reduced=True,
            faults=(0, 0),
        )


def _nobody(_title: str, _share: float) -> None:
    pass


def _share(told: Callable[[float], None], one: int, other: int) -> None:
    """Of hands, what is done and all; of boards, all and what is done."""
    told(min(one, other) / max(one, other))


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
            told = {"boards": 0, "lines": 0} | told  # ledgers of before had matches only
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
                lines=bout.whole("lines", 0),
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
