"""Poker games that have a name: Flop Hold'em, and Kuhn and Leduc as games of ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Floats
from counterfold.errors import ParameterError
from counterfold.games.betting import LimitPoker
from counterfold.games.leduc import Leduc
from counterfold.games.onecard import Kuhn, OneCard
from counterfold.games.spec import positive, whole
from counterfold.poker.betting import build, limit
from counterfold.poker.cards import (
    CARDS,
    HIGH,
    LOW,
    RANKS,
    cards_name,
    check_distinct,
    parse_cards,
)
from counterfold.poker.game import CardRules, PokerGame

FULL_DECK = tuple(range(CARDS))
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"
)  # fmt: skip


def parse_deck(given: object) -> tuple[int, ...]:
    """A deck: None for all 52 cards, ranks (in all suits), cards in words, or their numbers.

    >>> len(parse_deck(None)), len(parse_deck("TJQKA")), parse_deck("As Kd")
    (52, 20, (45, 51))
    """
    if given is None:
        return FULL_DECK
    if not isinstance(given, str):
        parts = list(given) if isinstance(given, Iterable) else [given]
        numbers = [int(part) for part in parts if isinstance(part, int | np.integer)]
        if len(numbers) == len(parts):
            return tuple(sorted(check_distinct(numbers)))
        given = "".join(str(part) for part in parts)
    ranks = given.upper().replace(" ", "").replace(",", "")
    if ranks and not set(ranks) - set(RANKS):
        return tuple(card for card in FULL_DECK if RANKS[card // 4] in ranks)
    return tuple(sorted(parse_cards(given)))


def holdem_rules(deal: Sequence[int], deck: object = None) -> CardRules:
    """Hold'em: two cards each, and the best five with those on the board win.

    ``deal`` has the cards that come at the beginning of each street, 0 for the first. A smaller
    deck keeps the order of hands.

    >>> holdem_rules((0, 3), deck="TJQKA").deal
    (0, 3)
    """
    from counterfold.poker.showdown import strengths

    return CardRules(parse_deck(deck), 2, tuple(deal), strengths)


def holdem_range(deck: Sequence[int]) -> Floats:
    """All holes of a deck, each as likely as another."""
    return (np.isin(LOW, deck) & np.isin(HIGH, deck)).astype(np.float64)


def fhp(
    cap: int = 4,
    raises: Sequence[float] = (2, 2),
    blinds: Sequence[float] = (1, 2),
    deck: object = None,
) -> PokerGame:
    """Flop Hold'em: limit hold'em that ends after the betting on the flop.

    Player 0 has the small blind, acts first before the flop and second on it. ``cap`` is the
    most bets on a street; before the flop the big blind is the first of them.

    >>> game = fhp()
    >>> [game.betting.label[child] for child in game.betting.children(0)]
    ['fold', 'call', 'raise']
    """
    whole("cap", cap, 1, 50)
    raises, blinds = _pair("raises", raises), _pair("blinds", blinds)
    if blinds[0] > blinds[1]:
        raise ParameterError(f"the small blind {blinds[0]} is more than the big one {blinds[1]}")
    rules = holdem_rules((0, 3), deck)
    if len(rules.deck) < 7:
        raise ParameterError(
            f"{len(rules.deck)} cards are too few for two hands and a flop; give at least 7"
        )
    betting = limit(blinds, raises, cap, posted=blinds, opened=1, first=(0, 1))
    told = {"cap": cap, "raises": list(raises), "blinds": list(blinds)}
    if rules.deck != FULL_DECK:
        told["deck"] = cards_name(rules.deck)
    hands = holdem_range(rules.deck)
    return PokerGame(
        name="fhp",
        rules=rules,
        betting=build(betting),
        board=(),
        ranges=(hands, hands),
        players=("sb", "bb"),
        big_blind=float(blinds[1]),
        streets=("preflop", "flop"),
        about={"game": "fhp", "parameters": told},
    )


def kuhn(players: int = 2) -> PokerGame:
    """Kuhn poker: a card of spades more than players, the king the highest of three; ante 1, one
    bet of 1.

    >>> len(kuhn().betting), int(kuhn().ranges[0].sum()), len(kuhn(players=3).betting)
    (9, 3, 25)
    """
    game = Kuhn(players=players)
    return _limit_game(game, "kuhn", {"players": players} if players != 2 else {})


def one_card(ranks: int = 13, suits: int = 1, ante: float = 1, bet: float = 1) -> PokerGame:
    """One-card poker: ante, one private card, one bet that the other calls or folds to."""
    game = OneCard(ranks=ranks, suits=suits, ante=ante, bet=bet)
    told = {"ranks": ranks, "suits": suits, "ante": float(ante), "bet": float(bet)}
    return _limit_game(game, "one_card", told)


def leduc(
    ranks: int = 3,
    suits: int = 2,
    ante: float = 1,
    raises: Sequence[float] = (2, 4),
    max_raises: int = 2,
    players: int = 2,
) -> PokerGame:
    """Leduc poker: a private card, a card on the board, and limit betting after each.

    A pair with the board wins, then the higher card; the parameters are those of the game
    ``leduc`` in history form.

    >>> leduc(raises=(1, 2)).betting.streets
    2
    """
    game = Leduc(players, ranks, suits, ante, tuple(raises), max_raises)
    told = {
        "ranks": ranks,
        "suits": suits,
        "ante": float(ante),
        "raises": [float(amount) for amount in raises],
        "max_raises": max_raises,
        **({"players": players} if players != 2 else {}),
    }
    return _limit_game(game, "leduc", told)


POKER_GAMES: dict[str, Callable[..., PokerGame]] = {
    "fhp": fhp,
    "kuhn": kuhn,
    "leduc": leduc,
    "one_card": one_card,
}
"""Games by name; their parameters are keywords."""


def _ranks(boards: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """The higher card wins, whatever the board."""
    return np.tile(np.arange(CARDS, dtype=np.uint32) // 4, (len(boards), 1))


def _pairs_first(boards: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """A pair with the one card of the board wins, then the higher card."""
    ranks = _ranks(boards)
    found: NDArray[np.uint32] = ranks + np.uint32(13) * (ranks == boards[:, :1] // 4)
    return found


def _limit_game(game: LimitPoker, name: str, parameters: Mapping[str, object]) -> PokerGame:
    """A game of one private card in ranges."""
    whole("ranks", game.ranks, 1, 13)
    whole("suits", game.suits, 1, 4)
    streets = len(game.raises)
    strengths = _ranks if streets == 1 else _pairs_first
    # The cards under the names that the history form gives them.
    top = 11 if game.ranks <= 3 else 12  # up to three ranks end with the king
    ranks, suits = range(top - game.ranks + 1, top + 1), range(4 - game.suits, 4)
    deck = tuple(4 * rank + suit for rank in ranks for suit in suits)
    hands = np.zeros(CARDS)
    hands[list(deck)] = 1.0
    return PokerGame(
        name=name,
        rules=CardRules(deck, 1, (0, 1)[:streets], strengths),
        betting=build(
            limit(
                (float(game.ante),) * game.players, tuple(map(float, game.raises)), game.max_raises
            )
        ),
        board=(),
        ranges=(hands,) * game.players,
        players=ORDINALS[: game.players],
        streets=tuple(f"round {street + 1}" for street in range(streets)),
        about={"game": name, "parameters": parameters},
    )


def _pair(name: str, values: object) -> tuple[float, float]:
    if not isinstance(values, tuple | list) or len(values) != 2:
        raise ParameterError(f"{name} are two amounts, such as 2+4, not {values!r}")
    return float(positive(name, values[0])), float(positive(name, values[1]))
