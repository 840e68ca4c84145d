"""``counterfold agents``: everybody who can be called to the table by name."""

from __future__ import annotations

import inspect

from counterfold.cli.certificate import print_entries
from counterfold.cli.output import advise, print_json, say, styled
from counterfold.cli.verbs.arena import AgentsRequest
from counterfold.exploit.rules import DEFAULT_LEARNER, LEARNERS
from counterfold.files.text import Json
from counterfold.games.spec import written
from counterfold.play.agents import AGENTS
from counterfold.play.bots import AT_TABLES, SEARCHING
from counterfold.play.holdem import GADGET, SECONDS

ALSO = (
    ("leduc.safetensors", "a saved strategy or learner; at poker spots a saved solution"),
    ("path/to/mybot.py:MyBot", "your own class with a method act(observation, rng)"),
)


def run(request: AgentsRequest) -> None:
    """List them."""
    found = [*_opponents(), *_learners()]
    if request.json:
        print_json({"agents": found, "also": dict(ALSO)})
        return
    for kind, head in (("strategy", "They never learn"), ("learner", "They learn as they play")):
        _print(head, [one for one in found if one["kind"] == kind])
    _print("Others", [{"name": form, "told": told, "parameters": {}} for form, told in ALSO])
    public = ", ".join(name for name, kind in AGENTS.items() if kind.public)
    advise(f"At poker spots there are {public}, saved solutions and your own.")
    advise(
        f"At tables of hold'em there are {', '.join(AT_TABLES)}, saved strategies, your own, and "
        f"{SEARCHING}(FILE,seconds={SECONDS:g},gadget={GADGET}), who plays a blueprint and "
        "searches."
    )
    advise(
        "Let them play: `counterfold match seocfr-iw 'sophisticated(flaw=0.1)' --game leduc`; "
        "parameters stand in brackets after the name."
    )


def _opponents() -> list[Json]:
    found = []
    for name, kind in AGENTS.items():
        parameters = list(inspect.signature(kind.make).parameters.values())[1:]  # after the tree
        defaults = {
            p.name: None if p.default is p.empty else p.default
            for p in parameters
            if p.name != "on_report"
        }
        told = kind.told.partition(";")[0]
        sort = "learner" if kind.learns else "strategy"
        found.append({"name": name, "kind": sort, "told": told, "parameters": defaults})
    return found


def _learners() -> list[dict[str, object]]:
    return [
        {
            "name": name,
            "kind": "learner",
            "told": rule.description,
            "parameters": dict(rule.defaults),
            "default": name == DEFAULT_LEARNER,
        }
        for name, rule in LEARNERS.items()
    ]


def _print(head: str, agents: list[Json]) -> None:
    say(styled(head, "1"))
    print_entries([(one["name"], one["told"], _listed(one["parameters"])) for one in agents])
    say()


def _listed(parameters: Json) -> str:
    return ", ".join(
        key if value is None else f"{key}={written(value)}" for key, value in parameters.items()
    )
