"""``counterfold tournament``: all line-ups of the agents, and the table row against column."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from counterfold.agent import Agent
from counterfold.cli.match import (
    HANDS,
    PYTHON_HANDS,
    SEATING,
    HandsWatch,
    check_hands,
    check_picture,
    game_of,
    sit_down,
)
from counterfold.cli.names import rules_named
from counterfold.cli.output import (
    StoppedError,
    advise,
    check_can_write,
    duration,
    on_terminal,
    print_columns,
    print_json,
    say,
)
from counterfold.cli.request import options_given
from counterfold.cli.scores import common_decimals, print_faults, rate
from counterfold.cli.verbs.arena import TournamentRequest
from counterfold.errors import ParameterError
from counterfold.files.text import csv_text
from counterfold.files.whole import write_whole
from counterfold.pieces.cluster import reached
from counterfold.pieces.store import store_at
from counterfold.play.tournament import TournamentResult, tournament
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree

HEAD = ("agent", "against", "matches", "hands", "mean", "half", "low", "high")


def run(request: TournamentRequest) -> None:
    """Play all matches, and tell about them in every form that was asked for."""
    _check(request)
    watch = HandsWatch(request.quiet)
    with watch:
        try:
            named = request.agents
            rules = rules_named(game_of(request, "tournament"), agents=named)
            agents, table = sit_down(rules, named, watch)
        except KeyboardInterrupt:
            raise StoppedError("stopped before the first match; nothing was saved") from None
        own = any(".py:" in name for name in request.agents)
        compiled = isinstance(table, HistoryTree) and not own
        for agent, name in zip(agents, request.agents, strict=True):
            agent.name = name.strip()
        with reached(request.cluster, watch.doing) as executor:
            who: tuple[object, Sequence[Agent | Strategy | str]] = (table, agents)
            if request.cluster or request.library:  # whose pieces know them by their names
                who = game_of(request, "tournament"), request.agents
            result = tournament(
                *who,
                request.hands or (HANDS if compiled else PYTHON_HANDS),
                **options_given(request, (*SEATING, "matches")),
                on_progress=watch.hands,
                executor=executor,
                library=store_at(request.library) if request.library else None,
            )
    if not result.meetings:
        raise StoppedError("stopped before the first match was over; nothing was saved")
    if request.plot:
        from counterfold.cli.arena_picture import draw_table

        draw_table(result, request.plot)
    text = _as_csv(result)
    if request.csv and request.csv != "-":
        write_whole(request.csv, text.encode())
    if request.csv == "-":
        sys.stdout.write(text)
    elif request.json:
        print_json(result.to_dict() | {"csv": request.csv, "plot": request.plot})
    else:
        _tell(request, result)
    if result.stopped == "interrupted":
        done = sum(meeting.matches for meeting in result.meetings)
        raise StoppedError(f"stopped; the table holds the {done:,} matches that were over")


def _check(request: TournamentRequest) -> None:
    """Refuse what cannot work before anything is computed."""
    game_of(request, "tournament")
    check_hands(request.hands)
    if request.matches < 1:
        raise ParameterError(f"--matches is {request.matches}, and must be at least 1")
    if not 0 < request.time_limit < float("inf"):
        raise ParameterError(f"--time-limit is {request.time_limit:g}, and must be seconds above 0")
    if request.csv == "-" and request.json:
        raise ParameterError("--csv - and --json both want standard output: name a file")
    if request.csv and request.csv != "-":
        check_can_write(request.csv, "--csv")
    check_picture(request.plot)


def _tell(request: TournamentRequest, result: TournamentResult) -> None:
    times = f"{result.matches:,} matches of {result.hands:,} hands" if result.matches > 1 else (
        f"a match of {result.hands:,} hands"
    )  # fmt: skip
    who = "pair" if len(result.meetings[0].agents) == 2 else "line-up"
    how = "every deal played as every player" if result.duplicate else "players in turn"
    advise(
        f"{result.game}: {times} for each {who}, {how}, seed {result.seed}. "
        "What the row wins a hand from the column, best on top."
    )
    say()
    _print_table(result)
    say()
    print_faults(
        result.agents,
        [_faults(result, name) for name in result.agents],
        result.messages,
    )
    advise(_meaning(result))
    advise(f"{result.played:,} hands in {duration(result.seconds)}.")
    for name, path in (("CSV", request.csv), ("Picture", request.plot)):
        if path:
            say(f"{name}: {path}")


def _faults(result: TournamentResult, name: str) -> int:
    return next((s.faults for s in result.ranking if s.agent == name), 0)


def _meaning(result: TournamentResult) -> str:
    """What the intervals stand for, and who is first."""
    first, *others = result.ranking
    told = f"{first.agent} is first with {rate(first.estimate)} a hand"
    if others and first.estimate.low > others[0].estimate.high:
        told += ", and its interval lies above all others."
    elif others:
        told += f", but its interval meets that of {others[0].agent}."
    exact = sum(meeting.exact is not None and not meeting.reduced for meeting in result.meetings)
    if exact == len(result.meetings):
        return f"{told} All pairs are compared exactly, over all deals."
    if all(meeting.matches > 1 for meeting in result.meetings):
        told += " The 95% intervals come from the spread between matches"
    else:
        told += " The 95% intervals are those of a single match"
        if result.learning:
            told += ", not of what learners would win in another (--matches tells)"
    reduced = sum(meeting.reduced for meeting in result.meetings)
    if reduced == len(result.meetings):
        told += ", with luck taken out"
    elif reduced:
        told += ", with luck taken out where nobody broke the rules"
    if exact:
        told += "; fixed strategies are compared exactly, over all deals"
    return told + "."


def _print_table(result: TournamentResult) -> None:
    """Row against column; the columns have numbers where names would be too wide."""
    order = [result.agents.index(standing.agent) for standing in result.ranking]
    places = common_decimals([e for met in result.meetings for e in met.estimates])
    cells = [[_cell(result, row, column, places) for column in order] for row in order]
    means = [rate(standing.estimate, places) for standing in result.ranking]
    names = [result.agents[g] for g in order]
    numbered = [f"{n}  {name}" for n, name in enumerate(names, start=1)]
    for head, first in ((names, names), ([str(n + 1) for n in range(len(names))], numbered)):
        rows = [["row \\ column", *head, "mean"]]
        rows += [[one, *own, mean] for one, own, mean in zip(first, cells, means, strict=True)]
        widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
        if not on_terminal(sys.stdout) or sum(widths) + 2 * len(widths) <= _room():
            print_columns(rows)
            return
    short = [[cell.partition(" ")[0] for cell in row] for row in rows]
    if sum(max(len(row[c]) for row in short) + 2 for c in range(len(short[0]))) <= _room():
        print_columns(_two_lines(rows))
        return
    pairs = [["agent", "against", "wins a hand"]]
    for row, name in enumerate(names):
        pairs += [[name, names[c], cells[row][c]] for c in range(len(names)) if c != row]
    print_columns(pairs)
    say()
    print_columns([["agent", "mean"], *([n, m] for n, m in zip(names, means, strict=True))])


def _two_lines(rows: list[list[str]]) -> list[list[str]]:
    """Cells over their intervals, as papers print them."""
    told = [rows[0]]
    for name, *cells in rows[1:]:
        parts = [cell.partition(" ") for cell in cells]
        told.append([name, *(mean for mean, _, _ in parts)])
        told.append(["", *(half for _, _, half in parts)])
    return told


def _cell(result: TournamentResult, row: int, column: int, places: int) -> str:
    found = result.cell(row, column)
    return "" if found is None else rate(found, places)


def _room() -> int:
    return os.get_terminal_size(sys.stdout.fileno()).columns


def _as_csv(result: TournamentResult) -> str:
    table: list[Sequence[object]] = [HEAD]
    for row, name in enumerate(result.agents):
        for column, other in enumerate(result.agents):
            found = result.cell(row, column)
            if found is None:
                continue
            both = [m.matches for m in result.meetings if row in m.agents and column in m.agents]
            known = found.half is not None
            table.append(
                [
                    name,
                    other,
                    sum(both),
                    sum(both) * result.hands,
                    found.mean,
                    found.half if known else "",
                    found.low if known else "",
                    found.high if known else "",
                ]
            )
    return csv_text(table)
