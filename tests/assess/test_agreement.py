"""Tests of agreement in whole campaigns: rows, rankings, machines, output."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from support.judged_campaign import OTHER, RUN, bare_campaign, judge, judged_campaign
from support.small_campaign import ALL, do, small_campaign, small_pool

from excerpt.assess.agreement import (
    compare_rankings,
    compare_with_machine,
    find_runs,
    measure_agreement,
)
from excerpt.assess.campaign import Campaign
from excerpt.assess.folder import InvalidEvent
from excerpt.assess.kappa import AgreementSettings, AssessorPair
from excerpt.assess.opinions import JudgedPair, Opinion, judgments_of
from excerpt.assess.procedures import PROCEDURES
from excerpt.errors import ExcerptError
from excerpt.model import Judgments, Policy, Result, Run
from excerpt.notices import Notices
from excerpt.pooling import Pool, PoolInput


def test_two_assessors_of_one_document(tmp_path: Path) -> None:
    """Ann highlighted [5, 20) and [60, 70), bob [10, 30) of 154 characters."""
    with judged_campaign(tmp_path / "c") as campaign:
        found = measure_agreement(campaign, [RUN, OTHER], "MAiP")
    by_level = {row["level"]: row for row in found.rows}
    assert by_level["character"]["jaccard"] == 10 / 35
    assert by_level["character"]["f"] == 20 / 45
    assert by_level["passage"]["jaccard"] == 1 / 2
    assert by_level["document"]["jaccard"] == 1.0
    assert (found.pairs, found.machine, len(found.rankings)) == (1, (), 1)
    assert repr(found) == "<Agreement on 1 document: 3 rows>"


def test_the_same_every_time(tmp_path: Path) -> None:
    """Results are reproducible; another seed changes the intervals only."""
    with judged_campaign(tmp_path / "c") as campaign:
        for name, end in (("ann", 9), ("bob", 12)):
            judge(campaign, name, (0, end), topic="8", document="plain.txt")
            judge(campaign, name, (4, 2 * end), topic="8", document="letter.txt")
        judge(campaign, "bob", (3, 9), document="b")
        one, two, other = (measure_agreement(campaign, seed=seed, samples=3).to_dict() for seed in (1, 1, 4))
    assert one == two
    assert one["rows"] != other["rows"]
    values = ("jaccard", "f", "kappa", "exact")
    assert [[row[name] for name in values] for row in one["rows"]] == [
        [row[name] for name in values] for row in other["rows"]
    ]


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_every_procedure(tmp_path: Path, procedure: str) -> None:
    """Procedures with highlighting have levels of text, others levels of grades."""
    with judged_campaign(tmp_path / "c", procedure) as campaign:
        levels = [row["level"] for row in measure_agreement(campaign).rows]
    known = PROCEDURES[procedure]
    text = ["character", "passage"] if known.marks else []
    grades = [f"element: {dimension.name.lower()}" for dimension in known.scale]
    assert levels == [*text, "document", *grades, *(["label"] if known.labels else [])]


def test_nothing_in_common(tmp_path: Path) -> None:
    """Without common documents there is a warning, not an error."""
    with small_campaign(tmp_path / "c") as campaign:
        found = measure_agreement(campaign, notices=Notices())
    assert (found.rows, found.rankings, found.pairs) == ((), (), 0)
    assert found.warnings == (
        "no document was finished by two assessors, so their agreement cannot be measured",
    )
    assert str(found).startswith("0 documents finished by two or more assessors")


def test_how_it_is_shown(tmp_path: Path) -> None:
    """Agreement is printed as tables, as one table for spreadsheets, and as JSON."""
    with judged_campaign(tmp_path / "c") as campaign:
        found = measure_agreement(campaign, [RUN, OTHER])
    text = str(found)
    assert "rankings of the runs by the judgments of each assessor" in text
    assert "ann, bob" in text
    assert len(found.topics) == 3
    assert "by topic" in text
    assert json.loads(json.dumps(found.to_dict()))["pairs"] == 1
    columns, rows = found.listed()
    assert (columns[0], {row[0] for row in rows}) == ("compared", {"assessors", "rankings"})
    assert {len(row) for row in rows} == {len(columns)}
    assert "| assessors |" in found.to_markdown()


def test_missing_runs_are_told(tmp_path: Path) -> None:
    """If runs of the pool are missing, agreement is shown without rankings."""
    with judged_campaign(tmp_path / "c") as campaign:
        found = measure_agreement(campaign)
    assert found.warnings == (
        "runs are not ranked: files of one, two are missing or have changed; give the runs",
    )
    assert len(found.rows) == 3


def test_runs_of_the_pool_that_cannot_be_ranked(tmp_path: Path) -> None:
    """A warning names the reason, and the other results are shown."""
    data = {"one": RUN, "two": OTHER + b"8 Q0 b 3 0.1 other 0 9\n"}
    inputs = [PoolInput(name, f"{name}.fol", sha256(content).hexdigest()) for name, content in data.items()]
    pool = Pool.of(small_pool().items, inputs=inputs)
    with judged_campaign(tmp_path / "c", pool=pool) as campaign:
        for name, content in data.items():
            (tmp_path / f"{name}.fol").write_bytes(content)
        found = measure_agreement(campaign)
        (message,) = found.warnings
        assert message.startswith("runs are not ranked: topic 8, document b: found result")
        fine = measure_agreement(campaign, policy=Policy(overlap="first"))
    assert (found.rankings, len(found.rows), len(fine.rankings)) == ((), 3, 2)


LENGTHS = {"A": 100, "B": 100}
CORPUS = {name: "x" * length for name, length in LENGTHS.items()}
RUNS = [
    Run.of("top", [Result("1", "A", 0, 10), Result("2", "A", 0, 10)]),
    Run.of("middle", [Result("1", "A", 5, 15), Result("2", "A", 5, 15)]),
    Run.of("bottom", [Result("1", "B", 0, 10), Result("2", "B", 0, 10)]),
]


def judgments(opinions: Sequence[Opinion]) -> Judgments:
    """Judgments of highlighted text."""
    return judgments_of(bare_campaign("inex2007", LENGTHS), opinions)


def said(topic: str, name: str, *spans: tuple[int, int], document: str = "A") -> Opinion:
    """An opinion on a document."""
    return Opinion(JudgedPair(topic, document), (name,), highlights=spans)


def test_pairs_that_turn() -> None:
    """Pairs of runs turn if the assessors rank them in opposite order; ties do not turn."""
    two = AssessorPair(
        "ann",
        "bob",
        [
            (said("1", "ann", (0, 10)), said("1", "bob", (5, 15))),
            (said("1", "ann", document="B"), said("1", "bob", document="B")),
        ],
    )
    (row,) = compare_rankings([two], judgments, RUNS, ["MAiP"], notices=Notices(), corpus=CORPUS)
    assert (row["assessors"], row["measure"], row["topics"], row["runs"]) == ("ann, bob", "MAiP", 1, 3)
    assert (row["turned"], row["pairs"]) == (1, [["top", "middle"]])
    assert row["tau"] == pytest.approx(1 / 3)


def test_a_tie_is_not_turned() -> None:
    """A tie under either assessor does not turn."""
    tied = [RUNS[0], replace(RUNS[0], name="same"), RUNS[1]]
    two = AssessorPair("ann", "bob", [(said("1", "ann", (0, 10)), said("1", "bob", (5, 15)))])
    (row,) = compare_rankings([two], judgments, tied, ["MAiP"], notices=Notices(), corpus=CORPUS)
    assert row["pairs"] == [["top", "middle"], ["same", "middle"]]


def test_the_same_judgments_turn_nothing() -> None:
    """Identical judgments have a tau of 1 for every measure."""
    two = AssessorPair("ann", "bob", [(said("1", "ann", (0, 10)), said("1", "bob", (0, 10)))])
    rows = compare_rankings([two], judgments, RUNS, ["MAiP", "charR"], notices=Notices(), corpus=CORPUS)
    assert [(row["measure"], row["turned"], row["tau"]) for row in rows] == [
        ("MAiP", 0, 1.0),
        ("charR", 0, 1.0),
    ]


def test_topics_that_one_found_nothing_for_are_left_out() -> None:
    """Means are over topics scored by both assessors; without such topics there is no tau."""
    shared = [
        (said("1", "ann", (0, 10)), said("1", "bob", (5, 15))),
        (said("2", "ann", (0, 10)), said("2", "bob")),
    ]
    notices = Notices()
    (row,) = compare_rankings(
        [AssessorPair("ann", "bob", shared)], judgments, RUNS, ["MAiP"], notices=notices, corpus=CORPUS
    )
    assert row["topics"] == 1
    assert any("1 topic has no score from both assessors" in notice for notice in notices)
    (nothing,) = compare_rankings(
        [AssessorPair("ann", "bob", shared[1:])], judgments, RUNS, ["MAiP"], notices=Notices(), corpus=CORPUS
    )
    assert (nothing["topics"], nothing["tau"], nothing["turned"]) == (0, None, 0)


def test_one_run_is_no_ranking() -> None:
    """A single run is an error."""
    with pytest.raises(ExcerptError, match="found 1 run, expected at least 2 to rank"):
        compare_rankings([], judgments, RUNS[:1], ["MAiP"], notices=Notices(), corpus=CORPUS)


def test_runs_of_the_pool_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are found by path, next to the campaign or one folder deeper, if their hashes match."""
    data = [b"7 Q0 a 1 1 one 0 9\n", b"7 Q0 a 1 1 two 4 8\n"]
    inputs = [
        PoolInput(name, f"{name}.fol", hashlib.sha256(content).hexdigest())
        for name, content in zip(("one", "two"), data, strict=True)
    ]
    pool = Pool.of(small_pool(ALL).items, inputs=inputs)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with small_campaign(tmp_path / "c", pool=pool) as campaign:
        assert find_runs(campaign) == ([], ["one", "two"])
        (elsewhere / "one.fol").write_bytes(data[0])
        (tmp_path / "two.fol").write_bytes(data[0])
        assert find_runs(campaign) == (["one.fol"], ["two"])
        (tmp_path / "runs").mkdir()
        (tmp_path / "runs" / "two.fol").write_bytes(data[1])
        assert find_runs(campaign) == (["one.fol", str(tmp_path / "runs" / "two.fol")], [])
        (tmp_path / "two.fol").write_bytes(data[1])
        found, missing = find_runs(campaign)
        assert ([os.path.basename(path) for path in found], missing) == (["one.fol", "two.fol"], [])  # noqa: PTH119


