"""OffsetIndex: spans of elements by document and path, elements by span, and statistics."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from excerpt.errors import ExcerptError
from excerpt.index import disk
from excerpt.index.lookup import FoundElements, Lookup, PathParser, Pointers, Resolved, find_text_nodes
from excerpt.model.run import encode
from excerpt.model.spans import IntArray, keys

if TYPE_CHECKING:
    from excerpt.model.judgments import OffsetUnit

_ELEMENTS_AT_ONCE = 1 << 20  # elements that are searched at once, to limit memory


@dataclass(frozen=True)
class Statistics:
    """Statistics of an index; lengths are in its unit, a root has depth 1, `tags` are by falling count."""

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
    """Number of steps of each tag path."""
    depths: list[int] = []
    for parent in parents.tolist():  # parents come before their children
        depths.append(depths[parent] + 1 if parent >= 0 else 1)
    return np.array(depths)


def elements_at(lookup: Lookup, documents: IntArray, start: IntArray, end: IntArray) -> IntArray:
    """Lowest row of the elements with each span, which is an outermost one; -1 without one."""
    rows = np.full(len(documents), -1, np.int64)
    valid = (documents >= 0) & (documents < len(lookup.size)) & (start >= 0) & (end >= start)
    queries = np.flatnonzero(valid)
    queries = queries[np.argsort(documents[queries], kind="stable")]
    # Parts of the queries, divided at boundaries between documents.
    distinct, first = np.unique(documents[queries], return_index=True)
    total = np.cumsum(lookup.counts(distinct))
    for part in np.split(queries, first[1:][np.diff(total // _ELEMENTS_AT_ONCE) > 0]):
        rows[part] = _rows_at(lookup, documents[part], start[part], end[part])
    return rows


def _rows_at(lookup: Lookup, documents: IntArray, start: IntArray, end: IntArray) -> IntArray:
    distinct, document = np.unique(documents, return_inverse=True)
    owner, row = lookup.elements_of(distinct)
    starts, begin = np.unique(keys(document, start), return_inverse=True)
    matching = _positions(starts, keys(owner, lookup.start[row]))
    row, matching = row[matching >= 0], matching[matching >= 0]
    spans, span = np.unique(keys(begin, end), return_inverse=True)
    position = _positions(spans, keys(matching, lookup.end[row]))
    missing = np.iinfo(np.int64).max
    lowest = np.full(len(spans), missing, np.int64)
    np.minimum.at(lowest, position[position >= 0], row[position >= 0])
    rows = lowest[span]
    return np.where(rows == missing, -1, rows)


def _positions(ascending: IntArray, keys: IntArray) -> IntArray:
    """Position of each key in an ascending array, -1 if it is not in the array."""
    if not len(ascending):
        return np.full(len(keys), -1, np.int64)
    position = np.searchsorted(ascending, keys).clip(max=len(ascending) - 1)
    return np.where(ascending[position] == keys, position, -1)


class OffsetIndex:
    """Index of the elements of a corpus and their spans in the text; `build_index` makes one."""

    def __init__(self, stored: disk.Stored) -> None:
        self._stored = stored
        self._lookup = Lookup(stored.columns)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> OffsetIndex:
        """Open the index in the folder `path`, in the same time for any size."""
        return cls(disk.open_store(path))

    def __reduce__(self) -> tuple[object, ...]:
        # Worker processes map the files themselves.
        return (OffsetIndex.open, (str(self._stored.path),))

    def __len__(self) -> int:
        return len(self._lookup.size)

    def __repr__(self) -> str:
        return f"<OffsetIndex {str(self._stored.path)!r}: {len(self)} documents>"

    @property
    def unit(self) -> OffsetUnit:
        """Unit of offsets: characters, or bytes of the text in UTF-8."""
        return cast("OffsetUnit", self._stored.description["unit"])

    @property
    def fingerprint(self) -> str:
        """Digest of the ids and bytes of the documents in order, the same for folders and archives."""
        return str(self._stored.description["fingerprint"])

    @property
    def format_version(self) -> int:
        """Version of the file format."""
        return int(self._stored.description["version"])

    @property
    def has_text(self) -> bool:
        """True if the index contains the text of the documents."""
        return bool(self._stored.description.get("text"))

    @cached_property
    def texts(self) -> disk.IndexTexts:
        """Texts of the documents by number; an error if the index contains no text."""
        if not self.has_text:
            raise ExcerptError(
                "found an index without text, expected an index with text",
                path=str(self._stored.path),
                hint="rebuild it from the corpus with ⟨keep_text⟩",
            )
        return disk.IndexTexts(self._stored)

    @cached_property
    def broken(self) -> tuple[disk.BrokenDocument, ...]:
        """Documents of the corpus that could not be indexed."""
        try:
            return tuple(disk.BrokenDocument(**row) for row in disk.read_json(self._stored, disk.BROKEN))
        except TypeError:
            raise disk.damage_error(self._stored.path, f"{disk.BROKEN} is not a list of documents") from None

    @property
    def mean_length(self) -> Fraction:
        """Exact mean length of a document in the unit of the index."""
        return Fraction(self.characters, self._stored.description["documents"])

    @property
    def characters(self) -> int:
        """Length of all documents in the unit of the index."""
        return int(self._stored.description["characters"])

    def verify(self) -> None:
        """Read all files and compare them with their checksums; opening does so for small files only."""
        disk.check_files(self._stored.path, self._stored.description)

    def statistics(self) -> Statistics:
        """Return statistics of the index."""
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
        return disk.guard_columns(self._stored.path)

    def document_codes(self, ids: Sequence[str]) -> IntArray:
        """Number of each document, -1 if it is not in the index."""
        stored = self._stored.columns["document_id"]
        order = self._stored.columns["document_order"]
        distinct, which = encode(ids)
        names = [_encode(document, stored.dtype.itemsize) for document in distinct]
        encoded = np.array(names, stored.dtype)
        with self._guard():
            position = np.searchsorted(stored, encoded, sorter=order)
            codes = order[np.minimum(position, len(order) - 1)].astype(np.int64)
            known = (stored[codes] == encoded) & (encoded != b"")
        return cast("IntArray", np.where(known, codes, -1)[which])

    def document_ids(self, codes: npt.ArrayLike) -> list[str]:
        """Ids of documents by number; empty for the number -1."""
        numbers = np.asarray(codes, np.int64)
        names = np.where(numbers >= 0, self._stored.columns["document_id"][np.maximum(numbers, 0)], b"")
        return [name.decode("utf-8", "surrogateescape") for name in names.tolist()]

    def document_sizes(self, codes: npt.ArrayLike) -> IntArray:
        """Lengths of documents by number, in the unit of the index; -1 for the number -1."""
        numbers = np.asarray(codes, np.int64)
        sizes = self._lookup.size[np.maximum(numbers, 0)]
        return np.where(numbers >= 0, sizes, np.int64(-1)).astype(np.int64)

    def resolve(self, documents: npt.ArrayLike, paths: Sequence[str]) -> Resolved:
        """Spans of elements `/a[1]/b[2]` or text nodes `/a[1]/b[2]/text()[1]`, -1 for missing ones."""
        pointers = self._parser.parse_all(paths)
        resolved = self._resolve(np.asarray(documents, np.int64), pointers)
        is_offset = pointers.offset[pointers.which] >= 0
        for column in resolved:
            column[is_offset] = -1
        return resolved

    def resolve_pointers(self, documents: npt.ArrayLike, pointers: Sequence[str], *, end: bool) -> IntArray:
        """Offsets of pointers `/a[1]/text()[2].6`, or the starts or ends of elements and text nodes."""
        parsed = self._parser.parse_all(pointers)
        spans = self._resolve(np.asarray(documents, np.int64), parsed)
        offset = parsed.offset[parsed.which]
        inside = np.where(spans.start + offset <= spans.end, spans.start + offset, -1)
        edge = spans.end if end else spans.start
        return np.where(offset < 0, edge, np.where(spans.element < 0, -1, inside))

    def path(self, elements: npt.ArrayLike) -> list[str]:
        """Paths of elements by row; empty for the row -1."""
        rows = np.asarray(elements, np.int64)
        if len(rows) and rows.max() >= len(self._lookup.start):
            raise IndexError(f"element {rows.max()} of {len(self._lookup.start)}")
        steps: list[list[str]] = [[] for _ in rows]
        numbers, tag_of = np.flatnonzero(rows >= 0), self._stored.columns["path_tag"]
        with self._guard():
            elements = self._lookup.locate(rows[numbers])
            while len(numbers):
                tags = tag_of[self._lookup.group_path[elements.group]].tolist()
                positions, parents = self._lookup.climb(elements)
                for number, tag, position in zip(numbers.tolist(), tags, positions.tolist(), strict=True):
                    steps[number].append(f"{self._tags[tag]}[{position}]")
                if (parents.group > elements.group).any():  # parents come before their children
                    raise ValueError
                inner = parents.group != elements.group
                elements, numbers = FoundElements(*(column[inner] for column in parents)), numbers[inner]
        return ["/".join(("", *reversed(upwards))) for upwards in steps]

    def elements_of(self, documents: npt.ArrayLike) -> tuple[IntArray, IntArray]:
        """Position of the document, and row, of each element; rows are higher than those of ancestors."""
        with self._guard():
            return self._lookup.elements_of(np.asarray(documents, np.int64))

    def elements_at(self, documents: npt.ArrayLike, start: npt.ArrayLike, end: npt.ArrayLike) -> IntArray:
        """Row of the outermost element with the span [start, end) of its document, -1 without one."""
        columns = [np.asarray(column, np.int64) for column in (documents, start, end)]
        if len({len(column) for column in columns}) > 1:
            raise ValueError("{} documents, {} starts and {} ends".format(*map(len, columns)))
        with self._guard():
            return elements_at(self._lookup, *columns)

    def spans(self, rows: npt.ArrayLike) -> tuple[IntArray, IntArray]:
        """Start and end of elements by row; -1 for the row -1."""
        resolved = self._spans(np.asarray(rows, np.int64))
        return resolved.start, resolved.end

    def parents(self, rows: npt.ArrayLike) -> IntArray:
        """Rows of the parents of elements; -1 for roots and for the row -1."""
        with self._guard():
            return _where_known(rows, self._lookup.parents)

    def depths(self, rows: npt.ArrayLike) -> IntArray:
        """Number of steps of the paths of elements, 1 for roots; -1 for the row -1."""
        with self._guard():
            return _where_known(rows, lambda known: self._path_depths[self._path_of(known)])

    def tags(self, rows: npt.ArrayLike) -> IntArray:
        """Names of elements by row, as positions in `tag_names`; -1 for the row -1."""
        with self._guard():
            return _where_known(rows, lambda known: self._stored.columns["path_tag"][self._path_of(known)])

    def path_codes(self, rows: npt.ArrayLike) -> IntArray:
        """Codes of the paths of elements by row, without the positions of steps; -1 for the row -1."""
        with self._guard():
            return _where_known(rows, self._path_of)

    @property
    def tag_names(self) -> tuple[str, ...]:
        """All element names of the corpus."""
        return tuple(self._tags)

    def _path_of(self, rows: IntArray) -> IntArray:
        return np.asarray(self._lookup.group_path[self._lookup.locate(rows).group])

    def _resolve(self, documents: IntArray, pointers: Pointers) -> Resolved:
        if documents.shape != pointers.which.shape:
            raise ValueError(f"{len(documents)} documents for {len(pointers.which)} paths")
        with self._guard():
            elements = self._lookup.find(documents, pointers)
            resolved = self._spans(elements.row)
            text = pointers.text[pointers.which]
            queries = np.flatnonzero((text > 0) & (elements.row >= 0))
            if len(queries):
                parents = FoundElements(*(column[queries] for column in elements))
                nodes = find_text_nodes(self._lookup, parents, text[queries])
                for column, values in zip(resolved, nodes, strict=True):
                    column[queries] = values
            size = self._lookup.size[np.maximum(elements.document, 0)]
            if ((resolved.start > resolved.end) | (resolved.end > size)).any():
                raise ValueError
        return resolved

    def _spans(self, rows: IntArray) -> Resolved:
        known = np.flatnonzero(rows >= 0)
        start, end = np.full(len(rows), -1, np.int64), np.full(len(rows), -1, np.int64)
        start[known], end[known] = self._lookup.start[rows[known]], self._lookup.end[rows[known]]
        return Resolved(start, end, rows.copy())

    @cached_property
    def _tags(self) -> list[str]:
        return list(disk.read_json(self._stored, disk.TAGS))

    @cached_property
    def _path_depths(self) -> IntArray:
        return path_depths(self._stored.columns["path_parent"])

    @cached_property
    def _parser(self) -> PathParser:
        columns = self._stored.columns
        with self._guard():
            return PathParser(self._tags, columns["path_parent"], columns["path_tag"])


def _where_known(rows: npt.ArrayLike, look_up: Callable[[IntArray], IntArray]) -> IntArray:
    """Look up each row; -1 for the row -1."""
    numbers = np.asarray(rows, np.int64)
    result = np.full(len(numbers), -1, np.int64)
    known = np.flatnonzero(numbers >= 0)
    result[known] = look_up(numbers[known])
    return result


def _encode(document: str, width: int) -> bytes:
    """Encode an id as stored in an index; empty if it cannot be in a column of this width."""
    try:
        name = disk.encode_id(document)
    except UnicodeEncodeError:
        return b""
    return b"" if len(name) > width or "\0" in document else name
