"""Cheat solved deal by deal: the same numbers as the engine's on the same deals, to rounding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from counterfold.abstraction import deals
from counterfold.abstraction.coverage import all_deals
from counterfold.abstraction.deals import Deal, DealSolver, Lens
from counterfold.abstraction.maps import LastRounds, Mapped, RelativeCards
from counterfold.errors import MismatchError, ParameterError, UnsupportedError
from counterfold.games.base import CHANCE, TERMINAL, label
from counterfold.games.cheat import Cheat
from counterfold.games.leduc import Leduc
from counterfold.kernels.history import uniform
from counterfold.solvers.solver import Solver


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


def decisions(game: Any, state: object, moves: tuple[int, ...]) -> Iterator[tuple]:
    """All decisions below a state with the numbers of the moves to them."""
    if game.turn(state) == TERMINAL:
        return
    yield state, moves
    for number, action in enumerate(game.actions(state)):
        yield from decisions(game, game.next(state, action), (*moves, number))


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


def places(game: Any, engine: Solver, solver: DealSolver, dealt: list[Deal]) -> np.ndarray:
    """Slots of the engine beside slots of the solver, for all that these deals lead to."""
    infosets, found = engine.tree.infosets, set()
    rows = {(infosets.labels[i], int(infosets.owner[i])): i for i in range(len(infosets.owner))}
    for deal in set(dealt):
        for state, moves in decisions(game, started(game, deal), ()):
            player = game.turn(state)
            i = rows[label(game.observe(state, player)), player]
            mine = solver.slots(deal, moves)
            assert mine is not None
            assert mine.stop - mine.start == infosets.start[i + 1] - infosets.start[i]
            found |= {(int(infosets.start[i]) + n, mine.start + n)
                      for n in range(mine.stop - mine.start)}  # fmt: skip
    return np.array(sorted(found)).T


@pytest.mark.parametrize(
    ("view", "health", "method"),
    [
        ("memoryless", 2, "cfr"),
        ("memoryless", 1, "dcfr"),
        ("hp", 2, "cfr"),
        ("history", 2, "cfr"),
        pytest.param("general", 1, "cfr", marks=pytest.mark.pure),
        ("general", 2, "pcfr+"),
        ("general", 2, "dcfr"),
        ("perfect", 2, "cfr"),
    ],
)
def test_equal_to_the_engine_on_the_same_deals(view: str, health: int, method: str) -> None:
    game = Cheat(health=health, view=view)
    check_same(game, Lens(view), method)


@pytest.mark.parametrize("view", ["memoryless", "hp", "history", "general"])
def test_equal_to_the_engine_with_abstraction(view: str) -> None:
    lens = Lens(view, cards=True, rounds=2 if view in ("history", "general") else None)
    maps = (RelativeCards(), LastRounds(2)) if lens.rounds else (RelativeCards(),)
    check_same(Mapped(Cheat(health=2, view=view), *maps), lens, "cfr")


def check_same(game: Any, lens: Lens, method: str) -> None:
    # Regrets that cancel to nothing decide by their last bit what is played next, so the two are
    # compared after every iteration, and then go on from the same numbers.
    engine = Solver(game, method, "chance", seed=5)
    solver = DealSolver(game, lens, method=method, alternating=True)
    dealt = deals_of_the_engine(game, 6, seed=5)
    for iteration in range(3):
        engine.step()
        solver.step(deals=dealt[2 * iteration : 2 * iteration + 2])
        theirs, mine = places(game, engine, solver, dealt[: 2 * iteration + 2])
        assert len(set(theirs)) == len(set(mine)) == len(mine) == solver._index.count[1]
        wanted, tables = engine.engine.state(), solver.learned().tables
        for name in ("regret", "total"):
            table = getattr(tables, name)
            assert np.abs(table[mine]).max() > 0
            assert table[mine] == pytest.approx(wanted[name][theirs], abs=1e-13)
            table[mine] = wanted[name][theirs]
        tables.strategy[mine] = wanted["strategy"][theirs]
    assert solver.iteration == 3


def numbers(solver: DealSolver) -> list[np.ndarray]:
    """All that was learned, in the order in which infosets were met."""
    rows, slots = solver._index.count
    tables = solver.learned().tables
    return [tables.regret[:slots], tables.total[:slots], solver._index.start[: rows + 1]]


def test_one_walk_updates_both_players() -> None:
    # Simultaneous updates: as if each player had walked through the deal with the old strategies.
    deal = Deal(((1, 1, 0), (0, 1, 1)), 1)
    both = DealSolver(Cheat(health=2), Lens("general"))
    both.step(deals=[deal] * 3)
    assert both.iteration == 3
    each = DealSolver(Cheat(health=2), Lens("general"), alternating=True)
    each.step(deals=[deal] * 2)
    assert each.iteration == 1
    first = both.at(deal, ())
    assert first is not None
    assert first.sum() == pytest.approx(1)
    assert not np.array_equal(numbers(both)[0], numbers(each)[0])


def test_growing_and_pausing_in_a_walk_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    game, lens = Cheat(health=2), Lens("perfect")
    plain = DealSolver(game, lens, seed=2)
    plain.step(20)
    assert plain.infosets > 4 * 512  # it has grown several times
    monkeypatch.setattr(deals, "PAUSE", 97)
    pauses = []
    paused = DealSolver(game, lens, seed=2)
    paused.step(20, on_pause=lambda: pauses.append(1))
    assert len(pauses) > 50
    monkeypatch.setattr(deals, "START", 1 << 16)
    roomy = DealSolver(game, lens, seed=2)
    capacity = len(roomy._index.place)
    roomy.step(20)
    assert len(roomy._index.place) == capacity
    for other in (paused, roomy):
        for one, same in zip(numbers(plain), numbers(other), strict=True):
            assert np.array_equal(one, same)


def test_skipping_what_nobody_plays_changes_no_number() -> None:
    game, lens = Cheat(health=2), Lens("general")
    whole, quick = (DealSolver(game, lens, seed=4, skip=skip) for skip in (False, True))
    for solver in (whole, quick):
        solver.step(60)
    assert quick.visits < 0.6 * whole.visits
    assert quick.infosets < whole.infosets
    compared = 0
    for deal, _ in all_deals(game)[::6]:
        for _, moves in decisions(game, started(game, deal), ()):
            one, other = whole.at(deal, moves), quick.at(deal, moves)
            if one is None:  # of a deal that has not come
                assert other is None
                continue
            if other is None:
                other = np.full(len(one), 1 / len(one))
            assert other == pytest.approx(one, abs=1e-12)
            compared += 1
    assert compared > 1000


@pytest.mark.parametrize("lens", [Lens("hp", cards=True), Lens("history", rounds=3)], ids=str)
def test_a_larger_game_begins_with_what_a_smaller_one_has_learned(lens: Lens) -> None:
    small, large = Cheat(health=1), Cheat(health=2)
    smaller = DealSolver(small, lens, seed=1)
    smaller.step(30)
    before = smaller.infosets
    deal = Deal(((1, 1, 0), (0, 1, 1)), 0)
    place, tables = smaller.slots(deal, ()), smaller.learned().tables
    assert place is not None
    larger = DealSolver(large, lens, before=smaller.learned())
    # Both have 2 health points at the start, which the smaller game has never seen; without
    # health points in the view, it is the same infoset.
    assert (larger.slots(deal, ()) is None) == (lens.view == "hp")
    larger.step(deals=[deal])
    found = larger.slots(deal, ())
    assert found is not None
    # An iteration adds the strategy that was carried over, once, and regrets that sum to nothing.
    assert larger.learned().tables.total[found] == pytest.approx(
        tables.total[place] + tables.strategy[place], abs=1e-12
    )
    assert tables.strategy[place].max() > 0.5
    change = larger.learned().tables.regret[found] - tables.regret[place]
    assert change @ tables.strategy[place] == pytest.approx(0, abs=1e-12)
    assert np.abs(change).max() > 0.1
    assert larger.infosets > before
    assert smaller.infosets == before


def test_what_does_not_fit_is_refused_in_a_sentence() -> None:
    learned = DealSolver(Cheat(health=2), Lens("hp")).learned()
    with pytest.raises(MismatchError, match="larger game"):
        DealSolver(Cheat(health=1), Lens("hp"), before=learned)
    with pytest.raises(MismatchError, match="another view"):
        DealSolver(Cheat(health=3), Lens("hp", cards=True), before=learned)
    with pytest.raises(UnsupportedError, match="no end"):
        DealSolver(Cheat(health=None), Lens())
    with pytest.raises(UnsupportedError, match="two players"):
        DealSolver(Cheat(players=3), Lens())
    with pytest.raises(UnsupportedError, match="only Cheat"):
        DealSolver(Leduc(), Lens())
    with pytest.raises(ParameterError, match="no view"):
        DealSolver(Cheat(), Lens("blind"))
    with pytest.raises(ParameterError, match="rounds is for views"):
        DealSolver(Cheat(), Lens("hp", rounds=2))
    with pytest.raises(ParameterError, match="negative"):
        DealSolver(Cheat(), Lens()).step(-1)
