"""Normal-form games: shapes of payoffs, files and what is wrong with them, presets."""

import re
from fractions import Fraction

import numpy as np
import pyspiel
import pytest

from counterfold.errors import FileError, ParameterError
from counterfold.games.base import TERMINAL
from counterfold.games.normal_form import (
    NormalForm,
    general_rock_paper_scissors,
    matching_pennies,
    rock_paper_scissors,
)
from tests.naive_counts import (
    Counts,
    counts,
    openspiel_value,
    same_tree,
    survey,
    transcript,
)

SLIDES = """\
# general-sum rock, paper, scissors
        R     P      S
  R    0,0  -1,3    1,-2     # rock
  P    1,-2  0,0   -2,1

  S   -2,1   3,-1   0,0
"""


def test_a_matrix_is_zero_sum():
    game = NormalForm([[2, 1, 0], [2, 0, 3]])
    assert game.players == 2
    assert game.actions(game.root()) == ("1", "2")
    assert game.actions((0,)) == ("1", "2", "3")
    assert game.payoff((1, 2)) == (3.0, -3.0)
    assert counts(game) == Counts(9, 6, (1, 1))


def test_arrays_pairs_and_fractions():
    pair = NormalForm(([[1, 0], [0, 1]], [[Fraction(1, 2), 0], [0, 2]]))
    array = NormalForm(np.array([[[1, 0], [0, 1]], [[0.5, 0], [0, 2]]]))
    assert pair == array
    assert hash(pair) == hash(array)
    assert pair.payoff((0, 0)) == (1.0, 0.5)


def test_three_players():
    payoffs = np.arange(3 * 2 * 3 * 2).reshape(3, 2, 3, 2)
    game = NormalForm(payoffs)
    assert game.players == 3
    assert game.payoff((1, 2, 0)) == tuple(float(payoffs[p, 1, 2, 0]) for p in range(3))
    assert counts(game) == Counts(1 + 2 + 6 + 12, 12, (1, 1, 1))


def test_nobody_sees_what_the_others_chose():
    game = rock_paper_scissors()
    assert game.observe((0,), 1) == game.observe((2,), 1) == ()
    assert game.observe((0, 1), 1) == ("P",)
    assert game.turn((0, 1)) == TERMINAL


@pytest.mark.parametrize(
    ("payoffs", "actions", "word"),
    [
        ([[1, 2], [3]], None, "ragged"),
        ([[1, [2]], [3, 4]], None, "ragged"),
        ([], None, "empty"),
        ([[]], None, "empty"),
        (3, None, "a matrix"),
        ([1, 2], None, "a matrix"),
        (np.zeros((3, 2, 2)), None, "3x2x2"),
        ([[1, float("nan")]], None, "finite"),
        ([[1, float("inf")]], None, "finite"),
        ([[1, "x"]], None, "numbers"),
        ([[1, None]], None, "numbers"),
        ([[1, True]], None, "finite"),
        ([[1, 2]], [["a"]], "2 lists"),
        ([[1, 2]], "ab", "2 lists"),
        ([[1, 2]], [["a"], ["b"]], "player 2 has 2 actions"),
        ([[1, 2]], [["a"], ["b", "b"]], "two actions named 'b'"),
        ([[1, 2]], [["a"], ["b", 3]], "must be text"),
    ],
)
def test_bad_payoffs(payoffs, actions, word):
    with pytest.raises(ParameterError, match=word) as told:
        NormalForm(payoffs, actions)
    assert "\n" not in str(told.value)


def test_frozen():
    with pytest.raises(AttributeError):
        rock_paper_scissors().players = 3


def test_text_file(tmp_path):
    path = tmp_path / "rps.txt"
    path.write_text(SLIDES)
    game = NormalForm.from_file(path)
    assert game == general_rock_paper_scissors()
    assert str(game) == str(path)


def test_text_file_of_a_zero_sum_game(tmp_path):
    path = tmp_path / "game.txt"
    path.write_text("\ufeffl r\nu 1/3 -2\nd .5 1e1\n", encoding="utf-8")
    game = NormalForm.from_file(path)
    assert game.payoffs[0] == ((1 / 3, -2.0), (0.5, 10.0))
    assert game.payoffs[1] == ((-1 / 3, 2.0), (-0.5, -10.0))
    assert game.names == (("u", "d"), ("l", "r"))


def test_json_files(tmp_path):
    path = tmp_path / "game.json"
    path.write_text('{"matrix": [[0, "1/4"], [2, 3]], "actions": [["u", "d"], ["l", "r"]]}')
    game = NormalForm.from_file(str(path))
    assert game == NormalForm([[0, 0.25], [2, 3]], [["u", "d"], ["l", "r"]])
    path.write_text('{"payoffs": [[[1, 0], [0, 1]], [[2, 0], [0, 2]]]}')
    assert NormalForm.from_file(path) == NormalForm([[[1, 0], [0, 1]], [[2, 0], [0, 2]]])


