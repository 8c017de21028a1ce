"""Judgments that are read in groups of lines are those of one piece, with its warnings and errors."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from excerpt import ExcerptError, Notices, read_judgments
from excerpt.formats import reader
from excerpt.grouping import judgment_groups
from excerpt.model.judgments import Judgments


def trec(rng: random.Random, topics: list[str]) -> list[str]:
    """Grades of documents."""
    return [
        f"{topic} 0 D{document} {rng.randint(-1, 3)}"
        for topic in topics
        for document in rng.sample(range(90), rng.randint(1, 6))
    ]


def fol(rng: random.Random, topics: list[str]) -> list[str]:
    """Passages, some of which overlap; documents without any."""
    lines = []
    for topic in topics:
        for document in rng.sample(range(90), rng.randint(1, 6)):
            starts = [rng.randint(0, 20) * 100 for _ in range(rng.randint(0, 4))]
            entry = f" {starts[0]}" if starts else ""
            covered = 50 * len(set(starts))
            passages = "".join(f" {start}:50" for start in starts)
            lines.append(f"{topic} Q0 D{document} {covered} 5000{entry}{passages}")
    return lines


#: What a fault, a warning, or a form of text is added to lines by.
CHANGES: dict[str, Callable[[random.Random, list[str]], list[str]]] = {
    "none": lambda rng, lines: lines,
    "shuffled": lambda rng, lines: rng.sample(lines, len(lines)),
    "again": lambda rng, lines: [*lines, lines[rng.randrange(len(lines))]],
    "blank": lambda rng, lines: [line + "\n" * rng.choice([0, 0, 1, 3]) for line in lines],
    "width": lambda rng, lines: [*lines, "1 Q0"],
    "other": lambda rng, lines: [*lines[:30], '{"topic": "1"}', *lines[30:]],
    "number": lambda rng, lines: [*lines[:40], lines[40].replace("D", "E") + " x", *lines[40:]],
    "warning": lambda rng, lines: [*lines[:40], "1 Q0 F1 60 40 3 0:60", *lines[40:]],
}


def outcome(data: bytes) -> Any:
    """All that the judgments, or their error, and the warnings say."""
    notices = Notices()
    try:
        read = read_judgments(data, notices=notices)
    except ExcerptError as error:
        return str(error), error.message, error.line, list(notices)
    columns = [read.pair_topic, read.pair_document, read.pair_size, read.pair_entry]
    columns += [read.spans.group, read.spans.start, read.spans.end]
    grades = None if read.grades is None else read.grades.tolist()
    listed = [column.astype(np.int64).tolist() for column in columns]
    return read.topics, read.documents, listed, grades, read.scale, read.source, list(notices)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("made", [trec, fol])
def test_groups_are_one_piece(made: Any, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Topics and documents in their order, pairs, passages and grades; line ends of all systems."""
    given: list[bool] = []
    together = judgment_groups._together

    def noted(parts: list[Judgments]) -> Judgments | None:
        found = together(parts)
        given.append(found is not None and len(parts) > 2)
        return found

    for seed in range(12):
        rng = random.Random(seed)
        lines = CHANGES[change](rng, made(rng, [f"t{number}" for number in rng.sample(range(99), 40)]))
        data = (rng.choice(["\n", "\r\n"]).join(lines) + "\n" * rng.choice([1, 1, 1, 0])).encode()
        whole = outcome(data)
        with monkeypatch.context() as patched:
            patched.setattr(reader, "GROUPED_BYTES", 1)
            patched.setattr(judgment_groups, "GROUP_BYTES", rng.choice([1, 200, 700]))
            patched.setattr(judgment_groups, "_together", noted)
            assert outcome(data) == whole
    assert any(given) == (change in {"none", "shuffled", "blank"})