def suggestions(*spans: tuple[str, str, int, int], model: str = "m-1") -> bytes:
    """Lines of a file of suggestions: topic, document, start and end."""
    return b"".join(
        json.dumps(
            {"topic": topic, "document": document, "start": start, "end": end, "model": model, "prompt": "p"}
        ).encode()
        + b"\n"
        for topic, document, start, end in spans
    )


def rows(campaign: Campaign) -> dict[tuple[str, str], dict[str, Any]]:
    """Rows of ann, by group and level."""
    found = compare_with_machine(
        campaign, AgreementSettings(campaign.procedure, campaign.lengths, samples=10)
    )
    return {(row["seen"], row["level"]): row for row in found}


def test_before_and_after(tmp_path: Path) -> None:
    """Judgments are compared as finished before the suggestions were shown, and as they are now."""
    given = suggestions(("7", "a", 0, 10), ("7", "b", 0, 4))
    with small_campaign(tmp_path / "c", suggestions=given, control=0) as campaign:
        campaign.add_person("ann")
        judge(campaign, "ann", (5, 10))
        campaign.document_for("ann", "7", "a", show=("suggestions",))
        do(campaign, "ann", "highlight", 0, 5, suggestion=campaign.contents.suggestions[0].number)
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
    """A reopened document is in neither group and counted, until it is finished again."""
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
    assert any("1 document was reopened after its suggestions were shown" in doubt for doubt in doubts)
    assert {again[seen, "document"]["documents"] for seen in ("before", "after")} == {2}


