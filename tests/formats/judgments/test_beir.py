"""Qrels of BEIR: documents with grades, and a first line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import excerpt
from excerpt import ExcerptError
from excerpt.formats.judgments.beir import read, recognise
from excerpt.formats.source import Source

Open = Callable[..., Source]
HEAD = "query-id\tcorpus-id\tscore\n"


def test_grades_of_documents() -> None:
    """As TREC qrels, wherever judgments are read."""
    judgments = excerpt.read_judgments(f"{HEAD}q1\tibm_1-0-9\t2\nq1\td\t0\nq2\td\t1\n".encode())
    trec = excerpt.read_judgments(b"q1 0 ibm_1-0-9 2\nq1 0 d 0\nq2 0 d 1\n")
    assert (judgments.scale, judgments.topics, judgments.documents) == (
        "documents",
        trec.topics,
        trec.documents,
    )
    assert judgments.grades is not None
    assert trec.grades is not None
    assert judgments.grades.tolist() == trec.grades.tolist() == [2, 0, 1]
    assert judgments.relevant_by_pair.tolist() == trec.relevant_by_pair.tolist()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("q1\td\tx\n", "<bytes>:2: found score 'x', expected a number"),
        ("q1\td\n", "<bytes>:2: found 2 columns, expected 3 (query-id corpus-id score)"),
        (
            "q1\td\t1\nq1\td\t1\n",
            "<bytes>:3: found document d of topic q1 again (first in line 2)",
        ),
    ],
)
def test_faults(lines: str, message: str) -> None:
    """What is wrong is said with its line."""
    with pytest.raises(ExcerptError) as caught:
        excerpt.read_judgments(f"{HEAD}{lines}".encode())
    assert str(caught.value).startswith(message)


def test_a_first_line_only(opened: Open) -> None:
    """There is nothing in it."""
    assert len(read(opened(HEAD))) == 0
    assert recognise(opened("1 0 A 1\n")) == 0
