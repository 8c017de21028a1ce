"""Files that are not read here, called what they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from excerpt.errors import short
from excerpt.formats.judgments.trec import is_passage
from excerpt.formats.source import HEAD_BYTES, Source
from excerpt.formats.text.xml_events import is_entity_bomb, root_name

_LINKS = "links of Link-the-Wiki"
#: Root elements, in small letters, and what they are the root of.
_ROOTS = {
    "inex_topic": "an INEX topic file",
    "inex-topic": "an INEX topic file",
    "inex-topic-file": "an INEX topic file",
    "inex_topics": "an INEX topic file",
    "topics": "a file of topics",
    "topic": "a file of topics",
    "top": "TREC topics",
    "parameters": "topics of Indri",
    "doc": "TREC documents",
    "article": "a document of a corpus",
    "html": "a web page",
    "inexltw-submission": _LINKS,
    "crosslink-submission": _LINKS,
    "ltwresultsettype": _LINKS,
}
_GRADE = re.compile(r"-?\d{1,2}")
_SHARE = re.compile(r"[01]?\.\d+(e-?\d+)?|[01]|\d(\.\d+)?e-\d+", re.IGNORECASE)


def describe_foreign(source: Source) -> str | None:
    """What a file is, where that can be told and it is neither a run nor judgments of ours."""
    called = _called_by_root(source)
    if called:
        return f"root element <{short(root_name(source))}>, {called}"
    if is_entity_bomb(source):
        return "XML whose entities expand without measure (an entity bomb)"
    if source.starts_with(b"["):
        return "a JSON list instead of one object per line"
    found = _judged_elsewhere(source)
    return None if found is None else found.called


def advise_foreign(source: Source) -> str:
    """What to do with judgments that are not read here, or with topics; nothing where there is no advice."""
    called = _called_by_root(source)
    if called == _LINKS:
        return "write a line for each link, and name the columns: columns:topic,document,start"
    if "topic" in called:
        return "⟨command=topics⟩ reads and checks topics"
    found = _judged_elsewhere(source)
    return "" if found is None else found.advice


def _called_by_root(source: Source) -> str:
    """What XML is by its root element, or by the links in it; empty where there is no root."""
    root = root_name(source).lower()
    links = root == "inex-submission" and b"<outgoing" in source.data[:HEAD_BYTES]
    return _LINKS if links else root and _ROOTS.get(root, "XML of another kind")


class _Elsewhere(NamedTuple):
    """Judgments of other programs: what they are, and what to do with them."""

    called: str
    advice: str
    fits: Callable[[list[str]], bool]


def _judged_elsewhere(source: Source) -> _Elsewhere | None:
    rows = source.head
    fitting = (one for one in _ELSEWHERE if rows and 2 * sum(map(one.fits, rows)) > len(rows))
    return next(fitting, None)


def _is_sampled(row: list[str]) -> bool:
    return len(row) == 5 and bool(
        _GRADE.fullmatch(row[2]) and row[3].isdecimal() and _SHARE.fullmatch(row[4])
    )


def _is_preference(row: list[str]) -> bool:
    return len(row) == 5 and not row[3].isdecimal() and bool(re.fullmatch(r"-?\d+(\.\d+)?", row[4]))


_ELSEWHERE = (
    _Elsewhere(
        "sampled judgments of statAP (topic document grade method probability)",
        "for plain qrels write lines of topic, 0, document, grade; only its own program uses probabilities",
        _is_sampled,
    ),
    _Elsewhere(
        "preference judgments of trec_eval (topic group subgroup document grade)",
        "only trec_eval itself reads them, as its format prefs",
        _is_preference,
    ),
    _Elsewhere(
        "passages of TREC HARD (topic document offset length)",
        "name the columns: ⟨qrels_format=columns:topic,document,start,length⟩",
        is_passage,
    ),
)
