"""The solvers that are compared, and the games under everybody's names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import util
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from counterfold.games.openspiel import SpielGame

OURS = "counterfold"


@dataclass(frozen=True)
class BenchGame:
    """A game under our name and under OpenSpiel's, which the other solvers read as well."""

    key: str
    title: str
    ours: str
    theirs: str
    parameters: Mapping[str, str | int] = field(default_factory=dict)
    traversal: str = "full"


def _goofspiel(cards: int) -> str:
    rules = f"num_cards={cards},imp_info=True,points_order=descending"
    return f"turn_based_simultaneous_game(game=goofspiel({rules}))"


GAMES: dict[str, BenchGame] = {
    game.key: game
    for game in (
        BenchGame("kuhn", "Kuhn", "kuhn", "kuhn_poker"),
        BenchGame(
            "one_card",
            "one-card poker, 13 ranks",
            "one_card(ranks=13)",
            "universal_poker",
            {
                "betting": "limit",
                "numPlayers": 2,
                "numRounds": 1,
                "blind": "1 1",
                "raiseSize": "1",
                "firstPlayer": "1",
                "maxRaises": "1",
                "numSuits": 1,
                "numRanks": 13,
                "numHoleCards": 1,
                "numBoardCards": "0",
                "stack": "10 10",
            },
        ),
        BenchGame("leduc", "Leduc, suits seen", "leduc(suited=true)", "leduc_poker"),
        BenchGame(
            "leduc_ranks",
            "Leduc, suits not seen",
            "leduc",
            "leduc_poker(suit_isomorphism=True)",
        ),
        BenchGame("goofspiel4", "Goofspiel 4", "goofspiel(cards=4)", _goofspiel(4)),
        BenchGame("goofspiel5", "Goofspiel 5", "goofspiel(cards=5)", _goofspiel(5)),
        BenchGame(
            "liars_dice", "liar's dice", "liars_dice(sides=6)", "liars_dice(numdice=1,dice_sides=6)"
        ),
        BenchGame(
            "leduc_external",
            "Leduc, external sampling",
            "leduc(suited=true)",
            "leduc_poker",
            traversal="external",
        ),
    )
}


@dataclass(frozen=True)
class Peer:
    """A solver, the modules that it needs, and its methods by traversal (the first is CFR+)."""

    title: str
    modules: tuple[str, ...]
    full: tuple[str, ...]
    external: tuple[str, ...] = ()
    extra: str = "peers"

    def methods(self, traversal: str) -> tuple[str, ...]:
        """What this solver can run.

        >>> PEERS["openspiel"].methods("full")
        ('cfr+',)
        """
        return self.external if traversal == "external" else self.full

    def missing(self) -> str:
        """One sentence where the package is absent, else nothing.

        >>> PEERS["counterfold"].missing()
        ''
        """
        if all(util.find_spec(name) is not None for name in self.modules):
            return ""
        return f"not installed: pip install 'counterfold[{self.extra}]'"


PEERS: dict[str, Peer] = {
    OURS: Peer(
        "Counterfold", ("counterfold",), ("cfr+", "dcfr+", "sapcfr+", "hs-pcfr+(30)"), ("cfr",)
    ),
    "openspiel": Peer("OpenSpiel C++", ("pyspiel",), ("cfr+",), ("mccfr",)),
    "jax": Peer("OpenSpiel JAX", ("pyspiel", "jax", "chex"), ("cfr+", "cfr+ float64")),
    "liteefg": Peer("LiteEFG", ("pyspiel", "LiteEFG"), ("cfr+", "dcfr", "pcfr+"), ("cfr",)),
}


class Runner(Protocol):
    """A solver at work on one game."""

    def step(self, n: int) -> None:
        """Run n iterations."""

    def exploitability(self) -> float:
        """The mean exploitability (NashConv over players) of the strategy so far."""


def _their_game(game: BenchGame) -> SpielGame:
    import pyspiel

    given = [dict(game.parameters)] if game.parameters else []
    made: SpielGame = pyspiel.load_game(game.theirs, *given)
    return made


