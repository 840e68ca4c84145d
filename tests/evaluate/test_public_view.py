"""Views of strategies against plain recursion over pairs of hands, with suits renamed by trying."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from counterfold.cli.grid_html import page
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.evaluate import public_view
from counterfold.evaluate.exact import assess
from counterfold.evaluate.public_view import Browser, view
from counterfold.poker.cards import board_name, hole_cards, hole_number, parse_cards
from counterfold.poker.game import DEAL, DECISION, FOLD, PokerGame
from counterfold.poker.holdem import kuhn
from counterfold.poker.spot import spot
from counterfold.strategy.strategy import Strategy
from counterfold.tree import public_nodes
from counterfold.tree.boards import renamed_holes
from counterfold.tree.find import Place, children, find_board, find_place
from counterfold.tree.public import PublicTree
from tests import naive_poker


def flop(**more: Any) -> PokerGame:
    """A flop of one suit, so that the three others are alike, with a deck of twelve cards."""
    given = {"board": "Kc Qc Ac", "deck": "QKA", "pot": 20, "stack": 20, "oop": "AA,KQs",
             "ip": "KK,AQs:0.5,QQ:0.25", "bets": ["50%"], "raises": []}  # fmt: skip
    return spot({**given, **more})


def drawn(game: PokerGame, seed: int = 1) -> Any:
    """A strategy of random weights, some of them zero."""
    tree = PublicTree(game)
    rng = np.random.default_rng(seed)
    shapes = [(max(tree.rows(p), 1), tree.columns(p)) for p in (0, 1)]
    tables = [
        (rng.random(shape) * (rng.random(shape) < 0.8)).astype(np.float32) for shape in shapes
    ]
    for p in (0, 1):  # on the last street every hole has a column: those that are alike play alike
        for k, board in enumerate(tree.boards):
            holes = tree.hands[p][k].holes
            column = {hole: c for c, hole in enumerate(holes.tolist())}
            turned = [renamed_holes(game.rules, holes, names) for names in board.renamings]
            least = np.min(turned, 0).tolist() if board.street == tree.last else holes.tolist()
            rows = slice(
                int(tree.base[k, p]), int(tree.base[k, p] + tree.nodes.width[board.street, p])
            )
            tables[p][rows, : len(holes)] = tables[p][rows][:, [column[hole] for hole in least]]
    return Strategy.of(tree, (tables[0], tables[1]))


class Plain:
    """A strategy's numbers by recursion over the rules, for two hands at a time."""

    def __init__(self, strategy: Strategy[PublicTree]) -> None:
        self.strategy, self.tree, self.game = strategy, strategy.tree, strategy.tree.game
        self.betting, self.rules = self.game.betting, self.game.rules
        self.at = lru_cache(None)(strategy.hands.at)

    def renamed(self, cards: Any, names: Any) -> tuple[int, ...]:
        return tuple(card // 4 * 4 + names[card % 4] for card in cards)

    @lru_cache(None)  # noqa: B019
    def board(self, cards: tuple[int, ...]) -> tuple[int, Any]:
        """A board of the tree that some renaming of suits turns a real one into."""
        begin, known = len(self.game.board), {b.cards: k for k, b in enumerate(self.tree.boards)}
        orders = [[self.game.board]]
        at = begin
        for size in self.rules.deal[1:]:
            if at < len(cards):
                orders.append([cards[at : at + size]])
                at += size
        for names in permutations(range(4)):
            turned = [
                tuple(sorted(self.renamed(part, names))) if k else part
                for k, (part,) in enumerate(orders)
            ]
            if set(self.renamed(self.game.board, names)) != set(self.game.board):
                continue
            number = known.get(tuple(card for part in turned for card in part))
            if number is not None and self.keeps(names):
                return number, names
        raise AssertionError(cards)

    @lru_cache(None)  # noqa: B019
    def keeps(self, names: tuple[int, ...]) -> bool:
        """Does a renaming leave the deck and both ranges alone?"""
        if not self.tree.symmetry and names != (0, 1, 2, 3):
            return False
        deck = set(self.renamed(self.rules.deck, names)) == set(self.rules.deck)
        return deck and all(
            weight[hole] == weight[hole_number(*self.renamed(hole_cards(hole), names))]
            for weight in self.game.ranges
            for hole in range(1326)
        )

    def mix(self, node: int, cards: tuple[int, ...], hole: int) -> Any:
        number, names = self.board(cards[: self.size(node)])
        return self.at(node, number)[:, hole_number(*self.renamed(hole_cards(hole), names))]

    def size(self, node: int) -> int:
        """How many cards lie on the board of a node."""
        street = int(self.betting.street[node])
        return len(self.game.board) + sum(self.rules.deal[1 : street + 1])

    def reach(self, node: int, cards: tuple[int, ...], me: int) -> dict[int, float]:
        found = {}
        for hole in np.flatnonzero(self.game.ranges[me]).tolist():
            if set(hole_cards(hole)) & set(cards):
                continue
            weight, child = float(self.game.ranges[me][hole]), node
            while child > 0:
                at = int(self.betting.parent[child])
                if self.betting.kind[at] == DECISION and self.betting.player[at] == me:
                    weight *= self.mix(at, cards, hole)[child - self.betting.first[at]]
                child = at
            found[hole] = weight
        return found

    def runs(self, node: int, cards: tuple[int, ...], pair: tuple[int, int]) -> Any:
        """The boards that can come next."""
        gone = {*cards, *hole_cards(pair[0]), *hole_cards(pair[1])}
        left = [card for card in self.rules.deck if card not in gone]
        deal = self.rules.deal[int(self.betting.street[node]) + 1]
        return [(*cards, *some) for some in combinations(left, deal)]

    def gap(self, cards: tuple[int, ...], pair: tuple[int, int]) -> int:
        strengths = self.strengths(tuple(sorted(cards)))
        return int(strengths[pair[0]]) - int(strengths[pair[1]])

    @lru_cache(None)  # noqa: B019
    def strengths(self, cards: tuple[int, ...]) -> Any:
        return self.rules.strengths(np.array([cards], np.uint8))[0].astype(np.int64)

    def worth(self, node: int, cards: tuple[int, ...], pair: tuple[int, int], me: int) -> float:
        """Player me's payoff when these two hands are held."""
        kind, betting = self.betting.kind[node], self.betting
        if kind == DECISION:
            mix = self.mix(node, cards, pair[int(betting.player[node])])
            below = betting.children(node)
            return sum(
                p * self.worth(c, cards, pair, me) for p, c in zip(mix, below, strict=True) if p
            )
        if kind == DEAL:
            runs = self.runs(node, cards, pair)
            first = int(betting.first[node])
            return sum(self.worth(first, run, pair, me) for run in runs) / len(runs)
        gap = 0 if kind == FOLD else self.gap(cards, pair) * (1 - 2 * me)
        return float(betting.payoff[node, me, 0 if gap > 0 else 1 if gap == 0 else 2])

    def share(self, street: int, cards: tuple[int, ...], pair: tuple[int, int]) -> float:
        """Player 0's share if all money goes in now."""
        if street == self.betting.streets - 1:
            gap = self.gap(cards, pair)
            return (gap > 0) + (gap == 0) / 2
        node = int(np.flatnonzero(self.betting.street == street)[0])
        runs = self.runs(node, cards, pair)
        return sum(self.share(street + 1, run, pair) for run in runs) / len(runs)

    def check(self, place: Place, me: int, found: Any) -> None:
        """Compare all numbers of a view."""
        node, cards = place.node, place.cards
        street = int(self.betting.street[node])
        mine, theirs = self.reach(node, cards, me), self.reach(node, cards, 1 - me)
        assert {int(h) for h in np.flatnonzero(found.weight)} == {h for h in mine if mine[h] > 0}
        for hole, weight in mine.items():
            assert found.weight[hole] == pytest.approx(weight, rel=1e-5)
            if found.actions:
                want = self.mix(node, cards, hole)
                np.testing.assert_allclose(found.strategy[:, hole], want, atol=1e-6)
            met = ev = equity = 0.0
            for other, reach in theirs.items():
                assert found.against[other] == pytest.approx(reach, rel=1e-5)
                if reach and not set(hole_cards(hole)) & set(hole_cards(other)):
                    pair = (hole, other) if me == 0 else (other, hole)
                    share = self.share(street, cards, pair)
                    met += reach
                    ev += reach * self.worth(node, cards, pair, me)
                    equity += reach * (share if me == 0 else 1 - share)
            if met < 1e-9:
                assert np.isnan(found.equity[hole])
                continue
            paid = float(self.betting.paid[node, me])
            assert found.ev[hole] == pytest.approx(ev / met + paid, abs=2e-4)
            assert found.equity[hole] == pytest.approx(equity / met, abs=1e-5)
        there = np.isfinite(found.equity)
        assert set(np.flatnonzero(there).tolist()) <= set(mine)


CASES = [
    (flop(), ["", "bet", "check, check", "check, check, [As]", "bet, call, [Kh], check",
              "check, check, Qd, bet, call, [Ks]", "check, check, [Qh], check, check, [Qs], check",
              "check, bet, call, [Kd], all", "check, check, [Qs], check, check, [Ad], check, check",
              "check, check, [Ad], bet, fold"]),
    (naive_poker.tiny_turn(seed=3, rake=(0.05, 2.0)), ["", "check", "check, bet 13, call, [Ah]"]),
    (naive_poker.tiny_fhp(seed=4), ["", "call", "call, check, [As Kh Ah]", "fold",
                                    "raise, call, [Ah Jh Qs], check"]),
    (naive_poker.tiny_river(seed=5), ["", "bet 10", "check, check"]),
]  # fmt: skip
PLACES = [(game, path) for game, paths in CASES for path in paths]


@lru_cache(None)
def plain(game: PokerGame) -> tuple[Browser, Plain]:
    strategy = drawn(game)
    return Browser(strategy, threads=1), Plain(strategy)


@pytest.mark.parametrize(("game", "path"), PLACES, ids=[f"{g.name}:{p}" for g, p in PLACES])
def test_a_view_is_what_recursion_finds(game: PokerGame, path: str) -> None:
    browser, oracle = plain(game)
    place = find_place(browser.tree, path)
    views = [browser.view(path, p) for p in (0, 1)]
    for me in (0, 1):
        oracle.check(place, me, views[me])
    assert views[0].line == place.line
    assert views[0].pot == pytest.approx(game.betting.paid[place.node].sum())
    kind, owner = game.betting.kind[place.node], game.betting.player[place.node]
    assert [bool(v.actions) for v in views] == [kind == DECISION and owner == p for p in (0, 1)]
    if game.name != "tiny_turn":  # which has rake
        assert sum(v.totals.ev for v in views) == pytest.approx(views[0].pot, rel=1e-5)
    assert sum(v.totals.equity for v in views) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("chunk", [1, 3, 64])
def test_the_last_street_in_chunks(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_nodes, "CHUNK", chunk)
    strategy = drawn(flop())
    assert (len(strategy.tree.nodes.chunk) > 4) == (chunk < 64)
    browser, oracle = Browser(strategy, threads=1), Plain(strategy)
    for path in ("check, check, Kd, check, check, Qs, bet", "bet, call, Kd, all-in, call, Qs",
                 "check, bet, call, Kd, check, check, Qs, check"):  # fmt: skip
        for me in (0, 1):
            oracle.check(find_place(strategy.tree, path), me, browser.view(path, me))


@pytest.mark.parametrize("path", ["", "bet 10", "check, check, [Kd]", "bet 10, call, [Kd]"])
def test_what_actions_are_worth_makes_up_the_ev_of_a_hand(path: str) -> None:
    strategy = drawn(flop())
    found = view(strategy, path)
    assert found.worth == found.actions
    assert found.evs is not None
    there = np.isfinite(found.ev) & (found.share > 0)
    assert there.any()
    mean = (found.strategy * found.evs).sum(0)
    assert mean[there] == pytest.approx(found.ev[there], abs=1e-9)
    best = found.hands()[0]
    assert found.to_dict()["hands"][0]["evs"] == dict(zip(found.actions, best.evs, strict=True))
    document = found.to_dict()["classes"][0]
    assert document["ev"] == pytest.approx(
        sum(p * document["evs"][action] for action, p in document["actions"].items()), rel=0.5
    )
    assert view(strategy, path, 1 - list(found.players).index(found.player)).worth == ()


@pytest.mark.parametrize("player", [0, 1])
def test_cards_make_up_the_place_before_them(player: int) -> None:
    browser = Browser(drawn(flop()))
    before = browser.view("check, check", player)
    after = browser.cards("check, check", player)
    assert len(after) == 9
    assert not {"Kc", "Qc", "Ac"} & set(after)
    mass = np.array([one.share.sum() for one in after.values()])
    evs = np.array([one.totals.ev for one in after.values()])
    assert (mass * evs).sum() / mass.sum() == pytest.approx(before.totals.ev)
    alike = [after[card].totals.ev for card in ("Kd", "Kh", "Ks")]
    assert alike == pytest.approx([alike[0]] * 3)
    with pytest.raises(ParameterError, match="no card comes after 'check'"):
        browser.cards("check")


def test_looking_at_every_card_does_not_forget_the_street_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(public_view, "KEPT", 4)
    browser = Browser(drawn(flop()))
    before, walked = browser.view("check"), []
    browser.cards("check, check")
    run = browser._run
    monkeypatch.setattr(browser, "_run", lambda *where: (walked.append(where), run(*where)))
    after = browser.view("check")
    assert after.totals == before.totals
    assert not walked


def test_a_tree_without_symmetry_is_seen_alike() -> None:
    """What is played everywhere is put into a tree with a board for each real one."""
    game = flop()
    some, whole = drawn(game), Strategy.uniform(PublicTree(game, symmetry=False))
    oracle = Plain(some)
    for number, board in enumerate(whole.tree.boards):
        for node in whole.hands.decisions(number):
            hands = whole.tree.hands[int(game.betting.player[node])][number]
            table = np.zeros((int(game.betting.count[node]), 1326))
            for hole in hands.holes.tolist():
                table[:, hole] = oracle.mix(node, board.cards, hole)
            whole.hands.put(node, number, table)
    one, two = Browser(some, threads=1), Browser(whole, threads=1)
    assert len(one.tree.boards) < len(two.tree.boards) / 2
    for path in ("", "bet", "check, check, [Ah], bet", "check, bet, call, [Qs], check, allin"):
        for me in (0, 1):
            first, second = one.view(path, me), two.view(path, me)
            for name in ("weight", "strategy", "ev", "equity"):
                np.testing.assert_allclose(
                    getattr(first, name), getattr(second, name), atol=1e-4, err_msg=name
                )


def test_boards_are_found_with_their_suits() -> None:
    game = flop()
    tree = PublicTree(game)
    seen = set()
    for turn, river in permutations(parse_cards("AdAhAsKdKhKsQdQhQs"), 2):
        cards = (*game.board, turn, river)
        number, names = find_board(tree, cards)
        board = tree.boards[number]
        assert tuple(card // 4 * 4 + names[card % 4] for card in cards) == board.cards
        assert sorted(names) == [0, 1, 2, 3]
        seen.add(number)
    assert seen == {k for k, board in enumerate(tree.boards) if board.street == 2}
    for text, told in [
        ("Kc Qc Ac Kc", "Kc comes twice"),
        ("Kc Qc Ac 2c", "2c is not in the deck"),
        ("Kc Qc", "has 2 cards; boards of spot have 3 or 4 or 5"),
        ("Kc Qc Ad", "does not begin with Kc Qc Ac"),
    ]:
        with pytest.raises(ParameterError, match=told):
            find_board(tree, [parse_cards(card)[0] for card in text.split()])


def test_paths_in_words() -> None:
    game = replace(naive_poker.tiny_turn(), streets=("turn", "river"))
    tree = PublicTree(game)
    labels = [game.betting.label[child] for child in game.betting.children(0)]
    assert list(children(tree, find_place(tree))) == labels == ["check", "bet 13", "bet 35"]
    found = find_place(tree, " CHECK , Bet13, call , [ah] ,ch")
    assert found.line == ("check", "bet 13", "call", "[Ah]", "check")
    assert board_name(found.cards) == "Kd Qh Js Qd Ah"
    assert found == find_place(tree, found.line) == find_place(tree, ", ".join(found.line))
    assert game.betting.line(found.node) == ("check", "bet 13", "call", "check")
    for path, told in [
        ("bet", r"'bet' could be several actions at the start; choose one of: bet 13, bet 35"),
        ("bet 1", r"'bet 1' is no action at the start; choose one of: check, bet 13, bet 35"),
        ("check, fold", r"'fold' is no action after check; choose one of: check, bet 13, bet 35"),
        ("check,,bet 13", r"'' is no action after check"),
        ("bet 13, fold, check", "the hand is over after bet 13, fold"),
        ("bet 13, call, check", r"the river is dealt after bet 13, call: 'ch' at character 1"),
        ("bet 13, call, [AhKs]", r"the river has one card, and '\[AhKs\]' has 2"),
        ("bet 13, call, [Qh]", "Qh comes twice"),
        ("bet 13, call, [2c]", "2c is not in the deck"),
    ]:
        with pytest.raises(ParameterError, match=told):
            find_place(tree, path)


def test_the_stacks_of_a_spot() -> None:
    strategy = Strategy.uniform(PublicTree(flop(stack=[30, 50])))
    assert view(strategy).stacks == (30, 50)
    assert view(strategy, "bet 10").stacks == (20, 50)
    blinds = {"board": "", "deck": "QKA", "blinds": [1, 2], "stack": 10, "oop": "random",
              "ip": "random", "bets": ["allin"], "raises": ["allin"],
              "last_street": "flop"}  # fmt: skip
    before = Strategy.uniform(PublicTree(spot(blinds)))
    found = view(before)
    assert (found.player, found.pot, found.stacks) == ("ip", 3, (8, 9))
    assert view(drawn(naive_poker.tiny_river()), "bet 20").stacks == (20, 35)


def test_players_and_games_that_are_not_there() -> None:
    strategy = drawn(flop())
    assert view(strategy, player="ip").player == "ip"
    with pytest.raises(ParameterError, match="no player 'bb'; choose oop or ip"):
        view(strategy, player="bb")
    with pytest.raises(UnsupportedError, match="hands of one card"):
        view(Strategy.uniform(PublicTree(kuhn())))


def test_where_nobody_gets_there_is_a_note() -> None:
    strategy = drawn(flop())
    strategy.tables[0][strategy.tree.row(0, 0)] = np.array([[1.0], [0.0]])
    found = view(strategy, "bet")
    assert found.note == "oop never gets here"
    assert np.isnan(found.ev).all()
    assert found.strategy.shape == (2, 1326)
    assert found.totals.combos > 0


def test_a_walk_through_the_tree() -> None:
    strategy = drawn(flop())
    found = Browser(strategy).walk_through(["Kh", "Kh Qs"], both=True)
    assert list(found)[:4] == [(), ("check",), ("bet 10",), ("check", "bet 10")]
    assert [v.player for v in found[("check",)]] == ["ip", "oop"]
    dealt = {word for path in found for word in path if word.startswith("[")}
    assert dealt == {"[Kh]", "[Qs]"}
    alone = view(strategy, ["check", "check", "[Kh]", "bet 10"])
    np.testing.assert_array_equal(found[("check", "check", "[Kh]", "bet 10")][0].ev, alone.ev)
    assert len(Browser(strategy).walk_through(limit=3)) == 3
    assert set(Browser(strategy).walk_through(start="check")) == {("check",), ("check", "bet 10")}
    assert "check" in page(found)
    with pytest.raises(ParameterError, match="at least one"):
        Browser(strategy).walk_through(limit=0)


def test_a_summary_has_the_numbers_of_the_views() -> None:
    strategy = drawn(naive_poker.tiny_fhp(seed=7))
    found = Browser(strategy).summary()
    values = assess(strategy).values
    assert found["pot"] == 3
    for p, (player, paid) in enumerate((("sb", 1), ("bb", 2))):
        assert found["ev"][player] == pytest.approx(values[p] + paid, abs=1e-4)
        seen = view(strategy, player=p).totals
        assert found["equity"][player] == pytest.approx(seen.equity, abs=1e-6)
    assert found["actions"] == view(strategy).totals.frequencies
    assert set(found["after"]) == {"call", "raise"}
    for label, shares in found["after"].items():
        seen = view(strategy, label).totals.frequencies
        assert shares == pytest.approx(seen)
