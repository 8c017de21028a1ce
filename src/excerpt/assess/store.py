"""The SQLite database of a campaign: schema, connections, queries."""

from __future__ import annotations

import contextlib
import heapq
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any
from urllib.parse import quote

from excerpt.assess.folder import REBUILD_HINT, Busy, NoRoom, TooNew
from excerpt.errors import ExcerptError
from excerpt.files import describe

_SETTINGS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "recursive_triggers=ON")
_PATIENCE = 10.0  # seconds to wait for another process that writes
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_NOT_MADE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_PAUSES = (0.05, 0.2, 0.0)  # seconds after each look at a header
#: A version that only a damaged header has.
_UNLIKELY = 1000


def may_write(path: Path) -> bool:
    """Return True if a database can be written; SQLite also creates files next to it."""
    return os.access(path.parent, os.W_OK) and (os.access(path, os.W_OK) or not path.exists())


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a connection that commits to disk, or a read-only one."""
    if read_only:
        return _connect_to_read(path)
    connection = _connect(path)
    try:
        with explaining(path):
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
    """Return the version in the header of a database, without changing the file.

    The file is opened through SQLite only: closing any other handle ends all locks of the process on the
    file, and another program could then remove the log while this one writes.
    """
    for pause in _PAUSES:  # what a server writes at this moment may be seen in part
        version = _header_version(path)
        if 0 < version < _UNLIKELY:
            return version
        time.sleep(pause)
    message = "not the database of a campaign"
    raise ExcerptError(message, path=str(path), hint=REBUILD_HINT.format(path.parent))


def _header_version(path: Path) -> int:
    """Return the version in the header; 0 if it is damaged."""
    hint = REBUILD_HINT.format(path.parent)
    try:
        path.stat()
        with contextlib.closing(_connect(f"{_read_address(path)}&immutable=1")) as connection:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])
    except OSError as error:
        raise ExcerptError(f"cannot be read: {describe(error)}", path=str(path), hint=hint) from None
    except sqlite3.OperationalError as error:
        raise ExcerptError(f"cannot be read: {error}", path=str(path), hint=hint) from None
    except sqlite3.DatabaseError:
        return 0


def _read_address(path: Path) -> str:
    return f"file:{quote(os.fsencode(path.absolute()))}?mode=ro"


def _connect_to_read(path: Path) -> sqlite3.Connection:
    address = _read_address(path)
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
        # No process writes, and the shared files cannot be created: the file itself has all data.
        connection = _connect(f"{address}&immutable=1")
    return connection


def _code(error: Exception) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


@contextlib.contextmanager
def explaining(path: Path) -> Iterator[None]:
    """Convert errors of the file (full, busy, read-only, damaged) into `ExcerptError`; others stay."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if _code(error) in {*_FULL, *_BUSY, *_NOT_MADE, *_DAMAGED}:
            raise explained(error, path) from None
        raise


def explained(error: Exception, path: Path) -> ExcerptError:
    """Convert an error of SQLite into a message of one line, with a hint."""
    code, name = _code(error), str(path)
    if code in _BUSY:
        hint = "wait for that program or close it, then try again; nothing was changed"
        return Busy("is being written by another program", path=name, hint=hint)
    if code in _FULL:
        return NoRoom(f"cannot be written: {error}", path=name)
    if code == sqlite3.SQLITE_READONLY:
        hint = "the folder is read-only; copy it, or ask its owner"
        return NoRoom(f"cannot be written: {error}", path=name, hint=hint)
    return ExcerptError(f"cannot be read: {error}", path=name, hint=REBUILD_HINT.format(path.parent))


#: Errors of a damaged database; SQLite also quotes bytes of it in its messages.
DAMAGE = (sqlite3.Error, UnicodeDecodeError)
Row = dict[str, Any]
#: (topic, document, assessor)
StateKey = tuple[str, str, str]

