"""Columns: lines, widths and line numbers of a text in columns."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.errors import FormatError
from excerpt.formats.source import Source
from excerpt.formats.text import columns as module
from excerpt.formats.text.columns import Columns, Fields, distinct_names, find, is_among
from excerpt.model.spans import MAX_OFFSET, IntArray

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
    """Names may have any length; names with the same beginning are distinguished."""
    names = ("n" * 500, "n" * 501, "short")
    found, codes = Columns.of(opened("\n".join((*names, names[1])))).names(0)
    assert (found, codes.tolist()) == (names, [0, 1, 2, 1])


_INTEGERS = st.one_of(
    st.integers(-10, 2**33).map(str),
    st.integers(0, 10**30).map(str),
    st.integers(0, 2**32).map("+{}".format),
    st.integers(0, 10**6).map("{:08d}".format),
    st.sampled_from(
        ("+", "-", "++1", "+-1", "1_0", "0x1", "٣", "1.0", "1e3", "2147483647", "2147483648", "½")
    ),
)
_FLOATS = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.floats(allow_nan=False, width=32).map(str),
    st.from_regex(r"[+-]?[0-9]{1,20}(\.[0-9]{0,20})?(e[+-]?[0-9]{1,3})?", fullmatch=True),
    st.from_regex(r"-?[0-9]{1,9}\.[0-9]{1,8}", fullmatch=True),
    st.sampled_from(("inf", "-inf", "Infinity", "-0", "-0.0", ".5", "5.", "-.5", "1e400", "5e-324")),
)
_NO_FLOATS = st.sampled_from(
    ("nan", "NaN", "-nan", "1_0", ".", "-", "--1", "-1-", "1.2.3", "e5", "x", "1,5", "0x1", "٣", "\u00a01")
)
_NAMES = st.text(st.characters(min_codepoint=0x21, codec="utf-8"), min_size=1, max_size=40)


def fields(texts: list[str]) -> Fields:
    """The texts as fields of one line that has nothing before and behind it."""
    encoded = [text.encode() for text in texts]
    width = np.array([len(text) for text in encoded], np.int64)
    start = np.cumsum(width + 1) - width - 1
    return Fields(b" ".join(encoded), start, start + width)


def names_of(texts: list[str]) -> tuple[tuple[str, ...], IntArray]:
    """Distinct names of a column that comes in two blocks."""
    column, middle = fields(texts), len(texts) // 2
    rows = [slice(0, middle), slice(middle, len(texts))]
    found = distinct_names(
        [(block, Fields(column.data, column.start[block], column.end[block])) for block in rows], len(texts)
    )
    assert found is not None
    return found


def test_names_may_have_any_character() -> None:
    """Cut out of XML or JSON a name may be empty, have line ends, or end in NUL."""
    texts = ["a\nb", "", "a", "a\n", "", "a\nb"]
    names, codes = fields(texts).encode()
    assert (names, codes.tolist()) == (("a\nb", "", "a", "a\n"), [0, 1, 2, 3, 1, 0])
    assert fields(["a\0", "a"]).encode()[0] == ("a\0", "a")
    assert fields(["", ""]).encode()[0] == ("",)


def bits(value: float) -> bytes:
    """All bits of a number."""
    return struct.pack("<d", value)


@given(st.lists(_INTEGERS, min_size=1))
def test_integers_are_pythons(texts: list[str]) -> None:
    """A field is a whole number exactly if it is `+` and digits up to 2**31-1, and then Python's."""
    value, good = fields(texts).integers()
    for text, found, is_good in zip(texts, value.tolist(), good.tolist(), strict=True):
        digits = text.removeprefix("+")
        expected = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 10 else -1
        assert is_good == (0 <= expected <= MAX_OFFSET)
        assert not is_good or found == expected


@given(st.lists(st.one_of(_INTEGERS, _FLOATS), min_size=1))
def test_signed_integers_are_pythons(texts: list[str]) -> None:
    """With a sign allowed, numbers below 2**31 in size are Python's."""
    value, good = fields(texts).signed_integers()
    for text, found, is_good in zip(texts, value.tolist(), good.tolist(), strict=True):
        digits = text[1:] if text[:1] in {"+", "-"} else text
        if is_good:
            assert found == int(text)
        else:
            assert not (
                digits.isascii() and digits.isdigit() and int(digits) <= MAX_OFFSET and len(digits) <= 10
            )


