"""The client of a Dask scheduler: found within seconds, silent, and bounded in everything it waits for."""

from __future__ import annotations

import contextlib
import logging
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from excerpt.errors import ExcerptError
from excerpt.files import describe

CONNECT = 5  # seconds for a connection
GREETING = 12  # seconds for what is connected to prove a scheduler, and for workers to say what they have
PATIENCE = 60  # seconds without any worker
_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx|ucxx)://)?[^\s/]+:\d{1,5}")
_EXPECTED = "an address such as tcp://host:8786, or the scheduler's file (.json)"
_LOUD = 1 << 30  # bytes of a graph that Dask warns of; runs of one's own may be large


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Errors are ours to tell; Dask's client would log each of them again, over many lines."""
    import dask.config

    loggers = [
        logging.getLogger(name)
        for name in (
            *("distributed", "distributed.client", "distributed.core", "distributed.comm"),
            *("tornado", "tornado.application", "asyncio"),
        )
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
