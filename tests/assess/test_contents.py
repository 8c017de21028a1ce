"""What a campaign was made from, as it is kept."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from small_campaign import ALL, do, small_campaign, small_pool

from excerpt.assess import contents
from excerpt.assess.campaign import Campaign
from excerpt.assess.exporting import exported
from excerpt.assess.folder import DATABASE
from excerpt.assess.progress import status
from excerpt.assess.rebuilding import rebuild
from excerpt.assess.store import Store
from excerpt.errors import ExcerptError
from excerpt.pooling import Pool, PoolInput, PoolItem


def test_the_pool_is_kept_as_it_is(tmp_path: Path) -> None:
    """With strata, probabilities, runs, passages and inputs."""
    items = [
        PoolItem("8", "b", 1, "depth", Fraction(1), ("r, 😀",), (((1, 0, 5), (3, -1, -1)),)),
        PoolItem("8", "a", 2, "sample", Fraction(3, 67), (), ()),
        PoolItem("7", "a", 1, "adaptive", None, ("s",), (((2, 4, 9),),)),
    ]
    inputs = [PoolInput("r, 😀", "runs/r.txt", "abc"), PoolInput("s", "", "")]
    with small_campaign(tmp_path / "c", pool=Pool.of(items, inputs=inputs)) as campaign:
        assert [topic.id for topic in campaign.topics] == ["8", "7"]
        assert campaign.items("8") == items[:2]
        assert campaign.items("7") == items[2:]
        assert campaign.inputs == tuple(inputs)
        assert [topic.text for topic in campaign.topics] == ["What is a café?", "Who pays the rent?"]


def test_a_database_without_settings_is_an_error_in_one_line(tmp_path: Path) -> None:
    """With what to do about it."""
    small_campaign(tmp_path / "c").close()
    (tmp_path / "c" / DATABASE).unlink()
    Store(tmp_path / "c" / DATABASE, new=True).close()
    with pytest.raises(ExcerptError, match=r"found no settings of a campaign.*excerpt assess rebuild"):
        Campaign.open(tmp_path / "c")
    assert rebuild(tmp_path / "c") == 0
    Campaign.open(tmp_path / "c").close()


def test_documents_have_hash_and_length(tmp_path: Path) -> None:
    """Of their text in code points."""
    with small_campaign(tmp_path / "c") as campaign:
        assert set(campaign.documents) == set(ALL)
        for name, (digest, length) in campaign.documents.items():
            assert (digest, length) == (campaign.corpus.hash(name), len(campaign.corpus[name]))


def test_shares_are_seeded(tmp_path: Path) -> None:
    """The same campaign draws the same pairs."""
    with (
        small_campaign(tmp_path / "c", double=0.5, seed=3) as one,
        small_campaign(tmp_path / "d", double=0.5, seed=3, pool=small_pool()) as two,
    ):
        assert len(one.contents.twice) == 4
        assert one.contents.twice == two.contents.twice


def test_pairs_are_listed_without_reading_the_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs and passages of 50,000 items take seconds, and progress and export do not ask for them."""

    def fail(_row: object) -> None:
        raise AssertionError("an item was read")

    with small_campaign(tmp_path / "c") as campaign:
        do(campaign, "ann", "done")
        monkeypatch.setattr(contents, "_item", fail)
        assert status(campaign)["documents"]["total"] == 8
        assert exported(campaign).about["counts"]["pool"] == 8
