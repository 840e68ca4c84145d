"""Every family of kernels, every method, with and without a style, against ``tests/naive.py``.

Where a kernel can run a whole game without chance deciding, it does; the others are given one
infoset and a series of new regrets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.blueprint import engine_in
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.buckets import every_hand
from counterfold.abstraction.deal_engine import Deal
from counterfold.abstraction.deal_form import DealForm
from counterfold.games.base import label
from counterfold.games.cheat import Cheat
from counterfold.kernels import cheat_sampling, online, poker_lines, poker_sampling, public_search
from counterfold.kernels.rule import LOG_POSITIVE, WEIGHT
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.solver import Solver
from tests import naive
from tests.abstraction.test_deals import decisions, slots, started
from tests.abstraction.test_sampled_poker import GAMES, in_history, sampler
from tests.abstraction.test_sampled_poker import history as compiled
from tests.naive_poker import NaivePoker
from tests.public_layout import both_forms
from tests.random_games import WithoutTies, random_game
from tests.solvers.layout import flat, regrets, unflat
from tests.solvers.test_public_extras import styled

STEPS = 6
FEW = ("cfr", "dcfr", "pcfr+")  # on games that take the oracle a while
PLAIN, MATCH, BEST = "plain", "match", "best"
Pair = tuple[Any, Any, float]  # found, wanted, and how far apart they may be


def drawn(tree: Any, seed: int, best: bool) -> Conditions:
    """A style that has a say everywhere, without ties between actions."""
    random = np.random.default_rng(seed)
    delta = 1.0 + 4.0 * random.random(tree.infosets.slots)
    return Conditions.by_infosets(delta, 0.05 * random.random(len(tree.infosets.owner)), best)


def told(game: Any, tree: Any, leaning: Conditions) -> naive.Style:
    """The same over the rules."""
    even = naive.uniform(game)
    each = np.repeat(leaning.beta, tree.infosets.sizes)
    beta = {i: numbers[0] for i, numbers in unflat(tree, even, each).items()}
    return naive.Style(unflat(tree, even, leaning.delta), beta, leaning.best)


def whole_game(game: Any, method: str, style: str, **settings: Any) -> Iterator[Pair]:
    tree = cf.compile_game(game)
    leaning = None if style == PLAIN else drawn(tree, 5, style == BEST)
    solver = cf.Solver(tree, method, style=leaning, **settings)
    solver.step(STEPS)
    slow = naive.Cfr(
        game, naive.RULES[method], True, None if leaning is None else told(game, tree, leaning)
    ).run(STEPS)
    yield regrets(solver), flat(tree, slow.regret), 1e-9
    yield solver.engine.current(), flat(tree, slow.strategy), 1e-8
    yield solver.engine.average(), flat(tree, slow.average()), 1e-8


def sequence(method: str, style: str) -> Iterator[Pair]:
    for game in (WithoutTies(cf.Kuhn()), random_game(3, 3)):
        yield from whole_game(game, method, style)


def history(method: str, style: str) -> Iterator[Pair]:
    for game in (WithoutTies(cf.Kuhn()), random_game(3, 2, recall=False)):
        yield from whole_game(game, method, style, form="history")


def chance(method: str, style: str) -> Iterator[Pair]:
    """Nothing is left to sample."""
    yield from whole_game(random_game(2, 2, chance=False), method, style, traversal="chance")


def external(method: str, style: str) -> Iterator[Pair]:
    yield from whole_game(random_game(5, 1, chance=False), method, style, traversal="external")


class OneDeal(Cheat):
    """Cheat after a deal."""

    def __init__(self) -> None:
        super().__init__(health=1, view="general")
        state: Any = super().root()
        while super().turn(state) < 0:
            state = super().next(state, super().chance(state)[0][0])
        self.dealt = Deal(state.hands, state.seat)
        self.begin = started(Cheat(health=1, view="general"), self.dealt)

    def root(self) -> Any:
        return self.begin


def deals(method: str, style: str) -> Iterator[Pair]:
    game, full = OneDeal(), Cheat(health=1, view="general")
    solver = Solver(DealForm(full, thorough=True), method, "chance")
    slow = naive.Cfr(game, naive.RULES[method], True)
    solver.engine.deals = repeat(game.dealt)
    for _ in range(STEPS):
        solver.step()
        slow.step()
        tables = solver.engine._learned.tables
        for state in decisions(game, game.root()):
            player = game.turn(state)
            i = (player, game.observe(state, player))
            at = slots(solver, *reversed(i))
            assert at is not None
            yield tables.regret[at], slow.regret[i], 1e-9
            yield tables.total[at], slow.total[i], 1e-9
            # Where regrets cancel, rounding decides what is played: go on from the same numbers.
            if slow.tied(i):
                slow.strategy[i] = tables.strategy[at].tolist()
            yield tables.strategy[at], slow.strategy[i], 1e-7


def public(method: str, style: str) -> Iterator[Pair]:
    for name in ("kuhn", "leduc") if method in FEW else ("kuhn",):
        both = both_forms(name)
        best, asked, known = style == BEST, [{}, {}], None
        if style != PLAIN:
            asked, leaning = styled(both, best, 3)
            known = told(both.naive, both.history, leaning)
        style_of = Conditions(tuple(asked), best)
        solver = Solver(both.tree, method, dtype="float64", threads=1, style=style_of)
        slow = naive.Cfr(both.naive, naive.RULES[method], True, known)
        solver.step(STEPS)
        slow.run(STEPS)
        seen = both.told
        yield both.regrets(solver)[seen], flat(both.history, slow.regret)[seen], 1e-9
        yield both.average(solver)[seen], flat(both.history, slow.average())[seen], 1e-8


def by_bucket(form: BucketForm, tree: Any, leaning: Conditions) -> Conditions:
    """A style over infosets, where each hand has a bucket of its own."""
    rules, index = NaivePoker(form.game), {name: i for i, name in enumerate(tree.infosets.labels)}
    delta, beta, first = np.ones(form.size), np.zeros(form.infoset_count), 0
    for node in form.nodes.tolist():
        width = int(form.actions[node])
        for hand, bucket in enumerate(form.buckets[0].on(form.game.board).tolist()):
            i = index.get(label(rules.seen(hand, (), node)))
            if i is not None:
                at, slot = int(form.start[node]) + bucket * width, int(tree.infosets.start[i])
                delta[at : at + width] = leaning.delta[slot : slot + width]
                beta[first + bucket] = leaning.beta[i]
        first += int(form.counts[node])
    assert (delta > 1).sum() == tree.infosets.slots
    return Conditions.by_infosets(delta, beta, leaning.best)


def boards(method: str, style: str) -> Iterator[Pair]:
    """No card is to come, so that nothing is left to sample; in single precision."""
    for name in ("kuhn", "river") if method in FEW else ("kuhn",):
        poker, tree = GAMES[name], compiled(name)
        form, asked, known = BucketForm(poker, every_hand(poker)), None, None
        if style != PLAIN:
            leaning = drawn(tree, 5, style == BEST)
            asked = by_bucket(form, tree, leaning)
            known = told(NaivePoker(poker), tree, leaning)
        solver = cf.Solver(form, method, "public", per_round=1, style=asked)
        solver.step(STEPS)
        slow = naive.Cfr(NaivePoker(poker), naive.RULES[method], True, known).run(STEPS)
        yield in_history(solver.strategy(), name).probabilities, flat(tree, slow.average()), 2e-4


class Row:
    """One infoset of the oracle: what it plays, and what it learns from values of actions."""

    def __init__(
        self, method: str, size: int = 3, delta: Any = None, beta: float = 0.0, best: bool = False
    ) -> None:
        self.rule, self.t, self.delta, self.beta, self.best = (
            naive.RULES[method], 0, delta, beta, best,
        )  # fmt: skip
        self.regret, self.total = [0.0] * size, [0.0] * size
        self.strategy = naive.match(self.regret, delta, 0.0, best)
        self.weight = 0.0

    def learn(self, value: np.ndarray) -> None:
        self.t += 1
        fade = self.rule.fade(self.t)
        self.total = [s * fade + p for s, p in zip(self.total, self.strategy, strict=True)]
        new = value - np.dot(self.strategy, value)
        self.regret, ahead = self.rule.regrets(self.t, self.regret, new.tolist())
        self.weight = self.rule.weight(self.weight, self.t)
        self.strategy = naive.match(ahead, self.delta, self.weight * self.beta, self.best)


def values(steps: int = STEPS, size: int = 3) -> np.ndarray:
    return np.random.default_rng(4).normal(size=(steps, size))


def draws(method: str, style: str) -> Iterator[Pair]:
    """Deal by deal: the row of one decision, on its way back from a walk, and drawn from."""
    poker = both_forms("kuhn").poker
    solver = sampler(poker, every_hand(poker), method, "external", per_round=1)
    engine, logs = engine_in(solver), np.zeros(4)
    kernels, size, best = poker_sampling, 3, style == BEST
    table, asked, slow = np.zeros(2 * size + 2, np.float32), None, Row(method)
    if style != PLAIN:
        slow = Row(method, size, [1.5, 4.0, 2.5], 0.2, best)
        asked = np.array([*slow.delta, *slow.strategy, slow.beta, 0.0], np.float32)
    four = int(poker_lines.FOUR)
    visit, value = np.zeros(4 * four, np.uint32), np.zeros(3 * size, np.float32)
    visit[four + int(kernels.IS)] = size << int(poker_lines.COUNT)
    room = engine.workers[0].room._replace(visit=visit, value=value, width=size)
    low, count, own = np.uint64(0), np.uint64(size), np.uint64(2 * four)
    for worth in values():
        row = solver.method.schedule(slow.t + 1, 1, logs)[0]
        logs = row[LOG_POSITIVE : WEIGHT + 1]
        rule = engine.rule(row, slow.t + 1)._replace(best=best)
        poker_lines.refresh(table, low, count, rule)
        kernels._other(table, asked, rule, 0.5, low, count, 0, False)
        value[size : 2 * size] = worth
        kernels._collect(engine.lines, rule, table, asked, room, own)
        yield value[0], np.dot(slow.strategy, worth), 1e-4
        slow.learn(worth)
    faded = np.array(1.0 if rule.fading else 1 / rule.gain)
    yield table[:size] * faded, slow.regret, 1e-4
    yield naive.to_one(table[size : 2 * size].tolist()), naive.to_one(slow.total), 1e-4


def search(method: str, style: str) -> Iterator[Pair]:
    """The opponent at the root picks among hands, or stays out with one."""
    size = 3
    solver = cf.Solver(cf.Kuhn(), method)
    for kind in (public_search.CHOOSE, public_search.REFUSE):
        picks = kind == public_search.CHOOSE
        slow = [Row(method)] if picks else [Row(method, 2) for _ in range(size)]
        part, one = np.zeros((1, 1, size)), np.ones((1, size))
        root = public_search.Root(
            np.array([kind]), np.ones(1), part, one[None], one, one,
            np.full((1, 1, size), 1 / size if picks else 0.5), part.copy(),
            np.zeros((1, 2, 1, size)), np.zeros(1), np.zeros(size),
        )  # fmt: skip
        logs = np.zeros(4)
        for worth in values():
            now = solver.method.schedule(slow[0].t + 1, 1, logs)[0]
            public_search._learn_root(root, 0, worth[None], 0, 1.0, now)
            for h, row in enumerate(slow):
                row.learn(worth if picks else np.array([worth[h], 0.0]))
            play = slow[0].strategy if picks else [row.strategy[0] for row in slow]
            yield root.play[0, 0], play, 1e-9
        total = slow[0].total if picks else [row.total[0] for row in slow]
        yield root.total[0, 0], total, 1e-9
        regret = [slow[0].regret] if picks else np.transpose([row.regret for row in slow])
        yield root.regret[0, : len(regret), 0], regret, 1e-9


def learners(method: str, style: str) -> Iterator[Pair]:
    """An online learner with one infoset, whose values are told."""
    size, slow = 3, Row(method)
    param = np.zeros((1, online.PARAMETERS))
    param[0, online.PLUS] = method == "cfr+"
    table = np.zeros((1, size))
    minds = online.Minds(
        np.array([online.SEOCFR]), param, table + 1 / size, table.copy(), table.copy(),
        table.copy(), table.copy(), table, table, table, np.zeros((1, 2)),
    )  # fmt: skip
    index = np.zeros((1, 1), np.uint32)
    ground = online.Ground(np.array([0, size], np.uint32), np.full(1, online.NONE), index, index[0])
    trace = online.Trace(index, index, np.ones(1, np.int64), index, np.zeros(1, np.int64))
    for worth in values():
        minds.value[0] = worth
        online._regrets(minds, ground, trace, 0, 1.0)
        slow.learn(worth)
        yield minds.regret[0], slow.regret, 1e-9
        yield minds.strategy[0], slow.strategy, 1e-9


def trials(method: str, style: str) -> Iterator[Pair]:
    """Cheat with many cards: a row in which some moves cannot be made."""
    size = cheat_sampling.MOVES
    can = np.flatnonzero(np.arange(size) % 2 == 0)
    moves, weight = int(sum(1 << int(a) for a in can)), 2.0
    tables = cheat_sampling.Tables(
        np.zeros((1, size)), np.zeros((1, size)), np.zeros(1), np.zeros((1, 2))
    )
    place = cheat_sampling.Place(np.zeros((1, 1)), None)
    room = cheat_sampling.Room(
        place, place, np.zeros(size), np.zeros(size), np.array([1], np.uint64)
    )
    total = np.zeros(len(can))
    for regret in np.concatenate([values(STEPS, size), -np.ones((1, size))]):
        tables.regret[0] = regret
        wanted = np.array(naive.match(regret[can].tolist()))
        total += weight * wanted
        cheat_sampling._match(room._replace(game=None, trial=None), tables, 0, moves, weight)
        yield room.odds[can], wanted, 1e-12
        yield tables.total[0, can], total, 1e-12


EVERY = list(naive.RULES)
LAZY = [name for name in EVERY if not naive.RULES[name].prediction]
FAMILIES: dict[Callable[[str, str], Iterator[Pair]], tuple[list[str], tuple[str, ...]]] = {
    sequence: (EVERY, (PLAIN, MATCH, BEST)),
    history: (EVERY, (PLAIN, MATCH, BEST)),
    chance: (EVERY, (PLAIN, MATCH, BEST)),
    external: (EVERY, (PLAIN, MATCH, BEST)),
    public: (EVERY, (PLAIN, MATCH, BEST)),
    deals: (EVERY, (PLAIN,)),
    boards: (LAZY, (PLAIN, MATCH, BEST)),
    draws: (LAZY, (PLAIN, MATCH, BEST)),
    search: (LAZY, (PLAIN,)),
    learners: (["cfr", "cfr+"], (PLAIN,)),
    trials: (["cfr"], (PLAIN,)),
}


@pytest.mark.parametrize(
    ("family", "method", "style"),
    [
        pytest.param(family, method, style, id=f"{family.__name__}-{method}-{style}")
        for family, (methods, styles) in FAMILIES.items()
        for method in methods
        for style in styles
    ],
)
def test_every_kernel_follows_the_rule(family: Any, method: str, style: str) -> None:
    compared = 0
    for found, wanted, apart in family(method, style):
        np.testing.assert_allclose(found, wanted, rtol=apart, atol=apart)
        compared += 1
    assert compared
