"""Tests of a killed server: no acknowledged event is lost."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from assess_check import DATABASE, JOURNAL, check, read_notes
from assess_kill import kill_often


@pytest.mark.slow
def test_acknowledged_events_survive_kill_9(tmp_path: Path) -> None:
    """Four assessors and an adjudicator, three kills, a full disk and a clock that is set back.

    `benchmarks/assess_kill.py` does the same fifty times. A kill proves the order of writing, not that the
    disk has it; that the database waits for the disk is a test of its own.
    """
    found = kill_often(tmp_path, kills=3, events=120, assessors=4, seed=1)
    assert found["faults"] == []
    assert found["acknowledged"] >= 120
    assert found["decisions"] > 0
    assert set(found["answers other than 200, 409, 422"]) <= {"507"}
    _losses_are_found(tmp_path)


def _losses_are_found(place: Path) -> None:
    """The check detects a lost row, a lost line, and both."""
    noted = read_notes([place / "notes.jsonl"])
    folder = place / "campaign"
    spoilt = place / "spoilt"
    shutil.copytree(folder, spoilt)
    lines = (spoilt / JOURNAL).read_bytes().splitlines(keepends=True)
    (spoilt / JOURNAL).write_bytes(b"".join(lines[:-1]))
    assert json.loads(lines[-1])["table"] == "event"
    assert check(spoilt, noted) != []
    with sqlite3.connect(spoilt / DATABASE) as database:
        database.execute("DROP TRIGGER event_no_delete")
        database.execute("DELETE FROM event WHERE number = (SELECT max(number) FROM event)")
    database.close()
    assert any("was acknowledged and is lost" in fault for fault in check(spoilt, noted))
