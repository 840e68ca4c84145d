"""Every fenced example of the README and the docs runs, in order, in one folder a page.

``python`` fences are executed and share their names within a page. ``console`` fences are
commands after ``$``, run in this process: they must succeed, or end with the exit code that a
comment names (``# exit code 2``), and what the page shows under a command must be among what it
prints.
"""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import invoked

HERE = Path(__file__).parents[2]
PAGES = sorted(
    [
        HERE / "README.md",
        HERE / "CONTRIBUTING.md",
        *HERE.glob("docs/**/*.md"),
        *HERE.glob("counterfold/research/**/README.md"),
    ]
)
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def _run(command: str) -> tuple[int, str]:
    words = shlex.split(command, comments=True)
    assert words[0] == "counterfold", f"only our own commands are shown: {command}"
    answer = invoked(*words[1:])
    return answer.code, answer.out + answer.err


def _console(block: str) -> None:
    command, shown, status, printed = "", [], 0, ""
    for line in [*block.splitlines(), "$ "]:
        if not line.startswith("$ "):
            shown.append(line.strip())
            continue
        if command:
            expected = re.search(r"# exit code (\d+)", command)
            assert status == (int(expected[1]) if expected else 0), f"{command}\n{printed}"
            squeezed = " ".join(printed.split())
            for text in filter(None, shown):
                assert " ".join(text.split()) in squeezed, f"{command}\nlacks: {text}\n{printed}"
        command, shown = line[2:], []
        if command:
            status, printed = _run(command)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(HERE)))
def test_examples_of_the_page_run(page, tmp_path, monkeypatch):
    shutil.copytree(HERE / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__example__"}
    for kind, block in FENCE.findall(page.read_text()):
        if kind == "python":
            exec(compile(block, str(page), "exec"), names)
        elif kind == "console":
            _console(block)
        else:
            assert kind in ("text", "json", "bash"), f"{page}: a fence of kind {kind!r} is not run"


def test_there_are_examples():
    found = [kind for page in PAGES for kind, _ in FENCE.findall(page.read_text())]
    assert found.count("python") >= 8
    assert found.count("console") >= 8


def test_pages_link_to_what_exists():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
