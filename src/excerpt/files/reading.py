"""Content from anywhere: a path, bytes, an open file or anything else that can be read."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable
from typing import IO, Any, Protocol, TypeAlias, TypeGuard, TypeVar

from excerpt.errors import ExcerptError, short
from excerpt.files.compression import compression_of, decompress

STDIN = "-"
LIST = "@"
#: What ids of ir_datasets may begin with.
DATASET = "irds:"
_DESCRIPTORS = ("/dev/stdin", "/dev/fd/", "/proc/")  # mean another file in another process
_BYTES = bytes | bytearray | memoryview
_LONGEST = 4096  # characters of a name; longer text is content


class Readable(Protocol):
    """An open file or stream, binary or text."""

    def read(self) -> bytes | str:
        """All that is left in it."""
        ...


#: Whatever can be read: the path of a file (`-` is standard input), its content, or an open file.
Input: TypeAlias = str | os.PathLike[str] | bytes | Readable
Given = TypeVar("Given")


def is_input(given: object) -> TypeGuard[Input]:
    """Whether something is one thing to read.

    >>> is_input("a.fol"), is_input(b"1 Q0 A 0 10"), is_input(["a.fol", "b.fol"])
    (True, True, False)
    """
    read = getattr(given, "read", None)
    opened = callable(read) and not isinstance(getattr(read, "__self__", None), type)  # classes have others
    return isinstance(given, str | os.PathLike | _BYTES) or opened


def require_path(given: object, what: str) -> str:
    """A path as text; an error for anything else.

    >>> require_path("a.index", "index")
    'a.index'
    """
    if not isinstance(given, str | os.PathLike):
        raise ExcerptError(f"found {short(repr(given))} as {what}, expected a path")
    return os.fspath(given)


def read_once(given: Input) -> bool:
    """Whether something can be read in this process only, and only once: `-`, a pipe, an open file."""
    if isinstance(given, _BYTES):
        return False
    if not isinstance(given, str | os.PathLike):
        return True
    name = os.fspath(given)
    if name == STDIN:
        return True
    descriptor = name.startswith(_DESCRIPTORS)
    try:
        mode = os.stat(name).st_mode  # noqa: PTH116 - pathlib is not loaded for it
    except (OSError, ValueError):
        return descriptor  # whoever opens it says what is wrong
    return not stat.S_ISDIR(mode) and (descriptor or not stat.S_ISREG(mode))


def is_folder(given: Input) -> bool:
    """Whether something is the path of a folder."""
    return isinstance(given, str | os.PathLike) and os.fspath(given) != STDIN and os.path.isdir(given)  # noqa: PTH112 - long names are no error here


def display_name(given: Input) -> str:
    """What is read, as messages call it.

    >>> display_name("-"), display_name("a.fol"), display_name(b"1 Q0 A 0 10")
    ('<stdin>', 'a.fol', '<bytes>')
    """
    if isinstance(given, _BYTES):
        return "<bytes>"
    if isinstance(given, str | os.PathLike):
        name = os.fspath(given)
        if len(name) > _LONGEST or ("\n" in name and not os.path.lexists(name)):
            raise ExcerptError(
                f"found text of {len(name)} characters, expected the name of a file",
                hint="give content as bytes",
            )
        return "<stdin>" if name == STDIN else name
    named = getattr(given, "name", None)
    return named if isinstance(named, str) and named else "<stream>"


def describe(error: OSError) -> str:
    """What went wrong with a file, in words."""
    return (error.strerror or str(error)).lower()


class Content:
    """What came out of a file or stream, under its name."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name, self.data = name, data

    @classmethod
    def of(cls, given: Input) -> Content:
        """Everything that can be read, decompressed."""
        return cls(display_name(given), read_bytes(given))

    def read(self) -> bytes:
        """The same, however often it is asked for."""
        return self.data


def keep_content(given: Given) -> Given | Readable:
    """What can be read only once, as something that work can read twice; all else as it is."""
    if not is_input(given) or not read_once(given):
        return given
    return Content.of(given)


def stdin() -> IO[bytes]:
    """Standard input as bytes."""
    if sys.stdin is None:
        raise ExcerptError("cannot be read: it is closed", path=display_name(STDIN))
    return sys.stdin.buffer


