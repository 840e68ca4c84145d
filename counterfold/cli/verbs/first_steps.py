"""The verbs for somebody who has just come: a demonstration, and all kernels compiled."""

from __future__ import annotations

from typing import Annotated

import typer

from counterfold.cli import options
from counterfold.cli.app import app


@app.command()
def demo(
    folder: Annotated[str, typer.Option(metavar="DIR", help="Where the picture goes.")] = ".",
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Solve Kuhn and Leduc poker, check the known values, compare all methods in a plot."""
    from counterfold.cli.demo import run

    run(folder, json=json, quiet=quiet)


@app.command()
def warmup(json: options.Json = False, quiet: options.Quiet = False) -> None:
    """Compile all kernels now, once on this machine, so that nothing waits for it later."""
    from counterfold.cli.warmup import run

    run(json=json, quiet=quiet)
