"""Texts labelled in doccano: JSON Lines, of which each annotator has a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from excerpt.bridges.exchange import (
    LABEL,
    Destination,
    DocumentTexts,
    Exchange,
    Mark,
    ToolText,
    mapping_of,
    metadata,
    objects_of,
    rows_of,
    stem,
    text_of,
    whole_of,
)
from excerpt.formats.source import Source
from excerpt.formats.writer import write_object

if TYPE_CHECKING:
    from excerpt.model.judgments import Judgments


def read(exchange: Exchange, sources: Sequence[Source]) -> None:
    """Read files; a file of a folder is that of the annotator after whom it is named."""
    for source in sources:
        owner = (stem(source.name),) if len(sources) > 1 else ()
        for line, item in objects_of(source):
            given = metadata({**mapping_of(item.get("meta")), **mapping_of(item.get("metadata")), **item})
            given["assessors"] = given["assessors"] or owner
            text = item.get("text")
            if not isinstance(text, str):
                source.faults.add(line, "key text is missing, expected the text that was labelled")
                continue
            marks = list(_marks(source, line, item))
            relations = len(item.get("relations") or ())
            exchange.leave_out("relation is no highlight", "relations are no highlights", relations)
            name = text_of(item.get("id")) or str(line)
            exchange.add(ToolText(line, marks, text, name=name, **given))
        if source is not sources[0]:
            source.faults.settle()


def _marks(source: Source, line: int, item: Mapping[str, Any]) -> Iterator[Mark]:
    """Yield the labels of a text, in the forms of all versions."""
    for key in ("label", "labels", "entities", "annotations"):
        given = item.get(key)
        for value in given if isinstance(given, list) else ():
            if isinstance(value, Mapping):
                fields = [value.get("start_offset"), value.get("end_offset"), value.get("label")]
            else:
                fields = value if isinstance(value, list) and len(value) == 3 else [None] * 3
            start, end = whole_of(fields[0]), whole_of(fields[1])
            if start < 0 or end < 0:
                source.faults.add(line, f"found label {value!r:.60}, expected start, end and a label")
            else:
                yield Mark(start, end, text_of(fields[2]))


def write(judgments: Judgments, destination: Destination) -> dict[str, bytes]:
    """Return JSON Lines: one file, or one for each assessor in a folder."""
    texts = DocumentTexts(destination.corpus, "doccano")
    files: dict[str, list[bytes]] = {}
    for number, row in enumerate(rows_of(judgments), 1):
        labels = [[start, end, LABEL] for start, end in sorted(row.spans)]
        item = {"id": number, "text": texts.of(row), "label": labels, "topic": row.topic}
        item |= {"document": row.document, **row.known()}
        judge = quote(row.judge or "all", safe=" @+,").replace(".", "%2E")
        files.setdefault(f"{judge}.jsonl" if destination.folder else "", []).append(write_object(item))
    return {name: b"".join(lines) for name, lines in files.items()}
