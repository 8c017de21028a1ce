"""Lines of a file whose topics are scattered, gathered by topic in a temporary file."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, FormatError
from excerpt.files import content_size, describe
from excerpt.formats.registry import LinesOf
from excerpt.formats.source import Source
from excerpt.grouping import line_groups
from excerpt.grouping.line_groups import LineGroup, NeedsAllError, cut
from excerpt.grouping.name_codes import hashes_of
from excerpt.model.spans import BoolArray, IntArray
from excerpt.notices import Faults, Notices

#: Most groups; each has a part of every block of the file.
_MOST = 4096
#: Bytes of the temporary file for a byte of lines: those of the lines, and their numbers.
_SHARE = 1.15


class _Part(NamedTuple):
    """Lines of a block that belong to one group: their place in the temporary file."""

    offset: int
    size: int
    #: Their number, and the number of lines of the file before the block.
    lines: int
    before: int


def are_scattered(lines: LinesOf, source: Source) -> bool:
    """Return whether some topic of these lines has another one between its own."""
    names, code, _ = lines.topics_of(source)
    return len(code) > 0 and int(np.bincount(code[_opens(code)], minlength=len(names)).max()) > 1


def gather(path: str, lines: LinesOf) -> Iterator[LineGroup]:
    """Yield the lines of a file in groups that have all lines of their topics, in the order of the file."""
    size = content_size(path)
    count = min(size * 4 // (line_groups.GROUP_BYTES * 3) + 2, _MOST)
    try:
        folder = tempfile.gettempdir()
        if (free := shutil.disk_usage(folder).free) < size * _SHARE:
            raise _too_large(path, size, f"which has {free / 1e9:.1f} GB")
        # It has no name where the system allows it, so that nothing is left behind.
        with tempfile.TemporaryFile(prefix="excerpt-") as file:
            groups = _distribute(path, lines, file, count)
            for parts in filter(None, groups):
                yield _read(path, file, parts)
    except OSError as error:
        raise _too_large(path, size, describe(error)) from None


def _too_large(path: str, size: int, why: str) -> ExcerptError:
    message = f"topics are scattered; sorting them takes {size * _SHARE / 1e9:.1f} GB in "
    try:
        folder = tempfile.gettempdir()
    except OSError:
        folder = "a temporary folder"
    hint = "set TMPDIR to another folder, or sort the lines by topic"
    return ExcerptError(f"{message}{folder}: {why}", path=path, hint=hint)


def _distribute(path: str, lines: LinesOf, file: IO[bytes], count: int) -> list[list[_Part]]:
    """Write the lines of each group behind one another, block by block; return where they are."""
    groups: list[list[_Part]] = [[] for _ in range(count)]
    last = ""
    for block in cut(path, None, keep=True):
        source = Source(path, block.read(), None, Notices(), Faults(path))
        try:
            names, code, line = lines.topics_of(source)
            texts = source.text.splitlines(keepends=True)
        except FormatError as error:
            raise NeedsAllError(error.message, path=path) from None
        group, opens = np.zeros(len(texts), np.int64), np.zeros(len(texts), np.bool_)
        if len(code):
            row = np.zeros(len(texts), np.int64)  # lines without a topic belong to the row before them
            row[line[1:] - 1] = 1
            row = np.cumsum(row)
            group = (hashes_of(names) % count)[code][row]
            opens[line - 1] = _opens(code)
            opens[line[0] - 1] = names[code[0]] != last
            last = names[code[-1]]
        order = np.argsort(group, kind="stable")
        bounds = np.searchsorted(group[order], np.arange(count + 1))
        numbers = ((order << 1) | opens[order]).astype(np.uint32)
        for one, begin, end in zip(groups, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            if begin < end:
                content = b"".join(map(texts.__getitem__, order[begin:end].tolist()))
                one.append(_Part(file.tell(), len(content), end - begin, block.before))
                file.write(content)
                file.write(numbers[begin:end].tobytes())
    file.flush()
    return groups


def _opens(code: IntArray) -> BoolArray:
    """Return which rows have another topic than the row before them."""
    opens = np.ones(len(code), np.bool_)
    opens[1:] = code[1:] != code[:-1]
    return opens


def _read(path: str, file: IO[bytes], parts: list[_Part]) -> LineGroup:
    """Return a group that was written in parts."""
    texts, numbers, opens = list[bytes](), list[IntArray](), list[BoolArray]()
    for part in parts:
        file.seek(part.offset)
        texts.append(file.read(part.size))
        packed = np.frombuffer(file.read(4 * part.lines), np.uint32)
        numbers.append((packed >> 1) + np.int64(part.before + 1))
        opens.append((packed & 1).astype(np.bool_))
    content = b"".join(texts)
    return LineGroup(path, 0, len(content), 0, content, (np.concatenate(numbers), np.concatenate(opens)))
