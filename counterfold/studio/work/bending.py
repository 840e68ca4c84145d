"""Jobs that bend a solution: a style with its price, a target, an answer to an opponent."""

from __future__ import annotations

from counterfold.cli.preferences import place_in, read_preferences
from counterfold.exploit.curve import curve
from counterfold.exploit.response import Response
from counterfold.exploit.responses import (
    NEARER,
    TRUSTS,
    restricted_response,
    safe_response,
    toward,
    within,
)
from counterfold.files.text import Json
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
from counterfold.tree.form import AnyGame, Form, form_of
from counterfold.tree.history import HistoryTree

SHARES = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
"""How far the model is trusted at the points of a curve that linear programs find."""


def style_job(desk: Desk) -> Json:
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


def target_job(desk: Desk) -> Json:
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


def exploit_job(desk: Desk) -> Json:
    """Winnings against exploitability, and the best answer within the budget in the job's file."""
    request, player = desk.request, int(desk.request["player"])
    game = game_of(request, desk.file.stem)
    form = form_of(game)
    model = _model(desk, form)
    budget = request.get("budget")
    answers = _by_programs if isinstance(form, HistoryTree) else _by_cfr
    points = answers(model, player, desk, budget)
    best = within(points, budget)
    chosen = next(k for k, one in enumerate(points) if one is best)
    points[chosen].strategy.save(desk.file)
    rows = [
        {"parameter": one.parameter, "winnings": one.winnings, "exploitability": one.exploitability}
        for one in points
    ]
    return {
        "game": form.spec,
        "player": player,
        "value": points[0].value,
        "points": rows,
        "chosen": chosen,
        "budget": budget,
        "pot": _pot(game),
    }


def _model(desk: Desk, form: Form) -> Strategy:
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
    made: dict[float, Response] = {}
    total = len(TRUSTS) + (0 if budget is None else NEARER)

    def answer(share: float) -> Response:
        desk.tell(at_once=True, doing=f"answer {len(made) + 1} of {total}")
        made[share] = restricted_response(model, player, share)
        return made[share].beside(made[0.0])

    return toward(answer, budget)


def _pot(game: AnyGame) -> float | None:
    return game.pot if isinstance(game, PokerGame) else None
