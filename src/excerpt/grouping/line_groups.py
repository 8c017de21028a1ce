"""Lines of a file in groups that end where a topic ends, so that a file of any size fits in memory."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from excerpt.errors import ExcerptError
from excerpt.files import content_size, pieces
from excerpt.model.spans import BoolArray, IntArray

#: Bytes of a group, unless one topic has more.
GROUP_BYTES = 8 << 20
#: Groups of each worker, if they have this many bytes.
_EACH, _LEAST = 4, 1 << 20


class NeedsAllError(ExcerptError):
    """A file has something that only a reader of all its lines judges; what it is, that reader says."""


class LineGroup(NamedTuple):
    """Whole lines of a file, with all lines of their topics if these are together."""

    path: str
    #: Offset in the file, length, and number of lines before.
    begin: int
    size: int
    before: int
    #: The lines; None if they are to be read from the file.
    content: bytes | None
    #: If they were gathered from all of the file: their numbers, and whether another topic is before each.
    gathered: tuple[IntArray, BoolArray] | None = None

    def read(self) -> bytes:
        """Return the lines."""
        if self.content is not None:
            return self.content
        with open(self.path, "rb") as file:  # noqa: PTH123 - pathlib costs 3 ms
            file.seek(self.begin)
            return file.read(self.size)


def give_back() -> None:
    """Give the system the freed memory that the C library keeps, where it can: up to half of all."""
    import ctypes

    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # not every C library has it
            ctypes.CDLL(None).malloc_trim(0)


def cut(
    path: str, topic_of: Callable[[bytes], object] | None, *, keep: bool, workers: int = 1
) -> Iterator[LineGroup]:
    """Cut a file into groups, several even ones for each of many workers; `keep` their lines, or say where.

    `topic_of` returns the topic of a line, None without one; without it groups end anywhere. What is no usual
    text needs all lines.
    """
    even = content_size(path) // (_EACH * workers) + 1 if workers > 1 else GROUP_BYTES
    size = min(max(even, _LEAST), GROUP_BYTES)
    try:
        yield from _cut(path, topic_of, size, keep=keep)
    except NeedsAllError:
        raise
    except (ExcerptError, OSError) as error:
        raise NeedsAllError(str(error), path=path) from None


def _cut(
    path: str, topic_of: Callable[[bytes], object] | None, size: int, *, keep: bool
) -> Iterator[LineGroup]:
    left, begin, before, alike = b"", 0, 0, 0
    for piece in pieces(path, size):
        left += piece
        if len(left) < size:
            continue
        end, alike = _end(left, topic_of, alike), left.rfind(b"\n") + 1
        if not end:
            continue
        yield _checked(path, begin, before, left[:end], keep)
        begin, before, left = begin + end, before + left.count(b"\n", 0, end), left[end:]
        alike -= end
    if left:
        yield _checked(path, begin, before, left, keep)


def _checked(path: str, begin: int, before: int, content: bytes, keep: bool) -> LineGroup:
    """Return a group; raise if its text would be another one without the lines before and after it."""
    odd = b"\0" in content or (begin > 0 and content.startswith(b"\xef\xbb\xbf"))
    if not content.isascii():
        try:
            content.decode()
        except UnicodeDecodeError:
            odd = True
    if odd or (b"\r" in content and content.count(b"\r") != content.count(b"\r\n")):
        raise NeedsAllError("the text needs all lines", path=path)
    return LineGroup(path, begin, len(content), before, content if keep else None)


def _end(content: bytes, topic_of: Callable[[bytes], object] | None, alike: int) -> int:
    """Return the end of the last topic, or line, that is whole; 0 if there is none.

    The lines before `alike` have one topic, so that one of them tells it.
    """
    end = content.rfind(b"\n") + 1
    if topic_of is None:
        return end
    last: object = None
    while end:
        start = content.rfind(b"\n", 0, end - 1) + 1
        topic = topic_of(content[start:end])
        if topic is not None:
            if last is not None and topic != last:
                return end
            if end <= alike:
                return 0
            last = topic
        end = start
    return 0
