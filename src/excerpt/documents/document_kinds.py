"""Kinds of documents: how each is read, which can be unreadable, and what a folder says of those left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import NamedTuple, TypeAlias, cast

from excerpt.corpus.document import Document, text_of
from excerpt.errors import plural
from excerpt.model.document_names import TEXTS, kind_of

#: Reads the bytes of a file with its name and the encoding of text that is not UTF-8.
Reader: TypeAlias = Callable[[bytes, str, str | None], Document]


class _Kind(NamedTuple):
    """How a kind of files is read: a function here, by its module, and one that only tests a file."""

    module: str
    read: str
    probe: str = ""


_OFFICE = _Kind("office", "read_office")
#: The kinds that are not simply text; XML is read as by an index.
_KINDS: Mapping[str, _Kind] = {
    "html": _Kind("webpage", "read_html"),
    "ipynb": _Kind("notebook", "read_notebook"),
    "pdf": _Kind("paged", "read_pdf", "probe_pdf"),
    **dict.fromkeys(("docx", "pptx", "xlsx", "odt", "epub"), _OFFICE),
}
_PACKED = (".gz", ".bz2", ".xz", ".zst")
#: Other endings of these kinds, for files that are named.
_ENDINGS = {"htm": "html", "xhtml": "html"}


def ending_of(name: str) -> str:
    """Return the ending of a file, without that of its compression.

    >>> ending_of("a/corpus.CSV.gz"), ending_of("a.b/README")
    ('csv', '')
    """
    base = name.replace("\\", "/").rpartition("/")[2].lower()
    for packed in _PACKED:
        base = base.removesuffix(packed)
    return base.rpartition(".")[2] if "." in base else ""


def converted(path: str) -> str:
    """Return the kind of a file whose text must be extracted; empty for plain text and XML.

    >>> converted("a/b.pdf"), converted("b.htm"), converted("b.md"), converted("b.xml")
    ('pdf', 'html', '', '')
    """
    kind = kind_of(path) or _ENDINGS.get(path.rpartition(".")[2].lower(), "")
    return kind if kind in _KINDS else ""


def is_plain(path: str) -> bool:
    """Return whether the bytes of a file of a known kind are its text.

    >>> is_plain("b.md"), is_plain("b.md.gz"), is_plain("b.xml"), is_plain("b.py")
    (True, False, False, False)
    """
    return path.rpartition(".")[2] in TEXTS


def read_kind(kind: str, data: bytes, location: str, encoding: str | None = None) -> Document:
    """Read a document of a kind, with an error if its text cannot be extracted."""
    if kind not in _KINDS:
        return Document("", text_of(data, location, encoding), kind=kind)
    return _function(_KINDS[kind], _KINDS[kind].read)(data, location, encoding)


def probe_kind(kind: str, data: bytes, location: str, encoding: str | None = None) -> Document | None:
    """Raise the error of a document that cannot be read; return it if it had to be read for that."""
    if not _KINDS[kind].probe:
        return read_kind(kind, data, location, encoding)
    cast("Callable[[bytes, str], None]", _function(_KINDS[kind], _KINDS[kind].probe))(data, location)
    return None


def _function(kind: _Kind, name: str) -> Reader:
    return cast("Reader", getattr(import_module(f"excerpt.documents.{kind.module}"), name))


_MOST = 5


def left_out(others: Mapping[str, int]) -> str:
    """Say how many files a corpus leaves out, by ending; empty if there are none.

    >>> left_out({".zip": 4, "": 1, ".png": 6})
    '11 files of other kinds left out: 6 .png, 4 .zip, 1 without ending'
    """
    if not (total := sum(others.values())):
        return ""
    return f"{plural(total, 'file')} of other kinds left out: {_counted(others)}"


def _counted(counts: Mapping[str, int]) -> str:
    ranked = sorted(Counter(counts).items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{count} {name or 'without ending'}" for name, count in ranked[:_MOST]]
    rest = sum(count for _, count in ranked[_MOST:])
    return ", ".join([*shown, *([f"{rest} more"] if rest else [])])


def unread(reasons: Mapping[str, int], first: str) -> str:
    """Say how many files cannot be read, by reason; empty if there are none.

    >>> unread({"encrypted": 1, "no text": 2}, "a.pdf: is encrypted")
    '3 files that cannot be read left out: 2 no text, 1 encrypted (first: a.pdf: is encrypted)'
    """
    if not (total := sum(reasons.values())):
        return ""
    where = f"first: {first}" if total > 1 else first
    return f"{plural(total, 'file')} that cannot be read left out: {_counted(reasons)} ({where})"
