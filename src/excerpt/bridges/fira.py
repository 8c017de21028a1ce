"""Raw judgments of FiRA: grades of documents by several people, with ranges of characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from excerpt.bridges.exchange import (
    Destination,
    Exchange,
    Mark,
    ToolText,
    UnitOffsets,
    as_moment,
    as_seconds,
    cannot_hold,
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
    from excerpt.corpus import Corpus
    from excerpt.model.judgments import Judgments

_LEVELS = {
    -1: "-1_MISLEADING_ANSWER",
    0: "0_NOT_RELEVANT",
    1: "1_TOPIC_RELEVANT_DOES_NOT_ANSWER",
    2: "2_GOOD_ANSWER",
    3: "3_PERFECT_ANSWER",
}
_NONE = "<no ranges selected>"
_COLUMNS = (
    *("id", "relevanceLevel", "relevanceCharacterRanges", "durationUsedToJudgeMs", "judgedAtUnixTS"),
    *("documentId", "queryId", "userId"),
)


def read(exchange: Exchange, sources: Sequence[Source]) -> None:
    """Read judgments; the last character of a range is part of it."""
    for source in sources:
        units: dict[str, UnitOffsets] = {}
        for line, row in _judgments(source):
            level = re.match(r"(-?\d{1,9})(_|$)", text_of(row.get("relevanceLevel")))
            document, topic = text_of(row.get("documentId")), text_of(row.get("queryId"))
            if level is None or not document or not topic:
                found = {key: row.get(key) for key in ("relevanceLevel", "documentId", "queryId")}
                expected = "expected a level such as 2_GOOD_ANSWER, and both ids"
                source.faults.add(line, f"found {found!r:.90}, {expected}")
                continue
            text = source.text_of(document)
            if text is not None and document not in units:
                units[document] = UnitOffsets(text)
            marks = list(_marks(source, line, row, units.get(document)))
            who, time = names_of(row.get("userId")), as_moment(row.get("judgedAtUnixTS"))
            exchange.add(ToolText(line, marks, text, document, "", topic, int(level[1]), who, time))
        source.faults.settle()


def _judgments(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if source.form == "table":
        lines = source.text.decode().split("\n")
        names = lines[0].split("\t")
        if "relevanceCharacterRanges" not in names:
            raise FormatError("found no column relevanceCharacterRanges", path=source.name, line=1)
        for number, line in enumerate(lines[1:], 2):
            cells = line.split("\t")
            if line.strip() and len(cells) != len(names):
                source.faults.add(number, f"found {len(cells)} columns, expected {len(names)}")
            elif line.strip():
                yield number, dict(zip(names, cells, strict=True))
        return
    whole = None if source.is_list else records.parse_json(source.text)
    if isinstance(whole, Mapping) and isinstance(whole.get("judgements"), list):
        yield from enumerate((one for one in whole["judgements"] if isinstance(one, Mapping)), 1)
    else:
        yield from objects_of(source)


def _marks(source: Source, line: int, row: Mapping[str, Any], units: UnitOffsets | None) -> Iterator[Mark]:
    given = row.get("relevanceCharacterRanges")
    ranges: list[Any] = given if isinstance(given, list) else []
    if isinstance(given, str) and given.strip() not in {"", _NONE}:
        ranges = given.strip().strip(";").split(";")
    for one in ranges:
        if isinstance(one, Mapping):
            start, last = whole_of(one.get("startChar")), whole_of(one.get("endChar"))
        else:
            found = re.fullmatch(r"(\d{1,10})-(\d{1,10})", one.strip()) if isinstance(one, str) else None
            start, last = (int(found[1]), int(found[2])) if found else (-1, -1)
        end = last + 1
        if units is not None and start >= 0:
            start, after = units.character(start), units.character(end)
            end = units.character(end + 1) if after < 0 else after  # the first half of a character
        if start < 0 or end <= start:
            source.faults.add(
                line, f"found range {one!r:.40}, expected a start and a last character in the text"
            )
        else:
            yield Mark(start, end)


def write(judgments: Judgments, destination: Destination) -> dict[str, bytes]:
    """Return a table with a row for each judgment."""
    lines = ["\t".join(_COLUMNS)]
    none, other, when = "no grade (1 with highlights, else 0)", "another grade than -1 to 3", "a time"
    counts = dict.fromkeys((none, other, when), 0)
    for number, row in enumerate(rows_of(judgments), 1):
        level = _LEVELS[max(min(row.level, 3), -1)]
        seconds = as_seconds(row.time) if row.time else None
        counts[none] += row.grade is None
        counts[other] += row.level not in _LEVELS
        counts[when] += bool(row.time) and seconds is None
        moment = "" if seconds is None else str(seconds)
        cells = [str(number), level, _ranges(row, destination.corpus), "", moment]
        names = (row.document, row.topic, row.judge)
        lines.append("\t".join([*cells, *(" ".join(name.split()) for name in names)]))
    cannot_hold(destination.notices, "fira", counts)
    content = ("\n".join(lines) + "\n").encode(errors="replace")
    return {"judgements.tsv" if destination.folder else "": content}


def _ranges(row: JudgedRow, corpus: Corpus | None) -> str:
    text = corpus.get(row.document) if corpus is not None and row.spans else None
    spans = sorted(row.spans)
    if text is not None and all(end <= len(text) for _, end in spans):
        units = UnitOffsets(text)
        spans = [(units.unit(start), units.unit(end)) for start, end in spans]
    return ";".join(f"{start}-{end - 1}" for start, end in spans) or _NONE
