"""Runs of chunks: lookup of the chunk, and thus the position, of each result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, plural, short
from excerpt.model.run import Run, encode, is_frame
from excerpt.model.spans import FloatArray, IntArray
from excerpt.notices import Gathering, Notices
from excerpt.placing import chunk_rows
from excerpt.placing.chunks import Chunks
from excerpt.records.objects import frame_rows, unwrap
from excerpt.records.record import list_names, name_of, show_given
from excerpt.records.spellings import ROLES

_QUESTIONS = (*ROLES["result"]["topic"], *ROLES["result"]["question"])
#: Number that fills rows of results.
NO_RESULT = -1
_ONE_OF = "number, text or unique id of a chunk, or a framework's result, optionally in a pair with its score"
_DROPPED = (
    "result is a chunk that does not occur in its document, and is left out",
    "results are chunks that do not occur in their documents, and are left out",
)
_SEVERAL = (
    "result has the text of several chunks; the chunks are taken in order",
    "results have the text of several chunks; the chunks are taken in order",
)
_OTHER_TEXT = (
    "result has the id of a chunk but another text; it counts as the complete chunk",
    "results have the ids of chunks but other texts; they count as the complete chunks",
)


class Finder:
    """Finder of the chunks that results refer to; chunks that were left out come after the others."""

    def __init__(self, chunks: Chunks) -> None:
        self._count, self._key = len(chunks), chunks.text_key
        self._parts = [chunks] if chunks.left_out is None else [chunks, chunks.left_out]
        #: Warnings, each with the questions of the results that it is about.
        self._warnings: dict[tuple[str, str], list[str]] = {_DROPPED: [], _SEVERAL: [], _OTHER_TEXT: []}

    def find(self, items: Any, where: str) -> tuple[IntArray, FloatArray]:
        """Find the chunks of the results of a question, -1 for no result; return their rows and scores."""
        if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
            raise ExcerptError(f"found {short(repr(items))} as the results of {where}, expected a list")
        if isinstance(items, np.ndarray) and items.dtype.kind in "iu" and items.ndim == 1:
            return self._numbers(items.astype(np.int64), where), np.full(len(items), np.nan)
        taken: dict[str, int] = {}
        rows, scores = [], []
        for item in items:
            try:
                chunk, number = _pair(item)
                rows.append(self._row(chunk, taken, where))
            except ExcerptError as error:
                raise ExcerptError(f"{error.message} ({where})", hint=error.hint) from None
            scores.append(np.nan if number is None else number)
        return np.array(rows, np.int64), np.array(scores, np.float64)

    def _numbers(self, numbers: IntArray, where: str) -> IntArray:
        wrong = (numbers < NO_RESULT) | (numbers >= self._count)
        if wrong.any():
            expected = f"0 to {self._count - 1}" if self._count else "no results: there are no chunks"
            raise ExcerptError(f"found chunk number {numbers[wrong][0]} ({where}), expected {expected}")
        return numbers

    def _row(self, item: object, taken: dict[str, int], where: str) -> int:
        if isinstance(item, Integral) and not isinstance(item, bool):
            return int(self._numbers(np.array([int(item)]), "as a result")[0])
        row = self._table.objects.get(id(unwrap(item)), NO_RESULT)
        if row == NO_RESULT:
            row = self._by_text_or_id(item, taken, where)
        if row < self._count:
            return row
        self._warnings[_DROPPED].append(where)
        return NO_RESULT

    def _by_text_or_id(self, item: object, taken: dict[str, int], where: str) -> int:
        text = (
            item if isinstance(item, str) else chunk_rows.text_of(item, self._key) or chunk_rows.text_of(item)
        )
        name = item if isinstance(item, str) else chunk_rows.id_of(item)
        rows = [] if text is None else self._table.texts.get(text, [])
        if len(rows) > 1 and not isinstance(item, str):
            rows = self._most_similar(item, rows)
        if len(rows) > 1:
            self._warnings[_SEVERAL].append(where)
            turn = taken[str(text)] = taken.get(str(text), -1) + 1
            return rows[min(turn, len(rows) - 1)]
        if rows:
            return rows[0]
        only_id = name is not None and (text is None or isinstance(item, str))
        row = self._table.ids.get(name or "", NO_RESULT)
        if row != NO_RESULT and (only_id or self._table.own[row]):  # a number does not prove another text
            if not only_id:
                self._warnings[_OTHER_TEXT].append(where)
            return row
        found = repr(short(str(name))) if only_id else show_given(item)
        raise ExcerptError(f"found {found} as a result, expected a {_ONE_OF}")

    @cached_property
    def _table(self) -> _ChunkTable:
        return _ChunkTable.of(self._parts)

    def _most_similar(self, item: object, rows: list[int]) -> list[int]:
        """Of chunks with the same text those most similar to a result: by id, document, start, metadata."""
        table = self._table
        name, start = chunk_rows.id_of(item), chunk_rows.value_of(item, "start")
        documents, metadata = chunk_rows.documents_of(item), chunk_rows.metadata_of(item)
        tests: tuple[Callable[[int], bool], ...] = (
            lambda row: name is not None and table.names[row] == name,
            lambda row: table.documents[row] in documents,
            lambda row: start is not None and table.claims[row] == start,
            lambda row: _is_subset(chunk_rows.metadata_of(table.given[row]), metadata),
            lambda row: _is_subset(metadata, chunk_rows.metadata_of(table.given[row])),
        )
        for test in tests:
            if len(rows) > 1:
                rows = [row for row in rows if test(row)] or rows
        return rows

    def warn(self, notices: Notices) -> None:
        for forms, questions in self._warnings.items():
            notices.add(*forms, len(questions), where="".join(questions[:1]))


@dataclass(frozen=True)
class _ChunkTable:
    """All chunks by text, id and object, by which results may refer to them."""

    documents: list[str]
    names: Sequence[str | None]
    own: list[str | None]
    claims: list[int | None]
    given: list[object]
    texts: dict[str, list[int]]
    ids: dict[str, int]
    #: By the identity of the caller's object, if it is the object of one chunk only.
    objects: dict[int, int]

    @classmethod
    def of(cls, parts: Sequence[Chunks]) -> _ChunkTable:
        texts: dict[str, list[int]] = {}
        for row, text in enumerate(text for part in parts for text in part.texts):
            texts.setdefault(text, []).append(row)
        own = [name for part in parts for name in part.own_ids]
        names = (*parts[0].ids, *own[len(parts[0]) :])
        rows = sorted(range(len(own)), key=lambda row: (own[row] is not None, -row))
        given = [item for part in parts for item in part.given]
        objects = [id(unwrap(item)) for item in given]
        counts, repeated = Counter(objects), {name for name, count in Counter(own).items() if count > 1}
        return cls(
            documents=[part.documents[code] for part in parts for code in part.document.tolist()],
            names=names,
            claims=[claim for part in parts for claim in part.claims],
            given=given,
            texts=texts,
            own=own,
            ids={name: row for row in rows if (name := names[row]) is not None and name not in repeated},
            objects={
                one: row
                for row, (one, item) in enumerate(zip(objects, given, strict=True))
                if counts[one] == 1 and not isinstance(item, str)
            },
        )


def _is_subset(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Check if all items of the first mapping, which is not empty, are in the other."""
    try:
        return bool(one) and all(name in other and bool(other[name] == one[name]) for name in one)
    except (ValueError, TypeError):  # arrays compare element by element
        return False


