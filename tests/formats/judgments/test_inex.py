"""INEX assessments: passages through the index, elements without it, topics and files judged twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from excerpt.errors import ExcerptError, FormatError, MissingData
from excerpt.evaluation import evaluate
from excerpt.formats import read_judgments
from excerpt.formats.judgments import inex
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex, build_index
from excerpt.model import Result, Run, Span

Open = Callable[..., Source]
Save = Callable[[str, str | bytes], str]

ASSESSMENTS = """<?xml version="1.0"?>
<!DOCTYPE assessments [<!ELEMENT assessments ANY><!ATTLIST element exhaustivity CDATA #REQUIRED>]>
<assessments pool="417" topic="289" version="2" whitespace-text-node="keep">
  <inex_topic topic_id="289"><title>t</title><path>not ours</path><file/></inex_topic>
  <file collection="wikipedia" name="A">
    <best-entry-point path="/article[1]/bdy[1]/p[1]/text()[1].2"/>
    <passage start="/article[1]/bdy[1]/p[1]/text()[2].1" end="/article[1]/bdy[1]/p[2]" size="523"/>
    <passage start=" /article[1]/name[1] " end="/article[1]/name[1]/text()[1].3" size="3"/>
    <element path="/article[1]" exhaustivity="2" size="2000" rsize="523"/>
    <element path="/article[1]/bdy[1]/p[1]" exhaustivity="?" size="300" rsize="300"/>
  </file>
  <file collection="wikipedia" name="B"></file>
</assessments>
"""


def assessed(inside: str, topic: str = "1") -> str:
    """Assessments of one topic, what is inside from line 2 on."""
    return f"<assessments pool='1' topic='{topic}'>\n{inside}\n</assessments>"


def element(path: str = "/article[1]", grade: str = "2", size: str = "10", rsize: str = "5") -> str:
    """An assessed element."""
    return f"<element path='{path}' exhaustivity='{grade}' size='{size}' rsize='{rsize}'/>"


def test_example_with_an_index(opened: Open, index: OffsetIndex) -> None:
    """Passages are spans of raw offsets, entry points offsets; documents have the index's length."""
    source = opened(ASSESSMENTS, index=index)
    judgments = inex.read(source)
    assert judgments.topics == ("289",)
    assert judgments.highlights("289") == [Span("A", 0, 3), Span("A", 15, 22)]
    assert judgments.documents == ("A", "B")
    assert judgments.pair_size.tolist() == [22, 4]
    assert judgments.pair_entry.tolist() == [7, -1]
    assert (judgments.scale, judgments.unit, judgments.source) == ("exhaustivity 0-2", "char", "f")
    assert list(source.notices) == []


def test_elements_are_kept_as_listed(opened: Open, index: OffsetIndex) -> None:
    """Sizes are those of the file, which counts white space differently; `?` is -1."""
    for source in (opened(ASSESSMENTS), opened(ASSESSMENTS, index=index)):
        elements = inex.read(source).elements
        assert elements is not None
        assert [elements.paths[code] for code in elements.path] == ["/article[1]", "/article[1]/bdy[1]/p[1]"]
        assert elements.exhaustivity.tolist() == [2, -1]
        assert elements.size.tolist() == [2000, 300]
        assert elements.relevant.tolist() == [523, 300]
        assert elements.pair.tolist() == [0, 0]


def test_rows_of_elements(opened: Open, index: OffsetIndex) -> None:
    """With an index each element has its row there, -1 where it is not; paths get positions."""
    text = assessed(f"<file name='A'>{element('/article/bdy')}{element('/article[1]/x[1]')}</file>")
    source = opened(text, index=index)
    elements = inex.read(source).elements
    assert elements is not None
    assert elements.row is not None
    assert index.path(elements.row) == ["/article[1]/bdy[1]", ""]
    assert elements.paths == ("/article[1]/bdy[1]", "/article[1]/x[1]")
    (notice,) = source.notices
    assert notice == (
        "assessed element is not in the index; no result can match it (/article[1]/x[1] of document A of f)"
    )
    without = inex.read(opened(text)).elements
    assert without is not None
    assert without.row is None


def test_example_without_an_index(opened: Open) -> None:
    """The elements are there, the highlighted text is not, and a notice says so."""
    source = opened(ASSESSMENTS)
    judgments = inex.read(source)
    assert judgments.scale == "exhaustivity 0-2"
    assert judgments.highlights("289") == []
    assert len(judgments) == 2
    assert judgments.pair_size.tolist() == [-1, -1]
    (notice,) = source.notices
    assert notice == (
        "highlighted text was left out, since placing it needs an index (the listed elements were read) "
        "(2 times, first: f:7)"
    )


def test_passages_alone_need_an_index(opened: Open) -> None:
    """Without elements nothing would be left, so it is an error."""
    text = assessed("<file name='A'><passage start='/article[1]' end='/article[1]' size='1'/></file>")
    with pytest.raises(ExcerptError) as caught:
        inex.read(opened(text))
    assert str(caught.value) == (
        "f: highlighted text needs the offsets of elements; give index=OffsetIndex.open(…) "
        "(excerpt index makes it)"
    )


def test_highlighting_only(opened: Open, index: OffsetIndex) -> None:
    """Where every element has exhaustivity 2 the text was only highlighted, as from 2006 on."""
    text = assessed(f"<file name='A'><passage start='/article[1]' end='/article[1]'/>{element()}</file>")
    for source in (opened(text), opened(text, index=index)):
        judgments = inex.read(source)
        assert judgments.scale == "highlights"
        assert judgments.elements is not None


def test_the_scale_does_not_depend_on_an_index(opened: Open, index: OffsetIndex) -> None:
    """One lower grade, or `?`, and the elements were graded, with and without an index."""
    for grade in ("0", "1", "?"):
        text = assessed(f"<file name='A'>{element()}{element('/article[1]/bdy[1]', grade)}</file>")
        for source in (opened(text), opened(text, index=index)):
            assert inex.read(source).scale == "exhaustivity 0-2"


def test_highlighting_without_an_index(opened: Open) -> None:
    """Elements gain the highlighted share that the file gives; measures of text refuse the judgments."""
    passage = "<passage start='/article[1]' end='/article[1]'/>"
    listed = element() + element("/article[1]/bdy[1]", size="8", rsize="6")
    judgments = inex.read(opened(assessed(f"<file name='A'>{passage}{listed}</file>")))
    results = [Result("1", "A", -1, -1, path=path) for path in ("/article[1]", "/article[1]/bdy[1]")]
    run = Run.of("r", results, kind="elements")
    assert evaluate(judgments, run, ["nxCG[1]", "nxCG[2]"]).means().tolist() == [[0.5 / 0.75, 1.0]]
    with pytest.raises(MissingData, match="highlights"):
        evaluate(judgments, Run.of("r", [Result("1", "A", 0, 5)]), ["MAiP"])


def test_text_that_does_not_exist(opened: Open, index: OffsetIndex) -> None:
    """Pointers into nothing are counted and left out; the document stays judged."""
    text = assessed(
        "<file name='A'>\n<best-entry-point path='/article[1]/p[7]'/>\n"
        "<passage start='/article[1]/p[7]' end='/article[1]'/>\n<passage start='/article[1]/name[1]' "
        "end='/article[1]/name[1]'/></file>\n"
        "<file name='Z'><passage start='/article[1]' end='/article[1]'/></file>"
    )
    source = opened(text, index=index)
    judgments = inex.read(source)
    assert judgments.highlights("1") == [Span("A", 0, 5)]
    assert judgments.pair_entry.tolist() == [-1, -1]
    assert judgments.pair_size.tolist() == [22, -1]
    assert list(source.notices) == [
        "highlight names text that does not exist and was left out (2 times, first: f:4)",
        "judged document is not in the index; its length is unknown (document Z of f)",
        "best entry point names text that does not exist and was left out (f:3)",
    ]


def test_several_topics_under_one_root(opened: Open) -> None:
    """Topics keep their order; one without files is judged, too; files may be named as in older years."""
    inside = [
        assessed(f"<file name='B'>{element()}</file><file file='A'/>", "7"),
        assessed("", "5"),
        assessed(f"<file name='A'>{element(rsize='9')}</file>", "3"),
    ]
    source = opened(f"<all>{''.join(inside)}</all>")
    judgments = inex.read(source)
    assert inex.recognise(source) > 0
    assert judgments.topics == ("7", "5", "3")
    assert judgments.has_relevant.tolist() == [False] * 3
    pairs = [
        (judgments.topics[topic], judgments.documents[document])
        for topic, document in zip(judgments.pair_topic, judgments.pair_document, strict=True)
    ]
    assert pairs == [("7", "B"), ("7", "A"), ("3", "A")]
    assert judgments.elements is not None
    assert judgments.elements.pair.tolist() == [0, 2]


def test_a_folder_of_assessments(save: Save, index: OffsetIndex) -> None:
    """One file per topic; a graded topic makes the scale of all, whichever file comes first."""
    passage = "<passage start='/article[1]/name[1]' end='/article[1]/name[1]'/>"
    save("pool/1.xml", assessed(f"<file name='A'>{passage}{element()}</file>", "1"))
    save("pool/2.xml", assessed(f"<file name='A'>{element(grade='1')}</file>", "2"))
    judgments = read_judgments("pool", index=index)
    assert judgments.topics == ("1", "2")
    assert judgments.scale == "exhaustivity 0-2"
    assert judgments.highlights("1") == [Span("A", 0, 5)]
    assert judgments.elements is not None
    assert judgments.elements.exhaustivity.tolist() == [2, 1]
    assert judgments.elements.pair.tolist() == [0, 1]


def test_the_unit_is_that_of_the_index(opened: Open, save: Save) -> None:
    """Offsets through an index of bytes are bytes."""
    save("corpus/B.xml", "<article><p>äö</p><p>x</p></article>")
    build_index("corpus", "bytes", unit="byte")
    text = assessed("<file name='B'><passage start='/article[1]/p[2]' end='/article[1]/p[2]'/></file>")
    judgments = inex.read(opened(text, index=OffsetIndex.open("bytes")))
    assert judgments.unit == "byte"
    assert judgments.highlights("1") == [Span("B", 4, 5)]


@pytest.mark.parametrize(
    ("inside", "line", "message"),
    [
        ("<file/>", 2, "found a file without name, expected <file name=…>"),
        (
            "<file name='A'/>\n<file name='B'/>\n<file name='A'/>",
            4,
            ("found document A of topic 1 again (first in line 2), expected one file per topic and document"),
        ),
        (element(), 2, "found an element outside a file, expected it in <file name=…>"),
        (f"<file name='A'>{element(grade='3')}</file>", 2, "found exhaustivity '3', expected 0, 1, 2 or ?"),
        (f"<file name='A'>{element(size='x')}</file>", 2, "found size 'x', expected a whole number"),
        (
            "<file name='A'><element path='/a[1]' exhaustivity='1' size='3'/></file>",
            2,
            "found no rsize, expected a whole number",
        ),
        (
            f"<file name='A'>{element(rsize='-3')}</file>",
            2,
            "found rsize '-3', expected a number that is not negative",
        ),
        (
            f"<file name='A'>\n{element(size='10', rsize='11')}</file>",
            3,
            "found rsize 11, expected at most size 10",
        ),
        (
            f"<file name='A'>{element()}\n\n{element()}</file>",
            4,
            "found element /article[1] again (first in line 2), expected it once per file",
        ),
        (
            "<file name='A'>\n<passage start='x' end='/a[1]'/></file>",
            3,
            "found passage start 'x', expected a path such as /article[1]/p[2]",
        ),
        (
            "<file name='A'><best-entry-point path='/a[1]'/>\n<best-entry-point path='/a[1]'/></file>",
            3,
            "found a second best entry point in a file, expected one",
        ),
        (
            "<file name='A'>\n<path path='/a[1]' exhaustiveness='3' specificity='2'/></file>",
            3,
            (
                "found <path>, as in assessments of 2002 to 2004, expected <passage> or <element>; "
                "read it as inex-graded"
            ),
        ),
        (
            f"<file name='A'>{element()}{element('/article')}</file>",
            2,
            "found element /article[1] again (first in line 2), expected it once per file",
        ),
    ],
)
def test_faults(opened: Open, inside: str, line: int, message: str) -> None:
    """Each fault has its own line."""
    source = opened(assessed(inside), keep=True)
    inex.read(source)
    assert [str(fault) for fault in source.faults.found] == [f"f:{line}: {message}"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "<assessments>\n</assessments>",
            "f:1: found assessments without topic, expected <assessments topic=…>",
        ),
        ("<all>\n<file name='A'/></all>", "f:2: found a file outside <assessments>, expected it in one"),
        ("<all/>", "f: found no <assessments>, expected assessments of a topic"),
        (
            f"<all>{assessed('')}\n{assessed('')}</all>",
            "f:4: found topic 1 again (first in line 1), expected it once; keep one of the two assessments",
        ),
        (
            "<assessments topic='1'>\n<file name='A'>\n</assessments>",
            "f:3: found XML that is broken here (mismatched tag), expected well-formed XML",
        ),
    ],
)
def test_faults_of_the_file(opened: Open, text: str, message: str) -> None:
    """The earliest fault is raised."""
    source = opened(text, keep=True)
    inex.read(source)
    assert message in [str(fault) for fault in source.faults.found]
    with pytest.raises(FormatError):
        inex.read(opened(text))


def test_recognise(opened: Open) -> None:
    """Assessments at the root or under one; submissions and columns are others."""
    assert inex.recognise(opened(ASSESSMENTS)) > inex.recognise(opened(f"<all>{assessed('')}</all>"))
    for other in ("<inex-submission/>", "1 Q0 A 5 20 0 0:5\n", "{}", "<all/>"):
        assert inex.recognise(opened(other)) == 0
