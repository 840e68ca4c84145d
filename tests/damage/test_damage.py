"""Damaged files: the harness itself, and what it finds."""

import json
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import numpy as np
import pytest
from safetensors.numpy import load, save

from counterfold.errors import FileError
from tests.damage import readings
from tests.damage import trial as damage
from tests.damage.corpus import KINDS, RECIPES, Corpus, Kind
from tests.damage.files import Packed, form_of, head_of, steady
from tests.damage.mutations import MUTATIONS, TRAP_RUN, mutate
from tests.damage.readings import Answer, Job, Reading, judge, listen, read_all

GOOD = Answer(0, '{\n "value": 0.5,\n "mbb": null,\n "seconds": 0.1\n}\n', "")
REFUSED = Answer(2, "", "counterfold: x is damaged: its checksum does not fit\n")


def told(value, **more):
    return Answer(0, json.dumps({"value": value, "mbb": None, "seconds": 3.0} | more, indent=1), "")


@pytest.mark.parametrize(
    ("answer", "guarded", "free"),
    [
        (REFUSED, "refused", "refused"),
        (Answer(0, GOOD.out.replace("0.1", "2.5e-05"), ""), "same", "same"),
        (told(0.25), "another answer", "another meaning"),
        (told(None), "another answer", "no number"),  # nan is null in JSON
        (Answer(0, "value nan% of the pot", ""), "another answer", "no number"),
        (Answer(0, "the finance of Nancy", ""), "another answer", "another meaning"),
        (Answer(0, GOOD.out, "RuntimeWarning: overflow\n"), "another answer", "no number"),
        (Answer(-signal.SIGSEGV, "", "Fatal Python error"), "crash", "crash"),
        (Answer(1, "", "counterfold: this should not happen\n"), "traceback", "traceback"),
        (Answer(130, "", "counterfold: stopped\n"), "other exit", "other exit"),
        (Answer(2, "", ""), "bad sentence", "bad sentence"),
        (Answer(2, "", "Traceback ...\nValueError\n"), "bad sentence", "bad sentence"),
        (Answer(2, "", REFUSED.err * 2), "bad sentence", "bad sentence"),
        (Answer(2, "half an answer", REFUSED.err), "bad sentence", "bad sentence"),
        (Answer(2, "", "counterfold: \x1b[31m is no game\n"), "bad sentence", "bad sentence"),
        (Answer(2, "", f"counterfold: {'x' * 1000}\n"), "bad sentence", "bad sentence"),
        (Answer(-9, "", "", slow=True), "too slow", "too slow"),
        (Answer(2, "", REFUSED.err, ran_code=True), "ran code", "ran code"),
    ],
)
def test_verdicts(answer, guarded, free):
    assert judge(GOOD, answer, free=False) == guarded
    assert judge(GOOD, answer, free=True) == free


def arrays_file():
    arrays = {
        "table": np.arange(12, dtype=np.float32).reshape(3, 4),
        "rows": np.arange(5, dtype=np.uint32),
    }
    header = {"format": "counterfold 1", "game": "kuhn", "run": '{"seconds": 1.25, "seed": [3]}'}
    return save(arrays, metadata=header)


FILES = {
    "arrays": arrays_file(),
    "json": json.dumps({"games": ["kuhn"], "iterations": [5, 5], "seconds": 0.1}).encode(),
    "lines": b'{"format": "counterfold hands 1", "game": "kuhn"}\n{"hand": 0, "seats": [0, 1]}\n',
    "text": b"   a   b\nc  1,2 3,4\n",
}


def test_files_are_taken_apart_and_put_together_again():
    content = Packed.of(FILES["arrays"]).content()
    assert content == Packed.of(content).content()  # and the order of keys is always the same
    known = load(FILES["arrays"])
    assert {k: a.tolist() for k, a in load(content).items()} == {
        k: a.tolist() for k, a in known.items()
    }
    timeless = Packed.of(steady(content, "arrays"))
    assert json.loads(timeless.told["run"]) == {"seconds": 0.5, "seed": [3]}
    (size,) = struct.unpack("<Q", content[:8])
    assert head_of(content, "arrays") == 8 + size
    assert head_of(FILES["lines"], "lines") == FILES["lines"].index(b"\n")
    assert json.loads(steady(FILES["json"], "json"))["seconds"] == 0.5
    names = {"arrays": "a.safetensors", "json": "b.json", "lines": "c.jsonl", "text": "d.efg"}
    assert [form_of(names[form], content) for form, content in FILES.items()] == list(FILES)


