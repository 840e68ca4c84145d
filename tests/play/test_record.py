"""Records of hands: written whole, read back, replayed by the rules, and checked."""

from __future__ import annotations

import json

import pytest

import counterfold as cf
from counterfold.errors import FileError
from counterfold.play.match import Match
from counterfold.play.record import Recorder, read_record
from counterfold.tree.history import compile_game


@pytest.fixture
def match_file(tmp_path):
    tree = compile_game(cf.Leduc())
    agents = [cf.make_agent(name, tree) for name in ("deocfr", "random(seed=1)")]
    path = tmp_path / "hands.jsonl"
    result = Match(tree, *agents, seed=5).play(500, record=path)
    return path, result


def test_a_record_is_enough_to_score_the_match_again(match_file):
    path, result = match_file
    again = read_record(path).replay()
    for one, two in zip(again, result.scores, strict=True):
        assert one.name == two.name
        assert one.plain.mean == pytest.approx(two.plain.mean, abs=1e-12)
        assert one.plain.half == pytest.approx(two.plain.half, abs=1e-12)
        assert [s.mean for s in one.by_seat] == pytest.approx([s.mean for s in two.by_seat])


def test_a_record_of_duplicate_deals_too(tmp_path):
    tree = compile_game(cf.Leduc())
    agents = [cf.make_agent(name, tree) for name in ("uniform", "random(seed=1)")]
    path = tmp_path / "hands.jsonl"
    result = Match(tree, *agents, seed=5, duplicate=True).play(400, record=path)
    again = read_record(path).replay()[0]
    assert again.plain.half == pytest.approx(result.scores[0].plain.half, abs=1e-12)


def test_a_record_with_faults_is_replayed(tmp_path):
    class Wrong(cf.Agent):
        def act(self, observation, rng):
            return "fly"

    path = tmp_path / "hands.jsonl"
    result = Match(cf.Kuhn(), Wrong(), Wrong(), seed=5).play(10, record=path)
    assert read_record(path).replay()[0].plain.mean == result.scores[0].plain.mean
    assert all("may check, bet" in hand.fault.message for hand in read_record(path).hands())


def test_the_header_says_what_was_played(match_file):
    record = read_record(match_file[0])
    assert record.game == "leduc"
    assert record.agents == ("deocfr", "random(seed=1)")
    assert record.header["seed"] == 5


def spoil(path, number, change):
    lines = path.read_text().splitlines()
    hand = json.loads(lines[number])
    change(hand)
    lines[number] = json.dumps(hand)
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda h: h["payoffs"].__setitem__(0, 99.0), "hand 2: it pays"),
        (lambda h: h["events"].__setitem__(0, "Zz"), "hand 2: event 1 is 'Zz'"),
        (lambda h: h["events"].pop(), "hand 2: the hand stops before its end"),
        (lambda h: h["events"].append("call"), "the game is over before it"),
        (lambda h: h.__setitem__("seats", [0, 0]), "hand 2: the seats"),
        (lambda h: h.pop("payoffs"), "line 4: this is no recorded hand"),
    ],
)
def test_a_spoiled_record_is_told(match_file, change, told):
    path, _ = match_file
    spoil(path, 3, change)
    with pytest.raises(FileError, match=told):
        read_record(path).replay()


def test_other_files_are_no_records(tmp_path):
    path = tmp_path / "x.jsonl"
    for text in (
        "",
        "[]\n",
        '{"format": "other"}\n',
        "no json\n",
        '{"format": "counterfold hands 1"}',
    ):
        path.write_text(text)
        with pytest.raises(FileError, match="not a record of hands"):
            read_record(path)
    with pytest.raises(FileError, match="No such file"):
        read_record(tmp_path / "none.jsonl")


def test_nothing_is_left_of_a_match_without_hands(tmp_path):
    with Recorder(tmp_path / "hands.jsonl", {"game": "kuhn", "agents": []}):
        pass
    assert list(tmp_path.iterdir()) == []


def test_an_old_record_stays_until_the_new_one_is_whole(match_file):
    path, _ = match_file
    before = path.read_text()
    with Recorder(path, {"game": "kuhn", "agents": []}) as recorder:
        recorder.write("{}")
        assert path.read_text() == before
    assert path.read_text() != before
