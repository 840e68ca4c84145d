"""The verb that opens the studio, which stands above the command line and is loaded by its name."""

from __future__ import annotations

from dataclasses import dataclass

from counterfold.cli.options import argument, flag, number, option
from counterfold.cli.request import verb


@verb(
    epilog="""Needs `pip install 'counterfold[studio]'`. Only this machine comes in, unless --host
says otherwise: then with the token that is shown once. Ctrl-C ends it; jobs save their work and go
on when the folder is opened again.""",
    module="counterfold.studio.start",
)
@dataclass(frozen=True)
class StudioRequest:
    """Open the page on which spots are built, solved, looked at and played."""

    folder: str = argument("[FOLDER]", "What it serves and keeps its work in.", default=".")
    port: int | None = number("N", "Of the page. [8700, or a free one]")
    host: str = option("HOST", "Where others may come from, with a token.", default="127.0.0.1")
    game: tuple[str, ...] = option(
        "GAME", "A game of your own, mygame.py:MyGame; may be given again.", default=()
    )
    no_browser: bool = flag("Only print the address.")
