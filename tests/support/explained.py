"""A small explanation with every kind of failure, for tests of its output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from excerpt import Chunks, Corpus, Judgments, Notices, Run, explain
from excerpt.model.judgments import Question
from excerpt.model.run import encode
from excerpt.placing.chunk_places import ChunkOccurrence
from excerpt.view.explanation import Explanation

TEXTS = {
    "lease": "The tenant pays the rent on the first day of every month. He may keep one dog. "
    "The landlord mends the roof. " + "Nothing more was said about it. " * 20,
    "rules": "Dogs: He may keep one dog. Cats are free. <b>No birds.</b>",
    "notes": "The roof was mended in May.",
}
_QUESTIONS = {
    "q1": Question("q1", "What must the tenant pay, and may he keep a <i>dog</i>?", "law"),
    "q2": Question("q2", "When was the roof mended?", "notes"),
}
JUDGMENTS = replace(
    Judgments.of(
        [
            ("q1", "lease", 0, 57),
            ("q1", "lease", 58, 78),
            ("q1", "notes", 0, 27),
            ("q2", "notes", 0, 27),
            ("q3", "rules", 0, 26),
        ]
    ),
    questions=_QUESTIONS,
)
RUN = Run.of(
    "mine",
    [
        ("q1", "rules", 0, 41),
        ("q1", "lease", 0, 20),
        ("q1", "lease", 20, 57),
        ("q2", "lease", 79, 107),
        ("q3", "rules", 0, 58),
    ],
)
OTHER = Run.of("other", [("q1", "lease", 0, 57), ("q2", "notes", 0, 27)])


def chunks_of(places: Sequence[tuple[str, int, int]]) -> Chunks:
    """Chunks at these places."""
    documents, document = encode([place[0] for place in places])
    start, end = (np.array([place[at] for place in places], np.int64) for at in (1, 2))
    how: tuple[ChunkOccurrence, ...] = tuple("exact" for _ in places)
    return Chunks("chunks", documents, document, start, end, 0 * start, how, [""] * len(places))


CHUNKS = chunks_of(
    [("lease", 0, 20), ("lease", 20, 57), ("lease", 57, 700), ("rules", 0, 58), ("rules", -1, -1)]
)


def explained(measure: str = "charR@2", **how: Any) -> Explanation:
    """The explanation."""
    given = {"corpus": Corpus(TEXTS), "notices": Notices(), **how}
    return explain(JUDGMENTS, RUN, measure, **given)
