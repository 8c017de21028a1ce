"""Elements of judgments and runs through the index, by exact value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from excerpt.errors import ExcerptError
from excerpt.index import OffsetIndex
from excerpt.index.element_spans import drop_tags, element_rows, relevant_elements, with_rows
from excerpt.model import Judgments, Result, Run, Span
from excerpt.model.elements import GradedElement
from excerpt.notices import Notices

Indexed = Callable[..., OffsetIndex]

# "A & bHello big world⏎x"; the emphasis around "x" is as long as its paragraph.
DOCUMENT = (
    "<article><name>A &amp; b</name>"
    "<bdy><p>Hello <b>big</b> world</p>\n<p><i>x</i></p><e/><e/></bdy></article>"
)
ROWS = {
    "/article[1]": (0, 22),
    "/article[1]/name[1]": (0, 5),
    "/article[1]/bdy[1]": (5, 22),
    "/article[1]/bdy[1]/p[1]": (5, 20),
    "/article[1]/bdy[1]/p[1]/b[1]": (11, 14),
    "/article[1]/bdy[1]/p[2]": (21, 22),
    "/article[1]/bdy[1]/p[2]/i[1]": (21, 22),
    "/article[1]/bdy[1]/e[1]": (22, 22),
    "/article[1]/bdy[1]/e[2]": (22, 22),
}


@pytest.fixture
def index(indexed: Indexed) -> OffsetIndex:
    """The document D between two others."""
    return indexed({"A.xml": "<x><y/></x>", "D.xml": DOCUMENT, "Z.xml": "<article><p>xyz</p></article>"})


def rows(index: OffsetIndex, *paths: str, document: str = "D") -> list[int]:
    """The rows of elements."""
    found: list[int] = index.resolve(
        index.document_codes([document] * len(paths)), list(paths)
    ).element.tolist()
    return found


def paths(index: OffsetIndex, judgments: Judgments) -> list[tuple[str, str, int, int]]:
    """Topic, path, size and highlighted characters of the assessed elements."""
    elements = judgments.elements
    assert elements is not None
    assert elements.row is not None
    topics = [judgments.topics[topic] for topic in judgments.pair_topic[elements.pair].tolist()]
    columns = zip(
        topics, index.path(elements.row), elements.size.tolist(), elements.relevant.tolist(), strict=True
    )
    return list(columns)


# ---- the index -------------------------------------------------------------------------------------------


def test_spans_and_parents(index: OffsetIndex) -> None:
    """Every element knows its span, the element around it, its depth and its name."""
    found = rows(index, *ROWS)
    start, end = index.spans(found)
    assert dict(zip(ROWS, zip(start.tolist(), end.tolist(), strict=True), strict=True)) == ROWS
    above = [path.rpartition("/")[0] for path in ROWS]
    assert index.path(index.parents(found)) == above
    assert index.depths(found).tolist() == [path.count("/") for path in ROWS]
    names = [index.tag_names[code] for code in index.tags(found).tolist()]
    assert names == ["article", "name", "bdy", "p", "b", "p", "i", "e", "e"]


def test_unknown_rows(index: OffsetIndex) -> None:
    """Unknown elements have no span, parent, depth or name; an empty query has an empty answer."""
    assert [column.tolist() for column in index.spans([-1, 0])] == [[-1, 0], [-1, 0]]
    assert index.parents([-1, 0, 1]).tolist() == [-1, -1, 0]
    assert index.depths([-1, 0, 1]).tolist() == [-1, 1, 2]
    assert index.tags([-1]).tolist() == [-1]
    for answer in (index.parents([]), index.depths([]), index.tags([]), *index.spans([])):
        assert answer.tolist() == []
        assert answer.dtype == np.int64


def test_elements_of_documents(index: OffsetIndex) -> None:
    """All elements of each document asked for, as often as it is asked for; ancestors first."""
    which, found = index.elements_of([2, -1, 0, 99, 2])
    assert which.tolist() == [0, 0, 2, 2, 4, 4]
    assert index.path(found) == [
        "/article[1]", "/article[1]/p[1]", "/x[1]", "/x[1]/y[1]", "/article[1]", "/article[1]/p[1]",
    ]  # fmt: skip
    assert [column.tolist() for column in index.elements_of([])] == [[], []]


@pytest.mark.parametrize(
    ("span", "path"),
    [
        ((0, 22), "/article[1]"),
        ((0, 5), "/article[1]/name[1]"),
        ((21, 22), "/article[1]/bdy[1]/p[2]"),
        ((11, 14), "/article[1]/bdy[1]/p[1]/b[1]"),
        ((22, 22), "/article[1]/bdy[1]/e[1]"),
        ((0, 21), ""),
        ((14, 20), ""),
        ((20, 20), ""),
        ((5, 4), ""),
        ((-1, -1), ""),
        ((0, 2**31), ""),
    ],
)
def test_elements_at(index: OffsetIndex, span: tuple[int, int], path: str) -> None:
    """The outermost element that is exactly this text."""
    assert index.path(index.elements_at([1], [span[0]], [span[1]])) == [path]


def test_elements_at_many_places(index: OffsetIndex) -> None:
    """Queries keep their places; unknown documents have no elements."""
    found = index.elements_at([2, 1, -1, 0, 7, 2, 2], [0, 5, 0, 0, 0, 0, 0], [3, 22, 3, 0, 3, 22, 3])
    assert index.path(found) == ["/article[1]", "/article[1]/bdy[1]", "", "/x[1]", "", "", "/article[1]"]
    assert index.elements_at([], [], []).tolist() == []
    with pytest.raises(ValueError, match="2 documents, 1 starts and 2 ends"):
        index.elements_at([0, 1], [0], [1, 2])


# ---- judgments -------------------------------------------------------------------------------------------


def test_relevant_elements(index: OffsetIndex) -> None:
    """Every element with a highlighted character: "ig wo" is [12, 17), "x" is [21, 22)."""
    marked = [("7", Span("D", 12, 17)), ("8", Span("D", 21, 22)), ("8", Span("Z", 0, 1))]
    judgments = Judgments.of(marked, irrelevant=[("7", "Z")])
    derived = relevant_elements(index, judgments)
    assert sorted(paths(index, derived)) == [
        ("7", "/article[1]", 22, 5),
        ("7", "/article[1]/bdy[1]", 17, 5),
        ("7", "/article[1]/bdy[1]/p[1]", 15, 5),
        ("7", "/article[1]/bdy[1]/p[1]/b[1]", 3, 2),
        ("8", "/article[1]", 3, 1),
        ("8", "/article[1]", 22, 1),
        ("8", "/article[1]/bdy[1]", 17, 1),
        ("8", "/article[1]/bdy[1]/p[2]", 1, 1),
        ("8", "/article[1]/bdy[1]/p[2]/i[1]", 1, 1),
        ("8", "/article[1]/p[1]", 3, 1),
    ]
    elements = derived.elements
    assert elements is not None
    assert set(elements.exhaustivity.tolist()) == {2}
    assert set(elements.specificity.tolist()) == set(elements.path.tolist()) == {-1}
    assert elements.paths == ()
    assert derived.spans is judgments.spans
    assert derived.scale == "highlights"


def test_dropped_names(index: OffsetIndex) -> None:
    """Elements with these names are left out, those inside them stay; unknown names have no effect."""
    judgments = Judgments.of([("8", Span("D", 21, 22))])
    derived = relevant_elements(index, judgments, drop_tags=iter(["p", "article", "nosuch", "p"]))
    assert [row[1] for row in paths(index, derived)] == ["/article[1]/bdy[1]", "/article[1]/bdy[1]/p[2]/i[1]"]


def test_what_is_inside_what(index: OffsetIndex) -> None:
    """The nearest relevant ancestor of the same topic, whatever was dropped between."""
    judgments = Judgments.of([(topic, Span("D", 12, 22)) for topic in "78"])
    for unwanted in ((), ("bdy",), ("p", "bdy"), ("article", "p"), ("b",)):
        derived = relevant_elements(index, judgments, drop_tags=unwanted)
        elements = derived.elements
        assert elements is not None
        listed = [row[:2] for row in paths(index, derived)]
        assert elements.parent is not None
        parents = [listed[parent] if parent >= 0 else None for parent in elements.parent.tolist()]
        assert parents == [nearest(topic, path, listed) for topic, path in listed]
        assert len(listed) == 2 * (6 - sum({"p": 2}.get(tag, 1) for tag in unwanted))


def nearest(topic: str, path: str, listed: list[tuple[str, str]]) -> tuple[str, str] | None:
    """The longest path of the same topic above a path."""
    above = [(name, other) for name, other in listed if name == topic and path.startswith(other + "/")]
    return max(above, key=lambda found: len(found[1]), default=None)


def test_documents_that_are_not_indexed(index: OffsetIndex) -> None:
    """They have no elements, and a notice counts them: each once, and only where text was highlighted."""
    marked = [("1", Span("N", 0, 5)), ("2", Span("N", 0, 5)), ("2", Span("M", 0, 5)), ("2", Span("Z", 0, 3))]
    judgments = Judgments.of(marked, irrelevant=[("1", "L")])
    notices = Notices()
    derived = relevant_elements(index, judgments, notices=notices)
    assert [row[:2] for row in paths(index, derived)] == [("2", "/article[1]"), ("2", "/article[1]/p[1]")]
    (notice,) = notices
    assert notice == (
        "2 documents with highlighted text are not in the index; their elements are unknown "
        "(first: document N of the judgments)"
    )
    assert paths(index, relevant_elements(index, judgments)) == paths(index, derived)


def test_nothing_highlighted(index: OffsetIndex) -> None:
    """Judgments without relevant text, and none at all, have no relevant elements."""
    for judgments in (Judgments.of([], irrelevant=[("1", "D")]), Judgments.of([])):
        assert paths(index, relevant_elements(index, judgments)) == []


def test_judgments_that_do_not_fit(indexed: Indexed) -> None:
    """Graded judgments have their elements already; offsets must count what the index counts."""
    index = indexed({"D.xml": DOCUMENT}, unit="byte")
    with pytest.raises(ExcerptError) as caught:
        relevant_elements(index, Judgments.of([("1", Span("D", 0, 5))]))
    assert str(caught.value) == (
        'the judgments count chars, but the index counts bytes; rebuild the index with unit="char"'
    )
    graded = Judgments.graded([GradedElement("1", "D", "/article[1]", 1)], scale="exhaustivity 0-2")
    with pytest.raises(
        ExcerptError, match=r"^found judgments by exhaustivity 0-2, expected highlighted text$"
    ):
        relevant_elements(index, graded)


def test_dropping_listed_elements() -> None:
    """The last step of a path is the name; the pairs stay judged."""
    listed = [
        GradedElement("1", "A", path, grade, size=9, relevant=grade)
        for grade, path in enumerate(("/a[1]", "/a[1]/link[2]", "/a/link[2]/b", "/a[1]/linked[1]"))
    ]
    judgments = Judgments.graded(listed, scale="exhaustivity 0-2")
    elements = drop_tags(judgments, iter(["link", "nosuch"])).elements
    assert elements is not None
    assert elements.exhaustivity.tolist() == elements.relevant.tolist() == [0, 2, 3]
    assert [elements.paths[code] for code in elements.path] == [
        "/a[1]", "/a[1]/link[2]/b[1]", "/a[1]/linked[1]",
    ]  # fmt: skip
    plain = Judgments.of([("1", Span("A", 0, 5))])
    assert drop_tags(plain, ["link"]) is plain


def test_dropping_keeps_what_is_inside_what() -> None:
    """An element whose parent is dropped is inside the next one above."""
    steps = ("/a[1]", "/b[1]", "/b[1]", "/c[1]")
    listed = [GradedElement("1", "A", "".join(steps[:depth]), 1) for depth in (4, 3, 2, 1)]
    judgments = Judgments.graded(listed, scale="exhaustivity 0-2")
    assert judgments.elements is not None
    known = replace(judgments, elements=replace(judgments.elements, parent=judgments.elements.parents))
    for tags, parents in (([], [1, 2, 3, -1]), (["b"], [1, -1]), (["a"], [1, 2, -1]), (["c", "a"], [1, -1])):
        for elements in (drop_tags(judgments, tags).elements, drop_tags(known, tags).elements):
            assert elements is not None
            assert elements.parents.tolist() == parents


def test_dropping_keeps_rows_and_elements_without_a_path(index: OffsetIndex) -> None:
    """Elements derived from the index have no path: their names are the index's business."""
    derived = relevant_elements(index, Judgments.of([("1", Span("Z", 0, 3))]))
    dropped = drop_tags(derived, ["p", "article"])
    assert paths(index, dropped) == paths(index, derived)


