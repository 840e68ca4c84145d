"""The original Cheat: what a player looks at, the bots, training, contests, files, the agent."""

from dataclasses import replace

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction import horizon_engine
from counterfold.abstraction.contest import contest
from counterfold.abstraction.deal_form import rules_of
from counterfold.abstraction.horizon_form import HorizonForm, met, original
from counterfold.abstraction.horizon_training import Plan, beginner, honest_play, train
from counterfold.agent import Observation
from counterfold.errors import FileError, MismatchError, ParameterError, UnsupportedError
from counterfold.files.arrays import write_arrays
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.games.cheat import CHALLENGE, Cheat
from counterfold.kernels import cheat, cheat_abstract, cheat_bot
from counterfold.kernels.cheat_sampling import Place
from counterfold.play.bots import Heuristic
from counterfold.play.large import LargeAgent


def any_strategy(players):
    """Something of everything everywhere."""
    shape = (cheat_abstract.ROWS, cheat_abstract.MOVES)
    return strategy_of(players, np.full(shape, 1 / cheat_abstract.MOVES, np.float32))


def strategy_of(players, table):
    return cf.Strategy.of(HorizonForm(original(players)), table)


def honest_play_in_shares():
    table = honest_play()
    return (table / table.sum(axis=1, keepdims=True)).astype(np.float32)


def after_a_round(players, games, **how):
    """What one round of games has taught, in the engine's own tables."""
    solver = beginner(players, **how)
    solver.engine.look_ahead(4, until=games)
    solver.step()
    return solver.engine.common


def new_place(rules):
    return Place(cheat.new_states(rules, 1), cheat_bot.new_memory(rules))


def copied(rules, place):
    other = new_place(rules)
    other.states[...] = place.states
    other.memory.known[...] = place.memory.known
    other.memory.pile[...] = place.memory.pile
    return other


def laid(game, rules, place, rank):
    """The discard that lies in a compiled game, by its name."""
    order = [(rank + step) % game.ranks for step in range(game.ranks)]
    return " ".join(
        game.rank_names[r]
        for r in order
        for _ in range(cheat.held(rules, place.states, 0, rules.players + 1, r))
    )


def walk(players, seed, turns):
    """A game of the heuristic bot and of moves by chance, in Python and compiled side by side.

    Yields at every decision what the player sees, and the compiled game.
    """
    game, rules, rng = original(players), rules_of(original(players)), np.random.default_rng(seed)
    agents = [LargeAgent(any_strategy(players)) for _ in range(players)]
    state, place = game.root(), new_place(rules)
    while game.turn(state) == CHANCE:
        outcomes = game.chance(state)
        odds = np.array([chance for _, chance in outcomes])
        state = game.next(state, outcomes[rng.choice(len(odds), p=odds / odds.sum())][0])
    for p, hand in enumerate(state.hands):
        for r, count in enumerate(hand):
            place.states[0, cheat.cards(rules, p, r)] = count
    cheat.begin(rules, place.states, 0, state.seat)
    for _ in range(turns):
        turn = game.turn(state)
        if turn == TERMINAL:
            return
        seen = Observation(turn, game.observe(state, turn), tuple(game.actions(state)))
        yield game, state, seen, place
        action = agents[turn].act(seen, rng)
        assert action in seen.actions
        if state.laid is None:
            for card in action.split():
                cheat.lay(rules, place.states, 0, game.rank_index[card], 1)
            cheat.claim(rules, place.states, 0)
        else:
            chosen = cheat_abstract.CHALLENGE if action == CHALLENGE else cheat_abstract.PASS
            cheat_abstract.move(rules, place.memory, place.states, 0, chosen)
        state = game.next(state, action)


@pytest.mark.parametrize("players", [2, 3])
def test_an_infoset_is_made_of_what_the_player_was_told(players):
    agent = LargeAgent(any_strategy(players))
    rules, kinds = rules_of(original(players)), set()
    for seed in range(4):
        agent.begin(original(players))
        for _, _, seen, place in walk(players, seed, 150):
            row, moves = cheat_abstract.look(rules, place.memory, place.states, 0)
            assert agent.look(seen) == (row, moves)
            kinds.add(row)
    assert len(kinds) > 100


