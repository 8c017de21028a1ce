"""Opinions as judgments: which text, which elements, and on which scale."""

from __future__ import annotations

from judgments_said import elements_said

from excerpt.assess.merging import Grade, Opinion, Pair
from excerpt.assess.procedures import procedure_of
from excerpt.assess.qrels import judgments_of
from excerpt.assess.rules import Node
from excerpt.model import Judgments, Span

LENGTHS = {"A": 20, "B": 5}
PARTS = [
    Node("/a[1]", 0, 20, "a", -1, 3),
    Node("/a[1]/b[1]", 0, 4, "b", 0, 2),
    Node("/a[1]/b[2]", 4, 20, "b", 0, 3),
]


def made(procedure: str, *opinions: Opinion) -> Judgments:
    """Judgments of documents with three elements."""
    return judgments_of(opinions, LENGTHS, procedure_of(procedure), lambda _: PARTS)


def test_highlights() -> None:
    """Judged, irrelevant, with and without an entry point; topics in the order in which they come."""
    judgments = made(
        "inex2007",
        Opinion(Pair("2", "A"), ("x",), highlights=((1, 3), (7, 9)), bep=7),
        Opinion(Pair("1", "B"), ("x",)),
        Opinion(Pair("1", "A"), ("x",), highlights=((0, 20),)),
    )
    assert (judgments.topics, judgments.documents) == (("2", "1"), ("A", "B"))
    assert judgments.highlights("2") == [Span("A", 1, 3), Span("A", 7, 9)]
    assert (judgments.pair_size.tolist(), judgments.pair_entry.tolist()) == ([20, 20, 5], [7, -1, -1])
    assert (judgments.scale, judgments.elements) == ("highlights", None)


def test_exhaustivity() -> None:
    """Elements without highlighted text are not listed: merging may have left them without."""
    grades: dict[str, Grade] = {"/a[1]/b[2]": "?", "/a[1]": 2, "/a[1]/b[1]": 1}
    judgments = made("inex2005", Opinion(Pair("1", "A"), ("x",), highlights=((6, 16),), grades=grades))
    assert elements_said(judgments) == [
        ("1", "A", "/a[1]", [2, -1, 20, 10]),
        ("1", "A", "/a[1]/b[2]", [-1, -1, 16, 10]),
    ]
    assert judgments.scale == "exhaustivity 0-2"
    assert made("inex2005", Opinion(Pair("1", "A"), ("x",))).scale == "highlights"


def test_two_grades() -> None:
    """Those that follow from others count; coverage N, S, L, E is 0 to 3."""
    one = Opinion(Pair("1", "B"), ("x",))
    two = Opinion(Pair("1", "A"), ("x",), grades={"/a[1]": (3, "S")}, inferred={"/a[1]/b[1]": (0, "N")})
    assert elements_said(made("inex2002", one, two)) == [
        ("1", "A", "/a[1]", [3, 1, 0, 0]),
        ("1", "A", "/a[1]/b[1]", [0, 0, 0, 0]),
    ]
    three = Opinion(Pair("1", "A"), ("x",), grades={"/a[1]/b[2]": (3, 1)})
    assert elements_said(made("inex2004", three)) == [("1", "A", "/a[1]/b[2]", [3, 1, 0, 0])]
    nothing = made("inex2004", one)
    assert (nothing.elements, nothing.scale, len(nothing)) == (None, "exhaustivity and specificity", 1)


def test_nothing() -> None:
    """No opinion is no judgment."""
    assert len(made("inex2007")) == 0
