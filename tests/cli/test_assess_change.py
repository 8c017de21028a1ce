"""Tests of excerpt assess assign, extend and release as commands."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from support.served_campaign import excerpt, make_campaign
from support.small_campaign import do

from excerpt.assess.campaign import Campaign


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign of ann and bob."""
    folder = make_campaign(tmp_path)
    with Campaign.open(folder) as campaign:
        campaign.add_person("ann")
        campaign.add_person("bob")
    return folder


def test_assignments_are_printed_as_they_are_read(folder: Path, tmp_path: Path) -> None:
    """What is printed can be given back; mistakes are one line and change nothing."""
    done = excerpt("assess", "assign", folder, "--by", "topic", "--double", "1")
    assert (done.returncode, [line.split("\t")[0] for line in done.stdout.splitlines()]) == (
        0,
        ["ann", "bob"],
    )
    table = excerpt("assess", "assign", folder).stdout
    file = tmp_path / "table.tsv"
    file.write_text(table)
    assert excerpt("assess", "assign", folder, file).returncode == 0
    assert excerpt("assess", "assign", folder).stdout == table
    for given, message in (
        ((file, "--by", "topic"), "FILE and --by cannot be combined"),
        (("--double", "0.2"), "--double needs --by topic"),
        (("--by", "topic", "--double", "2"), "from 0 to 1"),
        ((tmp_path / "missing.tsv",), "missing.tsv"),
    ):
        done = excerpt("assess", "assign", folder, *given)
        assert done.returncode == 2
        assert message in done.stderr
        assert done.stdout == ""
    assert excerpt("assess", "assign", folder).stdout == table
    done = excerpt("assess", "people", folder, "add", "eve")
    assert "no documents yet: excerpt assess assign" in done.stderr


def test_a_release_is_written_or_not(folder: Path, tmp_path: Path) -> None:
    """Nothing finished: status 2, one line, no file; then an archive with the same bytes twice."""
    done = excerpt("assess", "release", folder, "-o", tmp_path / "b.zip")
    assert (done.returncode, done.stderr.count("\n"), (tmp_path / "b.zip").exists()) == (2, 1, False)
    assert "no document is finished" in done.stderr
    with Campaign.open(folder) as campaign:
        topic, document = campaign.contents.pairs[0]
        do(campaign, "ann", "done", topic=topic, document=document)
    for name in ("b.zip", "c.zip"):
        done = excerpt("assess", "release", folder, "-o", tmp_path / name, "--only", topic, "--anonymous")
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "b.zip").read_bytes() == (tmp_path / "c.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        assert not any(b"ann" in archive.read(name) for name in archive.namelist() if "about" in name)


def test_names_of_judgments(tmp_path: Path) -> None:
    """--qrels NAME=FILE, several times; two files without names are an error."""
    for name in ("q1.fol", "q2=x.fol"):
        (tmp_path / name).write_text("1 Q0 A 0 5\n")
    one, other = tmp_path / "q1.fol", tmp_path / "q2=x.fol"
    folder = make_campaign(tmp_path, "--qrels", f"y1={one}", "--qrels", other)
    with Campaign.open(folder) as campaign:
        assert [item.assessor for item in campaign.judged()] == ["imported", "y1"]
        assert len(campaign.permissions.taken()) == 1
    files = ("--corpus", tmp_path / "docs.jsonl", "--topics", tmp_path / "topics.tsv")
    done = excerpt("assess", "new", tmp_path / "d", *files, "--qrels", one, "--qrels", one)
    assert (done.returncode, (tmp_path / "d").exists()) == (2, False)
    assert "expected names for all: --qrels NAME=FILE" in done.stderr


def test_a_campaign_is_extended(folder: Path, tmp_path: Path) -> None:
    """New pairs of a new topic, which nobody has yet; a pool of another corpus is refused."""
    assert excerpt("assess", "assign", folder, "--by", "topic").returncode == 0
    pool, topics = tmp_path / "more.tsv", tmp_path / "more-topics.tsv"
    pool.write_text("topic\tdocument\n1\tA\n3\tA\n")
    topics.write_text("3\tmore\n")
    done = excerpt("assess", "extend", folder, "--pool", pool, "--topics", topics)
    assert (done.returncode, done.stdout.split()) == (
        0,
        ["added", "1", "topics", "1", "documents", "0", "known", "1"],
    )
    assert "new topics are assigned to no assessor yet" in done.stderr
    pool.write_text("topic\tdocument\n1\tother\n")
    done = excerpt("assess", "extend", folder, "--pool", pool)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "another corpus" in done.stderr
