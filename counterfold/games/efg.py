"""Gambit's extensive-form files (``.efg``) as games.

The format, as Gambit's manual describes it: a prologue (``EFG 2 R``, a title, the players, an
optional comment) and then the nodes of the tree in prefix order. Infosets, chance events and
outcomes carry numbers; what they are is told at their first appearance and may be left out
afterwards. Payoffs of all outcomes along a path add up.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from counterfold.errors import FileError, ParameterError, cut, short, visible
from counterfold.files.text import read_bytes
from counterfold.games.base import CHANCE, TERMINAL, Game

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<text>"[^"\\]*(?:\\"?[^"\\]*)*")
      | (?P<mark>[{},])
      | (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?
            (?:/(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)?(?![\w.]))
      | (?P<word>[^\s{},"]+)
      | (?P<open>")
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)

_ROUNDING = 1e-5
"""How far chance's printed decimals (0.333333 three times) may miss one; they are then rescaled."""


@dataclass
class _Tree:
    """A parsed file: one entry a node in every list, in the order of the file."""

    title: str = ""
    names: list[str] = field(default_factory=list)
    turn: list[int] = field(default_factory=list)
    infoset: list[int] = field(default_factory=list)
    """The number that the file gives to the infoset or chance event; 0 at terminals."""
    children: list[list[int]] = field(default_factory=list)
    payoff: list[tuple[float, ...]] = field(default_factory=list)
    """The sum of all outcomes from the root to this node."""
    actions: dict[tuple[int, int], tuple[str, ...]] = field(default_factory=dict)
    odds: dict[int, tuple[float, ...]] = field(default_factory=dict)
    labels: dict[tuple[int, int], str] = field(default_factory=dict)


class EfgGame(Game):
    """A game from a Gambit file; a state is the number of a node, counted from 0.

    An infoset is observed under its name where that name is the player's only one,
    else as ``infoset N``. Actions without a label are called by their position, from 1.

    >>> game = EfgGame.parse('''EFG 2 R "Pennies" { "Even" "Odd" }
    ... p "" 1 1 "hide" { "heads" "tails" } 0
    ...   p "" 2 1 "guess" { "heads" "tails" } 0
    ...     t "" 1 "same" { 1, -1 }
    ...     t "" 2 "different" { -1, 1 }
    ...   p "" 2 1 0
    ...     t "" 2
    ...     t "" 1''')
    >>> game.observe(game.next(game.root(), "tails"), 1)
    'guess'
    >>> game.payoff(game.next(game.next(game.root(), "tails"), "heads"))
    (-1.0, 1.0)
    """

    def __init__(self, tree: _Tree, spec: str = "") -> None:
        if not isinstance(tree, _Tree):
            raise ParameterError(
                f'a game of Gambit\'s is read with cf.load("game.efg"), and not from {short(tree)}'
            )
        self._tree = tree
        self.spec = spec or "efg"
        self.title = tree.title
        self.player_names = tuple(tree.names)
        self.players = len(tree.names)
        self._observed = _observations(tree)
        self._actions = {key: _distinct(given) for key, given in tree.actions.items()}
        self._position = {
            key: {name: i for i, name in enumerate(names)} for key, names in self._actions.items()
        }

    @classmethod
    def from_file(cls, path: str | Path) -> EfgGame:
        """Read a file; whatever is wrong with it is a ``FileError`` with the line.

        >>> EfgGame.from_file("none.efg")
        Traceback (most recent call last):
        counterfold.errors.FileError: none.efg cannot be read as a game: no such file or directory
        """
        data = read_bytes(path, "a game", most=2**30)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")  # files of the nineties
        return cls.parse(text, str(path))

    @classmethod
    def parse(cls, text: str, name: str = "") -> EfgGame:
        """Read a game from a text in the format; ``name`` is what errors call it.

        >>> EfgGame.parse('EFG 2 R "Nothing" { "A" "B" } t "" 0').payoff(0)
        (0.0, 0.0)
        """
        return cls(_Parser(text, name or "the .efg text").tree(), name)

    def root(self) -> int:
        return 0

    def turn(self, state: int) -> int:
        return self._tree.turn[state]

    def chance(self, state: int) -> Sequence[tuple[str, float]]:
        """Outcomes of a chance node with their probabilities; impossible ones are left out."""
        number = self._tree.infoset[state]
        pairs = zip(self._actions[CHANCE, number], self._tree.odds[number], strict=True)
        return [(action, p) for action, p in pairs if p > 0]

    def actions(self, state: int) -> Sequence[str]:
        """The actions of the node's infoset, in the order of the file."""
        return self._actions[self._tree.turn[state], self._tree.infoset[state]]

    def next(self, state: int, action: Hashable) -> int:
        tree = self._tree
        position = self._position[tree.turn[state], tree.infoset[state]]
        return tree.children[state][position[action]]  # type: ignore[index]

    def observe(self, state: int, player: int) -> str | None:
        """The infoset of the player who moves; of others the format tells nothing (None)."""
        if self._tree.turn[state] != player:
            return None
        return self._observed[player, self._tree.infoset[state]]

    def payoff(self, state: int) -> Sequence[float]:
        """The sum of the outcomes on the way to this terminal node, one number a player."""
        return self._tree.payoff[state]


