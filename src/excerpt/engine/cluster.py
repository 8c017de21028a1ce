"""Dask clusters: client, scheduler and workers."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import itertools
import logging
import os
import pickle
import re
import secrets
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import excerpt
from excerpt.engine import IN_FLIGHT, Call, pack, unpack
from excerpt.engine import handshake as door
from excerpt.errors import ExcerptError
from excerpt.files import describe

CONNECT = 5  # seconds for a connection
GREETING = 12  # seconds for what is connected to prove a scheduler, and for workers to say what they have
PATIENCE = 60  # seconds without any worker
_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx|ucxx)://)?[^\s/]+:\d{1,5}")
_EXPECTED = "an address such as tcp://host:8786, or the scheduler's file (.json)"
_LOGGERS = (
    "distributed distributed.client distributed.core distributed.comm tornado tornado.application asyncio"
)
_LOUD = 1 << 30  # bytes of a graph that Dask warns of; runs of one's own may be large


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Errors are ours to tell; Dask's client would log each of them again, over many lines."""
    import dask.config

    loggers = [logging.getLogger(name) for name in _LOGGERS.split()]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": _LOUD}):
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextlib.contextmanager
def connect(address: str) -> Iterator[Any]:
    """The client of the scheduler at an address; left at the end."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise ExcerptError(
            "a cluster needs Dask, which is not installed", hint="try pip install 'excerpt[cluster]'"
        ) from None
    with _silence():
        client = _client(address)
        try:
            yield client
        finally:
            with contextlib.suppress(TimeoutError):
                client.close(timeout=CONNECT)


def _client(address: str) -> Any:
    from distributed import Client

    class Bounded(Client):  # type: ignore[misc]
        """A client that waits for nothing without end: a scheduler may be stopped, or be none."""

        patience: float = PATIENCE

        def start(self, **options: Any) -> None:
            try:
                super().start(callback_timeout=GREETING, **options)
            except BaseException:
                with contextlib.suppress(Exception):
                    self.close(timeout=CONNECT)
                raise

        def sync(self, *what: Any, callback_timeout: float | None = None, **options: Any) -> Any:
            limit = self.patience if callback_timeout is None else callback_timeout
            return super().sync(*what, callback_timeout=limit, **options)

        def __del__(self) -> None:
            pass  # it would print a traceback where it could not connect; we close those that did

    where = _where(address)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Mismatched versions")  # a table; we ask for what matters
            return Bounded(timeout=CONNECT, set_as_default=False, **where)
    except TimeoutError:
        raise _no_scheduler(address, f"no answer within {GREETING} seconds") from None
    except Exception as error:  # noqa: BLE001  what answers there may be anything, and so may the file
        reason = (describe(error) if isinstance(error, OSError) else str(error)).split("\n")[0]
        raise _no_scheduler(address, reason[:120] or "no answer") from None


def _no_scheduler(address: str, reason: str) -> ExcerptError:
    return ExcerptError(
        f"found no Dask scheduler at {address} ({reason})", hint=f"is it running? expected {_EXPECTED}"
    )


def _where(address: str) -> dict[str, str]:
    """How the client is told; it takes long over addresses that are none."""
    if address.endswith(".json"):
        if not Path(address).is_file():
            raise ExcerptError("there is no such file", path=address, hint=f"expected {_EXPECTED}")
        return {"scheduler_file": address}
    if not _ADDRESS.fullmatch(address):
        raise ExcerptError(f"found {address!r} as the address of a cluster, expected {_EXPECTED}")
    return {"address": address}


_LOOK = 2.0  # seconds between looks at how many workers there are


class Sender(NamedTuple):
    """Who sends an item: a worker must have the same excerpt and see the same folder."""

    excerpt: str  # with its version, and that of Python
    code: str  # digest of excerpt's code
    folder: str
    call: str  # digest of the call

    @classmethod
    def here(cls, payload: bytes) -> Sender:
        """This process."""
        version = "excerpt {} on Python {}.{}".format(excerpt.__version__, *sys.version_info[:2])
        try:
            folder = str(Path.cwd())
        except FileNotFoundError:
            raise ExcerptError(
                "the current folder was deleted, and workers look for files there",
                hint="change to another folder",
            ) from None
        return cls(version, code_digest(), folder, hashlib.sha256(payload).hexdigest())


@functools.cache
def code_digest() -> str:
    """Versions between releases have one name; their code tells them apart."""
    digest = hashlib.sha256()
    package = Path(excerpt.__file__).parent
    files = sorted(package.rglob("*.py"))
    if not files:
        raise ExcerptError(
            "a cluster needs excerpt installed as ordinary files", hint="install it unpacked, not as a zip"
        )
    for path in files:
        data = path.read_bytes()
        digest.update(f"{path.relative_to(package).as_posix()} {len(data)}\n".encode() + data)
    return digest.hexdigest()


def _by_value(function: Callable[..., Any], *given: Any) -> tuple[str, dict[str, Any]]:
    """A call of a function of `door`, as `eval` takes it: its source travels *by value*.

    A function would travel by its name, and a worker that finds nothing of that name ends, whoever else it
    works for; `eval` is there in every worker, and the text finds out what else is.
    """
    return f"exec(text) or {function.__name__}(*given)", {"text": inspect.getsource(door), "given": [*given]}


class Cluster:
    """The workers behind a scheduler, as lanes of an engine."""

    def __init__(self, address: str, call: Call[Any, Any, Any]) -> None:
        self._address = address
        with contextlib.ExitStack() as stack:
            self._client = stack.enter_context(connect(address))
            self._begin(call)
            self._open = stack.pop_all()

    def _begin(self, call: Call[Any, Any, Any]) -> None:
        import cloudpickle

        payload = pack(call, cloudpickle.dumps)
        self._name = f"excerpt-{secrets.token_hex(8)}"
        self._numbers = itertools.count()
        self._sender = Sender.here(payload)
        self._looked, self._threads = 0.0, 1
        self._wait_for_workers()
        self._ask_workers()
        # A task of its own: workers get it from one another, and it can be made again if all of them die.
        self._call = self._client.submit(bytes, payload, key=self._name, pure=False)
        self._client.patience = GREETING  # a worker that does not answer is no reason to wait longer
        with self._connected(), contextlib.suppress(TimeoutError):
            # Dask sends work to who has what it needs: everything would go to one worker.
            self._client.replicate([self._call])
        self._client.patience = PATIENCE

    def _wait_for_workers(self) -> None:
        end = time.monotonic() + PATIENCE
        while not self._count():
            if time.monotonic() > end:
                raise ExcerptError(
                    f"the cluster at {self._address} has no workers", hint=f"try dask worker {self._address}"
                )
            time.sleep(0.1)

    def _ask_workers(self) -> None:
        """An error where one of the workers that are there now has not our excerpt.

        One that does not answer is asked again with its items, as are those that come later.
        """
        ask = _by_value(door.difference, *self._sender[:2])
        with self._connected(), contextlib.suppress(TimeoutError):
            found = self._client.sync(
                self._client.run, eval, *ask, on_error="ignore", callback_timeout=GREETING
            )
            for worker, what in found.items():
                if what:
                    raise self._differs(worker, what)

    def _differs(self, worker: str, what: str) -> ExcerptError:
        return ExcerptError(
            f"the worker {worker} has {what}, expected {self._sender.excerpt}",
            hint="install that there, and restart the worker",
        )

    def limit(self) -> int:
        """Enough for the workers that are there now; more may have come."""
        if time.monotonic() - self._looked > _LOOK:
            self._count()
        return max(self._threads, 1) * IN_FLIGHT

    def _count(self) -> int:
        with self._connected():
            self._threads = sum(self._client.nthreads().values())
        self._looked = time.monotonic()
        return self._threads

    def submit(self, item: object) -> Callable[[], Any]:
        """Send an item to the cluster."""
        import cloudpickle

        # As bytes: Dask looks for futures inside of everything else, and may rebuild it.
        task = _by_value(door.answer, *self._sender, self._call, pack(item, cloudpickle.dumps))
        key = f"{self._name}-{next(self._numbers)}"
        with self._connected():
            future = self._client.submit(eval, *task, key=key, pure=False)
        return partial(self._result, future)

    def _result(self, future: Any) -> Any:
        with self._connected():
            found = self._answer(future)
        future.release()
        if isinstance(found, tuple):
            raise self._differs(*found)
        answer: Answer = pickle.loads(found)  # noqa: S301  from the same code as ours
        if answer.error is not None:
            raise answer.error
        return answer.result

    def _answer(self, future: Any) -> bytes | tuple[str, str]:
        """What a worker says; it may die before we have heard it, so this never waits without looking."""
        missed = time.monotonic()
        while True:
            with contextlib.suppress(TimeoutError):
                found: bytes | tuple[str, str] = future.result(timeout=_LOOK)
                return found
            if self._count():
                missed = time.monotonic()
            elif time.monotonic() - missed > PATIENCE:
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
                f"workers of the cluster keep dying on the same work ({error.task})",
                hint="see their logs; are they short of memory?",
            ) from None
        except (CancelledError, OSError):
            raise ExcerptError(
                f"lost the connection to the cluster at {self._address}", hint="is its scheduler running?"
            ) from None

    def close(self) -> None:
        """Leave the cluster; what we sent there is forgotten."""
        self._open.close()


# What follows runs in workers, once they are known to have the same code.


class Answer(NamedTuple):
    """What a worker sends back: a result, or the error of the user's that it met."""

    result: Any
    error: ExcerptError | None = None


