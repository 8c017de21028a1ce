"""A check lists every fault with its line and every doubt."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import excerpt
from excerpt import read_judgments
from excerpt.checking.validation import advise_unsupported, check, describe_unsupported
from excerpt.errors import ExcerptError, FormatError, MissingData, UnknownName
from excerpt.formats.registry import judgments_format_of
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.model import Span

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
    assert "1 pair of topic and document has overlapping results" in found.warnings[0]


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
    """The summary has the number and the scale of assessed elements, and passages if there are some."""
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
    """The summary has both if the index locates the highlighted text."""
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
    """An index without any of the documents is one error, not one for each result."""
    name = save("a.run", "".join(f"1 Q0 doc{n} 1 1 r /article[1]\n" for n in range(50)))
    found = check(name, index=index)
    assert [str(fault) for fault in found.faults] == [
        "a.run: none of the run's documents (such as doc0) is in the index; was it made from the same corpus?"
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
            assert len(said) < 600, said


def test_from_bytes() -> None:
    """`print` shows the same as the command."""
    assert str(check(b"1 Q0 A 5 20 0 0:5")) == (
        "<bytes>: judgments: 1 topic, 1 with relevant text; 1 judged document, 1 with 1 relevant passage; "
        "no faults"
    )
    assert str(check(b"1 Q0 A 5 20 0 0:5\n1 Q0 A 5 20 0 0:5")).startswith(
        "<bytes>:2: found document A of topic"
    )


def test_the_summary_counts_faults(save: Save) -> None:
    """The summary of a file with faults ends in their number."""
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


RUN = b"1 Q0 A 1 0.5 mine 0 50\n"


def test_from_a_stream(tmp_path: Path) -> None:
    """An open file becomes a file of another format."""
    excerpt.convert(io.BytesIO(RUN), tmp_path / "run.jsonl", "jsonl")
    assert (tmp_path / "run.jsonl").read_text() == (
        '{"topic": "1", "document": "A", "start": 0, "end": 50, "score": 0.5, "rank": 1, "run": "mine"}\n'
    )


def test_results_that_do_not_exist(tmp_path: Path) -> None:
    """They stay what they are, and are counted."""
    notices = excerpt.Notices()
    excerpt.convert(b"1 Q0 A 1 0.5 mine X 0\n", tmp_path / "x", "bep", notices=notices)
    assert (tmp_path / "x").read_text() == "1 Q0 A 1 0.5 mine X\n"
    assert list(notices) == ["1 result has no offsets, written with offset X (<bytes>)"]


def test_mistakes(tmp_path: Path) -> None:
    """Unknown formats, and formats of the other kind, are named; hints are in Python's words."""
    with pytest.raises(UnknownName, match="unknown format 'nosuch'"):
        excerpt.convert(RUN, tmp_path / "x", "fol", source_format="nosuch")
    with pytest.raises(UnknownName, match="unknown run format to write 'inex-graded'"):
        excerpt.convert(RUN, tmp_path / "x", "inex-graded")
    with pytest.raises(ExcerptError, match=r'some results have no element path.*; try format="fol"'):
        excerpt.convert(RUN, tmp_path / "x", "path")
    assert list(tmp_path.iterdir()) == []


def test_scores_that_do_not_keep_the_order(tmp_path: Path) -> None:
    """If scores decide the order and would change it, new ones are written, with a warning."""
    run = b"1 Q0 A 1 0.5 mine 0 50\n1 Q0 B 2 0.5 mine 0 50\n2 Q0 B 1 0.5 mine 0 50\n"
    notices = excerpt.Notices()
    excerpt.convert(run, tmp_path / "x", "trec", notices=notices)
    assert (tmp_path / "x").read_text() == "1 Q0 A 1 2 mine\n1 Q0 B 2 1 mine\n2 Q0 B 1 0.5 mine\n"
    assert list(notices) == [
        "1 topic has scores that contradict its order; new descending scores are written (<bytes>)"
    ]


def test_what_a_format_cannot_hold_is_located(tmp_path: Path) -> None:
    """The error for a name that XML cannot contain names the source file."""
    source = tmp_path / "run"
    source.write_text(
        '{"topic": "1", "document": "\\u001b", "start": 0, "end": 5, "score": 1, "run": "mine"}\n'
    )
    with pytest.raises(ExcerptError) as caught:
        excerpt.convert(source, tmp_path / "x", "inex")
    assert str(caught.value).startswith(f"{source}: found the name ")


