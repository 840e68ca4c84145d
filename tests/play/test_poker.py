"""Poker with all hands at the table: rules, agents, exact matches, decisions that are judged."""

import numpy as np
import pytest

import counterfold as cf
from counterfold.agent import Observation
from counterfold.errors import MismatchError, SpecError
from counterfold.evaluate.exact import assess, earned_against
from counterfold.evaluate.public_view import Browser
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.play.agents import StrategyAgent, make_agent
from counterfold.play.bots import seated
from counterfold.play.match import Match
from counterfold.play.trainer import Trainer
from counterfold.poker.cards import parse_hole
from counterfold.poker.rules import PokerRules
from counterfold.poker.spot import spot
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.testing import check_game
from counterfold.tree.public import PublicTree
from tests import naive_poker
from tests.naive_poker import NaivePoker
from tests.played_poker import as_strategy


def _solved(tree, iterations):
    """A strategy on the way to an equilibrium."""
    solver = Solver(tree, dtype="float64")
    solver.step(3 + iterations)
    return solver.strategy()


SMALL = {
    "board": "Ks 9h 6s 4d 2c",
    "pot": 20,
    "stack": 40,
    "oop": "QQ+,T9s:0.5",
    "ip": "JJ,AKs,65s",
    "bets": ["50%", "allin"],
    "raises": ["allin"],
}


@pytest.mark.parametrize("name", ["river", "turn", "flop", "fhp", "leduc"])
def test_rules_are_those_of_the_naive_game(name):
    poker = naive_poker.leduc() if name == "leduc" else naive_poker.TINY[name](seed=5)
    rules, naive = PokerRules(poker), NaivePoker(poker)
    rng = np.random.default_rng(1)
    ends = 0
    for _ in range(60):
        one, two = rules.root(), naive.root()
        while rules.turn(one) != TERMINAL:
            if rules.turn(one) == CHANCE:
                mine = dict(rules.chance(one))
                assert sum(mine.values()) == pytest.approx(1)
                if len(one[0]) < 2:  # hands have the same names and chances
                    assert mine == pytest.approx(dict(naive.chance(two)))
                    move = list(mine)[int(rng.integers(len(mine)))]
                    one, two = rules.next(one, move), naive.next(two, move)
                    continue
                size = poker.rules.deal[int(poker.betting.street[one[2]]) + 1]
                dealt = []
                for _ in range(size):
                    cards = [card for card, _ in rules.chance(one)]
                    dealt.append(cards[int(rng.integers(len(cards)))])
                    one = rules.next(one, dealt[-1])
                there = [o for o, _ in naive.chance(two) if _cards(o) == set(dealt)]
                assert len(there) == 1
                two = naive.next(two, there[0])
            else:
                assert rules.turn(one) == naive.turn(two)
                assert rules.actions(one) == naive.actions(two)
                move = rules.actions(one)[int(rng.integers(len(rules.actions(one))))]
                one, two = rules.next(one, move), naive.next(two, move)
        assert naive.turn(two) == TERMINAL
        assert rules.payoff(one) == pytest.approx(naive.payoff(two))
        shown = rules.shown(one)
        assert shown is None or shown == (rules.observe(one, 0)[0], rules.observe(one, 1)[0])
        ends += shown is not None
    assert ends > 5


def _cards(text):
    return {text[k : k + 2] for k in range(0, len(text), 2)}


def test_rules_keep_the_contract_of_a_game():
    report = check_game(PokerRules(naive_poker.tiny_river()), limit=20_000)
    assert report.terminals > 1000


@pytest.mark.parametrize(
    "poker",
    [naive_poker.tiny_river(None), naive_poker.tiny_turn(None), naive_poker.tiny_fhp(cap=1)],
    ids=["river", "turn", "fhp"],
)
def test_agents_play_their_strategy_hand_by_hand(poker):
    tree = PublicTree(poker)
    strategy = _solved(tree, 4)
    rules = PokerRules(poker)
    played = as_strategy(cf.compile_game(rules), rules, StrategyAgent(strategy))
    found = assess(strategy)
    assert cf.values(played) == pytest.approx(found.values, abs=1e-9)
    best = [cf.best_response(played, player=p).value for p in (0, 1)]
    assert best == pytest.approx(found.best, abs=1e-9)
    assert found.exploitability > 1e-3  # so it matters who plays what


