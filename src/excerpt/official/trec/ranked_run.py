"""A run beside qrels as trec_eval takes them: what was judged of each document, in the order of the run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, FormatError, short
from excerpt.files import Input
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns, Fields, Words, name_keys
from excerpt.model.rankings import OUTSIDE, UNJUDGED, Rankings
from excerpt.model.spans import BoolArray, FloatArray, IntArray, first_rows

_QRELS = "topic 0 document relevance"
_RUN = "topic Q0 document rank score tag"


class Options(NamedTuple):
    """The options of a call that change figures: -c, -J, -l, -M and -N."""

    complete: bool = False
    judged_only: bool = False
    level: int = 1
    most: int | None = None
    documents: int = 0


class Names(NamedTuple):
    """Document ids of rows, also as words of eight bytes, where they are not too long."""

    fields: Fields
    words: list[Words] | None

    @classmethod
    def of(cls, columns: Columns) -> Names:
        """The ids in the third column."""
        words = name_keys(columns.blocks(2), len(columns))
        return cls(columns.column(2), words)

    def take(self, rows: IntArray) -> Names:
        """Only these rows."""
        return Names(self.fields[rows], self.words and [word[rows] for word in self.words])

    def word(self, place: int) -> Words:
        """Eight bytes of each id, zero behind its end."""
        there = self.words is not None and place < len(self.words)
        return self.words[place] if there and self.words else np.zeros(len(self.fields), np.uint64)


@dataclass(frozen=True, eq=False)
class Qrels:
    """Grades of documents; topics in the order of their bytes."""

    name: str
    topics: tuple[str, ...]
    #: By judged document.
    topic: IntArray
    grade: IntArray
    documents: Names

    @cached_property
    def codes(self) -> dict[str, int]:
        """The number of each topic."""
        return {topic: code for code, topic in enumerate(self.topics)}


@dataclass(frozen=True, eq=False)
class RankedRun(Rankings):
    """The documents of each topic that counts, as the tool ranks them."""

    run_id: str
    #: Topics that the run does not have; one document outside the pool stands for its results.
    missing: BoolArray
    options: Options


def read_qrels(given: Input) -> Qrels:
    """Read qrels; lines that begin with `#` are comments."""
    source = Source.open(given, expected=f"TREC qrels ({_QRELS})")
    columns = Columns.of(source).without_comments()
    if (columns.width != 4).any():
        _refuse_foreign(source)
    columns = columns.expect_width(range(4, 5), _QRELS)
    grade = columns.grades(3, "relevance")
    source.faults.settle()
    names, code = columns.names(0)
    if not names:
        raise FormatError(f"found comments only, expected TREC qrels ({_QRELS})", path=source.name)
    order = sorted(range(len(names)), key=lambda name: names[name].encode())
    place = np.empty(len(names), np.int64)
    place[order] = np.arange(len(names))
    topics = tuple(names[name] for name in order)
    qrels = Qrels(source.name, topics, place[code], grade.astype(np.int64), Names.of(columns))
    if _repeats(first_rows(qrels.topic, *_comparable(qrels.documents))).any():
        from excerpt.formats.judgments.qrels import reject_repeats

        reject_repeats(source, columns)
        source.faults.settle()
    return qrels


def _refuse_foreign(source: Source) -> None:
    """An error for judgments of other programs, called what they are."""
    from excerpt.formats.validation import advise_unsupported, describe_unsupported

    if foreign := describe_unsupported(source):
        advice = advise_unsupported(source)
        raise FormatError(f"found {foreign}, expected TREC qrels ({_QRELS})", path=source.name, hint=advice)


def rank_run(given: Input, qrels: Qrels, options: Options) -> RankedRun:
    """Read a run and put its documents beside the qrels; its column of ranks is of no account."""
    source = Source.open(given, expected=f"a TREC run ({_RUN})")
    columns = Columns.of(source).without_comments().expect_width(range(6, 1 << 40), _RUN)
    source.faults.settle()
    run_id = columns.column(5).text(len(columns) - 1) if len(columns) else ""
    names, code = columns.names(0)
    topic = np.array([qrels.codes.get(name, -1) for name in names], np.int64)[code]
    if not (topic >= 0).all():
        columns, topic = columns.take(topic >= 0), topic[topic >= 0]
    if not len(topic):
        raise ExcerptError(f"found no topic of {qrels.name}, expected at least one", path=source.name)
    score = columns.floats(4, "score")
    source.faults.settle()
    with np.errstate(over="ignore"):
        score = score.astype(np.float32)
    documents = Names.of(columns)
    keys = _comparable(qrels.documents, documents)
    judged = first_rows(np.concatenate((qrels.topic, topic)), *keys)[len(qrels.topic) :]
    order = _by_score(topic, score, documents)
    first = np.searchsorted(topic[order], np.arange(len(qrels.topics) + 1))
    if options.most is not None:
        order = order[np.arange(len(order)) - first[topic[order]] < options.most]
    kept = np.sort(order)
    _refuse_repeats(source, columns, kept[_repeats(judged[kept])])
    known = judged < len(qrels.topic)
    grade = np.where(known, qrels.grade[np.where(known, judged, 0)], OUTSIDE)
    grade[known & (grade < 0)] = UNJUDGED
    return _gather(run_id, qrels, topic[order], grade[order], options)


def _gather(run_id: str, qrels: Qrels, topic: IntArray, grade: IntArray, options: Options) -> RankedRun:
    """Only the topics that count, numbered anew."""
    there = np.bincount(topic, minlength=len(qrels.topics)) > 0
    counted = np.arange(len(there)) if options.complete else np.flatnonzero(there)
    missing = ~there[counted]
    if missing.any():
        absent = counted[missing]
        topic = np.concatenate((topic, absent))
        order = np.argsort(topic, kind="stable")
        topic, grade = topic[order], np.concatenate((grade, np.full(len(absent), OUTSIDE)))[order]
    if options.judged_only:
        topic, grade = topic[grade >= 0], grade[grade >= 0]
    number = np.full(len(there), -1)
    number[counted] = np.arange(len(counted))
    of_judged = number[qrels.topic]
    return RankedRun(
        topics=tuple(qrels.topics[code] for code in counted.tolist()),
        topic=number[topic],
        grade=grade,
        first=np.searchsorted(number[topic], np.arange(len(counted) + 1)),
        judged_topic=of_judged[of_judged >= 0],
        judged_grade=qrels.grade[of_judged >= 0],
        level=options.level,
        run_id=run_id,
        missing=missing,
        options=options,
    )


def _comparable(*parts: Names) -> list[Words]:
    """The words of all names, one part after the other; of long names the places in the order of all."""
    if any(names.words is None for names in parts):
        texts = [text for names in parts for text in names.fields.strings()]
        places = {text: place for place, text in enumerate(sorted(set(texts)))}
        return [np.array([places[text] for text in texts], np.uint64)]
    width = max(len(names.words or ()) for names in parts)
    return [np.concatenate([names.word(place) for names in parts]) for place in range(width)]


def _by_score(topic: IntArray, score: FloatArray, documents: Names) -> IntArray:
    """The rows by topic, then by score, then by id, the last two descending; most runs are so already."""
    order = _by_topic(topic)
    topic, score = topic[order], score[order]
    if not ((topic[:-1] < topic[1:]) | (score[:-1] >= score[1:])).all():
        place = np.lexsort((-score, topic))
        order, score = order[place], score[place]
    ties = (score[:-1] == score[1:]) & (topic[:-1] == topic[1:])
    if not ties.any():
        return order
    rows = np.flatnonzero(np.append(ties, False) | np.append(False, ties))
    block = np.cumsum(np.append(True, ~ties))[rows]
    tied = documents.take(order[rows])
    words = _comparable(tied)
    if tied.words is not None:
        words = [word.byteswap() for word in words]  # now their order is that of their bytes
    order[rows] = order[rows[np.lexsort((*(~word for word in reversed(words)), block))]]
    return order


def _by_topic(topic: IntArray) -> IntArray:
    """The rows by topic, stable; small numbers are sorted by their bytes, which is faster."""
    if (topic[:-1] <= topic[1:]).all():
        return np.arange(len(topic))
    small = topic.astype(np.uint16) if int(topic.max()) < 1 << 16 else topic
    return np.argsort(small, kind="stable")


def _repeats(judged: IntArray) -> BoolArray:
    """Which rows have the topic and document of an earlier one."""
    again = np.bincount(judged)[judged] > 1
    if again.any():
        again[np.unique(judged, return_index=True)[1]] = False
    return again


def _refuse_repeats(source: Source, columns: Columns, rows: IntArray) -> None:
    """An error for a document that a run returns twice for a topic, as the tool has it."""
    if len(rows):
        row = int(rows[0])
        document, topic = (short(columns.column(number).text(row)) for number in (2, 0))
        raise FormatError(
            f"found document {document} of topic {topic} again, expected it once",
            path=source.name,
            line=int(columns.line[row]),
        )
