"""Views, against definitions spelled out history by history."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterfold as cf
from counterfold.errors import RulesError
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.games.efg import EfgGame
from counterfold.tree.history import HistoryTree
from counterfold.tree.views import Views, views
from tests.games.test_efg import PENNIES
from tests.random_games import DrawnGame, Node, games, meeting_game, meeting_games, random_game


class History:
    """A history of the rules: its number in preorder, its state, what each player did last."""

    def __init__(self, game: Any, state: Any, last: tuple[Any, ...]) -> None:
        self.state, self.last, self.turn = state, last, game.turn(state)
        self.after: list[History] = []
        self.number = -1

    def sights(self, game: Any) -> list[Any]:
        """What each player sees; the text 'nothing' where the rules do not tell."""
        found: list[Any] = []
        for player in range(game.players):
            try:
                sight = game.observe(self.state, player)
            except Exception:
                sight = None
            found.append((self.last[player], "nothing" if sight is None else ("sight", sight)))
        return found


def histories(game: Any) -> list[History]:
    found: list[History] = []

    def walk(state: Any, last: tuple[Any, ...]) -> History:
        here = History(game, state, last)
        here.number = len(found)
        found.append(here)
        if here.turn == CHANCE:
            for outcome, chance in game.chance(state):
                if chance:
                    here.after.append(walk(game.next(state, outcome), last))
        elif here.turn != TERMINAL:
            for action in game.actions(state):
                own = (game.observe(state, here.turn), action)
                then = tuple(own if p == here.turn else last[p] for p in range(game.players))
                here.after.append(walk(game.next(state, action), then))
        return here

    walk(game.root(), (None,) * game.players)
    return found


def same_partition(numbers: Any, keys: list[Any]) -> bool:
    pairs = set(zip(np.asarray(numbers).tolist(), keys, strict=True))
    return len(pairs) == len({n for n, _ in pairs}) == len({k for _, k in pairs})


def first_appearance(numbers: Any) -> bool:
    found = list(dict.fromkeys(np.asarray(numbers).tolist()))
    return found == list(range(len(found)))


def linked(nodes: list[int], alike: Callable[[int, int], bool]) -> dict[int, int]:
    """The lowest node of each node's chain."""
    head = {v: v for v in nodes}
    for v, w in combinations(nodes, 2):
        if head[v] != head[w] and alike(v, w):
            low, high = sorted((head[v], head[w]))
            head = {u: low if h == high else h for u, h in head.items()}
    return head


def landings(history: History) -> Iterator[History]:
    if history.turn != CHANCE:
        yield history
    else:
        for below in history.after:
            yield from landings(below)


def check(game: Any, tree: HistoryTree, found: Views) -> None:
    """Everything in ``found`` is what the definitions say."""
    told = histories(game)
    assert len(told) == tree.histories
    sights = [h.sights(game) if h.turn != CHANCE else None for h in told]
    plays = [h.number for h in told if h.turn != CHANCE]
    ends = [h for h in told if h.turn == TERMINAL]
    show = getattr(game, "shown", lambda state: None)
    for p in range(game.players):
        own = [sights[v][p] for v in plays]
        assert same_partition(found.seen[plays, p], own)
        assert first_appearance(found.seen[plays, p])
        at_end = [sights[h.number][p] for h in ends]
        assert same_partition(found.ends[:, p], at_end)
        both = [(s, show(h.state)) for s, h in zip(at_end, ends, strict=True)]
        assert same_partition(found.final[:, p], both)
        assert first_appearance(found.ends[:, p])
        assert first_appearance(found.final[:, p])
    chance = [h.number for h in told if h.turn == CHANCE]
    assert (found.seen[chance] == -1).all()

    nodes = [h.number for h in told if h.turn >= 0]
    others = [h.number for h in told if h.turn < 0]
    kind = {v: (told[v].turn, tuple(game.actions(told[v].state))) for v in nodes}
    infoset = {v: game.observe(told[v].state, told[v].turn) for v in nodes}

    def alike(v: int, w: int) -> bool:
        if kind[v] != kind[w]:
            return False
        shares = any(a == b for a, b in zip(sights[v], sights[w], strict=True))
        return shares or infoset[v] == infoset[w]

    sets = linked(nodes, alike)
    assert same_partition(found.public[nodes], [sets[v] for v in nodes])
    assert first_appearance(found.public[nodes])
    assert (found.public[others] == -1).all()

    for v in nodes:
        mine = [w for w in nodes if sets[w] == sets[v]]
        after: dict[tuple[int, Any], set[int]] = {}
        for w in mine:
            for k, below in enumerate(told[w].after):
                for place in landings(below):
                    for p in range(game.players):
                        if p != told[v].turn:
                            sight = sights[place.number][p]
                            after.setdefault((p, sight), set()).add(k)
        assert found.overt[v] == all(len(ks) == 1 for ks in after.values())
        if v > 200:
            break  # it takes the square of the nodes
    assert not found.overt[others].any()

    spoken = all(
        game_tells(game, h.state, p)
        for h in told
        if h.turn != CHANCE
        for p in range(game.players)
        if p != h.turn
    )
    assert found.complete == spoken


