"""evaluate_chunks: what it takes, what it says, what it gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.chunk_oracle import ceiling, cut, omega
from support.oracle import Row, Topic, agrees
from support.strategies import DOCUMENTS, Case, cases

from excerpt import (
    Chunks,
    Corpus,
    ExcerptError,
    Judgments,
    Notices,
    Result,
    Run,
    Span,
    evaluate,
    evaluate_chunks,
    write_judgments,
)
from excerpt.cli import main
from excerpt.model.texts import Texts
from excerpt.placing.chunkers import ChunkCounts

TEXTS = {"docs/a.txt": "Rain fell. The river rose.", "docs/b.txt": "Floods of 1910"}
CORPUS = Corpus(TEXTS)
GOLD = Judgments.of([("1", Span("docs/a.txt", 0, 10)), ("2", Span("docs/a.txt", 15, 26))])


def placed(*texts: str, name: str = "mine", document: str = "docs/a.txt", **how: Any) -> Chunks:
    return CORPUS.place([{"document": document, "text": text} for text in texts], name=name, **how)


_OVERLAPPING = placed("Rain fell. The", "fell. The river")


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
        "chunks: found chunks of a, expected chunks of judged documents, such as a.txt; "
        "corpus=Corpus.read(…) joins different ids of the same document"
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
                "1 topic has no relevant text and is left out of the means (topic 2)",
                "1 document with relevant text has no chunks of a chunker (docs/b.txt of mine)",
                "1 chunk does not occur in its document and covers no text (mine)",
            ]
        )


def test_without_a_corpus_white_space_counts() -> None:
    """The passage ends with a blank that the chunk does not hold."""
    gold, notices = Judgments.of([("1", Span("docs/a.txt", 0, 11))]), Notices()
    chunks = placed("Rain fell.", "The river rose.")
    assert evaluate_chunks(gold, chunks, notices=notices).values[0].tolist() == [[10 / 11, 1, 10 / 11]]
    assert list(notices) == ["whitespace counts as text under cut; give a corpus to ignore whitespace"]
    assert evaluate_chunks(gold, chunks, CORPUS).values[0].tolist() == [[10 / 11, 0, 10 / 11]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"chunks": 3},
            "found a value of type int as chunks, expected Chunks or the path of a file of located",
        ),
        ({"chunks": []}, "no chunks given; give the chunks of at least one chunker"),
        ({"chunks": ["none.jsonl"]}, "none.jsonl: "),
        ({"measures": "charP@5"}, "charP@5 has no ceiling, expected one of: charF"),
        (
            {"measures": ["cut", "MAiP"], "chunks": _OVERLAPPING},
            "found units that overlap, which MAiP forbids",
        ),
        ({"measures": "omeg"}, "unknown measure of chunkers 'omeg'; did you mean 'omega'?"),
        ({"measures": []}, "no measure given; try ceiling, cut, omega"),
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
        ExcerptError, match=r"found a value of type dict as chunks.*corpus\.place\(chunks\) locates"
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


def counts(judgments: Judgments, rows: list[Row], texts: dict[str, str] | None = None) -> ChunkCounts:
    known = [row for row in rows if row[0] in judgments.document_codes]
    home = np.array([judgments.document_codes[row[0]] for row in known], np.int64)
    start, end = (np.array([row[at] for row in known], np.int64) for at in (1, 2))
    return ChunkCounts(judgments, None if texts is None else Texts(texts.get), home, start, end)


_CHUNK = st.tuples(st.sampled_from((*DOCUMENTS, "z")), st.integers(0, 24), st.integers(1, 20))
_TEXT = st.text(alphabet="ab \n", max_size=60)


@settings(max_examples=120)
@given(
    cases(),
    st.lists(_CHUNK.map(lambda drawn: (drawn[0], drawn[1], drawn[1] + drawn[2])), max_size=25),
    st.fixed_dictionaries(dict.fromkeys(DOCUMENTS, _TEXT)),
)
def test_agrees_with_sets_of_characters(case: Case, chunks: list[Row], texts: dict[str, str]) -> None:
    """Chunks overlap, repeat, nest and come in any order; topics share documents."""
    judgments = case.judgments()
    plain, spaced = counts(judgments, chunks), counts(judgments, chunks, texts)
    found = zip(
        judgments.topics,
        case.topics(Topic).values(),
        *(plain.ceiling(), plain.cut(), spaced.cut(), plain.omega(), plain.omega(legacy=True)),
        strict=True,
    )
    for name, topic, *scores in found:
        if not topic.total:
            assert np.isnan(scores).all()
            continue
        exact = [ceiling(topic, chunks), cut(topic, chunks)]
        topic.texts = texts
        exact += [cut(topic, chunks)] + [omega(topic, chunks, legacy=legacy) for legacy in (False, True)]
        assert all(map(agrees, scores, exact)), (name, scores, exact)


#: Evidence [100, 300) and [450, 500); chunks of 200 characters that overlap by 50, and one that only touches.
CHUNK_COUNTS_GOLD = Judgments.of([("1", Span("A", 100, 300)), ("1", Span("A", 450, 500))])
WINDOWS = [("A", start, start + 200) for start in range(0, 751, 150)]
RETRIEVED = Run.of("r", [Result("1", *row) for row in (*WINDOWS[:2], WINDOWS[4])])


def test_figures_of_chunking_evaluation_from_its_published_definition_by_hand() -> None:
    """Its code is not at hand: each figure is written down from the definition.

    The first two windows and the fifth, [0, 200), [150, 350), [600, 800), share 200 characters with the
    evidence, counted once, of 600 read: precision 200/600, recall 200/250, intersection over union
    200/(600 + 50). Windows that hold or touch evidence: [0, 200), [150, 350), [300, 500), [450, 650), 650
    characters together, so precision omega is 250/650. [300, 500) touches the first passage, but it holds
    all of the second, so it counts in either form.
    """
    table = evaluate(CHUNK_COUNTS_GOLD, [RETRIEVED], ["charP", "charR", "IoU"])
    assert table.means().tolist() == [[200 / 600, 200 / 250, 200 / 650]]
    assert counts(CHUNK_COUNTS_GOLD, WINDOWS).omega(legacy=True).tolist() == [250 / 650]
    assert counts(CHUNK_COUNTS_GOLD, WINDOWS).omega().tolist() == [250 / 650]


def test_chunks_that_only_touch_count_in_the_legacy_form_alone() -> None:
    """[0, 100) ends where evidence starts and [300, 400) starts where it ends; [300, 450) touches twice."""
    parts = [("A", 0, 100), ("A", 100, 300), ("A", 300, 450), ("A", 450, 500), ("A", 500, 900)]
    assert counts(CHUNK_COUNTS_GOLD, parts).omega().tolist() == [1]
    assert counts(CHUNK_COUNTS_GOLD, parts).omega(legacy=True).tolist() == [250 / 900]


def test_lost_text_lowers_the_ceiling_and_omega() -> None:
    found = counts(CHUNK_COUNTS_GOLD, [("A", 0, 200), ("A", 450, 500)])
    assert found.ceiling().tolist() == [150 / 250]
    assert found.omega().tolist() == [150 / 350]
    assert found.cut().tolist() == [0.5]


def test_without_chunks_all_is_lost() -> None:
    found = counts(CHUNK_COUNTS_GOLD, [])
    assert [found.ceiling().tolist(), found.cut().tolist(), found.omega().tolist()] == [[0], [1], [0]]


@pytest.mark.parametrize(("chunk", "share"), [(("A", 3, 12), 0), (("A", 4, 12), 1), (("A", 3, 11), 1)])
def test_white_space_at_the_borders_need_not_be_held(chunk: Row, share: float) -> None:
    """The passage is [1, 14) of a text whose letters are at 3 to 11, with whitespace between them."""
    gold = Judgments.of([("1", Span("A", 1, 14))])
    assert counts(gold, [chunk], {"A": "   ab cd  ef   "}).cut().tolist() == [share]


def test_ceilings_of_chunkers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside measures of chunks alone: the best score of any list, what is missing, and the sentence."""
    chunks = {"some": placed("Rain fell.", "river"), "all": placed("Rain fell.", "The river rose.")}
    names = ["cut", "recall(budget=10)", "omega"]
    table = evaluate_chunks(GOLD, chunks, CORPUS, measures=names)
    assert table.measures == tuple(names)
    recall = [(1 + 5 / 11) / 2, (1 + 6 / 11) / 2]
    assert [table.mean(run, names[1]) for run in table.runs] == pytest.approx(recall)
    assert {run: gaps["lost_unit"][names[1]] for run, gaps in table.gaps.items()} == pytest.approx(
        {"some": 1 - recall[0], "all": 1 - recall[1]}
    )
    for name, one in chunks.items():
        one.write(tmp_path / f"{name}.jsonl")
    write_judgments(GOLD, tmp_path / "gold.jsonl")
    (tmp_path / "all" / "docs").mkdir(parents=True)
    for name, text in TEXTS.items():
        (tmp_path / "all" / name).write_text(text)
    files = [str(tmp_path / name) for name in ("gold.jsonl", "some.jsonl", "all.jsonl")]
    assert main(["chunks", *files, "--corpus", str(tmp_path / "all"), "-m", names[1], "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert (
        "no retriever can get above 0.7727 with the chunks of all, the best of 2, at 10 characters" in shown
    )
