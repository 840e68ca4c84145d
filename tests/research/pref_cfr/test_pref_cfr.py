"""Pref-CFR's figures and table, in small: alphas within their standard errors."""

import math

import numpy as np
import pytest

from counterfold.research.pref_cfr.kuhn import FIGURE_4, figure
from counterfold.research.pref_cfr.leduc import LEDUC, leduc_table

RUNS = 6
SPREADS = (0.016, 0.019, 0.016, 0.010, 0.008, 0.012)
"""Standard deviations of alpha in the six settings, measured over 30 runs."""


@pytest.fixture(scope="module")
def four():
    return figure(4, runs=RUNS)


def tolerance(spread):
    """Four standard errors of the difference of two means, of RUNS and of 30 runs."""
    return 4 * spread * math.sqrt(1 / RUNS + 1 / 30)


def test_cfr_finds_one_equilibrium_from_anywhere():
    (found,) = figure(3, runs=RUNS).settings
    assert abs(found.alpha - 0.205) < tolerance(0.011)
    assert found.alphas[:, 0].std() > 0.1  # although the runs begin far apart
    assert np.all(np.abs(found.alphas[:, -1] - 0.2) < 0.06)
    assert found.nash_conv == pytest.approx(4.6e-3, rel=0.15)


@pytest.mark.parametrize("place", range(6))
def test_six_settings(four, place):
    found = four.settings[place]
    assert found.setting == FIGURE_4[place]
    assert abs(found.alpha - found.setting.alpha) < tolerance(SPREADS[place])
    assert found.nash_conv == pytest.approx(found.setting.nash_conv, rel=0.3)


def test_stronger_preferences_pull_further(four):
    alphas = [runs.alpha for runs in four.settings]
    assert alphas == sorted(alphas, reverse=True)
    slowest = max(four.settings, key=lambda runs: runs.nash_convs[:, 12:20].mean())
    assert slowest.setting.name == "(1) BR, bet 10"
    assert four.cpu_seconds < 60


def test_leduc_within_the_bound():
    table = leduc_table(runs=1, iterations=3000)
    assert len(table.settings) == 2 * len(LEDUC)
    for traversal in ("full", "external"):
        rows = [row for row in table.settings if row.traversal == traversal]
        plain = rows[0]
        for row in rows:
            if row.setting.action == "bet" and row.beta:
                assert row.opening_bet > plain.opening_bet + 0.05
            if row.setting.action == "check" and row.beta:
                assert row.opening_bet < plain.opening_bet - 0.05
            if row.beta:
                # Unfinished runs of noisy play: what they lack is allowed for.
                assert row.excess <= row.bound + rows[1].exploitability
            else:
                assert row.within is None
        given = [row for row in rows if row.setting.action == "bet" and row.setting.degree == 5]
        bets = [row.opening_bet for row in sorted(given, key=lambda row: row.beta)]
        assert bets == sorted(bets)
