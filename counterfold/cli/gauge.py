"""``counterfold gauge``: how strong a strategy of poker is, by responses to it and by matches."""

from __future__ import annotations

from dataclasses import asdict

from counterfold.abstraction.bucket_layout import BucketLayout
from counterfold.agent import Agent
from counterfold.cli.certificate import Lines, print_panel
from counterfold.cli.gauge_gain import gauge_gain
from counterfold.cli.output import (
    StoppedError,
    advise,
    amount,
    check_can_write,
    print_columns,
    print_json,
    say,
)
from counterfold.cli.progress import Watch
from counterfold.cli.verbs.arena import GaugeRequest
from counterfold.errors import MismatchError, ParameterError
from counterfold.play.blueprint import BlueprintAgent
from counterfold.play.bots import SEARCHING, make_bot
from counterfold.play.gauntlet import BOARDS as BOUT_BOARDS
from counterfold.play.gauntlet import OPPONENTS, Bout, add_to_ledger, gauntlet, read_ledger
from counterfold.play.holdem import HoldemAgent
from counterfold.play.late_response import LateResponse, late_response
from counterfold.play.lbr import KINDS, LocalResponse, local_best_response
from counterfold.poker.game import PokerGame
from counterfold.poker.table import Holdem
from counterfold.poker.units import Units
from counterfold.strategy.strategy import Strategy

GAUNTLET_HANDS = 1_000
BOARDS = 200


def run(request: GaugeRequest) -> None:
    """Gauge it in the way that was asked for."""
    ways = [request.lbr is not None, request.street is not None, request.gauntlet, request.gain]
    if sum(ways) > 1:
        raise ParameterError("--lbr, --from, --gain and --gauntlet are ways to gauge: take one")
    for option, given, fits in (
        ("--boards", request.boards, ways[1] or ways[2]),
        ("--also", request.also or None, ways[2]),
        ("--ledger", request.ledger, ways[2]),
        ("--search", request.search, ways[2]),
        ("--against", request.against, ways[3]),
    ):
        if given is not None and not fits:
            ways_of = {"--boards": "--from and --gauntlet", "--against": "--gain"}
            raise ParameterError(f"{option} goes with {ways_of.get(option, '--gauntlet')}")
    if request.gauntlet:
        _gauntlet(request)
    elif request.gain:
        gauge_gain(request)
    elif request.street is not None:
        _late(request)
    else:
        _local(request)


# Local best response


def _local(request: GaugeRequest) -> None:
    kind = request.lbr or "all"
    if kind not in KINDS:
        raise ParameterError(
            f"--lbr is {', '.join(list(KINDS)[:-1])} or {list(KINDS)[-1]}, not {kind!r}"
        )
    gauged, table, spec, units = _gauged(request.strategy)
    with Watch(request.quiet) as watch:
        watch.doing("gauging")
        try:
            found = local_best_response(
                gauged,
                request.hands,
                kind,
                table=table,
                seed=request.seed,
                on_progress=lambda found, total: watch.part(
                    "playing", found.hands, total, _short(found.value, found.half, units)
                ),
            )
        except KeyboardInterrupt:
            raise StoppedError("stopped before the fifth hand") from None
    if request.json:
        print_json(
            {
                "strategy": request.strategy,
                "game": spec,
                "lbr": found.kind,
                "hands": found.hands,
                "seed": request.seed,
                "value": found.value,
                "half": found.half,
                "by_player": list(found.by_player),
                "mbb": units.mbb(found.value),
                "mbb_half": units.mbb(found.half),
                "exact": found.exact,
            }
        )
    else:
        print_panel("Local best response", _lines(request, spec, found, units))
        advise(
            "That is a lower bound on what a best response wins"
            + (", and exact." if found.exact else ", within its 95% interval.")
        )
    if request.hands and found.hands < request.hands:
        raise StoppedError(f"stopped after {found.hands:,} of {request.hands:,} hands")


def _gauged(spec: str) -> tuple[Strategy | Agent, Holdem | None, str, Units]:
    """A strategy in a file, or an agent that searches with one; its table, game and units."""
    if not spec.startswith(f"{SEARCHING}("):
        strategy = Strategy.load(spec)
        return strategy, None, strategy.spec, strategy.tree.units
    agent = make_bot(spec)
    assert isinstance(agent, HoldemAgent)
    return agent, agent.table, str(agent.table), agent.table.poker.units


def _short(value: float, half: float, units: Units) -> str:
    mbb = units.mbb(value)
    if mbb is None:
        return f"{amount(value)} ±{amount(half)} a hand"
    return f"{mbb:,.0f} ±{units.mbb(half):,.0f} mbb/h"


def _lines(request: GaugeRequest, spec: str, found: LocalResponse, units: Units) -> Lines:
    off = "" if found.exact else f" ±{amount(found.half)}"
    mbb = units.mbb(found.value)
    more = ""
    if mbb is not None:
        error = "" if found.exact else f" ±{units.mbb(found.half):,.1f}"
        more = f", {mbb:,.1f}{error} mbb/h"
    by = ", ".join(f"player {p + 1} {amount(won)}" for p, won in enumerate(found.by_player))
    over = "all hands" if found.exact else f"{found.hands:,} hands, seed {request.seed}"
    return [
        ("strategy", f"{request.strategy}, {spec}"),
        ("response", f"{found.kind}: {KINDS[found.kind].told}"),
        ("wins", f"{amount(found.value)}{off} a hand{more}"),
        ("as", by),
        ("over", over),
    ]


