"""``counterfold play``, driven by lines in a pipe and by keys in a pseudo-terminal."""

import contextlib
import io
import json
import os
import re
import select
import signal
import sys
import time
from collections import defaultdict

import numpy as np
import pytest
from typer.testing import CliRunner

import counterfold as cf
from counterfold.abstraction.drawn_engine import DrawnForm
from counterfold.cli.main import app
from counterfold.cli.play_keys import keys, meant
from counterfold.cli.play_screen import Screen
from counterfold.play.human import Sitting
from counterfold.poker.table import jam_or_fold
from counterfold.tree.history import compile_game
from tests.cli.conftest import Answer, environment


@pytest.fixture
def sit(monkeypatch, tmp_path):
    """Play in this process with these answers, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, answers=""):
        typed = "".join(f"{line}\n" for line in answers.split(","))
        result = CliRunner().invoke(app, ["play", *map(str, arguments)], input=typed)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Answer(result.exit_code, result.stdout, result.stderr)

    return run


KUHN = """\
kuhn against uniform (seed 1).
Type the key in brackets and Enter; ? is help, q leaves.

Hand 1: you are player 1, uniform is player 2
  Your card    K
  Betting      nothing yet
  Pot          2 (you 1, uniform 1)
  You may      [c]heck  [b]et
> b
  Betting      you bet, uniform fold
  Pot          3 (you 2, uniform 1)
  Result       You win 1
  Decisions    bet was right
  Score        +1 in 1 hand

Hand 2: uniform is player 1, you are player 2
  Your card    Q
  Betting      uniform bet
  Pot          3 (uniform 2, you 1); 1 to call
  You may      [f]old  [c]all
> c
  Betting      uniform bet, you call
  Pot          4 (uniform 2, you 2)
  Shown        uniform K, you Q
  Result       You lose 2
"""


def test_a_session_reads_like_this(sit):
    answer = sit("kuhn", "--against", "uniform", "--seed", 1, answers="b,c,q")
    assert answer.code == 0
    assert answer.out.startswith(KUHN)
    assert "-1 in 2 hands, -0.5 a hand" in answer.out.split("The score of this session")[1]
    assert "\033" not in answer.out


def test_the_end_of_the_input_is_quitting(sit):
    quitting = sit("kuhn", "--against", "uniform", "--seed", 1, answers="b,c,q")
    ended = sit("kuhn", "--against", "uniform", "--seed", 1, answers="b,c")
    assert ended.code == 0
    assert ended.out.split("session")[1] == quitting.out.split("session")[1]


def test_a_wrong_key_is_answered_by_one_line_and_changes_nothing(sit):
    answer = sit("kuhn", "--against", "uniform", "--seed", 1, answers="b,x,,9,c,q")
    possible = "[f]old  [c]all  [?] help  [q]uit"
    assert f"""\
> x
'x' is not possible here: {possible}
>{" "}
Nothing was chosen: {possible}
> 9
'9' is not possible here: {possible}
> c
  Betting      uniform bet, you call
""" in answer.out  # fmt: skip
    assert "-1 in 2 hands" in answer.out


def test_help_hint_and_score(sit):
    answer = sit("leduc", "--against", "uniform", "--seed", 2, answers="?,h,hint,score,q")
    assert answer.out.count("A pair with the board wins") == 2
    assert "Bets and raises are 2 in the first round and 4 in the second" in answer.out
    assert "uniform in your place: check 50%, bet 50%" in answer.out
    assert "best against uniform: " in answer.out
    assert "no hands yet" in answer.out
    assert "No hand was finished." in answer.out


ASK = """
import counterfold as cf
class Ask(cf.Game):
    players = 2
    def root(self): return ()
    def turn(self, state):
        return cf.TERMINAL if len(state) == 2 or "stop" in state else len(state)
    def chance(self, state): return []
    def actions(self, state): return ("go", "stop")
    def next(self, state, action): return (*state, action)
    def observe(self, state, player): return state
    def payoff(self, state): return (len(state), -len(state))