def _pair(item: Any) -> tuple[Any, float | None]:
    if isinstance(item, tuple | list) and len(item) == 2 and not hasattr(item, "_fields"):
        chunk, number = item
        if number is None or (isinstance(number, Real) and not isinstance(number, bool)):
            return chunk, None if number is None else chunk_rows.score(number)
    if isinstance(item, str | Integral | bool) or item is None:
        return item, None
    return item, chunk_rows.score_of(item)


_EXPECTED = "{question: [results]}, or a row of results for each question"


def make_run(
    chunks: Chunks,
    results: object,
    *,
    name: str | None,
    scores: object,
    topics: Sequence[str] | None,
    notices: Notices | None,
) -> Run:
    """Make a run from the results of each question; see `Chunks.run`."""
    topic_ids = None if topics is None else _topics(topics)
    finder = Finder(chunks)
    topic_of_row: list[str] = []
    rows: list[IntArray] = []
    values: list[FloatArray] = []
    with Gathering(notices) as gathered:
        results_by_topic = _by_question(results, topic_ids, gathered)
        scores_by_topic = None if scores is None else _by_question(scores, topic_ids, Notices())
        for topic, items in results_by_topic.items():
            found, own_scores = finder.find(items, f"question {short(topic)!r}")
            if scores_by_topic is not None:
                own_scores = _scores(scores_by_topic, topic, len(found))
            present = found != NO_RESULT
            topic_of_row.extend([topic] * int(present.sum()))
            rows.append(found[present])
            values.append(own_scores[present])
        finder.warn(gathered)
        every = np.concatenate([np.zeros(0, np.int64), *rows]), np.concatenate([np.zeros(0), *values])
        run = _run(chunks, name or chunks.name, topic_of_row, *every)
        _warn_order(run, gathered)
    return run


