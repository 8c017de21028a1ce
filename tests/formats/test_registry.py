"""The registry: formats are recognised by content, folders of judgments become one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from excerpt.errors import ExcerptError, FormatError, UnknownName
from excerpt.formats import judgments_formats, read_judgments, read_run, run_formats
from excerpt.formats.registry import judgments_from, run_from
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex, build_index
from excerpt.model import Span

Open = Callable[..., Source]
Save = Callable[[str, str | bytes], str]

SUBMISSION = (
    "<inex-submission run-id='r'>\n<topic topic-id='1'>"
    "<result><file>A</file>{}</result></topic></inex-submission>"
)
RUNS = {
    "fol": "1 Q0 A 1 1.5 r 0 5\n",
    "path": "1 Q0 A 1 1.5 r /a[1]\n",
    "range": "1 Q0 A 1 1.5 r /a[1] /a[2]\n",
    "bep": "1 Q0 A 1 1.5 r 7\n",
    "trec": "1 Q0 A 1 1.5 r\n",
    "inex": SUBMISSION.format("<path>/a[1]</path>"),
    "jsonl": '{"topic": 1, "document": "A", "start": 0, "end": 5, "score": 1.5}\n',
}
JUDGMENTS = {
    "fol": "1 Q0 A 5 20 0 0:5\n1 Q0 B 0 20\n",
    "trec": "1 0 A 1\n",
    "inex": "<assessments topic='1'><file name='A'/></assessments>",
    "inex-graded": (
        "<assessments topic='1'><file file='A'><path path='/a[1]' exhaustiveness='3' specificity='2'/>"
        "</file></assessments>"
    ),
    "jsonl": '{"topic": 1, "document": "A", "spans": [[0, 5]]}\n',
}


def test_all_formats_are_here() -> None:
    """The formats of this folder are those that these tests know."""
    assert set(run_formats()) == set(RUNS)
    assert set(judgments_formats()) == set(JUDGMENTS)


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_recognised_by_one_format_only(opened: Open, name: str) -> None:
    """Every other format says 0."""
    fits = {other: known.recognise(opened(RUNS[name])) for other, known in run_formats().items()}
    assert {other for other, fit in fits.items() if fit} == {name}


@pytest.mark.parametrize("name", JUDGMENTS)
def test_judgments_are_recognised_by_one_format_only(opened: Open, name: str) -> None:
    """Every other format says 0."""
    fits = {other: known.recognise(opened(JUDGMENTS[name])) for other, known in judgments_formats().items()}
    assert {other for other, fit in fits.items() if fit} == {name}


@pytest.mark.parametrize("name", RUNS)
def test_runs_are_read(opened: Open, name: str) -> None:
    """Each is read without naming its format, as with its name."""
    assert list(run_from(opened(RUNS[name]))) == list(run_from(opened(RUNS[name]), name))
    assert run_from(opened(RUNS[name]))[0][:2] == ("1", "A")


@pytest.mark.parametrize("name", JUDGMENTS)
def test_judgments_are_read(opened: Open, name: str) -> None:
    """Each is read without naming its format."""
    assert judgments_from(opened(JUDGMENTS[name])).topics == ("1",)


def test_xml_that_looks_like_columns(opened: Open) -> None:
    """Lines of eight words inside XML do not make it a run in columns."""
    text = "<a>\n" + "1 Q0 d 1 1.0 t 0 5\n" * 30 + "</a>"
    with pytest.raises(FormatError) as caught:
        run_from(opened(text))
    assert str(caught.value).startswith(
        "f:1: found '<a>', expected a run in a known format; give --run-format, one of: "
    )


def test_an_unknown_format_shows_the_first_line(opened: Open) -> None:
    """The first line that is not blank is shown with its number."""
    with pytest.raises(FormatError) as caught:
        judgments_from(opened("\ufeff\n\nwhat is this\n"))
    assert str(caught.value) == (
        "f:3: found 'what is this', expected judgments in a known format; "
        "give --qrels-format, one of: fol, inex, inex-graded, jsonl, trec"
    )


def test_unknown_names(opened: Open) -> None:
    """A format that nobody registered."""
    with pytest.raises(UnknownName, match=r"^unknown run format 'trek'; did you mean 'trec'"):
        run_from(opened("x"), "trek")
    with pytest.raises(UnknownName, match=r"^unknown judgments format 'bep'"):
        judgments_from(opened("x"), "bep")


def test_binary_data_is_an_error_not_a_traceback(opened: Open) -> None:
    """Whatever the format, bytes that are not text are refused."""
    for name in (None, *RUNS):
        with pytest.raises(FormatError):
            run_from(opened(b"\x7fELF\x00\x01\xff"), name)
    for name in (None, *JUDGMENTS):
        with pytest.raises(FormatError):
            judgments_from(opened(b"\x89PNG\x00\xff"), name)


def test_the_wrong_format_by_name(opened: Open) -> None:
    """A user who insists on a format is told what does not fit it."""
    with pytest.raises(FormatError, match=r"^f:1: found 6 columns, expected 8 "):
        run_from(opened(RUNS["trec"]), "fol")
    with pytest.raises(FormatError, match=r"^f:1: found XML that is broken here"):
        run_from(opened(RUNS["trec"]), "inex")
    with pytest.raises(FormatError, match=r"^f:1: found '1 Q0 A 1 1.5 r', expected one JSON object per line"):
        run_from(opened(RUNS["trec"]), "jsonl")


def test_kept_faults_do_not_stop_the_reading(opened: Open) -> None:
    """A bad score in a run that is ordered by score is listed like any other fault."""
    source = opened("1 Q0 A 1 nan r\n1 Q0 B x 1 r\n", keep=True)
    assert len(run_from(source)) == 2
    assert [fault.line for fault in source.faults.found] == [1, 2]


def test_a_folder_of_judgments(save: Save) -> None:
    """Topics come in the order of the file names; hidden files are not read."""
    save("qrels/b", "7 Q0 A 5 20 0 0:5\n7 Q0 B 0 9\n")
    save("qrels/a", "9 Q0 B 5 20 3 3:5\n")
    save("qrels/.DS_Store", b"\0\0")
    judgments = read_judgments("qrels")
    assert judgments.topics == ("9", "7")
    assert judgments.highlights("7") == [Span("A", 0, 5)]
    assert judgments.highlights("9") == [Span("B", 3, 8)]
    assert (judgments.source, len(judgments)) == ("qrels", 3)


def test_a_topic_in_two_files(save: Save) -> None:
    """Each topic is in one file of the folder."""
    save("qrels/a", "1 Q0 A 0 9\n")
    save("qrels/b", "1 Q0 B 0 9\n")
    with pytest.raises(FormatError) as caught:
        read_judgments("qrels")
    said = str(caught.value)
    assert said.startswith("qrels/b: found topic 1, which qrels/a has too, expected ")
    assert said.endswith("; keep one of the two assessments")


def test_a_folder_of_two_kinds(save: Save) -> None:
    """Whole documents and passages are not mixed."""
    save("qrels/a", JUDGMENTS["trec"])
    save("qrels/b", "2 Q0 A 5 20 0 0:5\n")
    with pytest.raises(
        ExcerptError, match=r"^qrels: found judgments of whole documents beside judgments of text"
    ):
        read_judgments("qrels")


def test_an_empty_folder(save: Save) -> None:
    """A folder without files is an error."""
    save("qrels/.hidden", "x")
    with pytest.raises(ExcerptError) as caught:
        read_judgments("qrels")
    assert str(caught.value) == "qrels: found an empty folder, expected one judgments file per topic"


def test_a_folder_is_no_run(save: Save) -> None:
    """A run is one file."""
    save("runs/a", RUNS["fol"])
    with pytest.raises(ExcerptError) as caught:
        read_run("runs")
    assert str(caught.value) == "runs: found a directory, expected a file; give the files in it one by one"


def test_offsets_count_what_the_index_counts(save: Save) -> None:
    """With an index of bytes the judgments are in bytes; without one in characters."""
    save("corpus/A.xml", "<a>x</a>")
    build_index("corpus", "bytes", unit="byte")
    name = save("q", JUDGMENTS["fol"])
    assert read_judgments(name, index=OffsetIndex.open("bytes")).unit == "byte"
    assert read_judgments(name).unit == "char"