# ---- runs ------------------------------------------------------------------------------------------------


def run_of(*results: tuple[str, int, int, str | None], kind: str = "spans") -> Run:
    """A run of one topic."""
    made = [Result("1", document, start, end, path=path) for document, start, end, path in results]
    return Run.of("r", made, kind=kind)  # type: ignore[arg-type]


def named(index: OffsetIndex, run: Run) -> list[str]:
    """The paths of the rows of a run."""
    assert run.row is not None
    return index.path(run.row)


def test_rows_of_spans(index: OffsetIndex) -> None:
    """A path names its element, a span the outermost one with this text; nothing else names any."""
    run = run_of(
        ("D", 21, 22, None),
        ("D", 21, 22, "/article[1]/bdy[1]/p[2]/i[1]"),
        ("D", 14, 20, "/article[1]/bdy[1]/p[1]/text()[2]"),
        ("D", 0, 5, "/article[1]/name[1]/text()[1]"),
        ("D", 5, 22, "/article[1]/bdy[1]/p[1] /article[1]/bdy[1]/p[2]"),
        ("D", 3, 4, None),
        ("D", -1, -1, "/article[1]/bdy[1]/p[3]"),
        ("N", 0, 5, None),
    )
    notices = Notices()
    found = with_rows(run, index, notices)
    (said,) = notices  # of what is neither an element nor unknown
    assert said.startswith("2 results are not elements and gain nothing under element measures (first: topic")
    assert named(index, found) == [
        "/article[1]/bdy[1]/p[2]", "/article[1]/bdy[1]/p[2]/i[1]", "", "/article[1]/name[1]",
        "/article[1]/bdy[1]", "", "", "",
    ]  # fmt: skip
    assert list(found) == list(run)


