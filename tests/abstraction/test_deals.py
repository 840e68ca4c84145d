"""Cheat solved deal by deal: the same numbers as the engine's on the same deals, to rounding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction import deal_engine
from counterfold.abstraction.coverage import all_deals
from counterfold.abstraction.curriculum import Curriculum, carry
from counterfold.abstraction.deal_engine import Deal
from counterfold.abstraction.deal_form import DealForm
from counterfold.abstraction.maps import Drop, LastRounds, Mapped, RelativeCards
from counterfold.abstraction.ordered import nearest
from counterfold.errors import MismatchError, ParameterError, UnsupportedError
from counterfold.games.base import CHANCE, TERMINAL, label
from counterfold.games.cheat import Cheat
from counterfold.games.leduc import Leduc
from counterfold.kernels.history import uniform
from counterfold.play.agents import make_agent
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy


def deals_of_the_engine(game: Any, walks: int, seed: int) -> list[Deal]:
    """What a chance-sampling engine with this seed deals, one walk after another."""
    random, found = np.array([seed], np.uint64), []
    for _ in range(walks):
        state = game.root()
        while game.turn(state) == CHANCE:
            outcomes = game.chance(state)
            odds = [p for _, p in outcomes]
            left, chosen = uniform(random), len(odds) - 1
            if max(odds) - min(odds) < 1e-12:
                chosen = int(left * len(odds))
            else:
                for k, p in enumerate(odds[:-1]):
                    left -= p
                    if left < 0:
                        chosen = k
                        break
            state = game.next(state, outcomes[chosen][0])
        found.append(Deal(state.hands, state.seat))
    return found


def decisions(game: Any, state: object) -> Iterator[object]:
    """All decisions below a state."""
    if game.turn(state) == TERMINAL:
        return
    yield state
    for action in game.actions(state):
        yield from decisions(game, game.next(state, action))


def dealing(game: Any, deals: Sequence[Deal] = (), method: str = "cfr", **settings: Any) -> Solver:
    """A solver deal by deal, which follows what nobody plays too, over these deals if any."""
    thorough = settings.pop("thorough", True)
    settings = {"alternating": False, **settings}
    solver = Solver(DealForm(game, thorough), method, "chance", **settings)
    solver.engine.deals = iter(deals)
    return solver


def slots(solver: Solver, seen: Any, player: int) -> slice | None:
    """Where the tables keep whoever sees this, or None where it was never met."""
    keys, start, _, horizons = solver.engine.tables(average=True)
    wanted = solver.tree.key(seen, player, int(horizons[0]))
    rows = np.flatnonzero(keys == wanted)
    assert len(rows) < 2
    return slice(int(start[rows[0]]), int(start[rows[0] + 1])) if len(rows) else None


def started(game: Any, deal: Deal) -> object:
    """The state after a deal."""
    found = [game.root()]
    while found:
        state = found.pop()
        if game.turn(state) != CHANCE:
            if state.hands == deal.hands and state.seat == deal.starter:
                return state
            continue
        found += [game.next(state, outcome) for outcome, _ in game.chance(state)]
    raise AssertionError("the deal is impossible")


def places(game: Any, engine: Solver, solver: Solver, dealt: list[Deal]) -> np.ndarray:
    """Slots of the engine beside slots of the solver, for all that these deals lead to."""
    infosets, found = engine.tree.infosets, set()
    rows = {(infosets.labels[i], int(infosets.owner[i])): i for i in range(len(infosets.owner))}
    for deal in set(dealt):
        for state in decisions(game, started(game, deal)):
            player = game.turn(state)
            i = rows[label(game.observe(state, player)), player]
            mine = slots(solver, game.observe(state, player), player)
            assert mine is not None
            assert mine.stop - mine.start == infosets.start[i + 1] - infosets.start[i]
            found |= {(int(infosets.start[i]) + n, mine.start + n)
                      for n in range(mine.stop - mine.start)}  # fmt: skip
    return np.array(sorted(found)).T


@pytest.mark.parametrize(
    ("view", "health", "method"),
    [
        pytest.param("general", 1, "cfr", marks=pytest.mark.pure),
        ("memoryless", 2, "cfr"),
        ("memoryless", 1, "dcfr"),
        ("hp", 2, "cfr"),
        ("history", 2, "cfr"),
        ("general", 2, "pcfr+"),
        ("general", 2, "dcfr"),
        ("perfect", 2, "cfr"),
    ],
)
def test_equal_to_the_engine_on_the_same_deals(view: str, health: int, method: str) -> None:
    check_same(Cheat(health=health, view=view), method)


@pytest.mark.parametrize("view", ["memoryless", "hp", "history", "general"])
def test_equal_to_the_engine_with_abstraction(view: str) -> None:
    remembers = view in ("history", "general")
    maps = (RelativeCards(), LastRounds(2)) if remembers else (RelativeCards(),)
    check_same(Mapped(Cheat(health=2, view=view), *maps), "cfr")


def check_same(game: Any, method: str) -> None:
    # Regrets that cancel to nothing decide by their last bit what is played next, so the two are
    # compared after every iteration, and then go on from the same numbers.
    engine = Solver(game, method, "chance", seed=5)
    dealt = deals_of_the_engine(game, 6, seed=5)
    solver = dealing(game, dealt, method, alternating=True)
    for iteration in range(3):
        engine.step()
        solver.step()
        theirs, mine = places(game, engine, solver, dealt[: 2 * iteration + 2])
        assert len(set(theirs)) == len(set(mine)) == len(mine) == len(numbers(solver)[0])
        wanted, tables = engine.engine.state(), solver.engine._learned.tables
        for name in ("regret", "total"):
            table = getattr(tables, name)
            assert np.abs(table[mine]).max() > 0
            assert table[mine] == pytest.approx(wanted[name][theirs], abs=1e-13)
            table[mine] = wanted[name][theirs]
        tables.strategy[mine] = wanted["strategy"][theirs]
    assert solver.iteration == 3


def numbers(solver: Solver) -> list[np.ndarray]:
    """All that was learned, in the order in which infosets were met."""
    state = solver.engine.state()
    return [state[name] for name in ("regret", "total", "start", "keys")]


def test_one_walk_updates_both_players() -> None:
    # Simultaneous updates: as if each player had walked through the deal with the old strategies.
    game, deal = Cheat(health=2, view="general"), Deal(((1, 1, 0), (0, 1, 1)), 1)
    both = dealing(game, [deal] * 3)
    both.step(3)
    each = dealing(game, [deal] * 2, alternating=True)
    each.step()
    first = game.observe(started(game, deal), 1)
    assert slots(both, first, 1) is not None
    assert sum(both.strategy().at(*first, player=1).values()) == pytest.approx(1)
    assert not np.array_equal(numbers(both)[0], numbers(each)[0])


def test_growing_and_pausing_in_a_walk_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Cheat(health=2)
    plain = dealing(game, seed=2)
    plain.step(20)
    assert plain.engine.infosets > 4 * 512  # it has grown several times
    monkeypatch.setattr(deal_engine, "PAUSE", 97)
    pauses = []
    paused = dealing(game, seed=2)
    go = paused.engine._go
    monkeypatch.setattr(paused.engine, "_go", lambda *how: pauses.append(done := go(*how)) or done)
    paused.step(20)
    assert pauses.count(paused.engine._walk.PAUSED) > 50
    monkeypatch.setattr(deal_engine, "START", 1 << 16)
    roomy = dealing(game, seed=2)
    size = roomy.nbytes
    roomy.step(20)
    assert roomy.nbytes == size
    for other in (paused, roomy):
        for one, same in zip(numbers(plain), numbers(other), strict=True):
            assert np.array_equal(one, same)


def test_skipping_what_nobody_plays_changes_no_number() -> None:
    game = Cheat(health=2, view="general")
    whole, quick = (dealing(game, seed=4, thorough=thorough) for thorough in (True, False))
    for solver in (whole, quick):
        solver.step(60)
    assert quick.engine.visits < 0.6 * whole.engine.visits
    assert quick.engine.infosets < whole.engine.infosets
    one, other = whole.strategy(), quick.strategy()
    compared = 0
    for deal, _ in all_deals(game)[::6]:
        for state in decisions(game, started(game, deal)):
            player = game.turn(state)
            seen = game.observe(state, player)
            if slots(whole, seen, player) is None:  # of a deal that has not come
                assert slots(quick, seen, player) is None
                continue
            wanted = one.at(*seen, player=player)
            assert list(wanted) == list(game.actions(state))
            assert other.at(*seen, player=player) == pytest.approx(wanted, abs=1e-12)
            compared += 1
    assert compared > 1000


def hp_cards(health: int) -> Mapped:
    return Mapped(Cheat(health=health, view="hp"), RelativeCards())


def last_rounds(health: int) -> Cheat:
    return Cheat(health=health, view="history", rounds=3)


@pytest.mark.parametrize("variant", [hp_cards, last_rounds])
def test_a_larger_game_begins_with_what_a_smaller_one_has_learned(variant: Any) -> None:
    small, large = variant(1), variant(2)
    smaller = dealing(small, seed=1)
    smaller.step(30)
    before = smaller.engine.infosets
    deal = Deal(((1, 1, 0), (0, 1, 1)), 0)
    seen = [game.observe(started(game, deal), 0) for game in (small, large)]
    place, tables = slots(smaller, seen[0], 0), smaller.engine._learned.tables
    assert place is not None
    larger = dealing(large, [deal])
    larger.engine.inherit(smaller.engine)
    # Both have 2 health points at the start, which the smaller game has never seen; without
    # health points in the view, it is the same infoset.
    assert (slots(larger, seen[1], 0) is None) == (variant is hp_cards)
    larger.step()
    found = slots(larger, seen[1], 0)
    assert found is not None
    # An iteration adds the strategy that was carried over, once, and regrets that sum to nothing.
    learned = larger.engine._learned.tables
    assert learned.total[found] == pytest.approx(
        tables.total[place] + tables.strategy[place], abs=1e-12
    )
    assert tables.strategy[place].max() > 0.5
    change = learned.regret[found] - tables.regret[place]
    assert change @ tables.strategy[place] == pytest.approx(0, abs=1e-12)
    assert np.abs(change).max() > 0.1
    assert larger.engine.infosets > before
    assert smaller.engine.infosets == before


@pytest.mark.parametrize("inherits", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_resumed_run_is_the_same_bit_for_bit(tmp_path: Any, inherits: bool, dtype: str) -> None:
    def begun() -> Solver:
        solver = dealing(last_rounds(2), seed=3, method="pcfr+", alternating=True, dtype=dtype)
        if inherits:
            smaller = dealing(last_rounds(1), seed=1, dtype=dtype)
            smaller.step(20)
            solver.engine.inherit(smaller.engine)
        return solver

    whole, first = begun(), begun()
    whole.step(30)
    first.step(11)
    first.save(tmp_path / "run.safetensors")
    again, _ = Solver.resume(tmp_path / "run.safetensors", DealForm(last_rounds(2), thorough=True))
    assert again.iteration == 11
    again.step(19)
    assert again.engine.visits == whole.engine.visits
    for one, same in zip(numbers(whole), numbers(again), strict=True):
        assert np.array_equal(one, same)
    alone, _ = Solver.resume(tmp_path / "run.safetensors")  # by its name, and quickly
    alone.step(19)
    loaded = Strategy.load(tmp_path / "run.safetensors")
    seen = started(last_rounds(2), Deal(((1, 1, 0), (0, 1, 1)), 0))
    seen = last_rounds(2).observe(seen, 0)
    assert loaded.at(*seen, player=0) == first.strategy().at(*seen, player=0)
    assert alone.strategy().at(*seen, player=0) == pytest.approx(
        whole.strategy().at(*seen, player=0), abs=1e-6
    )


def test_it_is_solved_and_measured_as_any_other_game() -> None:
    game = Cheat(health=1)
    until = cf.Until(iterations=300)
    result = cf.solve(DealForm(game), "cfr", until, traversal="chance", seed=1)
    engine = cf.solve(game, "cfr", until, traversal="chance", seed=1)
    assert result.exploitability < 0.4 * cf.exploitability(cf.Strategy.uniform(game))
    assert result.exploitability == pytest.approx(engine.exploitability, abs=0.03)
    assert cf.exploitability(result.strategy) == result.exploitability
    even = cf.Strategy.uniform(DealForm(game))
    assert cf.exploitability(even) == pytest.approx(cf.exploitability(cf.Strategy.uniform(game)))
    one = cf.value(result.strategy, even)
    assert one > cf.value(even) > cf.value(even, result.strategy)
    with pytest.raises(UnsupportedError, match="infoset by infoset"):
        cf.best_response(even, 0)


def test_what_does_not_fit_is_refused_in_a_sentence() -> None:
    taught = dealing(Cheat(health=2, view="hp"))
    with pytest.raises(MismatchError, match="larger game"):
        dealing(Cheat(health=1, view="hp")).engine.inherit(taught.engine)
    with pytest.raises(MismatchError, match="another view"):
        dealing(hp_cards(3)).engine.inherit(taught.engine)
    with pytest.raises(UnsupportedError, match="no end"):
        DealForm(Cheat(health=None))
    with pytest.raises(UnsupportedError, match="two players"):
        DealForm(Cheat(players=3))
    with pytest.raises(UnsupportedError, match="only Cheat"):
        DealForm(Leduc())
    with pytest.raises(UnsupportedError, match="not drop=health"):
        DealForm(Mapped(Cheat(view="hp"), Drop("health")))
    with pytest.raises(UnsupportedError, match="cannot be relative"):
        DealForm(Mapped(Cheat(), RelativeCards()))
    with pytest.raises(UnsupportedError, match="no full traversals"):
        Solver(DealForm(Cheat()))
    with pytest.raises(ParameterError, match="negative"):
        taught.step(-1)
    with pytest.raises(UnsupportedError, match="no list of infosets"):
        next(iter(taught.strategy().rows()))
    with pytest.raises(ParameterError, match="say who sees it"):
        taught.strategy().at("A 2", "rank A", "3:3")


def test_a_curriculum_goes_deal_by_deal(tmp_path: Any) -> None:
    games = [DealForm(last_rounds(health), thorough=True) for health in (1, 2)]

    def made(folder: Any = None) -> Curriculum:
        return Curriculum(games, iterations=20, traversal="chance", seed=1, folder=folder)

    whole, halved = made(), made(tmp_path / "c")
    for _ in whole.run():
        pass
    run = halved.run()
    while not next(run).done:
        pass
    run.close()
    again = Curriculum.resume(tmp_path / "c", games)
    stages = [stage for stage in again.run() if stage.done]
    assert stages[-1].nearest == whole.stages[1].nearest > 0
    assert stages[-1].value is None
    assert whole.solver is not None
    assert again.solver is not None
    for one, same in zip(numbers(whole.solver), numbers(again.solver), strict=True):
        assert np.array_equal(one, same)
    smaller, larger = dealing(last_rounds(1)), dealing(last_rounds(2))
    smaller.step(1)
    assert carry(smaller, larger, nearest(1)).nearest == smaller.engine.infosets


def test_a_file_is_played_in_the_game_that_is_laid_out(tmp_path: Any) -> None:
    game = Cheat(health=1, view="history")
    result = cf.solve(
        game, "cfr", cf.Until(iterations=50), traversal="chance", form="deals",
        save=tmp_path / "run.cf",
    )  # fmt: skip
    tree = cf.compile_game(game)
    agent = make_agent(str(tmp_path / "run.cf"), tree)
    assert cf.value(agent.strategy) == pytest.approx(result.value)
    assert result.infosets == tree.infoset_count
    with pytest.raises(MismatchError, match="view=history"):
        make_agent(str(tmp_path / "run.cf"), cf.compile_game(Cheat(health=1)))
