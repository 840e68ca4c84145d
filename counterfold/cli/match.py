"""``counterfold match``: agents play hands, and the score is told with its intervals."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Sequence
from functools import partial

from counterfold.agent import Agent
from counterfold.checkpoints import Checkpoints
from counterfold.cli.certificate import Lines, print_panel
from counterfold.cli.names import game_among, rules_named
from counterfold.cli.output import (
    StoppedError,
    advise,
    check_can_write,
    check_not_foreign,
    duration,
    print_json,
    say,
)
from counterfold.cli.progress import Watch
from counterfold.cli.request import options_given
from counterfold.cli.scores import print_faults, print_scores, verdict, versus
from counterfold.cli.verbs.arena import MatchRequest, TournamentRequest
from counterfold.errors import FileError, MismatchError, ParameterError
from counterfold.exploit.online import Learner
from counterfold.files.text import whole_of
from counterfold.games.base import Game
from counterfold.interrupts import aside
from counterfold.play.bots import needs_form, seated
from counterfold.play.match import Match
from counterfold.play.record import read_record
from counterfold.play.result import MatchResult
from counterfold.play.saved import check_saveable
from counterfold.play.table import learns
from counterfold.plot import check_plot
from counterfold.solvers.settings import defaults_of
from counterfold.tree.form import Form, form_of
from counterfold.tree.history import HistoryTree

HANDS = 100_000
PYTHON_HANDS = 1_000
"""Hands of a match, and of one with an agent written in Python, if nobody says how many."""

SEATING = ("seed", "duplicate", "reveal", "time_limit")
"""Options on how matches are played, which go to the library as they are."""

FAULTS = {"go-on": "go on", "stop": "stop"}


class HandsWatch(Watch):
    """Progress over the hands of a match or a tournament."""

    def hands(self, done: int, total: int) -> None:
        """So many of the hands are played."""
        self.part("playing", done, total, f"{done:,} of {total:,} hands")


def run(request: MatchRequest) -> None:
    """Play, and tell about it in every form that was asked for."""
    _check(request)
    watch = HandsWatch(request.quiet)
    with watch:
        try:
            match = _resumed(request, watch) if request.resume else _begun(request, watch)
            if request.target:
                check_saveable(match)
            goal = _goal(request, match)
            _load_kernels(match, watch)
        except KeyboardInterrupt:
            raise StoppedError("stopped before the first hand; nothing was saved") from None
        before = match.hands
        target = request.target
        checkpoints = Checkpoints(partial(match.save, target) if target else None)

        def look(done: int, total: int) -> None:
            watch.hands(done, total)
            checkpoints.look()

        result = match.play(goal - before, on_progress=look, record=request.record)
    saved = request.target if result.hands else None
    if saved:
        match.save(saved)
    recorded = request.record if result.hands > before else None
    if request.plot and result.hands:
        from counterfold.cli.arena_picture import draw_curves

        draw_curves(result, request.plot)
    if request.json:
        print_json(_document(request, match, result, saved, recorded))
    elif result.hands:
        _tell(request, match, result, saved, recorded)
    if result.stopped == "interrupted":
        raise StoppedError(_farewell(result.hands, goal, saved))


def _tell(
    request: MatchRequest,
    match: Match,
    result: MatchResult,
    saved: str | None,
    recorded: str | None,
) -> None:
    print_panel("Match", _lines(request, match, result, saved, recorded))
    say()
    print_scores(result.scores)
    say()
    if result.stopped == "fault":
        say(f"The match ended at a fault, in hand {result.hands:,}.")
    print_faults(result.agents, result.faults, result.messages)
    advise(" ".join(verdict(result.scores, learning=any(map(learns, match.agents)))))
    for report in reports(match):
        advise(f"{report}.")


def _lines(
    request: MatchRequest,
    match: Match,
    result: MatchResult,
    saved: str | None,
    recorded: str | None,
) -> Lines:
    seats = "every deal played as every player" if result.duplicate else "players in turn"
    hands = f"{result.hands:,}, {seats}, seed {result.seed}"
    if match.reveal:
        hands += ", cards revealed after every hand"
    pace = result.hands / result.seconds if result.seconds > 0 else 0.0
    lines = [
        ("game", result.game),
        ("agents", versus(result.agents)),
        ("hands", hands),
        ("time", f"{duration(result.seconds)}, {float(f'{pace:.3g}'):,.0f} hands a second"),
    ]
    if match.stranger is not None:
        lines.insert(2, ("stranger", f"{result.agents[match.stranger]}, as if it were not known"))
    files = (("record", recorded), ("saved", saved), ("picture", request.plot))
    return lines + [(name, path) for name, path in files if path]


def _document(
    request: MatchRequest,
    match: Match,
    result: MatchResult,
    saved: str | None,
    recorded: str | None,
) -> dict[str, object]:
    stranger = None if match.stranger is None else result.agents[match.stranger]
    return result.to_dict() | {
        "reveal": match.reveal,
        "stranger": stranger,
        "learning": any(map(learns, match.agents)),
        "reports": reports(match),
        "record": recorded,
        "saved": saved,
        "plot": request.plot if result.hands else None,
    }


def reports(match: Match) -> list[str]:
    """What agents have to say about their own play, such as its risk."""
    found = (getattr(agent, "report", None) for agent in match.agents)
    return [str(tell()) for tell in found if callable(tell)]


def _farewell(hands: int, goal: int, saved: str | None) -> str:
    if not hands:
        return "stopped before the first hand; nothing was saved"
    told = f"stopped after {hands:,} of {goal:,} hands"
    if saved is None:
        return f"{told}; the match was not saved (--save FILE keeps it)"
    return (
        f"{told}; the match is saved in {saved}: go on with "
        f"`counterfold match --resume {shlex.quote(saved)} --hands {goal}`"
    )


# What was asked for


def _check(request: MatchRequest) -> None:
    """Refuse what cannot work before anything is computed."""
    if request.resume is None:
        game_of(request, "match")
        if not request.agents:
            raise ParameterError(
                "say who plays, such as `counterfold match seocfr-iw uniform --game leduc`; "
                "`counterfold agents` lists those that have a name"
            )
    elif request.agents:
        raise ParameterError("--resume goes on with the agents of its file: leave them out")
    elif request.stranger is not None:
        raise ParameterError("--stranger cannot change in the middle of a match: leave it out")
    check_hands(request.hands)
    if request.on_fault is not None and request.on_fault not in FAULTS:
        raise ParameterError(f"--on-fault is go-on or stop, not {request.on_fault!r}")
    limit = request.time_limit
    if not (math.isfinite(limit) and limit > 0):
        raise ParameterError(f"--time-limit is {limit:g}, and must be seconds above 0")
    check_picture(request.plot)
    if request.record:
        check_can_write(request.record, "--record")
        _check_no_other_file(request.record)
    if request.target:
        check_can_write(request.target, "--save" if request.save else "--resume")
    if request.save:
        check_not_foreign(request.save)


def game_of(request: MatchRequest | TournamentRequest, verb: str) -> str:
    """The game that is named, or that of the first strategy in a file."""
    game = request.game or game_among(request.agents)
    if game is None:
        raise ParameterError(
            f"say which game to play, such as `counterfold {verb} ... --game leduc`; "
            "`counterfold games` lists them"
        )
    return game


def check_hands(hands: int | None) -> None:
    """There is no match without a hand."""
    if hands is not None and hands < 1:
        raise ParameterError(f"--hands is {hands}, and must be at least 1")


def check_picture(path: str | None) -> None:
    """A picture must be possible."""
    if path:
        check_can_write(path, "--plot")
        check_plot(path)


def _check_no_other_file(path: str) -> None:
    """Keep a slip of the hand (--record mybot.py) from replacing what is no record."""
    if os.path.exists(path) and os.path.getsize(path):
        try:
            read_record(path)
        except (FileError, UnicodeDecodeError):
            raise FileError(
                f"{path} exists and is no record of hands; choose another name"
            ) from None


def _begun(request: MatchRequest, watch: Watch) -> Match:
    rules = rules_named(game_of(request, "match"), agents=request.agents)
    agents, table = sit_down(rules, request.agents, watch)
    names = [agent.name for agent in agents]
    return Match(
        table,
        *agents,
        **options_given(request, SEATING),
        on_fault=FAULTS[request.on_fault or "go-on"],
        stranger=None if request.stranger is None else _place(request.stranger, names),
    )


def sit_down(
    rules: Game, specs: Sequence[str], watch: Watch
) -> tuple[list[Agent], Game | HistoryTree]:
    """Agents by name, and the game of their table: compiled, if they play in compiled code."""
    # Some agents can do without the compiled game, which may be too large or have no end.
    form: Form | None = None
    if needs_form(rules, specs):
        form = form_of(rules, None, watch.counting)
        watch.begin(defaults_of(form).until)
    watch.doing("preparing the agents")
    agents: list[Agent] = aside(lambda: seated(rules, specs, form, watch.report))
    return agents, form if isinstance(form, HistoryTree) else rules


def _place(text: str, names: list[str]) -> int:
    """An agent by its name, or its number from 1."""
    if text in names:
        return names.index(text)
    if 1 <= (whole_of(text) or 0) <= len(names):
        return int(text) - 1
    raise ParameterError(
        f"--stranger is {text!r}, and must be 1 to {len(names)} or one of {', '.join(names)}"
    )


def _resumed(request: MatchRequest, watch: Watch) -> Match:
    path = str(request.resume)
    game = None if request.game is None else rules_named(request.game)
    watch.doing("reading the match")
    match: Match = aside(lambda: Match.load(path, game))
    for option, wanted, was in (
        ("--seed", request.seed, match.seed),
        ("--duplicate", request.duplicate or None, match.duplicate),
        ("--reveal", request.reveal or None, match.reveal),
    ):
        if wanted is not None and wanted != was:
            told = f"with seed {was}" if option == "--seed" else f"without {option}"
            raise MismatchError(
                f"{path} was begun {told}; leave {option} out, or start a new match"
            )
    return match


def _load_kernels(match: Match, watch: Watch) -> None:
    """Play a hand that does not count, so that the time of the match is that of its hands."""
    if match.compiled:
        watch.doing("loading the kernels (compiled when they are first used)")
        twins = [agent.copy() if isinstance(agent, Learner) else agent for agent in match.agents]
        Match(match.tree, *twins, stranger=match.stranger).play(1)
        watch.check()


def _goal(request: MatchRequest, match: Match) -> int:
    """Hands in all."""
    goal = request.hands or (HANDS if match.compiled else PYTHON_HANDS)
    if goal <= match.hands:
        raise ParameterError(
            f"{request.resume} is already at hand {match.hands:,}; --hands counts from the start "
            "of the match, so it must be more than that"
        )
    return goal