"""


def test_decisions_of_small_and_own_games_are_judged_by_their_exact_value(sit, tmp_path):
    kuhn = sit("kuhn", "--against", "uniform", "--seed", 1, "--hands", 2, answers="c,f")
    # A king wins 1.5 by a bet; by a check 1 or, as it plays on like its opponent, 0.5 on average.
    assert "Decisions    check cost 0.75 (bet was best)" in kuhn.out
    assert "Decisions    fold cost 1 (call was best)" in kuhn.out  # a queen wins as often as not
    (tmp_path / "ask.py").write_text(ASK)
    own = sit("ask.py:Ask", "--against", "uniform", "--seed", 1, "--hands", 6, answers="1," * 6)
    hands = own.out.split("Hand ")[1:]
    assert any("Decisions" in hand for hand in hands)
    for hand in hands:
        assert ("You may" in hand) == ("Decisions" in hand)  # nothing is left from the hand before


def test_hints_before_every_move(sit):
    answer = sit("kuhn", "--against", "random", "--seed", 2, "--hints", answers="1,1,1,1,1,q")
    assert answer.out.count("You may") == answer.out.count("Hint ") >= 4


def test_hands_ends_the_session(sit):
    answer = sit("kuhn", "--against", "uniform", "--hands", 3, "--seed", 1, answers="1," * 20)
    assert answer.code == 0
    assert answer.out.count("Result") == 3


def test_seats_of_one_opponent_for_all_and_of_several(sit):
    one = sit("kuhn(players=3)", "--against", "uniform", "--seed", 1, answers="q")
    assert "uniform is player 2, uniform #2 is player 3" in one.out
    two = sit(
        "kuhn(players=3)", "--against", "uniform", "--against", "random", "--seed", 1, answers="q"
    )
    assert "uniform is player 2, random is player 3" in two.out


def test_a_table_of_holdem_is_told_by_places_board_pot_and_stacks(sit):
    answer = sit("holdem:3max", "--against", "always-call", "--seed", 5, answers="r,c,c,c,q")
    assert "Hand 1: you are BTN, always-call is SB, always-call #2 is BB" in answer.out
    assert "Pot          1.5; 1 to call; behind: you 100, always-call 99.5" in answer.out
    called = "you raise 3.5, always-call call, always-call #2 call"
    told = re.search(rf"Board +(.+)\n +Betting +{called}, \[(.+)\], always-call check", answer.out)
    assert told
    assert told[1] == told[2]
    assert "Pot          10.5; behind: you 96.5, always-call 96.5" in answer.out
    assert re.search(r"Shown +you \w{4}, always-call \w{4}, always-call #2 \w{4}", answer.out)
    assert re.search(r"As BTN +[-+]\d", answer.out)


def test_keys():
    assert [key.key for key in keys(("queen", "heads", "tails"))] == ["1", "h", "t"]
    assert [key.key for key in keys(("claim heads", "claim tails"))] == ["1", "2"]
    assert meant("claim t", keys(("claim heads", "claim tails"))).name == "claim tails"
    assert meant("claim", keys(("claim heads", "claim tails"))) is None
    numbers = keys(("1", "3", "4"))
    assert [meant(text, numbers) and meant(text, numbers).name for text in "1234"] == [
        "1", None, "3", "4",
    ]  # fmt: skip
    bids = keys(("2x5", "2x6", "liar"))
    assert [meant(text, bids).name for text in ("2", "2x5", "l", "3")] == [
        "2x6", "2x5", "liar", "liar",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "hands"),
    [("kuhn(players=3)", 60), ("leduc", 120), ("liars_dice(sides=2)", 80), ("goofspiel", 120)],
)
def test_the_screen_shows_nothing_that_the_seat_does_not_see(spec, hands):
    """What is printed is a function of the person's own views, and of what is shown to all."""
    tree = compile_game(cf.load(spec))
    rng, views = np.random.default_rng(5), []
    texts, hidden = defaultdict(set), defaultdict(set)

    def note(known, out):
        texts[known].add(re.sub(r"Hand \d+|Score.*", "", out.getvalue()))
        hidden[known].add(sitting.here)

    def ask(seen):
        views.append(seen.name)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            screen.decision(seen.player, seen.seen, seen.actions)
        note((seen.player, *views), out)
        return seen.actions[rng.integers(len(seen.actions))]

    others = [cf.make_agent("uniform", tree) for _ in range(tree.players - 1)]
    sitting = Sitting(tree, *others, ask=ask, seed=1)
    screen = Screen(sitting)
    for _ in range(hands):
        views.clear()
        hand = sitting.deal()
        with contextlib.redirect_stdout(io.StringIO()) as out:
            screen.end(hand)
        player = hand.players.index(0)
        shown = sitting.game.shown(sitting.here)
        note((player, *views, "end", sitting.view(player), shown, hand.payoffs), out)
    assert max(map(len, hidden.values())) > 1  # else there was nothing to give away
    assert {len(told) for told in texts.values()} == {1}


