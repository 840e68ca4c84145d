"""Signals: noted, raised late or at once, passed on, and left alone where they were ignored."""

import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from counterfold import interrupts
from tests.conftest import heed_signals

pytestmark = pytest.mark.usefixtures("heeded_signals")

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def child(code, **how):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=300,
        preexec_fn=heed_signals, **how,
    )  # fmt: skip


@pytest.mark.parametrize("number", SIGNALS)
def test_all_are_noted_alike_and_told_to_every_thread(number):
    before = [signal.getsignal(one) for one in SIGNALS]
    with interrupts.taken():
        with interrupts.patient():
            assert not interrupts.noted()
            interrupts.check()
            signal.raise_signal(number)
            told = []
            thread = threading.Thread(target=lambda: told.append(interrupts.noted()))
            thread.start()
            thread.join()
            assert told == [True]
            with pytest.raises(KeyboardInterrupt):
                interrupts.check()
        assert interrupts.exit_code() == 128 + number
    assert interrupts.exit_code() == 128 + number
    assert not interrupts.noted()
    assert [signal.getsignal(one) for one in SIGNALS] == before


@pytest.mark.parametrize("number", SIGNALS)
def test_a_program_is_ended_at_once_where_nobody_is_patient(number):
    with interrupts.taken():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        signal.raise_signal(signal.SIGTERM)  # while it cleans up


def test_what_nobody_looks_at_is_raised_after_a_while(monkeypatch):
    monkeypatch.setattr(interrupts, "GRACE", 0.01)
    with interrupts.taken(), interrupts.patient():
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            time.sleep(30)


def test_what_is_looked_at_is_not_raised(monkeypatch):
    monkeypatch.setattr(interrupts, "GRACE", 0.01)
    with interrupts.taken(), interrupts.patient():
        signal.raise_signal(signal.SIGTERM)
        assert interrupts.noted()
        time.sleep(0.1)


def test_what_is_not_to_be_cut_is_done_first(monkeypatch):
    monkeypatch.setattr(interrupts, "GRACE", 0.01)
    done = []

    def work():
        with interrupts.uncut():
            with interrupts.uncut():
                signal.raise_signal(signal.SIGTERM)
                time.sleep(0.1)
            done.append("work")

    with interrupts.taken(), interrupts.patient(), pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["work"]
    with interrupts.taken(), pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["work", "work"]


def test_a_second_ctrl_c_is_raised_at_once_and_a_second_sigterm_is_not():
    with interrupts.taken(), interrupts.patient(), interrupts.uncut():
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_that_was_ignored_stays_ignored(number):
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with interrupts.taken():
            signal.raise_signal(number)
            with interrupts.patient():
                signal.raise_signal(number)
                assert not interrupts.noted()
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(number, before)


def test_other_threads_leave_signals_alone():
    def work():
        with interrupts.taken(), interrupts.patient(), interrupts.uncut():
            kept.append(signal.getsignal(signal.SIGTERM))

    kept = []
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert kept == [signal.SIG_DFL]


def test_in_a_program_of_its_own_sigterm_saves_and_then_ends_it(tmp_path):
    done = child(
        f"""
        import signal, counterfold as cf
        def press(report):
            if report.iteration > 50:
                signal.raise_signal(signal.SIGTERM)
        cf.solve(cf.Kuhn(), "cfr", cf.Until(iterations=10**9), on_report=press,
                 save={str(tmp_path / "run.cf")!r})
        print("not here")
        """
    )
    assert (done.returncode, done.stdout) == (-signal.SIGTERM, "")
    assert (tmp_path / "run.cf").exists()


def test_a_program_that_takes_sigterm_itself_hears_of_it():
    done = child(
        """
        import signal, counterfold as cf
        signal.signal(signal.SIGTERM, lambda *_: print("heard"))
        def press(report):
            if report.iteration > 50:
                signal.raise_signal(signal.SIGTERM)
        print(cf.solve(cf.Kuhn(), "cfr", cf.Until(iterations=10**9), on_report=press).stopped)
        """
    )
    assert done.stdout.split() == ["heard", "interrupted"]
