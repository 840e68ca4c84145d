"""Which key stands for which action, and what a person's answer means."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from counterfold.games.base import label

QUIT = "q"
"""The one letter that is never an action's."""


class Key(NamedTuple):
    """A key, the action it stands for, and the action's name."""

    key: str
    action: Hashable
    name: str

    @property
    def told(self) -> str:
        """How the key is shown.

        >>> Key("b", "bet", "bet").told, Key("2", "1x2", "1x2").told, Key("3", 3, "3").told
        ('[b]et', '[2] 1x2', '[3]')
        """
        if self.key == self.name or (self.key.isalpha() and self.name.lower()[:1] == self.key):
            return f"[{self.name[: len(self.key)]}]{self.name[len(self.key) :]}"
        return f"[{self.key}] {self.name}"


def keys(actions: Sequence[Hashable]) -> list[Key]:
    """A key for each action: a number that is its name, its first letter, or its place.

    >>> [key.told for key in keys(("fold", "call", "raise"))]
    ['[f]old', '[c]all', '[r]aise']
    >>> [key.told for key in keys(("2x5", "2x6", "liar"))]
    ['[1] 2x5', '[2] 2x6', '[l]iar']
    >>> [key.told for key in keys(("1", "2", "4"))]
    ['[1]', '[2]', '[4]']
    """
    names = [label(action) for action in actions]
    if all(name.isdecimal() for name in names) and len(set(names)) == len(names):
        return [Key(name, action, name) for name, action in zip(names, actions, strict=True)]
    letters = [name[:1].lower() for name in names]
    found = []
    for place, (name, action) in enumerate(zip(names, actions, strict=True), start=1):
        letter = name[:1].lower()
        own = letter.isalpha() and letter != QUIT and letters.count(letter) == 1
        found.append(Key(letter if own else str(place), action, name))
    return found


def meant(answer: str, choices: Sequence[Key]) -> Key | None:
    """The action that an answer means: its name, its key, its place, or how its name begins.

    >>> choices = keys(("check", "bet"))
    >>> [meant(text, choices).name for text in ("b", "1", "CHECK", "be")]
    ['bet', 'check', 'check', 'bet']
    >>> meant("x", choices)
    """
    for key in choices:
        if key.name == answer:
            return key
    low = answer.lower()
    for wanted in ([k for k in choices if k.name.lower() == low], _by_key(low, choices)):
        if len(wanted) == 1:
            return wanted[0]
    begun = [k for k in choices if len(low) > 1 and k.name.lower().startswith(low)]
    return begun[0] if len(begun) == 1 and low[0].isalpha() else None


def _by_key(answer: str, choices: Sequence[Key]) -> list[Key]:
    found = [key for key in choices if key.key == answer]
    numbers = all(key.name.isdecimal() for key in choices)  # then a place would be mistaken for one
    if found or numbers:
        return found
    return [key for place, key in enumerate(choices, start=1) if str(place) == answer]
