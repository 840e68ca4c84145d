"""The grids of a node: what they show is what the node says, wherever they are shown."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest
from rich.text import Text

from counterfold.cli import grid, grid_png, output
from counterfold.cli.grid_html import page, write_page
from counterfold.errors import ParameterError
from counterfold.poker import grid_colours
from counterfold.poker.cards import HOLES
from counterfold.poker.grid_colours import (
    EMPTY,
    MODES,
    action_colours,
    action_keys,
    filled,
    heat,
    mode_of,
)
from counterfold.poker.view import CLASSES, NodeView
from tests.poker.test_view import other_side, river, vars_of

HOSTILE = "<!--</script ><script>alert('x')</script>&\"@DATA@"


@pytest.fixture(scope="module")
def first() -> NodeView:
    return river()[()]


@pytest.fixture(scope="module")
def answer() -> NodeView:
    return river()["bet 66",]


def cells(lines: list[str]) -> dict[str, str]:
    """The cells of a plain grid by class."""
    top = next(k for k, line in enumerate(lines) if re.fullmatch(r" +A +K +Q .* 2", line))
    found = {}
    for row in range(13):
        line = lines[top + 1 + row].ljust(80)
        assert line[0] == "AKQJT98765432"[row]
        for column in range(13):
            found[CLASSES[13 * row + column]] = line[2 + 6 * column : 7 + 6 * column]
    return found


# In letters.


def test_letters_name_the_action_taken_most(first):
    lines = list(grid.plain_grid(first))
    assert max(map(len, lines)) <= 80
    found, keys = cells(lines), action_keys(first.actions)
    assert keys == ("X", "B1", "B2", "A")
    for k, name in enumerate(CLASSES):
        mix = first.classes.mix[:, k]
        if not first.classes.combos[k]:
            assert found[name].strip() == "."
            continue
        key, _, part = found[name].strip().partition(" ")
        assert key == keys[int(mix.argmax())]
        assert part.strip() == ("" if mix.max() >= 0.995 else f"{100 * mix.max():.0f}")
    assert lines[2] == "Board  Ks 9h 6s 4d 2c"
    check = first.totals.frequencies["check"]
    assert f"X  check  {100 * check:.1f}%" in lines


@pytest.mark.parametrize("mode", ["ev", "equity", "weight", "call"])
def test_numbers_of_every_mode(answer, mode):
    lines = list(grid.plain_grid(answer, mode))
    assert max(map(len, lines)) <= 80
    classes, found = answer.classes, cells(lines)
    values = {"ev": classes.ev, "equity": classes.equity, "weight": classes.weight}
    wanted = values.get(mode, classes.mix[1])
    for k, name in enumerate(CLASSES):
        if classes.combos[k]:
            unit = 1 if mode == "ev" else 100
            assert float(found[name]) == pytest.approx(unit * wanted[k], abs=0.5001)
        else:
            assert found[name].strip() == "."


def test_hands_one_by_one(answer):
    lines = list(grid.plain_hands(answer, "K9s"))
    assert lines[0].split("  ")[0] == "hand"
    assert [line.split()[0] for line in lines[1:]] == ["Kd9d", "Kc9c"]
    hand = answer.hands("Kd9d")[0]
    numbers = [float(x.rstrip("%")) for x in lines[1].split()[1:]]
    wanted = [100 * hand.weight, *(100 * p for p in hand.mix), hand.ev, 100 * hand.equity]
    assert numbers == pytest.approx(wanted, abs=0.06)


def test_what_cannot_be_shown_is_refused(first):
    end = river()["bet 66", "call"]
    assert mode_of(end, None) == "equity"
    assert mode_of(first, None) == "strategy"
    assert mode_of(first, "bet 150") == 2
    with pytest.raises(ParameterError, match="nobody decides here"):
        mode_of(end, "strategy")
    with pytest.raises(ParameterError, match=r"choose one of strategy, ev, .*, check, bet 66"):
        mode_of(first, "bet 67")


def test_a_node_that_nobody_reaches(first, tmp_path):
    empty = NodeView(**{**vars_of(first), "weight": np.zeros(HOLES)})
    for mode in (*MODES, "check"):
        assert set(cells(list(grid.plain_grid(empty, mode))).values()) == {"    ."}
        assert grid.painted_grid(empty, mode)
    grid_png.draw_grid(empty, tmp_path / "empty.svg")
    assert "no hand gets here" in "".join(grid.plain_grid(empty))
    assert "No hand gets here" in page({(): empty})


def test_a_class_with_next_to_nothing_is_not_shown(first):
    weight = first.weight.copy()
    aces = np.array([hand.hole for hand in first.hands("AA")])
    weight[aces] = 1e-6
    view = NodeView(**{**vars_of(first), "weight": weight})
    assert view.classes.combos[0] > 0
    assert filled(view)[0] == 0
    assert heat(view, "ev").texts[0] == ""
    assert cells(list(grid.plain_grid(view)))["AA"].strip() == "."


# In colours.


def spread(text: Text) -> dict[str, float]:
    """How many columns each colour takes, eighths of a column counted."""
    found: dict[str, float] = {}
    for span in text.spans:
        style = str(span.style).removeprefix("bold ")
        for letter in text.plain[span.start : span.end]:
            front, _, back = style.rpartition("on ")
            part = grid.EIGHTHS.index(letter) / 8 if letter in grid.EIGHTHS else 0.0
            found[back] = found.get(back, 0) + 1 - part
            if part:
                found[front.strip()] = found.get(front.strip(), 0) + part
    return found


def test_a_bar_is_split_to_an_eighth():
    bar = grid._bar([0.25, 0.3, 0.45], ["#111111", "#222222", "#333333"], 10)
    assert bar.plain == "  ▌  ▌    "
    assert spread(bar) == {"#111111": 2.5, "#222222": 3.0, "#333333": 4.5}
    rng = np.random.default_rng(3)
    for _ in range(200):
        mix = rng.dirichlet([0.5] * 3)
        found = spread(grid._bar(mix.tolist(), ["#111111", "#222222", "#333333"], 10))
        assert sum(found.values()) == pytest.approx(10)
        # Two borders within one column leave the part between them out.
        assert found.get("#111111", 0) == pytest.approx(10 * mix[0], abs=0.14)


@pytest.mark.parametrize("width", [52, 80, 100, 200])
@pytest.mark.parametrize("mode", [None, "ev", "bet 150"])
def test_the_grid_fits_its_width(first, width, mode):
    lines = grid.painted_grid(first, mode, width, 50)
    own = lines[7:]
    assert max(line.cell_len for line in own) <= width
    text = "\n".join(line.plain for line in own)
    assert all(name in text for name in CLASSES)


def test_cells_have_the_colours_of_their_actions(first):
    lines = grid.painted_grid(first, None, 130, 50)
    colours = dict(zip(action_colours(first.actions), range(4), strict=True))
    for name in ("AA", "A8s", "22"):
        k = CLASSES.index(name)
        row, column = divmod(k, 13)
        second = lines[7 + 2 * row + 1][10 * column : 10 * column + 9]
        found = spread(second)
        for colour, number in colours.items():
            wanted = 9 * first.classes.mix[number, k]
            assert found.get(colour, 0) == pytest.approx(wanted, abs=0.3)
    # Where the range holds half of a class, its colours are nearer to those of none.
    jto = CLASSES.index("JTo")
    cell = lines[7 + 2 * (jto // 13)][10 * (jto % 13) : 10 * (jto % 13) + 9]
    assert not set(spread(cell)) & set(colours)
    assert EMPTY not in spread(cell)


def test_a_low_terminal_gets_cells_of_one_line(first):
    assert len(grid.painted_grid(first, None, 80, 24)) == len(grid.painted_grid(first)) - 13


def test_hands_have_signs_of_suits(answer):
    lines = grid.painted_hands(answer, "A9o")
    assert lines[1].plain.startswith("A♠9♦")
    rows = {tuple(line.split()[1:]) for line in list(grid.plain_hands(answer, "A9o"))[1:]}
    assert 1 < len(lines) == 1 + len(rows) < 1 + 9  # hands that are alike stand in one row
    told = "".join(line.plain.split("  ")[0] for line in lines[1:])
    assert told.count("9") + sum(map(int, re.findall(r"\+(\d+)", told))) == 9


def test_hands_fit_a_narrow_terminal(answer):
    worth = np.arange(HOLES) * np.ones((len(answer.actions), 1))
    view = dataclasses.replace(answer, evs=worth)
    wide = grid.painted_hands(view, "A9o")
    narrow = grid.painted_hands(view, "A9o", max(map(len, wide)) - 13)
    assert max(map(len, narrow)) < max(map(len, wide)) - 12
    assert len(narrow) == 2 * len(wide)
    for k, line in enumerate(wide[1:], 1):
        words, below = line.plain[:-12].split(), narrow[len(wide) + k].plain.split()
        assert below == [words[0], *words[-len(worth) :]]
        assert narrow[k].plain.split()[: len(words) - len(worth)] == words[: -len(worth)]


def test_a_pipe_gets_letters_and_a_terminal_colours(first, capfd, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    grid.print_grid(first)
    plain = capfd.readouterr().out
    assert "\x1b" not in plain
    assert "Ks 9h" in plain
    monkeypatch.setattr(output, "on_terminal", lambda stream: True)
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((80, 50)))
    for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm"), ("COLORTERM", "truecolor")):
        monkeypatch.setenv(name, value)
    grid.print_grid(first)
    grid.print_hands(first, "AA")
    painted = capfd.readouterr().out
    assert "\x1b[" in painted
    assert "K♠" in painted
    monkeypatch.setenv("NO_COLOR", "1")
    grid.print_grid(first)
    assert capfd.readouterr().out == plain
    grid.print_hands(first, "AA")
    assert "\x1b" not in capfd.readouterr().out


# As a picture.


def test_the_picture_has_the_areas_of_the_actions(first, tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(grid_png, "save", lambda figure, path: made.append(figure))
    grid_png.draw_grid(first, tmp_path / "grid.png")
    from matplotlib.colors import to_hex

    area: dict[str, float] = {}
    ends = set()
    for patch in made[0].axes[1].patches:
        left, right = patch.get_x(), patch.get_x() + patch.get_width()
        assert int(left) + grid_png.GAP <= left <= right < int(left) + 1
        ends.add((round(patch.get_y(), 6), round(right, 6)))
        assert left == pytest.approx(int(left) + grid_png.GAP) or (
            (round(patch.get_y(), 6), round(left, 6)) in ends  # where its neighbour ends
        )
        colour = to_hex(patch.get_facecolor())
        area[colour] = area.get(colour, 0) + patch.get_width() * patch.get_height()
    whole = (1 - 2 * grid_png.GAP) ** 2
    for number, colour in enumerate(action_colours(first.actions)):
        wanted = np.nansum(filled(first) * first.classes.mix[number]) * whole
        assert area[colour] == pytest.approx(wanted)
    bars = [p for p in made[0].axes[2].patches if p.get_y() < 0.1]
    shares = [bar.get_width() for bar in bars]
    assert shares == pytest.approx(list(first.totals.frequencies.values()))


def test_pictures_are_written(answer, tmp_path):
    grid_png.draw_grid(answer, tmp_path / "grid.png", "ev")
    data = (tmp_path / "grid.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    with pytest.raises(ParameterError, match="a picture ends in"):
        grid_png.draw_grid(answer, tmp_path / "grid.doc")


# As a page.


class Reader(HTMLParser):
    """Tags, and the texts of scripts and titles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.open = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open = tag
        self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        self.open = ""

    def handle_data(self, data):
        if self.open:
            self.texts[self.open][-1] += data

    @property
    def document(self):
        return json.loads(self.texts["script"][0])


