"""The folder of an index while it is built: one build at a time, and nothing of dead ones stays."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from excerpt.errors import ExcerptError
from excerpt.files import describe
from excerpt.index.build.store import is_index

if sys.platform != "win32":
    import fcntl

_PATIENCE = 1.0  # seconds: a build that was just killed may have processes that are still ending


def find_target(output: str | os.PathLike[str]) -> Path:
    """The directory that a name means; a link keeps pointing to the index."""
    name = os.fspath(output)
    try:
        target = Path(os.path.realpath(name))
        target.exists()
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=name) from None
    except ValueError as error:  # a NUL character in the name
        raise ExcerptError(f"is not a file name: {error}", path=name) from None
    if not name or not target.name:
        raise ExcerptError(f"found the output {name!r}, expected the name of a folder to make")
    return target


@contextlib.contextmanager
def fill_folder(target: Path, *, left: Callable[[], str]) -> Iterator[Path]:
    """A folder to fill: it gets the name `target` when everything went well, and is removed when not.

    `left` says what stays of a failed build all the same. A process that is killed leaves the folder behind,
    under a name that nobody opens; the next build removes it.
    """
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        check_output(target)
        with _lock_target(target) as sure:
            if sure:
                _remove_dead(target)
            try:
                temporary.mkdir()
                yield temporary
                _publish(temporary, target)
            finally:
                if temporary.exists():
                    _remove_tree(temporary)
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=str(target), hint=left()) from None


@contextlib.contextmanager
def _lock_target(target: Path) -> Iterator[bool]:
    """Whether no other build of this index is under way: an error if there is, False if nobody can tell."""
    path = target.with_name(f".{target.name}.lock")
    while True:
        with path.open("a") as held:
            sure = _lock(held, target)
            if sure and not _is_still(path, held):  # the build that we waited for has just removed it
                continue
            try:
                yield sure
            finally:
                with contextlib.suppress(OSError):  # some systems keep files that are open
                    path.unlink()
            return


def _lock(held: IO[str], target: Path) -> bool:
    if sys.platform == "win32":
        return False
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise ExcerptError(
                    "another build of this index is under way",
                    path=str(target),
                    hint="wait for it, or give another ⟨output⟩",
                ) from None
            time.sleep(0.05)
        except OSError:  # a file system without locks
            return False
        else:
            return True


def _is_still(path: Path, held: IO[str]) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(held.fileno()))
    except FileNotFoundError:
        return False


def _remove_dead(target: Path) -> None:
    """Remove what builds that were killed have left; an index that was just being replaced gets its name."""
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}(\.old)?\.tmp")
    for path in sorted(target.parent.iterdir()):
        if match := name.fullmatch(path.name):
            if match[1] and not target.exists():
                path.rename(target)
            else:
                _remove_tree(path)


def check_output(output: Path) -> None:
    """Refuse to write over anything that is not an index."""
    if not output.exists() or is_index(output):
        return
    if output.is_dir() and not any(output.iterdir()):
        return
    raise ExcerptError(
        "exists and is not an index; nothing was changed", path=str(output), hint="give another ⟨output⟩"
    )


def _remove_tree(folder: Path) -> None:
    """Remove a folder with everything in it, as far as possible."""
    import shutil  # brings half a dozen modules, and is seldom needed

    shutil.rmtree(folder, ignore_errors=True)


def _publish(temporary: Path, output: Path) -> None:
    """Give the finished directory its name; an older index there is removed when the new one is in place."""
    old = temporary.with_name(temporary.name.replace(".tmp", ".old.tmp"))
    if output.exists():
        output.rename(old)
    try:
        temporary.rename(output)
    except BaseException:
        if old.exists():
            old.rename(output)
        raise
    _remove_tree(old)
