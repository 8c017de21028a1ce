"""Tests of adjudication: what assessors agree on, decisions, staleness, and exports of decided judgments."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.judged_campaign import judge, judged_campaign
from support.small_campaign import do, event, small_campaign
from support.span_sets import SPANS, Spans, characters, tidy

from excerpt.assess.adjudication import Difference, adjudication, disputed
from excerpt.assess.campaign import Campaign
from excerpt.assess.export import exported
from excerpt.assess.folder import InvalidEvent, MergeRequired, NotAllowed, Stale
from excerpt.assess.opinions import JudgedPair, Opinion
from excerpt.assess.recovery import rebuild
from excerpt.assess.release import released
from excerpt.errors import ExcerptError, UnknownName
from excerpt.judging.judge_comparison import judges
from excerpt.notices import Notices

PAIR = {"document": "a"}


@pytest.fixture
def campaign(tmp_path: Path) -> Any:
    """Ann marked 5 to 20 and 60 to 70, bob 10 to 30, of document a; eve decides."""
    with judged_campaign(tmp_path / "c") as made:
        made.add_person("eve", "adjudicator")
        yield made


def decide(campaign: Campaign, start: int, end: int, *, relevant: bool, **how: Any) -> dict[str, Any]:
    """Decide on text."""
    return do(campaign, "eve", "decide", start, end, relevant=relevant, **how)


def decide_all(campaign: Campaign, name: str = "eve") -> dict[str, Any]:
    """Decide on document a: ann is right, but for the end."""
    do(campaign, name, "decide", 5, 10, relevant=True)
    do(campaign, name, "decide", 20, 30, relevant=False)
    do(campaign, name, "decide", 60, 70, relevant=True)
    do(campaign, name, "bep", 5)
    return do(campaign, name, "done")


def rows_of(campaign: Campaign, **how: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """Rows of an adjudicated export, by pair."""
    data = exported(campaign, to="jsonl", merge="adjudicated", **how).data
    rows = [json.loads(line) for line in data.splitlines()]
    return {(row["topic"], row["document"]): row for row in rows}


def test_documents_are_listed_by_weight(campaign: Campaign) -> None:
    """Only those that several finished and differ on; the rest is counted."""
    judge(campaign, "bob", (0, 3), document="plain.txt")
    judge(campaign, "ann", (0, 4), document="plain.txt")
    judge(campaign, "bob", document="b")
    found = adjudication(campaign)
    assert [listed.pair.document for listed in found.documents] == ["a", "plain.txt"]
    first = found.to_dict()["documents"][0]
    assert (first["weight"], first["characters"], first["state"], first["entry"]) == (25, 25, "todo", 5)
    assert first["assessors"] == ["ann", "bob"]
    assert dict(found.counts) == {"single": 1, "agreed": 1, "decided": 0, "undecided": 2, "stale": 0}


def test_agreed_text_is_taken_over_and_the_rest_is_decided(campaign: Campaign) -> None:
    """Names are letters until the document is decided; a document is finished if nothing is left."""
    shown = campaign.document_for("eve", "7", "a")
    assert shown["state"]["highlights"] == [[10, 20]]
    assert shown["state"]["undecided"] == [[5, 10], [20, 30], [60, 70]]
    assert "ann" not in json.dumps(shown)
    assert {one["name"] for one in shown["opinions"]} == {"A", "B"}
    numbers = {one["bep"]: number for number, one in enumerate(shown["opinions"])}
    assert shown["disputed"] == [[5, 10, [numbers[5]]], [20, 30, [numbers[10]]], [60, 70, [numbers[5]]]]
    state = decide(campaign, 5, 10, relevant=True)
    assert (state["version"], state["highlights"]) == (1, [[5, 20]])
    assert state["problems"] == ["2 passages to decide", "best entry point missing"]
    with pytest.raises(InvalidEvent, match="cannot be finished: 2 passages to decide; best entry point"):
        do(campaign, "eve", "done")
    state = decide_all(campaign)
    assert (state["done"], state["highlights"], state["bep"]) == (True, [[5, 20], [60, 70]], 5)
    assert state["decided"] == [[5, 10, True], [20, 30, False], [60, 70, True]]
    shown = campaign.document_for("eve", "7", "a")
    assert sorted(one["name"] for one in shown["opinions"]) == ["ann", "bob"]
    assert not adjudication(campaign).documents
    assert rows_of(campaign)["7", "a"]["spans"] == [[5, 20], [60, 70]]


def test_decisions_are_undone_as_other_events_are(campaign: Campaign) -> None:
    """Undo restores the undecided passage, and redo the decision."""
    decide(campaign, 5, 10, relevant=True)
    state = do(campaign, "eve", "undo")
    assert (state["highlights"], len(state["undecided"]), state["decided"]) == ([[10, 20]], 3, [])
    assert do(campaign, "eve", "redo")["decided"] == [[5, 10, True]]


def test_only_adjudicators_decide(campaign: Campaign) -> None:
    """Assessors may not decide, adjudicators may not highlight, and roles do not change."""
    with pytest.raises(NotAllowed, match="only adjudicators decide"):
        do(campaign, "ann", "decide", 5, 10, relevant=True)
    with pytest.raises(InvalidEvent, match="found the kind highlight"):
        do(campaign, "eve", "highlight", 5, 10)
    with pytest.raises(ExcerptError, match="ann is an assessor of this campaign"):
        campaign.add_person("ann", "adjudicator")
    with pytest.raises(ExcerptError, match="eve is an adjudicator of this campaign"):
        campaign.add_person("eve")
    with pytest.raises(UnknownName, match="role"):
        campaign.add_person("zoe", "judge")
    with pytest.raises(InvalidEvent, match="1 assessor finished document b, expected 2 or more"):
        do(campaign, "eve", "decide", 0, 3, relevant=True, document="b")
    with pytest.raises(NotAllowed, match="not been finished by two"):
        campaign.document_for("eve", "7", "b")


def test_one_adjudicator_decides_a_document(campaign: Campaign) -> None:
    """Another one is refused until the first is removed; then the new decision counts."""
    campaign.add_person("zoe", "adjudicator")
    decide_all(campaign)
    with pytest.raises(NotAllowed, match="eve has begun to decide document a"):
        do(campaign, "zoe", "decide", 5, 10, relevant=False)
    assert not campaign.pool_for("zoe")["topics"]
    campaign.remove_person("eve")
    assert rows_of(campaign)["7", "a"]["adjudicator"] == "eve"
    assert decide_all(campaign, "zoe")["done"]
    assert rows_of(campaign)["7", "a"]["adjudicator"] == "zoe"


def test_a_document_that_is_opened_again_is_stale(campaign: Campaign) -> None:
    """It is said and listed again; the same judgment finished again is a new one to decide on."""
    decide_all(campaign)
    do(campaign, "ann", "note", note="a note changes nothing")
    assert not adjudication(campaign).documents
    do(campaign, "ann", "reopen")
    for _ in range(2):
        found = adjudication(campaign)
        assert [(listed.pair.document, listed.state) for listed in found.documents] == [("a", "stale")]
        assert found.warnings == ("1 decision is stale: an assessor has opened the document again",)
        with pytest.raises(MergeRequired, match="the decision is stale"):
            rows_of(campaign)
        do(campaign, "ann", "done")
    shown = campaign.document_for("eve", "7", "a")
    assert (shown["stale"], shown["state"]["done"], shown["state"]["undecided"]) == (True, False, [])
    assert campaign.pool_for("eve")["topics"][0]["documents"][0]["stale"]
    assert do(campaign, "eve", "done")["done"]
    assert rows_of(campaign)["7", "a"]["spans"] == [[5, 20], [60, 70]]


def test_new_judgments_have_new_passages_to_decide(campaign: Campaign) -> None:
    """Decisions stay where they were made; what is disputed anew is undecided, what is agreed is taken."""
    decide_all(campaign)
    do(campaign, "bob", "highlight", 60, 65)
    do(campaign, "bob", "highlight", 80, 90)
    do(campaign, "bob", "done")
    shown = campaign.document_for("eve", "7", "a")["state"]
    assert (shown["undecided"], shown["done"]) == ([[80, 90]], False)
    with pytest.raises(InvalidEvent, match="1 passage to decide"):
        do(campaign, "eve", "done")
    assert decide(campaign, 80, 90, relevant=False)["problems"] == []
    assert do(campaign, "eve", "done")["highlights"] == [[5, 20], [60, 70]]


def test_a_decision_is_sent_twice_and_on_an_old_version(campaign: Campaign) -> None:
    """The same id has the same answer, also after the judgments changed; an old version is refused."""
    sent = event(campaign, "decide", 5, 10, relevant=True)
    first = campaign.record("eve", sent)
    do(campaign, "ann", "reopen")
    assert campaign.record("eve", sent) == first
    do(campaign, "ann", "done")
    with pytest.raises(InvalidEvent, match="belongs to another event"):
        campaign.record("eve", {**sent, "relevant": False})
    with pytest.raises(Stale):
        campaign.record("eve", {**sent, "id": "another"})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"quote": "wrong"}, "found the quote 'wrong'"),
        ({"end": 10**6}, "expected start < end"),
        ({"end": 5}, "expected start < end"),
        ({"relevant": "yes"}, "expected true or false"),
        ({"relevant": None}, "found None as relevant"),
    ],
)
def test_decisions_that_are_none(campaign: Campaign, fields: dict[str, Any], message: str) -> None:
    """A quote is compared if there is one; positions always."""
    sent = {**event(campaign, "decide", 5, 10, relevant=True), **fields}
    if "end" in fields:
        del sent["quote"]
    with pytest.raises(InvalidEvent, match=message):
        campaign.record("eve", sent)


def test_what_becomes_of_undecided_documents(campaign: Campaign) -> None:
    """An error by default; merged, or left out and counted."""
    with pytest.raises(MergeRequired, match=r"1 document is not decided: topic 7 document a \(ann, bob\)"):
        rows_of(campaign)
    assert rows_of(campaign, undecided="union")["7", "a"]["spans"] == [[5, 30], [60, 70]]
    assert rows_of(campaign, undecided="intersection")["7", "a"]["spans"] == [[10, 20]]
    left = exported(campaign, merge="adjudicated", undecided="leave")
    assert left.about["settled"] == {"decided": 0, "agreed": 0, "single": 2, "merged": 0, "left_out": 1}
    assert left.about["undecided"] == "leave"
    assert set(rows_of(campaign, undecided="leave")) == {("7", "b"), ("8", "b")}
    with pytest.raises(UnknownName, match="undecided"):
        rows_of(campaign, undecided="maybe")
    with pytest.raises(ExcerptError, match="needs"):
        exported(campaign, merge="union", undecided="leave")
    with pytest.raises(ExcerptError, match="cannot be combined"):
        exported(campaign, merge="adjudicated", assessor="ann")


def test_documents_on_which_all_agree_are_decided(campaign: Campaign) -> None:
    """Also after a decision, if the assessors agree now."""
    judge(campaign, "bob", document="b")
    decide_all(campaign)
    settled = exported(campaign, merge="adjudicated").about["settled"]
    assert settled == {"decided": 1, "agreed": 1, "single": 1, "merged": 0, "left_out": 0}
    do(campaign, "bob", "unhighlight", 0, 90)
    for start, end in ((5, 20), (60, 70)):
        do(campaign, "bob", "highlight", start, end)
    do(campaign, "bob", "bep", 5)
    do(campaign, "bob", "done")
    assert "adjudicator" not in rows_of(campaign)["7", "a"]


def test_adjudicators_are_no_assessors(campaign: Campaign) -> None:
    """Their decisions are in no merging, progress, agreement or assignment."""
    before = exported(campaign, to="jsonl", merge="union").data
    decide_all(campaign)
    assert exported(campaign, to="jsonl", merge="union").data == before
    assert campaign.permissions.people().names() == ["ann", "bob"]
    assert {item.assessor for item in campaign.judged()} == {"ann", "bob"}
    assert set(judges(campaign.folder).found["judges"]) == {"ann", "bob"}
    campaign.check()


def test_a_release_takes_decisions_once_all_are_made(campaign: Campaign) -> None:
    """It says which it took, and has the agreement before and after."""
    with pytest.raises(MergeRequired, match=r"or choose merge=.union.") as caught:
        released(campaign, merge="adjudicated")
    assert "undecided" not in str(caught.value.hint)
    before, notes = released(campaign)
    assert notes == ("the union was taken: 1 document of several assessors is not decided",)
    decide_all(campaign)
    after, notes = released(campaign, anonymous=True)
    assert notes == ("the adjudicated judgments were taken: every document of several assessors is decided",)
    assert before != after == released(campaign, anonymous=True)[0]
    names, data = _files(after)
    about = json.loads(data["about.json"])
    assert (about["merge"], about["settled"]["decided"]) == ("adjudicated", 1)
    assert {row["level"]: row["documents"] for row in about["agreement"]["before"]}["character"] == 1
    after_rows = {row["level"]: row for row in about["agreement"]["after"]}
    # Of ann 25 of 25 characters, of bob 10 of the 35 that either has.
    assert after_rows["character"]["jaccard"] == pytest.approx((1 + 10 / 35) / 2)
    assert "adjudicated" in data["README.md"].decode()
    assert not any(b'"eve"' in content for content in data.values())
    assert "qrels.fol" in names


def _files(archive: bytes) -> tuple[list[str], dict[str, bytes]]:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return opened.namelist(), {name: opened.read(name) for name in opened.namelist()}


@pytest.mark.parametrize("procedure", ["inex2002", "inex2004", "inex2005", "evidence"])
def test_grades_and_labels_are_decided(tmp_path: Path, procedure: str) -> None:
    """Those that all gave are taken over; the others are owed."""
    with judged_campaign(tmp_path / "c", procedure) as campaign:
        campaign.add_person("eve", "adjudicator")
        shown = campaign.document_for("eve", "7", "a")
        state = shown["state"]
        assert adjudication(campaign).documents[0].pair.document == "a"
        for start, end, _ in shown["disputed"]:
            state = decide(campaign, start, end, relevant=True)
        if procedure == "evidence":
            assert state["problems"] == ["3 labels missing"]
            for start, end in ((5, 10), (20, 30), (60, 70)):
                state = do(campaign, "eve", "label", start, end, label="supports")
        while state["owed"]:
            path = state["owed"][0]
            grade: Any = [1, "L"] if procedure == "inex2002" else [2, 2] if procedure == "inex2004" else "?"
            state = do(
                campaign, "eve", "grade", path=path, grade=grade, **({"sure": True} if grade == "?" else {})
            )
        assert do(campaign, "eve", "done")["done"]
        assert not adjudication(campaign).documents
        row = rows_of(campaign)["7", "a"]
        assert (row["adjudicator"], row["assessors"]) == ("eve", ["ann", "bob"])
        campaign.check()


def test_the_journal_rebuilds_decisions(tmp_path: Path) -> None:
    """A campaign that lost its database has the same decisions."""
    with judged_campaign(tmp_path / "c") as campaign:
        campaign.add_person("eve", "adjudicator")
        decide_all(campaign)
        before = rows_of(campaign)
    for file in (tmp_path / "c").glob("judgments.sqlite*"):
        file.unlink()
    rebuild(tmp_path / "c")
    with Campaign.open(tmp_path / "c") as campaign:
        campaign.check()
        assert rows_of(campaign) == before
        assert campaign.is_adjudicator("eve")


def test_three_assessors(tmp_path: Path) -> None:
    """Text that two of three highlighted is cut where the others begin."""
    with small_campaign(tmp_path / "c", procedure="highlight") as campaign:
        for name, *spans in (("ann", (0, 30)), ("bob", (5, 20)), ("cy", (10, 15))):
            campaign.add_person(name)
            judge(campaign, name, *spans, document="a")
        campaign.add_person("eve", "adjudicator")
        shown = campaign.document_for("eve", "7", "a")
        assert [row[:2] for row in shown["disputed"]] == [[0, 5], [5, 10], [15, 20], [20, 30]]
        assert [len(row[2]) for row in shown["disputed"]] == [1, 2, 2, 1]


def opinion(name: str, spans: Spans) -> Opinion:
    """An opinion with highlights."""
    return Opinion(JudgedPair("1", "A"), (name,), highlights=tidy(spans))


@given(st.lists(SPANS, min_size=2, max_size=4))
def test_disputed_text_by_sets_of_characters(every: list[Spans]) -> None:
    """Characters that some but not all have, each with those who have it; agreement is no difference."""
    opinions = [opinion(str(number), spans) for number, spans in enumerate(every)]
    sets: list[set[int]] = [characters(spans) for spans in every]
    expected = {
        at: [number for number, one in enumerate(sets) if at in one]
        for at in sets[0].union(*sets) - sets[0].intersection(*sets)
    }
    found = disputed(opinions)
    assert {at: who for start, end, who in found for at in range(start, end)} == expected
    assert all(before[1:] != (after[0], after[2]) for before, after in pairwise(found))
    assert Difference.of(opinions).weight == len(expected)
    assert any(Difference.of(opinions)) == (len({frozenset(one) for one in sets}) > 1)


def test_notices_of_a_majority_of_two(campaign: Campaign) -> None:
    """The warning has the count and names both other rules."""
    export = exported(campaign, merge="majority")
    assert len(export.warnings) == 1
    assert export.warnings[0].startswith("1 document has two assessors")
    assert "intersection" in export.warnings[0]
    assert "union" in export.warnings[0]
    notices = Notices()
    released(campaign, merge="majority", notices=notices)
    assert list(notices) == list(export.warnings)