def test_matches_are_exact_and_so_are_their_hands():
    poker = spot(SMALL)
    rules = PokerRules(poker)
    tree = PublicTree(poker)
    one, two = _solved(tree, 1), Strategy.uniform(tree)
    match = Match(rules, StrategyAgent(one, "one"), StrategyAgent(two, "two"), seed=3)
    result = match.play(3000)
    score = result.scores[0]
    exact = (earned_against(one, 0, two) + earned_against(one, 1, two)) / 2
    assert score.exact == pytest.approx(exact, abs=1e-6)
    assert result.scores[1].exact == -score.exact
    assert abs(score.plain.mean - exact) < 4 * score.plain.half / 1.96
    assert score.plain.half < 1.5
    assert abs(exact) > 1.0
    assert score.reduced is None


def test_other_agents_sit_down_too():
    rules = PokerRules(spot(SMALL))

    class Caller:
        name = "caller"

        def act(self, observation, rng):
            return "call" if "call" in observation.actions else observation.actions[0]

    result = Match(rules, Caller(), make_agent("uniform", rules), seed=1).play(50)
    assert result.hands == 50
    assert not any(result.faults)
    assert result.scores[0].exact is None


def test_values_of_actions_are_those_of_the_history_form():
    poker = naive_poker.tiny_turn(seed=None)
    tree = PublicTree(poker)
    strategy = _solved(tree, 4)
    rules, agent = PokerRules(poker), StrategyAgent(strategy)
    known = {}
    sums = {}  # by infoset: the reach of the others, and times the value of each action

    def play(state, reach):
        """Values of both players from here on; ``reach`` is of player 0, player 1 and chance."""
        turn = rules.turn(state)
        if turn == TERMINAL:
            return np.array(rules.payoff(state))
        if turn == CHANCE:
            return sum(
                p * play(rules.next(state, move), reach * np.array([1, 1, p]))
                for move, p in rules.chance(state)
            )
        seen = Observation(turn, rules.observe(state, turn), rules.actions(state))
        if (turn, seen.seen) not in known:
            known[turn, seen.seen] = agent.odds(seen)
        odds = known[turn, seen.seen]
        worth = []
        for action, p in odds.items():
            more = reach.copy()
            more[turn] *= p
            worth.append(play(rules.next(state, action), more))
        kept = sums.setdefault((turn, seen.seen, seen.actions), [0.0, 0.0])
        others = reach[1 - turn] * reach[2]
        kept[0] += others
        kept[1] += others * np.array(worth)[:, turn]
        return sum(p * w for p, w in zip(odds.values(), worth, strict=True))

    play(rules.root(), np.ones(3))
    browser, checked = Browser(strategy), 0
    for (turn, (hand, _, line), actions), (reach, total) in list(sums.items())[::7]:
        if reach < 1e-12:
            continue
        found = browser.action_values(line)
        node = _node(rules, line)
        paid = float(poker.betting.paid[node, turn])
        mine = [found[action][parse_hole(hand)] for action in actions]
        assert mine == pytest.approx(total / reach + paid, abs=1e-8)
        checked += 1
    assert checked > 100


def _node(rules, line):
    from counterfold.tree.find import find_place

    return find_place(PublicTree(rules.poker), line).node


@pytest.mark.parametrize("good", [True, False])
def test_luck_is_taken_out_of_a_persons_score_and_nothing_else(good):
    poker = spot(SMALL)
    rules, tree = PokerRules(poker), PublicTree(poker)
    strategies = _solved(tree, 20), Strategy.uniform(tree)
    mine, theirs = strategies if good else strategies[::-1]
    rng, agent = np.random.default_rng(1), StrategyAgent(mine)
    trainer = Trainer(
        rules, StrategyAgent(theirs, "other"), ask=lambda seen: agent.act(seen, rng), seed=1
    )
    trainer.play(800)
    score = trainer.score
    exact = sum(earned_against(mine, player, theirs) for player in (0, 1)) / 2
    assert abs(exact) > 1
    assert abs(score.plain.mean - exact) < 4 * score.plain.half / 1.96
    assert abs(score.reduced.mean - exact) < 4 * score.reduced.half / 1.96
    assert score.reduced.half < score.plain.half / 1.5


