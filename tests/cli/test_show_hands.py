"""``counterfold show`` for poker: grids, hands, files, walks, and what it refuses."""

import csv
import json
import subprocess

import pytest
from typer.testing import CliRunner

from counterfold.cli.main import app

RIVER = {
    "board": "Ks 9h 6s 4d 2c", "pot": 200, "stack": 300, "oop": "AA,KQs,QQ,76s",
    "ip": "KJs,TT-88,A5s:0.5", "bets": ["50%", "allin"], "raises": ["allin"],
}  # fmt: skip
TURN = {
    "name": "turn", "board": "Ks 9h 6s 4d", "deck": "24569TJQKA", "pot": 20, "stack": 40,
    "oop": "AA,KQs,QQ", "ip": "KJs,TT", "bets": ["50%"], "raises": [],
}  # fmt: skip


@pytest.fixture(scope="module")
def solutions(tmp_path_factory):
    """Solved spots, once for all tests."""
    folder = tmp_path_factory.mktemp("solved")
    for name, spot in (("river", RIVER), ("turn", TURN)):
        (folder / f"{name}.json").write_text(json.dumps(spot))
        for bits in (32, 16):
            saved = str(folder / f"{name}{bits}.cf")
            told = ["solve", str(folder / f"{name}.json"), "--save", saved, "--bits", str(bits)]
            assert CliRunner().invoke(app, [*told, "--iterations", "40", "-q"]).exit_code == 0
    return folder


@pytest.fixture
def river(solutions):
    return solutions / "river32.cf"


@pytest.fixture
def turn(solutions):
    return solutions / "turn32.cf"


def test_what_each_action_is_worth(call, river, tmp_path):
    document = call("show", river, "check", "--json").document
    hand = document["hands"][0]
    assert set(hand["evs"]) == set(document["actions"])
    mean = sum(p * hand["evs"][action] for action, p in hand["actions"].items())
    assert mean == pytest.approx(hand["ev"], abs=1e-3)
    assert "EV of bet 100 in chips; suited" in call("show", river, "--mode", "ev:bet").out
    lines = call("show", river, "check", "--hand", "KJs").out.splitlines()
    assert lines[2].endswith("ip to act")
    head = next(line for line in lines if "EV check" in line).split("  ")
    assert [text.strip() for text in head if text][-3:] == [
        "EV check",
        "EV bet 100",
        "EV all-in 300",
    ]
    call("show", river, "--mode", "ev:jump").refused("ev:check")
    call("show", river, "--mode", "ev:bet", "--png", "ev.png", "--html", "ev.html")
    assert (tmp_path / "ev.png").stat().st_size > 10_000
    assert '"evs":' in (tmp_path / "ev.html").read_text()


def test_every_card_that_can_come(call, turn, tmp_path):
    told = call("show", turn, "check, check", "--cards", "--json").document
    assert told["line"] == ["check", "check"]
    cards = {one["card"]: one for one in told["cards"]}
    assert len(cards) == 36
    assert {"Ks", "9h", "6s", "4d"}.isdisjoint(cards)
    for card in ("Ah", "2c"):
        after = call("show", turn, f"check, check, [{card}]", "--json").document
        for key in ("player", "ev", "equity", "frequencies", "combos"):
            assert cards[card][key] == after[key]
    lines = call("show", turn, "check, check", "--cards").out.splitlines()
    assert lines[2].startswith("oop after each card, by EV in chips; pot 20")
    assert sum(len(line.split()[0]) == 2 for line in lines[4:]) <= 36
    call("show", turn, "check, check", "--cards", "--html", "cards.html")
    assert (tmp_path / "cards.html").read_text().count('"label":"check check [') == 36
    call("show", turn, "check", "--cards").refused("no card comes after 'check'", "such as")
    call("show", turn, "check, check", "--cards", "--png", "x.png").refused("--cards")


def test_hands_by_what_they_are(call, turn):
    answer = call("show", turn, "--hand", "overpair, flush draw & KQ")
    names = [
        line.split()[0] for line in answer.out.splitlines() if line[1:2].isalpha() and "%" in line
    ]
    assert {"AhAd", "AsAc"} <= set(names)
    assert not {"QhQd", "KhQh"} & set(names)
    assert "Range  6.0 combos" in answer.out
    part = call("show", turn, "--hand", "underpair", "--json").document
    assert part["part"]["hand"] == "underpair"
    assert part["part"]["combos"] == pytest.approx(6)
    assert {hand["hand"][0] for hand in part["hands"]} == {"Q"}
    call("show", turn, "--hand", "flsh draw").refused("did you mean 'flush draw'")
    call("show", turn, "--hand", "straight flush").refused("lets no hand get here")


