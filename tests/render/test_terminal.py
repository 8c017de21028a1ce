"""One topic as a page of text."""

from __future__ import annotations

from excerpt.formats.topics import Topic
from excerpt.render.columns import columns_of
from excerpt.render.terminal import Page, lines_on
from excerpt.view.topic_view import Look, OneTopic

TOPIC = OneTopic(
    topic=Topic("7", "A title", "What is it?"),
    run="mine",
    judged=True,
    scores={"AiP": 0.25, "charP": None},
    documents=[
        Look("A", judged=True, relevant=[(0, 9)], results=[(5, 30, 2)], why="the corpus does not have it"),
        Look("B", judged=True, relevant=[], results=[(0, 4, rank) for rank in range(3, 10)], why="nor this"),
        Look("C", judged=False, relevant=[], results=[(0, 4, 1)], why="nor this"),
    ],
    results=1203,
    nowhere=(4, 6),
    left=3,
)


def test_page_without_text() -> None:
    """Title, question, scores, legend; offsets where there is no text; what is not shown."""
    assert "\n".join(lines_on(TOPIC, Page(width=100))) == (
        "7 · A title\n"
        "What is it?\n"
        "\n"
        "mine · AiP 0.2500 · charP \u2013\n"
        "1\u202f203 results; 9 relevant characters in 1 document, 4 of them found\n"
        "\n"
        "[[relevant]]  \u2039retrieved\u203a  «retrieved again»  ┆ missed  ┃ found  : not judged  · in vain\n"
        "\n"
        "A\n"
        "1 relevant passage · 4 of 9 characters found · rank 2\n"
        "            no text: the corpus does not have it\n"
        "            ┆ 0-5 missed\n"
        "            ┃ 5-9 found #2\n"
        "            · 9-30 in vain #2\n"
        "\n"
        "B\n"
        "judged, nothing relevant · ranks 3, 4, 5, 6, 7 and 2 more\n"
        "            no text: nor this\n"
        "            · 0-4 in vain #3 #4 #5 #6 #7\n"
        "\n"
        "C\n"
        "not judged: neither right nor wrong · rank 1\n"
        "            no text: nor this\n"
        "            : 0-4 not judged #1\n"
        "\n"
        "3 other documents judged or retrieved, without relevant text\n"
        "\n"
        "results that name nothing that exists: ranks 4, 6"
    )


def test_narrow_pages_fit() -> None:
    """Whatever the names."""
    long = OneTopic(
        Topic("7", "t" * 90), "r" * 90, judged=False, scores={"AiP": None}, documents=[], results=1
    )
    lines = list(lines_on(long, Page(width=40)))
    assert all(columns_of(line) <= 40 for line in lines)
    assert "1 result; nobody judged this topic" in lines
    assert lines[-1] == "nothing relevant, nothing retrieved"


def test_colours_explain_themselves() -> None:
    """The legend is painted, and there are no marks."""
    shown = "\n".join(lines_on(TOPIC, Page(colours=True)))
    assert "\x1b[4;38;5;231;48;5;25mfound\x1b[0m" in shown
    assert "[[" not in shown
