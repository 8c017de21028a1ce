"""Merging of indexed batches into one index, in order, with little in memory except a row per document."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import numpy as np

from excerpt.index.disk import (
    TAGS,
    TEXT,
    TEXT_COLUMNS,
    PackedTexts,
    encode_id,
    narrowest,
    stable_order,
    sync,
    write_column,
    write_header,
    write_json,
)
from excerpt.indexing.batch import IndexedBatch
from excerpt.model.spans import AnyArray, IntArray

_SPOOLED = (
    "group_path",
    "group_first",
    "group_count",
    "group_parent",
    "element_parent",
    "element_start",
    "element_end",
)


class PathTable:
    """Tag paths of the corpus, numbered in the order of the batches."""

    def __init__(self) -> None:
        self.tags: dict[str, int] = {}
        self._paths: dict[tuple[int, int], int] = {}
        self._counts: Counter[int] = Counter()

    def add(self, batch: IndexedBatch) -> IntArray:
        """Count the elements of a batch by tag path; return the numbers of its tag paths in this table."""
        assert batch.columns is not None
        tags = [self.tags.setdefault(tag, len(self.tags)) for tag in batch.tags]
        paths: list[int] = []
        rows = zip(batch.columns.path_parent.tolist(), batch.columns.path_tag.tolist(), strict=True)
        for parent, tag in rows:  # parents come before their children
            key = (paths[parent] if parent >= 0 else -1, tags[tag])
            paths.append(self._paths.setdefault(key, len(self._paths)))
        sizes = np.bincount(batch.columns.group_path, batch.columns.group_count, len(paths))
        self._counts.update(dict(zip(paths, map(int, sizes.tolist()), strict=True)))
        return np.array(paths)

    def write(self, folder: Path) -> None:
        parents, tags = np.array(list(self._paths)).T
        write_column(folder, "path_parent", parents.astype("<i4"))
        write_column(folder, "path_tag", tags)
        write_column(folder, "path_count", np.array([self._counts[path] for path in range(len(parents))]))
        write_json(folder, TAGS, list(self.tags))


class Merger:
    """Writer of the columns of an index, which takes the batches in order."""

    def __init__(self, folder: Path, *, keep_text: bool = False) -> None:
        self._folder = folder
        self._texts = TextWriter(folder) if keep_text else None
        self._paths = PathTable()
        self._spools = {name: Spool(folder, name) for name in _SPOOLED}
        self._ids: list[bytes] = []
        self._sizes: list[IntArray] = []
        self._elements: list[IntArray] = []
        self._groups: list[IntArray] = []
        self._fingerprint = hashlib.sha256()

    def add(self, batch: IndexedBatch) -> None:
        names = [(encode_id(document), digest) for document, digest in batch.digests]
        self._fingerprint.update(
            b"".join([len(name).to_bytes(4, "big") + name + digest for name, digest in names])
        )
        if batch.columns is None:
            return
        if self._texts is not None:
            assert batch.texts is not None
            self._texts.add(batch.texts)
        self._ids += map(encode_id, batch.ids)
        self._sizes.append(batch.columns.document_size)
        self._elements.append(batch.columns.document_elements)
        self._groups.append(batch.columns.document_groups)
        self._append_groups(batch)
        self._spools["element_parent"].append(batch.columns.parent)
        self._spools["element_start"].append(batch.columns.start)
        self._spools["element_end"].append(batch.columns.end)

    def _append_groups(self, batch: IndexedBatch) -> None:
        """Append the groups of each document, sorted by the numbers of their tag paths in the index."""
        rows = batch.columns
        assert rows is not None
        path = self._paths.add(batch)[rows.group_path]
        first = np.cumsum(rows.document_groups) - rows.document_groups
        owner = np.repeat(np.arange(len(first)), rows.document_groups)
        order = stable_order(owner * (int(path.max()) + 1) + path)
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        parent = position[rows.group_parent + first[owner]] - first[owner]
        self._spools["group_path"].append(path[order])
        self._spools["group_first"].append(rows.group_first[order])
        self._spools["group_count"].append(rows.group_count[order])
        self._spools["group_parent"].append(parent[order])

    def finish(self) -> None:
        """Write the columns that were kept in memory, and finish the others."""
        for spool in self._spools.values():
            spool.finish()
        if self._texts is not None:
            self._texts.finish()
        self._paths.write(self._folder)
        ids = np.array(self._ids)
        write_column(self._folder, "document_id", ids)
        write_column(self._folder, "document_order", np.argsort(ids, kind="stable"))
        write_column(self._folder, "document_size", np.concatenate(self._sizes))
        write_column(self._folder, "document_elements", _offsets(self._elements))
        write_column(self._folder, "document_groups", _offsets(self._groups))

    def close(self) -> None:
        for spool in self._spools.values():
            spool.close()
        if self._texts is not None:
            self._texts.close()

    @property
    def documents(self) -> int:
        return len(self._ids)

    @property
    def elements(self) -> int:
        return int(sum(part.sum() for part in self._elements))

    @property
    def characters(self) -> int:
        return int(sum(part.sum() for part in self._sizes))

    @property
    def fingerprint(self) -> str:
        """Digest of the ids and bytes of the documents so far in order, the same for folders and archives."""
        return self._fingerprint.hexdigest()


def _offsets(counts: list[IntArray]) -> IntArray:
    return np.concatenate(([0], np.cumsum(np.concatenate(counts))))


class TextWriter:
    """Writer of the texts of batches, which it takes in order."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = (folder / TEXT).open("wb")
        self._lengths: list[list[IntArray]] = [[], [], []]

    def add(self, texts: PackedTexts) -> None:
        for column, more in zip(self._lengths, texts[:3], strict=True):
            column.append(more)
        self._file.write(texts.data.tobytes())

    def finish(self) -> None:
        """Write the columns with the starts of documents and blocks."""
        sync(self._file)
        self.close()
        for name, lengths in zip(TEXT_COLUMNS, self._lengths, strict=True):
            ends = np.cumsum(np.concatenate(([0], *lengths)))
            write_column(self._folder, name, ends)

    def close(self) -> None:
        self._file.close()


class Spool:
    """A growing column, on disk as 32-bit numbers; `finish` writes it in the narrowest type."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self._folder = folder
        self._raw = (folder / f"{name}.raw").open("w+b")
        self._largest = 0

    def append(self, values: AnyArray) -> None:
        if len(values):
            self._largest = max(self._largest, int(values.max()))
            self._raw.write(values.astype("<u4").tobytes())

    def finish(self) -> None:
        dtype = narrowest(self._largest)
        count = self._raw.tell() // 4
        self._raw.seek(0)
        with (self._folder / f"{self.name}.npy").open("wb") as file:
            write_header(file, dtype, count)
            while block := self._raw.read(1 << 22):
                file.write(np.frombuffer(block, "<u4").astype(dtype).tobytes())
            sync(file)
        self.close()
        (self._folder / f"{self.name}.raw").unlink()

    def close(self) -> None:
        self._raw.close()
