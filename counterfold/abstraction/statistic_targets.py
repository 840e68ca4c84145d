"""A style from VPIP and its like: a blueprint learns on under degrees that meet statistics.

A statistic counts actions at some decisions. There the style has a large vulnerability degree, so
that play follows the preference degrees alone: the blueprint's choices, and for actions that it
never takes what they lose (their average regret over how often the others let a hand come there),
both tilted by a price for each target. Hands that lose the least so change first. Prices are found
before each part of the run. Everything else learns on where the blueprint stood, and answers it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.blueprint import engine_in
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_statistics import BoardWalk, bucket_statistics, first_street
from counterfold.arrays import Floats
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.evaluate.certificate import Certified
from counterfold.games.spec import whole
from counterfold.poker.game import DECISION
from counterfold.poker.statistics import PREFLOP, Event, Statistics, events, known_name
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy

TOLERANCE = 0.01
"""A target counts as met within this."""
ITERATIONS = 2_000_000
EPOCHS = 8
BOARDS, LOOKS = 300, 60  # boards for the price, and for a look at what is reached meanwhile
DECKS = 1_000
SOFT = 0.1  # big blinds: the temperature of choices
SELDOM = 0.02  # how much an action weighs that loses nothing and is never chosen
LOCKED = 1e6  # a vulnerability degree that no regret overcomes
STEEPEST = 1e6
CYCLES = 30  # over the prices of several targets
CLOSE = TOLERANCE / 4
MOST = 20.0  # big blinds, of a price


class StatTarget(NamedTuple):
    """A wanted statistic, of one seat or of all seats together."""

    name: str
    seat: int | None
    wanted: float

    @classmethod
    def parse(cls, text: str, wanted: float, seats: Sequence[str]) -> StatTarget:
        """From words: ``vpip``, or ``BTN:3bet`` for one seat.

        >>> StatTarget.parse("bb:3bet", 0.1, ("SB", "BB"))
        StatTarget(name='3bet', seat=1, wanted=0.1)
        """
        seat, _, name = text.rpartition(":")
        if not 0 <= wanted <= 1:
            raise ParameterError(f"the target for {text} must be from 0 to 1, not {wanted:g}")
        plain = known_name(name)
        if plain in ("w$sd", "af"):
            raise ParameterError(f"{plain} is told of a strategy, and cannot be a target")
        words = [one.lower() for one in seats]
        if seat and seat.strip().lower() not in words:
            raise ParameterError(f"there is no seat {seat!r}; there are {', '.join(seats)}")
        return cls(plain, words.index(seat.strip().lower()) if seat else None, float(wanted))

    def label(self, seats: Sequence[str]) -> str:
        return self.name if self.seat is None else f"{seats[self.seat]}:{self.name}"


@dataclass(frozen=True)
class StatMet(Certified):
    """One target, what was reached, and what the blueprint had."""

    statistic: str
    wanted: float
    reached: float
    plain: float

    @property
    def error(self) -> float:
        return self.reached - self.wanted


@dataclass(frozen=True)
class StatMeeting(Certified):
    """A strategy that meets statistics, and its price.

    ``price`` is in big blinds a hand, the mean over seats of what is won there among others with
    the blueprint by ``free``, which has learned on as long without targets, less what the styled
    strategy wins in its place, with half of its 95% interval; ``prices`` has the prices that the
    search put on the targets, in big blinds for a counted action.
    """

    game: str
    targets: tuple[StatMet, ...]
    price: float
    half: float
    prices: tuple[float, ...]
    iterations: int
    cpu_seconds: float
    statistics: Statistics = field(repr=False)
    strategy: Strategy = field(repr=False)
    free: Strategy = field(repr=False)

    @property
    def met(self) -> bool:
        """Whether every target is met within TOLERANCE."""
        return all(abs(one.error) <= TOLERANCE for one in self.targets)


def meet_statistics(
    blueprint: Solver,
    targets: Mapping[str, float],
    iterations: int = ITERATIONS,
    seed: int = 0,
    on_report: Callable[[int, Floats], None] | None = None,
) -> StatMeeting:
    """Learn on from a blueprint so that its statistics meet targets.

    ``targets`` are words such as ``vpip`` or ``BTN:3bet``; without a seat a statistic is of all
    seats together. ParameterError if they cannot be met together, with the nearest that can.
    """
    began = time.process_time()
    form, wanted = _checked(blueprint, targets)
    whole("iterations", iterations, least=EPOCHS)
    seats = form.game.players
    blueprint.step(-blueprint.iteration % engine_in(blueprint).per_round)  # whole rounds
    search = _Search(form, wanted, blueprint, seed)
    plain = search.measure(search.plain)
    odds = search.aim(search.plain, search.advantages(search.plain, search.regrets))
    solver = search.go_on(blueprint, search.style(odds))
    table = search.plain
    for epoch in range(EPOCHS):
        solver.step(iterations // EPOCHS)
        table = np.asarray(solver.strategy().tables[0], np.float64)
        regrets = engine_in(solver).average_regrets()
        last = epoch == EPOCHS - 1
        advantage = search.advantages(table, regrets)
        odds = search.aim(table, advantage, strict=False, boards=BOARDS if last else LOOKS)
        if on_report is not None:
            on_report((epoch + 1) * (iterations // EPOCHS), search.reached)
        if not last:
            solver.condition(search.style(odds))
    final = search.put(table, odds)
    strategy = Strategy.of(
        form, (final.astype(np.float32),),
        {**blueprint.strategy().about, "targets": {one.label(seats): one.wanted for one in wanted}},
    )  # fmt: skip
    other = search.go_on(blueprint, None)
    other.step(solver.iteration - blueprint.iteration)
    free = other.strategy()
    price, half = search.price(final, np.asarray(free.tables[0], np.float64))
    reached = search.measure(final)
    return StatMeeting(
        game=form.spec,
        targets=tuple(
            StatMet(one.label(seats), one.wanted, float(got), float(was))
            for one, got, was in zip(wanted, reached, plain, strict=True)
        ),
        price=price,
        half=half,
        prices=tuple(search.bonus.tolist()),
        iterations=solver.iteration - blueprint.iteration,
        cpu_seconds=time.process_time() - began,
        statistics=bucket_statistics(strategy, BOARDS, seed),
        strategy=strategy,
        free=free,
    )


def _checked(
    blueprint: Solver, targets: Mapping[str, float]
) -> tuple[BucketForm, list[StatTarget]]:
    """The form of a blueprint that can be taught targets, and these."""
    form = blueprint.tree
    if not isinstance(form, BucketForm):
        raise UnsupportedError(f"{form.spec} has no statistics to aim at; give a blueprint")
    if blueprint.method.floor:
        raise UnsupportedError(
            f"{blueprint.method.name} forgets what bad actions lose, which targets need; make the "
            "blueprint with linear or dcfr"
        )
    seats = form.game.players
    wanted = [StatTarget.parse(text, share, seats) for text, share in targets.items()]
    if len({(one.name, one.seat) for one in wanted}) < len(wanted) or not wanted:
        raise ParameterError("give each statistic once, and at least one")
    return form, wanted


class _Search:
    """The decisions that targets count, and the prices that make them meet."""

    def __init__(
        self, form: BucketForm, targets: list[StatTarget], blueprint: Solver, seed: int
    ) -> None:
        self.form, self.targets, self.seed = form, targets, seed
        self.walk = BoardWalk(form)
        self.unit = form.game.big_blind or 1.0
        self.plain = np.asarray(blueprint.strategy().tables[0], np.float64)
        self.regrets = engine_in(blueprint).average_regrets()
        tree = form.game.betting
        counted = events(tree)
        self.events = [_together(counted[one.name], one.seat) for one in targets]
        self.streets = 1 if all(one.name in PREFLOP for one in targets) else tree.streets
        self.owner = np.repeat(tree.player, form.counts * form.actions)
        self.named = np.stack([self._named(one) for one in range(len(targets))])
        self.infoset = np.repeat(np.arange(form.infoset_count), form.widths)
        self.begin_at = np.cumsum(form.widths) - form.widths
        held = np.add.reduceat(np.abs(self.named).max(0), self.begin_at) > 0
        self.held = held[self.infoset]  # [numbers] of decisions that a target counts
        self.bonus = np.zeros(len(targets))
        self.reached = np.zeros(len(targets))

    def _named(self, k: int) -> Floats:
        """[numbers of a strategy] 1 for the actions that a target counts, by everybody it is of."""
        form, tree, target = self.form, self.form.game.betting, self.targets[k]
        out = np.zeros(form.size)
        if target.name == "wtsd":  # whatever is no fold leads to the showdown
            labels = np.array(tree.label)
            mine = [target.seat] if target.seat is not None else range(tree.players)
            folds = np.flatnonzero((labels == "fold") & (tree.street[tree.parent] > 0))
            folds = folds[np.isin(tree.player[tree.parent[folds]], [*mine])]
            done = [c for f in folds for c in tree.children(int(tree.parent[f])) if c != f]
        else:
            done = self.events[k].done.tolist()
        for child in done:
            node = int(tree.parent[child])
            width, start = int(form.actions[node]), int(form.start[node])
            place = child - int(tree.first[node])
            out[start + place : start + width * int(form.counts[node]) : width] = 1.0
        return out

    def masses(self, table: Floats, count: int) -> Floats:
        """[nodes] how often play comes there, over drawn boards or exactly where it can be."""
        given = table.astype(np.float32)
        if self.streets == 1 and len(self.form.game.players) == 2:
            return first_street(Strategy.of(self.form, (given,)))
        decks = DECKS if self.streets == 1 else count
        streets = 1 if self.streets == 1 else None
        played = self.walk.boards(given, decks, self.seed, streets, decks)
        mass = next(iter(played)).mass
        total: Floats = mass / mass[0]
        return total

    def measure(self, table: Floats, count: int = BOARDS) -> Floats:
        """[targets] the statistics of a strategy."""
        mass = self.masses(table, count)
        shares = [mass[one.done].sum() / max(mass[one.chances].sum(), 1e-12) for one in self.events]
        return np.array(shares)

    def advantages(self, table: Floats, regrets: Floats) -> Floats:
        """[numbers] big blinds that an action wins more than what is played, when it comes up."""
        form, tree = self.form, self.form.game.betting
        comes = np.zeros(form.size)
        odds = _bucket_odds(form, self.seed)
        for p in range(len(form.game.players)):
            free = np.where(self.owner == p, 1.0, table)
            mass = self._others(free)
            for node in np.flatnonzero((tree.kind == DECISION) & (tree.player == p)).tolist():
                start, width = int(form.start[node]), int(form.actions[node])
                if self.held[start : start + width * int(form.counts[node])].any():
                    here = np.repeat(odds[int(tree.street[node])] * mass[node], width)
                    comes[start : start + len(here)] = here
        scale = np.maximum(comes, 1e-9 * float(comes.max()))
        found: Floats = np.clip(regrets / scale / self.unit, -1e3, 1e3)
        return found

    def _others(self, free: Floats) -> Floats:
        """How often chance and the others let one come to each node who takes every action."""
        decks = 100 if self.streets == 1 else LOOKS
        streets = 1 if self.streets == 1 else None
        played = self.walk.boards(free.astype(np.float32), decks, self.seed, streets, decks)
        mass = next(iter(played)).mass
        total: Floats = mass / mass[0]
        return total

    def odds(self, advantage: Floats, bonus: Floats) -> Floats:
        """[numbers] the blueprint's choices, others by what they lose, tilted by the prices."""
        rest = SELDOM * np.exp(np.maximum(np.minimum(advantage, 0.0) / SOFT, -60.0))
        worth = np.log(self.plain + rest) + (bonus @ self.named) / SOFT
        worth -= np.maximum.reduceat(worth, self.begin_at)[self.infoset]
        weights = np.exp(np.maximum(worth, -80.0))
        shares: Floats = weights / np.add.reduceat(weights, self.begin_at)[self.infoset]
        return shares

    def put(self, table: Floats, odds: Floats) -> Floats:
        """A strategy with the odds where targets look."""
        return np.where(self.held, odds, table)

    def aim(
        self, table: Floats, advantage: Floats, strict: bool = True, boards: int = LOOKS
    ) -> Floats:
        """Prices in turn until all fit: the odds with which the statistics are the wanted ones."""
        wanted = [one.wanted for one in self.targets]

        def at(bonus: Floats) -> Floats:
            return self.measure(self.put(table, self.odds(advantage, bonus)), boards)

        def missed(bonus: Floats, k: int, price: float) -> float:
            bonus[k] = price
            return float(at(bonus)[k]) - wanted[k]

        bonus, best = self.bonus.copy(), (np.inf, self.bonus.copy(), self.reached)
        for _ in range(CYCLES if len(bonus) > 1 else 1):
            for k in range(len(bonus)):
                bonus[k] = _crossing(partial(missed, bonus.copy(), k), bonus[k])
            now = at(bonus)
            miss = float(np.abs(now - wanted).max())
            if miss < best[0]:
                best = miss, bonus.copy(), now
            if miss < TOLERANCE / 2:
                break
        miss, self.bonus, self.reached = best
        if strict and miss > TOLERANCE:
            seats = self.form.game.players
            pairs = zip(self.targets, self.reached.tolist(), strict=True)
            near = ", ".join(f"{one.label(seats)} = {share:.3f}" for one, share in pairs)
            raise ParameterError(f"no strategy was found with these at once; the nearest is {near}")
        return self.odds(advantage, self.bonus)

    def style(self, odds: Floats) -> Conditions:
        """Preference degrees in the proportions of odds, that no regret overrules."""
        most = np.maximum.reduceat(odds, self.begin_at)[self.infoset]
        delta = np.where(self.held, np.maximum(odds / most, 1 / STEEPEST) * STEEPEST, 1.0)
        beta = np.where(np.add.reduceat(self.held, self.begin_at) > 0, LOCKED * self.unit, 0.0)
        return Conditions.by_infosets(delta, beta)

    def go_on(self, blueprint: Solver, style: Conditions | None) -> Solver:
        """A solver, under a style or without, that stands where the blueprint does."""
        known, engine = blueprint.settings, engine_in(blueprint)
        solver = Solver(
            self.form, blueprint.method, known.traversal, seed=self.seed,
            per_round=known.per_round, style=style,
        )  # fmt: skip
        logs = blueprint.logs.copy()
        if style is not None:
            logs[-1] = blueprint.method.weight(blueprint.iteration // engine.per_round)
        solver.stand_at(blueprint.iteration, logs)
        engine_in(solver).put_sums(engine.sums(blueprint.logs), logs, blueprint.iteration)
        return solver

    def price(self, table: Floats, free: Floats) -> tuple[float, float]:
        """What seats win less, on average, by a strategy than by a free one, among blueprints."""
        mine = {one.seat for one in self.targets}
        everybody = range(len(self.form.game.players))
        seats = everybody if None in mine else sorted(p for p in mine if p is not None)
        lost = np.zeros(BOARDS)
        for p in seats:
            won = [
                self._won(np.where(self.owner == p, one, self.plain).astype(np.float32))[:, p]
                for one in (free, table)
            ]
            lost += (won[0] - won[1]) / len(seats) / self.unit
        return float(lost.mean()), 1.959964 * float(lost.std(ddof=1)) / len(lost) ** 0.5

    def _won(self, table: NDArray[np.float32]) -> Floats:
        """[boards, players] what is won on the same boards whatever is played."""
        boards = self.walk.boards(table, BOARDS, self.seed + 1)
        return np.stack([one.value / one.mass[0] for one in boards])


def _crossing(miss: Callable[[float], float], start: float) -> float:
    """Where a rising function is all but zero: from a start in growing steps, then by halves."""
    value, far, step = miss(start), start, 0.05
    side = 1.0 if value < 0 else -1.0
    near = start
    while abs(value) >= CLOSE and value * side < 0:
        if abs(far) >= MOST:
            return far
        near, far = far, min(max(far + side * step, -MOST), MOST)
        value, step = miss(far), 2 * step
    for _ in range(40):
        if abs(value) < CLOSE:
            break
        middle = (near + far) / 2
        value = miss(middle)
        if value * side < 0:
            near = middle
        else:
            far = middle
        if abs(value) < CLOSE:
            return middle
    return far


def _together(counted: Sequence[Event], seat: int | None) -> Event:
    chosen = counted if seat is None else counted[seat : seat + 1]
    return Event(*(np.concatenate(arrays) for arrays in zip(*chosen, strict=True)))


def _bucket_odds(form: BucketForm, seed: int) -> list[Floats]:
    """[streets][buckets] how likely a hand is in each."""
    rng, rules = np.random.default_rng(seed), form.game.rules
    live = np.flatnonzero(np.isin(rules.cards[:, : rules.hole], rules.deck).all(1))
    found = []
    for one in form.buckets:
        counts = np.zeros(one.count)
        for _ in range(1 if one.cards == len(form.game.board) else 60):
            deck = [card for card in rules.deck if card not in form.game.board]
            more = rng.permutation(deck)[: one.cards - len(form.game.board)].tolist()
            board = (*form.game.board, *more)
            free = live[~np.isin(rules.cards[live], board).any(1)]
            counts += np.bincount(one.on(board)[free], minlength=one.count)
        found.append(np.maximum(counts / counts.sum(), 1e-9))
    return found
