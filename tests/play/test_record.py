"""Records of hands: written whole, read back, replayed by the rules, and checked."""

from __future__ import annotations

import json
import resource
from dataclasses import replace

import pytest

import counterfold as cf
from counterfold.checkpoints import Checkpoints
from counterfold.errors import FileError
from counterfold.exploit.hands import read_hands
from counterfold.files.sealed import sealed
from counterfold.play.match import Match
from counterfold.play.record import Recorder, read_record
from counterfold.play.table import PlayedHand
from counterfold.poker.holdem import leduc as poker_leduc
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
        assert [s.mean for s in one.by_player] == pytest.approx([s.mean for s in two.by_player])


def test_records_that_say_seats_are_still_read(match_file):
    path, result = match_file
    lines = path.read_bytes().decode().splitlines(keepends=True)[:-1]
    path.write_bytes(sealed("".join(lines).replace('"players"', '"seats"').encode()))
    assert read_record(path).replay()[0].plain.mean == pytest.approx(result.scores[0].plain.mean)
    tree = compile_game(cf.Leduc())
    assert len(read_hands(path, tree).leaves) == 500


def test_poker_in_ranges_is_not_taken_for_the_history_game_of_its_name(tmp_path):
    path, game = tmp_path / "hands.jsonl", poker_leduc()
    agents = [cf.make_agent(name, game) for name in ("uniform", "random")]
    result = Match(game, *agents, seed=5).play(30, record=path)
    assert read_record(path).replay()[0].plain.mean == pytest.approx(result.scores[0].plain.mean)


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
    assert record.header.raw("seed") == 5


def spoil(path, number, change):
    lines = path.read_text().splitlines()
    hand = json.loads(lines[number])
    change(hand)
    lines[number] = json.dumps(hand)
    path.write_bytes(sealed("\n".join(lines[:-1]).encode() + b"\n"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda h: h["payoffs"].__setitem__(0, 99.0), "hand 2: it pays"),
        (lambda h: h["events"].__setitem__(0, "Zz"), "hand 2: event 1 is 'Zz'"),
        (lambda h: h["events"].pop(), "hand 2: the hand stops before its end"),
        (lambda h: h["events"].append("call"), "the game is over before it"),
        (lambda h: h.__setitem__("players", [0, 0]), "hand 2: the players"),
        (lambda h: h.pop("payoffs"), 'line 4: "payoffs" is missing'),
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
        with pytest.raises(FileError, match=r"no(t a)? record of hands|must be an object|missing"):
            read_record(path)
    with pytest.raises(FileError, match="there is no file"):
        read_record(tmp_path / "none.jsonl")


def test_nothing_is_left_of_a_match_without_hands(tmp_path):
    with Recorder(tmp_path / "hands.jsonl", {"game": "kuhn", "agents": []}):
        pass
    assert list(tmp_path.iterdir()) == []


def test_an_old_record_stays_until_the_new_one_is_whole(match_file):
    path, _ = match_file
    before = path.read_text()
    with Recorder(path, {"game": "kuhn", "agents": []}) as recorder:
        recorder.add(PlayedHand(0, (0, 1), ("J", "Q"), (1.0, -1.0)))
        assert path.read_text() == before
    assert path.read_text() != before


HAND = PlayedHand(0, (0, 1), ("J", "Q", "check", "check"), (-1.0, 1.0))
HEADER = {"game": "kuhn", "agents": ["one", "two"]}


def test_the_record_is_there_while_the_match_goes_on(tmp_path):
    path = tmp_path / "hands.jsonl"
    with Recorder(path, HEADER) as recorder:
        recorder._checkpoints = Checkpoints(recorder._publish, seconds=0)
        for number in range(3):
            recorder.add(replace(HAND, number=number))
        found = [hand.number for hand in read_record(path).hands()]
        assert found == list(range(len(found)))
        assert found
    assert len(list(read_record(path).hands())) == 3
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_leaves_the_last_whole_record(tmp_path):
    """A limit on the size of files stands in for the end of the disk."""
    path = tmp_path / "hands.jsonl"
    with Recorder(path, HEADER) as recorder:
        recorder.add(HAND)
    good = path.read_bytes()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(FileError, match=r"cannot write .*hands\.jsonl"):
            Match(cf.Kuhn(), *(uniform() for _ in range(2))).play(5_000, record=path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == good
    assert list(tmp_path.iterdir()) == [path]


def uniform():
    return cf.StrategyAgent(cf.Strategy.uniform(cf.Kuhn()))


def test_what_was_played_is_kept_when_an_agent_breaks_off(tmp_path):
    class Gone(cf.Agent):
        hands = 0

        def act(self, observation, rng):
            self.hands += 1
            if self.hands > 5:
                raise KeyboardInterrupt
            return observation.actions[0]

    path = tmp_path / "hands.jsonl"
    result = Match(cf.Kuhn(), Gone(), uniform()).play(50, record=path)
    assert result.stopped == "interrupted"
    assert len(list(read_record(path).hands())) == result.hands > 0
