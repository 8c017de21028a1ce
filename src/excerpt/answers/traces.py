"""Runs from traces of applications: spans of OpenInference (Phoenix, OTLP), observations of Langfuse."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from excerpt.answers.contexts import TracedText, run_of_texts
from excerpt.formats.registry import RECORDS, Format, register_run
from excerpt.formats.source import Source
from excerpt.model.run import Run

LAYOUT = '{"attributes": {"input.value": …, "retrieval.documents.0.document.content": …}}'
EXAMPLE = (
    '{"name": "retrieve", "attributes": {"input.value": "When is the rent due?", '
    '"retrieval.documents.0.document.content": "The rent is due in May."}}\n'
)
_LAYOUT_LANGFUSE = (
    '{"traceId": …, "type": "RETRIEVER", "input": question, "output": [{"page_content": …}, …]}'
)
_EXAMPLE_LANGFUSE = (
    '{"id": "1", "traceId": "t", "type": "RETRIEVER", "input": "When is the rent due?", '
    '"output": ["The rent is due in May."]}\n'
)
_FIT = 500
_PREFIX = "attributes."
_DOCUMENT = re.compile(r"retrieval\.documents\.(\d{1,9})\.document\.(content|score)")
_RETRIEVED = "retrieval.documents"
_ASKED = ("query", "question", "input", "value", "text", "content", "search_query")
_LISTS = ("documents", "contexts", "results", "retrieved_documents", "output", "nodes", "chunks")
_TEXTS = ("page_content", "pageContent", "content", "text", "document.content", "chunk")
_INNER = ("document", "node", "payload")
_REPEATED = (
    "retrieval of a question that was retrieved before is left out",
    "retrievals of questions that were retrieved before are left out",
)
_MOST_DEPTH = 8


class Retrieval(NamedTuple):
    """One retrieval: its question, and texts with scores, best first."""

    line: int
    question: str
    texts: list[TracedText]


def read(source: Source) -> Run:
    """Read the spans with retrieved documents; of several with one question the first counts."""
    return _run(source, (found for line, row in _rows(source) for found in _retrievals(line, row)))


def read_langfuse(source: Source) -> Run:
    """Read the observations of retrievers, or with a list of documents as output."""
    return _run(source, (one for line, row in _rows(source) for one in _observations(line, row)))


def _run(source: Source, retrievals: Iterable[Retrieval]) -> Run:
    found: dict[str, list[TracedText]] = {}
    repeated = 0
    for one in retrievals:
        if not one.question.strip():
            source.faults.add(
                one.line, "found a retrieval without a question, expected the text of its input"
            )
        elif one.question in found:
            repeated += 1
        else:
            found[one.question] = one.texts
    source.faults.settle()
    source.notices.add(*_REPEATED, repeated, where=source.name)
    return run_of_texts(source, found)


def _rows(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of a file, or the only one, which may take many lines."""
    if source.given is None and source.form == "json" and not source.is_list:
        try:
            whole = json.loads(source.text.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            whole = None
        if isinstance(whole, dict):
            yield 1, whole
            return
    for line, row in source.objects("chunk"):
        if isinstance(row, Mapping):
            yield line, row


def _retrievals(line: int, row: Mapping[str, Any]) -> Iterator[Retrieval]:
    """Retrievals of a span, or of all spans of an object of OTLP."""
    for span in _spans(row):
        attributes = _flat(_attributes(span))
        texts: dict[int, dict[str, Any]] = {}
        for name, value in attributes.items():
            if match := _DOCUMENT.fullmatch(name):
                texts.setdefault(int(match[1]), {})[match[2]] = value
        if texts:
            question = _question(attributes.get("input.value"))
            listed = [
                TracedText(line, str(own["content"]), _score(own.get("score")))
                for _, own in sorted(texts.items())
                if isinstance(own.get("content"), str)
            ]
            yield Retrieval(line, question, listed)


def _spans(row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A row, or the spans inside of it: `resourceSpans` of OTLP, and lists of spans or data."""
    if isinstance(resources := row.get("resourceSpans", row.get("resource_spans")), list):
        for resource in filter(_is_object, resources):
            for scope in _lists(resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans"):
                yield from filter(_is_object, _lists(scope, "spans"))
    elif isinstance(inner := row.get("spans", row.get("data")), list):
        for span in filter(_is_object, inner):
            yield from _spans(span)
    else:
        yield row


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _lists(row: Mapping[str, Any], *names: str) -> list[Any]:
    return next((row[name] for name in names if isinstance(row.get(name), list)), [])


def _attributes(span: Mapping[str, Any]) -> Mapping[str, Any]:
    """Attributes of a span: pairs of OTLP, a mapping, or columns whose names begin with `attributes.`"""
    own = span.get("attributes")
    if isinstance(own, list):
        pairs = [one for one in own if isinstance(one, Mapping) and isinstance(one.get("key"), str)]
        return {one["key"]: _otlp_value(one.get("value")) for one in pairs}
    if isinstance(own, str):
        own = _parsed(own)
    if isinstance(own, Mapping):
        return own
    return {
        name.removeprefix(_PREFIX): value
        for name, value in span.items()
        if isinstance(name, str) and name.startswith((_PREFIX, _RETRIEVED, "input."))
    }


def _otlp_value(value: Any, depth: int = 0) -> Any:
    """A value of OTLP in JSON: `{"stringValue": "x"}`."""
    if not isinstance(value, Mapping) or depth > _MOST_DEPTH:
        return value
    if isinstance(inner := value.get("arrayValue"), Mapping):
        return [_otlp_value(one, depth + 1) for one in _lists(inner, "values")]
    if isinstance(inner := value.get("kvlistValue"), Mapping):
        pairs = [one for one in _lists(inner, "values") if isinstance(one, Mapping)]
        return {str(one.get("key")): _otlp_value(one.get("value"), depth + 1) for one in pairs}
    return next(iter(value.values()), None)


def _flat(value: Any, name: str = "", depth: int = 0) -> dict[str, Any]:
    """Values by dotted names.

    >>> _flat({"retrieval": {"documents": [{"document.content": "x"}]}})
    {'retrieval.documents.0.document.content': 'x'}
    """
    if isinstance(value, str) and name == _RETRIEVED:
        value = _parsed(value)
    if depth > _MOST_DEPTH or not isinstance(value, Mapping | list | tuple):
        return {name: value}
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    found: dict[str, Any] = {}
    for key, one in pairs:
        found |= _flat(one, f"{name}.{key}" if name else str(key), depth + 1)
    return found


def _parsed(text: str) -> Any:
    """JSON in a text; else the text."""
    if text.lstrip()[:1] in {"{", "[", '"'}:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _question(value: Any, depth: int = 0) -> str:
    """The text of a question: itself, or inside of an object or of the last message.

    >>> _question('{"query": "Who pays?"}'), _question([{"role": "user", "content": "Who pays?"}])
    ('Who pays?', 'Who pays?')
    """
    value = _parsed(value) if isinstance(value, str) else value
    if isinstance(value, str) or depth > _MOST_DEPTH:
        return value if isinstance(value, str) else ""
    if isinstance(value, Mapping):
        inner = next((value[name] for name in _ASKED if value.get(name)), None)
        inner = value.get("messages") if inner is None else inner
        return "" if inner is None else _question(inner, depth + 1)
    return _question(value[-1], depth + 1) if isinstance(value, list | tuple) and value else ""


def _score(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def _observations(line: int, row: Mapping[str, Any]) -> Iterator[Retrieval]:
    """Retrievals among the observations of a trace, or a row that is an observation."""
    inner = row.get("observations")
    trace = row.get("trace")
    if not isinstance(inner, list) and isinstance(trace, Mapping):
        inner = trace.get("observations")
    inner = _lists(row, "data", "traces") if not isinstance(inner, list) else inner
    if inner:
        for one in filter(_is_object, inner):
            yield from _observations(line, one)
        return
    kind = str(row.get("type", "")).upper()
    named = "retriev" in str(row.get("name", "")).lower()
    if kind != "RETRIEVER" and not named:
        return
    output = row.get("output")
    texts = _texts(line, _parsed(output) if isinstance(output, str) else output)
    if texts is not None:
        yield Retrieval(line, _question(row.get("input")), texts)


def _texts(line: int, output: Any, depth: int = 0) -> list[TracedText] | None:
    """Texts of documents in an output; None if it has no list of documents."""
    if isinstance(output, Mapping) and depth <= _MOST_DEPTH:
        inner = next((output[name] for name in _LISTS if isinstance(output.get(name), list | Mapping)), None)
        return None if inner is None else _texts(line, inner, depth + 1)
    if not isinstance(output, list):
        return None
    found = [_text(line, one) for one in output]
    return None if None in found else [one for one in found if one is not None]


def _text(line: int, given: Any, depth: int = 0) -> TracedText | None:
    if isinstance(given, str):
        return TracedText(line, given, float("nan"))
    if isinstance(given, list) and len(given) == 2 and isinstance(given[0], Mapping):  # with its score
        inner = _text(line, given[0], depth + 1)
        return inner and inner._replace(score=_score(given[1]))
    if not isinstance(given, Mapping) or depth > _MOST_DEPTH:
        return None
    text = next((given[name] for name in _TEXTS if isinstance(given.get(name), str)), None)
    if text is None:
        inner_value = next((given[name] for name in _INNER if name in given), None)
        inner = _text(line, inner_value, depth + 1)
        return inner and inner._replace(score=_score(given.get("score")))
    return TracedText(line, text, _score(given.get("score")))


def is_traced(row: object) -> bool:
    """Return whether an object has spans or attributes of retrieval.

    >>> is_traced({"attributes.retrieval.documents": []}), is_traced({"topic": "1"})
    (True, False)
    """
    if not isinstance(row, Mapping):
        return False
    if any(name in row for name in ("resourceSpans", "resource_spans")):
        return True
    own = row.get("attributes")
    named = [*row, *(own if isinstance(own, Mapping) else ())]
    keyed = [one.get("key") for one in own if isinstance(one, Mapping)] if isinstance(own, list) else []
    inner = isinstance(own, Mapping) and isinstance(own.get("retrieval"), Mapping)
    known = any(isinstance(name, str) and name.removeprefix(_PREFIX).startswith(_RETRIEVED) for name in named)
    is_span = isinstance(own, Mapping | list) and ("span_kind" in row or "context" in row or "traceId" in row)
    return inner or known or is_span or any(str(name).startswith(_RETRIEVED) for name in keyed)


def _is_langfuse(row: object) -> bool:
    if not isinstance(row, Mapping):
        return False
    if isinstance(row.get("observations"), list) or isinstance(row.get("trace"), Mapping):
        return True
    traced = not {"traceId", "trace_id", "traceID"}.isdisjoint(row)
    return traced and {"type", "input", "output"} <= row.keys()


def _firsts(source: Source) -> list[Any]:
    """The first objects of a file, also one that takes many lines."""
    rows = [row for row in source.first_rows if isinstance(row, Mapping)]
    head = source.data[: 1 << 16]
    if not rows and b'"resourceSpans"' in head:
        rows = [{"resourceSpans": []}]
    elif not rows and b'"observations"' in head and b'"traceId"' in head:
        rows = [{"observations": []}]
    return rows


def has_traces(source: Source) -> bool:
    """Return whether a file has spans or observations."""
    return bool(recognise(source) or recognise_langfuse(source))


def recognise(source: Source) -> int:
    """Detect spans by the names of their attributes."""
    return _FIT if source.form != "xml" and any(map(is_traced, _firsts(source))) else 0


def recognise_langfuse(source: Source) -> int:
    """Detect traces and observations by their keys."""
    rows = [] if source.form == "xml" else _firsts(source)
    return _FIT if any(map(_is_langfuse, rows)) and not any(map(is_traced, rows)) else 0


register_run(
    Format(
        "traces",
        "run",
        LAYOUT,
        "traces with retrieved documents (OpenInference, Phoenix)",
        read,
        recognise,
        example=EXAMPLE,
        forms=RECORDS,
    )
)
register_run(
    Format(
        "langfuse",
        "run",
        _LAYOUT_LANGFUSE,
        "observations of retrievers (Langfuse)",
        read_langfuse,
        recognise_langfuse,
        example=_EXAMPLE_LANGFUSE,
        forms=RECORDS,
    )
)
