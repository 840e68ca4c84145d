"""Tables from JSON: the table that a file means, and files that mean none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterfold.errors import ParameterError
from counterfold.games.catalog import load
from counterfold.poker.table import Holdem
from counterfold.poker.table_source import table
from counterfold.tree.named import game_named

FULL: dict[str, Any] = {
    "name": "a cash game",
    "players": 4,
    "stack": {"UTG": 300, "others": 200},
    "blinds": [1, 2],
    "ante": 0.5,
    "big_blind_ante": 2,
    "straddle": 4,
    "chip": 0.5,
    "bets": {"flop": ["33%"], "turn": ["75%", "allin"], "river": "1e"},
    "raises": {
        "BTN": {"preflop": [["3x"], ["10bb", "allin"]], "flop": [], "turn": [], "river": ["50%"]},
        "others": ["100%"],
    },
    "rake": {"rate": 0.05, "cap": 3, "no_flop_no_drop": True},
}


def test_all_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text(json.dumps(FULL))
    found = game_named(str(path))
    assert found == Holdem(
        players=4,
        stack=(200.0, 200.0, 200.0, 300.0),
        blinds=(1.0, 2.0),
        ante=0.5,
        big_blind_ante=2.0,
        straddle=4.0,
        bets="33%|33%|75%,allin|1e",
        raises="BTN:3x/20c,allin|||50%;SB:100%;BB:100%;UTG:100%",
        chip=0.5,
        rake=0.05,
        rake_cap=3.0,
        no_flop_no_drop=True,
    )
    assert load(str(found)) == found  # a strategy's file says which table it is of
    assert isinstance(found, Holdem)
    assert found.betting.rake.free == 1
    assert [str(size) for size in found.betting.sizes[0][0].again[0]] == ["20c", "allin"]
    assert found.betting.sizes[0][1].raises == ()
    assert [str(size) for size in found.betting.sizes[1][3].raises] == ["100%"]


def test_little_is_needed() -> None:
    assert table({"players": 2}) == Holdem()
    assert table({"players": 3, "limit": [1, 2]}) == Holdem(3, limit=(1.0, 2.0), cap=4)
    jam = {"players": 9, "stack": 10, "raises": "allin", "limps": False, "last_street": "preflop"}
    found = table({**jam, "payouts": [50, 30, 20], "note": "the bubble"})
    assert found.prizes == (50.0, 30.0, 20.0)
    assert found.actions(found.deal(*HOLES)) == ("fold", "all-in 10")


HOLES = ("AsAh", "KsKh", "QsQh", "JsJh", "TsTh", "9s9h", "8s8h", "7s7h", "6s6h")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"players": 1}, "from 2 to 9, not 1"),
        ({"players": "four"}, "not 'four'"),
        ({"players": True}, "not True"),
        ({"stack": 0}, '"stack": this must be a number above 0'),
        ({"stack": [100, 100]}, "4 players, and 2 stacks"),
        ({"stack": {"BTN": 100}}, "nothing about SB"),
        ({"stack": {"CO": 100}}, '"CO" is unknown'),
        ({"stack": 3}, "must pay"),
        ({"blinds": [0, 2]}, '"blinds": this must be a number above 0'),
        ({"blinds": {"BB": 2}}, "above 0, not None"),
        ({"blinds": [2, 1]}, "a small and a big one"),
        ({"blinds": [1]}, "two amounts"),
        ({"ante": -1}, "from 0 up"),
        ({"straddle": 3}, "two big blinds"),
        ({"payouts": []}, "what each place is paid"),
        ({"payouts": [-5]}, "above 0, not -5"),
        ({"payouts": [5, 4, 3, 2, 1]}, "5 payouts for 4"),
        ({"bets": {"flop": ["50%"]}}, "nothing about the turn"),
        ({"bets": ["50"]}, "has no unit"),
        ({"bets": ["1c"]}, "nobody can ever put in 1"),
        ({"raises": ["500bb"]}, "nobody can ever put in 1000"),
        ({"raises": [["3x"], "allin"]}, "one list of sizes"),
        ({"bets": [["33%"], ["50%"]]}, "one list of sizes"),
        ({"raises": {"HJ": ["3x"]}}, '"HJ" is unknown'),
        ({"raises": {"SB": ["3x"]}}, "nothing about BTN"),
        ({"limit": [2, 4]}, "no other sizes"),
        ({"rake": 0.05}, "must be an object"),
        ({"rake": {"rate": 2}}, "rate of a rake"),
        ({"last_street": "sixth"}, "is none of preflop"),
        ({"limps": "no"}, "true or false"),
        ({"stacksize": 5}, 'did you mean "stacks"'),
        ({"oop": "AA"}, "no key of a table"),
        ({"stacks": 5}, "given twice"),
    ],
)
def test_files_that_mean_no_table(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says) as error:
        table({**FULL, **change}, where="table.json")
    assert str(error.value).startswith("table.json")
    assert "\n" not in str(error.value)
