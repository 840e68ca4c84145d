"""What others wrote, and streams that are not what they should be: one sentence, or the answer."""

import csv
import io
import json
import os
import subprocess
import sys

import pytest

from counterfold.cli import games, output
from counterfold.cli.endings import MOST_SENTENCE
from counterfold.files.sealed import write_document
from tests.cli.conftest import environment

ESCAPES = "\x1b[2J\x9b31m\x07\r\u202e"
EVIL = f"evil{ESCAPES}$x_{{$ =1+1"


def unseen(text):
    """Whether a text has nothing that a terminal obeys, but the ends of lines."""
    return all(character == "\n" or character.isprintable() for character in text)


# Streams.


def run(redirection, *arguments, **extra):
    command = ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "counterfold"]
    return subprocess.run(
        [*command, *arguments],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
        env=environment() | extra,
        check=False,
    )


@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("solve", "--help"),
        ("games", "--json"),
    ],
)
def test_closed_streams(words):
    closed = run(">&-", *words)
    assert closed.returncode == 2
    assert closed.stderr == (
        "counterfold: standard output is closed; send it to /dev/null if nobody wants it\n"
    )
    whole = run("", *words)
    for redirection in ("2>&-", "<&-", "<&- 2>&-"):
        answer = run(redirection, *words)
        assert (answer.returncode, answer.stdout) == (0, whole.stdout)
    assert run("<&- >&- 2>&-", *words).returncode == 2
    full = run(">/dev/full", *words)
    assert (full.returncode, full.stderr) == (
        2,
        "counterfold: cannot go on: No space left on device\n",
    )


def test_a_closed_stream_is_no_place_for_a_file(tmp_path):
    """What is opened later must not get the number of a closed stream."""
    saved = tmp_path / "kuhn.safetensors"
    run("2>&- <&-", "solve", "kuhn", "--iterations", "20", "--save", str(saved))
    assert run("", "show", str(saved)).returncode == 0


def test_a_player_without_a_keyboard():
    answer = run("<&-", "play", "kuhn", "--hands", "1")
    assert answer.returncode == 2
    assert answer.stderr.endswith(
        "counterfold: standard input is closed, so that nobody can answer\n"
    )
    assert "Traceback" not in answer.stderr
    answer = run("</dev/null", "play", "kuhn", "--hands", "1")
    assert answer.returncode == 0
    assert "stopped" not in answer.stdout + answer.stderr


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize("how", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}, ASCII])
def test_letters_beyond_the_locale(tmp_path, how):
    game = tmp_path / "é♠.txt"
    game.write_text("  l r\nü 1 2\nd 0 3\n", encoding="utf-8")
    saved = tmp_path / "saved.safetensors"
    words = ("solve", str(game), "--iterations", "20", "--save", str(saved))
    answer = run("", *words, **how)
    if how is ASCII:
        assert answer.returncode == 2
        assert answer.stderr.count("\n") == 1
        assert "has bytes that are no letters in" in answer.stderr
        assert not saved.exists()
    else:
        assert answer.returncode == 0
        assert run("", "show", str(saved), **how).returncode == 0
    answer = run("", "solve", "lédúc", **how)
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1


def test_the_end_of_something_else_is_not_the_persons_wish(call, monkeypatch):
    def fail(*_, **__):
        raise EOFError("Ran out of input")

    monkeypatch.setattr(output, "print_json", fail)
    monkeypatch.setattr(games, "print_json", fail)
    answer = call("games", "--json")
    assert answer.code == 1
    assert answer.err.startswith("counterfold: this should not happen, EOFError")
    assert "stopped" not in answer.err


# Names.


@pytest.fixture
def evil(tmp_path):
    """A game in Gambit's format, whose names are commands to a terminal and to a spreadsheet."""
    name = EVIL.replace("\r", "")
    path = tmp_path / "evil.efg"
    path.write_text(
        f'EFG 2 R "{name}" {{ "=A{name}" "B" }}\n'
        f'p "" 1 1 "=i{name}" {{ "=h{name}" "-t{name}" }} 0\n'
        f'p "" 2 1 "@j{name}" {{ "+h{name}" "t{name}" }} 0\n'
        't "" 1 "" { 1, -1 }\nt "" 2 "" { 0, 0 }\n'
        'p "" 2 1 0\nt "" 2\nt "" 1\n',
        encoding="utf-8",
        newline="",
    )
    return path.name


