"""The races of methods: what is counted, who wins, and how it is shown."""

import counterfold as cf
from counterfold.research.bench import kernels, methods
from counterfold.research.bench.methods import Race, Races


def raced(method: str, took: float | None, game: str = "kuhn") -> Race:
    return Race(
        game, method, True, {"0.001": 10, "1e-06": None if took is None else 100},
        {"0.001": 0.001, "1e-06": took}, 1e-7 if took else 1e-4, ((0.001, 1e-3), (0.1, 1e-7)),
    )  # fmt: skip


def shown(parts) -> str:
    return "\n".join("\n".join([part] if isinstance(part, str) else part.lines()) for part in parts)


def test_a_race_ends_at_the_finest_target():
    tree = cf.compile_game(cf.Kuhn())
    race = methods.race(tree, "sapcfr+", budget=5.0)
    assert race.exploitability <= 1e-6
    assert race.iterations["0.001"] <= race.iterations["1e-06"]
    solver = cf.Solver(tree, "sapcfr+")
    solver.step(race.iterations["1e-06"])
    assert solver.exploitability() == race.exploitability


def test_a_race_without_end_stops_at_its_budget():
    race = methods.race(cf.compile_game(cf.Leduc()), "cfr", budget=0.02)
    assert race.iterations["1e-06"] is None
    assert race.exploitability > 1e-6


def test_the_winner_has_the_least_geometric_mean():
    races = [
        raced("slow", 1.0), raced("fast", 0.01), raced("late", None),
        raced("slow", 1.0, "leduc"), raced("fast", 0.5, "leduc"), raced("late", 0.4, "leduc"),
    ]  # fmt: skip
    results = Races(races, 10.0)
    assert results.winner == "fast"
    text = shown(methods.show(results))
    assert "fast *" in text
    assert ">10 s" in text
    assert results.to_dict()["winner"] == "fast"
    assert methods.draw(results) is not None


def test_kernels_are_measured():
    cost = kernels.measure("kuhn", seconds=0.002, rounds=2)
    assert cost.histories == 58
    assert all(microseconds > 0 for microseconds in cost.microseconds.values())
    costs = kernels.Costs((cost,))
    assert "external" in shown(kernels.show(costs))
    assert kernels.draw(costs) is not None
    assert costs.to_dict()["costs"][0]["game"] == "kuhn"
