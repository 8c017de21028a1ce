"""Files as JSON, JSON Lines and tables."""

from __future__ import annotations

import pytest
from gold_files import faults, gold_file

from excerpt.errors import FormatError
from excerpt.formats.source import Faults
from excerpt.gold.file import GoldFile


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
        ("[" * 100_000, "f: found JSON that is nested too deeply, expected an object"),
        (
            '{"a": ' + "9" * 5000 + "}",
            "f: found a number of thousands of digits, expected JSON",
        ),
    ],
)
def test_no_object(text: str, message: str) -> None:
    """What is no JSON object is one error."""
    with pytest.raises(FormatError) as caught:
        gold_file(text).object()
    assert str(caught.value) == message


def test_objects() -> None:
    """Objects of lines, of a list, or the only one, with their lines."""
    for text in ('{"a": 1}\n\n{"a": 2}\n', '[{"a": 1},\n\n{"a": 2}]'):
        assert [(one.line, one.value["a"]) for one in gold_file(text).objects()] == [(1, 1), (3, 2)]
    assert [one.value for one in gold_file('{"a":\n1}').objects()] == [{"a": 1}]
    for text, line in (('{"a": 1}\n[2]\n', 2), ('[{"a": 1},\n2]', 2), ('{"a": 1}\n{"b\n', 2)):
        file = gold_file(text)
        assert len(list(file.objects())) == 1
        assert faults(file)[0].startswith(f"f:{line}: found ")


def test_rows() -> None:
    """Rows by the names of their columns; a row may have several lines."""
    file = gold_file('a,b\n1,"x\ny"\n2\n3,z\n')
    assert [(row.line, row.value) for row in file.rows()] == [
        (2, {"a": "1", "b": "x\ny"}),
        (5, {"a": "3", "b": "z"}),
    ]
    assert faults(file) == ["f:4: found 1 columns, expected 2 as in the first row"]
    broken = gold_file('a,b\n1,"x" y\n')
    assert list(broken.rows()) == []
    assert faults(broken) == [
        "f:2: found a row that is broken (',' expected after '\"'), expected a table with commas"
    ]


@pytest.mark.parametrize(
    ("name", "stem"),
    [("a/cuad.json", "cuad"), ("c.jsonl.gz", "c"), ("<bytes>", ""), ("a\\b.csv", "b"), ("plain", "plain")],
)
def test_stems(name: str, stem: str) -> None:
    """Names without folders and endings."""
    assert GoldFile(name, "", Faults(name)).stem == stem
