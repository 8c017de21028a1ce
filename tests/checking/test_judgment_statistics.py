"""Statistics of judgments, against sets of characters and rows counted one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.element_strategies import SCALES, ElementCase, element_cases
from support.gold_files import SAMPLES, TEXTS
from support.strategies import Case, cases, spans

import excerpt
from excerpt import Judgments, Span
from excerpt.checking.judgment_statistics import judgment_statistics
from excerpt.index import OffsetIndex
from excerpt.model.elements import GradedElement

COUNTED = ("documents", "relevant_documents", "passages", "characters")
#: The documents of the fixture `index`: elements by tag and span.
ELEMENTS = {
    "A": [("article", 0, 22), ("name", 0, 5), ("bdy", 5, 22), ("p", 5, 20), ("b", 11, 14), ("p", 21, 22)],
    "B": [("article", 0, 4), ("p", 0, 4)],
}


def spread(counts: Iterable[int]) -> dict[str, Fraction | None]:
    """Least, median and most."""
    ordered = sorted(counts)
    if not ordered:
        return dict.fromkeys(("least", "median", "most"))
    middle = Fraction(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2], 2)
    return {"least": Fraction(ordered[0]), "median": middle, "most": Fraction(ordered[-1])}


def pieces(characters: set[int]) -> int:
    """Number of passages: characters without one before them."""
    return sum(character - 1 not in characters for character in characters)


@given(cases())
def test_documents_passages_and_characters(case: Case) -> None:
    """Totals and numbers per topic are those of sets of characters."""
    found = judgment_statistics(case.judgments())
    text: dict[tuple[str, str], set[int]] = {pair: set() for pair in case.irrelevant}
    for topic, document, start, end in case.highlights:
        text.setdefault((topic, document), set()).update(range(start, end))
    by_topic = {topic: Counter[str]() for topic, _ in text}
    for (topic, _), characters in text.items():
        for name, count in zip(
            COUNTED, (1, bool(characters), pieces(characters), len(characters)), strict=True
        ):
            by_topic[topic][name] += count
    assert found["topics"] == len(by_topic)
    for name in COUNTED:
        counts = [counter[name] for counter in by_topic.values()]
        assert found[name] == sum(counts)
        assert found["per_topic"][name] == spread(counts)
    assert (found["elements"], found["grades"], found["fully_highlighted"]) == (0, {}, None)


def named(element: GradedElement, scale: str) -> str:
    """The grades of an element in words."""
    first = {-1: "?"}.get(element.exhaustivity, str(element.exhaustivity))
    if scale == "relevance and coverage":
        return first + "NSLE"[element.specificity]
    return f"{first},{element.specificity}" if scale == "exhaustivity and specificity" else first


@given(element_cases(SCALES))
def test_grades(case: ElementCase) -> None:
    """Every element is counted by its grades and its level; exactness is the second grade."""
    found = judgment_statistics(case.judgments())
    full = [row for row in case.elements if 0 < row.size == row.relevant]
    highest = [row for row in case.elements if row.specificity == 3]
    two = case.scale in {"relevance and coverage", "exhaustivity and specificity"}
    exact = highest if two else full
    levels = {
        "grades": case.elements,
        "article_level": [row for row in case.elements if row.path == "/article[1]"],
        "below_article_level": [row for row in case.elements if row.path != "/article[1]"],
    }
    for level, rows in levels.items():
        expected = Counter(named(row, case.scale) for row in rows)
        assert found[level] == ({} if case.scale == "highlights" else expected)
    below = sum(row.path != "/article[1]" for row in exact)
    proportion = float(Fraction(below, len(exact))) if exact and case.scale != "highlights" else None
    assert found["exact_below_article_level"] == proportion
    tags = Counter(row.path.split("/")[-1].split("[")[0] for row in full)
    assert found["fully_highlighted"] == (None if two else tags)
    assert list((found["fully_highlighted"] or {}).values()) == sorted(
        tags.values() if not two else (), reverse=True
    )
    relevant = {(row.topic, row.document) for row in case.elements if row.exhaustivity or row.relevant}
    assert found["relevant_documents"] == len(relevant)
    assert found["elements"] == len(case.elements)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("AB"), spans(longest=22)), min_size=1))
def test_fully_highlighted_elements(index: OffsetIndex, rows: list[Any]) -> None:
    """With an index, the elements that contain highlights, and those that are highlighted as a whole."""
    limits = {"A": 22, "B": 4}
    highlights = [
        (topic, Span(document, min(start, limits[document]), min(end, limits[document])))
        for topic, document, (start, end) in rows
    ]
    found = judgment_statistics(Judgments.of(highlights), index)
    text: dict[tuple[str, str], set[int]] = {}
    for topic, span in highlights:
        text.setdefault((topic, span.document), set()).update(range(span.start, span.end))
    every = [
        (tag, set(range(start, end)), characters)
        for (_, document), characters in text.items()
        for tag, start, end in ELEMENTS[document]
    ]
    if not any(text.values()):
        assert found["fully_highlighted"] is None
        return
    assert found["elements"] == sum(bool(element & characters) for _, element, characters in every)
    assert found["fully_highlighted"] == Counter(
        tag for tag, element, characters in every if element <= characters
    )


def test_whole_documents() -> None:
    """TREC qrels have grades of documents, and no passages."""
    found = judgment_statistics(excerpt.read_judgments(b"1 0 A 2\n1 0 B 0\n1 0 C 0\n2 0 A 1\n"))
    assert [found[name] for name in ("topics", *COUNTED, "elements")] == [2, 4, 2, 0, 0, 0]
    assert found["grades"] == {"2": 1, "1": 1, "0": 2}
    assert (found["article_level"], found["fully_highlighted"]) == ({}, None)
    assert found["per_topic"]["documents"] == {"least": 1, "median": 2, "most": 3}
    half = judgment_statistics(excerpt.read_judgments(b"1 0 A 2\n1 0 B 0\n2 0 A 1\n"))
    assert half["per_topic"]["documents"]["median"] == 1.5


@pytest.mark.parametrize("file", sorted(SAMPLES.iterdir()), ids=lambda file: file.stem)
def test_gold_files(file: Path) -> None:
    """Questions with evidence are counted as other judgments are."""
    judgments = excerpt.read_gold(file, TEXTS, notices=excerpt.Notices())
    found = judgment_statistics(judgments)
    highlights = [span for topic in judgments.topics for span in judgments.highlights(topic)]
    assert found["passages"] == len(highlights)
    assert found["characters"] == sum(span.length for span in highlights)
    assert found["topics"] == len(judgments.topics)


def test_nothing() -> None:
    """Judgments without topics have no least and no most."""
    found = judgment_statistics(Judgments.of([]))
    assert found["topics"] == 0
    assert found["per_topic"]["passages"] == {"least": None, "median": None, "most": None}
