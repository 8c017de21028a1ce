"""One part of an index in a file: its batches, one behind another, and the key of what made them."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from excerpt.errors import ExcerptError, FormatError
from excerpt.files import describe
from excerpt.index.build.batch import BrokenDocument, IndexedBatch
from excerpt.index.build.texts import PackedTexts
from excerpt.parse.tree import BatchColumns, narrow

_ABOUT = "about"
_MEMBERS = {f"{name}.npy" for name in (_ABOUT, *BatchColumns._fields)}
_TEXTS = tuple(f"text_{name}" for name in PackedTexts._fields)
_WITH_TEXT = _MEMBERS | {f"{name}.npy" for name in _TEXTS}
#: The columns of a batch in which all documents are broken.
_NOTHING = BatchColumns(*(np.empty(0, np.int64) for _ in BatchColumns._fields))
_PATIENCE = 20.0  # seconds until a file that another machine wrote must be seen here


def write(path: Path, batches: list[IndexedBatch], key: str) -> None:
    """Write a part; nothing has its name before it is complete."""
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    about = json.dumps({"key": key, "batches": list(map(_about, batches))}).encode()
    arrays: dict[str, Any] = {_ABOUT: np.frombuffer(about, np.uint8), **_together(batches)}
    try:
        with temporary.open("wb") as file:
            np.savez(file, **arrays)
        temporary.replace(path)
    except OSError as error:
        raise ExcerptError(
            f"cannot be written: {describe(error)}",
            path=str(path),
            hint="all machines must see this folder and be able to write to it",
        ) from None
    finally:
        temporary.unlink(missing_ok=True)


def read(path: Path, size: int, key: str) -> Iterator[IndexedBatch]:
    """The batches of a part, in order."""
    try:
        batches, columns = _content(path, size, key)
        first = [0] * len(columns)
        for about in batches:
            yield _batch(about, columns, first)
            first = [begin + rows for begin, rows in zip(first, about["rows"], strict=True)]
    except ExcerptError:
        raise
    except Exception:  # noqa: BLE001  damaged archives make the libraries raise nearly anything
        raise FormatError(
            "is not as it was written", path=str(path), hint=f"remove {path.parent} and build again"
        ) from None


def _content(path: Path, size: int, key: str) -> tuple[list[dict[str, Any]], list[Any]]:
    """What the file holds; network file systems may show a new one a little later than it was made."""
    end = time.monotonic() + _PATIENCE
    while True:
        if path.exists() and path.stat().st_size == size:
            with ZipFile(path) as archive:
                about = _read_about(archive)
                if about["key"] == key:
                    columns = [_array(archive, name).astype(np.int64) for name in BatchColumns._fields]
                    names = _TEXTS if {*archive.namelist()} == _WITH_TEXT else ()
                    return about["batches"], columns + [_array(archive, name) for name in names]
        if time.monotonic() > end:
            raise ExcerptError(
                "was written by a worker but cannot be seen here",
                path=str(path),
                hint="all machines of a cluster must see the same file system, under the same names",
            )
        time.sleep(0.05)
        with contextlib.suppress(OSError):
            os.listdir(path.parent)  # noqa: PTH208  makes some of them look again


def is_whole(path: Path, key: str) -> bool:
    """Whether the file is there, was made from the same, and every byte of it is as it was written.

    A document that could not be read may be readable now, or here, so such a part is never whole.
    """
    try:
        with ZipFile(path) as archive:
            about = _read_about(archive)
            broken = chain.from_iterable(batch["broken"] for batch in about["batches"])
            known = about["key"] == key and all(document["line"] is not None for document in broken)
            return known and {*archive.namelist()} in (_MEMBERS, _WITH_TEXT) and archive.testzip() is None
    except Exception:  # noqa: BLE001  damaged archives make the libraries raise nearly anything
        return False


def _read_about(archive: ZipFile) -> dict[str, Any]:
    about: dict[str, Any] = json.loads(_array(archive, _ABOUT).tobytes())
    return about


def _array(archive: ZipFile, name: str) -> Any:
    # Not np.load, which leaves a damaged file open.
    with archive.open(f"{name}.npy") as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


def _about(batch: IndexedBatch) -> dict[str, Any]:
    return {
        "tags": batch.tags,
        "ids": batch.ids,
        "digests": [(document, digest.hex()) for document, digest in batch.digests],
        "broken": [asdict(document) for document in batch.broken],
        "unread": batch.unread,
        "rows": [len(column) for column in (*(batch.columns or _NOTHING), *(batch.texts or ()))],
    }


def _together(batches: list[IndexedBatch]) -> dict[str, Any]:
    """The columns of all batches, one behind the other: few large arrays are read faster than many small."""
    tables = [batch.columns or _NOTHING for batch in batches]
    texts = [batch.texts for batch in batches if batch.texts is not None]
    found = {
        name: _narrow(np.concatenate(columns))
        for name, columns in zip(BatchColumns._fields, zip(*tables, strict=True), strict=True)
    }
    for name, columns in zip(_TEXTS, zip(*texts, strict=True), strict=False):
        found[name] = np.concatenate(columns)
    return found


def _batch(about: dict[str, Any], columns: list[Any], first: list[int]) -> IndexedBatch:
    rows = zip(columns, first, about["rows"], strict=True)
    own = [column[begin : begin + count] for column, begin, count in rows]
    width = len(BatchColumns._fields)
    return IndexedBatch(
        BatchColumns(*own[:width]) if any(about["rows"][:width]) else None,
        about["tags"],
        about["ids"],
        [(document, bytes.fromhex(digest)) for document, digest in about["digests"]],
        [BrokenDocument(**document) for document in about["broken"]],
        [(name, count) for name, count in about["unread"]],
        PackedTexts(*own[width:]) if own[width:] else None,
    )


def _narrow(column: Any) -> Any:
    """The same numbers in fewer bytes, where none is below 0."""
    return narrow(column, least=2) if column.min(initial=0) >= 0 else column
