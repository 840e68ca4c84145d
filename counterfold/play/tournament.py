"""A tournament: every line-up of the agents plays its matches, each from a fresh start."""

from __future__ import annotations

import copy
import hashlib
import json
import math
import os
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

import numpy as np

from counterfold.agent import Agent
from counterfold.errors import MismatchError, ParameterError, reason
from counterfold.exploit.online import Learner
from counterfold.files.text import Fields, Json
from counterfold.files.typed import from_json, to_json
from counterfold.games.base import Game, spec_of, unlisted
from counterfold.games.spec import whole
from counterfold.notebook import brief
from counterfold.pieces.piece import Outcome, Piece, outcomes
from counterfold.pieces.store import Store
from counterfold.play.agents import StrategyAgent, make_agent
from counterfold.play.arena import is_tabular
from counterfold.play.entrants import players_of_strategies
from counterfold.play.match import MOST_FAULTS, Match
from counterfold.play.result import ArenaResult, MatchResult, Rows
from counterfold.play.score import Document, Estimate
from counterfold.play.series import match_seed
from counterfold.play.table import Fault
from counterfold.poker.rules import PokerRules
from counterfold.strategy.strategy import Strategy
from counterfold.tree.form import Form, form_of
from counterfold.tree.history import HistoryTree
from counterfold.tree.rules import players_of
from counterfold.tree.story import rules_of

LOOK = 0.1
"""Seconds between two looks at how far the threads have come."""


@dataclass(frozen=True)
class Meeting:
    """One line-up: who sat at the table, and what each won a hand over all its matches.

    ``reduced`` says that luck was taken out; ``exact`` has the expected values where all play
    one fixed strategy each, and where luck cannot be taken out hand by hand they are the estimates.
    """

    agents: tuple[int, ...]
    matches: int
    estimates: tuple[Estimate, ...]
    reduced: bool
    exact: tuple[float, ...] | None

    def of(self, agent: int) -> Estimate:
        """What this agent won a hand."""
        return self.estimates[self.agents.index(agent)]


@dataclass(frozen=True)
class Standing:
    """An agent's place in the ranking: the mean over all its line-ups."""

    agent: str
    estimate: Estimate
    faults: int


@dataclass(frozen=True, kw_only=True)
class TournamentResult(ArenaResult):
    """The table of a tournament, and the ranking, best first."""

    matches: int
    learning: bool
    meetings: tuple[Meeting, ...]
    ranking: tuple[Standing, ...]

    def __repr__(self) -> str:
        return brief(self, f"of {self.game}: {len(self.agents)} agents, {self.played:,} meetings")

    def _rows(self) -> Rows:
        head = ("agent", "mean", "half", "faults")
        return head, [(s.agent, s.estimate.mean, s.estimate.half, s.faults) for s in self.ranking]

    @property
    def played(self) -> int:
        """Hands in all."""
        return self.hands * sum(meeting.matches for meeting in self.meetings)

    def cell(self, row: int, column: int) -> Estimate | None:
        """What the row's agent won a hand where it met the column's; None if they never met.

        With more than two at a table, the mean over all line-ups that hold both.
        """
        met = [m for m in self.meetings if row in m.agents and column in m.agents]
        return pooled([meeting.of(row) for meeting in met]) if met and row != column else None

    def to_dict(self) -> Document:
        """The documented JSON of ``counterfold tournament --json``."""
        return super().to_dict() | {
            "matches": self.matches,
            "table": [
                [
                    None if cell is None else cell.to_dict()
                    for cell in (self.cell(row, column) for column in range(len(self.agents)))
                ]
                for row in range(len(self.agents))
            ],
            "ranking": [
                {"agent": s.agent, **s.estimate.to_dict(), "faults": s.faults} for s in self.ranking
            ],
            "meetings": [
                {
                    "agents": [self.agents[g] for g in meeting.agents],
                    "matches": meeting.matches,
                    "mean": [e.mean for e in meeting.estimates],
                    "half": [e.half for e in meeting.estimates],
                    "reduced": meeting.reduced,
                    "exact": meeting.exact and list(meeting.exact),
                }
                for meeting in self.meetings
            ],
        }


