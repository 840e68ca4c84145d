"""The tables of ``counterfold style``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from counterfold.cli import clock
from counterfold.cli.certificate import Lines, certificate, print_panel
from counterfold.cli.output import advise, amount, say, tiny
from counterfold.cli.table import percent
from counterfold.style.price import DEFAULT_UNTIL, Price
from counterfold.style.shares import Share
from counterfold.style.standing import Standings

if TYPE_CHECKING:
    from counterfold.cli.verbs.styling import StyleRequest

__all__ = ["MOST_ACTIONS", "columns", "in_words", "print_price", "print_standings"]

MOST_HANDS = 30
"""Beyond so many hands or actions the table of hands is left to --json."""
MOST_ACTIONS = 12


def print_price(price: Price, request: StyleRequest) -> None:
    advise(f"{price.styled.game}, {in_words(price.style)}")
    blocks = [("round", price.by_round or price.by_player)]
    actions = {share.action for share in price.by_player}
    held = {share.hand for share in price.by_hand}
    if price.by_hand and len(held) <= MOST_HANDS and len(actions) <= MOST_ACTIONS:
        blocks.append(("hand", price.by_hand))
    for by, shares in blocks:
        for player in range(len(price.seats)):
            own = [share for share in shares if share.player == player]
            if own:
                say()
                say(f"player {player + 1}, by {by}" if own[0].round or own[0].hand else
                    f"player {player + 1}")  # fmt: skip
                for line in columns(_rows(own, by)):
                    say(line)
    say()
    say("what a player earns a hand")
    for line in columns(_earnings(price)):
        say(line)
    say()
    print_panel("Price", _price_lines(price))
    say()
    print_panel("Certificate", _both(price, request))


def in_words(style: str) -> str:
    return f"style {style.removeprefix('Style(').removesuffix(')')}"


def _rows(shares: Sequence[Share], by: str) -> list[list[str]]:
    rows = [[by, "action", "plain", "styled", "change"]]
    last = None
    for share in shares:
        place = share.hand if by == "hand" else share.round
        shown = "" if place is None or place == last else str(place)
        last = place
        change = ""
        if share.plain is not None and share.styled is not None:
            change = f"{100 * (share.styled - share.plain):+.1f}"
            change = "" if change in ("+0.0", "-0.0") else change
        cells = [_percent(share.plain), _percent(share.styled), change]
        rows.append([shown, share.action, *cells])
    if not any(row[0] for row in rows[1:]):
        rows = [row[1:] for row in rows]
    return rows


def _percent(share: float | None) -> str:
    return "never" if share is None else percent(share)


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Words to the left, numbers (the last three columns) to the right."""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    words = len(widths) - 3
    for row in rows:
        cells = [
            cell.ljust(width) if c < words else cell.rjust(width)
            for c, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield ("  " + "  ".join(cells)).rstrip()


def _price_lines(price: Price) -> Lines:
    plain, styled, apart = price.plain, price.styled, price.distance
    lines: Lines = [
        (
            "exploitability",
            f"plain {tiny(plain.exploitability)}, styled {tiny(styled.exploitability)}: "
            f"{_signed(price.cost)}",
        )
    ]
    if apart is not None:
        lines.append(
            (
                "distance",
                f"{tiny(apart.mean)} (mean L1 at an infoset); most at player {apart.player + 1}'s "
                f"{apart.infoset!r}, {apart.action}: {tiny(apart.largest)}",
            )
        )
    return lines


def _earnings(price: Price) -> list[list[str]]:
    rows = [["player", "against", "plain", "styled", "change"]]
    for seat in price.seats:
        foes = [
            ("itself", seat.plain, seat.styled),
            ("the other strategy", seat.plain_against_styled, seat.styled_against_plain),
        ]
        if seat.plain_guarantee is not None and seat.styled_guarantee is not None:
            foes.append(("a best responder", seat.plain_guarantee, seat.styled_guarantee))
        for number, (foe, plain, styled) in enumerate(foes):
            who = "" if number else str(seat.player + 1)
            rows.append([who, foe, amount(plain), amount(styled), _signed(styled - plain)])
    return rows


def _signed(number: float) -> str:
    return f"{number:+.3g}"


def _both(price: Price, request: StyleRequest) -> Lines:
    """Two certificates in one: a line where they agree, two where they do not."""
    until = clock.until_of(request) or DEFAULT_UNTIL
    ours, theirs = certificate(price.plain, until), certificate(price.styled, until, request.save)
    other = dict(theirs)
    if request.give_up:
        other["promise"] = (
            "What is given up stays as regret, so the average strategy converges to near an "
            "equilibrium only; its exploitability is exact."
        )
    lines: Lines = []
    for name, text in ours:
        if other.get(name) == text:
            lines.append((name, text))
        else:
            lines += [(f"{name}, plain", text), (f"{name}, styled", other.get(name, ""))]
    return lines + [line for line in theirs if line[0] not in dict(ours)]


def print_standings(standings: Standings) -> None:
    frontier = standings.frontier
    who = frontier.frequency.player + 1
    say()
    advise(
        f"Frontier: how often player {who} can {frontier.frequency}, by what its strategy may "
        f"guarantee less than the game's value ({amount(frontier.value)} to player 1)."
    )
    rows = [["", "may cost", "lowest", "highest", ""]]
    rows += [
        ["", amount(p.epsilon), _exactly(p.low), _exactly(p.high), ""] for p in frontier.points
    ]
    rows[0][-1] = "strategy"
    for one in standings.strategies:
        rows.append(
            [
                f"{one.name}, costs",
                amount(one.cost),
                _exactly(one.low),
                _exactly(one.high),
                _exactly(one.frequency),
            ]
        )
    widths = [max(len(row[c]) for row in rows) for c in range(5)]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(row[c].rjust(widths[c]) for c in range(1, 5))]
        say(("  " + "  ".join(cells)).rstrip())


def _exactly(share: float) -> str:
    return f"{share:.6f}"
