"""``counterfold blueprint``: sampled CFR over buckets, from the command line."""

import json

import pytest

from counterfold.strategy.public import read_public

KEYS = {
    "game", "method", "traversal", "buckets", "iterations", "traversals_a_cpu_second", "nodes",
    "infoset_actions", "memory", "seconds", "cpu_seconds", "seed", "values", "exploitability",
    "percent_of_pot", "mbb", "saved", "strategy",
}  # fmt: skip


@pytest.mark.parametrize("traversal", ["external", "public"])
def test_kuhn_is_nearly_solved_and_measured(call, traversal):
    words = ("--traversal", traversal, "--iterations", "30000", "--exact", "--json", "--quiet")
    document = call("blueprint", "kuhn", *words).document
    assert set(document) == KEYS
    assert document["buckets"] == [3]
    assert document["values"][0] == pytest.approx(-1 / 18, abs=0.01)
    assert 0 < document["exploitability"] < 0.02


def test_a_checkpoint_goes_on_as_if_nothing_had_been(call, tmp_path):
    def found(*words):
        return call("blueprint", "leduc", "--json", "--quiet", "--exact", *words).document

    whole = found("--iterations", "4000")
    found("--iterations", "2000", "--save", "run.cf")
    rest = found("--iterations", "4000", "--resume", "run.cf")
    assert rest["iterations"] == 4000
    assert rest["exploitability"] == whole["exploitability"]


def test_the_strategy_can_be_read_hand_by_hand(call, tmp_path):
    answer = call("blueprint", "kuhn", "--iterations", "2000", "--strategy", "kuhn.cf")
    assert answer.code == 0
    assert "traversals a CPU second" in answer.out
    assert "(exact)" in answer.out
    strategy, _, run = read_public(tmp_path / "kuhn.cf")
    assert run is None
    assert strategy.rows(0).sum(0) == pytest.approx([1.0, 1.0, 1.0])


def test_what_is_refused(call, tmp_path):
    (tmp_path / "spot.json").write_text(json.dumps({"board": "Ks Ks 2c"}))
    assert call("blueprint", "spot.json").refused("Ks")
    assert call("blueprint", "nothing").refused("nothing")
    assert call("blueprint", "kuhn", "--traversal", "full").refused("external or public")
    assert call("blueprint", "kuhn", "--method", "pcfr+").refused("predicts")
    assert call("blueprint", "kuhn", "--resume", "none.cf").refused("none.cf")
    assert call("blueprint", "kuhn", "--save", "no/such/file").refused("no/such")
