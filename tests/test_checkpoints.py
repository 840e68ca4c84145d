"""When long work is saved: by the clock, not too often, and at multiples of --every."""

import numpy as np
import pytest

import counterfold as cf
from counterfold import checkpoints
from counterfold.checkpoints import Checkpoints
from counterfold.solvers.run import Saving, run_to
from counterfold.solvers.solver import Solver


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes only when it is told to."""
    now = [0.0]
    monkeypatch.setattr(checkpoints.time, "monotonic", lambda: now[0])

    def wait(seconds):
        now[0] += seconds

    return wait


def test_once_a_minute(clock):
    saved = []
    work = Checkpoints(lambda: saved.append(1))
    for _ in range(200):
        clock(1)
        work.look()
    assert len(saved) == 3


def test_at_most_a_twentieth_of_the_time(clock):
    saved = []

    def save():
        saved.append(1)
        clock(5)

    work = Checkpoints(save)
    for _ in range(1000):
        clock(1)
        work.look()
    assert work.cost == 5
    assert 8 <= len(saved) <= 10
    assert not Checkpoints(None).due


class Kept:
    """A solver that notes at which iterations it was saved."""

    def __init__(self, solver):
        self._solver, self.saved = solver, []

    def __getattr__(self, name):
        return getattr(self._solver, name)

    def save(self, path, trace, **about):
        self.saved.append(self._solver.iteration)


def test_every_holds_to_the_iteration(tmp_path):
    """Checks come at other iterations, and pieces of a tenth of a second are far longer."""
    solver = Kept(Solver(cf.Kuhn(), "cfr"))
    run_to(solver, cf.Until(iterations=2500), [], Saving(tmp_path / "run", 700))
    assert solver.saved == [700, 1400, 2100, 2500]


def test_every_changes_no_bit(tmp_path):
    game, until = cf.Kuhn(), cf.Until(iterations=500)
    one = cf.solve(game, "cfr", until, "external", seed=3)
    two = cf.solve(game, "cfr", until, "external", seed=3, save=tmp_path / "run", every=7)
    assert np.array_equal(one.strategy.probabilities, two.strategy.probabilities)
    assert [r.iteration for r in one.trace] == [r.iteration for r in two.trace]


@pytest.mark.parametrize("form", ["history", "public"])
def test_solvers_save_by_the_clock_where_nobody_says_every(monkeypatch, tmp_path, form):
    from counterfold.poker.holdem import kuhn

    monkeypatch.setattr(checkpoints, "SECONDS", 0.0)
    monkeypatch.setattr(checkpoints, "SHARE", 1e9)
    solver = Kept(Solver(cf.Kuhn(), "cfr") if form == "history" else Solver(kuhn()))
    run_to(solver, cf.Until(iterations=50), [], tmp_path / "run")
    assert solver.saved[:3] == [1, 2, 3]
    assert solver.saved[-1] == 50
    solver = Kept(Solver(cf.Kuhn(), "cfr"))
    run_to(solver, cf.Until(iterations=50), [])
    assert solver.saved == []
    run_to(solver, cf.Until(iterations=60), [], Saving(rescue=tmp_path / "run"))
    assert solver.saved == []  # that is for an end that nobody wanted
    run_to(solver, cf.Until(iterations=70), [], Saving(rescue=tmp_path / "run", on_the_way=True))
    assert solver.saved
    assert solver.saved[-1] < 70


def test_a_curriculum_saves_within_a_stage(monkeypatch, tmp_path):
    from counterfold.abstraction import curriculum
    from counterfold.games.cheat import Cheat

    monkeypatch.setattr(checkpoints, "SECONDS", 0.0)
    monkeypatch.setattr(checkpoints, "SHARE", 1e9)
    monkeypatch.setattr(curriculum, "CHUNK_SECONDS", 1e-9)
    games = [Cheat(health=n, view="memoryless") for n in (1, 2)]
    made = curriculum.Curriculum(games, iterations=20, folder=tmp_path / "kept")
    for stage in made.run():
        if stage.number == 2 and stage.iteration == 7:
            break
    # As after a kill: nothing is told to the run.
    again = curriculum.Curriculum.resume(tmp_path / "kept", games)
    assert (again.stages[-1].number, again.solver.iteration) == (2, 7)
    list(again.run())
    whole = curriculum.Curriculum(games, iterations=20)
    list(whole.run())
    assert np.array_equal(again.strategy().probabilities, whole.strategy().probabilities)


def test_a_curriculum_that_was_killed_before_its_first_checkpoint_goes_on(tmp_path):
    from counterfold.abstraction.curriculum import Curriculum
    from counterfold.games.cheat import Cheat

    games = [Cheat(health=1, view="memoryless")]
    begun = Curriculum(games, iterations=5, folder=tmp_path / "kept")
    begun._prepare()  # and then nothing more
    (stage,) = [one for one in Curriculum.resume(tmp_path / "kept", games).run() if one.done]
    assert stage.iteration == 5


def test_a_match_is_saved_while_it_is_played(tmp_path):
    """And goes on from there as if nothing had been."""
    game, path = cf.Kuhn(), tmp_path / "match"

    def agents():
        return cf.Learner(game), cf.StrategyAgent(cf.Strategy.uniform(game))

    kept = []

    def look(done, total):
        if done > 1000 and not kept:
            match.save(path)
            kept.append(done)

    match = cf.Match(game, *agents(), seed=4)
    whole = match.play(20_000, on_progress=look)
    rest = cf.Match.load(path)
    assert rest.hands == kept[0] < 20_000
    again = rest.play(20_000 - rest.hands)
    assert again.scores == whole.scores
    assert cf.Match(game, *agents(), seed=4).play(20_000).scores == whole.scores
