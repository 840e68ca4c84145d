"""Poker cut behind its first street, held to the same game as histories."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import by_hand
from counterfold.abstraction.bucket_matrix import winnings
from counterfold.abstraction.buckets import every_hand, starting_hands
from counterfold.abstraction.edge import class_names, cut_poker
from counterfold.abstraction.edge_betting import EdgeForm
from counterfold.abstraction.edge_values import (
    all_boards,
    class_mass,
    class_wins,
    drawn_boards,
    edge_values,
)
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.evaluate.exact import assess
from counterfold.poker.cards import parse_hole
from counterfold.poker.game import PokerGame
from counterfold.poker.holdem import fhp, kuhn, leduc
from counterfold.searchers.edge import depth_limited
from counterfold.strategy.continuations import continuations
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree


def lossless(game: PokerGame, seed: int = 0) -> Strategy[BucketForm]:
    return Strategy.random(BucketForm(game, every_hand(game)), seed)


def tables(blueprint: Strategy[BucketForm], count: int = 4) -> dict[str, np.ndarray]:
    every = continuations(blueprint)
    return {name: one.tables[0] for name, one in list(every.items())[:count]}


def test_leduc_is_cut_as_its_histories_are() -> None:
    blueprint = Strategy.uniform(BucketForm(leduc(), every_hand(leduc())))
    cut = cut_poker(edge_values(blueprint.tree, tables(blueprint), all_boards(leduc())))
    even = Strategy.uniform(cf.Leduc())
    other = depth_limited(even.tree, continuations(even)).tree
    one, two = cf.solve(cut.tree, "lp"), cf.solve(other, "lp")
    assert one.value == pytest.approx(two.value, abs=1e-6)
    assert cut.tree.infosets.labels[0] == "Jh"
    assert cut.tree.infosets.labels[-1] == "Ks | check, bet, raise, call | edge"


@pytest.mark.parametrize("game", [leduc(), fhp(cap=2, deck="QKA")], ids=["leduc", "fhp"])
def test_a_trunk_is_worth_in_the_cut_game_what_it_is_in_the_whole_one(game: PokerGame) -> None:
    blueprint = lossless(game)
    cut = cut_poker(edge_values(blueprint.tree, tables(blueprint, 1), all_boards(game)))
    trunk = Strategy.random(cut.tree, 5)
    whole = by_hand(cut.complete(trunk, blueprint), PublicTree(game, symmetry=False))
    assert assess(trunk).values == pytest.approx(assess(whole).values, abs=1e-5)


@pytest.mark.parametrize("count", [1, 4])
def test_cut_strategies_play_each_other_over_buckets(count: int) -> None:
    """All holes on drawn boards tell what the cut game's own values are, seat by seat."""
    blueprint = lossless(leduc(), 3)
    held = tables(blueprint, count)
    cut = cut_poker(edge_values(blueprint.tree, held, all_boards(leduc())))
    one, two = (Strategy.random(cut.tree, seed) for seed in (1, 2))

    def first(*both: Strategy) -> float:
        return assess(Strategy(one.layout, one.layout.combine([s.tables for s in both]))).values[0]

    form = EdgeForm(blueprint.tree, held)
    found = winnings([cut.over_buckets(each, form) for each in (one, two)], 4_000, seed=1)
    wanted = (first(one, two) - first(two, one)) / 2
    assert abs(wanted) > 0.04
    assert abs(found.wins[0, 1] - wanted) < 4 * found.error[0, 1] < 0.04


def test_luck_is_taken_out_without_bias() -> None:
    game = leduc()
    blueprint = lossless(game, 3)
    exact, off = edge_values(blueprint.tree, tables(blueprint, 1), all_boards(game)), []
    for wins in (None, class_wins(blueprint.tree, all_boards(game))):
        boards = drawn_boards(game, 200, seed=1)
        found = edge_values(blueprint.tree, tables(blueprint, 1), boards, wins=wins)
        met = exact.mass > 0
        off.append(np.abs(found.value - exact.value)[:, 0, :, 0][:, met].mean())
    assert off[1] < 0.75 * off[0]


def test_drawn_boards_come_to_the_exact_values() -> None:
    game = leduc()
    blueprint = lossless(game, 3)
    exact = edge_values(blueprint.tree, tables(blueprint), all_boards(game))
    drawn = edge_values(blueprint.tree, tables(blueprint), drawn_boards(game, 1500, seed=1))
    met = exact.mass > 0
    difference = np.abs(drawn.value - exact.value).transpose(0, 1, 3, 2, 4)[..., met]
    # Pots hold up to 26 chips, and a pair of hands sees about 1,000 of the boards.
    assert difference.max() < 6 * 13 / 1000**0.5
    assert drawn.boards == 1500


def test_classes_are_dealt_as_hands_are() -> None:
    form = BucketForm(fhp(deck="QKA"), every_hand(fhp(deck="QKA")))
    mass = class_mass(form)
    assert mass.sum() == pytest.approx(1)
    assert (np.diag(mass) == 0).all()
    assert np.count_nonzero(mass) == 66 * 45  # pairs of twelve cards, then of the ten left


def test_starting_hands_have_their_names() -> None:
    names = class_names(SimpleNamespace(game=fhp(), buckets=(starting_hands(),)))
    assert len(set(names)) == 169
    of = starting_hands().on(())
    for hole, name in (("AsKs", "AKs"), ("7c2d", "72o"), ("2c2d", "22")):
        assert names[of[parse_hole(hole)]] == name


def test_what_has_no_edge_is_refused() -> None:
    blueprint = lossless(kuhn())
    with pytest.raises(UnsupportedError, match="one street"):
        edge_values(blueprint.tree, tables(blueprint, 1), [()])
    blueprint = lossless(leduc())
    with pytest.raises(ParameterError, match="draw more"):
        edge_values(blueprint.tree, tables(blueprint, 1), drawn_boards(leduc(), 1, seed=0))
