"""Dask cluster as an executor: connection to the scheduler, items sent to workers, and their answers."""

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
from excerpt.cluster import handshake
from excerpt.engine import IN_FLIGHT, Call, pack, unpack
from excerpt.errors import ExcerptError
from excerpt.files import describe

CONNECT_TIMEOUT = 5  # seconds for a connection
HANDSHAKE_TIMEOUT = 12  # seconds for the first answers of the scheduler and of the workers
WORKER_TIMEOUT = 60  # seconds without any worker
_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx|ucxx)://)?[^\s/]+:\d{1,5}")
_EXPECTED = "an address such as tcp://host:8786, or the scheduler's file (.json)"
_LOGGERS = (
    "distributed distributed.client distributed.core distributed.comm tornado tornado.application asyncio"
)
_LARGE_GRAPH = 1 << 30  # bytes of a graph for which Dask warns; runs in memory may be large


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Keep Dask's client from logging errors, which are raised here as one line."""
    import dask.config

    loggers = [logging.getLogger(name) for name in _LOGGERS.split()]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": _LARGE_GRAPH}):
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextlib.contextmanager
def connect(address: str) -> Iterator[Any]:
    """Connect a client to the scheduler at an address, and close it at the end."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        message = "a cluster needs Dask, which is not installed"
        raise ExcerptError(message, hint="try pip install 'excerpt[cluster]'") from None
    with _silence():
        client = _client(address)
        try:
            yield client
        finally:
            with contextlib.suppress(TimeoutError):
                client.close(timeout=CONNECT_TIMEOUT)


def _client(address: str) -> Any:
    from distributed import Client

    class Bounded(Client):  # type: ignore[misc]
        """A client without unlimited waits: a scheduler may be stopped, or be another program."""

        call_timeout: float = WORKER_TIMEOUT

        def start(self, **options: Any) -> None:
            try:
                super().start(callback_timeout=HANDSHAKE_TIMEOUT, **options)
            except BaseException:
                with contextlib.suppress(Exception):
                    self.close(timeout=CONNECT_TIMEOUT)
                raise

        def sync(self, *call: Any, callback_timeout: float | None = None, **options: Any) -> Any:
            limit = self.call_timeout if callback_timeout is None else callback_timeout
            return super().sync(*call, callback_timeout=limit, **options)

        def __del__(self) -> None:
            pass  # without a connection it would print a traceback; connected clients are closed

    scheduler = _scheduler(address)
    try:
        with warnings.catch_warnings():
            # A table; the handshake compares versions.
            warnings.filterwarnings("ignore", "Mismatched versions")
            return Bounded(timeout=CONNECT_TIMEOUT, set_as_default=False, **scheduler)
    except TimeoutError:
        raise _no_scheduler(address, f"no answer within {HANDSHAKE_TIMEOUT} seconds") from None
    except Exception as error:  # noqa: BLE001  the program at the address, or the file, may be anything
        reason = (describe(error) if isinstance(error, OSError) else str(error)).split("\n")[0]
        raise _no_scheduler(address, reason[:120] or "no answer") from None


def _no_scheduler(address: str, reason: str) -> ExcerptError:
    message = f"cannot connect to a Dask scheduler at {address} ({reason})"
    return ExcerptError(message, hint=f"is it running? expected {_EXPECTED}")


def _scheduler(address: str) -> dict[str, str]:
    """Arguments of the client for an address, which is checked first because the client would be slow."""
    if address.endswith(".json"):
        if not Path(address).is_file():
            raise ExcerptError("the file does not exist", path=address, hint=f"expected {_EXPECTED}")
        return {"scheduler_file": address}
    if not _ADDRESS.fullmatch(address):
        raise ExcerptError(f"found {address!r} as the address of a cluster, expected {_EXPECTED}")
    return {"address": address}


_POLL = 2.0  # seconds between counts of the workers


class Sender(NamedTuple):
    """The process that sends items; a worker must have the same excerpt and see the same folder."""

    excerpt: str  # versions of excerpt and of Python
    code: str  # digest of excerpt's code
    folder: str
    call: str  # digest of the call

    @classmethod
    def here(cls, payload: bytes) -> Sender:
        version = "excerpt {} on Python {}.{}".format(excerpt.__version__, *sys.version_info[:2])
        try:
            folder = str(Path.cwd())
        except FileNotFoundError:
            message = "the current folder was deleted, but workers need it to find files"
            raise ExcerptError(message, hint="change to another folder") from None
        return cls(version, code_digest(), folder, hashlib.sha256(payload).hexdigest())


@functools.cache
def code_digest() -> str:
    """Digest of excerpt's code, which distinguishes versions between releases."""
    digest = hashlib.sha256()
    package = Path(excerpt.__file__).parent
    files = sorted(package.rglob("*.py"))
    if not files:
        message = "a cluster needs excerpt installed as ordinary files"
        raise ExcerptError(message, hint="install it unpacked, not as a zip")
    for path in files:
        data = path.read_bytes()
        digest.update(f"{path.relative_to(package).as_posix()} {len(data)}\n".encode() + data)
    return digest.hexdigest()


