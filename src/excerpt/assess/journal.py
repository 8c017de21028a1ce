"""The journal of a campaign, and backups of its database."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from excerpt.assess.contents import is_readable
from excerpt.assess.folder import BACKUPS, CERTAIN_HINT, DATABASE, REBUILD_HINT, NoRoom, stamp
from excerpt.assess.store import FIXED, LOG, TABLES, Row, Store
from excerpt.errors import ExcerptError, plural
from excerpt.files import describe, sync_folder, writing
from excerpt.notices import Notices

_BLOCK = 1 << 16
#: The end of a line with a checksum.
_SEAL = re.compile(rb',"line":([0-9]{1,15}),"check":"([0-9a-f]{16})"\}\r?\n\Z')
#: What an incomplete last line lacks.
_WHOLE = re.compile(rb'"check":"[0-9a-f]{16}"\}')
_LARGEST = 1 << 62


def line_of(table: str, row: Row) -> bytes:
    """Return a row as a line without number and checksum, as version 0.2.0 wrote it.

    >>> line_of("person", {"number": 3, "name": "Zoë"})
    b'{"table":"person","number":3,"name":"Zo\\\\u00eb"}\\n'
    """
    return json.dumps({"table": table, **row}, separators=(",", ":")).encode() + b"\n"


def sealed(line: bytes, number: int) -> bytes:
    """Return a line with its running number and the checksum of all that is before the checksum.

    >>> sealed(b'{"table":"meta"}\\n', 7)
    b'{"table":"meta","line":7,"check":"02b6a4e6ba9b1bd7"}\\n'
    """
    content = line[:-2] + b',"line":%d' % number
    return content + b',"check":"%s"}\n' % _check(content)


def _check(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest()[:16].encode()


def rows_of(store: Store) -> Iterator[tuple[str, Row]]:
    """Yield the rows of the database in the order of the journal, each with its table."""
    return chain(((table, row) for table in FIXED for row in store.created(table)), store.log())


def lines_of(store: Store) -> Iterator[bytes]:
    """Yield the lines of the journal that correspond to the database."""
    return (sealed(line_of(table, row), number) for number, (table, row) in enumerate(rows_of(store), 1))


class JournalLine(NamedTuple):
    """A line of a journal: its place in the file, its running number, table and row.

    A damaged line, or one after a gap, has a fault; `row` is then what can still be read of it.
    """

    place: int
    number: int
    table: str
    row: Row
    fault: str = ""


def read_lines(path: Path, size: int = _LARGEST) -> Iterator[JournalLine]:
    """Yield the lines in the first `size` bytes of a journal, and its faults; a missing journal has none.

    An incomplete last line was never confirmed and is left out, unless only its end is damaged.

    Lines of 0.2.0 have neither running number nor checksum; there the numbers of the log show gaps.
    """
    if path.exists():
        with path.open("rb") as stream:
            yield from _read_lines(stream, size)


def _read_lines(stream: Iterable[bytes], size: int) -> Iterator[JournalLine]:
    last = logged = damaged = 0  # the last running number and number of the log, and bad lines since
    is_sealed = False
    for place, line in enumerate(stream, 1):
        size -= len(line)
        if size < 0 or (not line.endswith(b"\n") and not _WHOLE.search(line)):
            return
        number, row = _sealed_row(line)
        is_sealed |= number > 0
        if row is None or (is_sealed and not number):
            damaged += 1
            fault = "this line cannot be read" if _json(line) is None else "this line was changed"
            yield JournalLine(place, last + damaged, "", _json(line) or {}, fault)
            continue
        table = row.pop("table")
        before = logged
        if table in LOG:
            logged = max(logged, row["number"])
        if not number:
            number = last + 1 + damaged
            if table in LOG:
                number = max(number, last + row["number"] - before) if row["number"] > before else last
        if number <= last:
            yield JournalLine(place, number, "", row, "this line is repeated or out of order")
            continue
        if missing := max(number - last - 1 - damaged, 0):
            be = "is" if missing == 1 else "are"
            fault = f"{plural(missing, 'line')} before this one {be} missing"
            yield JournalLine(place, number, "", {}, fault)
        last, damaged = number, 0
        yield JournalLine(place, number, table, row)


def _sealed_row(line: bytes) -> tuple[int, Row | None]:
    """Return the running number of a line (0: a line of 0.2.0) and its row; None if it is damaged."""
    row, seal = _json(line), _SEAL.search(line)
    if seal and row:
        row = {name: value for name, value in row.items() if name not in {"line", "check"}}
        row = row if _check(line[: seal.start(2) - 10]) == seal[2] else None
    if row is None or not _is_row(row):
        return int(seal[1]) if seal and row else 0, None
    if not seal:
        values = {name: value for name, value in row.items() if name != "table"}
        return 0, row if is_readable(row["table"], values) else None
    return int(seal[1]), row


def _is_row(row: Row) -> bool:
    """Return True for a row of a table: all its columns, and a number in the log."""
    table = row.get("table")
    if not isinstance(table, str) or table not in TABLES or row.keys() != {"table", *TABLES[table]}:
        return False
    return table not in LOG or (type(row["number"]) is int and 0 < row["number"] < _LARGEST)


def _json(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def fault_of(path: Path, line: JournalLine, hint: str) -> ExcerptError:
    """Return the fault of a line as an error."""
    return ExcerptError(line.fault, path=str(path), line=line.place, hint=hint)


class Journal:
    """The journal file; callers that write hold the lock of the folder."""

    def __init__(self, path: Path, store: Store) -> None:
        self.path = path
        self._store = store
        #: Size of the file when it was last examined, the number of its last row, and that of its last line.
        self._size = -1
        self._last = 0
        self._line = 0

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
        size = self.path.stat().st_size if self.path.exists() else 0
        if size and size == self._size:
            return
        self._size = -1
        end, line = _last_line(self.path, size) if size else (0, b"")
        if not line:  # the user has removed it, or a crash has emptied it
            self.rewrite()
            size = self.path.stat().st_size
            end, line = _last_line(self.path, size)
        if end < size:
            os.truncate(self.path, end)
        self._line, row = _sealed_row(line)
        if row is None:
            hint = CERTAIN_HINT.format(self.path.parent)
            raise NoRoom("the end of the journal is damaged", path=str(self.path), hint=hint)
        self._last = row["number"] if row["table"] in LOG else 0
        if not self._line:  # a journal of 0.2.0
            with self.path.open("rb") as stream:
                self._line = sum(1 for _ in stream)
        self._size = end

    def _append(self, lines: Iterable[bytes]) -> None:
        """Append lines without numbers."""
        numbered = [sealed(line, number) for number, line in enumerate(lines, self._line + 1)]
        data = b"".join(numbered)
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
            os.fsync(handle)
        except OSError:
            os.ftruncate(handle, self._size)
            raise
        finally:
            os.close(handle)
        self._size += len(data)
        self._line += len(numbered)

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
            self.rewrite()
            return "the journal was missing and was rebuilt from the database"
        valid_bytes, message, missing = self._compare()
        if valid_bytes < 0:
            self.path.replace(keep)
            self.rewrite()
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
        valid_bytes = self._line = 0
        is_sealed = False
        rows: Iterator[bytes] = (line_of(table, row) for table, row in rows_of(self._store))
        with self.path.open("rb") as stream:
            for number, found in enumerate(stream, 1):
                expected = next(rows, b"")
                if not found.endswith(b"\n"):  # an incomplete last line
                    rows = chain([expected] if expected else [], rows)
                    break
                is_sealed = is_sealed or found != expected
                if found != (sealed(expected, number) if is_sealed and expected else expected):
                    if more := count_missing(self.path, self._store):  # clients got a confirmation of these
                        raise self._newer(plural(more, "row"))
                    return -1, f"line {number} of the journal differs from the database", []
                valid_bytes += len(found)
                self._line = number
        missing = list(rows)
        message = f"the journal lacked {plural(len(missing), 'line')} and was completed" if missing else ""
        return valid_bytes, message, missing

    def verify(self) -> ExcerptError | None:
        """Raise an error if the database is damaged or lacks rows; return the first fault of the journal.

        Rows are stored before their lines, so the lines are read first: another process may be writing.
        """
        hint = REBUILD_HINT.format(self.path.parent)
        fault = None
        size = self.path.stat().st_size if self.path.exists() else 0
        with self._store.reading():
            if faults := self._store.faults():
                raise ExcerptError(f"is damaged: {faults[0]}", path=str(self._store.path), hint=hint)
            if self._is_same(size):
                return None
            rows = enumerate(rows_of(self._store), 1)
            for line in read_lines(self.path, size):
                if line.fault:
                    fault = fault or fault_of(self.path, line, CERTAIN_HINT.format(self.path.parent))
                    continue
                stored = next((row for number, row in rows if number == line.number), None)
                if stored is None:
                    raise self._newer("rows")
                if stored != (line.table, line.row):
                    message = f"differs from line {line.place} of {self.path.name}"
                    raise ExcerptError(message, path=str(self._store.path), hint=hint)
        return fault

    def _is_same(self, size: int) -> bool:
        """Return True if the first bytes of the journal are its lines by the database: the usual case."""
        with self.path.open("rb") if size else io.BytesIO() as stream:
            data = stream.read(size)
        return data == b"".join(islice(lines_of(self._store), data.count(b"\n")))

    def reject_newer_end(self) -> None:
        """Raise an error if the database lacks the last row, as after restoring an older backup."""
        try:
            row = _sealed_row(_last_line(self.path, self.path.stat().st_size)[1])[1]
        except OSError:  # the journal is missing
            return
        if row and row["table"] in LOG:  # rows are stored before lines, so read the line first
            stored = next(self._store.rows(row["table"], row["number"] - 1), None)
            if stored is None or {"table": row["table"], **stored} != row:
                raise self._newer("a last row")

    def _newer(self, rows: str) -> ExcerptError:
        hint = REBUILD_HINT.format(self.path.parent)
        return ExcerptError(f"has {rows} that the database lacks", path=str(self.path), hint=hint)

    def rewrite(self) -> None:
        try:
            with writing(self.path) as stream:
                for line in lines_of(self._store):
                    stream.write(line)
            self.path.chmod(0o600)
        except ExcerptError as error:
            raise NoRoom(error.message, path=str(self.path)) from None
        sync_folder(self.path.parent)
        self._size = -1  # examined at the next write


def count_missing(path: Path, store: Store) -> int:
    """Count the log rows of a journal that the database lacks; damaged lines are ignored."""
    stored = {(table, row["number"]): row for table, row in store.log()}
    lines = [line for line in read_lines(path) if line.table in LOG]
    return sum(stored.get((line.table, line.row["number"])) != line.row for line in lines)


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


#: Number of events after which a backup is made.
EVERY = 1_000
#: Number of backups that are kept; backups before a migration are never removed.
KEPT = 20
#: Name of a backup: the time, the number of the last row, and a counter.
_COPY = re.compile(r"judgments-(\d{8}T\d{6})-(\d+)(?:-(\d+))?\.sqlite")


def fresh_name(folder: Path, stem: str, suffix: str) -> Path:
    """Return an unused name in a folder, which is created if needed."""
    folder.mkdir(mode=0o700, exist_ok=True)
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
        for path in folder.glob(".judgments-*.tmp"):  # of killed processes; a backup takes less than an hour
            if path.stat().st_mtime < time.time() - 3600:
                path.unlink()
        try:
            temporary.touch(mode=0o600)
            store.copy_to(temporary)
            with temporary.open("rb+") as stream:
                os.fsync(stream.fileno())
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
        return back_up(store, self._folder / BACKUPS, stamp(self._clock()), why=why)

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
        if self._at_work is not None:
            self._at_work.join()


def newest_backup(folder: Path) -> tuple[int, str]:
    """Return the last number of the log in the newest backup, by its name, and the name; (0, "") if none."""
    found = (_COPY.fullmatch(path.name) for path in folder.glob("*.sqlite"))
    return max(((int(name[2]), name[0]) for name in found if name), default=(0, ""))


def _remove_old(folder: Path) -> None:
    """Keep the newest backups by the number of the last row: a clock may be set back, the log only grows."""
    files = ((_COPY.fullmatch(path.name), path) for path in folder.iterdir())
    copies = sorted((int(name[2]), name[1], int(name[3] or 0), path) for name, path in files if name)
    for *_, path in copies[:-KEPT]:
        with contextlib.suppress(OSError):
            path.unlink()
