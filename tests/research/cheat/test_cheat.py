"""Cheat's tables and figures: what they count, what they judge, and that they can be drawn."""

from __future__ import annotations

import numpy as np
import pytest

from counterfold.errors import ParameterError
from counterfold.research.cheat import pictures, published
from counterfold.research.cheat.costs import Costs, Row, lens_name, side_by_side, table
from counterfold.research.cheat.rates import Baseline, Curve, Rates, figure

VIEWS = published.VIEWS


def test_table_1_of_cheat_3() -> None:
    calls = []
    found = table(1, healths=(3,), on_progress=lambda done, total: calls.append((done, total)))
    assert calls[0] == (0, 4)
    assert calls[-1] == (4, 4)
    assert [row.reachable for row in found.rows] == [292, 1342, 12802, 12910]
    # After 100 sampled iterations; an independent count gives the same means.
    wanted = [290.6, 1318.8, 12438, 12542]
    assert [row.expected for row in found.rows] == pytest.approx(wanted, rel=0.001)
    for row in found.rows:
        assert abs(row.met - row.expected) < 5 * row.spread
        assert row.met <= row.reachable
        assert row.visits == found.rows[0].visits  # the same deals
        assert row.cpu_seconds > 0
        assert row.faster == pytest.approx(row.paper_seconds / row.cpu_seconds)
        assert row.paper_seconds == published.PAPER[1][row.view].seconds[0]
    # Where nobody remembers the way, every deal is cheaper than one at a time.
    every = {row.view: row.graph_seconds for row in found.rows}
    assert every["memoryless"] > 0
    assert every["hp"] > 0
    assert every["history"] is every["general"] is None
    assert all(finding.holds for finding in found.findings)
    assert len(found.to_dict()["rows"]) == 4
    assert pictures.draw_costs(found) is not None


def test_other_deals_give_other_counts_and_the_same_means() -> None:
    one, other = (table(2, iterations=10, healths=(3,), seed=seed) for seed in (1, 2))
    assert [row.met for row in one.rows] != [row.met for row in other.rows]
    assert [row.expected for row in one.rows] == [row.expected for row in other.rows]


def row(view: str, health: int, expected: float, spread: float = 1.0) -> Row:
    infosets = published.PAPER[1][view].infosets[health - 3]
    return Row(view, view, health, int(expected), expected, spread, int(expected),
               10 * 14 ** (health - 3), 1.0, 1.0, infosets, 60)  # fmt: skip


def test_findings_of_a_table_fail_where_they_should() -> None:
    rows = [
        *(row("memoryless", health, 292) for health in (3, 4)),
        *(row("hp", health, count) for health, count in ((3, 1331), (4, 2500))),
        *(row("history", health, count) for health, count in ((3, 100), (4, 1000))),
        *(row("general", health, count) for health, count in ((3, 100), (4, 200))),
    ]
    same, hp, twice, tenfold, work = Costs(1, tuple(rows), 100, 0, 1.0, 1.0).findings
    assert same.holds
    assert hp.holds is False  # 57 standard deviations off
    assert twice.holds
    assert not tenfold.holds  # general grows by 2 only
    assert work.holds
    fewer = Costs(1, tuple(rows), 5, 0, 1.0, 1.0).findings
    # What is met and visited, and so how that grows, is a matter of the iterations.
    assert [finding.holds for finding in fewer] == [True, None, None, None, None]


def curve(view: str, bot: str, rates: list[float], **told: object) -> Curve:
    marks = told.pop("marks", tuple(range(0, 5 * len(rates), 5)))
    abstract, start = told.pop("abstract", True), told.pop("start", "nothing")
    return Curve(view, abstract, bot, start, marks, np.array([rates, rates]))


def rates(number: int, curves: list[Curve], baseline: float = 0.8, iterations: int = 100) -> Rates:
    line = {health: Baseline(baseline, 0.01) for health in (2, 3, 4, 100)}
    return Rates(number, tuple(curves), line, 2, iterations, 100, 0, 1.0)


