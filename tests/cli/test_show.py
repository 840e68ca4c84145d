"""``counterfold show``."""

import csv
import io
import os
import pty
import re
import subprocess
import sys

import pytest

from counterfold.cli.table import percent
from counterfold.solvers.methods import DEFAULT_METHOD
from tests.cli.conftest import environment


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory):
    from counterfold.games.onecard import Kuhn
    from counterfold.solvers.result import solve

    path = tmp_path_factory.mktemp("show") / "kuhn.cf"
    solve(Kuhn(), save=path)
    return path


@pytest.fixture(scope="module")
def leduc(tmp_path_factory):
    from counterfold.games.leduc import Leduc
    from counterfold.solvers.result import solve
    from counterfold.solvers.until import Until

    path = tmp_path_factory.mktemp("show") / "leduc.cf"
    solve(Leduc(), until=Until(iterations=100), save=path)
    return path


def test_all_infosets_with_their_names(call, kuhn):
    answer = call("show", kuhn)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0].startswith(f"kuhn, {DEFAULT_METHOD}, ")
    assert "exploitability" in lines[0]
    assert "player 1" in lines
    assert "player 2" in lines
    assert len([line for line in lines if line[:1] in "JQK" and line]) == 12
    king = next(line for line in lines if line.startswith("K | check bet"))
    assert king.split()[4:6] == ["-", "-"]
    assert king.split()[-1] in ("100.0%", ">99.9%")
    assert "\x1b" not in answer.out


def test_patterns_and_players(call, kuhn):
    answer = call("show", kuhn, "K*", "--player", 1)
    rows = [line for line in answer.out.splitlines() if line.startswith(("J", "Q", "K"))]
    assert [row.split("  ")[0] for row in rows] == ["K", "K | check bet"]
    assert "player 2" not in answer.out


def test_the_infoset_that_is_named_comes_first(call, kuhn):
    """Others have its name in theirs, such as J bet in Q | J bet."""
    answer = call("show", kuhn, "check bet", "--player", 1)
    assert [line[:1] for line in answer.out.splitlines() if "check bet" in line] == ["J", "Q", "K"]
    answer = call("show", kuhn, "Q | check bet")
    (row,) = (line for line in answer.out.splitlines() if line.startswith("Q"))
    assert row.startswith("Q | check bet")
    whole = call("show", "leduc", "K | check bet").out.splitlines()
    rows = [line.split("  ")[0] for line in whole if "K | check bet" in line]
    assert rows[0] == "K | check bet"
    assert len(rows) > 20


def test_sorted_by_name(call, kuhn):
    answer = call("show", kuhn, "--player", 2, "--sort", "name")
    names = [line.split("  ")[0] for line in answer.out.splitlines() if line[:1] in ("J", "Q", "K")]
    assert names == sorted(names)


def test_csv(call, kuhn, tmp_path):
    answer = call("show", kuhn, "--csv", "-")
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    assert len(rows) == 24
    assert rows[0].keys() == {"player", "infoset", "action", "probability"}
    filed = call("show", kuhn, "--csv", "out.csv")
    assert filed.out == ""
    assert (tmp_path / "out.csv").read_text() == answer.out
    assert os.listdir(tmp_path) == ["out.csv"]


def test_json(call, kuhn):
    document = call("show", kuhn, "Q", "--json").document
    assert document["game"] == "kuhn"
    assert document["about"]["method"] == DEFAULT_METHOD
    assert len(document["infosets"]) == 4
    for row in document["infosets"]:
        assert sum(row["actions"].values()) == pytest.approx(1)


def test_a_game_is_solved_first(call):
    answer = call("show", "kuhn", "--player", 1)
    assert "solving it first" in answer.err
    assert "K | check bet" in answer.out
    quiet = call("show", "kuhn", "--json", "--quiet")
    assert quiet.err == ""
    assert len(quiet.document["infosets"]) == 12


def test_a_file_needs_no_rules(call, tmp_path):
    from tests.cli.test_games import PENNIES

    (tmp_path / "mine.py").write_text(PENNIES)
    call("solve", "mine.py:Pennies", "--save", "p.cf", "--iterations", 10)
    (tmp_path / "mine.py").unlink()
    assert "my penny" in call("show", "p.cf").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nofile.cf"], ["nofile.cf"]),
        (["{kuhn}", "Z*"], ["'Z*'", "nearest"]),
        (["{kuhn}", "K | chek bet"], ["'K | check bet'"]),
        (["{kuhn}", "--player", "3"], ["--player is 3"]),
        (["{kuhn}", "--player", "0"], ["--player is 0"]),
        (["{kuhn}", "--limit", "-1"], ["--limit"]),
        (["{kuhn}", "--sort", "colour"], ["colour"]),
        (["{kuhn}", "--csv", "-", "--json"], ["--csv"]),
        (["{kuhn}", "--json", "--limit", "3"], ["--limit"]),
        (["{kuhn}", "--csv", "no/such/file.csv"], ["no/such"]),
        (["/"], ["folder"]),
    ],
)
def test_refused(call, kuhn, arguments, words):
    assert call("show", *(str(a).replace("{kuhn}", str(kuhn)) for a in arguments)).refused(*words)


def test_a_limit(call, leduc):
    answer = call("show", leduc, "--limit", 10)
    assert "player 1, 5 of 144 infosets" in answer.out
    assert "278 of 288 rows are left out" in answer.out
    assert "--limit 0" in answer.out
    assert "left out" not in call("show", leduc).out  # in a pipe everything is printed


def on_a_terminal(*arguments, columns=80):
    """What a person sees at a terminal of so many columns."""
    leader, follower = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "counterfold", *map(str, arguments)],
        stdin=follower, stdout=follower, stderr=follower, env=environment() | {"TERM": "xterm"},
    )  # fmt: skip
    os.close(follower)
    seen = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(leader)
    assert process.wait(timeout=60) == 0
    return seen.decode()


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_on_a_terminal(leduc, columns):
    seen = on_a_terminal("show", leduc, columns=columns)
    assert "\x1b[1m" in seen
    assert "--limit 0" in " ".join(seen.split())
    bare = re.sub(r"\x1b\[[0-9;]*m", "", seen)
    assert max(len(line) for line in bare.splitlines()) <= columns
    if columns == 120:
        assert "█" in bare


def test_percentages_never_look_certain_when_they_are_not():
    assert percent(1.0) == "100.0%"
    assert percent(1 - 1e-9) == ">99.9%"
    assert percent(1e-9) == "<0.1%"
    assert percent(0.0) == "0.0%"
    assert percent(0.12345) == "12.3%"
