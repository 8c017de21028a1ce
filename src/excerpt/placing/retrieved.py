"""Runs of chunks: which chunk a result is, and its position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, short
from excerpt.model.field_names import show_given
from excerpt.model.rows import list_names
from excerpt.model.run import Run, encode
from excerpt.model.spans import FloatArray, IntArray
from excerpt.notices import Gathering, Notices
from excerpt.placing.chunk_rows import (
    claim_of,
    documents_of,
    id_of,
    inner,
    score,
    score_of,
    text_of,
    told_of,
)
from excerpt.placing.chunks import Chunks

#: Where a row of results has none.
NOTHING = -1
_ONE_OF = "number, text or id of a chunk, or a result of a framework, each perhaps in a pair with its score"
_DROPPED = "result is a chunk that was left out because it stands nowhere"
_SEVERAL = "result has the text of several chunks; they were taken in order"
_OTHER = "result has the id of a chunk, but another text; it counts as the chunk, of which all is read"


class Finder:
    """The chunks that results mean, those that were left out behind the others."""

    def __init__(self, chunks: Chunks) -> None:
        self._count, self._key = len(chunks), chunks.text_key
        self._parts = [chunks] if chunks.left_out is None else [chunks, chunks.left_out]
        #: What was not as clear as it could be, and the question of each result of which that is so.
        self._told: dict[str, list[str]] = {_DROPPED: [], _SEVERAL: [], _OTHER: []}

    def find(self, items: Any, where: str) -> tuple[IntArray, FloatArray]:
        """The rows of the results of a question, -1 where there is none, and their scores."""
        if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
            raise ExcerptError(f"found {short(repr(items))} as the results of {where}, expected a list")
        if isinstance(items, np.ndarray) and items.dtype.kind in "iu" and items.ndim == 1:
            return self._numbers(items.astype(np.int64), where), np.full(len(items), np.nan)
        taken: dict[str, int] = {}
        rows, scores = [], []
        for item in items:
            try:
                chunk, mark = _pair(item)
                rows.append(self._row(chunk, taken, where))
            except ExcerptError as error:
                raise ExcerptError(f"{error.message} ({where})", hint=error.hint) from None
            scores.append(np.nan if mark is None else mark)
        return np.array(rows, np.int64), np.array(scores, np.float64)

    def _numbers(self, numbers: IntArray, where: str) -> IntArray:
        """The rows of chunks by number; -1 fills rows."""
        wrong = (numbers < NOTHING) | (numbers >= self._count)
        if wrong.any():
            expected = f"0 to {self._count - 1}" if self._count else "none: there are no chunks"
            raise ExcerptError(f"found the chunk number {numbers[wrong][0]} ({where}), expected {expected}")
        return numbers

    def _row(self, item: object, taken: dict[str, int], where: str) -> int:
        if isinstance(item, Integral) and not isinstance(item, bool):
            return int(self._numbers(np.array([int(item)]), "as a result")[0])
        row = self._known.objects.get(id(inner(item)), NOTHING)
        if row == NOTHING:
            row = self._named(item, taken, where)
        if row < self._count:
            return row
        self._told[_DROPPED].append(where)
        return NOTHING

    def _named(self, item: object, taken: dict[str, int], where: str) -> int:
        """The row of a result by its text, else by its id."""
        text = item if isinstance(item, str) else text_of(item, self._key) or text_of(item)
        name = item if isinstance(item, str) else id_of(item)
        rows = [] if text is None else self._known.texts.get(text, [])
        if len(rows) > 1 and not isinstance(item, str):
            rows = self._like(item, rows)
        if len(rows) > 1:
            self._told[_SEVERAL].append(where)
            place = taken[str(text)] = taken.get(str(text), -1) + 1
            return rows[min(place, len(rows) - 1)]
        if rows:
            return rows[0]
        if name is not None and name in self._known.ids:
            if text is not None and not isinstance(item, str):
                self._told[_OTHER].append(where)
            return self._known.ids[name]
        found = repr(short(item)) if isinstance(item, str) else show_given(item)
        raise ExcerptError(f"found {found} as a result, expected a chunk that was placed: {_ONE_OF}")

    @cached_property
    def _known(self) -> _Known:
        return _Known.of(self._parts)

    def _like(self, item: object, rows: list[int]) -> list[int]:
        """Of chunks with the same text those most like a result: by id, document, start, metadata."""
        known = self._known
        name, start, said = id_of(item), claim_of(item)[0], told_of(item)
        documents = documents_of(item)
        tests: tuple[Callable[[int], bool], ...] = (
            lambda row: name is not None and known.names[row] == name,
            lambda row: known.documents[row] in documents,
            lambda row: start is not None and known.claims[row] == start,
            lambda row: _within(told_of(known.given[row]), said),
            lambda row: _within(said, told_of(known.given[row])),
        )
        for test in tests:
            if len(rows) > 1:
                rows = [row for row in rows if test(row)] or rows
        return rows

    def tell(self, notices: Notices) -> None:
        """Say what was not as clear as it could be."""
        for message, questions in self._told.items():
            notices.add(message, len(questions), where="".join(questions[:1]))


@dataclass(frozen=True)
class _Known:
    """All chunks, by what results may have of them."""

    documents: list[str]
    names: list[str | None]
    claims: list[int | None]
    given: list[object]
    texts: dict[str, list[int]]
    ids: dict[str, int]
    #: By the object that a chunk was given as, where that is of one chunk only.
    objects: dict[int, int]

    @classmethod
    def of(cls, parts: Sequence[Chunks]) -> _Known:
        """Chunks one part after another."""
        texts: dict[str, list[int]] = {}
        for row, text in enumerate(text for part in parts for text in part.texts):
            texts.setdefault(text, []).append(row)
        names = [name for part in parts for name in part.ids]
        given = [item for part in parts for item in part.given]
        objects = [id(inner(item)) for item in given]
        often = Counter(objects)
        return cls(
            documents=[part.documents[code] for part in parts for code in part.document.tolist()],
            names=names,
            claims=[claim for part in parts for claim in part.claims],
            given=given,
            texts=texts,
            ids={name: row for row, name in reversed(list(enumerate(names))) if name is not None},
            objects={
                one: row
                for row, (one, item) in enumerate(zip(objects, given, strict=True))
                if often[one] == 1 and not isinstance(item, str)
            },
        )


def _within(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether all that one says, the other says too."""
    try:
        return bool(one) and all(name in other and bool(other[name] == one[name]) for name in one)
    except (ValueError, TypeError):  # arrays are equal here and there
        return False


