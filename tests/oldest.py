"""Prints the oldest versions that pyproject.toml allows, of what is needed and what tests use."""

import re
import sys
import tomllib
from pathlib import Path

EXTRAS = ("plot", "openspiel", "studio", "test")

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
for line in [*project["dependencies"], *(line for name in EXTRAS for line in extras[name])]:
    found = re.fullmatch(r"([\w.-]+)>=([\d.]+)(?:,<[\d.]+)?", line)
    if found is None:
        sys.exit(f"pyproject.toml: {line} has no lower bound")
    print(f"{found[1]}=={found[2]}")
