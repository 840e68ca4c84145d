"""Luck taken out at tables of poker: the mean is kept exactly, and the spread is gone."""

from __future__ import annotations

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.buckets import every_hand
from counterfold.abstraction.drawn_engine import DrawnForm
from counterfold.agent import Observation, drawn
from counterfold.games.base import CHANCE, TERMINAL, label
from counterfold.play import table_insight
from counterfold.play.blueprint import BlueprintAgent
from counterfold.play.bots import make_bot, needs_form, seated
from counterfold.play.match import Match
from counterfold.play.table import PlayedHand, Step
from counterfold.play.table_insight import TableInsight
from counterfold.play.translate import Translated
from counterfold.poker.holdem import kuhn, leduc
from counterfold.poker.rules import PokerRules
from counterfold.poker.table import Holdem, jam_or_fold
from tests.evaluate.test_statistics import one_bucket


def every_hand_played(rules, odds, known):
    """All ways in which a hand can go, with their probabilities, as the table would tell them."""

    def walk(state, chance, steps):
        turn = int(rules.turn(state))
        if turn == TERMINAL:
            won = tuple(map(float, rules.payoff(state)))
            players = tuple(range(rules.players))
            yield chance, PlayedHand(0, players, (), won, None, tuple(steps), state)
            return
        if turn == CHANCE:
            moves = [(move, share, None) for move, share in rules.chance(state)]
        else:
            own = odds(rules, state, turn)
            told = own if known[turn] else None
            moves = [(move, share, told) for move, share in own.items()]
        for move, share, told in moves:
            if share > 0:
                step = Step(turn, state, 0, move, told)
                yield from walk(rules.next(state, move), chance * share, [*steps, step])

    yield from walk(rules.root(), 1.0, [])


def fixed_odds(seed):
    """How somebody plays who is no blueprint: at random, the same way in the same place."""
    kept = {}

    def odds(rules, state, turn):
        key = label(rules.observe(state, turn))
        if key not in kept:
            actions = rules.actions(state)
            shares = np.random.default_rng([seed, len(kept)]).dirichlet(np.ones(len(actions)))
            kept[key] = dict(zip(actions, shares.tolist(), strict=True))
        return kept[key]

    return odds


@pytest.mark.parametrize(
    ("game", "known"),
    [
        (kuhn(), (False, False)), (kuhn(), (True, True)),
        (kuhn(players=3), (True, False)), (leduc(), (True, False)),
    ],
    ids=["kuhn-unknown", "kuhn", "kuhn3", "leduc"],
)  # fmt: skip
def test_the_mean_is_kept_exactly_over_all_hands(game, known):
    rules, known = PokerRules(game), (*known, True)[: len(game.players)]
    blueprint = cf.Strategy.random(BucketForm(game, every_hand(game)), np.random.default_rng(1))
    insight = TableInsight(rules, [blueprint, *[None] * (rules.players - 1)])
    plain, fair, squares = np.zeros((3, rules.players))
    for chance, hand in every_hand_played(rules, fixed_odds(2), known):
        left = np.array(insight.fair(hand))
        plain += chance * np.array(hand.payoffs)
        fair += chance * left
        squares += chance * left**2
    assert fair == pytest.approx(plain, abs=1e-9)
    assert (squares - fair**2 > 1e-3).all()  # the blueprint's values are not those of the play


def test_who_plays_the_blueprint_leaves_no_spread():
    game = leduc()
    rules, form = PokerRules(game), BucketForm(game, every_hand(game))
    blueprint = cf.Strategy.random(form, np.random.default_rng(4))
    insight = TableInsight(rules, [blueprint, blueprint])

    def odds(rules, state, turn):
        hole, _, line = rules.observe(state, turn) if len(rules.observe(state, turn)) == 3 else (
            rules.observe(state, turn)[0], "", rules.observe(state, turn)[-1])  # fmt: skip
        return blueprint.at(hole, line)

    every = list(every_hand_played(rules, odds, (True, True)))
    left = [insight.fair(hand)[0] for _, hand in every[::23]]
    assert np.ptp(left) < 1e-5
    assert left[0] == pytest.approx(cf.value(blueprint), abs=1e-5)


def table_of(players: int = 2, seed: int = 5):
    table = Holdem(players=players, stack=12)
    form = BucketForm(table.poker, [one_bucket(cards) for cards in (0, 3, 4, 5)])
    strategies = [cf.Strategy.random(form, np.random.default_rng(seed + k)) for k in (0, 1)]
    return table, [BlueprintAgent(one, name=f"{k}") for k, one in enumerate(strategies)]


@pytest.mark.parametrize("players", [2, 3])
def test_matches_of_blueprints_need_far_fewer_hands(players):
    table, agents = table_of(players)
    seats = [agents[0], agents[1], agents[1]][:players]
    result = Match(table, *seats, seed=2).play(300)
    first = result.scores[0]
    assert first.reduced is not None
    assert first.factor > 5
    both = (first.plain.half**2 + first.reduced.half**2) ** 0.5
    assert abs(first.plain.mean - first.reduced.mean) < 1.5 * both
    assert sum(score.reduced.mean for score in result.scores) == pytest.approx(0, abs=1e-9)


