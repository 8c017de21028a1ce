"""Putting each result of a run beside its judgments."""

from __future__ import annotations

from itertools import repeat

import numpy as np

from excerpt.errors import FormatError
from excerpt.model.distinct import distinct
from excerpt.model.joined import Joined
from excerpt.model.judgments import Judgments
from excerpt.model.policy import UNKNOWN_LENGTH, Policy
from excerpt.model.run import Run
from excerpt.model.spans import IntArray
from excerpt.notices import Notices


def join(run: Run, judgments: Judgments, policy: Policy, notices: Notices) -> Joined:
    """Put each result of a judged topic beside its judgments."""
    codes = [judgments.topic_codes.get(topic, -1) for topic in run.topics]
    unjudged = [topic for topic, code in zip(run.topics, codes, strict=True) if code < 0]
    if unjudged:
        notices.add(
            "topic is not in the judgments, its results were left out",
            len(unjudged),
            where=f"topic {unjudged[0]} of {run.source or run.name}",
        )
    run, topic = _judged_topics(run, np.array(codes, np.int64))
    first = np.searchsorted(topic, np.arange(len(judgments.topics) + 1)).astype(np.int64)
    run, topic, first = _limited(run, topic, first, policy, notices)
    known = judgments.document_codes
    documents = np.fromiter(map(known.get, run.documents, repeat(-1)), np.int64, len(run.documents))
    pair = judgments.pairs(topic, documents[run.document]) if len(run) else topic
    start, end, size = _spans(run, judgments, documents, notices)
    opens, group = distinct(topic * len(run.documents) + run.document)
    joined = Joined(
        run=run,
        judgments=judgments,
        policy=policy,
        topic=topic,
        first=first,
        pair=pair,
        group=group,
        opens=opens,
        start=start,
        end=end,
        size=size,
    )
    _check_bounds(joined, documents, notices)
    return joined


def _judged_topics(run: Run, codes: IntArray) -> tuple[Run, IntArray]:
    topic = codes[run.topic] if len(run) else run.topic
    if len(topic) and (bool((topic < 0).any()) or bool((np.diff(topic) < 0).any())):
        rows = np.argsort(topic, kind="stable")
        rows = rows[topic[rows] >= 0]
        return run.take(rows), topic[rows]
    return run, topic


def _limited(
    run: Run, topic: IntArray, first: IntArray, policy: Policy, notices: Notices
) -> tuple[Run, IntArray, IntArray]:
    counts = np.diff(first)
    if policy.limit is None or int(counts.max(initial=0)) <= policy.limit:
        return run, topic, first
    notices.add(
        f"topic has more than {policy.limit} results, the rest was cut off",
        int((counts > policy.limit).sum()),
        where=run.source or run.name,
    )
    rows = np.flatnonzero(np.arange(len(topic)) - first[topic] < policy.limit)
    kept = np.concatenate(([0], np.cumsum(np.minimum(counts, policy.limit))))
    return run.take(rows), topic[rows], kept


def _spans(
    run: Run, judgments: Judgments, documents: IntArray, notices: Notices
) -> tuple[IntArray, IntArray, IntArray]:
    """Start, end and size of each result; results that do not exist are empty spans of a fixed size."""
    if run.kind == "documents":
        sizes = np.append(judgments.document_sizes, -1)[documents]
        missing = int((sizes[run.document] < 0).sum()) if len(run) else 0
        if missing and judgments.scale != "documents":
            notices.add(
                "result is a document of unknown length, counted as 1 character; give --index",
                missing,
                where=run.source or run.name,
            )
        size = np.where(sizes < 0, 1, sizes)[run.document] if len(run) else run.document
        return np.zeros(len(run), np.int64), size, size
    known = run.known
    start, end = np.where(known, run.start, 0), np.where(known, run.end, 0)
    return start, end, np.where(known, end - start, UNKNOWN_LENGTH)


def _check_bounds(joined: Joined, documents: IntArray, notices: Notices) -> None:
    """Count results beyond their document's end and results that do not exist, or refuse them."""
    run = joined.run
    by_document = joined.judgments.document_sizes
    limit = np.append(by_document, -1)[documents[run.document]] if len(run) else run.document
    faults = (
        (
            "result reaches beyond the end of its document, counted in full",
            (limit >= 0) & (joined.end > limit),
        ),
        (
            f"result names something that does not exist, counted as {UNKNOWN_LENGTH} irrelevant characters",
            ~run.known,
        ),
    )
    for message, mask in faults if run.kind in {"spans", "entry points"} else ():
        rows = np.flatnonzero(mask)
        if not len(rows):
            continue
        row = int(rows[0])
        if joined.policy.unknown == "error":
            raise FormatError(
                f"topic {joined.topic_name(row)}, document {joined.document_name(row)}: "
                + message.partition(",")[0],
                path=run.source or run.name,
                line=int(run.line[row]) or None,
                hint="try --unknown count, which counts it as irrelevant text",
            )
        notices.add(message, len(rows), where=run.place(row))
