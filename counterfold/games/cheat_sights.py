"""What a player of Cheat sees, and how less is told to one who sees more."""

from __future__ import annotations

from typing import NamedTuple

PERFECT = "perfect"
VIEWS = ("memoryless", "hp", "history", "general", PERFECT)


class Sight(NamedTuple):
    """What a player sees; parts that a view leaves out are empty.

    ``claim`` is ``claim 2`` for who is asked (``claim 2 by 3`` with three players and more), and
    ``laid A+A`` for who has laid it. ``others`` is ``last card`` where another player holds one
    card, and in the perfect view ``others 3+2 pile 4``: the sizes of the other hands in the order
    of seats after the own, and of the pile. ``health`` begins with the own.

    ``history`` has a word a round, oldest first. With a public history it is the cards claimed,
    with ``!`` if they were challenged: ``1 2! 1``. With a perfect memory (see ``read_round``) an
    own discard is told by its cards, ``A+2``, another's by their number, ``x2``; a challenge adds
    ``!true``, or ``!lie`` for own cards, or the cards of another's lie: ``x2!A+3``. With three
    players and more the challenger's number comes before it: ``x2!3=true``. Who takes the pile
    sees all of it: ``x2!true>A+A+3``.
    """

    hand: str
    rank: str
    claim: str
    others: str
    health: str
    history: str


class Round(NamedTuple):
    """A round as one player remembers it."""

    number: int
    cards: tuple[str, ...] | None  # None where they were never seen
    challenger: int | None  # None if nobody challenged, -1 for the only one who could have
    lie: bool | None  # None if nobody challenged


def read_round(word: str) -> Round:
    """A word of a perfect history.

    >>> read_round("x2"), read_round("x2!A+3").cards, read_round("A+2!3=lie").challenger
    (Round(number=2, cards=None, challenger=None, lie=None), ('A', '3'), 2)
    """
    laid, challenged, ending = word.partition(">")[0].partition("!")
    hidden = laid.startswith("x")
    cards = None if hidden else tuple(laid.split("+"))
    number = int(laid[1:]) if hidden else len(laid.split("+"))
    if not challenged:
        return Round(number, cards, None, None)
    who, named, result = ending.rpartition("=")
    if hidden and result != "true":
        cards = tuple(result.split("+"))
    return Round(number, cards, int(who) - 1 if named else -1, result != "true")


def narrowed(seen: Sight, view: str, rounds: int | None = None) -> Sight:
    """What a view tells a player who sees more.

    >>> narrowed(Sight("A 2", "rank A", "", "others 1 pile 0", "3:2", "A+3 x1!true"), "general")
    Sight(hand='A 2', rank='rank A', claim='', others='last card', health='3:2', history='2 1!')
    """
    hand, rank, claim, others, health, history = seen
    if view == PERFECT:
        return seen if rounds is None else seen._replace(history=_last(history, rounds))
    words = _last(history, rounds).split()
    if others.startswith("others "):  # a perfect view
        held = others.split()[1].split("+")
        others = "last card" if "1" in held and not claim else ""
        words = [_public(word) for word in words]
    if view in ("memoryless", "history"):
        health = ""
    if view in ("memoryless", "hp"):
        history = ""
    else:
        history = " ".join(words)
    return Sight(hand, rank, claim, others, health, history)


def _last(history: str, rounds: int | None) -> str:
    return history if rounds is None else " ".join(history.split()[-rounds:])


def _public(word: str) -> str:
    """A word of a perfect history as everybody could write it."""
    laid, challenged, _ = word.partition("!")
    count = laid[1:] if laid.startswith("x") else str(laid.count("+") + 1)
    return f"{count}!" if challenged else count
