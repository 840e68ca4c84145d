"""How the time left is foretold."""

import io
import logging
import sys

import pytest

from counterfold.cli.progress import Watch, time_left
from counterfold.solvers.until import Report, Until


def reports(exponent=-1.0, pace=0.01, count=30):
    """Exploitability t^exponent, ``pace`` seconds an iteration, checks at powers of 1.3."""
    at = sorted({int(1.3**k) for k in range(count)})
    return [Report(t, t * pace, t * pace, t * pace, float(t) ** exponent) for t in at]


def test_iterations_pass_evenly():
    run = reports(pace=0.01)
    left = time_left(Until(iterations=run[-1].iteration + 500), run)
    assert left == pytest.approx(5.0)


def test_seconds_pass_evenly():
    run = reports()
    assert time_left(Until(seconds=run[-1].run_seconds + 7), run) == pytest.approx(7.0)


def test_exploitability_falls_as_a_power():
    run = reports(exponent=-0.5, pace=0.01)
    goal = 4 * run[-1].iteration  # half of the exploitability takes four times the iterations
    left = time_left(Until(exploitability=run[-1].exploitability / 2), run)
    assert left == pytest.approx((goal - run[-1].iteration) * 0.01, rel=1e-6)


def test_the_first_limit_counts():
    run = reports()
    last = run[-1]
    until = Until(exploitability=1e-12, iterations=10**12, seconds=last.run_seconds + 3)
    assert time_left(until, run) == pytest.approx(3.0)


def test_unknown_where_nothing_falls():
    run = reports(exponent=0.0)
    assert time_left(Until(exploitability=1e-6), run) is None
    assert time_left(Until(iterations=5), run[:2]) is None
    assert time_left(Until(iterations=5), []) is None


def test_exact_zero_is_no_trouble():
    run = [Report(t, t, t, t, 0.0) for t in range(1, 9)]
    assert time_left(Until(exploitability=1e-6), run) is None


def test_kernels_that_are_compiled_are_named(monkeypatch, capsys):
    monkeypatch.setattr("counterfold.cli.progress.LINE_SECONDS", 0.0)
    log = logging.getLogger("counterfold.kernels")
    with Watch():
        log.info("sequence.iterate")
    log.info("nobody waits any more")
    told = capsys.readouterr().err
    assert told == "counterfold: compiling, once on this machine: sequence.iterate\n"


def test_the_time_that_compiling_took_is_no_forecast(monkeypatch, capsys):
    """One hand of 50,000 after seven seconds of compiling does not mean four days."""
    clock = [0.0]
    monkeypatch.setattr("counterfold.cli.progress.LINE_SECONDS", 0.0)
    monkeypatch.setattr("counterfold.cli.progress.time.monotonic", lambda: clock[0])
    monkeypatch.setattr("counterfold.cli.progress._Lines.show", _written)
    with Watch() as watch:
        watch.part("playing", 0, 50_000)
        logging.getLogger("counterfold.kernels").info("play.hands")
        clock[0] = 7.0
        watch.part("playing", 1, 50_000)
        clock[0] = 8.0
        watch.part("playing", 10_001, 50_000)
    told = capsys.readouterr().err.splitlines()
    assert told[-2:] == ["playing 1 of 50,000", "playing 10,001 of 50,000, 4 s left"]


def _written(_, what, note, part):
    sys.stderr.write(f"{what} {note}\n")


def test_a_live_bar_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with Watch() as watch:
        watch.counting(4096)
        watch.begin(Until(exploitability=1e-6))
        for report in reports():
            watch.report(report)
    drawn = screen.getvalue()
    assert "iteration" in drawn
    assert "left" in drawn


@pytest.mark.usefixtures("heeded_signals")
def test_ctrl_c_is_noted_once_and_raised_at_the_next_call():
    import signal

    with Watch(quiet=True) as watch:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            watch.counting(1)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