def test_names_do_not_reach_the_terminal(call, evil):
    assert call("solve", evil, "--iterations", 20, "--save", "evil.safetensors").code == 0
    for words in (
        ("solve", evil, "--iterations", 20),
        ("show", evil),
        ("show", "evil.safetensors"),
        ("show", "evil.safetensors", EVIL),
        ("show", "evil.safetensors", "--csv", "-"),
        ("show", "evil.safetensors", "--json"),
        ("solve", evil, "--iterations", 20, "--json"),
        ("match", "evil.safetensors", "uniform", "--game", evil, "--hands", 20),
        ("match", EVIL, "uniform", "--game", evil, "--hands", 20),
        ("match", "uniform", "first", "--game", evil, "--hands", 9, "--record", "evil.jsonl"),
        ("replay", "evil.jsonl", "--hand", 3),
        ("style", evil, "--prefer", f"{EVIL}=2", "--iterations", 20),
        ("exploit", evil, "--model", "uniform"),
        ("games", EVIL),
        ("solve", EVIL),
        ("solve", f"{EVIL}.json"),
    ):
        answer = call(*words)
        assert answer.code in (0, 2), words
        assert unseen(answer.out + answer.err), words
        assert answer.code == 0 or answer.err.count("\n") == 1


def test_names_at_the_table(call, evil):
    answer = call("play", evil, "--hands", 2, "--quiet", input=f"{EVIL}\n1\n1\n1\nq\n")
    assert answer.code == 0
    assert unseen(answer.out + answer.err)


def test_names_are_data_in_json_and_text_in_csv(call, evil):
    document = call("show", evil, "--json").document
    names = [row["infoset"] for row in document["infosets"]]
    assert any("\x1b[2J" in name for name in names)
    assert any(name.startswith("@j") for name in names)
    table = list(csv.reader(io.StringIO(call("show", evil, "--csv", "-").out)))
    for _, infoset, action, probability in table[1:]:
        assert infoset[0] == "'"
        assert action[0] in "'t"
        assert 0 <= float(probability) <= 1


def test_names_are_no_formulas_in_a_picture(call, evil):
    pytest.importorskip("matplotlib")
    assert call("solve", evil, "--iterations", 20, "--plot", "evil.svg").code == 0
    os.rename(evil, "a$b_{$.efg")
    assert call("solve", "a$b_{$.efg", "--iterations", 20, "--plot", "evil.png").code == 0


def test_ours_are_the_only_colours(monkeypatch, capsys):
    monkeypatch.setattr(output, "on_terminal", lambda stream: stream is sys.stdout)
    monkeypatch.delenv("NO_COLOR", raising=False)
    output.say(output.styled(f"bold {ESCAPES}", "1") + ESCAPES + "\n")
    shown = capsys.readouterr().out
    assert shown.startswith("\x1b[1mbold \\x1b[2J\\x9b31m")
    assert shown.count("\x1b") == 2
    assert shown.count("\n") == 1


def test_tables_of_rich_do_not_obey_either(capsys):
    from rich.table import Table
    from rich.text import Text

    table = Table(EVIL)
    table.add_row(Text(EVIL))
    output.paint(table, Text(EVIL), EVIL)
    assert unseen(capsys.readouterr().out)


GAME = '''
from counterfold.games.base import Game
class {name}(Game):
    def chance(self, state): return []
    def root(self): return ()
    def turn(self, state): return -2 if state else 0
    def actions(self, state): return {actions}
    def next(self, state, action): return (action,)
    def observe(self, state, player): {observe}
    def payoff(self, state): {payoff}
'''  # fmt: skip


def test_the_words_of_a_failing_game(call, tmp_path):
    parts = {"name": "Bad", "actions": "[1, 2]", "observe": "return 1", "payoff": "return 1, -1"}
    wrong = {
        "observe": f"raise ValueError({ESCAPES!r} + 'x' * 10**6)",
        "payoff": "return {0: 1, 1: -1}",
        "actions": "iter(int, 1)",
    }
    for key, value in wrong.items():
        (tmp_path / "bad.py").write_text(GAME.format(**(parts | {key: value})))
        answer = call("solve", "bad.py:Bad", "--iterations", 5)
        assert answer.refused(key if key != "payoff" else "payoff must give a sequence")
        assert unseen(answer.err)
        assert len(answer.err) < MOST_SENTENCE + 100


