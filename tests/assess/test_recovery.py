"""Tests of recovery: damage is found and named, what is certain is rebuilt, and what is lost is listed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import stat
import sys
from pathlib import Path

import pytest
from support.damage import corpus_of, export_of, judged_campaign, try_many
from support.old_campaigns import unpack
from support.served_campaign import excerpt
from support.small_campaign import do, small_campaign

from excerpt.assess.campaign import Campaign
from excerpt.assess.folder import BACKUPS, DATABASE, JOURNAL, SETTINGS
from excerpt.assess.journal import line_of, read_lines
from excerpt.assess.recovery import rebuild
from excerpt.errors import ExcerptError
from excerpt.notices import Notices


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A judged campaign without its database."""
    folder = judged_campaign(tmp_path / "c")
    (folder / DATABASE).unlink()
    return folder


def edit(folder: Path, line: int, *new: bytes) -> None:
    """Replace a line of the journal, counted from 1; no new line removes it."""
    path = folder / JOURNAL
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line - 1 : line] = new
    path.write_bytes(b"".join(lines))


def line_with(folder: Path, *words: str) -> int:
    """Return the place of the first line of the journal with these words."""
    lines = (folder / JOURNAL).read_text().splitlines()
    return next(at for at, line in enumerate(lines, 1) if all(word in line for word in words))


def unseal(folder: Path) -> None:
    """Write the journal as 0.2.0 did."""
    path = folder / JOURNAL
    path.write_bytes(b"".join(line_of(line.table, line.row) for line in read_lines(path)))


def test_every_line_has_a_number_and_a_checksum(folder: Path) -> None:
    """Lines stay JSON; the number counts all lines."""
    rows = [json.loads(line) for line in (folder / JOURNAL).read_text().splitlines()]
    assert [row["line"] for row in rows] == list(range(1, len(rows) + 1))
    assert all(len(row["check"]) == 16 for row in rows)


@pytest.mark.parametrize(
    ("new", "fault"),
    [
        ((), "1 line before this one is missing"),
        ((b"garbage\n",), "this line cannot be read"),
        ((b"",), "1 line before this one is missing"),
        ((b"{}\n",), "this line was changed"),
    ],
)
def test_damage_is_named_and_stops_the_rebuilding(folder: Path, new: tuple[bytes, ...], fault: str) -> None:
    """Status 2, with file and line; nothing is changed."""
    line = line_with(folder, '"event"', "highlight")
    edit(folder, line, *new)
    done = excerpt("assess", "rebuild", folder)
    assert done.returncode == 2
    assert f"{JOURNAL}:{line}: {fault}; excerpt assess rebuild {folder} --as-far" in done.stderr
    assert not (folder / DATABASE).exists()


@pytest.mark.parametrize("database", [True, False])
def test_a_changed_byte_is_found(tmp_path: Path, *, database: bool) -> None:
    """A changed offset of a highlight is valid JSON, and is found, even if the database is sound."""
    folder = judged_campaign(tmp_path / "c")
    if not database:
        (folder / DATABASE).unlink()
    line = line_with(folder, '"event"', "highlight")
    text = (folder / JOURNAL).read_bytes().splitlines(keepends=True)[line - 1]
    edit(folder, line, text.replace(b'\\"start\\":3', b'\\"start\\":2'))
    with pytest.raises(ExcerptError, match=rf"{JOURNAL}:{line}: this line was changed"):
        rebuild(folder)
    for command in (("status",), ("people", "list"), ("agreement",)):
        done = excerpt("assess", command[0], folder, *command[1:])
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert "excerpt assess rebuild" in done.stderr


def test_journals_of_0_2_0_are_read_and_their_gaps_are_found(folder: Path) -> None:
    """Their numbers of the log have to follow each other."""
    whole = shutil.copytree(folder, folder.with_name("whole"))
    for each in (folder, whole):
        unseal(each)
    assert rebuild(whole, corpus=folder.with_name("c-documents")) == 12
    line = line_with(folder, '"event"', "highlight")
    edit(folder, line)
    with pytest.raises(ExcerptError, match=rf"{JOURNAL}:{line}: 1 line before this one is missing"):
        rebuild(folder)


