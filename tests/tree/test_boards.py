"""Boards one for each class under renamings of suits, and their chances."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import comb
from typing import Any

import numpy as np
import pytest

from counterfold.errors import TreeTooLargeError
from counterfold.poker import holdem
from counterfold.poker.cards import holes_without, parse_board, parse_cards, parse_hole
from counterfold.poker.game import CardRules, PokerGame
from counterfold.poker.ranges import CELL
from counterfold.tree import boards as module
from counterfold.tree.boards import boards_of, renamed_holes, renamings
from tests import naive_poker
from tests.naive_betting import Street, naive_betting
from tests.naive_poker import deck_of
from tests.public_layout import flop_with_alike_suits


def spot(board: str, streets: int, deck: Any = None, seed: int | None = None) -> PokerGame:
    """A spot that ends on the river; every hand in range, or weights that see no suits."""
    betting = naive_betting([Street(0, (10.0,), 1)] * streets, (5.0, 5.0), 25.0)
    rules = CardRules(tuple(deck or range(52)), 2, (0,) + (1,) * (streets - 1), lambda b: b)
    cards = parse_board(board)
    can = holes_without([c for c in range(52) if c not in rules.deck or c in cards]) * 1.0
    if seed is not None:
        can *= np.random.default_rng(seed).uniform(0.5, 1.0, 1326)[CELL]
    return PokerGame("spot", rules, betting, cards, (can, can))


def of_street(found: Any, street: int) -> list[Any]:
    return [board for board in found if board.street == street]


def classes(game: PokerGame, names: Any) -> dict[tuple[tuple[int, ...], ...], int]:
    """How many runouts of one card a street each class has, by trying all of them."""
    left = [c for c in game.rules.deck if c not in game.board]
    found: dict[Any, int] = {}
    for run in permutations(left, game.betting.streets - 1):
        least = min(tuple(4 * (c // 4) + int(n[c % 4]) for c in run) for n in names)
        found[least] = found.get(least, 0) + 1
    return found


def test_flop_holdem_has_1755_flops() -> None:
    game = holdem.fhp()
    found = boards_of(game)
    flops = of_street(found, 1)
    assert len(found[0].renamings) == 24
    assert len(flops) == 1755
    assert [len(board.cards) for board in flops] == [3] * 1755
    counts = np.array([board.chance for board in flops]) * comb(48, 3)
    np.testing.assert_allclose(counts, np.rint(counts), atol=1e-9)
    assert set(np.rint(counts).astype(int)) == {4, 12, 24}
    assert np.rint(counts).sum() == comb(52, 3)
    # A flop of one suit leaves the renamings of the other three; of two, those of the other two.
    sizes = {int(len(b.renamings) * round(b.chance * comb(48, 3))) for b in flops}
    assert sizes == {24}


@pytest.mark.parametrize(
    ("board", "alike"), [("Qs Jh 2h", 2), ("Ks 7s 2s", 6), ("Qs Jh 2d", 1), ("Ks Kh 2d", 2)]
)
def test_turns_and_rivers(board: str, alike: int) -> None:
    game = spot(board, 3)
    same = renamings(game)
    assert len(same) == alike
    found = boards_of(game)
    known = classes(game, same)
    rivers = of_street(found, 2)
    assert len(rivers) == len(known)
    assert len(of_street(found, 1)) == len({run[:1] for run in known})
    for river in rivers:
        times = river.chance * 44 * found[river.before].chance * 45
        turn = found[river.before]
        assert turn.street == 1
        assert river.cards[:4] == turn.cards
        run = river.cards[3:]
        least = min(tuple(4 * (c // 4) + int(n[c % 4]) for c in run) for n in same)
        assert times == pytest.approx(known.pop(least))
    assert not known
    # Without symmetry each board stands for itself.
    plain = boards_of(game, symmetry=False)
    assert len(of_street(plain, 1)) == 49
    assert len(of_street(plain, 2)) == 49 * 48
    assert {round(1 / b.chance) for b in of_street(plain, 1)} == {45}
    assert {round(1 / b.chance) for b in of_street(plain, 2)} == {44}
    assert all(len(b.renamings) == 1 for b in plain)


@pytest.mark.pure
@pytest.mark.parametrize("symmetry", [True, False])
@pytest.mark.parametrize(
    "game",
    [
        flop_with_alike_suits(),
        naive_poker.tiny_fhp("QKA", "dhs"),
        naive_poker.tiny_turn(),
        naive_poker.leduc("QKA", "chs"),
    ],
    ids=lambda game: game.name,
)
def test_for_two_hands_the_chances_come_to_one(game: PokerGame, symmetry: bool) -> None:
    """Every pair of hands gets each board that meets neither with the same chance."""
    found = boards_of(game, symmetry)
    cards = game.rules.cards
    mine, theirs = (np.flatnonzero(weights) for weights in game.ranges)
    free = [
        (int(a), int(b)) for a in mine for b in theirs if not set(cards[a]) & set(cards[b]) - {52}
    ]
    children: dict[int, list[Any]] = {}
    for board in found[1:]:
        children.setdefault(board.before, []).append(board)
    for before, after in children.items():
        here = [
            (set(cards[a]) | set(cards[b]))
            for a, b in free
            if not (set(cards[a]) | set(cards[b])) & set(found[before].cards)
        ]
        # All pairs together, as a board of the list stands for its renamings.
        total = sum(
            board.chance * sum(not pair & set(board.cards) for pair in here) for board in after
        )
        assert total == pytest.approx(len(here))


def test_what_keeps_suits_apart() -> None:
    game = flop_with_alike_suits()
    assert renamings(game).tolist() == [[0, 1, 2, 3], [0, 2, 1, 3]]  # diamonds and hearts
    for player in (0, 1):
        ranges = [weights.copy() for weights in game.ranges]
        ranges[player][parse_hole("AdKd")] *= 1.001
        assert len(renamings(replace(game, ranges=tuple(ranges)))) == 1
    deck = tuple(c for c in game.rules.deck if c != parse_cards("Qh")[0])
    fewer = replace(game, rules=replace(game.rules, deck=deck))
    assert len(renamings(fewer)) == 1
    assert len(renamings(replace(game, board=parse_board("Ks Qs Ad")))) == 1


def test_renamed_holes() -> None:
    rules = holdem.fhp().rules
    swap = np.array([0, 1, 3, 2])  # hearts and spades
    holes = np.array([parse_hole(text) for text in ("AsKh", "AsAh", "2c2d", "KsQs")])
    wanted = [parse_hole(text) for text in ("AhKs", "AsAh", "2c2d", "KhQh")]
    assert renamed_holes(rules, holes, swap).tolist() == wanted
    one = naive_poker.kuhn().rules
    assert renamed_holes(one, np.array([51, 50, 4]), swap).tolist() == [50, 51, 4]


def test_boards_come_after_their_own() -> None:
    found = boards_of(spot("Ks 7s 2s", 3, deck_of("TJQKA279", "hsd")))
    assert found[0].before == 0
    for number, board in enumerate(found[1:], 1):
        assert board.before < number
        assert found[board.before].street == board.street - 1
        assert board.cards[: len(found[board.before].cards)] == found[board.before].cards
        assert len(set(board.cards)) == len(board.cards)


def test_too_many_boards(monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "MOST_BOARDS", 100)
    with pytest.raises(TreeTooLargeError, match="spot has more than 100 boards; begin on a later"):
        boards_of(spot("Qs Jh 2d", 3))