def test_equity_curves(call, turn, tmp_path):
    told = call("show", turn, "--mode", "curve", "--json").document
    assert set(told) == {"oop", "ip"}
    for curve in told.values():
        assert len(curve) == 21
        assert curve == sorted(curve)
    assert told["oop"] == call("show", turn, "--json").document["equity_curve"]
    assert "▁" in (out := call("show", turn, "--mode", "curve").out) or "▇" in out
    call("show", turn, "--mode", "curve", "--png", "curve.png")
    assert (tmp_path / "curve.png").stat().st_size > 10_000


def test_a_grid(call, river):
    answer = call("show", river)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0].startswith("river, dcfr(1.5,0,4), 40 iterations, exploitability ")
    assert "Board  Ks 9h 6s 4d 2c" in lines
    assert [line[0] for line in lines if line[1:2] == " " < line[:1]][:13] == list("AKQJT98765432")
    assert "Next: check, bet 100 or all-in 300." in lines[-1]
    assert max(map(len, lines[:-1])) <= 80
    assert "oop to act" in answer.out
    assert "ip to act" in call("show", river, "check").out
    assert "oop's hands" in call("show", river, "check", "--player", "oop").out
    assert (
        call("show", river, "check", "--player", 1).out
        == call("show", river, "check", "--player", "OOP").out
    )
    assert "EV in chips" in call("show", river, "--mode", "ev").out
    assert "How often bet 100" in call("show", river, "--mode", "bet").out
    assert "The hand ends here." in call("show", river, "check, check").out


def test_the_numbers_of_json_add_up(call, river):
    one = call("show", river, "--json").document
    two = call("show", river, "--player", "ip", "--json").document
    assert one["ev"] + two["ev"] == pytest.approx(200, abs=1e-3)
    assert one["equity"] + two["equity"] == pytest.approx(1)
    assert one["next"] == ["check", "bet 100", "all-in 300"]
    assert not one["deals"]
    assert one["about"]["iteration"] == 40
    few = call("show", river, "--hand", "AA", "--json").document
    assert {hand["hand"][0] + hand["hand"][2] for hand in few["hands"]} == {"AA"}
    folded = call("show", river, "check, bet 100, fold", "--player", "ip", "--json").document
    assert folded["ev"] == pytest.approx(300)


def test_sixteen_bits_play_the_same(call, solutions):
    for name in ("river", "turn"):
        shown = call("show", solutions / f"{name}16.cf", "--json").document
        told = ("--bits", 16, "--iterations", 40, "--json")
        solved = call("solve", solutions / f"{name}.json", *told).document
        assert shown["frequencies"] == pytest.approx(solved["frequencies"], abs=1e-3)
        assert shown["ev"] == pytest.approx(solved["evs"][0], abs=1e-3 * shown["pot"])


def test_cards_in_a_path(call, turn):
    document = call("show", turn, "check, check", "--json").document
    assert document["deals"]
    answer = call("show", turn, "check, check")
    assert "Next: cards, such as [" in answer.out
    river = call("show", turn, "check, check, [Qd]", "--json").document
    assert river["board"] == ["Ks", "9h", "6s", "4d", "Qd"]
    assert river["line"] == ["check", "check", "[Qd]"]
    assert call("show", turn, "check, check, 9h").refused("9h comes twice")
    assert call("show", turn, "check, check, 3d").refused("3d is not in the deck")
    assert call("show", turn, "check, check, Qd Qc").refused("one card")
    assert call("show", turn, "check, check, boo").refused("river is dealt")


def test_files(call, turn, tmp_path):
    answer = call("show", turn, "--csv", "-")
    rows = list(csv.DictReader(answer.out.splitlines()))
    assert float(rows[0]["check"]) + float(rows[0]["bet 10"]) == pytest.approx(1, abs=1e-5)
    few = list(csv.DictReader(call("show", turn, "--csv", "-", "--hand", "AA").out.splitlines()))
    assert few == [row for row in rows if row["class"] == "AA"]
    assert 0 < len(few) < len(rows)
    document = call("show", turn, "--json", "--hand", few[0]["hand"]).document
    assert [entry["hand"] for entry in document["hands"]] == [few[0]["hand"]]
    assert [entry["hand"] for entry in document["classes"]] == ["AA"]
    assert call("show", turn, "--csv", "hands.csv").out == ""
    assert (tmp_path / "hands.csv").read_text() == answer.out
    assert "picture" in call("show", turn, "--png", "grid.png", "--mode", "equity").err
    assert (tmp_path / "grid.png").read_bytes()[:4] == b"\x89PNG"
    told = call("show", turn, "--html", "page.html", "--deal", "Qd", "--deal", "2c").err
    page = (tmp_path / "page.html").read_text()
    assert "[Qd]" in page
    assert "[2c]" in page
    assert int(told.split()[1]) > 6
    few = call("show", turn, "--html", "page.html", "--limit", 2)
    assert "2 places" in few.err


