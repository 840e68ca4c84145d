"""Spots from JSON: those of the benchmark, short forms, and what is wrong with others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterfold.errors import FileError, ParameterError
from counterfold.poker.cards import HIGH, LOW, parse_hole
from counterfold.poker.game import FOLD, SHOWDOWN, PokerGame
from counterfold.poker.spot import load_spot, spot
from tests.poker.test_betting import actions, check_shape, node

SHORT: dict[str, Any] = {
    "board": "Ks 9h 6s 4d 2c",
    "pot": 200,
    "stack": 600,
    "oop": "QQ+,AK",
    "ip": "random",
    "bets": ["33%", "75%", "allin"],
    "raises": ["60%", "allin"],
}
PREFLOP: dict[str, Any] = {
    "board": "",
    "blinds": [1, 2],
    "stack": 200,
    "oop": "random",
    "ip": "random",
    "bets": {"flop": ["50%"], "turn": [], "river": []},
    "raises": {"preflop": ["3x", "allin"], "flop": [], "turn": [], "river": []},
}


def long_form(streets: tuple[str, ...], bets: list[int], **changes: Any) -> dict[str, Any]:
    """A spot in the words of the benchmark's files."""
    entry = {"bet_pct": bets, "raise_pct": [60], "allin": True}
    return {
        "name": "long",
        "description": "nothing",
        "game": "heads-up no-limit texas hold'em",
        "board": ["Ks", "9s", "4h", "Jd"],
        "starting_street": "turn",
        "pot": 200,
        "effective_stack": 800,
        "rake": {"rate": 0.0, "cap": 0.0},
        "ranges": {"oop": "AQs:0.5,KK", "ip": "AA,KQs"},
        "combos_after_board_removal": {"oop": 1},
        "actions": {player: dict.fromkeys(streets, entry) for player in ("oop", "ip")},
        "donk_bets": "same sizes as ordinary bets",
        "rules": {"bet_pct": "percent of the pot"},
    } | changes


def same(one: PokerGame, other: PokerGame) -> None:
    assert one.name == other.name
    assert one.board == other.board
    assert one.rules.deck == other.rules.deck
    assert one.rules.deal == other.rules.deal
    assert one.betting.label == other.betting.label
    assert (one.betting.parent == other.betting.parent).all()
    assert (one.betting.payoff == other.betting.payoff).all()
    assert all((a == b).all() for a, b in zip(one.ranges, other.ranges, strict=True))
    assert (one.pot, one.big_blind, one.players) == (other.pot, other.big_blind, other.players)
    assert one.streets == other.streets


def test_the_form_of_the_benchmark() -> None:
    game = spot(long_form(("turn", "river"), [50, 100]))
    check_shape(game.betting)
    assert game.name == "long"
    assert game.streets == ("turn", "river")
    assert game.rules.deal == (0, 1)
    assert game.pot == 200
    assert len(game.betting) == 316
    assert actions(game.betting, "bet 100") == ["fold", "call", "raise 340", "all-in 800"]
    # AQs: three suits that the board leaves (all), at one half; KK: three of six
    assert game.ranges[0].sum() == 4 * 0.5 + 3
    assert game.ranges[0][parse_hole("AhQh")] == 0.5
    # KQs loses the king of spades
    assert game.ranges[1].sum() == 6 + 3


def test_hands_that_meet_the_board_weigh_nothing() -> None:
    game = spot(SHORT)
    for weights in game.ranges:
        held = weights > 0
        assert not np.isin(LOW[held], game.board).any()
        assert not np.isin(HIGH[held], game.board).any()
    assert game.ranges[1].sum() == 1081
    assert game.streets == ("river",)


def test_short_forms_are_the_same() -> None:
    game = spot(SHORT)
    assert actions(game.betting, "") == ["check", "bet 66", "bet 150", "all-in 600"]
    sizes = SHORT["bets"]
    for bets in (
        "33%,75%,allin",
        {"river": sizes},
        {"flop": ["1%"], "river": sizes},
        {"oop": sizes, "ip": sizes},
        {"oop": {"river": sizes}, "ip": sizes},
        {"river": {"oop": sizes, "ip": sizes}},
    ):
        same(spot(SHORT | {"bets": bets}), game)
    entry = {"bets": "33%,75%", "raises": "60%", "allin": True}
    plain = {key: value for key, value in SHORT.items() if key not in ("bets", "raises")}
    same(spot(plain | {"actions": entry}), game)
    same(spot(plain | {"actions": {"river": entry}}), game)
    ranges = {"ranges": {"oop": SHORT["oop"], "ip": SHORT["ip"]}}
    rest = {key: value for key, value in SHORT.items() if key not in ("oop", "ip", "stack")}
    same(spot(rest | ranges | {"effective_stack": 600}), game)


