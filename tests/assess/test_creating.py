"""Making a campaign: all is compared first, and the folder is whole or not there."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from small_campaign import TOPICS, do, small_campaign, small_pool, write_corpus

from excerpt import Corpus
from excerpt.assess import creating
from excerpt.assess.campaign import Campaign
from excerpt.errors import ExcerptError
from excerpt.pooling import Pool, PoolItem


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"topics": b"7\tWho pays?\n"}, "found no topic 8, expected every topic of the pool"),
        ({"topics": {"7": "Who pays?", "8": " "}}, "found topic 8 without text"),
        ({"procedure": "inex1999"}, "unknown procedure"),
        ({"double": 2}, "found double 2"),
        ({"procedure": "inex2005", "pool": small_pool()}, "found 2 documents without elements: plain.txt, "),
        ({"pool": b""}, "found"),
        ({"suggestions": b'{"topic": "7"}\n'}, "<bytes>:1: found"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_left(
    how: dict[str, Any], told: str, tmp_path: Path
) -> None:
    """In one line."""
    with pytest.raises(ExcerptError) as error:
        small_campaign(tmp_path / "c", **how)
    assert told in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["c-documents"]


def test_documents_that_the_corpus_lacks_are_named_and_counted(tmp_path: Path) -> None:
    """The first few of them."""
    pool = Pool.of(PoolItem("7", f"d{n}", n, "depth", None, (), ()) for n in range(1, 10))
    with pytest.raises(ExcerptError, match=r"found 9 documents .*: d1, d2, d3, d4, d5 and 4 more; expected"):
        small_campaign(tmp_path / "c", pool=pool)


def test_a_document_has_one_name_in_a_topic(tmp_path: Path) -> None:
    """Two spellings of one are an error; each topic may have its own."""
    items = [PoolItem("7", name, n, "depth", None, (), ()) for n, name in enumerate(("a", "a.xml"), 1)]
    with pytest.raises(ExcerptError, match=r"found a and a.xml in topic 7, which are one document"):
        small_campaign(tmp_path / "c", pool=Pool.of(items))
    with small_campaign(tmp_path / "c", pool=Pool.of([items[0], items[1]._replace(topic="8")])) as campaign:
        assert set(campaign.documents) == {"a", "a.xml"}


@pytest.mark.parametrize("there", ["file", "folder"])
def test_a_folder_that_is_not_empty_is_refused(there: str, tmp_path: Path) -> None:
    """Whatever is in it."""
    target = tmp_path / "c"
    if there == "folder":
        target.mkdir()
        (target / "mine").touch()
    else:
        target.touch()
    with pytest.raises(ExcerptError, match="is there already"):
        small_campaign(target)


def test_a_folder_has_a_name() -> None:
    """An empty one is not that of the current folder."""
    with pytest.raises(ExcerptError, match=r"^found an empty name, expected that of a folder to make"):
        Campaign.create("", corpus="x", topics=TOPICS)


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    """And holds everything."""
    (tmp_path / "c").mkdir()
    small_campaign(tmp_path / "c").close()
    names = sorted(path.name for path in (tmp_path / "c").iterdir())
    assert names == ["backups", "campaign.toml", "journal.jsonl", "judgments.sqlite"]


def test_a_failure_in_the_middle_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the folder nor a half of it."""

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(creating, "write_settings", fail)
    with pytest.raises(ExcerptError, match="no space left"):
        small_campaign(tmp_path / "c")
    assert [path.name for path in tmp_path.iterdir()] == ["c-documents"]


@pytest.mark.parametrize("at", ["journal_mode", "COMMIT", "wal"])
def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """One line that names the folder, whether the database can be begun, filled, or opened afterwards."""
    seen: list[str] = []

    class Full(sqlite3.Connection):
        def execute(self, statement: str, /, *given: Any) -> sqlite3.Cursor:
            seen.append(statement)
            opened = at == "wal" and sum("journal_mode" in one for one in seen) > 1
            if at in statement or opened:
                error = sqlite3.OperationalError("database or disk is full")
                error.sqlite_errorcode = sqlite3.SQLITE_FULL
                raise error
            return super().execute(statement, *given)

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Full))
    with pytest.raises(ExcerptError) as error:
        small_campaign(tmp_path / "c")
    assert str(error.value).startswith(f"{tmp_path / 'c'}")
    assert "cannot be written: database or disk is full" in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["c-documents"]


