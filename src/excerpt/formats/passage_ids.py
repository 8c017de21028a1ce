"""Passage ids mapped to spans, by a pattern or by a table of segments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from excerpt.errors import ExcerptError, FormatError, plural, short, short_list
from excerpt.files import Input, display_name, is_input
from excerpt.formats.source import Source
from excerpt.model.judgments import Judgments, collect_judgments
from excerpt.model.run import Run, encode
from excerpt.model.spans import MAX_OFFSET, UNKNOWN, IntArray
from excerpt.notices import Notices
from excerpt.records.record import Odd, as_whole, by_role, is_text
from excerpt.records.spellings import RowKeys

if TYPE_CHECKING:
    from excerpt.corpus import Corpus


_WORDS = RowKeys("segment")
_HEAD = ["id", "document", "start", "end"]
_LAYOUT = "id document start end"


class Segment(NamedTuple):
    """A span of a document, and its text if the table has it."""

    document: str
    start: int
    end: int
    text: str | None = None


def read_segments(given: Input) -> dict[str, Segment]:
    """Read a table of segments from a file: four columns, or records in any form."""
    source = Source.open(given, expected=f"a table of segments ({_LAYOUT})")
    in_columns = source.form == "columns"
    segments: dict[str, Segment] = {}
    for number, row in _lines(source.text.decode()) if in_columns else source.objects("segment"):
        name, segment = _from_columns(row) if isinstance(row, str) else _from_fields(row)
        if segment is None:
            found = row.strip() if isinstance(row, str) else json.dumps(row, default=str)
            message = f"found {short(found)!r}, expected {_LAYOUT}" + " as JSON" * (not in_columns)
            raise FormatError(message, path=source.name, line=number, hint="such as p1 doc7 120 420")
        if segments.setdefault(name, segment) != segment:
            message = f"found segment {short(name)} again with another span, expected it once"
            raise FormatError(message, path=source.name, line=number, hint="keep one of the lines")
    source.faults.settle()
    return segments


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and (number > 1 or line.split() != _HEAD):
            yield number, line


def list_segments(given: Mapping[str, Any]) -> dict[str, Segment]:
    """Return segments by id from (document, start, end), or from dictionaries."""
    if not isinstance(given, Mapping):
        expected = "a file, or (document, start, end) by id"
        raise ExcerptError(f"found {short(repr(given))} as segments, expected {expected}")
    segments = {}
    for name, value in given.items():
        try:
            segment = as_segment(value, str(name))
            found = f"{short(repr(value))} as segment {short(str(name))}"
        except ValueError:  # Python writes no such numbers
            segment, found = None, "a segment with a number of thousands of digits"
        if segment is None:
            raise ExcerptError(f"found {found}, expected (document, start, end)")
        segments[str(name)] = segment
    return segments


def as_segment(value: Any, name: str = "") -> Segment | None:
    """Return a segment from document, start and end, or from a dictionary of them; None if invalid.

    >>> as_segment(["A", 0, 9]), as_segment({"doc_id": "A", "start": 9, "end": 0})
    (Segment(document='A', start=0, end=9, text=None), None)
    """
    if isinstance(value, Mapping):
        return _of_fields(value, name)
    good = isinstance(value, tuple | list) and len(value) == 3
    return _segment(*value) if good else None


def _from_columns(line: str) -> tuple[str, Segment | None]:
    columns = line.split("\t") if line.count("\t") == 3 else line.split()
    if len(columns) != 4:
        return "", None
    start, end = _number(columns[2]), _number(columns[3])
    return columns[0], None if UNKNOWN in (start, end) else _segment(columns[1], start, end)


def _from_fields(fields: Mapping[str, Any]) -> tuple[str, Segment | None]:
    id_key = next((key for key in _WORDS.roles["id"] if isinstance(fields.get(key), str | int)), None)
    if id_key is None:
        return "", None
    name = str(fields[id_key])
    return name, _of_fields({key: value for key, value in fields.items() if key != id_key}, name)


def _of_fields(fields: Mapping[str, Any], name: str) -> Segment | None:
    values = by_role(fields, _WORDS)
    document = values.get("document", name.partition("#")[0] if "#" in name else None)
    text = values.get("text")
    text = text if isinstance(text, str) else None
    return _segment(document, values.get("start"), values.get("end"), text)


def _segment(document: Any, start: Any, end: Any, text: str | None = None) -> Segment | None:
    named = isinstance(document, str | int) and not isinstance(document, bool) and document != ""
    named = named and is_text(str(document))
    try:
        start, end = as_whole(start), as_whole(end)
    except Odd:
        return None
    return Segment(str(document), start, end, text) if named and start <= end else None


#: Anything that maps ids to spans: a file, spans by id, or a mapping that was read before.
SegmentTable: TypeAlias = "Input | Mapping[str, Any] | PassageIds"
_GROUPS = ("document", "start", "end")
_SHOWN = 3
_EXAMPLE = r"(?P<document>.+)-(?P<start>\d+)-(?P<end>\d+)"


@dataclass(frozen=True)
class PassageIds:
    """Mapping of passage ids to spans of documents, by a pattern or by a table."""

    pattern: re.Pattern[str] | None = None
    segments: Mapping[str, Segment] | None = None
    #: The file of the table, for messages.
    table: str = ""

    @classmethod
    def of(cls, pattern: str | re.Pattern[str] | None, segments: SegmentTable | None) -> PassageIds | None:
        """Return the mapping by a pattern (groups `document`, `start`, `end` or `length`) or by a table."""
        if pattern is not None and segments is not None:
            message = "a pattern of ids and a table of segments cannot be combined"
            raise ExcerptError(message, hint="leave ⟨id_pattern⟩ or ⟨segments⟩ out")
        if pattern is not None:
            return cls(pattern=_compiled(pattern))
        if segments is None or isinstance(segments, PassageIds):
            return segments
        if is_input(segments):
            return cls(segments=read_segments(segments), table=display_name(segments))
        return cls(segments=list_segments(cast("Mapping[str, Any]", segments)))

    def find(self, name: str) -> Segment | None:
        """Return the span of an id; None if it has none."""
        if self.segments is not None:
            return self.segments.get(name)
        assert self.pattern is not None
        match = self.pattern.fullmatch(name)
        if match is None:
            return None
        groups = match.groupdict()
        start = _number(groups["start"])
        length = _number(groups.get("length"))
        end = _number(groups.get("end")) if groups.get("end") or length < 0 else start + length
        if not groups["document"] or not 0 <= start <= end <= 2 * MAX_OFFSET:
            return None
        return Segment(groups["document"], start, end)

    def find_all(self, names: Sequence[str], source: str, *, needed: bool = True) -> list[Segment] | None:
        """Return the spans of all ids; None if no id has one and none is `needed`. Raise if some lack one."""
        segments = [self.find(name) for name in names]
        unplaced = [name for name, segment in zip(names, segments, strict=True) if segment is None]
        if not needed and len(unplaced) == len(names):
            return None
        if unplaced:
            fault = f"missing in the table of segments {self.table}".rstrip()
            fault = fault if self.pattern is None else f"not matched by {short(self.pattern.pattern)}"
            count = f"{len(unplaced)} of {plural(len(names), 'id')} {'is' if len(unplaced) == 1 else 'are'}"
            raise ExcerptError(f"{count} {fault}: {short_list(unplaced, _SHOWN)}", path=source or None)
        return [segment for segment in segments if segment is not None]

    def place_run(self, run: Run, corpus: Corpus | None, notices: Notices) -> Run:
        """Return a run of passages from a run of passage ids; warn if the run has offsets already."""
        if run.kind != "documents" or run.whole:
            message = "the run has offsets already; its ids are not mapped to spans"
            notices.add(message, where=run.source or run.name)
            return run
        segments = self.find_all(run.documents, run.source or run.name)
        assert segments is not None
        _verify(run.documents, segments, corpus, run.source or run.name)
        documents, *columns = _columns(segments)
        document, start, end = (column[run.document_code] for column in columns)
        return replace(run, documents=documents, document_code=document, start=start, end=end, kind="spans")

    def place_judgments(self, judgments: Judgments, corpus: Corpus | None) -> Judgments:
        """Return judgments of passages from judgments of passage ids, unless no id has a span."""
        if judgments.scale != "documents":
            return judgments
        segments = self.find_all(judgments.documents, judgments.source, needed=False)
        if segments is None:
            return judgments
        _verify(judgments.documents, segments, corpus, judgments.source)
        documents, document, start, end = _columns(segments)
        relevant = judgments.relevant_by_pair > 0
        pair = judgments.pair_document
        return collect_judgments(
            judgments.topics,
            documents,
            judgments.pair_topic,
            document[pair],
            np.where(relevant, start[pair], 0),
            np.where(relevant, end[pair], 0),
            source=judgments.source,
            questions=judgments.questions,
        )


def _verify(names: Sequence[str], segments: Sequence[Segment], corpus: Corpus | None, source: str) -> None:
    quoted = [(name, one) for name, one in zip(names, segments, strict=True) if one.text is not None]
    if corpus is None or not quoted:
        return
    wrong = [
        name
        for name, one in quoted
        if (text := corpus.get(one.document)) is not None and text[one.start : one.end] != one.text
    ]
    if wrong:
        raise ExcerptError(
            f"the text of {len(wrong)} of {plural(len(quoted), 'segment')} differs from the corpus "
            f"(such as {short_list(wrong, _SHOWN)})",
            path=source or None,
            hint="were the segments made from another version of the documents?",
        )


def _columns(segments: Sequence[Segment]) -> tuple[tuple[str, ...], IntArray, IntArray, IntArray]:
    documents, document = encode([segment.document for segment in segments])
    start = np.array([segment.start for segment in segments], np.int64)
    end = np.array([segment.end for segment in segments], np.int64)
    return documents, document, start, end


def _compiled(pattern: str | re.Pattern[str]) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError) as error:
        raise ExcerptError(
            f"found {short(repr(pattern))} as pattern of ids, expected a regular expression ({error})"
        ) from None
    missing = [name for name in _GROUPS if name not in compiled.groupindex]
    if "length" in compiled.groupindex and missing == ["end"]:
        missing = []
    if missing or not isinstance(compiled.pattern, str):
        raise ExcerptError(
            f"found a pattern of ids without {short_list([f'(?P<{name}>…)' for name in missing])}, "
            f"expected one such as {_EXAMPLE}"
        )
    return compiled


def _number(text: str | None) -> int:
    """Return the number that a text spells; -1 if it is no offset."""
    digits = text.lstrip("0") if text and text.isdecimal() else "-1"
    return int(digits or 0) if len(digits) <= len(str(MAX_OFFSET)) else -1
