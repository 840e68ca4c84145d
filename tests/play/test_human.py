"""A person's session: nothing but what a seat sees, and a way back that changes nothing."""

import json

import numpy as np
import pytest

import counterfold as cf
from counterfold.agent import Agent
from counterfold.errors import FileError, MismatchError
from counterfold.files.sealed import sealed
from counterfold.play.human import HumanAgent, Leave, Sitting, read_session
from counterfold.play.match import Match
from counterfold.play.record import read_record
from counterfold.tree.history import compile_game

HANDS = 40


@pytest.fixture(scope="module")
def kuhn():
    return compile_game(cf.Kuhn())


@pytest.fixture(scope="module")
def leduc():
    return compile_game(cf.Leduc())


def whim(seed):
    """Answers that depend on nothing but where they are asked for."""

    def ask(seen):
        rng = np.random.default_rng([seed, seen.hand, *seen.name.encode()])
        return seen.actions[rng.integers(len(seen.actions))]

    return ask


def seated(tree, *against, ask=None, seed=3):
    others = [cf.make_agent(name, tree) for name in against]
    return Sitting(tree, *others, ask=ask or whim(1), seed=seed, against=against)


def test_a_sitting_is_a_match_hand_by_hand(leduc):
    sitting = seated(leduc, "uniform")
    for _ in range(HANDS):
        sitting.deal()
    match = Match(leduc, HumanAgent(whim(1)), cf.make_agent("uniform", leduc), seed=3)
    assert match.play(HANDS).scores[0] == sitting.score
    assert [hand.number for hand in sitting.played] == list(range(HANDS))
    assert sitting.score.plain.mean * HANDS == pytest.approx(
        sum(hand.payoffs[hand.players.index(0)] for hand in sitting.played)
    )
    # Random moves against uniform ones: 3.4 to 4.0 times fewer hands, in four runs of 500 hands.
    assert sitting.score.factor > 2


class Leaver:
    """Gets up at a decision in the middle of a hand, when others have moved already."""

    def __init__(self, after):
        self.ask, self.after, self.asked = whim(1), after, 0

    def __call__(self, seen):
        self.asked += 1
        if self.asked > self.after and len(seen.name.split(" | ")) > 1:
            raise Leave
        return self.ask(seen)


@pytest.mark.parametrize("against", ["seocfr-iw", "dynamic(every=7)", "q(explore=0.3)", "uniform"])
def test_leaving_in_the_middle_of_a_hand_changes_nothing(kuhn, tmp_path, against):
    whole = seated(kuhn, against)
    for _ in range(HANDS):
        whole.deal()

    path, parts = tmp_path / "session.jsonl", 0
    sitting = seated(kuhn, against, ask=Leaver(10))
    while sitting.hands < HANDS:
        if sitting.deal() is None:
            sitting.write(path)
            parts += 1
            sitting = seated(kuhn, against, ask=Leaver(10 + parts))
            sitting.replay(read_session(path))
    assert parts >= 2
    assert sitting.played == whole.played
    assert sitting.score == whole.score
    if isinstance(sitting.agents[1], cf.Learner):
        for one, two in zip(sitting.agents[1].minds, whole.agents[1].minds, strict=True):
            assert np.array_equal(one, two)


def test_the_file_is_a_record_that_replays(leduc, tmp_path):
    sitting = seated(leduc, "random(seed=2)")
    for _ in range(HANDS):
        sitting.deal()
    sitting.write(tmp_path / "s.jsonl")
    assert read_record(tmp_path / "s.jsonl").replay()[0].plain == sitting.score.plain


def test_three_at_the_table(tmp_path):
    tree = compile_game(cf.Kuhn(players=3))
    sitting = seated(tree, "uniform", "random")
    players = [sitting.player]
    for _ in range(5):
        sitting.deal()
        players.append(sitting.player)
    assert players == [0, 2, 1, 0, 2, 1]
    assert [hand.players.index(0) for hand in sitting.played] == players[:-1]
    sitting.write(tmp_path / "s.jsonl")
    again = seated(tree, "uniform", "random")
    again.replay(read_session(tmp_path / "s.jsonl"))
    assert again.score == sitting.score


def test_trouble_in_asking_is_not_the_persons_fault(kuhn):
    def broken(seen):
        raise BrokenPipeError("nobody reads")

    sitting = seated(kuhn, "uniform", ask=broken)
    with pytest.raises(BrokenPipeError):
        sitting.deal()
    assert sitting.hands == 0
    assert not sitting.faults.any()


