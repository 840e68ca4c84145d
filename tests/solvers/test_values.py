"""Known values of games, by the linear program and by iteration; the LP against the oracle."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import counterfold as cf
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.tree.sequence import sequence_form
from tests import naive
from tests.random_games import games, meeting_games, random_game
from tests.solvers.layout import rows, unflat

VALUES = {
    "kuhn": Fraction(-1, 18),
    "leduc": -0.0856064241,
    "leduc:ses": -0.0524557485,
    "one_card(ranks=13)": Fraction(-5, 78),
    "liars_dice(sides=3)": Fraction(1, 9),
    "goofspiel(cards=3)": 0,
    "goofspiel(cards=4)": 0,
    "goofspiel(cards=4,prizes=random)": 0,
}


@pytest.mark.parametrize("spec", VALUES)
def test_the_linear_program_finds_the_known_value(spec: str) -> None:
    result = cf.solve(cf.load(spec), "lp")
    assert result.value == pytest.approx(float(VALUES[spec]), abs=2e-10)
    assert result.values[1] == pytest.approx(-result.value, abs=1e-12)
    assert result.exploitability < 1e-9


@pytest.mark.parametrize("spec", VALUES)
def test_the_default_method_finds_the_known_value(spec: str) -> None:
    result = cf.solve(cf.load(spec), until=cf.Until(exploitability=1e-5))
    assert result.exploitability <= 1e-5
    assert result.stopped == "exploitability"
    # Each player's strategy guarantees the value up to its opponent's gain.
    assert result.value == pytest.approx(float(VALUES[spec]), abs=2 * result.exploitability)


def test_liars_dice_with_six_sides() -> None:
    result = cf.solve(cf.LiarsDice(), until=cf.Until(exploitability=1e-4))
    assert result.value == pytest.approx(-7 / 258, abs=2 * result.exploitability)
    assert result.histories == 294_883


@settings(max_examples=40)
@given(game=games(players=2, zero_sum=True))
def test_the_linear_program_is_an_equilibrium_by_the_rules(game: Any) -> None:
    result = cf.solve(game, "lp")
    strategy = unflat(result.strategy.tree, naive.uniform(game), result.strategy.probabilities)
    assert naive.exploitability(game, strategy) == pytest.approx(0, abs=1e-9)
    assert result.exploitability == pytest.approx(0, abs=1e-9)
    plus = cf.Solver(result.strategy.tree, "cfr+")
    plus.step(2000)
    found = plus.assess()
    assert found.values[0] == pytest.approx(result.value, abs=2 * found.exploitability + 1e-9)
    assert found.exploitability < 0.01


@settings(max_examples=20)
@given(pair=meeting_games(recall=True))
def test_the_linear_program_on_merged_histories(pair: Any) -> None:
    trees = [cf.compile_game(game) for game in pair]
    if not trees[0].two_player_zero_sum:
        return
    apart, merged = (cf.solve(tree, "lp") for tree in trees)
    assert merged.value == pytest.approx(apart.value, abs=1e-9)
    assert merged.exploitability == pytest.approx(0, abs=1e-9)


def test_a_constant_sum_game_is_solved_too() -> None:
    """Payoffs that add up to 10: the value moves, the equilibrium does not."""
    rows_win = [[[8, 2], [2, 5]], [[2, 8], [8, 5]]]
    game = cf.NormalForm(rows_win)
    result = cf.solve(game, "lp")
    assert result.value == pytest.approx(4)
    assert result.values[1] == pytest.approx(6)
    np.testing.assert_allclose(result.strategy.probabilities, [1 / 3, 2 / 3] * 2, atol=1e-9)
    assert cf.solve(game).value == pytest.approx(4, abs=1e-4)


def test_no_linear_program_for_other_games() -> None:
    with pytest.raises(UnsupportedError, match="zero-sum"):
        cf.solve(cf.Kuhn(players=3), "lp")
    with pytest.raises(UnsupportedError, match="zero-sum"):
        cf.solve(random_game(4, 2, 4), "lp")
    with pytest.raises(UnsupportedError, match="imperfect recall"):
        cf.solve(forgetful(), "lp")
    with pytest.raises(ParameterError):
        cf.solve(cf.Kuhn(), "lp", traversal="external")


def forgetful() -> Any:
    """A zero-sum game of imperfect recall."""
    for seed in range(100):
        game = random_game(seed, 2, 5, zero_sum=True, recall=False)
        if not sequence_form(cf.compile_game(game)).perfect_recall:
            return game
    raise AssertionError


# Three-player Kuhn poker (Szafron, Gibson and Sturtevant, 2013): a family of equilibria. An
# aggressive action is a bet where nobody has bet, and a call where somebody has.
SITUATIONS = {
    "a": ("", "check check bet", "check bet fold", "check bet call"),
    "b": ("check", "bet", "check check bet fold", "check check bet call"),
    "c": ("check check", "check bet", "bet fold", "bet call"),
}


def kuhn3(tree: Any, aggressive: dict[str, float]) -> cf.Strategy:
    """A strategy from the paper's names for how often to be aggressive; 0 where none is given."""
    numbers = np.tile([1.0, 0.0], tree.infosets.slots // 2)
    where = rows(tree)
    for (letter, card, situation), p in aggressive.items():
        said = SITUATIONS[letter][int(situation) - 1]
        name = "JQKA"[int(card) - 1] + (f" | {said}" if said else "")
        numbers[where["abc".index(letter), name]] = 1 - p, p
    return cf.Strategy.of(tree, numbers)


def family(b11: float, b21: float, c11: float, b23: float = 0.0) -> dict[str, float]:
    """A member of the family: player, card, situation."""
    b = max(b11, b21)
    b32 = 0.25
    return {
        "a33": 0.5, "a42": 1, "a43": 1, "a44": 1,
        "b11": b11, "b21": b21, "b23": b23, "b32": b32,
        "b33": 0.5 + (b11 + b21) / 2 + b / 2 - b23 * (1 - b21),
        "b41": 2 * (b11 + b21), "b42": 1, "b43": 1, "b44": 1,
        "c11": c11, "c21": 0.5 - c11, "c33": 0.5 - b32, "c34": 0.3,
        "c41": 1, "c42": 1, "c43": 1, "c44": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    "member",
    [(0, 0, 0), (0.1, 0.2, 0), (0.1, 0.1, 0.3), (0.25, 0, 0.5), (0.2, 0.1, 0.5, 0.05)],
    ids=str,
)
def test_the_known_equilibria_of_three_player_kuhn(member: tuple[float, ...]) -> None:
    tree = cf.compile_game(cf.Kuhn(players=3))
    strategy = kuhn3(tree, family(*member))
    b = max(member[:2])
    assert max(cf.nash_conv(strategy)) < 1e-14
    assert np.array(cf.values(strategy)) * 24 == pytest.approx([-(0.5 + b), -0.5, 1 + b])


def test_a_strategy_beside_the_family_is_no_equilibrium() -> None:
    tree = cf.compile_game(cf.Kuhn(players=3))
    for name, p in (("a33", 0.4), ("b41", 0.5), ("c21", 0.7), ("c41", 0.9)):
        strategy = kuhn3(tree, {**family(0.1, 0.2, 0), name: p})
        assert cf.exploitability(strategy) > 1e-4


@pytest.mark.parametrize("method", ["cfr+", "dcfr", "hs-pcfr+"])
def test_solving_three_player_kuhn_comes_to_the_family(method: str) -> None:
    """Nothing promises it, but it is what happens; then the payoffs are those of the family."""
    solver = cf.Solver(cf.Kuhn(players=3), method)
    solver.step(10_000)
    found = solver.assess()
    assert found.exploitability < 1e-5
    first, second, third = (24 * value for value in found.values)
    assert second == pytest.approx(-0.5, abs=1e-3)
    assert 0.5 - 1e-3 < -first < 0.75 + 1e-3
    assert third == pytest.approx(0.5 - first, abs=1e-3)
    gaps = solver.cce_gaps()
    assert gaps is not None
    assert max(gaps) < 1e-4
