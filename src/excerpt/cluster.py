"""A Dask cluster as an engine: what its client does here, and what runs in its workers.

Nothing is imported from Dask unless a cluster was asked for. Workers find files by name, so they must see the
file system of the client; each does one of our items at a time, in the client's folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import logging
import os
import re
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from excerpt import __version__
from excerpt.engine import IN_FLIGHT, Call, packed, unpacked
from excerpt.errors import ExcerptError
from excerpt.files import describe

_CONNECT = 5  # seconds for the scheduler to answer
_PATIENCE = 60  # seconds without any worker
_LOOK = 2.0  # seconds between looks at how many workers there are
_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx|ucxx)://)?[^\s/]+:\d{1,5}")
_EXPECTED = "an address such as tcp://host:8786, or the scheduler's file (.json)"
_LOUD = 1 << 30  # bytes of a graph that Dask warns of; runs of one's own may be large


class Sender(NamedTuple):
    """Who sends an item: a worker must be of the same versions and see the same folder."""

    excerpt: str
    python: str
    folder: str
    call: str  # digest of the call

    @classmethod
    def here(cls, payload: bytes) -> Sender:
        """This process."""
        return cls(__version__, _python(), str(Path.cwd()), hashlib.sha256(payload).hexdigest())


def _python() -> str:
    return "{}.{}".format(*sys.version_info[:2])


class Answer(NamedTuple):
    """What a worker sends back: a result, or the error of the user's that it met."""

    result: Any
    error: ExcerptError | None = None


class Cluster:
    """The workers behind a scheduler, as lanes of an engine."""

    def __init__(self, address: str, call: Call[Any, Any, Any]) -> None:
        self._address = address
        _require_dask()
        self._quiet = contextlib.ExitStack()
        self._quiet.enter_context(_silence())
        try:
            self._client = _connect(address)
        except BaseException:
            self._quiet.close()
            raise
        try:
            self._begin(call)
        except BaseException:
            self.close()
            raise

    def _begin(self, call: Call[Any, Any, Any]) -> None:
        import cloudpickle

        payload = packed(call, cloudpickle.dumps)
        self._name = f"excerpt-{secrets.token_hex(8)}"
        self._numbers = itertools.count()
        self._sender = Sender.here(payload)
        self._looked, self._threads = 0.0, 1
        if not self._count(wait=_PATIENCE):
            raise ExcerptError(
                f"the cluster at {self._address} has no workers", hint=f"try dask worker {self._address}"
            )
        # A task of its own: workers get it from one another, and it can be made again if all of them die.
        self._call = self._client.submit(_same, payload, key=self._name, pure=False)

    def limit(self) -> int:
        """Enough for the workers that are there now; more may have come."""
        if time.monotonic() - self._looked > _LOOK:
            self._count()
        return max(self._threads, 1) * IN_FLIGHT

    def _count(self, wait: float = 0) -> int:
        with self._connected():
            if wait:
                with contextlib.suppress(TimeoutError):
                    self._client.wait_for_workers(1, timeout=wait)
            self._threads = sum(self._client.nthreads().values())
        self._looked = time.monotonic()
        return self._threads

    def submit(self, item: object) -> Callable[[], Any]:
        """Send an item to the cluster."""
        import cloudpickle

        # As bytes: Dask looks for futures inside of everything else, and may rebuild it.
        data = cloudpickle.dumps(item)
        key = f"{self._name}-{next(self._numbers)}"
        with self._connected():
            future = self._client.submit(_work, self._sender, self._call, data, key=key, pure=False)
        return partial(self._result, future)

    def _result(self, future: Any) -> Any:
        with self._connected():
            answer = self._answer(future)
        future.release()
        if answer.error is not None:
            raise answer.error
        return answer.result

    def _answer(self, future: Any) -> Answer:
        """What a worker says; it may die before we have heard it, so this never waits without looking."""
        missed = time.monotonic()
        while True:
            with contextlib.suppress(TimeoutError):
                answer: Answer = future.result(timeout=_LOOK)
                return answer
            if self._count():
                missed = time.monotonic()
            elif time.monotonic() - missed > _PATIENCE:
                raise ExcerptError(
                    f"the cluster at {self._address} has lost all its workers",
                    hint=f"try dask worker {self._address}",
                )

    @contextlib.contextmanager
    def _connected(self) -> Iterator[None]:
        """What Dask raises, in one line."""
        from distributed.scheduler import KilledWorker

        try:
            yield
        except KilledWorker as error:
            raise ExcerptError(
                f"the workers of the cluster die of the same work ({error.task})",
                hint="their logs may tell; is their memory short?",
            ) from None
        except ModuleNotFoundError as error:
            raise ExcerptError(
                f"a worker of the cluster at {self._address} has no module {error.name!r}",
                hint="install the same packages there",
            ) from None
        except (CancelledError, OSError):
            raise ExcerptError(
                f"lost the connection to the cluster at {self._address}", hint="is its scheduler running?"
            ) from None

    def close(self) -> None:
        """Leave the cluster; what we sent there is forgotten."""
        with self._quiet:
            self._client.close(timeout=_CONNECT)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Errors are ours to tell; Dask's client would log each of them again, over many lines."""
    import dask.config

    loggers = [
        logging.getLogger(name)
        for name in ("distributed", "distributed.client", "distributed.core", "distributed.comm", "tornado")
    ]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": _LOUD}):
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _require_dask() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise ExcerptError(
            "--cluster needs Dask, which is not installed", hint="try pip install 'excerpt[cluster]'"
        ) from None


