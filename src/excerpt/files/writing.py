"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from excerpt.errors import ExcerptError
from excerpt.files.compression import compressing
from excerpt.files.reading import STDIN, describe, read_once, require_path

if sys.platform == "win32":
    fcntl = None
else:
    import fcntl

if TYPE_CHECKING:
    from pathlib import Path

_LEFTOVER = r"\.excerpt-[0-9a-f]{16}\.tmp"
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
    from pathlib import Path  # few commands write a file

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
            if fcntl is not None:
                temporary.replace(target)  # before the lock is gone
        if fcntl is None:  # other systems do not rename open files
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
    """A new file beside the target, locked, with the mode that the target has or would get."""
    _remove_leftovers(target.parent)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    # Until it has its mode nobody else may read what replaces a private file.
    first = _NEW_FILE if mode is None else mode & stat.S_IRWXU
    while True:
        temporary = target.with_name(f".excerpt-{os.urandom(8).hex()}.tmp")
        handle = os.open(temporary, _OPEN, first)
        if (
            _lock(handle, wait=True) and not os.fstat(handle).st_nlink
        ):  # taken for a leftover before it was locked
            os.close(handle)
            continue
        if mode is not None and os.name == "posix":
            os.fchmod(handle, mode)
        return handle, temporary


def _remove_leftovers(folder: Path) -> None:
    """Remove what killed commands left in a folder: files of ours that nobody has locked."""
    with contextlib.suppress(OSError):  # a folder that may be written but not listed
        for file in folder.iterdir():
            if fcntl is not None and re.fullmatch(_LEFTOVER, file.name):
                with contextlib.suppress(OSError):  # another user's, or no file
                    _remove_unlocked(file)


def _remove_unlocked(file: Path) -> None:
    handle = os.open(file, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if stat.S_ISREG(os.fstat(handle).st_mode) and _lock(handle):
            file.unlink()
    finally:
        os.close(handle)


def _lock(handle: int, *, wait: bool = False) -> bool:
    """Lock a file until it is closed, also by the end of its process; False where that cannot be."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
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


@contextlib.contextmanager
def replacing_folder(target: Path) -> Iterator[Path]:
    """A folder to fill, which then takes the name, and the place of what had it; none is left on failure."""
    beside = target.with_name(f".excerpt-{os.urandom(8).hex()}")
    new, old = beside.with_suffix(".new"), beside.with_suffix(".old")
    try:
        new.mkdir()
        yield new
        if target.exists():
            target.rename(old)
        new.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    finally:
        import shutil

        for folder in (new, old):
            shutil.rmtree(folder, ignore_errors=True)
