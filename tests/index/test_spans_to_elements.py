"""Elements of judgments and of spans against a slow walk over the tree, on made-up documents."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from index.test_elements import paths
from index.test_init import DOCUMENTS, _many, spans

from excerpt.documents import walk
from excerpt.index import OffsetIndex, build_index, spans_to_elements
from excerpt.index.elements import relevant_elements
from excerpt.model import Judgments, Span

Elements = dict[str, tuple[int, int]]


def _indexed(folder: str, documents: Sequence[str]) -> tuple[OffsetIndex, list[Elements]]:
    for number, document in enumerate(documents):
        (Path(folder) / f"{number:05}.xml").write_bytes(document.encode())
    build_index(folder, Path(folder) / "index")
    elements = [spans(document.encode()).elements for document in documents]
    return OffsetIndex.open(Path(folder) / "index"), elements


def _check_tree(index: OffsetIndex, code: int, expected: Elements) -> None:
    which, row = index.elements_of([code])
    named = index.path(row)
    assert which.tolist() == [0] * len(expected)
    assert sorted(named) == sorted(expected)
    assert list(zip(*(column.tolist() for column in index.spans(row)), strict=True)) == [
        expected[path] for path in named
    ]
    assert index.path(index.parents(row)) == [path.rpartition("/")[0] for path in named]
    assert index.depths(row).tolist() == [path.count("/") for path in named]
    names = [path.rpartition("/")[2].partition("[")[0] for path in named]
    assert [index.tag_names[tag] for tag in index.tags(row).tolist()] == names


def _check_exact(index: OffsetIndex, elements: Sequence[Elements]) -> None:
    """Every stretch of every document, all at once."""
    asked = [
        (code, start, end)
        for code, expected in enumerate(elements)
        for end in range(max(stop for _, stop in expected.values()) + 2)
        for start in range(end + 1)
    ]
    documents, start, end = np.array(asked).T
    found = index.path(index.elements_at(documents[::-1], start[::-1], end[::-1]))[::-1]
    for (code, low, high), path in zip(asked, found, strict=True):
        fitting = [path for path, span in elements[code].items() if span == (low, high)]
        if not fitting:
            assert path == ""
        elif low < high:
            assert path == fitting[0]  # in document order the outermost comes first
        else:
            assert path in fitting
            assert path.rpartition("/")[0] not in fitting


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents=st.lists(DOCUMENTS, min_size=1, max_size=4))
def test_elements_by_a_slow_walk(documents: list[str]) -> None:
    """Parents, depths, names, and which element is which text, are those of the tree."""
    with tempfile.TemporaryDirectory() as folder:
        index, elements = _indexed(folder, documents)
        for code, expected in enumerate(elements):
            _check_tree(index, code, expected)
        _check_exact(index, elements)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents=st.lists(DOCUMENTS, min_size=1, max_size=4), data=st.data())
def test_relevant_elements_by_counting(documents: list[str], data: st.DataObject) -> None:
    """Character by character: an element is relevant where a highlighted one is inside."""
    marked = data.draw(
        st.lists(st.tuples(st.sampled_from("xy"), st.integers(0, 4), st.integers(0, 30), st.integers(0, 9)))
    )
    highlights = [(topic, Span(f"{code:05}", start, start + length)) for topic, code, start, length in marked]
    unwanted = data.draw(st.sets(st.sampled_from(["a", "b", "p", "é", "nosuch"]), max_size=2))
    with tempfile.TemporaryDirectory() as folder:
        index, elements = _indexed(folder, documents)
        found = paths(index, relevant_elements(index, Judgments.of(highlights), drop_tags=unwanted))
    expected = []
    for topic in "xy":
        for code, tree in enumerate(elements):
            inside = {
                place
                for name, number, start, length in marked
                if (name, number) == (topic, code)
                for place in range(start, start + length)
            }
            for path, (start, end) in tree.items():
                relevant = len(inside & set(range(start, end)))
                if relevant and path.rpartition("/")[2].partition("[")[0] not in unwanted:
                    expected.append((topic, path, end - start, relevant))
    assert sorted(found) == sorted(expected)


def test_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over several batches, whose groups are in another order, and in small parts everything is right."""
    monkeypatch.setattr(spans_to_elements, "_AT_ONCE", 20)
    index, elements = _indexed(str(tmp_path), _many(2 * walk.BATCH_DOCUMENTS + 9))
    for code in range(0, len(elements), 5):
        _check_tree(index, code, elements[code])
    every, row = index.elements_of(np.arange(len(elements)))
    assert index.depths(row).tolist() == [path.count("/") for path in index.path(row)]
    start, end = index.spans(row)
    again = index.elements_at(every, start, end)
    assert [column.tolist() for column in index.spans(again)] == [start.tolist(), end.tolist()]
    assert bool((again <= row).all())
