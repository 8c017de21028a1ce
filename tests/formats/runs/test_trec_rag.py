"""Answers of TREC RAG: the ids that they cite, placed by segments and id patterns."""

from __future__ import annotations

import json
from typing import Any

import pytest

from excerpt import ExcerptError, Notices, evaluate, read_run
from excerpt.formats.runs import trec_rag

PATTERN = r"(?P<document>.+)-(?P<start>\d+)-(?P<end>\d+)"


def saved(*cited: Any, **more: Any) -> dict[str, Any]:
    """An answer with a sentence for each list of citations."""
    sentences = [{"text": "So.", "citations": one} for one in cited]
    return {"metadata": {"team_id": "t", "run_id": "mine", "topic_id": 7}, "responses": sentences, **more}


def data(*answers: dict[str, Any]) -> bytes:
    """A file of answers."""
    return "".join(json.dumps(one) + "\n" for one in answers).encode()


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (saved(["B-0-5"], ["A-0-9", "B-0-5"]), ["B-0-5", "A-0-9"]),
        (saved([1], [0], references=["A-0-9", "B-0-5"]), ["B-0-5", "A-0-9"]),
        (saved({"A-0-9": 0.5}, {"B-0-5": 0.9, "A-0-9": 0.1}), ["B-0-5", "A-0-9"]),
        ({"topic_id": "7", "run_id": "mine", "answer": [{"text": "x", "citations": ["A-0-9"]}]}, ["A-0-9"]),
        (
            {
                "metadata": {"request_id": "7", "run_id": "mine"},
                "responses": [{"text": "x", "citations": ["A"]}],
            },
            ["A"],
        ),
    ],
)
def test_cited_ids(answer: dict[str, Any], found: list[str]) -> None:
    """By first citation, by number, or by score."""
    run = read_run(data(answer))
    assert [(result.topic, result.document) for result in run] == [("7", name) for name in found]
    assert (run.name, run.kind) == ("mine", "documents")


def test_segments_and_patterns_place_them() -> None:
    """Then they are spans of documents."""
    answers = data(saved(["B-0-5"], ["A-0-9", "B-0-5"]))
    ways: list[dict[str, Any]] = [
        {"id_pattern": PATTERN},
        {"segments": {"B-0-5": ("B", 0, 5), "A-0-9": ("A", 0, 9)}},
    ]
    for how in ways:
        run = read_run(answers, **how)
        assert [result[:4] for result in run] == [("7", "B", 0, 5), ("7", "A", 0, 9)]
    gold = [("7", "A", 0, 18)]
    assert evaluate(gold, answers, ["charR"], id_pattern=PATTERN, notices=Notices()).means().tolist() == [
        [0.5]
    ]


def test_the_example_and_silence() -> None:
    """An answer that cites nothing is told."""
    assert [result.document for result in read_run(trec_rag.EXAMPLE.encode())] == ["A", "B"]
    notices = Notices()
    read_run(data(saved(["A"]), saved([], [])), notices=notices)
    assert list(notices) == ["answer cites nothing (<bytes>)"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            saved([3], references=["A"]),
            "found 3 as a citation, expected an id, or the number of one of 1 references",
        ),
        (saved({"A": "x"}), "found 'x' as the score of a citation, expected a number"),
        (saved(7), "among the responses, expected a text with its citations"),
        ({"responses": [{"citations": ["A"]}]}, "found no topic among responses"),
        ({"topic": "1", "responses": 7}, "found no list of responses, expected one (also called answer)"),
    ],
)
def test_answers_that_are_wrong(answer: dict[str, Any], said: str) -> None:
    """The line and what is wrong in it."""
    with pytest.raises(ExcerptError) as caught:
        read_run(data(answer), format="trec-rag")
    assert str(caught.value).startswith("<bytes>:1: ")
    assert said in str(caught.value)
