"""Solutions that somebody looks at, kept ready for the next click."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_view import BucketBrowser
from counterfold.errors import CodeError, ParameterError, UnsupportedError, short
from counterfold.evaluate.public_view import Browser
from counterfold.files.arrays import header_in
from counterfold.files.text import Json
from counterfold.games.catalog import games
from counterfold.games.spec import parse_spec
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.studio.folder import Folder
from counterfold.tree.form import AnyGame
from counterfold.tree.named import PUBLIC_ONLY, game_named
from counterfold.tree.public import PublicTree

__all__ = ["Open", "Opened"]

KEPT = 4


class Open:
    """A strategy from a file; one at a time may look around in it."""

    def __init__(self, name: str, strategy: AnyStrategy) -> None:
        self.name, self.strategy, self.lock = name, strategy, threading.RLock()
        self.strips: dict[tuple[str, str | None], Json] = {}  # next cards, by their line
        self.seats: Json | None = None  # the statistics of every seat
        self.counting = threading.Lock()
        self.situations: list[Json] | None = None  # before the flop, for charts
        self._looking = threading.Thread(target=self._look, daemon=True)
        self._looked = False

    @cached_property
    def browser(self) -> Browser | BucketBrowser:
        """What shows hands at places: exactly, or over buckets; refused where there are none."""
        if isinstance(self.strategy.tree, BucketForm):
            return BucketBrowser(self.strategy)
        if not isinstance(self.strategy.tree, PublicTree):
            raise UnsupportedError(f"{self.name} is no strategy of hold'em, hand by hand")
        return Browser(self.strategy)

    def look_ahead(self) -> None:
        """Work out, beside, what the next click will need: the first decision as each player
        sees it takes a walk over the tree, once."""
        with self.lock:
            if not self._looked:
                self._looked = True
                self._looking.start()

    def _look(self) -> None:
        for name in self.browser.tree.game.players:
            with self.lock:
                self.browser.view("", name)


class Opened:
    """The files that were opened last, as long as they are unchanged; and what names mean."""

    def __init__(self, folder: Folder, named: Sequence[str] = ()) -> None:
        self.folder, self.named = folder, tuple(named)
        self._kept: OrderedDict[tuple[str, int, int], Open] = OrderedDict()
        self._reading: dict[tuple[str, int, int], threading.Lock] = {}
        self._guard = threading.Lock()

    def file(self, name: str) -> Open:
        """The strategy that a file of the folder holds."""
        path = self.folder.inside(name)
        state = path.stat()
        key = name, state.st_mtime_ns, state.st_size
        with self._guard:
            reading = self._reading.setdefault(key, threading.Lock())
        with reading:  # who opens another file does not wait
            if key not in self._kept:
                found = Open(name, Strategy.load(path, self.game_in(str(path))))
                with self._guard:
                    self._kept[key] = found
                    while len(self._kept) > KEPT:
                        self._reading.pop(self._kept.popitem(last=False)[0], None)
            with self._guard:
                entry = self._kept.get(key)
                if entry is not None:
                    self._kept.move_to_end(key)
        return entry or self.file(name)

    def game_in(self, path: str) -> AnyGame | None:
        """The rules of a file that are a program, if they were named at the start; else None."""
        game = header_in(path).header.get("game", "")
        if ".py:" not in game:
            return None
        if game not in self.named:
            raise CodeError(
                f"this file is of {short(game)}, a program: name it when you start the studio, "
                "with --game"
            )
        return game_named(game)

    def game(self, name: object) -> AnyGame:
        """The game that a name means: of the catalog, of the folder, or named at the start."""
        if not isinstance(name, str) or len(name) > 400:
            raise ParameterError(f"{short(name)} is no name of a game")
        if name in self.named:
            return game_named(name)
        if name.endswith((".json", ".efg")):
            return game_named(str(self.folder.inside(name)))
        spec = parse_spec(name)
        known = {entry.name for entry in games()} - {"normal_form"} | {*PUBLIC_ONLY}
        if spec.name not in known:
            raise ParameterError(
                f"{short(spec.name)} is no game of the catalog; a program of your own is named "
                "when the studio is started, with --game mygame.py:MyGame"
            )
        return game_named(name)
