"""Warnings about doubtful input, counted and printed once per kind; located faults of wrong input."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from excerpt.errors import ExcerptWarning, FormatError, shorten

if TYPE_CHECKING:
    from excerpt.model.spans import BoolArray, IntArray


class _Notice(NamedTuple):
    plural: str
    times: int
    where: str
    #: If true, every run counts the same cases, and the largest count is printed instead of the sum.
    shared: bool = False


class Gathering:
    """Destination of warnings: the caller's notices or, at the end of the call, Python's `warnings`."""

    def __init__(self, notices: Notices | None) -> None:
        self._notices = Notices() if notices is None else notices
        self._warns = notices is None

    def __enter__(self) -> Notices:
        return self._notices

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._warns and kind is None:
            self._notices.warn()


@dataclass
class Notices:
    """Warnings gathered during one piece of work, one entry per kind of message.

    A message that counts things is given in the singular and in the plural, without the number; a message
    without a plural is printed as it is, once.

    >>> notices = Notices()
    >>> one, many = "topic is not judged and is left out", "topics are not judged and are left out"
    >>> notices.add(one, many, where="topic 7 of a.run")
    >>> list(notices)
    ['1 topic is not judged and is left out (topic 7 of a.run)']
    >>> notices.add(one, many, 2)
    >>> list(notices)
    ['3 topics are not judged and are left out (first: topic 7 of a.run)']
    """

    _kinds: dict[str, _Notice] = field(default_factory=dict)

    def add(
        self, singular: str, plural: str = "", count: int = 1, *, where: str = "", shared: bool = False
    ) -> None:
        """Count one more case of a warning (or `count` cases); `where` of the first case is kept.

        Cases are `shared` if every run counts the same ones, such as topics of the judgments.
        """
        if count > 0:
            known = self._kinds.get(singular, _Notice(plural, 0, where, shared))
            times = max(known.times, count) if shared else known.times + count
            self._kinds[singular] = known._replace(times=times)

    def add_marked(
        self,
        singular: str,
        plural: str,
        mask: BoolArray,
        where: Callable[[int], str],
        *,
        shared: bool = False,
    ) -> None:
        """Count one case for each row that `mask` marks; `where(row)` names the first one."""
        rows = mask.nonzero()[0]
        if len(rows):
            self.add(singular, plural, len(rows), where=where(int(rows[0])), shared=shared)

    def extend(self, other: Notices) -> None:
        """Add everything that `other` has counted."""
        for singular, notice in other._kinds.items():
            self.add(singular, notice.plural, notice.times, where=notice.where, shared=notice.shared)

    def cases(self) -> Iterable[tuple[str, _Notice]]:
        """Return the counts of each kind of message, by its singular."""
        return self._kinds.items()

    def reworded(self, reword: Callable[[str], str]) -> Notices:
        """Copy with reworded messages, such as names of files instead of their paths.

        >>> notices = Notices()
        >>> notices.add("line is empty", "lines are empty", where="a/b.fol:7")
        >>> list(notices.reworded(lambda text: text.removeprefix("a/")))
        ['1 line is empty (b.fol:7)']
        """
        copy = Notices()
        for singular, notice in self._kinds.items():
            texts = notice._replace(plural=reword(notice.plural), where=reword(notice.where))
            copy.extend(Notices({reword(singular): texts}))
        return copy

    def warn(self) -> None:
        """Hand every kind to Python's `warnings`, as coming from the line that called this package."""
        frame, level = sys._getframe(1), 2  # noqa: SLF001 - Python 3.11 cannot skip the files of a package
        while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "excerpt":
            frame, level = frame.f_back, level + 1
        for message in self:
            warnings.warn(message, ExcerptWarning, stacklevel=level)

    def __iter__(self) -> Iterator[str]:
        for singular, notice in self._kinds.items():
            message, where = singular, notice.where
            if notice.plural:
                message = f"{notice.times} {singular if notice.times == 1 else notice.plural}"
            if where and notice.times > 1:
                where = f"first: {where}"
            yield shorten(message + (f" ({where})" if where else ""))

    def __len__(self) -> int:
        return len(self._kinds)


class Faults:
    """Located errors in a file: readers report all of them, `settle` raises the first unless they are kept.

    All are counted, but only the earliest `most` are kept: a large file may be wrong in every line.
    """

    def __init__(self, name: str, keep: bool = False, most: int = 1000) -> None:
        self.name, self.keep, self.most, self.count = name, keep, most, 0
        #: What places are counted in: lines of text, or the rows of other files and of objects.
        self.unit: Literal["line", "row"] = "line"
        #: A heap, the latest on top: line, number, message and hint, the first two negative.
        self._kept: list[tuple[int, int, str, str]] = []

    def __bool__(self) -> bool:
        return self.count > 0

    def add(self, line: int | None, message: str, hint: str = "") -> None:
        """Report a fault in a line."""
        from heapq import heappush, heapreplace  # few files have faults

        self.count += 1
        fault = (-(line or 0), -self.count, message, hint)
        if len(self._kept) < (self.most if self.keep else 1):
            heappush(self._kept, fault)
        elif fault > self._kept[0]:
            heapreplace(self._kept, fault)

    def add_all(self, lines: IntArray, describe: Callable[[int], str], hint: str = "") -> None:
        """Report a fault in each of many lines, which ascend; `describe(number)` is its message."""
        described = min(len(lines), self.most if self.keep else 1)
        for number, line in enumerate(lines[:described].tolist()):
            self.add(line, describe(number), hint)
        self.count += len(lines) - described

    @property
    def found(self) -> list[FormatError]:
        """The faults that were kept, in the order of the file."""
        faults = sorted(self._kept, reverse=True)
        return [
            FormatError(message, path=self.name or None, line=-line or None, unit=self.unit, hint=hint)
            for line, _, message, hint in faults
        ]

    def settle(self) -> None:
        """Raise the first fault of the file, if there is one and faults are not kept."""
        if self.count and not self.keep:
            raise self.found[0]
