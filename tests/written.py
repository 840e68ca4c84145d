"""What small games that tests write have in common."""

from __future__ import annotations

from typing import Any

from counterfold.games.base import Game


class Unfolding(Game):
    """A game whose state is the tuple of all that has happened."""

    def root(self) -> Any:
        return ()

    def next(self, state: Any, action: Any) -> Any:
        return (*state, action)


def game_of_two(name: str, actions: str, sees: str, pays: str, base: str = "cf.Game") -> str:
    """The file of a game of one's own: one acts after the other, and then it is over.

    What can be done, what a ``player`` sees in a ``state`` and what that pays are Python.
    """
    return f"""
import counterfold as cf
class {name}{f"({base})" if base else ""}:
    players = 2
    def root(self): return ()
    def turn(self, state): return len(state) if len(state) < 2 else cf.TERMINAL
    def chance(self, state): return []
    def actions(self, state): return {actions}
    def next(self, state, action): return (*state, action)
    def observe(self, state, player): return {sees}
    def payoff(self, state): return {pays}
"""
