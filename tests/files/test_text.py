"""Whatever is wrong with a text from outside is one sentence of a ``FileError``."""

import os
import stat

import pytest

from counterfold.errors import FileError, cut, short, visible
from counterfold.files.text import (
    DEEPEST,
    Fields,
    csv_text,
    number_of,
    parse_json,
    read_json,
    read_text,
    whole_of,
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[" * 100_000, "nested too deeply"),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), f"column {DEEPEST + 1}: this is nested"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "nested too deeply"),
        ('["' + "[" * 200 + '", ' + "[" * 70 + "]" * 71, "nested too deeply"),
        ("1" * 400, "the number of 400 digits is too large"),
        ("-" + "1" * 10_000, "too large"),
        ("[0.5, 1e999]", "line 1, column 7: the number 1e999 is too large"),
        ("9" * 400 + ".0", "too large"),
        ('{"a": NaN}', "line 1, column 7: NaN is no number of JSON"),
        ('{"NaN": 1,\n "a": -Infinity}', "line 2, column 7: -Infinity is no number"),
        ("Infinity", "Infinity is no number"),
        ('{"a": 1, "a": 2}', '"a" is given twice; keep one of them'),
        ('{"a": [1, {"b": 1, "b": 1}]}', '"b" is given twice'),
        ("", "line 1, column 1: this is not JSON"),
        ("{'a': 1}", "line 1, column 2: this is not JSON"),
        ("[1,\n 2", "line 2, column 3: this is not JSON"),
        ('"\\ud800"', "half a character"),
        ('{"\\udfff x": 1}', "half a character"),
        ('{"a": "\x1b"}', "this is not JSON"),
        (b"\xff\xfe", "is not UTF-8"),
    ],
)
def test_json_is_read_strictly(text, told):
    with pytest.raises(FileError) as caught:
        parse_json(text, "it.json")
    sentence = str(caught.value)
    assert sentence.startswith("it.json")
    assert told in sentence
    assert "\n" not in sentence
    assert len(sentence) < 200


def test_good_json_is_read_as_ever():
    deep = "[" * DEEPEST + "]" * DEEPEST
    assert parse_json(f'["[[[", {deep}]'.replace(deep, deep[1:-1]), "it")[0] == "[[["
    assert parse_json('{"a": 1e300, "b": "\\ud83d\\ude00", "c": ' + "9" * 40 + "}", "it") == {
        "a": 1e300,
        "b": "\U0001f600",
        "c": 10**40 - 1,
    }
    assert parse_json(b"\xef\xbb\xbf[null, true]", "it") == [None, True]


def test_a_line_of_a_file_keeps_its_number():
    with pytest.raises(FileError, match="it, line 7, column 2: this is not JSON"):
        parse_json("{x", "it", first=7)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"caf\xe9", "line 1 is not UTF-8, and it must be a spot in JSON"),
        (b"{\n\xff", "line 2 is not UTF-8"),
        (b"{\n}\0", "line 2 has a NUL byte"),
        ("{}".encode("utf-16"), "is written in UTF-16; save it as UTF-8"),
    ],
)
def test_bytes_that_are_no_text(tmp_path, data, told):
    path = tmp_path / "it.json"
    path.write_bytes(data)
    with pytest.raises(FileError) as caught:
        read_json(path, "a spot")
    assert told in str(caught.value)
    assert str(path) in str(caught.value)


def test_what_is_no_file(tmp_path):
    with pytest.raises(FileError, match="is a folder, and must be a spot"):
        read_text(tmp_path, "a spot")
    with pytest.raises(FileError, match="cannot be read as a spot: no such file"):
        read_text(tmp_path / "none", "a spot")
    with pytest.raises(FileError, match="is no name of a file"):
        read_text("a\0b", "a spot")
    if stat.S_ISCHR(os.stat(os.devnull).st_mode):
        with pytest.raises(FileError, match="is a device, and must be a spot"):
            read_text(os.devnull, "a spot")
    long = tmp_path / "long"
    long.write_bytes(b"x" * 11)
    with pytest.raises(FileError, match="more than 10 bytes, which is too long for a spot"):
        read_text(long, "a spot", most=10)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names")
