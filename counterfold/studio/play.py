"""A table with a person at it: hands, what decisions were worth, the score, drills."""

from __future__ import annotations

import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence

from counterfold.agent import Observation
from counterfold.cli.names import rules_named
from counterfold.cli.play_rules import rules_in_short
from counterfold.cli.play_screen import Screen
from counterfold.errors import CounterfoldError, ParameterError, complaints_of, short
from counterfold.files.text import Json
from counterfold.games.base import Game, label
from counterfold.games.spec import Parameter, Spec, parse_spec
from counterfold.play.agents import AGENTS
from counterfold.play.bots import AT_TABLES, SEARCHING, needs_form, searching, seated
from counterfold.play.certificate import search_line
from counterfold.play.human import Leave, Session, read_session
from counterfold.play.record import read_record, rules_in
from counterfold.play.table import PlayedHand
from counterfold.play.trainer import Judgement, Trainer
from counterfold.poker.rules import PokerRules
from counterfold.poker.table import Holdem
from counterfold.studio.calls import Given, asked, told
from counterfold.studio.felt import felt_of
from counterfold.studio.server import Studio
from counterfold.tree.form import form_of
from counterfold.tree.history import HistoryTree
from counterfold.tree.story import rules_of

TABLES = 8
"""That are kept at once; the oldest is left for a new one."""
PATIENCE = 30.0
"""Seconds in which the others must have moved."""
STRATEGIES = (".safetensors", ".cf")
SEARCHERS = 3
"""Players of a table at which agents search."""
WORST = 20
"""Decisions that are kept for drills."""
WORTH_A_DRILL = 0.005
"""Of the pot: what a decision must have cost to be drilled."""