class _Counterfold:
    def __init__(self, game: BenchGame, method: str) -> None:
        from counterfold.games.catalog import load
        from counterfold.solvers.solver import Solver

        self._solver = Solver(load(game.ours), method=method, traversal=game.traversal, seed=0)

    def step(self, n: int) -> None:
        self._solver.step(n)

    def exploitability(self) -> float:
        return float(self._solver.exploitability())


class _OpenSpiel:
    def __init__(self, game: BenchGame, method: str) -> None:
        import pyspiel

        self._game = _their_game(game)
        if method == "mccfr":
            self._solver = pyspiel.ExternalSamplingMCCFRSolver(self._game, seed=0)
            self._iterate = self._solver.run_iteration
        else:
            self._solver = pyspiel.CFRPlusSolver(self._game)
            self._iterate = self._solver.evaluate_and_update_policy

    def step(self, n: int) -> None:
        for _ in range(n):
            self._iterate()

    def exploitability(self) -> float:
        import pyspiel

        return float(pyspiel.exploitability(self._game, self._solver.average_policy()))


class _Jax:
    def __init__(self, game: BenchGame, method: str) -> None:
        import jax
        from open_spiel.python.jax.cfr.jax_cfr import JaxCFR

        jax.config.update("jax_enable_x64", method.endswith("float64"))
        self._game = _their_game(game)
        self._solver = JaxCFR(self._game)
        self._wait = jax.block_until_ready

    def step(self, n: int) -> None:
        self._solver.multiple_steps(n)
        self._wait((self._solver.regrets, self._solver.averages))

    def exploitability(self) -> float:
        """By OpenSpiel's C++ evaluator: the Python one takes minutes on liar's dice."""
        import numpy as np
        import pyspiel

        policy = {}
        for player in range(2):
            weights = np.asarray(self._solver.averages[player], dtype=np.float64)
            legal = np.asarray(self._solver.constants.iset_action_mask[player]) > 0
            weights = np.where(legal, weights, 0.0)
            # Infosets that the solver never reached have no average yet.
            weights = np.where(weights.sum(1, keepdims=True) > 0, weights, legal)
            weights /= weights.sum(1, keepdims=True)
            for infoset, row in self._solver.iset_map[player].items():
                if infoset:
                    actions = np.flatnonzero(legal[row])
                    policy[infoset] = [(int(a), float(weights[row, a])) for a in actions]
        return float(pyspiel.exploitability(self._game, policy))


class _LiteEFG:
    """LiteEFG's own loops; its best of the average and the last iterate counts."""

    _MODULES: Mapping[str, str] = {"cfr+": "CFRplus", "dcfr": "DCFR", "pcfr+": "PCFR", "cfr": "CFR"}

    def __init__(self, game: BenchGame, method: str) -> None:
        from importlib import import_module

        import LiteEFG

        LiteEFG.set_threads(1)
        traverse = "External" if game.traversal == "external" else "Enumerate"
        self._env = LiteEFG.OpenSpielEnv(_their_game(game), traverse_type=traverse, regenerate=True)
        self._graph = import_module(f"LiteEFG.baselines.{self._MODULES[method]}").graph()
        self._env.set_graph(self._graph)
        self._averages_itself = method == "dcfr"
        self._average = "avg-iterate" if method == "cfr" else "linear-avg-iterate"

    def step(self, n: int) -> None:
        graph, env = self._graph, self._env
        for _ in range(n):
            graph.update_graph(env)
            if not self._averages_itself:
                env.update_strategy(graph.current_strategy())

    def exploitability(self) -> float:
        graph, env = self._graph, self._env
        if self._averages_itself:
            return float(sum(env.exploitability(graph.current_strategy("average-iterate")))) / 2
        node = graph.current_strategy()
        kinds = (self._average, "default")
        return float(min(sum(env.exploitability(node, kind)) for kind in kinds)) / 2


RUNNERS: dict[str, Callable[[BenchGame, str], Runner]] = {
    OURS: _Counterfold,
    "openspiel": _OpenSpiel,
    "jax": _Jax,
    "liteefg": _LiteEFG,
}


def warm_up(peer: str, method: str, traversal: str) -> None:
    """What a process pays before any game, the same for all: imports and a first run on Kuhn."""
    runner = RUNNERS[peer](replace(GAMES["kuhn"], traversal=traversal), method)
    runner.step(2)
    runner.exploitability()


# --- one measurement, in its own process -------------------------------------------------------
