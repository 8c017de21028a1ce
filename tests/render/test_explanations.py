"""An explanation for people: on a terminal, as Markdown, in a notebook."""

from __future__ import annotations

import re

import pytest
from support.explained import CHUNKS, OTHER, explained

from excerpt.render.explanations import text_of
from excerpt.render.layout import columns_of


def test_text_without_colours() -> None:
    """Counts first; then the question, the passage with marks and the reason, what was returned."""
    text = text_of(explained(worst=1))
    assert text.splitlines()[:3] == [
        "mine charR@2 0.3974",
        "4 of 5 passages missed, in 2 of 3 questions · 1 below rank 2",
        "1 same text found elsewhere · 2 document not found",
    ]
    assert "q2 · When was the roof mended?\ncharR@2 0.0000 · notes · 1 of 1 passage missed\n" in text
    assert "notes 0-27 · document not found\n          ┆ [[The roof was mended in May.]]\n" in text
    assert "       #1   lease 79-107 · not relevant\n            The landlord mends the roof." in text
    assert text.endswith("\n1 more question with missed passages\n")
    assert str(explained(worst=1)) + "\n" == text


def test_everyday_names_say_what_they_stand_for() -> None:
    """In the first line."""
    assert text_of(explained("recall@2")).startswith("mine recall@2 0.3974 · recall@2 = charR@2\n")


def test_why_says_what_is_known() -> None:
    """The rank, the largest part in one chunk, who else has it."""
    assert "lease 0-57 · at rank 3 · 16 of 46 characters found" in text_of(explained())
    text = text_of(explained(chunks=CHUNKS, against=OTHER), 100)
    assert "cut by a chunk border · at most 30 of 46 characters in one chunk · found by other" in text
    assert "2 of them found by other · 1 found here, but missed by other" in text
    assert text.startswith("mine charR@2 0.3974 · against other 0.5160\n")


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_is_too_long(width: int) -> None:
    """In colours, which take no room, as without."""
    for colours in (False, True):
        text = re.sub(r"\x1b\[[\d;]*m", "", text_of(explained(chunks=CHUNKS), width, colours=colours))
        assert max(map(columns_of, text.splitlines())) <= width
    assert "\x1b[4;38;5;16;48;5;216m" in text_of(explained(), width, colours=True)


def test_nothing_missed_is_said() -> None:
    """In a line."""
    from excerpt import Judgments, Notices, Run, explain

    run = Run.of("all", [("1", "A", 0, 5)])
    found = explain(Judgments.of([("1", "A", 0, 4)]), run, "charR", corpus={"A": "Words."}, notices=Notices())
    assert text_of(found) == "all charR 1.0000\n1 passage in 1 question, none missed\n"
    assert "1 passage in 1 question, none missed" in found.to_markdown()
    assert "1 passage in 1 question, none missed" in found._repr_html_()


def test_markdown_is_a_table_below_the_counts() -> None:
    """Content of files is only text."""
    text = explained(worst=2).to_markdown()
    assert text.startswith("**mine charR@2 0.3974**\n\n4 of 5 passages missed, in 2 of 3 questions · ")
    assert "| question | score | missed | why | text |" in text
    assert r"\<i>dog\</i>" in text
    assert text.count("\n| ") == 6


def test_notebooks_show_the_first_question() -> None:
    """Texts are escaped; the passage is marked."""
    page = explained(chunks=CHUNKS, worst=2)._repr_html_()
    assert page.count("<details") == 2
    assert page.count("<details open>") == 1
    assert "may he keep a &lt;i&gt;dog&lt;/i&gt;?" in page
    assert "<i>" not in page
    assert "border-bottom:2px dashed #b4430a" in page


def test_few_passages_of_a_question_are_shown() -> None:
    """People see the first and how many more there are; programs get all."""
    found = explained(passages=1)
    assert text_of(found).count("\n2 more passages missed\n\nreturned instead") == 1
    assert "lease 0-57" in text_of(found)
    assert "lease 58-78" not in text_of(found)
    assert "<p>2 more passages missed</p>" in found._repr_html_()
    assert found.to_markdown().count("| 2 more passages missed |") == 1
    assert len(found.listed()[1]) == len(explained().listed()[1]) == 4
    assert found.to_dict() == explained().to_dict()
    assert "more passage" not in text_of(explained()) + text_of(explained(passages=None))
    assert "\n1 more passage missed\n" in text_of(explained(passages=2))
