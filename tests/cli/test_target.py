"""``counterfold style --target``: exit code, streams and files."""

import pytest

from counterfold.strategy.strategy import Strategy


def test_a_target_is_met_and_priced(call, tmp_path):
    path, picture = tmp_path / "bold.safetensors", tmp_path / "bold.png"
    done = call(
        "style", "kuhn", "--target", "bet@J=1/4", "--iterations", "4000",
        "--save", str(path), "--plot", str(picture), "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    told = done.document
    assert told["met"] is True
    assert told["targets"][0]["reached"] == pytest.approx(0.25, abs=0.01)
    assert told["exploitability"] < 1e-3
    assert told["optimum"] == pytest.approx(0, abs=1e-6)
    assert Strategy.load(path).at("J")["bet"] == pytest.approx(0.25, abs=0.01)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_table(call):
    done = call("style", "kuhn", "--target", "bet@J=0.1", "--iterations", "3000", "-q")
    assert done.code == 0
    assert "wanted" in done.out
    assert "exact optimum" in done.out
    assert "player 1 at J: check 9 to bet 1" in done.out
    assert done.err == ""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--target", "bet@J=0.9"], "the nearest is bet@J = 0.3333"),
        (["--target", "bet@J"], "a target is a frequency and a number"),
        (["--target", "bet@J=x"], "a target is a frequency and a number"),
        (["--target", "=0.5"], "a target is a frequency and a number"),
        (["--target", "bet@J=0.1", "--target", "bet@J=0.2"], "cannot be both"),
        (["--target", "bet@J=0.1", "--prefer", "bet=2"], "finds the style by itself"),
        (["--target", "bets@J=0.1"], "never has the action 'bets'"),
        (["--target", "bet@J=1.5"], "1.5"),
        (["--target", "bet@J=0.1", "--give-up", "-1"], "from 0 up"),
    ],
)
def test_targets_that_cannot_be(call, words, sentence):
    done = call("style", "kuhn", *words)
    assert done.code == 2
    assert sentence in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""
