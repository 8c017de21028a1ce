"""What a document may be called.

The rule: an id means the document whose own id it is, else the only one whose path it is, whose path without
extension, whose file name, or whose file name without extension, in this order.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable

from excerpt.documents.entry import Ids, document_id

#: Documents are known by the ends of their names.
_DOCUMENT = re.compile(r"(?s)(.*[^/])\.(txt|md|xml)(?:\.gz)?", re.IGNORECASE)
_KINDS = ("txt", "md", "xml")
SUFFIXES = tuple(f".{kind}" for kind in _KINDS)
_SEVERAL = -1


def kind_of(path: str) -> str:
    """`txt`, `md` or `xml` by the end of a name, compressed or not; empty for all else.

    >>> kind_of("a/b.TXT"), kind_of("b.xml.gz"), kind_of("b.html")
    ('txt', 'xml', '')
    """
    dot = path.rfind(".")
    if path[dot + 1 :] in _KINDS and dot > 0 and path[dot - 1] != "/":  # nearly always, and much faster
        return path[dot + 1 :]
    match = _DOCUMENT.fullmatch(path)
    return match[2].lower() if match else ""


def own_id(path: str, ids: Ids) -> str:
    """The id of a file: of XML as the index has it, of other files their path.

    >>> own_id("./a/b.xml", "stem"), own_id("a/b.xml", "path"), own_id("./a/b.txt", "stem")
    ('b', 'a/b', 'a/b.txt')
    """
    return document_id(path, ids) if kind_of(path) == "xml" else _plain(path)


def _plain(path: str) -> str:
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def _without_extension(path: str) -> str:
    match = _DOCUMENT.fullmatch(path)
    return match[1] if match else path


#: What a path may be written as, the surest first.
_SPELLINGS: tuple[Callable[[str], str], ...] = (
    _plain,
    lambda path: _without_extension(_plain(path)),
    posixpath.basename,
    lambda path: _without_extension(posixpath.basename(path)),
)


def spellings(path: str) -> tuple[str, ...]:
    """All that a document with this path may be called, the surest first.

    >>> spellings("a/b.txt")
    ('a/b.txt', 'a/b', 'b.txt', 'b')
    """
    return tuple(dict.fromkeys(spell(path) for spell in _SPELLINGS))


def table_of(paths: Iterable[tuple[int, str]]) -> dict[str, int]:
    """The document of every spelling that is of one document only; paths come with their documents.

    >>> table_of([(0, "a/x.txt"), (1, "b/x.txt")])
    {'a/x.txt': 0, 'b/x.txt': 1, 'a/x': 0, 'b/x': 1}
    """
    known = list(paths)
    table: dict[str, int] = {}
    for spell in _SPELLINGS:
        surer = set(table) if table else ()
        for number, path in known:
            name = spell(path)
            if name not in surer and table.setdefault(name, number) != number:
                table[name] = _SEVERAL
    return {name: number for name, number in table.items() if number != _SEVERAL}
