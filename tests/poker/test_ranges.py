"""Ranges in words and back, by brute force over the 1,326 holes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfold.errors import ParameterError
from counterfold.poker.cards import HOLES, hole_name, parse_board
from counterfold.poker.notation import cell_of
from counterfold.poker.ranges import CELL, Range, cell_name


def classes(text: str) -> set[str]:
    """The classes that a range of weights 0 and 1 holds, all of each."""
    grid = Range.parse(text).grid()
    assert set(np.unique(grid)) <= {0.0, 1.0}
    return {
        cell_name(row, column) for row in range(13) for column in range(13) if grid[row, column]
    }


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("QQ+", "QQ KK AA"),
        ("AA+", "AA"),
        ("22-66", "22 33 44 55 66"),
        ("66-22", "22 33 44 55 66"),
        ("AK", "AKs AKo"),
        ("KA", "AKs AKo"),
        ("AKs", "AKs"),
        ("KTs+", "KTs KJs KQs"),
        ("KTo+", "KTo KJo KQo"),
        ("KT+", "KTs KJs KQs KTo KJo KQo"),
        ("T9s+", "T9s JTs QJs KQs AKs"),
        ("AKs+", "AKs"),
        ("A5s-A2s", "A5s A4s A3s A2s"),
        ("A2s-A5s", "A5s A4s A3s A2s"),
        ("76s-54s", "76s 65s 54s"),
        ("54s-76s", "76s 65s 54s"),
        ("J9o-86o", "J9o T8o 97o 86o"),
        ("KQ-KJ", "KQs KQo KJs KJo"),
        ("aks, qQ ", "AKs QQ"),
        ("A5s - A4s", "A5s A4s"),
        ("top 5%", "AA KK QQ JJ TT 99 88 77 AKs AQs AJs AKo"),
        ("TOP 0.1%", "AA"),
    ],
)
def test_entries(text: str, wanted: str) -> None:
    assert classes(text) == set(wanted.split())


def test_holes_of_a_class() -> None:
    count = {"": 6, "s": 4, "o": 12}
    for k in range(169):
        name = cell_name(*divmod(k, 13))
        found = Range.parse(name).weights
        assert found.sum() == count[name[2:]]
        assert cell_of(k).number == k
        for hole in np.flatnonzero(found):
            text = hole_name(hole)
            assert CELL[hole] == k
            assert text[0] + text[2] == name[:2]
            assert name[2:] in ("", "s" if text[1] == text[3] else "o")


def test_weights_and_overlaps() -> None:
    found = Range.parse("QQ+,AKs,A5s-A2s:0.5,AhKd:.25")
    assert found.combos == 18 + 4 + 8 + 0.25
    assert (found["AhAd"], found["2sAs"], found["KdAh"], found["KhAd"]) == (1.0, 0.5, 0.25, 0.0)
    assert Range.parse("22+,AA:0.5")["AsAh"] == 0.5
    assert Range.parse("AA:0.5,22+")["AsAh"] == 1.0
    assert Range.parse("random").combos == HOLES
    assert Range.parse("random,72o:0").combos == HOLES - 12
    assert Range.parse("AA,").combos == 6


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("AA,KK,QQ", "QQ+"),
        ("22,33,44,99", "99,44-22"),
        ("AKs,AQs,AJs,A5s,A4s,A3s,A2s", "AJs+,A5s-A2s"),
        ("AKs,AKo", "AK"),
        ("A2s+,ATo+", "A2s+,ATo+"),
        ("KQ,KJ,KT", "KT+"),
        ("76s,65s,54s", "76s-54s"),
        ("76s,65s", "76s,65s"),
        ("T9s+", "AKs-T9s"),
        ("KTs,KJs,KQs:0.5", "KJs-KTs,KQs:0.5"),
        ("random:0.5", "random:0.5"),
        ("[50]KTs,KJs[/50], KQs:25%", "KJs-KTs:0.5,KQs:0.25"),
        ("[12.5]KK[/12.5], AA", "AA,KK:0.125"),
        ("AA:0.125,AsAh", "AsAh,AdAc:0.125,AhAc:0.125,AhAd:0.125,AsAc:0.125,AsAd:0.125"),
        ("22+,AA:0", "KK-22"),
    ],
)
def test_printed_in_few_words(text: str, wanted: str) -> None:
    assert str(Range.parse(text)) == wanted


def test_the_ranges_of_a_tool_come_back_as_they_are() -> None:
    for text in (
        "66+,A8s+,A5s-A4s,K9s+,QTs+,JTs,96s+,85s+,75s+,65s,54s,AJo+,KQo",
        "QQ-22,AQs-A2s,K5s+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+,ATo+,KJo+",
    ):
        assert str(Range.parse(text)) == text


_weight = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1 / 3, 1e-5])


@settings(max_examples=60)
@given(
    st.lists(_weight, min_size=169, max_size=169),
    st.dictionaries(st.integers(0, HOLES - 1), _weight, max_size=8),
)
def test_words_and_back(cells: list[float], single: dict[int, float]) -> None:
    weights = np.array(cells)[CELL]
    for hole, weight in single.items():
        weights[hole] = weight
    found = Range(weights)
    if found.weights.any():
        assert Range.parse(str(found)) == found
        assert str(Range.parse(str(found))) == str(found)
    else:
        assert str(found) == ""


@settings(max_examples=60)
@given(st.sets(st.integers(0, 168), min_size=1), st.booleans())
def test_words_are_never_longer_than_a_list_and_do_not_overlap(found: set[int], near: bool) -> None:
    if near:  # whole rows and columns, where runs are long
        found = {k for k in range(169) if k // 13 in found or k % 13 in found} or found
    text = str(Range(np.isin(CELL, list(found)).astype(float)))
    assert len(text) <= len(",".join(cell_name(*divmod(k, 13)) for k in found))
    if text != "random":
        parts = [Range.parse(word).combos for word in text.split(",")]
        assert sum(parts) == Range.parse(text).combos


def test_card_removal() -> None:
    board = parse_board("Qs Jh 2h")
    # The figures of the flop spot that other solvers were measured on.
    first = (
        "AA,AKs,AKo,AQs,AQo,AJs,AJo:0.5,ATs,A9s:0.5,A5s:0.75,A4s:0.75,A3s:0.75,KK,KQs,KQo:0.5,KJs,"
        "KTs,K9s:0.5,QQ,QJs,QTs,JJ,JTs,TT,T9s,99:0.5,98s:0.5,88:0.25,87s:0.5,76s:0.5,65s:0.5"
    )
    second = (
        "AKo:0.25,AQs,AQo:0.75,AJs,AJo:0.25,ATs,A9s,A8s,A7s:0.5,A6s:0.5,A5s,A4s,KQs,KQo:0.5,KJs,"
        "KTs,K9s:0.5,QQ:0.25,QJs,QTs,Q9s,JJ,JTs,J9s,TT,T9s,T8s,99,98s,88,87s,77,76s,66,65s,55,"
        "54s,44:0.5,33:0.5,22:0.5"
    )
    for text, holes, combos in ((first, 147, 115.5), (second, 186, 147.75)):
        left = Range.parse(text).without(board)
        assert (np.count_nonzero(left.weights), left.combos) == (holes, combos)
    assert Range.parse("AA").without(parse_board("AsAhAd")).combos == 0


def test_grid() -> None:
    grid = Range.parse("AA,AKs,KQo:0.5,7h2h,72o:0.25").grid()
    assert grid.shape == (13, 13)
    assert (grid[0, 0], grid[0, 1], grid[1, 0], grid[2, 1], grid[1, 2]) == (1, 1, 0, 0.5, 0)
    assert (grid[7, 12], grid[12, 7]) == (0.25, 0.25)
    assert (cell_name(7, 12), cell_name(12, 7)) == ("72s", "72o")
    assert Range.parse("random").grid().min() == 1


def test_a_range_is_a_value() -> None:
    weights = np.ones(HOLES)
    found = Range(weights)
    weights[0] = 0
    assert found == Range.parse("random")
    assert hash(found) == hash(Range.parse("22+,random"))
    assert found != Range.parse("AA")
    with pytest.raises(ValueError, match="read-only"):
        found.weights[0] = 0.5
    assert hash(Range(np.full(HOLES, -0.0))) == hash(Range(np.zeros(HOLES)))
    assert repr(Range.parse("KK,AA")) == "Range.parse('KK+')"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "the range is empty"),
        (" , ", "the range is empty"),
        ("QQ+,AKx", "'AKx' at character 5 "),
        ("QQ+,  AK s+x,AA", "'AK s+x' at character 7 "),
        ("AA:1.5", "'AA:1.5' at character 1 of the range has no good weight"),
        ("AA:", "no good weight"),
        ("AA:101%", "no good weight"),
        ("[500]AA[/500]", "no good weight"),
        ("QQ, [50]AA, KK", r"at character 5 of the range opens a group of one weight"),
        ("AA:-1", "no good weight"),
        ("AA:nan", "no good weight"),
        ("AA:0.5:0.5", "no good weight"),
        ("AAs", "a pair with a suit"),
        ("AKs-AQo", "one kind of hand to another"),
        ("AKs-QTs", "neither their high card nor their gap"),
        ("AA-AK", "neither their high card nor their gap"),
        ("AhAh", "the same card twice"),
        ("AhKx", "not understood"),
        ("1Ks", "not understood"),
        ("AKs-", "not understood"),
        ("top 20", "not understood"),
        ("AA,top 0%", "'top 0%' at character 4 of the range has no good share"),
        ("top 101%", "no good share"),
        ("+", "not understood"),
    ],
)
def test_complaints_point_at_the_place(text: str, part: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Range.parse(text)
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("weights", [np.ones(5), np.full(HOLES, 2.0), np.full(HOLES, np.nan)])
def test_weights_that_make_no_range(weights: np.ndarray) -> None:
    with pytest.raises(ParameterError):
        Range(weights)


def test_a_hole_that_is_none() -> None:
    with pytest.raises(ParameterError):
        Range.parse("AA")[HOLES]
    assert Range.parse("AA")[HOLES - 1] == 1


def test_a_range_is_counted_walked_and_shown() -> None:
    hands = Range.parse("AA,AKs:0.5")
    assert len(hands) == len(list(hands)) == 10
    assert [hands[name] for name in hands].count(0.5) == 4
    assert "AhKh" in hands
    assert "KhKd" not in hands
    assert list(Range.parse("AsKs,AhKd,AsAh")) == ["AsAh", "AhKd", "AsKs"]
    page = hands._repr_html_()
    assert page.count("<td") == 169
    assert 'rgba(46,125,50,0.50)" title="50%">AKs<' in page
    assert "8 combos" in page
