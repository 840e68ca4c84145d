"""Certificates of ``counterfold solve`` where numbers are at their edges."""

import json

import pytest

SPOT = {
    "board": "Ks 9h 6s 4d 2c", "pot": 100, "stack": 0, "oop": "AA,JJ,KK:0.3", "ip": "QQ,AKs",
    "bets": ["75%"], "raises": [],
}  # fmt: skip
TABLE = """EFG 2 R "scaled" {{ "1" "2" }}
""
p "" 1 1 "" {{ "a" "b" }} 0
p "" 2 1 "" {{ "c" "d" }} 0
t "" 1 "" {{ {0}, -{0} }}
t "" 2 "" {{ -{1}, {1} }}
p "" 2 1 "" {{ "c" "d" }} 0
t "" 3 "" {{ -{2}, {2} }}
t "" 4 "" {{ {1}, -{1} }}
"""


@pytest.fixture
def write(tmp_path):
    def spot(**more):
        (tmp_path / "spot.json").write_text(json.dumps({**SPOT, **more}))
        return "spot.json"

    return spot


@pytest.fixture
def scaled(tmp_path):
    """A seventh of the unit to player 1."""

    def game(power):
        numbers = [f"{k}e{power}" for k in (3, 1, 2)]
        (tmp_path / "scaled.efg").write_text(TABLE.format(*numbers))
        return "scaled.efg"

    return game


def test_a_spot_at_its_showdown_has_its_equity(call, write):
    told = call("equity", SPOT["oop"], SPOT["ip"], "--board", SPOT["board"], "--json").document
    found = call("solve", write(), "--json").document
    assert found["evs"] == pytest.approx([100 * share for share in told["equity"]])
    assert found["exploitability"] == 0


def test_tiny_weights_are_weights(call, write):
    plain = call("solve", write(stack=100, oop="AA,JJ"), "--iterations", 30, "--json").document
    tiny = write(stack=100, oop="AA:1e-20,JJ:1e-20", ip="QQ:1e-20,AKs:1e-20")
    found = call("solve", tiny, "--iterations", 30, "--json").document
    assert found["evs"] == pytest.approx(plain["evs"])
    assert found["exploitability"] == pytest.approx(plain["exploitability"], abs=1e-6)
    answer = call("solve", tiny)
    assert answer.code == 0
    assert "nan" not in answer.out
    assert call("solve", write(oop="AsAh", ip="AsAd,QQ:1e-20"), "-q").refused("hardly any")


def test_32_bits_that_get_worse_say_why(call):
    arguments = ("solve", "kuhn", "--method", "cfr", "--dtype", "float32")
    answer = call(*arguments, "--iterations", 4_000_000)
    assert answer.code == 0
    assert "its numbers are too coarse to get any better" in answer.out
    assert "float32 tables have become too coarse to get any better" in answer.out
    document = call(*arguments, "--exploitability", 1e-8, "--json").document
    assert document["stopped"] == "precision"
    assert document["exploitability"] < 1e-3
    assert "float64 goes further" in document["promise"]


def test_a_target_that_was_not_reached_is_told(call):
    answer = call("solve", "kuhn", "--exploitability", 1e-9, "--iterations", 10)
    told = "at the limit of 10 iterations, before the exploitability asked for (1e-09)"
    assert told in answer.out
    assert "asked for" not in call("solve", "kuhn", "--iterations", 10).out


@pytest.mark.parametrize("power", [-12, -9, 0, 19])
def test_payoffs_of_any_size(call, scaled, power):
    for method in ([], ["--method", "lp"]):
        found = call("solve", scaled(power), *method, "--json").document
        assert found["value"] == pytest.approx(10.0**power / 7, rel=1e-5)
        assert found["exploitability"] < 1e-5 * 10.0**power
        assert found["stopped"] in ("exploitability", "optimum")


def test_payoffs_that_are_no_use(call, scaled):
    assert call("solve", scaled(300), "-q").refused("out of the reach of float64 tables")
    refused = call("solve", scaled(19), "--dtype", "float32", "-q")
    assert refused.refused("out of the reach of float32 tables", "use float64")
