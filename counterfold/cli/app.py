"""The one application that all verbs register on, and the options that many of them share."""

from __future__ import annotations

from typing import Annotated

import typer

from counterfold import __version__
from counterfold.cli.endings import Verbs
from counterfold.errors import short

__all__ = ["GameAgain", "Json", "Memory", "Quiet", "app", "count"]

app = typer.Typer(
    name="counterfold",
    cls=Verbs,
    help="From the rules of an imperfect-information game to a strategy you can trust.",
    epilog="Start with `counterfold demo`, or `counterfold solve leduc --save leduc.safetensors`.",
    rich_markup_mode=None,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"counterfold {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


def count(text: str) -> int:
    """Whole numbers, also as 1e6 or 1_000_000.

    >>> count("1e6"), count("20_000")
    (1000000, 20000)
    """
    try:
        number = int(text)
    except ValueError:
        try:
            told = float(text)
        except ValueError:
            told = 0.5
        if not abs(told) < 2**63 or told != int(told):
            raise typer.BadParameter(f"{short(text)} is not a whole number") from None
        number = int(told)
    if abs(number) >= 2**63:
        raise typer.BadParameter(f"{short(text)} is too large a number")
    return number


GameAgain = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="GAME",
        help="The game of a file; needed where its rules are a Python file of yours.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]
Memory = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="The most memory to take, such as 2G. [what is free]"),
]
