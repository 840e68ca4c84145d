"""What keeps the house readable: short functions, files that can be read at one sitting.

Ruff holds the number of parameters and branches (``pyproject.toml``).
"""

import ast
from pathlib import Path

import counterfold

HOUSE = Path(counterfold.__file__).parent
LINES_OF_A_FUNCTION, LINES_OF_A_FILE = 60, 500
LONGER = {"tree/walk.py read_rules"}  # one loop over the rules, for calls would cost too much


def sources():
    for path in sorted(HOUSE.rglob("*.py")):
        yield path.relative_to(HOUSE).as_posix(), path.read_text(encoding="utf-8")


def test_functions_are_short():
    longer = {
        f"{name} {node.name}"
        for name, text in sources()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= LINES_OF_A_FUNCTION
    }
    assert longer <= LONGER


def test_files_are_a_concept_each():
    larger = {name for name, text in sources() if text.count("\n") > LINES_OF_A_FILE}
    assert not larger
