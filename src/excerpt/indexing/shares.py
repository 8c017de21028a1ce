"""Parts of an index, in files, that several machines can make."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zipfile import ZipFile

import numpy as np

from excerpt import __version__
from excerpt.documents.entry import Entry, file_part, is_stream
from excerpt.errors import ExcerptError, FormatError
from excerpt.files import describe
from excerpt.index.disk import VERSION, BrokenDocument, PackedTexts, narrow
from excerpt.indexing.batch import IndexedBatch, index_batch
from excerpt.parse.tree import BatchColumns

if TYPE_CHECKING:
    from excerpt.model.judgments import OffsetUnit

_ABOUT = "about"
_MEMBERS = {f"{name}.npy" for name in (_ABOUT, *BatchColumns._fields)}
_TEXTS = tuple(f"text_{name}" for name in PackedTexts._fields)
_WITH_TEXT = _MEMBERS | {f"{name}.npy" for name in _TEXTS}
#: The columns of a batch in which all documents are broken.
_NO_ROWS = BatchColumns(*(np.empty(0, np.int64) for _ in BatchColumns._fields))
_TIMEOUT = 20.0  # seconds until a file that another machine wrote must be visible here
#: Size of a part: 4,096 documents or 64 MB, so that a billion documents do not need millions of files.
BATCHES = 16
BYTES = 1 << 26  # more only if a single document is larger
_NAME = re.compile(r"\d{8,}\.npz|\.\d{8,}\.npz\.[0-9a-f]{8}\.tmp")
_LAG = 2.0  # seconds for a network file system to show the documents as the command saw them


def write(path: Path, batches: list[IndexedBatch], key: str) -> None:
    """Write the file of a part, which gets its name when it is complete."""
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    about = json.dumps({"key": key, "batches": list(map(_about, batches))}).encode()
    arrays: dict[str, Any] = {_ABOUT: np.frombuffer(about, np.uint8), **_concatenated(batches)}
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
    """Read the batches of a part, in order."""
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
            "is damaged", path=str(path), hint=f"remove {path.parent} and build the index again"
        ) from None


def _content(path: Path, size: int, key: str) -> tuple[list[dict[str, Any]], list[Any]]:
    """Read the file of a part; on a network file system it may become visible with a delay."""
    end = time.monotonic() + _TIMEOUT
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
                "was written by a worker but is not visible here",
                path=str(path),
                hint="all machines of a cluster must see the same file system, under the same names",
            )
        time.sleep(0.05)
        with contextlib.suppress(OSError):
            os.listdir(path.parent)  # noqa: PTH208  makes some file systems look again


def is_complete(path: Path, key: str) -> bool:
    """Check if the file of a part has this key, no damage, and no document that may be readable now."""
    try:
        with ZipFile(path) as archive:
            about = _read_about(archive)
            broken = chain.from_iterable(batch["broken"] for batch in about["batches"])
            valid = about["key"] == key and all(document["line"] is not None for document in broken)
            return valid and {*archive.namelist()} in (_MEMBERS, _WITH_TEXT) and archive.testzip() is None
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
        "rows": [len(column) for column in (*(batch.columns or _NO_ROWS), *(batch.texts or ()))],
    }


def _concatenated(batches: list[IndexedBatch]) -> dict[str, Any]:
    """Concatenate the columns of all batches: few large arrays are read faster than many small ones."""
    tables = [batch.columns or _NO_ROWS for batch in batches]
    texts = [batch.texts for batch in batches if batch.texts is not None]
    arrays = {
        name: np.concatenate(columns)
        for name, columns in zip(BatchColumns._fields, zip(*tables, strict=True), strict=True)
    }
    arrays |= {name: narrow(column, least=2) for name, column in arrays.items() if column.min(initial=0) >= 0}
    for name, columns in zip(_TEXTS, zip(*texts, strict=True), strict=False):
        arrays[name] = np.concatenate(columns)
    return arrays


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


class Part(NamedTuple):
    """Consecutive batches of documents."""

    number: int
    batches: list[list[Entry]]
    key: str | None = None  # of the documents as the command sees them; None: not compared


class FinishedPart(NamedTuple):
    """The complete file of a part."""

    name: str
    size: int
    done: list[int]  # `Entry.done` after each batch
    key: str
    unreadable: list[str]  # documents that could not be read


class RejectedPart(NamedTuple):
    """A part that a machine did not make, because it does not see the same documents."""

    part: Part
    machine: str
    key: str
    unreadable: list[str]


def parts_of(batches: Iterable[list[Entry]]) -> Iterator[Part]:
    """Group batches into parts, the same on every machine; a small corpus also gives work to several."""
    number = size = 0
    grouped: list[list[Entry]] = []
    for batch in batches:
        more = sum(entry.size for entry in batch)
        most = min(BATCHES, 1 << min(number // 2, BATCHES))  # 1, 1, 2, 2, 4, 4, …
        if grouped and (len(grouped) == most or size + more > BYTES or is_stream(batch)):
            yield Part(number, grouped)
            number, size, grouped = number + 1, 0, []
        grouped.append(batch)
        size += more
        if is_stream(batch):  # a stream must be read before the next batch
            yield Part(number, grouped)
            number, size, grouped = number + 1, 0, []
    if grouped:
        yield Part(number, grouped)


def is_readable_anywhere(part: Part) -> bool:
    """Check if other machines can read the documents themselves, so that their bytes need not be sent."""
    return all(file_part(entry.content) is not None for batch in part.batches for entry in batch)


@dataclass(frozen=True)
class PartFolder:
    """The folder of the parts of an index, and the options that their content depends on."""

    folder: str
    corpus: str
    unit: OffsetUnit
    keep_text: bool = False

    @classmethod
    def for_index(cls, target: Path, corpus: str, unit: OffsetUnit, *, keep_text: bool = False) -> PartFolder:
        return cls(f"{target}.parts", corpus, unit, keep_text)

    def exists(self) -> bool:
        return any(path.suffix == ".npz" for path in self._files())

    def left(self) -> str:
        """Note on remaining parts, for a build that did not finish."""
        return f"finished parts stay in {self.folder}" if self.exists() else "nothing was left behind"

    def _files(self) -> list[Path]:
        try:
            return [path for path in Path(self.folder).iterdir() if _NAME.fullmatch(path.name)]
        except OSError:  # missing or not readable
            return []

    @contextlib.contextmanager
    def create(self) -> Iterator[None]:
        """Create the folder; remove it at the end if it is empty."""
        try:
            Path(self.folder).mkdir(exist_ok=True)
        except OSError as error:
            raise ExcerptError(
                f"cannot be written: {describe(error)}",
                path=self.folder,
                hint="this path must be a folder, for the parts of the index",
            ) from None
        try:
            yield
        except KeyboardInterrupt as error:
            if self.exists():
                error.add_note(self.left())
            raise
        finally:
            with contextlib.suppress(OSError):
                Path(self.folder).rmdir()

    def remove(self) -> None:
        """Remove the parts, and the folder unless it contains other files."""
        with contextlib.suppress(OSError):
            for path in self._files():
                path.unlink()
            Path(self.folder).rmdir()

    def make(self, part: Part) -> FinishedPart | RejectedPart:
        """Index a part unless its file exists; may run on another machine."""
        path = Path(self.folder) / f"{part.number:08}.npz"
        key = self._key_seen(part)
        unreadable: list[str] = []
        if part.key not in (None, key):
            return RejectedPart(part, platform.node(), key, unreadable)
        if not is_complete(path, key):
            batches = [index_batch(batch, self.unit, keep_text=self.keep_text) for batch in part.batches]
            broken = chain.from_iterable(batch.broken for batch in batches)
            unreadable = [document.path for document in broken if document.line is None]
            if unreadable and part.key is not None:
                return RejectedPart(part, platform.node(), key, unreadable)
            write(path, batches, key)
        done = [batch[-1].done for batch in part.batches]
        return FinishedPart(path.name, path.stat().st_size, done, key, unreadable)

    def _key_seen(self, part: Part) -> str:
        """Key on this machine; if it differs, wait for the file system and for others to make parts."""
        end = time.monotonic() + _LAG
        while (key := self.key(part)) != part.key and part.key is not None and time.monotonic() < end:
            time.sleep(_LAG / 10)
        return key

    def key(self, part: Part) -> str:
        """Digest of all that a part depends on: names, sizes and times of files, options, versions."""
        digest = hashlib.sha256(repr((__version__, VERSION, self.unit, self.keep_text)).encode())
        files = set() if Path(self.corpus).is_dir() else {self.corpus}
        for batch in part.batches:
            for entry in batch:
                content = file_part(entry.content)
                form = getattr(entry.content, "form", None)
                digest.update(repr((entry.id, entry.name, entry.size, content, form)).encode())
                files |= {content.path} if content is not None else set()
        for path in sorted(files):
            stamp = None
            with contextlib.suppress(OSError):
                status = os.stat(path)  # noqa: PTH116  a Path per document costs more than this
                stamp = status.st_size, status.st_mtime_ns
            digest.update(repr(stamp).encode())
        return digest.hexdigest()

    def read(self, part: FinishedPart) -> Iterator[tuple[IndexedBatch, int]]:
        """Read the batches of a part, in order, each with its `Entry.done`."""
        yield from zip(read(Path(self.folder) / part.name, part.size, part.key), part.done, strict=True)