def tournament(  # noqa: PLR0913  (said by their names)
    game: object,
    agents: Sequence[Agent | Strategy | str],
    hands: int,
    *,
    matches: int = 1,
    seed: int = 0,
    duplicate: bool = False,
    reveal: bool = False,
    time_limit: float | None = None,
    threads: int = 2,
    on_progress: Callable[[int, int], None] | None = None,
    executor: Executor | None = None,
    library: Store | None = None,
) -> TournamentResult:
    """Let every line-up play ``matches`` matches of so many hands: all pairs in a game of two.

    ``game`` is rules, a poker game or spot, or a compiled form. Every match has a seed of its own
    (match m of line-up p: ``match_seed(match_seed(seed, p), m)``) and begins with its agents as
    given. The interval of a single match is its own, of several their spread (Student's t). Luck is
    taken out wherever a match can do it. ``on_progress`` is told the hands done and to do, and may
    raise KeyboardInterrupt: finished matches count. Threads change nothing but the time, nor does
    an ``executor``, whose workers know the game and the agents by their names. Matches that a
    ``library`` has are not played again, while files that are named hold the same.

    >>> import counterfold as cf
    >>> result = tournament(cf.Kuhn(), ["uniform", "random", "equilibrium"], hands=1000)
    >>> [standing.agent for standing in result.ranking]
    ['equilibrium', 'random', 'uniform']
    >>> round(result.cell(2, 0).mean, 3)
    0.146
    """
    _check_numbers(hands=hands, matches=matches, threads=threads, seed=seed)
    _check_named(executor or library, game, *agents)
    table, made = _seated(game, agents)
    names = [_name(given, agent) for given, agent in zip(agents, made, strict=True)]
    players, spec = players_of(table), spec_of(table)
    _check_names(names, players, spec)
    how = {"duplicate": duplicate, "reveal": reveal, "time_limit": time_limit}
    field = _Field(table, made, players, hands, matches, seed, how)
    wall, cpu = time.perf_counter(), time.process_time()
    many, named = _threads_for(table, made, threads), (str(game), [*map(str, agents)])
    stopped = field.play_by(executor, library, many, named, on_progress)
    meetings = tuple(filter(None, map(field.meeting, range(len(field.lineups)))))
    return TournamentResult(
        game=spec,
        agents=tuple(names),
        hands=hands,
        matches=matches,
        seed=seed,
        duplicate=duplicate,
        learning=not all(isinstance(agent, StrategyAgent) for agent in made),
        meetings=meetings,
        ranking=_ranking(names, meetings, field.faults()),
        messages=tuple(field.messages()[:MOST_FAULTS]),
        stopped=stopped,
        seconds=time.perf_counter() - wall,
        cpu_seconds=time.process_time() - cpu,
    )


def _check_numbers(seed: int, **counts: int) -> None:
    for name, number in counts.items():
        whole(name, number, least=1)
    whole("seed", seed, least=0)


def _check_named(pieces: object, *words: object) -> None:
    if pieces is not None and not all(isinstance(word, str) for word in words):
        raise ParameterError("workers elsewhere know games and agents by their names; give names")


def _threads_for(table: object, agents: Sequence[Agent], most: int) -> int:
    """One where code of others plays: it holds the interpreter's lock, and its clock is one."""
    compiled = isinstance(table, HistoryTree) and all(map(is_tabular, agents))
    return most if compiled else 1


def _seated(
    game: object, agents: Sequence[Agent | Strategy | str]
) -> tuple[Game | Form, list[Agent]]:
    """The game as matches take it, compiled once for all of them if it can be; and the agents."""
    rules = rules_of(game)
    at_table = unlisted(rules) or any(getattr(agent, "at_table", False) for agent in agents)
    table = rules if at_table else form_of(game)
    named = any(isinstance(agent, str) for agent in agents)
    shared = form_of(game) if named and isinstance(rules, PokerRules) else table
    given = players_of_strategies(agents)
    made = [make_agent(agent, shared) if isinstance(agent, str) else agent for agent in given]
    return table, made


