"""Building of an index from a corpus, on one machine or several."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from excerpt import files
from excerpt.documents.cuts import Cutting
from excerpt.documents.entry import Entry, Walk, is_stream
from excerpt.documents.walk import batches, open_corpus
from excerpt.engine import Call, Engine, paying_workers
from excerpt.errors import ExcerptError, FormatError
from excerpt.index.disk import BROKEN, BrokenDocument, is_index, write_description, write_json
from excerpt.indexing.batch import IndexedBatch, index_batch
from excerpt.indexing.merge import Merger
from excerpt.indexing.shares import FinishedPart, Part, PartFolder, is_readable_anywhere, parts_of
from excerpt.model.document_names import Ids
from excerpt.notices import Notices
from excerpt.parse.expat import require_safe_expat

if TYPE_CHECKING:
    from excerpt.model.judgments import OffsetUnit

if sys.platform != "win32":
    import fcntl

#: Bytes of documents below which more processes than one do not pay.
_PAYS = 200 << 20
_LOCK_TIMEOUT = 1.0  # seconds: processes of a build that was just killed may still be ending
Batches = Iterator[list[Entry]]
_UNPACK = "indexed by this process alone; unpack the archive to share the work"
_IN_ARCHIVE = (f"document of an archive was {_UNPACK}", f"documents of an archive were {_UNPACK}")
_SEE_CORPUS = (
    "built by this process, because a worker could not read the same documents; "
    "all machines must see the corpus under the same name"
)
_REBUILT = (f"part of the index was {_SEE_CORPUS}", f"parts of the index were {_SEE_CORPUS}")
_SPECIAL = (
    "pipe, device or socket is named like a document and is left out",
    "pipes, devices or sockets are named like documents and are left out",
)
_UNREAD = (
    "external entity was not read and counts as one character",
    "external entities were not read and count as one character each",
)
_WITHOUT = ("file contains no document and is left out", "files contain no document and are left out")


def find_target(output: str | os.PathLike[str]) -> Path:
    """Resolve the name of an output folder; a link keeps pointing to the index."""
    name = os.fspath(output)
    try:
        target = Path(os.path.realpath(name))
        target.exists()
    except OSError as error:
        raise ExcerptError(f"cannot be written: {files.describe(error)}", path=name) from None
    except ValueError as error:  # a NUL character in the name
        raise ExcerptError(f"is not a file name: {error}", path=name) from None
    if not name or not target.name:
        raise ExcerptError(f"found {name!r} as output, expected the name of a folder")
    return target


@contextlib.contextmanager
def fill_folder(target: Path, *, left: Callable[[], str]) -> Iterator[Path]:
    """Create a temporary folder that is renamed to `target` on success and removed on failure.

    `left` describes the remains of a failed build. The next build removes those of a killed process.
    """
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        check_output(target)
        with _lock_target(target) as locked:
            if locked:
                _remove_leftovers(target)
            with files.replacing_folder(target, temporary):
                yield temporary
    except OSError as error:
        raise ExcerptError(
            f"cannot be written: {files.describe(error)}", path=str(target), hint=left()
        ) from None


@contextlib.contextmanager
def _lock_target(target: Path) -> Iterator[bool]:
    """Lock an index for a build: an error if another build has locked it, False if locks do not work."""
    path = target.with_name(f".{target.name}.lock")
    while True:
        with path.open("a") as file:
            locked, there = _lock(file, target), False
            with contextlib.suppress(FileNotFoundError):
                there = os.path.samestat(path.stat(), os.fstat(file.fileno()))
            if locked and not there:  # the other build has just removed it
                continue
            try:
                yield locked
            finally:
                with contextlib.suppress(OSError):  # some systems do not remove open files
                    path.unlink()
            return


def _lock(file: IO[str], target: Path) -> bool:
    if sys.platform == "win32":
        return False
    end = time.monotonic() + _LOCK_TIMEOUT
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise ExcerptError(
                    "another build of this index is in progress",
                    path=str(target),
                    hint="wait until it is finished, or give another ⟨output⟩",
                ) from None
            time.sleep(0.05)
        except OSError:  # a file system without locks
            return False
        else:
            return True


def _remove_leftovers(target: Path) -> None:
    """Remove the files of builds that were killed; an index that was being replaced gets its name back."""
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}(\.old)?\.tmp")
    for path in sorted(target.parent.iterdir()):
        if match := name.fullmatch(path.name):
            if match[1] and not target.exists():
                path.rename(target)
            else:
                files.remove_tree(path)


def check_output(output: Path) -> None:
    """Raise an error if a file or folder exists that is not an index."""
    if not output.exists() or is_index(output):
        return
    if output.is_dir() and not any(output.iterdir()):
        return
    raise ExcerptError(
        "exists and is not an index; nothing was changed", path=str(output), hint="give another ⟨output⟩"
    )


def index_parts(
    batches: Batches, folder: PartFolder, engine: Engine, notices: Notices
) -> Generator[tuple[IndexedBatch, int]]:
    """Index every batch through files of parts, some of which may exist; yields batches and `Entry.done`."""
    with contextlib.closing(_make(parts_of(batches), folder, engine, notices)) as parts:
        for finished in parts:
            yield from folder.read(finished)


def make_parts(
    batches: Batches, folder: PartFolder, engine: Engine, notices: Notices, *, share: int, of: int
) -> Generator[int]:
    """Make the files of every `of`-th part from number `share` (1, 2, …), and count them."""
    chosen = (part for part in parts_of(batches) if part.number % of == share - 1)
    with contextlib.closing(_make(chosen, folder, engine, notices)) as parts:
        for number, _ in enumerate(parts, start=1):
            yield number


def _make(
    parts: Iterator[Part], folder: PartFolder, engine: Engine, notices: Notices
) -> Generator[FinishedPart]:
    """Make the files of parts; this process makes the parts that a worker rejects."""
    is_local = engine.cluster is None
    work = parts if is_local else _with_keys(parts, folder, notices)

    def stays(part: Part) -> bool:
        return is_stream(part.batches[0]) if is_local else part.key is None

    with engine.map(Call(PartFolder.make, folder), work, here=stays) as answers:
        for answer in answers:
            if isinstance(answer, FinishedPart):
                yield answer
                continue
            finished = folder.make(answer.part._replace(key=None))
            assert isinstance(finished, FinishedPart), "a part without a key is not rejected"
            # Documents that this process cannot read either are no fault of the worker.
            if (answer.key, answer.unreadable) != (finished.key, finished.unreadable):
                notices.add(*_REBUILT, where=answer.machine)
            yield finished


def _with_keys(parts: Iterator[Part], folder: PartFolder, notices: Notices) -> Iterator[Part]:
    """Yield the parts for a cluster, with keys for those whose documents workers can read themselves."""
    for part in parts:
        if is_readable_anywhere(part):
            yield part._replace(key=folder.key(part))
        else:
            documents = list(chain.from_iterable(part.batches))
            notices.add(*_IN_ARCHIVE, len(documents), where=documents[0].name)
            yield part


@dataclass(frozen=True)
class BuildReport:
    """Result of a build; `characters` are in the unit of the index."""

    documents: int
    elements: int
    characters: int
    broken: tuple[BrokenDocument, ...]
    notices: tuple[str, ...]


def build_index(
    corpus: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    ids: Ids = "stem",
    document_tag: str | None = None,
    id_from: str | None = None,
    unit: OffsetUnit = "char",
    keep_text: bool = False,
    stop_at_fault: bool = False,
    workers: int | None = 1,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> BuildReport:
    """Index all elements of the XML documents of `corpus` into the folder `output`.

    Documents that are not well-formed are left out and listed in the report; with `stop_at_fault` the first
    of them is an error. With `keep_text` the index also contains the text of the documents, so that it can be
    used as a corpus (`Corpus.read`). `progress` is called with the bytes read so far and in total. The index
    is the same for any number of `workers` (None: as many as pay); a script that uses several must have the
    usual `if __name__ == "__main__":`, because each worker starts a new Python.

    A TREC file, a sequence of `<DOC>`, is split into documents, whose ids are in `<DOCNO>`. With
    `document_tag` every file is split: each element with that tag is a document, and `id_from` is the path of
    its id, such as `DOCNO`, `header/id` or `@id` (by default `DOCNO`, else `@id`).

    The corpus `-` is a tar, or a single document, on standard input; a named pipe works in the same way.

    On the Dask cluster at the address `cluster` the workers write parts of the index into the folder
    `output`.parts, which all of them must see. Parts that exist already, from a build that was interrupted or
    from `build_share`, are used if their documents have not changed.
    """
    engine = Engine(1 if workers is None else workers, cluster)
    if cluster is not None:
        _require_files(corpus)
    source, target = _open(corpus, output, ids, unit, Cutting.of(document_tag, id_from, ids))
    if workers is None and cluster is None:
        engine = Engine(paying_workers(max(source.total, files.content_size(corpus)), _PAYS))
    parts = PartFolder.for_index(target, os.fspath(corpus), unit, keep_text=keep_text)
    in_parts = cluster is not None or (parts.exists() and not files.read_once(corpus))
    with (
        fill_folder(target, left=parts.left) as folder,
        parts.create() if in_parts else contextlib.nullcontext(),
    ):
        work = _Build(Merger(folder, keep_text=keep_text), stop_at_fault=stop_at_fault, tag=document_tag)
        for name in source.left_out:
            work.notices.add(*_SPECIAL, where=name)
        pieces = batches(source.entries)
        if in_parts:
            made = contextlib.closing(index_parts(pieces, parts, engine, work.notices))
        else:
            made = engine.map(Call(_index, (unit, keep_text)), pieces, here=is_stream)
        with contextlib.closing(work.merger), made as results:
            for batch, done in results:
                work.take(batch)
                if progress is not None:
                    progress(done, source.total)
            for name in source.without:
                work.notices.add(*_WITHOUT, where=name)
            options = {"unit": unit, "ids": ids, **({"text": True} if keep_text else {})}
            work.finish(folder, files.display_name(corpus), options)
    parts.remove()
    return work.report()


def build_share(
    corpus: str | os.PathLike[str],
    output: str | os.PathLike[str],
    share: int,
    of: int,
    *,
    ids: Ids = "stem",
    document_tag: str | None = None,
    id_from: str | None = None,
    unit: OffsetUnit = "char",
    keep_text: bool = False,
    workers: int = 1,
    cluster: str | None = None,
    notices: Notices | None = None,
) -> int:
    """Make shard number `share` (1, 2, … `of`) of an index in `of` shards; returns its number of parts.

    The shards can be made on any machines that see the corpus and the folder `output`.parts. After that,
    `build_index` with the same arguments merges them; it makes parts itself that are missing, whose documents
    have changed, or whose documents could not be read. Warnings are counted in `notices`.
    """
    if not 1 <= share <= of:
        raise ExcerptError(f"found shard {share}/{of}, expected one of 1/{of} to {of}/{of}")
    _require_files(corpus)
    source, target = _open(corpus, output, ids, unit, Cutting.of(document_tag, id_from, ids))
    parts = PartFolder.for_index(target, os.fspath(corpus), unit, keep_text=keep_text)
    check_output(target)
    pieces = batches(source.entries)
    first = next(pieces, None)
    if first is None:
        raise _no_documents(os.fspath(corpus), document_tag)
    pieces = chain([first], pieces)
    notices = Notices() if notices is None else notices
    for name in source.left_out:
        notices.add(*_SPECIAL, where=name)
    counts = make_parts(pieces, parts, Engine(workers, cluster), notices, share=share, of=of)
    try:
        with parts.create(), contextlib.closing(counts):
            return max(counts, default=0)
    except OSError as error:
        raise ExcerptError(f"cannot be written: {files.describe(error)}", path=parts.folder) from None


def _index(options: tuple[OffsetUnit, bool], batch: list[Entry]) -> tuple[IndexedBatch, int]:
    unit, keep_text = options
    return index_batch(batch, unit, keep_text=keep_text), batch[-1].done


def _open(
    corpus: str | os.PathLike[str],
    output: str | os.PathLike[str],
    ids: Ids,
    unit: OffsetUnit,
    cutting: Cutting | None,
) -> tuple[Walk, Path]:
    require_safe_expat()
    for name, value, allowed in (("ids", ids, ("stem", "path")), ("unit", unit, ("char", "byte"))):
        if value not in allowed:
            raise ExcerptError(f"{name} is {value!r}, expected {' or '.join(allowed)}")
    target = find_target(files.require_path(output, "output"))
    return open_corpus(corpus, ids, cutting), target


def _require_files(corpus: str | os.PathLike[str]) -> None:
    if files.read_once(corpus):
        raise ExcerptError(
            "found a stream, which only one process can read, expected a folder or a file",
            path=files.display_name(corpus),
        )


@dataclass
class _Build:
    merger: Merger
    stop_at_fault: bool
    tag: str | None
    broken: list[BrokenDocument] = field(default_factory=list)
    notices: Notices = field(default_factory=Notices)

    def take(self, batch: IndexedBatch) -> None:
        if self.stop_at_fault and batch.broken:
            raise _error(batch.broken[0], "")
        self.broken += batch.broken
        for name, count in batch.unread:
            self.notices.add(*_UNREAD, count, where=name)
        self.merger.add(batch)

    def finish(self, folder: Path, corpus: str, options: dict[str, Any]) -> None:
        if not self.merger.documents:
            raise self._no_documents(corpus)
        self.merger.finish()
        write_json(folder, BROKEN, [vars(document) for document in self.broken])
        description = {
            **options,
            "fingerprint": self.merger.fingerprint,
            "documents": self.merger.documents,
            "elements": self.merger.elements,
            "characters": self.merger.characters,
            "broken": len(self.broken),
        }
        # Last, because a folder without a description is not an index.
        write_description(folder, description)
        with contextlib.suppress(OSError):  # some systems cannot open a directory
            files.sync_folder(folder)

    def _no_documents(self, corpus: str) -> ExcerptError:
        if count := len(self.broken):
            none = f"none of the {count} documents could be read; first"
            return _error(self.broken[0], f"{none if count > 1 else 'the only document could not be read'}: ")
        return _no_documents(corpus, self.tag)

    def report(self) -> BuildReport:
        return BuildReport(
            self.merger.documents,
            self.merger.elements,
            self.merger.characters,
            tuple(self.broken),
            tuple(self.notices),
        )


def _no_documents(corpus: str, tag: str | None) -> ExcerptError:
    if tag is not None:
        return ExcerptError(f"contains no document <{tag}>", path=corpus)
    return ExcerptError(
        "contains no XML document",
        path=corpus,
        hint="documents are files with the extension .xml; archives of TREC files must be unpacked",
    )


def _error(broken: BrokenDocument, prefix: str) -> FormatError:
    return FormatError(
        prefix + broken.message,
        path=broken.path,
        line=broken.line,
        hint="repair the document or leave it out",
    )