def _connect(address: str) -> Any:
    from distributed import Client

    class Quiet(Client):  # type: ignore[misc]
        """A client that could not connect would print a traceback when it is forgotten."""

        def __del__(self) -> None:
            pass  # we close those that did connect

    where = _where(address)
    try:
        return Quiet(timeout=_CONNECT, set_as_default=False, **where)
    except Exception as error:  # noqa: BLE001  what answers there may be anything, and so may the file
        reason = (describe(error) if isinstance(error, OSError) else str(error)).split("\n")[0]
        raise ExcerptError(
            f"found no Dask scheduler at {address} ({reason[:120] or 'no answer'})",
            hint=f"is it running? expected {_EXPECTED}",
        ) from None


def _where(address: str) -> dict[str, str]:
    """How the client is told; it takes long over addresses that are none."""
    if address.endswith(".json"):
        if not Path(address).is_file():
            raise ExcerptError("there is no such file", path=address, hint=f"expected {_EXPECTED}")
        return {"scheduler_file": address}
    if not _ADDRESS.fullmatch(address):
        raise ExcerptError(f"found {address!r} as the address of a cluster, expected {_EXPECTED}")
    return {"address": address}


# What follows runs in workers.

_alone = threading.Lock()  # one item at a time in a process: the current folder is the process's
_calls: dict[str, Call[Any, Any, Any]] = {}  # the last one, by its digest


def _same(payload: bytes) -> bytes:
    return payload


def _work(sender: Sender, payload: bytes, item: bytes) -> Answer:
    """Do an item in a worker, as its sender would have done it."""
    import cloudpickle

    with _alone:
        try:
            _check(sender)
            with _inside(sender.folder):
                call = _unpacked(sender, payload)
                return Answer(call(cloudpickle.loads(item)))
        except ExcerptError as error:
            return Answer(None, error)
        except OSError as error:
            message = f"the worker {_address()} failed: {describe(error)}"
            return Answer(None, ExcerptError(message, path=error.filename))


def _unpacked(sender: Sender, payload: bytes) -> Call[Any, Any, Any]:
    if sender.call not in _calls:
        _calls.clear()
        try:
            _calls[sender.call] = unpacked(payload)
        except (ImportError, AttributeError) as error:
            raise ExcerptError(
                f"the worker {_address()} lacks something: {error}", hint="install the same packages there"
            ) from None
    return _calls[sender.call]


def _check(sender: Sender) -> None:
    if (__version__, _python()) != (sender.excerpt, sender.python):
        raise ExcerptError(
            f"the worker {_address()} has excerpt {__version__} on Python {_python()}, "
            f"expected {sender.excerpt} on {sender.python}",
            hint="install the same versions everywhere",
        )


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    """The current folder of the sender, so that relative names mean the same files."""
    before = Path.cwd()
    try:
        os.chdir(folder)
    except OSError as error:
        raise ExcerptError(
            f"the worker {_address()} cannot open it: {describe(error)}",
            path=folder,
            hint="all machines of a cluster must see the same file system, under the same names",
        ) from None
    try:
        yield
    finally:
        os.chdir(before)
