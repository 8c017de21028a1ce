"""Fields: names and numbers of many fields at once are those that Python reads one by one."""

from __future__ import annotations

import math
import random
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.formats.text.fields import Fields, distinct_names, find, is_among
from excerpt.model.spans import MAX_OFFSET, IntArray

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
    """What stands behind the colon of `5:` is not taken from the next field."""
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
    """Numbers of more digits than a double holds are rounded as Python rounds them."""
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
    monkeypatch.setattr("excerpt.formats.text.fields._SMALL", 3)
    assert find(text, lambda block: block == ord("a")).dtype == np.int64
