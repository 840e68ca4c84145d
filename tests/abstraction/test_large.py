"""The original Cheat: what a player looks at, the bots, training, contests, files, the agent."""

from dataclasses import replace

import numpy as np
import pytest

from counterfold.abstraction.contest import contest
from counterfold.abstraction.deal_form import rules_of
from counterfold.abstraction.large import LargeStrategy, is_large, original
from counterfold.abstraction.large_training import Trainer, honest_play, train
from counterfold.agent import Observation
from counterfold.errors import FileError, MismatchError, ParameterError
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.games.cheat import CHALLENGE, Cheat
from counterfold.kernels import cheat, cheat_abstract, cheat_bot
from counterfold.kernels.cheat_sampling import Place
from counterfold.play.bots import Heuristic
from counterfold.play.large import LargeAgent


def any_strategy(players):
    """Something of everything everywhere."""
    shape = (cheat_abstract.ROWS, cheat_abstract.MOVES)
    return LargeStrategy(players, np.full(shape, 1 / cheat_abstract.MOVES, np.float32))


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
    trainer = Trainer(3, seed=5, threads=2)
    trainer.play(4, games=30)
    won, played = trainer.tables.worth.sum(axis=0)
    assert played == 3 * round(won)
    assert won == pytest.approx(played / 3)
    assert played > 3 * 30 * 20


@pytest.mark.pure
def test_regrets_are_of_moves_against_the_mix_that_was_played():
    """One trial from empty tables: the mean of the regrets, all moves equally likely, is zero."""
    trainer = Trainer(2, seed=1, threads=1, honest=False)
    trainer.play(4, games=1)
    once = np.flatnonzero(trainer.tables.visits == 1)
    assert len(once) > 5
    assert trainer.tables.regret[once].sum(axis=1) == pytest.approx(0, abs=1e-9)
    assert (np.abs(trainer.tables.regret[once]).sum(axis=1) > 0).any()
    assert (trainer.tables.regret[trainer.tables.visits == 0] == 0).all()


@pytest.mark.parametrize("players", [2, 3])
def test_honest_play_is_much_like_the_heuristic_bot(players):
    honest = LargeStrategy(players, honest_play().astype(np.float32))
    found = contest(original(players), honest, *["heuristic"] * (players - 1), games=1000, seed=3)
    assert 0.8 < found.rate / found.fair < 1.2
    assert (
        contest(original(players), honest, *["random"] * (players - 1), games=100, seed=3).rate
        > 0.9
    )


def test_training_can_be_done_again_and_threads_are_part_of_it():
    one, two = (train(2, games=120, seed=3, threads=2, horizons=(2, 4)) for _ in range(2))
    assert (one.probabilities == two.probabilities).all()
    other = train(2, games=120, seed=4, threads=2, horizons=(2, 4))
    assert (one.probabilities != other.probabilities).any()
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
    again = LargeStrategy.load(path)
    assert (again.probabilities == strategy.probabilities).all()
    assert (again.players, again.game, again.about) == (2, "cheat:original", strategy.about)
    assert 0 < again.infosets == strategy.infosets
    assert is_large(path)

    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(FileError):
        LargeStrategy.load(path)
    LargeStrategy(2, strategy.probabilities * 2).save(path)
    with pytest.raises(FileError, match="damaged"):
        LargeStrategy.load(path)


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
    from counterfold.abstraction import large_training

    monkeypatch.setattr(large_training, "ROUND", 20)
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
    assert np.array_equal(rest.probabilities, whole.probabilities)
    assert rest.about["games"] == whole.about["games"] == 200
    games.clear()
    same = train(2, **how, save=path, on_progress=lambda report: games.append(report.games))
    assert np.array_equal(same.probabilities, whole.probabilities)
    assert games == []
