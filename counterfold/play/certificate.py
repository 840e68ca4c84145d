"""What is known of a search, and kept with the hand."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from counterfold.files.text import Json


@dataclass(frozen=True)
class Certificate:
    """What is known of a search: where it was, what it believed, and how far it got."""

    street: str
    board: str
    line: str  # of the street, up to the decision for which it was made
    player: int
    kind: str  # "public": every hand its own, to the end; "sampled": over buckets
    gadget: str
    alpha: float | None
    iterations: int
    gap: float | None  # chips, from the best in the subgame; None where it is not measured
    pot: float
    nodes: int  # of the betting
    cpu_seconds: float
    ranges: tuple[str, ...]  # that it believed, of the players still in the hand

    def to_json(self) -> Json:
        """It as plain data."""
        return asdict(self)


def search_line(told: Json) -> str:
    """A certificate in words.

    >>> search_line({"street": "river", "gadget": "unsafe", "iterations": 400, "pot": 6.0,
    ...              "gap": 0.003, "cpu_seconds": 0.04, "kind": "public"})
    'the river, every hand its own, unsafe, 400 iterations, gap 0.05% of the pot, 0.04 s'
    """
    how = "every hand its own" if told["kind"] == "public" else "sampled to the end of the street"
    gap = told.get("gap")
    near = "gap not measured" if gap is None else f"gap {100 * gap / told['pot']:.2g}% of the pot"
    alpha = "" if told.get("alpha") is None else f" with alpha {told['alpha']:g}"
    return (
        f"the {told['street']}, {how}, {told['gadget']}{alpha}, {told['iterations']:,} "
        f"iterations, {near}, {told['cpu_seconds']:.2g} s"
    )
