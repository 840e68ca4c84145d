"""Gambit files: every feature of the format, OpenSpiel's reader as the oracle, and bad files."""

from __future__ import annotations

import re

import pytest

from counterfold.errors import FileError
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.games.efg import EfgGame
from counterfold.testing import check_game

PENNIES = """EFG 2 R "Matching pennies" { "Even" "Odd" }
"Odd does not see what Even hides."

p "" 1 1 "hide" { "heads" "tails" } 0
p "" 2 1 "guess" { "heads" "tails" } 0
t "" 1 "same" { 1, -1 }
t "" 2 "different" { -1, 1 }
p "" 2 1 0
t "" 2
t "" 1
"""

SIGNAL = """EFG 2 R "A seller who knows the quality" { "Seller" "Buyer" }
c "ROOT" 1 "quality" { "good" 1/3 "bad" 2/3 } 0
p "" 1 1 "good" { "dear" "cheap" } 0
p "" 2 1 "dear" { "buy" "leave" } 0
t "" 1 "a" { 4.5 1.500000 }
t "" 2 "b" { 0 0 }
p "" 2 2 "cheap" { "buy" "leave" } 0
t "" 3 "c" { 1 5 }
t "" 2
p "" 1 2 "bad" { "dear" "cheap" } 0
p "" 2 1 "dear" { "buy" "leave" } 0
t "" 4 "d" { 5 -4 }
t "" 2
p "" 2 2 "cheap" { "buy" "leave" } 0
t "" 5 "e" { 2 -1 }
t "" 2
"""

# Three players, outcomes on the way, infosets and events declared once, all sorts of numbers.
EVERYTHING = r"""EFG 2 D "The \"whole\" format" {"One" , "Two" "Three"} "C:\games
over two lines"
c "start" 7 "coin" { "heads" .5, "tails" 5e-1 } 4 "ante" { -1, -1 -1 }
p "" 1 12 "" { "" "raise" "" } 0 p "" 2 3 "same" { "a" "a" } 1 "stage" {1e1 -2.5E-1, +3}
    t "" 2 "end" { 1/3, -2/3 .75 }
    t "" 2
  p "" 2 9 "same" { "x" } 1
    t "" 0
  t "" 2
c "" 7 0
  p "" 3 1 "infoset 2" { "l" "r" } 0
    p "" 3 2 "" { "l" "r" } 0 t "" 2 t "" 2
    t "" 0
  p "" 1 12 0
    t "" 0 t "" 0 t "" 2
"""


def expected_value(game):
    """Everybody plays uniformly; a stack of (state, probability), no recursion."""
    total, stack = [0.0] * game.players, [(game.root(), 1.0)]
    while stack:
        state, probability = stack.pop()
        turn = game.turn(state)
        if turn == TERMINAL:
            for player, payoff in enumerate(game.payoff(state)):
                total[player] += probability * payoff
        elif turn == CHANCE:
            stack.extend((game.next(state, a), probability * p) for a, p in game.chance(state))
        else:
            names = game.actions(state)
            stack.extend((game.next(state, a), probability / len(names)) for a in names)
    return total


def test_pennies():
    game = EfgGame.parse(PENNIES)
    assert (game.title, game.players, game.player_names) == ("Matching pennies", 2, ("Even", "Odd"))
    root = game.root()
    assert game.turn(root) == 0
    assert list(game.actions(root)) == ["heads", "tails"]
    guesses = [game.next(root, side) for side in ("heads", "tails")]
    assert [game.turn(state) for state in guesses] == [1, 1]
    assert [game.observe(state, 1) for state in guesses] == ["guess", "guess"]
    payoffs = [game.payoff(game.next(s, a)) for s in guesses for a in game.actions(s)]
    assert payoffs == [(1, -1), (-1, 1), (-1, 1), (1, -1)]


def test_every_feature():
    game = EfgGame.parse(EVERYTHING)
    assert game.title == 'The "whole" format'
    assert game.players == 3
    assert game.chance(0) == [("heads", 0.5), ("tails", 0.5)]
    first = game.next(0, "heads")
    assert list(game.actions(first)) == ["1", "raise", "3"]
    assert game.observe(first, 0) == "infoset 12"
    twins = game.next(first, "1")
    assert list(game.actions(twins)) == ["a #1", "a #2"]
    assert game.observe(twins, 1) == "infoset 3"
    assert game.observe(game.next(first, "raise"), 1) == "infoset 9"
    ante_stage_end = (-1 + 10 + 1 / 3, -1 - 0.25 - 2 / 3, -1 + 3 + 0.75)
    assert game.payoff(game.next(twins, "a #2")) == pytest.approx(ante_stage_end)
    assert game.payoff(game.next(game.next(first, "raise"), "x")) == pytest.approx((9, -1.25, 2))
    again = game.next(0, "tails")
    assert game.chance(again) == game.chance(0)
    third = game.next(again, "heads")
    assert game.observe(third, 2) == "infoset 1"  # its name is what infoset 2 is called
    assert game.observe(game.next(third, "l"), 2) == "infoset 2"
    assert game.observe(game.next(again, "tails"), 0) == "infoset 12"
    assert game.observe(third, 0) is None  # nothing is told of those who do not move


