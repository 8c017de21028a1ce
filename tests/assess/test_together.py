"""Agreement of all assessors: without one, over time, by document, and the same through excerpt judges."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.judged_campaign import judge, judged_campaign
from support.small_campaign import small_campaign

import excerpt
from excerpt.assess.agreement import measure_agreement
from excerpt.assess.campaign import Campaign
from excerpt.assess.opinions import JudgedPair, Label, Opinion
from excerpt.assess.together import Together, by_document, figures, over_time, without_each
from excerpt.errors import ExcerptError

A, B = JudgedPair("1", "A"), JudgedPair("1", "B")
LENGTHS = {"A": 20, "B": 10}


def opinion(pair: JudgedPair, name: str, *spans: tuple[int, int]) -> Opinion:
    """A finished opinion."""
    return Opinion(pair, (name,), highlights=spans)


SEVERAL = [
    [opinion(A, "ann", (0, 10)), opinion(A, "bob", (5, 12)), opinion(A, "eve")],
    [opinion(B, "ann"), opinion(B, "eve", (0, 1))],
]


def test_worst_documents_are_first() -> None:
    """By characters that only some highlighted."""
    found = by_document(SEVERAL[::-1])
    assert [(row["document"], row["characters"], row["relevant"]) for row in found] == [
        ("A", 12, 2),
        ("B", 1, 1),
    ]
    graded = [Opinion(B, (name,), grades={"/a[1]": (grade, "L")}) for name, grade in (("ann", 1), ("bob", 3))]
    assert by_document([graded])[0]["grades"] == 2


def test_without_each_assessor() -> None:
    """Documents that one of the others judged are left out; two assessors leave nothing to compare."""
    rows = list(without_each(SEVERAL, figures(LENGTHS, marks=True)))
    assert [(row["assessor"], row["documents"]) for row in rows] == [("ann", 1), ("bob", 2), ("eve", 1)]
    assert rows[0]["alpha"] == 0.0
    assert list(without_each(SEVERAL[1:], figures(LENGTHS, marks=True))) == []


def test_over_time() -> None:
    """By the day of the last judgment; a document with an imported judgment has no time."""
    day = 86_400.0
    times = {("1", "A", name): at for name, at in (("ann", 5.0), ("bob", day + 1), ("eve", 7.0))}
    measure = figures(LENGTHS, marks=False)
    rows = list(over_time(SEVERAL, times, measure))
    assert [(row["by"], row["from"], row["documents"]) for row in rows] == [
        ("day", "1970-01-02", 1),
        ("hundred", "1", 1),
    ]
    assert list(over_time(SEVERAL, {}, measure)) == []


def test_labels_of_any_number_of_assessors() -> None:
    """Characters that two or more labelled."""
    labels = {"ann": [(0, 4, "x")], "bob": [(2, 4, "x"), (4, 8, "y")], "eve": [(3, 6, "y")]}
    some = [
        Opinion(A, (name,), labels=tuple(Label(*label, "", name) for label in own))
        for name, own in labels.items()
    ]
    units = Together([some], LENGTHS).units("label")
    assert units == [{(0, 0): 1, (0, 0, 1): 1, (1, 1): 2}]


def test_a_campaign_is_judges(tmp_path: Path) -> None:
    """The same alpha through the folder, its command and its export."""
    with judged_campaign(tmp_path / "c") as campaign:
        judge(campaign, "bob", (3, 9), document="b")
        judge(campaign, "cleo", (1, 9), document="b")
        found = measure_agreement(campaign, per_document=True)
    rows = {row["level"]: row for row in found.rows if row["assessors"] == "all"}
    compared = excerpt.judges(tmp_path / "c").to_dict()
    assert list(compared["judges"]) == ["ann", "bob", "cleo"]
    assert compared["alpha"]["nominal"] == rows["document"]["alpha"]
    assert compared["characters"]["alpha_u"] == rows["character"]["alpha_u"]
    assert compared["characters"]["jaccard"] == pytest.approx(rows["character"]["jaccard"])
    assert found.documents is not None
    assert [row["topic"] for row in found.documents] == ["7", "7"]
    assert {row["by"] for row in found.over_time} == {"day", "hundred"}
    assert len(found.leave_one_out) == 3
    data = found.to_dict()
    assert data["documents"] == list(found.documents)
    assert "by document, worst first" in str(found)


def test_a_campaign_without_two_assessors(tmp_path: Path) -> None:
    """One line."""
    with judged_campaign(tmp_path / "c") as campaign:
        assert isinstance(campaign, Campaign)
    with pytest.raises(ExcerptError, match="no document in common"):
        excerpt.judges(tmp_path / "c", only="8")


def test_a_campaign_without_judgments(tmp_path: Path) -> None:
    """Nobody has finished a document: one line."""
    with small_campaign(tmp_path / "c") as campaign:
        campaign.add_person("ann")
    with pytest.raises(ExcerptError, match="found no finished judgments in c, expected two judges"):
        excerpt.judges(tmp_path / "c")
