"""EPIC-QA by hand: gains, ideals, order of answers, warnings and faults."""

from __future__ import annotations

import itertools
import json
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.errors import ExcerptError
from excerpt.official import Printout, epicqa
from excerpt.official.epic_eval import read_judgments

SENTENCES = {"d1-C001-S000": "A", "d1-C001-S001": "B", "d1-C001-S003": "C", "d2-C004-S000": "A"}


def judged(sentences: dict[str, str], *names: str) -> bytes:
    """Judgments of questions with the same annotations, a letter for each nugget."""
    annotations = [{"sentence_id": one, "nugget_ids": list(some)} for one, some in sentences.items()]
    return json.dumps(
        [{"question_id": name, "nuggets": [], "annotations": annotations} for name in names or ("EQ001",)]
    ).encode()


def run_of(*answers: str, question: str = "EQ001") -> bytes:
    """A run of `context first last score` answers."""
    rows = [one.split() for one in answers]
    return "".join(
        f"{question} Q0 {context}-S{int(first):03d}:{context}-S{int(last):03d} 1 {score} mine\n"
        for context, first, last, score in rows
    ).encode()


def score(*answers: str) -> list[float]:
    """The three scores of a question."""
    return values(epicqa(judged(SENTENCES), run_of(*answers), "all")[0])


def values(printed: Printout, name: str = "EQ001") -> list[float]:
    """The three scores of a question, or of the mean."""
    return [printed.values[f"NDNS-{kind}", name] for kind in ("Partial", "Relaxed", "Exact")]


def test_by_hand() -> None:
    """Redundant sentences cost with Relaxed, every novel one with Exact."""
    found = score("d1-C001 0 1 9", "d2-C004 0 0 8", "d1-C001 2 3 7")
    assert found == [0.8868854556705132, 0.8868854556705132, 0.86034433104172]


def test_scores_are_texts() -> None:
    """9 comes before 10, so that the second answer is the first."""
    found = score("d1-C001 0 1 10", "d2-C004 0 0 9")
    assert found == [0.6199062332840657, 0.5399687444280218, 0.6666666666666665]
    printed = epicqa(judged(SENTENCES), run_of("d1-C001 0 1 10", "d2-C004 0 0 9"), "all")[0]
    assert "compared as texts (9 before 10)" in printed.warnings[0]


SETS = st.lists(st.sets(st.sampled_from("ABC"), max_size=2), min_size=1, max_size=4)


@settings(max_examples=60)
@given(st.lists(SETS, min_size=1, max_size=2))
def test_ideal_by_lists_of_answers(contexts: list[list[set[str]]]) -> None:
    """The search, written with sets: ten lists, extended by every answer with a gain, the longest count."""
    sentences = {
        f"d-C{context:03d}-S{number:03d}": "".join(sorted(nuggets))
        for context, some in enumerate(contexts)
        for number, nuggets in enumerate(some)
    }
    if not any(sentences.values()):
        return
    answers = [
        some[first : last + 1]
        for some in contexts
        for first in range(len(some))
        for last in range(first, len(some))
    ]
    question = read_judgments(judged(sentences), "all").questions["EQ001"]
    for place, ideal in enumerate(question.ideals):
        assert ideal == _best(answers, place)
    assert all(better >= ideal for better, ideal in zip(question.better, question.ideals, strict=True))


def _gain(answer: list[set[str]], seen: frozenset[str], place: int) -> float:
    new = set().union(*answer) - seen
    novel = sum(bool(one - seen) for one in answer)
    redundant = sum(bool(one) and one <= seen for one in answer)
    filler = len(answer) - novel - redundant
    cost = (filler + min(novel, 1), filler + redundant + min(novel, 1), filler + redundant + novel)[place]
    return len(new) * (len(new) + 1) / (len(new) + cost) if new else 0.0


def _best(answers: list[list[set[str]]], place: int) -> float:
    beam, best = [(0.0, frozenset[str]())], 0.0
    for rank in itertools.count(1):
        reached = [
            (total + gain / math.log2(rank + 1), seen.union(*answer))
            for total, seen in beam
            for answer in answers
            if (gain := _gain(answer, seen, place)) > 0
        ]
        if not reached:
            return best
        beam = sorted(reached, key=lambda one: -one[0])[:10]
        best = beam[0][0]
    return best


def test_ideals_that_are_not_the_best() -> None:
    """The longest list may be worse than a shorter one, and a run may beat it."""
    sentences = {"d-C001-S000": "A", "d-C001-S001": "B"}
    printed = epicqa(judged(sentences), run_of("d-C001 0 1 9"), "all")[0]
    assert values(printed)[0] > 1
    assert printed.warnings[0].startswith("1 question has an ideal that is not the best")


def test_tasks() -> None:
    """The task chooses questions by their first letter; missing ones score 0, others are ignored."""
    judgments = judged(SENTENCES, "EQ001", "CQ001")
    run = run_of("d1-C001 0 1 9", "x-C009 5 9 8") + run_of("d1-C001 0 1 9", question="EQ999")
    for task, names in (("all", ["EQ001", "CQ001"]), ("expert", ["EQ001"]), ("consumer", ["CQ001"])):
        lines = epicqa(judgments, run, task)[0].lines  # type: ignore[arg-type]
        assert list(dict.fromkeys(line.split("\t")[1] for line in lines)) == [*names, "MEAN"]
        assert lines[0].split("\t")[0::2] == ["mine", "NDNS-Partial"]
    assert values(epicqa(judgments, run, "consumer")[0], "MEAN") == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("judgments", "run", "message"),
    [
        (judged(SENTENCES, "EQ001", "EQ001"), b"", ":1: found question EQ001 again"),
        (judged({"d-C001-S000": ""}), b"", ":1: found no nugget in the annotations of question EQ001"),
        (judged({"nonsense": "A"}), b"", ":1: found sentence 'nonsense', expected one such as x-C003-S012"),
        (b"{}", b"", ":1: found other JSON, expected a JSON list"),
        (judged(SENTENCES), b"", ": found no answer, expected lines of"),
        (judged(SENTENCES), b"EQ001 Q0 d-C001-S000 1 9 mine\n", ":1: found answer 'd-C001-S000'"),
        (judged(SENTENCES), run_of("d-C001 3 1 9"), ":1: found answer 'd-C001-S003:d-C001-S001'"),
        (judged(SENTENCES), run_of("d-C001 0 1 9") + b"\n", ":2: found 0 columns, expected 6"),
    ],
)
def test_faults(judgments: bytes, run: bytes, message: str) -> None:
    """What stops the program is an error with its line."""
    with pytest.raises(ExcerptError, match=re.escape(f"<bytes>{message}")):
        epicqa(judgments, run, "all")


def test_unknown_task() -> None:
    """It names the known ones."""
    with pytest.raises(ExcerptError, match="unknown task 'experts'; did you mean 'expert'"):
        epicqa(b"", b"", "experts")  # type: ignore[arg-type]