def test_a_campaign_of_0_2_0_goes_on_with_checksums(tmp_path: Path) -> None:
    """New lines have them, old lines stay, and both are read."""
    folder = unpack("v1", tmp_path)
    before = (folder / JOURNAL).read_bytes()
    with Campaign.open(folder) as campaign:
        do(campaign, "ann", "highlight", 0, 5, document="b")
        campaign.check()
    after = (folder / JOURNAL).read_bytes()
    assert after.startswith(before)
    assert json.loads(after[len(before) :])["line"] == before.count(b"\n") + 1
    with Campaign.open(folder) as campaign, campaign.serve_lock():
        assert list(campaign.notices) == []
    edit(folder, before.count(b"\n"))
    with pytest.raises(ExcerptError, match="before this one is missing"):
        rebuild(folder)


def test_a_quote_that_differs_from_the_text_is_found(folder: Path) -> None:
    """In a journal without checksums only the quote shows that an offset has changed."""
    unseal(folder)
    line = line_with(folder, '"event"', "highlight")
    text = (folder / JOURNAL).read_bytes().splitlines(keepends=True)[line - 1]
    edit(folder, line, text.replace(b'\\"start\\":3', b'\\"start\\":2'))
    with pytest.raises(ExcerptError, match=rf"{JOURNAL}:{line}: found the quote .* expected"):
        rebuild(folder)
    lost = Notices()
    assert rebuild(folder, as_far_as_possible=True, notices=lost) == 9
    assert f"{JOURNAL}:{line}: found the quote" in "\n".join(lost)


def test_what_is_certain_is_rebuilt_and_what_is_lost_is_listed(folder: Path) -> None:
    """Actions after a lost one are not certain: they may have been done on other text."""
    line = line_with(folder, '"event"', "bep", '"ann"', '"document":"a"')
    edit(folder, line, b"garbage\n")
    gone = line_with(folder, '"event"', "done", '"ben"', "plain.txt")
    text = (folder / JOURNAL).read_bytes().splitlines(keepends=True)[gone - 1]
    edit(folder, gone, text.replace(b'"kind":"done"', b'"kind":"dome"'))
    done = excerpt("assess", "rebuild", folder, "--as-far-as-possible")
    assert (done.returncode, done.stdout) == (0, "9 events\n")
    said = done.stderr.splitlines()
    assert f"excerpt: lost: {JOURNAL}:{line}: this line cannot be read" in said
    assert "excerpt: lost: 1 action of ann on document a of topic 7: actions before are lost or wrong" in said
    assert any(
        f"{JOURNAL}:{gone}: this line was changed (event of ben on topic 7 document plain.txt kind dome"
        in each
        for each in said
    )
    assert len(list((folder / BACKUPS).glob("journal-damaged-*"))) == 1
    assert excerpt("assess", "status", folder).returncode == 0
    assert excerpt("assess", "rebuild", folder).returncode == 0


def test_rows_that_only_a_backup_has_are_told(tmp_path: Path) -> None:
    """A journal whose end is missing looks whole; the name of a backup tells its last row."""
    with small_campaign(tmp_path / "c") as campaign:
        do(campaign, "ann", "highlight", 0, 5)
        do(campaign, "ann", "bep", 0)
        campaign.backup()
    folder = tmp_path / "c"
    (folder / DATABASE).unlink()
    edit(folder, (folder / JOURNAL).read_bytes().count(b"\n"))
    with pytest.raises(ExcerptError, match=r"lacks 1 row at the end of journal\.jsonl, which backups/judgm"):
        rebuild(folder)
    lost = Notices()
    assert rebuild(folder, as_far_as_possible=True, notices=lost) == 1
    assert "1 row at the end" in "\n".join(lost)


