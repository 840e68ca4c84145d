"""A match: agents are every player in turn, hand after hand, and are scored honestly."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from html import escape
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from counterfold.agent import Agent, TellsOdds
from counterfold.arrays import Arrays, Floats
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.evaluate.exact import earned_against, values
from counterfold.files.arrays import Saved
from counterfold.games.spec import whole
from counterfold.interrupts import uncut
from counterfold.notebook import brief
from counterfold.play.agents import StrategyAgent, make_agent
from counterfold.play.arena import Arena, is_fixed, is_tabular, odds_of
from counterfold.play.dealer import Dealer, deal_seed
from counterfold.play.entrants import (
    check_agent,
    distinct,
    learns,
    own_copies,
    players_of_strategies,
    tree_of,
)
from counterfold.play.insight import fair_payoffs, insight_of, no_insight
from counterfold.play.record import Recorder, source_in
from counterfold.play.result import MatchResult, Point
from counterfold.play.score import Score, Sums, add_hand, blank_tally, scores, turns
from counterfold.play.table import Fault, PlayedHand, Table
from counterfold.poker.table import Holdem
from counterfold.strategy.strategy import Strategy
from counterfold.tree.rules import players_of
from counterfold.tree.story import story

if TYPE_CHECKING:
    from counterfold.play.acpc_log import Log
    from counterfold.play.table_insight import TableInsight

CHUNK = 65_536
"""Hands between two looks at the values by which luck is taken out."""

WORD_SECONDS = 0.1
"""Between two words to ``on_progress``, at most, unless a hand takes longer."""

MARKS = 16
"""Points of a win-rate curve for each tenfold number of hands."""

MOST_FAULTS = 100
"""Faults that a result tells one by one."""

Progress = Callable[[int, int], None]


def next_mark(hands: int) -> int:
    """The next point of a curve after so many hands.

    >>> next_mark(0), next_mark(1000)
    (1, 1154)
    """
    if hands < 1:
        return 1
    for k in count(int(np.log10(hands) * MARKS)):
        mark = int(10 ** (k / MARKS))
        if mark > hands:
            return mark
    raise AssertionError


class Match:
    """Agents at a game: rules, a poker game or spot, or a compiled form of them; or their names.

    ``play`` may be called again to go on.
    ``duplicate`` plays every deal once for each way of sitting; ``reveal`` shows learners all
    cards after every hand; ``time_limit`` is seconds a move for agents written in Python, and
    ``on_fault`` says whether the match goes on ("go on") or ends ("stop") when one fails.
    ``stranger`` names an agent (by its place) to be judged as if its strategy were not known.

    Strategies and learners play in compiled code at a history tree; at poker in ranges, or if any
    agent is of another kind, all play at a table in Python.

    >>> import counterfold as cf
    >>> game = cf.Kuhn()
    >>> uniform = cf.StrategyAgent(cf.Strategy.uniform(game))
    >>> result = cf.Match(game, cf.Learner(game), uniform, seed=1).play(20_000)
    >>> result.scores[0].plain.low > 0.2
    True
    >>> cf.Match("kuhn", "uniform", cf.Strategy.uniform(cf.Kuhn()))
    <Match of kuhn: uniform, uniform #2, 0 hands>
    """

    def __init__(
        self,
        game: object,
        *agents: Agent | Strategy | str,
        seed: int = 0,
        duplicate: bool = False,
        reveal: bool = False,
        time_limit: float | None = None,
        on_fault: str = "go on",
        stranger: int | None = None,
    ) -> None:
        self.seed = whole("seed", seed, least=0)
        self.duplicate, self.reveal = duplicate, reveal
        if on_fault not in ("go on", "stop"):
            raise ParameterError(f"on_fault is 'go on' or 'stop', not {on_fault!r}")
        if time_limit is not None and not time_limit > 0:
            raise ParameterError(f"the time limit must be above zero, not {time_limit}")
        self.on_fault, self.stranger = on_fault, stranger
        given = players_of_strategies(agents)
        self.tree, self.game = tree_of(game, [a for a in given if not isinstance(a, str)])
        players = self.tree.players if self.tree else players_of(self.game)
        if len(agents) != players:
            raise ParameterError(
                f"{self.spec} is a game for {players}; agents given: {len(agents)}"
            )
        form = self.tree or self.game
        entered = [make_agent(a, form) if isinstance(a, str) else a for a in given]
        self.agents = tuple(own_copies(entered))
        for agent in self.agents:
            check_agent(agent, self.game, self.tree, self.spec)
        self.names = distinct([getattr(a, "name", "") or type(a).__name__ for a in entered])
        self.hands = 0
        self.seconds = self.cpu_seconds = 0.0
        self.faults = np.zeros(players, dtype=np.int64)
        self.messages: list[Fault] = []
        self._marks: list[Sums] = []
        self._tally = blank_tally(players)
        self._rngs = [np.random.default_rng([self.seed, g]) for g in range(players)]
        self._insight = no_insight(players)
        self._guess: Floats | None = None
        self._at_table: TableInsight | None = None
        if isinstance(self.game, Holdem):
            from counterfold.play.table_insight import table_insight

            self._at_table = table_insight(self.game, self.agents, self.seed, self._repeat)
        tells = [
            self._at_table is not None and g != stranger and isinstance(agent, TellsOdds)
            for g, agent in enumerate(self.agents)
        ]
        self._table = Table(
            self.game, self.agents, tree=self.tree, reveal=reveal, time_limit=time_limit,
            tells=tells,
        )  # fmt: skip
        self._arena: Arena | None = None
        if self.tree is not None and all(map(is_tabular, self.agents)):
            self._arena = Arena(self.tree, self.agents, self.seed, self._repeat)
        for agent in self.agents:
            if hasattr(agent, "begin"):
                agent.begin(self.game)

    def __repr__(self) -> str:
        return brief(self, f"of {self.spec}: {', '.join(self.names)}, {self.hands:,} hands")

    def _repr_html_(self) -> str:
        return self.result()._repr_html_() if self.hands else f"<p>{escape(repr(self))}</p>"

    @property
    def spec(self) -> str:
        from counterfold.games.base import spec_of

        return self.tree.spec if self.tree else spec_of(self.game)

    @property
    def compiled(self) -> bool:
        """Do all agents play in compiled code?"""
        return self._arena is not None

    @property
    def takes_luck_out(self) -> bool:
        """Is there a score without luck beside the plain one?"""
        return self.tree is not None or self._at_table is not None

    def play(
        self,
        hands: int,
        *,
        on_progress: Progress | None = None,
        record: str | None = None,
    ) -> MatchResult:
        """Play so many more hands, and score all of them so far.

        ``on_progress`` is told the hands done and to do, and may raise KeyboardInterrupt to end
        the match early: what was played counts.
        """
        whole("hands", hands, least=1)
        if record and self.tree and self.tree.merged and any(map(learns, self.agents)):
            raise UnsupportedError(
                f"{self.spec} merges its histories, so what learners play there leaves no record"
            )
        begin, goal = self.hands, self.hands + hands
        stopped = "hands"
        with self._recorder(record) as recorder:
            try:
                while self.hands < goal and stopped == "hands":
                    if on_progress:
                        on_progress(self.hands - begin, hands)
                    stopped = self._advance(goal, recorder)
            except KeyboardInterrupt:
                stopped = "interrupted"
        if self._arena is not None:
            self._arena.hand_back()
        return self.result(stopped)

    def _recorder(self, path: str | None) -> AbstractContextManager[Recorder | Log | None]:
        """Who writes hands down: as the competition does where the file is called so."""
        if path is None:
            return nullcontext()
        if os.fspath(path).endswith(".log"):
            from counterfold.play.acpc_log import Log

            return Log(path, self.game, self.names)
        return Recorder(path, self._header())

    def result(self, stopped: str = "hands") -> MatchResult:
        """The scores so far."""
        now = self._sums()
        marks = [*self._marks, now] if self._marked() < self.hands else self._marks
        curve = [Point(mark.hands, self._scores(mark)) for mark in marks]
        return MatchResult(
            game=self.spec,
            agents=self.names,
            seed=self.seed,
            duplicate=self.duplicate,
            hands=self.hands,
            scores=curve[-1].scores if curve else (),
            faults=tuple(self.faults.tolist()),
            messages=tuple(self.messages),
            stopped=stopped,
            compiled=self.compiled,
            seconds=self.seconds,
            cpu_seconds=self.cpu_seconds,
            curve=tuple(curve),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the match to a file, learners and all, so that it can go on from here."""
        from counterfold.play.saved import save_match

        if self._arena is not None:
            self._arena.hand_back()
        save_match(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str], game: object = None) -> Match:
        """A match from its file, ready to go on as if it had never stopped."""
        from counterfold.play.saved import load_match

        return load_match(path, game)

    def state(self) -> Arrays:
        """What the next hand and the score depend on, beside the agents."""
        shape = self._tally.total.shape
        guess = self._guess if self._guess is not None else np.zeros((0, 0))
        marks = self._marks
        return {
            **{f"tally.{name}": array for name, array in self._tally._asdict().items()},
            **self._randomness(),
            "guess": guess,
            "marks.hands": np.array([mark.hands for mark in marks], dtype=np.int64),
            "marks.total": np.array([m.total for m in marks]).reshape(-1, *shape),
            "marks.square": np.array([m.square for m in marks]).reshape(-1, *shape),
        }

    def _randomness(self) -> dict[str, NDArray[np.uint64]]:
        """Where the random numbers of the next hands begin: of compiled code, or by agent."""
        if self._arena is not None:
            return {"random": self._arena.random}
        return {"rngs": _words(self._rngs)}

    def restore(self, saved: Saved) -> None:
        """Take back what ``state`` handed out, from a file."""
        for name, array in self._tally._asdict().items():
            saved.fill(f"tally.{name}", array)
        random = self._randomness()
        for name, array in random.items():
            saved.fill(name, array)
        if self._arena is None:
            _set_words(self._rngs, random["rngs"])
        hands = saved.array("marks.hands", np.int64, (None,), least=1, most=self.hands)
        shape = (len(hands), *self._tally.total.shape)
        total, square = (saved.array(f"marks.{k}", np.float64, shape) for k in ("total", "square"))
        self._marks = [
            Sums(turns(len(self.agents), n), self._repeat, total[k], square[k])
            for k, n in enumerate(hands.tolist())
        ]
        if saved.width("guess") == 0:
            saved.array("guess", np.float64, (0, 0))
        else:
            assert self.tree is not None
            shape = (len(self.agents), self.tree.infosets.slots)
            self._guess = saved.array("guess", np.float64, shape, least=0, most=1 + 1e-6)
            known = [g != self.stranger for g in range(len(self.agents))]
            self._see(known)

    def exact(self) -> tuple[float, ...] | None:
        """What each agent wins a hand on average, if all play one fixed strategy each."""
        fixed = [agent for agent in self.agents if isinstance(agent, StrategyAgent)]
        if len(fixed) < len(self.agents) or not all(map(is_fixed, fixed)):
            return None
        strategies = [self._on_tree(agent.strategy) for agent in fixed]
        forms = {(s.fingerprint, *(table.shape for table in s.tables)) for s in strategies}
        if len(forms) > 1:  # of one game, but laid out in several ways
            return None
        first = strategies[0]
        if first.tree.two_player_zero_sum:
            own = sum(earned_against(first, player, strategies[1]) for player in (0, 1)) / 2
            return own, -own
        count, won = len(fixed), np.zeros(len(fixed))
        for turn in range(count):
            order = [(player + turn) % count for player in range(count)]
            won[order] += values(*(strategies[g] for g in order))
        return tuple((won / count).tolist())

    def _on_tree(self, strategy: Strategy) -> Strategy:
        """The same strategy on the compiled game of the match, if it is one of that."""
        if self.tree is None or strategy.fingerprint != self.tree.fingerprint:
            return strategy
        return Strategy.of(self.tree, strategy.tables, strategy.about)

    # One block of hands after the other, up to where something may change.

    def _advance(self, goal: int, recorder: Recorder | Log | None) -> str:
        mark = next_mark(self.hands)
        stops = [self.hands // CHUNK * CHUNK + CHUNK, mark, *self._changes(self.hands)]
        if self.hands == 0 or self._is_stop():
            self._look()
        stop = min(goal, *stops)
        # Slow agents let others have a word in between, which changes nothing.
        pace = self.seconds / self.hands if self.hands else 1.0
        stop = min(stop, self.hands + max(1, int(WORD_SECONDS / max(pace, 1e-9))))
        if self._arena is not None:
            self._arena.warm(self._tally, self._insight)
        # What agents of others think about may be cut short: their hand does not count then.
        with uncut() if self._arena is not None else nullcontext():
            wall, cpu = time.perf_counter(), time.process_time()
            done = self._run(stop - self.hands, recorder)
            self.seconds += time.perf_counter() - wall
            self.cpu_seconds += time.process_time() - cpu
            if self.hands == mark:
                self._marks.append(self._sums())
        return done

    def _is_stop(self) -> bool:
        """Do values change here? Never where a match was merely interrupted."""
        changed = self._changes(self.hands - 1)
        return self.hands in (self._marked(), *changed) or self.hands % CHUNK == 0

    def _marked(self) -> int:
        """The last point of the curve."""
        return self._marks[-1].hands if self._marks else 0

    def _changes(self, hand: int) -> list[int]:
        """The hands at which agents change their strategy for the first time after this one."""
        phases = [a.phase(hand) for a in self.agents if isinstance(a, StrategyAgent)]
        return [phase.until for phase in phases if phase.until is not None]

    def _run(self, hands: int, recorder: Recorder | Log | None) -> str:
        if self._arena is not None and not (recorder and self._arena.tree.merged):
            leaves = np.zeros(hands if recorder else 0, dtype=np.uint32)
            self._arena.play(self.hands, hands, self._tally, self._insight, leaves)
            if recorder:
                self._write_down(recorder, leaves)
            self.hands += hands
            return "hands"
        for _ in range(hands):
            dealer = Dealer(deal_seed(self.seed), self.hands // self._repeat)
            rows = [odds_of(agent, self.hands) for agent in self.agents]
            hand = self._table.play(self.hands, dealer, self._rngs)
            self._count(hand, rows)
            if recorder:
                recorder.add(hand)
            if hand.fault is not None:
                self.faults[hand.fault.agent] += 1
                if len(self.messages) < MOST_FAULTS:
                    self.messages.append(hand.fault)
                if self.on_fault == "stop":
                    return "fault"
        return "hands"

    @property
    def _repeat(self) -> int:
        return len(self.agents) if self.duplicate else 1

    def _look(self) -> None:
        """Work out values anew from the strategies as they are now."""
        if self.tree is None:
            return
        if self._guess is not None and all(map(is_fixed, self.agents)):
            return
        rows: Sequence[Floats | None]
        if self._arena is not None:
            rows = list(self._arena.odds(self.hands))
        else:
            rows = [odds_of(agent, self.hands) for agent in self.agents]
        known = [row is not None for row in rows]
        if self.stranger is not None:
            known[self.stranger] = False
        guess = next((row for row, sure in zip(rows, known, strict=True) if sure), None)
        if guess is None:
            guess = self.tree.infosets.evenly()
        strategies = [row if sure else guess for row, sure in zip(rows, known, strict=True)]
        self._guess = np.array(strategies)
        self._see(known)

    def _see(self, known: Sequence[bool]) -> None:
        assert self.tree is not None
        assert self._guess is not None
        others = [agent for agent, sure in zip(self.agents, known, strict=True) if sure]
        # A strategy that changes now and then is a known one until it does.
        alone = known.count(False) == 1 and not any(map(learns, others))
        stranger = known.index(False) if alone else None
        self._insight = insight_of(self.tree, self._guess, known, stranger)

    def _sums(self) -> Sums:
        counts = turns(len(self.agents), self.hands)
        return Sums(counts, self._repeat, self._tally.total.copy(), self._tally.square.copy())

    def _scores(self, sums: Sums) -> tuple[Score, ...]:
        reduced = self.takes_luck_out and not self.faults.any()
        return scores(self.names, sums, reduced=reduced, exact=self._exact_once())

    def _exact_once(self) -> tuple[float, ...] | None:
        if "_exact" not in vars(self):
            self._exact = self.exact()
        return self._exact

    def _header(self) -> dict[str, object]:
        return {
            "game": self.spec,
            **source_in(self.game),
            "agents": list(self.names),
            "seed": self.seed,
            "duplicate": self.duplicate,
            "reveal": self.reveal,
            "first": self.hands,
        }

    def _write_down(self, recorder: Recorder | Log, leaves: NDArray[np.uint32]) -> None:
        assert self.tree is not None
        tale, agents = story(self.tree), len(self.agents)
        events: dict[int, tuple[str, ...]] = vars(self).setdefault("_events", {})
        for number, node in enumerate(leaves.tolist(), start=self.hands):
            if node not in events:
                events[node] = tale.events(tale.path(node))
            players = tuple((player + number) % agents for player in range(agents))
            payoffs = tuple(self.tree.payoff[self.tree.leaf[node]].tolist())
            recorder.add(PlayedHand(number, players, events[node], payoffs))

    # At a table in Python.

    def _count(self, hand: PlayedHand, rows: Sequence[Floats | None]) -> None:
        """Write a hand down; ``rows`` are the odds with which it was played."""
        fair = hand.payoffs if hand.fault else self._fair(hand, rows)
        add_hand(self._tally, self._repeat, hand.number, hand.players, hand.payoffs, fair)
        self.hands += 1

    def _fair(self, hand: PlayedHand, rows: Sequence[Floats | None]) -> Sequence[float]:
        """What a hand pays with luck taken out, where that can be known."""
        if self._at_table is not None:
            return self._at_table.fair(hand)
        if self.tree is None:
            return hand.payoffs
        places = [step.place for step in hand.steps]
        turn = hand.number % len(self.agents)
        return fair_payoffs(self.tree, self._insight, rows, turn, places, hand.payoffs)


def _words(rngs: Sequence[np.random.Generator]) -> NDArray[np.uint64]:
    """[agents, 6] where generators stand: 128 bits each of state and increment, and a half."""
    rows = []
    for rng in rngs:
        told = rng.bit_generator.state
        large = (told["state"]["state"], told["state"]["inc"])
        words = [word for number in large for word in (number >> 64, number & (1 << 64) - 1)]
        rows.append([*words, told["has_uint32"], told["uinteger"]])
    return np.array(rows, dtype=np.uint64)


def _set_words(rngs: Sequence[np.random.Generator], rows: NDArray[np.uint64]) -> None:
    for rng, (high, low, step_high, step_low, kept, half) in zip(rngs, rows.tolist(), strict=True):
        rng.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": high << 64 | low, "inc": step_high << 64 | step_low},
            "has_uint32": kept & 1,
            "uinteger": half & 0xFFFFFFFF,
        }
