"""``check_game``: all our games pass, and each rule is broken once."""

import math

import pytest

from counterfold.errors import ParameterError, RulesError, UnsupportedError
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.games.catalog import games, load
from counterfold.testing import GameReport, check_game

SPECS = [entry.name for entry in games() if entry.name != "normal_form"] + [
    "kuhn(players=4)",
    "one_card(players=3,ranks=3,suits=2,ante=1/2)",
    "leduc(players=3,ranks=4,suited=true)",
    "liars_dice(players=3,dice=1+2+1,sides=3)",
    "goofspiel(cards=5,prizes=random,imperfect=false,returns=points)",
    "goofspiel(players=3,cards=3,prizes=ascending)",
]


@pytest.mark.parametrize("spec", SPECS)
def test_our_games_pass(spec):
    # With 52 cards a state has hundreds of discards or deals, and each of them is looked at.
    large = spec.startswith(("cheat:original", "holdem"))
    report = check_game(load(spec), limit=300 if large else 3_000)
    assert report.terminals
    assert report.infosets


def test_the_report_counts_what_was_walked():
    whole = GameReport(states=9457, infosets=288, terminals=5520, complete=True)
    assert check_game(load("leduc")) == whole
    part = check_game(load("liars_dice"), limit=500)
    assert (part.states, part.complete) == (500, False)
    assert part.terminals
    assert check_game(load("kuhn"), limit=58).complete
    assert not check_game(load("kuhn"), limit=57).complete
    with pytest.raises(ParameterError, match="limit"):
        check_game(load("kuhn"), limit=0)


class Coin:
    """Chance, then a guess: a good game, to be broken in one place each."""

    players = 1

    def root(self):
        return ()

    def turn(self, state):
        return (CHANCE, 0, TERMINAL)[len(state)]

    def chance(self, state):
        return [("heads", 0.5), ("tails", 0.5)]

    def actions(self, state):
        return ["heads", "tails"]

    def next(self, state, action):
        return (*state, action)

    def observe(self, state, player):
        return "guess"

    def payoff(self, state):
        return [float(state[0] == state[1])]


def broken(**parts):
    """A coin with other methods; a function takes the state first, without self."""
    wrapped = {
        name: (lambda self, *given, part=part: part(*given)) if callable(part) else part
        for name, part in parts.items()
    }
    return type("Broken", (Coin,), wrapped)()


def test_one_player_is_enough():
    assert check_game(Coin()) == GameReport(states=7, infosets=1, terminals=4, complete=True)


def test_players_are_two_where_nothing_is_told():
    class Silent:
        root, next, observe = Coin.root, Coin.next, Coin.observe
        actions, chance, turn = Coin.actions, Coin.chance, Coin.turn

        def payoff(self, state):
            return 1.0, -1.0

    assert check_game(Silent()).complete


class Turnstile:
    """Changes its mind."""

    def __init__(self, *answers):
        self.answers, self.calls = answers, 0

    def __call__(self, *given):
        self.calls += 1
        return self.answers[self.calls % len(self.answers)]


class Box:
    """A state that can be changed, though it hashes."""

    def __init__(self, *items):
        self.items = list(items)

    def __eq__(self, other):
        return self.items == other.items

    def __hash__(self):
        return len(self.items) > 99

    def __repr__(self):
        return f"Box{self.items}"


class BoxCoin(Coin):
    def root(self):
        return Box()

    def turn(self, state):
        return super().turn(state.items)

    def next(self, state, action):
        return Box(*state.items, action)

    def payoff(self, state):
        return super().payoff(state.items)


class Spoiler(BoxCoin):
    def observe(self, state, player):
        state.items.sort(reverse=True)
        state.items[0] = "spoilt"
        return "guess"


class Bare:
    """A state without equality."""


