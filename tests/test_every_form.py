"""One door: Leduc in every form, through the same calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import MismatchError, ParameterError, UnsupportedError
from counterfold.poker.holdem import leduc
from counterfold.tree.form import Form, form_of

VALUE = -0.0856064

FORMS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "sequence form": (cf.Leduc, {}),
    "history graph": (cf.Leduc, {"form": "history"}),
    "public tree": (leduc, {}),
    "public tree, suits apart": (lambda: cf.PublicTree(leduc(), symmetry=False), {}),
}
every_form = pytest.mark.parametrize("name", FORMS)


def solver_of(name: str, method: str | None = "dcfr", **more: Any) -> cf.Solver:
    make, settings = FORMS[name]
    return cf.Solver(make(), method, dtype="float64", **settings, **more)


def first_king(strategy: cf.Strategy) -> dict[str, float]:
    """What the first player does with a king."""
    spoken = "K" if "K" in {row.infoset for row in strategy.rows("K", player=0)} else "Ks"
    return strategy.at(spoken, player=0)


@every_form
def test_it_is_a_form(name: str) -> None:
    form = form_of(FORMS[name][0]())
    assert isinstance(form, Form)
    assert form.players == 2
    assert form.two_player_zero_sum
    assert form.largest_payoff == 13
    assert form.spec.startswith("leduc")
    assert form_of(form) is form


@every_form
def test_uniform_play(name: str) -> None:
    """Values and best responses of one strategy are the same numbers in every form."""
    uniform = cf.Strategy.uniform(FORMS[name][0]())
    assert cf.values(uniform) == pytest.approx((-0.078125, 0.078125), abs=1e-12)
    assert cf.nash_conv(uniform) == pytest.approx((2.165625, 2.5815972222), abs=1e-9)
    assert cf.exploitability(uniform) == pytest.approx(2.3736111111, abs=1e-9)
    for player, best in ((0, 2.0875), (1, 2.6597222222)):
        answer = cf.best_response(uniform, player)
        assert answer.value == pytest.approx(best, abs=1e-9)
        players = [uniform, uniform]
        players[player] = answer.strategy
        assert cf.values(*players)[player] == pytest.approx(best, abs=1e-9)
    assert first_king(uniform) == pytest.approx({"check": 0.5, "bet": 0.5})
    with pytest.raises(ParameterError, match="from 0 to 1, not 2"):
        cf.best_response(uniform, 2)


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr", "linear", "pcfr+"])
def test_every_iteration(method: str, alternating: bool) -> None:
    """The same average strategy after the same iterations, by exact measures."""
    measured = []
    for name in FORMS:
        solver = solver_of(name, method, alternating=alternating)
        solver.step(40)
        measured.append(solver.assess())
        assert cf.assess(solver.strategy()).values == pytest.approx(measured[-1].values, abs=1e-9)
    for other in measured[1:]:
        np.testing.assert_allclose(other.values, measured[0].values, atol=1e-8)
        np.testing.assert_allclose(other.gains, measured[0].gains, atol=1e-8)


@every_form
def test_a_result_is_certified(name: str) -> None:
    make, settings = FORMS[name]
    result = cf.solve(make(), until=cf.Until(exploitability=1e-4), **settings)
    assert result.stopped == "exploitability"
    assert result.value == pytest.approx(VALUE, abs=2e-4)
    assert cf.exploitability(result.strategy) == pytest.approx(result.exploitability, abs=1e-9)
    assert result.certified_at == result.iterations
    assert "Nash equilibrium" in result.promise
    assert (result.poker is not None) == name.startswith("public")


@every_form
def test_saved_loaded_and_resumed(name: str, tmp_path: Path) -> None:
    make, _ = FORMS[name]
    through = solver_of(name)
    through.step(30)
    halfway = solver_of(name)
    halfway.step(12)
    halfway.save(tmp_path / "run", note="halfway")
    kept = cf.Strategy.load(tmp_path / "run")
    assert kept.about["note"] == "halfway"
    assert cf.exploitability(kept) == halfway.exploitability()
    resumed, trace = cf.Solver.resume(tmp_path / "run", make())
    assert trace == []
    resumed.step(18)
    for one, other in zip(through.strategy().tables, resumed.strategy().tables, strict=True):
        assert np.array_equal(one, other)
    result = cf.resume(tmp_path / "run", cf.Until(iterations=30), make())
    assert result.exploitability == through.exploitability()


@every_form
def test_another_game_is_refused(name: str, tmp_path: Path) -> None:
    make, _ = FORMS[name]
    cf.Strategy.uniform(make()).save(tmp_path / "even")
    other = leduc(raises=(1, 2)) if name.startswith("public") else cf.Leduc(raises=(1, 2))
    for wrong in (other, cf.Kuhn()):
        with pytest.raises(MismatchError):
            cf.Strategy.load(tmp_path / "even", wrong)


@every_form
def test_the_last_iterate(name: str) -> None:
    solver = solver_of(name, "cfr+", average=False)
    solver.step(25)
    assert cf.exploitability(solver.strategy()) == pytest.approx(solver.exploitability(), abs=1e-9)
    average = solver_of(name, "cfr+")
    average.step(25)
    assert average.exploitability() < solver.exploitability()


@every_form
@pytest.mark.parametrize("method", ["cfr", "cfr+"])
def test_beginning_from_what_was_learned_elsewhere(name: str, method: str) -> None:
    first, second = (solver_of(name, method) for _ in range(2))
    first.step(30)
    second.begin(*first.learned())
    assert second.exploitability() == pytest.approx(first.exploitability(), abs=1e-12)
    for solver in (first, second):
        solver.step(1)
    for one, other in zip(first.engine.tables(False), second.engine.tables(False), strict=True):
        np.testing.assert_allclose(other, one, atol=1e-12)
    with pytest.raises(ParameterError, match="has begun"):
        second.begin(*first.learned())
    with pytest.raises(ParameterError, match="finite numbers a table"):
        solver_of(name).begin(np.zeros(3), np.zeros(3))


@every_form
def test_what_a_form_cannot_do_is_one_sentence(name: str) -> None:
    if name.startswith("public"):
        with pytest.raises(UnsupportedError, match="public tree"):
            solver_of(name, traversal="external")
    else:
        with pytest.raises(UnsupportedError, match="16 bits"):
            solver_of(name, bits=16)
