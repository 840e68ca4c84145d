"""Local best response: never better than the best one, and as good where one step is all."""

from __future__ import annotations

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import by_hand
from counterfold.abstraction.buckets import every_hand
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.play.lbr import local_best_response
from counterfold.poker.holdem import fhp, kuhn, leduc, one_card
from counterfold.tree.public import PublicTree

RIVER = {
    "board": "Ks 9h 6s 4d 2c", "pot": 20, "stack": 40, "oop": "QQ+,AK,T9s,87s",
    "ip": "JJ-88,AK,KQ,76s", "bets": ["50%", "100%"], "raises": ["60%"],
}  # fmt: skip


def best(strategy, player: int) -> float:
    return cf.best_response(strategy, player).value


def strategies(game):
    yield cf.Strategy.uniform(game)
    yield cf.Strategy.random(game, np.random.default_rng(4))
    yield cf.solve(game, until=cf.Until(iterations=30)).strategy


@pytest.mark.parametrize("kind", ["fold-call", "late", "all"])
@pytest.mark.parametrize(
    "game", [kuhn(), one_card(), leduc(), fhp(deck="KA", cap=1)], ids=lambda g: g.name
)
def test_it_never_beats_the_best_response(game, kind):
    some = list(strategies(game))
    for strategy in some[-1:] if game.name == "fhp" else some:
        found = local_best_response(strategy, kind=kind)
        assert found.exact
        for player in (0, 1):
            assert found.by_player[player] <= best(strategy, player) + 1e-6


@pytest.mark.parametrize("game", [kuhn(), one_card()], ids=lambda g: g.name)
def test_where_one_step_is_all_it_is_the_best_response(game):
    """The second player of these games decides once: what comes after it is a showdown."""
    for strategy in strategies(game):
        found = local_best_response(strategy, kind="all")
        assert found.by_player[1] == pytest.approx(best(strategy, 1), abs=1e-6)


def test_who_never_folds_is_called_down_for_its_equity():
    game = cf.spot({**RIVER, "bets": [], "raises": []})
    uniform = cf.Strategy.uniform(game)
    found = local_best_response(uniform, kind="all")
    assert found.by_player[0] == pytest.approx(cf.value(uniform), abs=1e-6)


@pytest.mark.parametrize("kind", ["fold-call", "all"])
def test_drawn_hands_agree_with_all_of_them(kind):
    strategy = cf.Strategy.uniform(leduc())
    exact = local_best_response(strategy, kind=kind)
    drawn = local_best_response(strategy, 1_200, kind, seed=2)
    assert not drawn.exact
    assert abs(drawn.value - exact.value) < 4 * drawn.error
    assert drawn.error < 0.2


def test_buckets_and_hands_are_gauged_alike():
    game = leduc()
    form = BucketForm(game, every_hand(game))
    coarse = cf.Strategy.random(form, np.random.default_rng(1))
    found = local_best_response(coarse, kind="all")
    tree = PublicTree(game, symmetry=False)
    assert found.by_player == pytest.approx(
        local_best_response(by_hand(coarse, tree), kind="all").by_player, abs=1e-6
    )


def test_a_river_spot():
    strategy = cf.Strategy.uniform(cf.spot(RIVER))
    found = local_best_response(strategy, kind="all")
    for player in (0, 1):
        assert found.by_player[player] <= best(strategy, player) + 1e-6
    assert found.value > 2


def test_other_games_and_words_are_refused():
    with pytest.raises(UnsupportedError, match="is for poker"):
        local_best_response(cf.Strategy.uniform(cf.Kuhn()))
    with pytest.raises(ParameterError, match="no local best response"):
        local_best_response(cf.Strategy.uniform(kuhn()), kind="some")
