"""Connections that only read, and databases that others keep to themselves."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_campaign import do, event, small_campaign

from excerpt.assess import connecting
from excerpt.assess import store as store_module
from excerpt.assess.campaign import Campaign
from excerpt.assess.connecting import connect, database_version
from excerpt.assess.exporting import exported
from excerpt.assess.folder import DATABASE
from excerpt.assess.progress import status
from excerpt.assess.rebuilding import rebuild
from excerpt.assess.refusals import Busy, NoRoom
from excerpt.errors import ExcerptError


@contextlib.contextmanager
def taken(path: Path, *, alone: bool = False) -> Iterator[None]:
    """A database that another program writes to, or does not let anybody else into."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        if alone:
            other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        if alone:
            other.execute("CREATE TABLE other (x)")
        yield
        other.execute("ROLLBACK")


def test_another_writer_is_waited_for_and_then_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is half there, and the same event is taken afterwards."""
    monkeypatch.setattr(connecting, "_PATIENCE", 0.01)
    with small_campaign(tmp_path / "c") as campaign:
        given = event(campaign, "highlight", 0, 5)
        with taken(tmp_path / "c" / DATABASE), pytest.raises(Busy, match=r"by another program.*try again"):
            campaign.record("ann", given)
        assert campaign.record("ann", given)["version"] == 1


def test_a_database_that_is_in_use_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither is it made again from the journal."""
    monkeypatch.setattr(connecting, "_PATIENCE", 0.01)
    small_campaign(tmp_path / "c").close()
    with taken(tmp_path / "c" / DATABASE, alone=True):
        for opening in (Campaign.open, rebuild):
            with pytest.raises(Busy, match="is being written by another program"):
                opening(tmp_path / "c")
    assert list((tmp_path / "c" / "backups").iterdir()) == []


def test_a_damaged_database_is_named_with_what_to_do(tmp_path: Path) -> None:
    """As it can be made again."""
    small_campaign(tmp_path / "c").close()
    path = tmp_path / "c" / DATABASE
    data = path.read_bytes()
    path.write_bytes(data[:100] + b"\xff" * (len(data) - 100))
    with pytest.raises(ExcerptError, match=r"cannot be read: .*assess rebuild"):
        Campaign.open(tmp_path / "c")


def test_a_folder_that_may_only_be_read_can_be_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file of it changes; what would be written is refused with the reason."""
    with small_campaign(tmp_path / "c") as campaign:
        do(campaign, "ann", "done")
    monkeypatch.setattr(store_module, "may_write", lambda _: False)
    before = {path: path.read_bytes() for path in (tmp_path / "c").iterdir() if path.is_file()}
    with Campaign.open(tmp_path / "c") as campaign:
        assert status(campaign)["documents"]["done"] == 1
        assert exported(campaign).data.startswith(b"7 Q0 a 0 ")
        with pytest.raises(NoRoom, match="may be read, not written"):
            campaign.add_person("ben")
        with pytest.raises(NoRoom, match="may be read, not written"):
            do(campaign, "ann", "highlight", 0, 5)
    assert {path: path.read_bytes() for path in before} == before


def test_a_database_is_read_where_no_file_can_be_made_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is all there is, unless somebody writes."""
    small_campaign(tmp_path / "c").close()
    path = tmp_path / "c" / DATABASE
    connecting_ = connecting._connect

    def refuse(address: str) -> sqlite3.Connection:
        return connecting_(address if "immutable" in address else "file:/nowhere/at/all?mode=ro")

    monkeypatch.setattr(connecting, "_connect", refuse)
    with contextlib.closing(connect(path, read_only=True)) as connection:
        assert connection.execute("SELECT count(*) FROM topic").fetchone() == (2,)
    Path(f"{path}-wal").write_bytes(b"")
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        connect(path, read_only=True)


def test_what_is_committed_is_on_disk_whatever_the_default_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite may have been built to be faster than that."""
    connecting_ = connecting._connect

    def careless(path: Path) -> sqlite3.Connection:
        connection = connecting_(path)
        connection.execute("PRAGMA synchronous=OFF")
        return connection

    monkeypatch.setattr(connecting, "_connect", careless)
    with contextlib.closing(connect(tmp_path / "x")) as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_who_leaves_does_not_take_the_log_away(tmp_path: Path) -> None:
    """Looking at the database in this process must not end its locks: another one would remove the log."""
    with small_campaign(tmp_path / "c") as campaign, campaign.serve_lock():
        campaign.add_person("ann")
        do(campaign, "ann", "highlight", 0, 5)
        campaign.recorder.at_one_moment().close()
        campaign.backup()
        database_version(tmp_path / "c" / DATABASE)
        other = "import sys, excerpt.assess.campaign as c; c.Campaign.open(sys.argv[1]).add_person('zoe')"
        subprocess.run([sys.executable, "-c", other, tmp_path / "c"], check=True)
        assert (tmp_path / "c" / f"{DATABASE}-wal").exists()
        assert [person.name for person in campaign.people()] == ["ann", "zoe"]
        do(campaign, "ann", "highlight", 6, 9)
    with Campaign.open(tmp_path / "c") as again:
        assert (again.integrity(), again.recorder.store.count_events()) == ([], 2)
