"""Strategies and checkpoints on disk, of every form."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from counterfold.arrays import Array
from counterfold.errors import CounterfoldError, FileError, MismatchError
from counterfold.files.arrays import Saved, read_arrays, write_arrays
from counterfold.files.text import Fields
from counterfold.strategy.hands import HandLayout
from counterfold.strategy.layout import HORIZON_BEFORE, layout_in
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.tree.form import Form

STRATEGY, CHECKPOINT = "strategy", "checkpoint"
KINDS = (STRATEGY, CHECKPOINT, HandLayout.before, HORIZON_BEFORE)
PathLike = str | os.PathLike[str]


def save_strategy(
    strategy: Strategy,
    path: PathLike,
    state: Mapping[str, Array] | None = None,
    run: Mapping[str, object] | None = None,
) -> None:
    """Write a strategy; with ``state`` and ``run`` (a solver's) the file is a checkpoint too."""
    layout = strategy.layout
    header = {
        "game": strategy.spec,
        "fingerprint": strategy.fingerprint,
        "about": json.dumps(dict(strategy.about)),
        **layout.header(),
    }
    if run is not None:
        header["run"] = json.dumps(dict(run))
    arrays = layout.arrays(strategy.tables)
    arrays |= {f"state.{key}": value for key, value in (state or {}).items()}
    write_arrays(path, STRATEGY if state is None else CHECKPOINT, header, arrays)


def read(path: PathLike, form: Form | None = None) -> tuple[AnyStrategy, Saved, Fields | None]:
    """A file's strategy, and the arrays and the run of whoever saved it as a checkpoint.

    ``form`` is the compiled game, if there is one already.
    """
    saved = read_arrays(path, KINDS, "a strategy")
    state = saved.part("state.")
    try:
        layout, tables = layout_in(saved, form)
        strategy: AnyStrategy = Strategy(layout, tables, saved.fields("about").value)
        saved.finish()
    except (FileError, MismatchError):
        raise
    except CounterfoldError as error:
        raise saved.damaged(error) from None
    return strategy, state, saved.fields("run") if "run" in saved.header else None


def read_run(
    path: PathLike, key: str, otherwise: str, form: Form | None = None
) -> tuple[AnyStrategy, Saved, Fields]:
    """A checkpoint of a kind, which its run tells by a key; else FileError says ``otherwise``.

    MismatchError if it is for another game than ``form``, where there is one already.
    """
    strategy, state, run = read(path)
    if run is None or key not in run:
        raise FileError(f"{path} holds {otherwise}")
    if form is not None:
        strategy.check_fits(form)
    return strategy, state, run
