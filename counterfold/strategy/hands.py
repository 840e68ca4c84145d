"""Strategies for all hands of a public tree: two tables, a row for each action on each board."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import ClassVar

import numpy as np

from counterfold.arrays import Array, Arrays, Floats
from counterfold.errors import (
    CounterfoldError,
    FileError,
    MismatchError,
    ParameterError,
    short,
)
from counterfold.files.arrays import Saved
from counterfold.files.text import Fields
from counterfold.games.catalog import load_named
from counterfold.poker.cards import NO_CARD, board_name, cards_name, parse_cards
from counterfold.poker.game import DECISION, CardRules, PokerGame
from counterfold.poker.holdem import POKER_GAMES
from counterfold.poker.spot import spot
from counterfold.poker.table import Holdem
from counterfold.strategy.layout import FormLayout, Row, Tables, fits, lays_out
from counterfold.tree.boards import renamed_holes
from counterfold.tree.find import find_boards, find_place
from counterfold.tree.public import PublicTree


@dataclass(frozen=True, eq=False)
class HandTables:
    """What every hand does at every node of a public tree.

    ``tables[p]`` holds weights of actions, in proportion to which they are played, evenly where
    all are zero: a row for each action of each of player p's nodes on each board (``tree.row``)
    and a column for each of its hands there (``tree.hands``).
    """

    tree: PublicTree
    tables: Tables

    def rows(self, node: int, board: int = 0) -> Floats:
        """[actions, hands] what the owner's hands do at a betting node on a board of the tree."""
        n = int(self.tree.nodes.new[node])
        owner = int(self.tree.nodes.owner[n])
        count = len(self.tree.hands[owner][board].holes)
        weights = self.tables[owner][self.tree.row(board, node), :count].astype(np.float64)
        weights = np.maximum(weights, 0.0)
        total = weights.sum(0)
        return np.where(total > 0, weights / np.where(total > 0, total, 1.0), 1.0 / len(weights))

    def at(self, node: int, board: int = 0) -> Floats:
        """[actions, holes] the same by the numbers of holes; NaN for those that are not there."""
        owner = int(self.tree.nodes.owner[int(self.tree.nodes.new[node])])
        hands = self.tree.hands[owner][board]
        rows = self.rows(node, board)
        shares = np.full((len(rows), self.tree.game.rules.holes), np.nan)
        shares[:, hands.pairs] = rows[:, hands.of]
        return shares

    def put(self, node: int, board: int, probabilities: Array) -> None:
        """Write what is played at a node of a table that may be written: [actions, holes]."""
        owner = int(self.tree.nodes.owner[int(self.tree.nodes.new[node])])
        holes = self.tree.hands[owner][board].holes
        self.tables[owner][self.tree.row(board, node), : len(holes)] = probabilities[:, holes]

    def decisions(self, board: int = 0) -> list[int]:
        """The betting nodes at which somebody decides on a board."""
        nodes, street = self.tree.nodes, self.tree.boards[board].street
        begin, stop = nodes.begin[street], nodes.begin[street + 1]
        return [int(nodes.old[n]) for n in range(begin, stop) if nodes.kind[n] == DECISION]


