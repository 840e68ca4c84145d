"""Pictures. The only module that knows matplotlib, which it imports when a picture is asked for."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from counterfold.errors import MissingExtraError, ParameterError, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")
# Okabe and Ito's colours, which colour-blind readers can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")


class Point(NamedTuple):
    """Where a run stood at a check."""

    iteration: int
    cpu_seconds: float
    exploitability: float | None
    cce_gap: float | None = None


class Curve(NamedTuple):
    """A run with its name in the legend."""

    label: str
    points: Sequence[Point]


def check_plot(path: str | os.PathLike[str]) -> None:
    """Refuse a picture that cannot be drawn: an unknown suffix, or no matplotlib.

    >>> check_plot("picture.doc")
    Traceback (most recent call last):
    counterfold.errors.ParameterError: picture.doc: a picture ends in .png, .svg or .pdf
    """
    if _suffix(path) not in FORMATS:
        raise ParameterError(f"{path}: a picture ends in .png, .svg or .pdf")
    try:
        there = find_spec("matplotlib") is not None
    except ValueError:
        there = False
    if not there:
        raise MissingExtraError(
            "pictures need matplotlib; install it with pip install 'counterfold[plot]'"
        )


def figure(
    rows: int,
    columns: int,
    size: tuple[float, float],
    *,
    sharex: bool = False,
    sharey: bool = False,
    width_ratios: Sequence[float] | None = None,
    height_ratios: Sequence[float] | None = None,
) -> tuple[Figure, list[Axes]]:
    """An empty figure with its panels in one list, row by row."""
    from matplotlib.figure import Figure

    made = Figure(figsize=size, dpi=150, layout="constrained")
    grid = made.subplots(
        rows, columns, squeeze=False, sharex=sharex, sharey=sharey,
        width_ratios=width_ratios, height_ratios=height_ratios,
    )  # fmt: skip
    panels: list[Axes] = grid.ravel().tolist()
    for panel in panels:
        panel.grid(True, which="major", color="#dddddd", linewidth=0.8)
        panel.set_axisbelow(True)
        panel.spines[["top", "right"]].set_visible(False)
    return made, panels


def save(made: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure in the format of its suffix, whole or not at all."""
    from counterfold.files.whole import write_whole

    check_plot(path)
    suffix = _suffix(path)
    # Without dates the same run gives the same file.
    undated = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    out = io.BytesIO()
    _take_literally(made)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # drawn as a box
        made.savefig(out, format=suffix[1:], metadata=undated[suffix])
    write_whole(path, out.getvalue())


def _take_literally(made: Figure) -> None:
    """Names are no formulas: a $ in one is a $. Powers of ten along an axis stay formulas."""
    from matplotlib.text import Text
    from matplotlib.ticker import LogFormatter

    powers: set[int] = set()
    for axes in made.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if isinstance(axis.get_major_formatter(), LogFormatter):
                powers |= {id(text) for text in axis.get_ticklabels(which="both")}
    for text in made.findobj(Text):
        if id(text) not in powers:
            text.set_parse_math(False)
            text.set_text(visible(text.get_text(), keep="\n"))


def convergence(curves: Sequence[Curve], title: str, path: str | os.PathLike[str]) -> None:
    """Draw exploitability over iterations and over CPU time; the file is written whole."""
    check_plot(path)
    made, (left, right) = figure(1, 2, size=(11, 5), sharey=True)
    for number, curve in enumerate(curves):
        colour = COLOURS[number % len(COLOURS)]
        style = "-" if number < len(COLOURS) else "--"
        _draw(left, curve, True, colour, style)
        _draw(right, curve, False, colour, style)
    left.set_xlabel("iterations", size=12)
    right.set_xlabel("CPU seconds", size=12)
    gap = any(point.cce_gap is not None for curve in curves for point in curve.points)
    left.set_ylabel("exploitability, CCE gap" if gap else "exploitability", size=12)
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.tick_params(labelsize=11)
    made.suptitle(title, fontsize=14)
    handles, labels = left.get_legend_handles_labels()
    if len(labels) > 1:
        made.legend(handles, labels, loc="outside right center", frameon=False, fontsize=11)
    save(made, path)


def _draw(axes: Axes, curve: Curve, by_iteration: bool, colour: str, style: str) -> None:
    for name, label, line in (
        ("exploitability", curve.label, style),
        (
            "cce_gap",
            "CCE gap" if curve.label == "exploitability" else f"{curve.label}, CCE gap",
            ":",
        ),
    ):
        points = [
            (point.iteration if by_iteration else point.cpu_seconds, getattr(point, name))
            for point in curve.points
        ]
        # Both axes are logarithmic: a distance of zero has no place on them.
        shown = [(x, y) for x, y in points if y is not None and x > 0 and y > 0]
        if shown:
            marker = "o" if len(shown) < 5 else None
            axes.plot(
                *zip(*shown, strict=True),
                color=colour, linestyle=line, marker=marker, linewidth=1.8, label=label,
            )  # fmt: skip


def _suffix(path: str | os.PathLike[str]) -> str:
    return os.path.splitext(os.fspath(path))[1].lower()
