"""Tables of segments: `id document start end` in columns, with or without a head, or JSON Lines.

In JSON Lines the id of a segment is its `id`, `segment_id`, `docid` or `_id`; one without a `document` is of
the document that its id names before `#`, as in TREC RAG. Where lines have the text of a segment, it can be
compared with that of a corpus.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from excerpt.errors import ExcerptError, FormatError, short
from excerpt.files import Input
from excerpt.formats.source import Source
from excerpt.formats.text.json_lines import is_text
from excerpt.model.field_names import TEXTS, rename
from excerpt.model.spans import MAX_OFFSET

_IDS = ("id", "segment_id", "docid", "_id")
_TEXTS = ("segment", *TEXTS)
_HEAD = ["id", "document", "start", "end"]
_LAYOUT = "id document start end"


class Segment(NamedTuple):
    """A stretch of a document, and its text where the table has it."""

    document: str
    start: int
    end: int
    text: str | None = None


def read_segments(given: Input) -> dict[str, Segment]:
    """The table in a file."""
    source = Source.open(given, expected=f"a table of segments ({_LAYOUT})")
    in_json = source.starts_with(b"{")
    found: dict[str, Segment] = {}
    for number, line in enumerate(source.text.decode().split("\n"), 1):
        if not line.strip() or (number == 1 and line.split() == _HEAD):
            continue
        name, segment = _from_json(line) if in_json else _from_columns(line)
        if segment is None:
            raise FormatError(
                f"found {short(line.strip())!r}, expected {_LAYOUT}" + " as JSON" * in_json,
                path=source.name,
                line=number,
            )
        if found.setdefault(name, segment) != segment:
            raise FormatError(
                f"found segment {short(name)} again at another place, expected it once",
                path=source.name,
                line=number,
            )
    return found


def list_segments(given: Mapping[str, Any]) -> dict[str, Segment]:
    """Spans by id, as a caller gives them: (document, start, end), or dictionaries."""
    if not isinstance(given, Mapping):
        raise ExcerptError(
            f"found {short(repr(given))} as segments, expected a file, or (document, start, end) by id"
        )
    found = {}
    for name, value in given.items():
        segment = as_segment(value, str(name))
        if segment is None:
            raise ExcerptError(
                f"found {short(repr(value))} as segment {short(str(name))}, expected (document, start, end)"
            )
        found[str(name)] = segment
    return found


def as_segment(value: Any, name: str = "") -> Segment | None:
    """Document, start and end, or a dictionary of them, as a segment; None where it is none.

    >>> as_segment(["A", 0, 9]), as_segment({"doc_id": "A", "start": 9, "end": 0})
    (Segment(document='A', start=0, end=9, text=None), None)
    """
    if isinstance(value, Mapping):
        return _of_fields(value, name)
    good = isinstance(value, tuple | list) and len(value) == 3
    return _segment(*value) if good else None


def _from_columns(line: str) -> tuple[str, Segment | None]:
    columns = line.split("\t") if line.count("\t") == 3 else line.split()
    if len(columns) != 4 or not (columns[2].isdecimal() and columns[3].isdecimal()):
        return "", None
    return columns[0], _segment(columns[1], int(columns[2]), int(columns[3]))


def _from_json(line: str) -> tuple[str, Segment | None]:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return "", None
    if not isinstance(fields, dict):
        return "", None
    own = next((key for key in _IDS if isinstance(fields.get(key), str | int)), None)
    if own is None:
        return "", None
    name = str(fields[own])
    return name, _of_fields({key: value for key, value in fields.items() if key != own}, name)


def _of_fields(fields: Mapping[str, Any], name: str) -> Segment | None:
    known = rename(fields)
    document = known.get("document", name.partition("#")[0] if "#" in name else None)
    text = next((fields[key] for key in _TEXTS if isinstance(fields.get(key), str)), None)
    return _segment(document, known.get("start"), known.get("end"), text)


def _segment(document: Any, start: Any, end: Any, text: str | None = None) -> Segment | None:
    named = isinstance(document, str | int) and not isinstance(document, bool) and document != ""
    named = named and is_text(str(document))
    placed = type(start) is int and type(end) is int and 0 <= start <= end <= MAX_OFFSET
    return Segment(str(document), start, end, text) if named and placed else None
