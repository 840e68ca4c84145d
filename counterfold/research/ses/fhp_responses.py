"""Restricted Nash responses of the whole of Flop Hold'em, with little and with much time.

They are made twice: hand by hand, with exact walks for so many CPU seconds, and as the paper has
them, over the buckets of the blueprint with as many samples as that has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from counterfold.evaluate.exact import best_value, earned_against
from counterfold.exploit.response_solver import ResponseSolver
from counterfold.exploit.responses import restricted_solver
from counterfold.files.text import Json
from counterfold.research.progress import Count
from counterfold.research.ses.fhp_replies import BucketReply, TrunkReply
from counterfold.research.ses.fhp_setup import FhpOpponent, Setup
from counterfold.research.ses.sweep import IN_BUCKETS, FhpResponse, mean_or_none
from counterfold.searchers.public import PublicSearch
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree

DONE = 2e-5
"""In chips: a response that is so near its best is not made better."""
LOOKS = (0.125, 0.25, 0.5)
"""Parts of a budget after which one looks whether that is so."""
MOMENT = 2.0  # CPU seconds after which a run can be stopped
PACE = 500_000  # samples a CPU second over buckets, about
MEASURED = 15.0  # CPU seconds that it takes to measure a response, about

Numbers = dict[str, float | None]


class Responses:
    """Responses to opponents by p, player and budget; those that were kept are not made again.

    With p = 0 nobody is responded to: one strategy stands for all opponents.
    """

    def __init__(
        self, setup: Setup, kinds: Sequence[tuple[float, int]], opponents: Sequence[FhpOpponent],
        budgets: Mapping[str, float], known: dict[str, Numbers], save: Callable[[], None],
        count: Count,
    ) -> None:  # fmt: skip
        self.setup, self.kinds, self.opponents = setup, list(kinds), opponents
        self.budgets = dict(sorted(budgets.items(), key=lambda item: item[1]))
        self.known, self.save, self.count = known, save, count

    @property
    def names(self) -> list[str]:
        """Kinds of responses: by budget, and over buckets where the blueprint has any."""
        return [*self.budgets, *([IN_BUCKETS] if self.setup.buckets else [])]

    @property
    def longest(self) -> float:
        """CPU seconds of the exact response for one p, player and opponent."""
        return max(self.budgets.values(), default=0.0)

    @property
    def sampled(self) -> float:
        """CPU seconds of the response over buckets."""
        return self.setup.iterations / PACE + MEASURED if self.setup.buckets else 0.0

    def expected(self, ps: Sequence[float]) -> float:
        """CPU seconds of all of them, at most."""
        return 2 * (self.longest + self.sampled) * sum(len(self._groups(p)) for p in ps)

    def _groups(self, p: float) -> list[list[int]]:
        """Opponents by number, those together that have one response."""
        every = list(range(len(self.kinds)))
        return [[one] for one in every] if p else [every]

    def _key(self, opponent: int, p: float, player: int, name: str) -> str:
        share, run = self.kinds[opponent]
        effort = f"{self.budgets[name]:g}" if name in self.budgets else name
        return f"{share:g} {run} {p:g} {player} {effort}"

    def all(self, ps: Sequence[float]) -> list[FhpResponse]:
        """Means of both players for every p: both ends first, then the middle, then the rest."""
        for p in sorted(ps, key=lambda p: (0 < p < 1, abs(p - 0.5), -p)):
            for group in self._groups(p):
                for player in (0, 1):
                    if self.setup.buckets:
                        self._make([IN_BUCKETS], self._over_buckets, self.sampled, group, p, player)
                    self._make(list(self.budgets), self._exact, self.longest, group, p, player)
        responses = []
        for p in ps:
            for opponent, (share, run) in enumerate(self.kinds):
                for name in self.names:
                    pair = [self.known[self._key(opponent, p, player, name)] for player in (0, 1)]
                    means: Json = {key: mean_or_none([one[key] for one in pair]) for key in pair[0]}
                    responses.append(FhpResponse(share, run, p, name, **means))
        return responses

    def _make(
        self, names: list[str], make: Callable[[list[int], float, int], None], seconds: float,
        group: list[int], p: float, player: int,
    ) -> None:  # fmt: skip
        """Make some responses, unless they were kept."""
        words = f"RNR with p {p:g}, player {player}"
        keys = [self._key(o, p, player, name) for o in group for name in names]
        if all(key in self.known for key in keys):
            self.count.spare(seconds, words)
            return
        make(group, p, player)
        self.save()
        self.count.add(seconds, words)

    def _exact(self, group: list[int], p: float, player: int) -> None:
        """Vector CFR of the whole game, for one budget after another."""
        solver = restricted_solver(
            self.opponents[group[0]].strategy, player, p, threads=self.setup.threads
        )
        for name, seconds in self.budgets.items():
            self.count.say(f"RNR with p {p:g}, player {player}, {seconds:.3g} s")
            self._run(solver, seconds)
            response = solver.response()
            about: Numbers = {
                "gap": self.setup.mbb([response.gap]),
                "iterations": float(response.iterations),
                "cpu_seconds": response.cpu_seconds,
            }
            self._keep(group, p, player, name, response.strategy, about)
            del response  # which holds on to the solver's tables

    def _run(self, solver: ResponseSolver, seconds: float) -> None:
        """Spend a budget, or less if nothing is left to gain."""
        spent = solver.cpu_seconds
        for part in (*LOOKS, 1.0):
            goal = spent + (seconds - spent) * part
            while solver.cpu_seconds < goal:
                solver.run_for(min(goal, solver.cpu_seconds + MOMENT))
                self.count.check(solver.cpu_seconds)
            if part < 1 and solver.response().gap < DONE:
                return

    def _over_buckets(self, group: list[int], p: float, player: int) -> None:
        """Sampled CFR over the opponent's buckets, as many iterations as a blueprint has."""
        from counterfold.abstraction.blueprint import Against
        from counterfold.abstraction.bucket_form import BucketForm
        from counterfold.abstraction.bucket_layout import by_hand
        from counterfold.solvers.solver import Solver
        from counterfold.solvers.until import Until

        setup, model = self.setup, self.opponents[group[0]].in_buckets
        assert model is not None
        assert setup.buckets is not None
        against = Against(model, player, p)
        form = BucketForm(setup.game, setup.buckets)
        solver = Solver(form, traversal="external", seed=setup.seed, locks=against)
        self.count.say(
            f"RNR with p {p:g}, player {player}, {setup.iterations:,} samples over buckets"
        )
        for _ in solver.run(Until(iterations=setup.iterations)):
            self.count.check(solver.cpu_seconds)
        about: Numbers = {
            "gap": None,
            "iterations": float(solver.iteration),
            "cpu_seconds": solver.cpu_seconds,
        }
        self._keep(group, p, player, IN_BUCKETS, by_hand(solver.strategy(), setup.tree), about)

    def _keep(
        self,
        group: list[int],
        p: float,
        player: int,
        name: str,
        made: Strategy[PublicTree],
        about: Numbers,
    ) -> None:
        """Measure a response, in mbb a hand: in the whole game, and by who knows buckets only."""
        setup = self.setup
        reply, known = best_value(made, 1 - player), None
        if setup.buckets:
            search = PublicSearch(made, player, threads=setup.threads)
            trunk = TrunkReply(setup.walk, made, player)
            bucketed = BucketReply(search, trunk, setup.buckets[-1])
            known = setup.mbb([bucketed.earns(bucketed.blueprint())])
        for o in group:
            won = earned_against(made, player, self.opponents[o].strategy)
            self.known[self._key(o, p, player, name)] = {
                "payoff": setup.mbb([won]),
                "exploitability": setup.mbb([reply]),
                "in_buckets": known,
                **about,
            }
