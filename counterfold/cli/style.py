"""``counterfold style``: a strategy with a style beside the plain one, and what the style costs."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from counterfold.cli.certificate import Lines, certificate, print_panel
from counterfold.cli.output import (
    StoppedError,
    advise,
    amount,
    check_can_write,
    print_json,
    say,
    tiny,
)
from counterfold.cli.progress import Watch
from counterfold.cli.show import _nothing_like
from counterfold.cli.solve import (
    WORTH_KEEPING,
    _check_not_foreign,
    _compiled,
    _farewell,
    _interruptible,
    _rescue_file,
    _stamp,
)
from counterfold.cli.table import percent
from counterfold.errors import ParameterError
from counterfold.evaluate.exact import assess
from counterfold.plot import COLOURS, check_plot, figure, save
from counterfold.solve.methods import method as method_of
from counterfold.solve.result import Result, solve
from counterfold.solve.solver import Settings, Until
from counterfold.strategy.strategy import Strategy
from counterfold.style.frequency import Frequency
from counterfold.style.frontier import Frontier, frontier
from counterfold.style.preferences import PRESETS, Style, preset
from counterfold.style.price import DEFAULT_UNTIL, Openings, Price, Share, compare, openings
from counterfold.tree.history import HistoryTree

__all__ = ["Request", "run"]

EPSILONS = (0.0, 0.01, 0.02, 0.05, 0.1)
"""What may be given up on a frontier, unless the user says."""
BETWEEN = 40
"""Points of a frontier's curve in the picture, beside those asked for."""
MOST_HANDS = 30
"""Beyond so many hands or actions the table of hands is left to --json."""
MOST_ACTIONS = 12


@dataclass(frozen=True)
class Request:
    """What was asked for; None where an option was not given."""

    game: str
    prefer: tuple[str, ...] = ()
    give_up: float | None = None
    player: int | None = None
    seen: str | None = None
    round: int | None = None
    best: bool = False
    preset: str | None = None
    strength: float | None = None
    method: str = "cfr"
    iterations: int | None = None
    exploitability: float | None = None
    seconds: float | None = None
    traversal: str = "full"
    seed: int = 0
    frontier: str | None = None
    epsilon: str | None = None
    save: str | None = None
    plot: str | None = None
    json: bool = False
    quiet: bool = False

    @property
    def has_style(self) -> bool:
        return bool(self.prefer or self.preset or self.give_up is not None)

    @property
    def until(self) -> Until:
        limits = {
            name: getattr(self, name)
            for name in ("iterations", "exploitability", "seconds")
            if getattr(self, name) is not None
        }
        return Until(**limits) if limits else DEFAULT_UNTIL


@dataclass(frozen=True)
class Spot:
    """Where a strategy stands on a frontier: what it costs its player, and its frequency."""

    name: str
    cost: float
    frequency: float
    low: float
    high: float


@dataclass(frozen=True)
class Edge:
    """A frontier with the strategies on it."""

    found: Frontier
    curve: Frontier | None
    spots: tuple[Spot, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "frequency": str(self.found.frequency),
            "value": self.found.value,
            "points": [
                {"epsilon": point.epsilon, "low": point.low, "high": point.high}
                for point in self.found.points
            ],
            "strategies": [vars(spot) for spot in self.spots],
        }


def run(request: Request) -> None:
    """Solve plainly and with the style, and tell the difference."""
    degrees, epsilons = _check(request)
    with Watch(request.quiet) as watch:
        try:
            tree = _compiled(request.game, None, watch)
            style = _style(request, degrees, tree)
            found = None
            if request.frontier:
                watch.doing("solving the linear programs of the frontier")
                found = _asked(tree, Frequency.parse(request.frontier), epsilons, watch)
            plain = _solved(request, tree, None, watch)
            styled = _solved(request, tree, style, watch) if style is not None else None
            edge = None
            if found is not None:
                watch.doing("placing the strategies on the frontier")
                edge = _edge(found, plain, styled, bool(request.plot), watch)
        except KeyboardInterrupt:
            raise StoppedError(_farewell(None)) from None
    price = None if styled is None or style is None else compare(plain, styled, style)
    if request.plot:
        _draw(plain, price, edge, request.plot)
    if request.json:
        print_json(_document(plain, price, edge, request))
        return
    if price is not None:
        _print_price(price, request)
    else:
        print_panel("Certificate", certificate(plain, request.until))
    if edge is not None:
        _print_edge(edge)
    if request.plot:
        say()
        say(f"Picture: {request.plot}")
    if request.save:
        advise(f"Read the styled strategy with `counterfold show {shlex.quote(request.save)}`.")


