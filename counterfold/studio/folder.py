"""The folder that a studio serves: what lies in it, and names that stay inside."""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from counterfold.errors import FileError, ParameterError, short
from counterfold.files.arrays import header_of
from counterfold.files.text import Json, read_json
from counterfold.files.whole import write_whole
from counterfold.loading import load
from counterfold.strategy import store
from counterfold.strategy.hands import HandLayout

__all__ = ["OWN", "Folder", "Item"]

OWN = ".studio"
"""The folder inside the folder that holds the studio's own files."""
MOST = 500  # files that are listed
KINDS = {".json": 1 << 20, ".jsonl": 8 << 20, ".efg": 1 << 20, ".safetensors": 32 << 20}
"""What may be brought, and how many bytes of it."""
_NAME = re.compile(r"[\w][\w .,+()=-]{0,99}")


@dataclass(frozen=True)
class Item:
    """A file of the folder: a spot, a solution, a blueprint, a strategy, a record.

    ``table`` says that it is of hold'em from the first card.
    """

    name: str
    kind: str
    game: str
    table: bool
    size: int
    changed: float


class Folder:
    """A folder by whose names nothing outside can be reached.

    >>> import tempfile
    >>> folder = Folder(tempfile.mkdtemp())
    >>> folder.inside("../etc/passwd")
    Traceback (most recent call last):
    ...
    counterfold.errors.FileError: '../etc/passwd' is not in the studio's folder
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).resolve()
        if not self.path.is_dir():
            raise FileError(f"{path} is no folder; make it, or name another one")
        self.own = self.path / OWN
        self._known: dict[tuple[str, int, int], Item] = {}

    def inside(self, name: object, *, new: bool = False) -> Path:
        """The path of a file in the folder, or of one that is to come there."""
        if not isinstance(name, str) or not name or "\0" in name or len(name) > 400:
            raise FileError(f"{short(name)} is no name of a file")
        path = Path(os.path.realpath(self.path / name))
        hidden = any(part.startswith(".") for part in Path(self.shown(name)).parts)
        if hidden or path == self.path or not path.is_relative_to(self.path):
            raise FileError(f"{short(name)} is not in the studio's folder")
        if not new and not path.is_file():
            raise FileError(f"there is no file {short(name)} in the studio's folder")
        return path

    def shown(self, text: str) -> str:
        """A text in which files of the folder have their names there."""
        return text.replace(f"{self.path}{os.sep}", "")

    def fresh(self, name: object, ending: str) -> str:
        """A name that no file has yet, near the one that is wished for."""
        if not isinstance(name, str) or not _NAME.fullmatch(name.strip()):
            raise ParameterError(
                f"{short(name)} is no name for a file; take letters, digits, spaces and dashes"
            )
        stem = name.strip().removesuffix(ending)
        names = (f"{stem}{f'-{n}' if n else ''}{ending}" for n in range(0, 10_000))
        return next(one for one in names if not (self.path / one).exists())

    def items(self) -> list[Item]:
        """What there is to open, the latest first; two folders deep."""
        found = []
        for pattern in ("*", "*/*"):
            for path in self.path.glob(pattern):
                relative = path.relative_to(self.path)
                known = path.suffix in KINDS or path.suffix == ".cf"
                if any(part.startswith(".") for part in relative.parts) or not known:
                    continue
                if path.is_file() and path.resolve().is_relative_to(self.path):
                    found.append((path.stat(), relative.as_posix()))
        found.sort(key=lambda pair: -pair[0].st_mtime)
        listed = (self._item(name, state) for state, name in found[:MOST])
        return [item for item in listed if item is not None]

    def _item(self, name: str, state: os.stat_result) -> Item | None:
        key = name, state.st_mtime_ns, state.st_size
        if key not in self._known:
            kind, game, table = kind_of(self.path / name)
            self._known[key] = Item(name, kind, game, table, state.st_size, state.st_mtime)
        found = self._known[key]
        return found if found.kind else None

    def listing(self) -> list[Json]:
        """The files for the page."""
        return [asdict(item) for item in self.items()]

    def bring(self, name: str, content: bytes) -> str:
        """Keep a file that somebody brings: of a known kind, small, and readable; its name."""
        ending = Path(name).suffix.lower()
        if ending not in KINDS:
            raise FileError(
                f"{short(name)} is of no kind that the studio takes; it takes {', '.join(KINDS)}"
            )
        if len(content) > KINDS[ending]:
            raise FileError(
                f"{short(name)} is too large; {ending} may have {KINDS[ending]:,} bytes"
            )
        kept = self.fresh(Path(name).name[: -len(ending)], ending)
        path = self.inside(kept, new=True)
        write_whole(path, content)
        try:
            if not kind_of(path)[0]:
                raise FileError(f"{short(name)} holds nothing that the studio can open")
            if ending != ".safetensors":  # whose arrays are checked when it is opened
                load(path)
        except BaseException:
            path.unlink()
            raise
        return kept


def kind_of(path: Path) -> tuple[str, str, bool]:
    """What a file is, of which game, and whether that is a table of hold'em; nothing where it is
    nothing for the studio."""
    try:
        if path.suffix in (".safetensors", ".cf"):
            header = header_of(path)
            if header.get("kind") not in store.KINDS:
                return "", "", False
            form, game = header.get("form"), str(header.get("game", ""))
            if form == "buckets":
                return "blueprint", game, True
            poker = form == HandLayout.name or header.get("kind") == HandLayout.before
            table = poker and '"table"' in str(header.get("rules", ""))
            return "solution" if poker else "strategy", game, table
        if path.suffix == ".json":
            given = read_json(path, "a file")
            if not isinstance(given, dict):
                return "", "", False
            if "oop" in given or "ranges" in given:
                return "spot", str(given.get("name") or path.stem), False
            return "game", path.stem, "blinds" in given
        if path.suffix == ".efg":
            return "game", path.stem, False
        return "record", path.stem, False
    except (FileError, OSError):
        return "", "", False
