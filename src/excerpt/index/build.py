"""XML documents to an index of where every element is: corpus in, directory out."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from excerpt.errors import ExcerptError, FormatError
from excerpt.files import describe
from excerpt.index.corpus import batches, open_corpus
from excerpt.index.engine import index_batches
from excerpt.index.entries import Corpus, Ids
from excerpt.index.merge import Merger
from excerpt.index.scan import Unit, require_safe_expat
from excerpt.index.shard import BrokenDocument, Shard
from excerpt.index.store import BROKEN, check_output, publish, write_description, write_json
from excerpt.notices import Notices

_UNREAD = "entities that are not declared inside the document were not read and count as one character each"


@dataclass(frozen=True)
class BuildReport:
    """What was indexed and what was not; `characters` is in the unit of the index."""

    documents: int
    elements: int
    characters: int
    broken: tuple[BrokenDocument, ...]
    notices: tuple[str, ...]


def build(
    corpus: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    ids: Ids = "stem",
    unit: Unit = "char",
    strict: bool = False,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> BuildReport:
    """Index every element of every XML document of `corpus` into the directory `output`.

    Documents that are not well-formed are left out and listed in the report; with `strict` the first one is
    an error. `progress` is called with the bytes read so far and in total. The same index
    comes out for any number of `workers`; a script that asks for several must have the usual
    `if __name__ == "__main__":`, because each starts as a fresh Python.
    """
    require_safe_expat()
    _check(ids, ("stem", "path"), "ids")
    _check(unit, ("char", "byte"), "unit")
    target = _target(output)
    source = open_corpus(corpus, ids)
    with _writing(target) as folder:
        work = _Build(Merger(folder), strict=strict)
        with contextlib.closing(work.merger):
            work.run(source, unit, workers, progress)
            work.finish(folder, os.fspath(corpus), {"unit": unit, "ids": ids})
    return work.report()


def _target(output: str | os.PathLike[str]) -> Path:
    try:
        return Path(os.path.realpath(output))  # a link keeps pointing to the index
    except ValueError as error:  # a NUL character in the name
        raise ExcerptError(f"is not a file name: {error}", path=os.fspath(output)) from None


def _check(value: str, allowed: tuple[str, ...], name: str) -> None:
    if value not in allowed:
        raise ExcerptError(f"{name} is {value!r}, expected {' or '.join(allowed)}")


@contextlib.contextmanager
def _writing(target: Path) -> Iterator[Path]:
    """A directory that gets the name `target` when everything went well, and vanishes when not."""
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        check_output(target)
        temporary.mkdir()
        yield temporary
        publish(temporary, target)
    except OSError as error:
        raise ExcerptError(
            f"cannot be written: {describe(error)}", path=str(target), hint="nothing was left behind"
        ) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@dataclass
class _Build:
    merger: Merger
    strict: bool
    broken: list[BrokenDocument] = field(default_factory=list)
    notices: Notices = field(default_factory=Notices)

    def run(
        self, source: Corpus, unit: Unit, workers: int, progress: Callable[[int, int], None] | None
    ) -> None:
        for shard, done in index_batches(batches(source.entries), unit=unit, workers=workers):
            self._take(shard)
            if progress is not None:
                progress(done, source.total)

    def _take(self, shard: Shard) -> None:
        if self.strict and shard.broken:
            raise _error(shard.broken[0], "")
        self.broken += shard.broken
        for name, count in shard.unread:
            self.notices.add(_UNREAD, count, where=name)
        self.merger.add(shard)

    def finish(self, folder: Path, corpus: str, options: dict[str, str]) -> None:
        if not self.merger.documents:
            raise self._nothing(corpus)
        self.merger.finish()
        write_json(folder, BROKEN, [vars(document) for document in self.broken])
        # Last: without its description a directory is no index.
        write_description(folder, self._description(options))
        _sync_directory(folder)

    def _nothing(self, corpus: str) -> ExcerptError:
        if self.broken:
            return _error(self.broken[0], f"none of the {len(self.broken)} documents could be read; first: ")
        return ExcerptError(
            "holds no XML document", path=corpus, hint="documents are the files whose names end in .xml"
        )

    def _description(self, options: dict[str, str]) -> dict[str, Any]:
        return {
            **options,
            "fingerprint": self.merger.fingerprint,
            "documents": self.merger.documents,
            "elements": self.merger.elements,
            "characters": self.merger.characters,
            "broken": len(self.broken),
        }

    def report(self) -> BuildReport:
        return BuildReport(
            self.merger.documents,
            self.merger.elements,
            self.merger.characters,
            tuple(self.broken),
            tuple(self.notices),
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
