"""From relevant text to cited text: how many characters of each topic get through, as sets of characters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from excerpt.model.join import Joined
from excerpt.model.samples import touched
from excerpt.model.spans import IntArray, KeyedSpans


class FunnelCounts(NamedTuple):
    """Characters by topic; every character counts once."""

    #: Relevant; of these retrieved; of those cited.
    relevant: IntArray
    found: IntArray
    kept: IntArray
    #: Cited; cited but not relevant; cited but never retrieved.
    cited: IntArray
    vain: IntArray
    unread: IntArray


def count_funnel(retrieved: Joined, cited: Joined) -> FunnelCounts:
    """What two runs, joined with the same judgments, have of the relevant text of each topic."""
    judgments = retrieved.judgments
    codes = dict(judgments.document_codes) or {"": 0}
    for name in (*retrieved.run.documents, *cited.run.documents):
        codes.setdefault(name, len(codes))
    spans, pair = judgments.spans, judgments.spans.group
    rows = [
        (judgments.pair_topic[pair] * len(codes) + judgments.pair_document[pair], spans.start, spans.end),
        *(_rows(joined, codes) for joined in (retrieved, cited)),
    ]
    distinct, numbers = np.unique(np.concatenate([group for group, _, _ in rows]), return_inverse=True)
    parts = np.split(numbers, np.cumsum([len(group) for group, _, _ in rows])[:-1])
    wanted, read, told = (
        KeyedSpans.union(part, start, end) for part, (_, start, end) in zip(parts, rows, strict=True)
    )
    topic, found = distinct // len(codes), common(wanted, read)
    sizes = []
    for each in (wanted, found, common(found, told), told, common(told, wanted), common(told, read)):
        sizes.append(np.zeros(len(judgments.topics), np.int64))
        np.add.at(sizes[-1], topic[each.group], each.length)
    relevant, reached, kept, cites, good, seen = sizes
    nowhere = _lost(cited)  # cited, and neither relevant nor retrieved
    return FunnelCounts(
        relevant, reached, kept, cites + nowhere, cites - good + nowhere, cites - seen + nowhere
    )


def _lost(joined: Joined) -> IntArray:
    """Characters of each topic's results that stand nowhere."""
    found = np.zeros(joined.topics, np.int64)
    if joined.run.lost is not None:
        np.add.at(found, joined.topic, joined.run.lost)
    return found


def _rows(joined: Joined, codes: dict[str, int]) -> tuple[IntArray, IntArray, IntArray]:
    """A number for topic and document of each result, and its span."""
    numbers = np.array([*(codes[name] for name in joined.run.documents), 0], np.int64)
    return joined.topic * len(codes) + numbers[joined.run.document], joined.start, joined.end


def common(one: KeyedSpans, other: KeyedSpans) -> KeyedSpans:
    """The characters that two sets of spans have in common.

    >>> found = common(KeyedSpans.union([0, 1], [0, 0], [9, 9]), KeyedSpans.union([0, 0], [5, 8], [7, 12]))
    >>> found.group.tolist(), found.start.tolist(), found.end.tolist()
    ([0, 0], [5, 8], [7, 9])
    """
    query, span = touched(other, one.group, one.start, one.end)
    start = np.maximum(one.start[query], other.start[span])
    end = np.minimum(one.end[query], other.end[span])
    return KeyedSpans(one.group[query], start, end)
