"""Curricula: merged graphs against trees, what is carried over, checkpoints, refusals."""

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.curriculum import Curriculum, carry, graph_values
from counterfold.abstraction.fallback import lifted
from counterfold.abstraction.maps import Mapped, RelativeCards
from counterfold.abstraction.ordered import nearest, same
from counterfold.errors import FileError, MismatchError, ParameterError, UnsupportedError
from counterfold.files.sealed import write_document
from counterfold.games.cheat import Cheat
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import compile_game


class Unmerged:
    """A game whose equal states stay apart."""

    def __init__(self, game):
        self.players = game.players
        for name in ("root", "turn", "chance", "actions", "next", "observe", "payoff"):
            setattr(self, name, getattr(game, name))


def table(tree, numbers):
    starts = tree.infosets.start.tolist()
    return {
        (int(owner), name): numbers[starts[i] : starts[i + 1]].tolist()
        for i, (owner, name) in enumerate(
            zip(tree.infosets.owner, tree.infosets.labels, strict=True)
        )
    }


def same_tables(one, other):
    assert one.keys() == other.keys()
    for key in one:
        np.testing.assert_allclose(one[key], other[key], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("game", "iterations"),
    [
        (Cheat(health=2, view="memoryless"), 30),
        (Cheat(health=2, view="hp"), 30),
        (Mapped(Cheat(health=2, view="hp"), RelativeCards()), 30),
        (Cheat(health=2, view="general", rounds=2), 30),
        (Cheat(health=3, view="hp"), 4),
    ],
    ids=str,
)
def test_a_merged_graph_solves_as_its_tree_does(game, iterations):
    solvers = [cf.Solver(compile_game(g), "cfr", form="history") for g in (game, Unmerged(game))]
    small, large = solvers
    assert small.tree.merged
    assert not large.tree.merged
    assert small.tree.histories < large.tree.histories
    # From regrets drawn by name: at ties of zero, rounding alone would choose the strategy.
    for solver in solvers:
        regrets = np.concatenate([
            np.random.default_rng(list(f"{key}".encode())).random(len(row)) for key, row in
            table(solver.tree, np.zeros(solver.tree.infosets.slots)).items()
        ])  # fmt: skip
        solver.begin(regrets, np.zeros(len(regrets)))
        solver.step(iterations)
    for a, b in zip(small.learned(), large.learned(), strict=True):
        same_tables(table(small.tree, a), table(large.tree, b))
    assert graph_values(small.tree, small.probabilities()) == pytest.approx(
        graph_values(large.tree, large.probabilities())
    )


def test_graph_values_are_those_of_the_sequence_form():
    tree = compile_game(cf.Leduc())
    strategy = Strategy.random(tree, 1)
    assert graph_values(tree, strategy.probabilities) == pytest.approx(cf.values(strategy))


def test_what_is_learned_goes_over():
    small = cf.Solver(compile_game(Cheat(health=2, view="hp")), "cfr", form="history")
    small.step(40)
    large = cf.Solver(compile_game(Cheat(health=3, view="hp")), "cfr", form="history")
    found = carry(small, large, nearest(2))
    assert found.fresh
    assert found.nearest
    for mine, theirs in zip(large.learned(), small.learned(), strict=True):
        one, other = table(large.tree, mine), table(small.tree, theirs)
        infosets = large.tree.infosets
        for i, row in enumerate(found.row.tolist()):
            key = (int(infosets.owner[i]), infosets.labels[i])
            if row < 0:
                assert not any(one[key])
            else:
                source = small.tree.infosets
                assert one[key] == other[int(source.owner[row]), source.labels[row]]
    # The first strategy is the smaller game's average.
    current, average = table(large.tree, large.current()), table(small.tree, small.probabilities())
    key = (0, "A A | rank A | 2:2")
    assert current[key] == pytest.approx(average[key])


def test_a_curriculum_of_one_game_twice_is_one_long_run():
    """With the same game the first strategy differs by one iteration only."""
    game = Cheat(health=1, view="memoryless")
    curriculum = Curriculum([game, game], iterations=50, down=[same])
    stages = [stage for stage in curriculum.run() if stage.done]
    assert [stage.same for stage in stages] == [0, 72]
    straight = cf.Solver(compile_game(game), "cfr", form="history")
    straight.step(100)
    gap = np.abs(straight.probabilities() - curriculum.strategy().probabilities)
    assert gap.mean() < 0.02


