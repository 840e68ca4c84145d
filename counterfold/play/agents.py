"""Agents by name: strategies from files, fixed opponents, learners, and users' own."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from typing import NamedTuple

import numpy as np

from counterfold.agent import Agent, Observation
from counterfold.errors import (
    CounterfoldError,
    MismatchError,
    ParameterError,
    SpecError,
    reason,
    short,
)
from counterfold.evaluate.exact import best_response
from counterfold.exploit.online import Learner
from counterfold.exploit.rules import LEARNERS, Setting
from counterfold.files.arrays import header_of
from counterfold.games.base import spec_of, unlisted
from counterfold.games.spec import Spec, parse_spec, whole
from counterfold.notebook import brief
from counterfold.play.poker_bots import laid_out
from counterfold.poker.rules import PokerRules
from counterfold.solvers.result import equilibrium_of
from counterfold.solvers.until import Report
from counterfold.strategy.infosets import InfosetLayout
from counterfold.strategy.layout import ABSTRACT
from counterfold.strategy.store import read
from counterfold.strategy.strategy import AnyStrategy, Strategy, check_strategies
from counterfold.tree.form import Form, form_of
from counterfold.tree.history import HistoryTree
from counterfold.tree.public import PublicTree
from counterfold.tree.story import rules_of


class Phase(NamedTuple):
    """A strategy, and the hand of the match at which another one takes its place."""

    strategy: AnyStrategy
    until: int | None


def seen_by(observation: Observation) -> tuple[Hashable, ...]:
    """What a player sees, in parts as ``Strategy.at`` takes it."""
    return observation.seen if isinstance(observation.seen, tuple) else (observation.seen,)


def odds_at(strategy: Strategy, observation: Observation) -> dict[str, float]:
    """How often a strategy of any form takes each action at a decision."""
    return strategy.at(*seen_by(observation), player=observation.player)


def draw_action(strategy: Strategy, observation: Observation, rng: np.random.Generator) -> Hashable:
    """An action, drawn as a strategy plays."""
    weights = np.array(list(odds_at(strategy, observation).values()))
    return observation.actions[int(rng.choice(len(weights), p=weights / weights.sum()))]


class StrategyAgent(Agent):
    """Plays a strategy of any form, as whichever player.

    >>> import counterfold as cf
    >>> agent = cf.StrategyAgent(cf.Strategy.uniform(cf.Kuhn()), name="uniform")
    >>> agent.act(cf.Observation(0, ("K", ""), ("check", "bet")), np.random.default_rng(1))
    'bet'
    >>> river = cf.spot({"board": "Ks 9h 6s 4d 2c", "pot": 20, "stack": 40, "oop": "QQ+",
    ...                  "ip": "JJ,AKs", "bets": ["50%"], "raises": []})
    >>> agent = cf.StrategyAgent(cf.Strategy.uniform(river))
    >>> agent.odds(cf.Observation(1, ("JsJh", "Ks 9h 6s 4d 2c", "bet 10"), ("fold", "call")))
    {'fold': 0.5, 'call': 0.5}
    """

    def __init__(self, strategy: Strategy, name: str = "") -> None:
        check_strategies(strategy)
        self.strategy = strategy
        self.name = name or str(strategy.about.get("method", "strategy"))

    def __repr__(self) -> str:
        return brief(self, f"{self.name}: {self.strategy.spec}")

    def phase(self, hand: int) -> Phase:
        """What it plays from this hand of a match on."""
        return Phase(self.strategy, None)

    def odds(self, observation: Observation) -> dict[str, float]:
        """How often it takes each action."""
        return odds_at(self.phase(observation.hand).strategy, observation)

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        return draw_action(self.phase(observation.hand).strategy, observation, rng)

    def check_fits(self, rules: object, tree: HistoryTree | None = None) -> None:
        """Raise MismatchError unless its strategy is one of these rules, or of their tree."""
        strategy = self.phase(0).strategy
        by_infosets = isinstance(strategy.layout, InfosetLayout)
        if by_infosets and tree is not None:
            strategy.check_fits(tree)
        elif isinstance(rules, PokerRules) or not by_infosets:
            from counterfold.abstraction.bucket_form import game_print

            mine = rules_of(strategy.tree)
            if not (isinstance(mine, PokerRules) and isinstance(rules, PokerRules)) or game_print(
                mine.poker
            ) != game_print(rules.poker):
                raise MismatchError(f"{self.name} plays another game than {spec_of(rules)}")


class _Changing(StrategyAgent):
    """Plays another strategy after every so many hands."""

    every: int
    _drawn: tuple[int, Strategy] | None = None

    def phase(self, hand: int) -> Phase:
        number = hand // self.every
        if self._drawn is None or self._drawn[0] != number:
            self._drawn = (number, self._strategy(number))
        return Phase(self._drawn[1], (number + 1) * self.every)

    def _strategy(self, number: int) -> AnyStrategy:
        """The strategy that is played after this many changes."""
        raise NotImplementedError


class Dynamic(_Changing):
    """Plays a strategy drawn at random, and draws another after every so many hands.

    >>> import counterfold as cf
    >>> agent = Dynamic(cf.compile_game(cf.Kuhn()), every=500, seed=3)
    >>> agent.phase(499).until, agent.phase(500).until
    (500, 1000)
    """

    def __init__(self, tree: Form, every: int = 500, seed: int = 0) -> None:
        self.tree = tree
        self.every = whole("dynamic's every", every, least=1)
        self.seed = whole("dynamic's seed", seed, least=0)
        self.name = str(Spec("dynamic", (), {"every": every, "seed": seed}))

    def _strategy(self, number: int) -> AnyStrategy:
        return Strategy.random(self.tree, np.random.default_rng([self.seed, number]))


class Drifting(_Changing):
    """Goes from one strategy to another in small steps, a step after every so many hands.

    >>> import counterfold as cf
    >>> a, b = (cf.Strategy.random(cf.Kuhn(), seed) for seed in (1, 2))
    >>> agent = Drifting(a, b, hands=1000, every=100)
    >>> agent.phase(0).strategy.at("K") == a.at("K"), agent.phase(0).until
    (True, 100)
    """

    def __init__(
        self, start: Strategy[HistoryTree], end: Strategy[HistoryTree], hands: int, every: int = 50
    ) -> None:
        end.check_fits(start.tree)
        self.start, self.end = start, end
        self.hands = whole("drifting's hands", hands, least=1)
        self.every = whole("drifting's every", every, least=1)
        self.name = "drifting"

    def _strategy(self, number: int) -> AnyStrategy:
        share = min(number * self.every / self.hands, 1.0)
        mixed = (1 - share) * self.start.probabilities + share * self.end.probabilities
        return Strategy.of(self.start.tree, mixed, {"method": "drifting"})


def sophisticated(tree: HistoryTree, flaw: float = 0.25, seed: int = 0) -> Strategy[HistoryTree]:
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


def answer_to(strategy: Strategy) -> AnyStrategy:
    """A best response of every player to a strategy of the others."""
    answers = [best_response(strategy, player).strategy for player in range(strategy.players)]
    tables = strategy.layout.combine([answer.tables for answer in answers])
    return Strategy(strategy.layout, tables, {"method": "best response"})


class Kind(NamedTuple):
    """A kind of agent that has a name; ``public`` if poker in ranges has it too."""

    told: str
    make: Callable[..., Agent | Strategy]
    learns: bool = False
    public: bool = False


def _random(form: Form, seed: int = 0) -> AnyStrategy:
    return Strategy.random(form, whole("random's seed", seed, least=0))


def _best_response(form: Form, to: str | None = None) -> AnyStrategy:
    if to is None:
        raise ParameterError("say what to respond to, such as best-response(uniform)")
    other = make_agent(to, form)
    if not isinstance(other, StrategyAgent) or other.phase(0).until is not None:
        raise ParameterError(f"a best response needs a fixed strategy, which {to!r} is not")
    return answer_to(other.strategy)


def _blueprint(form: Form, path: str | None) -> AnyStrategy:
    """A blueprint from a file; a near-equilibrium if none is named."""
    if path is None:
        return equilibrium_of(form)
    blueprint = Strategy.load(path)
    if blueprint.layout.name in ABSTRACT and isinstance(form, PublicTree | HistoryTree):
        return _in_full(blueprint, form)
    blueprint.check_fits(form)
    return Strategy.of(form, blueprint.tables, blueprint.about)


def _ses(
    form: Form,
    alpha: float | str = "auto",
    budget: float = 0.05,
    blueprint: str | None = None,
    point: str = "board",
) -> Agent:
    from counterfold.play.safe import SafeSearcher

    return SafeSearcher(_blueprint(form, blueprint), alpha, budget, point)


def _rnr(form: Form, p: float = 0.5, every: int = 50, blueprint: str | None = None) -> Agent:
    from counterfold.play.safe import RestrictedAgent

    return RestrictedAgent(_blueprint(form, blueprint), p, every)


def _by_rules(name: str, told: str) -> Kind:
    def make(form: Form) -> AnyStrategy:
        return laid_out(name, form)

    return Kind(told, make, public=True)


AGENTS: dict[str, Kind] = {
    "uniform": Kind("every action equally often", Strategy.uniform, public=True),
    "random": Kind("a strategy drawn at random and kept; random(seed=0)", _random, public=True),
    "equilibrium": Kind("a near-equilibrium of the game", equilibrium_of, public=True),
    "sophisticated": Kind(
        "an equilibrium with a fixed flaw; sophisticated(flaw=0.25,seed=0)", sophisticated
    ),
    "dynamic": Kind(
        "a new random strategy now and then; dynamic(every=500,seed=0)", Dynamic, public=True
    ),
    "best-response": Kind(
        "the best answer to a fixed strategy; best-response(FILE), best-response(uniform)",
        _best_response,
        public=True,
    ),
    "always-call": _by_rules(
        "always-call", "checks, or calls whatever is bet, in games with betting"
    ),
    "always-fold": _by_rules("always-fold", "checks where that is free, and folds to every bet"),
    "tight": _by_rules("tight", "few hands, and bets with what is good, at hold'em"),
    "loose": _by_rules("loose", "most hands, and calls with anything, at hold'em"),
    "maniac": _by_rules("maniac", "bets most of the time, whatever it holds, at hold'em"),
    "ses": Kind(
        "safe exploitation search with a model of the opponent; ses(alpha=auto,budget=0.05)",
        _ses,
        learns=True,
        public=True,
    ),
    "rnr": Kind(
        "a restricted Nash response to its model; rnr(p=0.5,every=50)",
        _rnr,
        learns=True,
        public=True,
    ),
}


def make_agent(spec: str, game: object, on_report: Callable[[Report], None] | None = None) -> Agent:
    """An agent from its name, a strategy or learner file, or ``mybot.py:MyBot``.

    ``game`` is rules, a poker game or spot, or a compiled form, which agents of one match best
    share. ``on_report`` hears how the search for an equilibrium gets on.

    >>> import counterfold as cf
    >>> tree = cf.compile_game(cf.Kuhn())
    >>> make_agent("sophisticated(flaw=0.1)", tree).name, make_agent("deocfr", tree).name
    ('sophisticated(flaw=0.1)', 'deocfr')
    """
    if not isinstance(spec, str):
        raise SpecError(f"an agent is told by a name such as 'uniform', and not {short(spec)}")
    spec = spec.strip()
    if ".py:" in spec:
        return own_agent(spec)
    if spec.endswith(".py"):
        raise SpecError(f"{spec} is a Python file: say which of its classes, as in {spec}:MyBot")
    if unlisted(game) and not isinstance(game, PokerRules):
        from counterfold.play.bots import make_bot

        return make_bot(spec)
    form = form_of(game)
    if os.path.exists(spec) or spec.endswith(".safetensors"):
        return _from_file(spec, form)
    called = parse_spec(spec)
    if on_report is not None and called.name == "equilibrium":
        equilibrium_of(form, on_report)  # which keeps it
    try:
        agent = _named(called, form)
    except TypeError:
        raise ParameterError(f"{spec!r} has parameters that {called.name} does not take") from None
    agent.name = spec
    return agent


def _named(called: Spec, form: Form) -> Agent:
    """An agent by its name, with its parameters."""
    kind = AGENTS.get(called.name)
    public = isinstance(form, PublicTree)
    if kind is not None and (kind.public or not public):
        made = kind.make(form, *called.args, **called.kwargs)
        return StrategyAgent(made) if isinstance(made, Strategy) else made
    if called.name in LEARNERS and isinstance(form, HistoryTree):
        return Learner(form, Setting.of(called.name, called.args, **called.kwargs))
    if not public:
        raise SpecError(_unknown(called.name))
    names = [name for name, kind in AGENTS.items() if kind.public]
    raise SpecError(
        f"there is no agent {called.name!r} for poker with all hands; there are "
        f"{', '.join(names)}, strategy files of `counterfold solve`, and mybot.py:MyBot"
    )


def _unknown(name: str) -> str:
    import difflib

    names = [*AGENTS, *LEARNERS]
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
    return (
        f"there is no agent {name!r}; {hint} (or a strategy file, or mybot.py:MyBot for your own)"
    )


def _from_file(path: str, form: Form) -> Agent:
    agent: Agent
    if header_of(path).get("form") in ABSTRACT and isinstance(form, PublicTree | HistoryTree):
        return StrategyAgent(_in_full(Strategy.load(path), form), path)
    if isinstance(form, PublicTree) and os.path.isfile(path):
        symmetry = header_of(path).get("symmetry", "true") == "true"
        if symmetry != form.symmetry:  # of the same game, but with other boards or hands
            form = PublicTree(form.game, symmetry=symmetry)
    strategy, _, run = read(path, form)
    strategy.check_fits(form)
    if run is not None and "learner" in run and isinstance(form, HistoryTree):
        agent = Learner.load(path, form)
    else:
        agent = StrategyAgent(Strategy.of(form, strategy.tables, strategy.about))
    agent.name = path
    return agent


def _in_full(strategy: AnyStrategy, form: HistoryTree | PublicTree) -> AnyStrategy:
    """A strategy of a game made smaller, in the game itself."""
    from counterfold.abstraction.bucket_layout import by_hand
    from counterfold.abstraction.deal_form import by_infosets

    if (strategy.layout.name == "deals") != isinstance(form, HistoryTree):
        raise MismatchError(f"the strategy is of {strategy.spec}, and not of {form.spec}")
    if isinstance(form, HistoryTree):
        return by_infosets(strategy, form)
    apart = bool(strategy.tree.tells_suits)  # suits, which the tree must then do too
    return by_hand(strategy, PublicTree(form.game, symmetry=False) if apart else form)


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