# Best responses from a street on


def _late(request: GaugeRequest) -> None:
    if request.hands is not None:
        raise ParameterError("--from draws boards: say how many with --boards, not with --hands")
    strategy = Strategy.load(request.strategy)
    units, boards = strategy.tree.units, request.boards or BOARDS
    game = getattr(strategy.tree, "game", None)
    streets = [name.lower() for name in game.streets] if isinstance(game, PokerGame) else []
    if request.street not in streets:
        there = f"is one of {', '.join(streets)}" if streets else "is for poker"
        raise ParameterError(f"--from {there}, not {request.street!r}")
    with Watch(request.quiet) as watch:
        watch.doing("gauging")
        try:
            found = late_response(
                strategy,
                streets.index(request.street),
                boards,
                seed=request.seed,
                on_progress=lambda done, total: watch.part("answering", done, total),
            )
        except KeyboardInterrupt:
            raise StoppedError("stopped before the third board") from None
    if request.json:
        print_json(_late_document(request, strategy, found, units))
    else:
        by = ", ".join(f"player {p + 1} {amount(won)}" for p, won in enumerate(found.by_player))
        print_panel(
            "Best response",
            [
                ("strategy", f"{request.strategy}, {strategy.spec}"),
                ("from", f"the {request.street} on; before it plays as the strategy does"),
                ("gains", f"{amount(found.gain)} ±{amount(found.half)} a hand, "
                          f"{_short(found.gain, found.half, units)}"),
                ("as", by),
                ("over", f"{found.boards:,} lines and boards, of which {100 * found.reached:.0f}% "
                         f"came to the {request.street}, seed {request.seed}"),
            ],
        )  # fmt: skip
        advise("That is a lower bound on exploitability, within its 95% interval.")
    if found.boards < boards:
        raise StoppedError(f"stopped after {found.boards:,} of {boards:,} boards")


def _late_document(
    request: GaugeRequest,
    strategy: Strategy,
    found: LateResponse,
    units: Units,
) -> dict[str, object]:
    return {
        "strategy": request.strategy,
        "game": strategy.spec,
        "from": request.street,
        "boards": found.boards,
        "seed": request.seed,
        "gain": found.gain,
        "half": found.half,
        "by_player": list(found.by_player),
        "mbb": units.mbb(found.gain),
        "mbb_half": units.mbb(found.half),
        "reached": found.reached,
    }


# The gauntlet


def _gauntlet(request: GaugeRequest) -> None:
    if request.ledger:
        check_can_write(request.ledger, "--ledger")
        read_ledger(request.ledger)
    first = _blueprint(request.strategy)
    agents: list[Agent] = [first]
    if request.search is not None:
        agents.append(make_bot(f"{SEARCHING}({request.strategy},seconds={request.search})"))
    others = [_blueprint(path) for path in dict.fromkeys(request.also)]
    opponents = [*(make() for make in OPPONENTS.values()), *others]
    if request.search is not None:
        opponents.append(first)
    found: list[Bout] = []
    total = sum(agent is not opponent for agent in agents for opponent in opponents)
    hands = request.hands or GAUNTLET_HANDS
    with Watch(request.quiet) as watch:

        def look(title: str, share: float) -> None:
            watch.part(title, int((len(found) + share) * hands), total * hands)

        bouts = gauntlet(
            first.table, agents, opponents, hands, request.boards or BOUT_BOARDS,
            seed=request.seed, on_progress=look,
        )  # fmt: skip
        for bout in bouts:
            found.append(bout)
            if request.ledger:
                add_to_ledger(request.ledger, bout)
    document = {
        "strategy": request.strategy,
        "bouts": [asdict(bout) for bout in found],
        "ledger": request.ledger if found else None,
    }
    if request.json:
        print_json(document)
    elif found:
        rows = [["agent", "against", "mbb/h", "over", "luck"]]
        for bout in found:
            half = "" if bout.mbb_half is None else f" ±{bout.mbb_half:,.0f}"
            luck = "taken out" if bout.reduced else "in it"
            won = f"{bout.mbb:+,.0f}{half}"
            counts = {"hands": bout.hands, "boards": bout.boards, "lines": bout.lines}
            over = " + ".join(f"{count:,} {of}" for of, count in counts.items() if count)
            rows.append([bout.agent, bout.opponent, won, over, luck])
        print_columns(rows, 2)
        say()
        advise(
            "Intervals are of 95%; what the agent wins is above zero. On boards all hands meet; on "
            "lines it is seen what searches win beyond the blueprint."
        )
    short = found and (0 < found[-1].hands < hands or 0 < found[-1].lines < hands // 10)
    if len(found) < total or short:
        kept = f"; they are in {request.ledger}" if request.ledger and found else ""
        raise StoppedError(f"stopped after {len(found)} of {total} matches{kept}")


def _blueprint(path: str) -> BlueprintAgent:
    strategy = Strategy.load(path)
    if strategy.layout.name != BucketLayout.name:
        raise MismatchError(
            f"{path} is a strategy of {strategy.spec}, and a gauntlet is run by blueprints of "
            "tables, which `counterfold blueprint` makes"
        )
    return BlueprintAgent(strategy, name=path)
