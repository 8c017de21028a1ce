"""Readers of runs and qrels that follow trec_eval: the grade of each document, by rank."""

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


class TrecEvalOptions(NamedTuple):
    """Options of trec_eval that change values: -c, -J, -l, -M and -N."""

    complete: bool = False
    judged_only: bool = False
    level: int = 1
    most: int | None = None
    documents: int = 0


class DocumentNames(NamedTuple):
    """Document ids of rows, also as words of eight bytes if they are not too long."""

    fields: Fields
    words: list[Words] | None

    @classmethod
    def of(cls, columns: Columns) -> DocumentNames:
        """Read the ids in the third column."""
        return cls(columns.column(2), name_keys(columns.blocks(2), len(columns)))

    def take(self, rows: IntArray) -> DocumentNames:
        """Return only some rows."""
        return DocumentNames(self.fields[rows], self.words and [word[rows] for word in self.words])

    def word(self, place: int) -> Words:
        """Eight bytes of each id, zero after its end."""
        present = self.words is not None and place < len(self.words)
        return self.words[place] if present and self.words else np.zeros(len(self.fields), np.uint64)


@dataclass(frozen=True, eq=False)
class TrecQrels:
    """Grades of documents; topics are sorted by their bytes."""

    name: str
    topics: tuple[str, ...]
    #: By judged document.
    topic: IntArray
    grade: IntArray
    documents: DocumentNames

    @cached_property
    def codes(self) -> dict[str, int]:
        """Code of each topic."""
        return {topic: code for code, topic in enumerate(self.topics)}


@dataclass(frozen=True, eq=False)
class RankedRun(Rankings):
    """Documents of each topic that counts, ranked as by the tool."""

    run_id: str
    #: Mask of topics that the run does not have; each has one document outside the pool instead of results.
    missing: BoolArray
    options: TrecEvalOptions


def read_qrels(file: Input) -> TrecQrels:
    """Read qrels; lines that begin with `#` are comments."""
    source = Source.open(file, expected=f"TREC qrels ({_QRELS})")
    columns = Columns.of(source).without_comments()
    if len(columns) and (columns.width != 4).any():
        from excerpt.checking.validation import advise_unsupported, describe_unsupported
        from excerpt.formats.registry import detect_kind

        if foreign := describe_unsupported(source):
            found, advice = f"found {foreign}, expected TREC qrels ({_QRELS})", advise_unsupported(source)
            raise FormatError(found, path=source.name, hint=advice)
        if kind := detect_kind(source):
            message = f"found {columns.width[0]} columns, expected 4 ({_QRELS})"
            advice = {
                "run": "are judgments and run swapped?",
                "judgments": "⟨command=convert⟩ writes judgments of text in this format (trec)",
            }[kind]
            raise FormatError(message, path=source.name, line=int(columns.line[0]), hint=advice)
    columns = columns.expect_width(range(4, 5), _QRELS)
    grade = columns.grades(3, "relevance")
    source.faults.settle()
    names, code = columns.names(0)
    if not names:
        raise FormatError(f"found only comments, expected TREC qrels ({_QRELS})", path=source.name)
    order = sorted(range(len(names)), key=lambda name: names[name].encode())
    place = np.empty(len(names), np.int64)
    place[order] = np.arange(len(names))
    topics = tuple(names[name] for name in order)
    qrels = TrecQrels(source.name, topics, place[code], grade.astype(np.int64), DocumentNames.of(columns))
    if _repeats(first_rows(qrels.topic, *_comparable(qrels.documents))).any():
        from excerpt.formats.judgments.qrels import reject_repeats

        reject_repeats(source, columns)
        source.faults.settle()
    return qrels


