"""The journal of a campaign, and copies of its database."""

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

from excerpt.assess.folder import AGAIN, BACKUPS, DATABASE, NoRoom, stamp, sync_folder
from excerpt.assess.store import FIXED, LOG, Row, Store
from excerpt.errors import ExcerptError, plural
from excerpt.files import describe, writing
from excerpt.notices import Notices

_BLOCK = 1 << 16


def line_of(table: str, row: Row) -> bytes:
    """A row as a line.

    >>> line_of("person", {"number": 3, "name": "Zoë"})
    b'{"table":"person","number":3,"name":"Zo\\\\u00eb"}\\n'
    """
    return json.dumps({"table": table, **row}, separators=(",", ":")).encode() + b"\n"


def lines_of(store: Store) -> Iterator[bytes]:
    """The whole journal as the database has it."""
    fixed = ((table, row) for table in FIXED for row in store.rows(table))
    return (line_of(table, row) for table, row in chain(fixed, store.log()))


def read_lines(path: Path) -> Iterator[tuple[str, Row]]:
    """The rows of a journal with their tables; a last line that was cut off is left out."""
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.endswith(b"\n"):
                return
            try:
                row = json.loads(line)
                table = row.pop("table")
            except (ValueError, AttributeError, KeyError, TypeError):
                message = "found no row, expected a line of JSON"
                raise ExcerptError(message, path=str(path), line=number) from None
            yield table, row


class Journal:
    """The file, of which the end is known; whoever writes holds the lock of the folder."""

    def __init__(self, path: Path, store: Store) -> None:
        self.path = path
        self._store = store
        #: How long the file was when it was last looked at, and the number of the last row in it.
        self._size = -1
        self._last = 0

    def catch_up(self) -> None:
        """Write the lines that are missing at the end; they are on disk when this returns."""
        last = self._store.last_number()
        try:
            self._look()
            if last > self._last:
                self._append(line_of(table, row) for table, row in self._store.log(self._last))
                self._last = last
        except OSError as error:
            self._size = -1
            raise NoRoom(f"cannot be written: {describe(error)}", path=str(self.path)) from None

    def _look(self) -> None:
        """Know the end of the file, also after another process wrote to it."""
        if not self.path.exists():  # somebody has removed it
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
        """Compare all of it with the database and put right what differs; what was done, in words.

        A file that is damaged is moved to `keep`. An error where it knows more than the database.
        """
        try:
            return self._mend(keep)
        except OSError as error:
            raise NoRoom(f"cannot be written: {describe(error)}", path=str(self.path)) from None

    def _mend(self, keep: Path) -> str:
        if not self.path.exists():
            self._rewrite()
            return "the journal was missing and was written anew from the database"
        good, told, missing = self._compare()
        if good < 0:
            self.path.replace(keep)
            self._rewrite()
            return f"{told}; it was written anew, the old one is {keep.parent.name}/{keep.name}"
        if good < self.path.stat().st_size:
            os.truncate(self.path, good)
        self._size = good
        if missing:
            self._append(missing)
        self._last = self._store.last_number()
        return told

    def _compare(self) -> tuple[int, str, list[bytes]]:
        """How many bytes are good (-1: damaged inside), what is wrong, and the lines that are missing."""
        good = 0
        missing: list[bytes] = []
        with self.path.open("rb") as stream:
            for number, (found, expected) in enumerate(zip_longest(stream, lines_of(self._store)), 1):
                if missing or found is None:
                    missing.append(expected or b"")
                elif found == expected:
                    good += len(found)
                elif not found.endswith(b"\n"):  # the last line, cut off
                    missing.append(expected or b"")
                else:
                    if more := count_lacking(self.path, self._store):  # they were confirmed to somebody
                        raise self._lacking(plural(more, "row"))
                    return -1, f"line {number} of the journal is not what the database has", []
        missing = [line for line in missing if line]
        told = f"the journal lacked {plural(len(missing), 'line')}, now added" if missing else ""
        return good, told, missing

    def refuse_newer_end(self) -> None:
        """An error where the end has a row that the database lacks, as after an older copy was put back."""
        try:
            row = _row(_last_line(self.path, self.path.stat().st_size)[1])
        except OSError:  # there is none
            return
        if row and row["table"] in LOG:  # a line comes after its row: read in this order, none is too new
            found = next(self._store.rows(row["table"], _number(row) - 1), None)
            if not _is_same(row, found):
                raise self._lacking("a last row")

    def _lacking(self, what: str) -> ExcerptError:
        return ExcerptError(
            f"found {what} that the database lacks, expected none",
            path=str(self.path),
            hint=AGAIN.format(self.path.parent),
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


def count_lacking(path: Path, store: Store) -> int:
    """How many rows of the log a journal has that a database does not have; damaged lines are no rows."""
    known = {(table, row["number"]): row for table, row in store.log()}
    with path.open("rb") as stream:
        rows = [row for row in map(_row, stream) if row and row["table"] in LOG]
    return sum(not _is_same(row, known.get((row["table"], _number(row)))) for row in rows)


def _is_same(row: Row, found: Row | None) -> bool:
    """Whether a line is that of a row, but for columns that one of them lacks."""
    return found is not None and all(found[name] == value for name, value in row.items() if name in found)


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
    """Where the last whole line ends, and that line."""
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
        #: How many events there are.
        self.count = 0
        self._at_work: threading.Thread | None = None

    def now(self, store: Store, *, why: str = "") -> Path:
        """Make a copy; its path."""
        return back_up(store, self._folder / BACKUPS, stamp(self._clock()), why=why)

    def before_migration(self, store: Store) -> None:
        """Make a copy of a database that is about to become one of a newer version."""
        self.now(store, why="migration")

    def note_event(self) -> None:
        """Count an event; a copy is made beside the work whenever so many have come in."""
        self.count += 1
        if self.count % EVERY == 0 and (self._at_work is None or not self._at_work.is_alive()):
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
