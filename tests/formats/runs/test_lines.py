"""Runs in columns: tags, and faults of the first six columns."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

import excerpt
from excerpt import Corpus, Notices, evaluate
from excerpt.errors import ExcerptError, FormatError, MissingData
from excerpt.formats import read_run
from excerpt.formats.reader import run_from
from excerpt.formats.registry import run_format_of, run_formats
from excerpt.formats.runs import lines
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.model import Result, Run

Open = Callable[..., Source]


def test_the_first_tag_is_the_name(opened: Open) -> None:
    """Further tags are mentioned."""
    source = opened("1 Q0 A 1 1 one\n1 Q0 B 2 0.5 two\n")
    assert lines.read_trec(source).name == "one"
    assert list(source.notices) == ["the run has 2 tags; the first is used as its name (f)"]


def test_all_faults_of_a_line_are_found(opened: Open) -> None:
    """Rank, score and place are all looked at."""
    source = opened("1 Q0 A x nan r -5 y\n1 Q0 A 1 1 r 0\n1 Q0 A 1 1 r 0 5\n", keep=True)
    run = lines.read_fol(source)
    source.faults.settle()
    assert [str(fault) for fault in source.faults.found] == [
        "f:1: found offset '-5', expected a number that is not negative",
        "f:1: found length 'y', expected a whole number",
        "f:1: found rank 'x', expected a whole number",
        "f:1: found score 'nan', expected a number",
        "f:2: found 7 columns, expected 8 (topic Q0 document rank score tag offset length)",
    ]
    assert run[len(run) - 1].end == 5


FolOpen = Callable[..., Source]

RUN = """2009001 Q0 9996 1 0.9999 I09UniXRun1 465 3426
2009001 Q0 9997 2 0.5 I09UniXRun1 X 7
7 Q0 9996 1 -1e3 I09UniXRun1 -1 x
"""


def test_columns_of_the_format_notes(opened: FolOpen) -> None:
    """Offset and length are a half-open span; X and -1 are results that do not exist."""
    run = lines.read_fol(opened(RUN))
    assert (run.name, run.kind, run.topics) == ("I09UniXRun1", "spans", ("2009001", "7"))
    assert list(run) == [
        Result("2009001", "9996", 465, 3891, 0.9999),
        Result("2009001", "9997", -1, -1, 0.5),
        Result("7", "9996", -1, -1, -1000.0),
    ]
    assert run.rank.tolist() == [1, 2, 1]
    assert run.place(2) == "f:3"


def test_recognise(opened: FolOpen) -> None:
    """Eight columns, but neither two paths nor passages of judgments."""
    assert lines.recognise_fol(opened(RUN)) == 3
    assert lines.recognise_fol(opened("1 Q0 d 1 1 t /a[1] /a[2]\n")) == 0
    assert lines.recognise_fol(opened("1 Q0 d 9 20 0 0:5 6:4\n")) == 0
    assert lines.recognise_fol(opened("1 Q0 d 1 1 t 7\n")) == 0


def test_write(opened: FolOpen) -> None:
    """Ranks and scores stay, results that do not exist get the offset X."""
    stream = io.BytesIO()
    lines.write_fol(lines.read_fol(opened(RUN)), stream)
    assert stream.getvalue().decode().splitlines() == [
        "2009001 Q0 9996 1 0.9999 I09UniXRun1 465 3426",
        "2009001 Q0 9997 2 0.5 I09UniXRun1 X 0",
        "7 Q0 9996 1 -1000 I09UniXRun1 X 0",
    ]


def test_write_fills_in_what_is_missing() -> None:
    """A run without ranks and scores gets ranks in order and scores that fall."""
    stream = io.BytesIO()
    lines.write_fol(
        Run.of("my run", [Result("1", "A", 0, 5), Result("1", "B", 2, 2), Result("2", "A", 1, 2)]), stream
    )
    assert stream.getvalue().decode().splitlines() == [
        "1 Q0 A 1 -1.0 my_run 0 5",
        "1 Q0 B 2 -2.0 my_run 2 0",
        "2 Q0 A 1 -1.0 my_run 1 1",
    ]


def test_elements_cannot_be_written_as_offsets() -> None:
    """Paths that were not looked up have no offsets."""
    run = Run.of("r", [Result("1", "A", -1, -1, path="/a[1]")], kind="elements")
    with pytest.raises(MissingData) as caught:
        lines.write_fol(run, io.BytesIO())
    assert (
        str(caught.value)
        == "r: format fol needs text spans; the run has element paths; give index=OffsetIndex.open(…)"
    )


@pytest.mark.parametrize("name", ["a b", "a\tb", "a\u0000"])
def test_ids_that_are_not_one_column(name: str) -> None:
    """A document id with a blank would shift the columns; it is refused."""
    with pytest.raises(
        ExcerptError, match=r"expected an id without blanks, for text in columns; try format=\"jsonl\"$"
    ):
        lines.write_fol(Run.of("r", [Result("1", name, 0, 5)]), io.BytesIO())


BepOpen = Callable[..., Source]


def test_read(opened: BepOpen) -> None:
    """The line of the format notes is an empty span at its offset."""
    run = lines.read_bep(opened("2009001 Q0 9996 4 0.9996 I09UniXRun1 1500\n"))
    assert run.kind == "entry points"
    assert list(run) == [Result("2009001", "9996", 1500, 1500, 0.9996)]


def test_bep_recognise(opened: BepOpen) -> None:
    """Seven columns that end in neither a path nor a passage."""
    assert lines.recognise_bep(opened("1 Q0 d 1 1 t 1500\n1 Q0 d 1 1 t /a[1]\n1 Q0 d 9 20 0 0:5\n")) == 1


def test_spans_become_entry_points(opened: BepOpen) -> None:
    """The start of a span is where it is entered; what does not exist is written as X, and read so."""
    stream = io.BytesIO()
    lines.write_bep(Run.of("r", [Result("1", "A", 7, 9, 1.5), Result("1", "B", -1, -1, 1.0)]), stream)
    assert stream.getvalue() == b"1 Q0 A 1 1.5 r 7\n1 Q0 B 2 1 r X\n"
    again = lines.read_bep(opened(stream.getvalue().decode()))
    assert [(result.document, result.start) for result in again] == [("A", 7), ("B", -1)]


def test_elements_have_no_entry_points() -> None:
    """Paths that were not looked up have no positions."""
    with pytest.raises(
        MissingData, match="format bep needs positions in the text; the run has element paths"
    ):
        lines.write_bep(Run.of("r", [Result("1", "A", -1, -1, path="/a[1]")], kind="elements"), io.BytesIO())


PathOpen = Callable[..., Source]

PATH_RUN = """t Q0 A 1 0.9 r /article[1]/bdy[1]/p[1]
t Q0 A 2 0.8 r /article[1]/name[1] /article[1]/bdy[1]/p[1]
t Q0 A 3 0.7 r /article[1]/bdy[1]/p[1]/text()[2].1 /article[1]/bdy[1]/p[2]
t Q0 A 4 0.6 r /article[1]/bdy[1]/p[3]
t Q0 Z 5 0.5 r /article[1]
"""


def test_without_an_index_paths_stay_paths(opened: PathOpen) -> None:
    """Nothing is known about the text, and the run says so."""
    run = lines.read_paths(opened(PATH_RUN))
    assert run.kind == "elements"
    assert run.start.tolist() == run.end.tolist() == [-1] * 5
    assert run[1].path == "/article[1]/name[1] /article[1]/bdy[1]/p[1]"


def test_with_an_index_paths_are_spans(opened: PathOpen, index: OffsetIndex) -> None:
    """An element, a range with both ends included, a passage; unknown elements and documents are -1."""
    run = lines.read_paths(opened(PATH_RUN, index=index))
    assert run.kind == "spans"
    assert run.start.tolist() == [5, 0, 15, -1, -1]
    assert run.end.tolist() == [20, 20, 22, -1, -1]
    assert run[0].path == "/article[1]/bdy[1]/p[1]"


def test_a_reversed_range_does_not_exist(opened: PathOpen, index: OffsetIndex) -> None:
    """The end of a range is not before its start."""
    run = lines.read_paths(opened("t Q0 A 1 1 r /article[1]/bdy[1]/p[2] /article[1]/name[1]\n", index=index))
    assert (run[0].start, run[0].end) == (-1, -1)


def test_what_is_no_path_is_a_fault(opened: PathOpen) -> None:
    """Both columns must be paths."""
    with pytest.raises(FormatError) as caught:
        lines.read_paths(opened("t Q0 A 1 1 r /a[1]\nt Q0 A 1 1 r /a[1] 25\n"))
    assert str(caught.value) == "f:2: found path '/a[1] 25', expected one such as /article[1]/p[2]"


def test_path_recognise(opened: PathOpen) -> None:
    """One path is an element, two are a range."""
    assert lines.recognise_paths(opened(PATH_RUN)) == 3
    assert lines.recognise_range(opened(PATH_RUN)) == 2


def test_write_keeps_paths(opened: PathOpen, index: OffsetIndex) -> None:
    """Paths are written the same, read with or without an index."""
    for source in (opened(PATH_RUN), opened(PATH_RUN, index=index)):
        stream = io.BytesIO()
        lines.write_paths(lines.read_paths(source), stream)
        assert stream.getvalue().decode() == PATH_RUN


def test_spans_cannot_be_written_as_paths() -> None:
    """A result without a path is refused, with what to do instead."""
    with pytest.raises(ExcerptError) as caught:
        lines.write_paths(Run.of("r", [Result("1", "A", 0, 5)]), io.BytesIO())
    assert str(caught.value) == (
        'r: some results have no element path; format path needs one for each; try format="fol"'
    )


TrecOpen = Callable[..., Source]
Save = Callable[[str, str | bytes], str]

TREC_RUN = "1 Q0 A 1 0.5 t\n1 Q0 B 2 0.7 t\n1 Q0 C 3 0.5 t\n1 Q0 D 4 inf t\n"


def test_order_is_by_score_then_document_descending(save: Save) -> None:
    """Ranks are ignored and equal scores ordered by document id, the last one first."""
    run = read_run(save("a.run", TREC_RUN))
    assert run.kind == "documents"
    assert [result.document for result in run] == ["D", "B", "C", "A"]
    assert run.line.tolist() == [4, 2, 3, 1]


def test_file_order_on_request(save: Save) -> None:
    """The user may ask for the order of the file."""
    assert [result.document for result in read_run(save("a.run", TREC_RUN), order="file")] == [
        "A",
        "B",
        "C",
        "D",
    ]


def test_an_index_gives_documents_their_length(save: Save, index: OffsetIndex) -> None:
    """With an index a document is the span of its whole text; unknown documents do not exist."""
    run = read_run(save("a.run", TREC_RUN), index=index)
    assert run.kind == "spans"
    assert [(r.document, r.start, r.end) for r in run] == [
        ("D", -1, -1),
        ("B", 0, 4),
        ("C", -1, -1),
        ("A", 0, 22),
    ]


def test_trec_recognise(opened: TrecOpen) -> None:
    """Six columns, the last without the colon of a passage."""
    assert lines.recognise_trec(opened(TREC_RUN)) == 4
    assert lines.recognise_trec(opened("1 Q0 A 5 20 0:5\n1 0 A 1\n")) == 0


def test_write_has_each_document_once() -> None:
    """A document is written where it first occurs; ranks are counted anew."""
    results = [Result("1", "A", 0, 5, 3.0), Result("1", "A", 7, 9, 2.0), Result("1", "B", 0, 1, 1.0)]
    stream = io.BytesIO()
    lines.write_trec(Run.of("r", [*results, Result("2", "A", 0, 1, 1.0)]), stream)
    assert stream.getvalue() == b"1 Q0 A 1 3 r\n1 Q0 B 2 1 r\n2 Q0 A 1 1 r\n"


def test_comments_and_further_columns(opened: TrecOpen) -> None:
    """As trec_eval does, lines that begin with # are skipped, and columns after the sixth, with a warning."""
    text = "# made by hand\n1 Q0 A 1 2 r and more of it\n#\n1 Q0 B 2 1 r\n"
    source = opened(text)
    assert [result.document for result in run_from(source)] == ["A", "B"]
    assert list(source.notices) == [
        "1 line has more than the six columns of a TREC run; further columns are ignored (f:2)"
    ]


