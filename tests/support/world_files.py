"""Small readers of judgments, runs and documents, so that exact answers do not depend on those of excerpt."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from support.element_oracle import canonical
from support.element_spans import elements_of
from support.oracle import Topic

from excerpt.model.elements import GradedElement

#: Scales of assessed elements, by the key that only one of them has.
SCALES = {
    "coverage": "relevance and coverage",
    "specificity": "exhaustivity and specificity",
    "rsize": "exhaustivity 0-2",
}
#: Spans of elements by document and path.
Trees = Mapping[str, Mapping[str, tuple[int, int]]]


class Row(NamedTuple):
    """One result of a run; a start of -1 is no place."""

    topic: str
    document: str
    rank: int
    score: float
    start: int = -1
    end: int = -1
    path: str = ""


def records(path: Path) -> list[dict[str, Any]]:
    """Objects of JSON Lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def columns(path: Path) -> list[list[str]]:
    """Words of each line."""
    return [line.split() for line in path.read_text(encoding="utf-8").splitlines()]


def read_run(path: Path, order: str = "file", trees: Trees | None = None) -> list[Row]:
    """Results of a run in any of the forms, in an order; paths of elements get their spans from trees."""
    if path.suffix == ".jsonl":
        rows = [_of_record(record) for record in records(path)]
    elif path.suffix == ".xml":
        rows = [
            _of_result(str(topic.get("topic-id")), one)
            for topic in ET.fromstring(path.read_text(encoding="utf-8"))
            for one in topic
        ]
    else:
        rows = [_of_columns(*words) for words in columns(path)]
    if trees is not None:
        rows = [_located(row, trees) for row in rows]
    keys = {"file": lambda row: 0, "rank": lambda row: row.rank, "score": lambda row: -row.score}
    return sorted(rows, key=keys[order])


def _of_record(record: Mapping[str, Any]) -> Row:
    place = record["start"], record["end"], record.get("path", "")
    return Row(record["topic"], record["document"], 0, record["score"], *place)


def _of_result(topic: str, result: ET.Element) -> Row:
    document, rank, score, path = (result.findtext(tag) or "" for tag in ("file", "rank", "rsv", "path"))
    return Row(topic, document, int(rank), float(score), path=path)


def _of_columns(
    topic: str, _: str, document: str, rank: str, score: str, _name: str, place: str = "X", length: str = "0"
) -> Row:
    if place.startswith("/"):
        return Row(topic, document, int(rank), float(score), path=place)
    start, end = (-1, -1) if place in {"X", "-1"} else (int(place), int(place) + int(length))
    return Row(topic, document, int(rank), float(score), start, end)


def _located(row: Row, trees: Trees) -> Row:
    start, end = trees[row.document].get(canonical(row.path), (-1, -1))
    return row._replace(start=start, end=end)


def read_trees(folder: Path) -> dict[str, dict[str, tuple[int, int]]]:
    """Spans of all elements of the XML documents of a folder."""
    return {
        path.stem: {name: (start, end) for name, start, end in elements_of(ET.parse(path).getroot())}
        for path in sorted(folder.iterdir())
    }


def read_fol(path: Path) -> dict[str, Topic]:
    """Topics of FOL judgments."""
    topics: dict[str, Topic] = {}
    for name, _, document, _, size, *rest in columns(path):
        topic = topics.setdefault(name, Topic([], {}))
        topic.sizes[document] = int(size)
        spans = [tuple(map(int, pair.split(":"))) for pair in rest[1:]]
        topic.passages[document] = [(start, start + length) for start, length in spans]
        if rest:
            topic.entries[document] = int(rest[0])
    return topics


def read_grades(path: Path) -> dict[str, dict[str, int]]:
    """Grades of documents by topic."""
    grades: dict[str, dict[str, int]] = {}
    for topic, _, document, grade in columns(path):
        grades.setdefault(topic, {})[document] = int(grade)
    return grades


def read_gold(path: Path, texts: Mapping[str, str]) -> dict[str, Topic]:
    """Topics of judgments in JSON Lines; each passage is a need, and a need may have alternatives."""
    topics: dict[str, Topic] = {}
    for record in records(path):
        topic = topics.setdefault(record["topic"], Topic([], {}, texts=texts))
        spans = [(record["document"], *span) for span in record.get("spans", ())]
        choices = [(part["document"], part["start"], part["end"]) for part in record.get("any_of", ())]
        if "document" in record:
            topic.passages.setdefault(record["document"], [])
        for document, start, end in [*spans, *choices]:
            topic.passages.setdefault(document, []).append((start, end))
        for need in [*([span] for span in spans), *([choices] if choices else [])]:
            topic.needs.append([frozenset((row[0], at) for at in range(*row[1:])) for row in need])
    for topic in topics.values():
        if all(len(need) == 1 for need in topic.needs):
            topic.needs.clear()
    return topics


def read_graded(path: Path) -> tuple[str, list[GradedElement]]:
    """Scale and assessed elements of judgments in JSON Lines."""
    elements, keys = [], set[str]()
    for record in records(path):
        for one in record["elements"]:
            first = one.get("exhaustivity", one.get("relevance"))
            second = "NSLE".index(one["coverage"]) if "coverage" in one else one.get("specificity", -1)
            grades = -1 if first == "?" else first, second, one.get("size", 0), one.get("rsize", 0)
            elements.append(GradedElement(record["topic"], record["document"], one["path"], *grades))
            keys |= one.keys()
    scale = next(scale for key, scale in SCALES.items() if key in keys)
    highlighted = scale == "exhaustivity 0-2" and {element.exhaustivity for element in elements} == {2}
    return "highlights" if highlighted else scale, elements


def highlighted_elements(topics: Mapping[str, Topic], trees: Trees) -> list[GradedElement]:
    """Every element with highlighted characters."""
    return [
        GradedElement(name, document, path, 2, size=end - start, relevant=shared)
        for name, topic in topics.items()
        for document in topic.passages
        for path, (start, end) in trees[document].items()
        if (shared := len(topic.characters(document) & set(range(start, end))))
    ]


def add_results(topics: Mapping[str, Topic], rows: Iterable[Row]) -> None:
    """Add the results of a run; those of other topics do not count."""
    for row in rows:
        if row.topic in topics:
            topics[row.topic].results.append((row.document, row.start, row.end))