def _by_value(function: Callable[..., Any], *arguments: Any) -> tuple[str, dict[str, Any]]:
    """Arguments of `eval` for a call of a function of `handshake`, with its source instead of its name.

    A function is sent by its name, and a worker that does not have the name ends, even if others use it.
    Every worker has `eval`.
    """
    names = {"text": inspect.getsource(handshake), "arguments": [*arguments]}
    return f"exec(text) or {function.__name__}(*arguments)", names


class Cluster:
    """The workers of a scheduler."""

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
        self._counted_at, self._threads = 0.0, 1
        self._wait_for_workers()
        self._compare_versions()
        # A task of its own: workers get it from one another, and it can be computed again if all of them die.
        self._call = self._client.submit(bytes, payload, key=self._name, pure=False)
        self._client.call_timeout = HANDSHAKE_TIMEOUT  # do not wait longer for a worker that does not answer
        with self._connected(), contextlib.suppress(TimeoutError):
            # Dask prefers workers that have the data, so without copies all items would go to one worker.
            self._client.replicate([self._call])
        self._client.call_timeout = WORKER_TIMEOUT

    def _wait_for_workers(self) -> None:
        end = time.monotonic() + WORKER_TIMEOUT
        while not self._count():
            if time.monotonic() > end:
                message = f"the cluster at {self._address} has no workers"
                raise ExcerptError(message, hint=f"try dask worker {self._address}")
            time.sleep(0.1)

    def _compare_versions(self) -> None:
        """Raise an error if the excerpt of a present worker differs; others are checked with each item."""
        call = _by_value(handshake.difference, *self._sender[:2])
        with self._connected(), contextlib.suppress(TimeoutError):
            differences = self._client.sync(
                self._client.run, eval, *call, on_error="ignore", callback_timeout=HANDSHAKE_TIMEOUT
            )
            for worker, difference in differences.items():
                if difference:
                    raise self._version_error(worker, difference)

    def _version_error(self, worker: str, difference: str) -> ExcerptError:
        message = f"the worker {worker} has {difference}, expected {self._sender.excerpt}"
        return ExcerptError(message, hint="install the expected version there, and restart the worker")

    def limit(self) -> int:
        """Most unfinished items: a few for every thread of the workers, whose number may change."""
        if time.monotonic() - self._counted_at > _POLL:
            self._count()
        return max(self._threads, 1) * IN_FLIGHT

    def _count(self) -> int:
        with self._connected():
            self._threads = sum(self._client.nthreads().values())
        self._counted_at = time.monotonic()
        return self._threads

    def submit(self, item: object) -> Callable[[], Any]:
        import cloudpickle

        # As bytes: Dask searches other values for futures, and may rebuild them.
        task = _by_value(handshake.answer, *self._sender, self._call, pack(item, cloudpickle.dumps))
        key = f"{self._name}-{next(self._numbers)}"
        with self._connected():
            future = self._client.submit(eval, *task, key=key, pure=False)
        return partial(self._result, future)

    def _result(self, future: Any) -> Any:
        with self._connected():
            reply = self._reply(future)
        future.release()
        if isinstance(reply, tuple):
            raise self._version_error(*reply)
        answer: Answer = pickle.loads(reply)  # noqa: S301  from a worker with the same code
        if answer.error is not None:
            raise answer.error
        return answer.result

    def _reply(self, future: Any) -> bytes | tuple[str, str]:
        """Wait for the reply of a worker; the workers are counted meanwhile, because all may die."""
        last_seen = time.monotonic()
        while True:
            with contextlib.suppress(TimeoutError):
                reply: bytes | tuple[str, str] = future.result(timeout=_POLL)
                return reply
            if self._count():
                last_seen = time.monotonic()
            elif time.monotonic() - last_seen > WORKER_TIMEOUT:
                message = f"the cluster at {self._address} has lost all its workers"
                raise ExcerptError(message, hint=f"try dask worker {self._address}")

    @contextlib.contextmanager
    def _connected(self) -> Iterator[None]:
        """Turn exceptions of Dask into one-line errors."""
        from distributed.scheduler import KilledWorker

        try:
            yield
        except KilledWorker as error:
            message = f"workers of the cluster keep dying on the same work ({error.task})"
            raise ExcerptError(message, hint="see their logs; are they short of memory?") from None
        except (CancelledError, OSError):
            message = f"lost the connection to the cluster at {self._address}"
            raise ExcerptError(message, hint="is its scheduler running?") from None

    def close(self) -> None:
        self._open.close()


