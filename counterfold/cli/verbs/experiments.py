"""The verbs that make published figures again, measure, and show what there is."""

from __future__ import annotations

from typing import Annotated

import typer

from counterfold.cli.app import Json, Quiet, app, count


@app.command(
    epilog="""\b
Keys of --json: paper, game, seed, cpu_seconds, plot, and figure, table or experiment.
Of a figure also runs, iterations and settings: setting, action, degree, best, alpha,
alpha_sd, nash_conv (the sum of both gains), expected_alpha, expected_nash_conv, off,
alphas, nash_convs, trace (iterations; mean, low, high of alpha and nash_conv). Of the
table also value and settings: setting, action, delta, beta, best, traversal,
iterations, runs, opening_bet, raises, exploitability, cost, excess, bound, within. Of
an experiment also matches, hands, seconds; of 1 and check: ceilings, curves (agent,
opponent, mean, half, late, hands, curve); of 2: plain, fitted (agents, table, sums,
ranking, same_winner, pairs), published. Of fhp: cap, cards, flops, hands, method,
iterations, exploitability, total, value (mbb/h), curve, linear, preflop, memory_bytes.
"""
)
def repro(
    paper: Annotated[
        str, typer.Argument(metavar="PAPER", help="pref-cfr, ocfr, ses, cheat or fhp.")
    ],
    figure: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="pref-cfr: 3 (CFR's one equilibrium) or 4 (six styles); ses: 2 (a matrix game) or "
            "3 (alpha and errors), with --game fhp 4 as well (SES against RNR); cheat: 1, 2 or 3.",
        ),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="pref-cfr: leduc (preferences and their cost); ses: drift; cheat: 1, 2, price "
            "or original.",
        ),
    ] = None,
    experiment: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="ocfr: 1 (curves against three opponents), 2 (one against one), or check; fhp: "
            "check (against sampled play and the history form).",
        ),
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(metavar="N", parser=count, help="Runs of each setting. [30; leduc: 3]"),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=count,
            help="Of each run; 200 times as many where sampled. [10,000; fhp: to 1 mbb/h]",
        ),
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(metavar="N", parser=count, help="ocfr: matches of each pair. [1,000]"),
    ] = None,
    hands: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=count,
            help="ocfr, ses drift: hands of each match; fhp check: hands played.",
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            metavar="GAME",
            help="ses: another game than Leduc: fhp, 'fhp(flops=100)'; fhp: a smaller deck.",
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            metavar="M",
            help="cheat original: training for each number of players. [5]; fhp: of the run.",
        ),
    ] = None,
    folder: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Where files are kept, to go on from: cheat original, fhp, ses on fhp.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", parser=count, help="For starts and sampling.")
    ] = 0,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw it, as .png, .svg or .pdf.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a paper's figure, table or experiment again, beside its numbers."""
    from counterfold.cli.repro import run

    run(
        paper,
        figure=figure,
        table=table,
        experiment=experiment,
        runs=runs,
        iterations=iterations,
        matches=matches,
        hands=hands,
        game=game,
        minutes=minutes,
        folder=folder,
        seed=seed,
        plot=plot,
        json=json,
        quiet=quiet,
    )


@app.command()
def bench(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="methods, peers, kernels, arena, search, cheat, poker, poker-methods or damage.",
        ),
    ],
    game: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC", help="A game to measure, in poker a spot; may be given again."
        ),
    ] = None,
    budget: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="CPU time for each measurement.")
    ] = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw the result, as .png, .svg or .pdf.")
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="FILE.json", help="Write the JSON to a file as well.")
    ] = None,
    mutations: Annotated[
        int | None,
        typer.Option(metavar="N", parser=count, help="damage: files to damage and read. [5,000]"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help="damage: of all chance. [0]")
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="damage: only such files; may be given again."),
    ] = None,
    only: Annotated[
        list[int] | None,
        typer.Option(metavar="N", help="damage: this mutation alone; may be given again."),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="damage: keep there what failed, and what was said."),
    ] = None,
    json: Json = False,
) -> None:
    """Measure the methods, other libraries, kernels, the arena, searches, Cheat, poker, damage."""
    from counterfold.cli.output import check_can_write
    from counterfold.errors import ParameterError

    kinds = (
        "methods", "peers", "kernels", "arena", "search", "cheat", "poker", "poker-methods",
        "damage",
    )  # fmt: skip
    if what not in kinds:
        raise ParameterError(f"there is no benchmark {what!r}; there are {', '.join(kinds)}")
    if what == "damage":
        if game or budget is not None or plot is not None:
            raise ParameterError("--game, --budget and --plot do not go with damage")
        from counterfold.cli import damage

        damage.run(mutations, seed or 0, kind, only, keep, out=out, json=json)
        return
    if any(given is not None for given in (mutations, seed, kind, only, keep)):
        raise ParameterError("--mutations, --seed, --kind, --only and --keep are for damage")
    if budget is not None and not 0 < budget < float("inf"):
        raise ParameterError(f"--budget is {budget}, and must be a number above 0")
    if out is not None:
        check_can_write(out, "--out")
    if plot is not None:
        from counterfold.plot import check_plot

        check_can_write(plot, "--plot")
        check_plot(plot)
    from counterfold.cli.bench import run

    run(what, json=json, plot=plot, budget=budget, games=game or None, out=out)


@app.command()
def demo(
    folder: Annotated[str, typer.Option(metavar="DIR", help="Where the picture goes.")] = ".",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve Kuhn and Leduc poker, check the known values, compare all methods in a plot."""
    from counterfold.cli.demo import run

    run(folder, json=json, quiet=quiet)


@app.command()
def warmup(json: Json = False, quiet: Quiet = False) -> None:
    """Compile all kernels now, once on this machine, so that nothing waits for it later."""
    from counterfold.cli.warmup import run

    run(json=json, quiet=quiet)
