"""A verb's request is declared once: a frozen dataclass whose fields are the options.

A field has its type and what ``--help`` tells of it: an alias of ``options`` where several verbs
have the option, else ``option``, ``number`` or ``flag``. The docstring is the help of the verb.
``verb`` registers it on the application, and the work, ``run(request)`` in the module of
``counterfold.cli`` with the verb's name, is imported when somebody asks for it:

    @verb(epilog="Keys of --json: game, seed.")
    @dataclass(frozen=True)
    class DealRequest(Answered):
        '''Deal a hand.'''

        game: options.Game
        cards: int | None = number("N", "How many cards to deal. [2]")
        open: bool = flag("With all cards shown.")
        seed: options.Seed = 0

A verb that is registered elsewhere, as those of papers are, is ``command_of(DealRequest, run)``: a
function with these options, for typer. Nothing heavier than typer is imported here.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, dataclass, fields
from importlib import import_module
from inspect import Parameter, Signature
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar

from typer.models import ArgumentInfo

from counterfold.cli import options
from counterfold.cli.app import app
from counterfold.cli.options import OPTION
from counterfold.cli.output import check_can_write, check_not_foreign
from counterfold.errors import ParameterError

R = TypeVar("R")
Options = dict[str, Any]
"""What was given for some options, by their names; settings are made of it."""


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What all requests end with that tell what they found, on the way and at the end."""

    json: options.Json = False
    quiet: options.Quiet = False


@dataclass(frozen=True, kw_only=True)
class InPieces(Answered):
    """Requests of work that a cluster may do, and a library may have done."""

    cluster: options.Cluster = None
    library: options.Library = None


@dataclass(frozen=True, kw_only=True)
class Limited(Answered):
    """Requests of runs that end at a limit."""

    iterations: options.Iterations = None
    exploitability: options.Exploitability = None
    seconds: options.Seconds = None


@dataclass(frozen=True, kw_only=True)
class Kept(Answered):
    """Requests of runs that are saved, and gone on with."""

    save: options.Save = None
    resume: options.Resume = None

    @property
    def target(self) -> str | None:
        """Where the result goes: a resumed run goes back to its file."""
        return self.save or self.resume


def verb(epilog: str | None = None, module: str | None = None) -> Callable[[type[R]], type[R]]:
    """Register a request as the verb of its name; its work is in ``counterfold.cli`` by default."""

    def register(kind: type[R]) -> type[R]:
        name = kind.__name__.removesuffix("Request").lower()
        work = module or f"counterfold.cli.{name}"
        app.command(name, epilog=epilog)(command_of(kind, work))
        return kind

    return register


def command_of(kind: type[R], work: str | Callable[[R], object]) -> Callable[..., None]:
    """A function for typer that makes a request of what was given, and does it.

    The work is a function, or ``run`` of the module that is named.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class DealRequest:
    ...     '''Deal a hand.'''
    ...     game: str
    ...     prefer: tuple[str, ...] = ()
    >>> deal = command_of(DealRequest, print)
    >>> deal(game="kuhn", prefer=["bet=2"])
    DealRequest(game='kuhn', prefer=('bet=2',))
    >>> deal.__doc__, str(deal.__signature__.parameters["prefer"])
    ('Deal a hand.', 'prefer: list[str] | None = None')
    """
    hints = typing.get_type_hints(kind, include_extras=True)
    parameters = []
    own = fields(kind)  # type: ignore[arg-type]
    for field in sorted(own, key=lambda field: field.kw_only is True):  # what many share comes last
        default = Parameter.empty if field.default is MISSING else field.default
        parameters.append(
            Parameter(
                field.name,
                Parameter.KEYWORD_ONLY,
                default=None if default == () else default,
                annotation=_for_typer(hints[field.name], field),
            )
        )

    def command(**values: object) -> None:
        given = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
            if value is not None
        }
        run = import_module(work).run if isinstance(work, str) else work
        run(kind(**given))

    command.__doc__, command.__module__ = kind.__doc__, kind.__module__
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return command


def _for_typer(hint: object, field: Field[object] | None = None) -> object:
    """The type of a field as typer knows it: many are a list, and what a parser makes a text."""
    if field is not None and OPTION in field.metadata:
        option = field.metadata[OPTION]
        if hint is bool and not option.param_decls:  # without a --no- beside it
            option.param_decls = (f"--{field.name.replace('_', '-')}",)
        return Annotated[(_for_typer(hint), option)]
    if typing.get_origin(hint) is Annotated:
        plain, *rest = typing.get_args(hint)
        return Annotated[(_for_typer(plain), *rest)]
    if typing.get_origin(hint) is tuple:
        return list[typing.get_args(hint)[0]] | None  # type: ignore[misc]
    if isinstance(hint, UnionType) and len({*typing.get_args(hint)} - {NoneType}) > 1:
        return str | None
    return hint


def options_given(request: object, names: Iterable[str]) -> Options:
    """Those options of a request that somebody has given."""
    values = {name: getattr(request, name) for name in names}
    return {name: value for name, value in values.items() if value not in (None, ())}


def words_of(request: object) -> list[str]:
    """The command line of a request: its verb, its arguments, the options that are not as usual.

    >>> from counterfold.cli.verbs.abstracting import BucketsRequest
    >>> words_of(BucketsRequest("holdem", save="all.cf", buckets="50", json=True))
    ['counterfold', 'buckets', 'holdem', '--save', 'all.cf', '--buckets', '50', '--json']
    """
    words = ["counterfold", type(request).__name__.removesuffix("Request").lower()]
    for item in sorted(fields(request), key=lambda item: item.kw_only is True):  # type: ignore[arg-type]
        value, named = getattr(request, item.name), f"--{item.name.replace('_', '-')}"
        if isinstance(item.metadata.get(OPTION), ArgumentInfo):
            words.append(str(value))
        elif value is True:
            words.append(named)
        elif value != item.default:
            for one in value if isinstance(value, tuple) else (value,):
                words += [named, f"{one:g}" if isinstance(one, float) else str(one)]
    return words


def check_files(request: object, *apart: str) -> None:
    """Refuse files that could not be written, before any work is done for them.

    Strategies (``save``, ``save_model``, ``strategy``), pictures (``plot``, ``png``), ``csv``,
    ``html`` and ``record`` are fields of many requests; ``resume`` goes back to its file where
    nothing else is named. Those that are named ``apart`` are left out.
    """
    names = {"resume", *_STRATEGIES, *_PICTURES, *_TEXTS}.difference(apart)
    paths = {name: getattr(request, name, None) for name in sorted(names)}
    if paths.get("save"):
        paths.pop("resume", None)
    if paths["csv"] == "-":
        if getattr(request, "json", False):
            raise ParameterError("--csv - and --json both want standard output; give CSV a file")
        del paths["csv"]
    for name, path in paths.items():
        if path:
            check_can_write(path, f"--{name.replace('_', '-')}")
            if name in _STRATEGIES:
                check_not_foreign(path)
            elif name in _PICTURES:
                from counterfold.plot import check_plot

                check_plot(path)


_STRATEGIES, _PICTURES = ("save", "save_model", "strategy"), ("plot", "png")
_TEXTS = ("csv", "html", "record")
