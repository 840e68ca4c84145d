"""A solved poker game at any of its places: hands, choices, EV and equity as a NodeView."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from counterfold.arrays import Floats
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.evaluate.equity import AllIn, mean_over, shown_on
from counterfold.evaluate.public import kernel_tables
from counterfold.files.text import Json
from counterfold.poker.cards import board_name
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN, meetings
from counterfold.poker.view import NodeView
from counterfold.strategy.strategy import Strategy, check_strategies
from counterfold.tree.boards import renamed_holes
from counterfold.tree.find import (
    Path,
    Place,
    cards_after,
    children,
    deals_of,
    find_boards,
    find_place,
)
from counterfold.tree.public import PublicTree
from counterfold.tree.traversal import Traversal, one_chunk, tape_of

KEPT = 16  # boards of a street whose values are remembered


def reaches(strategy: Strategy[PublicTree], node: int, boards: Sequence[int]) -> list[Floats]:
    """[holes] of each player: how much of each hole gets to a node (see ``Browser.reaches``)."""
    tree, betting = strategy.tree, strategy.tree.betting
    found = []
    for p in (0, 1):
        reach = np.zeros(tree.game.rules.holes)
        pairs = tree.hands[p][boards[-1]].pairs
        reach[pairs] = np.asarray(tree.game.ranges[p])[pairs]
        found.append(reach)
    child, at = node, int(betting.parent[node])
    while at >= 0:
        if betting.kind[at] == DECISION:
            chosen = strategy.hands.at(at, boards[int(betting.street[at])])
            owner = found[int(betting.player[at])]
            owner *= np.nan_to_num(chosen[child - int(betting.first[at])])
        child, at = at, int(betting.parent[at])
    return found


class Browser:
    """A strategy to look around in; it remembers the values of the boards seen last.

    Where the tables change (a solver goes on), what it remembers is old: make another.

    ``walk`` is a Traversal of the strategy's tree, if there is one already; what its last walk
    left behind is lost.
    """

    def __init__(
        self,
        strategy: Strategy[PublicTree],
        walk: Traversal | None = None,
        *,
        threads: int | None = None,
    ) -> None:
        check_strategies(strategy)
        if not isinstance(strategy.tree, PublicTree):
            raise UnsupportedError(
                f"{strategy.spec} has no hands to lay out in a grid; `counterfold show` lists it"
            )
        if strategy.tree.game.rules.hole != 2:
            raise UnsupportedError(
                f"{strategy.tree.game.name} has hands of one card, which fit no grid of hold'em"
            )
        self.strategy, self.tree = strategy, strategy.tree
        self.walk = (walk or Traversal(strategy.tree, "float64", threads)).exact
        if self.walk.tree is not strategy.tree:
            raise ParameterError("the walk is over another tree than the strategy's")
        self.all_in = AllIn(self.walk.arrays, self.walk.top)
        self._values: dict[tuple[int, int, int, int], Floats] = {}

    # Where hands are.

    def reaches(self, node: int, boards: Sequence[int]) -> list[Floats]:
        """[holes] of each player: how much of each hole gets to a node, in the tree's suits.

        ``boards`` are those of the tree, street by street, up to the node's.
        """
        return reaches(self.strategy, node, boards)

    # What hands are worth.

    def values(self, node: int, boards: Sequence[int], me: int) -> Floats:
        """[hands] what a node that ends no hand is worth to a player's hands, as kernels count.

        That is a sum over all hands of the opponent, by their reach over the sum of weights.
        """
        nodes, board = self.tree.nodes, boards[-1]
        n = int(nodes.new[node])
        chunk = int(np.searchsorted(nodes.chunk, n, "right")) - 1
        key = len(boards), board, chunk, me
        if key not in self._values:
            alike = [kept for kept in self._values if kept[0] == len(boards)]
            if len(alike) >= KEPT:  # of earlier streets a walk takes longer: they stay
                del self._values[alike[0]]
            self._run(boards, chunk, me)
            places = nodes.place[int(nodes.chunk[chunk]) : int(nodes.chunk[chunk + 1])]
            width = len(self.tree.hands[me][board].holes)
            self._values[key] = self.walk.top.value[places, :width].astype(np.float64)
        found: Floats = self._values[key][n - int(nodes.chunk[chunk])]
        return found

    def _run(self, boards: Sequence[int], chunk: int, me: int) -> None:
        """Walk so that the values of a chunk of nodes on a board stand in ``walk.top``."""
        from counterfold.kernels import public

        walk, tree, tables = self.walk, self.tree, kernel_tables(self.strategy.tables)
        if len(boards) == 1 and tree.last > 0:
            walk.run(me, tables, (None, None), None, True, public.VALUE)
            return
        steps = [(public.DOWN, board) for board in boards[:-1]]
        ground = walk.arrays.ground
        if len(boards) - 1 == tree.last:
            # Chunks of the last street use the same rows, so that the last one worked on is read.
            ground = one_chunk(ground, tree.last, chunk)
            steps.append((public.LAST, boards[-1]))
        else:
            steps += tape_of(tree, boards[-1])
        walk.over(np.array(steps, np.uint32), tables, me, public.VALUE, ground)

    def _ev(
        self, node: int, boards: Sequence[int], me: int, against: Floats, met: Floats
    ) -> Floats:
        """[holes] chips that a player wins from a node on; the two players' add up to the pot."""
        tree, betting = self.tree, self.tree.betting
        paid, worth = float(betting.paid[node, me]), betting.payoff[node, me]
        hands = tree.hands[me][boards[-1]]
        found = np.full(tree.game.rules.holes, np.nan)
        if betting.kind[node] == FOLD:
            found[hands.pairs] = worth[0]
        elif betting.kind[node] == SHOWDOWN:
            shown = shown_on(tree, boards[-1], against)
            lost = met - shown.beaten - shown.tied
            total = worth[0] * shown.beaten + worth[1] * shown.tied + worth[2] * lost
            found[hands.pairs] = mean_over(total, met)[hands.pairs]
        else:
            total = self.values(node, boards, me)[hands.of] * tree.weight_sum
            found[hands.pairs] = mean_over(total, met[hands.pairs])
        return found + paid

    # What is shown.

    def view(self, path: Path | Place = "", player: int | str | None = None) -> NodeView:
        """A place as one player sees it: the one who decides unless another is named."""
        tree, game, betting = self.tree, self.tree.game, self.tree.game.betting
        place = path if isinstance(path, Place) else find_place(tree, path)
        boards, names = find_boards(tree, place.cards)
        node = place.node
        owner = int(betting.player[node]) if betting.kind[node] == DECISION else -1
        me = self._player(player, owner)
        reaches = self.reaches(node, boards)
        met = meetings(reaches[1 - me])
        actions: tuple[str, ...] = ()
        chosen = evs = np.zeros((0, game.rules.holes))
        if me == owner:
            actions = betting.actions(node)
            chosen = self.strategy.hands.at(node, boards[-1])
            evs = np.stack(list(self.action_values(place).values()))
        ev = self._ev(node, boards, me, reaches[1 - me], met)
        equity = self.all_in.on(boards[-1], me, reaches[1 - me], met)
        turned = renamed_holes(game.rules, np.arange(game.rules.holes), names)
        return NodeView.at(
            game, place, me,
            actions=actions,
            weight=reaches[me][turned],
            against=reaches[1 - me][turned],
            strategy=chosen[:, turned],
            ev=ev[turned],
            equity=equity[turned],
            note="" if met.any() else f"{game.players[1 - me]} never gets here",
            evs=evs,
        )  # fmt: skip

    def action_values(self, path: Path | Place = "") -> dict[str, Floats]:
        """[holes] of each action, chips that the one who decides wins from here on by taking it.

        Everybody plays the strategy from then on. What is paid for the action is taken off.
        """
        tree, betting = self.tree, self.tree.betting
        place = path if isinstance(path, Place) else find_place(tree, path)
        boards, names = find_boards(tree, place.cards)
        me, node = int(betting.player[place.node]), place.node
        against = self.reaches(node, boards)[1 - me]
        met = meetings(against)
        turned = renamed_holes(tree.game.rules, np.arange(tree.game.rules.holes), names)
        found = {}
        for label, child in children(tree, place).items():
            paid = float(betting.paid[child.node, me] - betting.paid[node, me])
            found[label] = self._ev(child.node, boards, me, against, met)[turned] - paid
        return found

    def _player(self, player: int | str | None, owner: int) -> int:
        players = self.tree.game.players
        if player is None:
            return max(owner, 0)
        if player in (0, 1):
            return int(player)
        if player in players:
            return players.index(str(player))
        raise ParameterError(f"there is no player {player!r}; choose {players[0]} or {players[1]}")

    def walk_through(
        self,
        deals: Iterable[str] = (),
        *,
        start: Path = "",
        limit: int = 200,
        both: bool = False,
    ) -> dict[tuple[str, ...], list[NodeView]]:
        """The decisions after a place, those with the fewest actions first, up to a limit.

        A street ends there unless ``deals`` says which cards come: "7h" is a turn, "7h 2c" that
        turn and a river. With ``both`` a place is seen by each player, the one who decides first.
        """
        tree, betting = self.tree, self.tree.betting
        if limit < 1:
            raise ParameterError(f"the limit is {limit}, and must be at least one place")
        wanted = {street[:k] for street in deals_of(tree, deals) for k in range(1, len(street) + 1)}
        queue = deque([find_place(tree, start)])
        found: list[Place] = []
        while queue and len(found) < limit:
            place = queue.popleft()
            if betting.kind[place.node] == DEAL:
                dealt = tuple(word for word in place.line if word.startswith("["))
                after = sorted(w for w in wanted if w[:-1] == dealt)
                queue.extend(find_place(tree, [*place.line, w[-1]]) for w in after)
            elif betting.kind[place.node] == DECISION:
                found.append(place)
                queue.extend(children(tree, place).values())
        # Places of one board after another, so that no board is walked twice.
        views: dict[tuple[str, ...], list[NodeView]] = {place.line: [] for place in found}
        for place in sorted(found, key=lambda place: (len(place.cards), place.cards)):
            owner = int(betting.player[place.node])
            for p in (owner, 1 - owner)[: 1 + both]:
                views[place.line].append(self.view(place, p))
        return views

    def cards(
        self, path: Path | Place = "", player: int | str | None = None
    ) -> dict[str, NodeView]:
        """What every card that can come makes of a line that ends a street, by its name.

        A view is of the place after the card, as the one who decides there sees it.
        """
        views = dict(self.each_card(path, player))
        left = [board_name([card]) for card in reversed(self.tree.game.rules.deck)]
        return {card: views[card] for card in left if card in views}

    def each_card(
        self, path: Path | Place = "", player: int | str | None = None
    ) -> Iterator[tuple[str, NodeView]]:
        """The same card by card, as they are worked out."""
        after = cards_after(self.tree, path)
        # Boards of the tree one after another, so that no board is walked twice.
        boards = {card: find_boards(self.tree, place.cards)[0][-1] for card, place in after.items()}
        for card in sorted(after, key=lambda c: boards[c]):
            yield board_name([card]), self.view(after[card], player)

    def summary(self) -> Json:
        """The game in a row of numbers, for tables over many boards.

        ``ev`` (chips) and ``equity`` by player, ``actions`` with how often each is taken at the
        root, and ``after`` with the same at the decision that follows each of them.
        """
        tree, game = self.tree, self.tree.game
        root = find_place(tree)
        first = self.view(root)
        other = self._totals(1 - game.players.index(first.player))
        found: Json = {
            "pot": first.pot,
            "ev": {first.player: first.totals.ev, other[0]: other[1]},
            "equity": {first.player: first.totals.equity, other[0]: 1 - first.totals.equity},
            "actions": first.totals.frequencies,
            "after": {},
        }
        for key in ("ev", "equity"):
            found[key] = {player: found[key][player] for player in game.players}
        for label, place in children(tree, root).items():
            if game.betting.kind[place.node] == DECISION:
                found["after"][label] = self._frequencies(place)
        return found

    def _totals(self, me: int) -> tuple[str, float]:
        """A player and its EV at the root."""
        game = self.tree.game
        reaches = self.reaches(0, (0,))
        met = meetings(reaches[1 - me])
        ev = self._ev(0, (0,), me, reaches[1 - me], met)
        mass = reaches[me] * met
        return game.players[me], float(np.nansum(ev * mass) / mass.sum())

    def _frequencies(self, place: Place) -> dict[str, float]:
        """How often each action is taken at a decision of the first street."""
        betting, node = self.tree.game.betting, place.node
        me = int(betting.player[node])
        reaches = self.reaches(node, (0,))
        mass = reaches[me] * meetings(reaches[1 - me])
        chosen = np.nan_to_num(self.strategy.hands.at(node, 0)) @ mass
        total = float(mass.sum())
        shares = chosen / total if total > 0 else np.full(len(chosen), np.nan)
        return {
            betting.label[c]: float(x) for c, x in zip(betting.children(node), shares, strict=True)
        }


def view(
    strategy: Strategy[PublicTree],
    path: Path = "",
    player: int | str | None = None,
    walk: Traversal | None = None,
) -> NodeView:
    """A place of a strategy in words ("check, bet 66, call, [7h]") as one player sees it.

    >>> from counterfold.poker.spot import spot
    >>> from counterfold.tree.public import PublicTree
    >>> game = spot({"board": "Ks 9h 6s 4d 2c", "pot": 20, "stack": 40, "oop": "QQ+",
    ...              "ip": "JJ,AKs", "bets": ["50%"], "raises": []})
    >>> found = view(Strategy.uniform(PublicTree(game)), "bet")
    >>> found.player, found.line, found.pot, found.stacks, found.actions
    ('ip', ('bet 10',), 30.0, (30.0, 40.0), ('fold', 'call'))
    >>> round(found.totals.equity, 4)
    0.15
    """
    return Browser(strategy, walk).view(path, player)
