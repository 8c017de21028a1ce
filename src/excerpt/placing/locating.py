"""The chunks of one document: where each stands in its text, and how it does."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.placing.folding import Folded
from excerpt.placing.places import Place, Wanted
from excerpt.placing.searching import Mistaken, Search


def locate(text: str, chunks: Sequence[Wanted]) -> list[Place]:
    """Where the chunks of a document, which come in its order, stand in its text.

    >>> for place in locate("one two one", [Wanted("one"), Wanted("two"), Wanted("one", start=0)]):
    ...     print(*place)
    0 3 exact
    4 7 exact
    8 11 moved
    """
    starts = _straight(text, chunks)
    if starts is not None:
        return [chunk.at(start) for chunk, start in zip(chunks, starts, strict=True)]
    try:
        return Search(Folded(text)).places(chunks)
    except Mistaken:
        return Search(Folded(text, by_hash=False)).places(chunks)


def _straight(text: str, chunks: Sequence[Wanted]) -> list[int] | None:
    """Starts that rise and cannot cost less, found in one go from the first chunk to the last; else None.

    All steps sum up to the document without its chunks, so where none goes back, or none leaves a gap, no
    other assignment costs less.
    """
    found: list[int] = []
    last, end = -1, 0
    back = gap = False
    for chunk in chunks:
        start = _next(text, chunk, last, end)
        if start <= last:
            return None
        if start < end:
            back = back or not text[start:end].isspace()
        elif start > end:
            gap = gap or not text[end:start].isspace()
        if back and gap:
            return None
        found.append(start)
        last, end = start, start + len(chunk.text)
    rest = text[end:]
    return None if back and rest and not rest.isspace() else found


def _next(text: str, chunk: Wanted, last: int, end: int) -> int:
    """Where a chunk starts: as claimed, else right after the last one, else next; -1 where it does not."""
    part, claim = chunk.text, chunk.start
    if claim is not None:
        return claim if chunk.fixed or text.startswith(part, claim) else -1
    if end > last and text.startswith(part, end):
        return end
    solid = part.lstrip()
    if not solid:
        return -1  # white space alone stands in many places
    reach = min(len(text), end + len(part))
    start = reach - len(text[end:reach].lstrip()) - (len(part) - len(solid))  # after white space, if any
    if start > last and text.startswith(part, start):
        return start
    return text.find(part, last + 1)
