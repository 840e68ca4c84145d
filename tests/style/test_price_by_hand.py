"""The price of a style in poker with all hands, against the compiled rules of the same game."""

from collections import defaultdict

import pytest

import counterfold as cf
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.play.agents import StrategyAgent
from counterfold.poker.rules import PokerRules
from counterfold.style.price import compare
from counterfold.tree.public import PublicTree
from tests import naive_poker
from tests.played_poker import as_strategy


def solved(tree, style=None):
    return cf.solve(tree, until=cf.Until(iterations=6), dtype="float64", style=style)


@pytest.mark.parametrize("name", ["river", "turn"])
def test_everything_is_as_in_the_history_form(name):
    poker = naive_poker.TINY[name](seed=None)
    tree = PublicTree(poker)
    pair = solved(tree), solved(tree, cf.Style({"bet": 20.0}, give_up=0.3, player=0))
    price = compare(*pair)
    rules = PokerRules(poker)
    compiled = cf.compile_game(rules)
    one, two = (as_strategy(compiled, rules, StrategyAgent(result.strategy)) for result in pair)
    for p, player in enumerate(price.players):
        foes = [(one, one), (two, two), (two, one), (one, two)]
        known = [cf.values(*(x if q == p else y for q in (0, 1)))[p] for x, y in foes]
        found = [
            player.plain,
            player.styled,
            player.styled_against_plain,
            player.plain_against_styled,
        ]
        assert found == pytest.approx(known, abs=1e-5)
        least = [-cf.best_response(x, player=1 - p).value for x in (one, two)]
        assert [player.plain_guarantee, player.styled_guarantee] == pytest.approx(least, abs=1e-5)
        assert player.cost == pytest.approx(least[0] - least[1], abs=1e-5)
    for strategy, field in ((one, "plain"), (two, "styled")):
        first, street = naive_shares(rules, strategy)
        assert {s.action: getattr(s, field) for s in price.first} == pytest.approx(first, abs=1e-6)
        told = {(s.player, s.action): getattr(s, field) for s in price.by_round}
        assert told == pytest.approx(street, abs=1e-6)
    bets = {(s.player, s.action): s for s in price.by_round}[0, "bet"]
    assert bets.styled > bets.plain + 0.1


def naive_shares(rules, strategy):
    """Frequencies at the root, and on the first street by player and kind, by recursion."""
    taken, could = defaultdict(float), defaultdict(float)
    first = defaultdict(float)

    def play(state, chance):
        turn = rules.turn(state)
        if turn == TERMINAL or (turn == CHANCE and len(state[0]) == 2):
            return  # the first street is over
        if turn == CHANCE:
            for move, p in rules.chance(state):
                play(rules.next(state, move), chance * p)
            return
        odds = strategy.at(rules.observe(state, turn), player=turn)
        for kind in {action.split()[0] for action in odds}:
            could[turn, kind] += chance
        for action, p in odds.items():
            taken[turn, action.split()[0]] += chance * p
            if state[2] == 0:
                first[action] += chance * p
            play(rules.next(state, action), chance * p)

    play(rules.root(), 1.0)
    return dict(first), {key: taken[key] / could[key] for key in could}


def test_with_rake_nobody_knows_a_guarantee():
    tree = PublicTree(naive_poker.tiny_river(rake=(0.05, 3.0)))
    price = compare(solved(tree), solved(tree))
    assert price.players[0].styled_guarantee is None
    assert price.players[0].cost is None
    assert price.players[0].plain + price.players[1].plain < 0
    assert price.to_dict()["players"][0]["cost"] is None
