"""The price of a style: frequencies, distance, values and guarantees against slow oracles."""

from dataclasses import replace

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import MismatchError, ParameterError
from counterfold.games.base import CHANCE, TERMINAL, label
from counterfold.style.frequency import Frequency
from counterfold.style.openings import hands, openings
from counterfold.style.price import compare, price


def visits(game, strategy):
    """How often play comes to each player's infosets, by walking the rules."""
    found = {}

    def walk(state, reach):
        turn = game.turn(state)
        if turn == CHANCE:
            for outcome, chance in game.chance(state):
                walk(game.next(state, outcome), reach * chance)
        elif turn != TERMINAL:
            seen = game.observe(state, turn)
            key = turn, label(seen)
            found[key] = found.get(key, 0.0) + reach
            played = strategy.at(*seen, player=turn)
            for action in game.actions(state):
                walk(game.next(state, action), reach * played[action])

    walk(game.root(), 1.0)
    return found


@pytest.fixture(scope="module")
def kuhn():
    style = cf.Style({"bet": 10.0}, player=0, seen="?", best=True)
    return price(cf.Kuhn(), style, until=cf.Until(iterations=2000))


@pytest.fixture(scope="module")
def leduc():
    style = cf.Style({"raise": 5.0, "bet": 3.0}, give_up=0.01)
    return price(cf.Leduc(), style, until=cf.Until(iterations=300))


def test_what_the_style_does(kuhn):
    alphas = {
        share.action: (share.plain, share.styled)
        for share in kuhn.by_hand
        if (share.player, share.hand) == (0, "J")
    }
    assert alphas["bet"][0] == pytest.approx(kuhn.plain.strategy.at("J")["bet"])
    assert alphas["bet"][1] == pytest.approx(kuhn.styled.strategy.at("J")["bet"])
    assert alphas["bet"][1] > alphas["bet"][0] + 0.05
    assert kuhn.cost < 0.01


def test_shares_are_the_frequencies_of_the_words(leduc):
    for shares, place in ((leduc.by_player, ""), (leduc.by_round, "@round{0.round}")):
        for share in shares:
            text = f"player{share.player + 1}:{share.action}" + place.format(share)
            frequency = Frequency.parse(text)
            assert share.plain == pytest.approx(frequency.of(leduc.plain.strategy))
            assert share.styled == pytest.approx(frequency.of(leduc.styled.strategy))


def test_shares_by_hand_against_the_rules(leduc):
    """Counted by walking every history of the game."""
    strategy = leduc.styled.strategy
    seen = visits(cf.Leduc(), strategy)
    for share in leduc.by_hand:
        offered = taken = 0.0
        for row in strategy.rows(player=share.player):
            if row.infoset.split(" | ")[0] == share.hand and share.action in row.actions:
                weight = seen[share.player, row.infoset]
                offered += weight
                taken += weight * row.actions[share.action]
        assert share.styled == pytest.approx(taken / offered)


def test_distance(kuhn):
    plain, styled = kuhn.plain.strategy, kuhn.styled.strategy
    seen = visits(cf.Kuhn(), plain)
    total = sum(seen.values())
    apart = 0.0
    for one, other in zip(plain.rows(), styled.rows(), strict=True):
        l1 = sum(abs(one.actions[a] - other.actions[a]) for a in one.actions)
        apart += seen[one.player, one.infoset] / total * l1
    found = kuhn.distance
    assert found.mean == pytest.approx(apart)
    at = found.infoset.split(" | ")
    both = [s.at(*at, player=found.player)[found.action] for s in (plain, styled)]
    assert found.largest == pytest.approx(abs(both[0] - both[1]))
    assert compare(kuhn.plain, kuhn.plain).distance.largest == 0.0


def test_seats(kuhn):
    plain, styled = kuhn.plain.strategy, kuhn.styled.strategy
    first, second = kuhn.players
    assert first.styled_against_plain == pytest.approx(cf.value(styled, plain))
    assert first.plain_against_styled == pytest.approx(cf.value(plain, styled))
    assert second.styled_against_plain == pytest.approx(-cf.value(plain, styled))
    assert second.plain_against_styled == pytest.approx(-cf.value(styled, plain))
    assert first.styled_guarantee == pytest.approx(-cf.best_response(styled, 1).value)
    assert second.plain_guarantee == pytest.approx(-cf.best_response(plain, 0).value)
    # What both players guarantee less than the value is what both responders gain.
    assert first.cost + second.cost == pytest.approx(2 * kuhn.cost)


def test_three_players_have_no_guarantee():
    style = cf.Style({"bet": 5.0}, player=1)
    found = price(cf.Kuhn(players=3), style, until=cf.Until(iterations=200))
    assert len(found.players) == 3
    assert all(player.cost is None for player in found.players)
    plain, styled = found.plain.strategy, found.styled.strategy
    one = cf.values(plain, styled, plain)[1]
    assert found.players[1].styled_against_plain == pytest.approx(one)


def test_where_play_never_comes():
    game = cf.Kuhn()
    tree = cf.compile_game(game)
    always = np.zeros(tree.infosets.slots)
    always[tree.infosets.start[:-1].astype(int) + 1] = 1.0  # bet, call
    result = cf.solve(tree, until=cf.Until(iterations=1))
    pure = replace(result, strategy=cf.Strategy.of(tree, always))
    found = compare(result, pure)
    (fold,) = [s for s in found.by_player if (s.player, s.action) == (0, "fold")]
    assert fold.plain is not None
    assert fold.styled is None
    assert found.to_dict()["by_player"][0]["player"] == 1


def test_hands_and_openings(kuhn):
    assert hands(cf.compile_game(cf.Leduc())) == ("J", "Q", "K")
    assert hands(cf.compile_game(cf.load("rps"))) == ()
    plain, styled = kuhn.plain.strategy, kuhn.styled.strategy
    first = openings(plain, styled, 0)
    assert first.columns == (("", "check"), ("", "bet"))
    assert first.styled[0, 1] == styled.at("J")["bet"]
    rps = cf.Strategy.uniform(cf.load("rps"))
    assert openings(rps, rps, 0) is None


def test_every_method_and_traversal():
    style = cf.Style({"bet": 3.0})
    for method, traversal in (("cfr+", "full"), ("hs-pcfr+", "full"), ("cfr", "external")):
        runs = []
        found = price(
            cf.Kuhn(), style, method, cf.Until(iterations=500), traversal, seed=1,
            on_run=runs.append,
        )  # fmt: skip
        assert runs == ["plain", "styled"]
        assert found.styled.method == method
        assert found.styled.traversal == traversal


def test_refused():
    with pytest.raises(ParameterError, match="linear program"):
        price(cf.Kuhn(), cf.Style({"bet": 3.0}), "lp")
    with pytest.raises(ParameterError, match="no action 'raise'"):
        price(cf.Kuhn(), cf.Style({"raise": 3.0}))
    few = cf.Until(iterations=1)
    with pytest.raises(MismatchError, match="leduc"):
        compare(cf.solve(cf.Kuhn(), until=few), cf.solve(cf.Leduc(), until=few))
