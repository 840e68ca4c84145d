"""Every option that more than one verb has, declared once.

``counterfold --help`` must be instant: nothing heavier than typer is imported here.
"""

from __future__ import annotations

from dataclasses import MISSING, field
from typing import Annotated, Any

import typer
from typer.models import OptionInfo

from counterfold.errors import ParameterError, short


def count(text: str) -> int:
    """Whole numbers, also as 1e6 or 1_000_000.

    >>> count("1e6"), count("20_000")
    (1000000, 20000)
    """
    try:
        number = int(text)
    except ValueError:
        try:
            written = float(text)
        except ValueError:
            written = 0.5
        if not abs(written) < 2**63 or written != int(written):
            raise typer.BadParameter(f"{short(text)} is not a whole number") from None
        number = int(written)
    if abs(number) >= 2**63:
        raise typer.BadParameter(f"{short(text)} is too large a number")
    return number


def low(text: str) -> float | str:
    """An exploitability to stop at: a number, or a text with a unit of poker.

    >>> low("1e-3"), low("0.5%"), low("1 mbb")
    (0.001, '0.5%', '1 mbb')
    """
    if text.strip().lower().endswith(("%", "mbb", "mbb/h")):
        return text
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is no number; in poker 0.5% and 1mbb will do as well"
        ) from None


def some(text: str) -> int | str:
    """How many boards to draw: a whole number, or all of them.

    >>> some("all"), some("1e4")
    ('all', 10000)
    """
    return "all" if text.strip().lower() == "all" else count(text)


def cluster(text: str) -> str:
    """The address of a cluster; what is none is refused before any work is done."""
    from counterfold.pieces.cluster import check_cluster

    check_cluster(text)
    return text


def place(text: str) -> str:
    """A folder or an address.

    >>> place("s3://bucket/spots")
    's3://bucket/spots'
    """
    if not text.strip():
        raise ParameterError("--library is a folder or an address such as s3://bucket/spots")
    return text


def _option(metavar: str, text: str, *names: str, **more: Any) -> OptionInfo:
    """What --help tells of an option: what it takes, and what it does."""
    made: OptionInfo = typer.Option(*names, metavar=metavar, help=text, **more)
    return made


def _number(metavar: str, text: str, *names: str, **more: object) -> OptionInfo:
    return _option(metavar, text, *names, parser=count, **more)


def _flag(text: str, *names: str) -> OptionInfo:
    made: OptionInfo = typer.Option(*names, help=text)
    return made


def option(metavar: str, text: str, *names: str, default: object = None, **more: object) -> Any:
    """A field of a request: an option of one verb, what it takes, and what it does."""
    return field(default=default, metadata={OPTION: _option(metavar, text, *names, **more)})


def number(metavar: str, text: str, *names: str, default: object = None, **more: object) -> Any:
    """The same for a whole number."""
    return option(metavar, text, *names, default=default, parser=count, **more)


def flag(text: str, *names: str, default: bool | None = False) -> Any:
    """The same for an option that takes nothing."""
    return field(default=default, metadata={OPTION: _flag(text, *names)})


def argument(metavar: str, text: str, default: object = MISSING) -> Any:
    """The same for an argument, which has no name on the command line."""
    told = typer.Argument(metavar=metavar, help=text)
    return field(default=default, metadata={OPTION: told})


OPTION = "option"
"""Where a field keeps what typer is to know of it."""

# Which game, and in which form.

GAME = typer.Argument(
    metavar="GAME",
    help="A name such as leduc or 'one_card(ranks=13)' (see `counterfold games`), "
    "mygame.py:MyGame, openspiel:NAME, a .efg, .txt or .json file; for poker with all "
    "hands, a spot in JSON or fhp.",
    show_default=False,
)
Game = Annotated[str, GAME]
MaybeGame = Annotated[str | None, GAME]
GameAtTable = Annotated[
    str | None, _option("GAME", "As for `counterfold solve`.", "--game", show_default=False)
]
GameAgain = Annotated[
    str | None,
    _option(
        "GAME", "The game of a file; needed where its rules are a Python file of yours.", "--game"
    ),
]
Form = Annotated[
    str | None,
    _option(
        "FORM",
        "history, or public: every hand at every node (kuhn, leduc, one_card have both); deals: "
        "Cheat, with --traversal chance, where it is too large to be laid out.",
    ),
]

