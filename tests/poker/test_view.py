"""NodeView: its sums by brute force over pairs of hands, and what it says of them."""

from __future__ import annotations

import csv
import io
import json
from functools import cache

import numpy as np
import pytest

from counterfold.errors import ParameterError
from counterfold.poker.cards import (
    HIGH,
    HOLES,
    LOW,
    hole_cards,
    hole_number,
    holes_without,
    parse_board,
    parse_hole,
)
from counterfold.poker.game import meetings
from counterfold.poker.ranges import CELL, Range
from counterfold.poker.view import CLASSES, NodeView
from tests.poker.naive import best

OOP = "22+,A2s+,KTs+,QTs+,J9s+,T8s+,97s+,86s+,75s+,65s,54s,A9o+,KTo+,QTo+,JTo:0.5,T9o:0.25"
IP = "88-22,AJs-A2s,K8s+,Q9s+,J9s+,T8s+,97s+,87s,76s,65s,AQo-A8o,KJo:0.75,KTo,QJo:0.5"
BOARD = "Ks 9h 6s 4d 2c"
POT, STACK = 200.0, 600.0


@cache
def _better(board: str) -> np.ndarray:
    """[1326, 1326] 1 where the row's hole beats the column's, 1/2 where they tie, NaN if both
    cannot be."""
    cards = parse_board(board)
    free = np.flatnonzero(holes_without(cards))
    scores = {int(hole): best([*hole_cards(int(hole)), *cards]) for hole in free}
    ranked = {score: k for k, score in enumerate(sorted(set(scores.values())))}
    rank = np.full(HOLES, -1)
    rank[free] = [ranked[scores[int(hole)]] for hole in free]
    found = 0.5 + 0.5 * np.sign(rank[:, None] - rank[None, :]).astype(float)
    for one in (HIGH, LOW):
        for other in (HIGH, LOW):
            found[one[:, None] == other[None, :]] = np.nan
    found[rank < 0], found[:, rank < 0] = np.nan, np.nan
    return found


def equities(weights: np.ndarray, against: np.ndarray, board: str = BOARD) -> np.ndarray:
    better = _better(board)
    there = np.isfinite(better)
    won = np.where(there, better, 0.0) @ against
    met = there.astype(float) @ against
    return np.where(met > 0, won / np.where(met > 0, met, 1.0), np.nan)


def _near(equity: np.ndarray, at: float, width: float) -> np.ndarray:
    return np.exp(-(((equity - at) / width) ** 2))


@cache
def river() -> dict[tuple[str, ...], NodeView]:
    """A river spot made by hand: the better and the worst hands bet, those between check."""
    board = parse_board(BOARD)
    ranges = [Range.parse(words).without(board).weights for words in (OOP, IP)]
    stacks = (STACK, STACK)

    def view(player, line, actions, taste, own, other, pot, chips, ev):
        equity = equities(own, other)
        weights = taste(np.nan_to_num(equity))
        return NodeView(
            "river", ("oop", "ip")[player], "river", line, board, pot, chips, actions,
            own, other, np.where(np.isnan(equity), np.nan, weights / weights.sum(0)),
            ev(equity), equity,
        )  # fmt: skip

    first = view(
        0, (), ("check", "bet 66", "bet 150", "all-in 600"),
        lambda e: np.stack([
            0.6 + 0 * e,
            2 * _near(e, 0.75, 0.12) + 0.6 * _near(e, 0.2, 0.08),
            3 * _near(e, 0.9, 0.06) + 1.0 * _near(e, 0.1, 0.06),
            4 * _near(e, 1.0, 0.03) + 2 * _near(e, 0.0, 0.03),
        ]),
        *ranges, POT, stacks, lambda e: POT * (e + 0.6 * e**6),
    )  # fmt: skip
    betting = ranges[0] * np.nan_to_num(first.strategy[1])
    answer = view(
        1, ("bet 66",), ("fold", "call", "raise 250", "all-in 600"),
        lambda e: np.stack([
            3 * _near(e, 0.0, 0.25) + 0.01,
            2 * _near(e, 0.55, 0.3),
            2 * _near(e, 0.9, 0.08) + 0.3 * _near(e, 0.1, 0.05),
            3 * _near(e, 1.0, 0.05),
        ]),
        ranges[1], betting, POT + 66, (STACK - 66, STACK),
        lambda e: np.maximum(0, (POT + 132) * e - 66),
    )  # fmt: skip
    checked = view(
        1, ("check",), ("check", "bet 100", "all-in 600"),
        lambda e: np.stack([
            1.0 + 0 * e,
            3 * _near(e, 0.8, 0.15) + _near(e, 0.1, 0.08),
            3 * _near(e, 1.0, 0.04) + _near(e, 0.0, 0.03),
        ]),
        ranges[1], ranges[0] * np.nan_to_num(first.strategy[0]), POT, stacks, lambda e: POT * e,
    )  # fmt: skip
    folding = ranges[1] * np.nan_to_num(answer.strategy[1])
    equity = equities(betting, folding)
    end = NodeView(
        "river", "oop", "river", ("bet 66", "call"), board, POT + 132, (STACK - 66, STACK - 66),
        (), betting, folding, np.empty((0, HOLES)), (POT + 132) * equity, equity,
    )  # fmt: skip
    return {view.line: view for view in (first, checked, answer, end)}


