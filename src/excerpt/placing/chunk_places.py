"""Chunks that are to be located in a document, and their places."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

#: How a chunk occurs in its document; see `Chunks`.
ChunkOccurrence: TypeAlias = Literal["exact", "moved", "folded", "markup", "trimmed", "lost"]
HOWS: Final[tuple[ChunkOccurrence, ...]] = ("exact", "moved", "folded", "markup", "trimmed", "lost")


class UnplacedChunk(NamedTuple):
    """A chunk to locate: its text, and its claimed start and end."""

    text: str
    start: int | None = None
    end: int | None = None
    #: True if only its offsets were given, so that it cannot be at another position.
    fixed: bool = False

    def at(self, start: int) -> Placement:
        """The placement of the chunk at a start where it occurs literally.

        >>> UnplacedChunk("ab", 3).at(3), UnplacedChunk("ab", 3).at(7)
        (Placement(start=3, end=5, how='exact'), Placement(start=7, end=9, how='moved'))
        """
        end = start + len(self.text)
        claimed = self.start in {None, start} and self.end in {None, end}
        return Placement(start, end, "exact" if claimed else "moved")


class Placement(NamedTuple):
    """Position of a chunk in its document; -1, -1 if it is lost."""

    start: int
    end: int
    how: ChunkOccurrence


LOST = Placement(-1, -1, "lost")
