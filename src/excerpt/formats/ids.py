"""Ids of passages: where each is, by a pattern of the ids or by a table of segments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from excerpt.errors import ExcerptError, plural, short, short_list
from excerpt.files import Input, display_name, is_input
from excerpt.formats.segments import Segment, list_segments, read_segments
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run, encode
from excerpt.model.spans import MAX_OFFSET, IntArray
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.corpus import Corpus

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
