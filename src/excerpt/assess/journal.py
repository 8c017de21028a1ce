"""The journal of a campaign, and backups of its database."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from excerpt.assess.folder import BACKUPS, DATABASE, REBUILD_HINT, NoRoom, stamp, sync_folder
from excerpt.assess.store import FIXED, LOG, Row, Store
from excerpt.errors import ExcerptError, plural
from excerpt.files import describe, writing
from excerpt.notices import Notices

_BLOCK = 1 << 16


def line_of(table: str, row: Row) -> bytes:
    """Return a row as a line of the journal.

    >>> line_of("person", {"number": 3, "name": "Zoë"})
    b'{"table":"person","number":3,"name":"Zo\\\\u00eb"}\\n'
    """
    return json.dumps({"table": table, **row}, separators=(",", ":")).encode() + b"\n"


def lines_of(store: Store) -> Iterator[bytes]:
    """Yield the lines of the journal that correspond to the database."""
    fixed = ((table, row) for table in FIXED for row in store.rows(table))
    return (line_of(table, row) for table, row in chain(fixed, store.log()))


def read_lines(path: Path) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a journal with their tables; an incomplete last line is left out."""
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.endswith(b"\n"):
                return
            try:
                row = json.loads(line)
                table = row.pop("table")
            except (ValueError, AttributeError, KeyError, TypeError):
                message = "not a row of the journal, expected a JSON object"
                raise ExcerptError(message, path=str(path), line=number) from None
            yield table, row


class Journal:
    """The journal file; callers that write hold the lock of the folder."""

    def __init__(self, path: Path, store: Store) -> None:
        self.path = path
        self._store = store
        #: Size of the file when it was last examined, and the number of its last row.
        self._size = -1
        self._last = 0

    def catch_up(self) -> None:
        """Append the missing lines; they are on disk when this returns."""
        last = self._store.last_number()
        try:
            self._examine_end()
            if last > self._last:
                self._append(line_of(table, row) for table, row in self._store.log(self._last))
                self._last = last
        except OSError as error:
            self._size = -1
            raise NoRoom(f"cannot be written: {describe(error)}", path=str(self.path)) from None

    def _examine_end(self) -> None:
        """Update size and last row, since another process may have written to the file."""
        if not self.path.exists():  # the user has removed it
            self._rewrite()
        size = self.path.stat().st_size
        if size == self._size:
            return
        self._size, line = _last_line(self.path, size)
        if self._size < size:
            os.truncate(self.path, self._size)
        row = _row(line)
        if row is None:
            raise OSError(0, "the end of the journal is damaged; serving the campaign repairs it")
        self._last = int(row.get("number", 0)) if row.get("table") not in FIXED else 0

    def _append(self, lines: Iterable[bytes]) -> None:
        data = b"".join(lines)
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
        try:
            _write_all(handle, data)
            os.fsync(handle)
        except OSError:
            os.ftruncate(handle, self._size)
            raise
        finally:
            os.close(handle)
        self._size += len(data)

    def check(self, keep: Path) -> str:
        """Compare the journal with the database and repair it; return a sentence on the repair, or "".

        A damaged file is moved to `keep`. A journal with rows that the database lacks is an error.
        """
        try:
            return self._repair(keep)
        except OSError as error:
            raise NoRoom(f"cannot be written: {describe(error)}", path=str(self.path)) from None

    def _repair(self, keep: Path) -> str:
        if not self.path.exists():
            self._rewrite()
            return "the journal was missing and was rebuilt from the database"
        valid_bytes, message, missing = self._compare()
        if valid_bytes < 0:
            self.path.replace(keep)
            self._rewrite()
            return f"{message}; the journal was rebuilt, the old one is {keep.parent.name}/{keep.name}"
        if valid_bytes < self.path.stat().st_size:
            os.truncate(self.path, valid_bytes)
        self._size = valid_bytes
        if missing:
            self._append(missing)
        self._last = self._store.last_number()
        return message

    def _compare(self) -> tuple[int, str, list[bytes]]:
        """Return the number of valid bytes (-1: damaged inside), a message, and the missing lines."""
        valid_bytes = 0
        missing: list[bytes] = []
        with self.path.open("rb") as stream:
            for number, (found, expected) in enumerate(zip_longest(stream, lines_of(self._store)), 1):
                if missing or found is None:
                    missing.append(expected or b"")
                elif found == expected:
                    valid_bytes += len(found)
                elif not found.endswith(b"\n"):  # an incomplete last line
                    missing.append(expected or b"")
                else:
                    if more := count_missing(self.path, self._store):  # clients got a confirmation of these
                        raise self._newer(plural(more, "row"))
                    return -1, f"line {number} of the journal differs from the database", []
        missing = [line for line in missing if line]
        message = f"the journal lacked {plural(len(missing), 'line')} and was completed" if missing else ""
        return valid_bytes, message, missing

    def reject_newer_end(self) -> None:
        """Raise an error if the database lacks the last row, as after restoring an older backup."""
        try:
            row = _row(_last_line(self.path, self.path.stat().st_size)[1])
        except OSError:  # the journal is missing
            return
        if row and row["table"] in LOG:  # rows are stored before lines, so read the line first
            stored = next(self._store.rows(row["table"], _number(row) - 1), None)
            if not _is_same(row, stored):
                raise self._newer("a last row")

    def _newer(self, rows: str) -> ExcerptError:
        return ExcerptError(
            f"has {rows} that the database lacks",
            path=str(self.path),
            hint=REBUILD_HINT.format(self.path.parent),
        )

    def _rewrite(self) -> None:
        try:
            with writing(self.path) as stream:
                for line in lines_of(self._store):
                    stream.write(line)
        except ExcerptError as error:
            raise NoRoom(error.message, path=str(self.path)) from None
        sync_folder(self.path.parent)
        self._size, self._last = self.path.stat().st_size, self._store.last_number()


