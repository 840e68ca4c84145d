"""Every option that more than one verb has, declared once.

``counterfold --help`` must be instant: nothing heavier than typer is imported here.
"""

from __future__ import annotations

from typing import Annotated

import typer

from counterfold.errors import short


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
    str | None,
    typer.Option("--game", metavar="GAME", help="As for `counterfold solve`.", show_default=False),
]
GameAgain = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="GAME",
        help="The game of a file; needed where its rules are a Python file of yours.",
    ),
]
Form = Annotated[
    str | None,
    typer.Option(
        metavar="FORM",
        help="history, or public: every hand at every node (kuhn, leduc, one_card have both).",
    ),
]

# How it is solved, and for how long.

Method = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="cfr, cfr+, linear, dcfr, dcfr+, pcfr+, pdcfr+, sapcfr+, hs-dcfr, hs-pcfr+ "
        "(parameters may follow in brackets), or lp. [sapcfr+], for hold'em [dcfr(1.5, 0, 4)]",
    ),
]
OTHER_METHOD = typer.Option(
    "--method", metavar="NAME", help="As for `counterfold solve`, where it can be."
)
OtherMethod = Annotated[str | None, OTHER_METHOD]
TRAVERSAL = typer.Option(metavar="KIND", help="full, chance, external or outcome sampling. [full]")
Traversal = Annotated[str | None, TRAVERSAL]
Iterations = Annotated[
    int | None, typer.Option(metavar="N", parser=count, help="Stop a run after so many in all.")
]
EXPLOITABILITY = typer.Option(
    "--exploitability",
    "--accuracy",
    metavar="X",
    parser=low,
    help="Stop a run when its exact exploitability is as low; in poker also as 0.5% (of the "
    "pot) or 1mbb.",
)
Exploitability = Annotated[float | str | None, EXPLOITABILITY]
Seconds = Annotated[
    float | None, typer.Option(metavar="S", help="Stop after so many seconds in all.")
]
SEED = typer.Option(metavar="N", parser=count, show_default=False, help="Of all that is drawn. [0]")
Seed = Annotated[int, SEED]
MaybeSeed = Annotated[int | None, SEED]
Bits = Annotated[
    int | None,
    typer.Option(metavar="N", help="Public form: store in 32 or 16 bits, half of it. [32]"),
]
Threads = Annotated[
    int | None, typer.Option(metavar="N", help="How many, in public form. [one a core]")
]
Memory = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="The most memory to take, such as 2G. [what is free]"),
]

# Styles, and answers to an opponent.

Prefer = Annotated[
    tuple[str, ...],
    typer.Option(
        metavar="ACTION=N",
        help="Like an action N times as much; may be given again. In poker with all hands also "
        "oop:raise@turn=N or ip:call[JJ-22,AQ]=N.",
    ),
]
GiveUp = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        help="What may be lost by such wishes at each infoset, in payoffs (of poker, chips a "
        "hand). [0]",
    ),
]
Player = Annotated[
    int,
    typer.Option("--player", "--seat", metavar="N", help="Who you are, counted from 1."),
]
Trust = Annotated[
    float | None,
    typer.Option(
        metavar="P", help="Restricted Nash response: the opponent plays by the model with P."
    ),
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
    int | None,
    typer.Option(
        metavar="N",
        parser=count,
        help="Hands of a match. [100,000; 1,000 with an agent written in Python]",
    ),
]
Duplicate = Annotated[
    bool,
    typer.Option("--duplicate", help="Play every deal once for each way of sitting: less luck."),
]
Reveal = Annotated[bool, typer.Option("--reveal", help="Show learners all cards after every hand.")]
TimeLimit = Annotated[
    float,
    typer.Option(
        metavar="S", show_default=False, help="Seconds a move for agents written in Python. [10]"
    ),
]

# Files, and what is printed.

Save = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Write what was found, ready to be resumed where it can be."),
]
Resume = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Go on from a saved run (and save there, unless --save is given)."
    ),
]
Plot = Annotated[
    str | None, typer.Option(metavar="FILE", help="Draw a picture, as .png, .svg or .pdf.")
]
Csv = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write CSV there; - is standard output.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]
