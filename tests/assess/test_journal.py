"""Tests of journal and backups: a line for every row, also after damage."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.small_campaign import do, event, small_campaign

from excerpt.assess import journal
from excerpt.assess.campaign import Campaign
from excerpt.assess.export import exported
from excerpt.assess.folder import BACKUPS, DATABASE, JOURNAL, NoRoom
from excerpt.assess.journal import KEPT, Journal, back_up, lines_of, read_lines
from excerpt.assess.recovery import rebuild
from excerpt.assess.store import Store
from excerpt.errors import ExcerptError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign with a few events."""
    with small_campaign(tmp_path / "c") as campaign:
        campaign.add_person("ann")
        for at in range(5):
            do(campaign, "ann", "highlight", at, at + 1)
        campaign.trace("ann", "7", "a", "work", {"seconds": 12.5})
    return tmp_path / "c"


def is_whole(folder: Path) -> bool:
    """Return True if the journal equals the database."""
    with Campaign.open(folder) as campaign:
        return (folder / JOURNAL).read_bytes() == b"".join(lines_of(campaign.recorder.store))


def serve(folder: Path) -> list[str]:
    """Start and stop serving; return the warnings."""
    with Campaign.open(folder) as campaign, campaign.serve_lock():
        return list(campaign.notices)


def test_every_row_has_its_line(folder: Path) -> None:
    """Lines are in the order of the log, in plain ASCII."""
    assert is_whole(folder)
    lines = list(read_lines(folder / JOURNAL))
    logged = [line.row["number"] for line in lines if line.table in {"event", "trace", "person"}]
    assert logged == list(range(1, 8))
    assert [(line.number, line.fault) for line in lines] == [(at, "") for at in range(1, len(lines) + 1)]
    assert (folder / JOURNAL).read_bytes().isascii()
    assert serve(folder) == []


@pytest.mark.parametrize("cut", [1, 30, 400])
def test_missing_lines_are_added_when_serving_begins(folder: Path, cut: int) -> None:
    """An incomplete last line is removed first."""
    path = folder / JOURNAL
    os.truncate(path, path.stat().st_size - cut)
    (message,) = serve(folder)
    assert "the journal lacked" in message
    assert is_whole(folder)


@pytest.mark.parametrize("cut", [1, 30, 400])
def test_missing_lines_are_added_before_a_repeat_is_answered(folder: Path, cut: int) -> None:
    """Missing lines are added without a restart, too."""
    with Campaign.open(folder) as campaign:
        again = event(campaign, "highlight", 9, 12, base=5)
        first = campaign.record("ann", again)
        os.truncate(folder / JOURNAL, (folder / JOURNAL).stat().st_size - cut)
        assert campaign.record("ann", again) == first
        assert (folder / JOURNAL).read_bytes() == b"".join(lines_of(campaign.recorder.store))


def test_a_journal_that_was_damaged_inside_is_kept_and_written_anew(folder: Path) -> None:
    """A damaged journal is kept as a backup and rebuilt from the database."""
    path = folder / JOURNAL
    lines = path.read_bytes().splitlines(keepends=True)
    damaged = b"".join([*lines[:-3], b"{garbage}\n", *lines[-2:]])
    path.write_bytes(damaged)
    (message,) = serve(folder)
    assert f"line {len(lines) - 2} of the journal differs from the database" in message
    assert is_whole(folder)
    (kept,) = (folder / BACKUPS).glob("journal-damaged-*.jsonl")
    assert kept.read_bytes() == damaged


def test_a_journal_that_is_gone_is_written_anew(folder: Path) -> None:
    """A missing journal is rebuilt with a warning."""
    (folder / JOURNAL).unlink()
    (message,) = serve(folder)
    assert "was missing" in message
    assert is_whole(folder)


def test_a_journal_that_is_removed_while_people_judge_is_written_anew(folder: Path) -> None:
    """The next event rebuilds a removed journal."""
    with Campaign.open(folder) as campaign:
        do(campaign, "ann", "highlight", 9, 12)
        (folder / JOURNAL).unlink()
        do(campaign, "ann", "highlight", 12, 14)
    assert is_whole(folder)


