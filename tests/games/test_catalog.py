"""Loading games by name: the table, presets, files, and a user's own classes."""

import subprocess
import sys

import pytest

from counterfold.errors import FileError, ParameterError, RulesError, SpecError
from counterfold.games.catalog import games, load
from counterfold.games.goofspiel import Goofspiel
from counterfold.games.leduc import Leduc
from counterfold.games.liars_dice import LiarsDice
from counterfold.games.normal_form import NormalForm, rock_paper_scissors
from counterfold.games.onecard import Kuhn, OneCard
from tests.naive_counts import counts

COIN = """
from dataclasses import dataclass
import helper_of_coin

TERMINAL = -2

@dataclass(frozen=True)
class Coin:
    stake: float = 1.0

    def __post_init__(self):
        if self.stake < 0:
            raise ValueError("a stake below zero\\nand more")

    def root(self): return ()
    def turn(self, state): return len(state) if len(state) < 2 else TERMINAL
    def chance(self, state): raise NotImplementedError
    def actions(self, state): return helper_of_coin.SIDES
    def next(self, state, action): return (*state, action)
    def observe(self, state, player): return ()
    def payoff(self, state):
        won = self.stake if state[0] == state[1] else -self.stake
        return won, -won

class Half:
    def root(self): return ()
    def turn(self, state): return TERMINAL

class Slots(Coin):
    __slots__ = ()
"""


@pytest.fixture
def coin(tmp_path):
    (tmp_path / "helper_of_coin.py").write_text("SIDES = ('heads', 'tails')\n")
    path = tmp_path / "coin.py"
    path.write_text(COIN)
    return path


@pytest.mark.parametrize(
    ("spec", "game"),
    [
        ("kuhn", Kuhn()),
        ("kuhn(3)", Kuhn(3)),
        (" kuhn(players=3) ", Kuhn(3)),
        ("one_card(ranks=13)", OneCard()),
        ("leduc", Leduc()),
        ("leduc(raises=1+2)", Leduc(raises=(1, 2))),
        ("leduc:ses", Leduc(raises=(1, 2))),
        ("leduc:ses(ranks=4)", Leduc(ranks=4, raises=(1, 2))),
        ("liars_dice(dice=1+2,sides=3)", LiarsDice(dice=(1, 2), sides=3)),
        ("goofspiel(cards=5,prizes=random)", Goofspiel(cards=5, prizes="random")),
        ("rps", rock_paper_scissors()),
    ],
)
def test_load(spec, game):
    loaded = load(spec)
    assert loaded == game
    assert load(str(loaded)) == game
    assert type(loaded) is type(game)


def test_every_entry_says_what_it_is():
    names = [entry.name for entry in games()]
    assert len(set(names)) == len(names)
    assert {"kuhn", "leduc", "leduc:ses", "rps", "rps:general", "matching_pennies"} <= set(names)
    for entry in games():
        assert entry.summary
        assert entry.cls.__doc__
        if entry.name != "normal_form":
            assert isinstance(load(entry.name), entry.cls)
            assert isinstance(load(entry.example), entry.cls)
            assert load(f"{entry.name}({entry.parameters})") == load(entry.name)
            assert load(str(load(entry.example))) == load(entry.example)


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("leduk", "did you mean leduc"),
        ("Kuhn", "did you mean kuhn"),
        ("xyzzy", "`counterfold games`"),
        ("kuhn(cards=3)", "'cards'; it has players"),
        ("rps(x=1)", "it takes none"),
        ("rps(1)", "no parameters"),
        ("kuhn(2,3)", "1 parameters at most: players"),
        ("kuhn(2,players=3)", "both by place and by name"),
        ("kuhn(players=2", "never closed"),
        ("normal_form", "from a file"),
        ("normal_form(2x2)", "from a file"),
        ("game.py", "game.py:MyGame"),
        ("", "name is needed"),
        (3, "named by text"),
    ],
)
def test_wrong_names(spec, word):
    with pytest.raises(SpecError, match=word) as told:
        load(spec)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "spec",
    [
        "one_card(ranks=0)",
        "one_card(ante=-1)",
        "one_card(ante=nan)",
        "kuhn(players=1)",
        "kuhn(players=two)",
        "leduc(ranks=1)",
        "goofspiel(prizes=3)",
        "liars_dice(sides=1/2)",
    ],
)
def test_wrong_values(spec):
    with pytest.raises(ParameterError):
        load(spec)


