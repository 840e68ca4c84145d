"""``counterfold blueprint``: sampled CFR over buckets, from the command line."""

import json
import time

import numpy as np
import pytest

from counterfold.abstraction.bucket_maker import BucketMaker, Recipe
from counterfold.abstraction.buckets import Buckets, renamings, save_buckets, standard_words
from counterfold.evaluate.exact import best_value
from counterfold.poker.isomorphism import hole_classes
from counterfold.strategy.store import read
from counterfold.strategy.strategy import Strategy

SOON = 20.0  # seconds that a busy machine may take longer
KEYS = {
    "game", "method", "traversal", "buckets", "iterations", "traversals_a_cpu_second", "nodes",
    "infoset_actions", "memory", "seconds", "cpu_seconds", "seed", "values", "exploitability",
    "percent_of_pot", "mbb", "gains", "answer", "saved", "strategy", "merged", "statistics",
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
    strategy, _, run = read(tmp_path / "kuhn.cf")
    assert run is None
    assert strategy.hands.rows(0).sum(0) == pytest.approx([1.0, 1.0, 1.0])


RIVER = {"board": "Ks 9h 6s 4d 2c", "pot": 20, "stack": 40, "oop": "QQ+,AKs", "ip": "JJ,T9s",
         "bets": ["50%"], "raises": []}  # fmt: skip


def test_what_is_saved_is_shown_matched_and_gone_on_with(call, tmp_path):
    """The file has its buckets, on the boards of its spot, so that it needs nothing beside it."""
    (tmp_path / "spot.json").write_text(json.dumps(RIVER))
    save_buckets(tmp_path / "cards.cf", (river_buckets(),))
    words = ("--cards", "cards.cf", "--iterations", 3000, "-q", "--strategy", "hands.cf")
    assert call("blueprint", "spot.json", *words, "--save", "run.cf").code == 0
    assert (tmp_path / "run.cf").stat().st_size < 100_000
    loaded, by_hands = (Strategy.load(tmp_path / name) for name in ("run.cf", "hands.cf"))
    hands = {hand: loaded.at(hand) for hand in ("AhAd", "QhQd", "AhKh")}
    assert hands == {hand: pytest.approx(by_hands.at(hand), abs=1e-6) for hand in hands}
    shown = [call("show", name, "--json").document["hands"] for name in ("run.cf", "hands.cf")]
    assert shown[0] == shown[1]
    assert len(shown[0]) > 10
    played = [
        call("match", name, "uniform", "--game", "spot.json", "--hands", 50, "--json").document
        for name in ("run.cf", "hands.cf")
    ]
    assert played[0]["agents"] == ["run.cf", "uniform"]
    assert played[0]["hands"] == played[1]["hands"] == 50
    more = call("blueprint", "spot.json", "--resume", "run.cf", "--iterations", 4000, "--json")
    assert more.document["iterations"] == 4000
    assert call("blueprint", "kuhn", "--resume", "run.cf").refused("another game")


def river_buckets():
    """Ten buckets on all boards of five cards; those of a spot are few of them."""
    boards, _, words = standard_words(5)
    table = np.tile(hole_classes().of.astype(np.uint16) % 10, (len(boards), 1))
    return Buckets(5, 10, table, words, renamings()[0])


def test_what_is_refused(call, tmp_path):
    (tmp_path / "spot.json").write_text(json.dumps({"board": "Ks Ks 2c"}))
    assert call("blueprint", "spot.json").refused("Ks")
    assert call("blueprint", "nothing").refused("nothing")
    assert call("blueprint", "kuhn", "--traversal", "full").refused("external or public")
    assert call("blueprint", "kuhn", "--method", "pcfr+").refused("predicts")
    assert call("blueprint", "kuhn", "--resume", "none.cf").refused("none.cf")
    assert call("blueprint", "kuhn", "--save", "no/such/file").refused("no/such")


def test_what_cannot_end_well_is_refused_before_the_work(call, tmp_path, monkeypatch):
    def never(*_, **__):
        raise AssertionError("hands were sorted")

    monkeypatch.setattr(BucketMaker, "make", never)
    whole = {"blinds": [1, 2], "stack": 20, "oop": "random", "ip": "random", "bets": ["50%"],
             "raises": []}  # fmt: skip
    (tmp_path / "spot.json").write_text(json.dumps(whole))
    for words in (("--strategy", "a.cf"), ("--exact",)):
        told = call("blueprint", "spot.json", *words)
        assert told.refused(words[0], "boards", "--save FILE keeps the blueprint")
    assert call("blueprint", "spot.json", "--method", "pcfr+").refused("predicts")
    assert call("blueprint", "spot.json", "--threads", 0).refused("threads")
    told = call("blueprint", "spot.json", "--against", "a.cf", "--rnr", 1, "--cards", "none.cf")
    assert told.refused("--cards")
    assert call("blueprint", "spot.json", "--resume", "spot.json").refused("spot.json")
    assert call("solve", "spot.json", "--dry-run").refused("counterfold blueprint")


def test_what_is_saved_is_shown_and_played(call):
    """Of a game with two forms as well, whether or not the game is named."""
    call("blueprint", "leduc", "--iterations", 20_000, "--save", "run.cf", "-q")
    assert "Kh" in call("show", "run.cf").out
    words = ("run.cf", "always-call", "--json", "-q", "--hands", 400)
    for game in ((), ("--game", "leduc")):
        scores = call("match", *words, *game).document["scores"]
        assert scores[0]["mean"] > scores[1]["mean"]
    assert call("tournament", *words, "--matches", 2, "--game", "leduc").document["agents"]
    for game in (("leduc", "--against", "run.cf"), ("run.cf",)):
        assert "run.cf" in call("play", *game, "--seed", 1).out


def test_another_blueprint_is_answered(call, tmp_path):
    """With a bucket for each hand, what the linear program wins from the same opponent."""
    call("blueprint", "kuhn", "--iterations", 300, "--save", "model.cf", "-q")
    words = ("blueprint", "kuhn", "--against", "model.cf", "--player", 2, "-q")
    more = ("--rnr", 1, "--iterations", 100_000, "--strategy", "answer.cf")
    told = call(*words, *more, "--json").document
    assert told["exploitability"] is None
    answer = told["answer"]
    assert (answer["model"], answer["player"], answer["p"]) == ("model.cf", 2, 1.0)
    strategy = Strategy.load(tmp_path / "answer.cf")  # with the model in the other seat
    assert best_value(strategy, 1) == pytest.approx(answer["winnings"], abs=0.005)
    assert -best_value(strategy, 0) == pytest.approx(answer["guarantee"], abs=1e-6)
    text = call(*words, "--rnr", 0.5, "--iterations", 2000, "--exact", "--save", "run.cf").out
    assert "to model.cf, trusted by 0.5" in text
    assert "from the model (exact)" in text
    assert "at least (exact)" in text
    go_on = ("--resume", "run.cf", "--iterations", 3000)
    assert call(*words, "--rnr", 0.5, *go_on).code == 0
    assert call(*words, "--rnr", 0.6, *go_on).refused("another opponent")
    assert call("blueprint", "kuhn", *go_on).refused("another opponent")


def test_an_answer_in_a_spot_is_told_by_what_it_gets_of_the_pot(call, tmp_path):
    river = {"board": "Ks 9h 6s 4d 2c", "pot": 20, "stack": 20, "oop": "AA,QQ", "ip": "JJ,TT",
             "bets": ["50%"], "raises": []}  # fmt: skip
    (tmp_path / "spot.json").write_text(json.dumps(river))
    call("blueprint", "spot.json", "--iterations", 100, "--save", "model.cf", "-q")
    words = ("--against", "model.cf", "--player", 1, "--rnr", 1, "--iterations", 500, "--exact")
    told = call("blueprint", "spot.json", *words, "-q").out
    assert "% of the pot) at least (exact)" in told


def test_answers_that_are_refused(call):
    call("blueprint", "kuhn", "--iterations", 10, "--save", "model.cf", "-q")
    words = ("blueprint", "kuhn", "--against", "model.cf")
    assert call(*words).refused("say with --rnr")
    assert call(*words, "--rnr", 1.5).refused("from 0 to 1")
    assert call(*words, "--rnr", 1, "--player", 3).refused("--player is 3")
    assert call(*words, "--rnr", 1, "--traversal", "public").refused("external sampling only")
    assert call("blueprint", "kuhn", "--rnr", 1).refused("--against")
    assert call("blueprint", "kuhn", "--against", "no.cf", "--rnr", 1).refused("no.cf")
    assert call("blueprint", "fhp", "--against", "model.cf", "--rnr", 1).refused("another game")
    assert call("blueprint", "leduc", "--against", "model.cf", "--rnr", 1).refused("made for kuhn")


def test_seconds_are_of_sorting_hands_too(call, monkeypatch):
    from counterfold.cli import clock

    def sorts(maker):
        maker._tell(0, 0.0)
        monkeypatch.setattr(clock, "_began", clock._began - 6)
        maker._tell(0, 0.5)
        raise AssertionError

    monkeypatch.setattr(BucketMaker, "make", sorts)
    answer = call("blueprint", "fhp", "--seconds", 5, "--exact")
    assert answer.refused("5 seconds were over while hands were sorted into buckets")


def test_seconds_are_of_the_exact_measurement_too(call, monkeypatch, tmp_path):
    from counterfold.cli import blueprint_exact, clock

    words = ("blueprint", "leduc", "--seconds", 2, "--exact", "--strategy", "by_hand.cf")
    began = time.perf_counter()
    fits = call(*words, "--json", "--quiet").document
    assert fits["exploitability"] > 0
    assert fits["strategy"] == "by_hand.cf"
    assert time.perf_counter() - began < 2 + SOON
    (tmp_path / "by_hand.cf").unlink()

    monkeypatch.setattr(blueprint_exact, "CAUTION", 1e6)  # it seems to take far too long
    not_even_tried = call(*words, "--json")
    assert "neither measured nor written hand by hand within --seconds: that" in not_even_tried.err
    monkeypatch.setattr(blueprint_exact, "CAUTION", 0.0)  # and then it does
    public = blueprint_exact.by_hand

    def slow(strategy, tree, look=None):
        if public_calls:
            monkeypatch.setattr(clock, "_began", clock._began - 100)
        public_calls.append(1)
        return public(strategy, tree, look)

    public_calls = []
    monkeypatch.setattr(blueprint_exact, "by_hand", slow)
    given_up = call(*words, "--json")
    assert "2 seconds were over while the strategy was measured" in given_up.err
    for answer in (not_even_tried, given_up):
        assert answer.code == 0
        assert answer.document["iterations"] > 0
        assert answer.document["exploitability"] is None
        assert answer.document["strategy"] is None
    assert not (tmp_path / "by_hand.cf").exists()


def test_buckets_and_strategies_are_ended_by_whoever_looks():
    class EnoughError(Exception):
        pass

    def look(*_):
        raise EnoughError

    with pytest.raises(EnoughError):
        BucketMaker(Recipe.of((0, 3), 5), look=look).make()


def test_a_table_of_three(call, tmp_path):
    """What each seat would gain is told beside the exact figure, and the run goes on."""
    words = ("--iterations", 20000, "--prune", "--exact", "--save", "three.cf", "--json", "-q")
    told = call("blueprint", "leduc(players=3,max_raises=1)", *words).document
    gains = told["gains"]
    assert [gain["player"] for gain in gains] == [1, 2, 3]
    mean, error = (sum(gain[key] for gain in gains) / 3 for key in ("gain", "error"))
    assert 0 < mean < told["exploitability"] + 4 * error  # of few deals, so rather too little
    more = ("--iterations", 20100, "--resume", "three.cf", "--json", "-q")
    assert call("blueprint", "leduc(players=3,max_raises=1)", *more).document["gains"]
    other = call("blueprint", "leduc(players=3)", "--resume", "three.cf")
    assert (other.code, "another game" in other.err) == (2, True)


def test_a_table_is_measured_before_its_buckets_are_made(call):
    told = call("blueprint", "holdem:3max(stack=20)", "--dry-run", "--json").document
    assert told["players"] == ["BTN", "SB", "BB"]
    assert told["buckets"] == [169, 200, 200, 200]
    assert told["memory"] > 8 * told["infoset_actions"]
    assert "infosets" in call("blueprint", "holdem:jamfold(players=4)", "--dry-run").out
    both = call("blueprint", "holdem:3max", "--minutes", 1, "--seconds", 3)
    assert (both.code, "--seconds or --minutes" in both.err) == (2, True)
    many = call("blueprint", "holdem:3max", "--buckets", 100_000_000)
    assert (many.code, "take fewer buckets" in many.err) == (2, True)


def test_a_cluster_is_asked_for_in_full(call):
    def refused(*words):
        return call("blueprint", "leduc", "--iterations", "2000", *words).refused

    assert refused("--cluster", "nowhere")("local:4", "scheduler")
    assert refused("--cluster", "tcp://127.0.0.1:9")("--library")
    assert refused("--cluster", "local:2", "--parts", "2", "--threads", "2")("--parts", "--threads")
    assert refused("--cluster", "local:2", "--merge-every", "0")("--merge-every is 0")
    assert refused("--parts", "2")("--cluster")
    assert refused("--merge-every", "1000")("--cluster")


def test_workers_train_a_blueprint(call, tmp_path):
    def found(*words):
        return call(
            "blueprint", "leduc", "--cluster", "local:1", "--threads", "2", "--json", "--quiet",
            "--merge-every", "2000", *words,
        ).document  # fmt: skip

    first = found("--iterations", "4000", "--save", "run.cf")
    assert first["iterations"] == 4000
    assert first["merged"]["copies"] == first["merged"]["merges"] == 2
    assert found("--iterations", "6500", "--resume", "run.cf")["iterations"] == 6500
