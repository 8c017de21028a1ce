"""Tables as they are shown: intervals, groups, topics, in every format."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

import numpy as np
import pytest

from excerpt import ExcerptError, ScoreTable
from excerpt.errors import UnknownName
from excerpt.model.judgments import Question
from excerpt.render.tables import show
from excerpt.scores.score_views import Estimate, ScoreView

QUESTIONS = {
    "1": Question("1", "Who?", "law"),
    "2": Question("2", "What?", "news"),
    "3": Question("3", "<b>Why?", "law"),
}
TABLE = ScoreTable(
    ("r", "s"),
    ("r.run", "s.run"),
    ("1", "2", "3", "4"),
    ("AiP", "charR[5]"),
    np.array([[[0.5, 1], [0.25, math.nan], [0.0, 0], [1, 1]], [[math.nan, 0.5]] * 4]),
    warnings=("a <doubt>",),
    questions=QUESTIONS,
    single_documents={"1": "D1", "2": "D1"},
)


def test_json_has_intervals() -> None:
    """Each run has its means with their limits, null if there is no mean; seeds matter."""
    found = TABLE.to_dict()
    assert found["interval"] == {"level": 0.95, "samples": 10_000, "seed": 1}
    assert found["aliases"] == {}
    assert found["runs"][1]["intervals"] == {"AiP": None, "charR[5]": [0.5, 0.5]}
    assert found["runs"][0]["intervals"]["charR[5]"] == [0.0, 1.0]
    assert TABLE.intervals()["r"] == {
        name: tuple(limits) for name, limits in found["runs"][0]["intervals"].items()
    }
    assert TABLE.intervals()["s"]["AiP"] is None
    other = ScoreView(TABLE, interval=0.5, samples=7, seed=3)
    assert other.to_dict()["interval"] == {"level": 0.5, "samples": 7, "seed": 3}
    assert other.to_dict()["runs"][0]["intervals"]["AiP"] == list(
        TABLE.intervals(0.5, 7, 3)["r"]["AiP"] or ()
    )


def test_groups() -> None:
    """Means of the topics of each group, those without one together, then all of them."""
    found = TABLE.by_group("corpus").to_dict()
    assert (found["by"], found["groups"]) == ("corpus", {"law": 2, "news": 1, "": 1})
    assert found["runs"][0]["groups"] == {
        "law": {"AiP": 0.25, "charR[5]": 0.5},
        "news": {"AiP": 0.25, "charR[5]": None},
        "": {"AiP": 1.0, "charR[5]": 1.0},
    }
    assert found["runs"][0]["group_intervals"]["law"]["AiP"] == [0.0, 0.5]
    assert found["runs"][0]["scores"] == TABLE.to_dict()["runs"][0]["scores"]
    assert TABLE.by_group("document").listed()[1][:3] == [
        ("r", "D1", "2", 0.375, 1.0),
        ("r", "-", "2", 0.5, 0.5),
        ("r", "all", "4", 0.4375, 2 / 3),
    ]
    both = ScoreView(TABLE, per_topic=True, by="group").listed()
    assert both[0] == ("run", "group", "topic", "AiP", "charR[5]")
    assert [row[1:3] for row in both[1][:8]] == [
        *(("law", "1"), ("law", "3"), ("law", "all"), ("news", "2"), ("news", "all")),
        *(("-", "4"), ("-", "all"), ("all", "all")),
    ]


def test_groups_that_nobody_tells() -> None:
    """An error, not one group of everything; and only what topics can be grouped by."""
    with pytest.raises(ExcerptError, match="no topic has a corpus in the judgments"):
        replace(TABLE, questions={}).by_group("corpus")
    with pytest.raises(UnknownName, match="unknown grouping 'colour'"):
        TABLE.by_group("colour")  # type: ignore[arg-type]


def test_intervals_in_tables() -> None:
    """In brackets for people; in columns of their own, with every digit, for programs."""
    view = TABLE.with_intervals()
    low, high = TABLE.intervals()["r"]["AiP"] or (0, 0)
    assert f" 0.4375 [{low:.4f}, {high:.4f}]  " in str(view).splitlines()[2]
    rows = list(csv.reader(io.StringIO(show(view, "csv"))))
    assert rows[0] == [
        *("run", "AiP", "AiP low", "AiP high"),
        *("charR[5]", "charR[5] low", "charR[5] high"),
    ]
    assert rows[1][1:4] == [repr(0.4375), repr(low), repr(high)]
    assert rows[2] == ["s", "", "", "", "0.5", "0.5", "0.5"]


def test_notebooks_show_intervals_notes_and_warnings() -> None:
    """Names from files are no markup; a long table is cut."""
    shown = replace(TABLE, aliases={"charR[5]": "charR[5] of <text>"})._repr_html_()
    assert "0.5000 [0.5000, 0.5000]" in shown
    assert shown.endswith(
        "</table>\n<p>charR[5] = charR[5] of &lt;text&gt;</p>\n<p>warning: a &lt;doubt&gt;</p>\n"
    )
    many = ScoreTable.from_scores({("r", str(topic), "P"): 0.5 for topic in range(100)})
    cut = many.by_topic()._repr_html_()
    assert cut.count("<tr>") == 61
    assert "<p>… and 41 more rows</p>" in cut
    assert str(many.by_topic()).count("\n") == 102


def test_aliases_are_told_below() -> None:
    """In text and Markdown, not where rows are read by programs."""
    named = replace(TABLE, measures=("AiP", "recall@5"), aliases={"recall@5": "charR@5"})
    assert str(named).endswith("\n\nrecall@5 = charR@5")
    assert show(named, "markdown").endswith("|\n\nrecall@5 = charR@5\n")
    assert "=" not in show(named, "csv")
    assert named.to_dict()["aliases"] == named.to_dict()["runs"][0]["aliases"] == {"recall@5": "charR@5"}
    assert named.mean("r", "charR[5]") == named.mean("r", "recall@5") == TABLE.mean("r", "charR@5")


def test_limits() -> None:
    """Low comes first."""
    assert Estimate(0.5, 0.25, 1.0).limits == (0.25, 1.0)
