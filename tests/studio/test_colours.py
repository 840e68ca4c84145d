"""Colours of actions and of better and worse are far apart for the colour-blind, too."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from counterfold.poker.grid_colours import ALL_IN, DARKEST, FOLD, GOODNESS, LIGHTEST, PASSIVE

# How others see linear RGB: Machado, Oliveira and Fernandes (2009), table 1, severity 1.
SIGHTS = {
    "normal": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
         [0.004733, 0.691367, 0.303900]]
    ),
}  # fmt: skip
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
FAR = 25  # of CIE 1976; 2 is just seen, and 10 is seen at a glance


def lab(colour: str, sight: np.ndarray) -> np.ndarray:
    """A colour as somebody sees it, in the space of CIE 1976."""
    shares = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    seen = XYZ @ np.clip(sight @ linear, 0, 1) / np.array([0.95047, 1, 1.08883])
    x, y, z = np.where(seen > 0.008856, np.cbrt(seen), 7.787 * seen + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("colours", [(FOLD, PASSIVE, LIGHTEST, DARKEST, ALL_IN), GOODNESS])
def test_colours_are_told_apart(sight: str, colours: tuple[str, ...]) -> None:
    for one, other in combinations(colours, 2):
        distance = np.linalg.norm(lab(one, SIGHTS[sight]) - lab(other, SIGHTS[sight]))
        assert distance > FAR, (one, other)
