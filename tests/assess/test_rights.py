"""Who may judge what, while people come and go."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_campaign import do, small_campaign

from excerpt.assess.campaign import Campaign
from excerpt.assess.refusals import NotAllowed
from excerpt.errors import ExcerptError


def people(campaign: Campaign, *names: str) -> None:
    """Let people take part."""
    for name in names:
        campaign.add_person(name)


def test_without_double_judging_everybody_may_judge_everything(tmp_path: Path) -> None:
    """Also the same document."""
    with small_campaign(tmp_path / "c") as campaign:
        people(campaign, "ann", "ben")
        assert len(campaign.assigned("ann")) == len(campaign.assigned("ben")) == 8
        do(campaign, "ann", "done")
        do(campaign, "ben", "done")


def test_each_pair_goes_to_one_and_a_share_to_two(tmp_path: Path) -> None:
    """Others are refused."""
    with small_campaign(tmp_path / "c", double=0.25) as campaign:
        people(campaign, "ann", "ben", "cem")
        given = {name: set(campaign.assigned(name)) for name in ("ann", "ben", "cem")}
        counts = [sum(pair in pairs for pairs in given.values()) for pair in campaign.contents.pairs]
        assert sorted(counts) == [1] * 6 + [2] * 2
        for name, pairs in given.items():
            for topic, document in campaign.contents.pairs:
                if (topic, document) in pairs:
                    assert do(campaign, name, "done", topic=topic, document=document)["done"]
                else:
                    with pytest.raises(NotAllowed, match="somebody else judges"):
                        do(campaign, name, "done", topic=topic, document=document)
                    with pytest.raises(NotAllowed):
                        campaign.document_for(name, topic, document)
                    with pytest.raises(NotAllowed):
                        campaign.trace(name, topic, document, "work", {"seconds": 1})


def test_what_was_begun_stays_when_people_are_added(tmp_path: Path) -> None:
    """Also from another process."""
    with small_campaign(tmp_path / "c", double=0) as campaign, Campaign.open(tmp_path / "c") as other:
        people(campaign, "ann")
        for topic, document in campaign.assigned("ann")[:4]:
            do(campaign, "ann", "highlight", 0, 5, topic=topic, document=document)
        begun = set(campaign.contents.pairs[:4])
        people(other, "ben", "cem", "dee", "eve", "fay")
        assert begun <= set(campaign.assigned("ann"))
        assert set(campaign.assigned("ann")) != set(campaign.contents.pairs)


def test_what_somebody_left_unfinished_goes_to_others(tmp_path: Path) -> None:
    """What was finished does not."""
    with small_campaign(tmp_path / "c", double=0) as campaign:
        people(campaign, "ann")
        do(campaign, "ann", "done", document="a")
        do(campaign, "ann", "highlight", 0, 5, document="b")
        campaign.remove_person("ann")
        people(campaign, "ben")
        assert ("7", "a") not in campaign.assigned("ben")
        assert ("7", "b") in campaign.assigned("ben")
        assert len(campaign.judged()) == 2


def test_judgments_of_nobody_here_take_no_place(tmp_path: Path) -> None:
    """Such as those that were made elsewhere."""
    from excerpt.assess.events import Event

    with small_campaign(tmp_path / "c", double=0) as campaign:
        campaign.enter_all("imported", [Event("1", "7", "a", 0, "done")])
        people(campaign, "ben")
        assert len(campaign.assigned("ben")) == 8


def test_people_come_and_go(tmp_path: Path) -> None:
    """A token that was replaced or taken away is nobody's."""
    with small_campaign(tmp_path / "c") as campaign:
        first, second = campaign.add_person("ann"), campaign.add_person("ann")
        assert (campaign.identify(first), campaign.identify(second)) == (None, "ann")
        campaign.remove_person("ann")
        assert campaign.identify(second) is None
        with pytest.raises(ExcerptError, match="found no assessor 'ann'"):
            campaign.remove_person("ann")
        assert second not in (tmp_path / "c" / "journal.jsonl").read_text()


@pytest.mark.parametrize("double", [None, 0.0, 0.5])
def test_everybodys_pairs_are_those_of_each(tmp_path: Path, double: float | None) -> None:
    """Also when somebody has left with something done."""
    with small_campaign(tmp_path / "c", double=double) as campaign:
        people(campaign, "ann", "ben", "cem")
        topic, document = campaign.assigned("cem")[0]
        do(campaign, "cem", "done", topic=topic, document=document)
        campaign.remove_person("cem")
        found = campaign.rights.by_assessor(campaign.contents.pairs)
        assert found == {name: campaign.assigned(name) for name in ("ann", "ben")}
