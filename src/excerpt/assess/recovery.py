"""Recovery of campaigns: the database rebuilt from the journal, all of it or what is certain."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from excerpt.assess.campaign import Campaign
from excerpt.assess.contents import COUNTED, read_meta
from excerpt.assess.creation import corpus_path
from excerpt.assess.events import check_text
from excerpt.assess.folder import (
    BACKUPS,
    CERTAIN_HINT,
    DATABASE,
    JOURNAL,
    SETTINGS,
    Busy,
    InvalidEvent,
    TooNew,
    WriteLock,
    folder_of,
    serving,
)
from excerpt.assess.journal import (
    Journal,
    JournalLine,
    fault_of,
    fresh_name,
    newest_backup,
    read_lines,
    rows_of,
)
from excerpt.assess.materials import DocumentRecord, Materials, open_corpus
from excerpt.assess.recorder import event_of, key_of, state_row
from excerpt.assess.settings import FREE, Settings, check_fixed, fixed_settings, read_settings, write_settings
from excerpt.assess.store import LOG, Row, StateKey, Store
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, plural, short, short_list
from excerpt.files import describe, sync_folder
from excerpt.notices import Notices


def rebuild(
    folder: str | os.PathLike[str],
    *,
    corpus: Corpus | str | os.PathLike[str] | None = None,
    as_far_as_possible: bool = False,
    notices: Notices | None = None,
) -> int:
    """Derive all states again, from the journal if the database is lost or older; return the event count.

    Every quote is compared with the text. A damaged journal is an error; with `as_far_as_possible` everything
    that is certain is rebuilt, and the notices list what is lost.
    """
    path = folder_of(folder, without_settings=as_far_as_possible)
    lost = Notices() if notices is None else notices
    opened = Corpus.read(corpus, **_corpus_options(path)) if isinstance(corpus, str | os.PathLike) else corpus
    with serving(path):
        with contextlib.closing(WriteLock(path)) as lock, lock.locked():  # `assess people` may write
            if as_far_as_possible:
                _restore_settings(path, corpus, lost)
                _rebuild_certain(path, opened, lost)
            else:
                for line in read_lines(path / JOURNAL):
                    if line.fault:
                        raise fault_of(path / JOURNAL, line, CERTAIN_HINT.format(path))
                if not _is_usable(path):
                    _rebuild_database(path, lambda store: _add_all(store, path / JOURNAL))
        with Campaign.open(path, corpus=opened) as campaign:
            if not as_far_as_possible:
                _check_quotes(campaign, lost)
            return derive_states(campaign)


def _corpus_options(folder: Path) -> dict[str, Any]:
    """How the files of the corpus are read, if the settings can be read."""
    try:
        return read_settings(folder).corpus_options
    except ExcerptError:
        return {}


def derive_states(campaign: Campaign) -> int:
    """Derive the state of every document from its events; return the number of events."""
    recorder = campaign.recorder
    with recorder.writing() as store:
        store.clear_states()
        for key in store.judged_keys():
            store.put_state(state_row(key, recorder.history_at(key, store.version(key)).state))
        return store.count_events()


def _cut_off(journal: Path, lines: Iterable[JournalLine]) -> str:
    """Return a sentence if a backup has rows after the end of the journal, else ""."""
    newest, name = newest_backup(journal.parent / BACKUPS)
    last = max((line.row["number"] for line in lines if line.table in LOG), default=0)
    rows = plural(newest - last, "row")
    return f"{rows} at the end of {JOURNAL}, which {BACKUPS}/{name} has" if newest > last else ""


def _check_quotes(campaign: Campaign, notices: Notices) -> None:
    """Compare every quote with its text again; raise an error for the first that differs."""
    if not campaign.has_corpus:
        notices.add("the documents are missing, so quotes were not compared with the text")
        return
    with campaign.recorder.reading() as store:
        for line, (table, row) in enumerate(rows_of(store), 1):
            if table == "event" and (fault := _fault_of(row, lambda name: campaign.material(name).text)):
                path, hint = campaign.folder / JOURNAL, CERTAIN_HINT.format(campaign.folder)
                raise ExcerptError(fault, path=str(path), line=line, hint=hint)


def _fault_of(row: Row, text_of: Callable[[str], str | None]) -> str:
    """Return what is wrong with an event, or ""; a quote is compared if the text of its document is known."""
    text = text_of(row["document"])
    try:
        event = event_of(row)
        if text is not None:
            check_text(event, text)
    except InvalidEvent as error:
        return error.message
    except (ValueError, TypeError, KeyError, AttributeError):
        return "the event cannot be read"
    return ""


def _rebuild_database(folder: Path, fill: Callable[[Store], None]) -> None:
    """Rebuild the database from the journal; the old one moves to the backups. States are not derived."""
    journal = folder / JOURNAL
    if not journal.is_file():
        hint = f"copies of the database may be in {BACKUPS}"
        raise ExcerptError("cannot be read: the journal is missing", path=str(journal), hint=hint)
    temporary = folder / f".{DATABASE}.{os.urandom(4).hex()}.tmp"
    try:
        with contextlib.closing(Store(temporary, new=True)) as store, store.writing():
            fill(store)
            hint = f"the journal was cut off; {CERTAIN_HINT.format(folder)}"
            read_meta(store, str(journal), hint)
        _move_away(folder)
        temporary.replace(folder / DATABASE)
        sync_folder(folder)
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=str(folder)) from None
    finally:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{temporary}{suffix}").unlink(missing_ok=True)


def _add_all(store: Store, journal: Path) -> None:
    lines, hint = list(read_lines(journal)), CERTAIN_HINT.format(journal.parent)
    for line in lines:
        if fault := _add(store, line):
            raise ExcerptError(fault, path=str(journal), line=line.place, hint=hint)
    if missing := _cut_off(journal, lines):
        raise ExcerptError(f"lacks {missing}", path=str(journal), hint=hint)


def _add(store: Store, line: JournalLine) -> str:
    """Add a row; return what is wrong with it, or ""."""
    try:
        store.add(line.table, [line.row])
    except (sqlite3.Error, OverflowError, UnicodeEncodeError) as error:
        is_orphan = "FOREIGN KEY" in str(error)
        return f"its {'topic or document is lost' if is_orphan else f'row is invalid ({error})'}"
    return ""


def _is_usable(folder: Path) -> bool:
    """Return True if the database can be opened, has no faults, and has every row of the journal."""
    path = folder / DATABASE
    if not path.exists():
        return False
    try:
        with contextlib.closing(Store(path)) as store:
            Journal(folder / JOURNAL, store).verify()
            read_meta(store, str(path), "")
    except (TooNew, Busy):
        raise
    except (sqlite3.Error, ExcerptError, ValueError, TypeError, AttributeError, KeyError):
        return False
    return True


def _restore_settings(folder: Path, corpus: object, lost: Notices) -> None:
    """Write a damaged campaign.toml again, with the settings that must not change from the journal."""
    rows = (line.row for line in read_lines(folder / JOURNAL) if line.table == "meta")
    stored = next((row["value"] for row in rows if row["key"] == "settings"), None)
    paths = corpus_path(corpus)
    free: dict[str, Any] = {"title": folder.resolve().name, "corpus": paths, "corpus_made": paths}
    words = "title, host, port, names, url" + ("" if paths else ", path of the documents")
    try:
        settings = read_settings(folder)
        free, words = {name: getattr(settings, name) for name in FREE - {"version"}}, "nothing"
        if stored:
            check_fixed(settings, stored, "")
    except ExcerptError as error:
        if stored is None:
            raise
        fixed: dict[str, Any] = {"version": 1, **json.loads(stored)}
        settings = Settings(**{**fixed, "labels": tuple(fixed["labels"]), **free})
        keep = fresh_name(folder / BACKUPS, "campaign-damaged", ".toml")
        kept = ""
        if (folder / SETTINGS).exists():
            (folder / SETTINGS).replace(keep)
            kept = f"; the old file is {BACKUPS}/{keep.name}"
        write_settings(folder, settings)
        lost.add(f"{words} ({SETTINGS}: {error.message}{kept})")


def _rebuild_certain(folder: Path, corpus: Corpus | None, lost: Notices) -> None:
    """Rebuild database and journal from the rows that are certain, and list the others."""
    journal, settings = folder / JOURNAL, read_settings(folder)
    lines = list(read_lines(journal))
    faulty = [line for line in lines if line.fault]
    usable = _is_usable(folder)
    if usable:
        with contextlib.closing(Store(folder / DATABASE)) as store:
            lines = [JournalLine(at, at, table, row) for at, (table, row) in enumerate(rows_of(store), 1)]
    texts = _Texts(folder, settings, corpus, lines)
    if not usable or any(_fault_of(line.row, texts.of) for line in lines if line.table == "event"):
        for line in lines:
            if line.fault:
                lost.add(f"{JOURNAL}:{line.place}: {line.fault}{_words(line.row)}")
        if missing := _cut_off(folder / JOURNAL, lines):
            lost.add(missing)
        _rebuild_database(folder, lambda store: _add_certain(store, lines, settings, texts, lost))
    elif faulty:
        lost.add(f"nothing: {JOURNAL} is damaged, but the database has all rows")
    else:
        return
    shutil.copy2(journal, fresh_name(folder / BACKUPS, f"journal-damaged-{_moment()}", ".jsonl"))
    with contextlib.closing(Store(folder / DATABASE)) as store:
        Journal(journal, store).rewrite()


def _words(row: Row) -> str:
    """Say what can still be read of a damaged line."""
    names = {"assessor": "of", "name": "of", "topic": "on topic"}
    names |= {name: name for name in ("document", "kind", "at")}
    found = [f"{word} {short(row[name])}" for name, word in names.items() if isinstance(row.get(name), str)]
    return f" ({' '.join([short(str(row.get('table', 'row'))), *found])})" if found else ""


def _add_certain(
    store: Store, lines: list[JournalLine], settings: Settings, texts: _Texts, lost: Notices
) -> None:
    """Add the rows that are certain: events without a lost action or a wrong quote before them."""
    meta = {line.row["key"]: line.row["value"] for line in lines if line.table == "meta"}
    if "inputs" not in meta:
        lost.add("the list of the runs that the pool was built from")
    versions: Counter[StateKey] = Counter()
    left_out: Counter[StateKey] = Counter()
    rows: Counter[str] = Counter()
    for line in lines:
        if line.fault or line.table == "meta":
            continue
        key = key_of(line.row) if line.table == "event" else ("", "", "")
        is_next = line.table != "event" or (not left_out[key] and line.row["version"] == versions[key] + 1)
        fault = is_next and ((line.table == "event" and _fault_of(line.row, texts.of)) or _add(store, line))
        if fault:
            lost.add(f"{JOURNAL}:{line.place}: {fault}{_words(line.row)}")
        if line.table == "event" and (fault or not is_next):
            left_out[key] += 1
        elif not fault:
            versions[key] += 1
            rows[line.table] += 1
    for (topic, document, name), count in left_out.items():
        actions = f"{plural(count, 'action')} of {short(name)} on document {short(document)}"
        lost.add(f"{actions} of topic {short(topic)}: actions before are lost or wrong")
    if texts.unknown:
        lost.add(f"quotes were not compared with the text of {short_list(sorted(texts.unknown))}")
    _list_missing(rows, json.loads(meta.get("rows", "{}")), lost)
    counts = {table: rows[table] for table in COUNTED}
    meta = {"inputs": "[]", **meta, "settings": fixed_settings(settings), "rows": json.dumps(counts)}
    store.add("meta", [{"key": key, "value": value} for key, value in meta.items()])


def _list_missing(rows: Counter[str], created: dict[str, int], lost: Notices) -> None:
    """List the contents of the campaign that are fewer than when it was created."""
    if not rows["item"]:
        lost.add("all judgments: no document of the pool is left")
    for table, count in created.items():
        if rows[table] < count:
            noun = "documents in the pool of a topic" if table == "item" else f"{table}s"
            lost.add(f"{count - rows[table]} of {count} {noun}")


class _Texts:
    """Texts of documents whose hashes are right; the names of the others are in `unknown`."""

    def __init__(
        self, folder: Path, settings: Settings, corpus: Corpus | None, lines: list[JournalLine]
    ) -> None:
        changes = (line.row for line in lines if line.table == "change" and line.row["kind"] == "document")
        added = (json.loads(row["body"]) for row in changes)
        rows = chain((line.row for line in lines if line.table == "document"), added)
        self._records = {row["id"]: DocumentRecord(row["sha256"], row["length"]) for row in rows}
        self._materials: Materials | None = None
        self.unknown: set[str] = set()
        with contextlib.suppress(ExcerptError):
            opened = open_corpus(folder, settings) if corpus is None else corpus
            self._materials = Materials(opened, self._records)

    def of(self, document: str) -> str | None:
        try:
            if self._materials:
                return self._materials.get(document).text
        except (ExcerptError, KeyError):
            pass
        self.unknown.add(document)
        return None


def _move_away(folder: Path) -> None:
    """Move a damaged database with its log to the backups."""
    moment = _moment()
    for suffix in ("", "-wal", "-shm"):
        old = Path(f"{folder / DATABASE}{suffix}")
        if old.exists():
            old.replace(fresh_name(folder / BACKUPS, f"damaged-{moment}", f".sqlite{suffix}"))


def _moment() -> str:
    """The current time, in the form that names of backups have."""
    return time.strftime("%Y%m%dT%H%M%S", time.gmtime())
