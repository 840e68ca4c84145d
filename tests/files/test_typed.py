"""Dataclasses as objects of JSON, and back."""

import json
import math
from dataclasses import dataclass, replace

import pytest

from counterfold.errors import FileError
from counterfold.files.text import Fields
from counterfold.files.typed import from_json, to_json
from counterfold.solvers.methods import METHODS, method
from counterfold.solvers.until import Report


@dataclass
class Row:
    name: str
    count: int
    share: float
    by: dict[str, dict[str, float]]


def test_a_dataclass_from_fields():
    good = {"name": "a", "count": 1, "share": 1, "by": {"x": {"y": 0.5}}}
    assert from_json(Row, Fields(good, "it")) == Row("a", 1, 1, {"x": {"y": 0.5}})
    for key, value, told in [
        ("name", 1, '"name" cannot be'),
        ("count", 1.5, '"count" cannot be'),
        ("count", True, '"count" cannot be'),
        ("share", "1", '"share" cannot be'),
        ("by", [], '"by" cannot be'),
        ("by", {"x": 1}, '"by" cannot be'),
        ("by", {"x": {"y": None}}, '"by" cannot be'),
        ("more", 1, "'more' is no key here"),
    ]:
        with pytest.raises(FileError, match=told):
            from_json(Row, Fields(good | {key: value}, "it"))
    with pytest.raises(FileError, match='"by" is missing'):
        from_json(Row, Fields({k: v for k, v in good.items() if k != "by"}, "it"))


@pytest.mark.parametrize("name", METHODS)
def test_methods_come_back(name):
    """Their exponents may be infinite, which JSON has no word for."""
    made = method(name)
    text = json.dumps(to_json(made), allow_nan=False)
    assert from_json(type(made), Fields(json.loads(text), "it")) == made
    endless = replace(made, alpha=math.inf, beta=-math.inf)
    assert from_json(type(made), Fields(to_json(endless), "it")) == endless


def test_reports_come_back():
    report = Report(3, 0.5, 0.25, 0.5, 0.1, (1.0, -1.0), (0.1, 0.1))
    assert from_json(Report, Fields(json.loads(json.dumps(to_json(report))), "it")) == report
    spoiled = to_json(report) | {"exploitability": "inf"}
    with pytest.raises(FileError, match="no certificate"):
        from_json(Report, Fields(spoiled, "it"))
