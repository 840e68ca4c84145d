"""The command line: every verb with its options. The work is imported when a verb runs.

``counterfold --help`` must be instant, so this module imports typer and nothing heavier.
"""

from __future__ import annotations

from typing import Annotated

import typer

from counterfold import __version__
from counterfold.cli.endings import Verbs

__all__ = ["app", "main"]

app = typer.Typer(
    name="counterfold",
    cls=Verbs,
    help="From the rules of an imperfect-information game to a strategy you can trust.",
    epilog="Start with `counterfold demo`, or `counterfold solve leduc --save leduc.safetensors`.",
    rich_markup_mode=None,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"counterfold {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


def _count(text: str) -> int:
    """Whole numbers, also as 1e6 or 1_000_000."""
    try:
        return int(text)
    except ValueError:
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if number != number or number in (float("inf"), float("-inf")) or number != int(number):
            raise typer.BadParameter(f"{text!r} is not a whole number") from None
        return int(number)


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]
Memory = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="The most memory to take, such as 2G. [what is free]"),
]


@app.command()
def games(
    name: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="A game to look at more closely.")
    ] = None,
    json: Json = False,
) -> None:
    """List the games that have a name, or tell more about one."""
    from counterfold.cli.games import describe, overview

    overview(json) if name is None else describe(name, json)


@app.command(
    epilog="""A limit that is given replaces the default ones; the first that is reached ends the
run. Ctrl-C ends it too, with its work saved.

\b
Keys of --json: game, method, traversal, iterations, value (to player 1), values,
exploitability (exact), nash_conv (by player), cce_gap, histories, infosets,
seconds, cpu_seconds, compile_seconds, stopped (exploitability, iterations,
seconds, interrupted, optimum), promise, trace (iteration, cpu_seconds,
exploitability, cce_gap).
"""
)
def solve(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME",
            help="A name such as leduc or 'one_card(ranks=13)' (see `counterfold games`), "
            "mygame.py:MyGame, openspiel:NAME, or a .efg, .txt or .json file.",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="cfr, cfr+, linear, dcfr, dcfr+, pcfr+, pdcfr+, sapcfr+, hs-dcfr, hs-pcfr+ "
            "(parameters may follow in brackets), or lp. [sapcfr+]",
        ),
    ] = None,
    traversal: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="full, chance, external or outcome sampling. [full]"),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=_count, help="Stop after so many in all. [1,000,000 if full]"
        ),
    ] = None,
    exploitability: Annotated[
        float | None,
        typer.Option(
            "--exploitability",
            "--target",
            metavar="X",
            help="Stop when the exact exploitability is as low. [1e-6; 1e-3 if sampled]",
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Stop after so many seconds. [60]")
    ] = None,
    simultaneous: Annotated[
        bool | None,
        typer.Option("--simultaneous/--alternating", help="When the players update. [alternating]"),
    ] = None,
    last_iterate: Annotated[
        bool | None,
        typer.Option("--last-iterate/--average", help="Which strategy is the answer. [average]"),
    ] = None,
    dtype: Annotated[
        str | None, typer.Option(metavar="TYPE", help="float64 or float32. [float64]")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", parser=_count, help="For sampling. [0]")
    ] = None,
    explore: Annotated[
        float | None, typer.Option(metavar="E", help="Exploration of outcome sampling. [0.6]")
    ] = None,
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the strategy, ready to be resumed.")
    ] = None,
    every: Annotated[
        int | None,
        typer.Option(metavar="N", parser=_count, help="Also save about every N iterations."),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Go on from a saved run (and save there, unless --save is given)."
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the convergence, as .png, .svg or .pdf."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell what the game would take in memory.")
    ] = False,
    memory: Memory = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve a game and certify the result: exact value and exploitability."""
    from counterfold.cli.solve import Request, run

    run(
        Request(
            game=game,
            method=method,
            traversal=traversal,
            iterations=iterations,
            exploitability=exploitability,
            seconds=seconds,
            alternating=None if simultaneous is None else not simultaneous,
            average=None if last_iterate is None else not last_iterate,
            dtype=dtype,
            seed=seed,
            explore=explore,
            save=save,
            every=every,
            resume=resume,
            plot=plot,
            dry_run=dry_run,
            memory=memory,
            json=json,
            quiet=quiet,
        )
    )


@app.command()
def show(
    what: Annotated[
        str,
        typer.Argument(metavar="FILE|GAME", help="A saved strategy, or a game to solve first."),
    ],
    pattern: Annotated[
        str | None,
        typer.Argument(
            metavar="[PATTERN]",
            help="Infosets to show: a part of the name, or a glob such as 'K*bet'.",
        ),
    ] = None,
    player: Annotated[
        int | None, typer.Option(metavar="N", help="Only this player, counted from 1.")
    ] = None,
    sort: Annotated[str, typer.Option(metavar="ORDER", help="play or name.")] = "play",
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", help="Rows to print, 0 for all. [40 on a terminal, else all]"),
    ] = None,
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write CSV there; - is standard output.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print a strategy as people read it."""
    from counterfold.cli.show import run

    run(what, pattern, player, sort=sort, limit=limit, csv=csv, json=json, quiet=quiet)


