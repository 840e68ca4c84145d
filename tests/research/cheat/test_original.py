"""The table of the original Cheat, in a small version."""

from counterfold.abstraction.contest import Contest
from counterfold.abstraction.horizon_form import met
from counterfold.research.cheat.original import OriginalRow, file_name, original_table
from counterfold.strategy.strategy import Strategy


def test_a_small_table(tmp_path):
    told = []
    table = original_table(
        (2, 3), games=200, contest_games=120, seed=1, threads=1, without=True, folder=tmp_path,
        on_progress=lambda done, of, what: told.append((what, done / of)),
    )  # fmt: skip
    ways = [(True, True), (False, True), (False, False)]
    assert [(row.players, row.honest, row.curriculum) for row in table.rows] == [
        (players, *way) for players in (2, 3) for way in ways
    ]
    for row in table.rows:
        by_chance, _ = row.contests
        assert by_chance.agents == ("strategy",) + ("random",) * (row.players - 1)
        assert by_chance.interval[0] > by_chance.fair
    assert told[-1] == ("3 players", 1.0)
    assert [done for _, done in told] == sorted(done for _, done in told)
    assert met(Strategy.load(tmp_path / file_name(3))) == table.rows[3].infosets
    assert table.to_dict()["rows"][0]["contests"][1]["games"] == 120


def test_winning_means_that_the_whole_interval_lies_above_a_fair_share():
    def row(wins):
        found = Contest(("strategy", "heuristic"), 100, (wins, 100 - wins), 0, 100)
        return OriginalRow(2, True, (4, 8), 1, 1.0, 1.0, 1, (found,))

    assert not row(55).wins
    assert row(65).wins