def other_side(view: NodeView) -> NodeView:
    """The opponent at the same node."""
    equity = equities(view.against, view.weight)
    name = "ip" if view.player == "oop" else "oop"
    return NodeView(
        view.game, name, view.street, view.line, view.board, view.pot, view.stacks, (),
        view.against, view.weight, np.empty((0, HOLES)), view.pot * equity, equity,
    )  # fmt: skip


def test_meetings_are_what_a_loop_over_pairs_finds():
    rng = np.random.default_rng(1)
    against = rng.random(HOLES) * (rng.random(HOLES) < 0.3)
    apart = np.ones((HOLES, HOLES), bool)
    for one in (HIGH, LOW):
        for other in (HIGH, LOW):
            apart &= one[:, None] != other[None, :]
    assert np.allclose(meetings(against), apart @ against, rtol=1e-12)
    alone = np.zeros(HOLES)
    alone[parse_hole("AhKd")] = 0.3
    assert meetings(alone)[parse_hole("AhQd")] == 0.0


def test_the_equities_of_both_sides_add_up():
    for view in river().values():
        assert view.totals.equity + other_side(view).totals.equity == pytest.approx(1, abs=1e-12)


def test_totals_are_the_means_over_pairs_of_hands():
    view = river()["bet 66",]
    there = np.isfinite(_better(BOARD))
    pairs = np.where(there, np.outer(view.weight, view.against), 0.0)
    for number, action in enumerate(view.actions):
        by_hand = np.nansum(view.strategy[number] * pairs.sum(1)) / pairs.sum()
        assert view.totals.frequencies[action] == pytest.approx(by_hand, rel=1e-12)
    assert view.totals.ev == pytest.approx(np.nansum(view.ev * pairs.sum(1)) / pairs.sum())
    assert sum(view.totals.frequencies.values()) == pytest.approx(1, abs=1e-12)
    assert view.totals.combos == pytest.approx(view.weight.sum())
    # Plain weights would give another answer: card removal counts.
    plain = np.nansum(view.strategy[0] * view.weight) / view.weight.sum()
    assert abs(plain - view.totals.frequencies["fold"]) > 1e-4


def test_classes_are_the_means_over_their_holes():
    view = river()[()]
    classes = view.classes
    for name, possible in (("KK", 3), ("K9s", 2), ("AKo", 9), ("77", 6), ("J9s", 3), ("QJs", 4)):
        k = CLASSES.index(name)
        hands = view.in_class(k)
        assert len(hands) == possible == classes.possible[k]
        assert {hand.name for hand in hands} == {h.name for h in view.hands(name)}
        weight = sum(hand.weight for hand in hands)
        assert classes.combos[k] == pytest.approx(weight)
        assert classes.weight[k] == pytest.approx(weight / possible)
        mass = sum(hand.mass for hand in hands)
        if not weight:
            assert np.isnan(classes.ev[k])
            continue
        for part, of in ((classes.ev[k], "ev"), (classes.equity[k], "equity")):
            assert part == pytest.approx(sum(h.mass * getattr(h, of) for h in hands) / mass)
        mixed = sum(h.mass * np.array(h.mix) for h in hands) / mass
        assert classes.mix[:, k] == pytest.approx(mixed)
    there = classes.combos > 0
    assert classes.mix[:, there].sum(0) == pytest.approx(1)
    assert not np.isfinite(classes.mix[:, ~there]).any()
    assert classes.combos.sum() == pytest.approx(view.totals.combos)