def game_tells(game: Any, state: Any, player: int) -> bool:
    try:
        return game.observe(state, player) is not None
    except Exception:
        return False


SPECS = ["kuhn", "one_card(ranks=4,suits=2)", "leduc(ranks=2,suits=2,max_raises=1)",
         "kuhn(players=3)", "goofspiel(cards=3)", "goofspiel(cards=3,prizes=random)",
         "goofspiel(cards=3,imperfect=false)", "liars_dice(sides=2)", "liars_dice(sides=3)",
         "rps", "matching_pennies"]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS)
def test_our_games(spec: str) -> None:
    game = cf.load(spec)
    tree = cf.compile_game(game)
    found = views(tree)
    assert found.complete
    check(game, tree, found)
    assert views(tree) is found


class Mumbling(DrawnGame):
    """A drawn game that tells little, and at times nothing, to those who do not move."""

    tells = 3
    fails = True

    def observe(self, state: int, player: int) -> Any:
        if self.nodes[state].turn == player:
            return self.nodes[state].infoset
        said = random.Random(100 * state + player).randrange(self.tells + 2 * self.fails)
        if said == self.tells:
            raise IndexError("nothing to see")
        return None if said > self.tells else f"noise {said}"

    def shown(self, state: int) -> int:
        return random.Random(state).randrange(2)


class Speaking(Mumbling):
    fails = False


@settings(max_examples=60, deadline=None)
@given(game=games(), other=st.sampled_from([DrawnGame, Mumbling, Speaking]))
def test_random_games(game: Any, other: type[DrawnGame]) -> None:
    game = other(game.players, game.nodes)
    tree = cf.compile_game(game)
    check(game, tree, views(tree))


@settings(max_examples=30, deadline=None)
@given(game=games(recall=False))
def test_games_that_forget(game: Any) -> None:
    game = Mumbling(game.players, game.nodes)
    tree = cf.compile_game(game)
    found = views(tree)
    check(game, tree, found)
    nodes = np.flatnonzero(tree.turn >= 0)
    for row in np.unique(tree.infoset[nodes]):
        assert len(np.unique(found.public[tree.infoset == row])) == 1


@settings(max_examples=30, deadline=None)
@given(pair=meeting_games())
def test_merged_graphs(pair: Any) -> None:
    tree = cf.compile_game(pair[1])
    found = views(tree)
    nodes = np.flatnonzero(tree.turn >= 0)
    assert (found.seen[tree.turn != CHANCE] >= 0).all()
    assert found.ends.shape == found.final.shape == (tree.terminals, tree.players)
    for v, w in combinations(nodes, 2):
        if tree.infoset[v] == tree.infoset[w]:
            assert found.public[v] == found.public[w]


def test_meeting_histories_forget_what_they_differ_in() -> None:
    """After a or b, and then the other's move, nobody remembers the choice between a and b."""
    nodes = [Node(0, (1, 1), infoset="I"), Node(1, (2, 3), infoset="J"),
             Node(0, (4, 4), infoset="K"), Node(0, (4, 4), infoset="L"),
             Node(TERMINAL, payoff=(1.0, -1.0))]  # fmt: skip

    class Meeting(DrawnGame):
        def merge(self, state: int) -> int:
            return state

        def observe(self, state: int, player: int) -> Any:
            return self.nodes[state].infoset if self.nodes[state].turn == player else None

    apart = DrawnGame(2, nodes)
    assert cf.compile_game(apart).histories == 1 + 2 + 4 + 8
    tree = cf.compile_game(Meeting(2, nodes))
    found = views(tree)
    assert tree.histories == 5
    assert not found.complete
    assert found.seen[:, 0].tolist() == [0, 1, 2, 3, 1]  # unsure at the second and the last
    assert found.seen[:, 1].tolist() == [0, 1, 2, 3, 4]
    assert found.overt.tolist() == [False, True, False, False, False]


def test_alone_there_is_nobody_to_tell() -> None:
    game = meeting_game(1, players=1)[1]
    tree = cf.compile_game(game)
    assert (views(tree).overt == (tree.turn >= 0)).all()


def betting_of(label: str) -> tuple[str, ...]:
    """What everybody sees in a poker infoset: all but the first card."""
    return tuple(label.split(" | ")[1:])


@pytest.mark.parametrize(
    ("spec", "sets"),
    [("kuhn", 4), ("one_card(ranks=13)", 4), ("leduc", 96), ("kuhn(players=3)", 12)],
)
def test_public_sets_of_poker_are_bettings(spec: str, sets: int) -> None:
    tree = cf.compile_game(cf.load(spec))
    found = views(tree)
    nodes = np.flatnonzero(tree.turn >= 0)
    said = []
    for v in nodes:
        row = int(tree.infoset[v])
        said.append(betting_of(tree.infosets.labels[row]))
    assert same_partition(found.public[nodes], said)
    assert found.public.max() + 1 == sets
    assert found.overt[nodes].all()
    # Before the end a player sees no more and no less than its infoset.
    mine = found.seen[nodes, tree.turn[nodes]]
    assert same_partition(tree.infoset[nodes], list(zip(mine, tree.turn[nodes], strict=True)))


