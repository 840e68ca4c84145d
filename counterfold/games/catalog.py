"""Every game that has a name, and how a name becomes a game."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from counterfold.errors import (
    CodeError,
    CounterfoldError,
    FileError,
    ParameterError,
    RulesError,
    SpecError,
    reason,
    short,
)
from counterfold.files.text import read_json
from counterfold.games.base import Game
from counterfold.games.spec import Parameter, Spec, parse_spec, written

METHODS = ("root", "turn", "chance", "actions", "next", "observe", "payoff")
_PYTHON = re.compile(r"(.+\.py):(.*)", re.DOTALL)


@dataclass(frozen=True)
class Entry:
    """A game that can be called by name. Its module is imported when it is first needed.

    >>> kuhn = next(entry for entry in games() if entry.name == "kuhn")
    >>> kuhn.example, kuhn.parameters, kuhn.cls.__name__
    ('kuhn(players=3)', 'players=2', 'Kuhn')
    """

    name: str
    where: str = field(repr=False)
    """A module and its class, or the function of it that makes the game."""
    example: str
    about: str = field(default="", repr=False)
    preset: Mapping[str, object] = field(default_factory=dict, repr=False)

    @property
    def make(self) -> Callable[..., Game]:
        """What to call with the parameters."""
        module, _, name = self.where.partition(":")
        package = "counterfold" if "." in module else "counterfold.games"
        found: Callable[..., Game] = getattr(importlib.import_module(f"{package}.{module}"), name)
        return found

    @property
    def cls(self) -> type[Game]:
        """The class of the game."""
        return self.make if isinstance(self.make, type) else type(self.make())

    @property
    def summary(self) -> str:
        """What the game is, in a line."""
        return self.about or (self.make.__doc__ or "").partition("\n")[0].rstrip(".")

    @property
    def parameters(self) -> str:
        """The parameters with their defaults, as they are written after the name."""
        if self.name == "normal_form":
            return "a file"
        given = {
            key: self.preset.get(key, parameter.default)
            for key, parameter in inspect.signature(self.make).parameters.items()
        }
        return ", ".join(f"{key}={written(value)}" for key, value in given.items())


_ENTRIES = (
    Entry("kuhn", "onecard:Kuhn", "kuhn(players=3)"),
    Entry("one_card", "onecard:OneCard", "one_card(ranks=13)"),
    Entry("leduc", "leduc:Leduc", "leduc(raises=1+2)"),
    Entry(
        "leduc:ses",
        "leduc:Leduc",
        "leduc:ses",
        "Leduc poker as in safe exploitation search: bets of 1, then 2",
        {"raises": (1, 2)},
    ),
    Entry("liars_dice", "liars_dice:LiarsDice", "liars_dice(dice=1+2,sides=3)"),
    Entry("goofspiel", "goofspiel:Goofspiel", "goofspiel(cards=5,prizes=random)"),
    Entry("cheat", "cheat:Cheat", "cheat(ranks=4,health=2,view=hp)"),
    Entry(
        "cheat:mini",
        "cheat:Cheat",
        "cheat:mini(health=5,view=memoryless)",
        "Mini-Cheat: 3 ranks of 2 cards, 2 cards each, health points",
    ),
    Entry(
        "cheat:original",
        "cheat:Cheat",
        "cheat:original(players=3)",
        "Cheat with 52 cards, all dealt, without health points: it may never end",
        {"ranks": 13, "copies": 4, "hand": None, "health": None},
    ),
    Entry("holdem", "poker.table:Holdem", "holdem(players=4,stack=50,ante=0.1)"),
    *(
        Entry(f"holdem:{name}", "poker.table:Holdem", f"holdem:{name}(stack=100)", about, preset)
        for name, about, preset in (
            ("hu", "hold'em for two, from the first card", {}),
            ("3max", "hold'em for three", {"players": 3}),
            ("6max", "hold'em for six", {"players": 6}),
        )
    ),
    Entry("holdem:jamfold", "poker.table:jam_or_fold", "holdem:jamfold(stack=10,players=3)"),
    Entry("rps", "normal_form:rock_paper_scissors", "rps"),
    Entry("rps:general", "normal_form:general_rock_paper_scissors", "rps:general"),
    Entry("matching_pennies", "normal_form:matching_pennies", "matching_pennies"),
    Entry(
        "normal_form",
        "normal_form:NormalForm",
        "path/to/game.txt",
        "any table of payoffs, from a .txt or .json file",
    ),
)


def games() -> tuple[Entry, ...]:
    """The games that have a name.

    >>> [entry.name for entry in games()][:3]
    ['kuhn', 'one_card', 'leduc']
    """
    return _ENTRIES


def load(spec: str, *, code: bool = True) -> Game:
    """The game that a name means.

    A name is one of ``games()`` with its parameters, ``openspiel:`` and a game of OpenSpiel, a
    file (Gambit's ``.efg``, ``.txt`` and ``.json`` for a normal form, or ``.json`` for a table of
    hold'em), ``file.py:Class``, or
    ``mapped(game="...",maps="...")``: a game whose players are told less. Without ``code``, as
    for names that come from files, no Python file is imported: CodeError.

    >>> load("leduc(raises=1+2)") == load("leduc:ses")
    True
    """
    if not isinstance(spec, str):
        raise SpecError(f"a game is named by text such as 'kuhn', not by {spec!r}")
    text = spec.strip()
    if text.startswith("openspiel:"):
        from counterfold.games.openspiel import OpenSpielGame

        return OpenSpielGame(text.removeprefix("openspiel:"))
    suffix = os.path.splitext(text)[1].lower()
    if suffix == ".efg":
        from counterfold.games.efg import EfgGame

        return EfgGame.from_file(text)
    if suffix in (".json", ".txt"):
        from counterfold.games.normal_form import NormalForm

        described = read_json(text, "a game") if suffix == ".json" else None
        tables = importlib.import_module("counterfold.poker.table_source")
        if tables.is_table(described):
            at_table: Game = tables.table(described, where=text)
            return at_table
        return NormalForm.from_file(text)
    if text.startswith("mapped("):
        return _mapped(parse_spec(text), code)
    python = _PYTHON.fullmatch(text)
    if python:
        if not code:
            raise CodeError(f"{short(text)} is a game with rules in Python, which is not run here")
        return _from_python(text, python[1], python[2])
    if suffix == ".py":
        raise SpecError(f"{text!r} needs the class of the game as well: {text}:MyGame")
    return _from_table(parse_spec(text))


def load_named(spec: str, path: str | os.PathLike[str]) -> Game:
    """The game that a file says it is of: like ``load``, but never a program."""
    try:
        return load(spec, code=False)
    except CodeError:
        raise CodeError(
            f"{path} is of {short(spec)}, a game with rules in Python, and a file never decides "
            "what code runs: name the game yourself, with --game or as game=..."
        ) from None


def _from_table(spec: Spec) -> Game:
    entry = next((entry for entry in _ENTRIES if entry.name == spec.name), None)
    if entry is None:
        near = difflib.get_close_matches(
            spec.name.lower(), [entry.name for entry in _ENTRIES], n=1, cutoff=0.5
        )
        hint = f"did you mean {near[0]}? " if near else ""
        raise SpecError(
            f"there is no game {spec.name!r}; {hint}`counterfold games` lists those that exist"
        )
    if entry.name == "normal_form":
        raise SpecError("normal_form is loaded from a file; name it, such as path/to/game.txt")
    make = entry.make
    known = list(inspect.signature(make).parameters)
    given = {**entry.preset, **_named(spec, known)}
    unknown = next((key for key in given if key not in known), None)
    if unknown is not None:
        raise SpecError(
            f"{spec.name} has no parameter {unknown!r}; "
            + (f"it has {', '.join(known)}" if known else "it takes none")
        )
    return make(**given)


def _mapped(spec: Spec, code: bool) -> Game:
    """A game seen through maps, which are named in ``counterfold.abstraction.maps``."""
    given = _named(spec, ["game", "maps"])
    if set(given) != {"game", "maps"}:
        raise SpecError('mapped takes a game and maps: mapped(game="cheat:mini",maps=cards)')
    game = load(str(given["game"]), code=code)
    made: Game = importlib.import_module("counterfold.abstraction.maps").mapped(game, given["maps"])
    return made


def _named(spec: Spec, known: list[str]) -> dict[str, Parameter]:
    """All parameters by name, those given by position among them."""
    if len(spec.args) > len(known):
        raise SpecError(
            f"{spec.name} takes "
            + (f"{len(known)} parameters at most: {', '.join(known)}" if known else "no parameters")
        )
    by_place = dict(zip(known, spec.args, strict=False))
    twice = next((key for key in spec.kwargs if key in by_place), None)
    if twice is not None:
        raise SpecError(f"{spec} gives {twice} both by place and by name")
    return {**by_place, **spec.kwargs}


def class_in(path: str, rest: str) -> tuple[Spec, type]:
    """A class of a user's Python file, and the parameters written after its name."""
    module = _imported(path)
    spec = parse_spec(rest) if rest.strip() else Spec("")
    cls = getattr(module, spec.name, None) if spec.name else None
    if not isinstance(cls, type):
        own = [
            name
            for name, value in vars(module).items()
            if isinstance(value, type) and value.__module__ == module.__name__
        ]
        has = f"it has {', '.join(own)}" if own else "it has no class at all"
        what = f"has no class {spec.name!r}" if spec.name else "needs a class after its colon"
        raise SpecError(f"{path} {what}; {has}")
    return spec, cls


def _from_python(text: str, path: str, rest: str) -> Game:
    spec, cls = class_in(path, rest)
    lacking = [name for name in METHODS if not _has(cls, name)]
    if lacking:
        raise RulesError(f"{spec.name} in {path} lacks the method {lacking[0]}(), which a game has")
    try:
        game = cls(*spec.args, **spec.kwargs)
    except CounterfoldError:
        raise
    except Exception as error:
        raise ParameterError(f"{text} cannot be made: {_told(error)}") from error
    _put(game, "spec", text)
    if not hasattr(game, "players"):
        _put(game, "players", Game.players)
    made: Game = game
    return made


def _has(cls: type, name: str) -> bool:
    """Whether a class has a method of its own; a game without chance may leave that one out."""
    found = getattr(cls, name, None)
    if not callable(found):
        return False
    return name == "chance" or found is not getattr(Game, name)


def _put(game: object, name: str, value: object) -> None:
    try:
        object.__setattr__(game, name, value)  # frozen dataclasses refuse anything else
    except (AttributeError, TypeError):
        raise RulesError(
            f"{type(game).__name__} does not let its {name!r} be set; leave out __slots__ or the "
            "property of that name"
        ) from None


def _imported(path: str) -> ModuleType:
    file = Path(path)
    if not file.is_file():
        raise FileError(f"{path}: there is no such file")
    name = f"counterfold_user_{re.sub(r'[^0-9A-Za-z_]', '_', file.stem)}"
    found = importlib.util.spec_from_file_location(name, file)
    if found is None or found.loader is None:
        raise FileError(f"{path}: cannot be imported")
    module = importlib.util.module_from_spec(found)
    before = sys.modules.get(name)
    sys.modules[name] = module
    folder = str(file.resolve().parent)
    sys.path.insert(0, folder)
    try:
        found.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        sys.modules.pop(name)
        if before is not None:
            sys.modules[name] = before
        raise FileError(
            f"{path}{_place(error, file)}: importing it failed, {_told(error)}"
        ) from error
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
    return module


def _place(error: BaseException, file: Path) -> str:
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}" if error.lineno else ""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.lineno and Path(frame.filename).resolve() == file.resolve()
    ]
    return f", line {lines[-1]}" if lines else ""


def _told(error: BaseException) -> str:
    """An exception of somebody else's code, on one line."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg}"
    return reason(error)
