"""Text of users' files in every output format: data, never markup or an escape sequence."""

from __future__ import annotations

import io
import re
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from excerpt.render import layout
from excerpt.render.layout import columns_of, cut, fit, shorten_middle, terminal_width, wrap, wrap_parts

CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
TEXTS = st.text(st.characters(codec="utf-8"), max_size=12) | st.text(
    "\\|_*`<>&[]()~$^#%{}\"'-\n\x1b\x9bab ", max_size=12
)


@pytest.mark.parametrize("write", [layout.plain, layout.markdown, layout.latex, layout.html])
@given(text=TEXTS)
def test_no_control_characters(write: object, text: str) -> None:
    """Line ends, terminal escapes and turned writing never come out, in no format."""
    assert callable(write)
    assert not CONTROLS.search(write(text))


@given(TEXTS)
def test_markdown_shows_the_text_itself(text: str) -> None:
    """A Markdown reader shows the cell of a table as the text was, and makes no markup of it."""
    cell = layout.markdown(text)
    rendered = (
        MarkdownIt("commonmark").enable("table").render(f"| a | b |\n| --- | --- |\n| {cell} | end |\n")
    )
    seen: list[str] = []
    tags: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            tags.append(tag)

        def handle_data(self, data: str) -> None:
            seen.append(data)

    Reader().feed(rendered)
    assert set(tags) <= {"table", "thead", "tbody", "tr", "th", "td"}
    expected = " ".join(layout.plain(text).split())
    assert " ".join("".join(seen).split()) == " ".join(f"a b {expected} end".split())


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a&b", r"a\&b"),
        ("100%", r"100\%"),
        ("$x$", r"\$x\$"),
        ("#1", r"\#1"),
        ("a_b", r"a\_b"),
        ("{x}", r"\{x\}"),
        ("~", r"\textasciitilde{}"),
        ("x^2", r"x\textasciicircum{}2"),
        ("a\\b", r"a\textbackslash{}b"),
        ("<a|b>", r"\textless{}a\textbar{}b\textgreater{}"),
        ("---", r"-{}-{}-"),
        ('"a', r"{\char34}a"),
        ("[1]", r"{[}1]"),
        ("*", r"{*}"),
        ("a[1]*", "a[1]*"),
        ("a\nb", r"a\textbackslash{}nb"),
    ],
)
def test_latex(text: str, written: str) -> None:
    """Every special character of TeX is itself, also those that mean something after the end of a row."""
    assert layout.latex(text) == written


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "  =1"])
def test_spreadsheets(text: str) -> None:
    """A cell that would be computed starts with a quote."""
    assert layout.spreadsheet(text) == "'" + text
    assert layout.spreadsheet("run " + text) == "run " + text


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
    """Columns of numbers that do not fit side by side come below, with the names repeated."""
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
    """If there is room, the width changes nothing."""
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
    """A table of text has no line that is too long: only the first columns are repeated."""
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


COLUMNS_TEXTS = st.text("ab漢字e\u0301 \u2009é😀", max_size=40)
WIDTHS = st.integers(2, 12)


@given(COLUMNS_TEXTS, WIDTHS)
def test_cutting_loses_nothing_and_fits(text: str, width: int) -> None:
    """Marks on a character stay with it."""
    head, rest = cut(text, width)
    assert head + rest == text
    assert columns_of(head) <= width
    assert not rest.startswith("\u0301")


@given(COLUMNS_TEXTS, WIDTHS)
def test_lines_fit_and_words_stay(text: str, width: int) -> None:
    """No line is too wide, and all letters are there in order."""
    lines = list(wrap(text, width))
    assert all(columns_of(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(st.lists(COLUMNS_TEXTS.map(str.strip).filter(bool)), WIDTHS)
def test_parts_fit(parts: list[str], width: int) -> None:
    """Parts stay whole on a line if they fit on one."""
    lines = list(wrap_parts(parts, width))
    assert all(columns_of(line) <= width for line in lines)
    for part in parts:
        assert columns_of(part) > width or any(part in line for line in lines)


@given(COLUMNS_TEXTS, st.integers(5, 12))
def test_names_are_cut_in_the_middle(text: str, width: int) -> None:
    """Beginning and end stay."""
    found = shorten_middle(text, width)
    assert columns_of(found) <= width
    assert found == text or (found[0] == text[0] and found[-1] == text[-1] and "…" in found)


def test_columns_of_some_texts() -> None:
    """Wide characters take two columns, marks and joiners none."""
    assert [columns_of(text) for text in ("", "é", "漢a", "\uff41", "😀", "a\u200db")] == [0, 1, 3, 2, 2, 2]
