"""CLAPNQ: sentences of passages."""

from __future__ import annotations

import json

from support.gold_files import faults, gold_file, said, sample_text

from excerpt.datasets.kinds import read_clapnq as read

SAMPLE = sample_text("clapnq")


def test_questions_and_evidence() -> None:
    """Text selected by annotators; passages of one title are numbered; unanswerable questions are judged."""
    file = gold_file(SAMPLE)
    gold = read(file)
    assert said(gold) == [
        ("101", "Arch#1", "An arch pushes outwards ."),
        ("101", "Arch#1", "Piers hold it ."),
    ]
    assert gold.judged == [("101", "Arch#1"), ("-102", "Arch#2")]
    assert gold.questions["101"] == ("101", "what does an arch do", "Arch", "")
    assert (faults(file), file.unknown) == ([], set())


def test_a_sentence_is_in_the_first_passage_that_has_it() -> None:
    """If no passage has it, it is added to the first without offsets."""
    passages = [{"title": "a", "text": "x. "}, {"title": "b", "text": "y. z. "}]
    output = [{"selected_sentences": ["z.", "w."]}]
    gold = read(gold_file({"id": 1, "input": "?", "passages": passages, "output": output}))
    assert [(one.document, one.start, one.end) for one in gold.evidence] == [("b", 3, 5), ("a", -1, -1)]


def test_faults() -> None:
    """Sentences without passages, records without ids."""
    file = gold_file({"input": "?", "passages": [], "output": [{"selected_sentences": ["z."]}]})
    read(file)
    assert faults(file) == [
        "f:1: key id is missing, expected a name or a number; the object has input, passages, output",
        "f:1: selected_sentences need passages, which are missing",
    ]
    file = gold_file(SAMPLE.split("\n")[0] + "\n" + json.dumps([1]) + "\n")
    read(file)
    assert faults(file) == ["f:2: found '[1]', expected one JSON object per line"]