def _document(
    plain: Result, price: Price | None, edge: Edge | None, request: Request
) -> dict[str, Any]:
    if price is not None:
        document = price.to_dict()
    else:
        document = {"game": plain.game, "style": None, "plain": plain.to_dict()}
    document["frontier"] = None if edge is None else edge.to_dict()
    return document | {"saved": request.save, "plot": request.plot}


# What was asked for


def _check(request: Request) -> tuple[dict[str, float], list[float]]:
    """Refuse what cannot work before anything is computed; the preferences, the epsilons."""
    degrees = _degrees(request.prefer)
    Style(degrees, request.give_up or 0.0, round=request.round)
    if request.preset is not None and request.preset not in PRESETS:
        raise ParameterError(
            f"there is no style {request.preset!r}; there are {', '.join(PRESETS)}"
        )
    if request.strength is not None and request.preset is None:
        raise ParameterError("--strength is of a --preset; preferences have theirs in --prefer")
    if request.strength is not None:
        Style({str(request.preset): request.strength})
    if request.preset is not None:
        for action in set(degrees) & set(PRESETS[request.preset]):
            raise ParameterError(
                f"{action!r} is in --prefer and in the {request.preset} style: leave one out"
            )
    if not request.has_style:
        if request.frontier is None:
            raise ParameterError(
                "say which style: --prefer raise=5, or --preset aggressive, or --frontier bet@J "
                "for all that can be had"
            )
        given = {
            "--player": request.player, "--seen": request.seen, "--round": request.round,
            "--best": request.best or None, "--save": request.save,
        }  # fmt: skip
        for option in (name for name, value in given.items() if value is not None):
            raise ParameterError(f"{option} is about a style: say which with --prefer ACTION=N")
    if request.epsilon is not None and request.frontier is None:
        raise ParameterError("--epsilon is of a frontier: say of what with --frontier bet@J")
    if request.frontier is not None:
        Frequency.parse(request.frontier)
    if request.method.strip().lower() == "lp":
        raise ParameterError("the linear program has no style; choose a method such as cfr")
    method_of(request.method)
    Settings(traversal=request.traversal, seed=request.seed)
    _ = request.until
    if request.plot:
        check_can_write(request.plot, "--plot")
        check_plot(request.plot)
    if request.save:
        check_can_write(request.save, "--save")
        _check_not_foreign(request.save)
    return degrees, _epsilons(request.epsilon)


def _degrees(wishes: Sequence[str]) -> dict[str, float]:
    degrees: dict[str, float] = {}
    for text in wishes:
        action, equals, number = text.rpartition("=")
        action = action.strip()
        try:
            degree = float(number)
        except ValueError:
            equals = ""
        if not equals or not action:
            raise ParameterError(f"--prefer {text!r} must be an action and a number: raise=5")
        if action in degrees:
            raise ParameterError(f"--prefer names {action!r} twice; give it one number")
        degrees[action] = degree
    return degrees


def _epsilons(text: str | None) -> list[float]:
    if text is None:
        return list(EPSILONS)
    found = []
    for part in text.split(","):
        try:
            number = float(part)
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and number >= 0):
            raise ParameterError(
                f"--epsilon is {text!r}, and must be numbers from 0 up, such as 0,0.01,0.05"
            )
        found.append(number)
    return sorted(set(found))


