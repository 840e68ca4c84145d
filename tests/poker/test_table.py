"""Tables of hold'em: by hand, by the contract of games, and against PokerKit to the chip."""

from __future__ import annotations

import math
import os
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pokerkit
import pytest

from counterfold.errors import ParameterError
from counterfold.games.catalog import load
from counterfold.poker.cards import card_name, cards_name
from counterfold.poker.game import DEAL, DECISION, SHOWDOWN
from counterfold.poker.icm import icm
from counterfold.poker.showdown import strength
from counterfold.poker.sizes import Size, Sizes
from counterfold.poker.table import DEALT, Holdem, TableState, jam_or_fold, positions
from counterfold.testing import check_game

AUTOMATED = (
    "ANTE_POSTING",
    "BET_COLLECTION",
    "BLIND_OR_STRADDLE_POSTING",
    "HOLE_CARDS_SHOWING_OR_MUCKING",
    "HAND_KILLING",
    "CHIPS_PUSHING",
    "CHIPS_PULLING",
)


def second_opinion(table: Holdem) -> tuple[Any, list[int]]:
    """PokerKit's table, and the place there of each of our players."""
    n, straddled = table.players, table.straddle > 0
    places = [(k + (3 if straddled else 2)) % n for k in range(n)] if n > 2 else [1, 0]
    blinds = [*table.blinds, *([table.straddle] if straddled else [])]
    antes = dict.fromkeys(range(n), table.ante)
    antes[1] += table.big_blind_ante
    stacks = [0] * n
    for place, stack in zip(places, table.stack, strict=True):
        stacks[place] = int(stack)
    kinds = tuple(getattr(pokerkit.Automation, name) for name in AUTOMATED)
    common = kinds, False, {k: int(v) for k, v in antes.items() if v}, tuple(map(int, blinds))
    if table.limit is not None:
        small, big = map(int, table.limit)
        return pokerkit.FixedLimitTexasHoldem.create_state(*common, small, big, stacks, n), places
    return pokerkit.NoLimitTexasHoldem.create_state(*common, 2, stacks, n), places


SIZES = [(30 + 5 * p, 40 + 7 * p, 55 + 9 * p) for p in range(6)]
"""Of the bets, the first raises and later ones of each seat, in percent of the pot."""


def can_bet(chips: float, stacks: tuple[float, ...]) -> bool:
    """Whether two have so many; what nobody can ever bet is refused as a size."""
    return sorted(stacks)[-2] >= chips


def random_table(rng: random.Random) -> Holdem:
    n = rng.randint(2, 6)
    straddle = float(rng.choice([0, 4])) if n > 2 else 0.0
    ante, big_ante = float(rng.choice([0, 0, 1])), float(rng.choice([0, 0, 2]))
    deep = rng.choice([12, 40, 200])
    places = positions(n, straddle > 0)
    bets = [f"{place}:{SIZES[p][0]}%,allin" for p, place in enumerate(places)]
    others = [float(rng.randint(8, deep)) for _ in range(n - 1)]
    stacks = (float(rng.randint(14, max(deep, 14))), *others)
    seven = [",7bb" * (p == 0 and can_bet(14.0, stacks)) for p in range(n)]
    raises = [
        f"{place}:{SIZES[p][1]}%,allin{seven[p]}/{SIZES[p][2]}%,allin|{SIZES[p][1]}%,allin"
        for p, place in enumerate(places)
    ]
    return Holdem(
        players=n,
        stack=stacks,
        blinds=(1.0, 2.0),
        ante=ante,
        big_blind_ante=big_ante,
        straddle=straddle,
        bets=";".join(bets),
        raises=";".join(raises),
        chip=1.0,
    )


