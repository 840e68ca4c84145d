"""Slow, obvious oracles over the rules themselves: CFR, values, best responses, regrets.

Nothing here knows of compiled trees or kernels. A strategy is a dictionary from an infoset
``(player, observation)`` to a list of probabilities in the order of the actions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from counterfold.games.base import CHANCE, TERMINAL

Infoset = tuple[int, Any]
Table = dict[Infoset, list[float]]


@dataclass(frozen=True)
class Rule:
    """The parameters of a variant, as the papers give them."""

    alpha: float = math.inf
    beta: float = math.inf
    gamma: float = 0.0
    floor: bool = False
    prediction: float = 0.0
    alpha_slope: float = 0.0
    beta_slope: float = 0.0
    gamma_slope: float = 0.0
    horizon: int = 1000

    def along(self, t: int) -> float:
        return min(t / self.horizon, 1)

    def fade(self, t: int) -> float:
        """What the sum of strategies is multiplied by in iteration t."""
        return ((t - 1) / t) ** (self.gamma + self.gamma_slope * self.along(t))

    def weight(self, before: float, t: int) -> float:
        """What regrets have been summed with after iteration t."""
        return before * discount(t, self.alpha + self.alpha_slope * self.along(t)) + 1

    def regrets(
        self, t: int, old: Sequence[float], new: Sequence[float]
    ) -> tuple[list[float], list[float]]:
        """Regrets after iteration t, and those that the next strategy is drawn from."""
        positive = discount(t, self.alpha + self.alpha_slope * self.along(t))
        negative = discount(t, self.beta + self.beta_slope * self.along(t))
        regrets, ahead = [], []
        for before, r in zip(old, new, strict=True):
            now = before * (positive if before > 0 else negative) + r
            regrets.append(max(now, 0.0) if self.floor else now)
            if self.prediction:  # on top of R as it will be faded at the next iteration
                coming = discount(t + 1, self.alpha)
                ahead.append(regrets[-1] + self.prediction * r / coming)
            else:
                ahead.append(now)
        return regrets, ahead


@dataclass(frozen=True)
class Style:
    """Pref-CFR: preference degrees by action, vulnerability degrees by infoset."""

    delta: Table
    beta: dict[Infoset, float]
    best: bool = False


RULES = {
    "cfr": Rule(),
    "cfr+": Rule(gamma=1, floor=True),
    "linear": Rule(alpha=1, beta=1, gamma=1),
    "dcfr": Rule(alpha=1.5, beta=0, gamma=2),
    "dcfr+": Rule(alpha=1.5, gamma=4, floor=True),
    "pcfr+": Rule(gamma=2, floor=True, prediction=1),
    "pdcfr+": Rule(alpha=2.3, gamma=5, floor=True, prediction=1),
    "sapcfr+": Rule(gamma=4, floor=True, prediction=0.4),
    "hs-dcfr": Rule(
        alpha=1, alpha_slope=3, beta=-1, beta_slope=-2, gamma=30, gamma_slope=-5, horizon=1000
    ),
    "hs-pcfr+": Rule(gamma=30, gamma_slope=-5, floor=True, prediction=1, horizon=1000),
    # The same with other numbers; a horizon of 5 is passed within a few iterations.
    "cfr+(2)": Rule(gamma=2, floor=True),
    "dcfr(2.5, -0.5, 4)": Rule(alpha=2.5, beta=-0.5, gamma=4),
    "hs-dcfr(15, 5)": Rule(
        alpha=1, alpha_slope=3, beta=-1, beta_slope=-2, gamma=15, gamma_slope=-5, horizon=5
    ),
    "hs-pcfr+(15, 5)": Rule(gamma=15, gamma_slope=-5, floor=True, prediction=1, horizon=5),
}


def infosets(game: Any) -> dict[Infoset, tuple[Any, ...]]:
    """Every infoset with its actions."""
    found: dict[Infoset, tuple[Any, ...]] = {}

    def walk(state: Any) -> None:
        turn = game.turn(state)
        if turn == TERMINAL:
            return
        if turn == CHANCE:
            for outcome, _ in game.chance(state):
                walk(game.next(state, outcome))
            return
        found[turn, game.observe(state, turn)] = tuple(game.actions(state))
        for action in game.actions(state):
            walk(game.next(state, action))

    walk(game.root())
    return found


def uniform(game: Any) -> Table:
    return {i: [1 / len(actions)] * len(actions) for i, actions in infosets(game).items()}


def regrets_and_reach(game: Any, strategy: Table, player: int) -> tuple[Table, Table]:
    """Counterfactual regrets of a player, and what an iteration adds to its average.

    The latter is the sum over the infoset's histories of chance x own reach x strategy.
    """
    mine = [i for i in strategy if i[0] == player]
    regret: Table = {i: [0.0] * len(strategy[i]) for i in mine}
    reach: Table = {i: [0.0] * len(strategy[i]) for i in mine}

    def walk(state: Any, others: float, own: float) -> float:
        turn = game.turn(state)
        if turn == TERMINAL:
            return game.payoff(state)[player]
        if turn == CHANCE:
            return sum(
                p * walk(game.next(state, o), others * p, own * p) for o, p in game.chance(state)
            )
        infoset = (turn, game.observe(state, turn))
        played = strategy[infoset]
        actions = game.actions(state)
        if turn != player:
            return sum(
                p * walk(game.next(state, a), others * p, own)
                for a, p in zip(actions, played, strict=True)
            )
        worth = [
            walk(game.next(state, a), others, own * p) for a, p in zip(actions, played, strict=True)
        ]
        value = sum(p * w for p, w in zip(played, worth, strict=True))
        for k, w in enumerate(worth):
            regret[infoset][k] += others * (w - value)
            reach[infoset][k] += own * played[k]
        return value

    walk(game.root(), 1.0, 1.0)
    return regret, reach


class Cfr:
    """Textbook CFR with all that the variants vary."""

    def __init__(
        self, game: Any, rule: Rule, alternating: bool, style: Style | None = None
    ) -> None:
        self.game, self.rule, self.alternating, self.style = game, rule, alternating, style
        self.t = 0
        self.weight = 0.0  # what regrets have been summed with
        self.strategy = uniform(game)
        self.regret: Table = {i: [0.0] * len(s) for i, s in self.strategy.items()}
        self.total: Table = {i: [0.0] * len(s) for i, s in self.strategy.items()}
        self.ahead: Table = {}  # regrets, with the prediction where there is one
        for i, regret in self.regret.items():
            self.strategy[i] = self.played(i, regret)

    def run(self, iterations: int) -> Cfr:
        for _ in range(iterations):
            self.step()
        return self

    def step(self, decided: Table | None = None) -> None:
        """One iteration. Where regrets tie, rounding decides: ``decided`` tells how it did."""
        self.t += 1
        self.weight = self.rule.weight(self.weight, self.t)
        everyone = range(self.game.players)
        for updating in [[p] for p in everyone] if self.alternating else [list(everyone)]:
            news = [regrets_and_reach(self.game, self.strategy, p) for p in updating]
            for regret, reach in news:
                for i in regret:
                    self.update(i, regret[i], reach[i])
                    if decided is not None and self.tied(i):
                        self.strategy[i] = decided[i]

    def tied(self, i: Infoset) -> bool:
        """Does the strategy here hang on a regret that is zero but for rounding?"""
        return abs(max(self.ahead[i])) < 1e-9

    def update(self, i: Infoset, new: list[float], reach: list[float]) -> None:
        self.regret[i], self.ahead[i] = self.rule.regrets(self.t, self.regret[i], new)
        fade = self.rule.fade(self.t)
        self.total[i] = [s * fade + r for s, r in zip(self.total[i], reach, strict=True)]
        self.strategy[i] = self.played(i, self.ahead[i])

    def played(self, i: Infoset, ahead: list[float]) -> list[float]:
        if self.style is None:
            return match(ahead)
        beta = self.style.beta[i] * self.weight
        return match(ahead, self.style.delta[i], beta, self.style.best)

    def average(self) -> Table:
        return {i: to_one(total) for i, total in self.total.items()}


def discount(t: int, exponent: float) -> float:
    """(t-1)^e / ((t-1)^e + 1) on what was there before iteration t."""
    if t == 1 or exponent == math.inf:
        return 1.0
    return (t - 1) ** exponent / ((t - 1) ** exponent + 1)


def match(
    ahead: Sequence[float],
    delta: Sequence[float] | None = None,
    allowance: float = 0.0,
    best: bool = False,
) -> list[float]:
    """Regret matching; with a style, Pref-CFR's equations 10 to 13."""
    if delta is None:
        return to_one([max(m, 0.0) for m in ahead])
    weights = [d * max(m - allowance, 0.0) for m, d in zip(ahead, delta, strict=True)]
    if not any(weights):
        weights = [float(d == max(delta)) for d in delta] if best else list(delta)
    elif best:
        weights = [float(k == weights.index(max(weights))) for k in range(len(weights))]
    return to_one(weights)


