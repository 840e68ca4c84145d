"""The same strategies evaluated by OpenSpiel."""

from __future__ import annotations

from typing import Any

import pytest

import counterfold as cf

pyspiel = pytest.importorskip("pyspiel")
from open_spiel.python.algorithms import exploitability as theirs  # noqa: E402

PAIRS = {
    "kuhn_poker": cf.Kuhn(),
    "kuhn_poker(players=3)": cf.Kuhn(players=3),
    "leduc_poker": cf.Leduc(suited=True),
    "liars_dice(dice_sides=3)": cf.LiarsDice(sides=3),
    "goofspiel(num_cards=3,imp_info=True,points_order=descending)": cf.Goofspiel(cards=3),
    "goofspiel(num_cards=4,imp_info=True,points_order=descending)": cf.Goofspiel(cards=4),
}


def tabular(policy: Any) -> Any:
    """For OpenSpiel's C++ evaluation."""
    return pyspiel.TabularPolicy(
        {
            key: [
                (a, p)
                for a, p in enumerate(policy.policy_for_key(key))
                if policy.legal_actions_mask[row][a]
            ]
            for key, row in policy.state_lookup.items()
        }
    )


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("seed", [None, 1])
def test_values_and_nash_conv(name: str, seed: int | None) -> None:
    game = PAIRS[name]
    strategy = cf.Strategy.uniform(game) if seed is None else cf.Strategy.random(game, seed)
    policy = strategy.to_openspiel(name)
    native = policy.game
    found = cf.assess(strategy)
    fast = tabular(policy)
    returns = pyspiel.expected_returns(native.new_initial_state(), fast, -1, False)
    assert found.values == pytest.approx(returns, abs=1e-9)
    assert sum(found.gains) == pytest.approx(pyspiel.nash_conv(native, fast, False), abs=1e-8)


@pytest.mark.parametrize("name", ["kuhn_poker", "kuhn_poker(players=3)"])
def test_best_responses_by_their_python(name: str) -> None:
    strategy = cf.Strategy.random(PAIRS[name], 4)
    policy = strategy.to_openspiel(name)
    gains = theirs.nash_conv(policy.game, policy, return_only_nash_conv=False).player_improvements
    assert cf.nash_conv(strategy) == pytest.approx(list(gains), abs=1e-9)
