"""Work for the tests of engines: functions that other processes can import."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from excerpt.engine import Call, Engine
from excerpt.errors import ExcerptError, FormatError


def scaled(factor: int, item: int) -> int:
    """The item times the context; a negative one is a mistake of the user's."""
    if item < 0:
        raise FormatError(f"found {item}, expected a number of at least 0", path="numbers", line=-item)
    return factor * item


def dying(marker: str, item: int) -> int:
    """Item 3 kills its process; as long as the context names no file, or one that is not there yet."""
    path = Path(marker)
    if item == 3 and not (marker and path.exists()):
        if marker:
            path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def unsendable(kind: str, item: int) -> Any:
    """Answers and errors that cannot travel between processes."""
    if kind == "answer":
        return lambda: item
    raise _Odd(item, "two arguments, of which pickle keeps one")


class _Odd(Exception):
    def __init__(self, number: int, text: str) -> None:
        super().__init__(text)
        self.number = number


def slow(seconds: float, item: int) -> int:
    """Takes its time, but for the first item."""
    time.sleep(seconds if item else 0)
    return item


def killing(process: int, item: int) -> int:
    """Kills another process."""
    os.kill(process, signal.SIGKILL)
    time.sleep(60)
    return item


def sign(folder: str) -> None:
    """Leave a file of a name that no other call has."""
    Path(folder, f"{os.getpid()}-{time.monotonic_ns()}").touch()


def waiting(folder: str, item: int) -> int:
    """Says which process has the item, and takes long."""
    Path(folder, f"{os.getpid()}").touch()
    time.sleep(60)
    return item


def patient(folder: str, item: int) -> int:
    """Item 0 is easy, all others take long."""
    return waiting(folder, item) if item else item


def large(size: int, _item: int) -> bytes:
    """More than fits into a pipe, so that sending takes a while."""
    return bytes(size)


def measure(context: bytes, item: int) -> int:
    """Size of the context."""
    return len(context) + item


def numbers() -> Iterator[int]:
    """Three numbers, then a mistake of the user's."""
    yield from range(3)
    raise ExcerptError("found no fourth number")


def process(_: None, item: int) -> tuple[int, int]:
    """The item, and the process that has it."""
    return item, os.getpid()


def interrupted(_: None, item: int) -> tuple[int, bool]:
    """Effect of Ctrl-C on all processes of a terminal, and whether this one was protected at the start."""
    os.kill(os.getpid(), signal.SIGINT)
    return item, signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def until_the_error(engine: Engine, call: Call[Any, int, int], items: Iterable[int]) -> tuple[list[int], str]:
    """The results that come out, and the error after them; of a mistake, items below -8 stay here."""
    found: list[int] = []
    with engine.map(call, items, here=lambda item: item < -8) as results:
        try:
            found.extend(iter(results))
        except ExcerptError as error:
            return found, str(error)
    return found, ""


def halves(e: int, s: Fraction) -> Fraction:
    """A quantisation: 1 for grades 3 and 3, 1/2 for 3 and 2."""
    return Fraction(max(int(s) - 1, 0), 2) if e == 3 else Fraction(0)
