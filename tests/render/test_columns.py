"""Text on a terminal: columns, not characters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from excerpt.render.columns import columns_of, cut, shorten_middle, wrap, wrap_parts

TEXTS = st.text("ab漢字e\u0301 \u2009é😀", max_size=40)
WIDTHS = st.integers(2, 12)


@given(TEXTS, WIDTHS)
def test_cutting_loses_nothing_and_fits(text: str, width: int) -> None:
    """Marks on a character stay with it."""
    head, rest = cut(text, width)
    assert head + rest == text
    assert columns_of(head) <= width
    assert not rest.startswith("\u0301")


@given(TEXTS, WIDTHS)
def test_lines_fit_and_words_stay(text: str, width: int) -> None:
    """No line is too wide, and all letters are there in order."""
    lines = list(wrap(text, width))
    assert all(columns_of(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(st.lists(TEXTS.map(str.strip).filter(bool)), WIDTHS)
def test_parts_fit(parts: list[str], width: int) -> None:
    """Parts stand whole on a line wherever they fit one."""
    lines = list(wrap_parts(parts, width))
    assert all(columns_of(line) <= width for line in lines)
    for part in parts:
        assert columns_of(part) > width or any(part in line for line in lines)


@given(TEXTS, st.integers(5, 12))
def test_names_are_cut_in_the_middle(text: str, width: int) -> None:
    """Beginning and end stay."""
    found = shorten_middle(text, width)
    assert columns_of(found) <= width
    assert found == text or (found[0] == text[0] and found[-1] == text[-1] and "…" in found)


def test_columns_of_some_texts() -> None:
    """Wide characters take two columns, marks and joiners none."""
    assert [columns_of(text) for text in ("", "é", "漢a", "\uff41", "😀", "a\u200db")] == [0, 1, 3, 2, 2, 2]
