"""Maps: counts of the paper, the same play under other names, and what does not fit."""

import pytest

import counterfold as cf
from counterfold.abstraction.fallback import lifted
from counterfold.abstraction.maps import (
    Drop,
    Keep,
    LastRounds,
    Mapped,
    RelativeCards,
    Through,
    map_of,
    mapped,
)  # fmt: skip
from counterfold.errors import (
    CounterfoldError,
    ParameterError,
    RulesError,
    SpecError,
    UnsupportedError,
)
from counterfold.games.base import label
from counterfold.games.catalog import load
from counterfold.games.cheat import Cheat
from counterfold.games.leduc import Leduc
from counterfold.testing import check_game
from counterfold.tree.history import compile_game


def infosets(game):
    return len(compile_game(game).infosets.owner)


@pytest.mark.parametrize(
    ("view", "health", "count"),
    [("memoryless", 3, 100), ("memoryless", 5, 100), ("hp", 3, 606), ("hp", 4, 1_068),
     ("hp", 5, 1_662)],
)  # fmt: skip
def test_published_counts(view, health, count):
    assert infosets(Mapped(Cheat(health=health, view=view), RelativeCards())) == count


def test_relative_cards_name_actions_from_the_current_rank():
    game = Mapped(Cheat(view="memoryless"), RelativeCards())
    state = game.root()
    for event in ("1 gets 1xA", "1 gets 0x2", "2 gets 1xA", "2 gets 1x2", "2 begins", "0", "pass"):
        state = game.next(state, event)
    assert label(game.observe(state, 0)) == "1 2 | last card"  # 3 and A while 2 is claimed
    assert game.actions(state) == ("1", "2", "1 2")
    assert game.next(state, "1").laid == (0, 0, 1)
    assert game.next(state, game.actions(state)[1]).laid == (1, 0, 0)
    assert game.describe(state, "1 2").endswith("(3 A)")
    with pytest.raises(ParameterError, match="no action"):
        game.next(state, "0")


def test_a_window_shrinks_the_states_too():
    whole, part = (
        Cheat(health=2, view="history"),
        Mapped(Cheat(health=2, view="history"), LastRounds(2)),
    )
    assert part.rounds == 2
    assert compile_game(part).merged
    assert compile_game(part).histories < compile_game(whole).histories
    # The window over a whole history gives the same infosets as states that forget.
    unmerged = Mapped(whole, Through(LastRounds(2).see))
    assert sorted(compile_game(unmerged).infosets.labels) == sorted(
        compile_game(part).infosets.labels
    )


def test_maps_compose_and_dropping_goes_from_view_to_view():
    dropped = Mapped(Cheat(health=2, view="hp"), Drop("health"))
    assert infosets(dropped) == infosets(Cheat(health=2, view="memoryless"))
    both = mapped("cheat:mini(health=2,view=hp)", "drop=health,cards")
    assert infosets(both) == infosets(mapped("cheat:mini(health=2,view=memoryless)", "cards"))
    assert str(load(str(both))) == str(both)
    again = Mapped(Mapped(Cheat(health=2, view="hp"), Drop("health")), RelativeCards())
    assert str(again) == str(both)


def test_any_game_can_be_mapped():
    blind = Mapped(Leduc(), Drop(1))
    with pytest.raises(RulesError, match="one observation must have one list of actions"):
        compile_game(blind)
    game = Mapped(Leduc(), Through(lambda seen: (seen[0] in "K", *seen[1:]), "king"))
    tree = compile_game(game)
    assert len(tree.infosets.owner) < infosets(Leduc())
    assert tree.histories == compile_game(Leduc()).histories
    assert check_game(game, limit=500)
    assert not hasattr(Mapped(Leduc(), Drop(0)), "describe")  # as the game itself


def test_uniform_play_is_worth_the_same_through_any_map():
    full = compile_game(Cheat(health=1))
    value = cf.value(cf.Strategy.uniform(full))
    for maps in ((RelativeCards(),), (RelativeCards(), LastRounds(1)), (Drop("health"),)):
        game = Mapped(Cheat(health=1, view="general"), *maps)
        assert cf.value(lifted(cf.Strategy.uniform(game), full)) == pytest.approx(value)


def test_players_who_are_not_to_move_see_through_maps_too():
    game = Mapped(Cheat(view="hp"), Keep("hand", "health"))
    state = game.root()
    assert game.observe(state, 0) is None
    for event in ("1 gets 2xA", "2 gets 2x2", "2 begins"):
        state = game.next(state, event)
    assert label(game.observe(state, 0)) == "A A | 3:3"


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Mapped(Leduc(), RelativeCards()), UnsupportedError, "no ranks that go round"),
        (lambda: Mapped(Cheat(view="hp"), LastRounds(2)), ParameterError, "hp has none"),
        (lambda: LastRounds(0), ParameterError, "rounds"),
        (lambda: map_of("suits"), SpecError, "there are cards"),
        (lambda: map_of("rounds=many"), ParameterError, "whole number"),
        (lambda: map_of("drop="), ParameterError, "which parts"),
        (lambda: compile_game(Mapped(Cheat(), Drop("colour"))), UnsupportedError, "hand, rank"),
        (lambda: compile_game(Mapped(Leduc(), Drop(7))), UnsupportedError, "2 parts"),
    ],
)  # fmt: skip
def test_refusals(make, error, words):
    with pytest.raises(error, match=words) as caught:
        make()
    assert isinstance(caught.value, CounterfoldError)


def test_names_that_fall_together_are_refused():
    game = Mapped(Leduc(), Through(lambda seen: seen, "same", call=lambda seen, action: "act"))
    with pytest.raises(UnsupportedError, match="two actions one name"):
        compile_game(game)
