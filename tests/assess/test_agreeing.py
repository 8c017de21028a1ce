"""Agreement in whole campaigns: what is compared, and how it is shown."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest
from judged_campaign import OTHER, RUN, judge, judged_campaign
from small_campaign import small_campaign, small_pool

from excerpt.assess.agreeing import measure_agreement
from excerpt.assess.procedures import PROCEDURES
from excerpt.model import Policy
from excerpt.notices import Notices
from excerpt.pooling import Pool, PoolInput


def test_two_assessors_of_one_document(tmp_path: Path) -> None:
    """Ann has [5, 20) and [60, 70), bob [10, 30) of 154 characters."""
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
    """Another seed gives other intervals, and nothing else."""
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
    """Levels of text where text is highlighted, of grades where elements are graded."""
    with judged_campaign(tmp_path / "c", procedure) as campaign:
        levels = [row["level"] for row in measure_agreement(campaign).rows]
    text = ["character", "passage"] if procedure not in {"inex2002", "inex2004"} else []
    grades = {
        "inex2002": ["element: relevance", "element: coverage"],
        "inex2004": ["element: exhaustivity", "element: specificity"],
        "inex2005": ["element: exhaustivity"],
        "evidence": ["label"],
    }
    assert levels == [*text, "document", *grades.get(procedure, [])]


def test_nothing_in_common(tmp_path: Path) -> None:
    """Is said, and no error."""
    with small_campaign(tmp_path / "c") as campaign:
        found = measure_agreement(campaign, notices=Notices())
    assert (found.rows, found.rankings, found.pairs) == ((), (), 0)
    assert found.warnings == (
        "no document was finished by two assessors: there is nothing to compare them on",
    )
    assert str(found).startswith("0 documents finished by two or more assessors")


def test_how_it_is_shown(tmp_path: Path) -> None:
    """As tables, as one table for spreadsheets, as JSON."""
    with judged_campaign(tmp_path / "c") as campaign:
        found = measure_agreement(campaign, [RUN, OTHER])
    text = str(found)
    assert "rankings of the runs by either's judgments" in text
    assert "ann, bob" in text
    assert len(found.topics) == 3
    assert "by topic" in text
    assert json.loads(json.dumps(found.to_dict()))["pairs"] == 1
    columns, rows = found.listed()
    assert (columns[0], {row[0] for row in rows}) == ("compared", {"assessors", "rankings"})
    assert {len(row) for row in rows} == {len(columns)}
    assert "| assessors |" in found.to_markdown()


def test_missing_runs_are_told(tmp_path: Path) -> None:
    """Runs of the pool that are not there: the rest is shown without rankings."""
    with judged_campaign(tmp_path / "c") as campaign:
        found = measure_agreement(campaign)
    assert found.warnings == (
        "the ranking of runs was left out: one, two of the pool not found as they were; give the runs",
    )
    assert len(found.rows) == 3


def test_runs_of_the_pool_that_cannot_be_ranked(tmp_path: Path) -> None:
    """Nobody asked for them: why they are left out is told, and all else is shown."""
    data = {"one": RUN, "two": OTHER + b"8 Q0 b 3 0.1 other 0 9\n"}
    inputs = [PoolInput(name, f"{name}.fol", sha256(content).hexdigest()) for name, content in data.items()]
    pool = Pool.of(small_pool().items, inputs=inputs)
    with judged_campaign(tmp_path / "c", pool=pool) as campaign:
        for name, content in data.items():
            (tmp_path / f"{name}.fol").write_bytes(content)
        found = measure_agreement(campaign)
        (told,) = found.warnings
        assert told.startswith("the ranking of runs was left out: topic 8, document b: found result")
        fine = measure_agreement(campaign, policy=Policy(overlap="first"))
    assert (found.rankings, len(found.rows), len(fine.rankings)) == ((), 3, 2)
