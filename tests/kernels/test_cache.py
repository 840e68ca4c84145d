"""The cache of compiled kernels: whose it is, and that nothing damaged is ever loaded."""

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from counterfold.kernels import cache

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no owners here")

CODE = """
import sys
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