@pytest.mark.parametrize(
    ("scores", "written"),
    [
        ((3.0, 2.0, 1.0), ["3", "2", "1"]),
        ((1.0, 1.0, 1.0), ["3", "2", "1"]),
        ((1.0, 2.0, 3.0), ["3", "2", "1"]),
        ((0.5, 0.5, 0.25), ["3", "2", "1"]),
        ((2.0000000002, 2.0000000001, 1.0), ["3", "2", "1"]),
        ((None, None, None), ["3", "2", "1"]),
        ((0.75, 0.5, 0.25), ["0.75", "0.5", "0.25"]),
    ],
)
def test_scores_keep_the_order(scores: tuple[float | None, ...], written: list[str]) -> None:
    """New scores are written if the old ones would change the order, also in single precision."""
    run = Run.of("r", [Result("1", name, 0, 5, score) for name, score in zip("ABC", scores, strict=True)])
    stream = io.BytesIO()
    lines.write_trec(run, stream)
    rows = [row.split() for row in stream.getvalue().decode().splitlines()]
    assert [row[2] for row in rows] == ["A", "B", "C"]
    assert [row[4] for row in rows] == written


def test_ties_that_keep_the_order_stay(opened: TrecOpen) -> None:
    """Equal scores are ordered by document id, descending."""
    run = Run.of("r", [Result("1", name, 0, 5, 1.0) for name in "CBA"])
    stream = io.BytesIO()
    lines.write_trec(run, stream)
    assert [line.split()[4] for line in stream.getvalue().decode().splitlines()] == ["1", "1", "1"]


