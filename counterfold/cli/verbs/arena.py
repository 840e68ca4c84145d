"""The verbs of the arena: matches, tournaments, records of hands, and who can play."""

from __future__ import annotations

from dataclasses import dataclass

from counterfold.cli import options
from counterfold.cli.options import argument, flag, number, option
from counterfold.cli.request import Answered, InPieces, Kept, verb


@dataclass(frozen=True)
class ArenaRequest(Answered):
    """What matches and tournaments begin with."""

    agents: options.Agents = ()
    game: options.GameAtTable = None
    hands: options.Hands = None
    duplicate: options.Duplicate = False
    reveal: options.Reveal = False
    time_limit: options.TimeLimit = 10.0


@verb(
    epilog="""An agent is a name (`counterfold agents` lists them) with its parameters, a strategy
or learner file, or mybot.py:MyBot. Agents are every player in turn. Where strategies are known,
luck is taken out of the score (AIVAT), which keeps the mean and needs fewer hands.

\b
Keys of --json: game, agents, seed, duplicate, reveal, stranger, learning, reports, hands,
scores (for each agent: agent, hands, mean, half (of the 95% interval), by_player
(mean, half), reduced (mean, half: luck taken out, or null), factor (how many times
fewer hands that needs; null if without_spread), without_spread, exact), faults (by
agent), messages (hand, agent, message), stopped (hands, fault, interrupted),
seconds, cpu_seconds, curve (hands; mean, half, reduced, reduced_half by agent),
record, saved, plot.
"""
)
@dataclass(frozen=True)
class MatchRequest(ArenaRequest, Kept):
    """Let agents play, and tell who wins how much, with 95% intervals."""

    seed: options.MaybeSeed = None
    on_fault: str | None = option(
        "go-on|stop",
        "What happens when an agent breaks the rules, fails or is too slow; it loses the hand "
        "in any case. [go-on]",
    )
    stranger: str | None = option(
        "AGENT", "Judge this one, by name or number from 1, as if its strategy were not known."
    )
    record: str | None = option("FILE.jsonl", "Write down every hand.")
    plot: options.Plot = None


@verb(
    epilog="""Every pair plays (every line-up of n in a game for n), each match from a fresh start
and with a seed of its own. Luck is taken out where strategies are known; at poker spots, pairs of
strategies are compared exactly.

\b
Keys of --json: game, agents, hands (of a match), matches (of a line-up), seed,
duplicate, table (row against column: mean, half (of the 95% interval), or null),
ranking (agent, mean, half, faults), meetings (agents, matches, mean, half, reduced
(was luck taken out?), exact (by agent, or null)), messages (hand, agent, message),
stopped (matches, interrupted), seconds, cpu_seconds, csv, plot.
"""
)
@dataclass(frozen=True)
class TournamentRequest(ArenaRequest, InPieces):
    """Let all agents play each other, and rank them."""

    matches: int = number(
        "M", "Matches of each pair; from 2 on, intervals come from their spread.", default=1
    )
    seed: options.Seed = 0
    csv: options.Csv = None
    plot: options.Plot = None


@verb(
    epilog="""Type `?` at the table for the keys. Ctrl-D or `q` leaves; a session that is saved can
be resumed."""
)
@dataclass(frozen=True)
class PlayRequest:
    """Sit down at the table yourself."""

    game: options.MaybeGame = None
    against: tuple[str, ...] = option(
        "AGENT",
        "As for `counterfold match`; given again where more play. [equilibrium]",
        default=(),
    )
    hands: int | None = number("N", "Leave after so many in all.")
    seed: int | None = number("N", "Of the deals. [drawn]")
    save: options.Save = None
    resume: options.Resume = None
    again: options.GameAgain = None
    hints: bool = flag("Tell before every move what would be right.")
    seconds: float | None = option("S", "CPU of a search at a table of hold'em, at most. [3]")
    alpha: str | None = option(
        "A", "Of its gadget, from 0 (safe) to 1 (believing), or auto, which sets itself. [0.9]"
    )
    no_search: bool = flag("At tables of hold'em, a blueprint's file plays as it is.")
    quiet: options.Quiet = False


