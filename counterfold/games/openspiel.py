"""Any OpenSpiel game, played through the seven methods of ``Game``.

OpenSpiel is an extra: it is imported when the first such game is made.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from counterfold.errors import MissingExtraError, SpecError, UnsupportedError, short
from counterfold.games.base import CHANCE, TERMINAL, Game

_PREFIX = "openspiel:"


class SpielState(Protocol):
    """A state as OpenSpiel has it."""

    def current_player(self) -> int: ...
    def legal_actions(self) -> list[int]: ...
    def action_to_string(self, player: int, action: int, /) -> str: ...
    def chance_outcomes(self) -> list[tuple[int, float]]: ...
    def child(self, action: int, /) -> SpielState: ...
    def history_str(self) -> str: ...
    def information_state_string(self, player: int = ..., /) -> str: ...
    def is_chance_node(self) -> bool: ...
    def is_terminal(self) -> bool: ...
    def returns(self) -> list[float]: ...


class _Kind(Protocol):
    """What OpenSpiel says of a game, as far as it is asked here."""

    dynamics: object
    chance_mode: object
    information: object
    provides_information_state_string: bool


class SpielGame(Protocol):
    """A game as OpenSpiel has it."""

    def num_players(self) -> int: ...
    def get_type(self) -> _Kind: ...
    def new_initial_state(self) -> SpielState: ...


class OpenSpielState:
    """A state of OpenSpiel that nobody changes: equal histories are equal states.

    >>> game = OpenSpielGame("kuhn_poker")
    >>> game.next(game.root(), "Deal:2") == game.next(game.root(), "Deal:2")
    True
    """

    __slots__ = ("_ids", "history", "native", "turn")

    def __init__(self, native: SpielState, history: tuple[int, ...]) -> None:
        self.native = native
        self.history = history
        turn = native.current_player()
        self.turn: int = turn if turn >= 0 or turn == CHANCE else TERMINAL
        self._ids: dict[str, int] | None = None

    @property
    def ids(self) -> dict[str, int]:
        """The legal actions by name, in OpenSpiel's order; computed once a state."""
        if self._ids is None:
            self._ids = _named(self.native, self.turn)
        return self._ids

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenSpielState) and self.history == other.history

    def __hash__(self) -> int:
        return hash(self.history)

    def __repr__(self) -> str:
        return f"OpenSpielState({list(self.history)})"


class OpenSpielGame(Game):
    """An OpenSpiel game by the text that OpenSpiel itself loads it with.

    Simultaneous moves become turns: later movers of a round do not see the earlier ones.

    >>> game = OpenSpielGame("leduc_poker(players=3)")
    >>> str(game), game.players
    ('openspiel:leduc_poker(players=3)', 3)
    >>> game = OpenSpielGame("kuhn_poker")
    >>> dealt = game.next(game.next(game.root(), "Deal:2"), "Deal:0")
    >>> dealt, game.observe(dealt, 1), game.actions(dealt)
    (OpenSpielState([2, 0]), '0', ['Pass', 'Bet'])
    """

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise SpecError(f"OpenSpiel's games are told by their names, and not by {short(text)}")
        text = text.removeprefix(_PREFIX)
        self.spec = _PREFIX + text
        self.native = _load(text)
        self.players = self.native.num_players()
        self._observe_history = not self.native.get_type().provides_information_state_string

    def root(self) -> OpenSpielState:
        return OpenSpielState(self.native.new_initial_state(), ())

    def turn(self, state: OpenSpielState) -> int:
        return state.turn

    def chance(self, state: OpenSpielState) -> Sequence[tuple[str, float]]:
        """Outcomes of a chance node with their probabilities; impossible ones are left out."""
        probability = dict(state.native.chance_outcomes())
        return [
            (name, probability[action]) for name, action in state.ids.items() if probability[action]
        ]

    def actions(self, state: OpenSpielState) -> Sequence[str]:
        """Legal actions under OpenSpiel's own names."""
        return list(state.ids)

    def next(self, state: OpenSpielState, action: Hashable) -> OpenSpielState:
        chosen = state.ids[str(action)]
        return OpenSpielState(state.native.child(chosen), (*state.history, chosen))

    def observe(self, state: OpenSpielState, player: int) -> str:
        """OpenSpiel's information state of this player."""
        if self._observe_history:
            return " ".join(map(str, state.history))
        return state.native.information_state_string(player)

    def payoff(self, state: OpenSpielState) -> Sequence[float]:
        return state.native.returns()


def _named(native: SpielState, turn: int) -> dict[str, int]:
    legal = native.legal_actions()
    named = {native.action_to_string(turn, action): action for action in legal}
    if len(named) == len(legal):
        return named
    # Two actions share a name: those, and only those, also carry their number.
    texts = [native.action_to_string(turn, action) for action in legal]
    return {
        text if texts.count(text) == 1 else f"{text} #{action}": action
        for text, action in zip(texts, legal, strict=True)
    }


def _load(text: str) -> SpielGame:
    try:
        import pyspiel
    except ImportError:
        raise MissingExtraError(
            f"{_PREFIX}{text} needs OpenSpiel, which is not installed: "
            "pip install 'counterfold[openspiel]'"
        ) from None
    if text.startswith("python_"):
        import open_spiel.python.games  # noqa: F401 (importing registers them)
    try:
        with _silent_stderr():
            game: SpielGame = pyspiel.load_game(text)
            if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
                game = pyspiel.convert_to_turn_based(game)
    except Exception as error:  # a missing parameter may be an IndexError of its C++ code
        known = isinstance(error, pyspiel.SpielError)
        why = _one_line(str(error)) if known else "it fails as if a parameter were missing"
        raise SpecError(
            f"OpenSpiel cannot load '{text}': {why}; "
            "give it as OpenSpiel writes it, for example openspiel:leduc_poker(players=3)."
        ) from None
    kind = game.get_type()
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise UnsupportedError(
            f"{_PREFIX}{text} is a mean-field game, which has no tree of finitely many players."
        )
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise UnsupportedError(
            f"{_PREFIX}{text} draws its chance outcomes inside OpenSpiel without telling their "
            "probabilities, so it cannot be solved as a tree."
        )
    # With perfect information and turns, everything that happened is what a player knows.
    seen = kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
    if not kind.provides_information_state_string and not seen:
        raise UnsupportedError(
            f"{_PREFIX}{text} does not tell what its players know (OpenSpiel provides no "
            "information states for it), so it has no infosets to solve."
        )
    return game


def _one_line(message: str) -> str:
    """What OpenSpiel says, without its lists of games and its source file's path.

    >>> _one_line("Unknown game 'x'. Available games are:\\n2048\\nchess")
    "Unknown game 'x'"
    """
    lines = message.strip().splitlines() or ["no reason given"]
    first = lines[0].split(". Available games are")[0]
    if "/open_spiel/" in first.split(" ")[0]:
        first = "it breaks the check " + " ".join([*first.split(" ")[1:], *lines[1:2]])
    return " ".join(first.split()).rstrip(".:").replace(". ", ", ")


@contextmanager
def _silent_stderr() -> Iterator[None]:
    """OpenSpiel's C++ code writes its errors to file descriptor 2 before raising them."""
    try:
        kept = os.dup(2)
    except OSError:
        yield
        return
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(sink, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(sink)
        os.close(kept)
