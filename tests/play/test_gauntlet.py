"""The gauntlet, and its ledger."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from counterfold.errors import FileError, ParameterError
from counterfold.play.blueprint import BlueprintAgent
from counterfold.play.bots import make_bot
from counterfold.play.gauntlet import OPPONENTS, add_to_ledger, gauntlet, read_ledger
from counterfold.poker.table import Holdem
from tests.play.test_lbr import blueprint


@pytest.fixture(scope="module")
def bouts():
    table, strategy = blueprint(stack=8)
    first = BlueprintAgent(strategy, name="first")
    opponents = [make_bot("always-fold"), make_bot("tight"), first]
    return list(gauntlet(table, [first], opponents, 40, seed=1))


def test_each_opponent_is_met_with_luck_taken_out(bouts):
    assert [bout.opponent for bout in bouts] == ["always-fold", "tight"]
    assert all(bout.reduced and bout.hands == 40 and bout.mbb_half > 0 for bout in bouts)
    assert set(OPPONENTS) == {"uniform", "always-call", "always-fold", "tight", "loose", "maniac"}


def test_a_ledger_grows_line_by_line(bouts, tmp_path):
    path = tmp_path / "ledger.jsonl"
    for bout in (*bouts, bouts[0]):
        add_to_ledger(path, bout)
    assert read_ledger(path) == [*bouts, bouts[0]]
    lines = path.read_text().splitlines()
    assert set(json.loads(lines[0])) == {
        "when", "game", "agent", "opponent", "hands", "seed", "mbb", "mbb_half",
        "reduced", "faults",
    }  # fmt: skip


def test_what_is_no_ledger_stays_as_it_is(bouts, tmp_path):
    path = tmp_path / "mine.jsonl"
    good = json.dumps(asdict(bouts[0]))
    wrong = json.dumps({**asdict(bouts[0]), "mbb": "much"})
    for text in ('{"some": 1}\n', "words\n", "[1]\n", f"{good}\n{wrong}\n", good[:-9]):
        path.write_text(text)
        with pytest.raises(FileError):
            add_to_ledger(path, bouts[0])
        assert path.read_text() == text


def test_tables_of_three_have_none():
    with pytest.raises(ParameterError, match="tables of two"):
        list(gauntlet(Holdem(players=3), [], [], 10))
