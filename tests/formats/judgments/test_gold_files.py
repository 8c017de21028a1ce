"""Gold files wherever judgments are read: recognised, verified, evaluated; one sentence for what is wrong."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.gold_files import KINDS, TEXTS, sample

import excerpt
from excerpt import ExcerptError, Notices, Run, Span, collection
from excerpt.cli import main
from excerpt.gold.file import GoldFormat


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.name))
def test_samples_are_judgments(kind: GoldFormat, tmp_path: Path) -> None:
    """Known by their content, compressed or not; questions keep their texts."""
    packed = tmp_path / "gold.gz"
    packed.write_bytes(gzip.compress(sample(kind.name).read_bytes()))
    notices = Notices()
    gold = excerpt.read_gold(packed, TEXTS, notices=notices)
    assert gold.topics == tuple(gold.questions)
    assert all(question.text for question in gold.questions.values()) or kind.name == "trec-genomics"
    assert gold.has_relevant.any()
    assert gold.evidence["unplaced"] == 0
    assert not [text for text in notices if "moved" in text or "unknown" in text]


def test_the_texts_of_the_file_verify_it() -> None:
    """SQuAD: questions without answers have no relevant text, but are judged."""
    gold = excerpt.read_gold(sample("squad"))
    assert gold.highlights("b1") == [Span("Bridges#1", 0, 33)]
    assert (gold.topics, gold.has_relevant.tolist()) == (("b1", "b2", "b3", "l1"), [True, False, True, True])
    assert gold.document_sizes.tolist() == [71, 56, 47]
    assert gold.evidence == {"exact": 4, "moved": 0, "folded": 0, "markup": 0, "unplaced": 0, "elsewhere": 0}
    assert gold.questions["b3"] == ("b3", "What carries a hanging bridge?", "Bridges", "")


def test_a_question_without_documents_is_judged() -> None:
    """LegalBench-RAG: no snippets, no relevant text; the topic is there."""
    gold = excerpt.read_gold(sample("legalbench-rag"), TEXTS)
    assert (gold.topics, gold.has_relevant.tolist()) == (("1", "2", "3"), [True, True, False])
    assert gold.questions["1"].group == "legalbench-rag"
    table = excerpt.evaluate(gold, Run.of("r", [("1", "leases/one.txt", 16, 22)]), "charR", notices=Notices())
    assert table.topics == ("1", "2", "3")
    assert table.means().tolist() == [[0.5]]
    assert table.questions["2"].text == "Consider the lease; may a tenant sublet?"


def test_another_version_of_the_text() -> None:
    """With a corpus, evidence is relocated by its text; evidence that does not occur is an error."""
    notices = Notices()
    other = {"one": "Lease.\n" + TEXTS["leases/one.txt"]}
    gold = excerpt.read_gold(sample("chunking-evaluation"), other, notices=notices)
    assert gold.highlights("1") == [Span("one", 23, 29)]
    (warning,) = notices
    assert "evidence: 0 exact, 3 moved, 0 folded, 0 unplaced (first: question 1, 2 of" in warning
    with pytest.raises(
        ExcerptError, match=r"csv:2: evidence 'in May' of question 1 does not occur in document one"
    ):
        excerpt.read_gold(sample("chunking-evaluation"), {"one": "Something else."})
    with pytest.raises(ExcerptError, match=r"none of the file's documents .such as one. is in the corpus"):
        excerpt.read_gold(sample("chunking-evaluation"), {"two": "x"})


def test_evidence_that_stands_elsewhere() -> None:
    """In another document, judged or not; places that are marked for the question do not count."""
    notices = Notices()
    texts = {"one": "in May, in May. No subletting", "two": "No subletting", "three": "The rent"}
    references = [{"content": "in May", "start_index": 0, "end_index": 6}]
    references += [{"content": "in May", "start_index": 8, "end_index": 14}]
    rows = [
        ["q1", references, "one"],
        ["q2", [{"content": "No subletting", "start_index": 0, "end_index": 13}], "two"],
    ]
    rows += [["q3", [{"content": "The rent", "start_index": 0, "end_index": 8}], "three"]]
    lines = [f'{a},"{json.dumps(b).replace(chr(34), chr(34) * 2)}",{c}' for a, b, c in rows]
    data = "\n".join(["question,references,corpus_id", *lines]).encode()
    gold = excerpt.read_gold(data, texts, notices=notices)
    assert gold.evidence == {"exact": 4, "moved": 0, "folded": 0, "markup": 0, "unplaced": 0, "elsewhere": 1}
    (warning,) = notices
    assert warning.startswith(
        "1 evidence passage also appears, unmarked, elsewhere; only the marked occurrence counts, "
        "without offsets the first "
    )
    assert warning.endswith("(question 2 of <bytes>)")
    assert (
        excerpt.read_gold(data, {**texts, "four": "The rent"}, notices=Notices()).evidence["elsewhere"] == 2
    )


def cuad(questions: int = 3) -> dict[str, Any]:
    """The embedded collection as CUAD is released: one paragraph per contract, a question per clause."""
    judgments = excerpt.read_judgments(collection.qrels())
    topics = excerpt.read_topics(collection.topics())
    corpus = excerpt.Corpus.read(collection.corpus())
    data = []
    for document in sorted(corpus):
        qas = []
        for topic in judgments.topics[:questions]:
            spans = [span for span in judgments.highlights(topic) if span.document == document]
            answers = [{"text": corpus[document][a:b], "answer_start": a} for _, a, b in spans]
            question = f"Highlight the parts related to {topics[topic].title!r}"
            name = f"{document}__{topic}"
            qas.append({"id": name, "question": question, "answers": answers, "is_impossible": not answers})
        data.append({"title": document, "paragraphs": [{"qas": qas, "context": corpus[document]}]})
    return {"version": "aok_v1.0", "data": data}


def test_contracts_as_they_are_released(tmp_path: Path) -> None:
    """CUAD in the form of SQuAD has the spans of the collection, also with its XML documents."""
    path = tmp_path / "cuad.json"
    path.write_text(json.dumps(cuad()))
    notices = Notices()
    gold = excerpt.read_gold(path, collection.corpus(), notices=notices)
    known = excerpt.read_judgments(collection.qrels())
    wanted = {(topic, span) for topic in known.topics[:3] for span in known.highlights(topic)}
    found = {(name.partition("__")[2], span) for name in gold.topics for span in gold.highlights(name)}
    assert found == wanted
    assert gold.evidence == {
        "exact": len(wanted),
        "moved": 0,
        "folded": 0,
        "markup": 0,
        "unplaced": 0,
        "elsewhere": 155,
    }
    (warning,) = notices
    assert warning.startswith("155 evidence passages also appear, unmarked, elsewhere; only the marked ")
    corpus = excerpt.Corpus.read(path)
    assert len(corpus) == 40
    assert corpus["C0004"] == excerpt.Corpus.read(collection.corpus())["C0004"]


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """evaluate, with paragraphs or articles, the file itself as corpus; compare; check; convert."""
    gold = tmp_path / "gold.json"
    shutil.copy(sample("squad"), gold)
    run, other = tmp_path / "run.jsonl", tmp_path / "other.jsonl"
    run.write_text('{"topic": "b1", "document": "Bridges", "start": 0, "end": 33, "score": 2}\n')
    other.write_text('{"topic": "l1", "document": "Locks", "start": 0, "end": 6, "score": 2}\n')
    how = ["-m", "charR", "--format", "json", "--corpus", str(gold), "--context", "article"]
    assert main(["evaluate", str(gold), str(run), *how]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["runs"][0]["scores"] == {"charR": pytest.approx(1 / 3)}
    assert main(["compare", str(gold), str(run), str(other), *how]) == 0
    assert main(["check", str(gold), "--context", "article"]) == 0
    printed = capsys.readouterr().out
    assert "4 topics, 3 with relevant text" in printed
    assert (
        "evidence: 4 exact, 0 moved, 0 folded, 0 unplaced, 0 elsewhere; a gate sees drops from 0.43 "
        in printed
    )
    assert "on, assuming a spread of 0.3 between the scores of two runs; no faults" in printed
    assert main(["convert", str(gold), str(tmp_path / "made.jsonl"), "--to", "jsonl"]) == 0
    again, first = excerpt.read_judgments(tmp_path / "made.jsonl"), excerpt.read_gold(gold)
    assert again.highlights("b3") == first.highlights("b3")
    assert again.questions == first.questions


def test_quotes_need_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """HiCBench: the corpus has the documents; without it all evidence is refused."""
    (tmp_path / "one.txt").write_text(TEXTS["one"])
    made = str(tmp_path / "made.jsonl")
    given = ["convert", str(sample("hicbench")), made, "--to", "jsonl"]
    assert main(given) == 2
    assert "hicbench.jsonl: quotes need the documents: --corpus" in capsys.readouterr().err
    assert main([*given, "--corpus", str(tmp_path)]) == 0
    assert excerpt.read_judgments(made).highlights("2") == [Span("one", 0, 49)]
    assert main(["check", str(sample("hicbench"))]) == 2
    assert main(["check", str(sample("hicbench")), "--corpus", str(tmp_path)]) == 0


def test_a_folder_of_numbered_questions(tmp_path: Path) -> None:
    """LegalBench-RAG has a file for each collection; the file name becomes part of the question's id."""
    for name in ("cuad", "maud"):
        (tmp_path / f"{name}.json").write_bytes(sample("legalbench-rag").read_bytes())
    gold = excerpt.read_gold(tmp_path, TEXTS)
    assert gold.topics == ("cuad-1", "cuad-2", "cuad-3", "maud-1", "maud-2", "maud-3")
    assert gold.questions["maud-2"] == ("maud-2", "Consider the lease; may a tenant sublet?", "maud", "")
    assert gold.highlights("maud-1") == [Span("leases/one.txt", 16, 22)]
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_bytes(sample("squad").read_bytes())
    with pytest.raises(ExcerptError, match=r"found topic b1 again, expected it only in "):
        excerpt.read_gold(tmp_path, TEXTS)


