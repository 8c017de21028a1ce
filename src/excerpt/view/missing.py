"""What runs of a report missed, and why: by topic, and in all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from excerpt.errors import plural
from excerpt.measures import Measure
from excerpt.model.judgments import Judgments
from excerpt.model.spans import IntArray
from excerpt.model.texts import Texts
from excerpt.view.citing import funnel_note
from excerpt.view.ink import Ink
from excerpt.view.kept import Kept
from excerpt.view.library import Library
from excerpt.view.reaching import cutoff_of, reading_measure, reads_some
from excerpt.view.reasons import ELSEWHERE, LATER, OF_CHUNKS, REASONS, Passages, Returned, find_missed
from excerpt.view.topic_rows import Rows, rows_of
from excerpt.view.verdicts import whole

#: More text or more documents of a topic are not looked through for the words of a missed passage.
_MOST_TEXT = 4_000_000
_MOST_DOCUMENTS = 500
#: A rank stands before the last digit of what is told of a passage, which is the reason.
BASE = 10


@dataclass(eq=False)
class Missing:
    """The passages that runs missed, topic by topic, as far as one of the measures reads."""

    judgments: Judgments
    kept: Sequence[Kept]
    library: Library
    measures: Mapping[str, Measure]
    #: Topics with too much text to look whether the same words were read at another place.
    unsearched: set[int] = field(default_factory=set)
    _found: dict[int, IntArray] = field(default_factory=dict)

    @cached_property
    def measure(self) -> tuple[str, Measure]:
        """The measure that says how far results are read, with its name."""
        return reading_measure(self.measures)

    @cached_property
    def _ink(self) -> Ink:
        return Ink(Texts(self._text_of), self.library.names)

    def _text_of(self, name: str) -> str | None:
        return self.library.plain_text(self.library.numbers[name])

    def codes(self, topic: int) -> IntArray:
        """By run and passage of a topic: -1 where it was found, else the reason, with the rank before it."""
        if topic not in self._found:
            self._found[topic] = self._codes(topic)
        return self._found[topic]

    def of_topic(self, topic: int, passages: IntArray) -> dict[str, Any]:
        """Why each of the passages was missed, by run, and the same in words; with what was cited."""
        codes = self.codes(topic)
        notes = [[note_of(row, self.measure[1])] if len(row) else [] for row in codes]
        for lines, run in zip(notes, self.kept, strict=True):
            if run.funnel is not None:
                lines.append(funnel_note(run.funnel, topic))
        places = np.argsort(np.argsort(passages))  # all passages of the topic, in the order of its documents
        return {"why": list(codes[:, places]), "notes": notes}

    def _codes(self, topic: int) -> IntArray:
        spans, pairs = self.judgments.spans, self.judgments.pair_topic
        low, high = np.searchsorted(spans.group, np.searchsorted(pairs, (topic, topic + 1)))
        passages, runs = int(high - low), len(self.kept)
        found = np.full((runs, passages), -1, np.int64)
        if not passages:
            return found
        document = self.judgments.pair_document[spans.group[low:high]]
        wanted = Passages(
            np.repeat(np.arange(runs), passages),
            *(np.tile(column, runs) for column in (document, spans.start[low:high], spans.end[low:high])),
        )
        returned = self._returned(rows_of(self.kept, topic), topic)
        ink = Ink(Texts(self._text_of), self.library.names) if self.library.lazy else self._ink
        missed = find_missed(wanted, returned, ink, elsewhere=self._searched(returned, topic))
        rank = np.where(missed.reason == LATER, missed.rank, 0)
        found.flat[missed.passage] = BASE * rank + missed.reason
        return found

    def _returned(self, rows: Rows, topic: int) -> Returned:
        last = np.array([int(run.reach.results[topic]) for run in self.kept])[rows.run]
        clip = np.array([int(run.reach.last[topic]) for run in self.kept])[rows.run]
        read = np.where(rows.rank == last, np.minimum(clip, rows.length), rows.length)
        return Returned(
            *(rows.run, rows.document, rows.start, rows.start + rows.length, rows.rank),
            within=rows.rank <= last,
            until=rows.start + read,
        )

    def _searched(self, returned: Returned, topic: int) -> bool:
        """Whether what was read is looked through for the words of missed passages."""
        if self.library.corpus is None:
            return False
        numbers = np.unique(returned.document[returned.within])
        if len(numbers) <= _MOST_DOCUMENTS and int(self.library.reaches[numbers].sum()) <= _MOST_TEXT:
            return True
        self.unsearched.add(topic)
        return False

    def table(self, names: Sequence[str]) -> dict[str, Any]:
        """How many passages each run missed for which reason, for the overview."""
        every = [self.codes(topic) for topic in range(len(self.judgments.topics))]
        codes = np.concatenate([np.zeros((len(names), 0), np.int64), *every], axis=1)
        shown = [code for code, reason in enumerate(REASONS) if reason not in OF_CHUNKS and self._told(code)]
        counts = [[int(((row >= 0) & (row % BASE == code)).sum()) for code in shown] for row in codes]
        note = f"of {plural(codes.shape[1], 'passage')}, read as far as {self.measure[0]} reads"
        if self.library.corpus is not None:
            note += ", white space not counted"
        if self.unsearched:
            note += f"; in {plural(len(self.unsearched), 'topic')} nobody looked for the same text"
        return {
            "title": "Missed passages, and why",
            "note": note,
            "columns": ["Run", "Missed", *(_called(code, self.measure[1]) for code in shown)],
            "rows": [
                [name, whole(sum(row)), *map(whole, row)] for name, row in zip(names, counts, strict=True)
            ],
        }

    def _told(self, code: int) -> bool:
        """Whether a reason can be there at all."""
        if code == LATER:
            return reads_some(self.measure[1])
        return code != ELSEWHERE or self.library.corpus is not None


def _called(code: int, measure: Measure) -> str:
    if code != LATER:
        return REASONS[code][0].upper() + REASONS[code][1:]
    cutoff = cutoff_of(measure)
    return "At a later rank" if cutoff is None else f"At rank {cutoff + 1}…n"


def note_of(codes: IntArray, measure: Measure) -> str:
    """What a run missed of a topic, in a line."""
    missed = codes[codes >= 0] % BASE
    if not len(missed):
        return "No passage missed."
    counts = [(int((missed == code).sum()), code) for code in range(len(REASONS))]
    said = [f"{whole(count)} {_called(code, measure).lower()}" for count, code in counts if count]
    return f"{whole(len(missed))} of {plural(len(codes), 'passage')} missed: {', '.join(said)}."