def test_a_pipe_without_a_writer_does_not_hang(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert read_text(pipe, "a spot") == ""


def test_a_pipe_is_read_to_its_end():
    out, into = os.pipe()
    os.write(into, b"some words")
    os.close(into)
    if os.path.exists(f"/dev/fd/{out}"):
        assert read_text(f"/dev/fd/{out}", "a spot") == "some words"
    os.close(out)


def test_line_ends_and_a_byte_order_mark(tmp_path):
    path = tmp_path / "it.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\n")
    assert read_text(path, "a list") == "one\ntwo\n"


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda f: f.text("none"), '"none" is missing'),
        (lambda f: f.text("list"), '"list" must be a text, not [1, True]'),
        (lambda f: f.whole("flag"), '"flag" must be a whole number, not True'),
        (lambda f: f.whole("half"), '"half" must be a whole number, not 0.5'),
        (lambda f: f.whole("big"), '"big" must be a whole number, not 1000'),
        (lambda f: f.whole("five", 6), '"five" must be a whole number from 6 up, not 5'),
        (lambda f: f.whole("five", 0, 3), '"five" must be a whole number from 0 to 3, not 5'),
        (lambda f: f.number("word"), "\"word\" must be a number, not 'x'"),
        (lambda f: f.number("flag"), '"flag" must be a number, not True'),
        (lambda f: f.number("nan"), '"nan" must be a number, not nan'),
        (lambda f: f.flag("five"), '"five" must be true or false, not 5'),
        (lambda f: f.items("word"), "\"word\" must be a list, not 'x'"),
        (lambda f: f.wholes("list"), '"list" must be a list of whole numbers, and holds True'),
        (lambda f: f.texts("list"), '"list" must be a list of texts, and holds 1'),
        (lambda f: f.numbers("word"), "\"word\" must be a list of numbers, not 'x'"),
        (lambda f: f.object("list"), '"list" must be an object, not [1, True]'),
        (lambda f: f.objects("list"), '"list", number 1 must be an object'),
        (lambda f: f.object("in").text("x"), '"in": "x" is missing'),
        (lambda f: f.only(["five"]), "'word' is no key here; there are five"),
        (lambda f: f.text("long"), '"long" must be a text, not [\'yyy'),
        (lambda f: Fields([], "it"), "it must be an object of JSON, not []"),
    ],
)
def test_fields_of_the_wrong_kind(ask, told):
    fields = Fields(
        {
            "word": "x",
            "five": 5,
            "half": 0.5,
            "flag": True,
            "big": 10**30,
            "nan": float("nan"),
            "list": [1, True],
            "in": {},
            "long": ["y" * 10_000],
        },
        "it",
    )
    with pytest.raises(FileError) as caught:
        ask(fields)
    assert str(caught.value).startswith("it")
    assert told in str(caught.value)
    assert len(str(caught.value)) < 150


def test_fields_of_the_right_kind():
    fields = Fields({"n": 3, "x": 2, "t": "a", "ns": [1, 2], "o": {"t": "b"}}, "it")
    assert fields.whole("n") == 3
    assert isinstance(fields.number("x"), float)
    assert fields.numbers("ns") == [1, 2]
    assert fields.object("o").text("t") == "b"
    assert fields.text("none", default="c") == "c"
    assert fields.whole("none", default=None) is None
    assert "n" in fields


def test_text_of_others_is_made_visible():
    assert visible("a\x1b[2Jb\r\n\x9b\u202ec") == "a\\x1b[2Jb\\r\\n\\x9b\\u202ec"
    assert visible("K♠ é 🂡 a\nb", keep="\n") == "K♠ é 🂡 a\nb"
    assert visible("\udcff") == "\\udcff"

    class Bad:
        def __repr__(self):
            raise RuntimeError("no")

    assert short(Bad()) == "<Bad, whose repr raises RuntimeError>"
    assert len(short("x" * 10**6)) == 80
    assert cut("x" * 100, 10) == "x" * 9 + "…"


def test_a_cell_is_no_formula():
    cells = [
        "=HYPERLINK(1)",
        "+a",
        "-bet",
        "@x",
        "\tx",
        "\rx",
        "-0.5",
        "+1e3",
        -2,
        "a,b",
        "",
        "-inf",
    ]
    assert csv_text([cells]) == (
        "'=HYPERLINK(1),'+a,'-bet,'@x,'\\tx,'\\rx,-0.5,+1e3,-2,\"a,b\",,-inf\n"
    )
    assert csv_text([["\x1b[31m", "two\nlines"]]) == "\\x1b[31m,two\\nlines\n"


def test_numbers_in_words():
    good = {"1/3": 1 / 3, " -2.5 ": -2.5, "1e3": 1000.0, "+.5": 0.5}
    assert {text: number_of(text) for text in good} == good
    for text in ("", "x", "nan", "inf", "1e999999999", "1/0", "1/1e9", "1_0", "9" * 400, "٣"):
        assert number_of(text) is None, text
    assert number_of("1" + "0" * 300 + "/1") is None  # of more digits than anybody writes
    assert [whole_of(text) for text in ("7", "-1", "²", "9" * 19, "1.0", "")] == [7] + [None] * 5
