"""The competition's notation against OpenSpiel's universal_poker, which is built on its dealer."""

from __future__ import annotations

import re

import numpy as np
import pytest

from counterfold.errors import FileError, ParameterError
from counterfold.poker.acpc import GAMES, Notation, parse_game
from counterfold.poker.game import DECISION
from counterfold.poker.table import Holdem

NAMES = sorted(GAMES)


def spiel(name: str):
    """The same game in OpenSpiel."""
    pyspiel = pytest.importorskip("pyspiel")
    told = dict(line.split(" = ") for line in GAMES[name].splitlines() if " = " in line)
    kind = "limit" if ".limit." in name else "nolimit"
    options = {"betting": kind, "bettingAbstraction": "fullgame", **told}
    if kind == "limit":
        del options["bettingAbstraction"]
    inside = ",".join(f"{key}={value}" for key, value in options.items())
    return pyspiel.load_game(f"universal_poker({inside})")


def told_by(state) -> tuple[str, str]:
    """Betting and cards as OpenSpiel tells them."""
    found = re.search(r"STATE:\d+:([^:\n]*):([^:\n]*)", str(state))
    return found[1], found[2]


@pytest.mark.parametrize("name", NAMES)
def test_random_hands_are_told_as_openspiel_tells_them(name):
    game, notation = spiel(name), parse_game(GAMES[name])
    betting, random = notation.table.betting, np.random.default_rng(5)
    count, places = notation.table.players, 0
    for _ in range(60):
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            if state.is_chance_node():
                state.apply_action(int(random.choice(legal)))
                continue
            said, cards = told_by(state)
            heard = notation.hand(0, 3, said, cards)
            assert heard.betting.kind == DECISION
            assert notation.position(heard.betting.player) == state.current_player()
            assert notation.betting(heard.line) == said
            mine = {"f": 0, "c": 1}
            bounds = betting.bounds(heard.betting)
            names = [word for word, _ in betting.moves(heard.betting)]
            simple = {
                mine[notation.token(heard.betting, w)]
                for w in names
                if notation.token(heard.betting, w) in mine
            }
            raises = sorted(action for action in legal if action > 1)
            assert simple == {action for action in legal if action < 2}
            if notation.table.limit is None:
                paid = heard.betting.before[heard.betting.player]
                ours = [] if bounds is None else [round(paid + chips) for chips in bounds]
                assert ours == ([] if not raises else [raises[0], raises[-1]])
            else:
                assert (bounds is not None) == bool(raises)
            places += 1
            # Mostly small raises, so that hands are long.
            if raises and random.random() < 0.35:
                size = min(int(random.exponential(len(raises) / 20)), len(raises) - 1)
                state.apply_action(raises[size])
            else:
                state.apply_action(1 if random.random() < 0.8 or 0 not in legal else 0)
        said, cards = told_by(state)
        heard = notation.hand(0, 3, said, cards)
        assert heard.ended
        table, reached = notation.table, notation.table.deal(*heard.holes)
        for word in heard.line:
            reached = table.next(reached, word.strip("[]"))
        paid = notation.by_position([round(won) for won in table.payoff(reached)])
        if all(won == int(won) for won in state.returns()):
            assert paid == "|".join(str(int(won)) for won in state.returns())
        assert notation.cards(heard.line, heard.holes).count("/") == cards.count("/")
    assert places > 100 * (count - 1)


@pytest.mark.parametrize("name", NAMES)
def test_definitions_are_read_as_they_are_written(name):
    assert parse_game(GAMES[name]).game == GAMES[name]
    noisy = GAMES[name].replace("\n", "  # said by somebody\r\n")
    assert parse_game(noisy).game == GAMES[name]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("GAMEDEF\n", "", "does not begin with GAMEDEF"),
        ("nolimit", "potlimit", "neither limit nor nolimit"),
        ("numSuits = 4", "numSuits = 2", "not hold'em: its numSuits is '2'"),
        ("numPlayers = 2", "numPlayers = 12", "is for 12 players"),
        ("stack = 20000 20000", "stack = 20000", "needs 2 whole numbers for stack"),
        ("blind = 100 50", "blind = 50 100", "seats the blinds otherwise"),
        ("blind = 100 50", "blind = 100 fifty", "whole numbers for blind"),
    ],
)
def test_other_definitions_are_refused(old, new, sentence):
    text = GAMES["holdem.nolimit.2p.reverse_blinds.game"].replace(old, new, 1)
    with pytest.raises(FileError, match=re.escape(sentence)):
        parse_game(text)


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ("MATCHSTATE:0:7", "no state of a match"),
        ("MATCHSTATE:5:7::|AsKs", "no position at this table"),
        ("MATCHSTATE:0:x::|AsKs", "no hand"),
        ("MATCHSTATE:0:7::AsKs", "no cards of 2 players"),
        ("MATCHSTATE:0:7::As1s|", "no cards of 2 players"),
        ("MATCHSTATE:0:7::AsAs|", "As comes twice"),
        ("MATCHSTATE:0:7:cc/:AsKs|/AsQdJd", "a card twice"),
        ("MATCHSTATE:0:7:cc/:AsKs|", "ends a street too early"),
        ("MATCHSTATE:0:7:c/c:AsKs|/2c3c4c", "ends a street too early"),
        ("MATCHSTATE:0:7:x:AsKs|", "no betting of this protocol"),
        ("MATCHSTATE:0:7:fc:AsKs|", "nobody is to act"),
        ("MATCHSTATE:0:7:r150:AsKs|", "'r150' is not allowed; there are c, f and r200 to r20000"),
        ("MATCHSTATE:0:7:r20001:AsKs|", "'r20001' is not allowed"),
        ("MATCHSTATE:0:7:r:AsKs|", "'r' is not allowed"),
        ("MATCHSTATE:0:7:cc/f:AsKs|/2c3c4c", "'f' is not allowed"),
    ],
)
def test_states_that_the_rules_do_not_allow_are_refused(state, sentence):
    notation = parse_game(GAMES["holdem.nolimit.2p.reverse_blinds.game"])
    with pytest.raises(ParameterError, match=re.escape(sentence)):
        notation.read(state)


@pytest.mark.parametrize("options", [{}, {"ante": 10.0}, {"last_street": "flop"}])
def test_tables_that_it_cannot_tell_are_refused(options):
    blinds = (50.0, 100.0) if options else (0.5, 1.0)
    with pytest.raises(ParameterError, match="competition's protocol"):
        Notation.of(Holdem(stack=2000.0, blinds=blinds, **options))
