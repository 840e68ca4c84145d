"""A poker bot in twenty lines: it bluffs until it is called, and remembers who called."""

from counterfold import Agent


class Bluffer(Agent):
    def __init__(self, boldness=0.8):
        self.boldness = boldness
        self.called = 0
        self.hands = 0

    def act(self, observation, rng):
        actions = observation.actions  # ("check", "bet"), ("fold", "call", "raise"), ...
        daring = self.boldness / (1 + self.called / 20)
        if rng.random() < daring:
            return actions[-1]
        return actions[0] if observation.seen[0] == "J" else actions[len(actions) // 2]

    def learn(self, hand):  # only what it saw: its own choices, others' moves, the end
        self.hands += 1
        self.called += sum(move.action == "call" for move in hand.others)
