"""A spot on many flops: every row, the mean, and going on from a folder."""

import json
import signal

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import FileError, MismatchError, ParameterError
from counterfold.poker.cards import parse_cards
from counterfold.solvers.flop_report import Flop, FlopReport, flops_of, mean_row
from counterfold.solvers.result import solve

SPOT = {
    "board": "", "deck": "9TJQKA", "last_street": "flop", "pot": 20, "stack": 30,
    "oop": "AA,KQs,QJ,TT", "ip": "AK,JJ,T9s", "bets": ["50%"], "raises": ["allin"],
}  # fmt: skip
FLOPS = "AsKhTd, JsJhQs, 9c Td Kc"


def report(flops=FLOPS, accuracy="1%", **more):
    return FlopReport(SPOT | more.pop("spot", {}), flops, accuracy=accuracy, threads=1, **more)


def test_flops_in_words():
    assert sum(flop.weight for flop in flops_of(95)) == 22100
    assert len(flops_of("95")) == 95
    assert len(flops_of("all")) == 1755
    assert flops_of("AsKhTd:2.5") == [Flop(parse_cards("AsKhTd"), 2.5)]
    # Alike in suits: two of one suit and one of another, 4 x 3 ways.
    assert flops_of("JsTsQh")[0].weight == 12
    for text in ("0", "1756", "AsKh", "AsKhTd2c", "AsAsTd", "xx", "", "AsKhTd:0", "AsKhTd;TdAsKh"):
        with pytest.raises(ParameterError):
            flops_of(text)


def test_a_row_is_the_solution_of_that_flop():
    found = report()
    rows = list(found.run())
    assert [row.flop for row in rows] == ["As Kh Td", "Js Jh Qs", "9c Td Kc"]
    for row in rows:
        game = cf.spot({**SPOT, "board": row.flop})
        result = solve(game, until=cf.Until(exploitability=0.2), threads=1)
        assert row.exploitability == result.exploitability <= 0.2
        assert row.iterations == result.iterations
        assert list(row.ev.values()) == pytest.approx(list(result.poker.evs), abs=1e-3)
        assert row.frequencies == pytest.approx(result.poker.frequencies, abs=1e-5)
        assert sum(row.equity.values()) == pytest.approx(1)
        shares = {a: sum(b.values()) for a, b in row.after.items()}
        assert shares == pytest.approx(dict.fromkeys(shares, 1.0))


def test_the_mean_counts_every_deal_once():
    found = report()
    rows = list(found.run())
    mean = mean_row(rows)
    total, weight = 0.0, 0.0
    for row, flop in zip(rows, found.games, strict=True):
        # The weight of the pairs of hands, one by one.
        game = found.games[flop]
        cards, pairs = game.rules.cards, 0.0
        for one in np.flatnonzero(game.ranges[0]):
            for two in np.flatnonzero(game.ranges[1]):
                pairs += not set(cards[one]) & set(cards[two])
        assert row.mass == pairs
        total += flop.weight * pairs * row.ev["oop"]
        weight += flop.weight * pairs
    assert mean.ev["oop"] == pytest.approx(total / weight)
    assert sum(mean.ev.values()) == pytest.approx(20, abs=1e-3)
    assert sum(mean.frequencies.values()) == pytest.approx(1)
    assert sum(mean.after["check"].values()) == pytest.approx(1)


def test_a_folder_is_gone_on_with(tmp_path):
    folder = tmp_path / "kept"
    first = report("AsKhTd,JsJhQs", folder=folder, keep=True)
    rows = list(first.run())
    assert (folder / "AsKhTd.safetensors").exists()
    again = report(folder=folder)
    assert [row.flop for row in again.done()] == ["As Kh Td", "Js Jh Qs"]
    assert [row.flop for row in again.run()] == ["9c Td Kc"]
    assert again.done()[:2] == rows
    assert rows[0].percent_of_pot > 0.1
    finer = report("AsKhTd", accuracy="0.1%", folder=folder)
    assert finer.done() == []
    (row,) = finer.run()
    assert row.percent_of_pot <= 0.1
    with pytest.raises(MismatchError, match="another spot"):
        report(folder=folder, spot={"pot": 22})
    (folder / "JsJhQs.json").write_text("{")
    with pytest.raises(FileError, match="damaged"):
        report(folder=folder)
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    with pytest.raises(FileError, match="no report"):
        report(folder=other)


@pytest.mark.usefixtures("heeded_signals")
def test_ctrl_c_keeps_the_flop_that_was_begun(tmp_path):
    folder = tmp_path / "kept"

    def press(flop, at):
        if len(list(folder.glob("AsKhTd.json"))) and at.iteration >= 4:
            signal.raise_signal(signal.SIGINT)

    cut = report(folder=folder, accuracy="0.1%")
    with pytest.raises(KeyboardInterrupt):
        list(cut.run(press))
    assert len(cut.done()) == 1
    assert (folder / "JsJhQs.part").exists()
    seen = []
    rest = list(report(folder=folder, accuracy="0.1%").run(lambda _, at: seen.append(at.iteration)))
    assert seen[0] >= 4
    assert not (folder / "JsJhQs.part").exists()
    whole = list(report(accuracy="0.1%").run())
    assert [row.exploitability for row in rest] == [row.exploitability for row in whole[1:]]
    assert json.loads((folder / "JsJhQs.json").read_text())["flop"] == "Js Jh Qs"


def test_flops_where_nobody_has_a_hand_are_left_out():
    found = report("AsAhAd,KsKhKd", spot={"oop": "AA,KK", "ip": "KK"})
    assert [flop.cards for flop in found.impossible] == [parse_cards("KsKhKd")]
    assert len(found.games) == 1
    with pytest.raises(ParameterError):
        report("KsKhKd", spot={"ip": "KK"})
    with pytest.raises(ParameterError, match="tell suits apart"):
        report("3", spot={"deck": None, "oop": "AhKh"})
    with pytest.raises(ParameterError, match="begins after the flop"):
        report(spot={"board": "As Kh Td 9d"})
    with pytest.raises(ParameterError, match="before the flop"):
        report(spot={"blinds": [1, 2], "pot": None})
    with pytest.raises(ParameterError, match="name one"):
        report(keep=True)
