"""A game that is cut at a depth limit, held to the whole game."""

from __future__ import annotations

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import by_hand
from counterfold.abstraction.buckets import every_hand
from counterfold.errors import ParameterError, TreeTooLargeError
from counterfold.evaluate.exact import assess
from counterfold.poker.holdem import leduc
from counterfold.searchers.edge import depth_limited
from counterfold.strategy.continuations import biased, continuations
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree


def test_a_bias_multiplies_and_brings_back_to_one() -> None:
    strategy = Strategy.random(cf.Leduc(), 1)
    bold = biased(strategy, ("raise", "bet"), 5.0)
    for row, other in zip(strategy, bold, strict=True):
        weights = {a: p * (5.0 if a in ("raise", "bet") else 1.0) for a, p in row.actions.items()}
        total = sum(weights.values())
        assert other.actions == pytest.approx({a: w / total for a, w in weights.items()})


def test_a_bias_is_the_same_by_bucket_and_by_hand() -> None:
    game = leduc()
    strategy = Strategy.random(BucketForm(game, every_hand(game)), 3)
    tree = PublicTree(game, symmetry=False)
    one = by_hand(biased(strategy, ("call", "check"), 7.0), tree)
    two = biased(by_hand(strategy, tree), ("call", "check"), 7.0)
    place = ("Ks", "bet, raise, call, [Qs], check, bet")
    assert one.at(*place) == pytest.approx(two.at(*place))
    before, after = strategy.at(*place), one.at(*place)
    ratio = 7.0 * before["call"] / before["fold"]
    assert after["call"] / after["fold"] == pytest.approx(ratio, rel=1e-5)


@pytest.mark.parametrize(
    ("game", "point"),
    [
        (cf.Leduc(), "round:1"),
        (cf.Leduc(), "board"),
        (cf.Leduc(), "move:2"),
        (cf.Kuhn(players=3), "move:2"),
        (cf.Leduc(ranks=2, players=3), "round:1"),
    ],
    ids=str,
)
def test_a_cut_game_is_worth_what_the_whole_one_is(game: cf.Game, point: str) -> None:
    # Whatever is played in the cut game, the same is worth the same when it is played to the end.
    tree = cf.compile_game(game)
    portfolio = {name: Strategy.random(tree, n) for n, name in enumerate("abc")}
    cut = depth_limited(tree, [portfolio, {"a": portfolio["b"]}, portfolio][: tree.players], point)
    for seed in range(3):
        strategy = Strategy.random(cut.tree, seed)
        short, long = assess(strategy), assess(cut.complete(strategy))
        assert short.values == pytest.approx(long.values, abs=1e-12)
        assert all(a <= b + 1e-12 for a, b in zip(short.best, long.best, strict=True))


def test_nobody_sees_what_the_others_choose() -> None:
    tree = cf.compile_game(cf.Leduc())
    cut = depth_limited(tree, {name: Strategy.random(tree, n) for n, name in enumerate("ab")})
    choices = [n for n, name in enumerate(cut.tree.infosets.labels) if name.startswith("edge")]
    # 5 lines, 3 cards, 2 players: the board is still to come, and the other's choice is hidden.
    assert len(choices) == 30
    assert {cut.tree.infosets.actions[n] for n in choices} == {("a", "b")}


def test_all_pure_continuations_give_the_game_itself() -> None:
    # After the first move of Kuhn poker each player has one decision left, with two actions.
    tree = cf.compile_game(cf.Kuhn())
    first, last = (Strategy.ruled(tree, lambda p, i, actions, n=n: actions[n]) for n in (0, -1))
    cut = depth_limited(tree, {"first": first, "last": last}, "move:1")
    found = cf.solve(cut.tree, "lp")
    assert found.value == pytest.approx(-1 / 18, abs=1e-9)
    assert cf.exploitability(cut.complete(found.strategy)) < 1e-9


def test_one_value_a_leaf_is_not_enough_and_a_few_are() -> None:
    blueprint = cf.solve(cf.Leduc(), until=cf.Until(iterations=1000)).strategy
    exploitable = []
    for count in (1, 4):
        portfolio = dict(list(continuations(blueprint).items())[:count])
        cut = depth_limited(blueprint.tree, portfolio)
        trunk = cf.solve(cut.tree, until=cf.Until(iterations=2000)).strategy
        exploitable.append(cf.exploitability(cut.complete(trunk, blueprint)))
    assert exploitable[0] > 0.5
    assert exploitable[1] < 0.03


def test_an_equilibrium_below_and_best_replies_added_find_an_equilibrium_trunk() -> None:
    # Brown, Sandholm and Amos: with the opponent's best reply among its continuations there is
    # nothing left to gain behind the edge.
    blueprint = cf.solve(cf.Leduc(), until=cf.Until(iterations=2000)).strategy
    mine, theirs = {"blueprint": blueprint}, dict(continuations(blueprint))
    for n in range(6):
        cut = depth_limited(blueprint.tree, [mine, theirs])
        trunk = cf.solve(cut.tree, until=cf.Until(iterations=2000)).strategy
        reply = cf.best_response(cut.complete(trunk, blueprint), 1)
        theirs[f"reply {n}"] = reply.strategy
    assert reply.value - 0.0856064 < 2e-3


def test_a_cut_game_takes_styles() -> None:
    blueprint = cf.solve(cf.Leduc(), until=cf.Until(iterations=300)).strategy
    cut = depth_limited(blueprint.tree, continuations(blueprint))
    meek = cf.Style({"check": 10.0}, give_up=0.1, player=0)
    until = cf.Until(iterations=1000)
    plain, styled = (cf.solve(cut.tree, until=until, style=style) for style in (None, meek))
    bets = [sum(found.strategy.at(c)["bet"] for c in "JQK") for found in (plain, styled)]
    assert bets[1] < bets[0] - 0.5


def test_wrong_portfolios_are_refused() -> None:
    uniform = Strategy.uniform(cf.Leduc())
    with pytest.raises(ParameterError, match="2 players"):
        depth_limited(uniform.tree, [{"a": uniform}])
    with pytest.raises(ParameterError, match="factor"):
        continuations(uniform, factor=0.0)
    with pytest.raises(TreeTooLargeError, match="fewer continuations"):
        depth_limited(uniform.tree, {str(n): uniform for n in range(1000)})
    with pytest.raises(cf.MismatchError):
        depth_limited(uniform.tree, {"a": Strategy.uniform(cf.Kuhn())})


def test_the_mix_of_continuations_is_behaviour() -> None:
    tree = cf.compile_game(cf.Leduc())
    portfolio = {name: Strategy.random(tree, n) for n, name in enumerate("ab")}
    cut = depth_limited(tree, portfolio)
    pure = Strategy.ruled(cut.tree, lambda p, i, actions: actions[0])
    whole = cut.complete(pure)
    below = np.isin(tree.infosets.owner, (0, 1))
    below[cut.trunk] = False
    slots = np.repeat(below, tree.infosets.sizes)
    assert np.allclose(whole.probabilities[slots], portfolio["a"].probabilities[slots])