def test_the_control_share_is_never_shown(tmp_path: Path) -> None:
    """Control documents have rows of their own, for each of two models."""
    spans = [("7", document, 0, 10) for document in ALL]
    given = suggestions(*spans) + suggestions(*spans, model="m-2")
    with small_campaign(tmp_path / "c", suggestions=given, control=0.5) as campaign:
        campaign.add_person("ann")
        for document in ALL:
            judge(campaign, "ann", (0, 10), document=document)
        found = compare_with_machine(
            campaign, AgreementSettings(campaign.procedure, campaign.lengths, samples=10)
        )
        control = sum((("7", document) in campaign.contents.control) for document in ALL)
    assert control == 2
    counted = {(row["model"], row["seen"]): row["documents"] for row in found if row["level"] == "document"}
    assert counted == {
        (model, seen): number
        for model in ("m-1", "m-2")
        for seen, number in (("control", 2), ("not shown", 2), ("all", 4))
    }
    assert all(row["jaccard"] == 1.0 for row in found)


def test_grades_of_documents_are_compared_as_documents(tmp_path: Path) -> None:
    """Character and passage only where the machine marked text or found nothing relevant."""
    given = b"7 0 a 2\n7 0 b 0\n7 0 plain.txt 1\n"
    with small_campaign(tmp_path / "c", suggestions=given, control=0) as campaign:
        campaign.add_person("ann")
        judge(campaign, "ann", (5, 10))
        judge(campaign, "ann", document="b")
        judge(campaign, "ann", document="plain.txt")
        assert campaign.document_for("ann", "7", "a", show=("suggestions",))["suggestions"] == [
            [0, 0, 0, None, 2]
        ]
        do(campaign, "ann", "reject", suggestion=0)
        with pytest.raises(InvalidEvent, match="expected text that overlaps"):
            do(campaign, "ann", "highlight", 0, 5, suggestion=0)
        found = rows(campaign)
    assert {level for _, level in found} == {"document"}
    assert found["all", "document"]["jaccard"] == 0.5
    passages = suggestions(("7", "a", 5, 10)) + b"".join(
        json.dumps({"topic": "7", "document": name, "grade": grade, "model": "m-1", "prompt": "p"}).encode()
        + b"\n"
        for name, grade in (("b", 0), ("plain.txt", 1))
    )
    with small_campaign(tmp_path / "d", suggestions=passages, control=0) as campaign:
        campaign.add_person("ann")
        for document in ("a", "plain.txt"):
            judge(campaign, "ann", (5, 10), document=document)
        judge(campaign, "ann", document="b")
        found = rows(campaign)
    assert (found["all", "character"]["documents"], found["all", "document"]["documents"]) == (2, 3)
    assert found["all", "character"]["jaccard"] == found["all", "document"]["jaccard"] == 1.0


def test_nothing_was_suggested(tmp_path: Path) -> None:
    """There are no rows without suggestions or without judgments."""
    with small_campaign(tmp_path / "c") as campaign:
        campaign.add_person("ann")
        judge(campaign, "ann", (5, 10))
        assert rows(campaign) == {}
    with small_campaign(tmp_path / "d", suggestions=suggestions(("7", "a", 0, 10))) as campaign:
        assert rows(campaign) == {}
