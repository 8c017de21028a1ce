"""Assessors beside the machine: before and after they saw what it suggested, and where they never did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from judged_campaign import judge
from small_campaign import ALL, do, small_campaign

from excerpt.assess.agreeing import measure_agreement
from excerpt.assess.campaign import Campaign
from excerpt.assess.comparing import Comparing
from excerpt.assess.second_looks import compare_with_machine


def suggestions(*spans: tuple[str, str, int, int], model: str = "m-1") -> bytes:
    """Lines of suggestions: topic, document, start and end."""
    return b"".join(
        json.dumps(
            {"topic": topic, "document": document, "start": start, "end": end, "model": model, "prompt": "p"}
        ).encode()
        + b"\n"
        for topic, document, start, end in spans
    )


def rows(campaign: Campaign) -> dict[tuple[str, str], dict[str, Any]]:
    """What is said of ann, by what was seen and by level."""
    lengths = {name: length for name, (_, length) in campaign.documents.items()}
    found = compare_with_machine(campaign, Comparing(campaign.procedure, lengths, samples=10))
    return {(row["seen"], row["level"]): row for row in found}


def test_before_and_after(tmp_path: Path) -> None:
    """What was finished first is compared as it was, and again as it is now."""
    given = suggestions(("7", "a", 0, 10), ("7", "b", 0, 4))
    with small_campaign(tmp_path / "c", suggestions=given, control=0) as campaign:
        campaign.add_person("ann")
        judge(campaign, "ann", (5, 10))
        campaign.document_for("ann", "7", "a", show=("suggestions",))
        do(campaign, "ann", "highlight", 0, 5, suggestion=campaign.suggestions[0].number)
        do(campaign, "ann", "bep", 0)
        do(campaign, "ann", "done")
        judge(campaign, "ann", document="b")
        judge(campaign, "ann", document="plain.txt")
        found = rows(campaign)
    assert found["before", "character"]["jaccard"] == 0.5
    assert found["after", "character"]["jaccard"] == 1.0
    assert (found["not shown", "character"]["jaccard"], found["not shown", "document"]["jaccard"]) == (
        0.0,
        0.0,
    )
    assert found["all", "character"]["documents"] == 3
    assert found["all", "character"]["left_out"] == 1  # plain text: nothing suggested, nothing highlighted
    assert (found["all", "document"]["agreed"], found["all", "document"]["overlapping"]) == (1, 1)
    assert ("control", "character") not in found
    row = found["before", "character"]
    assert (row["assessor"], row["model"]) == ("ann", "m-1")


def test_before_and_after_are_of_the_same_documents(tmp_path: Path) -> None:
    """One that was opened again is in neither, and is counted, until it is finished."""
    given = suggestions(("7", "a", 0, 10), ("7", "b", 0, 4))
    with small_campaign(tmp_path / "c", suggestions=given, control=0) as campaign:
        campaign.add_person("ann")
        for document in ("a", "b"):
            judge(campaign, "ann", (5, 10), document=document)
            campaign.document_for("ann", "7", document, show=("suggestions",))
        do(campaign, "ann", "reopen", document="b")
        found = rows(campaign)
        doubts = measure_agreement(campaign).warnings
        do(campaign, "ann", "done", document="b")
        again = rows(campaign)
    assert {(seen, row["documents"]) for (seen, _), row in found.items()} == {
        ("before", 1),
        ("after", 1),
        ("all", 1),
    }
    assert any("document was opened again after its suggestions were shown" in doubt for doubt in doubts)
    assert {again[seen, "document"]["documents"] for seen in ("before", "after")} == {2}


def test_the_control_share_is_never_shown(tmp_path: Path) -> None:
    """Those documents stand by themselves; with two models there are rows for each."""
    spans = [("7", document, 0, 10) for document in ALL]
    given = suggestions(*spans) + suggestions(*spans, model="m-2")
    with small_campaign(tmp_path / "c", suggestions=given, control=0.5) as campaign:
        campaign.add_person("ann")
        for document in ALL:
            judge(campaign, "ann", (0, 10), document=document)
        lengths = {name: length for name, (_, length) in campaign.documents.items()}
        found = compare_with_machine(campaign, Comparing(campaign.procedure, lengths, samples=10))
        control = sum(campaign.in_control("7", document) for document in ALL)
    assert control == 2
    counted = {(row["model"], row["seen"]): row["documents"] for row in found if row["level"] == "document"}
    assert counted == {
        (model, seen): number
        for model in ("m-1", "m-2")
        for seen, number in (("control", 2), ("not shown", 2), ("all", 4))
    }
    assert all(row["jaccard"] == 1.0 for row in found)


def test_nothing_was_suggested(tmp_path: Path) -> None:
    """No machine, no rows; nor where nobody judged."""
    with small_campaign(tmp_path / "c") as campaign:
        campaign.add_person("ann")
        judge(campaign, "ann", (5, 10))
        assert rows(campaign) == {}
    with small_campaign(tmp_path / "d", suggestions=suggestions(("7", "a", 0, 10))) as campaign:
        assert rows(campaign) == {}
