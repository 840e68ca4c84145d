"""The verb that gives a strategy a style."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from counterfold.cli import options
from counterfold.cli.options import flag, option
from counterfold.cli.request import Limited, verb


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
class StyleRequest(Limited):
    """Give a strategy a style, and tell exactly what the style changes and costs."""

    game: options.Game
    prefer: options.Prefer = ()
    target: tuple[str, ...] = option(
        "FREQUENCY=X",
        "Instead of preferences: find the style that meets this, such as raise@round1=0.6, or "
        "with --blueprint vpip=0.3, BB:3bet=0.1; may be given again.",
        default=(),
    )
    blueprint: str | None = option(
        "FILE", "Learn on from this checkpoint of `blueprint` to meet targets in players' words."
    )
    give_up: options.GiveUp = None
    player: int | None = option("N", "Only for this player, counted from 1.")
    seen: str | None = option(
        "PATTERN", "Only where the infoset's name has this part or fits this glob."
    )
    round: int | None = option("N", "Only in this round, counted from 1.")
    best: bool = flag("Play the heaviest action alone, Pref-CFR(BR): a stronger pull.")
    preset: str | None = option("NAME", "A style of poker: aggressive, passive, loose, tight.")
    strength: float | None = option("N", "How strong the preset is, from 1 up. [5]")
    method: options.OtherMethod = None
    traversal: Annotated[str, options.TRAVERSAL] = "full"
    seed: options.Seed = 0
    frontier: str | None = option(
        "FREQUENCY",
        "Also tell exactly how often a player can do this at what cost: bet@J, raise@round1, "
        "player2:fold+call.",
    )
    epsilon: str | None = option("X,X,...", "Costs on the frontier. [0,0.01,0.02,0.05,0.1]")
    save: options.Save = None
    plot: options.Plot = None

    @property
    def has_style(self) -> bool:
        return bool(self.prefer or self.preset or self.give_up is not None)
