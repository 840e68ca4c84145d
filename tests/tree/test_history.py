"""Compiling rules: the arrays tell the game, and rules that break the contract are told."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import counterfold as cf
from counterfold.errors import RulesError, TreeTooLargeError
from counterfold.games.base import CHANCE, TERMINAL, Game, label
from counterfold.tree.history import NONE, HistoryTree
from tests.random_games import DrawnGame, Node, games, meeting_game, meeting_games, random_game
from tests.written import Unfolding


def walk_along(game: Any, tree: HistoryTree) -> int:
    """Follow rules and arrays side by side; returns the number of histories."""
    histories = 0
    infosets = tree.infosets
    stack = [(game.root(), 0)]
    while stack:
        state, node = stack.pop()
        histories += 1
        turn = game.turn(state)
        assert tree.turn[node] == turn
        first, last = int(tree.first[node]), int(tree.first[node + 1])
        if turn == TERMINAL:
            assert first == last
            assert tree.infoset[node] == NONE
            assert tree.payoff[tree.leaf[node]].tolist() == list(game.payoff(state))
            continue
        assert tree.leaf[node] == NONE
        if turn == CHANCE:
            moves = [outcome for outcome, _ in game.chance(state)]
            assert tree.prob[first:last].tolist() == [p for _, p in game.chance(state)]
            assert tree.infoset[node] == NONE
        else:
            moves = list(game.actions(state))
            row = int(tree.infoset[node])
            assert infosets.owner[row] == turn
            assert infosets.labels[row] == label(game.observe(state, turn))
            assert infosets.actions[row] == tuple(map(label, moves))
            assert infosets.sizes[row] == len(moves)
            assert (tree.prob[first:last] == 1).all()
        assert len(moves) == last - first
        for k, move in enumerate(moves):
            child = int(tree.child[first + k])
            assert child > node  # topological order
            stack.append((game.next(state, move), child))
    return histories


@settings(max_examples=40)
@given(game=games())
def test_the_arrays_are_the_rules(game: Any) -> None:
    tree = cf.compile_game(game)
    assert walk_along(game, tree) == tree.histories
    assert (np.diff(tree.infosets.owner) >= 0).all()
    assert tree.terminals == (tree.turn == TERMINAL).sum()
    size = cf.measure(game)
    assert size[:4] == (
        tree.histories, tree.terminals, len(tree.infosets.owner), tree.infosets.slots,
    )  # fmt: skip
    assert size.bytes >= tree.nbytes


@settings(max_examples=40)
@given(pair=meeting_games())
def test_merged_graphs_unfold_into_the_tree(pair: Any) -> None:
    apart, merged = (cf.compile_game(game) for game in pair)
    assert merged.merged
    assert not apart.merged
    assert walk_along(pair[1], merged) == apart.histories
    assert merged.histories == len(set(reachable(pair[1])))
    assert cf.measure(pair[1]).histories == merged.histories


def reachable(game: Any) -> set[int]:
    seen, pending = set(), [0]
    while pending:
        number = pending.pop()
        if number not in seen:
            seen.add(number)
            pending += game.nodes[number].children
    return seen


@pytest.mark.parametrize(
    ("spec", "histories", "terminals", "infosets"),
    [
        ("kuhn", 58, 30, 12),
        ("kuhn(players=3)", 617, 312, 48),
        ("leduc(suited=true)", 9457, 5520, 936),
        ("liars_dice(sides=3)", 1147, 567, 192),
        ("goofspiel(cards=4)", 1077, 576, 162),
    ],
)
def test_counts(spec: str, histories: int, terminals: int, infosets: int) -> None:
    tree = cf.compile_game(cf.load(spec))
    assert (tree.histories, tree.terminals, len(tree.infosets.owner)) == (
        histories, terminals, infosets,
    )  # fmt: skip


def test_outcomes_of_no_chance_are_left_out() -> None:
    class Coin(Toy):
        def turn(self, state: tuple[str, ...]) -> int:
            return TERMINAL if state else CHANCE

        def chance(self, state: tuple[str, ...]) -> list[tuple[str, float]]:
            return [("a", 0.5), ("never", 0.0), ("b", 0.5)]

    assert cf.compile_game(Coin()).histories == 3


class Toy(Unfolding):
    """One player chooses left or right; the base of all that goes wrong below."""

    def turn(self, state: tuple[str, ...]) -> int:
        return TERMINAL if state else 0

    def actions(self, state: tuple[str, ...]) -> Any:
        return ["left", "right"]

    def observe(self, state: tuple[str, ...], player: int) -> Any:
        return "here"

    def payoff(self, state: tuple[str, ...]) -> Any:
        return (1.0, -1.0)


def broken(**methods: Any) -> Game:
    """A Toy with some of its methods replaced by functions of the state."""
    return type("Broken", (Toy,), {k: _method(v) for k, v in methods.items()})()


def _method(made: Any) -> Any:
    return (lambda self, *given: made(*given)) if callable(made) else made


def chances(*outcomes: Any) -> Game:
    return broken(turn=lambda s: TERMINAL if s else CHANCE, chance=lambda s: list(outcomes))


BROKEN: dict[str, tuple[Callable[[], Game], str]] = {
    "sum": (lambda: chances(("a", 0.5), ("b", 0.4)), "sum to 0.9"),
    "negative": (lambda: chances(("a", 1.5), ("b", -0.5)), "the probability 1.5"),
    "nan chance": (lambda: chances(("a", math.nan)), "the probability nan"),
    "no outcomes": (lambda: chances(), "sum to 0"),
    "no pairs": (lambda: chances("a", "b"), "pairs of an outcome"),
    "nan": (lambda: broken(payoff=lambda s: (math.nan, 0)), "not a finite number"),
    "infinite": (lambda: broken(payoff=lambda s: (0, -math.inf)), "not a finite number"),
    "one payoff": (lambda: broken(payoff=lambda s: (1,)), "1 numbers for 2 players"),
    "three payoffs": (lambda: broken(payoff=lambda s: (1, 2, 3)), "3 numbers for 2 players"),
    "no payoff": (lambda: broken(payoff=lambda s: None), "payoff must give a sequence"),
    "payoff text": (lambda: broken(payoff=lambda s: ("a", "b")), "payoff of player 1 is 'a'"),
    "no actions": (lambda: broken(actions=lambda s: []), "player 1 has no action"),
    "same actions": (lambda: broken(actions=lambda s: ["a", "a"]), "two actions of one name"),
    "same names": (lambda: broken(actions=lambda s: [1, "1"]), "two actions of one name"),
    "turn too high": (lambda: broken(turn=lambda s: TERMINAL if s else 2), "is 2"),
    "turn too low": (lambda: broken(turn=lambda s: -3), "is -3"),
    "turn none": (lambda: broken(turn=lambda s: None), "turn is None"),
    "turn float": (lambda: broken(turn=lambda s: TERMINAL if s else 0.0), "turn is 0.0"),
    "unhashable": (lambda: broken(observe=lambda s, p: ["here"]), "observation .* is not hashable"),
    "raises": (lambda: broken(next=lambda s, a: 1 / 0), "ZeroDivisionError"),
    "no chance()": (lambda: broken(turn=lambda s: CHANCE), "NotImplementedError"),
    "players 0": (lambda: broken(players=0), "players is 0"),
    "players 2.0": (lambda: broken(players=2.0), "players is 2.0"),
    "actions differ": (
        lambda: broken(
            turn=lambda s: TERMINAL if len(s) == 2 else 0,
            actions=lambda s: ["left", "right"] if not s else ["left"],
        ),
        "one observation must have one list of actions",
    ),
    "actions in another order": (
        lambda: broken(
            turn=lambda s: TERMINAL if len(s) == 2 else 0,
            actions=lambda s: ["left", "right"] if not s else ["right", "left"],
        ),
        "one observation must have one list of actions",
    ),
    "labels": (
        lambda: broken(
            turn=lambda s: TERMINAL if len(s) == 2 else 0,
            observe=lambda s, p: 1 if s else "1",
        ),
        "must also print differently",
    ),
    "cycle": (
        lambda: broken(
            root=lambda: 0, turn=lambda s: 0, next=lambda s, a: (s + 1) % 7 if a == "left" else s
        ),
        "cycle",
    ),
    "a cycle after a while": (
        lambda: broken(root=lambda: 0, turn=lambda s: 0, next=lambda s, a: min(s + 1, 500)),
        "cycle",
    ),
    "merged cycle": (
        lambda: broken(
            root=lambda: 0,
            turn=lambda s: TERMINAL if s > 3 else 0,
            next=lambda s, a: s + 1 if a == "left" else 0,
            merge=lambda s: s,
        ),
        "cycle",
    ),
    "merged cycle below the root": (
        lambda: broken(
            root=lambda: 0,
            turn=lambda s: TERMINAL if s > 3 else 0,
            next=lambda s, a: s + 1 if a == "left" else max(s - 1, 1),
            merge=lambda s: s,
        ),
        "cycle",
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_rules(kind: str) -> None:
    make, told = BROKEN[kind]
    with pytest.raises(RulesError, match=told) as caught:
        cf.compile_game(make())
    assert "\n" not in str(caught.value)


def test_the_toy_itself_is_right() -> None:
    assert cf.compile_game(Toy()).histories == 3
    assert cf.compile_game(broken(players=1, payoff=lambda s: (1.0,))).players == 1


def test_a_plain_class_without_chance_is_a_game() -> None:
    methods = {m: getattr(Toy, m) for m in ("root", "turn", "actions", "next", "observe", "payoff")}
    assert cf.compile_game(type("Plain", (), methods)()).histories == 3


ENDLESS = {
    "every state larger": {"turn": lambda s: 0},
    "stop or go on": {
        "root": lambda: 0,
        "turn": lambda s: TERMINAL if s < 0 else 0,
        "next": lambda s, a: -1 if a == "left" else s + 1,
    },
    "ever new infosets": {
        "root": lambda: 0, "turn": lambda s: 0, "next": lambda s, a: s + 1,
        "observe": lambda s, p: s,
    },
    "merged": {
        "root": lambda: 0, "turn": lambda s: 0, "next": lambda s, a: s + 1, "merge": lambda s: s,
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", ENDLESS)
@pytest.mark.parametrize("work", [cf.compile_game, cf.measure])
def test_an_endless_game_ends_at_the_memory_limit(work: Any, kind: str) -> None:
    with pytest.raises(TreeTooLargeError, match="memory"):
        work(broken(**ENDLESS[kind]), memory=1_000_000)


def test_a_game_too_large_for_the_memory_given() -> None:
    with pytest.raises(TreeTooLargeError, match=r"choose smaller parameters"):
        cf.compile_game(cf.Leduc(), memory=100_000)
    need = cf.measure(cf.Leduc()).bytes
    assert cf.compile_game(cf.Leduc(), memory=need).histories == 9457


def test_memory_is_looked_for(look_for_memory: Callable[[], int]) -> None:
    assert 2**20 < look_for_memory() < 2**62


def test_progress_is_told() -> None:
    told: list[int] = []
    cf.compile_game(cf.Leduc(), progress=lambda read, about: told.append(read))
    assert told == sorted(told)
    assert len(told) >= 2


def test_kinds_of_sums() -> None:
    assert cf.compile_game(cf.Kuhn()).two_player_zero_sum
    assert cf.compile_game(cf.Kuhn(players=3)).constant_sum == pytest.approx(0)
    assert not cf.compile_game(cf.Kuhn(players=3)).two_player_zero_sum
    ten = broken(payoff=lambda s: (4.0, 6.0) if s == ("left",) else (7.0, 3.0))
    assert cf.compile_game(ten).constant_sum == pytest.approx(10)
    assert cf.compile_game(ten).two_player_zero_sum
    assert cf.compile_game(broken(payoff=lambda s: (len(s[0]), 1.0))).constant_sum is None


def test_the_fingerprint_is_that_of_the_game() -> None:
    """The same in every process and for merged arrays alike; another for any other game."""
    tree = cf.compile_game(random_game(3, 3))
    assert cf.compile_game(random_game(3, 3)).fingerprint == tree.fingerprint
    code = (
        "import counterfold as cf; from tests.random_games import random_game;"
        "print(cf.compile_game(random_game(3, 3)).fingerprint)"
    )
    other = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert other == tree.fingerprint
    game, merged = meeting_game(5)
    prints = {
        tree.fingerprint,
        cf.compile_game(game).fingerprint,
        cf.compile_game(merged).fingerprint,
        cf.compile_game(cf.Kuhn()).fingerprint,
        cf.compile_game(cf.Kuhn(players=3)).fingerprint,
        cf.compile_game(cf.Leduc()).fingerprint,
        cf.compile_game(Toy()).fingerprint,
        cf.compile_game(broken(payoff=lambda s: (1.0, -1.0000001))).fingerprint,
        cf.compile_game(broken(observe=lambda s, p: "there")).fingerprint,
        cf.compile_game(broken(actions=lambda s: ["right", "left"])).fingerprint,
        cf.compile_game(chances(("a", 0.5), ("b", 0.5))).fingerprint,
        cf.compile_game(chances(("a", 0.25), ("b", 0.75))).fingerprint,
    }
    assert len(prints) == 12


def test_pinned_fingerprints() -> None:
    """Strategy files live longer than a version: a change here makes them strangers."""
    assert cf.compile_game(cf.Kuhn()).fingerprint == PINNED["kuhn"]
    assert cf.compile_game(cf.Leduc()).fingerprint == PINNED["leduc"]


PINNED = {
    "kuhn": "dfbb739f470ef335f221841fbef64aa4",
    "leduc": "4c23db16ad88ce527102b20c0e17e360",
}


def test_deep_games_do_not_overflow_the_stack() -> None:
    nodes = [Node(0, (k + 1, 5001), infoset=f"I{k}") for k in range(5000)]
    nodes += [Node(TERMINAL, payoff=(1.0,)), Node(TERMINAL, payoff=(0.0,))]
    game = DrawnGame(1, nodes)
    tree = cf.compile_game(game)
    assert tree.histories == 10_001
    assert cf.best_response(cf.Strategy.uniform(tree), 0).value == 1.0


class Paying(Game):
    """A line of a thousand moves that may be left at any; what is paid then is as told."""

    def __init__(self, paid: Callable[[int], Any]) -> None:
        self.paid = paid

    def root(self) -> tuple[int, bool]:
        return (0, False)

    def turn(self, state: tuple[int, bool]) -> int:
        return TERMINAL if state[1] or state[0] == 1000 else 0

    def actions(self, state: tuple[int, bool]) -> tuple[str, str]:
        return ("on", "out")

    def next(self, state: tuple[int, bool], action: object) -> tuple[int, bool]:
        return (state[0] + 1, False) if action == "on" else (state[0], True)

    def observe(self, state: tuple[int, bool], player: int) -> int:
        return state[0]

    def payoff(self, state: tuple[int, bool]) -> Any:
        return self.paid(state[0])


def paying(odd: dict[int, Any]) -> HistoryTree:
    return cf.compile_game(Paying(lambda at: odd.get(at, (at, -at))))


@pytest.mark.parametrize("odd", [(np.float64(2), 0.5), [2, 0.5], (np.int64(2), 0.5)])
def test_payoffs_that_are_not_plain_are_looked_at_one_by_one(odd: Any) -> None:
    payoff = paying({300: odd}).payoff
    assert payoff[np.flatnonzero(payoff.sum(axis=1))].tolist() == [[2.0, 0.5]]
    assert len(payoff) == 1001


def test_a_wrong_payoff_far_behind_right_ones_is_told_with_its_state() -> None:
    """The deepest end comes first."""
    with pytest.raises(RulesError, match=r"player 2 is nan at \(400, True\)"):
        paying({400: (0, math.nan), 300: (1,), 700: (np.float64(2), 0)})
    with pytest.raises(RulesError, match=r"1 numbers for 2 players at \(300, True\)"):
        paying({300: (1,)})
    with pytest.raises(RulesError, match=r"player 1 is .* at \(300, True\), not a finite"):
        paying({300: (10**400, 0)})
