"""The database of a campaign: all SQL, and its connections."""

from __future__ import annotations

import contextlib
import heapq
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any
from urllib.parse import quote

from excerpt.assess.folder import AGAIN, Busy, NoRoom, TooNew
from excerpt.errors import ExcerptError
from excerpt.files import describe

_SETTINGS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "recursive_triggers=ON")
_PATIENCE = 10.0  # seconds that a writer waits for another process
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_NOT_MADE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def may_write(path: Path) -> bool:
    """Whether a database can be written: beside it, SQLite makes files of its own."""
    return os.access(path.parent, os.W_OK) and (os.access(path, os.W_OK) or not path.exists())


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection that commits to the disk, or one that changes nothing at all."""
    if read_only:
        return _connect_to_read(path)
    connection = _connect(path)
    try:
        with refusing(path):
            for setting in _SETTINGS:
                connection.execute(f"PRAGMA {setting}")
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: Path | str) -> sqlite3.Connection:
    return sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=_PATIENCE, uri=isinstance(path, str)
    )


def database_version(path: Path) -> int:
    """The version of a database as its head says it; the file is not touched.

    SQLite is asked, nobody else: closing a file that a process opened beside it ends all locks of the process
    on it, and the next program that leaves would remove the log from under those who still write.
    """
    hint = AGAIN.format(path.parent)
    try:
        path.stat()
        with contextlib.closing(_connect(f"{_to_read(path)}&immutable=1")) as connection:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    except OSError as error:
        raise ExcerptError(f"cannot be read: {describe(error)}", path=str(path), hint=hint) from None
    except sqlite3.OperationalError as error:
        raise ExcerptError(f"cannot be read: {error}", path=str(path), hint=hint) from None
    except sqlite3.DatabaseError:
        version = 0
    if version < 1:
        message = "found something else, expected the database of a campaign"
        raise ExcerptError(message, path=str(path), hint=hint)
    return version


def _to_read(path: Path) -> str:
    return f"file:{quote(os.fsencode(path.absolute()))}?mode=ro"


def _connect_to_read(path: Path) -> sqlite3.Connection:
    address = _to_read(path)
    try:
        connection = _connect(address)
        try:
            connection.execute("PRAGMA schema_version").fetchone()
        except BaseException:
            connection.close()
            raise
    except sqlite3.OperationalError as error:
        if _code(error) not in _NOT_MADE or Path(f"{path}-wal").exists():
            raise
        # Where nobody writes, and we may not make the files that writers share, the file is all there is.
        connection = _connect(f"{address}&immutable=1")
    return connection


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


@contextlib.contextmanager
def refusing(path: Path) -> Iterator[None]:
    """A refusal where nothing can be written now; where something else is wrong the error stays as it is."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if _code(error) in {*_FULL, *_BUSY, sqlite3.SQLITE_READONLY}:
            raise explained(error, path) from None
        raise


def explained(error: sqlite3.Error, path: Path) -> ExcerptError:
    """An error of SQLite in one line, with what to do."""
    code, place = _code(error), str(path)
    if code in _BUSY:
        hint = "wait for it or close it, then try again; nothing was changed"
        return Busy("is being written by another program", path=place, hint=hint)
    if code in _FULL:
        return NoRoom(f"cannot be written: {error}", path=place)
    if code == sqlite3.SQLITE_READONLY:
        hint = "its folder may be read, not written; copy the folder, or ask its owner"
        return NoRoom(f"cannot be written: {error}", path=place, hint=hint)
    hint = AGAIN.format(path.parent) if code in _DAMAGED else ""
    return ExcerptError(f"cannot be read: {error}", path=place, hint=hint)


Row = dict[str, Any]
#: (topic, document, assessor)
Key = tuple[str, str, str]

