"""Copies of the database."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from small_campaign import do, small_campaign

from excerpt.assess import backups
from excerpt.assess.backups import KEPT, back_up
from excerpt.assess.folder import BACKUPS
from excerpt.assess.store import Store
from excerpt.errors import ExcerptError


def test_a_copy_is_the_whole_database(tmp_path: Path) -> None:
    """Copies of one moment have names of their own."""
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
    """Each time."""
    with small_campaign(tmp_path / "c") as made:
        for count in (1, 2):
            with made.serve_lock():
                assert len(list((tmp_path / "c" / BACKUPS).iterdir())) == count


def test_a_copy_is_made_whenever_enough_events_came_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside the work."""
    monkeypatch.setattr(backups, "EVERY", 3)
    with small_campaign(tmp_path / "c") as made:
        for at in range(7):
            do(made, "ann", "highlight", at, at + 1)
            if made._copies._at_work is not None:
                made._copies.wait()
    found = sorted(path.name for path in (tmp_path / "c" / BACKUPS).iterdir())
    assert [name.rsplit("-", 1)[1] for name in found] == ["3.sqlite", "6.sqlite"]


def test_the_work_goes_on_where_no_copy_can_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is told, and nothing half is left."""
    monkeypatch.setattr(backups, "EVERY", 1)

    def fail(_path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backups, "_sync", fail)
    with small_campaign(tmp_path / "c") as made:
        assert do(made, "ann", "highlight", 0, 5)["version"] == 1
        assert made._copies._at_work is not None
        made._copies.wait()
        assert "no copy of the database was made" in next(iter(made.notices))
        with pytest.raises(ExcerptError, match="no space left"):
            made.backup()
    assert list((tmp_path / "c" / BACKUPS).iterdir()) == []


def test_the_newest_copy_stays_when_the_clock_is_set_back(tmp_path: Path) -> None:
    """What a copy holds counts, neither its name nor the times of files."""
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
    """The newest stay."""
    with small_campaign(tmp_path / "c") as made:
        folder = tmp_path / "copies"
        first = back_up(made.recorder.store, folder, "2026-01-01T00:00:00.000Z", why="migration")
        made_ = []
        for day in range(1, KEPT + 3):
            made_.append(back_up(made.recorder.store, folder, f"2026-01-{day:02}T00:00:00.000Z"))
            os.utime(made_[-1], (day, day))
    assert {path.name for path in folder.iterdir()} == {path.name for path in [first, *made_[-KEPT:]]}
