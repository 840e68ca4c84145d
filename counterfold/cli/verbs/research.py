"""``counterfold repro`` and ``counterfold bench``: papers and measurements by their names.

Research stands above the command line, which knows the names only: what a name stands for is
imported when somebody asks for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from counterfold.cli.app import app
from counterfold.errors import ParameterError, short

_RESEARCH = "counterfold.research"
PAPERS = {
    name: f"{_RESEARCH}.{name.replace('-', '_')}.verb"
    for name in ("slides", "pref-cfr", "ocfr", "ses", "cheat", "fhp", "depth-limited")
}
_MEASUREMENTS = "methods peers kernels arena search poker poker-methods studio scale"
BENCHMARKS = dict.fromkeys(_MEASUREMENTS.split(), f"{_RESEARCH}.bench.verb")
"""Names with the modules that have them: ``VERBS`` by name, and ``KEYS`` of their JSON."""


class _Verb(TyperCommand):
    """A verb that says which options it takes where it is given another one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            option = getattr(error, "option_name", None)
            if type(error).__name__ != "NoSuchOption" or not option:
                raise
            known = ", ".join(p.opts[0] for p in self.params)
            raise ParameterError(f"{self.name} does not take {option}; it takes {known}") from None


class _Names(TyperGroup):
    """A verb by each of some names."""

    kind: ClassVar[str]
    modules: ClassVar[dict[str, str]]

    def list_commands(self, ctx: object) -> list[str]:
        return list(self.modules)

    def get_command(self, ctx: object, cmd_name: str) -> TyperCommand:
        if cmd_name not in self.modules:
            there = ", ".join(self.modules)
            raise ParameterError(f"there is no {self.kind} {short(cmd_name)}; there are {there}")
        module = import_module(self.modules[cmd_name])
        made = typer.Typer(rich_markup_mode=None, add_completion=False)
        made.command(cmd_name, cls=_Verb, epilog=module.KEYS)(module.VERBS[cmd_name])
        command = typer.main.get_command(made)
        assert isinstance(command, TyperCommand)
        return command


class _Papers(_Names):
    kind, modules = "paper", PAPERS


class _Benchmarks(_Names):
    kind, modules = "benchmark", BENCHMARKS


def _family(name: str, cls: type[_Names], text: str) -> None:
    names = typer.Typer(
        cls=cls,
        help=text,
        rich_markup_mode=None,
        subcommand_metavar=f"{cls.kind.upper()} [OPTIONS]",
    )
    app.add_typer(names, name=name)


_family("repro", _Papers, "Make a paper's figure, table or experiment again, beside its numbers.")
_family("bench", _Benchmarks, "Measure methods, other libraries, kernels, the arena, poker.")
