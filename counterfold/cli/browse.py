"""A walk through a poker solution: a person names actions and cards, and sees every place."""

from __future__ import annotations

from counterfold.cli.grid import print_grid, print_hands
from counterfold.cli.output import StoppedError, advise, ask, say
from counterfold.cli.show import player_of
from counterfold.cli.show_hands import named_mode, next_words
from counterfold.errors import CounterfoldError, ParameterError
from counterfold.evaluate.public_view import Browser
from counterfold.files.text import whole_of
from counterfold.poker.game import DEAL, DECISION
from counterfold.poker.grid_colours import MODES, mode_of, percent
from counterfold.poker.made import check_words
from counterfold.poker.view import NodeView
from counterfold.tree.find import Place, find_place

HELP = (
    ("a number, or an action", "take it: 2, or bet 66, or several with commas: check, bet 66"),
    ("cards", "deal them: 7h; at a decision, two cards or a range show hands: AhKd, AKs, QQ+"),
    ("back, start", "one step up; to the beginning"),
    ("ev, equity, weight, strategy", "what the grid shows; mode ACTION shows how often"),
    ("oop, ip (or other)", "whose hands are shown"),
    ("quit", "leave; so does the end of the input"),
)


def browse(browser: Browser, place: Place, player: int | None, mode: str | None) -> None:
    """Show places, and go where the person says, until they leave."""
    try:
        _Walk(browser, place, player, mode).go()
    except KeyboardInterrupt:
        say()
        raise StoppedError("stopped") from None


class _Walk:
    def __init__(
        self, browser: Browser, place: Place, player: int | None, mode: str | None
    ) -> None:
        self.browser, self.tree = browser, browser.tree
        self.place, self.player, self.mode = place, player, mode
        self.view = browser.view(place, player)
        mode_of(self.view, named_mode(self.view, mode))

    def go(self) -> None:
        """Until the person leaves."""
        self._show()
        while True:
            text = ask("> ")
            if text is None:
                return
            if text.lower() in ("q", "quit", "exit"):
                return
            try:
                self._do(text)
            except CounterfoldError as error:
                advise(f"{error}.")

    def _do(self, text: str) -> None:
        word, _, rest = text.partition(" ")
        word, rest = word.lower(), rest.strip()
        game = self.tree.game
        names = [name.lower() for name in game.players]
        if not text:
            self._show()
        elif text in ("?", "h") or word == "help":
            for keys, meaning in HELP:
                say(f"  {keys:29} {meaning}")
        elif text.lower() in ("b", "back", "..", "up"):
            if not self.place.line:
                raise ParameterError("this is the beginning")
            self._move(find_place(self.tree, self.place.line[:-1]))
        elif text.lower() in ("start", "top", "root"):
            self._move(find_place(self.tree))
        elif word in ("mode", "m") and rest:
            self._look(rest)
        elif text.lower() in MODES:
            self._look(text.lower())
        elif text.lower() in names or text.lower() == "other":
            shown = game.players.index(self.view.player)
            self.player = 1 - shown if text.lower() == "other" else player_of(text, 2, game.players)
            self._show()
        elif word in ("hand", "hands") and rest:
            print_hands(self.view, rest)
        elif word == "player" and rest:
            self.player = player_of(rest, 2, game.players)
            self._show()
        else:
            self._follow(text)

    def _follow(self, text: str) -> None:
        """Where words lead to from here; or, if they name hands, those."""
        words = next_words(self.tree.game, self.place)
        decides = self.tree.game.betting.kind[self.place.node] == DECISION
        if decides and 1 <= (whole_of(text) or 0) <= len(words):
            text = words[int(text) - 1]
        try:
            place = find_place(self.tree, ", ".join([*self.place.line, text]))
        except ParameterError:
            if not decides and words:
                raise
            try:
                check_words(text)
            except ParameterError:
                pass
            else:
                print_hands(self.view, text)
                return
            raise
        self._move(place)

    def _move(self, place: Place) -> None:
        self.place, self.player = place, None
        self._show()

    def _look(self, mode: str) -> None:
        mode_of(self.view, named_mode(self.view, mode))
        self.mode = mode
        self._show()

    def _show(self) -> None:
        self.view = self.browser.view(self.place, self.player)
        mode = named_mode(self.view, self.mode)
        try:
            mode_of(self.view, mode)
        except ParameterError:  # an action that is not here
            mode = None
        say()
        print_grid(self.view, mode)
        say()
        advise(self._choices(self.view))

    def _choices(self, view: NodeView) -> str:
        game, node = self.tree.game, self.place.node
        words = next_words(game, self.place)
        if game.betting.kind[node] == DECISION:
            shares = view.totals.frequencies if view.actions else {}
            choices = "  ".join(
                f"[{k}] {word}" + (f" {percent(shares[word])}" if word in shares else "")
                for k, word in enumerate(words, start=1)
            )
        elif game.betting.kind[node] == DEAL:
            choices = f"a card, such as {words[0].strip('[]')}"
        else:
            choices = "the hand ends here"
        return f"{choices}  [back]  [?] help  [quit]"