class HandLayout(FormLayout[PublicTree]):
    """Weights of actions for all hands of a public tree; see ``HandTables``."""

    name: ClassVar[str] = "public"
    before: ClassVar[str] = "poker"  # what files of this form were called once

    @property
    def size(self) -> str:
        many = len(self.form.boards)
        return f"{many:,} board{'s' if many > 1 else ''}"

    def shape(self, player: int) -> tuple[int, int]:
        """The shape of a player's table."""
        return max(self.form.rows(player), 1), self.form.columns(player)

    def check(self, tables: Sequence[Array]) -> Tables:
        for p, table in enumerate(tables):
            if table.shape != self.shape(p):
                raise MismatchError(
                    f"the strategy's tables do not fit {self.form.game.name}: "
                    f"{table.shape} where {self.shape(p)} is expected"
                )
        return tuple(tables)

    def even(self) -> Tables:
        return np.zeros(self.shape(0), np.float32), np.zeros(self.shape(1), np.float32)

    def random(self, random: np.random.Generator) -> Tables:
        one, two = (random.exponential(size=self.shape(p)) for p in (0, 1))
        return one, two

    def combine(self, profile: Sequence[Tables]) -> Tables:
        tables = [profile[p % len(profile)][p] for p in (0, 1)]
        if tables[0].dtype != tables[1].dtype:  # kernels take one kind; 16 bits fit in 32
            kinds = [table.dtype if table.dtype.kind == "f" else np.float32 for table in tables]
            tables = [table.astype(np.result_type(*kinds), copy=False) for table in tables]
        return tables[0], tables[1]

    def weighed(self, tables: Tables, weigh: Callable[[str], float]) -> Tables:
        given, betting = HandTables(self.form, tables), self.form.game.betting
        made = [np.zeros(self.shape(p), np.float32) for p in (0, 1)]
        for number in range(len(self.form.boards)):
            for node in given.decisions(number):
                factors = np.array([weigh(betting.label[k]) for k in betting.children(node)])
                rows = given.rows(node, number) * factors[:, None]
                into = made[int(betting.player[node])][self.form.row(number, node)]
                into[:, : rows.shape[1]] = rows
        return made[0], made[1]

    def at(self, tables: Tables, seen: tuple[object, ...], player: int | None) -> dict[str, float]:
        """Of a hand after a line ("AhKd", "check, bet 66, call, [7h]"); a board may stand between.

        Cards are in the suits of whoever asks.
        """
        if len(seen) not in (1, 2, 3):
            raise ParameterError(
                f"a place of {self.spec} is a hand and a line, such as "
                f"'{self._example()}', 'check, [7h]'"
            )
        hand, line = parse_cards(str(seen[0])), str(seen[-1]) if len(seen) > 1 else ""
        tree, rules = self.form, self.form.game.rules
        place = find_place(tree, line)
        if len(seen) == 3 and set(parse_cards(str(seen[1]))) != set(place.cards):
            raise ParameterError(f"the board after {line or 'nothing'!r} is not {seen[1]}")
        betting = tree.game.betting
        owner = int(betting.player[place.node])
        if betting.kind[place.node] != DECISION or player not in (None, owner):
            who = "nobody decides" if player is None else f"player {player + 1} does not decide"
            raise ParameterError(f"{who} after {line or 'nothing'!r} in {self.spec}")
        boards, names = find_boards(tree, place.cards)
        hole = _hole(rules, hand)
        there = tree.hands[owner][boards[-1]]
        turned = int(renamed_holes(rules, np.array([hole]), names)[0]) if hole >= 0 else -1
        column = np.flatnonzero(there.pairs == turned)
        if not len(column):
            raise ParameterError(f"{tree.game.players[owner]} never holds {seen[0]} there")
        shares = HandTables(tree, tables).rows(place.node, boards[-1])[:, int(there.of[column[0]])]
        labels = betting.actions(place.node)
        return dict(zip(labels, shares.tolist(), strict=True))

    def _example(self) -> str:
        return "AhKd" if self.form.game.rules.hole == 2 else "Ah"

    def rows(self, tables: Tables, pattern: str | None, player: int | None) -> Iterator[Row]:
        """Hand, board and line of each decision, board by board of the tree, in its suits."""
        tree, hands = self.form, HandTables(self.form, tables)
        betting, cards = tree.game.betting, tree.game.rules.cards
        for number, board in enumerate(tree.boards):
            for node in hands.decisions(number):
                owner = int(betting.player[node])
                if player not in (None, owner):
                    continue
                labels = betting.actions(node)
                shares = hands.rows(node, number)
                for column, hole in enumerate(tree.hands[owner][number].holes):
                    held = cards_name(int(card) for card in cards[hole] if card != NO_CARD)
                    words = (held, board_name(board.cards), *betting.line(node))
                    name = " ".join(word for word in words if word)
                    if pattern is None or fits(name, pattern):
                        chosen = shares[:, column].tolist()
                        yield Row(owner, name, dict(zip(labels, chosen, strict=True)))

    def header(self) -> dict[str, str]:
        return {"form": self.name, "rules": json.dumps(source_of(self.form.game)),
                "symmetry": json.dumps(self.form.symmetry)}  # fmt: skip

    def arrays(self, tables: Tables) -> Arrays:
        return {"total.0": tables[0], "total.1": tables[1]}

    @classmethod
    def read(cls, saved: Saved, tree: PublicTree | None) -> tuple[HandLayout, Tables]:
        """The layout and the tables of a file."""
        if tree is None:
            game = saved_game(saved)
            tree = PublicTree(game, symmetry=saved.choice("symmetry", ("true", "false")) == "true")
        if saved.text("fingerprint") != tree.fingerprint:
            raise MismatchError(f"{saved.path} is a strategy of another game than {tree.spec}")
        layout = cls(tree)
        return layout, layout.tables_in(saved)

    def tables_in(self, saved: Saved) -> Tables:
        """The tables of a file, which ``arrays`` has named."""
        tables = []
        for p in (0, 1):
            dtype = saved.dtype(f"total.{p}", (np.float32, np.float64, np.uint16))
            tables.append(saved.array(f"total.{p}", dtype, self.shape(p), least=0))
        return tables[0], tables[1]


lays_out(PublicTree, HandLayout)


def _hole(rules: CardRules, hand: Sequence[int]) -> int:
    """The number of a hand by its cards; -1 if there is none."""
    wanted = sorted(hand)
    if len(wanted) != rules.hole:
        return -1
    cards = np.sort(rules.cards.astype(np.int64)[:, : rules.hole], 1)
    places = np.flatnonzero((cards == np.array(wanted)).all(1))
    return int(places[0]) if len(places) else -1


def source_of(game: PokerGame) -> dict[str, object]:
    """What a file says of a poker game, for ``game_of`` to make it again."""
    source: dict[str, object] = {
        key: game.about[key] for key in ("spot", "game", "parameters", "table") if key in game.about
    }
    if not ({"spot", "game", "table"} & set(source)):
        raise ParameterError(f"{game.name} was made by hand, so no file can say which game it is")
    return source


def saved_game(saved: Saved) -> PokerGame:
    """The poker game that a file was made for."""
    try:
        return game_of(saved.fields("rules"), saved.text("game"))
    except FileError:
        raise
    except CounterfoldError as error:
        raise saved.damaged(error) from None


def game_of(rules: Fields, name: str) -> PokerGame:
    """The game that a file or a name tells of: a spot, a table, or one of ``POKER_GAMES``."""
    if "spot" in rules:
        return spot(rules.object("spot").value, name=name, saved=True)
    if "table" in rules:
        table = load_named(rules.text("table"), rules.where)
        if not isinstance(table, Holdem):
            raise FileError(f"{rules.where}: {short(rules.raw('table'))} is no table of hold'em")
        return table.poker
    make = POKER_GAMES.get(rules.text("game"))
    if make is None:
        raise FileError(f"{rules.where}: there is no poker game {short(rules.raw('game'))}")
    given = dict(rules.object("parameters", {}).value)
    try:
        signature(make).bind(**given)
    except TypeError:
        raise FileError(f"{rules.where}: the parameters {short(given)} do not fit") from None
    return make(**given)
