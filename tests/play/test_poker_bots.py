"""Bots that play poker by rules."""

from __future__ import annotations

import numpy as np
import pytest

import counterfold as cf
from counterfold.agent import Observation
from counterfold.errors import ParameterError
from counterfold.play.bots import make_bot
from counterfold.play.poker_bots import laid_out
from counterfold.poker.cards import cards_name
from counterfold.poker.table import Holdem

NAMES = ("always-call", "always-fold", "tight", "loose", "maniac")


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_no_bot_breaks_the_rules(name, players):
    table = Holdem(players=players, stack=20)
    agents = [make_bot(name), *(make_bot("uniform") for _ in range(players - 1))]
    assert not any(cf.Match(table, *agents, seed=1).play(100).faults)


def test_who_always_folds_loses_its_blinds():
    match = cf.Match(Holdem(stack=100), make_bot("always-fold"), make_bot("maniac"), seed=1)
    result = match.play(400)
    small, big = result.scores[0].by_player
    assert small.mean == -0.5
    assert -1 <= big.mean < -0.8  # a maniac folds or calls the rest


def test_a_tight_bot_raises_aces_and_folds_rags():
    bot, rng = make_bot("tight"), np.random.default_rng(0)
    actions = ("fold", "call", "raise 3", "all-in 100")

    def acts(hole: str, board: str = "") -> str:
        return str(bot.act(Observation(0, (hole, board, ""), actions), rng))

    assert [acts("AsAh"), acts("7s2d"), acts("KsQs", "Kd 7h 2c")] == ["raise 3", "fold", "raise 3"]
    assert acts("JsTs", "9s 8s 2c") == "call"
    assert acts("4s3h", "Kd 9h Jc") == "fold"


def test_styles_differ_as_their_names_say():
    names, entered = ("fold", "call", "raise 3"), {}
    for name in NAMES[2:]:
        bot, rng = make_bot(name), np.random.default_rng(3)
        holes = [cards_name(map(int, rng.choice(52, 2, replace=False))) for _ in range(300)]
        acts = [bot.act(Observation(0, (hole, "", ""), names), rng) for hole in holes]
        entered[name] = sum(act != "fold" for act in acts) / len(acts)
    assert entered["tight"] < 0.35 < entered["loose"] < entered["maniac"]


@pytest.mark.parametrize("name", NAMES)
def test_a_bot_laid_out_over_a_spot_plays_as_it_does_at_a_table(name):
    spot = cf.spot(
        {
            "board": "Ks 9h 6s 4d",
            "pot": 20,
            "stack": 60,
            "oop": "QQ+,AKs,87s,T8s",
            "ip": "JJ,99,AK,JTs",
            "bets": ["50%", "100%"],
            "raises": ["allin"],
        }
    )
    agent, bot = cf.make_agent(name, spot), make_bot(name)
    asked = 0
    for player, hands in enumerate((("QcQd", "AhKh", "8s7s"), ("JcJd", "AsKd", "JsTs"))):
        for line in ("", "check", "bet 10", "check, bet 20", "check, check, [2c], check"):
            for hand in hands:
                try:
                    odds = agent.strategy.at(hand, line, player=player)
                except cf.CounterfoldError:
                    continue  # the other one decides there
                asked += 1
                board = "Ks 9h 6s 4d" + (" 2c" if "2c" in line else "")
                seen = Observation(player, (hand, board, line), tuple(odds))
                assert {a: p for a, p in odds.items() if p} == pytest.approx(bot.odds(seen))
    assert asked >= 12


def test_who_always_calls_is_exploited_and_other_games_are_refused():
    answer = cf.restricted_response(laid_out("always-call", cf.compile_game("leduc")), 0, 1.0)
    assert answer.winnings == pytest.approx(
        cf.best_response(cf.make_agent("always-call", "leduc").strategy, 0).value
    )
    assert answer.winnings > 1
    with pytest.raises(ParameterError, match="with betting"):
        cf.make_agent("always-call", "goofspiel(cards=3)")
    with pytest.raises(ParameterError, match="hold'em"):
        cf.make_agent("tight", "leduc")
