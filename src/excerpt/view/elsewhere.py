"""Evidence that stands elsewhere too: relevant passages whose very words are at another place, unmarked.

All windows of a fixed length of a text are hashed at once: sums of characters times powers of an odd number
(modulo 2**64) up to each place; what lies between two places is a difference, and dividing by a power moves
it to the beginning. What looks equal is compared, so no hash decides.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from excerpt.model.judgments import Judgments
from excerpt.model.spans import IntArray

#: Shorter passages stand at many places by chance. More text than that is not looked through.
SHORTEST = 40
MOST_TEXT = 20_000_000
#: Places that are compared for one beginning of a passage; a line of dashes has thousands.
_MOST_PLACES = 500

_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
_HIGH = np.uint64(48)

Words = NDArray[np.uint64]
TextOf = Callable[[int], str | None]


def count_elsewhere(judgments: Judgments, numbers: Sequence[int], text_of: TextOf) -> IntArray | None:
    """For each relevant passage, at how many other places of the documents its text stands unmarked.

    Passages under 40 characters count 0; None where there is too much text to look through.
    """
    said = _long_passages(judgments, text_of)
    by_head: dict[int, list[int]] = defaultdict(list)
    for passage, text in said.items():
        by_head[int(hash_windows(text[:SHORTEST])[0])].append(passage)
    wanted = np.array(sorted(by_head), np.uint64)
    left, compared = MOST_TEXT, Counter[int]()
    places: list[tuple[int, int, int]] = []
    for number in numbers if by_head else ():
        whole = text_of(number) or ""
        left -= len(whole)
        if left < 0:
            return None
        for start, head in _candidates(whole, wanted):
            compared[head] += 1
            if compared[head] <= _MOST_PLACES:
                same = (row for row in by_head[head] if whole.startswith(said[row], start))
                places += [(passage, number, start) for passage in same]
    return _unmarked(judgments, places)


def _long_passages(judgments: Judgments, text_of: TextOf) -> dict[int, str]:
    """The text of each passage that is long enough, by its number."""
    spans = judgments.spans
    document = judgments.pair_document[spans.group]
    long = np.flatnonzero(spans.length >= SHORTEST)
    found: dict[int, str] = {}
    number, text = -1, ""
    for passage in long[np.argsort(document[long], kind="stable")].tolist():
        if document[passage] != number:
            number = int(document[passage])
            text = text_of(number) or ""
        part = text[spans.start[passage] : spans.end[passage]]
        if len(part) == spans.length[passage]:
            found[passage] = part
    return found


def hash_windows(text: str, size: int = SHORTEST) -> Words:
    """A number for each window of a text; equal windows have equal numbers.

    >>> hashes = hash_windows("abcabd", 2).tolist()
    >>> hashes[0] == hashes[3], len(set(hashes))
    (True, 4)
    """
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    if len(points) < size:
        return np.zeros(0, np.uint64)
    powers = np.cumprod(np.full(len(points), _BASE, np.uint64))
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(powers * points)))
    back = np.cumprod(np.full(len(points) - size + 1, _INVERSE, np.uint64))
    return np.asarray((sums[size:] - sums[:-size]) * back)


def _candidates(text: str, wanted: Words) -> list[tuple[int, int]]:
    """Places of a text where a window has one of the sorted numbers, with that number."""
    windows = hash_windows(text)
    likely = np.zeros(1 << 16, np.bool_)
    likely[wanted >> _HIGH] = True
    start = np.flatnonzero(likely[windows >> _HIGH])
    place = np.searchsorted(wanted, windows[start]).clip(max=len(wanted) - 1)
    start = start[wanted[place] == windows[start]]
    return list(zip(start.tolist(), windows[start].tolist(), strict=True))


def _unmarked(judgments: Judgments, places: Sequence[tuple[int, int, int]]) -> IntArray:
    """Places by passage, without those where text is marked as relevant to the passage's topic."""
    spans = judgments.spans
    passage, number, start = np.array(places, np.int64).reshape(-1, 3).T
    document = np.where(number < len(judgments.documents), number, -1)
    pair = judgments.pairs(judgments.pair_topic[spans.group[passage]], document)
    free = spans.overlap(pair, start, start + spans.length[passage]) == 0
    return np.bincount(passage[free], minlength=len(spans)).astype(np.int64)
