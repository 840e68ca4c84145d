"""The tables of ``counterfold style``."""

from __future__ import annotations

from collections.abc import Sequence

from counterfold.cli.certificate import (
    Lines,
    certificate,
    in_pot,
    player_names,
    print_panel,
    signed,
    won,
)
from counterfold.cli.output import advise, amount, in_units, print_columns, say, tiny
from counterfold.cli.table import percent
from counterfold.cli.verbs.styling import StyleRequest
from counterfold.solvers.until import Until
from counterfold.style.price import Price
from counterfold.style.shares import Share
from counterfold.style.standing import Standings

MOST_HANDS = 30
"""Beyond so many hands or actions the table of hands is left to --json."""
MOST_ACTIONS = 12


def print_price(price: Price, request: StyleRequest, until: Until) -> None:
    """How often who does what, plainly and styled; what that earns; what it costs."""
    form = price.styled.strategy.tree
    names, streets = player_names(form), getattr(form.game, "streets", ())
    advise(f"{price.styled.game}, {in_words(price.style)}")
    few = {share.hand for share in price.by_hand}, {share.action for share in price.by_player}
    blocks = [
        ("the first decision", () if price.by_player else price.first),
        (f"all decisions on the {streets[0] if streets else 'first street'}"
         if not price.by_player else "all decisions", price.by_round or price.by_player),
        ("by hand", price.by_hand if len(few[0]) <= MOST_HANDS and len(few[1]) <= MOST_ACTIONS
         else ()),
    ]  # fmt: skip
    for title, shares in blocks:
        if shares:
            say()
            say(f"{title}, where an action is offered")
            print_shares(shares, names)
    say()
    say("what a player gets of the pot" if form.units.pot else "what a player earns a hand")
    print_columns(_earnings(price, names), words=2)
    say()
    print_panel("Price", price_lines(price))
    say()
    print_panel("Certificate", _both(price, request, until))


def print_shares(shares: Sequence[Share], names: Sequence[str]) -> None:
    """How often who does what, plainly and styled."""
    print_columns(_rows(shares, names), words=_words(shares))


def in_words(style: str) -> str:
    return f"style {style.removeprefix('Style(').removesuffix(')')}"


def _place(share: Share) -> str:
    return share.hand or ("" if share.round is None else str(share.round))


def _words(shares: Sequence[Share]) -> int:
    """Columns of words: the player, the round or the hand if there are any, and the action."""
    return 3 if any(_place(share) for share in shares) else 2


def _rows(shares: Sequence[Share], names: Sequence[str]) -> list[list[str]]:
    head = ["player", "hand" if shares[0].hand else "round", "action"]
    rows = [[*head, "plain", "styled", "change"]]
    before = ("", "")
    for share in shares:
        who, place = names[share.player], _place(share)
        change = ""
        if share.plain is not None and share.styled is not None:
            change = f"{100 * (share.styled - share.plain):+.1f}"
        cells = ["never" if x is None else percent(x) for x in (share.plain, share.styled)]
        rows.append([
            "" if who == before[0] else who, "" if (who, place) == before else place,
            share.action, *cells, "" if change in ("+0.0", "-0.0") else change,
        ])  # fmt: skip
        before = who, place
    return rows if _words(shares) == 3 else [[row[0], *row[2:]] for row in rows]


def price_lines(price: Price) -> Lines:
    """What a style costs."""
    plain, styled, apart = price.plain, price.styled, price.distance
    form = styled.strategy.tree
    names = player_names(form)
    both = [in_units(form.units, result.exploitability) for result in (plain, styled)]
    costs = f"plain {both[0]}, styled {both[1]} (both exact): {signed(price.cost)}"
    lines: Lines = [("exploitability", costs)]
    for player in price.players:
        if player.cost is not None and player.styled_guarantee is not None:
            less = (
                f"{in_units(form.units, abs(player.cost))} {'less' if player.cost > 0 else 'more'}"
            )
            sure = won(form, player.player, player.styled_guarantee)
            lines.append((names[player.player], f"guarantees {sure}, {less} than the plain one"))
    if apart is not None:
        lines.append(
            (
                "distance",
                f"{tiny(apart.mean)} (mean L1 at an infoset); most at {names[apart.player]}'s "
                f"{apart.infoset!r}, {apart.action}: {tiny(apart.largest)}",
            )
        )
    return lines


def _earnings(price: Price, names: Sequence[str]) -> list[list[str]]:
    rows = [["player", "against", "plain", "styled", "change"]]
    for player in price.players:
        share = in_pot(price.styled.strategy.tree, player.player)
        foes = [
            ("itself", player.plain, player.styled),
            ("the other strategy", player.plain_against_styled, player.styled_against_plain),
        ]
        if player.plain_guarantee is not None and player.styled_guarantee is not None:
            foes.append(("a best responder", player.plain_guarantee, player.styled_guarantee))
        for number, (foe, plain, styled) in enumerate(foes):
            who = "" if number else names[player.player]
            earned = [amount(plain + share), amount(styled + share), signed(styled - plain)]
            rows.append([who, foe, *earned])
    return rows


def _both(price: Price, request: StyleRequest, until: Until) -> Lines:
    """Two certificates in one: a line where they agree, two where they do not."""
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
    """A frontier, and where the strategies lie on it."""
    frontier = standings.frontier
    who = frontier.frequency.player + 1
    say()
    advise(
        f"Frontier: how often player {who} can {frontier.frequency}, by what its strategy may "
        f"guarantee less than the game's value ({amount(frontier.value)} to player 1)."
    )
    rows = [["", "may cost", "lowest", "highest", "strategy"]]
    rows += [["", amount(p.epsilon), *map(_exactly, (p.low, p.high)), ""] for p in frontier.points]
    for one in standings.strategies:
        shares = map(_exactly, (one.low, one.high, one.frequency))
        rows.append([f"{one.name}, costs", amount(one.cost), *shares])
    print_columns(rows)


def _exactly(share: float) -> str:
    return f"{share:.6f}"
