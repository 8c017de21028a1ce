"""Console of commands: streams, messages, verbosity, progress, width and colours.

Standard output and error work also if they are closed, full or replaced by a caller. Errors are always
printed on standard error, warnings and notes unless --quiet. With --strict a warning is an error: it is
printed even under --quiet, and the command ends with status 3.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence

from excerpt.errors import HEARS, one_line

TYPE_CHECKING = False  # not from typing, which is half of what a start without numpy loads
if TYPE_CHECKING:
    import argparse
    from typing import Self, TextIO

    from excerpt.notices import Notices

_RED, _YELLOW = "31", "33"
#: Exit statuses. A closed pipe of standard output also gives 1, rows that differ under rerun --check also 2.
STATUSES = {
    0: "success",
    1: "negative verdict: gate found a run worse than its baseline",
    2: "usage or input error, including faults found by check",
    3: "warnings under --strict",
    130: "interrupted (Ctrl-C)",
}
_STRICT = 3


class Verbosity:
    """Verbosity of the current command: --quiet, --strict, whether it warned, and whether colours are off."""

    quiet = strict = warned = plain = False
    #: What was said of corpora.
    heard: set[str] = set()  # noqa: RUF012 - each command begins with its own
    #: Notes for the end of a command that did its work.
    last: list[str] = []  # noqa: RUF012 - likewise

    def begin(self) -> None:
        self.quiet = self.strict = self.warned = self.plain = False
        self.heard, self.last = set(), []


VERBOSITY = Verbosity()


class _Closed(io.TextIOBase):
    """Stand-in for a standard output closed before the start: writing to it is an error."""

    _used = False

    def write(self, text: str) -> int:
        self._used = True
        return len(text)

    def flush(self) -> None:
        if self._used:
            self._used = False  # flush is called again when the stream ends, and one error is enough
            raise OSError(errno.EBADF, "standard output is closed")


@contextlib.contextmanager
def usable_streams() -> Iterator[None]:
    """Replace closed streams, so that files opened later do not take their descriptors."""
    with contextlib.ExitStack() as stack:
        if sys.stdout is None:
            stack.enter_context(open(os.devnull, "wb"))  # noqa: PTH123  pathlib costs 3 ms
            stack.enter_context(contextlib.redirect_stdout(_Closed()))
        if sys.stderr is None:
            null = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123
            stack.enter_context(contextlib.redirect_stderr(null))
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may not support a character
        yield


def shows_colours(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal with colours, and colours are not disabled."""
    if VERBOSITY.plain or os.environ.get("NO_COLOR") or os.environ.get("CLICOLOR") == "0":
        return False
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def discard_output(stream: TextIO) -> None:
    """Discard unwritten output; at exit Python would write it again, fail, and set its own status."""
    if stream in {sys.__stdout__, sys.__stderr__}:  # not a stream of a caller
        with contextlib.suppress(OSError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)


def print_message(message: str, *, lead: str = "", colour: str = _RED) -> None:
    """Print a message on standard error, always in one line.

    The prefix `excerpt:` and the `lead` are coloured if standard error shows colours: red for errors.
    """
    prefix = f"excerpt: {lead}"
    if colour and shows_colours(sys.stderr):
        prefix = f"\x1b[{colour}m{prefix.rstrip()}\x1b[0m "
    try:
        print(prefix + one_line(message), file=sys.stderr, flush=True)
    except OSError:  # there is no other stream to report it on
        discard_output(sys.stderr)


def status_of(status: int) -> int:
    """Return the exit status of a command that ended with `status`: 3 for warnings under --strict.

    Its last notes are printed first.
    """
    for message in VERBOSITY.last:
        note(message)
    return _STRICT if not status and VERBOSITY.strict and VERBOSITY.warned else status


def note_at_the_end(message: str) -> None:
    """Print a note after the work is done, so that an error stays one line."""
    VERBOSITY.last.append(message)


def note(message: str) -> None:
    """Print a note, unless --quiet."""
    if not VERBOSITY.quiet:
        print_message(message, colour="")


def warn(message: str, *, kind: str = "warning") -> None:
    """Print a warning that begins with `kind`, unless --quiet without --strict."""
    VERBOSITY.warned = True
    if VERBOSITY.strict or not VERBOSITY.quiet:
        print_message(message, lead=f"{kind}: ", colour=_YELLOW)


def hear(message: str, is_warning: bool) -> None:
    """Print once what a command has to say of a corpus: a warning, or a note."""
    if message not in VERBOSITY.heard:
        VERBOSITY.heard.add(message)
        (warn if is_warning else note)(message)


@contextlib.contextmanager
def heard() -> Iterator[None]:
    """Print what corpora have to say, instead of a warning of Python."""
    HEARS.append(hear)
    try:
        yield
    finally:
        HEARS.pop()


def own_notices() -> Notices:
    """Return notices for a call whose warnings the command prints itself."""
    from excerpt.notices import Notices

    return Notices()


def show_warnings(warnings: Iterable[str]) -> None:
    """Print warnings on standard error, one line each."""
    for warning in warnings:
        warn(warning)


def without_verbosity(given: Sequence[str]) -> list[str]:
    """Apply --quiet and --strict, and return the other arguments, for commands with their own parser.

    >>> without_verbosity(["-f", "--quiet", "qrels", "run"])
    ['-f', 'qrels', 'run']
    """
    flags = {"--quiet", "--strict"}
    for word in flags & set(given):
        setattr(VERBOSITY, word[2:], True)
    return [word for word in given if word not in flags]


def chosen_width(arguments: argparse.Namespace) -> int:
    """Return the width of lines, in columns."""
    from excerpt.options import NARROWEST
    from excerpt.render.layout import terminal_width

    width: int = arguments.width or max(terminal_width(getattr(arguments, "output", "-")) or 80, NARROWEST)
    return width


def chosen_colours(arguments: argparse.Namespace) -> bool:
    """Return whether to use colours; a file has colours only with --color always."""
    if arguments.color != "auto":
        return bool(arguments.color == "always")
    return getattr(arguments, "output", "-") == "-" and shows_colours(sys.stdout)


_WIDTH = 30


class ProgressBar:
    """Progress bar: call it with (done, total); it draws ten times a second and erases itself at the end."""

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

    def __exit__(self, *_: object) -> None:
        if self._drawn:  # erase the bar from the screen
            self._draw("")
            self._stream.write("\r")
            self._stream.flush()


def _duration(seconds: float) -> str:
    """Return a rounded duration as text.

    >>> _duration(9.6), _duration(200), _duration(9000)
    ('10 s', '3 min', '2 h 30 min')
    """
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{round(seconds)} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
