"""Bending a solution: decisions that are locked, a style and its price, targets, an opponent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from counterfold.cli.preferences import place_in, read_preferences
from counterfold.errors import ParameterError, complaints_of, short
from counterfold.exploit.aims import check_can_respond
from counterfold.exploit.lock_files import read_locks
from counterfold.exploit.lock_places import held_of
from counterfold.exploit.locks import Lock, Locks
from counterfold.files.text import Json, read_json
from counterfold.play.poker_bots import BY_RULES, MODELS
from counterfold.poker.cards import hole_name
from counterfold.poker.game import DECISION, PokerGame
from counterfold.poker.ranges import CELL, Range
from counterfold.poker.view import CLASSES
from counterfold.studio.calls import Given, asked, told
from counterfold.studio.opened import Open
from counterfold.studio.server import Studio
from counterfold.studio.solve import limits_of
from counterfold.style.frequency import Frequency
from counterfold.style.preferences import StylePlace
from counterfold.style.visits import matches_by_hand
from counterfold.tree.form import AnyGame
from counterfold.tree.history import HistoryTree
from counterfold.tree.public import PublicTree
from counterfold.tree.story import rules_of

LOCKS = ("at", "play", "hands", "trust", "player", "street")
"""What a lock of the page may say: no files, and nothing that must be solved first."""


def subject(studio: Studio, given: Given) -> Json:
    """What can be bent: who plays, which words actions begin with, streets, other files."""
    entry = studio.opened.file(given.text("file"))
    form = entry.strategy.tree
    poker = isinstance(form, PublicTree)
    names = form.game.players if poker else [str(p + 1) for p in range(entry.strategy.players)]
    labels = _offered(entry)
    same = [
        i.name for i in studio.folder.items() if i.kind == ("solution" if poker else "strategy")
    ]
    return {
        "file": entry.name,
        "game": entry.strategy.spec,
        "poker": poker,
        "spot": poker and "spot" in form.game.about,
        "pot": form.game.pot if poker else None,
        "players": list(names),
        "streets": list(form.game.streets) if poker else [],
        "words": list(dict.fromkeys(label.split(" ")[0] for label in labels))[:12],
        "models": [*(MODELS if poker else MODELS[: -len(BY_RULES)]), *same],
    }


def _offered(entry: Open) -> list[str]:
    """The actions that somebody ever has."""
    form = entry.strategy.tree
    if not isinstance(form, PublicTree):
        return [word for row in entry.strategy.rows() for word in row.actions]
    betting = form.game.betting
    decisions = np.flatnonzero(betting.kind == DECISION).tolist()
    return [betting.label[child] for node in decisions for child in betting.children(node)]


def _request(studio: Studio, entry: Open) -> tuple[Json, AnyGame]:
    """The game of a solution, as a job is told of it and as it is."""
    form = entry.strategy.tree
    if not isinstance(form, PublicTree):
        return {"game": entry.strategy.spec}, rules_of(form)
    if "spot" in form.game.about:
        return {"spot": form.game.about["spot"]}, form.game
    return {"game": entry.strategy.spec, "form": "public"}, form.game


def _add(studio: Studio, given: Given, kind: str, request: Json, words: str) -> Json:
    source = given.text("file")
    title = given.maybe("name") or f"{source.rpartition('.')[0]}, {words}"
    stem = "".join(c if c.isalnum() or c in "-_ ,=" else "-" for c in title).strip("- ")[:80]
    file = studio.folder.fresh(stem, ".safetensors")
    request |= {"source": source, "words": words}
    return {"id": studio.queue.add(kind, title, request, file), "file": file}


def lock(studio: Studio, given: Given) -> Json:
    """Solve again with some decisions as they were painted."""
    entry = studio.opened.file(given.text("file"))
    request, game = _request(studio, entry)
    locks = given.list("locks")
    if not locks:
        raise ParameterError("nothing is locked yet; paint a decision first")
    _checked(entry, game, locks)
    request |= {"locks": locks, **limits_of(given, game)}
    count = f"{len(locks)} lock{'s' * (len(locks) != 1)}"
    return _add(studio, given, "solve", request, count)


def _checked(entry: Open, game: AnyGame, told: list[object]) -> list[tuple[Json, Lock]]:
    """Locks that hold where they say, and say nothing that the page cannot."""
    asked: list[Json] = []
    for one in told:
        if not isinstance(one, dict) or any(key not in LOCKS for key in one):
            raise ParameterError(f"a lock says {', '.join(LOCKS)}, not {short(one)}")
        asked.append(one)
    found = read_locks(asked, game)
    if isinstance(entry.strategy.tree, HistoryTree):
        Locks(found).on(entry.strategy.tree)
    return [*zip(asked, found, strict=True)]


def locks(studio: Studio, given: Given) -> Json:
    """The locks of a link, which it has in full or by a file of the folder, as they are painted."""
    entry = studio.opened.file(given.text("file"))
    _, game = _request(studio, entry)
    made = _checked(entry, game, _told(studio, given.text("locks")))
    return {
        "locks": [
            {"lock": {**one, "play": _painted(game, one["play"])}, "who": _who(entry, game, lock)}
            for one, lock in made
        ]
    }


def _told(studio: Studio, text: str) -> list[object]:
    if not text.lstrip().startswith("["):
        found = read_json(studio.folder.inside(text), "a list of locks")
    else:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            raise ParameterError(
                "the locks of this link are no JSON; it was cut off perhaps"
            ) from None
    if not isinstance(found, list):
        raise ParameterError(
            'the locks must be a list of objects such as {"at": "bet 66", "play": {"fold": 1}}'
        )
    return found


def _painted(game: AnyGame, play: Mapping[str, object]) -> Mapping[str, object]:
    """What hands play, class by class where all its hands are meant, else hand by hand."""
    if not isinstance(game, PokerGame) or not any(
        isinstance(one, Mapping) for one in play.values()
    ):
        return play
    found: Json = {}
    for text, mix in play.items():
        named = Range.parse(text).weights > 0
        if named.all():
            found["random"] = mix
            continue
        for k, name in enumerate(CLASSES):
            holes = np.flatnonzero(named & (k == CELL)).tolist()
            whole = len(holes) == int(np.count_nonzero(k == CELL))
            found |= dict.fromkeys([name] if whole else map(hole_name, holes), mix)
    return found


def _who(entry: Open, game: AnyGame, lock: Lock) -> str:
    """Whose decision is locked."""
    names: Sequence[str] = [f"player {p + 1}" for p in range(entry.strategy.players)]
    player = lock.player
    if isinstance(game, PokerGame):
        names = game.players
        if player is None:
            player = int(game.betting.player[held_of(game, [lock])[0].node])
    elif player is None:
        infosets = entry.strategy.tree.infosets
        player = int(infosets.owner[infosets.labels.index(lock.path)])
    return names[player]


def style(studio: Studio, given: Given) -> Json:
    """Solve with preferences, and tell exactly what they cost."""
    request, game = _request(studio, studio.opened.file(given.text("file")))
    prefer = [str(text) for text in given.list("prefer")]
    give_up = given.from_zero("give_up", 0.0)
    place: StylePlace = {}
    if given.maybe("player") is not None:
        place["player"] = int(given.number("player")) - 1
    with complaints_of("prefer"):
        if not prefer:
            raise ParameterError("every slider stands at 1, which is no preference; move one")
        read_preferences(prefer, game, place_in(game, give_up, **place))
    request |= {"prefer": prefer, "give_up": give_up, "place": place}
    who = f" of player {int(given.number('player'))}" if place else ""
    return _add(studio, given, "style", request, f"style {', '.join(prefer)}{who}")


def target(studio: Studio, given: Given) -> Json:
    """Find the style that meets a frequency."""
    entry = studio.opened.file(given.text("file"))
    request, _ = _request(studio, entry)
    words, share = given.text("frequency", most=200), given.number("share")
    with complaints_of("share"):
        if not 0 <= share <= 1:
            raise ParameterError(f"a frequency is from 0 to 100 percent, not {100 * share:g}")
    with complaints_of("frequency"):
        tree = entry.strategy.tree
        frequency = Frequency.on(tree, words)
        if isinstance(tree, PublicTree):
            matches_by_hand(frequency, tree)
        else:
            frequency.matches(tree)
    request |= {"targets": {words: share}, "give_up": given.from_zero("give_up", 0.0)}
    return _add(studio, given, "target", request, f"{words} {100 * share:g} percent")


def exploit(studio: Studio, given: Given) -> Json:
    """Answer a model of the opponent: what is won at which risk."""
    entry = studio.opened.file(given.text("file"))
    request, _ = _request(studio, entry)
    model = given.text("model", "uniform", 400)
    with complaints_of("model"):
        if model not in MODELS:
            entry.strategy.check_fits(studio.opened.file(model).strategy.tree)
    player = int(given.number("player", 0))
    with complaints_of("player"):
        check_can_respond(entry.strategy.tree, player)
    request |= {"model": model, "player": player}
    if given.values.get("budget") not in (None, ""):
        request["budget"] = given.from_zero("budget")
    name = model if model in MODELS else model.rpartition(".")[0]
    return _add(studio, given, "exploit", request, f"against {name}")


ROUTES = [
    asked("/bend", subject),
    asked("/bend/locks", locks),
    told("/bend/lock", lock),
    told("/bend/style", style),
    told("/bend/target", target),
    told("/bend/exploit", exploit),
]
