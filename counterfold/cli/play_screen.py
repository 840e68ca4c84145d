"""What a person at the table reads: the hand so far, its end, the score, help and hints."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Hashable, Sequence

from counterfold.cli.output import on_terminal, say, styled
from counterfold.cli.play_keys import QUIT, Key, keys
from counterfold.cli.play_rules import rules_in_short
from counterfold.games.base import CHANCE, State, label
from counterfold.games.betting import LimitPoker
from counterfold.games.liars_dice import LiarsDice
from counterfold.games.normal_form import NormalForm
from counterfold.play.certificate import search_line
from counterfold.play.human import Advice, Move, Sitting
from counterfold.play.score import Estimate, Score
from counterfold.play.table import PlayedHand
from counterfold.play.trainer import Judgement, Trainer
from counterfold.poker.rules import PokerRules
from counterfold.poker.table import Holdem

Rows = list[tuple[str, str]]
LAST = 6
"""Events of a long hand that are told again before a decision."""

HARDLY = 0.0005
"""An action that a hint does not name."""

FINE = 0.002
"""Of the pot: less than that an action may be worse than the best, and is not blamed."""

COMMANDS = (
    ("?", "this help"),
    ("hint", "what others would do in your place"),
    ("score", "how it stands"),
    ("save FILE", "keep this session in a file, now and after every hand"),
    (QUIT, "leave the table; the hand in play does not count"),
)


class Screen:
    """Prints; coloured on a terminal, plain elsewhere."""

    def __init__(self, sitting: Sitting) -> None:
        self.sitting = sitting
        self.names = ("you", *_short_names(sitting.names[1:]))
        self._shown: Rows = []
        self._headed = -1

    def welcome(self, resumed: bool) -> None:
        """Who plays what, and how to get help."""
        sitting = self.sitting
        against = " and ".join(sitting.names[1:])
        self._line(f"{sitting.spec} against {against} (seed {sitting.seed}).", "1")
        if resumed:
            self.score()
        self._line("Type the key in brackets and Enter; ? is help, q leaves.", "2")

    def decision(self, player: int, seen: Hashable, actions: Sequence[Hashable]) -> None:
        """The hand as it stands, and what may be done."""
        self._head()
        self._shown = self.table(player, seen)
        self._rows([*self._shown, ("You may", option_line(keys(actions)))])

    def end(self, hand: PlayedHand) -> None:
        """How a hand ended: what is new since the last look, what is shown, who won."""
        player = hand.players.index(0)
        self._head(hand.number)
        if hand.fault is not None:
            self._rows([("Fault", f"{self.names[hand.fault.agent]} {hand.fault.message}")])
        else:
            rows = self.table(player, self.sitting.view(player))
            rows = [row for row in rows if row not in self._shown]
            self._rows([*rows, *self.showdown(hand)])
        won = hand.payoffs[player]
        text = (
            f"You {'win' if won > 0 else 'lose'} {plainly(abs(won))}" if won else "You win nothing"
        )
        if len(hand.players) > 2 or abs(sum(hand.payoffs)) > 1e-9:
            others = [(g, x) for g, x in zip(hand.players, hand.payoffs, strict=True) if g]
            text += "; " + ", ".join(f"{self.names[g]} {plainly(x, sign=True)}" for g, x in others)
        self._rows([("Result", text)], "32" if won > 0 else "31" if won < 0 else "")
        if isinstance(self.sitting, Trainer) and self.sitting.judged and hand.fault is None:
            told = [_judged(one) for one in self.sitting.judged]
            self._rows([("Decisions", "; ".join(told))])
        for found in hand.searches:
            self._rows([("Search", f"{self.names[found['agent']]}: {search_line(found)}")])
        self._shown = []
        self.score()

    def score(self) -> None:
        """How it stands."""
        self._rows([("Score", score_line(self.sitting.score))])

    def help(self, choices: Sequence[Key]) -> None:
        """The rules in short, then the keys."""
        self._line("The rules", "1")
        for text in rules_in_short(self.sitting.game):
            self._line(text, indent=2)
        self._line("The keys", "1")
        self._line(option_line(choices), indent=2)
        letter = " (or h)" if all(key.key != "h" for key in choices) else ""
        width = max(len(name) for name, _ in COMMANDS)
        for name, text in COMMANDS:
            more = letter if name == "?" else ""
            self._line(f"{name.ljust(width)}  {text}{more}", indent=2)
        self._line(
            "An action's name, or its place in the list, will do as well. In the score, 'luck "
            "taken out' replaces what the cards and known opponents happened to do by what they "
            "do on average: the same in the long run, and mostly nearer to it.",
            indent=2,
        )

    def hint(self, advice: Sequence[Advice]) -> None:
        """What others would do here."""
        if not advice:
            self.note("There is no hint: nobody's strategy is known here.")
        titles = ["Hint"] + [" "] * len(advice)
        for title, (who, odds, worth) in zip(titles, advice, strict=False):
            self._rows([(title, f"{self._adviser(who)}: {_odds(odds)}")])
            if worth is not None:
                told = ", ".join(f"{action} {plainly(x, sign=True)}" for action, x in worth.items())
                beside = self.sitting.tree is not None
                what = "chips more or less than so" if beside else "worth in chips from here on"
                self._rows([(" ", f"{what}: {told}")])

    def _adviser(self, who: str) -> str:
        for name, short in zip(self.sitting.names, self.names, strict=True):
            if who == name:
                return f"{short} in your place"
            if who == f"best against {name}":
                return f"best against {short}"
        return who

    def note(self, text: str) -> None:
        """A sentence that answers the person."""
        self._line(text)

    def farewell(self) -> None:
        """The score when the person leaves, player by player."""
        score = self.sitting.score
        if score is None:
            self._line("No hand was finished.", "1")
            return
        self._line("The score of this session", "1")
        self._rows([("All", score_line(score))])
        self._rows(
            [
                (
                    f"As {place}",
                    f"{plainly(one.mean, sign=True)} a hand{_interval(one)}",
                )
                for place, one in zip(self._places(), score.by_player, strict=True)
                if one.mean == one.mean
            ]
        )

    # The table.

    def _head(self, number: int | None = None) -> None:
        number = self.sitting.hands if number is None else number
        if self._headed == number:
            return
        self._headed = number
        count = len(self.names)
        players = [self.names[(player + number) % count] for player in range(count)]
        told = [f"{name} {'are' if name == 'you' else 'is'}" for name in players]
        told = [f"{text} {place}" for text, place in zip(told, self._places(), strict=True)]
        self._line()
        self._line(f"Hand {number + 1}: {', '.join(told)}", "1")

    def _places(self) -> Sequence[str]:
        """What the players are called, in their order."""
        numbers = [f"player {player + 1}" for player in range(len(self.names))]
        return getattr(self.sitting.game, "positions", numbers)

    def table(self, player: int, seen: Hashable) -> Rows:
        """The hand as a player sees it; moves are told where the rules hide none from anybody."""
        game = self.sitting.game
        if isinstance(game, LimitPoker) and isinstance(seen, tuple):
            return self._poker(game, player, seen)
        if isinstance(game, PokerRules | Holdem) and isinstance(seen, tuple):
            return self._holdem(game, player, seen)
        if isinstance(game, LiarsDice) and isinstance(seen, tuple):
            bids = self._story(self.sitting.moves())
            return [("Your dice", str(seen[0])), ("Bids", bids or "none yet")]
        if isinstance(game, NormalForm) or seen is None or not label(seen):
            return []
        told = self._told(game, player)
        return [*([("So far", told)] if told else []), ("You see", label(seen))]

    def _told(self, game: object, player: int) -> str:
        """The last moves in the game's own words, if it has any, as a player knows them."""
        describe = getattr(game, "describe", None)
        if not callable(describe):
            return ""
        steps = [step for step in self.sitting.steps if step.turn != CHANCE]
        return "; ".join(describe(step.state, step.move, player) for step in steps[-LAST:])

    def _poker(self, game: LimitPoker, player: int, seen: tuple[Hashable, ...]) -> Rows:
        card, said, *later = map(str, seen)
        moves, here = self.sitting.moves(), self.sitting.here
        rows: Rows = [("Your card", card)]
        if later:
            first = len(said.split())
            pair = ", a pair with yours" if later[0] == card and not game.suited else ""
            rows.append(("Round 1", self._story(moves[:first])))
            rows.append(("Board", later[0] + pair))
            rows.append(("Round 2", self._story(moves[first:]) or "nothing yet"))
        else:
            rows.append(("Betting", self._story(moves) or "nothing yet"))
        paid, who = game._betting.paid[here[1]], self._by_player()
        told = ", ".join(f"{who[s]} {plainly(x)}" for s, x in enumerate(paid))
        owed = max(paid) - paid[player]
        call = f"; {plainly(owed)} to call" if owed and game.turn(here) == player else ""
        return [*rows, ("Pot", f"{plainly(sum(paid))} ({told}){call}")]

    def _holdem(self, game: PokerRules | Holdem, player: int, seen: tuple[Hashable, ...]) -> Rows:
        here: State = self.sitting.here
        who, moves = self._by_player(), iter(self.sitting.moves())
        told: list[str] = []
        for word in game.line(here):
            if not word.startswith("["):
                move = next(moves)
                told.append(f"{who[move.player]} {move.action}")
            elif told and told[-1].endswith("]"):  # cards of a flop come one by one
                told[-1] = f"{told[-1][:-1]} {word[1:]}"
            else:
                told.append(word)
        paid, behind = game.paid(here), game.behind(here)
        owed = min(max(paid) - paid[player], behind[player])
        call = f"; {plainly(owed)} to call" if owed and game.turn(here) == player else ""
        left = ", ".join(f"{who[s]} {plainly(x)}" for s, x in enumerate(behind))
        return [
            ("Your hand", f"{seen[0]}, {game.positions[player]}"),
            *([("Board", str(seen[1]))] if seen[1] else []),
            ("Betting", ", ".join(told) or "nothing yet"),
            ("Pot", f"{plainly(sum(paid))}{call}; behind: {left}"),
        ]

    def showdown(self, hand: PlayedHand) -> Rows:
        game, show = self.sitting.game, getattr(self.sitting.game, "shown", None)
        shown = show(self.sitting.here) if callable(show) else None
        if not shown:
            return []
        if isinstance(game, LimitPoker | PokerRules | Holdem | LiarsDice | NormalForm):
            who = self._by_player(hand.number)
            told = ", ".join(f"{who[player]} {one}" for player, one in enumerate(shown) if one)
            return [("Shown", told)]
        return [("Shown", label(shown))]

    def _by_player(self, number: int | None = None) -> list[str]:
        """Who is which player."""
        number = self._headed if number is None else number
        return [self.names[(s + number) % len(self.names)] for s in range(len(self.names))]

    def _story(self, moves: Sequence[Move]) -> str:
        who = self._by_player()
        return ", ".join(f"{who[move.player]} {move.action}" for move in moves)

    # Lines.

    def _rows(self, rows: Rows, code: str = "") -> None:
        for title, text in rows:
            self._line(text, code, indent=2, title=title)

    def _line(self, text: str = "", code: str = "", indent: int = 0, title: str = "") -> None:
        head = " " * indent + (title.ljust(11) + "  " if title else "")
        width = 0
        if on_terminal(sys.stdout):
            width = max(os.get_terminal_size(sys.stdout.fileno()).columns, 40)
        for part in text.splitlines() or [""]:
            broken = (
                textwrap.wrap(
                    part, width - len(head), break_long_words=False, break_on_hyphens=False
                )
                if width
                else [part]
            )
            for piece in broken or [""]:
                say((styled(head, "36") + styled(piece, code)).rstrip())
                head = " " * len(head)