class PersonsTable:
    """A sitting whose hands are played in a thread, which waits for the person's moves."""

    def __init__(
        self,
        sitting: Trainer,
        names: Sequence[str],
        asked: tuple[str, str] = ("", ""),
        rules: Sequence[str] = (),
    ) -> None:
        self.sitting, self.screen, self.rules = sitting, Screen(sitting), list(rules)
        self.asked = dict(zip(("game", "against"), asked, strict=True))
        self.screen.names = ("you", *names)
        self.changed = threading.Condition()
        self.phase, self.trouble = "over", ""
        self.observation: Observation | None = None
        self._decided: list[tuple[Observation, int]] = []  # and how many were judged before
        self.hand: PlayedHand | None = None
        self.costly: list[Json] = []
        self._move: Hashable | None = None
        self._left = False
        sitting.ask = self._ask

    def _ask(self, observation: Observation) -> Hashable:
        with self.changed:
            self.observation, self.phase, self._move = observation, "decision", None
            self._decided.append((observation, len(self.sitting.judged)))
            self.changed.notify_all()
            while self._move is None and not self._left:
                self.changed.wait()
            if self._left:
                raise Leave
            self.phase = "thinking"
            move, self._move = self._move, None
            return move

    def deal(self) -> None:
        """Begin the next hand."""
        with self.changed:
            if self.phase != "over":
                return
            self.phase, self.hand, self.observation = "thinking", None, None
            self._decided = []
            self.screen._headed = self.sitting.hands
        threading.Thread(target=self._play, daemon=True).start()

    def _play(self) -> None:
        hand, trouble = None, ""
        try:
            hand = self.sitting.deal()
        except CounterfoldError as error:
            trouble = str(error)
        except Exception as error:
            trouble = f"unexpected: {error}"
        with self.changed:
            self.phase, self.hand, self.trouble = "over", hand, trouble
            self._remember()
            self.changed.notify_all()

    def move(self, action: str) -> None:
        """What the person does, by its name."""
        with self.changed:
            if self.phase != "decision" or self.observation is None:
                raise ParameterError("there is nothing to decide now")
            found = [one for one in self.observation.actions if label(one) == action]
            if not found:
                raise ParameterError(f"{short(action)} is not possible here")
            self._move, self.phase = found[0], "thinking"
            self.changed.notify_all()

    def moves(self) -> list[str]:
        """What the person did in the hand in play; nothing where none is."""
        with self.changed:
            if self.phase == "over" or self.observation is None:
                return []
            player = self.observation.player
            return [move.action for move in self.sitting.moves() if move.player == player]

    def leave(self) -> None:
        """Get up."""
        with self.changed:
            self._left = True
            self.changed.notify_all()

    def _remember(self) -> None:
        """Keep the decisions of a hand that cost most."""
        if self.hand is None:
            return
        judged = self.sitting.judged
        after = [*(number for _, number in self._decided), len(judged)][1:]
        for (observation, number), following in zip(self._decided, after, strict=True):
            if following == number:
                continue  # nobody knew what it was worth
            one, seen = judged[number], observation.seen
            if one.lost > max(WORTH_A_DRILL * one.pot, one.doubt):
                dealt = isinstance(self.sitting.game, PokerRules | Holdem)
                cards = list(map(str, seen)) if dealt and isinstance(seen, tuple) else None
                self.costly.append({"cards": cards, "seen": label(seen), **_told(one)})
        self.costly.sort(key=lambda one: -float(one["lost"]))
        del self.costly[WORST:]

    def state(self) -> Json:
        """What the person sees, as soon as it is their turn or the hand is over."""
        with self.changed:
            self.changed.wait_for(lambda: self.phase != "thinking", PATIENCE)
            sitting, score = self.sitting, self.sitting.score
            player = self._player()
            return {
                "game": sitting.spec,
                "rules": self.rules,
                "seed": sitting.seed,
                "asked": self.asked,
                "names": self.screen.names,
                "phase": self.phase,
                "trouble": self.trouble,
                "number": (self.hand.number if self.hand else sitting.hands) + 1,
                "player": player,
                "rows": self._rows(player),
                "felt": self._felt(player),
                "actions": self._actions(),
                "judged": self._judged(),
                "payoff": self.hand.payoffs[player] if self.hand else None,
                "score": None if score is None else score.to_dict(),
                "searches": [search_line(one) for one in self.hand.searches] if self.hand else [],
                "judges": self._judges(),
                "drills": len(self.costly),
            }

    def _judges(self) -> str:
        """By what decisions are judged: "exact" values, the opponent's "search", its blueprint over
        "drawn" hands, or nothing."""
        if not self.sitting.judges:
            return ""
        if not callable(getattr(self.sitting.agents[1], "judged", None)):
            return "exact"
        return "search" if len(self.sitting.agents) == 2 else "drawn"

    def _player(self) -> int:
        if self.hand is not None:
            return self.hand.players.index(0)
        return self.observation.player if self.observation else self.sitting.player

    def _actions(self) -> list[str]:
        seen = self.observation if self.phase == "decision" else None
        return [] if seen is None else [label(one) for one in seen.actions]

    def _rows(self, player: int) -> list[tuple[str, str]]:
        """The hand in words."""
        if self.phase == "decision" and self.observation is not None:
            return self.screen.table(player, self.observation.seen)
        if self.hand is None:
            return []
        if self.hand.fault is not None:
            return [("Fault", self.hand.fault.message)]
        rows = self.screen.table(player, self.sitting.view(player))
        return [*rows, *self.screen.showdown(self.hand)]

    def _felt(self, player: int) -> Json | None:
        """Cards and chips, where the game has them."""
        if self.hand is None and self.observation is None:
            return None
        names = self.screen.names
        number = self.hand.number if self.hand else self.sitting.hands
        who = [names[(place + number) % len(names)] for place in range(len(names))]
        return felt_of(self.sitting, player, who)

    def _judged(self) -> list[Json]:
        sitting = self.sitting
        number = self.hand.number if self.hand else sitting.hands
        return [_told(one) for one in sitting.judged] if sitting._number == number else []

    def hint(self) -> list[Json]:
        """What others would do here, and what each action is worth."""
        if self.phase != "decision" or self.observation is None:
            raise ParameterError("there is nothing to decide now")
        return [
            {"who": one.who, "odds": one.odds, "worth": one.worth}
            for one in self.sitting.advice(self.observation)
        ]


def _told(judged: Judgement) -> Json:
    return {
        "action": judged.action,
        "worth": judged.worth,
        "best": judged.best,
        "lost": judged.lost,
        "pot": judged.pot,
        "doubt": judged.doubt,
    }