#: Tables that are filled once, when a campaign is made, and those of the log; with their columns.
FIXED = {
    "meta": ("key", "value"),
    "topic": ("id", "place", "body"),
    "document": ("id", "sha256", "length", "title", "kind"),
    "item": ("topic", "document", "place", "stratum", "probability", "runs", "passages"),
    "suggestion": ("number", "topic", "document", "start", "end", "label", "model", "prompt"),
}
LOG = {
    "event": ("number", "id", "topic", "document", "assessor", "version", "base", "kind", "body", "at"),
    "trace": ("number", "topic", "document", "assessor", "kind", "seconds", "body", "at"),
    "person": ("number", "name", "change", "token", "at"),
}
TABLES = {**FIXED, **LOG}
#: Columns of derived states: who and what, what lists of documents show, and all of it.
STATE: tuple[str, ...] = ("topic", "document", "assessor", "version", "done", "relevant", "passages")
STATE += ("characters", "owed", "problems", "body")

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE topic (id TEXT PRIMARY KEY, place INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
CREATE TABLE document (
    id TEXT PRIMARY KEY, sha256 TEXT NOT NULL, length INTEGER NOT NULL, title TEXT NOT NULL,
    kind TEXT NOT NULL
) STRICT;
CREATE TABLE item (
    topic TEXT NOT NULL REFERENCES topic, document TEXT NOT NULL REFERENCES document,
    place INTEGER NOT NULL, stratum TEXT NOT NULL, probability TEXT NOT NULL,
    runs TEXT NOT NULL, passages TEXT NOT NULL, PRIMARY KEY (topic, document)
) STRICT;
CREATE TABLE suggestion (
    number INTEGER PRIMARY KEY, topic TEXT NOT NULL, document TEXT NOT NULL,
    start INTEGER NOT NULL, "end" INTEGER NOT NULL, label TEXT, model TEXT NOT NULL, prompt TEXT NOT NULL,
    FOREIGN KEY (topic, document) REFERENCES item
) STRICT;
CREATE TABLE event (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    topic TEXT NOT NULL, document TEXT NOT NULL, assessor TEXT NOT NULL,
    version INTEGER NOT NULL, base INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, at TEXT NOT NULL,
    UNIQUE (topic, document, assessor, version), CHECK (version = base + 1),
    FOREIGN KEY (topic, document) REFERENCES item
) STRICT;
CREATE TABLE trace (
    number INTEGER PRIMARY KEY, topic TEXT NOT NULL, document TEXT NOT NULL, assessor TEXT NOT NULL,
    kind TEXT NOT NULL, seconds REAL NOT NULL, body TEXT NOT NULL, at TEXT NOT NULL
) STRICT;
CREATE INDEX trace_by_pair ON trace (assessor, topic, document);
CREATE TABLE person (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, change TEXT NOT NULL, token TEXT NOT NULL,
    at TEXT NOT NULL
) STRICT;
CREATE TABLE state (
    topic TEXT NOT NULL, document TEXT NOT NULL, assessor TEXT NOT NULL, version INTEGER NOT NULL,
    done INTEGER NOT NULL, relevant INTEGER NOT NULL, passages INTEGER NOT NULL, characters INTEGER NOT NULL,
    owed INTEGER NOT NULL, problems INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (assessor, topic, document)
) STRICT
"""


def _first(connection: sqlite3.Connection) -> None:
    """Version 1: the tables, and what keeps them from being changed."""
    for statement in _SCHEMA.split(";"):
        connection.execute(statement)
    for table in TABLES:
        for change in ("UPDATE", "DELETE"):
            connection.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'what was written is not changed'); END"
            )


#: How a database of each version becomes one of the next.
MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_first,)


class Store:
    """One connection to the database of a campaign; whoever uses it from several threads takes turns."""

    def __init__(
        self,
        path: Path,
        *,
        before: Callable[[Store], None] | None = None,
        new: bool = False,
        read_only: bool = False,
    ) -> None:
        """Open a database and bring it up to date; `before` is called with an older one, to keep a copy.

        One that is only to be read, or that may not be written, stays as it is.
        """
        self.path = path
        self._refuse_newer(0 if new else database_version(path))
        self._connection = connect(path, read_only=read_only or not may_write(path))
        try:
            self._migrate(before)
        except BaseException:
            self.close()
            raise

    def _refuse_newer(self, version: int) -> None:
        if version > len(MIGRATIONS):
            raise TooNew(
                f"found a database of version {version}, expected at most {len(MIGRATIONS)}",
                path=str(self.path),
                hint="it was written by a newer excerpt; nothing was changed",
            )

    def _migrate(self, before: Callable[[Store], None] | None) -> None:
        version = int(self.setting("user_version"))  # the log may know better than the head of the file
        self._refuse_newer(version)
        if before and version < len(MIGRATIONS):
            before(self)
        for number in range(version, len(MIGRATIONS)):
            with self.writing():
                MIGRATIONS[number](self._connection)
                self._connection.execute(f"PRAGMA user_version={number + 1}")

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction: all of it is on disk afterwards, or nothing."""
        with refusing(self.path):
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # a full disk has ended it already
                    self._connection.execute("ROLLBACK")
                raise

    def stand_still(self) -> None:
        """See the database as it is now until the connection ends, whatever others write."""
        self._ask("BEGIN")
        self.last_number()  # a transaction sees what there is when it first reads

    def _ask(self, statement: str, *given: Any) -> sqlite3.Cursor:
        with refusing(self.path):
            return self._connection.execute(statement, given)

    def add(self, table: str, rows: Iterable[Row]) -> None:
        """Write rows of one table."""
        columns = TABLES[table]
        names, marks = ", ".join(f'"{name}"' for name in columns), ", ".join("?" * len(columns))
        self._connection.executemany(
            f"INSERT INTO {table} ({names}) VALUES ({marks})",  # noqa: S608 - names of our own tables
            ([row[name] for name in columns] for row in rows),
        )

    def rows(self, table: str, after: int = -1) -> Iterator[Row]:
        """The rows of a table in the order in which they were written, those of the log after a number."""
        return self._select(TABLES[table], f"{table} WHERE rowid > ? ORDER BY rowid", after)

    def _select(self, columns: Sequence[str], where: str, *given: Any) -> Iterator[Row]:
        names = ", ".join(f'"{name}"' for name in columns)
        cursor = self._ask(f"SELECT {names} FROM {where}", *given)  # noqa: S608 - names of our own tables
        return (dict(zip(columns, row, strict=True)) for row in cursor)

    def log(self, after: int = 0) -> Iterator[tuple[str, Row]]:
        """The rows of the log after a number, each with its table."""
        parts = (zip(repeat(table), self.rows(table, after), strict=False) for table in LOG)
        return heapq.merge(*parts, key=lambda part: part[1]["number"])

    def actions(self) -> Iterator[tuple[str, str, str, str, str]]:
        """Assessor, topic, document, moment and kind of every event and trace, in the order of the log."""
        wanted = "assessor, topic, document, at, kind, number"
        tables = (f"SELECT {wanted} FROM {table}" for table in ("event", "trace"))  # noqa: S608
        return (row[:5] for row in self._ask(f"{' UNION ALL '.join(tables)} ORDER BY number"))

    def first_shown(self, kind: str) -> dict[Key, int]:
        """Where something of a kind was shown, with the number of the first time."""
        asked = "SELECT topic, document, assessor, number FROM trace WHERE kind = ? ORDER BY number DESC"
        return {(topic, document, name): number for topic, document, name, number in self._ask(asked, kind)}

    def last_number(self) -> int:
        """The number of the last row of the log."""
        asked = (f"(SELECT ifnull(max(number), 0) FROM {table})" for table in LOG)  # noqa: S608
        return int(self._ask(f"SELECT max({', '.join(asked)})").fetchone()[0])

    def last_of(self, table: str) -> int:
        """The number of the last row of a table of the log."""
        return int(self._ask(f"SELECT ifnull(max(number), 0) FROM {table}").fetchone()[0])  # noqa: S608

    def count_events(self, after: int = 0) -> int:
        """How many events there are after a number."""
        return int(self._ask("SELECT count(*) FROM event WHERE number > ?", after).fetchone()[0])

    def event(self, identifier: str) -> Row | None:
        """An event by its id."""
        return next(self._select(LOG["event"], "event WHERE id = ?", identifier), None)

    def events(self, key: Key, until: int | None = None) -> list[Row]:
        """The events of an assessor on a document in order, up to a version."""
        wanted = "event WHERE topic = ? AND document = ? AND assessor = ? AND version <= ? ORDER BY version"
        return list(self._select(LOG["event"], wanted, *key, 2**62 if until is None else until))

    def version(self, key: Key) -> int:
        """The current version of a document for an assessor."""
        asked = "SELECT ifnull(max(version), 0) FROM event WHERE topic = ? AND document = ? AND assessor = ?"
        return int(self._ask(asked, *key).fetchone()[0])

    def judged_keys(self) -> list[Key]:
        """Every (topic, document, assessor) with an event, by the first one."""
        asked = "SELECT topic, document, assessor FROM event WHERE version = 1 ORDER BY number"
        return [(topic, document, assessor) for topic, document, assessor in self._ask(asked)]

    def put_state(self, row: Row) -> None:
        """Keep a derived state in place of the one before."""
        marks = ", ".join("?" * len(STATE))
        self._ask(f"INSERT OR REPLACE INTO state ({', '.join(STATE)}) VALUES ({marks})", *row.values())  # noqa: S608

    def clear_states(self) -> None:
        """Forget all that is derived."""
        self._ask("DELETE FROM state")

    def states(self, *, body: bool = False) -> Iterator[Row]:
        """Derived states, by assessor, topic and document."""
        return self._select(STATE if body else STATE[:-1], "state ORDER BY assessor, topic, document")

    def seconds(self, assessor: str) -> dict[tuple[str, str], float]:
        """How long an assessor has worked on each document."""
        asked = "SELECT topic, document, sum(seconds) FROM trace WHERE assessor = ? GROUP BY topic, document"
        return {(topic, document): total for topic, document, total in self._ask(asked, assessor) if total}

    def seconds_on(self, key: Key) -> float:
        """How long an assessor has worked on a document."""
        asked = "SELECT total(seconds) FROM trace WHERE topic = ? AND document = ? AND assessor = ?"
        return float(self._ask(asked, *key).fetchone()[0])

    def finished(self, assessor: str) -> dict[tuple[str, str], int]:
        """The documents that an assessor has finished at least once, with the number of the last time.

        Through the assessor's own states: no index of events begins with an assessor.
        """
        asked = (
            "SELECT topic, document, max(number) FROM state "
            "CROSS JOIN event USING (topic, document, assessor) "
            "WHERE assessor = ? AND kind = 'done' GROUP BY topic, document"
        )
        return {(topic, document): number for topic, document, number in self._ask(asked, assessor)}

    def copy_to(self, path: Path) -> None:
        """Write the whole database to a new file."""
        self._ask("VACUUM INTO CAST(? AS TEXT)", os.fsencode(path))  # a name need not be UTF-8

    def faults(self) -> list[str]:
        """What is wrong with the file; nothing as a rule."""
        found = [row[0] for row in self._ask("PRAGMA integrity_check") if row[0] != "ok"]
        return found + [
            f"a row of {row[0]} refers to none of {row[2]}" for row in self._ask("PRAGMA foreign_key_check")
        ]

    def setting(self, name: str) -> Any:
        """What a setting of the connection is: `synchronous`, `journal_mode`, …"""
        return self._ask(f"PRAGMA {name}").fetchone()[0]
