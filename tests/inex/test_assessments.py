"""INEX assessments: passages through the index, elements without it, topics and files judged twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from excerpt.errors import ExcerptError, FormatError, MissingData
from excerpt.evaluation import evaluate
from excerpt.formats import read_judgments
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.indexing.builder import build_index
from excerpt.inex import assessments
from excerpt.inex.assessed_elements import fit
from excerpt.model import Judgments, Result, Run, Span

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
    judgments = assessments.read(source)
    assert judgments.topics == ("289",)
    assert judgments.highlights("289") == [Span("A", 0, 3), Span("A", 15, 22)]
    assert judgments.documents == ("A", "B")
    assert judgments.pair_size.tolist() == [22, 4]
    assert judgments.pair_entry.tolist() == [7, -1]
    assert (judgments.scale, judgments.unit, judgments.source) == ("exhaustivity 0-2", "char", "f")
    assert list(source.notices) == []


def test_elements_are_kept_as_listed(opened: Open, index: OffsetIndex) -> None:
    """Sizes are those of the file, which counts whitespace differently; `?` is -1."""
    for source in (opened(ASSESSMENTS), opened(ASSESSMENTS, index=index)):
        elements = assessments.read(source).elements
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
    elements = assessments.read(source).elements
    assert elements is not None
    assert elements.row is not None
    assert index.path(elements.row) == ["/article[1]/bdy[1]", ""]
    assert elements.paths == ("/article[1]/bdy[1]", "/article[1]/x[1]")
    (notice,) = source.notices
    assert notice == (
        "1 assessed element is not in the index; no result can match it (/article[1]/x[1] of document A of f)"
    )
    without = assessments.read(opened(text)).elements
    assert without is not None
    assert without.row is None


def test_example_without_an_index(opened: Open) -> None:
    """The elements are there, the highlighted text is not, and a notice says so."""
    source = opened(ASSESSMENTS)
    judgments = assessments.read(source)
    assert judgments.scale == "exhaustivity 0-2"
    assert judgments.highlights("289") == []
    assert len(judgments) == 2
    assert judgments.pair_size.tolist() == [-1, -1]
    (notice,) = source.notices
    assert notice == (
        "2 highlighted passages are left out: locating them needs an index (listed elements are read) "
        "(first: f:7)"
    )


def test_passages_alone_need_an_index(opened: Open) -> None:
    """Without elements nothing would be left, so it is an error."""
    text = assessed("<file name='A'><passage start='/article[1]' end='/article[1]' size='1'/></file>")
    with pytest.raises(ExcerptError) as caught:
        assessments.read(opened(text))
    assert str(caught.value) == (
        "f: highlighted text needs the offsets of elements; give index=OffsetIndex.open(…) "
        "(excerpt index builds it)"
    )


def test_highlighting_only(opened: Open, index: OffsetIndex) -> None:
    """If every element has exhaustivity 2, the text was only highlighted, as since 2006."""
    text = assessed(f"<file name='A'><passage start='/article[1]' end='/article[1]'/>{element()}</file>")
    for source in (opened(text), opened(text, index=index)):
        judgments = assessments.read(source)
        assert judgments.scale == "highlights"
        assert judgments.elements is not None


def test_the_scale_does_not_depend_on_an_index(opened: Open, index: OffsetIndex) -> None:
    """One lower grade, or `?`, and the elements were graded, with and without an index."""
    for grade in ("0", "1", "?"):
        text = assessed(f"<file name='A'>{element()}{element('/article[1]/bdy[1]', grade)}</file>")
        for source in (opened(text), opened(text, index=index)):
            assert assessments.read(source).scale == "exhaustivity 0-2"


def test_highlighting_without_an_index(opened: Open) -> None:
    """Elements gain the highlighted share that the file gives; measures of text refuse the judgments."""
    passage = "<passage start='/article[1]' end='/article[1]'/>"
    listed = element() + element("/article[1]/bdy[1]", size="8", rsize="6")
    judgments = assessments.read(opened(assessed(f"<file name='A'>{passage}{listed}</file>")))
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
    judgments = assessments.read(source)
    assert judgments.highlights("1") == [Span("A", 0, 5)]
    assert judgments.pair_entry.tolist() == [-1, -1]
    assert judgments.pair_size.tolist() == [22, -1]
    assert list(source.notices) == [
        "2 highlighted passages point to text that does not exist and are left out (first: f:4)",
        "1 judged document is not in the index; its length is unknown (document Z of f)",
        "1 best entry point points to text that does not exist and is left out (f:3)",
    ]


def test_several_topics_under_one_root(opened: Open) -> None:
    """Topics keep their order; a topic without files is judged; files may be named as in older years."""
    inside = [
        assessed(f"<file name='B'>{element()}</file><file file='A'/>", "7"),
        assessed("", "5"),
        assessed(f"<file name='A'>{element(rsize='9')}</file>", "3"),
    ]
    source = opened(f"<all>{''.join(inside)}</all>")
    judgments = assessments.read(source)
    assert fit(source, graded=False) > 0
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
    judgments = assessments.read(opened(text, index=OffsetIndex.open("bytes")))
    assert judgments.unit == "byte"
    assert judgments.highlights("1") == [Span("B", 4, 5)]


@pytest.mark.parametrize(
    ("inside", "line", "message"),
    [
        ("<file/>", 2, "the name of a file is missing, expected <file name=…>"),
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
            "rsize is missing, expected a whole number",
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
    assessments.read(source)
    assert [str(fault) for fault in source.faults.found] == [f"f:{line}: {message}"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "<assessments>\n</assessments>",
            "f:1: the topic of assessments is missing, expected <assessments topic=…>",
        ),
        ("<all>\n<file name='A'/></all>", "f:2: found a file outside <assessments>, expected it inside"),
        ("<all/>", "f: <assessments> is missing, expected assessments of a topic"),
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
    assessments.read(source)
    assert message in [str(fault) for fault in source.faults.found]
    with pytest.raises(FormatError):
        assessments.read(opened(text))


def test_recognise(opened: Open) -> None:
    """Assessments at the root or under one; submissions and columns are others."""
    assert fit(opened(ASSESSMENTS), graded=False) > fit(opened(f"<all>{assessed('')}</all>"), graded=False)
    for other in ("<inex-submission/>", "1 Q0 A 5 20 0 0:5\n", "{}", "<all/>"):
        assert fit(opened(other), graded=False) == 0


InexGradedOpen = Callable[..., Source]
InexGradedSave = Callable[[str, str | bytes], str]

IN_2002 = """<?xml version="1.0"?>
<assessments topic="31">
  <file file="A">
    <path path="/article[1]" relevance="2" coverage="L"/>
    <path path="/article[1]/name[1]" relevance="0" coverage="N"/>
    <path path="/article/bdy[1]/p" relevance="3" coverage="E"/>
    <path path="/article[1]/bdy[1]/p[2]" relevance="1" coverage="S"/>
  </file>
  <file file="B"/>