def play(table: Holdem, rng: random.Random) -> int:
    """One hand at both tables, with random legal bets of any size; how many decisions it had."""
    other, places = second_opinion(table)
    deck = list(range(52))
    rng.shuffle(deck)
    holes = [(deck.pop(), deck.pop()) for _ in places]
    state = table.deal(*(cards_name(hole) for hole in holes))
    for place in other.player_indices:
        other.deal_hole(cards_name(holes[places.index(place)]))
    decisions = 0
    while True:
        now = state.betting
        # Where only a check is left to one player, PokerKit asks for it.
        while other.actor_index is not None and (
            now.kind != DECISION or other.actor_index != places[now.player]
        ):
            assert other.checking_or_calling_amount == 0
            other.check_or_call()
        if now.kind != DECISION:
            if not table._owed(state):
                break
            cards = [deck.pop() for _ in range(DEALT[_street_to_come(state)] - len(state.board))]
            other.burn_card("??")
            other.deal_board("".join(card_name(card) for card in cards))
            for card in cards:
                state = table.next(state, card_name(card))
            continue
        decisions += 1
        player, level = now.player, max(now.bets)
        beyond = max(other.bets) - level  # what only PokerKit has one bet who covers the others
        assert other.total_pot_amount - beyond == sum(now.before) + sum(now.bets)
        room = table.betting.rooms(now.before)[0][player]
        assert other.checking_or_calling_amount == min(level + beyond, room) - now.bets[player]
        bounds = table.betting.bounds(now)
        least = other.min_completion_betting_or_raising_to_amount
        # An all-in of less than a blind, over nothing or over the blinds, lets those raise at
        # PokerKit's tables who have acted already; here it does not, as in tournaments.
        unsettled = now.shut >> player & 1 and bounds is None and least is not None
        if unsettled:
            assert level - now.bets[player] < table.betting.least
        else:
            assert (bounds is None) == (least is None), (table, state)
        if bounds is not None:
            most = other.max_completion_betting_or_raising_to_amount
            assert bounds == (min(least, bounds[1]), min(most, bounds[1])), (table, state)
            check_offers(table, state, *bounds)
        choices = ["call", "call"] + (["fold"] if level > now.bets[player] else [])
        choices += ["raise"] * 2 if bounds is not None else []
        choice = rng.choice(choices)
        if choice == "raise":
            chips = rng.choice([bounds[0], bounds[1], rng.randint(int(bounds[0]), int(bounds[1]))])
            state = state._replace(betting=raised_to(table, state, float(chips)))
            # One who covers the others may as well bet all that is needed there.
            other.complete_bet_or_raise_to(int(max(chips, least)))
        else:
            name = choice if choice == "fold" else "call" if level > now.bets[player] else "check"
            state = table.next(state, name)
            other.fold() if choice == "fold" else other.check_or_call()
    ours = table.payoff(state)
    theirs = [other.payoffs[place] for place in places]
    assert moved_odd_chips(table, state, list(ours)) == theirs, (table, state)
    assert sum(ours) == 0
    return decisions


def moved_odd_chips(table: Holdem, state: Any, won: list[float]) -> list[float]:
    """What is won by PokerKit's way with odd chips.

    One winner gets all of a pot's, and pots that only losers make different are one.
    """
    if state.betting.kind != SHOWDOWN:
        return won
    strengths = [strength((*hole, *state.board)) for hole in state.holes]
    order = [(p + table.betting.first[-1]) % table.players for p in range(table.players)]

    def winners(players: tuple[int, ...]) -> tuple[int, ...]:
        best = max(strengths[p] for p in players)
        return tuple(p for p in order if p in players and strengths[p] == best)

    pots = table.betting.pots(state.betting)[0]
    winning = {p for _, players in pots for p in winners(players)}
    merged: Counter[tuple[int, ...]] = Counter()
    for chips, players in pots:
        merged[tuple(p for p in order if p in players and p in winning)] += int(chips)
        for p in winners(players)[: int(chips) % len(winners(players))]:
            won[p] -= 1
        for p in winners(players):
            won[p] -= int(chips) // len(winners(players))
    for players, chips in merged.items():
        for p in winners(players):
            won[p] += chips // len(winners(players))
        won[winners(players)[0]] += chips % len(winners(players))
    return won


def raised_to(table: Holdem, state: Any, chips: float) -> Any:
    """Where a bet or raise leads whose size is not in the list."""
    size = (Size("to", chips),)
    any_size = ((Sizes(size, size),) * 4,) * table.players
    moves = replace(table.betting, sizes=any_size).moves(state.betting)
    found = [after for name, after in moves if name[0] in "bra"]
    assert len(found) == 1, (chips, moves)
    assert max(found[0].bets) == chips or found[0].kind != DECISION
    return found[0]


def check_offers(table: Holdem, state: Any, least: float, most: float) -> None:
    """The sizes that the seat has by itself, worked out from the pot."""
    now = state.betting
    level, own = max(now.bets), now.bets[now.player]
    pot = sum(now.before) + sum(now.bets) + level - own
    bet, first, again = SIZES[now.player]
    raised = now.raised - 1 if level else 0  # bets are counted from the big blind's on
    share = bet if not level else again if raised > 0 and not now.street else first
    wanted = {min(max(math.floor(level + share * pot / 100 + 0.5), least), most), most}
    seven = 7 * table.blinds[1]
    first_raise = now.player == 0 and not now.street and raised <= 0
    if first_raise and seven >= least and can_bet(seven, table.stack):
        wanted.add(min(seven, most))
    names = [name for name in table.actions(state) if name[0] in "bra"]
    assert {float(name.split()[-1]) for name in names} == wanted, (table, state, names)


