"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from excerpt.errors import ExcerptError
from excerpt.files.compression import compressing
from excerpt.files.reading import STDIN, describe, read_once, require_path

_NEW_FILE = 0o666  # the system takes away what the user's mask forbids
_OPEN = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[io.BufferedIOBase]:
    """A binary file that appears under its name only when everything was written; `-` is stdout.

    Names ending in `.gz`, `.bz2`, `.xz` or `.zst` are compressed.
    When anything fails the name is left as it was; a file that is replaced keeps its mode.
    Links are followed; devices and pipes are written to, not replaced.
    """
    name = require_path(path, "name of a file to write")
    if name == STDIN:
        with _standard_output() as stream:
            yield stream
        return
    try:
        # The name as given: pipes behind /dev/fd have no other one.
        special = Path(name).exists() and read_once(name)
        target = Path(name if special else os.path.realpath(name))
        if target.is_dir():
            raise ExcerptError("is a directory, expected the name of a file to write", path=name)
        handle, temporary = (-1, Path()) if special else _create(target)
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=name) from None
    except ValueError as error:  # a NUL character in the name
        raise ExcerptError(f"is not a file name: {error}", path=name) from None
    if special:
        with _through(target, name) as stream:
            yield stream
        return
    try:
        with os.fdopen(handle, "wb") as raw:
            with compressing(raw, target.suffix) as stream:
                yield stream
            raw.flush()
            os.fsync(raw.fileno())
        temporary.replace(target)
    except OSError as error:
        raise ExcerptError(
            f"cannot be written: {describe(error)}", path=name, hint="nothing was left behind"
        ) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


@contextlib.contextmanager
def _standard_output() -> Iterator[io.BufferedIOBase]:
    """Standard output as bytes; where it takes text only, as in a notebook, what was written as text."""
    sys.stdout.flush()
    binary = getattr(sys.stdout, "buffer", None)
    if binary is not None:
        yield binary
        binary.flush()
        return
    whole = io.BytesIO()
    yield whole
    sys.stdout.write(whole.getvalue().decode("utf-8", "replace"))


def _create(target: Path) -> tuple[int, Path]:
    """A new file beside the target, with the mode that the target has or would get."""
    _remove_leftovers(target.parent)
    temporary = target.with_name(f".excerpt-{_machine()}-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    if not target.exists():
        return os.open(temporary, _OPEN, _NEW_FILE), temporary
    mode = stat.S_IMODE(target.stat().st_mode)
    handle = os.open(temporary, _OPEN, mode & stat.S_IRWXU)  # nobody else may read it meanwhile
    if os.name == "posix":
        os.fchmod(handle, mode)
    return handle, temporary


def _machine() -> str:
    """The name of this machine as part of a file's name: processes have their numbers on one machine only."""
    name = os.uname().nodename if os.name == "posix" else ""
    return re.sub("[^A-Za-z0-9]", "", name)[:32] or "here"


def _remove_leftovers(folder: Path) -> None:
    """Remove what commands that were killed on this machine left in a folder."""
    name = re.compile(rf"\.excerpt-{_machine()}-(\d{{1,9}})-[0-9a-f]{{8}}\.tmp")
    with contextlib.suppress(OSError):  # a folder that may be written but not listed
        for file in folder.iterdir():
            match = name.fullmatch(file.name)
            if match and not _runs(int(match[1])):
                file.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    """Whether there is a process of this number."""
    if os.name != "posix":  # no way to ask without harm
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # it is another user's
    return True


@contextlib.contextmanager
def _through(device: Path, name: str) -> Iterator[io.BufferedIOBase]:
    try:
        with device.open("wb") as raw, compressing(raw, device.suffix) as stream:
            yield stream
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=name) from None


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a whole file, or nothing (see `writing`)."""
    with writing(path) as stream:
        stream.write(data)
