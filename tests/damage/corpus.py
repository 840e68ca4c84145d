"""A small good file of every kind that Counterfold reads, made by itself, and who reads it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import chdir, suppress
from dataclasses import dataclass
from pathlib import Path

from counterfold.errors import CounterfoldError
from counterfold.strategy.strategy import Strategy
from tests.damage.files import form_of, steady
from tests.damage.readings import Main, Reading, listen

__all__ = ["KINDS", "Corpus", "Kind"]

RIVER = {
    "board": "Ks 9h 6s 4d 2c", "pot": 20, "stack": 40, "oop": "AA,KQs,76s",
    "ip": "QQ,AKs,65s:0.5", "bets": ["50%"], "raises": ["allin"],
}  # fmt: skip
TURN = {
    "board": "Ks 9h 6s 4d", "pot": 20, "stack": 20, "oop": "AA,76s", "ip": "QQ,AKs",
    "bets": ["allin"], "raises": ["allin"],
}  # fmt: skip
FLOP = TURN | {"board": "Ks 9h 6s", "oop": "AA,KK", "ip": "QQ,KK"}
LOCKS = [
    {"at": "bet 10", "play": {"call": 0.5, "fold": 0.5}, "hands": "QQ", "trust": 0.5},
    {"at": "check", "frequencies": {"check": 0.6}},
    {"player": "oop", "at": "check, bet 10", "counts": {"fold": 3, "call": 2}, "prior": 2},
]
HELD = [{"at": "bet 10", "as": "river.safetensors", "trust": 0.5}]
TABLE = """# Battle of the sexes
         opera   football