def test_a_mass_that_is_given_counts():
    view = river()[()]
    given = np.where(np.arange(HOLES) == parse_hole("AhKd"), 2.0, 0.0)
    changed = NodeView(**{**vars_of(view), "mass": given})
    assert changed.totals.ev == pytest.approx(view.ev[parse_hole("AhKd")])
    # A class without mass goes by weight: here three deuces, all alike.
    deuces = CLASSES.index("22")
    assert changed.classes.ev[deuces] == pytest.approx(np.nanmean(view.ev[deuces == CELL]))


def test_a_node_that_nobody_reaches_has_no_numbers():
    view = river()[()]
    empty = NodeView(**{**vars_of(view), "weight": np.zeros(HOLES)})
    assert empty.totals.combos == 0
    assert np.isnan(empty.totals.ev)
    assert empty.hands() == []
    assert empty.to_dict()["frequencies"]["check"] is None
    nobody = NodeView(**{**vars_of(view), "against": np.zeros(HOLES)})
    by_weight = np.nansum(view.ev * view.weight) / view.weight.sum()
    assert nobody.totals.ev == pytest.approx(by_weight)


def test_hands_of_words():
    view = river()[()]
    assert [h.name for h in view.hands("AhKd")] == ["AhKd"]
    assert [h.name for h in view.hands("99")] == ["9s9d", "9s9c", "9d9c"]
    assert len(view.hands("AK")) == 12
    hands = view.hands()
    assert len(hands) == np.count_nonzero(view.weight)
    assert hands[0].name == "AsAh"
    with pytest.raises(ParameterError, match=r"leaves no hand of 'KsKd'"):
        view.hands("KsKd")
    with pytest.raises(ParameterError, match=r"'AKx' at character 1"):
        view.hands("AKx")


def test_a_document_of_the_node():
    view = river()["bet 66",]
    document = view.to_dict()
    json.dumps(document, allow_nan=False)
    assert list(document) == [
        "game", "player", "street", "line", "board", "pot", "stacks", "actions", "note", "combos",
        "against", "frequencies", "ev", "ev_percent_of_pot", "equity", "equity_curve", "classes",
        "hands",
    ]  # fmt: skip
    assert document["board"] == ["Ks", "9h", "6s", "4d", "2c"]
    assert document["stacks"] == {"oop": 534.0, "ip": 600.0}
    assert document["ev_percent_of_pot"] == pytest.approx(100 * view.totals.ev / 266)
    assert len(document["hands"]) == np.count_nonzero(view.weight)
    first = document["hands"][0]
    assert list(first) == ["hand", "weight", "actions", "ev", "equity", "evs"]
    assert sum(c["combos"] for c in document["classes"]) == pytest.approx(view.totals.combos)
    assert "hands" not in view.to_dict(hands=False)
    end = river()["bet 66", "call"].to_dict()
    assert end["actions"] == [] == list(end["frequencies"])


def test_rows_for_csv():
    view = river()["bet 66",]
    rows = list(csv.DictReader(io.StringIO(view.to_csv())))
    assert list(rows[0]) == [
        "hand", "class", "weight", "fold", "call", "raise 250", "all-in 600", "ev", "equity",
    ]  # fmt: skip
    assert len(rows) == np.count_nonzero(view.weight)
    for row in rows:
        assert sum(float(row[action]) for action in view.actions) == pytest.approx(1, abs=1e-5)
        assert CLASSES[CELL[parse_hole(row["hand"])]] == row["class"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weight": np.zeros(7)}, "the weight of a node has the shape"),
        ({"strategy": np.zeros((2, HOLES))}, "the strategy of a node has the shape"),
        ({"against": np.full(HOLES, np.nan)}, "must be 0 or more"),
        ({"weight": np.ones(HOLES)}, "a card of the board"),
        ({"actions": ("bet 5",) * 4}, "the same name"),
    ],
)
def test_what_is_no_node_is_refused(change, words):
    with pytest.raises(ParameterError, match=words):
        NodeView(**{**vars_of(river()[()]), **change})


def test_arrays_are_kept_from_changes():
    view = river()[()]
    with pytest.raises(ValueError, match="read-only"):
        view.weight[hole_number(0, 1)] = 1.0


def vars_of(view: NodeView) -> dict[str, object]:
    return {name: getattr(view, name) for name in view.__dataclass_fields__}
