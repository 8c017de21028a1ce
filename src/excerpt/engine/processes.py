"""Local processes as an engine: fresh ones, replaced when one is killed, gone with the process that asked.

Each has a pipe and a thread of its own, so a process that dies, even in the middle of an answer, loses only
its own item, which is done again; `concurrent.futures` would give up all items and the whole pool.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from excerpt.engine import IN_FLIGHT, Call, pack, unpack
from excerpt.errors import ExcerptError
from excerpt.files import describe

_LOOK = 1.0  # seconds
_ATTEMPTS = 3  # with an item whose process is killed, before the item itself is suspected
_NO_START = "worker processes could not start"


class _Ticket(NamedTuple):
    item: object
    #: For one answer. An interrupt while we wait leaves no lock behind, as it may with a future.
    answer: queue.SimpleQueue[Any]


def advice(program: str) -> str:
    """What to try where workers do not start; the command line is no script of the user's.

    >>> advice("bin/excerpt")
    'try ⟨workers=1⟩'
    """
    if Path(program).stem in {"excerpt", "__main__"}:
        return "try ⟨workers=1⟩"
    return "they import the script, which must be a file with `if __name__ == '__main__':`"


class _Worker(NamedTuple):
    process: Any
    pipe: Connection


class Processes:
    """Fresh local processes; what is lost with a killed one is done again by a new one."""

    def __init__(self, workers: int, call: Call[Any, Any, Any]) -> None:
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            # Workers import the script that starts them; one without `if __name__ == "__main__":` comes here
            # again, in the worker, which ends without a word: whoever started it says what is missing.
            raise SystemExit(1)
        self._workers = workers
        self._payload = pack(call, pickle.dumps)
        self._tickets: queue.SimpleQueue[_Ticket | None] = queue.SimpleQueue()
        self._unfinished = 0
        self._alive: set[Any] = set()
        self._closed = False
        self._lock = threading.Lock()
        self._lanes: list[threading.Thread] = []

    def limit(self) -> int:
        """A few items for every process."""
        return self._workers * IN_FLIGHT

    def submit(self, item: object) -> Callable[[], Any]:
        """Send an item to the processes."""
        ticket = _Ticket(item, queue.SimpleQueue())
        self._unfinished += 1
        self._tickets.put(ticket)
        if len(self._lanes) < self._workers:
            self._lanes.append(threading.Thread(target=self._lane, daemon=True))
            self._lanes[-1].start()

        def result() -> Any:
            # An interrupt that comes just before the waiting begins is seen only after it: so it is short.
            while True:
                with contextlib.suppress(queue.Empty):
                    answer = ticket.answer.get(timeout=_LOOK)
                    break
            self._unfinished -= 1
            if isinstance(answer, _Raised):
                raise answer.error
            return answer

        return result

    def close(self) -> None:
        """End the processes, at once if nobody waits any more for what they do."""
        with self._lock:
            self._closed = True
            for process in self._alive if self._unfinished else ():
                process.kill()
        for _ in self._lanes:
            self._tickets.put(None)
        for lane in self._lanes:
            if lane.is_alive():  # one whose start was interrupted does nothing any more
                lane.join()

    def _lane(self) -> None:
        """One process after the other, as long as there are items; a thread of this process."""
        worker: _Worker | None = None
        while (ticket := self._tickets.get()) is not None:
            if self._closed:
                continue
            try:
                worker, answer = self._attempts(worker, ticket.item)
            except BaseException as error:  # noqa: BLE001  it is raised where the result is asked for
                worker, answer = None, _Raised(error)
            ticket.answer.put(answer)
        if worker is not None:
            self._end(worker)

    def _attempts(self, worker: _Worker | None, item: object) -> tuple[_Worker, Any]:
        data = pack(item, pickle.dumps)
        for _ in range(_ATTEMPTS):
            worker = worker or self._start()
            try:
                worker.pipe.send_bytes(data)
                return worker, worker.pipe.recv()
            except (EOFError, OSError):
                self._end(worker)
                worker = None
            if self._closed:
                break
        raise ExcerptError(
            "a worker process ended unexpectedly", hint="is memory short? ⟨workers=1⟩ needs the least"
        )

    def _start(self) -> _Worker:
        spawn = multiprocessing.get_context(
            "spawn"
        )  # a fork may hang where there are threads: numpy has some
        ours, theirs = spawn.Pipe()
        # Only the pipe goes with the start, not even the arguments of this command, which Python would send:
        # that would wait for ever for a process that dies before it has read all it is given, where this is
        # more than the system keeps for it (64 KiB).
        process = spawn.Process(target=_work, args=(theirs,), daemon=True)
        with self._lock, theirs:
            if self._closed:
                raise ExcerptError("interrupted")
            _hold_interrupts()
            arguments, sys.argv = sys.argv, sys.argv[:1]
            try:
                process.start()
            except OSError as error:
                raise ExcerptError(f"{_NO_START}: {describe(error)}", hint="try ⟨workers=1⟩") from None
            finally:
                sys.argv = arguments
            self._alive.add(process)
        worker = _Worker(process, ours)
        try:
            ours.send_bytes(self._payload)
            ours.recv_bytes()
        except (EOFError, OSError):
            self._end(worker)
            raise ExcerptError(_NO_START, hint=advice(sys.argv[0])) from None
        return worker

    def _end(self, worker: _Worker) -> None:
        worker.pipe.close()
        worker.process.join()
        with self._lock:
            self._alive.discard(worker.process)


def _hold_interrupts() -> None:
    """Keep interrupts from this thread and the processes it starts: all go to the main thread, at once."""
    if os.name == "posix":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # its start lets interrupts through
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


# What follows runs in workers.


class _Raised(NamedTuple):
    error: BaseException


def _work(pipe: Connection) -> None:
    """Answer items until there are no more; the call comes first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells us when to stop
    threading.Thread(target=_end_with_parent, daemon=True).start()
    call: Call[Any, Any, Any] | None = None
    with contextlib.suppress(EOFError, OSError):
        payload = pipe.recv_bytes()
        pipe.send_bytes(b"ready")
        while True:
            item = pipe.recv_bytes()
            try:
                call = call or unpack(payload)
                answer = call(pickle.loads(item))  # noqa: S301  our own
            except Exception as error:  # noqa: BLE001  it travels to who asked
                if not isinstance(error, ExcerptError):
                    error.add_note(f"in a worker process:\n{traceback.format_exc()}")
                answer = _Raised(error)
            pipe.send_bytes(_pickle(answer))


def _pickle(answer: object) -> bytes:
    """What travels: the answer, or why it cannot."""
    try:
        data = pickle.dumps(answer)
        if isinstance(answer, _Raised):
            pickle.loads(data)  # noqa: S301  our own; some errors can be sent but not be made again
    except Exception as error:  # noqa: BLE001  classes say in many ways that they cannot be pickled
        what = repr(answer.error) if isinstance(answer, _Raised) else f"a {type(answer).__name__}"
        lost = ExcerptError(f"a worker could not send {what}: {error}", hint="try ⟨workers=1⟩")
        return pickle.dumps(_Raised(lost))
    return data


def _end_with_parent() -> None:
    # A worker in the middle of an item would not see that its parent was killed.
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)