@pytest.mark.parametrize(
    ("game", "word"),
    [
        (broken(players=0), "must be a whole number from 1 to 100"),
        (broken(players=1.0), "must be a whole number from 1 to 100"),
        (broken(players=True), "must be a whole number from 1 to 100"),
        (object(), r"lacks the method root\(\)"),
        (broken(observe=None), r"lacks the method observe\(\)"),
        (broken(chance=None), r"lacks the method chance\(\)"),
        (broken(turn=lambda s: 1), r"turn is 1 at \(\)"),
        (broken(turn=lambda s: -3), "turn is -3"),
        (broken(turn=lambda s: 0.0), "turn is 0.0"),
        (broken(turn=lambda s: None), "turn is None"),
        (broken(actions=lambda s: []), r"player 1 has no action at \('(heads|tails)',\)"),
        (broken(actions=lambda s: None), "actions must give a sequence"),
        (broken(actions=lambda s: ["a", "a"]), "action 'a' comes twice"),
        (broken(actions=lambda s: [["a"]]), r"action \['a'\] is not hashable"),
        (broken(chance=lambda s: []), "sum to 0, not 1"),
        (broken(chance=lambda s: [("a", 0.5), ("b", 0.4)]), "sum to 0.9, not 1"),
        (broken(chance=lambda s: [("a", 0.5), ("b", 0.5 + 1e-8)]), "not 1"),
        (broken(chance=lambda s: [("a", 1.0), ("b", 0.0)]), "'b' has probability 0 at"),
        (broken(chance=lambda s: [("a", 1.5), ("b", -0.5)]), "'a' the probability 1.5"),
        (broken(chance=lambda s: [("a", math.nan)]), "'a' the probability nan"),
        (broken(chance=lambda s: [("a", "1")]), "'a' the probability '1'"),
        (broken(chance=lambda s: ["a"]), "pairs of an outcome"),
        (broken(chance=lambda s: [("a", 0.5), ("a", 0.5)]), "outcome 'a' comes twice"),
        (broken(actions=lambda s: [s[0], "edge"]), "observes 'guess' both with"),
        (
            broken(actions=lambda s: ["a", "b"] if s[0] == "heads" else ["b", "a"]),
            "observes 'guess' both with",
        ),
        (broken(observe=lambda s, p: [1]), r"observation \[1\] is not hashable"),
        (broken(payoff=lambda s: [1.0, 2.0]), "payoff has 2 numbers for 1 players at"),
        (broken(payoff=lambda s: 1.0), "payoff must give a sequence"),
        (broken(payoff=lambda s: [math.nan]), "payoff of player 1 is nan"),
        (broken(payoff=lambda s: [math.inf]), "payoff of player 1 is inf"),
        (broken(payoff=lambda s: ["1"]), "payoff of player 1 is '1'"),
        (broken(root=lambda: []), r"state \[\] is not hashable"),
        (broken(next=lambda s, a: [*s, a]), r"state \['heads'\] is not hashable"),
        (broken(root=Bare), "root gives two answers"),
        (broken(payoff=Turnstile([1.0], [2.0])), "payoff gives two answers"),
        (broken(actions=Turnstile(["a"], ["b"])), "actions gives two answers"),
        (broken(observe=Turnstile("a", "b")), "observe gives two answers"),
        (broken(turn=Turnstile(0, 1)), "turn gives two answers"),
        (broken(next=lambda s, a: {}[a]), r"next raised KeyError: .* at \(\)"),
        (broken(root=lambda: 1 / 0), "root raised ZeroDivisionError"),
        (Spoiler(), r"a method changed the state it was given, which was Box\['(heads|tails)'\]"),
        (broken(next=lambda s, a: s), r"state \(\) comes again after itself"),
        (broken(next=lambda s, a: (*s, a) if a == "heads" else ()), "comes again after itself"),
        (broken(shown=lambda s: [s]), "shown gives .*not hashable"),
        (broken(shown=lambda s: {}[s]), "shown raised KeyError"),
        (broken(shown=Turnstile("a", "b")), "shown gives two answers"),
        (broken(merge=lambda s: 0), r"merge makes one of \(\) and .*whose turn differ"),
        (broken(merge=lambda s: len(s)), "whose payoff differ"),
        (broken(merge=lambda s: [0]), "merge gives .*not hashable"),
        (
            broken(
                merge=lambda s: len(s),
                actions=lambda s: [s[0], "edge"],
                observe=lambda s, p: s,
                payoff=lambda s: [0.0],
            ),
            "whose actions differ",
        ),
    ],
)
def test_broken_games(game, word):
    with pytest.raises(RulesError, match=word) as told:
        check_game(game)
    assert "\n" not in str(told.value)


def test_states_may_be_objects_that_compare_by_content():
    assert check_game(BoxCoin()).complete


def test_only_ends_show_something():
    def shown(state):
        assert len(state) == 2
        return state[0]

    assert check_game(broken(shown=shown)).complete
    assert check_game(broken(shown="a field of this name is no method")).complete


def test_a_cycle_between_siblings_is_found():
    graph = {"start": "ab", "a": "bc", "b": "ad", "c": "", "d": ""}
    game = broken(
        root=lambda: "start",
        turn=lambda s: 0 if graph[s] else TERMINAL,
        actions=lambda s: list(graph[s]),
        next=lambda s, a: a,
        observe=lambda s, p: s,
        payoff=lambda s: [0.0],
    )
    with pytest.raises(RulesError, match=r"state '[ab]' comes again after itself"):
        check_game(game)


def test_states_that_meet_again_are_no_cycle():
    game = broken(
        root=lambda: 0,
        turn=lambda s: 0 if s < 50 else TERMINAL,
        actions=lambda s: [1, 2],
        next=lambda s, a: s + a,
        observe=lambda s, p: s,
        payoff=lambda s: [0.0],
        merge=lambda s: s,
    )
    assert check_game(game) == GameReport(states=52, infosets=50, terminals=2, complete=True)


def test_games_without_end_stop_at_the_limit():
    game = broken(
        root=lambda: 0,
        turn=lambda s: 0,
        actions=lambda s: ["on", "skip"],
        next=lambda s, a: 2 * s + 1 + (a == "skip"),
        observe=lambda s, p: None,
    )
    assert check_game(game, limit=1_000) == GameReport(1_000, 1, 0, False)


def test_errors_raised_on_purpose_pass_through():
    def refuse(state):
        raise UnsupportedError("not this one")

    with pytest.raises(UnsupportedError):
        check_game(broken(payoff=refuse))


def test_long_states_are_told_in_short():
    game = broken(root=lambda: ("x" * 1000,), turn=lambda s: 7)
    with pytest.raises(RulesError) as told:
        check_game(game)
    assert len(str(told.value)) < 250
