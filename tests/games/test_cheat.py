"""Cheat: deals, turns, challenges and ends by hand; infoset counts; what players see."""

import math
import random
from collections import Counter
from itertools import product

import pytest

from counterfold.errors import ParameterError, SpecError
from counterfold.games.base import CHANCE, TERMINAL, spec_of
from counterfold.games.catalog import load
from counterfold.games.cheat import Cheat
from counterfold.games.cheat_sights import VIEWS, Sight, narrowed, read_round
from counterfold.games.cheat_states import End
from counterfold.testing import check_game
from counterfold.tree.history import compile_game
from counterfold.tree.sequence import sequence_form


def follow(game, *events):
    state = game.root()
    for event in events:
        assert event in [
            *(o for o, _ in (game.chance(state) if game.turn(state) == CHANCE else ())),
            *(game.actions(state) if game.turn(state) >= 0 else ()),
        ], (event, state)
        state = game.next(state, event)
    return state


def walk(game, seed):
    """A random game, state by state."""
    rng, state, passed = random.Random(seed), game.root(), []
    while game.turn(state) != TERMINAL:
        passed.append(state)
        if game.turn(state) == CHANCE:
            moves = [outcome for outcome, _ in game.chance(state)]
        else:
            moves = list(game.actions(state))
        state = game.next(state, rng.choice(moves))
    return [*passed, state]


