"""What the paper says of Cheat's figures, held against the rates that were measured."""

from __future__ import annotations

from counterfold.abstraction.contest import BOTS
from counterfold.research.cheat.published import NAMES, VIEWS
from counterfold.research.cheat.rates import ENOUGH, Rates
from counterfold.research.results import Finding


def _listed(by_view: dict[str, float], sign: str = "") -> str:
    return ", ".join(f"{NAMES[view]} {rate:{sign}.3f}" for view, rate in by_view.items())


def training(rates: Rates) -> list[Finding]:
    """Figure 1."""
    marks = [mark for mark in rates.curves[0].marks if mark <= rates.iterations]
    last, late = marks[-1], rates.curves[0].marks[-1]
    baseline = rates.baseline[rates.trained_in].rate
    end = {
        (bot, abstract): {view: rates.curve(view, bot, abstract).at(last) for view in VIEWS}
        for bot in BOTS
        for abstract in (False, True)
    }
    plain, dagger = end["random", False], end["random", True]
    beaten, beaten_abstract = end["heuristic", False], end["heuristic", True]
    gains = {view: beaten_abstract[view] - beaten[view] for view in VIEWS}
    first = {view: rates.curve(view, "random", False) for view in VIEWS}
    quarter = marks[len(marks) // 4]
    early = {
        view: (curve.at(quarter) - curve.at(0)) / (curve.at(last) - curve.at(0))
        for view, curve in first.items()
    }

    def later(bot: str, abstract: bool) -> str:
        if late == last:
            return ""
        after = {view: rates.curve(view, bot, abstract).at(late) for view in VIEWS}
        return f"; after {late:,} iterations: {_listed(after)}"

    return [
        Finding(
            "most agents win more against the random bot than the heuristic bot does "
            f"({baseline:.3f}), memoryless most of all with about 0.90",
            sum(rate > baseline for rate in plain.values()) >= 3
            and max(plain, key=lambda view: plain[view]) == "memoryless",
            _listed(plain) + later("random", False),
        ),
        Finding(
            "all beat the heuristic bot, in more than 60% of the games, memoryless in 75%",
            min(beaten.values()) > 0.6,
            _listed(beaten) + later("heuristic", False),
        ),
        Finding(
            "most is learned at the beginning (more than half of it in the first quarter)",
            min(early.values()) > 0.5,
            ", ".join(f"{NAMES[view]} {share:.0%}" for view, share in early.items()),
        ),
        Finding(
            "with abstraction, three of four are above the baseline against the random bot",
            sum(rate > baseline for rate in dagger.values()) >= 3,
            _listed(dagger) + later("random", True),
        ),
        Finding(
            "abstraction adds 5 to 10 points against the heuristic bot",
            min(gains.values()) >= 0.05,
            _listed(gains, "+"),
        ),
    ]


def elsewhere(rates: Rates) -> list[Finding]:
    """Figure 2."""
    home, far = rates.trained_in, rates.curves[0].marks[-1]
    kept = {
        bot: {
            view: rates.curve(view, bot).at(far) - rates.curve(view, bot).at(home) for view in VIEWS
        }
        for bot in BOTS
    }
    end = {bot: {view: rates.curve(view, bot).at(far) for view in VIEWS} for bot in BOTS}

    def both(name: dict[str, dict[str, float]], sign: str = "") -> str:
        return "; ".join(f"against {bot}: {_listed(name[bot], sign)}" for bot in BOTS)

    unaware, aware = ("memoryless", "history"), ("hp", "general")
    return [
        Finding(
            "memoryless and history-aware agents keep their rates in games with more health points",
            all(kept[bot][view] > -ENOUGH for bot in BOTS for view in unaware),
            both(kept, "+"),
        ),
        Finding(
            f"HP-aware and general agents are good only where they were trained (Cheat-{home})",
            all(kept[bot][view] < -ENOUGH for bot in BOTS for view in aware),
            both({bot: {view: kept[bot][view] for view in aware} for bot in BOTS}, "+"),
        ),
        Finding(
            f"in Cheat-{far} memoryless is the best of the four and general the weakest",
            all(
                max(end[bot], key=lambda view: end[bot][view]) == "memoryless"
                and min(end[bot], key=lambda view: end[bot][view]) == "general"
                for bot in BOTS
            ),
            both(end),
        ),
    ]


def curriculum(rates: Rates) -> list[Finding]:
    """Figure 3."""
    claims = []
    for view in VIEWS:
        useful = view != "hp"
        ahead = {
            bot: rates.curve(view, bot, start="carried").sampled.means
            - rates.curve(view, bot, start="nothing").sampled.means
            for bot in BOTS
        }
        helped = all(
            lead[0] > ENOUGH and lead.mean() > ENOUGH and lead.min() > -ENOUGH
            for lead in ahead.values()
        )
        claim = (
            f"{NAMES[view]}: starts higher after Cheat-3 and stays higher"
            if useful
            else f"{NAMES[view]}: what was learned in Cheat-3 is of little use"
        )
        measured = "; ".join(
            f"against {bot}: {lead[0]:+.3f} at the start, {lead.mean():+.3f} on average, "
            f"{lead[-1]:+.3f} at the end"
            for bot, lead in ahead.items()
        )
        claims.append(Finding(claim, helped == useful, measured))
    return claims
