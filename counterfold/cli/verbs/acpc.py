"""``counterfold acpc``: matches with other people's programs, by the competition's protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from counterfold.cli import options
from counterfold.cli.app import app
from counterfold.cli.options import argument, option
from counterfold.cli.request import Answered, command_of

_acpc = typer.Typer(
    help="Play at a dealer of the computer poker competition, or deal to its programs.",
    rich_markup_mode=None,
)
app.add_typer(_acpc, name="acpc")

NOLIMIT = "holdem.nolimit.2p.reverse_blinds.game"
Table = Annotated[
    str,
    typer.Option(
        metavar="GAME",
        help="A file of a game, holdem.nolimit.2p.reverse_blinds.game and its kin by name, or a "
        "table in whole chips such as 'holdem(blinds=50+100,stack=20000)'.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class ConnectRequest(Answered):
    """Take a seat at somebody's dealer, and play until it closes the match."""

    host: str = argument("HOST", "Where the dealer runs.")
    port: int = argument("PORT", "Of this seat.")
    agent: str = argument("AGENT", "A strategy of a table, a bot, mybot.py:MyBot.")
    game: Table = NOLIMIT
    seed: options.Seed = 0


@dataclass(frozen=True)
class DealRequest(Answered):
    """Deal to programs that connect to a port, to agents of ours, or to both."""

    agents: options.Agents = ()
    game: Table = NOLIMIT
    hands: options.Hands = 1_000
    seed: options.Seed = 0
    duplicate: options.Duplicate = False
    time_limit: options.TimeLimit = 10.0
    wait: float = option("S", "Seconds to wait until all programs are there.", default=600.0)
    host: str = option("HOST", "The address that is listened at.", default="127.0.0.1")
    log: str | None = option("FILE.log", "Write the match down in the competition's format.")


_acpc.command(
    "connect",
    epilog="""\b
Keys of --json: dealer, game, agent, hands, untold (hands of which too little was shown to
know what was won), won (chips), stopped.
""",
)(command_of(ConnectRequest, "counterfold.cli.acpc_connect"))
_acpc.command(
    "deal",
    epilog="""An agent is a port such as 18791 (0 for any), with a name before it if you like
(alice=18791), at which a program is waited for, or anybody whom `counterfold match` takes.

\b
Keys of --json: those of `counterfold match`, and log.
""",
)(command_of(DealRequest, "counterfold.cli.acpc_deal"))
