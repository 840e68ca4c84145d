"""Seconds that are given bound all of it: reading the rules, the last check and saving too."""

from types import SimpleNamespace

import pytest
from numba.core import event

import counterfold as cf
from counterfold.errors import OutOfTimeError
from counterfold.solvers import run, solver, until
from counterfold.solvers.run import run_to
from counterfold.solvers.until import Report


@pytest.fixture
def clock(monkeypatch):
    """The time of everything that is asked here; it goes on only when somebody works."""
    now = [0.0]
    monkeypatch.setattr(solver.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr("counterfold.checkpoints.time.monotonic", lambda: now[0])
    return now


class Slow:
    """A solver whose iterations, checks and checkpoints take their time."""

    def __init__(self, clock, iteration, check, save):
        self.clock, self.costs = clock, (iteration, check, save)
        self.iteration, self.seconds, self.saved = 0, 0.0, 0
        self.nbytes = int(save * run.DISK)
        self.engine = SimpleNamespace(can={"exact"}, checks_cost=False)
        self.precision = SimpleNamespace(behind=False, kept=(), latest=None)

    def step(self, count):
        self.iteration += count
        self.seconds += count * self.costs[0]
        self.clock[0] += count * self.costs[0]

    def report(self, run_seconds=0.0, check=True):
        base = (self.iteration, self.seconds, self.seconds, run_seconds)
        if not check:
            return Report(*base)
        self.clock[0] += self.costs[1]
        return Report(*base, exploitability=1.0, values=(0.0,), gains=(0.0,))

    def exploitability(self):
        return self.report().exploitability

    def save(self, path, trace, **about):
        self.clock[0] += self.costs[2]
        self.saved += 1


@pytest.mark.parametrize(
    ("iteration", "check", "save"),
    [(0.001, 0.001, 0.0), (0.5, 1.0, 0.0), (0.2, 0.1, 6.0), (1.5, 3.0, 3.0), (1e-5, 2.0, 1.0)],
)
def test_the_last_check_and_saving_are_in_time(clock, iteration, check, save):
    slow = Slow(clock, iteration, check, save)
    final, stopped = run_to(slow, cf.Until(seconds=20), [], "file" if save else None)
    assert stopped == "seconds"
    assert clock[0] <= 21 + 1e-6
    assert clock[0] >= 20 - 2 * (iteration + check) - save - 0.2  # and not much too early
    assert final.iteration == slow.iteration
    assert final.exploitability is not None
    assert slow.saved == bool(save)


def test_there_is_an_iteration_however_little_time_there_is(clock):
    slow = Slow(clock, 5.0, 1.0, 0.0)
    final, stopped = run_to(slow, cf.Until(seconds=0.1), [])
    assert (final.iteration, stopped) == (1, "seconds")


def test_reading_the_rules_ends_when_the_time_is_over(monkeypatch):
    assert cf.solve(cf.Kuhn(), until=cf.Until(seconds=1e-6)).iterations == 1
    monkeypatch.setattr(until, "SPARE_SECONDS", 0.0)
    with pytest.raises(OutOfTimeError, match="1e-06 seconds were over before the first iteration"):
        cf.solve(cf.Leduc(), until=cf.Until(seconds=1e-6))
    # Whoever has not asked for seconds is not held to the usual ones while rules are read.
    told = []
    cf.solve(
        cf.Leduc(), until=cf.Until(iterations=1), on_compile=lambda *counts: told.append(counts)
    )
    assert told


def test_what_is_gone_before_a_run_is_taken_off():
    until = cf.Until(iterations=5, seconds=10)
    assert until.after(4) == cf.Until(iterations=5, seconds=6)
    assert 0 < until.after(40).seconds < 1e-6
    assert cf.Until(iterations=5).after(40) == cf.Until(iterations=5)


def test_the_command_line_counts_from_the_start_of_the_verb(monkeypatch):
    from counterfold.cli import clock

    now = [100.0]
    monkeypatch.setattr(clock.time, "perf_counter", lambda: now[0])
    clock.start()
    now[0] = 104.0
    assert clock.left(cf.Until(seconds=10)).seconds == 6
    assert clock.left(cf.Until(seconds=10), 3).seconds == 2


def test_compiling_is_no_part_of_the_seconds(clock):
    """Kernels that compile for longer than a run may last leave it all of its time."""

    class Cold(Slow):
        def compiled(self):
            if not self.iteration:
                with event.trigger_event("numba:compile"), event.trigger_event("numba:compile"):
                    self.clock[0] += 50.0

        def step(self, count):
            self.compiled()
            self.seconds += 50.0 * (self.iteration == 0)
            super().step(count)

        def report(self, run_seconds=0.0, check=True):
            self.compiled()
            return super().report(run_seconds, check)

    cold = Cold(clock, 0.1, 0.2, 0.0)
    final, stopped = run_to(cold, cf.Until(seconds=10), [])
    assert stopped == "seconds"
    assert 30 < final.iteration < 100
    assert 8 < clock[0] - 100 <= 11
    assert final.run_seconds <= 11