def to_one(weights: Sequence[float]) -> list[float]:
    total = sum(weights)
    return [w / total for w in weights] if total > 0 else [1 / len(weights)] * len(weights)


def values(game: Any, strategy: Table) -> list[float]:
    """What each player earns on average."""
    earned = [0.0] * game.players

    def walk(state: Any, reach: float) -> None:
        turn = game.turn(state)
        if turn == TERMINAL:
            for player, amount in enumerate(game.payoff(state)):
                earned[player] += reach * amount
        elif turn == CHANCE:
            for outcome, p in game.chance(state):
                walk(game.next(state, outcome), reach * p)
        else:
            played = strategy[turn, game.observe(state, turn)]
            for action, p in zip(game.actions(state), played, strict=True):
                walk(game.next(state, action), reach * p)

    walk(game.root(), 1.0)
    return earned


def best_value(game: Any, player: int, play: Sequence[tuple[float, Table]]) -> float:
    """The most a player can earn, with one strategy, against a mixture of profiles.

    ``play`` holds profiles with weights. The responder groups the states it may be in by what
    it sees, within what it did and saw before: it has a perfect memory, whatever the game's
    infosets forget. A forced move teaches nothing (the package counts it as no decision).
    """

    def respond(belief: list[tuple[Any, int, float]]) -> float:
        earned = 0.0
        seen: dict[Any, list[tuple[Any, int, float]]] = {}
        pending = list(belief)
        while pending:
            state, which, weight = pending.pop()
            turn = game.turn(state)
            if turn == TERMINAL:
                earned += weight * game.payoff(state)[player]
                continue
            if turn == CHANCE:
                pending += [(game.next(state, o), which, weight * p) for o, p in game.chance(state)]
                continue
            actions = game.actions(state)
            observed = game.observe(state, turn)
            if turn != player:
                played = play[which][1][turn, observed]
                pending += [
                    (game.next(state, a), which, weight * p)
                    for a, p in zip(actions, played, strict=True)
                ]
            elif len(actions) == 1:
                pending.append((game.next(state, actions[0]), which, weight))
            else:
                seen.setdefault(observed, []).append((state, which, weight))
        for states in seen.values():
            earned += max(
                respond([(game.next(state, action), which, w) for state, which, w in states])
                for action in game.actions(states[0][0])
            )
        return earned

    return respond([(game.root(), which, weight) for which, (weight, _) in enumerate(play)])


def gains(game: Any, strategy: Table) -> list[float]:
    """NashConv by player."""
    earned = values(game, strategy)
    return [best_value(game, p, [(1.0, strategy)]) - earned[p] for p in range(game.players)]


def exploitability(game: Any, strategy: Table) -> float:
    return sum(gains(game, strategy)) / game.players


def external_regret(game: Any, play: Sequence[tuple[float, Table]]) -> list[float]:
    """What each player would have gained by one fixed strategy against the weighted play."""
    weight = sum(w for w, _ in play)
    earned = [values(game, strategy) for _, strategy in play]
    return [
        (best_value(game, p, play) - sum(w * e[p] for (w, _), e in zip(play, earned, strict=True)))
        / weight
        for p in range(game.players)
    ]
