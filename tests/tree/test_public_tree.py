"""The public tree: rows, hands in order of strength or in classes, memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from counterfold.errors import ParameterError, TreeTooLargeError
from counterfold.poker import holdem
from counterfold.poker.cards import parse_board
from counterfold.poker.game import DECISION, NO_CARD, meetings
from counterfold.tree.boards import renamed_holes
from counterfold.tree.public import PublicTree
from counterfold.tree.public_nodes import NOTHING, PublicNodes
from tests import naive_poker
from tests.naive_poker import naive_fold
from tests.public_layout import flop_with_alike_suits, random_poker

GAMES = [
    naive_poker.kuhn(),
    naive_poker.leduc(),
    naive_poker.tiny_river(),
    naive_poker.tiny_turn(),
    flop_with_alike_suits(),
    naive_poker.tiny_fhp("QKA", "dhs", seed=3),
    random_poker(3),
    random_poker(10),
]
EACH = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


@EACH
@pytest.mark.parametrize("symmetry", [True, False])
def test_each_action_of_each_board_has_a_row_of_its_own(game: Any, symmetry: bool) -> None:
    symmetry = symmetry and not game.name.startswith("random")
    tree, betting = PublicTree(game, symmetry=symmetry), game.betting
    taken: list[list[int]] = [[], []]
    for number, board in enumerate(tree.boards):
        for node in range(len(betting)):
            if betting.kind[node] == DECISION and betting.street[node] == board.street:
                rows = tree.row(number, node)
                assert rows.stop - rows.start == betting.count[node]
                taken[betting.player[node]] += range(rows.start, rows.stop)
            else:
                with pytest.raises(ParameterError, match="no decision"):
                    tree.row(number, node)
    for p in (0, 1):
        assert sorted(taken[p]) == list(range(tree.rows(p)))
        most = max(len(hands.holes) for hands in tree.hands[p])
        assert most <= tree.columns(p) < most + 4
    cells = [tree.rows(p) * tree.columns(p) for p in (0, 1)]
    assert tree.table_bytes() == 8 * sum(cells)
    assert tree.table_bytes(itemsize=2) == 4 * sum(cells)
    assert sum(map(len, tree.children)) == len(tree.boards) - 1


@EACH
def test_hands_are_all_that_the_board_leaves(game: Any) -> None:
    tree = PublicTree(game, symmetry=not game.name.startswith("random"))
    cards = game.rules.cards
    for number, board in enumerate(tree.boards):
        for p in (0, 1):
            hands = tree.hands[p][number]
            free = [
                hole
                for hole in np.flatnonzero(game.ranges[p])
                if not set(cards[hole].tolist()) & set(board.cards)
            ]
            assert sorted(hands.pairs.tolist()) == free
            assert np.array_equal(np.bincount(hands.of, minlength=len(hands.holes)), hands.size)
            assert np.array_equal(
                hands.holes[hands.of][np.isin(hands.pairs, hands.holes)],
                hands.pairs[np.isin(hands.pairs, hands.holes)],
            )
            for hole, of in zip(hands.pairs, hands.of, strict=True):
                turned = {
                    int(renamed_holes(game.rules, np.array([hole]), names)[0])
                    for names in board.renamings
                }
                if board.street < tree.last:
                    assert int(hands.holes[of]) in turned
            if board.street == tree.last:
                strengths = game.rules.strengths(np.array([board.cards], np.uint8))[0]
                assert (np.diff(strengths[hands.holes].astype(int)) >= 0).all()
                assert (hands.size == 1).all()
        if board.street < tree.last:
            assert len(tree.groups(number)) == 0
            continue
        # Groups: hands of both that tie, the weakest first.
        begin = [0, 0]
        seen = -1
        for ends in tree.groups(number):
            level = set()
            for p in (0, 1):
                level |= set(strengths[tree.hands[p][number].holes[begin[p] : ends[p]]].tolist())
            assert len(level) == 1
            assert min(level) > seen
            seen, begin = min(level), list(ends)
        assert begin == [len(tree.hands[p][number].holes) for p in (0, 1)]


@EACH
def test_hands_are_a_sequence_over_boards(game: Any) -> None:
    tree = PublicTree(game, symmetry=not game.name.startswith("random"))
    for dealt in tree.hands:
        assert len(dealt) == len(tree.boards)
        assert dealt.counts.tolist() == [len(hands.holes) for hands in dealt]
        assert np.array_equal(dealt[-1].holes, dealt[len(dealt) - 1].holes)
        assert [len(hands.of) for hands in dealt[1:]] == [len(h.pairs) for h in list(dealt)[1:]]
        with pytest.raises(IndexError):
            dealt[len(dealt)]
        # Nobody can spoil what all boards of the last street share, nor the tree's own holes.
        last = dealt[-1]
        assert last.holes.dtype == np.int64
        last.holes[:] = 0
        assert len(set(dealt[-1].holes.tolist())) == len(last.holes)
        if tree.last:
            with pytest.raises(ValueError, match="read-only"):
                last.of[0] = 1


def test_before_the_flop_there_are_169_hands() -> None:
    # The boards of a small deck: classes of starting hands do not depend on it.
    tree = PublicTree(holdem.fhp(deck="TJQKA"))
    assert sorted(tree.hands[0][0].size.tolist()) == [4] * 10 + [6] * 5 + [12] * 10
    assert len(tree.hands[1][0].pairs) == 190


def test_meetings() -> None:
    rng = np.random.default_rng(1)
    for rules in (holdem.fhp().rules, naive_poker.leduc().rules):
        weights = rng.uniform(0, 1, rules.holes) * (rng.random(rules.holes) < 0.1)
        found = meetings(weights)
        some = rng.choice(rules.holes, 30, replace=False)
        for hole in some:
            own = set(rules.cards[hole].tolist()) - {NO_CARD}
            wanted = sum(w for h, w in enumerate(weights) if not own & set(rules.cards[h].tolist()))
            assert found[hole] == pytest.approx(wanted, abs=1e-9)


def test_the_sum_of_weights_is_over_pairs_that_can_be() -> None:
    game = naive_poker.tiny_river()
    tree = PublicTree(game)
    pairs = game.ranges[0] @ naive_fold(game.rules.cards, game.ranges[1].tolist(), 1.0)
    assert tree.weight_sum == pytest.approx(pairs)


@EACH
def test_nodes_keep_the_betting(game: Any) -> None:
    betting, nodes = game.betting, PublicNodes(game.betting)
    assert sorted(nodes.old.tolist()) == list(range(len(betting)))
    assert np.array_equal(nodes.new[nodes.old], np.arange(len(betting)))
    assert (np.diff(nodes.street) >= 0).all()
    for n, node in enumerate(nodes.old):
        assert [int(nodes.old[m]) for m in nodes.children(n)] == list(betting.children(node))
        assert nodes.kind[n] == betting.kind[node]
        above = int(nodes.parent[n])
        dealt = above >= 0 and nodes.street[n] > nodes.street[above]
        assert nodes.line[n] == (above if dealt else NOTHING)
    # Rows of values: no two nodes that live at the same time share one.
    streets = nodes.begin[nodes.streets - 1]
    first = nodes.place[:streets].tolist()
    assert len(set(first)) == len(first)
    for c in range(len(nodes.chunk) - 1):
        some = nodes.place[nodes.chunk[c] : nodes.chunk[c + 1]].tolist()
        assert len(set(some)) == len(some)
        if nodes.chunk[c] >= streets:
            assert not set(some) & set(first)
    assert 0 not in nodes.place
    assert nodes.place.max() < nodes.value_rows
    assert nodes.row.max() < nodes.reach_rows


def test_a_tree_that_does_not_fit_says_how_large_it_is() -> None:
    tree = PublicTree(naive_poker.tiny_turn())
    with pytest.raises(TreeTooLargeError, match=r"tiny_turn needs 0\.0 GB .*16 bits"):
        PublicTree(naive_poker.tiny_turn(), memory=1000)
    assert PublicTree(naive_poker.tiny_turn(), memory=2 * tree.table_bytes()).last == 1
    with pytest.raises(TreeTooLargeError, match=r"fhp needs 3\.\d GB .* where 1\.0 GB may"):
        PublicTree(holdem.fhp(), memory=1 << 30)


def test_hands_that_never_meet_are_refused() -> None:
    game = naive_poker.kuhn()
    alone = np.zeros(52)
    alone[game.rules.deck[0]] = 1.0
    with pytest.raises(ParameterError, match=r"kuhn: no two hands .* widen a range"):
        PublicTree(replace(game, ranges=(alone, alone)))


def test_fingerprints_tell_games_apart() -> None:
    game = naive_poker.tiny_turn(suits_alike=True)
    same = PublicTree(naive_poker.tiny_turn(suits_alike=True))
    assert PublicTree(game).fingerprint == same.fingerprint
    others = [
        naive_poker.tiny_turn(suits_alike=False),
        naive_poker.tiny_turn(suits_alike=True, rake=(0.05, 1.0)),
        naive_poker.tiny_turn(suits_alike=True, seed=2),
        replace(game, board=parse_board("Kd Qh Js Kh")),
    ]
    assert len({PublicTree(other).fingerprint for other in [game, *others]}) == 5
    assert "tiny_turn" in repr(same)