@pytest.mark.parametrize("players", [2, 3])
def test_the_compiled_heuristic_bot_does_what_the_bot_does(players):
    rules, answers = rules_of(original(players)), {"pass": 0, "challenge": 0, "discard": 0}
    for seed in range(4):
        bot = Heuristic()
        bot.begin(original(players))
        for game, state, seen, place in walk(players, 10 + seed, 150):
            expected = bot.act(seen, np.random.default_rng())
            other = copied(rules, place)
            if state.laid is None:
                cheat_bot.lay(rules, other.memory, other.states, 0)
                answers["discard"] += 1
                assert laid(game, rules, other, state.rank) == expected
            else:
                answers[expected] += 1
                passes = cheat_bot.passes(rules, other.memory, other.states, 0)
                assert passes == (expected != CHALLENGE)
    assert min(answers.values()) > 20


@pytest.mark.pure
@pytest.mark.parametrize(
    ("hand", "rank", "move", "expected"),
    [
        ("A A A 2 5 5", "A", cheat_abstract.ALL, "A A A"),
        ("A A A 2 5 5", "A", cheat_abstract.ONE, "A"),
        ("A A A 2 5 5", "A", cheat_abstract.BUT_ONE, "A A"),
        # Own turns come at A, 3, 5, 7, 9, J, K, 2, 4, ...: of these 2 comes last, and it is alone.
        ("A A A 2 5 5", "A", cheat_abstract.LIE, "2"),
        ("A A A 2 5 5", "A", cheat_abstract.LIES, "2 5"),
        ("2 Q", "A", cheat_abstract.LIE, "Q"),
        ("2 2 K", "A", cheat_abstract.LIE, "K"),  # alone, and nearly as late
    ],
)
def test_moves_choose_cards(hand, rank, move, expected):
    game, rules = original(2), rules_of(original(2))
    place = new_place(rules)
    for card in hand.split():
        place.states[0, cheat.cards(rules, 0, game.rank_index[card])] += 1
    cheat.begin(rules, place.states, 0, 0)
    _, moves = cheat_abstract.look(rules, place.memory, place.states, 0)
    assert moves >> move & 1
    cheat_abstract.move(rules, place.memory, place.states, 0, move)
    assert laid(game, rules, place, game.rank_index[rank]) == expected


def test_nobody_claims_what_the_other_knows_to_be_a_lie_when_there_is_a_choice():
    """Two players know each other's cards after a challenge; so a lie must be one of number."""
    rules, place = rules_of(original(2)), new_place(rules_of(original(2)))
    for r, count in ((0, 1), (1, 4), (2, 4)):
        place.states[0, cheat.cards(rules, 0, r)] = count
    cheat.begin(rules, place.states, 0, 0)
    _, moves = cheat_abstract.look(rules, place.memory, place.states, 0)
    assert moves == 1 << cheat_abstract.ALL | 1 << cheat_abstract.LIE
    place.memory.pile[0, 0] = 2  # aces laid in secret: now three can be claimed
    _, moves = cheat_abstract.look(rules, place.memory, place.states, 0)
    assert moves >> cheat_abstract.AND_LIES & 1
    assert moves >> cheat_abstract.MANY & 1


def test_a_certain_lie_and_a_last_card_are_always_challenged():
    rules, place = rules_of(original(2)), new_place(rules_of(original(2)))
    place.states[0, cheat.cards(rules, 1, 0)] = 4
    place.states[0, cheat.cards(rules, 0, 1)] = 2
    cheat.begin(rules, place.states, 0, 0)
    cheat.lay(rules, place.states, 0, 1, 1)
    cheat.claim(rules, place.states, 0)
    assert cheat_abstract.look(rules, place.memory, place.states, 0)[1] == 2
    place.states[0, cheat.cards(rules, 1, 0)] = 0
    assert cheat_abstract.look(rules, place.memory, place.states, 0)[1] == 3
    place.states[0, cheat.SIZE] = 0
    assert cheat_abstract.look(rules, place.memory, place.states, 0)[1] == 2


def test_what_positions_are_worth_adds_up():
    """At every turn that was watched, the players' shares of the game add up to one."""
    won, played = after_a_round(3, games=30, seed=5, threads=2).worth.sum(axis=0)
    assert played == 3 * round(won)
    assert won == pytest.approx(played / 3)
    assert played > 3 * 30 * 20


@pytest.mark.pure
def test_regrets_are_of_moves_against_the_mix_that_was_played():
    """One trial from empty tables: the mean of the regrets, all moves equally likely, is zero."""
    tables = after_a_round(2, games=1, seed=1, threads=1, honest=False)
    once = np.flatnonzero(tables.visits == 1)
    assert len(once) > 5
    assert tables.regret[once].sum(axis=1) == pytest.approx(0, abs=1e-9)
    assert (np.abs(tables.regret[once]).sum(axis=1) > 0).any()
    assert (tables.regret[tables.visits == 0] == 0).all()


