"""The money of a spot: pot, blinds and stacks, and the sizes that may be bet."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from counterfold.errors import ParameterError, short
from counterfold.poker.money import Betting, Rake
from counterfold.poker.sizes import Size, Sizes, parse_sizes
from counterfold.poker.spot_source import SEATS, STREETS, Source

_PERCENT = {"bet_pct": "bets", "raise_pct": "raises", "donk_pct": "donks"}
_ENTRY = (*_PERCENT, "allin", *_PERCENT.values())
_RAKE = ("rate", "cap", "no_flop_no_drop")


def read_big_blind(source: Source) -> float | None:
    """The big blind, in which win rates are told, if it is known."""
    blinds, big = source.given.get("blinds"), source.given.get("big_blind")
    if blinds is not None:
        pair = source.pair("blinds", blinds)
        if pair[0] > pair[1]:
            raise source.complaint("blinds", "give the small blind first")
        if big is not None and big != pair[1]:
            raise source.complaint("big_blind", f"the blinds say {pair[1]:g}, not {short(big)}")
        big = pair[1]
        source.told["blinds"] = pair
    elif big is not None:
        source.told["big_blind"] = big
    return None if big is None else source.number("big_blind", big)


def read_betting(source: Source, streets: Sequence[str]) -> Betting:
    """The rules of money that a spot gives for its streets."""
    whole = source.given.get("limit") is None
    big_blind = read_big_blind(source)
    money = _posted(source, whole) if streets[0] == "preflop" else _pot(source, whole)
    sizes = (_limit if not whole else _sizes)(source, streets)
    caps = _caps(source, streets)
    if not whole and math.inf in money.stacks and None in caps:
        raise ParameterError(
            f'{source.where}: raises never end in a limit game without "stack" or "raise_cap"; '
            "give one of them"
        )
    aggressor = source.given.get("aggressor")
    if aggressor is not None:
        source.told["aggressor"] = SEATS[source.player("aggressor", aggressor)]
    try:
        return Betting(
            paid=money.paid,
            stacks=money.stacks,
            sizes=sizes,
            first=tuple(int(street == "preflop") for street in streets),
            posted=money.posted,
            caps=caps,
            opened=int(bool(money.posted)),
            force_spr=_threshold(source, "force_allin_spr", 0.0),
            force_share=_threshold(source, "force_allin_share", math.inf),
            merge=_threshold(source, "merge_sizes", 0.0),
            aggressor=-1 if aggressor is None else source.player("aggressor", aggressor),
            least=math.ceil(big_blind or 1) if whole else 0.0,
            rake=_rake(source, streets[0] == "preflop"),
            fixed=not whole,
        )
    except ParameterError as error:
        if error.key:  # which says where it is
            raise
        raise ParameterError(f"{source.where}: {error}") from None


class _Money(NamedTuple):
    """The chips with which a hand begins, as ``Betting`` has them."""

    paid: tuple[float, float]
    stacks: tuple[float, float]
    posted: tuple[float, ...] = ()


def _pot(source: Source, whole: bool) -> _Money:
    pot = source.number("pot", source.needed("pot", '"pot": 200'), whole=whole)
    stacks = _stacks(source, whole)
    source.told |= {"pot": pot} | ({} if math.inf in stacks else {"stack": list(stacks)})
    if source.given.get("ante") is not None:
        raise source.complaint("ante", "after the flop antes are in the pot; leave it out")
    return _Money((pot / 2, pot / 2), stacks)


def _stacks(source: Source, whole: bool) -> tuple[float, float]:
    if not whole and source.given.get("stack") is None:
        return math.inf, math.inf
    given = source.needed("stack", '"stack": 600, what each player has left to bet')
    first, second = source.pair("stack", given, zero=True, whole=whole)
    return first, second


def _posted(source: Source, whole: bool) -> _Money:
    """Blinds and antes; the player in position has the small blind."""
    given = source.needed("blinds", '"blinds": [1, 2], since the board has no cards')
    small, big = source.pair("blinds", given, whole=whole)
    antes = source.pair("ante", source.given.get("ante", 0), zero=True, whole=whole)
    paid = (big + antes[0], small + antes[1])
    pot = source.given.get("pot")
    if pot is not None and pot != sum(paid):
        raise source.complaint(
            "pot",
            f"blinds and antes make {sum(paid):g}; leave the pot out, or give the board after it",
        )
    stacks = _stacks(source, whole)
    source.told |= {} if math.inf in stacks else {"stack": list(stacks)}
    source.told |= {"ante": antes} if any(antes) else {}
    if stacks[0] < paid[0] or stacks[1] < paid[1]:
        raise source.complaint("stack", "a player has less than the blinds and antes")
    return _Money(paid, (stacks[0] - paid[0], stacks[1] - paid[1]), posted=(big, small))


def _sizes(source: Source, streets: Sequence[str]) -> tuple[tuple[Sizes, ...], tuple[Sizes, ...]]:
    """The sizes of both players on every street, from "actions" or from "bets" and "raises"."""
    actions = source.given.get("actions")
    for key in ("bets", "raises"):
        if actions is not None and source.given.get(key) is not None:
            raise source.complaint(key, 'the sizes are in "actions" already; give one of the two')
    told: dict[str, dict[str, dict[str, list[str]]]] = {}
    found: tuple[list[Sizes], list[Sizes]] = ([], [])
    for player in (0, 1):
        for street in streets:
            if actions is not None:
                entry = _entry(source, actions, player, street)
            else:
                entry = {
                    key: _list(source, key, source.needed(key, f'"{key}": ["50%", "allin"]'), p, s)
                    for key, p, s in (("bets", player, street), ("raises", player, street))
                }
            donks = source.given.get("donks")
            if donks is not None and not _same(donks):
                entry.setdefault("donks", _list(source, "donks", donks, player, street))
            with source.at("actions" if actions is not None else "bets", SEATS[player], street):
                sizes = Sizes(entry["bets"], entry["raises"], entry.get("donks"))
            found[player].append(sizes)
            for key, values in entry.items():
                by_street = told.setdefault(key, {}).setdefault(SEATS[player], {})
                by_street[street] = [str(size) for size in values]
    source.told |= told
    return tuple(found[0]), tuple(found[1])


def _parsed(source: Source, sizes: object) -> tuple[Size, ...]:
    return parse_sizes(sizes, bare_chips=source.saved, big_blind=read_big_blind(source))


def _same(donks: object) -> bool:
    return isinstance(donks, str) and donks.strip().lower().startswith("same")


def _list(source: Source, key: str, value: object, player: int, street: str) -> tuple[Size, ...]:
    picked = source.pick(key, value, player, street)
    if isinstance(picked, Mapping):
        source.only(key, picked, [*source.names, *STREETS])
    if picked is None:
        if key == "bets" and street == "preflop":  # after blinds every bet is a raise
            return ()
        raise source.complaint(key, f"this says nothing about the {street}; give [] for no sizes")
    with source.at(key, SEATS[player], street):
        return _parsed(source, picked)


def _entry(
    source: Source, actions: object, player: int, street: str
) -> dict[str, tuple[Size, ...]]:
    """One entry of "actions": percents of the pot by "bet_pct", or any sizes by "bets"."""
    picked = source.pick("actions", actions, player, street)
    if picked is None:
        raise source.complaint("actions", f"this says nothing about the {street}")
    if isinstance(picked, Mapping) and not any(name in picked for name in _ENTRY):
        source.only("actions", picked, [*source.names, *STREETS, *_ENTRY])
    entry = source.only("actions", picked, _ENTRY)
    found: dict[str, tuple[Size, ...]] = {"bets": (), "raises": ()}
    for key, values in entry.items():
        if key in _PERCENT:
            values = values if isinstance(values, list | tuple) else [values]
            percents = [source.number(f"actions: {key}", value) for value in values]
            sizes = tuple(Size("pot", value) for value in percents)
            found[_PERCENT[key]] = found.get(_PERCENT[key], ()) + sizes
        elif key != "allin":
            with source.at(f"actions: {key}"):
                found[key] = found.get(key, ()) + _parsed(source, values)
    if source.flag("actions: allin", entry.get("allin", False)):
        found = {key: (*sizes, Size("all-in")) for key, sizes in found.items()}
    return found


def _limit(source: Source, streets: Sequence[str]) -> tuple[tuple[Sizes, ...], tuple[Sizes, ...]]:
    """One amount for each street, by which both players bet and raise."""
    for key in ("bets", "raises", "donks", "actions"):
        if source.given.get(key) is not None:
            raise source.complaint(key, 'a game with "limit" has no other sizes; give one of them')
    amounts = _by_street(source, "limit", streets)
    sizes = []
    for amount in amounts:
        size = Size("by", source.number("limit", amount))
        sizes.append(Sizes((size,), (size,)))
    source.told["limit"] = amounts
    return tuple(sizes), tuple(sizes)


def _by_street(source: Source, key: str, streets: Sequence[str]) -> list[object]:
    """A value for each street: one for all, a list, or a dictionary."""
    value = source.given.get(key)
    if isinstance(value, Mapping):
        source.only(key, value, list(STREETS))
        return [value.get(street) for street in streets]
    if isinstance(value, list | tuple):
        if len(value) != len(streets):
            raise source.complaint(
                key, f"there are {len(streets)} streets ({', '.join(streets)}), not {len(value)}"
            )
        return list(value)
    return [value] * len(streets)


def _caps(source: Source, streets: Sequence[str]) -> tuple[int | None, ...]:
    caps: list[int | None] = []
    given = _by_street(source, "raise_cap", streets)
    for street, cap in zip(streets, given, strict=True):
        least = int(street == "preflop")
        if cap is None or (isinstance(cap, int) and cap >= least and not isinstance(cap, bool)):
            caps.append(cap)
        else:
            raise source.complaint(
                "raise_cap",
                f"this must be a whole number of bets and raises on the {street} "
                f"from {least} up, or null for no cap, not {short(cap)}",
            )
    if any(cap is not None for cap in caps):
        source.told["raise_cap"] = caps
    return tuple(caps)


def _threshold(source: Source, key: str, off: float) -> float:
    value = source.given.get(key)
    if value is None:
        return off
    number = source.number(key, value, zero=off == 0)
    source.told[key] = number
    return number


def _rake(source: Source, preflop: bool) -> Rake:
    given = source.given.get("rake")
    if given is None:
        return Rake()
    source.only("rake", given, _RAKE)
    rate = source.number("rake: rate", given.get("rate", 0), zero=True)
    cap = given.get("cap")
    limit = math.inf if cap is None else source.number("rake: cap", cap, zero=True)
    free = source.flag("rake: no_flop_no_drop", given.get("no_flop_no_drop", False))
    if rate:
        source.told["rake"] = dict(given)
    with source.at("rake"):
        return Rake(rate, limit, int(free and preflop))