def test_rows_of_elements(index: OffsetIndex) -> None:
    """Paths without spans get them; what does not exist stays unknown."""
    run = run_of(
        ("D", -1, -1, "/article/bdy[1]/p[2]/i[1]"),
        ("D", -1, -1, "/article[1]/bdy[1]/p[1] /article[1]/bdy[1]/p[2]"),
        ("D", -1, -1, "/article[1]/bdy[1]/p[2] /article[1]/bdy[1]/p[1]"),
        ("D", -1, -1, "/article[1]/bdy[1]/p[1]/text()[2].1 /article[1]/bdy[1]/p[2]"),
        ("D", -1, -1, "/article[1]/bdy[1]/p[1]/text()[2]"),
        ("D", -1, -1, "/article[1]/nosuch[1]"),
        ("N", -1, -1, "/article[1]"),
        ("Z", 0, 3, None),
        kind="elements",
    )
    found = with_rows(run, index)
    assert found.kind == "spans"
    assert found.start.tolist() == [21, 5, -1, 15, 14, -1, -1, 0]
    assert found.end.tolist() == [22, 22, -1, 22, 20, -1, -1, 3]
    assert named(index, found) == [
        "/article[1]/bdy[1]/p[2]/i[1]", "/article[1]/bdy[1]", "", "", "", "", "", "/article[1]",
    ]  # fmt: skip
    assert run.start.tolist() == [-1] * 7 + [0]


