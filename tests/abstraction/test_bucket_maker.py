"""Buckets in the making: streets that build on each other, ended, gone on with, and refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from counterfold.abstraction import clusters
from counterfold.abstraction.bucket_maker import BucketMaker, Recipe
from counterfold.abstraction.buckets import (
    Buckets,
    load_buckets,
    save_buckets,
    standard_words,
    streets_for,
)
from counterfold.errors import FileError, MismatchError, ParameterError
from counterfold.files.arrays import seal, unsealed
from counterfold.poker import holdem
from counterfold.poker.cards import HIGH, LOW, parse_board, parse_hole

RECIPE = Recipe.of((0, 3, 4), (12, 9), seed=5)
"""A game that ends on the turn: the fewest boards on which a street comes after another."""
FLOPS = Recipe.of((3,), 7, seed=2)

pytestmark = pytest.mark.usefixtures("few_hands")


class EnoughError(Exception):
    """Whoever looks has seen enough."""


def after(street: str) -> Callable[[str, float], None]:
    """Ends a build when it has come to a street's clusters."""

    def look(what: str, share: float) -> None:
        if what == street:
            raise EnoughError

    return look


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[tuple[Buckets, ...], Path]:
    """Buckets of two streets made at once, and a build that was ended before the second."""
    path = tmp_path_factory.mktemp("build") / "half.cf"
    with pytest.raises(EnoughError):
        BucketMaker(RECIPE, threads=1, path=path, look=after("flop")).make()
    return BucketMaker(RECIPE, threads=2).make(), path


@pytest.fixture(scope="module")
def flops() -> tuple[Buckets, ...]:
    """Those of one street, made at once."""
    return BucketMaker(FLOPS).make()


def test_a_build_goes_on_as_if_it_had_not_been_ended(
    built: tuple[tuple[Buckets, ...], Path],
) -> None:
    made, half = built
    with pytest.raises(FileError, match="not done yet"):
        load_buckets(half)
    with pytest.raises(MismatchError, match="other buckets"):
        BucketMaker(Recipe.of((0, 3, 4), (12, 9), seed=6), path=half)
    whole = half.read_bytes()
    again = BucketMaker(RECIPE, threads=2, path=half).make()
    assert [one.fingerprint for one in again] == [one.fingerprint for one in made]
    assert [one.fingerprint for one in load_buckets(half)] == [one.fingerprint for one in made]
    half.write_bytes(whole)


@pytest.mark.parametrize("looks", [1, 3, 9, 99])
def test_wherever_a_build_ends_it_goes_on_from_there(
    looks: int, flops: tuple[Buckets, ...], tmp_path: Path
) -> None:
    left = looks

    def look(what: str, share: float) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise EnoughError

    path = tmp_path / "build.cf"
    try:
        BucketMaker(FLOPS, path=path, look=look).make()
    except EnoughError:
        BucketMaker(FLOPS, path=path).make()
    assert load_buckets(path)[0].fingerprint == flops[0].fingerprint


