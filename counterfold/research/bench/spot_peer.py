"""Another solver of hold'em spots, spoken to line by line, so that it takes turns with ours.

The program is started with ``board pot stack oop ip bets raises bits`` as arguments, prints one
line of JSON when it has built its tree, and then answers each line that it is given with one of
JSON: ``step N`` (so many iterations, both players updated in each) with ``cpu``, the CPU seconds
that they took, and ``exp`` with ``exp``, the exploitability in percent of the pot.
"""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Mapping
from contextlib import suppress

from counterfold.errors import FileError, ParameterError, short

EVERY_HAND = "22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32"


def peer_arguments(spot: Mapping[str, object], bits: int) -> list[str]:
    """A spot as the arguments of a peer; all-in is ``a``.

    >>> spot = {"board": "Ks 9h 6s", "pot": 20, "stack": 40, "oop": "AA", "ip": "QQ"}
    >>> peer_arguments(spot | {"bets": ["50%", "allin"], "raises": ["60%"]}, 32)
    ['Ks9h6s', '20', '40', 'AA', 'QQ', '50%, a', '60%', '32']
    """
    sizes = {}
    for kind in ("bets", "raises"):
        asked = spot[kind]
        sizes_asked = asked if isinstance(asked, list | tuple) else [""]
        words = ["a" if size == "allin" else str(size) for size in sizes_asked]
        if not all(word == "a" or word.endswith("%") for word in words):
            raise ParameterError(
                f"a peer knows {kind} in percent of the pot, the same for all, not {asked}"
            )
        sizes[kind] = ", ".join(words)
    ranges = [EVERY_HAND if spot[p] == "random" else str(spot[p]) for p in ("oop", "ip")]
    board = str(spot["board"]).replace(" ", "")
    return [board, str(spot["pot"]), str(spot["stack"]), *ranges, *sizes.values(), str(bits)]


class SpotPeer:
    """A peer at work on one spot; a context that ends it."""

    def __init__(self, command: str, spot: Mapping[str, object], bits: int) -> None:
        self.command, self.cpu_seconds, self.iteration = command, 0.0, 0
        try:
            self._process = subprocess.Popen(
                [*shlex.split(command), *peer_arguments(spot, bits)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise FileError(f"--peer {short(command)} cannot be started: {error}") from None
        self.built = self._answer()

    def __enter__(self) -> SpotPeer:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def step(self, count: int) -> float:
        """So many iterations; the CPU seconds of them."""
        took = float(self._ask(f"step {count}", "cpu"))
        self.cpu_seconds += took
        self.iteration += count
        return took

    def exploitability(self) -> float:
        """In percent of the pot."""
        return float(self._ask("exp", "exp"))

    def _ask(self, line: str, key: str) -> float:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        answer = self._answer().get(key)
        if not isinstance(answer, int | float):
            raise FileError(f"--peer {short(self.command)} answers {line!r} without {key!r}")
        return answer

    def _answer(self) -> dict[str, object]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            self.__exit__(None, None, None)
            raise FileError(
                f"--peer {short(self.command)} answers {short(line.strip())}, not a line of JSON"
            )
        return answer
