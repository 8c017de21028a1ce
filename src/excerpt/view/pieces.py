"""The text of a document in pieces: what is relevant, what was retrieved, and how often."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

#: Relevant and retrieved, relevant only, retrieved only; `unjudged` is what was retrieved of a document that
#: nobody judged.
State: TypeAlias = Literal["hit", "missed", "vain", "unjudged"]


class Piece(NamedTuple):
    """Text from `start` to `end` in one state, with the ranks of all results that show it."""

    start: int
    end: int
    state: State
    ranks: tuple[int, ...]

    @property
    def again(self) -> bool:
        """Whether the text was retrieved more than once."""
        return len(self.ranks) > 1

    @property
    def relevant(self) -> bool:
        """Whether the text is relevant."""
        return self.state in {"hit", "missed"}


class _Edge(NamedTuple):
    """Where a stretch of text begins or ends; the rank of relevant text is 0."""

    place: int
    rank: int
    begins: bool


def pieces(
    relevant: Iterable[tuple[int, int]],
    results: Iterable[tuple[int, int, int]],
    size: int,
    *,
    judged: bool = True,
) -> list[Piece]:
    """Text that is relevant or retrieved, cut where anything changes; `results` are start, end and rank.

    What lies beyond `size` is left out, as is text that is neither.

    >>> [(piece.state, piece.start, piece.end) for piece in pieces([(0, 4)], [(2, 9, 1)], 7)]
    [('missed', 0, 2), ('hit', 2, 4), ('vain', 4, 7)]
    """
    edges = sorted([*_edges(((*span, 0) for span in relevant), size), *_edges(results, size)])
    found: list[Piece] = []
    active: list[int] = []  # ranks, ascending; 0 first
    for edge, following in pairwise([*edges, _Edge(size, 0, False)]):
        if edge.begins:
            insort(active, edge.rank)
        else:
            del active[bisect_left(active, edge.rank)]
        if active and edge.place < following.place:
            _add(found, _piece(edge.place, following.place, active, judged=judged))
    return found


def _edges(spans: Iterable[tuple[int, int, int]], size: int) -> Iterator[_Edge]:
    for start, end, rank in spans:
        if start < min(end, size):
            yield _Edge(start, rank, True)
            yield _Edge(min(end, size), rank, False)


def _piece(start: int, end: int, active: list[int], *, judged: bool) -> Piece:
    relevant = active[0] == 0
    ranks = tuple(dict.fromkeys(active[bisect_left(active, 1) :]))
    if relevant:
        return Piece(start, end, "hit" if ranks else "missed", ranks)
    return Piece(start, end, "vain" if judged else "unjudged", ranks)


def _add(found: list[Piece], piece: Piece) -> None:
    """Join a piece with the one before it where they touch and are alike."""
    if found and found[-1].end == piece.start and found[-1][2:] == piece[2:]:
        piece = found.pop()._replace(end=piece.end)
    found.append(piece)
