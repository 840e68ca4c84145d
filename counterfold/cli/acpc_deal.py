"""``counterfold acpc deal``: a dealer for programs that connect."""

from __future__ import annotations

import re

from counterfold.agent import Agent
from counterfold.cli.acpc_connect import notation_of, seated_at
from counterfold.cli.certificate import print_panel
from counterfold.cli.match import HandsWatch, check_hands
from counterfold.cli.output import StoppedError, advise, check_can_write, print_json, say, tell
from counterfold.cli.scores import print_faults, print_scores, verdict, versus
from counterfold.cli.verbs.acpc import DealRequest
from counterfold.errors import OutOfTimeError, ParameterError
from counterfold.play.acpc import RemoteAgent, remote_agents
from counterfold.play.match import Match
from counterfold.poker.acpc import Notation

_REMOTE = re.compile(r"(?:([^=:|]+)=)?(\d{1,5})")


def run(request: DealRequest) -> None:
    """Wait for the programs, deal, and tell who has won."""
    check_hands(request.hands)
    if request.log:
        if not request.log.endswith(".log"):
            raise ParameterError(f"--log is a file such as match.log, not {request.log!r}")
        check_can_write(request.log, "--log")
    notation = notation_of(request.game)
    agents = [_agent(spec, notation, request) for spec in request.agents]
    if len(agents) != notation.table.players:
        raise ParameterError(
            f"the table is for {notation.table.players}; agents given: {len(agents)}"
        )
    remote = remote_agents(agents)
    try:
        _gather(remote, request.wait)
        watch = HandsWatch(request.quiet)
        with watch:
            match = Match(
                notation.table,
                *agents,
                seed=request.seed,
                duplicate=request.duplicate,
                time_limit=request.time_limit + 5 * bool(remote),  # those look to theirs themselves
            )
            result = match.play(request.hands or 1_000, on_progress=watch.hands, record=request.log)
    finally:
        for agent in remote:
            agent.close()
    if request.json:
        print_json({**result.to_dict(), "log": request.log})
    else:
        print_panel(
            "Match",
            [
                ("game", str(result.game)),
                ("agents", versus(result.agents)),
                ("hands", f"{result.hands:,}"),
                *([("log", request.log)] if request.log else []),
            ],
        )
        say()
        print_scores(result.scores)
        say()
        print_faults(result.agents, result.faults, result.messages)
        advise(" ".join(verdict(result.scores, learning=False)))
    if result.stopped == "interrupted":
        raise StoppedError(f"stopped after {result.hands:,} hands")


def _agent(spec: str, notation: Notation, request: DealRequest) -> Agent:
    """A program that will connect, or an agent of ours."""
    found = _REMOTE.fullmatch(spec)
    if found is None:
        return seated_at(spec, notation)
    port = int(found[2])
    if port > 65_535:
        raise ParameterError(f"a port is from 0 (any that is free) to 65535, not {port}")
    return RemoteAgent(port, request.host, found[1] or "", request.time_limit)


def _gather(remote: list[RemoteAgent], seconds: float) -> None:
    """Open the ports, say where they are, and wait."""
    for agent in remote:
        agent.listen()
    for agent in remote:
        tell(f"waiting for {agent.name} at {agent.host}:{agent.port}")
    for agent in remote:
        if not agent.welcome(seconds):
            raise OutOfTimeError(
                f"nobody came to {agent.host}:{agent.port} within {seconds:g} seconds"
            )