def option_line(choices: Sequence[Key]) -> str:
    """The actions with their keys."""
    return "  ".join(key.told for key in choices)


def short_name(name: str) -> str:
    """An agent's name as it is said at the table.

    >>> short_name("runs/leduc.safetensors"), short_name("bots/my.py:MyBot"), short_name("q(0.2)")
    ('leduc', 'MyBot', 'q')
    """
    name = name.rpartition(".py:")[2]
    if name.endswith(".safetensors"):
        return os.path.basename(name).removesuffix(".safetensors")
    return name.partition("(")[0] or name


def _short_names(names: Sequence[str]) -> list[str]:
    """Names at the table, which have to differ."""
    short = list(map(short_name, names))
    return short if len({"you", *short}) > len(short) else list(names)


def plainly(number: float, sign: bool = False) -> str:
    """An amount; whole numbers without a point, and next to nothing is nothing.

    >>> plainly(2.0), plainly(-1e-7, sign=True), plainly(1 / 3, sign=True), plainly(203.5)
    ('2', '0', '+0.333', '203.5')
    """
    number = round(number, 5) or 0.0
    text = f"{number:.3g}" if abs(number) < 100 else f"{number:.1f}".removesuffix(".0")
    return f"+{text}" if sign and number > 0 else text


def score_line(score: Score | None) -> str:
    """Hands, the sum, the mean with its interval, and the mean without luck."""
    if score is None:
        return "no hands yet"
    hands = f"{score.hands:,} hand{'s' if score.hands > 1 else ''}"
    total = f"{plainly(score.plain.mean * score.hands, sign=True)}"
    text = f"{total} in {hands}"
    if score.hands > 1:
        text += f", {plainly(score.plain.mean, sign=True)} a hand{_interval(score.plain)}"
    if score.reduced is not None and score.hands > 1:
        text += f"; luck taken out {plainly(score.reduced.mean, sign=True)}"
        text += _interval(score.reduced)
    return text


def _interval(one: Estimate) -> str:
    if not one.half:  # unknown, or all results were alike so far
        return ""
    return f" (95%: {plainly(one.low, sign=True)} to {plainly(one.high, sign=True)})"


def _judged(found: Judgement) -> str:
    """A decision, and what it cost against the opponent's play if that is beyond doubt."""
    if found.lost <= max(FINE * found.pot, found.doubt):
        return f"{found.action} was right"
    return f"{found.action} cost {plainly(found.lost)} ({found.best} was best)"


def _odds(odds: dict[str, float]) -> str:
    played = sorted(((p, a) for a, p in odds.items() if p >= HARDLY), reverse=True)
    return ", ".join(f"{action} {100 * p:.0f}%" if p < 0.9995 else action for p, action in played)
