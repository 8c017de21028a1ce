"""The place of an index while it is built: one build at a time, and nothing of dead ones stays."""

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
from excerpt.index.build.store import check_output, publish, remove_tree

if sys.platform != "win32":
    import fcntl

_PATIENCE = 1.0  # seconds: a build that was just killed may have processes that are still ending


def target_of(output: str | os.PathLike[str]) -> Path:
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
def writing(target: Path, *, left: Callable[[], str]) -> Iterator[Path]:
    """A directory that gets the name `target` when everything went well, and vanishes when not.

    `left` tells what there is then all the same.

    A process that is killed leaves it behind, under a name that nobody opens; the next build removes it.
    """
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        check_output(target)
        with _alone(target) as sure:
            if sure:
                _remove_dead(target)
            try:
                temporary.mkdir()
                yield temporary
                publish(temporary, target)
            finally:
                if temporary.exists():
                    remove_tree(temporary)
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=str(target), hint=left()) from None


@contextlib.contextmanager
def _alone(target: Path) -> Iterator[bool]:
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
                    hint="wait for it, or give another name with -o",
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
                remove_tree(path)
