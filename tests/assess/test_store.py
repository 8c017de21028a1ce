"""Tests of the database: append-only, durable, versioned."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import old_campaigns
from support.small_campaign import do, event, small_campaign

from excerpt.assess import store as assess_store
from excerpt.assess.campaign import Campaign
from excerpt.assess.export import exported
from excerpt.assess.folder import DATABASE, Busy, NoRoom
from excerpt.assess.progress import status
from excerpt.assess.recovery import rebuild
from excerpt.assess.store import LOG, MIGRATIONS, TABLES, Store, connect, database_version
from excerpt.errors import ExcerptError


@pytest.fixture
def store(tmp_path: Path) -> Any:
    """The database of a campaign with a few events."""
    with small_campaign(tmp_path / "c") as campaign:
        campaign.add_person("ann")
        do(campaign, "ann", "highlight", 0, 5)
        do(campaign, "ann", "bep", 3)
        campaign.document_for("ann", "7", "a")
        campaign.permissions.assign({"7": {"": ["ann"]}})
        yield campaign.recorder.store


def changes(table: str) -> list[str]:
    """Statements that would change a table."""
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
    """Rows of all tables but states cannot be changed."""
    before = list(store.rows(table))
    assert before
    for statement in changes(table):
        with pytest.raises(sqlite3.IntegrityError, match="what was written is not changed"), store.writing():
            store._connection.execute(statement)
    assert list(store.rows(table)) == before


def test_a_commit_is_on_disk(store: Store) -> None:
    """The settings of the connection make commits durable."""
    assert store.setting("synchronous") == 2
    assert store.setting("journal_mode") == "wal"
    assert store.setting("recursive_triggers") == 1
    assert store.setting("foreign_keys") == 1


def test_tables_are_strict(store: Store) -> None:
    """Bytes are rejected as text."""
    with pytest.raises(sqlite3.IntegrityError, match="cannot store BLOB"), store.writing():
        store.add("person", [{"number": 99, "name": b"", "change": "", "token": "", "at": ""}])


def test_a_transaction_is_whole_or_nothing(store: Store) -> None:
    """An error of Python code rolls back, too."""
    before = store.last_number()
    person = {"number": before + 1, "name": "ben", "change": "added", "token": "", "at": ""}
    with pytest.raises(KeyError, match="token"), store.writing():
        store.add("person", [person, {"number": before + 2, "name": "cem", "change": "added"}])
    assert store.last_number() == before


def test_a_full_disk_is_a_refusal_not_a_loss(store: Store) -> None:
    """A full disk stores nothing partially, and writing can continue later."""
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
    """The file stays unchanged."""
    small_campaign(tmp_path / "c").close()
    path = tmp_path / "c" / DATABASE
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version={len(MIGRATIONS) + 1}")
    before = path.read_bytes()
    with pytest.raises(ExcerptError, match=r"version 3, expected at most 2.*newer version of excerpt"):
        Store(path)
    assert path.read_bytes() == before
    assert sorted(file.name for file in (tmp_path / "c").iterdir() if file.name.startswith("judg")) == [
        DATABASE
    ]


@pytest.mark.parametrize("content", [b"", b"no database" * 1000])
def test_other_files_are_no_databases(content: bytes, tmp_path: Path) -> None:
    """Other files are errors."""
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ExcerptError, match="not the database of a campaign"):
        Store(tmp_path / "x")
    with pytest.raises(ExcerptError, match="cannot be read"):
        Store(tmp_path / "none")


def test_no_small_question_goes_through_the_whole_log(tmp_path: Path) -> None:
    """Queries during judging use an index."""
    with small_campaign(tmp_path / "c", order="max-mean", double=0.5) as campaign:
        campaign.add_person("ann")
        topic, document = campaign.permissions.assigned(campaign.contents.pairs, "ann")[0]
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
    """The backup has the version before."""
    from excerpt.assess.campaign import Campaign

    with small_campaign(tmp_path / "c") as campaign:
        do(campaign, "ann", "highlight", 0, 5)
    monkeypatch.setattr(assess_store, "MIGRATIONS", (*MIGRATIONS, _next))
    with Campaign.open(tmp_path / "c") as campaign:
        assert campaign.recorder.store.setting("user_version") == 3
        assert len(campaign.judged()) == 1
    (copy,) = (tmp_path / "c" / "backups").glob("judgments-migration-*.sqlite")
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)


def test_a_failing_migration_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables and version stay."""
    small_campaign(tmp_path / "c").close()
    path = tmp_path / "c" / DATABASE
    monkeypatch.setattr(assess_store, "MIGRATIONS", (*MIGRATIONS, _failing))
    with pytest.raises(sqlite3.OperationalError, match="no such thing"):
        Store(path)
    monkeypatch.undo()
    with contextlib.closing(Store(path)) as store:
        assert store.setting("user_version") == 2
        assert (
            store._connection.execute("SELECT name FROM sqlite_master WHERE name = 'later'").fetchall() == []
        )


