"""Ids of passages: patterns and tables of segments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from excerpt.errors import ExcerptError, FormatError, plural, short, short_list
from excerpt.files import Input, display_name, is_input
from excerpt.formats.source import Source
from excerpt.formats.text.json_lines import is_text
from excerpt.gold.file import parse_json
from excerpt.model.field_names import TEXTS, rename
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run, encode
from excerpt.model.spans import MAX_OFFSET, IntArray
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.corpus import Corpus


_IDS = ("id", "segment_id", "docid", "_id")
_TEXTS = ("segment", *TEXTS)
_HEAD = ["id", "document", "start", "end"]
_LAYOUT = "id document start end"


class Segment(NamedTuple):
    """A stretch of a document, and its text where the table has it."""

    document: str
    start: int
    end: int
    text: str | None = None


def read_segments(given: Input) -> dict[str, Segment]:
    """The table in a file."""
    source = Source.open(given, expected=f"a table of segments ({_LAYOUT})")
    in_json = source.starts_with(b"{")
    found: dict[str, Segment] = {}
    for number, line in enumerate(source.text.decode().split("\n"), 1):
        if not line.strip() or (number == 1 and line.split() == _HEAD):
            continue
        name, segment = _from_json(line) if in_json else _from_columns(line)
        if segment is None:
            raise FormatError(
                f"found {short(line.strip())!r}, expected {_LAYOUT}" + " as JSON" * in_json,
                path=source.name,
                line=number,
            )
        if found.setdefault(name, segment) != segment:
            raise FormatError(
                f"found segment {short(name)} again at another place, expected it once",
                path=source.name,
                line=number,
            )
    return found


def list_segments(given: Mapping[str, Any]) -> dict[str, Segment]:
    """Spans by id, as a caller gives them: (document, start, end), or dictionaries."""
    if not isinstance(given, Mapping):
        raise ExcerptError(
            f"found {short(repr(given))} as segments, expected a file, or (document, start, end) by id"
        )
    found = {}
    for name, value in given.items():
        segment = as_segment(value, str(name))
        if segment is None:
            raise ExcerptError(
                f"found {short(repr(value))} as segment {short(str(name))}, expected (document, start, end)"
            )
        found[str(name)] = segment
    return found


def as_segment(value: Any, name: str = "") -> Segment | None:
    """Document, start and end, or a dictionary of them, as a segment; None where it is none.

    >>> as_segment(["A", 0, 9]), as_segment({"doc_id": "A", "start": 9, "end": 0})
    (Segment(document='A', start=0, end=9, text=None), None)
    """
    if isinstance(value, Mapping):
        return _of_fields(value, name)
    good = isinstance(value, tuple | list) and len(value) == 3
    return _segment(*value) if good else None


def _from_columns(line: str) -> tuple[str, Segment | None]:
    columns = line.split("\t") if line.count("\t") == 3 else line.split()
    if len(columns) != 4 or not (columns[2].isdecimal() and columns[3].isdecimal()):
        return "", None
    return columns[0], _segment(columns[1], int(columns[2]), int(columns[3]))


def _from_json(line: str) -> tuple[str, Segment | None]:
    fields = parse_json(line)
    known = fields if isinstance(fields, dict) else {}
    own = next((key for key in _IDS if isinstance(known.get(key), str | int)), None)
    if own is None:
        return "", None
    name = str(fields[own])
    return name, _of_fields({key: value for key, value in fields.items() if key != own}, name)


def _of_fields(fields: Mapping[str, Any], name: str) -> Segment | None:
    known = rename(fields)
    document = known.get("document", name.partition("#")[0] if "#" in name else None)
    text = next((fields[key] for key in _TEXTS if isinstance(fields.get(key), str)), None)
    return _segment(document, known.get("start"), known.get("end"), text)


def _segment(document: Any, start: Any, end: Any, text: str | None = None) -> Segment | None:
    named = isinstance(document, str | int) and not isinstance(document, bool) and document != ""
    named = named and is_text(str(document))
    placed = type(start) is int and type(end) is int and 0 <= start <= end <= MAX_OFFSET
    return Segment(str(document), start, end, text) if named and placed else None


#: What may say where ids are: a table in a file, or spans by id; or one that was read.
Segments: TypeAlias = "Input | Mapping[str, Any] | Ids"
_GROUPS = ("document", "start", "end")
_SHOWN = 3
_EXAMPLE = r"(?P<document>.+)-(?P<start>\d+)-(?P<end>\d+)"


@dataclass(frozen=True)
class Ids:
    """How ids become documents with a place in them."""

    pattern: re.Pattern[str] | None = None
    segments: Mapping[str, Segment] | None = None
    #: Where the table was read from, for messages.
    table: str = ""

    @classmethod
    def of(cls, pattern: str | re.Pattern[str] | None, segments: Segments | None) -> Ids | None:
        """By a pattern with groups `document`, `start` and `end` (or `length`), by a table, or None."""
        if pattern is not None and segments is not None:
            raise ExcerptError(
                "found a pattern of ids and a table of segments, expected one of them",
                hint="leave ⟨id_pattern⟩ or ⟨segments⟩ out",
            )
        if pattern is not None:
            return cls(pattern=_compiled(pattern))
        if segments is None or isinstance(segments, Ids):
            return segments
        if is_input(segments):
            return cls(segments=read_segments(segments), table=display_name(segments))
        return cls(segments=list_segments(cast("Mapping[str, Any]", segments)))

    def find(self, name: str) -> Segment | None:
        """The place that an id means; None where it means none."""
        if self.segments is not None:
            return self.segments.get(name)
        assert self.pattern is not None
        found = self.pattern.fullmatch(name)
        if found is None:
            return None
        groups = found.groupdict()
        start = _number(groups["start"])
        length = _number(groups.get("length"))
        end = _number(groups.get("end")) if groups.get("end") or length < 0 else start + length
        if not groups["document"] or not 0 <= start <= end <= 2 * MAX_OFFSET:
            return None
        return Segment(groups["document"], start, end)

    def find_all(self, names: Sequence[str], source: str, *, needed: bool = True) -> list[Segment] | None:
        """The places of all ids; None where none has one and they are not `needed`, else an error."""
        found = [self.find(name) for name in names]
        lacking = [name for name, place in zip(names, found, strict=True) if place is None]
        if not needed and len(lacking) == len(names):
            return None
        if lacking:
            wanted = (
                f"ids that match {short(self.pattern.pattern)}"
                if self.pattern is not None
                else f"ids of the table of segments {self.table}".rstrip()
            )
            raise ExcerptError(
                f"found {plural(len(lacking), 'id')} of {len(names)} such as {short_list(lacking, _SHOWN)}, "
                f"expected {wanted}",
                path=source or None,
            )
        return [place for place in found if place is not None]

    def place_run(self, run: Run, corpus: Corpus | None, notices: Notices) -> Run:
        """A run of whole documents as one of passages; one that has places stays as it is, which is said."""
        if run.kind != "documents" or run.whole:
            notices.add("ids were left as they are, since the run has places", where=run.source or run.name)
            return run
        places = self.find_all(run.documents, run.source or run.name)
        assert places is not None
        _verify(run.documents, places, corpus, run.source or run.name)
        documents, document, start, end = _columns(places)
        return replace(
            run,
            documents=documents,
            document=document[run.document],
            start=start[run.document],
            end=end[run.document],
            kind="spans",
        )

    def place_judgments(self, judgments: Judgments, corpus: Corpus | None) -> Judgments:
        """Judgments of whole documents as such of passages, unless none of their ids has a place."""
        if judgments.scale != "documents":
            return judgments
        places = self.find_all(judgments.documents, judgments.source, needed=False)
        if places is None:
            return judgments
        _verify(judgments.documents, places, corpus, judgments.source)
        documents, document, start, end = _columns(places)
        relevant = judgments.relevant_by_pair > 0
        pair, unknown = judgments.pair_document, np.full(len(judgments), -1, np.int64)
        return Judgments.collect(
            judgments.topics,
            documents,
            judgments.pair_topic,
            document[pair],
            np.where(relevant, start[pair], 0),
            np.where(relevant, end[pair], 0),
            size=unknown,
            entry=unknown,
            source=judgments.source,
            questions=judgments.questions,
        )


def _verify(names: Sequence[str], places: Sequence[Segment], corpus: Corpus | None, source: str) -> None:
    """An error where the text that a table has of a segment is not that of the corpus."""
    told = [(name, place) for name, place in zip(names, places, strict=True) if place.text is not None]
    if corpus is None or not told:
        return
    wrong = [
        name
        for name, place in told
        if (text := corpus.get(place.document)) is not None and text[place.start : place.end] != place.text
    ]
    if wrong:
        raise ExcerptError(
            f"found {plural(len(wrong), 'segment')} of {len(told)} whose text is not that of the corpus, "
            f"such as {short_list(wrong, _SHOWN)}, expected offsets of the same text",
            path=source or None,
            hint="they may have been made from another version of the documents",
        )


def _columns(places: Sequence[Segment]) -> tuple[tuple[str, ...], IntArray, IntArray, IntArray]:
    documents, document = encode([place.document for place in places])
    start = np.array([place.start for place in places], np.int64)
    end = np.array([place.end for place in places], np.int64)
    return documents, document, start, end


def _compiled(pattern: str | re.Pattern[str]) -> re.Pattern[str]:
    try:
        found = re.compile(pattern)
    except (re.error, TypeError) as error:
        raise ExcerptError(
            f"found {short(repr(pattern))} as pattern of ids, expected a regular expression ({error})"
        ) from None
    lacking = [name for name in _GROUPS if name not in found.groupindex]
    if "length" in found.groupindex and lacking == ["end"]:
        lacking = []
    if lacking or not isinstance(found.pattern, str):
        raise ExcerptError(
            f"found a pattern of ids without {short_list([f'(?P<{name}>…)' for name in lacking])}, "
            f"expected one such as {_EXAMPLE}"
        )
    return found


def _number(text: str | None) -> int:
    """A number, -1 where the text is none."""
    return int(text) if text and text.isdecimal() and len(text) <= len(str(MAX_OFFSET)) else -1
