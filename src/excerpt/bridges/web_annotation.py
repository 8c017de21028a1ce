"""Web Annotations of the W3C, as Hypothesis writes them: quotes and positions in documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from excerpt.bridges.exchange import (
    Destination,
    DocumentTexts,
    Exchange,
    Mark,
    ToolText,
    UnitOffsets,
    as_list,
    grade_of,
    names_of,
    objects_of,
    rows_of,
    text_of,
    whole_of,
)
from excerpt.errors import FormatError
from excerpt.formats.source import Source
from excerpt.records import rows as records

if TYPE_CHECKING:
    from excerpt.bridges.judged_rows import JudgedRow
    from excerpt.model.judgments import Judgments

_T = TypeVar("_T")
#: Keys under which lists of annotations are.
_LISTS = ("items", "rows", "annotations", "first")
_AROUND = 32  # characters of prefix and suffix
_DEEPEST = 10  # selectors that refine one another
#: Purposes of bodies that are names of topics.
_TAGS = {"tagging", "classifying"}
#: Where people and times are: in annotations of the W3C, and in those of Hypothesis.
_PEOPLE, _TIMES = ("assessors", "creator", "user"), ("modified", "updated", "created")
_CONTEXT = "http://www.w3.org/ns/anno.jsonld"


def read(exchange: Exchange, sources: Sequence[Source]) -> None:
    """Read annotations; quotes decide where positions and quotes differ."""
    for source in sources:
        units: dict[str, UnitOffsets] = {}
        for line, annotation in _annotations(source):
            _add(exchange, line, annotation, units)
        source.faults.settle()


def _annotations(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the annotations of a list, of a page or collection, of one annotation, or of lines."""
    found: Any = None if source.is_list else records.parse_json(source.text)
    if not isinstance(found, Mapping):
        yield from objects_of(source)
        return
    while isinstance(found, Mapping) and "target" not in found:
        key = next((key for key in _LISTS if key in found), None)
        if key is None:
            raise FormatError("found no annotations, expected a list, or a page with items", path=source.name)
        found = found[key]
    for number, one in enumerate([found] if isinstance(found, Mapping) else found or [], 1):
        if isinstance(one, Mapping):
            yield number, one
        else:
            source.faults.add(number, f"found {one!r:.60}, expected an annotation")


def _objects(value: Any) -> list[dict[str, Any]]:
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, dict)]


def _add(exchange: Exchange, line: int, annotation: Mapping[str, Any], units: dict[str, UnitOffsets]) -> None:
    if annotation.get("references"):
        exchange.leave_out("reply is no highlight", "replies are no highlights")
        return
    tags = [name for tag in annotation.get("tags") or () if (name := text_of(tag))]
    grade = grade_of(annotation.get("grade"))
    aim = text_of(annotation.get("motivation"))
    bodies = _objects(annotation.get("body")) or [{"value": annotation.get("bodyValue")}]
    for body in bodies:
        purpose, value = text_of(body.get("purpose")) or aim, text_of(body.get("value"))
        if purpose == "assessing":
            grade = grade_of(value)
        elif value and purpose in _TAGS:
            tags.append(value)
    who = _first(annotation, _PEOPLE, _who) or ()
    time = _first(annotation, _TIMES, text_of) or ""
    topic, targets = text_of(annotation.get("topic")), annotation.get("target")
    for target in targets if isinstance(targets, list) else [targets]:
        place = target if isinstance(target, dict) else {"source": target}
        named = place.get("source")
        address = named.get("id") if isinstance(named, dict) else named
        document = text_of(annotation.get("document")) or text_of(address) or text_of(annotation.get("uri"))
        selectors = _selectors(place.get("selector"))
        if not selectors:
            for name in [topic] if topic else tags or [""]:
                exchange.add(ToolText(line, (), None, document, "", name, grade, who, time))
            continue
        span = _place(exchange.text_of(document), document, selectors, units)
        if span is None:
            one, many = "annotation has no place in its document", "annotations have no place"
            exchange.leave_out(one, f"{many} in their documents")
            continue
        marks = [Mark(*span, tag) for tag in tags or [""]]
        exchange.add(ToolText(line, marks, None, document, "", topic, grade, who, time))