def _style(request: Request, degrees: dict[str, float], tree: HistoryTree) -> Style | None:
    """The style for a compiled game; ParameterError if it means nothing there."""
    if request.player is not None and not 1 <= request.player <= tree.players:
        raise ParameterError(f"--player is {request.player}, and must be from 1 to {tree.players}")
    if not request.has_style:
        return None
    who = None if request.player is None else request.player - 1
    uniform = Strategy.uniform(tree)
    if request.seen is not None and not any(uniform.rows(request.seen, who)):
        raise ParameterError(_nothing_like(request.seen, uniform, who))
    place: dict[str, Any] = {
        "player": who, "seen": request.seen, "round": request.round, "best": request.best,
        "give_up": request.give_up or 0.0,
    }  # fmt: skip
    styles = []
    if request.preset is not None:
        styles.append(preset(request.preset, request.strength or 5.0, tree, **place))
    if degrees or not styles:
        styles.append(Style(degrees, **place))
    style = styles[0] if len(styles) == 1 else styles[0] + styles[1]
    style.leaning(tree).check(tree)
    return style


# The work


def _solved(request: Request, tree: HistoryTree, style: Style | None, watch: Watch) -> Result:
    target = request.save if style is not None else None
    rescue = None if target else _rescue_file(tree.spec)
    watch.begin(request.until)
    result = solve(
        tree,
        request.method,
        request.until,
        request.traversal,
        seed=request.seed,
        style=style,
        save=target,
        rescue=rescue,
        on_report=watch.report,
    )
    if result.stopped == "interrupted":
        kept = target or (rescue if _stamp(rescue) and result.seconds >= WORTH_KEEPING else None)
        if rescue and not kept:
            os.unlink(rescue)
        raise StoppedError(_farewell(kept, result.iterations))
    return result


def _asked(
    tree: HistoryTree, frequency: Frequency, epsilons: Sequence[float], watch: Watch
) -> Frontier:
    call: Callable[[], Any] = lambda: frontier(tree, frequency, epsilons)  # noqa: E731
    found: Any = _interruptible(watch, call)
    return found


def _edge(
    found: Frontier, plain: Result, styled: Result | None, curved: bool, watch: Watch
) -> Edge:
    """The strategies on a frontier, each with the limits at its own cost."""
    tree, frequency = plain.strategy.tree, found.frequency
    named = [("plain", plain)] + ([("styled", styled)] if styled is not None else [])
    costs = [_cost(found, result.strategy, frequency.player) for _, result in named]
    limits = _asked(tree, frequency, costs, watch).points
    spots = tuple(
        Spot(name, cost, frequency.of(result.strategy, found.against), at.low, at.high)
        for (name, result), cost, at in zip(named, costs, limits, strict=True)
    )
    curve = None
    if curved:
        epsilons = [point.epsilon for point in found.points]
        most = max(*epsilons, *costs)
        steps = [most * (k / BETWEEN) ** 2 for k in range(BETWEEN + 1)]
        curve = _asked(tree, frequency, sorted({*steps, *epsilons}), watch)
    return Edge(found, curve, spots)


def _cost(found: Frontier, strategy: Strategy, player: int) -> float:
    """What the player's strategy guarantees less than the game's value."""
    worst = assess(strategy).best[1 - player]
    total = strategy.tree.constant_sum or 0.0
    value = found.value if player == 0 else total - found.value
    return max(value - (total - worst), 0.0)


# Words


def _print_price(price: Price, request: Request) -> None:
    advise(f"{price.styled.game}, {_words(price.style)}")
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
                for line in _columns(_rows(own, by)):
                    say(line)
    say()
    say("what a player earns a hand")
    for line in _columns(_earnings(price)):
        say(line)
    say()
    print_panel("Price", _price_lines(price))
    say()
    print_panel("Certificate", _both(price, request))


def _words(style: str) -> str:
    return f"style {style.removeprefix('Style(').removesuffix(')')}"


