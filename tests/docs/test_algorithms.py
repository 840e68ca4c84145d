"""``docs/algorithms.md`` names a proving test for each algorithm; each of them must exist."""

import re
from pathlib import Path

HERE = Path(__file__).parents[2]


def test_every_proving_test_exists():
    text = (HERE / "docs" / "algorithms.md").read_text()
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text)
    assert len(named) >= 10
    for file, function in named:
        source = (HERE / file).read_text()
        if function:
            assert f"def {function}(" in source, f"{file} has no {function}"


def test_every_method_is_described():
    from counterfold.solvers.methods import METHODS

    text = (HERE / "docs" / "algorithms.md").read_text()
    for name in METHODS:
        assert f"`{name}`" in text, name