@pytest.mark.parametrize("form", FILES)
def test_mutations_change_the_file_and_are_the_same_again(form):
    content, seen = steady(FILES[form], form), set()
    for number in range(400):
        found = mutate(content, form, Random(f"0/{number}"))
        assert found == mutate(content, form, Random(f"0/{number}"))
        assert found.content != content
        name = found.how.partition(":")[0]
        assert found.by_chance == MUTATIONS[name].by_chance
        seen.add(name)
    assert seen == {name for name, one in MUTATIONS.items() if form in one.forms}


def test_changes_on_purpose_change_one_part():
    content = steady(FILES["arrays"], "arrays")
    before = Packed.of(content)
    for number in range(300):
        found = mutate(content, "arrays", Random(number))
        if found.by_chance:
            continue
        after = Packed.of(found.content)
        arrays = {
            name
            for name in before.parts.keys() | after.parts.keys()
            if before.parts.get(name) != after.parts.get(name)
        }
        words = {
            key
            for key in before.told.keys() | after.told.keys()
            if before.told.get(key) != after.told.get(key)
        }
        moved = 2 if found.how.startswith(("rename", "trade")) else 1
        assert len(arrays) + len(words) <= moved, found.how


def test_every_recipe_is_read_and_every_file_has_a_recipe():
    used = {kind.file.partition("/")[0] for kind in KINDS}
    used |= {name for kind in KINDS for name in kind.needs}
    used |= {name for recipe in RECIPES.values() for name in recipe.needs}
    assert used == set(RECIPES)
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    assert {kind.name for kind in KINDS if kind.own} == {
        "flops", "ledger", "locks", "spot", "table of payoffs", "payoffs in JSON", ".efg",
    }  # fmt: skip


def test_numbers_of_mutations_do_not_depend_on_what_is_asked_for():
    assert damage.numbers(5) == [0, 1, 2, 3, 4]
    some = damage.numbers(4, ["record", "session"])
    assert {KINDS[n % len(KINDS)].name for n in some} == {"record", "session"}


def planted(words):
    """A command line whose verbs go wrong in every way there is."""
    (verb,) = words
    if verb == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if verb == "raise":
        raise ValueError("nobody expected this")
    if verb == "hang":
        time.sleep(600)
    if verb == "eat":
        try:
            bytearray(1 << 40)
        except MemoryError:
            print("counterfold: no memory", file=sys.stderr)
            sys.exit(2)
    if verb == "stop":
        sys.exit(130)
    if verb == "trap":
        open(TRAP_RUN, "w").close()
    if verb == "echo":
        print(sys.stdin.readline().strip(), os.path.basename(os.getcwd()))


def jobs(folder, *verbs):
    for number, verb in enumerate(verbs):
        (folder / str(number) / "here").mkdir(parents=True)
        yield Job(number, Reading((verb,), "hello\n"), folder / str(number))


@pytest.fixture
def none_left(monkeypatch):
    """Was every child waited for?"""
    born, fork = [], os.fork

    def noted():
        born.append(fork())
        return born[-1]

    monkeypatch.setattr(os, "fork", noted)

    def gone(pid):
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return True
        return False

    return lambda: bool(born) and all(gone(pid) for pid in born)


def test_children_that_go_wrong_are_told_apart(tmp_path, monkeypatch, none_left):
    monkeypatch.setattr(readings, "SECONDS", 3.0)
    verbs = ("crash", "raise", "hang", "eat", "trap", "echo")
    heard = {
        job.reading.name: answer
        for job, answer in read_all(planted, jobs(tmp_path, *verbs), TRAP_RUN)
    }
    good = heard["echo"]
    assert (good.code, good.out) == (0, "hello here\n")
    verdicts = {verb: judge(good, heard[verb], free=False) for verb in verbs}
    assert verdicts == {
        "crash": "crash", "raise": "traceback", "hang": "too slow", "eat": "refused",
        "trap": "ran code", "echo": "same",
    }  # fmt: skip
    assert "nobody expected this" in heard["raise"].err
    assert none_left()


def test_children_end_with_those_who_wait_for_them(tmp_path, none_left):
    waiting = read_all(planted, jobs(tmp_path, "echo", "hang", "hang"), TRAP_RUN)
    assert next(waiting)[0].reading.name == "echo"
    waiting.close()
    assert none_left()