class _Field:
    """All matches to be played, and what came of them."""

    def __init__(
        self,
        game: object,
        agents: list[Agent],
        players: int,
        hands: int,
        matches: int,
        seed: int,
        how: Json,
    ) -> None:
        self.game, self.agents, self.hands, self.seed, self.how = game, agents, hands, seed, how
        self.lineups = list(combinations(range(len(agents)), players))
        # All line-ups meet once before any meets again: what is done when it ends early is fair.
        self.jobs = [(p, m) for m in range(matches) for p in range(len(self.lineups))]
        self.found: dict[tuple[int, int], MatchResult] = {}

    def play(self, threads: int, on_progress: Callable[[int, int], None] | None) -> str:
        """Play the matches, and say why that ended."""
        todo, stop = deque(self.jobs), threading.Event()
        done = [0] * threads  # hands that each thread has played

        def work(thread: int) -> None:
            before = 0

            def look(hands: int, _: int) -> None:
                done[thread] = before + hands
                if stop.is_set():
                    raise KeyboardInterrupt

            while todo and not stop.is_set():
                try:
                    job = todo.popleft()
                except IndexError:
                    return
                result = self._match(*job).play(self.hands, on_progress=look)
                if result.stopped != "interrupted":
                    self.found[job] = replace(result, curve=())  # thousands may be kept
                before += self.hands
                done[thread] = before

        pool = ThreadPoolExecutor(threads)
        try:
            working = {pool.submit(work, thread) for thread in range(threads)}
            while working:
                ended, working = wait(working, timeout=LOOK)
                for one in ended:
                    one.result()
                if on_progress:
                    on_progress(sum(done), len(self.jobs) * self.hands)
        except KeyboardInterrupt:
            return "interrupted"
        finally:
            stop.set()
            pool.shutdown()
        return "matches"

    def play_by(
        self,
        executor: Executor | None,
        library: Store | None,
        threads: int,
        named: tuple[str, list[str]],
        on_progress: Callable[[int, int], None] | None,
    ) -> str:
        """Play all matches: by threads here, or as pieces where others do or keep them."""
        if executor is None and library is None:
            return self.play(threads, on_progress)
        with nullcontext(executor) if executor else ThreadPoolExecutor(threads) as by:
            return self.play_on(by, library, *named, on_progress)

    def play_on(
        self,
        executor: Executor,
        library: Store | None,
        game: str,
        names: list[str],
        on_progress: Callable[[int, int], None] | None,
    ) -> str:
        """The same as pieces of work, a match each, by whatever executes them."""
        common = {"game": game, "agents": names, "hands": self.hands, "seed": self.seed}
        common |= {"players": len(self.lineups[0]), **self.how}
        if found := _digests(game, *names):
            common["files"] = found
        pieces = [Piece("match", {**common, "lineup": p, "number": m}) for p, m in self.jobs]
        by_name = {piece.name: job for piece, job in zip(pieces, self.jobs, strict=True)}
        try:
            for piece, outcome in outcomes(pieces, play_match, executor, library):
                told = Fields(outcome.result, piece.name)
                self.found[by_name[piece.name]] = from_json(MatchResult, told)
                if on_progress:
                    on_progress(len(self.found) * self.hands, len(self.jobs) * self.hands)
        except KeyboardInterrupt:
            return "interrupted"
        return "matches"

    def _match(self, lineup: int, number: int) -> Match:
        agents = [_fresh(self.agents[g]) for g in self.lineups[lineup]]
        seed = match_seed(match_seed(self.seed, lineup), number)
        return Match(self.game, *agents, seed=seed, **self.how)

    def meeting(self, lineup: int) -> Meeting | None:
        """What came of a line-up; None if it never finished a match."""
        played = [self.found[job] for job in self.jobs if job[0] == lineup and job in self.found]
        if not played:
            return None
        scores = [result.scores for result in played]
        reduced = all(score.reduced is not None for match in scores for score in match)
        exact = [score.exact for score in scores[0] if score.exact is not None]
        estimates = []
        for place in range(len(self.lineups[lineup])):
            own = [match[place] for match in scores]
            estimates.append(_over([(s.reduced if reduced else s.plain) or s.plain for s in own]))
        if exact and not reduced:
            estimates = [Estimate(mean, 0.0) for mean in exact]
        return Meeting(
            agents=self.lineups[lineup],
            matches=len(played),
            estimates=tuple(estimates),
            reduced=reduced,
            exact=tuple(exact) or None,
        )

    def faults(self) -> list[int]:
        """Hands that each agent lost by breaking the rules."""
        counts = [0] * len(self.agents)
        for (lineup, _), result in self.found.items():
            for g, faults in zip(self.lineups[lineup], result.faults, strict=True):
                counts[g] += faults
        return counts

    def messages(self) -> list[Fault]:
        """What they did, match by match; agents by their place in the tournament."""
        return [
            fault._replace(agent=self.lineups[job[0]][fault.agent])
            for job in self.jobs
            if job in self.found
            for fault in self.found[job].messages
        ]


