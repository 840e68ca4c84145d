"""The verbs that find a strategy and read it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from counterfold.cli.app import GameAgain, Json, Memory, Quiet, app, count


def low(text: str) -> Any:
    """An exploitability to stop at: a number, or a text with a unit of poker.

    >>> low("1e-3"), low("0.5%"), low("1 mbb")
    (0.001, '0.5%', '1 mbb')
    """
    if text.strip().lower().endswith(("%", "mbb", "mbb/h")):
        return text
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is no number; in poker 0.5% and 1mbb will do as well"
        ) from None


def some(text: str) -> Any:
    """How many boards to draw: a whole number, or all of them.

    >>> some("all"), some("1e4")
    ('all', 10000)
    """
    return "all" if text.strip().lower() == "all" else count(text)


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
Keys of --json: game, method, traversal, iterations, certified_at (the iteration
that was measured, if not the last), value (to player 1), values,
exploitability (exact), nash_conv (by player), cce_gap, histories, infosets,
seconds, cpu_seconds, compile_seconds, stopped (exploitability, iterations,
seconds, precision, interrupted, optimum), promise, trace (iteration, cpu_seconds,
exploitability, cce_gap).

\b
Poker in public form has no traversal and cce_gap, but: bits, players,
pot, evs (chips of the pot, by player), percent_of_pot, mbb, frequencies (of the
first action), boards, nodes, memory (bytes of tables).
"""
)
def solve(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME",
            help="A name such as leduc or 'one_card(ranks=13)' (see `counterfold games`), "
            "mygame.py:MyGame, openspiel:NAME, a .efg, .txt or .json file; for poker with all "
            "hands, a spot in JSON or fhp.",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="cfr, cfr+, linear, dcfr, dcfr+, pcfr+, pdcfr+, sapcfr+, hs-dcfr, hs-pcfr+ "
            "(parameters may follow in brackets), or lp. [sapcfr+], for hold'em [dcfr(1.5, 0, 4)]",
        ),
    ] = None,
    traversal: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="full, chance, external or outcome sampling. [full]"),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=count, help="Stop after so many in all. [1,000,000 if full]"
        ),
    ] = None,
    exploitability: Annotated[
        str | None,
        typer.Option(
            "--exploitability",
            "--target",
            "--accuracy",
            metavar="X",
            parser=low,
            help="Stop when the exact exploitability is as low; in poker also as 0.5% (of the "
            "pot) or 1mbb. [1e-6; 1e-3 if sampled; a spot 0.3%, fhp 1mbb]",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="S", help="Stop after so many seconds. [60; in poker none]"),
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
        str | None,
        typer.Option(metavar="TYPE", help="float64 or float32. [float64; hold'em float32]"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help="For sampling. [0]")
    ] = None,
    explore: Annotated[
        float | None, typer.Option(metavar="E", help="Exploration of outcome sampling. [0.6]")
    ] = None,
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the strategy, ready to be resumed.")
    ] = None,
    every: Annotated[
        int | None,
        typer.Option(metavar="N", parser=count, help="Also save about every N iterations."),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Go on from a saved run (and save there, unless --save is given)."
        ),
    ] = None,
    again: GameAgain = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the convergence, as .png, .svg or .pdf."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            metavar="FORM",
            help="history, or public: every hand at every node (kuhn, leduc, one_card have both).",
        ),
    ] = None,
    bits: Annotated[
        int | None,
        typer.Option(metavar="N", help="Public form: store in 32 or 16 bits, half of it. [32]"),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(metavar="N", help="Public form: how many. [one a core]")
    ] = None,
    locks: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Public form: decisions that are fixed, in JSON."),
    ] = None,
    prefer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WISH",
            help="Public form: like an action N times as much, as bet=N, oop:raise@turn=N or "
            "ip:call[JJ-22,AQ]=N; may be given again.",
        ),
    ] = None,
    give_up: Annotated[
        float | None,
        typer.Option(metavar="X", help="Public form: chips a hand may lose by such wishes. [0]"),
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
            game=game or again,
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
            form=form,
            bits=bits,
            threads=threads,
            locks=locks,
            prefer=tuple(prefer or ()),
            give_up=give_up,
        )
    )


