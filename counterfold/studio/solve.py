"""The queue on the page: new jobs, stopping them, letting them go on."""

from __future__ import annotations

from counterfold.abstraction.bucket_maker import Recipe
from counterfold.cli.blueprint_gains import check_size, size_of
from counterfold.cli.buckets import counts_in
from counterfold.errors import ParameterError, complaints_of
from counterfold.files.text import Json
from counterfold.games.base import spec_of
from counterfold.poker.game import PokerGame
from counterfold.poker.spot import spot
from counterfold.poker.table import Holdem
from counterfold.solvers.result import table_size
from counterfold.solvers.until import Until
from counterfold.studio.calls import Given, asked, told
from counterfold.studio.server import Studio
from counterfold.studio.work.sampling import commands_of
from counterfold.tree.form import AnyGame

__all__ = ["ROUTES", "limits_of", "sampling_of"]

LIMITS = ("exploitability", "iterations", "seconds")
MOST = 10**12
"""Iterations of a job: more than a computer has the time for."""


def jobs(studio: Studio, given: Given) -> Json:
    """All jobs."""
    return {"jobs": studio.queue.jobs()}


def begin(studio: Studio, given: Given) -> Json:
    """A new job that solves a spot or a game."""
    kind, title, request, file = _job(studio, given)
    return {"id": studio.queue.add(kind, title, request, file), "file": file}


def command(studio: Studio, given: Given) -> Json:
    """What a blueprint's job runs, as a person types it: of one in the queue, or of a wish.

    Of one that is done it has its iterations: the same deals make the same blueprint.
    """
    if given.maybe("id"):
        job = studio.queue.job(given.text("id"))
        done = {"iterations": job["result"]["iterations"]} if job.get("result") else {}
        told = commands_of({**job["request"], **done}, job["file"])
    else:
        _, _, request, file = _job(studio, given)
        told = commands_of(request, file)
    return {"command": studio.folder.shown(told)}


def _job(studio: Studio, given: Given) -> tuple[str, str, Json, str]:
    """A wish, checked: the kind of its job, a title, its request, and the file that it makes."""
    request: Json = {}
    if "spot" in given.values:
        poker = spot(given.object("spot"), name=given.text("name", "spot", 100))
        table_size(poker).check()
        request["spot"] = given.object("spot")
        title = given.text("name", poker.name, 100)
        game: AnyGame = poker
    else:
        name = given.text("game", most=400)
        game = studio.opened.game(name)
        in_folder = name.endswith((".json", ".efg")) and name not in studio.games
        request["game"] = str(studio.folder.inside(name)) if in_folder else name
        title = given.text("name", "" if isinstance(game, PokerGame) else spec_of(game), 100)
    kind = "blueprint" if isinstance(game, Holdem) else "solve"
    if isinstance(game, Holdem):
        request |= sampling_of(given, game)
    else:
        request |= limits_of(given, game)
    if given.maybe("method"):
        request["method"] = given.text("method", most=100)
    stem = "".join(c if c.isalnum() or c in "-_ " else "-" for c in title).strip("- ")[:80]
    ending = ".cf" if kind == "blueprint" else ".safetensors"
    return kind, title or stem, request, studio.folder.fresh(stem or "game", ending)


def sampling_of(given: Given, game: Holdem) -> Json:
    """How a blueprint of a table is to be made, checked."""
    buckets, minutes = given.text("buckets", "200", 40), given.number("minutes", 5)
    with complaints_of("minutes"):
        if minutes <= 0:
            raise ParameterError(f"minutes is {minutes:g}, and must be above 0")
    with complaints_of("buckets"):
        counts = counts_in(buckets)
        Recipe.for_game(game.poker, counts)
        check_size(size_of(game.poker, counts))
    if given.values.get("iterations") not in (None, ""):
        return {"buckets": buckets, "iterations": _iterations(given)}
    return {"buckets": buckets, "seconds": 60 * minutes}


def limits_of(given: Given, game: AnyGame) -> Json:
    """When a job is to stop, as far as that is given, checked."""
    found: Json = {}
    for key in LIMITS:
        value = given.values.get(key)
        if value in (None, ""):
            continue
        with complaints_of(key):
            if key == "iterations":
                found[key] = _iterations(given)
            else:
                found[key] = str(value) if key == "exploitability" else given.number(key)
            Until(**{key: found[key]}).on(game)
    return found


def _iterations(given: Given) -> int:
    number = given.number("iterations")
    if number != int(number) or not 1 <= number <= MOST:
        raise ParameterError(f"iterations is {number:g}, and must be a whole number up to {MOST:,}")
    return int(number)


def stop(studio: Studio, given: Given) -> Json:
    """Let a job end with what it has."""
    studio.queue.stop(given.text("id"))
    return jobs(studio, given)


def go_on(studio: Studio, given: Given) -> Json:
    """Let a job go on, to another limit if one is given."""
    more = {key: given.values[key] for key in LIMITS if given.values.get(key) not in (None, "")}
    if "iterations" in more:
        more["iterations"] = _iterations(given)
    if more:
        Until(**more)
    studio.queue.go_on(given.text("id"), **more)
    return jobs(studio, given)


def remove(studio: Studio, given: Given) -> Json:
    """Forget a job."""
    studio.queue.remove(given.text("id"))
    return jobs(studio, given)


ROUTES = [
    asked("/jobs", jobs),
    told("/jobs", begin),
    asked("/jobs/command", command),
    told("/jobs/stop", stop),
    told("/jobs/go", go_on),
    told("/jobs/remove", remove),
]
