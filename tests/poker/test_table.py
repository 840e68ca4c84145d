"""Tables of hold'em: by hand, by the contract of games, and against PokerKit to the chip."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from counterfold.poker.cards import card_name, cards_name
from counterfold.poker.game import DEAL, DECISION, SHOWDOWN
from counterfold.poker.showdown import strength
from counterfold.poker.table import DEALT, Holdem

pokerkit = pytest.importorskip("pokerkit")

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


def random_table(rng: random.Random) -> Holdem:
    n = rng.randint(2, 6)
    straddle = float(rng.choice([0, 4])) if n > 2 else 0.0
    ante, big_ante = float(rng.choice([0, 0, 1])), float(rng.choice([0, 0, 2]))
    deep = rng.choice([12, 40, 200])
    return Holdem(
        players=n,
        stack=tuple(float(rng.randint(8, deep)) for _ in range(n)),
        blinds=(1.0, 2.0),
        ante=ante,
        big_blind_ante=big_ante,
        straddle=straddle,
        bets="33%,allin",
        raises="50%,allin",
        chip=1.0,
    )


def short_opening(state: Any) -> bool:
    """Whether an all-in of less than a blind has opened the betting, or raised the blinds.

    PokerKit then lets those raise who have acted already; we do as the rules of tournaments do.
    """
    return state.betting.step == 0 and max(state.betting.bets) > 0


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
        unsettled = now.shut >> player & 1 and bounds is None and least is not None
        if unsettled:
            assert level - now.bets[player] < table.betting.least
        else:
            assert (bounds is None) == (least is None), (table, state)
        if bounds is not None:
            most = other.max_completion_betting_or_raising_to_amount
            assert bounds == (min(least, bounds[1]), min(most, bounds[1])), (table, state)
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
    betting = table.betting
    free = Holdem(**{**_fields(table), "bets": f"{chips:g}", "raises": f"{chips:g}"})
    found = [after for name, after in free.betting.moves(state.betting) if name[0] in "bra"]
    assert len(found) == 1, (chips, free.betting.moves(state.betting))
    assert max(found[0].bets) == chips or found[0].kind != DECISION
    assert betting.paid == free.betting.paid
    return found[0]


def _fields(table: Holdem) -> dict[str, Any]:
    return {name: getattr(table, name) for name in table.__dataclass_fields__}


def _street_to_come(state: Any) -> int:
    return state.betting.street + 1 if state.betting.kind == DEAL else len(DEALT) - 1


@pytest.mark.parametrize("seed", range(4))
def test_pokerkit_agrees(seed: int) -> None:
    rng = random.Random(seed)
    decisions = sum(play(random_table(rng), rng) for _ in range(500))
    assert decisions > 2000