class Breaks(Agent):
    name = "breaks"

    def act(self, observation, rng):
        if "bet" in observation.name:
            raise RuntimeError("out of ideas")
        return observation.actions[0]


def test_a_failing_opponent_loses_the_hand_and_the_session_goes_on(kuhn, tmp_path):
    def bet(seen):
        return seen.actions[-1]

    def sit():
        return Sitting(kuhn, Breaks(), ask=bet, seed=1)

    sitting = sit()
    first = sitting.deal()
    assert [move.action for move in sitting.moves()] == ["bet"]
    second = sitting.deal()
    assert "RuntimeError: out of ideas" in first.fault.message
    assert first.events[2:] == ("bet",)
    assert [move.action for move in sitting.moves()] == list(second.events[2:])
    assert first.payoffs[0] > 0
    sitting.write(tmp_path / "s.jsonl")
    again = sit()
    again.replay(read_session(tmp_path / "s.jsonl"))
    assert again.score == sitting.score


def test_moves_and_view_follow_the_hand(leduc):
    looks = []

    def ask(seen):
        looks.append((seen.seen, sitting.view(seen.player), [m.action for m in sitting.moves()]))
        return seen.actions[0]

    sitting = seated(leduc, "uniform", ask=ask)
    for _ in range(20):
        hand = sitting.deal()
        said = [e for e in hand.events if e in ("check", "bet", "call", "raise", "fold")]
        assert [move.action for move in sitting.moves()] == said
    for seen, view, moves in looks:
        assert seen == view
        assert " ".join(moves) == " ".join(part for part in seen[1::2] if part)


def test_advice_is_what_the_strategies_say(leduc):
    sitting = seated(leduc, "random(seed=2)")
    seen = cf.Observation(1, ("K", "bet"), ("fold", "call", "raise"))
    advice = {one.who: one.odds for one in sitting.advice(seen)}
    strategy = sitting.agents[1].strategy
    best = cf.best_response(strategy, 1).strategy
    assert list(advice) == ["equilibrium", "random(seed=2)", "best against random(seed=2)"]
    assert advice["random(seed=2)"] == strategy.at("K", "bet", player=1)
    assert advice["best against random(seed=2)"] == best.at("K", "bet", player=1)
    assert advice["equilibrium"]["fold"] < 1e-3

    learner = seated(leduc, "deocfr").advice(seen)
    assert [one.who for one in learner] == ["equilibrium", "deocfr"]


def resumed(tree, path):
    session = read_session(path)
    seated(tree, *session.against, seed=session.seed).replay(session)


def edited(path, line, **changes):
    lines = path.read_text().splitlines()
    lines[line] = json.dumps(json.loads(lines[line]) | changes)
    path.write_bytes(sealed("\n".join(lines[:-1]).encode() + b"\n"))


def played(tree, path, against="uniform"):
    sitting = seated(tree, against)
    for _ in range(5):
        sitting.deal()
    sitting.write(path)


@pytest.mark.parametrize(
    ("line", "changes", "words"),
    [
        (2, {"events": ["K", "Z"]}, "hand 1.*possible are"),
        (2, {"events": ["K", "Q", "check", "check"]}, "hand 1 .* comes out otherwise"),
        (3, {"payoffs": [7.0, -7.0]}, "hand 2 .* comes out otherwise"),
        (2, {"hand": 4}, "lacks hand 1"),
        (1, {"players": [1, 0]}, "hand 0 .* comes out otherwise"),
        (0, {"seed": 4}, "comes out otherwise|possible are"),
        (0, {"human": None}, "match of programs"),
        (0, {"against": []}, "damaged"),
        (0, {"files": 3}, "files.* must be an object"),
        (1, {"events": 3}, "line 2"),
    ],
)
def test_files_that_were_tampered_with(kuhn, tmp_path, line, changes, words):
    path = tmp_path / "s.jsonl"
    played(kuhn, path)
    edited(path, line, **changes)
    with pytest.raises(FileError, match=words):
        resumed(kuhn, path)


def test_an_opponents_file_must_stay_what_it_was(kuhn, tmp_path):
    file, path = tmp_path / "villain.safetensors", tmp_path / "s.jsonl"
    cf.Strategy.uniform(kuhn).save(file)
    played(kuhn, path, str(file))
    seated(kuhn, str(file)).replay(read_session(path))
    cf.Strategy.random(kuhn, 1).save(file)
    with pytest.raises(MismatchError, match="no longer the file"):
        seated(kuhn, str(file)).replay(read_session(path))
