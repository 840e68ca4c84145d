"""``counterfold acpc connect``: a seat at somebody's dealer."""

from __future__ import annotations

import os

from counterfold.agent import Agent
from counterfold.cli.certificate import print_panel
from counterfold.cli.names import rules_named
from counterfold.cli.output import StoppedError, amount, print_json
from counterfold.cli.progress import Watch
from counterfold.cli.verbs.acpc import ConnectRequest
from counterfold.errors import UnsupportedError, short
from counterfold.files.text import read_text
from counterfold.play.acpc import Seat, play_at
from counterfold.play.agents import own_agent
from counterfold.play.blueprint import BlueprintAgent
from counterfold.play.bots import make_bot
from counterfold.play.translate import Translated
from counterfold.poker.acpc import GAMES, Notation, parse_game
from counterfold.poker.table import Holdem


def run(request: ConnectRequest) -> None:
    """Play, and tell what it came to."""
    notation = notation_of(request.game)
    agent = seated_at(request.agent, notation)
    with Watch(request.quiet) as watch:
        watch.doing(f"playing at {request.host}:{request.port}")

        def look(seat: Seat) -> None:
            watch.doing(f"playing: {seat.hands:,} hands, {amount(seat.won)} chips")

        seat = play_at(
            (request.host, request.port), agent, notation, seed=request.seed, on_hand=look
        )
    told = {
        "dealer": f"{request.host}:{request.port}",
        "game": str(notation.table),
        "agent": agent.name,
        "hands": seat.hands,
        "untold": seat.untold,
        "won": seat.won,
        "stopped": seat.stopped,
    }
    if request.json:
        print_json(told)
    else:
        known = seat.hands - seat.untold
        each = f", {amount(seat.won / known)} a hand" if known else ""
        unknown = f"; of {seat.untold:,} hands too little was shown" if seat.untold else ""
        print_panel(
            "Match",
            [
                ("dealer", str(told["dealer"])),
                ("agent", agent.name),
                ("hands", f"{seat.hands:,}, until {seat.stopped}"),
                ("won", f"{amount(seat.won)} chips{each}{unknown}"),
            ],
        )
    if seat.stopped == "interrupted":
        raise StoppedError(f"stopped after {seat.hands:,} hands")


def notation_of(game: str) -> Notation:
    """The table that a word or a file means, in the words of the protocol."""
    if game in GAMES:
        return parse_game(GAMES[game])
    if os.path.isfile(game) and not game.endswith(".json"):
        return parse_game(read_text(game, "a game of the competition"), game)
    table = rules_named(game)
    if not isinstance(table, Holdem):
        raise UnsupportedError(
            f"the competition's protocol is for tables of hold'em, not for {short(game)}"
        )
    return Notation.of(table)


def seated_at(spec: str, notation: Notation) -> Agent:
    """An agent by its name, at a table where any size may be bet."""
    if ".py:" in spec:
        return own_agent(spec)
    agent = make_bot(spec)
    if isinstance(agent, BlueprintAgent):
        agent = Translated(agent, agent.table, spec)
        agent.begin(notation.table)
    return agent
