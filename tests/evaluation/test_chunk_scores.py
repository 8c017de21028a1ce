"""evaluate_chunks: what it takes, what it says, what it gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from excerpt import Chunks, Corpus, ExcerptError, Judgments, Notices, Span, evaluate, evaluate_chunks

TEXTS = {"docs/a.txt": "Rain fell. The river rose.", "docs/b.txt": "Floods of 1910"}
CORPUS = Corpus(TEXTS)
GOLD = Judgments.of([("1", Span("docs/a.txt", 0, 10)), ("2", Span("docs/a.txt", 15, 26))])


def placed(*texts: str, name: str = "mine", document: str = "docs/a.txt", **how: Any) -> Chunks:
    return CORPUS.place([{"document": document, "text": text} for text in texts], name=name, **how)


def test_chunkers_come_as_they_are_by_name_or_from_files(tmp_path: Path) -> None:
    sentences, words = (
        placed("Rain fell.", "The river rose."),
        placed(*TEXTS["docs/a.txt"].split(), name="words"),
    )
    table = evaluate_chunks(GOLD, [sentences, words], CORPUS)
    assert table.runs == ("mine", "words")
    assert table.measures == ("ceiling", "cut", "omega")
    assert table.values[0].tolist() == [[1, 0, 1], [1, 0, 11 / 15]]
    assert table.values[1].tolist() == [[9 / 10, 1, 9 / 10], [10 / 11, 1, 10 / 11]]
    words.write(tmp_path / "w.jsonl")
    again = evaluate_chunks(GOLD, tmp_path / "w.jsonl", TEXTS, measures=["omega", "cut"])
    assert again.runs == ("w",)
    assert again.files == (str(tmp_path / "w.jsonl"),)
    assert again.values[0].tolist() == [[9 / 10, 1], [10 / 11, 1]]
    named = evaluate_chunks(GOLD, {"first": sentences, "second": tmp_path / "w.jsonl"}, CORPUS)
    assert named.runs == ("first", "second")
    assert named.values.tolist() == table.values.tolist()
    assert evaluate_chunks(GOLD, [words, words], CORPUS).runs == ("words", "words #2")


def test_the_old_form_of_omega_has_its_own_name() -> None:
    gold = Judgments.of([("1", Span("docs/a.txt", 0, 11))])
    chunks = placed("Rain fell. ", "The river rose.")
    table = evaluate_chunks(
        gold, chunks, CORPUS, measures=["omega(legacy = True)", "omega(legacy=false)", "omega"]
    )
    assert table.values[0].tolist() == [[11 / 26, 1, 1]]


def test_documents_are_joined_by_what_the_corpus_calls_them(tmp_path: Path) -> None:
    """Judgments may have several names for a document, too."""
    (tmp_path / "a.txt").write_text(TEXTS["docs/a.txt"], encoding="utf-8")
    corpus = Corpus.read(tmp_path)
    gold = Judgments.of([("1", Span("a", 0, 10)), ("1", Span("a.txt", 15, 26)), ("2", Span("a.txt", 0, 4))])
    chunks = corpus.place({"a": ["Rain fell.", "The river rose."]})
    table = evaluate_chunks(gold, chunks, corpus)
    assert table.values[0].tolist() == [[1, 0, 21 / 25], [1, 0, 4 / 10]]
    assert table.warnings == ()
    with pytest.raises(ExcerptError) as caught:
        evaluate_chunks(Judgments.of([("1", Span("a.txt", 0, 9))]), chunks)
    assert str(caught.value) == (
        "chunks: found chunks of a, expected some of the judged documents, such as a.txt; "
        "corpus=Corpus.read(…) joins names that mean the same document"
    )


def test_what_is_missing_is_said() -> None:
    """Lost chunks hold nothing, dropped ones neither; a document without chunks is named."""
    gold = Judgments.of(
        [("1", Span("docs/a.txt", 0, 10)), ("1", Span("docs/b.txt", 0, 6))], irrelevant=[("2", "docs/a.txt")]
    )
    for lost in ("count", "drop"):
        notices = Notices()
        table = evaluate_chunks(
            gold, placed("Rain fell.", "no such text", lost=lost), CORPUS, notices=notices
        )
        assert table.values[0, 0].tolist() == [10 / 16, 0.5, 10 / 16]
        assert table.mean("mine", "ceiling") == 10 / 16
        assert (
            list(notices)
            == list(table.warnings)
            == [
                "topic has no relevant text and was left out of the means (topic 2)",
                "document with relevant text has no chunks (docs/b.txt of mine)",
                "chunk stands nowhere in its document and holds nothing (mine)",
            ]
        )


def test_without_a_corpus_white_space_counts() -> None:
    """The passage ends with a blank that the chunk does not hold."""
    gold, notices = Judgments.of([("1", Span("docs/a.txt", 0, 11))]), Notices()
    chunks = placed("Rain fell.", "The river rose.")
    assert evaluate_chunks(gold, chunks, notices=notices).values[0].tolist() == [[10 / 11, 1, 10 / 11]]
    assert list(notices) == [
        "white space counts as text under cut, since there is no corpus to tell where it is"
    ]
    assert evaluate_chunks(gold, chunks, CORPUS).values[0].tolist() == [[10 / 11, 0, 10 / 11]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"chunks": 3},
            "found a value of type int as chunks, expected Chunks, or the name of a file of placed",
        ),
        ({"chunks": []}, "found no chunks, expected at least one chunker"),
        ({"chunks": ["none.jsonl"]}, "none.jsonl: "),
        ({"measures": "recall@5"}, "unknown measure of chunkers 'recall@5'"),
        ({"measures": "omeg"}, "unknown measure of chunkers 'omeg'; did you mean 'omega'?"),
        ({"measures": []}, "found no measure, expected at least one; try ceiling, cut, omega"),
        ({"gold": 3}, "found a value of type int, expected Judgments"),
        ({"index_": 3}, "unknown keyword argument 'index_'"),
    ],
)
def test_mistakes_are_told_in_one_sentence(given: dict[str, Any], message: str) -> None:
    arguments = {"gold": GOLD, "chunks": placed("Rain fell."), "corpus": CORPUS, **given}
    with pytest.raises(ExcerptError) as caught:
        evaluate_chunks(**arguments)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_raw_chunks_are_told_where_to_go() -> None:
    with pytest.raises(
        ExcerptError, match=r"found a value of type dict as chunks.*corpus\.place\(chunks\) places"
    ):
        evaluate_chunks(GOLD, [{"document": "docs/a.txt", "text": "Rain"}], CORPUS)  # type: ignore[list-item]


def test_judgments_of_documents_have_no_passages(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1 0 docs/a.txt 1\n", encoding="utf-8")
    with pytest.raises(ExcerptError, match="chunks need judgments of text, but these are of whole documents"):
        evaluate_chunks(tmp_path / "q.txt", placed("Rain fell."))


def test_figures_that_chunking_evaluation_itself_computes() -> None:
    """Its own code was run on this case (overlapping chunks, evidence at borders); these are its numbers."""
    relevant = {
        "1": [(130, 170)],
        "2": [(90, 110), (395, 460)],
        "3": [(500, 777), (800, 801)],
        "4": [(200, 300)],
    }
    retrieved = {"1": [1, 0, 2], "2": [3, 4, 9], "3": [6, 5, 7], "4": [0, 8, 9]}
    corpus = Corpus({"A": "".join(f"{number:05d}" for number in range(200))})
    gold = Judgments.of([(topic, Span("A", *span)) for topic, spans in relevant.items() for span in spans])
    chunks = corpus.place({"A": [(start, min(start + 150, 1000)) for start in range(0, 1000, 100)]})
    table = evaluate(gold, chunks.run(retrieved), ["charP@3", "charR@3", "IoU@3"])
    assert table.values[0].T.tolist() == [
        [0.08888888888888889, 0.1625, 0.6177777777777778, 0.0],
        [1.0, 0.7647058823529411, 1.0, 0.0],
        [0.08888888888888889, 0.15476190476190477, 0.6177777777777778, 0.0],
    ]
    omega = evaluate_chunks(gold, chunks, corpus, measures=["omega(legacy=true)"]).values[0, :, 0]
    assert omega.tolist() == [0.16, 0.17, 0.5054545454545455, 0.2857142857142857]