@pytest.mark.parametrize("name", old_campaigns.NAMES)
def test_every_old_file_opens(name: str, tmp_path: Path) -> None:
    """Campaigns of older versions open with all data and can be continued."""
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.recovery import rebuild

    folder = old_campaigns.unpack(name, tmp_path)
    with Campaign.open(folder) as campaign, campaign.serve_lock():
        campaign.check_corpus()
        assert campaign.recorder.store.faults() == list(campaign.notices) == []
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
    """A campaign of this version is stored for tests of the next."""
    assert [f"v{number}" for number in range(1, len(MIGRATIONS) + 1)] == old_campaigns.NAMES


@pytest.mark.parametrize("name", old_campaigns.FIRST)
def test_first_campaigns_go_on_with_their_rules(name: str, tmp_path: Path) -> None:
    """States, exports and agreement are the same bytes, from the database and from the journal."""
    from excerpt.assess.agreement import measure_agreement
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.export import exported
    from excerpt.assess.recovery import rebuild

    folder = old_campaigns.unpack(name, tmp_path)
    procedure = name.removeprefix("first-")
    for step in ("opened", "rebuilt", "from the journal"):
        if step == "from the journal":
            (folder / DATABASE).unlink()
        if step != "opened":
            rebuild(folder)
        with Campaign.open(folder) as campaign:
            stored = list(campaign.recorder.store.states(body=True))
            assert stored == json.loads((tmp_path / "states.json").read_text()), step
            merged = exported(campaign, to="jsonl", merge="union", unfinished=True, fingerprint=False)
            assert merged.data == (tmp_path / "judgments.jsonl").read_bytes()
            default = exported(campaign, merge="majority")
            assert default.data == (tmp_path / "judgments.default").read_bytes()
            rows = measure_agreement(campaign, samples=20).to_dict()["rows"]
            before = json.loads((tmp_path / "agreement.json").read_text())
            same = ("assessors", "topic", "level", "documents", "jaccard", "f", "exact")
            assert {tuple(row.get(key) for key in same) for row in before} == {
                tuple(row.get(key) for key in same) for row in rows if row["level"] != "alpha"
            }
            assert campaign.procedure.name == {"inex2006": "highlight"}.get(procedure, procedure)
            assert (campaign.renamed != "") == (procedure == "inex2006")
            assert campaign.recorder.store.faults() == list(campaign.notices) == []
            (fixed,) = (row for row in campaign.recorder.store.rows("meta") if row["key"] == "settings")
            digest = hashlib.sha256(fixed["value"].encode()).hexdigest()
            assert campaign.settings.identity == digest[:16]  # browsers keep unsent events by it
            campaign.set_address("127.0.0.1", 8000)  # writes campaign.toml again
    with Campaign.open(folder) as campaign:
        if campaign.procedure.marks:
            graded = do(campaign, "ann", "highlight", 0, 9, topic="8", id="later-1")
            assert bool(graded["owed"]) == (procedure == "inex2005")
            if procedure == "inex2006":
                assert do(campaign, "ann", "done", topic="8", id="later-2")["done"]
        else:
            assert do(campaign, "ann", "done", topic="8", id="later-2")["done"]


@contextlib.contextmanager
def taken(path: Path, *, alone: bool = False) -> Iterator[None]:
    """A database that another program has locked."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        if alone:
            other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        if alone:
            other.execute("CREATE TABLE other (x)")
        yield
        other.execute("ROLLBACK")


def test_another_writer_is_waited_for_and_then_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is stored partially, and the event is accepted afterwards."""
    monkeypatch.setattr(assess_store, "_PATIENCE", 0.01)
    with small_campaign(tmp_path / "c") as campaign:
        given = event(campaign, "highlight", 0, 5)
        with taken(tmp_path / "c" / DATABASE), pytest.raises(Busy, match=r"by another program.*try again"):
            campaign.record("ann", given)
        assert campaign.record("ann", given)["version"] == 1


