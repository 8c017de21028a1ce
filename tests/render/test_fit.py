"""Tables on a terminal: no line is longer than it is wide, and nothing is lost."""

from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.render.fit import fit, terminal_width

WORDS = st.text("abc ", max_size=40)
CELLS = st.integers(1, 4).flatmap(
    lambda columns: st.lists(st.lists(WORDS, min_size=columns, max_size=columns), min_size=1, max_size=4)
)


@given(CELLS, st.integers(60, 100))
def test_lines_fit_and_nothing_is_lost(cells: list[list[str]], width: int) -> None:
    """Four columns of text fit sixty characters, and every letter of every cell is there."""
    (block,) = fit(cells, [False] * len(cells[0]), width)
    assert all(len(line) <= width for line in block)
    printed = "".join(line for line in block if not line.startswith("---"))
    for letter in "abc":
        assert printed.count(letter) == sum(cell.count(letter) for row in cells for cell in row)


def test_many_numbers_stand_in_blocks() -> None:
    """Columns of numbers that do not fit side by side come below, with the names beside them again."""
    cells = [["run", *(f"measure-{i}" for i in range(6))], ["a", *("0.1234" for _ in range(6))]]
    blocks = fit(cells, [False, *[True] * 6], 40)
    assert [block[0].split()[0] for block in blocks] == ["run"] * 2
    assert all(len(line) <= 40 for block in blocks for line in block)
    assert sum(block[2].count("0.1234") for block in blocks) == 6
    assert len(fit(cells, [False, *[True] * 6], None)) == 1


def test_headings_are_wrapped_between_words() -> None:
    """A long heading of numbers takes several lines, and no word of it is broken."""
    cells = [["run", "MAgP(score=BEP, n=1000)", "x"], ["a", "0.1561", "0.1"]]
    (block,) = fit(cells, [False, True, True], 26)
    assert [line.split() for line in block[:2]] == [["run", "MAgP(score=BEP,", "x"], ["n=1000)"]]


def test_short_tables_are_as_they_were() -> None:
    """Where there is room the width changes nothing."""
    cells = [["run", "MAiP"], ["mine", "0.5000"]]
    assert (
        fit(cells, [False, True], 80)
        == fit(cells, [False, True], None)
        == [["run     MAiP", "------------", "mine  0.5000"]]
    )


def test_only_terminals_have_a_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe and a file have none."""
    monkeypatch.setenv("COLUMNS", "72")
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert terminal_width() is None
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert terminal_width() == 72
    assert terminal_width("rows.txt") is None


def test_many_columns_of_text_stand_in_blocks() -> None:
    """Where all is text, too, no line is too long: only the first columns are repeated."""
    cells = [[f"name{i}" for i in range(9)], [f"value {i}" for i in range(9)]]
    blocks = fit(cells, [False] * 9, 40)
    assert len(blocks) > 1
    assert all(len(line) <= 40 for block in blocks for line in block)
    assert all(block[0].startswith("name0 ") for block in blocks)
    assert {word for block in blocks for word in block[0].split()} == set(cells[0])


def test_names_keep_half_of_a_line_where_columns_do_not_fit() -> None:
    """A table that is cut into blocks anyway does not break names that there is room for."""
    cells = [["run", *(f"measure{i}" for i in range(6))], ["a-name-of-twenty-char", *6 * ["0.1234"]]]
    blocks = fit(cells, [False, *6 * [True]], 50)
    assert [block[2].split()[0] for block in blocks] == ["a-name-of-twenty-char"] * len(blocks)
    assert max(len(line) for block in blocks for line in block) <= 50
