"""Styles on public trees against the same styles on histories, and what is said when they fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import ParameterError
from counterfold.kernels.public_rule import ALIKE, BY_HAND, PLAIN
from counterfold.poker.cards import cards_name, parse_hole
from counterfold.poker.spot import spot
from counterfold.solvers.solver import Solver
from counterfold.style.preferences import preset
from counterfold.tree.public import PublicTree
from counterfold.tree.public_arrays import PublicArrays
from tests import naive_poker
from tests.public_layout import BothForms, without_ties
from tests.solvers.layout import regrets

SPOT = {
    "board": "Ks 9h 6s 4d 2c",
    "pot": 20,
    "stack": 60,
    "oop": "QQ+,AK,76s",
    "ip": "99+,AK,AQ",
    "bets": ["50%", "allin"],
    "raises": ["60%", "allin"],
}
STYLES = {
    "one seat": cf.Style({"bet": 10.0}, player=0),
    "best": cf.Style({"bet": 3.0}, player=1, best=True),
    "given up": cf.Style({"call": 2.0}, give_up=0.002) + cf.Style({"fold": 4.0}, seen="J*"),
    "given up everywhere": cf.Style(give_up=0.001, player=0),
    "round 2": cf.Style({"bet": 5.0, "check": 2.0}, give_up=0.001, round=2),
    "a pattern": cf.Style({"raise": 6.0}, seen="K* | bet") + cf.Style({"call": 3.0}, seen="*bet"),
    "where": cf.Style({"fold": 6.0}, where=lambda row: row.infoset.startswith("Q")),
}


def both(forms: BothForms, style: Any, given: Any, method: str, steps: int) -> tuple[Any, Any]:
    """A history solver and a public one after some iterations in the same style."""
    plain = cf.Solver(forms.history, method, form="history", style=style)
    public = Solver(forms.tree, method, dtype="float64", threads=1, style=given)
    plain.step(steps)
    public.step(steps)
    return plain, public


def check(forms: BothForms, plain: Any, public: Any) -> None:
    known = forms.told
    assert np.allclose(regrets(plain)[known], forms.regrets(public)[known], atol=1e-9)
    assert np.allclose(plain.probabilities()[known], forms.average(public)[known], atol=1e-9)


@pytest.fixture(scope="module")
def leduc() -> BothForms:
    forms = BothForms(without_ties(naive_poker.leduc()))
    cards = {cards_name([card]) for card in forms.poker.rules.deck}
    forms.naive.round_of = lambda name: 1 + bool(cards & set(name.split(" | ")[1:]))  # type: ignore
    return forms


@pytest.mark.parametrize("name", STYLES)
def test_leduc_has_the_same_numbers_in_both_forms(name: str, leduc: BothForms) -> None:
    plain, public = both(leduc, STYLES[name], STYLES[name], "dcfr", 12)
    check(leduc, plain, public)
    unstyled = cf.Solver(leduc.history, "dcfr", form="history")
    unstyled.step(12)
    assert np.abs(unstyled.probabilities() - plain.probabilities()).max() > 0.01


@pytest.mark.parametrize("method", ["cfr", "cfr+", "sapcfr+"])
def test_kuhn_has_the_same_numbers_by_every_method(method: str) -> None:
    forms = BothForms(without_ties(naive_poker.kuhn(), 4))
    style = cf.Style({"bet": 4.0}, give_up=0.01, player=0, best=True)
    check(forms, *both(forms, style, style, method, 20))


@pytest.mark.parametrize("seen", ["Js", "Js | check", "J", "*| check"])
def test_a_whole_name_means_that_infoset_alone(seen: str) -> None:
    forms = BothForms(without_ties(naive_poker.kuhn(), 4))
    style = cf.Style({"bet": 4.0}, seen=seen)
    check(forms, *both(forms, style, style, "cfr", 10))


def test_weights_and_boards_count_in_what_is_given_up() -> None:
    forms = BothForms(without_ties(naive_poker.tiny_turn(seed=5)))
    style = cf.Style({"check": 3.0}, give_up=1e-4) + cf.Style({"call": 3.0}, 2e-5)
    check(forms, *both(forms, style, style, "dcfr", 4))


def test_a_style_for_some_hands_is_one_for_their_infosets(leduc: BothForms) -> None:
    """Queens and half of the king's preference, on the second street."""
    style = cf.Style({"bet": 5.0}, where=lambda row: row.infoset[0] == "Q", round=2)
    style += cf.Style({"bet": 3.0}, where=lambda row: row.infoset[0] == "K", round=2)
    given = cf.Style({"bet": 5.0}, round=2, hands="Q, K:0.5")
    check(leduc, *both(leduc, style, given, "dcfr", 8))
    one, two = (cf.Style({"bet": d}, round=2, hands=h) for h, d in (("Q", 5.0), ("K", 3.0)))
    check(leduc, *both(leduc, style, one + two, "dcfr", 8))


