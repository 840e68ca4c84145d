"""The verb that gives a strategy a style."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from counterfold.cli import options
from counterfold.cli.request import verb


@verb(
    epilog="""Usually 10,000 iterations of cfr a run (sapcfr+ with --target; spots as in solve).
With --target, --give-up is the most exploitability to spend. Frequencies are shares of the
decisions where an action can be taken, each infoset counted as often as play gets there.
A style may be left out if a frontier is asked for. In a poker spot every hand is played at
once, and what is told is of the first street.

\b
Keys of --json: game, style, cost (in exploitability), plain and styled (the keys of
`solve --json`), by_player, by_round, by_hand (player, round, hand, action, plain,
styled), distance (mean, largest, player, infoset, action), players (player, plain,
styled, styled_against_plain, plain_against_styled, plain_guarantee,
styled_guarantee, cost), frontier (frequency, value, points: epsilon, low, high;
strategies: name, cost, frequency, low, high), saved, plot. Of a spot: game, style,
cost, plain, styled, first and street (player, action, plain, styled), players, saved.
"""
)
@dataclass(frozen=True)
class StyleRequest:
    """Give a strategy a style, and tell exactly what the style changes and costs."""

    game: options.Game
    prefer: options.Prefer = ()
    target: Annotated[
        tuple[str, ...],
        typer.Option(
            metavar="FREQUENCY=X",
            help="Instead of preferences: find the style that meets this, such as "
            "raise@round1=0.6; may be given again.",
        ),
    ] = ()
    give_up: options.GiveUp = None
    player: Annotated[
        int | None, typer.Option(metavar="N", help="Only for this player, counted from 1.")
    ] = None
    seen: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN", help="Only where the infoset's name has this part or fits this glob."
        ),
    ] = None
    round: Annotated[
        int | None, typer.Option(metavar="N", help="Only in this round, counted from 1.")
    ] = None
    best: Annotated[
        bool,
        typer.Option(
            "--best", help="Play the heaviest action alone, Pref-CFR(BR): a stronger pull."
        ),
    ] = False
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A style of poker: aggressive, passive, loose, tight."),
    ] = None
    strength: Annotated[
        float | None, typer.Option(metavar="N", help="How strong the preset is, from 1 up. [5]")
    ] = None
    method: options.OtherMethod = None
    iterations: options.Iterations = None
    exploitability: options.Exploitability = None
    seconds: options.Seconds = None
    traversal: Annotated[str, options.TRAVERSAL] = "full"
    seed: options.Seed = 0
    frontier: Annotated[
        str | None,
        typer.Option(
            metavar="FREQUENCY",
            help="Also tell exactly how often a player can do this at what cost: bet@J, "
            "raise@round1, player2:fold+call.",
        ),
    ] = None
    epsilon: Annotated[
        str | None,
        typer.Option(metavar="X,X,...", help="Costs on the frontier. [0,0.01,0.02,0.05,0.1]"),
    ] = None
    save: options.Save = None
    plot: options.Plot = None
    json: options.Json = False
    quiet: options.Quiet = False

    @property
    def has_style(self) -> bool:
        return bool(self.prefer or self.preset or self.give_up is not None)
