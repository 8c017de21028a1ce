"""A chunk to place, and where it stands."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

#: How a chunk stands in its document; see `Chunks`.
How: TypeAlias = Literal["exact", "moved", "folded", "trimmed", "lost"]
HOWS: Final[tuple[How, ...]] = ("exact", "moved", "folded", "trimmed", "lost")


class Wanted(NamedTuple):
    """A chunk to place: its text, and where it is said to start and to end."""

    text: str
    start: int | None = None
    end: int | None = None
    #: Whether it is nothing but its offsets, so that it can stand nowhere else.
    fixed: bool = False

    def at(self, start: int) -> Place:
        """The place of the chunk where it stands literally.

        >>> Wanted("ab", 3).at(3), Wanted("ab", 3).at(7)
        (Place(start=3, end=5, how='exact'), Place(start=7, end=9, how='moved'))
        """
        end = start + len(self.text)
        claimed = self.start in {None, start} and self.end in {None, end}
        return Place(start, end, "exact" if claimed else "moved")


class Place(NamedTuple):
    """Where a chunk stands; -1 where it is lost."""

    start: int
    end: int
    how: How


LOST = Place(-1, -1, "lost")