def walk(turn, *words):
    found = CliRunner().invoke(app, ["show", str(turn), "--browse"], input="\n".join(words) + "\n")
    assert found.exit_code == 0, found
    return found.output


def test_a_walk(turn):
    out = walk(turn, "1", "check", "Qd", "check", "back", "start", "quit", "1")
    places = [line[7:] for line in out.splitlines() if line.startswith("Line ")]
    assert places == [
        "nothing yet", "check", "check, check", "check, check, [Qd]", "check, check, [Qd], check",
        "check, check, [Qd]", "nothing yet",
    ]  # fmt: skip
    assert out.count("> ") == 7
    assert "[1] check" in out
    assert "a card, such as" in out
    assert "the hand ends here" in walk(turn, "bet, fold")


def test_a_walk_shows_what_is_asked(turn):
    out = walk(turn, "ev", "ip", "AA", "hand KQs", "mode bet", "?", "other", "")
    assert "EV in chips" in out
    assert "ip's hands" in out
    assert "AsAh" in out
    assert "KhQh" in out
    assert "deal them" in out
    assert out.rstrip().endswith(">")  # the end of the input leaves


def test_a_walk_forgives(turn):
    out = walk(turn, "back", "jump", "9", "mode jump", "hand 77x", "1", "1", "zz", "4d", "q")
    assert "this is the beginning." in out
    assert "'jump' is no action at the start; choose one of: check, bet 10." in out
    assert "there is no 'jump' to show here" in out
    assert "4d comes twice" in out
    assert "Traceback" not in out


def test_a_spot_is_solved_first(call, solutions):
    answer = call("show", solutions / "turn.json", "--hand", "AA")
    assert "solving it first" in answer.err
    assert "AsAh" in answer.out


def test_hands_of_one_card(call):
    call("solve", "kuhn", "--form", "public", "--iterations", 2000, "--save", "k.cf", "-q")
    answer = call("show", "k.cf")
    assert answer.out.count("100.0%") + answer.out.count(">99.9%") >= 4
    rows = call("show", "k.cf", "Ks", "--player", 2, "--json").document["infosets"]
    assert [row["infoset"] for row in rows] == ["Ks check", "Ks bet"]
    assert rows[1]["actions"]["call"] == pytest.approx(1, abs=1e-3)
    assert call("show", "k.cf", "--csv", "-").out.startswith("player,infoset,action,probability")
    assert call("show", "k.cf", "--hand", "AA").refused("hold'em")
    assert call("show", "k.cf", "Zz").refused("'Zz'")


def test_what_is_refused(call, river, tmp_path):
    assert call("show", river, "bet 90").refused("bet 100")
    assert call("show", river, "check, check, check").refused("the hand is over")
    assert call("show", river, "--player", "button").refused("oop or ip")
    assert call("show", river, "--hand", "AKx").refused("AKx")
    assert call("show", river, "--mode", "luck").refused("luck", "equity")
    assert call("show", river, "--sort", "name").refused("--sort")
    assert call("show", river, "--png", "grid.doc").refused("grid.doc")
    assert call("show", river, "--html", "no/page.html").refused("no folder")
    assert call("show", river, "--csv", "-", "--json").refused("--csv")
    assert call("show", river, "--browse", "--json").refused("--browse")
    assert call("show", river, "--deal", "Qd").refused("--html")
    assert call("show", "none.json").refused("none.json")
    assert call("show", "kuhn", "--mode", "ev").refused("--mode", "poker")
    broken = tmp_path / "broken.cf"
    broken.write_bytes(river.read_bytes()[:3000])
    assert call("show", broken).refused("broken.cf")


def test_a_walk_in_a_pipe(start, turn):
    process = start("show", turn, "--browse", stdin=subprocess.PIPE)
    out, err = process.communicate("1\nq\n", timeout=120)
    assert process.returncode == 0
    assert "> 1" in out
    assert "ip to act" in out
    assert err == ""
