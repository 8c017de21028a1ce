"""Bytes and values that are text, and those that are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.corpus.source import decode, require_text
from excerpt.errors import FormatError


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_plain_text_stays_as_it_is(text: str) -> None:
    """Only a byte order mark at the beginning is taken away."""
    assert decode(text.encode(), "a") == text.removeprefix("\ufeff")
    assert decode(text.encode("utf-8-sig"), "a") == text
    assert require_text(text, "a") == text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"caf\xe9",
            "a.txt: found 0xe9 at byte 3, expected UTF-8 text; convert it to UTF-8, or leave it out",
        ),
        (b"\xef\xbb\xbfx\xff", "a.txt: found 0xff at byte 4, expected UTF-8 text"),
        (b"\xed\xa0\x80", "a.txt: found 0xed at byte 0, expected UTF-8 text"),
        (b"PNG\0\1", r"a.txt: found a binary file \(a NUL at byte 3\), expected UTF-8 text; leave it out"),
        ("text".encode("utf-16"), "a.txt: found UTF-16, expected UTF-8 text"),
    ],
)
def test_other_bytes_are_an_error_with_name_and_place(data: bytes, message: str) -> None:
    """Other encodings and binary files are told in one line."""
    with pytest.raises(FormatError, match=message):
        decode(data, "a.txt")


@pytest.mark.parametrize("value", [None, 7, b"x", "a\ud800"])
def test_other_values_are_no_text(value: object) -> None:
    """Bytes, numbers and halves of surrogate pairs are refused."""
    with pytest.raises(FormatError, match=r"a.jsonl:3: found .*, expected text"):
        require_text(value, "a.jsonl", 3)
