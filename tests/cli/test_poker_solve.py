"""``counterfold solve`` for poker: spots, games with names, sizes, locks, and what it refuses."""

import json
import os
import re
import signal
import time

import pytest

from counterfold.cli.preferences import read_preferences
from counterfold.poker.spot import spot
from counterfold.strategy.strategy import Strategy
from tests.cli.conftest import spot_writer

SPOT = {
    "board": "Ks 9h 6s 4d 2c", "pot": 200, "stack": 300, "oop": "AA,KQs,QQ,76s",
    "ip": "KJs,TT-88,A5s:0.5", "bets": ["50%", "allin"], "raises": ["allin"], "big_blind": 10,
}  # fmt: skip
KEYS = {
    "game", "method", "bits", "iterations", "certified_at", "value", "values", "players", "pot",
    "evs", "exploitability", "nash_conv", "percent_of_pot", "mbb", "frequencies", "boards", "nodes",
    "histories", "infosets", "memory", "seconds", "cpu_seconds", "compile_seconds", "stopped",
    "promise", "trace",
}  # fmt: skip


@pytest.fixture
def river(tmp_path):
    return spot_writer(tmp_path, SPOT, "river.json")


def test_a_certificate(call, river):
    answer = call("solve", river())
    assert answer.code == 0
    assert re.search(r"value +oop [\d.]+ chips \([\d.]+% of the pot\), ip ", answer.out)
    assert re.search(r"exploitability +0\.[012]\d*% of the pot, [\d.]+ mbb/h \(exact\)", answer.out)
    assert re.search(r"first action +oop: check [\d.]+%, bet 100 ", answer.out)
    assert re.search(r"stopped +at the exploitability asked for \(0.3% of the pot", answer.out)
    assert "1 board" in answer.err  # told before it is built
    assert "\x1b" not in answer.out


def test_json_is_one_document(call, river):
    document = call("solve", river(), "--accuracy", "0.1%", "--json").document
    assert set(document) == KEYS
    assert document["percent_of_pot"] <= 0.1
    assert document["exploitability"] == pytest.approx(2 * document["percent_of_pot"])
    assert sum(document["evs"]) == pytest.approx(200)
    assert document["stopped"] == "exploitability"


def test_limits_and_settings(call, river):
    river()
    by_blinds = call("solve", "river.json", "--accuracy", "50 mbb", "--json").document
    assert by_blinds["mbb"] <= 50
    chips = call("solve", "river.json", "--exploitability", 3, "--json").document
    assert 0.5 < chips["exploitability"] <= 3
    half = call(
        "solve", "river.json", "--bits", 16, "--iterations", 60, "--method", "cfr+", "--json"
    )
    assert (half.document["bits"], half.document["iterations"]) == (16, 60)
    assert half.document["percent_of_pot"] < 2


def test_both_forms_of_a_game(call):
    public = call("solve", "leduc", "--form", "public", "--json", "--exploitability", 1e-4).document
    history = call("solve", "leduc", "--json", "--exploitability", 1e-4).document
    assert public["value"] == pytest.approx(history["value"], abs=2e-4)
    assert public["boards"] == 4
    assert "boards" not in history
    assert public["histories"] + 7 == 9457
    named = call("solve", "leduc:ses", "--form", "public", "--iterations", 5, "--json").document
    assert named["game"] == "leduc(raises=1+2)"
    assert call("solve", "fhp(cap=1,deck=QKA)", "--iterations", 3, "--json").document["mbb"] > 0


def test_the_size_is_told(call, river):
    answer = call("solve", river(), "--dry-run")
    assert "it fits" in answer.out
    assert "in 16 bits" in answer.out
    document = call("solve", "river.json", "--dry-run", "--json").document
    assert document["fits"]
    assert document["peak"] > 100 << 20 > document["bytes"]  # Python and the kernels count
    small = call("solve", "river.json", "--memory", document["bytes_in_16_bits"], "--quiet")
    assert small.refused("which fits")
    assert call("solve", "river.json", "--memory", "1k", "--quiet").refused("fewer bet sizes")
    assert call("games", "river.json", "--json").document["boards"] == 1


