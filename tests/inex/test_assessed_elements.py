"""Common parts of INEX assessments: detection of their kind, and required parts of every file."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.judgments_said import elements_said

from excerpt.corpus import Corpus
from excerpt.corpus.indexed import indexed_elements
from excerpt.errors import ExcerptError, FormatError, MissingData
from excerpt.formats import write_judgments
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.indexing.builder import build_index
from excerpt.inex import assessments
from excerpt.inex.assessed_elements import (
    CERTAIN,
    LIKELY,
    Structure,
    fit,
    graded_lines,
    highlighted_lines,
)
from excerpt.inex.assessments import read
from excerpt.model import Judgments, Span
from excerpt.model.elements import GradedElement, GradedElements

Open = Callable[..., Source]


@pytest.mark.parametrize(
    ("content", "graded", "later"),
    [
        ("<assessments><file file='A'><path path='/a'/></file></assessments>", CERTAIN, 0),
        ("<assessments><file name='A'><element path='/a'/></file></assessments>", 0, CERTAIN),
        ("<assessments><file file='A'/></assessments>", CERTAIN, 0),
        ("<assessments><file name='A'/></assessments>", 0, CERTAIN),
        ("<assessments><!-- <path x='1'/> --><file name='A'/></assessments>", 0, CERTAIN),
        ("<all><assessments><file name='A'/></assessments></all>", 0, LIKELY),
        ("<all/>", 0, 0),
        ("assessments", 0, 0),
    ],
)
def test_which_kind(opened: Open, content: str, graded: int, later: int) -> None:
    """The first assessment decides; without assessments, the attribute that names files."""
    assert (fit(opened(content), graded=True), fit(opened(content), graded=False)) == (graded, later)


def test_the_topic_text_is_no_assessment(opened: Open) -> None:
    """Elements of a topic that is repeated in the file mean nothing."""
    source = opened(
        "<assessments topic='1'><inex_topic><file name='x'/></inex_topic><file name='A'/></assessments>"
    )
    assert read(source).documents == ("A",)


InexWritingOpen = Callable[..., Source]

#: The document that the index has as A.
CONVERSION = "<article><name>A &amp; b</name><bdy><p>Hello <b>big</b> world</p>\n<p>x</p></bdy></article>"

HIGHLIGHTS = Judgments.of(
    [("1", Span("A", 3, 8)), ("1", Span("A", 15, 22)), ("2", Span("B", 0, 1))],
    irrelevant=[("1", "B")],
    sizes={"A": 22, "B": 4},
    entries={("1", "A"): 15, ("2", "B"): 0},
)


def written(judgments: Judgments, index: OffsetIndex) -> str:
    """The text of assessments by highlighting."""
    return "".join(highlighted_lines(judgments, lambda document: indexed_elements(index, document)))


def spans(judgments: Judgments) -> list[list[Span]]:
    """The highlights of every topic."""
    return [judgments.highlights(topic) for topic in judgments.topics]


def test_highlights_look_like_those_of_2007(index: OffsetIndex) -> None:
    """Pointers, places in characters, and every element that has highlighted text."""
    assert written(Judgments.of([("1", Span("A", 11, 14))], sizes={"A": 22}), index) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<assessments topic="1" version="2" whitespace-text-node="keep">\n'
        '<file name="A" size="22">\n'
        '<passage start="/article[1]/bdy[1]/p[1]/b[1]/text()[1].0" '
        'end="/article[1]/bdy[1]/p[1]/b[1]/text()[1].3" size="3" offset="11" length="3"/>\n'
        '<element path="/article[1]" exhaustivity="2" size="22" rsize="3"/>\n'
        '<element path="/article[1]/bdy[1]" exhaustivity="2" size="17" rsize="3"/>\n'
        '<element path="/article[1]/bdy[1]/p[1]" exhaustivity="2" size="15" rsize="3"/>\n'
        '<element path="/article[1]/bdy[1]/p[1]/b[1]" exhaustivity="2" size="3" rsize="3"/>\n'
        "</file>\n"
        "</assessments>\n"
    )


@pytest.mark.parametrize("indexed", [True, False])
def test_highlights_read_back(opened: InexWritingOpen, index: OffsetIndex, indexed: bool) -> None:
    """Several topics in one file; without an index the places in characters count."""
    source = opened(written(HIGHLIGHTS, index), index=index if indexed else None)
    found = assessments.read(source)
    assert (found.topics, found.documents, found.scale) == (("1", "2"), ("A", "B"), "highlights")
    assert spans(found) == spans(HIGHLIGHTS)
    for name in ("pair_topic", "pair_document", "pair_size", "pair_entry"):
        assert getattr(found, name).tolist() == getattr(HIGHLIGHTS, name).tolist(), name
    assert list(source.notices) == []


def test_pointers_count_where_there_is_an_index(opened: InexWritingOpen, index: OffsetIndex) -> None:
    """Pointers take precedence over offsets, which are used if a pointer cannot be resolved."""
    text = written(HIGHLIGHTS, index).replace('offset="3"', 'offset="4"')
    assert assessments.read(opened(text, index=index)).highlights("1")[0] == Span("A", 3, 8)
    assert assessments.read(opened(text)).highlights("1")[0] == Span("A", 4, 9)
    plain = "".join(highlighted_lines(HIGHLIGHTS, lambda _: None))
    assert 'start="/text()[1].3"' in plain
    source = opened(plain, index=index)
    assert spans(assessments.read(source)) == spans(HIGHLIGHTS)
    assert list(source.notices) == []


def test_grades_of_2005_read_back(opened: InexWritingOpen, index: OffsetIndex) -> None:
    """Grades of elements, also `?`, are kept, and not derived from highlights."""
    listed = [
        GradedElement("1", "A", "/article[1]", 2, size=22, relevant=12),
        GradedElement("1", "A", "/article[1]/name[1]", -1, size=5, relevant=2),
        GradedElement("2", "B", "/article[1]", 1, size=4, relevant=1),
    ]
    elements = GradedElements.of(listed, np.array([0, 0, 2]))
    judgments = replace(HIGHLIGHTS, elements=elements, scale="exhaustivity 0-2")
    text = written(judgments, index)
    assert '<element path="/article[1]/name[1]" exhaustivity="?" size="5" rsize="2"/>' in text
    for source in (opened(text), opened(text, index=index)):
        found = assessments.read(source)
        assert (elements_said(found), found.scale) == (elements_said(judgments), "exhaustivity 0-2")
        assert spans(found) == spans(judgments)


@pytest.mark.parametrize("scale", ["relevance and coverage", "exhaustivity and specificity"])
def test_two_grades_read_back(opened: InexWritingOpen, scale: str) -> None:
    """Each in the words of its year; a derived grade says so, and reads the same."""
    listed = [GradedElement("1", "A", f"/a[1]/b[{row}]", row % 4, (row + 1) % 4) for row in range(1, 8)]
    listed.append(GradedElement("2", "B & <C>", '/x[1]/"y"[2]', 3, 3))
    judgments = Judgments.graded(listed, scale=scale)  # type: ignore[arg-type]
    text = "".join(graded_lines(judgments, {("1", "A", "/a[1]/b[2]")}))
    assert text.count('inferred="true"') == 1
    assert ("coverage=" in text, "specificity=" in text) == (scale[:3] == "rel", scale[:3] == "exh")
    found = assessments.read_graded(opened(text))
    assert (found.topics, found.documents, found.scale) == (judgments.topics, judgments.documents, scale)
    assert elements_said(found) == elements_said(judgments)
    stream = io.BytesIO()
    assessments.write_graded(judgments, stream)
    assert stream.getvalue().decode() == text.replace(' inferred="true"', "")


def failing(lines: Callable[[], Iterable[str]]) -> str:
    """Return the error for judgments that cannot be written."""
    with pytest.raises(ExcerptError) as caught:
        list(lines())
    return str(caught.value)


def test_what_cannot_be_written(index: OffsetIndex) -> None:
    """The other scale, names that XML cannot hold, and pointers without elements."""
    two = Judgments.graded([GradedElement("1", "A", "/a[1]", 1, 1)], scale="exhaustivity and specificity")
    assert failing(lambda: highlighted_lines(two, lambda _: None)) == (
        'found judgments by exhaustivity and specificity, expected highlighted text; try format="inex-graded"'
    )
    assert failing(lambda: graded_lines(HIGHLIGHTS)) == (
        "format inex-graded needs two grades of every element; the judgments are by highlights"
    )
    with pytest.raises(FormatError, match=r"found the name 'a\\x01', expected one that XML can contain"):
        list(graded_lines(Judgments.of([], irrelevant=[("a\x01", "A")])))
    with pytest.raises(MissingData, match="format inex needs the elements of every document; give index="):
        assessments.write(HIGHLIGHTS, io.BytesIO())
    with pytest.raises(MissingData, match="give index="):
        write_judgments(HIGHLIGHTS, "nothing", "inex")


def place(root: ET.Element, pointer: str, *, end: bool) -> int:
    """Resolve a pointer by the rules of X-RAI, from the document itself."""
    path, _, rest = pointer.removeprefix("/").partition("/text()[")
    places: dict[ET.Element, tuple[int, int]] = {}
    nodes: dict[ET.Element, list[int]] = {}

    def walk(element: ET.Element, position: int) -> int:
        begin = position
        nodes[element] = []
        for text, child in [(element.text, None), *((child.tail, child) for child in element)]:
            position = walk(child, position) if child is not None else position
            if text:
                nodes[element].append(position)
                position += len(text)
        places[element] = (begin, position)
        return position

    walk(root, 0)
    found = root
    for step in path.split("/")[1:]:
        tag, number = step.removesuffix("]").split("[")
        found = found.findall(tag)[int(number) - 1]
    if not rest:
        return places[found][end]
    node, offset = rest.split("].")
    return nodes[found][int(node) - 1] + int(offset)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 21), st.integers(1, 8)), min_size=1, max_size=4), st.integers(0, 21))
def test_by_the_rules_of_x_rai(index: OffsetIndex, spans_given: list[tuple[int, int]], entry: int) -> None:
    """Pointers lead where the passages are; listed are all elements that hold highlighted text."""
    marked = [("1", Span("A", start, min(start + length, 22))) for start, length in spans_given]
    judgments = Judgments.of(marked, sizes={"A": 22}, entries={("1", "A"): entry})
    tree, root = ET.fromstring(written(judgments, index).encode()), ET.fromstring(CONVERSION)
    passages = [
        (place(root, one.attrib["start"], end=False), place(root, one.attrib["end"], end=True))
        for one in tree.iter("passage")
    ]
    assert passages == [(span.start, span.end) for span in judgments.highlights("1")]
    assert all(one[1] < two[0] for one, two in pairwise(passages))  # those that touch are joined
    assert [place(root, one.attrib["path"], end=False) for one in tree.iter("best-entry-point")] == [entry]
    relevant = {offset for start, end in passages for offset in range(start, end)}
    listed = {one.attrib["path"]: (one.attrib["size"], one.attrib["rsize"]) for one in tree.iter("element")}
    for path in (
        "/article[1]",
        "/article[1]/name[1]",
        "/article[1]/bdy[1]/p[1]/b[1]",
        "/article[1]/bdy[1]/p[2]",
    ):
        inside = range(place(root, path, end=False), place(root, path, end=True))
        count = len(relevant.intersection(inside))
        assert listed.get(path) == ((str(len(inside)), str(count)) if count else None)


#: Elements that begin and end in all the ways they can: empty, nested, side by side, around no text.
_PIECES = (
    "a&amp;b", "<b/>", "<b>😀</b>", "<b><c/><c>x</c></b>", "<c>y<b>z</b>w</c>", "\n",
    "<!-- no text -->", "<b></b>", "é", "<d><d><d>k</d></d></d>",
)  # fmt: skip


def test_the_example_of_the_format(index: OffsetIndex) -> None:
    """Start and end pointers name the text nodes that hold the first and the last character."""
    structure = Structure(indexed_elements(index, "A") or ())
    assert structure.pointer(15) == "/article[1]/bdy[1]/p[1]/text()[2].1"
    assert structure.pointer(22, end=True) == "/article[1]/bdy[1]/p[2]/text()[1].1"
    assert structure.pointer(14) == "/article[1]/bdy[1]/p[1]/text()[2].0"
    assert structure.pointer(14, end=True) == "/article[1]/bdy[1]/p[1]/b[1]/text()[1].3"
    places = [(element.start, element.end) for element in structure.elements]
    spans = dict(zip(structure.paths, places, strict=True))
    assert spans["/article[1]/bdy[1]/p[1]/b[1]"] == (11, 14)
    assert indexed_elements(index, "nobody") is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the documents of all generated cases."""
    return tmp_path_factory.mktemp("documents")


@given(st.lists(st.sampled_from(_PIECES), max_size=12))
def test_an_index_reads_every_pointer(folder: Path, pieces: list[str]) -> None:
    """Every character of a document is found again, as start and as end, with its path."""
    place = folder / str(len(list(folder.iterdir())))
    place.mkdir()
    (place / "d.xml").write_text(f"<r>{''.join(pieces)}.</r>", encoding="utf-8")
    build_index(place / "d.xml", place / "index")
    index = OffsetIndex.open(place / "index")
    document = Corpus.read(place / "d.xml").document("d")
    structure = Structure(document.elements or ())
    every = range(len(document.text))
    starts = index.resolve_pointers([0] * len(every), [structure.pointer(at) for at in every], end=False)
    ends = index.resolve_pointers(
        [0] * len(every), [structure.pointer(at + 1, end=True) for at in every], end=True
    )
    assert starts.tolist() == list(every)
    assert ends.tolist() == [at + 1 for at in every]
    found = index.resolve([0] * len(structure.paths), structure.paths)
    assert found.start.tolist() == [element.start for element in structure.elements]
    assert found.end.tolist() == [element.end for element in structure.elements]