def test_sizes_by_player() -> None:
    game = spot(SHORT | {"bets": {"oop": [], "ip": ["50%"]}, "raises": {"oop": ["3x"], "ip": []}})
    assert actions(game.betting, "") == ["check"]
    assert actions(game.betting, "check") == ["check", "bet 100"]
    assert actions(game.betting, "check,bet 100") == ["fold", "call", "raise 300"]


def test_options() -> None:
    flop = SHORT | {"board": "Ks9h6s", "bets": ["50%"], "raises": ["100%"]}
    tree = spot(flop | {"donks": ["25%"], "raise_cap": {"flop": 1}}).betting
    assert actions(tree, "bet 100") == ["fold", "call"]
    assert actions(tree, "check,bet 100,call") == ["check", "bet 100"]  # 25% of 400
    assert actions(tree, "bet 100,call,bet 200") == ["fold", "call", "all-in 500"]
    tree = spot(flop | {"donk_bets": "same sizes", "aggressor": "ip"}).betting
    assert actions(tree, "") == ["check", "bet 100"]
    tree = spot(flop | {"donks": {"oop": ["10%"], "ip": []}, "aggressor": "ip"}).betting
    assert actions(tree, "") == ["check", "bet 20"]
    tree = spot(flop | {"rake": {"rate": 0.05, "cap": 15}}).betting
    assert tree.payoff[node(tree, "bet 100,fold"), :, 0].tolist() == [90, -100]
    assert tree.payoff[node(tree, "bet 100,call," + "check," * 4), 0, 0] == 185
    tree = spot(flop | {"stack": 250, "force_allin_share": 0.4}).betting
    assert actions(tree, "") == ["check", "all-in 250"]
    tree = spot(flop | {"stack": [250, 400], "force_allin_spr": 0.4}).betting
    assert actions(tree, "") == ["check", "all-in 250"]
    tree = spot(flop | {"bets": ["50%", "55%"], "merge_sizes": 0.1}).betting
    assert actions(tree, "") == ["check", "bet 110"]
    game = spot(flop | {"last_street": "turn", "symmetry": False, "big_blind": 2})
    assert game.streets == ("flop", "turn")
    assert (game.about["symmetry"], game.big_blind) == (False, 2)
    assert spot(flop).rules.deal == (0, 1, 1)


def test_names_of_players() -> None:
    named = {key: value for key, value in SHORT.items() if key not in ("oop", "ip")}
    named |= {"players": ["BB", "BTN"], "BB": "AA", "ip": "KK,QQ", "bets": {"BB": [], "BTN": "50%"}}
    game = spot(named)
    assert game.players == ("BB", "BTN")
    assert game.ranges[0].sum() == 6
    assert actions(game.betting, "check") == ["check", "bet 100"]


def test_a_small_deck() -> None:
    game = spot(SHORT | {"board": "Ks Qh Jd", "deck": "TJQKA", "ip": "AT,22"})
    assert len(game.rules.deck) == 20
    assert game.ranges[1].sum() == 16
    assert game.ranges[0].sum() == 6 + 3 + 3 + 12


def test_before_the_flop() -> None:
    game = spot(PREFLOP)
    tree = game.betting
    assert game.streets == ("preflop", "flop", "turn", "river")
    assert game.rules.deal == (0, 3, 1, 1)
    assert (game.pot, game.big_blind) == (3, 2)
    assert tree.player[0] == 1
    assert actions(tree, "") == ["fold", "call", "raise 6", "all-in 200"]
    assert actions(tree, "call") == ["check", "raise 6", "all-in 200"]
    assert tree.player[node(tree, "call,check")] == 0
    assert actions(tree, "call,check") == ["check", "bet 2"]
    assert tree.paid[node(tree, "all-in 200,call")].tolist() == [200, 200]
    capped = spot(PREFLOP | {"raise_cap": {"preflop": 2}}).betting
    assert actions(capped, "raise 6") == ["fold", "call"]  # the blind was the first bet
    ante = spot(PREFLOP | {"ante": [2, 0], "rake": {"rate": 0.1, "no_flop_no_drop": True}})
    tree = ante.betting
    assert tree.payoff[node(tree, "fold"), :, 0].tolist() == [1, -1]
    assert ante.pot == 5
    assert actions(tree, "call")[-1] == "all-in 198"


def test_limit() -> None:
    game = spot(
        {"board": "Ks9h6s4d", "pot": 3.5, "limit": [1, 2], "raise_cap": 3, "oop": "QQ", "ip": "AA"}
    )
    assert actions(game.betting, "bet,raise,raise") == ["fold", "call"]
    assert game.betting.paid[node(game.betting, "bet,call,bet")].tolist() == [4.75, 2.75]