def test_a_journal_that_knows_more_than_the_database_is_not_overwritten(folder: Path) -> None:
    """Rows of the journal were confirmed to clients and must not be lost."""
    old = (folder / DATABASE).read_bytes()
    with Campaign.open(folder) as campaign:
        do(campaign, "ann", "highlight", 9, 12)
    (folder / DATABASE).write_bytes(old)
    before = (folder / JOURNAL).read_bytes()
    with pytest.raises(ExcerptError, match="has a last row that the database lacks"):
        serve(folder)
    with pytest.raises(ExcerptError, match=r"excerpt assess rebuild .* restores it"):
        Campaign.open(folder)  # nor does anybody else write on top of the older database
    assert (folder / JOURNAL).read_bytes() == before


def test_rows_are_compared_not_only_counted(folder: Path) -> None:
    """An older database with as many rows as the journal is detected."""
    old = (folder / DATABASE).read_bytes()
    with Campaign.open(folder) as campaign:
        do(campaign, "ann", "highlight", 9, 12)
        do(campaign, "ann", "highlight", 20, 25)
        last = campaign.recorder.store.last_number()
    (folder / DATABASE).write_bytes(old)
    with contextlib.closing(Store(folder / DATABASE)) as store:
        rows = [{"name": name, "change": "added", "token": "", "at": ""} for name in "xy"]
        with store.writing():
            store.add("person", [{**row, "number": last - 1 + n} for n, row in enumerate(rows)])
        with pytest.raises(ExcerptError, match="has 2 rows that the database lacks"):
            Journal(folder / JOURNAL, store).check(folder / "kept")
    with pytest.raises(ExcerptError, match="has a last row that the database lacks"):
        Campaign.open(folder)
    assert rebuild(folder) == 7
    assert is_whole(folder)