def test_the_page_needs_nothing_else(first):
    read = Reader(page(river()))
    for _, attributes in read.tags:
        assert not {"src", "href", "action"} & set(attributes)
    assert "url(" not in read.texts["style"][0]
    assert "http" not in page(river()).replace("http-equiv", "")
    assert len(read.texts["script"]) == 2


def test_the_page_has_the_numbers_of_the_node(answer):
    view = Reader(page({(): answer})).document["nodes"][0]["views"][0]
    assert view["frequencies"] == pytest.approx(
        [1000 * f for f in answer.totals.frequencies.values()], abs=0.5
    )
    hands = view["hands"]
    assert len(hands["weight"]) == np.count_nonzero(answer.weight)
    for k in np.flatnonzero(answer.classes.combos):
        for at in range(hands["begin"][k], hands["begin"][k + 1]):
            name = hands["names"][4 * at : 4 * at + 4]
            hand = answer.hands(name)[0]
            assert name in {h.name for h in answer.in_class(int(k))}
            assert hands["equity"][at] == pytest.approx(1000 * hand.equity, abs=0.5)
            assert hands["ev"][at] == pytest.approx(hand.ev, rel=5e-4)
            assert [row[at] for row in hands["mix"]] == pytest.approx(
                [1000 * p for p in hand.mix], abs=0.5
            )
    cells = view["cells"]
    there = np.flatnonzero(answer.classes.combos)
    assert [cells["ev"][k] for k in there] == pytest.approx(answer.classes.ev[there], rel=5e-4)
    assert cells["ev"][0] is None
    small = page({(): answer}, hands=False)
    assert "hands" not in Reader(small).document["nodes"][0]["views"][0]


