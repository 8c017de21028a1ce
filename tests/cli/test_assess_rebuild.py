"""excerpt assess rebuild: a lost database comes back from the journal."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.served_campaign import Served, make_campaign

from excerpt.assess.campaign import Campaign

from .conftest import Excerpt

EVENT = {"id": "e", "topic": "1", "document": "A", "base": 0, "kind": "note", "note": "kept"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign with an event."""
    made = make_campaign(tmp_path)
    with Campaign.open(made) as campaign:
        campaign.add_person("ann")
        campaign.record("ann", EVENT)
    return made


@pytest.mark.parametrize("lost", [False, True])
def test_everything_is_made_again(folder: Path, excerpt: Excerpt, *, lost: bool) -> None:
    """States from the events; the events, too, where the database is gone."""
    if lost:
        for path in folder.glob("judgments.sqlite*"):
            path.unlink()
    done = excerpt("assess", "rebuild", folder)
    assert (done.status, done.out) == (0, "1 event\n"), done.err
    with Campaign.open(folder) as campaign:
        assert campaign.recorder.store.faults() == []
        assert campaign.document_for("ann", "1", "A")["state"]["note"] == "kept"


def test_documents_may_have_moved(tmp_path: Path, excerpt: Excerpt) -> None:
    """Grades need their elements."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "A.xml").write_text("<a><p>one</p></a>", encoding="utf-8")
    (tmp_path / "topics.tsv").write_text("1\tx\n", encoding="utf-8")
    options = ["--corpus", tmp_path / "docs", "--topics", tmp_path / "topics.tsv", "--procedure", "inex2004"]
    folder = tmp_path / "campaign"
    assert excerpt("assess", "new", folder, *options).status == 0
    with Campaign.open(folder) as campaign:
        campaign.add_person("ann")
        document = campaign.contents.items("1")[0].document
        event = {"id": "e", "topic": "1", "document": document, "base": 0, "kind": "grade"}
        campaign.record("ann", {**event, "path": "/a[1]/p[1]", "grade": [1, 1]})
    (tmp_path / "docs").rename(tmp_path / "moved")
    assert excerpt("assess", "rebuild", folder).status == 2
    done = excerpt("assess", "rebuild", folder, "--corpus", tmp_path / "moved")
    assert (done.status, done.out) == (0, "1 event\n"), done.err


def test_not_while_it_is_served(folder: Path, excerpt: Excerpt) -> None:
    """Nor where there is nothing."""
    with Served(folder):
        done = excerpt("assess", "rebuild", folder)
    assert done.status == 2
    assert "is served already" in done.err
    assert "not a campaign folder" in excerpt("assess", "rebuild", folder.parent).err