def test_a_database_that_is_in_use_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy database is not rebuilt."""
    monkeypatch.setattr(assess_store, "_PATIENCE", 0.01)
    small_campaign(tmp_path / "c").close()
    with taken(tmp_path / "c" / DATABASE, alone=True):
        for opening in (Campaign.open, rebuild):
            with pytest.raises(Busy, match="is being written by another program"):
                opening(tmp_path / "c")
    assert list((tmp_path / "c" / "backups").iterdir()) == []


def test_a_damaged_database_is_named_with_what_to_do(tmp_path: Path) -> None:
    """The error names the command that rebuilds it."""
    small_campaign(tmp_path / "c").close()
    path = tmp_path / "c" / DATABASE
    data = path.read_bytes()
    path.write_bytes(data[:100] + b"\xff" * (len(data) - 100))
    with pytest.raises(ExcerptError, match=r"cannot be read: .*assess rebuild"):
        Campaign.open(tmp_path / "c")


def test_a_folder_that_may_only_be_read_can_be_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file changes, and writing is an error with the reason."""
    with small_campaign(tmp_path / "c") as campaign:
        do(campaign, "ann", "done")
    monkeypatch.setattr(assess_store, "may_write", lambda _: False)
    before = {path: path.read_bytes() for path in (tmp_path / "c").iterdir() if path.is_file()}
    with Campaign.open(tmp_path / "c") as campaign:
        assert status(campaign)["documents"]["done"] == 1
        assert exported(campaign).data.startswith(b"7 Q0 a 0 ")
        with pytest.raises(NoRoom, match="the folder is read-only"):
            campaign.add_person("ben")
        with pytest.raises(NoRoom, match="the folder is read-only"):
            do(campaign, "ann", "highlight", 0, 5)
    assert {path: path.read_bytes() for path in before} == before


def test_a_database_is_read_where_no_file_can_be_made_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file alone is read unless another process writes."""
    small_campaign(tmp_path / "c").close()
    path = tmp_path / "c" / DATABASE
    connecting_ = assess_store._connect

    def refuse(address: str) -> sqlite3.Connection:
        return connecting_(address if "immutable" in address else "file:/nowhere/at/all?mode=ro")

    monkeypatch.setattr(assess_store, "_connect", refuse)
    with contextlib.closing(connect(path, read_only=True)) as connection:
        assert connection.execute("SELECT count(*) FROM topic").fetchone() == (2,)
    Path(f"{path}-wal").write_bytes(b"")
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        connect(path, read_only=True)


def test_what_is_committed_is_on_disk_whatever_the_default_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Durability does not depend on how SQLite was built."""
    connecting_ = assess_store._connect

    def careless(path: Path) -> sqlite3.Connection:
        connection = connecting_(path)
        connection.execute("PRAGMA synchronous=OFF")
        return connection

    monkeypatch.setattr(assess_store, "_connect", careless)
    with contextlib.closing(connect(tmp_path / "x")) as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_header_that_is_being_written_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version that makes no sense is looked at three times before the database is rejected."""
    seen = iter([0, 1_000_000, 2])
    monkeypatch.setattr(assess_store, "_header_version", lambda _: next(seen))
    monkeypatch.setattr(assess_store, "_PAUSES", (0.0, 0.0, 0.0))
    assert database_version(tmp_path) == 2
    with pytest.raises(StopIteration):
        database_version(tmp_path)


def test_who_leaves_does_not_take_the_log_away(tmp_path: Path) -> None:
    """Reading the version must not end the locks of this process."""
    with small_campaign(tmp_path / "c") as campaign, campaign.serve_lock():
        campaign.add_person("ann")
        do(campaign, "ann", "highlight", 0, 5)
        campaign.recorder.snapshot().close()
        campaign.backup()
        database_version(tmp_path / "c" / DATABASE)
        other = "import sys, excerpt.assess.campaign as c; c.Campaign.open(sys.argv[1]).add_person('zoe')"
        subprocess.run([sys.executable, "-c", other, tmp_path / "c"], check=True)
        assert (tmp_path / "c" / f"{DATABASE}-wal").exists()
        assert [person.name for person in campaign.people()] == ["ann", "zoe"]
        do(campaign, "ann", "highlight", 6, 9)
    with Campaign.open(tmp_path / "c") as again:
        assert (again.recorder.store.faults(), again.recorder.store.count_events()) == ([], 2)
