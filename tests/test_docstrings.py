"""Every example in a docstring runs."""

import doctest
import importlib
import pkgutil

import pytest

import counterfold

MODULES = sorted(
    found.name
    for found in pkgutil.walk_packages(counterfold.__path__, "counterfold.")
    if not found.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_the_module_run(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_the_package_itself():
    assert doctest.testmod(counterfold).attempted > 0
    assert doctest.testmod(counterfold).failed == 0
