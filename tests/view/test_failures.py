"""What is told of a question: passages in context, and what was returned instead."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from explained import JUDGMENTS, TEXTS, explained

from excerpt import Notices, Run, explain


def test_a_passage_in_its_context() -> None:
    """Offsets, text, characters that are no white space, and what of the document was read."""
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
    run = replace(run, lost=np.array([0, 30]))
    question = explain(JUDGMENTS, run, "charR@5", corpus=TEXTS, notices=Notices()).worst[1]
    whole, lost = question.returned
    assert (len(whole.text), whole.text[-1]) == (401, "…")
    assert lost == (2, "rules", None, None, 0, "")
