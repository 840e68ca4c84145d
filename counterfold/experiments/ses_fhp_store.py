"""What a long figure of Flop Hold'em keeps in a folder, so that it can go on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from counterfold.errors import MismatchError
from counterfold.files.arrays import Saved, read_arrays, write_arrays
from counterfold.files.sealed import read_document, write_document
from counterfold.files.text import Fields

__all__ = ["Store"]

KIND = "searches"
_NUMBERS = ("payoff", "exploitability", "in_buckets", "gap", "iterations", "cpu_seconds")


class Store:
    """Searches and responses of one setting; without a folder nothing is kept.

    Figure 3's searches hold those of figure 4: ``errors`` are all that are made here.
    """

    def __init__(
        self, folder: str | Path | None, setting: dict[str, Any], errors: Sequence[float]
    ) -> None:
        self.folder = None if folder is None else Path(folder)
        text = json.dumps(setting, sort_keys=True)
        self.name = f"ses-fhp-{hashlib.sha256(text.encode()).hexdigest()[:10]}"
        self.setting, self.errors = setting, list(errors)
        self.responses: dict[str, dict[str, float | None]] = {}
        self.blueprint: str | None = None
        if self.folder is None:
            return
        for path in sorted(self.folder.glob(f"{self.name}-*-0.safetensors")):
            with suppress(ValueError):  # a file of somebody else's with a name alike
                kept = [float(word) for word in path.name.split("-")[3:-1]]
                if set(errors) <= set(kept):
                    self.errors = kept
        self.responses = self._kept()

    def claim(self, blueprint: str) -> None:
        """Say from which blueprint all this is; what the folder has must be from the same."""
        if self.blueprint not in (None, blueprint):
            raise MismatchError(
                f"what {self.folder} has was made from another blueprint; name another folder"
            )
        self.blueprint = blueprint

    def _path(self, seat: int) -> Path:
        assert self.folder is not None
        tag = "-".join(f"{error:g}" for error in self.errors)
        return self.folder / f"{self.name}-{tag}-{seat}.safetensors"

    def searches(self, seat: int) -> Saved | None:
        """What was kept of a seat's searches."""
        if self.folder is None or not self._path(seat).exists():
            return None
        saved = read_arrays(self._path(seat), KIND, "searches of this figure")
        self.claim(saved.text("blueprint"))
        return saved

    def saver(self, seat: int, kept: Callable[[], dict[str, Any]]) -> Callable[[], None] | None:
        """What writes a seat's searches."""
        if self.folder is None:
            return None
        about = {"setting": json.dumps(self.setting), "blueprint": str(self.blueprint)}
        return lambda: write_arrays(self._path(seat), KIND, about, kept())

    def _kept(self) -> dict[str, dict[str, float | None]]:
        """Responses that the folder has."""
        assert self.folder is not None
        path = self.folder / f"{self.name}.json"
        if not path.exists():
            return {}
        kept = read_document(path, "a list of responses")
        if kept.raw("blueprint", None) is not None:
            self.blueprint = kept.text("blueprint")
        told = kept.object("responses", default={})
        return {key: _row(told.object(key)) for key in told.value}

    def write(self) -> None:
        """Keep the responses, beside those that others have written since."""
        if self.folder is not None:
            self.responses = self._kept() | self.responses
            told = {
                "setting": self.setting,
                "blueprint": self.blueprint,
                "responses": self.responses,
            }
            write_document(self.folder / f"{self.name}.json", told)


def _row(told: Fields) -> dict[str, float | None]:
    told.only(_NUMBERS)
    return {key: None if told.raw(key) is None else told.number(key) for key in _NUMBERS}