def test_resume_goes_on_with_score_hands_and_learner(sit, tmp_path):
    how = ("kuhn", "--against", "seocfr-iw", "--seed", 5)
    whole = sit(*how, "--save", "whole.jsonl", "--hands", 8, answers="1," * 40)
    sit(*how, "--save", "part.jsonl", "--hands", 5, answers="1," * 40)
    left = sit("--resume", "part.jsonl", answers="q")
    assert "in 5 hands" in left.out
    assert "Hand 6" in left.out
    rest = sit("--resume", "part.jsonl", "--hands", 8, answers="1," * 40)
    assert (
        rest.out.split("session\n")[1].splitlines()[:3]
        == (whole.out.split("session\n")[1].splitlines()[:3])
    )
    assert (tmp_path / "part.jsonl").read_text() == (tmp_path / "whole.jsonl").read_text()
    assert "`counterfold play --resume part.jsonl`" in rest.out


def test_save_at_the_table(sit, tmp_path):
    how = ("kuhn", "--against", "uniform", "--seed", 1)
    answer = sit(*how, answers="b,save,save s.jsonl,c,save nowhere/s.jsonl,q")
    assert "Name a file" in answer.out
    assert "is saved in s.jsonl" in answer.out
    assert "there is no folder nowhere" in answer.out
    header, *hands, _ = map(json.loads, (tmp_path / "s.jsonl").read_text().splitlines())
    assert header["agents"] == ["you", "uniform"]
    assert [hand["payoffs"] for hand in hands] == [[1.0, -1.0], [2.0, -2.0]]
    assert "s.jsonl exists already" in sit(*how, answers="save s.jsonl,q").out


def test_nothing_is_saved_before_the_first_hand_is_over(sit, tmp_path):
    answer = sit("kuhn", "--against", "uniform", "--save", "s.jsonl", answers="q")
    assert answer.code == 0
    assert os.listdir(tmp_path) == []


def test_resuming_into_another_file_leaves_the_first_alone(sit, tmp_path):
    sit("kuhn", "--against", "uniform", "--seed", 1, "--save", "a.jsonl", answers="b,q")
    before = (tmp_path / "a.jsonl").read_bytes()
    sit("--resume", "a.jsonl", "--save", "b.jsonl", answers="c,q")
    assert (tmp_path / "a.jsonl").read_bytes() == before
    hands = before.splitlines()[:-1]  # but for the checksum
    assert (tmp_path / "b.jsonl").read_bytes().splitlines()[: len(hands)] == hands


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "which game"),
        (("kuhn", "--against", "nobody"), "no agent 'nobody'"),
        (("nothing",), "no game 'nothing'"),
        (("kuhn", "--hands", 0), "--hands"),
        (("kuhn", "--seed", -1), "--seed"),
        (("kuhn", "--against", "uniform", "--against", "random"), "a game for 2"),
        (("kuhn(players=3)", "--against", "seocfr-iw"), "games of two"),
        (("kuhn", "--save", "no/such/file"), "no folder"),
        (("kuhn", "--save", "old.jsonl"), "exists already"),
        (("--resume", "missing.jsonl"), "missing.jsonl"),
        (("--resume", "other.jsonl"), "not a record of hands"),
        (("leduc", "--resume", "old.jsonl"), "was played with the game kuhn"),
        (("--against", "random", "--resume", "old.jsonl"), "--against uniform"),
        (("--seed", 2, "--resume", "old.jsonl"), "--seed 1"),
        (("--hands", 1, "--resume", "old.jsonl"), "holds 1 already"),
        (("holdem:hu", "--alpha", "some"), "--alpha is from 0 to 1, or auto, not 'some'"),
    ],
)
def test_refusals(sit, tmp_path, arguments, words):
    sit("kuhn", "--against", "uniform", "--seed", 1, "--save", "old.jsonl", answers="b,q")
    (tmp_path / "other.jsonl").write_text("{}\n")
    assert sit(*arguments).refused(words)


