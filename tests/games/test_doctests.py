"""The examples in the docstrings run."""

import doctest
import importlib

import pytest

MODULES = [
    "games.base",
    "games.catalog",
    "games.goofspiel",
    "games.leduc",
    "games.liars_dice",
    "games.normal_form",
    "games.onecard",
    "games.spec",
    "testing",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"counterfold.{name}")
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed
