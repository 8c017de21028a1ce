"""Tasks of Label Studio with highlighted text: annotations as judgments, predictions as suggestions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from excerpt.bridges.exchange import (
    LABEL,
    Destination,
    DocumentTexts,
    Exchange,
    Mark,
    ToolText,
    UnitOffsets,
    as_list,
    grade_of,
    grouped,
    mapping_of,
    metadata,
    names_of,
    objects_of,
    rows_of,
    text_of,
    whole_of,
)
from excerpt.errors import json_text
from excerpt.formats.source import Source

if TYPE_CHECKING:
    from excerpt.bridges.judged_rows import JudgedRow
    from excerpt.model.judgments import Judgments

#: Types of results that highlight text.
_TEXT, _HYPERTEXT = ("labels", "hypertextlabels")
#: Types of results that grade a whole task, with the key of their value.
_GRADES = {"number": "number", "rating": "rating", "choices": "choices"}


def read(exchange: Exchange, sources: Sequence[Source]) -> None:
    """Read tasks; annotations that were cancelled are counted, predictions read only if asked for."""
    for source in sources:
        for line, task in objects_of(source):
            _add_task(exchange, source, line, task)
        source.faults.settle()


def _add_task(exchange: Exchange, source: Source, line: int, task: Mapping[str, Any]) -> None:
    data = task.get("data")
    if not isinstance(data, Mapping):
        source.faults.add(line, "key data is missing, expected the data of a task")
        return
    given = metadata({**mapping_of(data.get("meta")), **data})
    texts = (data.get(key) for key in ("text", "content", "dialogue"))
    text = next((one for one in texts if isinstance(one, str)), None)
    annotations = _list(task.get("annotations")) or _list(task.get("completions"))
    predicted = _list(task.get("predictions"))
    predictions = exchange.predictions
    if not predictions:
        exchange.leave_out("prediction is no judgment", "predictions are no judgments", len(predicted))
    for one in predicted if predictions else annotations:
        if one.get("was_cancelled"):
            exchange.leave_out("annotation was cancelled", "annotations were cancelled")
            continue
        who = names_of(one.get("model_version")) if predictions else _who(one.get("completed_by"))
        meta = metadata(mapping_of(one.get("meta")))
        found = _Found(exchange, source, line, text, given["document"])
        marks, grade = list(found.marks(_list(one.get("result")))), found.grade
        own = None if found.hypertext else text
        grade = given["grade"] if grade is None else grade
        who = meta["assessors"] or given["assessors"] or who
        time = meta["time"] or text_of(one.get("updated_at")) or text_of(one.get("created_at"))
        names = given["document"], text_of(task.get("id")), meta["topic"] or given["topic"]
        exchange.add(ToolText(line, marks, own, *names, grade, who, time or given["time"]))


def _list(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _who(value: Any) -> tuple[str, ...]:
    """Return the annotator: a number, or an object with an address or a number."""
    if isinstance(value, Mapping):
        return names_of(value.get("email") or value.get("username") or value.get("id"))
    return names_of(value)


class _Found:
    """Results of one annotation."""

    def __init__(
        self, exchange: Exchange, source: Source, line: int, text: str | None, document: str
    ) -> None:
        self._exchange, self._source, self._line = exchange, source, line
        self._text, self._document = text, document
        self.hypertext = False
        self.grade: int | None = None

    def marks(self, results: Sequence[Mapping[str, Any]]) -> Iterator[Mark]:
        """Yield the highlights of text; keep the grade; count other results."""
        for result in results:
            kind, value = text_of(result.get("type")).lower(), mapping_of(result.get("value"))
            if kind in {_TEXT, _HYPERTEXT} or "hypertextlabels" in value:
                yield from self._mark(value)
            elif kind in _GRADES:
                given = value.get(_GRADES[kind])
                grade = grade_of(given[0] if isinstance(given, list) and given else given)
                self.grade = grade if grade is not None else self.grade
            else:
                one, many = "result is neither labelled text nor a grade", "results are neither labelled text"
                self._exchange.leave_out(one, f"{many} nor grades")

    def _mark(self, value: Mapping[str, Any]) -> Iterator[Mark]:
        offsets = mapping_of(value.get("globalOffsets"))
        text = self._text
        if offsets:  # of the visible text, which is that of the corpus
            self.hypertext = True
            text = self._source.text_of(self._document) if self._document else None
        start, end = (whole_of((offsets or value).get(key)) for key in ("start", "end"))
        if start < 0 or end < 0:
            message = f"found highlight {json_text(dict(value)):.80}, expected a start and an end in the text"
            self._source.faults.add(self._line, message)
            return
        start, end = self._place(text, start, end, value.get("text"))
        if end < 0:
            one, many = "highlight is not at its offsets", "highlights are not at their offsets"
            self._exchange.leave_out(one, many)
            return
        labels = value.get("labels") or value.get("hypertextlabels") or [""]
        for label in labels if isinstance(labels, list) else [labels]:
            yield Mark(start, end, text_of(label))

    def _place(self, text: str | None, start: int, end: int, quote: Any) -> tuple[int, int]:
        """Return the offsets in characters: as they are if the quote is there, else from UTF-16 units."""
        if text is None or not isinstance(quote, str) or text[start:end] == quote:
            return start, end
        units = UnitOffsets(text)
        first, last = units.character(start), units.character(end)
        quotes = {quote, quote.replace("\\n", "\n")}
        if first >= 0 and last >= 0 and text[first:last] in quotes:
            return first, last
        return (start, end) if text[start:end] in quotes else (-1, -1)


def write(judgments: Judgments, destination: Destination) -> dict[str, bytes]:
    """Return one JSON file: a task for each document and topic, an annotation for each judge."""
    texts = DocumentTexts(destination.corpus, "label-studio")
    tasks: dict[tuple[str, str], list[JudgedRow]] = {}
    for rows in grouped(rows_of(judgments)).values():
        for row in rows:
            tasks.setdefault((row.document, row.topic), []).append(row)
    found = []
    for number, ((document, topic), rows) in enumerate(tasks.items(), 1):
        data = {"text": texts.of(max(rows, key=_end)), "topic": topic, "document": document}
        annotations = [_annotation(at, row, texts.of(row)) for at, row in enumerate(rows, 1)]
        found.append({"id": number, "data": data, "annotations": annotations, "predictions": []})
    return as_list(found, "tasks.json", destination)


def _end(row: JudgedRow) -> int:
    return max((end for _, end in row.spans), default=0)


def _annotation(number: int, row: JudgedRow, text: str) -> dict[str, Any]:
    def result(at: object, name: str, kind: str, **value: Any) -> dict[str, Any]:
        head = {"id": f"{number}-{at}", "from_name": name, "to_name": "text", "type": kind}
        return {**head, "value": value}

    results = [
        result(at, "label", "labels", start=start, end=end, text=text[start:end], labels=[LABEL])
        for at, (start, end) in enumerate(sorted(row.spans), 1)
    ]
    results += [] if row.grade is None else [result("grade", "grade", "number", number=row.grade)]
    meta = row._replace(grade=None).known()
    who = {"completed_by": {"email": row.judge}} if row.assessors else {}
    when = {"created_at": row.time, "updated_at": row.time} if row.time else {}
    return {"id": number, **who, **when, "result": results, "was_cancelled": False, "meta": meta}