def test_playing_as_the_opponent_does_has_no_edge_but_the_mix():
    poker = spot(SMALL)
    rules, tree = PokerRules(poker), PublicTree(poker)
    agent = StrategyAgent(_solved(tree, 20), "solved")
    trainer = Trainer(rules, agent, ask=lambda seen: seen.actions[0])
    trainer.deal()
    assert trainer.judged
    for judged in trainer.judged:
        assert judged.lost >= 0
        assert judged.worth[judged.best] == max(judged.worth.values())
        assert judged.worth[judged.action] + judged.lost == pytest.approx(judged.worth[judged.best])
        assert min(judged.worth.values()) <= judged.usual <= max(judged.worth.values())
    advice = trainer.advice(
        Observation(0, ("QhQd", "Ks 9h 6s 4d 2c", ""), ("check", "bet 10", "all-in 40"))
    )
    assert advice[0].who == "solved"
    assert sum(advice[0].odds.values()) == pytest.approx(1)
    assert advice[0].worth.keys() == advice[0].odds.keys()


def test_with_rake_the_score_is_plain():
    rules = PokerRules(spot(SMALL | {"rake": {"rate": 0.05, "cap": 3}}))
    other = make_agent("uniform", rules)
    trainer = Trainer(rules, other, ask=lambda seen: seen.actions[0])
    trainer.deal()
    assert not trainer.takes_luck_out
    assert trainer.score.reduced is None
    match = Match(rules, other, other, seed=1)
    assert match.exact()[0] == match.exact()[1] < 0


def test_who_does_not_fit_is_told():
    rules = PokerRules(spot(SMALL))
    with pytest.raises(SpecError, match="there is no agent 'dbbr'"):
        make_agent("dbbr", rules)
    other = make_agent("uniform", spot(SMALL | {"pot": 30}))
    with pytest.raises(MismatchError, match="another game"):
        Match(rules, other, other)
    with pytest.raises(MismatchError, match="another game"):
        Match(cf.Kuhn(), other, other)


def test_agents_of_one_name_share_a_strategy():
    rules = PokerRules(spot(SMALL))
    tree = PublicTree(rules.poker)
    one, two = seated(rules, ["uniform", "uniform"], tree)
    assert one is two
    solved = seated(rules, ["equilibrium", "uniform"], tree)
    trees = {id(agent.strategy.tree) for agent in solved}
    assert len(trees) == 1
    assert assess(solved[0].strategy).exploitability < 0.003 * 20


def test_decisions_at_a_games_tree_are_judged_too() -> None:
    """By hand: a jack that bets wins 1 or loses 2, one that checks loses 1 or about 1.5."""
    tree = cf.compile_game(cf.Kuhn())
    other = cf.StrategyAgent(cf.Strategy.uniform(tree), name="even")
    trainer = Trainer(tree, other, ask=lambda seen: seen.actions[0], seed=3)
    assert trainer.judges
    seen = cf.Observation(0, ("J", ""), ("check", "bet"), 0)
    found = trainer.judge(seen, "check")
    assert found is not None
    assert found.worth == pytest.approx({"check": -1.25 + 0.875, "bet": -0.5 + 0.875})
    assert (found.best, found.lost, found.pot) == ("bet", pytest.approx(0.75), 2.0)
    assert trainer.advice(seen)[0].worth == found.worth
    edges = []
    for _ in range(8):
        hand = trainer.deal()
        assert hand is not None
        edges.append(sum(one.edge for one in trainer.judged))
    value = cf.values(cf.Strategy.uniform(tree))[0]
    fair = [value if k % 2 == 0 else -value for k in range(8)]
    score = trainer.score
    assert score is not None
    assert score.reduced is not None
    assert score.reduced.mean == pytest.approx(np.mean(np.add(fair, edges)))
