"""Visible text of HTML: blocks as lines, cells separated by tabs, no scripts, styles and hidden parts."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from typing import Any

from excerpt.corpus.document import Document, decode, tidy
from excerpt.documents.unreadable import TOO_LARGE, Unreadable, library, require_size, without_text
from excerpt.errors import FormatError
from excerpt.parse.sgml import EMPTY

#: Elements whose content nobody sees.
_HIDDEN = {"script", "style", "template", "noscript", "head", "iframe", "object", "svg", "canvas", "audio"}
_HIDDEN |= {"video", "datalist", "noembed", "noframes", "map"}
#: Elements that begin and end a line, and of these, those with an empty line around.
_LINES = {"div", "section", "article", "main", "header", "footer", "nav", "aside", "address", "figure"}
_LINES |= {"figcaption", "li", "dt", "dd", "tr", "caption", "form", "fieldset", "legend", "details"}
_LINES |= {"summary", "option", "optgroup", "body", "html", "thead", "tbody", "tfoot", "hgroup", "search"}
_PARAGRAPHS = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "table", "pre", "blockquote", "hr"}
_CELLS = {"td", "th"}
_BLANKS = re.compile(r"[ \t\n\r\f]+")
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.IGNORECASE)
_HEAD = 4096
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:-]*)")
#: Elements that end by themselves, so that their depth is not known from their tags.
_OPEN = {"p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "optgroup", "colgroup"}
_OPEN |= {"html", "head", "body", "rb", "rt", "rp", "rtc", "caption", "path", "use", "rect", *EMPTY}
#: Most elements inside each other: the time to parse a page grows with the square of its depth.
_DEEPEST = 1000
#: Most line breaks between two texts: an empty line.
_MOST_BREAKS = 2


def read_html(data: bytes, location: str, encoding: str | None = None) -> Document:
    """Read the visible text of a page; its title is that of the document."""
    require_size(len(data), 0, location)
    return of_markup(decoded(data, location, encoding), location)


def decoded(data: bytes, location: str, encoding: str | None) -> str:
    """Decode a page: as UTF-8, else as it declares itself, else by `encoding`."""
    try:
        return decode(data, location, encoding)
    except FormatError:
        declared = _CHARSET.search(data[:_HEAD])
        if declared is None or encoding is not None:
            raise
        try:
            codec = codecs.lookup(declared[1].decode("ascii"))
            return data.decode("cp1252" if codec.name == "iso8859-1" else codec.name)
        except (LookupError, ValueError):
            pass
        raise


def _require_shallow(markup: str, location: str) -> None:
    """Raise an error for elements that are nested as no page has them."""
    if markup.count("<") <= _DEEPEST:
        return
    opened: Counter[str] = Counter()
    depth = 0
    for slash, name in _TAG.findall(markup):
        tag = name.lower()
        if tag in _OPEN:
            continue
        if not slash:
            opened[tag] += 1
            depth += 1
            if depth > _DEEPEST:
                message = f"found more than {_DEEPEST} elements inside each other, expected fewer"
                raise Unreadable(message, path=location, hint="leave it out", reason=TOO_LARGE)
        elif opened[tag]:
            opened[tag] -= 1
            depth -= 1


def of_markup(markup: str, location: str) -> Document:
    """Read the visible text of HTML."""
    _require_shallow(markup, location)
    parser = library("selectolax.lexbor", location).LexborHTMLParser(markup)
    lines = _Lines()
    title = ""
    if parser.root is not None:
        named = parser.css_first("head > title")
        title = "" if named is None else tidy(named.text())
        _walk(parser.root, lines)
    if not (text := lines.text()):
        raise without_text("the page shows none", location)
    return Document("", text, title, "html")


def _walk(root: Any, lines: _Lines) -> None:
    """Visit all nodes in their order, without recursion: elements may be nested as deep as they like."""
    node = root
    while node is not None:
        tag = node.tag
        if tag == "-text":
            lines.add(node.text_content or "")
        elif tag[0] not in "-_!" and not _is_hidden(tag, node):
            lines.begin(tag)
            if node.child is not None:
                node = node.child
                continue
            lines.end(tag)
        while node is not None and node.next is None:
            node = node.parent
            if node is not None and node.tag[0] not in "-_!":
                lines.end(node.tag)
            if node is not None and node.mem_id == root.mem_id:
                return
        node = None if node is None else node.next


def _is_hidden(tag: str, node: Any) -> bool:
    if tag in _HIDDEN:
        return True
    attributes = node.attributes
    if not attributes:
        return False
    style = attributes.get("style")
    return "hidden" in attributes or (style is not None and _INVISIBLE.search(style) is not None)


class _Lines:
    """The lines of a page while it is read."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._breaks = 0  # line breaks due before the next text
        self._blank = False  # a blank is due before the next text of the line
        self._cell = False  # a tab is due before the next text of the row
        self._empty = True  # nothing is in the line so far
        self._preformatted = 0

    def add(self, text: str) -> None:
        """Add text: blanks count as one, except in preformatted text."""
        if self._preformatted:
            self._write(text)
            return
        words = _BLANKS.sub(" ", text)
        if words in {"", " "}:
            self._blank |= words == " "
            return
        self._blank |= words[0] == " "
        self._write(words.strip(" "))
        self._blank = words[-1] == " "

    def _write(self, text: str) -> None:
        if not text:
            return
        if self._breaks and self._parts:
            self._parts.append("\n" * self._breaks)
        elif self._cell and not self._empty:
            self._parts.append("\t")
        elif self._blank and not self._empty:
            self._parts.append(" ")
        self._breaks, self._cell, self._blank, self._empty = 0, False, False, False
        self._parts.append(text)

    def _break(self, count: int) -> None:
        self._breaks = max(self._breaks, count)
        self._empty, self._blank = True, False

    def begin(self, tag: str) -> None:
        """Begin an element."""
        if tag == "br":
            self._breaks = min(self._breaks + 1, _MOST_BREAKS)
            self._empty, self._blank = True, False
        elif tag in _PARAGRAPHS:
            self._break(2)
            self._preformatted += tag == "pre"
        elif tag in _LINES:
            self._break(1)
        elif tag in _CELLS:
            self._cell = True

    def end(self, tag: str) -> None:
        """End an element."""
        if tag in _PARAGRAPHS:
            self._preformatted -= tag == "pre"
            self._break(2)
        elif tag in _LINES:
            self._break(1)

    def text(self) -> str:
        """The text so far, without white space around it; empty if there is nothing else."""
        return "".join(self._parts).strip()
