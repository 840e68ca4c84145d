"""``counterfold replay``: a recorded match scored again, or one of its hands told."""

from __future__ import annotations

import os
import sys

from counterfold.cli.certificate import print_panel
from counterfold.cli.names import rules_named
from counterfold.cli.output import (
    StoppedError,
    advise,
    amount,
    on_terminal,
    print_columns,
    print_json,
    say,
)
from counterfold.cli.progress import Watch
from counterfold.cli.scores import print_faults, print_scores, verdict, versus
from counterfold.cli.verbs.arena import ReplayRequest
from counterfold.errors import MismatchError, ParameterError
from counterfold.files.text import Json
from counterfold.games.base import CHANCE, Game, label, spec_of
from counterfold.interrupts import aside
from counterfold.play.certificate import search_line
from counterfold.play.record import Record, read_record, replay_states
from counterfold.play.table import PlayedHand, view_of


def run(request: ReplayRequest) -> None:
    """Play a record through again by the rules, of a game that may be named again."""
    path, game, hand, json = request.record, request.game, request.hand, request.json
    record = read_record(path)
    rules = record.rules(rules_named) if game is None else rules_named(game)
    if game is not None and spec_of(rules) != record.game:
        raise MismatchError(f"{path} holds hands of {record.game}, and not of {spec_of(rules)}")
    if hand is not None:
        found = next((one for one in record.hands() if one.number == hand), None)
        if found is None:
            raise ParameterError(f"there is no hand {hand} in {path}{_range(record)}")
        told = _told(rules, record, found)
        print_json(told) if json else _print_hand(told)
        return
    with Watch(request.quiet) as watch:
        watch.doing("playing the hands again")
        try:
            scores = aside(lambda: record.replay(rules))
            faults = aside(lambda: [h.fault for h in record.hands() if h.fault is not None])
        except KeyboardInterrupt:
            raise StoppedError("stopped; nothing was saved") from None
    hands = scores[0].hands
    counts = [sum(fault.agent == g for fault in faults) for g in range(len(record.agents))]
    if json:
        print_json(
            {
                "record": path,
                "game": record.game,
                "agents": list(record.agents),
                "seed": record.header.whole("seed", 0) if "seed" in record.header else None,
                "duplicate": record.repeat > 1,
                "hands": hands,
                "scores": [score.to_dict() for score in scores],
                "faults": counts,
            }
        )
        return
    players = "every deal played as every player" if record.repeat > 1 else "players in turn"
    print_panel(
        "Replay",
        [
            ("record", path),
            ("game", record.game),
            ("agents", versus(record.agents)),
            ("hands", f"{hands:,}, {players}; the rules allow all, and pay what is recorded"),
        ],
    )
    say()
    print_scores(scores)
    say()
    print_faults(record.agents, counts, faults)
    advise(" ".join(verdict(scores, learning=False)))


def _range(record: Record) -> str:
    numbers = [hand.number for hand in record.hands()]
    return f"; it has the hands {min(numbers)} to {max(numbers)}" if numbers else ""


def _told(game: Game, record: Record, hand: PlayedHand) -> Json:
    """A hand as a document: after every event, what each player sees."""
    record.check(game, hand)
    states = replay_states(game, hand.events)
    names = [record.agents[g] for g in hand.players]
    events = []
    for state, after, event in zip(states[:-1], states[1:], hand.events, strict=True):
        turn = int(game.turn(state))
        events.append(
            {
                "player": None if turn == CHANCE else turn + 1,
                "agent": None if turn == CHANCE else names[turn],
                "event": event,
                "seen": [_view(game, after, player) for player in range(len(names))],
            }
        )
    show = getattr(game, "shown", None)
    shown = show(states[-1]) if callable(show) and hand.fault is None else None
    return {
        "record": record.path,
        "game": record.game,
        "hand": hand.number,
        "players": names,
        "events": events,
        "shown": label(shown) if shown else None,
        "payoffs": list(hand.payoffs),
        "searches": [{**one, "agent": record.agents[one["agent"]]} for one in hand.searches],
        "fault": hand.fault
        and {"agent": record.agents[hand.fault.agent], "message": hand.fault.message},
    }


def _view(game: Game, state: object, player: int) -> str | None:
    """What a player sees; None where the rules do not say."""
    seen = view_of(game, state, player)
    return None if seen is None else label(seen)


def _print_hand(told: Json) -> None:
    players = ", ".join(f"player {s} {name}" for s, name in enumerate(told["players"], start=1))
    advise(f"Hand {told['hand']} of {told['record']}, {told['game']}: {players}.")
    say()
    rows = [["by", "event", *(f"player {s + 1} sees" for s in range(len(told["players"])))]]
    for event in told["events"]:
        by = "chance" if event["player"] is None else f"player {event['player']} {event['agent']}"
        views = ["-" if seen is None else seen or "nothing" for seen in event["seen"]]
        rows.append([by, event["event"], *views])
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    room = os.get_terminal_size(sys.stdout.fileno()).columns if on_terminal(sys.stdout) else 0
    if room and sum(widths) + 2 * len(widths) > room:
        for by, event, *views in rows[1:]:
            say(f"  {by}: {event}")
            for player, seen in enumerate(views, start=1):
                advise(f"      player {player} sees {seen}")
    else:
        print_columns(rows, words=len(rows[0]))
    say()
    for one in told["searches"]:
        advise(f"{one['agent']} searched: {search_line(one)}.")
    if told["fault"]:
        advise(f"{told['fault']['agent']} lost the hand: {told['fault']['message']}")
    elif told["shown"]:
        advise(f"Shown at the end: {told['shown']}.")
    won = (
        f"{name} (player {player}) {_won(payoff)}"
        for player, (name, payoff) in enumerate(
            zip(told["players"], told["payoffs"], strict=True), start=1
        )
    )
    advise(f"{', '.join(won)}.")


def _won(payoff: float) -> str:
    if payoff == 0:
        return "neither wins nor loses"
    return f"{'wins' if payoff > 0 else 'loses'} {amount(abs(payoff))}"
