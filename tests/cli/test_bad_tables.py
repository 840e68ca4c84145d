"""Tables that cannot be: one sentence, exit code 2, and nothing half-written."""

import json
import os

import pytest

import counterfold as cf
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.buckets import every_hand, save_buckets
from counterfold.poker.holdem import fhp
from counterfold.strategy.strategy import Strategy

FILES = {
    "nothing.json": {"players": 3, "stack": [0, 10, 10]},
    "no_blind.json": {"players": 3, "blinds": {"BB": 1}},
    "zero_blind.json": {"players": 3, "blinds": [0, 1]},
    "large_blinds.json": {"players": 2, "stack": 5, "blinds": [4, 8]},
    "small_bets.json": {"players": 2, "bets": ["0.5bb"]},
    "large_raises.json": {"players": 2, "raises": ["101bb"]},
    "bets.json": {"bets": {"flop": ["50%"], "turn": ["50%"], "river": ["1000000%"]}, "players": 2},
    "times.json": {"players": 3, "blinds": [1, 2], "raises": ["3x", "99x"]},
    "seat.json": {"players": 2, "raises": {"SB": ["+99.5"], "BB": ["3x"]}},
    "no_payouts.json": {"players": 3, "payouts": []},
    "negative.json": {"players": 3, "payouts": [5, -1]},
}
GAMES = [
    ("nothing.json", '"stack": this must be a number above 0'),
    ("no_blind.json", '"blinds": this must be a number above 0, not None'),
    ("zero_blind.json", '"blinds"'),
    ("large_blinds.json", "has a stack of 5, and must pay 8"),
    ("small_bets.json", "nobody can ever put in 0.5"),
    ("large_raises.json", "two players have 100 to put in at most"),
    ("bets.json", "bets: nobody can ever put in 1000000%"),
    ("times.json", "raises: nobody can ever put in 99x (at least 198) there, as two players have"),
    ("seat.json", "raises: nobody can ever put in +99"),
    ("holdem:hu(bets=1000000%,last_street=preflop)", "bets: nobody can ever put in 1000000%"),
    ("holdem:hu(bets=50%|50%|5000%)", "bets: nobody can ever put in 5000% (at least 100) there"),
    ("holdem:hu(raises=101x,last_street=preflop)", "nobody can ever put in 101x (at least 101)"),
    ("holdem:hu(stack=10+50,raises=11bb)", "nobody can ever put in 11 there, as two players have"),
    ("holdem:hu(bets=100bb)", "bets: nobody can ever put in 100 there, as two players have 99"),
    ("holdem:3max(stack=20,raises=3x|2x/2x/99%/30x)", "nobody can ever put in 30x (at least 30)"),
    ("holdem:3max(stack=20,raises=BTN:2.5x;900%)", "nobody can ever put in 900% (at least 37)"),
    ("no_payouts.json", "what each place is paid"),
    ("negative.json", '"payouts": this must be a number above 0, not -1'),
    ("holdem:hu(stack=0)", "above zero"),
    ("holdem:3max(stack=10+0+10)", "above zero"),
    ("holdem:hu(blinds=0+1)", "a small and a big one above zero"),
    ("holdem:hu(blinds=1)", "two amounts"),
    ("holdem:hu(stack=0.5)", "must pay 1 before the first card"),
    ("holdem:hu(raises=1bb)", "the least is 2"),
    ("holdem:6max(raises=UTG:3bb)", "says nothing about"),
    ("holdem:3max(raises=UTG:3bb;2bb)", "no seat of this table"),
    ("holdem:jamfold(payouts=-5)", "above zero"),
    ("holdem:jamfold(payouts=3+2+1)", "3 payouts for 2 players"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, table in FILES.items():
        (tmp_path / name).write_text(json.dumps(table))
    return tmp_path


@pytest.mark.parametrize(("game", "says"), GAMES)
def test_no_verb_takes_them(call, folder, game, says):
    before = set(os.listdir(folder))
    for words in (
        ("games", game),
        ("solve", game, "--save", "out"),
        ("blueprint", game, "--save", "out"),
        ("match", "uniform", "uniform", "--game", game, "--record", "out"),
        ("play", game),
    ):
        assert call(*words).refused(says)
    assert set(os.listdir(folder)) == before


def test_blueprints_of_other_tables_are_refused_before_hands_are_sorted(call, folder, monkeypatch):
    monkeypatch.setattr("counterfold.cli.blueprint.find_buckets", pytest.fail)
    cf.solve("kuhn", until=2, save="solved")
    game = fhp(deck="QKA", cap=1)
    solver = cf.Solver(BucketForm(game, every_hand(game)), "linear", "external")
    solver.step(1)
    solver.save("other")
    before = set(os.listdir(folder))
    for words, says in (
        (("--resume", "solved"), "no blueprint"),
        (("--resume", "other"), "other was made for"),
        (("--against", "other", "--rnr", "0.5", "--cards", "cards"), "other was made for"),
    ):
        assert call("blueprint", "holdem:hu", *words, "--save", "out").refused(says)
    assert set(os.listdir(folder)) == before


def test_buckets_and_blueprints_of_other_tables(call, folder):
    game, other = fhp(deck="QKA", cap=1), fhp(deck="JQK", cap=1)
    save_buckets("other", every_hand(other))
    Strategy.uniform(BucketForm(game, every_hand(game))).save("file")
    before = set(os.listdir(folder))
    words = ("blueprint", "fhp(deck=QKA,cap=1)", "--cards", "other", "--save", "out")
    assert call(*words).refused("deck")
    assert call("match", "file", "uniform", "--game", "holdem:hu", "--record", "out").refused(
        "another table than holdem"
    )
    assert call("blueprint", "holdem:hu", "--resume", "file", "--save", "out").refused("file")
    assert set(os.listdir(folder)) == before
