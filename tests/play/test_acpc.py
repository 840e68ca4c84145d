"""The competition's protocol over real sockets: our dealer, our seat, and peers that misbehave."""

from __future__ import annotations

import socket
import threading
import warnings

import numpy as np
import pytest

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.agent import Agent, Observation
from counterfold.errors import FileError, MismatchError, ParameterError
from counterfold.play.acpc import VERSION, RemoteAgent, play_at
from counterfold.play.blueprint import BlueprintAgent
from counterfold.play.bots import Random
from counterfold.play.match import Match
from counterfold.play.record import read_record
from counterfold.play.translate import Translated, pseudo_harmonic
from counterfold.poker.acpc import GAMES, Notation, parse_game
from counterfold.poker.table import Holdem
from counterfold.strategy.strategy import Strategy
from tests.evaluate.test_statistics import one_bucket
from tests.poker.test_acpc import spiel, told_by

NOLIMIT = parse_game(GAMES["holdem.nolimit.2p.reverse_blinds.game"])


class AnySize(Agent):
    """Folds, calls, or bets any number of chips that is allowed."""

    name = "any size"

    def __init__(self, notation: Notation) -> None:
        self.notation = notation

    def act(self, observation: Observation, rng: np.random.Generator) -> str:
        words = observation.seen[2].split(", ") if observation.seen[2] else []
        text, cards = self.notation.betting(words), ["", ""] * 3
        state = self.notation.table.betting.root()
        for word in words:
            if word.startswith("["):
                cards.append(word)
            else:
                state = self.notation.after(state, word)
            while state.kind == 2 and len(cards) - 6 >= (3, 4, 5)[state.street]:
                state = self.notation.table.betting.moves(state)[0][1]
        assert self.notation.betting(words) == text
        bounds = self.notation.table.betting.bounds(state)
        if bounds is None or rng.random() < 0.6:
            return observation.actions[int(rng.integers(min(2, len(observation.actions))))]
        low, high = map(int, bounds)
        chips = min(low + int(rng.exponential(200)), high)
        return self.notation.table.betting.name(state, float(chips))


def guests(remote: list[RemoteAgent], notation: Notation, agents: list[Agent]) -> list:
    """Our own seats, taken at our own dealer, each in a thread."""
    seats: list = [None] * len(remote)

    def sit(k: int) -> None:
        seats[k] = play_at((remote[k].host, remote[k].port), agents[k], notation, seed=k)

    threads = [threading.Thread(target=sit, args=(k,), daemon=True) for k in range(len(remote))]
    for agent, thread in zip(remote, threads, strict=True):
        agent.listen()
        thread.start()
        assert agent.welcome(10)
    return [seats, threads]


@pytest.mark.parametrize("name", sorted(GAMES))
def test_our_seats_play_at_our_dealer(name, tmp_path):
    notation = parse_game(GAMES[name])
    count = notation.table.players
    remote = [RemoteAgent(name=f"guest{k}") for k in range(count)]
    agents = [AnySize(notation) if notation.table.limit is None else Random() for _ in remote]
    seats, threads = guests(remote, notation, agents)
    log = tmp_path / "match.log"
    result = Match(notation.table, *remote, seed=3, time_limit=20).play(40, record=str(log))
    for agent in remote:
        agent.close()
    for thread in threads:
        thread.join(10)
    assert sum(result.faults) == 0, result.messages
    assert [seat.hands for seat in seats] == [40] * count
    # What a guest adds up from the states that it was sent is what the dealer has paid.
    for seat, score in zip(seats, result.scores, strict=True):
        assert seat.untold == 0
        assert seat.won == pytest.approx(40 * score.plain.mean)
    record = read_record(log)
    assert record.game == str(notation.table)
    replayed = dict(zip(record.agents, record.replay(), strict=True))
    for score in result.scores:
        assert replayed[score.name].plain.mean == pytest.approx(score.plain.mean)
    assert _read_by_pokerkit(log, notation) == 40


