"""Doubtful but legal input: counted while reading and evaluating, shown once per kind."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from excerpt.errors import ExcerptWarning, shorten

if TYPE_CHECKING:
    from excerpt.model.spans import BoolArray


class _Notice(NamedTuple):
    times: int
    where: str


class Gathering:
    """Where notices go: to the caller's, or to Python's `warnings` at the end of a call without any."""

    def __init__(self, notices: Notices | None) -> None:
        self._notices = Notices() if notices is None else notices
        self._warns = notices is None

    def __enter__(self) -> Notices:
        return self._notices

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._warns and kind is None:
            self._notices.warn()


@dataclass
class Notices:
    """Warnings gathered during one piece of work, one entry per kind of message.

    >>> notices = Notices()
    >>> notices.add("topic is not judged and was left out", where="a.run: topic 7")
    >>> notices.add("topic is not judged and was left out", 2)
    >>> list(notices)
    ['topic is not judged and was left out (3 times, first: a.run: topic 7)']
    """

    _kinds: dict[str, _Notice] = field(default_factory=dict)

    def add(self, message: str, count: int = 1, *, where: str = "") -> None:
        """Count `message` once more (or `count` times); the first place is kept."""
        if count > 0:
            known = self._kinds.get(message, _Notice(0, where))
            self._kinds[message] = known._replace(times=known.times + count)

    def add_marked(self, message: str, mask: BoolArray, where: Callable[[int], str]) -> None:
        """Count `message` for each row that `mask` marks; `where(row)` says where the first one is."""
        rows = mask.nonzero()[0]
        if len(rows):
            self.add(message, len(rows), where=where(int(rows[0])))

    def extend(self, other: Notices) -> None:
        """Count everything `other` has counted."""
        for message, notice in other._kinds.items():
            self.add(message, notice.times, where=notice.where)

    def reworded(self, told: Callable[[str], str]) -> Notices:
        """The same with other words, such as names of files instead of their paths.

        >>> notices = Notices()
        >>> notices.add("line is empty", where="a/b.fol:7")
        >>> list(notices.reworded(lambda text: text.removeprefix("a/")))
        ['line is empty (b.fol:7)']
        """
        found = Notices()
        for message, notice in self._kinds.items():
            found.add(told(message), notice.times, where=told(notice.where))
        return found

    def warn(self) -> None:
        """Hand every kind to Python's `warnings`, as coming from the line that called this package."""
        frame, level = sys._getframe(1), 2  # noqa: SLF001 - Python 3.11 cannot skip the files of a package
        while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "excerpt":
            frame, level = frame.f_back, level + 1
        for message in self:
            warnings.warn(message, ExcerptWarning, stacklevel=level)

    def __iter__(self) -> Iterator[str]:
        for message, notice in self._kinds.items():
            several = notice.times > 1
            times = f"{notice.times} times" if several else ""
            where = f"first: {notice.where}" if several and notice.where else notice.where
            details = ", ".join(filter(None, (times, where)))
            yield shorten(message + (f" ({details})" if details else ""))

    def __len__(self) -> int:
        return len(self._kinds)
