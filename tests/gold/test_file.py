"""Files as JSON, JSON Lines and tables."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.gold_files import faults, gold_file

from excerpt.errors import FormatError
from excerpt.gold.file import GoldFile, GoldItem, JsonPlaces, Path, show
from excerpt.notices import Faults
from excerpt.records.spellings import RowKeys


@pytest.mark.parametrize(
    ("text", "first", "lines"),
    [
        ('{"a": 1}\n', {"a": 1}, False),
        ('{"a": 1}\n{"a": 2}\n', {"a": 1}, True),
        ('\n{"a":\n1}', {"a": 1}, False),
        ("[1,\n2]", [1, 2], False),
        ("a,b\n", None, False),
        ('{"a": 1', None, False),
    ],
)
def test_first_values(text: str, first: object, lines: bool) -> None:
    """The value of the first line, else of the whole text."""
    file = gold_file(text)
    assert file.first == first
    assert file.is_lines == lines


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a":\n 1', "f:2: found JSON that is broken here (Expecting ',' delimiter), expected one object"),
        ("[1]", "f:1: found a JSON list, expected an object"),
        ('{"a": 1}\n{"a": 2}', "f:2: found JSON that is broken here (Extra data), expected one object"),
        ("[" * 100_000, "f: found JSON that is nested too deeply, expected one object"),
        (
            '{"a": ' + "9" * 5000 + "}",
            "f: found a number of thousands of digits, expected one object",
        ),
    ],
)
def test_no_object(text: str, message: str) -> None:
    """Anything but a JSON object is one error."""
    with pytest.raises(FormatError) as caught:
        gold_file(text).object()
    assert str(caught.value) == message


def test_objects() -> None:
    """Objects of lines with their lines, of a list with their numbers, or the only one."""
    for text, last in (('{"a": 1}\n\n{"a": 2}\n', 3), ('[{"a": 1},\n\n{"a": 2}]', 2)):
        assert [(one.line, one.value["a"]) for one in gold_file(text).objects()] == [(1, 1), (last, 2)]
    assert [one.value for one in gold_file('{"a":\n1}').objects()] == [{"a": 1}]
    for text, place in (
        ('{"a": 1}\n[2]\n', "f:2"),
        ('[{"a": 1},\n2]', "f: row 2"),
        ('{"a": 1}\n{"b\n', "f:2"),
    ):
        file = gold_file(text)
        assert len(list(file.objects())) == 1
        assert faults(file)[0].startswith(f"{place}: found ")


def test_rows() -> None:
    """Rows by the names of their columns; a row may have several lines."""
    file = gold_file('a,b\n1,"x\ny"\n2\n3,z\n')
    assert [(row.line, row.value) for row in file.rows(RowKeys("question"))] == [
        (2, {"a": "1", "b": "x\ny"}),
        (5, {"a": "3", "b": "z"}),
    ]
    assert faults(file) == ["f:4: found 1 columns, expected 2 as in the first row"]
    broken = gold_file('a,b\n1,"x" y\n')
    assert list(broken.rows(RowKeys("question"))) == []
    assert faults(broken) == [
        "f:2: found a broken row (',' expected after '\"'), expected a table with commas"
    ]


@pytest.mark.parametrize(
    ("name", "stem"),
    [("a/cuad.json", "cuad"), ("c.jsonl.gz", "c"), ("<bytes>", ""), ("a\\b.csv", "b"), ("plain", "plain")],
)
def test_stems(name: str, stem: str) -> None:
    """Names without folders and endings."""
    assert GoldFile(name, "", Faults(name)).stem == stem


def item(**fields: object) -> GoldItem:
    """An object of a file."""
    return gold_file(fields).object()


def test_what_is_right() -> None:
    """Texts, names, numbers, lists, objects."""
    one = item(t="a", n=7, w=3, each=[{"x": 1}], texts=["b"], inner={"y": "z"}, none=None)
    assert (one.text("t"), one.name("n"), one.whole("w"), one.texts("texts")) == ("a", "7", 3, ["b"])
    assert [part.value for part in one.each("each")] == [{"x": 1}]
    assert one.inner("inner").text("y") == "z"
    assert (one.text("absent", "t"), one.name("absent", missing="m"), one.whole("none", -1)) == ("a", "m", -1)
    assert (one.each("none", needed=False), one.texts("absent")) == ([], [])
    assert faults(one.file) == []
    one.note_unknown({"t", "n", "w"})
    assert one.file.unknown == {"each", "texts", "inner", "none"}


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        ("text('n')", "f:1: found n 7, expected text"),
        (
            "text('absent')",
            "f:1: key absent is missing, expected text; the object has n, s, half, list, empty",
        ),
        ("text('half')", "f:1: found half a surrogate pair at character 1 of half, expected text"),
        ("name('list')", "f:1: found list a list, expected a name or a number"),
        ("name('empty')", 'f:1: found empty "", expected a name or a number'),
        ("whole('s')", 'f:1: found s "x", expected a whole number'),
        ("whole('n', least=8)", "f:1: found n 7, expected at least 8"),
        ("each('s')", 'f:1: found s "x", expected a list'),
        ("each('list')", "f:1: found 1 in list, expected objects"),
        ("texts('list')", "f:1: found 1 in list, expected texts"),
        ("inner('s')", 'f:1: found s "x", expected an object'),
    ],
)
def test_what_is_wrong(ask: str, message: str) -> None:
    """Each is one fault."""
    one = gold_file('{"n": 7, "s": "x", "half": "a\\ud800", "list": [1], "empty": ""}').object()
    eval(f"one.{ask}")
    assert faults(one.file) == [message]


def test_numbers_beyond_all_offsets() -> None:
    """Numbers that no text can have."""
    one = item(n=1 << 40)
    assert one.whole("n") == -1
    assert faults(one.file) == ["f:1: found n 1099511627776, expected a number up to 2147483647"]


def test_values_as_messages_show_them() -> None:
    """Long ones are cut."""
    assert (show({}), show([1]), show("é"), len(show("a" * 100))) == ("an object", "a list", '"é"', 60)


VALUES = st.recursive(
    st.integers() | st.text(max_size=3) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=12,
)


def paths(value: Any, path: Path = ()) -> list[Path]:
    """The paths of all values."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, part in inner for found in paths(part, (*path, key)))]


@given(VALUES, st.sampled_from([None, 1]))
def test_values_stand_where_they_are_said_to_be(value: Any, indent: int | None) -> None:
    """The value of a path begins at its offset."""
    text = "\n " + json.dumps(value, indent=indent)
    places = JsonPlaces(text)
    for path in paths(value):
        wanted = value
        for key in path:
            wanted = wanted[key]
        assert json.JSONDecoder().raw_decode(text, places._offset(path))[0] == wanted
        assert places.line(path) == text[: places._offset(path)].count("\n") + 1


def test_what_is_not_there_is_where_it_should_be() -> None:
    """The line of a missing value is that of what should hold it."""
    assert JsonPlaces('[1,\n{"a": 2}]').line((1, "b")) == 2