_alone = threading.Lock()  # one item at a time in a process: the current folder is the process's
_calls: dict[str, Call[Any, Any, Any]] = {}  # the last one, by its digest


def work_on(folder: str, digest: str, payload: bytes, item: bytes) -> bytes:
    """Do an item as its sender would have done it; the answer, pickled."""
    import cloudpickle

    # As bytes: Dask may bring an answer to workers that could not load it.
    answer: bytes = cloudpickle.dumps(_answer(folder, digest, payload, item))
    return answer


def _answer(folder: str, digest: str, payload: bytes, item: bytes) -> Answer:
    with _alone:
        try:
            with _inside(folder):
                return Answer(_unpack(digest, payload)(pickle.loads(item)))  # noqa: S301  as the call
        except ExcerptError as error:
            return Answer(None, error)
        except ImportError as error:
            return Answer(None, _lacking(error))
        except OSError as error:
            message = f"the worker {_address()} failed: {describe(error)}"
            return Answer(None, ExcerptError(message, path=error.filename))


def _unpack(digest: str, payload: bytes) -> Call[Any, Any, Any]:
    if digest not in _calls:
        _calls.clear()
        try:
            _calls[digest] = unpack(payload)
        except AttributeError as error:
            raise _lacking(error) from None
    return _calls[digest]


def _lacking(error: Exception) -> ExcerptError:
    return ExcerptError(
        f"the worker {_address()} is missing something: {error}", hint="install the same packages there"
    )


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    """The current folder of the sender, so that relative names mean the same files."""
    try:
        before = Path.cwd()
    except FileNotFoundError:
        before = Path("/")  # the worker's own was deleted; it needs none
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