def test_a_sound_database_makes_up_for_the_journal(tmp_path: Path) -> None:
    """Nothing is lost, and the journal is written again."""
    folder = judged_campaign(tmp_path / "c")
    edit(folder, 5)
    lost = Notices()
    assert rebuild(folder, as_far_as_possible=True, notices=lost) == 12
    assert list(lost) == [f"nothing: {JOURNAL} is damaged, but the database has all rows"]
    assert all(not line.fault for line in read_lines(folder / JOURNAL))


def test_a_state_that_differs_from_its_events_is_not_exported(tmp_path: Path) -> None:
    """A changed byte in a derived state breaks no rule of SQLite."""
    folder = judged_campaign(tmp_path / "x" / "c")
    shutil.copytree(folder.with_name("c-documents"), tmp_path / "c-documents")
    data = (folder / DATABASE).read_bytes()
    assert data.count(b'"highlights":[[3,12]]') == 2
    (folder / DATABASE).write_bytes(data.replace(b'"highlights":[[3,12]]', b'"highlights":[[3,13]]'))
    status, said, _ = export_of(folder)
    assert status == 2
    assert f"{DATABASE}: has states that differ from the events; excerpt assess rebuild" in said
    assert excerpt("assess", "rebuild", folder).returncode == 0
    assert '"spans": [[3, 12]]' in export_of(folder)[2]
    assert corpus_of(folder).is_dir()


def test_a_database_without_a_table_is_rebuilt(tmp_path: Path) -> None:
    """Any of its tables, also that of states, which the journal does not have."""
    folder = judged_campaign(tmp_path / "x" / "c")
    shutil.copytree(folder.with_name("c-documents"), tmp_path / "c-documents")
    before = export_of(folder)
    assert before[0] == 0
    for table in ("state", "event", "item", "meta"):
        with contextlib.closing(sqlite3.connect(folder / DATABASE)) as database:
            database.execute(f"DROP TABLE {table}")
        rebuild(folder, corpus=corpus_of(folder))
        assert export_of(folder) == before, table


def test_settings_are_written_again_as_far_as_possible(tmp_path: Path) -> None:
    """The journal has the settings that must not change; the others are listed as lost."""
    folder = judged_campaign(tmp_path / "c")
    (folder / SETTINGS).write_text("title = \n")
    done = excerpt("assess", "rebuild", folder)
    assert done.returncode == 2
    assert f"{SETTINGS}: not valid TOML" in done.stderr
    assert "excerpt assess rebuild" in done.stderr
    corpus = tmp_path / "c-documents"
    done = excerpt("assess", "rebuild", folder, "--as-far-as-possible", "--corpus", corpus)
    assert done.returncode == 0
    assert "lost: title, host, port, names, url (campaign.toml: not valid TOML" in done.stderr
    assert excerpt("assess", "status", folder).returncode == 0


@pytest.mark.parametrize(("name", "count"), [(DATABASE, 8), (JOURNAL, 8), (SETTINGS, 5)])
def test_damage_gives_the_truth_or_one_line(
    tmp_path: Path, name: str, count: int, pytestconfig: pytest.Config
) -> None:
    """No traceback and no wrong export; --thorough damages 200 databases and 400 journals."""
    many = {DATABASE: 200, JOURNAL: 400, SETTINGS: 100}
    thorough = pytestconfig.getoption("--thorough")
    found = try_many(tmp_path, name, many[name] if thorough else count, seed=1)
    assert sum(found[key] for key in found if key.startswith("export")) >= count