@pytest.mark.parametrize("players", [2, 3])
def test_honest_play_is_much_like_the_heuristic_bot(players):
    honest = strategy_of(players, honest_play_in_shares())
    found = contest(original(players), honest, *["heuristic"] * (players - 1), games=1000, seed=3)
    assert 0.8 < found.rate / found.fair < 1.2
    assert (
        contest(original(players), honest, *["random"] * (players - 1), games=100, seed=3).rate
        > 0.9
    )


def test_training_can_be_done_again_and_threads_are_part_of_it():
    one, two = (train(2, games=120, seed=3, threads=2, horizons=(2, 4)) for _ in range(2))
    assert (one.tables[0] == two.tables[0]).all()
    other = train(2, games=120, seed=4, threads=2, horizons=(2, 4))
    assert (one.tables[0] != other.tables[0]).any()
    assert one.about["games"] == 120


def test_training_makes_a_player():
    """The average of 1,500 short games wins all but always against where it began."""
    trained = train(3, games=1500, seed=1, threads=1, horizons=(4,), honest=False)
    found = contest(original(3), trained, any_strategy(3), any_strategy(3), games=400, seed=2)
    assert found.interval[0] > 0.6
    assert found.games == sum(found.wins) + found.unfinished


def test_seats_are_shared_out_fairly():
    found = contest(original(3), "heuristic", "heuristic", "heuristic", games=3000, seed=1)
    low, high = found.interval
    assert low < found.fair < high
    assert contest(original(), "heuristic", "random", games=300).rate > 0.95
    assert contest(original(), "random", "heuristic", games=300).rate < 0.05


def test_files(tmp_path):
    strategy = train(2, games=60, threads=1)
    path = tmp_path / "large.safetensors"
    strategy.save(path)
    again = cf.Strategy.load(path)
    assert again == strategy
    assert (again.players, again.spec, again.about) == (2, "cheat:original", strategy.about)
    assert 0 < met(again) == met(strategy)
    assert again.layout.name == "horizon"

    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(FileError):
        cf.Strategy.load(path)
    with pytest.raises(ParameterError, match="do not sum to one"):
        strategy_of(2, strategy.tables[0] * 2)
    arrays = strategy.layout.arrays(strategy.tables)
    arrays["probabilities"] = arrays["probabilities"] * 2
    about = {"game": strategy.spec, "fingerprint": strategy.fingerprint, "about": "{}"}
    write_arrays(path, "strategy", {**about, "form": "horizon"}, arrays)
    with pytest.raises(FileError, match="damaged"):
        cf.Strategy.load(path)


def test_files_of_before(tmp_path):
    """Strategies had a kind of file of their own; a training had one too, which is refused."""
    strategy, path = train(3, games=30, threads=1), tmp_path / "large.safetensors"
    header = {"game": "cheat:original(players=3)", "players": "3", "about": '{"games": 30}'}
    write_arrays(path, "large cheat", header, strategy.layout.arrays(strategy.tables))
    again = cf.Strategy.load(path)
    assert again == strategy
    assert again.about["games"] == 30
    write_arrays(path, "cheat training", {"rounds": "1"}, {"random": np.zeros(1, np.uint64)})
    with pytest.raises(FileError, match="an older version began; delete it"):
        train(3, games=30, threads=1, save=path)


def test_wrong_questions():
    with pytest.raises(ParameterError, match="either minutes or games"):
        train(2)
    with pytest.raises(ParameterError):
        train(2, minutes=0)
    with pytest.raises(ParameterError):
        train(1, games=1)
    with pytest.raises(ParameterError, match="there is no bot"):
        contest(original(), "nobody", "random")
    with pytest.raises(MismatchError):
        contest(original(), any_strategy(3), "random")
    with pytest.raises(MismatchError, match="plays cheat:original"):
        LargeAgent(any_strategy(2)).begin(Cheat())
    LargeAgent(any_strategy(3)).begin(replace(original(3), turns=1000))


def test_a_training_that_was_stopped_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(horizon_engine, "ROUND", 20)
    how = {"games": 200, "seed": 4, "threads": 2}
    whole, path = train(2, **how), tmp_path / "training.part"

    def stop(report):
        if report.games >= 90:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(2, **how, save=path, on_progress=stop)
    with pytest.raises(MismatchError, match="other settings"):
        train(2, **{**how, "seed": 5}, save=path)
    games = []
    rest = train(2, **how, save=path, on_progress=lambda report: games.append(report.games))
    assert 90 < games[0] <= 120
    assert np.array_equal(rest.tables[0], whole.tables[0])
    assert rest.about["games"] == whole.about["games"] == 200
    games.clear()
    same = train(2, **how, save=path, on_progress=lambda report: games.append(report.games))
    assert np.array_equal(same.tables[0], whole.tables[0])
    assert games == []


