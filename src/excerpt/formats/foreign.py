"""Files that are not read here, called what they are."""

from __future__ import annotations

import re

from excerpt.errors import short
from excerpt.formats.source import Source
from excerpt.formats.text.xml_events import is_entity_bomb, root_name

#: Root elements, in small letters, and what they are the root of.
_ROOTS = {
    "inex_topic": "an INEX topic file",
    "inex-topic": "an INEX topic file",
    "inex-topic-file": "an INEX topic file",
    "inex_topics": "an INEX topic file",
    "topics": "a file of topics",
    "topic": "a file of topics",
    "top": "TREC topics",
    "doc": "TREC documents",
    "article": "a document of a corpus",
    "html": "a web page",
}
_GRADE = re.compile(r"-?\d{1,2}")
_SHARE = re.compile(r"[01]?\.\d+(e-?\d+)?|[01]|\d(\.\d+)?e-\d+", re.IGNORECASE)


def describe_foreign(source: Source) -> str | None:
    """What a file is, where that can be told and it is neither a run nor judgments of ours."""
    root = root_name(source)
    if root:
        called = _ROOTS.get(root.lower(), "XML of another kind")
        return f"root element <{short(root)}>, {called}"
    if is_entity_bomb(source):
        return "XML whose entities expand without measure (an entity bomb)"
    if source.starts_with(b"["):
        return "a JSON list instead of one object per line"
    rows = source.head
    for called, fits in ((_PROBABILITIES, _is_sampled), (_PREFERENCES, _is_preference)):
        if rows and 2 * sum(map(fits, rows)) > len(rows):
            return called
    return None


_PROBABILITIES = "sampled judgments of statAP (topic document grade method probability)"
_PREFERENCES = "preference judgments of trec_eval (topic group subgroup document grade)"


def _is_sampled(row: list[str]) -> bool:
    return len(row) == 5 and bool(
        _GRADE.fullmatch(row[2]) and row[3].isdecimal() and _SHARE.fullmatch(row[4])
    )


def _is_preference(row: list[str]) -> bool:
    return len(row) == 5 and not row[3].isdecimal() and bool(re.fullmatch(r"-?\d+(\.\d+)?", row[4]))