</assessments>
"""
IN_2004 = """<?xml version='1.0'?>
<!DOCTYPE assessments [<!ELEMENT path EMPTY><!ATTLIST path specificity CDATA 'U'>]>
<assessments pool='203' topic='162'>
  <file file='co/2000/r7108'>
    <path path='/article[1]' exhaustiveness='0' specificity='0' inferred='true' inpool='true'/>
    <path path='/article[1]/bdy[1]/sec[2]' exhaustiveness='3' specificity='2' inpool='true'/>
    <path path='/article[1]/bdy[1]/sec[3]' exhaustiveness='U' specificity='U' inconsistant='false'/>
    <path path='/article[1]/bdy[1]/sec[4]' inpool='true'/>
  </file>
</assessments>
"""


def inex_graded_assessed(inside: str, topic: str = "1") -> str:
    """Assessments of one topic, what is inside from line 2 on."""
    return f"<assessments pool='1' topic='{topic}'>\n{inside}\n</assessments>"


def path(name: str = "/article[1]", grades: str = "exhaustiveness='1' specificity='2'") -> str:
    """A listed element."""
    return f"<path path='{name}' {grades}/>"


def of_a(inside: str) -> str:
    """The judged file A."""
    return f"<file file='A'>{inside}</file>"


def grades(judgments: Judgments) -> list[tuple[str, str, str, int, int]]:
    """Topic, document, path and both grades of the assessed elements."""
    elements = judgments.elements
    assert elements is not None
    return [
        (
            judgments.topics[int(judgments.pair_topic[pair])],
            judgments.documents[int(judgments.pair_document[pair])],
            elements.paths[code],
            int(first),
            int(second),
        )
        for pair, code, first, second in zip(
            elements.pair, elements.path, elements.exhaustivity, elements.specificity, strict=True
        )
    ]


def test_relevance_and_coverage(opened: InexGradedOpen) -> None:
    """2002: coverage N, S, L, E is 0, 1, 2, 3; paths get a position at every step."""
    source = opened(IN_2002)
    judgments = assessments.read_graded(source)
    assert grades(judgments) == [
        ("31", "A", "/article[1]", 2, 2),
        ("31", "A", "/article[1]/name[1]", 0, 0),
        ("31", "A", "/article[1]/bdy[1]/p[1]", 3, 3),
        ("31", "A", "/article[1]/bdy[1]/p[2]", 1, 1),
    ]
    assert (judgments.scale, judgments.unit, judgments.source) == ("relevance and coverage", "char", "f")
    assert judgments.documents == ("A", "B")
    assert len(judgments) == 2
    assert judgments.has_relevant.tolist() == [False]
    assert judgments.pair_size.tolist() == judgments.pair_entry.tolist() == [-1, -1]
    assert judgments.elements is not None
    assert judgments.elements.row is None
    assert judgments.elements.size.tolist() == judgments.elements.relevant.tolist() == [0] * 4
    assert list(source.notices) == []


def test_exhaustiveness_and_specificity(opened: InexGradedOpen) -> None:
    """2003, 2004: grades of 0 are kept; `U` and no grades are not assessed, without a word."""
    source = opened(IN_2004)
    judgments = assessments.read_graded(source)
    assert grades(judgments) == [
        ("162", "co/2000/r7108", "/article[1]", 0, 0),
        ("162", "co/2000/r7108", "/article[1]/bdy[1]/sec[2]", 3, 2),
    ]
    assert judgments.scale == "exhaustivity and specificity"
    assert list(source.notices) == []


def test_one_grade_only(opened: InexGradedOpen) -> None:
    """It is not assessed either, and a notice says so; `exhaustivity` is a spelling of exhaustiveness."""
    listed = [
        path("/a[1]", "exhaustiveness='2'"),
        path("/a[1]/b[1]", "exhaustivity=' 3 ' specificity=\"1\""),
        path("/a[1]/b[2]", "exhaustiveness='u' specificity='0'"),
    ]
    source = opened(inex_graded_assessed("<file file='A'>\n" + "\n".join(listed) + "</file>"))
    assert grades(assessments.read_graded(source)) == [("1", "A", "/a[1]/b[1]", 3, 1)]
    (notice,) = source.notices
    assert notice == "2 elements have only one of two grades and count as not assessed (first: f:3)"


def test_rows_of_an_index(opened: InexGradedOpen, index: OffsetIndex) -> None:
    """With an index elements have rows and documents lengths; what is not there is counted."""
    inside = (
        f"<file file='A'>{path('/article/bdy/p[2]')}{path('/article[1]/x[1]')}"
        f"{path('/article[1]/name[1]/text()[1]')}</file><file file='Z'>{path()}</file>"
        f"<file file='B'>{path()}</file>"
    )
    source = opened(inex_graded_assessed(inside), index=index)
    judgments = assessments.read_graded(source)
    elements = judgments.elements
    assert elements is not None
    assert elements.row is not None
    assert index.path(elements.row) == ["/article[1]/bdy[1]/p[2]", "", "", "", "/article[1]"]
    assert elements.parents.tolist() == [-1] * 5
    assert elements.size.tolist() == [1, 0, 0, 0, 4]
    assert dict(zip(judgments.documents, judgments.pair_size.tolist(), strict=True)) == {
        "A": 22,
        "Z": -1,
        "B": 4,
    }
    assert list(source.notices) == [
        "1 judged document is not in the index; its length is unknown (document Z of f)",
        (
            "3 assessed elements are not in the index; no result can match them "
            "(first: /article[1]/x[1] of document A of f)"
        ),
    ]


def test_what_is_inside_what(opened: InexGradedOpen, index: OffsetIndex) -> None:
    """The nearest assessed ancestor is the same with and without an index."""
    listed = "/article[1]/bdy[1]/p[1]/b[1]", "/article[1]", "/article[1]/bdy[1]/p[1]", "/article[1]/x[1]"
    text = inex_graded_assessed(
        f"<file file='B'>{path()}</file>" + of_a("".join(path(name) for name in listed))
    )
    for source in (opened(text), opened(text, index=index)):
        elements = assessments.read_graded(source).elements
        assert elements is not None
        assert elements.parents.tolist() == [-1, 3, -1, 2, 2]


def test_inex_graded_several_topics_under_one_root(opened: InexGradedOpen) -> None:
    """Topics keep their order; one without files, and files without elements, are judged too."""
    inside = [
        inex_graded_assessed(f"<file file='B'>{path()}</file><file name='A'/>", "7"),
        inex_graded_assessed("", "5"),
        inex_graded_assessed(f"<file file='B'>{path()}</file>", "3"),
    ]
    source = opened(f"<all>{''.join(inside)}</all>")
    judgments = assessments.read_graded(source)
    assert judgments.topics == ("7", "5", "3")
    assert grades(judgments) == [("7", "B", "/article[1]", 1, 2), ("3", "B", "/article[1]", 1, 2)]
    assert len(judgments) == 3
    assert fit(source, graded=True) > 0


def test_nothing_assessed(opened: InexGradedOpen, index: OffsetIndex) -> None:
    """A topic without assessed elements has none; files without grades do not show a scale."""
    text = inex_graded_assessed(f"<file file='A'>{path(grades='')}</file>")
    for source in (opened(text), opened(text, index=index), opened(inex_graded_assessed(""))):
        judgments = assessments.read_graded(source)
        assert judgments.elements is None
        assert judgments.scale == "highlights"


@pytest.mark.parametrize(
    ("inside", "line", "message"),
    [
        ("<file/>", 2, "the name of a file is missing, expected <file name=…>"),
        (
            "<file file='A'/>\n<file file='A'/>",
            3,
            ("found document A of topic 1 again (first in line 2), expected one file per topic and document"),
        ),
        (path(), 2, "found a path outside a file, expected it in <file name=…>"),
        (
            of_a("\n" + path(grades="exhaustiveness='4' specificity='1'")),
            3,
            "found exhaustiveness '4', expected 0, 1, 2, 3 or U",
        ),
        (
            of_a("\n\n" + path(grades="exhaustiveness='1' specificity='-1'")),
            4,
            "found specificity '-1', expected 0, 1, 2, 3 or U",
        ),
        (
            of_a(path(grades="exhaustivity='?' specificity='1'")),
            2,
            "found exhaustivity '?', expected 0, 1, 2, 3 or U",
        ),
        (
            of_a("\n" + path(grades="exhaustiveness='2' exhaustivity='2' specificity='1'")),
            3,
            "found exhaustiveness and exhaustivity, expected one of the two",
        ),
        (
            of_a(path(grades="relevance='E' coverage='E'")),
            2,
            "found relevance 'E', expected 0, 1, 2, 3 or U",
        ),
        (
            of_a(path(grades="relevance='1' coverage='3'")),
            2,
            "found coverage '3', expected N, S, L, E or U",
        ),
        (
            of_a(path(grades="relevance='1' coverage=''")),
            2,
            "found coverage '', expected N, S, L, E or U",
        ),
        (
            f"<file file='A'>{path()}\n\n{path('/article')}</file>",
            4,
            "found element /article[1] again (first in line 2), expected it once per file",
        ),
        (
            f"<file file='A'>{path()}{path(grades='')}</file>",
            2,
            "found element /article[1] again (first in line 2), expected it once per file",
        ),
        (
            "<file file='A'>\n<path exhaustiveness='1' specificity='1'/></file>",
            3,
            "path is missing, expected a path such as /article[1]/p[2]",
        ),
        (
            of_a(path() + "\n" + path("/a[1]", "relevance='1'")),
            3,
            "found relevance, expected exhaustivity and specificity as in line 2",
        ),
        (
            f"<file file='A'>{path()}\n<element path='/a[1]' exhaustivity='2' size='1' rsize='1'/></file>",
            3,
            (
                "found assessments of 2005 or later, expected <path> as in those of 2002 to 2004; "
                "read it as inex"
            ),
        ),
    ],
)
def test_inex_graded_faults(opened: InexGradedOpen, inside: str, line: int, message: str) -> None:
    """Each fault has its own line."""
    source = opened(inex_graded_assessed(inside), keep=True)
    assert grades(assessments.read_graded(source)) == []
    assert [str(fault) for fault in source.faults.found] == [f"f:{line}: {message}"]
    with pytest.raises(FormatError):
        assessments.read_graded(opened(inex_graded_assessed(inside)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "<assessments>\n</assessments>",
            "f:1: the topic of assessments is missing, expected <assessments topic=…>",
        ),
        ("<all/>", "f: <assessments> is missing, expected assessments of a topic"),
        (
            f"<all>{inex_graded_assessed('')}\n{inex_graded_assessed('')}</all>",
            "f:4: found topic 1 again (first in line 1), expected it once; keep one of the two assessments",
        ),
        (
            IN_2004[: IN_2004.index("specificity='2'")],
            "f:6: found XML that is broken here (unclosed token), expected well-formed XML",
        ),
        (
            IN_2004.replace("</file>", ""),
            "f:10: found XML that is broken here (mismatched tag), expected well-formed XML",
        ),
    ],
)
def test_inex_graded_faults_of_the_file(opened: InexGradedOpen, text: str, message: str) -> None:
    """Damaged files are errors with the line of the damage."""
    source = opened(text, keep=True)
    assessments.read_graded(source)
    assert message in [str(fault) for fault in source.faults.found]
    with pytest.raises(FormatError):
        assessments.read_graded(opened(text))


@pytest.mark.parametrize(
    ("text", "graded"),
    [
        (IN_2002, True),
        (IN_2004, True),
        (f"<all>{inex_graded_assessed(of_a(path()))}</all>", True),
        (inex_graded_assessed("<file file='A'/>"), True),
        (inex_graded_assessed("<!-- <element path='x'/> -->\n<file file='A'>" + path() + "</file>"), True),
        (IN_2002.partition("\n")[2].encode("utf-16"), True),
        (inex_graded_assessed("<file name='A'/>"), False),
        (inex_graded_assessed(""), False),
        (inex_graded_assessed("<inex_topic><path>p</path></inex_topic><file name='A'></file>"), False),
        (inex_graded_assessed("<file name='A'><passage start='/a[1]' end='/a[1]'/></file>"), False),
        (inex_graded_assessed("<file file='A'><best-entry-point path='/a[1]'/></file>"), False),
        (
            "<all>"
            + inex_graded_assessed(of_a("<element path='/a' exhaustivity='2' size='1' rsize='1'/>"))
            + "</all>",
            False,
        ),
    ],
)
def test_recognised_by_one_of_two(opened: InexGradedOpen, text: str | bytes, graded: bool) -> None:
    """Assessments are those of 2002 to 2004 or later ones, never both."""
    source = opened(text)
    assert bool(fit(source, graded=True)) is graded
    assert bool(fit(source, graded=False)) is not graded


def test_other_formats(opened: InexGradedOpen) -> None:
    """Submissions, columns and other XML are not assessments."""
    for other in (
        "<inex-submission><path path='/a'/></inex-submission>",
        "1 Q0 A 5 20 0 0:5\n",
        "{}",
        "<all/>",
    ):
        assert fit(opened(other), graded=True) == 0


# ---- folders -----------------------------------------------------------------------------------------------


def test_a_folder(save: InexGradedSave, index: OffsetIndex) -> None:
    """One file per topic, also one in which nothing was assessed; rows are kept."""
    save("pool/1.xml", inex_graded_assessed("", "1"))
    save(
        "pool/2.xml",
        inex_graded_assessed(f"<file file='A'>{path()}{path('/article[1]/name[1]')}</file>", "2"),
    )
    save("pool/3.xml", inex_graded_assessed(f"<file file='B'>{path()}</file>", "3"))
    judgments = read_judgments("pool", index=index)
    assert judgments.topics == ("1", "2", "3")
    assert judgments.scale == "exhaustivity and specificity"
    assert grades(judgments) == [
        ("2", "A", "/article[1]", 1, 2),
        ("2", "A", "/article[1]/name[1]", 1, 2),
        ("3", "B", "/article[1]", 1, 2),
    ]
    assert judgments.elements is not None
    assert judgments.elements.row is not None
    assert index.path(judgments.elements.row) == ["/article[1]", "/article[1]/name[1]", "/article[1]"]


@pytest.mark.parametrize("nothing", [path(grades=""), path(grades="relevance='U' coverage='U'"), ""])
@pytest.mark.parametrize("place", ["0", "9"])
def test_a_folder_with_a_file_without_grades(save: InexGradedSave, nothing: str, place: str) -> None:
    """It takes the scale of the others, whichever comes first; its topic is judged."""
    save("pool/1.xml", inex_graded_assessed(of_a(OF_2002), "1"))
    save(f"pool/{place}.xml", inex_graded_assessed(of_a(nothing), place))
    judgments = read_judgments("pool")
    assert judgments.scale == "relevance and coverage"
    assert grades(judgments) == [("1", "A", "/article[1]", 1, 3)]
    assert judgments.topics == tuple(sorted(["1", place]))


def test_a_folder_without_any_grades(save: InexGradedSave) -> None:
    """Its topics are judged and have nothing."""
    save("pool/1.xml", inex_graded_assessed(of_a(path(grades="")), "1"))
    save("pool/2.xml", inex_graded_assessed(of_a(path(grades="")), "2"))
    judgments = read_judgments("pool")
    assert (judgments.topics, judgments.elements, judgments.scale) == (("1", "2"), None, "highlights")


LISTED = "<element path='/article[1]' exhaustivity='{}' size='9' rsize='5'/>"
OF_2002 = path(grades="relevance='1' coverage='E'")


@pytest.mark.parametrize(
    ("one", "other", "scales"),
    [
        (path(), OF_2002, ("exhaustivity and specificity", "relevance and coverage")),
        (OF_2002, path(), ("relevance and coverage", "exhaustivity and specificity")),
        (LISTED.format("1"), path(), ("exhaustivity 0-2", "exhaustivity and specificity")),
        (OF_2002, LISTED.format("1"), ("relevance and coverage", "exhaustivity 0-2")),
        (LISTED.format("2"), OF_2002, ("highlights", "relevance and coverage")),
    ],
)
def test_a_folder_of_two_scales(
    save: InexGradedSave, index: OffsetIndex, one: str, other: str, scales: tuple[str, str]
) -> None:
    """Two scales are not mixed; the error names both and a file of each."""
    save("pool/1.xml", inex_graded_assessed(f"<file file='A'>{one}</file>", "1"))
    save("pool/2.xml", inex_graded_assessed(f"<file file='A'>{other}</file>", "2"))
    with pytest.raises(ExcerptError) as caught:
        read_judgments("pool", index=index)
    assert str(caught.value) == (
        f"pool: found judgments by {scales[0]} (pool/1.xml) and judgments by {scales[1]} (pool/2.xml), "
        "expected one scale"
    )


def test_attributes_that_are_not_known(opened: InexGradedOpen) -> None:
    """Grades under other names are not passed over in silence; how an assessment came about is no matter."""
    source = opened(
        "<assessments topic='1'><file file='A'>\n<path path='/a[1]' rel='3' cov='E' inpool='true'/>\n"
        "<path path='/a[2]' rel='3'/></file></assessments>"
    )
    assert assessments.read_graded(source).elements is None
    assert list(source.notices) == ["unknown attributes of <path> are ignored: cov, rel (f:2)"]
