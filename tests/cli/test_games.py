"""``counterfold games``."""

import pytest

from counterfold.games.catalog import games
from tests.written import game_of_two


def test_all_named_games_are_listed(call):
    answer = call("games")
    assert answer.code == 0
    for entry in games():
        assert entry.name in answer.out
        assert entry.example in answer.out
    assert "mygame.py:MyGame" in answer.out


def test_json_is_one_document(call):
    document = call("games", "--json").document
    by_name = {game["name"]: game for game in document["games"]}
    assert by_name["kuhn"]["parameters"] == {"players": 2}
    assert by_name["leduc:ses"]["preset"] == {"raises": [1, 2]}
    assert by_name["goofspiel"]["parameters"]["prizes"] == "descending"


@pytest.mark.parametrize(
    ("spec", "players", "counts", "kind"),
    [
        ("kuhn", 2, (58, 30, 12), "zero-sum"),
        ("kuhn(players=3)", 3, (617, 312, 48), "zero-sum"),
        ("leduc", 2, (9457, 5520, 288), "zero-sum"),
        ("rps:general", 2, None, "general-sum"),
    ],
)
def test_one_game(call, spec, players, counts, kind):
    document = call("games", spec, "--json").document
    assert document["players"] == players
    assert document["kind"] == kind
    if counts:
        assert tuple(document[k] for k in ("histories", "terminals", "infosets")) == counts
    words = call("games", spec)
    assert words.code == 0
    assert f"{document['histories']:,}" in words.out
    assert kind in words.out


def test_a_large_game_is_not_counted_for_ever(call, monkeypatch):
    monkeypatch.setattr("counterfold.cli.games.PATIENCE", 0.0)
    answer = call("games", "leduc(ranks=4)")
    assert answer.code == 0
    assert "about 2" in answer.out  # 26,049 histories
    assert "--dry-run" in answer.out
    document = call("games", "leduc(ranks=4)", "--json").document
    assert document["histories"] is None
    assert not document["counted"]
    assert 15_000 < document["about_histories"] < 35_000


def test_a_game_of_ones_own(call, tmp_path):
    (tmp_path / "mine.py").write_text(PENNIES)
    assert call("games", "mine.py:Pennies", "--json").document["infosets"] == 2


def test_unknown_games_are_refused(call):
    assert call("games", "khun").refused("khun", "kuhn")
    assert call("games", "leduc(rank=3)").refused("rank")
    assert call("games", "nofile.py:Game").refused("nofile.py")


PENNIES = game_of_two(
    "Pennies",
    '["heads", "tails"]',
    '"my penny"',
    "(1.0, -1.0) if state[0] == state[1] else (-1.0, 1.0)",
    base="",
)
"""The seven methods, and no class that they come from."""
