"""``counterfold play``: a person at the table, hand after hand, until they leave."""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Hashable
from dataclasses import dataclass

from counterfold.agent import Agent, Observation
from counterfold.cli.match import sit_down
from counterfold.cli.names import game_among, is_poker_file, rules_named
from counterfold.cli.output import StoppedError, advise, ask, check_can_write, say
from counterfold.cli.play_keys import QUIT, keys, meant
from counterfold.cli.play_screen import Screen, option_line
from counterfold.cli.progress import Watch
from counterfold.cli.verbs.arena import PlayRequest
from counterfold.errors import CodeError, CounterfoldError, FileError, ParameterError, short
from counterfold.exploit.online import Learner
from counterfold.files.arrays import header_of
from counterfold.games.base import spec_of
from counterfold.games.spec import whole
from counterfold.interrupts import aside
from counterfold.play.agents import StrategyAgent
from counterfold.play.bots import searching
from counterfold.play.holdem import AUTO
from counterfold.play.human import HumanAgent, Leave, Session, Sitting, read_session
from counterfold.play.match import Match
from counterfold.play.trainer import Trainer
from counterfold.poker.table import Holdem

OPPONENT = "equilibrium"
"""Who plays if nobody is named."""

IDLE = 100
"""Hands in a row without a decision of the person's, after which they are asked to go on."""


@dataclass(frozen=True)
class _Plan:
    game: str
    against: tuple[str, ...]
    seed: int
    file: str | None
    session: Session | None
    search: bool = True
    seconds: float | None = None
    alpha: float | str | None = None


def run(request: PlayRequest) -> None:
    """Play until the person leaves or the hands are over."""
    if request.hands is not None:
        whole("--hands", request.hands, least=1)
    if request.save:
        _check_new(request.save)
    plan = _resumed(request, request.resume) if request.resume else _new(request)
    with Watch(request.quiet) as watch:
        try:
            sitting = _sit_down(plan, watch)
        except KeyboardInterrupt:
            raise StoppedError("stopped before the first hand") from None
    if plan.session is not None and request.save:
        sitting.write(request.save)
    _Player(sitting, plan, request).play()


def _new(request: PlayRequest) -> _Plan:
    game = request.game or request.again or game_among(request.against)
    if not game:
        raise ParameterError("say which game to play, such as `counterfold play leduc`")
    drawn = secrets.randbelow(1_000_000)
    seed = drawn if request.seed is None else whole("--seed", request.seed, least=0)
    search, asked = not request.no_search, (request.seconds, _alpha(request.alpha))
    return _Plan(game, request.against, seed, request.save, None, search, *asked)


def _alpha(given: str | None) -> float | str | None:
    """A number as it is, or that it sets itself."""
    if given is None or given == AUTO:
        return given
    try:
        return float(given)
    except ValueError:
        raise ParameterError(f"--alpha is from 0 to 1, or {AUTO}, not {short(given)}") from None


def _resumed(request: PlayRequest, path: str) -> _Plan:
    session, game, against = read_session(path), request.game or request.again, request.against
    if game is None:
        rules_named(session.game, path)
    own = next((name for name in session.against if ".py:" in name), None)
    if own is not None and not against:
        raise CodeError(
            f"{path} was played against {short(own)}, a program, and a file never decides what "
            f"code runs: name it again with --against"
        )
    if len(against) == 1:
        against *= len(session.against)
    for option, given, kept in (
        ("the game", game and spec_of(rules_named(game)), session.game),
        ("--against", " ".join(against) or None, " ".join(session.against)),
        ("--seed", request.seed, session.seed),
    ):
        if given is not None and given != kept:
            raise ParameterError(f"{path} was played with {option} {kept}; leave {option} out")
    done = len(session.hands)
    if request.hands is not None and request.hands <= done:
        raise ParameterError(
            f"--hands is {request.hands} in all, and {path} holds {done} already; give more"
        )
    check_can_write(request.save or path, "--save" if request.save else "--resume")
    file = request.save or path
    return _Plan(session.game, session.against, session.seed, file, session, search=False)


def _check_new(path: str) -> None:
    check_can_write(path, "--save")
    if os.path.exists(path):
        raise FileError(
            f"{path} exists already; go on with it by --resume {path}, or name another file"
        )


def _sit_down(plan: _Plan, watch: Watch) -> Sitting:
    rules = rules_named(plan.game, agents=plan.against)
    players = int(getattr(rules, "players", 2))
    at_table = header_of(plan.game).get("form") in ("buckets", "drawn")
    own = is_poker_file(plan.game) or at_table
    against = plan.against or (plan.game if own else OPPONENT,)
    if len(against) == 1:
        against *= players - 1
    if len(against) != players - 1:
        raise ParameterError(
            f"{plan.game} is a game for {players}: name {players - 1} opponents with --against, "
            f"or one for all of them, not {len(against)}"
        )
    if plan.search and isinstance(rules, Holdem):
        against = tuple(searching(name, seconds=plan.seconds, alpha=plan.alpha) for name in against)
    others, table = sit_down(rules, against, watch)
    watch.doing("loading the kernels (compiled when they are first used)")
    aside(lambda: _rehearse(table, others))
    sitting = Trainer(table, *others, ask=_nobody, seed=plan.seed, against=against)
    if plan.session is not None:
        watch.doing(f"playing {len(plan.session.hands):,} hands again")
        sitting.replay(plan.session)
    return sitting


