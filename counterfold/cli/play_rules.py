"""The rules of a game in short, for somebody who is about to play it."""

from __future__ import annotations

import inspect

from counterfold.games.betting import LimitPoker, rank_names
from counterfold.games.goofspiel import Goofspiel
from counterfold.games.leduc import Leduc
from counterfold.games.liars_dice import LiarsDice
from counterfold.games.normal_form import NormalForm
from counterfold.games.onecard import Kuhn, OneCard
from counterfold.games.spec import written
from counterfold.poker.rules import PokerRules
from counterfold.poker.table import Holdem


def rules_in_short(game: object) -> list[str]:
    """Paragraphs: how it goes and who wins, then what the symbols mean.

    >>> from counterfold.games.onecard import Kuhn
    >>> rules_in_short(Kuhn())[1]
    'Cards from low to high: J Q K.'
    """
    if isinstance(game, Leduc):
        return [*_leduc(game), *_cards(game)]
    if isinstance(game, Kuhn | OneCard):
        return [*_one_card(game), *_cards(game)]
    if isinstance(game, PokerRules):
        return _holdem(game)
    if isinstance(game, Holdem):
        return _table(game)
    if isinstance(game, LiarsDice):
        return _liars_dice(game)
    if isinstance(game, Goofspiel):
        return _goofspiel(game)
    if isinstance(game, NormalForm):
        return ["Everyone chooses without knowing what the others choose; the payoffs follow."]
    return _from_docstring(game)


def _one_card(game: Kuhn | OneCard) -> list[str]:
    return [
        f"Everyone pays {written(game.ante)} and gets one card. In turn, players check or bet "
        f"{written(game.raises[0])}; after a bet the others call it or fold. The highest card of "
        "those who are left takes the pot."
    ]


def _leduc(game: Leduc) -> list[str]:
    first, second = map(written, game.raises)
    return [
        f"Everyone pays {written(game.ante)} and gets one card. After a round of betting a card "
        "is laid on the board for all, and a second round follows. A pair with the board wins, "
        "else the highest card.",
        f"Bets and raises are {first} in the first round and {second} in the second, at most "
        f"{game.max_raises} in each.",
    ]


def _holdem(game: PokerRules) -> list[str]:
    poker = game.poker
    first, second = poker.players
    paid = poker.betting.paid[0]
    pot = ""
    if poker.pot:
        pot = (
            f" Half of the first pot of {written(poker.pot)} counts as paid by each: to fold at "
            f"once loses {written(float(paid[0]))}."
        )
    return [
        f"Hold'em: {first} and {second} are dealt two cards each, by their ranges; you take both "
        f"players in turn. The best five of all cards win the pot.{pot}",
        "Amounts are chips; a raise names what it raises to. After a hand, decisions are held "
        "against the value of each action over all hands that the opponent may have.",
    ]


def _table(game: Holdem) -> list[str]:
    small, big = map(written, game.blinds)
    told = (
        f"Blinds are {small} and {big}"
        if game.big_blind_ante + game.ante == 0
        else (f"Blinds are {small} and {big}, with antes")
    )
    return [
        f"Hold'em from the first card for {game.players}: everyone is dealt two cards, five more "
        "come on the board, and the best five of all win the pot. You take every seat in turn.",
        f"{told}. Amounts are chips; a raise names what it raises to.",
    ]


def _cards(game: LimitPoker) -> list[str]:
    names = rank_names(game.ranks)
    text = f"Cards from low to high: {' '.join(names)}"
    spelled = {"T": "10", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}
    told = [f"{name} is {spelled[name]}" for name in names if name in spelled]
    lines = [text + "." if len(names) <= 3 else f"{text} ({', '.join(told)})."]
    if len(names) > 13:
        lines = [f"Cards from low to high: {names[0]} to {names[-1]}."]
    if game.suits > 1:
        lines.append(f"There are {game.suits} cards of each; players with equal ones share.")
    return lines


def _liars_dice(game: LiarsDice) -> list[str]:
    dice = "hidden dice" if game.dice != 1 else "a hidden die"
    return [
        f"Everyone rolls {dice} of {game.sides} sides. In turn, players bid on what all dice show "
        "together, each bid higher than the last, or say liar. Then the dice are shown: if the "
        "last bid holds, its bidder wins one from the player who doubted it, else pays one.",
        f"2x1 is the bid that at least two dice show a 1, where a {game.sides} counts as every "
        "face. A bid is higher if it names more dice, or as many of a higher face.",
    ]


def _goofspiel(game: Goofspiel) -> list[str]:
    order = {"random": "at random"}.get(game.prizes, f"in {game.prizes} order")
    pays = "most points win" if game.returns == "win_loss" else "points above the mean are paid"
    return [
        f"Everyone holds the cards 1 to {game.cards}. Prizes 1 to {game.cards} come {order}, and "
        "for each everyone bids a card, unseen. The highest bid takes the prize, and a tie "
        f"discards it; {pays}. The last card plays itself.",
        "The last of the prizes you see is the one to bid for; bids are your own, and "
        "'won by 2 -' says that player 2 took the first prize and nobody the second."
        if game.imperfect
        else "The last of the prizes you see is the one to bid for; bids 3:2 are those of "
        "players 1 and 2 in a round that is over.",
    ]


def _from_docstring(game: object) -> list[str]:
    """A game of the user's own explains itself as well as its author did."""
    told = ["The game is over when a result is shown; what it pays is added to your score."]
    if type(game).__module__.startswith("counterfold."):
        return told
    found = inspect.getdoc(type(game)) or ""
    text = found.partition(">>>")[0].replace("``", "").strip()
    return [" ".join(part.split()) for part in text.split("\n\n") if part] or told
