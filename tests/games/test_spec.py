"""Names with parameters: what they mean, what is refused, and that they can be written back."""

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfold.errors import ParameterError, SpecError
from counterfold.games.spec import Spec, choice, flag, parse_spec, positive, whole, written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("leduc", Spec("leduc")),
        (" leduc ", Spec("leduc")),
        ("leduc()", Spec("leduc")),
        ("leduc(raises=1+2)", Spec("leduc", (), {"raises": (1, 2)})),
        ("one_card(ranks=13)", Spec("one_card", (), {"ranks": 13})),
        ("dcfr(1.5, beta=0)", Spec("dcfr", (1.5,), {"beta": 0})),
        ("cheat:mini(health=3)", Spec("cheat:mini", (), {"health": 3})),
        ("hs-pcfr+(30)", Spec("hs-pcfr+", (30,))),
        ("cfr+", Spec("cfr+")),
        ("x(1/3, -2, 1e-3, .5)", Spec("x", (Fraction(1, 3), -2, 0.001, 0.5))),
        ("x(1e+5)", Spec("x", (1e5,))),
        ("x(true, False)", Spec("x", (True, False))),
        ("x(word, a+b)", Spec("x", ("word", ("a", "b")))),
        ("x(cfr+)", Spec("x", ("cfr+",))),
        ("x('a,b', y=\"1+2)\")", Spec("x", ("a,b",), {"y": "1+2)"})),
        ("x(y=g(z=1,w=2), v=3)", Spec("x", (), {"y": "g(z=1,w=2)", "v": 3})),
        ("x( a = 1 )", Spec("x", (), {"a": 1})),
        ("my(1).py:Game(x=3)", Spec("my(1).py:Game", (), {"x": 3})),
        ("my(1).py:Game", Spec("my(1).py:Game")),
    ],
)
def test_parse(text, expected):
    assert parse_spec(text) == expected


def test_whole_numbers_stay_whole():
    spec = parse_spec("x(1, 1.0, true)")
    assert [type(value) for value in spec.args] == [int, float, bool]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "name is needed"),
        ("  ", "name is needed"),
        (None, "name is needed"),
        ("(3)", "no name"),
        ("x(", "never closed"),
        ("x(1", "never closed"),
        ("x)", "never opened"),
        ("x(1))", "never opened"),
        ("x('a)", "quotation"),
        ("x(1)y", "goes on with 'y'"),
        ("x(,)", "empty parameter"),
        ("x(1,)", "empty parameter"),
        ("x(a=)", "no value for a"),
        ("x(a=1,a=2)", "a twice"),
        ("x(a=1,2)", "after a named"),
        ("x(1/0)", "not a number"),
        (f"x({'9' * 5000})", "not a number"),
    ],
)
def test_refused(text, word):
    with pytest.raises(SpecError, match=word) as told:
        parse_spec(text)
    assert "\n" not in str(told.value)


scalars = st.one_of(
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.fractions().filter(lambda f: f.denominator > 1),
    st.text("abc+-=,() ._1e/'", max_size=8).filter(lambda t: not ("'" in t and '"' in t)),
)
values = st.one_of(scalars, st.lists(scalars, min_size=2, max_size=3).map(tuple))


@given(st.lists(values, max_size=3), st.dictionaries(st.sampled_from("abc"), values))
def test_written_specs_are_read_back(args, kwargs):
    spec = Spec("x", tuple(args), kwargs)
    again = parse_spec(str(spec))
    assert again == spec
    assert hash(again) == hash(spec)


@given(st.text(max_size=30))
def test_any_text_is_understood_or_refused(text):
    with suppress(SpecError):
        assert isinstance(parse_spec(text), Spec)


def test_checks_of_parameters():
    assert whole("n", 3, 1) == 3
    assert positive("x", Fraction(1, 3)) == Fraction(1, 3)
    for bad in (0, 1.0, "1", None, True):
        with pytest.raises(ParameterError, match="n must be a whole number"):
            whole("n", bad, 1)
    with pytest.raises(ParameterError, match="from 1 to 3"):
        whole("n", 4, 1, 3)
    for bad in (0, -1, float("nan"), float("inf"), "1", None, True, 1j):
        with pytest.raises(ParameterError, match="x must be a finite number"):
            positive("x", bad)
    with pytest.raises(ParameterError, match="must be a or b"):
        choice("c", ["a"], ("a", "b"))
    with pytest.raises(ParameterError, match="true or false"):
        flag("f", 0)
    with pytest.raises(ParameterError) as told:
        positive("x", 10**400)
    assert len(str(told.value)) < 100


def test_written():
    assert written([1, Fraction(1, 2), False]) == "1+1/2+false"
    assert written("1") == '"1"'
