"""Columns: lines, widths and line numbers of a text in columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.errors import FormatError
from excerpt.formats.source import Source
from excerpt.formats.text import columns as module
from excerpt.formats.text.columns import Columns

Open = Callable[..., Source]
_WORD = st.text(st.characters(min_codepoint=0x21, codec="utf-8"), min_size=1, max_size=6)
_LINE = st.lists(_WORD, max_size=4)


@given(st.lists(st.tuples(_LINE, st.sampled_from(("\n", "\r\n", "\r")), st.sampled_from((" ", "\t", "  ")))))
def test_lines_and_fields_are_those_of_the_text(
    opened: Open, lines: list[tuple[list[str], str, str]]
) -> None:
    """Whatever ends the lines and separates the fields, each row knows its fields and its line."""
    # A line of "\r" before one that is empty and ends in "\n" is one line end, not two.
    text = "".join(" " + blank.join(words) + " " + end for words, end, blank in lines)
    columns = Columns.of(opened("x\n" + text))
    expected = [(1, ["x"])] + [(number, words) for number, (words, _, _) in enumerate(lines, 2) if words]
    assert columns.line.tolist() == [number for number, _ in expected]
    assert columns.width.tolist() == [len(words) for _, words in expected]
    fields = columns.fields.texts()
    assert [
        fields[first : first + width] for first, width in zip(columns.first, columns.width, strict=True)
    ] == [words for _, words in expected]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_numbers_count_physical_lines(opened: Open, end: str) -> None:
    """Blank lines count, whatever the line ends are."""
    columns = Columns.of(opened(end.join(["a", "", "b", "c"])))
    assert columns.line.tolist() == [1, 3, 4]


def test_blank_lines_on_request(opened: Open) -> None:
    """A reader may ask for the blank lines; the end of the last line does not begin another one."""
    assert Columns.of(opened("a\n\nb\n"), blank_lines=True).width.tolist() == [1, 0, 1]
    assert Columns.of(opened("a\n\nb"), blank_lines=True).width.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("widths", "wanted"), [(range(2, 3), "2"), (range(2, 4), "2 to 3"), (range(2, 1 << 40), "at least 2")]
)
def test_wrong_widths_are_faults(opened: Open, widths: range, wanted: str) -> None:
    """A line with too few columns is named with its number, what it has and what it should have."""
    source = opened("a b\nc\nd e\n", keep=True)
    columns = Columns.of(source).expect_width(widths, "one two")
    assert [str(fault) for fault in source.faults.found] == [
        f"f:2: found 1 column, expected {wanted} (one two)"
    ]
    assert columns.line.tolist() == [1, 3]
    assert columns.column(1).texts() == ["b", "e"]


def test_numbers_that_are_none(opened: Open) -> None:
    """Each kind of bad number says what was expected instead."""
    source = opened("1\n-1\n2147483648\nx\n1.5\n", keep=True)
    Columns.of(source).integers(0, "rank")
    assert [str(fault) for fault in source.faults.found] == [
        "f:2: found rank '-1', expected a number that is not negative",
        "f:3: found rank '2147483648', expected a number up to 2147483647",
        "f:4: found rank 'x', expected a whole number",
        "f:5: found rank '1.5', expected a whole number",
    ]


def test_scores_that_are_none(opened: Open) -> None:
    """NaN is not a score."""
    source = opened("1\nnan\n-inf\nhigh\n", keep=True)
    assert Columns.of(source).floats(0, "score").tolist()[2] == float("-inf")
    assert [str(fault) for fault in source.faults.found] == [
        "f:2: found score 'nan', expected a number",
        "f:4: found score 'high', expected a number",
    ]


def test_invalid_text_is_an_error(opened: Open) -> None:
    """Columns are cut from text only."""
    with pytest.raises(
        FormatError, match=r"^f:2: found byte 0xff, expected UTF-8 text; convert it to UTF-8 first$"
    ):
        Columns.of(opened(b"a\nb\xff\n"))


def test_columns_of_rows_that_were_left_out_or_moved(tmp_path: Path) -> None:
    """A column follows the rows as they are, whatever their order and whatever lies between them."""
    (tmp_path / "f").write_text("".join(f"a{i} b{i} c{i}\n" for i in range(6)))
    columns = Columns.of(Source.open(tmp_path / "f"))
    for rows in ([0, 1, 2, 3, 4, 5], [0, 2, 1, 4, 3, 5], [0, 5], [5, 0], [1, 2, 3], [3], []):
        taken = columns.take(np.array(rows, np.int64))
        assert taken.column(1).texts() == [f"b{row}" for row in rows]


def test_a_column_goes_on_across_blocks(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values, names and faults are the same however many rows are looked at together."""
    monkeypatch.setattr(module, "_ROWS", 2)
    source = opened("a 1 0.5\nb 2 1e3\na x 7\nc 4 -2.25\nb 5 y\n", keep=True)
    columns = Columns.of(source)
    names, codes = columns.names(0)
    assert (names, codes.tolist()) == (("a", "b", "c"), [0, 1, 0, 2, 1])
    assert columns.integers(1, "number")[[0, 1, 3, 4]].tolist() == [1, 2, 4, 5]
    assert columns.floats(2, "score")[:4].tolist() == [0.5, 1000, 7, -2.25]
    assert [fault.line for fault in source.faults.found] == [3, 5]


def test_long_names(opened: Open) -> None:
    """A name of any length is a name; those that begin alike are told apart."""
    names = ("n" * 500, "n" * 501, "short")
    found, codes = Columns.of(opened("\n".join((*names, names[1])))).names(0)
    assert (found, codes.tolist()) == (names, [0, 1, 2, 1])
