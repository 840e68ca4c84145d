"""``counterfold equity``: two ranges all-in."""

import re

import pytest

from counterfold.intervals import Z95


def test_on_a_flop(call):
    answer = call("equity", "AA,KK", "QQ+,AKs", "--board", "Qs Jh 2c", "-q")
    assert answer.code == 0
    assert re.search(r"AA,KK +44.386% +win +40.118% +tie +8.535% +12 combos", answer.out)
    assert re.search(r"QQ\+,AKs +55.614% +win +51.347% +tie +8.535% +19 combos", answer.out)
    assert re.search(r"board +Qs Jh 2c\n", answer.out)
    assert "exact" in answer.out
    assert "sampled" not in answer.out


def test_before_the_flop_as_json(call):
    found = call("equity", "AA", "KK", "--json", "--dead", "2c 2d").document
    assert set(found) == {
        *("ranges", "board", "dead", "combos", "equity", "win", "tie", "exact", "boards"),
        *("seed", "error", "half"),
    }
    assert found["exact"] is True
    assert found["seed"] is None
    assert found["dead"] == "2c 2d"
    assert found["combos"] == [6, 6]
    assert sum(found["equity"]) == pytest.approx(1)
    assert sum(found["win"]) + found["tie"] == pytest.approx(1)
    assert found["equity"][0] == pytest.approx(0.82, abs=0.01)


def test_drawn_boards_say_so(call):
    answer = call("equity", "AA", "KK", "--samples", "1e4", "--seed", 4)
    assert re.search(r"AA +8\d\.\d{3}% ± 0\.\d+% ", answer.out)
    assert re.search(
        r"sampled +10,000 boards drawn with seed 4; ± has the 95% interval", answer.out
    )
    found = call("equity", "AA", "KK", "--samples", 10_000, "--seed", 4, "--json").document
    assert found["exact"] is False
    assert found["seed"] == 4
    assert found["half"] == pytest.approx(Z95 * found["error"])
    assert abs(found["equity"][0] - 0.81946) < 4 * found["error"]


def test_a_whole_board(call):
    answer = call("equity", "AsKh", "QQ", "--board", "QhJh2h3d4d")
    assert re.search(r"AsKh +0.000% +win +0.000% +tie +0.000% +1 combo\n", answer.out)
    assert "no card is to come" in answer.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("AA", "KKx"), "the second range: 'KKx' at character 1"),
        (("", "KK"), "the first range: the range is empty"),
        (("AA", "KK", "--board", "Qs"), "--board: the board 'Qs' has 1 card; a flop has 3"),
        (("AA", "KK", "--board", "Qs2c"), "has 2 cards"),
        (("AA", "KK", "--board", "2c3c4c5c6c7c"), "has 6 cards"),
        (("AA", "KK", "--board", "QsQs2c"), "Qs comes twice"),
        (("AA", "KK", "--board", "Qs9x2c"), "'9x' at character 3"),
        (("AA", "KK", "--dead", "AsAs"), "--dead: As comes twice"),
        (("AA", "KK", "--board", "Qs3c2c", "--dead", "Qs"), "on the board and dead"),
        (("AsAh", "AsKs"), "no two hands"),
        (("AA", "KK", "--samples", "some"), "not a whole number"),
        (("AA", "KK", "--samples", "1"), "a number from 2 up"),
        (("AA",), "missing argument"),
        (("AA", "KK", "QQ"), "unexpected extra argument"),
    ],
)
def test_what_is_refused(call, words, told):
    assert call("equity", *words).refused(told)
