"""Matches on disk: everything that the next hand depends on, and the score so far."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from counterfold.arrays import Arrays
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
from counterfold.games.base import Game
from counterfold.games.catalog import load_named
from counterfold.play.agents import Dynamic, StrategyAgent
from counterfold.play.record import source_in
from counterfold.poker.rules import PokerRules
from counterfold.strategy.hands import HandLayout, game_of
from counterfold.strategy.strategy import Strategy
from counterfold.tree.form import Form, InfosetForm, form_of
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.public import PublicTree
from counterfold.tree.story import rules_of

if TYPE_CHECKING:
    from counterfold.agent import Agent
    from counterfold.play.match import Match

KIND = "match"


def check_saveable(match: Match) -> None:
    """Refuse a match of which a file could not hold all that the next hand depends on."""
    agents = zip(match.names, match.agents, strict=True)
    names = [name for name, agent in agents if not isinstance(agent, StrategyAgent | Learner)]
    if names:
        raise UnsupportedError(
            f"the match cannot be saved: what {' and '.join(names)} keeps in mind is not "
            "known, as it is code in Python; leave out --save"
        )
    if not match.compiled and not source_in(match.game):
        raise UnsupportedError(
            f"the match cannot be saved: {match.spec} is played at a table; play it again "
            "from its seed"
        )


def save_match(match: Match, path: str | os.PathLike[str]) -> None:
    """Write a match between strategies and learners."""
    check_saveable(match)
    header = {
        "game": match.spec,
        "fingerprint": _fingerprint(match.tree or match.game),
        **{key: json.dumps(rules) for key, rules in source_in(match.game).items()},
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


def _fingerprint(game: HistoryTree | Game) -> str:
    if isinstance(game, HistoryTree):
        return game.fingerprint
    assert isinstance(game, PokerRules)
    from counterfold.abstraction.bucket_form import game_print

    return game_print(game.poker)


def _tables(agents: tuple[Agent, ...]) -> Arrays:
    arrays: Arrays = {}
    for g, agent in enumerate(agents):
        if isinstance(agent, Learner):
            arrays |= {f"{g}.{name}": getattr(agent.minds, name)[0] for name in TABLES}
        elif isinstance(agent, StrategyAgent) and not isinstance(agent, Dynamic):
            strategy = agent.strategy
            if isinstance(strategy.layout, HandLayout):
                own = strategy.layout.arrays(strategy.tables)
                arrays |= {f"{g}.{name}": array for name, array in own.items()}
            else:
                arrays[f"{g}.strategy"] = strategy.probabilities
    return arrays


def _told(agent: Agent) -> dict[str, object]:
    """An agent as JSON, beside its tables."""
    if isinstance(agent, Learner):
        setting = agent.setting
        about = {"learner": setting.name, "parameters": dict(setting.parameters)}
        return {"name": agent.name, **about}
    assert isinstance(agent, StrategyAgent)
    form = agent.phase(0).strategy.tree
    more: dict[str, int] = {"symmetry": form.symmetry} if isinstance(form, PublicTree) else {}
    if isinstance(agent, Dynamic):
        more |= {"every": agent.every, "seed": agent.seed}
    return {"name": agent.name, **more}


def load_match(path: str | os.PathLike[str], game: object = None) -> Match:
    """Read a match; the rules are loaded by the game's name unless they are given."""
    from counterfold.play.match import Match

    saved = read_arrays(path, KIND, "a match")
    told = saved.fields("match")
    here = _game(saved, game)
    agents = told.objects("agents")
    stranger = None
    if told.raw("stranger") is not None:
        stranger = told.whole("stranger", 0, len(agents) - 1)

    @cache
    def compiled(symmetry: bool) -> Form:
        return here if isinstance(here, HistoryTree) else form_of(here, symmetry=symmetry)

    try:
        match = Match(
            here,
            *(_agent(one, saved.part(f"{g}."), compiled) for g, one in enumerate(agents)),
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


def _game(saved: Saved, game: object) -> HistoryTree | PokerRules:
    """The game of a match as it is played: compiled, or poker in ranges at a table."""
    spec = saved.text("game")
    here: HistoryTree | Game
    rules = None if game is None else rules_of(game)
    if "rules" in saved.header and (rules is None or isinstance(rules, PokerRules)):
        here = rules or PokerRules(game_of(saved.fields("rules"), spec), spec)
    elif isinstance(game, HistoryTree):
        here = game
    else:
        here = compile_game(rules or load_named(spec, saved.path))
    if _fingerprint(here) != saved.text("fingerprint"):
        raise MismatchError(
            f"the match was played in {spec}, and the game here is {here.spec}"
            + ("; the rules have changed since" if here.spec == spec else "")
        )
    return here


def _agent(told: Fields, saved: Saved, compiled: Callable[[bool], Form]) -> Agent:
    tree = compiled(told.flag("symmetry", True))
    agent: Agent
    if "learner" in told and isinstance(tree, HistoryTree):
        learner = Learner(tree, setting_in(told), equilibrium=Strategy.uniform(tree))
        learner.fill(saved)
        agent = learner
    elif "every" in told:
        agent = Dynamic(tree, told.whole("every", 1), told.whole("seed", 0))
    elif isinstance(tree, PublicTree):
        agent = StrategyAgent(Strategy.of(tree, HandLayout(tree).tables_in(saved)))
    else:
        assert isinstance(tree, InfosetForm)
        slots = tree.infosets.slots
        odds = saved.array("strategy", np.float64, (slots,), least=0, most=1 + 1e-6)
        agent = StrategyAgent(Strategy.of(tree, odds))
    saved.finish()
    agent.name = told.text("name")
    return agent