def _rows(shares: Sequence[Share], by: str) -> list[list[str]]:
    rows = [[by, "action", "plain", "styled", "change"]]
    last = None
    for share in shares:
        place = share.hand if by == "hand" else share.round
        told = "" if place is None or place == last else str(place)
        last = place
        change = ""
        if share.plain is not None and share.styled is not None:
            change = f"{100 * (share.styled - share.plain):+.1f}"
            change = "" if change in ("+0.0", "-0.0") else change
        cells = [_percent(share.plain), _percent(share.styled), change]
        rows.append([told, share.action, *cells])
    if not any(row[0] for row in rows[1:]):
        rows = [row[1:] for row in rows]
    return rows


def _percent(share: float | None) -> str:
    return "never" if share is None else percent(share)


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
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


def _both(price: Price, request: Request) -> Lines:
    """Two certificates in one: a line where they agree, two where they do not."""
    until = request.until
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


def _print_edge(edge: Edge) -> None:
    found = edge.found
    who = found.frequency.player + 1
    say()
    advise(
        f"Frontier: how often player {who} can {found.frequency}, by what its strategy may "
        f"guarantee less than the game's value ({amount(found.value)} to player 1)."
    )
    rows = [["", "may cost", "lowest", "highest", ""]]
    rows += [["", amount(p.epsilon), _exactly(p.low), _exactly(p.high), ""] for p in found.points]
    rows[0][-1] = "strategy"
    for spot in edge.spots:
        rows.append(
            [
                f"{spot.name}, costs",
                amount(spot.cost),
                _exactly(spot.low),
                _exactly(spot.high),
                _exactly(spot.frequency),
            ]
        )
    widths = [max(len(row[c]) for row in rows) for c in range(5)]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(row[c].rjust(widths[c]) for c in range(1, 5))]
        say(("  " + "  ".join(cells)).rstrip())


def _exactly(share: float) -> str:
    return f"{share:.6f}"


# Pictures


def _draw(plain: Result, price: Price | None, edge: Edge | None, path: str) -> None:
    if price is None:
        assert edge is not None
        made, (panel,) = figure(1, 1, size=(7.5, 5))
        _draw_edge(panel, edge)
        made.suptitle(plain.game, fontsize=14)
        save(made, path)
        return
    players = len(price.seats)
    maps = [openings(price.plain.strategy, price.styled.strategy, p) for p in range(players)]
    shown = [m for m in maps if m is not None and len(m.columns) <= 2 * MOST_ACTIONS]
    rows = 1 + (2 if shown else 0) + (1 if edge is not None else 0)
    tallest = max((len(m.hands) for m in shown), default=0)
    heights = [3.2] + ([max(1.9, min(0.32 * tallest + 1.1, 6.0))] * 2 if shown else [])
    heights += [4.0] if edge is not None else []
    size = (max(5.2 * players, 7.5), sum(heights))
    made, panels = figure(rows, players, size, gridspec_kw={"height_ratios": heights})
    for player in range(players):
        _draw_bars(panels[player], price, player, legend=player == 0)
        chart = maps[player] if shown and maps[player] in shown else None
        for row in (1, 2) if shown else ():
            panel = panels[row * players + player]
            if chart is None:
                panel.set_axis_off()
            else:
                _draw_heat(panel, chart, styled=row == 2)
    if edge is not None:
        grid = panels[-1].get_gridspec()
        for panel in panels[-players:]:
            panel.remove()
        wide = made.add_subplot(grid[rows - 1, :])
        wide.grid(True, color="#dddddd", linewidth=0.8)
        wide.spines[["top", "right"]].set_visible(False)
        _draw_edge(wide, edge)
    made.suptitle(
        f"{price.styled.game}, {_words(price.style)}\nexploitability "
        f"{tiny(price.plain.exploitability)} plain, {tiny(price.styled.exploitability)} styled",
        fontsize=13,
    )
    save(made, path)


