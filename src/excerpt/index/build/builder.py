"""The builder of an index: corpus in, directory out."""

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

from excerpt.documents.cuts import Cutting
from excerpt.documents.entry import Entry, Ids, Walk, is_stream
from excerpt.documents.walk import batches, open_corpus
from excerpt.engine import Call, Engine
from excerpt.errors import ExcerptError, FormatError
from excerpt.files import describe, display_name, read_once, require_path
from excerpt.index.build.batch import BrokenDocument, IndexedBatch, index_batch
from excerpt.index.build.merge import Merger
from excerpt.index.build.shares import Made, Part, PartFolder, can_travel, parts_of
from excerpt.index.disk import BROKEN, is_index, write_description
from excerpt.notices import Notices
from excerpt.parse.expat import require_safe_expat
from excerpt.parse.tree import write_json

if TYPE_CHECKING:
    from excerpt.model.judgments import Unit


if sys.platform != "win32":
    import fcntl

_PATIENCE = 1.0  # seconds: a build that was just killed may have processes that are still ending


def find_target(output: str | os.PathLike[str]) -> Path:
    """The directory that a name means; a link keeps pointing to the index."""
    name = os.fspath(output)
    try:
        target = Path(os.path.realpath(name))
        target.exists()
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=name) from None
    except ValueError as error:  # a NUL character in the name
        raise ExcerptError(f"is not a file name: {error}", path=name) from None
    if not name or not target.name:
        raise ExcerptError(f"found the output {name!r}, expected the name of a folder to make")
    return target


@contextlib.contextmanager
def fill_folder(target: Path, *, left: Callable[[], str]) -> Iterator[Path]:
    """A folder to fill: it gets the name `target` when everything went well, and is removed when not.

    `left` says what stays of a failed build all the same. A process that is killed leaves the folder behind,
    under a name that nobody opens; the next build removes it.
    """
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        check_output(target)
        with _lock_target(target) as sure:
            if sure:
                _remove_dead(target)
            try:
                temporary.mkdir()
                yield temporary
                _publish(temporary, target)
            finally:
                if temporary.exists():
                    _remove_tree(temporary)
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=str(target), hint=left()) from None


@contextlib.contextmanager
def _lock_target(target: Path) -> Iterator[bool]:
    """Whether no other build of this index is under way: an error if there is, False if nobody can tell."""
    path = target.with_name(f".{target.name}.lock")
    while True:
        with path.open("a") as held:
            sure = _lock(held, target)
            if sure and not _is_still(path, held):  # the build that we waited for has just removed it
                continue
            try:
                yield sure
            finally:
                with contextlib.suppress(OSError):  # some systems keep files that are open
                    path.unlink()
            return


def _lock(held: IO[str], target: Path) -> bool:
    if sys.platform == "win32":
        return False
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise ExcerptError(
                    "another build of this index is under way",
                    path=str(target),
                    hint="wait for it, or give another ⟨output⟩",
                ) from None
            time.sleep(0.05)
        except OSError:  # a file system without locks
            return False
        else:
            return True


def _is_still(path: Path, held: IO[str]) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(held.fileno()))
    except FileNotFoundError:
        return False


def _remove_dead(target: Path) -> None:
    """Remove what builds that were killed have left; an index that was just being replaced gets its name."""
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}(\.old)?\.tmp")
    for path in sorted(target.parent.iterdir()):
        if match := name.fullmatch(path.name):
            if match[1] and not target.exists():
                path.rename(target)
            else:
                _remove_tree(path)


def check_output(output: Path) -> None:
    """Refuse to write over anything that is not an index."""
    if not output.exists() or is_index(output):
        return
    if output.is_dir() and not any(output.iterdir()):
        return
    raise ExcerptError(
        "exists and is not an index; nothing was changed", path=str(output), hint="give another ⟨output⟩"
    )


def _remove_tree(folder: Path) -> None:
    """Remove a folder with everything in it, as far as possible."""
    import shutil  # brings half a dozen modules, and is seldom needed

    shutil.rmtree(folder, ignore_errors=True)


def _publish(temporary: Path, output: Path) -> None:
    """Give the finished directory its name; an older index there is removed when the new one is in place."""
    old = temporary.with_name(temporary.name.replace(".tmp", ".old.tmp"))
    if output.exists():
        output.rename(old)
    try:
        temporary.rename(output)
    except BaseException:
        if old.exists():
            old.rename(output)
        raise
    _remove_tree(old)


Batches = Iterator[list[Entry]]

_ALONE = "document inside an archive was indexed by this process alone; unpack the archive to share the work"
_UNSEEN = (
    "part of the index was made by this process: a worker could not read its documents or saw others; "
    "all machines must see the corpus under the same name"
)