# The rest of this module runs in workers, after the handshake.


class Answer(NamedTuple):
    """Answer of a worker: a result, or a user error."""

    result: Any
    error: ExcerptError | None = None


_one_item = threading.Lock()  # one item at a time in a process, which has one current folder
_calls: dict[str, Call[Any, Any, Any]] = {}  # the last call, by its digest


def work_on(folder: str, digest: str, payload: bytes, item: bytes) -> bytes:
    """Compute an item as its sender would; return the pickled answer."""
    import cloudpickle

    # As bytes: Dask may move an answer to workers that could not load it.
    answer: bytes = cloudpickle.dumps(_answer(folder, digest, payload, item))
    return answer


def _answer(folder: str, digest: str, payload: bytes, item: bytes) -> Answer:
    with _one_item:
        try:
            with _inside(folder):
                return Answer(_unpack(digest, payload)(pickle.loads(item)))  # noqa: S301  as the call
        except ExcerptError as error:
            return Answer(None, error)
        except ImportError as error:
            return Answer(None, _missing(error))
        except OSError as error:
            message = f"the worker {_address()} failed: {describe(error)}"
            return Answer(None, ExcerptError(message, path=error.filename))


def _unpack(digest: str, payload: bytes) -> Call[Any, Any, Any]:
    if digest not in _calls:
        _calls.clear()
        try:
            _calls[digest] = unpack(payload)
        except AttributeError as error:
            raise _missing(error) from None
    return _calls[digest]


def _missing(error: Exception) -> ExcerptError:
    message = f"the worker {_address()} lacks a module or function: {error}"
    return ExcerptError(message, hint="install the same packages there")


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    """Change to the current folder of the sender, so that relative names refer to the same files."""
    try:
        before = Path.cwd()
    except FileNotFoundError:
        before = Path("/")  # the worker's own folder was deleted
    try:
        os.chdir(folder)
    except OSError as error:
        message = f"the worker {_address()} cannot open this folder: {describe(error)}"
        hint = "all machines of a cluster must see the same file system, under the same names"
        raise ExcerptError(message, path=folder, hint=hint) from None
    try:
        yield
    finally:
        os.chdir(before)