def test_findings_of_figure_1() -> None:
    ends = {"memoryless": 0.9, "hp": 0.85, "history": 0.85, "general": 0.7}
    curves = [
        curve(view, bot, [0.5, 0.8, end - 0.01, end], abstract=abstract)
        for abstract in (False, True)
        for bot in ("random", "heuristic")
        for view, end in ends.items()
    ]
    above, beaten, early, dagger, gain = rates(1, curves).findings
    assert above.holds
    assert beaten.holds
    assert early.holds
    assert dagger.holds
    assert not gain.holds  # abstraction adds nothing
    assert "after" not in beaten.measured
    assert {finding.holds for finding in rates(1, curves, iterations=15).findings} == {None}
    weak = rates(1, curves, baseline=0.87).findings
    assert not weak[0].holds
    assert not weak[3].holds


def test_findings_of_figure_2() -> None:
    marks = (3, 100)
    ends = {"memoryless": 0.85, "history": 0.8, "hp": 0.7, "general": 0.5}
    curves = [
        curve(view, bot, [0.8, end], marks=marks)
        for bot in ("random", "heuristic")
        for view, end in ends.items()
    ]
    assert [finding.holds for finding in rates(2, curves).findings] == [True, True, True]
    curves[0] = curve("memoryless", "random", [0.85, 0.75], marks=marks)
    assert [finding.holds for finding in rates(2, curves).findings] == [False, True, False]


def test_findings_of_figure_3() -> None:
    curves = []
    for view in VIEWS:
        for bot in ("random", "heuristic"):
            curves.append(curve(view, bot, [0.5, 0.7, 0.75]))
            carried = [0.7, 0.8, 0.8] if view != "general" else [0.7, 0.75, 0.70]
            curves.append(curve(view, bot, carried, start="carried"))
    holds = {finding.claim.split(":")[0]: finding.holds for finding in rates(3, curves).findings}
    assert holds == {
        "Memoryless": True,
        "HP-Aware": False,  # it helps here, which the paper denies
        "History-Aware": True,
        "General": False,  # it ends lower
    }


@pytest.mark.parametrize("number", [1, 2, 3])
def test_figures_are_told_by_their_seed_and_can_be_drawn(number: int) -> None:
    given = {"runs": 2, "iterations": 10, "games": 300}
    one, same = (figure(number, seed=1, **given) for _ in range(2))
    told = [curve.rates.tolist() for curve in one.curves]
    assert told == [curve.rates.tolist() for curve in same.curves]
    other = figure(number, seed=2, **given)
    assert told != [curve.rates.tolist() for curve in other.curves]
    assert len(one.curves) == {1: 16, 2: 8, 3: 16}[number]
    document = one.to_dict()
    assert len(document["curves"]) == len(one.curves)
    assert len(document["findings"]) == {1: 5, 2: 3, 3: 4}[number]
    assert pictures.draw_rates(one) is not None


def test_agents_learn() -> None:
    found = figure(1, runs=2, iterations=50, games=2000)
    for view in VIEWS:
        for bot in ("random", "heuristic"):
            learned = found.curve(view, bot)
            assert learned.at(50) > learned.at(0) + 0.1
            assert learned.at(500) > learned.at(50) - 0.03
    assert found.baseline[3].rate > 0.8
    assert "after 500 iterations" in found.findings[0].measured


def test_abstraction_is_that_of_the_paper() -> None:
    assert lens_name("general", True) == "general, cards, rounds=3"
    assert lens_name("hp", True) == "hp, cards"
    assert lens_name("history", False) == "history"


def test_jobs_side_by_side_keep_their_order_and_stop_together() -> None:
    assert side_by_side([lambda pause, n=n: n * n for n in range(5)]) == [0, 1, 4, 9, 16]

    def endless(pause):
        while True:
            pause()

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        side_by_side([endless, endless], on_progress=stop)


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(ParameterError, match="no table 3"):
        table(3)
    with pytest.raises(ParameterError, match="no figure 4"):
        figure(4)
    with pytest.raises(ParameterError, match="3, 4 and 5"):
        table(1, healths=(7,))


def test_the_price_of_a_view():
    from counterfold.research.cheat.price import prices

    found = prices(health=2, iterations=300)
    by_name = {row.agent: row for row in found.rows}
    assert by_name["general"].exploitability["cfr+ 300"] < 1e-3 < found.uniform
    assert (
        by_name["memoryless"].exploitability["cfr+ 300"]
        > 10 * by_name["general"].exploitability["cfr+ 300"]
    )
    assert set(found.columns) == set(by_name["hp"].exploitability)
