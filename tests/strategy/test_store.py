"""Files: what is written comes back, and what is damaged is told, never believed."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from safetensors.numpy import save

import counterfold as cf
from counterfold.errors import CounterfoldError, FileError, MismatchError
from counterfold.files.arrays import header_of, seal, unsealed
from counterfold.files.whole import write_whole
from counterfold.solvers.solver import Solver
from counterfold.strategy.store import read
from tests.random_games import games


@settings(max_examples=25)
@given(game=games())
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, game: Any) -> None:
    path = tmp_path_factory.mktemp("store") / "strategy"
    strategy = cf.Strategy.random(game, 1).with_about(note="tête-à-tête", gain=0.1, list=[1, 2])
    strategy.save(path)
    back = cf.Strategy.load(path)
    assert back.probabilities.tobytes() == strategy.probabilities.tobytes()
    assert back.infosets.labels == strategy.infosets.labels
    assert back.infosets.actions == strategy.infosets.actions
    assert np.array_equal(back.infosets.owner, strategy.infosets.owner)
    assert np.array_equal(back.infosets.start, strategy.infosets.start)
    assert (back.spec, back.players, back.fingerprint) == (
        strategy.spec, strategy.players, strategy.fingerprint,
    )  # fmt: skip
    assert dict(back.about) == dict(strategy.about)
    back.check_fits(strategy.tree)


def test_a_loaded_strategy_finds_its_game(tmp_path: Path) -> None:
    strategy = cf.Strategy.random(cf.Leduc(ranks=2, max_raises=1), 1)
    strategy.save(tmp_path / "s")
    assert cf.values(cf.Strategy.load(tmp_path / "s")) == cf.values(strategy)


def test_a_strategy_of_changed_rules_is_refused(tmp_path: Path) -> None:
    cf.Strategy.uniform(cf.Kuhn()).save(tmp_path / "s")
    change_header(tmp_path / "s", fingerprint="0" * 32)
    with pytest.raises(MismatchError, match="rules have changed"):
        cf.value(cf.Strategy.load(tmp_path / "s"))


def test_the_header_can_be_read_by_anyone(tmp_path: Path) -> None:
    solver = Solver(cf.Kuhn(), "dcfr", "external", seed=5)
    solver.step(10)
    solver.save(tmp_path / "s", exploitability=0.25)
    header = header_of(tmp_path / "s")
    assert header["format"] == "counterfold 2"
    assert header["kind"] == "checkpoint"
    assert header["game"] == "kuhn"
    assert header["fingerprint"] == solver.tree.fingerprint
    about = json.loads(header["about"])
    assert about["method"] == "dcfr"
    assert about["iteration"] == 10
    assert about["seed"] == 5
    assert about["exploitability"] == 0.25


# What is changed gets a checksum that fits, so that the checks behind it are tried.


def change_header(path: Path, **entries: str | None) -> None:
    header, arrays = unsealed(path)
    seal(path, {k: v for k, v in {**header, **entries}.items() if v is not None}, arrays)


def change_arrays(path: Path, **changed: np.ndarray | None) -> None:
    header, arrays = unsealed(path)
    seal(path, header, {k: v for k, v in {**arrays, **changed}.items() if v is not None})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    cf.Strategy.random(cf.Kuhn(), 1).save(tmp_path / "strategy")
    return tmp_path / "strategy"


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    solver = Solver(cf.Kuhn(), "dcfr", "external", seed=5)
    solver.step(10)
    solver.save(tmp_path / "checkpoint", [solver.report()])
    return tmp_path / "checkpoint"


def names(**changed: Any) -> np.ndarray:
    good = {
        "labels": [f"I{k}" for k in range(12)],
        "lists": [["a", "b"]],
        "actions": [0] * 12,
    }
    return np.frombuffer(json.dumps({**good, **changed}).encode(), np.uint8)


EVEN = np.full(24, 0.5)
WRONG_ARRAYS: dict[str, dict[str, Any]] = {
    "no probabilities": {"probabilities": None},
    "no owners": {"owner": None},
    "no names": {"names": None},
    "short": {"probabilities": EVEN[:-1]},
    "two dimensions": {"probabilities": EVEN.reshape(12, 2)},
    "nan": {"probabilities": np.where(np.arange(24) == 2, np.nan, EVEN)},
    "sums": {"probabilities": EVEN * 1.01},
    "negative": {"probabilities": np.tile([1.5, -0.5], 12)},
    "text for names": {"names": np.frombuffer(b"hello", np.uint8)},
    "not unicode": {"names": np.frombuffer(b"\xff\xfe\xfa", np.uint8)},
    "a list for names": {"names": np.frombuffer(b"[1]", np.uint8)},
    "few labels": {"names": names(labels=["a"])},
    "actions beyond the lists": {"names": names(actions=[7] * 12)},
    "lists too short": {"names": names(lists=[["a"]])},
    "empty lists": {"names": names(lists=[[]])},
    "owners beyond": {"owner": np.full(12, 2, np.int8)},
    "owners below": {"owner": np.full(12, -1, np.int8)},
    "few owners": {"owner": np.zeros(11, np.int8)},
    "starts fall": {"start": np.arange(26, 0, -2, dtype=np.uint32)},
    "starts late": {"start": np.arange(2, 28, 2, dtype=np.uint32)},
    "no starts": {"start": np.zeros(0, np.uint32)},
}


@pytest.mark.parametrize("kind", WRONG_ARRAYS)
def test_wrong_tables(file: Path, kind: str) -> None:
    change_arrays(file, **WRONG_ARRAYS[kind])
    with pytest.raises(FileError, match="damaged"):
        cf.Strategy.load(file)


def test_right_names_are_read(file: Path) -> None:
    change_arrays(file, names=names())
    assert cf.Strategy.load(file).infosets.labels[3] == "I3"


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ({"format": "counterfold 99"}, "written by another version"),
        ({"format": None}, "not a Counterfold file"),
        ({"players": "two"}, "damaged"),
        ({"players": None}, "damaged"),
        ({"players": "1"}, "damaged"),
        ({"about": "{"}, "damaged"),
        ({"about": "3"}, "damaged"),
        ({"game": None}, "damaged"),
        ({"fingerprint": None}, "damaged"),
    ],
)
def test_wrong_headers(file: Path, entries: dict[str, Any], told: str) -> None:
    change_header(file, **entries)
    with pytest.raises(FileError, match=told):
        cf.Strategy.load(file)


@pytest.mark.parametrize(
    "run",
    [
        "[]", "{", "3", "{}",
        {"settings": None}, {"settings": {"what": 1}}, {"settings": {"dtype": 3}},
        {"settings": {"traversal": ["full"]}}, {"settings": {"explore": "a"}},
        {"rule": {"name": "x", "gamma": "a"}}, {"rule": {"name": "x", "horizon": 0}},
        {"iteration": -1}, {"iteration": "ten"}, {"iteration": 1.5}, {"seconds": "long"},
        {"trace": 3}, {"trace": [{}]}, {"trace": ["a"]},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_runs(checkpoint: Path, run: Any) -> None:
    if isinstance(run, dict):
        run = json.dumps({**json.loads(header_of(checkpoint)["run"]), **run})
    change_header(checkpoint, run=run)
    with pytest.raises(CounterfoldError):
        Solver.resume(checkpoint)


@pytest.mark.parametrize("name", ["regret", "total", "strategy", "seen", "random", "logs"])
def test_wrong_states(checkpoint: Path, name: str) -> None:
    whole = checkpoint.read_bytes()
    good = unsealed(checkpoint)[1][f"state.{name}"]
    for bad in (None, good[:-1], good.astype(np.float32)):
        checkpoint.write_bytes(whole)
        change_arrays(checkpoint, **{f"state.{name}": bad})
        with pytest.raises(FileError):
            Solver.resume(checkpoint)
    if good.dtype.kind == "f":
        bad = good.copy()
        bad.reshape(-1)[0] = np.nan
        checkpoint.write_bytes(whole)
        change_arrays(checkpoint, **{f"state.{name}": bad})
        with pytest.raises(FileError):
            Solver.resume(checkpoint)


def test_truncated_files(checkpoint: Path) -> None:
    whole = checkpoint.read_bytes()
    for size in [*range(0, 200, 7), *range(200, len(whole), 97), len(whole) - 1]:
        checkpoint.write_bytes(whole[:size])
        with pytest.raises(FileError):
            cf.Strategy.load(checkpoint)
    checkpoint.write_bytes(whole + b"more")
    with pytest.raises(FileError):
        cf.Strategy.load(checkpoint)


def test_flipped_bytes(checkpoint: Path) -> None:
    """A flipped bit is told wherever it is, but for blanks at the end of the header."""
    whole = checkpoint.read_bytes()
    good = cf.Strategy.load(checkpoint)
    rng = np.random.default_rng(0)
    told: list[str] = []
    for _ in range(700):
        damaged = bytearray(whole)
        place = int(rng.integers(len(whole)))
        damaged[place] ^= 1 << int(rng.integers(8))
        checkpoint.write_bytes(bytes(damaged))
        try:
            strategy, _, _ = read(checkpoint)
            Solver.resume(checkpoint, KUHN)
        except CounterfoldError as error:
            told.append(str(error))
        else:
            assert (strategy.probabilities == good.probabilities).all()
    assert len(told) > 690
    assert not any("\n" in text for text in told)


KUHN = cf.compile_game(cf.Kuhn())


def test_foreign_files(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(save({"weights": np.zeros(3)}))
    with pytest.raises(FileError, match="not a Counterfold file"):
        cf.Strategy.load(path)
    for content in (b"", b"hello", b"PK\x03\x04" * 50, bytes(range(256)) * 20):
        path.write_bytes(content)
        with pytest.raises(FileError, match="cannot be read"):
            cf.Strategy.load(path)
    with pytest.raises(FileError, match="no file"):
        cf.Strategy.load(tmp_path / "missing")
    with pytest.raises(FileError):
        cf.Strategy.load(tmp_path)


def test_writing_is_whole_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask

    def fail(*args: Any, **kwargs: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FileError, match="No space left"):
        write_whole(path, b"newer")
    assert path.read_bytes() == b"new"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    monkeypatch.undo()
    with pytest.raises(FileError, match="cannot write"):
        write_whole(tmp_path / "no" / "such" / "folder", b"x")
    with pytest.raises(FileError, match="cannot write"):
        write_whole(tmp_path, b"x")
