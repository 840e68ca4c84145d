"""What actions are worth, as what buckets are made of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from counterfold.abstraction import bucket_maker, worth
from counterfold.abstraction.bucket_maker import BucketMaker, Recipe
from counterfold.abstraction.buckets import load_buckets, renamings, set_number, standard_words
from counterfold.abstraction.worth import Worth, check_worth
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.evaluate.exact import evaluator_of
from counterfold.evaluate.public import PublicEvaluator
from counterfold.poker import holdem
from counterfold.poker.cards import HOLES
from counterfold.poker.isomorphism import hole_classes
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree


def test_differences_are_those_of_the_game_with_all_suits_apart() -> None:
    game = holdem.fhp(deck="QKA", cap=2)
    strategy = Strategy.uniform(PublicTree(game))
    found = worth._differences(strategy, 3, lambda share: None)
    apart = PublicTree(game, symmetry=False)
    nodes, words, seen = apart.nodes, standard_words(3)[2], 0
    first, at = {}, 0
    for node in range(nodes.begin[1], nodes.begin[2]):
        if nodes.count[node] and nodes.kind[node] == nodes.kind[0]:
            first[node], at = at, at + int(nodes.count[node]) - 1

    def note(board: int, node: int, values: NDArray[np.float64]) -> None:
        nonlocal seen
        here = apart.boards[board]
        if here.street == 0:
            return
        word = int(words[set_number(here.cards)])
        holes = renamings()[0][word % 24][apart.hands[0][board].holes]
        gaps = (values - values.mean(axis=0))[:-1]
        roots = found[word // 24, holes, first[node] : first[node] + len(gaps)].T
        assert roots * np.abs(roots) == pytest.approx(gaps, rel=1e-4, abs=1e-7)
        seen += gaps.size

    evaluator = evaluator_of(apart)
    assert isinstance(evaluator, PublicEvaluator)
    evaluator.action_values(Strategy.uniform(apart).tables, 0, note, 1)
    assert seen > 220 * 36 * 5
    assert np.abs(found).max() > 0.01


def test_hands_that_suits_alone_tell_apart_share_a_point() -> None:
    boards = standard_words(3)[0]
    rng = np.random.default_rng(1)
    found = np.zeros((len(boards), HOLES, 4), np.float32)
    for row, board in enumerate(boards[:40]):
        classes = hole_classes(board.tolist())
        values = np.vstack([rng.normal(size=(len(classes.hole), 4)), np.zeros(4)])
        found[row] = values[classes.of] + rng.normal(0, 1e-6, (HOLES, 4))
    points = worth._turned(found, 3)
    for row in (0, 7, 39):
        classes = hole_classes(boards[row].tolist())
        live = classes.of < len(classes.hole)
        assert (points[row, live] == points[row][classes.hole][classes.of[live]]).all()
        assert (points[row, live] >= 0).all()
        assert (points[row, ~live] == -1).all()
        apart = found[row][classes.hole][:5].astype(float)  # axes are turned, distances are not
        turned = points[row][classes.hole][:5].astype(float)
        for k in range(1, 5):
            wanted = np.linalg.norm(apart[k] - apart[0])
            assert np.linalg.norm(turned[k] - turned[0]) == pytest.approx(wanted, rel=1e-3)


def test_buckets_by_worth_are_made_and_gone_on_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With a worth that is the equity, which no run needs to find."""
    from counterfold.abstraction.features import Strength

    points = Strength()(standard_words(3)[0])
    known = Worth(3, points)
    monkeypatch.setattr(bucket_maker, "SAMPLE", 10_000)
    game, path = holdem.fhp(), tmp_path / "worth.cf"
    recipe = Recipe.for_game(game, 9, "worth")
    whole = BucketMaker(recipe, worth=known).make()

    class EnoughError(Exception):
        pass

    def look(what: str, share: float) -> None:
        if share > 0.9:
            raise EnoughError

    with pytest.raises(EnoughError):
        BucketMaker(recipe, worth=known, path=path, look=look).make()
    BucketMaker(recipe, worth=known, path=path).make()
    assert load_buckets(path)[1].fingerprint == whole[1].fingerprint
    assert whole[1].about["kind"] == "worth"
    weakest = [points[whole[1].table == k].mean() for k in range(1, 9)]
    assert weakest == sorted(weakest)


def test_games_in_which_nobody_can_ask_every_hand_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="another kind"):
        check_worth(holdem.fhp(deck="QKA"))
    with pytest.raises(UnsupportedError, match="another kind"):
        check_worth(holdem.leduc())
    with pytest.raises(ParameterError, match="say which"):
        BucketMaker(Recipe.of((0, 3), 5, "worth"))