def _run(chunks: Chunks, name: str, topic_of_row: list[str], rows: IntArray, scores: FloatArray) -> Run:
    topics, topic = encode(topic_of_row)
    run = Run.grouped(
        name=list_names([name], "name of a run")[0],
        topics=topics,
        documents=chunks.documents,
        topic=topic,
        document=chunks.document[rows],
        start=chunks.start[rows],
        end=chunks.end[rows],
        score=scores,
        rank=np.arange(1, len(rows) + 1) - np.searchsorted(topic, topic),
    )
    costs = {} if chunks.tokens is None else {"tokens": chunks.tokens[rows]}
    run = replace(run, task="chunks", chunk=rows, texts=chunks.texts, costs=costs)
    run = replace(run, fingerprints=chunks.fingerprints)
    lost, lengths = run.start < 0, chunks.lengths[rows]
    own = (lengths != run.end - run.start) & ~lost
    if not (own | lost).any():
        return run
    costs["words"] = chunks.words[rows]
    if own.any():
        costs |= {"characters": lengths, "lead": chunks.lead[rows]}
    return replace(run, lost=np.where(lost, lengths, 0) if lost.any() else None, costs=costs)


def _warn_order(run: Run, notices: Notices) -> None:
    rises = (run.score[1:] > run.score[:-1]) & (np.diff(run.topic_code) == 0)
    marked = np.zeros(len(run.topics), np.bool_)
    marked[run.topic_code[1:][rises]] = True
    one = "topic is not sorted by score; the given order is used"
    many = "topics are not sorted by score; the given order is used"
    notices.add_marked(one, many, marked, lambda topic: f"topic {short(run.topics[topic])} of {run.name}")


def _topics(topics: Iterable[object]) -> list[str]:
    if isinstance(topics, str | bytes) or not isinstance(topics, Iterable):
        raise ExcerptError(f"found {short(repr(topics))} as topics, expected a list of their ids")
    names = list_names(list(topics), "topic")
    if len(set(names)) < len(names):
        repeated = Counter(names).most_common(1)[0][0]
        raise ExcerptError(f"found the topic {short(repeated)!r} twice, expected each topic once")
    return names


def _by_question(values: object, topics: list[str] | None, notices: Notices) -> dict[str, Any]:
    """Results or scores by question; the questions of rows are `topics`, else 1, 2, …"""
    if is_frame(values):
        frame: dict[str, list[Any]] = {}
        for result in frame_rows(values):
            question = next((result[name] for name in _QUESTIONS if name in result), None)
            frame.setdefault(name_of(question), []).append(result)
        if "" in frame:
            raise ExcerptError("the data frame has no column of questions, such as query_id")
        return frame
    rows = chunk_rows.chroma_rows(values)
    values = values if rows is None else rows
    if isinstance(values, Mapping):
        names = _topics(values)
        return dict(zip(names, map(chunk_rows.results_of, values.values()), strict=True))
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ExcerptError(f"found {short(repr(values))}, expected {_EXPECTED}")
    answers = list(map(chunk_rows.results_of, values))
    for row in answers:
        if isinstance(row, str | bytes | Mapping) or not isinstance(row, Iterable):
            raise ExcerptError(f"found {short(repr(row))} as the results of a question, expected {_EXPECTED}")
    names = [str(number) for number in range(1, len(answers) + 1)] if topics is None else topics
    if answers and topics is None:
        notices.add("no topics given; the rows of results are questions 1, 2, …")
    if len(names) != len(answers):
        given = plural(len(answers), "row")
        raise ExcerptError(f"found {given} for {len(names)} topics, expected one per topic")
    return dict(zip(names, answers, strict=True))


def _scores(scores: dict[str, Any], topic: str, count: int) -> FloatArray:
    values = scores.get(topic)
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable | None):
        of = f"as the scores of question {short(topic)!r}"
        raise ExcerptError(f"found {short(repr(values))} {of}, expected a list")
    values = [] if values is None else list(values)
    if len(values) != count:
        raise ExcerptError(
            f"found {plural(len(values), 'score')} for {plural(count, 'result')} of question "
            f"{short(topic)!r}, expected one per result"
        )
    return np.array([np.nan if value is None else chunk_rows.score(value) for value in values], np.float64)


def texts_of(chunks: Chunks, run: Run) -> list[str]:
    """Return the text of the chunk of each result of a run."""
    by_span = {chunk[:3]: chunk.text for chunk in reversed([*chunks])}
    texts = []
    for row, result in enumerate(run):
        span = (result.document, result.start, result.end)
        number = -1 if run.chunk is None else int(run.chunk[row])
        if 0 <= number < len(chunks) and chunks[number][:3] == span:
            texts.append(chunks.texts[number])
        elif span in by_span and result.start >= 0:
            texts.append(by_span[span])
        else:
            where = "without a position" if result.start < 0 else f"from {result.start} to {result.end}"
            raise ExcerptError(
                f"found a result of {short(result.document)!r} {where}, which is not a "
                f"chunk of {chunks.name!r:.60}, expected a run of these chunks"
            )
    return texts
