"""``counterfold demo``: the whole of it in less than a minute, on games with known answers."""

from __future__ import annotations

import os
import shlex
import shutil
import sys

from counterfold.cli.certificate import certificate, print_panel, won
from counterfold.cli.grid import print_grid
from counterfold.cli.output import (
    StoppedError,
    advise,
    check_can_write,
    print_json,
    say,
    styled,
    tiny,
)
from counterfold.cli.progress import Watch
from counterfold.cli.scores import print_scores
from counterfold.cli.style_tables import in_words, price_lines, print_shares
from counterfold.cli.table import print_rows
from counterfold.cli.verbs.first_steps import DemoRequest
from counterfold.errors import MissingExtraError
from counterfold.evaluate.public_view import Browser
from counterfold.exploit.aims import against
from counterfold.exploit.response import Response
from counterfold.exploit.responses import greedy_response, safe_response
from counterfold.games.leduc import Leduc
from counterfold.games.onecard import Kuhn
from counterfold.interrupts import aside
from counterfold.play.agents import StrategyAgent, sophisticated
from counterfold.play.match import Match
from counterfold.play.result import MatchResult
from counterfold.plot import Curve, Point, check_plot, convergence
from counterfold.poker.spot import spot
from counterfold.solvers.methods import METHODS
from counterfold.solvers.result import Result, solve
from counterfold.solvers.settings import defaults_of
from counterfold.solvers.until import Until
from counterfold.strategy.strategy import Strategy
from counterfold.style.preferences import Style
from counterfold.style.price import Price, compare, usual_run
from counterfold.tree.history import HistoryTree

PICTURE, GRID = "counterfold-demo.png", "counterfold-demo-grid.png"
COMPARE = 20_000
"""Iterations of each method in the picture."""
HANDS = 50_000
FLAW, RISK = 0.25, 0.02
"""How much of the opponent's play is at random, and how much may be risked to win from it."""

KUHN = ("-1/18", -1 / 18)
LEDUC = ("-0.0856064241", -0.0856064241)  # the sequence-form linear program's
SPOT = {
    "board": "Ks 9h 6s 4d 2c", "pot": 100, "stack": 200, "bets": ["50%", "allin"],
    "raises": ["allin"], "oop": "22+,A2s+,KTs+,QTs+,J9s+,T8s+,97s+,86s+,75s+,AJo+,KQo",
    "ip": "22+,A7s+,K9s+,Q9s+,J9s+,T9s,98s,87s,76s,65s,ATo+,KJo+",
}  # fmt: skip
NEXT = (
    "solve leduc --save leduc.safetensors   # keep a strategy",
    "show leduc.safetensors                 # read it",
    "play leduc --hints                     # sit down yourself",
    "games                                  # what there is to solve",
    "solve mygame.py:MyGame                 # or a game of your own: seven methods",
)


def run(request: DemoRequest) -> None:
    """Solve, style, exploit, play, and look at a spot of hold'em."""
    paths = [os.path.join(request.folder, name) for name in (PICTURE, GRID)]
    for path in paths:
        check_can_write(path, "--folder")
    lacking = ""
    try:
        check_plot(PICTURE)
    except MissingExtraError as error:
        lacking = str(error)
    story = _Story(request)
    with Watch(request.quiet) as watch:
        try:
            kuhn, leduc = story.games(watch)
            price = story.style(leduc, watch)
            best, safe = story.exploit(leduc.strategy.tree, watch)
            match = story.match(watch)
            river = story.spot(None if lacking else paths[1], watch)
            curves = {} if lacking else _all_methods(leduc.strategy.tree, paths[0], watch)
        except KeyboardInterrupt:
            raise StoppedError("stopped; the demo saves nothing but its pictures") from None
    if request.json:
        print_json(
            {
                "kuhn": kuhn.to_dict(),
                "leduc": leduc.to_dict(),
                "style": price.to_dict(),
                "exploit": {"best": best.to_dict(), "safe": safe.to_dict()},
                "match": match.to_dict(),
                "spot": river.to_dict(),
                "methods": {name: run.to_dict() for name, run in curves.items()},
                "plot": None if lacking else paths[0],
                "grid": None if lacking else paths[1],
            }
        )
        return
    say()
    if lacking:
        advise(f"There are no pictures: {lacking}.")
    else:
        advise(f"The grid is {paths[1]}; {paths[0]} compares all methods on Leduc.")
    say("What to type next:")
    for words in NEXT:
        say(f"  {_program()} {words}")


def _program() -> str:
    """What to type for this program: a shell outside of its environment does not find its name."""
    called = sys.argv[0]
    if os.path.basename(called) != "counterfold" or shutil.which("counterfold"):
        return "counterfold"
    return shlex.quote(os.path.relpath(called))