def _draw_bars(panel: Any, price: Price, player: int, *, legend: bool) -> None:
    shares = [s for s in price.by_round or price.by_player if s.player == player]
    several = len({share.round for share in shares}) > 1
    places = []
    at, last = 0.0, shares[0].round if shares else None
    for share in shares:
        at += 1.0 if share.round == last else 1.7
        last = share.round
        places.append(at)
    for offset, name, colour in ((-0.2, "plain", COLOURS[0]), (0.2, "styled", COLOURS[1])):
        heights = [getattr(share, name) or 0.0 for share in shares]
        panel.bar([x + offset for x in places], heights, 0.4, color=colour, label=name)
    panel.set_xticks(places, [s.action for s in shares], rotation=30 if len(shares) > 6 else 0)
    panel.grid(False, axis="x")
    panel.set_ylim(0, 1)
    panel.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f}%")
    if several:
        panel.set_ylim(0, 1.12)
        panel.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
        for number in dict.fromkeys(share.round for share in shares):
            own = [x for x, share in zip(places, shares, strict=True) if share.round == number]
            middle = sum(own) / len(own)
            panel.text(middle, 1.1, f"round {number}", ha="center", va="top", color="#555555")
    panel.set_title(f"player {player + 1}: how often, where it can", fontsize=11)
    if legend:
        anchor = {"loc": "upper right", "bbox_to_anchor": (1, 0.93)} if several else {}
        panel.legend(frameon=False, fontsize=9, **anchor)


def _draw_heat(panel: Any, chart: Openings, *, styled: bool) -> None:
    cells = chart.styled if styled else chart.plain
    panel.grid(False)
    panel.imshow(cells, aspect="auto", cmap="Blues", vmin=0, vmax=1, origin="lower")
    panel.set_yticks(range(len(chart.hands)), chart.hands)
    few = len(chart.columns) <= 6
    gap = " " if few else "\n"
    panel.set_xticks(
        range(len(chart.columns)),
        [
            f"{action}\nafter{gap}{said.replace(' ', gap)}" if said else action
            for said, action in chart.columns
        ],
        fontsize=9 if few else 8,
    )
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    if cells.size <= 150:
        for row, numbers in enumerate(cells.tolist()):
            for column, number in enumerate(numbers):
                if not math.isnan(number):
                    ink = "white" if number > 0.55 else "black"
                    text = f"{100 * number:.0f}%"
                    panel.text(column, row, text, ha="center", va="center", color=ink, fontsize=9)
    name = "styled" if styled else "plain"
    panel.set_title(f"player {chart.player + 1}'s first decision by hand, {name}", fontsize=11)


def _draw_edge(panel: Any, edge: Edge) -> None:
    found = edge.found
    points = (edge.curve or found).points
    across = [point.epsilon for point in points]
    low, high = [point.low for point in points], [point.high for point in points]
    panel.fill_between(across, low, high, color=COLOURS[4], alpha=0.25, linewidth=0)
    panel.plot(across, high, color=COLOURS[4], linewidth=1.8, label="highest and lowest")
    panel.plot(across, low, color=COLOURS[4], linewidth=1.8)
    asked = [point.epsilon for point in found.points]
    for side in ("low", "high"):
        heights = [getattr(point, side) for point in found.points]
        panel.plot(asked, heights, "o", color=COLOURS[4], markersize=4)
    for number, (spot, mark) in enumerate(zip(edge.spots, "sD", strict=False)):
        told = f"{spot.name}: {spot.frequency:.3f} for {tiny(spot.cost)}"
        panel.plot(
            [spot.cost], [spot.frequency], mark, color=COLOURS[number], markersize=8,
            label=told, clip_on=False, zorder=5,
        )  # fmt: skip
    panel.set_xlim(left=0)
    panel.set_ylim(-0.02, 1.02)
    panel.set_xlabel("what the strategy may guarantee less than the game's value")
    panel.set_ylabel(str(found.frequency))
    panel.set_title("what can be had, exactly", fontsize=11)
    panel.legend(frameon=False, fontsize=9)
