"""Making again what can be made again: states from the log, the whole database from the journal."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from pathlib import Path

from excerpt.assess.backups import fresh_name
from excerpt.assess.campaign import Campaign
from excerpt.assess.contents import read_meta
from excerpt.assess.folder import (
    BACKUPS,
    DATABASE,
    JOURNAL,
    WriteLock,
    check_local,
    folder_of,
    serving,
    sync_folder,
)
from excerpt.assess.journal import count_lacking, read_lines
from excerpt.assess.recording import state_row
from excerpt.assess.refusals import Busy, TooNew
from excerpt.assess.store import TABLES, Row, Store
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, short
from excerpt.files import describe


def rebuild(folder: str | os.PathLike[str], *, corpus: Corpus | str | os.PathLike[str] | None = None) -> int:
    """Derive all states again; from the journal where the database is lost or older. How many events."""
    path = folder_of(folder)
    check_local(path)
    with serving(path):
        with contextlib.closing(WriteLock(path)) as lock, lock.held():  # `people` may be at work
            if not _is_usable(path / DATABASE, path / JOURNAL):
                rebuild_from_journal(path)
        with Campaign.open(path, corpus=corpus) as campaign:
            return derive_states(campaign)


def derive_states(campaign: Campaign) -> int:
    """Fold every history again and keep what it comes to; how many events there are."""
    recorder = campaign.recorder
    with recorder.writing() as store:
        store.clear_states()
        for key in store.judged_keys():
            store.put_state(state_row(key, recorder.history_at(key, store.version(key)).state))
        return store.count_events()


def rebuild_from_journal(folder: Path) -> None:
    """Make the database again, line by line; what was there goes to the backups. States are not derived."""
    journal = folder / JOURNAL
    if not journal.is_file():
        hint = f"copies of the database may be in {BACKUPS}"
        raise ExcerptError("cannot be read: there is no journal", path=str(journal), hint=hint)
    temporary = folder / f".{DATABASE}.{os.urandom(4).hex()}.tmp"
    try:
        with contextlib.closing(Store(temporary, new=True)) as store, store.writing():
            for table, row in read_lines(journal):
                _add(store, table, row, folder)
            read_meta(store, str(journal), "it was cut off; nothing was changed")
        _move_away(folder)
        temporary.replace(folder / DATABASE)
        sync_folder(folder)
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=str(folder)) from None
    finally:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{temporary}{suffix}").unlink(missing_ok=True)


def _add(store: Store, table: str, row: Row, folder: Path) -> None:
    place = str(folder / JOURNAL)
    if table not in TABLES or set(row) != set(TABLES[table]):
        raise ExcerptError(f"found a row of {short(str(table))} with other columns than it has", path=place)
    try:
        store.add(table, [row])
    except sqlite3.Error as error:
        raise ExcerptError(f"found a row of {table} that does not fit: {error}", path=place) from None


def _is_usable(path: Path, journal: Path) -> bool:
    """Whether a database can be opened, is whole, and has all that the journal has."""
    if not path.exists():
        return False
    try:
        with contextlib.closing(Store(path)) as store:
            read_meta(store, str(path), "")
            return not store.faults() and not (journal.exists() and count_lacking(journal, store))
    except sqlite3.DatabaseError:
        return False
    except (TooNew, Busy):
        raise
    except ExcerptError:
        return False


def _move_away(folder: Path) -> None:
    """Put a database that is of no use any more, with its log, among the backups."""
    moment = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    for suffix in ("", "-wal", "-shm"):
        old = Path(f"{folder / DATABASE}{suffix}")
        if old.exists():
            old.replace(fresh_name(folder / BACKUPS, f"damaged-{moment}", f".sqlite{suffix}"))