def test_given_offsets_stay(index: OffsetIndex) -> None:
    """Among elements without offsets, those with offsets keep them."""
    path = "/article[1]/bdy[1]/p[1]"
    run = run_of(("D", 6, 9, path), ("D", -1, -1, path), kind="elements")
    assert [result[2:4] for result in with_rows(run, index)] == [(6, 9), (5, 20)]


def test_rows_of_documents_and_entry_points(index: OffsetIndex) -> None:
    """A document is its root; an entry point is no element."""
    whole = run_of(("D", 0, 1, None), ("N", 0, 1, None), ("A", 0, 1, None), kind="documents")
    assert named(index, with_rows(whole, index)) == ["/article[1]", "", "/x[1]"]
    points = run_of(("D", 22, 22, None), kind="entry points")
    assert named(index, with_rows(points, index)) == [""]
    nothing = with_rows(run_of(), index)
    assert nothing.row is not None
    assert nothing.row.tolist() == []


def test_rows_of_paths(index: OffsetIndex) -> None:
    """The row of each document and path, by their codes; -1 is no path."""
    codes = np.array([0, 0, 1, 0, 0]), np.array([0, 1, 1, -1, 2])
    found = element_rows(
        index, ("D", "N"), codes[0], ("/article", "/article[1]", "/article[1]/text()"), codes[1]
    )
    assert index.path(found) == ["/article[1]", "/article[1]", "", "", ""]