#: Columns of the tables that are filled when a campaign is created or extended, and of the log.
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
    "change": ("number", "kind", "body", "at"),
}
#: Kinds of changes: a table of assignments, a further pool, and the rows of that pool by table.
ASSIGNED, POOL, ADDED = "assignment", "pool", ("topic", "document", "item")
TABLES = {**FIXED, **LOG}
#: Columns of derived states: key, summary for lists of documents, and the whole state.
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
    """Version 1: the tables, and triggers that keep rows from being changed."""
    for statement in _SCHEMA.split(";"):
        connection.execute(statement)
    for table in TABLES:
        if table != "change":
            _keep_rows(connection, table)


#: Changes by the organiser while the campaign runs.
_CHANGES = """CREATE TABLE change (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL, at TEXT NOT NULL
) STRICT"""


def _second(connection: sqlite3.Connection) -> None:
    """Version 2: the table of changes."""
    connection.execute(_CHANGES)
    connection.execute("CREATE INDEX change_by_kind ON change (kind)")
    _keep_rows(connection, "change")


def _keep_rows(connection: sqlite3.Connection, table: str) -> None:
    for change in ("UPDATE", "DELETE"):
        connection.execute(
            f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
            "BEGIN SELECT RAISE(ABORT, 'what was written is not changed'); END"
        )


def _schema_of(connection: sqlite3.Connection) -> list[tuple[str, list[str]]]:
    """Return the definitions of tables, indexes and triggers as words, since older lines end elsewhere."""
    query = "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' ORDER BY name"
    return [(name, (sql or "").split()) for name, sql in connection.execute(query)]


#: Migrations of a database from each version to the next.
MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_first, _second)


