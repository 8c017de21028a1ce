"""Natural Questions: bytes of HTML, tokens of text, columns; nested candidates."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.gold_files import faults, gold_file, sample_text

from excerpt.datasets.natural_questions import EXAMPLE, read

SAMPLE = sample_text("natural-questions")
FIRST: dict[str, Any] = json.loads(SAMPLE.split("\n")[0])


def test_bytes() -> None:
    """Long and short answers of all annotators; -1 is none."""
    file = gold_file(SAMPLE)
    gold = read(file)
    data = FIRST["document_html"].encode()
    assert [data[one.start : one.end].decode() for one in gold.evidence] == [
        "<p>Ein Bogen drückt nach außen.</p>",
        "drückt",
        "<li>Pfeiler</li>",
    ]
    assert gold.unit == "byte"
    assert gold.judged == [("7001", "Bogen"), ("7002", "Bogen")]
    assert gold.questions["7002"].text == "wer baute ihn"
    assert faults(file) == []


def test_tokens() -> None:
    """The simplified form: words with blanks between them."""
    long = {"start_token": 1, "end_token": 3}
    answer = {"long_answer": long, "short_answers": [{"start_token": 2, "end_token": 3}]}
    record = {
        "example_id": 1,
        "question_text": "?",
        "document_text": "<p> Größe 5 </p>",
        "annotations": [answer],
    }
    gold = read(gold_file(record))
    assert [gold.documents["1"][one.start : one.end] for one in gold.evidence] == ["Größe 5", "5"]
    assert gold.unit == "char"
    long["end_token"] = 9
    file = gold_file(record)
    read(file)
    assert faults(file) == ["f:1: found an answer up to token 9, expected at most 4"]


def test_columns() -> None:
    """Records as libraries of datasets give them."""
    record = {
        "id": "1",
        "document": {"title": "T", "html": "<p>a b</p>"},
        "question": {"text": "what"},
        "long_answer_candidates": {"start_byte": [0], "end_byte": [10], "top_level": [True]},
        "annotations": {
            "id": ["x"],
            "long_answer": [{"start_byte": 0, "end_byte": 10, "candidate_index": 0}],
            "short_answers": [{"start_byte": [3], "end_byte": [4], "text": ["a"]}],
        },
    }
    file = gold_file(record)
    gold = read(file)
    assert [(one.document, one.start, one.end) for one in gold.evidence] == [("T", 0, 10), ("T", 3, 4)]
    assert (gold.questions["1"].text, faults(file)) == ("what", [])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ('"candidate_index": 0', '"candidate_index": 1'),
            "found a long answer from 6 to 43, expected its candidate",
        ),
        (
            ('"end_byte": 43, "start_token"', '"end_byte": 6, "start_token"'),
            "found a long answer from 6 to 6, expected",
        ),
        (
            ('"start_byte": 6, "end_byte": 43, "s', '"start_byte": "a", "end_byte": 43, "s'),
            'found start_byte "a", expected',
        ),
        (
            ('"document_html": "<html>', '"document_text": "<html>'),
            "pages as HTML and pages as text cannot be combined",
        ),
        (('"annotations": [', '"annotations": [1, '), "found 1 in annotations, expected objects"),
        (('"candidate_index": 0', '"candidate_index": -7'), "found candidate_index -7, expected at least -1"),
    ],
)
def test_faults(change: tuple[str, str], message: str) -> None:
    """Each fault is one message with its line."""
    assert change[0] in SAMPLE
    file = gold_file(SAMPLE.replace(*change, 1))
    read(file)
    assert any(message in fault for fault in faults(file)), faults(file)


@pytest.mark.parametrize("candidates", [[], {"start_byte": [], "end_byte": []}])
def test_a_negative_number_is_no_candidate(candidates: object) -> None:
    """-1 and other negative numbers are not compared with a candidate, even if there is none."""
    record = json.loads(EXAMPLE) | {"long_answer_candidates": candidates}
    for index, found in ((-1, []), (-5, ["f:1: found candidate_index -5, expected at least -1"])):
        record["annotations"][0]["long_answer"]["candidate_index"] = index
        file = gold_file(record)
        assert len(read(file).evidence) == 2
        assert faults(file) == found