def test_a_solver_goes_on_bit_for_bit(tmp_path, monkeypatch):
    """With its own schedule, threads and horizon, without the plan of a training."""
    monkeypatch.setattr(horizon_engine, "ROUND", 20)
    path, whole = tmp_path / "run.safetensors", beginner(3, seed=6, threads=2)
    whole.step(2)
    whole.engine.look_ahead(8)
    whole.step(1)
    whole.save(path)
    whole.step(2)
    with pytest.raises(ParameterError, match="a run of 2 threads"):
        cf.Solver.resume(path, threads=1)
    rest, _ = cf.Solver.resume(path)
    assert (rest.iteration, rest.engine.horizon, rest.engine.games) == (3, 8, 60)
    rest.step(2)
    for mine, other in zip(rest.engine.common, whole.engine.common, strict=True):
        assert np.array_equal(mine, other)
    assert rest.strategy() == whole.strategy()


def test_rounds_fade_as_the_schedule_says(monkeypatch):
    """Under plain CFR all rounds count alike; by default the first is halved before the second."""
    monkeypatch.setattr(horizon_engine, "ROUND", 10)
    form, tables = HorizonForm(original(2)), {}
    for method in ("cfr", "dcfr(1, 1, 2)", "cfr+"):
        solver = cf.Solver(form, method, "external", threads=1)
        solver.step()
        first = solver.engine.common.regret.copy()
        watched = solver.engine.common.worth.copy()
        solver.engine._watch = solver.engine._train = lambda n, games: None
        solver.step()
        tables[method] = first, solver.engine.common.regret
        assert np.array_equal(solver.engine.common.worth, watched / 2)
    first, second = tables["cfr"]
    assert np.array_equal(second, first)
    assert np.array_equal(tables["dcfr(1, 1, 2)"][1], tables["dcfr(1, 1, 2)"][0] / 2)
    assert (first < 0).any()
    assert (tables["cfr+"][1] >= 0).all()


def test_nothing_measures_it():
    form = HorizonForm(original(2))
    with pytest.raises(UnsupportedError, match="nothing measures"):
        cf.solve(form, until=1, traversal="external")
    with pytest.raises(UnsupportedError, match="no list of infosets"):
        cf.Solver(form, traversal="external", style=cf.Style({"pass": 2.0}, player=0))
    with pytest.raises(UnsupportedError, match="only cheat:original"):
        HorizonForm(Cheat())
    with pytest.raises(UnsupportedError, match="one strategy for all"):
        any_strategy(2).layout.combine([any_strategy(2).tables, any_strategy(2).layout.even()])


def test_time_is_shared_among_horizons():
    plan, solver = Plan(2, 1.0, None, 0, 1, True, (1, 2)), beginner(threads=1)
    assert (plan.end(0, solver), solver.engine.horizon) == (cf.Until(seconds=30), 1)
    solver.iteration, solver.seconds = 10, 29.9
    assert plan.end(0, solver) is None  # a round takes longer than what is left
    assert (plan.end(1, solver), solver.engine.horizon) == (cf.Until(seconds=60 - 29.9), 2)
    assert plan.done(solver) == pytest.approx(29.9 / 60)
    solver.seconds = 61.0
    assert (plan.end(1, solver), plan.done(solver)) == (None, 1.0)


def test_a_training_by_time_ends(monkeypatch):
    monkeypatch.setattr(horizon_engine, "ROUND", 20)
    told = []
    trained = train(2, minutes=0.01, threads=1, on_progress=told.append)
    assert [report.done for report in told] == sorted(report.done for report in told)
    assert trained.about["games"] == told[-1].games >= 20


def test_a_new_horizon_carries_a_tenth_of_the_average():
    solver = beginner(threads=1)
    solver.engine.look_ahead(4, until=20)
    solver.step()
    before = solver.engine.common._replace(
        **{name: table.copy() for name, table in solver.engine.common._asdict().items()}
    )
    solver.engine.look_ahead(4, until=40)
    assert np.array_equal(solver.engine.common.total, before.total)
    solver.engine.look_ahead(8, until=40)
    assert solver.engine.common.total == pytest.approx(before.total / 10)
    assert np.array_equal(solver.engine.common.regret, before.regret)
    assert before.total.any()