def test_the_ends_of_leduc() -> None:
    """Own card and betting at the end; at a showdown the other's card as well."""
    game = cf.load("leduc")
    tree = cf.compile_game(game)
    found = views(tree)
    # Per round: folds and continuations of the betting tree with two raises a round.
    folds, goes_on = 4, 5
    ends = 3 * folds + goes_on * 3 * 3 * (folds + 5)
    assert (found.ends.max(axis=0) + 1).tolist() == [ends, ends]
    # A showdown tells the other's rank; all nine pairs of ranks, but a board of a rank that
    # two have already leaves none for the third.
    showdowns = goes_on * 5 * (3 * 9 - 3)
    alone = 3 * folds + goes_on * 3 * 3 * folds
    assert (found.final.max(axis=0) + 1).tolist() == [alone + showdowns] * 2


def test_bids_at_the_same_time_are_not_told() -> None:
    for spec in ("rps", "matching_pennies"):
        assert not views(cf.compile_game(cf.load(spec))).overt.any()
    tree = cf.compile_game(cf.load("goofspiel(cards=3)"))
    found = views(tree)
    openers = (tree.turn == 0) & (np.diff(tree.first.astype(int)) > 1)
    assert not found.overt[openers].any()


def test_a_gambit_file_tells_only_movers() -> None:
    game = EfgGame.parse(PENNIES)
    tree = cf.compile_game(game)
    found = views(tree)
    assert not found.complete
    check(game, tree, found)
    assert found.public.tolist() == [0, 1, -1, -1, 1, -1, -1]
    assert found.ends.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]


def test_openspiel_games() -> None:
    pytest.importorskip("pyspiel")
    for spec, ours in [("openspiel:kuhn_poker", "kuhn"), ("openspiel:leduc_poker", None)]:
        tree = cf.compile_game(cf.load(spec))
        found = views(tree)
        assert found.complete
        assert found.overt[tree.turn >= 0].all()
        if ours:
            same = views(cf.compile_game(cf.load(ours)))
            assert found.public.tolist() == same.public.tolist()
            assert found.ends.tolist() == same.ends.tolist()


def test_what_is_shown_must_hash() -> None:
    class Broken(DrawnGame):
        def shown(self, state: int) -> Any:
            return [state]

    with pytest.raises(RulesError, match=r"shown fails at .* with TypeError"):
        views(cf.compile_game(Broken(2, random_game(3).nodes)))


def test_a_game_that_is_over_before_it_begins() -> None:
    tree = cf.compile_game(DrawnGame(2, [Node(TERMINAL, payoff=(0.0, 0.0))]))
    found = views(tree)
    assert found.public.tolist() == [-1]
    assert found.overt.tolist() == [False]
    assert found.final.tolist() == found.ends.tolist() == [[0, 0]]


def showdown(game: Any, *events: str) -> Any:
    state = game.root()
    for event in events:
        state = game.next(state, event)
    return game.shown(state)


def test_what_our_games_show() -> None:
    leduc, three = cf.load("leduc"), cf.load("kuhn(players=3)")
    assert showdown(leduc, "Ks", "Qh", "bet", "fold") == ()
    bets = ("check", "check", "Qs", "check", "bet", "call")
    assert showdown(leduc, "Ks", "Qh", *bets) == ("K", "Q")
    assert showdown(cf.load("leduc(suited=true)"), "Ks", "Qh", *bets) == ("Ks", "Qh")
    assert showdown(three, "K", "J", "A", "bet", "fold", "call") == ("K", "", "A")
    assert showdown(three, "K", "J", "A", "bet", "fold", "fold") == ()
    dice = cf.load("liars_dice(dice=1+2,sides=3)")
    assert showdown(dice, "3", "2", "1", "1x1", "liar") == ("3", "1 2")
    assert showdown(cf.load("rps"), "R", "S") == ("R", "S")


def test_goofspiel_shows_who_won_the_last_round() -> None:
    game = cf.load("goofspiel(cards=3)")
    assert showdown(game, "3", "2", "1", "3") == "won by 1 2 1"  # 2 against 1 is left
    assert showdown(game, "3", "2", "2", "1") == "won by 1 1 2"
    one = cf.load("goofspiel(cards=1)")
    assert showdown(one, "1", "1") == "won by -"


def test_payoffs_follow_from_what_is_shown() -> None:
    for spec in ("goofspiel(cards=4)", "goofspiel(cards=3,prizes=random,returns=points)", "rps",
                 "liars_dice(sides=3)", "leduc"):  # fmt: skip
        tree = cf.compile_game(cf.load(spec))
        found = views(tree)
        for p in range(tree.players):
            pay: dict[int, float] = {}
            for number, amount in zip(found.final[:, p], tree.payoff[:, p], strict=True):
                assert pay.setdefault(int(number), amount) == amount