def _pair(item: Any) -> tuple[Any, float | None]:
    """A result and its score."""
    if isinstance(item, tuple | list) and len(item) == 2 and not hasattr(item, "_fields"):
        inner, mark = item
        if mark is None or (isinstance(mark, Real) and not isinstance(mark, bool)):
            return inner, None if mark is None else score(mark)
    if isinstance(item, str | Integral | bool) or item is None:
        return item, None
    return item, score_of(item)


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
    """A run from the results of each question; see `Chunks.run`."""
    known = None if topics is None else _topics(topics)
    lists = _by_question(results, known)
    given = None if scores is None else _by_question(scores, known)
    finder = Finder(chunks)
    asked: list[str] = []
    rows: list[IntArray] = []
    numbers: list[FloatArray] = []
    with Gathering(notices) as gathered:
        if known is None and lists and not isinstance(results, Mapping):
            gathered.add(
                f"rows of results were taken for questions 1 to {len(lists)}, since no topics were given"
            )
        for topic, items in lists.items():
            found, marks = finder.find(items, f"question {short(topic)!r}")
            if given is not None:
                marks = _scores(given, topic, len(found))
            there = found != NOTHING
            asked.extend([topic] * int(there.sum()))
            rows.append(found[there])
            numbers.append(marks[there])
        finder.tell(gathered)
        run = _run(chunks, name or chunks.name, asked, _joined(rows, np.int64), _joined(numbers, np.float64))
        _tell_order(run, gathered)
    return run


