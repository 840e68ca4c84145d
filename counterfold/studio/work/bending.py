"""Jobs that bend a solution: a style with its price, a target, an answer to an opponent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterfold.cli.preferences import place_in, read_preferences
from counterfold.exploit.curve import curve
from counterfold.exploit.response import Response
from counterfold.exploit.responses import restricted_response, safe_response
from counterfold.play.agents import StrategyAgent, make_agent
from counterfold.play.poker_bots import MODELS
from counterfold.poker.game import PokerGame
from counterfold.solvers.until import Report
from counterfold.strategy.strategy import Strategy
from counterfold.studio.work.solving import game_of
from counterfold.studio.worker import Desk
from counterfold.style.price import price
from counterfold.style.target_search import Stage
from counterfold.style.targets import meet
from counterfold.tree.form import form_of
from counterfold.tree.history import HistoryTree

SHARES = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
"""How far the model is trusted at the points of a curve."""
NEARER = 4
"""More of them, each half as far from the budget of risk."""


def style_job(desk: Desk) -> dict[str, Any]:
    """The price of a style, and the styled strategy in the job's file."""
    request = desk.request
    game = game_of(request, desk.file.stem)
    where = place_in(game, request["give_up"], **request.get("place", {}))
    wanted = read_preferences(request["prefer"], game, where)

    def follow(report: Report) -> None:
        desk.tell(iteration=report.iteration, seconds=report.seconds)

    found = price(
        game, wanted, on_run=lambda name: desk.tell(at_once=True, doing=f"solving, {name}"),
        on_report=follow,
    )  # fmt: skip
    found.styled.strategy.save(desk.file)
    told = found.to_dict()
    for name in ("plain", "styled"):
        told[name].pop("trace", None)
    return {**told, "pot": _pot(game)}


def target_job(desk: Desk) -> dict[str, Any]:
    """The strategy nearest to a frequency, and what it costs."""
    request = desk.request
    game = game_of(request, desk.file.stem)

    def follow(stage: Stage) -> None:
        desk.tell(iteration=stage.iteration, reached=list(stage.reached))

    desk.tell(at_once=True, doing="looking for the style")
    found = meet(game, request["targets"], request["give_up"], on_report=follow)
    found.strategy.save(desk.file)
    return {
        "game": found.game,
        "targets": [
            {"frequency": str(one.frequency), "wanted": one.wanted, "reached": one.reached,
             "plain": one.plain}
            for one in found.targets
        ],
        "met": found.met,
        "within_budget": found.within_budget,
        "cost": found.cost,
        "optimum": found.optimum,
        "exploitability": found.exploitability,
        "style_in_words": list(found.description[:12]),
        "pot": _pot(game),
    }  # fmt: skip


def exploit_job(desk: Desk) -> dict[str, Any]:
    """Winnings against exploitability, and the best answer within the budget in the job's file."""
    request, player = desk.request, int(desk.request["player"])
    game = game_of(request, desk.file.stem)
    form = form_of(game)
    model = _model(desk, form)
    budget = request.get("budget")
    answers = _by_programs if isinstance(form, HistoryTree) else _by_cfr
    points = answers(model, player, desk, budget)
    value = max(one.guarantee for one in points)
    risks = [value - one.guarantee for one in points]
    numbers = range(len(points))
    within = [k for k in numbers if budget is None or risks[k] <= budget + 1e-9]
    chosen = max(within or [risks.index(min(risks))], key=lambda k: points[k].winnings)
    points[chosen].strategy.save(desk.file)
    rows = [
        {"parameter": one.parameter, "winnings": one.winnings, "exploitability": risk}
        for one, risk in zip(points, risks, strict=True)
    ]
    return {
        "game": form.spec,
        "player": player,
        "value": value,
        "points": rows,
        "chosen": chosen,
        "budget": budget,
        "pot": _pot(game),
    }


def _model(desk: Desk, form: Any) -> Strategy:
    name = desk.request["model"]
    desk.tell(at_once=True, doing="making the model")
    if name not in MODELS:
        return Strategy.load(desk.folder.inside(name), form)
    agent = make_agent(name, form)
    assert isinstance(agent, StrategyAgent)
    return agent.strategy


def _by_programs(model: Strategy, player: int, desk: Desk, budget: float | None) -> list[Response]:
    """Epsilon-safe answers, exact by linear programs; one of them at the budget."""

    def follow(done: int, total: int) -> None:
        desk.tell(doing=f"answer {done} of {total}")

    drawn = curve(model, player, shares=SHARES, on_progress=follow)
    found = list(drawn.line("epsilon-safe").points)
    most = max(one.exploitability for one in found)
    return (
        found
        if budget is None or budget >= most
        else [*found, safe_response(model, player, budget)]
    )


def _by_cfr(model: Strategy, player: int, desk: Desk, budget: float | None) -> list[Response]:
    """Restricted Nash responses, each by CFR with every hand; nearer and nearer to the budget."""
    found: dict[float, Response] = {}
    total = len(SHARES) + (0 if budget is None else NEARER)

    def answer(share: float) -> None:
        desk.tell(at_once=True, doing=f"answer {len(found) + 1} of {total}")
        found[share] = restricted_response(model, player, share)

    for share in SHARES:
        answer(share)
    for _ in range(total - len(SHARES)):
        between = _about_budget(found, budget or 0.0)
        if between is None:
            break
        answer(sum(between) / 2)
    return [found[share] for share in sorted(found)]


def _about_budget(found: Mapping[float, Response], budget: float) -> tuple[float, float] | None:
    """The share with the most risk within the budget, and the next one; None if all are within."""
    value = max(one.guarantee for one in found.values())
    over = [share for share, one in found.items() if value - one.guarantee > budget]
    under = [share for share in found if share < min(over, default=0.0)]
    return (max(under), min(over)) if under else None


def _pot(game: Any) -> float | None:
    return game.pot if isinstance(game, PokerGame) else None
