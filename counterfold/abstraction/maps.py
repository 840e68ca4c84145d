"""Maps over observations: a game whose players are told less, or told it another way."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from counterfold.errors import ParameterError, SpecError, UnsupportedError, short
from counterfold.files.text import whole_of
from counterfold.games.base import Game, State, label, spec_of
from counterfold.games.spec import whole, written
from counterfold.tree.rules import players_of

MOST_KEPT = 100_000
"""Lists of actions that are kept for observations met again."""


class Map:
    """A map over observations. Where it leaves out something that actions are named by, it
    names the actions anew, so that one mapped observation has one list of actions."""

    name: str = ""
    """As it is written on the command line."""

    renames: bool = False
    """Does it name actions anew?"""

    def fitted(self, game: object) -> Map:
        """The map for this game; an error of one sentence where it has nothing to map."""
        return self

    def shrunk(self, game: Game) -> Game:
        """The game with less in its states, where the map makes that possible."""
        return game

    def see(self, seen: Hashable) -> Hashable:
        """What is seen through the map."""
        raise NotImplementedError

    def call(self, seen: Hashable, action: Hashable) -> Hashable:
        """The name of an action for a player who sees this before the map."""
        return action


class Through(Map):
    """A map from any function of an observation.

    >>> from counterfold.games.leduc import Leduc
    >>> card_only = Mapped(Leduc(), Through(lambda seen: seen[0], "card"))
    >>> str(card_only)
    'mapped(game=leduc,maps=card)'
    """

    def __init__(
        self,
        see: Callable[[object], Hashable],
        name: str = "function",
        call: Callable[[object, object], Hashable] | None = None,
    ) -> None:
        self.name, self._see, self._call = name, see, call
        self.renames = call is not None

    def see(self, seen: Hashable) -> Hashable:
        return self._see(seen)

    def call(self, seen: Hashable, action: Hashable) -> Hashable:
        return action if self._call is None else self._call(seen, action)


class Drop(Map):
    """Leaves out parts of an observation, named as the game names them or counted from 0.

    >>> from counterfold.games.cheat import Sight
    >>> Drop("health").see(Sight("A 2", "rank A", "", "", "3:2", "")).health
    ''
    """

    verb, example = "drop", "drop=health"

    def __init__(self, *parts: str | int) -> None:
        if not parts:
            raise ParameterError(f"say which parts to {self.verb}, such as {self.example}")
        self.parts = parts
        self.name = f"{self.verb}={'+'.join(map(str, parts))}"

    def see(self, seen: Hashable) -> Hashable:
        return self._blanked(seen, _places(seen, self.parts, self.name))

    def _blanked(self, seen: Hashable, places: Sequence[int]) -> Hashable:
        for place in places:
            seen = _put(seen, place, "")
        return seen


class Keep(Drop):
    """Leaves out all parts of an observation but these.

    >>> from counterfold.games.cheat import Sight
    >>> label(Keep("hand", "claim").see(Sight("A 2", "rank A", "claim 1", "", "3:2", "")))
    'A 2 | claim 1'
    """

    verb, example = "keep", "keep=hand+rank"

    def _blanked(self, seen: Hashable, places: Sequence[int]) -> Hashable:
        parts = seen if isinstance(seen, tuple) else ()
        return super()._blanked(seen, [n for n in range(len(parts)) if n not in places])


class LastRounds(Map):
    """Remembers only the last words of a history, one word a round.

    >>> from counterfold.games.cheat import Sight
    >>> LastRounds(2).see(Sight("A", "rank A", "", "", "", "1 2! 1")).history
    '2! 1'
    """

    def __init__(self, rounds: int, part: str | int = "history") -> None:
        self.rounds = whole("rounds", rounds, least=1)
        self.part = part
        self.name = f"rounds={rounds}"

    def shrunk(self, game: Game) -> Game:
        """A game that has a parameter ``rounds`` keeps no more than that in its states."""
        if is_dataclass(game) and any(f.name == "rounds" for f in fields(game)):
            before = getattr(game, "rounds", None)
            fewer = self.rounds if before is None else min(before, self.rounds)
            return replace(game, rounds=fewer)
        return game

    def see(self, seen: Hashable) -> Hashable:
        (place,) = _places(seen, (self.part,), self.name)
        assert isinstance(seen, tuple)
        words = str(seen[place]).split()
        return seen if len(words) <= self.rounds else _put(seen, place, self._last(words))

    def _last(self, words: Sequence[str]) -> str:
        return " ".join(words[-self.rounds :])


class RelativeCards(Map):
    """Cards as steps from the current rank, which is then left out: only that matters.

    It fits games that name their ranks in turn in ``rank_names``, with the parts ``hand`` and
    ``rank`` in what players see.

    >>> from counterfold.games.cheat import Cheat, Sight
    >>> cards = RelativeCards().fitted(Cheat(ranks=6))
    >>> label(cards.see(Sight("A 2 4 5", "rank 4", "", "", "", "")))
    '0 1 3 4'
    >>> cards.call(Sight("A 2 4 5", "rank 4", "", "", "", ""), "5 A")
    '1 3'
    """

    name = "cards"
    renames = True

    def __init__(self, ranks: Sequence[str] = (), hand: str = "hand", rank: str = "rank") -> None:
        self.ranks, self.hand, self.rank = tuple(ranks), hand, rank
        self._place = {name: place for place, name in enumerate(self.ranks)}
        self._turned: dict[tuple[str, str], str] = {}

    def fitted(self, game: object) -> Map:
        names = getattr(game, "rank_names", None)
        if not names:
            raise UnsupportedError(
                f"{spec_of(game)} has no ranks that go round, so its cards cannot be relative"
            )
        return RelativeCards(names, self.hand, self.rank)

    def see(self, seen: Hashable) -> Hashable:
        hand, rank = _places(seen, (self.hand, self.rank), self.name)
        assert isinstance(seen, tuple)
        return _put(_put(seen, hand, self._relative(seen[hand], seen[rank])), rank, "")

    def call(self, seen: Hashable, action: Hashable) -> Hashable:
        _, rank = _places(seen, (self.hand, self.rank), self.name)
        assert isinstance(seen, tuple)
        return self._relative(str(action), seen[rank])

    def _relative(self, cards: str, rank: str) -> str:
        """Cards in words, as steps from the rank; words that are no cards stay."""
        told = self._turned.get((cards, rank))
        if told is None:
            if len(self._turned) > 1_000_000:
                self._turned.clear()
            words, now = cards.split(), self._place[rank.split()[-1]]
            if all(word in self._place for word in words):
                steps = sorted((self._place[word] - now) % len(self.ranks) for word in words)
                told = " ".join(map(str, steps))
            else:
                told = cards
            self._turned[cards, rank] = told
        return told


class Called(str):
    """A name that knows the game's own action."""

    __slots__ = ("own",)
    own: Hashable


