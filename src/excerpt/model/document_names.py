"""Names of documents: kinds by ending, ids, and the other names by which a document is found."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from itertools import product
from typing import Literal

from excerpt.errors import ExcerptError

Ids = Literal["stem", "path"]

#: Kinds of documents, which are their file extensions: the first ones, whose names no later kind takes, …
_FIRST = ("txt", "md", "xml")
#: … and those that came with version 0.4.
_LATER = (
    *("mdx", "rst", "adoc", "org", "tex", "html", "ipynb"),
    *("docx", "pptx", "xlsx", "odt", "epub", "pdf"),
)
_KINDS = _FIRST + _LATER
#: Kinds whose files are their text.
TEXTS = ("txt", "md", *_LATER[:5])
EXTENSIONS = tuple(f".{kind}" for kind in _KINDS)
_DOCUMENT = re.compile(rf"(?s)(.*[^/])\.({'|'.join(_KINDS)})(?:\.gz)?", re.IGNORECASE)
_AMBIGUOUS = -1


def kind_of(path: str) -> str:
    """Kind of a document by its extension, compressed or not: `txt`, `md`, `pdf`, …; empty for others.

    >>> kind_of("a/b.TXT"), kind_of("b.xml.gz"), kind_of("b.html"), kind_of("b.png")
    ('txt', 'xml', 'html', '')
    """
    dot = path.rfind(".")
    if path[dot + 1 :] in _KINDS and dot > 0 and path[dot - 1] != "/":  # the usual case, much faster
        return path[dot + 1 :]
    match = _DOCUMENT.fullmatch(path)
    return match[2].lower() if match else ""


def is_xml(path: str) -> bool:
    """Check by its name if a file is an XML document."""
    return kind_of(path) == "xml"


def yields_names(path: str) -> bool:
    """Check if a document yields its names to those of the kinds that all versions read.

    >>> yields_names("intro.md"), yields_names("intro.html"), yields_names("intro.py")
    (False, True, True)
    """
    return kind_of(path) not in _FIRST


def is_packed(path: str) -> bool:
    """Check by its name if a document is compressed."""
    return path.lower().endswith(".gz")


def document_id(path: str, ids: Ids) -> str:
    """Id of a document by its path in the corpus, with `/` between folders; of plain text, the path itself.

    >>> document_id("./tc/2001/t0111.xml", "stem"), document_id("./tc/2001/t0111.xml", "path")
    ('t0111', 'tc/2001/t0111')
    >>> document_id("./a/b.txt", "stem")
    'a/b.txt'
    """
    stem = path[path.rfind("/") + 1 : -len(".xml")]
    if ids == "stem" and stem and path.endswith(".xml"):  # the usual case, much faster
        return stem
    if not is_xml(path):
        return _plain(path)
    return _without_extension(posixpath.basename(path) if ids == "stem" else _plain(path))


def _plain(path: str) -> str:
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def _without_extension(path: str) -> str:
    match = _DOCUMENT.fullmatch(path)
    return match[1] if match else path


#: Forms of a path that refer to its document, the most reliable first.
_SPELLINGS: tuple[Callable[[str], str], ...] = (
    _plain,
    lambda path: _without_extension(_plain(path)),
    posixpath.basename,
    lambda path: _without_extension(posixpath.basename(path)),
)


def spellings(path: str) -> tuple[str, ...]:
    """All names of a document with this path, the most reliable first.

    >>> spellings("a/b.txt")
    ('a/b.txt', 'a/b', 'b.txt', 'b')
    """
    return tuple(dict.fromkeys(spell(path) for spell in _SPELLINGS))


def unique_spellings(paths: Iterable[tuple[int, str]]) -> dict[str, int]:
    """Documents by those spellings of their paths that refer to only one; paths come with their documents.

    >>> unique_spellings([(0, "a/x.txt"), (1, "b/x.txt")])
    {'a/x.txt': 0, 'b/x.txt': 1, 'a/x': 0, 'b/x': 1}
    >>> unique_spellings([(0, "x.html"), (1, "x.md")])
    {'x.md': 1, 'x': 1, 'x.html': 0}
    """
    documents = list(paths)
    table: dict[str, int] = {}
    tiers = (
        [document for document in documents if not yields_names(document[1])],
        [document for document in documents if yields_names(document[1])],
    )
    for tier, spell in product(filter(None, tiers), _SPELLINGS):
        more_reliable = set(table) if table else ()
        for number, path in tier:
            name = spell(path)
            if name not in more_reliable and table.setdefault(name, number) != number:
                table[name] = _AMBIGUOUS
    return {name: number for name, number in table.items() if number != _AMBIGUOUS}


def duplicate_id(identifier: str, first: str, second: str, *, by_name: bool = False) -> ExcerptError:
    """Error for an id that two documents have; `by_name` suggests paths as ids instead of file names."""
    return ExcerptError(
        f"two documents have the id {identifier!r}: {first} and {second}",
        hint="set ⟨ids=path⟩" if by_name and first != second else "keep one of them",
    )
