"""Batches to shards on any engine, always in the order of the batches."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

from excerpt.engine import Call, Engine
from excerpt.index.entries import Entry
from excerpt.index.parts import Indexed, Part, PartFolder, can_travel, is_stream, parts_of
from excerpt.index.scan import Unit
from excerpt.index.shard import index_batch

Batches = Iterator[list[Entry]]


def index_batches(batches: Batches, unit: Unit, engine: Engine) -> Generator[Indexed]:
    """Index every batch and hand the shards over in memory; for one machine."""
    with engine.map(Call(_index, unit), batches, here=is_stream) as results:
        yield from results


def _index(unit: Unit, batch: list[Entry]) -> Indexed:
    return Indexed(index_batch(batch, unit), batch[-1].done)


def index_parts(batches: Batches, folder: PartFolder, engine: Engine) -> Generator[Indexed]:
    """Index every batch and hand the shards over in files, of which some may be there already."""
    with engine.map(Call(PartFolder.make, folder), parts_of(batches), here=_stays(engine)) as results:
        for made in results:
            yield from folder.read(made)


def make_parts(
    batches: Batches, folder: PartFolder, engine: Engine, *, shard: int, of: int
) -> Generator[int]:
    """Make the files of every `of`-th part, from number `shard` (1, 2, …) on; counts them."""
    chosen = (part for part in parts_of(batches) if part.number % of == shard - 1)
    with engine.map(Call(PartFolder.make, folder), chosen, here=_stays(engine)) as results:
        for number, _ in enumerate(results, start=1):
            yield number


def _stays(engine: Engine) -> Callable[[Part], bool]:
    """Which parts are made in this process: those whose documents cannot travel, or should not."""
    if engine.cluster is None:
        return lambda part: is_stream(part.batches[0])
    return lambda part: not can_travel(part)