@verb(
    epilog="""\b
Keys of --json: record, game, agents, seed, duplicate, hands, scores (as of `match`,
without luck taken out), faults (by agent). With --hand: record, game, hand, players
(names), events (player, agent (both null for chance), event, seen (by player, after it)), shown,
payoffs (by player), searches (certificates of agents that search), fault (agent, message).
"""
)
@dataclass(frozen=True)
class ReplayRequest(Answered):
    """Play recorded hands again by the rules: score the match, or tell one hand."""

    record: str = argument("FILE.jsonl", "What `match --record` has written.")
    hand: int | None = number("N", "Tell this hand, numbered as in the file.")
    game: options.GameAgain = None


@verb(
    epilog="""A local best response (Lisy and Bowling 2017) knows the strategy, and takes at each
decision what is best if the rest of the hand were checked and called. A best response from a street
on plays as the strategy before it, and knows what is best after it. Both are lower bounds. What
searches gain is summed over all hands on lines that the blueprint plays against itself. A gauntlet
is against bots by rule and other blueprints: on drawn boards with all hands in both seats where
nobody looks at more than a bucket, else matches with luck taken out.

\b
Keys of --json: strategy, game, lbr, hands (0 if it is exact), seed, value (what it wins a
hand), half (of its 95% interval), by_player (as which player it wins how much), mbb,
mbb_half (the same in thousandths of a big blind, or null), exact. With --from: strategy,
game, from, boards, seed, gain, half, by_player, mbb, mbb_half, reached (the share of
lines that came to the street). With --gain: strategy, game, against (or null), hands, seed,
gain, half, mbb, mbb_half, by_player and by_street (gain, half, mbb, mbb_half; by_street also
searches, iterations, gap (percent of the pot; null where it is not known) and cpu_seconds, means
of a search), searched (hands with a search). With --gauntlet: strategy, bouts (when, game,
agent, opponent, hands (of a match, or 0), boards (with all hands, or 0), lines (of searches, or 0),
seed, mbb, mbb_half, reduced (was luck taken out?), faults), ledger.
"""
)
@dataclass(frozen=True)
class GaugeRequest(Answered):
    """Tell how strong a strategy of poker is: bounds by responses to it, or matches."""

    strategy: str = argument(
        "FILE", "A strategy for two players; with --lbr and --gain holdem(FILE)."
    )
    lbr: str | None = option(
        "KIND",
        "fold-call, pot (and all-in, on turn and river), 56 (sizes there) or all (that are known). "
        "[all]",
    )
    street: str | None = option(
        "STREET", "Answer exactly from this street on, over drawn boards.", "--from"
    )
    boards: int | None = number(
        "N", "Draw so many boards for --from [200], or where all hands meet in a gauntlet [50000]."
    )
    gain: bool = flag("What the searches of holdem(FILE) win beyond FILE itself.")
    against: str | None = option("AGENT", "From whom, with --gain. [FILE itself]")
    gauntlet: bool = flag("Play bots by rule, and the blueprints of --also.")
    also: tuple[str, ...] = option("FILE", "One more opponent of the gauntlet.", default=())
    search: float | None = option("S", "Run it also with searches of so many CPU seconds.")
    ledger: str | None = option("FILE.jsonl", "Put the gauntlet's results behind those there.")
    hands: int | None = number(
        "N",
        "Hands to draw [all of them, for small games; 1000 for --gain], or of each match [1000]; "
        "of searches in a gauntlet a tenth.",
    )
    seed: options.Seed = 0


@verb(
    epilog="""\b
Keys of --json: agents (name, kind (strategy, learner), told, parameters with their
defaults, null where there is none), also.
"""
)
@dataclass(frozen=True)
class AgentsRequest:
    """List the agents that have a name."""

    json: options.Json = False
