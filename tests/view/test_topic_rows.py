"""A topic as plain data, against sets of characters."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.report_parts import as_read
from support.strategies import Case, cases

from excerpt import Judgments, Notices, Policy, Run, Span
from excerpt.view import World
from excerpt.view.topic_rows import DistinctResults, order_by


def world_of(case: Case, policy: Policy) -> World:
    """The run of a case twice, once backwards, so that results are shared."""
    backwards = Run.of("backwards", list(reversed(case.results)))
    return World.of(
        case.judgments(), [case.run(), backwards], ["charP"], policy=policy, text=False, notices=Notices()
    )


def spans_of(data: dict[str, Any]) -> list[tuple[str, int, int]]:
    """The distinct results of a topic, as a page unpacks them."""
    found, place = [], 0
    for document, count in zip(data["documents"]["id"], data["spans"]["count"], strict=True):
        at = 0
        for _ in range(count):
            at += data["spans"]["start"][place]
            found.append((document, at, at + data["spans"]["length"][place]))
            place += 1
    return found


@given(cases())
def test_topics_agree_with_sets_of_characters(case: Case) -> None:
    """Results, their sizes and relevant characters, relevant text and documents of each topic."""
    if not case.matches or not case.results:
        return
    for overlap in ("first", "penalise", "allow"):
        world = world_of(case, Policy(overlap=overlap, limit=None))
        for number, topic in enumerate(world.judgments.topics):
            data = as_read(world.topic(number))
            spans = spans_of(data)
            assert spans == sorted(spans, key=lambda row: (data["documents"]["id"].index(row[0]), *row[1:]))
            assert len(set(spans)) == len(spans)
            marked = {
                (row[1], at) for row in case.highlights if row[0] == topic for at in range(row[2], row[3])
            }
            told = {
                (data["documents"]["id"][document], at)
                for document, start, end in zip(*data["relevant"].values(), strict=True)
                for at in range(start, end)
            }
            assert told == marked
            for place, run in enumerate((case.results, tuple(reversed(case.results)))):
                rows = [row[1:] for row in run if row[0] == topic]
                assert [spans[span] if span >= 0 else None for span in data["runs"][place]] == [
                    row if row[1] >= 0 else None for row in rows
                ]
                check_counted(data, place, rows, marked, overlap)


def check_counted(
    data: dict[str, Any],
    run: int,
    rows: list[tuple[str, int, int]],
    marked: set[tuple[str, int]],
    overlap: str,
) -> None:
    """Characters read and found at each rank, by the policy."""
    seen: set[tuple[str, int]] = set()
    numbers = data["runs"][run]
    counted = data["counted"].get(str(run))
    for rank, (document, start, end) in enumerate(rows):
        text = {(document, at) for at in range(max(start, 0), end)}
        new = text - seen
        seen |= text
        size = 18 if start < 0 else len(new) if overlap == "first" else len(text)
        found = len((text if overlap == "allow" else new) & marked)
        if counted is not None:
            assert (counted["read"][rank], counted["found"][rank]) == (size, found)
            assert counted.get("new", counted["found"])[rank] == len(new & marked)
        else:
            span = numbers[rank]
            assert (data["spans"]["length"][span], data["spans"]["relevant"][span]) == (size, found)


def test_documents_are_ordered_by_what_is_known_of_them() -> None:
    """Most relevant text first, then judged, then unjudged documents, by their best ranks."""
    judgments = Judgments.of(
        [("1", Span("a", 0, 10)), ("1", Span("b", 0, 30))],
        irrelevant=[("1", "c"), ("1", "d")],
        sizes={"a": 90},
        entries={("1", "b"): 5},
    )
    run = Run.of("r", [("1", "z", 0, 9), ("1", "d", 0, 9), ("1", "y", 0, 9), ("1", "a", 0, 9)])
    world = World.of(judgments, [run], ["charP"], text=False, notices=Notices())
    documents = as_read(world.topic(0))["documents"]
    assert documents["id"] == ["b", "a", "d", "z", "y"]
    assert documents["judged"] == [1, 1, 1, 0, 0]
    assert documents["entry"] == [5, -1, -1, -1, -1]
    assert documents["size"] == [-1, 90, -1, -1, -1]


def test_starts_are_steps_inside_of_a_document() -> None:
    """The first start of a document is kept."""
    import numpy as np

    columns = [np.array(column) for column in ([0, 0, 1], [5, 9, 3], [1, 1, 1], [0, 0, 0])]
    assert DistinctResults(*columns).steps().tolist() == [5, 4, 3]


@given(st.lists(st.tuples(*[st.one_of(st.integers(0, 3), st.integers(0, 2**40))] * 2)))
def test_rows_are_ordered_by_columns_of_any_width(rows: list[tuple[int, int]]) -> None:
    """The first column first; rows that are equal keep their order."""
    first, second = np.array(rows, np.int64).reshape(-1, 2).T
    expected = sorted(range(len(rows)), key=lambda row: rows[row])
    assert order_by(first, second).tolist() == expected
