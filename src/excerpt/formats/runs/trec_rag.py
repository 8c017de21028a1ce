"""Answers of TREC RAG and its kin: what they cite is a run of ids, which segments or id patterns place.

`{"metadata": {"run_id": …, "topic_id": …}, "responses": [{"text": …, "citations": [id, …]}]}`, one answer a
line. Citations may also be numbers of `references`, or ids with scores; the sentences may be called `answer`.
A passage ranks where it is cited first, or by its best score where all have one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from excerpt.errors import short
from excerpt.formats.registry import Format, register_run
from excerpt.formats.results import Results
from excerpt.formats.runs._cited import SENTENCES, answers_in
from excerpt.formats.source import Source
from excerpt.formats.text.json_lines import Record, is_text
from excerpt.model.field_names import rename
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN

LAYOUT = '{"metadata": {"run_id": …, "topic_id": …}, "responses": [{"text": …, "citations": [id, …]}]}'
EXAMPLE = (
    '{"metadata": {"run_id": "mine", "topic_id": "1"}, "references": ["A", "B"], '
    '"responses": [{"text": "Yes.", "citations": ["A"]}, {"text": "No.", "citations": ["B", "A"]}]}\n'
)
_FIT = 100
_TOPICS = ("request_id", "narrative_id")


def read(source: Source) -> Run:
    """Read the passages that answers cite, each once."""
    names: dict[str, int] = {}
    rows: list[tuple[Any, ...]] = []
    silent = 0
    for item in source.gold_file.objects():
        record = Record(item.line, _fields(item.value), source.faults)
        topic, name = record.name("topic"), record.fields.get("run")
        if isinstance(name, str) and name:
            names.setdefault(name, item.line)
        cited = _cited(record)
        silent += not cited
        scored = all(score == score for score in cited.values())  # noqa: PLR0124 - NaN is not
        ranked = sorted(cited, key=lambda id_: -cited[id_]) if scored else list(cited)
        rows += [(topic, id_, "", 0, 1, True, UNKNOWN, cited[id_], item.line) for id_ in ranked]
    source.faults.settle()
    source.notices.add("answer cites nothing", silent, where=source.name)
    name = min(names, key=names.__getitem__, default=source.name)
    return Results.of(rows).to_run(source, name, "documents")


def _fields(value: Mapping[str, Any]) -> dict[str, Any]:
    """The values of an answer; what it answers may have names of its own."""
    fields = rename(value)
    inner = value.get("metadata")
    told = {**inner, **value} if isinstance(inner, Mapping) else value
    own = next((told[key] for key in _TOPICS if told.get(key) is not None), None)
    return {**fields, "topic": own} if own is not None and not _has_topic(fields) else fields


def _has_topic(fields: Mapping[str, Any]) -> bool:
    return fields.get("topic") is not None


def _cited(record: Record) -> dict[str, float]:
    """Ids with their scores (NaN: none), in the order of first citation."""
    found: dict[str, float] = {}
    key = next((key for key in SENTENCES if isinstance(record.fields.get(key), list)), None)
    if key is None:
        record.fault("no list of responses", "one (also called answer)")
        return found
    for sentence in record.fields[key]:
        citations = sentence.get("citations") if isinstance(sentence, Mapping) else None
        if isinstance(citations, Mapping):
            pairs = [(id_, _score(record, score)) for id_, score in citations.items()]
        elif isinstance(citations, list):
            pairs = [(id_, float("nan")) for id_ in citations]
        elif citations is None and isinstance(sentence, Mapping):
            continue
        else:
            record.fault(f"{short(repr(sentence))} among the {key}", "a text with its citations")
            continue
        for given, score in pairs:
            id_ = _id(record, given)
            if id_ and not found.get(id_, -float("inf")) >= score:  # also where it is NaN
                found[id_] = score
    return found


def _score(record: Record, value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value:  # noqa: PLR0124
        return float(value)
    record.fault(f"{short(repr(value))} as the score of a citation", "a number")
    return float("nan")


def _id(record: Record, given: Any) -> str:
    """An id, or the one that is so far down the references."""
    if isinstance(given, str) and given and is_text(given):
        return given
    references = record.fields.get("references")
    listed = references if isinstance(references, list) else []
    if type(given) is int and 0 <= given < len(listed) and isinstance(listed[given], str):
        return str(listed[given])
    record.fault(
        f"{short(repr(given))} as a citation", f"an id, or the number of one of {len(listed)} references"
    )
    return ""


def recognise(source: Source) -> int:
    """Objects with a list of sentences, each with citations."""
    return _FIT if answers_in(source) == "trec-rag" else 0


register_run(
    Format(
        "trec-rag", "run", LAYOUT, "passages that answers cite (TREC RAG)", read, recognise, example=EXAMPLE
    )
)
