"""Parts of an index made by any engine, always in the order of their batches."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from itertools import chain

from excerpt.documents.entry import Entry, is_stream
from excerpt.engine import Call, Engine
from excerpt.index.build.batch import IndexedBatch
from excerpt.index.parts.folder import Made, Part, PartFolder, can_travel, parts_of
from excerpt.notices import Notices

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
    with engine.map(Call(PartFolder.make, folder), asked, here=_is_read_once if alone else _stays) as answers:
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


def _is_read_once(part: Part) -> bool:
    return is_stream(part.batches[0])


def _stays(part: Part) -> bool:
    return part.key is None
