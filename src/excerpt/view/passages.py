"""The passages of all topics as plain data: relevant text and who found it, unjudged text, text again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from excerpt.model.judgments import Judgments
from excerpt.model.spans import IntArray, keys
from excerpt.view.kept import MOST_AGAIN, Kept
from excerpt.view.topic_rows import NEVER, Rows, order_by, rows_of

#: Rows of unjudged text that are listed; their number is told whole.
MOST_UNJUDGED = 2000


def passages_data(judgments: Judgments, kept: Sequence[Kept], elsewhere: IntArray | None) -> dict[str, Any]:
    """All passages; documents by numbers of the library, which the caller turns into names."""
    spans = judgments.spans
    count = np.zeros(len(spans), np.int64) if elsewhere is None else elsewhere
    first, run, characters, rank = _hits(kept, len(spans))
    unjudged, unjudged_hits = _unjudged(judgments, kept)
    return {
        "relevant": {
            "topic": judgments.pair_topic[spans.group].tolist(),
            "document": judgments.pair_document[spans.group],
            "start": spans.start.tolist(),
            "end": spans.end.tolist(),
            "elsewhere": count.tolist(),
            "from": first.tolist(),
        },
        "hits": {"run": run.tolist(), "characters": characters.tolist(), "rank": rank.tolist()},
        "unjudged": unjudged,
        "unjudgedHits": unjudged_hits,
        "again": _again(kept),
    }


def _hits(kept: Sequence[Kept], passages: int) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """By passage, then run: characters found and first rank; and where each passage begins."""
    passage, characters, rank = _columns([run.hits for run in kept], 3)
    run = np.repeat(np.arange(len(kept)), [len(part.hits.passage) for part in kept])
    order = np.lexsort((run, passage))
    first = np.concatenate(([0], np.cumsum(np.bincount(passage, minlength=passages))))
    return first, run[order], characters[order], rank[order]


def _again(kept: Sequence[Kept]) -> dict[str, Any]:
    """Text that runs showed a second time, best ranks first."""
    parts = [run.again for run in kept]
    names = ("topic", "document", "start", "end", "rank", "before")
    columns = dict(zip(names, _columns([part[:6] for part in parts], len(names)), strict=True))
    columns["run"] = np.repeat(np.arange(len(kept)), [len(part.topic) for part in parts])
    order = np.lexsort((columns["run"], columns["topic"], columns["rank"]))[:MOST_AGAIN]
    return {
        "total": sum(part.total for part in parts),
        **{name: column[order].tolist() for name, column in columns.items()},
        "document": columns["document"][order],
    }


def _unjudged(judgments: Judgments, kept: Sequence[Kept]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Retrieved text of documents that nobody judged, results of all runs joined; and who retrieved it.

    The best pieces of each topic, then the best of these; `from` is where the hits of each begin.
    """
    topics = range(len(judgments.topics)) if any(run.unjudged for run in kept) else ()
    parts: list[_Part] = []
    ranks = np.zeros(0, np.int64)  # the best ones so far: what is worse than all of them is not listed
    for topic in topics:
        worst = int(ranks.max()) if len(ranks) == MOST_UNJUDGED else NEVER
        part = _unjudged_of(topic, rows_of(kept, topic), judgments, worst)
        ranks = np.sort(np.append(ranks, part.pieces.rank))[:MOST_UNJUDGED]
        parts.append(part)
    pieces = _Pieces(*_columns([part.pieces for part in parts], len(_Pieces._fields)))
    order = np.lexsort((pieces.start, pieces.document, pieces.topic, pieces.rank))[:MOST_UNJUDGED]
    place = np.full(len(pieces.topic), -1, np.int64)
    place[order] = np.arange(len(order))
    shift = np.cumsum([0, *(len(part.pieces.topic) for part in parts)])
    moved = [part.hits._replace(piece=part.hits.piece + by) for part, by in zip(parts, shift, strict=False)]
    hits = _Hits(*_columns(moved, len(_Hits._fields)))
    row = place[hits.piece]
    chosen = np.flatnonzero(row >= 0)
    chosen = chosen[np.lexsort((hits.run[chosen], row[chosen]))]
    listed = {
        "total": sum(part.total for part in parts),
        "topic": pieces.topic[order].tolist(),
        "document": pieces.document[order],
        "start": pieces.start[order].tolist(),
        "end": pieces.end[order].tolist(),
        "from": np.cumsum([0, *np.bincount(row[chosen], minlength=len(order))]).tolist(),
    }
    return listed, {"run": hits.run[chosen].tolist(), "rank": hits.rank[chosen].tolist()}


def _columns(parts: Sequence[tuple[IntArray, ...]], count: int) -> list[IntArray]:
    """The columns of several tables, one below the other."""
    nothing = np.zeros(0, np.int64)
    return [np.concatenate([nothing, *(part[place] for part in parts)]) for place in range(count)]


class _Pieces(NamedTuple):
    topic: IntArray
    document: IntArray
    start: IntArray
    end: IntArray
    rank: IntArray


class _Hits(NamedTuple):
    piece: IntArray
    run: IntArray
    rank: IntArray


class _Part(NamedTuple):
    total: int
    pieces: _Pieces
    hits: _Hits


def _unjudged_of(topic: int, rows: Rows, judgments: Judgments, worst: int) -> _Part:
    """The text of one topic's unjudged documents that runs returned, in pieces; and the first rank by run.

    All pieces are counted, those with ranks up to the worst one are kept.
    """
    judged = np.zeros(1 + int(rows.document.max(initial=0)), np.bool_)
    low, high = np.searchsorted(judgments.pair_topic, (topic, topic + 1))
    named = judgments.pair_document[low:high]
    judged[named[named < len(judged)]] = True
    mine = np.flatnonzero(rows.known & ~judged[rows.document] & (rows.length > 0))
    document, start, rank, run = (column[mine] for column in (rows.document, rows.start, rows.rank, rows.run))
    key, end = keys(document, start), start + rows.length[mine]
    order = order_by(document, start)
    reach = np.maximum.accumulate(keys(document, end)[order])
    opens = np.flatnonzero(np.append(True, key[order][1:] > reach[:-1])[: len(order)])
    of = np.empty(len(order), np.int64)  # the piece of each result
    of[order] = np.repeat(np.arange(len(opens)), np.diff(opens, append=len(order)))
    best = np.full(len(opens), NEVER)
    np.minimum.at(best, of, rank)
    kept = np.flatnonzero(best <= worst)
    place = np.full(len(opens), -1, np.int64)
    place[kept] = np.arange(len(kept))
    inside = np.flatnonzero(place[of] >= 0)
    code = place[of[inside]] * (int(run.max(initial=0)) + 1) + run[inside]
    by_run = np.lexsort((rank[inside], code))
    first = inside[by_run[np.flatnonzero(np.diff(code[by_run], prepend=-1))]]
    head, last = order[opens[kept]], np.append(opens[1:], len(order))[kept] - 1
    where = np.full(len(kept), topic, np.int64)
    ends = reach[last] - keys(document[head], np.zeros(len(kept), np.int64))
    return _Part(
        len(opens),
        _Pieces(where, document[head], start[head], ends, best[kept]),
        _Hits(place[of[first]], run[first], rank[first]),
    )
