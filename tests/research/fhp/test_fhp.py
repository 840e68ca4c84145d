"""Flop Hold'em in small: the run, its files and checkpoints, and its checks against other forms."""

import csv
import io
import json
import math

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import FileError, MismatchError, ParameterError, SpecError
from counterfold.poker.holdem import fhp
from counterfold.research.fhp import exact as experiment
from counterfold.research.fhp.checks import SampleCheck, fhp_checks, sample_checks
from counterfold.research.fhp.exact import FhpPoint, fhp_exact, fhp_game
from counterfold.research.fhp.pictures import draw_fhp
from counterfold.solvers.lp import solve_lp
from counterfold.solvers.solver import Solver
from tests.naive_poker import NaivePoker
from tests.research.fhp.history_form import FlopHoldem, compare_forms

DECK = "Qh Qs Kh Ks Ah As Ad"


@pytest.fixture(scope="module")
def history():
    return cf.compile_game(FlopHoldem(DECK, 2))


@pytest.fixture(scope="module")
def found():
    return fhp_exact(fhp(deck=DECK, cap=2), threads=1)


def test_it_ends_below_one_mbb_at_the_value_of_the_game(found, history):
    exact = 1000 / 2 * solve_lp(history).value
    assert found.last.exploitability < 1 <= found.curve[-2].exploitability
    assert abs(found.last.value - exact) <= found.last.total
    assert found.last.total == 2 * found.last.exploitability
    assert [point.iteration for point in found.linear][-1] == 50
    assert found.linear[-1].exploitability > 1
    assert not found.whole
    assert found.memory_bytes > found.table_bytes > 0


def test_frequencies_before_the_flop(found):
    first = found.views[0]
    assert (first.player, first.line, first.actions) == ("sb", (), ("fold", "call", "raise"))
    assert sum(first.totals.frequencies.values()) == pytest.approx(1)
    assert first.totals.combos == 21
    assert [view.line for view in found.views] == [(), ("call",), ("raise",), ("call", "raise")]
    # What the small blind wins from the root on is its payoff and the chip that it has put in.
    assert first.totals.ev - 1 == pytest.approx(found.last.value * 2 / 1000, abs=1e-5)


def test_what_is_told_written_and_drawn(found):
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["iterations"] == found.last.iteration
    assert len(told["preflop"]) == len(found.views)
    rows = list(csv.DictReader(io.StringIO(found.preflop_csv())))
    classes = {row["hand"] for row in rows}
    assert classes == {"AA", "KK", "QQ", "AKs", "AQs", "KQs", "AKo", "AQo", "KQo"}
    for row in rows:
        mix = [float(row[a]) for a in ("fold", "call", "raise", "check") if row[a]]
        assert sum(mix) == pytest.approx(1, abs=1e-5)
    curve = list(csv.DictReader(io.StringIO(found.curve_csv())))
    assert len(curve) == len(found.curve) + len(found.linear)
    (panel,) = draw_fhp(found).axes
    assert len(panel.lines) == 2


def run_until(at, **settings):
    """Run the experiment and interrupt it when its progress says ``at``."""

    def stop(part, of, words):
        if at in words:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fhp_exact(threads=1, on_progress=stop, **settings)


def exploitabilities(curve):
    return [(point.iteration, point.exploitability) for point in curve]


def test_a_stopped_run_goes_on_where_it_was(tmp_path):
    game = fhp(deck=DECK, cap=2)
    straight = fhp_exact(game, iterations=40, linear=0, threads=1)
    run_until("iteration 17", game=game, iterations=40, linear=0, folder=tmp_path)
    fewer = fhp_exact(game, iterations=9, linear=0, threads=1, folder=tmp_path)
    assert (fewer.resumed, fewer.last.iteration) == (17, 17)
    (tmp_path / experiment.CHECKPOINT).unlink()
    run_until("iteration 17", game=game, iterations=40, linear=0, folder=tmp_path)
    again = fhp_exact(game, iterations=40, linear=0, threads=1, folder=tmp_path)
    assert again.resumed == 17
    assert exploitabilities(again.curve) == exploitabilities(straight.curve)
    # What is there already is only told.
    same = fhp_exact(game, iterations=40, linear=0, threads=1, folder=tmp_path)
    assert same.resumed == 40
    assert same.curve == again.curve


