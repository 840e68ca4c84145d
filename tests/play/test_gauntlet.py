"""The gauntlet, and its ledger."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

import pytest

import counterfold as cf
from counterfold.abstraction.bucket_layout import BucketTables
from counterfold.agent import Observation
from counterfold.errors import FileError, MismatchError, ParameterError
from counterfold.play.blueprint import BlueprintAgent
from counterfold.play.bots import make_bot
from counterfold.play.gauntlet import OPPONENTS, add_to_ledger, gauntlet, read_ledger
from counterfold.play.poker_bots import laid_out
from counterfold.play.search_gain import search_gain
from counterfold.poker.table import Holdem
from tests.play.test_lbr import blueprint
from tests.play.test_search_gain import searcher


@pytest.fixture(scope="module")
def bouts():
    table, strategy = blueprint(stack=8)
    first = BlueprintAgent(strategy, name="first")
    opponents = [make_bot("always-fold"), make_bot("tight"), first]
    return list(gauntlet(table, [first], opponents, 40, 400, seed=1))


def test_each_opponent_is_met_with_luck_taken_out(bouts):
    assert [bout.opponent for bout in bouts] == ["always-fold", "tight"]
    assert [(bout.hands, bout.boards) for bout in bouts] == [(0, 400), (40, 0)]
    assert all(bout.reduced and bout.mbb_half > 0 for bout in bouts)
    assert set(OPPONENTS) == {"uniform", "always-call", "always-fold", "tight", "loose", "maniac"}


def test_boards_with_all_hands_say_what_a_match_does():
    table, strategy = blueprint(stack=8)
    first = BlueprintAgent(strategy, name="first")
    (bout,) = gauntlet(table, [first], [make_bot("always-call")], 2, 3000, seed=2)
    score = cf.Match(table, first, make_bot("always-call"), seed=3).play(300).scores[0].plain
    assert abs(bout.mbb / 1000 - score.mean) < 2 * score.half < 2
    assert bout.mbb_half < 1e-3  # neither looks at its cards, so boards do not matter


@pytest.mark.parametrize("name", ["always-call", "always-fold"])
def test_a_bot_over_buckets_does_what_it_does_at_the_table(name):
    _, strategy = blueprint(stack=8)
    tables, bot = BucketTables.of(laid_out(name, strategy.tree)), make_bot(name)
    betting = strategy.tree.game.betting
    for node in strategy.tree.nodes.tolist():
        seen = ("AhKd", "", "")
        odds = bot.odds(Observation(int(betting.player[node]), seen, betting.actions(node)))
        assert tables.rows(node).tolist() == [[odds.get(one, 0.0) for one in betting.actions(node)]]


def test_who_always_folds_pays_the_blinds():
    """Three quarters of a big blind, to one who always raises."""
    table, strategy = blueprint(stack=8)
    raising = strategy.layout.weighed(strategy.tables, lambda word: 1e6 ** ("a" in word[:2]))
    first = BlueprintAgent(cf.Strategy.of(strategy.tree, raising), name="raising")
    (bout,) = gauntlet(table, [first], [make_bot("always-fold")], 2, 40)
    assert bout.mbb == pytest.approx(750, abs=0.1)


def test_who_searches_wins_what_the_blueprint_does_and_more(monkeypatch):
    monkeypatch.setattr("counterfold.play.search_gain.ALWAYS", 1.0)
    agent = searcher()
    opponents = [make_bot("always-call"), agent.blueprint]
    first, both, alone = gauntlet(agent.own, [agent.blueprint, agent], opponents, 60, 200, seed=1)
    gains = [search_gain(agent, 6, other, seed=1).gain for other in (opponents[0], None)]
    assert (both.boards, both.lines, alone.boards, alone.lines) == (200, 6, 0, 6)
    assert both.mbb == pytest.approx(first.mbb + 1000 * gains[0].value)
    assert both.mbb_half == pytest.approx(math.hypot(first.mbb_half, 1000 * gains[0].half))
    assert alone.mbb == pytest.approx(1000 * gains[1].value)
    (again,) = gauntlet(agent.own, [agent], opponents[:1], 60, 200, seed=1)  # nobody before it
    assert again.mbb == pytest.approx(both.mbb)


def test_a_ledger_grows_line_by_line(bouts, tmp_path):
    path = tmp_path / "ledger.jsonl"
    for bout in (*bouts, bouts[0]):
        add_to_ledger(path, bout)
    assert read_ledger(path) == [*bouts, bouts[0]]
    lines = path.read_text().splitlines()
    assert set(json.loads(lines[0])) == {
        "when", "game", "agent", "opponent", "hands", "boards", "lines", "seed", "mbb", "mbb_half",
        "reduced", "faults",
    }  # fmt: skip
    before = {
        name: value for name, value in asdict(bouts[1]).items() if name not in ("boards", "lines")
    }
    path.write_text(json.dumps(before) + "\n")  # as matches were kept before there were boards
    assert read_ledger(path) == [bouts[1]]


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


def test_who_was_made_for_another_table_is_told_so_before_anybody_plays():
    (table, strategy), (_, deeper) = blueprint(stack=8), blueprint(stack=9)
    first, other = BlueprintAgent(strategy, name="first"), BlueprintAgent(deeper, name="deeper")
    met = gauntlet(table, [first], [make_bot("always-fold"), other], 40, 400)
    with pytest.raises(MismatchError, match="deeper was made for"):
        next(met)
