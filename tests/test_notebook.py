"""What people see who work in Python: names and files, short lines, tables, frames."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import CounterfoldError, FileError, MissingExtraError
from counterfold.exploit.curve import curve
from counterfold.notebook import html_table
from counterfold.poker import holdem
from counterfold.searchers.bounds import nearest
from counterfold.searchers.gadget import maxmargin
from counterfold.style.price import price
from counterfold.tree.sequence import sequence_form

SPOT = {
    "board": "Ks 9h 6s 4d 2c", "pot": 200, "stack": 600, "oop": "AA,QQ", "ip": "JJ,TT",
    "bets": ["75%"], "raises": [],
}  # fmt: skip


@pytest.fixture
def spot_file(tmp_path: Path) -> Path:
    path = tmp_path / "river.json"
    path.write_text(json.dumps(SPOT))
    return path


def test_a_name_or_a_file_is_solved_like_its_game(spot_file: Path) -> None:
    named, made = cf.solve("leduc", until=30), cf.solve(cf.Leduc(), until=cf.Until(iterations=30))
    assert named.exploitability == made.exploitability
    assert named.strategy == made.strategy
    river = cf.solve(spot_file, until="0.1%")
    assert river.poker is not None
    assert river.poker.percent_of_pot is not None
    assert river.poker.percent_of_pot <= 0.1 < 100 * river.trace[0].exploitability / 200
    assert river.stopped == "exploitability"
    assert cf.solve(str(spot_file), until=cf.Until(exploitability="0.1%")).iterations == (
        river.iterations
    )
    assert cf.Solver("kuhn").tree.spec == "kuhn"


def test_what_a_file_is_is_loaded(spot_file: Path, tmp_path: Path) -> None:
    assert cf.load(spot_file).pot == 200
    assert cf.load("fhp(deck=QKA)").name == "fhp"
    result = cf.solve("kuhn", until=20, save=tmp_path / "run.safetensors")
    result.strategy.save(tmp_path / "kuhn.safetensors")
    assert cf.load(tmp_path / "run.safetensors") == cf.load(tmp_path / "kuhn.safetensors")
    assert cf.load(tmp_path / "kuhn.safetensors") == result.strategy
    agents = [cf.make_agent("uniform", cf.Kuhn()) for _ in range(2)]
    match = cf.Match(cf.Kuhn(), *agents, seed=1)
    match.play(5, record=str(tmp_path / "hands.jsonl"))
    match.save(tmp_path / "match.safetensors")
    assert len([*cf.load(tmp_path / "hands.jsonl").hands()]) == 5
    assert cf.load(tmp_path / "match.safetensors").hands == 5
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(FileError, match=r"broken\.json, line 1"):
        cf.load(tmp_path / "broken.json")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cf.solve(3), "a game is a name such as 'leduc'.*not 3"),
        (lambda: cf.solve("kuhn", method=3), "a method is a name such as 'cfr\\+', and not 3"),
        (
            lambda: cf.best_response(cf.Strategy.uniform(cf.Kuhn()), "x"),
            "player must be a whole number from 0 to 1, not x",
        ),
        (lambda: cf.solve(cf.Kuhn), r"Kuhn is a class; make a game of it: Kuhn\(\)"),
        (lambda: cf.solve("leduk"), "did you mean leduc"),
        (lambda: cf.load(None), "a game is a name"),
        (lambda: cf.solve("kuhn", until=0.1), "until is 0.1, and must be"),
        (lambda: cf.solve("kuhn", until=True), "until is True"),
        (lambda: cf.solve("kuhn", until="soon"), "no exploitability to stop at"),
        (lambda: cf.solve("kuhn", until="0.1%"), "kuhn has neither"),
        (lambda: cf.solve("kuhn", until=5, sed=3), "no setting 'sed'.*seed"),
        (lambda: cf.Solver("kuhn", speed=1), "no setting 'speed'"),
    ],
)
def test_what_means_nothing_is_one_sentence(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(CounterfoldError, match=words):
        call()


def test_equal_strategies_are_equal() -> None:
    one, same = cf.Strategy.random("kuhn", 1), cf.Strategy.random("kuhn", 1)
    other = cf.Strategy.random("kuhn", 2)
    assert one == same
    assert len({one, same, other}) == 2
    assert one == one.with_about(method="else")
    assert one != other
    assert one != "kuhn"
    assert one != cf.Strategy.uniform(holdem.kuhn())
    assert cf.Strategy.uniform(holdem.kuhn()) == cf.Strategy.uniform(holdem.kuhn())
    moved = one.probabilities.copy()
    moved[:2] = moved[:2][::-1]
    assert one != cf.Strategy.of(one.tree, moved)


@pytest.mark.parametrize("game", [cf.Leduc(), holdem.leduc()])
def test_a_strategy_is_a_collection_of_its_infosets(game: Any) -> None:
    strategy = cf.Strategy.random(game, 3)
    assert len(strategy) == len([*strategy]) == len([*strategy.rows()])
    first = next(iter(strategy))
    assert sum(first.actions.values()) == pytest.approx(1)


def test_a_place_in_brackets_is_what_is_played_there() -> None:
    strategy = cf.Strategy.random("kuhn", 3)
    assert strategy["J"] == strategy.at("J")
    assert strategy["J", "bet"] == strategy.at("J", "bet")


def test_tables_of_a_page_are_cut_and_escaped() -> None:
    strategy = cf.Strategy.uniform("leduc")
    page = strategy._repr_html_()
    assert page.count("<tr>") == 22  # the head, twenty infosets, and that there are more
    assert "\u2026" in page
    assert "fold 50.0%" in cf.Strategy.uniform("kuhn")._repr_html_()
    assert "<b>" not in html_table("<b>", ["<b>"], [["<b>", 0.1]])
    assert "sapcfr+" in cf.solve("kuhn", until=5)._repr_html_()


def test_matches_and_grids_in_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    match = cf.Match(cf.Kuhn(), *(cf.make_agent(name, "kuhn") for name in ("uniform", "random")))
    assert "&lt;Match of kuhn: uniform, random" in match._repr_html_()
    result = match.play(200)
    assert match._repr_html_() == result._repr_html_()
    assert f"{result.scores[0].plain.mean:.6g}" in result._repr_html_()
    made: list[Any] = []
    fake = SimpleNamespace(DataFrame=lambda rows, columns: made.append((columns, rows)))
    monkeypatch.setitem(sys.modules, "pandas", fake)
    result.to_pandas()
    assert [row[0] for row in made[0][1]] == ["uniform", "random"]
    river = cf.spot({"board": "Ks 9h 6s 4d 2c", "pot": 20, "stack": 40, "oop": "QQ+", "ip": "JJ",
                     "bets": ["50%"], "raises": []})  # fmt: skip
    grid = cf.view(cf.Strategy.uniform(river))
    page = grid._repr_html_()
    assert page.count("<td ") == 169
    assert 'title="QQ: check 50.0%, bet 10 50.0%"' in page
    assert page.count("linear-gradient") == 3
    assert "equity" in cf.view(cf.Strategy.uniform(river), "check, check")._repr_html_()


def test_frames_have_every_action_and_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    fake = SimpleNamespace(DataFrame=lambda rows, columns: made.append((columns, rows)))
    monkeypatch.setitem(sys.modules, "pandas", fake)
    strategy, result = cf.Strategy.random("kuhn", 3), cf.solve("kuhn", until=20)
    strategy.to_pandas(player=1)
    columns, rows = made.pop()
    assert columns == ["player", "infoset", "action", "probability"]
    assert {row[0] for row in rows} == {1}
    assert [row[3] for row in rows] == [
        p for row in strategy.rows(player=1) for p in row.actions.values()
    ]
    result.to_pandas()
    columns, rows = made.pop()
    assert columns == ["iteration", "cpu_seconds", "exploitability", "cce_gap"]
    assert [row[0] for row in rows] == [report.iteration for report in result.trace]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"counterfold\[pandas\]"):
        strategy.to_pandas()


def things() -> dict[str, Any]:
    """One of everything that people get to see."""
    kuhn, river = cf.Kuhn(), cf.spot(SPOT)
    uniform, result, poker = cf.Strategy.uniform(kuhn), cf.solve(kuhn, until=9), cf.solve(river)
    match = cf.Match(kuhn, *(cf.make_agent(name, kuhn) for name in ("uniform", "random")), seed=1)
    many = np.arange(900.0).reshape(30, 30)
    report = cf.FlopReport({k: v for k, v in SPOT.items() if k != "board"}, 2)
    leduc = cf.solve("leduc", until=20).strategy
    return {
        "game": kuhn, "matrix": cf.NormalForm(many), "spot": river, "rules": cf.PokerRules(river),
        "tree": result.strategy.tree, "public tree": poker.strategy.tree,
        "until": cf.Until(seconds=3),
        "strategy": result.strategy, "poker strategy": poker.strategy, "result": result,
        "poker result": poker, "poker part": poker.poker, "report": result.trace[-1],
        "solver": cf.Solver(kuhn), "method": cf.method("dcfr"), "assessment": cf.assess(uniform),
        "best response": cf.best_response(uniform, 0), "range": cf.Range.parse("22+,A2s+,K2s+"),
        "wide range": cf.Range(np.linspace(0.0, 1.0, 1326)), "betting": river.betting,
        "cards": river.rules, "infosets": result.strategy.tree.infosets,
        "sequences": sequence_form(result.strategy.tree),
        "measured": cf.assess(leduc), "methods": cf.METHODS,
        "equity": cf.range_equity("AA", "KK"), "view": cf.view(poker.strategy), "flops": report,
        "lock": cf.Lock("bet", {"call": 1}), "locks": cf.Locks([cf.Lock("bet", {"call": 1})]),
        "model": cf.OpponentModel(uniform), "response": cf.restricted_response(uniform, 0, 0.5),
        "style": cf.Style({"bet": 2.0}, player=0), "agent": cf.StrategyAgent(uniform),
        "match": match, "match result": match.play(4), "score": match.play(4).scores[0],
        "estimate": match.play(4).scores[0].plain,
        "tournament": cf.tournament(kuhn, ["uniform", "random"], 4),
        "searcher": cf.Searcher(leduc, 0), "subgames": cf.subgames(leduc.tree),
        "frontier": cf.frontier(kuhn, "bet", [0.0, 0.1]),
    }  # fmt: skip


def test_everything_is_told_in_one_short_line() -> None:
    found = things()
    long, poker = {name: repr(thing) for name, thing in found.items()}, found["poker result"]
    wrong = {n: t for n, t in long.items() if len(t) > 120 or "\n" in t or " at 0x" in t}
    assert not wrong
    told = f"of {poker.game}: oop wins {poker.poker.evs[0]:.6g} of 200, exploitability "
    assert told in long["poker result"]
    assert f"{poker.poker.percent_of_pot:.3g}% of the pot" in long["poker result"]


def test_what_is_no_strategy_and_no_game_is_told_in_one_sentence() -> None:
    river = cf.Strategy.uniform(holdem.leduc())
    for takes_strategy in (
        cf.OpponentModel, cf.StrategyAgent, cf.statistics, cf.view, cf.SafeSearcher,
        lambda given: cf.Searcher(given, 0), lambda given: cf.greedy_response(given, 0),
        lambda given: cf.restricted_response(given, 0, 0.5),
        lambda given: cf.biased_response(given, 0, 0.5),
        lambda given: cf.safe_response(given, 0, 0.1),
    ):  # fmt: skip
        with pytest.raises(cf.ParameterError, match=r"a strategy is needed.*not 'leduc'$"):
            takes_strategy("leduc")
    for takes_tree in (cf.subgames, lambda given: cf.depth_limited(given, {})):
        with pytest.raises(cf.ParameterError, match="a game by its histories is needed"):
            takes_tree("leduc")
    with pytest.raises(cf.ParameterError, match="a game by its histories is needed"):
        cf.OpponentModel(river)
    for takes_game in (cf.solve, cf.correlated_gaps, cf.compile_game, cf.measure):
        with pytest.raises(cf.ParameterError, match=r"a game is a name.*<Strategy of leduc"):
            takes_game(cf.Strategy.uniform("leduc"))


def test_no_public_class_is_told_by_its_address() -> None:
    public = [getattr(cf, name) for name in cf.__all__]
    kinds = [kind for kind in public if isinstance(kind, type) and not issubclass(kind, Exception)]
    assert len(kinds) > 30
    assert not [kind for kind in kinds if kind.__repr__ is object.__repr__]
    assert repr(cf.make_agent("deocfr", cf.Kuhn())) == "<Learner deocfr>"


def test_a_name_is_a_game_and_an_agent_wherever_one_is_asked_for() -> None:
    assert cf.compile_game("kuhn").histories == cf.measure("kuhn").histories == 58
    assert cf.frontier("kuhn", "bet@J", [0]).points == cf.frontier(cf.Kuhn(), "bet@J", [0]).points
    named, made = cf.Match("kuhn", "uniform", "random"), cf.make_agent("random", cf.Kuhn())
    assert named.play(9).scores == cf.Match(cf.Kuhn(), "uniform", made).play(9).scores


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: cf.Range("AA,KK"), "a range in words is Range.parse('AA,KK')"),  # type: ignore[arg-type]
        (lambda: cf.compile_game(cf.Kuhn), "Kuhn is a class; make a game of it: Kuhn()"),  # type: ignore[arg-type]
        (lambda: cf.measure(None), "a game is a name such as 'leduc', a file"),  # type: ignore[arg-type]
        (lambda: cf.Match("kuhn", "uniform", "nobody"), "there is no agent 'nobody'"),
    ],
)
def test_what_is_none_is_refused_in_one_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(cf.CounterfoldError) as refused:
        call()
    assert str(refused.value).startswith(sentence)


def test_curves_and_frontiers_are_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = cf.frontier(cf.Kuhn(), "bet@J", [0, 0.05])
    risks = curve(cf.Strategy.uniform(cf.Kuhn()), 0, shares=[0, 1])
    meeting = cf.meet(cf.Kuhn(), {"bet@J": 0.25}, iterations=60)
    assert frontier[1] is [*frontier][-1] is frontier.points[1]
    assert risks["rnr"][0].winnings == risks.line("rnr").points[0].winnings
    assert [line.kind for line in risks] == ["epsilon-safe", "rnr", "dbr", "mix"]
    made = SimpleNamespace(DataFrame=lambda rows, columns: [columns, *rows])
    monkeypatch.setitem(sys.modules, "pandas", made)
    for thing, column in ((frontier, "high"), (risks, "winnings"), (meeting, "bet@J")):
        head, *rows = thing.to_pandas()
        assert column in head
        assert len(rows) == len(thing) > 1
        assert {len(row) for row in rows} == {len(head)}
        assert thing._repr_html_().count("<tr>") >= 3
    assert frontier.to_pandas()[2][2] == pytest.approx(0.483333, abs=1e-6)


def test_parts_of_searches_and_styles_are_one_short_line() -> None:
    leduc = cf.Strategy.uniform(cf.Leduc())
    searcher = cf.Searcher(leduc, 1)
    entry, found = searcher.entry(0), searcher.refine(0, "maxmargin")
    public = cf.Searcher(cf.Strategy.uniform(holdem.leduc()), 0)
    subgame = cf.subgames(leduc.tree)[0]
    style = cf.Style({"bet": 2.0})
    things: list[object] = [
        entry, found, *found.parts, searcher.everywhere(maxmargin, searcher.places[:1]), subgame,
        *subgame.treeplexes, nearest(cf.subgames(leduc.tree), leduc, 0),
        public.entry(public.places[0]), style.on(leduc.tree), cf.Locks([cf.Lock("K", {"bet": 1})]),
        cf.meet(cf.Kuhn(), {"bet@J": 0.25}, iterations=5),
        price(cf.Kuhn(), style, until=cf.Until(iterations=5)),
    ]  # fmt: skip
    for thing in things:
        assert len(repr(thing)) <= 111, type(thing)
        assert "\n" not in repr(thing)
        assert " at 0x" not in repr(thing)
