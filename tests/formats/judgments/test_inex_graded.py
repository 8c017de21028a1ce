"""INEX assessments with two grades (2002 to 2004): grades, what is not assessed, rows, faults."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from excerpt.errors import ExcerptError, FormatError
from excerpt.formats import read_judgments
from excerpt.formats.judgments import inex, inex_graded
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.model import Judgments

Open = Callable[..., Source]
Save = Callable[[str, str | bytes], str]

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


def assessed(inside: str, topic: str = "1") -> str:
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


def test_relevance_and_coverage(opened: Open) -> None:
    """2002: coverage N, S, L, E is 0, 1, 2, 3; paths get a position at every step."""
    source = opened(IN_2002)
    judgments = inex_graded.read(source)
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


def test_exhaustiveness_and_specificity(opened: Open) -> None:
    """2003, 2004: grades of 0 are kept; `U` and no grades are not assessed, without a word."""
    source = opened(IN_2004)
    judgments = inex_graded.read(source)
    assert grades(judgments) == [
        ("162", "co/2000/r7108", "/article[1]", 0, 0),
        ("162", "co/2000/r7108", "/article[1]/bdy[1]/sec[2]", 3, 2),
    ]
    assert judgments.scale == "exhaustivity and specificity"
    assert list(source.notices) == []


def test_one_grade_only(opened: Open) -> None:
    """It is not assessed either, and a notice says so; `exhaustivity` is a spelling of exhaustiveness."""
    listed = [
        path("/a[1]", "exhaustiveness='2'"),
        path("/a[1]/b[1]", "exhaustivity=' 3 ' specificity=\"1\""),
        path("/a[1]/b[2]", "exhaustiveness='u' specificity='0'"),
    ]
    source = opened(assessed("<file file='A'>\n" + "\n".join(listed) + "</file>"))
    assert grades(inex_graded.read(source)) == [("1", "A", "/a[1]/b[1]", 3, 1)]
    (notice,) = source.notices
    assert (
        notice == "element has only one of two grades and was left out as not assessed (2 times, first: f:3)"
    )


def test_rows_of_an_index(opened: Open, index: OffsetIndex) -> None:
    """With an index elements have rows and documents lengths; what is not there is counted."""
    inside = (
        f"<file file='A'>{path('/article/bdy/p[2]')}{path('/article[1]/x[1]')}"
        f"{path('/article[1]/name[1]/text()[1]')}</file><file file='Z'>{path()}</file>"
        f"<file file='B'>{path()}</file>"
    )
    source = opened(assessed(inside), index=index)
    judgments = inex_graded.read(source)
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
        "judged document is not in the index; its length is unknown (document Z of f)",
        (
            "assessed element is not in the index; no result can match it "
            "(3 times, first: /article[1]/x[1] of document A of f)"
        ),
    ]


def test_what_is_inside_what(opened: Open, index: OffsetIndex) -> None:
    """The nearest assessed ancestor is the same with and without an index."""
    listed = "/article[1]/bdy[1]/p[1]/b[1]", "/article[1]", "/article[1]/bdy[1]/p[1]", "/article[1]/x[1]"
    text = assessed(f"<file file='B'>{path()}</file>" + of_a("".join(path(name) for name in listed)))
    for source in (opened(text), opened(text, index=index)):
        elements = inex_graded.read(source).elements
        assert elements is not None
        assert elements.parents.tolist() == [-1, 3, -1, 2, 2]


def test_several_topics_under_one_root(opened: Open) -> None:
    """Topics keep their order; one without files, and files without elements, are judged too."""
    inside = [
        assessed(f"<file file='B'>{path()}</file><file name='A'/>", "7"),
        assessed("", "5"),
        assessed(f"<file file='B'>{path()}</file>", "3"),
    ]
    source = opened(f"<all>{''.join(inside)}</all>")
    judgments = inex_graded.read(source)
    assert judgments.topics == ("7", "5", "3")
    assert grades(judgments) == [("7", "B", "/article[1]", 1, 2), ("3", "B", "/article[1]", 1, 2)]
    assert len(judgments) == 3
    assert inex_graded.recognise(source) > 0


def test_nothing_assessed(opened: Open, index: OffsetIndex) -> None:
    """A topic whose elements nobody assessed has none; files without grades do not show a scale."""
    text = assessed(f"<file file='A'>{path(grades='')}</file>")
    for source in (opened(text), opened(text, index=index), opened(assessed(""))):
        judgments = inex_graded.read(source)
        assert judgments.elements is None
        assert judgments.scale == "highlights"


@pytest.mark.parametrize(
    ("inside", "line", "message"),
    [
        ("<file/>", 2, "found a file without name, expected <file name=…>"),
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
            "found no path, expected a path such as /article[1]/p[2]",
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
def test_faults(opened: Open, inside: str, line: int, message: str) -> None:
    """Each fault has its own line."""
    source = opened(assessed(inside), keep=True)
    assert grades(inex_graded.read(source)) == []
    assert [str(fault) for fault in source.faults.found] == [f"f:{line}: {message}"]
    with pytest.raises(FormatError):
        inex_graded.read(opened(assessed(inside)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "<assessments>\n</assessments>",
            "f:1: found assessments without topic, expected <assessments topic=…>",
        ),
        ("<all/>", "f: found no <assessments>, expected assessments of a topic"),
        (
            f"<all>{assessed('')}\n{assessed('')}</all>",
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
def test_faults_of_the_file(opened: Open, text: str, message: str) -> None:
    """Damaged files are errors with the line of the damage."""
    source = opened(text, keep=True)
    inex_graded.read(source)
    assert message in [str(fault) for fault in source.faults.found]
    with pytest.raises(FormatError):
        inex_graded.read(opened(text))


@pytest.mark.parametrize(
    ("text", "graded"),
    [
        (IN_2002, True),
        (IN_2004, True),
        (f"<all>{assessed(of_a(path()))}</all>", True),
        (assessed("<file file='A'/>"), True),
        (assessed("<!-- <element path='x'/> -->\n<file file='A'>" + path() + "</file>"), True),
        (IN_2002.partition("\n")[2].encode("utf-16"), True),
        (assessed("<file name='A'/>"), False),
        (assessed(""), False),
        (assessed("<inex_topic><path>p</path></inex_topic><file name='A'></file>"), False),
        (assessed("<file name='A'><passage start='/a[1]' end='/a[1]'/></file>"), False),
        (assessed("<file file='A'><best-entry-point path='/a[1]'/></file>"), False),
        (
            "<all>" + assessed(of_a("<element path='/a' exhaustivity='2' size='1' rsize='1'/>")) + "</all>",
            False,
        ),
    ],
)
def test_recognised_by_one_of_two(opened: Open, text: str | bytes, graded: bool) -> None:
    """Assessments are those of 2002 to 2004 or later ones, never both."""
    source = opened(text)
    assert bool(inex_graded.recognise(source)) is graded
    assert bool(inex.recognise(source)) is not graded


def test_other_formats(opened: Open) -> None:
    """Submissions, columns and other XML are not assessments."""
    for other in (
        "<inex-submission><path path='/a'/></inex-submission>",
        "1 Q0 A 5 20 0 0:5\n",
        "{}",
        "<all/>",
    ):
        assert inex_graded.recognise(opened(other)) == 0


# ---- folders -----------------------------------------------------------------------------------------------


def test_a_folder(save: Save, index: OffsetIndex) -> None:
    """One file per topic, also one in which nothing was assessed; rows are kept."""
    save("pool/1.xml", assessed("", "1"))
    save("pool/2.xml", assessed(f"<file file='A'>{path()}{path('/article[1]/name[1]')}</file>", "2"))
    save("pool/3.xml", assessed(f"<file file='B'>{path()}</file>", "3"))
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
def test_a_folder_with_a_file_without_grades(save: Save, nothing: str, place: str) -> None:
    """It takes the scale of the others, whichever comes first; its topic is judged."""
    save("pool/1.xml", assessed(of_a(OF_2002), "1"))
    save(f"pool/{place}.xml", assessed(of_a(nothing), place))
    judgments = read_judgments("pool")
    assert judgments.scale == "relevance and coverage"
    assert grades(judgments) == [("1", "A", "/article[1]", 1, 3)]
    assert judgments.topics == tuple(sorted(["1", place]))


def test_a_folder_without_any_grades(save: Save) -> None:
    """Its topics are judged and have nothing."""
    save("pool/1.xml", assessed(of_a(path(grades="")), "1"))
    save("pool/2.xml", assessed(of_a(path(grades="")), "2"))
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
    save: Save, index: OffsetIndex, one: str, other: str, scales: tuple[str, str]
) -> None:
    """Two scales are not mixed; the error names both and a file of each."""
    save("pool/1.xml", assessed(f"<file file='A'>{one}</file>", "1"))
    save("pool/2.xml", assessed(f"<file file='A'>{other}</file>", "2"))
    with pytest.raises(ExcerptError) as caught:
        read_judgments("pool", index=index)
    assert str(caught.value) == (
        f"pool: found judgments by {scales[0]} (pool/1.xml) beside judgments by {scales[1]} (pool/2.xml), "
        "expected one scale"
    )


def test_attributes_that_are_not_known(opened: Open) -> None:
    """Grades under other names are not passed over in silence; how an assessment came about is no matter."""
    source = opened(
        "<assessments topic='1'><file file='A'>\n<path path='/a[1]' rel='3' cov='E' inpool='true'/>\n"
        "<path path='/a[2]' rel='3'/></file></assessments>"
    )
    assert inex_graded.read(source).elements is None
    assert list(source.notices) == ["path has unknown attributes, which were ignored: cov, rel (f:2)"]
