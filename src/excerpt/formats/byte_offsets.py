"""Offsets in bytes: characters where a corpus has the documents, bytes where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from excerpt.errors import short
from excerpt.formats.source import Source
from excerpt.model.spans import IntArray

_STAY = "offsets are bytes and stay bytes, since there is no corpus to count characters in"


class Spans(NamedTuple):
    """Starts and ends, -1 where there is no place."""

    start: IntArray
    end: IntArray


def as_characters(
    source: Source, documents: Sequence[str], document: IntArray, line: IntArray, spans: Spans
) -> Spans:
    """The same places in characters; `document` is the number of each row's document, `line` where it is."""
    if source.corpus is None:
        source.notices.add(_STAY, where=source.name)
        return spans
    from excerpt.gold.quotes import to_characters

    start, end = spans.start.copy(), spans.end.copy()
    placed = np.flatnonzero(start >= 0)
    placed = placed[np.argsort(document[placed], kind="stable")]
    bounds = np.flatnonzero(np.diff(document[placed])) + 1
    for rows in np.split(placed, bounds) if len(placed) else ():
        name = documents[int(document[rows[0]])]
        text = source.corpus.get(name)
        if text is None:
            source.faults.add(
                int(line[rows[0]]),
                f"found document {short(name)}, expected one of the corpus: its offsets are bytes",
            )
            continue
        data = text.encode()
        for row in rows.tolist():
            first, last = (to_characters(text, data, int(place[row])) for place in (start, end))
            if first is None or last is None or end[row] > len(data):
                source.faults.add(
                    int(line[row]),
                    f"found bytes {start[row]} to {end[row]} of document {short(name)}, expected bytes at "
                    f"which characters begin and end, up to {len(data)}",
                    "is it the same version of the document?",
                )
                continue
            start[row], end[row] = first, last
    return Spans(start, end)
