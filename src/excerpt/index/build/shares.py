"""Parts of an index that other machines make."""

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
from excerpt.index.build.batch import BrokenDocument, IndexedBatch, index_batch
from excerpt.index.disk import VERSION, PackedTexts
from excerpt.parse.tree import BatchColumns, narrow

if TYPE_CHECKING:
    from excerpt.model.judgments import Unit


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


#: Of a part: 4,096 documents or 64 MB, so that a billion documents are not millions of files.
BATCHES = 16
BYTES = 1 << 26  # more only where a single document is larger
_NAME = re.compile(r"\d{8,}\.npz|\.\d{8,}\.npz\.[0-9a-f]{8}\.tmp")
_LAG = 2.0  # seconds for a network file system to show the documents as the command saw them


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
    return all(file_part(entry.content) is not None for batch in part.batches for entry in batch)


@dataclass(frozen=True)
class PartFolder:
    """The folder of the parts of one index, and what decides them beside the documents."""

    folder: str
    corpus: str
    unit: Unit
    keep_text: bool = False

    @classmethod
    def beside(cls, target: Path, corpus: str, unit: Unit, *, keep_text: bool = False) -> PartFolder:
        """The folder for the index `target`."""
        return cls(f"{target}.parts", corpus, unit, keep_text)

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
    def create(self) -> Iterator[None]:
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
            return Refused(part, platform.node(), key, unreadable)
        if not is_whole(path, key):
            batches = [index_batch(batch, self.unit, keep_text=self.keep_text) for batch in part.batches]
            broken = chain.from_iterable(batch.broken for batch in batches)
            unreadable = [document.path for document in broken if document.line is None]
            if unreadable and part.key is not None:
                return Refused(part, platform.node(), key, unreadable)
            write(path, batches, key)
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

    def key(self, part: Part) -> str:
        """A digest of everything that decides a part: names, sizes and times of files, options, versions."""
        digest = hashlib.sha256(repr((__version__, VERSION, self.unit, self.keep_text)).encode())
        files = set() if Path(self.corpus).is_dir() else {self.corpus}
        for batch in part.batches:
            for entry in batch:
                content = file_part(entry.content)
                form = getattr(entry.content, "form", None)
                digest.update(repr((entry.id, entry.name, entry.size, content, form)).encode())
                files |= {content.path} if content is not None else set()
        for path in sorted(files):
            digest.update(repr(_stamp(path)).encode())
        return digest.hexdigest()

    def read(self, made: Made) -> Iterator[tuple[IndexedBatch, int]]:
        """The batches of a part, in order, each with how far the corpus is read with it."""
        yield from zip(read(Path(self.folder) / made.name, made.size, made.key), made.done, strict=True)


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116  a Path per document costs more than this
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns
