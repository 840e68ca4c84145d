"""Betting trees: by hand, and against a second recursion in whole numbers."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfold.errors import ParameterError, TreeTooLargeError
from counterfold.poker import betting as betting_module
from counterfold.poker.betting import Betting, build, count, limit
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN, BettingTree
from counterfold.poker.money import Rake
from counterfold.poker.sizes import Sizes, parse_size, parse_sizes


def no_limit(
    pot: float,
    stack: float,
    bets: Any,
    raises: Any,
    *,
    streets: int = 1,
    donks: Any = None,
    cap: int | None = None,
    **options: Any,
) -> Betting:
    """No-limit from a pot that both have paid half of; player 0 acts first on every street.

    Sizes are a text or list as in ``"50%,allin"``, the same for both players on every street.
    ``options`` are fields of ``Betting``, as in ``rake=Rake(0.05, 30)``.
    """
    sizes = Sizes(
        parse_sizes(bets), parse_sizes(raises), None if donks is None else parse_sizes(donks)
    )
    return Betting(
        paid=(pot / 2, pot / 2),
        stacks=(stack, stack),
        sizes=((sizes,) * streets,) * 2,
        first=(0,) * streets,
        caps=(cap,) * streets,
        **options,
    )


RIVER = no_limit(200, 600, "33%,75%,150%,allin", "60%,allin")
TURN = no_limit(200, 800, "50%,100%,allin", "60%,allin", streets=2)
FLOP = no_limit(200, 600, "50%,allin", "60%,allin", streets=3)


def node(tree: BettingTree, line: str) -> int:
    """The node after some actions, with commas between them; deals are walked through."""
    at = 0
    for label in filter(None, line.split(",")):
        found = [child for child in tree.children(at) if tree.label[child] == label.strip()]
        assert len(found) == 1, (label, actions(tree, at))
        at = found[0]
        while tree.kind[at] == DEAL:
            at = int(tree.first[at])
    return at


def actions(tree: BettingTree, at: int | str) -> list[str]:
    if isinstance(at, str):
        at = node(tree, at)
    return [tree.label[child] for child in tree.children(at)]


def check_shape(tree: BettingTree) -> None:
    """Everything that a BettingTree promises about its arrays."""
    size = len(tree)
    assert (np.diff(tree.street.astype(int)) >= 0).all()
    assert tree.parent[0] == -1
    assert (tree.parent[1:] < np.arange(1, size)).all()
    seen = np.zeros(size, int)
    for at in range(size):
        for child in tree.children(at):
            seen[child] += 1
            assert tree.parent[child] == at
            assert tree.street[child] == tree.street[at] + (tree.kind[at] == DEAL)
        ends = tree.kind[at] in (FOLD, SHOWDOWN)
        assert (tree.count[at] == 0) == ends
        if tree.kind[at] == DECISION:
            assert tree.player[at] in (0, 1)
        if tree.kind[at] == DEAL:
            assert tree.count[at] == 1
            assert tree.label[tree.first[at]] == ""
        if tree.kind[at] == FOLD:
            assert tree.player[at] == tree.player[tree.parent[at]]
        if tree.kind[at] in (DEAL, SHOWDOWN):
            assert tree.player[at] == -1
        if not ends:
            assert not tree.payoff[at].any()
    assert seen[0] == 0
    assert (seen[1:] == 1).all()


# A second recursion -----------------------------------------------------------------------------


def naive(
    pot: int, stack: int, bets: list[int], raises: list[int], streets: int, allin: bool = True
) -> dict[tuple[str, ...], Any]:
    """All nodes by line, in whole numbers: player and actions, or the doubled payoffs of an end.

    The rules of the spots: percent of the pot, nearest chip, clipped, all-in always offered; a
    raise by at least the bet before it.
    """
    found: dict[tuple[str, ...], Any] = {}

    def street(line: tuple[str, ...], put: int, left: int) -> None:
        if left == 0:
            showdown(line, put)
        else:
            act(line, 0, put, [0, 0], left - 1)

    def showdown(line: tuple[str, ...], put: int) -> None:
        both = pot + 2 * put
        found[line] = ("showdown", [[both, 0, -both], [both, 0, -both]])

    def close(line: tuple[str, ...], put: int, left: int) -> None:
        if put == stack:
            showdown(line, put)
        else:
            street(line, put, left)

    def act(line: tuple[str, ...], who: int, put: int, on: list[int], left: int) -> None:
        mine, theirs = on[who], on[1 - who]
        now = pot + 2 * put + 2 * theirs
        sizes = raises if theirs else bets
        room = stack - put
        targets = set()
        if theirs < room:
            for percent in sizes:
                chips = theirs + (percent * now + 50) // 100
                targets.add(min(max(chips, theirs + max(theirs - mine, 1)), room))
            if allin:
                targets.add(room)
        names = ["fold"] * (theirs > mine) + ["call" if theirs > mine else "check"]
        for chips in sorted(targets):
            verb = "all-in" if chips == room else "raise" if theirs else "bet"
            names.append(f"{verb} {chips}")
        found[line] = (who, names)
        for name in names:
            after = (*line, name)
            if name == "fold":
                lost = pot + 2 * (put + mine)
                found[after] = ("fold", [[lost * (-1 if p == who else 1)] * 3 for p in (0, 1)])
            elif name == "call":
                close(after, put + theirs, left)
            elif name == "check":
                if who == 1:
                    close(after, put, left)
                else:
                    act(after, 1, put, on, left)
            else:
                level = [0, 0]
                level[who], level[1 - who] = int(name.split()[1]), theirs
                act(after, 1 - who, put, level, left)

    street((), 0, streets)
    return found


def told(tree: BettingTree) -> dict[tuple[str, ...], Any]:
    """A tree in the words of ``naive``."""
    found = {}
    for at in range(len(tree)):
        if tree.kind[at] == DECISION:
            found[tree.line(at)] = (int(tree.player[at]), actions(tree, at))
        elif tree.kind[at] != DEAL:
            kind = "fold" if tree.kind[at] == FOLD else "showdown"
            found[tree.line(at)] = (kind, (2 * tree.payoff[at]).tolist())
    return found


@pytest.mark.parametrize(
    ("betting", "plain"),
    [
        (RIVER, (200, 600, [33, 75, 150], [60], 1)),
        (TURN, (200, 800, [50, 100], [60], 2)),
        (FLOP, (200, 600, [50], [60], 3)),
    ],
)
def test_the_spots_are_those_of_a_second_recursion(betting: Betting, plain: Any) -> None:
    tree = build(betting)
    check_shape(tree)
    assert told(tree) == naive(*plain)


@settings(max_examples=60, deadline=None)
@given(
    pot=st.integers(1, 60),
    stack=st.integers(1, 120),
    bets=st.lists(st.integers(1, 250), max_size=2),
    raises=st.lists(st.integers(1, 250), max_size=2),
    streets=st.integers(1, 3),
    allin=st.booleans(),
)
def test_any_spot_is_that_of_a_second_recursion(
    pot: int, stack: int, bets: list[int], raises: list[int], streets: int, allin: bool
) -> None:
    if allin is False:
        streets = min(streets, 2)
    last = ["allin"] if allin else []
    betting = no_limit(
        pot,
        stack,
        [f"{size}%" for size in bets] + last,
        [f"{size}%" for size in raises] + last,
        streets=streets,
    )
    sizes = count(betting)
    if sum(street.nodes for street in sizes) > 20_000:
        return
    tree = build(betting)
    check_shape(tree)
    assert told(tree) == naive(pot, stack, bets, raises, streets, allin)
    for number, street in enumerate(sizes):
        here = tree.street == number
        kinds = Counter(tree.kind[here].tolist())
        assert street.nodes == here.sum()
        assert (street.decisions, street.folds) == (kinds[DECISION], kinds[FOLD])
        assert (street.showdowns, street.deals) == (kinds[SHOWDOWN], kinds[DEAL])
        assert street.terminals == kinds[FOLD] + kinds[SHOWDOWN]
        assert street.actions == tree.count[here & (tree.kind == DECISION)].sum()
        assert street.lines == (sizes[number - 1].deals if number else 1)


# By hand ----------------------------------------------------------------------------------------


def test_river_by_hand() -> None:
    tree = build(RIVER)
    # 33, 75 and 150% of 200
    bets = ["check", "bet 66", "bet 150", "bet 300", "all-in 600"]
    assert actions(tree, "") == bets
    assert actions(tree, "check") == bets
    # 66 + 60% of 200 + 2 x 66 = 265.2
    assert actions(tree, "bet 66") == ["fold", "call", "raise 265", "all-in 600"]
    # 150 + 60% of 500 = 450
    assert actions(tree, "check,bet 150") == ["fold", "call", "raise 450", "all-in 600"]
    # 300 + 60% of 800 = 780, which is all-in, offered once
    assert actions(tree, "bet 300") == ["fold", "call", "all-in 600"]
    # 265 + 60% of 730 = 703
    assert actions(tree, "bet 66,raise 265") == ["fold", "call", "all-in 600"]
    assert actions(tree, "bet 66,raise 265,all-in 600") == ["fold", "call"]
    folded = node(tree, "bet 66,raise 265,fold")
    assert tree.paid[folded].tolist() == [166, 365]
    assert tree.payoff[folded].tolist() == [[-166] * 3, [166] * 3]
    called = node(tree, "bet 66,call")
    assert tree.payoff[called].tolist() == [[166, 0, -166]] * 2
    assert tree.payoff[node(tree, "check,check")].tolist() == [[100, 0, -100]] * 2


def test_turn_by_hand() -> None:
    tree = build(TURN)
    assert actions(tree, "") == ["check", "bet 100", "bet 200", "all-in 800"]
    # 100 + 60% of 400; then 340 + 60% of 880 = 868
    assert actions(tree, "bet 100") == ["fold", "call", "raise 340", "all-in 800"]
    assert actions(tree, "bet 100,raise 340") == ["fold", "call", "all-in 800"]
    # the river after 100 each: pot 400, 700 behind
    assert actions(tree, "bet 100,call") == ["check", "bet 200", "bet 400", "all-in 700"]
    # 200 + 60% of 800 = 680
    assert actions(tree, "bet 100,call,bet 200") == ["fold", "call", "raise 680", "all-in 700"]
    # after 340 each: pot 880, 460 behind; 440 and 880
    river = node(tree, "bet 100,raise 340,call")
    assert tree.player[river] == 0
    assert actions(tree, river) == ["check", "bet 440", "all-in 460"]
    # all-in: the river comes, nobody acts
    end = node(tree, "check,all-in 800,call")
    assert tree.kind[end] == SHOWDOWN
    assert tree.street[end] == 1
    assert tree.kind[tree.parent[end]] == DEAL
    assert tree.line(end) == ("check", "all-in 800", "call")
    assert tree.payoff[end, 0].tolist() == [900, 0, -900]


def test_all_in_on_the_flop_deals_to_the_end() -> None:
    tree = build(FLOP)
    end = node(tree, "all-in 600,call")
    chain = [end, int(tree.parent[end]), int(tree.parent[tree.parent[end]])]
    assert tree.kind[chain].tolist() == [SHOWDOWN, DEAL, DEAL]
    assert tree.street[chain].tolist() == [2, 1, 0]
    assert [tree.label[k] for k in chain] == ["", "", "call"]


@pytest.mark.parametrize(
    ("size", "pot", "level", "wanted"),
    [
        ("50%", 200, 0, 100),
        ("60%", 332, 66, 265.2),
        ("3x", 400, 100, 300),
        ("2.5x", 400, 100, 250),
        ("300c", 400, 100, 300),
        ("300 chips", 400, 100, 300),
        ("+100", 400, 100, 200),
        ("allin", 400, 100, 1200),
        # from 200, bets of f x pot twice with 1,200 behind: (1 + 2f)^2 = 13
        ("2e", 200, 0, 200 * (math.sqrt(13) - 1) / 2),
        ("1e", 200, 0, 1200),
        ("e", 200, 0, 200 * (13 ** (1 / 3) - 1) / 2),
        ("e", 400, 100, 100 + 400 * (6.5 ** (1 / 3) - 1) / 2),
    ],
)
def test_sizes(size: str, pot: float, level: float, wanted: float) -> None:
    found = parse_size(size)
    assert found.reach(pot=pot, level=level, most=1200, streets=3) == pytest.approx(wanted)
    assert parse_size(str(found)) == found


@pytest.mark.parametrize(
    "text", ["", "50 percent", "-5%", "0%", "0.5x", "1x", "0e", "nan", "x", "+"]
)
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(ParameterError, match="is not a size"):
        parse_size(text)
    with pytest.raises(ParameterError, match="is not a size"):
        parse_size(True)


@pytest.mark.parametrize("bare", ["40", 40, 2.5, " 75 "])
def test_a_number_without_its_unit_is_asked_for_it(bare: object) -> None:
    text = str(bare).strip()
    with pytest.raises(ParameterError, match=f"write {text}% of the pot, or {text}c for"):
        parse_size(bare)
    assert parse_size(bare, bare_chips=True) == parse_size(f"{text}c")


def test_equal_parts_end_all_in() -> None:
    tree = build(no_limit(200, 800, "e", "", streets=2))
    assert actions(tree, "") == ["check", "bet 200"]
    assert actions(tree, "bet 200,call") == ["check", "all-in 600"]
    assert actions(tree, "check,check") == ["check", "all-in 800"]


def test_halves_go_up() -> None:
    assert actions(build(no_limit(150, 600, "33%", "")), "") == ["check", "bet 50"]  # 49.5


def test_odd_pots_are_split_in_halves() -> None:
    tree = build(no_limit(5, 20, "50%", ""))  # 2.5
    assert actions(tree, "") == ["check", "bet 3"]
    assert tree.payoff[node(tree, "check,check"), 0].tolist() == [2.5, 0, -2.5]


def test_a_raise_is_at_least_the_one_before() -> None:
    tree = build(no_limit(100, 1000, "100%", "10%,150c,500c,+20"))
    # to 100 more at least: 10% and +20 are lifted to 200, a fixed 150 is not offered
    assert actions(tree, "bet 100") == ["fold", "call", "raise 200", "raise 500"]
    # raised by 400: the next is to 900 at least
    assert actions(tree, "bet 100,raise 500") == ["fold", "call", "raise 900"]
    # and the next would be to 1,300
    assert actions(tree, "bet 100,raise 500,raise 900") == ["fold", "call", "all-in 1000"]


def test_a_fixed_size_that_is_too_small_is_not_offered() -> None:
    tree = build(no_limit(100, 1000, "100%", "150c"))
    assert actions(tree, "bet 100") == ["fold", "call"]


def test_a_fixed_size_above_the_stack_is_all_in() -> None:
    assert actions(build(no_limit(100, 80, "300c", "")), "") == ["check", "all-in 80"]


def test_cap_of_raises() -> None:
    tree = build(no_limit(100, 10_000, "50%", "50%,allin", streets=2, cap=2))
    assert actions(tree, "bet 50") == ["fold", "call", "raise 150", "all-in 10000"]
    assert actions(tree, "bet 50,raise 150") == ["fold", "call"]
    assert actions(tree, "bet 50,call,bet 100") == ["fold", "call", "raise 300", "all-in 9950"]
    assert actions(build(no_limit(100, 100, "50%", "50%", cap=0)), "") == ["check"]


def test_donks_are_bets_after_a_call() -> None:
    tree = build(no_limit(100, 1000, "50%", "100%", donks="20%", streets=2))
    assert actions(tree, "") == ["check", "bet 50"]  # nobody bet before
    assert actions(tree, "bet 50,call") == ["check", "bet 100"]  # 0 bet, and goes on betting
    assert actions(tree, "check,check") == ["check", "bet 50"]
    assert actions(tree, "check,bet 50,call") == ["check", "bet 40"]
    assert actions(tree, "check,bet 50,call,check") == ["check", "bet 100"]
    assert actions(tree, "check,bet 50,raise 250,call") == ["check", "bet 300"]
    assert actions(tree, "bet 50,raise 250,call") == ["check", "bet 120"]
    first = no_limit(100, 1000, "50%", "", donks="20%", aggressor=1, streets=3)
    tree = build(first)
    assert actions(tree, "") == ["check", "bet 20"]
    # a street without bets in between
    assert actions(tree, "check,check") == ["check", "bet 50"]
    assert actions(tree, "check,bet 50,call,check,check") == ["check", "bet 100"]


def test_all_in_thresholds() -> None:
    # a bet of 200 leaves 100 with a pot of 600 after the call: 0.17 of it
    tree = build(no_limit(200, 300, "50%,100%", "", force_spr=0.17))
    assert actions(tree, "") == ["check", "bet 100", "all-in 300"]
    tree = build(no_limit(200, 300, "50%,100%", "", force_spr=0.16))
    assert actions(tree, "") == ["check", "bet 100", "bet 200"]
    tree = build(no_limit(200, 300, "50%,100%", "", force_share=0.66))
    assert actions(tree, "") == ["check", "bet 100", "all-in 300"]
    tree = build(no_limit(200, 300, "50%,100%", "", force_share=0.67))
    assert actions(tree, "") == ["check", "bet 100", "bet 200"]


def test_close_sizes_merge_into_the_larger() -> None:
    sizes = "50%,60%,70%,150%,allin"
    # 1.7 / 1.6 = 1.0625, 1.7 / 1.5 = 1.13
    betting = no_limit(100, 160, sizes, "", merge=0.1)
    assert actions(build(betting), "") == ["check", "bet 50", "bet 70", "all-in 160"]
    assert len(actions(build(no_limit(100, 160, sizes, "")), "")) == 6


def test_sizes_by_player_and_street() -> None:
    small, large, none = (Sizes(parse_sizes(text)) for text in ("25%", "100%", ""))
    betting = Betting((50, 50), (500, 500), ((small, none), (large, small)), (0, 0))
    tree = build(betting)
    assert actions(tree, "") == ["check", "bet 25"]
    assert actions(tree, "check") == ["check", "bet 100"]
    assert actions(tree, "check,check") == ["check"]
    assert actions(tree, "check,check,check") == ["check", "bet 25"]


def test_blinds() -> None:
    """Heads-up before the flop: the small blind acts first, then last."""
    sizes = (Sizes(parse_sizes("50%"), parse_sizes("100%,3x,allin")),) * 2
    betting = Betting(
        (2, 1),
        (198, 199),
        (sizes, sizes),
        first=(1, 0),
        posted=(2, 1),
        opened=1,
        least=2,
        caps=(4, 4),
    )
    tree = build(betting)
    check_shape(tree)
    assert tree.player[0] == 1
    # pot after calling 4: to 2 + 4, and three times 2
    assert actions(tree, "") == ["fold", "call", "raise 6", "all-in 200"]
    assert actions(tree, "call") == ["check", "raise 6", "all-in 200"]  # the option
    assert tree.payoff[node(tree, "fold")].tolist() == [[1] * 3, [-1] * 3]
    flop = node(tree, "call,check")
    assert tree.player[flop] == 0
    assert tree.paid[flop].tolist() == [2, 2]
    assert actions(tree, flop) == ["check", "bet 2"]
    assert tree.player[node(tree, "raise 6")] == 0
    # to three times 6, and 6 + 100% of 12, are the same
    assert actions(tree, "raise 6") == ["fold", "call", "raise 18", "all-in 200"]
    # big blind, raise, raise, raise: four bets
    assert actions(tree, "call,raise 6,raise 18,raise 54") == ["fold", "call"]
    assert tree.kind[node(tree, "all-in 200,call")] == SHOWDOWN


def test_a_blind_that_is_all_in() -> None:
    sizes = ((Sizes((), parse_sizes("allin")),) * 2,) * 2
    tree = build(Betting((2, 1), (0, 9), sizes, first=(1, 0), posted=(2, 1), opened=1, least=2))
    check_shape(tree)
    assert actions(tree, "") == ["fold", "call"]
    assert tree.kind[node(tree, "call")] == SHOWDOWN


def test_unequal_stacks_and_antes() -> None:
    sizes = ((Sizes(parse_sizes("allin"), parse_sizes("allin")),),) * 2
    betting = Betting((3, 1), (97, 49), sizes, first=(1,), posted=(2, 1), opened=1, least=2)
    tree = build(betting)  # an ante of 1 by the big blind only
    assert actions(tree, "") == ["fold", "call", "all-in 50"]
    end = node(tree, "all-in 50,call")
    assert tree.paid[end].tolist() == [51, 50]
    assert tree.payoff[end].tolist() == [[50, -0.5, -51], [51, 0.5, -50]]
    assert tree.payoff[node(tree, "call,check")].tolist() == [[2, -0.5, -3], [3, 0.5, -2]]


@pytest.mark.parametrize("rake", [Rake(), Rake(0.05), Rake(0.05, 12), Rake(0.05, 0)])
def test_payoffs_add_up_to_the_rake(rake: Rake) -> None:
    tree = build(no_limit(200, 600, "50%,allin", "60%,allin", streets=2, rake=rake))
    ends = np.flatnonzero(np.isin(tree.kind, (FOLD, SHOWDOWN)))
    for end in ends:
        one, other = tree.payoff[end]
        called = 2 * tree.paid[end].min()  # what nobody called goes back
        taken = min(rake.rate * called, rake.cap)
        if tree.kind[end] == FOLD:
            assert one.tolist() == [one[0]] * 3
            assert one[0] + other[0] == pytest.approx(-taken)
            assert tree.payoff[end, tree.player[end], 0] == -tree.paid[end, tree.player[end]]
        else:
            assert [one[k] + other[2 - k] for k in range(3)] == pytest.approx([-taken] * 3)
            assert one[0] > one[1] > one[2]


def test_no_flop_no_drop() -> None:
    sizes = (Sizes(parse_sizes("50%"), parse_sizes("100%")),) * 2
    options: Any = {"first": (1, 0), "posted": (2, 1), "opened": 1, "least": 2}
    free = Betting((2, 1), (8, 9), (sizes, sizes), rake=Rake(0.1, free=1), **options)
    taxed = Betting((2, 1), (8, 9), (sizes, sizes), rake=Rake(0.1), **options)
    line = "raise 6,fold"
    tree, other = build(free), build(taxed)
    assert tree.payoff[node(tree, line), :, 0].tolist() == [-2, 2]
    assert other.payoff[node(other, line), :, 0].tolist() == pytest.approx([-2, 1.6])
    assert tree.payoff[node(tree, "call,check,bet 2,fold"), 0, 0] == pytest.approx(1.6)


def test_limit() -> None:
    tree = build(limit((1, 1), raises=(2, 4), cap=2))
    check_shape(tree)
    assert actions(tree, "check,bet,raise") == ["fold", "call"]
    assert tree.paid[node(tree, "bet,raise,call,check,bet,raise")].tolist() == [13, 9]
    short = build(limit((0.3, 0.3), raises=(0.1,), stacks=(0.25, 0.3)))
    check_shape(short)
    assert actions(short, "bet,raise") == ["fold", "call", "all-in 0.25"]
    assert short.kind[node(short, "bet,raise,all-in 0.25,call")] == SHOWDOWN


def test_fractions_of_a_chip_do_not_leave_crumbs() -> None:
    tree = build(limit((0.1, 0.1), raises=(0.1, 0.1), stacks=(0.3, 0.3)))
    assert actions(tree, "bet,raise") == ["fold", "call", "all-in 0.3"]
    assert tree.kind[node(tree, "bet,raise,all-in 0.3,call")] == SHOWDOWN
    assert actions(tree, "bet,raise,call") == ["check", "all-in 0.1"]


def test_a_tree_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """The size is told without building it."""
    large = no_limit(2, 400, "33%,66%,100%", "50%,100%", streets=3)
    sizes = count(large)
    nodes = sum(street.nodes for street in sizes)
    assert nodes == 315_493
    monkeypatch.setattr(betting_module, "MOST_NODES", 300_000)
    with pytest.raises(TreeTooLargeError, match="has over 300,000 nodes; give fewer"):
        build(large)
    monkeypatch.setattr(betting_module, "_MOST_STATES", 1000)
    with pytest.raises(TreeTooLargeError, match="nodes; give fewer or larger sizes"):
        count(large)
    monkeypatch.setattr(betting_module, "_MOST_DEPTH", 1000)
    with pytest.raises(TreeTooLargeError, match="a line of 1,001 actions"):
        count(no_limit(2, 10**6, "+1", "+1"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: no_limit(0, 100, "", ""), "nothing in the pot"),
        (lambda: no_limit(-10, 100, "", ""), "chips are from 0 up"),
        (lambda: no_limit(10, -1, "", ""), "chips are from 0 up"),
        (lambda: no_limit(10, 2.5, "", ""), "whole chips"),
        (lambda: no_limit(10, 100, "3x", ""), "size of raises"),
        (lambda: no_limit(10, 100, "50%", "", cap=-1), "cap of raises"),
        (lambda: no_limit(10, 100, "50%", "", merge=-1.0), "thresholds"),
        (lambda: no_limit(10, 100, "50%", "", streets=0), "every street"),
        (lambda: Rake(1.5), "rate of a rake"),
        (lambda: Rake(0.05, -1), "cap of a rake"),
        (lambda: limit((1, 1), (0,), 2), "above zero"),
        (lambda: limit((1, 1), (2,)), "never end"),
        (lambda: limit((1, 2), (2,), 3, posted=(1, 2), stacks=(0.5, 9)), "shorter stack"),
    ],
)
def test_bad_rules(make: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


def test_streets_that_are_not_played_only_deal() -> None:
    tree = build(no_limit(10, 20, "50%,allin", "allin", streets=3, played=1))
    short = build(no_limit(10, 20, "50%,allin", "allin"))
    assert (tree.street[tree.kind == DECISION] == 0).all()
    deals = np.flatnonzero((tree.kind == DEAL) & (tree.street == 0))
    assert len(deals) == (short.kind == SHOWDOWN).sum() > 1
    for node in deals.tolist():
        after = int(tree.first[int(tree.first[node])])
        assert (tree.street[after], tree.kind[after]) == (2, SHOWDOWN)
        same = short.payoff[short.kind == SHOWDOWN][deals.tolist().index(node)]
        assert (tree.payoff[after] == same).all()