def rank_run(file: Input, qrels: TrecQrels, options: TrecEvalOptions) -> RankedRun:
    """Read a run and look up the grades of its documents; its column of ranks is ignored."""
    source = Source.open(file, expected=f"a TREC run ({_RUN})")
    columns = Columns.of(source).without_comments().expect_width(range(6, 1 << 40), _RUN)
    source.faults.settle()
    run_id = columns.column(5).text(len(columns) - 1) if len(columns) else ""
    names, code = columns.names(0)
    topic = np.array([qrels.codes.get(name, -1) for name in names], np.int64)[code]
    if not (topic >= 0).all():
        columns, topic = columns.take(topic >= 0), topic[topic >= 0]
    if not len(topic):
        raise ExcerptError(f"the run has no topic of {qrels.name}", path=source.name)
    score = columns.floats(4, "score")
    source.faults.settle()
    with np.errstate(over="ignore"):
        score = score.astype(np.float32)
    documents = DocumentNames.of(columns)
    keys = _comparable(qrels.documents, documents)
    judged = first_rows(np.concatenate((qrels.topic, topic)), *keys)[len(qrels.topic) :]
    order = _by_score(topic, score, documents)
    first = np.searchsorted(topic[order], np.arange(len(qrels.topics) + 1))
    if options.most is not None:
        order = order[np.arange(len(order)) - first[topic[order]] < options.most]
    kept = np.sort(order)
    _reject_repeats(source, columns, kept[_repeats(judged[kept])])
    in_pool = judged < len(qrels.topic)
    grade = np.where(in_pool, qrels.grade[np.where(in_pool, judged, 0)], OUTSIDE)
    grade[in_pool & (grade < 0)] = UNJUDGED
    return _gather(run_id, qrels, topic[order], grade[order], options)


def _gather(
    run_id: str, qrels: TrecQrels, topic: IntArray, grade: IntArray, options: TrecEvalOptions
) -> RankedRun:
    """Keep only the topics that count, with new numbers."""
    present = np.bincount(topic, minlength=len(qrels.topics)) > 0
    counted = np.arange(len(present)) if options.complete else np.flatnonzero(present)
    missing = ~present[counted]
    if missing.any():
        absent = counted[missing]
        topic = np.concatenate((topic, absent))
        order = np.argsort(topic, kind="stable")
        topic, grade = topic[order], np.concatenate((grade, np.full(len(absent), OUTSIDE)))[order]
    if options.judged_only:
        topic, grade = topic[grade >= 0], grade[grade >= 0]
    number = np.full(len(present), -1)
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


def _comparable(*parts: DocumentNames) -> list[Words]:
    """Words of all names, part after part; for long names, their positions in sorted order."""
    if any(names.words is None for names in parts):
        texts = [text for names in parts for text in names.fields.strings()]
        places = {text: place for place, text in enumerate(sorted(set(texts)))}
        return [np.array([places[text] for text in texts], np.uint64)]
    width = max(len(names.words or ()) for names in parts)
    return [np.concatenate([names.word(place) for names in parts]) for place in range(width)]


def _by_score(topic: IntArray, score: FloatArray, documents: DocumentNames) -> IntArray:
    """Rows by topic, then by descending score, then by descending id; most runs are sorted already."""
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
        words = [word.byteswap() for word in words]  # so that they sort like their bytes
    order[rows] = order[rows[np.lexsort((*(~word for word in reversed(words)), block))]]
    return order


def _by_topic(topic: IntArray) -> IntArray:
    """Rows by topic, stable; small numbers are converted for a faster radix sort."""
    if (topic[:-1] <= topic[1:]).all():
        return np.arange(len(topic))
    small = topic.astype(np.uint16) if int(topic.max()) < 1 << 16 else topic
    return np.argsort(small, kind="stable")


def _repeats(judged: IntArray) -> BoolArray:
    again = np.bincount(judged)[judged] > 1
    if again.any():
        again[np.unique(judged, return_index=True)[1]] = False
    return again


def _reject_repeats(source: Source, columns: Columns, rows: IntArray) -> None:
    if len(rows):
        row = int(rows[0])
        document, topic = (short(columns.column(number).text(row)) for number in (2, 0))
        raise FormatError(
            f"found document {document} of topic {topic} again, expected it once",
            path=source.name,
            line=int(columns.line[row]),
        )