def test_every_deal_has_the_probability_of_its_cards():
    game = Cheat()
    found = Counter()

    def deal(state, chance):
        if game.turn(state) == CHANCE:
            for outcome, share in game.chance(state):
                deal(game.next(state, outcome), chance * share)
        else:
            found[state.hands, state.seat] += chance

    deal(game.root(), 1.0)
    expected = Counter()
    for cards in product(range(6), repeat=4):
        if len(set(cards)) == 4:
            hands = [tuple(sum(c // 2 == r for c in pair) for r in range(3))
                     for pair in (cards[:2], cards[2:])]  # fmt: skip
            for seat in range(2):
                expected[tuple(hands), seat] += 1 / 360 / 2
    assert len(found) == 42
    assert found.keys() == expected.keys()
    assert all(math.isclose(found[key], expected[key]) for key in found)


def test_all_cards_are_dealt_and_the_first_seats_get_one_more():
    game = load("cheat:original(players=3)")
    assert game.dealt == (18, 17, 17)
    state = walk(Cheat(ranks=13, copies=4, players=3, hand=None, health=1), 1)[-1]
    assert sum(map(sum, state.hands)) <= 52
    dealt = next(s for s in walk(game.__class__(13, 4, 3, None, 1), 2) if hasattr(s, "pile"))
    assert [sum(hand) for hand in dealt.hands] == [18, 17, 17]
    assert all(sum(hand[r] for hand in dealt.hands) == 4 for r in range(13))


def test_a_lie_is_taken_back_with_the_pile():
    game = Cheat()
    state = follow(game, "1 gets 1xA", "1 gets 1x2", "2 gets 1xA", "2 gets 0x2", "1 begins")
    assert state.hands == ((1, 1, 0), (1, 0, 1))
    state = game.next(game.next(state, "A"), "pass")
    assert (state.pile, state.seat, state.rank) == ((1, 0, 0), 1, 1)
    state = game.next(state, "3")
    assert game.describe(state, "challenge") == (
        "Player 1 challenges: it was a lie (3), so player 2 takes 2 cards and has 2 health left"
    )
    state = game.next(state, "challenge")
    assert state.hands == ((0, 1, 0), (2, 0, 1))
    assert (state.pile, state.health, state.seat, state.rank) == ((0, 0, 0), (3, 2), 0, 2)
    assert game.describe(state, "2") == "Player 1 discards 1 as 1 of rank 3 (2)"
    assert game.describe(state, "2", viewer=1) == "Player 1 discards 1 as 1 of rank 3"
    lost = game.next(game.next(state, "2"), "pass")
    assert isinstance(lost, End)
    assert game.payoff(lost) == (1.0, -1.0)


def test_a_last_card_must_survive_its_challenge():
    game = Cheat(hand=1, health=1)
    lie = follow(game, "1 gets 0xA", "1 gets 1x2", "2 gets 1xA", "1 begins", "2")
    assert game.payoff(game.next(lie, "challenge")) == (-1.0, 1.0)
    assert game.payoff(game.next(lie, "pass")) == (1.0, -1.0)
    true = follow(game, "1 gets 1xA", "2 gets 1xA", "1 begins", "A", "challenge")
    assert game.payoff(true) == (1.0, -1.0)


def test_three_players_are_asked_in_turn_and_share():
    game = Cheat(players=3, ranks=3, hand=2, health=2)
    state = follow(game, "1 gets 2xA", "2 gets 2x2", "2 begins", "2", "pass")
    assert game.turn(state) == 0
    assert game.observe(state, 0).claim == "claim 1 by 2"
    challenged = game.next(state, "challenge")
    assert challenged.health == (2, 1, 2)
    assert challenged.seat == 2
    assert game.observe(challenged, 0).history == "x1!1=2"
    assert game.observe(challenged, 1).history == "2!1=lie>2"
    end = next(
        s for seed in range(99) if isinstance(s := walk(game, seed)[-1], End) and s.lost >= 0
    )
    assert sorted(game.payoff(end)) == [-1.0, 0.5, 0.5]
    end = next(s for seed in range(99) if (s := walk(game, seed)[-1]).won >= 0)
    assert sorted(game.payoff(end)) == [-0.5, -0.5, 1.0]


@pytest.mark.parametrize("seed", range(20))
def test_cards_are_neither_made_nor_lost(seed):
    game = Cheat(players=2 + seed % 2, ranks=4, copies=2, hand=2, health=None, turns=60)
    states = [state for state in walk(game, seed) if hasattr(state, "pile")]
    cards = [
        [sum(hand[r] for hand in s.hands) + s.pile[r] + (s.laid[r] if s.laid else 0)
         for r in range(4)]
        for s in states
    ]  # fmt: skip
    assert all(c == cards[0] for c in cards)
    turns = [s for s in states if s.laid is None]
    assert [s.rank for s in turns] == [t % 4 for t in range(len(turns))]
    assert [s.seat for s in turns] == [
        (turns[0].seat + t) % game.players for t in range(len(turns))
    ]


def test_a_limit_of_turns_is_a_draw():
    game = Cheat(health=None, turns=1)
    state = follow(game, "1 gets 2xA", "2 gets 2x2", "1 begins", "A", "pass")
    assert game.payoff(state) == (0.0, 0.0)
    assert game.shown(state) == "draw"


@pytest.mark.parametrize(
    ("view", "health", "infosets", "states"),
    [
        ("memoryless", 3, 292, 9_592), ("memoryless", 4, 292, 18_968),
        ("memoryless", 5, 292, 31_802), ("hp", 3, 1_342, 9_592), ("hp", 4, 2_596, 18_968),
        ("hp", 5, 4_280, 31_802),
    ],
)  # fmt: skip
def test_published_counts(view, health, infosets, states):
    tree = compile_game(load(f"cheat:mini(health={health},view={view})"))
    assert len(tree.infosets.owner) == infosets
    assert int((tree.turn >= 0).sum()) == states


def test_views_tell_more_and_more():
    sizes = [len(compile_game(Cheat(health=2, view=view)).infosets.owner) for view in VIEWS]
    assert sizes == [286, 504, 1_180, 1_180, 4_854]
    trees = {view: compile_game(Cheat(health=2, view=view)) for view in VIEWS}
    assert sequence_form(trees["perfect"]).perfect_recall
    assert not sequence_form(trees["general"]).perfect_recall
    assert [trees[view].merged for view in VIEWS] == [True, True, False, False, False]


@pytest.mark.parametrize("rounds", [None, 2])
@pytest.mark.parametrize("view", VIEWS[:-1])
def test_a_view_is_a_part_of_the_perfect_one(view, rounds):
    if rounds and view in ("memoryless", "hp"):
        return
    for players in (2, 3):
        full = Cheat(players=players, health=3)
        part = Cheat(players=players, health=3, view=view, rounds=rounds)
        for seed in range(15):
            rng, a, b = random.Random(seed), full.root(), part.root()
            while full.turn(a) != TERMINAL:
                who = full.turn(a)
                if who >= 0:
                    assert narrowed(full.observe(a, who), view, rounds) == part.observe(b, who)
                    assert full.actions(a) == part.actions(b)
                    moves = full.actions(a)
                else:
                    moves = [outcome for outcome, _ in full.chance(a)]
                move = rng.choice(moves)
                a, b = full.next(a, move), part.next(b, move)


def test_words_of_a_perfect_history():
    assert read_round("2") == (1, ("2",), None, None)
    assert read_round("x2!true>A+A+3") == (2, None, -1, False)
    assert read_round("x1!K") == (1, ("K",), -1, True)
    assert read_round("10+J!2=lie>10+J") == (2, ("10", "J"), 1, True)
    seen = Sight("A", "rank A", "", "others 2+1 pile 0", "1:2:3", "2 x2 10+J!2=lie>10+J")
    assert narrowed(seen, "general", 2).history == "2 2!"
    assert narrowed(seen, "hp").others == "last card"


@pytest.mark.parametrize("spec", [
    "cheat:mini", "cheat:original(players=3)", "cheat(ranks=4,copies=3,hand=3,health=2,view=hp)",
    "cheat(view=general,rounds=2)", "cheat(players=3,health=2,most=1)",
])  # fmt: skip
def test_specs_load_again_and_the_contract_holds(spec):
    game = load(spec)
    assert load(spec_of(game)) == game
    assert check_game(game, limit=200).infosets


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("cheat(hand=4)", "cannot be dealt"), ("cheat(health=0)", "health"),
        ("cheat(view=psychic)", "view must be memoryless"), ("cheat(rounds=2,view=hp)", "rounds"),
        ("cheat(players=7,hand=none)", "not enough"), ("cheat(most=0)", "most"),
        ("cheat(ranks=100,copies=4,hand=1)", "allow fewer"), ("cheat(players=1)", "players"),
    ],
)  # fmt: skip
def test_refusals(spec, words):
    with pytest.raises(ParameterError, match=words):
        load(spec)


def test_a_mapped_spec_needs_both_parts():
    with pytest.raises(SpecError, match="takes a game and maps"):
        load("mapped(cheat)")


def test_endless():
    assert load("cheat:original").endless
    assert Cheat(health=100).endless
    assert not Cheat(health=100, view="hp").endless
    assert not Cheat().endless