def _street_to_come(state: Any) -> int:
    return state.betting.street + 1 if state.betting.kind == DEAL else len(DEALT) - 1


@pytest.mark.parametrize("seed", range(4))
def test_pokerkit_agrees(seed: int) -> None:
    """HANDS=20000 in the environment plays more."""
    rng = random.Random(seed)
    hands = int(os.environ.get("HANDS", "600")) // 4
    decisions = sum(play(random_table(rng), rng) for _ in range(hands))
    assert decisions > 4 * hands


def test_pokerkit_agrees_at_limit_tables() -> None:
    rng = random.Random(5)
    for _ in range(150):
        n = rng.randint(2, 6)
        table = Holdem(
            n, 60.0, (1.0, 2.0), limit=(2.0, 4.0), cap=5, chip=1.0
        )  # of bets with the blind
        other, places = second_opinion(replace(table, stack=(60.0,) * n))
        deck = rng.sample(range(52), 2 * n)
        holes = [(deck.pop(), deck.pop()) for _ in range(n)]
        state = table.deal(*(cards_name(hole) for hole in holes))
        for place in other.player_indices:
            other.deal_hole(cards_name(holes[places.index(place)]))
        while state.betting.kind == DECISION and state.betting.street == 0:
            assert other.actor_index == places[state.betting.player]
            moves = table.actions(state)
            least = other.min_completion_betting_or_raising_to_amount
            assert ("raise" in moves) == (least is not None)
            move = rng.choice([m for m in moves if m != "fold"])
            state = table.next(state, move)
            if move == "raise":
                assert max(state.betting.bets) == least
                other.complete_bet_or_raise_to(least)
            else:
                other.check_or_call()
        assert other.total_pot_amount == sum(state.betting.before) + sum(state.betting.bets)


def line(table: Holdem, words: str, *holes: str) -> TableState:
    state = table.deal(*holes)
    for word in words.split(", "):
        state = table.next(state, word)
    return state


def test_side_pots() -> None:
    table = Holdem(3, (10.0, 30.0, 50.0), (1.0, 2.0), raises="allin")
    state = line(table, "all-in 10, all-in 30, call", "AsAh", "KsKh", "QsQh")
    pots, back = table.betting.pots(state.betting)
    assert pots == [(30.0, (0, 1, 2)), (40.0, (1, 2))]
    assert back == [0.0, 0.0, 0.0]
    for card in ("2c", "3c", "7d", "8d", "Tc"):
        state = table.next(state, card)
    assert table.payoff(state) == (20.0, 10.0, -30.0)
    assert table.shown(state) == ("AsAh", "KsKh", "QsQh")


def test_a_short_all_in_opens_nothing() -> None:
    table = Holdem(3, (100.0, 13.0, 100.0), (1.0, 2.0), raises="10c,allin")
    state = line(table, "raise 10, all-in 13", "AsAh", "KsKh", "QsQh")
    assert table.actions(state) == ("fold", "call", "all-in 100")  # who has not acted
    state = table.next(state, "call")
    assert table.actions(state) == ("fold", "call")  # who has


def test_several_short_all_ins_make_a_full_raise() -> None:
    table = Holdem(4, (100.0, 15.0, 19.0, 100.0), (1.0, 2.0), raises="10c,allin")
    state = line(table, "raise 10, all-in 15, all-in 19, fold", "AsAh", "KsKh", "QsQh", "JsJh")
    assert table.actions(state) == ("fold", "call")  # nobody is left to be raised
    deep = Holdem(4, (100.0, 15.0, 19.0, 100.0), (1.0, 2.0), raises="10c,allin")
    state = line(deep, "raise 10, all-in 15, all-in 19, call", "AsAh", "KsKh", "QsQh", "JsJh")
    assert "all-in 100" in deep.actions(state)


@pytest.mark.parametrize(
    ("table", "order"),
    [
        (Holdem(2), (0, 1)),
        (Holdem(3), (0, 1)),
        (Holdem(6), (0, 4)),
        (Holdem(6, straddle=2.0), (0, 3)),
        (Holdem(3, straddle=2.0), (0, 0)),
    ],
)
def test_who_acts_first(table: Holdem, order: tuple[int, int]) -> None:
    assert (table.betting.first[0], table.betting.first[1]) == order
    first = table.positions[order[1]]
    assert first == ("BB" if table.players == 2 else "SB")


def test_the_straddler_acts_last_before_the_flop() -> None:
    table = Holdem(4, straddle=2.0)
    state = line(table, "call, call, call", "AsAh", "KsKh", "QsQh", "JsJh")
    assert table.positions[table.turn(state)] == "UTG"
    assert table.actions(state)[0] == "check"


