"""Solutions in a library: found before a game is solved, the same piece as in a report."""

import counterfold as cf
from counterfold.pieces.library import entries
from counterfold.pieces.store import store_at
from counterfold.solvers import shelf
from counterfold.solvers.flop_report import FlopReport
from counterfold.solvers.shelf import solve_in
from tests.solvers.test_flop_report import SPOT

FLOP = "As Kh Td"


def refuse(*args, **more):
    raise AssertionError("solved again")


def test_what_is_there_is_not_solved_again(tmp_path, monkeypatch):
    store = store_at(tmp_path / "lib")
    for game, until in (("kuhn", 1e-3), ("leduc", 0.05)):
        first = solve_in(store, game, until=cf.Until(exploitability=until))
        with monkeypatch.context() as still:
            still.setattr(shelf, "solve", refuse)
            again = solve_in(
                store, game, until=cf.Until(exploitability=until), save=tmp_path / "saved"
            )
        assert again.stopped == "library"
        assert (again.iterations, again.method) == (first.iterations, first.method)
        assert again.exploitability == first.exploitability
        assert again.to_dict().keys() == first.to_dict().keys()
        assert (cf.load(tmp_path / "saved").probabilities == first.strategy.probabilities).all()
    assert len(list(entries(store, check=True))) == 2
    solve_in(store, "kuhn", "cfr+", cf.Until(exploitability=1e-3))
    solve_in(store, "kuhn", until=cf.Until(exploitability=1e-9, iterations=10))
    assert len(list(entries(store))) == 3, "another method is another piece; a poor run is none"


def test_a_flop_is_the_same_piece_alone_and_in_a_report(tmp_path, monkeypatch):
    store = store_at(tmp_path)
    spot = cf.spot({**SPOT, "board": FLOP})
    alone = solve_in(store, spot, until="1%", threads=1)
    report = FlopReport(SPOT, FLOP.replace(" ", ""), accuracy="1%", library=store, keep=True)
    monkeypatch.setattr("counterfold.solvers.flop_report.solve", refuse)
    (row,) = report.run()
    assert row.exploitability == alone.exploitability
    assert row.iterations == alone.iterations
    monkeypatch.setattr(shelf, "solve", refuse)
    again = solve_in(store, spot, until="1%")
    assert again.poker.evs == alone.poker.evs
    assert {**vars(again.poker), "memory": 0} == {**vars(alone.poker), "memory": 0}
