"""Readers of runs and qrels that follow trec_eval: the grade of each document, by rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, FormatError, short
from excerpt.files import Input
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
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


@dataclass(frozen=True, eq=False)
class TrecQrels:
    """Grades of documents; topics are sorted by their bytes."""

    name: str
    topics: tuple[str, ...]
    #: Distinct ids of documents.
    documents: tuple[str, ...]
    #: By judged document.
    topic: IntArray
    document: IntArray
    grade: IntArray

    def grades(self, topic: IntArray, names: Sequence[str], document: IntArray) -> IntArray:
        """Grade of each result, a topic and the number of a name; codes for other documents."""
        codes = {name: code for code, name in enumerate(self.documents)}
        code = np.array([codes.get(name, -1) for name in names], np.int64)[document]
        pair, judged = topic * len(self.documents) + code, self.topic * len(self.documents) + self.document
        order = np.argsort(judged)
        row = order[np.minimum(judged[order].searchsorted(pair), len(order) - 1)]
        in_pool = (code >= 0) & (judged[row] == pair)
        grade = np.where(self.grade[row] < 0, UNJUDGED, self.grade[row])
        return np.where(in_pool, grade, OUTSIDE)


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
    if (columns.width != 4).any():
        from excerpt.checking.validation import advise_unsupported, describe_unsupported

        if foreign := describe_unsupported(source):
            found, advice = f"found {foreign}, expected TREC qrels ({_QRELS})", advise_unsupported(source)
            raise FormatError(found, path=source.name, hint=advice)
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
    documents, document = columns.names(2)
    qrels = TrecQrels(source.name, topics, documents, place[code], document, grade.astype(np.int64))
    if len(_repeats(qrels.topic, qrels.document)):
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
    codes = {name: number for number, name in enumerate(qrels.topics)}
    topic = np.array([codes.get(name, -1) for name in names], np.int64)[code]
    if not (topic >= 0).all():
        columns, topic = columns.take(topic >= 0), topic[topic >= 0]
    if not len(topic):
        raise ExcerptError(f"the run has no topic of {qrels.name}", path=source.name)
    score = columns.floats(4, "score")
    source.faults.settle()
    with np.errstate(over="ignore"):
        score = score.astype(np.float32)
    documents, document = columns.names(2)
    order = _by_score(topic, score, documents, document)
    first = np.searchsorted(topic[order], np.arange(len(qrels.topics) + 1))
    if options.most is not None:
        order = order[np.arange(len(order)) - first[topic[order]] < options.most]
    kept = np.sort(order)
    _reject_repeats(source, columns, kept[_repeats(topic[kept], document[kept])])
    grade = qrels.grades(topic, documents, document)
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


def _by_score(topic: IntArray, score: FloatArray, documents: Sequence[str], document: IntArray) -> IntArray:
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
    tied, code = np.unique(document[order[rows]], return_inverse=True)
    names = [documents[one] for one in tied.tolist()]
    place = np.empty(len(tied), np.int64)
    place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    order[rows] = order[rows[np.lexsort((-place[code], block))]]
    return order


def _by_topic(topic: IntArray) -> IntArray:
    """Rows by topic, stable; small numbers are converted for a faster radix sort."""
    if (topic[:-1] <= topic[1:]).all():
        return np.arange(len(topic))
    small = topic.astype(np.uint16) if int(topic.max()) < 1 << 16 else topic
    return np.argsort(small, kind="stable")


def _repeats(topic: IntArray, document: IntArray) -> IntArray:
    """Rows whose topic and document an earlier row has."""
    return np.flatnonzero(first_rows(topic, document) != np.arange(len(topic)))


def _reject_repeats(source: Source, columns: Columns, rows: IntArray) -> None:
    if len(rows):
        row = int(rows[0])
        document, topic = (short(columns.column(number).text(row)) for number in (2, 0))
        raise FormatError(
            f"found document {document} of topic {topic} again, expected it once",
            path=source.name,
            line=int(columns.line[row]),
        )
