"""Which occurrence of each chunk is meant: the assignment over a whole document that costs least.

The cost of an assignment is the sum of |start of the next - end of this|, in characters that are no white
space, the start and the end of the document included. All occurrences of a chunk have the same number of
these characters, so the sum is (document - all chunks) + 2 (all steps back): what has to be chosen is where
steps back are least. Starts rise strictly where that is possible; else each one that does not costs the
document's length more.

From an occurrence on, what is still to come costs the less the earlier it stands. So the least cost that
follows each occurrence is found from the last chunk to the first, with one search and one minimum over a
range for all occurrences of a chunk together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from excerpt.model.spans import FloatArray, IntArray
from excerpt.placing.stepping import Evenly

_NEVER = 1 << 60
#: Occurrences whose costs are kept all at once.
_MOST = 1 << 23


class Occurrences(NamedTuple):
    """Where a chunk may stand, ascending, and the characters before that are no white space."""

    start: IntArray
    solid: IntArray
    #: How many characters of the chunk are no white space.
    length: int


class Assignment(NamedTuple):
    """An occurrence for each chunk, and the steps back of all together."""

    rows: list[int]
    back: int


#: Given a chunk, occurrences of it that cost the same, and how far each is from the likely one: what to take.
Prefer: TypeAlias = Callable[[int, IntArray, FloatArray], int]


def _nearest(_chunk: int, rows: IntArray, far: FloatArray) -> int:
    return int(rows[far.argmin()])


def assign(
    chunks: Sequence[Occurrences], size: int, prefer: Prefer = _nearest, *, rising: bool = False
) -> Assignment | None:
    """The assignment that costs least; None where starts cannot rise though `rising` says that they must.

    `size` is the number of characters of the document that are no white space. Of occurrences that cost the
    same `prefer` takes one, by default the nearest to where chunks that overlap evenly would stand.

    >>> def at(*places: int) -> Occurrences:
    ...     return Occurrences(np.array(places), np.array(places), 5)
    >>> assign([at(0, 10), at(5), at(0, 10)], 15)
    Assignment(rows=[0, 0, 1], back=0)
    """
    step = _NEVER if _can_rise(chunks) else size
    if rising and step != _NEVER:
        return None
    rows: list[int] = []
    evenly = Evenly([chunk.length for chunk in chunks], size)
    last, end, back = -1, 0, 0
    for number, (chunk, costs) in enumerate(zip(chunks, _following(chunks, step), strict=True)):
        row = 0
        if len(costs) > 1:
            whole = costs + 2 * np.maximum(end - chunk.solid, 0) + np.where(chunk.start <= last, step, 0)
            ties = np.flatnonzero(whole == whole.min())
            overlap = evenly.overlap(number, end) if step == _NEVER else 0.0
            far = np.abs(end - chunk.solid[ties] - overlap)
            row = prefer(number, ties, far) if len(ties) > 1 else int(ties[0])
        rows.append(row)
        solid = int(chunk.solid[row])
        back += max(0, end - solid)
        last, end = int(chunk.start[row]), solid + chunk.length
    return Assignment(rows, back)


def _can_rise(chunks: Sequence[Occurrences]) -> bool:
    """Whether there is an assignment whose starts rise."""
    last = -1
    for chunk in chunks:
        row = 0 if len(chunk.start) == 1 else int(chunk.start.searchsorted(last, side="right"))
        if row == len(chunk.start) or chunk.start[row] <= last:
            return False
        last = int(chunk.start[row])
    return True


def _following(chunks: Sequence[Occurrences], step: int) -> Iterator[IntArray]:
    """The least cost of all that follows each occurrence of each chunk, from the first chunk on.

    They are found from the last chunk on. Of very many only some are kept, and the others found again.
    """
    count = len(chunks)
    many = sum(len(chunk.start) for chunk in chunks) > _MOST
    block = math.isqrt(count) + 1 if many else max(1, count)
    kept: dict[int, IntArray] = {}
    costs: IntArray | None = None
    for number in range(count - 1, 0 if many else count, -1):
        costs = _costs(chunks, number, costs, step)
        if number % block == 0:
            kept[number] = costs
    for first in range(0, count, block):
        costs, some = kept.get(first + block), []
        for number in range(min(first + block, count) - 1, first - 1, -1):
            costs = _costs(chunks, number, costs, step)
            some.append(costs)
        yield from reversed(some)


def _costs(chunks: Sequence[Occurrences], number: int, costs: IntArray | None, step: int) -> IntArray:
    """The least cost of all that follows each occurrence of a chunk, by that of the next chunk."""
    this = chunks[number]
    if costs is None:
        return np.zeros(len(this.start), np.int64)
    following = chunks[number + 1]
    if len(this.start) == len(costs) == 1:  # nearly always
        back = max(0, int(this.solid[0]) + this.length - int(following.solid[0]))
        return costs + (2 * back + (step if following.start[0] <= this.start[0] else 0))
    return _before(this, following, costs, step)


def _before(this: Occurrences, following: Occurrences, costs: IntArray, step: int) -> IntArray:
    """The same for many occurrences at once."""
    end = this.solid + this.length
    later = np.searchsorted(following.start, this.start, side="right")
    after = np.maximum(later, np.searchsorted(following.solid, end))
    back = costs - 2 * following.solid  # to which twice the end is added
    least = np.minimum(np.append(costs, _NEVER)[after], _least(back, later, after) + 2 * end)
    if step != _NEVER:
        earlier = np.append(_NEVER, np.minimum.accumulate(back))
        least = np.minimum(least, earlier[later] + 2 * end + step)
    return np.asarray(np.minimum(least, _NEVER))


def _least(values: IntArray, first: IntArray, last: IntArray) -> IntArray:
    """The least value of each range [first, last); `_NEVER` for empty ones.

    >>> _least(np.array([3, 1, 2]), np.array([0, 2, 1]), np.array([2, 3, 1])).tolist()[:2]
    [1, 2]
    """
    found = np.full(len(first), _NEVER, np.int64)
    width = last - first
    level, table = 1, values
    while True:  # the least of every stretch of 1, 2, 4, … values
        rows = np.flatnonzero((width >= level) & (width < 2 * level))
        if len(rows):
            found[rows] = np.minimum(table[first[rows]], table[last[rows] - level])
        level *= 2
        if not len(width) or level > width.max():
            return found
        table = np.minimum(table[: -level // 2], table[level // 2 :])
