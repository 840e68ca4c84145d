"""Games by name: Kuhn and Leduc against their history form, Flop Hold'em against known sizes."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from counterfold.errors import ParameterError
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.games.leduc import Leduc
from counterfold.games.onecard import Kuhn, OneCard
from counterfold.poker.betting import count, limit
from counterfold.poker.cards import HIGH, LOW, parse_card, parse_hole
from counterfold.poker.game import DEAL, DECISION, FOLD, PokerGame
from counterfold.poker.holdem import (
    POKER_GAMES,
    fhp,
    holdem_rules,
    kuhn,
    leduc,
    one_card,
    parse_deck,
)


def same(poker: PokerGame, game: Any) -> int:
    """Walk all deals of both forms side by side; return how many ends were compared."""
    names = [name for name, _ in game.chance(game.root())]
    cards = {name: parse_card(name if len(name) == 2 else name + "s") for name in names}
    assert sorted(cards.values()) == list(poker.rules.deck)
    assert np.flatnonzero(poker.ranges[0]).tolist() == list(poker.rules.deck)
    tree = poker.betting
    ends = 0
    for deal in permutations(names, 2 + sum(poker.rules.deal)):
        board = np.array([[cards[name] for name in deal[2:]]], np.uint8)
        values = poker.rules.strengths(board)[0]
        one, other = (int(values[cards[name]]) for name in deal[:2])
        state = game.next(game.next(game.root(), deal[0]), deal[1])
        waiting = [(0, state)]
        while waiting:
            at, state = waiting.pop()
            turn = game.turn(state)
            if turn == CHANCE:
                assert tree.kind[at] == DEAL
                waiting.append((int(tree.first[at]), game.next(state, deal[2])))
            elif turn == TERMINAL:
                assert tree.count[at] == 0
                column = int(np.sign(other - one)) + 1
                found = (tree.payoff[at, 0, column], tree.payoff[at, 1, 2 - column])
                assert found == game.payoff(state)
                ends += 1
            else:
                assert tree.kind[at] == DECISION
                assert tree.player[at] == turn
                labels = tuple(tree.label[child] for child in tree.children(at))
                assert labels == game.actions(state)
                for child, label in zip(tree.children(at), labels, strict=True):
                    waiting.append((child, game.next(state, label)))
    return ends


@pytest.mark.parametrize(
    ("poker", "game", "ends"),
    [
        (kuhn(), Kuhn(), 6 * 5),
        (one_card(ranks=5, suits=2, ante=0.5, bet=3), OneCard(2, 5, 2, 0.5, 3), 90 * 5),
        (leduc(), Leduc(), 120 * (45 + 4)),
        (leduc(raises=(1, 2)), Leduc(raises=(1, 2)), None),
        (
            leduc(ranks=4, suits=1, ante=2, raises=(3, 5), max_raises=3),
            Leduc(ranks=4, suits=1, ante=2, raises=(3, 5), max_raises=3),
            None,
        ),
    ],
)
def test_the_same_game_as_in_history_form(poker: PokerGame, game: Any, ends: int | None) -> None:
    found = same(poker, game)
    assert found > 0
    if ends is not None:
        assert found == ends


def test_fhp_sizes_of_the_literature() -> None:
    """Infosets times actions: 169 hands before the flop, then 1,286,792 or a number of buckets."""
    game = fhp()
    tree = game.betting
    lines = np.flatnonzero(tree.kind == DEAL)
    assert len(lines) == 7
    decisions = tree.kind == DECISION
    actions = [int(tree.count[decisions & (tree.street == street)].sum()) for street in (0, 1)]
    assert int((decisions & (tree.street == 1)).sum()) == 7 * 10
    assert actions == [21, 7 * 26]
    for classes, wanted in ((200, 39_949), (2_000, 367_549), (20_000, 3_643_549)):
        assert actions[0] * 169 + actions[1] * classes == wanted
    assert actions[0] * 169 + actions[1] * 1_286_792 == 234_199_693
    counted = count(limit((1, 2), (2, 2), 4, posted=(1, 2), opened=1, first=(0, 1)))
    assert [street.actions for street in counted] == actions


def test_fhp_by_hand() -> None:
    game = fhp()
    tree = game.betting
    assert tree.player[0] == 0
    fold, call, raised = tree.children(0)
    assert tree.kind[fold] == FOLD
    assert tree.payoff[fold, :, 0].tolist() == [-1, 1]
    assert [tree.label[child] for child in tree.children(call)] == ["check", "raise"]
    assert tree.paid[raised].tolist() == [4, 2]
    flop = int(tree.first[tree.first[call]])
    assert tree.street[flop] == 1
    assert tree.player[flop] == 1  # the big blind acts first
    highest = max(tree.paid.tolist())
    assert highest == [16, 16]  # 8 each before the flop, 8 on it
    assert game.big_blind == 2
    assert game.rules.deal == (0, 3)
    assert game.ranges[0].sum() == 1326


def test_fhp_caps() -> None:
    for cap, lines in ((1, 1), (2, 3), (3, 5), (4, 7), (5, 9)):
        assert int((fhp(cap=cap).betting.kind == DEAL).sum()) == lines


def test_fhp_of_a_small_deck() -> None:
    game = fhp(deck="QKA")
    assert len(game.rules.deck) == 12
    assert game.ranges[0].sum() == 66
    held = game.ranges[0] > 0
    assert HIGH[held].min() > LOW[held].min() >= 40
    values = game.rules.strengths(np.array([[51, 50, 47]], np.uint8))[0]  # As Ah Ks
    assert values[parse_hole("AdAc")] > values[parse_hole("KdKc")] > values[parse_hole("QsQh")]


def test_decks() -> None:
    assert parse_deck(["A", "K"]) == parse_deck("ka") == tuple(range(44, 52))
    assert parse_deck(["As", "2c"]) == parse_deck((51, 0)) == (0, 51)
    with pytest.raises(ParameterError, match="comes twice"):
        parse_deck("AsAs")
    with pytest.raises(ParameterError, match="is not a card"):
        parse_deck("AKX")
    assert holdem_rules((0, 1)).holes == 1326


def test_what_a_game_was_made_of_makes_it_again() -> None:
    for name, make in POKER_GAMES.items():
        game = make()
        assert game.name == name
        again = POKER_GAMES[game.about["game"]](**game.about["parameters"])
        assert again.betting.label == game.betting.label
        assert (again.betting.payoff == game.betting.payoff).all()
        assert again.rules.deck == game.rules.deck
    small = fhp(cap=2, deck="QKA")
    assert fhp(**small.about["parameters"]).rules.deck == small.rules.deck


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fhp(cap=0), "cap must be a whole number"),
        (lambda: fhp(cap=2.5), "cap must be a whole number"),  # type: ignore[arg-type]
        (lambda: fhp(blinds=(2, 1)), "small blind"),
        (lambda: fhp(raises=(2,)), "two amounts"),
        (lambda: fhp(raises=(2, -1)), "above zero"),
        (lambda: fhp(deck="A"), "too few"),
        (lambda: leduc(ranks=14), "ranks must be a whole number"),
        (lambda: leduc(ranks=1, suits=2), "too few"),
        (lambda: leduc(ante="x"), "above zero"),  # type: ignore[arg-type]
        (lambda: one_card(suits=5), "suits must be a whole number"),
    ],
)
def test_bad_parameters(make: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()