class Store:
    """A connection to the database of a campaign; threads must take turns."""

    def __init__(
        self,
        path: Path,
        *,
        before: Callable[[Store], object] | None = None,
        new: bool = False,
        read_only: bool = False,
    ) -> None:
        """Open a database and migrate it; `before` is called with an older one first, to make a backup.

        A read-only database is not migrated.
        """
        self.path = path
        self._reject_newer(0 if new else database_version(path))
        read_only = read_only or not may_write(path)
        self._connection = connect(path, read_only=read_only)
        try:
            self._migrate(before, read_only=read_only)
        except BaseException:
            self.close()
            raise

    def _reject_newer(self, version: int) -> None:
        if version > len(MIGRATIONS):
            message = f"found a database of version {version}, expected at most {len(MIGRATIONS)}"
            hint = "a newer version of excerpt wrote it; nothing was changed"
            raise TooNew(message, path=str(self.path), hint=hint)

    def _migrate(self, before: Callable[[Store], object] | None, *, read_only: bool) -> None:
        version = int(self.setting("user_version"))  # the log may be newer than the header of the file
        self._reject_newer(version)
        if version == 1:  # until it is migrated, it has no changes
            self._query(_CHANGES.replace("TABLE", "TEMP TABLE"))
        if read_only:
            return
        if before and version < len(MIGRATIONS):
            before(self)
        self._query("DROP TABLE IF EXISTS temp.change")
        for number in range(version, len(MIGRATIONS)):
            with self.writing():
                MIGRATIONS[number](self._connection)
                self._connection.execute(f"PRAGMA user_version={number + 1}")

    def close(self) -> None:
        self._connection.close()

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction: afterwards all of it is on disk, or none."""
        with explaining(self.path):
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # a full disk may have ended it
                    self._connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """A transaction that reads: the data is that of one moment."""
        self.begin_snapshot()
        try:
            yield
        finally:
            self._query("ROLLBACK")

    def begin_snapshot(self) -> None:
        """Read the database as it is now until the connection is closed."""
        self._query("BEGIN")
        self.last_number()  # a transaction sees the data of its first read

    def _query(self, statement: str, *values: Any) -> sqlite3.Cursor:
        with explaining(self.path):
            return self._connection.execute(statement, values)

    def _number(self, query: str, *values: Any) -> int:
        return int(self._query(query, *values).fetchone()[0])

    def add(self, table: str, rows: Iterable[Row]) -> None:
        """Add rows to a table; those that extend the pool also to their own tables."""
        columns = TABLES[table]
        if table == "change":
            rows = list(rows)
            for kind in ADDED:
                self.add(kind, (json.loads(row["body"]) for row in rows if row["kind"] == kind))
        names, marks = ", ".join(f'"{name}"' for name in columns), ", ".join("?" * len(columns))
        self._connection.executemany(
            f"INSERT INTO {table} ({names}) VALUES ({marks})",  # noqa: S608 - names of our own tables
            ([row[name] for name in columns] for row in rows),
        )

    def rows(self, table: str, after: int = -1) -> Iterator[Row]:
        """Return the rows of a table in the order of writing; of the log, those after a number."""
        return self._select(TABLES[table], f"{table} WHERE rowid > ? ORDER BY rowid", after)

    def created(self, table: str) -> Iterator[Row]:
        """Return the rows of a table from the creation of the campaign."""
        return self._select(TABLES[table], f"{table} ORDER BY rowid LIMIT ?", self.count_created(table))

    def count_created(self, table: str) -> int:
        """Count the rows of a table from the creation of the campaign."""
        query = f"SELECT count(*) - (SELECT count(*) FROM change WHERE kind = ?) FROM {table}"  # noqa: S608
        return self._number(query, table)

    def changes(self, kind: str) -> list[Row]:
        return list(self._select(LOG["change"], "change WHERE kind = ? ORDER BY number", kind))

    def last_change(self, kind: str) -> int:
        return self._number("SELECT ifnull(max(number), 0) FROM change WHERE kind = ?", kind)

    def _select(self, columns: Sequence[str], where: str, *values: Any) -> Iterator[Row]:
        names = ", ".join(f'"{name}"' for name in columns)
        cursor = self._query(f"SELECT {names} FROM {where}", *values)  # noqa: S608 - names of our own tables
        return (dict(zip(columns, row, strict=True)) for row in cursor)

    def log(self, after: int = 0) -> Iterator[tuple[str, Row]]:
        """Return the rows of the log after a number, each with its table."""
        parts = (zip(repeat(table), self.rows(table, after), strict=False) for table in LOG)
        return heapq.merge(*parts, key=lambda part: part[1]["number"])

    def actions(self) -> Iterator[tuple[str, str, str, str, str]]:
        """Return assessor, topic, document, time and kind of every event and trace, in order."""
        columns = "assessor, topic, document, at, kind, number"
        tables = (f"SELECT {columns} FROM {table}" for table in ("event", "trace"))  # noqa: S608
        return (row[:5] for row in self._query(f"{' UNION ALL '.join(tables)} ORDER BY number"))

    def first_shown(self, kind: str) -> dict[StateKey, int]:
        """Return the keys with a trace of a kind, with the number of the first one."""
        query = "SELECT topic, document, assessor, number FROM trace WHERE kind = ? ORDER BY number DESC"
        return {(topic, document, name): number for topic, document, name, number in self._query(query, kind)}

    def last_number(self) -> int:
        """Return the number of the last row of the log."""
        queries = (f"(SELECT ifnull(max(number), 0) FROM {table})" for table in LOG)  # noqa: S608
        return self._number(f"SELECT max({', '.join(queries)})")

    def last_of(self, table: str) -> int:
        """Return the number of the last row of a table of the log."""
        return self._number(f"SELECT ifnull(max(number), 0) FROM {table}")  # noqa: S608

    def count_events(self, after: int = 0) -> int:
        return self._number("SELECT count(*) FROM event WHERE number > ?", after)

    def event(self, identifier: str) -> Row | None:
        return next(self._select(LOG["event"], "event WHERE id = ?", identifier), None)

    def events(self, key: StateKey, until: int | None = None) -> list[Row]:
        """Return the events of an assessor on a document in order, up to a version."""
        query = "event WHERE topic = ? AND document = ? AND assessor = ? AND version <= ? ORDER BY version"
        return list(self._select(LOG["event"], query, *key, 2**62 if until is None else until))

    def version(self, key: StateKey) -> int:
        """Return the current version of a document for an assessor."""
        query = "SELECT ifnull(max(version), 0) FROM event WHERE topic = ? AND document = ? AND assessor = ?"
        return self._number(query, *key)

    def judged_versions(self, pair: tuple[str, str]) -> dict[str, int]:
        """Return the version at which the judgment of each assessor was last changed."""
        where = "kind NOT IN ('note', 'reject') AND topic = ? AND document = ? GROUP BY assessor"
        return dict(self._query(f"SELECT assessor, max(version) FROM event WHERE {where}", *pair))  # noqa: S608

    def judged_keys(self) -> list[StateKey]:
        """Return every (topic, document, assessor) with an event, in the order of the first events."""
        query = "SELECT topic, document, assessor FROM event WHERE version = 1 ORDER BY number"
        return [(topic, document, assessor) for topic, document, assessor in self._query(query)]

    def put_state(self, row: Row) -> None:
        """Store a derived state and replace the one before."""
        marks = ", ".join("?" * len(STATE))
        self._query(f"INSERT OR REPLACE INTO state ({', '.join(STATE)}) VALUES ({marks})", *row.values())  # noqa: S608

    def clear_states(self) -> None:
        self._query("DELETE FROM state")

    def states(self, *, body: bool = False) -> Iterator[Row]:
        """Return derived states, by assessor, topic and document."""
        return self._select(STATE if body else STATE[:-1], "state ORDER BY assessor, topic, document")

    def seconds(self, assessor: str) -> dict[tuple[str, str], float]:
        """Return the seconds that an assessor has worked on each document."""
        query = "SELECT topic, document, sum(seconds) FROM trace WHERE assessor = ? GROUP BY topic, document"
        return {(topic, document): total for topic, document, total in self._query(query, assessor) if total}

    def seconds_on(self, key: StateKey) -> float:
        query = "SELECT total(seconds) FROM trace WHERE topic = ? AND document = ? AND assessor = ?"
        return float(self._query(query, *key).fetchone()[0])

    def finished(self, assessor: str) -> dict[tuple[str, str], int]:
        """Return the documents that an assessor finished at least once, with the number of the last event.

        The query starts at the assessor's states, since no index of events begins with an assessor.
        """
        query = (
            "SELECT topic, document, max(number) FROM state "
            "CROSS JOIN event USING (topic, document, assessor) "
            "WHERE assessor = ? AND kind = 'done' GROUP BY topic, document"
        )
        return {(topic, document): number for topic, document, number in self._query(query, assessor)}

    def copy_to(self, path: Path) -> None:
        """Copy the database to a new or an empty file."""
        self._query("VACUUM INTO CAST(? AS TEXT)", os.fsencode(path))  # a file name need not be UTF-8

    def faults(self) -> list[str]:
        faults = [row[0] for row in self._query("PRAGMA integrity_check") if row[0] != "ok"]
        with contextlib.closing(sqlite3.connect(":memory:")) as sound:
            for migrate in MIGRATIONS[: int(self.setting("user_version"))]:
                migrate(sound)
            if _schema_of(sound) != _schema_of(self._connection):
                faults.append("its tables are not those of a campaign")
        broken = ((row[0], row[2]) for row in self._query("PRAGMA foreign_key_check"))
        return faults + [f"a row of {table} refers to a missing row of {other}" for table, other in broken]

    def setting(self, name: str) -> Any:
        """Return the value of a setting of the connection: `synchronous`, `journal_mode`, …"""
        return self._query(f"PRAGMA {name}").fetchone()[0]