def test_without_a_pool_everything_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If that is not too much."""
    with small_campaign(tmp_path / "c", pool=None) as campaign:
        assert sorted(campaign.contents.documents("7")) == ["a", "b", "letter.txt", "plain.txt"]
    monkeypatch.setattr(creating, "_MOST", 7)
    with pytest.raises(ExcerptError, match=r"found 4 documents for 2 topics.*pool="):
        small_campaign(tmp_path / "d", pool=None)


def test_files_are_known_by_their_hashes(tmp_path: Path) -> None:
    """As they are, so that anybody can compare."""
    (tmp_path / "topics.tsv").write_bytes(TOPICS)
    small_pool().write(tmp_path / "pool.tsv")
    how: dict[str, Any] = {"topics": tmp_path / "topics.tsv", "pool": tmp_path / "pool.tsv"}
    with small_campaign(tmp_path / "c", **how) as campaign:
        settings = campaign.settings
    assert settings.topics_sha256 == hashlib.sha256(TOPICS).hexdigest()
    assert settings.pool_sha256 == hashlib.sha256((tmp_path / "pool.tsv").read_bytes()).hexdigest()
    assert settings.title == "c"


def test_documents_in_memory_are_asked_for_again(tmp_path: Path) -> None:
    """A folder cannot keep them."""
    corpus = Corpus.read(write_corpus(tmp_path / "documents"))
    small_campaign(tmp_path / "c", corpus=corpus).close()
    with Campaign.open(tmp_path / "c") as campaign, pytest.raises(ExcerptError, match="were in memory"):
        campaign.check_corpus()
    with Campaign.open(tmp_path / "c", corpus=corpus) as campaign:
        campaign.check_corpus()


QRELS = b"7 Q0 a 5 154 3 0:5\n7 Q0 b 0 26\n8 Q0 b 4 26 0 2:4\n"


def test_judgments_of_elsewhere_are_those_of_an_assessor(tmp_path: Path) -> None:
    """Without a pool their pairs are the pool."""
    with small_campaign(tmp_path / "c", pool=None, qrels=QRELS, qrels_as="INEX") as campaign:
        found = {(judged.topic, judged.document): judged for judged in campaign.judged()}
        assert set(found) == set(campaign.contents.pairs) == {("7", "a"), ("7", "b"), ("8", "b")}
        assert {judged.assessor for judged in found.values()} == {"INEX"}
        assert found["7", "a"].state.highlights == [(0, 5)]
        assert all(judged.state.done for judged in found.values())
        assert campaign.people() == []
        with campaign.serve_lock():
            assert list(campaign.notices) == []


@pytest.mark.parametrize("how", [{"qrels": b"7 Q0 a 5 154 3 900:5\n"}, {"qrels": QRELS, "qrels_as": " "}])
def test_judgments_that_do_not_fit_leave_nothing(tmp_path: Path, how: dict[str, Any]) -> None:
    """Neither does a name that is none."""
    with pytest.raises(ExcerptError):
        small_campaign(tmp_path / "c", **how)
    assert [path.name for path in tmp_path.iterdir()] == ["c-documents"]


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text elsewhere")
def test_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    """The title is as near to it as text can be; copies of the database are made in it, too."""
    folder = tmp_path / os.fsdecode(b"x\xff")
    with small_campaign(folder, corpus=write_corpus(tmp_path / "documents")) as campaign:
        assert campaign.settings.title == "x\ufffd"
        do(campaign, "ann", "done")
        assert campaign.backup().is_file()
        assert [found.document for found in campaign.judged()] == ["a"]
    with pytest.raises(ExcerptError, match="no UTF-8"):
        small_campaign(tmp_path / "c", title="\ud800")
    assert not (tmp_path / "c").exists()
