"""Local worker processes, replaced when one is killed and ended with the process that started them.

Each has its own pipe and thread, so a process that dies, even while it sends an answer, loses only its own
item, which is computed again; `concurrent.futures` would abandon all items and the whole pool.
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
from functools import cache, cached_property, partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from excerpt.engine import IN_FLIGHT, Call, pack, unpack
from excerpt.errors import ExcerptError
from excerpt.files import describe

_POLL = 1.0  # seconds
_ATTEMPTS = 3  # to compute an item whose process is killed
_NO_START = "worker processes could not start"


class _Ticket(NamedTuple):
    item: object
    #: For one answer. An interrupt of the wait leaves no lock behind, as it may with a future.
    answer: queue.SimpleQueue[Any]


def advice(program: str) -> str:
    """Hint for workers that do not start; the program `excerpt` itself is not a user's script.

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
    """Local worker processes; the item of a killed one is computed again by a new one."""

    def __init__(self, workers: int, call: Call[Any, Any, Any]) -> None:
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            # Workers import the script that starts them. Without `if __name__ == "__main__":` this is reached
            # again, in the worker, which ends silently; the process that started it prints the error.
            raise SystemExit(1)
        self._workers, self._call = workers, call
        self._tickets: queue.SimpleQueue[_Ticket | None] = queue.SimpleQueue()
        self._unfinished = 0
        self._alive: set[Any] = set()
        self._closed = False
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._copies = self._copied() if call.inherit and _can_be_copied() else []
        if not self._copies:
            self._payload  # noqa: B018 - what cannot be sent is an error here

    @cached_property
    def _payload(self) -> bytes:
        return pack(self._call, pickle.dumps)

    def _copied(self) -> list[_Worker]:
        """Copy this process, with the call, before there are threads; fewer times if the system refuses."""
        fork, made = multiprocessing.get_context("fork"), list[_Worker]()
        for _ in range(self._workers):
            ours, theirs = fork.Pipe()
            inherited = [*(worker.pipe for worker in made), ours]
            process = fork.Process(target=_work_as_copy, args=(theirs, inherited, self._call), daemon=True)
            try:
                with theirs:
                    process.start()
            except OSError:  # for a copy, memory may be short; others are started when they are needed
                ours.close()
                break
            self._alive.add(process)
            made.append(_Worker(process, ours))
        return made

    def limit(self) -> int:
        return self._workers * IN_FLIGHT

    def submit(self, item: object) -> Callable[[], Any]:
        ticket = _Ticket(item, queue.SimpleQueue())
        self._unfinished += 1
        self._tickets.put(ticket)
        if len(self._threads) < self._workers:
            self._threads.append(threading.Thread(target=self._serve, daemon=True))
            self._threads[-1].start()

        def result() -> Any:
            # An interrupt just before the wait is noticed only after the wait, so each wait is short.
            while True:
                with contextlib.suppress(queue.Empty):
                    answer = ticket.answer.get(timeout=_POLL)
                    break
            self._unfinished -= 1
            if isinstance(answer, _Raised):
                raise answer.error
            return answer

        return result

    def close(self) -> None:
        """End the processes; kill them if some items are unfinished, whose results are not needed."""
        with self._lock:
            self._closed = True
            for process in self._alive if self._unfinished else ():
                process.kill()
        for _ in self._threads:
            self._tickets.put(None)
        for thread in self._threads:
            if thread.is_alive():  # not if its start was interrupted
                thread.join()
        while self._copies:
            self._end(self._copies.pop())

    def _serve(self) -> None:
        """Pass items to a process, and to a new one if it is killed; runs in a thread of this process."""
        worker: _Worker | None = None
        while (ticket := self._tickets.get()) is not None:
            if self._closed:
                continue
            try:
                worker, answer = self._attempts(worker, ticket.item)
            except BaseException as error:  # noqa: BLE001  raised where the result is requested
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
        hint = "is memory short? ⟨workers=1⟩ needs least memory"
        raise ExcerptError("a worker process ended unexpectedly", hint=hint)

    def _start(self) -> _Worker:
        with contextlib.suppress(IndexError):
            return self._copies.pop()
        # Not a fork, which may hang if there are threads, and numpy has some.
        spawn = multiprocessing.get_context("spawn")
        ours, theirs = spawn.Pipe()
        # The start sends only the pipe, not even the arguments of this command, which Python would send. If
        # they exceed the system's buffer (64 KiB) and the process dies before it has read them, the start
        # would wait for ever.
        process = spawn.Process(target=_work, args=(theirs,), daemon=True)
        with self._lock, theirs:
            if self._closed:
                raise ExcerptError("interrupted")
            _block_interrupts()
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


def _can_be_copied() -> bool:
    """Return whether this process has no other thread: the copy of a lock that one holds is never free."""
    tasks = "/proc/self/task"
    return sys.platform == "linux" and os.path.isdir(tasks) and len(os.listdir(tasks)) == 1  # noqa: PTH112, PTH208


def _block_interrupts() -> None:
    """Block interrupts in this thread and its processes, so that the main thread gets all of them."""
    if os.name == "posix":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # first, because its start unblocks interrupts
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


# The rest of this module runs in workers.


class _Raised(NamedTuple):
    error: BaseException


def _work(pipe: Connection) -> None:
    """Receive the call, then answer items until the pipe is closed."""
    _depend_on_parent()
    with contextlib.suppress(EOFError, OSError):
        payload = pipe.recv_bytes()
        pipe.send_bytes(b"ready")
        _answer(pipe, cache(partial(unpack, payload)))


def _work_as_copy(pipe: Connection, inherited: list[Connection], call: Call[Any, Any, Any]) -> None:
    """Answer items; the other ends of pipes are the parent's, and so is what it has still to print."""
    for one in inherited:
        one.close()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _depend_on_parent()
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115 - until this process ends
    _answer(pipe, lambda: call)


def _depend_on_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _answer(pipe: Connection, called: Callable[[], Call[Any, Any, Any]]) -> None:
    """Answer items until the pipe is closed."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            item = pipe.recv_bytes()
            try:
                call = called()
                answer = call(pickle.loads(item))  # noqa: S301  from the parent
            except Exception as error:  # noqa: BLE001  sent to the parent
                if not isinstance(error, ExcerptError):
                    error.add_note(f"in a worker process:\n{traceback.format_exc()}")
                answer = _Raised(error)
            pipe.send_bytes(_pickle(answer))


def _pickle(answer: object) -> bytes:
    """Serialise an answer, or the error that it cannot be sent."""
    try:
        data = pickle.dumps(answer)
        if isinstance(answer, _Raised):
            pickle.loads(data)  # noqa: S301  just written; some errors can be pickled but not loaded
    except Exception as error:  # noqa: BLE001  classes raise anything if they cannot be pickled
        shown = repr(answer.error) if isinstance(answer, _Raised) else f"a {type(answer).__name__}"
        failure = ExcerptError(f"a worker could not send {shown}: {error}", hint="try ⟨workers=1⟩")
        return pickle.dumps(_Raised(failure))
    return data


def _end_with_parent() -> None:
    # While it computes an item, a worker would not notice that its parent was killed.
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)
