"""Tests of progress, which contains no judgments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.judged_campaign import judge, judged_campaign
from support.small_campaign import ALL, Clock, do, small_campaign

from excerpt.assess.creation import import_judgments
from excerpt.assess.progress import CampaignProgress, seconds_worked, status
from excerpt.assess.recorder import Action
from excerpt.model import Judgments

DAY = 86_400.0


def by(rows: list[dict[str, Any]], key: str) -> dict[str, dict[str, Any]]:
    """Rows by the value of a key."""
    return {row[key]: row for row in rows}


def test_an_open_campaign(tmp_path: Path) -> None:
    """Without assignments a document is finished once any assessor has finished it."""
    with judged_campaign(tmp_path / "c", clock=(clock := Clock())) as campaign:
        found = status(campaign, now=clock.now)
    assert found["documents"] == {"total": 8, "done": 3, "open": 1, "todo": 4, "stale": 0}
    assert found["export"] == {"done": 3, "open": 1, "todo": 4, "several": 1}
    topics = by(found["topics"], "id")
    assert topics["7"] == {
        "id": "7", "title": "Who pays the rent?", "total": 4, "done": 2, "open": 0, "todo": 2, "owed": 0
    }  # fmt: skip
    assert topics["8"]["open"] == 1
    people = by(found["assessors"], "name")
    assert [people["bob"][name] for name in ("total", "done", "open", "todo", "owed")] == [8, 1, 1, 6, 0]
    assert people["ann"]["last"] < people["bob"]["last"]
    assert found["cells"] == {"7": {"ann": "open", "bob": "open"}, "8": {"ann": "open", "bob": "open"}}
    assert (found["title"], found["procedure"]) == ("c", "inex2007")
    assert found["cautions"] == []


def test_a_list_that_was_fetched_is_no_work(tmp_path: Path) -> None:
    """Fetching a list is logged but does not count as work."""
    with small_campaign(tmp_path / "c", order="max-mean", clock=Clock()) as campaign:
        campaign.add_person("ann")
        campaign.pool_for("ann")
        assert [action.kind for action in campaign.actions()] == ["order", "order"]
        assert status(campaign)["assessors"][0]["last"] is None


def test_nobody_and_nothing(tmp_path: Path) -> None:
    """A campaign without assessors has everything to do."""
    with small_campaign(tmp_path / "c") as campaign:
        found = status(campaign)
    assert found["documents"] == {"total": 8, "done": 0, "open": 0, "todo": 8, "stale": 0}
    assert (found["finish"], found["agreement"], found["seconds_per_document"]) == (None, None, None)
    assert found["assessors"] == []


def test_pairs_that_are_shared_out(tmp_path: Path) -> None:
    """Each assessor has their own documents; removed assessors keep their judgments."""
    with small_campaign(tmp_path / "c", double=0.25) as campaign:
        for name in ("ann", "bob", "eve"):
            campaign.add_person(name)
        assert status(campaign)["documents"]["total"] == 10
        topic, document = next(iter(campaign.permissions.assigned(campaign.contents.pairs, "ann")))
        judge(campaign, "ann", topic=topic, document=document)
        campaign.remove_person("ann")
        found = status(campaign)
    people = by(found["assessors"], "name")
    assert people.keys() == {"ann", "bob", "eve"}
    assert (people["ann"]["total"], people["ann"]["done"]) == (1, 1)
    assert found["documents"]["total"] == sum(person["total"] for person in people.values())
    assert found["documents"]["done"] == 1
    assert found["cells"][topic]["ann"] == "done"


def test_no_judgment_is_in_it(tmp_path: Path) -> None:
    """Progress contains no relevance, offsets or notes."""
    with judged_campaign(tmp_path / "c") as campaign:
        text = json.dumps(status(campaign))
    assert not any(word in text for word in ("highlight", "of ann", "bep", "relevant", "spans"))


def test_what_is_owed(tmp_path: Path) -> None:
    """Counts documents in progress with missing input."""
    with small_campaign(tmp_path / "c") as campaign:
        campaign.add_person("ann")
        do(campaign, "ann", "highlight", 0, 5)
        found = status(campaign)
    assert (found["assessors"][0]["owed"], by(found["topics"], "id")["7"]["owed"]) == (1, 1)


def test_agreement_in_short(tmp_path: Path) -> None:
    """Kappa is of documents, Jaccard of characters."""
    with judged_campaign(tmp_path / "c") as campaign:
        assert status(campaign)["agreement"] == {"documents": None, "characters": 10 / 35, "pairs": 1}
        judge(campaign, "bob", document="b")
        assert status(campaign)["agreement"] == {"documents": 1.0, "characters": 10 / 35, "pairs": 2}


def test_time_is_without_pauses() -> None:
    """Only short times between actions on the same document count."""

    def action(at: float, document: str = "a") -> Action:
        return Action("ann", "7", document, at, "highlight")

    actions = [
        action(0),
        action(30),
        action(40),
        action(1000),
        action(1010),
        action(1015, "b"),
        action(1020, "b"),
    ]
    assert seconds_worked(actions) == {("7", "a"): 50.0, ("7", "b"): 5.0}


def test_reported_work_counts(tmp_path: Path) -> None:
    """Time reported by the page takes precedence over times of events."""
    with small_campaign(tmp_path / "c") as campaign:
        campaign.add_person("ann")
        judge(campaign, "ann", (0, 5))
        campaign.trace("ann", "7", "a", "work", {"seconds": 200})
        assert status(campaign)["seconds_per_document"] == 200.0


def test_imported_judgments_took_no_time(tmp_path: Path) -> None:
    """Imported judgments cause no cautions and no time of activity."""
    with small_campaign(tmp_path / "c") as campaign:
        every = [(topic, document) for topic in "78" for document in ALL]
        import_judgments(campaign, Judgments.of([], irrelevant=every), "old")
        found = status(campaign)
    assert (found["cautions"], found["seconds_per_document"]) == ([], None)
    (old,) = found["assessors"]
    assert (old["name"], old["total"], old["done"], old["last"]) == ("old", 8, 8, None)


def test_imported_judgments_are_no_pace(tmp_path: Path) -> None:
    """Imported judgments do not affect the estimated end."""
    with small_campaign(tmp_path / "c", clock=(clock := Clock(0.0))) as campaign:
        every = [("7", document) for document in ALL]
        import_judgments(campaign, Judgments.of([], irrelevant=every), "old")
        assert status(campaign, now=clock.now)["finish"] is None
        clock.now += 9 * DAY
        campaign.add_person("ann")
        judge(campaign, "ann", topic="8")
        begun = next(action.at for action in campaign.actions("ann"))
        assert status(campaign, now=begun + DAY)["finish"] == "1970-01-14"  # one in a day, three are left
        assert status(campaign, now=begun + DAY - 1)["finish"] is None  # before a full day of work


def test_those_who_are_too_fast(tmp_path: Path) -> None:
    """Many documents in a few seconds each cause a caution, one does not."""
    with small_campaign(tmp_path / "c") as campaign:
        campaign.add_person("chen")
        for number, (topic, document) in enumerate((topic, name) for topic in "78" for name in ALL):
            judge(campaign, "chen", topic=topic, document=document)
            cautions = status(campaign)["cautions"]
            assert len(cautions) == (number >= 4)
    assert cautions == ["chen finished 8 documents in under 10 seconds each"]


def test_those_who_accept_everything(tmp_path: Path) -> None:
    """Accepting more than 98 % of at least 20 suggestions causes a caution."""
    spans = [(start, start + 2) for start in range(0, 120, 5)]
    lines = "".join(
        json.dumps({"topic": "7", "document": "a", "start": start, "end": end, "model": "m", "prompt": "p"})
        + "\n"
        for start, end in spans
    )
    with small_campaign(tmp_path / "c", suggestions=lines.encode(), control=0) as campaign:
        campaign.add_person("chen")
        judge(campaign, "chen", (0, 1))
        campaign.document_for("chen", "7", "a", show=("suggestions",))
        for given in campaign.contents.suggestions[:-1]:
            do(campaign, "chen", "highlight", given.start, given.end, suggestion=given.number)
        assert status(campaign)["cautions"] == [
            "chen accepted 23 of 23 suggestions, perhaps without reading them"
        ]
        do(campaign, "chen", "reject", suggestion=campaign.contents.suggestions[-1].number)
        assert status(campaign)["cautions"] == []


def test_open_for_over_a_day(tmp_path: Path) -> None:
    """Counts stale documents and estimates the end at the current pace."""
    with judged_campaign(tmp_path / "c", clock=(clock := Clock())) as campaign:
        assert status(campaign, now=clock.now + DAY - 100)["documents"]["stale"] == 0
        later = status(campaign, now=clock.now + DAY + 100)
    assert later["documents"]["stale"] == 1
    assert later["finish"] == "2023-11-17"  # three of eight in a good day


def test_how_it_is_shown(tmp_path: Path) -> None:
    """Progress is printed as text, as one table and as JSON."""
    with judged_campaign(tmp_path / "c", clock=(clock := Clock())) as campaign:
        found = status(campaign, now=clock.now)
    progress = CampaignProgress(found)
    assert progress.to_dict() == found
    assert "3 of 8 documents finished, 1 in progress, 4 to do" in str(progress)
    columns, rows = progress.listed()
    assert [row[:3] for row in rows] == [
        ("topic", "7", 4), ("topic", "8", 4), ("assessor", "ann", 8), ("assessor", "bob", 8)
    ]  # fmt: skip
    assert columns[:3] == ("kind", "name", "total")
