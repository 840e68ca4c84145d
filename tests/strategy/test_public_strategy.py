"""Strategies on public trees: reading, writing, files and checkpoints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterfold.errors import FileError, MismatchError, ParameterError
from counterfold.files.arrays import seal, unsealed
from counterfold.files.text import Fields
from counterfold.poker import holdem
from counterfold.poker.cards import parse_hole
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.solver import Solver
from counterfold.strategy.hands import game_of
from counterfold.strategy.store import read
from counterfold.strategy.strategy import Strategy
from counterfold.tree import traversal
from counterfold.tree.public import PublicTree
from tests import naive_poker
from tests.public_layout import flop_with_alike_suits

SMALL_FHP = "JhJsQhQsKhKsAhAs"


def test_weights_are_probabilities_when_read() -> None:
    tree = PublicTree(naive_poker.tiny_river())
    strategy = Strategy.uniform(tree)
    assert np.allclose(strategy.hands.rows(0), 1 / 3)
    hands = tree.hands[0][0]
    given = np.zeros((3, 1326))
    given[0], given[2] = 1.0, 3.0
    unsure, other = int(hands.holes[0]), int(hands.holes[1])
    given[:, unsure] = 0.0
    given[:, other] = -1.0, 2.0, 0.0
    strategy.hands.put(0, 0, given)
    assert strategy.hands.rows(0)[:, 2].tolist() == [0.25, 0.0, 0.75]
    found = strategy.hands.at(0)
    assert found[:, unsure].tolist() == [1 / 3] * 3
    assert found[:, other].tolist() == [0.0, 1.0, 0.0]
    assert np.isnan(found[:, parse_hole("4c4d")]).all()
    known = ~np.isnan(found).any(0)
    assert np.array_equal(np.flatnonzero(known), np.flatnonzero(tree.game.ranges[0]))
    assert np.allclose(found[:, known].sum(0), 1.0)


def test_hands_that_are_alike_play_alike() -> None:
    tree = PublicTree(flop_with_alike_suits())
    strategy = Strategy.uniform(tree)
    rng = np.random.default_rng(1)
    given = rng.uniform(0.1, 1.0, (2, 1326))
    strategy.hands.put(0, 0, given)
    found = strategy.hands.at(0)
    for one, two in (("AdKd", "AhKh"), ("AdKh", "AhKd")):
        assert np.array_equal(found[:, parse_hole(one)], found[:, parse_hole(two)])
    first = tree.hands[0][0].holes
    wanted = given[:, first] / given[:, first].sum(0)
    np.testing.assert_allclose(found[:, first], wanted)


def test_decisions_are_those_of_a_street() -> None:
    tree = PublicTree(naive_poker.tiny_turn())
    strategy = Strategy.uniform(tree)
    betting = tree.game.betting
    for board, street in ((0, 0), (3, 1)):
        wanted = [
            n for n in range(len(betting)) if betting.kind[n] == 0 and betting.street[n] == street
        ]
        assert sorted(strategy.hands.decisions(board)) == wanted
    with pytest.raises(ParameterError, match="no decision"):
        strategy.hands.rows(strategy.hands.decisions(3)[0], 0)


def test_tables_must_fit() -> None:
    tree = PublicTree(holdem.kuhn())
    with pytest.raises(MismatchError, match="do not fit kuhn"):
        Strategy.of(tree, (np.zeros((2, 4)), np.zeros((4, 4))))


@pytest.mark.parametrize("symmetry", [True, False])
def test_a_file_brings_the_strategy_back(symmetry: bool, tmp_path: Path) -> None:
    tree = PublicTree(holdem.fhp(cap=2, deck=SMALL_FHP), symmetry=symmetry)
    rng = np.random.default_rng(0)
    shapes = [(tree.rows(p), tree.columns(p)) for p in (0, 1)]
    first, second = (rng.random(shape).astype(np.float32) for shape in shapes)
    Strategy.of(tree, (first, second), {"note": "mine"}).save(tmp_path / "a.cf")
    found, state, run = read(tmp_path / "a.cf")
    assert np.array_equal(found.tables[0], first)
    assert np.array_equal(found.tables[1], second)
    assert found.about == {"note": "mine"}
    assert found.tree.symmetry == symmetry
    assert found.tree.fingerprint == tree.fingerprint
    assert run is None
    state.finish()  # nothing is left in it
    with pytest.raises(FileError, match="nothing to resume"):
        Solver.resume(tmp_path / "a.cf")
    with pytest.raises(MismatchError, match="another game than leduc"):
        read(tmp_path / "a.cf", PublicTree(holdem.leduc()))


def test_a_game_made_by_hand_cannot_be_saved(tmp_path: Path) -> None:
    strategy = Strategy.uniform(PublicTree(naive_poker.tiny_river()))
    with pytest.raises(ParameterError, match="tiny_river was made by hand"):
        strategy.save(tmp_path / "a.cf")
    assert not list(tmp_path.iterdir())


def test_games_by_name() -> None:
    game = game_of(Fields({"game": "leduc", "parameters": {"ranks": 4}}, "a file"), "leduc")
    assert len(game.rules.deck) == 8


@pytest.mark.parametrize(
    ("bits", "dtype", "method"),
    [(32, "float64", "dcfr"), (32, "float64", "sapcfr+"), (16, "float32", "dcfr")],
)
@pytest.mark.parametrize("parts", [False, True], ids=["whole", "in parts"])
def test_a_resumed_run_is_the_same_bit_for_bit(
    bits: int, dtype: str, method: str, parts: bool, tmp_path: Path, monkeypatch: Any
) -> None:
    if parts:
        monkeypatch.setattr(traversal, "SMALL", 0)
    game = holdem.fhp(cap=2, deck=SMALL_FHP)
    through, first = (Solver(game, method, dtype=dtype, bits=bits, threads=1) for _ in range(2))
    through.step(9)
    first.step(4)
    report = first.report()
    first.save(tmp_path / "run.cf", [report], note="half")
    first.step(5)
    second, trace = Solver.resume(tmp_path / "run.cf", threads=2)
    assert trace == [report]
    assert second.iteration == 4
    assert second.settings == first.settings
    second.step(5)
    for p in (0, 1):
        for other in (first, second):
            assert np.array_equal(
                through.engine.learning[p].regret, other.engine.learning[p].regret
            )
            assert np.array_equal(through.engine.learning[p].total, other.engine.learning[p].total)
    assert second.assess() == through.assess()
    strategy, _, _ = read(tmp_path / "run.cf")
    assert strategy.about["note"] == "half"
    assert strategy.about["iteration"] == 4


def test_styles_and_locks_are_resumed_too(tmp_path: Path) -> None:
    game = holdem.leduc()
    tree = PublicTree(game)
    asked: list[dict[str, Any]] = [{}, {}]
    rng = np.random.default_rng(0)
    delta = rng.uniform(1, 3, (tree.nodes.actions[0], 52))
    asked[0] = {
        "delta": delta,
        "fallback": np.full_like(delta, 0.5),
        "beta": rng.uniform(0, 0.1, (len(tree.nodes.old), 52)),
    }
    node = next(n for n in range(len(tree.nodes.old)) if tree.nodes.owner[n] == 1)
    where = np.full((len(tree.boards), len(tree.nodes.old)), 0xFFFFFFFF, np.uint32)
    where[0, node] = 0
    count = int(tree.nodes.count[node])
    asked[1] = {
        "lock": where,
        "first": np.zeros(1, np.uint32),
        "trust": np.full((1, tree.columns(1)), 0.5),
        "held": np.full((count, tree.columns(1)), 1.0 / count),
    }
    through = Solver(tree, "dcfr", dtype="float64", locks=Conditions(tuple(asked), True))
    through.step(3)
    through.save(tmp_path / "run.cf")
    second, _ = Solver.resume(tmp_path / "run.cf")
    assert second.conditions.best
    for solver in (through, second):
        solver.step(4)
    for p in (0, 1):
        assert np.array_equal(through.engine.learning[p].regret, second.engine.learning[p].regret)
        assert np.array_equal(through.engine.learning[p].total, second.engine.learning[p].total)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: Any) -> tuple[dict[str, str], dict[str, Any]]:
    path = tmp_path_factory.mktemp("run") / "run.cf"
    solver = Solver(holdem.kuhn(), "pcfr+", dtype="float64")
    solver.step(3)
    solver.save(path)
    return unsealed(path)


def write(path: Path, header: dict[str, str], arrays: dict[str, Any]) -> Path:
    seal(path, header, arrays)
    return path


def test_files_that_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no file"):
        read(tmp_path / "none.cf")
    (tmp_path / "words.cf").write_text("not a strategy")
    with pytest.raises(FileError, match="cannot be read"):
        read(tmp_path / "words.cf")


def test_a_torn_file(tmp_path: Path) -> None:
    Strategy.uniform(PublicTree(holdem.leduc())).save(tmp_path / "a.cf")
    whole = (tmp_path / "a.cf").read_bytes()
    for size in (0, 7, 100, len(whole) // 2, len(whole) - 1):
        (tmp_path / "b.cf").write_bytes(whole[:size])
        with pytest.raises(FileError, match="cannot be read"):
            read(tmp_path / "b.cf")


def test_damaged_headers(tmp_path: Path, checkpoint: Any) -> None:
    header, arrays = checkpoint
    path = tmp_path / "bad.cf"
    for key in ("rules", "symmetry", "about", "game"):
        with pytest.raises(FileError, match="damaged"):
            read(write(path, {k: v for k, v in header.items() if k != key}, arrays))
    for key in ("rules", "symmetry", "about", "run"):
        with pytest.raises(FileError, match="damaged"):
            read(write(path, {**header, key: "{"}, arrays))
    with pytest.raises(FileError, match="holds a buckets, and not a strategy"):
        read(write(path, {**header, "kind": "buckets"}, arrays))
    with pytest.raises(FileError, match="another version"):
        read(write(path, {**header, "format": "counterfold 99"}, arrays))
    with pytest.raises(MismatchError, match="another game"):
        read(write(path, {**header, "fingerprint": "0" * 16}, arrays))
    other = json.dumps({"game": "chess", "parameters": {}})
    with pytest.raises(FileError, match="damaged"):
        read(write(path, {**header, "rules": other}, arrays))


def test_damaged_arrays(tmp_path: Path, checkpoint: Any) -> None:
    header, arrays = checkpoint
    path = tmp_path / "bad.cf"
    for value in (np.nan, np.inf, -1.0):
        bad = arrays["total.0"].copy()
        bad[0, 0] = value
        with pytest.raises(FileError, match=r"not numbers|out of their range"):
            read(write(path, header, {**arrays, "total.0": bad}))
    with pytest.raises(FileError, match="damaged"):
        read(write(path, header, {k: v for k, v in arrays.items() if k != "total.1"}))
    with pytest.raises(FileError, match="must be float64"):
        read(write(path, header, {**arrays, "total.1": arrays["total.1"][:2].copy()}))


def test_damaged_checkpoints(tmp_path: Path, checkpoint: Any) -> None:
    header, arrays = checkpoint
    path = tmp_path / "bad.cf"
    run = json.loads(header["run"])
    for key in run:
        # Those that files of before have not mean that nothing of the kind has happened.
        if key in ("seconds", "cpu_seconds", "kept", "restarted", "may_restart"):
            continue
        less = {k: v for k, v in run.items() if k != key}
        with pytest.raises(FileError, match="damaged"):
            Solver.resume(write(path, {**header, "run": json.dumps(less)}, arrays))
    for key in arrays:
        if not key.startswith("state."):
            continue
        less = {k: v for k, v in arrays.items() if k != key}
        with pytest.raises(FileError, match="damaged"):
            Solver.resume(write(path, header, less))
        unlike = np.full_like(arrays[key], np.nan)
        for bad in (np.zeros(3), arrays[key].astype(np.float32), arrays[key][:1].copy(), unlike):
            with pytest.raises(FileError, match="damaged"):
                Solver.resume(write(path, header, {**arrays, key: bad}))
