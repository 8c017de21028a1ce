"""What documents of all archives have in common: names, links, and damage said in one line.

Names that begin with `/` are looked for from the top of the archive.
"""

from __future__ import annotations

import contextlib
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping

from excerpt.errors import ExcerptError, FormatError
from excerpt.files import describe
from excerpt.index.corpus.entries import LARGE, Content, Entry, Ids, Packed, document_id, is_packed

NOWHERE = "a link that leads to no file of the archive"
_MOST_LINKS = 40  # of a chain, as systems have it: it may be a loop


class Damaged(Exception):
    """The archive is not what its format promises."""


#: What readers of damaged archives raise.
DAMAGE = (
    Damaged,
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    NotImplementedError,  # a zip method the standard library does not know
    RuntimeError,  # an encrypted zip member
)


def make_entry(archive: str, ids: Ids, name: str, size: int, content: Content, done: int) -> Entry:
    """A document of an archive, which messages call archive!name."""
    return Entry(document_id(name, ids), f"{archive}!{name}", size, content, done)


def make_content(parts: Iterator[bytes], name: str, size: int) -> Content:
    """The bytes of a document of that name; a large one stays a stream, and the archive waits for it."""
    if is_packed(name):
        return Packed(b"".join(parts))
    return parts if size > LARGE else b"".join(parts)


def follow(name: str, links: Mapping[str, str]) -> str:
    """The name without `.`, `..` and links, folders that are links included; empty if they form a loop.

    >>> follow("./a/../b/c.xml", {"b": "d/e"}), follow("a", {"a": "b", "b": "a"})
    ('d/e/c.xml', '')
    """
    path: list[str] = []
    waiting = name.split("/")[::-1]
    left = _MOST_LINKS
    while waiting:
        part = waiting.pop()
        if part == ".." and path and path[-1] != "..":
            path.pop()
        elif part not in ("", "."):
            path.append(part)
            if (target := links.get("/".join(path))) is not None:
                left -= 1
                if left < 0:
                    return ""
                path = []
                waiting += target.split("/")[::-1]
    return "/".join(path)


def simplify(name: str) -> str:
    """The name without `.` and `..`."""
    return follow(name, {})


def guard_pieces(parts: Iterator[bytes], name: str, kind: str) -> Iterator[bytes]:
    """The same pieces, with damage said in one line."""
    with guard(name, kind):
        yield from parts


@contextlib.contextmanager
def guard(name: str, kind: str) -> Iterator[None]:
    """Says in one line what readers of damaged archives raise in a dozen ways."""
    try:
        yield
    except DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:  # the system's, not a library's
            raise ExcerptError(f"cannot be read: {describe(error)}", path=name) from None
        raise damage_error(name, kind, error) from None
    except Exception as error:
        if type(error).__name__ != "ZstdError":  # zstandard is imported only where it is needed
            raise
        raise damage_error(name, kind, error) from None


def damage_error(name: str, kind: str, detail: object) -> FormatError:
    """The error for an archive that is not what its format promises."""
    return FormatError(
        f"found damaged or truncated {kind} data ({detail}), expected a complete archive",
        path=name,
        hint="copy or download the file again",
    )