@pytest.mark.parametrize(
    "given",
    [
        SHORT,
        long_form(("turn", "river"), [50]),
        PREFLOP | {"ante": 1, "raise_cap": [4, None, None, 2], "rake": {"rate": 0.05}},
        SHORT
        | {"board": "Ks9h6s", "donks": "20%,2e", "aggressor": "ip", "players": ["A", "B"]}
        | {"deck": "56789TJQKA", "last_street": "turn", "stack": [600, 500], "big_blind": 4}
        | {"force_allin_spr": 0.2, "force_allin_share": 0.7, "merge_sizes": 0.1, "symmetry": False},
        {"board": "Ks9h6s4d", "pot": 3.5, "limit": 1, "raise_cap": 3, "oop": "QQ", "ip": "AA:0.3"},
    ],
)
def test_the_normalised_form_makes_the_game_again(given: dict[str, Any]) -> None:
    game = spot(given)
    again = spot(json.loads(json.dumps(game.about["spot"])))
    same(again, game)
    assert again.about == game.about


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "my_river.json"
    path.write_text(json.dumps(SHORT))
    assert load_spot(path).name == "my_river"
    path.write_text(json.dumps(SHORT | {"name": "other"}))
    assert load_spot(str(path)).name == "other"
    same(load_spot(path), spot(SHORT | {"name": "other"}))


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ('{"board": "Ks9h6s",\n "pot": 200,\n "stack" 600}', FileError, "line 3, column 10"),
        ("", FileError, "line 1, column 1"),
        ("[1, 2]", ParameterError, "must be a JSON object"),
        ('{"pot": 1, "pot": 2}', FileError, '"pot" is given twice'),
        ("[" * 100_000, FileError, "nested too deeply"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, error: type[Exception], message: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(error, match=message) as told:
        load_spot(path)
    assert str(path) in str(told.value)
    assert "\n" not in str(told.value)


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is a folder, and must be a spot"):
        load_spot(tmp_path)
    with pytest.raises(FileError, match="no such file"):
        load_spot(tmp_path / "none.json")
    (tmp_path / "noise.json").write_bytes(bytes(range(128, 256)))
    with pytest.raises(FileError, match="not a text file"):
        load_spot(tmp_path / "noise.json")


def test_blinds_without_a_board_begin_before_the_flop() -> None:
    given = {key: value for key, value in PREFLOP.items() if key != "board"}
    same(spot(given), spot(PREFLOP))
    with pytest.raises(ParameterError, match="leave the pot out, or give the board"):
        spot(given | {"pot": 200})


def test_a_saved_spot_may_have_chips_without_their_unit() -> None:
    given = SHORT | {"bets": ["66", "75%"]}
    same(spot(given, saved=True), spot(SHORT | {"bets": ["66c", "75%"]}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"board": "Ks 9h"}, '"board": the board .* has 2 cards'),
        ({"board": "Ks 9h 6s 4d 2c 3c"}, '"board": the board .* has 6 cards'),
        ({"board": "Ks 9h Ks"}, '"board": Ks comes twice'),
        ({"board": "Ks 9x 6s"}, "'9x' at character 4"),
        ({"board": ["Ks", 9]}, '"board": a board is cards'),
        ({"board": None}, 'has no "board"'),
        ({"starting_street": "turn"}, "so the spot starts on the river"),
        ({"starting_street": "rivr"}, 'did you mean "river"'),
        ({"last_street": "flop"}, "cannot end on the flop"),
        ({"oop": ""}, '"oop": the range is empty'),
        ({"oop": "AA,KX"}, "\"oop\": 'KX' at character 4 of the range"),
        ({"oop": "AA:0"}, '"oop": every hand of the range weighs nothing'),
        ({"oop": "KsKh,9h9c"}, '"oop": the board Ks 9h 6s 4d 2c leaves no hand'),
        ({"oop": 5}, '"oop": a range is a text'),
        ({"oop": "AhAd", "ip": "AhKd,AdKc,AhAd"}, "cannot both hold hands"),
        ({"ranges": {"oop": "AA"}}, "range of oop twice"),
        ({"ranges": {"opp": "AA"}}, '"ranges": "opp" is unknown; did you mean "oop"'),
        ({"pot": -5}, '"pot": this must be a number above 0, not -5'),
        ({"pot": 0}, '"pot"'),
        ({"pot": "200"}, '"pot"'),
        ({"pot": 10.5}, "chips are whole"),
        ({"pot": float("nan")}, '"pot"'),
        ({"pot": 10**400}, '"pot"'),
        ({"pot": None}, 'has no "pot"'),
        ({"stack": -1}, '"stack"'),
        ({"stack": None}, 'has no "stack"'),
        ({"stack": [1, 2, 3]}, "one number or two"),
        ({"effective_stack": 600}, '"stack" is given twice'),
        ({"name": "a\x1b[2J"}, r'"name": .* is no name'),
        ({"name": "two\nlines"}, r'"name": .* is no name'),
        ({"players": ["a\x1b[2J", "b"]}, '"players": give two short names'),
        ({"bets": ["50 percent"]}, "\"bets\": '50 percent' is not a size"),
        ({"bets": ["40"]}, "\"bets\": '40' has no unit: write 40% of the pot, or 40c for 40 chips"),
        ({"bets": [0.5]}, '"bets": 0.5 has no unit: write 50% of the pot, or 0.5c for 0.5 chips'),
        ({"raises": [50, 75]}, '"raises": 50 has no unit: write 50% of the pot, or 50c'),
        ({"bets": ["3x"]}, '"bets": 3x multiplies'),
        ({"bets": {"rivr": []}}, '"bets": "rivr" is unknown; did you mean "river"'),
        ({"bets": {"turn": ["50%"]}}, '"bets": this says nothing about the river'),
        ({"bets": {"oop": []}}, '"bets": this says nothing about "ip"'),
        ({"bets": None}, 'has no "bets"'),
        ({"raises": None}, 'has no "raises"'),
        ({"actions": {}}, '"bets": the sizes are in "actions" already'),
        ({"raize": 1}, '"raize" is no key of a spot; did you mean'),
        ({"stak": 1}, 'did you mean "stack"'),
        ({"rake": {"rat": 0.05}}, '"rake": "rat" is unknown; did you mean "rate"'),
        ({"rake": {"rate": 2}}, '"rake": the rate of a rake'),
        ({"rake": 0.05}, '"rake": this must be an object'),
        ({"raise_cap": -1}, '"raise_cap"'),
        ({"raise_cap": [1, 2]}, "there are 1 streets"),
        ({"merge_sizes": -1}, '"merge_sizes"'),
        ({"force_allin_share": 0}, '"force_allin_share"'),
        ({"symmetry": "yes"}, '"symmetry": this must be true or false'),
        ({"players": ["A"]}, '"players": give two'),
        ({"players": ["A", "A"]}, '"players": give two different'),
        ({"players": ["ip", "oop"]}, "means something else"),
        ({"aggressor": "nobody"}, '"aggressor": "nobody" is nobody'),
        ({"deck": "AK"}, '"deck": 9h is on the board but not in the deck'),
        ({"deck": "Ks9h6s4d2cAsAdAh"}, '"deck": 8 cards are too few'),
        ({"deck": "AX"}, '"deck": '),
        ({"ante": 1}, '"ante"'),
        ({"big_blind": 0}, '"big_blind"'),
        ({"limit": 2}, '"bets": a game with "limit" has no other sizes'),
        ({"board": ""}, 'has no "blinds"'),
        ({"board": "", "blinds": [2, 1]}, "small blind first"),
        ({"board": "", "blinds": [1, 2]}, '"pot": blinds and antes make 3'),
        ({"board": "", "blinds": [1, 2], "pot": None, "stack": 1}, "less than the blinds"),
    ],
)
def test_bad_spots(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message) as told:
        spot(SHORT | changes, where="x.json")
    assert str(told.value).startswith("x.json")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"bet_pc": [50]}, '"actions": "bet_pc" is unknown; did you mean "bet_pct"'),
        ({"bet_pct": ["x"]}, '"actions: bet_pct": this must be a number'),
        ({"bet_pct": [50], "rais_pct": [50]}, 'did you mean "raise_pct"'),
        ({"allin": 1}, '"actions: allin": this must be true or false'),
        ([50], '"actions": this must be an object'),
    ],
)
def test_bad_actions(entry: Any, message: str) -> None:
    given = long_form(("turn", "river"), [50])
    given["actions"]["ip"]["river"] = entry
    with pytest.raises(ParameterError, match=message):
        spot(given)


def test_remarks_are_fine() -> None:
    same(spot(SHORT | {"description": "x", "rules": {}, "my remark": [1]}), spot(SHORT))


def test_ends_are_zero_sum_without_rake() -> None:
    tree = spot(long_form(("turn", "river"), [50, 100])).betting
    ends = np.isin(tree.kind, (FOLD, SHOWDOWN))
    assert (tree.payoff[ends, 0] == -tree.payoff[ends, 1, ::-1]).all()
