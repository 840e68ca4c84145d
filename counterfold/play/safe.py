"""Agents that exploit and know their risk: safe exploitation search, and restricted responses.

``SafeSearcher`` plays its blueprint until a subgame is entered, judges by its model with which
hands the opponent comes, and searches there (SES, Liu et al. 2022). The paper leaves alpha to the
user. Here it may set itself from two things:

* what the evidence is worth: the share of the judged range's distance from the blueprint's that
  is not noise, max(0, 1 - noise / distance) with the posterior's own spread as the noise (the
  James-Stein factor). An opponent that plays like the blueprint gives alpha 0;
* what the budget allows: no hand of the opponent may gain more from the search, beyond what its
  best reply to the blueprint earns, than so many chips. That is measured exactly after the search
  (``Searcher.rise``), and alpha halved until it holds; the last resort is the alpha for which
  ``trade_bound`` promises it beforehand.

Play comes into one subgame a hand, so the whole is at most the budget more exploitable than the
blueprint, whatever the opponent does.
"""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.agent import Agent, Observation, SeenHand
from counterfold.errors import ParameterError
from counterfold.evaluate.certificate import Certified
from counterfold.evaluate.sequence import assess_form
from counterfold.exploit.models import OpponentModel
from counterfold.exploit.responses import restricted_response
from counterfold.searchers.bounds import Nearest, alpha_within, nearest, room
from counterfold.searchers.entry import HistoryEntry
from counterfold.searchers.points import Point
from counterfold.searchers.refine import HistoryRefined
from counterfold.searchers.searcher import Searcher
from counterfold.searchers.subgame import subgames
from counterfold.strategy.infosets import slots_of
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree
from counterfold.tree.sequence import sequence_form

__all__ = ["Certificate", "RestrictedAgent", "SafeSearcher"]

Floats = NDArray[np.float64]
DRAWS = 16
"""Strategies drawn from the posterior to see how sure the model is of a range."""

TRIALS = 5
"""Alphas tried, each half of the last, before the one that is promised beforehand."""

MOST_ALPHA = 0.95
"""However much a budget allows: with alpha 1 nothing would hold the search back."""


class Judgement(NamedTuple):
    """What the agent thinks of one subgame, and what it found there."""

    alpha: float
    evidence: float
    range: Floats
    rise: float  # by how much any hand of the opponent gains, beyond its best against the blueprint
    found: HistoryRefined


@dataclass(frozen=True)
class Certificate(Certified):
    """What the agent's present play risks, in chips a hand of the whole game.

    ``exploitability`` is exact. ``bound`` is what the searches themselves promise: the blueprint's
    own exploitability plus the largest rise in a subgame. ``theorem`` is Theorem 1 of the paper,
    counted from the nearest equilibrium: infinite where it does not apply.
    """

    player: int
    exploitability: float
    blueprint: float
    bound: float
    theorem: float
    alphas: tuple[float, ...]
    strategy: Strategy[HistoryTree]

    infinite = ("theorem",)


class _Player(Agent):
    """Looks up odds over the slots of the tree, and counts the time it thinks."""

    def __init__(self, blueprint: Strategy[HistoryTree], model: OpponentModel | None) -> None:
        self.blueprint = blueprint
        self.tree = blueprint.tree
        self.model = model or OpponentModel(blueprint)
        if self.model.tree is not self.tree:
            self.model.prior.check_fits(self.tree)
        self.cpu_seconds = 0.0
        labels = zip(self.tree.infosets.owner.tolist(), self.tree.infosets.labels, strict=True)
        self._rows = {key: row for row, key in enumerate(labels)}

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        began = time.process_time()
        row = self._rows[observation.player, observation.name]
        lo, hi = self.tree.infosets.start[row : row + 2].tolist()
        odds = self._odds(observation.player, row)[lo:hi]
        place = int(rng.choice(hi - lo, p=odds / odds.sum()))
        self.cpu_seconds += time.process_time() - began
        return observation.actions[place]

    def learn(self, hand: SeenHand) -> None:
        began = time.process_time()
        self.model.learn_seen(hand)
        self._learned()
        self.cpu_seconds += time.process_time() - began

    def _odds(self, player: int, row: int) -> Floats:
        raise NotImplementedError

    def _learned(self) -> None:
        """The model has changed."""


