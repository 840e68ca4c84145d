"""``docs/reference/engines.md`` shows what each engine can; it must be what the engines say."""

from pathlib import Path

import pytest

import counterfold as cf
from counterfold.abstraction import horizon_engine
from counterfold.abstraction.bucket_engine import BucketEngine
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.buckets import every_hand
from counterfold.abstraction.deal_engine import DealEngine
from counterfold.abstraction.deal_form import DealForm
from counterfold.abstraction.drawn_engine import DrawnEngine
from counterfold.abstraction.horizon_engine import HorizonEngine
from counterfold.abstraction.horizon_form import HorizonForm, original
from counterfold.errors import UnsupportedError
from counterfold.poker.holdem import kuhn
from counterfold.solvers.engine import FEATURES, can_table
from counterfold.solvers.history_engine import HistoryEngine
from counterfold.solvers.locked_engine import LockedEngine
from counterfold.solvers.public_engine import PublicEngine
from counterfold.solvers.sequence_engine import SequenceEngine

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "engines.md"


def can_markdown() -> str:
    """The table of the page."""
    table = can_table()
    head = ["", *(name for name, _ in table)]
    rows = [head, ["---"] * len(head)]
    for feature, words in FEATURES.items():
        marks = ["yes" if can[feature] else "" for _, can in table]
        rows.append([f"`{feature}`: {words}", *marks])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def test_the_page_is_what_the_engines_say() -> None:
    told = PAGE.read_text().partition("<!-- can -->\n")[2].partition("\n<!-- /can -->")[0]
    assert told == can_markdown()
    kinds = (
        BucketEngine, DealEngine, DrawnEngine, HistoryEngine, LockedEngine, HorizonEngine,
        PublicEngine, SequenceEngine,
    )  # fmt: skip
    assert [name for name, _ in can_table()] == [kind.name for kind in kinds]
    for kind in kinds:
        assert kind.can <= set(FEATURES)


def test_every_blank_has_its_reason() -> None:
    told = PAGE.read_text().partition("| | blank for | because |\n|---|---|---|\n")[2]
    reasons = set()
    for line in told.partition("\n\n")[0].splitlines():
        features, names, why = (cell.strip() for cell in line.strip("|").split(" | ", 2))
        assert len(why) > 10
        each = [
            (name, feature.strip("`"))
            for feature in features.split(", ")
            for name in names.split(", ")
        ]
        assert not reasons & set(each)
        reasons |= set(each)
    assert reasons == {
        (name, feature) for name, can in can_table() for feature in FEATURES if not can[feature]
    }


ASKED = {
    **{traversal: {"traversal": traversal} for traversal in ("chance", "external", "outcome")},
    "public": {"traversal": "public"},
    "full": {"traversal": "full"},
    "rounds": {"per_round": 3},
    "pruning": {"prune": 100.0},
    "prediction": {"method": "pcfr+"},
    "simultaneous": {"alternating": False},
    "last iterate": {"average": False},
    "float64": {"dtype": "float64"},
    "float32": {"dtype": "float32"},
    "16 bits": {"bits": 16, "dtype": "float32"},
    "style": {"style": cf.Style({"bet": 2.0}, player=0)},
    "locks": {"locks": cf.Locks([cf.Lock(None, {"call": 1, "check": 1}, player=1)])},
}


@pytest.mark.parametrize("feature", ASKED)
@pytest.mark.parametrize(
    "kind", ["sequence form", "history", "public tree", "buckets", "deals", "horizon"]
)
def test_what_the_table_says_is_so(
    kind: str, feature: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an engine can do it does, and all else it refuses in one typed error."""
    monkeypatch.setattr(horizon_engine, "ROUND", 5)  # games, of usually 1,000
    games = {
        "sequence form": (cf.Kuhn(), {}),
        "history": (cf.Kuhn(), {"form": "history"}),
        "public tree": (kuhn(), {}),
        "buckets": (BucketForm(kuhn(), every_hand(kuhn())), {"traversal": "external"}),
        "deals": (DealForm(cf.Cheat(health=1)), {"traversal": "chance"}),
        "horizon": (HorizonForm(original(2)), {"traversal": "external"}),
    }
    if kind == "sequence form" and feature in ("chance", "external", "outcome", "public"):
        pytest.skip("the history engine takes over")
    if kind in ("sequence form", "history") and feature == "locks":
        pytest.skip("the engine with locks takes over")
    game, usual = games[kind]
    asked = {**usual, **ASKED[feature]}
    if dict(can_table())[kind][feature]:
        solver = cf.Solver(game, **asked)
        assert solver.engine.name == kind
        solver.step(4)
        assert solver.iteration == 4
        return
    with pytest.raises(UnsupportedError, match="has no "):
        cf.Solver(game, **asked)
