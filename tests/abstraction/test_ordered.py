"""Ordered games: rules from names to nearer names, and how two games fit."""

import numpy as np
import pytest

from counterfold.abstraction.maps import Mapped, RelativeCards
from counterfold.abstraction.ordered import check_increasing, clipped, fit, nearest, same, variant
from counterfold.errors import MismatchError, ParameterError, UnsupportedError
from counterfold.games.cheat import Cheat
from counterfold.games.leduc import Leduc
from counterfold.games.liars_dice import LiarsDice
from counterfold.tree.history import compile_game


def infosets(game):
    return compile_game(game).infosets


def test_names_come_nearer():
    assert clipped("10 J | rank J | 5:4:1 | 2 1!", 3) == "10 J | rank J | 3:3:1 | 2 1!"
    assert list(nearest(1)("A 2 | rank A")) == ["A 2 | rank A"]
    assert list(nearest(1)("A | rank 2 | claim 1 | 2:2 | 2 1! 1")) == [
        "A | rank 2 | claim 1 | 2:2 | 2 1! 1",
        "A | rank 2 | claim 1 | 1:1 | 2 1! 1",
        "A | rank 2 | claim 1 | 1:1 | 1! 1",
        "A | rank 2 | claim 1 | 1:1 | 1",
        "A | rank 2 | claim 1 | 1:1",
    ]


def test_memoryless_games_have_the_same_infosets_and_hp_ones_clip():
    three, four = (infosets(Cheat(health=n, view="memoryless")) for n in (3, 4))
    found = fit(four, three, same)
    assert (found.same, found.nearest, found.fresh) == (292, 0, 0)
    three, four = (infosets(Cheat(health=n, view="hp")) for n in (3, 4))
    found = fit(four, three, nearest(3))
    assert found.fresh == 0
    for i in range(0, len(four.labels), 7):
        small = three.labels[found.row[i]]
        assert small in nearest(3)(four.labels[i])
        assert three.actions[found.row[i]] == four.actions[i]
        assert three.owner[found.row[i]] == four.owner[i]
        if (
            "4:" not in four.labels[i]
            and ":4" not in four.labels[i]
            and four.labels[i] in three.labels
        ):
            assert small == four.labels[i]


def test_tables_go_slot_by_slot():
    two, three = (infosets(Cheat(health=n, view="hp")) for n in (2, 3))
    found = fit(three, two, nearest(2))
    table = np.random.default_rng(1).random(two.slots)
    carried = found.carried(table, rest=-1.0)
    assert found.fresh > 0
    for i, row in enumerate(found.row.tolist()):
        mine = carried[int(three.start[i]) : int(three.start[i + 1])]
        if row < 0:
            assert (mine == -1).all()
        else:
            assert (mine == table[int(two.start[row]) : int(two.start[row + 1])]).all()


def test_variants_keep_their_maps():
    game = Mapped(Cheat(view="hp"), RelativeCards())
    assert str(variant(game, health=5)) == 'mapped(game="cheat(health=5,view=hp)",maps=cards)'
    with pytest.raises(UnsupportedError, match="no parameter 'health'"):
        variant(Leduc(), health=3)


def test_games_that_are_not_ordered_are_refused():
    with pytest.raises(MismatchError, match="not ordered"):
        fit(infosets(Leduc()), infosets(Cheat(health=1, view="hp")))
    with pytest.raises(MismatchError, match="has the actions"):
        fit(infosets(LiarsDice(sides=3)), infosets(LiarsDice(sides=2)))


@pytest.mark.parametrize("values", [(), (3, 3), (4, 3), (True,), ("3",)])
def test_stages_must_grow(values):
    with pytest.raises(ParameterError):
        check_increasing(values, "health")