class SafeSearcher(_Player):
    """Plays a blueprint, and searches the subgames that it enters, safely.

    ``alpha`` is a number from 0 (maxmargin) to 1 (believe in the range), or "auto" with a
    ``budget`` in chips a hand. ``model`` learns from every hand (a fresh one around the blueprint
    if none is given). A search ends within ``tolerance`` chips of its optimum.

    >>> import counterfold as cf
    >>> blueprint = cf.solve(cf.Leduc(), until=cf.Until(iterations=200)).strategy
    >>> agent = SafeSearcher(blueprint, alpha="auto", budget=0.1)
    >>> agent.search(0, 0).alpha  # nothing is known of the opponent yet
    0.0
    """

    def __init__(
        self,
        blueprint: Strategy[HistoryTree],
        alpha: float | str = "auto",
        budget: float = 0.05,
        point: Point = "board",
        model: OpponentModel | None = None,
        tolerance: float = 1e-3,
        seed: int = 0,
    ) -> None:
        super().__init__(blueprint, model)
        if alpha != "auto" and not (isinstance(alpha, int | float) and 0 <= alpha <= 1):
            raise ParameterError(f"alpha is {alpha!r}, and must be from 0 to 1, or auto")
        if not (isinstance(budget, int | float) and budget >= 0 and np.isfinite(budget)):
            raise ParameterError(f"the budget is {budget!r}, and must be chips a hand from 0 up")
        self.alpha, self.budget, self.tolerance = alpha, float(budget), tolerance
        self.name = f"ses({alpha})" if alpha != "auto" else f"ses(auto,budget={budget:g})"
        self.subgames = subgames(self.tree, point)
        self._of = np.full(len(self.tree.infosets.owner), -1)
        for number, subgame in enumerate(self.subgames):
            for treeplex in subgame.treeplexes:
                self._of[treeplex.infosets] = number
        self._rng = np.random.default_rng(seed)
        self._searchers: tuple[Searcher[HistoryEntry], ...] = tuple(
            Searcher(blueprint, player, point) for player in range(2)
        )
        self._found: dict[tuple[int, int], Floats] = {}
        self._nearest: dict[int, Nearest] = {}

    def search(self, player: int, number: int) -> Judgement:
        """Judge a subgame by the model, and search it."""
        entry = self._searchers[player].entry(number)
        judged = entry.range_of(self.model.strategy().probabilities)
        if self.alpha != "auto":
            return self._try(player, number, judged, float(self.alpha), np.nan)
        evidence = self._evidence(entry, judged)
        alpha = evidence * MOST_ALPHA
        for _ in range(TRIALS if alpha > 0 else 0):
            tried = self._try(player, number, judged, alpha, evidence)
            if tried.rise <= self.budget:
                return tried
            alpha /= 2
        if alpha > 0:
            able = room(entry, judged, entry.best, self.tolerance)
            alpha = min(alpha, alpha_within(self.budget, 0.0, able, self.tolerance))
        return self._try(player, number, judged, alpha, evidence)

    def _try(
        self, player: int, number: int, judged: Floats, alpha: float, evidence: float
    ) -> Judgement:
        searcher = self._searchers[player]
        found = searcher.refine(
            number, "ses", gap=self.tolerance, alpha=alpha, range=judged, mark="best"
        )
        return Judgement(alpha, evidence, judged, searcher.rise(found), found)

    def strategy(self) -> Strategy[HistoryTree]:
        """What it would play now as both players, every subgame searched."""
        probabilities = self.blueprint.probabilities
        for player, searcher in enumerate(self._searchers):
            for number in searcher.places:
                probabilities = self.search(player, number).found.into(probabilities)
        return Strategy.of(self.tree, probabilities, {"method": self.name})

    def certificate(self, player: int) -> Certificate:
        """Search every subgame as the agent would now, and measure the whole exactly."""
        probabilities = self.blueprint.probabilities
        alphas, rise, theorem = [], 0.0, 0.0
        reference = self._nearest_to(player)
        for number in self._searchers[player].places:
            judgement, yardstick = self.search(player, number), reference.yardsticks[number]
            probabilities = judgement.found.into(probabilities)
            alphas.append(judgement.alpha)
            rise = max(rise, judgement.rise)
            if yardstick is not None:
                theorem = max(theorem, yardstick.safety(judgement.found))
        blueprint = self._risk(self.blueprint.probabilities, player)
        return Certificate(
            player=player,
            exploitability=self._risk(probabilities, player),
            blueprint=blueprint,
            bound=blueprint + rise,
            theorem=reference.exploitability + theorem,
            alphas=tuple(alphas),
            strategy=Strategy.of(self.tree, probabilities, {"method": self.name, "player": player}),
        )

    def report(self) -> str:
        """What it plays now and what that risks, in a sentence."""
        found = [self.certificate(player) for player in range(2)]
        risk, bound, plain, theorem = (
            sum(getattr(one, name) for one in found) / 2
            for name in ("exploitability", "bound", "blueprint", "theorem")
        )
        alphas = [alpha for one in found for alpha in one.alphas] or [0.0]
        proven = "says nothing here" if np.isinf(theorem) else f"allows {theorem:.4g}"
        return (
            f"{self.name} plays with alpha from {min(alphas):.2f} to {max(alphas):.2f}; what it "
            f"would play now can be exploited by {risk:.4g} a hand (exact; its searches promise "
            f"at most {bound:.4g}, the blueprint has {plain:.4g}, Theorem 1 {proven})"
        )

    def _odds(self, player: int, row: int) -> Floats:
        number = int(self._of[row])
        if number not in self._searchers[player].places:
            return self.blueprint.probabilities
        if (player, number) not in self._found:
            found = self.search(player, number).found
            self._found[player, number] = found.into(self.blueprint.probabilities)
        return self._found[player, number]

    def _learned(self) -> None:
        self._found.clear()

    def _evidence(self, entry: HistoryEntry, judged: Floats) -> float:
        """Which share of the range's distance from the blueprint's is not noise."""
        if not entry.expected:
            return 1.0
        distance = float(((judged - entry.range) ** 2).sum())
        drawn = [entry.range_of(self.model.draw(self._rng)) for _ in range(DRAWS)]
        noise = float(np.mean([((one - judged) ** 2).sum() for one in drawn]))
        return max(0.0, 1.0 - noise / distance) if distance > 0 else 0.0

    def _nearest_to(self, player: int) -> Nearest:
        if player not in self._nearest:
            self._nearest[player] = nearest(self.subgames, self.blueprint, player)
        return self._nearest[player]

    def _risk(self, probabilities: Floats, player: int) -> float:
        """The game's value to the player less what a best response leaves it."""
        standing = assess_form(sequence_form(self.tree), probabilities)[0]
        sure = (self.tree.constant_sum or 0.0) - standing.best[1 - player]
        return max(self._nearest_to(player).value - sure, 0.0)