# Numbers and lengths.


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "x" * 100_000),
        ("solve", "x " * 50_000),
        ("solve", f"leduc(ranks={'9' * 6000})"),
        ("solve", "kuhn", "--iterations", "9" * 6000),
        ("solve", "kuhn", "--iterations", "9" * 30),
        ("solve", "kuhn", "--memory", "9" * 400),
        ("solve", "kuhn", "--method", "x" * 10_000),
        ("show", "kuhn", "--limit", "9" * 6000),
        ("style", "kuhn", "--target", "bet@J=1e999999999"),
        ("style", "kuhn", "--target", f"bet@J={'9' * 400}"),
        ("match", "uniform", "uniform", "--game", "kuhn", "--hands", "9" * 400),
        ("match", "uniform", "uniform", "--game", "kuhn", "--seed", "9" * 400),
        ("curriculum", "cheat:mini", "--health", "9" * 6000),
        ("equity", "AA:" + "9" * 400, "KK"),
        ("report", "spot.json", "--flops", "9" * 6000),
        ("report", "spot.json", "--flops", "KsQs2d:" + "9" * 400),
    ],
)
def test_numbers_and_names_without_end(call, tmp_path, words):
    spot = {"pot": 20, "stack": 30, "oop": "AA", "ip": "QQ", "bets": ["75%"], "raises": []}
    (tmp_path / "spot.json").write_text(json.dumps(spot))
    answer = call(*words)
    assert answer.code == 2, answer
    assert answer.err.startswith("counterfold: ")
    assert answer.err.count("\n") == 1
    assert len(answer.err) < MOST_SENTENCE + 100


TEXTS = [
    "", "null", "[]", "1", '"x"', "[" * 5000, '{"a":' * 200, "NaN", "[1e999]", "9" * 500,
    b"\xff\xfe\x00", b"\xff", b"a\x00b", '{"pot": 1, "pot": 1}', "[1, 2", "\x1b[2J", '"\\ud800"',
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_files_of_nonsense(call, tmp_path, text):
    data = text if isinstance(text, bytes) else text.encode()
    for name in ("a.json", "a.txt", "a.efg"):
        (tmp_path / name).write_bytes(data)
    spot = {
        "board": "Ks 9h 6s 4d 2c", "pot": 20, "stack": 30, "oop": "AA", "ip": "QQ",
        "bets": ["75%"], "raises": [],
    }  # fmt: skip
    (tmp_path / "spot.json").write_text(json.dumps(spot))
    folder = tmp_path / "curriculum"
    folder.mkdir()
    (folder / "curriculum.json").write_bytes(data)
    for words in (
        ("solve", "a.json"),
        ("solve", "a.txt"),
        ("solve", "a.efg"),
        ("show", "a.json"),
        ("report", "a.json", "--flops", "2"),
        ("report", "spot.json", "--flops", "a.txt"),
        ("solve", "spot.json", "--lock", "a.json"),
        ("play", "a.json"),
        ("match", "uniform", "uniform", "--game", "a.json"),
        ("curriculum", "--resume", "curriculum"),
    ):
        answer = call(*words)
        assert answer.refused(), words
        assert unseen(answer.err), words


def test_a_curriculum_of_the_wrong_kinds(call, tmp_path):
    good = {
        "format": "counterfold curriculum 1",
        "games": ["cheat:mini(health=1)"],
        "iterations": [2],
        "settings": {"method": "cfr", "traversal": "full", "alternating": True, "seed": 0},
        "stages": [],
    }
    folder = tmp_path / "kept"
    folder.mkdir()
    for key, value in {
        "format": 1,
        "games": "cheat",
        "iterations": [True],
        "settings": [],
        "stages": [{"number": "one"}],
    }.items():
        write_document(folder / "curriculum.json", good | {key: value})
        assert call("curriculum", "--resume", "kept").refused(f'"{key}"')
