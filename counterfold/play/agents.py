"""Agents by name: strategies from files, fixed opponents, learners, and users' own."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from typing import NamedTuple

import numpy as np

from counterfold.agent import Agent, Observation
from counterfold.errors import CounterfoldError, ParameterError, SpecError, reason
from counterfold.evaluate.exact import best_response
from counterfold.exploit.online import Learner
from counterfold.exploit.rules import LEARNERS, Setting
from counterfold.games.spec import Spec, parse_spec, whole
from counterfold.solve.result import equilibrium_of
from counterfold.strategy.infosets import slots_of
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree

__all__ = ["AGENTS", "Drifting", "Dynamic", "Phase", "StrategyAgent", "make_agent", "own_agent"]


class Phase(NamedTuple):
    """A strategy, and the hand of the match at which another one takes its place."""

    strategy: Strategy
    until: int | None


class StrategyAgent(Agent):
    """Plays a strategy, in whichever seat.

    >>> import counterfold as cf
    >>> agent = cf.StrategyAgent(cf.Strategy.uniform(cf.Kuhn()), name="uniform")
    >>> agent.act(cf.Observation(0, ("K", ""), ("check", "bet")), np.random.default_rng(1))
    'bet'
    """

    def __init__(self, strategy: Strategy, name: str = "") -> None:
        self.strategy = strategy
        self.name = name or str(strategy.about.get("method", "strategy"))

    def phase(self, hand: int) -> Phase:
        """What it plays from this hand of a match on."""
        return Phase(self.strategy, None)

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        odds = self.phase(observation.hand).strategy.at(observation.seen, player=observation.seat)
        weights = np.array(list(odds.values()))
        return observation.actions[int(rng.choice(len(weights), p=weights / weights.sum()))]


class Dynamic(StrategyAgent):
    """Plays a strategy drawn at random, and draws another after every so many hands.

    >>> import counterfold as cf
    >>> from counterfold.tree.history import compile_game
    >>> agent = Dynamic(compile_game(cf.Kuhn()), every=500, seed=3)
    >>> agent.phase(499).until, agent.phase(500).until
    (500, 1000)
    """

    def __init__(self, tree: HistoryTree, every: int = 500, seed: int = 0) -> None:
        self.tree = tree
        self.every = whole("dynamic's every", every, least=1)
        self.seed = whole("dynamic's seed", seed, least=0)
        self.name = str(Spec("dynamic", (), {"every": every, "seed": seed}))
        self._drawn: tuple[int, Strategy] | None = None

    def phase(self, hand: int) -> Phase:
        number = hand // self.every
        if self._drawn is None or self._drawn[0] != number:
            rng = np.random.default_rng([self.seed, number])
            self._drawn = (number, Strategy.random(self.tree, rng))
        return Phase(self._drawn[1], (number + 1) * self.every)


class Drifting(StrategyAgent):
    """Goes from one strategy to another in small steps, a step after every so many hands.

    >>> import counterfold as cf
    >>> a, b = (cf.Strategy.random(cf.Kuhn(), seed) for seed in (1, 2))
    >>> agent = Drifting(a, b, hands=1000, every=100)
    >>> agent.phase(0).strategy.at("K") == a.at("K"), agent.phase(0).until
    (True, 100)
    """

    def __init__(self, start: Strategy, end: Strategy, hands: int, every: int = 50) -> None:
        end.check_fits(start.tree)
        self.start, self.end = start, end
        self.hands = whole("drifting's hands", hands, least=1)
        self.every = whole("drifting's every", every, least=1)
        self.name = "drifting"
        self._drawn: tuple[int, Strategy] | None = None

    def phase(self, hand: int) -> Phase:
        step = hand // self.every
        if self._drawn is None or self._drawn[0] != step:
            share = min(step * self.every / self.hands, 1.0)
            mixed = (1 - share) * self.start.probabilities + share * self.end.probabilities
            self._drawn = (step, Strategy.of(self.start.tree, mixed, {"method": "drifting"}))
        return Phase(self._drawn[1], (step + 1) * self.every)


def sophisticated(tree: HistoryTree, flaw: float = 0.25, seed: int = 0) -> Strategy:
    """An equilibrium with a fixed flaw: at every infoset a pure strategy, drawn once by the seed,
    is followed with probability ``flaw``, and the equilibrium otherwise."""
    number = isinstance(flaw, int | float) and not isinstance(flaw, bool)
    if not (number and 0 <= flaw <= 1):
        raise ParameterError(f"sophisticated's flaw must be from 0 to 1, not {flaw}")
    rng = np.random.default_rng(whole("sophisticated's seed", seed, least=0))
    infosets = tree.infosets
    habit = np.zeros(infosets.slots)
    sizes = infosets.sizes
    habit[infosets.start[:-1].astype(np.int64) + (rng.random(len(sizes)) * sizes).astype(int)] = 1
    mixed = (1 - flaw) * equilibrium_of(tree).probabilities + flaw * habit
    return Strategy.of(tree, mixed, {"method": "sophisticated", "flaw": flaw, "seed": seed})


def answer_to(tree: HistoryTree, strategy: Strategy) -> Strategy:
    """A best response in every seat to a strategy in the other ones."""
    probabilities = strategy.probabilities.copy()
    for player in range(tree.players):
        lo, hi = slots_of(tree.infosets, player)
        probabilities[lo:hi] = best_response(strategy, player).strategy.probabilities[lo:hi]
    return Strategy.of(tree, probabilities, {"method": "best response"})


class Kind(NamedTuple):
    """A kind of agent that has a name."""

    told: str
    make: Callable[..., Agent]
    learns: bool = False


def _uniform(tree: HistoryTree) -> Agent:
    return StrategyAgent(Strategy.uniform(tree))


def _random(tree: HistoryTree, seed: int = 0) -> Agent:
    return StrategyAgent(Strategy.random(tree, whole("random's seed", seed, least=0)))


def _sophisticated(tree: HistoryTree, flaw: float = 0.25, seed: int = 0) -> Agent:
    return StrategyAgent(sophisticated(tree, flaw, seed))


def _equilibrium(tree: HistoryTree) -> Agent:
    return StrategyAgent(equilibrium_of(tree))


def _best_response(tree: HistoryTree, to: str | None = None) -> Agent:
    if to is None:
        raise ParameterError("say what to respond to, such as best-response(uniform)")
    other = make_agent(to, tree)
    if not isinstance(other, StrategyAgent) or other.phase(0).until is not None:
        raise ParameterError(f"a best response needs a fixed strategy, which {to!r} is not")
    return StrategyAgent(answer_to(tree, other.strategy))


def _blueprint(tree: HistoryTree, path: str | None) -> Strategy:
    """A blueprint from a file; a near-equilibrium if none is named."""
    if path is None:
        return equilibrium_of(tree)
    found = Strategy.load(path)
    found.check_fits(tree)
    return Strategy.of(tree, found.probabilities, found.about)


def _ses(
    tree: HistoryTree,
    alpha: float | str = "auto",
    budget: float = 0.05,
    blueprint: str | None = None,
    point: str = "board",
) -> Agent:
    from counterfold.play.safe import SafeSearcher

    return SafeSearcher(_blueprint(tree, blueprint), alpha, budget, point)


def _rnr(tree: HistoryTree, p: float = 0.5, every: int = 50, blueprint: str | None = None) -> Agent:
    from counterfold.play.safe import RestrictedAgent

    return RestrictedAgent(_blueprint(tree, blueprint), p, every)


AGENTS: dict[str, Kind] = {
    "uniform": Kind("every action equally often", _uniform),
    "random": Kind("a strategy drawn at random and kept; random(seed=0)", _random),
    "equilibrium": Kind("a near-equilibrium of the game", _equilibrium),
    "sophisticated": Kind(
        "an equilibrium with a fixed flaw; sophisticated(flaw=0.25,seed=0)", _sophisticated
    ),
    "dynamic": Kind("a new random strategy now and then; dynamic(every=500,seed=0)", Dynamic),
    "best-response": Kind(
        "the best answer to a fixed strategy; best-response(FILE), best-response(uniform)",
        _best_response,
    ),
    "ses": Kind(
        "safe exploitation search with a model of the opponent; ses(alpha=auto,budget=0.05)",
        _ses,
        learns=True,
    ),
    "rnr": Kind("a restricted Nash response to its model; rnr(p=0.5,every=50)", _rnr, learns=True),
}


def make_agent(spec: str, tree: HistoryTree) -> Agent:
    """An agent from its name, a strategy or learner file, or ``mybot.py:MyBot``.

    >>> import counterfold as cf
    >>> from counterfold.tree.history import compile_game
    >>> tree = compile_game(cf.Kuhn())
    >>> make_agent("sophisticated(flaw=0.1)", tree).name, make_agent("deocfr", tree).name
    ('sophisticated(flaw=0.1)', 'deocfr')
    """
    spec = spec.strip()
    if (os.path.exists(spec) and not spec.endswith(".py")) or spec.endswith(".safetensors"):
        return _from_file(spec, tree)
    if ".py:" in spec:
        return own_agent(spec)
    if spec.endswith(".py"):
        raise SpecError(f"{spec} is a Python file: say which of its classes, as in {spec}:MyBot")
    found = parse_spec(spec)
    try:
        if found.name in AGENTS:
            agent = AGENTS[found.name].make(tree, *found.args, **found.kwargs)
        elif found.name in LEARNERS:
            agent = Learner(tree, Setting.of(found.name, found.args, **found.kwargs))
        else:
            raise SpecError(_unknown(found.name))
    except TypeError:
        raise ParameterError(f"{spec!r} has parameters that {found.name} does not take") from None
    agent.name = spec
    return agent


def _unknown(name: str) -> str:
    import difflib

    names = [*AGENTS, *LEARNERS]
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
    return (
        f"there is no agent {name!r}; {hint} (or a strategy file, or mybot.py:MyBot for your own)"
    )


def _from_file(path: str, tree: HistoryTree) -> Agent:
    from counterfold.strategy.store import read

    strategy, _, run = read(path)
    strategy.check_fits(tree)
    agent: Agent
    if run is not None and "learner" in run:
        agent = Learner.load(path, tree)
    else:
        agent = StrategyAgent(Strategy.of(tree, strategy.probabilities, strategy.about))
    agent.name = path
    return agent


def own_agent(text: str) -> Agent:
    """An agent of the user's: a class in a Python file."""
    from counterfold.games.catalog import class_in

    path, _, rest = text.partition(".py:")
    spec, cls = class_in(f"{path}.py", rest)
    if not callable(getattr(cls, "act", None)) or getattr(cls, "act", None) is Agent.act:
        raise SpecError(
            f"{spec.name} in {path}.py lacks the method act(observation, rng), which an agent has"
        )
    try:
        agent: Agent = cls(*spec.args, **spec.kwargs)
    except CounterfoldError:
        raise
    except Exception as error:
        told = reason(error)
        raise ParameterError(f"{text} cannot be made: {told}") from error
    agent.name = getattr(agent, "name", "") or text
    return agent
