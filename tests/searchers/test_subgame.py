"""Subgames are closed and complete, and what enters them is what the rules say."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterfold as cf
from counterfold.errors import MismatchError, ParameterError, UnsupportedError
from counterfold.searchers.entry import enter
from counterfold.searchers.gifts import gifts_by_slot
from counterfold.searchers.subgame import subgames
from counterfold.tree.story import story
from tests.random_games import meeting_game
from tests.searchers.naive import walk, worth
from tests.searchers.public_games import PublicGame, opened, passing, public_games


@pytest.mark.parametrize(
    ("spec", "point", "count", "roots"),
    [
        ("leduc", "board", 15, 600),
        ("leduc(suited=true)", "board", 30, 600),
        ("kuhn", "move:1", 2, 12),
        ("kuhn", "move:2", 1, 6),
        ("rps", "move:1", 1, 3),
        ("liars_dice(sides=3)", "move:2", 15, 135),
    ],
)
def test_how_many(spec, point, count, roots):
    found = subgames(cf.compile_game(cf.load(spec)), point)
    assert len(found) == count
    assert sum(len(subgame.roots) for subgame in found) == roots


def test_classes_are_what_players_know():
    board = subgames(cf.compile_game(cf.Leduc()))[0]
    assert sorted(name[0] for name in board.knows(0)) == ["J", "K", "Q"]
    assert sorted(name[0] for name in board.knows(1)) == ["J", "K", "Q"]
    # Who never decides again still knows what it did: after a bet player 1 has its card.
    bet = subgames(cf.compile_game(cf.Kuhn()), "move:1")[1]
    assert (bet.treeplexes[0].classes, bet.treeplexes[1].classes) == (3, 3)
    assert len(bet.treeplexes[0].infosets) == 0


@given(public_games(), st.sampled_from(["move:1", "move:2", "move:3"]))
def test_no_infoset_lies_in_two_subgames(game, point):
    tree = cf.compile_game(game)
    found = passing(tree, point)
    if found is None:
        return
    homes = defaultdict(set)
    for node in np.flatnonzero(tree.turn >= 0):
        homes[int(tree.infoset[node])].add(int(found.of[node]))
    assert all(len(home) == 1 for home in homes.values())
    for subgame in found:
        for treeplex in subgame.treeplexes:
            assert (treeplex.parent < treeplex.start[:-1]).all()


def test_what_is_no_public_point():
    kuhn = cf.compile_game(cf.Kuhn())
    with pytest.raises(UnsupportedError, match=r"player 1 at 'J \| check bet' cannot tell"):
        subgames(kuhn, "seen:K*")
    with pytest.raises(UnsupportedError, match="no public point"):
        subgames(kuhn, np.array([1]))
    with pytest.raises(ParameterError, match="there is no point"):
        subgames(kuhn, "river")
    with pytest.raises(ParameterError, match="never passes 'board'"):
        subgames(kuhn, "board")
    with pytest.raises(UnsupportedError, match="two-player zero-sum"):
        subgames(cf.compile_game(cf.Kuhn(players=3)), "move:1")
    merged = next(
        m
        for seed in range(0, 200, 2)
        for _, m in [meeting_game(seed, 2, 3, recall=True)]
        if len(set(cf.compile_game(m).child)) < len(cf.compile_game(m).child)
    )
    with pytest.raises(UnsupportedError, match="merge"):
        subgames(cf.compile_game(merged), "move:1")


class TwoCards(PublicGame):
    """After the first move two cards are dealt one after the other, before anybody moves again."""

    def _drawn(self, state):
        dealt = len(self._course(state))
        if dealt == self.moves:
            return cf.TERMINAL, 0, False
        return (cf.CHANCE, 2, False) if dealt in (1, 2) else (dealt % 2, 2, False)


def test_cards_in_a_row_are_one_deal():
    tree = cf.compile_game(TwoCards(1, moves=5))
    board = subgames(tree, "board")
    assert len(board) == 2 * 4  # a move, and four boards of two cards
    assert [s.roots.tolist() for s in subgames(tree, "move:1")] == [s.roots.tolist() for s in board]
    with pytest.raises(ParameterError, match="never passes 'deal:2'"):
        subgames(tree, "deal:2")


def test_a_point_as_nodes_or_a_question():
    tree = cf.compile_game(cf.Leduc())
    named = subgames(tree)
    nodes = np.concatenate([subgame.roots for subgame in named])
    asked = subgames(tree, lambda tree, node: node in set(nodes.tolist()))
    assert len(asked) == len(subgames(tree, nodes)) == len(named)


def test_the_whole_game_is_a_subgame():
    strategy = cf.Strategy.random(cf.Kuhn(), 1)
    (whole,) = subgames(strategy.tree, np.array([0]))
    for player in (0, 1):
        entry = enter(whole, strategy, player)
        value = cf.best_response(strategy, 1 - player).value
        assert entry.best @ entry.mass == pytest.approx(value, abs=1e-12)
        earned = cf.values(strategy)[1 - player]
        assert entry.value @ entry.mass == pytest.approx(earned, abs=1e-12)


def entries_by_rules(game, strategy, player, depth):
    """For each observation of the opponent at the point: mass, range, value, best value."""
    other = 1 - player

    def passed(state):
        if state is None or game.turn(state) == cf.CHANCE:
            return False
        return sum(who >= 0 for who, _, _ in state[1]) == depth

    roots = walk(game, strategy, other, passed)
    bundles = defaultdict(list)
    for state, own, others in roots:
        bundles[game.observe(state, other)].append((state, own, others))
    found = {}
    for seen, members in bundles.items():
        mass = sum(others for _, _, others in members)
        bundle = [(state, others) for state, _, others in members]
        found[seen] = (
            mass,
            members[0][1] * mass,
            worth(game, strategy, other, bundle, best=False),
            worth(game, strategy, other, bundle, best=True),
        )
    return found


@given(public_games(), st.integers(0, 1), st.integers(0, 100))
def test_entries_against_the_rules(game, player, seed):
    strategy, found = opened(game, seed, "move:2")
    if found is None:
        return
    told = story(strategy.tree)
    expected = entries_by_rules(game, strategy, player, 2)
    for subgame in found:
        entry = enter(subgame, strategy, player)
        treeplex = subgame.treeplexes[1 - player]
        shares = np.zeros(treeplex.classes)
        for j in range(treeplex.classes):
            states = [told.state(int(node)) for node in subgame.roots[treeplex.at_root == j]]
            seen = {game.observe(state, 1 - player) for state in states}
            assert len(seen) == 1
            mass, reach, value, best = expected[seen.pop()]
            assert entry.mass[j] == pytest.approx(mass, abs=1e-12)
            assert entry.value[j] * mass == pytest.approx(value, abs=1e-12)
            assert entry.best[j] * mass == pytest.approx(best, abs=1e-12)
            shares[j] = reach
        assert entry.range == pytest.approx(shares / shares.sum(), abs=1e-12)


def test_a_strategy_of_another_game():
    subgame = subgames(cf.compile_game(cf.Leduc()))[0]
    with pytest.raises(MismatchError, match="the strategy is for kuhn"):
        enter(subgame, cf.Strategy.uniform(cf.Kuhn()), 0)
    with pytest.raises(ParameterError, match="the player is 0 or 1"):
        enter(subgame, cf.Strategy.uniform(cf.Leduc()), 2)


@pytest.mark.parametrize("player", [0, 1])
def test_gifts_by_hand(player):
    """What a first move gives away: by forcing the move and letting the rest be best."""
    game = PublicGame(11, moves=3)
    tree = cf.compile_game(game)
    strategy = cf.Strategy.random(tree, 5)
    found = gifts_by_slot(tree, strategy.probabilities, player)
    seen_any = False
    for i in np.flatnonzero(tree.infosets.owner == player):
        label = tree.infosets.labels[i]
        nodes = walk(
            game, strategy, player,
            lambda s, label=label: s is not None and game.turn(s) == player
            and cf.games.base.label(game.observe(s, player)) == label,
        )  # fmt: skip
        mass = sum(others for _, _, others in nodes)
        actions = tree.infosets.actions[i]
        after = [
            worth(game, strategy, player, [(game.next(s, a), w) for s, _, w in nodes], True) / mass
            for a in actions
        ]
        lo = int(tree.infosets.start[i])
        assert found[lo : lo + len(actions)] == pytest.approx(max(after) - np.array(after))
        seen_any = True
    assert seen_any