@pytest.mark.parametrize("corpus", ["/", "//", "../../../../../../../../../../..", "/*"])
def test_the_whole_disk_is_no_corpus(tmp_path: Path, corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not walked."""
    folder = judged_campaign(tmp_path / "c")
    text = (folder / SETTINGS).read_text()
    (folder / SETTINGS).write_text(text.replace('corpus = ["../c-documents"]', f'corpus = ["{corpus}"]'))
    from excerpt.corpus import Corpus

    monkeypatch.setattr(Corpus, "read", lambda *_: pytest.fail("the disk is read"))
    with Campaign.open(folder) as campaign, pytest.raises(ExcerptError, match=r"found the whole disk \("):
        campaign.check_corpus()


@pytest.mark.skipif(sys.platform == "win32", reason="no such permissions")
def test_a_campaign_is_private(tmp_path: Path) -> None:
    """The folder is 0700 and its files are 0600, whatever the mask; older ones are mended when opened."""
    before = os.umask(0o000)
    try:
        folder = judged_campaign(tmp_path / "c")
        with Campaign.open(folder) as campaign, campaign.serve_lock():
            campaign.set_address("127.0.0.1", 12345)
        excerpt("assess", "export", folder, "--merge", "union", "-o", folder / "out.fol")
        assert modes(folder) == {"folder": {0o700}, "file": {0o600}}
        for path, mode in ((folder, 0o755), (folder / BACKUPS, 0o777), (folder / JOURNAL, 0o664)):
            path.chmod(mode)
        Campaign.open(folder).close()
        assert modes(folder) == {"folder": {0o700}, "file": {0o600}}
    finally:
        os.umask(before)


def modes(folder: Path) -> dict[str, set[int]]:
    """Return the modes of the folders and files of a campaign."""
    found: dict[str, set[int]] = {"folder": set(), "file": set()}
    for path in (folder, *folder.rglob("*")):
        found["folder" if path.is_dir() else "file"].add(stat.S_IMODE(path.stat().st_mode))
    return found


@pytest.mark.parametrize("content", [b"", b'{"ta'], ids=["empty", "torn"])
def test_an_emptied_journal_is_written_again(tmp_path: Path, content: bytes) -> None:
    """As a missing one: the database has all rows, and people can go on."""
    folder = judged_campaign(tmp_path / "c")
    whole = (folder / JOURNAL).read_bytes()
    (folder / JOURNAL).write_bytes(content)
    done = excerpt("assess", "people", folder, "add", "zoe")
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / JOURNAL).read_bytes().startswith(whole)


@pytest.mark.parametrize("kept", [0, 1, 2, 3, 5, 9])
def test_a_journal_without_its_pool_is_not_rebuilt_in_silence(folder: Path, kept: int) -> None:
    """A journal cut off before the pool is an error; as far as possible says that all is lost."""
    path = folder / JOURNAL
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:kept]))
    done = excerpt("assess", "rebuild", folder)
    assert done.returncode == 2
    assert f"the journal was cut off; excerpt assess rebuild {folder} --as-far-as-possible" in done.stderr
    done = excerpt("assess", "rebuild", folder, "--as-far-as-possible")
    assert done.returncode == 0
    assert "lost: all judgments: no document of the pool is left" in done.stderr
    assert ("lost: 8 of 8 documents in the pool" in done.stderr) == (kept > 2)


def test_line_ends_of_windows_are_no_damage(folder: Path) -> None:
    """A copy through a tool that converts line ends loses nothing."""
    path = folder / JOURNAL
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    done = excerpt("assess", "rebuild", folder)
    assert (done.returncode, done.stdout) == (0, "12 events\n")


def test_lost_settings_are_written_again(tmp_path: Path) -> None:
    """A removed campaign.toml is named, with the command that writes it again."""
    folder = judged_campaign(tmp_path / "c")
    export = ("assess", "export", folder, "--merge", "union", "-o", tmp_path / "x")
    assert excerpt(*export).returncode == 0
    truth = (tmp_path / "x").read_text()
    (folder / SETTINGS).unlink()
    for command in (("status",), ("export", "-o", tmp_path / "x"), ("rebuild",)):
        done = excerpt("assess", command[0], folder, *command[1:])
        assert done.returncode == 2
        assert f"{folder / SETTINGS}: is missing; restore the file, or excerpt assess rebuild" in done.stderr
    corpus = tmp_path / "c-documents"
    done = excerpt("assess", "rebuild", folder, "--as-far-as-possible", "--corpus", corpus)
    assert done.returncode == 0
    assert "lost: title, host, port, names" in done.stderr
    assert "the old file is" not in done.stderr
    assert (excerpt(*export).returncode, (tmp_path / "x").read_text()) == (0, truth)


@pytest.mark.parametrize("database", [True, False], ids=["database", "lost"])
@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ('"key":"rows"', '\\"topic\\": 2', '\\"topic: 2'),
        ('"key":"rows"', '\\"topic\\": 2', '\\"topic\\": null'),
        ('"key":"rows"', '\\"topic\\"', '\\"tropic\\"'),
        ('"key":"rows"', '"key":"rows"', '"key":["rows"]'),
        ('"key":"settings"', '\\"double\\"', '\\"double'),
        ('"key":"settings"', '\\"seed\\"', '\\"sied\\"'),
        ('"key":"inputs"', "[[", "[7, ["),
        ('"table":"topic"', '\\"kind\\"', '\\"kunt\\"'),
        ('"table":"item"', '"probability":"1"', '"probability":"1/0"'),
        ('"table":"item"', '[\\"one\\"', '[\\"one'),
        ('"table":"event"', '"highlight"', '"hoghlight"'),
        ('"table":"event"', '"assessor":"ann"', '"assessor":null'),
        ('"table":"event"', '"topic":"7"', '"topic":["7"]'),
        ('"table":"event"', '"at":"2', '"at":"x'),
    ],
)
def test_changed_values_of_0_2_0_are_found(
    tmp_path: Path, words: str, old: str, new: str, *, database: bool
) -> None:
    """Lines without a checksum are changed lines if their values cannot be read."""
    folder = judged_campaign(tmp_path / "c")
    unseal(folder)
    line = line_with(folder, words)
    changed = (folder / JOURNAL).read_text().splitlines()[line - 1]
    assert old in changed
    edit(folder, line, changed.replace(old, new, 1).encode() + b"\n")
    if not database:
        (folder / DATABASE).unlink()
    done = excerpt("assess", "rebuild", folder)
    assert done.returncode == 2
    assert f"{JOURNAL}:{line}: this line was changed; excerpt assess rebuild" in done.stderr
    done = excerpt("assess", "rebuild", folder, "--as-far-as-possible")
    assert done.returncode == 0
    assert "FOREIGN KEY" not in done.stderr
    assert ("lost: nothing" in done.stderr) == database


def test_files_written_later_are_private(tmp_path: Path) -> None:
    """Backups and a journal that is written again, while the campaign is open."""
    umask = os.umask(0o022)
    try:
        with small_campaign(tmp_path / "c") as campaign:
            shutil.rmtree(tmp_path / "c" / BACKUPS)
            (tmp_path / "c" / JOURNAL).unlink()
            campaign.add_person("ann")
            campaign.backup()
            found = {path: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "c").rglob("*")}
    finally:
        os.umask(umask)
    assert len(found) > 4
    assert all(mode == (0o700 if path.is_dir() else 0o600) for path, mode in found.items()), found


def test_changed_definitions_of_tables_are_found(tmp_path: Path) -> None:
    """SQLite takes an unknown quoted column for text, so only writing would fail."""
    folder = judged_campaign(tmp_path / "c")
    data = (folder / DATABASE).read_bytes()
    assert data.count(b"characters INTEGER") == 1
    (folder / DATABASE).write_bytes(data.replace(b"characters INTEGER", b"charactess INTEGER"))
    done = excerpt("assess", "status", folder)
    assert done.returncode == 2
    assert f"{folder / DATABASE}: " in done.stderr
    assert f"excerpt assess rebuild {folder}" in done.stderr
    done = excerpt("assess", "rebuild", folder)
    assert (done.returncode, done.stdout) == (0, "12 events\n")
    assert excerpt("assess", "status", folder).returncode == 0
