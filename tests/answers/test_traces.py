"""Runs from traces: OpenInference in four forms, Langfuse in three, and rows of RAGAS 0.1 and AutoRAG."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import excerpt

CORPUS = excerpt.Corpus(
    {
        "lease": "The rent is paid in May.\n\nThe landlord repairs the roof.\n\nNo pets are allowed.\n",
        "end": "Keys are given back at the end.\n",
    }
)
ASKED = "When is the rent paid?"
GOLD = [{"question": ASKED, "document": "lease", "quote": "The rent is paid in May."}]
WRONG, RIGHT = "No pets are allowed.", "The rent is paid in May."


def flat() -> dict[str, Any]:
    """Attributes of a retriever by dotted names."""
    return {
        "openinference.span.kind": "RETRIEVER",
        "input.value": ASKED,
        "retrieval.documents.1.document.content": RIGHT,
        "retrieval.documents.0.document.content": WRONG,
        "retrieval.documents.0.document.score": 0.75,
        "retrieval.documents.1.document.score": 0.5,
    }


def nested() -> dict[str, Any]:
    """The same as objects, with the question inside of JSON."""
    texts = [{"document": {"content": WRONG, "score": 0.75}}, {"document": {"content": RIGHT, "score": 0.5}}]
    return {"input": {"value": json.dumps({"query": ASKED})}, "retrieval": {"documents": texts}}


def otlp() -> dict[str, Any]:
    """The same as OTLP writes it in JSON."""
    values = [
        {"key": name, "value": {"doubleValue" if isinstance(value, float) else "stringValue": value}}
        for name, value in flat().items()
    ]
    spans = [{"traceId": "1", "name": "llm", "attributes": []}, {"traceId": "1", "attributes": values}]
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}


SPAN = {"name": "retrieve", "span_kind": "RETRIEVER", "context": {"trace_id": "1"}}
OTHER = {
    "name": "llm",
    "span_kind": "LLM",
    "context": {"trace_id": "1"},
    "attributes": {"input": {"value": "x"}},
}
OBSERVED = {"id": "1", "traceId": "t", "type": "RETRIEVER", "name": "search"}
TALK = {"id": "2", "traceId": "t", "type": "GENERATION", "name": "llm", "input": "x", "output": "y"}


def lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize(
    "text",
    [
        lines({**SPAN, "attributes": flat()}),
        lines(OTHER, {**SPAN, "attributes": nested()}),
        json.dumps([OTHER, {**SPAN, "attributes": nested()}]),
        json.dumps(otlp()),
        json.dumps(otlp(), indent=2),
        lines(otlp()),
        lines(TALK, {**OBSERVED, "input": {"query": ASKED}, "output": [WRONG, RIGHT]}),
        lines(
            {**OBSERVED, "input": ASKED, "output": {"documents": [{"pageContent": WRONG}, {"text": RIGHT}]}}
        ),
        json.dumps(
            {
                "id": "t",
                "observations": [
                    TALK,
                    {
                        **OBSERVED,
                        "type": "SPAN",
                        "name": "VectorStoreRetriever",
                        "input": json.dumps([{"role": "user", "content": ASKED}]),
                        "output": json.dumps([{"page_content": WRONG}, {"page_content": RIGHT}]),
                    },
                ],
            },
            indent=1,
        ),
        lines({"question": ASKED, "contexts": [WRONG, RIGHT], "answer": "In May.", "ground_truth": "May"}),
    ],
)
def test_retrieved_texts_are_a_run(text: str, tmp_path: Path) -> None:
    """In the order of their numbers, for the question of the span."""
    (tmp_path / "run.json").write_text(text)
    run = excerpt.read_run(tmp_path / "run.json", corpus=CORPUS)
    assert [(one.topic, one.document, one.start, one.end) for one in run] == [
        (ASKED, "lease", 58, 78),
        (ASKED, "lease", 0, 24),
    ]
    table = excerpt.evaluate(GOLD, run, ["recall@1", "recall@2"], corpus=CORPUS)
    assert table.means()[0].tolist() == [0.0, 1.0]


def test_data_frames_of_spans(tmp_path: Path) -> None:
    """Columns `attributes.…`, in Python and in Parquet; scores are kept."""
    texts = [{"document.content": WRONG, "document.score": 0.75}, {"document.content": RIGHT}]
    frame = pd.DataFrame(
        [
            {"name": "r", "attributes.input.value": ASKED, "attributes.retrieval.documents": texts},
            {"name": "llm", "attributes.input.value": "x", "attributes.retrieval.documents": None},
        ]
    )
    assert excerpt.evaluate(GOLD, frame, ["recall@2"], corpus=CORPUS).means().tolist() == [[1.0]]
    frame.to_parquet(tmp_path / "spans.parquet")
    run = excerpt.read_run(tmp_path / "spans.parquet", corpus=CORPUS)
    assert [one.score for one in run][:1] == [0.75]


def test_repeated_questions_count_once_and_questions_are_needed(tmp_path: Path) -> None:
    """The first retrieval of a question counts, the others are counted; one without a question is a fault."""
    file = tmp_path / "spans.jsonl"
    file.write_text(lines({**SPAN, "attributes": flat()}, {**SPAN, "attributes": flat()}))
    notices = excerpt.Notices()
    assert len(excerpt.read_run(file, corpus=CORPUS, notices=notices)) == 2
    assert any("retrieved before" in one for one in notices)
    file.write_text(lines({**SPAN, "attributes": {**flat(), "input.value": ""}}))
    with pytest.raises(excerpt.ExcerptError, match=r"spans.jsonl:1: found a retrieval without a question"):
        excerpt.read_run(file, corpus=CORPUS)
    file.write_text(lines({**SPAN, "attributes": flat()}))
    with pytest.raises(excerpt.ExcerptError, match="retrieved texts need the documents"):
        excerpt.read_run(file)


def test_contents_of_autorag_are_groups_of_alternatives(tmp_path: Path) -> None:
    """[[a, b], [c]] is (a or b) and c; its corpus is a table of documents."""
    row = {
        "qid": "q1",
        "query": ASKED,
        "retrieval_gt": [["c1", "c2"], ["c3"]],
        "retrieval_gt_contents": [[RIGHT, "Keys are given back at the end."], [WRONG]],
        "generation_gt": ["May"],
    }
    pd.DataFrame([row]).to_parquet(tmp_path / "qa.parquet")
    documents = [
        {"doc_id": name, "contents": CORPUS[name], "path": "x", "metadata": {"a": 1}} for name in CORPUS
    ]
    pd.DataFrame(documents).to_parquet(tmp_path / "corpus.parquet")
    corpus = excerpt.Corpus.read(tmp_path / "corpus.parquet")
    gold = excerpt.read_gold(tmp_path / "qa.parquet", corpus)
    (first, second) = gold.alternatives["q1"]
    assert [[(one.document, one.start, one.end) for one in each] for each in first] == [
        [("lease", 0, 24)],
        [("end", 0, 31)],
    ]
    assert [[one.start for one in each] for each in second] == [[58]]
    found = {ASKED: ["Keys are given back at the end."]}
    assert excerpt.evaluate(gold, found, ["recall@5"], corpus=corpus).means().tolist() == [[31 / 51]]