BAD_FILES = {
    "game.txt": [
        ("", 1, "no game"),
        ("# nothing\n", 1, "no game"),
        ("l r\n", 1, "no rows"),
        ("l r\nu 1 2\nd 3\n", 3, "1 cells for 2 columns"),
        ("l r\nu 1 2 3\n", 2, "3 cells"),
        ("l r\nu 1 x\n", 2, "'x'"),
        ("l r\nu 1 nan\n", 2, "'nan'"),
        ("l r\nu 1 1/0\n", 2, "'1/0'"),
        ("l r\nu 1,2,3 1,2,3\n", 2, "'1,2,3'"),
        ("l r\nu 1, 2,3\n", 2, "'1,'"),
        ("l r\nu 1,2 1,2\n\nd 1,2 1\n", 4, "1 payoffs where those before it have 2"),
        ("l l\nu 1 2\n", 1, "two columns are named 'l'"),
        ("l r\nu 1 2\nu 1 2\n", 3, "two rows are named 'u'"),
    ],
    "game.json": [
        ("", 1, "JSON"),
        ('{\n"matrix": [[1, 2],\n}', 3, "JSON"),
        ("[]", 1, '"payoffs" or "matrix"'),
        ("{}", 1, '"payoffs" or "matrix"'),
        ('{"payoffs": 1, "matrix": 2}', 1, '"payoffs" or "matrix"'),
        ('{"matrix": [[1]],\n "board": 3}', 2, "'board'"),
        ('{\n"matrix": [[1, 2], [3]]}', 2, "ragged"),
        ('{\n"matrix": [[1, NaN]]}', 2, "NaN is no number"),
        ('{\n"matrix": [[1, ' + "9" * 400 + "]]}", 2, "400 digits"),
        ('{\n"matrix": [[1, "1e999999999"]]}', 2, "finite"),
        ('{\n"matrix": [[1, "1/3e9"]]}', 2, "must be finite numbers"),
        ('{\n"matrix": [[1, {"a": 2}]]}', 2, "must be finite numbers"),
        ('{\n"matrix": [[1, true]]}', 2, "finite numbers, not True"),
        ('{"matrix": [[[1]]]}', 1, "rows of numbers"),
        ('{"payoffs": [[1]]}', 1, "a table for each player"),
        ('{"payoffs": [[[1]]]}', 1, "1x1x1"),
        ('{"matrix": [[1, 2]],\n"actions": [["a"], ["b"]]}', 2, "2 actions"),
        ("[" * 100_000, 1, "nested|JSON"),
    ],
}


@pytest.mark.parametrize(
    ("name", "content", "line", "word"),
    [(name, *row) for name, rows in BAD_FILES.items() for row in rows],
)
def test_bad_files(tmp_path, name, content, line, word):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(FileError, match=word) as told:
        NormalForm.from_file(path)
    column = r"(, column \d+)?" if path.suffix == ".json" else ""
    assert re.match(rf"{re.escape(str(path))}, line {line}{column}: ", str(told.value))


def test_unreadable_files(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        NormalForm.from_file(tmp_path / "missing.txt")
    with pytest.raises(FileError, match="is a folder"):
        NormalForm.from_file(tmp_path)
    (tmp_path / "game.txt").write_bytes(b"\xff\x00\x80")
    with pytest.raises(FileError, match="not a text file"):
        NormalForm.from_file(tmp_path / "game.txt")


@pytest.mark.parametrize(
    ("game", "native"), [(rock_paper_scissors(), "matrix_rps"), (matching_pennies(), "matrix_mp")]
)
def test_presets_are_openspiels(game, native):
    native = pyspiel.convert_to_turn_based(pyspiel.load_game(native))
    found = same_tree(game, native)
    assert found == survey(game)[0]
    assert survey(game)[1] == pytest.approx(openspiel_value(native))


def test_general_rock_paper_scissors_is_that_of_the_slides():
    game = general_rock_paper_scissors()
    assert [game.payoff((0, j)) for j in range(3)] == [(0, 0), (-1, 3), (1, -2)]
    assert [game.payoff((1, j)) for j in range(3)] == [(1, -2), (0, 0), (-2, 1)]
    assert [game.payoff((2, j)) for j in range(3)] == [(-2, 1), (3, -1), (0, 0)]


def test_transcript():
    assert transcript(rock_paper_scissors(), seed=1) == [
        "player 0 [] R/P/S: R",
        "player 1 [] R/P/S: S",
        "payoff: 1 -1",
    ]
