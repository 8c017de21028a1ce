"""A progress bar on standard error: only on a terminal, only for work over a second."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self, TextIO

_WIDTH = 30


class Progress:
    """Call it with (done, total); it draws at most ten times a second and erases itself at the end."""

    def __init__(self, label: str, stream: TextIO | None = None) -> None:
        self._label = label
        self._stream = stream if stream is not None else sys.stderr
        self._begin = time.monotonic()
        self._last = self._begin
        self._drawn = 0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not self._stream.isatty() or now - self._begin < 1 or now - self._last < 0.1:
            return
        self._last = now
        if total:
            filled = round(_WIDTH * done / total)
            line = f"{self._label} [{'#' * filled}{'.' * (_WIDTH - filled)}] {100 * done // total} %"
            if done:
                line += f", {_duration((now - self._begin) * (total - done) / done)} left"
        else:
            line = f"{self._label} {done}"
        self._draw(line)

    def _draw(self, line: str) -> None:
        self._stream.write("\r" + line.ljust(self._drawn))
        self._stream.flush()
        self._drawn = len(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.erase()

    def erase(self) -> None:
        """Take the bar off the screen."""
        if self._drawn:
            self._draw("")
            self._stream.write("\r")
            self._stream.flush()


def _duration(seconds: float) -> str:
    """Roughly how long.

    >>> _duration(9.6), _duration(200), _duration(9000)
    ('10 s', '3 min', '2 h 30 min')
    """
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{round(seconds)} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
