"""Pages as places: a row that names a page of its document has the start and end of that page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, Protocol, cast

from excerpt.errors import short
from excerpt.notices import Faults
from excerpt.records.record import name_of, show
from excerpt.records.rows import RowTable, is_absent
from excerpt.records.spellings import RowKeys, RowKind

#: The key of a page, from 1, or of several: 3, "3" or "3-5".
PAGE = "page"
#: What else can say where a row is; a page next to one of these is only a note.
_PLACES = {"start", "end", "offset", "length", "spans", "text", "quote", "path", "lost", "elements"}
_RANGE = re.compile(r"\s*([0-9]{1,9})\s*(?:[-\u2013]\s*([0-9]{1,9}))?\s*")
_EXPECTED = 'expected a page from 1, such as 3 or "3-5"'


class Paged(Protocol):
    """Documents, some of which have pages."""

    def resolve(self, identifier: str) -> str | None:
        """Return the own id of a document, None without one."""

    def pages(self, identifier: str) -> Sequence[tuple[int, int]]:
        """Start and end of each page of a document."""


def page_place(corpus: Paged, document: str, value: object) -> tuple[int, int]:
    """Return the start and end of a page; a ValueError says what is wrong.

    >>> class Book:
    ...     def resolve(self, identifier): return identifier
    ...     def pages(self, identifier): return [(0, 5), (7, 9), (11, 30)]
    >>> page_place(Book(), "A", 2), page_place(Book(), "A", "2-3")
    ((7, 9), (7, 30))
    """
    first, last = _numbers(value)
    own = corpus.resolve(document)
    if own is None:
        raise ValueError(
            f"found page {show(value)} of document {short(document)}, which is not in the corpus"
        )
    pages = corpus.pages(own)
    if not pages:
        raise ValueError(f"found page {show(value)}, but document {short(document)} has no pages")
    if last > len(pages):
        raise ValueError(f"found page {show(value)}, but document {short(document)} has {len(pages)}")
    return pages[first - 1][0], pages[last - 1][1]


def _numbers(value: object) -> tuple[int, int]:
    """Return the first and the last page of a value."""
    whole = isinstance(value, Real) and not isinstance(value, bool) and float(value).is_integer()
    text = str(int(float(cast("float", value)))) if whole else value
    match = _RANGE.fullmatch(text) if isinstance(text, str) else None
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last:
        raise ValueError(f"found page {show(value)}, {_EXPECTED}")
    return first, last


def with_pages(table: RowTable, kind: RowKind, corpus: Paged, faults: Faults) -> RowTable:
    """Return a table in which rows that name only a page have its start and end."""
    if PAGE not in table.keys and "any_of" not in table.keys:
        return table
    words = RowKeys(kind)
    lines, rows = list[int](), list[Mapping[str, Any]]()
    for line, row in table.rows():
        lines.append(line)
        try:
            rows.append(_placed(row, words, corpus))
        except ValueError as error:
            faults.add(line, str(error))
            rows.append({**_without_page(row), "start": 0, "end": 1})
    return RowTable.of(lines, rows)


def _placed(row: Mapping[str, Any], words: RowKeys, corpus: Paged) -> Mapping[str, Any]:
    choice = row.get("any_of")
    if isinstance(choice, list):
        return {**row, "any_of": [_each(one, words, corpus) for one in choice]}
    given = {words.meaning.get(key) for key, value in row.items() if not is_absent(value) and value != ""}
    if is_absent(row.get(PAGE)) or not _PLACES.isdisjoint(given):
        return row
    names = [row[key] for key in words.roles["document"] if key in row and not is_absent(row[key])]
    if not names:
        return row
    start, end = page_place(corpus, name_of(names[0]), row[PAGE])
    if start < end:
        return {**_without_page(row), "start": start, "end": end}
    if words.kind == "judgment":
        raise ValueError(f"found page {show(row[PAGE])} of document {short(names[0])}, which has no text")
    return {**_without_page(row), "start": -1, "end": -1, "lost": 1}  # a retriever of images may return it


def _each(one: Any, words: RowKeys, corpus: Paged) -> Any:
    """Return an alternative, or a list of parts of one, with places."""
    if isinstance(one, list):
        return [_each(part, words, corpus) for part in one]
    return _placed(one, words, corpus) if isinstance(one, Mapping) else one


def _without_page(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != PAGE}
