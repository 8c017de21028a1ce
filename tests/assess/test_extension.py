"""Tests of extended campaigns: a second pool, before and while assessors judge."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from support.small_campaign import do, small_campaign, small_pool

from excerpt.assess.campaign import Campaign
from excerpt.assess.export import exported
from excerpt.assess.extension import Extension, extend
from excerpt.assess.folder import DATABASE, JOURNAL
from excerpt.assess.journal import read_lines
from excerpt.assess.progress import status
from excerpt.assess.recovery import rebuild
from excerpt.errors import ExcerptError
from excerpt.notices import Notices
from excerpt.pooling import Pool, PoolInput, PoolItem

THIRD = b"9\tWho writes?\n"
SECOND = b"topic\tdocument\n7\tletter.txt\n7\ta\n9\tplain.txt\n"


def campaign_of_two(folder: Path) -> Campaign:
    """A campaign with two of four documents for two topics."""
    campaign = small_campaign(folder, documents=("a", "b"))
    campaign.add_person("ann")
    return campaign


def pairs_of(campaign: Campaign) -> list[tuple[str, str]]:
    """The pairs that ann sees, in their order."""
    pool = campaign.pool_for("ann")
    return [(topic["id"], row["id"]) for topic in pool["topics"] for row in topic["documents"]]


def test_new_pairs_appear_and_old_ones_stay(tmp_path: Path) -> None:
    """Another process extends an open campaign; the pools are named, also after a rebuild."""
    with campaign_of_two(tmp_path / "c") as campaign:
        do(campaign, "ann", "done")
        with Campaign.open(tmp_path / "c") as other:
            assert extend(other, SECOND, THIRD) == Extension(2, 1, 2, 1)
        expected = [("7", "a"), ("7", "b"), ("7", "letter.txt"), ("8", "a"), ("8", "b"), ("9", "plain.txt")]
        assert pairs_of(campaign) == expected
        do(campaign, "ann", "highlight", 0, 5, topic="9", document="plain.txt")
        do(campaign, "ann", "bep", 1, topic="9", document="plain.txt")
        do(campaign, "ann", "done", topic="9", document="plain.txt")
        assert status(campaign)["documents"]["total"] == 6
        about = exported(campaign).about
        assert [pool["pairs"] for pool in about["pools"]] == [4, 2]
        assert len({pool["sha256"] for pool in about["pools"]}) == 2
        assert about["pools"][0]["sha256"] == about["sha256"]["pool"]
        data = exported(campaign).data
        campaign.check()
        with campaign.serve_lock():
            assert list(campaign.notices) == []
    for _ in range(2):  # from a sound database, and without one
        assert rebuild(tmp_path / "c") == 4
        with Campaign.open(tmp_path / "c") as campaign:
            campaign.check()
            assert pairs_of(campaign) == expected
            assert exported(campaign).data == data
        (tmp_path / "c" / DATABASE).unlink(missing_ok=True)
    with pytest.raises(ExcerptError):
        Campaign.open(tmp_path / "c")


def test_extensions_add_up(tmp_path: Path) -> None:
    """Each pool is drawn from by itself, so the pairs of two assessors do not change."""
    with small_campaign(tmp_path / "c", documents=("a", "b"), double=0.5) as campaign:
        twice = campaign.contents.twice
        run = PoolInput("three", "/srv/three.fol", "0" * 64)
        item = PoolItem("8", "plain.txt", 1, "depth", Fraction(1), ("three",), (((1, 0, 9),),))
        assert extend(campaign, Pool.of([item], inputs=[run])).pairs == 1
        assert extend(campaign, Pool.of([item._replace(document="letter.txt")])).pairs == 1
        campaign.refresh()
        assert twice < campaign.contents.twice or twice == campaign.contents.twice
        assert run in campaign.contents.inputs
        assert campaign.contents.documents("8") == ["a", "b", "plain.txt", "letter.txt"]
        assert extend(campaign, small_pool(("a", "b"))) == Extension(0, 0, 0, 4)
        assert len(campaign.contents.pools) == 3  # nothing new, nothing written


@pytest.mark.parametrize(
    ("pool", "topics", "message"),
    [
        (b"topic\tdocument\n7\tother\n7\tstrange\n", None, "lacks 2 documents of the pool.*another corpus"),
        (b"topic\tdocument\n9\ta\n", None, "lacks topics of the pool: 9; give"),
        (b"topic\tdocument\n9\ta\n", b"8\tWhat?\n", "missing topics of the pool: 9"),
        (b"# unit passage\ntopic\tdocument\n7\ta\n", None, "pool of passages, expected documents"),
        (b"7 a\n", None, "topic and document"),
    ],
)
def test_a_wrong_pool_changes_nothing(
    tmp_path: Path, pool: bytes, topics: bytes | None, message: str
) -> None:
    """The journal is the same afterwards."""
    with campaign_of_two(tmp_path / "c") as campaign:
        before = (tmp_path / "c" / JOURNAL).read_bytes()
        with pytest.raises(ExcerptError, match=message):
            extend(campaign, pool, topics, notices=Notices())
        assert (tmp_path / "c" / JOURNAL).read_bytes() == before


def test_two_who_extend_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second gets a sentence, and the pool is added once."""
    with campaign_of_two(tmp_path / "c") as campaign, Campaign.open(tmp_path / "c") as other:
        monkeypatch.setattr(other, "refresh", lambda: None)
        extend(campaign, b"topic\tdocument\n7\tletter.txt\n")
        with pytest.raises(ExcerptError, match="nothing was changed; try again"):
            extend(other, b"topic\tdocument\n7\tletter.txt\n")
        campaign.check()


def test_a_lost_line_of_an_extension_is_listed(tmp_path: Path) -> None:
    """As far as possible: the other rows, and the events of pairs that are left."""
    with campaign_of_two(tmp_path / "c") as campaign:
        extend(campaign, SECOND, THIRD)
        do(campaign, "ann", "done", document="letter.txt")
        do(campaign, "ann", "done", topic="9", document="plain.txt")
    journal = tmp_path / "c" / JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True)
    (lost,) = (
        line.place
        for line in read_lines(journal)
        if line.table == "change" and line.row["kind"] == "item" and '"9"' in line.row["body"]
    )
    lines[lost - 1] = b"damaged\n"
    journal.write_bytes(b"".join(lines))
    (tmp_path / "c" / DATABASE).unlink()
    notices = Notices()
    assert rebuild(tmp_path / "c", as_far_as_possible=True, notices=notices) == 1
    assert any("topic or document is lost" in each for each in notices)
    with Campaign.open(tmp_path / "c") as campaign:
        campaign.check()
        assert [(item.topic, item.document) for item in campaign.judged()] == [("7", "letter.txt")]


def test_the_journal_can_be_read_line_by_line(tmp_path: Path) -> None:
    """Every added row is a line of its own."""
    with campaign_of_two(tmp_path / "c") as campaign:
        extend(campaign, SECOND, THIRD)
    changes = [line.row for line in read_lines(tmp_path / "c" / JOURNAL) if line.table == "change"]
    assert [row["kind"] for row in changes] == ["pool", "topic", "document", "document", "item", "item"]
    assert json.loads(changes[0]["body"])["pairs"] == 2