def test_nodes_make_a_tree(first, answer):
    nodes = {
        ("bet 66", "call", "[Ah]"): answer,
        ("bet 66",): (answer, other_side(answer)),
        (): first,
        ("check",): answer,
    }
    told = Reader(page(nodes)).document["nodes"]
    assert [node["label"] for node in told] == ["start", "bet 66", "call [Ah]", "check"]
    assert [node["parent"] for node in told] == [-1, 0, 1, 0]
    assert [node["depth"] for node in told] == [0, 1, 2, 1]
    assert told[0]["next"] == {"bet 66": 1, "check": 3}
    assert [view["player"] for view in told[1]["views"]] == ["ip", "oop"]
    with pytest.raises(ParameterError, match="one node at least"):
        page({})


def test_names_cannot_break_the_page(first, tmp_path):
    odd = NodeView(
        **{
            **vars_of(first),
            "game": HOSTILE,
            "player": HOSTILE,
            "line": (HOSTILE,),
            "note": HOSTILE,
            "actions": ("check", "bet 66", "bet 150", HOSTILE),
        }
    )
    write_page({(HOSTILE,): odd}, tmp_path / "page.html", HOSTILE)
    text = (tmp_path / "page.html").read_text()
    read, usual = Reader(text), Reader(page({(): first}))
    assert [tag for tag, _ in read.tags] == [tag for tag, _ in usual.tags]
    assert read.texts["title"] == [HOSTILE]
    assert not set("<>&") & set(text.split('id="data">')[1].partition("</script>")[0])
    assert read.document["nodes"][0]["label"] == HOSTILE
    assert read.texts["script"][1] == usual.texts["script"][1]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_script_of_the_page_is_well_formed(first, tmp_path):
    script = tmp_path / "page.js"
    script.write_text(Reader(page({(): first})).texts["script"][1])
    assert subprocess.run(["node", "--check", str(script)], check=False).returncode == 0


@pytest.mark.parametrize(
    "share", [0.0, 0.0045, 0.12345, 0.485, 0.4946, 0.58499, 0.99499, 0.995, 1.0]
)
def test_a_page_rounds_as_the_terminal_and_pictures_do(share):
    """The page's own rule, in Python: whole percent and tenths from what it keeps of a share."""
    steps = round(100 * grid_colours.thousandths(share))
    assert grid_colours.percent(share) == f"{(steps + 50) // 100 / 10:.1f}%"
    assert grid_colours.whole_percent(share) == str((steps + 500) // 1000)
    assert abs(float(grid_colours.whole_percent(share)) - 100 * share) <= 0.5 + 1e-3
    assert grid_colours.is_pure(share) == (steps >= 99_500)
