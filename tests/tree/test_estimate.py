"""The size of a game by random probes, and the refusal of those that are too large."""

from __future__ import annotations

import re
from math import inf

import pytest

import counterfold as cf
from counterfold.abstraction.deal_form import DealForm
from counterfold.errors import TreeTooLargeError, UnsupportedError
from counterfold.tree.estimate import estimate
from counterfold.tree.memory import BY_MEMORY
from counterfold.tree.sequence import sequence_form


@pytest.mark.parametrize("spec", ["kuhn", "leduc", "liars_dice(sides=3)", "goofspiel", "one_card"])
def test_the_mean_of_probes_is_the_number_of_histories(spec: str) -> None:
    """Over many seeds: one seed alone may be far off, which is what ``least`` is for."""
    game = cf.load(spec)
    found = [estimate(game, seed=seed) for seed in range(40)]
    true = cf.measure(game).histories
    assert sum(one.histories for one in found) / len(found) == pytest.approx(true, rel=0.05)
    assert all(one.least <= one.histories for one in found)
    assert estimate(game, seed=3) == found[3]


@pytest.mark.parametrize("spec", ["leduc(ranks=5)", "liars_dice(sides=4)", "goofspiel"])
def test_many_probes_tell_all_sizes_within_some_percent(spec: str) -> None:
    """Without knowing where much is below a move, liar's dice is told at half its size or twice."""
    game = cf.load(spec)
    found, true = estimate(game, 2048), cf.measure(game)
    assert found.histories == pytest.approx(true.histories, rel=0.04)
    assert found.ends == pytest.approx(true.terminals, rel=0.04)
    assert found.infosets == pytest.approx(true.infosets, rel=0.15)


def test_the_memory_told_by_a_refusal_is_what_reading_would_find() -> None:
    game = cf.Leduc(ranks=9)
    peak = cf.measure(game).peak
    read: list[int] = []
    with pytest.raises(TreeTooLargeError) as refused:
        cf.compile_game(game, 2**24, lambda histories, about: read.append(histories))
    told = re.search(r"some ([\d.]+) MB", str(refused.value))
    assert told
    assert float(told[1]) * 2**20 == pytest.approx(peak, rel=0.05)
    assert max(read) < 10_000


def test_a_game_that_is_too_large_is_refused_before_it_is_read() -> None:
    read: list[int] = []
    with pytest.raises(TreeTooLargeError, match=r"about \d.* histories and would take some .* GB"):
        cf.compile_game(
            cf.LiarsDice(dice=2), 2**30, lambda histories, about: read.append(histories)
        )
    assert max(read) < 70_000  # of some 10 ** 9


@pytest.mark.parametrize("make", [cf.fhp, lambda: DealForm(cf.Cheat())])
def test_what_has_no_histories_is_neither_counted_nor_laid_out(make) -> None:
    for count in (cf.measure, cf.compile_game):
        with pytest.raises(UnsupportedError, match="history by history"):
            count(make())


def test_progress_tells_about_how_many_there_are() -> None:
    told: list[float | None] = []
    true = cf.compile_game(cf.Leduc(ranks=7), None, lambda _, about: told.append(about)).histories
    assert told[0] is None
    assert told[-1] == pytest.approx(true, rel=0.5)


def test_states_that_merge_are_not_judged_by_their_histories() -> None:
    class Long:
        """2 ** 200 histories, and 201 states."""

        def root(self) -> int:
            return 0

        def turn(self, state: int) -> int:
            return 0 if state < 200 else -2

        def actions(self, state: int) -> tuple[str, str]:
            return ("left", "right")

        def next(self, state: int, action: str) -> int:
            return state + 1

        def observe(self, state: int, player: int) -> int:
            return state

        def payoff(self, state: int) -> tuple[float, float]:
            return 0.0, 0.0

        def merge(self, state: int) -> int:
            return state

    assert cf.compile_game(Long()).histories == 201  # type: ignore[arg-type]
    assert estimate(Long()).histories == 201  # type: ignore[arg-type]


class Rounds:
    """Moves of so many kinds in a row; what is left of them is a number, if it is kept at all."""

    def __init__(self, moves: int, kinds: int) -> None:
        self.moves, self.kinds = moves, kinds

    def root(self) -> tuple[int, int]:
        return 0, 0

    def turn(self, state: tuple[int, int]) -> int:
        return 0 if state[0] < self.moves else -2

    def actions(self, state: tuple[int, int]) -> tuple[int, ...]:
        return tuple(range(self.kinds))

    def next(self, state: tuple[int, int], action: int) -> tuple[int, int]:
        return state[0] + 1, (state[1] * self.kinds + action) % 10_007

    def observe(self, state: tuple[int, int], player: int) -> tuple[int, int]:
        return state

    def payoff(self, state: tuple[int, int]) -> tuple[float, float]:
        return 0.0, 0.0


class Merging(Rounds):
    """The same, where what is left is all."""

    def merge(self, state: tuple[int, int]) -> tuple[int, int]:
        return state


def test_merged_states_are_told_and_refused_by_their_own_number() -> None:
    game, read = Merging(40, 3), list[int]()
    true = cf.measure(game, 2**40).histories  # type: ignore[arg-type]
    found = [estimate(game, 1024, seed) for seed in range(5)]  # type: ignore[arg-type]
    assert sum(one.histories for one in found) / 5 == pytest.approx(true, rel=0.05)
    assert sum(one.edges for one in found) / 5 == pytest.approx(3 * true, rel=0.05)
    assert all(0.5 * true < one.least < true for one in found)
    with pytest.raises(TreeTooLargeError, match=r"has about 3.* histories and would take some"):
        cf.compile_game(game, 2**23, lambda histories, about: read.append(histories))  # type: ignore[arg-type]
    assert max(read) < 0.2 * true


def test_the_states_of_cheat_are_told_within_a_quarter() -> None:
    game = cf.load("cheat(view=hp)")
    true, found = cf.measure(game), estimate(game, 4096)
    assert found.histories == pytest.approx(true.histories, rel=0.25)
    assert found.least < true.histories
    assert found.infosets == pytest.approx(true.infosets, rel=0.25)


def test_what_responders_remember_counts_where_states_merge() -> None:
    """They tell as many ends of this game apart as there are where nothing is forgotten."""
    ends = cf.measure("cheat").terminals
    forgetful = cf.measure("cheat(view=hp)")
    assert forgetful.terminals < 10
    assert forgetful.bytes == pytest.approx(BY_MEMORY * ends, rel=0.3)


def test_what_responders_remember_is_refused_where_it_does_not_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree = cf.compile_game("cheat(view=hp)")
    monkeypatch.setattr("counterfold.tree.memory.memory_at_hand", lambda: 10_000_000)
    with pytest.raises(TreeTooLargeError, match="who remember everything takes over"):
        sequence_form(tree)


def test_countless_histories_are_refused_early() -> None:
    """A number of histories that is too large to be written is not left to be read."""
    game, read = Rounds(600, 4), list[int]()
    assert estimate(game).histories == inf  # type: ignore[arg-type]
    with pytest.raises(TreeTooLargeError, match="countless histories"):
        cf.compile_game(game, 2**26, lambda histories, about: read.append(histories))  # type: ignore[arg-type]
    assert max(read) < 70_000