def test_decimals_of_a_third_are_rescaled():
    text = 'EFG 2 R "" { "A" } c "" 1 "" { "x" .333333 "y" .333333 "z" .333333 } 0'
    game = EfgGame.parse(text + ' t "" 0' * 3)
    assert [p for _, p in game.chance(0)] == pytest.approx([1 / 3] * 3, abs=1e-15)


def test_impossible_chance_outcomes_are_left_out():
    game = EfgGame.parse('EFG 2 R "" { "A" } c "" 1 "" { "x" 0 "y" 1 } 0 t "" 0 t "" 1 "" { 8 }')
    assert game.chance(0) == [("y", 1.0)]
    assert game.payoff(game.next(0, "y")) == (8.0,)


def spelled_out(text):
    """The same file with every description repeated: OpenSpiel's reader needs them."""
    told = {}
    lines = []
    for line in text.splitlines():
        start = re.match(r't "" \d+|p "" \d+ \d+', line)
        if start:
            line = told.setdefault(start[0], line)
        lines.append(line)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("text", [PENNIES, SIGNAL])
def test_openspiel_reads_the_same_game(text, tmp_path):
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy
    from open_spiel.python.algorithms import expected_game_score

    path = tmp_path / "game.efg"
    path.write_text(spelled_out(text))
    ours, theirs = EfgGame.from_file(path), pyspiel.load_game(f"efg_game(filename={path})")
    assert expected_value(EfgGame.parse(text)) == expected_value(ours)
    value = expected_game_score.policy_value(
        theirs.new_initial_state(), [policy.UniformRandomPolicy(theirs)] * 2
    )
    assert expected_value(ours) == pytest.approx(list(value), abs=1e-12)

    pairs = [(ours.root(), theirs.new_initial_state())]
    infosets = set()
    while pairs:
        state, native = pairs.pop()
        if native.is_terminal():
            assert list(ours.payoff(state)) == pytest.approx(native.returns())
            continue
        ids = native.legal_actions()
        turn = native.current_player()
        assert ours.turn(state) == turn
        names = list(ours.actions(state))
        assert names == [native.action_to_string(turn, action) for action in ids]
        if turn == CHANCE:
            assert [p for _, p in ours.chance(state)] == pytest.approx(
                [p for _, p in native.chance_outcomes()]
            )
        else:
            infosets.add((turn, ours.observe(state, turn), native.information_state_string(turn)))
        pairs.extend(
            (ours.next(state, n), native.child(a)) for n, a in zip(names, ids, strict=True)
        )
    assert len({(turn, seen) for turn, seen, _ in infosets}) == len(infosets)
    assert len({(turn, seen) for turn, _, seen in infosets}) == len(infosets)


def test_openspiel_writes_what_we_read(tmp_path):
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms.gambit import export_gambit

    from counterfold.games.openspiel import OpenSpielGame

    for text in ("kuhn_poker", "liars_dice(numdice=1,dice_sides=2)"):
        path = tmp_path / "written.efg"
        path.write_text(export_gambit(pyspiel.load_game(text)))
        written, direct = EfgGame.from_file(path), OpenSpielGame(text)
        assert expected_value(written) == pytest.approx(expected_value(direct), abs=1e-9)


def test_deep_trees_need_no_recursion():
    depth = 20_000
    step = 'p "" 1 1 "go" { "on" "out" } 1 "cost" { -1 }\n'
    text = 'EFG 2 R "Deep" { "A" }\n' + step * depth + 't "" 0\n' * (depth + 1)
    game = EfgGame.parse(text)
    state = game.root()
    for _ in range(depth):
        state = game.next(state, "on")
    assert game.payoff(state) == (-depth,)


def test_files_of_other_encodings(tmp_path):
    text = 'EFG 2 R "Zürich" { "Ä" }\r\nt "" 0\r\n'
    for encoding in ("utf-8", "utf-8-sig", "latin-1"):
        path = tmp_path / f"{encoding}.efg"
        path.write_bytes(text.encode(encoding))
        game = EfgGame.from_file(path)
        assert (game.title, game.player_names) == ("Zürich", ("Ä",))
        assert str(game) == str(path)


