"""Safe exploitation search's figures, and the match against drifting opponents."""

from __future__ import annotations

from functools import partial
from typing import Any

from counterfold.cli.output import advise, duration, make_folder, say
from counterfold.cli.repro import Job, Wish, print_columns
from counterfold.errors import ParameterError

__all__ = ["job"]

FIGURES = ("2", "3", "4")
TABLES = ("drift",)


def job(wish: Wish) -> Job:
    """The figure or the table that is wished for."""
    wish.refuse_other("ses", "figure", "table", "game", "runs", "iterations", "hands", "folder")
    if (wish.figure is None) == (wish.table is None):
        raise ParameterError("say which: --figure 2, 3 or 4, or --table drift")
    for option, name, known in (("figure", wish.figure, FIGURES), ("table", wish.table, TABLES)):
        if name is not None and name not in known:
            raise ParameterError(f"ses has no {option} {name!r}; it has {', '.join(known)}")
    from counterfold.experiments import ses, ses_drift

    if wish.figure == "2":
        wish.refuse_other("ses --figure 2", "figure")
        return Job(ses.figure_2, ses.draw_figure_2, _print_matrix, unit="alpha")
    given: dict[str, Any] = {"seed": wish.seed}
    if wish.iterations is not None:
        given["iterations"] = wish.iterations
    if wish.figure in ("3", "4"):
        usual = ["figure", "game", "runs", "iterations"]
        large = wish.figure == "4" or _is_fhp(wish.game)
        words = f"ses --figure {wish.figure}" + (" --game fhp" if large else "")
        wish.refuse_other(words, *usual, *(["folder"] if large else []))
        given |= {} if wish.runs is None else {"runs": wish.runs}
        given |= {} if wish.game is None else {"game": wish.game}
        if large:
            return _fhp_job(wish.figure, given, wish.folder)
        return Job(partial(ses.figure_3, **given), ses.draw_figure_3, _print_sweep, unit="opponent")
    given |= {} if wish.runs is None else {"opponents": wish.runs}
    given |= {} if wish.hands is None else {"hands": wish.hands}
    given |= {} if wish.game is None else {"game": wish.game}
    return Job(
        partial(ses_drift.drift, **given), ses_drift.draw_drift, _print_drift, "playing", "match"
    )


def _is_fhp(game: str | None) -> bool:
    return game is not None and game.split("(")[0].strip() == "fhp"


def _fhp_job(figure: str, given: dict[str, Any], folder: str | None) -> Job:
    """A figure of Flop Hold'em, which is played in another form of tree, and takes long."""
    from counterfold.cli import repro_ses_fhp
    from counterfold.experiments import ses_fhp, ses_fhp_pictures, ses_fhp_table

    ses_fhp_table.read_game(given.get("game", "fhp"))
    make_folder(folder)
    if figure == "3":
        make, draw = ses_fhp.figure_3_fhp, ses_fhp_pictures.draw_figure_3_fhp
    else:
        make, draw = ses_fhp.figure_4, ses_fhp_pictures.draw_figure_4
    stopped = "stopped; nothing was saved: with --folder it would go on from here"
    if folder is not None:
        stopped = f"stopped; what was found is in {folder}: the same command goes on from there"
    return Job(
        partial(make, folder=folder, **given), draw, repro_ses_fhp.show, "searching",
        stopped=stopped,
    )  # fmt: skip


def _print_matrix(found: Any) -> None:
    advise(
        "SES, figure 2: the matrix game. Player 2 searches from the blueprint U/O and believes "
        "that player 1 plays R; mixing is the blueprint with alpha of the best response."
    )
    say()
    rows = [["alpha", "SES wins", "exploitable by", "U", "O", "D", "F", "mixing wins", "by"]]
    for point in found.points[:: max(1, len(found.points) // 14)]:
        rows.append(_matrix_row(point))
    if rows[-1][0] != f"{found.points[-1].alpha:.5g}":
        rows.append(_matrix_row(found.points[-1]))
    print_columns(rows)
    say()
    advise(
        f"Up to alpha* = {found.turn:.5f} SES plays O and D: nothing is risked and R is beaten "
        f"for 9.9. Beyond it plays F. CPU time {duration(found.cpu_seconds)}."
    )


def _matrix_row(point: Any) -> list[str]:
    return [
        f"{point.alpha:.5g}",
        f"{point.payoff:.4g}",
        f"{point.exploitability:.4g}",
        *(f"{x:.3f}" for x in point.strategy),
        f"{point.mixing_payoff:.4g}",
        f"{point.mixing_exploitability:.4g}",
    ]


def _print_sweep(found: Any) -> None:
    advise(
        f"SES, figure 3: {found.game}, searches after {found.point}, blueprint of "
        f"{found.iterations:,} sampled iterations (exploitability {1000 * found.exploitability:.2f}"
        "). Thousandths of a chip a hand, exact, means of both seats and of all opponents."
    )
    for share in found.shares:
        say()
        say(
            f"opponents shuffled at {share:g} of their infosets "
            f"(the blueprint wins {1000 * found.blueprint(share):.2f})"
        )
        head = ["error", "", *(f"{alpha:g}" for alpha in found.alphas)]
        rows = [head]
        for error in found.errors:
            for name, told in (("payoff", "wins"), ("exploitability", "risks")):
                numbers = found.curve(share, error, name)
                cells = [f"{1000 * x:.1f}" for x in numbers]
                rows.append([f"{error:g}" if name == "payoff" else "", told, *cells])
        print_columns(rows)
    say()
    points = len(found.points)
    broken = sum(point.printed < -1e-7 for point in found.points)
    advise(
        f"SES(0) is within {found.maxmargin_gap:.1e} of maxmargin, SES(1) with the true range "
        f"within {found.unsafe_gap:.1e} of unsafe search. Theorem 1 and Theorem 2 (with the "
        "largest change of a value in its last term) "
        + ("hold at every point" if found.holds else "do NOT hold everywhere")
        + f"; as printed in the paper, Theorem 2 fails at {broken} of {points} points. Theorem 1's "
        f"bound is finite at {found.finite} points with alpha above 0; our own bound is finite "
        "wherever alpha is below 1."
    )
    advise(
        f"{found.searches:,} searches, {1000 * found.search_seconds / max(found.searches, 1):.1f} "
        f"ms each; CPU time {duration(found.cpu_seconds)}."
    )


def _print_drift(found: Any) -> None:
    advise(
        f"Drifting opponents in {found.game}: {found.opponents} of them, each going from one "
        f"shuffled blueprint (at {found.share:g} of the infosets) to another over {found.hands:,} "
        "hands. Chips a hand; winnings and exploitability are exact, taken every "
        f"{found.every} hands from what the contender plays then."
    )
    say()
    rows = [["contender", "wins", "exploitability", "worst", "in play", "+-", "CPU ms a hand"]]
    for row in found.rows:
        rows.append(
            [
                row.contender,
                f"{row.winnings:+.4f}",
                f"{row.exploitability:.4f}",
                f"{row.worst:.4f}",
                f"{row.played:+.4f}",
                f"{row.played_half:.4f}",
                f"{row.milliseconds:.2f}",
            ]
        )
    print_columns(rows)
    say()
    advise(
        f"A best response that knew the opponent would win {found.best:.4f}; the blueprint's own "
        f"exploitability is {found.blueprint:.4f}. In play: the match itself with luck taken out, "
        "and half its 95% interval."
    )
