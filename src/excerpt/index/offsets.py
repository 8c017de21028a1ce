"""OffsetIndex: from document and path to span, and back; statistics of an index."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from excerpt.errors import ExcerptError
from excerpt.index.build.batch import BrokenDocument
from excerpt.index.build.merge import encode_id
from excerpt.index.disk import (
    BROKEN,
    TAGS,
    Stored,
    Texts,
    damage_error,
    guard_columns,
    open_store,
    read_json,
    verify,
)
from excerpt.index.lookup import FoundElements, Lookup, PathParser, Pointers, Resolved, find_text_nodes
from excerpt.model.run import encode
from excerpt.model.spans import IntArray, keys

if TYPE_CHECKING:
    from excerpt.model.judgments import Unit


@dataclass(frozen=True)
class Statistics:
    """An index in numbers; lengths in its unit, a root has depth 1, `tags` by falling count."""

    documents: int
    elements: int
    characters: int
    mean_depth: float
    max_depth: int
    mean_length: float
    mean_elements: float
    tags: dict[str, int]
    broken: int


def path_depths(parents: npt.NDArray[np.int32]) -> IntArray:
    """How many steps each tag path has."""
    depths: list[int] = []
    for parent in parents.tolist():  # parents come before their children
        depths.append(depths[parent] + 1 if parent >= 0 else 1)
    return np.array(depths)


#: Documents are taken together until they have about so many elements: memory stays small.
_AT_ONCE = 1 << 20


def elements_at(lookup: Lookup, documents: IntArray, start: IntArray, end: IntArray) -> IntArray:
    """The row of the outermost element with each span, -1 where none has it.

    Two elements with the same text lie inside each other, and rows of ancestors are lower. Only elements
    without text can be siblings in the same place; of those the lowest row is taken, which is outermost too.
    """
    rows = np.full(len(documents), -1, np.int64)
    asked = np.flatnonzero((documents >= 0) & (documents < len(lookup.size)) & (start >= 0) & (end >= start))
    asked = asked[np.argsort(documents[asked], kind="stable")]
    for part in _parts(lookup, documents, asked):
        rows[part] = _rows_at(lookup, documents[part], start[part], end[part])
    return rows


def _parts(lookup: Lookup, documents: IntArray, asked: IntArray) -> Iterator[IntArray]:
    """The queries, sorted by document, cut between documents."""
    distinct, first = np.unique(documents[asked], return_index=True)
    total = np.cumsum(lookup.counts(distinct))
    cuts = first[1:][np.diff(total // _AT_ONCE) > 0]
    yield from np.split(asked, cuts)


def _rows_at(lookup: Lookup, documents: IntArray, start: IntArray, end: IntArray) -> IntArray:
    distinct, document = np.unique(documents, return_inverse=True)
    owner, row = lookup.elements_of(distinct)
    starts, begin = np.unique(keys(document, start), return_inverse=True)
    known = _places(starts, keys(owner, lookup.start[row]))
    row, known = row[known >= 0], known[known >= 0]
    spans, span = np.unique(keys(begin, end), return_inverse=True)
    place = _places(spans, keys(known, lookup.end[row]))
    nobody = np.iinfo(np.int64).max
    lowest = np.full(len(spans), nobody, np.int64)
    np.minimum.at(lowest, place[place >= 0], row[place >= 0])
    found = lowest[span]
    return np.where(found == nobody, -1, found)


def _places(known: IntArray, keys: IntArray) -> IntArray:
    """Where each key stands among the known ones, which ascend; -1 where it is not among them."""
    if not len(known):
        return np.full(len(keys), -1, np.int64)
    place = np.searchsorted(known, keys).clip(max=len(known) - 1)
    return np.where(known[place] == keys, place, -1)


class OffsetIndex:
    """Every element of a corpus and where in its document's text it is; `build_index` makes it."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored
        self._lookup = Lookup(stored.columns)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> OffsetIndex:
        """The index in the directory `path`; takes the same moment whatever its size."""
        return cls(open_store(path))

    def __reduce__(self) -> tuple[object, ...]:
        # Worker processes map the files themselves.
        return (OffsetIndex.open, (str(self._stored.path),))

    def __len__(self) -> int:
        return len(self._lookup.size)

    def __repr__(self) -> str:
        return f"<OffsetIndex {str(self._stored.path)!r}: {len(self)} documents>"

    @property
    def unit(self) -> Unit:
        """What offsets count: characters, or bytes of the text in UTF-8."""
        return cast("Unit", self._stored.description["unit"])

    @property
    def fingerprint(self) -> str:
        """A digest of the documents' ids and bytes in their order, whatever they were kept in."""
        return str(self._stored.description["fingerprint"])

    @property
    def format_version(self) -> int:
        """The version of the files' format."""
        return int(self._stored.description["version"])

    @property
    def has_text(self) -> bool:
        """Whether the text of the documents was kept."""
        return bool(self._stored.description.get("text"))

    @cached_property
    def texts(self) -> Texts:
        """The texts of the documents by number; an error where they were not kept."""
        if not self.has_text:
            raise ExcerptError(
                "found an index without text, expected one with it",
                path=str(self._stored.path),
                hint="make it again from the corpus with ⟨keep_text⟩",
            )
        return Texts(self._stored)

    @cached_property
    def broken(self) -> tuple[BrokenDocument, ...]:
        """The documents of the corpus that could not be indexed."""
        try:
            return tuple(BrokenDocument(**row) for row in read_json(self._stored, BROKEN))
        except TypeError:
            raise damage_error(self._stored.path, f"{BROKEN} is no list of documents") from None

    @property
    def mean_length(self) -> Fraction:
        """Characters per document, exactly, in the unit of the index."""
        return Fraction(self._stored.description["characters"], self._stored.description["documents"])

    def verify(self) -> None:
        """Read all files and compare them with their check sums; opening does so for small files only."""
        verify(self._stored)

    def statistics(self) -> Statistics:
        """The index in numbers."""
        columns, description = self._stored.columns, self._stored.description
        documents, elements = int(description["documents"]), int(description["elements"])
        with self._guard():
            depths, counts = self._path_depths, columns["path_count"].astype(np.int64)
            by_tag = np.bincount(columns["path_tag"], counts, len(self._tags)).astype(np.int64).tolist()
            tags = sorted(zip(self._tags, by_tag, strict=True), key=lambda item: (-item[1], item[0]))
            return Statistics(
                documents,
                elements,
                int(description["characters"]),
                float((depths * counts).sum() / elements),
                int(depths.max()),
                int(description["characters"]) / documents,
                elements / documents,
                dict(tags),
                int(description["broken"]),
            )

    def _guard(self) -> AbstractContextManager[None]:
        return guard_columns(self._stored.path)

    def document_codes(self, ids: Sequence[str]) -> IntArray:
        """The number of each document, -1 where it is not in the index."""
        stored = self._stored.columns["document_id"]
        order = self._stored.columns["document_order"]
        distinct, which = encode(ids)
        names = [_encode(document, stored.dtype.itemsize) for document in distinct]
        asked = np.array(names, stored.dtype)
        with self._guard():
            place = np.searchsorted(stored, asked, sorter=order)
            codes = order[np.minimum(place, len(order) - 1)].astype(np.int64)
            known = (stored[codes] == asked) & (asked != b"")
        return cast("IntArray", np.where(known, codes, -1)[which])

    def document_ids(self, codes: npt.ArrayLike) -> list[str]:
        """The ids of documents by number; empty where the number is -1."""
        numbers = np.asarray(codes, np.int64)
        names = np.where(numbers >= 0, self._stored.columns["document_id"][np.maximum(numbers, 0)], b"")
        return [name.decode("utf-8", "surrogateescape") for name in names.tolist()]

    def document_sizes(self, codes: npt.ArrayLike) -> IntArray:
        """The lengths of documents by number, in the unit of the index; -1 where the number is -1."""
        numbers = np.asarray(codes, np.int64)
        sizes = self._lookup.size[np.maximum(numbers, 0)]
        return np.where(numbers >= 0, sizes, np.int64(-1)).astype(np.int64)

    def resolve(self, documents: npt.ArrayLike, paths: Sequence[str]) -> Resolved:
        """The spans of elements `/a[1]/b[2]` or text nodes `/a[1]/b[2]/text()[1]`, -1 where there is none."""
        pointers = self._parser.parse_all(paths)
        resolved = self._resolve(np.asarray(documents, np.int64), pointers)
        pointed = pointers.offset[pointers.which] >= 0
        for column in resolved:
            column[pointed] = -1
        return resolved

    def resolve_pointers(self, documents: npt.ArrayLike, pointers: Sequence[str], *, end: bool) -> IntArray:
        """The offsets that pointers `/a[1]/text()[2].6` mean, or the edges of elements and text nodes."""
        parsed = self._parser.parse_all(pointers)
        spans = self._resolve(np.asarray(documents, np.int64), parsed)
        offset = parsed.offset[parsed.which]
        inside = np.where(spans.start + offset <= spans.end, spans.start + offset, -1)
        edge = spans.end if end else spans.start
        return np.where(offset < 0, edge, np.where(spans.element < 0, -1, inside))

    def path(self, elements: npt.ArrayLike) -> list[str]:
        """The paths of elements by row; empty where the row is -1."""
        rows = np.asarray(elements, np.int64)
        if len(rows) and rows.max() >= len(self._lookup.start):
            raise IndexError(f"element {rows.max()} of {len(self._lookup.start)}")
        with self._guard():
            return self._path(rows)

    def _path(self, rows: IntArray) -> list[str]:
        steps: list[list[str]] = [[] for _ in rows]
        waiting = np.flatnonzero(rows >= 0)
        places = self._lookup.locate(rows[waiting])
        tag_of = self._stored.columns["path_tag"]
        while len(waiting):
            tags = tag_of[self._lookup.group_path[places.group]].tolist()
            positions, above = self._lookup.climb(places)
            for number, tag, position in zip(waiting.tolist(), tags, positions.tolist(), strict=True):
                steps[number].append(f"{self._tags[tag]}[{position}]")
            if (above.group > places.group).any():  # parents come before their children
                raise ValueError
            inner = above.group != places.group
            places, waiting = FoundElements(*(column[inner] for column in above)), waiting[inner]
        return ["/".join(("", *reversed(way))) for way in steps]

    def elements_of(self, documents: npt.ArrayLike) -> tuple[IntArray, IntArray]:
        """All elements of documents: the place of its document in the argument, and the row, of each.

        Rows ascend inside a document, and an element has a higher row than its ancestors.
        """
        with self._guard():
            return self._lookup.elements_of(np.asarray(documents, np.int64))

    def elements_at(self, documents: npt.ArrayLike, start: npt.ArrayLike, end: npt.ArrayLike) -> IntArray:
        """The row of the outermost element that is exactly [start, end) of its document, -1 where none is."""
        asked = [np.asarray(column, np.int64) for column in (documents, start, end)]
        if len({len(column) for column in asked}) > 1:
            raise ValueError("{} documents, {} starts and {} ends".format(*map(len, asked)))
        with self._guard():
            return elements_at(self._lookup, *asked)

    def spans(self, rows: npt.ArrayLike) -> tuple[IntArray, IntArray]:
        """Start and end of elements by row; -1 where the row is -1."""
        found = self._spans(np.asarray(rows, np.int64))
        return found.start, found.end

    def parents(self, rows: npt.ArrayLike) -> IntArray:
        """The rows of the elements around elements; -1 for roots and where the row is -1."""
        with self._guard():
            return _where_known(rows, self._lookup.parents)

    def depths(self, rows: npt.ArrayLike) -> IntArray:
        """How many steps the paths of elements have, 1 for roots; -1 where the row is -1."""
        with self._guard():
            return _where_known(rows, lambda known: self._path_depths[self._path_of(known)])

    def tags(self, rows: npt.ArrayLike) -> IntArray:
        """The names of elements by row, as places in `tag_names`; -1 where the row is -1."""
        with self._guard():
            return _where_known(rows, lambda known: self._stored.columns["path_tag"][self._path_of(known)])

    def path_codes(self, rows: npt.ArrayLike) -> IntArray:
        """A number for the names on the path of each element, whatever the positions; -1 where the row is."""
        with self._guard():
            return _where_known(rows, self._path_of)

    @property
    def tag_names(self) -> tuple[str, ...]:
        """Every element name of the corpus."""
        return tuple(self._tags)

    def _path_of(self, rows: IntArray) -> IntArray:
        """The tag path of each element."""
        return np.asarray(self._lookup.group_path[self._lookup.locate(rows).group])

    def _resolve(self, documents: IntArray, pointers: Pointers) -> Resolved:
        if documents.shape != pointers.which.shape:
            raise ValueError(f"{len(documents)} documents for {len(pointers.which)} paths")
        with self._guard():
            return self._find(documents, pointers)

    def _find(self, documents: IntArray, pointers: Pointers) -> Resolved:
        places = self._lookup.find(documents, pointers)
        resolved = self._spans(places.row)
        text = pointers.text[pointers.which]
        asked = np.flatnonzero((text > 0) & (places.row >= 0))
        if len(asked):
            found = find_text_nodes(
                self._lookup, FoundElements(*(column[asked] for column in places)), text[asked]
            )
            for column, values in zip(resolved, found, strict=True):
                column[asked] = values
        size = self._lookup.size[np.maximum(places.document, 0)]
        if ((resolved.start > resolved.end) | (resolved.end > size)).any():
            raise ValueError
        return resolved

    def _spans(self, rows: IntArray) -> Resolved:
        found = np.flatnonzero(rows >= 0)
        start, end = np.full(len(rows), -1, np.int64), np.full(len(rows), -1, np.int64)
        start[found], end[found] = self._lookup.start[rows[found]], self._lookup.end[rows[found]]
        return Resolved(start, end, rows.copy())

    @cached_property
    def _tags(self) -> list[str]:
        return list(read_json(self._stored, TAGS))

    @cached_property
    def _path_depths(self) -> IntArray:
        return path_depths(self._stored.columns["path_parent"])

    @cached_property
    def _parser(self) -> PathParser:
        columns = self._stored.columns
        with self._guard():
            return PathParser(self._tags, columns["path_parent"], columns["path_tag"])


def _where_known(rows: npt.ArrayLike, answer: Callable[[IntArray], IntArray]) -> IntArray:
    """The answer for each row, -1 where the row is -1."""
    asked = np.asarray(rows, np.int64)
    result = np.full(len(asked), -1, np.int64)
    known = np.flatnonzero(asked >= 0)
    result[known] = answer(asked[known])
    return result


def _encode(document: str, width: int) -> bytes:
    """The id as it would be stored, or empty where it cannot be in an index of this width."""
    try:
        name = encode_id(document)
    except UnicodeEncodeError:
        return b""
    return b"" if len(name) > width or "\0" in document else name