def test_a_disk_without_room_for_the_journal_is_a_refusal(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk is an error also when the journal is rebuilt or moved."""

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with Campaign.open(folder) as campaign:
        (folder / JOURNAL).unlink()
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail)
            with pytest.raises(NoRoom, match="no space left"):
                do(campaign, "ann", "highlight", 9, 12)
    (folder / JOURNAL).write_bytes(b"{garbage}\n")
    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(NoRoom, match="no space left"):
        serve(folder)


def test_a_failing_journal_is_a_refusal_and_the_repeat_is_answered(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No event is confirmed without its line; sent again, it is stored once."""

    def fail(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    with Campaign.open(folder) as campaign:
        new = event(campaign, "highlight", 9, 12, base=5)
        before = (folder / JOURNAL).read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail)
            with pytest.raises(NoRoom, match="no space left"):
                campaign.record("ann", new)
            assert (folder / JOURNAL).read_bytes() == before
            with pytest.raises(NoRoom, match="no space left"):
                campaign.record("ann", new)
        answer = campaign.record("ann", new)
        assert answer["version"] == 6
        assert campaign.record("ann", new) == answer
    assert is_whole(folder)
    lines = [line for line in read_lines(folder / JOURNAL) if line.row.get("id") == new["id"]]
    assert len(lines) == 1


def test_two_processes_write_one_journal(folder: Path) -> None:
    """Assessors can be added while others judge."""
    with Campaign.open(folder) as one, Campaign.open(folder) as two:
        for at in range(3):
            do(one, "ann", "highlight", at, at + 2)
            two.add_person(f"person {at}")
        assert [person.name for person in one.people()] == ["ann", "person 0", "person 1", "person 2"]
    assert is_whole(folder)


def test_lines_that_are_no_rows_are_told_with_their_number(tmp_path: Path) -> None:
    """The place and the fault of the line are kept."""
    path = tmp_path / JOURNAL
    path.write_text(json.dumps({"table": "meta", "key": "a", "value": "b"}) + "\n[]\n")
    assert [(line.place, line.fault) for line in read_lines(path)] == [
        (1, ""),
        (2, "this line cannot be read"),
    ]


def test_the_script_of_the_page_makes_the_judgments_again(folder: Path, root: Path) -> None:
    """The script in the docs rebuilds judgments without excerpt."""
    page = (root / "docs" / "assess" / "organisers.md").read_text(encoding="utf-8")
    script = page.split("```python\n")[1].split("```")[0]
    with Campaign.open(folder) as campaign:
        do(campaign, "ben", "highlight", 20, 40, document="plain.txt")
        do(campaign, "ben", "unhighlight", 25, 30, document="plain.txt")
        for kind in ("undo", "undo", "redo", "redo", "undo", "redo"):
            do(campaign, "ben", kind, document="plain.txt")
        do(campaign, "ben", "bep", start=22, document="plain.txt")
        do(campaign, "ben", "done", document="plain.txt")
        do(campaign, "ben", "highlight", 0, 5)
        wanted = exported(campaign, to="fol", assessor="ben").data.decode()
    given = [sys.executable, "-I", "-c", script, str(folder / JOURNAL), "ben"]
    done = subprocess.run(given, capture_output=True, text=True, check=True)
    assert done.stdout == wanted
    assert " 22 20:5 30:10\n" in wanted


def test_a_copy_is_the_whole_database(tmp_path: Path) -> None:
    """Backups of the same moment have different names."""
    with small_campaign(tmp_path / "c") as made:
        do(made, "ann", "highlight", 0, 5)
        paths = {
            back_up(made.recorder.store, tmp_path / "copies", "2026-01-02T03:04:05.678Z") for _ in range(3)
        }
        rows = list(made.recorder.store.log())
    names = sorted(path.name for path in paths)
    assert names == [f"judgments-20260102T030405-1{end}.sqlite" for end in ("-1", "-2", "")]
    assert sorted(path.name for path in (tmp_path / "copies").iterdir()) == names
    for path in paths:
        with contextlib.closing(Store(path)) as copy:
            assert list(copy.log()) == rows
            assert copy.faults() == []


def test_serving_begins_with_a_copy(tmp_path: Path) -> None:
    """Every start of the server makes a backup."""
    with small_campaign(tmp_path / "c") as made:
        for count in (1, 2):
            with made.serve_lock():
                assert len(list((tmp_path / "c" / BACKUPS).iterdir())) == count


def test_a_copy_is_made_whenever_enough_events_came_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Backups are made in a thread."""
    monkeypatch.setattr(journal, "EVERY", 3)
    with small_campaign(tmp_path / "c") as made:
        for at in range(7):
            do(made, "ann", "highlight", at, at + 1)
            if made._backups._at_work is not None:
                made._backups.wait()
    found = sorted(path.name for path in (tmp_path / "c" / BACKUPS).iterdir())
    assert [name.rsplit("-", 1)[1] for name in found] == ["3.sqlite", "6.sqlite"]


def test_the_work_goes_on_where_no_copy_can_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed backup is a warning and leaves no partial file."""
    monkeypatch.setattr(journal, "EVERY", 1)

    def fail(_store: Store, _path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Store, "copy_to", fail)
    with small_campaign(tmp_path / "c") as made:
        assert do(made, "ann", "highlight", 0, 5)["version"] == 1
        assert made._backups._at_work is not None
        made._backups.wait()
        assert "the database was not backed up" in next(iter(made.notices))
        with pytest.raises(ExcerptError, match="no space left"):
            made.backup()
    assert list((tmp_path / "c" / BACKUPS).iterdir()) == []


def test_the_newest_copy_stays_when_the_clock_is_set_back(tmp_path: Path) -> None:
    """The number of the last row decides, not names or times of files."""
    with small_campaign(tmp_path / "c") as made:
        folder = tmp_path / "copies"
        paths = []
        for day in range(KEPT + 2, 0, -1):
            do(made, "ann", "highlight", day, day + 1)
            paths.append(back_up(made.recorder.store, folder, f"2026-01-{day:02}T00:00:00.000Z"))
            os.utime(paths[-1], (day, day))
            assert paths[-1].exists()
    assert set(folder.iterdir()) == set(paths[-KEPT:])


def test_old_copies_are_removed_but_not_those_before_a_migration(tmp_path: Path) -> None:
    """The newest backups stay."""
    with small_campaign(tmp_path / "c") as made:
        folder = tmp_path / "copies"
        first = back_up(made.recorder.store, folder, "2026-01-01T00:00:00.000Z", why="migration")
        made_ = []
        for day in range(1, KEPT + 3):
            made_.append(back_up(made.recorder.store, folder, f"2026-01-{day:02}T00:00:00.000Z"))
            os.utime(made_[-1], (day, day))
    assert {path.name for path in folder.iterdir()} == {path.name for path in [first, *made_[-KEPT:]]}
