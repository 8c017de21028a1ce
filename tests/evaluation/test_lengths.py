"""Lengths from a corpus, against those of an index and of plain arithmetic."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import excerpt
from excerpt import Corpus, ExcerptError, Judgments, Notices, Policy, Result, Run, Span
from excerpt.errors import FormatError
from excerpt.evaluation import CorpusOptions
from excerpt.evaluation.lengths import Checks, complete, size_judgments, size_run
from excerpt.evaluation.reading import Reading
from excerpt.evaluation.scoring import Scoring

CORPUS = {"A": "x" * 100, "B": "é" * 50, "C": ""}
BEYOND = "1 result reaches beyond the end of its document and counts in full"


def documents(*names: str) -> Run:
    """A run of whole documents on topic 1."""
    return Run.of("r", [Result("1", name, 0, 0) for name in names], kind="documents")


def test_whole_documents_have_the_length_of_the_corpus() -> None:
    """The corpus has lengths that the judgments lack: 10 relevant of 100 + 50 characters."""
    judgments = Judgments.of([("1", Span("A", 10, 20))])
    run = documents("A", "B")
    with pytest.raises(ExcerptError, match=r"2 whole documents of unknown length.*; give corpus=Corpus.read"):
        excerpt.evaluate(judgments, run, "charP")
    table = excerpt.evaluate(judgments, run, ["charP@1", "charP"], corpus=CORPUS)
    assert table.means().tolist() == [[0.1, 10 / 150]]
    assert table.warnings == ()


def test_lengths_of_the_judgments_go_first() -> None:
    """They existed when the text was highlighted; another length gives a warning."""
    judgments = Judgments.of([("1", Span("A", 10, 20))], sizes={"A": 80})
    table = excerpt.evaluate(judgments, documents("A"), "charP", corpus=CORPUS)
    assert table.means().tolist() == [[10 / 80]]
    used = "the judgments' length is used (A of the judgments)"
    assert table.warnings == (f"1 judged document has another length in the corpus; {used}",)


def test_results_beyond_the_end_of_unjudged_documents() -> None:
    """They are counted as those of judged ones are, and refused where the policy says so."""
    judgments = Judgments.of([("1", Span("A", 0, 10))])
    run = Run.of("r", [Result("1", "A", 0, 10), Result("1", "B", 40, 51), Result("1", "A", 50, 101)])
    assert excerpt.evaluate(judgments, run, "charP").warnings == ()
    warnings = excerpt.evaluate(judgments, run, "charP", corpus=CORPUS).warnings
    assert warnings == (
        "2 documents of the corpus are shorter than a result in them (first: A, B of r)",
        "2 results reach beyond the end of their documents and count in full (first: r)",
    )
    with pytest.raises(FormatError, match=r"document B: result reaches beyond the end of its document"):
        excerpt.evaluate(judgments, run, "charP", corpus=CORPUS, policy=Policy(unknown="error"))


def test_documents_that_the_corpus_lacks() -> None:
    """The first three are named, all are counted, and the others have their lengths."""
    notices = Notices()
    run = size_run(documents("A", "p", "q", "r", "s"), Corpus(CORPUS), "char", notices)
    assert run.lengths is not None
    assert run.lengths.tolist() == [100, -1, -1, -1, -1]
    assert list(notices) == ["4 documents of a run are not in the corpus (first: p, q, r of r)"]
    with pytest.raises(
        ExcerptError, match=r"r: none of the run's documents \(such as p\) is in the corpus; .*such as A"
    ):
        size_run(documents("p"), Corpus(CORPUS), "char", Notices())
    judgments = Judgments.of([("1", Span("A", 0, 10)), ("1", Span("x", 0, 10))])
    size_judgments(judgments, Corpus(CORPUS), notices := Notices())
    assert list(notices) == ["1 judged document is not in the corpus (x of the judgments)"]


def test_passages_beyond_the_end_of_the_text() -> None:
    """They are refused; where several runs are shown, a document that is too short has no length."""
    judgments = Judgments.of([("1", Span("A", 50, 120)), ("1", Span("B", 0, 50))])
    with pytest.raises(
        ExcerptError,
        match=r"beyond the end of 1 document of the corpus \(A up to 120 of 100\).*another version",
    ):
        size_judgments(judgments, Corpus(CORPUS), Notices())
    sized = size_judgments(judgments, Corpus(CORPUS), notices := Notices(), checks="lengths")
    assert dict(zip(sized.documents, sized.document_sizes.tolist(), strict=True)) == {"A": -1, "B": 50}
    assert list(notices) == [
        "1 document of the corpus is shorter than a relevant passage in it (A of the judgments)"
    ]


def test_documents_that_cannot_be_read_do_not_stop_the_work(tmp_path: Path) -> None:
    """They are like documents that are not there; the message is that of the first."""
    (tmp_path / "A.xml").write_text("<a>")
    (tmp_path / "B.txt").write_text("text")
    judgments = Judgments.of([("1", Span("A", 0, 10)), ("1", Span("B", 0, 2))])
    run = Run.of("r", [Result("1", "B", 0, 4)])
    table = excerpt.evaluate(judgments, run, "charP", corpus=tmp_path)
    assert table.means().tolist() == [[0.5]]
    (warning,) = table.warnings
    assert warning.startswith("1 document of the corpus cannot be read (")
    assert "A.xml:1: no element found" in warning


def test_bytes_where_an_index_counts_them() -> None:
    """The unit of the lengths is that of the offsets."""
    assert size_run(documents("B"), Corpus(CORPUS), "byte", Notices()).lengths.tolist() == [100]  # type: ignore[union-attr]


def test_other_things_are_no_corpus() -> None:
    """One sentence."""
    with pytest.raises(ExcerptError, match=r"found 5 of type int, expected a mapping of ids to texts"):
        excerpt.evaluate(Judgments.of([("1", Span("A", 0, 1))]), documents("A"), "charP", corpus=5)  # type: ignore[arg-type]


def evaluate(qrels: str, run: str, how: CorpusOptions) -> list[object]:
    """Scores of text and of documents."""
    measures, policy = ["charP", "charR", "articleP"], Policy(unknown_length=7)
    found: list[object] = excerpt.evaluate(
        qrels.encode(), run.encode(), measures, policy=policy, **how
    ).values.tolist()
    return found


TEXTS = st.dictionaries(st.sampled_from("ABCD"), st.text("xé ", min_size=1, max_size=9), min_size=1)
PAIRS = st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("ABCDE")), min_size=1, unique=True)


@settings(max_examples=60)
@given(TEXTS, st.lists(st.sampled_from([0, 1, 1]), min_size=10, max_size=10), PAIRS, PAIRS)
def test_a_corpus_does_what_an_index_does(
    texts: dict[str, str], grades: list[int], judged: list[tuple[str, str]], results: list[tuple[str, str]]
) -> None:
    """TREC qrels and runs of documents have the same scores with either."""
    qrels = "".join(
        f"{topic} 0 {name} {grade}\n" for (topic, name), grade in zip(judged, grades, strict=False)
    )
    run = "".join(f"{topic} Q0 {name} 1 1 r\n" for topic, name in results)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "docs").mkdir()
        for name, text in texts.items():
            Path(folder, "docs", f"{name}.xml").write_text(f"<a>{text}</a>", encoding="utf-8")
        excerpt.build_index(Path(folder, "docs"), Path(folder, "index"))
        scores = []
        ways: list[CorpusOptions] = [{"index": Path(folder, "index")}, {"corpus": Path(folder, "docs")}]
        for how in ways:
            try:
                scores.append(str(evaluate(qrels, run, how)))
            except ExcerptError as error:
                scores.append(f"{error.path}, {'such as' in error.message}")
        assert scores[0] == scores[1]


@pytest.mark.parametrize("checks", ["lengths", "ids"])
def test_where_several_runs_are_shown_one_without_any_document_is_only_said(checks: Checks) -> None:
    """The first three of its documents are named; the others of the evaluation are shown."""
    for run in (documents("p", "q", "r", "s"), Run.of("r", [Result("1", name, 0, 5) for name in "pqrs"])):
        size_run(run, Corpus(CORPUS), "char", notices := Notices(), checks=checks)
        assert list(notices) == ["4 documents of a run are not in the corpus (first: p, q, r of r)"]


@pytest.mark.parametrize("checks", ["ids", "none"])
def test_where_few_documents_are_read(checks: Checks) -> None:
    """Only whole documents get their lengths; of ids it is said what is lacking, if anybody wants to know."""
    corpus, notices = Corpus(CORPUS), Notices()
    sized = size_run(documents("A", "q"), corpus, "char", notices, checks=checks)
    assert sized.lengths is not None
    assert sized.lengths.tolist() == [100, -1]
    spans = Run.of("r", [Result("1", "A", 0, 500)])
    assert size_run(spans, corpus, "char", notices, checks=checks) is spans
    judgments = Judgments.of([("1", Span("A", 50, 120)), ("1", Span("q", 0, 50))])
    assert size_judgments(judgments, corpus, notices, checks=checks) is judgments
    graded = excerpt.read_judgments(b"1 0 A 1\n1 0 q 1\n", format="trec")
    whole = size_judgments(graded, corpus, notices, checks=checks)
    assert whole.relevant_by_topic.tolist() == [101]
    assert (
        list(notices)
        == {
            "none": [],
            "ids": [
                "1 document of a run is not in the corpus (q of r)",
                "2 judged documents are not in the corpus (first: q of the judgments)",
            ],
        }[checks]
    )


def test_a_document_that_cannot_be_read_takes_no_other_away(tmp_path: Path) -> None:
    """It changed after the corpus was opened: a warning, and all else is scored."""
    for name in "AB":
        (tmp_path / f"{name}.txt").write_text("x" * 100)
    corpus = Corpus.read(tmp_path)
    (tmp_path / "B.txt").write_text("y")
    judgments = Judgments.of([("1", Span("A", 10, 20))])
    run = Run.of("r", [Result("1", "A", 0, 10), Result("1", "B", 0, 10)])
    table = excerpt.evaluate(judgments, run, "charP", corpus=corpus)
    assert table.means().tolist() == [[0.0]]
    assert table.warnings[0].startswith("1 document of the corpus cannot be read (")
    assert "B.txt: has changed since the corpus was opened" in table.warnings[0]


@pytest.mark.parametrize("checks", ["all", "ids"])
def test_measures_get_the_lengths_that_they_need(checks: Checks) -> None:
    """The mean length of all documents, as an index has it, and the length of each relevant document."""
    judgments = Judgments.of([("1", Span("A", 10, 20))], entries={("1", "A"): 10})
    run = Run.of("r", [Result("1", "A", 20, 30)])
    reading = replace(Reading.of(corpus=CORPUS), corpus_checks=checks)
    for name, told in {"BEPD": "BEPD(L=50)", "EPRUM": "EPRUM(L=50)"}.items():
        scoring = Scoring.of(judgments, name, reading=reading, notices=Notices())
        assert scoring.judgments.mean_length == 50
        expected = excerpt.evaluate(judgments, run, told).values
        assert scoring.scores(scoring.join(run, Notices()), Notices()).tolist() == expected[0].tolist()
    scoring = Scoring.of(judgments, "MAgP(score=T2I)", reading=reading, notices=Notices())
    assert scoring.judgments.document_sizes.tolist() == [100]
    assert excerpt.evaluate(judgments, run, ["BEPD", "MAgP(score=T2I)"], corpus=CORPUS).means().all()


def test_the_mean_length_is_of_documents_that_can_be_read(tmp_path: Path) -> None:
    """Others give a warning; a length in the judgments goes first."""
    for name, data in {"A": b"x" * 100, "B": b"y" * 51, "C": b"\xff"}.items():
        (tmp_path / f"{name}.txt").write_bytes(data)
    judgments = Judgments.of([("1", Span("A", 10, 20))], entries={("1", "A"): 10})
    notices = Notices()
    corpus = Corpus.read(tmp_path)
    assert complete(judgments, corpus, {"mean document length"}, notices).mean_length == Fraction(151, 2)
    assert [str(notice)[:39] for notice in notices] == ["1 document of the corpus cannot be read"]
    known = replace(judgments, mean_length=Fraction(7))
    assert complete(known, corpus, {"mean document length"}, notices).mean_length == 7
    assert complete(judgments, corpus, {"spans"}, notices).mean_length is None


def test_two_names_of_one_document(tmp_path: Path) -> None:
    """Are said: the judgments count them as two."""
    (tmp_path / "lease.txt").write_text("Rent is due.")
    judgments = Judgments.of([("1", "lease", 0, 4), ("2", "lease.txt", 0, 4)])
    complete(judgments, Corpus.read(tmp_path), (), notices := Notices())
    assert list(notices) == [
        "1 document has two ids in the judgments and counts twice (lease and lease.txt of the judgments)"
    ]


def test_a_document_that_changes_after_the_scan_is_said(tmp_path: Path) -> None:
    """Its length is not used, and the scores are those without a corpus."""
    path = tmp_path / "docs.jsonl"
    path.write_text('{"_id": "A", "text": "some text"}\n{"_id": "B", "text": "other"}\n', encoding="utf-8")
    corpus, notices = Corpus.read(path), Notices()
    run = Run.of("r", [Result("1", "A", 0, 4), Result("1", "B", 0, 2)])
    path.write_text('{"_id": "A", "text": "some"}\n', encoding="utf-8")
    assert np.array_equal(size_run(run, corpus, "char", notices).lengths, [-1, -1])  # type: ignore[arg-type]
    changed = f"{path}: has changed since the corpus was opened; open the corpus again"
    assert tuple(notices) == (f"2 documents of the corpus cannot be read (first: {changed})",)