# How it is solved, and for how long.

Method = Annotated[
    str | None,
    _option(
        "NAME",
        "cfr, cfr+, linear, dcfr, dcfr+, pcfr+, pdcfr+, sapcfr+, hs-dcfr, hs-pcfr+ "
        "(parameters may follow in brackets), or lp. [sapcfr+], for hold'em "
        "[dcfr(1.5, 0, 4)]",
    ),
]
OTHER_METHOD = _option("NAME", "As for `counterfold solve`, where it can be.", "--method")
OtherMethod = Annotated[str | None, OTHER_METHOD]
TRAVERSAL = _option("KIND", "full, chance, external or outcome sampling. [full]")
Traversal = Annotated[str | None, TRAVERSAL]
Iterations = Annotated[int | None, _number("N", "Stop a run after so many in all.")]
EXPLOITABILITY = _option(
    "X",
    "Stop a run when its exact exploitability is as low; in poker also as 0.5% "
    "(of the pot) or 1mbb.",
    "--exploitability",
    "--accuracy",
    parser=low,
)
Exploitability = Annotated[float | str | None, EXPLOITABILITY]
Seconds = Annotated[float | None, _option("S", "Stop after so many seconds in all.")]
SEED = _number("N", "Of all that is drawn. [0]", show_default=False)
Seed = Annotated[int, SEED]
MaybeSeed = Annotated[int | None, SEED]
Bits = Annotated[int | None, _option("N", "Public form: store in 32 or 16 bits, half of it. [32]")]
Threads = Annotated[int | None, _option("N", "How many, in public form. [one a core]")]
Memory = Annotated[
    str | None, _option("SIZE", "The most memory to take, such as 2G. [what is free]")
]

# Work in pieces.

Cluster = Annotated[
    str | None,
    _option(
        "ADDRESS",
        "Have it done by a Dask cluster: its scheduler's address or file, or local:4 for four "
        "processes here.",
        parser=cluster,
    ),
]
Library = Annotated[
    str | None,
    _option(
        "ADDRESS",
        "A folder or an address such as s3://bucket/spots: what it has is not solved again, what "
        "it lacks is put there.",
        parser=place,
    ),
]

# Styles, and answers to an opponent.

Prefer = Annotated[
    tuple[str, ...],
    _option(
        "ACTION=N",
        "Like an action N times as much; may be given again. In poker with all hands "
        "also oop:raise@turn=N or ip:call[JJ-22,AQ]=N.",
    ),
]
GiveUp = Annotated[
    float | None,
    _option(
        "X",
        "What may be lost by such wishes at each infoset, in payoffs (of poker, chips a hand). [0]",
    ),
]
Player = Annotated[int, _option("N", "Who you are, counted from 1.", "--player")]
Trust = Annotated[
    float | None, _option("P", "Restricted Nash response: the opponent plays by the model with P.")
]

# The table.

Agents = Annotated[
    tuple[str, ...],
    typer.Argument(
        metavar="AGENT",
        help="Who plays (see `counterfold agents`): two, or as many as the game takes.",
    ),
]
Hands = Annotated[
    int | None, _number("N", "Hands of a match. [100,000; 1,000 with an agent written in Python]")
]
Duplicate = Annotated[
    bool, _flag("Play every deal once for each way of sitting: less luck.", "--duplicate")
]
Reveal = Annotated[bool, _flag("Show learners all cards after every hand.", "--reveal")]
TimeLimit = Annotated[
    float, _option("S", "Seconds a move for agents written in Python. [10]", show_default=False)
]

# Files, and what is printed.

Save = Annotated[
    str | None, _option("FILE", "Write what was found, ready to be resumed where it can be.")
]
Resume = Annotated[
    str | None, _option("FILE", "Go on from a saved run (and save there, unless --save is given).")
]
Plot = Annotated[str | None, _option("FILE", "Draw a picture, as .png, .svg or .pdf.")]
Csv = Annotated[str | None, _option("FILE", "Write CSV there; - is standard output.")]
Json = Annotated[bool, _flag("Print one JSON document and nothing else.", "--json")]
Quiet = Annotated[bool, _flag("No progress on standard error.", "--quiet", "-q")]