def _rehearse(table: object, others: list[Agent]) -> None:
    """Play a hand that nobody sees or learns from: what has to be compiled is compiled now."""
    if all(isinstance(agent, StrategyAgent | Learner) for agent in others):
        extras = [agent.copy() if isinstance(agent, Learner) else agent for agent in others]
        Match(table, HumanAgent(lambda seen: seen.actions[0]), *extras).play(1)


def _nobody(observation: Observation) -> Hashable:
    raise Leave


class _Player:
    """The person: reads keys, answers questions, and remembers why the session ended."""

    def __init__(self, sitting: Sitting, plan: _Plan, request: PlayRequest) -> None:
        self.sitting, self.plan, self.request = sitting, plan, request
        self.screen = Screen(sitting)
        self.file = plan.file
        self.left = False
        self._idle = 0
        self._advised = False
        self._written = len(sitting.played)
        sitting.ask = self.ask

    def play(self) -> None:
        """Hands until the end, then the score."""
        stopped = False
        try:
            self.screen.welcome(resumed=self.plan.session is not None)
            most = self.request.hands
            while most is None or self.sitting.hands < most:
                if not self._hand():
                    stopped = not self.left
                    break
        except Leave:
            pass
        except KeyboardInterrupt:
            stopped = True
        if stopped:
            say()
        self._close(stopped)

    def _hand(self) -> bool:
        """Play one; was it finished?"""
        hand = self.sitting.deal()
        if hand is None:
            return False
        self._keep()
        self.screen.end(hand)
        asked = any(step.turn == hand.players.index(0) for step in hand.steps)
        self._idle = 0 if asked else self._idle + 1
        if self._idle >= IDLE:
            self._idle = 0
            self.screen.note(f"You had nothing to decide in {IDLE} hands.")
            if self._line("Enter for more, q to leave > ").lower() == QUIT:
                raise Leave
        return True

    def ask(self, observation: Observation) -> Hashable:
        """The person's action; commands are answered on the way."""
        choices = keys(observation.actions)
        self.screen.decision(observation.player, observation.seen, observation.actions)
        if self.request.hints:
            self._hint(observation)
        while True:
            answer = self._line("> ")
            key = None if answer == QUIT else meant(answer, choices)
            if key is not None:
                return key.action
            if answer.lower() in (QUIT, "quit"):
                self.left = True
                raise Leave
            word, _, rest = answer.partition(" ")
            word = word.lower()
            if answer in ("?", "h") or word == "help":
                self.screen.help(choices)
            elif word == "hint":
                self._hint(observation)
            elif word == "score":
                self.screen.score()
            elif word == "save":
                self._save_to(rest.strip())
            else:
                what = f"{answer!r} is not possible here" if answer else "Nothing was chosen"
                self.screen.note(f"{what}: {option_line(choices)}  [?] help  [q]uit")

    def _line(self, prompt: str) -> str:
        """A line of the person's; the end of the input is the wish to leave."""
        line = ask(prompt)
        if line is None:
            self.left = True
            raise Leave
        return line

    def _hint(self, observation: Observation) -> None:
        with Watch(self.request.quiet or self._advised) as watch:  # only the first takes long
            watch.doing("thinking")
            advice = aside(lambda: self.sitting.advice(observation))
        self._advised = True
        self.screen.hint(advice)

    def _save_to(self, path: str) -> None:
        if not path:
            self.screen.note("Name a file to save to, such as: save session.jsonl")
            return
        try:
            if path != self.file:
                _check_new(path)
            self.file, self._written = path, 0
            self._write()
        except CounterfoldError as error:
            self.screen.note(f"{error}.")
            return
        when = "is saved" if self.sitting.played else "will be saved"
        self.screen.note(f"This session {when} in {path}, again after every hand.")

    def _keep(self) -> None:
        """Save after a hand; a full disk does not end the game."""
        try:
            self._write()
        except FileError as error:
            self.screen.note(f"This hand is not saved: {error}.")

    def _write(self) -> None:
        if self.file and len(self.sitting.played) > self._written:
            self.sitting.write(self.file)
            self._written = len(self.sitting.played)

    def _close(self, stopped: bool) -> None:
        say()
        self.screen.farewell()
        self._write()
        hands = len(self.sitting.played)
        saved = self.file if hands else None
        on = f"go on with `counterfold play --resume {shlex.quote(saved)}`" if saved else ""
        if stopped:
            where = f"the session is saved in {saved}: {on}" if saved else "nothing was saved"
            raise StoppedError(f"stopped after {hands:,} hand{'s' * (hands != 1)}; {where}")
        if saved:
            advise(f"The session is saved in {saved}: {on}.")
