"""Matches on disk: everything that the next hand depends on, and the score so far."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from counterfold.errors import CounterfoldError, FileError, MismatchError, UnsupportedError
from counterfold.exploit.online import TABLES, Learner
from counterfold.exploit.rules import Setting
from counterfold.play.agents import Dynamic, StrategyAgent
from counterfold.play.score import Sums, turns
from counterfold.strategy.store import open_arrays, write_whole
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree, compile_game

if TYPE_CHECKING:
    from counterfold.agent import Agent
    from counterfold.play.match import Match

__all__ = ["FORMAT", "load_match", "save_match"]

FORMAT = "counterfold match 1"


def save_match(match: Match, path: str | os.PathLike[str]) -> None:
    """Write a match between strategies and learners."""
    from safetensors.numpy import save

    if not match.compiled or match.tree is None:
        names = [
            name
            for name, agent in zip(match.names, match.agents, strict=True)
            if not isinstance(agent, StrategyAgent | Learner)
        ]
        raise UnsupportedError(
            f"the match cannot be saved: what {' and '.join(names)} keeps in mind is not known"
        )
    arrays = {**match.state(), **_tables(match.agents)}
    header = {
        "format": FORMAT,
        "game": match.spec,
        "fingerprint": match.tree.fingerprint,
        "match": json.dumps(
            {
                "seed": match.seed,
                "duplicate": match.duplicate,
                "reveal": match.reveal,
                "stranger": match.stranger,
                "hands": match.hands,
                "seconds": match.seconds,
                "cpu_seconds": match.cpu_seconds,
                "agents": [_told(agent) for agent in match.agents],
            }
        ),
    }
    write_whole(path, save({k: np.ascontiguousarray(v) for k, v in arrays.items()}, header))


def _tables(agents: tuple[Agent, ...]) -> dict[str, Any]:
    arrays: dict[str, Any] = {}
    for g, agent in enumerate(agents):
        if isinstance(agent, Learner):
            arrays |= {f"{g}.{name}": getattr(agent.minds, name)[0] for name in TABLES}
        elif isinstance(agent, StrategyAgent) and not isinstance(agent, Dynamic):
            arrays[f"{g}.strategy"] = agent.strategy.probabilities
    return arrays


def _told(agent: Agent) -> dict[str, Any]:
    if isinstance(agent, Learner):
        setting = agent.setting
        about = {"learner": setting.name, "parameters": dict(setting.parameters)}
        return {"name": agent.name, **about}
    if isinstance(agent, Dynamic):
        return {"name": agent.name, "every": agent.every, "seed": agent.seed}
    return {"name": agent.name}


def load_match(path: str | os.PathLike[str], game: Any = None) -> Match:
    """Read a match; the rules are loaded by the game's name unless they are given."""
    from counterfold.play.match import Match

    header, arrays = open_arrays(path)
    if header.get("format") != FORMAT:
        raise FileError(f"{path} holds no match (format {header.get('format')!r})")
    try:
        told = json.loads(header["match"])
        tree = _tree(header, game)
        agents = [_agent(tree, one, g, arrays) for g, one in enumerate(told["agents"])]
        match = Match(
            tree,
            *agents,
            seed=told["seed"],
            duplicate=told["duplicate"],
            reveal=told["reveal"],
            stranger=told["stranger"],
        )
        match.hands = int(told["hands"])
        match.seconds, match.cpu_seconds = told["seconds"], told["cpu_seconds"]
        match.restore(arrays)
    except CounterfoldError as error:
        if isinstance(error, MismatchError):
            raise
        raise FileError(f"{path} is damaged: {error}") from None
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise FileError(f"{path} is damaged: {type(error).__name__} {error}") from None
    return match


def _tree(header: dict[str, str], game: Any) -> HistoryTree:
    if game is None:
        from counterfold.games.catalog import load

        game = load(header["game"])
    tree = game if isinstance(game, HistoryTree) else compile_game(game)
    if tree.fingerprint != header["fingerprint"]:
        raise MismatchError(
            f"the match was played in {header['game']}, and the game here is {tree.spec}"
            + ("; the rules have changed since" if tree.spec == header["game"] else "")
        )
    return tree


def _agent(tree: HistoryTree, told: dict[str, Any], g: int, arrays: dict[str, Any]) -> Agent:
    agent: Agent
    if "learner" in told:
        setting = Setting.of(told["learner"], **told["parameters"])
        learner = Learner(tree, setting, equilibrium=Strategy.uniform(tree))
        for name in TABLES:
            take_back(getattr(learner.minds, name)[0], arrays[f"{g}.{name}"], name)
        agent = learner
    elif "every" in told:
        agent = Dynamic(tree, told["every"], told["seed"])
    else:
        agent = StrategyAgent(Strategy.of(tree, arrays[f"{g}.strategy"]))
    agent.name = told["name"]
    return agent


def take_back(table: Any, given: Any, name: str) -> None:
    """Fill a table from a file, if it fits."""
    if given.shape != table.shape or given.dtype != table.dtype:
        raise FileError(f"its table {name!r} does not fit")
    table[...] = given


def marks_of(agents: int, repeat: int, arrays: dict[str, Any]) -> list[Sums]:
    """The points of the curve."""
    return [
        Sums(turns(agents, int(hands)), repeat, total, square)
        for hands, total, square in zip(
            arrays["marks.hands"], arrays["marks.total"], arrays["marks.square"], strict=True
        )
    ]