HEAD = 'EFG 2 R "t" { "A" "B" }\n'


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "expected 'EFG' at the start, but found the end of the file"),
        ("NFG 1 R", 1, "expected 'EFG' at the start, but found 'NFG'"),
        ("EFG 3 R", 1, "expected format version 2, but found '3'"),
        ("EFG 2\nX", 2, "expected 'R' or 'D' after the version, but found 'X'"),
        ("EFG 2 R title", 1, "expected the title in quotes, but found 'title'"),
        ('EFG 2 R "t"\n\n"A"', 3, "expected '{' to open the list of players"),
        ('EFG 2 R "t" { "A" 2 }', 1, "expected a name in quotes or '}', but found '2'"),
        ('EFG 2 R "t" { } t "" 0', 1, "expected at least one player"),
        ('EFG 2 R "t', 1, "expected a closing quotation mark"),
        (HEAD + 'x "" 0', 2, "expected a node that starts with c, p or t, but found 'x'"),
        (HEAD, 2, "expected a node that starts with c, p or t, but found the end"),
        (HEAD + "t 0", 2, "expected the node's name in quotes, but found '0'"),
        (HEAD + 'p "" 3 1 "" { "l" } 0', 2, "expected the player's number, a whole number from 1"),
        (HEAD + 'p "" 1 0 "" { "l" } 0', 2, "expected the infoset's number, a whole number from 1"),
        (HEAD + 'p "" 1 1.5 "" { "l" } 0', 2, "expected the infoset's number"),
        (HEAD + 'p "" 1 1 0', 2, "expected the actions of infoset 1, not told so far"),
        (HEAD + 'p "" 1 1 "" { } 0', 2, "expected at least one action of infoset 1"),
        (HEAD + 'p "" 1 1 "" { "l" }\nt "" 0', 3, "expected the outcome's number"),
        (
            HEAD + 'p "" 1 1 "" { "l" } 0\np "" 1 1 "" { "m" } 0\nt "" 0',
            3,
            "expected the same actions as before in infoset 1, but found others",
        ),
        (HEAD + 'c "" 1 "" { "l" 1/2 "r" 1/3 } 0', 2, "expected probabilities that sum to one"),
        (HEAD + 'c "" 1 "" { "l" -1 "r" 2 } 0', 2, "expected a probability between 0 and 1"),
        (HEAD + 'c "" 1 "" { "l" "r" } 0', 2, 'expected its probability, but found "r"'),
        (HEAD + 'c "" 1 0', 2, "expected the actions of chance event 1, not told so far"),
        (
            HEAD + 'c "" 1 "" { "l" 1 } 0\nc "" 1 "" { "m" 1 } 0',
            3,
            "expected the same actions as before in chance event 1",
        ),
        (HEAD + 't "" -1', 2, "expected the outcome's number, a whole number from 0"),
        (HEAD + 't "" 1', 2, "expected the payoffs of outcome 1, not told so far"),
        (HEAD + 't "" 0 "n" { 1 1 }', 2, "expected no name and no payoffs for outcome 0"),
        (HEAD + 't "" 1 "n" { 1 }', 2, "expected 2 payoffs in outcome 1, but found 1"),
        (HEAD + 't "" 1 "n" { 1 one }', 2, "expected a payoff or '}', but found 'one'"),
        (HEAD + 't "" 1 "n" { 1 1/0 }', 2, "expected a finite number, but found '1/0'"),
        (HEAD + 't "" 1 "n" { 1 1e999 }', 2, "expected a finite number, but found '1e999'"),
        (HEAD + 't "" 1 "n" { 1 nan }', 2, "expected a payoff or '}', but found 'nan'"),
        (HEAD + 't "" 1 "n" { 1 2', 2, "expected a payoff or '}', but found the end of the file"),
        (
            HEAD + 'p "" 1 1 "" { "l" "r" } 1 "" { 1 2 }\nt "" 1 "" { 1 3 }\nt "" 1',
            3,
            "expected the same payoffs as before in outcome 1, but found others",
        ),
        (HEAD + 'p "" 1 1 "" { "l" "r" "s" } 0\nt "" 0\n', 4, "expected 2 more nodes of the tree"),
        (HEAD + 't "" 0\nt "" 0', 3, "expected nothing more after the last node of the tree"),
    ],
)
def test_bad_files_are_one_sentence_with_the_line(text, line, says, tmp_path):
    path = tmp_path / "bad.efg"
    path.write_text(text)
    with pytest.raises(FileError, match=r"\w") as caught:
        EfgGame.from_file(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, line {line}: {says}"), message
    assert "\n" not in message
    assert message.endswith(".")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        EfgGame.from_file(tmp_path / "none.efg")
    with pytest.raises(FileError, match="is a folder"):
        EfgGame.from_file(tmp_path)
    noise = tmp_path / "noise.efg"
    noise.write_bytes(bytes(range(256)) * 4)
    with pytest.raises(FileError, match="line 1"):
        EfgGame.from_file(noise)


@pytest.mark.parametrize("text", [PENNIES, SIGNAL, EVERYTHING])
def test_the_contract_of_games_holds(text):
    assert check_game(EfgGame.parse(text)).complete