class Mapped(Game):
    """A game seen through maps, one after another.

    The rules stay; players are told what the maps let through. That may be less than they need
    to remember what they did: imperfect recall, which the engines allow.

    >>> from counterfold.games.cheat import Cheat
    >>> from counterfold.tree.history import compile_game
    >>> game = Mapped(Cheat(view="memoryless"), RelativeCards())
    >>> len(compile_game(game).infosets.owner)
    100
    >>> str(game)
    'mapped(game="cheat(view=memoryless)",maps=cards)'
    """

    def __init__(self, game: Game, *maps: Map) -> None:
        if isinstance(game, Mapped):
            maps = (*game.maps, *maps)
            game = game.game
        for one in maps:
            game = one.shrunk(game)
        self.game: Game = game
        self.maps: tuple[Map, ...] = tuple(one.fitted(game) for one in maps)
        self.players = players_of(game)
        self.spec = f"mapped(game={written(spec_of(game))},maps={written(self.told)})"
        self._renames = any(one.renames for one in self.maps)
        self._menus: dict[Hashable, tuple[Called, ...]] = {}
        self._last: tuple[State, int, Hashable] = (None, -1, None)
        self._own_adopt = getattr(game, "adopt", None)
        self.root, self.turn = game.root, game.turn  # type: ignore[method-assign]
        self.payoff = game.payoff  # type: ignore[method-assign]
        if hasattr(game, "chance"):
            self.chance = game.chance  # type: ignore[method-assign]

    @property
    def told(self) -> str:
        """The maps as they are written on the command line."""
        return ",".join(one.name for one in self.maps)

    def __getattr__(self, name: str) -> Any:
        if name in ("game", "maps"):  # before they are set
            raise AttributeError(name)
        return getattr(self.game, name)  # merge, shown and whatever else the game has

    def observe(self, state: State, player: int) -> Hashable:
        return self.through(self._sight(state, player))

    def through(self, seen: Hashable) -> Hashable:
        """What is told to one who sees this in the game itself."""
        if seen is None:
            return None
        for one in self.maps:
            seen = one.see(seen)
        return seen

    def adopt(self, seen: Hashable) -> Hashable:
        """What is told to one who sees this in the game with a fuller view."""
        return self.through(self._own_adopt(seen) if self._own_adopt else seen)

    def actions(self, state: State) -> Sequence[Hashable]:
        if not self._renames:
            return self.game.actions(state)
        return self._menu(state)

    def next(self, state: State, action: Hashable) -> State:
        if isinstance(action, Called):
            return self.game.next(state, action.own)
        if self._renames and self.turn(state) >= 0:
            return self.game.next(state, self._meant(state, action))
        return self.game.next(state, action)

    def _meant(self, state: State, action: Hashable) -> Hashable:
        """The game's own action for a name."""
        own = next((name.own for name in self._menu(state) if name == action), None)
        if own is None:
            raise ParameterError(f"there is no action {action!r} at this point of {self.spec}")
        return own

    def _menu(self, state: State) -> tuple[Called, ...]:
        """Names of the actions here."""
        seen, actions = self._sight(state, self.turn(state)), tuple(self.game.actions(state))
        menu = self._menus.get((seen, actions))
        if menu is None:
            named = [Called(label(name)) for name in self.called(seen, actions)]
            if len(set(named)) < len(actions):
                raise UnsupportedError(
                    f"{self.told} gives two actions one name at {label(seen)!r}: "
                    "the map leaves out too much"
                )
            for name, own in zip(named, actions, strict=True):
                name.own = own
            if len(self._menus) > MOST_KEPT:
                self._menus.clear()
            menu = self._menus[seen, actions] = tuple(named)
        return menu

    def _sight(self, state: State, player: int) -> Hashable:
        """What the game itself tells; the last answer is kept, as it is asked for twice."""
        last = self._last
        if last[0] is state and last[1] == player:
            return last[2]
        seen = self.game.observe(state, player)
        self._last = (state, player, seen)
        return seen

    def called(self, seen: Hashable, actions: Sequence[Hashable]) -> list[Hashable]:
        """Names of the game's actions for one who sees this in the game itself."""
        names = list(actions)
        for one in self.maps:
            names = [one.call(seen, name) for name in names] if one.renames else names
            seen = one.see(seen)
        return names

    @property
    def describe(self) -> Callable[..., str]:
        """What an event is, in a sentence; there is none of it where the game cannot say it."""
        tell: Callable[..., str] = self.__getattr__("describe")

        def described(state: State, event: Hashable, viewer: int | None = None) -> str:
            if self._renames and self.turn(state) >= 0:
                event = self._meant(state, event)
            return tell(state, event, viewer)

        return described