def _read_by_pokerkit(log, notation: Notation) -> int:
    pokerkit = pytest.importorskip("pokerkit")
    table = notation.table
    posted = [round(chips) for chips in table.betting.posted]
    blinds = tuple(posted[(p - notation.first) % table.players] for p in range(table.players))
    if table.players == 2:
        blinds = blinds[::-1]
    kind = {"ante_trimming_status": True, "raw_antes": 0, "raw_blinds_or_straddles": blinds}
    if table.limit is None:
        game = pokerkit.NoLimitTexasHoldem((), min_bet=100, **kind)
    else:
        small, big = map(round, table.limit)
        game = pokerkit.FixedLimitTexasHoldem((), small_bet=small, big_bet=big, **kind)
    stack = round(table.betting.stacks[0] + posted[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hands = pokerkit.HandHistory.from_acpc_protocol(game, stack, log.read_text())
        return len(list(hands))


class Peer(threading.Thread):
    """A program of somebody else's that does what ``answer`` says to the states it must act in."""

    def __init__(self, port: int, answer) -> None:
        super().__init__(daemon=True)
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.answer, self.states = answer, []
        self.send(f"# a comment\r\n; another\n\n{VERSION}\n")

    def send(self, text: str) -> None:
        self.socket.sendall(text.encode())

    def run(self) -> None:
        try:
            for line in self.socket.makefile():
                state = line.strip()
                self.states.append(state)
                heard = NOLIMIT.read(state)
                if not heard.ended and heard.betting.player == heard.player:
                    self.answer(self, state, heard)
        except OSError:
            pass


def dealt(answer, hands: int = 6, seconds: float = 5.0):
    """A match of ours against a peer."""
    remote = RemoteAgent(name="peer", seconds=seconds)
    peer = Peer(remote.listen(), answer)
    peer.start()
    assert remote.welcome(10)
    match = Match(NOLIMIT.table, remote, Random(), seed=1, time_limit=60)
    result = match.play(hands)
    remote.close()
    return result, peer


def test_what_real_programs_send_is_understood():
    def calls(peer: Peer, state: str, heard) -> None:
        peer.send(f"GUI: thinking\r\n#so\r\n{state}:c\r\n" if heard.hand % 2 else f"{state}:c\n")

    result, peer = dealt(calls, hands=20)
    assert not any(result.faults), result.messages
    assert len({NOLIMIT.read(state).hand for state in peer.states}) == 20
    ends = [heard for heard in map(NOLIMIT.read, peer.states) if heard.ended]
    assert len(ends) == 20


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (lambda peer, state, heard: peer.send("hello?\r\n"), "says 'hello?'"),
        (lambda peer, state, heard: peer.send(f"{state}:r1\r\n"), "'r1' is not allowed"),
        (lambda peer, state, heard: peer.send(f"{state}:x\r\n"), "'x' is not allowed"),
        (lambda peer, state, heard: peer.send("z" * 10_000), "a line of over"),
    ],
)
def test_nonsense_costs_the_hand(answer, sentence):
    result, _ = dealt(answer)
    assert result.hands == 6
    assert result.faults[0] > 0
    assert result.faults[1] == 0
    assert sentence in result.messages[0].message


def test_who_hangs_loses_the_hand_and_may_go_on():
    def slow(peer: Peer, state: str, heard) -> None:
        if heard.hand == 1:
            return
        peer.send(f"{state}:c\r\n")

    result, _ = dealt(slow, hands=4, seconds=1.0)
    assert (result.hands, result.faults) == (4, (1, 0))
    assert "did not answer within 1 seconds" in result.messages[0].message


def test_who_comes_back_goes_on():
    again: list[Peer] = []

    def calls(peer: Peer, state: str, heard) -> None:
        peer.send(f"{state}:c\r\n")

    def leaves(peer: Peer, state: str, heard) -> None:
        if heard.hand < 3:
            calls(peer, state, heard)
        else:
            port = peer.socket.getpeername()[1]
            peer.socket.shutdown(2)
            again.append(Peer(port, calls))
            again[0].start()

    result, first = dealt(leaves, hands=20)
    assert result.hands == 20
    assert result.faults == (1, 0)
    assert NOLIMIT.read(first.states[-1]).hand == 3
    assert NOLIMIT.read(again[0].states[-1]).hand == 19


