"""Local best response: never better than the best one, and as good where one step is all."""

from __future__ import annotations

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import by_hand
from counterfold.abstraction.buckets import every_hand
from counterfold.agent import Observation
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.play.blueprint import BlueprintAgent
from counterfold.play.bots import make_bot
from counterfold.play.lbr import KINDS, _lines, _TreeLines, _Walk, local_best_response
from counterfold.play.public_lines import poker_policy
from counterfold.play.translate import Translated
from counterfold.poker.cards import parse_hole
from counterfold.poker.holdem import fhp, kuhn, leduc, one_card
from counterfold.poker.table import Holdem
from counterfold.tree.public import PublicTree
from tests.evaluate.test_statistics import one_bucket
from tests.naive_lbr import NaiveWalk

RIVER = {
    "board": "Ks 9h 6s 4d 2c", "pot": 20, "stack": 40, "oop": "QQ+,AK,T9s,87s",
    "ip": "JJ-88,AK,KQ,76s", "bets": ["50%", "100%"], "raises": ["60%"],
}  # fmt: skip


def best(strategy, player: int) -> float:
    return cf.best_response(strategy, player).value


def strategies(game):
    yield cf.Strategy.uniform(game)
    yield cf.Strategy.random(game, np.random.default_rng(4))
    yield cf.solve(game, until=cf.Until(iterations=30)).strategy


@pytest.mark.parametrize("kind", ["fold-call", "pot", "56", "all"])
@pytest.mark.parametrize(
    "game", [kuhn(), one_card(), leduc(), fhp(deck="KA", cap=1)], ids=lambda g: g.name
)
def test_it_never_beats_the_best_response(game, kind):
    some = list(strategies(game))
    for strategy in some[-1:] if game.name == "fhp" else some:
        found = local_best_response(strategy, kind=kind)
        assert found.exact
        for player in (0, 1):
            assert found.by_player[player] <= best(strategy, player) + 1e-6


@pytest.mark.parametrize("game", [kuhn(), one_card()], ids=lambda g: g.name)
def test_where_one_step_is_all_it_is_the_best_response(game):
    """The second player of these games decides once: what comes after it is a showdown."""
    for strategy in strategies(game):
        found = local_best_response(strategy, kind="all")
        assert found.by_player[1] == pytest.approx(best(strategy, 1), abs=1e-6)


def test_who_never_folds_is_called_down_for_its_equity():
    game = cf.spot({**RIVER, "bets": [], "raises": []})
    uniform = cf.Strategy.uniform(game)
    found = local_best_response(uniform, kind="all")
    assert found.by_player[0] == pytest.approx(cf.value(uniform), abs=1e-6)


@pytest.mark.parametrize("kind", ["fold-call", "pot", "all"])
@pytest.mark.parametrize("game", [leduc(), fhp(deck="KA", cap=1)], ids=lambda g: g.name)
def test_all_hands_at_once_win_what_they_do_one_by_one(game, kind):
    strategy = cf.Strategy.random(game, np.random.default_rng(8))
    _, lines = _lines(strategy, None)
    found = local_best_response(strategy, kind=kind)
    for me in (0, 1):
        expected = NaiveWalk(game, lines, me, KINDS[kind]).value()
        assert found.by_player[me] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kind", ["fold-call", "all"])
def test_drawn_lines_agree_with_all_of_them(kind):
    strategy = cf.Strategy.random(leduc(), np.random.default_rng(8))
    exact = local_best_response(strategy, kind=kind)
    drawn = local_best_response(strategy, 1_500, kind, seed=2)
    assert not drawn.exact
    for player in (0, 1):
        assert abs(drawn.by_player[player] - exact.by_player[player]) < 4 * 2 * drawn.error
    assert drawn.error < 0.06


def test_buckets_and_hands_are_gauged_alike():
    game = leduc()
    form = BucketForm(game, every_hand(game))
    coarse = cf.Strategy.random(form, np.random.default_rng(1))
    found = local_best_response(coarse, kind="all")
    tree = PublicTree(game, symmetry=False)
    assert found.by_player == pytest.approx(
        local_best_response(by_hand(coarse, tree), kind="all").by_player, abs=1e-6
    )


def test_a_river_spot():
    strategy = cf.Strategy.uniform(cf.spot(RIVER))
    found = local_best_response(strategy, kind="all")
    for player in (0, 1):
        assert found.by_player[player] <= best(strategy, player) + 1e-6
    assert found.value > 2


