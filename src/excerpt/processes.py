"""Local processes as an engine: fresh ones, replaced when one is killed, gone with the process that asked."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from excerpt.engine import IN_FLIGHT, Call, packed, unpacked
from excerpt.errors import ExcerptError

_FRESH_POOLS = 2  # for work that was lost with a killed process, before the work itself is suspected


class _Ticket:
    """An item on its way, and who has it now."""

    def __init__(self, item: object) -> None:
        self.item = item
        self.future: Future[Any] = Future()


class Processes:
    """Fresh local processes; when one is killed, what was lost with it is done again in new ones."""

    def __init__(self, workers: int, call: Call[Any, Any, Any]) -> None:
        self._workers = workers
        self._payload = packed(call, pickle.dumps)
        self._tickets: list[_Ticket] = []
        self._lost = 0
        self._start()

    def _start(self) -> None:
        # A fork of a process with threads may hang, and numpy has threads.
        spawn = multiprocessing.get_context("spawn")
        self._began = spawn.Event()
        # Only we have the one end: when it closes, or we are killed, the workers see it at the other.
        self._theirs, self._ours = spawn.Pipe(duplex=False)
        arguments = (self._payload, self._began, self._theirs)
        self._pool = ProcessPoolExecutor(self._workers, spawn, _begin, arguments)

    def limit(self) -> int:
        """A few items for every process."""
        return self._workers * IN_FLIGHT

    def submit(self, item: object) -> Callable[[], Any]:
        """Send an item to the processes."""
        ticket = _Ticket(item)
        self._tickets.append(ticket)
        self._send(ticket)
        return partial(self._result, ticket)

    def _send(self, ticket: _Ticket) -> None:
        try:
            ticket.future = self._pool.submit(_work, ticket.item)
        except BrokenProcessPool as error:  # seen when its turn comes
            ticket.future = Future()
            ticket.future.set_exception(error)

    def _result(self, ticket: _Ticket) -> Any:
        while True:
            try:
                result = ticket.future.result()
            except BrokenProcessPool:
                self._restart()
                continue
            self._tickets.remove(ticket)
            self._lost = 0
            return result

    def _restart(self) -> None:
        self.close()
        self._lost += 1
        if not self._began.is_set():
            raise ExcerptError(
                "worker processes could not start", hint="a script needs `if __name__ == '__main__':`"
            )
        if self._lost > _FRESH_POOLS:
            raise ExcerptError(
                "a worker process ended unexpectedly", hint="try fewer --workers if memory is short"
            )
        self._start()
        for ticket in self._tickets:
            if not ticket.future.done() or isinstance(ticket.future.exception(), BrokenProcessPool):
                self._send(ticket)

    def close(self) -> None:
        """End the processes, at once if nobody waits any more for what they do."""
        if self._tickets:
            self._ours.close()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._ours.close()
        self._theirs.close()


# What follows runs in workers.

_payloads: list[bytes] = []  # of a worker process
_calls: list[Call[Any, Any, Any]] = []  # unpacked with the first item, so that an error is that item's


def _begin(payload: bytes, began: Any, parent: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells us when to stop
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _payloads[:] = [payload]
    began.set()


def _end_with(parent: Connection) -> None:
    # Otherwise a parent that was killed would leave its workers waiting for ever.
    parent.poll(None)
    os._exit(1)


def _work(item: object) -> object:
    if not _calls:
        _calls.append(unpacked(_payloads[0]))
    return _calls[0](item)
