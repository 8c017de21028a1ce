"""Runs of chunks: what a retriever returned for each question, as results with places in documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, short
from excerpt.model.rows import list_names
from excerpt.model.run import Run, encode
from excerpt.model.spans import FloatArray, IntArray
from excerpt.notices import Gathering, Notices
from excerpt.placing.chunks import Chunks
from excerpt.placing.finding import NOTHING, Finder
from excerpt.placing.reading import score

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
