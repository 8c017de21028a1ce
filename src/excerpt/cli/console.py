"""Console of commands: streams, messages, verbosity, progress, width and colours.

Standard output and error work also where they are closed, full or somebody else's. Errors are always printed
on standard error, all else unless --quiet. With --strict a warning is an error: it is printed even under
--quiet, and the command ends with status 3.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType

from excerpt.errors import one_line

TYPE_CHECKING = False  # as typing has it, which is half of what a start without numpy loads
if TYPE_CHECKING:
    import argparse
    from typing import Self, TextIO

_RED, _YELLOW = "31", "33"
#: Exit status of a command that did its work, but with warnings, under --strict.
DOUBTFUL = 3


class Verbosity:
    """Verbosity of the current command: --quiet, --strict, whether it warned, and whether colours are off."""

    quiet = strict = warned = plain = False

    def begin(self) -> None:
        """A new command begins with the defaults."""
        self.quiet = self.strict = self.warned = self.plain = False


VERBOSITY = Verbosity()


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


def shows_colours(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal that shows colours, and nobody has forbidden them."""
    if VERBOSITY.plain or os.environ.get("NO_COLOR") or os.environ.get("CLICOLOR") == "0":
        return False
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def forget(stream: TextIO) -> None:
    """Drop what could not be written: Python would try again at its end, and set a status of its own."""
    if stream in {sys.__stdout__, sys.__stderr__}:  # not what belongs to a caller
        with contextlib.suppress(OSError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def tell(message: str, *, lead: str = "", colour: str = _RED) -> None:
    """Print a message on standard error, in one line whatever names are in it.

    The name of the program and the `lead` have the colour, where standard error shows any: red for errors.
    """
    begins = f"excerpt: {lead}"
    if colour and shows_colours(sys.stderr):
        begins = f"\x1b[{colour}m{begins.rstrip()}\x1b[0m "
    try:
        print(begins + one_line(message), file=sys.stderr, flush=True)
    except OSError:  # there is no other place to say it
        forget(sys.stderr)


def status_of(status: int) -> int:
    """The exit status of a command that ended with `status`: 3 if it warned where warnings are errors."""
    return DOUBTFUL if not status and VERBOSITY.strict and VERBOSITY.warned else status


def note(message: str) -> None:
    """Print something that is good to know."""
    if not VERBOSITY.quiet:
        tell(message, colour="")


def warn(message: str, *, kind: str = "warning") -> None:
    """Print a warning; `kind` is how it begins."""
    VERBOSITY.warned = True
    if VERBOSITY.strict or not VERBOSITY.quiet:
        tell(message, lead=f"{kind}: ", colour=_YELLOW)


def show_warnings(warnings: Iterable[str]) -> None:
    """Print warnings on standard error, one line each."""
    for warning in warnings:
        warn(warning)


def without_verbosity(given: Sequence[str]) -> list[str]:
    """Arguments of a command that reads its options itself, without --quiet and --strict, which are obeyed.

    >>> without_verbosity(["-f", "--quiet", "qrels", "run"])
    ['-f', 'qrels', 'run']
    """
    asked = {"--quiet", "--strict"}
    for word in asked & set(given):
        setattr(VERBOSITY, word[2:], True)
    return [word for word in given if word not in asked]


def chosen_width(arguments: argparse.Namespace) -> int:
    """How wide lines may be."""
    from excerpt.options import NARROWEST
    from excerpt.render.layout import terminal_width

    width: int = arguments.width or max(terminal_width(getattr(arguments, "output", "-")) or 80, NARROWEST)
    return width


def chosen_colours(arguments: argparse.Namespace) -> bool:
    """Whether to use colours: never in a file unless they are asked for."""
    if arguments.color != "auto":
        return bool(arguments.color == "always")
    return getattr(arguments, "output", "-") == "-" and shows_colours(sys.stdout)


_WIDTH = 30


class Progress:
    """Call it with (done, total); it draws at most ten times a second and erases itself at the end."""

    def __init__(self, label: str, stream: TextIO | None = None) -> None:
        self._label = label
        self._stream = stream if stream is not None else sys.stderr
        self._begin = time.monotonic()
        self._last = self._begin
        self._drawn = 0
        self._hidden = VERBOSITY.quiet or not self._stream.isatty()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._hidden or now - self._begin < 1 or now - self._last < 0.1:
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