def test_converting_does_not_change_the_ranking(tmp_path: Path) -> None:
    """Whole documents of a run that has ties score the same before and after."""
    folder = excerpt.collection.folder()
    excerpt.convert(folder / "runs" / "p-bm25.fol.gz", tmp_path / "run.trec", "trec")
    runs = [folder / "runs" / "p-bm25.fol.gz", tmp_path / "run.trec"]
    table = excerpt.evaluate(folder / "qrels.fol", runs, "articleAP")
    assert [round(mean, 4) for (mean,) in table.means().tolist()] == [0.5269, 0.5269]


GENOMICS_RUN = b"160\t7\t1\t9\t3\t4\tmine\n160\t8\t2\t8.5\t0\t5\tmine\n161\t7\t1\t1\t0\t3\tmine\n"


def test_bytes_without_a_corpus() -> None:
    """Offsets stay bytes, with a warning; judgments of the same years are in bytes as well."""
    notices = Notices()
    run = read_run(GENOMICS_RUN, notices=notices)
    assert [result[:5] for result in run] == [
        ("160", "7", 3, 7, 9.0),
        ("160", "8", 0, 5, 8.5),
        ("161", "7", 0, 3, 1.0),
    ]
    assert (run.name, run.rank.tolist()) == ("mine", [1, 2, 1])
    assert list(notices) == ["offsets stay in bytes: converting them to characters needs a corpus (<bytes>)"]
    gold = b"160\t7\t3\t8\tRELEVANT\n161\t8\t0\t5\tRELEVANT\n"
    assert evaluate(gold, GENOMICS_RUN, ["charR"], notices=Notices()).values[0, :, 0].tolist() == [0.5, 0.0]


