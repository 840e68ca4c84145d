"""``counterfold repro ses``: its figures and the drifting opponents, as a user asks for them."""

import pytest

from counterfold.research.ses.leduc import figure_3


def test_the_matrix_game(call):
    answer = call("repro", "ses", "--figure", 2, "-q")
    assert answer.code == 0
    assert "0.99901" in answer.out
    assert "100.5" in answer.out


def test_the_matrix_game_as_json(call):
    document = call("repro", "ses", "--figure", 2, "--json", "-q").document
    middle = [p for p in document["points"] if 0 < p["alpha"] < document["alpha_star"]]
    assert all(abs(p["payoff"] - 9.9) < 1e-6 for p in middle)
    assert all(abs(p["exploitability"]) < 1e-6 for p in middle)


def test_a_small_sweep_with_its_picture(call, tmp_path, monkeypatch):
    monkeypatch.setitem(figure_3.__kwdefaults__, "alphas", (0.0, 0.5, 1.0))
    monkeypatch.setitem(figure_3.__kwdefaults__, "errors", (0.0, 0.9))
    picture = tmp_path / "sweep.svg"
    answer = call(
        "repro", "ses", "--figure", 3, "--game", "leduc(ranks=2)", "--runs", 1,
        "--iterations", 2000, "--plot", picture, "-q",
    )  # fmt: skip
    assert answer.code == 0
    assert "hold at every point" in answer.out
    assert picture.read_text().startswith("<?xml")


def test_drifting_opponents(call):
    answer = call(
        "repro", "ses", "--table", "drift", "--game", "leduc(ranks=2)", "--runs", 1, "--hands", 100,
        "--iterations", 2000, "--json", "-q",
    )  # fmt: skip
    rows = {row["contender"]: row for row in answer.document["rows"]}
    assert {"blueprint", "ses(0.8)", "rnr(0.5)"} <= set(rows)
    assert rows["blueprint"]["milliseconds"] == 0
    assert all(row["winnings"] <= answer.document["best"] + 1e-9 for row in rows.values())


def test_flop_holdem_with_few_cards(call, tmp_path):
    picture = tmp_path / "responses.svg"
    answer = call(
        "repro", "ses", "--figure", 4, "--game", "fhp(deck=KA, cap=2)", "--iterations", 5,
        "--plot", picture, "-q",
    )  # fmt: skip
    assert answer.code == 0
    assert "RNR (big)" in answer.out
    assert "searches on all 6 flops" in answer.out
    assert picture.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "say which"),
        (["--figure", 7], "ses has no figure '7'"),
        (["--table", "x"], "ses has no table 'x'"),
        (["--figure", 2, "--runs", 3], "does not take --runs"),
        (["--figure", 3, "--game", "kuhn"], "kuhn"),
        (["--figure", 4, "--game", "leduc"], "this is about fhp"),
        (["--figure", 3, "--game", "fhp(flops=1)"], "flops must be"),
        (["--figure", 3, "--game", "fhp(deck=KA, cap=0)"], "cap must be a whole number"),
        (["--experiment", 1], "does not take --experiment"),
    ],
)
def test_refused(call, arguments, words):
    assert call("repro", "ses", "-q", *arguments).refused(words)