def _joined(columns: list[Any], kind: type) -> Any:
    return np.concatenate(columns) if columns else np.zeros(0, kind)


def _run(chunks: Chunks, name: str, asked: list[str], rows: IntArray, scores: FloatArray) -> Run:
    topics, topic = encode(asked)
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
    run = replace(run, task="chunks", chunk=rows)
    lost = run.start < 0
    if not lost.any():
        return run
    return replace(run, lost=np.where(lost, chunks.lengths[rows], 0), costs={"words": chunks.words[rows]})


def _tell_order(run: Run, notices: Notices) -> None:
    """Count the topics whose scores do not fall."""
    rises = (run.score[1:] > run.score[:-1]) & (np.diff(run.topic) == 0)
    marked = np.zeros(len(run.topics), np.bool_)
    marked[run.topic[1:][rises]] = True
    notices.add_marked(
        "topic's results are not in the order of their scores; the order given counts",
        marked,
        lambda topic: f"topic {short(run.topics[topic])} of {run.name}",
    )


def _topics(topics: Iterable[object]) -> list[str]:
    if isinstance(topics, str | bytes) or not isinstance(topics, Iterable):
        raise ExcerptError(f"found {short(repr(topics))} as topics, expected a list of their ids")
    names = list_names(list(topics), "topic")
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise ExcerptError(f"found the topic {short(twice)!r} twice, expected each once")
    return names


def _by_question(given: object, topics: list[str] | None) -> dict[str, Any]:
    """What was given for each question; rows without questions are those of `topics`, else 1, 2, …"""
    if isinstance(given, Mapping):
        names = _topics(given)
        return dict(zip(names, given.values(), strict=True))
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ExcerptError(f"found {short(repr(given))}, expected {_EXPECTED}")
    rows = list(given)
    for row in rows:
        if isinstance(row, str | bytes | Mapping) or not isinstance(row, Iterable):
            raise ExcerptError(f"found {short(repr(row))} as the results of a question, expected {_EXPECTED}")
    names = [str(number) for number in range(1, len(rows) + 1)] if topics is None else topics
    if len(names) != len(rows):
        raise ExcerptError(f"found {len(rows)} rows for {len(names)} topics, expected one for each")
    return dict(zip(names, rows, strict=True))


def _scores(given: dict[str, Any], topic: str, count: int) -> FloatArray:
    """The scores of a question."""
    values = given.get(topic)
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable | None):
        raise ExcerptError(
            f"found {short(repr(values))} as the scores of question {short(topic)!r}, expected a list"
        )
    values = [] if values is None else list(values)
    if len(values) != count:
        raise ExcerptError(
            f"found {len(values)} scores for {count} results of question {short(topic)!r}, expected as many"
        )
    return np.array([np.nan if value is None else score(value) for value in values], np.float64)


def texts_of(chunks: Chunks, run: Run) -> list[str]:
    """The text of the chunk that each result of a run is."""
    known: dict[tuple[str, int, int], str] = {}
    for chunk in reversed([*chunks]):
        known[chunk[:3]] = chunk.text
    found = []
    for row, result in enumerate(run):
        place = (result.document, result.start, result.end)
        number = -1 if run.chunk is None else int(run.chunk[row])
        if 0 <= number < len(chunks) and chunks[number][:3] == place:
            found.append(chunks.texts[number])
        elif place in known and result.start >= 0:
            found.append(known[place])
        else:
            where = "that stands nowhere" if result.start < 0 else f"from {result.start} to {result.end}"
            raise ExcerptError(
                f"found a result of {short(result.document)!r} {where}, no "
                f"chunk of {chunks.name!r:.60}, expected a run of these chunks"
            )
    return found