def test_a_blueprint_of_three_before_the_flop_sits_down(tmp_path):
    table = Holdem(players=3, stack=10, bets="", raises="allin", limps=False, last_street="preflop")
    form = BucketForm(table.poker, [one_bucket(cards) for cards in (0, 3, 4, 5)])
    path = str(tmp_path / "three.cf")
    cf.Strategy.random(form, np.random.default_rng(3)).save(path)
    rules, names = PokerRules(table.poker), [path, "uniform", "uniform"]
    assert not needs_form(rules, names)
    result = Match(rules, *seated(rules, names, None), seed=1).play(20)
    assert result.hands == 20
    other = PokerRules(Holdem(players=3, stack=12).poker)
    with pytest.raises(cf.MismatchError, match="another table"):
        Match(other, *seated(other, names, None), seed=1).play(1)


def test_what_was_solved_over_drawn_deals_sits_down(tmp_path):
    table = jam_or_fold(players=3, stack=8)
    path = str(tmp_path / "three.cf")
    cf.solve(DrawnForm(table.poker, deals=300), until=2, save=path)
    for game in (table, PokerRules(table.poker)):
        agents = seated(game, [path, "uniform", "uniform"], None)
        assert Match(game, *agents, seed=1).play(20).hands == 20
    other = jam_or_fold(players=3, stack=9)
    with pytest.raises(cf.MismatchError, match="another table"):
        Match(other, *seated(other, [path, "uniform", "uniform"], None), seed=1).play(1)


class AnySize(cf.Agent):
    """Bets what no tree knows, and tells how often."""

    name = "any size"

    def odds(self, observation: Observation) -> dict[str, float]:
        found = {str(action): 1.0 for action in observation.actions}
        if any(word.startswith("bet ") and word != "bet 1.5" for word in found):
            found["bet 1.5"] = 2.0
        return {word: share / sum(found.values()) for word, share in found.items()}

    def act(self, observation: Observation, rng: np.random.Generator) -> str:
        return drawn(self.odds(observation), rng)


def test_bets_that_no_tree_has_are_judged_by_the_nearest():
    table, (agent, _) = table_of()
    result = Match(table, Translated(agent, table), AnySize(), seed=1).play(400)
    assert not any(result.faults), result.messages
    score = result.scores[0]
    both = (score.plain.half**2 + score.reduced.half**2) ** 0.5
    assert abs(score.plain.mean - score.reduced.mean) < 1.5 * both


class Liar(AnySize):
    """Tells odds that it does not play by."""

    name = "liar"

    def act(self, observation: Observation, rng: np.random.Generator) -> str:
        return "fold" if "fold" in observation.actions else str(observation.actions[0])

    def odds(self, observation: Observation) -> dict[str, float]:
        return {
            str(action): float(action == observation.actions[-1]) for action in observation.actions
        }


def test_who_does_what_its_odds_exclude_loses_the_hand():
    table, (agent, _) = table_of()
    result = Match(table, agent, Liar(), seed=1).play(20)
    assert result.faults[1] > 0
    assert "which its odds exclude" in result.messages[0].message
    assert result.scores[0].reduced is None


def test_poor_guesses_weigh_little(monkeypatch):
    """Who always folds has nothing to do with the blueprint: its guesses would add luck."""
    table, (agent, _) = table_of()
    score = Match(table, agent, make_bot("always-fold"), seed=3).play(200).scores[0]
    monkeypatch.setattr(table_insight, "PATIENCE", 10**9)
    unweighed = Match(table, agent, make_bot("always-fold"), seed=3).play(200).scores[0]
    assert score.factor > 2 * unweighed.factor
    assert score.factor > 0.3
    both = (score.plain.half**2 + score.reduced.half**2) ** 0.5
    assert abs(score.plain.mean - score.reduced.mean) < 1.5 * both


@pytest.mark.parametrize("repeat", [1, 2])
def test_guesses_are_weighed_by_earlier_deals_alone(repeat):
    table, agents = table_of()
    insight = TableInsight(table, [agents[0].strategy, None], 0, repeat)
    rng = np.random.default_rng(0)
    weights = []
    for number in range(40 * repeat):
        weights.append(insight._weight(number // repeat))
        luck = float(rng.normal())
        insight._now.append((luck, 0.25 * luck))
    few = -(-30 // repeat) * repeat
    assert weights[:few] == [1.0] * few
    assert weights[few:] == pytest.approx([0.25] * len(weights[few:]))
    insight._now[-1] = (5.0, -100.0)  # of the deal in play: it changes nothing before the next
    assert insight._weight(39) == pytest.approx(0.25)
    assert insight._weight(40) < 0.2


def test_without_a_blueprint_nothing_is_taken_out():
    result = Match(Holdem(stack=12), make_bot("loose"), make_bot("tight"), seed=1).play(20)
    assert result.scores[0].reduced is None
    assert table_insight.table_insight(Holdem(), [make_bot("loose")], 0) is None
