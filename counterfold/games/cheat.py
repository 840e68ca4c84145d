"""Cheat: cards are laid face down under a claim, and a challenge decides who takes them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import ClassVar

from counterfold.errors import ParameterError
from counterfold.games.base import CHANCE, TERMINAL, Action, Game, State
from counterfold.games.cheat_cards import MOST_LOTS, Counts, Deck, added, changed, rank_name
from counterfold.games.cheat_sights import PERFECT, VIEWS, Sight, narrowed
from counterfold.games.cheat_states import Deal, End, Step, Turn
from counterfold.games.spec import choice, whole

PASS, CHALLENGE = "pass", "challenge"
MOST_STEPS = 100_000
"""Steps, and what players see, that are kept for cards met again."""


@dataclass(frozen=True)
class Cheat(Game):
    """Cheat, with any number of ranks, copies of each, players, and health points.

    Players take turns; the rank of the turn goes round from the first to the last and on. Who is
    to move lays one or more cards face down (``most`` at a time, as many as there are copies
    unless told otherwise) and claims that all of them are of that rank. The others may challenge,
    one after another. A challenge shows the cards: whoever was wrong, the liar or the challenger,
    takes them with the whole pile and loses a health point. The next turn is always the next
    player's. Who has no cards left once the last discard is accepted wins (1, and the others
    share -1); who has no health left loses (-1, and the others share 1). ``health=None`` goes on
    without end; ``turns`` makes it a draw after so many. ``hand=None`` deals all cards, the first
    seats getting one more where they do not divide; otherwise the rest is out of play.

    ``view`` is what players base their choices on:

    ==========  ===========================================================================
    memoryless  own cards, the rank, the claim; when discarding, whether another has one card
    hp          the same and everybody's health, the own first
    history     memoryless, and of each round the cards claimed and whether it was challenged
    general     hp and that history
    perfect     all that one ever saw: own discards, shown cards, sizes of hands and pile
    ==========  ===========================================================================

    ``rounds`` keeps only so many of the last rounds. Where nothing or little is remembered,
    equal states are one node of the graph (``merge``).

    >>> game = Cheat(view="memoryless")
    >>> state = game.root()
    >>> for event in ("1 gets 2xA", "2 gets 1x2", "1 begins", "A"):
    ...     state = game.next(state, event)
    >>> game.observe(state, 1), game.actions(state)
    (Sight(hand='2 3', rank='rank A', claim='claim 1', others='', health='', history=''), \
('pass', 'challenge'))
    >>> game.describe(state, "challenge")
    'Player 2 challenges: it was true (A), so player 2 takes 1 card and has 2 health left'
    """

    name: ClassVar[str] = "cheat"
    ranks: int = 3
    copies: int = 2
    players: int = 2
    hand: int | None = 2
    health: int | None = 3
    most: int | None = None
    view: str = PERFECT
    rounds: int | None = None
    turns: int | None = None

    def __post_init__(self) -> None:
        whole("ranks", self.ranks, least=2, most=100)
        whole("copies", self.copies, least=1, most=100)
        whole("players", self.players, least=2, most=20)
        for name in ("hand", "health", "most", "rounds", "turns"):
            value = getattr(self, name)
            if isinstance(value, str) and value.lower() in ("none", "all"):
                object.__setattr__(self, name, None)
            elif value is not None:
                whole(name, value, least=1)
        choice("view", self.view, VIEWS)
        if self.view in ("memoryless", "hp") and self.rounds is not None:
            raise ParameterError(f"rounds is for views with a history; {self.view} has none")
        if comb(self.ranks + self.largest, self.largest) > MOST_LOTS:
            raise ParameterError(
                f"{self.largest} cards at a time of {self.ranks} ranks can be chosen in more than "
                f"{MOST_LOTS:,} ways; allow fewer with most"
            )
        if self.hand is not None and self.hand * self.players > self.ranks * self.copies:
            raise ParameterError(
                f"{self.players} hands of {self.hand} cards cannot be dealt from "
                f"{self.ranks * self.copies}"
            )
        if self.players > self.ranks * self.copies:
            raise ParameterError(
                f"{self.ranks * self.copies} cards are not enough for {self.players} players"
            )

    @property
    def endless(self) -> bool:
        """Nobody should try to list all its histories: there is no end to them, or hardly one."""
        return self.turns is None and (
            self.health is None or (self.health > 4 and not hasattr(self, "merge"))
        )

    @cached_property
    def rank_names(self) -> tuple[str, ...]:
        """The ranks in the order in which turns go through them."""
        return tuple(rank_name(rank) for rank in range(self.ranks))

    @cached_property
    def rank_index(self) -> Mapping[str, int]:
        """The place of each rank among them."""
        return {name: rank for rank, name in enumerate(self.rank_names)}

    @cached_property
    def deck(self) -> Deck:
        return Deck(self.rank_names, self.copies, self.largest)

    @property
    def largest(self) -> int:
        """Cards at a discard at most."""
        return self.copies if self.most is None else self.most

    @cached_property
    def dealt(self) -> tuple[int, ...]:
        """Cards dealt to each player."""
        if self.hand is not None:
            return (self.hand,) * self.players
        each, over = divmod(self.ranks * self.copies, self.players)
        return tuple(each + (player < over) for player in range(self.players))

    # Where moves lead.

    def root(self) -> Deal | Turn:
        return self._settled(Deal((self.copies,) * self.ranks, ()))

    def _settled(self, deal: Deal) -> Deal:
        """Give out cards as long as there is only one way to."""
        deck, hands, drawn = deal
        while len(hands) < self.players:
            left = self.dealt[len(hands)] - sum(drawn)
            behind = sum(deck[len(drawn) + 1 :])
            most, least = min(deck[len(drawn)], left), max(0, left - behind)
            if most > least:
                break
            drawn = (*drawn, most)
            if len(drawn) == self.ranks:
                deck = tuple(a - b for a, b in zip(deck, drawn, strict=True))
                hands, drawn = (*hands, drawn), ()
        return Deal(deck, hands, drawn)

    def turn(self, state: object) -> int:
        if isinstance(state, Turn):
            return state.seat if state.laid is None else state.asked
        return TERMINAL if isinstance(state, End) else CHANCE

    def chance(self, state: State) -> tuple[tuple[str, float], ...]:
        deck, hands, drawn = state
        player, rank = len(hands), len(drawn)
        if player == self.players:
            return tuple((f"{p + 1} begins", 1 / player) for p in range(player))
        left, behind = self.dealt[player] - sum(drawn), sum(deck[rank + 1 :])
        ways = {
            count: comb(deck[rank], count) * comb(behind, left - count)
            for count in range(min(deck[rank], left), max(0, left - behind) - 1, -1)
        }
        total, name = sum(ways.values()), self.rank_names[rank]
        return tuple((f"{player + 1} gets {c}x{name}", n / total) for c, n in ways.items())

    def actions(self, state: State) -> tuple[str, ...]:
        if state.laid is not None:
            return PASS, CHALLENGE
        return self.deck.menu(state.hands[state.seat], state.rank)

    def next(self, state: Deal | Turn, action: Action) -> Deal | Turn | End:
        if isinstance(state, Deal):
            return self._dealt(state, str(action))
        key = state[:-1], action
        step = self._steps.get(key)
        if step is None:
            if len(self._steps) > MOST_STEPS:
                self._steps.clear()
            step = self._steps[key] = self._step(state, str(action))
        kind, parts, words = step
        past = tuple(map(self._longer, state.past, words)) if words else state.past
        return kind(*parts, past)

    @cached_property
    def _steps(self) -> dict[tuple[tuple[object, ...], Action], Step]:
        """Steps that were made before: many pasts lead to the same cards."""
        return {}

    def _step(self, state: Turn, action: str) -> Step:
        hands, pile, health, seat, rank, laid, asked, left, _ = state
        if laid is None:
            laid = self.deck.by_name(rank)[action]
            hands = changed(hands, seat, laid, -1)
            if min(hands[seat]) < 0:
                raise ParameterError(f"player {seat + 1} does not hold {action}")
            asked = (seat + 1) % self.players
            return Step(Turn, (hands, pile, health, seat, rank, laid, asked, left))
        if action == PASS:
            asked = (asked + 1) % self.players
            if asked != seat:
                return Step(Turn, (hands, pile, health, seat, rank, laid, asked, left))
            return self._over(state, hands, added(pile, laid), health, -1)
        takes = seat if self._lied(state) else asked
        hands = changed(hands, takes, added(pile, laid), 1)
        if health:
            health = (*health[:takes], health[takes] - 1, *health[takes + 1 :])
        return self._over(state, hands, (0,) * self.ranks, health, asked)

    def _dealt(self, state: Deal, event: str) -> Deal | Turn:
        deck, hands, drawn = state
        if len(hands) < self.players:
            count, _, name = event.split()[2].partition("x")
            if name != self.rank_names[len(drawn)] or event.split()[0] != str(len(hands) + 1):
                told = f"{len(hands) + 1} gets Nx{self.rank_names[len(drawn)]}"
                raise ParameterError(f"the deal goes on with {told!r}, not with {event!r}")
            return self._settled(Deal(deck, hands, (*drawn, int(count))))
        health = () if self.health is None else (self.health,) * self.players
        left = -1 if self.turns is None else self.turns
        seat = int(event.split()[0]) - 1
        past = ("",) * self._memories
        return Turn(hands, (0,) * self.ranks, health, seat, 0, None, -1, left, past)

    @cached_property
    def _memories(self) -> int:
        """How many pasts there are: one for each player, one that is public, or none."""
        return {"perfect": self.players, "history": 1, "general": 1}.get(self.view, 0)

    def _over(
        self, state: Turn, hands: tuple[Counts, ...], pile: Counts, health: Counts, by: int
    ) -> Step:
        """The turn is over; ``by`` is who challenged."""
        words = self._words(state, by) if self._memories else ()
        rank = (state.rank + 1) % self.ranks
        if not any(hands[state.seat]):
            return Step(End, (hands, health, rank, state.seat, -1), words)
        if health and 0 in health:
            return Step(End, (hands, health, rank, -1, health.index(0)), words)
        left = state.left
        if left > 0:
            left -= 1
            if not left:
                return Step(End, (hands, health, rank, -1, -1), words)
        seat = (state.seat + 1) % self.players
        return Step(Turn, (hands, pile, health, seat, rank, None, -1, left), words)

    def _lied(self, state: Turn) -> bool:
        assert state.laid is not None
        return state.laid[state.rank] != sum(state.laid)

    def _words(self, state: Turn, by: int) -> tuple[str, ...]:
        """How this round is remembered; ``history`` of ``Sight`` tells how it is written."""
        assert state.laid is not None
        count = sum(state.laid)
        if self._memories == 1:
            return (f"{count}!" if by >= 0 else str(count),)
        cards = self.deck.text(state.laid, "+")
        hidden = f"x{count}"
        if by >= 0:
            who = "" if self.players == 2 else f"{by + 1}="
            lie = self._lied(state)
            hidden += f"!{who}{cards if lie else 'true'}"
            cards += f"!{who}{'lie' if lie else 'true'}"
        words = [cards if player == state.seat else hidden for player in range(self.players)]
        if by >= 0:
            takes = state.seat if self._lied(state) else by
            words[takes] += f">{self.deck.text(added(state.pile, state.laid), '+')}"
        return tuple(words)

    def _longer(self, past: str, token: str) -> str:
        past = f"{past} {token}" if past else token
        if self.rounds is not None:
            past = " ".join(past.split(" ")[-self.rounds :])
        return past

    # What players see.

    def observe(self, state: State, player: int) -> Sight | None:
        if isinstance(state, Deal):
            return None
        key = state[:-1], player
        sight = self._sights.get(key)
        if sight is None:
            if len(self._sights) > MOST_STEPS:
                self._sights.clear()
            sight = self._sights[key] = self._sight(state, player)
        past = state.past
        return Sight(*sight, past[player if len(past) > 1 else 0] if past else "")

    @cached_property
    def _sights(self) -> dict[tuple[tuple[object, ...], int], tuple[str, str, str, str, str]]:
        """What players saw before, but for what they remember."""
        return {}

    def _sight(self, state: Turn | End, player: int) -> tuple[str, str, str, str, str]:
        hand = self.deck.text(state.hands[player], " ")
        rank, claim, others, health = self._rank_texts[state.rank], "", "", ""
        discarding = True
        if isinstance(state, Turn) and state.laid is not None:
            discarding = False
            if player == state.seat:
                claim = f"laid {self.deck.text(state.laid, '+')}"
            else:
                claim = f"claim {sum(state.laid)}"
                if self.players > 2:
                    claim += f" by {state.seat + 1}"
        if self.view == PERFECT:
            sizes = [sum(hand) for hand in state.hands]
            held = "+".join(map(str, sizes[player + 1 :] + sizes[:player]))
            pile = sum(state.pile) if isinstance(state, Turn) else 0
            others = f"others {held} pile {pile}"
        elif discarding and any(
            sum(hand) == 1 for other, hand in enumerate(state.hands) if other != player
        ):
            others = "last card"
        if state.health and self.view not in ("memoryless", "history"):
            points = state.health[player:] + state.health[:player]
            health = ":".join(map(str, points))
        return hand, rank, claim, others, health

    def adopt(self, seen: Hashable) -> Hashable:
        """What this view tells a player who sees that in the same game with a fuller view.

        Where that game goes on without end, everybody is as healthy as one can be here.
        """
        if not isinstance(seen, Sight):
            return seen
        told = narrowed(seen, self.view, self.rounds)
        if self.health is None or seen.health or self.view in ("memoryless", "history"):
            return told
        return told._replace(health=":".join([str(self.health)] * self.players))

    @property
    def merge(self) -> Callable[[State], Hashable]:
        """States in which nobody remembers the way are one; there is none of it otherwise."""
        if self.view in ("memoryless", "hp") or self.rounds is not None:
            return self._key
        raise AttributeError("players remember the way, so no two histories are one")

    def _key(self, state: object) -> Hashable:
        if isinstance(state, End):
            return state.won, state.lost
        key: Hashable = state
        return key

    def shown(self, state: End) -> str:
        """How it ended, which everybody sees."""
        if state.won >= 0:
            return f"player {state.won + 1} has no cards left"
        return f"player {state.lost + 1} has no health left" if state.lost >= 0 else "draw"

    def payoff(self, state: End) -> tuple[float, ...]:
        return self._paid[state.won, state.lost]

    @cached_property
    def _paid(self) -> dict[tuple[int, int], tuple[float, ...]]:
        """Payoffs by who has won and who has lost."""
        share, everyone = 1 / (self.players - 1), range(self.players)
        paid = {(-1, lost): self.forfeit(lost, None) for lost in everyone}
        for won in everyone:
            paid[won, -1] = tuple(1.0 if p == won else -share for p in everyone)
        return {**paid, (-1, -1): (0.0,) * self.players}

    def forfeit(self, seat: int, state: object) -> tuple[float, ...]:
        """Payoffs if a player gives up: as for one who has lost all health."""
        share = 1 / (self.players - 1)
        return tuple(-1.0 if p == seat else share for p in range(self.players))

    # Words.

    def describe(self, state: State, event: Hashable, viewer: int | None = None) -> str:
        """What an event is, in a sentence; a viewer is not told the cards of others."""
        text = str(event)
        if isinstance(state, Deal):
            words = text.split()
            if len(state.hands) == self.players:
                return f"Player {words[0]} begins"
            hidden = viewer is not None and viewer != len(state.hands)
            return f"Player {words[0]} gets cards" if hidden else f"Player {text}"
        if state.laid is None:
            count = len(text.split())
            claim = f"{count} as {count} of rank {self.rank_names[state.rank]}"
            cards = "" if viewer not in (None, state.seat) else f" ({text})"
            return f"Player {state.seat + 1} discards {claim}{cards}"
        who = f"Player {state.asked + 1}"
        if event == PASS:
            return f"{who} passes"
        lie = self._lied(state)
        takes = state.seat if lie else state.asked
        count = sum(state.pile) + sum(state.laid)
        told = (
            f"{who} challenges: it was {'a lie' if lie else 'true'} "
            f"({self.deck.text(state.laid, ' ')}), so player {takes + 1} takes {count} "
            f"card{'s' if count > 1 else ''}"
        )
        return f"{told} and has {state.health[takes] - 1} health left" if state.health else told

    @cached_property
    def _rank_texts(self) -> tuple[str, ...]:
        return tuple(f"rank {name}" for name in self.rank_names)
