"""A strategy over buckets at any of its places: every hand, by the bucket that it is in there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import BucketTables
from counterfold.arrays import Floats
from counterfold.errors import ParameterError
from counterfold.poker.cards import HOLES, board_name
from counterfold.poker.game import DECISION, meetings
from counterfold.poker.view import NodeView
from counterfold.strategy.strategy import Strategy
from counterfold.tree.find import Path, Place, cards_after, find_place


class BucketBrowser:
    """Looks around in a strategy over buckets, for any number of players.

    EV and equity are not known there. With three players and more, how often an action is taken
    leaves out that the others' hands rule each other out.
    """

    def __init__(self, strategy: Strategy[BucketForm]) -> None:
        self.strategy, self.tree = strategy, strategy.tree
        self.tables = BucketTables.of(strategy)

    def reaches(self, place: Place) -> list[Floats]:
        """[1326] of each player: how much of each hole gets to a place."""
        game, betting = self.tree.game, self.tree.game.betting
        met = np.isin(game.rules.cards, place.cards).any(1)
        found = [np.where(met, 0.0, weights) for weights in game.ranges]
        child, at = place.node, int(betting.parent[place.node])
        while at >= 0:
            if betting.kind[at] == DECISION:
                play = self.tables.expand(place.cards, at)[child - int(betting.first[at])]
                found[int(betting.player[at])] *= play
            child, at = at, int(betting.parent[at])
        return found

    def view(self, path: Path | Place = "", player: int | str | None = None) -> NodeView:
        """A place as one player sees it: the one who decides unless another is named."""
        game, betting = self.tree.game, self.tree.game.betting
        place = path if isinstance(path, Place) else find_place(self.tree, path)
        node = place.node
        owner = int(betting.player[node]) if betting.kind[node] == DECISION else -1
        me = max(owner, 0) if player is None else self._player(player)
        reaches = self.reaches(place)
        others = [reach for p, reach in enumerate(reaches) if p != me]
        folded = int(betting.folded[node])
        left = [p for p in range(len(reaches)) if p != me and not folded >> p & 1]
        comes = np.prod([meetings(reach) / max(reach.sum(), 1e-300) for reach in others], axis=0)
        actions: tuple[str, ...] = ()
        chosen = np.zeros((0, HOLES))
        if me == owner:
            actions = tuple(betting.label[child] for child in betting.children(node))
            chosen = self.tables.expand(place.cards, node).astype(np.float64)
            chosen[:, np.isin(game.rules.cards, place.cards).any(1)] = np.nan
        unknown = np.full(HOLES, np.nan)
        never = [game.players[p] for p, reach in enumerate(reaches) if p != me and not reach.any()]
        return NodeView.at(
            game, place, me,
            actions=actions,
            weight=reaches[me],
            against=np.mean([reaches[p] for p in left] or others, axis=0),
            strategy=chosen,
            ev=unknown,
            equity=unknown,
            note=f"{' and '.join(never)} never gets here" if never else "",
            mass=reaches[me] * comes,
        )  # fmt: skip

    def each_card(
        self, path: Path | Place = "", player: int | str | None = None
    ) -> Iterator[tuple[str, NodeView]]:
        """Every turn or river that can come after a place, card by card."""
        for card, place in cards_after(self.tree, path).items():
            yield board_name([card]), self.view(place, player)

    def _player(self, player: int | str) -> int:
        names = self.tree.game.players
        if isinstance(player, str) and player in names:
            return names.index(player)
        if isinstance(player, int) and 0 <= player < len(names):
            return player
        raise ParameterError(f"there is no player {player!r}; there are {', '.join(names)}")
