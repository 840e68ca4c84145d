"""Agents that exploit and know their risk: safe exploitation search, and restricted responses.

``SafeSearcher`` plays its blueprint (over buckets, hand by hand) until a subgame is entered (on a
public tree, the last street), judges by its model with which hands the opponent comes, and searches
there (SES, Liu et al. 2022). The paper leaves alpha to the user. Here it may set itself from two
things:

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
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import by_hand
from counterfold.agent import Agent, Observation, SeenHand
from counterfold.arrays import Floats
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.evaluate.certificate import Certified
from counterfold.evaluate.exact import assess
from counterfold.exploit.line_model import LineModel
from counterfold.exploit.models import OpponentModel
from counterfold.exploit.responses import restricted_response
from counterfold.play.agents import draw_action, seen_by
from counterfold.searchers.bounds import Nearest, nearest
from counterfold.searchers.points import Point
from counterfold.searchers.refined import Refined, stitch
from counterfold.searchers.searcher import Searcher
from counterfold.searchers.subgame import subgames
from counterfold.strategy.strategy import AnyStrategy, Strategy, check_strategies
from counterfold.tree.history import HistoryTree
from counterfold.tree.public import PublicTree

DRAWS = 16
"""Strategies drawn from the posterior to see how sure the model is of a range."""

TRIALS = 5
"""Alphas tried, each half of the last, before the one that is promised beforehand."""

MOST_ALPHA = 0.95
"""However much a budget allows: with alpha 1 nothing would hold the search back."""


class Model(Protocol):
    """What is believed of an opponent: ``OpponentModel`` or, on public trees, ``LineModel``."""

    hands: int

    @property
    def prior(self) -> Strategy: ...

    def strategy(self) -> Strategy: ...

    def draw(self, rng: np.random.Generator) -> Strategy:
        """A strategy that the opponent may have."""
        ...

    def learn_seen(self, hand: SeenHand) -> None: ...


class Judgement(NamedTuple):
    """What the agent thinks of one place (a subgame, or a board), and what it found there."""

    alpha: float
    evidence: float
    range: Floats
    rise: float  # by how much any hand of the opponent gains, beyond its best against the blueprint
    found: Refined[Any, Any]


@dataclass(frozen=True)
class Certificate(Certified):
    """What the agent's present play risks, in chips a hand of the whole game.

    ``exploitability`` is exact by histories; on a public tree it is counted from what the
    blueprint earns against itself, so that the mean of both players is exact. ``bound`` is what the
    searches themselves promise: the blueprint's own exploitability plus the largest rise at a
    place. ``theorem`` is Theorem 1 of the paper, counted from the nearest equilibrium: infinite
    where it does not apply, or where nobody has found that equilibrium (on public trees).
    """

    player: int
    exploitability: float
    blueprint: float
    bound: float
    theorem: float
    alphas: tuple[float, ...]
    strategy: Strategy

    infinite = ("theorem",)


def _in_full(blueprint: AnyStrategy) -> AnyStrategy:
    """A blueprint as searches read it: one over buckets hand by hand, on its public tree.

    TreeTooLargeError where that does not fit: there the agent ``holdem`` searches.
    """
    form = blueprint.tree
    if isinstance(form, BucketForm) and form.players == 2:
        return by_hand(blueprint)
    if not isinstance(form, HistoryTree | PublicTree):
        raise UnsupportedError(
            f"{blueprint.spec} is laid out neither by histories nor by all hands of two players, "
            "in which safe searches are"
        )
    return blueprint


class _Player(Agent):
    """Plays by a strategy of any form, learns by a model, and counts the time it thinks."""

    def __init__(self, blueprint: AnyStrategy, model: Model | None) -> None:
        check_strategies(blueprint)
        self.blueprint = blueprint = _in_full(blueprint)
        self.tree = blueprint.tree
        by_histories = isinstance(self.tree, HistoryTree)
        self.model: Model = model or (OpponentModel if by_histories else LineModel)(blueprint)
        if self.model.prior.tree is not self.tree:
            self.model.prior.check_fits(self.tree)
        self.cpu_seconds = 0.0

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        began = time.process_time()
        action = draw_action(self._playing(observation), observation, rng)
        self.cpu_seconds += time.process_time() - began
        return action

    def learn(self, hand: SeenHand) -> None:
        began = time.process_time()
        self.model.learn_seen(hand)
        self._learned()
        self.cpu_seconds += time.process_time() - began

    def _playing(self, observation: Observation) -> Strategy:
        """What it plays at a decision."""
        raise NotImplementedError

    def _learned(self) -> None:
        """The model has changed."""


class SafeSearcher(_Player):
    """Plays a blueprint of any form, and searches the places that it enters, safely.

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
        blueprint: Strategy,
        alpha: float | str = "auto",
        budget: float = 0.05,
        point: Point = "board",
        model: Model | None = None,
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
        self.point = point
        self._rng = np.random.default_rng(seed)
        self.searchers: tuple[Searcher[Any], ...] = tuple(
            Searcher(self.blueprint, player, point) for player in range(2)
        )
        self._believed: Strategy | None = None
        self._found: dict[tuple[int, int], Strategy] = {}
        self._nearest: dict[int, Nearest] = {}

    def search(self, player: int, place: int) -> Judgement:
        """Judge a place by the model, and search there."""
        if self._believed is None:
            self._believed = self.model.strategy()
        searcher = self.searchers[player]
        judged = searcher.range(place, self._believed)
        if self.alpha != "auto":
            return self._try(player, place, judged, float(self.alpha), np.nan)
        evidence = self._evidence(player, place, judged)
        alpha = evidence * MOST_ALPHA
        for _ in range(TRIALS if alpha > 0 else 0):
            tried = self._try(player, place, judged, alpha, evidence)
            if tried.rise <= self.budget:
                return tried
            alpha /= 2
        if alpha > 0:
            promised = searcher.alpha_within(place, judged, self.budget, self.tolerance)
            alpha = min(alpha, promised)
        return self._try(player, place, judged, alpha, evidence)

    def _try(
        self, player: int, place: int, judged: Floats, alpha: float, evidence: float
    ) -> Judgement:
        searcher = self.searchers[player]
        found = searcher.refine(
            place, "ses", gap=self.tolerance, alpha=alpha, range=judged, mark="best"
        )
        return Judgement(alpha, evidence, judged, searcher.rise(found), found)

    def strategy(self) -> Strategy:
        """What it would play now as both players, every place searched."""
        found = [
            self.search(player, place).found
            for player, searcher in enumerate(self.searchers)
            for place in searcher.places
            if np.any(searcher.entry(place).reached)
        ]
        return self._stitched(found)

    def _stitched(self, found: list[Refined[Any, Any]], **about: object) -> Strategy:
        tables = stitch(self.blueprint, found).tables
        return Strategy.of(self.tree, tables, {"method": self.name, **about})

    def certificate(self, player: int) -> Certificate:
        """Search every place as the agent would now, and measure the whole exactly."""
        searcher, reference = self.searchers[player], self._nearest_to(player)
        places = [one for one in searcher.places if np.any(searcher.entry(one).reached)]
        judged = {place: self.search(player, place) for place in places}
        strategy = self._stitched([one.found for one in judged.values()], player=player)
        theorem = np.inf
        if reference is not None:
            sticks = [(one, reference.yardsticks[place]) for place, one in judged.items()]
            bounds = [stick.safety(one.found) for one, stick in sticks if stick is not None]
            theorem = reference.exploitability + max(bounds, default=0.0)
        blueprint = self._risk(self.blueprint, player)
        return Certificate(
            player=player,
            exploitability=self._risk(strategy, player),
            blueprint=blueprint,
            bound=blueprint + max((one.rise for one in judged.values()), default=0.0),
            theorem=theorem,
            alphas=tuple(one.alpha for one in judged.values()),
            strategy=strategy,
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

    def _playing(self, observation: Observation) -> Strategy:
        player, searcher = observation.player, self.searchers[observation.player]
        place = searcher.place(seen_by(observation))
        if place is None or not np.any(searcher.entry(place).reached):
            return self.blueprint
        if (player, place) not in self._found:
            self._found[player, place] = self._stitched([self.search(player, place).found])
        return self._found[player, place]

    def _learned(self) -> None:
        self._found.clear()
        self._believed = None

    def _evidence(self, player: int, place: int, judged: Floats) -> float:
        """Which share of the range's distance from the blueprint's is not noise."""
        searcher = self.searchers[player]
        entry = searcher.entry(place)
        if not entry.expected:
            return 1.0
        drawn = [searcher.range(place, self.model.draw(self._rng)) for _ in range(DRAWS)]
        return evidence(entry.range, [judged, *drawn])

    def _nearest_to(self, player: int) -> Nearest | None:
        """The nearest equilibrium, which a linear program over histories finds."""
        if not isinstance(self.tree, HistoryTree):
            return None
        if player not in self._nearest:
            places = subgames(self.tree, self.point)
            self._nearest[player] = nearest(places, self.blueprint, player)
        return self._nearest[player]

    def _risk(self, strategy: Strategy, player: int) -> float:
        """The game's value to the player less what a best response leaves it."""
        reference = self._nearest_to(player)
        value = assess(self.blueprint).values[player] if reference is None else reference.value
        sure = (self.tree.constant_sum or 0.0) - assess(strategy).best[1 - player]
        return max(value - sure, 0.0)


def evidence(believed: Floats, judged: Sequence[Floats]) -> float:
    """Which share of a judged range's distance from the one believed is not noise.

    The first is the range itself, the others are drawn from what is left open of it.

    >>> one, two = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    >>> evidence(one, [two, two]), evidence(one, [one, two])
    (1.0, 0.0)
    """
    distance = float(((judged[0] - believed) ** 2).sum())
    noise = float(np.mean([((one - judged[0]) ** 2).sum() for one in judged[1:]]))
    return max(0.0, 1.0 - noise / distance) if distance > 0 else 0.0


class RestrictedAgent(_Player):
    """Plays the p-restricted Nash response to its model, worked out anew every so many hands."""

    def __init__(
        self,
        blueprint: Strategy,
        p: float = 0.5,
        every: int = 50,
        model: Model | None = None,
        method: str | None = None,
    ) -> None:
        super().__init__(blueprint, model)
        if not (isinstance(p, int | float) and 0 <= p <= 1):
            raise ParameterError(f"p is {p!r}, and must be from 0 to 1")
        if not (isinstance(every, int) and every >= 1):
            raise ParameterError(f"every is {every!r}, and must be a number of hands")
        self.p, self.every, self.method = float(p), every, method
        self.name = f"rnr({p:g})"
        self._plan = Strategy.of(self.tree, self.blueprint.tables, {"method": self.name})

    def _playing(self, observation: Observation) -> Strategy:
        return self._plan

    def _learned(self) -> None:
        if self.model.hands % self.every:
            return
        model, layout = self.model.strategy(), self.blueprint.layout
        found = [restricted_response(model, p, self.p, self.method).strategy for p in range(2)]
        tables = layout.combine([one.tables for one in found])
        self._plan = Strategy(layout, tables, {"method": self.name})

    def strategy(self) -> Strategy:
        """What it plays now, as both players."""
        return self._plan
