"""What runs of a report missed: codes by passage, lines and a table."""

from __future__ import annotations

import numpy as np
import pytest
from explained import JUDGMENTS, OTHER, RUN, TEXTS

from excerpt import Corpus, Notices, Run, parse_measure
from excerpt.view import World
from excerpt.view.missing import note_of

CITED = Run.of("cited", [("q1", "lease", 0, 30), ("q2", "rules", 0, 10)])


def world(*measures: str, **how: object) -> World:
    """The evaluation of both runs."""
    given: dict[str, object] = {"corpus": Corpus(TEXTS), "notices": Notices(), **how}
    return World.of(JUDGMENTS, [RUN, OTHER], list(measures), **given)  # type: ignore[arg-type]


def test_codes_are_reasons_with_ranks_before_them() -> None:
    """By run, in the order of the passages of the topic; the same as `explain` says."""
    topic = world("charR@2").topic(0)
    spans = list(zip(topic["relevant"]["document"], topic["relevant"]["start"], strict=True))
    names = [(topic["documents"]["id"][place], start) for place, start in spans]
    why = [dict(zip(names, codes, strict=True)) for codes in topic["why"]]
    assert why[0] == {("lease", 0): 32, ("lease", 58): 3, ("notes", 0): 5}
    assert why[1] == {("lease", 0): -1, ("lease", 58): 4, ("notes", 0): 5}
    assert topic["notes"][0] == [
        "3 of 3 passages missed: 1 at rank 3…n, 1 same text at another place, 1 document not found."
    ]
    assert "passage" not in topic["relevant"]


def test_the_first_measure_with_a_cutoff_says_how_far_is_read() -> None:
    """Without one all results are, and nothing is at a later rank."""
    (table,) = world("MAiP", "charR@2").overview()["tables"]
    assert table["note"] == "of 5 passages, read as far as charR@2 reads, white space not counted"
    assert table["columns"][1:3] == ["Missed", "At rank 3…n"]
    assert table["rows"] == [["mine", "4", "1", "1", "0", "2"], ["other", "3", "0", "0", "1", "2"]]
    (table,) = world("MAiP").overview()["tables"]
    assert table["columns"][2:] == [
        "Same text at another place",
        "Document found, passage not",
        "Document not found",
    ]


def test_large_collections_are_not_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the same text at another place; it is said."""
    monkeypatch.setattr("excerpt.view.missing._MOST_TEXT", 100)
    (table,) = world("charR@2").overview()["tables"]
    assert table["note"].endswith("; in 2 topics nobody looked for the same text")
    assert table["rows"][0] == ["mine", "4", "1", "0", "1", "2"]


def test_without_texts_white_space_counts() -> None:
    """And nobody can look for the same text."""
    (table,) = world("charR@2", corpus=None, text=False).overview()["tables"]
    assert "Same text at another place" not in table["columns"]
    assert table["note"] == "of 5 passages, read as far as charR@2 reads"


def test_questions_of_the_judgments_are_shown() -> None:
    """Without a file of topics."""
    topics = world("charR@2").overview()["topics"]
    assert [topic["text"] for topic in topics][1:] == ["When was the roof mended?", ""]


def test_cited_text_is_a_layer_and_a_funnel() -> None:
    """Spans by topic, a line for each run, a table; its documents are shown."""
    shown = world("charR@2", cited=CITED)
    data = shown.overview()
    assert data["cited"] == "cited"
    assert data["tables"][1]["rows"] == [
        ["mine", "0.5287", "0.3614", "0.2500", "0.2500"],
        ["other", "0.5350", "0.3571", "0.2500", "0.2500"],
    ]
    topic = shown.topic(0)
    assert len(topic["runs"]) == 2
    (span,) = topic["cited"]
    place = np.searchsorted(np.cumsum(topic["spans"]["count"]), span, side="right")
    assert topic["documents"]["id"][int(place)] == "lease"
    assert topic["notes"][1][1].startswith(
        "Citations: found 0.5481, cited of found 0.5263, not relevant 0.0000,"
    )
    assert "rules" in shown.topic(1)["documents"]["id"]
    assert world("charR@2").overview()["cited"] is False


def test_nothing_missed_is_said() -> None:
    """And topics without passages have no line."""
    assert note_of(np.array([-1, -1]), parse_measure("charR")) == "No passage missed."