def test_who_dies_loses_the_rest_of_its_hands(tmp_path):
    remote = RemoteAgent(name="peer")
    peer = Peer(remote.listen(), lambda peer, state, heard: peer.socket.shutdown(2))
    peer.start()
    assert remote.welcome(10)
    match = Match(NOLIMIT.table, remote, Random(), seed=1, time_limit=5)
    log = tmp_path / "match.log"
    result = match.play(8, record=str(log))
    remote.close()
    assert result.hands == 8
    assert 1 <= result.faults[0] <= 8
    assert "has left" in result.messages[0].message
    record = read_record(log)
    faults = [hand for hand in record.hands() if hand.fault is not None]
    assert len(faults) == result.faults[0]
    assert record.replay()[0].hands == 8


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (":50|-50:", ":40|-40:", "it pays"),
        (":f:", ":r1f:", "no hand of this match"),
        ("b|a", "c|a", "no hand of this match"),
    ],
)
def test_logs_that_tell_otherwise_are_refused(tmp_path, old, new, sentence):
    log = tmp_path / "match.log"
    good = "STATE:0:f:3c4c|Th7s:50|-50:a|b\nSTATE:1:cc/r6420f:Ah8s|2h4c/Qd7h6c:100|-100:b|a\n"
    log.write_text("# name/game m holdem.nolimit.2p.reverse_blinds.game 2 0\n" + good)
    assert read_record(log).replay()[0].hands == 2
    bad = good.replace("-50:a|b\n", "-50:a|b\n") if old == "|b\n" else good
    log.write_text(
        "# log\n" + (good[: -len("b|a\n")] + "c|a\n" if new == "|c\n" else bad.replace(old, new, 1))
    )
    with pytest.raises(FileError, match=sentence):
        read_record(log).replay()


def test_a_dealer_that_is_not_there():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(ParameterError, match="there is no dealer"):
            play_at(("127.0.0.1", port), Random(), NOLIMIT)


def test_pseudo_harmonic_mapping():
    # Ganzfried and Sandholm 2013: f(A) = 1, f(B) = 0, and half at (A + B + 2AB) / (A + B + 2).
    assert pseudo_harmonic(0.25, 0.25, 1.0) == 1.0
    assert pseudo_harmonic(1.0, 0.25, 1.0) == 0.0
    half = (0.25 + 1.0 + 2 * 0.25) / (0.25 + 1.0 + 2)
    assert pseudo_harmonic(half, 0.25, 1.0) == pytest.approx(0.5)


class Scripted(Agent):
    """Says what it was told to, and remembers what it saw."""

    name = "scripted"

    def __init__(self, *words: str) -> None:
        self.words, self.seen = list(words), []

    def act(self, observation: Observation, rng: np.random.Generator) -> str:
        self.seen.append((observation.seen[2], observation.actions))
        return self.words.pop(0)


def acting(agent: Translated, line: str, player: int, actions: tuple[str, ...]) -> str:
    seen = Observation(player, ("AsKs", "", line), actions, 0)
    return str(agent.act(seen, np.random.default_rng(2)))


def test_sizes_are_translated_both_ways():
    own = Holdem(stack=200, bets="50%,100%,allin", raises="50%,100%,allin")
    real = Holdem(stack=20000.0, blinds=(50.0, 100.0), chip=1.0)
    inner = Scripted("raise 3", "raise 10.5", "check")
    agent = Translated(inner, own)
    agent.begin(real)
    # A raise to 3 bb, its pot-sized one, is the pot-sized one at the real table.
    assert acting(agent, "", 0, ("fold", "call", "raise 300")) == "raise 300"
    # The answer, 1100, lies between half the pot (600) and the pot (900): above, so the pot.
    words = acting(agent, "raise 300, raise 1100", 0, ("fold", "call"))
    assert inner.seen[1][0] == "raise 3, raise 9"
    # It raises by 0.083 of its own pot of 18 bb, which is lifted to the least legal raise.
    assert words == "raise 1900"


def test_a_table_with_other_stacks_is_refused():
    agent = Translated(Random(), Holdem(stack=100))
    with pytest.raises(MismatchError, match="other players, stacks or blinds"):
        agent.begin(Holdem(stack=20000.0, blinds=(50.0, 100.0)))


@pytest.mark.parametrize("players", [2, 3])
def test_translated_agents_never_break_the_rules(players):
    own = Holdem(players=players, stack=30)
    real = Holdem(players=players, stack=3000.0, blinds=(50.0, 100.0), chip=1.0)
    notation = Notation.of(real)
    agents = [Translated(Random(), own, f"t{k}") for k in range(players - 1)]
    result = Match(real, *agents, AnySize(notation), seed=4).play(300)
    assert not any(result.faults), result.messages