def test_bytes_become_characters() -> None:
    """Through the documents of the corpus; the judgments go with them."""
    corpus = Corpus({"7": "é<p>text", "8": "other"})
    assert [result[:4] for result in read_run(GENOMICS_RUN, corpus=corpus)] == [
        ("160", "7", 2, 6),
        ("160", "8", 0, 5),
        ("161", "7", 0, 2),
    ]
    gold = b"160\t7\t3\t4\tRELEVANT\n161\t8\t0\t5\tRELEVANT\n"
    table = evaluate(gold, GENOMICS_RUN, ["charR"], corpus=corpus, notices=Notices())
    assert table.values[0, :, 0].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ééé", "expected whole characters, up to byte 6"),
        ("ab", "expected whole characters, up to byte 2"),
    ],
)
def test_bytes_of_another_text(text: str, said: str) -> None:
    """Bytes inside of characters, or beyond the end, are of another version."""
    with pytest.raises(ExcerptError) as caught:
        read_run(GENOMICS_RUN, corpus=Corpus({"7": text, "8": "other"}))
    assert str(caught.value).startswith(f"<bytes>:1: found bytes 3 to 7 of document 7, {said}")
    with pytest.raises(
        ExcerptError, match="found document 8, expected one of the corpus, to convert its byte offsets"
    ):
        read_run(GENOMICS_RUN, corpus=Corpus({"7": "0123456789"}))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("160 7 1 9 3 4", "trec-genomics"),
        ("160 7 1 0.5 3 4 mine", "trec-genomics"),
        ("160 Q0 7 1 9 4", "trec"),
        ("160 0 12345 1 100 7", "trec"),
        ("160 Q0 7 1 9 4 3", "bep"),
    ],
)
def test_which_format_it_is(line: str, name: str) -> None:
    """Ranks count from 1; those of a TREC run are in another column."""
    assert run_format_of(Source.open(f"{line}\n".encode())).name == name


def test_the_example_and_its_tags() -> None:
    """The first tag is the name; without any the file has it."""
    assert read_run(run_formats()["trec-genomics"].example.encode(), notices=Notices()).name == "mine"
    notices = Notices()
    assert read_run(b"160 7 1 9 3 4\n", notices=notices).name == "<bytes>"
    read_run(b"160 7 1 9 3 4 a\n160 7 2 8 9 4 b\n", notices=notices)
    assert "the run has 2 tags; the first is used as its name (<bytes>)" in list(notices)