def test_save_and_resume(call, river, tmp_path):
    call("solve", river(), "--iterations", 20, "--save", "a.cf", "--every", 5)
    assert Strategy.load(tmp_path / "a.cf").about["iteration"] == 20
    document = call("solve", "--resume", "a.cf", "--iterations", 50, "--json").document
    whole = call("solve", "river.json", "--iterations", 50, "--json").document
    assert document["exploitability"] == whole["exploitability"]
    assert [at["iteration"] for at in document["trace"]][-1] == 50
    assert call("solve", "--resume", "a.cf", "--iterations", 9).refused("already at iteration 50")
    assert call("solve", "--resume", "a.cf", "--bits", 16).refused("bits 32", "--bits")
    assert call("solve", "--resume", "a.cf", "--method", "cfr").refused("method dcfr")
    assert call("solve", "--resume", "a.cf", "--prefer", "bet=2").refused("--prefer")
    assert call("solve", river("b.json", pot=100), "--resume", "a.cf").refused("leave the game out")
    call("solve", "river.json", "--resume", "a.cf", "--iterations", 60, "--quiet")
    assert Strategy.load(tmp_path / "a.cf").about["iteration"] == 60


def test_ctrl_c_saves(start, river, tmp_path):
    process = start("solve", river(), "--exploitability", 1e-9, "--save", "a.cf", "--every", 200)
    end = time.monotonic() + 60
    while not (tmp_path / "a.cf").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "counterfold solve --resume a.cf" in err
    assert sorted(os.listdir(tmp_path)) == ["a.cf", "river.json"]


def test_locks(call, river, tmp_path):
    (tmp_path / "locks.json").write_text('[{"at": "bet 100", "play": {"fold": 1}}]')
    river()
    plain = call("solve", "river.json", "--json").document
    held = call("solve", "river.json", "--locks", "locks.json", "--save", "a.cf", "--json").document
    assert held["evs"][0] > plain["evs"][0] + 20
    assert "With locks" in held["promise"]
    strategy = Strategy.load(tmp_path / "a.cf")
    betting = strategy.tree.game.betting
    bet = next(n for n in betting.children(0) if betting.label[n] == "bet 100")
    folds = strategy.hands.at(bet)[0]
    assert set(folds[strategy.tree.game.ranges[1] > 0].tolist()) == {1.0}
    within = river("held.json", locks=json.loads((tmp_path / "locks.json").read_text()))
    answer = call("solve", within)
    assert re.search(r"wishes +1 lock\n", answer.out)
    assert f"oop {held['evs'][0]:.6g} chips" in answer.out
    assert "with locks" in call("show", "a.cf").out.splitlines()[0]
    assert call("solve", "river.json", "--locks", "none.json").refused("none.json")
    (tmp_path / "locks.json").write_text('[{"at": "bet 90", "play": {"fold": 1}}]')
    assert call("solve", "river.json", "--locks", "locks.json").refused("bet 90", "bet 100")


@pytest.mark.parametrize(
    ("lock", "words"),
    [
        ({"at": "bet 90", "play": {"fold": 1}}, "\"at\": 'bet 90' is no action"),
        ({"at": "", "play": {"check": 1}, "hands": "QQ+,AKx"}, "\"hands\": 'AKx' at character 5"),
        ({"at": "bet 100", "play": {"jump": 1}}, "\"play\": 'jump' is no action"),
        ({"at": "bet 100", "as": "none.cf"}, '"as": there is no file none.cf'),
    ],
)  # fmt: skip
def test_a_wrong_lock_is_named_with_its_file(call, river, tmp_path, lock, words):
    locks = [{"at": "bet 100", "play": {"fold": 1}}, lock]
    (tmp_path / "locks.json").write_text(json.dumps(locks))
    river()
    answer = call("solve", "river.json", "--locks", "locks.json", "--dry-run")
    assert answer.refused(f"locks.json, lock 2, {words}")
    answer = call("solve", river("held.json", locks=locks))
    assert answer.refused(f'held.json, "locks", lock 2, {words}')


def test_locks_that_are_never_reached_are_shown_as_well(call, river, tmp_path):
    never = [
        {"at": "", "play": {"check": 1}},
        {"at": "bet 100, all-in 300", "play": {"fold": 1}},
    ]
    call("solve", river(locks=never), "--iterations", 5, "--save", "a.cf", "-q")
    assert call("show", "a.cf", "--json").document["frequencies"]["check"] == 1
    shown = call("show", "a.cf", "bet 100, all-in", "--hand", "QQ").out.splitlines()
    hands = [line.split() for line in shown if line.strip().startswith("Q")]
    assert len(hands) == 6
    assert {(fold, calls) for _, _, fold, calls, *_ in hands} == {("100.0%", "0.0%")}


