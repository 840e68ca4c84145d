"""Classes of situations up to the names of suits: known counts, and brute force."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfold.errors import ParameterError
from counterfold.poker import isomorphism as iso
from counterfold.poker.cards import HOLES, hole_cards, hole_number, parse_cards

Cards = tuple[int, ...]


def renamed(cards: Cards, names: Cards) -> Cards:
    return tuple(card - card % 4 + names[card % 4] for card in cards)


situations = st.permutations(range(52)).map(
    lambda deck: (tuple(deck[:3]), (deck[3],), (deck[4],), tuple(deck[5:7]))
)


@given(situations, st.permutations(range(4)))
def test_a_standard_form_forgets_the_names_of_suits_and_nothing_else(groups, names) -> None:  # type: ignore[no-untyped-def]
    found = iso.canonical(*groups)
    assert iso.canonical(*(renamed(group, tuple(names)) for group in groups)) == found
    assert iso.canonical(*found) == found
    assert any(
        all(set(renamed(g, way)) == set(f) for g, f in zip(groups, found, strict=True))
        for way in permutations(range(4))
    )
    assert iso.canonical(*groups[:-1]) == found[:-1]  # holes nest in boards


def test_all_flops() -> None:
    wanted = Counter(iso.canonical(flop)[0] for flop in combinations(range(52), 3))
    assert len(wanted) == 1755
    flops = iso.standard_boards(3)
    assert (
        dict(zip(map(tuple, flops.cards.tolist()), flops.weights.tolist(), strict=True)) == wanted
    )


def test_starting_hands() -> None:
    found = iso.hole_classes()
    assert len(found.hole) == 169
    assert Counter(found.weight.tolist()) == {6: 13, 4: 78, 12: 78}
    assert len({iso.canonical(hole_cards(hole)) for hole in range(HOLES)}) == 169


@pytest.mark.parametrize(
    ("size", "boards", "classes", "situations"),
    [
        (3, 1_755, 1_286_792, 25_989_600),
        (4, 16_432, 13_960_050, 305_377_800),
        (5, 134_459, 123_156_254, 2_809_475_760),
    ],
)
def test_counts_of_hole_and_board(size: int, boards: int, classes: int, situations: int) -> None:
    found = iso.standard_boards(size)
    assert len(found.cards) == boards
    assert iso.count_classes(size) == (classes, situations)


def test_classes_of_holes_add_up() -> None:
    flops = iso.standard_boards(3)
    found = [iso.hole_classes(flop) for flop in flops.cards.tolist()]
    assert sum(len(classes.hole) for classes in found) == 1_286_792
    assert all(classes.weight.sum() == 1176 for classes in found)


@pytest.mark.parametrize(
    "groups",
    [
        ("Qs Jh 2h",),
        ("Qs Qh 2d",),
        ("As Ks 2s",),
        ("9s 8h 7d",),
        ("As Ks 2s", "3h"),
        ("As Ks 2s 3h",),
    ],
)
def test_classes_of_holes_are_those_of_the_standard_form(groups: tuple[str, ...]) -> None:
    # A board that is a standard form itself: its classes carry the names of standard holes.
    board = [tuple(sorted(parse_cards(text), reverse=True)) for text in groups]
    assert iso.canonical(*board) == tuple(board)
    found = iso.hole_classes(*board)
    for hole in range(HOLES):
        cards = hole_cards(hole)
        if any(set(cards) & set(group) for group in board):
            assert found.of[hole] == len(found.hole)
        else:
            standard = iso.canonical(*board, cards)[-1]
            assert found.hole[found.of[hole]] == hole_number(*standard)
    left = found.of[found.of < len(found.hole)]
    assert (np.bincount(left) == found.weight).all()


def test_impossible_requests() -> None:
    with pytest.raises(ParameterError, match="no boards of 2 cards"):
        iso.standard_boards(2)
    with pytest.raises(ParameterError, match="comes twice"):
        iso.canonical((1, 2, 3), (3, 4))
    with pytest.raises(ParameterError, match="comes twice"):
        iso.hole_classes((1, 2, 3), (3,))
