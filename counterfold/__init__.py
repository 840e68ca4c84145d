"""Counterfold: from the rules of an imperfect-information game to a strategy you can trust.

>>> import counterfold as cf
>>> result = cf.solve(cf.Kuhn())
>>> round(result.value, 4)
-0.0556
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

# Name -> module: loaded when first asked for, so that importing the package costs nothing.
_HOMES = {
    "games.base": ("CHANCE", "TERMINAL", "Game"),
    "games.onecard": ("Kuhn", "OneCard"),
    "games.leduc": ("Leduc",),
    "games.liars_dice": ("LiarsDice",),
    "games.goofspiel": ("Goofspiel",),
    "games.normal_form": ("NormalForm",),
    "games.openspiel": ("OpenSpielGame",),
    "games.efg": ("EfgGame",),
    "loading": ("load",),
    "tree.history": ("HistoryTree", "compile_game"),
    "tree.walk": ("measure",),
    "strategy.strategy": ("Strategy",),
    "evaluate.exact": (
        "assess",
        "best_response",
        "exploitability",
        "nash_conv",
        "value",
        "values",
    ),
    "evaluate.statistics": ("statistics",),
    "solvers.correlated": ("correlated_gaps",),
    "solvers.methods": ("METHODS", "Method", "method"),
    "solvers.solver": ("Solver",),
    "solvers.until": ("Report", "Until"),
    "solvers.result": ("Result", "resume", "solve"),
    "agent": ("Agent", "Observation", "SeenHand"),
    "exploit.online": ("Learner",),
    "exploit.locks": ("Lock", "Locks"),
    "exploit.models": ("OpponentModel",),
    "exploit.response": ("Response",),
    "exploit.responses": (
        "biased_response",
        "greedy_response",
        "restricted_response",
        "safe_response",
    ),
    "games.cheat": ("Cheat",),
    "play.safe": ("SafeSearcher",),
    "searchers.edge": ("depth_limited",),
    "searchers.searcher": ("Searcher", "search"),
    "searchers.subgame": ("subgames",),
    "play.agents": ("StrategyAgent", "make_agent"),
    "play.match": ("Match", "MatchResult"),
    "play.record": ("read_record",),
    "play.tournament": ("tournament",),
    "style.preferences": ("Style",),
    "style.frontier": ("frontier",),
    "style.targets": ("meet",),
    "poker.game": ("PokerGame",),
    "poker.holdem": ("fhp",),
    "poker.ranges": ("Range",),
    "poker.rules": ("PokerRules",),
    "poker.spot": ("load_spot", "spot"),
    "poker.view": ("NodeView",),
    "tree.public": ("PublicTree",),
    "evaluate.public_view": ("view",),
    "evaluate.range_equity": ("RangeEquity", "range_equity"),
    "solvers.flop_report": ("FlopReport",),
    "errors": (
        "CounterfoldError",
        "FileError",
        "MismatchError",
        "MissingExtraError",
        "NumericError",
        "ParameterError",
        "RulesError",
        "SpecError",
        "TreeTooLargeError",
        "UnsupportedError",
    ),
}
_WHERE = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *_WHERE]

if TYPE_CHECKING:
    from counterfold.agent import Agent, Observation, SeenHand
    from counterfold.errors import (
        CounterfoldError,
        FileError,
        MismatchError,
        MissingExtraError,
        NumericError,
        ParameterError,
        RulesError,
        SpecError,
        TreeTooLargeError,
        UnsupportedError,
    )
    from counterfold.evaluate.exact import (
        assess,
        best_response,
        exploitability,
        nash_conv,
        value,
        values,
    )
    from counterfold.evaluate.public_view import view
    from counterfold.evaluate.range_equity import RangeEquity, range_equity
    from counterfold.evaluate.statistics import statistics
    from counterfold.exploit.locks import Lock, Locks
    from counterfold.exploit.models import OpponentModel
    from counterfold.exploit.online import Learner
    from counterfold.exploit.response import Response
    from counterfold.exploit.responses import (
        biased_response,
        greedy_response,
        restricted_response,
        safe_response,
    )
    from counterfold.games.base import CHANCE, TERMINAL, Game
    from counterfold.games.cheat import Cheat
    from counterfold.games.efg import EfgGame
    from counterfold.games.goofspiel import Goofspiel
    from counterfold.games.leduc import Leduc
    from counterfold.games.liars_dice import LiarsDice
    from counterfold.games.normal_form import NormalForm
    from counterfold.games.onecard import Kuhn, OneCard
    from counterfold.games.openspiel import OpenSpielGame
    from counterfold.loading import load
    from counterfold.play.agents import StrategyAgent, make_agent
    from counterfold.play.match import Match
    from counterfold.play.record import read_record
    from counterfold.play.result import MatchResult
    from counterfold.play.safe import SafeSearcher
    from counterfold.play.tournament import tournament
    from counterfold.poker.game import PokerGame
    from counterfold.poker.holdem import fhp
    from counterfold.poker.ranges import Range
    from counterfold.poker.rules import PokerRules
    from counterfold.poker.spot import load_spot, spot
    from counterfold.poker.view import NodeView
    from counterfold.searchers.edge import depth_limited
    from counterfold.searchers.searcher import Searcher, search
    from counterfold.searchers.subgame import subgames
    from counterfold.solvers.correlated import correlated_gaps
    from counterfold.solvers.flop_report import FlopReport
    from counterfold.solvers.methods import METHODS, Method, method
    from counterfold.solvers.result import Result, resume, solve
    from counterfold.solvers.solver import Solver
    from counterfold.solvers.until import Report, Until
    from counterfold.strategy.strategy import Strategy
    from counterfold.style.frontier import frontier
    from counterfold.style.preferences import Style
    from counterfold.style.targets import meet
    from counterfold.tree.history import HistoryTree, compile_game
    from counterfold.tree.public import PublicTree
    from counterfold.tree.walk import measure


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module 'counterfold' has no attribute {name!r}")
    found: object = getattr(import_module(f"counterfold.{_WHERE[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
