"""The database: append-only, on disk, of one version."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import old_campaigns
import pytest
from small_campaign import do, small_campaign

from excerpt.assess import store as module
from excerpt.assess.folder import DATABASE
from excerpt.assess.refusals import NoRoom
from excerpt.assess.store import LOG, MIGRATIONS, TABLES, Store
from excerpt.errors import ExcerptError


@pytest.fixture
def store(tmp_path: Path) -> Any:
    """The database of a campaign with a few events."""
    with small_campaign(tmp_path / "c") as campaign:
        campaign.add_person("ann")
        do(campaign, "ann", "highlight", 0, 5)
        do(campaign, "ann", "bep", 3)
        campaign.document_for("ann", "7", "a")
        yield campaign.recorder.store


def changes(table: str) -> list[str]:
    """Ways to change what is in a table."""
    first, *rest = TABLES[table]
    columns = ", ".join(f'"{name}"' for name in (first, *rest))
    return [
        f'UPDATE {table} SET "{rest[-1]}" = "{rest[-1]}"',
        f"DELETE FROM {table}",
        f"INSERT OR REPLACE INTO {table} ({columns}) SELECT {columns} FROM {table}",
        f"REPLACE INTO {table} ({columns}) SELECT {columns} FROM {table} LIMIT 1",
    ]


@pytest.mark.parametrize("table", [*LOG, "meta", "topic", "document", "item"])
def test_the_log_refuses_update_delete_and_replace(store: Store, table: str) -> None:
    """So does all that the campaign was made from."""
    before = list(store.rows(table))
    assert before
    for statement in changes(table):
        with pytest.raises(sqlite3.IntegrityError, match="what was written is not changed"), store.writing():
            store._connection.execute(statement)
    assert list(store.rows(table)) == before


def test_a_commit_is_on_disk(store: Store) -> None:
    """A kill proves the order, not that the disk has it: the settings of the connection say that."""
    assert store.setting("synchronous") == 2
    assert store.setting("journal_mode") == "wal"
    assert store.setting("recursive_triggers") == 1
    assert store.setting("foreign_keys") == 1


def test_tables_are_strict(store: Store) -> None:
    """Bytes are no text."""
    with pytest.raises(sqlite3.IntegrityError, match="cannot store BLOB"), store.writing():
        store.add("person", [{"number": 99, "name": b"", "change": "", "token": "", "at": ""}])


def test_a_transaction_is_whole_or_nothing(store: Store) -> None:
    """Also where the error is ours."""
    before = store.last_number()
    person = {"number": before + 1, "name": "ben", "change": "added", "token": "", "at": ""}
    with pytest.raises(KeyError, match="token"), store.writing():
        store.add("person", [person, {"number": before + 2, "name": "cem", "change": "added"}])
    assert store.last_number() == before


def test_a_full_disk_is_a_refusal_not_a_loss(store: Store) -> None:
    """Nothing is half there, and with room again it goes on."""
    before, number = store.faults(), store.last_number()
    pages = store.setting("page_count")
    store.setting(f"max_page_count={pages}")
    row = {"topic": "7", "document": "a", "assessor": "ann", "kind": "x", "seconds": 0.0, "at": ""}
    with pytest.raises(NoRoom, match="full"), store.writing():
        store.add("trace", [{**row, "number": number + 1, "body": "x" * 100_000}])
    assert (store.last_number(), store.faults()) == (number, before)
    store.setting("max_page_count=1073741823")
    with store.writing():
        store.add("trace", [{**row, "number": number + 1, "body": "x" * 100_000}])
    assert store.last_number() == number + 1


def test_a_newer_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    """Not a byte of it."""
    small_campaign(tmp_path / "c").close()
    path = tmp_path / "c" / DATABASE
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version={len(MIGRATIONS) + 1}")
    before = path.read_bytes()
    with pytest.raises(ExcerptError, match=r"version 2, expected at most 1.*newer excerpt"):
        Store(path)
    assert path.read_bytes() == before
    assert sorted(file.name for file in (tmp_path / "c").iterdir() if file.name.startswith("judg")) == [
        DATABASE
    ]


@pytest.mark.parametrize("content", [b"", b"no database" * 1000])
def test_other_files_are_no_databases(content: bytes, tmp_path: Path) -> None:
    """An error says so."""
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ExcerptError, match="expected the database of a campaign"):
        Store(tmp_path / "x")
    with pytest.raises(ExcerptError, match="cannot be read"):
        Store(tmp_path / "none")


def test_no_small_question_goes_through_the_whole_log(tmp_path: Path) -> None:
    """What is asked while people judge finds its rows by an index."""
    with small_campaign(tmp_path / "c", order="max-mean", double=0.5) as campaign:
        campaign.add_person("ann")
        topic, document = campaign.assigned("ann")[0]
        said: list[str] = []
        connection = campaign.recorder.store._connection
        connection.set_trace_callback(said.append)
        do(campaign, "ann", "done", topic=topic, document=document)
        campaign.document_for("ann", topic, document)
        campaign.trace("ann", topic, document, "work", {"seconds": 3})
        (row,) = [
            each
            for part in campaign.pool_for("ann")["topics"]
            for each in part["documents"]
            if (part["id"], each["id"]) == (topic, document)
        ]
        assert (row["state"], row["seconds"]) == ("done", 3.0)
        connection.set_trace_callback(None)
        asked = {statement for statement in said if statement.startswith("SELECT")}
        plans = [step[3] for each in asked for step in connection.execute(f"EXPLAIN QUERY PLAN {each}")]
    assert any("state" in plan for plan in plans)
    assert [plan for plan in plans if plan.startswith(("SCAN event", "SCAN trace"))] == []


def _next(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE later (x TEXT) STRICT")


def _failing(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE later (x TEXT) STRICT")
    raise sqlite3.OperationalError("no such thing")


def test_a_migration_keeps_a_copy_and_everything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy is of the version before."""
    from excerpt.assess.campaign import Campaign

    with small_campaign(tmp_path / "c") as campaign:
        do(campaign, "ann", "highlight", 0, 5)
    monkeypatch.setattr(module, "MIGRATIONS", (*MIGRATIONS, _next))
    with Campaign.open(tmp_path / "c") as campaign:
        assert campaign.recorder.store.setting("user_version") == 2
        assert len(campaign.judged()) == 1
    (copy,) = (tmp_path / "c" / "backups").glob("judgments-migration-*.sqlite")
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)


