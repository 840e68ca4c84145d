"""Sampled CFR over betting tree x buckets: against full CFR, exact values and itself."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.blueprint import Against, blueprint, engine_in, resume_blueprint
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import BucketTables, by_hand
from counterfold.abstraction.bucket_maker import BucketMaker, Recipe
from counterfold.abstraction.buckets import Buckets, every_hand, starting_hands
from counterfold.abstraction.compiled import cards_of, pair_mass
from counterfold.abstraction.maps import Mapped, Through
from counterfold.errors import FileError, MismatchError, ParameterError, UnsupportedError
from counterfold.evaluate.exact import assess, best_value, earned_against
from counterfold.exploit.responses import restricted_solver
from counterfold.files.arrays import unsealed, write_arrays
from counterfold.games.base import label
from counterfold.poker import holdem
from counterfold.poker.cards import parse_board, parse_hole
from counterfold.poker.game import PokerGame
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree
from tests import naive_poker
from tests.naive_poker import NaivePoker

BOARD = parse_board("Ks Qh Js 2c 3d")
RAKED = naive_poker.tiny_river(seed=5, rake=(0.05, 2.0))
GAMES = {
    "kuhn": holdem.kuhn(),
    "leduc": holdem.leduc(),
    "river": RAKED,
    "turn": naive_poker.tiny_turn(seed=2),
    "flop": naive_poker.tiny_flop(seed=3),
    "fhp": naive_poker.tiny_fhp(seed=4),
}


@cache
def history(name: str) -> Any:
    return cf.compile_game(NaivePoker(GAMES[name]))


def sampler(
    game: PokerGame, buckets: Any, method: str = "linear", traversal: str = "external", **more: Any
) -> cf.Solver:
    return cf.Solver(BucketForm(game, buckets), method, traversal, **more)


def in_history(made: Strategy[BucketForm], name: str) -> Strategy:
    """A blueprint as a strategy of the history form, hand by hand and board by board."""
    game, tree, found = made.tree.game, history(name), BucketTables.of(made)
    naive = NaivePoker(game)
    deck = [card for card in game.rules.deck if card not in game.board]
    live = np.flatnonzero((game.ranges[0] > 0) | (game.ranges[1] > 0)).tolist()
    odds = {}
    for node in found.form.nodes.tolist():
        street = int(game.betting.street[node])
        parts = [
            list(itertools.combinations(deck, size)) for size in game.rules.deal[1 : street + 1]
        ]
        for dealt in itertools.product(*parts):
            cards = tuple(itertools.chain(*dealt))
            if len(set(cards)) == len(cards):
                table = found.expand((*game.board, *cards), node)
                for hand in live:
                    odds[label(naive.seen(hand, cards, node))] = table[:, hand]
    chosen = np.concatenate([odds[name] for name in tree.infosets.labels])
    return Strategy.of(tree, tree.infosets.to_one(chosen))


@pytest.mark.pure
@pytest.mark.parametrize("method", ["cfr", "cfr+", "linear", "dcfr", "hs-dcfr"])
@pytest.mark.parametrize("name", ["kuhn", "river"])
def test_without_cards_to_come_public_sampling_is_full_cfr(name: str, method: str) -> None:
    steps = 6
    solver = sampler(GAMES[name], every_hand(GAMES[name]), method, "public", per_round=1)
    solver.step(steps)
    full = cf.Solver(history(name), method, form="history")
    full.step(steps)
    found = in_history(solver.strategy(), name)
    assert found.probabilities == pytest.approx(full.probabilities(), abs=2e-4)


@pytest.mark.parametrize("name", ["kuhn", "river"])
def test_a_walk_is_right_on_average(name: str) -> None:
    """From nothing, player 0's walk adds what a full iteration adds, but for chance: the regrets
    of player 0 and the strategy of player 1."""
    from counterfold.kernels import poker_lines as kernels

    game, times = GAMES[name], 4_000
    full = sampler(game, every_hand(game), "cfr", "public")
    full.step(1)
    one = sampler(game, every_hand(game), "cfr", seed=4)
    engine = engine_in(one)
    table = engine.table
    sums, squares = np.zeros(table.size), np.zeros(table.size)
    rule = engine.rule(one.method.schedule(1, 1, np.zeros(4))[0], 1)
    for _ in range(times):
        table[:] = 0
        engine.workers[0].work(rule, 1)
        sums += table
        squares += table.astype(float) ** 2
    wanted, mean = engine_in(full).table, sums / times
    spread = np.sqrt(np.maximum(squares / times - mean**2, 0) / times)
    compared = 0
    for node in engine.nodes.tolist():
        player = int(kernels.kind_of(kernels.told(engine.lines, node, kernels.WHAT)))
        count = int(kernels.told(engine.lines, node, kernels.WHAT) >> kernels.COUNT)
        for bucket in range(one.tree.buckets[0].count):
            low = int(kernels.row_of(engine.lines, node, np.uint32(bucket))) + player * count
            here = slice(low, low + count)
            if (squares[here] > 0).any():
                compared += 1
                assert np.abs(mean - wanted)[here] == pytest.approx(0, abs=5 * spread[here].max())
                assert wanted[here].any() or player == 0
    assert compared >= 12


@pytest.mark.parametrize("traversal", ["external", "public"])
@pytest.mark.parametrize("method", ["linear", "cfr+", "dcfr+"])
def test_to_fade_is_to_weigh_what_is_new(
    method: str, traversal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from counterfold.abstraction import bucket_engine

    # All hands at once come to ties, which rounding breaks; in Kuhn poker it does not matter.
    game, iterations = (GAMES["leduc"], 400) if traversal == "external" else (GAMES["kuhn"], 40)
    found = []
    for _ in range(2):
        solver = sampler(game, every_hand(game), method, traversal, seed=1, per_round=4)
        solver.step(iterations)
        found.append(solver)
        monkeypatch.setattr(bucket_engine, "_weighable", lambda method: False)
    assert [engine_in(solver).stamped for solver in found] == [False, True]
    assert found[0].strategy().tables[0] == pytest.approx(found[1].strategy().tables[0], abs=1e-4)


# Exploitability after so many iterations was at most two thirds of the bound, with 5 seeds.
RUNS = [
    ("kuhn", "external", 100_000, 0.007),
    ("leduc", "external", 200_000, 0.075),
    ("leduc", "public", 2_000, 0.11),
    ("river", "external", 100_000, 0.12),
    ("turn", "external", 200_000, 0.24),
    ("turn", "public", 2_000, 0.21),
    ("flop", "external", 100_000, 0.06),
    ("flop", "public", 1_000, 0.46),
    ("fhp", "external", 400_000, 0.07),
    ("fhp", "public", 3_000, 0.075),
]


@pytest.mark.parametrize(("name", "traversal", "iterations", "bound"), RUNS)
def test_samples_lead_to_an_equilibrium(
    name: str, traversal: str, iterations: int, bound: float
) -> None:
    game = GAMES[name]
    per_round = 100 if traversal == "external" else 10
    solver = sampler(game, every_hand(game), "linear", traversal, seed=1, per_round=per_round)
    solver.step(iterations)
    found = in_history(solver.strategy(), name)
    assert cf.exploitability(found) < bound


@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr", "dcfr+"])
def test_every_rule_finds_the_value_of_kuhn(method: str) -> None:
    game = GAMES["kuhn"]
    solver = sampler(game, every_hand(game), method, seed=2, per_round=50)
    solver.step(100_000)
    found = in_history(solver.strategy(), "kuhn")
    assert cf.value(found) == pytest.approx(-1 / 18, abs=1e-3)
    assert cf.exploitability(found) < 0.007


def test_hands_are_dealt_as_the_ranges_say() -> None:
    from counterfold.kernels import poker_deals
    from counterfold.kernels.jit import jit

    game = GAMES["turn"]
    solver = sampler(game, every_hand(game), seed=3)
    room, cards = engine_in(solver).workers[0].room, cards_of(game, solver.tree.buckets)
    times, count = 20_000, np.zeros((1326, 1326))
    board = np.zeros(52)

    @jit
    def deals(cards: Any, room: Any, count: Any, board: Any, times: int) -> None:
        for _ in range(times):
            poker_deals.deal(cards, room, 0)
            count[room.hand[0, 0], room.hand[0, 1]] += 1
            board[room.board[0, 4]] += 1

    deals(cards, room, count, board, times)
    faces = game.rules.cards
    apart = (faces[:, None, :, None] != faces[None, :, None, :]).all(axis=(2, 3))
    wanted = np.outer(*game.ranges) * apart
    assert pair_mass(game) == pytest.approx(wanted.sum())
    wanted *= times / wanted.sum()
    assert (count[wanted == 0] == 0).all()
    some = wanted > 5
    chi = ((count - wanted)[some] ** 2 / wanted[some]).sum() / some.sum()
    assert 0.7 < chi < 1.3  # about one, give or take 1.4 over the root of 300 pairs
    left = [c for c in game.rules.deck if c not in game.board]
    assert board.sum() == board[left].sum() == times
    assert (board[left] > 0).all()


@pytest.mark.parametrize("name", ["leduc", "turn", "fhp"])
def test_a_blueprint_is_worth_the_same_on_the_public_tree(name: str) -> None:
    game = GAMES[name]
    solver = sampler(game, every_hand(game), seed=1)
    solver.step(3_000)
    made = solver.strategy()
    found = assess(by_hand(made, PublicTree(game, symmetry=False)))
    known = in_history(made, name)
    assert found.values[0] == pytest.approx(cf.value(known), abs=1e-4)
    assert found.exploitability == pytest.approx(cf.exploitability(known), abs=1e-4)
    with pytest.raises(MismatchError, match="not of the game"):
        by_hand(made, PublicTree(GAMES["kuhn"]))
    if name == "leduc":
        with pytest.raises(MismatchError, match="without symmetry"):
            by_hand(made, PublicTree(game))


# Plain CFR comes to a tie of all actions here, and rounding decides what it plays next.
@pytest.mark.parametrize("method", ["cfr+", "linear", "dcfr"])
def test_hands_of_a_bucket_learn_as_those_of_a_merged_infoset(method: str) -> None:
    full = every_hand(RAKED)[0]
    lumped = replace(full, table=full.table % 5, count=5)
    solver = sampler(RAKED, (lumped,), method, "public", per_round=1)
    solver.step(6)
    naive = NaivePoker(RAKED)
    bucket = {naive.names[hand]: f"bucket {number}" for hand, number in enumerate(lumped.on(BOARD))}
    game = Mapped(naive, Through(lambda seen: (bucket[seen[0]], *seen[1:])))
    merged = cf.Solver(game, method, form="history")
    merged.step(6)
    made, compared = solver.strategy(), 0
    for node, number in itertools.product(solver.tree.nodes.tolist(), range(5)):
        seen = (f"bucket {number}", *naive.said[node])
        if label(seen) in merged.tree.infosets.labels:  # else the range has no hand of it
            compared += 1
            theirs = merged.strategy().at(*seen)
            assert made.at(node, number) == pytest.approx(theirs, abs=2e-4)
    assert compared == len(merged.tree.infosets.labels) > 100


@pytest.fixture(scope="module")
def flop_game() -> tuple[PokerGame, tuple[Buckets, ...]]:
    game = holdem.fhp()
    return game, BucketMaker(Recipe.of((0, 3), 20, seed=1)).make()


def test_flop_holdem_of_the_paper(flop_game: Any) -> None:
    game, buckets = flop_game
    made = blueprint(game, buckets, iterations=200_000, seed=1)
    # 7 lines to the flop with 26 actions on each, and 21 actions before it
    assert made.tree.size == 20 * 7 * 26 + 169 * 21
    two_hundred = (buckets[0], replace(buckets[1], count=200))
    assert BucketForm(game, two_hundred).size == 39_949
    first = BucketTables.of(made).expand((), 0)
    assert first[0, parse_hole("7h2c")] > 0.5
    assert first[2, parse_hole("AsAh")] > 0.5
    assert first.sum(0) == pytest.approx(np.ones(1326), abs=1e-5)
    board = parse_board("Ad7c2s")
    for node in made.tree.nodes.tolist():
        if game.betting.line(node) == ("raise", "call", "bet"):
            answer = BucketTables.of(made).expand(board, node)
            assert answer[0, parse_hole("AsAh")] < 0.01  # three aces do not fold
            assert answer[0, parse_hole("4h3h")] > 0.2
            assert answer[:, parse_hole("AdKd")] == pytest.approx([1 / 3] * 3)  # cannot be held
            bucket = buckets[1].bucket_of(parse_hole("AsAh"), board)
            assert list(made.at(node, bucket).values()) == pytest.approx(
                answer[:, parse_hole("AsAh")].tolist()
            )
    assert made.about["iteration"] == 200_000


def test_threads_share_a_table(flop_game: Any) -> None:
    game, buckets = flop_game
    solvers = [
        sampler(game, buckets, traversal=traversal, seed=1, threads=threads)
        for traversal, threads in (("external", 1), ("external", 2), ("public", 2))
    ]
    for solver, iterations in zip(solvers, (200_000, 200_000, 100), strict=True):
        solver.step(iterations)
        assert solver.iteration == iterations
    one, two, boards = (
        BucketTables.of(solver.strategy()).expand((), 0).mean(1) for solver in solvers
    )
    assert two == pytest.approx(one, abs=0.06)  # another seed is off by 0.02
    assert boards[0] == pytest.approx(one[0], abs=0.1)


def test_four_streets_of_no_limit() -> None:
    from counterfold.poker.betting import Betting, build
    from counterfold.poker.sizes import Sizes, parse_sizes

    sizes = Sizes(parse_sizes("100%,allin"), parse_sizes("allin"))
    tree = build(
        Betting(
            paid=(1, 2), posted=(1, 2), stacks=(19, 18), opened=1, least=2,
            sizes=((sizes,) * 4,) * 2, first=(0, 1, 1, 1),
        )
    )  # fmt: skip
    deck = tuple(range(42, 52))
    hands = holdem.holdem_range(deck)
    game = PokerGame("small", holdem.holdem_rules((0, 3, 1, 1), deck), tree, (), (hands, hands))
    found = {}
    for traversal, iterations in (("external", 100_000), ("public", 400)):
        solver = sampler(game, every_hand(game), "linear", traversal, seed=2)
        solver.step(iterations)
        found[traversal] = BucketTables.of(solver.strategy()).expand((), 0)
        assert engine_in(solver).visits > 5 * iterations
        assert solver.strategy().tables[0].sum() == pytest.approx(
            sum(int(solver.tree.counts[n]) for n in solver.tree.nodes), rel=1e-5
        )
    live = np.flatnonzero(hands)
    gap = np.abs(found["external"] - found["public"])[:, live].max(0)
    assert gap.mean() < 0.25


def test_a_seed_says_all_and_a_checkpoint_goes_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    game, path = GAMES["leduc"], tmp_path / "checkpoint"
    buckets = every_hand(game)
    for traversal in ("external", "public"):
        whole, parts, other = (
            sampler(game, buckets, "dcfr", traversal, seed=seed, per_round=7) for seed in (1, 1, 2)
        )
        whole.step(300)
        other.step(300)
        parts.step(101)
        parts.save(path)
        resumed = resume_blueprint(path, BucketForm(game, buckets))
        resumed.step(199)
        again, first, third = (engine_in(solver).table for solver in (resumed, whole, other))
        assert (again == first).all()
        assert (third != first).any()
        assert (resumed.iteration, resumed.method) == (300, whole.method)


def test_files_are_for_one_game_and_its_buckets(tmp_path: Path) -> None:
    game, path = GAMES["leduc"], tmp_path / "blueprint"
    buckets = every_hand(game)
    solver = sampler(game, buckets, seed=1)
    solver.step(1_000)
    made = solver.strategy(note="x")
    made.save(path)
    form = solver.tree
    found = Strategy.load(path, form)
    assert (found.tables[0] == made.tables[0]).all()
    assert found.about == made.about
    with pytest.raises(MismatchError, match="other betting"):
        Strategy.load(path, BucketForm(holdem.leduc(raises=(1, 2)), buckets))
    changed = (buckets[0], replace(buckets[1], table=buckets[1].table[::-1].copy()))
    with pytest.raises(MismatchError, match="other buckets"):
        Strategy.load(path, BucketForm(game, changed))
    alone = Strategy.load(path)  # with the buckets that are in the file
    assert (alone.tables[0] == made.tables[0]).all()
    assert alone.tree.fingerprint == form.fingerprint
    assert [one.table.tolist() for one in alone.tree.buckets] == [
        one.table.tolist() for one in buckets
    ]
    with pytest.raises(MismatchError, match="in buckets form"):
        Strategy.load(path, game)
    with pytest.raises(FileError, match="nothing to resume"):
        resume_blueprint(path, form)
    header, arrays = unsealed(path)
    solver.save(path)
    assert (Strategy.load(path, form).tables[0] == made.tables[0]).all()
    write_arrays(path, "strategy", header, {"probabilities": 2 * arrays["probabilities"]})
    with pytest.raises(FileError, match="sum to one"):
        Strategy.load(path, form)


def test_a_run_reports_and_stops_where_it_should() -> None:
    game = GAMES["kuhn"]
    solver = sampler(game, every_hand(game), per_round=10)
    reports = list(solver.run(cf.Until(iterations=1_234)))
    assert reports[-1].iteration == solver.iteration == 1_234
    assert reports[0].iteration < 1_234
    assert reports[-1].exploitability is None
    last = list(solver.run(cf.Until(seconds=0.01)))[-1]
    assert last.iteration > 1_234
    with pytest.raises(UnsupportedError, match="does not measure"):
        next(solver.run(cf.Until(exploitability=0.1)))


def test_what_cannot_be_is_refused() -> None:
    game = GAMES["kuhn"]
    buckets = every_hand(game)
    with pytest.raises(UnsupportedError, match="predicts"):
        sampler(game, buckets, "pcfr+")
    with pytest.raises(UnsupportedError, match="external or public"):
        sampler(game, buckets, traversal="full")
    with pytest.raises(MismatchError, match="boards of 0, 1 cards"):
        sampler(GAMES["leduc"], buckets)
    with pytest.raises(MismatchError, match="boards of 0, 3 cards"):
        sampler(holdem.fhp(), (starting_hands(),))
    alone = np.zeros(52)
    alone[game.rules.deck[0]] = 1.0
    with pytest.raises(ParameterError, match="cannot all hold"):
        sampler(replace(game, ranges=(alone, alone)), buckets)
    made = sampler(game, buckets).strategy()
    assert made.at(0, 0) == {"check": 0.5, "bet": 0.5}
    with pytest.raises(ParameterError, match="nobody decides"):
        made.at(len(game.betting) - 1, 0)
    assert made.at("Ks", "bet") == {"fold": 0.5, "call": 0.5}
    for hand in ("Kh", "KsQs"):
        with pytest.raises(ParameterError, match="nobody holds"):
            made.at(hand, "bet")
    with pytest.raises(ParameterError, match="no bucket 3"):
        made.at(0, 3)
    assert math.isclose(pair_mass(game), 6.0)


@cache
def coarse(name: str) -> Strategy[BucketForm]:
    """An opponent who has learned a little."""
    game = GAMES[name]
    return blueprint(game, every_hand(game), 3000, seed=1)


# What a response won and guaranteed, weighed by p, was at most half of that below the optimum
# with 5 seeds.
ANSWERS = [("kuhn", 200_000, 0.006), ("leduc", 400_000, 0.08), ("fhp", 400_000, 0.12)]


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("name", "iterations", "bound"), ANSWERS)
def test_a_sampled_response_comes_near_the_exact_one(
    name: str, iterations: int, bound: float, p: float
) -> None:
    model, game = coarse(name), GAMES[name]
    tree = PublicTree(game, symmetry=False)
    known = by_hand(model, tree)
    for player in (0, 1):
        exact = restricted_solver(known, player, p)
        exact.step(1000)
        best = exact.response()
        solver = sampler(
            game, model.tree.buckets, seed=2, per_round=100, locks=Against(model, player, p)
        )
        solver.step(iterations)
        made = solver.strategy()
        assert (made.about["p"], made.about["player"]) == (p, player)
        played = by_hand(made, tree)
        won = earned_against(played, player, known)
        kept = -best_value(played, 1 - player)
        reached = p * won + (1 - p) * kept
        assert reached > p * best.winnings + (1 - p) * best.guarantee - bound
        assert reached < p * best.winnings + (1 - p) * best.guarantee + best.gap + 1e-5


@pytest.mark.parametrize("method", ["cfr", "dcfr"])
def test_a_model_plays_on_as_rows_fade(method: str) -> None:
    """Its rows fade in thousands of rounds as regrets do, and the mix of actions stays.

    A response was at most 0.0035 below the best one, with 5 seeds.
    """
    model, game = coarse("kuhn"), GAMES["kuhn"]
    known = by_hand(model, PublicTree(game, symmetry=False))
    solver = sampler(
        game, model.tree.buckets, method, seed=2, per_round=2, locks=Against(model, 1, 1.0)
    )
    solver.step(100_000)
    won = earned_against(by_hand(solver.strategy(), known.tree), 1, known)
    assert won == pytest.approx(best_value(known, 1), abs=0.007)


def test_a_response_goes_on_from_a_file(tmp_path: Path) -> None:
    model, game, path = coarse("leduc"), GAMES["leduc"], tmp_path / "answer.safetensors"
    against = Against(model, 0, 0.5)
    whole, part = (sampler(game, model.tree.buckets, seed=3, locks=against) for _ in range(2))
    whole.step(4000)
    part.step(1000)
    part.save(path)
    again = resume_blueprint(path, model.tree, Against(model, 0, 0.5))
    again.step(3000)
    assert np.array_equal(again.strategy().tables[0], whole.strategy().tables[0])
    plain = sampler(game, model.tree.buckets, seed=3)
    plain.step(4000)
    assert not np.array_equal(plain.strategy().tables[0], whole.strategy().tables[0])
    other = Strategy.random(model.tree, 1)
    for wrong in (None, Against(model, 1, 0.5), Against(model, 0, 0.6), Against(other, 0, 0.5)):
        with pytest.raises(MismatchError, match="another opponent"):
            resume_blueprint(path, model.tree, wrong)


def test_models_that_do_not_fit() -> None:
    model = coarse("leduc")
    with pytest.raises(ParameterError, match="player from 0 to 1"):
        Against(model, 2, 0.5)
    with pytest.raises(ParameterError, match="from 0 to 1"):
        Against(model, 0, 1.5)
    with pytest.raises(UnsupportedError, match="external"):
        sampler(GAMES["leduc"], model.tree.buckets, "linear", "public", locks=Against(model, 0, 1))
    with pytest.raises(MismatchError, match="and not of this"):
        sampler(GAMES["kuhn"], every_hand(GAMES["kuhn"]), locks=Against(model, 0, 1))
    game = GAMES["fhp"]
    every = every_hand(game)
    other = replace(every[-1], table=every[-1].table[:, ::-1].copy())
    with pytest.raises(MismatchError, match="other buckets"):
        sampler(game, (every[0], other), locks=Against(coarse("fhp"), 0, 1))


def test_a_style_is_followed_and_costs_little() -> None:
    """In Kuhn poker the jack may bluff with any frequency up to a third at no cost.

    Exploitability was at most 0.006 with 5 seeds.
    """
    form, runs = BucketForm(GAMES["kuhn"], every_hand(GAMES["kuhn"])), {}
    jack = int(form.buckets[0].on(())[GAMES["kuhn"].rules.deck[0]])
    for action in ("bet", "check"):
        style = cf.Style({action: 20.0}, player=0)
        solver = cf.Solver(form, "linear", "external", seed=1, per_round=100, style=style)
        solver.step(200_000)
        runs[action] = solver.strategy().at(0, jack)["bet"]
        assert solver.exploitability() < 0.012
    assert runs["bet"] > 0.2
    assert runs["check"] < 0.1


def test_what_is_given_up_lets_a_style_have_its_way() -> None:
    """Beyond all regrets, an infoset plays what it likes; and the other player answers that."""
    form = BucketForm(GAMES["kuhn"], every_hand(GAMES["kuhn"]))
    for best, least in ((False, 0.94), (True, 0.999)):
        style = cf.Style({"bet": 19.0}, 5.0, player=0, best=best)
        for traversal, iterations in (("external", 40_000), ("public", 4_000)):
            solver = cf.Solver(form, "cfr", traversal, seed=1, per_round=4, style=style)
            solver.step(iterations)
            made = solver.strategy()
            assert all(made.at(0, bucket)["bet"] > least for bucket in range(3))
            assert solver.engine.tables(average=False)[0][:2].sum() == pytest.approx(1)


def test_a_style_and_a_model_go_on_from_a_file(tmp_path: Path) -> None:
    model, path = coarse("leduc"), tmp_path / "styled"
    style = cf.Style({"bet": 3.0}, 0.01, best=True)
    for method, more in (("linear", {}), ("dcfr", {"locks": Against(model, 0, 0.5)})):
        whole, part, plain = (
            cf.Solver(model.tree, method, "external", seed=3, per_round=7, style=given, **more)
            for given in (style, style, None)
        )
        whole.step(3000)
        plain.step(3000)
        part.step(1001)
        part.save(path)
        again, _ = cf.Solver.resume(path, model.tree)
        again.step(1999)
        assert np.array_equal(engine_in(again).table, engine_in(whole).table)
        assert np.array_equal(again.current(), whole.current())
        assert not np.array_equal(plain.strategy().tables[0], whole.strategy().tables[0])


def test_a_game_with_buckets_is_solved_and_certified(tmp_path: Path) -> None:
    form, path = BucketForm(GAMES["leduc"], every_hand(GAMES["leduc"])), tmp_path / "run"
    until = cf.Until(iterations=5_000)
    result = cf.solve(form, "linear", until, traversal="external", save=path)
    known = assess(by_hand(result.strategy, PublicTree(GAMES["leduc"], symmetry=False)))
    assert result.exploitability == pytest.approx(known.exploitability)
    assert (result.iterations, result.certified_at, result.stopped) == (5000, 5000, "iterations")
    more = cf.resume(path, cf.Until(iterations=9_000), form)
    straight = cf.Solver(form, "linear", "external")
    straight.step(9_000)
    assert np.array_equal(more.strategy.tables[0], straight.strategy().tables[0])
    assert [report.iteration for report in more.trace] == [5000, 9000]
    with pytest.raises(UnsupportedError, match="does not measure"):
        cf.solve(form, "linear", cf.Until(exploitability=0.1), traversal="external")
    with pytest.raises(UnsupportedError, match="hand by hand"):
        cf.best_response(result.strategy, 0)


@pytest.mark.parametrize("method", ["cfr", "linear", "dcfr"])
def test_a_run_begins_from_what_another_one_learned(method: str) -> None:
    """Where rounds weigh alike it goes on as the other one does, once it draws the same."""
    game = GAMES["leduc"]
    one, two = (sampler(game, every_hand(game), method, per_round=50, seed=n) for n in (2, 3))
    one.step(500)
    learned = one.learned()
    two.begin(*learned)
    assert two.exploitability() == pytest.approx(one.exploitability(), abs=1e-5)
    for mine, theirs in zip(two.learned(), learned, strict=True):
        assert theirs.any()
        np.testing.assert_allclose(mine, theirs, rtol=1e-6)
    if method == "cfr":
        two.engine.random[:] = one.engine.random
        for solver in (one, two):
            solver.step(100)
        for mine, theirs in zip(two.learned(), one.learned(), strict=True):
            assert not np.array_equal(theirs, learned[0])
            np.testing.assert_allclose(mine, theirs, rtol=1e-6)
    one.step(3)
    with pytest.raises(ParameterError, match="end of a round"):
        one.learned()
    with pytest.raises(UnsupportedError, match="begins from nothing"):
        sampler(game, every_hand(game), method).begin(*learned, learned[1])