def test_a_stopped_curve_of_linear_cfr_goes_on_where_it_was(tmp_path):
    game = fhp(deck=DECK, cap=2)
    straight = fhp_exact(game, iterations=2, linear=20, threads=1)
    run_until("linear, iteration 13", game=game, iterations=2, linear=20, folder=tmp_path)
    assert Solver.resume(tmp_path / experiment.PART)[0].iteration == 13
    heard = []
    again = fhp_exact(
        game, iterations=2, linear=20, threads=1, folder=tmp_path,
        on_progress=lambda part, of, words: heard.append(words),
    )  # fmt: skip
    assert "linear, iteration 14" in heard[0]
    assert exploitabilities(again.linear) == exploitabilities(straight.linear)
    assert not (tmp_path / experiment.PART).exists()


def test_another_game_in_the_folder(tmp_path):
    fhp_exact(fhp(deck=DECK, cap=2), iterations=2, linear=1, threads=1, folder=tmp_path)
    with pytest.raises(MismatchError, match="another game"):
        fhp_exact(fhp(deck=DECK, cap=3), iterations=2, linear=1, threads=1, folder=tmp_path)
    with pytest.raises(MismatchError, match="another method"):
        fhp_exact(
            fhp(deck=DECK, cap=2), iterations=2, linear=0, threads=1, folder=tmp_path, method="cfr+"
        )
    (tmp_path / experiment.OTHER).write_text("{")
    with pytest.raises(FileError, match=r"linear\.json is damaged"):
        fhp_exact(fhp(deck=DECK, cap=2), iterations=2, linear=1, threads=1, folder=tmp_path)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"iterations": 0}, "iterations is 0"),
        ({"minutes": 0.0}, "minutes is 0"),
        ({"minutes": math.nan}, "minutes is nan"),
        ({"iterations": 3, "minutes": 1.0}, "not both"),
    ],
)
def test_refused(limits, words):
    with pytest.raises(ParameterError, match=words):
        fhp_exact(fhp(deck=DECK, cap=2), **limits)


def test_games_by_name():
    assert fhp_game("fhp(cap=3,deck=TJQKA)").about["parameters"]["cap"] == 3
    with pytest.raises(SpecError, match="about fhp"):
        fhp_game("leduc")
    with pytest.raises(SpecError, match="fhp takes cap"):
        fhp_game("fhp(colour=3)")


def test_its_own_rules_are_those_of_the_naive_form(history):
    """Two histories of the game that share no code: the same infosets, payoffs and answers."""
    naive = cf.compile_game(NaivePoker(fhp(deck=DECK, cap=2)))
    assert history.histories == naive.histories
    place = {key: k for k, key in enumerate(_names(naive))}
    order = [place[key] for key in _names(history)]
    assert sorted(order) == list(range(len(order)))
    drawn = np.random.default_rng(4).exponential(size=naive.infosets.slots)
    start = naive.infosets.start.astype(int)
    moved = np.concatenate([drawn[start[k] : start[k + 1]] for k in order])
    one = cf.assess(cf.Strategy.of(naive, naive.infosets.to_one(drawn)))
    other = cf.assess(cf.Strategy.of(history, history.infosets.to_one(moved)))
    assert one.values == pytest.approx(other.values)
    assert one.best == pytest.approx(other.best)


def _names(tree):
    return list(zip(tree.infosets.owner.tolist(), tree.infosets.labels, strict=True))


@pytest.mark.parametrize("method", ["cfr", "cfr+"])
def test_both_forms_agree(method):
    check = compare_forms(DECK, 2, method=method, seed=3)
    assert check.holds
    assert check.infosets == 3864


def test_sampled_play_agrees():
    solver = Solver(fhp(deck="JQKA", cap=3), threads=1)
    solver.step(5)
    random = np.random.default_rng(7)
    checks = sample_checks(solver.strategy(), 60_000, random, "small")
    assert [check.what for check in checks] == [
        "against itself, sb", "best response, sb", "best response, bb",
    ]  # fmt: skip
    assert all(check.holds for check in checks)
    # The best responses are worth far more than an error, so that a wrong one would show.
    assert checks[1].exact - checks[0].exact > 10 * checks[1].error
    assert checks[2].exact + checks[0].exact > 10 * checks[2].error


def test_what_the_checks_tell(tmp_path):
    fhp_exact(fhp(deck=DECK, cap=2), iterations=5, linear=0, threads=1, folder=tmp_path)
    found = fhp_checks(hands=2000, iterations=5, deck="QKA", folder=tmp_path, threads=1)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["holds"] is found.holds is True
    assert len(told["samples"]) == 6
    wrong = SampleCheck("small", "a number", exact=10.0, sampled=13.1, error=1.0)
    assert not wrong.holds


def test_points():
    point = FhpPoint(10, 1.5, 50.0, 1.0, 2.0)
    assert point.to_dict()["total"] == 3.0
