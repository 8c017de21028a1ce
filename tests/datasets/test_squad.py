"""The SQuAD family, nested and flat, by paragraph and by article."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.gold_files import faults, gold_file, said, sample_text

from excerpt.datasets.squad import read
from excerpt.gold.file import Context

SAMPLE: dict[str, Any] = json.loads(sample_text("squad"))


def flat() -> list[dict[str, Any]]:
    """The sample with a record per question."""
    return [
        {
            "id": question["id"],
            "title": article["title"],
            "context": paragraph["context"],
            "question": question["question"],
            "answers": {
                key: [answer[key] for answer in question["answers"]] for key in ("text", "answer_start")
            },
        }
        for article in SAMPLE["data"]
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    ]


LINES = "\n".join(map(json.dumps, flat()))


@pytest.mark.parametrize("content", [SAMPLE, flat(), LINES], ids=["nested", "list", "lines"])
@pytest.mark.parametrize("context", ["paragraph", "article"])
def test_questions_and_evidence(content: Any, context: Context) -> None:
    """Offsets lead to the words; questions without answers are judged."""
    file = gold_file(content, context=context)
    gold = read(file)
    first, second = ("Bridges#1", "Bridges#2") if context == "paragraph" else ("Bridges", "Bridges")
    assert said(gold) == [
        ("b1", first, "pushes outwards"),
        ("b1", first, "An arch of stone pushes outwards."),
        ("b3", second, "Ropes"),
        ("l1", "Locks", "A lock"),
    ]
    assert gold.judged == [("b1", first), ("b2", first), ("b3", second), ("l1", "Locks")]
    assert {topic: question.group for topic, question in gold.questions.items()} == {
        **dict.fromkeys(("b1", "b2", "b3"), "Bridges"),
        "l1": "Locks",
    }
    assert gold.questions["b2"].text == "Who built it?"
    assert list(gold.documents) == list(dict.fromkeys((first, second, "Locks")))
    assert (faults(file), file.unknown) == ([], set())


def test_articles_are_joined_by_empty_lines() -> None:
    """The text is that of the paragraphs, with their whitespace."""
    gold = read(gold_file(SAMPLE, context="article"))
    texts = [paragraph["context"] for paragraph in SAMPLE["data"][0]["paragraphs"]]
    assert gold.documents["Bridges"] == texts[0] + "\n\n" + texts[1]
    assert "\r\n" in texts[1]


def test_without_titles() -> None:
    """COVID-QA has ids of documents instead; others are numbered. Articles of one title go on."""
    question = {"id": 1, "question": "?", "answers": [{"text": "a", "answer_start": 0}]}
    paragraph = {"context": "a b", "qas": [question]}
    gold = read(gold_file({"data": [{"paragraphs": [{**paragraph, "document_id": 630}]}]}))
    assert list(gold.documents) == ["630"]
    assert read(gold_file({"data": [{"paragraphs": [paragraph]}]})).judged == [("1", "1")]
    empty = {"context": "c", "qas": []}
    two = [{"title": "T", "paragraphs": [paragraph]}, {"title": "T", "paragraphs": [empty]}]
    assert list(read(gold_file({"data": two})).documents) == ["T#1", "T#2"]


def test_answers_without_place_or_words() -> None:
    """-1 is no place; an answer without words is none."""
    answers = [{"text": "b", "answer_start": -1}, {"text": " ", "answer_start": 0}, {"text": "a"}]
    paragraph = {"context": "a b", "qas": [{"id": "1", "question": "?", "answers": answers}]}
    gold = read(gold_file({"data": [{"title": "T", "paragraphs": [paragraph]}]}))
    assert [(one.start, one.end, one.quote) for one in gold.evidence] == [(-1, -1, "b"), (-1, -1, "a")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ('"id": "l1", ', ""),
            "f:1: key id is missing, expected a name or a number; the object has question, answers",
        ),
        (('"A lock lifts', '7, "x": "'), "f:1: found context 7, expected text"),
        (
            ('"answer_start": 17', '"answer_start": 17.5'),
            "f:1: found answer_start 17.5, expected a whole number",
        ),
        (
            ('"id": "b2"', '"id": "b1"'),
            "f:1: found question b1 again (first in line 1), expected each id once",
        ),
        (
            ('"paragraphs"', '"paragraph"'),
            "f:1: key paragraphs is missing, expected a list; the object has title, paragraph",
        ),
        (
            ('"qas"', '"questions"'),
            "f:1: key qas is missing, expected a list; the object has context, questions",
        ),
    ],
)
def test_faults(change: tuple[str, str], message: str) -> None:
    """Each fault is one line."""
    file = gold_file(json.dumps(SAMPLE).replace(*change, 1))
    read(file)
    assert faults(file)[0] == message


def test_faults_of_flat_records() -> None:
    """Texts and places of answers are columns of one length."""
    record = flat()[0]
    record["answers"]["answer_start"].pop()
    file = gold_file([record])
    read(file)
    assert faults(file) == [
        "f: row 1: found columns of different lengths (text 2, answer_start 1), expected equal lengths"
    ]
    record["answers"] = [{"text": "An", "answer_start": 0}]
    assert len(read(gold_file([record])).evidence) == 1


def test_several_answers() -> None:
    """One is enough; but in CUAD, whose ids begin with the title, all are needed."""
    answers = [{"text": "May", "answer_start": 0}, {"text": "June", "answer_start": 4}]
    paragraph = {"context": "May June", "qas": [{"id": "A__Term", "question": "When?", "answers": answers}]}
    for title, needs in (("A", [-1, -1]), ("B", [0, 0])):
        gold = read(gold_file({"data": [{"title": title, "paragraphs": [paragraph]}]}))
        assert [one.need for one in gold.evidence] == needs
