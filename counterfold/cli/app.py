"""The one application that all verbs register on."""

from __future__ import annotations

from typing import Annotated

import typer

from counterfold import __version__
from counterfold.cli.endings import Verbs

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