def test_wishes(call, river):
    river()
    plain = call("solve", "river.json", "--accuracy", "0.1%", "--json").document
    more = call("solve", "river.json", "--prefer", "oop:bet=9", "--give-up", 5, "--json",
                "--iterations", 400).document  # fmt: skip
    assert more["frequencies"]["bet 100"] > plain["frequencies"]["bet 100"] + 0.05
    assert "AA" in call("solve", "river.json", "--prefer", "oop:bet@river[AA]=3").out
    for wish in ("bet", "bet=x", "him:bet=2", "bet@turn=2", "jump=2", "bet[ZZ]=2"):
        assert call("solve", "river.json", "-q", "--prefer", wish).refused()
    assert call("solve", "river.json", "--give-up", 1).refused("--prefer")


def test_a_wish_in_words():
    game = spot(SPOT)
    (found,) = read_preferences(["ip: call[JJ-22,AQ]=3"], game, {"give_up": 0.5}).preferences
    assert (found.place.hands, found.place.street) == ("JJ-22,AQ", None)
    assert found.place.player == 1
    (found,) = read_preferences(["all-in@river=2"], game, {}).preferences
    assert found.place.street == "river"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"board": "Ks 9h 6s 4d Ks"}, ["Ks comes twice"]),
        ({"board": "Ks 9h 6s 4d 2x"}, ["2x"]),
        ({"board": "Ks 9h"}, ["2 cards"]),
        ({"oop": ""}, ["oop", "empty"]),
        ({"oop": "QQ+,AKx"}, ["'AKx' at character 5"]),
        ({"ip": "Ks9h"}, ["leaves no hand"]),
        ({"pot": -3}, ["pot"]),
        ({"bets": ["50x"]}, ["50x"]),
    ],
)
def test_bad_spots(call, river, more, words):
    assert call("solve", river(**more)).refused("river.json", *words)


def test_bad_files_and_options(call, river, tmp_path):
    river()
    (tmp_path / "list.json").write_text("[1, 2]")
    (tmp_path / "broken.json").write_text('{"board": }')
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "odd.json").write_text("{}")
    assert call("solve", "none.json").refused("none.json")
    assert call("solve", "broken.json").refused("line 1, column 11")
    assert call("solve", "folder.json").refused("is a folder")
    assert call("solve", "odd.json").refused('"board"')
    assert call("solve", "list.json").refused("list.json")
    assert call("solve", "river.json", "--form", "history").refused("leave out --form")
    assert call("solve", "river.json", "--form", "tree").refused("must be history, public or deals")
    assert call("solve", "goofspiel", "--form", "public").refused("no public form")
    assert call("solve", "fhp(x=2)").refused("fhp takes cap")
    assert call("solve", "kuhn", "--accuracy", "1%").refused("poker with a pot")
    assert call("solve", "kuhn", "--bits", 16).refused("public tree")
    assert call("solve", "kuhn", "--accuracy", "many").refused("no number")
    assert call("solve", "river.json", "--accuracy", "0%").refused("no exploitability")
    assert call("solve", "river.json", "--bits", 8).refused("16 or 32")
    assert call("solve", "river.json", "--threads", 0).refused("--threads")
    assert call("solve", "river.json", "--seed", 1).refused("--seed")
    assert call("solve", "river.json", "--traversal", "external").refused("--traversal")
    assert call("solve", "river.json", "--method", "lp").refused("history form")
    assert call("solve", "river.json", "--method", "cfx").refused("cfx")
    assert call("solve", "river.json", "--every", 3).refused("--save")
    assert call("solve", "river.json", "--save", "list.json").refused("no strategy file")
    assert call("solve", "river.json", "--save", "no/where.cf").refused("no folder")


def test_help_names_the_method_and_all_keys(call):
    from counterfold.solvers.settings import POKER_METHOD

    words = " ".join(call("solve", "--help").out.split())
    assert f"for hold'em [{POKER_METHOD}]" in words
    for key in KEYS:
        assert key in words
