"""Topics in columns with tabs: `id, text` or `id, title, text`, or whatever columns a first line names."""

from __future__ import annotations

from collections.abc import Iterator

from excerpt.errors import plural, short, short_list
from excerpt.formats.source import Source
from excerpt.formats.topics._gathering import Gathered
from excerpt.formats.topics.topic import Topic

LAYOUT = "id TAB text, or id TAB title TAB text"

_IDS = {"id", "_id", "qid", "topic", "topic_id", "topic-id", "query_id", "query-id", "number", "num"}
_NAMES = {
    "title": "title",
    "name": "title",
    "text": "text",
    "query": "text",
    "question": "text",
    "description": "text",
    "desc": "text",
    "narrative": "narrative",
    "narr": "narrative",
    "castitle": "castitle",
    "keywords": "keywords",
    "phrasetitle": "phrasetitle",
    "kind": "kind",
}
_COLUMNS = {2: ("id", "text"), 3: ("id", "title", "text")}


def recognise(source: Source) -> bool:
    """Whether most of the first lines have two or three columns, or the first names its columns."""
    if not source.head:  # XML or JSON
        return False
    rows = [row for _, row in _rows(source.beginning.decode("utf-8", "replace"))]
    if not rows or _is_grades(rows):
        return False
    fitting = sum(len(row) in _COLUMNS for row in rows)
    return _named(rows[0]) is not None or 2 * fitting >= len(rows)


def _is_grades(rows: list[list[str]]) -> bool:
    """Whether it looks like judgments: topic, document and a number."""
    return all(len(row) == 3 and row[2].strip().lstrip("-").isdecimal() for row in rows[1:] or rows)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The lines that are not blank, with their numbers."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line.split("\t")


def _named(row: list[str]) -> tuple[str, ...] | None:
    """The columns that a first line names; None where it names none, so that it is a topic."""
    names = [cell.strip().lower() for cell in row]
    if len(names) < 2 or names[0] not in _IDS or not any(name in _NAMES for name in names[1:]):
        return None
    return ("id", *(_NAMES.get(name, "") for name in names[1:]))


def read(source: Source) -> dict[str, Topic]:
    """The topics of a file."""
    gathered = Gathered(source)
    columns: tuple[str, ...] | None = None
    for line, row in _rows(source.text.decode()):
        if columns is None:
            columns = _named(row)
            if columns is not None:
                _notice_unknown(source, row, columns)
                continue
            columns = _COLUMNS.get(len(row))
            if columns is None:
                source.faults.add(line, f"found {_count(row)}, expected {LAYOUT}")
                continue
        if len(row) != len(columns):
            source.faults.add(line, f"found {_count(row)}, expected {len(columns)} as before ({LAYOUT})")
            continue
        cells = [cell.strip() for cell in row]
        texts = dict(zip(columns[1:], cells[1:], strict=True))
        gathered.add(line, cells[0], texts, kind=texts.pop("kind", ""))
    return gathered.topics


def _notice_unknown(source: Source, row: list[str], columns: tuple[str, ...]) -> None:
    unknown = [name.strip() for name, column in zip(row, columns, strict=True) if not column]
    if unknown:
        source.notices.add(f"unknown columns were ignored: {short_list(unknown)}", where=source.name)


def _count(row: list[str]) -> str:
    if len(row) == 1:
        return f"{short(row[0].strip())!r} without a tab"
    return plural(len(row), "column")