def test_own_agents_that_fail_are_named(sit, tmp_path):
    (tmp_path / "bot.py").write_text(
        "class Bot:\n    def act(self, observation, rng):\n        return 'dance'\n"
    )
    answer = sit("kuhn", "--against", "bot.py:Bot", "--seed", 1, "--hands", 2, answers="1,1,1,1")
    assert answer.code == 0
    assert "Fault        Bot chose 'dance'" in answer.out
    assert answer.out.count("You win") == 2


def test_ctrl_c_tells_the_score_and_saves(start, tmp_path):
    import subprocess

    process = start(
        "play", "kuhn", "--against", "uniform", "--seed", 1, "--save", "s.jsonl",
        stdin=subprocess.PIPE,
    )  # fmt: skip
    process.stdin.write("b\n")
    process.stdin.flush()
    end = time.monotonic() + 90
    while not (tmp_path / "s.jsonl").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)
    time.sleep(0.2)  # the second hand is dealt, and the prompt stands
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "The score of this session" in out
    assert "+1 in 1 hand" in out
    assert err == (
        "counterfold: stopped after 1 hand; the session is saved in s.jsonl: go on with "
        "`counterfold play --resume s.jsonl`\n"
    )
    assert os.listdir(tmp_path) == ["s.jsonl"]


def test_a_terminal_gets_colours_and_lines_that_fit(tmp_path):
    pty = pytest.importorskip("pty")
    import fcntl
    import struct
    import subprocess
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    command = [sys.executable, "-m", "counterfold", "play", "kuhn", "--against", "uniform"]
    process = subprocess.Popen(
        [*command, "--seed", "1", "-q"],
        cwd=tmp_path,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment() | {"TERM": "xterm-256color", "NO_COLOR": ""},
    )
    os.close(slave)
    answers, out, end = ["?", "b", "q"], "", time.monotonic() + 90
    fresh = ""
    while time.monotonic() < end:
        if not select.select([master], [], [], 0.2)[0]:
            continue
        try:
            found = os.read(master, 4096).decode()
        except OSError:
            break
        if not found:
            break
        out, fresh = out + found, fresh + found
        if fresh.endswith("> ") and answers:
            os.write(master, f"{answers.pop(0)}\n".encode())
            fresh = ""
    os.close(master)
    assert process.wait(timeout=30) == 0, out
    assert "\033[32mYou win 1\033[0m" in out
    bare = re.sub(r"\033\[[0-9;]*m", "", out).replace("\r", "")
    assert max(map(len, bare.splitlines())) <= 60
    assert "> b\n  Betting" in bare  # typed once, not echoed again


def test_a_file_of_three_before_the_flop_is_played_against(sit, tmp_path):
    form = DrawnForm(jam_or_fold(players=3, stack=8).poker, deals=30)
    cf.solve(form, until=1, save=tmp_path / "three.cf")
    answer = sit("three.cf", "--seed", 1, answers="f,q")
    assert answer.told("against three.cf and three.cf #2", "As7d, BTN", "Result")
