"""Normal-form games: a table of payoffs, from memory or from a small file."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import ClassVar, SupportsFloat, SupportsIndex, TypeAlias

from counterfold.errors import FileError, ParameterError, short
from counterfold.files.text import number_of, parse_json, read_text
from counterfold.games.base import TERMINAL, Action, Game
from counterfold.notebook import brief

Choices = tuple[int, ...]
Table: TypeAlias = "float | tuple[Table, ...]"
"""Numbers by the choices of all players, nested."""


@dataclass(frozen=True)
class NormalForm(Game):
    """Players choose one after the other without seeing what the others chose.

    ``payoffs`` is one table for each player, ``payoffs[player][a1]...[an]``, as nested
    sequences or an array; a single matrix means two players, zero-sum, and holds what the row
    player wins. ``actions`` are names for each player, by default 1, 2, 3, ...

    >>> game = NormalForm([[0, -1], [-1, 2]], actions=[["left", "right"], ["up", "down"]])
    >>> state = game.next(game.next(game.root(), "right"), "down")
    >>> game.payoff(state), game.payoffs[1]
    ((2.0, -2.0), ((0.0, 1.0), (1.0, -2.0)))
    >>> NormalForm([[[1, 0], [0, 1]], [[2, 0], [0, 2]]]).actions_of(1)
    ('1', '2')
    """

    name: ClassVar[str] = "normal_form"
    payoffs: tuple[Table, ...]
    names: tuple[tuple[str, ...], ...]
    spec: str = field(compare=False)
    players: int = field(repr=False, compare=False)

    def __repr__(self) -> str:
        return brief(self, f"of {' x '.join(str(len(names)) for names in self.names)} actions")

    def __init__(self, payoffs: object, actions: Sequence[Sequence[str]] | None = None) -> None:
        tables, shape = _tables(payoffs)
        told = object.__setattr__  # the way in to a frozen dataclass
        told(self, "payoffs", tables)
        told(self, "players", len(shape))
        told(self, "names", _names(actions, shape))
        told(self, "spec", f"normal_form({'x'.join(map(str, shape))})")

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> NormalForm:
        """Read a ``.json`` file, or else a text file.

        JSON holds ``{"payoffs": [table of player 1, table of player 2, ...]}`` or
        ``{"matrix": rows}`` for two players, zero-sum; ``"actions"`` may name the actions of
        each player. A number may be written as text, ``"1/3"``.

        Text is for two players: a line with the names of the columns, then a line for each row,
        its name first. A cell is ``a,b``, or one number where the game is zero-sum; a ``#``
        begins a comment.

        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "chicken.txt")
        ...     _ = path.write_text("       swerve  go\\nswerve  0,0  -1,1\\ngo  1,-1  -9,-9\\n")
        ...     game = NormalForm.from_file(path)
        >>> game.actions_of(0), game.payoff((1, 0))
        (('swerve', 'go'), (1.0, -1.0))
        """
        path = Path(path)
        text = read_text(path, "a table of payoffs")
        is_json = path.suffix.lower() == ".json"
        game = _from_json(path, text) if is_json else _from_text(path, text)
        object.__setattr__(game, "spec", str(path))
        return game

    def actions_of(self, player: int) -> tuple[str, ...]:
        """The names of a player's actions.

        >>> matching_pennies().actions_of(0)
        ('heads', 'tails')
        """
        return self.names[player]

    @cached_property
    def _numbers(self) -> tuple[dict[Action, int], ...]:
        return tuple({name: i for i, name in enumerate(names)} for names in self.names)

    @cached_property
    def _cells(self) -> dict[Choices, tuple[float, ...]]:
        choices = product(*(range(len(names)) for names in self.names))
        return {cell: tuple(_at(table, cell) for table in self.payoffs) for cell in choices}

    def root(self) -> Choices:
        return ()

    def turn(self, state: Choices) -> int:
        return len(state) if len(state) < self.players else TERMINAL

    def actions(self, state: Choices) -> tuple[str, ...]:
        return self.names[len(state)]

    def next(self, state: Choices, action: Action) -> Choices:
        return (*state, self._numbers[len(state)][action])

    def observe(self, state: Choices, player: int) -> tuple[str, ...]:
        return () if len(state) <= player else (self.names[player][state[player]],)

    def shown(self, state: Choices) -> tuple[str, ...]:
        """What everybody chose, which lies open once all have chosen."""
        return tuple(names[i] for names, i in zip(self.names, state, strict=True))

    def payoff(self, state: Choices) -> tuple[float, ...]:
        return self._cells[state]


def rock_paper_scissors() -> NormalForm:
    """Rock, paper, scissors: zero-sum, value 0.

    >>> str(rock_paper_scissors())
    'rps'
    """
    matrix = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
    return _preset("rps", NormalForm(matrix, [["R", "P", "S"]] * 2))


def general_rock_paper_scissors() -> NormalForm:
    """A general-sum rock, paper, scissors, where regret matching can be followed by hand.

    >>> general_rock_paper_scissors().payoff((0, 1))
    (-1.0, 3.0)
    """
    row = [[0, -1, 1], [1, 0, -2], [-2, 3, 0]]
    column = [[0, 3, -2], [-2, 0, 1], [1, -1, 0]]
    return _preset("rps:general", NormalForm([row, column], [["R", "P", "S"]] * 2))


def matching_pennies() -> NormalForm:
    """Matching pennies: the first player wins when both show the same side.

    >>> matching_pennies().payoff((0, 0))
    (1.0, -1.0)
    """
    sides = [["heads", "tails"]] * 2
    return _preset("matching_pennies", NormalForm([[1, -1], [-1, 1]], sides))


def _preset(spec: str, game: NormalForm) -> NormalForm:
    object.__setattr__(game, "spec", spec)
    return game


def _at(table: Table, cell: Choices) -> float:
    for i in cell:
        assert isinstance(table, tuple)
        table = table[i]
    assert isinstance(table, float)
    return table


def _tables(payoffs: object) -> tuple[tuple[Table, ...], tuple[int, ...]]:
    """One nested tuple of floats for each player, and how many actions each player has."""
    tables, shape = _nested(payoffs)
    if len(shape) == 2:
        return (tables, _negative(tables)), shape
    if not isinstance(tables, tuple) or len(shape) != shape[0] + 1:
        raise ParameterError(
            "payoffs must be a matrix, or one table for each player with one dimension for each "
            f"player, not {'x'.join(map(str, shape)) or 'a number'}"
        )
    return tables, shape[1:]


def _negative(table: Table) -> Table:
    return tuple(map(_negative, table)) if isinstance(table, tuple) else 0.0 - table


def _nested(value: object) -> tuple[Table, tuple[int, ...]]:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        return _number(value), ()
    if not value:
        raise ParameterError("payoffs have an empty row; every player needs an action")
    parts = [_nested(part) for part in value]
    if any(shape != parts[0][1] for _, shape in parts):
        raise ParameterError("payoffs are ragged; rows and tables must be of equal size")
    return tuple(part for part, _ in parts), (len(parts), *parts[0][1])


def _number(value: object) -> float:
    number = number_of(value) if isinstance(value, str) else None
    if isinstance(value, SupportsFloat | SupportsIndex):
        with suppress(TypeError, ValueError, OverflowError):
            number = float(value)
    if number is None or not math.isfinite(number) or isinstance(value, bool):
        raise ParameterError(f"payoffs must be finite numbers, not {short(value)}")
    return number


def _names(actions: object, shape: tuple[int, ...]) -> tuple[tuple[str, ...], ...]:
    if actions is None:
        return tuple(tuple(str(i) for i in range(1, size + 1)) for size in shape)
    listed = actions if isinstance(actions, list | tuple) else ()
    if len(listed) != len(shape) or not all(isinstance(names, list | tuple) for names in listed):
        raise ParameterError(f"actions must be {len(shape)} lists of names, one for each player")
    for player, (names, size) in enumerate(zip(listed, shape, strict=True), 1):
        if len(names) != size:
            raise ParameterError(
                f"player {player} has {size} actions in the payoffs but {len(names)} names"
            )
        if any(not isinstance(name, str) or not name for name in names):
            raise ParameterError(f"the names of player {player}'s actions must be text")
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ParameterError(f"player {player} has two actions named {short(twice)}")
    return tuple(tuple(names) for names in listed)


def _from_json(path: Path, text: str) -> NormalForm:
    found = parse_json(text, str(path))
    content = found if isinstance(found, dict) else {}
    keys = content.keys()
    if not keys.isdisjoint({"oop", "ip", "pot", "blinds"}):
        raise FileError(
            f"{path} is a poker spot: it is for solve, show, report, style, exploit, blueprint, "
            "match, tournament and play"
        )
    if ("payoffs" in keys) == ("matrix" in keys):
        raise FileError(f'{path}, line 1: a game needs either "payoffs" or "matrix"')
    strange = sorted(keys - {"payoffs", "matrix", "actions"})
    if strange:
        line = _line(text, strange[0])
        raise FileError(f"{path}, line {line}: {short(strange[0])} means nothing in a game")
    key = "payoffs" if "payoffs" in keys else "matrix"
    try:
        _, shape = _nested(content[key])
        if len(shape) == 2 and key == "payoffs":
            raise ParameterError('payoffs must be a table for each player; "matrix" is zero-sum')
        if len(shape) != 2 and key == "matrix":
            raise ParameterError("matrix must be rows of numbers")
        _tables(content[key])
    except ParameterError as error:
        raise FileError(f"{path}, line {_line(text, key)}: {error}") from None
    try:
        return NormalForm(content[key], content.get("actions"))
    except ParameterError as error:
        raise FileError(f"{path}, line {_line(text, 'actions')}: {error}") from None


def _line(text: str, key: str) -> int:
    """The line where a key stands, as near as the parser lets us tell."""
    return text.count("\n", 0, max(text.find(f'"{key}"'), 0)) + 1


def _from_text(path: Path, text: str) -> NormalForm:
    lines = list(_words(text))
    if not lines:
        raise FileError(f"{path}, line 1: the file holds no game")
    line, columns = lines[0]
    _unique(path, line, columns, "columns")
    rows: list[str] = []
    cells: list[list[list[float]]] = []
    width = 0
    for line, (row, *words) in lines[1:]:
        if len(words) != len(columns):
            raise FileError(
                f"{path}, line {line}: row {short(row)} has {len(words)} cells for "
                f"{len(columns)} columns"
            )
        rows.append(row)
        _unique(path, line, rows, "rows")
        cells.append([_cell(path, line, word) for word in words])
        for cell, word in zip(cells[-1], words, strict=True):
            width = width or len(cell)
            if len(cell) != width:
                raise FileError(
                    f"{path}, line {line}: cell {short(word)} has {len(cell)} payoffs where those "
                    f"before it have {width}"
                )
    if not rows:
        raise FileError(f"{path}, line {line}: there are columns but no rows")
    tables = [[[cell[player] for cell in row] for row in cells] for player in range(width)]
    return NormalForm(tables if width == 2 else tables[0], [rows, columns])


def _words(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            yield number, words


def _unique(path: Path, line: int, names: list[str], what: str) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise FileError(f"{path}, line {line}: two {what} are named {short(twice)}")


def _cell(path: Path, line: int, word: str) -> list[float]:
    parts = word.split(",")
    try:
        if len(parts) > 2:
            raise ParameterError("more than two payoffs")
        return [_number(part) for part in parts]
    except ParameterError:
        raise FileError(
            f"{path}, line {line}: {short(word)} is not a payoff or a pair such as 1,-2"
        ) from None