@app.command(
    epilog="""A place in poker is words: actions by their names or how these begin, and cards that
are dealt. `counterfold show spot.cf "check, bet 66, call, [7h]" --mode ev`

\b
Keys of --json in poker: game, player, street, line, board, pot, stacks, actions,
note, combos, against, frequencies, ev, ev_percent_of_pot, equity, classes and
hands (hand, weight, actions, ev, equity), next, deals, about.
"""
)
def show(
    what: Annotated[
        str,
        typer.Argument(metavar="FILE|GAME", help="A saved strategy, or a game to solve first."),
    ],
    pattern: Annotated[
        str | None,
        typer.Argument(
            metavar="[PATTERN]",
            help="Infosets to show: a part of the name, or a glob such as 'K*bet'; in poker a "
            "place, such as 'check, bet 66, [7h]'.",
        ),
    ] = None,
    player: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="Only this player, counted from 1; in poker also oop or ip."
        ),
    ] = None,
    sort: Annotated[str, typer.Option(metavar="ORDER", help="play or name.")] = "play",
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Rows to print, 0 for all; places on a page of --html. [40 on a terminal, else "
            "all; 60 places]",
        ),
    ] = None,
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write CSV there; - is standard output.")
    ] = None,
    hand: Annotated[
        str | None,
        typer.Option(metavar="HANDS", help="Poker: hands one by one, as AhKd, AK or QQ+."),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(metavar="MODE", help="Poker: strategy, ev, equity, weight or an action."),
    ] = None,
    png: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Poker: draw the grid, as .png, .svg or .pdf."),
    ] = None,
    html: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Poker: a web page with this place and those after it."),
    ] = None,
    deal: Annotated[
        list[str] | None,
        typer.Option(metavar="CARDS", help="Poker: let --html go on with a turn 7h, a river 7h2c."),
    ] = None,
    browse: Annotated[
        bool, typer.Option("--browse", help="Poker: walk the tree, action by action.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print a strategy as people read it."""
    from counterfold.cli.show import run

    poker = {
        "hand": hand,
        "mode": mode,
        "png": png,
        "html": html,
        "deals": tuple(deal or ()),
        "browse": browse,
    }
    run(
        what,
        pattern,
        player,
        sort=sort,
        limit=limit,
        csv=csv,
        json=json,
        quiet=quiet,
        poker=poker,
    )


@app.command(
    epilog="""Flops with weights may also be lines of a file: --flops flops.txt

\b
Keys of --json: spot, accuracy (chips), pot, players, flops and mean (flop,
texture, weight, mass, ev and equity by player, frequencies of the first action,
after, exploitability, percent_of_pot, iterations, seconds), asked, stopped (done
or interrupted), folder, csv.
"""
)
def report(
    spot: Annotated[
        str,
        typer.Argument(metavar="SPOT", help="A spot in JSON; its board, if any, is put aside."),
    ],
    flops: Annotated[
        str,
        typer.Option(
            metavar="FLOPS",
            help="How many that stand for all (95), all (1,755), or a list: Ks7h2d,AsAhAd:2.",
        ),
    ] = "25",
    accuracy: Annotated[
        str,
        typer.Option(
            "--accuracy",
            "--exploitability",
            metavar="X",
            parser=low,
            help="Solve each to 0.5% of the pot, 1mbb, or chips.",
        ),
    ] = "0.5%",
    folder: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Keep every flop there, and go on from it."),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the solutions in the folder too, for `show`.")
    ] = False,
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write CSV there; - is standard output.")
    ] = None,
    method: Annotated[str | None, typer.Option(metavar="NAME", help="As for solve. [dcfr]")] = None,
    bits: Annotated[
        int | None, typer.Option(metavar="N", help="Store in 32 or 16 bits. [32]")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(metavar="N", help="How many threads. [one a core]")
    ] = None,
    memory: Memory = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve a poker spot on many flops: EV, equity and frequencies of each."""
    from counterfold.cli.poker_report import Wanted, run

    run(
        Wanted(
            spot=spot,
            flops=flops,
            accuracy=accuracy,
            method=method,
            bits=bits,
            threads=threads,
            memory=memory,
            folder=folder,
            keep=keep,
            csv=csv,
            json=json,
            quiet=quiet,
        )
    )


@app.command(
    epilog="""Every pair of hands that can be held at once counts by its weights.

\b
Keys of --json: ranges, board, dead, combos, equity, win (each by range), tie,
exact, boards (looked at), seed (null if exact), error (standard error of the
equity), half (of its 95% interval).
"""
)
def equity(
    first: Annotated[
        str, typer.Argument(metavar="RANGE", help="As AA, QQ+,AKs, A5s-A2s:0.5, AhKd or random.")
    ],
    second: Annotated[str, typer.Argument(metavar="RANGE", help="The range that it meets.")],
    board: Annotated[
        str, typer.Option(metavar="CARDS", help="A flop, turn or river: 'Qs Jh 2c'. [none]")
    ] = "",
    dead: Annotated[
        str, typer.Option(metavar="CARDS", help="Cards that are out of play. [none]")
    ] = "",
    samples: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            parser=some,
            help="Draw so many boards, or count all. [all, unless it takes long]",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", parser=count, help="For drawing boards.")] = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tell what two ranges of hold'em win if all money goes in now."""
    from counterfold.cli.poker_equity import run

    run(first, second, board, dead, samples=samples, seed=seed, json=json, quiet=quiet)
