"""``counterfold bench damage``: its options, and a short run."""

import json
import signal

import pytest


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--mutations", "0"], "--mutations must be"),
        (["--seed", "-1"], "--seed must be"),
        (["--only", "-1"], "--only must be"),
        (["--kind", "recrod"], "no kind of file 'recrod'"),
        (["--only", "3", "--kind", "record"], "whatever their kind"),
        (["--game", "kuhn"], "damage does not take --game"),
        (["--keep", "/dev/null/x"], "there is no folder /dev/null"),
    ],
)
def test_wrong_words_are_refused(call, options, word):
    assert call("bench", "damage", *options).refused(word)


def test_options_of_damage_are_for_damage(call):
    assert call("bench", "methods", "--mutations", "3").refused("methods does not take --mutations")


def test_the_command(shell, tmp_path):
    """Two files of locks, which people write: refused, or another answer in numbers."""
    done = shell(
        "bench", "damage", "--kind", "locks", "--mutations", 2, "--json", "--out", "d.json"
    )
    assert done.code == 0, done.err
    assert set(done.document["kinds"]) == {"locks"}
    assert done.document["failures"] == []
    assert json.loads((tmp_path / "d.json").read_text())["done"] == 2


def test_stopped(start, tmp_path):
    """Ctrl-C, whether good files are being made or damaged ones read, leaves nothing behind."""
    here = tmp_path / "temporary"
    here.mkdir()
    process = start("bench", "damage", "--kind", "locks", env={"TMPDIR": str(here)})
    for line in process.stderr:
        if " of 5,000" in line:
            break
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert "stopped after" in told
    assert "of 5,000 mutations" in told
    assert list(here.iterdir()) == []
