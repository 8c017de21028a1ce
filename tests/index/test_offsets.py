"""OffsetIndex: spans, text nodes, pointers, paths and numbers, by exact value."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from index.test_element_spans import paths
from index.test_init import DOCUMENTS, _many
from index.test_init import spans as spans_of

from excerpt.documents import walk
from excerpt.index import OffsetIndex, offsets
from excerpt.index.element_spans import relevant_elements
from excerpt.index.offsets import path_depths
from excerpt.indexing.builder import build_index
from excerpt.model import Judgments, Span

Indexed = Callable[..., OffsetIndex]

# "Conversion test" of the INEX format notes; its text is "A & bHello big world⏎x", 22 characters.
CONVERSION = "<article><name>A &amp; b</name><bdy><p>Hello <b>big</b> world</p>\n<p>x</p></bdy></article>"
SPANS = {
    "/article[1]": (0, 22),
    "/article[1]/name[1]": (0, 5),
    "/article[1]/bdy[1]": (5, 22),
    "/article[1]/bdy[1]/p[1]": (5, 20),
    "/article[1]/bdy[1]/p[1]/b[1]": (11, 14),
    "/article[1]/bdy[1]/p[1]/text()[2]": (14, 20),
    "/article[1]/bdy[1]/p[2]": (21, 22),
}


@pytest.fixture
def index(indexed: Indexed) -> OffsetIndex:
    """The document of the format notes, between two others."""
    return indexed({"a.xml": "<x><y/></x>", "d.xml": CONVERSION, "z.xml": "<article><bdy/></article>"})


def spans(index: OffsetIndex, *paths: str, document: str = "d") -> list[tuple[int, int]]:
    codes = index.document_codes([document] * len(paths))
    found = index.resolve(codes, paths)
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


@pytest.mark.parametrize(("path", "span"), SPANS.items())
def test_conversion_table(index: OffsetIndex, path: str, span: tuple[int, int]) -> None:
    """Every row of the conversion table comes out as printed there."""
    assert spans(index, path) == [span]


def test_conversion_pointers(index: OffsetIndex) -> None:
    """The last row of the table: a passage from inside a text node to the end of an element."""
    start = index.resolve_pointers([1], ["/article[1]/bdy[1]/p[1]/text()[2].1"], end=False)
    end = index.resolve_pointers([1], ["/article[1]/bdy[1]/p[2]"], end=True)
    assert (start.tolist(), end.tolist()) == ([15], [22])


def test_bulk_is_in_the_order_of_the_queries(index: OffsetIndex) -> None:
    """Many queries over several documents keep their places, unknown ones included."""
    documents = [2, 1, -1, 0, 1, 99, 2]
    paths = [
        "/article[1]/bdy[1]",
        "/article[1]",
        "/article[1]",
        "/x[1]/y[1]",
        "/x[1]",
        "/x[1]",
        "/article[1]/bdy[2]",
    ]
    found = index.resolve(documents, paths)
    assert found.start.tolist() == [0, 0, -1, 0, -1, -1, -1]
    assert found.end.tolist() == [0, 22, -1, 0, -1, -1, -1]
    assert (found.element >= 0).tolist() == [True, True, False, True, False, False, False]
    assert index.path(found.element[[0, 1, 3]]) == [paths[0], paths[1], paths[3]]


@pytest.mark.parametrize(
    "path",
    [
        "", "/", "//", "article[1]", "/article[1]/", "//article[1]", "/article[0]", "/article[2]",
        "/article[1]/bdy[1]/p[3]",
        "/article[-1]", "/article[1", "/article]1[", "/article[x]", "/article[1]bdy", "/*[1]",
        "/article[1]/nosuch[1]",
        "/article[1]/@id", "/article[99999999999999999999]", "/article[999999999999]",
        "/article[1]/text()[1]",
        "/article[1]/name[1]/text()[2]", "/article[1]/name[1]/text()[0]", "/article[1]/name[1]/text()[1].2",
        "/article[1]/text()[1]/b[1]", "/text()[1]", "/article[1]/name[1]/text()x", " /article[1]",
        "/article[1] ",
        "/article[\N{ARABIC-INDIC DIGIT ONE}]", "/article[1]/bdy[1]/p[1]/b[1]/b[1]",
        "\0", "/article[1]\n", "/text()", "text()[1]",
    ],
)  # fmt: skip
def test_paths_nobody_has(index: OffsetIndex, path: str) -> None:
    """A path that does not exist or is no path resolves to -1 and never raises."""
    found = index.resolve([1], [path])
    assert [column.tolist() for column in found] == [[-1], [-1], [-1]]


def test_missing_predicate_means_the_first(index: OffsetIndex) -> None:
    """A step without [n] is read as [1], text() too."""
    assert spans(index, "/article/bdy/p/b", "/article/bdy/p[2]", "/article/bdy/p/text()") == [
        (11, 14),
        (21, 22),
        (5, 11),
    ]


def test_element_of_a_text_node_is_its_parent(index: OffsetIndex) -> None:
    """The element row of a text node is that of the element around it."""
    found = index.resolve([1, 1], ["/article[1]/bdy[1]/p[1]/text()[2]", "/article[1]/bdy[1]/p[1]"])
    assert found.element[0] == found.element[1] >= 0


@pytest.mark.parametrize(
    ("pointer", "start", "end"),
    [
        ("/article[1]/bdy[1]/p[1]/text()[2].0", 14, 14),
        ("/article[1]/bdy[1]/p[1]/text()[2].6", 20, 20),
        ("/article[1]/bdy[1]/p[1]/text()[2].7", -1, -1),
        ("/article[1]/bdy[1]/p[1]/text()[2]", 14, 20),
        ("/article[1]/bdy[1]/p[1]/b[1]", 11, 14),
        ("/article[1]/bdy[1]/text()[1].1", 21, 21),
        ("/article[1]/bdy[1]/p[1]/text()[3].0", -1, -1),
        ("/article[1]/bdy[1]/p[1].3", -1, -1),
        ("/article[1]/bdy[1]/p[1]/text()[2].x", -1, -1),
        ("/article[1]/bdy[1]/p[1]/text()[2].-1", -1, -1),
        ("", -1, -1),
    ],
)
def test_pointers(index: OffsetIndex, pointer: str, start: int, end: int) -> None:
    """Pointers count from the start of their text node; elements and text nodes give their edges."""
    assert index.resolve_pointers([1], [pointer], end=False).tolist() == [start]
    assert index.resolve_pointers([1], [pointer], end=True).tolist() == [end]


def test_bytes(indexed: Indexed) -> None:
    """With unit="byte" offsets count the bytes of the text in UTF-8."""
    document = "<a>é<b>€&#233;&#x1F600;</b>x<!-- é --><c><![CDATA[ü]]></c></a>"
    paths = ["/a[1]", "/a[1]/b[1]", "/a[1]/text()[2]", "/a[1]/c[1]"]
    index = indexed({"d.xml": document, "e.xml": "<a>é<b>€</b>x</a>"}, unit="byte")
    assert index.unit == "byte"
    assert spans(index, *paths) == [(0, 14), (2, 11), (11, 12), (12, 14)]
    assert spans(index, *paths[:3], document="e") == [(0, 6), (2, 5), (5, 6)]
    assert index.resolve_pointers([0], ["/a[1]/b[1]/text()[1].9"], end=True).tolist() == [11]
    assert index.document_sizes([0, 1]).tolist() == [14, 6]


def test_documents(index: OffsetIndex) -> None:
    """Documents go by number and id, and know their lengths."""
    assert index.document_codes(["d", "nobody", "a", "d", "", "z\0", "\ud800", "d" * 500]).tolist() == [
        1, -1, 0, 1, -1, -1, -1, -1,
    ]  # fmt: skip
    assert index.document_ids([2, 0]) == ["z", "a"]
    assert index.document_sizes(np.array([1, 2])).tolist() == [22, 0]
    assert len(index) == 3


def test_unknown_numbers(index: OffsetIndex) -> None:
    """Numbers that are not in the index have no name and no size."""
    assert index.document_ids([-1, 0]) == ["", "a"]
    assert index.document_sizes([-1, 1]).tolist() == [-1, 22]
    assert index.path([-1, 0]) == ["", "/x[1]"]


def test_nothing_asked(index: OffsetIndex) -> None:
    """No queries give no answers."""
    assert [column.tolist() for column in index.resolve([], [])] == [[], [], []]
    assert index.document_codes([]).tolist() == []
    assert index.document_ids([]) == []
    assert index.path([]) == []
    assert index.resolve_pointers([], [], end=True).tolist() == []


def test_different_lengths_are_a_mistake(index: OffsetIndex) -> None:
    """A path without a document is a mistake of the caller."""
    with pytest.raises(ValueError, match="2 documents for 1 paths"):
        index.resolve([0, 1], ["/x[1]"])


def test_an_index_travels_to_other_processes(index: OffsetIndex) -> None:
    """A pickled index opens its files again."""
    again: OffsetIndex = pickle.loads(pickle.dumps(index))
    assert spans(again, "/article[1]/name[1]") == [(0, 5)]
    assert "3 documents" in repr(again)


def test_mean_length_is_exact(index: OffsetIndex) -> None:
    """The mean length is a fraction, not a rounded number."""
    assert index.mean_length == Fraction(22, 3)


def test_numbers_out_of_range_are_a_mistake(index: OffsetIndex) -> None:
    """A number that no document or element has is a mistake of the caller; any negative one is unknown."""
    for ask in (index.document_ids, index.document_sizes, index.path):
        with pytest.raises(IndexError):
            ask([10])
    assert (index.document_ids([-9]), index.document_sizes([-9]).tolist(), index.path([-9])) == (
        [""],
        [-1],
        [""],
    )


StatisticsIndexed = Callable[..., OffsetIndex]

# "Conversion test" of the INEX format notes; its text is "A & bHello big world⏎x", 22 characters.
STATISTICS_CONVERSION = (
    "<article><name>A &amp; b</name><bdy><p>Hello <b>big</b> world</p>\n<p>x</p></bdy></article>"
)


@pytest.fixture
def statistics_index(indexed: StatisticsIndexed) -> OffsetIndex:
    """Three documents."""
    return indexed(
        {"a.xml": "<x><y/></x>", "d.xml": STATISTICS_CONVERSION, "z.xml": "<article><bdy/></article>"}
    )


def test_statistics(statistics_index: OffsetIndex) -> None:
    """The numbers are those counted by hand: 10 elements, depths 1 2 1 2 2 3 3 4 1 2."""
    numbers = statistics_index.statistics()
    assert (numbers.documents, numbers.elements, numbers.characters, numbers.broken) == (3, 10, 22, 0)
    assert (numbers.max_depth, numbers.mean_depth) == (4, 2.1)
    assert (numbers.mean_length, numbers.mean_elements) == (22 / 3, 10 / 3)
    assert list(numbers.tags.items()) == [
        ("article", 2), ("bdy", 2), ("p", 2), ("b", 1), ("name", 1), ("x", 1), ("y", 1),
    ]  # fmt: skip


def test_depths_of_paths() -> None:
    """A root has depth 1, and every path one more than its parent."""
    assert path_depths(np.array([-1, 0, 1, -1, 3], np.int32)).tolist() == [1, 2, 3, 1, 2]


Elements = dict[str, tuple[int, int]]


def _indexed(folder: str, documents: Sequence[str]) -> tuple[OffsetIndex, list[Elements]]:
    for number, document in enumerate(documents):
        (Path(folder) / f"{number:05}.xml").write_bytes(document.encode())
    build_index(folder, Path(folder) / "index")
    elements = [spans_of(document.encode()).elements for document in documents]
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
    monkeypatch.setattr(offsets, "_ELEMENTS_AT_ONCE", 20)
    index, elements = _indexed(str(tmp_path), _many(2 * walk.BATCH_DOCUMENTS + 9))
    for code in range(0, len(elements), 5):
        _check_tree(index, code, elements[code])
    every, row = index.elements_of(np.arange(len(elements)))
    assert index.depths(row).tolist() == [path.count("/") for path in index.path(row)]
    start, end = index.spans(row)
    again = index.elements_at(every, start, end)
    assert [column.tolist() for column in index.spans(again)] == [start.tolist(), end.tolist()]
    assert bool((again <= row).all())