def test_a_start_from_a_smaller_game_is_a_better_start():
    tree = compile_game(Cheat(health=2))
    games = [Cheat(health=n, view="memoryless") for n in (1, 2)]
    carried = Curriculum(games, iterations=[50, 2])
    for _ in carried.run():
        pass
    scratch = cf.Solver(compile_game(games[1]), "cfr", form="history")
    scratch.step(2)
    assert cf.exploitability(lifted(carried.strategy(), tree)) < 0.8 * cf.exploitability(
        lifted(scratch.strategy(), tree)
    )


def test_checkpoints_and_resuming(tmp_path):
    games = [Mapped(Cheat(health=n, view="hp"), RelativeCards()) for n in (1, 2, 3)]
    settings = {"iterations": [20, 30, 20], "traversal": "external", "seed": 3}
    whole = Curriculum(games, **settings)
    for _ in whole.run():
        pass
    folder = tmp_path / "kept"
    begun = Curriculum(games, **settings, folder=folder)
    for stage in begun.run():
        if stage.number == 2 and stage.done:
            break  # as if it were killed here
    left = Curriculum.resume(folder)
    assert [stage.done for stage in left.stages] == [True, True]
    told = [stage.number for stage in left.run() if stage.done]
    assert told == [3]
    assert (left.strategy().probabilities == whole.strategy().probabilities).all()
    assert Strategy.load(folder / "stage-1.safetensors").spec == str(games[0])
    assert Curriculum.resume(folder).strategy().probabilities.shape == (
        whole.strategy().probabilities.shape
    )
    assert [s.to_dict()["iteration"] for s in Curriculum.resume(folder).stages] == [20, 30, 20]
    with pytest.raises(FileError, match="already"):
        next(Curriculum(games, folder=folder).run())
    with pytest.raises(MismatchError, match="other games"):
        Curriculum.resume(folder, games[:1])


def test_an_unfinished_stage_goes_on_to_the_same_end(tmp_path, monkeypatch):
    monkeypatch.setattr("counterfold.abstraction.curriculum.CHUNK_SECONDS", 1e-9)
    games = [Cheat(health=n, view="memoryless") for n in (1, 2)]
    whole = Curriculum(games, iterations=12)
    for _ in whole.run():
        pass
    begun = Curriculum(games, iterations=12, folder=tmp_path)
    run = begun.run()
    for stage in run:
        if (stage.number, stage.iteration) == (2, 5):
            run.close()
            break
    left = Curriculum.resume(tmp_path)
    assert [stage.iteration for stage in left.stages] == [12, 5]
    for _ in left.run():
        pass
    assert (left.strategy().probabilities == whole.strategy().probabilities).all()


def test_damaged_folders(tmp_path):
    with pytest.raises(FileError, match="no curriculum"):
        Curriculum.resume(tmp_path)
    (tmp_path / "curriculum.json").write_text("{}")
    with pytest.raises(FileError, match="damaged"):
        Curriculum.resume(tmp_path)
    write_document(tmp_path / "curriculum.json", {"format": "else"})
    with pytest.raises(FileError, match="version"):
        Curriculum.resume(tmp_path)
    with pytest.raises(FileError, match="cannot make"):
        next(Curriculum([Cheat(health=1, view="hp")], folder=tmp_path / "a" / "b").run())


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Curriculum([]), ParameterError, "a game at least"),
        (lambda: Curriculum([Cheat()], iterations=0), ParameterError, "above 0"),
        (lambda: Curriculum([Cheat()], iterations=[1, 2]), ParameterError, "1 stages"),
        (lambda: Curriculum([Cheat(health=None)]), UnsupportedError, "no end"),
        (lambda: Curriculum([Cheat()], down=[same]), ParameterError, "ways down"),
        (lambda: Curriculum([Cheat()]).strategy(), ParameterError, "not begun"),
    ],
)
def test_refusals(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_games_that_do_not_fit_are_refused():
    games = [Cheat(health=1, view="hp"), cf.Kuhn()]
    with pytest.raises(MismatchError, match="not ordered"):
        list(Curriculum(games, iterations=1).run())


def test_begin_refuses_what_does_not_fit():
    solver = cf.Solver(cf.Kuhn())
    with pytest.raises(ParameterError, match="24 finite numbers"):
        solver.begin(np.zeros(3), np.zeros(24))
    with pytest.raises(ParameterError, match="finite"):
        solver.begin(np.full(24, np.nan), np.zeros(24))
    solver.step(1)
    with pytest.raises(ParameterError, match="has begun"):
        solver.begin(np.zeros(24), np.zeros(24))