def reader(words):
    """Sums numbers in a file: trusts the first, checks nothing, crashes beyond its list."""
    with open("numbers.json") as file:
        text = file.read()
    try:
        count, *rest = json.loads(text)
        if count > len(rest):
            os.kill(os.getpid(), signal.SIGSEGV)  # as code without bounds would
        print(json.dumps({"sum": sum(rest[:count])}))
    except ValueError:
        print("counterfold: numbers.json is damaged", file=sys.stderr)
        sys.exit(2)


def test_a_bad_reader_is_caught(tmp_path, monkeypatch):
    kind = Kind("numbers", "numbers.json", (Reading(("sum",)),))
    monkeypatch.setattr(damage, "KINDS", (kind,))
    monkeypatch.setattr(Corpus, "make", lambda self, name: None)
    monkeypatch.setattr(Corpus, "content", lambda self, kind: b"[2, 1, 0]\n")

    def lay_out(self, kind, folder):
        (folder / kind.file).write_bytes(self.content(kind))

    monkeypatch.setattr(Corpus, "lay_out", lay_out)
    found = damage.run(reader, range(60), keep=tmp_path)
    assert found.done == 60
    verdicts = found.counts["numbers"]
    assert {"crash", "traceback", "another answer", "refused", "same"} <= set(verdicts)
    assert [damage.FAILED.index(one.verdict) for one in found.failures] == sorted(
        damage.FAILED.index(one.verdict) for one in found.failures
    )
    worst = found.failures[0]
    assert (worst.verdict, worst.code) == ("crash", -signal.SIGSEGV)
    kept = (tmp_path / str(worst.number) / "here" / "numbers.json").read_bytes()
    assert kept != b"[2, 1, 0]\n"
    again = damage.run(reader, [worst.number])
    assert again.failures == [worst]
    assert damage.to_json(found)["failed"] == len(found.failures)


@pytest.mark.parametrize(
    ("answer", "verdict", "said"),
    [
        (told(None), "no number", "no number at value"),
        (Answer(0, "{'value': nan}", ""), "no number", "{'value': nan} for {"),
        (told(0.25), "another answer", '"value": 0.25, for "value": 0.5,'),
        (Answer(-signal.SIGSEGV, "", 'File "a/counterfold/b.py", line 3 in work'), "crash", "b.py"),
        (
            Answer(1, "", "Traceback (most\n  File x\nValueError: no\n"),
            "traceback",
            "ValueError: no",
        ),
        (Answer(2, "", "counterfold: one\ncounterfold: two\n"), "bad sentence", "counterfold: one"),
        (Answer(0, "", ""), "another answer", "another length"),
    ],
)
def test_a_failure_is_told_in_a_line(answer, verdict, said):
    assert said in damage._said(GOOD, answer, verdict)


def test_listening_leaves_this_process_as_it_was(tmp_path):
    before = os.getcwd(), sys.stdin
    assert listen(planted, Reading(("echo",), "hi\n"), tmp_path).out == f"hi {tmp_path.name}\n"
    assert (os.getcwd(), sys.stdin) == before

    with pytest.raises(KeyboardInterrupt):  # Ctrl-C, which a verb has answered with its exit code
        listen(planted, Reading(("stop",)), tmp_path)

    def wrong():
        raise FileError("x is damaged")

    assert listen(planted, Reading((), call=wrong), tmp_path) == Answer(
        2, "", "counterfold: x is damaged\n"
    )


def make_damage(*options, **settings):
    """The command that `make damage` runs."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.damage", *map(str, options)],
        env=os.environ | {"COUNTERFOLD_TRACEBACK": ""} | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


def test_damaged_files_end_in_a_sentence_or_in_the_same_answer():
    """A short run over all kinds of files."""
    process = make_damage("--count", 300)
    out, err = process.communicate()
    assert process.returncode in (0, 1), err
    found = json.loads(out)
    assert "\n".join(map(str, found["failures"])) == ""
    assert found["done"] == 300
    assert set(found["kinds"]) == {kind.name for kind in KINDS}
    assert process.returncode == 0


@pytest.mark.parametrize("options", [["--kind", "recrod"], ["--count", "some"]])
def test_wrong_words_are_refused(options):
    process = make_damage(*options)
    assert options[1] in process.communicate()[1]
    assert process.returncode == 2


def test_stopped(tmp_path):
    """Ctrl-C, whether good files are being made or damaged ones read, leaves nothing behind."""
    process = make_damage("--kind", "locks", TMPDIR=str(tmp_path))
    for line in process.stderr:
        if " of 5,000" in line:
            break
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "stopped after" in said
    assert "of 5,000" in said
    assert list(tmp_path.iterdir()) == []
