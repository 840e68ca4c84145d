"""A local best response hand by hand, over all cards: slow, and as the paper tells it."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from counterfold.play.lbr import Kind
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN, PokerGame, meetings


class NaiveWalk:
    """What a player's hands win, one after the other, each against a range that sums to one."""

    def __init__(self, game: PokerGame, lines: Any, me: int, kind: Kind) -> None:
        self.game, self.lines, self.me, self.may = game, lines, me, kind
        self.rules, self.cards = game.rules, game.rules.cards.astype(int)

    def value(self) -> float:
        own, theirs = self.game.ranges[self.me], self.game.ranges[1 - self.me]
        mass = own * meetings(theirs)
        total = 0.0
        for hole in np.flatnonzero(mass).tolist():
            self.hole, self.held = hole, set(self.cards[hole][: self.rules.hole].tolist())
            range_ = self.without(np.asarray(theirs, float), self.held)
            total += mass[hole] * self.at(self.lines.root, tuple(self.game.board), range_)
        return float(total / mass.sum())

    def without(self, range_: Any, cards: Any) -> Any:
        found = np.where(np.isin(self.cards, list(cards)).any(1), 0.0, range_)
        return found / found.sum() if found.sum() > 0 else found

    def at(self, place: Any, board: tuple[int, ...], range_: Any) -> float:
        kind = self.lines.kind(place)
        if kind == FOLD:
            return float(self.lines.payoff(place, self.me)[0])
        if kind == SHOWDOWN:
            strong = self.rules.strengths(np.array([board], np.uint8))[0]
            wins = range_[strong < strong[self.hole]].sum()
            ties = range_[strong == strong[self.hole]].sum()
            return float(self.lines.payoff(place, self.me) @ [wins, ties, 1 - wins - ties])
        if kind == DEAL:
            return self.deal(place, board, range_)
        if self.lines.player(place) == self.me:
            return self.at(self.choice(place, board, range_), board, range_)
        total = 0.0
        for child, odds in self.lines.answers(place, board):
            share = float((range_ * odds).sum())
            if share > 0:
                total += share * self.at(child, board, range_ * odds / share)
        return total

    def deal(self, place: Any, board: tuple[int, ...], range_: Any) -> float:
        count = self.rules.deal[self.lines.street(place) + 1]
        left = [card for card in self.rules.deck if card not in {*board, *self.held}]
        sets = list(combinations(left, count))
        free = np.array([range_[~np.isin(self.cards, cards).any(1)].sum() for cards in sets])
        total = 0.0
        for cards, share in zip(sets, free / free.sum(), strict=True):
            if share > 0:
                after, kept = self.lines.dealt(place, cards), self.without(range_, cards)
                total += share * self.at(after, (*board, *cards), kept)
        return total

    def choice(self, place: Any, board: tuple[int, ...], range_: Any) -> Any:
        lines, me = self.lines, self.me
        fold, call, bets = lines.choices(place, self.may.sizes)
        if self.may.late and lines.street(place) < lines.streets - 2 and call is not None:
            return call
        paid = lines.paid(place)
        pot, asked = paid.sum(), paid[1 - me] - paid[me]
        worth = [] if fold is None else [(0.0, fold)]
        if call is not None:
            share = self.equity(board, range_)
            worth.append((share * pot - (1 - share) * asked, call))
        for after in bets if self.may.bets or not worth else []:
            worth.append((self.bet(after, board, range_, pot, asked), after))
        return max(worth, key=lambda one: one[0])[1]

    def bet(self, after: Any, board: Any, range_: Any, pot: float, asked: float) -> float:
        lines, stays = self.lines, range_
        raised = lines.paid(after)[self.me] - lines.paid(after)[1 - self.me]
        if lines.kind(after) == DECISION and lines.player(after) != self.me:
            kept = [odds for k, odds in lines.answers(after, board) if lines.kind(k) != FOLD]
            stays = range_ * np.sum(kept, 0)
        if not stays.sum() > 0:
            return pot
        folds, share = 1 - stays.sum(), self.equity(board, stays)
        shown = share * (pot + raised) - (1 - share) * (asked + raised)
        return float(folds * pot + (1 - folds) * shown)

    def equity(self, board: tuple[int, ...], range_: Any) -> float:
        more = len(self.game.board) + sum(self.rules.deal) - len(board)
        left = [card for card in self.rules.deck if card not in {*board, *self.held}]
        won = met = 0.0
        for cards in combinations(left, more):
            strong = self.rules.strengths(np.array([(*board, *cards)], np.uint8))[0]
            live = np.where(np.isin(self.cards, cards).any(1), 0.0, range_)
            beaten, tied = strong < strong[self.hole], strong == strong[self.hole]
            won += (live * beaten).sum() + (live * tied).sum() / 2
            met += live.sum()
        return float(won / met)
