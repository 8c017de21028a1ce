"""Parallel execution in local processes or on a Dask cluster, with results in the order of the items."""

from __future__ import annotations

import contextlib
import os
import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sized
from typing import Any, Generic, Protocol, TypeVar

from excerpt._lazy import offered
from excerpt.errors import ExcerptError

C = TypeVar("C")
T = TypeVar("T")
R = TypeVar("R")

IN_FLIGHT = 3  # items per worker: enough to keep them busy, few enough to keep memory small


class Workers(Protocol):
    """Processes, here or on a cluster, that compute items which are submitted to them."""

    def submit(self, item: Any, /) -> Callable[[], Any]:
        """Send an item; the function returned waits for its result."""

    def limit(self) -> int:
        """Return how many items may be under way."""

    def close(self) -> None:
        """End all work."""


class Call(Generic[C, T, R]):
    """A function of a context and an item, which is sent to each worker, and prepared there, once.

    Local workers `inherit` a large context if the system can copy this process.
    """

    def __init__(
        self,
        function: Callable[[C, T], R],
        context: C,
        prepare: Callable[[], None] | None = None,
        *,
        inherit: bool = False,
    ) -> None:
        self.function, self.context, self.prepare, self.inherit = function, context, prepare, inherit

    def __call__(self, item: T) -> R:
        return self.function(self.context, item)


def paying_workers(size: int, least: int) -> int:
    """Return 1 for work below the least size that more workers pay for, else what this process may use."""
    if size < least:
        return 1
    affinity = getattr(os, "sched_getaffinity", None)
    return (os.cpu_count() or 1) if affinity is None else len(affinity(0))


class Engine:
    """Executor of calls: this process (one worker), local processes, or the cluster at an address."""

    def __init__(self, workers: int = 1, cluster: str | None = None) -> None:
        if not isinstance(workers, int):
            raise ExcerptError(f"found {workers!r:.60} workers, expected a whole number")
        if workers < 1:
            raise ExcerptError(f"found {workers} workers, expected at least 1")
        if workers > 1 and cluster is not None:
            raise ExcerptError("⟨workers⟩ and ⟨cluster⟩ cannot be combined")
        self.workers, self.cluster = workers, cluster

    def map(
        self, call: Call[C, T, R], items: Iterable[T], *, here: Callable[[T], bool] = lambda _: False
    ) -> contextlib.closing[Generator[R]]:
        """Yield the results in the order of the items; use it in a `with` statement.

        Items for which `here` is true are computed in this process, because they cannot be sent. An error of
        an item, or of the iterator of items, is raised after all results before it.
        """
        return contextlib.closing(self._results(call, items, here))

    def _results(self, call: Call[C, T, R], items: Iterable[T], here: Callable[[T], bool]) -> Generator[R]:
        workers = min(self.workers, len(items)) if isinstance(items, Sized) else self.workers
        if self.cluster is not None:
            yield from _in_order(offered("cluster")(self.cluster, call), call, items, here)
        elif workers > 1:
            yield from _in_order(offered("processes")(workers, call), call, items, here)
        else:
            yield from map(call, items)


def _in_order(
    workers: Workers, call: Call[C, T, R], items: Iterable[T], here: Callable[[T], bool]
) -> Generator[R]:
    submitted: deque[Callable[[], R]] = deque()
    failure: ExcerptError | None = None
    source = iter(items)
    with contextlib.closing(workers):
        while True:
            try:
                item = next(source)
            except StopIteration:
                break
            except ExcerptError as error:
                failure = error
                break
            submitted.append(_compute_here(call, item) if here(item) else workers.submit(item))
            while len(submitted) >= workers.limit():
                yield submitted.popleft()()
        while submitted:
            yield submitted.popleft()()
    if failure is not None:
        raise failure


def _compute_here(call: Call[C, T, R], item: T) -> Callable[[], R]:
    """Compute an item at once; the function returned gives its result or raises its error."""
    try:
        result = call(item)
    except ExcerptError as error:
        failure = error
    else:
        return lambda: result

    def fail() -> R:
        raise failure

    return fail


def pack(value: object, dumps: Callable[[Any], bytes]) -> bytes:
    """Serialise a call or an item for other processes."""
    try:
        return dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ExcerptError(
            f"cannot be sent to workers: {error}",
            hint="try ⟨workers=1⟩, or define registered functions and classes at the top level of a module",
        ) from None


def unpack(payload: bytes) -> Call[Any, Any, Any]:
    """Load and prepare a call in a worker."""
    call: Call[Any, Any, Any] = pickle.loads(payload)  # noqa: S301  from the process that started this one
    if call.prepare is not None:
        call.prepare()
    return call


__all__ = ["Call", "Engine"]