class RestrictedAgent(_Player):
    """Plays the p-restricted Nash response to its model, worked out anew every so many hands."""

    def __init__(
        self,
        blueprint: Strategy[HistoryTree],
        p: float = 0.5,
        every: int = 50,
        model: OpponentModel | None = None,
        method: str = "lp",
    ) -> None:
        super().__init__(blueprint, model)
        if not (isinstance(p, int | float) and 0 <= p <= 1):
            raise ParameterError(f"p is {p!r}, and must be from 0 to 1")
        if not (isinstance(every, int) and every >= 1):
            raise ParameterError(f"every is {every!r}, and must be a number of hands")
        self.p, self.every, self.method = float(p), every, method
        self.name = f"rnr({p:g})"
        self._plan = blueprint.probabilities.copy()

    def _odds(self, player: int, row: int) -> Floats:
        return self._plan

    def _learned(self) -> None:
        if self.model.hands % self.every:
            return
        model = self.model.strategy()
        for player in range(2):
            found = restricted_response(model, player, self.p, self.method)
            lo, hi = slots_of(self.tree.infosets, player)
            self._plan[lo:hi] = found.strategy.probabilities[lo:hi]

    def strategy(self) -> Strategy[HistoryTree]:
        """What it plays now, as both players."""
        about: dict[str, Any] = {"method": self.name}
        return Strategy.of(self.tree, self._plan, about)
