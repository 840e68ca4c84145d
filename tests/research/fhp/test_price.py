"""What buckets cost in Flop Hold'em, as a command: its rows, without the long measurements."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from counterfold.abstraction import bucket_maker
from counterfold.abstraction.buckets import standard_words
from counterfold.abstraction.features import Strength
from counterfold.abstraction.worth import Worth
from counterfold.research.fhp import price

ROW = {
    "kind", "buckets", "infoset_actions", "exploitability", "building_cpu_seconds",
    "sampling_cpu_seconds",
}  # fmt: skip


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which strategies were measured, and how often the worth of actions was asked for."""
    calls: list[str] = []

    def worth(*_: object) -> Worth:
        calls.append("worth")
        return Worth(3, Strength()(standard_words(3)[0]))

    def measure(strategy: object) -> SimpleNamespace:
        calls.append("measured")
        return SimpleNamespace(mbb=100.0 + len(calls))

    monkeypatch.setattr(bucket_maker, "SAMPLE", 5_000)
    monkeypatch.setattr(Worth, "of", worth)
    monkeypatch.setattr(price, "PublicTree", lambda game: None)
    monkeypatch.setattr(price, "by_hand", lambda strategy, tree: strategy)
    monkeypatch.setattr(price, "assess", measure)
    return calls


def test_every_kind_and_number_has_a_row(call, asked: list[str]) -> None:
    words = ("--experiment", "buckets", "--buckets", "3,5", "--iterations", 50)
    document = call("repro", "fhp", *words, "--json", "-q").document
    rows = document["rows"]
    assert [(row["kind"], row["buckets"]) for row in rows] == [
        ("equity", 3), ("equity", 5), ("worth", 3), ("worth", 5),
    ]  # fmt: skip
    assert all(set(row) == ROW for row in rows)
    assert [row["exploitability"] for row in rows] == [101, 102, 104, 105]
    assert asked == ["measured", "measured", "worth", "measured", "measured"]
    assert rows[1]["infoset_actions"] > rows[0]["infoset_actions"]


def test_other_words_are_refused(call, asked: list[str]) -> None:
    words = ("repro", "fhp", "--experiment", "buckets")
    assert call(*words, "--buckets", "many").refused("numbers with commas")
    assert call(*words, "--buckets", "0").refused("buckets must be")
    assert call(*words, "--iterations", "0").refused("iterations")
    assert call("repro", "fhp", "--buckets", "5").refused("--buckets")
