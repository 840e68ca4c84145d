"""Buckets by whatever does pieces of them: the same tables, and what was done is not done again."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterfold.abstraction import bucket_pieces
from counterfold.abstraction.bucket_maker import BucketMaker, Recipe
from counterfold.abstraction.bucket_pieces import Stage, find, handed_out
from counterfold.abstraction.buckets import Buckets, load_buckets
from counterfold.errors import ClusterError, FileError, UnsupportedError
from counterfold.pieces.cluster import Crew
from counterfold.pieces.piece import Files, Outcome, Piece, packed
from counterfold.pieces.store import store_at

RECIPES = {kind: Recipe.of((0, 3), 7, kind, seed=2) for kind in ("potential", "equity")}

pytestmark = pytest.mark.usefixtures("few_hands")


class Here(Executor):
    """Does everything at once, but for the first few times something else."""

    def __init__(self, *instead: Callable[..., Any]) -> None:
        self.instead, self.done = list(instead), list[Piece]()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.done.append(args[1])
        try:
            future.set_result((self.instead.pop(0) if self.instead else fn)(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def prints(made: tuple[Buckets, ...]) -> list[str]:
    return [one.fingerprint for one in made]


@pytest.fixture(scope="module")
def here() -> dict[str, list[str]]:
    """What threads of this process make."""
    return {kind: prints(BucketMaker(recipe).make()) for kind, recipe in RECIPES.items()}


@pytest.mark.parametrize("kind", list(RECIPES))
def test_pieces_make_the_same_buckets_and_are_not_done_twice(
    kind: str, here: dict[str, list[str]], tmp_path: Path
) -> None:
    store = store_at(tmp_path)
    with ThreadPoolExecutor(3) as threads:
        made = BucketMaker(RECIPES[kind], crew=Crew(threads, store)).make()
    assert prints(made) == here[kind]
    again = Here()
    assert prints(BucketMaker(RECIPES[kind], crew=Crew(again, store)).make()) == here[kind]
    assert not again.done, "all of it was in the store"
    moved = tmp_path.rename(tmp_path.with_name(f"{tmp_path.name}-moved"))
    again = Here()
    crew = Crew(again, store_at(moved))
    assert prints(BucketMaker(RECIPES[kind], crew=crew).make()) == here[kind]
    assert not again.done, "whatever the store is called"


def test_builds_go_from_threads_to_pieces_and_back(
    here: dict[str, list[str]], tmp_path: Path
) -> None:
    class EnoughError(Exception):
        pass

    def until(share: float) -> Callable[[str, float], None]:
        def look(what: str, done: float) -> None:
            if done > share:
                raise EnoughError

        return look

    recipe, path = RECIPES["potential"], tmp_path / "build.cf"
    crew = Crew(Here(), store_at(tmp_path / "store"))
    for share, how in ((0.5, {}), (0.7, {"crew": crew}), (0.8, {"threads": 1})):
        with pytest.raises(EnoughError):
            BucketMaker(recipe, path=path, look=until(share), **how).make()
    made = BucketMaker(recipe, path=path, crew=crew).make()
    assert prints(made) == prints(load_buckets(path)) == here["potential"]


def changed(change: Callable[[np.ndarray], np.ndarray]) -> Callable[..., Any]:
    """A worker that answers with other rows, under the name and with the digests of its piece."""

    def instead(work: Any, piece: Piece, address: str | None) -> Files:
        found = work({**piece.given, "store": piece.at}, piece.wants).files["npy"]
        rows = change(bucket_pieces._array(found))
        return packed(piece, Outcome({}, {"npy": bucket_pieces._bytes(rows)}))

    return instead


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[:-1],
        lambda rows: rows[:, :-1],
        lambda rows: rows.astype(np.int32),
        lambda rows: np.full_like(rows, 200),
        lambda rows: np.array([b"rm"]),
    ],
)
def test_rows_that_are_none_are_asked_for_again(
    change: Callable[[np.ndarray], np.ndarray], tmp_path: Path
) -> None:
    group = np.arange(1326, dtype=np.uint8) % 3
    stage = Stage(3, bucket_pieces.Strength(group), np.sort(np.random.rand(5, 3), 0).astype("f4"))
    store = store_at(tmp_path)
    good = {at[0]: at[2] for at in handed_out(stage, Crew(Here(), store), 0)}
    for piece in list(store.names()):
        if piece.startswith("buckets-"):
            store.remove(piece)
    found = {at[0]: at[2] for at in handed_out(stage, Crew(Here(changed(change)), store), 0)}
    assert all((found[first] == good[first]).all() for first in good)
    always = Crew(Here(*[changed(change)] * 200), store_at(tmp_path / "other"))
    with pytest.raises(ClusterError, match="3 times"):
        list(handed_out(stage, always, 0))


def test_what_pieces_need_must_be_whole(tmp_path: Path) -> None:
    stage = Stage(3, bucket_pieces.Strength(None), np.zeros((2, 1), np.float32))
    store = store_at(tmp_path)
    bucket_pieces._needed(stage, store)
    for name in store.names():
        store.write(name, b"junk")
    needed = {key: list(kept) for key, kept in bucket_pieces._needed(stage, store).items() if kept}
    name = needed["centers"][0]
    store.write(name, b"junk")
    given = {**needed, "size": 3, "first": 0, "stop": 1, "store": store.address}
    with pytest.raises(FileError, match=f"{name} is missing or damaged"):
        find(given, ())


def test_buckets_by_worth_are_one_piece(tmp_path: Path) -> None:
    from counterfold.poker import holdem

    recipe = Recipe.of((0, 3), 5, "worth")
    with pytest.raises(UnsupportedError, match="one run of the whole game"):
        BucketMaker(recipe, game=holdem.fhp(), crew=Crew(Here(), store_at(tmp_path)))
