"""The benchmark of Cheat: what is measured, and how it is shown."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from counterfold.errors import ParameterError
from counterfold.research.bench import cheat
from counterfold.research.cheat.published import PAPER


def test_every_agent_is_measured_beside_the_published_seconds() -> None:
    told: list[str] = []
    costs = cheat.run(["cheat:mini(health=3)"], on_progress=told.append)
    assert len(costs) == len(told) == 6
    both = {cost.way: cost for cost in costs if cost.view == "hp"}
    assert both[cheat.EVERY].infosets == 1342
    assert both[cheat.SAMPLED].infosets <= 1342
    for cost in costs:
        assert cost.paper_seconds == PAPER[1][cost.view].seconds[0]
        assert cost.seconds > 0
        assert cost.faster == pytest.approx(cost.paper_seconds / cost.seconds)
    console = Console(width=200, file=StringIO())
    console.print(cheat.table(costs))
    shown = console.file.getvalue()
    assert "History-Aware" in shown
    assert "every deal" in shown
    assert len(cheat.to_json(costs)["costs"]) == 6
    assert cheat.plot(costs) is not None


def test_other_games_have_no_published_seconds() -> None:
    for spec in ("kuhn", "cheat:mini(health=2)"):
        with pytest.raises(ParameterError, match="paper's seconds"):
            cheat.run([spec])
