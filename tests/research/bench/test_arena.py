"""Hands a second: every kind of agent is measured, and shown."""

from counterfold.exploit.rules import LEARNERS
from counterfold.research.bench import arena, timing
from tests.research.bench.test_methods import shown


def test_the_arena_is_measured():
    result = arena.run(["kuhn"], 0.002, runs=1)
    paces = result.paces
    assert [pace.what for pace in paces] == [
        "fixed strategies", *LEARNERS, "two learners", "Python agents",
    ]  # fmt: skip
    assert all(pace.game == "kuhn" and pace.reduced > 0 for pace in paces)
    assert all(pace.plain > 0 for pace in paces[:-1])
    assert paces[-1].plain is None
    text = shown(arena.show(result))
    assert "seocfr-iw" in text
    assert "luck taken out" in text
    assert arena.draw(result) is not None
    assert result.to_dict()["paces"][0]["what"] == "fixed strategies"


def test_a_pace_is_hands_by_time(monkeypatch):
    clock = iter([0.0, 2.0, 10.0, 11.0, 20.0, 24.0])
    monkeypatch.setattr(timing, "process_time", lambda: next(clock))
    asked = []
    assert arena._pace(asked.append, 100, runs=3) == 50.0  # the median took two seconds
    assert asked == [2, 100, 100, 100]
