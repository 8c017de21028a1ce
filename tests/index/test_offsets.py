"""OffsetIndex: spans, text nodes, pointers, paths and numbers, by exact value."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from excerpt.index import OffsetIndex

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
    """What is not in the index has no name and no size."""
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