def _digests(*names: str) -> dict[str, str]:
    """What the files hold that games and agents are named by, as in holdem(hu.cf) or bot.py:Bot."""
    found = {}
    for word in {word.strip() for name in names for word in (name, *re.split(r"[(),=:]", name))}:
        if word and os.path.isfile(word):
            with open(word, "rb") as file:
                found[word] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def play_match(given: Json, wants: tuple[str, ...]) -> Outcome:
    """The work of a piece, on whatever machine: one match of a tournament."""
    how = ("duplicate", "reveal", "time_limit")
    named = {key: given[key] for key in ("game", "agents", "players", "hands", "seed", *how)}
    named["files"] = given.get("files", {})
    field = _field(json.dumps(named))
    result = field._match(given["lineup"], given["number"]).play(field.hands)
    if result.stopped == "interrupted":
        raise KeyboardInterrupt
    return Outcome(to_json(replace(result, curve=())))


@lru_cache(2)
def _field(told: str) -> _Field:
    """The agents of a tournament, made once in a process."""
    given = json.loads(told)
    if _digests(given["game"], *given["agents"]) != given["files"]:
        raise MismatchError(
            f"a file that {given['game']} or its agents are named by is another where the match is "
            "played; have the same files there"
        )
    table, made = _seated(given["game"], given["agents"])
    for agent, name in zip(made, given["agents"], strict=True):
        agent.name = name.strip()
    how = {key: given[key] for key in ("duplicate", "reveal", "time_limit")}
    return _Field(table, made, given["players"], given["hands"], 1, given["seed"], how)


def pooled(estimates: Sequence[Estimate]) -> Estimate:
    """The mean of independent estimates.

    >>> pooled([Estimate(1.0, 0.3), Estimate(2.0, 0.4)])
    <Estimate +1.5 ± 0.25>
    """
    halves = [e.half for e in estimates if e.half is not None]
    mean = math.fsum(e.mean for e in estimates) / len(estimates)
    known = len(halves) == len(estimates)
    return Estimate(mean, math.hypot(*halves) / len(halves) if known else None)


def _over(matches: Sequence[Estimate]) -> Estimate:
    """The mean over matches, with an interval from their spread; one match has its own."""
    if len(matches) == 1:
        return matches[0]
    from scipy.special import stdtrit

    count, means = len(matches), np.array([match.mean for match in matches])
    times = float(stdtrit(count - 1, 0.975))
    return Estimate(float(means.mean()), times * float(means.std(ddof=1)) / math.sqrt(count))


def _ranking(
    names: Sequence[str], meetings: Sequence[Meeting], faults: Sequence[int]
) -> tuple[Standing, ...]:
    found = []
    for g, name in enumerate(names):
        own = [meeting.of(g) for meeting in meetings if g in meeting.agents]
        if own:
            found.append(Standing(name, pooled(own), faults[g]))
    return tuple(sorted(found, key=lambda standing: -standing.estimate.mean))


def _fresh(agent: Agent) -> Agent:
    """A copy that knows what the agent knew when it was given."""
    if isinstance(agent, Learner):
        return agent.copy()
    if isinstance(agent, StrategyAgent):
        return copy.copy(agent)
    try:
        return copy.deepcopy(agent)
    except Exception as error:
        told = reason(error)
        raise ParameterError(
            f"{agent.name or agent!r} cannot start afresh in every match, as copying it fails "
            f"({told}); give it a __deepcopy__"
        ) from error


def _name(given: object, agent: Agent) -> str:
    return given.strip() if isinstance(given, str) else agent.name or type(agent).__name__


def _check_names(names: Sequence[str], players: int, spec: str) -> None:
    if len(names) < players:
        raise ParameterError(
            f"{spec} is a game for {players}, so a tournament needs {players} "
            f"agents or more, and {len(names)} {'was' if len(names) == 1 else 'were'} given"
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ParameterError(f"{twice} was given twice; every agent plays all others, not itself")
