"""Strategies and checkpoints on disk: one safetensors file, written whole or not at all."""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import CounterfoldError, FileError
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import Infosets

__all__ = [
    "FORMAT",
    "header_of",
    "load_strategy",
    "open_arrays",
    "read",
    "save_strategy",
    "write_arrays",
    "write_whole",
]

FORMAT = "counterfold 1"
Arrays = dict[str, NDArray[Any]]
PathLike = str | os.PathLike[str]


def write_whole(path: PathLike, content: bytes) -> None:
    """Write a file without its name and name it when it is whole, so a kill leaves the old one."""
    target = Path(path)
    try:
        if not _write_unnamed(target, content):
            _write_beside(target, content)
    except OSError as error:
        raise FileError(f"cannot write {target}: {error.strerror or error}") from None


def _write_unnamed(target: Path, content: bytes) -> bool:
    """Linux: a file without a name is gone with its process, even after kill -9."""
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir("/proc/self/fd"):
        return False
    try:
        handle = os.open(target.parent, os.O_TMPFILE | os.O_WRONLY, 0o666)
    except OSError:
        return False  # this file system has none
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    draft = f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}"
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(handle)
            # dir_fd makes it linkat(2), which alone follows the link in /proc.
            os.link(f"/proc/self/fd/{handle}", draft, dst_dir_fd=folder, follow_symlinks=True)
        os.replace(draft, target.name, src_dir_fd=folder, dst_dir_fd=folder)
        return True
    except BaseException:
        with suppress(OSError):
            os.unlink(draft, dir_fd=folder)
        raise
    finally:
        os.close(folder)


def _write_beside(target: Path, content: bytes) -> None:
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(handle)
        _open_to_others(draft)
        os.replace(draft, target)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def _open_to_others(path: PathLike) -> None:
    """The permissions of a file that was opened in the usual way."""
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(path, 0o666 & ~mask)


def write_arrays(
    path: PathLike, arrays: Mapping[str, NDArray[Any]], header: dict[str, str]
) -> None:
    """Write arrays that may be too large to hold twice, and name the file when it is whole."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    target = Path(path)
    draft = target.parent / f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}"
    try:
        save_file({key: np.ascontiguousarray(a) for key, a in arrays.items()}, draft, header)
        _open_to_others(draft)
        os.replace(draft, target)
    except (OSError, SafetensorError) as error:
        told = getattr(error, "strerror", None) or error
        raise FileError(f"cannot write {target}: {told}") from None
    finally:
        draft.unlink(missing_ok=True)


def save_strategy(
    strategy: Strategy,
    path: PathLike,
    state: Mapping[str, NDArray[Any]] | None = None,
    run: Mapping[str, Any] | None = None,
) -> None:
    """Write a strategy; with ``state`` and ``run`` (a solver's) the file is a checkpoint too."""
    from safetensors.numpy import save

    infosets = strategy.infosets
    lists = {actions: n for n, actions in enumerate(dict.fromkeys(infosets.actions))}
    names = {
        "labels": infosets.labels,
        "lists": list(lists),
        "actions": [lists[actions] for actions in infosets.actions],
    }
    blob = json.dumps(names, ensure_ascii=False, separators=(",", ":")).encode()
    arrays: Arrays = {
        "probabilities": np.ascontiguousarray(strategy.probabilities),
        "owner": np.ascontiguousarray(infosets.owner),
        "start": np.ascontiguousarray(infosets.start),
        "names": np.frombuffer(blob, dtype=np.uint8),
    }
    arrays |= {f"state.{key}": np.ascontiguousarray(value) for key, value in (state or {}).items()}
    header = {
        "format": FORMAT,
        "kind": "strategy" if state is None else "checkpoint",
        "game": strategy.spec,
        "players": str(strategy.players),
        "fingerprint": strategy.fingerprint,
        "about": json.dumps(dict(strategy.about)),
    }
    if run is not None:
        header["run"] = json.dumps(dict(run))
    write_whole(path, save(arrays, metadata=header))


def load_strategy(path: PathLike) -> Strategy:
    """Read the strategy of a file, checking all that can be checked."""
    return read(path)[0]


def read(path: PathLike) -> tuple[Strategy, Arrays, dict[str, Any] | None]:
    """A file's strategy, and the solver's arrays and run if it is a checkpoint."""
    header, arrays = open_arrays(path)
    if header.get("format") != FORMAT:
        raise FileError(f"{path} is not a Counterfold file (format {header.get('format')!r})")
    try:
        names = json.loads(arrays["names"].tobytes())
        infosets = Infosets(
            owner=arrays["owner"].astype(np.int8),
            start=arrays["start"].astype(np.uint32),
            labels=tuple(names["labels"]),
            actions=tuple(tuple(names["lists"][n]) for n in names["actions"]),
        )
        players = int(header["players"])
        _check_layout(infosets, players)
        strategy = Strategy(
            header["game"],
            players,
            infosets,
            arrays["probabilities"],
            header["fingerprint"],
            json.loads(header["about"]),
        )
        run = json.loads(header["run"]) if "run" in header else None
    except CounterfoldError as error:
        raise FileError(f"{path} is damaged: {error}") from None
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise FileError(f"{path} is damaged: {type(error).__name__} {error}") from None
    state = {key[6:]: value for key, value in arrays.items() if key.startswith("state.")}
    return strategy, state, run


def open_arrays(path: PathLike) -> tuple[dict[str, str], Arrays]:
    """The header and the arrays of a file, whatever it holds."""
    from safetensors import SafetensorError, safe_open

    if not os.path.exists(path):
        raise FileError(f"there is no file {path}")
    try:
        with safe_open(os.fspath(path), framework="numpy") as file:
            arrays = {key: np.array(file.get_tensor(key)) for key in file.keys()}  # noqa: SIM118
            return file.metadata() or {}, arrays
    except SafetensorError as error:
        raise FileError(
            f"{path} cannot be read: it is no saved run or strategy ({error})"
        ) from None
    except (OSError, ValueError) as error:
        raise FileError(f"{path} cannot be read: {error}") from None


def header_of(path: PathLike) -> dict[str, str]:
    """What a saved file says about itself, without its arrays; nothing if it is no such file."""
    from safetensors import SafetensorError, safe_open

    if not os.path.isfile(path):
        return {}
    try:
        with safe_open(os.fspath(path), framework="numpy") as file:
            return dict(file.metadata() or {})
    except (SafetensorError, OSError, ValueError):
        return {}


def _check_layout(infosets: Infosets, players: int) -> None:
    count = len(infosets.owner)
    sizes = np.diff(infosets.start.astype(np.int64))
    fits = (
        len(infosets.labels) == len(infosets.actions) == len(sizes) == count
        and infosets.start[0] == 0
        and all(len(a) == n for a, n in zip(infosets.actions, sizes.tolist(), strict=True))
        and (count == 0 or 0 <= infosets.owner.min() <= infosets.owner.max() < players)
    )
    if not fits:
        raise FileError("the sizes of its tables do not fit each other")
