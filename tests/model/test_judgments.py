"""Judgments: from highlights, collected from rows, of several files together."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracle import Topic
from support.strategies import Case, cases

import excerpt
from excerpt import ExcerptError, Judgments, Span
from excerpt.errors import FormatError
from excerpt.model.judgment_parts import combine
from excerpt.model.judgments import Question, collect_judgments
from excerpt.model.spans import UNKNOWN

EXAMPLE = Judgments.of(
    [("1", Span("b", 5, 9)), ("2", Span("a", 0, 3)), ("1", Span("b", 9, 12)), ("1", Span("c", 0, 0))],
    irrelevant=[("3", "a")],
    sizes={"a": 10, "b": 20},
    entries={("1", "b"): 5},
)


def test_by_hand() -> None:
    """Touching highlights merge; an empty one and an irrelevant document say only that it was judged."""
    assert EXAMPLE.topics == ("1", "2", "3")
    assert EXAMPLE.documents == ("b", "a", "c")
    assert EXAMPLE.highlights("1") == [Span("b", 5, 12)]
    assert EXAMPLE.highlights("3") == []
    assert EXAMPLE.relevant_by_topic.tolist() == [7, 3, 0]
    assert EXAMPLE.has_relevant.tolist() == [True, True, False]
    assert EXAMPLE.relevant_documents.tolist() == [1, 1, 0]
    assert EXAMPLE.document_sizes.tolist() == [20, 10, UNKNOWN]
    assert EXAMPLE.pair_entry.tolist() == [5, UNKNOWN, UNKNOWN, UNKNOWN]
    assert len(EXAMPLE) == 4


def test_pairs_are_found() -> None:
    """A judged pair has its row, every other combination has -1."""
    topic, document = (grid.ravel() for grid in np.meshgrid(np.arange(3), np.arange(-1, 3), indexing="ij"))
    found = EXAMPLE.pairs(topic, document)
    judged = list(zip(EXAMPLE.pair_topic.tolist(), EXAMPLE.pair_document.tolist(), strict=True))
    asked = list(zip(topic.tolist(), document.tolist(), strict=True))
    assert found.tolist() == [judged.index(pair) if pair in judged else -1 for pair in asked]


def test_no_judgments_at_all() -> None:
    """Judgments of nothing have no topics and no pairs."""
    nothing = Judgments.of([])
    assert (nothing.topics, len(nothing), nothing.relevant_by_topic.tolist()) == ((), 0, [])
    assert nothing.pairs(np.zeros(2, np.int64), np.zeros(2, np.int64)).tolist() == [-1, -1]


def test_largest_size_and_entry_are_kept() -> None:
    """Of several sizes or entry points of one pair the largest is kept."""
    zeros = np.zeros(3, np.int64)
    judgments = collect_judgments(
        ("1",), ("a",), zeros, zeros, zeros, zeros, size=np.array([-1, 9, 4]), entry=np.array([2, -1, 3])
    )
    assert (judgments.pair_size.tolist(), judgments.pair_entry.tolist()) == ([9], [3])


@settings(max_examples=150)
@given(cases())
def test_highlights_are_the_characters_marked(case: Case) -> None:
    """Per topic and document, the merged highlights cover exactly the characters that were marked."""
    judgments, topics = case.judgments(), case.topics(Topic)
    assert judgments.topics == tuple(topics)
    for code, (name, topic) in enumerate(topics.items()):
        found = {(span.document, place) for span in judgments.highlights(name) for place in range(*span[1:])}
        assert found == {
            (document, place) for document in topic.passages for place in topic.characters(document)
        }
        assert judgments.relevant_by_topic[code] == topic.total
        assert judgments.relevant_documents[code] == topic.relevant_documents


@settings(max_examples=150)
@given(cases(), st.permutations(range(3)))
def test_files_of_topics_come_together(case: Case, order: list[int]) -> None:
    """Judgments with one file per topic are the same judgments as one file."""
    whole = case.judgments()
    names = [whole.topics[place] for place in order if place < len(whole.topics)]
    if not names:
        return
    parts = [
        Judgments.of(
            [(topic, Span(*row)) for topic, *row in case.highlights if topic == name],  # type: ignore[arg-type]
            irrelevant=[pair for pair in case.irrelevant if pair[0] == name],
            sizes=case.sizes,
            entries=case.entries,
        )
        for name in names
    ]
    together = combine(parts, source="folder")
    assert together.topics == tuple(names)
    assert together.source == "folder"
    codes = list(zip(together.pair_topic.tolist(), together.pair_document.tolist(), strict=True))
    assert codes == sorted(codes)
    assert described(together) == described(whole)
    assert together.pairs(together.pair_topic, together.pair_document).tolist() == list(range(len(together)))


def described(judgments: Judgments) -> set[tuple[object, ...]]:
    """Everything said of each pair, by name."""
    spans = list(
        zip(
            *(c.tolist() for c in (judgments.spans.group, judgments.spans.start, judgments.spans.end)),
            strict=True,
        )
    )
    return {
        (
            judgments.topics[topic],
            judgments.documents[document],
            size,
            entry,
            tuple((start, end) for group, start, end in spans if group == pair),
        )
        for pair, (topic, document, size, entry) in enumerate(
            zip(
                judgments.pair_topic.tolist(),
                judgments.pair_document.tolist(),
                judgments.pair_size.tolist(),
                judgments.pair_entry.tolist(),
                strict=True,
            )
        )
    }


def test_a_topic_in_two_files_is_refused() -> None:
    """Two files with the same topic cannot come together: which one would hold?"""
    parts = [
        Judgments.of([("1", Span("b", 0, 5))]),
        Judgments.of([("2", Span("b", 0, 1))]),
        Judgments.of([("1", Span("a", 0, 5))]),
    ]
    with pytest.raises(ExcerptError, match="1"):
        combine(parts)


@pytest.mark.parametrize(("start", "end"), [(5, 3), (-2, 4), (0, 2**40)])
def test_impossible_highlights_are_refused(start: int, end: int) -> None:
    """A highlight that ends before it starts, or lies beyond what a file may contain, is an error."""
    with pytest.raises(ExcerptError):
        Judgments.of([("1", Span("a", start, end))])


def test_grades_stay_with_their_pairs() -> None:
    parts = [excerpt.read_judgments(text) for text in (b"1 0 B 2\n1 0 A 0\n", b"2 0 A -1\n2 0 C 3\n")]
    together = combine(parts)
    assert together.grades is not None
    pairs = zip(together.pair_topic.tolist(), together.pair_document.tolist(), strict=True)
    found = {
        (together.topics[topic], together.documents[document]): grade
        for (topic, document), grade in zip(pairs, together.grades.tolist(), strict=True)
    }
    assert found == {("1", "B"): 2, ("1", "A"): 0, ("2", "A"): -1, ("2", "C"): 3}


def test_a_topic_is_in_one_part_only() -> None:
    part = Judgments.of([("1", Span("A", 0, 5))])
    with pytest.raises(FormatError, match="found topic 1 again, expected it only in another part"):
        combine([part, part])


def test_judgments_keep_questions_where_they_are_put_together() -> None:
    parts = [
        replace(
            Judgments.of([(topic, Span("A", 0, 5))]),
            questions={topic: Question(topic, f"{topic}?")},
        )
        for topic in ("1", "2")
    ]
    together = combine(parts)
    assert [together.questions[topic].text for topic in together.topics] == ["1?", "2?"]


@settings(max_examples=150)
@given(cases(), st.slices(8).filter(lambda part: part.step is None or part.step > 0))
def test_parts_of_judgments(case: Case, part: slice) -> None:
    """A slice has some judged documents, a topic its own; what is left out is unjudged."""
    judgments = case.judgments()
    pairs = list(dict.fromkeys((passage.topic, passage.document) for passage in judgments))
    assert len(pairs) == len(judgments)
    topics = {name: [pair for pair in pairs if pair[0] == name] for name in judgments.topics}
    parts = {
        judgments[part]: pairs[part],
        **{judgments.topic(name): some for name, some in topics.items()},
        **{judgments[name]: some for name, some in topics.items()},
        **{judgments.only([name]): some for name, some in topics.items()},
    }
    for found, kept in parts.items():
        assert list(found) == [row for row in judgments if (row.topic, row.document) in kept]
        assert found.topics == tuple(dict.fromkeys(topic for topic, _ in kept))
        assert len(found) == len(kept)
        assert found.to_dicts() == [
            row for row in judgments.to_dicts() if (row["topic"], row["document"]) in kept
        ]
        assert found.document_sizes.tolist() == judgments.document_sizes.tolist()


def test_alternatives_of_a_part() -> None:
    """An alternative counts if all of its documents are judged; a need with one left is plain text."""
    rows = [
        {"topic": "1", "document": "A", "start": 0, "end": 5},
        {"topic": "1", "any_of": [{"document": name, "start": 0, "end": 9} for name in "BC"]},
        {
            "topic": "1",
            "any_of": [
                {"document": "A", "start": 20, "end": 30},
                [{"document": name, "start": 40, "end": 50} for name in "CD"],
            ],
        },
    ]
    judgments = Judgments.of(rows)
    assert [(need[0][0].document, len(need)) for need in judgments.alternatives["1"]] == [
        ("B", 2),
        ("A", 2),
        ("A", 1),
    ]
    assert judgments[:4].equals(judgments)
    three = judgments[:3]  # without D
    assert [(need[0][0].document, len(need)) for need in three.alternatives["1"]] == [
        ("B", 2),
        ("A", 1),
        ("A", 1),
    ]
    assert judgments[:2].alternatives == {}
    assert [tuple(row) for row in judgments[:2]] == [
        ("1", "A", 0, 5, 1),
        ("1", "A", 20, 30, 1),
        ("1", "B", 0, 9, 1),
    ]


@pytest.mark.parametrize(
    ("part", "error", "message"),
    [
        (lambda gold: gold.topic("10"), ExcerptError, "unknown topic '10'; did you mean '3'? known: 1, 2, 3"),
        (lambda gold: gold["x"], ExcerptError, "unknown topic 'x'; known: 1, 2, 3"),
        (lambda gold: gold[0], TypeError, "found 0, expected a topic or a slice, such as [:10]"),
        (lambda gold: gold[::-2], ExcerptError, "found the step -2, expected at least 1: the order stays"),
    ],
)
def test_parts_that_judgments_do_not_have(
    part: Callable[[Judgments], object], error: type[Exception], message: str
) -> None:
    """One line says what was found and what is there."""
    with pytest.raises(error, match=re.escape(message)):
        part(EXAMPLE)
