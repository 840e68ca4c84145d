"""``counterfold buckets``: made once, gone on with, taken by blueprints, and refused."""

from pathlib import Path

import pytest

from counterfold.abstraction import bucket_maker
from counterfold.abstraction.bucket_maker import BucketMaker, Recipe
from counterfold.abstraction.buckets import load_buckets

KEYS = {"game", "kind", "seed", "streets", "bytes", "seconds", "cpu_seconds", "saved"}


@pytest.fixture(autouse=True)
def _few_hands(monkeypatch):
    monkeypatch.setattr(bucket_maker, "SAMPLE", 10_000)


def test_buckets_are_made_once_and_taken_by_blueprints(call, tmp_path):
    document = call("buckets", "fhp", "--buckets", 6, "--save", "f.cf", "--json", "-q").document
    assert set(document) == KEYS
    assert [street["buckets"] for street in document["streets"]] == [169, 6]
    made = load_buckets(tmp_path / "f.cf")
    assert [s["fingerprint"] for s in document["streets"]] == [one.fingerprint for one in made]
    again = call("buckets", "fhp", "--buckets", 6, "--save", "f.cf")
    assert again.code == 0
    assert "6 buckets, 1,755 boards up to suits" in again.out
    assert call("buckets", "fhp", "--buckets", 7, "--save", "f.cf").refused("other buckets")
    words = ("--cards", "f.cf", "--iterations", 50, "--json", "-q")
    for game in ("fhp", "fhp(cap=2)"):
        assert call("blueprint", game, *words).document["buckets"] == [169, 6]
    assert call("blueprint", "fhp(deck=TJQKA)", *words).refused("another deck")


def test_what_time_has_ended_goes_on(call, tmp_path, monkeypatch):
    from counterfold.cli import clock

    fill = BucketMaker._fill_table

    def late(maker, size):
        monkeypatch.setattr(clock, "_began", clock._began - 1000)
        fill(maker, size)

    words = ("buckets", "fhp", "--buckets", "5", "--save", "f.cf")
    monkeypatch.setattr(BucketMaker, "_fill_table", late)
    go_on = "go on with `counterfold buckets fhp --save f.cf --buckets 5"
    assert call(*words, "--seconds", 900).refused("900 seconds were over", go_on)
    monkeypatch.setattr(BucketMaker, "_fill_table", fill)
    assert call("blueprint", "fhp", "--buckets", 4, "--cards", "f.cf").refused("other buckets")
    assert call(*words).code == 0
    whole = BucketMaker(Recipe.of((0, 3), 5)).make()
    assert load_buckets(tmp_path / "f.cf")[1].fingerprint == whole[1].fingerprint


def test_what_cannot_be_is_one_sentence(call, tmp_path):
    assert call("buckets", "fhp").code == 2
    save = ("--save", "f.cf")
    assert call("buckets", "fhp", "--buckets", "many", *save).refused("buckets are a number")
    assert call("buckets", "fhp", "--buckets", "5,5", *save).refused("one for each street")
    assert call("buckets", "holdem", "--buckets", "70000", *save).refused("buckets must be")
    assert call("buckets", "fhp", "--kind", "luck", *save).refused("potential or equity or worth")
    assert call("buckets", "holdem", "--kind", "worth", *save).refused("for a game")
    assert call("buckets", "fhp(deck=QKA)", *save).refused("from 52")
    assert call("buckets", "kuhn", *save).refused("from 52")
    assert call("buckets", "fhp", "--threads", 0, *save).refused("threads")
    assert call("buckets", "fhp", "--save", "no/such/file").refused("no/such")
    (tmp_path / "f.cf").write_bytes(b"something else")
    assert call("buckets", "fhp", *save).refused("f.cf")
    assert (tmp_path / "f.cf").read_bytes() == b"something else"


def test_a_cluster_makes_the_same_file(call):
    words = ("buckets", "fhp", "--buckets", 6, "--json", "-q")
    assert call(*words, "--save", "here.cf").code == 0
    assert call(*words, "--save", "there.cf", "--cluster", "local:2").code == 0
    assert Path("there.cf").read_bytes() == Path("here.cf").read_bytes()
    save = ("--save", "f.cf")
    assert call("buckets", "fhp", "--library", "lib", *save).refused("--cluster")
    assert call("buckets", "fhp", "--cluster", "here", *save).refused("local:4")
    assert call("buckets", "fhp", "--cluster", "tcp://x:1", *save).refused("--library")
    worth = call("buckets", "fhp", "--kind", "worth", "--cluster", "local:1", "-q", *save)
    assert worth.refused("one run of the whole game")
