"""Numbers as text: what JSON writes."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from excerpt.render.page.numerals import number_text


@given(st.lists(st.one_of(st.integers(-99, 99), st.integers(-(10**17), 10**17)), max_size=30))
def test_numbers_are_written_as_json_writes_them(values: list[int]) -> None:
    """Any sign, any length."""
    text = number_text(np.array(values, np.int64)).decode()
    assert f"[{text}]" == json.dumps(values, separators=(",", ":"))


def test_narrow_columns_too() -> None:
    """Columns of 32 bits, with and without a sign."""
    assert number_text(np.array([4294967295, 0], np.uint32)) == b"4294967295,0"
    assert number_text(np.array([-1, 10], np.int32)) == b"-1,10"