def _first(annotation: Mapping[str, Any], keys: Sequence[str], read: Callable[[Any], _T]) -> _T | None:
    """Return what the first key with a value says."""
    for key in keys:
        if key in annotation and (found := read(annotation[key])):
            return found
    return None


def _who(value: Any) -> tuple[str, ...]:
    """Return names of people: texts, or objects with a name."""
    found: list[str] = []
    for one in value if isinstance(value, list) else [value]:
        known = one.get("name") or one.get("nickname") or one.get("id") if isinstance(one, dict) else one
        found += names_of(known)
    return tuple(found)


def _selectors(value: Any, depth: int = 0) -> list[dict[str, Any]]:
    """Return selectors, with those that refine others after them."""
    found: list[dict[str, Any]] = []
    for selector in _objects(value) if depth < _DEEPEST else ():
        found.append(selector)
        if "refinedBy" in selector:
            found += _selectors(selector["refinedBy"], depth + 1)
    return found


def _place(
    text: str | None, document: str, selectors: Sequence[Mapping[str, Any]], units: dict[str, UnitOffsets]
) -> tuple[int, int] | None:
    """Return start and end in characters: of the position if the quote is there, else of the quote."""
    position = next((one for one in selectors if one.get("type") == "TextPositionSelector"), {})
    quoted = next((one for one in selectors if one.get("type") == "TextQuoteSelector"), {})
    start, end = whole_of(position.get("start")), whole_of(position.get("end"))
    exact = quoted.get("exact")
    if text is None or not isinstance(exact, str) or not exact:
        return (start, end) if 0 <= start < end else None
    if 0 <= start < end:
        if text[start:end] == exact:
            return start, end
        offsets = units.setdefault(document, UnitOffsets(text))
        first, last = offsets.character(start), offsets.character(end)
        if first >= 0 and last >= 0 and text[first:last] == exact:
            return first, last
    return _find(text, exact, text_of(quoted.get("prefix")), text_of(quoted.get("suffix")), start)


def _find(text: str, exact: str, prefix: str, suffix: str, near: int) -> tuple[int, int] | None:
    """Return the place of a quote: with most of what is around it, then nearest to its position."""
    best: tuple[int, int, int] | None = None
    at = text.find(exact)
    while at >= 0:
        end = at + len(exact)
        fits = bool(prefix) * text.endswith(prefix, 0, at) + bool(suffix) * text.startswith(suffix, end)
        key = (-int(fits), abs(at - near) if near >= 0 else 0, at)
        best = key if best is None else min(best, key)
        at = text.find(exact, at + 1)
    return None if best is None else (best[2], best[2] + len(exact))


def write(judgments: Judgments, destination: Destination) -> dict[str, bytes]:
    """Return a list of annotations: one for each judgment, and one for each highlight."""
    texts = DocumentTexts(destination.corpus, "web-annotation")
    found: list[dict[str, Any]] = []
    for row in rows_of(judgments):
        text = texts.of(row) if row.spans else ""
        found.append(_annotation(row, row.document))
        for start, end in sorted(row.spans):
            around = {"prefix": text[max(start - _AROUND, 0) : start], "suffix": text[end : end + _AROUND]}
            quoted = {"type": "TextQuoteSelector", "exact": text[start:end], **around}
            position = {"type": "TextPositionSelector", "start": start, "end": end}
            target = {"source": row.document, "selector": [quoted, position]}
            found.append(_annotation(row, target))
    return as_list(found, "annotations.json", destination)


def _annotation(row: JudgedRow, target: Any) -> dict[str, Any]:
    tag = {"type": "TextualBody", "purpose": "tagging", "value": row.topic}
    grade = {"type": "TextualBody", "purpose": "assessing", "value": str(row.grade)}
    bodies = [tag, *([] if row.grade is None else [grade])]
    people = [{"type": "Person", "name": name} for name in row.assessors]
    who = {"creator": people[0] if len(people) == 1 else people} if people else {}
    when = {"created": row.time} if row.time else {}
    head = {"@context": _CONTEXT, "type": "Annotation", "motivation": "tagging"}
    return {**head, **who, **when, "body": bodies, "target": target}
