"""Batches to shards, in this process or in several, always in the order of the batches."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import NamedTuple

from excerpt.errors import ExcerptError
from excerpt.index.entries import Entry
from excerpt.index.scan import Unit
from excerpt.index.shard import Shard, index_batch

_IN_FLIGHT = 3  # batches per worker: enough to keep them busy, few enough to keep memory small


class Progress(NamedTuple):
    """A shard, and how far the corpus is read with it."""

    shard: Shard
    done: int


def index_batches(batches: Iterator[list[Entry]], *, unit: Unit, workers: int) -> Iterator[Progress]:
    """Index every batch; the results do not depend on the number of workers."""
    if workers <= 1:
        for batch in batches:
            yield Progress(index_batch(batch, unit), batch[-1].done)
        return
    # Fresh processes: a fork of a process with threads may hang, and numpy has threads.
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_ignore_interrupts)
    try:
        yield from _in_order(pool, batches, unit, workers * _IN_FLIGHT)
    except BrokenProcessPool:
        raise ExcerptError(
            "a worker process ended unexpectedly",
            hint="try fewer --workers if memory is short; a script needs `if __name__ == '__main__':`",
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _in_order(
    pool: ProcessPoolExecutor, batches: Iterator[list[Entry]], unit: Unit, limit: int
) -> Iterator[Progress]:
    waiting: deque[tuple[Future[Shard], int]] = deque()
    for batch in batches:
        waiting.append((_submit(pool, batch, unit), batch[-1].done))
        if len(waiting) >= limit:
            yield _result(waiting)
    while waiting:
        yield _result(waiting)


def _result(waiting: deque[tuple[Future[Shard], int]]) -> Progress:
    future, done = waiting.popleft()
    return Progress(future.result(), done)


def _submit(pool: ProcessPoolExecutor, batch: list[Entry], unit: Unit) -> Future[Shard]:
    if not isinstance(batch[0].content, Iterator):
        return pool.submit(index_batch, batch, unit)
    # A stream out of an archive: it cannot travel, and the archive waits until it is read.
    return _done(lambda: index_batch(batch, unit))


def _done(work: Callable[[], Shard]) -> Future[Shard]:
    future: Future[Shard] = Future()
    future.set_result(work())
    return future


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
