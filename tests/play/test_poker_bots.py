"""Bots that play poker by rules."""

from __future__ import annotations

import numpy as np
import pytest

import counterfold as cf
from counterfold.agent import Observation
from counterfold.play.bots import make_bot
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
