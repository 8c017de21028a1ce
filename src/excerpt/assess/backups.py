"""Copies of the database: when serving begins, before a migration, and now and then while events come in."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

from excerpt.assess.folder import BACKUPS, DATABASE, sync_folder
from excerpt.assess.store import Store
from excerpt.assess.times import stamp
from excerpt.errors import ExcerptError
from excerpt.files import describe
from excerpt.notices import Notices

#: A copy is made whenever so many events have come in.
EVERY = 1_000
#: So many copies are kept; those made before a migration are never removed.
KEPT = 20
#: The moment, the number of the last row, and which of several copies it is.
_COPY = re.compile(r"judgments-(\d{8}T\d{6})-(\d+)(?:-(\d+))?\.sqlite")


def fresh_name(folder: Path, stem: str, suffix: str) -> Path:
    """A name in a folder that nothing has."""
    folder.mkdir(exist_ok=True)
    found, number = folder / f"{stem}{suffix}", 1
    while found.exists():
        found, number = folder / f"{stem}-{number}{suffix}", number + 1
    return found


def back_up(store: Store, folder: Path, moment: str, *, why: str = "") -> Path:
    """Copy the database into a folder, under the moment and the number of the last row; the copy's path."""
    written = re.sub(r"[-:]|\..*", "", moment)
    stem = "-".join(filter(None, ("judgments", why, written, str(store.last_number()))))
    try:
        target = fresh_name(folder, stem, ".sqlite")
        temporary = folder / f".{target.stem}-{os.urandom(4).hex()}.tmp"
        _remove_leftovers(folder)
        try:
            store.copy_to(temporary)
            _sync(temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(folder)
        _remove_old(folder)
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=str(folder)) from None
    except sqlite3.Error as error:
        raise ExcerptError(f"cannot be written: {error}", path=str(folder)) from None
    return target


class Copies:
    """The copies that a campaign makes by itself."""

    def __init__(self, folder: Path, clock: Callable[[], float], notices: Notices) -> None:
        self._folder = folder
        self._clock = clock
        self._notices = notices
        self._count = 0
        self._at_work: threading.Thread | None = None

    def now(self, store: Store, *, why: str = "") -> Path:
        """Make a copy; its path."""
        return back_up(store, self._folder / BACKUPS, stamp(self._clock()), why=why)

    def before_migration(self, store: Store) -> None:
        """Make a copy of a database that is about to become one of a newer version."""
        self.now(store, why="migration")

    def begin(self, events: int) -> None:
        """Know how many events there are."""
        self._count = events

    def note_event(self) -> None:
        """Count an event; a copy is made beside the work whenever so many have come in."""
        self._count += 1
        if self._count % EVERY == 0 and (self._at_work is None or not self._at_work.is_alive()):
            self._at_work = threading.Thread(target=self._make)
            self._at_work.start()

    def _make(self) -> None:
        try:
            with contextlib.closing(Store(self._folder / DATABASE)) as store:
                self.now(store)
        except (ExcerptError, sqlite3.Error) as error:  # the work goes on without a copy
            self._notices.add(f"no copy of the database was made: {error}")

    def wait(self) -> None:
        """Let a copy that is being made become one."""
        if self._at_work is not None:
            self._at_work.join()


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_leftovers(folder: Path) -> None:
    """Remove what killed processes have left; a copy is made in less than an hour."""
    for path in folder.glob(".judgments-*.tmp"):
        if path.stat().st_mtime < time.time() - 3600:
            path.unlink()


def _remove_old(folder: Path) -> None:
    """Keep the last copies by what they hold: the log only grows, while a clock may be set back."""
    found = ((_COPY.fullmatch(path.name), path) for path in folder.iterdir())
    copies = sorted((int(name[2]), name[1], int(name[3] or 0), path) for name, path in found if name)
    for *_, path in copies[:-KEPT]:
        with contextlib.suppress(OSError):
            path.unlink()