class Tables:
    """The tables that people sit at, by keys that only their pages know."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, PersonsTable] = OrderedDict()
        self._guard = threading.Lock()

    def add(self, table: PersonsTable) -> str:
        key = secrets.token_urlsafe(8)
        with self._guard:
            self._kept[key] = table
            while len(self._kept) > TABLES:
                self._kept.popitem(last=False)[1].leave()
        return key

    def __getitem__(self, key: str) -> PersonsTable:
        if key not in self._kept:
            raise ParameterError("this table is gone; sit down again")
        return self._kept[key]


_tables = Tables()


def choices(studio: Studio, given: Given) -> Json:
    """Games and opponents to choose from."""
    kinds = ("solution", "strategy", "blueprint")
    files = [item for item in studio.folder.items() if item.kind in kinds]
    return {
        "files": [{"name": item.name, "kind": item.kind, "game": item.game} for item in files],
        "agents": [{"name": name, "about": kind.told} for name, kind in AGENTS.items()],
        "bots": list(AT_TABLES),
        "games": list(studio.games),
    }


def sit(studio: Studio, given: Given) -> Json:
    """Sit down: a game by name, or the one of a solution, against a file or an agent; or where a
    session of the folder was left, with the moves of the hand that was in play."""
    session, moves = None, list[str]()
    if given.maybe("session"):
        session, moves = _session(studio, given)
        rules, specs, asked = _of_session(studio, session)
        seed = session.seed
    else:
        asked = given.maybe("game") or "", given.text("against", "equilibrium", 400)
        seed = int(given.from_zero("seed", secrets.randbelow(1_000_000)))
        rules, specs = _of_names(studio, given, *asked)
    names = [asked[1] + (f" {k + 1}" if len(specs) > 1 else "") for k in range(len(specs))]
    form = None
    if needs_form(rules, specs):
        with complaints_of("game"):
            form = form_of(rules.poker if isinstance(rules, PokerRules) else rules)
    with complaints_of("against"):
        others = seated(rules, specs, form)
    table = form if isinstance(form, HistoryTree) else rules
    sitting = Trainer(table, *others, ask=lambda seen: None, seed=seed, against=specs)
    if session is not None:
        sitting.replay(session)
    made = PersonsTable(sitting, names, asked, rules_in_short(rules))
    made.deal()
    try:
        for word in moves:
            made.state()
            made.move(word)
    except ParameterError as error:
        made.leave()
        raise ParameterError(f"this link's hand comes out otherwise now: {error}") from None
    key = _tables.add(made)
    return {"table": key, **made.state()}


def _of_names(studio: Studio, given: Given, game: str, against: str) -> tuple[Game, list[str]]:
    """Rules and opponents as somebody names them."""
    with complaints_of("against"):
        spec = _agent(studio, against)
    with complaints_of("game"):
        rules = _rules(studio, game or None, against)
    if isinstance(rules, Holdem) and rules.players <= SEARCHERS and against.endswith(STRATEGIES):
        spec = _searching(given, spec)
    return rules, [spec] * (int(getattr(rules, "players", 2)) - 1)


def _session(studio: Studio, given: Given) -> tuple[Session, list[str]]:
    """The session of a link, and the moves of the hand in play."""
    try:
        moves = json.loads(given.text("moves", "") or "[]")
    except (ValueError, RecursionError):
        moves = None
    if not isinstance(moves, list) or not all(isinstance(word, str) for word in moves):
        raise ParameterError(
            "the moves of this link are no list of actions; it was cut off perhaps"
        )
    return read_session(studio.folder.inside(given.text("session"))), moves


def _of_session(studio: Studio, session: Session) -> tuple[Game, list[str], tuple[str, str]]:
    """Rules and opponents of a session in a file: files of the folder, or names."""
    header = read_record(session.path).header
    against = [studio.folder.shown(name) for name in session.against]
    rules = rules_in(header, session.game, session.path, lambda name, _: _named(studio, name))
    game = f"{session.game}.json" if "rules" in header else studio.folder.shown(session.game)
    asked = "" if _files(against[0]) else game, against[0]
    return rules, [_agent(studio, name) for name in against], asked


def _searching(given: Given, path: str) -> str:
    """A blueprint as the agent that searches by it, unless the person wants it as it is."""
    if not given.values.get("search", True) or searching(path) == path:
        return path
    seconds = given.values.get("seconds")
    told = {} if seconds in (None, "") else {"seconds": given.number("seconds")}
    with complaints_of("seconds"):
        if told.get("seconds", 1.0) <= 0:
            raise ParameterError(f"seconds is {told['seconds']:g}, and must be above 0")
    return str(Spec(SEARCHING, (path,), told))


def _rules(studio: Studio, name: str | None, against: str) -> Game:
    """The game that is named, or that of the first file among the opponents."""
    if name is not None:
        return _named(studio, name)
    found = _files(against)
    if not found:
        raise ParameterError("say which game to play, such as leduc")
    path = str(studio.folder.inside(found[0]))
    game = studio.opened.game_in(path)
    return rules_named(path) if game is None else rules_of(game)


def _named(studio: Studio, name: str) -> Game:
    return rules_of(studio.opened.game(name))


def _files(text: str) -> list[str]:
    """The strategies in files that the name of an agent speaks of."""
    if text.endswith(STRATEGIES):
        return [text]
    spec = parse_spec(text)
    return [x for x in (*spec.args, *spec.kwargs.values()) if str(x).endswith(STRATEGIES)]


def _agent(studio: Studio, against: str) -> str:
    """An agent by its name, or a strategy of the folder; never a program that was not named."""
    if against in studio.games:
        return against
    if against.endswith(STRATEGIES):
        return str(studio.folder.inside(against))
    spec = parse_spec(against)
    if any(sign in spec.name for sign in ("/", "\\", ".")):
        raise ParameterError(f"{short(against)} is no agent by name, and no file of the folder")
    return str(Spec(spec.name, tuple(_inside(studio, x) for x in spec.args),
                    {key: _inside(studio, x) for key, x in spec.kwargs.items()}))  # fmt: skip


def _inside(studio: Studio, value: Parameter) -> Parameter:
    """A parameter of an agent: files are those of the folder."""
    if not isinstance(value, str):
        return value
    if value.endswith(STRATEGIES):
        return str(studio.folder.inside(value))
    if any(sign in value for sign in ("/", "\\", ".py")):
        raise ParameterError(f"{short(value)} is no file of the folder")
    return _agent(studio, value) if "(" in value else value


def act(studio: Studio, given: Given) -> Json:
    """The person's move."""
    table = _tables[given.text("table")]
    table.move(given.text("action", most=200))
    return table.state()


