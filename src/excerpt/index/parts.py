"""Parts of an index in files beside it: made by any machine that sees the folder, and found again later.

A part is some neighbouring batches of documents, indexed. Its file says what it was made from, so a build
that was interrupted takes the parts that are there; it has its name only when it is complete. A
machine that does not see the documents as the command does makes none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from socket import gethostname
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

import numpy as np

from excerpt import __version__
from excerpt.errors import ExcerptError, FormatError
from excerpt.files import describe
from excerpt.index.entries import Entry, FilePart
from excerpt.index.scan import Unit
from excerpt.index.shard import BrokenDocument, Shard, index_batch
from excerpt.index.store import VERSION
from excerpt.index.tree import Columns

#: Of a part: 4,096 documents or 64 MB, so that a billion documents are not millions of files.
BATCHES = 16
BYTES = 1 << 26  # more only where a single document is larger
_ABOUT = "about"
_NAME = re.compile(r"\d{8,}\.npz|\.\d{8,}\.npz\.[0-9a-f]{8}\.tmp")
_PATIENCE = 20.0  # seconds until a file that another machine wrote must be seen here
_LAG = 2.0  # seconds until documents must look here as they do for the command
_UNREADABLE = (OSError, ValueError, KeyError, EOFError, BadZipFile)


class Part(NamedTuple):
    """Neighbouring batches of documents."""

    number: int
    batches: list[list[Entry]]
    key: str | None = None  # as the command sees the documents; None: whoever makes it is right


class Made(NamedTuple):
    """The file of a part, complete."""

    name: str
    size: int
    done: list[int]  # after each batch
    key: str
    unreadable: list[str]  # documents that could not be read just now


class Refused(NamedTuple):
    """A part that a machine did not make, since it does not see the documents, or not the same ones."""

    part: Part
    machine: str
    key: str
    unreadable: list[str]


class Indexed(NamedTuple):
    """A shard, and how far the corpus is read with it."""

    shard: Shard
    done: int


def is_stream(batch: list[Entry]) -> bool:
    """Whether a batch is a large document out of an archive, which waits until it is read in this process."""
    return isinstance(batch[0].content, Iterator)


def parts_of(batches: Iterable[list[Entry]]) -> Iterator[Part]:
    """The batches put together; the same parts whoever makes them.

    The first parts are small, so that of a small corpus too there is something for everybody.
    """
    number = size = 0
    held: list[list[Entry]] = []
    for batch in batches:
        more = sum(entry.size for entry in batch)
        if held and (len(held) == _room(number) or size + more > BYTES or is_stream(batch)):
            yield Part(number, held)
            number, size, held = number + 1, 0, []
        held.append(batch)
        size += more
        if is_stream(batch):  # before the next batch is asked for
            yield Part(number, held)
            number, size, held = number + 1, 0, []
    if held:
        yield Part(number, held)


def _room(number: int) -> int:
    """How many batches a part may have: 1, 1, 2, 2, 4, 4, … up to the most."""
    return min(BATCHES, 1 << min(number // 2, BATCHES))


def can_travel(part: Part) -> bool:
    """Whether other machines can read the documents themselves, so that nothing large must be sent."""
    return all(isinstance(entry.content, FilePart) for batch in part.batches for entry in batch)


@dataclass(frozen=True)
class PartFolder:
    """The folder of the parts of one index, and what decides them beside the documents."""

    folder: str
    corpus: str
    unit: Unit

    @classmethod
    def beside(cls, target: Path, corpus: str, unit: Unit) -> PartFolder:
        """The folder for the index `target`."""
        return cls(f"{target}.shards", corpus, unit)

    def exists(self) -> bool:
        """Whether there are parts already."""
        return any(path.suffix == ".npz" for path in self._files())

    def left(self) -> str:
        """What to say of the parts where a build ends before its time."""
        return f"finished parts stay in {self.folder}" if self.exists() else "nothing was left behind"

    def _files(self) -> list[Path]:
        try:
            return [path for path in Path(self.folder).iterdir() if _NAME.fullmatch(path.name)]
        except OSError:  # not there, or not ours to look into
            return []

    @contextlib.contextmanager
    def created(self) -> Iterator[None]:
        """The folder is there, and stays unless it is empty."""
        try:
            Path(self.folder).mkdir(exist_ok=True)
        except OSError as error:
            raise ExcerptError(
                f"cannot be written: {describe(error)}",
                path=self.folder,
                hint="it should be a folder, for parts of the index",
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
        """Remove the parts, and the folder unless somebody keeps other things there."""
        with contextlib.suppress(OSError):
            for path in self._files():
                path.unlink()
            Path(self.folder).rmdir()

    def make(self, part: Part) -> Made | Refused:
        """Index a part, unless that was done before; this may be another machine than the one that asks."""
        path = Path(self.folder) / f"{part.number:08}.npz"
        key = self._key_seen(part)
        unreadable: list[str] = []
        if part.key not in (None, key):
            return Refused(part, gethostname(), key, unreadable)
        if not _is_whole(path, key):
            shards = [index_batch(batch, self.unit) for batch in part.batches]
            broken = chain.from_iterable(shard.broken for shard in shards)
            unreadable = [document.path for document in broken if document.line is None]
            if unreadable and part.key is not None:
                return Refused(part, gethostname(), key, unreadable)
            self._write(path, shards, key)
        done = [batch[-1].done for batch in part.batches]
        return Made(path.name, path.stat().st_size, done, key, unreadable)

    def _key_seen(self, part: Part) -> str:
        """The key here. Where it is another one, network file systems may need a moment.

        The moment also keeps a machine that sees nothing from refusing parts faster than others make them.
        """
        end = time.monotonic() + _LAG
        while (key := self.key(part)) != part.key and part.key is not None and time.monotonic() < end:
            time.sleep(_LAG / 10)
        return key

    def _write(self, path: Path, shards: list[Shard], key: str) -> None:
        temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
        about = json.dumps({"key": key, "shards": list(map(_about, shards))}).encode()
        arrays: dict[str, Any] = {_ABOUT: np.frombuffer(about, np.uint8), **_together(shards)}
        try:
            with temporary.open("wb") as file:
                np.savez(file, **arrays)
            temporary.replace(path)
        except OSError as error:
            raise ExcerptError(
                f"cannot be written: {describe(error)}",
                path=str(path),
                hint="all machines must see this folder, and may write there",
            ) from None
        finally:
            temporary.unlink(missing_ok=True)

    def key(self, part: Part) -> str:
        """A digest of everything that decides a part: names, sizes and times of files, options, versions."""
        digest = hashlib.sha256(repr((__version__, VERSION, self.unit)).encode())
        files = set() if Path(self.corpus).is_dir() else {self.corpus}
        for batch in part.batches:
            for entry in batch:
                content = entry.content if isinstance(entry.content, FilePart) else None
                digest.update(repr((entry.id, entry.name, entry.size, content)).encode())
                files |= {content.path} if content is not None else set()
        for path in sorted(files):
            digest.update(repr(_stamp(path)).encode())
        return digest.hexdigest()

    def read(self, made: Made) -> Iterator[Indexed]:
        """The shards of a part, in order."""
        path = Path(self.folder) / made.name
        try:
            shards, columns = _content(path, made)
            first = [0] * len(columns)
            for about, done in zip(shards, made.done, strict=True):
                yield Indexed(_shard(about, columns, first), done)
                first = [begin + rows for begin, rows in zip(first, about["rows"], strict=True)]
        except _UNREADABLE:
            raise FormatError(
                "is not as it was written", path=str(path), hint=f"remove {self.folder} and build again"
            ) from None


def _content(path: Path, made: Made) -> tuple[list[dict[str, Any]], list[Any]]:
    """What the file holds; network file systems may show a new one a little later than it was made."""
    end = time.monotonic() + _PATIENCE
    while True:
        stamp = _stamp(str(path))
        if stamp is not None and stamp[0] == made.size:
            with ZipFile(path) as archive:
                about = _read_about(archive)
                if about["key"] == made.key:
                    columns = [_array(archive, name).astype(np.int64) for name in Columns._fields]
                    return about["shards"], columns
        if time.monotonic() > end:
            raise ExcerptError(
                "was written by a worker and is not here",
                path=str(path),
                hint="all machines of a cluster must see the same file system, under the same names",
            )
        time.sleep(0.05)
        with contextlib.suppress(OSError):
            os.listdir(path.parent)  # noqa: PTH208  makes some of them look again


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116  a Path per document costs more than this
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def _is_whole(path: Path, key: str) -> bool:
    """Whether the file is there, was made from the same, and every byte of it is as it was written.

    A document that could not be read may be readable now, or here, so such a part is never whole.
    """
    try:
        with ZipFile(path) as archive:
            about = _read_about(archive)
            broken = chain.from_iterable(shard["broken"] for shard in about["shards"])
            known = about["key"] == key and all(document["line"] is not None for document in broken)
            return known and archive.testzip() is None
    except _UNREADABLE:
        return False


def _read_about(archive: ZipFile) -> dict[str, Any]:
    about: dict[str, Any] = json.loads(_array(archive, _ABOUT).tobytes())
    return about


def _array(archive: ZipFile, name: str) -> Any:
    # Not np.load, which leaves a damaged file open.
    with archive.open(f"{name}.npy") as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


def _about(shard: Shard) -> dict[str, Any]:
    return {
        "tags": shard.tags,
        "ids": shard.ids,
        "digests": [(document, digest.hex()) for document, digest in shard.digests],
        "broken": [asdict(document) for document in shard.broken],
        "unread": shard.unread,
        "rows": [len(column) for column in shard.columns or [()] * len(Columns._fields)],
    }


def _together(shards: list[Shard]) -> dict[str, Any]:
    """The columns of all shards, one behind the other: few large arrays are read faster than many small."""
    tables = [shard.columns for shard in shards if shard.columns is not None]
    if not tables:
        return {name: np.empty(0, np.int64) for name in Columns._fields}
    return {
        name: _narrow(np.concatenate(columns))
        for name, columns in zip(Columns._fields, zip(*tables, strict=True), strict=True)
    }


def _shard(about: dict[str, Any], columns: list[Any], first: list[int]) -> Shard:
    rows = zip(columns, first, about["rows"], strict=True)
    own = Columns(*(column[begin : begin + count] for column, begin, count in rows))
    return Shard(
        own if any(about["rows"]) else None,
        about["tags"],
        about["ids"],
        [(document, bytes.fromhex(digest)) for document, digest in about["digests"]],
        [BrokenDocument(**document) for document in about["broken"]],
        [(name, count) for name, count in about["unread"]],
    )


def _narrow(column: Any) -> Any:
    """The same numbers in fewer bytes, where they fit."""
    if len(column) and column.min() >= 0:
        for kind, end in (("<u2", 1 << 16), ("<u4", 1 << 32)):
            if column.max() < end:
                return column.astype(kind)
    return column
