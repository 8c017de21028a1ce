"""Text of PDF files, page by page, with the place of each page in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Self

from excerpt.corpus.document import Document, tidy
from excerpt.documents.unreadable import (
    ENCRYPTED,
    Unreadable,
    damaged,
    in_time,
    library,
    require_pages,
    translated,
    without_text,
)
from excerpt.errors import plural

#: What is between the texts of two pages.
_BETWEEN = "\n\n"
#: The error code of PDFium for a password.
_PASSWORD = 4
#: Line ends of PDFium, the hyphen at the end of a line, and characters that are no text.
_ENDS, _HYPHEN = re.compile(r"\r\n?"), re.compile("[\ufffe\x02]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]|[\ud800-\udfff]")


def of_pages(pages: Iterable[str], kind: str = "", title: str = "") -> Document:
    """Make a document of the texts of its pages.

    >>> of_pages(["One.", "", "Three."])[1::4]
    ('One.\\n\\n\\n\\nThree.', ((0, 4), (6, 6), (8, 14)))
    """
    texts = list(pages)
    spans, start = [], 0
    for text in texts:
        spans.append((start, start + len(text)))
        start += len(text) + len(_BETWEEN)
    return Document("", _BETWEEN.join(texts), title, kind, pages=tuple(spans))


def read_pdf(data: bytes, location: str, _encoding: str | None = None) -> Document:
    """Read the text of all pages of a PDF; scripts, attachments and links are not looked at."""
    return in_time(lambda: _read(data, location), location)


def probe_pdf(data: bytes, location: str) -> None:
    """Raise the error of a PDF that has no text or cannot be read, without reading more than needed."""
    in_time(lambda: _first_text(data, location), location)


def _read(data: bytes, location: str) -> Document:
    with _Opened(data, location) as opened:
        found = of_pages(opened.texts(), "pdf", opened.title())
        if not found.text.strip():
            raise _only_images(len(opened), location)
        return found


def _first_text(data: bytes, location: str) -> None:
    with _Opened(data, location) as opened:
        if not any(text.strip() for text in opened.texts()):
            raise _only_images(len(opened), location)


def _only_images(count: int, location: str) -> Unreadable:
    return without_text(f"{plural(count, 'page')} of images", location)


class _Opened:
    """A PDF that is open."""

    def __init__(self, data: bytes, location: str) -> None:
        self._library = library("pypdfium2", location)
        self._location = location
        if not data:
            raise damaged("is empty", location)
        try:
            self._document = self._library.PdfDocument(data)
        except self._library.PdfiumError as error:
            # PDFium keeps the code of an earlier error if the pages are missing.
            if getattr(error, "err_code", None) == _PASSWORD and b"/Encrypt" in data:
                hint = "remove the password, or leave the file out"
                message = "is encrypted, expected a PDF that opens without a password"
                raise Unreadable(message, path=location, hint=hint, reason=ENCRYPTED) from None
            raise damaged("is not a readable PDF, or is cut off", location) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._document.close()

    def __len__(self) -> int:
        return len(self._document)

    def texts(self) -> Iterator[str]:
        """Yield the text of each page."""
        require_pages(len(self), "pages", self._location)
        for number in range(len(self)):
            try:
                page = self._document[number]
                text_page = page.get_textpage()
                text = text_page.get_text_range()
            except Exception as error:  # noqa: BLE001 - each version of the library has its own
                raise translated(error, f"PDF on page {number + 1}", self._location) from None
            text_page.close()
            page.close()
            yield _cleaned(text)

    def title(self) -> str:
        """The title that the file has; empty without one."""
        try:
            return tidy(_CONTROLS.sub("", self._document.get_metadata_value("Title")))
        except Exception:  # noqa: BLE001 - a broken title is none
            return ""


def _cleaned(text: str) -> str:
    r"""Return the text of a page with plain line ends, and words joined that a hyphen divides.

    >>> _cleaned("infor\ufffemation\r\nretrieval\x00")
    'information\nretrieval'
    """
    return _CONTROLS.sub("", _ENDS.sub("\n", _HYPHEN.sub("", text)))
