"""excerpt.explain: which questions, in which order, and what is counted over all."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.explained import CHUNKS, JUDGMENTS, OTHER, RUN, TEXTS, explained

import excerpt
from excerpt import ExcerptError, Notices, Run, evaluate, explain


def test_counts_are_of_all_questions() -> None:
    """However few are shown; the mean is that of evaluate."""
    found = explained(worst=1)
    assert (found.questions, found.failing, found.passages, found.missed) == (3, 2, 5, 4)
    assert dict(found.reasons) == {
        "at rank k+1…n": 1,
        "same text at another place": 1,
        "document found, passage not": 0,
        "document not found": 2,
    }
    assert [failure.topic for failure in found.worst] == ["q2"]
    assert found.mean == evaluate(JUDGMENTS, RUN, "charR@2").mean("mine", "charR@2")


def test_chunks_tell_two_more_reasons() -> None:
    """A passage in two chunks, and one whose document has none."""
    found = explained(chunks=CHUNKS)
    assert dict(found.reasons) == {
        "not in any chunk": 2,
        "cut by a chunk border": 1,
        "at rank k+1…n": 0,
        "same text at another place": 1,
        "document found, passage not": 0,
        "document not found": 0,
    }
    rent = found.worst[1].missed[0]
    assert (rent.reason, rent.chunks, rent.largest, rent.rank) == ("cut by a chunk border", 2, 30, 3)


def test_against_another_run() -> None:
    """The largest loss comes first, and each passage says which run found it."""
    found = explained(against=OTHER)
    assert (found.other, found.only_other, found.only_this) == ("other", 2, 1)
    assert [(failure.topic, failure.score, failure.other) for failure in found.worst] == [
        ("q2", 0.0, 1.0),
        ("q1", 20 / 104, 57 / 104),
    ]
    assert [missed.other for missed in found.worst[1].missed] == [True, False, False]


def test_without_a_cutoff_all_results_are_read() -> None:
    """Nothing is at a later rank."""
    found = explained("charR")
    assert found.cutoff is None
    assert found.reasons["at rank k+1…n"] == 0
    assert found.missed == 3


def test_whole_documents_are_read_as_their_text() -> None:
    """A run of documents finds all passages of theirs."""
    run = Run.of("docs", [("q1", "lease", 0, 0), ("q2", "rules", 0, 0)], kind="documents")
    found = explain(JUDGMENTS, run, "charR@1", corpus=TEXTS, notices=Notices())
    reasons = {failure.topic: [missed.reason for missed in failure.missed] for failure in found.worst}
    assert reasons == {
        "q1": ["document not found"],
        "q2": ["document not found"],
        "q3": ["document not found"],
    }


def test_bytes_in_text_of_characters_are_noticed() -> None:
    """As in a report: positions in bytes are too late in text that is not ASCII."""
    found = explain(replace(JUDGMENTS, unit="byte"), RUN, corpus=TEXTS, notices=Notices())
    assert any(warning.startswith("offsets count bytes: ") for warning in found.warnings)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"corpus": None}, "no corpus given, so there is no text to show; give corpus="),
        ({"worst": -1}, "found -1 as worst, expected a whole number of at least 0"),
        ({"top": 1.5}, "found 1.5 as top, expected"),
        ({"chunks": 5}, "found 5 as chunks, expected Chunks or a path"),
        ({"run": [RUN, OTHER]}, "found 2 runs as the run, expected one"),
        ({"against": {"a": RUN, "b": OTHER}}, "found 2 runs as the other run, expected one"),
        ({"measure": ["charR@5", "charP@5"]}, "expected one measure or its name"),
    ],
)
def test_mistakes(given: dict[str, Any], message: str) -> None:
    """One sentence each."""
    with pytest.raises(ExcerptError, match=re.escape(message)):
        explain(JUDGMENTS, **{"run": RUN, "corpus": TEXTS, "measure": "charR@5", **given})


def test_chunks_of_another_chunker_are_told() -> None:
    """Chunks of another chunker would show the wrong borders, so there is a warning."""
    corpus = excerpt.Corpus({"A": "one two three four five six"})
    gold = excerpt.Judgments.of([("1", "A", 4, 13)])
    words = corpus.place({"A": corpus["A"].split()}, name="words")
    halves = corpus.place({"A": ["one two three", "four five six"]}, name="halves")
    run = halves.run({"1": [1, 0]})
    said = excerpt.explain(gold, run, "recall@1", corpus=corpus, chunks=words).warnings
    assert [line for line in said if "among the chunks" in line] == [
        "2 results are not among the chunks; was the run made from other chunks? (first: halves)"
    ]
    assert excerpt.explain(gold, run, "recall@1", corpus=corpus, chunks=halves).warnings == ()


def test_json_has_counts_reasons_and_questions() -> None:
    """Keys of other runs and of chunks only where there are any."""
    data = explained().to_dict()
    assert json.loads(json.dumps(data)) == data
    assert list(data) == ["run", "measure", "cutoff", "mean", "counts", "reasons", "questions", "warnings"]
    assert data["counts"] == {"questions": 3, "failing": 2, "passages": 5, "missed": 4}
    question = data["questions"][0]
    assert (question["topic"], question["text"], question["score"]) == (
        "q2",
        "When was the roof mended?",
        0.0,
    )
    assert question["missed"][0] == {
        "document": "notes",
        "start": 0,
        "end": 27,
        "reason": "document not found",
        "rank": None,
        "characters": 22,
        "found": 0,
        "text": "The roof was mended in May.",
        "before": "",
        "after": "",
    }
    assert question["returned"][0]["text"] == "The landlord mends the roof."
    assert explained("recall@2").to_dict()["aliases"] == {"recall@2": "charR@2"}
    more = explained(against=OTHER, chunks=CHUNKS).to_dict()
    assert (more["against"], more["only_against"], more["only_run"]) == ("other", 2, 1)
    missed = more["questions"][0]["missed"][0]
    assert (missed["chunks"], missed["largest"], missed["other"]) == (0, 0, True)


def test_one_row_for_each_missed_passage() -> None:
    """As a data frame, too; ranks are whole numbers or missing."""
    frame = explained().to_pandas()
    assert frame["reason"].value_counts().to_dict()["document not found"] == 2
    assert frame["rank"].tolist()[1] == 3
    assert str(frame["rank"].dtype) == "Int64"
    assert list(explained(against=OTHER).to_pandas().columns[-2:]) == ["against", "found_against"]
    assert len(explained("charR@9", worst=0).to_pandas()) == 0


def test_repr_is_one_line() -> None:
    """Run, measure and how much was missed."""
    assert repr(explained()) == "<Explanation of 'mine' by charR@2: 4 of 5 passages missed>"


def test_a_passage_in_its_context() -> None:
    """Offsets, text, characters except whitespace, and the text of the document that was read."""
    question = explained(around=10).worst[1]
    assert (question.topic, question.group, question.passages) == ("q1", "law", 3)
    assert question.question.startswith("What must the tenant pay")
    rent, dog, roof = question.missed
    assert (rent.characters, rent.found, rent.rank) == (46, 16, 3)
    assert rent.read == ((0, 20, 2),)
    assert (dog.before, dog.text, dog.after) == ("ry month. ", "He may keep one dog.", " The landl")
    assert (roof.document, roof.read, roof.before, roof.after) == ("notes", (), "", "")


def test_what_was_returned_instead() -> None:
    """As far as the measure reads, and no more than asked for."""
    question = explained(top=1).worst[1]
    (first,) = question.returned
    assert (first.rank, first.document, first.start, first.end, first.relevant) == (1, "rules", 0, 41, 0)
    assert first.text == TEXTS["rules"][:41]
    assert question.results == 2


def test_long_results_are_cut_and_lost_ones_have_no_place() -> None:
    """Their documents are named all the same."""
    run = Run.of("lost", [("q2", "lease", 0, 700), ("q2", "rules", -1, -1)])
    run = run.with_text(lost=np.array([0, 30]))
    question = explain(JUDGMENTS, run, "charR@5", corpus=TEXTS, notices=Notices()).worst[1]
    whole, lost = question.returned
    assert (len(whole.text), whole.text[-1]) == (401, "…")
    assert lost == (2, "rules", None, None, 0, "")
