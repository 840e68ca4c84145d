"""Places of a public tree in words: actions and dealt cards, in the suits of whoever asks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from counterfold.arrays import Ints
from counterfold.errors import ParameterError
from counterfold.poker.cards import board_name, card_name, check_distinct, parse_cards
from counterfold.poker.game import DEAL, DECISION, PokerGame
from counterfold.tree.public import PublicTree

Path = str | Sequence[str]
"""Words such as "check, bet 66, call, [7h], check", or a list of them."""

_SAME = np.arange(4)


class OfPoker(Protocol):
    """A form of a poker game."""

    @property
    def game(self) -> PokerGame: ...


class Place(NamedTuple):
    """A betting node and the board that lies there."""

    node: int
    cards: tuple[int, ...]  # the real board, in the order that it was given
    line: tuple[str, ...]  # actions and dealt cards: ("check", "bet 66", "call", "[7h]")


def find_boards(tree: PublicTree, cards: Iterable[int]) -> tuple[tuple[int, ...], Ints]:
    """The boards of the tree that stand for a real board, street by street, and the renaming.

    ``names[suit]`` is the suit of the tree that stands for a suit of the real board on all of
    these boards.
    """
    game, names, number = tree.game, _SAME, 0
    found = [0]
    for dealt in _by_street(game, tuple(int(card) for card in cards))[1:]:
        given, board = np.array(dealt), tree.boards[number]
        sets = np.sort(given // 4 * 4 + board.renamings[:, names][:, given % 4], 1)
        best = int((sets @ 64 ** np.arange(len(given))).argmin())  # as boards_of chooses
        names = board.renamings[best][names]
        wanted = board.cards + tuple(sets[best].tolist())
        number = next(k for k in tree.children[number] if tree.boards[k].cards == wanted)
        found.append(number)
    return tuple(found), names


def find_board(tree: PublicTree, cards: Iterable[int]) -> tuple[int, Ints]:
    """The board of the tree that stands for a real board, and how suits are renamed for it.

    >>> from counterfold.poker.cards import parse_cards
    >>> from counterfold.poker.holdem import fhp
    >>> tree = PublicTree(fhp(deck="QKA"))
    >>> number, names = find_board(tree, parse_cards("As Kh Ah"))
    >>> board_name(tree.boards[number].cards), names.tolist()
    ('Kc Ac Ad', [2, 3, 0, 1])
    """
    numbers, names = find_boards(tree, cards)
    return numbers[-1], names


def _by_street(game: PokerGame, cards: tuple[int, ...]) -> list[tuple[int, ...]]:
    """A real board cut into what lies at first and what each street brings."""
    begin = len(game.board)
    sizes = [begin + sum(game.rules.deal[1 : k + 1]) for k in range(game.betting.streets)]
    check_distinct(cards)
    for card in cards:
        if card not in game.rules.deck:
            raise ParameterError(f"{card_name(card)} is not in the deck of {game.name}")
    if len(cards) not in sizes:
        allowed = " or ".join(map(str, sizes))
        raise ParameterError(
            f"the board {board_name(cards)} has {len(cards)} cards; boards of {game.name} have "
            f"{allowed}"
        )
    if set(cards[:begin]) != set(game.board):
        raise ParameterError(
            f"the board {board_name(cards)} does not begin with {board_name(game.board)}"
        )
    street = sizes.index(len(cards))
    return [cards[:begin], *(cards[sizes[k] : sizes[k + 1]] for k in range(street))]


def find_place(tree: OfPoker, path: Path = "", board: Sequence[int] = ()) -> Place:
    """The place that words lead to.

    Actions go by their labels or by any unique beginning of one; cards that are dealt are in
    square brackets or not, or come from ``board`` where the words leave them out.

    >>> from counterfold.poker.holdem import fhp
    >>> tree = PublicTree(fhp(deck="QKA"))
    >>> find_place(tree, "raise, call, [As Kh Qd], check").line
    ('raise', 'call', '[As Kh Qd]', 'check')
    >>> find_place(tree, "fo, As Kh Qd")
    Traceback (most recent call last):
    ...
    counterfold.errors.ParameterError: the hand is over after fold; nothing can follow as 'As Kh Qd'
    """
    words = words_of(path)
    place = Place(0, tuple(tree.game.board), ())
    for word in words:
        if board and not word.startswith("["):
            place = _from_board(tree.game, place, board)
        place = _after(tree.game, place, word)
    if not board:
        return place
    place = _from_board(tree.game, place, board)
    if len(place.cards) < len(board):
        raise ParameterError(
            f"after {', '.join(place.line) or 'nothing'!r} the board has {len(place.cards)} cards, "
            f"not {len(board)}: say how the betting went on each street"
        )
    return place


def _from_board(game: PokerGame, place: Place, board: Sequence[int]) -> Place:
    """The place after the cards of a board that come there, as many as there are."""
    while game.betting.kind[place.node] == DEAL:
        after = game.rules.deal[int(game.betting.street[place.node]) + 1]
        dealt = board[len(place.cards) : len(place.cards) + after]
        if len(dealt) < after or not after:
            break
        place = _dealt(game, place, board_name(dealt))
    return place


def children(tree: PublicTree, place: Place) -> dict[str, Place]:
    """What can come after a place by the label of each action; nothing at a deal or an end."""
    betting, node = tree.game.betting, place.node
    if betting.kind[node] != DECISION:
        return {}
    return {
        betting.label[child]: Place(child, place.cards, (*place.line, betting.label[child]))
        for child in betting.children(node)
    }


def cards_after(tree: OfPoker, path: Path | Place) -> dict[int, Place]:
    """Every card that can come after a place as a turn or a river, from the highest."""
    place = path if isinstance(path, Place) else find_place(tree, path)
    game, count = tree.game, 0
    if game.betting.kind[place.node] == DEAL:
        count = game.rules.deal[int(game.betting.street[place.node]) + 1]
    if count != 1:
        what = f"{count} cards come at once" if count else "no card comes"
        raise ParameterError(
            f"{what} after {', '.join(place.line) or 'nothing'!r}; name a line that ends a "
            "street before a turn or a river, such as 'check, check'"
        )
    left = (card for card in reversed(game.rules.deck) if card not in place.cards)
    return {card: _dealt(game, place, board_name([card])) for card in left}


def deals_of(tree: PublicTree, texts: Iterable[str]) -> list[tuple[str, ...]]:
    """Cards dealt after the first board, as words for each street: "7h 2c" is [7h], then [2c]."""
    game, found = tree.game, []
    for text in texts:
        streets = _by_street(game, (*game.board, *parse_cards(text.strip(" []"))))
        found.append(tuple(f"[{board_name(cards)}]" for cards in streets[1:]))
    return found


def words_of(path: Path) -> list[str]:
    """The words between commas; commas in brackets are between cards."""
    if not isinstance(path, str):
        return [str(word).strip() for word in path]
    return [word.strip() for word in re.split(r",(?![^\[]*\])", path)] if path.strip() else []


def _after(game: PokerGame, place: Place, word: str) -> Place:
    betting, node = game.betting, place.node
    if betting.kind[node] == DEAL:
        return _dealt(game, place, word)
    after = f"after {', '.join(place.line)}" if place.line else "at the start"
    if betting.kind[node] != DECISION:
        raise ParameterError(f"the hand is over {after}; nothing can follow as {word!r}")
    chosen = choose(betting.actions(node), word, after)
    line = (*place.line, betting.actions(node)[chosen])
    return Place(int(betting.first[node]) + chosen, place.cards, line)


def choose(labels: Sequence[str], word: str, where: str) -> int:
    """The place of an action by its label, or by a beginning that only one has."""
    fits = fitting(labels, word)
    if len(fits) != 1:
        told = "could be several actions" if fits else "is no action"
        choices = ", ".join([labels[k] for k in fits] if fits else labels)
        raise ParameterError(f"{word!r} {told} {where}; choose one of: {choices}")
    return fits[0]


def fitting(labels: Sequence[str], word: str) -> list[int]:
    """The actions that a word is or begins; case, spaces and hyphens do not matter.

    A beginning has whole numbers only: "raise 3" is no raise to 3.5.

    >>> fitting(["call", "raise 3.5"], "r"), fitting(["call", "raise 3.5"], "raise 3")
    ([1], [])
    """
    if word in labels:
        return [labels.index(word)]
    plain, wanted = [_plain(label) for label in labels], _plain(word)
    found = [k for k, label in enumerate(plain) if label == wanted]
    begins = re.compile(re.escape(wanted) + (r"(?![\d.])" if wanted[-1:].isdigit() else ""))
    return found or [k for k, label in enumerate(plain) if wanted and begins.match(label)]


def _plain(label: str) -> str:
    return re.sub(r"[\s-]", "", label.casefold())


def _dealt(game: PokerGame, place: Place, word: str) -> Place:
    """The place after cards have come."""
    street = int(game.betting.street[place.node]) + 1
    count = game.rules.deal[street]
    name = game.streets[street] if street < len(game.streets) else "next street"
    try:
        cards = parse_cards(word.strip(" []"))
    except ParameterError as error:
        raise ParameterError(
            f"the {name} is dealt after {', '.join(place.line)}: {error}"
        ) from None
    if len(cards) != count:
        cards_of = "one card" if count == 1 else f"{count} cards"
        raise ParameterError(f"the {name} has {cards_of}, and {word!r} has {len(cards)}")
    _by_street(game, (*place.cards, *cards))
    label = f"[{board_name(cards)}]"
    first = int(game.betting.first[place.node])
    return Place(first, (*place.cards, *cards), (*place.line, label))
