"""Pieces by threads and processes: each done once, found by its name, checked when it comes."""

import json
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from counterfold.errors import ClusterError, FileError, ParameterError
from counterfold.pieces import piece as pieces_module
from counterfold.pieces.library import entries
from counterfold.pieces.piece import Outcome, Piece, kept, outcomes, packed, unpacked
from counterfold.pieces.store import store_at
from tests.pieces import work

PIECES = [Piece("square", {"of": n}, ("txt",)) for n in range(6)]
SQUARES = {n: n * n for n in range(6)}


def squares(found):
    return {piece.given["of"]: outcome.result["square"] for piece, outcome in found}


class Garbage(Executor):
    """A worker that answers with something else for the first few times."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def submit(self, fn, *args, **kwargs):
        future = Future()
        future.set_result(self.answers.pop(0) if self.answers else fn(*args, **kwargs))
        return future


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_pieces_are_done_by_any_executor(kind):
    with kind(2) as executor:
        found = list(outcomes(PIECES, work.square, executor))
    assert squares(found) == SQUARES
    assert all(outcome.files == {"txt": b"x" * piece.given["of"]} for piece, outcome in found)


@pytest.mark.parametrize("place", ["folder", "file", "memory"])
def test_nothing_is_done_twice(tmp_path, place):
    address = {"folder": f"{tmp_path}/lib", "file": f"file://{tmp_path}/lib"}.get(
        place, f"memory://{tmp_path.name}"
    )
    store, marks = store_at(address), tmp_path / "marks"
    marks.mkdir()
    given = [Piece("square", {"of": n, "folder": str(marks)}) for n in range(4)]
    with ThreadPoolExecutor(2) as executor:
        assert squares(outcomes(given[:2], work.square, executor, store)).keys() == {0, 1}
        assert squares(outcomes(given, work.square, executor, store)) == {0: 0, 1: 1, 2: 4, 3: 9}
        assert len(list(marks.iterdir())) == 4
    assert sorted(entry.given["of"] for entry in entries(store, check=True)) == [0, 1, 2, 3]
    assert sorted(store.names()) == sorted(f"{piece.name}.json" for piece in given)


def test_a_worker_looks_whether_somebody_has_done_it_meanwhile(tmp_path):
    store, piece = store_at(tmp_path), Piece("square", {"of": 5})
    pieces_module.keep(piece, Outcome({"square": "by another"}), store)
    told = pieces_module.perform(work.failing, piece, str(tmp_path))
    assert unpacked(piece, told).result == {"square": "by another"}
    unreachable = pieces_module.perform(work.square, piece, "nowhere://there")
    assert unpacked(piece, unreachable).result == {"square": 25}


def test_the_name_is_of_all_that_goes_in(monkeypatch):
    name = Piece("square", {"of": 3, "by": "x"}).name
    assert name == Piece("square", {"by": "x", "of": 3}, ("txt",)).name
    assert name != Piece("cube", {"of": 3, "by": "x"}).name
    assert name != Piece("square", {"of": 3}).name
    monkeypatch.setattr(pieces_module, "_version", lambda: "0.0.1")
    assert name != Piece("square", {"of": 3, "by": "x"}).name


def test_what_is_damaged_is_done_again(tmp_path):
    store = store_at(tmp_path)
    with ThreadPoolExecutor(1) as executor:
        list(outcomes(PIECES, work.square, executor, store))
        (tmp_path / f"{PIECES[2].name}.txt").write_bytes(b"yy")
        (tmp_path / f"{PIECES[3].name}.json").write_bytes(b"{}")
        (tmp_path / f"{PIECES[4].name}.txt").unlink()
        assert [kept(piece, store) is None for piece in PIECES] == [0, 0, 1, 1, 1, 0]
        damaged = {entry.name for entry in entries(store, check=True) if entry.damage}
        assert damaged == {PIECES[n].name for n in (2, 3, 4)}
        assert squares(outcomes(PIECES, work.square, executor, store)) == SQUARES
    assert not any(entry.damage for entry in entries(store, check=True))


def test_garbage_is_asked_for_again(tmp_path, monkeypatch):
    other = packed(PIECES[1], Outcome({"square": 1}, {"txt": b"x"}))
    wrong = packed(PIECES[2], Outcome({"square": 5}, {"txt": b"xx"}))
    changed = {**wrong, "json": wrong["json"].replace(b": 5", b": 4")}
    for garbage in (None, 7, b"abc", {}, {"json": b"\xff"}, {"json": b"[]"}, other, changed):
        store = store_at(tmp_path)
        found = squares(outcomes(PIECES[2:3], work.square, Garbage(garbage), store))
        assert found == {2: 4}, garbage
        with pytest.raises(ClusterError, match="3 times"):
            list(outcomes(PIECES[2:3], work.square, Garbage(*3 * [garbage])))
    monkeypatch.setattr(pieces_module, "_version", lambda: "0.0.1")
    old = packed(PIECES[2], Outcome({"square": 4}, {"txt": b"xx"}))
    monkeypatch.undo()
    with pytest.raises(FileError, match=r"version 0\.0\.1"):
        unpacked(PIECES[2], old)


def test_errors_of_the_work_and_of_those_who_do_it(tmp_path):
    store = store_at(tmp_path)
    with ThreadPoolExecutor(1) as executor:
        with pytest.raises(ParameterError, match="no such spot"):
            list(outcomes(PIECES, work.refused, executor, store))
        with pytest.raises(ClusterError, match=r"0 of 6 pieces .*oh dear.* goes on with the rest"):
            list(outcomes(PIECES, work.failing, executor, store))
    with pytest.raises(ClusterError, match="after shutdown"):
        list(outcomes(PIECES, work.square, executor, store))
    with ProcessPoolExecutor(1) as executor, pytest.raises(ClusterError, match="terminated"):
        list(outcomes(PIECES, work.always_deadly, executor, store))


def test_a_full_disk_keeps_what_was_done(tmp_path, monkeypatch):
    store = store_at(tmp_path)
    write, room = type(store).write, iter(range(4))

    def full(self, name, content):
        if next(room, None) is None:
            raise FileError(f"cannot write {name}: No space left on device")
        write(self, name, content)

    monkeypatch.setattr(type(store), "write", full)
    with ThreadPoolExecutor(1) as executor, pytest.raises(FileError, match="No space"):
        list(outcomes(PIECES, work.square, executor, store))
    monkeypatch.undo()
    done = [piece for piece in PIECES if kept(piece, store)]
    assert len(done) == 2
    with ThreadPoolExecutor(1) as executor:
        assert squares(outcomes(PIECES, work.square, executor, store)) == SQUARES


def test_stores_refuse_what_is_no_name(tmp_path):
    store = store_at(tmp_path / "a")
    for name in ("../x", "", ".hidden", "a/b", "x\0"):
        with pytest.raises(FileError):
            store.write(name, b"")
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot make"):
        store_at(tmp_path / "file" / "b")
    with pytest.raises(FileError, match="nowhere"):
        store_at("nowhere://x")
    assert json.dumps(store.names()) == "[]"
