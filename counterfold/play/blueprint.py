"""A blueprint at a table of hold'em: what the bucket of the hand does after the line."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from counterfold.abstraction.bucket_form import BucketForm, game_print
from counterfold.abstraction.bucket_layout import BucketTables
from counterfold.agent import Agent, Observation, drawn
from counterfold.arrays import Floats
from counterfold.errors import MismatchError
from counterfold.games.base import spec_of
from counterfold.games.catalog import load_named
from counterfold.notebook import brief
from counterfold.poker.cards import parse_cards, parse_hole
from counterfold.poker.rules import PokerRules
from counterfold.poker.table import Holdem, TableView
from counterfold.strategy.strategy import Strategy


class BlueprintAgent(Agent):
    """Plays a strategy over buckets at the table that it was made for, in any seat."""

    def __init__(self, strategy: Strategy[BucketForm], name: str = "") -> None:
        self.strategy, self.tables = strategy, BucketTables.of(strategy)
        self.name = name or str(strategy.about.get("method", "blueprint"))
        self._nodes: dict[tuple[int, str], int] = {}

    def __repr__(self) -> str:
        return brief(self, f"{self.name}: {self.strategy.spec}")

    @property
    def table(self) -> Holdem:
        """The table that it was made for."""
        about = self.tables.form.game.about
        table = load_named(str(about.get("table", "")), self.name) if "table" in about else None
        if not isinstance(table, Holdem):
            raise MismatchError(f"{self.name} was made for {self.strategy.spec}, which is no table")
        return table

    def begin(self, game: object) -> None:
        """Refuse any other table."""
        poker = game.poker if isinstance(game, Holdem | PokerRules) else None
        if poker is None or game_print(poker) != game_print(self.tables.form.whole_game):
            raise MismatchError(
                f"{self.name} was made for {self.strategy.spec}, another table than {spec_of(game)}"
            )

    def odds(self, observation: Observation) -> dict[str, float]:
        """How often it takes each action."""
        seen = TableView.of(observation.seen)
        betting, node = self.tables.form.game.betting, self._node(seen)
        cards = self.tables.form.buckets[int(betting.street[node])]
        bucket = cards.bucket_of(parse_hole(seen.hand), parse_cards(seen.board)[: cards.cards])
        shares = self.tables.rows(node)[bucket].tolist()
        return dict(zip(betting.actions(node), shares, strict=True))

    def odds_of_all(self, observation: Observation) -> dict[str, Floats]:
        """[holes] how often every hand takes each action, whatever is held."""
        seen = TableView.of(observation.seen)
        node = self._node(seen)
        rows = self.tables.expand(parse_cards(seen.board), node).astype(np.float64)
        return dict(zip(self.tables.form.game.betting.actions(node), rows, strict=True))

    def _node(self, seen: TableView) -> int:
        """The decision after a line."""
        betting, node = self.tables.form.game.betting, 0
        for word in seen.words:
            if not word.startswith("["):
                node = self._after(node, word)
        while betting.label[int(betting.first[node])] == "":  # the cards have come
            node = int(betting.first[node])
        return node

    def _after(self, node: int, word: str) -> int:
        found = self._nodes.get((node, word))
        if found is None:
            betting, at = self.tables.form.game.betting, node
            while betting.label[int(betting.first[at])] == "":
                at = int(betting.first[at])
            found = next(child for child in betting.children(at) if betting.label[child] == word)
            self._nodes[node, word] = found
        return found

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        return drawn(self.odds(observation), rng)
