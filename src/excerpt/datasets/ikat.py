"""Runs of conversations: TREC iKAT 2023 to 2025 and CAsT 2022."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from excerpt.formats.registry import Format, register_run
from excerpt.formats.runs.jsonl import run_of
from excerpt.formats.source import HEAD_BYTES, Source
from excerpt.gold.file import GoldItem
from excerpt.model.run import Run
from excerpt.records.record import Odd, as_number, show
from excerpt.records.rows import RowTable, apart

_FIT = 200
_LAYOUT = (
    '{"run_name": …, "turns": [{"turn_id": …, "responses": [{"rank": …, "passage_provenance": '
    '[{"id": …, "score": …}, …]}]}]}'
)
_EXAMPLE = """\
{"run_name": "mine", "run_type": "automatic", "turns": [{"turn_id": "1", "responses": [{"rank": 1,
  "text": "In May.", "passage_provenance": [{"id": "A", "score": 0.9}, {"id": "B", "score": 0.5}]}]}]}
"""
_LAYOUT_2025 = '{"metadata": {"run_id": …}, "turn_id": …, "references": {id: score, …}, "responses": […]}'
_EXAMPLE_2025 = (
    '{"metadata": {"run_id": "mine"}, "turn_id": "1", "references": {"A": 0.9, "B": 0.5}, '
    '"responses": [{"rank": 1, "text": "In May.", "citations": ["A"]}]}\n'
)
_Passages = Iterator[tuple[int, dict[str, Any]]]


def read(source: Source) -> Run:
    """Read turns with responses: their passages in the order of the file, each at its first response.

    As by the track's own conversion, ranks count the passages of a turn, and scores are divided by the rank
    of the response plus 1, in single precision; a response without a rank has rank 0. The two may contradict
    each other; results are ordered by score.
    """
    found: list[tuple[int, dict[str, Any]]] = []
    for whole in source.gold_file.whole():
        name = whole.name("run_name", missing="")
        for turn in whole.each("turns"):
            found += [(line, row | ({"run": name} if name else {})) for line, row in _passages(turn)]
    return _run(source, found)


def _passages(turn: GoldItem) -> _Passages:
    """Yield the passages of a turn."""
    topic = turn.name("turn_id")
    seen: set[str] = set()
    for response in turn.each("responses"):
        divisor = response.whole("rank", 0) + 1
        for passage in response.each("passage_provenance", needed=False):
            document, score = passage.name("id"), _score(passage, passage.value.get("score"))
            if document in seen:
                continue
            seen.add(document)
            shared = float(np.float32(score) / np.float32(max(divisor, 1)))
            yield passage.line, {"topic": topic, "document": document, "rank": len(seen), "score": shared}


def _score(item: GoldItem, value: Any) -> float:
    try:
        return as_number(value)
    except Odd as odd:
        item.fault(f"found score {show(value)}, expected {odd.expected}")
        return 0.0


def read_2025(source: Source) -> Run:
    """Read a turn per line, with scores of its references: by score, ties in the order of the file."""
    found: list[tuple[int, dict[str, Any]]] = []
    for turn in source.gold_file.objects():
        topic, references = turn.name("turn_id"), turn.inner("references").value
        metadata = turn.inner("metadata") if turn.has("metadata") else turn
        name = metadata.name("run_id", missing="")
        scores = {document: _score(turn, value) for document, value in references.items()}
        for rank, document in enumerate(sorted(scores, key=lambda one: -scores[one]), 1):
            row = {"topic": topic, "document": document, "rank": rank, "score": round(scores[document], 6)}
            found.append((turn.line, row | ({"run": name} if name else {})))
    return _run(source, found)


def _run(source: Source, found: list[tuple[int, dict[str, Any]]]) -> Run:
    source.faults.settle()
    return run_of(source, RowTable.of(*apart(found)), "documents")


def recognise(source: Source) -> int:
    """Detect a run with turns by its keys."""
    head = source.data[:HEAD_BYTES]
    return _FIT if source.starts_with(b"{") and b'"turns"' in head and b'"run_name"' in head else 0


def recognise_2025(source: Source) -> int:
    """Detect lines of turns with references by the keys of the first one."""
    first = next((row for row in source.first_rows if isinstance(row, Mapping)), {})
    return _FIT if "turn_id" in first and isinstance(first.get("references"), Mapping) else 0


register_run(
    Format(
        "ikat",
        "run",
        _LAYOUT,
        "passages of conversations (iKAT 2023, 2024)",
        read,
        recognise,
        order="score",
        example=_EXAMPLE,
        forms=("json",),
    )
)
register_run(
    Format(
        "ikat-2025",
        "run",
        _LAYOUT_2025,
        "references of conversations (iKAT 2025)",
        read_2025,
        recognise_2025,
        example=_EXAMPLE_2025,
        forms=("json",),
    )
)