def count_missing(path: Path, store: Store) -> int:
    """Count the log rows of a journal that the database lacks; damaged lines are ignored."""
    stored = {(table, row["number"]): row for table, row in store.log()}
    with path.open("rb") as stream:
        rows = [row for row in map(_row, stream) if row and row["table"] in LOG]
    return sum(not _is_same(row, stored.get((row["table"], _number(row)))) for row in rows)


def _is_same(row: Row, stored: Row | None) -> bool:
    """Return True if a line of the journal equals a row, apart from columns that one of them lacks."""
    return stored is not None and all(stored[name] == value for name, value in row.items() if name in stored)


def _number(row: Row) -> int:
    number = row.get("number", 0)
    return number if isinstance(number, int) else 0


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) and "table" in row else None


def _last_line(path: Path, size: int) -> tuple[int, bytes]:
    """Return the offset after the last complete line, and that line."""
    data = b""
    with path.open("rb") as stream:
        at = size
        while at > 0:
            before, at = at, max(0, at - _BLOCK)
            stream.seek(at)
            data = stream.read(before - at) + data
            end = data.rfind(b"\n") + 1
            begin = data.rfind(b"\n", 0, max(end - 1, 0)) + 1
            if end and (begin or at == 0):
                return at + end, data[begin:end]
    return 0, b""


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


#: Number of events after which a backup is made.
EVERY = 1_000
#: Number of backups that are kept; backups before a migration are never removed.
KEPT = 20
#: Name of a backup: the time, the number of the last row, and a counter.
_COPY = re.compile(r"judgments-(\d{8}T\d{6})-(\d+)(?:-(\d+))?\.sqlite")


def fresh_name(folder: Path, stem: str, suffix: str) -> Path:
    """Return an unused name in a folder, which is created if needed."""
    folder.mkdir(exist_ok=True)
    path, number = folder / f"{stem}{suffix}", 1
    while path.exists():
        path, number = folder / f"{stem}-{number}{suffix}", number + 1
    return path


def back_up(store: Store, folder: Path, moment: str, *, why: str = "") -> Path:
    """Copy the database into a folder, named after the time and the last row; return the path."""
    time_part = re.sub(r"[-:]|\..*", "", moment)
    stem = "-".join(filter(None, ("judgments", why, time_part, str(store.last_number()))))
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


class Backups:
    """Automatic backups of a campaign's database."""

    def __init__(self, folder: Path, clock: Callable[[], float], notices: Notices) -> None:
        self._folder = folder
        self._clock = clock
        self._notices = notices
        #: Number of events.
        self.count = 0
        self._at_work: threading.Thread | None = None

    def now(self, store: Store, *, why: str = "") -> Path:
        """Make a backup and return its path."""
        return back_up(store, self._folder / BACKUPS, stamp(self._clock()), why=why)

    def before_migration(self, store: Store) -> None:
        """Make a backup before the database is migrated to a newer version."""
        self.now(store, why="migration")

    def note_event(self) -> None:
        """Count an event; after every `EVERY` events make a backup in a thread."""
        self.count += 1
        if self.count % EVERY == 0 and (self._at_work is None or not self._at_work.is_alive()):
            self._at_work = threading.Thread(target=self._make)
            self._at_work.start()

    def _make(self) -> None:
        try:
            with contextlib.closing(Store(self._folder / DATABASE)) as store:
                self.now(store)
        except (ExcerptError, sqlite3.Error) as error:  # assessors can continue without a backup
            self._notices.add(f"the database was not backed up: {error}")

    def wait(self) -> None:
        """Wait for a backup in progress."""
        if self._at_work is not None:
            self._at_work.join()


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_leftovers(folder: Path) -> None:
    """Remove temporary files of killed processes; a backup takes less than an hour."""
    for path in folder.glob(".judgments-*.tmp"):
        if path.stat().st_mtime < time.time() - 3600:
            path.unlink()


def _remove_old(folder: Path) -> None:
    """Keep the newest backups by the number of the last row: a clock may be set back, the log only grows."""
    files = ((_COPY.fullmatch(path.name), path) for path in folder.iterdir())
    copies = sorted((int(name[2]), name[1], int(name[3] or 0), path) for name, path in files if name)
    for *_, path in copies[:-KEPT]:
        with contextlib.suppress(OSError):
            path.unlink()