def map_of(text: str) -> Map:
    """A map as it is written on the command line: cards, rounds=3, drop=PART, keep=PART+PART.

    >>> map_of("rounds=3").name, map_of("drop=health+history").parts
    ('rounds=3', ('health', 'history'))
    """
    name, given, value = text.strip().partition("=")
    numbers = {part: whole_of(part) for part in value.split("+") if part}
    parts = [part if number is None else number for part, number in numbers.items()]
    if name == "cards" and not given:
        return RelativeCards()
    if name == "rounds" and given:
        rounds = whole_of(value)
        if rounds is None:
            raise ParameterError(f"rounds is a whole number such as rounds=3, not {short(value)}")
        return LastRounds(rounds)
    if name == "drop":
        return Drop(*parts)
    if name == "keep":
        return Keep(*parts)
    raise SpecError(
        f"there is no map {text!r}; there are cards, rounds=K, drop=PART and keep=PART+PART"
    )


def mapped(game: Game | str, maps: str) -> Mapped:
    """A game through maps, both as they are written: what ``load`` makes of ``mapped(...)``.

    >>> str(mapped("cheat:mini(view=hp)", "cards"))
    'mapped(game="cheat(view=hp)",maps=cards)'
    """
    if isinstance(game, str):
        from counterfold.games.catalog import load

        game = load(game)
    texts = maps if isinstance(maps, tuple | list) else str(maps).split(",")
    return Mapped(game, *(map_of(str(text)) for text in texts))


def _places(seen: object, parts: Sequence[str | int], what: str) -> list[int]:
    """Where parts of an observation stand."""
    names = getattr(seen, "_fields", ())
    size = len(seen) if isinstance(seen, tuple) else 0
    places = []
    for part in parts:
        place = names.index(part) if part in names else part
        if not isinstance(place, int) or place >= size:
            has = ", ".join(names) if names else f"{size} parts, counted from 0"
            raise UnsupportedError(f"{what} does not fit: what players see has {has or 'no parts'}")
        places.append(place)
    return places


def _put(seen: Hashable, place: int, value: object) -> Hashable:
    assert isinstance(seen, tuple)
    changed = (*seen[:place], value, *seen[place + 1 :])
    return type(seen)(*changed) if hasattr(seen, "_fields") else changed