def test_raises_by_their_number_and_street() -> None:
    table = Holdem(2, 200.0, bets="33%|75%", raises="3x/2x,allin|60%")
    state = table.deal("AsAh", "KsKh")
    assert table.actions(state) == ("fold", "call", "raise 3")
    state = table.next(state, "raise 3")
    assert table.actions(state) == ("fold", "call", "raise 6", "all-in 200")
    state = table.next(table.next(state, "raise 6"), "call")
    for card in ("2c", "3c", "7d"):
        state = table.next(state, card)
    assert table.actions(state) == ("check", "bet 9")


def test_sizes_that_stacks_cut_only_sometimes_are_taken() -> None:
    """Nine times the pot is within 20 big blinds at first, and all-in in larger pots."""
    table = Holdem(2, 20.0, bets="400%", raises="900%|200%")
    assert table.actions(table.deal("AsAh", "KsKh")) == ("fold", "call", "raise 19")
    state = line(table, "call, check", "AsAh", "KsKh")
    for card in ("2c", "3c", "7d"):
        state = table.next(state, card)
    assert table.actions(state) == ("check", "bet 8")
    state = table.next(state, "bet 8")
    assert table.actions(state) == ("fold", "call", "all-in 19")
    for short in (2.0, 1.5):  # the usual sizes are all-in alone
        assert Holdem(2, short).actions(Holdem(2, short).deal("AsAh", "KsKh"))[2:] == (
            f"all-in {short:g}",
        )


def test_tournament_payouts() -> None:
    """Chips by Malmuth and Harville; who is out has the place that is left."""
    assert icm((1, 1), (7, 3)) == pytest.approx((5, 5))
    assert icm((3, 1), (10,)) == pytest.approx((7.5, 2.5))
    assert icm((5000, 3000, 2000), (50, 30, 20)) == pytest.approx((38.392857, 32.75, 28.857143))
    table = jam_or_fold(10.0, 3, payouts=(50.0, 30.0, 20.0))
    state = line(table, "all-in 10, fold, call", "AsAh", "KsKh", "QsQh")
    for card in ("2c", "3c", "7d", "8d", "Tc"):
        state = table.next(state, card)
    won = table.payoff(state)
    left = icm((20.5, 9.5, 0), (50, 30, 20))
    assert won == pytest.approx((left[0] - 100 / 3, left[1] - 100 / 3, 20 - 100 / 3))
    assert sum(won) == pytest.approx(0)


def test_jam_or_fold_has_no_limps_but_for_a_blind_that_is_all_in() -> None:
    assert jam_or_fold(5.0, 3).actions(jam_or_fold(5.0, 3).deal("AsAh", "KsKh", "QsQh")) == (
        "fold",
        "all-in 5",
    )
    short = jam_or_fold((5.0, 5.0, 1.0), 3)
    state = line(short, "fold", "AsAh", "KsKh", "QsQh")
    assert short.actions(state) == ("fold", "call")


@pytest.mark.parametrize(
    "table",
    [
        Holdem(2, 3.0),
        Holdem(3, (2.0, 3.0, 4.0), ante=0.5, raises="allin"),
        jam_or_fold(3.0, 4, payouts=(5.0, 3.0)),
        Holdem(6, 4.0, straddle=2.0, last_street="flop"),
    ],
)
def test_the_contract_of_games(table: Holdem) -> None:
    assert check_game(table, 400).states == 400
    assert load(str(table)) == table


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("holdem(players=1)", "from 2 to 9"),
        ("holdem(stack=0)", "above zero"),
        ("holdem(stack=0.5)", "must pay 1 before"),
        ("holdem:3max(stack=1+2)", "2 stacks for 3 players"),
        ("holdem(blinds=2+1)", "a small and a big one"),
        ("holdem(blinds=1)", "two amounts"),
        ("holdem(bets=frog)", "is not a size"),
        ("holdem(stack=10.3)", "whole chips"),
        ("holdem(straddle=2)", "three and more"),
        ("holdem:3max(straddle=1)", "two big blinds"),
        ("holdem(payouts=3+2+1)", "3 payouts for 2"),
        ("holdem(payouts=1+2)", "the first place"),
        ("holdem(last_street=sixth)", "last_street is one of"),
        ("holdem(limit=2)", "two amounts"),
        ("holdem(chip=-1)", "smallest"),
        ("holdem(rake=1)", "the rate of a rake"),
    ],
)
def test_bad_tables(spec: str, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        load(spec)


def test_sizes_of_a_name_may_be_a_list():
    """As stacks are: several with a plus between them."""
    text = Holdem(stack=9.0, bets="50%,allin")
    assert load("holdem(stack=9,bets=50%+allin)").betting == text.betting
    assert load("holdem(stack=9,bets=allin)").betting != text.betting