def test_words_and_labels_of_bets() -> None:
    tree = PublicTree(spot(SPOT))
    labels = [tree.game.betting.label[c] for c in tree.game.betting.children(0)]
    assert labels == ["check", "bet 10", "all-in 60"]
    hole = parse_hole("AsKh")
    for action, wanted in (("bet", [1, 2, 1]), ("all-in 60", [1, 1, 2]), ("all-in", [1, 1, 2])):
        first, second = cf.Style({action: 2.0}, player=0).on(tree).fields
        assert first["delta"][:3, hole].tolist() == wanted
        assert second == {}
    shoves = cf.Style({"all-in": 2.0}, player=0).on(tree).fields[0]
    assert (shoves["delta"] == 2).all(1).sum() == 0  # only hands of the range
    assert str(preset("aggressive", 2, tree)) == "Style(bet=2, raise=2, all-in=2)"
    assert str(preset("passive", 2, tree)) == "Style(check=2, call=2)"


def test_given_up_per_hand_is_what_a_hand_may_lose() -> None:
    """With a great allowance at the root nothing but the preference counts there."""
    game = spot(SPOT)
    style = cf.Style({"check": 3.0}, 5.0, player=0, seen="*", per="hand")  # of 20 in the pot
    solver = Solver(game, dtype="float64", style=style, threads=1)
    plain = Solver(game, dtype="float64", threads=1)
    solver.step(200)
    plain.step(200)
    loss = solver.assess().gains[0]
    assert 10 * plain.assess().gains[0] < loss < 3 * 5.0  # three decisions on the longest way


def test_hands_alike_but_for_suits_need_a_tree_that_tells_them_apart() -> None:
    game = naive_poker.leduc()
    style = cf.Style({"bet": 2.0}, hands="Ks")
    with pytest.raises(ParameterError, match="symmetry=False"):
        style.on(PublicTree(game))
    assert style.on(PublicTree(game, symmetry=False)).fields[0]


@pytest.mark.parametrize(
    ("style", "words"),
    [
        (cf.Style({"bett": 2.0}), "no action 'bett'; it has 'bet'"),
        (cf.Style({"bet 11": 2.0}), "no action 'bet 11'; it has 'bet 10'"),
        (cf.Style({"bet": 2.0}, player=2), "players 0 to 1"),
        (cf.Style({"bet": 2.0}, round=2), "no infoset in round 2"),
        (cf.Style({"bet": 2.0}, hands="72o"), "with 72o where 'bet'"),
        (cf.Style({"bet": 2.0}, hands="AKx"), "'AKx' at character 1"),
        (cf.Style({"bet": 2.0}, street="turn"), "no street 'turn'; it has river"),
    ],
)
def test_what_cannot_be_met_is_said(style: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        style.on(PublicTree(spot(SPOT)))


def test_units_and_presets_that_are_not_known() -> None:
    tree = PublicTree(spot(SPOT))
    with pytest.raises(ParameterError, match="per hand"):
        cf.Style(per="chip")
    with pytest.raises(ParameterError, match="there are aggressive"):
        preset("wild", 2, tree)


def test_nodes_without_a_say_keep_to_the_plain_rule(leduc: BothForms) -> None:
    """Only where a style speaks is its rule walked, and hand by hand only where hands differ."""
    nodes = leduc.tree.nodes

    def styled(style: Any) -> Any:
        fields = style.on(leduc.tree).fields[0]
        return PublicArrays(leduc.tree, "float64").extra(0, **fields).styled

    bets = np.array(
        [
            any(leduc.tree.game.betting.label[nodes.old[m]].startswith("bet") for m in children)
            and nodes.owner[n] == 0
            for n in range(len(nodes.old))
            for children in [nodes.children(n)]
        ]
    )
    assert 0 < bets.sum() < (nodes.owner == 0).sum()
    everybody = styled(cf.Style({"bet": 3.0}, player=0))
    assert np.array_equal(everybody, np.where(bets, ALIKE, PLAIN))
    some = styled(cf.Style({"bet": 3.0}, player=0, hands="K"))
    assert np.array_equal(some, np.where(bets, BY_HAND, PLAIN))
    assert len(PublicArrays(leduc.tree, "float64").extra(0).styled) == 0