def deal(studio: Studio, given: Given) -> Json:
    """The next hand."""
    table = _tables[given.text("table")]
    table.deal()
    return table.state()


def state(studio: Studio, given: Given) -> Json:
    """The table as it is."""
    return _tables[given.text("table")].state()


def hint(studio: Studio, given: Given) -> Json:
    """What others would do."""
    return {"advice": _tables[given.text("table")].hint()}


def drills(studio: Studio, given: Given) -> Json:
    """The decisions that cost most, to be made again; what each action is worth comes with them."""
    return {"drills": _tables[given.text("table")].costly}


def save(studio: Studio, given: Given) -> Json:
    """Keep the session as a record of hands."""
    table = _tables[given.text("table")]
    name = studio.folder.fresh(given.text("name", "session", 100), ".jsonl")
    table.sitting.write(studio.folder.inside(name, new=True))
    return {"file": name}


def keep(studio: Studio, given: Given) -> Json:
    """Keep the hands so far in a file, for a link, with the moves of the one in play."""
    table = _tables[given.text("table")]
    name = studio.folder.fresh("hand", ".jsonl")
    table.sitting.write(studio.folder.inside(name, new=True))
    return {"file": name, "moves": json.dumps(table.moves())}


ROUTES = [
    asked("/play", choices),
    told("/play/sit", sit),
    told("/play/act", act),
    told("/play/deal", deal),
    asked("/play/state", state),
    asked("/play/hint", hint),
    asked("/play/drills", drills),
    told("/play/save", save),
    told("/play/keep", keep),
]