def test_judgments_of_whole_documents_have_no_text(tmp_path: Path) -> None:
    """No passage is made up for them; JSON Lines has their grades."""
    given = b"1 0 A 2\n1 0 B 0\n"
    with pytest.raises(MissingData, match="format fol needs spans; the judgments are of whole documents"):
        excerpt.convert(given, tmp_path / "x", "fol")
    assert list(tmp_path.iterdir()) == []
    excerpt.convert(given, tmp_path / "x.jsonl", "jsonl")
    excerpt.convert(tmp_path / "x.jsonl", tmp_path / "x", "trec")
    assert (tmp_path / "x").read_bytes() == given
    assert (tmp_path / "x.jsonl").read_text().splitlines() == [
        '{"topic": "1", "document": "A", "relevance": 2}',
        '{"topic": "1", "document": "B", "relevance": 0}',
    ]


def test_an_index_of_other_documents(tmp_path: Path) -> None:
    """A run none of whose documents the index has is refused, here as by a check."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "B.xml").write_text("<a>some text</a>")
    excerpt.build_index(tmp_path / "docs", tmp_path / "index")
    index = excerpt.OffsetIndex.open(tmp_path / "index")
    message = r"none of the run's documents \(such as A\) is in the index; was it made from the same corpus\?"
    with pytest.raises(ExcerptError, match=message):
        excerpt.convert(b"1 Q0 A 1 0.5 mine\n", tmp_path / "x", "fol", index=index)
    assert [fault.message.partition(" (")[0] for fault in excerpt.check(RUN, index=index).faults] == [
        "none of the run's documents"
    ]


def test_ranks_follow_the_order(tmp_path: Path) -> None:
    """A run that is ordered by score gets the ranks of that order, unless its own fit."""
    for ranks, written in (((1, 2, 3), (1, 2, 3)), ((5, 7, 6), (5, 6, 7))):
        scores = zip("ABC", ranks, (3.0, 1.0, 2.0) if ranks[0] == 5 else (1.0, 2.0, 3.0), strict=True)
        run = "".join(f"1 Q0 {name} {rank} {score} r\n" for name, rank, score in scores)
        excerpt.convert(run.encode(), tmp_path / "x", "jsonl")
        found = [json.loads(line)["rank"] for line in (tmp_path / "x").read_text().splitlines()]
        assert tuple(found) == written


def test_doubts_are_python_warnings(tmp_path: Path) -> None:
    """Without `notices`, warnings are Python warnings, as in other readers."""
    with pytest.warns(excerpt.ExcerptWarning, match="written with"):
        excerpt.convert(b"1 Q0 A 1 0.5 mine X 0\n", tmp_path / "x", "bep")


def test_highlights_become_assessments_and_come_back(tmp_path: Path, index: OffsetIndex) -> None:
    """FOL to XML, whose pointers count text nodes, and back, with and without the index."""
    qrels = b"1 Q0 A 12 22 15 3:5 15:7\n1 Q0 B 0 4\n2 Q0 B 1 4 0 0:1\n"
    with pytest.raises(MissingData, match="format inex needs the elements of every document; give index="):
        excerpt.convert(qrels, tmp_path / "x.xml", "inex")
    assert list(tmp_path.iterdir()) == []
    excerpt.convert(qrels, tmp_path / "x.xml", "inex", index=index)
    assert 'end="/article[1]/bdy[1]/p[2]/text()[1].1"' in (tmp_path / "x.xml").read_text()
    for known in (index, None):
        excerpt.convert(tmp_path / "x.xml", tmp_path / "y.fol", "fol", index=known)
        assert (tmp_path / "y.fol").read_bytes() == qrels


def test_grades_of_elements_stay_grades(tmp_path: Path) -> None:
    """From XML to lines and back; as text alone they cannot be written."""
    one, two, again = tmp_path / "one.xml", tmp_path / "two.jsonl", tmp_path / "again.xml"
    one.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<assessments topic="1">\n<file file="A">\n'
        '<path path="/a[1]" exhaustiveness="3" specificity="1"/>\n</file>\n</assessments>\n'
    )
    excerpt.convert(one, two, "jsonl")
    excerpt.convert(two, again, "inex-graded")
    assert again.read_bytes() == one.read_bytes()
    for name in ("fol", "trec"):
        with pytest.raises(MissingData, match=f"format {name} needs highlighted text"):
            excerpt.convert(one, tmp_path / "no", name)


Open = Callable[..., Source]
BOMB = (
    "<!DOCTYPE a ["
    f'<!ENTITY e0 "{"x" * 10_000}">'
    + "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 50}">' for n in range(3))
    + ']><a b="&e3;"/>'
)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("<inex_topic/>", "root element <inex_topic>, an INEX topic file"),
        ("<TOPICS/>", "root element <TOPICS>, a file of topics"),
        ("<thing/>", "root element <thing>, XML of another kind"),
        (BOMB, "XML whose entities expand without limit (an entity bomb)"),
        ("[1, 2]", "a JSON list instead of one object per line"),
        ("query-id\tcorpus-id\tscore\n1\tA\t1\n", None),
        ("1 A 1 1 1.0\n", None),  # prels, which are read
        ("1 0 0 A 1\n", "preference judgments of trec_eval (topic group subgroup document grade)"),
        (
            "1 NYT1 120 300\n1 APW2 0 10\n2 APW2 5 400\n",
            "passages of TREC HARD (topic document offset length)",
        ),
        ("<inexltw-submission/>", "root element <inexltw-submission>, links of Link-the-Wiki"),
        ("<ltwResultsetType/>", "root element <ltwResultsetType>, links of Link-the-Wiki"),
        (
            "<inex-submission><topic><outgoing/></topic></inex-submission>",
            "root element <inex-submission>, links of Link-the-Wiki",
        ),
        ("1 Q0 A 0 20\n", None),
        ("1 Q0 A 1 1.5 r\n", None),
        ("hello\n", None),
    ],
)
def test_what_it_is(opened: Open, content: str, what: str | None) -> None:
    """Unsupported formats are detected by root element or columns; supported ones are not among them."""
    assert describe_unsupported(opened(content)) == what


def test_what_to_do(opened: Open) -> None:
    """Judgments of other programs come with advice, others with none."""
    preferences = advise_unsupported(opened("1 0 0 A 1\n"))
    assert preferences == "only trec_eval itself reads them, as its format prefs"
    assert advise_unsupported(opened("<crosslink-submission/>")).startswith("write a line for each link")
    assert advise_unsupported(opened("1 0 A 1\n")) == ""


def test_passages_are_no_grades(opened: Open) -> None:
    """Judgments of TREC HARD are named, not read as qrels, and columns that are named read them."""
    text = "1 NYT1 120 300\n1 APW2 0 10\n2 APW2 5 400\n"
    with pytest.raises(FormatError, match=r"passages of TREC HARD .*columns:topic,document,start,length"):
        judgments_format_of(opened(text))
    found = read_judgments(text.encode(), format="columns:topic,document,start,length")
    assert found.highlights("1") == [Span("NYT1", 120, 420), Span("APW2", 0, 10)]


@pytest.mark.parametrize("content", ["<topics/>", "<top>\n<num>1\n</top>", "<parameters/>", "<inex_topic/>"])
def test_topics_have_a_command(opened: Open, content: str) -> None:
    """If topics are given as a run, the hint names the command that reads topics."""
    assert advise_unsupported(opened(content)) == "⟨command=topics⟩ reads and checks topics"
    assert advise_unsupported(opened("<article/>")) == ""


def test_tasks_and_years_of_a_call(save: Save) -> None:
    """Python takes the names that the command line takes; a file with other faults has no more of them."""
    name = save("a.run", "1 Q0 A 1 1 r 0 5\n1 Q0 A 2 0.5 r 4 5\n")
    assert check(name, task="focused").count == 1
    assert check(name, task="thorough").count == 0
    assert check(save("b.run", "1 Q0 A 1 1 r 0 5\n1 Q0 A x 0.5 r 4 5\n"), task="focused").count == 1
    with pytest.raises(UnknownName, match="unknown task 'Focused'; did you mean 'focused'"):
        check(name, task="Focused")  # type: ignore[arg-type]
    with pytest.raises(ExcerptError, match="found 1999 as year, expected one from 2002 to 2014"):
        check(name, year=1999)