def index_parts(
    batches: Batches, folder: PartFolder, engine: Engine, notices: Notices
) -> Generator[tuple[IndexedBatch, int]]:
    """Index every batch through the files of parts, of which some may be there already.

    With each batch comes how far the corpus is read with it.
    """
    with contextlib.closing(_make(parts_of(batches), folder, engine, notices)) as parts:
        for made in parts:
            yield from folder.read(made)


def make_parts(
    batches: Batches, folder: PartFolder, engine: Engine, notices: Notices, *, share: int, of: int
) -> Generator[int]:
    """Make the files of every `of`-th part, from number `share` (1, 2, …) on; counts them."""
    chosen = (part for part in parts_of(batches) if part.number % of == share - 1)
    with contextlib.closing(_make(chosen, folder, engine, notices)) as parts:
        for number, _ in enumerate(parts, start=1):
            yield number


def _make(parts: Iterator[Part], folder: PartFolder, engine: Engine, notices: Notices) -> Generator[Made]:
    """The files of the parts; what a worker refuses is made here, where the user looks at the documents."""
    alone = engine.cluster is None
    asked = parts if alone else _with_keys(parts, folder, notices)

    def stays(part: Part) -> bool:
        return is_stream(part.batches[0]) if alone else part.key is None

    with engine.map(Call(PartFolder.make, folder), asked, here=stays) as answers:
        for answer in answers:
            if isinstance(answer, Made):
                yield answer
                continue
            made = folder.make(answer.part._replace(key=None))
            assert isinstance(made, Made), "nobody refuses without a key"
            # Documents that nobody can read are no fault of the worker.
            if (answer.key, answer.unreadable) != (made.key, made.unreadable):
                notices.add(_UNSEEN, where=answer.machine)
            yield made


def _with_keys(parts: Iterator[Part], folder: PartFolder, notices: Notices) -> Iterator[Part]:
    """The parts for a cluster: with the keys of those that workers can read themselves."""
    for part in parts:
        if can_travel(part):
            yield part._replace(key=folder.key(part))
        else:
            documents = list(chain.from_iterable(part.batches))
            notices.add(_ALONE, len(documents), where=documents[0].name)
            yield part


_SPECIAL = "pipe, device or socket named like a document was left out"
_UNREAD = "entities that are not declared inside the document were not read and count as one character each"
_WITHOUT = "file without a document was left out"


@dataclass(frozen=True)
class BuildReport:
    """What was indexed and what was not; `characters` is in the unit of the index."""

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
    unit: Unit = "char",
    keep_text: bool = False,
    stop_at_fault: bool = False,
    workers: int = 1,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> BuildReport:
    """Index every element of every XML document of `corpus` into the directory `output`.

    Documents that are not well-formed are left out and listed in the report; with `stop_at_fault` the first
    one is an error. With `keep_text` the index has the text of the documents, too, so that it serves as a
    corpus (`Corpus.read`). `progress` is called with the bytes read so far and in total. The same index comes
    out for any number of `workers`; a script that asks for several must have the usual
    `if __name__ == "__main__":`, because each starts as a fresh Python.

    A file of TREC's, one `<DOC>` after the other, is many documents, called by their `<DOCNO>`. With
    `document_tag` every file is cut: each element of that tag is a document, and `id_from` is where its id
    stands, such as `DOCNO`, `header/id` or `@id` (by default `DOCNO`, else `@id`).

    The corpus `-` is a tar, or a single document, on standard input; a pipe may be one too.

    On the Dask cluster at the address `cluster` the workers write parts of the index into the folder
    `output`.parts, which all of them must see; parts that are there already, from a build that was
    interrupted or from `build_share`, are taken if their documents have not changed.
    """
    engine = Engine(workers, cluster)
    if cluster is not None:
        _require_files(corpus)
    source, target = _open(corpus, output, ids, unit, Cutting.of(document_tag, id_from, ids))
    parts = PartFolder.beside(target, os.fspath(corpus), unit, keep_text=keep_text)
    in_parts = cluster is not None or (parts.exists() and not read_once(corpus))
    with (
        fill_folder(target, left=parts.left) as folder,
        parts.create() if in_parts else contextlib.nullcontext(),
    ):
        work = _Build(Merger(folder, keep_text=keep_text), stop_at_fault=stop_at_fault, tag=document_tag)
        _note_left_out(source, work.notices)
        pieces = batches(source.entries)
        if in_parts:
            results = index_parts(pieces, parts, engine, work.notices)
        else:
            results = _index_batches(pieces, unit, keep_text, engine)
        with contextlib.closing(work.merger), contextlib.closing(results):
            for batch, done in results:
                work.take(batch)
                if progress is not None:
                    progress(done, source.total)
            for name in source.without:
                work.notices.add(_WITHOUT, where=name)
            options = {"unit": unit, "ids": ids, **({"text": True} if keep_text else {})}
            work.finish(folder, display_name(corpus), options)
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
    unit: Unit = "char",
    keep_text: bool = False,
    workers: int = 1,
    cluster: str | None = None,
    notices: Notices | None = None,
) -> int:
    """Make one of the `of` shares of an index, `share` 1, 2, … `of`; returns how many parts it has.

    When all are made, on any machines that see the corpus and the folder `output`.parts, `build_index` with
    the same arguments puts them together; what is missing, has changed or could not be read, it makes itself.
    Doubts are counted in `notices`.
    """
    if not 1 <= share <= of:
        raise ExcerptError(f"found share {share}/{of}, expected one of 1/{of} to {of}/{of}")
    _require_files(corpus)
    source, target = _open(corpus, output, ids, unit, Cutting.of(document_tag, id_from, ids))
    parts = PartFolder.beside(target, os.fspath(corpus), unit, keep_text=keep_text)
    check_output(target)
    pieces = batches(source.entries)
    first = next(pieces, None)
    if first is None:
        raise _no_documents(os.fspath(corpus), document_tag)
    pieces = chain([first], pieces)
    notices = Notices() if notices is None else notices
    _note_left_out(source, notices)
    made = make_parts(pieces, parts, Engine(workers, cluster), notices, share=share, of=of)
    try:
        with parts.create(), contextlib.closing(made):
            return max(made, default=0)
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=parts.folder) from None