def test_bytes_of_pages(tmp_path: Path) -> None:
    """TREC Genomics: bytes become characters with the corpus, and stay bytes without it."""
    data = b"200\t1\t7\t3\tA\n200\t2\t0\t3\tB\n"
    assert excerpt.read_gold(data).unit == "byte"
    gold = excerpt.read_gold(data, {"1": "Größe 5 m", "2": "abc"})
    assert (gold.unit, gold.highlights("200")) == ("char", [Span("1", 5, 8), Span("2", 0, 3)])
    with pytest.raises(
        ExcerptError, match="the offsets are bytes and the corpus has only some of the documents"
    ):
        excerpt.read_gold(data, {"1": "Größe 5 m"}, notices=Notices())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"data": []}', '<bytes>: questions are missing, expected {"data": '),
        (
            '{"tests": [{"query": "?"}]}',
            "<bytes>:1: the row has neither a quote nor offsets, expected quote",
        ),
        ('{"tests": [{"query": "?", "snip', "<bytes>:1: found JSON that is broken here"),
        ("question,references,corpus_id\n", "<bytes>:1: found a header alone, expected rows after it"),
    ],
)
def test_bad_files(content: str, message: str) -> None:
    """One sentence with its line."""
    with pytest.raises(ExcerptError) as caught:
        excerpt.read_gold(content.encode())
    assert str(caught.value).startswith(message)


def test_doubts() -> None:
    """The same question twice, keys that mean nothing; contexts that do not exist or do not fit."""
    notices = Notices()
    tests = [{"query": "?", "snippets": [], "colour": "red"}, {"query": "?", "snippets": []}]
    excerpt.read_gold(json.dumps({"tests": tests}).encode(), notices=notices)
    assert list(notices) == [
        "1 question repeats the words of an earlier question; each counts (question 2 repeats 1 in <bytes>)",
        "unknown keys are ignored: colour (<bytes>)",
    ]
    with pytest.raises(ExcerptError, match=r"^unknown context 'page'"):
        excerpt.read_gold(sample("squad"), context="page")  # type: ignore[arg-type]
    with pytest.raises(ExcerptError, match="context article needs a file with articles"):
        excerpt.read_gold(sample("legalbench-rag"), context="article")