opera    3,2     0,0
football 0,0     2,3
"""
TABLE_JSON = {"matrix": [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]}
EFG = """EFG 2 R "A deal" { "One" "Two" }
c "" 1 "deal" { "high" 1/2 "low" 1/2 } 0
p "" 1 1 "high" { "bet" "check" } 0
p "" 2 1 "seen" { "call" "fold" } 0
t "" 1 "won" { 2, -2 }
t "" 2 "folded" { 1, -1 }
t "" 3 "checked" { 1, -1 }
p "" 1 2 "low" { "bet" "check" } 0
p "" 2 1 "seen" { "call" "fold" } 0
t "" 4 "lost" { -2, 2 }
t "" 2
t "" 5 "checked" { -1, 1 }
"""
BOUT = {
    "when": "2026-01-01T00:00:00+00:00", "game": "holdem", "agent": "hu.cf", "opponent": "tight",
    "hands": 100, "seed": 0, "mbb": 120.5, "mbb_half": 60.25, "reduced": True, "faults": [0, 1],
}  # fmt: skip
KEYS = "c\nb\nf\n" * 8
"""What the person of a session types."""


def _make_modelled() -> None:
    from counterfold.exploit.responses import restricted_solver

    solver = restricted_solver(Strategy.load("river.safetensors"), 0, 0.5, threads=1)
    solver.step(10)
    solver.save("modelled.safetensors")


def _make_learner() -> None:
    from counterfold.exploit.online import Learner
    from counterfold.games.catalog import load
    from counterfold.play.agents import make_agent
    from counterfold.play.match import Match
    from counterfold.tree.history import compile_game

    tree = compile_game(load("kuhn"))
    learner = make_agent("seocfr-iw", tree)
    assert isinstance(learner, Learner)
    Match(tree, learner, make_agent("uniform", tree)).play(200)
    learner.save("learner.safetensors")


def _make_all() -> None:
    from counterfold.abstraction.buckets import every_hand, save_buckets
    from counterfold.poker.holdem import leduc

    save_buckets("all.safetensors", every_hand(leduc()))


def _make_build() -> None:
    from counterfold.abstraction.bucket_maker import BucketMaker, Recipe

    class EnoughError(Exception):
        pass

    def look(what: str, share: float) -> None:
        if share > 0.9:  # of the boards, the last block is left
            raise EnoughError

    with suppress(EnoughError):
        BucketMaker(Recipe.of((0, 3), 4), path="build.safetensors", look=look).make()


def _make_blueprint() -> None:
    from counterfold.abstraction.blueprint import blueprint
    from counterfold.abstraction.buckets import every_hand
    from counterfold.poker.holdem import leduc

    blueprint(leduc(), every_hand(leduc()), 100).save("blueprint.safetensors")


def _read_blueprint() -> None:
    from counterfold.abstraction.bucket_layout import by_hand
    from counterfold.strategy.strategy import Strategy

    found = Strategy.load("blueprint.safetensors")
    print(dict(found.about), [table.tolist() for table in by_hand(found).tables])


def _read_ledger() -> None:
    from counterfold.play.gauntlet import read_ledger

    print(read_ledger("ledger.jsonl"))


def _make_large() -> None:
    from counterfold.abstraction.horizon_training import train

    train(2, games=20, threads=1).save("large.safetensors")


def _reading(command: str, file: str) -> Reading:
    """A command; F in it is the file, and it answers in JSON, quietly, where it can."""
    verb, *_ = command.split()
    ending = {"play": "--quiet", "games": "--json"}.get(verb, "--json --quiet")
    words = f"{command} {'--quiet' if '--csv' in command else ending}".split()
    typed = KEYS if verb == "play" else ""
    return Reading(tuple(file if word == "F" else word for word in words), typed)


@dataclass(frozen=True)
class Recipe:
    """How a file (or a folder) is made: from a text, by a command, or by a call."""

    text: str = ""
    reading: Reading | None = None
    call: Callable[[], None] | None = None
    needs: tuple[str, ...] = ()


_TEXTS = {
    "river.json": json.dumps(RIVER, indent=1),
    "turn.json": json.dumps(TURN, indent=1),
    "flop.json": json.dumps(FLOP, indent=1),
    "locks.json": json.dumps(LOCKS, indent=1),
    "held.json": json.dumps(HELD, indent=1),
    "table.txt": TABLE,
    "table.json": json.dumps(TABLE_JSON),
    "deal.efg": EFG,
    "flops.txt": "AsAhAd:2\n",
    "ledger.jsonl": "".join(json.dumps(BOUT | {"mbb_half": half}) + "\n" for half in (9.5, None)),
}
_CALLS = {
    "modelled": (_make_modelled, ("river.safetensors",)),
    "all": (_make_all, ()),
    "build": (_make_build, ()),
    "blueprint": (_make_blueprint, ()),
    "learner": (_make_learner, ()),
    "large": (_make_large, ()),
}
_SOLVE = "solve kuhn --iterations 10 --save F"
_SOLVE_LEDUC = "solve leduc --iterations 10 --save F"
_SOLVE_RIVER = "solve river.json --iterations 10 --threads 1 --save F"
_SOLVE_TURN = "solve turn.json --iterations 10 --threads 1 --save F"
_SAMPLE = "blueprint leduc --cards all.safetensors --save F"
_COMMANDS = {
    "strategy": "exploit kuhn --model uniform --rnr 0.5 --method cfr+ --iterations 10 --save F",
    "sequence": _SOLVE,
    "narrow": f"{_SOLVE_LEDUC} --dtype float32",
    "three": "solve kuhn(players=3) --iterations 10 --method dcfr --save F",
    "history": f"{_SOLVE} --form history --method cfr+",
    "chance": f"{_SOLVE} --traversal chance --method cfr",
    "external": f"{_SOLVE} --traversal external --method cfr",
    "outcome": f"{_SOLVE_LEDUC} --traversal outcome --method cfr",
    "styled": "style kuhn --prefer bet=5 --give-up 0.01 --iterations 10 --save F",
    "river": _SOLVE_RIVER,
    "packed": f"{_SOLVE_TURN} --bits 16",
    "predictive": f"{_SOLVE_TURN} --method pcfr+",
    "locked": f"{_SOLVE_RIVER} --locks locks.json",
    "liked": f"{_SOLVE_RIVER} --prefer bet=3 --give-up 0.1",
    "answer": "exploit river.json --model river.safetensors --rnr 0.5 --iterations 10 --save F",
    "cards": "blueprint fhp --buckets 4 --cards F --iterations 50",
    "sampled": f"{_SAMPLE} --iterations 100",
    "boards": f"{_SAMPLE} --iterations 20 --traversal public",
    "against": f"{_SAMPLE} --iterations 100 --against sampled.safetensors --rnr 0.5",
    "model": "exploit kuhn --model record.jsonl --agent uniform --best-response --save-model F",
    "match": "match strategy.safetensors seocfr-iw --game kuhn --hands 200 --save F",
    "learners": "match dbbr-ws dynamic --game kuhn --hands 200 --save F",
}
_FHP = "repro fhp --game fhp(deck=QsQhKsKhAsAhAd,cap=2) --iterations 3 --folder"
_REPORT = "report flop.json --flops AsAhAd:2 --accuracy 5% --threads 1 --folder"
_OTHERS = {
    "record.jsonl": "match strategy.safetensors uniform --game kuhn --hands 12 --record F",
    "spot.jsonl": "match river.safetensors uniform --game river.json --hands 6 --record F",
    "session.jsonl": "play kuhn --against strategy.safetensors --hands 3 --seed 1 --save F",
    "stages": "curriculum leduc --order ranks=2,3 --iterations 5 --save F",
    "flops": f"{_REPORT} F --keep",
    "solved": f"{_FHP} F",
}


def _recipes() -> dict[str, Recipe]:
    found = {name: Recipe(text) for name, text in _TEXTS.items()}
    for name, (call, needs) in _CALLS.items():
        found[f"{name}.safetensors"] = Recipe(call=call, needs=needs)
    commands = {f"{name}.safetensors": command for name, command in _COMMANDS.items()} | _OTHERS
    for name, command in commands.items():
        others = (commands.keys() | found.keys()) - {name}
        needs = tuple(word for word in command.split() if word in others)
        found[name] = Recipe(reading=_reading(command, name), needs=needs)
    return found


RECIPES = _recipes()
"""Every file by its name. What a command names is made before."""


@dataclass(frozen=True)
class Kind:
    """A kind of file, the one to be damaged first among those that its readings need.

    ``own`` are files that people write themselves, so that other words in them are no damage.
    """

    name: str
    file: str
    readings: tuple[Reading, ...]
    needs: tuple[str, ...] = ()
    own: bool = False


def _kind(name: str, file: str, *commands: str, needs: str = "", own: bool = False) -> Kind:
    """``needs`` are files that the commands do not name."""
    readings = [_reading(command, file) for command in commands]
    named = (word for one in readings for word in one.words[1:] if word in RECIPES)
    others = dict.fromkeys(word for word in (*named, *needs.split()) if word != file)
    return Kind(name, file, tuple(readings), tuple(others), own)


_RESUME = "solve --resume F --iterations 15"
_SHOW = "show F"
_POKER = f"{_RESUME} --threads 1"
_MATCH = "match F uniform --game kuhn --hands 50"
_AT_RIVER = "match F uniform --game river.json --hands 20"
_SAMPLED = "blueprint leduc --cards all.safetensors --iterations 150 --resume F"
_TRAINED = "curriculum --resume stages"
_MATRIX = ("solve F --iterations 20", "games F")

_CHECKPOINTS = (
    (" of histories", "history"), (", chance-sampled", "chance"), (", external", "external"),
    (", outcome", "outcome"), (" with a style", "styled"),
)  # fmt: skip

KINDS: tuple[Kind, ...] = (
    _kind(
        "strategy", "strategy.safetensors", _SHOW, "show F --csv -", _MATCH,
        "exploit kuhn --model F --best-response",
    ),
    _kind("checkpoint", "sequence.safetensors", _RESUME, _SHOW),
    _kind("checkpoint in float32", "narrow.safetensors", _RESUME),
    _kind("checkpoint for three", "three.safetensors", _RESUME, _SHOW),
    *(_kind(f"checkpoint{of}", f"{file}.safetensors", _RESUME) for of, file in _CHECKPOINTS),
    _kind(
        "poker checkpoint", "river.safetensors", _POKER, _SHOW, "show F check --hand AA",
        _AT_RIVER, "exploit river.json --model F --rnr 0.5 --iterations 5",
        "solve river.json --iterations 5 --threads 1 --locks held.json",
    ),
    _kind("poker checkpoint in 16 bits", "packed.safetensors", _POKER, _SHOW),
    _kind("poker checkpoint, predictive", "predictive.safetensors", _POKER),
    _kind("poker checkpoint with locks", "locked.safetensors", _POKER, _SHOW),
    _kind("poker checkpoint with a style", "liked.safetensors", _POKER),
    _kind("poker checkpoint with a model", "modelled.safetensors", _POKER),
    _kind("poker strategy", "answer.safetensors", _SHOW, _AT_RIVER),
    _kind("poker trainer", "river.safetensors", "play F --hands 2 --seed 1"),
    _kind("buckets", "cards.safetensors", "blueprint fhp --cards F --iterations 50"),
    _kind("build of buckets", "build.safetensors", "buckets fhp --buckets 4 --save F"),
    _kind(
        "buckets of every hand", "all.safetensors", "blueprint leduc --cards F --iterations 100",
        "blueprint leduc --cards F --iterations 10 --traversal public --exact",
    ),
    _kind(
        "sampled poker", "sampled.safetensors", _SAMPLED,
        "blueprint leduc --cards all.safetensors --against F --rnr 0.5 --iterations 50",
    ),
    _kind("sampled poker by boards", "boards.safetensors", _SAMPLED),
    _kind(
        "sampled response", "against.safetensors",
        f"{_SAMPLED} --against sampled.safetensors --rnr 0.5 --exact",
    ),
    Kind(
        "blueprint", "blueprint.safetensors",
        (Reading(("Strategy.load",), call=_read_blueprint),),
    ),
    _kind(
        "model", "model.safetensors", _SHOW,
        "exploit kuhn --model F --dbr curve(0.9,5) --method cfr+ --iterations 10",
    ),
    _kind("learner", "learner.safetensors", _MATCH, _SHOW),
    _kind("match", "match.safetensors", "match --resume F --hands 300"),
    _kind("match of learners", "learners.safetensors", "match --resume F --hands 300"),
    _kind(
        "record", "record.jsonl", "replay F", "replay F --hand 3",
        "exploit kuhn --model F --agent uniform --best-response",
    ),
    _kind("record at a spot", "spot.jsonl", "replay F", "replay F --hand 2", needs="river.json"),
    _kind(
        "session", "session.jsonl", "play --resume F --hands 5", "replay F",
        needs="strategy.safetensors",
    ),
    _kind(
        "Cheat strategy", "large.safetensors", "match F uniform --game cheat:original --hands 1"
    ),
    _kind("curriculum", "stages/curriculum.json", _TRAINED),
    _kind("stage of a curriculum", "stages/stage-2.safetensors", _TRAINED),
    _kind("report", "flops/report.json", f"{_REPORT} flops"),
    _kind("flop of a report", "flops/AsAhAd.json", f"{_REPORT} flops"),
    _kind("curve of Flop Hold'em", "solved/linear.json", f"{_FHP} solved"),
    _kind(
        "flops", "flops.txt", "report flop.json --flops F --accuracy 50% --threads 1", own=True
    ),
    _kind(
        "locks", "locks.json", "solve river.json --locks F --iterations 5 --threads 1", own=True
    ),
    Kind("ledger", "ledger.jsonl", (Reading(("read_ledger",), call=_read_ledger),), own=True),
    _kind("spot", "river.json", "solve F --iterations 5 --threads 1", own=True),
    _kind("table of payoffs", "table.txt", *_MATRIX, own=True),
    _kind("payoffs in JSON", "table.json", *_MATRIX, own=True),
    _kind(".efg", "deal.efg", *_MATRIX, own=True),
)  # fmt: skip


class Corpus:
    """Good files in a folder, made when they are asked for."""

    def __init__(self, folder: Path, main: Main) -> None:
        self.folder, self._main = folder, main

    def make(self, name: str) -> None:
        """Make a file, after all that it needs."""
        target = self.folder / name
        if target.exists():
            return
        recipe = RECIPES[name]
        for other in recipe.needs:
            self.make(other)
        if recipe.text:
            target.write_text(recipe.text)
            return
        if recipe.call is not None:
            with chdir(self.folder):
                recipe.call()
        if recipe.reading is not None:
            done = listen(self._main, recipe.reading, self.folder)
            if done.code != 0:
                raise CounterfoldError(f"`{recipe.reading.name}` fails: {done.err.strip()}")
        for path in [target] if target.is_file() else sorted(target.iterdir()):
            content = path.read_bytes()
            path.write_bytes(steady(content, form_of(path.name, content)))

    def content(self, kind: Kind) -> bytes:
        """The good file of a kind."""
        self.make(kind.file.partition("/")[0])
        for name in kind.needs:
            self.make(name)
        return (self.folder / kind.file).read_bytes()

    def lay_out(self, kind: Kind, folder: Path) -> None:
        """Copy all that a kind's readings need."""
        for name in {kind.file.partition("/")[0], *kind.needs}:
            self.make(name)
            if (self.folder / name).is_dir():
                shutil.copytree(self.folder / name, folder / name)
            else:
                shutil.copyfile(self.folder / name, folder / name)
