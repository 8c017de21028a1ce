"""A check lists every fault with its line and every doubt."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from excerpt.errors import ExcerptError
from excerpt.formats.checking import check
from excerpt.index import OffsetIndex

Save = Callable[[str, str | bytes], str]


def test_all_faults_sorted_by_line(save: Save) -> None:
    """Faults of different columns come in the order of the file."""
    name = save("a.run", "1 Q0 A 1 1 r 0 5\n1 Q0 A x 1 r 7 5\n1 Q0\n1 Q0 A 2 nan r 0 5\n1 Q0 A 2 1 r -7 z\n")
    faults = check(name, run_format="fol").faults
    assert [str(fault) for fault in faults] == [
        "a.run:2: found rank 'x', expected a whole number",
        "a.run:3: found 2 columns, expected 8 (topic Q0 document rank score tag offset length)",
        "a.run:4: found score 'nan', expected a number",
        "a.run:5: found offset '-7', expected a number that is not negative",
        "a.run:5: found length 'z', expected a whole number",
    ]


def test_a_good_run(save: Save) -> None:
    """Nothing wrong, nothing doubtful."""
    found = check(save("a.run", "1 Q0 A 1 1 r 0 5\n1 Q0 A 2 0.5 r 5 5\n"))
    assert (found.faults, found.warnings) == ((), ())
    assert found.summary.startswith("a run of spans, r: 2 results, 1 topic, 1 document")


def test_overlap_is_a_doubt(save: Save) -> None:
    """Some tasks allow results that share text."""
    found = check(save("a.run", "1 Q0 A 1 1 r 0 5\n1 Q0 A 2 0.5 r 4 5\n"))
    assert found.faults == ()
    assert len(found.warnings) == 1
    assert "share text" in found.warnings[0]


def test_an_index_finds_what_does_not_exist(save: Save, index: OffsetIndex) -> None:
    """Unknown paths and text beyond the end of a document are faults of their lines."""
    name = save("a.run", "1 Q0 A 1 1 r /article[1]/name[1]\n\n1 Q0 A 2 0.5 r /article[1]/p[7]\n")
    assert [fault.line for fault in check(name, index=index).faults] == [3]
    name = save("b.run", "1 Q0 A 1 1 r 0 22\n1 Q0 B 2 0.5 r 0 5\n")
    assert [fault.line for fault in check(name, index=index).faults] == [2]


def test_other_formats(save: Save) -> None:
    """Judgments, XML and JSON are checked as well."""
    assert [fault.line for fault in check(save("q", "1 Q0 A 0 9\n1 Q0 A 0 9\n")).faults] == [2]
    assert [fault.line for fault in check(save("x", "<inex-submission>\n<result/>\n</x>")).faults] == [
        2,
        2,
        3,
    ]
    lines = '{"topic": 1, "document": "A", "score": 1}\n{"topic": 1, "score": "x"}\n{\n'
    assert [fault.line for fault in check(save("j", lines)).faults] == [2, 2, 3]


def test_a_file_of_no_format(save: Save) -> None:
    """It is one fault."""
    assert [fault.line for fault in check(save("x", "\nhello\n")).faults] == [2]


def test_graded_elements(save: Save, index: OffsetIndex) -> None:
    """Of assessed elements their number and the scale are told; of passages only where there are some."""
    listed = "<path path='/article[1]' {}/><path path='/article[1]/name[1]' {}/>"
    form = "<assessments topic='1'><file {}='A'>{}</file><file {}='B'/></assessments>"
    for grades, scale in (
        ("relevance='0' coverage='N'", "relevance and coverage"),
        ("exhaustiveness='3' specificity='1'", "exhaustivity and specificity"),
    ):
        name = save("graded.xml", form.format("file", listed.format(grades, grades), "file"))
        for found in (check(name), check(name, index=index)):
            assert found.faults == ()
            assert found.summary == (
                "judgments: 1 topic; 2 judged documents; "
                f"2 elements of 1 document assessed by {scale}; no faults"
            )


def test_highlights_and_elements(save: Save, index: OffsetIndex) -> None:
    """Both are told where the index places the highlighted text."""
    inside = (
        "<passage start='/article[1]/name[1]' end='/article[1]/name[1]'/>"
        "<element path='/article[1]' exhaustivity='1' size='22' rsize='5'/>"
    )
    name = save("a.xml", f"<assessments topic='1'><file name='A'>{inside}</file></assessments>")
    ending = "1 element of 1 document assessed by exhaustivity 0-2; no faults"
    assert check(name).summary == f"judgments: 1 topic; 1 judged document; {ending}"
    assert check(name, index=index).summary == (
        "judgments: 1 topic, 1 with relevant text; 1 judged document, 1 with 1 relevant passage; " + ending
    )


def test_judgments_of_text(save: Save) -> None:
    """Passages, and nothing of elements."""
    assert check(save("q", "1 Q0 A 5 20 0 0:5\n1 Q0 B 0 9\n")).summary == (
        "judgments: 1 topic, 1 with relevant text; 2 judged documents, 1 with 1 relevant passage; no faults"
    )


def test_many_faults_are_counted_and_few_are_kept(save: Save) -> None:
    """A large file that is wrong everywhere has an exact count and a short list."""
    lines = "1 Q0 A 1 1 r 0 5\n" * 30 + "1 Q0 A x y r z w\n" * 50_000
    found = check(save("bad", lines), most=2)
    assert (len(found.faults), found.count) == (2, 200_000)
    assert [fault.line for fault in found.faults] == [31, 31]


def test_a_wrong_index_is_one_fault(save: Save, index: OffsetIndex) -> None:
    """Where the index knows none of the documents, one line says so, not one for each result."""
    name = save("a.run", "".join(f"1 Q0 doc{n} 1 1 r /article[1]\n" for n in range(50)))
    found = check(name, index=index)
    assert [str(fault) for fault in found.faults] == [
        "a.run: found none of its documents in the index (such as doc0), expected the same corpus"
    ]


def test_long_values_do_not_make_long_messages(save: Save) -> None:
    """Whatever a file contains, a message stays readable."""
    long = "x" * 20_000
    files = (
        f"1 Q0 {long} 1 1 r 0 5\n1 Q0 A {long} {long} {long} {long} {long}\n",
        f"1 Q0 {long} 0 9\n1 Q0 {long} 0 9\n",
        f'{{"topic": "{long}", "document": ["{long}"], "score": "{long}", "path": "{long}"}}\n',
        f"<inex-submission><topic topic-id='1'><result><file>A</file><path>{long}</path></result></x>",
        f"<assessments topic='{long}'><file name='{long}'/><file name='{long}'/></assessments>",
        f"<assessments topic='1'><file file='A'><path path='/a' {long}='1'/></file></assessments>",
        f"<{long}/>",
        long,
    )
    for number, content in enumerate(files):
        found = check(save(str(number), content))
        for said in (*map(str, found.faults), *found.warnings, found.summary):
            assert len(said) < 500, said


def test_from_bytes() -> None:
    """What is printed is what the command shows."""
    assert str(check(b"1 Q0 A 5 20 0 0:5")) == (
        "<bytes>: judgments: 1 topic, 1 with relevant text; 1 judged document, 1 with 1 relevant passage; "
        "no faults"
    )
    assert str(check(b"1 Q0 A 5 20 0 0:5\n1 Q0 A 5 20 0 0:5")).startswith(
        "<bytes>:2: found document A of topic"
    )


def test_the_summary_counts_faults(save: Save) -> None:
    """What is said about a file with faults does not say that it has none."""
    assert check(save("a.run", "1 Q0 A 1 1 r 0 5\n1 Q0 A x 1 r 5 5\n")).summary.endswith("; 1 fault")
    assert check(save("b.run", "<inex-submission>\n</x>")).summary.endswith("fault")
    assert check(save("c.run", "1 Q0 A 1 1 r 0 5\n")).summary.endswith("; no faults")


def test_wrong_arguments_are_refused() -> None:
    """A misspelt kind and a list without room are errors, not taken for something else."""
    with pytest.raises(ExcerptError, match="unknown kind 'foo'; known: judgments, run"):
        check(b"1 Q0 A 1 1 r 0 5", kind="foo")  # type: ignore[arg-type]
    for most in (0, "x"):
        with pytest.raises(ExcerptError, match="as most, expected a whole number of at least 1"):
            check(b"1 Q0 A 1 1 r 0 5", most=most)  # type: ignore[arg-type]
