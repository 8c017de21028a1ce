"""From chunk to chunk through a folded text: places that are known to be best without looking at all others.

All steps from the end of a chunk to the start of the next sum up to the document without its chunks. So where
none of them goes back, or none leaves a gap, no other assignment costs less. In a text that repeats itself
over and over there are very many such assignments; what is likely then is that chunks overlap evenly.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate


class Evenly:
    """How much chunks of some lengths overlap where they do so evenly and end where the document does.

    >>> Evenly([5, 5, 5], 13).overlap(1, 5)
    1.0
    """

    def __init__(self, lengths: Sequence[int], size: int) -> None:
        self._rest = [*accumulate(reversed(lengths))][::-1]
        self._size = size

    def overlap(self, number: int, end: int) -> float:
        """What a chunk shares with the one before, which ends there."""
        steps = len(self._rest) - number
        return max(0.0, (end + self._rest[number] - self._size) / steps) if number else 0.0


def step_through(
    text: str, parts: Sequence[str], claims: Sequence[int | None] = (), ahead: int = 0
) -> list[int] | None:
    """Places of parts in a text, all folded, that rise and cost least; None where this way leads to none.

    Claims are taken where chunks need not overlap. The document may be taken for longer than it is, by
    `ahead`: then chunks at its end overlap more, rather than leave a gap.

    >>> step_through("aaaaaaaa", ["aaaa", "aaaa", "aaaa"])
    [0, 2, 4]
    """
    evenly = Evenly([*map(len, parts)], len(text) + ahead)
    apart = sum(map(len, parts)) <= len(text)
    found: list[int] = []
    last, end = -1, 0
    back = gap = False
    for number, part in enumerate(parts):
        start = claims[number] if claims else None
        if not apart:
            start = _near(text, part, last, end, end - evenly.overlap(number, end))
        elif start is None or start < end or not text.startswith(part, start):
            start = text.find(part, end)
        if start <= last:
            return None
        back = back or bool(text[start:end].strip())
        gap = gap or bool(text[end:start].strip())
        if back and gap:
            return None
        found.append(start)
        last, end = start, start + len(part)
    return None if back and text[end:].strip() else found


def _near(text: str, part: str, last: int, end: int, goal: float) -> int:
    """The place of a part after the last start, next to a goal, if possible before the end; else -1."""
    middle = int(goal)
    before = text.rfind(part, last + 1, middle + len(part))
    after = text.find(part, max(middle, last + 1), end + 1 + len(part))
    if after < 0 or (before >= 0 and goal - before < after - goal):
        return before if before >= 0 else text.find(part, last + 1)
    return after
