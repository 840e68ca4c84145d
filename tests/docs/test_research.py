"""Every paper has a verb and a README, which goes with the package."""

from importlib import import_module
from pathlib import Path

from counterfold.cli.verbs.research import BENCHMARKS, PAPERS

HERE = Path(__file__).parents[2]


def test_every_name_is_a_verb_in_a_folder_with_a_readme():
    for name, module in (PAPERS | BENCHMARKS).items():
        found = import_module(module)
        assert callable(found.VERBS[name])
        assert found.VERBS[name].__doc__
    for module in {*PAPERS.values(), "counterfold.research.bench.verb"}:
        folder = HERE.joinpath(*module.split(".")[:-1])
        text = (folder / "README.md").read_text()
        verb = "bench" if folder.name == "bench" else f"repro {folder.name.replace('_', '-')}"
        assert f"counterfold {verb}" in text


def test_every_folder_has_a_name():
    folders = {
        path.parent.name.replace("_", "-") for path in HERE.glob("counterfold/research/*/*.md")
    }
    assert folders == {*PAPERS, "bench"}


def test_the_readmes_are_data_of_the_package():
    assert '"research/**/*.md"' in (HERE / "pyproject.toml").read_text()
