"""What holds for every verb: help, versions, exit codes, pipes."""

import os
import subprocess
import sys

import pytest
import typer.main

from counterfold import __version__
from counterfold.cli import endings
from counterfold.cli.main import app
from tests.cli.conftest import environment

VERBS = sorted(typer.main.get_command(app).commands)
HEAVY = (
    "numpy",
    "numba",
    "scipy",
    "matplotlib",
    "rich.console",
    "safetensors",
    "counterfold.solvers",
)


def test_help_lists_every_verb(call):
    for arguments in ((), ("--help",), ("-h",)):
        answer = call(*arguments)
        assert answer.code == 0
        for verb in VERBS:
            assert f"\n  {verb} " in answer.out


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(call, verb):
    answer = call(verb, "--help")
    assert answer.code == 0
    assert f"Usage: counterfold {verb}" in answer.out
    assert "\\" not in answer.out


def test_help_names_all_methods_and_json_keys(call):
    from counterfold.solvers.methods import DEFAULT_METHOD, METHODS
    from counterfold.solvers.result import Result
    from counterfold.solvers.settings import TRAVERSALS

    words = " ".join(call("solve", "--help").out.replace("-\n", "-").split())
    words = words.replace("hs- pcfr+", "hs-pcfr+")
    for name in (*METHODS, "lp", *TRAVERSALS):
        assert name in words
    assert f"[{DEFAULT_METHOD}]" in words
    keys = words.partition("Keys of --json:")[2]
    for key in Result.__dataclass_fields__:
        assert key in keys or key in ("strategy", "poker")


def test_version(call):
    assert call("--version").out == f"counterfold {__version__}\n"


def loaded_by(*arguments):
    """The modules that a command imports."""
    code = (
        "import sys\n"
        "from counterfold.cli.main import app\n"
        f"try: app({list(arguments)})\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_help_imports_nothing_heavy():
    assert not loaded_by("solve", "--help") & set(HEAVY)


def test_a_match_without_tables_imports_no_engine_of_buckets():
    loaded = loaded_by(
        "match", "uniform", "seocfr-iw", "--game", "kuhn", "--hands", "10", "--quiet"
    )
    assert "counterfold.play.match" in loaded
    assert not {name for name in loaded if name.startswith("counterfold.abstraction")}


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["frobnicate"], "frobnicate"),
        (["solve", "kuhn", "--frobnicate"], "--frobnicate"),
        (["solve", "kuhn", "--seed", "many"], "many"),
        (["solve", "kuhn", "kuhn"], "kuhn"),
        (["show"], "FILE|GAME"),
        (["bench", "frobnicate"], "frobnicate"),
        (["bench", "methods", "--budget", "nan"], "budget"),
        (["bench", "methods", "--plot", "picture.gif"], ".png"),
        (["bench", "methods", "--out", "no/such/folder.json"], "no/such"),
    ],
)
def test_wrong_words_are_refused(call, arguments, word):
    assert call(*arguments).refused(word)


def test_bench_hands_everything_on(call, monkeypatch):
    heard = {}

    def hear(name, job, request, **options):
        told = {option: getattr(request, option) for option in ("json", "plot", "out")}
        heard.update(options, what=name, **told)

    monkeypatch.setattr("counterfold.research.bench.verb.run_job", hear)
    answer = call(
        "bench", "peers", "--json", "--budget", 2, "--game", "kuhn", "--game", "leduc",
        "--plot", "p.png", "--out", "o.json",
    )  # fmt: skip
    assert answer.code == 0
    assert heard == {
        "what": "bench peers",
        "json": True,
        "plot": "p.png",
        "budget": 2.0,
        "games": ("kuhn", "leduc"),
        "out": "o.json",
    }


def test_no_memory_is_a_sentence(call, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr("counterfold.cli.solve.run", fail)
    assert call("solve", "kuhn").refused("memory")


def test_what_should_not_happen_is_a_sentence_too(call, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("wheels within wheels")

    monkeypatch.setattr("counterfold.cli.solve.run", fail)
    answer = call("solve", "kuhn")
    assert answer.code == 1
    assert "wheels within wheels" in answer.err
    assert "COUNTERFOLD_TRACEBACK=1" in answer.err
    assert answer.err.count("\n") == 1


def test_ctrl_c_anywhere_is_a_sentence(call, monkeypatch):
    def fail(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("counterfold.cli.solve.run", fail)
    answer = call("solve", "kuhn")
    assert (answer.code, answer.out) == (130, "")
    assert answer.err == "counterfold: stopped; nothing was saved\n"


def test_a_closed_pipe_ends_quietly(start):
    there, here = os.pipe()
    os.close(there)
    process = start("games", stdout=here)
    os.close(here)
    _, err = process.communicate(timeout=60)
    assert err == ""
    assert process.returncode == endings.CLOSED_PIPE


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_a_sentence(start):
    with open("/dev/full", "w") as full:
        process = start("games", stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.count("\n") == 1
    assert "No space left" in err


def test_output_in_an_old_encoding(shell):
    answer = shell("games", "kuhn", env={"PYTHONIOENCODING": "ascii"})
    assert answer.code == 0
    assert "58" in answer.out


def test_the_console_script():
    script = os.path.join(os.path.dirname(sys.executable), "counterfold")
    if not os.path.exists(script):
        pytest.skip("not installed")
    done = subprocess.run(
        [script, "--version"], capture_output=True, text=True, env=environment(), check=True
    )
    assert done.stdout == f"counterfold {__version__}\n"


def test_an_end_of_file_is_no_wish_to_stop(call, tmp_path, monkeypatch):
    """Typer makes a silent end of EOFError: `stopped`, exit code 130, whoever raised it."""
    (tmp_path / "bad.py").write_text(
        "from counterfold import Kuhn\n"
        "class Game(Kuhn):\n"
        "    def root(self):\n"
        "        raise EOFError\n"
    )
    assert call("solve", "bad.py:Game").refused("root fails with EOFError")

    def fail(*_, **__):
        raise EOFError

    monkeypatch.setattr("counterfold.cli.solve.run", fail)
    answer = call("solve", "kuhn")
    assert answer.code == 1
    assert "EOFError" in answer.err
    assert "stopped" not in answer.err


def test_why_compiled_code_is_not_kept_is_told_once(call, monkeypatch):
    from counterfold.kernels import cache

    monkeypatch.setattr(cache, "_trouble", "compiled code is not kept (somebody else's)")
    answer = call("solve", "kuhn", "--quiet")
    assert answer.code == 0
    assert answer.err == "counterfold: compiled code is not kept (somebody else's)\n"