def _observations(tree: _Tree) -> dict[tuple[int, int], str]:
    keys = [key for key in tree.actions if key[0] != CHANCE]
    uses = Counter((player, tree.labels[player, number]) for player, number in keys)
    fallbacks = {(player, f"infoset {number}") for player, number in keys}
    observed = {}
    for player, number in keys:
        name, fallback = tree.labels[player, number], f"infoset {number}"
        own = name and uses[player, name] == 1 and (player, name) not in fallbacks
        observed[player, number] = name if own else fallback
    return observed


def _distinct(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels that name each action once: an empty one becomes its position, a twin adds it.

    >>> _distinct(["bet", "", "bet"])
    ('bet #1', '2', 'bet #3')
    """
    names = [name or str(i) for i, name in enumerate(labels, 1)]
    while len(set(names)) < len(names):
        uses = Counter(names)
        names = [n if uses[n] == 1 else f"{n} #{i}" for i, n in enumerate(names, 1)]
    return tuple(names)


class _Token(NamedTuple):
    kind: str
    value: str
    at: int

    def __str__(self) -> str:
        if self.kind == "end":
            return "the end of the file"
        shown = cut(visible(self.value), 24)
        return shown if self.kind == "text" else f"'{shown}'"


class _Parser:
    """One pass over the tokens with one token of foresight; open nodes wait on a list."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._at = 0
        self._outcomes: dict[int, tuple[float, ...]] = {}
        self._made = _Tree()
        self._ahead = self._read()

    def tree(self) -> _Tree:
        """The whole file as a tree."""
        made = self._made
        self._prologue()
        made.names = self._names("the list of players")
        if not made.names:
            raise self._error("at least one player", self._ahead)
        if self._ahead.kind == "text":
            self._take()  # the optional comment
        waiting = self._node(())
        open_nodes = [(0, waiting)] if waiting else []
        while open_nodes:
            parent, missing = open_nodes.pop()
            if missing > 1:
                open_nodes.append((parent, missing - 1))
            node = len(made.turn)
            if self._ahead.kind == "end":
                short = sum(count for _, count in open_nodes) + 1
                raise self._error(f"{short} more node{'s' * (short > 1)} of the tree", self._ahead)
            made.children[parent].append(node)
            waiting = self._node(made.payoff[parent])
            if waiting:
                open_nodes.append((node, waiting))
        if self._ahead.kind != "end":
            raise self._error("nothing more after the last node of the tree", self._ahead)
        return made

    def _prologue(self) -> None:
        for expected, meaning in (("EFG", "'EFG' at the start"), ("2", "format version 2")):
            token = self._take()
            if token.value != expected:
                raise self._error(meaning, token)
        token = self._take()
        if token.value not in ("R", "D"):
            raise self._error("'R' or 'D' after the version", token)
        self._made.title = self._label("the title in quotes")

    def _node(self, before: tuple[float, ...]) -> int:
        """Read one node below payoffs ``before``; the number of children it waits for."""
        made = self._made
        token = self._take()
        if token.kind != "word" or token.value not in ("c", "p", "t"):
            raise self._error("a node that starts with c, p or t", token)
        self._label("the node's name in quotes")
        turn, number, arity = TERMINAL, 0, 0
        if token.value == "p":
            turn = self._integer("the player's number", 1, len(made.names)) - 1
            number = self._integer("the infoset's number", 1)
            arity = self._moves(turn, number, "infoset")
        elif token.value == "c":
            turn = CHANCE
            number = self._integer("the chance event's number", 1)
            arity = self._moves(turn, number, "chance event")
        here = self._outcome()
        made.turn.append(turn)
        made.infoset.append(number)
        made.children.append([])
        made.payoff.append(
            tuple(a + b for a, b in zip(before, here, strict=True)) if before else here
        )
        return arity

    def _moves(self, turn: int, number: int, what: str) -> int:
        """The optional description of an infoset or event; the number of its actions."""
        made, key, at = self._made, (turn, number), self._ahead
        label = self._take().value if self._ahead.kind == "text" else '""'
        if self._ahead.value != "{":
            if key not in made.actions:
                raise self._error(f"the actions of {what} {number}, not told so far", self._ahead)
            return len(made.actions[key])
        names, odds = self._gamble(at) if turn == CHANCE else (self._names("the actions"), None)
        if not names:
            raise self._error(f"at least one action of {what} {number}", at)
        if key not in made.actions:
            made.actions[key] = tuple(names)
            made.labels[key] = _unquoted(label)
            if odds is not None:
                made.odds[number] = odds
        elif made.actions[key] != tuple(names) or (odds and made.odds[number] != odds):
            raise self._error(f"the same actions as before in {what} {number}", at, "others")
        return len(names)

    def _gamble(self, at: _Token) -> tuple[list[str], tuple[float, ...]]:
        names, odds = [], []
        self._mark("{", "the list of chance actions")
        while self._ahead.value != "}":
            names.append(self._label("a chance action in quotes or '}'"))
            token = self._ahead
            odds.append(self._number("its probability"))
            if not 0 <= odds[-1] <= 1:
                raise self._error("a probability between 0 and 1", token)
            self._comma()
        self._take()
        total = math.fsum(odds)
        if names and abs(total - 1) > _ROUNDING:
            raise self._error("probabilities that sum to one", at, f"a sum of {total:.9g}")
        if abs(total - 1) > 1e-12:
            odds = [p / total for p in odds]
        return names, tuple(odds)

    def _outcome(self) -> tuple[float, ...]:
        players, at = len(self._made.names), self._ahead
        number = self._integer("the outcome's number", 0)
        told = self._ahead.kind == "text" or self._ahead.value == "{"
        if number == 0:
            if told:
                raise self._error("no name and no payoffs for outcome 0", self._ahead)
            return (0.0,) * players
        if self._ahead.kind == "text":
            self._take()
        if self._ahead.value != "{":
            if number not in self._outcomes:
                raise self._error(f"the payoffs of outcome {number}, not told so far", self._ahead)
            return self._outcomes[number]
        payoffs = []
        self._mark("{", "the list of payoffs")
        while self._ahead.value != "}":
            payoffs.append(self._number("a payoff or '}'"))
            self._comma()
        self._take()
        if len(payoffs) != players:
            raise self._error(f"{players} payoffs in outcome {number}", at, str(len(payoffs)))
        if self._outcomes.setdefault(number, tuple(payoffs)) != tuple(payoffs):
            raise self._error(f"the same payoffs as before in outcome {number}", at, "others")
        return tuple(payoffs)

    def _names(self, what: str) -> list[str]:
        names = []
        self._mark("{", what)
        while self._ahead.value != "}":
            names.append(self._label("a name in quotes or '}'"))
            self._comma()
        self._take()
        return names

    def _label(self, what: str) -> str:
        token = self._take()
        if token.kind != "text":
            raise self._error(what, token)
        return _unquoted(token.value)

    def _integer(self, what: str, low: int, high: int | None = None) -> int:
        token = self._take()
        value = int(token.value) if re.fullmatch(r"\d{1,18}", token.value, re.ASCII) else -1
        if value < low or (high is not None and value > high):
            bounds = f"from {low}" if high is None else f"from {low} to {high}"
            raise self._error(f"{what}, a whole number {bounds}", token)
        return value

    def _number(self, what: str) -> float:
        token = self._take()
        if token.kind != "number":
            raise self._error(what, token)
        above, _, below = token.value.partition("/")
        try:
            value = float(above) / float(below) if below else float(above)
        except ZeroDivisionError:
            value = math.inf
        if not math.isfinite(value):
            raise self._error("a finite number", token)
        return value

    def _mark(self, mark: str, what: str) -> None:
        token = self._take()
        if token.value != mark:
            raise self._error(f"'{mark}' to open {what}", token)

    def _comma(self) -> None:
        if self._ahead.value == ",":
            self._take()

    def _take(self) -> _Token:
        token = self._ahead
        if token.kind != "end":
            self._ahead = self._read()
        return token

    def _read(self) -> _Token:
        match = _TOKEN.match(self._text, self._at)
        assert match is not None
        assert match.lastgroup is not None
        self._at = match.end()
        kind, value = match.lastgroup, match[match.lastgroup]
        token = _Token(kind, value, match.start(kind))
        if kind == "open":
            raise self._error("a closing quotation mark", token, "none up to the end of the file")
        return token

    def _error(self, expected: str, token: _Token, found: str = "") -> FileError:
        line = self._text.count("\n", 0, token.at) + 1
        return FileError(
            f"{self._name}, line {line}: expected {expected}, but found {found or token}."
        )


def _unquoted(text: str) -> str:
    return text[1:-1].replace('\\"', '"')
