"""Runs and judgments of documents as one JSON mapping of mappings, as ranx and pytrec_eval have them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from excerpt.errors import short
from excerpt.formats.judgments.qrels import judge_documents
from excerpt.formats.reader import NameColumn, ResultTable
from excerpt.formats.registry import Format, register_judgments, register_run
from excerpt.formats.source import HEAD_BYTES, Source
from excerpt.gold.file import show
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run, encode
from excerpt.model.spans import UNKNOWN
from excerpt.records.record import GRADES, Odd, as_grade, as_number, is_text
from excerpt.records.rows import broken_json, parse_json
from excerpt.records.spellings import RowKeys

LAYOUT = "{{topic: {{document: {}, …}}, …}}"
_STRING = r'"(?:[^"\\]|\\.)*"'
_MAPPING = re.compile(
    rf"\ufeff?\s*\{{\s*{_STRING}\s*:\s*\{{\s*(?:\}}|{_STRING}\s*:\s*"
    rf"(?:-?\d|true|false|\"(?P<word>{'|'.join(GRADES)})\"))"
)
_FRACTION = re.compile(r":\s*-?\d+(\.0*[1-9]|e)", re.IGNORECASE)
_FIT = 100


def _columns(
    source: Source, name: str, convert: Callable[[Any], float]
) -> tuple[NameColumn, NameColumn, list[float]]:
    """Return the topic, the document and the number of each entry."""
    topics: list[str] = []
    documents: list[str] = []
    numbers: list[Any] = []
    for topic, entries in _mapping(source, name).items():
        if not isinstance(entries, dict):
            message = f"found {show(entries)} for topic {short(topic)}, expected a mapping of documents"
            source.faults.add(None, message)
            continue
        topics += [topic] * len(entries)
        documents += entries
        numbers += entries.values()
    for row, number in enumerate(numbers):
        where = f"of document {short(documents[row])} for topic {short(topics[row])}"
        try:
            numbers[row] = convert(number)
        except Odd as odd:
            source.faults.add(None, f"found {name} {show(number)} {where}, expected {odd.expected}")
            numbers[row] = 0
        if not topics[row] or not documents[row] or not is_text(topics[row] + documents[row]):
            source.faults.add(None, f"found an id that is no text {where}")
    source.faults.settle()
    return NameColumn(*encode(topics)), NameColumn(*encode(documents)), numbers


def _mapping(source: Source, name: str) -> dict[str, Any]:
    """Return the object of the file; report keys that it has twice."""
    repeated: list[str] = []

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(pairs)
        if len(mapping) < len(pairs):
            repeated.append(next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1))
        return mapping

    mapping = parse_json(source.text.decode(), object_pairs_hook=collect)
    for key in repeated:
        source.faults.add(None, f"found the key {short(key)!r} twice, expected every topic and document once")
    if isinstance(mapping, dict):
        return mapping
    broken = broken_json(source.text.decode(), source.name, LAYOUT.format(name))
    source.faults.add(broken.line, broken.message)
    return {}


def read_run(source: Source) -> Run:
    """Read scores; a result is a whole document, in the order of the scores."""
    topics, documents, scores = _columns(source, "score", as_number)
    score = np.array(scores, np.float64)
    ones, unknown = np.ones(len(score), np.int64), np.full(len(score), UNKNOWN)
    paths = NameColumn((), unknown)
    results = ResultTable(topics, documents, paths, 0 * ones, ones, ones > 0, unknown, score, unknown)
    return results.to_run(source, source.name, "documents")


def read_judgments(source: Source) -> Judgments:
    """Read grades of whole documents."""
    topics, documents, grades = _columns(source, "grade", as_grade)
    return judge_documents(source, topics, documents, np.array(grades, np.float64))


def recognise_run(source: Source) -> int:
    """Detect a mapping whose first entry is a mapping of numbers, not a record that begins with metadata."""
    return _recognise(source, words=False)


def _recognise(source: Source, *, words: bool) -> int:
    """Detect a mapping of mappings of numbers, or of `words`."""
    found = _MAPPING.match(source.data[:HEAD_BYTES].decode("utf-8", "replace"))
    if found is None or (found["word"] and not words):
        return 0
    known = RowKeys("result").meaning
    first = next((row for row in source.first_rows if isinstance(row, dict)), {})
    return 0 if any(key in known and not isinstance(first[key], dict) for key in first) else _FIT


def recognise_judgments(source: Source) -> int:
    """Detect a mapping of mappings without fractions; whole numbers and words are rather grades."""
    fractions = _FRACTION.search(source.data[:HEAD_BYTES].decode("utf-8", "replace"))
    return 0 if fractions else 2 * _recognise(source, words=True)


register_run(
    Format(
        "mapping",
        "run",
        LAYOUT.format("score"),
        "whole documents in one JSON mapping (ranx, pytrec_eval)",
        read_run,
        recognise_run,
        order="score",
        example='{"1": {"A": 0.9, "B": 0.5}}\n',
        forms=("json",),
    )
)
register_judgments(
    Format(
        "mapping",
        "judgments",
        LAYOUT.format("grade"),
        "whole documents in one JSON mapping (ranx, pytrec_eval)",
        read_judgments,
        recognise_judgments,
        example='{"1": {"A": 1, "B": 0}}\n',
        forms=("json",),
    )
)
