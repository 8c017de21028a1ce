"""Documents that cannot be read, with the reason by which a folder counts them; limits of hostile files."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from excerpt.errors import ExcerptError, FormatError
from excerpt.files import room_for

T = TypeVar("T")
#: Most seconds that reading one document may take.
MOST_SECONDS = 60.0
#: Most pages of a document, sheets and slides among them.
MOST_PAGES = 100_000
#: What installs the libraries.
EXTRA = "pip install 'excerpt[documents]'"
ENCRYPTED, DAMAGED, NO_TEXT, TOO_LARGE, MISSING = (
    "encrypted",
    "damaged",
    "no text",
    "too large",
    "without excerpt[documents]",
)


class Unreadable(FormatError):
    """A document without a text that could be read; `reason` is one of the words above."""

    listed_by = ""

    def __init__(self, message: str, *, path: str | None = None, hint: str = "", reason: str = "") -> None:
        super().__init__(message, path=path, hint=hint)
        self.reason = reason or DAMAGED


def damaged(message: str, location: str) -> Unreadable:
    """Error for a file that is not what its ending says."""
    hint = "copy or download the file again, or leave it out"
    return Unreadable(message, path=location, hint=hint, reason=DAMAGED)


def without_text(what: str, location: str) -> Unreadable:
    """Error for a file that has nothing to read."""
    hint = "leave it out, or read it with a parser that recognises text in images (DOCS@PARSER)"
    return Unreadable(f"no text: {what}", path=location, hint=hint, reason=NO_TEXT)


def library(name: str, location: str) -> Any:
    """Import a library that reads documents; without it an error names the extra."""
    try:
        return import_module(name)
    except ImportError:
        message = f"needs {name.partition('.')[0]}, which is not installed"
        raise Unreadable(message, path=location, hint=EXTRA, reason=MISSING) from None


def require_size(size: int, packed: int, location: str) -> None:
    """Raise an error for a document that unpacks to more than is allowed."""
    if size > room_for(packed):
        message = f"unpacks to more than {room_for(packed) >> 20} MiB, expected less"
        hint = "set ⟨max_size=8G⟩ if you trust it"
        raise Unreadable(message, path=location, hint=hint, reason=TOO_LARGE)


def require_pages(count: int, what: str, location: str) -> None:
    """Raise an error for a document with more pages than is allowed."""
    if count > MOST_PAGES:
        message = f"found {count} {what}, expected at most {MOST_PAGES}"
        raise Unreadable(message, path=location, hint="leave it out", reason=TOO_LARGE)


def in_time(read: Callable[[], T], location: str) -> T:
    """Return what a function returns, or raise an error if that takes too long; it cannot be stopped then.

    That is an error for a folder, too: what it contains must not depend on the speed of a machine.
    """
    outcome: list[T] = []
    fault: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(read())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            fault.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(MOST_SECONDS)
    if fault:
        raise fault[0]
    if not outcome:
        message = f"takes more than {MOST_SECONDS:g} seconds to read, expected less"
        raise ExcerptError(message, path=location, hint="leave it out")
    return outcome[0]
