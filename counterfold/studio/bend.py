"""Bending a solution: decisions that are locked, a style and its price, targets, an opponent."""

from __future__ import annotations

from typing import Any

from counterfold.cli.preferences import place_in, read_preferences
from counterfold.errors import ParameterError, short
from counterfold.exploit.lock_files import read_locks
from counterfold.play.poker_bots import BY_RULES, MODELS
from counterfold.poker.game import PokerGame
from counterfold.studio.calls import Given, asked, told
from counterfold.studio.opened import Open
from counterfold.studio.server import Studio
from counterfold.studio.solve import limits_of
from counterfold.style.frequency import Frequency
from counterfold.tree.public import PublicTree
from counterfold.tree.story import rules_of

LOCKS = ("at", "play", "hands", "trust", "player", "street")
"""What a lock of the page may say: no files, and nothing that must be solved first."""


def subject(studio: Studio, given: Given) -> dict[str, Any]:
    """What can be bent: who plays, which words actions begin with, streets, other files."""
    entry = studio.opened.file(given.text("file"))
    form = entry.strategy.tree
    poker = isinstance(form, PublicTree)
    names = form.game.players if poker else [str(p + 1) for p in range(entry.strategy.players)]
    if poker:
        labels = [label for label in form.game.betting.label if label and label[0] != "["]
    else:
        labels = [action for row in entry.strategy.rows() for action in row.actions]
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


def _request(studio: Studio, entry: Open) -> tuple[dict[str, Any], Any]:
    """The game of a solution, as a job is told of it and as it is."""
    form = entry.strategy.tree
    if not isinstance(form, PublicTree):
        return {"game": entry.strategy.spec}, rules_of(form)
    if "spot" in form.game.about:
        return {"spot": form.game.about["spot"]}, form.game
    return {"game": entry.strategy.spec, "form": "public"}, form.game


def _add(
    studio: Studio, given: Given, kind: str, request: dict[str, Any], words: str
) -> dict[str, Any]:
    source = given.text("file")
    title = given.maybe("name") or f"{source.rpartition('.')[0]}, {words}"
    stem = "".join(c if c.isalnum() or c in "-_ ,=" else "-" for c in title).strip("- ")[:80]
    file = studio.folder.fresh(stem, ".safetensors")
    request |= {"source": source, "words": words}
    return {"id": studio.queue.add(kind, title, request, file), "file": file}


def lock(studio: Studio, given: Given) -> dict[str, Any]:
    """Solve again with some decisions as they were painted."""
    request, game = _request(studio, studio.opened.file(given.text("file")))
    locks = given.list("locks")
    if not locks:
        raise ParameterError("nothing is locked yet; paint a decision first")
    for one in locks:
        if not isinstance(one, dict) or any(key not in LOCKS for key in one):
            raise ParameterError(f"a lock says {', '.join(LOCKS)}, not {short(one)}")
    if isinstance(game, PokerGame):
        read_locks(locks, game)
    request |= {"locks": locks, **limits_of(given, game)}
    count = f"{len(locks)} lock{'s' * (len(locks) != 1)}"
    return _add(studio, given, "solve", request, count)


def style(studio: Studio, given: Given) -> dict[str, Any]:
    """Solve with preferences, and tell exactly what they cost."""
    request, game = _request(studio, studio.opened.file(given.text("file")))
    prefer = [str(text) for text in given.list("prefer")]
    give_up = given.number("give_up", 0.0)
    if not prefer:
        raise ParameterError("every slider stands at 1, which is no preference; move one")
    place = {} if given.maybe("player") is None else {"player": int(given.number("player")) - 1}
    read_preferences(prefer, game, place_in(game, give_up, **place))
    request |= {"prefer": prefer, "give_up": give_up, "place": place}
    who = f" of player {place['player'] + 1}" if place else ""
    return _add(studio, given, "style", request, f"style {', '.join(prefer)}{who}")


def target(studio: Studio, given: Given) -> dict[str, Any]:
    """Find the style that meets a frequency."""
    entry = studio.opened.file(given.text("file"))
    request, _ = _request(studio, entry)
    words, share = given.text("frequency", most=200), given.number("share")
    if not 0 <= share <= 1:
        raise ParameterError(f"a frequency is from 0 to 100 percent, not {100 * share:g}")
    Frequency.on(entry.strategy.tree, words)
    request |= {"targets": {words: share}, "give_up": given.number("give_up", 0.0)}
    return _add(studio, given, "target", request, f"{words} {100 * share:g} percent")


def exploit(studio: Studio, given: Given) -> dict[str, Any]:
    """Answer a model of the opponent: what is won at which risk."""
    entry = studio.opened.file(given.text("file"))
    request, _ = _request(studio, entry)
    model = given.text("model", "uniform", 400)
    if model not in MODELS:
        entry.strategy.check_fits(studio.opened.file(model).strategy.tree)
    player = int(given.number("player", 0))
    if player not in (0, 1):
        raise ParameterError("the answer is for player 1 or 2")
    budget = given.values.get("budget")
    request |= {"model": model, "player": player}
    if budget not in (None, ""):
        request["budget"] = given.number("budget")
    name = model if model in MODELS else model.rpartition(".")[0]
    return _add(studio, given, "exploit", request, f"against {name}")


ROUTES = [
    asked("/bend", subject),
    told("/bend/lock", lock),
    told("/bend/style", style),
    told("/bend/target", target),
    told("/bend/exploit", exploit),
]
