"""Exact evaluation: values, best responses, exploitability. Nothing here is an estimate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from counterfold.errors import ParameterError, UnsupportedError, short
from counterfold.evaluate.assessment import Assessment, Evaluator
from counterfold.evaluate.certificate import Certified
from counterfold.evaluate.public import PublicEvaluator
from counterfold.evaluate.sequence import SequenceEvaluator
from counterfold.games.spec import whole
from counterfold.notebook import brief
from counterfold.strategy.layout import Tables
from counterfold.strategy.strategy import AnyStrategy, Strategy, check_strategies
from counterfold.tree.form import Form
from counterfold.tree.history import HistoryTree
from counterfold.tree.public import PublicTree


@dataclass(frozen=True)
class BestResponse(Certified):
    """The most that a player can earn against the others, and a strategy that earns it."""

    player: int
    value: float
    strategy: AnyStrategy

    def __repr__(self) -> str:
        return brief(self, f"of player {self.player}: {self.value:.6g} in {self.strategy.spec}")


F = TypeVar("F", bound=Form)

_EVALUATORS: dict[type, Callable[[Any], Evaluator]] = {
    HistoryTree: SequenceEvaluator,
    PublicTree: PublicEvaluator,
}


def measured_by(form: type[F], evaluator: Callable[[F], Evaluator]) -> None:
    """Have strategies of a kind of form measured so; whoever makes such a form says so."""
    _EVALUATORS[form] = evaluator


def evaluator_of(form: object) -> Evaluator:
    """What measures strategies of a compiled game; kept with it, so that both go when it goes."""
    kept = vars(form)
    if "evaluator" not in kept:
        kinds = [_EVALUATORS[kind] for kind in type(form).__mro__ if kind in _EVALUATORS]
        if not kinds:
            raise UnsupportedError(f"nothing measures strategies of {short(form)}")
        kept["evaluator"] = kinds[0](form)
    evaluator: Evaluator = kept["evaluator"]
    return evaluator


def profile(strategies: tuple[Strategy[F], ...]) -> tuple[F, Tables]:
    """One strategy for everybody, or one a player: the game, and who plays what as one."""
    check_strategies(*strategies)
    first = strategies[0]
    if len(strategies) not in (1, first.players):
        raise ParameterError(
            f"{first.spec} has {first.players} players: give one strategy, or one for each"
        )
    for strategy in strategies[1:]:
        strategy.check_fits(first.tree)
    return first.tree, first.layout.combine([strategy.tables for strategy in strategies])


def assess(*strategies: Strategy) -> Assessment:
    """Values and best responses of a profile: one strategy for all, or one a player.

    >>> import counterfold as cf
    >>> round(cf.assess(cf.Strategy.uniform(cf.Kuhn())).exploitability, 6)
    0.458333
    """
    form, tables = profile(strategies)
    return evaluator_of(form).assess(tables)


def values(*strategies: Strategy) -> tuple[float, ...]:
    """What each player earns on average."""
    form, tables = profile(strategies)
    return evaluator_of(form).values(tables)


def value(*strategies: Strategy) -> float:
    """What player 1 earns on average.

    >>> import counterfold as cf
    >>> cf.value(cf.Strategy.uniform(cf.Kuhn()))
    0.125
    """
    return values(*strategies)[0]


def nash_conv(*strategies: Strategy) -> tuple[float, ...]:
    """What each player would gain by a best response, player by player."""
    return assess(*strategies).gains


def exploitability(*strategies: Strategy) -> float:
    """The mean over players of what a best response would gain, in payoff units a hand.

    In a game of imperfect recall the responder is granted a perfect memory.
    """
    return assess(*strategies).exploitability


def earned_against(strategy: Strategy, player: int, opponent: Strategy) -> float:
    """What one strategy earns as a player against another in all other seats.

    >>> import counterfold as cf
    >>> uniform = cf.Strategy.uniform(cf.Kuhn())
    >>> earned_against(cf.best_response(uniform, 1).strategy, 1, uniform) > 0.4
    True
    """
    _check_player(strategy, player)
    seats = [strategy if p == player else opponent for p in range(strategy.players)]
    form, tables = profile(tuple(seats))
    return evaluator_of(form).value(tables, player)


def best_value(strategy: Strategy, player: int) -> float:
    """What the player's best answer to the others' part of a strategy earns.

    >>> import counterfold as cf
    >>> best_value(cf.Strategy.uniform(cf.Kuhn()), 0)
    0.5
    """
    _check_player(strategy, player)
    return evaluator_of(strategy.tree).best_value(
        strategy.layout.combine([strategy.tables]), player
    )


def best_response(strategy: Strategy, player: int) -> BestResponse:
    """The player's best answer to the others' part of a strategy.

    >>> import counterfold as cf
    >>> answer = cf.best_response(cf.Strategy.uniform(cf.Kuhn()), 0)
    >>> answer.value, answer.strategy.at("J")
    (0.5, {'check': 0.0, 'bet': 1.0})
    """
    _check_player(strategy, player)
    evaluator = evaluator_of(strategy.tree)
    earned, tables = evaluator.best_response(strategy.layout.combine([strategy.tables]), player)
    about = {"method": "best response", "player": player}
    return BestResponse(player, earned, Strategy(strategy.layout, tables, about))


def _check_player(strategy: Strategy, player: int) -> None:
    check_strategies(strategy)
    whole("player", player, least=0, most=strategy.players - 1)
