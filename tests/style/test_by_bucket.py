"""Styles over buckets: where they hold, and that sampled engines follow them."""

from __future__ import annotations

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import BucketTables
from counterfold.abstraction.buckets import every_hand
from counterfold.errors import ParameterError
from counterfold.poker.holdem import fhp, leduc
from counterfold.strategy.strategy import Strategy
from counterfold.style.by_hand import raises_at
from counterfold.style.by_infoset import style_by_infoset
from counterfold.tree.public import PublicTree


def form_of(deck: str = "QKA") -> BucketForm:
    game = fhp(cap=3, deck=deck)
    return BucketForm(game, every_hand(game))


@pytest.mark.parametrize(
    "style",
    [
        cf.Style({"raise": 5.0, "call": 2.0}, 0.1, player=1),
        cf.Style({"fold": 3.0}, seen="bucket 3 | raise"),
        cf.Style({"call": 3.0}, seen="*raise", best=True) + cf.Style({"call": 2.0}, 0.2),
        cf.Style({"raise": 4.0}, where=lambda row: row.infoset.endswith("call")),
    ],
)
def test_a_style_by_buckets_is_the_style_of_their_names(style: cf.Style) -> None:
    form = form_of()
    one, two = style.on(form), style_by_infoset(style, form)
    assert np.array_equal(one.delta, two.delta)
    assert np.array_equal(one.beta, two.beta)
    assert one.best == two.best


def test_places_of_poker_choose_decisions() -> None:
    form = form_of()
    betting, raised = form.game.betting, raises_at(form.game.betting)
    style = cf.Style({"raise": 5.0}, 0.5, player=0, street="flop", raises=1)
    conditions = style.on(form)
    preferred = BucketTables(form, conditions.delta)
    for node in form.nodes.tolist():
        labels = [betting.label[child] for child in betting.children(node)]
        meant = betting.player[node] == 0 and betting.street[node] == 1 and raised[node] == 1
        expected = [5.0 if meant and label == "raise" else 1.0 for label in labels]
        assert np.array_equal(preferred.rows(node), np.tile(expected, (form.counts[node], 1)))
    assert set(conditions.beta) == {0.0, 0.5}


def test_the_number_of_raises_is_that_of_the_street() -> None:
    betting = leduc().betting
    raised = raises_at(betting)
    for node in range(len(betting)):
        line, said = list(betting.line(node)), 0
        above = node
        while above > 0 and betting.street[betting.parent[above]] == betting.street[node]:
            said += betting.label[above] in ("bet", "raise")
            above = int(betting.parent[above])
        assert raised[node] == said, line


def test_hands_have_their_share_of_a_bucket() -> None:
    form = form_of()
    conditions = cf.Style({"raise": 3.0}, hands="AA,KQs:0.5", street="preflop").on(form)
    of = form.buckets[0].on(())
    rows = BucketTables(form, conditions.delta).rows(0)
    for hand, degree in (("AsAh", 3.0), ("KsQs", 2.0), ("KsQh", 1.0)):
        raises = rows[of[cf.Range.parse(hand).weights.argmax()]]
        assert raises.tolist() == [1.0, 1.0, degree]


def test_what_a_hand_may_give_up_counts_by_how_often_it_is_dealt() -> None:
    form = form_of()
    style = cf.Style({"raise": 3.0}, 0.5, player=0, street="preflop", per="hand")
    beta = style.on(form).fields[0]["beta"][: form.counts[0]]
    assert beta == pytest.approx(0.5 / 66)  # of all pairs of twelve cards
    with pytest.raises(ParameterError, match="first street only"):
        cf.Style({"bet": 3.0}, 0.5, per="hand").on(form)


def test_a_public_tree_counts_raises_too() -> None:
    tree = PublicTree(leduc())
    conditions = cf.Style({"call": 4.0}, player=0, raises=2).on(tree)
    delta = conditions.fields[0]["delta"]
    assert set(np.unique(delta)) == {1.0, 4.0}
    fewer = cf.Style({"call": 4.0}, player=0).on(tree).fields[0]["delta"]
    assert (delta > 1).sum() < (fewer > 1).sum()


def test_sampled_play_follows_a_style_of_hands_and_raises() -> None:
    form = form_of()
    until = cf.Until(iterations=40_000)
    bold = cf.Style({"raise": 20.0}, 0.02, player=0, street="preflop", raises=0, hands="KQ")
    plain, styled = (
        cf.solve(form, "linear", until, traversal="external", style=style, seed=1).strategy
        for style in (None, bold)
    )
    raises = [_raises(strategy) for strategy in (plain, styled)]
    assert raises[1] > raises[0] + 0.1


def _raises(strategy: Strategy[BucketForm]) -> float:
    form = strategy.tree
    of, held = form.buckets[0].on(()), cf.Range.parse("KQ").weights > 0
    return float(BucketTables.of(strategy).rows(0)[of[held]][:, -1].mean())


def test_what_buckets_cannot_tell_is_refused() -> None:
    form = form_of()
    with pytest.raises(ParameterError, match="first street only"):
        cf.Style({"raise": 2.0}, hands="AA").on(form)
    with pytest.raises(ParameterError, match="per infoset"):
        cf.Style({"raise": 2.0}, 0.1, per="hand").on(form)
    with pytest.raises(ParameterError, match="no infoset"):
        cf.Style({"fold": 2.0}, street="flop", raises=0).on(form)
    with pytest.raises(ParameterError, match="0 raises or more"):
        cf.Style({"raise": 2.0}, raises=-1)
    with pytest.raises(ParameterError, match="history by history"):
        cf.Style({"bet": 2.0}, raises=0).on(cf.compile_game(cf.Kuhn()))