def read_bytes(given: Input) -> bytes:
    """The content, decompressed by what it starts with (not by a suffix)."""
    name = display_name(given)
    try:
        data = _content(given)
    except IsADirectoryError:
        raise ExcerptError(
            "found a directory, expected a file", path=name, hint="give the files in it one by one"
        ) from None
    except OSError as error:
        raise ExcerptError(f"cannot be read: {describe(error)}", path=name) from None
    except UnicodeDecodeError as error:
        raise ExcerptError(
            f"cannot be read as text: {error.reason}", path=name, hint="open it as a binary file"
        ) from None
    except ValueError as error:  # a NUL character in the name, a file that was closed
        what = "is not a file name" if isinstance(given, str | os.PathLike) else "cannot be read"
        raise ExcerptError(f"{what}: {error}", path=name) from None
    return decompress(data, name)


def read_beginning(given: Input, most: int = 1 << 16) -> bytes:
    """The first bytes of what can be read again, decompressed; nothing where it cannot be read.

    >>> read_beginning(b"1 Q0 A 0 10", 4)
    b'1 Q0'
    """
    if isinstance(given, str | os.PathLike):
        try:
            with open(given, "rb") as file:  # noqa: PTH123 - as above
                head = file.read(most)
        except (OSError, ValueError):
            return b""  # whoever reads it says why
        if compression_of(head) is None:
            return head
    return read_bytes(given)[:most]


def is_scores(source: Input) -> bool:
    r"""Whether a file, or bytes, begins as saved scores do; what can be read only once is not looked at.

    >>> is_scores(b"run,topic,measure,score\n"), is_scores(b"1 Q0 A 0 10")
    (True, False)
    """
    if not is_input(source) or (isinstance(source, str) and source.startswith(DATASET)):
        return False
    if read_once(source) or is_folder(source):
        return False
    head = read_beginning(source)
    if head.startswith(b"PAR1") or head.partition(b"\n")[0].rstrip(b"\r") == b"run,topic,measure,score":
        return True
    if not head.lstrip().startswith(b"{"):
        return False
    printed = rb'\s*\{\s*"measures"\s*:\s*\['  # as JSON
    return b'"excerpt scores"' in head or re.match(printed, head) is not None


def _content(given: Any) -> bytes:
    if isinstance(given, _BYTES):
        return bytes(given)
    if isinstance(given, str | os.PathLike):
        if os.fspath(given) == STDIN:
            return stdin().read()
        with open(given, "rb") as file:  # noqa: PTH123 - as above
            return file.read()
    if not is_input(given):
        raise ExcerptError(f"found {type(given).__name__}, expected a path, bytes or an open file")
    data: object = given.read()  # type: ignore[union-attr] # paths and bytes were before
    if isinstance(data, str):
        return data.encode("utf-8", "surrogatepass")
    if not isinstance(data, _BYTES):
        raise ExcerptError(
            f"gave {type(data).__name__}, expected bytes or text from its read()", path=display_name(given)
        )
    return bytes(data)


def expand(paths: Iterable[str]) -> list[str]:
    """Names of files: a folder stands for the files in it, `@FILE` for the names listed in a file.

    The lines of a list count as if they stood in the place of `@FILE`; blank ones and those that
    begin with a `#` are skipped.
    """
    found: list[str] = []
    for path in paths:
        if path.startswith(LIST):
            lines = read_bytes(path[1:]).decode("utf-8", "surrogateescape").splitlines()
            listed = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
            if not listed:
                raise ExcerptError("found an empty list, expected names of files", path=path[1:])
            found += [file for name in listed for file in _files(name)]
        else:
            found += _files(path)
    return found


def _files(path: str) -> list[str]:
    """The files of a folder by name, hidden ones left out; a file is its own."""
    if not is_folder(path):
        return [path]
    try:
        from pathlib import Path

        inside = sorted(Path(path).iterdir())
    except OSError as error:
        raise ExcerptError(f"cannot be read: {describe(error)}", path=path) from None
    files = [str(file) for file in inside if file.is_file() and not file.name.startswith(".")]
    if not files:
        raise ExcerptError("found a folder without files, expected at least one", path=path)
    return files
