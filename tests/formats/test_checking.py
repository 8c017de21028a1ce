"""A check lists every fault with its line and every doubt."""

from __future__ import annotations

from collections.abc import Callable

from excerpt.formats.checking import examine
from excerpt.index import OffsetIndex

Save = Callable[[str, str | bytes], str]


def test_all_faults_sorted_by_line(save: Save) -> None:
    """Faults of different columns come in the order of the file."""
    name = save("a.run", "1 Q0 A 1 1 r 0 5\n1 Q0 A x 1 r 7 5\n1 Q0\n1 Q0 A 2 nan r 0 5\n1 Q0 A 2 1 r -7 z\n")
    faults = examine(name, format="fol").faults
    assert [str(fault) for fault in faults] == [
        "a.run:2: found rank 'x', expected a whole number",
        "a.run:3: found 2 columns, expected 8 (topic Q0 document rank score tag offset length)",
        "a.run:4: found score 'nan', expected a number",
        "a.run:5: found offset '-7', expected a number that is not negative",
        "a.run:5: found length 'z', expected a whole number",
    ]


def test_a_good_run(save: Save) -> None:
    """Nothing wrong, nothing doubtful."""
    found = examine(save("a.run", "1 Q0 A 1 1 r 0 5\n1 Q0 A 2 0.5 r 5 5\n"))
    assert (found.faults, found.warnings) == ((), ())
    assert found.summary.startswith("a.run: a run of spans, r: 2 results, 1 topics, 1 documents")


def test_overlap_is_a_doubt(save: Save) -> None:
    """Some tasks allow results that share text."""
    found = examine(save("a.run", "1 Q0 A 1 1 r 0 5\n1 Q0 A 2 0.5 r 4 5\n"))
    assert found.faults == ()
    assert len(found.warnings) == 1
    assert "share text" in found.warnings[0]


def test_an_index_finds_what_does_not_exist(save: Save, index: OffsetIndex) -> None:
    """Unknown paths and text beyond the end of a document are faults of their lines."""
    name = save("a.run", "1 Q0 A 1 1 r /article[1]/name[1]\n\n1 Q0 A 2 0.5 r /article[1]/p[7]\n")
    assert [fault.line for fault in examine(name, index=index).faults] == [3]
    name = save("b.run", "1 Q0 A 1 1 r 0 22\n1 Q0 B 2 0.5 r 0 5\n")
    assert [fault.line for fault in examine(name, index=index).faults] == [2]


def test_other_formats(save: Save) -> None:
    """Judgments, XML and JSON are checked as well."""
    assert [fault.line for fault in examine(save("q", "1 Q0 A 0 9\n1 Q0 A 0 9\n")).faults] == [2]
    assert [fault.line for fault in examine(save("x", "<inex-submission>\n<result/>\n</x>")).faults] == [
        2,
        2,
        3,
    ]
    lines = '{"topic": 1, "document": "A", "score": 1}\n{"topic": 1, "score": "x"}\n{\n'
    assert [fault.line for fault in examine(save("j", lines)).faults] == [2, 2, 3]


def test_a_file_of_no_format(save: Save) -> None:
    """It is one fault."""
    assert [fault.line for fault in examine(save("x", "\nhello\n")).faults] == [2]


def test_graded_elements(save: Save, index: OffsetIndex) -> None:
    """Of assessed elements their number and the scale are told; of passages only where there are some."""
    listed = "<path path='/article[1]' {}/><path path='/article[1]/name[1]' {}/>"
    form = "<assessments topic='1'><file {}='A'>{}</file><file {}='B'/></assessments>"
    for grades, scale in (
        ("relevance='0' coverage='N'", "relevance and coverage"),
        ("exhaustiveness='3' specificity='1'", "exhaustivity and specificity"),
    ):
        name = save("graded.xml", form.format("file", listed.format(grades, grades), "file"))
        for found in (examine(name), examine(name, index=index)):
            assert found.faults == ()
            assert found.summary == (
                "graded.xml: judgments: 1 topics; 2 judged documents; "
                f"2 elements of 1 documents assessed by {scale}; no faults"
            )


def test_highlights_and_elements(save: Save, index: OffsetIndex) -> None:
    """Both are told where the index places the highlighted text."""
    inside = (
        "<passage start='/article[1]/name[1]' end='/article[1]/name[1]'/>"
        "<element path='/article[1]' exhaustivity='1' size='22' rsize='5'/>"
    )
    name = save("a.xml", f"<assessments topic='1'><file name='A'>{inside}</file></assessments>")
    ending = "1 elements of 1 documents assessed by exhaustivity 0-2; no faults"
    assert examine(name).summary == f"a.xml: judgments: 1 topics; 1 judged documents; {ending}"
    assert examine(name, index=index).summary == (
        "a.xml: judgments: 1 topics, 1 with relevant text; 1 judged documents, 1 with 1 relevant passages; "
        + ending
    )


def test_judgments_of_text(save: Save) -> None:
    """Passages, and nothing of elements."""
    assert examine(save("q", "1 Q0 A 5 20 0 0:5\n1 Q0 B 0 9\n")).summary == (
        "q: judgments: 1 topics, 1 with relevant text; 2 judged documents, 1 with 1 relevant passages; "
        "no faults"
    )
