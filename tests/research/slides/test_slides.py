"""The lecture's worked numbers: in fractions, and the slips that the slides have."""

from fractions import Fraction

import numpy as np
import pytest

from counterfold.research.slides.lecture import Lecture, comparison, regrets, worked
from counterfold.testing import check_game


def fractions(text):
    return [float(Fraction(word)) for word in text.replace("|", "").split()]


@pytest.mark.parametrize(
    ("iteration", "what", "expected"),
    [
        (1, "regrets", "0 -1/3 1/3 | -1/3 2/3 -1/3"),
        (1, "next", "0 0 1 | 0 1 0"),
        (2, "cumulative", "-4 -10/3 1/3 | 5/3 2/3 2/3"),
        (2, "next", "0 0 1 | 5/9 2/9 2/9"),
        (3, "regrets", "4/9 5/9 0 | 2/3 -4/3 -1/3"),
        (3, "cumulative", "-32/9 -25/9 1/3 | 7/3 -2/3 1/3"),
        (3, "next", "0 0 1 | 7/8 0 1/8"),
        (4, "regrets", "15/8 19/8 0 | 1/8 -15/8 -7/8"),
        (4, "cumulative", "-121/72 -29/72 1/3 | 59/24 -61/24 -13/24"),
    ],
)
def test_regret_matching_in_fractions(iteration, what, expected):
    ours = [n.ours for n in worked().numbers if (n.iteration, n.what) == (iteration, what)]
    assert ours == pytest.approx(fractions(expected), abs=1e-12)


def test_the_slides_are_right_but_for_one_strategy():
    wrong = [number for number in worked().numbers if number.same is False]
    assert {(n.iteration, n.what, n.player) for n in wrong} == {(2, "next", 2)}
    assert sum(number.same is True for number in worked().numbers) == 33


def test_rm_and_rm_plus():
    found = comparison()
    rows = {(row.method, row.iteration): row for row in found.rows}
    assert rows["RM", 2].regrets == pytest.approx(
        fractions("-98/45 67/45 -293/45 | 8/45 74/45 7/9")
    )
    assert rows["RM", 3].average == pytest.approx(
        fractions("8/45 32/45 1/9 | 47/351 113/351 191/351")
    )
    assert rows["RM+", 1].regrets == pytest.approx(fractions("2/9 8/9 0 | 0 4/3 0"))
    assert rows["RM+", 2].strategy == pytest.approx(
        fractions("46/203 31/203 18/29 | 1188/4127 812/4127 2127/4127")
    )
    assert list(found.gaps["RM"].values()) == pytest.approx([1.006, 0.303, 0.1, 0.0313], rel=0.01)
    # A separate computation, which averages in a way of its own, had these.
    others = (0.0892, 0.0229, 0.00353, 0.00021)
    for gap, other in zip(found.gaps["RM+"].values(), others, strict=True):
        assert gap < 2.1 * other


def test_the_tree_gives_the_numbers_of_the_slides():
    check_game(Lecture())
    numbers = regrets().numbers
    assert [number.same for number in numbers] == [True, True, True, None, True, True]
    # Weighed by what is played (2/3 and 1/3), regrets are nothing.
    for pair in (numbers[2:4], numbers[4:6]):
        assert np.dot([2 / 3, 1 / 3], [n.ours for n in pair]) == pytest.approx(0, abs=1e-12)


def test_in_words_and_as_a_document(call):
    out = call("repro", "slides", "--table", "rm", "-q").out
    assert "iteration 4" in out
    assert "-121/72" in out
    assert out.count("NO") == 3
    out = call("repro", "slides", "--table", "rm+", "-q").out
    assert "1188/4127" in out
    assert "10,000" in out
    document = call("repro", "slides", "--table", "cfr", "--json", "-q").document
    assert document["paper"] == "slides"
    assert document["numbers"][0] == {
        "iteration": 1, "what": "CFR at I.3", "player": 1, "action": "L3",
        "ours": pytest.approx(-1 / 6), "theirs": pytest.approx(-1 / 6), "same": True,
    }  # fmt: skip
    assert "-5/18" in call("repro", "slides", "--table", "cfr", "-q").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "say which: --table rm, rm+ or cfr"),
        (["--table", "cfr+"], "slides has no table 'cfr+'"),
        (["--table", "cfr", "--iterations", 3], "does not take --iterations"),
        (["--table", "rm", "--plot", "p.png"], "has no picture"),
        (["--table", "rm", "--iterations", 0], "iterations"),
    ],
)
def test_refused(call, arguments, words):
    assert call("repro", "slides", "-q", *arguments).refused(words)
