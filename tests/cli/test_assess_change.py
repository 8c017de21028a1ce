"""Tests of excerpt assess assign, extend and release as commands."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from support.served_campaign import excerpt, make_campaign
from support.small_campaign import do

from excerpt.assess.assignment import deal_documents
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


def test_documents_go_to_so_many(folder: Path) -> None:
    """--each N, and a share to N with --double; mistakes change nothing."""
    done = excerpt("assess", "assign", folder, "--each", "2")
    assert (done.returncode, done.stdout) == (0, "ann\t6\nbob\t6\n")
    excerpt("assess", "people", folder, "add", "cy")
    done = excerpt("assess", "assign", folder, "--each", "3", "--double", "0.5")
    assert sorted(int(line.split("\t")[1]) for line in done.stdout.splitlines()) == [4, 4, 4]
    rows = [line.split("\t") for line in excerpt("assess", "assign", folder).stdout.splitlines()]
    counts = Counter(tuple(row[:2]) for row in rows)
    assert sorted(counts.values()) == [1, 1, 1, 3, 3, 3]
    before = excerpt("assess", "assign", folder).stdout
    for given, message in (
        (("--each", "4"), "found 4 assessors for each document, expected 1 to 3"),
        (("--each", "2", "--by", "topic"), "--by and --each cannot be combined"),
        (("--each", "2", "--double", "1.5"), "from 0 to 1"),
        (("--each", "0"), "0"),
    ):
        done = excerpt("assess", "assign", folder, *given)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
    assert excerpt("assess", "assign", folder).stdout == before


def test_who_has_begun_a_document_keeps_it(folder: Path) -> None:
    """Also if that makes the deal uneven at first: others are moved."""
    with Campaign.open(folder) as campaign:
        for topic, document in campaign.contents.pairs[:3]:
            do(campaign, "bob", "note", note="mine", topic=topic, document=document)
        table = deal_documents(campaign, 1)
        assert all(table[topic][document] == ["bob"] for topic, document in campaign.contents.pairs[:3])
        assert Counter(name for row in table.values() for (name,) in row.values()) == {"ann": 3, "bob": 3}


def test_documents_to_decide_are_listed_and_decided(folder: Path, tmp_path: Path) -> None:
    """The list, as text and JSON; exports of what is decided, and of what is not."""
    with Campaign.open(folder) as campaign:
        for name, end in (("ann", 5), ("bob", 9)):
            do(campaign, name, "highlight", 0, end, topic="1", document="A")
            do(campaign, name, "bep", 0, topic="1", document="A")
            do(campaign, name, "done", topic="1", document="A")
    done = excerpt("assess", "adjudicate", folder)
    assert done.stdout.startswith("1 document to decide; 0 decided, all agree on 0, 0 of one assessor\n")
    assert "nobody decides yet: excerpt assess people" in done.stderr
    assert excerpt("assess", "people", folder, "add", "eve", "--role", "adjudicator").returncode == 0
    assert excerpt("assess", "people", folder, "list").stdout.splitlines()[-1] == "eve\tadjudicator"
    found = json.loads(excerpt("assess", "adjudicate", folder, "--format", "json").stdout)
    assert [(row["topic"], row["document"], row["weight"]) for row in found["documents"]] == [("1", "A", 4)]
    out = tmp_path / "out.fol"
    export = ("assess", "export", folder, "-o", out, "--merge", "adjudicated")
    done = excerpt(*export)
    assert (done.returncode, out.exists()) == (2, False)
    assert "1 document is not decided: topic 1 document A (ann, bob)" in done.stderr
    assert "--undecided union" in done.stderr
    for undecided, size in (("union", 9), ("intersection", 5)):
        assert excerpt(*export, "--undecided", undecided).returncode == 0
        assert out.read_text().split()[3] == str(size)
    assert excerpt(*export, "--undecided", "leave").returncode == 0
    assert out.read_text() == ""
    with Campaign.open(folder) as campaign:
        do(campaign, "eve", "decide", 5, 9, relevant=True, topic="1", document="A")
        do(campaign, "eve", "done", topic="1", document="A")
    assert excerpt(*export).returncode == 0
    assert json.loads((tmp_path / "out.fol.about.json").read_text())["settled"]["decided"] == 1
    done = excerpt("assess", "release", folder, "-o", tmp_path / "b.zip")
    assert "the adjudicated judgments were taken" in done.stderr
    done = excerpt("assess", "people", folder, "add", "ann", "--role", "adjudicator")
    assert (done.returncode, done.stdout) == (2, "")
    assert "ann is an assessor" in done.stderr
    assert excerpt("assess", "people", folder, "list", "--role", "adjudicator").returncode == 2
    done = excerpt("assess", "export", folder, "-o", out, "--undecided", "leave")
    assert "--undecided needs --merge adjudicated" in done.stderr