@given(st.lists(st.one_of(_FLOATS, _NO_FLOATS), min_size=1))
def test_floats_are_pythons_to_the_last_bit(texts: list[str]) -> None:
    """Every number is correctly rounded, whether it is parsed in bulk or one by one; NaN is none."""
    value, good = fields(texts).floats()
    for text, found, is_good in zip(texts, value.tolist(), good.tolist(), strict=True):
        try:
            expected = float(text) if text.isascii() and "_" not in text else math.nan
        except ValueError:
            expected = math.nan
        assert is_good == (not math.isnan(expected))
        assert not is_good or bits(found) == bits(expected)


@given(st.lists(st.one_of(_NAMES, st.sampled_from(("a", "ab", "ä", "a" * 8, "a" * 9))), max_size=30))
def test_encode_numbers_names_by_first_appearance(texts: list[str]) -> None:
    """The vocabulary has each name once, in order, and the codes give the names back."""
    names, codes = names_of(texts)
    assert names == tuple(dict.fromkeys(texts))
    assert [names[code] for code in codes.tolist()] == texts
    assert fields(texts).texts() == texts


def test_a_name_that_starts_like_another_is_another() -> None:
    """Names of different lengths are not mixed up, also across the eight bytes that are compared at once."""
    texts = ["abcdefgh", "abcdefghi", "abcdefg", "abcdefgh", "abcdefghabcdefgh"]
    names, codes = names_of(texts)
    assert names == ("abcdefgh", "abcdefghi", "abcdefg", "abcdefghabcdefgh")
    assert codes.tolist() == [0, 1, 2, 0, 3]


@pytest.mark.parametrize(
    ("text", "before", "after", "found"),
    [
        ("126:28761", "126", "28761", True),
        ("126", "126", "", False),
        (":5", "", "5", True),
        ("1:", "1", "", True),
    ],
)
def test_split_at_the_first_separator(text: str, before: str, after: str, found: bool) -> None:
    """A field is cut at its own first colon, never at that of a later field."""
    first, second, has = fields([text, "9:9"]).split()
    assert (first.text(0), second.text(0), bool(has[0])) == (before, after, found)
    assert (first.text(1), second.text(1), bool(has[1])) == ("9", "9", True)


def test_an_empty_part_is_no_number() -> None:
    """The empty part after the colon of `5:` is not read from the next field."""
    _, length, _ = fields(["5:", "7:8"]).split()
    value, good = length.integers()
    assert good.tolist() == [False, True]
    assert value[1] == 8


def test_no_fields() -> None:
    """Nothing in, nothing out."""
    none = fields([])
    assert names_of([])[0] == ()
    assert [len(column) for column in (*none.integers(), *none.floats(), *none.signed_integers())] == [0] * 6


@pytest.mark.parametrize("digits", range(14, 20))
def test_long_numbers_are_exact(digits: int) -> None:
    """Numbers with more digits than a double has are rounded as Python rounds them."""
    rng = random.Random(digits)
    texts = [f"{rng.randrange(10**6)}.{rng.randrange(10 ** (digits - 6)):0{digits - 6}d}" for _ in range(500)]
    values, good = fields(texts).floats()
    assert good.all()
    assert values.tolist() == [float(text) for text in texts]


@pytest.mark.parametrize("size", [0, 1, 1 << 18, (1 << 18) + 1, (1 << 19) + 3])
def test_blocks_make_no_difference(size: int) -> None:
    """Bytes are found wherever the blocks end."""
    text = np.frombuffer(b"ab" * (size // 2 + 1), np.uint8)[:size]
    assert find(text, lambda block: is_among(block, b"bx")).tolist() == list(range(1, size, 2))


def test_places_are_short_where_they_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Very long texts need 64 bits, all others 32."""
    text = np.frombuffer(b"aba", np.uint8)
    assert find(text, lambda block: block == ord("a")).dtype == np.int32
    monkeypatch.setattr("excerpt.formats.text.columns._SMALL", 3)
    assert find(text, lambda block: block == ord("a")).dtype == np.int64
