"""Connections to the database of a campaign: to write or only to read, and what SQLite's errors mean."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from excerpt.assess.folder import AGAIN
from excerpt.assess.refusals import Busy, NoRoom
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
