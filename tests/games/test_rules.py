"""Rules that break the contract: ``solve`` and ``check_game`` refuse them alike."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import count, repeat

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import RulesError
from counterfold.games.base import CHANCE, TERMINAL, Game
from counterfold.testing import check_game
from tests.games.test_contract import Coin as Guess


class Coin(Guess, Game):
    """A toss, then a guess that the other pays for, to be broken in one place each."""

    players = 2

    def payoff(self, state):
        won = float(state[0] == state[1])
        return won, -won


def broken(**parts):
    methods = {
        name: (lambda self, *given, part=part: part(*given)) if callable(part) else part
        for name, part in parts.items()
    }
    return type("Broken", (Coin,), methods)()


class Bag:
    """A state that can be changed and has no equality of its own."""

    def __init__(self, *items):
        self.items = list(items)


class Box(Bag):
    """A state that can be changed, though it compares and hashes."""

    def __eq__(self, other):
        return self.items == other.items

    def __hash__(self):
        return 7


class Shifty(Box):
    """A state whose hash moves with it."""

    def __hash__(self):
        return hash(tuple(self.items))


def in_place(kind, *, copied=False):
    """A coin whose ``next`` changes the state it is given."""

    class Spoiler(Coin):
        start = kind()

        def root(self):
            return self.start

        def turn(self, state):
            return super().turn(state.items[:2])

        def next(self, state, action):
            state.items.append(action)
            return kind(*state.items) if copied else state

        def payoff(self, state):
            return super().payoff(state.items)

    return Spoiler()


class Nested(Coin):
    """A state in a tuple, changed in place."""

    def __init__(self):
        self.board = Bag()

    def root(self):
        return (self.board, 0)

    def turn(self, state):
        return super().turn(range(min(state[1], 2)))

    def next(self, state, action):
        state[0].items.append(action)
        return (state[0], state[1] + 1)

    def payoff(self, state):
        return 1.0, -1.0


class Mute:
    """Says nothing of itself."""

    def __init__(self, *items):
        self.items = items

    def __repr__(self):
        raise RuntimeError("no words")

    def __eq__(self, other):
        return self.items == other.items

    def __hash__(self):
        return hash(self.items)


class Faulty:
    """Fails when it is hashed, compared or printed."""

    def __init__(self, *methods):
        self.methods = methods

    def __hash__(self):
        if "hash" in self.methods:
            raise ValueError("no hash")
        return 1

    def __eq__(self, other):
        if "eq" in self.methods:
            raise ValueError("no equality")
        return True

    def __str__(self):
        if "str" in self.methods:
            raise ValueError("no name")
        return "faulty"


def deep(n=0):
    return deep(n + 1)


def leave(*_):
    raise SystemExit(3)


BROKEN = {
    "payoff dict": (broken(payoff=lambda s: {0: 1.0, 1: -1.0}), "payoff must give a sequence"),
    "payoff set": (broken(payoff=lambda s: {1.0, -1.0}), "payoff gives a set"),
    "payoff frozenset": (broken(payoff=lambda s: frozenset((1, 2))), "payoff gives a set"),
    "payoff text": (broken(payoff=lambda s: "12"), "payoff must give a sequence"),
    "payoff number": (broken(payoff=lambda s: 1.0), "payoff must give a sequence"),
    "payoff 0-d": (broken(payoff=lambda s: np.array(1.0)), "payoff must give a sequence"),
    "payoff 2-d": (broken(payoff=lambda s: np.eye(2)), "payoff of player 1"),
    "payoff complex": (broken(payoff=lambda s: (1j, 0)), "payoff of player 1 is 1j"),
    "payoff texts": (broken(payoff=lambda s: ("1", "-1")), "payoff of player 1 is '1'"),
    "payoff truths": (broken(payoff=lambda s: (True, False)), "payoff of player 1 is True"),
    "payoff numpy truths": (broken(payoff=lambda s: (np.bool_(1), 0)), "payoff of player 1"),
    "payoff None": (broken(payoff=lambda s: (0.0, None)), "payoff of player 2 is None"),
    "payoff nan": (broken(payoff=lambda s: (0.0, math.nan)), "payoff of player 2 is nan"),
    "payoff infinite": (broken(payoff=lambda s: (-math.inf, 0)), "payoff of player 1 is -inf"),
    "payoff numpy inf": (broken(payoff=lambda s: np.array([0, np.inf])), "payoff of player 2"),
    "payoff of 400 digits": (broken(payoff=lambda s: (10**400, 0)), "payoff of player 1"),
    "payoff decimal nan": (broken(payoff=lambda s: (Decimal("nan"), 0)), "payoff of player 1"),
    "payoff endless": (broken(payoff=lambda s: repeat(1.0)), "payoff gives more than 1,000,000"),
    "actions endless": (broken(actions=lambda s: count()), "actions gives more than 1,000,000"),
    "actions set": (broken(actions=lambda s: {"a", "b"}), "actions gives a set"),
    "actions number": (broken(actions=lambda s: 3), "actions must give a sequence"),
    "actions range": (broken(actions=lambda s: range(10**12)), "actions gives more than"),
    "actions lists": (broken(actions=lambda s: [["a"]]), r"action \['a'\] is not hashable"),
    "action without hash": (
        broken(actions=lambda s: [Faulty("hash")]),
        "actions|observe.*no hash",
    ),
    "chance endless": (
        broken(chance=lambda s: ((i, 0.5) for i in count())),
        "chance gives more than 1,000,000",
    ),
    "chance dict": (broken(chance=lambda s: {"ab": 0.5}), "chance must give a sequence"),
    "chance set": (broken(chance=lambda s: {("a", 1.0)}), "chance gives a set"),
    "chance texts": (broken(chance=lambda s: [("a", "0.5")]), "the probability '0.5'"),
    "chance negative": (broken(chance=lambda s: [("a", -0.5), ("b", 1.5)]), "probability -0.5"),
    "chance complex": (broken(chance=lambda s: [("a", 1 + 0j)]), "probability"),
    "chance None": (broken(chance=lambda s: [("a", None)]), "the probability None"),
    "chance nan": (broken(chance=lambda s: [("a", math.nan)]), "the probability nan"),
    "chance lists": (broken(chance=lambda s: [(["a"], 1.0)]), "(outcome|state) .* is not hashable"),
    "turn truth": (broken(turn=lambda s: True), "turn is True"),
    "turn float": (broken(turn=lambda s: 0.0), "turn is 0.0"),
    "turn text": (broken(turn=lambda s: "0"), "turn is '0'"),
    "turn huge": (broken(turn=lambda s: 10**30), "turn is 10"),
    "players text": (broken(players="two"), "players is 'two'"),
    "players none": (broken(players=None), "players is None"),
    "players float": (broken(players=2.0), "players is 2.0"),
    "players of 400 digits": (broken(players=10**400), "players is 1000"),
    "changed in place": (lambda: in_place(Bag), "next changed the state"),
    "changed, with equality": (lambda: in_place(Box), "next changed the state"),
    "changed, with hash": (lambda: in_place(Shifty), "next changed the state"),
    "changed and copied": (
        lambda: in_place(Bag, copied=True),
        "next changed the state|next gives two answers",
    ),
    "changed and copied, with equality": (
        lambda: in_place(Box, copied=True),
        "next changed the state|next gives two answers",
    ),
    "changed within a tuple": (lambda: Nested(), "next changed the state"),
    "lists": (broken(root=lambda: []), r"state \[\] is not hashable"),
    "arrays": (broken(root=lambda: np.zeros(3)), "state .* is not hashable"),
    "hash raises": (broken(root=lambda: Faulty("hash")), "no hash"),
    "a generator is seen": (
        broken(observe=lambda s, p: (x for x in s)),
        "place in memory|observe gives two answers",
    ),
    "deep": (broken(next=lambda s, a: deep()), "next .*RecursionError"),
    "deep observe": (broken(observe=lambda s, p: deep()), "observe .*RecursionError"),
    "leaves": (broken(payoff=leave), "payoff .*SystemExit"),
    "stops": (broken(actions=lambda s: next(iter(()))), "actions .*"),
    "mute, and wrong": (
        broken(root=lambda: Mute(), turn=lambda s: 9),
        "turn is 9 at <Mute, whose repr raises RuntimeError>",
    ),
    "long": (broken(root=lambda: ("x" * 10**6,), turn=lambda s: 9), "turn is 9 at"),
    "escapes": (broken(root=lambda: Coin, turn=lambda s: "\x1b[2J\n"), "turn is"),
}


@pytest.mark.parametrize("work", [cf.compile_game, cf.solve, check_game])
@pytest.mark.parametrize("kind", BROKEN)
def test_broken_rules_are_refused_alike(kind, work):
    game, told = BROKEN[kind]
    with pytest.raises(RulesError, match=told) as caught:
        work(game() if callable(game) else game)
    sentence = str(caught.value)
    assert sentence.isprintable()
    assert len(sentence) < 400


GOOD = {
    "array": lambda s: np.array([1.0, -1.0]),
    "scalars": lambda s: (np.float32(1), np.int64(-1)),
    "0-d within": lambda s: (np.array(1.0), np.array(-1)),
    "fractions": lambda s: (Fraction(1), Fraction(-1)),
    "decimals": lambda s: [Decimal(1), Decimal("-1.0")],
    "generator": lambda s: (x for x in (1, -1)),
}


@pytest.mark.parametrize("kind", GOOD)
def test_numbers_of_any_make_are_payoffs(kind):
    game = broken(payoff=GOOD[kind])
    assert (cf.compile_game(game).payoff == [1.0, -1.0]).all()
    assert check_game(game).complete


def test_good_states_of_many_kinds():
    for kind in (Bag, Box, Shifty, Mute):
        game = broken(
            root=kind,
            turn=lambda s: (CHANCE, 0, TERMINAL)[len(s.items)],
            next=lambda s, a, kind=kind: kind(*s.items, a),
            payoff=lambda s: (1.0, -1.0),
        )
        assert cf.compile_game(game).histories == 7
    for number in (np.int8, np.int64):
        game = broken(turn=lambda s, kind=number: kind((CHANCE, 0, TERMINAL)[len(s)]))
        assert cf.compile_game(game).histories == 7
        assert check_game(game).complete


def test_a_state_may_remember_what_was_asked():
    class Lazy(Bag):
        def __init__(self, *items):
            super().__init__(*items)
            self.legal, self._cache = None, {}

        def moves(self):
            if self.legal is None:
                self.legal = ["heads", "tails"]
            self._cache["asked"] = True
            self.later = 1
            return self.legal

    game = broken(
        root=Lazy,
        turn=lambda s: (CHANCE, 0, TERMINAL)[len(s.items)],
        actions=lambda s: s.moves(),
        next=lambda s, a: Lazy(*s.items, a),
        payoff=lambda s: (1.0, -1.0),
    )
    assert cf.compile_game(game).histories == 7


def test_names_that_cannot_be_told():
    for thing, told in [
        (Faulty("str"), "no name"),
        ("\ud800", "no name"),
        (object(), "place in memory"),
        (lambda: 0, "place in memory"),
    ]:
        with pytest.raises(RulesError, match=told):
            cf.compile_game(broken(observe=lambda s, p, thing=thing: thing))
        with pytest.raises(RulesError, match=told):
            cf.compile_game(broken(actions=lambda s, thing=thing: [thing, "other"]))


def test_a_line_without_end_ends(monkeypatch):
    monkeypatch.setattr("counterfold.tree.walk.DEEPEST", 1000)
    game = broken(
        root=lambda: 0, turn=lambda s: 0, actions=lambda s: ["on"], next=lambda s, a: s + 1
    )
    with pytest.raises(RulesError, match=r"more than 1,000 moves.*does the game end"):
        cf.compile_game(game)


def test_an_error_that_cannot_be_told():
    class SilentError(Exception):
        def __str__(self):
            raise ValueError("silence")

    def fail(*_):
        raise SilentError

    for work in (cf.compile_game, check_game):
        with pytest.raises(RulesError, match=r"payoff .*SilentError"):
            work(broken(payoff=fail))
