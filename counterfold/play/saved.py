"""Matches on disk: everything that the next hand depends on, and the score so far."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from counterfold.errors import (
    CodeError,
    CounterfoldError,
    FileError,
    MismatchError,
    UnsupportedError,
)
from counterfold.exploit.online import TABLES, Learner
from counterfold.exploit.rules import setting_in
from counterfold.files.arrays import Saved, read_arrays, write_arrays
from counterfold.files.text import Fields
from counterfold.games.catalog import load_named
from counterfold.play.agents import Dynamic, StrategyAgent
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree, compile_game

if TYPE_CHECKING:
    from counterfold.agent import Agent
    from counterfold.play.match import Match

__all__ = ["load_match", "save_match"]

KIND = "match"


def save_match(match: Match, path: str | os.PathLike[str]) -> None:
    """Write a match between strategies and learners."""
    if not match.compiled or match.tree is None:
        names = [
            name
            for name, agent in zip(match.names, match.agents, strict=True)
            if not isinstance(agent, StrategyAgent | Learner)
        ]
        if not names:
            raise UnsupportedError(
                f"the match cannot be saved: {match.spec} is played at a table; play it again "
                "from its seed"
            )
        raise UnsupportedError(
            f"the match cannot be saved: what {' and '.join(names)} keeps in mind is not known"
        )
    header = {
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
    write_arrays(path, KIND, header, {**match.state(), **_tables(match.agents)})


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

    saved = read_arrays(path, KIND, "a match")
    told = saved.fields("match")
    tree = _tree(saved, game)
    agents = told.objects("agents")
    stranger = None
    if told.raw("stranger") is not None:
        stranger = told.whole("stranger", 0, len(agents) - 1)
    try:
        match = Match(
            tree,
            *(_agent(tree, one, saved.part(f"{g}.")) for g, one in enumerate(agents)),
            seed=told.whole("seed", 0, 2**128),
            duplicate=told.flag("duplicate"),
            reveal=told.flag("reveal"),
            stranger=stranger,
        )
    except (FileError, MismatchError, CodeError):
        raise
    except CounterfoldError as error:
        raise saved.damaged(error) from None
    match.hands = told.whole("hands", 0)
    match.seconds, match.cpu_seconds = told.number("seconds", 0), told.number("cpu_seconds", 0)
    match.restore(saved)
    saved.finish()
    return match


def _tree(saved: Saved, game: Any) -> HistoryTree:
    spec = saved.text("game")
    if game is None:
        game = load_named(spec, saved.path)
    tree = game if isinstance(game, HistoryTree) else compile_game(game)
    if tree.fingerprint != saved.text("fingerprint"):
        raise MismatchError(
            f"the match was played in {spec}, and the game here is {tree.spec}"
            + ("; the rules have changed since" if tree.spec == spec else "")
        )
    return tree


def _agent(tree: HistoryTree, told: Fields, saved: Saved) -> Agent:
    agent: Agent
    if "learner" in told:
        learner = Learner(tree, setting_in(told), equilibrium=Strategy.uniform(tree))
        learner.fill(saved)
        agent = learner
    elif "every" in told:
        agent = Dynamic(tree, told.whole("every", 1), told.whole("seed", 0))
    else:
        slots = tree.infosets.slots
        odds = saved.array("strategy", np.float64, (slots,), least=0, most=1 + 1e-6)
        agent = StrategyAgent(Strategy.of(tree, odds))
    saved.finish()
    agent.name = told.text("name")
    return agent
