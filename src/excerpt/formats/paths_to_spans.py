"""Element paths → spans, in bulk, while file and line are still known.

A path column holds an element path, or two pointers with a blank between them: the first and the last
element of a range, or the start and the end of a passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from excerpt.model.spans import IntArray

if TYPE_CHECKING:
    from excerpt.index import OffsetIndex


def find_spans(
    index: OffsetIndex, documents: Sequence[str], document: IntArray, paths: Sequence[str], path: IntArray
) -> tuple[IntArray, IntArray]:
    """Start and end of each (document, path); -1 where one does not exist or a range is reversed."""
    codes = index.document_codes(list(documents))[document]
    start, end = np.full(len(path), -1, np.int64), np.full(len(path), -1, np.int64)
    double = np.array([" " in text for text in paths], np.bool_)[path]
    single = np.flatnonzero(~double)
    if len(single):
        found = index.resolve(codes[single], [paths[code] for code in path[single].tolist()])
        start[single], end[single] = found.start, found.end
    passages = np.flatnonzero(double)
    if len(passages):
        pointers = [paths[code].split(" ") for code in path[passages].tolist()]
        low = index.resolve_pointers(codes[passages], [pointer[0] for pointer in pointers], end=False)
        high = index.resolve_pointers(codes[passages], [pointer[1] for pointer in pointers], end=True)
        good = (low >= 0) & (high >= low)
        start[passages], end[passages] = np.where(good, low, -1), np.where(good, high, -1)
    return start, end