def test_every_hand_has_a_bucket_whatever_its_suits(
    built: tuple[tuple[Buckets, ...], Path],
) -> None:
    rng = np.random.default_rng(1)
    for one in built[0][1:]:
        used = np.bincount(one.table.ravel(), minlength=one.count)
        assert len(used) == one.count
        assert (used > 0).all()
        boards = standard_words(one.cards)[0]
        for row in rng.choice(len(boards), 50):
            assert (
                one.table[row][np.isin(LOW, boards[row]) | np.isin(HIGH, boards[row])] == 0
            ).all()
        for _ in range(200):
            dealt, suits = rng.permutation(52)[: one.cards + 2], rng.permutation(4)
            cards = [[*dealt], [*(dealt // 4 * 4 + suits[dealt % 4])]]
            found = [one.bucket_of(parse(c[:2]), [int(card) for card in c[2:]]) for c in cards]
            assert found[0] == found[1]


def parse(cards: list[int]) -> int:
    low, high = sorted(int(card) for card in cards)
    return high * (high - 1) // 2 + low


def test_hands_with_the_same_future_share_a_bucket_and_a_draw_is_none_of_the_made_hands(
    built: tuple[tuple[Buckets, ...], Path],
) -> None:
    flop = built[0][1]

    def bucket(hole: str, board: str) -> int:
        return flop.bucket_of(parse_hole(hole), parse_board(board))

    assert bucket("AsAh", "Ad7c2s") == bucket("7s7h", "7d5c2s") == flop.count - 1
    assert bucket("4s3h", "AdKcQs") < 3
    ladder = [bucket(hole, "Kd8c3s") for hole in ("5h4h", "8h7h", "KhQh", "KhKs")]
    assert ladder == sorted(ladder)
    assert flop.about == {"kind": "potential", "seed": 5, "last": 4}


@pytest.mark.pure
@pytest.mark.parametrize("squared", [True, False])
def test_each_round_of_k_means_brings_centers_nearer(
    squared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    points = np.cumsum(rng.dirichlet(np.ones(5), 400), axis=1).astype(np.float32)
    means = []
    for rounds in range(1, 8):
        monkeypatch.setattr(clusters, "ROUNDS", rounds)
        centers = clusters.fit(points, 12, seed=4, squared=squared)
        gaps = np.abs(points[:, None] - centers[None])
        means.append((gaps**2 if squared else gaps).sum(2).min(1).mean())
    slack = 0 if squared else 1e-3  # means are not quite the best centers for L1
    assert all(later <= first * (1 + slack) for first, later in pairwise(means))
    assert means[-1] < 0.97 * means[0]


def test_buckets_serve_the_games_of_their_deck_and_no_other(
    built: tuple[tuple[Buckets, ...], Path],
) -> None:
    made = BucketMaker(Recipe.of((0, 3), 5)).make()
    assert streets_for(holdem.fhp(), made) == made
    assert streets_for(holdem.fhp(cap=2), made) == made
    with pytest.raises(MismatchError, match="on boards of 4 cards in the end"):
        streets_for(holdem.fhp(), built[0])
    with pytest.raises(MismatchError, match="another deck"):
        streets_for(holdem.fhp(deck="QKA"), made)
    with pytest.raises(MismatchError, match="needs buckets on boards of 0, 3"):
        streets_for(holdem.fhp(), made[:1])


def test_a_damaged_build_is_refused(
    built: tuple[tuple[Buckets, ...], Path], tmp_path: Path
) -> None:
    header, arrays = unsealed(built[1])
    path = tmp_path / "bad.cf"
    flipped = bytearray(built[1].read_bytes())
    flipped[-1000] ^= 4
    path.write_bytes(flipped)
    with pytest.raises(FileError, match="checksum"):
        BucketMaker(RECIPE, path=path)
    table = arrays["table.4"].copy()
    table[5, 5] = 9
    for bad in (
        {"table.4": table},
        {"group": np.full(1326, 8, np.uint8)},
        {"centers.4": np.zeros((10, 8), np.float32)},
        {"centers.4": np.full((9, 8), np.nan, np.float32)},
        {"more": np.zeros(1)},
    ):
        seal(path, header, arrays | bad)
        with pytest.raises(FileError, match="damaged"):
            BucketMaker(RECIPE, path=path)
    seal(path, header | {"done": json.dumps({"4": 10**6})}, arrays)
    with pytest.raises(FileError, match="done"):
        BucketMaker(RECIPE, path=path)


def test_recipes_that_cannot_be_followed_are_refused() -> None:
    for words, more in (("kind must be", {"kind": "luck"}), ("seed must be", {"seed": -1})):
        with pytest.raises(ParameterError, match=words):
            Recipe.of((0, 3), 5, **more)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="buckets must be"):
        Recipe.of((0, 3, 4, 5), (200, 1000, 70_000))
    with pytest.raises(ParameterError, match="threads"):
        BucketMaker(Recipe.of((0, 3)), threads=0)


def test_more_buckets_than_bytes_can_number_are_kept(tmp_path: Path) -> None:
    made = BucketMaker(Recipe.of((3,), 300, "equity")).make()
    assert made[0].count == 300
    save_buckets(tmp_path / "many.cf", made)
    assert load_buckets(tmp_path / "many.cf")[0].fingerprint == made[0].fingerprint