def test_other_games_and_words_are_refused():
    with pytest.raises(UnsupportedError, match="is for poker"):
        local_best_response(cf.Strategy.uniform(cf.Kuhn()))
    with pytest.raises(ParameterError, match="no local best response"):
        local_best_response(cf.Strategy.uniform(kuhn()), kind="some")


def blueprint(seed: int = 5, **parameters):
    """A strategy at a table of hold'em, by the betting alone."""
    table = Holdem(**parameters)
    form = BucketForm(table.poker, [one_bucket(cards) for cards in (0, 3, 4, 5)])
    return table, cf.Strategy.random(form, np.random.default_rng(seed))


@pytest.mark.parametrize("kind", ["fold-call", "all"])
def test_a_table_is_walked_as_its_betting_tree(kind):
    _, strategy = blueprint(stack=12)
    game, at_table = _lines(strategy, None)
    in_tree = _TreeLines(*poker_policy(strategy))
    some = set()
    for me in (0, 1):
        walks = [
            _Walk(game, lines, me, KINDS[kind], np.random.default_rng(7))
            for lines in (at_table, in_tree)
        ]
        won = [[walk.value() for _ in range(3)] for walk in walks]
        assert won[0] == pytest.approx(won[1])
        some |= set(won[0])
    assert len(some) > 1


@pytest.mark.parametrize(("kind", "small"), [("pot", 1.0), ("56", 1.0)])
def test_who_always_folds_loses_750_to_who_bets(kind, small):
    """The published figure: half a big blind in one seat, a whole one in the other."""
    found = local_best_response(make_bot("always-fold"), 4, kind, table=Holdem())
    assert found.by_player == pytest.approx((small, 0.5))


def test_more_sizes_are_met_by_translation():
    """Sizes that nobody has trained for: what the rules allow is offered, and none is refused."""
    table, strategy = blueprint(stack=30, bets="100%,allin", raises="100%,allin")
    _, lines = _lines(strategy, None)
    state = table.deal("AsAh", "KsKh")
    for word in ("call", "check", "2c", "7d", "9h", "check", "check", "Jd"):
        state = table.next(state, word)
    assert len(KINDS["56"].sizes) == 55  # and all-in
    assert KINDS["56"].sizes[-1] == pytest.approx(94.76618191)
    after = lines.choices((state.betting, state.line), KINDS["56"].sizes)
    assert [bet[1][-1] for bet in after.bets[::8]] == ["bet 1", "bet 5", "bet 15.5"]
    told = [sum(odds[5] for _, odds in lines.answers(bet, state.board)) for bet in after.bets]
    assert told == pytest.approx([1.0] * len(told))
    assert np.isfinite(local_best_response(strategy, 8, "56").value)


def test_odds_of_all_hands_are_those_with_which_is_acted():
    """After bets of both that its tree does not have, whatever it took the first one for."""
    table, strategy = blueprint(seed=2, stack=40, bets="50%,100%,allin", raises="100%,allin")
    agent = Translated(BlueprintAgent(strategy), table)
    agent.begin(table)
    rng, board = np.random.default_rng(3), "2c 7d 9h"
    line = ["call", "check", "[2c]", "[7d]", "[9h]", "bet 1.5"]

    def seen(hand: int, line: list[str]) -> Observation:
        state = table.deal("AsAh", "KsKh")
        for word in line:
            state = table.next(state, word.strip("[]"))
        return Observation(0, ("AsAh", board, ", ".join(line)), table.actions(state), hand)

    acts: dict[str, int] = {}
    again: dict[str, int] = {}
    for hand in range(3000):
        first = str(agent.act(seen(hand, line), rng))
        acts[first] = acts.get(first, 0) + 1
        own = agent.odds(seen(hand, line))
        assert own is not None
        assert own[first] > 0
        assert sum(own.values()) == pytest.approx(1)
        if first == "raise 6.5":
            second = str(agent.act(seen(hand, [*line, first, "raise 15"]), rng))
            again[second] = again.get(second, 0) + 1
    for line_, counts in ((line, acts), ([*line, "raise 6.5", "raise 15"], again)):
        odds = agent.odds_of_all(seen(0, line_))
        total = sum(counts.values())
        assert total > 100
        assert set(counts) <= set(odds)
        for word, shares in odds.items():
            share = float(shares[parse_hole("AsAh")])
            error = (share * (1 - share) / total) ** 0.5
            assert abs(counts.get(word, 0) / total - share) < 4.5 * error + 1e-9


def test_an_agent_that_tells_nothing_is_refused():
    with pytest.raises(UnsupportedError, match="which it does not tell"):
        local_best_response(cf.Agent(), table=Holdem())
