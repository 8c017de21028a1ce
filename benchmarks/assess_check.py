"""Check that the folder of a campaign contains every acknowledged event exactly once.

    python benchmarks/assess_check.py FOLDER NOTES…

Uses neither the server nor the clients: it reads the SQLite database and the journal directly, from a copy,
so that the check changes nothing. NOTES are lines of JSON, one per acknowledged event.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

DATABASE, JOURNAL = "judgments.sqlite", "journal.jsonl"
NOTED = ("id", "topic", "document", "assessor", "version", "kind")
_ROW = ("number", "id", "topic", "document", "assessor", "version", "base", "kind", "body", "at")


def main() -> None:
    """Print the faults; exit with status 1 if there are any."""
    folder, *files = map(Path, sys.argv[1:])
    noted = read_notes(files)
    faults = check(folder, noted)
    print("\n".join(faults) or f"{len(noted)} acknowledged events, each kept once")
    raise SystemExit(bool(faults))


def read_notes(files: Iterable[Path]) -> list[dict[str, Any]]:
    """Read the acknowledged events; a last line that is cut off does not count."""
    lines = (line for path in files for line in path.read_text(encoding="utf-8").splitlines(keepends=True))
    return [json.loads(line) for line in lines if line.endswith("\n")]


def check(folder: Path, noted: Sequence[dict[str, Any]], *, killed: bool = False) -> list[str]:
    """List the faults; after a kill the journal may lack its end, but no acknowledged event."""
    with tempfile.TemporaryDirectory() as copy:
        for path in folder.glob(f"{DATABASE}*"):
            if not path.name.endswith("-shm"):
                shutil.copy(path, copy)
        database = sqlite3.connect(Path(copy) / DATABASE)
        with contextlib.closing(database):
            damaged = [str(row[0]) for row in database.execute("PRAGMA integrity_check") if row[0] != "ok"]
            damaged += [f"no such {row[2]}" for row in database.execute("PRAGMA foreign_key_check")]
            query = f"SELECT {', '.join(_ROW)} FROM event ORDER BY number"  # noqa: S608 - constant names
            rows = [dict(zip(_ROW, row, strict=True)) for row in database.execute(query)]
            query = "SELECT number, kind, body FROM change ORDER BY number"
            changes = list(database.execute(query))
    journal, cut = read_journal(folder / JOURNAL)
    if cut and not killed:
        damaged.append("the last line of the journal is cut off")
    return (
        [f"database: {fault}" for fault in damaged]
        + _missing("database", rows, noted)
        + _missing("journal", journal, noted)
        + _versions(rows)
        + _same(rows, journal, killed=killed)
        + _changes(changes, folder / JOURNAL, killed=killed)
    )


def _changes(stored: list[tuple[int, str, str]], journal: Path, *, killed: bool) -> list[str]:
    """Faults in the changes of the organiser; after a kill the journal may lack the last ones."""
    lines = (line for line in journal.read_bytes().splitlines(keepends=True) if line.endswith(b"\n"))
    rows = [row for row in map(json.loads, lines) if row["table"] == "change"]
    written = [(row["number"], row["kind"], row["body"]) for row in rows]
    same = stored[: len(written)] == written if killed else stored == written
    return [] if same else ["the changes of the organiser differ in database and journal"]


def read_journal(path: Path) -> tuple[list[dict[str, Any]], bool]:
    """Read the events of a journal in order; also return whether its last line is cut off."""
    events, cut = [], False
    with path.open("rb") as stream:
        for line in stream:
            if not line.endswith(b"\n"):
                cut = True
                break
            row = json.loads(line)
            if row["table"] == "event":
                events.append({name: row[name] for name in _ROW})
    return events, cut


def _missing(where: str, rows: Sequence[dict[str, Any]], noted: Sequence[dict[str, Any]]) -> list[str]:
    """Acknowledged events that are missing, repeated or changed."""
    times = Counter(row["id"] for row in rows)
    kept = {row["id"]: row for row in rows}
    faults = [f"{where}: {name} occurs {count} times" for name, count in times.items() if count > 1]
    for note in noted:
        row = kept.get(note["id"])
        if row is None:
            faults.append(f"{where}: {note['id']} was acknowledged and is lost")
        elif any(row[name] != note[name] for name in NOTED):
            faults.append(f"{where}: {note['id']} differs from what was acknowledged")
    return faults


def _versions(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Faults in versions, which count from 1 by topic, document and assessor."""
    by_state: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for row in rows:
        by_state[row["topic"], row["document"], row["assessor"]].append(row["version"])
    return [
        f"database: versions of {key} do not count from 1"
        for key, versions in by_state.items()
        if versions != list(range(1, len(versions) + 1))
    ]


def _same(rows: Sequence[dict[str, Any]], journal: Sequence[dict[str, Any]], *, killed: bool) -> list[str]:
    """Differences between journal and database; after a kill the journal may be shorter."""
    expected = rows[: len(journal)] if killed else rows
    if list(journal) == list(expected):
        return []
    return [f"journal: {len(journal)} events, not those of the database ({len(rows)})"]


if __name__ == "__main__":
    main()
