"""Standard output and error as commands need them: also where they are closed, full or somebody else's."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from typing import TextIO

from excerpt.errors import one_line


class _Closed(io.TextIOBase):
    """Standard output that was closed before we began: an error when something was written there."""

    _used = False

    def write(self, text: str) -> int:
        self._used = True
        return len(text)

    def flush(self) -> None:
        if self._used:
            self._used = False  # once is enough: it is called again where the stream ends
            raise OSError(errno.EBADF, "standard output is closed")


@contextlib.contextmanager
def usable_streams() -> Iterator[None]:
    """Streams in place of those that are closed, so that files opened later do not take their numbers."""
    with contextlib.ExitStack() as stack:
        if sys.stdout is None:
            stack.enter_context(open(os.devnull, "wb"))  # noqa: PTH123  pathlib costs 3 ms
            stack.enter_context(contextlib.redirect_stdout(_Closed()))
        if sys.stderr is None:
            nowhere = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123
            stack.enter_context(contextlib.redirect_stderr(nowhere))
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may lack a character we print
        yield


def forget(stream: TextIO) -> None:
    """Drop what could not be written: Python would try again at its end, and set a status of its own."""
    if stream in {sys.__stdout__, sys.__stderr__}:  # not what belongs to a caller
        with contextlib.suppress(OSError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def tell(message: str) -> None:
    """Print a message on standard error, in one line whatever names are in it."""
    try:
        print(one_line(f"excerpt: {message}"), file=sys.stderr, flush=True)
    except OSError:  # there is no other place to say it
        forget(sys.stderr)
