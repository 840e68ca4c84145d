"""The agent that searches: ranges by Bayes' rule, searches that solve what is left, in time."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.buckets import Buckets, renamings, starting_hands
from counterfold.agent import Observation
from counterfold.errors import CounterfoldError, MismatchError, ParameterError
from counterfold.evaluate.exact import assess
from counterfold.evaluate.public_view import Browser
from counterfold.play.blueprint import BlueprintAgent
from counterfold.play.bots import make_bot
from counterfold.play.holdem import HoldemAgent, LearningHoldem
from counterfold.play.match import Match
from counterfold.play.poker_bots import AlwaysCall, maniac
from counterfold.play.record import read_record
from counterfold.play.rest import game_of, lifted, rest_of, shadow_of
from counterfold.play.street import LEFT_OUT, Spot
from counterfold.play.worth import worth_among, worth_of
from counterfold.poker.cards import HIGH, HOLES, LOW, holes_without, parse_cards, parse_hole
from counterfold.poker.game import DECISION, PokerGame
from counterfold.poker.ranges import CELL
from counterfold.poker.showdown import strengths
from counterfold.poker.table import DEALT, Holdem
from counterfold.searchers.gadget import gadget
from counterfold.searchers.public import PublicSearch
from counterfold.searchers.public_entry import Arrivals
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Until
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree
from tests.naive_poker import leduc, tiny_fhp

COUNT = 7


@cache
def by_hole(cards: int) -> Buckets:
    """Few buckets of hands, the same on every board."""
    table = (CELL.astype(np.uint16) * 5 % COUNT)[None]
    words = np.zeros(math.comb(52, cards), np.uint32)
    return Buckets(cards, COUNT, table, words, renamings()[0])


@cache
def blueprint(players: int = 2, **options: Any) -> Strategy[BucketForm]:
    """A random strategy of a small table."""
    table = Holdem(players=players, **{"stack": 12, **options})
    form = BucketForm(table.poker, (starting_hands(), *map(by_hole, DEALT[1:])))
    return Strategy.random(form, 3)


def agent(players: int = 2, game: Holdem | None = None, **options: Any) -> HoldemAgent:
    made = HoldemAgent(blueprint(players), **{"iterations": 40, **options})
    made.begin(game or made.own)
    return made


def seen(player: int, line: str, hand: str = "AsKh", number: int = 0) -> Observation:
    cards = " ".join(word[1:-1] for word in line.split(", ") if word.startswith("["))
    return Observation(player, (hand, cards, line), (), number)


RIVER = "call, check, [Kc], [Qs], [7d], check, check, [Th], check, check, [2d]"


def test_ranges_are_bayes_rule_over_all_hands() -> None:
    made = agent()
    tables, betting = made.tables, made.tables.form.game.betting
    found = made.ranges(seen(1, "raise 3, call, [Kc], [Qs], [7d]"))
    naive, bucket = np.zeros((2, HOLES)), starting_hands().on(())
    after = next(k for k in betting.children(0) if betting.label[k] == "raise 3")
    for hole in range(HOLES):
        for player, (node, word) in enumerate(((0, "raise 3"), (after, "call"))):
            row = tables.rows(node)[bucket[hole]]
            naive[player, hole] = row[betting.actions(node).index(word)]
    naive *= holes_without(parse_cards("Kc Qs 7d"))
    assert np.allclose(found, naive / naive.max(1, keepdims=True), atol=1e-6)


def spot_of(made: HoldemAgent, line: str) -> tuple[PokerGame, Any]:
    """What is left of a hand at the beginning of a street, with the ranges that came there."""
    place = made._at(seen(0, line))
    betting, seats = rest_of(made.table, made.own, place.street.state)
    game = game_of(made.table, made.tables.form.game.rules, betting, seats, place.street.board)
    came = place.street.ranges
    return replace(game, ranges=(came[0], came[1])), place.street


def test_a_searched_river_is_the_solution_of_the_river() -> None:
    made = agent(gadget="unsafe", iterations=2000, street="river")
    line = RIVER
    first = made.odds_of_all(seen(1, line))
    (certificate,) = made.certificates(seen(1, line))
    game, _ = spot_of(made, line)
    solved = cf.solve(game, until=Until(exploitability=1e-4 * game.pot))
    # The same value: both sides of the plan are as good as the solution's.
    tree = PublicTree(game, symmetry=False)
    made_of = Strategy.uniform(tree)
    plan = made._at(seen(1, line)).street.plans[0]
    for node, shares in plan.played.items():
        made_of.hands.put(node, 0, np.where(np.isnan(shares), 1.0, shares))
    standing = assess(made_of)
    assert standing.exploitability < 2e-3 * game.pot
    assert abs(standing.values[0] - solved.value) < 2e-3 * game.pot
    assert certificate.gap is not None
    assert certificate.gap < 2e-3 * certificate.pot
    assert set(first) == {"check", "bet 2", "all-in 11"}
    total = sum(first.values())
    assert np.allclose(total[holes_without(parse_cards("Kc Qs 7d Th 2d"))], 1.0)


def test_a_gap_on_the_turn_is_that_of_the_strategy_it_measures() -> None:
    made = agent(gadget="unsafe", iterations=25)
    line = "call, check, [Kc], [Qs], [7d], check, check, [Th]"
    made.odds_of_all(seen(1, line))
    (certificate,) = made.certificates(seen(1, line))
    game, street = spot_of(made, line)
    tree = PublicTree(game, symmetry=False)
    search = PublicSearch(Strategy.uniform(tree), 1, came=(street.ranges[0], street.ranges[1]))
    entry = search.entry(0)
    found = search.refine(entry, gadget("unsafe", entry), 25)
    both = Strategy.of(tree, (found.reply, found.weights))
    gains = assess(both)
    whole = sum(best - value for best, value in zip(gains.best, gains.values, strict=True))
    assert found.gap[0] == pytest.approx(whole, rel=1e-3)
    assert certificate.gap == pytest.approx(whole, rel=0.05)  # it gives rare hands some weight


@pytest.mark.parametrize("name", ["unsafe", "resolving", "maxmargin", "ses", "ox"])
def test_a_search_from_the_root_is_one_of_the_last_street(name: str) -> None:
    """What is left of a game after a line, searched as a game of its own: the same optimum."""
    game = tiny_fhp(cap=2, seed=3)
    tree = PublicTree(game, symmetry=False)
    random = Strategy.random(tree, 5)
    last = PublicSearch(random, 1, dtype="float64")
    board, line = last.boards[0], 1
    entry = last.entry(board)
    found = last.refine(entry, gadget(name, entry), 3000)
    whole, _ = _alone(random, 1, board, line)
    small = whole.tree
    other = whole.entry(0)
    order = np.argsort(small.hands[0][0].holes), np.argsort(tree.hands[0][board].holes)
    for mine, theirs in ((other.best, entry.best), (other.value, entry.value)):
        assert np.allclose(mine[0][order[0]], theirs[line][order[1]])
    again = whole.refine(other, gadget(name, other), 3000)
    assert again.objective[0] == pytest.approx(found.objective[line], abs=5e-3)
    assert again.gap[0] < 5e-3


def _alone(
    blueprint: Strategy[PublicTree], player: int, board: int, line: int
) -> tuple[PublicSearch, list[tuple[int, int]]]:
    """A search in what is left after a line of the first street, and the nodes of both games."""
    tree = blueprint.tree
    game, root = tree.game, int(tree.nodes.old[tree.nodes.lines[1][line]])
    rest = _below(game, root, tree.boards[board].cards)
    small, pairs = PublicTree(rest, symmetry=False), _pairs(game.betting, root, rest.betting)
    came = [np.zeros(game.rules.holes) for _ in (0, 1)]
    for p in (0, 1):
        came[p][tree.hands[p][board].holes] = Arrivals(blueprint.hands, p).at(board)[line]
    own = Strategy.of(
        small, tuple(np.zeros((max(small.rows(p), 1), small.columns(p))) for p in (0, 1))
    )
    for old, new in pairs:
        own.hands.put(new, 0, np.nan_to_num(blueprint.hands.at(old, board)))
    return PublicSearch(own, player, came=(came[0], came[1]), dtype="float64"), pairs


@cache
def nearly_solved() -> Strategy[PublicTree]:
    """Leduc, from which believing in ranges goes astray."""
    solver = Solver(PublicTree(leduc(), symmetry=False), threads=1)
    solver.step(60)
    return solver.strategy()


def searched_everywhere(name: str, player: int) -> tuple[Strategy[PublicTree], float]:
    """The strategy that searches from the root of every second street, and its worst gap."""
    blueprint, worst = nearly_solved(), 0.0
    tree = blueprint.tree
    out = Strategy.of(tree, tuple(table.copy() for table in blueprint.tables))
    boards = [k for k, board in enumerate(tree.boards) if board.street == 1]
    for board in boards:
        for line in range(len(tree.nodes.lines[1])):
            search, pairs = _alone(blueprint, player, board, line)
            entry = search.entry(0)
            found = search.refine(entry, gadget(name, entry), 200)
            worst = max(worst, float(found.gap[0]))
            both = Strategy.of(search.tree, (found.weights, found.reply)[:: 1 - 2 * player])
            for old, new in pairs:
                if tree.game.betting.player[old] == player:
                    out.hands.put(old, board, np.nan_to_num(both.hands.at(new)))
    return out, worst


@pytest.mark.parametrize("player", [0, 1])
def test_safe_searches_from_the_root_leave_nobody_more_to_win(player: int) -> None:
    """Exactly, of the whole strategy; who believes in the range has no such promise."""
    before, other = assess(nearly_solved()).best, 1 - player
    for name in ("resolving", "maxmargin"):
        found, gap = searched_everywhere(name, player)
        assert gap < 0.04  # chips, where belief loses several times as much
        assert assess(found).best[other] <= before[other] + gap
    found, gap = searched_everywhere("unsafe", player)
    assert assess(found).best[other] > before[other] + 0.1


def _below(game: PokerGame, root: int, board: tuple[int, ...]) -> PokerGame:
    """The last street of a game after a line and on a board, as a game of its own."""
    from counterfold.poker.game import BettingTree

    tree = game.betting
    nodes = [root]
    for node in nodes:
        nodes.extend(tree.children(node))
    at = {node: k for k, node in enumerate(nodes)}
    keep = np.array(nodes)
    first = np.array([at.get(int(tree.first[n]), 0) for n in nodes])
    parent = np.array([at.get(int(tree.parent[n]), -1) for n in nodes])
    betting = BettingTree(
        street=np.zeros(len(nodes), np.uint8), kind=tree.kind[keep], player=tree.player[keep],
        parent=parent.astype(np.int32), first=first.astype(np.int32), count=tree.count[keep],
        label=tuple("" if n == root else tree.label[n] for n in nodes), paid=tree.paid[keep],
        payoff=tree.payoff[keep],
    )  # fmt: skip
    free = ~np.isin(game.rules.cards, board).any(1)
    ranges = tuple(np.asarray(each) * free for each in game.ranges)
    rules = replace(game.rules, deal=(0,))
    return replace(game, betting=betting, board=board, ranges=ranges, rules=rules, about={})


def _pairs(tree: Any, root: int, small: Any) -> list[tuple[int, int]]:
    found, both = [], [(root, 0)]
    for old, new in both:
        both.extend(zip(tree.children(old), small.children(new), strict=True))
        if tree.kind[old] == 0:
            found.append((old, new))
    return found


@pytest.mark.parametrize("name", ["ses", "maxmargin"])
def test_the_rarest_hands_are_left_to_the_blueprint(name: str) -> None:
    """Of a range that is believed, and of the own one, up to a part of all that may be held."""
    made = agent(gadget=name, iterations=3)
    street = made._at(seen(1, "call, check, [Kc], [Qs], [7d], check, check, [Th]")).street
    ranges, left = street.ranges.copy(), np.flatnonzero(holes_without(street.board))
    rare, part = left[::2], LEFT_OUT[2]
    ranges[:, rare] = ranges.max() * 0.9 * part / len(rare)
    spot = Spot(street.state, street.board, street.node, ranges, (), 1)
    plan, last = made._search.plan(spot, {}), made._search.last
    assert plan is not None
    assert last is not None
    for player, hands in enumerate(last.found.tree.hands):
        kept = hands[0].holes
        believed = player == 1 or name == "ses"
        assert np.isin(rare, kept).any() != believed
        assert ranges[player, kept].sum() >= (1 - part) * ranges[player, left].sum()
    own, found = made.tables.expand(street.board, street.node), plan.played[0]
    assert np.allclose(found[:, rare], own[:, rare], atol=1e-6)
    assert abs(found - own)[:, np.setdiff1d(left, rare)].max() > 0.3


def test_a_bet_that_is_not_in_the_tree_is_searched_with() -> None:
    made = agent(gadget="resolving", street="river")
    line = f"{RIVER}, bet 1.5"
    found = made.odds_of_all(seen(0, line))
    assert {"fold", "call"} <= set(found)
    plan = made._at(seen(0, line)).street.plans[-1]
    assert plan.find(["bet 1.5"]) is not None
    # What was searched before the bet is kept for other lines.
    assert len(made._at(seen(0, f"{RIVER}, check")).street.plans) == 1


def test_a_street_is_searched_once() -> None:
    made = agent(street="river")
    made.odds_of_all(seen(1, RIVER))
    plans = made._at(seen(1, RIVER)).street.plans
    made.odds_of_all(seen(1, f"{RIVER}, check, bet 2"))
    assert made._at(seen(1, f"{RIVER}, check, bet 2")).street.plans is plans
    assert len(plans) == 1


def test_a_decision_takes_one_search() -> None:
    """Also where it was not asked about what it did before, and the blueprint does not know it."""
    made = agent(street="turn", iterations=1)
    made.odds_of_all(seen(1, "call, check, [Kc], [Qs], [7d], check, bet 1.5, call, [Th]"))
    assert [one.street for one in made.searches(0)] == ["turn"]


def test_the_shadow_of_a_blueprint_is_its_own_part_of_the_tree() -> None:
    made = agent()
    game, street = spot_of(made, "call, check, [Kc], [Qs], [7d], check, check, [Th]")
    own = made.tables.form.game.betting
    shadow = shadow_of(game.betting, own, street.node, (0, 1))
    assert (shadow.node >= 0).all()
    assert [game.betting.line(n) for n in range(len(game.betting))] == [
        own.line(int(k))[len(own.line(street.node)) :] for k in shadow.node
    ]
    tree = PublicTree(game, symmetry=False)
    by_hand = Strategy.of(tree, lifted(shadow, made.tables, tree)).hands
    for board in (0, 5):
        for node in by_hand.decisions(board):
            expected = made.tables.expand(tree.boards[board].cards, int(shadow.node[node]))
            found = by_hand.at(node, board)
            live = ~np.isnan(found[0])
            assert np.allclose(found[:, live], expected[:, live], atol=1e-6)


def test_seconds_are_kept_to_and_too_few_leave_the_blueprint() -> None:
    made = agent(iterations=None, seconds=0.4)
    made.odds_of_all(seen(1, "call, check, [Kc], [Qs], [7d], check, check, [Th]"))
    (certificate,) = made.certificates(seen(1, "call, check, [Kc], [Qs], [7d], check, check, [Th]"))
    assert certificate.cpu_seconds < 0.5
    hasty = agent(iterations=None, seconds=1e-6)
    line = "call, check, [Kc], [Qs], [7d], check, check, [Th]"
    found = hasty.odds(seen(1, line))
    expected = BlueprintAgent(blueprint()).odds(seen(1, line))
    assert found == pytest.approx(expected)
    assert not hasty.certificates(seen(1, line))


def test_it_plays_whole_hands_against_any_sizes() -> None:
    made = HoldemAgent(blueprint(), iterations=10)
    wild = Holdem(stack=12, bets="33%,71%,allin", raises="50%,allin")
    made.begin(wild)
    odd = "call, check, [Kc], [Qs], [7d], bet 1.5"
    made.odds_of_all(seen(0, odd))
    (certificate,) = made.certificates(seen(0, odd))  # where the blueprint would have to guess
    assert (certificate.street, certificate.kind) == ("flop", "sampled")
    result = Match(wild, made, maniac(), seed=4).play(30)
    assert not result.messages
    alone = HoldemAgent(blueprint(), iterations=10)
    again = Match(wild, alone, maniac(), seed=4).play(30)
    assert again.scores[0].plain.mean == result.scores[0].plain.mean


def test_what_is_wrong_is_told_in_one_sentence(tmp_path: Any) -> None:
    with pytest.raises(ParameterError, match="a gadget here is unsafe"):
        HoldemAgent(blueprint(), gadget="wall")
    with pytest.raises(ParameterError, match="street is one of flop, turn, river"):
        HoldemAgent(blueprint(), street="preflop")
    with pytest.raises(ParameterError, match="alpha is 2"):
        HoldemAgent(blueprint(), alpha=2)
    with pytest.raises(ParameterError, match="alpha is of the gadget ses, and unsafe has none"):
        LearningHoldem(blueprint(), alpha="auto", gadget="unsafe")
    with pytest.raises(ParameterError, match="seconds"):
        HoldemAgent(blueprint(), seconds=0)
    with pytest.raises(ParameterError, match="say by which blueprint"):
        make_bot("holdem(seconds=2)")
    with pytest.raises(ParameterError, match="say by which blueprint"):
        make_bot(f"holdem({tmp_path}/none.cf)")
    path = tmp_path / "kuhn.safetensors"
    cf.Strategy.uniform(cf.Kuhn()).save(path)
    with pytest.raises(MismatchError, match="plays by a blueprint of a table"):
        make_bot(f"holdem({path})")
    with pytest.raises(MismatchError, match="other players, stacks or blinds"):
        agent(game=Holdem(stack=50))
    made = agent()
    with pytest.raises(CounterfoldError, match="does not decide"):
        made.odds(seen(0, RIVER))
    with pytest.raises(MismatchError, match="two or three"):
        HoldemAgent(
            Strategy.uniform(
                BucketForm(
                    Holdem(players=4, stack=4, last_street="preflop").poker, (starting_hands(),)
                )
            )
        )


def test_an_agent_calls_where_the_two_trees_have_come_apart() -> None:
    made = agent(game=Holdem(stack=12, raises="allin", bets="allin"))
    result = Match(made.table, made, AlwaysCall(), seed=1).play(10)
    assert not result.messages


def test_a_flop_is_searched_to_the_end_of_the_street() -> None:
    made = agent(iterations=30, street="flop")
    line = "call, check, [Kc], [Qs], [7d]"
    found = made.odds_of_all(seen(1, line))
    (certificate,) = made.certificates(seen(1, line))
    assert certificate.kind == "sampled"
    assert certificate.iterations == 30
    live = holes_without(parse_cards("Kc Qs 7d"))
    assert np.allclose(sum(found.values())[live], 1.0, atol=1e-4)
    # Who is called all-in by a hand that cannot lose on this board does not fold it.
    shoved = made.odds(seen(0, f"{line}, all-in 11", hand="KdKh"))
    assert shoved["call"] > 0.95


def test_three_players_are_searched_over_buckets() -> None:
    made = agent(players=3, iterations=5, street="flop")
    line = "call, call, check, [Kc], [Qs], [7d]"
    made.odds_of_all(seen(1, line))
    (certificate,) = made.certificates(seen(1, line))
    assert (certificate.kind, len(certificate.ranges)) == ("sampled", 3)
    # Two are left on the turn, who are searched hand by hand.
    after = f"{line}, bet 3, fold, call, [2d]"
    found = made.odds_of_all(seen(1, after))
    (certificate,) = made.certificates(seen(1, after))
    assert (certificate.kind, certificate.pot) == ("public", 9.0)
    assert set(found) == {"check", "all-in 8"}
    result = Match(made.table, made, maniac(), AlwaysCall(), seed=2).play(6)
    assert not result.messages


def test_certificates_are_kept_with_the_hand(tmp_path: Any) -> None:
    made, path = HoldemAgent(blueprint(), "searcher", iterations=5), tmp_path / "hands.jsonl"
    match = Match(made.own, made, AlwaysCall(), seed=2)
    match.play(6, record=str(path))
    record = read_record(path)
    kept = [one for hand in record.hands() for one in hand.searches]
    assert kept
    assert {one["agent"] for one in kept} == {0}
    assert all(one["ranges"] and one["gadget"] in ("ses", "unsafe") for one in kept)
    assert record.replay()[0].hands == 6
    damaged = path.read_text().replace('"agent": 0', '"agent": 7', 1).encode()
    path.write_bytes(damaged)
    with pytest.raises(CounterfoldError):
        list(read_record(path).hands())


@pytest.mark.parametrize("left_out", [0.0, 0.5])
def test_decisions_of_whole_hands_are_judged_by_what_they_are_worth(
    left_out: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("counterfold.play.street.LEFT_OUT", (0.0, 0.0, 0.0, left_out))
    made = agent(gadget="unsafe", iterations=400, street="river")
    line, hand = RIVER, "AcAh"
    odds, worth, _ = made.judged(seen(1, line, hand=hand)) or ({}, {}, 0.0)
    last = made._search.last
    assert last is not None
    assert (parse_hole(hand) in last.found.tree.hands[1][0].holes) == (left_out == 0)
    plan = made._at(seen(0, f"{line}, check")).street.plans[0]
    assert plan.certificate.player == 0  # the other one searched, and not the person's own seat
    game, street = spot_of(made, line)
    everything = holes_without(street.board) * 1.0
    came = np.maximum(street.ranges[0], 1e-4) * everything
    tree = PublicTree(replace(game, ranges=(came, everything)), symmetry=False)
    both = Strategy.uniform(tree)
    for node, shares in plan.played.items():
        both.hands.put(node, 0, shares)
    hole = parse_hole(hand)
    for action, value in Browser(both).action_values().items():
        assert worth[action] == pytest.approx(value[hole], abs=1e-4)
    assert sum(odds.values()) == pytest.approx(1.0, abs=1e-4)


def test_before_the_flop_actions_are_worth_what_the_blueprint_makes_of_them() -> None:
    """Against the same hands and boards, deal by deal through the rules."""
    made = agent()
    table, own = made.own, made.blueprint
    rng, hole = np.random.default_rng(1), parse_hole("AcAh")
    against = np.zeros(HOLES)
    against[parse_hole("KsQh")] = 1.0
    found = worth_of(made.tables, 0, hole, (), against, np.random.default_rng(7), boards=400)
    folded = found.value[0]
    assert folded == pytest.approx(0.0)  # chips from here on: what was paid is gone
    won = {action: [] for action in table.actions(table.deal("AcAh", "KsQh"))}
    for action, results in won.items():
        for _ in range(400):
            state = table.next(table.deal("AcAh", "KsQh"), action)
            while table.turn(state) != -2:
                turn = table.turn(state)
                if turn == -1:
                    outcomes = table.chance(state)
                    state = table.next(state, outcomes[int(rng.integers(len(outcomes)))][0])
                    continue
                view = Observation(turn, table.observe(state, turn), table.actions(state))
                state = table.next(state, own.act(view, rng))
            results.append(table.payoff(state)[0] + 0.5)
    for k, results in enumerate(won.values()):
        error = np.std(results) / 20
        assert abs(np.mean(results) - found.value[k]) < 4.5 * error + 0.6


def test_among_three_actions_are_worth_what_every_pair_of_hands_makes_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a river, where few hands may be held: each pair of them, line by line."""
    monkeypatch.setattr("counterfold.play.worth.DEALS", 50_000)
    made = agent(players=3, iterations=1)
    line = (
        "call, call, check, [Kc], [Qs], [7d], check, check, check, [Th], check, check, check, [2d]"
    )
    place = made._place(1, 0, tuple(line.split(", ")))
    betting, tables, node = made.own.poker.betting, made.tables, place.node
    hole, board = parse_hole("AcAh"), place.board
    me, ranges = int(betting.player[node]), np.zeros((3, HOLES))
    others = [p for p in range(3) if p != me]
    for p, hands in zip(others, ("KsKh QcQd AsJs", "AsJs 9c9d TsTd"), strict=True):
        ranges[p, [parse_hole(name) for name in hands.split()]] = (1.0, 0.5, 0.25)
    strong = strengths(np.array([board], np.uint8))[0].astype(int)

    def earned(at: int, holes: list[int]) -> float:
        if betting.kind[at] == DECISION:
            odds = tables.expand(board, at)[:, holes[betting.player[at]]]
            below = [earned(child, holes) for child in betting.children(at)]
            return float(odds @ below)
        won = float(betting.payoff[at, me, 2])
        for pot in range(int(betting.pot[at]), int(betting.pot[at + 1])):
            rivals = [p for p in range(3) if int(betting.rivals[pot]) >> p & 1]
            best = max((strong[holes[p]] for p in rivals), default=0)
            winners = [p for p in rivals if strong[holes[p]] == best]
            won += float(betting.chips[pot]) / len(winners) if me in winners else 0.0
        return won

    total, mass = np.zeros(int(betting.count[node])), 0.0
    for a, b in product(*(np.flatnonzero(ranges[p]).tolist() for p in others)):
        holes = [hole] * 3
        holes[others[0]], holes[others[1]] = a, b
        if len({*HIGH[holes].tolist(), *LOW[holes].tolist()}) < 6:
            continue
        weight = ranges[others[0], a] * ranges[others[1], b]
        mass += weight
        total += weight * np.array([earned(child, holes) for child in betting.children(node)])
    found = worth_among(made._insight, node, hole, board, ranges, np.random.default_rng(1))
    wanted = total / mass + float(betting.paid[node, me])
    assert np.ptp(wanted) > 0.5
    assert (np.abs(found.value - wanted) < 0.1).all()
    assert (
        np.abs((found.value - found.value.max()) - (wanted - wanted.max())) < 4 * found.error + 1e-9
    ).all()
    odds, worth, doubt = made.judged(seen(me, line, hand="AcAh")) or ({}, {}, 0.0)
    assert set(worth) == set(odds) == set(betting.actions(node))
    assert 0 < doubt < 0.2


def test_alpha_sets_itself_by_what_an_opponent_does() -> None:
    made = LearningHoldem(blueprint(), alpha="auto", budget=100, iterations=30, street="river")
    made.begin(made.own)
    line = RIVER
    made.odds_of_all(seen(1, line))
    (before,) = made.certificates(seen(1, line))
    assert before.alpha == 0.0  # nothing is known of the opponent yet
    # Somebody who raises whatever he holds is known by it soon.
    Match(made.own, made, maniac(), seed=1).play(40)
    assert made.habits.seen[0, 2] > made.habits.expected[0, 2]
    raised = "raise 3, call, [Kc], [Qs], [7d], check, check, [Th], check, check, [2d]"
    made.odds_of_all(seen(1, raised))
    (after,) = made.certificates(seen(1, raised))
    assert 0 < (after.alpha or 0) <= 0.95
    # What no budget allows is halved, and given up in the end.
    made._search.budget = -100.0
    made._tilt()
    made.odds_of_all(seen(1, raised))
    assert made.certificates(seen(1, raised))[0].alpha == 0.0