class _Story:
    """What the demo does, each part told when it is done."""

    careful: Strategy[HistoryTree]

    def __init__(self, request: DemoRequest) -> None:
        self.told, self._chapter = not request.json, 0

    def chapter(self, title: str) -> bool:
        """Begin to tell of a part, if anything is told."""
        if self.told:
            self._chapter += 1
            say()
            say(styled(f"{self._chapter}. {title}", "1"))
            say()
        return self.told

    def games(self, watch: Watch) -> tuple[Result, Result]:
        """Two games solved and certified."""
        kuhn, leduc = _solved(Kuhn(), watch), _solved(Leduc(), watch)
        if self.chapter("Two games, solved and certified"):
            print_panel("Kuhn poker", certificate(kuhn, known=KUHN))
            print_rows(list(kuhn.strategy.rows()))
            say()
            print_panel("Leduc poker", certificate(leduc, known=LEDUC))
            say()
            advise("How it opens (player 1), and how it answers a bet before the board (player 2).")
            print_rows([row for row in leduc.strategy.rows() if _opening(row.player, row.infoset)])
        return kuhn, leduc

    def style(self, plain: Result, watch: Watch) -> Price:
        """The same game with a style, and its price."""
        style = Style({"bet": 5.0, "raise": 5.0}, give_up=0.005, player=0)
        tree = plain.strategy.tree
        watch.work = "solving with a style"
        bold = _finished(solve(tree, *usual_run(tree), style=style, on_report=watch.report))
        price = compare(plain, bold, style)
        if self.chapter("The same game with a style, and its price"):
            advise(f"leduc, {in_words(price.style)}: how often player 1 does what")
            print_shares([share for share in price.by_round if share.player == 0], ["player 1"])
            say()
            print_panel("Price", price_lines(price))
        return price

    def exploit(self, tree: HistoryTree, watch: Watch) -> tuple[Response, Response]:
        """An opponent with a flaw: the most that can be won, and what can be won safely."""
        watch.doing("answering an opponent")
        model = sophisticated(tree, FLAW)
        best, safe, other = aside(
            lambda: (greedy_response(model, 0), *(safe_response(model, p, RISK) for p in (0, 1)))
        )
        self.careful = Strategy.of(tree, against(other.strategy, 0, safe.strategy.tables))
        if self.chapter("An opponent exploited, and what that risks"):
            advise(f"Player 2 plays an equilibrium, with a flaw of {100 * FLAW:g}% at random.")
            lines = [
                (name, f"wins {won(tree, 0, one.winnings)}, and guarantees "
                       f"{won(tree, 0, one.guarantee)}: {tiny(one.exploitability)} is risked")
                for name, one in (("the best", best), (f"risking {RISK:g}", safe))
            ]  # fmt: skip
            value = won(tree, 0, best.value or 0.0)
            print_panel("Player 1", [*lines, ("an equilibrium", f"guarantees {value}")])
        return best, safe

    def match(self, watch: Watch) -> MatchResult:
        """The careful responses play the opponent, judged as one whose play nobody knows."""
        watch.doing("loading the kernels of the table (compiled when first used)")
        tree = self.careful.tree
        agents = (
            StrategyAgent(self.careful, name="careful"),
            StrategyAgent(sophisticated(tree, FLAW), name="flawed"),
        )
        result = Match(tree, *agents, stranger=1).play(
            HANDS,
            on_progress=lambda done, total: watch.part(
                "playing", done, total, f"{done:,} of {total:,} hands"
            ),
        )
        if result.stopped == "interrupted":
            raise KeyboardInterrupt
        if self.chapter(f"A match of {result.hands:,} hands, with luck taken out of the score"):
            print_scores(result.scores)
        return result

    def spot(self, path: str | None, watch: Watch) -> Result:
        """A spot of hold'em, as a grid and as a picture."""
        game = spot(SPOT, name="river")
        watch.doing("loading the kernels of hold'em (compiled when first used)")
        river = _solved(game, watch)
        watch.doing("looking at the grid")
        view = Browser(river.strategy).view("")
        if path:
            from counterfold.cli.grid_png import draw_grid

            draw_grid(view, path)
        if self.chapter("A spot of hold'em, every hand at once"):
            print_panel("Hold'em", certificate(river))
            say()
            print_grid(view)
        return river


def _solved(game: object, watch: Watch) -> Result:
    until = defaults_of(game).until
    watch.doing("loading the kernels (compiled when they are first used)")
    watch.work = "solving"
    watch.begin(until)
    return _finished(solve(game, until=until, on_report=watch.report))


def _all_methods(tree: HistoryTree, path: str, watch: Watch) -> dict[str, Result]:
    """Every method on one game, and their picture."""
    until, found = Until(iterations=COMPARE), {}
    for name in METHODS:
        watch.begin(until)
        found[name] = _finished(solve(tree, name, until, on_report=watch.report))
    title = f"Leduc poker: all methods over {COMPARE:,} iterations"
    convergence([Curve(name, _points(run)) for name, run in found.items()], title, path)
    return found


def _finished(result: Result) -> Result:
    if result.stopped == "interrupted":
        raise KeyboardInterrupt
    return result


def _points(result: Result) -> list[Point]:
    return [Point(r.iteration, r.cpu_seconds, r.exploitability) for r in result.trace]


def _opening(player: int, infoset: str) -> bool:
    _, _, said = infoset.partition(" | ")
    return (player, said) in ((0, ""), (1, "bet"))