def test_a_blueprint_sits_down_where_any_size_may_be_bet():
    own = Holdem(stack=200)
    form = BucketForm(own.poker, [one_bucket(cards) for cards in (0, 3, 4, 5)])
    blueprint = BlueprintAgent(Strategy.uniform(form), "blueprint")
    assert blueprint.table == own
    agent = Translated(blueprint, blueprint.table)
    result = Match(NOLIMIT.table, agent, AnySize(NOLIMIT), seed=2).play(60)
    assert not any(result.faults), result.messages
    with pytest.raises(MismatchError, match="other players, stacks or blinds"):
        agent.begin(Holdem(stack=1000.0, blinds=(5.0, 10.0)))


class OpenSpielDealer(threading.Thread):
    """Deals hands of OpenSpiel's ``universal_poker`` to whoever sits down, by the protocol."""

    def __init__(self, name: str, hands: int) -> None:
        super().__init__(daemon=True)
        self.game, self.hands = spiel(name), hands
        self.players = self.game.num_players()
        self.doors = [socket.create_server(("127.0.0.1", 0)) for _ in range(self.players)]
        self.won, self.error = np.zeros(self.players), ""

    def run(self) -> None:
        seats = [door.accept()[0].makefile("rw", newline="\r\n") for door in self.doors]
        random = np.random.default_rng(8)
        try:
            assert all(seat.readline().startswith("VERSION") for seat in seats)
            for hand in range(self.hands):
                self.deal(hand, seats, random)
        except Exception as error:
            self.error = repr(error)
        for seat, door in zip(seats, self.doors, strict=True):
            seat.close()
            door.close()

    def deal(self, hand: int, seats: list, random: np.random.Generator) -> None:
        state = self.game.new_initial_state()
        at = [(seat + hand) % self.players for seat in range(self.players)]  # where each sits
        while True:
            while not state.is_terminal() and state.is_chance_node():
                state.apply_action(int(random.choice(state.legal_actions())))
            said, cards = told_by(state)
            holes, *board = cards.split("/")
            shown = state.is_terminal() and "f" not in said
            lines = {}
            for seat, place in enumerate(at):
                own = [
                    hole if shown or p == place else "" for p, hole in enumerate(holes.split("|"))
                ]
                told = "/".join(["|".join(own), *board])
                lines[seat] = f"MATCHSTATE:{place}:{hand}:{said}:{told}"
                seats[seat].write(f"# of OpenSpiel\r\n{lines[seat]}\r\n")
                seats[seat].flush()
            if state.is_terminal():
                self.won += [state.returns()[place] for place in at]
                return
            seat = at.index(state.current_player())
            answer = seats[seat].readline().strip()
            told, _, token = answer.rpartition(":")
            assert told == lines[seat], answer
            action = {"f": 0, "c": 1}.get(token) or (int(token[1:]) if token[0] == "r" else 0)
            assert action in state.legal_actions(), token
            state.apply_action(action)


def test_a_blueprint_plays_at_openspiels_dealer():
    """OpenSpiel deals and keeps the score; both seats are ours, and count the same."""
    table = Holdem(stack=200)
    form = BucketForm(table.poker, [one_bucket(cards) for cards in (0, 3, 4, 5)])
    strategy = Strategy.random(form, np.random.default_rng(4))
    dealer = OpenSpielDealer("holdem.nolimit.2p.reverse_blinds.game", 30)
    dealer.start()
    seats: list = [None, None]

    def sit(k: int) -> None:
        agent = Translated(BlueprintAgent(strategy), table) if k == 0 else AnySize(NOLIMIT)
        port = dealer.doors[k].getsockname()[1]
        seats[k] = play_at(("127.0.0.1", port), agent, NOLIMIT, seed=k)

    threads = [threading.Thread(target=sit, args=(k,), daemon=True) for k in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in (*threads, dealer):
        thread.join(60)
    assert not dealer.error
    assert [seat.hands for seat in seats] == [30, 30]
    assert [seat.won for seat in seats] == pytest.approx(dealer.won.tolist())
    assert len({abs(won) for won in dealer.won}) == 1
