"""Topics in JSON, one object per line."""

from __future__ import annotations

import json
from typing import Any

from excerpt.errors import short, short_list
from excerpt.formats.source import HEAD_BYTES, Source
from excerpt.formats.text.json_lines import is_text
from excerpt.formats.topics._gathering import Gathered
from excerpt.formats.topics.topic import Topic
from excerpt.model.field_names import KEYS

LAYOUT = '{"id": …, "title": …, "text": …}'

#: What is read, and how others spell it; where a line has several spellings, the first counts.
_IDS = ("_id", "id", "topic", "qid", "topic_id", "query_id", "query-id", "question_id", "number")
_TEXTS = {
    "title": ("title",),
    "text": ("text", "query", "question", "description", "desc"),
    "narrative": ("narrative", "narr"),
    "castitle": ("castitle",),
    "keywords": ("keywords",),
    "phrasetitle": ("phrasetitle",),
    "kind": ("kind", "query_type"),
}
_OF_RESULTS = {*KEYS["document"], *KEYS["start"], "spans", "score"} - {"source"}


def recognise(source: Source) -> bool:
    """Whether the first line that is whole is an object with no keys of results."""
    if not source.starts_with(b"{"):
        return False
    lines = source.data[:HEAD_BYTES].decode("utf-8-sig", "replace").split("\n")
    found = next((value for line in lines if isinstance(value := _parse(line), dict)), {})
    return any(key in found for keys in _TEXTS.values() for key in keys) or not _OF_RESULTS & found.keys()


def _parse(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def read(source: Source) -> dict[str, Topic]:
    """The topics of a file."""
    gathered = Gathered(source)
    for number, line in enumerate(source.text.decode().split("\n"), 1):
        if not line.strip():
            continue
        fields = _parse(line)
        if isinstance(fields, dict):
            _add(gathered, number, fields)
        else:
            source.faults.add(number, f"found {short(line.strip())!r}, expected one JSON object per line")
    return gathered.topics


def _add(gathered: Gathered, line: int, fields: dict[str, Any]) -> None:
    faults = gathered.source.faults
    name = next((fields[key] for key in _IDS if fields.get(key) is not None), None)
    if name is None:
        there = short_list(fields, 6) or "no keys"
        faults.add(line, f"found no id among {there}, expected one (also called {short_list(_IDS, 6)})")
        return
    if type(name) is int:
        name = str(name)
    texts = {key: _text(fields, spellings) for key, spellings in _TEXTS.items()}
    for key, value in {"id": name, **texts}.items():
        if not isinstance(value, str) or not is_text(value):
            faults.add(line, f"found {key} {short(json.dumps(value))}, expected a string")
            return
    stripped = {key: value.strip() for key, value in texts.items()}
    gathered.add(line, name.strip(), stripped, kind=stripped.pop("kind"))


def _text(fields: dict[str, Any], spellings: tuple[str, ...]) -> Any:
    return next((fields[key] for key in spellings if fields.get(key) is not None), "")
