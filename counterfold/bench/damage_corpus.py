"""A small good file of every kind that Counterfold reads, made by itself, and who reads it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from counterfold.bench.damage_files import form_of, steady
from counterfold.bench.damage_readings import Main, Reading, listen
from counterfold.errors import CounterfoldError

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
QUIET = ("--json", "--quiet")
KEYS = "c\nb\nf\n" * 8


def _solve(game: str, *more: str) -> tuple[str, ...]:
    return ("solve", game, "--iterations", "10", *more, *QUIET)


@dataclass(frozen=True)
class Recipe:
    """How a file (or a folder) is made: from a text, by a command, or by a call."""

    words: tuple[str, ...] = ()
    text: str = ""
    call: Callable[[], None] | None = None
    needs: tuple[str, ...] = ()
    typed: str = ""


def _saved(*words: str, needs: Sequence[str] = (), typed: str = "") -> Recipe:
    return Recipe(words, needs=tuple(needs), typed=typed)


def _make_modelled() -> None:
    from counterfold.exploit.public import RestrictedSolver
    from counterfold.strategy.public import read_public

    solver = RestrictedSolver(read_public("river.safetensors")[0], 0, 0.5, threads=1)
    solver.step(10)
    solver.solver.save("modelled.safetensors")


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


def _make_blueprint() -> None:
    from counterfold.abstraction.buckets import every_hand
    from counterfold.abstraction.sampled import SampledPoker
    from counterfold.poker.holdem import leduc

    solver = SampledPoker(leduc(), every_hand(leduc()), "linear", "external")
    solver.step(100)
    solver.blueprint().save("blueprint.safetensors")


def _read_blueprint() -> None:
    from counterfold.abstraction.blueprint import Blueprint
    from counterfold.abstraction.buckets import every_hand
    from counterfold.poker.holdem import leduc

    game = leduc()
    found = Blueprint.load("blueprint.safetensors", game, every_hand(game))
    print(found.about, [found.at(int(node)).tolist() for node in found.layout.nodes])


def _make_large() -> None:
    from counterfold.abstraction.large_training import train

    train(2, games=20, threads=1).save("large.safetensors")


_CARDS = ("--cards", "all.safetensors")
RECIPES: dict[str, Recipe] = {
    "river.json": Recipe(text=json.dumps(RIVER, indent=1)),
    "turn.json": Recipe(text=json.dumps(TURN, indent=1)),
    "flop.json": Recipe(text=json.dumps(FLOP, indent=1)),
    "locks.json": Recipe(text=json.dumps(LOCKS, indent=1)),
    "held.json": Recipe(text=json.dumps(HELD, indent=1)),
    "table.txt": Recipe(text=TABLE),
    "table.json": Recipe(text=json.dumps(TABLE_JSON)),
    "deal.efg": Recipe(text=EFG),
    "flops.txt": Recipe(text="AsAhAd:2\n"),
    "strategy.safetensors": _saved(
        "exploit", "kuhn", "--model", "uniform", "--rnr", "0.5", "--method", "cfr+",
        "--iterations", "10", "--save", "strategy.safetensors", *QUIET,
    ),
    "sequence.safetensors": _saved(*_solve("kuhn", "--save", "sequence.safetensors")),
    "narrow.safetensors": _saved(
        *_solve("leduc", "--dtype", "float32", "--save", "narrow.safetensors")
    ),
    "three.safetensors": _saved(
        *_solve("kuhn(players=3)", "--method", "dcfr", "--save", "three.safetensors")
    ),
    "history.safetensors": _saved(
        *_solve("kuhn", "--form", "history", "--method", "cfr+", "--save", "history.safetensors")
    ),
    "chance.safetensors": _saved(
        *_solve("kuhn", "--traversal", "chance", "--method", "cfr", "--save", "chance.safetensors")
    ),
    "external.safetensors": _saved(
        *_solve("kuhn", "--traversal", "external", "--method", "cfr", "--save",
                "external.safetensors")
    ),
    "outcome.safetensors": _saved(
        *_solve("leduc", "--traversal", "outcome", "--method", "cfr", "--save",
                "outcome.safetensors")
    ),
    "styled.safetensors": _saved(
        "style", "kuhn", "--prefer", "bet=5", "--give-up", "0.01", "--iterations", "10", "--save",
        "styled.safetensors", *QUIET,
    ),
    "river.safetensors": _saved(
        *_solve("river.json", "--threads", "1", "--save", "river.safetensors"),
        needs=["river.json"],
    ),
    "packed.safetensors": _saved(
        *_solve("turn.json", "--threads", "1", "--bits", "16", "--save", "packed.safetensors"),
        needs=["turn.json"],
    ),
    "predictive.safetensors": _saved(
        *_solve("turn.json", "--threads", "1", "--method", "pcfr+", "--save",
                "predictive.safetensors"),
        needs=["turn.json"],
    ),
    "locked.safetensors": _saved(
        *_solve("river.json", "--threads", "1", "--locks", "locks.json", "--save",
                "locked.safetensors"),
        needs=["river.json", "locks.json"],
    ),
    "liked.safetensors": _saved(
        *_solve("river.json", "--threads", "1", "--prefer", "bet=3", "--give-up", "0.1", "--save",
                "liked.safetensors"),
        needs=["river.json"],
    ),
    "modelled.safetensors": Recipe(call=_make_modelled, needs=("river.safetensors",)),
    "answer.safetensors": _saved(
        "exploit", "river.json", "--model", "river.safetensors", "--rnr", "0.5", "--iterations",
        "10", "--save", "answer.safetensors", *QUIET,
        needs=["river.json", "river.safetensors"],
    ),
    "cards.safetensors": _saved(
        "blueprint", "fhp", "--buckets", "4", "--cards", "cards.safetensors", "--iterations", "50",
        *QUIET,
    ),
    "all.safetensors": Recipe(call=_make_all),
    "sampled.safetensors": _saved(
        "blueprint", "leduc", *_CARDS, "--iterations", "100", "--save", "sampled.safetensors",
        *QUIET, needs=["all.safetensors"],
    ),
    "boards.safetensors": _saved(
        "blueprint", "leduc", *_CARDS, "--iterations", "20", "--traversal", "public", "--save",
        "boards.safetensors", *QUIET, needs=["all.safetensors"],
    ),
    "against.safetensors": _saved(
        "blueprint", "leduc", *_CARDS, "--iterations", "100", "--against", "sampled.safetensors",
        "--rnr", "0.5", "--save", "against.safetensors", *QUIET,
        needs=["all.safetensors", "sampled.safetensors"],
    ),
    "blueprint.safetensors": Recipe(call=_make_blueprint),
    "record.jsonl": _saved(
        "match", "strategy.safetensors", "uniform", "--game", "kuhn", "--hands", "12", "--record",
        "record.jsonl", *QUIET, needs=["strategy.safetensors"],
    ),
    "spot.jsonl": _saved(
        "match", "river.safetensors", "uniform", "--game", "river.json", "--hands", "6", "--record",
        "spot.jsonl", *QUIET, needs=["river.safetensors", "river.json"],
    ),
    "model.safetensors": _saved(
        "exploit", "kuhn", "--model", "record.jsonl", "--agent", "uniform", "--best-response",
        "--save-model", "model.safetensors", *QUIET, needs=["record.jsonl"],
    ),
    "learner.safetensors": Recipe(call=_make_learner),
    "match.safetensors": _saved(
        "match", "strategy.safetensors", "seocfr-iw", "--game", "kuhn", "--hands", "200", "--save",
        "match.safetensors", *QUIET, needs=["strategy.safetensors"],
    ),
    "learners.safetensors": _saved(
        "match", "dbbr-ws", "dynamic", "--game", "kuhn", "--hands", "200", "--save",
        "learners.safetensors", *QUIET,
    ),
    "session.jsonl": _saved(
        "play", "kuhn", "--against", "strategy.safetensors", "--hands", "3", "--seed", "1",
        "--save", "session.jsonl", "--quiet", needs=["strategy.safetensors"], typed=KEYS,
    ),
    "large.safetensors": Recipe(call=_make_large),
    "stages": _saved(
        "curriculum", "leduc", "--order", "ranks=2,3", "--iterations", "5", "--save", "stages",
        *QUIET,
    ),
    "flops": _saved(
        "report", "flop.json", "--flops", "AsAhAd:2", "--accuracy", "5%", "--folder", "flops",
        "--threads", "1", "--keep", *QUIET, needs=["flop.json"],
    ),
    "fhp": _saved(
        "repro", "fhp", "--game", "fhp(deck=QsQhKsKhAsAhAd,cap=2)", "--iterations", "3", "--folder",
        "fhp", *QUIET,
    ),
}  # fmt: skip
"""Every file by its name; one that is named with --save is written there."""


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


def _kind(
    name: str, file: str, *commands: str, needs: str = "", own: bool = False, typed: str = ""
) -> Kind:
    """F in a command is the file."""
    readings = [
        Reading(tuple(file if word == "F" else word for word in command.split()), typed)
        for command in commands
    ]
    return Kind(name, file, tuple(readings), tuple(needs.split()), own)


_RESUME = "solve --resume F --iterations 15 --json --quiet"
_SHOW = "show F --json --quiet"
_POKER = "solve --resume F --iterations 15 --threads 1 --json --quiet"
_SAMPLED = "blueprint leduc --cards all.safetensors --iterations 150 --resume F --json --quiet"

KINDS: tuple[Kind, ...] = (
    _kind(
        "strategy", "strategy.safetensors", _SHOW, "show F --csv -",
        "match F uniform --game kuhn --hands 50 --json --quiet",
        "exploit kuhn --model F --best-response --json --quiet",
    ),
    _kind("checkpoint", "sequence.safetensors", _RESUME, _SHOW),
    _kind("checkpoint in float32", "narrow.safetensors", _RESUME),
    _kind("checkpoint for three", "three.safetensors", _RESUME, _SHOW),
    _kind("checkpoint of histories", "history.safetensors", _RESUME),
    _kind("checkpoint, chance-sampled", "chance.safetensors", _RESUME),
    _kind("checkpoint, external", "external.safetensors", _RESUME),
    _kind("checkpoint, outcome", "outcome.safetensors", _RESUME),
    _kind("checkpoint with a style", "styled.safetensors", _RESUME),
    _kind(
        "poker checkpoint", "river.safetensors", _POKER, _SHOW, "show F check --hand AA --json",
        "match F uniform --game river.json --hands 20 --json --quiet",
        "exploit river.json --model F --rnr 0.5 --iterations 5 --json --quiet",
        "solve river.json --iterations 5 --threads 1 --locks held.json --json --quiet",
        needs="river.json held.json",
    ),
    _kind("poker checkpoint in 16 bits", "packed.safetensors", _POKER, _SHOW),
    _kind("poker checkpoint, predictive", "predictive.safetensors", _POKER),
    _kind("poker checkpoint with locks", "locked.safetensors", _POKER, _SHOW),
    _kind("poker checkpoint with a style", "liked.safetensors", _POKER),
    _kind("poker checkpoint with a model", "modelled.safetensors", _POKER),
    _kind(
        "poker strategy", "answer.safetensors", _SHOW,
        "match F uniform --game river.json --hands 20 --json --quiet", needs="river.json",
    ),
    _kind(
        "poker trainer", "river.safetensors", "play F --hands 2 --seed 1 --quiet",
        typed=KEYS,
    ),
    _kind(
        "buckets", "cards.safetensors",
        "blueprint fhp --cards F --iterations 50 --json --quiet",
    ),
    _kind(
        "buckets of every hand", "all.safetensors",
        "blueprint leduc --cards F --iterations 100 --json --quiet",
        "blueprint leduc --cards F --iterations 10 --traversal public --exact --json --quiet",
    ),
    _kind(
        "sampled poker", "sampled.safetensors", _SAMPLED,
        "blueprint leduc --cards all.safetensors --against F --rnr 0.5 --iterations 50 --json -q",
        needs="all.safetensors",
    ),
    _kind("sampled poker by boards", "boards.safetensors", _SAMPLED, needs="all.safetensors"),
    _kind(
        "sampled response", "against.safetensors",
        f"{_SAMPLED} --against sampled.safetensors --rnr 0.5 --exact",
        needs="all.safetensors sampled.safetensors",
    ),
    Kind(
        "blueprint", "blueprint.safetensors",
        (Reading(("Blueprint.load",), call=_read_blueprint),),
    ),
    _kind(
        "model", "model.safetensors", _SHOW,
        "exploit kuhn --model F --dbr curve(0.9,5) --method cfr+ --iterations 10 --json --quiet",
    ),
    _kind(
        "learner", "learner.safetensors", "match F uniform --game kuhn --hands 50 --json --quiet",
        _SHOW,
    ),
    _kind("match", "match.safetensors", "match --resume F --hands 300 --json --quiet"),
    _kind(
        "match of learners", "learners.safetensors", "match --resume F --hands 300 --json --quiet"
    ),
    _kind(
        "record", "record.jsonl", "replay F --json --quiet", "replay F --hand 3 --json --quiet",
        "exploit kuhn --model F --agent uniform --best-response --json --quiet",
    ),
    _kind(
        "record at a spot", "spot.jsonl", "replay F --json --quiet",
        "replay F --hand 2 --json --quiet", needs="river.json",
    ),
    _kind(
        "session", "session.jsonl", "play --resume F --hands 5 --quiet", "replay F --json --quiet",
        needs="strategy.safetensors", typed=KEYS,
    ),
    _kind(
        "Cheat strategy", "large.safetensors",
        "match F uniform --game cheat:original --hands 1 --json --quiet",
    ),
    _kind(
        "curriculum", "stages/curriculum.json", "curriculum --resume stages --json --quiet",
        needs="stages",
    ),
    _kind(
        "stage of a curriculum", "stages/stage-2.safetensors",
        "curriculum --resume stages --json --quiet", needs="stages",
    ),
    _kind(
        "report", "flops/report.json",
        "report flop.json --flops AsAhAd:2 --accuracy 5% --folder flops --threads 1 --json -q",
        needs="flops flop.json",
    ),
    _kind(
        "flop of a report", "flops/AsAhAd.json",
        "report flop.json --flops AsAhAd:2 --accuracy 5% --folder flops --threads 1 --json -q",
        needs="flops flop.json",
    ),
    _kind(
        "curve of Flop Hold'em", "fhp/linear.json",
        "repro fhp --game fhp(deck=QsQhKsKhAsAhAd,cap=2) --iterations 3 --folder fhp --json -q",
        needs="fhp",
    ),
    _kind(
        "flops", "flops.txt",
        "report flop.json --flops F --accuracy 50% --threads 1 --json --quiet",
        needs="flop.json", own=True,
    ),
    _kind(
        "locks", "locks.json",
        "solve river.json --locks F --iterations 5 --threads 1 --json --quiet",
        needs="river.json", own=True,
    ),
    _kind(
        "spot", "river.json", "solve F --iterations 5 --threads 1 --json --quiet", own=True,
    ),
    _kind(
        "table of payoffs", "table.txt", "solve F --iterations 20 --json --quiet",
        "games F --json", own=True,
    ),
    _kind(
        "payoffs in JSON", "table.json", "solve F --iterations 20 --json --quiet",
        "games F --json", own=True,
    ),
    _kind(
        ".efg", "deal.efg", "solve F --iterations 20 --json --quiet", "games F --json", own=True,
    ),
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
        else:
            done = listen(self._main, Reading(recipe.words, recipe.typed), self.folder)
            if done.code != 0:
                raise CounterfoldError(f"`{' '.join(recipe.words)}` fails: {done.err.strip()}")
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
