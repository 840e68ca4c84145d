"""What chips are counted in: percent of the pot, thousandths of a big blind."""

from __future__ import annotations

import re
from dataclasses import dataclass

from counterfold.errors import ParameterError

_AMOUNT = re.compile(r"(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)\s*(%|mbb(?:/h)?|)", re.I)


@dataclass(frozen=True)
class Units:
    """What chips are counted in beside themselves; None where a game has no such thing."""

    pot: float | None = None
    big_blind: float | None = None

    def percent_of_pot(self, chips: float) -> float | None:
        """Chips as a share of the pot that the game begins with."""
        return None if not self.pot else 100.0 * chips / self.pot

    def mbb(self, chips: float) -> float | None:
        """Chips in thousandths of a big blind."""
        return None if not self.big_blind else 1000.0 * chips / self.big_blind

    def chips(self, amount: str | float, game: str = "the game") -> float:
        """An amount in payoffs a hand: a number, ``0.5%`` (of the pot) or ``1mbb``.

        >>> Units(pot=200).chips("0.5%"), Units(big_blind=2).chips("1mbb"), Units().chips(0.25)
        (1.0, 0.002, 0.25)
        """
        number, unit = parse_amount(amount)
        if not unit:
            return number
        if not self.pot and not self.big_blind:
            raise ParameterError(
                f"{amount} is for poker with a pot or a big blind, and {game} has neither; give a "
                "number, in the payoffs of the game"
            )
        if unit == "%":
            if not self.pot:
                raise ParameterError(
                    f"{game} begins without a pot, so {amount} of it is nothing; write 1mbb, "
                    "or a number of chips"
                )
            return number / 100 * self.pot
        if not self.big_blind:
            raise ParameterError(
                f"{game} does not say its big blind, so {amount} has no meaning; write 0.5% of "
                'the pot, or give the spot a "big_blind"'
            )
        return number / 1000 * self.big_blind


def parse_amount(amount: str | float) -> tuple[float, str]:
    """A number above zero and its unit: ``%``, ``mbb`` or none.

    >>> parse_amount("0.5 %"), parse_amount("1mbb/h"), parse_amount(3)
    ((0.5, '%'), (1.0, 'mbb'), (3.0, ''))
    """
    given = _AMOUNT.fullmatch(str(amount).strip())
    if not given or not 0 < float(given[1]) < float("inf"):
        raise ParameterError(
            f"{amount!r} is no exploitability to stop at; write 0.5% (of the pot), 1mbb "
            "(thousandths of a big blind a hand) or a number of chips"
        )
    return float(given[1]), given[2].lower().removesuffix("/h")
