"""The engine: work shared out among processes or a Dask cluster, results in the order of the items."""

from __future__ import annotations

import contextlib
import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sized
from typing import Any, Generic, Protocol, TypeVar

from excerpt.errors import ExcerptError

C = TypeVar("C")
T = TypeVar("T")
R = TypeVar("R")

IN_FLIGHT = 3  # items per worker: enough to keep them busy, few enough to keep memory small


class Call(Generic[C, T, R]):
    """What is done with every item; it travels to each worker once.

    `prepare` is called once in each worker before the first item: makes known there what was registered here.
    """

    def __init__(
        self, function: Callable[[C, T], R], context: C, prepare: Callable[[], None] | None = None
    ) -> None:
        self.function, self.context, self.prepare = function, context, prepare

    def __call__(self, item: T) -> R:
        return self.function(self.context, item)


class Lanes(Protocol):
    """Several workers that take items; each may be in the middle of one."""

    def limit(self) -> int:
        """How many items may be on their way at once."""
        ...

    def submit(self, item: Any) -> Callable[[], Any]:
        """Begin with an item; what comes back waits for its result, or raises its error."""
        ...

    def close(self) -> None:
        """Stop, finished or not."""
        ...


class Engine:
    """Where work is done: here (one worker), in local processes, or on the cluster at an address."""

    def __init__(self, workers: int = 1, cluster: str | None = None) -> None:
        if not isinstance(workers, int):
            raise ExcerptError(f"found {workers!r:.60} workers, expected a whole number")
        if workers < 1:
            raise ExcerptError(f"found {workers} workers, expected at least 1")
        if workers > 1 and cluster is not None:
            raise ExcerptError("found both workers and a cluster", hint="give one of them")
        self.workers, self.cluster = workers, cluster

    def map(
        self, call: Call[C, T, R], items: Iterable[T], *, here: Callable[[T], bool] = lambda _: False
    ) -> contextlib.closing[Generator[R]]:
        """The results in the order of the items, whoever computed them; use it in a `with` statement.

        Items for which `here` is true stay in this process, because they cannot travel. An error of an
        item, or of the iterator of items, is raised when all results before it are out.
        """
        return contextlib.closing(self._results(call, items, here))

    def _results(self, call: Call[C, T, R], items: Iterable[T], here: Callable[[T], bool]) -> Generator[R]:
        workers = min(self.workers, len(items)) if isinstance(items, Sized) else self.workers
        if self.cluster is not None:
            from excerpt.engine.cluster import Cluster

            yield from _in_order(Cluster(self.cluster, call), call, items, here)
        elif workers > 1:
            from excerpt.engine.processes import Processes

            yield from _in_order(Processes(workers, call), call, items, here)
        else:
            yield from map(call, items)


def _in_order(
    lanes: Lanes, call: Call[C, T, R], items: Iterable[T], here: Callable[[T], bool]
) -> Generator[R]:
    waiting: deque[Callable[[], R]] = deque()
    failed: ExcerptError | None = None
    source = iter(items)
    with contextlib.closing(lanes):
        while True:
            try:
                item = next(source)
            except StopIteration:
                break
            except ExcerptError as error:
                failed = error
                break
            waiting.append(_do(call, item) if here(item) else lanes.submit(item))
            while len(waiting) >= lanes.limit():
                yield waiting.popleft()()
        while waiting:
            yield waiting.popleft()()
    if failed is not None:
        raise failed


def _do(call: Call[C, T, R], item: T) -> Callable[[], R]:
    """An item done at once; its error waits for its turn."""
    try:
        result = call(item)
    except ExcerptError as error:
        failed = error
    else:
        return lambda: result

    def fail() -> R:
        raise failed

    return fail


def pack(what: object, dumps: Callable[[Any], bytes]) -> bytes:
    """A call or an item as bytes, for other processes."""
    try:
        return dumps(what)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ExcerptError(
            f"cannot be sent to workers: {error}",
            hint="try ⟨workers=1⟩, or define what you registered at the top of a module",
        ) from None


def unpack(payload: bytes) -> Call[Any, Any, Any]:
    """The call in a worker, ready for the first item."""
    call: Call[Any, Any, Any] = pickle.loads(payload)  # noqa: S301  our own, from the process that started us
    if call.prepare is not None:
        call.prepare()
    return call


__all__ = ["Call", "Engine"]
