"""The cache of compiled kernels: whose it is, and that nothing damaged is ever loaded."""

import importlib
import inspect
import os
import shutil
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from counterfold.kernels import cache
from counterfold.kernels.jit import jit

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no owners here")

CODE = """
import sys
import textwrap
from counterfold.kernels import cache
from counterfold.kernels.jit import jit

{functions}
hits = 0
for name in sys.argv[1:]:
    double = jit(globals()[name])
    assert double(3) == 6
    hits += len(double.stats.cache_hits)
print(hits, cache.trouble() or "")
"""
FUNCTION = "def {}(x):\n    return 2 * x\n\n"


@pytest.fixture
def own(tmp_path):
    """Functions that are used in a process of its own: how many were found, and the trouble."""
    file = tmp_path / "own.py"
    functions = "".join(map(FUNCTION.format, ["double", *DAMAGES]))
    file.write_text(CODE.format(functions=functions))

    def run(*names, **env):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "XDG_CACHE"))}
        kept |= {"COUNTERFOLD_CACHE": str(tmp_path), "PYTHONPATH": str(Path.cwd())}
        done = subprocess.run(
            [sys.executable, str(file), *(names or ["double"])], env=kept | env,
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        hits, _, trouble = done.stdout.rstrip("\n").partition(" ")
        return int(hits), trouble

    return run


def cut(file):
    file.write_bytes(file.read_bytes()[:-7])


def flip(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)


def foreign(file):
    """A pickle that would run, were it unpickled."""
    file.write_bytes(b"\0" * 32 + b"cos\n_exit\n(I7\ntR.")


def folder(file):
    file.unlink()
    (file / "in its place").mkdir(parents=True)


DAMAGES = {
    "empty": lambda file: file.write_bytes(b""),
    "cut": cut,
    "flipped": flip,
    "foreign": foreign,
    "folder": folder,
    "dangling": lambda file: (file.unlink(), file.symlink_to("nowhere")),
}


def test_code_is_kept_and_what_is_damaged_is_compiled_again(own, tmp_path):
    assert own(*DAMAGES) == (0, "")
    assert own(*DAMAGES) == (len(DAMAGES), "")
    for name, damage in DAMAGES.items():
        (file,) = tmp_path.glob(f"counterfold/*/*.{name}-*.nbc")
        for one in (file.parent, file.parent.parent):
            assert stat.S_IMODE(one.stat().st_mode) == 0o700
        assert not stat.S_IMODE(file.stat().st_mode) & 0o077
        damage(file)
    assert own(*DAMAGES) == (0, "")
    assert own(*DAMAGES) == (len(DAMAGES), "")


def test_many_processes_fill_one_folder(own, tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(3) as pool:
        assert {trouble for _, trouble in pool.map(lambda _: own(), range(3))} == {""}
    assert own() == (1, "")
    assert len(list(tmp_path.glob("counterfold/*/*"))) == 1


def test_a_lax_folder_of_ones_own_is_tightened_and_old_versions_go(found, tmp_path):
    old, young, other = (tmp_path / "counterfold" / name for name in ("0" * 12, "1" * 12, "mine"))
    long_ago = time.time() - 40 * 86_400
    for one in (old, young, other):
        one.mkdir(parents=True)
    for one in (old, other):
        os.utime(one, (long_ago, long_ago))
    (tmp_path / "counterfold").chmod(0o777)
    folder, why = found(tmp_path)
    assert why is None
    assert folder.parent == tmp_path / "counterfold"
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert [one.exists() for one in (old, young, other)] == [False, True, True]


@pytest.fixture
def found(monkeypatch):
    def find(base):
        monkeypatch.setenv("COUNTERFOLD_CACHE", str(base))
        return cache._found()

    return find


def test_a_way_that_others_can_change_is_refused(found, tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "_is_alone_in", lambda group: False)
    open_to_all = tmp_path / "open"
    (open_to_all / "mine").mkdir(parents=True)
    for mode in (0o777, 0o775):
        open_to_all.chmod(mode)
        for base in (open_to_all, open_to_all / "mine"):
            folder, why = found(base)
            assert folder is None
            assert "can be written to by others" in why
            assert "COUNTERFOLD_CACHE" in why
            assert not list((open_to_all / "mine").iterdir())
    open_to_all.chmod(0o1777)  # as /tmp: what is ours stays ours
    assert found(open_to_all)[1] is None
    monkeypatch.setattr(cache, "_is_alone_in", lambda group: True)
    open_to_all.chmod(0o775)
    assert found(open_to_all)[1] is None, "a group that has this user alone"
    open_to_all.chmod(0o777)
    assert found(open_to_all)[1] is not None


def test_a_group_of_several_is_not_ones_own(monkeypatch):
    import grp
    import pwd

    user = pwd.getpwuid(os.getuid())

    def group(name, members=()):
        found = grp.struct_group((name, "x", user.pw_gid, list(members)))
        monkeypatch.setattr(grp, "getgrgid", lambda number: found)
        return cache._is_alone_in(user.pw_gid)

    assert group(user.pw_name)
    assert group(user.pw_name, [user.pw_name])
    assert not group(user.pw_name, ["somebody"])
    assert not group("users")
    assert not cache._is_alone_in(user.pw_gid + 1)


def test_a_link_in_the_folders_place_is_refused(found, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "counterfold").symlink_to("elsewhere")
    assert "is no folder" in found(tmp_path)[1]
    assert not list((tmp_path / "elsewhere").iterdir())


def test_what_belongs_to_others_is_refused(found, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    folder, why = found(tmp_path)
    assert folder is None
    assert "belongs to another user" in why


def test_no_shared_folder_is_ever_taken(own, tmp_path):
    """A home that cannot be written to: nothing is kept, and no other place is looked for."""
    home = tmp_path / "home"
    home.write_text("no folder")
    hits, trouble = own(COUNTERFOLD_CACHE="", HOME=str(home), TMPDIR=str(tmp_path))
    assert hits == 0
    assert "compiled code is not kept" in trouble
    assert trouble.count("\n") == 0
    assert not (tmp_path / "counterfold").exists()


def test_code_that_nobody_has_used_for_a_while_goes(found, tmp_path):
    folder, _ = found(tmp_path)
    old, young = folder / "old.nbc", folder / "young.nbc"
    long_ago = time.time() - 40 * 86_400
    for file in (old, young):
        file.write_bytes(b"")
    os.utime(old, (long_ago, long_ago))
    found(tmp_path)
    assert old.exists(), "looked for once a day"
    os.utime(folder, (long_ago, long_ago))
    found(tmp_path)
    assert not old.exists()
    assert young.exists()


def test_code_that_is_used_stays(own, tmp_path):
    assert own() == (0, "")
    (file,) = tmp_path.glob("counterfold/*/*.nbc")
    os.utime(file, (1, 1))
    assert own() == (1, "")
    assert time.time() - file.stat().st_mtime < 3600


KERNELS = {
    "helper": """
        from counterfold.kernels.jit import inlined
        @inlined
        def number():
            return 1
        """,
    "between": """
        from counterfold.kernels.jit import jit
        from counterfold.kernels.helper import number
        @jit
        def twice():
            return 2 * number()
        """,
    "above": """
        from counterfold.kernels.jit import jit
        from counterfold.kernels import between
        @jit
        def total():
            return between.twice()
        """,
    "beside": """
        if True:
            from .jit import jit
        try:
            from . import helper as other
        finally:
            pass
        @jit
        def aside():
            return other.number()
        """,
    "alone": """
        from counterfold.kernels.jit import jit
        @jit
        def apart():
            return 1
        @jit
        def apply(function):
            return function()
        def closing(function):
            def closed():
                return function()
            return jit(closed)
        @jit
        def first(pair):
            return pair.low
        """,
    "shapes": """
        from typing import NamedTuple
        class Pair(NamedTuple):
            low: int
            high: int
        """,
    "constant": """
        from counterfold.kernels.helper import number
        FEW = 7
        """,
    "counts": """
        import counterfold.kernels.constant as c
        from counterfold.kernels.jit import jit
        @jit
        def few():
            return c.FEW
        """,
}
ASK = """
from counterfold.kernels import above, alone, beside, counts, helper, shapes
closed = alone.closing(helper.number)
print(above.total(), beside.aside(), counts.few(), alone.apart(), alone.apply(helper.number),
      closed(), alone.first(shapes.Pair(low=1, high=2)))
kept = [above.total, beside.aside, counts.few, alone.apart, alone.apply, closed, alone.first]
print(*(len(one.stats.cache_hits) for one in kept))
"""


def test_changed_helpers_are_never_served_from_old_code(tmp_path):
    """A package of a few kernels: what each returns, and whether its code was kept."""
    home = tmp_path / "code" / "counterfold" / "kernels"
    home.mkdir(parents=True)
    for file in (home.parent / "__init__.py", home / "__init__.py"):
        file.write_text("")
    for name in ("cache", "jit"):
        shutil.copy(cache.HERE / f"{name}.py", home)

    def write(name, old="", new=""):
        source = textwrap.dedent(KERNELS[name])
        (home / f"{name}.py").write_text(source.replace(old, new) if old else source)

    def ask():
        env = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
        env |= {"COUNTERFOLD_CACHE": str(tmp_path), "PYTHONPATH": str(home.parent.parent)}
        env["PYTHONDONTWRITEBYTECODE"] = "1"  # files of one second and one size look the same to it
        done = subprocess.run(
            [sys.executable, "-c", ASK], env=env, cwd=tmp_path, capture_output=True, text=True,
            timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        values, hits = done.stdout.splitlines()
        return values, hits

    for name in KERNELS:
        write(name)
    assert ask() == ("2 1 7 1 1 1 1", "0 0 0 0 0 0 0")
    values, hits = ask()
    assert values == "2 1 7 1 1 1 1"
    assert hits[:8] == "1 1 1 1 "
    assert hits[-1] == "1"
    write("helper", "return 1", "return 3")
    assert ask() == ("6 3 7 1 3 3 1", "0 0 0 1 0 0 1")
    write("constant", "FEW = 7", "FEW = 8")
    write("shapes", "low: int\n    high: int", "high: int\n    low: int")
    assert ask() == ("6 3 8 1 3 3 1", "1 1 0 1 0 0 0")


def twice(x):
    return 2 * x


@pytest.mark.skipif(cache.cache_folder() is None, reason="nothing is kept here")
def test_what_has_to_be_compiled_is_told(monkeypatch, caplog):
    monkeypatch.setattr(cache._Files, "load", lambda self, key: None)
    double = jit(twice)
    with caplog.at_level("INFO", "counterfold.kernels"):
        assert double(3) == double(3) == 6
    assert caplog.messages == ["test_cache.twice"]


def test_every_kernel_is_stamped_with_all_that_it_uses():
    """Whatever stands in a kernel's module comes from a kernel that its stamp speaks for."""
    prefix = f"{cache.PACKAGE}."
    for kernel in sorted(cache._kernels() - {"__init__"}):
        module = importlib.import_module(prefix + kernel)
        for name, value in vars(module).items():
            value = getattr(value, "py_func", value)
            source = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", "")
            if isinstance(source, str) and source.startswith(prefix):
                needed = source.removeprefix(prefix)
                assert needed in cache._needs(kernel) | {"cache"}, f"{kernel}.{name}"