def _index_batches(
    batches: Iterator[list[Entry]], unit: Unit, keep_text: bool, engine: Engine
) -> Generator[tuple[IndexedBatch, int]]:
    """Index every batch on one machine; with each comes how far the corpus is read with it."""
    with engine.map(Call(_index, (unit, keep_text)), batches, here=is_stream) as results:
        yield from results


def _index(how: tuple[Unit, bool], batch: list[Entry]) -> tuple[IndexedBatch, int]:
    unit, keep_text = how
    return index_batch(batch, unit, keep_text=keep_text), batch[-1].done


def _open(
    corpus: str | os.PathLike[str],
    output: str | os.PathLike[str],
    ids: Ids,
    unit: Unit,
    cutting: Cutting | None,
) -> tuple[Walk, Path]:
    require_safe_expat()
    _check(ids, ("stem", "path"), "ids")
    _check(unit, ("char", "byte"), "unit")
    target = find_target(require_path(output, "output"))
    return open_corpus(corpus, ids, cutting), target


def _note_left_out(source: Walk, notices: Notices) -> None:
    for name in source.left_out:
        notices.add(_SPECIAL, where=name)


def _require_files(corpus: str | os.PathLike[str]) -> None:
    if read_once(corpus):
        raise ExcerptError(
            "found a stream, which only one process can read, expected a folder or a file",
            path=display_name(corpus),
        )


def _check(value: str, allowed: tuple[str, ...], name: str) -> None:
    if value not in allowed:
        raise ExcerptError(f"{name} is {value!r}, expected {' or '.join(allowed)}")


@dataclass
class _Build:
    merger: Merger
    stop_at_fault: bool
    tag: str | None
    broken: list[BrokenDocument] = field(default_factory=list)
    notices: Notices = field(default_factory=Notices)

    def take(self, batch: IndexedBatch) -> None:
        """Append a batch."""
        if self.stop_at_fault and batch.broken:
            raise _error(batch.broken[0], "")
        self.broken += batch.broken
        for name, count in batch.unread:
            self.notices.add(_UNREAD, count, where=name)
        self.merger.add(batch)

    def finish(self, folder: Path, corpus: str, options: dict[str, Any]) -> None:
        if not self.merger.documents:
            raise self._nothing(corpus)
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
        # Last: without its description a directory is no index.
        write_description(folder, description)
        _sync_directory(folder)

    def _nothing(self, corpus: str) -> ExcerptError:
        if self.broken:
            many = len(self.broken)
            none = f"none of the {many} documents could be read; first"
            return _error(self.broken[0], f"{none if many > 1 else 'the only document could not be read'}: ")
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
        return ExcerptError(f"holds no document <{tag}>", path=corpus)
    return ExcerptError(
        "holds no XML document",
        path=corpus,
        hint="documents are the files whose names end in .xml; TREC's files are read where they are unpacked",
    )


def _error(broken: BrokenDocument, prefix: str) -> FormatError:
    return FormatError(
        prefix + broken.message,
        path=broken.path,
        line=broken.line,
        hint="repair the document or leave it out",
    )


def _sync_directory(folder: Path) -> None:
    with contextlib.suppress(OSError):  # not every system lets a directory be opened
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