@app.command(
    epilog="""Frequencies are shares of the decisions where an action can be taken, each infoset
counted as often as play gets there. A style may be left out if a frontier is asked for.

\b
Keys of --json: game, style, cost (in exploitability), plain and styled (the keys of
`solve --json`), by_player, by_round, by_hand (player, round, hand, action, plain,
styled), distance (mean, largest, player, infoset, action), seats (player, plain,
styled, styled_against_plain, plain_against_styled, plain_guarantee,
styled_guarantee, cost), frontier (frequency, value, points: epsilon, low, high;
strategies: name, cost, frequency, low, high), saved, plot.
"""
)
def style(
    game: Annotated[str, typer.Argument(metavar="GAME", help="As for `counterfold solve`.")],
    prefer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ACTION=N", help="Like an action N times as much; may be given again."
        ),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FREQUENCY=X",
            help="Instead of preferences: find the style that meets this, such as "
            "raise@round1=0.6; may be given again.",
        ),
    ] = None,
    give_up: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Average regret that may be ignored at each such infoset; with --target, the "
            "most exploitability to spend. [0]",
        ),
    ] = None,
    player: Annotated[
        int | None, typer.Option(metavar="N", help="Only for this player, counted from 1.")
    ] = None,
    seen: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN", help="Only where the infoset's name has this part or fits this glob."
        ),
    ] = None,
    round: Annotated[
        int | None, typer.Option(metavar="N", help="Only in this round, counted from 1.")
    ] = None,
    best: Annotated[
        bool,
        typer.Option(
            "--best", help="Play the heaviest action alone, Pref-CFR(BR): a stronger pull."
        ),
    ] = False,
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A style of poker: aggressive, passive, loose, tight."),
    ] = None,
    strength: Annotated[
        float | None, typer.Option(metavar="N", help="How strong the preset is, from 1 up. [5]")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="As for `counterfold solve`, but not lp. [cfr; sapcfr+ with --target]",
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(metavar="N", parser=_count, help="Stop each run after so many. [10,000]"),
    ] = None,
    exploitability: Annotated[
        float | None,
        typer.Option(metavar="X", help="Stop a run when its exact exploitability is as low."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Stop each run after so many seconds.")
    ] = None,
    traversal: Annotated[
        str, typer.Option(metavar="KIND", help="full, chance, external or outcome sampling.")
    ] = "full",
    seed: Annotated[int, typer.Option(metavar="N", parser=_count, help="For sampling.")] = 0,
    frontier: Annotated[
        str | None,
        typer.Option(
            metavar="FREQUENCY",
            help="Also tell exactly how often a player can do this at what cost: bet@J, "
            "raise@round1, player2:fold+call.",
        ),
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(metavar="X,X,...", help="Costs on the frontier. [0,0.01,0.02,0.05,0.1]"),
    ] = None,
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the styled strategy.")
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the comparison, as .png, .svg or .pdf."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Give a strategy a style, and tell exactly what the style changes and costs."""
    if target:
        from counterfold.cli import target as targets
        from counterfold.errors import ParameterError

        given = (prefer, player, seen, round, best, preset, strength, exploitability, seconds)
        if any(given) or traversal != "full" or frontier or epsilon:
            raise ParameterError(
                "--target finds the style by itself: only --give-up, --method, --iterations, "
                "--seed, --save, --plot and --json go with it"
            )
        targets.run(
            targets.Request(
                game, tuple(target), give_up, method, iterations, seed, save, plot, json, quiet
            )
        )
        return
    from counterfold.cli.style import Request, run

    run(
        Request(
            game=game,
            prefer=tuple(prefer or ()),
            give_up=give_up,
            player=player,
            seen=seen,
            round=round,
            best=best,
            preset=preset,
            strength=strength,
            method=method or "cfr",
            iterations=iterations,
            exploitability=exploitability,
            seconds=seconds,
            traversal=traversal,
            seed=seed,
            frontier=frontier,
            epsilon=epsilon,
            save=save,
            plot=plot,
            json=json,
            quiet=quiet,
        )
    )


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


@app.command(
    epilog="""\b
Keys of --json: paper, figure or table, game, seed, cpu_seconds, plot, settings. Of a
figure also runs and iterations, and for each setting: setting, action, degree, best,
alpha, alpha_sd, nash_conv (the sum of both gains), expected_alpha,
expected_nash_conv, off, alphas, nash_convs, trace (iterations; mean, low, high of
alpha and nash_conv). Of the table also value, and for each setting: setting, action,
delta, beta, best, traversal, iterations, runs, opening_bet, raises, exploitability,
cost, excess, bound, within.
"""
)
def repro(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="pref-cfr.")],
    figure: Annotated[
        str | None, typer.Option(metavar="N", help="3 (CFR's one equilibrium) or 4 (six styles).")
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="leduc (preferences and what they cost).")
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(metavar="N", parser=_count, help="Runs of each setting. [30; leduc: 3]"),
    ] = None,
    iterations: Annotated[
        int,
        typer.Option(
            metavar="N", parser=_count, help="Of each run; 200 times as many where sampled."
        ),
    ] = 10_000,
    seed: Annotated[
        int, typer.Option(metavar="N", parser=_count, help="For starts and sampling.")
    ] = 0,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw it, as .png, .svg or .pdf.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a paper's figure or table again, beside the numbers to expect."""
    from counterfold.cli.repro import run

    run(
        paper,
        figure=figure,
        table=table,
        runs=runs,
        iterations=iterations,
        seed=seed,
        plot=plot,
        json=json,
        quiet=quiet,
    )


@app.command()
def bench(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="methods, peers or kernels.")],
    game: Annotated[
        list[str] | None,
        typer.Option(metavar="SPEC", help="A game to measure; may be given again."),
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
    json: Json = False,
) -> None:
    """Measure: the methods against each other, other libraries, or the kernels."""
    from counterfold.cli.output import check_can_write
    from counterfold.errors import ParameterError

    kinds = ("methods", "peers", "kernels")
    if what not in kinds:
        raise ParameterError(f"there is no benchmark {what!r}; there are {', '.join(kinds)}")
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


def main() -> None:
    """The console script."""
    app()