def test_files_of_other_kinds(tmp_path):
    path = tmp_path / "game.txt"
    path.write_text("l r\nu 1 2\n")
    assert isinstance(load(str(path)), NormalForm)
    assert str(load(str(path))) == str(path)
    for name in ("no.txt", "no.json", "no.efg", "no.py:Game"):
        with pytest.raises(FileError, match=r"no such file|No such file"):
            load(str(tmp_path / name))


def test_openspiel():
    assert counts(load("openspiel:kuhn_poker")) == counts(Kuhn())


def test_efg(tmp_path):
    path = tmp_path / "game.efg"
    path.write_text(
        'EFG 2 R "" { "A" } p "" 1 1 "" { "up" "down" } 0 t "" 1 "" { 1 } t "" 2 "" { 2 }'
    )
    assert counts(load(str(path))).terminals == 2


def test_a_users_class(coin, monkeypatch):
    game = load(f"{coin}:Coin(stake=3)")
    assert game.payoff(("heads", "tails")) == (-3, 3)
    assert str(getattr(game, "spec", "")) == f"{coin}:Coin(stake=3)"
    assert game.players == 2
    assert counts(game).infosets == (1, 1)
    assert str(coin.parent) not in sys.path
    monkeypatch.chdir(coin.parent)
    assert load("coin.py:Coin").spec == "coin.py:Coin"
    assert load("coin.py:Coin").stake == 1.0


def test_a_changed_file_is_read_again(coin):
    load(f"{coin}:Coin")
    coin.write_text(COIN.replace("class Coin", "class Penny").replace("(Coin)", "(Penny)"))
    assert load(f"{coin}:Penny").root() == ()


@pytest.mark.parametrize(
    ("rest", "error", "word"),
    [
        ("Dice", SpecError, "no class 'Dice'; it has Coin, Half, Slots"),
        ("TERMINAL", SpecError, "no class"),
        ("", SpecError, "needs a class"),
        ("Half", RulesError, r"lacks the method chance\(\)"),
        ("Coin(stake=-1)", ParameterError, "ValueError: a stake below zero$"),
        ("Coin(odds=2)", ParameterError, "odds"),
        ("Coin(1,2,3)", ParameterError, "TypeError"),
        ("Coin(", SpecError, "never closed"),
    ],
)
def test_what_can_be_wrong_with_a_users_class(coin, rest, error, word):
    with pytest.raises(error, match=word) as told:
        load(f"{coin}:{rest}")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("x = 1\nclass Game(:\n", "line 2: importing it failed, SyntaxError"),
        ("import no_such_module_anywhere\n", "line 1: .*ModuleNotFoundError"),
        ("def f():\n    return 1 / 0\n\nf()\n", "line 2: .*ZeroDivisionError"),
        ("raise SystemExit(3)\n", "SystemExit: 3"),
        ("", "no class at all"),
    ],
)
def test_what_can_be_wrong_with_a_users_file(tmp_path, monkeypatch, content, word):
    monkeypatch.delitem(sys.modules, "counterfold_user_mine", raising=False)
    path = tmp_path / "mine.py"
    path.write_text(content)
    with pytest.raises((FileError, SpecError), match=word) as told:
        load(f"{path}:Game")
    assert "\n" not in str(told.value)
    assert "counterfold_user_mine" not in sys.modules or not content


def test_subclasses_of_game_need_their_own_methods(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "from counterfold.games.base import Game\n"
        "class Mine(Game):\n"
        "    def root(self): return 0\n"
        "    def turn(self, state): return -2\n"
    )
    with pytest.raises(RulesError, match=r"lacks the method actions\(\)"):
        load(f"{path}:Mine")


def test_a_class_that_cannot_carry_its_name(tmp_path):
    path = tmp_path / "mine.py"
    methods = "\n".join(
        f"    def {name}(self, *given): return 0"
        for name in ("root", "turn", "chance", "actions", "next", "observe", "payoff")
    )
    path.write_text(f"class Mine:\n    __slots__ = ()\n{methods}\n")
    with pytest.raises(RulesError, match="'spec'"):
        load(f"{path}:Mine")


def test_the_catalog_is_light_to_import():
    code = (
        "import sys, counterfold.games.catalog as c; c.games(); c.load('leduc'); c.load('rps');"
        "print([m for m in ('numba', 'scipy', 'pyspiel') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