def test_a_failing_migration_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the tables nor the version."""
    small_campaign(tmp_path / "c").close()
    path = tmp_path / "c" / DATABASE
    monkeypatch.setattr(module, "MIGRATIONS", (*MIGRATIONS, _failing))
    with pytest.raises(sqlite3.OperationalError, match="no such thing"):
        Store(path)
    monkeypatch.undo()
    with contextlib.closing(Store(path)) as store:
        assert store.setting("user_version") == 1
        assert (
            store._connection.execute("SELECT name FROM sqlite_master WHERE name = 'later'").fetchall() == []
        )


@pytest.mark.parametrize("name", old_campaigns.NAMES)
def test_every_old_file_opens(name: str, tmp_path: Path) -> None:
    """With all that it has, in database and journal, and work goes on."""
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.rebuilding import rebuild

    folder = old_campaigns.unpack(name, tmp_path)
    with Campaign.open(folder) as campaign, campaign.serve_lock():
        campaign.check_corpus()
        assert campaign.integrity() == list(campaign.notices) == []
        assert [(person.name, person.removed is None) for person in campaign.people()] == [
            ("ann", True),
            ("ben", False),
        ]
        ann, ben = campaign.judged()
        assert (ann.state.highlights, ann.state.bep, ann.state.done, ann.state.note) == (
            [(0, 5)],
            2,
            True,
            "😀",
        )
        assert (ben.document, ben.state.highlights) == ("letter.txt", [(0, 1200)])
        assert do(campaign, "ann", "undo")["note"] == ""
    assert rebuild(folder) == 6


def test_a_file_of_this_version_is_kept() -> None:
    """So that the next version is tried with it."""
    assert [f"v{number}" for number in range(1, len(MIGRATIONS) + 1)] == old_campaigns.NAMES
